//! Drives one run: what its machine wants done, and what is particular of a run in the loop of [`performer`].

mod child;
mod command;
mod external;
mod limit;
mod local;
mod outcome;
mod recorded;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use context::Templates;
use domain::{LimitReached, NanoUsd, PauseId, Problem, RunId, StageId};
use engine_types::{Answered, Exit, FormKind, Reply, UiEvent, UiKind};
use pipeline::{CallKey, Effect, Event, PauseKind, Phase, SkippedBy, State, Status};
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;

use crate::core::engine::{Engine, Parts};
use crate::core::performer::{self, Performer, TaskEnd, Work};
use crate::core::recheck::ExportCheck;
use crate::core::tools::ToolHost;
use crate::run::call::Outcome;
use crate::run::evaluate::Payload;
use crate::run::journal::Journal;
use crate::run::meta::RunMeta;
use crate::run::pinned::Pinned;
use crate::run::reuse::ReuseTable;
use crate::run::run_files::FileState;
use crate::run::scope::RunScope;
use crate::run::values::Values;
use crate::run::verdict::Validators;

pub(crate) use command::Command;
pub(crate) use recorded::{Outside, Recording};

/// How long calls under way may still take when the person stops the program.
const SUSPEND_GRACE: Duration = Duration::from_millis(1_500);
/// Results of free calls wait this long at most before they are stored: between waves, and within one.
const LAZY_COMMIT: Duration = Duration::from_millis(750);
const WAVE_COMMIT: Duration = Duration::from_secs(5);
/// Within a wave so many events wait at most: the request and the result of two hundred calls.
const MAX_WAITING: usize = 400;

/// What is told of a call while it is under way: which, which try, what.
type CallNews = (CallKey, u32, News);

/// What a call tells before it ends.
pub(crate) enum News {
    /// The provider goes on with it by itself: the response's id.
    Kept(String),
    /// So much of its answer has come.
    Drafted(domain::DraftText),
}

/// One run while the engine has it.
pub(crate) struct Driver {
    pub(crate) journal: Journal,
    pub(crate) pinned: Arc<Pinned>,
    pub(crate) parts: Arc<Parts>,
    pub(crate) values: Values,
    pub(crate) scope: RunScope,
    pub(crate) templates: Arc<Templates>,
    pub(crate) ui: broadcast::Sender<UiEvent>,
    payloads: BTreeMap<CallKey, Payload>,
    validators: Validators,
    work: Work<Self>,
    started: BTreeSet<(CallKey, u32)>,
    timers: BTreeSet<CallKey>,
    shown: BTreeSet<PauseId>,
    /// The pause that was reached last, until it was asked whether the run may wait there.
    reached: Option<PauseId>,
    fresh: bool,
    /// The limit on money that a reply raises, with the amount that it names.
    pub(crate) raise: Option<(LimitReached, Option<f64>)>,
    tools: Arc<dyn ToolHost>,
    pub(crate) file_state: FileState,
    /// Optional sources that can't be used, in words: a warning of the first stage that ends.
    unavailable: Vec<String>,
    attendance: PauseReplies,
    /// What drives the turns of its stages, where it has such stages.
    pub(crate) engine: Option<Engine>,
    /// Ends those turns so that they can go on.
    suspend: CancellationToken,
    /// How long they have worked, as far as it is booked.
    worked: BTreeMap<RunId, u64>,
    /// What it can take over, where it repeats another run.
    reuse: ReuseTable,
    /// What answers in place of the world, where the run is driven again.
    pub(crate) recording: Option<Box<Recording>>,
}

/// How pauses are answered without the person.
#[derive(Debug, Clone, Default)]
pub(crate) struct PauseReplies {
    /// Replies given beforehand, in order.
    pub(crate) replies: VecDeque<Reply>,
    /// Whether the default choice is taken when there are none left.
    pub(crate) unattended: bool,
}

