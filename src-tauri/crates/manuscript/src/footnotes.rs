//! Footnotes: extraction, numbers over the whole document, the consolidated list.
//!
//! A mark is `[^label]`, a footnote the line `[^label]: text` with the lines that continue it. Labels belong to their
//! part. Numbers are a function of the parts alone: nothing is counted on from a stored number.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::parts::{Note, Part};
use crate::pattern::{Pattern, any};
use crate::text::{code_spans, heading, prose};

/// What is tested of footnotes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoteRubric {
    /// One of these matches in a footnote that names its place. None: places are not tested.
    pub pincites: Vec<Pattern>,
    /// Footnotes in which one of these matches need no place and no tag.
    pub exempt: Vec<Pattern>,
    /// One of these matches in a footnote with a tag of verification. None: tags are not tested.
    pub tags: Vec<Pattern>,
    /// Places that are still to be filled.
    pub placeholders: Vec<Pattern>,
    /// References to footnotes in words, with the label in the group `label`: `note (?<label>\d+)`. They are renumbered
    /// with the marks.
    pub note_references: Vec<Pattern>,
}

/// A numbered footnote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NoteRow {
    /// Its number in the document, from one.
    pub number: u32,
    /// The part.
    pub part: String,
    /// Its label before.
    pub label: String,
    /// Its text in one line.
    pub text: String,
}

/// What a part's footnotes came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PartNotes {
    /// The part.
    pub part: String,
    /// Its footnotes.
    pub footnotes_extracted: u32,
    /// The highest number so far.
    pub last_global_number: u32,
}

/// A document with footnotes numbered throughout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteNumbers {
    /// The parts: no footnote stands in a text, each label is the number.
    pub parts: Vec<Part>,
    /// The footnotes in order.
    pub rows: Vec<NoteRow>,
    /// What each part contributed, in order.
    pub sections: Vec<PartNotes>,
    /// Missing, unused, doubled and empty footnotes.
    pub faults: Vec<Fault>,
}

static DEFINITION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^ {0,3}\[\^([\p{L}\p{N}_][\p{L}\p{N}_.\-]{0,63})\]:[ \t]*(.*)$").ok());
static MARKER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[\^(\??)([\p{L}\p{N}_][\p{L}\p{N}_.\-]{0,63})\]").ok());

/// Moves the footnotes of a part's text beside it.
///
/// A heading that stood over footnotes alone goes with them. Taking them out twice changes nothing.
pub fn extract(part: &Part) -> Part {
    let lines = prose(&part.markdown).lines;
    let mut notes: Vec<Note> = Vec::new();
    let mut cut: Vec<Range<usize>> = Vec::new();
    // Whether the footnote goes on in the next line, and the blank lines since.
    let mut open = false;
    let mut blank = false;
    let mut last = 0;
    for line in &lines {
        let text_end = line.start + line.text.len();
        let end = text_end + end_of_line(&part.markdown, text_end);
        // A fence between two lines ends the footnote.
        open &= line.number == last + 1;
        last = line.number;
        let found = DEFINITION.as_ref().and_then(|definition| definition.captures(line.text));
        if let Some(found) = found {
            notes.push(Note { label: found[1].to_owned(), text: found[2].trim().to_owned() });
            cut.push(line.start..end);
            (open, blank) = (true, false);
            continue;
        }
        if !open {
            continue;
        }
        if line.text.trim().is_empty() {
            blank = true;
            continue;
        }
        let indented = line.text.starts_with("  ") || line.text.starts_with('\t');
        let begins = heading(line.text).is_some() || line.text.trim_start().starts_with("---");
        if indented || !(blank || begins) {
            if let Some(note) = notes.last_mut() {
                let _ = write!(note.text, " {}", line.text.trim());
            }
            cut.push(line.start..end);
            blank = false;
        } else {
            open = false;
        }
    }
    if cut.is_empty() {
        return part.clone();
    }
    cut.extend(bare_headings(&part.markdown, &cut));
    cut.sort_by_key(|range| range.start);
    let mut markdown = String::with_capacity(part.markdown.len());
    let mut from = 0;
    for range in cut {
        push_joined(&mut markdown, &part.markdown[from.min(range.start)..range.start]);
        from = from.max(range.end);
    }
    push_joined(&mut markdown, &part.markdown[from..]);
    let kept = markdown.trim_end().len();
    markdown.truncate(kept);
    if !markdown.is_empty() {
        markdown.push('\n');
    }
    let footnotes = part.footnotes.iter().cloned().chain(notes).collect();
    Part { markdown, footnotes, ..part.clone() }
}

