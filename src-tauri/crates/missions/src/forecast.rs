//! What a mission is likely to use: how often its agents may be invoked within its limits, times what their runs used
//! before. What is not known is said to be unknown.

use std::collections::{BTreeMap, BTreeSet};

use domain::mission::DEFAULT_ITERATIONS;
use domain::{AgentSlug, NanoUsd};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::decide::MAX_REFUSALS;
use crate::event::Role;
use crate::registry::RegisteredAgent;
use crate::terms::{Terms, capability};

/// What runs of an agent are known to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownUse {
    /// Money; `None` where the model has no price.
    pub cost: Option<NanoUsd>,
    /// Tokens.
    pub tokens: u64,
}

/// An amount between two ends; an end that is absent is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForecastBounds {
    /// The least that leads to a report.
    pub low: Option<u64>,
    /// The most within the limits.
    pub high: Option<u64>,
}

/// What the invocations of a mission are likely to use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InvocationForecast {
    /// The fewest invocations that lead to a report.
    pub fewest: u32,
    /// The most within the limits.
    pub most: u32,
    /// Money, in billionths of a dollar.
    pub cost: ForecastBounds,
    /// Tokens, input and output together.
    pub tokens: ForecastBounds,
    /// Agents of which no run is known.
    pub unknown: Vec<AgentSlug>,
}

/// What is invoked for one role, by one of some agents.
struct Part<'t> {
    agents: Vec<&'t AgentSlug>,
    fewest: u32,
    most: u32,
}

impl Terms {
    /// The forecast, from what is known of runs of the agents.
    pub fn forecast(&self, known: &BTreeMap<AgentSlug, KnownUse>) -> InvocationForecast {
        let parts = self.parts();
        let limit = self.limits.invocations.unwrap_or(u32::MAX);
        let sum =
            |count: fn(&Part<'_>) -> u32| parts.iter().map(count).fold(0, u32::saturating_add).min(limit);
        let agents: BTreeSet<&AgentSlug> = parts.iter().flat_map(|part| &part.agents).copied().collect();
        let bounds = |amount: fn(&KnownUse) -> Option<u64>, most: Option<u64>| {
            let amount = |agent: &AgentSlug| known.get(agent).and_then(amount);
            let capped = |sum: u64| most.map_or(sum, |most| sum.min(most));
            ForecastBounds {
                low: least(&parts, limit, &amount).map(capped),
                high: greatest(&parts, limit, &amount).map(capped).or(most),
            }
        };
        let budget = &self.limits.budget;
        InvocationForecast {
            fewest: sum(|part| part.fewest),
            most: sum(|part| part.most),
            cost: bounds(|known| known.cost.map(|cost| cost.0), budget.cost.map(|cost| cost.0)),
            tokens: bounds(|known| Some(known.tokens), budget.tokens),
            unknown: agents.into_iter().filter(|agent| !known.contains_key(*agent)).cloned().collect(),
        }
    }

    /// Who is invoked for what, how often.
    fn parts(&self) -> Vec<Part<'_>> {
        let iterations = self.limits.iterations.unwrap_or(DEFAULT_ITERATIONS);
        let researchers = self.registry.agents.iter().filter(|agent| agent.allowed && researches(agent));
        let mut parts = vec![Part {
            agents: researchers.map(|agent| &agent.slug).collect(),
            fewest: 1,
            most: iterations.saturating_mul(self.max_parallel),
        }];
        let reviews = self.review_rounds;
        for (role, fewest, most) in [
            (Role::Split, 1, 1),
            (Role::Plan, 1, 1),
            (Role::Coordinate, 1, iterations.saturating_mul(MAX_REFUSALS)),
            (Role::Synthesise, 1, reviews.saturating_add(1)),
            (Role::Review, reviews.min(1), reviews),
        ] {
            if let Some(agent) = role.named_in(&self.roles) {
                let cap = self.limits.per_agent.get(agent).copied().unwrap_or(u32::MAX);
                parts.push(Part { agents: vec![agent], fewest: fewest.min(cap), most: most.min(cap) });
            }
        }
        parts
    }
}

/// Whether an agent can do something besides the fixed roles.
fn researches(agent: &RegisteredAgent) -> bool {
    let fixed = [
        capability::SPLIT,
        capability::PLAN,
        capability::COORDINATE,
        capability::SYNTHESISE,
        capability::REVIEW,
    ];
    agent.capabilities.iter().any(|name| !fixed.contains(&name.as_str()))
}

/// What the fewest invocations use where each is done by the cheapest agent; within a limit the cheapest of them. Unknown where
/// a part has no agent of which something is known.
fn least(parts: &[Part<'_>], limit: u32, amount: &impl Fn(&AgentSlug) -> Option<u64>) -> Option<u64> {
    let of =
        |part: &Part<'_>| Some((part.agents.iter().filter_map(|agent| amount(agent)).min()?, part.fewest));
    let mut counted: Vec<(u64, u32)> =
        parts.iter().filter(|part| part.fewest > 0).map(of).collect::<Option<_>>()?;
    counted.sort_unstable();
    Some(within(counted, limit))
}

/// What the most invocations use where each is done by the dearest agent; within a limit the dearest of them. Unknown where
/// nothing is known of one of the agents.
fn greatest(parts: &[Part<'_>], limit: u32, amount: &impl Fn(&AgentSlug) -> Option<u64>) -> Option<u64> {
    let of = |part: &Part<'_>| {
        let amounts: Option<Vec<u64>> = part.agents.iter().map(|agent| amount(agent)).collect();
        Some((amounts?.into_iter().max().unwrap_or(0), part.most))
    };
    let mut counted: Vec<(u64, u32)> =
        parts.iter().filter(|part| part.most > 0).map(of).collect::<Option<_>>()?;
    counted.sort_unstable_by(|a, b| b.cmp(a));
    Some(within(counted, limit))
}

/// The sum of amounts, each so often, of the first that a limit allows.
fn within(counted: Vec<(u64, u32)>, limit: u32) -> u64 {
    let (mut left, mut sum) = (limit, 0_u64);
    for (amount, count) in counted {
        let count = count.min(left);
        left -= count;
        sum = sum.saturating_add(amount.saturating_mul(u64::from(count)));
    }
    sum
}
