//! The engine's host: tools, instructions, judgement, and the end of turns.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use domain::{Claim, ErrorCode, Grant, Offer, Problem, Ruling, RunId, SessionId, SessionSetup, UserMessage};
use engine::Engine;
use engine::turn::{ChatHost, Kit, StageCall, TurnScope};
use store::Store;
use tokio::sync::{OnceCell, mpsc};
use tools::shell::{Masks, Shells};
use tools::{At, Tool, confine};
use workspace::{DEFAULT_WORKSPACE, Workspace};

use super::asking::TurnAsker;
use super::judging::Judge;
use super::prompt::{self, Material};
use super::skill_tool::SkillTool;
use super::sources::SourceTools;
use crate::automation::Hooks;
use crate::desk::aside;

/// What turns need of the program.
pub(crate) struct Chat {
    home: PathBuf,
    program: PathBuf,
    store: Store,
    sources: SourceTools,
    hooks: Hooks,
    asker: Arc<TurnAsker>,
    left: mpsc::UnboundedSender<(SessionId, bool)>,
    /// Made when it is first needed: whether commands can be confined takes a trial, which most commands of a terminal
    /// need not wait for.
    works: OnceCell<Works>,
}

/// Decisions and tools.
pub(crate) struct Works {
    pub(crate) judge: Arc<Judge>,
    pub(crate) shells: Shells,
    /// Tools that reach folders.
    in_folders: Vec<Arc<dyn Tool>>,
    /// Those that don't.
    anywhere: Vec<Arc<dyn Tool>>,
}

impl Chat {
    /// For a data directory; the receiver is told of turns that have left the engine.
    pub(crate) fn new(
        home: &Path,
        program: &Path,
        store: Store,
        sources: SourceTools,
    ) -> (Self, mpsc::UnboundedReceiver<(SessionId, bool)>) {
        let (left, told) = mpsc::unbounded_channel();
        let hooks = Hooks::new(home, store.clone());
        let (home, program) = (home.to_owned(), program.to_owned());
        let asker = Arc::default();
        (Self { home, program, store, sources, hooks, asker, left, works: OnceCell::new() }, told)
    }

    /// Decisions and tools; the first call tries whether commands can be confined here.
    pub(crate) async fn works(&self) -> Result<&Works, Problem> {
        let make = || async {
            let confinement = aside(|| Ok(confine::available())).await?;
            let judge = Arc::new(Judge::new(self.store.clone(), &self.home, confinement.works()));
            let barred = judge.clone();
            let masks = Masks(Arc::new(move |at: &At| barred.barred(&at.session, &at.folders)));
            let shells = Shells::new(tools::shell::Setup {
                guard: self.program.clone(),
                data: self.home.clone(),
                search_path: None,
                masks: Some(masks),
                confinement: confinement.clone(),
            });
            shells.await_search_path(self.sources.search_path());
            let hidden: tools::Hidden = {
                let judge = judge.clone();
                Arc::new(move |at: &At, path: &Path| judge.hides(&at.session, &at.folders, path))
            };
            self.sources.hide(hidden.clone());
            let parts = tools::Parts {
                hidden: Some(hidden),
                asker: Some(self.asker.clone()),
                reader: Some(Arc::new(tools::DocumentReader::new(vec![self.program.clone().into()]))),
                ..tools::Parts::default()
            };
            let mut in_folders = tools::of_files(&parts);
            in_folders.extend(tools::shell::tools(&shells));
            let mut anywhere = tools::of_conversation(&parts);
            anywhere.push(Arc::new(SkillTool::new(&self.home, self.store.clone(), self.hooks.good())));
            Ok(Works { judge, shells, in_folders, anywhere })
        };
        self.works.get_or_try_init(make).await
    }

    /// Tells of the engine, which needs its host before it is there itself.
    pub(crate) fn engine_is(&self, engine: &Arc<Engine>) {
        self.asker.tell(Arc::downgrade(engine));
    }

    /// Looks for the search path of the person's login shell, in the background.
    pub(crate) fn look_around(&self) {
        self.sources.search_path();
    }

    /// Commands in the background, where any were ever run.
    pub(crate) fn shells(&self) -> Option<&Shells> {
        self.works.get().map(|works| &works.shells)
    }

    /// The data directory.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Automations.
    pub(crate) fn hooks(&self) -> &Hooks {
        &self.hooks
    }

    /// Tools of sources.
    pub(crate) fn sources(&self) -> &SourceTools {
        &self.sources
    }

