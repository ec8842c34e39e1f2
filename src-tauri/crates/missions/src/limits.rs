//! What a mission may use: six dimensions, what is set aside of them, and what is told when they run low.

use std::collections::BTreeMap;

use domain::mission::{DEFAULT_INVOCATIONS, DEFAULT_ITERATIONS, MissionConstraints};
use domain::{AgentSlug, Budget, NanoUsd, Reserve};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::Role;
use crate::registry::folder_of;
use crate::state::{Invocation, InvocationStatus, State};

/// Shares of a limit, in percent, at which it is told that it runs low.
pub(crate) const WARNINGS: [u32; 2] = [75, 90];
const MS_PER_MINUTE: f64 = 60_000.0;

/// One of the six limits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Money.
    Cost,
    /// Tokens.
    Tokens,
    /// Active time.
    Time,
    /// Invocations of agents.
    Invocations,
    /// Invocations of one agent.
    Agent(AgentSlug),
    /// Iterations.
    Iterations,
}

/// The most that a mission may use. `None` is no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// Money, tokens, active time.
    pub budget: Budget,
    /// Invocations of agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invocations: Option<u32>,
    /// Invocations of single agents.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub per_agent: BTreeMap<AgentSlug, u32>,
    /// Iterations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u32>,
}

/// What stays set aside for the report, besides one invocation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Essential {
    /// Money and tokens.
    pub reserve: Reserve,
    /// Active milliseconds.
    pub active_ms: u64,
}

impl Limits {
    /// Those of a profile.
    pub fn of(constraints: &MissionConstraints) -> Self {
        Self {
            budget: Budget {
                cost: constraints.usd.map(NanoUsd::from_usd),
                tokens: constraints.tokens,
                active_ms: constraints.minutes.map(|minutes| (minutes.max(0.0) * MS_PER_MINUTE) as u64),
            },
            invocations: Some(constraints.invocations.unwrap_or(DEFAULT_INVOCATIONS)),
            per_agent: constraints.per_agent.clone(),
            iterations: Some(constraints.iterations.unwrap_or(DEFAULT_ITERATIONS)),
        }
    }

    /// Whether none of them is lower than before.
    pub fn is_raise_of(&self, before: &Self) -> bool {
        fn reaches<T: Ord>(now: Option<T>, before: Option<T>) -> bool {
            match (now, before) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(now), Some(before)) => now >= before,
            }
        }
        let caps =
            || self.per_agent.iter().all(|(agent, cap)| reaches(Some(cap), before.per_agent.get(agent)));
        reaches(self.budget.cost, before.budget.cost)
            && reaches(self.budget.tokens, before.budget.tokens)
            && reaches(self.budget.active_ms, before.budget.active_ms)
            && reaches(self.invocations, before.invocations)
            && reaches(self.iterations, before.iterations)
            && caps()
    }
}

impl State {
    /// What is spent, may have been spent, and is set aside for what is under way.
    pub fn committed(&self) -> Reserve {
        let spent = Reserve { cost: self.cost, tokens: self.usage.total() } + self.doubtful;
        self.invocations.values().fold(spent, |sum, invocation| sum + invocation.held)
    }

    /// What is kept for the report, as long as there is none and nobody writes one.
    fn report_share(&self) -> Reserve {
        if self.is_report_due() {
            self.start.as_ref().map(|start| start.terms.essential.reserve).unwrap_or_default()
        } else {
            Reserve::default()
        }
    }

    /// Whether something has to be kept for the report: an agent is still to write it.
    fn is_report_due(&self) -> bool {
        let writes = |invocation: &Invocation| {
            invocation.role == Role::Synthesise && invocation.status == InvocationStatus::Requested
        };
        let by_agent = self.terms().is_some_and(|terms| terms.roles.synthesise.is_some());
        by_agent && self.drafts.is_empty() && !self.invocations.values().any(writes)
    }

    /// Whether the time is over, the report's share left over for everything else.
    pub fn is_out_of_time(&self, role: Role) -> bool {
        self.time_left(role) == Some(0)
    }

    /// Active milliseconds that a child run may use, where time is limited.
    pub fn time_left(&self, role: Role) -> Option<u64> {
        let essential = self.start.as_ref().map_or(0, |start| start.terms.essential.active_ms);
        let kept = if role == Role::Synthesise { 0 } else { essential };
        self.limits.budget.active_ms.map(|limit| limit.saturating_sub(kept).saturating_sub(self.active_ms))
    }

    /// Invocations that were made or will be.
    pub fn invocations_made(&self) -> u32 {
        self.invocations.values().filter(|invocation| invocation.counts()).count() as u32
    }

    /// Invocations of an agent that were made or will be.
    pub fn invocations_of(&self, agent: &AgentSlug) -> u32 {
        let counts = |invocation: &&Invocation| invocation.counts() && &invocation.agent == agent;
        self.invocations.values().filter(counts).count() as u32
    }

    /// The same, for whichever knowledge bases it is registered.
    pub fn invocations_over_bases(&self, agent: &AgentSlug) -> u32 {
        let folder = folder_of(agent);
        let counts = |one: &&Invocation| one.counts() && folder_of(&one.agent) == folder;
        self.invocations.values().filter(counts).count() as u32
    }

    /// How often an agent may be invoked, for whichever knowledge bases it is registered.
    pub(crate) fn cap_of(&self, agent: &AgentSlug) -> Option<u32> {
        self.limits.per_agent.get(&AgentSlug::from(folder_of(agent))).copied()
    }

