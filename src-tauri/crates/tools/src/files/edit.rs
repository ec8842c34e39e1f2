//! `edit`: parts of a file replaced, each found exactly.

use std::ops::Range;

use async_trait::async_trait;
use domain::CallEffect;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Files;
use super::change::{Change, file_state, outcome, preview};
use super::closest::place_of;
use crate::arguments::{self, Effect, blocking, info};
use crate::safe_path::{PathPurpose, quoted};
use crate::text::{LineEnds, capped, count};
use crate::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// Most edits of one call.
const MAX_EDITS: usize = 200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    #[serde(default)]
    old: Option<String>,
    #[serde(default)]
    new: Option<String>,
    #[serde(default)]
    all: bool,
    #[serde(default)]
    edits: Vec<Replacement>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Replacement {
    old: String,
    new: String,
    #[serde(default)]
    all: bool,
}

/// The tool.
pub(crate) struct Edit {
    info: ToolInfo,
    files: Files,
}

impl Edit {
    pub(crate) fn new(files: Files) -> Self {
        let info = info(
            "edit",
            "Edit a file",
            "Replaces text in a file. old must stand in it exactly, white space included and without the line numbers \
             that read shows, and just once unless all is set: take as many lines around the change as make it unique. \
             Several changes of one file go into edits; they are made one after the other, all or none.",
            Effect::Writes,
            30,
            json!({
                "path": {"type": "string", "description": "The file: relative to the first folder, or absolute."},
                "old": {"type": "string", "description": "The text to replace."},
                "new": {"type": "string", "description": "What takes its place; empty: nothing."},
                "all": {"type": "boolean", "description": "Replace it wherever it stands."},
                "edits": {
                    "type": "array",
                    "description": "Several changes, in place of old, new and all.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "old": {"type": "string"},
                            "new": {"type": "string"},
                            "all": {"type": "boolean"},
                        },
                        "required": ["old", "new"],
                        "additionalProperties": false,
                    },
                },
            }),
            &["path"],
        );
        Self { info: files.named(info), files }
    }
}

impl Arguments {
    fn replacements(self) -> Result<(String, Vec<Replacement>), ToolError> {
        let wrong = |what: &str| Err(ToolError::new(Kind::Arguments, what));
        let edits = match (self.old, self.new) {
            (Some(old), Some(new)) if self.edits.is_empty() => vec![Replacement { old, new, all: self.all }],
            (None, None) if !self.edits.is_empty() => self.edits,
            (None, None) => return wrong("there is nothing to replace: give old and new, or edits"),
            (Some(_), None) => return wrong("new is missing; for nothing in its place give an empty text"),
            (None, Some(_)) => return wrong("old is missing; to write a whole file use `write`"),
            (Some(_), Some(_)) => return wrong("give either old and new, or edits"),
        };
        if edits.len() > MAX_EDITS {
            return wrong(&format!("these are {} edits; {MAX_EDITS} are the most of one call", edits.len()));
        }
        for edit in &edits {
            if edit.old.is_empty() {
                return wrong("old is empty; to write a whole file use `write`");
            }
            if edit.old == edit.new {
                return wrong("old and new are the same");
            }
        }
        Ok((self.path, edits))
    }
}

fn change(files: &Files, at: &CallContext, arguments: Arguments) -> Result<(Change, usize), ToolError> {
    let (path, edits) = arguments.replacements()?;
    let roots = files.roots(at);
    let place = roots.place(&path, PathPurpose::Writing)?;
    if !place.exists {
        return Err(super::missing(&roots, &place));
    }
    let standing = file_state(&roots, place)?;
    let text = standing.text()?;
    let mut replaced = text.text;
    let mut places = 0;
    for (index, edit) in edits.iter().enumerate() {
        let which =
            if edits.len() > 1 { format!("edit {} of {}: ", index + 1, edits.len()) } else { String::new() };
        let (next, number) = replace(&replaced, edit, &standing.shown, &which)?;
        replaced = next;
        places += number;
    }
    Ok((standing.with_text(replaced, text.charset)?, places))
}

/// A text with one replacement made, and in how many places.
fn replace(text: &str, edit: &Replacement, shown: &str, which: &str) -> Result<(String, usize), ToolError> {
    let shown = quoted(shown);
    let found = occurrences(text, &edit.old);
    match found.len() {
        0 => {
            let near = place_of(&edit.old, text);
            let numbered = edit.old.lines().all(|line| {
                line.trim_start().split_once('\t').is_some_and(|(number, _)| number.parse::<u32>().is_ok())
            });
            let guidance = if numbered {
                "Leave out the line numbers that `read` puts before each line.".to_owned()
            } else if near.is_empty() {
                "Read the file again and copy the text from it exactly.".to_owned()
            } else {
                format!("Copy the text exactly as it stands, white space included. {near}")
            };
            Err(ToolError::new(
                Kind::Arguments,
                format!("{which}old does not stand in {shown}; nothing was changed"),
            )
            .with_guidance(guidance))
        }
        1 => Ok((replaced(text, &found, &edit.new), 1)),
        number if edit.all => Ok((replaced(text, &found, &edit.new), number)),
        number => {
            let lines: Vec<String> =
                found.iter().take(8).map(|range| line_of(text, range.start).to_string()).collect();
            let more = if number > 8 { ", …" } else { "" };
            Err(ToolError::new(
                Kind::Arguments,
                format!("{which}old stands {number} times in {shown}; nothing was changed"),
            )
            .with_guidance(format!(
                "It is at lines {}{more}. Take more lines around it so that it is unique, or set all.",
                lines.join(", ")
            )))
        }
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|byte| *byte == b'\n').count() + 1
}

