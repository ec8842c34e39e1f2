//! What is done next: a proposed decision held against the rules, and the choice by rule.

use domain::mission::{AgendaItem, ItemId};
use domain::{AgentSlug, Digest, Reserve};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::agenda;
use crate::event::Role;
use crate::registry::{RegisteredAgent, folder_of};
use crate::state::State;

/// An agent, and the item of the agenda that it works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assignment {
    /// The agent.
    pub agent: AgentSlug,
    /// The gap, contradiction, lead or question.
    pub task: ItemId,
}

/// What a coordinator proposes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Proposal {
    /// Who does what; all of it at the same time.
    pub assignments: Vec<Assignment>,
    /// Whether research is to end.
    pub exit: bool,
}

/// What is done in an iteration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "action")]
pub enum Action {
    /// Agents are invoked, in this order.
    Invoke {
        /// Which, for what.
        assignments: Vec<Assignment>,
    },
    /// Research ends.
    Exit,
}

/// Why a proposal can't be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// It is no proposal: it does not satisfy its schema, or proposes nothing.
    Malformed,
    /// More agents than may work at the same time, or than invocations are left.
    TooMany,
    /// There is no such agent.
    UnknownAgent,
    /// The mission's profile does not allow it.
    NotAllowed,
    /// The item is not on the agenda, is closed, or waits for another.
    UnknownTask,
    /// The agent can't do what the item needs.
    CapabilityMismatch,
    /// The agent was invoked as often as it may be.
    OverCap,
    /// The same agent was given the same item, and nothing that touches it has changed since; or two are given the same.
    Repeat,
    /// What is left is not enough to begin.
    NoBudget,
    /// A knowledge base of the user's choice was not asked about the item yet: it comes first.
    BaseFirst,
}

/// A proposal that can't be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct RefusedProposal {
    /// Why.
    pub why: Refusal,
    /// What exactly, for the coordinator.
    pub detail: String,
}

fn refuse<T>(why: Refusal, detail: String) -> Result<T, RefusedProposal> {
    Err(RefusedProposal { why, detail })
}

impl State {
    /// Holds a proposal against the rules.
    ///
    /// # Errors
    /// The first rule that it breaks, assignment by assignment.
    pub fn check_proposal(&self, proposal: &Proposal) -> Result<Action, RefusedProposal> {
        if proposal.exit {
            return Ok(Action::Exit);
        }
        if proposal.assignments.is_empty() {
            return refuse(
                Refusal::Malformed,
                "it names no assignment, and does not end research".to_owned(),
            );
        }
        let (wanted, free) = (proposal.assignments.len(), self.free_slots());
        if wanted > free {
            return refuse(
                Refusal::TooMany,
                format!("{wanted} agents, where {free} may work at the same time"),
            );
        }
        let mut chosen = Choice::default();
        for assignment in &proposal.assignments {
            let (agent, item) = self.permitted(assignment)?;
            if agent.reads.is_none()
                && let Some(reader) = self.unasked(item, &chosen)
            {
                let (task, slug) = (&item.id.0, &reader.slug);
                let what = format!("{task}: the user's knowledge bases are asked first, by {slug}");
                return refuse(Refusal::BaseFirst, what);
            }
            chosen.take(self, agent, item)?;
        }
        Ok(Action::Invoke { assignments: chosen.assignments })
    }

    /// Holds what a coordinator proposes now against the rules, and against an end of research before anything was looked
    /// into. Missions of earlier versions have such ends in their logs, so what was decided is held against
    /// [`State::check_proposal`] alone.
    ///
    /// # Errors
    /// As [`State::check_proposal`].
    pub fn check_new_proposal(&self, proposal: &Proposal) -> Result<Action, RefusedProposal> {
        let has_begun = self.invocations.values().any(|one| one.role.is_research());
        if proposal.exit && !has_begun && !self.choose().is_empty() {
            let what = "it ends research, but nothing was looked into yet and the agenda has open items";
            return refuse(Refusal::Malformed, what.to_owned());
        }
        self.check_proposal(proposal)
    }

    /// The choice by rule: the most urgent open items, each with every knowledge base of the user's that was not asked about
    /// it yet, else with the first agent in rank. What a mission before left open comes only where nothing else can be done.
    pub fn choose(&self) -> Vec<Assignment> {
        let free = self.free_slots();
        let (mut chosen, mut has_own) = (Choice::default(), false);
        for item in agenda::ready(&self.facts) {
            // What a mission before left open never stands beside what this one is after.
            if chosen.assignments.len() >= free || (item.priority == 0 && has_own) {
                break;
            }
            // Every base that was not asked about it yet is asked at once, as far as there is room.
            while chosen.assignments.len() < free
                && let Some(reader) = self.unasked(item, &chosen)
                && chosen.take(self, reader, item).is_ok()
            {
                has_own |= item.priority > 0;
            }
            if chosen.assignments.iter().any(|one| one.task == item.id) {
                continue;
            }
            for agent in self.ranked(item, &chosen) {
                if chosen.take(self, agent, item).is_ok() {
                    has_own |= item.priority > 0;
                    break;
                }
            }
        }
        chosen.assignments
    }

