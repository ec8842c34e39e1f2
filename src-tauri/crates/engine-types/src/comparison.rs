//! Two runs beside each other.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that the runs pinned differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PinDifference {
    /// What: `question`, `agent`, `depth`, `connection`, `model`, `judge`, `knowledge base`, `prompt …`, `schema of …`,
    /// `stage …`, `settings`, `source …`, `inputs`, `data …`, `material`, `web search`, `earlier answer`.
    pub what: String,
    /// In the first run; empty where it has none or the text is long.
    pub left: String,
    /// In the second.
    pub right: String,
}

/// A stage of both runs, or of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StageComparison {
    /// Its name in the agent's configuration.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Whether both asked the same and got the same.
    pub same: bool,
    /// Whether both asked the same.
    pub same_requests: bool,
    /// Whether both put out the same.
    pub same_output: bool,
    /// How it ended in the first run: `completed`, `skipped`, …; empty where that run has no such stage.
    pub left: String,
    /// How it ended in the second.
    pub right: String,
    /// Because of what it differs, in words, the first cause first.
    pub because: Vec<String>,
    /// Parts of the first request that differs: `system`, names of sections, `schema`, `arguments`, ….
    pub parts: Vec<String>,
}
