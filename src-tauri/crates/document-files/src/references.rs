//! The form in which a signed file cites: the text has the marks of footnotes, a footnote names the exhibit and the place in it, and an
//! appendix lists the exhibits. What a run put together names files instead, which is what its checks read; nothing of that changes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use answers::{Exhibits, HeadingCase, exhibit_label};

use crate::main_text::definition;

/// The heading of the appendix.
const APPENDIX: &str = "Appendix. Documents reviewed";
/// The heading of a list of sources that a text has itself.
const SOURCES: &str = "## Sources";
/// How the line begins that has the digest of everything that was read.
const DIGEST_LINE: &str = "SHA-256 of the text of all documents";
/// What the tags at the end of footnotes say.
const TAGS: &str = "VERIFIED at the end of a footnote says that code found the quoted words in the exhibit, word for word; what \
    follows says how the statement rests on them. UNVERIFIED says that this was not confirmed. Neither replaces reading the exhibit.";
/// The characters of a digest that the appendix shows.
const DIGEST_CHARS: usize = 12;
/// Footnotes that the appendix names for an exhibit; it counts the others.
const MAX_NOTES: usize = 12;
/// What ends the reference at the beginning of a footnote.
const ENDS: [&str; 4] = [": \u{201c}", ": the words of note [^", " [VERIFIED", " [UNVERIFIED"];
/// Heads of columns that name documents.
pub(crate) const COLUMNS: [&str; 2] = ["Document", "Documents"];

/// A text with its headings, references and tables in the form of a signed file, and the documents that were read as an appendix.
pub(crate) fn restyled(text: &str, exhibits: &Exhibits) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut notes = BTreeMap::new();
    let mut uses: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (number, note) in lines.iter().filter_map(|line| definition(line)) {
        let (reference, rest) = split_note(note);
        if let Some((exhibit, place)) = exhibits.pinpoint(reference) {
            uses.entry(exhibit).or_default().push(number);
            notes.insert(number, Pinned { reference, exhibit, place, rest });
        }
    }
    let mut style = Style { exhibits, case: HeadingCase::default(), notes, digest: None };
    // The places of references, which may be headings, do not show how a word is written.
    let prose = lines.iter().filter(|line| definition(line).is_none()).map(|line| style.marks(line));
    style.case = HeadingCase::learn(&prose.collect::<Vec<_>>().join("\n"));
    let mut out = style.lines(&lines, &uses);
    if !exhibits.list().is_empty() {
        style.append(&mut out, &uses);
    }
    let mut text = out.join("\n");
    text.push('\n');
    text
}

/// A text that lists its sources itself, with numbers in the list, and with these in its footnotes: `4.1 (Source 2, page 7)`. The first
/// footnote of a source has its title, too.
pub(crate) fn numbered(text: &str) -> Cow<'_, str> {
    let lines: Vec<&str> = text.lines().collect();
    let Some(heading) = lines.iter().rposition(|line| *line == SOURCES) else { return Cow::Borrowed(text) };
    let from = heading + 1 + lines[heading + 1..].iter().take_while(|line| line.is_empty()).count();
    let end = from + lines[from..].iter().take_while(|line| line.starts_with("- ")).count();
    // The address stands in brackets behind the title.
    let titles: Vec<&str> = lines[from..end]
        .iter()
        .map(|line| line[2..].rsplit_once(" (").map_or(&line[2..], |(title, _)| title))
        .collect();
    let mut named = BTreeSet::new();
    let mut out: Vec<String> = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        if (from..end).contains(&at) {
            out.push(format!("{}. {}", at - from + 1, &line[2..]));
            continue;
        }
        let source =
            definition(line).and_then(|_| {
                let of = |title: &&str| titles.iter().filter(|other| *other == title).count() == 1;
                let found = |title: &&str| {
                    // Not in the quotation behind it.
                    let start = split_note(line).0.find(&format!("({title}"))? + 1;
                    let rest = &line[start + title.len()..];
                    rest.starts_with([')', ',']).then_some((start, rest))
                };
                titles.iter().enumerate().filter(|(_, title)| of(title)).find_map(|(source, title)| {
                    found(title).map(|(start, rest)| (source, *title, start, rest))
                })
            });
        out.push(match source {
            Some((source, title, start, rest)) => {
                let title = if named.insert(source) { format!(", {title}") } else { String::new() };
                format!("{}Source {}{title}{rest}", &line[..start], source + 1)
            }
            None => (*line).to_owned(),
        });
    }
    Cow::Owned(format!("{}\n", out.join("\n")))
}

