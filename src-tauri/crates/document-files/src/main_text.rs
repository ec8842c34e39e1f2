//! The document that a run put together itself, in place of the record of its statements: for files with pages and for the window.

use std::borrow::Cow;

use answers::{Citation, Exhibits, HeadingCase};
use docx::{Block, Format, HeadingLevel, Run, RunContent, WordDocument, visit_runs};
use protocol::{DocumentLock, MainDocument, NoteRow};

use crate::references::{numbered, restyled};

/// A document that a run put together itself.
pub struct MainText {
    /// Markdown: a title, lines about the document, a rule, the text, definitions of footnotes.
    pub text: String,
    /// Who stands by it.
    pub lock: Option<DocumentLock>,
    /// When its run began, in milliseconds since 1970.
    pub created: Option<i64>,
    /// The documents that it was written from.
    pub exhibits: Exhibits,
}

/// How the line begins that says what a document is worth.
const STATUS: &str = "Status: ";
/// How the line begins that says who made it.
const AUTHOR: &str = "Prepared by: ";
/// What a line of a title page begins and ends with that stands at the head of every page.
const MARKED: &str = "**";

impl MainText {
    /// A document that nobody locked.
    pub fn of(text: String) -> Self {
        Self { text, lock: None, created: None, exhibits: Exhibits::default() }
    }

    /// For a file with pages. The lines above the first rule stand below the title; with a list of contents they have a page of
    /// their own, and so has the list.
    pub fn pages(&self) -> WordDocument {
        let text = match self.exhibits.list() {
            [] => numbered(&self.text),
            [..] => Cow::Borrowed(self.text.as_str()),
        };
        let text = restyled(&text, &self.exhibits);
        let Parts { title, lines, body, has_contents } = parts(&text);
        let contents = has_contents
            .then(|| docx::Contents { heading: "Contents".to_owned(), ..docx::Contents::default() });
        let mut lines = self.title_page(&lines);
        let marking = lines.iter().position(|line| marking(line).is_some());
        let marking = marking.map(|at| lines.remove(at).replace(MARKED, "")).unwrap_or_default();
        let footer = lines.iter().find_map(|line| line.strip_prefix(STATUS)).unwrap_or_default();
        let options = docx::MarkdownOptions {
            contents,
            footer: sentence(footer),
            created: self.created.and_then(instant),
            author: lines.iter().find_map(|line| line.strip_prefix(AUTHOR)).unwrap_or_default().to_owned(),
            ..docx::MarkdownOptions::default()
        };
        let mut document = WordDocument {
            marking,
            subtitle: lines.iter().map(|line| labelled(line)).collect(),
            ..docx::from_markdown(&format!("{title}\n\n{body}"), &options)
        };
        number(&mut document.blocks);
        visit_runs(&mut document.blocks, &mut apart);
        for note in &mut document.notes {
            visit_runs(&mut note.blocks, &mut |runs| runs.iter_mut().for_each(in_words));
        }
        if has_contents {
            document.blocks.insert(1, Block::PageBreak);
            document.blocks.insert(0, Block::PageBreak);
        }
        document
    }

    /// The lines below the title, with the day of the run; a lock makes a draft final.
    fn title_page(&self, lines: &[&str]) -> Vec<String> {
        let mut out: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        let at = out.iter().position(|line| line.starts_with(STATUS)).unwrap_or(out.len());
        let date = self.created.and_then(day).map(|day| format!("Date: {day}"));
        if let Some(lock) = &self.lock {
            if at < out.len() {
                out.remove(at);
            }
            out.push(format!("{STATUS}final, {}", locked(lock)));
            out.push(format!("SHA-256 of the text: {}", lock.sha256));
        }
        if let Some(date) = date {
            out.insert(at, date);
        }
        out
    }

    /// As Markdown, with the lock below the title.
    pub fn markdown(&self) -> String {
        let text = match self.exhibits.list() {
            [] => self.text.clone(),
            [..] => restyled(&self.text, &self.exhibits),
        };
        match (self.lock.as_ref().map(lock_line), text.split_once('\n')) {
            (Some(lock), Some((title, rest))) => format!("{title}\n\n> {lock}\n{rest}"),
            (Some(_) | None, _) => text,
        }
    }

