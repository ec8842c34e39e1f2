//! How far a run has come: its checkpoints, and the tables of its outputs.

use domain::{Digest, RunId, StageId};
use engine_types::DraftRow;
use pipeline::CheckpointCause;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A run's checkpoints and the tables of its outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunProgress {
    /// The run.
    pub run: RunId,
    /// The file with its state, in the folder of its session, where its agent has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_file: Option<String>,
    /// Its checkpoints, the oldest first; of more than 2,000 the newest.
    pub checkpoints: Vec<CheckpointRow>,
    /// The tables of what it has put out, as its agent declares them.
    pub tables: Vec<TableView>,
    /// What is being written, or was when the run was interrupted, as far as it was streamed: its own, and that of the runs
    /// that work for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drafts: Vec<DraftRow>,
}

/// A moment of a run whose state is kept: what is done by then is not done again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckpointRow {
    /// The number of its event in the log.
    pub seq: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What made it.
    pub trigger: CheckpointCause,
    /// The stage, or the gate, by its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The item of the stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// How many words of an answer had been written, where that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<u32>,
    /// The digest of the log up to there, which the state is computed from.
    pub digest: Digest,
    /// How the work can be gone on with from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume: Option<CheckpointResume>,
}

/// How work is gone on with from a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "how")]
pub enum CheckpointResume {
    /// The run itself goes on.
    Run,
    /// A new run takes over what came before this stage, and does the rest anew.
    Stage {
        /// The stage.
        stage: StageId,
    },
}

/// A table of a run's outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TableView {
    /// Its title.
    pub title: String,
    /// The heads of its columns.
    pub columns: Vec<String>,
    /// Its rows: a cell for each column.
    pub rows: Vec<Vec<TableCell>>,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TableCell {
    /// A text, a number, yes or no, or a list of texts.
    pub value: Value,
    /// The most that the number can be, where there is such a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}