/// A footnote that names an exhibit.
struct Pinned<'t> {
    /// As the text names it.
    reference: &'t str,
    exhibit: usize,
    place: String,
    /// What follows the reference.
    rest: &'t str,
}

struct Style<'t> {
    exhibits: &'t Exhibits,
    case: HeadingCase,
    /// Footnotes that name an exhibit, by their numbers.
    notes: BTreeMap<u32, Pinned<'t>>,
    /// The line with the digest of everything that was read.
    digest: Option<&'t str>,
}

impl<'t> Style<'t> {
    fn lines(&mut self, lines: &[&'t str], uses: &BTreeMap<usize, Vec<u32>>) -> Vec<String> {
        let mut out: Vec<String> = Vec::with_capacity(lines.len());
        // Columns that name documents, of the table that is being read.
        let mut columns: Option<BTreeSet<usize>> = None;
        let mut at = 0;
        let mut is_code = false;
        while let Some(line) = lines.get(at) {
            at += 1;
            let is_fence = line.starts_with("```");
            is_code ^= is_fence;
            if is_code || is_fence {
                out.push((*line).to_owned());
                continue;
            }
            if !line.starts_with('|') {
                columns = None;
            }
            let shown = if let Some((number, note)) = definition(line) {
                format!("[^{number}]: {}", self.note(number, note, uses))
            } else if line.starts_with('#') {
                if let Some(end) = self.register(lines, at) {
                    at = end;
                    continue;
                }
                self.case.line(line).into_owned()
            } else if line.starts_with('|') {
                let cells = cells(line);
                let named = columns.get_or_insert_with(|| {
                    (0..cells.len()).filter(|column| COLUMNS.contains(&cells[*column])).collect()
                });
                self.marks(&self.row(line, &cells, named))
            } else {
                self.marks(line)
            };
            out.push(docx::nested_quotes(&shown).into_owned());
        }
        out
    }

    /// The end of a table of documents with their titles, which the appendix replaces.
    fn register(&mut self, lines: &[&'t str], after: usize) -> Option<usize> {
        let next = |from: usize| (from..lines.len()).find(|at| !lines[*at].trim().is_empty());
        let table = next(after)?;
        if !cells(lines[table]).starts_with(&["Document", "Title"]) {
            return None;
        }
        let first = table + 2;
        let rows = lines.get(first..)?.iter().take_while(|line| line.starts_with('|')).count();
        let mut end = first + rows;
        let known = |line: &&str| {
            cells(line)
                .first()
                .is_some_and(|name| self.exhibits.find(name).is_some_and(|(_, rest)| rest.is_empty()))
        };
        if rows == 0 || !lines[first..end].iter().all(known) {
            return None;
        }
        if let Some(digest) = next(end).filter(|at| lines[*at].starts_with(DIGEST_LINE)) {
            self.digest = Some(lines[digest]);
            end = digest + 1;
        }
        Some(next(end).unwrap_or(end))
    }

    /// A row with exhibits in place of files.
    fn row<'l>(&self, line: &'l str, cells: &[&str], named: &BTreeSet<usize>) -> Cow<'l, str> {
        let exhibits: BTreeMap<usize, String> =
            named.iter().filter_map(|at| Some((*at, self.named_in(cells.get(*at)?)?))).collect();
        if exhibits.is_empty() {
            return Cow::Borrowed(line);
        }
        let shown = cells
            .iter()
            .enumerate()
            .map(|(at, cell)| format!(" {} |", exhibits.get(&at).map_or(*cell, String::as_str)));
        Cow::Owned(format!("|{}", shown.collect::<String>()))
    }

    /// The exhibits of a list of files; `None` where one of them is no exhibit.
    fn named_in(&self, cell: &str) -> Option<String> {
        let label = |name: &str| {
            let (number, page) = self.exhibits.find(name)?;
            let is_place = page.is_empty() || page.starts_with(" p. ");
            is_place.then(|| format!("{}{page}", exhibit_label(number)))
        };
        let labels: Option<Vec<String>> = cell.split(", ").map(label).collect();
        Some(labels?.join(", "))
    }

