//! What a child run is asked, what it may use and what it is answered.

use domain::agent::{AgentConfig, ChildBudget, Stage, StageKind};
use domain::{Digest, ErrorCode, NanoUsd, PauseId, Problem, Reserve};
use engine_types::Reply;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::run::pinned::Pinned;

/// What a child run is asked and begins with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChildRequest {
    /// The agent's slug.
    pub agent: String,
    /// The question.
    pub request: String,
    /// What it is given besides: its expressions read it as `inputs`.
    pub inputs: Value,
    /// The depth, where the agent has one of the name of its parent's.
    pub depth: Option<String>,
}

impl ChildRequest {
    /// The hash under which the call was planned.
    pub(crate) fn digest(&self) -> Digest {
        Digest::of_json(&json!(self))
    }
}

/// A reply that goes on to a child run, as the parent's log keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForwardedReply {
    /// The child's pause.
    pub pause: PauseId,
    /// What the person sent.
    pub reply: Reply,
}

impl Pinned {
    /// What a child run pins: its own agent with the agents that it may run, and what the person gave along.
    pub(crate) fn of_child(&self, slug: &str) -> Result<Pinned, Problem> {
        let Some(pin) = self.agents.get(slug) else {
            let what = format!("agent {slug} is not among those that the run has kept");
            return Err(Problem::new(ErrorCode::Corrupt, what).with_action("start a new run"));
        };
        let mut pinned = pin.clone();
        pinned.material.clone_from(&self.material);
        pinned.attached.clone_from(&self.attached);
        let mut open: Vec<String> = child_slugs(&pin.config).map(str::to_owned).collect();
        while let Some(slug) = open.pop() {
            let Some(pin) = self.agents.get(&slug) else { continue };
            if pinned.agents.insert(slug, pin.clone()).is_none() {
                open.extend(child_slugs(&pin.config).map(str::to_owned));
            }
        }
        Ok(pinned)
    }

    /// The most that a run of it can use, and what it begins with.
    pub(crate) fn bounds(&self, most: Option<&ChildBudget>) -> (Reserve, Reserve) {
        let orchestrator = &self.config.orchestrator;
        let output = orchestrator.max_output_tokens.min(self.model_info.max_output);
        let call = self.reserve(&self.model_info, self.model_info.context_window, output);
        let calls: u64 = self.config.control_flow.stages.iter().map(|stage| self.calls_of(stage)).sum();
        let whole = Reserve {
            cost: NanoUsd(call.cost.0.saturating_mul(calls)),
            tokens: call.tokens.saturating_mul(calls),
        };
        let limits = [
            (orchestrator.budget_usd, orchestrator.budget_tokens),
            (most.and_then(|most| most.usd), most.and_then(|most| most.tokens)),
        ];
        let whole = limits.into_iter().fold(whole, |whole, (usd, tokens)| Reserve {
            cost: usd.map_or(whole.cost, |usd| whole.cost.min(NanoUsd::from_usd(usd))),
            tokens: tokens.map_or(whole.tokens, |tokens| whole.tokens.min(tokens)),
        });
        let least = self.essential();
        let least = Reserve { cost: least.cost.min(whole.cost), tokens: least.tokens.min(whole.tokens) };
        (whole, least)
    }

    /// The most calls to a model that a stage can make.
    fn calls_of(&self, stage: &Stage) -> u64 {
        let most = u64::from(stage.limits.max_calls);
        let once = match stage.kind {
            StageKind::Tools | StageKind::Render => 0,
            StageKind::Dialogue => most.saturating_add(1),
            StageKind::Model | StageKind::Verify | StageKind::Agent if stage.for_each.is_some() => most,
            StageKind::Model | StageKind::Verify | StageKind::Agent => 1,
        };
        let units = self.config.control_flow.repair_units.iter();
        let again: u64 = units
            .filter(|unit| unit.stages.contains(&stage.id))
            .map(|unit| u64::from(unit.max_iterations))
            .sum();
        once.saturating_mul(again.saturating_add(1)).saturating_mul(u64::from(stage.limits.attempts.max(1)))
    }
}

/// The agents whose runs an agent's stages may start.
pub(crate) fn child_slugs(config: &AgentConfig) -> impl Iterator<Item = &str> {
    config.control_flow.stages.iter().flat_map(Stage::child_agents)
}
