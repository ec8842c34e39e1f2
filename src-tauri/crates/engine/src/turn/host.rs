//! What a chat turn needs from the program around the engine: its tools, and a word on each of their calls.

use std::sync::Arc;

use async_trait::async_trait;
use domain::{
    AccessRequest, Digest, Grant, Offer, Problem, Ruling, RunId, SessionId, SessionSetup, UserMessage,
};
use serde_json::Value;
use tools::{CallContext, Tool};

/// Which turn.
#[derive(Debug, Clone)]
pub struct TurnScope {
    /// Its session.
    pub session: SessionId,
    /// The turn.
    pub run: RunId,
    /// Folders that it works in, in place of the session's; none: those of the session.
    pub folders: Vec<String>,
}

impl TurnScope {
    /// The folders that it works in, where the session has these.
    pub fn folders_or<'f>(&'f self, of_session: &'f [String]) -> &'f [String] {
        if self.folders.is_empty() { of_session } else { &self.folders }
    }
}

/// What a turn works with.
#[derive(Clone, Default)]
pub struct TurnContext {
    /// Tools, in the order in which the model is shown them; names are unique.
    pub tools: Vec<Arc<dyn Tool>>,
    /// Tools that no model is shown unless a stage names them.
    pub named: Vec<Arc<dyn Tool>>,
    /// The system prompt.
    pub system: String,
    /// What the person is told besides: sources that do not work, sources that were enabled by a mention.
    pub notes: Vec<String>,
}

/// A call of a tool that a stage makes by itself, outside of any dialogue.
#[derive(Debug, Clone, PartialEq)]
pub struct StageCall {
    /// The run's session.
    pub session: SessionId,
    /// The run.
    pub run: RunId,
    /// Its agent.
    pub agent: String,
    /// What the agent's stages do: see [`domain::agent::stages_digest`].
    pub stages: Digest,
    /// The stage.
    pub stage: String,
    /// The source's slug.
    pub source: String,
    /// The tool's name at its source.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
}

/// The program around the engine.
#[async_trait]
pub trait ChatHost: Send + Sync {
    /// What the session is set to now.
    async fn setup(&self, session: &SessionId) -> Result<SessionSetup, Problem>;

    /// Tools and instructions of a turn that is about to begin or to go on. Starts no process: a source starts when one
    /// of its tools is first called, or when its tools are not known yet.
    async fn turn_context(
        &self,
        scope: &TurnScope,
        setup: &SessionSetup,
        message: &UserMessage,
    ) -> Result<TurnContext, Problem>;

    /// Where a call happens.
    fn call_context(&self, scope: &TurnScope, setup: &SessionSetup, call: &str) -> CallContext;

    /// Decides on a call, by the mode, rules and grants of this moment, and writes the audit.
    async fn authorize(
        &self,
        scope: &TurnScope,
        call: &str,
        claim: &AccessRequest,
    ) -> Result<Ruling, Problem>;

    /// Keeps what the person granted; durable when it returns.
    async fn grant(
        &self,
        scope: &TurnScope,
        call: &str,
        claim: &AccessRequest,
        offer: &Offer,
    ) -> Result<Grant, Problem>;

    /// Writes the audit of a call that the person refused.
    async fn refused(&self, scope: &TurnScope, call: &str, claim: &AccessRequest);

    /// A tool of the program itself that a stage may call by its name.
    async fn built_in(&self, name: &str) -> Result<Option<Arc<dyn Tool>>, Problem> {
        let _ = name;
        Ok(None)
    }

    /// The state of the run whose stage the turn is a part of, where its agent keeps one: it leads once what was said is put
    /// into fewer words.
    async fn checkpoint(&self, scope: &TurnScope) -> Result<Option<String>, Problem> {
        let _ = scope;
        Ok(None)
    }

    /// Whether what a stage does may happen in the folders that it names in place of the session's.
    async fn may_work_in(&self, scope: &TurnScope) -> Result<(), Problem> {
        let _ = scope;
        Ok(())
    }

    /// Whether a stage of a run may begin; the problem says why not, and the stage fails with it.
    async fn before_stage(
        &self,
        session: &SessionId,
        run: &RunId,
        agent: &str,
        stage: &str,
    ) -> Result<(), Problem> {
        let _ = (session, run, agent, stage);
        Ok(())
    }

    /// Whether a run may wait for the person behind a stage. Otherwise it takes what the pause proposes; the problem says why.
    async fn before_pause(
        &self,
        session: &SessionId,
        run: &RunId,
        agent: &str,
        stage: &str,
    ) -> Result<(), Problem> {
        let _ = (session, run, agent, stage);
        Ok(())
    }

    /// Whether a stage may call a tool; the problem says why not, and the call fails with it. Asked before each attempt.
    async fn before_call(&self, call: &StageCall) -> Result<(), Problem> {
        let _ = call;
        Ok(())
    }

    /// A stage has called a tool, and how that went.
    async fn after_call(&self, call: &StageCall, ms: u64, failed: Option<&Problem>) {
        let _ = (call, ms, failed);
    }

    /// The turn has left the engine: the next message in the queue may begin, leases of sources end.
    async fn turn_left(&self, scope: &TurnScope, ended: bool);
}
