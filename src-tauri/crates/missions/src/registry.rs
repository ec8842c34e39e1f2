//! The agents of a mission, described by what they can do.

use std::collections::BTreeSet;

use domain::mission::AgentUse;
use domain::{AgentSlug, Reserve};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An agent that can be invoked. How often is a limit of the mission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegisteredAgent {
    /// Its folder name.
    pub slug: AgentSlug,
    /// What it can do.
    pub capabilities: BTreeSet<String>,
    /// What its first call may cost at most: without so much left it is not begun.
    pub least: Reserve,
    /// Whether this mission may let it research.
    #[serde(default = "yes", skip_serializing_if = "Clone::clone")]
    pub allowed: bool,
    /// The capabilities for which this mission prefers it.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub preferred_for: BTreeSet<String>,
    /// The knowledge base of the user's choice that it reads: these are asked before anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<String>,
}

/// Between an agent's folder name and the knowledge base that it reads, where it is registered once for each of several.
const OF_BASE: char = '@';

/// The name under which an agent is registered for one of several knowledge bases.
pub fn name_for_base(agent: &str, base: &str) -> String {
    format!("{agent}{OF_BASE}{base}")
}

/// The folder name of an agent, whichever knowledge base it is registered for.
pub fn folder_of(agent: &AgentSlug) -> &str {
    agent.as_str().split(OF_BASE).next().unwrap_or_default()
}

fn yes() -> bool {
    true
}

/// The agents of a mission, in the order in which they are chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Registry {
    /// The agents.
    pub agents: Vec<RegisteredAgent>,
}

impl Registry {
    /// All agents, marked with what a profile allows and prefers.
    pub fn new(profile: &AgentUse, agents: Vec<RegisteredAgent>) -> Self {
        let mark = |mut agent: RegisteredAgent| {
            let folder = folder_of(&agent.slug);
            agent.allowed =
                profile.allow.is_empty() || profile.allow.iter().any(|slug| slug.as_str() == folder);
            let preferred = profile.prefer.iter().filter(|preference| preference.agent.as_str() == folder);
            agent.preferred_for.extend(preferred.map(|preference| preference.capability.clone()));
            agent
        };
        Self { agents: agents.into_iter().map(mark).collect() }
    }

    /// An agent by name.
    pub fn get(&self, slug: &AgentSlug) -> Option<&RegisteredAgent> {
        self.agents.iter().find(|agent| &agent.slug == slug)
    }

    /// The allowed agents with a capability, in order.
    pub(crate) fn capable<'a>(&'a self, capability: &str) -> impl Iterator<Item = &'a RegisteredAgent> {
        self.agents.iter().filter(move |agent| agent.allowed && agent.capabilities.contains(capability))
    }

    /// The first agent with a capability, preferred ones before others; roles are filled so.
    pub(crate) fn first_with(&self, capability: &str) -> Option<&AgentSlug> {
        let capable = || self.agents.iter().filter(|agent| agent.capabilities.contains(capability));
        capable().find(|agent| agent.preferred_for.contains(capability)).or(capable().next()).map(|a| &a.slug)
    }
}
