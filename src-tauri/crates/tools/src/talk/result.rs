//! `result`: a result that was too long to be given whole, read in parts.

use std::path::Path;

use async_trait::async_trait;
use domain::{CallEffect, Preview};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::arguments::{self, Effect, blocking, info};
use crate::files::load;
use crate::files::read::{Part, column_schema, part_of};
use crate::safe_path::{PathPurpose, Roots, quoted};
use crate::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo, text};

/// The largest result, in bytes.
const MAX_RESULT_BYTES: u64 = 64 << 20;
/// Lines that are given unless another number is asked for.
const LINES: usize = 500;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    call: String,
    #[serde(default)]
    offset: Option<usize>,
    #[serde(default)]
    limit: Option<usize>,
    #[serde(default)]
    column: Option<usize>,
}

/// The tool.
pub(crate) struct Stored(ToolInfo);

impl Stored {
    pub(crate) fn new() -> Self {
        Self(info(
            "result",
            "Read a long result",
            "Reads more of a result that was too long to be given whole. The shortened result names the call.",
            Effect::Reads,
            30,
            json!({
                "call": {"type": "string", "description": "The call's id, as the shortened result names it."},
                "offset": {"type": "integer", "minimum": 1, "description": "The first line, from 1. Default: 1."},
                "limit": {"type": "integer", "minimum": 1, "description": "How many lines. Default: 500."},
                "column": column_schema(),
            }),
            &["call"],
        ))
    }
}

fn id(call: &str) -> Result<&str, ToolError> {
    let call = call.trim();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    if call.is_empty() || call.len() > 200 || call.starts_with('.') || !call.chars().all(plain) {
        return Err(ToolError::new(Kind::Arguments, format!("{} is no id of a call", quoted(call)))
            .with_guidance("Take it from the shortened result as it stands."));
    }
    Ok(call)
}

/// The file that holds a call's result: its name is the id, whatever its extension.
fn file_of(results: &Path, call: &str) -> Option<String> {
    let names = std::fs::read_dir(results).into_iter().flatten();
    let mut names: Vec<String> =
        names.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let is_its = |name: &String| {
        name == call
            || name.strip_prefix(call).is_some_and(|rest| rest.starts_with('.') && !rest.ends_with(".tmp"))
    };
    names.into_iter().find(is_its)
}

#[async_trait]
impl Tool for Stored {
    fn info(&self) -> &ToolInfo {
        &self.0
    }

    async fn plan(&self, arguments: &Value, _: &CallContext) -> Result<PlannedOperation, ToolError> {
        let Arguments { call, .. } = arguments::read(arguments)?;
        let call = id(&call)?;
        Ok(PlannedOperation {
            effect: CallEffect::Inner,
            intent: format!("Read the result of {call}"),
            preview: Preview::None,
        })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let Arguments { call, offset, limit, column } = arguments::read(arguments)?;
        let call = id(&call)?.to_owned();
        let results = at.own.join("results");
        blocking(move || {
            let Some(name) = file_of(&results, &call) else {
                return Err(ToolError::new(
                    Kind::NotFound,
                    format!("no result is kept of call {}", quoted(&call)),
                )
                .with_guidance(
                    "Only results that were shortened are kept. Make the call again if you need it.",
                ));
            };
            let place = Roots::fixed(&results).place(&name, PathPurpose::Reading)?;
            let (bytes, _) = load(&place, &name, MAX_RESULT_BYTES, Some(&run.cancel))?;
            let text = match text::decode(&bytes) {
                Some(decoded) => text::visible(&decoded.text).into_owned(),
                None => String::from_utf8_lossy(&bytes).into_owned(),
            };
            let part = Part::new(offset, limit.unwrap_or(LINES), column);
            Ok(part_of(&text, part).outcome(None))
        })
        .await
    }
}