/// Where `old` stands. Line ends are the same whether they are LF or CR LF.
fn occurrences(text: &str, old: &str) -> Vec<Range<usize>> {
    if !text.contains('\r') {
        let old = if old.contains('\r') { old.replace("\r\n", "\n") } else { old.to_owned() };
        return text.match_indices(&old).map(|(at, found)| at..at + found.len()).collect();
    }
    // Matched without the CR of each line end, and mapped back.
    let mut plain = String::with_capacity(text.len());
    let mut dropped: Vec<usize> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("\r\n") {
        plain.push_str(&rest[..at]);
        dropped.push(plain.len());
        plain.push('\n');
        rest = &rest[at + 2..];
    }
    plain.push_str(rest);
    let old = old.replace("\r\n", "\n");
    // As many CRs as were dropped before a place stand before it in the text, too.
    let start = |at: usize| at + dropped.partition_point(|cr| *cr < at);
    plain.match_indices(&old).map(|(at, found)| start(at)..start(at + found.len())).collect()
}

/// The text with `new` in these places, its line ends as they are around them.
fn replaced(text: &str, found: &[Range<usize>], new: &str) -> String {
    let whole = LineEnds::of(text);
    let mut out = String::with_capacity(text.len() + new.len());
    let mut after = 0;
    for range in found {
        out.push_str(&text[after..range.start]);
        let here = &text[range.clone()];
        let ends = if here.contains('\n') { LineEnds::of(here) } else { whole };
        if ends == LineEnds::CrLf {
            out.push_str(&ends.apply(new));
        } else if text.contains('\r') {
            out.push_str(new);
        } else {
            out.push_str(&new.replace("\r\n", "\n"));
        }
        after = range.end;
    }
    out.push_str(&text[after..]);
    out
}

#[async_trait]
impl Tool for Edit {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let arguments: Arguments = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || {
            let (change, _) = change(&files, &at, arguments)?;
            files.seen.note(&at, vec![change.standing.found()]);
            Ok(PlannedOperation {
                effect: CallEffect::Write { path: change.standing.place.text() },
                intent: format!("Edit {}", change.standing.shown),
                preview: preview(&[change]),
            })
        })
        .await
    }

    async fn run(&self, arguments: &Value, at: &CallContext, _: Run) -> Result<Outcome, ToolError> {
        let arguments: Arguments = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || {
            // Before the replacements are looked for: a file that changed is told as that.
            let roots = files.roots(&at);
            let place = roots.place(&arguments.path, PathPurpose::Writing)?;
            files.seen.check(&at, &[file_state(&roots, place)?.found()])?;
            let (change, places) = change(&files, &at, arguments)?;
            files.seen.check(&at, &[change.standing.found()])?;
            let shown = quoted(&change.standing.shown);
            let text = format!("Replaced {} in {shown}.", count(places, "place"));
            outcome(&at, &[change], capped(&text, 4_000).to_owned())
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn edited(text: &str, old: &str, new: &str) -> String {
        let edit = Replacement { old: old.to_owned(), new: new.to_owned(), all: true };
        replace(text, &edit, "a.txt", "").unwrap().0
    }

    #[test]
    fn line_ends_stay_as_they_are_around_a_change() {
        assert_eq!(edited("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n");
        assert_eq!(edited("a\nb\nc\n", "a\r\nb", "x\r\ny"), "x\ny\nc\n");
        assert_eq!(edited("a\r\nb\nc\nd\ne\n", "b\nc", "x\ny"), "a\r\nx\ny\nd\ne\n");
        assert_eq!(edited("a\r\nb\nc\nd\ne\n", "a\nb", "x\ny"), "x\r\ny\nc\nd\ne\n");
    }

    #[test]
    fn a_match_may_begin_or_end_at_a_line_end() {
        assert_eq!(edited("a\r\nb\r\n", "\nb\n", "\nc\n"), "a\r\nc\r\n");
        assert_eq!(edited("a\r\nb\r\n", "b\n", ""), "a\r\n");
    }

    #[test]
    fn a_lone_carriage_return_is_text() {
        assert_eq!(edited("a\rb\r\nc", "a\rb", "x"), "x\r\nc");
    }
}
