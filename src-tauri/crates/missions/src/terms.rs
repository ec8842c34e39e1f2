//! What a mission was agreed on: criteria, limits, agents, roles. Part of its first event, so that a log explains itself.

use std::collections::BTreeSet;

use domain::AgentSlug;
use domain::mission::{
    DEFAULT_NO_PROGRESS_ROUNDS, DEFAULT_PARALLEL, DEFAULT_REVIEW_ROUNDS, MissionPause, MissionProfile,
    MissionRoles,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::criteria::Criteria;
use crate::limits::{Essential, Limits};
use crate::registry::{RegisteredAgent, Registry};

/// Capabilities of the fixed roles.
pub mod capability {
    /// To split a request into objective and output specification.
    pub const SPLIT: &str = "request_split";
    /// To plan.
    pub const PLAN: &str = "planning";
    /// To propose what is done next.
    pub const COORDINATE: &str = "coordination";
    /// To write the report.
    pub const SYNTHESISE: &str = "synthesis";
    /// To review it.
    pub const REVIEW: &str = "quality_review";
}

/// What a mission was agreed on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Terms {
    /// When it is done.
    pub criteria: Criteria,
    /// The most that it may use; it can be raised later.
    pub limits: Limits,
    /// What stays set aside for the report.
    pub essential: Essential,
    /// The agents.
    pub registry: Registry,
    /// The agents of the fixed roles. Without one, code does what it can.
    pub roles: MissionRoles,
    /// Agents at work at the same time.
    pub max_parallel: u32,
    /// Iterations without progress after which the report is written.
    pub no_progress_rounds: u32,
    /// Reviews of the report.
    pub review_rounds: u32,
    /// Where it waits for the user.
    #[serde(default)]
    pub pauses: BTreeSet<MissionPause>,
}

impl Terms {
    /// The terms of a profile, over the agents that describe their capabilities, own ones first. `essential` is what a
    /// report costs at most.
    pub fn new(profile: &MissionProfile, agents: Vec<RegisteredAgent>, essential: Essential) -> Self {
        let registry = Registry::new(&profile.agents, agents);
        let named = &profile.agents.roles;
        let role = |named: &Option<AgentSlug>, capability: &str| {
            // One that can't be used now is not registered.
            let named = named.as_ref().filter(|slug| registry.get(slug).is_some());
            named.or_else(|| registry.first_with(capability)).cloned()
        };
        let roles = MissionRoles {
            split: role(&named.split, capability::SPLIT),
            plan: role(&named.plan, capability::PLAN),
            coordinate: role(&named.coordinate, capability::COORDINATE),
            synthesise: role(&named.synthesise, capability::SYNTHESISE),
            review: role(&named.review, capability::REVIEW),
        };
        let constraints = &profile.constraints;
        Self {
            criteria: Criteria::of(&profile.success_criteria),
            limits: Limits::of(constraints),
            essential,
            registry,
            roles,
            max_parallel: constraints.max_parallel.unwrap_or(DEFAULT_PARALLEL).max(1),
            no_progress_rounds: constraints.no_progress_rounds.unwrap_or(DEFAULT_NO_PROGRESS_ROUNDS).max(1),
            review_rounds: constraints.review_rounds.unwrap_or(DEFAULT_REVIEW_ROUNDS),
            pauses: profile.pauses.clone(),
        }
    }
}
