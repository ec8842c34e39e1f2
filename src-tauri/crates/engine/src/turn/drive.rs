//! Drives one turn: what its machine wants done, and what is particular of a turn in the loop of [`performer`].

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dialogue::{Effect, End, Event, Record, State, Status, ToolEnd};
use domain::{AccessRequest, Digest, Mode, NanoUsd, Problem, RunId, SessionSetup};
use engine_types::{Exit, TurnHead, TurnUi, TurnUiKind};
use llm::ModelAnswer;
use tokio::sync::{broadcast, mpsc};
use tokio::task::AbortHandle;

use super::command::Command;
use super::history::{Item, PastTurn, Reader, SessionFiles, begins_anew};
use super::host::{ChatHost, TurnContext, TurnScope};
use super::in_flight::{InFlight, not_driven};
use super::journal::Journal;
use super::pinned::Pinned;
use super::stream::StreamedText;
use super::tool::Offered;
use super::{calls, model, show, text};
use crate::core::engine::Parts;
use crate::core::performer::{self, Performer, TaskEnd, Work};

/// How long what is under way may still take when the program ends.
const SUSPEND_GRACE: Duration = Duration::from_millis(1_500);
/// How long a cancelled call may take to end by itself.
const CANCEL_GRACE: Duration = Duration::from_secs(2);

/// A call that the provider goes on with by itself: which, and the response's id.
type AcceptedCall = (u32, String);

/// One turn while the engine has it.
pub(super) struct Driver {
    pub(super) journal: Journal,
    pub(super) pinned: Arc<Pinned>,
    pub(super) parts: Arc<Parts>,
    pub(super) chat: Arc<dyn ChatHost>,
    pub(super) scope: TurnScope,
    pub(super) setup: SessionSetup,
    pub(super) kit: HashMap<String, Arc<Offered>>,
    pub(super) own: SessionFiles,
    /// What was said before the turn, the oldest first.
    pub(super) past: Vec<Arc<PastTurn>>,
    pub(super) answers: HashMap<Digest, Arc<ModelAnswer>>,
    /// Messages of the turn with their files as they were read.
    pub(super) spoken: HashMap<Digest, Item>,
    /// Tokens as the provider counted the last request, for each hundred that were estimated.
    pub(super) scale: u64,
    pub(super) ui: broadcast::Sender<TurnUi>,
    /// What is being said, for those that come to it in the middle.
    pub(super) streamed: StreamedText,
    pub(super) work: Work<Self>,
    pub(super) busy: HashMap<tokio::task::Id, (InFlight, AbortHandle)>,
    /// On what was decided, by call: what was planned in this process.
    pub(super) claims: HashMap<String, Vec<AccessRequest>>,
    /// Whether the program ends.
    pub(super) leaving: bool,
    /// What would be under way, where the turn is driven again: it ends when the log says so.
    pub(super) pretended: BTreeSet<InFlight>,
    /// What surfaces were told last; `None` until the first time.
    told: Option<TurnHead>,
    /// Whether they know the message.
    pub(super) introduced: bool,
    /// Turns that it replaced, until surfaces are told.
    pub(super) replaced: Vec<RunId>,
}

/// How something external ended.
pub(super) enum Outcome {
    Model(model::EndedCall),
    Waited(u32),
    Authorized { call: String, mode: Mode, decided: Result<calls::CallDecision, tools::ToolError> },
    Ran { call: String, ms: u64, ran: Result<calls::CallRecord, tools::ToolError> },
    TurnContext(Result<(SessionSetup, TurnContext), Problem>),
}

/// Something external whose intent is in the log, or need not be.
pub(super) enum ExternalStep {
    Model(Box<model::Call>),
    Wait { call: u32, ms: u64 },
    Authorize { call: String },
    Run { call: String, confined: domain::Walls },
}

impl ExternalStep {
    /// What is under way once it has begun.
    fn in_flight(&self) -> InFlight {
        match self {
            Self::Model(call) => InFlight::Model(call.call),
            Self::Wait { call, .. } => InFlight::Wait(*call),
            Self::Authorize { call } => InFlight::Authorize(call.clone()),
            Self::Run { call, .. } => InFlight::Run(call.clone()),
        }
    }
}