impl Driver {
    pub(crate) fn new(
        journal: Journal,
        pinned: Arc<Pinned>,
        parts: Arc<Parts>,
        ui: broadcast::Sender<UiEvent>,
        attendance: PauseReplies,
        fresh: bool,
    ) -> Self {
        Self {
            tools: parts.hosts.host(&pinned),
            unavailable: Vec::new(),
            attendance,
            engine: None,
            suspend: CancellationToken::new(),
            worked: BTreeMap::new(),
            reuse: ReuseTable::default(),
            recording: None,
            journal,
            pinned,
            templates: parts.templates.clone(),
            parts,
            values: Values::default(),
            scope: RunScope::default(),
            ui,
            payloads: BTreeMap::new(),
            validators: Validators::default(),
            work: Work::default(),
            started: BTreeSet::new(),
            timers: BTreeSet::new(),
            shown: BTreeSet::new(),
            reached: None,
            fresh,
            raise: None,
            file_state: FileState::default(),
        }
    }

    /// Until the run is finished, failed, cancelled, or waits for the person. The event is the last to be told of it.
    pub(crate) async fn drive(
        mut self,
        first: Option<Command>,
        mut commands: mpsc::Receiver<Command>,
    ) -> (Exit, Option<Problem>, UiEvent) {
        let (exit, problem) = match performer::drive(&mut self, first, &mut commands).await {
            Ok(()) => {
                let exit = Exit::from_status(self.journal.state.status().into()).unwrap_or(Exit::Paused);
                let failure = self.journal.state.failure.as_ref().filter(|_| exit == Exit::Failed);
                (exit, failure.map(|(_, problem)| problem.clone()))
            }
            Err(problem) => (Exit::Failed, Some(problem)),
        };
        for written in [
            self.write_files().await,
            crate::run::exports::write(&mut self, ExportCheck::Rechecked).await.map(|_| ()),
        ] {
            if let Err(export) = written {
                tracing::warn!(run = %self.journal.run, "export failed: {export}");
                self.tell(export.message);
            }
        }
        let done = self.event(UiKind::Done { exit, problem: problem.clone() });
        (exit, problem, done)
    }

    /// Says something of the whole run to whoever watches it.
    pub(crate) fn tell(&self, text: String) {
        let stage = StageId::from("");
        let _ = self.ui.send(self.event(UiKind::Progress { stage, text, done: 0, total: 0 }));
    }

    /// Reads what the run can take over. Without its base run it does everything itself.
    async fn load_base(&mut self) -> Result<(), Problem> {
        let base = self.journal.state.start.as_ref().and_then(|start| start.base.clone());
        let Some(base) = base.filter(|_| self.recording.is_none()) else { return Ok(()) };
        let (graph, store) = (self.journal.state.graph.clone(), self.parts.store.clone());
        let batches = match store.load_events(&base.run.0).await {
            Ok(batches) => batches,
            Err(store::StoreError::UnknownRun { .. }) => {
                tracing::warn!(run = %self.journal.run, "its base run {} is gone", base.run);
                return Ok(());
            }
            Err(error) => return Err(crate::core::problem::store(error)),
        };
        let records = crate::core::log::decode_batches(&batches)?;
        self.reuse = ReuseTable::read(&base, &graph, &records, &store).await?;
        Ok(())
    }

    /// Required sources must work before anything is paid; failing optional ones are named.
    async fn prepare_sources(&mut self) -> Result<(), Problem> {
        let uses = &self.pinned.config.sources;
        let slugs: Vec<String> = uses.iter().map(|source| source.slug.clone()).collect();
        if slugs.is_empty() {
            return Ok(());
        }
        let failed = self.tools.prepare(&slugs).await;
        for source in uses.clone() {
            let Some(problem) = failed.get(&source.slug) else { continue };
            if source.required {
                return self.fail_before_the_first_call(problem);
            }
            let stage = self.pinned.config.control_flow.stages[0].id.clone();
            let text = format!("source {} is not available: {}", source.slug, problem.message);
            self.unavailable.push(text.clone());
            let _ = self.ui.send(self.event(UiKind::Progress { stage, text, done: 0, total: 0 }));
        }
        Ok(())
    }

    /// Fails the first stage that can't do without what is missing.
    fn fail_before_the_first_call(&mut self, problem: &Problem) -> Result<(), Problem> {
        let stages = &self.pinned.config.control_flow.stages;
        let opens = self.journal.state.effects().into_iter().find_map(|effect| {
            let Effect::Open { stage, attempt, .. } = effect else { return None };
            stages.iter().any(|s| s.id == stage && !s.skippable).then_some((stage, attempt))
        });
        let Some((stage, attempt)) = opens else { return Err(problem.clone()) };
        self.journal.push(Event::StageFailed { stage, attempt, problem: problem.clone() })
    }

