//! Drives one mission: what the user says, the runs of agents, and what is particular of a mission in the loop of
//! [`performer`].

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use domain::mission::{Closing, ItemId, PlanEdit, Settlement};
use domain::{Budget, Digest, ErrorCode, PauseId, Problem, RunId};
use engine_types::{Exit, UiEvent, UiKind};
use evidence_graph::{Changes, Graph};
use missions::{ChildEnd, Decision, Effect, Event, InvocationKey, Limits, Pause, PauseKind, State, Status};
use pipeline::{CallKey, ParentCall};
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use super::StoredMission;
use super::files::REPORT;
use super::journal::MissionJournal;
use super::pins::MissionPins;
use crate::core::engine::Engine;
use crate::core::ids;
use crate::core::performer::{self, Done, Performer, TaskEnd, Work, due};
use crate::run::child_request::{ChildRequest, ForwardedReply};
use crate::run::child_run::ChildRunStart;
use crate::turn::{StageTurnCause, StageTurnOutcome};

/// Something that the user says to a mission. Each is answered once it is durable.
pub(crate) struct MissionCommand {
    pub(super) says: MissionSteering,
    pub(super) done: Done,
}

/// What the user says.
#[derive(Debug, Clone, PartialEq)]
pub enum MissionSteering {
    /// Words for the coordinator and the researchers that begin from now on.
    Guide(String),
    /// Keeps a claim.
    Pin(ItemId),
    /// Rejects a claim, for a reason.
    Reject(ItemId, String),
    /// Closes a gap, for a reason.
    CloseGap(ItemId, String),
    /// Settles a contradiction for a reason: one claim stands, or both do.
    Settle(ItemId, Option<ItemId>, String),
    /// Changes what the plan asks; all of it, or nothing.
    EditPlan(Vec<PlanEdit>),
    /// Raises limits.
    Raise(Limits),
    /// Enough: the report is written from what is known.
    Write,
    /// Goes on at the first open pause.
    Proceed,
    /// Goes on at the pause about hosts, and repeats the research that needed their pages.
    Again,
    /// Answers the pause of an agent's run.
    Answer(RunId, Box<ForwardedReply>),
    /// Ends it for good.
    Cancel,
    /// Stops it so that it can go on later.
    Suspend,
}

pub(super) struct MissionDriver {
    pub(super) journal: MissionJournal,
    pub(super) pins: Arc<MissionPins>,
    pub(super) graph: Graph,
    pub(super) engine: Engine,
    /// The mission whose results are taken over, once it was read.
    pub(super) base: Option<Arc<StoredMission>>,
    /// How far other missions were when they were last looked at; those on another graph are not looked at again.
    pub(super) joined: BTreeMap<RunId, u64>,
    ui: broadcast::Sender<UiEvent>,
    work: Work<Self>,
    started: BTreeSet<(InvocationKey, u32)>,
    unattended: bool,
    suspend: CancellationToken,
}

impl MissionDriver {
    pub(super) fn new(
        engine: Engine,
        journal: MissionJournal,
        pins: Arc<MissionPins>,
        graph: Graph,
        unattended: bool,
    ) -> Self {
        Self {
            journal,
            pins,
            graph,
            ui: engine.ui().clone(),
            engine,
            base: None,
            joined: BTreeMap::new(),
            work: Work::default(),
            started: BTreeSet::new(),
            unattended,
            suspend: CancellationToken::new(),
        }
    }

    /// Until it is finished, failed, cancelled, or waits for the user.
    pub(super) async fn drive(
        mut self,
        first: Option<MissionCommand>,
        mut commands: mpsc::Receiver<MissionCommand>,
    ) -> (Exit, Option<Problem>, UiEvent) {
        let (exit, problem) = match performer::drive(&mut self, first, &mut commands).await {
            Ok(()) => {
                let exit = Exit::from_status(self.journal.state.status().into()).unwrap_or(Exit::Paused);
                (exit, self.journal.state.problem.clone().filter(|_| exit == Exit::Failed))
            }
            Err(problem) => (Exit::Failed, Some(problem)),
        };
        if let Err(problem) = self.write_files().await {
            tracing::warn!(run = %self.journal.run, "files of the mission were not written: {problem}");
            self.tell(problem.message);
        }
        let done = self.event(UiKind::Done { exit, problem: problem.clone() });
        (exit, problem, done)
    }

