//! Sources of conversations: what of them a model is offered, and what runs for them.
//!
//! One pool for all sessions. A source is started when one of its tools is called, or when its tools were never listed;
//! what it offers meanwhile comes from what the person approved. A tool that changed since then is neither offered nor
//! called.

mod access_requests;
mod approval;
mod arguments;
mod calls;
mod checks;
mod commands;
mod edit;
mod failures;
mod host;
mod login_path;
mod mcp;
mod mcp_sign_in;
mod pasted;
mod rest;
mod rest_tool;
mod secret_input;
mod secrets;
mod stdio;
mod switches;
mod web;
mod web_search;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::secrets::Vault;
use ::sources::rest::Rest;
use ::sources::{Pool, Source, UnusableTool};
use access::Decisions;
use config::ConfigStore;
use connections::ConnectionRegistry;
use domain::{Digest, ErrorCode, Mode, Problem};
use environment::Environment;
use parking_lot::Mutex;
use store::Store;
use support::{blocking, now_ms};
use tokio::sync::Semaphore;
use tools::{CallContext, Tool};
use workspace::{DEFAULT_WORKSPACE, SourceConfig, SourceType, Workspace};

pub use approval::{Approval, ApprovalState, ListedTool};
pub use calls::{Failed, State};
pub use edit::{source_import, source_presets};
pub use host::declared;
pub use pasted::source_read;
pub use rest::read_address;
pub use rest_tool::listed as listed_operations;
pub use secret_input::Needs;
pub use secrets::{forget as forget_secrets, keep as keep_secrets, presence};

/// How long a source that nobody calls is kept running.
const IDLE: Duration = Duration::from_secs(600);

/// The commands on sources.
#[derive(Clone)]
pub struct Sources {
    env: Environment,
    tools: SourceTools,
    registry: Arc<ConnectionRegistry>,
    /// Trial starts under way at once.
    trials: Arc<Semaphore>,
}

impl Sources {
    /// Over the sources of an environment's workspace.
    pub fn new(
        env: Environment,
        tools: &SourceTools,
        registry: Arc<ConnectionRegistry>,
        trials: Arc<Semaphore>,
    ) -> Self {
        let tools = tools.in_workspace(env.slug());
        let kept = tools.downgrade();
        // What is started from now on has the secrets as they are then.
        registry.on_secrets_change(move || kept().iter().for_each(SourceTools::forget_prepared));
        Self { env, tools, registry, trials }
    }

    /// The same in another environment.
    pub fn within(&self, env: Environment) -> Self {
        Self::new(env, &self.tools, self.registry.clone(), self.trials.clone())
    }

    /// Gives this again for as long as the engine is kept by somebody else.
    pub fn downgrade(&self) -> impl Fn() -> Option<Self> + Send + Sync + 'static + use<> {
        let (env, tools) = (self.env.downgrade(), self.tools.downgrade());
        let (registry, trials) = (self.registry.clone(), self.trials.clone());
        move || {
            Some(Self { env: env()?, tools: tools()?, registry: registry.clone(), trials: trials.clone() })
        }
    }

    /// The tools of the workspace's sources.
    pub fn tools(&self) -> &SourceTools {
        &self.tools
    }
}

/// The sources of a data directory. Cheap to clone; clones share what runs.
#[derive(Clone)]
pub struct SourceTools {
    inner: Arc<Inner>,
    /// Those of the workspaces that were ever asked for.
    rooms: Arc<Mutex<BTreeMap<String, Arc<Inner>>>>,
}

/// The sources of one workspace.
struct Inner {
    home: PathBuf,
    /// The workspace's slug.
    workspace: String,
    program: PathBuf,
    store: Store,
    vault: Vault,
    config: ConfigStore,
    pool: Pool,
    tokens: Arc<OnceLock<::secrets::Tokens>>,
    known: Mutex<BTreeMap<String, LiveSource>>,
    /// How often each source was ended by hand: a start that was under way meanwhile does not count.
    ended: Mutex<BTreeMap<String, u64>>,
    login: Arc<login_path::LoginPath>,
    hidden: Arc<OnceLock<tools::Hidden>>,
}