    /// Answers an open pause as told beforehand. Whether it did.
    async fn answer_for_the_person(&mut self) -> Result<bool, Problem> {
        if self.journal.state.is_cancelling() || self.journal.state.is_suspended() {
            return Ok(false);
        }
        if self.recording.is_some() {
            return Ok(false);
        }
        let pause = self.journal.state.open_pauses().next();
        let Some(pause) = pause else { return Ok(false) };
        let (pause, kind, stage) = (pause.id.clone(), pause.kind.clone(), pause.stage.clone());
        if kind == PauseKind::Stage && self.answer_as_before(&pause, &stage).await? {
            return Ok(true);
        }
        let reply = match self.attendance.replies.pop_front() {
            Some(reply) => reply,
            None if self.attendance.unattended && !self.is_the_persons(&kind) => Reply::default(),
            None => match self.choice_of_follow_up(&kind, &stage).await? {
                Some(choice) => Reply { choice: Some(choice), follow_up: true, ..Reply::default() },
                // What a stage asks, and what may be spent or done twice, is for the person alone.
                None if matches!(kind, PauseKind::Stage | PauseKind::Gate { .. } | PauseKind::Handoff) => {
                    match self.may_wait(&pause, &stage).await {
                        Some(because) => Reply { because: Some(because), ..Reply::default() },
                        None => return Ok(false),
                    }
                }
                None => return Ok(false),
            },
        };
        // What a choice is offered for may depend on outputs that an earlier process made.
        self.values.load_for(&self.journal.state, &self.parts.store).await?;
        let answered = self.answer(Some(pause), &Reply { unattended: true, ..reply })?;
        Ok(matches!(answered, Answered::Accepted { .. }))
    }

    /// Answers a stage's pause as the person did in the base run, where that can still be said. Whether it did.
    async fn answer_as_before(&mut self, pause: &PauseId, stage: &StageId) -> Result<bool, Problem> {
        let before = self.journal.state.pauses.iter();
        let answered = before
            .filter(|one| one.kind == PauseKind::Stage && &one.stage == stage && one.decision.is_some());
        let Some(reply) = self.reuse.reply(stage, answered.count()).cloned() else { return Ok(false) };
        self.values.load_for(&self.journal.state, &self.parts.store).await?;
        match self.answer(Some(pause.clone()), &reply) {
            Ok(Answered::Accepted { .. }) => Ok(true),
            Ok(Answered::StillOpen { .. }) => Ok(false),
            // What is asked has changed: then the person is.
            Err(problem) => {
                tracing::info!(run = %self.journal.run, "pause {pause} can't be answered as before: {problem}");
                Ok(false)
            }
        }
    }

    /// Whether only the person can decide: to spend more than they allowed, or to let a tool change something twice.
    fn is_the_persons(&self, kind: &PauseKind) -> bool {
        match kind {
            PauseKind::Budget => true,
            PauseKind::Ambiguous { key } => {
                self.journal.state.calls.get(key).is_some_and(|call| !call.model && !call.planned.repeatable)
            }
            // As what stands behind it.
            PauseKind::Child { key } => {
                let call = self.journal.state.calls.get(key);
                let form = call.and_then(|call| self.values.get(call.said?));
                let kind = form.and_then(|form| FormKind::from_name(form.get("kind")?.as_str()?));
                kind.is_none_or(|kind| matches!(kind, FormKind::Budget | FormKind::Ambiguous))
            }
            // Where nobody is there, permission is refused.
            PauseKind::Stage
            | PauseKind::Dialogue { .. }
            | PauseKind::Gate { .. }
            | PauseKind::Handoff
            | PauseKind::Permission { .. } => false,
        }
    }

    /// Tells surfaces of open pauses that they were not told of.
    async fn show_pauses(&mut self) -> Result<(), Problem> {
        let state = &self.journal.state;
        let forms: Vec<(PauseId, domain::Digest)> =
            state.open_pauses().filter_map(|pause| Some((pause.id.clone(), pause.form?))).collect();
        for (pause, digest) in forms {
            if !self.shown.insert(pause) {
                continue;
            }
            let form = match self.values.get(digest) {
                Some(value) => (**value).clone(),
                None => crate::run::values::read(&self.parts.store, digest).await?,
            };
            if let Ok(form) = serde_json::from_value(form) {
                let _ = self.ui.send(self.event(UiKind::Pause { form: Box::new(form) }));
            }
        }
        Ok(())
    }

