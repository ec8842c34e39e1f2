//! The engine: starts, loads, drives and answers runs. One per data directory.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use context::Templates;
use domain::{
    AgentSlug, Budget, Digest, ErrorCode, Mode, NanoUsd, PauseId, Problem, RunId, RunStatus, SessionId,
    SessionSetup,
};
use engine_types::{Answered, Corpus, Exit, PausePolicy, Reply, ResolvedAgent, StartRun, UiEvent};
use pipeline::{Event, Graph, State, Status};
use store::{NewRun, NewSession, RunFilter, Store};
use tokio::sync::{broadcast, mpsc, oneshot};

use crate::core::ids;
use crate::core::ledger::Ledger;
use crate::core::live::Live;
use crate::core::performer::Performer as _;
use crate::core::problem::{internal, store as store_problem};
use crate::core::recheck::Recheck;
use crate::core::stored::StoredRun;
use crate::core::tools::HostFactory;
use crate::run::driver::{Command, Driver, PauseReplies};
use crate::run::inputs::prepare;
use crate::run::journal::Journal;
use crate::run::meta::RunMeta;
use crate::run::pinned::Pinned;
use crate::run::reuse::base_run;

/// UI events that a slow surface may lag behind before it has to read the log again.
const UI_QUEUE: usize = 4_096;

/// What every run of an engine shares.
pub struct Parts {
    /// The database.
    pub store: Store,
    /// The data directory.
    pub home: PathBuf,
    /// Evaluates expressions.
    pub templates: Arc<Templates>,
    /// Providers by connection slug, as they are at the time of asking.
    pub providers: Arc<dyn Connections>,
    /// Where tool calls go.
    pub hosts: Arc<dyn HostFactory>,
    /// What checks sentence records before files are written; without it none are checked.
    pub recheck: Option<Arc<dyn Recheck>>,
    /// What chat turns need of the program around; without it there are none.
    pub chat: Option<Arc<dyn crate::turn::ChatHost>>,
    /// This program's version, for provenance.
    pub version: String,
}

impl Parts {
    /// A provider by connection slug.
    pub fn provider(&self, connection: &str) -> Result<Arc<dyn llm::Provider>, Problem> {
        self.providers.provider(connection)
    }
}

/// Connections by slug. They come and go while the program runs.
pub trait Connections: Send + Sync {
    /// What answers over a connection.
    fn provider(&self, slug: &str) -> Result<Arc<dyn llm::Provider>, Problem>;

    /// What counts money against the user's limits; without it none hold.
    fn ledger(&self) -> Option<Arc<dyn Ledger>> {
        None
    }
}

impl Connections for BTreeMap<String, Arc<dyn llm::Provider>> {
    fn provider(&self, slug: &str) -> Result<Arc<dyn llm::Provider>, Problem> {
        self.get(slug).cloned().ok_or_else(|| {
            let known: Vec<&str> = self.keys().map(String::as_str).collect();
            Problem::new(
                ErrorCode::NotFound,
                format!("no connection {slug:?}; the connections are {}", known.join(", ")),
            )
        })
    }
}

/// The setup of a new session in a mode.
fn setup_in(mode: Mode) -> Result<String, serde_json::Error> {
    serde_json::to_string(&SessionSetup { mode, ..SessionSetup::default() })
}

impl From<PausePolicy> for PauseReplies {
    fn from(attend: PausePolicy) -> Self {
        Self { replies: attend.replies.into(), unattended: attend.unattended }
    }
}

/// Starts, loads, drives and answers runs. A copy is another handle on the same.
#[derive(Clone)]
pub struct Engine {
    parts: Arc<Parts>,
    ui: broadcast::Sender<UiEvent>,
    turns_ui: broadcast::Sender<crate::turn::TurnUi>,
    runs: Live<Command>,
    turns: Arc<crate::turn::Turns>,
    pub(crate) missions: Arc<crate::mission::Missions>,
    /// Held from finding that nobody drives a run until somebody does, so that nobody else begins to.
    pub(crate) gate: Arc<tokio::sync::Mutex<()>>,
    /// Session names given in this process: a session reaches the database only with its run's first commit.
    sessions: Arc<tokio::sync::Mutex<std::collections::BTreeSet<String>>>,
}

