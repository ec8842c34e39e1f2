//! A data directory with an engine over it, and what a surface does with them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use domain::{ErrorCode, PauseId, Problem, RunId};
use engine::{
    Answered, Corpus, Engine, Exit, Form, Parts, PausePolicy, Recheck, Reply, StartRun, UiEvent, UiKind,
};
use llm::{ModelRequest, Provider, ScriptedProvider};
use pipeline::{Record, State};
use serde_json::Value;
use store::{Blob, BlobHash, Commit, DataDir, Durability, NewRun, NewSession, RunChange, RunUpdate, Store};
use tempfile::TempDir;
use tokio::sync::broadcast;

use crate::tools::{Hosts, Tools};

/// No wait of a test is longer.
pub const PATIENCE: Duration = Duration::from_secs(20);

pub struct World {
    folder: Arc<TempDir>,
    dir: DataDir,
    pub store: Store,
    pub engine: Engine,
    pub provider: ScriptedProvider,
    pub tools: Arc<Tools>,
    ui: broadcast::Receiver<UiEvent>,
}

/// How a drive ended, and what surfaces were told until then.
#[derive(Debug)]
pub struct RunOutcome {
    pub exit: Exit,
    pub problem: Option<Problem>,
    pub kinds: Vec<UiKind>,
}

impl RunOutcome {
    pub fn form(&self) -> &Form {
        self.forms().last().copied().expect("a pause was shown")
    }

    pub fn forms(&self) -> Vec<&Form> {
        let forms = self.kinds.iter().filter_map(|kind| match kind {
            UiKind::Pause { form } => Some(&**form),
            _ => None,
        });
        forms.collect()
    }

    pub fn dones(&self) -> usize {
        self.kinds.iter().filter(|kind| matches!(kind, UiKind::Done { .. })).count()
    }
}

impl World {
    pub async fn new(provider: ScriptedProvider, tools: Arc<Tools>) -> Self {
        Self::over(Arc::new(TempDir::new().unwrap()), provider, tools).await
    }

    async fn over(folder: Arc<TempDir>, provider: ScriptedProvider, tools: Arc<Tools>) -> Self {
        let dir = DataDir::open(folder.path()).unwrap();
        Self::within(folder, dir, provider, tools).await
    }

    async fn within(
        folder: Arc<TempDir>,
        dir: DataDir,
        provider: ScriptedProvider,
        tools: Arc<Tools>,
    ) -> Self {
        let store = Store::open(&dir, "test").await.unwrap();
        let named: Arc<dyn Provider> = Arc::new(provider.clone());
        let engine = Engine::new(Parts {
            store: store.clone(),
            home: folder.path().to_owned(),
            templates: Arc::default(),
            providers: Arc::new(std::collections::BTreeMap::from([("scripted".to_owned(), named)])),
            hosts: Arc::new(Hosts(tools.clone())),
            recheck: None,
            chat: None,
            version: "test".to_owned(),
        });
        let ui = engine.subscribe();
        Self { folder, dir, store, engine, provider, tools, ui }
    }

    /// The same data directory in what stands for a new process.
    pub async fn reopened(self) -> Self {
        // A test may have closed it already.
        let _ = self.store.close().await;
        let Self { folder, dir, provider, tools, .. } = self;
        Self::within(folder, dir, provider, tools).await
    }

    /// The same data directory in a new process with another model.
    pub async fn reopened_with(mut self, provider: ScriptedProvider) -> Self {
        self.provider = provider;
        self.reopened().await
    }

    /// A second engine over the same store, as a program that forgot the lock would have it.
    pub fn another_engine(&self, provider: ScriptedProvider) -> Engine {
        self.engine_with(provider, None)
    }

    /// An engine over the same store that checks records so.
    pub fn engine_with(&self, provider: ScriptedProvider, recheck: Option<Arc<dyn Recheck>>) -> Engine {
        let named: Arc<dyn Provider> = Arc::new(provider);
        Engine::new(Parts {
            store: self.store.clone(),
            home: self.folder.path().to_owned(),
            templates: Arc::default(),
            providers: Arc::new(std::collections::BTreeMap::from([("scripted".to_owned(), named)])),
            hosts: Arc::new(Hosts(self.tools.clone())),
            recheck,
            chat: None,
            version: "test".to_owned(),
        })
    }

    pub fn home(&self) -> &Path {
        self.folder.path()
    }

    pub async fn start(&self, agent: workspace::Agent, start: StartRun) -> RunId {
        self.try_start(agent, start).await.unwrap()
    }

    pub async fn try_start(&self, agent: workspace::Agent, start: StartRun) -> Result<RunId, Problem> {
        let start = StartRun {
            connection: Some("scripted".to_owned()),
            model: Some("scripted-1".to_owned()),
            ..start
        };
        self.engine.start(agent, Vec::new(), Some(corpus()), start).await
    }

