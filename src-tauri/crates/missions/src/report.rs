//! The end of a mission: drafts, reviews, and the report that stands. The best draft stands, never simply the last.

use domain::{ErrorCode, Problem};

use crate::criteria::unmet;
use crate::decide::{Effect, Next};
use crate::event::{Event, InvocationKey, Outcome, Role, StopCause};
use crate::fold::IllegalReason;
use crate::state::{Draft, InvocationStatus, Phase, State};

impl State {
    /// What is next once research has ended.
    pub(crate) fn next_report(&self) -> Next {
        if self.accepted.is_some() {
            return Next::event(Event::MissionCompleted { outcome: self.outcome_now() });
        }
        if let Some(key) = self.finished(Role::Synthesise) {
            return Next::Effect(Effect::Score { key });
        }
        if let Some(key) = self.finished(Role::Review) {
            return Next::Effect(Effect::Integrate { key });
        }
        if self.has_open_invocations() {
            return Next::Nothing;
        }
        if let Some(next) = self.next_analysis() {
            return next;
        }
        if self.report.raised && self.may_research_again() {
            return Next::event(Event::IterationStarted { number: self.iteration + 1 });
        }
        if self.report.wants_draft {
            if let Some(effect) = self.role_effect(Role::Synthesise) {
                return Next::Effect(effect);
            }
            if self.drafts.is_empty() {
                return Next::Effect(Effect::WriteReport);
            }
        } else if self.wants_review()
            && let Some(effect) = self.role_effect(Role::Review)
        {
            return Next::Effect(effect);
        }
        match self.best_draft() {
            Some((_, Draft { key, report, quality, missing, .. })) => Next::event(Event::ReportAccepted {
                key: *key,
                report: *report,
                quality: *quality,
                unmet: unmet(&self.criteria).chain(missing).cloned().collect(),
            }),
            None => Next::Nothing,
        }
    }

    /// The last invocation of a role, where it has a result that was not taken in.
    pub(crate) fn finished(&self, role: Role) -> Option<InvocationKey> {
        let (key, invocation) = self.last_of(role)?;
        matches!(invocation.status, InvocationStatus::Finished(_)).then_some(key)
    }

    pub(crate) fn wants_review(&self) -> bool {
        let rounds = self.terms().map_or(0, |terms| terms.review_rounds);
        self.report.wants_review && self.report.reviews < rounds && !self.writing
    }

    /// Whether what a review raised can be looked into: some criterion is open again, and nothing forbids an iteration.
    fn may_research_again(&self) -> bool {
        let may = match self.cause {
            Some(StopCause::CriteriaMet | StopCause::NothingToDo | StopCause::Coordinator) => true,
            Some(StopCause::Limit { .. } | StopCause::Person | StopCause::NoProgress) | None => false,
        };
        may && !self.writing && !self.has_met_criteria() && self.exhausted().is_none()
    }

    /// The criteria that were not met at the last check, by name.
    pub fn unmet(&self) -> Vec<String> {
        unmet(&self.criteria).cloned().collect()
    }

    /// Whether every criterion was met at the last check. Without evidence, none of them counts.
    pub(crate) fn has_met_criteria(&self) -> bool {
        !self.criteria.is_empty() && unmet(&self.criteria).next().is_none()
    }

    fn outcome_now(&self) -> Outcome {
        let is_met = self.accepted.as_ref().is_some_and(|(_, unmet)| unmet.is_empty());
        let has_evidence = self.facts.counts.supported_claims > 0 && self.facts.counts.sources > 0;
        if is_met && has_evidence { Outcome::Satisfied } else { Outcome::Partial }
    }

    pub(crate) fn begin_report(&mut self, cause: &StopCause) -> Result<(), IllegalReason> {
        let has_more = self.has_open_invocations() || self.next_to_integrate().is_some();
        if self.phase != Phase::Research || has_more {
            return Err("research is under way, or over");
        }
        self.phase = Phase::Synthesis;
        self.cause = Some(cause.clone());
        self.current = None;
        self.chosen_stop = None;
        self.report.wants_draft = true;
        self.withdraw_pauses(|_| true);
        Ok(())
    }

    pub(crate) fn score(&mut self, draft: Draft) -> Result<(), IllegalReason> {
        if self.phase != Phase::Synthesis || self.accepted.is_some() {
            return Err("no report is being written");
        }
        match draft.key {
            Some(key) => {
                self.take_result(key, &[Role::Synthesise])?;
                self.report.wants_review = true;
            }
            None if !self.drafts.is_empty() || self.has_open_invocations() => {
                return Err("code writes a report only where there is no other");
            }
            None => {}
        }
        self.report.wants_draft = false;
        self.report.raised = false;
        self.drafts.push(draft);
        Ok(())
    }

    pub(crate) fn accept(
        &mut self,
        key: Option<InvocationKey>,
        report: domain::Digest,
        unmet: &[String],
    ) -> Result<(), IllegalReason> {
        let (index, best) = self.best_draft().ok_or("there is no report")?;
        if self.accepted.is_some() || (best.key, best.report) != (key, report) {
            return Err("a report stands already, or a better one was written");
        }
        if self.has_open_invocations() {
            return Err("an invocation is still open");
        }
        self.accepted = Some((index, unmet.to_vec()));
        Ok(())
    }

    pub(crate) fn complete(&mut self, outcome: Outcome) -> Result<(), IllegalReason> {
        if self.accepted.is_none() || outcome != self.outcome_now() {
            return Err("no report stands, or the outcome is another");
        }
        self.outcome = Some(outcome);
        Ok(())
    }

    /// The draft that was being written can't be paid: the best one stands, or code writes one.
    pub(crate) fn give_up_draft(&mut self) {
        self.report.wants_draft = self.drafts.is_empty();
        self.report.by_code = self.drafts.is_empty();
    }

    /// A draft failed. Without another one, code writes the report where the agent would fail the same way again; otherwise
    /// the mission fails with it, and can be retried.
    pub(crate) fn fail_draft(&mut self, problem: Problem) {
        // What the agent answers is no report, or what it is given or may use is not enough for one.
        let would_fail_again =
            matches!(problem.code, ErrorCode::InvalidAnswer | ErrorCode::ContextTooLong | ErrorCode::Budget);
        if !self.drafts.is_empty() {
            self.report.wants_draft = false;
        } else if would_fail_again {
            self.give_up_draft();
            self.report.unwritten = Some(problem);
        } else {
            self.failure.get_or_insert(problem);
        }
    }

    /// Whether the mission failed with its report: earlier versions had no report by code then.
    pub(crate) fn failed_unwritten(&self, problem: &Problem) -> bool {
        self.report.unwritten.as_ref() == Some(problem)
    }

    /// The writer is asked again.
    pub(crate) fn retry_draft(&mut self) {
        self.report.unwritten = None;
        self.report.by_code = false;
    }
}
