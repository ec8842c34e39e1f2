//! `write`: a file's whole text.

use async_trait::async_trait;
use domain::CallEffect;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Files;
use super::change::{Change, file_state, outcome, preview};
use crate::arguments::{self, Effect, blocking, info};
use crate::safe_path::{PathPurpose, quoted};
use crate::text::{count, size};
use crate::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    content: String,
}

/// The tool.
pub(crate) struct Write {
    info: ToolInfo,
    files: Files,
}

impl Write {
    pub(crate) fn new(files: Files) -> Self {
        let info = info(
            "write",
            "Write a file",
            "Writes a file with the given text; folders that are missing are made. What the file held is replaced as a \
             whole: to change a part of it, use edit. Line ends and encoding of an existing file are kept.",
            Effect::Writes,
            30,
            json!({
                "path": {"type": "string", "description": "The file: relative to the first folder, or absolute."},
                "content": {"type": "string", "description": "Its whole text."},
            }),
            &["path", "content"],
        );
        Self { info: files.named(info), files }
    }
}

fn change(files: &Files, at: &CallContext, arguments: &Arguments) -> Result<Change, ToolError> {
    let roots = files.roots(at);
    if arguments.path.ends_with('/') {
        return Err(ToolError::new(Kind::Arguments, format!("{} names a folder", quoted(&arguments.path))));
    }
    let place = roots.place(&arguments.path, PathPurpose::Writing)?;
    let standing = file_state(&roots, place)?;
    files.seen.keep_others(at, &standing.place.path(), standing.metadata(), &standing.shown)?;
    standing.overwritten(&arguments.content)
}

#[async_trait]
impl Tool for Write {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let arguments: Arguments = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || {
            let change = change(&files, &at, &arguments)?;
            files.seen.note(&at, vec![change.standing.found()]);
            let verb = if change.standing.is_new() { "Create" } else { "Overwrite" };
            let other = change.standing.other_than_text();
            let other = other.map(|kind| format!(", which holds no text ({kind})")).unwrap_or_default();
            Ok(PlannedOperation {
                effect: CallEffect::Write { path: change.standing.place.text() },
                intent: format!("{verb} {}{other}", change.standing.shown),
                preview: preview(&[change]),
            })
        })
        .await
    }

    async fn run(&self, arguments: &Value, at: &CallContext, _: Run) -> Result<Outcome, ToolError> {
        let arguments: Arguments = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || {
            let change = change(&files, &at, &arguments)?;
            files.seen.check(&at, &[change.standing.found()])?;
            let shown = quoted(&change.standing.shown);
            if change.is_empty() {
                return Ok(Outcome::text(format!("{shown} holds that already."), "unchanged"));
            }
            let verb = if change.standing.is_new() { "Created" } else { "Overwrote" };
            let lines = count(arguments.content.lines().count(), "line");
            let bytes = size(arguments.content.len() as u64);
            let other = change.standing.other_than_text();
            let other = other.map(|kind| format!(" It held no text before ({kind}).")).unwrap_or_default();
            let changes = [change];
            let done = outcome(&at, &changes, format!("{verb} {shown}: {lines}, {bytes}.{other}"))?;
            files.wrote(&at, &changes);
            Ok(done)
        })
        .await
    }
}