/// Appends what follows a cut, with one blank line where the cut left several.
fn push_joined(text: &mut String, rest: &str) {
    let is_blank = text.is_empty() || text.ends_with("\n\n") || text.ends_with("\n\r\n");
    text.push_str(if is_blank { rest.trim_start_matches(['\n', '\r']) } else { rest });
}

fn end_of_line(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at.min(text.len())..];
    rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |newline| newline + 1)
}

/// Headings whose whole text is cut.
fn bare_headings(markdown: &str, cut: &[Range<usize>]) -> Vec<Range<usize>> {
    let lines = prose(markdown).lines;
    let heads: Vec<usize> = (0..lines.len()).filter(|&at| heading(lines[at].text).is_some()).collect();
    let mut bare = Vec::new();
    for (nth, &at) in heads.iter().enumerate() {
        let end = heads.get(nth + 1).map_or(markdown.len(), |&next| lines[next].start);
        let begin = lines[at].start + lines[at].text.len();
        let begin = begin + end_of_line(markdown, begin);
        let inside = cut[cut.partition_point(|range| range.start < begin)..].iter();
        let inside = inside.take_while(|range| range.end <= end);
        let mut left = begin;
        let mut is_bare = false;
        for range in inside {
            is_bare = (is_bare || left == begin) && markdown[left..range.start].trim().is_empty();
            left = range.end;
            if !is_bare {
                break;
            }
        }
        if is_bare && markdown[left.min(end)..end].trim().is_empty() {
            bare.push(lines[at].start..begin);
        }
    }
    bare
}

/// Numbers the footnotes of a document from one, in the order of their marks, part by part.
///
/// Footnotes that no mark names follow those of their part. A mark without a footnote becomes `[^?label]`, so that no
/// later number can be mistaken for it. NoteNumbers twice changes nothing.
pub fn renumber(parts: &[Part], rubric: &NoteRubric) -> NoteNumbers {
    let mut numbering =
        NoteNumbers { parts: Vec::new(), rows: Vec::new(), sections: Vec::new(), faults: Vec::new() };
    let mut last = 0;
    for part in parts {
        let part = extract(part);
        let mut entries: BTreeMap<&str, usize> = BTreeMap::new();
        for (at, note) in part.footnotes.iter().enumerate() {
            if entries.contains_key(note.label.as_str()) {
                let fault =
                    Fault::new(Location::at(&part.id), Rule::NoteDuplicate, format!("[^{}]", note.label));
                numbering.faults.push(fault);
            } else {
                entries.insert(&note.label, at);
            }
            if note.text.trim().is_empty() {
                let fault = Fault::new(Location::at(&part.id), Rule::NoteEmpty, format!("[^{}]", note.label));
                numbering.faults.push(fault);
            }
        }
        let mut order: Vec<usize> = Vec::new();
        let mut is_used = vec![false; part.footnotes.len()];
        for mark in marks(&part.markdown) {
            match entries.get(mark.label).filter(|_| !mark.missing) {
                Some(&at) if is_used[at] => {}
                Some(&at) => {
                    is_used[at] = true;
                    order.push(at);
                }
                None => numbering.faults.push(Fault::new(
                    Location::line(&part.id, mark.line),
                    Rule::NoteMissing,
                    format!("[^{}]", mark.label),
                )),
            }
        }
        for note in &part.footnotes {
            let lost = marks(&note.text)
                .into_iter()
                .filter(|mark| mark.missing || !entries.contains_key(mark.label));
            let place = || Location::at(format!("{}[^{}]", part.id, note.label));
            let fault = |mark: Mark<'_>| Fault::new(place(), Rule::NoteMissing, format!("[^{}]", mark.label));
            numbering.faults.extend(lost.map(fault));
        }
        for (at, note) in part.footnotes.iter().enumerate().filter(|(at, _)| !is_used[*at]) {
            order.push(at);
            let fault = Fault::new(Location::at(&part.id), Rule::NoteUnused, format!("[^{}]", note.label));
            numbering.faults.push(fault);
        }
        let numbers: BTreeMap<&str, u32> = order
            .iter()
            .zip(last + 1..)
            .filter(|(at, _)| entries.get(part.footnotes[**at].label.as_str()) == Some(*at))
            .map(|(at, number)| (part.footnotes[*at].label.as_str(), number))
            .collect();
        let rewrite = |text: &str| with_numbers(text, &numbers, &rubric.note_references);
        let mut footnotes = Vec::with_capacity(order.len());
        for &at in &order {
            last += 1;
            let note = &part.footnotes[at];
            let text = rewrite(&note.text.split_whitespace().collect::<Vec<_>>().join(" "));
            footnotes.push(Note { label: last.to_string(), text: text.clone() });
            let row = NoteRow { number: last, part: part.id.clone(), label: note.label.clone(), text };
            numbering.rows.push(row);
        }
        numbering.sections.push(PartNotes {
            part: part.id.clone(),
            footnotes_extracted: u32::try_from(order.len()).unwrap_or(u32::MAX),
            last_global_number: last,
        });
        let markdown = rewrite(&part.markdown);
        numbering.parts.push(Part { markdown, footnotes, ..part.clone() });
    }
    numbering
}