impl Driver {
    #[allow(clippy::too_many_arguments)] // what a turn is made of
    pub(super) fn new(
        journal: Journal,
        pinned: Pinned,
        parts: Arc<Parts>,
        chat: Arc<dyn ChatHost>,
        scope: TurnScope,
        setup: SessionSetup,
        kit: &TurnContext,
        past: Vec<Arc<PastTurn>>,
        ui: broadcast::Sender<TurnUi>,
    ) -> Self {
        Self {
            own: SessionFiles::new(&parts.home, &scope.session.0),
            journal,
            pinned: Arc::new(pinned),
            parts,
            chat,
            scope,
            setup,
            kit: Offered::all(kit),
            past,
            answers: HashMap::new(),
            spoken: HashMap::new(),
            scale: 100,
            ui,
            streamed: StreamedText::default(),
            work: Work::default(),
            busy: HashMap::new(),
            claims: HashMap::new(),
            leaving: false,
            pretended: BTreeSet::new(),
            told: None,
            introduced: false,
            replaced: Vec::new(),
        }
    }

    /// Until the turn has ended or the program does. What surfaces are told last is told by whoever drove it.
    pub(super) async fn drive(
        mut self,
        first: Option<Command>,
        mut commands: mpsc::Receiver<Command>,
    ) -> (Exit, Option<Problem>, Option<TurnUi>) {
        let broken = performer::drive(&mut self, first, &mut commands).await.err();
        if let Some(problem) = &broken {
            tracing::warn!(run = %self.journal.run, "turn left: {problem}");
        }
        let mut last = self.changes(false).await.ok().flatten();
        if let (Some(TurnUiKind::Changed { head, .. }), Some(problem)) = (&mut last, &broken) {
            head.problem = Some(problem.clone());
        }
        let last = last.map(|kind| self.event(kind));
        let (exit, problem) = match (&self.journal.state.end, broken) {
            (_, Some(problem)) => (Exit::Failed, Some(problem)),
            (Some(End::Failed { problem }), None) => (Exit::Failed, Some(problem.clone())),
            (Some(End::Stopped), None) => (Exit::Cancelled, None),
            (Some(End::Answered | End::Bounded { .. } | End::Handed), None) => (Exit::Completed, None),
            (None, None) => (Exit::Paused, None),
        };
        (exit, problem, last)
    }

    /// External effects that are wanted and not under way.
    fn wanted(&self) -> Vec<Effect> {
        if self.leaving || self.journal.state.suspended || self.journal.state.stopping {
            return Vec::new();
        }
        let busy: BTreeSet<&InFlight> =
            self.busy.values().map(|(doing, _)| doing).chain(&self.pretended).collect();
        let is_busy = |doing: &InFlight| busy.contains(doing);
        let mut effects = self.journal.state.effects();
        effects.retain(|effect| match effect {
            // Tools that are on their way count for the next step.
            Effect::CallModel { call, .. } => {
                !is_busy(&InFlight::Model(*call)) && !is_busy(&InFlight::TurnContext)
            }
            Effect::Wait { call, .. } => !is_busy(&InFlight::Wait(*call)),
            Effect::Authorize { call } => !is_busy(&InFlight::Authorize(call.clone())),
            Effect::Run { call, .. } => !is_busy(&InFlight::Run(call.clone())),
            Effect::TakeSummary { .. }
            | Effect::CompactByCode
            | Effect::Refuse { .. }
            | Effect::TakeAnswer { .. }
            | Effect::Nudge { .. }
            | Effect::Summarise { .. } => false,
        });
        effects
    }