    /// Takes the default answer where nobody is there: goes on, and at a limit writes the report. Whether it did.
    fn answer_unattended(&mut self) -> Result<bool, Problem> {
        if !self.unattended || self.journal.state.cancelling || self.journal.state.suspended {
            return Ok(false);
        }
        let open = self.journal.state.open_pauses().find(|pause| pause.form.is_some());
        let Some((pause, kind)) = open.map(|pause| (pause.id.clone(), pause.kind.clone())) else {
            return Ok(false);
        };
        let decision = match kind {
            // Nobody is there to decide about hosts: their pages stay left out.
            PauseKind::Plan | PauseKind::Hosts { .. } => Decision::Proceed,
            PauseKind::Limit { .. } | PauseKind::NoProgress => Decision::Write,
            // What an agent asks is for the user.
            PauseKind::Child { .. } => return Ok(false),
        };
        self.journal.push(Event::Resumed { pause, decision, reply: None })?;
        Ok(true)
    }

    /// Names the runs that are about to begin, so that they are found again whatever happens.
    fn name_children(&mut self) -> Result<(), Problem> {
        for effect in self.journal.state.effects() {
            let Effect::Invoke { key, .. } = effect else { continue };
            if self.journal.state.invocations.get(&key).is_some_and(|one| one.child.is_none()) {
                self.journal.push(Event::ChildRunStarted { key, child: ids::run_id() })?;
            }
        }
        Ok(())
    }

    async fn order(&mut self, key: InvocationKey) -> Result<ChildRunStart, Problem> {
        let corrupt = || Problem::new(ErrorCode::Corrupt, format!("invocation {key} has no run"));
        let state = &self.journal.state;
        let start = state.start.as_ref().ok_or_else(corrupt)?;
        let invocation = state.invocations.get(&key).ok_or_else(corrupt)?;
        let (child, request) =
            (invocation.child.clone().ok_or_else(corrupt)?, invocation.request.ok_or_else(corrupt)?);
        let (slug, held, was_tried) = (invocation.agent.clone(), invocation.held, invocation.tries > 1);
        let budget = &state.limits.budget;
        let share = Budget {
            cost: budget.cost.map(|_| held.cost),
            tokens: budget.tokens.map(|_| held.tokens),
            active_ms: state.time_left(invocation.role),
        };
        let (session, retry_ambiguous) = (start.session.clone(), start.unattended);
        let mut pinned = self.pins.agent(slug.as_str())?.clone();
        pinned.workspace.clone_from(&self.pins.workspace);
        let request: ChildRequest = self.journal.blobs.json(request).await?;
        let is_answer = |pause: &&Pause| pause.kind == PauseKind::Child { key };
        let answer = self.journal.state.pauses.iter().rev().find(is_answer).and_then(|pause| pause.reply);
        let reply: Option<ForwardedReply> = match answer {
            Some(reply) => Some(self.journal.blobs.json(reply).await?),
            None => None,
        };
        Ok(ChildRunStart {
            // A run that works for a mission names the invocation as runs name calls.
            parent: ParentCall {
                run: self.journal.run.clone(),
                key: CallKey {
                    stage: slug.as_str().into(),
                    attempt: key.iteration.saturating_add(1),
                    wave: 0,
                    item: key.slot,
                },
            },
            child,
            session,
            pinned,
            request,
            share,
            most: domain::agent::ChildBudget::default(),
            result: None,
            reply,
            retry: was_tried,
            unattended: true,
            retry_ambiguous,
            stop: self.work.stop.clone(),
            suspend: self.suspend.clone(),
        })
    }

    /// An agent's run left off.
    fn child_left(&mut self, key: InvocationKey, r#try: u32, left: StageTurnOutcome) -> Result<(), Problem> {
        let child = self.journal.state.invocations.get(&key).and_then(|one| one.child.clone());
        let Some(child) = child else {
            return Err(Problem::new(ErrorCode::Internal, format!("invocation {key} has no run")));
        };
        let end = match left.end {
            StageTurnCause::Gated(output) => {
                ChildEnd::Finished { output: self.journal.blobs.put_json(&output)? }
            }
            StageTurnCause::Waits(form) => ChildEnd::Waits { form: self.journal.blobs.put_json(&form)? },
            StageTurnCause::Asks(said) => ChildEnd::Waits { form: self.journal.blobs.put_json(&said)? },
            StageTurnCause::Short { out_of_time: true, .. } | StageTurnCause::Suspended => {
                ChildEnd::Interrupted
            }
            StageTurnCause::Short { needed, .. } => ChildEnd::Short { needed },
            StageTurnCause::Failed(problem) => ChildEnd::Failed { problem },
        };
        self.journal.push(Event::ChildRunFinished {
            key,
            r#try,
            child,
            end,
            usage: left.usage,
            cost: left.cost,
            equivalent: left.equivalent,
            doubtful: left.doubtful,
            ms: left.active_ms,
        })
    }

