//! The body of a document with each citation as a footnote: the form of a part of a longer document.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;

use crate::{Citation, Document, State, text};

/// A body in Markdown, and its footnotes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FootnotedBody {
    /// The sections with marks such as `[^3]`; no list of sources and no states of statements.
    pub markdown: String,
    /// The footnotes in the order of their marks.
    pub footnotes: Vec<BodyNote>,
}

/// A footnote of a body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BodyNote {
    /// What its mark names: a number, from 1.
    pub label: String,
    /// What is cited, the file and page, the quote, and what checking found.
    pub text: String,
}

/// The body with footnotes. A quote that stands for itself keeps its reference in the text. The same passage of a source is quoted in full where it is first cited.
/// `is_explained`: an unverified statement says that a reader has to judge it, which outputs of earlier versions do not.
pub fn to_footnoted(document: &Document, is_explained: bool) -> FootnotedBody {
    let mut notes = Notes { document, is_explained, footnotes: Vec::new(), first: BTreeMap::new() };
    let sections: Vec<String> = document
        .sections
        .iter()
        .filter(|section| !section.markdown.trim().is_empty())
        .map(|section| document.typeset(&notes.section(section.markdown.trim())).into_owned())
        .collect();
    FootnotedBody { markdown: sections.join("\n\n"), footnotes: notes.footnotes }
}

struct Notes<'d> {
    document: &'d Document,
    is_explained: bool,
    footnotes: Vec<BodyNote>,
    /// The label of the footnote that first has a citation's words.
    first: BTreeMap<(usize, String), String>,
}

impl<'d> Notes<'d> {
    fn section(&mut self, markdown: &str) -> String {
        let lines = markdown.split_inclusive('\n');
        lines
            .map(|line| if line.starts_with('#') { unlinked(line) } else { self.line(line, markdown) })
            .collect()
    }

    fn line(&mut self, line: &str, markdown: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        // Words that are a quote and nothing else don't say whose they are: the reference stays beside them.
        let is_quote = line.trim_start_matches(['-', '>', ' ']).starts_with('\u{201c}');
        while let Some((before, target, after)) = next_link(rest) {
            match target.strip_prefix("cite-").and_then(|number| self.citation(number)) {
                Some(citation) => {
                    // A mark stands where a reference in brackets stood, without the brackets.
                    let before = before.strip_suffix('(').map_or(before, str::trim_end);
                    out.push_str(before.trim_end_matches([',', ';', ' ']));
                    let statement = statement_after(after);
                    let label = self.note(citation, markdown, statement);
                    if is_quote {
                        let _ =
                            write!(out, " ({})", text::inline(&self.document.name_in(citation, statement)));
                    }
                    let _ = write!(out, "[^{label}]");
                    // What checking found stands in the footnote.
                    let after = after_mark(after);
                    rest = after.strip_prefix(')').unwrap_or(after);
                }
                // The state of a statement is told in its footnotes.
                None => {
                    out.push_str(before.trim_end_matches(' '));
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }

    fn citation(&self, number: &str) -> Option<&'d Citation> {
        self.document.citations.get(number.parse::<usize>().ok()?.checked_sub(1)?)
    }

    fn note(&mut self, citation: &Citation, markdown: &str, statement: Option<usize>) -> String {
        let label = (self.footnotes.len() + 1).to_string();
        let quotes: Vec<String> = citation
            .quotes_in(markdown)
            .iter()
            .map(|quote| self.document.quoted(&text::one_line(quote)))
            .collect();
        let words = quotes.join(" \u{2026} ");
        let mut note = text::one_line(&self.document.name_in(citation, statement));
        if let Some(place) = citation.place_beside() {
            let _ = write!(note, " ({})", text::one_line(place));
        }
        match self.first.get(&(citation.number, words.clone())) {
            Some(first) => {
                let _ = write!(note, ": the words of note [^{first}]");
            }
            None if words.is_empty() => {}
            None => {
                let _ = write!(note, ": {words}");
                self.first.insert((citation.number, words), label.clone());
            }
        }
        let found = statement.and_then(|n| self.document.statements.iter().find(|one| one.n == n));
        let is_verified = citation.mark().is_none();
        let said = found.map(|one| said_of(one.state, is_verified && self.is_explained));
        let state = said.unwrap_or_default();
        let tag = if is_verified { "VERIFIED" } else { "UNVERIFIED" };
        let _ = write!(note, " [{tag}{state}]");
        self.footnotes.push(BodyNote { label: label.clone(), text: note });
        label
    }
}

/// What a footnote says of its statement: the bare word for an unverified one would contradict a verified quotation beside it.
fn said_of(state: State, is_explained: bool) -> String {
    let explained = is_explained && state == State::Unverified;
    let why = if explained { ": a reader has to judge whether it follows" } else { "" };
    format!("; statement {}{why}", state.as_str())
}

/// A line with its links as their words.
fn unlinked(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, _, after)) = next_link(rest) {
        out.push_str(before);
        let linked = &rest[before.len() + 1..rest.len() - after.len()];
        out.push_str(linked.rsplit_once("](").map_or("", |(words, _)| words));
        rest = after_mark(after);
    }
    out.push_str(rest);
    out
}

/// What follows a citation, without the mark of one that could not be verified.
fn after_mark(after: &str) -> &str {
    let mark = after.strip_prefix(" [unverified").and_then(|rest| rest.split_once(']'));
    mark.map_or(after, |(_, rest)| rest)
}

/// The next link to a place of the document: what stands before it, its target, what follows.
fn next_link(markdown: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let close = from + markdown.get(from..)?.find("](#")?;
        let target_end = close + 3 + markdown[close + 3..].find(')')?;
        let target = &markdown[close + 3..target_end];
        let is_ours = target.starts_with("cite-") || target.starts_with("statement-");
        if let Some(open) = opening(&markdown[..close]).filter(|_| is_ours) {
            return Some((&markdown[..open], target, &markdown[target_end + 1..]));
        }
        from = target_end;
    }
}

/// Where the bracket stands that a link's text begins with.
fn opening(before: &str) -> Option<usize> {
    let mut depth = 0;
    let bytes = before.as_bytes();
    for at in (0..bytes.len()).rev() {
        let escaped = at > 0 && bytes[at - 1] == b'\\';
        match bytes[at] {
            b']' if !escaped => depth += 1,
            b'[' if !escaped && depth == 0 => return Some(at),
            b'[' if !escaped => depth -= 1,
            b'\n' => return None,
            _ => {}
        }
    }
    None
}

/// The statement whose mark stands behind a citation, with other citations between them at most.
fn statement_after(after: &str) -> Option<usize> {
    let line = after.lines().next()?;
    let (_, target, _) = std::iter::successors(next_link(line), |(_, _, rest)| next_link(rest))
        .find(|(_, target, _)| target.starts_with("statement-"))?;
    target.strip_prefix("statement-")?.parse().ok()
}

#[cfg(test)]
mod tests;
