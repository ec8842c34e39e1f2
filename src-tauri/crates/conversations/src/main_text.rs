//! The document that a run put together itself, in place of the record of its statements: for files with pages and for the window.

use answers::Citation;
use docx::{Run, WordDocument};
use protocol::{MainDocument, NoteRow};

/// Such a document.
pub(crate) struct MainText {
    /// Markdown: a title, lines about the document, a rule, the text, definitions of footnotes.
    pub text: String,
    /// Who stands by it.
    pub lock: Option<String>,
}

impl MainText {
    /// For a file with pages. The lines above the first rule stand below the title.
    pub fn pages(&self) -> WordDocument {
        let Parts { title, lines, body, has_contents } = self.parts();
        let contents = has_contents
            .then(|| docx::Contents { heading: "Contents".to_owned(), depth: docx::HeadingLevel::First });
        let options = docx::MarkdownOptions { contents, ..docx::MarkdownOptions::default() };
        let mut document = WordDocument {
            subtitle: lines.iter().map(|line| vec![Run::text(*line)]).collect(),
            ..docx::from_markdown(&format!("{title}\n\n{body}"), &options)
        };
        document.subtitle.extend(self.lock.as_deref().map(|lock| vec![Run::text(lock)]));
        document
    }

    /// As Markdown, with the lock below the title.
    pub fn markdown(&self) -> String {
        match (&self.lock, self.text.split_once('\n')) {
            (Some(lock), Some((title, rest))) => format!("{title}\n\n> {lock}\n{rest}"),
            (Some(_) | None, _) => self.text.clone(),
        }
    }

    /// For the window: marks of footnotes as links, and the footnotes with the citation that each one names.
    pub fn shown(&self, citations: &[Citation]) -> MainDocument {
        let Parts { title, lines, body, .. } = self.parts();
        let (mut text, mut footnotes) = (Vec::new(), Vec::new());
        for line in body.lines() {
            match definition(line) {
                Some((number, note)) => footnotes.push(NoteRow {
                    number,
                    citation: cited(note, citations).and_then(|number| u32::try_from(number).ok()),
                    text: linked(note),
                }),
                None => text.push(linked(line)),
            }
        }
        // The lines of a title page stay lines.
        let lines = lines.iter().map(|line| format!("{line}\n\n")).collect::<String>();
        MainDocument {
            title: title.trim_start_matches(['#', ' ']).to_owned(),
            markdown: format!("{title}\n\n{lines}{}\n", text.join("\n").trim()),
            footnotes,
        }
    }

    /// The list of contents is left out: files and the window have their own. So is a heading that has nothing but
    /// definitions of footnotes below it: these stand at the foot of pages.
    fn parts(&self) -> Parts<'_> {
        let (page, text) = self.text.split_once("\n---\n").unwrap_or(("", &self.text));
        let (title, lines) = page.trim_start().split_once('\n').unwrap_or((page, ""));
        let (before, after) = text.split_once("## Contents\n").unwrap_or((text, ""));
        let rest = after.find("\n## ").map_or("", |next| &after[next..]);
        Parts {
            title,
            lines: lines.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
            body: without_notes_heading(&format!("{before}{rest}")),
            has_contents: !rest.is_empty(),
        }
    }
}

struct Parts<'t> {
    /// The first line.
    title: &'t str,
    /// The lines between the title and the first rule.
    lines: Vec<&'t str>,
    body: String,
    has_contents: bool,
}

fn without_notes_heading(markdown: &str) -> String {
    let lines: Vec<&str> = markdown.lines().collect();
    let stands = |at: &usize| {
        let next = lines[at + 1..].iter().find(|line| !line.trim().is_empty());
        !(lines[*at].starts_with('#') && next.is_some_and(|line| definition(line).is_some()))
    };
    (0..lines.len()).filter(stands).map(|at| lines[at]).collect::<Vec<_>>().join("\n")
}

/// `[^12]: text`.
fn definition(line: &str) -> Option<(u32, &str)> {
    let (number, text) = line.strip_prefix("[^")?.split_once("]:")?;
    Some((number.parse().ok()?, text.trim()))
}

/// Marks such as `[^12]` as links to `#note-12`.
fn linked(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 16);
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("[^") {
        out.push_str(before);
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match (&after[..digits], after[digits..].strip_prefix(']')) {
            (number, Some(after)) if digits > 0 => {
                out.push_str(&format!("[{number}](#note-{number})"));
                rest = after;
            }
            _ => {
                out.push_str("[^");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The number of the citation that a footnote begins with.
fn cited(note: &str, citations: &[Citation]) -> Option<usize> {
    let names = |citation: &&Citation| {
        let rest = note.strip_prefix(citation.name());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
    };
    citations.iter().filter(names).max_by_key(|citation| citation.name().len()).map(|found| found.number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Memo\n\nTarget: Larkspur\n\n---\n\n## Contents\n\n- [I. Rights](#i-rights)\n\n## I. Rights\n\nThe \
        customer may leave.[^1] So may others [^2]; [^x] is none.\n\n## Notes\n\n[^1]: orchard:2.1 (orchard.md): \u{201c}may\u{201d} [VERIFIED]\n\
        [^2]: orchard:2.1 (orchard.md): the words of note [^1] [VERIFIED]\n";

    #[test]
    fn a_document_for_the_window_has_its_notes_apart_and_no_contents() {
        let shown = MainText { text: TEXT.to_owned(), lock: None }.shown(&[]);
        assert_eq!(
            shown.markdown,
            "# Memo\n\nTarget: Larkspur\n\n## I. Rights\n\nThe customer may leave.[1](#note-1) So may others [2](#note-2); [^x] is none.\n"
        );
        assert_eq!(shown.title, "Memo");
        let notes: Vec<(u32, &str)> =
            shown.footnotes.iter().map(|note| (note.number, note.text.as_str())).collect();
        assert_eq!(notes[1], (2, "orchard:2.1 (orchard.md): the words of note [1](#note-1) [VERIFIED]"));
    }

    #[test]
    fn a_heading_over_nothing_but_footnotes_is_left_out_of_pages() {
        let text =
            without_notes_heading("## Text\nwords[^1]\n\n## Footnotes\n\n[^1]: Note.\n[^2]: Other.\n\nEND");
        assert_eq!(text, "## Text\nwords[^1]\n\n\n[^1]: Note.\n[^2]: Other.\n\nEND");
    }

    #[test]
    fn a_lock_stands_below_the_title() {
        let text = MainText { text: TEXT.to_owned(), lock: Some("Locked as version 1".to_owned()) };
        assert!(text.markdown().starts_with("# Memo\n\n> Locked as version 1\n\nTarget"));
        assert_eq!(text.pages().subtitle.len(), 2);
    }
}
