//! What a tool is to those that run it: built in, or of a source.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::{CallEffect, Hints, Mode, Preview, Question, Show, Walls};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::ToolError;

/// A tool as models and people know it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolInfo {
    /// Its name for the model: `^[a-zA-Z0-9_-]{1,64}$`; of a source `<slug>__<tool>`.
    pub name: String,
    /// The source's slug; empty for what is built in.
    pub source: String,
    /// Its name at its source.
    pub tool: String,
    /// What a person reads.
    pub title: String,
    /// What the model reads.
    pub description: String,
    /// JSON Schema of its arguments: an object.
    pub parameters: Value,
    /// What it says of itself.
    pub hints: Hints,
    /// Whether that is believed.
    pub trusted: bool,
    /// The longest that a call may take.
    pub deadline: Duration,
}

/// Where a call happens.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The session.
    pub session: String,
    /// The turn.
    pub run: String,
    /// The call, unique within the turn.
    pub call: String,
    /// The mode now.
    pub mode: Mode,
    /// Folders that may be worked in, absolute; the first is where commands run.
    pub folders: Vec<PathBuf>,
    /// The session's own folder: `plans`, `attachments`, `data`, `results`.
    pub own: PathBuf,
}

/// What a call would do.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedOperation {
    /// On what permission is decided.
    pub effect: CallEffect,
    /// One line for a person: `Read src/main.rs`, `Run cargo test`.
    pub intent: String,
    /// What the person is shown when they are asked.
    pub preview: Preview,
}

/// What a call is run with.
#[derive(Clone)]
pub struct Run {
    /// Ends it within 200 ms, children included.
    pub cancel: CancellationToken,
    /// What the system has to keep it from; refused where it can't.
    pub confined: Walls,
    /// Tells of what it does while it does it.
    pub report: Arc<dyn Fn(Progress) + Send + Sync>,
}

/// What a call tells of while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A piece of its output.
    Output(String),
    /// What it does now, in words.
    Doing(String),
}

/// A file or picture that a call gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media {
    /// `image/png`, …
    pub media_type: String,
    /// A name.
    pub name: String,
    /// Its bytes.
    pub data: Vec<u8>,
}

/// What a call gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// What the model reads; the caller cuts it at its own bound.
    pub text: String,
    /// The same as data, for a program that reads it: fields instead of lines. `None`: the text says it all.
    pub data: Option<Value>,
    /// One line for a person: `214 lines`, `exit code 1`.
    pub summary: String,
    /// What the person may see besides. A [`Show::Change`] comes from `change`.
    pub show: Vec<Show>,
    /// A file that it changed: path, text before and after; absent: there was or is none.
    pub changed: Vec<(PathBuf, Option<String>, Option<String>)>,
    /// Pictures and documents; the model is shown those that it can read.
    pub media: Vec<Media>,
    /// A question that the person has to answer: the answer then is the call's result.
    pub question: Option<Question>,
    /// Whether it ends the turn, with `text` as its output.
    pub ends: bool,
}

impl Outcome {
    /// Text alone.
    pub fn text(text: impl Into<String>, summary: impl Into<String>) -> Self {
        Self { text: text.into(), summary: summary.into(), ..Self::default() }
    }
}

/// Something that a model can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// Its name, description and schema.
    fn info(&self) -> &ToolInfo;

    /// Whether a conversation with a small model does without it, because every tool takes room in each of its requests.
    fn is_auxiliary(&self) -> bool {
        false
    }

    /// What a call would do. Reads what it needs for that, and changes nothing.
    ///
    /// # Errors
    /// When it can't be done at all; it is then not run, and nobody is asked.
    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError>;

    /// What a call would do besides the deed of [`plan`](Self::plan): permission is decided on each, and the strictest
    /// decision holds.
    ///
    /// # Errors
    /// As those of [`plan`](Self::plan).
    async fn also(&self, arguments: &Value, at: &CallContext) -> Result<Vec<CallEffect>, ToolError> {
        let _ = (arguments, at);
        Ok(Vec::new())
    }

    /// Does it. What was resolved for permission is resolved again and must still be the same.
    ///
    /// # Errors
    /// What went wrong, with what the model may do about it.
    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError>;
}
