//! The engine's host: tools, instructions, judgement, and the end of turns.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use access::DecisionRequest;
use async_trait::async_trait;
use config::AgentInstructions;
use domain::{
    AccessRequest, ErrorCode, Grant, Offer, Problem, Ruling, RunId, SessionId, SessionSetup, UserMessage,
};
use engine::Engine;
use engine::turn::{ChatHost, StageCall, TurnContext, TurnScope};
use environment::Diagrams;
use gate::{Caller, Gate, ToolRuntime};
use store::Store;
use support::blocking;
use tokio::sync::{Mutex, mpsc};
use tools::{CallContext, Tool};
use workspace::{DEFAULT_WORKSPACE, Workspace};
use worktrees::Worktrees;

use crate::agent;
use crate::asker::TurnAsker;
use crate::globs;
use crate::help_tool::HelpTool;
use crate::prompt::{self, Material};
use crate::session_tools::session_tools;
use crate::skill_tool::SkillTool;
use crate::surroundings::{self, Surroundings, TurnSurroundings};
use crate::task_tools::{may_work_in, task_tools};

/// What turns need of the program.
pub struct Chat {
    home: PathBuf,
    gate: Arc<Gate>,
    store: Store,
    reader: Arc<tools::DocumentReader>,
    asker: Arc<TurnAsker>,
    left: mpsc::UnboundedSender<(SessionId, bool)>,
    surroundings: TurnSurroundings,
    diagrams: Arc<OnceLock<Diagrams>>,
    tasks: Worktrees,
    /// By workspace, made when a turn first needs them.
    tools: Mutex<BTreeMap<String, Arc<ToolSet>>>,
}

/// Tools of the program itself.
struct ToolSet {
    /// Those that reach folders.
    in_folders: Vec<Arc<dyn Tool>>,
    /// Those that don't.
    anywhere: Vec<Arc<dyn Tool>>,
    /// Those that only stages name.
    of_tasks: Vec<Arc<dyn Tool>>,
}

impl Chat {
    /// For a data directory; the receiver is told of turns that have left the engine.
    pub fn new(
        home: &Path,
        program: &Path,
        store: Store,
        gate: Arc<Gate>,
        tasks: Worktrees,
    ) -> (Self, mpsc::UnboundedReceiver<(SessionId, bool)>) {
        let (left, told) = mpsc::unbounded_channel();
        let chat = Self {
            home: home.to_owned(),
            gate,
            store,
            reader: Arc::new(tools::DocumentReader::new(vec![program.to_owned().into()])),
            asker: Arc::default(),
            left,
            surroundings: TurnSurroundings::default(),
            diagrams: Arc::default(),
            tasks,
            tools: Mutex::default(),
        };
        (chat, told)
    }

    /// The tools for turns of a workspace.
    async fn tools(&self, workspace: &str) -> Result<Arc<ToolSet>, Problem> {
        let workspace = if workspace == DEFAULT_WORKSPACE { "" } else { workspace };
        let mut made = self.tools.lock().await;
        if let Some(known) = made.get(workspace) {
            return Ok(known.clone());
        }
        let make = || async {
            let runtime = self.gate.runtime().await?;
            let (home, reader) = (&self.home, self.reader.clone());
            let library = web_library::Library::in_workspace(home, workspace, reader);
            let parts = tools::Parts {
                hidden: Some(runtime.hidden.clone()),
                asker: Some(self.asker.clone()),
                reader: Some(self.reader.clone()),
                pages: Some(tools::FetchedPages { library: Arc::new(library), now: support::now_ms }),
                ..tools::Parts::default()
            };
            let mut in_folders = tools::of_files(&parts);
            in_folders.extend(tools::shell::tools(&runtime.shells));
            let mut anywhere = tools::of_conversation(&parts);
            let valid = self.gate.automations().good();
            let hidden = runtime.hidden.clone();
            anywhere.push(Arc::new(SkillTool::new(&self.home, self.store.clone(), valid, hidden)));
            anywhere.push(Arc::new(HelpTool::new()));
            anywhere.extend(session_tools(&self.home, &self.store, &self.gate, &self.diagrams));
            Ok::<_, Problem>(ToolSet { in_folders, anywhere, of_tasks: task_tools(&self.tasks) })
        };
        let fresh: Arc<ToolSet> = Arc::new(make().await?);
        made.insert(workspace.to_owned(), fresh.clone());
        Ok(fresh)
    }

