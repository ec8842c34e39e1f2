//! `edit`: parts of a file replaced, each found exactly.

use std::ops::Range;

use async_trait::async_trait;
use domain::CallEffect;
use file_text::{
    differences, has_foreign, in_spelling_of, line_of, lookalikes, occurrences, place_of, replaced, visible,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Files;
use super::change::{Change, file_state, outcome, preview};
use crate::arguments::{self, Effect, blocking, info};
use crate::safe_path::{PathPurpose, quoted};
use crate::text::{capped, count};
use crate::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// Most edits of one call.
const MAX_EDITS: usize = 200;
/// Changed places that are shown afterwards.
const MAX_EXCERPTS: usize = 4;
/// Lines that are shown of each.
const MAX_EXCERPT_LINES: usize = 12;
/// Lines that are shown around a changed place.
const AROUND_LINES: usize = 2;
/// The most bytes of what is told of edits.
const MAX_TOLD_BYTES: usize = 6_000;

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
             The changed lines come back with their numbers. Several changes of one file go into edits; they are made one after the other, all or none.",
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
            if has_foreign(&edit.old) || has_foreign(&edit.new) {
                return wrong(
                    "old or new has characters of Unicode's last private area, which are not written here",
                );
            }
        }
        Ok((self.path, edits))
    }
}

/// A file's edits.
struct Edited {
    change: Change,
    /// How many places were replaced.
    places: usize,
    /// What is told of them besides, with the lines as they are now.
    told: String,
}

fn change(files: &Files, at: &CallContext, arguments: Arguments) -> Result<Edited, ToolError> {
    let (path, edits) = arguments.replacements()?;
    let roots = files.roots(at);
    let place = roots.place(&path, PathPurpose::Writing)?;
    if !place.exists {
        return Err(super::missing(&roots, &place));
    }
    let standing = file_state(&roots, place)?;
    let text = standing.text()?;
    let strays = has_foreign(&text.text).then(|| shown_strays(&text.text));
    let mut draft = Draft { text: text.text, places: Vec::new(), notes: Vec::new() };
    let mut places = 0;
    for (index, edit) in edits.iter().enumerate() {
        let which =
            if edits.len() > 1 { format!("edit {} of {}: ", index + 1, edits.len()) } else { String::new() };
        places += draft.replace(edit, &standing.shown, &which)?;
        if strays.is_some_and(|before| shown_strays(&draft.text) > before) {
            return Err(ToolError::new(
                Kind::Arguments,
                format!("{which}new has a `\u{fffd}` that old does not have at the same place; nothing was changed"),
            )
            .with_guidance(
                "It stands for a byte that is no UTF-8: keep it with the words around it as they are, or leave it out.",
            ));
        }
    }
    let told = draft.account();
    Ok(Edited { change: standing.with_text(draft.text, text.charset)?, places, told })
}

fn shown_strays(text: &str) -> usize {
    text.matches(char::REPLACEMENT_CHARACTER).count()
}

/// A text that is being edited.
struct Draft {
    text: String,
    /// Where its edits stand now.
    places: Vec<Range<usize>>,
    /// What is told of them.
    notes: Vec<String>,
}

impl Draft {
    /// Makes one replacement; in how many places.
    fn replace(&mut self, edit: &Replacement, shown: &str, which: &str) -> Result<usize, ToolError> {
        let text = &self.text;
        let exact = occurrences(text, &edit.old);
        let alike: Vec<Range<usize>> = if exact.is_empty() || edit.all {
            lookalikes(text, &edit.old).into_iter().map(|place| place.range).collect()
        } else {
            Vec::new()
        };
        let found = if exact.is_empty() { &alike } else { &exact };
        let differing = |range: &Range<usize>| {
            differences(&text[range.clone()], &edit.old, line_of(text, range.start)).join("; ")
        };
        match found.len() {
            0 => return Err(not_found(text, edit, shown, which)),
            1 => {}
            _ if edit.all => {}
            number => {
                let lines: Vec<String> =
                    found.iter().take(8).map(|range| line_of(text, range.start).to_string()).collect();
                let more = if number > 8 { ", …" } else { "" };
                let (times, how) = match exact.is_empty() {
                    true => ("times, each written a little otherwise,", differing(&found[0])),
                    false => ("times", String::new()),
                };
                let how = if how.is_empty() { how } else { format!(" There {how}.") };
                return Err(ToolError::new(
                    Kind::Arguments,
                    format!("{which}old stands {number} {times} in {}; nothing was changed", quoted(shown)),
                )
                .with_guidance(format!(
                    "It is at lines {}{more}.{how} Take more lines around it so that it is unique, or set all.",
                    lines.join(", ")
                )));
            }
        }
        let number = found.len();
        if exact.is_empty() {
            let how = differing(&found[0]);
            if !how.is_empty() {
                let kept = "What new has in common with old stays as the file writes it";
                self.notes.push(format!("{which}old was found written a little otherwise: {how}. {kept}"));
            }
        } else if let Some(other) = alike.iter().find(|range| !exact.contains(range)) {
            let (line, how) = (line_of(text, other.start), differing(other));
            self.notes.push(format!("{which}line {line} looks the same and was left: {how}"));
        }
        let new = |here: &str| match exact.is_empty() {
            true => in_spelling_of(here, &edit.old, &edit.new),
            false => edit.new.clone(),
        };
        let (next, found) = (replaced(text, found, new), found.clone());
        self.move_places(&found, next.len());
        self.text = next;
        Ok(number)
    }

