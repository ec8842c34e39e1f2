//! What a run starts with and keeps: editing an agent never changes a run in flight.

use std::collections::BTreeMap;

use domain::agent::{AgentConfig, Stage, StageKind};
use domain::{Digest, ErrorCode, KeyForm, NanoUsd, Problem, Reserve, StageId, Usage, canonical};
use engine_types::{AttachedDocuments, Corpus, Material, ResolvedAgent};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::core::tools::WebSearchUse;

/// How this version makes requests: see [`Pinned::requests`].
pub(crate) const REQUESTS: u32 = 3;
/// How this version reads answers: see [`Pinned::reading`].
const READING: u32 = 3;

/// Everything that a run pins, stored once as a blob.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pinned {
    /// The agent's configuration.
    pub config: AgentConfig,
    /// Prompt files by the name under which the configuration knows them.
    pub prompts: BTreeMap<String, String>,
    /// Output schemas by stage.
    #[serde(with = "in_order")]
    pub schemas: BTreeMap<StageId, Value>,
    /// The schemas of stages' repairs.
    #[serde(default, with = "in_order", skip_serializing_if = "BTreeMap::is_empty")]
    pub repairs: BTreeMap<StageId, Value>,
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
    /// The model that judges statements and what it can do and costs; without it the run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<llm::ModelInfo>,
    /// How its requests are made, so that they come out the same in every later version: 0 in one message, 1 with the
    /// session as cache key and a stable beginning in a message of its own, 2 with stages of a conversation of their own that
    /// begin as the shared one does, and with schemas that show no `$schema` and no title.
    #[serde(default)]
    pub requests: u32,
    /// How answers are read, so that they are read the same in every later version: 0 as their schema has them, but for
    /// fields that it does not know; 1 also where they say it in another shape, and what is no JSON is told in its words,
    /// a refusal is no failure of the provider, and footnotes of parts say of an unverified statement who has to judge it;
    /// lists of forms have the bounds of their schema, not 1,000 at most; 2 also with headings in capitals as titles, and with single
    /// marks for quotations within quotations; 3 forms say of a choice why it is not to be had, prose is the one text that
    /// a schema asks for, and a text that ended for an unknown reason is none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reading: u32,
    /// What the person gave along with the question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub material: Vec<Material>,
    /// The documents among it, which are asked as a knowledge base is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached: Option<AttachedDocuments>,
    /// The agents whose runs its stages may start, and theirs, by slug.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, Pinned>,
    /// What a run of it may be given besides the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    /// The agent's data files, by the names that expressions read them by.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, Value>,
    /// What the state file of a run must satisfy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Value>,
    /// Whether there was no web search when it began: its agent plans without one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_web_search: bool,
    /// Whether that was because the vault was locked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vault_locked: bool,
    /// The slug of the workspace that its sources are of; empty: the default one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub workspace: String,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Schemas as text: models write fields in the order in which a schema declares them, and what is stored as JSON has its
/// names sorted. Runs of earlier versions have the value itself.
mod in_order {
    use super::*;
    use serde::{Deserializer, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum StoredPin {
        Text(String),
        Value(Value),
    }

    pub(super) fn serialize<S: Serializer>(
        schemas: &BTreeMap<StageId, Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(schemas.iter().map(|(stage, schema)| (stage, schema.to_string())))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<StageId, Value>, D::Error> {
        let stored = BTreeMap::<StageId, StoredPin>::deserialize(deserializer)?;
        stored
            .into_iter()
            .map(|(stage, schema)| match schema {
                StoredPin::Text(text) => {
                    Ok((stage, serde_json::from_str(&text).map_err(serde::de::Error::custom)?))
                }
                StoredPin::Value(value) => Ok((stage, value)),
            })
            .collect()
    }
}

/// What a call cost, and how that counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CallCost {
    /// Money that is billed by use.
    pub(crate) cost: NanoUsd,
    /// What it would have cost by use, where a flat rate pays.
    pub(crate) equivalent: NanoUsd,
    /// Whether a flat rate pays.
    pub(crate) flat: bool,
    /// Whether nobody knows a price.
    pub(crate) unpriced: bool,
}

/// What a run pinned, from its blob.
pub(crate) async fn read(
    payloads: &dyn crate::core::payloads::Payloads,
    digest: Digest,
) -> Result<Pinned, Problem> {
    let value = crate::run::values::read(payloads, digest).await?;
    let unread = |error: serde_json::Error| {
        Problem::new(ErrorCode::Corrupt, format!("what a run pinned can't be read: {error}"))
    };
    serde_json::from_value(value).map_err(unread)
}

impl Pinned {
    /// The same with another connection and model. A name of one provider's model says nothing at another.
    pub(crate) fn moved(&self, connection: &str, model: Option<&str>, provider: &dyn llm::Provider) -> Self {
        let mut moved = self.clone();
        if connection != self.connection {
            moved.config.control_flow.stages.iter_mut().for_each(|stage| stage.model = None);
        }
        connection.clone_into(&mut moved.connection);
        moved.model = model.map_or_else(|| provider.default_model(), str::to_owned);
        moved.model_info = provider.model(&moved.model);
        moved.judge = provider.judge_model(&moved.model);
        for child in moved.agents.values_mut() {
            *child = child.moved(connection, model, provider);
        }
        moved
    }

    /// Whether the engine without a model answers.
    pub(crate) fn is_offline(&self) -> bool {
        self.model_info.provider == "offline"
    }