impl Engine {
    /// Over these parts.
    pub fn new(parts: Parts) -> Self {
        let (ui, _) = broadcast::channel(UI_QUEUE);
        Self {
            parts: Arc::new(parts),
            ui,
            turns_ui: broadcast::channel(UI_QUEUE).0,
            runs: Live::default(),
            turns: Arc::default(),
            missions: Arc::default(),
            gate: Arc::default(),
            sessions: Arc::default(),
        }
    }

    /// What the engine is made of.
    pub fn parts(&self) -> &Arc<Parts> {
        &self.parts
    }

    pub(crate) fn ui(&self) -> &broadcast::Sender<UiEvent> {
        &self.ui
    }

    pub(crate) fn turns_ui(&self) -> &broadcast::Sender<crate::turn::TurnUi> {
        &self.turns_ui
    }

    pub(crate) fn turns(&self) -> &crate::turn::Turns {
        &self.turns
    }

    /// Tells of everything from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<UiEvent> {
        self.ui.subscribe()
    }

    /// Starts a run of an agent that is loaded, over a corpus that is resolved.
    pub async fn start(
        &self,
        agent: workspace::Agent,
        sources: Vec<workspace::SourceConfig>,
        corpus: Option<Corpus>,
        mut start: StartRun,
    ) -> Result<RunId, Problem> {
        prepare(&mut start, &agent)?;
        let request = start.request;
        if let Some(depth) = &start.depth
            && !agent.config.depth_modes.contains_key(depth)
        {
            let known: Vec<&str> = agent.config.depth_modes.keys().map(String::as_str).collect();
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("no depth {depth:?}; there are {}", known.join(", ")),
            ));
        }
        let orchestrator = &agent.config.orchestrator;
        let connection = start
            .connection
            .or_else(|| orchestrator.connection.clone())
            .unwrap_or_else(|| "offline".to_owned());
        let provider = self.parts.provider(&connection)?;
        // A name of one provider's model says nothing at another.
        let at_home = orchestrator.connection.as_ref() == Some(&connection);
        let own = orchestrator.model.clone().filter(|_| at_home);
        let model = start.model.or(own).unwrap_or_else(|| provider.default_model());
        let least = |own: Option<f64>, asked: Option<f64>| match (own, asked) {
            (Some(own), Some(asked)) => Some(own.min(asked)),
            (own, asked) => own.or(asked),
        };
        let tokens = [orchestrator.budget_tokens, start.budget_tokens].into_iter().flatten().min();
        let budget = Budget {
            cost: least(orchestrator.budget_usd, start.budget_usd).map(NanoUsd::from_usd),
            tokens,
            active_ms: least(orchestrator.budget_minutes, start.budget_minutes)
                .map(|minutes| (minutes.max(0.0) * 60_000.0) as u64),
        };
        let graph = Graph::new(&agent.config)
            .map_err(|error| Problem::new(ErrorCode::InvalidConfig, error.to_string()))?;
        let children = start.children.into_iter().map(|child| {
            let slug = child.agent.config.slug.0.clone();
            (slug, Pinned::new(child, &connection, &model, &*provider))
        });
        let pinned = Pinned {
            agents: children.collect(),
            material: start.material,
            attached: start.attached,
            ..Pinned::new(ResolvedAgent { agent, sources, corpus }, &connection, &model, &*provider)
        };
        let pinned = pinned.in_workspace(&start.workspace, self.parts.hosts.web_search().await);
        let essential = pinned.essential();
        let (base, edits) = match &start.base {
            Some(repeated) => {
                let (base, edits) = {
                    let before = self.load(&repeated.run).await?;
                    base_run(&before.state, repeated, &pinned, &graph, &self.parts.store).await?
                };
                (Some(base), edits)
            }
            None => (None, Vec::new()),
        };
        let followed = match &start.previous {
            Some(previous) => {
                let goes_on = pinned.config.follow_up.enabled && start.pause_at_plan != Some(true);
                Some(self.follow_up(previous, &request, goes_on.then_some(&pinned)).await)
            }
            None => None,
        };
        let run = ids::run_id();
        let previous_session = followed.as_ref().and_then(|(session, _)| session.clone());
        let session = match start.session.or(previous_session) {
            Some(session) => SessionId(session),
            None => self.new_session().await?,
        };
        let title: String = request.lines().next().unwrap_or_default().chars().take(120).collect();
        let create = NewRun {
            session: NewSession {
                id: session.0.clone(),
                title: title.clone(),
                setup: start.mode.map(setup_in).transpose().map_err(internal)?.unwrap_or_default(),
                workspace: start.workspace.clone(),
            },
            agent: pinned.config.slug.0.clone(),
            status: RunStatus::Running.to_string(),
            title,
            line: String::new(),
            words: request.clone(),
            unread: false,
            connection: pinned.connection.clone(),
            model: pinned.model.clone(),
            previous_run: start.previous.as_ref().map(|run| run.0.clone()),
            meta: RunMeta::begun(&pinned, start.depth.as_deref(), start.forecast).bytes(),
            ..NewRun::default()
        };
        let agent = AgentSlug(pinned.config.slug.0.clone());
        let bytes = pinned.bytes().map_err(internal)?;
        let digest = Digest::of(&bytes);
        let inputs = start.inputs.map(|inputs| domain::canonical(&inputs).into_bytes());
        let inputs_digest = inputs.as_deref().map(Digest::of);
        let pinned = Arc::new(pinned);
        let state = State::new(Arc::new(graph));
        let mut journal = Journal::new(run.clone(), state, self.parts.store.clone(), create);
        journal.blobs.add(digest, bytes)?;
        journal.blobs.add(Digest::of(request.as_bytes()), request.clone().into_bytes())?;
        for blob in edits.into_iter().chain(inputs) {
            journal.blobs.add(Digest::of(&blob), blob)?;
        }
        journal.add_passage(crate::core::passages::question(&request, ids::now_ms() as i64));
        journal.push(Event::RunStarted {
            session,
            agent,
            request,
            depth: start.depth,
            pinned: digest,
            previous: start.previous,
            budget,
            essential,
            retry_ambiguous: start.attend.unattended,
            forecast: start.forecast,
            inputs: inputs_digest,
            parent: None,
            base,
        })?;
        let mut driver =
            Driver::new(journal, pinned, self.parts.clone(), self.ui.clone(), start.attend.into(), true);
        if let Some((_, (number, context, warning))) = followed {
            let context = context.map(|context| driver.keep(context)).transpose()?;
            driver.journal.push(Event::FollowupContextLoaded { number, context, warning })?;
        }
        // Whoever is told of the run finds it in the log, and the question survives whatever comes.
        driver.commit().await?;
        self.spawn(run.clone(), driver, None);
        Ok(run)
    }

    /// A session name that neither the database, the session folders nor a run of this process has.
    pub async fn new_session(&self) -> Result<SessionId, Problem> {
        let mut given = self.sessions.lock().await;
        loop {
            let id = ids::session_id(|name| {
                given.contains(name) || self.parts.home.join("sessions").join(name).exists()
            });
            given.insert(id.0.clone());
            if self.parts.store.get_session(&id.0).await.map_err(store_problem)?.is_none() {
                return Ok(id);
            }
        }
    }

    /// Goes on with a run: one that a crash or the person interrupted, one that waits, or one that failed.
    pub async fn resume(&self, run: &RunId, attend: PausePolicy) -> Result<(), Problem> {
        let gate = self.gate.lock().await;
        if self.is_live(run) {
            return Ok(());
        }
        let loaded = self.load(run).await?;
        if let Some(parent) = loaded.row.parent {
            drop(gate);
            if self.is_mission(&parent).await? {
                let mission = RunId(parent);
                let Some(reply) = attend.replies.into_iter().next() else {
                    return self.resume_mission(&mission, attend.unattended).await;
                };
                return match self.answer_for_mission(&mission, run, reply).await? {
                    Answered::Accepted { .. } => Ok(()),
                    Answered::StillOpen { message, .. } => {
                        Err(Problem::new(ErrorCode::InvalidInput, message))
                    }
                };
            }
            return Box::pin(self.resume(&RunId(parent), attend)).await;
        }
        let command = match loaded.state.status() {
            Status::Completed | Status::Cancelled => {
                let word = RunStatus::from(loaded.state.status());
                return Err(Problem::new(
                    ErrorCode::Conflict,
                    format!("run {run} is {word}; there is nothing to resume"),
                ));
            }
            Status::Failed => Some(Command::Retry { done: oneshot::channel().0 }),
            Status::Empty | Status::Running | Status::Paused | Status::Suspended => None,
        };
        self.drive(loaded, command, attend);
        Ok(())
    }

    /// Answers a pause.
    pub async fn answer(
        &self,
        run: &RunId,
        pause: Option<PauseId>,
        reply: Reply,
        attend: PausePolicy,
    ) -> Result<Answered, Problem> {
        let row = self.parts.store.get_run(&run.0).await.map_err(store_problem)?;
        if let Some(parent) = row.parent.filter(|_| row.kind != crate::turn::KIND) {
            if self.is_mission(&parent).await? {
                return self.answer_for_mission(&RunId(parent), run, reply).await;
            }
            let (parent, pause) = self.forwarding_pause(&RunId(parent), run).await?;
            return Box::pin(self.answer(&parent, Some(pause), reply, attend)).await;
        }
        if let Some(refused) = self.try_on_child(run, pause.as_ref(), &reply).await? {
            return Ok(refused);
        }
        self.ask(run, attend, |done| Command::Answer {
            pause: pause.clone(),
            reply: Box::new(reply.clone()),
            done,
        })
        .await
    }

    /// Queues text for a run's next pause or stage.
    pub async fn guide(&self, run: &RunId, text: String) -> Result<(), Problem> {
        self.ask(run, PausePolicy::default(), |done| Command::Guide { text: text.clone(), done }).await
    }

    /// Ends a run for good.
    pub async fn cancel(&self, run: &RunId) -> Result<(), Problem> {
        self.ask(run, PausePolicy::default(), |done| Command::Cancel { done }).await
    }

    /// Stops a run or turn so that it can be resumed. One that nobody drives is left as it is.
    pub async fn suspend(&self, run: &RunId) -> Result<(), Problem> {
        if self.turns.live.is_live(run) {
            return self.suspend_turn(run).await;
        }
        if self.missions.live.is_live(run) {
            return self.steer_mission(run, crate::mission::MissionSteering::Suspend, false).await;
        }
        if !self.is_live(run) {
            return Ok(());
        }
        let (done, told) = oneshot::channel();
        self.send(run, Command::Suspend { done }, PausePolicy::default()).await?;
        told.await.map_err(|_| gone(run))?
    }

    /// Waits until a run, turn or mission leaves the engine.
    pub async fn wait(&self, run: &RunId) -> Result<(Exit, Option<Problem>), Problem> {
        let (turns, missions) = (&self.turns.live, &self.missions.live);
        let ended = self.runs.end_of(run).or_else(|| turns.end_of(run)).or_else(|| missions.end_of(run));
        let Some(mut ended) = ended else {
            return Err(Problem::new(ErrorCode::NotFound, format!("run {run} is not being driven")));
        };
        let result = ended.wait_for(Option::is_some).await.map_err(|_| gone(run))?.clone();
        result.ok_or_else(|| gone(run))
    }

    /// Whether a run, turn or mission is being driven.
    pub fn is_live(&self, run: &RunId) -> bool {
        self.runs.is_live(run) || self.turns.live.is_live(run) || self.missions.live.is_live(run)
    }

    /// Runs, turns and missions that are being driven; what works for another one is its part.
    pub fn live(&self) -> Vec<RunId> {
        [self.turns.live.all(), self.missions.live.all(), self.runs.all()].concat()
    }

    /// The newest run.
    pub async fn latest(&self, filter: &RunFilter) -> Result<Option<RunId>, Problem> {
        let run = self.parts.store.latest_run(filter).await.map_err(store_problem)?;
        Ok(run.map(|run| RunId(run.id)))
    }

    /// Sends a command and waits for its answer. A run that was just leaving the engine did not take it: then again.
    async fn ask<T>(
        &self,
        run: &RunId,
        attend: PausePolicy,
        command: impl Fn(oneshot::Sender<Result<T, Problem>>) -> Command,
    ) -> Result<T, Problem> {
        for _ in 0..3 {
            let (done, told) = oneshot::channel();
            self.send(run, command(done), attend.clone()).await?;
            match told.await {
                Ok(told) => return told,
                Err(_) => drop(self.wait(run).await),
            }
        }
        Err(gone(run))
    }

    async fn send(&self, run: &RunId, mut command: Command, attend: PausePolicy) -> Result<(), Problem> {
        let mut gate = self.gate.lock().await;
        while let Some(commands) = self.commands_of(run) {
            let Err(mpsc::error::SendError(refused)) = commands.send(command).await else { return Ok(()) };
            command = refused;
            // It is leaving: nobody else waits until its files are written.
            drop(gate);
            drop(self.wait(run).await);
            gate = self.gate.lock().await;
        }
        let loaded = self.load(run).await?;
        if let Some(parent) = &loaded.row.parent {
            let what = format!("run {run} works for run {parent} and is not under way");
            return Err(
                Problem::new(ErrorCode::Conflict, what).with_action(format!("tell run {parent} instead"))
            );
        }
        if matches!(loaded.state.status(), Status::Completed | Status::Cancelled)
            && !matches!(command, Command::Answer { .. })
        {
            let word = RunStatus::from(loaded.state.status());
            return Err(Problem::new(ErrorCode::Conflict, format!("run {run} is {word} already")));
        }
        self.drive(loaded, Some(command), attend);
        Ok(())
    }

    /// Where a run that is being driven takes commands. One whose driver is gone without an end takes none.
    pub(crate) fn commands_of(&self, run: &RunId) -> Option<mpsc::Sender<Command>> {
        self.runs.commands_of(run)
    }

    pub(crate) fn drive(&self, loaded: StoredRun, command: Option<Command>, attend: PausePolicy) {
        let run = loaded.run.clone();
        let journal = Journal::resume(loaded.run, loaded.state, self.parts.store.clone(), &loaded.row);
        let driver =
            Driver::new(journal, loaded.pinned, self.parts.clone(), self.ui.clone(), attend.into(), false);
        self.spawn(run, driver, command);
    }

    pub(crate) fn spawn(&self, run: RunId, mut driver: Driver, command: Option<Command>) {
        if driver.state().graph.nodes.iter().any(|node| node.child.is_some()) {
            driver.engine = Some(self.clone());
        }
        let is_child = driver.state().start.as_ref().is_some_and(|start| start.parent.is_some());
        let (driven, queue) = self.runs.enter(run, None, is_child);
        let ui = self.ui.clone();
        tokio::spawn(async move {
            let (exit, problem, done) = driver.drive(command, queue).await;
            driven.left(exit, problem);
            let _ = ui.send(done);
        });
    }
}

fn gone(run: &RunId) -> Problem {
    Problem::new(ErrorCode::Conflict, format!("run {run} left the engine before it answered"))
        .with_action("read its state and try again")
}