    /// For the window: marks of footnotes as links, and the footnotes with the citation that each one names.
    pub fn shown(&self, citations: &[Citation]) -> MainDocument {
        let Parts { title, lines, body, .. } = parts(&self.text);
        let case = HeadingCase::learn(&self.text);
        let (mut text, mut footnotes) = (Vec::new(), Vec::new());
        for line in body.lines() {
            match definition(line) {
                Some((number, note)) => footnotes.push(NoteRow {
                    number,
                    citation: cited(note, citations).and_then(|number| u32::try_from(number).ok()),
                    text: linked(note),
                }),
                None => text.push(linked(&case.line(line))),
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
}

/// The list of contents is left out: files and the window have their own. So is a heading that has nothing but
/// definitions of footnotes below it: these stand at the foot of pages.
fn parts(text: &str) -> Parts<'_> {
    let (page, text) = text.split_once("\n---\n").unwrap_or(("", text));
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

/// The words of a line in bold.
fn marking(line: &str) -> Option<&str> {
    line.strip_prefix(MARKED)?
        .strip_suffix(MARKED)
        .filter(|words| !words.is_empty() && !words.contains(MARKED))
}

/// Who stands by a document, for the lines below its title.
pub fn lock_line(lock: &DocumentLock) -> String {
    format!("{}. SHA-256 of the text: {}", sentence(&locked(lock)), lock.sha256)
}

/// Which version was locked by whom and when.
fn locked(lock: &DocumentLock) -> String {
    let on = day(lock.at).map(|day| format!(" on {day}")).unwrap_or_default();
    format!("locked as version {} by {}{on}", lock.version, lock.reviewer)
}

/// The day of a time in milliseconds since 1970, in words.
pub fn day(at: i64) -> Option<String> {
    Some(jiff::Timestamp::from_millisecond(at).ok()?.strftime("%-d %B %Y").to_string())
}

/// The same as files with pages note it.
pub fn instant(at: i64) -> Option<String> {
    Some(jiff::Timestamp::from_millisecond(at).ok()?.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// A line of a title page: what stands before its colon names the rest.
fn labelled(line: &str) -> Vec<Run> {
    match line.split_once(": ") {
        Some((label, value)) if label.chars().count() <= MAX_LABEL => {
            vec![Run::bold(format!("{label}: ")), Run::text(value)]
        }
        Some(_) | None => vec![Run::text(line)],
    }
}

/// Keeps the numbers of footnotes that are marked beside each other apart.
fn apart(runs: &mut Vec<Run>) {
    let is_mark = |run: &Run| matches!(run.content, RunContent::NoteMark(_));
    let pairs: Vec<usize> =
        (1..runs.len()).filter(|at| is_mark(&runs[at - 1]) && is_mark(&runs[*at])).collect();
    for at in pairs.into_iter().rev() {
        runs.insert(at, Run::styled(",", Format { raised: true, ..Format::default() }));
    }
}

/// A footnote names another one by its number in the line.
fn in_words(run: &mut Run) {
    if let RunContent::NoteMark(note) = run.content {
        run.content = RunContent::NoteNumber(note);
    }
}

/// Words in the form of a sentence's beginning.
fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Gives headings of the second level below a numbered one the next number of their own: `IV.D.2. Ownership`.
fn number(blocks: &mut [Block]) {
    let (mut above, mut count) = (String::new(), 0);
    for block in blocks {
        let Block::Heading { level, runs, .. } = block else { continue };
        match level {
            HeadingLevel::First => {
                let text = docx::plain_text(runs);
                let first = text.split_whitespace().next().unwrap_or_default();
                (above, count) = (if is_number(first) { first.to_owned() } else { String::new() }, 0);
            }
            HeadingLevel::Second if !above.is_empty() => {
                count += 1;
                runs.insert(0, Run::text(format!("{above}{count}. ")));
            }
            HeadingLevel::Second | HeadingLevel::Third | HeadingLevel::Fourth => {}
        }
    }
}

/// Whether a word is the number of a heading: `IV.D.`, `2.1.`, `A.`, but not `U.S.`.
fn is_number(word: &str) -> bool {
    let Some(number) = word.strip_suffix('.').filter(|_| word.len() <= MAX_NUMBER) else { return false };
    let is_counted = |part: &str| {
        let has = |signs: &str| !part.is_empty() && part.chars().all(|c| signs.contains(c));
        has("0123456789") || has("IVXLCDM")
    };
    let is_part =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    match number.split_once('.') {
        Some((first, rest)) => is_counted(first) && rest.split('.').all(is_part),
        None => is_counted(number) || (number.len() == 1 && is_part(number)),
    }
}

/// The longest words before a colon that name what follows, in characters.
const MAX_LABEL: usize = 24;
/// The longest number of a heading, in bytes.
const MAX_NUMBER: usize = 10;

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
pub(crate) fn definition(line: &str) -> Option<(u32, &str)> {
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
        let shown = MainText::of(TEXT.to_owned()).shown(&[]);
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
        let lock = DocumentLock {
            version: 1,
            reviewer: "R. Holt".to_owned(),
            note: None,
            at: 86_400_000,
            sha256: "ab12".to_owned(),
            differs: false,
            accepted: Vec::new(),
            removed: None,
        };
        let text = TEXT.replace("Larkspur", "Larkspur\n\nStatus: draft, not signed");
        let text = MainText { lock: Some(lock), created: Some(0), ..MainText::of(text) };
        let markdown = text.markdown();
        assert!(
            markdown.starts_with("# Memo\n\n> Locked as version 1 by R. Holt on 2 January 1970. SHA-256")
        );
        let pages = text.pages();
        let lines: Vec<String> = pages.subtitle.iter().map(|line| docx::plain_text(line)).collect();
        assert_eq!(
            lines,
            [
                "Target: Larkspur",
                "Date: 1 January 1970",
                "Status: final, locked as version 1 by R. Holt on 2 January 1970",
                "SHA-256 of the text: ab12",
            ]
        );
        assert_eq!(pages.footer, "Final, locked as version 1 by R. Holt on 2 January 1970");
        assert_eq!(pages.created.as_deref(), Some("1970-01-01T00:00:00Z"));
    }

    #[test]
    fn footnotes_stand_apart_and_name_each_other_in_the_line() {
        let text = TEXT.replace("leave.[^1]", "leave.[^1][^2]");
        let pages = MainText::of(text).pages();
        let kinds = |runs: &[Run]| -> String {
            let signs = runs.iter().map(|run| match &run.content {
                RunContent::NoteMark(index) => format!("^{}", index + 1),
                RunContent::NoteNumber(index) => format!("note {}", index + 1),
                RunContent::Text(words) => words.clone(),
                RunContent::Break => String::new(),
            });
            signs.collect()
        };
        let said = pages.blocks.iter().find_map(|block| match block {
            Block::Paragraph(one) => Some(kinds(&one.runs)).filter(|words| words.contains("leave")),
            _ => None,
        });
        assert!(said.unwrap().contains("leave.^1,^2 So"));
        let Block::Paragraph(note) = &pages.notes[1].blocks[0] else { panic!("{:?}", pages.notes[1]) };
        assert!(kinds(&note.runs).contains("the words of note note 1 [VERIFIED]"), "{}", kinds(&note.runs));
    }

    #[test]
    fn a_line_in_bold_on_the_title_page_stands_at_the_head_of_every_page() {
        let pages = MainText::of(TEXT.replace("Target", "**Privileged**\n\nTarget")).pages();
        assert_eq!((pages.marking.as_str(), pages.head().as_str()), ("Privileged", "Privileged \u{b7} Memo"));
        let lines: Vec<String> = pages.subtitle.iter().map(|line| docx::plain_text(line)).collect();
        assert_eq!(lines, ["Target: Larkspur"]);
        let html = crate::to_html(&pages).unwrap();
        assert!(html.contains("<p class=\"notice\" dir=\"auto\">Privileged</p>\n<h1"), "{html}");
        assert!(MainText::of(TEXT.to_owned()).pages().marking.is_empty());
    }

    #[test]
    fn an_abbreviation_is_no_number_of_a_heading() {
        for number in ["I.", "IV.D.", "IV.D.2.", "12.", "2.1.", "A."] {
            assert!(is_number(number), "{number}");
        }
        for word in ["U.S.", "E.U.", "SEC.", "No.", "IV", ".", "I..", "", "MMMMMMMMMM."] {
            assert!(!is_number(word), "{word}");
        }
    }

    #[test]
    fn a_memorandum_has_a_title_page_and_numbers_below_its_numbers() {
        let text =
            TEXT.replace("The customer may", "### In short\n\nWords.\n\n### Leaving\n\nThe customer may");
        let pages = MainText::of(text).pages();
        assert!(pages.has_cover());
        let headings: Vec<String> = pages
            .blocks
            .iter()
            .filter_map(|block| match block {
                Block::Heading { runs, .. } => Some(docx::plain_text(runs)),
                _ => None,
            })
            .collect();
        assert_eq!(headings, ["I. Rights", "I.1. In short", "I.2. Leaving"]);
    }
}
