//! `patch`: a unified diff over one file or several, all of it or nothing.

use std::collections::HashSet;

use async_trait::async_trait;
use domain::CallEffect;
use file_text::{FileDiff, PatchMisfit, apply, parse};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Files;
use super::change::{Change, file_state, outcome, preview};
use crate::arguments::{self, Effect, blocking, info};
use crate::observations::ObservedFile;
use crate::safe_path::{PathPurpose, quoted};
use crate::text::{Charset, count};
use crate::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// Most files of one call.
const MAX_FILES: usize = 100;
/// The longest diff, in bytes.
const MAX_DIFF_BYTES: usize = 4 << 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    patch: String,
}

/// The tool.
pub(crate) struct Patch {
    info: ToolInfo,
    files: Files,
}

impl Patch {
    pub(crate) fn new(files: Files) -> Self {
        let info = info(
            "patch",
            "Apply a patch",
            "Applies a unified diff to one file or several: all of it, or nothing when a part does not fit. Context and \
             removed lines must stand in the file exactly; line numbers may be wrong when there is only one place that \
             fits. A new file comes from /dev/null, a removed one goes to /dev/null.",
            Effect::Writes,
            30,
            json!({
                "patch": {"type": "string", "description": "The diff: `--- a/path`, `+++ b/path`, `@@ -1,3 +1,4 @@`, lines with ' ', '-' or '+' before them."},
            }),
            &["patch"],
        );
        Self { info: files.named(info), files }
    }
}

fn changes(files: &Files, at: &CallContext, patch: &str) -> Result<Vec<Change>, ToolError> {
    let wrong =
        |misfit: PatchMisfit| ToolError::new(Kind::Arguments, misfit.what).with_guidance(misfit.guidance);
    if patch.len() > MAX_DIFF_BYTES {
        return Err(ToolError::new(Kind::TooLarge, "the diff is larger than 4 MB"));
    }
    let diffs = parse(patch).map_err(wrong)?;
    if diffs.len() > MAX_FILES {
        return Err(ToolError::new(
            Kind::Arguments,
            format!("the diff changes {} files; {MAX_FILES} are the most of one call", diffs.len()),
        ));
    }
    let roots = files.roots(at);
    let mut places = HashSet::new();
    let mut changes = Vec::new();
    for diff in &diffs {
        let FileDiff { old, new, hunks } = diff;
        if let (Some(old), Some(new)) = (old, new)
            && old != new
        {
            return Err(ToolError::new(
                Kind::Arguments,
                format!("the diff turns {} into {}", quoted(old), quoted(new)),
            )
            .with_guidance(
                "Give a new file as a whole (from /dev/null), and remove the old one (to /dev/null).",
            ));
        }
        let Some(path) = new.as_ref().or(old.as_ref()) else { continue };
        let place = roots.place(path, PathPurpose::Writing)?;
        if !places.insert(place.path()) {
            return Err(ToolError::new(Kind::Arguments, format!("the diff names {} twice", quoted(path)))
                .with_guidance("Put all hunks of a file below one header."));
        }
        if old.is_some() && !place.exists {
            return Err(super::missing(&roots, &place));
        }
        let standing = file_state(&roots, place)?;
        if old.is_none() && !standing.is_new() {
            return Err(ToolError::new(Kind::Arguments, format!("{} exists already", quoted(path)))
                .with_guidance("Give a diff against what it holds, or use `write`."));
        }
        let fits = |text: &str| {
            apply(text, hunks).map_err(|misfit| {
                ToolError::new(
                    Kind::Arguments,
                    format!("{}: {}; nothing was changed", quoted(path), misfit.what),
                )
                .with_guidance(misfit.guidance)
            })
        };
        changes.push(match (old, new) {
            (None, _) => standing.with_text(fits("")?, Charset::Utf8)?,
            (Some(_), Some(_)) => {
                let text = standing.text()?;
                let patched = fits(&text.text)?;
                standing.with_text(patched, text.charset)?
            }
            (Some(_), None) => {
                let left = if hunks.is_empty() { String::new() } else { fits(&standing.text()?.text)? };
                if !left.is_empty() {
                    return Err(ToolError::new(
                        Kind::Arguments,
                        format!("{} would be removed, but the diff leaves lines in it", quoted(path)),
                    ));
                }
                standing.deletion()
            }
        });
    }
    Ok(changes)
}

fn effect(change: &Change) -> CallEffect {
    CallEffect::Write { path: change.standing.place.text() }
}

fn found(changes: &[Change]) -> Vec<ObservedFile> {
    changes.iter().map(|change| change.standing.found()).collect()
}

#[async_trait]
impl Tool for Patch {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let Arguments { patch } = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || {
            let changes = changes(&files, &at, &patch)?;
            files.seen.note(&at, found(&changes));
            let Some(first) = changes.first() else {
                return Err(ToolError::new(Kind::Arguments, "the diff names no file"));
            };
            let intent = match changes.len() {
                1 => format!("Patch {}", first.standing.shown),
                number => format!("Patch {} and {} more", first.standing.shown, count(number - 1, "file")),
            };
            Ok(PlannedOperation { effect: effect(first), intent, preview: preview(&changes) })
        })
        .await
    }

    async fn also(&self, arguments: &Value, at: &CallContext) -> Result<Vec<CallEffect>, ToolError> {
        let Arguments { patch } = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || Ok(changes(&files, &at, &patch)?.iter().skip(1).map(effect).collect())).await
    }

    async fn run(&self, arguments: &Value, at: &CallContext, _: Run) -> Result<Outcome, ToolError> {
        let Arguments { patch } = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || {
            let changes = changes(&files, &at, &patch)?;
            files.seen.check(&at, &found(&changes))?;
            let names: Vec<String> = changes.iter().map(|change| quoted(&change.standing.shown)).collect();
            let told = files.changes_of_others(&at, &changes);
            let done = outcome(&at, &changes, format!("Patched {}.{told}", names.join(", ")))?;
            files.wrote(&at, &changes);
            Ok(done)
        })
        .await
    }
}
