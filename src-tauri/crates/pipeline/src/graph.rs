//! The shape of an agent that the machine needs: which stages, in which order, with which bounds.

use std::collections::BTreeSet;

use domain::StageId;
use domain::agent::{AgentConfig, OnAmbiguous, RepairUnit, Stage, StageKind};

/// The stages of an agent and how they depend on each other. Made once, when a run starts or is loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// In list order.
    pub nodes: Vec<Node>,
    /// Stages that are repaired together.
    pub repair_units: Vec<RepairUnit>,
    /// Calls under way at once, over all stages.
    pub max_parallel: u32,
    /// What to do with a model call whose outcome is unknown.
    pub on_ambiguous: OnAmbiguous,
}

/// One stage, without its contents.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Its id.
    pub id: StageId,
    /// Stages that must have ended first.
    pub depends_on: Vec<StageId>,
    /// Waves of tool calls.
    pub tool_waves: u32,
    /// Whether a wave of model calls follows them.
    pub model: bool,
    /// What carries out that wave's calls, where it is no model.
    pub child: Option<ChildKind>,
    /// Whether it takes part in the conversation that stages share.
    pub continues: bool,
    /// Whether the run stops after it.
    pub pauses: bool,
    /// Whether answers make it run once more.
    pub replans: bool,
    /// Stages that its pause offers to skip.
    pub skips: Vec<StageId>,
    /// Whether failure or lack of budget skips it.
    pub skippable: bool,
    /// Whether budget for it stays reserved until it has run.
    pub essential: bool,
    /// Calls of it under way at once.
    pub parallel: u32,
    /// Attempts of one call.
    pub attempts: u32,
}

/// What carries out a call in place of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildKind {
    /// A turn of a conversation.
    Turn,
    /// A run of another agent.
    Run,
}

impl Node {
    /// Tool waves and, where there is one, the model wave.
    pub fn waves(&self) -> u32 {
        self.tool_waves + u32::from(self.model)
    }
}

/// A graph that can't be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// No stage at all.
    #[error("the agent has no stages")]
    Empty,
    /// Two stages with one id.
    #[error("stage id {0} is used twice")]
    Duplicate(StageId),
    /// A reference to a stage that isn't there.
    #[error("{place} names stage {stage}, which does not exist")]
    Unknown {
        /// Where, as a JSON pointer below `controlFlow`.
        place: String,
        /// The id named.
        stage: StageId,
    },
    /// Stages that wait for each other.
    #[error("stages wait for each other in a circle: {}", .0.iter().map(StageId::as_str).collect::<Vec<_>>().join(" -> "))]
    Cycle(Vec<StageId>),
    /// A repair unit whose last stage does not verify.
    #[error("repair unit {0}: its last stage must be of kind verify")]
    NotVerified(usize),
    /// A stage in two repair units, or twice in one.
    #[error("repair unit {unit}: stage {stage} is in a repair unit already")]
    Overlap {
        /// The later unit's index.
        unit: usize,
        /// The stage.
        stage: StageId,
    },
    /// A stage of a repair unit that its last stage does not judge.
    #[error("repair unit {unit}: its last stage does not depend on stage {stage}")]
    NotJudged {
        /// The unit's index.
        unit: usize,
        /// The stage.
        stage: StageId,
    },
    /// A stage between stages of a repair unit that is not in it: each would wait for the other.
    #[error("repair unit {unit}: stage {stage} lies between its stages and must be in it too")]
    Between {
        /// The unit's index.
        unit: usize,
        /// The stage.
        stage: StageId,
    },
}

impl Graph {
    /// From an agent's configuration.
    pub fn new(config: &AgentConfig) -> Result<Self, GraphError> {
        let flow = &config.control_flow;
        let mut ids = BTreeSet::new();
        for stage in &flow.stages {
            if !ids.insert(stage.id.clone()) {
                return Err(GraphError::Duplicate(stage.id.clone()));
            }
        }
        let known = |place: String, stage: &StageId| {
            if ids.contains(stage) {
                Ok(())
            } else {
                Err(GraphError::Unknown { place, stage: stage.clone() })
            }
        };
        for (index, stage) in flow.stages.iter().enumerate() {
            for (at, id) in stage.depends_on.iter().flatten().enumerate() {
                known(format!("/stages/{index}/dependsOn/{at}"), id)?;
            }
            for (at, choice) in stage.pause.iter().flat_map(|pause| &pause.choices).enumerate() {
                if let Some(id) = &choice.skips {
                    known(format!("/stages/{index}/pause/choices/{at}/skips"), id)?;
                }
            }
        }
        for (at, id) in flow.pause_after_stages.iter().enumerate() {
            known(format!("/pauseAfterStages/{at}"), id)?;
        }
        for (index, unit) in flow.repair_units.iter().enumerate() {
            for (at, id) in unit.stages.iter().enumerate() {
                known(format!("/repairUnits/{index}/stages/{at}"), id)?;
            }
            let last = unit.stages.last().and_then(|id| flow.stages.iter().find(|stage| &stage.id == id));
            if last.is_none_or(|stage| stage.kind != StageKind::Verify) {
                return Err(GraphError::NotVerified(index));
            }
        }
        let nodes: Vec<Node> = flow
            .stages
            .iter()
            .enumerate()
            .map(|(index, stage)| {
                let before = index.checked_sub(1).map(|i| &flow.stages[i].id);
                let node = node(stage, before, &flow.pause_after_stages);
                Node { continues: config.continues(stage), ..node }
            })
            .collect();
        if nodes.is_empty() {
            return Err(GraphError::Empty);
        }
        find_cycle(&nodes)?;
        let graph = Self {
            nodes,
            repair_units: flow.repair_units.clone(),
            max_parallel: flow.max_parallel.max(1),
            on_ambiguous: config.orchestrator.on_ambiguous,
        };
        graph.check_units()?;
        Ok(graph)
    }

