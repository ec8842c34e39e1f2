//! The services over an engine in this process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use backup::Maintenance;
use config::ConfigStore;
use connections::{ConnectionRegistry, Connections};
use conversations::{Chat, Conversations, follow};
use domain::{ErrorCode, Problem, SessionId};
use engine::{Engine, HostFactory, Parts, UiEvent};
use environment::Environment;
use gate::{Gate, Permissions};
use import_export::ImportExport;
use library::{Bases, Library, LibraryState};
use protocol::{ApiEvent, Client, PendingAnswer, Request, Response};
use scheduler::{CommandRunner, Scheduler};
use sessions::Sessions;
use source_tools::{SourceTools, Sources};
use store::{DataDir, Store};
use support::now_ms;
use tokio::sync::{Semaphore, broadcast, mpsc};
use worktrees::{Worktrees, WorktreesOptions};

/// Trial starts of sources at once.
const TRIALS: usize = 2;

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

/// The services over an engine in this process, which holds the data directory's lock; for one workspace.
#[derive(Clone)]
pub struct Local {
    pub(crate) env: Environment,
    pub(crate) connections: Connections,
    pub(crate) library: Library,
    pub(crate) sources: Sources,
    pub(crate) permissions: Permissions,
    pub(crate) sessions: Sessions,
    pub(crate) conversations: Conversations,
    pub(crate) scheduler: Scheduler,
    pub(crate) maintenance: Maintenance,
    pub(crate) import_export: ImportExport,
    pub(crate) tasks: Worktrees,
    pub(crate) opened: Instant,
}