    /// Tools and instructions for what a session is set to.
    pub(crate) async fn assemble(&self, setup: &SessionSetup, message: &UserMessage) -> Result<Kit, Problem> {
        if setup.bare {
            return Ok(Kit::default());
        }
        let works = self.works().await?;
        // Without a folder there is nothing that they could reach, and a model that sees them tries them.
        let mut tools = if setup.folders.is_empty() { Vec::new() } else { works.in_folders.clone() };
        tools.extend(works.anywhere.iter().cloned());
        let sources = self.sources.of(&setup.workspace);
        let (of_sources, mut notes) = sources.tools(&setup.sources).await;
        tools.extend(of_sources);
        let material = Material {
            files: self.files(&setup.workspace),
            setup: setup.clone(),
            message: message.clone(),
            guides: sources.guides(&setup.sources).await,
            good: self.hooks.good(),
        };
        let (system, more) = aside(move || prompt::instructions(&material)).await?;
        notes.extend(more);
        Ok(Kit { tools, system, notes })
    }

    /// The files of a workspace; empty: of the default one.
    fn files(&self, slug: &str) -> Workspace {
        Workspace::named(&self.home, if slug.is_empty() { DEFAULT_WORKSPACE } else { slug })
    }

    /// Ends everything that conversations have running.
    pub(crate) async fn close(&self) {
        self.hooks.end();
        if let Some(shells) = self.shells() {
            shells.close().await;
        }
        self.sources.close().await;
    }
}

#[async_trait]
impl ChatHost for Chat {
    async fn setup(&self, session: &SessionId) -> Result<SessionSetup, Problem> {
        let kept = self.store.session_setup(&session.0).await?.unwrap_or_default();
        let mut setup = match kept.is_empty() {
            true => SessionSetup::default(),
            false => serde_json::from_str(&kept)
                .map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))?,
        };
        setup.workspace = self.store.session_workspace(&session.0).await?.unwrap_or_default();
        Ok(setup)
    }

    async fn kit(
        &self,
        scope: &TurnScope,
        setup: &SessionSetup,
        message: &UserMessage,
    ) -> Result<Kit, Problem> {
        // File tools write nothing below a folder that is not there.
        let own = self.home.join("sessions").join(&scope.session.0).join("data");
        tokio::fs::create_dir_all(&own).await.map_err(|error| {
            Problem::new(ErrorCode::Storage, format!("{} can't be made: {error}", own.display()))
                .with_action("free space or correct the permissions, then send the message again")
        })?;
        self.works().await?.judge.belongs(&scope.session.0, &setup.workspace);
        self.assemble(setup, message).await
    }

    fn at(&self, scope: &TurnScope, setup: &SessionSetup, call: &str) -> At {
        At {
            session: scope.session.0.clone(),
            run: scope.run.0.clone(),
            call: call.to_owned(),
            mode: setup.mode,
            folders: setup.folders.iter().map(PathBuf::from).collect(),
            own: self.home.join("sessions").join(&scope.session.0),
        }
    }

    async fn judge(&self, scope: &TurnScope, call: &str, claim: &Claim) -> Result<Ruling, Problem> {
        let setup = self.setup(&scope.session).await?;
        let judge = &self.works().await?.judge;
        judge.belongs(&scope.session.0, &setup.workspace);
        let ruling = judge.judge(scope, setup.mode, &setup.folders, call, claim).await?;
        if matches!(ruling, Ruling::Deny { .. }) {
            return Ok(ruling);
        }
        match self.veto_tool(scope, &setup, call, claim).await {
            Some(why) => Ok(Ruling::Deny { why, instead: None }),
            None => Ok(ruling),
        }
    }

    async fn grant(
        &self,
        scope: &TurnScope,
        call: &str,
        claim: &Claim,
        offer: &Offer,
    ) -> Result<Grant, Problem> {
        let setup = self.setup(&scope.session).await?;
        self.works().await?.judge.grant(scope, setup.mode, call, claim, offer).await
    }

    async fn refused(&self, scope: &TurnScope, call: &str, claim: &Claim) {
        if let (Ok(setup), Ok(works)) = (self.setup(&scope.session).await, self.works().await) {
            works.judge.refused(scope, setup.mode, call, claim).await;
        }
    }

    async fn before_stage(
        &self,
        session: &SessionId,
        run: &RunId,
        agent: &str,
        stage: &str,
    ) -> Result<(), Problem> {
        self.allow_stage(&session.0, &run.0, agent, stage).await
    }

    async fn before_call(&self, call: &StageCall) -> Result<(), Problem> {
        self.allow_call(call).await
    }

    async fn after_call(&self, call: &StageCall, ms: u64, failed: Option<&Problem>) {
        self.hooks.heard_call(call, ms, failed).await;
    }

    async fn left(&self, scope: &TurnScope, ended: bool) {
        // Whoever follows has gone when the program closes.
        let _ = self.left.send((scope.session.clone(), ended));
    }
}
