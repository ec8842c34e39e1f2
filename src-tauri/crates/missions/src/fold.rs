//! State as the fold of events. Folding a log from nothing gives the same state as having lived it.
//!
//! Every event is checked in full before anything is changed: a refused event leaves no trace.

use std::collections::BTreeSet;

use domain::mission::{Closing, ItemId, MissionPause, Settlement};
use domain::{Digest, PauseId};

use crate::choice::{Action, Proposal};
use crate::event::{
    Decision, DecisionAuthor, EVENT_VERSION, Event, InvocationKey, PauseKind, Record, Role, StopCause,
};
use crate::limits::Limits;
use crate::state::{
    Artifact, ChildUsage, Draft, Invocation, InvocationStatus, IterationState, Pause, Phase, RequestParts,
    Start, State,
};

/// An event that can't happen in the state that it met.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} ({event}) can't happen here: {why}")]
pub struct IllegalEvent {
    /// Its number.
    pub seq: u64,
    /// Its name.
    pub event: String,
    /// Why.
    pub why: String,
}

pub(crate) type IllegalReason = &'static str;

impl State {
    /// Takes an event in.
    ///
    /// # Errors
    /// When it can't happen now; the state is as before.
    pub fn apply(&mut self, record: &Record) -> Result<(), IllegalEvent> {
        let fitting = if record.seq != self.seq + 1 {
            Err("it is not the next in the log")
        } else if record.v > EVENT_VERSION {
            Err("it was written by a newer program")
        } else {
            self.apply_event(record)
        };
        fitting.map_err(|why| IllegalEvent {
            seq: record.seq,
            event: record.event.name().to_owned(),
            why: why.to_owned(),
        })?;
        self.seq = record.seq;
        self.active_ms = self.active_ms.saturating_add(record.active_ms);
        Ok(())
    }