    /// Takes note of where the edits stand once these places are replaced, in a text of so many bytes.
    fn move_places(&mut self, found: &[Range<usize>], bytes: usize) {
        let growth = bytes as isize - self.text.len() as isize;
        let each = growth / found.len().max(1) as isize;
        let shift = |at: usize| found.iter().filter(|range| range.end <= at).count() as isize * each;
        for place in &mut self.places {
            let by = shift(place.start);
            *place = place.start.saturating_add_signed(by)..place.end.saturating_add_signed(by);
        }
        self.places.extend(found.iter().enumerate().map(|(index, range)| {
            let start = range.start.saturating_add_signed(each * index as isize);
            start..range.end.saturating_add_signed(each * (index as isize + 1)).max(start)
        }));
    }

    /// What is told of the edits, with the lines that they stand in now.
    fn account(&self) -> String {
        let mut told: String = self.notes.iter().map(|note| format!(" {note}.")).collect();
        let lines: Vec<&str> = self.text.lines().collect();
        let line = |at: usize| line_of(&self.text, self.text.floor_char_boundary(at)) - 1;
        let mut parts: Vec<Range<usize>> = self
            .places
            .iter()
            .map(|place| {
                let first = line(place.start).saturating_sub(AROUND_LINES);
                first..(line(place.end) + 1 + AROUND_LINES).min(lines.len()).max(first)
            })
            .collect();
        parts.sort_by_key(|part| part.start);
        let mut joined: Vec<Range<usize>> = Vec::new();
        for part in parts {
            match joined.last_mut().filter(|last| part.start <= last.end) {
                Some(last) => last.end = last.end.max(part.end),
                None => joined.push(part),
            }
        }
        for part in joined.iter().take(MAX_EXCERPTS).filter(|part| !part.is_empty()) {
            told.push('\n');
            for at in part.clone().take(MAX_EXCERPT_LINES) {
                let line = visible(lines.get(at).copied().unwrap_or_default());
                told.push_str(&format!("\n{:>6}\t{}", at + 1, capped(&line, 200)));
            }
            if part.len() > MAX_EXCERPT_LINES {
                told.push_str("\n     …");
            }
        }
        if joined.len() > MAX_EXCERPTS {
            told.push_str(&format!("\n\n({} more)", count(joined.len() - MAX_EXCERPTS, "place")));
        }
        told
    }
}

fn not_found(text: &str, edit: &Replacement, shown: &str, which: &str) -> ToolError {
    let near = place_of(&edit.old, &visible(text));
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
    ToolError::new(
        Kind::Arguments,
        format!("{which}old does not stand in {}; nothing was changed", quoted(shown)),
    )
    .with_guidance(guidance)
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
            let Edited { change, .. } = change(&files, &at, arguments)?;
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
            let Edited { change, places, told } = change(&files, &at, arguments)?;
            files.seen.check(&at, &[change.standing.found()])?;
            let shown = quoted(&change.standing.shown);
            let changes = [change];
            let others = files.changes_of_others(&at, &changes);
            let text = format!("Replaced {} in {shown}.{others}{told}", count(places, "place"));
            let done = outcome(&at, &changes, capped(&text, MAX_TOLD_BYTES).to_owned())?;
            files.wrote(&at, &changes);
            Ok(done)
        })
        .await
    }
}