/// What is known of a source in this process.
#[derive(Default)]
struct LiveSource {
    running: Vec<Source>,
    starting: u32,
    problem: Option<Problem>,
    log: String,
    listed: Option<Vec<ListedTool>>,
    left_out: Arc<[UnusableTool]>,
    changed: BTreeSet<String>,
    rest: Option<(Digest, Rest)>,
    prepared: Option<mcp::PreparedStart>,
    used_at: Option<i64>,
}

/// A source as its files and what was approved of it say.
#[derive(Clone)]
pub struct Entry {
    /// What its file says.
    pub config: SourceConfig,
    /// What of it is approved.
    pub approval: Approval,
}

/// Tools of sources for a turn.
#[derive(Default)]
pub struct Offer {
    /// Those that a conversation's model is shown.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The others, for stages that name them.
    pub named: Vec<Arc<dyn Tool>>,
    /// What the person is told besides.
    pub notes: Vec<String>,
}

type Offered = (Vec<Arc<dyn Tool>>, Vec<String>, Option<String>);

impl SourceTools {
    /// Starts no source.
    pub fn new(home: &Path, program: PathBuf, store: Store, vault: Vault, config: ConfigStore) -> Self {
        let pool = Pool::with_idle(Some(program.clone()), None, IDLE);
        let inner = Arc::new(Inner {
            home: home.to_owned(),
            workspace: DEFAULT_WORKSPACE.to_owned(),
            login: Arc::default(),
            program,
            store,
            vault,
            config,
            pool,
            tokens: Arc::default(),
            known: Mutex::default(),
            ended: Mutex::default(),
            hidden: Arc::default(),
        });
        checks::begin(&inner);
        Self { inner, rooms: Arc::default() }
    }

