//! Commands on runs.

mod adoption;
mod attached;
mod check;
mod compare;
mod history;
mod locks;
mod named;
mod progress;
mod stage;
mod stale;
mod state;
mod tokens;

use std::path::Path;

use domain::agent::Stage;
use domain::{ErrorCode, Mode, Problem, RunForecast, RunId, RunStatus, SessionId, UserMessage};
use engine::turn::ChatHost as _;
use engine::{ExportCheck, PausePolicy, Replay, ResolvedAgent, StartRun};
use library::corpus;
use pipeline::Start;
use protocol::{ForecastQuery, RunPage, RunRef, RunRow};
use serde_json::Value;
use store::{RunCursor, RunFilter};
use workspace::Agent;

use crate::Conversations;
use attached::{Earlier, own_base};

/// The kind of a staged run's row.
const RUN: &str = "run";

/// Staged runs alone, no turns.
fn of_stages() -> RunFilter {
    RunFilter { kind: RUN.to_owned(), ..RunFilter::default() }
}

impl Conversations {
    /// Starts a run. In a session that has an answer of the same agent it follows that up.
    pub async fn run_start(&self, mut start: StartRun) -> Result<RunId, Problem> {
        let mut earlier = Earlier::default();
        if let Some(run) = start.base.as_ref().map(|base| base.run.clone()) {
            earlier = self.as_before(&run, &mut start).await?;
            if !start.attachments.is_empty() {
                earlier = Earlier::default();
            }
        }
        if start.session.as_deref().is_some_and(|session| !support::is_session_id(session)) {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                "a session's id has 1 to 100 letters, digits, dots, hyphens or underscores",
            ));
        }
        if let Some(session) = &start.session {
            self.no_run_id(session).await?;
        }
        let workspace = self.env.files();
        start.workspace = self.env.stored_slug();
        let agent = workspace.agent(&start.agent).map_err(|error| error.problem())?;
        if agent.config.control_flow.stages.is_empty() {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                format!("agent {} has no stages: it answers in conversations and starts no run", start.agent),
            )
            .with_action(format!(
                "mention @{0} in a message, or use `agentnative chat --agent {0}`",
                start.agent
            )));
        }
        if start.previous.is_none()
            && agent.config.follow_up.enabled
            && let Some(session) = &start.session
        {
            let answered = RunFilter {
                session: Some(session.clone()),
                agent: Some(start.agent.clone()),
                statuses: vec![RunStatus::Completed.to_string()],
                kind: RUN.to_owned(),
                ..RunFilter::default()
            };
            start.previous = self.env.engine.latest(&answered).await?;
        }
        // A follow-up keeps what went with the question before it.
        if let (None, Some(previous)) = (&start.base, &start.previous)
            && let Ok(before) = self.env.engine.load(previous).await
        {
            earlier = Earlier::of(&before);
        }
        if agent.input_schema.is_some() && start.inputs.is_none() {
            start.inputs = self.earlier_inputs(&start).await?;
        }
        if let Some(folder) = start.adopt.clone() {
            let (of, inputs, files) = (agent.clone(), start.inputs.take(), self.env.files());
            let adopted =
                support::blocking(move || adoption::adopt(&of, &files.agents(), &folder, inputs)).await?;
            start.inputs = Some(adopted);
        }
        engine::prepare(&mut start, &agent)?;
        let begins = match &start.session {
            Some(session) => self.env.store().get_session(session).await?.is_none(),
            None => true,
        };
        if begins {
            let happened = self.permissions.about_to_begin(Some(&start.agent), &start.request);
            self.permissions.allowed(happened).await?;
        }
        let happened =
            self.permissions.about_to_run(start.session.as_deref(), &start.agent, &start.request).await;
        self.permissions.allowed(happened).await?;
        let (connection, model) = self
            .connections
            .choose_connection(
                start.connection.take(),
                start.model.take(),
                start.session.as_deref(),
                &agent.config,
            )
            .await?;
        (start.connection, start.model) = (Some(connection), model);
        let mode = match &start.session {
            Some(session) => self.chat.setup(&SessionId(session.clone())).await?.mode,
            None => start.mode.unwrap_or_default(),
        };
        if !begins && start.mode.is_some_and(|wanted| wanted != mode) {
            let what =
                format!("the session is in the mode {:?}, and a run does not change that", mode.as_str());
            return Err(Problem::new(ErrorCode::InvalidInput, what)
                .with_action("leave the mode out, or change it in the session first"));
        }
        let asked = start.corpus.as_ref().filter(|base| Path::new(base).is_absolute());
        if let Some(folder) = documents(&agent, start.inputs.as_ref()).or_else(|| asked.cloned()) {
            start.corpus = Some(library::intake::folder(&self.env, &folder).await?);
        }
        // A follow-up asks the texts of the answer that it follows.
        let base = match (&start.corpus, &start.previous) {
            (Some(base), _) => Some(base.clone()),
            (None, Some(previous)) => self.base_of(previous).await?,
            (None, None) => None,
        };
        if start.previous.is_some() && start.pause_at_plan.is_none() {
            start.pause_at_plan = Some(self.env.settings_show().await?.pause_follow_ups);
        }
        let Earlier { given, session: of } = earlier;
        let given = self.given(start.session.as_deref(), &start.attachments, given).await?;
        let attaches = !given.documents.is_empty();
        let resolved = self.resolved(agent, base.clone(), mode, attaches).await?;
        start.children = self.children(&resolved.agent, base, mode, attaches).await?;
        // How much a repetition takes over is not known beforehand.
        start.forecast = if start.base.is_none() { self.foreseen(&start).await } else { None };
        // Before it starts: where they can't be kept, nothing was started.
        if attaches || !start.attachments.is_empty() {
            let session = self.session_for(&start).await?;
            self.take_attachments(&session, &start.attachments).await?;
            self.take_from(of.as_deref(), &session, &given.documents).await?;
            start.session = Some(session);
        }
        let ready = self.with_given(given, resolved, &mut start).await;
        if let (Err(_), Some(session)) = (&ready, &start.session)
            && self.env.store().get_session(session).await?.is_none()
        {
            // No session will ever have the base that was made for it.
            let (home, own) = (self.env.home.clone(), session.clone());
            let _ = support::blocking(move || Ok(knowledge::remove_session_bases(&home, &own))).await?;
        }
        let ResolvedAgent { agent, sources, corpus } = ready?;
        let message = UserMessage { text: start.request.clone(), ..UserMessage::default() };
        let named = start.budget_usd;
        let run = self.env.engine.start(agent, sources, corpus, start).await?;
        let row = self.env.store().get_run(&run.0).await?;
        let session = row.session;
        let connection = self.env.store().get_session(&session).await?;
        let connection = connection.map(|session| session.connection).unwrap_or_default();
        self.connections.allow_run(&run, &connection, named).await?;
        self.sessions.label_by(&session, &message).await;
        Ok(run)
    }

    /// The session that a run will belong to: the one that it names, that of the run which it follows, or a new one.
    async fn session_for(&self, start: &StartRun) -> Result<String, Problem> {
        if let Some(session) = &start.session {
            return Ok(session.clone());
        }
        if let Some(previous) = &start.previous
            && let Ok(row) = self.env.store().get_run(&previous.0).await
        {
            return Ok(row.session);
        }
        Ok(self.env.engine.new_session().await?.0)
    }

    /// Fills in what a run that repeats another was not told, and gives what went with its question.
    async fn as_before(&self, run: &RunId, start: &mut StartRun) -> Result<Earlier, Problem> {
        let loaded = self.env.engine.load(run).await?;
        let before = loaded.state.start.as_ref();
        let before =
            before.ok_or_else(|| Problem::new(ErrorCode::Corrupt, format!("run {run} has no start")))?;
        if let Some(parent) = &before.parent {
            let what = format!("run {run} works for run {}: it can't be repeated by itself", parent.run);
            return Err(Problem::new(ErrorCode::InvalidInput, what)
                .with_action(format!("repeat run {} instead", parent.run)));
        }
        if self.env.engine.is_live(run) {
            let what = format!("run {run} is under way");
            return Err(Problem::new(ErrorCode::Conflict, what).with_action("wait for its end, or cancel it"));
        }
        if start.agent.is_empty() {
            before.agent.0.clone_into(&mut start.agent);
        }
        if start.request.trim().is_empty() {
            // A run that was called after its inputs is called after the new ones.
            let earlier = self.inputs_of(before).await?;
            let called = earlier.as_ref().and_then(|inputs| inputs.get("title")?.as_str());
            let title =
                start.input_title().filter(|_| called.map(str::trim) == Some(before.request.as_str()));
            start.request = title.unwrap_or(&before.request).to_owned();
        }
        let pinned = &loaded.pinned;
        if start.connection.is_none() {
            start.connection = Some(pinned.connection.clone());
            start.model = start.model.take().or_else(|| Some(pinned.model.clone()));
        }
        // Another agent has depths and a knowledge base of its own, and another question follows nothing up.
        if start.agent == before.agent.0 {
            start.depth = start.depth.take().or_else(|| before.depth.clone());
            // Another base that has this name in the session's workspace by now is not the one that was asked.
            let known = own_base(pinned).map(|corpus| (self.env.bases().find(&corpus.base), &corpus.base));
            start.corpus = start.corpus.take().or_else(|| match known? {
                (Ok(base), id) => (base.id == *id).then_some(base.name),
                (Err(_), id) => Some(id.clone()),
            });
        }
        if start.agent != before.agent.0 || start.request.trim() != before.request {
            return Ok(Earlier::default());
        }
        start.previous = start.previous.take().or_else(|| before.previous.clone());
        Ok(Earlier::of(&loaded))
    }

    /// The inputs of the run of the same agent that a new one repeats or follows up.
    async fn earlier_inputs(&self, start: &StartRun) -> Result<Option<Value>, Problem> {
        let base = start.base.as_ref().map(|base| &base.run);
        let Some(earlier) = base.or(start.previous.as_ref()) else { return Ok(None) };
        let loaded = self.env.engine.load(earlier).await?;
        match loaded.state.start.as_ref().filter(|before| before.agent.0 == start.agent) {
            Some(before) => self.inputs_of(before).await,
            None => Ok(None),
        }
    }

    /// What a run was given besides its question.
    pub(crate) async fn inputs_of(&self, start: &Start) -> Result<Option<Value>, Problem> {
        match start.inputs {
            Some(digest) => self.env.value(digest).await.map(Some),
            None => Ok(None),
        }
    }

    /// An agent with its sources and its knowledge base: the one that is asked for, else its own. It may have none where documents
    /// are attached.
    pub(crate) async fn resolved(
        &self,
        mut agent: Agent,
        base: Option<String>,
        mode: Mode,
        attaches: bool,
    ) -> Result<ResolvedAgent, Problem> {
        let slugs: Vec<String> = agent.config.sources.iter().map(|source| source.slug.clone()).collect();
        let files = self.env.files();
        let mut sources = Vec::new();
        for slug in &slugs {
            sources.push(files.source(slug).map_err(|error| error.problem())?);
        }
        self.sources.tools().startable(&mut agent.config, &sources).await?;
        self.permissions.stages_granted(&agent, &sources, mode).await?;
        // An agent that only starts others' runs leaves the base to them.
        let starts_others = agent.config.control_flow.stages.iter().any(|stage| stage.agent.is_some());
        let base = base.filter(|_| !(starts_others && slugs.is_empty()));
        let corpus = match base.or_else(|| agent.config.default_corpus.clone()) {
            Some(base) => {
                let shelf = self.env.bases();
                let resolved =
                    tokio::task::spawn_blocking(move || corpus::resolve(&shelf, &base, &slugs)).await;
                Some(resolved.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))??)
            }
            None if attaches || !needs_corpus(&sources) => None,
            None => return Err(self.no_base(&agent.config.slug.0)),
        };
        Ok(ResolvedAgent { agent, sources, corpus })
    }

    fn no_base(&self, agent: &str) -> Problem {
        let names = self.env.bases().names();
        let known = if names.is_empty() {
            "none has been ingested yet".to_owned()
        } else {
            format!("the knowledge bases are {}", names.join(", "))
        };
        Problem::new(ErrorCode::InvalidInput, format!("agent {agent} needs a knowledge base; {known}"))
            .with_action("name one with --corpus; `agentnative kb ingest <folder> --base <name>` makes one")
    }

    /// The agents whose runs an agent's stages may start, and theirs, each once.
    async fn children(
        &self,
        agent: &Agent,
        base: Option<String>,
        mode: Mode,
        attaches: bool,
    ) -> Result<Vec<ResolvedAgent>, Problem> {
        let slugs = |agent: &Agent| -> Vec<String> {
            let stages = agent.config.control_flow.stages.iter();
            stages.flat_map(Stage::child_agents).map(str::to_owned).collect()
        };
        let (mut open, mut found) = (slugs(agent), Vec::<ResolvedAgent>::new());
        while let Some(slug) = open.pop() {
            if found.iter().any(|known| known.agent.config.slug.0 == slug) {
                continue;
            }
            let child = self.env.files().agent(&slug).map_err(|error| error.problem())?;
            open.extend(slugs(&child));
            // An agent that uses no base is not given one.
            let base = base
                .clone()
                .filter(|_| child.config.default_corpus.is_some() || !child.config.sources.is_empty());
            found.push(self.resolved(child, base, mode, attaches).await?);
        }
        Ok(found)
    }

    /// What a run is expected to use. What can't be told keeps no run from starting.
    async fn foreseen(&self, start: &StartRun) -> Option<RunForecast> {
        let query = ForecastQuery {
            agent: start.agent.clone(),
            depth: start.depth.clone(),
            connection: start.connection.clone(),
            model: start.model.clone(),
            request: start.request.clone(),
        };
        let forecast = self.connections.run_forecast(query).await;
        forecast
            .inspect_err(|problem| tracing::warn!("a run starts without a forecast: {problem}"))
            .ok()
            .map(|one| one.range)
    }

    /// The knowledge base that a run asked, while there is one of that name.
    async fn base_of(&self, run: &RunId) -> Result<Option<String>, Problem> {
        let loaded = self.env.engine.load(run).await?;
        let Some(corpus) = own_base(&loaded.pinned) else { return Ok(None) };
        // One that the session's workspace does not have, since the session was moved, is not asked anew.
        Ok(self
            .env
            .bases()
            .find(&corpus.base)
            .ok()
            .filter(|base| base.id == corpus.base)
            .map(|base| base.name))
    }

    /// Goes on with a run that was interrupted, waits, or failed.
    pub async fn run_resume(&self, run: &RunRef, attend: PausePolicy) -> Result<RunId, Problem> {
        let run = self.find(run).await?;
        self.env.engine.resume(&run, attend).await?;
        Ok(run)
    }

    /// Ends a run for good.
    pub async fn run_cancel(&self, run: &RunRef) -> Result<(), Problem> {
        let run = self.find(run).await?;
        self.env.engine.cancel(&run).await
    }

    /// Lists runs, newest first; `turns`: those of conversations too.
    pub async fn run_list(
        &self,
        limit: u32,
        agent: Option<String>,
        status: Option<RunStatus>,
        before: Option<i64>,
        turns: bool,
    ) -> Result<RunPage, Problem> {
        let kinds = if turns { RunFilter::default() } else { of_stages() };
        let statuses = status.iter().map(ToString::to_string).collect();
        let filter = RunFilter { agent, statuses, workspace: Some(self.env.slug().to_owned()), ..kinds };
        let page = self.env.store().list_runs(&filter, before.map(RunCursor), limit.clamp(1, 1_000)).await?;
        Ok(RunPage { runs: page.runs.into_iter().map(row).collect(), next: page.next.map(|cursor| cursor.0) })
    }

    /// Recomputes a stored run or turn; with `redrive` a staged run is driven again in a scratch folder.
    pub async fn run_replay(&self, run: &RunRef, redrive: bool) -> Result<Replay, Problem> {
        let found = self.run_find(run).await?;
        if !redrive {
            return self.env.engine.replay(&found.run).await;
        }
        let scratch = tempfile::TempDir::new().map_err(|error| {
            Problem::new(ErrorCode::Storage, format!("no scratch folder can be made: {error}"))
        })?;
        self.env.engine.redrive(&found.run, scratch.path()).await
    }

    /// Writes a run's files again. Refused when a sentence's record does not hold any more.
    pub async fn run_export(&self, run: &RunRef, checking: ExportCheck) -> Result<Option<String>, Problem> {
        let run = self.find_for(run, "a document of its own").await?;
        let loaded = self.env.engine.load(&run).await?;
        let path = self.env.engine.export(loaded, checking).await?;
        Ok(path.map(|path| path.to_string_lossy().into_owned()))
    }
}

/// The folder among a run's inputs whose documents are its knowledge base.
fn documents(agent: &Agent, inputs: Option<&Value>) -> Option<String> {
    let name = environment::documents_input(agent.input_schema.as_ref())?;
    inputs?.get(name)?.as_str().map(str::to_owned)
}

/// Whether a source is started for one knowledge base: then its arguments name it.
pub(crate) fn needs_corpus(sources: &[workspace::SourceConfig]) -> bool {
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
        status: RunStatus::stored(&run.status),
        title: run.title,
        created_at: run.created_at,
        updated_at: run.updated_at,
    }
}