    fn steer(&mut self, says: MissionSteering) -> Result<(), Problem> {
        let claim = |graph: &Graph, id: &ItemId| match graph.claim(id) {
            Some(_) => Ok(()),
            None => Err(Problem::new(ErrorCode::NotFound, format!("the mission has no claim {}", id.0))
                .with_action("`agentnative mission graph <id> claims` lists them")),
        };
        let event = match says {
            MissionSteering::Guide(text) if text.trim().is_empty() => {
                return Err(Problem::new(ErrorCode::InvalidInput, "there is nothing to tell the mission"));
            }
            MissionSteering::Guide(text) => {
                Event::Steered { text: self.journal.blobs.put(text.into_bytes())? }
            }
            MissionSteering::Pin(id) => {
                claim(&self.graph, &id)?;
                if self.graph.claim(&id).is_some_and(|row| !row.status.is_live()) {
                    let what = format!("claim {} stands no more, so it can't be kept", id.0);
                    return Err(Problem::new(ErrorCode::Conflict, what));
                }
                Event::ClaimPinned { claim: id }
            }
            MissionSteering::Reject(_, why) if why.trim().is_empty() => {
                return Err(Problem::new(ErrorCode::InvalidInput, "rejecting a claim needs a reason"));
            }
            MissionSteering::Reject(id, why) => {
                claim(&self.graph, &id)?;
                Event::ClaimRejected { claim: id, why: self.journal.blobs.put(why.into_bytes())? }
            }
            MissionSteering::CloseGap(_, reason) if reason.trim().is_empty() => {
                return Err(Problem::new(ErrorCode::InvalidInput, "closing a gap by hand needs a reason"));
            }
            MissionSteering::CloseGap(gap, reason) => {
                if !self.graph.gaps().any(|one| one.id == gap && one.is_open()) {
                    let what = format!("the mission has no open gap {}", gap.0);
                    return Err(Problem::new(ErrorCode::NotFound, what));
                }
                Event::GapClosed { gap, closing: Closing::Person { reason } }
            }
            MissionSteering::Settle(contradiction, claim, reason) => {
                self.may_settle(&contradiction, claim.as_ref(), &reason)?;
                let settlement = Settlement::Person { claim, reason };
                Event::ContradictionSettled { contradiction, settlement }
            }
            MissionSteering::EditPlan(edits) => self.edit_plan(&edits)?,
            MissionSteering::Raise(limits) if !limits.is_raise_of(&self.journal.state.limits) => {
                let what =
                    "limits can only be raised: one would be lower than it is, or be set where there is none";
                return Err(Problem::new(ErrorCode::InvalidInput, what)
                    .with_action("`agentnative mission show <id>` prints the limits"));
            }
            MissionSteering::Raise(limits) => Event::LimitsRaised { limits },
            MissionSteering::Write => {
                // Agents at work stop; what they have done by then is in their logs.
                std::mem::take(&mut self.suspend).cancel();
                Event::WriteRequested
            }
            MissionSteering::Proceed => self.answer(Decision::Proceed)?,
            MissionSteering::Again => self.answer(Decision::Again)?,
            MissionSteering::Answer(child, reply) => {
                let pause = self.pause_of(&child)?;
                let reply = Some(self.journal.blobs.put_json(&reply)?);
                Event::Resumed { pause, decision: Decision::Proceed, reply }
            }
            MissionSteering::Cancel => {
                self.work.stop.cancel();
                Event::CancelRequested
            }
            MissionSteering::Suspend => {
                // Agents have time of their own to leave off.
                self.suspend.cancel();
                Event::Suspended
            }
        };
        self.journal.push(event).map_err(|problem| Problem::new(ErrorCode::Conflict, problem.message))
    }