    /// A footnote: the exhibit, at its first note with title and file, the place, and what follows.
    fn note(&self, number: u32, note: &str, uses: &BTreeMap<usize, Vec<u32>>) -> String {
        let Some(Pinned { exhibit, place, rest, .. }) = self.notes.get(&number) else {
            return note.to_owned();
        };
        let mut out = exhibit_label(*exhibit);
        let is_first = uses.get(exhibit).is_some_and(|notes| notes.first() == Some(&number));
        if let Some(one) = self.exhibits.list().get(exhibit - 1).filter(|_| is_first) {
            out.push_str(&format!(" ({})", escaped(&one.short_name(&self.case))));
        }
        if !place.is_empty() {
            out.push_str(&format!(", {}", self.case.display(place)));
        }
        match rest.strip_prefix(": the words of note ") {
            Some(rest) => out.push_str(&format!(", as quoted in note {rest}")),
            None => out.push_str(rest),
        }
        out
    }

    /// A line whose references stand in its footnotes alone; a quotation that does not say whose words it has keeps the exhibit.
    fn marks(&self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("[^") {
            out.push_str(before);
            if let Some(note) =
                after.split_once(']').and_then(|(number, _)| self.notes.get(&number.parse().ok()?))
                && let Some(start) = reference_start(&out, note.reference)
            {
                out.truncate(start);
                out.push_str(&format!(" ({})", exhibit_label(note.exhibit)));
            }
            out.push_str("[^");
            rest = after;
        }
        out.push_str(rest);
        out
    }

    /// Adds the list of exhibits before the footnotes, and names it in the contents.
    fn append(&self, out: &mut Vec<String>, uses: &BTreeMap<usize, Vec<u32>>) {
        let is_blank = |line: &String| line.trim().is_empty();
        let notes = out.iter().position(|line| definition(line).is_some());
        let mut end = notes.unwrap_or(out.len());
        end -= out[..end].iter().rev().take_while(|line| is_blank(line)).count();
        let last = end.checked_sub(1).and_then(|last| out.get(last));
        if last.is_some_and(|line| line.starts_with(if notes.is_some() { "#" } else { "END OF " })) {
            end -= 1;
        }
        let list = self.exhibits.list();
        let has_dates = list.iter().any(|one| !one.date.is_empty());
        let has_pages = list.iter().any(|one| one.pages.is_some());
        let line = |cells: [Option<&str>; 6]| {
            format!("|{}", cells.into_iter().flatten().map(|cell| format!(" {cell} |")).collect::<String>())
        };
        let mut lines = vec![format!("## {APPENDIX}"), String::new(), self.exhibits.scope(), String::new()];
        if self.notes.values().any(|note| note.rest.contains("[VERIFIED")) {
            lines.extend([TAGS.to_owned(), String::new()]);
        }
        if end.checked_sub(1).and_then(|last| out.get(last)).is_some_and(|line| !is_blank(line)) {
            lines.insert(0, String::new());
        }
        lines.push(line([
            Some("Exhibit"),
            Some("Document"),
            when(has_dates, "Date"),
            when(has_pages, "Pages"),
            Some("Notes"),
            Some("SHA-256"),
        ]));
        lines.push(line([
            Some("---"),
            Some("---"),
            when(has_dates, "---"),
            when(has_pages, "---:"),
            Some("---"),
            Some("---"),
        ]));
        for (at, one) in list.iter().enumerate() {
            let number = at + 1;
            let count = one.pages.map(|count| count.to_string()).unwrap_or_default();
            let digest: String = one.sha256.chars().take(DIGEST_CHARS).collect();
            let cited = uses.get(&number).map_or_else(|| "not cited".to_owned(), |notes| ranges(notes));
            let (label, name, date) =
                (exhibit_label(number), escaped(&one.name(&self.case)), escaped(&one.date));
            lines.push(line([
                Some(label.as_str()),
                Some(name.as_str()),
                when(has_dates, &date),
                when(has_pages, &count),
                Some(cited.as_str()),
                Some(digest.as_str()),
            ]));
        }
        if let Some(digest) = self.digest {
            lines.extend([String::new(), digest.to_owned()]);
        }
        lines.push(String::new());
        out.splice(end..end, lines);
        // The list of contents of the text.
        if let Some(contents) = out.iter().position(|line| line == "## Contents") {
            let listed = out[contents + 1..]
                .iter()
                .take_while(|line| is_blank(line) || line.starts_with("- ["))
                .count();
            let mut end = contents + 1 + listed;
            end -= out[..end].iter().rev().take_while(|line| is_blank(line)).count();
            out.insert(end, format!("- [{APPENDIX}](#appendix-documents-reviewed)"));
        }
    }
}

/// A cell of a column that there may be.
fn when(is_there: bool, cell: &str) -> Option<&str> {
    is_there.then_some(cell)
}