/// A mark in a text.
struct Mark<'t> {
    label: &'t str,
    line: u32,
    /// Numbered before, when it had no footnote.
    missing: bool,
}

fn marks(markdown: &str) -> Vec<Mark<'_>> {
    let Some(pattern) = MARKER.as_ref() else { return Vec::new() };
    let mut marks = Vec::new();
    for line in prose(markdown).lines {
        if !line.text.contains("[^") {
            continue;
        }
        let code = code_spans(line.text);
        for found in pattern.captures_iter(line.text) {
            let (Some(whole), Some(flag), Some(label)) = (found.get(0), found.get(1), found.get(2)) else {
                continue;
            };
            if !code.iter().any(|span| span.contains(&whole.start())) {
                marks.push(Mark { label: label.as_str(), line: line.number, missing: !flag.is_empty() });
            }
        }
    }
    marks
}

/// A text with each label replaced by its number, outside code.
fn with_numbers(text: &str, numbers: &BTreeMap<&str, u32>, references: &[Pattern]) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for line in prose(text).lines {
        let code = code_spans(line.text);
        let is_code = |at: usize| code.iter().any(|span| span.contains(&at));
        if let Some(pattern) = MARKER.as_ref().filter(|_| line.text.contains("[^")) {
            for found in pattern.captures_iter(line.text) {
                let (Some(whole), Some(flag)) = (found.get(0), found.get(1)) else { continue };
                if is_code(whole.start()) || !flag.is_empty() {
                    continue;
                }
                let place = line.start + whole.start()..line.start + whole.end();
                edits.push(match numbers.get(&found[2]) {
                    Some(number) => (place, format!("[^{number}]")),
                    None => (place, format!("[^?{}]", &found[2])),
                });
            }
        }
        for pattern in references {
            for found in pattern.regex().captures_iter(line.text) {
                let Some(label) = found.name("label").or_else(|| found.get(1)) else { continue };
                if let Some(number) = numbers.get(label.as_str()).filter(|_| !is_code(label.start())) {
                    edits.push((line.start + label.start()..line.start + label.end(), number.to_string()));
                }
            }
        }
    }
    if edits.is_empty() {
        return text.to_owned();
    }
    edits.sort_by_key(|(place, _)| (place.start, place.end));
    let mut rewritten = String::with_capacity(text.len());
    let mut from = 0;
    for (place, replacement) in edits {
        if place.start < from {
            continue;
        }
        rewritten.push_str(&text[from..place.start]);
        rewritten.push_str(&replacement);
        from = place.end;
    }
    rewritten.push_str(&text[from..]);
    rewritten
}

/// The consolidated list: one line a footnote, each beginning with `[`.
pub fn consolidated(rows: &[NoteRow]) -> String {
    let mut list = String::new();
    for row in rows {
        let _ = writeln!(list, "[^{}]: {}", row.number, row.text);
    }
    list
}

/// The footnotes of a document without its texts: what checks of citations depend on.
pub fn slice(parts: &[Part]) -> Vec<Part> {
    let notes = parts.iter().map(extract);
    notes.map(|part| Part { markdown: String::new(), ..part }).collect()
}

/// Footnotes without a place, without a tag, and with a placeholder, in order.
pub fn tests(rows: &[NoteRow], rubric: &NoteRubric) -> Vec<Fault> {
    let mut faults = Vec::new();
    for row in rows {
        let mut say = |rule| {
            let place = Location::at(format!("{}[^{}]", row.part, row.number));
            faults.push(Fault::new(place, rule, crate::text::excerpt(&row.text)));
        };
        let is_exempt = any(&rubric.exempt, &row.text);
        if !rubric.pincites.is_empty() && !is_exempt && !any(&rubric.pincites, &row.text) {
            say(Rule::PinciteMissing);
        }
        if !rubric.tags.is_empty() && !is_exempt && !any(&rubric.tags, &row.text) {
            say(Rule::TagMissing);
        }
        if any(&rubric.placeholders, &row.text) {
            say(Rule::Placeholder);
        }
    }
    faults
}