    /// The answer to the first open pause.
    fn answer(&self, decision: Decision) -> Result<Event, Problem> {
        match self.journal.state.open_pauses().next() {
            Some(open) => Ok(Event::Resumed { pause: open.id.clone(), decision, reply: None }),
            None => Err(Problem::new(ErrorCode::Conflict, "the mission does not wait for an answer")),
        }
    }

    /// The open pause at which an agent's run waits.
    fn pause_of(&self, child: &RunId) -> Result<PauseId, Problem> {
        let state = &self.journal.state;
        let is_of_child = |pause: &&Pause| match &pause.kind {
            PauseKind::Child { key } => {
                state.invocations.get(key).is_some_and(|one| one.child.as_ref() == Some(child))
            }
            PauseKind::Plan | PauseKind::Limit { .. } | PauseKind::NoProgress | PauseKind::Hosts { .. } => {
                false
            }
        };
        let open = state.open_pauses().find(is_of_child).map(|pause| pause.id.clone());
        open.ok_or_else(|| {
            Problem::new(ErrorCode::Conflict, format!("the mission waits for no answer to run {child}"))
        })
    }

    /// Whether the user's word settles a contradiction, as far as is known now.
    fn may_settle(&self, id: &ItemId, claim: Option<&ItemId>, reason: &str) -> Result<(), Problem> {
        let invalid = |what: String| Problem::new(ErrorCode::InvalidInput, what);
        if reason.trim().is_empty() {
            return Err(invalid("settling a contradiction by hand needs a reason".to_owned()));
        }
        let open = self.graph.contradictions().find(|one| one.id == *id && one.is_open());
        let Some(contradiction) = open else {
            let what = format!("the mission has no open contradiction {}", id.0);
            return Err(Problem::new(ErrorCode::NotFound, what)
                .with_action("`agentnative mission graph <id> contradictions` lists them"));
        };
        let Some(claim) = claim else { return Ok(()) };
        if !contradiction.claims.contains(claim) {
            let sides: Vec<&str> = contradiction.claims.iter().map(|side| side.0.as_str()).collect();
            let what = format!("{} is about {}, not {}", id.0, sides.join(" and "), claim.0);
            return Err(invalid(what));
        }
        let other = contradiction.other(claim);
        if self.graph.claim(other).is_some_and(|row| row.pinned) {
            return Err(invalid(format!("you keep {}, so it can't give way", other.0))
                .with_action(format!("reject {} first", other.0)));
        }
        Ok(())
    }

    /// Says something of the mission to whoever watches it.
    pub(super) fn tell(&self, text: String) {
        let stage = domain::StageId::from("");
        let _ = self.ui.send(self.event(UiKind::Progress { stage, text, done: 0, total: 0 }));
    }

    fn event(&self, kind: UiKind) -> UiEvent {
        UiEvent { run: self.journal.run.clone(), seq: self.journal.committed(), kind }
    }

    /// Applies changes to the graph and keeps them. Gives the version before and after, and their payload.
    pub(super) fn change(&mut self, changes: Vec<Changes>) -> Result<(u64, u64, Digest), Problem> {
        let from = self.graph.version();
        for changes in &changes {
            self.graph.apply(changes).map_err(crate::core::problem::internal)?;
        }
        Ok((from, self.graph.version(), self.journal.blobs.put_json(&changes)?))
    }

    pub(super) fn run_id(&self) -> &RunId {
        &self.journal.run
    }
}

impl Performer for MissionDriver {
    const NAME: &'static str = "mission";
    type Machine = State;
    type Command = MissionCommand;
    type Step = (InvocationKey, u32);
    type Outcome = (InvocationKey, u32, StageTurnOutcome);
    type News = Infallible;
    type Input = Infallible;

    fn journal(&mut self) -> &mut MissionJournal {
        &mut self.journal
    }

    fn work(&mut self) -> &mut Work<Self> {
        &mut self.work
    }

