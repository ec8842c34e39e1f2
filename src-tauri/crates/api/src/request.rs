//! The table of commands: what a surface can ask, and what it is answered.

use domain::{NanoUsd, PauseId, Problem, RunId, StageId, Usage};
use engine::{Answered, Attend, Exit, Form, Reply, StartRun, UiEvent};
use pipeline::Record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A command with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "command", content = "params")]
pub enum Request {
    /// Starts a run. Answered by `run`.
    RunStart(Box<StartRun>),
    /// Goes on with a run that was interrupted, waits, or failed. Answered by `run`.
    RunResume {
        /// The run.
        run: RunRef,
        /// How pauses are answered.
        attend: Attend,
    },
    /// Answers a pause. Answered by `answered`.
    RunAnswer {
        /// The run.
        run: RunId,
        /// The pause; without it the one that is open.
        pause: Option<PauseId>,
        /// The reply.
        reply: Box<Reply>,
        /// How further pauses are answered.
        attend: Attend,
    },
    /// Queues text for the run's next pause or stage. Answered by `done`.
    RunGuide {
        /// The run.
        run: RunId,
        /// The text.
        text: String,
    },
    /// Ends a run for good. Answered by `done`.
    RunCancel {
        /// The run.
        run: RunRef,
    },
    /// Stops a run so that it can be resumed. Answered by `done`.
    RunSuspend {
        /// The run.
        run: RunId,
    },
    /// Lists runs, newest first. Answered by `runs`.
    RunList {
        /// The most runs; at most 1,000.
        limit: u32,
        /// Only of this agent.
        agent: Option<String>,
        /// Only with this status.
        status: Option<String>,
        /// Continues a list: the `next` of the page before.
        before: Option<i64>,
    },
    /// A run's state. Answered by `run_state`.
    RunShow {
        /// The run.
        run: RunRef,
        /// Events after this number, at most 1,000; without it none.
        events_after: Option<u64>,
        /// Whether outputs are given too.
        outputs: bool,
    },
    /// Writes a run's files again. Answered by `exported`.
    RunExport {
        /// The run.
        run: RunRef,
    },
    /// A finished run's document. Answered by `document`.
    RunDocument {
        /// The run.
        run: RunRef,
    },
}

/// Names a run: its id, or the newest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunRef {
    /// By id, or the first characters of it after `run-`.
    Id(String),
    /// The newest run.
    Last,
    /// The newest run that can be resumed.
    LastOpen,
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "answer", content = "value")]
pub enum Response {
    /// A run.
    Run(RunId),
    /// What became of a reply.
    Answered(Answered),
    /// It is done.
    Done,
    /// Some runs.
    Runs(RunPage),
    /// A run's state.
    RunState(Box<RunState>),
    /// The Markdown document's path, where there is one.
    Exported(Option<String>),
    /// The document, where there is one.
    Document(Option<DocumentText>),
}

/// Some runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunPage {
    /// The runs, newest first.
    pub runs: Vec<RunRow>,
    /// Where the next page begins.
    pub next: Option<i64>,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    /// Its id.
    pub run: RunId,
    /// Its session.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// `running`, `paused`, `suspended`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// The question's first line.
    pub title: String,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// Milliseconds since 1970.
    pub updated_at: i64,
}

/// A document's text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentText {
    /// Markdown.
    pub markdown: String,
    /// Self-contained HTML.
    pub html: String,
}

/// A run's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunState {
    /// Its id.
    pub run: RunId,
    /// Its session.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// The question.
    pub request: String,
    /// Its status.
    pub status: String,
    /// The last event's number.
    pub seq: u64,
    /// Its stages, in order.
    pub stages: Vec<StageRow>,
    /// Open pauses.
    pub pauses: Vec<Form>,
    /// Tokens used.
    pub usage: Usage,
    /// Money used.
    pub cost: NanoUsd,
    /// The most that interrupted calls may have cost besides.
    pub doubtful: NanoUsd,
    /// How many calls may have been paid twice.
    pub maybe_paid_twice: u32,
    /// Active milliseconds.
    pub active_ms: u64,
    /// Why it failed.
    pub problem: Option<Problem>,
    /// Events, where asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Record>,
    /// Outputs by stage name, where asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Value>,
}

/// A stage's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StageRow {
    /// Its id.
    pub id: StageId,
    /// Its title.
    pub title: String,
    /// `pending`, `running`, `completed`, `skipped` or `failed`.
    pub phase: String,
    /// Attempts begun.
    pub attempt: u32,
    /// Which repair; 0 for none.
    pub iteration: u32,
    /// One line on its output, or why it was skipped.
    pub summary: String,
    /// Tokens used.
    pub usage: Usage,
    /// Money used.
    pub cost: NanoUsd,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// What a connection to a running instance carries, a line of JSON each way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// The first line of a client: the instance's token.
    Hello {
        /// The token.
        token: String,
    },
    /// The first line of an instance that knows the token.
    Welcome,
    /// A command.
    Request {
        /// Returned with the answer.
        id: u64,
        /// The command.
        request: Request,
    },
    /// A command's answer.
    Response {
        /// Of the command.
        id: u64,
        /// The answer.
        result: Result<Response, Problem>,
    },
    /// Something happened.
    Event(UiEvent),
    /// Events were lost because the client was too slow; it reads the state again.
    Lagged,
}

impl Response {
    /// How a run's status word ends a drive, where it does.
    pub fn exit_of(status: &str) -> Option<Exit> {
        match status {
            "completed" => Some(Exit::Completed),
            "paused" | "suspended" => Some(Exit::Paused),
            "failed" => Some(Exit::Failed),
            "cancelled" => Some(Exit::Cancelled),
            _ => None,
        }
    }
}