    /// The agents that can do what an item needs: preferred ones first, then the least used, then in the registry's order.
    fn ranked(&self, item: &AgendaItem, chosen: &Choice) -> Vec<&RegisteredAgent> {
        let mut agents: Vec<&RegisteredAgent> = self.registry().capable(&item.capability).collect();
        let rank = |agent: &&RegisteredAgent| {
            let is_preferred = agent.preferred_for.contains(&item.capability);
            (!is_preferred, self.invocations_of(&agent.slug) + chosen.count(&agent.slug))
        };
        agents.sort_by_key(rank); // stable
        agents
    }

    /// The agent that can ask the next of the user's knowledge bases about an item, while one was not asked about it yet.
    fn unasked(&self, item: &AgendaItem, chosen: &Choice) -> Option<&RegisteredAgent> {
        if agenda::role_of(item) != Role::Research {
            return None;
        }
        let asked: Vec<&str> = self
            .registry()
            .agents
            .iter()
            .filter(|agent| self.was_tried(&agent.slug, &item.fingerprint) || chosen.has(&agent.slug, item))
            .filter_map(|agent| agent.reads.as_deref())
            .collect();
        let may = |agent: &&RegisteredAgent| {
            agent.reads.as_deref().is_some_and(|base| !asked.contains(&base))
                && chosen.clone().take(self, agent, item).is_ok()
        };
        self.ranked(item, chosen).into_iter().find(may)
    }

    /// How many agents may be invoked now.
    fn free_slots(&self) -> usize {
        let parallel = self.terms().map_or(1, |terms| terms.max_parallel);
        parallel.min(self.invocations_left_for_research()) as usize
    }

    fn permitted<'a>(
        &'a self,
        assignment: &Assignment,
    ) -> Result<(&'a RegisteredAgent, &'a AgendaItem), RefusedProposal> {
        let Assignment { agent: slug, task } = assignment;
        let Some(agent) = self.registry().get(slug) else {
            return refuse(Refusal::UnknownAgent, format!("there is no agent {slug}"));
        };
        if !agent.allowed {
            return refuse(Refusal::NotAllowed, format!("this mission does not allow {slug}"));
        }
        let facts = &self.facts;
        let item = agenda::item(facts, task).filter(|item| agenda::is_ready(facts, item));
        let Some(item) = item else {
            return refuse(
                Refusal::UnknownTask,
                format!("{} is not on the agenda, is closed, or waits for another item", task.0),
            );
        };
        if !agent.capabilities.contains(&item.capability) {
            return refuse(
                Refusal::CapabilityMismatch,
                format!("{} needs {}, which {slug} can't do", task.0, item.capability),
            );
        }
        Ok((agent, item))
    }
}

/// Assignments that go together.
#[derive(Clone, Default)]
struct Choice {
    assignments: Vec<Assignment>,
    /// What the items are about, as it is compared.
    fingerprints: Vec<Digest>,
    least: Reserve,
}

impl Choice {
    fn count(&self, agent: &AgentSlug) -> u32 {
        self.assignments.iter().filter(|assignment| &assignment.agent == agent).count() as u32
    }

    fn has(&self, agent: &AgentSlug, item: &AgendaItem) -> bool {
        self.assignments.iter().any(|one| one.agent == *agent && one.task == item.id)
    }

    /// Whether two agents would do the same: one that reads several bases does another thing in each.
    fn repeats(&self, agent: &AgentSlug, item: &AgendaItem) -> bool {
        let is_same = |(one, fingerprint): (&Assignment, &Digest)| {
            *fingerprint == item.fingerprint
                && (one.agent == *agent || folder_of(&one.agent) != folder_of(agent))
        };
        self.assignments.iter().zip(&self.fingerprints).any(is_same)
    }

    /// Adds an assignment, where it may be made beside the others.
    fn take(
        &mut self,
        state: &State,
        agent: &RegisteredAgent,
        item: &AgendaItem,
    ) -> Result<(), RefusedProposal> {
        let (slug, task) = (&agent.slug, &item.id.0);
        let chosen = self.assignments.iter().filter(|one| folder_of(&one.agent) == folder_of(slug));
        let invoked = state.invocations_over_bases(slug) + chosen.count() as u32;
        if state.cap_of(slug).is_some_and(|cap| invoked >= cap) {
            return refuse(Refusal::OverCap, format!("{slug} was invoked as often as it may be ({invoked})"));
        }
        if self.repeats(slug, item) {
            return refuse(Refusal::Repeat, format!("{task} is given to two agents"));
        }
        if state.was_tried(slug, &item.fingerprint) {
            return refuse(
                Refusal::Repeat,
                format!("{slug} was given {task} before, and nothing that touches it has changed since"),
            );
        }
        let least = self.least + agent.least;
        if !state.leaves_enough(Role::Research, least) {
            return refuse(Refusal::NoBudget, format!("what is left is not enough to invoke {slug}"));
        }
        self.least = least;
        self.fingerprints.push(item.fingerprint);
        self.assignments.push(Assignment { agent: slug.clone(), task: item.id.clone() });
        Ok(())
    }
}
