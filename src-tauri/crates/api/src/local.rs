//! The api over an engine in this process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::{ErrorCode, Problem, RunId};
use engine::{Engine, Form, HostFactory, Loaded, Parts, SourceHosts, StartRun, UiEvent, status_word};
use pipeline::{Phase, Record, Status};
use serde_json::Value;
use store::{BlobHash, DataDir, RunCursor, RunFilter, Store};
use tokio::sync::broadcast;
use workspace::Workspace;

use crate::corpus;
use crate::request::{DocumentText, Request, Response, RunPage, RunRef, RunRow, RunState, StageRow};

/// Statuses of runs that can be resumed.
const OPEN: [&str; 4] = ["running", "paused", "suspended", "failed"];
/// Events given at once.
const EVENT_PAGE: u32 = 1_000;

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
    engine: Arc<Engine>,
    home: PathBuf,
}

impl Local {
    /// Takes the data directory and opens its database.
    pub async fn open(options: Options) -> Result<Self, Problem> {
        let dir = DataDir::open(&options.home)?;
        let stamp = corpus::now_ms().to_string();
        let store = Store::open(&dir, &stamp).await?;
        let mut providers: BTreeMap<String, Arc<dyn llm::Provider>> = options.providers;
        providers.entry("offline".to_owned()).or_insert_with(|| Arc::new(llm::OfflineEngine));
        let home = dir.path().to_owned();
        let hosts = options.hosts.unwrap_or_else(|| {
            Arc::new(SourceHosts { home: home.clone(), program: options.program.clone() })
        });
        let engine = Engine::new(Parts {
            store,
            home: home.clone(),
            templates: Arc::default(),
            providers,
            hosts,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        });
        Ok(Self { engine: Arc::new(engine), home })
    }

    /// The data directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Tells of everything from now on.
    pub fn subscribe(&self) -> broadcast::Receiver<UiEvent> {
        self.engine.subscribe()
    }

    /// Closes the database. Runs under way must have been waited for or suspended.
    pub async fn close(&self) -> Result<(), Problem> {
        self.engine.parts().store.close().await.map_err(Problem::from)
    }

    /// Carries out a command.
    pub async fn call(&self, request: Request) -> Result<Response, Problem> {
        match request {
            Request::RunStart(start) => self.start(*start).await.map(Response::Run),
            Request::RunResume { run, attend } => {
                let run = self.find(&run).await?;
                self.engine.resume(&run, attend).await?;
                Ok(Response::Run(run))
            }
            Request::RunAnswer { run, pause, reply, attend } => {
                self.engine.answer(&run, pause, *reply, attend).await.map(Response::Answered)
            }
            Request::RunGuide { run, text } => self.engine.guide(&run, text).await.map(|()| Response::Done),
            Request::RunCancel { run } => {
                let run = self.find(&run).await?;
                self.engine.cancel(&run).await.map(|()| Response::Done)
            }
            Request::RunSuspend { run } => self.engine.suspend(&run).await.map(|()| Response::Done),
            Request::RunList { limit, agent, status, before } => {
                let filter = RunFilter { session: None, agent, statuses: status.into_iter().collect() };
                let page = self
                    .engine
                    .parts()
                    .store
                    .list_runs(&filter, before.map(RunCursor), limit.clamp(1, 1_000))
                    .await?;
                Ok(Response::Runs(RunPage {
                    runs: page.runs.into_iter().map(row).collect(),
                    next: page.next.map(|cursor| cursor.0),
                }))
            }
            Request::RunShow { run, events_after, outputs } => {
                let run = self.find(&run).await?;
                let loaded = self.engine.load(&run).await?;
                let state = self.state(loaded, events_after, outputs).await?;
                Ok(Response::RunState(Box::new(state)))
            }
            Request::RunExport { run } => {
                let run = self.find(&run).await?;
                let loaded = self.engine.load(&run).await?;
                let path = self.engine.export(loaded).await?;
                Ok(Response::Exported(path.map(|path| path.to_string_lossy().into_owned())))
            }
            Request::RunDocument { run } => {
                let run = self.find(&run).await?;
                let loaded = self.engine.load(&run).await?;
                let document = self.engine.document(loaded).await?;
                Ok(Response::Document(document.map(|(markdown, html)| DocumentText { markdown, html })))
            }
        }
    }