    fn event(&self, kind: UiKind) -> UiEvent {
        UiEvent { run: self.journal.run.clone(), seq: self.journal.committed(), kind }
    }

    /// Loads what answering a pause may read.
    pub(crate) async fn load_values(&mut self) -> Result<(), Problem> {
        self.values.load_for(&self.journal.state, &self.parts.store).await
    }

    pub(crate) fn state(&self) -> &State {
        &self.journal.state
    }

    pub(crate) fn run_id(&self) -> &RunId {
        &self.journal.run
    }

    /// The render stage that has run, where the agent has one.
    pub(crate) fn rendered(&self) -> Option<StageId> {
        let stages = self.pinned.config.control_flow.stages.iter();
        let mut rendered = stages.filter(|stage| stage.kind == domain::agent::StageKind::Render);
        rendered
            .rfind(|stage| self.state().stage(&stage.id).is_some_and(|state| state.phase == Phase::Completed))
            .map(|s| s.id.clone())
    }
}

impl Performer for Driver {
    const NAME: &'static str = "run";
    type Machine = State;
    type Command = Command;
    type Step = Effect;
    type Outcome = Outcome;
    type News = CallNews;
    type Input = Outside;

    fn journal(&mut self) -> &mut Journal {
        &mut self.journal
    }

    fn work(&mut self) -> &mut Work<Self> {
        &mut self.work
    }

