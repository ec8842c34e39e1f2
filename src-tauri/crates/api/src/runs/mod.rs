//! Commands on runs.

mod history;
mod stage;
mod state;

use domain::{ErrorCode, Problem, RunId, UserMessage};
use engine::{Attend, Checking, StartRun};
use store::{RunCursor, RunFilter};

use crate::corpus;
use crate::local::Local;
use crate::wire::{RunPage, RunRef, RunRow};

/// Statuses of runs that can be resumed.
const OPEN: [&str; 4] = ["running", "paused", "suspended", "failed"];

/// The kind of a staged run's row.
const RUN: &str = "run";

/// Staged runs alone, no turns.
fn of_stages() -> RunFilter {
    RunFilter { kind: RUN.to_owned(), ..RunFilter::default() }
}

impl Local {
    /// Starts a run. In a session that has an answer of the same agent it follows that up.
    pub(crate) async fn run_start(&self, mut start: StartRun) -> Result<RunId, Problem> {
        if start.session.as_deref().is_some_and(|session| !crate::purging::is_name(session)) {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                "a session's id has 1 to 100 letters, digits, dots, hyphens or underscores",
            ));
        }
        let happened = self.about_to_run(start.session.as_deref(), &start.agent, &start.request).await;
        self.allowed(happened).await?;
        let workspace = self.files();
        start.workspace = self.kept_slug();
        let mut agent = workspace.agent(&start.agent).map_err(|error| error.problem())?;
        if start.previous.is_none()
            && agent.config.follow_up.enabled
            && let Some(session) = &start.session
        {
            let answered = RunFilter {
                session: Some(session.clone()),
                agent: Some(start.agent.clone()),
                statuses: vec!["completed".to_owned()],
                kind: RUN.to_owned(),
                ..RunFilter::default()
            };
            start.previous = self.engine.latest(&answered).await?;
        }
        let (connection, model) = self
            .choose_connection(
                start.connection.take(),
                start.model.take(),
                start.session.as_deref(),
                &agent.config,
            )
            .await?;
        (start.connection, start.model) = (Some(connection), model);
        let slugs: Vec<String> = agent.config.sources.iter().map(|source| source.slug.clone()).collect();
        let mut sources = Vec::new();
        for slug in &slugs {
            sources.push(workspace.source(slug).map_err(|error| error.problem())?);
        }
        self.sources().startable(&mut agent.config, &sources).await?;
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
        let message = UserMessage { text: start.request.clone(), ..UserMessage::default() };
        let run = self.engine.start(agent, sources, corpus, start).await?;
        let session = self.store().get_run(&run.0).await?.session;
        self.label_by(&session, &message).await;
        Ok(run)
    }

    pub(crate) async fn run_resume(&self, run: &RunRef, attend: Attend) -> Result<RunId, Problem> {
        let run = self.find(run).await?;
        self.engine.resume(&run, attend).await?;
        Ok(run)
    }

    pub(crate) async fn run_cancel(&self, run: &RunRef) -> Result<(), Problem> {
        let run = self.find(run).await?;
        self.engine.cancel(&run).await
    }

    pub(crate) async fn run_list(
        &self,
        limit: u32,
        agent: Option<String>,
        status: Option<String>,
        before: Option<i64>,
    ) -> Result<RunPage, Problem> {
        let filter = RunFilter { agent, statuses: status.into_iter().collect(), ..of_stages() };
        let page = self.store().list_runs(&filter, before.map(RunCursor), limit.clamp(1, 1_000)).await?;
        Ok(RunPage { runs: page.runs.into_iter().map(row).collect(), next: page.next.map(|cursor| cursor.0) })
    }

    pub(crate) async fn run_export(
        &self,
        run: &RunRef,
        checking: Checking,
    ) -> Result<Option<String>, Problem> {
        let run = self.find(run).await?;
        let loaded = self.engine.load(&run).await?;
        let path = self.engine.export(loaded, checking).await?;
        Ok(path.map(|path| path.to_string_lossy().into_owned()))
    }

    /// The run that a reference names.
    pub(crate) async fn find(&self, run: &RunRef) -> Result<RunId, Problem> {
        let none =
            |what: &str| Problem::new(ErrorCode::NotFound, format!("nothing to resume: there is no {what}"));
        match run {
            RunRef::Last => self.engine.latest(&of_stages()).await?.ok_or_else(|| none("run yet")),
            RunRef::LastOpen => {
                let last = self.engine.latest(&of_stages()).await?.ok_or_else(|| none("run yet"))?;
                let open = RunFilter {
                    statuses: OPEN.iter().map(|word| (*word).to_owned()).collect(),
                    ..of_stages()
                };
                // The newest run counts even when it has finished: resuming it says so instead of waking an older one.
                Ok(self.engine.latest(&open).await?.unwrap_or(last))
            }
            RunRef::Id(id) => {
                let id = id.trim();
                let full = if id.starts_with("run-") { id.to_owned() } else { format!("run-{id}") };
                if self.store().get_run(&full).await.is_ok() {
                    return Ok(RunId(full));
                }
                let page = self.store().list_runs(&of_stages(), None, 1_000).await?;
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
}

/// Whether a source is started for one knowledge base: then its arguments name it.
fn needs_corpus(sources: &[workspace::SourceConfig]) -> bool {
    let args = |source: &workspace::SourceConfig| {
        source.mcp.as_ref().is_some_and(|mcp| mcp.args.iter().any(|arg| arg.contains("corpus")))
    };
    sources.iter().any(args)
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
