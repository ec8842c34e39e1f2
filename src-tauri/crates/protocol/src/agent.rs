//! Agents: folders of configuration, prompts and schemas.

use domain::agent::StageKind;
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
    /// The slug of the agent that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
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
    /// The JSON Schema of what its runs are given besides the question, where they are given anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// Whether its runs can take over results from the files of an earlier run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adopts: bool,
    /// Whether the shipped one is used; otherwise the person's.
    pub shipped: bool,
    /// Its `icon.svg` or `icon.png` as a data URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<String>,
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
    /// What it does.
    pub kind: StageKind,
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

/// Makes an agent in the workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AgentMake {
    /// Its name; its folder name follows from it.
    pub name: String,
    /// The agent that is copied; without one the new agent has instructions alone.
    pub from: Option<String>,
}

/// The files of an agent that can be edited as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFiles {
    /// Whether they are the user's own; shipped ones are copied before they are edited.
    pub own: bool,
    /// The files by their paths in the agent's folder: `AGENT.md`, `config.json`, `prompts/…`, `schemas/…`.
    pub files: Vec<PromptText>,
}

/// A file of an agent or a skill as it is to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FileEdit {
    /// Its path in the folder.
    pub name: String,
    /// Its text; at most 1 MiB.
    pub text: String,
    /// The text that the edit was made on; without it the file is new. A file that says something else by now is left
    /// as it is.
    #[serde(default)]
    pub before: Option<String>,
}