    /// Calls that were under way when the program ended have an unknown outcome.
    async fn recover(&mut self) -> Result<(), Problem> {
        self.load_base().await?;
        if !self.fresh {
            self.inspect_files().await;
        }
        let unknown: Vec<(CallKey, u32)> =
            self.journal.state.in_flight().map(|(key, call)| (key.clone(), call.tries)).collect();
        for (key, r#try) in unknown {
            if self.interrupted_child(&key, r#try).await? {
                continue;
            }
            let kept = self.journal.state.calls.get(&key).and_then(|call| call.response_id.clone());
            match kept {
                Some(response_id) => self.left_going(key, r#try, response_id)?,
                None => {
                    let continues = self.continues(&key);
                    self.lose(key, r#try, continues)?;
                }
            }
        }
        if self.journal.state.is_suspended() && self.journal.state.status() != Status::Cancelled {
            self.journal.push(Event::Continued)?;
        }
        Ok(())
    }

    async fn begin(&mut self) -> Result<(), Problem> {
        let status = self.journal.state.status();
        if self.fresh || (status == Status::Running && self.journal.state.calls.is_empty()) {
            self.prepare_sources().await?;
        }
        Ok(())
    }

    async fn load(&mut self) -> Result<(), Problem> {
        self.load_values().await
    }

    async fn local(&mut self, effect: Effect) -> Result<(), Problem> {
        self.perform(effect).await
    }

    async fn ready(&mut self) -> Result<Option<Vec<Effect>>, Problem> {
        if self.answer_for_the_person().await? {
            return Ok(None);
        }
        let mut external = self.journal.state.effects();
        external.retain(|effect| !effect.is_local() && !self.is_started(effect));
        if self.withhold(&external).await? {
            return Ok(None);
        }
        self.name_children(&external)?;
        Ok(Some(external))
    }

    /// Before anything that costs or changes the world, after anything that was paid or decided, and before the run waits.
    /// Results of free calls may ride along with a later commit.
    fn must_commit(&self, external: &[Effect]) -> bool {
        let pending = self.journal.pending();
        if pending.is_empty() {
            return false;
        }
        let costly = |effect: &Effect| {
            let Effect::Call { key, .. } = effect else { return false };
            self.journal.state.calls.get(key).is_none_or(|call| !call.planned.repeatable)
        };
        self.journal.state.status() != Status::Running
            || external.iter().any(costly)
            || pending.iter().any(|record| !is_free(&record.event))
            || pending.len() >= MAX_WAITING
            || self.journal.since_commit()
                > if self.work.tasks.is_empty() { LAZY_COMMIT } else { WAVE_COMMIT }
    }

    async fn commit(&mut self) -> Result<(), Problem> {
        let records = if self.journal.pending().is_empty() {
            Vec::new()
        } else {
            let status = self.journal.state.status();
            if status == Status::Completed {
                let document = crate::run::exports::passage(self).await?;
                self.journal.add_passage(document);
                self.journal.keeps(RunMeta::new(&self.pinned, &self.journal.state).bytes());
            }
            let line = self.line(status).await?;
            let records = self.journal.commit(line).await?;
            let amount = self.journal.under_way();
            self.parts.note(&mut self.journal, &self.pinned.connection, amount).await;
            records
        };
        self.work.answer(&Ok(()));
        let drafted = records.iter().any(|record| matches!(record.event, Event::ModelCallDrafted { .. }));
        for record in records {
            let _ = self.ui.send(self.event(UiKind::Event { record: Box::new(record) }));
        }
        if drafted {
            self.refresh_files().await;
        }
        let state = &self.journal.state;
        let meter = UiKind::Meter {
            usage: state.usage,
            cost: state.cost,
            equivalent: state.equivalent,
            doubtful: state.doubtful.cost,
            active_ms: state.active_ms,
        };
        let _ = self.ui.send(self.event(meter));
        self.show_pauses().await
    }

    async fn commit_first(&mut self) -> Result<(), Problem> {
        self.commit().await?;
        self.refresh_files().await;
        Ok(())
    }

    async fn start(&mut self, effect: Effect) -> Result<(), Problem> {
        self.start_external(effect).await
    }

    async fn leaves(&mut self) -> Result<bool, Problem> {
        let over = Exit::from_status(self.journal.state.status().into()).is_some() && self.work.is_over();
        if over {
            self.show_pauses().await?;
        }
        Ok(over)
    }

    fn is_stuck(&self) -> bool {
        !self.journal.state.is_suspended() && self.journal.state.status() == Status::Running
    }

    fn take_in(&mut self, (key, r#try, news): CallNews) -> Result<(), Problem> {
        let awaited = self.journal.state.in_flight().any(|(of, call)| *of == key && call.tries == r#try);
        if !awaited {
            return Ok(());
        }
        let event = match news {
            News::Kept(response_id) => Event::ModelCallAccepted { key, r#try, response_id },
            News::Drafted(domain::DraftText { words, text, place }) => {
                let draft = self.keep(serde_json::Value::String(text))?;
                Event::ModelCallDrafted { key, r#try, words, draft, place }
            }
        };
        self.journal.push(event)
    }

    async fn ended(&mut self, ended: TaskEnd<Outcome>) -> Result<(), Problem> {
        let (_, outcome) = ended.map_err(crate::core::problem::internal)?;
        self.outcome(outcome)
    }

    async fn command(&mut self, command: Command) -> Result<(), Problem> {
        self.take(command);
        Ok(())
    }

    async fn again(&mut self, input: Outside) -> Result<(), Problem> {
        self.take_recorded(input)
    }

    fn unrecorded() -> Problem {
        recorded::unrecorded()
    }

    async fn release(&mut self) {
        self.release_children().await;
        self.work.stop.cancel();
        self.work.tasks.shutdown().await;
        while self.work.endings.join_next().await.is_some() {}
        self.parts.note(&mut self.journal, &self.pinned.connection, NanoUsd::default()).await;
        // Nothing of the run may outlive it, however it ended.
        self.tools.close().await;
    }
}

/// Events whose loss costs nothing: after a crash they come out of the same state again.
fn is_free(event: &Event) -> bool {
    matches!(
        event,
        Event::StageStarted { .. }
            | Event::StagePlanned { .. }
            | Event::StageCompleted { .. }
            | Event::StageSkipped { by: SkippedBy::Config | SkippedBy::Person, .. }
            | Event::CallReused { .. }
            | Event::CallPrepared { .. }
            | Event::ToolCallRequested { .. }
            | Event::ToolCallCompleted { .. }
            | Event::ToolCallFailed { .. }
            | Event::TimerSet { .. }
            | Event::TimerFired { .. }
            | Event::RepairStarted { .. }
            | Event::RepairEnded { .. }
            | Event::ContextHandoffRequested { .. }
            | Event::ContextHandoffApproved { .. }
    )
}