    /// Gives this again for as long as somebody else keeps it.
    fn downgrade(&self) -> impl Fn() -> Option<Self> + Send + Sync + 'static + use<> {
        let (inner, rooms) = (Arc::downgrade(&self.inner), Arc::downgrade(&self.rooms));
        move || Some(Self { inner: inner.upgrade()?, rooms: rooms.upgrade()? })
    }

    /// The sources of another workspace; empty: of the default one.
    pub fn in_workspace(&self, workspace: &str) -> Self {
        let workspace = if workspace.is_empty() { DEFAULT_WORKSPACE } else { workspace };
        if workspace == self.inner.workspace {
            return self.clone();
        }
        let mut rooms = self.rooms.lock();
        let inner = rooms.entry(workspace.to_owned()).or_insert_with(|| {
            let Inner { home, program, store, vault, config, tokens, login, hidden, .. } = &*self.inner;
            let inner = Arc::new(Inner {
                home: home.clone(),
                workspace: workspace.to_owned(),
                login: login.clone(),
                program: program.clone(),
                store: store.clone(),
                vault: vault.clone(),
                config: config.clone(),
                pool: Pool::with_idle(Some(program.clone()), None, IDLE),
                tokens: tokens.clone(),
                known: Mutex::default(),
                ended: Mutex::default(),
                hidden: hidden.clone(),
            });
            checks::begin(&inner);
            inner
        });
        Self { inner: inner.clone(), rooms: self.rooms.clone() }
    }

    /// Ends what runs for a workspace that goes.
    pub async fn leave(&self, workspace: &str) {
        let inner = self.rooms.lock().remove(workspace);
        if let Some(inner) = inner {
            inner.pool.shutdown().await;
            inner.known.lock().clear();
        }
    }

    /// The search path of children, the login shell's and this program's, when it is known. The shell is asked now, in
    /// the background, unless it was.
    pub fn search_path(&self) -> tokio::sync::watch::Receiver<Option<std::ffi::OsString>> {
        self.inner.login.begin().clone()
    }

    /// Makes the next start of every server look anew at what it is started with.
    fn forget_prepared(&self) {
        for inner in self.rooms.lock().values().chain([&self.inner]) {
            inner.known.lock().values_mut().for_each(|known| known.prepared = None);
        }
    }

    /// Says which files no `local` source shows.
    pub fn hide(&self, hidden: tools::Hidden) {
        // The first word holds.
        let _ = self.inner.hidden.set(hidden);
    }

    /// Tools of these sources as far as they can be used, and a word on those that can't.
    pub async fn tools(&self, slugs: &[String]) -> Offer {
        if !slugs.is_empty() {
            self.inner.login.begin();
        }
        let mut offer = Offer::default();
        let (mut slugs_seen, mut names) = (BTreeSet::new(), BTreeSet::new());
        for slug in slugs.iter().filter(|slug| slugs_seen.insert(slug.as_str())) {
            match self.offered(slug).await {
                Ok((offered, only, note)) => {
                    offer.notes.extend(note);
                    let fresh = offered.into_iter().filter(|tool| names.insert(tool.info().name.clone()));
                    let (shown, named): (Vec<_>, Vec<_>) =
                        fresh.partition(|tool| only.is_empty() || only.contains(&tool.info().tool));
                    offer.tools.extend(shown);
                    offer.named.extend(named);
                }
                Err(problem) => offer.notes.push(failure_text(slug, &problem)),
            }
        }
        offer
    }

    /// Guides of these sources, where they have one.
    pub async fn guides(&self, slugs: &[String]) -> Vec<(String, String)> {
        let (workspace, slugs) = (self.inner.files(), slugs.to_vec());
        let read = blocking(move || {
            let off = switches::off(&workspace);
            let mut seen = BTreeSet::new();
            let wanted = slugs.into_iter().filter(|slug| seen.insert(slug.clone()) && !off.contains(slug));
            Ok(wanted.filter_map(|slug| workspace.source_guide(&slug).map(|guide| (slug, guide))).collect())
        });
        read.await.unwrap_or_default()
    }

    /// Ends all processes. Nothing can be started afterwards.
    pub async fn close(&self) {
        let rooms = std::mem::take(&mut *self.rooms.lock());
        for inner in rooms.into_values().chain([self.inner.clone()]) {
            inner.pool.shutdown().await;
            inner.known.lock().clear();
        }
    }

    /// A source that is switched on.
    pub async fn entry(&self, slug: &str) -> Result<Entry, Problem> {
        self.inner.entry(slug).await
    }

    /// Slugs that are switched off.
    pub fn off(workspace: &Workspace) -> BTreeSet<String> {
        switches::off(workspace)
    }

    /// Switches a source off or on.
    pub async fn switch(&self, slug: &str, on: bool) -> Result<(), Problem> {
        let (workspace, slug_of) = (self.inner.files(), slug.to_owned());
        blocking(move || switches::switch(&workspace, &slug_of, on)).await?;
        if !on {
            self.end(slug).await;
        }
        Ok(())
    }

    /// Ends what runs for a source and forgets what is known of it.
    pub async fn end(&self, slug: &str) {
        *self.inner.ended.lock().entry(slug.to_owned()).or_default() += 1;
        let known = self.inner.known.lock().remove(slug);
        for source in known.map(|known| known.running).unwrap_or_default() {
            source.close().await;
        }
    }

    /// A source's tools, those of them that a conversation is offered where not all are, and a word on it.
    async fn offered(&self, slug: &str) -> Result<Offered, Problem> {
        let entry = self.inner.entry(slug).await?;
        entry.check()?;
        self.inner.check_secrets(&entry.config).await?;
        let (tools, note) = match entry.config.kind {
            SourceType::Mcp => mcp::offered(&self.inner, &entry).await?,
            SourceType::Api => rest_tool::offered(&self.inner, &entry).await?,
            SourceType::Local => {
                let folder = folder_of(&entry.config)?;
                (tools::of_folder(slug, folder, true, Some(self.inner.hidden())), None)
            }
        };
        Ok((tools, entry.config.offered, note))
    }
}

impl Entry {
    /// That it is approved as it is.
    fn check(&self) -> Result<(), Problem> {
        match self.approval.standing {
            ApprovalState::Approved { .. } => Ok(()),
            ApprovalState::New => Err(not_approved("it has not been approved yet")),
            ApprovalState::Changed => {
                Err(not_approved("what it runs or reaches has changed since it was approved"))
            }
        }
    }
}