    fn apply_event(&mut self, record: &Record) -> Result<(), IllegalReason> {
        let event = &record.event;
        let is_start = matches!(event, Event::MissionStarted { .. });
        if is_start != self.start.is_none() {
            return Err(if is_start { "the mission has begun already" } else { "the mission has not begun" });
        }
        if self.has_ended() && !matches!(event, Event::MissionRetried | Event::ArtifactRegistered { .. }) {
            return Err("the mission has ended");
        }
        match event {
            Event::MissionStarted { .. } => self.begin(record),
            Event::RequestSplit { objective, output_specification, original, .. } => {
                if self.phase != Phase::Split || self.has_open_invocations() {
                    return Err("the request is split already, or an agent is about to");
                }
                self.settle_last(Role::Split);
                self.parts = Some(RequestParts {
                    objective: *objective,
                    output_specification: *output_specification,
                    original: *original,
                });
                self.phase = Phase::Plan;
                Ok(())
            }
            Event::PlanIntegrated { key, from, to, asked, .. } => {
                if self.phase != Phase::Plan || self.has_open_invocations() {
                    return Err("there is a plan already, or an agent is about to make one");
                }
                self.check_graph(*from, *to)?;
                if let Some(key) = key {
                    self.take_result(*key, &[Role::Plan])?;
                }
                self.change_graph(*to);
                self.asked.extend(asked.iter().cloned());
                self.phase = Phase::Research;
                self.plan_waits =
                    self.terms().is_some_and(|terms| terms.pauses.contains(&MissionPause::Plan));
                Ok(())
            }
            Event::PlanEdited { from, to, .. } => {
                if self.phase != Phase::Research || self.writing {
                    return Err("there is no plan yet, or research has ended");
                }
                self.check_graph(*from, *to)?;
                self.change_graph(*to);
                // There is something new to find out.
                self.idle_rounds = 0;
                self.withdraw_pauses(|kind| *kind == PauseKind::NoProgress);
                let of_plan = self.pauses.iter_mut().filter(|pause| pause.kind == PauseKind::Plan);
                of_plan.filter(|pause| pause.decision.is_none()).for_each(|pause| pause.form = None);
                Ok(())
            }
            Event::GraphJoined { from, to, .. } => {
                if !self.may_join() {
                    return Err("research has ended");
                }
                self.check_graph(*from, *to)?;
                self.change_graph(*to);
                Ok(())
            }
            Event::IterationStarted { number } => self.begin_iteration(*number),
            Event::InvocationPlanned { .. } => self.plan_invocation(event),
            Event::InvocationRequested { key, r#try, reserve } => self.request(*key, *r#try, *reserve),
            Event::InvocationDropped { key, why } => self.drop_invocation(*key, *why),
            Event::InvocationReused { key, output, from } => self.reuse(*key, *output, from),
            Event::ChildRunStarted { key, child } => self.begin_child(*key, child),
            Event::ChildRunFinished { key, r#try, child, end, usage, cost, equivalent, doubtful, ms } => {
                let used =
                    ChildUsage { usage: *usage, cost: *cost, equivalent: *equivalent, doubtful: *doubtful };
                self.end_child(*key, *r#try, child, end, used, *ms)
            }
            Event::OutcomeUnknown { key, r#try, .. } => self.lose(*key, *r#try),
            Event::DecisionRefused { iteration, key, detail, .. } => {
                self.undecided(*iteration)?;
                self.take_result(*key, &[Role::Coordinate])?;
                let current = self.current.get_or_insert_default();
                current.refusals += 1;
                current.refused = Some(detail.clone());
                Ok(())
            }
            Event::DecisionTaken { iteration, by, action, .. } => self.take_decision(*iteration, *by, action),
            Event::Integrated { key, from, to, counts, .. } => {
                self.check_graph(*from, *to)?;
                let is_research = self.phase == Phase::Research;
                if is_research && self.next_to_integrate() != Some(*key) {
                    return Err("it is not its turn");
                }
                let roles: &[Role] =
                    if is_research { &[Role::Research, Role::Check] } else { &[Role::Review] };
                self.take_result(*key, roles)?;
                self.change_graph(*to);
                if !is_research {
                    self.report.raised = counts.gaps > 0 || counts.contradictions > 0;
                    self.report.wants_draft = self.report.raised;
                }
                Ok(())
            }
            Event::HostsLeftOut { iteration, hosts } => {
                if *iteration != self.iteration || hosts.is_empty() {
                    return Err("it is about another iteration, or about no host");
                }
                for host in hosts {
                    self.hosts.entry(host.clone()).or_insert(*iteration);
                }
                Ok(())
            }
            Event::GapClosed { gap, closing } => self.close_gap(gap, closing),
            Event::ContradictionSettled { contradiction, settlement } => {
                self.settle_contradiction(contradiction, settlement)
            }
            Event::Analysed { from, to, facts, .. } => {
                self.check_graph(*from, *to)?;
                if facts.version != *to {
                    return Err("its facts are those of another version");
                }
                self.graph = *to;
                self.facts = (**facts).clone();
                (self.is_stale, self.is_checked) = (false, false);
                Ok(())
            }
            Event::CriteriaChecked { results, idle_rounds, .. } => {
                if self.is_stale || self.is_checked || self.has_open_invocations() {
                    return Err("there is nothing new to check, or an invocation is open");
                }
                self.criteria.clone_from(results);
                self.idle_rounds = *idle_rounds;
                self.is_checked = true;
                self.current.take_if(|current| current.is_decided && !current.exits);
                let counts = &self.facts.counts;
                self.peak.supported_claims = self.peak.supported_claims.max(counts.supported_claims);
                self.peak.confidence = self.peak.confidence.max(self.facts.confidence);
                self.peak.settled = self.settled_by_evidence();
                Ok(())
            }
            Event::BudgetWarned { dimension, percent } => {
                self.warned.insert((dimension.clone(), *percent));
                Ok(())
            }
            Event::BudgetReached { dimension } => {
                self.reached.insert(dimension.clone());
                Ok(())
            }
            Event::LimitsRaised { limits } => self.raise(limits),
            Event::Steered { text } => {
                self.guidance.push(*text);
                // What the user says may be what research lacked.
                self.idle_rounds = 0;
                self.withdraw_pauses(|kind| *kind == PauseKind::NoProgress);
                Ok(())
            }
            Event::ClaimPinned { claim } => {
                self.rejected_claims.remove(claim);
                self.pinned_claims.insert(claim.clone());
                self.is_stale = true;
                Ok(())
            }
            Event::ClaimRejected { claim, why } => {
                self.pinned_claims.remove(claim);
                self.rejected_claims.insert(claim.clone(), *why);
                self.is_stale = true;
                Ok(())
            }
            Event::WriteRequested => {
                self.write();
                Ok(())
            }
            Event::PauseRequested { pause, kind } => self.open_pause(pause, kind),
            Event::PauseFormatted { pause, form } => {
                self.open_pause_mut(pause)?.form = Some(*form);
                Ok(())
            }
            Event::Resumed { pause, decision, reply } => self.resume(pause, decision, *reply),
            Event::ArtifactRegistered { id, sha256, kind, name, by, inputs } => {
                let artifact = Artifact {
                    sha256: *sha256,
                    kind: kind.clone(),
                    name: name.clone(),
                    by: *by,
                    inputs: inputs.clone(),
                };
                if self.artifacts.contains_key(id) {
                    return Err("an artifact with that id is registered");
                }
                self.artifacts.insert(id.clone(), artifact);
                Ok(())
            }
            Event::SynthesisBegun { cause } => self.begin_report(cause),
            Event::DraftScored { key, report, quality, missing, facts, .. } => self.score(Draft {
                key: *key,
                report: *report,
                quality: *quality,
                missing: missing.clone(),
                facts: *facts,
            }),
            Event::ReportAccepted { key, report, unmet, .. } => self.accept(*key, *report, unmet),
            Event::CancelRequested => {
                self.cancelling = true;
                Ok(())
            }
            Event::Suspended => {
                self.suspended = true;
                Ok(())
            }
            Event::Continued => {
                self.suspended = false;
                Ok(())
            }
            Event::StepFailed { problem } => {
                self.failure.get_or_insert_with(|| problem.clone());
                Ok(())
            }
            Event::MissionCompleted { outcome } => self.complete(*outcome),
            Event::MissionFailed { problem } => {
                let failed = self.failure.is_some() || self.failed_unwritten(problem);
                if !failed || self.is_under_way() {
                    return Err("nothing failed, or something is under way");
                }
                self.problem = Some(problem.clone());
                Ok(())
            }
            Event::MissionRetried => self.retry(),
            Event::MissionCancelled => {
                if !self.cancelling || self.is_under_way() {
                    return Err("nobody cancels it, or something is under way");
                }
                self.cancelled = true;
                Ok(())
            }
        }
    }

    fn begin(&mut self, record: &Record) -> Result<(), IllegalReason> {
        let Event::MissionStarted {
            session,
            profile,
            request,
            inputs,
            pinned,
            previous,
            base,
            as_of,
            graph,
            terms,
            unattended,
        } = &record.event
        else {
            return Err("the mission has not begun");
        };
        self.limits = terms.limits.clone();
        self.graph = graph.version;
        self.is_stale = true;
        self.start = Some(Start {
            session: session.clone(),
            profile: profile.clone(),
            request: request.clone(),
            inputs: *inputs,
            pinned: *pinned,
            previous: previous.clone(),
            base: base.clone(),
            as_of: as_of.clone(),
            graph: graph.clone(),
            terms: (**terms).clone(),
            unattended: *unattended,
            at: record.at,
        });
        Ok(())
    }

    fn begin_iteration(&mut self, number: u32) -> Result<(), IllegalReason> {
        let at_rest =
            self.current.is_none() && self.is_checked && !self.is_stale && !self.has_open_invocations();
        let resumes = self.phase == Phase::Synthesis && self.report.raised && self.accepted.is_none();
        if !at_rest || number != self.iteration + 1 || !(self.phase == Phase::Research || resumes) {
            return Err("no iteration is to begin now");
        }
        self.phase = Phase::Research;
        self.report.raised = false;
        self.report.wants_draft = false;
        self.iteration = number;
        self.current = Some(IterationState::default());
        Ok(())
    }

    fn undecided(&self, iteration: u32) -> Result<(), IllegalReason> {
        let is_open = self.current.as_ref().is_some_and(|current| !current.is_decided);
        if !is_open || self.iteration != iteration || self.has_open_invocations() {
            return Err("nothing is to be decided now");
        }
        Ok(())
    }

    fn take_decision(
        &mut self,
        iteration: u32,
        by: DecisionAuthor,
        action: &Action,
    ) -> Result<(), IllegalReason> {
        self.undecided(iteration)?;
        let proposal = match action {
            Action::Invoke { assignments } => Proposal { assignments: assignments.clone(), exit: false },
            Action::Exit => Proposal { assignments: Vec::new(), exit: true },
        };
        if self.check_proposal(&proposal).is_err() {
            return Err("it breaks a rule");
        }
        match by {
            DecisionAuthor::Coordinator { key } => self.take_result(key, &[Role::Coordinate])?,
            DecisionAuthor::Rule if *action == Action::Exit => return Err("no rule ends research so"),
            DecisionAuthor::Rule => {}
        }
        let current = self.current.get_or_insert_default();
        current.is_decided = true;
        match action {
            Action::Exit => current.exits = true,
            Action::Invoke { assignments } => {
                self.is_checked = false;
                self.assign(assignments);
            }
        }
        Ok(())
    }

    fn settle_last(&mut self, role: Role) {
        if let Some((key, _)) = self.last_of(role)
            && let Some(invocation) = self.invocations.get_mut(&key)
            && let InvocationStatus::Finished(output) = invocation.status
        {
            invocation.status = InvocationStatus::Settled(output);
        }
    }

    /// Another mission on the same graph may have changed it in between; it never goes back.
    fn check_graph(&self, from: u64, to: u64) -> Result<(), IllegalReason> {
        if from < self.graph || to < from {
            return Err("the graph was newer already");
        }
        Ok(())
    }

    fn change_graph(&mut self, to: u64) {
        self.graph = to;
        self.is_stale = true;
    }

    fn close_gap(&mut self, gap: &ItemId, closing: &Closing) -> Result<(), IllegalReason> {
        // Evidence may fall, and the gap is open again then; it is closed anew by other evidence, or by the user.
        let stands = |known: &Closing| !matches!(known, Closing::Evidence { .. }) || known == closing;
        if self.closings.get(gap).is_some_and(stands) {
            return Err("the gap is closed already");
        }
        if matches!(closing, Closing::Evidence { claims } if claims.is_empty()) {
            return Err("no claim closes it");
        }
        if matches!(closing, Closing::Superseded { other } if other == gap) {
            return Err("a gap can't replace itself");
        }
        self.is_stale |= matches!(closing, Closing::Person { .. });
        self.closings.insert(gap.clone(), closing.clone());
        Ok(())
    }

    fn settle_contradiction(&mut self, id: &ItemId, settlement: &Settlement) -> Result<(), IllegalReason> {
        if self.settlements.contains_key(id) {
            return Err("the contradiction is settled already");
        }
        if evidence_of(settlement).is_some_and(<[ItemId]>::is_empty) {
            return Err("nothing settles it");
        }
        self.is_stale |= matches!(settlement, Settlement::Person { .. });
        self.settlements.insert(id.clone(), settlement.clone());
        Ok(())
    }

    /// Gaps that evidence closed and contradictions that it settled. What the user decided is no progress of research.
    pub(crate) fn settled_by_evidence(&self) -> u32 {
        let gaps = self.closings.values().filter(|closing| matches!(closing, Closing::Evidence { .. }));
        let settled = |settlement: &&Settlement| evidence_of(settlement).is_some();
        (gaps.count() + self.settlements.values().filter(settled).count()) as u32
    }

    fn raise(&mut self, limits: &Limits) -> Result<(), IllegalReason> {
        if !limits.is_raise_of(&self.limits) {
            return Err("a limit would be lower than before");
        }
        self.limits = limits.clone();
        let still = self.shares_used();
        self.warned.retain(|(dimension, at)| {
            still.iter().any(|(other, percent)| other == dimension && percent >= at)
        });
        self.reached.clear();
        self.chosen_stop = None;
        self.report.by_code = false;
        self.withdraw_pauses(|kind| matches!(kind, PauseKind::Limit { .. }));
        Ok(())
    }

    /// The user has enough.
    fn write(&mut self) {
        self.writing = true;
        self.withdraw_pauses(|kind| !matches!(kind, PauseKind::Child { .. }));
    }

    fn open_pause(&mut self, pause: &PauseId, kind: &PauseKind) -> Result<(), IllegalReason> {
        if self.pauses.iter().any(|other| &other.id == pause) {
            return Err("there is such a pause already");
        }
        if self.open_pauses().any(|other| &other.kind == kind) {
            return Err("the user is asked already");
        }
        if let PauseKind::Child { key } = kind
            && self.invocations.get(key).is_none_or(|of| of.status != InvocationStatus::Asking)
        {
            return Err("its child run asks nothing");
        }
        self.pauses.push(Pause {
            id: pause.clone(),
            kind: kind.clone(),
            form: None,
            decision: None,
            reply: None,
            withdrawn: false,
        });
        Ok(())
    }

    fn open_pause_mut(&mut self, pause: &PauseId) -> Result<&mut Pause, IllegalReason> {
        let is_open = |other: &&mut Pause| &other.id == pause && other.decision.is_none() && !other.withdrawn;
        self.pauses.iter_mut().find(is_open).ok_or("that pause is not open")
    }

    pub(crate) fn withdraw_pauses(&mut self, of: impl Fn(&PauseKind) -> bool) {
        for pause in self.pauses.iter_mut().filter(|pause| pause.decision.is_none() && of(&pause.kind)) {
            pause.withdrawn = true;
        }
    }

    fn resume(
        &mut self,
        pause: &PauseId,
        decision: &Decision,
        reply: Option<Digest>,
    ) -> Result<(), IllegalReason> {
        let kind = self.open_pause_mut(pause)?.kind.clone();
        match decision {
            Decision::Proceed => match &kind {
                PauseKind::Plan => self.plan_waits = false,
                PauseKind::Child { key } => self.go_on_with(*key)?,
                PauseKind::Limit { .. } => return Err("raise the limit, or let the report be written"),
                PauseKind::NoProgress => self.idle_rounds = 0,
                PauseKind::Hosts { .. } => {}
            },
            Decision::Again => {
                let PauseKind::Hosts { hosts } = &kind else { return Err("no page was left out") };
                self.forgive(hosts);
            }
            Decision::Raise { limits } => {
                if !matches!(kind, PauseKind::Limit { .. }) {
                    return Err("it is not about a limit");
                }
                self.raise(limits)?;
            }
            Decision::Write => match &kind {
                PauseKind::Plan | PauseKind::Child { .. } | PauseKind::Hosts { .. } => self.write(),
                PauseKind::Limit { dimension } => {
                    self.chosen_stop = Some(StopCause::Limit { dimension: dimension.clone() });
                }
                PauseKind::NoProgress => self.chosen_stop = Some(StopCause::NoProgress),
            },
            Decision::Cancel => self.cancelling = true,
        }
        if let Some(answered) = self.pauses.iter_mut().find(|other| &other.id == pause) {
            answered.decision = Some(decision.clone());
            answered.reply = reply;
            answered.withdrawn = false;
        }
        Ok(())
    }

    /// What was researched while pages of these hosts were left out may be researched again.
    fn forgive(&mut self, hosts: &[String]) {
        self.idle_rounds = 0;
        let iterations: BTreeSet<u32> =
            hosts.iter().filter_map(|host| self.hosts.get(host).copied()).collect();
        let lacked = |(key, of): &(&InvocationKey, &mut Invocation)| {
            of.role.is_research() && iterations.contains(&key.iteration)
        };
        self.invocations.iter_mut().filter(lacked).for_each(|(_, of)| of.is_forgiven = true);
    }

    fn go_on_with(&mut self, key: InvocationKey) -> Result<(), IllegalReason> {
        let invocation = self.invocations.get_mut(&key).ok_or("there is no such invocation")?;
        if invocation.status != InvocationStatus::Asking {
            return Err("its child run asks nothing");
        }
        invocation.status = InvocationStatus::Planned;
        Ok(())
    }

    fn retry(&mut self) -> Result<(), IllegalReason> {
        if self.problem.is_none() {
            return Err("the mission has not failed");
        }
        if self.problem == self.report.unwritten {
            self.retry_draft();
        }
        (self.problem, self.failure, self.suspended) = (None, None, false);
        self.idle_rounds = 0;
        for invocation in self.invocations.values_mut() {
            invocation.is_forgiven |= matches!(invocation.status, InvocationStatus::Failed(_));
        }
        let lacked = matches!(self.cause, Some(StopCause::NoProgress | StopCause::NothingToDo));
        // A report that an agent has written is scored, not written again later.
        let is_written = self.finished(Role::Synthesise).is_some();
        if self.phase == Phase::Synthesis && self.drafts.is_empty() && lacked && !is_written {
            self.phase = Phase::Research;
            self.cause = None;
        }
        Ok(())
    }
}

/// What settles a contradiction, where it is not the user's word.
fn evidence_of(settlement: &Settlement) -> Option<&[ItemId]> {
    match settlement {
        Settlement::Preferred { evidence, .. } | Settlement::Compatible { evidence } => Some(evidence),
        Settlement::Person { .. } => None,
    }
}