    async fn start(&self, start: StartRun) -> Result<RunId, Problem> {
        let workspace = Workspace::open(&self.home);
        let agent = workspace.agent(&start.agent).map_err(|error| error.problem())?;
        let slugs: Vec<String> = agent.config.sources.iter().map(|source| source.slug.clone()).collect();
        let mut sources = Vec::new();
        for slug in &slugs {
            sources.push(workspace.source(slug).map_err(|error| error.problem())?);
        }
        let base = start.corpus.clone().or_else(|| agent.config.default_corpus.clone());
        let corpus = match base {
            Some(base) => {
                let home = self.home.clone();
                let shipped_by = slugs.clone();
                let resolved =
                    tokio::task::spawn_blocking(move || corpus::resolve(&home, &base, &shipped_by)).await;
                Some(resolved.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))??)
            }
            None if !needs_corpus(&sources) => None,
            None => {
                let known = knowledge::list_bases(&self.home).map_err(corpus::problem)?;
                let names: Vec<String> = known.into_iter().map(|base| base.name).collect();
                let known = if names.is_empty() {
                    "none has been ingested yet".to_owned()
                } else {
                    format!("there are {}", names.join(", "))
                };
                return Err(Problem::new(
                    ErrorCode::InvalidInput,
                    format!("agent {} needs a knowledge base; {known}", start.agent),
                )
                .with_action(
                    "name one with --corpus; `agentnative kb ingest <folder> --base <name>` makes one",
                ));
            }
        };
        self.engine.start(agent, sources, corpus, start).await
    }

    /// The run that a reference names.
    async fn find(&self, run: &RunRef) -> Result<RunId, Problem> {
        let none =
            |what: &str| Problem::new(ErrorCode::NotFound, format!("nothing to resume: there is no {what}"));
        match run {
            RunRef::Last => self.engine.latest(&RunFilter::default()).await?.ok_or_else(|| none("run yet")),
            RunRef::LastOpen => {
                let last = self.engine.latest(&RunFilter::default()).await?.ok_or_else(|| none("run yet"))?;
                let open = RunFilter {
                    statuses: OPEN.iter().map(|word| (*word).to_owned()).collect(),
                    ..RunFilter::default()
                };
                // The newest run counts even when it has finished: resuming it says so instead of waking an older one.
                Ok(self.engine.latest(&open).await?.unwrap_or(last))
            }
            RunRef::Id(id) => {
                let id = id.trim();
                let full = if id.starts_with("run-") { id.to_owned() } else { format!("run-{id}") };
                if self.engine.parts().store.get_run(&full).await.is_ok() {
                    return Ok(RunId(full));
                }
                let page = self.engine.parts().store.list_runs(&RunFilter::default(), None, 1_000).await?;
                let mut hits =
                    page.runs.into_iter().filter(|run| run.id.starts_with(&full) || run.session == id);
                match (hits.next(), hits.next()) {
                    (Some(run), None) => Ok(RunId(run.id)),
                    (Some(_), Some(_)) => Err(Problem::new(
                        ErrorCode::InvalidInput,
                        format!("{id} names several runs; give more of the id"),
                    )),
                    (None, _) => Err(Problem::new(ErrorCode::NotFound, format!("there is no run {id}"))
                        .with_action("`agentnative runs` lists them")),
                }
            }
        }
    }

    async fn state(
        &self,
        loaded: Loaded,
        events_after: Option<u64>,
        outputs: bool,
    ) -> Result<RunState, Problem> {
        let Loaded { run, state, pinned, .. } = loaded;
        let store = &self.engine.parts().store;
        let stages = pinned.config.control_flow.stages.iter().zip(&state.stages);
        let rows = stages.clone().map(|(config, stage)| StageRow {
            id: config.id.clone(),
            title: config.title.clone(),
            phase: phase_word(stage.phase).to_owned(),
            attempt: stage.attempt,
            iteration: stage.iteration,
            summary: match (&stage.skipped, stage.phase) {
                (Some((_, why)), Phase::Skipped) => why.clone(),
                _ => stage.summary.clone(),
            },
            usage: stage.usage,
            cost: stage.cost,
            warnings: stage.warnings.clone(),
        });
        let rows = rows.collect();
        let mut pauses: Vec<Form> = Vec::new();
        for form in state.open_pauses().filter_map(|pause| pause.form) {
            let value = json_blob(store, form).await?;
            pauses.extend(serde_json::from_value::<Form>(value).ok());
        }
        let outputs = if outputs {
            let mut map = serde_json::Map::new();
            for (config, stage) in stages {
                if let Some(output) = stage.output {
                    map.insert(config.name.clone(), json_blob(store, output).await?);
                }
            }
            Some(Value::Object(map))
        } else {
            None
        };
        let mut events: Vec<Record> = Vec::new();
        if let Some(after) = events_after {
            for batch in store.load_events_from(&run.0, after, EVENT_PAGE).await? {
                let records = engine::decode_log(&batch.bytes)?;
                events.extend(records.into_iter().filter(|record| record.seq > after));
            }
            events.truncate(EVENT_PAGE as usize);
        }
        let start = state.start.as_ref();
        Ok(RunState {
            session: start.map(|start| start.session.0.clone()).unwrap_or_default(),
            agent: start.map(|start| start.agent.0.clone()).unwrap_or_default(),
            request: start.map(|start| start.request.clone()).unwrap_or_default(),
            status: match state.status() {
                // In the log it runs; nobody drives it now.
                Status::Running if !self.engine.is_live(&run) => "interrupted".to_owned(),
                status => status_word(status).to_owned(),
            },
            seq: state.seq,
            stages: rows,
            pauses,
            usage: state.usage,
            cost: state.cost,
            doubtful: state.doubtful.cost,
            maybe_paid_twice: state.maybe_paid_twice,
            active_ms: state.active_ms,
            problem: state.failure.map(|(_, problem)| problem),
            events,
            outputs,
            run,
        })
    }
}

/// Whether a source is started for one knowledge base: then its arguments name it.
fn needs_corpus(sources: &[workspace::SourceConfig]) -> bool {
    let args = |source: &workspace::SourceConfig| {
        source.mcp.as_ref().is_some_and(|mcp| mcp.args.iter().any(|arg| arg.contains("corpus")))
    };
    sources.iter().any(args)
}

async fn json_blob(store: &Store, digest: domain::Digest) -> Result<Value, Problem> {
    let bytes = store.get_blob(BlobHash::from_bytes(digest.0)).await?;
    serde_json::from_slice(&bytes).map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))
}

fn row(run: store::Run) -> RunRow {
    RunRow {
        run: RunId(run.id),
        session: run.session,
        agent: run.agent,
        status: run.status,
        title: run.title,
        created_at: run.created_at,
        updated_at: run.updated_at,
    }
}

fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::Pending => "pending",
        Phase::Running => "running",
        Phase::Completed => "completed",
        Phase::Skipped => "skipped",
        Phase::Failed => "failed",
    }
}
