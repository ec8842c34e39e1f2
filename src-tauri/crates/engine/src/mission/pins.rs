//! What a mission pins: its profile and the agents that it may invoke, with everything that a run of each pins.

use std::collections::BTreeMap;

use domain::agent::ChildBudget;
use domain::mission::{MissionProfile, MissionRoles};
use domain::{ErrorCode, Problem, Reserve};
use evidence_graph::Requirements;
use missions::{Essential, RegisteredAgent, State, Terms};
use serde::{Deserialize, Serialize};

use crate::core::payloads::Payloads;
use crate::run::pinned::Pinned;

/// Capabilities that agents may have for what a graph needs.
const RESEARCH: &str = "research";
const CHECK: &str = "fact_checking";

/// What a mission pins, stored once as a blob.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MissionPins {
    /// The profile, in the mode that was chosen.
    pub profile: MissionProfile,
    /// The agents by slug.
    pub agents: BTreeMap<String, Pinned>,
    /// The connection's slug.
    pub connection: String,
    /// The model.
    pub model: String,
    /// The knowledge bases that were asked for in place of the agents' own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub corpora: Vec<String>,
    /// The only one, as earlier programs wrote it; read as one of `corpora`.
    #[serde(default, skip_serializing)]
    pub corpus: Option<String>,
    /// The agents that read one of them, each with which.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reads: BTreeMap<String, String>,
    /// Agents of the profile that can't be used now, each with why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The slug of the workspace; empty: the default one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub workspace: String,
}

impl MissionPins {
    pub(super) async fn read(payloads: &dyn Payloads, digest: domain::Digest) -> Result<Self, Problem> {
        let value = crate::run::values::read(payloads, digest).await?;
        let mut pins: Self = serde_json::from_value(value).map_err(|error| {
            Problem::new(ErrorCode::Corrupt, format!("what a mission pinned can't be read: {error}"))
        })?;
        pins.corpora.extend(pins.corpus.take());
        Ok(pins)
    }

    /// What an agent pins.
    pub(super) fn agent(&self, slug: &str) -> Result<&Pinned, Problem> {
        self.agents.get(slug).ok_or_else(|| {
            Problem::new(ErrorCode::Corrupt, format!("the mission has not kept the agent {slug}"))
                .with_action("start a new mission")
        })
    }

    /// The name of an agent as the user sees it.
    pub(super) fn name_of(&self, slug: &str) -> String {
        let Some(pinned) = self.agents.get(slug) else { return slug.replace('-', " ") };
        // Where there are several, it matters which base was asked.
        match self.reads.get(slug).filter(|_| self.corpora.len() > 1) {
            Some(base) => format!("{} ({base})", pinned.config.name),
            None => pinned.config.name.clone(),
        }
    }

    /// The most that a run of an agent may use, and what it begins with.
    pub(super) fn bounds(&self, slug: &str) -> Result<(Reserve, Reserve), Problem> {
        Ok(self.agent(slug)?.bounds(None::<&ChildBudget>))
    }

    /// Whether the engine without a model answers.
    pub(super) fn is_offline(&self) -> bool {
        self.agents.values().any(Pinned::is_offline)
    }

    /// The terms of the mission. Without a model, code does what the fixed roles would do.
    pub(super) fn terms(&self) -> Terms {
        let registered = |(slug, pinned): (&String, &Pinned)| RegisteredAgent {
            slug: slug.as_str().into(),
            capabilities: pinned.config.capabilities.iter().cloned().collect(),
            least: pinned.bounds(None).1,
            allowed: true,
            preferred_for: std::collections::BTreeSet::new(),
            reads: self.reads.get(slug).cloned(),
        };
        let agents = self.agents.iter().map(registered).collect();
        let mut terms = Terms::new(&self.profile, agents, Essential::default());
        if self.is_offline() {
            terms.roles = MissionRoles::default();
        }
        if let Some(slug) = &terms.roles.synthesise
            && let Some(pinned) = self.agents.get(slug.as_str())
        {
            terms.essential.reserve = pinned.bounds(None).1;
        }
        terms
    }

    /// What the analysers of the graph go by.
    pub(super) fn requirements(&self, state: &State) -> Requirements {
        let criteria = &self.profile.success_criteria;
        let sections = [&criteria.required_sections, &self.profile.output_specification.required_sections];
        let mut required_sections: Vec<String> = Vec::new();
        for section in sections.into_iter().flatten() {
            if !required_sections.contains(section) {
                required_sections.push(section.clone());
            }
        }
        Requirements {
            required_sections,
            min_sources: 1,
            min_sources_per_claim: criteria.min_sources_per_claim.unwrap_or(1),
            half_life_days: self
                .profile
                .constraints
                .half_life_days
                .unwrap_or(domain::mission::DEFAULT_HALF_LIFE_DAYS),
            research: RESEARCH.to_owned(),
            check: CHECK.to_owned(),
            earlier: state.start.as_ref().map(|start| start.graph.earlier).unwrap_or_default(),
            asked: state.asked.clone(),
            ..Requirements::default()
        }
    }
}