    /// Invocations that were under way when the program ended go on from the logs of their runs. What those used is
    /// booked, so that none gets more than is left of what was set aside for it.
    async fn recover(&mut self) -> Result<(), Problem> {
        let in_flight = self.journal.state.in_flight();
        let lost: Vec<_> = in_flight.map(|(key, of)| (key, of.tries, of.child.clone())).collect();
        for (key, r#try, child) in lost {
            let loaded = match child {
                Some(child) => match self.engine.load(&child).await {
                    Err(problem) if problem.code == ErrorCode::NotFound => None,
                    loaded => Some(loaded?.state),
                },
                None => None,
            };
            match loaded {
                // One that has its result spends nothing more.
                Some(run) if run.status() != pipeline::Status::Completed => {
                    let left = StageTurnOutcome::of_run(&run, StageTurnCause::Suspended);
                    self.child_left(key, r#try, StageTurnOutcome { active_ms: 0, ..left })?;
                }
                Some(_) => self.journal.push(Event::OutcomeUnknown { key, r#try, anew: false })?,
                None => {
                    let of = self.journal.state.invocations.get(&key);
                    let name = of.map(|one| self.pins.name_of(one.agent.as_str())).unwrap_or_default();
                    self.tell(format!("{name} left no log: it is invoked anew, nothing is taken over"));
                    self.journal.push(Event::OutcomeUnknown { key, r#try, anew: true })?;
                }
            }
        }
        if self.journal.state.status() == Status::Failed {
            self.journal.push(Event::MissionRetried)?;
        } else if self.journal.state.suspended {
            self.journal.push(Event::Continued)?;
        }
        self.read_base().await
    }

    async fn refresh(&mut self) -> Result<(), Problem> {
        if self.work.tasks.is_empty() { self.join_others().await } else { Ok(()) }
    }

    fn decided(&mut self, event: Event) -> Result<(), Problem> {
        self.announce(&event);
        let report = match &event {
            Event::ReportAccepted { key, report, .. } => Some((*key, *report)),
            _ => None,
        };
        self.journal.push(event)?;
        match report {
            Some((key, report)) => self.register("report", REPORT.to_owned(), report, key, Vec::new()),
            None => Ok(()),
        }
    }

    async fn local(&mut self, effect: Effect) -> Result<(), Problem> {
        let Err(problem) = self.perform(effect).await else { return Ok(()) };
        tracing::warn!(run = %self.journal.run, "a step of the mission failed: {problem}");
        self.journal.push(Event::StepFailed { problem })
    }

    async fn ready(&mut self) -> Result<Option<Vec<Self::Step>>, Problem> {
        if self.answer_unattended()? {
            return Ok(None);
        }
        self.name_children()?;
        let invoked = self.journal.state.effects().into_iter().filter_map(|effect| {
            let Effect::Invoke { key, r#try } = effect else { return None };
            Some((key, r#try))
        });
        Ok(Some(invoked.filter(|of| !self.started.contains(of)).collect()))
    }

    fn must_commit(&self, _: &[Self::Step]) -> bool {
        true
    }

    async fn commit(&mut self) -> Result<(), Problem> {
        if !self.journal.pending().is_empty() {
            let line = self.line();
            self.journal.commit(line.clone()).await?;
            self.tell(line);
        }
        self.work.answer(&Ok(()));
        Ok(())
    }

    async fn start(&mut self, (key, r#try): Self::Step) -> Result<(), Problem> {
        self.started.insert((key, r#try));
        let order = self.order(key).await?;
        let engine = self.engine.clone();
        self.work.tasks.spawn(async move { (key, r#try, engine.child_run(order).await) });
        Ok(())
    }

    async fn leaves(&mut self) -> Result<bool, Problem> {
        Ok(Exit::from_status(self.journal.state.status().into()).is_some() && self.work.is_over())
    }

    fn is_stuck(&self) -> bool {
        true
    }

    fn take_in(&mut self, news: Infallible) -> Result<(), Problem> {
        match news {}
    }

    async fn ended(&mut self, ended: TaskEnd<Self::Outcome>) -> Result<(), Problem> {
        let (_, (key, r#try, left)) = ended.map_err(crate::core::problem::internal)?;
        self.child_left(key, r#try, left)
    }

    async fn command(&mut self, command: MissionCommand) -> Result<(), Problem> {
        let said = self.steer(command.says);
        self.work.acknowledge(said, due(command.done));
        Ok(())
    }

    async fn again(&mut self, input: Infallible) -> Result<(), Problem> {
        match input {}
    }

    fn unrecorded() -> Problem {
        crate::core::problem::internal("a mission is not driven over its log")
    }

    /// Each agent's run is told: none works on for a mission that left the engine.
    async fn release(&mut self) {
        self.suspend.cancel();
        while self.work.tasks.join_next().await.is_some() {}
    }
}
