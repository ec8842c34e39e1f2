//! Agents: folders of configuration, prompts and schemas.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An agent in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentRow {
    /// Its folder name.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// How many stages it has.
    pub stages: u32,
    /// Its default depth.
    pub default_depth: Option<String>,
    /// Depths that it knows, the shallowest first.
    pub depths: Vec<String>,
    /// Its default knowledge base.
    pub default_corpus: Option<String>,
    /// Whether it needs a knowledge base.
    pub needs_corpus: bool,
    /// Questions that show what it can do.
    pub examples: Vec<String>,
    /// Whether the shipped one is used; otherwise the person's.
    pub shipped: bool,
    /// What is wrong with it; it can run when this is empty.
    pub problems: Vec<FileProblem>,
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileProblem {
    /// The file.
    pub file: String,
    /// Where in it: a JSON pointer or a line.
    pub place: String,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentView {
    /// The agent.
    pub agent: AgentRow,
    /// Its introduction for people, Markdown.
    pub about: String,
    /// Its stages, in order.
    pub stages: Vec<AgentStage>,
    /// Sources that it uses, and whether it needs them.
    pub sources: Vec<String>,
    /// Depth settings by name.
    pub depth_modes: Value,
    /// Thresholds of verification by axis.
    pub thresholds: Value,
    /// Its prompts.
    pub prompts: Vec<PromptText>,
    /// Its configuration as it stands.
    pub config: Value,
    /// The folder where the person's own version would stand or stands.
    pub folder: String,
}

/// A stage of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentStage {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// `tools`, `model`, `verify`, `render` or `dialogue`.
    pub kind: String,
    /// Stages that it waits for.
    pub depends_on: Vec<String>,
    /// Whether it pauses for the person.
    pub pauses: bool,
    /// When it runs, where it does not always.
    pub when: Option<String>,
    /// Tools that it calls.
    pub tools: Vec<String>,
    /// The most repairs of the unit it belongs to; 0 for none.
    pub max_iterations: u32,
}

/// A prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromptText {
    /// Its file name.
    pub name: String,
    /// Its text.
    pub text: String,
}