    /// Tells of the engine, which needs its host before it is there itself.
    pub fn engine_is(&self, engine: &Arc<Engine>) {
        self.asker.tell(Arc::downgrade(engine));
    }

    /// Tells of the pages that check diagrams.
    pub fn diagrams_are(&self, diagrams: &Diagrams) {
        // Told twice it would be the same one.
        let _ = self.diagrams.set(diagrams.clone());
    }

    /// The gate.
    pub fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// Tools and instructions for what a session is set to; without a turn, those that its next one would begin with.
    pub async fn assemble(
        &self,
        scope: Option<&TurnScope>,
        setup: &SessionSetup,
        message: &UserMessage,
    ) -> Result<TurnContext, Problem> {
        if setup.bare {
            return Ok(TurnContext::default());
        }
        let runtime = self.gate.runtime().await?;
        let own = self.tools(&setup.workspace).await?;
        let surroundings = self.surroundings(runtime, scope, setup).await;
        let (agent, broken) = self.agent(setup).await?;
        let (wanted, left_out) = agent::sources(&setup.sources, agent.as_ref());
        // Without a folder there is nothing that they could reach, and a model that sees them tries them.
        let mut tools = if setup.folders.is_empty() { Vec::new() } else { own.in_folders.clone() };
        tools.extend(own.anywhere.iter().cloned());
        let sources = self.gate.sources().in_workspace(&setup.workspace);
        let source_tools::Offer { tools: of_sources, mut named, mut notes } = sources.tools(&wanted).await;
        tools.extend(of_sources);
        notes.extend(broken.into_iter().chain(left_out));
        notes.extend(agent::limit(&mut tools, &mut named, agent.as_ref()));
        named.extend(own.of_tasks.iter().cloned());
        let material = Material {
            files: self.files(&setup.workspace),
            setup: setup.clone(),
            message: message.clone(),
            guides: sources.guides(&wanted).await,
            good: self.gate.automations().good(),
            surroundings,
            agent,
        };
        let (system, more) = blocking(move || prompt::instructions(&material)).await?;
        notes.extend(more);
        Ok(TurnContext { tools, named, system, notes })
    }

    /// The agent that a session talks to, and what the user is told where its files are broken.
    async fn agent(
        &self,
        setup: &SessionSetup,
    ) -> Result<(Option<AgentInstructions>, Option<String>), Problem> {
        if setup.agent.is_empty() {
            return Ok((None, None));
        }
        let (files, good, slug) =
            (self.files(&setup.workspace), self.gate.automations().good(), setup.agent.clone());
        blocking(move || {
            let (agent, wrong) = good.agent(&files, &slug)?;
            let note = wrong.map(|wrong| {
                format!("The last valid version of the agent {slug} is in use: {}", wrong.message)
            });
            Ok((Some(agent), note))
        })
        .await
    }

    /// Skills for files of the session's folders and attachments.
    async fn matching_skills(
        &self,
        setup: &SessionSetup,
        at: &CallContext,
    ) -> (BTreeSet<String>, Vec<String>) {
        let (files, good) = (self.files(&setup.workspace), self.gate.automations().good());
        let (named, folders, attachments) =
            (setup.folders.clone(), at.folders.clone(), at.own.join("attachments"));
        let look = move || {
            let (skills, _) = prompt::good_skills(&files, &named, &good);
            Ok(globs::matching(&skills, &folders, &library::attachments::names(&attachments)))
        };
        blocking(look).await.unwrap_or_default()
    }

    /// Where a turn works, as it was when it began.
    async fn surroundings(
        &self,
        runtime: &ToolRuntime,
        scope: Option<&TurnScope>,
        setup: &SessionSetup,
    ) -> Surroundings {
        if let Some(found) =
            scope.and_then(|scope| self.surroundings.begun_with(&scope.run.0, &setup.folders))
        {
            return found;
        }
        let nobody =
            TurnScope { session: SessionId(String::new()), run: RunId(String::new()), folders: Vec::new() };
        let at = self.call_context(scope.unwrap_or(&nobody), setup, "surroundings");
        let (decisions, workspace, place) = (runtime.decisions.clone(), setup.workspace.clone(), at.clone());
        let hides =
            move |path: &Path| decisions.is_denied_in(&workspace, &place.session, &place.folders, path);
        let mut found = surroundings::look(&runtime.shells, &at, hides).await;
        (found.skills, found.said) = self.matching_skills(setup, &at).await;
        if let Some(scope) = scope {
            self.surroundings.keep(&scope.run.0, &setup.folders, &found);
        }
        found
    }

