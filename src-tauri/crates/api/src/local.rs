//! The api over an engine in this process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::{ErrorCode, Problem, SessionId};
use engine::{Checking, Engine, HostFactory, Parts, UiEvent};
use serde_json::Value;
use store::{BlobHash, DataDir, Store};
use tokio::sync::{broadcast, mpsc};

use crate::chat::{Chat, SourceTools, follow};
use crate::connections::Book;
use crate::corpus;
use crate::desk::Desk;
use crate::recheck::Bases;
use crate::request::Request;
use crate::response::Response;
use crate::stream::Stream;
use crate::turns::Turns;

/// How an api is opened.
#[derive(Clone)]
pub struct Options {
    /// The data directory.
    pub home: PathBuf,
    /// This program: guard of children and our own servers.
    pub program: PathBuf,
    /// Providers besides the offline engine, by connection slug.
    pub providers: BTreeMap<String, Arc<dyn llm::Provider>>,
    /// Where tool calls go instead of the agent's sources.
    pub hosts: Option<Arc<dyn HostFactory>>,
}

/// The api over an engine in this process, which holds the data directory's lock.
#[derive(Clone)]
pub struct Local {
    pub(crate) engine: Arc<Engine>,
    pub(crate) home: PathBuf,
    pub(crate) program: PathBuf,
    pub(crate) stream: Stream,
    pub(crate) desk: Arc<Desk>,
    pub(crate) turns: Turns,
    pub(crate) connections: Arc<Book>,
    pub(crate) chat: Arc<Chat>,
    /// The slug of the workspace that commands are for; empty: the person's current one.
    pub(crate) workspace: String,
}