    fn check_units(&self) -> Result<(), GraphError> {
        let mut taken = BTreeSet::new();
        for (unit, stages) in self.repair_units.iter().map(|unit| &unit.stages).enumerate() {
            if let Some(stage) = stages.iter().find(|stage| !taken.insert(*stage)) {
                return Err(GraphError::Overlap { unit, stage: stage.clone() });
            }
            for stage in stages.iter().rev().skip(1) {
                if stages.last().is_some_and(|last| !self.dependents(stage).contains(last)) {
                    return Err(GraphError::NotJudged { unit, stage: stage.clone() });
                }
            }
            let after: BTreeSet<StageId> = stages.iter().flat_map(|stage| self.dependents(stage)).collect();
            for stage in after.iter().filter(|stage| !stages.contains(stage)) {
                if self.dependents(stage).iter().any(|later| stages.contains(later)) {
                    return Err(GraphError::Between { unit, stage: stage.clone() });
                }
            }
        }
        // Whoever uses a unit's stage waits for the whole unit, so units must not wait for each other either.
        let head = |id: &StageId| match self.unit_of(id) {
            Some(at) => self.repair_units[at].stages[0].clone(),
            None => id.clone(),
        };
        let mut heads: Vec<Node> = Vec::new();
        for node in &self.nodes {
            let id = head(&node.id);
            let on = node.depends_on.iter().map(head).filter(|on| on != &id);
            match heads.iter_mut().find(|other| other.id == id) {
                Some(other) => other.depends_on.extend(on),
                None => heads.push(Node { id: id.clone(), depends_on: on.collect(), ..node.clone() }),
            }
        }
        find_cycle(&heads)
    }

    /// Stages that depend on one, directly or not.
    pub fn dependents(&self, id: &StageId) -> BTreeSet<StageId> {
        let mut found = BTreeSet::new();
        loop {
            let before = found.len();
            for node in &self.nodes {
                if node.depends_on.iter().any(|on| on == id || found.contains(on)) {
                    found.insert(node.id.clone());
                }
            }
            if found.len() == before {
                return found;
            }
        }
    }

    /// The index of the repair unit that a stage is in.
    pub(crate) fn unit_of(&self, id: &StageId) -> Option<usize> {
        self.repair_units.iter().position(|unit| unit.stages.contains(id))
    }

    /// A stage by id.
    pub fn node(&self, id: &StageId) -> Option<&Node> {
        self.nodes.iter().find(|node| &node.id == id)
    }
}

fn node(stage: &Stage, before: Option<&StageId>, pause_after: &[StageId]) -> Node {
    Node {
        id: stage.id.clone(),
        depends_on: match &stage.depends_on {
            Some(ids) => ids.clone(),
            None => before.into_iter().cloned().collect(),
        },
        tool_waves: stage.steps.len() as u32,
        model: stage.asks_model(),
        child: match stage.kind {
            StageKind::Dialogue => Some(ChildKind::Turn),
            StageKind::Agent => Some(ChildKind::Run),
            StageKind::Model | StageKind::Tools | StageKind::Verify | StageKind::Render => None,
        },
        continues: false,
        pauses: stage.pause.is_some() || pause_after.contains(&stage.id),
        skips: stage
            .pause
            .iter()
            .flat_map(|pause| &pause.choices)
            .filter_map(|choice| choice.skips.clone())
            .collect(),
        replans: stage.pause.as_ref().is_some_and(|pause| pause.replan_on_answers),
        skippable: stage.skippable,
        essential: stage.essential,
        parallel: stage.limits.parallel.max(1),
        attempts: stage.limits.attempts.max(1),
    }
}

fn find_cycle(nodes: &[Node]) -> Result<(), GraphError> {
    let mut done: BTreeSet<&StageId> = BTreeSet::new();
    loop {
        let ready: Vec<&StageId> = nodes
            .iter()
            .filter(|node| !done.contains(&node.id) && node.depends_on.iter().all(|id| done.contains(id)))
            .map(|node| &node.id)
            .collect();
        if ready.is_empty() {
            break;
        }
        done.extend(ready);
    }
    let mut path: Vec<StageId> = Vec::new();
    let mut next = nodes.iter().find(|node| !done.contains(&node.id));
    while let Some(node) = next {
        if let Some(start) = path.iter().position(|id| id == &node.id) {
            path.drain(..start);
            path.push(node.id.clone());
            return Err(GraphError::Cycle(path));
        }
        path.push(node.id.clone());
        next = node
            .depends_on
            .iter()
            .find(|id| !done.contains(id))
            .and_then(|id| nodes.iter().find(|other| &other.id == id));
    }
    Ok(())
}