    /// How the keys of sentences are written in its requests and answers.
    pub(crate) fn key_form(&self) -> KeyForm {
        if self.requests < 3 { KeyForm::Bare } else { KeyForm::Marked }
    }

    /// What a run of an agent pins over a connection. A name of one provider's model says nothing at another.
    pub(crate) fn new(
        resolved: ResolvedAgent,
        connection: &str,
        model: &str,
        provider: &dyn llm::Provider,
    ) -> Self {
        let ResolvedAgent { agent, sources, corpus } = resolved;
        let mut config = agent.config;
        let own = config.orchestrator.connection.as_deref() == Some(connection);
        if !own {
            config.control_flow.stages.iter_mut().for_each(|stage| stage.model = None);
        }
        Self {
            config,
            prompts: agent.prompts,
            schemas: agent.schemas,
            repairs: agent.repairs,
            sources: sources.into_iter().map(|source| (source.slug.clone(), source)).collect(),
            corpus,
            connection: connection.to_owned(),
            model: model.to_owned(),
            model_info: provider.model(model),
            judge: provider.judge_model(model),
            requests: REQUESTS,
            reading: READING,
            material: Vec::new(),
            attached: None,
            agents: BTreeMap::new(),
            input_schema: agent.input_schema,
            data: agent.data,
            checkpoint: agent.checkpoint,
            no_web_search: false,
            vault_locked: false,
            workspace: String::new(),
        }
    }

    /// The same in a workspace, with the agents that it may run.
    pub(crate) fn in_workspace(mut self, workspace: &str, search: WebSearchUse) -> Self {
        self.agents = self
            .agents
            .into_iter()
            .map(|(slug, child)| (slug, child.in_workspace(workspace, search)))
            .collect();
        self.no_web_search = search != WebSearchUse::Ready;
        self.vault_locked = search == WebSearchUse::Locked;
        self.workspace = workspace.to_owned();
        self
    }

    /// The base of attached documents, where it is asked beside the run's own.
    pub fn beside(&self) -> Option<&Corpus> {
        let attached = self.attached.as_ref().map(|attached| &attached.corpus)?;
        self.corpus.as_ref().is_some_and(|own| own.base != attached.base).then_some(attached)
    }

    /// The bases that it asks: that of attached documents before its own.
    pub fn bases(&self) -> impl Iterator<Item = &Corpus> {
        self.beside().into_iter().chain(&self.corpus)
    }

    /// Canonical JSON: what is stored and hashed.
    pub fn bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        Ok(canonical(&serde_json::to_value(self)?).into_bytes())
    }

    /// The hash of [`Self::bytes`].
    pub fn digest(&self) -> Result<Digest, serde_json::Error> {
        Ok(Digest::of(self.bytes()?))
    }

    /// Whether a flat rate pays: what calls cost is an equivalent, and counts in no budget of money.
    pub fn flat_rate(&self) -> bool {
        self.model_info.abilities.flat_rate
    }

    /// The model that a stage asks, and what it can do and costs.
    pub fn asks<'p>(&'p self, stage: &'p Stage) -> (&'p str, &'p llm::ModelInfo) {
        match (&stage.model, &self.judge) {
            (Some(own), _) => (own, &self.model_info),
            (None, Some(judge)) if stage.kind == StageKind::Verify => (&judge.id, judge),
            (None, _) => (&self.model, &self.model_info),
        }
    }

    /// The most a call of a stage can use of the run's budget.
    pub(crate) fn reserve(&self, info: &llm::ModelInfo, input: u64, max_output: u64) -> Reserve {
        let reserve = info.reserve(input, max_output);
        if self.flat_rate() { Reserve { cost: NanoUsd(0), ..reserve } } else { reserve }
    }

    /// What stays reserved for an essential stage: a full context and a full answer, or what the budget can hold of it.
    pub(crate) fn essential(&self) -> Reserve {
        let (config, info) = (&self.config, &self.model_info);
        let stage = config.control_flow.stages.iter().find(|stage| stage.essential);
        let Some(stage) = stage else { return Reserve::default() };
        let named = config.orchestrator.per_stage_desired_tokens.get(stage.id.as_str()).copied();
        let desired = stage.desired_tokens.or(named).unwrap_or(config.orchestrator.max_output_tokens);
        let output = desired.min(info.max_output).min(config.orchestrator.max_output_tokens);
        self.reserve(info, output / 2, output)
    }

    /// What a call to a model cost. What the provider says counts before what the table says.
    pub(crate) fn call_cost(
        &self,
        info: &llm::ModelInfo,
        usage: &Usage,
        reported: Option<NanoUsd>,
    ) -> CallCost {
        let cost = reported.unwrap_or_else(|| info.cost(usage));
        let unpriced = !info.priced && reported.is_none();
        if self.flat_rate() {
            CallCost { cost: NanoUsd(0), equivalent: cost, flat: true, unpriced }
        } else {
            CallCost { cost, equivalent: NanoUsd(0), flat: false, unpriced }
        }
    }

    /// What a person has to know who watches what the run costs.
    pub(crate) fn price_warning(&self) -> Option<String> {
        (!self.model_info.priced).then(|| {
            format!(
                "no price is known for {}; the meter shows tokens only, and a limit in dollars does not hold; \
                 set one in Settings > Connections",
                self.model
            )
        })
    }

    /// A stage by id.
    pub fn stage(&self, id: &StageId) -> Option<&Stage> {
        self.config.control_flow.stages.iter().find(|stage| &stage.id == id)
    }
}