    async fn prepare(&mut self, effect: Effect) -> Result<Option<ExternalStep>, Problem> {
        Ok(match effect {
            Effect::CallModel { call, r#try, purpose } => self
                .prepare_model(call, r#try, purpose)
                .await?
                .map(|call| ExternalStep::Model(Box::new(call))),
            Effect::Wait { call, ms } => Some(ExternalStep::Wait { call, ms }),
            Effect::Authorize { call } => Some(ExternalStep::Authorize { call }),
            Effect::Run { call, confined } => {
                self.load_arguments(&call).await?;
                let started = self.journal.state.tools.get(&call).is_some_and(|call| call.started);
                if !started {
                    self.journal.push(Event::ToolStarted { call: call.clone() })?;
                }
                Some(ExternalStep::Run { call, confined })
            }
            Effect::TakeSummary { .. }
            | Effect::CompactByCode
            | Effect::Refuse { .. }
            | Effect::TakeAnswer { .. }
            | Effect::Nudge { .. }
            | Effect::Summarise { .. } => None,
        })
    }

    fn is_repeatable(&self, call: &str) -> bool {
        self.journal.state.tools.get(call).is_some_and(|call| call.asked.repeatable)
    }

    /// Events whose loss costs nothing: after a crash they come out of the same state again.
    fn is_free(&self, record: &Record) -> bool {
        match &record.event {
            Event::ToolJudged { .. } | Event::Waited { .. } => true,
            Event::ToolStarted { call } | Event::ToolEnded { call, .. } => self.is_repeatable(call),
            _ => false,
        }
    }

    /// What surfaces were not told yet.
    async fn changes(&mut self, live: bool) -> Result<Option<TurnUiKind>, Problem> {
        let head = show::head(&mut self.journal, &self.pinned, live).await?;
        let changed = self.journal.view.steps.take_changed();
        if changed.is_empty() && self.told.as_ref() == Some(&head) {
            return Ok(None);
        }
        let Journal { state, blobs, .. } = &mut self.journal;
        let steps = show::steps(state, blobs, &self.pinned, &changed).await?;
        let message = match (self.introduced, state.start.as_ref()) {
            (false, Some(start)) => Some(blobs.json(start.message).await?),
            _ => None,
        };
        self.introduced = true;
        self.told = Some(head.clone());
        let replaced = std::mem::take(&mut self.replaced);
        Ok(Some(TurnUiKind::Changed { head: Box::new(head), steps, message, replaced }))
    }

    fn event(&self, kind: TurnUiKind) -> TurnUi {
        TurnUi {
            run: self.journal.run.clone(),
            session: self.scope.session.clone(),
            seq: self.journal.committed(),
            kind,
        }
    }

    /// Ends what is under way, and gives it a moment to end by itself.
    pub(super) fn cancel_tasks(&mut self) {
        self.work.stop.cancel();
        // What only looks can be dropped at any place.
        for (doing, handle) in self.busy.values() {
            if matches!(doing, InFlight::Authorize(_) | InFlight::TurnContext) {
                handle.abort();
            }
        }
        self.work.stop_at = Some(Instant::now() + CANCEL_GRACE);
    }

    /// The program ends: the turn goes on at its next start.
    pub(super) fn suspend(&mut self) -> Result<(), Problem> {
        if !self.leaving && self.journal.state.status() == Status::Running && !self.journal.state.stopping {
            self.journal.push(Event::Suspended)?;
        }
        self.leaving = true;
        self.work.stop_at = Some(Instant::now() + SUSPEND_GRACE);
        Ok(())
    }

    /// Everything that was said so far, this turn's share included.
    pub(super) async fn items(&mut self) -> Result<(Vec<Arc<PastTurn>>, Vec<Item>), Problem> {
        let Journal { state, blobs, .. } = &mut self.journal;
        let mut reader =
            Reader { blobs, answers: &mut self.answers, spoken: &mut self.spoken, own: &self.own };
        let items = reader.items(state).await?;
        let anew = begins_anew(&items);
        Ok((if anew { Vec::new() } else { self.past.clone() }, items))
    }
}

impl Performer for Driver {
    const NAME: &'static str = "turn";
    type Machine = State;
    type Command = Command;
    type Step = ExternalStep;
    type Outcome = Outcome;
    type News = AcceptedCall;
    type Input = Event;

    fn journal(&mut self) -> &mut Journal {
        &mut self.journal
    }

    fn work(&mut self) -> &mut Work<Self> {
        &mut self.work
    }

    /// What was under way when the program ended has an unknown outcome.
    async fn recover(&mut self) -> Result<(), Problem> {
        let lost = self.journal.state.lost();
        if let Some(call) = lost.model {
            let kept = self.journal.state.model_calls.get(&call).and_then(|call| call.response_id.clone());
            match kept {
                Some(response_id) => self.left_going(call, response_id)?,
                None => self.lose(call)?,
            }
        }
        for call in lost.tools {
            let result = self.journal.blobs.put(text::unknown().into_bytes())?;
            self.journal.push(Event::ToolEnded {
                call,
                end: ToolEnd::Unknown,
                result,
                summary: "outcome unknown: the program ended".to_owned(),
                show: Vec::new(),
                ms: 0,
                ends: false,
            })?;
        }
        if self.journal.state.suspended {
            self.journal.push(Event::Continued)?;
        }
        Ok(())
    }

    async fn local(&mut self, effect: Effect) -> Result<(), Problem> {
        match effect {
            Effect::Refuse { call, end, why } => self.refuse(&call, end, &why).await,
            Effect::TakeSummary { call } => self.take_summary(call).await,
            Effect::CompactByCode => self.compact_by_code().await,
            Effect::TakeAnswer { call } => {
                let answer = self.journal.state.tools.get(&call).and_then(|call| call.answer.clone());
                let answer = answer.unwrap_or_default();
                let summary = text::line_of(&answer, 120);
                let result = self.journal.blobs.put(answer.into_bytes())?;
                self.journal.push(Event::ToolEnded {
                    call,
                    end: ToolEnd::Ok,
                    result,
                    summary,
                    show: Vec::new(),
                    ms: 0,
                    ends: false,
                })
            }
            Effect::Nudge { why } => {
                let text = self.journal.blobs.put(dialogue::reminder(&why).into_bytes())?;
                self.journal.push(Event::Nudged { text })
            }
            Effect::Summarise { end } => {
                let words = text::summary(&self.journal.state, &end);
                let answer = Some(self.journal.blobs.put(words.into_bytes())?);
                self.journal.push(Event::TurnEnded { end, answer })
            }
            Effect::CallModel { .. }
            | Effect::Wait { .. }
            | Effect::Authorize { .. }
            | Effect::Run { .. } => Ok(()),
        }
    }

    async fn ready(&mut self) -> Result<Option<Vec<ExternalStep>>, Problem> {
        let mut ready = Vec::new();
        let before = self.journal.state.seq;
        for effect in self.wanted() {
            let Some(step) = self.prepare(effect).await? else { continue };
            if !self.withheld(&step).await? {
                ready.push(step);
            }
        }
        // What was told instead of doing it is for the machine first.
        Ok((!ready.is_empty() || self.journal.state.seq == before).then_some(ready))
    }

    /// Before anything that costs or changes the world, after anything that was paid or decided, and before the turn waits
    /// for the person.
    fn must_commit(&self, ready: &[ExternalStep]) -> bool {
        let pending = self.journal.pending();
        if pending.is_empty() {
            return self.work.owes_answers();
        }
        let costly = |ready: &ExternalStep| match ready {
            ExternalStep::Model(_) => true,
            ExternalStep::Run { call, .. } => !self.is_repeatable(call),
            ExternalStep::Wait { .. } | ExternalStep::Authorize { .. } => false,
        };
        self.journal.state.status() != Status::Running
            || self.work.owes_answers()
            || ready.iter().any(costly)
            || pending.iter().any(|record| !self.is_free(record))
    }

    async fn commit(&mut self) -> Result<(), Problem> {
        if !self.journal.pending().is_empty() {
            let line = show::line(&mut self.journal, &self.pinned).await?;
            self.journal.commit(line).await?;
            let amount = self.journal.under_way();
            self.parts.note(&mut self.journal, &self.pinned.connection, amount).await;
            let saying = |step: &str| {
                self.busy.values().any(|(doing, _)| match doing {
                    InFlight::Model(call) => step == format!("m{call}"),
                    InFlight::Run(_) | InFlight::Wait(_) | InFlight::Authorize(_) | InFlight::TurnContext => {
                        false
                    }
                })
            };
            self.streamed.keep(&self.journal.run, saying);
        }
        self.work.answer(&Ok(()));
        Ok(())
    }

    async fn start(&mut self, ready: ExternalStep) -> Result<(), Problem> {
        if self.work.recorded.is_some() {
            self.pretended.insert(ready.in_flight());
            return Ok(());
        }
        let doing = ready.in_flight();
        let handle = match ready {
            ExternalStep::Model(call) => self.start_model(*call),
            ExternalStep::Wait { call, ms } => self.work.sleep(ms, Outcome::Waited(call)),
            ExternalStep::Authorize { call } => self.start_authorizing(call),
            ExternalStep::Run { call, confined } => self.start_running(call, confined),
        };
        self.busy.insert(handle.id(), (doing, handle));
        Ok(())
    }

    async fn leaves(&mut self) -> Result<bool, Problem> {
        let over = match self.journal.state.status() {
            Status::Completed | Status::Stopped | Status::Failed | Status::Suspended => true,
            Status::Empty | Status::Running | Status::Waiting => false,
        };
        // The end is told when the turn has left the engine.
        if !over && let Some(kind) = self.changes(true).await? {
            let _ = self.ui.send(self.event(kind));
        }
        let leaves = (over || self.leaving) && self.work.is_over();
        if leaves {
            self.commit().await?;
        }
        Ok(leaves)
    }

    fn is_stuck(&self) -> bool {
        self.journal.state.status() == Status::Running && self.wanted().is_empty()
    }

    fn take_in(&mut self, (call, response_id): AcceptedCall) -> Result<(), Problem> {
        if self.journal.state.lost().model != Some(call) {
            return Ok(());
        }
        self.journal.push(Event::ModelAccepted { call, response_id })
    }

    async fn ended(&mut self, ended: TaskEnd<Outcome>) -> Result<(), Problem> {
        let (doing, outcome) = match ended {
            Ok((id, outcome)) => (self.busy.remove(&id), Ok(outcome)),
            Err(error) => (self.busy.remove(&error.id()), Err(error)),
        };
        let doing = doing.map(|(doing, _)| doing);
        match (doing, outcome) {
            (_, Ok(Outcome::Model(ended))) => self.model_ended(ended).await,
            (_, Ok(Outcome::Waited(call))) if self.work.stop.is_cancelled() => {
                let _ = call;
                Ok(())
            }
            (_, Ok(Outcome::Waited(call))) => self.journal.push(Event::Waited { call }),
            (_, Ok(Outcome::Authorized { call, mode, decided })) => self.authorized(call, mode, decided),
            (_, Ok(Outcome::Ran { call, ms, ran })) => self.ran(call, ms, ran),
            (_, Ok(Outcome::TurnContext(Ok((setup, kit))))) => self.fit(setup, &kit),
            (_, Ok(Outcome::TurnContext(Err(problem)))) => {
                tracing::warn!(run = %self.journal.run, "the session's tools stay as they were: {problem}");
                Ok(())
            }
            (Some(InFlight::TurnContext), Err(_)) => Ok(()),
            (Some(InFlight::Authorize(_)), Err(error)) if error.is_cancelled() => Ok(()),
            (Some(InFlight::Authorize(call)), Err(error)) => {
                self.authorized(call, self.journal.state.mode, Err(broken(&error)))
            }
            (Some(InFlight::Run(call)), Err(error)) => self.ran(call, 0, Err(broken(&error))),
            (Some(InFlight::Wait(_)), Err(_)) => Ok(()),
            (Some(InFlight::Model(_)) | None, Err(error)) => Err(crate::core::problem::internal(error)),
        }
    }

    async fn command(&mut self, command: Command) -> Result<(), Problem> {
        self.take(command).await;
        Ok(())
    }

    fn late(&mut self) {
        if self.work.stop.is_cancelled() {
            self.work.tasks.abort_all();
            self.work.stop_at = None;
        } else {
            self.cancel_tasks();
        }
    }

    async fn again(&mut self, event: Event) -> Result<(), Problem> {
        self.take_recorded(event).await
    }

    fn unrecorded() -> Problem {
        not_driven("it has not ended, and what comes next is not recorded")
    }

    async fn release(&mut self) {
        self.work.stop.cancel();
        let tasks = &mut self.work.tasks;
        let ended = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(CANCEL_GRACE, ended).await.is_err() {
            tasks.shutdown().await;
        }
        while self.work.endings.join_next().await.is_some() {}
        self.parts.note(&mut self.journal, &self.pinned.connection, NanoUsd::default()).await;
    }
}

/// A task that did not come to its end.
fn broken(error: &tokio::task::JoinError) -> tools::ToolError {
    if error.is_cancelled() {
        tools::ToolError::new(
            tools::Kind::Cancelled,
            "it did not end in time when it was stopped, and was given up",
        )
    } else {
        tools::ToolError::new(tools::Kind::Failed, "it broke: a defect of the tool")
    }
}