    /// Invocations that are left besides the one that writes the report.
    pub(crate) fn invocations_left_for_research(&self) -> u32 {
        let kept = u32::from(self.is_report_due());
        self.limits
            .invocations
            .map_or(u32::MAX, |limit| limit.saturating_sub(self.invocations_made()).saturating_sub(kept))
    }

    /// Whether the agent of a fixed role may be invoked once more.
    pub(crate) fn may_invoke(&self, role: Role, agent: &AgentSlug) -> bool {
        let left = match role {
            Role::Synthesise => self.limits.invocations.is_none_or(|limit| self.invocations_made() < limit),
            Role::Split | Role::Plan | Role::Coordinate | Role::Review | Role::Research | Role::Check => {
                self.invocations_left_for_research() > 0
            }
        };
        let least = self.registry().get(agent).map(|agent| agent.least).unwrap_or_default();
        left && self.cap_of(agent).is_none_or(|cap| self.invocations_over_bases(agent) < cap)
            && !self.is_out_of_time(role)
            && self.leaves_enough(role, least)
    }

    /// Whether so much may be set aside for an invocation now.
    pub(crate) fn leaves_enough(&self, role: Role, reserve: Reserve) -> bool {
        self.limits.budget.allows(self.committed() + self.floor(role) + reserve)
    }

    /// What has to stay left over beside an invocation.
    fn floor(&self, role: Role) -> Reserve {
        if role == Role::Synthesise { Reserve::default() } else { self.report_share() }
    }

    /// What is set aside for an invocation: its own budget, or its share of what is left if that is less. `None`: what is
    /// left is not enough to begin.
    pub(crate) fn afforded(&self, invocation: &Invocation) -> Option<Reserve> {
        let taken = self.committed() + self.floor(invocation.role);
        let budget = self.limits.budget;
        let used = invocation.used.amount();
        let whole = invocation.reserve.less(used);
        let least = invocation.least;
        if !whole.covers(least) || !budget.allows(taken + least) {
            return None;
        }
        // Those of a wave share what is left; the first would take all of it else.
        let shares = (self.invocations.values().filter(|other| other.waits()).count() as u64).max(1);
        let share = |limit: Option<u64>, taken: u64, least: u64| {
            limit.map_or(u64::MAX, |limit| (limit.saturating_sub(taken) / shares).max(least))
        };
        let cost = share(budget.cost.map(|limit| limit.0), taken.cost.0, least.cost.0);
        Some(Reserve {
            cost: NanoUsd(whole.cost.0.min(cost)),
            tokens: whole.tokens.min(share(budget.tokens, taken.tokens, least.tokens)),
        })
    }

    /// The limit that allows no further iteration, or nothing more in one that has begun.
    pub fn exhausted(&self) -> Option<Dimension> {
        if self.current.is_none() && self.limits.iterations.is_some_and(|limit| self.iteration >= limit) {
            return Some(Dimension::Iterations);
        }
        if self.is_out_of_time(Role::Research) {
            return Some(Dimension::Time);
        }
        if self.invocations_left_for_research() == 0 {
            return Some(Dimension::Invocations);
        }
        let researchers = || self.registry().agents.iter().filter(|agent| agent.allowed);
        let taken = self.committed() + self.report_share();
        let budget = self.limits.budget;
        let cost = researchers().map(|agent| agent.least.cost).min().unwrap_or_default();
        let tokens = researchers().map(|agent| agent.least.tokens).min().unwrap_or_default();
        if budget.cost.is_some_and(|limit| taken.cost + cost > limit) {
            Some(Dimension::Cost)
        } else if budget.tokens.is_some_and(|limit| taken.tokens + tokens > limit) {
            Some(Dimension::Tokens)
        } else {
            None
        }
    }

    /// Warnings that were not given yet.
    pub(crate) fn due_warnings(&self) -> Vec<(Dimension, u32)> {
        let reached = self.shares_used().into_iter().flat_map(|(dimension, percent)| {
            WARNINGS.into_iter().filter(move |at| percent >= *at).map(move |at| (dimension.clone(), at))
        });
        reached.filter(|warning| !self.warned.contains(warning)).collect()
    }

    /// How much of each limit is used, in percent; one that is used up is told of otherwise.
    pub(crate) fn shares_used(&self) -> Vec<(Dimension, u32)> {
        let limits = &self.limits;
        let cost = self.cost + self.doubtful.cost;
        let tokens = self.usage.total().saturating_add(self.doubtful.tokens);
        let count = |limit: Option<u32>| limit.map(u64::from);
        let mut shares = vec![
            (Dimension::Cost, cost.0, limits.budget.cost.map(|limit| limit.0)),
            (Dimension::Tokens, tokens, limits.budget.tokens),
            (Dimension::Time, self.active_ms, limits.budget.active_ms),
            (Dimension::Invocations, u64::from(self.invocations_made()), count(limits.invocations)),
            (Dimension::Iterations, u64::from(self.iteration), count(limits.iterations)),
        ];
        for (agent, cap) in &limits.per_agent {
            let made = u64::from(self.invocations_over_bases(agent));
            shares.push((Dimension::Agent(agent.clone()), made, Some(u64::from(*cap))));
        }
        let used = |(dimension, used, limit): (Dimension, u64, Option<u64>)| {
            let limit = limit.filter(|limit| used < *limit)?;
            Some((dimension, (u128::from(used) * 100 / u128::from(limit)) as u32))
        };
        shares.into_iter().filter_map(used).collect()
    }
}