impl Local {
    /// Takes the data directory and opens its database.
    pub async fn open(options: Options) -> Result<Self, Problem> {
        let dir = DataDir::open(&options.home)?;
        let stamp = corpus::now_ms().to_string();
        let store = Store::open(&dir, &stamp).await?;
        let mut providers: BTreeMap<String, Arc<dyn llm::Provider>> = options.providers;
        providers.entry("offline".to_owned()).or_insert_with(offline);
        let home = dir.path().to_owned();
        let connections = Arc::new(Book::new(&home, providers));
        let tools =
            SourceTools::new(&home, options.program.clone(), store.clone(), connections.vault().clone());
        let hosts = options.hosts.unwrap_or_else(|| Arc::new(tools.clone()));
        let (chat, left) = Chat::new(&home, &options.program, store.clone(), tools);
        let chat = Arc::new(chat);
        let engine = Arc::new(Engine::new(Parts {
            store,
            home: home.clone(),
            templates: Arc::default(),
            providers: connections.clone(),
            hosts,
            recheck: Some(Arc::new(Bases(home.clone()))),
            chat: Some(chat.clone()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }));
        chat.engine_is(&engine);
        let local = Self {
            engine,
            desk: Arc::new(Desk::new(&home)),
            home,
            program: options.program,
            stream: Stream::new(),
            turns: Turns::default(),
            connections,
            chat,
            workspace: String::new(),
        };
        local.chat.hooks().live_is(&local.desk.live);
        local.follow_turns(left);
        local.keep_house();
        local.index_earlier_runs();
        Ok(local)
    }

    /// Begins what waits whenever a turn has left the engine. Keeps neither the engine nor its host alive.
    fn follow_turns(&self, left: mpsc::UnboundedReceiver<(SessionId, bool)>) {
        follow(self.weakly(), left);
    }

    /// Gives this again for as long as somebody else keeps it.
    pub(crate) fn weakly(&self) -> impl Fn() -> Option<Self> + Send + 'static + use<> {
        let Self { engine, home, program, stream, desk, turns, connections, chat, workspace } = self.clone();
        let (engine, chat) = (Arc::downgrade(&engine), Arc::downgrade(&chat));
        move || {
            Some(Self {
                engine: engine.upgrade()?,
                home: home.clone(),
                program: program.clone(),
                stream: stream.clone(),
                desk: desk.clone(),
                turns: turns.clone(),
                connections: connections.clone(),
                chat: chat.upgrade()?,
                workspace: workspace.clone(),
            })
        }
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Tells of everything in runs from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<UiEvent> {
        self.engine.subscribe()
    }

    /// Closes the database. Runs under way must have been waited for or suspended.
    pub async fn close(&self) -> Result<(), Problem> {
        self.desk.house.end().await;
        self.chat.close().await;
        self.store().close().await.map_err(Problem::from)
    }

    /// Carries out a command, after those that it may not run beside. Whoever shows what it changed is told.
    pub async fn call(&self, request: Request) -> Result<Response, Problem> {
        self.call_in(None, request).await
    }

    /// Carries out a command for a workspace; without one for the one that this is of.
    pub async fn call_in(&self, workspace: Option<String>, request: Request) -> Result<Response, Problem> {
        let here = self.here(workspace, &request).await?;
        let changes = request.command().changes;
        let turn = self.turns.take(request.scope()).await;
        let before = here.before(&request).await;
        let answer = Box::pin(here.carry_out(request)).await;
        drop(turn);
        if answer.is_ok() {
            here.tell_changes(before).await;
            self.stream.tell(changes);
        }
        answer
    }

    async fn carry_out(&self, request: Request) -> Result<Response, Problem> {
        match request {
            Request::RunStart(start) => self.run_start(*start).await.map(Response::Run),
            Request::RunResume { run, attend } => self.run_resume(&run, attend).await.map(Response::Run),
            Request::RunAnswer { run, pause, reply, attend } => {
                self.engine.answer(&run, pause, *reply, attend).await.map(Response::Answered)
            }
            Request::RunGuide { run, text } => self.engine.guide(&run, text).await.map(|()| Response::Done),
            Request::RunCancel { run } => self.run_cancel(&run).await.map(|()| Response::Done),
            Request::RunSuspend { run } => self.engine.suspend(&run).await.map(|()| Response::Done),
            Request::RunList { limit, agent, status, before } => {
                self.run_list(limit, agent, status, before).await.map(Response::Runs)
            }
            Request::RunShow { run, events_after, outputs } => {
                let state = self.run_show(&run, events_after, outputs).await?;
                Ok(Response::RunState(Box::new(state)))
            }
            Request::RunStage { run, stage } => {
                self.run_stage(&run, &stage).await.map(|detail| Response::StageDetail(Box::new(detail)))
            }
            Request::RunExport { run, unchecked } => {
                self.run_export(&run, checking(unchecked)).await.map(Response::Written)
            }
            Request::RunDocument { run } => {
                self.run_document(&run).await.map(|document| Response::Document(document.map(Box::new)))
            }
            Request::SessionList(query) => self.session_list(query).await.map(Response::Sessions),
            Request::SessionCounts => self.session_counts().await.map(Response::SessionCounts),
            Request::SessionShow { session, before, limit } => {
                let state = self.session_show(&session, before, limit).await?;
                Ok(Response::SessionState(Box::new(state)))
            }
            Request::SessionUpdate { sessions, patch } => {
                self.session_update(&sessions, patch).await.map(|()| Response::Done)
            }
            Request::SessionPurge { sessions } => self.session_purge(sessions).await.map(Response::Purged),
            Request::SessionExport { session, format, unchecked } => {
                self.session_export(&session, format, checking(unchecked)).await.map(Response::Exported)
            }
            Request::DraftSave { key, text } => self.draft_save(&key, &text).await.map(|()| Response::Done),
            Request::DraftShow { key } => self.draft_show(&key).await.map(Response::Draft),
            Request::ParagraphShow { base, run, id, quotes } => {
                let paragraph = self.paragraph_show(base, run, id, quotes).await?;
                Ok(Response::Paragraph(Box::new(paragraph)))
            }
            Request::OrganiseShow => self.organise_show().await.map(organised),
            Request::StatusEdit(edit) => self.status_edit(edit).await.map(organised),
            Request::LabelEdit(edit) => self.label_edit(edit).await.map(organised),
            Request::ViewEdit(edit) => self.view_edit(edit).await.map(organised),
            Request::ViewTry(asked) => self.view_try(asked).await.map(Response::ViewTried),
            Request::RuleTry(asked) => Ok(Response::RuleTried(crate::organise::rule_try(&asked))),
            Request::SessionGroups(asked) => self.session_groups(asked).await.map(Response::Groups),
            Request::ContentSearch(asked) => {
                self.content_search(asked).await.map(|hits| Response::ContentHits(Box::new(hits)))
            }
            Request::Search { text, limit } => self.search(&text, limit).await.map(Response::Found),
            other => self.at_desk(other).await,
        }
    }

    /// The database.
    pub(crate) fn store(&self) -> &Store {
        &self.engine.parts().store
    }

    /// A stored value.
    pub(crate) async fn value(&self, digest: domain::Digest) -> Result<Value, Problem> {
        let bytes = self.store().get_blob(BlobHash::from_bytes(digest.0)).await?;
        serde_json::from_slice(&bytes).map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))
    }
}

fn organised(organisation: crate::wire::Organisation) -> Response {
    Response::Organisation(Box::new(organisation))
}

fn checking(unchecked: bool) -> Checking {
    if unchecked { Checking::Unchecked } else { Checking::Rechecked }
}

/// The offline engine. With `AGENTNATIVE_OFFLINE_PACE` (tokens a second) its answers stream as a model's would.
fn offline() -> Arc<dyn llm::Provider> {
    let engine = Arc::new(llm::OfflineEngine);
    match std::env::var("AGENTNATIVE_OFFLINE_PACE").ok().and_then(|pace| pace.parse().ok()) {
        Some(pace) => Arc::new(llm::Paced::new(engine, pace)),
        None => engine,
    }
}
