//! Books kept beside the machine, from the log and from the world outside alone: what must hold is checked against them.

use std::collections::{BTreeMap, BTreeSet};

use domain::RunId;
use domain::mission::DraftFacts;
use missions::{ChildEnd, DropCause, Event, InvocationKey, Outcome, Record, Role, State, Status};

use super::children::Children;
use super::scenario::{Rng, Scenario};

#[derive(Default)]
pub struct Books {
    pub crashes: u64,
    pub unknown: u64,
    pub refused: u64,
    pub steered: u64,
    pub dropped: u64,
    pub short: u64,
    pub retried: u64,
    pub warned: u64,
    pub joined: u64,
    pub commits: u64,
    /// Child runs that began outside, by invocation.
    begun: BTreeMap<InvocationKey, RunId>,
}

impl Books {
    /// A child run begins or goes on outside.
    pub fn begins(&mut self, durable: &State, key: InvocationKey, run: &RunId) {
        let invocation = &durable.invocations[&key];
        assert_eq!(invocation.child.as_ref(), Some(run), "it begins before its name is durable");
        assert_eq!(
            invocation.status,
            missions::InvocationStatus::Requested,
            "it begins before that is durable"
        );
        let before = self.begun.insert(key, run.clone());
        assert!(before.is_none_or(|before| &before == run), "{key} is carried out twice");
    }

    /// Before an event is applied.
    pub fn before(&self, scenario: &Scenario, state: &State, event: &Event) {
        match event {
            Event::InvocationRequested { key, reserve, .. } => {
                let invocation = &state.invocations[key];
                assert!(!state.suspended && !state.cancelling, "something begins although nothing may");
                assert!(state.in_flight().count() < scenario.terms.max_parallel as usize);
                if !invocation.is_unknown {
                    assert!(!state.is_out_of_time(invocation.role), "something begins without time");
                    assert!(!state.writing || invocation.role == Role::Synthesise, "enough was not enough");
                    assert!(state.limits.budget.allows(state.committed() + *reserve));
                }
            }
            Event::IterationStarted { .. } => {
                assert!(!state.writing, "research goes on although the user has enough");
                let most = scenario.terms.no_progress_rounds;
                let is_report = state.phase == missions::Phase::Synthesis;
                assert!(state.idle_rounds < most || is_report, "another round in vain");
            }
            Event::BudgetWarned { dimension, percent } => {
                assert!(!state.warned.contains(&(dimension.clone(), *percent)), "warned of twice");
            }
            _ => {}
        }
    }

    /// After an event was applied.
    pub fn after(&mut self, state: &State, event: &Event) {
        let limits = &state.limits;
        assert!(limits.budget.allows(state.committed()), "more is set aside than may be used");
        assert!(
            limits.invocations.is_none_or(|most| state.invocations_made() <= most),
            "too many invocations"
        );
        for (agent, cap) in &limits.per_agent {
            assert!(state.invocations_of(agent) <= *cap, "{agent} was invoked too often");
        }
        assert!(limits.iterations.is_none_or(|most| state.iteration <= most), "too many iterations");
        match event {
            Event::DecisionRefused { .. } => self.refused += 1,
            Event::OutcomeUnknown { .. } => self.unknown += 1,
            Event::InvocationDropped { why: DropCause::Budget | DropCause::Time, .. } => self.dropped += 1,
            Event::ChildRunFinished { end: ChildEnd::Short { .. }, .. } => self.short += 1,
            Event::BudgetWarned { .. } => self.warned += 1,
            Event::GraphJoined { .. } => self.joined += 1,
            Event::MissionRetried => self.retried += 1,
            _ => {}
        }
    }

    /// What holds whenever the log is durable.
    pub fn check(&self, state: &State, children: &Children) {
        let (charged, committed) = (children.charged(), state.committed());
        assert!(
            charged <= committed.cost.0 && charged <= committed.tokens,
            "something was charged that is not counted"
        );
        if !state.has_ended() && state.decide().is_empty() && state.effects().is_empty() {
            assert!(
                matches!(state.status(), Status::Paused | Status::Suspended),
                "nothing is wanted or waited for"
            );
        }
    }

    /// An event from earlier in the log: if it is refused now, it must leave no trace.
    pub fn try_nonsense(&self, rng: &mut Rng, state: &State, log: &[Record]) {
        if log.is_empty() {
            return;
        }
        let mut record = log[rng.below(log.len() as u64) as usize].clone();
        record.seq = state.seq + u64::from(rng.chance(90));
        let mut copy = state.clone();
        if copy.apply(&record).is_err() {
            assert_eq!(&copy, state, "a refused event left a trace: {:?}", record.event);
        }
    }

    /// At the end, from the log alone.
    pub fn ends(&self, scenario: &Scenario, log: &[Record], state: &State) {
        let (mut finished, mut integrated) = (BTreeSet::new(), Vec::new());
        let mut drafts: Vec<(u32, Option<DraftFacts>)> = Vec::new();
        let (mut refusals, mut reviews, mut names) = (BTreeMap::new(), 0, BTreeMap::new());
        for Record { event, .. } in log {
            match event {
                Event::ChildRunStarted { key, child } => {
                    assert!(names.insert(*key, child.clone()).is_none(), "{key} has two child runs");
                }
                Event::ChildRunFinished { key, end: ChildEnd::Finished { .. }, .. }
                | Event::InvocationReused { key, .. } => {
                    assert!(finished.insert(*key), "{key} finished twice");
                }
                Event::InvocationRequested { key, .. } => {
                    assert!(!finished.contains(key), "{key} was done already");
                }
                Event::Integrated { key, .. } => integrated.push(*key),
                Event::DecisionRefused { iteration, .. } => *refusals.entry(*iteration).or_insert(0) += 1,
                Event::InvocationPlanned { role: Role::Review, .. } => reviews += 1,
                Event::DraftScored { quality, facts, .. } => drafts.push((*quality, *facts)),
                _ => {}
            }
        }
        assert!(refusals.values().all(|count| *count <= 2), "the coordinator is asked again and again");
        assert!(reviews <= scenario.terms.review_rounds, "too many reviews");
        let is_research = |key: &&InvocationKey| state.invocations[*key].role.is_research();
        let research: Vec<_> = integrated.iter().filter(is_research).copied().collect();
        assert!(research.is_sorted_by(|a, b| a < b), "integrated out of order, or twice");
        if state.status() == Status::Completed {
            let found: Vec<_> = finished.iter().filter(is_research).copied().collect();
            assert_eq!(research, found, "a finding was lost");
            let (index, unmet) = state.accepted.as_ref().unwrap();
            // What a draft tells is measured against all that was known at last.
            let known = drafts.iter().filter_map(|(_, facts)| *facts).map(|facts| facts.known).max();
            let worth = |(quality, facts): &(u32, Option<DraftFacts>)| {
                facts.map_or(*quality, |facts| facts.completeness(known.unwrap_or(0)))
            };
            let worths: Vec<u32> = drafts.iter().map(worth).collect();
            assert_eq!(worths.get(*index), worths.iter().max(), "a better report was replaced");
            if state.outcome == Some(Outcome::Satisfied) {
                assert!(unmet.is_empty() && state.facts.counts.supported_claims > 0);
            }
        }
    }
}