    /// What is told of a run until it leaves the engine.
    pub async fn done(&mut self, run: &RunId) -> RunOutcome {
        let mut kinds = Vec::new();
        loop {
            let event = self.next(run).await;
            kinds.push(event.clone());
            if let UiKind::Done { exit, problem } = event {
                self.replays(run).await;
                return RunOutcome { exit, problem, kinds };
            }
        }
    }

    /// What is stored of a run comes out the same when it is computed again.
    async fn replays(&self, run: &RunId) {
        // A test may have taken the store away, or broken what is in it.
        let Ok(replay) = self.engine.replay(run).await else { return };
        assert!(replay.identical, "{run} differs: {:#?}", replay.differences);
        let scratch = TempDir::new().unwrap();
        match self.engine.redrive(run, scratch.path()).await {
            Ok(again) => {
                assert!(again.identical, "{run} differs when driven again: {:#?}", again.differences)
            }
            // What is no part of a log: how fast a run worked, that a hook forbade something, the end of one that goes on.
            Err(problem) => {
                assert_eq!(problem.code, ErrorCode::Conflict, "{run}: {problem}");
                let why = ["limit of minutes", "nothing is recorded of call", "has not ended"];
                assert!(why.iter().any(|why| problem.message.contains(why)), "{run}: {problem}");
            }
        }
    }

    /// The next that is told of a run.
    pub async fn next(&mut self, run: &RunId) -> UiKind {
        loop {
            let event =
                tokio::time::timeout(PATIENCE, self.ui.recv()).await.expect("nothing more was told").unwrap();
            if &event.run == run {
                return event.kind;
            }
        }
    }

    /// Until an event is told that a test waits for.
    pub async fn until(&mut self, run: &RunId, mut wanted: impl FnMut(&UiKind) -> bool) -> UiKind {
        loop {
            let kind = self.next(run).await;
            if wanted(&kind) {
                return kind;
            }
            assert!(!matches!(kind, UiKind::Done { .. }), "the run ended first: {kind:?}");
        }
    }

    /// What has been told of a run and not been read yet.
    pub fn told_since(&mut self, run: &RunId) -> Vec<UiKind> {
        let mut kinds = Vec::new();
        while let Ok(event) = self.ui.try_recv() {
            if &event.run == run {
                kinds.push(event.kind);
            }
        }
        kinds
    }

    pub async fn answer(&self, run: &RunId, reply: Reply) -> Result<Answered, Problem> {
        self.engine.answer(run, None, reply, PausePolicy::default()).await
    }

    pub async fn answer_to(&self, run: &RunId, pause: &PauseId, reply: Reply) -> Result<Answered, Problem> {
        self.engine.answer(run, Some(pause.clone()), reply, PausePolicy::default()).await
    }

    /// Starts, and goes on until the run leaves the engine.
    pub async fn run(&mut self, agent: workspace::Agent, start: StartRun) -> (RunId, RunOutcome) {
        let run = self.start(agent, start).await;
        let told = self.done(&run).await;
        (run, told)
    }

    /// Answers the open pause, and goes on until the run leaves the engine.
    pub async fn go(&mut self, run: &RunId, reply: Reply) -> RunOutcome {
        let answered = self.answer(run, reply).await.unwrap();
        assert!(matches!(answered, Answered::Accepted { .. }), "{answered:?}");
        self.done(run).await
    }

    pub async fn resume(&mut self, run: &RunId, attend: PausePolicy) -> RunOutcome {
        self.engine.resume(run, attend).await.unwrap();
        self.done(run).await
    }

    pub async fn log(&self, run: &RunId) -> Vec<Record> {
        let batches = self.store.load_events(&run.0).await.unwrap();
        batches.iter().flat_map(|batch| engine::decode_log(&batch.bytes).unwrap()).collect()
    }

