//! The engine's host: tools, instructions, judgement, and the end of turns.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use domain::{Claim, ErrorCode, Grant, Offer, Problem, Ruling, SessionId, SessionSetup, UserMessage};
use engine::turn::{ChatHost, Kit, TurnScope};
use store::Store;
use tokio::sync::mpsc;
use tools::shell::Shells;
use tools::{At, Tool, confine};

use super::judging::Judge;
use super::prompt::{self, Material};
use super::skill_tool::SkillTool;
use super::sources::SourceTools;
use crate::desk::aside;

/// What turns need of the program.
pub(crate) struct Chat {
    home: PathBuf,
    store: Store,
    judge: Arc<Judge>,
    sources: SourceTools,
    shells: Shells,
    /// Tools that reach folders.
    in_folders: Vec<Arc<dyn Tool>>,
    /// Those that don't.
    anywhere: Vec<Arc<dyn Tool>>,
    left: mpsc::UnboundedSender<(SessionId, bool)>,
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
        let confinement = confine::available();
        let shells = Shells::new(tools::shell::Setup {
            guard: program.to_owned(),
            data: home.to_owned(),
            search_path: None,
            confinement: confinement.clone(),
        });
        let judge = Arc::new(Judge::new(store.clone(), home, confinement.works()));
        let hidden: tools::Hidden = {
            let judge = judge.clone();
            Arc::new(move |at: &At, path: &Path| judge.hides(&at.session, &at.folders, path))
        };
        sources.hide(hidden.clone());
        let parts = tools::Parts { hidden: Some(hidden), ..tools::Parts::default() };
        let mut in_folders = tools::of_files(&parts);
        in_folders.extend(tools::shell::tools(&shells));
        let mut anywhere = tools::of_conversation(&parts);
        anywhere.push(Arc::new(SkillTool::new(home)));
        let chat = Self {
            home: home.to_owned(),
            judge,
            store,
            sources,
            shells,
            in_folders,
            anywhere,
            left,
        };
        (chat, told)
    }

    /// Commands in the background.
    pub(crate) fn shells(&self) -> &Shells {
        &self.shells
    }

    /// Tools of sources.
    pub(crate) fn sources(&self) -> &SourceTools {
        &self.sources
    }

    /// Decisions.
    pub(crate) fn judge(&self) -> &Judge {
        &self.judge
    }

    /// Tools and instructions for what a session is set to.
    pub(crate) async fn assemble(&self, setup: &SessionSetup, message: &UserMessage) -> Result<Kit, Problem> {
        // Without a folder there is nothing that they could reach, and a model that sees them tries them.
        let mut tools = if setup.folders.is_empty() { Vec::new() } else { self.in_folders.clone() };
        tools.extend(self.anywhere.iter().cloned());
        let (of_sources, notes) = self.sources.tools(&setup.sources).await;
        tools.extend(of_sources);
        let material = Material {
            home: self.home.clone(),
            setup: setup.clone(),
            message: message.clone(),
            guides: self.sources.guides(&setup.sources).await,
        };
        let system = aside(move || prompt::instructions(&material)).await?;
        Ok(Kit { tools, system, notes })
    }

    /// Ends everything that conversations have running.
    pub(crate) async fn close(&self) {
        self.shells.close().await;
        self.sources.close().await;
    }
}

#[async_trait]
impl ChatHost for Chat {
    async fn setup(&self, session: &SessionId) -> Result<SessionSetup, Problem> {
        let kept = self.store.session_setup(&session.0).await?.unwrap_or_default();
        if kept.is_empty() {
            return Ok(SessionSetup::default());
        }
        serde_json::from_str(&kept).map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))
    }

    async fn kit(
        &self,
        _scope: &TurnScope,
        setup: &SessionSetup,
        message: &UserMessage,
    ) -> Result<Kit, Problem> {
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
        self.judge.judge(scope, setup.mode, &setup.folders, call, claim).await
    }

    async fn grant(
        &self,
        scope: &TurnScope,
        call: &str,
        claim: &Claim,
        offer: &Offer,
    ) -> Result<Grant, Problem> {
        let setup = self.setup(&scope.session).await?;
        self.judge.grant(scope, setup.mode, call, claim, offer).await
    }

    async fn refused(&self, scope: &TurnScope, call: &str, claim: &Claim) {
        if let Ok(setup) = self.setup(&scope.session).await {
            self.judge.refused(scope, setup.mode, call, claim).await;
        }
    }

    async fn left(&self, scope: &TurnScope, ended: bool) {
        // Whoever follows has gone when the program closes.
        let _ = self.left.send((scope.session.clone(), ended));
    }
}