    /// The files of a workspace; empty: of the default one.
    fn files(&self, slug: &str) -> Workspace {
        Workspace::named(&self.home, if slug.is_empty() { DEFAULT_WORKSPACE } else { slug })
    }
}

#[async_trait]
impl ChatHost for Chat {
    async fn setup(&self, session: &SessionId) -> Result<SessionSetup, Problem> {
        self.gate.setup(session).await
    }

    async fn turn_context(
        &self,
        scope: &TurnScope,
        setup: &SessionSetup,
        message: &UserMessage,
    ) -> Result<TurnContext, Problem> {
        // File tools write nothing below a folder that is not there.
        let own = self.home.join("sessions").join(&scope.session.0).join("data");
        tokio::fs::create_dir_all(&own).await.map_err(|error| {
            Problem::new(ErrorCode::Storage, format!("{} can't be made: {error}", own.display()))
                .with_action("free space or correct the permissions, then send the message again")
        })?;
        self.gate.runtime().await?.decisions.belongs(&scope.session.0, &setup.workspace);
        self.assemble(Some(scope), setup, message).await
    }

    fn call_context(&self, scope: &TurnScope, setup: &SessionSetup, call: &str) -> CallContext {
        self.gate.call_context(scope, setup, call)
    }

    async fn authorize(
        &self,
        scope: &TurnScope,
        call: &str,
        claim: &AccessRequest,
    ) -> Result<Ruling, Problem> {
        self.gate.authorize(Caller::Turn { scope, call }, claim).await
    }

    async fn grant(
        &self,
        scope: &TurnScope,
        call: &str,
        claim: &AccessRequest,
        offer: &Offer,
    ) -> Result<Grant, Problem> {
        let setup = self.setup(&scope.session).await?;
        self.gate.runtime().await?.decisions.grant(of_turn(scope, &setup, call), claim, offer).await
    }

    async fn refused(&self, scope: &TurnScope, call: &str, claim: &AccessRequest) {
        if let (Ok(setup), Ok(runtime)) = (self.setup(&scope.session).await, self.gate.runtime().await) {
            runtime.decisions.refused(of_turn(scope, &setup, call), claim).await;
        }
    }

    async fn built_in(&self, name: &str) -> Result<Option<Arc<dyn Tool>>, Problem> {
        let own = self.tools("").await?;
        let mut all = own.in_folders.iter().chain(&own.anywhere).chain(&own.of_tasks);
        Ok(all.find(|tool| tool.info().name == name).cloned())
    }

    async fn may_work_in(&self, scope: &TurnScope) -> Result<(), Problem> {
        if scope.folders.is_empty() {
            return Ok(());
        }
        let setup = self.setup(&scope.session).await?;
        may_work_in(&self.tasks, scope, setup.folders).await
    }

    async fn before_stage(
        &self,
        session: &SessionId,
        run: &RunId,
        agent: &str,
        stage: &str,
    ) -> Result<(), Problem> {
        self.gate.allow_stage(&session.0, &run.0, agent, stage).await
    }

    async fn before_pause(
        &self,
        session: &SessionId,
        run: &RunId,
        agent: &str,
        stage: &str,
    ) -> Result<(), Problem> {
        self.gate.allow_pause(&session.0, &run.0, agent, stage).await
    }

    async fn before_call(&self, call: &StageCall) -> Result<(), Problem> {
        self.gate.allow_call(call).await
    }

    async fn after_call(&self, call: &StageCall, ms: u64, failed: Option<&Problem>) {
        self.gate.automations().heard_call(call, ms, failed).await;
    }

    async fn turn_left(&self, scope: &TurnScope, ended: bool) {
        if ended {
            self.surroundings.forget(&scope.run.0);
        }
        // Whoever follows has gone when the program closes.
        let _ = self.left.send((scope.session.clone(), ended));
    }
}

fn of_turn<'a>(scope: &'a TurnScope, setup: &'a SessionSetup, call: &'a str) -> DecisionRequest<'a> {
    DecisionRequest {
        scope,
        workspace: &setup.workspace,
        mode: setup.mode,
        folders: scope.folders_or(&setup.folders),
        call,
        agent: None,
        own_words: false,
    }
}