impl Local {
    /// Takes the data directory and opens its database.
    pub fn open(options: Options) -> PendingAnswer<'static, Self> {
        Box::pin(Self::open_inner(options))
    }

    async fn open_inner(options: Options) -> Result<Self, Problem> {
        let dir = DataDir::open(&options.home)?;
        let stamp = now_ms().to_string();
        let store = Store::open(&dir, &stamp).await?;
        let mut providers: BTreeMap<String, Arc<dyn llm::Provider>> = options.providers;
        providers.entry("offline".to_owned()).or_insert_with(offline);
        let home = dir.path().to_owned();
        let config = ConfigStore::new(&home);
        let registry = Arc::new(ConnectionRegistry::new(&config, providers));
        let program = options.program;
        let vault = registry.vault().clone();
        let tools = SourceTools::new(&home, program.clone(), store.clone(), vault, config.clone());
        let hosts = options.hosts.unwrap_or_else(|| Arc::new(tools.clone()));
        let gate = Arc::new(Gate::new(&home, &program, store.clone(), tools.clone(), &config));
        let (guard, search_path) = (Some(program.clone()), Some(tools.search_path()));
        let tasks = Worktrees::new(&home, WorktreesOptions { guard, search_path, folders: None });
        let (chat, left) = Chat::new(&home, &program, store.clone(), gate.clone(), tasks.clone());
        let chat = Arc::new(chat);
        let engine = Arc::new(Engine::new(Parts {
            store,
            home: home.clone(),
            templates: Arc::default(),
            providers: registry.clone(),
            hosts,
            recheck: Some(Arc::new(Bases(home.clone()))),
            chat: Some(chat.clone()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }));
        chat.engine_is(&engine);
        let env = Environment::new(engine, &home, &program, config);
        chat.diagrams_are(&env.diagrams);
        registry.ledger().count(env.store().clone(), env.stream.clone());
        let trials = Arc::new(Semaphore::new(TRIALS));
        let sources = Sources::new(env.clone(), &tools, registry.clone(), trials);
        let permissions = Permissions::new(env.clone(), gate);
        let connections = Connections::new(env.clone(), registry.clone());
        let library = Library::new(env.clone(), Arc::new(LibraryState::new(&home)));
        let sessions = Sessions::new(env.clone(), permissions.clone(), registry.clone(), sources.clone());
        let conversations = Conversations::new(conversations::Parts {
            env: env.clone(),
            chat,
            permissions: permissions.clone(),
            connections: connections.clone(),
            library: library.clone(),
            sessions: sessions.clone(),
            sources: sources.clone(),
        });
        let runner = CommandRunner::default();
        let local = Self {
            scheduler: Scheduler::new(env.clone(), permissions.clone(), registry.clone(), runner.clone()),
            maintenance: Maintenance::new(env.clone(), sessions.clone()),
            import_export: ImportExport::new(env.clone(), registry, sessions.clone(), conversations.clone()),
            env,
            connections,
            library,
            sources,
            permissions,
            sessions,
            conversations,
            tasks,
            opened: Instant::now(),
        };
        local.carry_out_for(&runner);
        local.follow_turns(left);
        local.maintenance.suspend_restored().await;
        local.maintenance.begin();
        tokio::task::spawn_blocking(process_guard::end_orphans);
        local.sessions.index_earlier_runs();
        local.library.settle_bases().await;
        local.conversations.follow_bases();
        Ok(local)
    }

    /// Has commands of automations carried out here, as long as somebody else keeps this.
    fn carry_out_for(&self, runner: &CommandRunner) {
        let again = self.downgrade();
        runner.set(move |workspace, request| {
            let local = again();
            Box::pin(async move {
                match local {
                    Some(local) => local.call_in(Some(workspace), request).await,
                    None => Err(Problem::new(ErrorCode::Busy, "AgentNative is closing")),
                }
            })
        });
    }

    /// Begins what waits whenever a turn has left the engine. Keeps neither the engine nor its host alive.
    fn follow_turns(&self, left: mpsc::UnboundedReceiver<(SessionId, bool)>) {
        let again = self.downgrade();
        self.env.tasks.keep(follow(move || again().map(|local| local.conversations), left));
    }

    /// Gives this again for as long as somebody else keeps it.
    fn downgrade(&self) -> impl Fn() -> Option<Self> + Send + Sync + 'static + use<> {
        let (env, conversations) = (self.env.downgrade(), self.conversations.downgrade());
        let (connections, library) = (self.connections.registry().clone(), self.library.state().clone());
        let (sources, permissions) = (self.sources.downgrade(), self.permissions.downgrade());
        let (sessions, scheduler) = (self.sessions.downgrade(), self.scheduler.downgrade());
        let (maintenance, import_export) = (self.maintenance.downgrade(), self.import_export.downgrade());
        let (tasks, opened) = (self.tasks.clone(), self.opened);
        move || {
            let env = env()?;
            Some(Self {
                connections: Connections::new(env.clone(), connections.clone()),
                library: Library::new(env.clone(), library.clone()),
                sources: sources()?,
                permissions: permissions()?,
                sessions: sessions()?,
                conversations: conversations()?,
                scheduler: scheduler()?,
                maintenance: maintenance()?,
                import_export: import_export()?,
                tasks: tasks.clone(),
                env,
                opened,
            })
        }
    }

    /// The same for commands on another workspace; empty: on the person's current one.
    pub fn in_workspace(&self, workspace: &str) -> Self {
        self.within(self.env.in_workspace(workspace))
    }

    /// The same in another environment.
    fn within(&self, env: Environment) -> Self {
        Self {
            connections: self.connections.within(env.clone()),
            library: self.library.within(env.clone()),
            sources: self.sources.within(env.clone()),
            permissions: self.permissions.within(env.clone()),
            sessions: self.sessions.within(env.clone()),
            conversations: self.conversations.within(env.clone()),
            scheduler: self.scheduler.within(env.clone()),
            maintenance: self.maintenance.within(env.clone()),
            import_export: self.import_export.within(env.clone()),
            tasks: self.tasks.clone(),
            env,
            opened: self.opened,
        }
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.env.home
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.env.engine
    }

    /// Tells of everything from now on.
    pub fn events(&self) -> broadcast::Receiver<ApiEvent> {
        self.env.stream.subscribe(&self.env.engine)
    }

    /// Tells of everything in runs from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<UiEvent> {
        self.env.engine.subscribe()
    }

    /// Closes the database. Runs under way must have been waited for or suspended.
    pub async fn close(&self) -> Result<(), Problem> {
        self.env.tasks.end().await;
        self.permissions.gate().close().await;
        self.env.store().close().await.map_err(Problem::from)
    }

    /// Carries out a command, after those that it may not run beside. Whoever shows what it changed is told.
    pub async fn call(&self, request: Request) -> Result<Response, Problem> {
        self.call_in(None, request).await
    }

    /// Carries out a command for a workspace; without one for the one that this is of.
    pub fn call_in(&self, workspace: Option<String>, request: Request) -> PendingAnswer<'_, Response> {
        Box::pin(self.call_inner(workspace, request))
    }

    async fn call_inner(&self, workspace: Option<String>, request: Request) -> Result<Response, Problem> {
        let here = self.within(self.env.for_request(workspace, &request).await?);
        let changes = request.command().changes;
        let guard = self.env.locks.lock(request.scope()).await;
        let before = here.scheduler.before(&request).await;
        let answer = here.carry_out(request).await;
        drop(guard);
        if answer.is_ok() {
            here.scheduler.tell_changes(before).await;
            self.env.stream.tell(changes);
        }
        answer
    }
}

impl Client for Local {
    async fn call(&self, request: Request) -> Result<Response, Problem> {
        self.call_in(None, request).await
    }
}

/// The offline engine. With `AGENTNATIVE_OFFLINE_PACE` (tokens a second) its answers stream as a model's would.
fn offline() -> Arc<dyn llm::Provider> {
    let engine = Arc::new(offline_engine::OfflineEngine);
    match std::env::var("AGENTNATIVE_OFFLINE_PACE").ok().and_then(|pace| pace.parse().ok()) {
        Some(pace) => Arc::new(llm::Paced::new(engine, pace)),
        None => engine,
    }
}
