//! Sources of conversations: what of them a model is offered, and what runs for them.
//!
//! One pool for all sessions. A source is started when one of its tools is called, or when its tools were never listed;
//! what it offers meanwhile comes from what the person approved. A tool that changed since then is neither offered nor
//! called.

mod approval;
mod calls;
mod checks;
mod login_path;
mod mcp;
mod mcp_sign_in;
mod rest;
mod rest_tool;
mod secrets;
mod switches;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use ::secrets::Vault;
use ::sources::rest::Rest;
use ::sources::{Pool, Source};
use domain::{Digest, ErrorCode, Problem};
use store::Store;
use tools::Tool;
use workspace::{SourceConfig, SourceType, Workspace};

use crate::corpus::now_ms;
use crate::desk::aside;

pub(crate) use approval::{Approval, Listed, Standing};
pub(crate) use calls::{Failed, State};
pub(crate) use rest::read_address;
pub(crate) use rest_tool::listed as listed_operations;
pub(crate) use secrets::{forget as forget_secrets, keep as keep_secrets, presence};

/// How long a source that nobody calls is kept running.
const IDLE: Duration = Duration::from_secs(600);

/// The sources of a data directory. Cheap to clone; clones share what runs.
#[derive(Clone)]
pub(crate) struct SourceTools {
    inner: Arc<Inner>,
}

struct Inner {
    home: PathBuf,
    program: PathBuf,
    store: Store,
    vault: Vault,
    pool: Pool,
    tokens: OnceLock<::secrets::Tokens>,
    known: Mutex<BTreeMap<String, Known>>,
    login: login_path::LoginPath,
    hidden: OnceLock<tools::Hidden>,
}

/// What is known of a source in this process.
#[derive(Default)]
struct Known {
    running: Vec<Source>,
    starting: u32,
    problem: Option<Problem>,
    log: String,
    listed: Option<Vec<Listed>>,
    changed: BTreeSet<String>,
    rest: Option<(Digest, Rest)>,
    prepared: Option<mcp::Prepared>,
    used_at: Option<i64>,
}

/// A source as its files and what was approved of it say.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) config: SourceConfig,
    pub(crate) approval: Approval,
}

impl SourceTools {
    /// Starts no source.
    pub(crate) fn new(home: &Path, program: PathBuf, store: Store, vault: Vault) -> Self {
        let pool = Pool::with_idle(Some(program.clone()), None, IDLE);
        let inner = Arc::new(Inner {
            home: home.to_owned(),
            login: login_path::LoginPath::default(),
            program,
            store,
            vault,
            pool,
            tokens: OnceLock::new(),
            known: Mutex::default(),
            hidden: OnceLock::new(),
        });
        checks::begin(&inner);
        Self { inner }
    }

    /// Says which files no `local` source shows.
    pub(crate) fn hide(&self, hidden: tools::Hidden) {
        // The first word holds.
        let _ = self.inner.hidden.set(hidden);
    }

    /// Tools of these sources as far as they can be used, and a word on those that can't.
    pub(crate) async fn tools(&self, slugs: &[String]) -> (Vec<Arc<dyn Tool>>, Vec<String>) {
        if !slugs.is_empty() {
            self.inner.login.begin();
        }
        let (mut tools, mut notes) = (Vec::new(), Vec::new());
        let (mut slugs_seen, mut names) = (BTreeSet::new(), BTreeSet::new());
        for slug in slugs.iter().filter(|slug| slugs_seen.insert(slug.as_str())) {
            match self.offered(slug).await {
                Ok((offered, note)) => {
                    notes.extend(note);
                    tools.extend(offered.into_iter().filter(|tool| names.insert(tool.info().name.clone())));
                }
                Err(problem) => notes.push(told(slug, &problem)),
            }
        }
        (tools, notes)
    }

    /// Guides of these sources, where they have one.
    pub(crate) async fn guides(&self, slugs: &[String]) -> Vec<(String, String)> {
        let (home, slugs) = (self.inner.home.clone(), slugs.to_vec());
        let read = aside(move || {
            let workspace = Workspace::open(&home);
            let off = switches::off(&home);
            let mut seen = BTreeSet::new();
            let wanted = slugs.into_iter().filter(|slug| seen.insert(slug.clone()) && !off.contains(slug));
            Ok(wanted.filter_map(|slug| workspace.source_guide(&slug).map(|guide| (slug, guide))).collect())
        });
        read.await.unwrap_or_default()
    }

    /// Ends all processes. Nothing can be started afterwards.
    pub(crate) async fn close(&self) {
        self.inner.pool.shutdown().await;
        self.inner.known().clear();
    }

    /// A source that is switched on.
    pub(crate) async fn entry(&self, slug: &str) -> Result<Entry, Problem> {
        self.inner.entry(slug).await
    }

    /// Slugs that are switched off.
    pub(crate) fn off(home: &Path) -> BTreeSet<String> {
        switches::off(home)
    }

    /// Switches a source off or on.
    pub(crate) async fn switch(&self, slug: &str, on: bool) -> Result<(), Problem> {
        let (home, slug_of) = (self.inner.home.clone(), slug.to_owned());
        aside(move || switches::switch(&home, &slug_of, on)).await?;
        if !on {
            self.end(slug).await;
        }
        Ok(())
    }

    /// Ends what runs for a source and forgets what is known of it.
    pub(crate) async fn end(&self, slug: &str) {
        let known = self.inner.known().remove(slug);
        for source in known.map(|known| known.running).unwrap_or_default() {
            source.close().await;
        }
    }

    async fn offered(&self, slug: &str) -> Result<(Vec<Arc<dyn Tool>>, Option<String>), Problem> {
        let entry = self.inner.entry(slug).await?;
        match entry.approval.standing {
            Standing::Approved { .. } => {}
            Standing::New => return Err(not_approved("it has not been approved yet")),
            Standing::Changed => {
                return Err(not_approved("what it runs or reaches has changed since it was approved"));
            }
        }
        self.inner.check_secrets(&entry.config).await?;
        match entry.config.kind {
            SourceType::Mcp => mcp::offered(&self.inner, &entry).await,
            SourceType::Api => rest_tool::offered(&self.inner, &entry).await,
            SourceType::Local => {
                let folder = folder_of(&entry.config)?;
                Ok((tools::of_folder(slug, folder, true, self.inner.hidden.get().cloned()), None))
            }
        }
    }
}

impl Inner {
    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, slug: &str, change: impl FnOnce(&mut Known) -> T) -> T {
        change(self.known().entry(slug.to_owned()).or_default())
    }

    async fn entry(&self, slug: &str) -> Result<Entry, Problem> {
        let (home, asked) = (self.home.clone(), slug.to_owned());
        let (config, own) = aside(move || {
            if switches::off(&home).contains(&asked) {
                return Err(Problem::new(ErrorCode::InvalidInput, "it is switched off")
                    .with_action("switch it on on the Sources page"));
            }
            let workspace = Workspace::open(&home);
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
        aside(move || secrets::resolve(&vault, &config).map(drop)).await
    }

    fn used(&self, slug: &str) {
        self.with(slug, |known| known.used_at = Some(now_ms()));
    }
}

/// Whether a person's own source stands in the folder, be it in place of a shipped one.
pub(crate) fn is_own(workspace: &Workspace, slug: &str) -> bool {
    workspace.root().join("sources").join(slug).is_dir()
}

fn not_approved(why: &str) -> Problem {
    Problem::new(ErrorCode::InvalidConfig, why).with_action("look at it on the Sources page and approve it")
}

fn told(slug: &str, problem: &Problem) -> String {
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