impl Inner {
    /// The workspace's files.
    fn files(&self) -> Workspace {
        Workspace::named(&self.home, &self.workspace)
    }

    /// What checks of a source are kept under.
    fn key(&self, slug: &str) -> String {
        let own = self.workspace != DEFAULT_WORKSPACE && is_own(&self.files(), slug);
        workspace::source_key(if own { &self.workspace } else { "" }, slug)
    }

    /// Changes whenever a source is ended by hand.
    fn ended_so_far(&self, slug: &str) -> u64 {
        self.ended.lock().get(slug).copied().unwrap_or_default()
    }

    fn with<T>(&self, slug: &str, change: impl FnOnce(&mut LiveSource) -> T) -> T {
        change(self.known.lock().entry(slug.to_owned()).or_default())
    }

    async fn entry(&self, slug: &str) -> Result<Entry, Problem> {
        let (workspace, asked) = (self.files(), slug.to_owned());
        let (config, own) = blocking(move || {
            if switches::off(&workspace).contains(&asked) {
                return Err(Problem::new(ErrorCode::InvalidInput, "it is switched off")
                    .with_action("switch it on on the Sources page"));
            }
            let config = workspace.source(&asked).map_err(|error| error.problem())?;
            Ok((config, is_own(&workspace, &asked)))
        })
        .await?;
        let approval = Approval::read(&self.store, &config, own).await?;
        Ok(Entry { config, approval })
    }

    /// Whether the secrets of a source are there and may go where it leads.
    async fn check_secrets(&self, config: &SourceConfig) -> Result<(), Problem> {
        if config.secrets().is_empty() {
            return Ok(());
        }
        let (vault, config) = (self.vault.clone(), config.clone());
        blocking(move || secrets::resolve(&vault, &config).map(drop)).await
    }

    /// Where calls are made that no session makes.
    fn call_context(&self, slug: &str) -> CallContext {
        CallContext {
            session: String::new(),
            run: String::new(),
            call: "by-hand".to_owned(),
            mode: Mode::Ask,
            folders: Vec::new(),
            own: self.home.join("cache").join("sources").join(slug),
        }
    }

    /// Which files no `local` source shows: those that rules bar, also where no conversation has told it yet.
    fn hidden(&self) -> tools::Hidden {
        // It is asked for files alone.
        let unconfined = tools::confine::Confinement::None { why: String::new() };
        let decisions = Decisions::new(self.store.clone(), &self.home, self.config.clone(), unconfined);
        let workspace = self.workspace.clone();
        let told = self.hidden.get().cloned();
        Arc::new(move |at: &CallContext, path: &Path| match &told {
            // A session's own workspace decides; what is called by hand has none.
            Some(hides) if !at.session.is_empty() => hides(at, path),
            Some(_) | None => decisions.is_denied_in(&workspace, &at.session, &at.folders, path),
        })
    }

    fn used(&self, slug: &str) {
        self.with(slug, |known| known.used_at = Some(now_ms()));
    }
}

/// Whether a person's own source stands in the folder, be it in place of a shipped one.
pub fn is_own(workspace: &Workspace, slug: &str) -> bool {
    workspace.root().join("sources").join(slug).is_dir()
}

fn not_approved(why: &str) -> Problem {
    Problem::new(ErrorCode::InvalidConfig, why).with_action("look at it on the Sources page and approve it")
}

fn failure_text(slug: &str, problem: &Problem) -> String {
    match &problem.action {
        Some(action) => format!("source {slug}: {}; {action}", problem.message),
        None => format!("source {slug}: {}", problem.message),
    }
}

/// The folder of a `local` source, which has to be there.
fn folder_of(config: &SourceConfig) -> Result<PathBuf, Problem> {
    let path = config.local.as_ref().map(|local| local.path.as_str()).unwrap_or_default();
    let full = match (path.strip_prefix('~'), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(path),
    };
    match full.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder),
        Ok(_) | Err(_) => {
            Err(Problem::new(ErrorCode::Source, format!("there is no folder {}", full.display()))
                .with_action("correct the path in its config.json"))
        }
    }
}