    pub async fn names(&self, run: &RunId) -> Vec<&'static str> {
        self.log(run).await.iter().map(|record| record.event.name()).collect()
    }

    pub async fn state(&self, run: &RunId) -> State {
        self.engine.load(run).await.unwrap().state
    }

    pub async fn blob(&self, digest: domain::Digest) -> Value {
        let bytes = self.store.get_blob(BlobHash::from_bytes(digest.0)).await.unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// A stage's output that stands.
    pub async fn output(&self, run: &RunId, stage: &str) -> Value {
        let loaded = self.engine.load(run).await.unwrap();
        let at =
            loaded.pinned.config.control_flow.stages.iter().position(|config| config.name == stage).unwrap();
        match loaded.state.stages[at].output {
            Some(digest) => self.blob(digest).await,
            None => Value::Null,
        }
    }

    pub async fn document(&self, run: &RunId) -> (String, String) {
        let loaded = self.engine.load(run).await.unwrap();
        let written = self.engine.document(loaded).await.unwrap().expect("there is a document");
        (written.markdown, answers::to_html(&written.document))
    }

    pub async fn markdown(&self, run: &RunId) -> String {
        self.document(run).await.0
    }

    pub async fn session_folder(&self, run: &RunId) -> PathBuf {
        let session = self.store.get_run(&run.0).await.unwrap().session;
        self.home().join("sessions").join(session)
    }

    pub fn requests(&self) -> Vec<ModelRequest> {
        self.provider.requests()
    }

    pub async fn batches(&self, run: &RunId) -> usize {
        self.store.load_events(&run.0).await.unwrap().len()
    }

    /// A new data directory that holds the first `count` commits of a run: what a crash after them leaves behind.
    pub async fn crashed_after(
        &self,
        run: &RunId,
        count: usize,
        provider: ScriptedProvider,
        tools: Arc<Tools>,
    ) -> World {
        let world = World::new(provider, tools).await;
        let row = self.store.get_run(&run.0).await.unwrap();
        let batches = self.store.load_events(&run.0).await.unwrap();
        let mut state = None;
        for batch in batches.iter().take(count) {
            let records = engine::decode_log(&batch.bytes).unwrap();
            let mut blobs = Vec::new();
            for hash in digests(&serde_json::from_slice(&batch.bytes).unwrap()) {
                if let Ok(bytes) = self.store.get_blob(BlobHash::from_bytes(hash)).await {
                    blobs.push(Blob::new(bytes).unwrap());
                }
            }
            let graph = self.engine.load(run).await.unwrap().state.graph;
            let state = state.get_or_insert_with(|| State::new(graph));
            for record in &records {
                state.apply(record).unwrap();
            }
            let status = domain::RunStatus::from(state.status()).to_string();
            let change = if batch.seq_first == 1 {
                RunChange::Create(NewRun {
                    session: NewSession {
                        id: row.session.clone(),
                        title: row.title.clone(),
                        ..NewSession::default()
                    },
                    agent: row.agent.clone(),
                    status,
                    title: row.title.clone(),
                    ..NewRun::default()
                })
            } else {
                RunChange::Update(RunUpdate { status: Some(status), ..RunUpdate::default() })
            };
            let commit = Commit {
                run: run.0.clone(),
                expect_seq: batch.seq_first - 1,
                seq_last: batch.seq_last,
                at_ms: batch.at_ms,
                events: batch.bytes.clone(),
                blobs,
                change,
                durability: Durability::Normal,
                ..Commit::default()
            };
            world.store.commit(commit).await.unwrap();
        }
        world
    }
}

/// Every digest that occurs in a value.
fn digests(value: &Value) -> Vec<[u8; 32]> {
    match value {
        Value::String(text) if text.len() == 64 => {
            let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
            let bytes: Option<Vec<u8>> = (0..64).step_by(2).map(byte).collect();
            bytes.and_then(|bytes| bytes.try_into().ok()).into_iter().collect()
        }
        Value::Array(items) => items.iter().flat_map(digests).collect(),
        Value::Object(map) => map.values().flat_map(digests).collect(),
        _ => Vec::new(),
    }
}

pub fn corpus() -> Corpus {
    Corpus {
        base: "isa-primer".to_owned(),
        generation: "g1".to_owned(),
        digest: None,
        title: "Primer".to_owned(),
        tier: "primer".to_owned(),
        citation: "Primer {id}".to_owned(),
        notice: Some("A primer explains and does not bind.".to_owned()),
        unread: String::new(),
    }
}

pub fn ask(request: &str) -> StartRun {
    StartRun { agent: "any".to_owned(), request: request.to_owned(), ..StartRun::default() }
}

/// A question whose pauses are answered with the default.
pub fn ask_unattended(request: &str) -> StartRun {
    StartRun { attend: unattended(), ..ask(request) }
}

pub fn unattended() -> PausePolicy {
    PausePolicy { replies: Vec::new(), unattended: true }
}

pub fn say(text: &str) -> Reply {
    Reply { text: Some(text.to_owned()), ..Reply::default() }
}

pub fn choose(id: &str) -> Reply {
    Reply { choice: Some(id.to_owned()), ..Reply::default() }
}

/// What a request shows the model in a section.
pub fn section(request: &ModelRequest, name: &str) -> Option<String> {
    let sections = context::parse_sections(&request.messages[0].content);
    sections.into_iter().find(|section| section.name == name).map(|section| section.body)
}

/// The problem of a result that must be one.
pub fn refused<T: std::fmt::Debug>(result: Result<T, Problem>, code: ErrorCode) -> Problem {
    let problem = result.expect_err("it was to be refused");
    assert_eq!(problem.code, code, "{problem}");
    problem
}
