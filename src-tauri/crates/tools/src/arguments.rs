//! What a model gives a tool, read strictly: a wrong name is told with the right ones.

use std::time::Duration;

use domain::Hints;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{Kind, ToolError, ToolInfo};

/// Reads arguments.
///
/// # Errors
/// [`Kind::Arguments`] with the name of what is missing, unknown or of another type.
pub(crate) fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, ToolError> {
    let empty = json!({});
    let arguments = if arguments.is_null() { &empty } else { arguments };
    T::deserialize(arguments).map_err(|error| {
        ToolError::new(Kind::Arguments, format!("the arguments do not fit: {error}"))
            .with_guidance("Call it again with arguments as its schema has them.")
    })
}

/// What a tool says of its effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing changes.
    Reads,
    /// Nothing changes, and it reaches beyond this machine.
    ReadsAfar,
    /// It adds and overwrites.
    Writes,
}

/// A built-in tool's card; `properties` are those of its arguments, and `required` names some of them.
pub(crate) fn info(
    name: &str,
    title: &str,
    description: &str,
    effect: Effect,
    seconds: u64,
    properties: Value,
    required: &[&str],
) -> ToolInfo {
    let reads = effect != Effect::Writes;
    ToolInfo {
        name: name.to_owned(),
        source: String::new(),
        tool: name.to_owned(),
        title: title.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
        hints: Hints {
            read_only: Some(reads),
            destructive: Some(!reads),
            idempotent: Some(reads),
            open_world: Some(effect == Effect::ReadsAfar),
        },
        trusted: true,
        deadline: Duration::from_secs(seconds),
    }
}

/// Runs what waits for the disk beside the threads that serve everybody.
///
/// # Errors
/// What `work` says; [`Kind::Failed`] when it panics.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(ToolError::new(Kind::Failed, "the tool broke down on this call")))
}
