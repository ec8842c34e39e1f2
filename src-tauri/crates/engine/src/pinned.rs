//! What a run starts with and keeps: editing an agent never changes a run in flight.

use std::collections::BTreeMap;

use domain::agent::{AgentConfig, Stage};
use domain::{Digest, StageId, canonical};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that a run pins, stored once as a blob.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pinned {
    /// The agent's configuration.
    pub config: AgentConfig,
    /// Prompt files by the name under which the configuration knows them.
    pub prompts: BTreeMap<String, String>,
    /// Output schemas by stage.
    pub schemas: BTreeMap<StageId, Value>,
    /// Sources by slug.
    pub sources: BTreeMap<String, workspace::SourceConfig>,
    /// The knowledge base, where the agent uses one.
    pub corpus: Option<Corpus>,
    /// The connection's slug.
    pub connection: String,
    /// The model.
    pub model: String,
    /// What the model can do and costs.
    pub model_info: llm::ModelInfo,
}

/// A knowledge base at one generation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Corpus {
    /// Its name.
    pub base: String,
    /// The generation that the run reads, whatever is ingested later.
    pub generation: String,
    /// Its title.
    pub title: String,
    /// `standard`, `guide`, `web` or `primer`.
    pub tier: String,
    /// How a paragraph is cited, with `{id}`.
    pub citation: String,
    /// Shown under a document's title.
    pub notice: Option<String>,
}

impl Pinned {
    /// Canonical JSON: what is stored and hashed.
    pub fn bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        Ok(canonical(&serde_json::to_value(self)?).into_bytes())
    }

    /// The hash of [`Self::bytes`].
    pub fn digest(&self) -> Result<Digest, serde_json::Error> {
        Ok(Digest::of(self.bytes()?))
    }

    /// A stage by id.
    pub fn stage(&self, id: &StageId) -> Option<&Stage> {
        self.config.control_flow.stages.iter().find(|stage| &stage.id == id)
    }
}
