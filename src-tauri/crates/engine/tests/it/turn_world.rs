//! A data directory with an engine that holds conversations: a scripted model, real files, tools that count their runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use dialogue::{Record, State};
use domain::{
    AccessRequest, CallEffect, Covers, ErrorCode, Grant, GrantScope, Hints, Mode, Offer, Preview, Problem,
    Question, Ruling, RunId, SessionId, SessionSetup, Show, UserMessage,
};
use engine::turn::{
    ChatHost, StartTurn, StepKind, StepStatus, TurnContext, TurnHead, TurnScope, TurnStatus, TurnStep,
    TurnUi, TurnUiKind, TurnView,
};
use engine::{Engine, Parts};
use llm::{Part, Provider, ScriptedProvider};
use serde_json::{Value, json};
use store::{Blob, BlobHash, Commit, DataDir, Durability, NewRun, NewSession, RunChange, Store};
use tempfile::TempDir;
use tokio::sync::{Barrier, broadcast, watch};
use tools::{CallContext, Media, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

use crate::tools::{Hosts, Tools};

/// No wait of a test is longer.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A picture of one pixel, as the tool `picture` gives it.
pub const DOT: &[u8] =
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// What the program around gives: its setup can be changed, what it was asked is kept.
pub struct Host {
    pub own: PathBuf,
    pub setup: Mutex<SessionSetup>,
    pub tools: Mutex<Vec<Arc<dyn Tool>>>,
    pub grants: Mutex<Vec<Grant>>,
    pub judged: Mutex<Vec<AccessRequest>>,
    pub left: watch::Sender<u32>,
    /// How many deeds the audit has as refused by the person.
    pub refused: watch::Sender<u32>,
}

#[async_trait]
impl ChatHost for Host {
    async fn setup(&self, _: &SessionId) -> Result<SessionSetup, Problem> {
        Ok(self.setup.lock().unwrap().clone())
    }

    async fn turn_context(
        &self,
        _: &TurnScope,
        setup: &SessionSetup,
        _: &UserMessage,
    ) -> Result<TurnContext, Problem> {
        let tools = self.tools.lock().unwrap().clone();
        let system = format!("You are tested. Mode: {}.", setup.mode.as_str());
        Ok(TurnContext { tools, system, ..TurnContext::default() })
    }

    async fn built_in(&self, name: &str) -> Result<Option<Arc<dyn Tool>>, Problem> {
        Ok(self.tools.lock().unwrap().iter().find(|tool| tool.info().name == name).cloned())
    }

    async fn may_work_in(&self, scope: &TurnScope) -> Result<(), Problem> {
        match scope.folders.iter().find(|folder| !Path::new(folder).starts_with(&self.own)) {
            Some(folder) => Err(Problem::new(ErrorCode::Permission, format!("{folder} is not yours"))),
            None => Ok(()),
        }
    }

    fn call_context(&self, scope: &TurnScope, setup: &SessionSetup, call: &str) -> CallContext {
        CallContext {
            session: scope.session.0.clone(),
            run: scope.run.0.clone(),
            call: call.to_owned(),
            mode: setup.mode,
            folders: match scope.folders.is_empty() {
                true => vec![self.own.clone()],
                false => scope.folders.iter().map(PathBuf::from).collect(),
            },
            own: self.own.join("sessions").join(&scope.session.0),
        }
    }

    async fn authorize(&self, _: &TurnScope, _: &str, claim: &AccessRequest) -> Result<Ruling, Problem> {
        self.judged.lock().unwrap().push(claim.clone());
        let mode = self.setup.lock().unwrap().mode;
        let granted = self.grants.lock().unwrap().iter().any(|grant| grant.tool == claim.tool);
        Ok(match (&claim.effect, mode) {
            (CallEffect::Write { .. } | CallEffect::Shell { .. }, Mode::Ask) if !granted => Ruling::Ask {
                why: "it changes a file".to_owned(),
                offers: vec![offer(GrantScope::Once, claim), offer(GrantScope::Session, claim)],
            },
            (CallEffect::Write { .. } | CallEffect::Shell { .. }, Mode::Safe) => {
                Ruling::Deny { why: "Explore changes nothing".to_owned(), instead: None }
            }
            _ => Ruling::Allow { by: "mode".into(), confined: domain::Walls::Open },
        })
    }

    async fn grant(
        &self,
        scope: &TurnScope,
        call: &str,
        claim: &AccessRequest,
        offer: &Offer,
    ) -> Result<Grant, Problem> {
        let grant = Grant {
            id: format!("grant-{call}"),
            scope: offer.scope,
            session: scope.session.0.clone(),
            workspace: None,
            source: claim.source.clone(),
            tool: claim.tool.clone(),
            covers: offer.covers.clone(),
            created_at: 0,
            expires_at: None,
            request: call.to_owned(),
            words: offer.words.clone(),
        };
        if offer.scope != GrantScope::Once {
            self.grants.lock().unwrap().push(grant.clone());
        }
        Ok(grant)
    }

    async fn refused(&self, _: &TurnScope, _: &str, _: &AccessRequest) {
        self.refused.send_modify(|count| *count += 1);
    }

    async fn turn_left(&self, _: &TurnScope, _: bool) {
        self.left.send_modify(|count| *count += 1);
    }
}

fn offer(scope: GrantScope, _: &AccessRequest) -> Offer {
    Offer { scope, covers: Covers::Any, words: "this".to_owned() }
}

pub struct World {
    folder: Arc<TempDir>,
    dir: DataDir,
    pub store: Store,
    pub engine: Arc<Engine>,
    pub provider: ScriptedProvider,
    pub host: Arc<Host>,
    ui: broadcast::Receiver<TurnUi>,
}

impl World {
    pub async fn new(provider: ScriptedProvider) -> Self {
        let folder = Arc::new(TempDir::new().unwrap());
        let dir = DataDir::open(folder.path()).unwrap();
        Self::within(folder, dir, provider, Mode::AllowAll).await
    }

    async fn within(folder: Arc<TempDir>, dir: DataDir, provider: ScriptedProvider, mode: Mode) -> Self {
        let store = Store::open(&dir, "test").await.unwrap();
        let host = Arc::new(Host {
            own: folder.path().to_owned(),
            setup: Mutex::new(SessionSetup { mode, ..SessionSetup::default() }),
            tools: Mutex::new(test_tools(folder.path())),
            grants: Mutex::default(),
            judged: Mutex::default(),
            left: watch::channel(0).0,
            refused: watch::channel(0).0,
        });
        let named: Arc<dyn Provider> = Arc::new(provider.clone());
        let engine = Engine::new(Parts {
            store: store.clone(),
            home: folder.path().to_owned(),
            templates: Arc::default(),
            providers: Arc::new(std::collections::BTreeMap::from([("scripted".to_owned(), named)])),
            hosts: Arc::new(Hosts(Tools::none())),
            recheck: None,
            chat: Some(host.clone()),
            version: "test".to_owned(),
        });
        let ui = engine.subscribe_turns();
        Self { folder, dir, store, engine: Arc::new(engine), provider, host, ui }
    }

    pub fn home(&self) -> &Path {
        self.folder.path()
    }

    pub fn mode(&self, mode: Mode) {
        self.host.setup.lock().unwrap().mode = mode;
    }

    /// The same data directory in what stands for a new process.
    pub async fn reopened(self, provider: ScriptedProvider) -> Self {
        let _ = self.store.close().await;
        let mode = self.host.setup.lock().unwrap().mode;
        let Self { folder, dir, .. } = self;
        Self::within(folder, dir, provider, mode).await
    }

    pub fn says(&self, text: &str) -> StartTurn {
        StartTurn {
            session: None,
            setup: self.host.setup.lock().unwrap().clone(),
            message: message(text),
            previous: None,
            connection: "scripted".to_owned(),
            model: None,
            bounds: dialogue::Bounds::default(),
            origin: dialogue::Origin::Person,
            compact: false,
        }
    }

    pub async fn begin(&self, text: &str) -> (SessionId, RunId) {
        self.engine.begin_turn(self.says(text)).await.unwrap()
    }

    pub async fn begin_in(&self, session: &SessionId, text: &str) -> RunId {
        let start = StartTurn { session: Some(session.clone()), ..self.says(text) };
        self.engine.begin_turn(start).await.unwrap().1
    }

    /// Begins a turn and waits for its end.
    pub async fn turn(&self, text: &str) -> (SessionId, TurnView) {
        let (session, run) = self.begin(text).await;
        (session, self.ended(&run).await)
    }

    pub async fn turn_in(&self, session: &SessionId, text: &str) -> TurnView {
        let run = self.begin_in(session, text).await;
        self.ended(&run).await
    }

    /// A turn once it has left the engine.
    pub async fn ended(&self, run: &RunId) -> TurnView {
        tokio::time::timeout(PATIENCE, self.engine.wait(run)).await.expect("the turn goes on").unwrap();
        let replay = self.engine.replay(run).await.unwrap();
        assert!(replay.identical, "{run} differs: {:#?}", replay.differences);
        let scratch = tempfile::TempDir::new().unwrap();
        match self.engine.redrive(run, scratch.path()).await {
            Ok(again) => {
                assert!(again.identical, "{run} differs when driven again: {:#?}", again.differences);
            }
            // What is no part of a log: see `unrecorded` in the turn's `redrive.rs`.
            Err(problem) => {
                assert_eq!(problem.code, ErrorCode::Conflict, "{run}: {problem}");
                assert!(problem.message.contains("can't be driven again from its log"), "{run}: {problem}");
            }
        }
        self.engine.turn_view(run).await.unwrap()
    }

    /// Until something is told of a turn that a test waits for.
    pub async fn until(&mut self, run: &RunId, mut wanted: impl FnMut(&TurnUiKind) -> bool) -> TurnUiKind {
        loop {
            let told = tokio::time::timeout(PATIENCE, self.ui.recv()).await.expect("nothing more was told");
            let told = told.unwrap();
            if &told.run == run && wanted(&told.kind) {
                return told.kind;
            }
        }
    }

    /// Until something is told of any turn that has such a step; gives both.
    pub async fn until_any(&mut self, wanted: impl Fn(&TurnStep) -> bool) -> (RunId, String) {
        loop {
            let told = tokio::time::timeout(PATIENCE, self.ui.recv()).await.expect("nothing more was told");
            let told = told.unwrap();
            if let TurnUiKind::Changed { steps, .. } = &told.kind
                && let Some(step) = steps.iter().find(|step| wanted(step))
            {
                return (told.run, step.id.clone());
            }
        }
    }

    /// The payloads that a batch of the log refers to.
    pub async fn blobs_of(&self, batch: &[u8]) -> Vec<Blob> {
        let mut blobs = Vec::new();
        for hash in digests(&serde_json::from_slice(batch).unwrap()) {
            if let Ok(bytes) = self.store.get_blob(BlobHash::from_bytes(hash)).await {
                blobs.push(Blob::new(bytes).unwrap());
            }
        }
        blobs
    }

    /// Until a step stands so; gives it.
    pub async fn step(&mut self, run: &RunId, status: StepStatus) -> TurnStep {
        let is = |step: &TurnStep| step.status == status && matches!(step.kind, StepKind::Tool { .. });
        let told = self
            .until(run, |kind| matches!(kind, TurnUiKind::Changed { steps, .. } if steps.iter().any(is)))
            .await;
        let TurnUiKind::Changed { steps, .. } = told else { unreachable!() };
        steps.into_iter().find(is).unwrap()
    }

    pub async fn waiting(&mut self, run: &RunId) -> TurnHead {
        let told = self
            .until(
                run,
                |kind| matches!(kind, TurnUiKind::Changed { head, .. } if head.status == TurnStatus::Waiting),
            )
            .await;
        let TurnUiKind::Changed { head, .. } = told else { unreachable!() };
        *head
    }

    pub async fn log(&self, run: &RunId) -> Vec<Record> {
        engine::turn::decode_turn(&self.store.load_events(&run.0).await.unwrap()).unwrap()
    }

    pub async fn names(&self, run: &RunId) -> Vec<&'static str> {
        self.log(run).await.iter().map(|record| record.event.name()).collect()
    }

    pub async fn state(&self, run: &RunId) -> State {
        fold(&self.log(run).await)
    }

    /// Rows of the turn's calls to models, the newest first.
    pub async fn calls(&self) -> Vec<store::NewModelCall> {
        let page = self.store.list_model_calls(&store::ModelCallFilter::default(), None, 100).await.unwrap();
        page.calls.into_iter().map(|row| row.call).collect()
    }

    pub fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.home().join(name)).unwrap_or_default()
    }

    /// How often the tool that writes ran with this file.
    pub fn written(&self, name: &str) -> usize {
        self.file(name).lines().count()
    }

    /// A new data directory that holds the first `count` commits of a turn: what a crash after them leaves behind.
    pub async fn crashed_after(&self, run: &RunId, count: usize, provider: ScriptedProvider) -> World {
        let world = World::new(provider).await;
        world.mode(self.host.setup.lock().unwrap().mode);
        std::fs::copy(self.home().join("a.txt"), world.home().join("a.txt")).unwrap();
        let row = self.store.get_run(&run.0).await.unwrap();
        for batch in self.store.load_events(&run.0).await.unwrap().iter().take(count) {
            let mut blobs = Vec::new();
            for hash in digests(&serde_json::from_slice(&batch.bytes).unwrap()) {
                if let Ok(bytes) = self.store.get_blob(BlobHash::from_bytes(hash)).await {
                    blobs.push(Blob::new(bytes).unwrap());
                }
            }
            let change = if batch.seq_first == 1 {
                RunChange::Create(NewRun {
                    session: NewSession { id: row.session.clone(), ..NewSession::default() },
                    status: "running".to_owned(),
                    kind: engine::turn::KIND.to_owned(),
                    ..NewRun::default()
                })
            } else {
                RunChange::Keep
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

pub fn fold(records: &[Record]) -> State {
    let mut state = State::default();
    for record in records {
        state.apply(record).unwrap();
    }
    state
}

/// Whether a step asks for permission.
pub fn asks(step: &TurnStep) -> bool {
    step.status == StepStatus::Asking
}

/// Whether a tool is at work.
pub fn runs(step: &TurnStep) -> bool {
    step.status == StepStatus::Running && matches!(step.kind, StepKind::Tool { .. })
}

pub fn message(text: &str) -> UserMessage {
    UserMessage { text: text.to_owned(), ..UserMessage::default() }
}

/// Every digest that occurs in a value.
fn digests(value: &Value) -> BTreeSet<[u8; 32]> {
    match value {
        Value::String(text) if text.len() == 64 => {
            let byte = |at: usize| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
            let bytes: Option<Vec<u8>> = (0..64).step_by(2).map(byte).collect();
            bytes.and_then(|bytes| bytes.try_into().ok()).into_iter().collect()
        }
        Value::Array(items) => items.iter().flat_map(digests).collect(),
        Value::Object(map) => map.values().flat_map(digests).collect(),
        _ => BTreeSet::new(),
    }
}

/// Results of tools that a request shows the model.
pub fn results(request: &llm::ModelRequest) -> Vec<(String, bool)> {
    let parts = request.messages.iter().flat_map(|message| &message.parts);
    let results = parts.filter_map(|part| match part {
        Part::ToolResult { content, is_error, .. } => Some((content.clone(), *is_error)),
        _ => None,
    });
    results.collect()
}

/// What a request shows the model as text, whoever said it.
pub fn texts(request: &llm::ModelRequest) -> Vec<String> {
    let of = |message: &llm::Message| {
        let own = Some(message.content.clone()).filter(|text| !text.is_empty());
        let parts = message.parts.iter().filter_map(|part| match part {
            Part::Text { text } => Some(text.clone()),
            _ => None,
        });
        own.into_iter().chain(parts).collect::<Vec<String>>()
    };
    request.messages.iter().flat_map(of).collect()
}

/// What a tool of the tests does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Read,
    Append,
    Hang,
    Ask,
    Plan,
    Picture,
    Large,
    Child,
    Break,
    Meet,
}

struct Small {
    info: ToolInfo,
    does: Does,
    folder: PathBuf,
    /// Where two calls wait for each other.
    meeting: Arc<Barrier>,
}

/// The tools of the tests, over the files of a folder.
fn test_tools(folder: &Path) -> Vec<Arc<dyn Tool>> {
    let path = json!({
        "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"],
        "additionalProperties": false,
    });
    let none = json!({"type": "object", "properties": {}});
    let meeting = Arc::new(Barrier::new(2));
    let all = [
        ("read", Does::Read, true, &path),
        ("append", Does::Append, false, &path),
        ("hang", Does::Hang, false, &none),
        ("ask", Does::Ask, true, &none),
        ("plan", Does::Plan, true, &none),
        ("picture", Does::Picture, true, &none),
        ("large", Does::Large, true, &none),
        ("child", Does::Child, false, &none),
        ("break", Does::Break, false, &none),
        ("meet", Does::Meet, true, &none),
    ];
    all.into_iter()
        .map(|(name, does, read_only, parameters)| {
            let info = ToolInfo {
                name: name.to_owned(),
                source: String::new(),
                tool: name.to_owned(),
                title: name.to_owned(),
                description: format!("It does {name}."),
                parameters: parameters.clone(),
                hints: Hints { read_only: Some(read_only), ..Hints::default() },
                trusted: true,
                deadline: Duration::from_secs(30),
            };
            Arc::new(Small { info, does, folder: folder.to_owned(), meeting: meeting.clone() })
                as Arc<dyn Tool>
        })
        .collect()
}

impl Small {
    /// Where it works.
    fn root<'a>(&'a self, at: &'a CallContext) -> &'a Path {
        at.folders.first().unwrap_or(&self.folder)
    }
}

#[async_trait]
impl Tool for Small {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let path = arguments["path"].as_str().unwrap_or_default();
        if path.contains("..") {
            return Err(ToolError::new(tools::Kind::Refused, "that leads out of the folder"));
        }
        // What a path leads to may change between two plans.
        let leads = std::fs::read_to_string(self.root(at).join("leads-to"));
        let whole = self.root(at).join(leads.as_deref().unwrap_or(path)).display().to_string();
        let effect = match self.does {
            Does::Append => CallEffect::Write { path: whole },
            Does::Child | Does::Hang => {
                CallEffect::Shell { command: "sleep".to_owned(), cwd: whole, outside: None }
            }
            _ => CallEffect::Read { path: whole },
        };
        let command = arguments["command"].as_str().or(leads.as_deref().ok());
        let preview = match command {
            Some(command) => Preview::Command { command: command.to_owned(), cwd: "/".to_owned() },
            None => Preview::None,
        };
        Ok(PlannedOperation { effect, intent: format!("{} {path}", self.info.title), preview })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let path = self.root(at).join(arguments["path"].as_str().unwrap_or_default());
        match self.does {
            Does::Read => match std::fs::read_to_string(&path) {
                Ok(text) => Ok(Outcome::text(text, "read")),
                Err(error) => Err(ToolError::new(tools::Kind::NotFound, error.to_string())),
            },
            Does::Append => {
                let before = std::fs::read_to_string(&path).ok();
                let after = format!("{}one line\n", before.clone().unwrap_or_default());
                std::fs::write(&path, &after).unwrap();
                (run.report)(tools::Progress::Output("writing".to_owned()));
                let changed = vec![(path, before, Some(after))];
                Ok(Outcome { changed, ..Outcome::text("appended", "1 line") })
            }
            Does::Hang => {
                (run.report)(tools::Progress::Output("hanging".to_owned()));
                run.cancel.cancelled().await;
                Err(ToolError::new(tools::Kind::Cancelled, "stopped"))
            }
            Does::Child => {
                let mut child =
                    tokio::process::Command::new("sleep").arg("600").kill_on_drop(true).spawn().unwrap();
                std::fs::write(self.folder.join("pid"), child.id().unwrap().to_string()).unwrap();
                (run.report)(tools::Progress::Output("sleeping".to_owned()));
                tokio::select! {
                    () = run.cancel.cancelled() => {
                        child.kill().await.unwrap();
                        Err(ToolError::new(tools::Kind::Cancelled, "stopped"))
                    }
                    _ = child.wait() => Ok(Outcome::text("slept", "slept")),
                }
            }
            Does::Ask => Ok(Outcome {
                question: Some(Question {
                    text: "Which colour?".to_owned(),
                    options: Vec::new(),
                    several: false,
                }),
                ..Outcome::default()
            }),
            Does::Plan => Ok(Outcome {
                show: vec![Show::Plan {
                    title: "The plan".to_owned(),
                    text: "1. Do it.".to_owned(),
                    path: at.own.join("plans/the-plan.md").display().to_string(),
                }],
                ends: true,
                ..Outcome::text("A plan was handed over.", "plan")
            }),
            Does::Picture => Ok(Outcome {
                media: vec![Media {
                    media_type: "image/gif".to_owned(),
                    name: "dot.gif".to_owned(),
                    data: DOT.to_vec(),
                }],
                ..Outcome::text("a picture", "picture")
            }),
            Does::Large => {
                let lines: String = (0..5_000).map(|n| format!("line {n} of a long result\n")).collect();
                Ok(Outcome::text(lines, "5,000 lines"))
            }
            Does::Break => panic!("a defect"),
            Does::Meet => {
                self.meeting.wait().await;
                Ok(Outcome::text("met", "met"))
            }
        }
    }
}