/// The reference that a footnote begins with, and the rest.
fn split_note(note: &str) -> (&str, &str) {
    let end = ENDS.iter().filter_map(|end| note.find(end)).min().unwrap_or(note.len());
    note.split_at(end)
}

/// Where the reference in brackets begins with which a text ends, its blank included.
fn reference_start(text: &str, reference: &str) -> Option<usize> {
    let inside = text.strip_suffix(')')?;
    inside.rmatch_indices(" (").map(|(at, _)| at).find(|at| {
        let words = &inside[at + 2..];
        words == reference || words.replace('\\', "").replace("&lt;", "<").replace("&amp;", "&") == reference
    })
}

/// The cells of a row.
fn cells(line: &str) -> Vec<&str> {
    let inside = line.trim().trim_start_matches('|');
    let inside = inside.strip_suffix('|').unwrap_or(inside);
    let (mut cells, mut from) = (Vec::new(), 0);
    for (at, _) in inside.match_indices('|') {
        if !inside[..at].ends_with('\\') {
            cells.push(inside[from..at].trim());
            from = at + 1;
        }
    }
    cells.push(inside[from..].trim());
    cells
}

/// Words of others, in Markdown.
fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for c in words.split_whitespace().collect::<Vec<_>>().join(" ").chars() {
        if matches!(c, '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '~') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Numbers as one writes them: `1, 3-5`.
fn ranges(numbers: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for number in numbers.iter().copied().collect::<BTreeSet<u32>>() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            Some(_) | None => runs.push((number, number)),
        }
    }
    let shown = runs.iter().take(MAX_NOTES).map(|(first, last)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}\u{2013}{last}"),
    });
    let more = runs.iter().skip(MAX_NOTES).map(|(first, last)| last - first + 1).sum::<u32>();
    let and_more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{and_more}", shown.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use answers::Exhibit;

    use super::*;

    const TEXT: &str = "# Memo\n\nTarget: Larkspur\n\n---\n\n## Contents\n\n- [I. Rights](#i-rights)\n\n## I. Rights\n\n### CHANGE OF CONTROL\n\n\
        - \u{201c}The customer may leave.\u{201d} (orchard_a.pdf.md, 2.1 (a))[^1]\n- \u{201c}It may.\u{201d} (orchard\\_a.pdf.md, TERMINATION \u{b6}1)[^2]\n\n\
        A change is a change[^3] (it is said).[^9]\n\n| Fact | Value | Documents |\n|---|---|---|\n| Fee | $1 | orchard_a.pdf, schedule p. 3 |\n\
        | Day | 2 | elsewhere |\n\n### Documents cited\n\n| Document | Title | Passages cited |\n|---|---|---:|\n\
        | orchard_a.pdf | MASTER AGREEMENT | 2 |\n\nSHA-256 of the text of all documents that were read: ab12\n\n### More\n\nWords.\n\n\
        ## Footnotes\n\n[^1]: orchard_a.pdf.md, 2.1 (a): \u{201c}\u{201c}The customer\u{201d} may leave\u{201d} [VERIFIED; statement quoted word for word]\n\
        [^2]: orchard_a.pdf.md, TERMINATION \u{b6}1: the words of note [^1] [VERIFIED]\n[^3]: schedule.md, page 4 [UNVERIFIED]\n[^9]: A letter: \u{201c}x\u{201d}\n\nEND OF MEMO\n";

    fn exhibits() -> Exhibits {
        let one = |file: &str, title: &str, date: &str, pages: Option<u32>| Exhibit {
            file: file.to_owned(),
            title: title.to_owned(),
            date: date.to_owned(),
            pages,
            sha256: "0123456789abcdef".to_owned(),
            ..Exhibit::default()
        };
        Exhibits::all(vec![
            Exhibit {
                aliases: vec!["orchard_a.pdf.md".to_owned()],
                distinction: "with Orchard Foods".to_owned(),
                ..one("orchard_a.pdf", "MASTER AGREEMENT", "March 1, 2025", None)
            },
            one("schedule.md", "", "", Some(9)),
            Exhibit { copies: vec!["copy.md".to_owned()], ..one("unread.md", "", "", None) },
        ])
        .with_section_form(Some("s. {section}".to_owned()))
    }

    #[test]
    fn the_text_has_marks_and_the_footnotes_have_the_references() {
        let text = restyled(TEXT, &exhibits());
        for wanted in [
            "### Change of Control\n",
            "- \u{201c}The customer may leave.\u{201d} (Ex.\u{a0}1)[^1]\n- \u{201c}It may.\u{201d} (Ex.\u{a0}1)[^2]\n",
            "A change is a change[^3] (it is said).[^9]\n",
            "| Fee | $1 | Ex.\u{a0}1, Ex.\u{a0}2 p. 3 |\n| Day | 2 | elsewhere |\n",
            "[^1]: Ex.\u{a0}1 (Master Agreement with Orchard Foods, orchard_a.pdf), s. 2.1 (a): \u{201c}\u{2018}The customer\u{2019} may leave\u{201d} [VERIFIED; statement quoted word for word]\n",
            "[^2]: Ex.\u{a0}1, Termination \u{b6}1, as quoted in note [^1] [VERIFIED]\n",
            "[^3]: Ex.\u{a0}2 (schedule.md), page 4 [UNVERIFIED]\n[^9]: A letter: \u{201c}x\u{201d}\n",
        ] {
            assert!(text.contains(wanted), "{wanted}\n{text}");
        }
    }

    #[test]
    fn an_appendix_lists_what_was_reviewed_in_place_of_what_was_cited() {
        let text = restyled(TEXT, &exhibits());
        assert!(!text.contains("Documents cited"), "{text}");
        assert!(text.contains("- [I. Rights](#i-rights)\n- [Appendix. Documents reviewed](#appendix-documents-reviewed)\n\n## I."), "{text}");
        assert!(
            text.contains(
                "### More\n\nWords.\n\n## Appendix. Documents reviewed\n\nThe review covered the 3 documents listed here and nothing else. "
            ),
            "{text}"
        );
        assert!(
            text.contains(
                "| Exhibit | Document | Date | Pages | Notes | SHA-256 |\n| --- | --- | --- | ---: | --- | --- |\n\
                 | Ex.\u{a0}1 | Master Agreement with Orchard Foods (orchard_a.pdf) | March 1, 2025 |  | 1, 2 | 0123456789ab |\n\
                 | Ex.\u{a0}2 | schedule.md |  | 9 | 3 | 0123456789ab |\n\
                 | Ex.\u{a0}3 | unread.md, the same as copy.md |  |  | not cited | 0123456789ab |\n\n\
                 SHA-256 of the text of all documents that were read: ab12\n\n## Footnotes\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn code_stays() {
        let text = "## THE CHANGES\n\n```\n# MAKE THE FILES\n```\n";
        assert_eq!(restyled(text, &exhibits()).lines().nth(3), Some("# MAKE THE FILES"));
    }

    #[test]
    fn without_known_documents_only_headings_change() {
        let text = restyled(TEXT, &Exhibits::default());
        let quoted = ["\u{201c}\u{201c}The customer\u{201d}", "\u{201c}\u{2018}The customer\u{2019}"];
        let expected = TEXT.replace("### CHANGE OF CONTROL", "### Change of Control");
        assert_eq!(text, expected.replace(quoted[0], quoted[1]));
    }

    #[test]
    fn sources_that_a_text_lists_have_numbers_in_its_footnotes() {
        let text = "# Report\n\nA.[^1] B.[^2] C.[^3]\n\n## Sources\n\n- Guide (v2) (kb:a/guide, SHA-256 ab)\n- Other (https://x.example/)\n\n\
            [^1]: 4.1 (Guide (v2)): \u{201c}a\u{201d} [c1]\n[^2]: 4.2 (Guide (v2), page 7): \u{201c}b\u{201d} [c2]\n[^3]: (Others) [c3]\n";
        assert_eq!(
            numbered(text),
            "# Report\n\nA.[^1] B.[^2] C.[^3]\n\n## Sources\n\n1. Guide (v2) (kb:a/guide, SHA-256 ab)\n2. Other (https://x.example/)\n\n\
             [^1]: 4.1 (Source 1, Guide (v2)): \u{201c}a\u{201d} [c1]\n[^2]: 4.2 (Source 1, page 7): \u{201c}b\u{201d} [c2]\n[^3]: (Others) [c3]\n"
        );
        assert_eq!(numbered(TEXT), TEXT);
    }

    #[test]
    fn many_notes_are_counted() {
        assert_eq!(ranges(&[1, 2, 4, 5, 6, 9]), "1, 2, 4\u{2013}6, 9");
        let odd: Vec<u32> = (0..20).map(|at| 2 * at + 1).collect();
        assert!(ranges(&odd).ends_with(", 23 and 8 more"), "{}", ranges(&odd));
    }
}
