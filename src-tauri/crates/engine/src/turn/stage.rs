//! A stage of a run as turns: each goes on from the one before, until the model closes the stage.

use std::pin::Pin;
use std::sync::Arc;

use async_trait::async_trait;
use dialogue::{Bounds, End, Entry, Origin, Status};
use domain::agent::Effort;
use domain::{
    AccessRequest, ErrorCode, Grant, LimitReached, Mode, NanoUsd, Offer, Problem, Reserve, Ruling, RunId,
    SessionId, SessionSetup, Usage, UserMessage,
};
use engine_types::{PausePolicy, StepKind, StepStatus, TurnStep, TurnUiKind};
use pipeline::ConversationFill;
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;
use tools::{CallContext, ToolInfo};

use super::command::Command;
use super::gate::{self, Gate, GateReport};
use super::host::{ChatHost, TurnContext, TurnScope};
use super::start::{PermissionReply, StartTurn};
use super::withheld::withheld;
use crate::core::engine::Engine;
use crate::core::problem::store as store_problem;
use crate::run::handoff;

/// What a question of a tool is answered with where nobody is there.
const NOBODY: &str = "Nobody is there to answer. Decide for yourself and say what you assumed.";

/// What a stage's turns work with.
#[derive(Debug, Clone)]
pub(crate) struct StageTask {
    pub(crate) title: String,
    pub(crate) connection: String,
    pub(crate) model: String,
    pub(crate) effort: Option<Effort>,
    /// The stage's instructions.
    pub(crate) system: String,
    /// Sources of the agent whose tools the stage uses.
    pub(crate) sources: Vec<String>,
    /// Tools as the stage names them: `name`, `source/tool`, `source/*`.
    pub(crate) tools: Vec<String>,
    /// Folders that the stage works in, in place of the session's.
    pub(crate) folders: Vec<String>,
    /// What the stage's output has to satisfy.
    pub(crate) schema: Option<Value>,
    /// Where stages share the conversation: what this one may do of it. `tools` are then those of all of them.
    pub(crate) shared: Option<SharedTask>,
}

/// What one stage may do in a conversation that stages share.
#[derive(Debug, Clone)]
pub(crate) struct SharedTask {
    /// The tools that it may call, as the stage names them.
    pub(crate) tools: Vec<String>,
    /// Whether it asks for the handoff document of the conversation.
    pub(crate) hands_over: bool,
}

impl StageTask {
    fn names(&self, info: &ToolInfo) -> bool {
        info.name != gate::NAME && self.tools.iter().any(|wanted| is_named(wanted, info))
    }
}

pub(super) fn is_named(wanted: &str, info: &ToolInfo) -> bool {
    match wanted.split_once('/') {
        Some((source, tool)) => info.source == source && (tool == "*" || info.tool == tool),
        None => info.source.is_empty() && info.name == wanted,
    }
}

/// The program around the engine as a stage's turns see it: with the stage's tools and its gate, and as nobody's own turn.
pub(super) struct StageHost {
    inner: Arc<dyn ChatHost>,
    brief: Arc<StageTask>,
    /// The instructions of the turn before in a conversation that stages share, and the mode that they are for: they stay the
    /// same to the letter, whatever day or folder it is by now.
    kept: Option<(Mode, String)>,
    engine: Engine,
    /// The run that the stage belongs to.
    run: RunId,
}

impl StageHost {
    /// The turn, in the folders of its stage.
    fn placed(&self, scope: &TurnScope) -> TurnScope {
        TurnScope { folders: self.brief.folders.clone(), ..scope.clone() }
    }
}

#[async_trait]
impl ChatHost for StageHost {
    async fn setup(&self, session: &SessionId) -> Result<SessionSetup, Problem> {
        let mut setup = self.inner.setup(session).await?;
        if !self.brief.folders.is_empty() {
            setup.folders.clone_from(&self.brief.folders);
        }
        Ok(SessionSetup { effort: self.brief.effort.or(setup.effort), ..setup })
    }

    async fn turn_context(
        &self,
        scope: &TurnScope,
        setup: &SessionSetup,
        message: &UserMessage,
    ) -> Result<TurnContext, Problem> {
        let scope = &self.placed(scope);
        self.inner.may_work_in(scope).await?;
        // The session's own agent, with its instructions and limits, has no part in a stage.
        let setup =
            SessionSetup { sources: self.brief.sources.clone(), agent: String::new(), ..setup.clone() };
        let mut kit = self.inner.turn_context(scope, &setup, message).await?;
        kit.tools.append(&mut kit.named);
        kit.tools.retain(|tool| self.brief.names(tool.info()));
        let missing = self
            .brief
            .tools
            .iter()
            .filter(|wanted| !kit.tools.iter().any(|tool| is_named(wanted, tool.info())));
        kit.notes.extend(missing.map(|wanted| format!("The stage's tool {wanted} is not there.")));
        let gate = match &self.brief.shared {
            None => Gate::new(self.brief.schema.as_ref()),
            Some(shared) => {
                kit.tools = kit.tools.into_iter().map(|tool| withheld(tool, shared)).collect();
                let check = shared.hands_over.then_some(handoff::faults as gate::Check);
                Gate::shared(self.brief.schema.as_ref(), check)
            }
        };
        kit.tools.push(Arc::new(gate));
        kit.system = match &self.kept {
            Some((mode, system)) if *mode == setup.mode => system.clone(),
            Some(_) | None => format!("{}\n\n{}", kit.system.trim_end(), self.brief.system),
        };
        Ok(kit)
    }

    fn call_context(&self, scope: &TurnScope, setup: &SessionSetup, call: &str) -> CallContext {
        self.inner.call_context(&self.placed(scope), setup, call)
    }

    async fn checkpoint(&self, _: &TurnScope) -> Result<Option<String>, Problem> {
        self.engine.checkpoint(&self.run).await
    }

    async fn authorize(
        &self,
        scope: &TurnScope,
        call: &str,
        claim: &AccessRequest,
    ) -> Result<Ruling, Problem> {
        self.inner.authorize(&self.placed(scope), call, claim).await
    }

    async fn grant(
        &self,
        scope: &TurnScope,
        call: &str,
        claim: &AccessRequest,
        offer: &Offer,
    ) -> Result<Grant, Problem> {
        self.inner.grant(&self.placed(scope), call, claim, offer).await
    }

    async fn refused(&self, scope: &TurnScope, call: &str, claim: &AccessRequest) {
        self.inner.refused(&self.placed(scope), call, claim).await;
    }

    /// The session's own turns wait for the run, not for its parts.
    async fn turn_left(&self, _: &TurnScope, _: bool) {}
}

/// A turn of a stage to begin or to go on with.
pub(crate) struct StageTurnRequest {
    pub(crate) run: RunId,
    pub(crate) stage: String,
    pub(crate) session: SessionId,
    pub(crate) child: RunId,
    pub(crate) previous: Option<RunId>,
    pub(crate) message: String,
    pub(crate) bounds: Bounds,
    pub(crate) brief: Arc<StageTask>,
    /// Whether one that failed is to be tried again.
    pub(crate) retry: bool,
    /// Whether nobody is there to be asked: what needs permission is then refused.
    pub(crate) alone: bool,
    /// Ends it for good.
    pub(crate) stop: CancellationToken,
    /// Ends it so that it can go on later.
    pub(crate) suspend: CancellationToken,
}

/// How a turn of a stage left off, and what it has used in its whole life.
pub(crate) struct StageTurnOutcome {
    pub(crate) end: StageTurnCause,
    pub(crate) usage: Usage,
    pub(crate) cost: NanoUsd,
    pub(crate) equivalent: NanoUsd,
    pub(crate) doubtful: Reserve,
    /// Active milliseconds of its whole life.
    pub(crate) active_ms: u64,
    /// How full it left the conversation.
    pub(crate) fill: ConversationFill,
    /// The limit on money at which it stands.
    pub(crate) limit: Option<LimitReached>,
}

/// How it left off.
pub(crate) enum StageTurnCause {
    /// With the stage's output.
    Gated(Value),
    /// With something for the person to answer.
    Asks(String),
    /// At a pause of its own, with the pause's form.
    Waits(Value),
    /// At its limit, with what it needs to go on.
    Short {
        needed: Reserve,
        out_of_time: bool,
    },
    Failed(Problem),
    /// It can go on.
    Suspended,
}

impl StageTurnOutcome {
    pub(crate) fn failed(problem: Problem) -> Self {
        Self {
            end: StageTurnCause::Failed(problem),
            usage: Usage::default(),
            cost: NanoUsd::default(),
            equivalent: NanoUsd::default(),
            doubtful: Reserve::default(),
            active_ms: 0,
            fill: ConversationFill::default(),
            limit: None,
        }
    }
}

impl Engine {
    /// Drives a turn of a stage until it leaves off. The type is spelt out because driving a turn may wake its run, and a
    /// run drives its turns.
    pub(crate) fn child(
        self,
        order: StageTurnRequest,
    ) -> Pin<Box<dyn Future<Output = StageTurnOutcome> + Send>> {
        Box::pin(async move {
            match self.carry_out(&order).await {
                Ok(left) => left,
                Err(problem) => StageTurnOutcome::failed(problem),
            }
        })
    }

    async fn carry_out(&self, order: &StageTurnRequest) -> Result<StageTurnOutcome, Problem> {
        let mut told = self.subscribe_turns();
        let begun = tokio::select! {
            begun = self.take_up(order) => begun,
            () = order.stop.cancelled() => Ok(()),
        };
        begun?;
        let child = &order.child;
        if order.alone && self.turns().live.is_live(child) {
            self.answer_alone(child, &self.view_of(child).await?.steps).await;
        }
        let mut ended = self.turns().live.end_of(child);
        let (mut stopping, mut suspending) = (false, false);
        while let Some(end) = &mut ended {
            let over = async { drop(end.wait_for(Option::is_some).await) };
            tokio::select! {
                () = over => break,
                () = order.stop.cancelled(), if !stopping && !suspending => {
                    stopping = true;
                    self.stop_one(child).await?;
                }
                () = order.suspend.cancelled(), if !suspending => {
                    suspending = true;
                    self.suspend_turn(child).await?;
                }
                event = told.recv(), if order.alone => match event {
                    Ok(event) if event.run == *child => {
                        if let TurnUiKind::Changed { steps, .. } = event.kind {
                            self.answer_alone(child, &steps).await;
                        }
                    }
                    Ok(_) | Err(RecvError::Closed) => {}
                    Err(RecvError::Lagged(_)) => {
                        self.answer_alone(child, &self.view_of(child).await?.steps).await;
                    }
                },
            }
        }
        let broken =
            self.turns().live.end_of(child).and_then(|end| end.borrow().clone()).and_then(|(_, why)| why);
        self.left_by(child, broken).await
    }

    /// Begins a turn, or goes on with it where it stands.
    async fn take_up(&self, order: &StageTurnRequest) -> Result<(), Problem> {
        if self.turns().live.is_live(&order.child) {
            return Ok(());
        }
        let kept = match order.previous.as_ref().filter(|_| order.brief.shared.is_some()) {
            Some(previous) => self.instructions_of(previous).await?,
            None => None,
        };
        let chat: Arc<dyn ChatHost> = Arc::new(StageHost {
            inner: self.chat()?,
            brief: order.brief.clone(),
            kept,
            engine: self.clone(),
            run: order.run.clone(),
        });
        match self.parts().store.get_run(&order.child.0).await.map_err(store_problem) {
            Ok(row) => {
                let _gate = self.turns().gate(&row.session).await;
                let loaded = self.load_turn(&order.child).await?;
                let command = match loaded.journal.state.status() {
                    Status::Completed | Status::Stopped => return Ok(()),
                    Status::Failed if !order.retry => return Ok(()),
                    Status::Failed => Some(Command::Retry { done: tokio::sync::oneshot::channel().0 }),
                    Status::Empty | Status::Running | Status::Waiting | Status::Suspended => None,
                };
                self.drive_with(loaded, command, chat).await
            }
            Err(problem) if problem.code == ErrorCode::NotFound => {
                let provider = self.parts().provider(&order.brief.connection)?;
                if !provider.model(&order.brief.model).abilities.tools {
                    let what = format!(
                        "model {} calls no tools, which the stage {} needs",
                        order.brief.model, order.brief.title
                    );
                    return Err(Problem::new(ErrorCode::Conflict, what)
                        .with_action("choose another model or connection for the run"));
                }
                let start = StartTurn {
                    session: Some(order.session.clone()),
                    setup: SessionSetup::default(),
                    message: UserMessage { text: order.message.clone(), ..UserMessage::default() },
                    previous: Some(order.previous.clone()),
                    connection: order.brief.connection.clone(),
                    model: Some(order.brief.model.clone()),
                    bounds: order.bounds,
                    origin: Origin::Stage { run: order.run.clone(), stage: order.stage.clone() },
                    compact: false,
                };
                let named = (order.child.clone(), order.brief.title.clone());
                self.begin_with(start, chat, Some(named)).await.map(|_| ())
            }
            Err(problem) => Err(problem),
        }
    }

    /// The instructions of a turn and the mode that they are for; nothing where the turn was deleted.
    async fn instructions_of(&self, turn: &RunId) -> Result<Option<(Mode, String)>, Problem> {
        let loaded = match self.load_turn(turn).await {
            Ok(loaded) => loaded,
            Err(problem) if problem.code == ErrorCode::NotFound => return Ok(None),
            Err(problem) => return Err(problem),
        };
        let mode = loaded.records.first().and_then(|record| match &record.event {
            dialogue::Event::TurnStarted { mode, .. } => Some(*mode),
            _ => None,
        });
        Ok(mode.map(|mode| (mode, loaded.pinned.system)))
    }

    /// Refuses what the person would have to allow, and tells that nobody answers.
    async fn answer_alone(&self, child: &RunId, steps: &[TurnStep]) {
        for step in steps.iter().filter(|step| step.status == StepStatus::Asking) {
            let StepKind::Tool { approval, question, .. } = &step.kind else { continue };
            let answered = if approval.is_some() {
                self.permit(child, &step.id, PermissionReply::Deny(domain::NOBODY.to_owned())).await
            } else if question.is_some() {
                self.tell(child, &step.id, NOBODY.to_owned()).await
            } else {
                continue;
            };
            if let Err(problem) = answered {
                tracing::debug!(run = %child, "call {} was not answered: {problem}", step.id);
            }
        }
    }

    async fn left_by(&self, child: &RunId, broken: Option<Problem>) -> Result<StageTurnOutcome, Problem> {
        let mut loaded = match self.load_turn(child).await {
            Ok(loaded) => loaded,
            // It had not begun when the run was stopped.
            Err(problem) if problem.code == ErrorCode::NotFound => {
                return Ok(StageTurnOutcome {
                    end: StageTurnCause::Suspended,
                    ..StageTurnOutcome::failed(problem)
                });
            }
            Err(problem) => return Err(problem),
        };
        let state = loaded.journal.state.clone();
        let text = |digest: Option<domain::Digest>| digest.or(state.fallback);
        let end = match &state.end {
            Some(End::Handed) => {
                let handed = match state.answer {
                    Some(answer) => loaded.journal.blobs.text(answer).await?,
                    None => String::new(),
                };
                match serde_json::from_str::<GateReport>(&handed) {
                    Ok(GateReport { complete: true, data, .. }) => StageTurnCause::Gated(data),
                    Ok(GateReport { reason, .. }) if !reason.trim().is_empty() => {
                        StageTurnCause::Asks(reason)
                    }
                    Ok(_) => match state.fallback {
                        Some(said) => StageTurnCause::Asks(loaded.journal.blobs.text(said).await?),
                        None => StageTurnCause::Asks("The stage waits for you.".to_owned()),
                    },
                    // Another tool ended the turn: what it gave is for the person.
                    Err(_) => StageTurnCause::Asks(handed),
                }
            }
            Some(End::Answered) => StageTurnCause::Asks(answer_text(&mut loaded, text(state.answer)).await?),
            Some(End::Bounded { bound }) => {
                let so_far = answer_text(&mut loaded, text(state.answer)).await?;
                StageTurnCause::Asks(format!(
                    "{so_far}\n\n*It stopped before it was done: {}.*",
                    dialogue::bound_in_words(bound)
                ))
            }
            Some(End::Stopped) => {
                let so_far = answer_text(&mut loaded, text(state.answer)).await?;
                StageTurnCause::Asks(format!("{so_far}\n\n*It was stopped.*").trim().to_owned())
            }
            Some(End::Failed { problem }) => StageTurnCause::Failed(problem.clone()),
            None => match broken {
                Some(problem) => StageTurnCause::Failed(problem),
                None => StageTurnCause::Suspended,
            },
        };
        Ok(StageTurnOutcome {
            end,
            usage: state.usage,
            cost: state.cost,
            equivalent: state.equivalent,
            doubtful: state.doubtful,
            active_ms: state.active_ms,
            fill: fill(&mut loaded, &state).await?,
            limit: state.limit,
        })
    }

    /// Wakes the run that a turn works for, and waits until somebody drives the turn.
    pub(super) async fn wake(&self, parent: &str, child: &RunId) -> Result<(), Problem> {
        let parent = RunId(parent.to_owned());
        let mut begun = self.turns().begun();
        self.resume(&parent, PausePolicy::default()).await?;
        let driven = async { while !self.turns().live.is_live(child) && begun.changed().await.is_ok() {} };
        tokio::select! {
            () = driven => Ok(()),
            _ = self.wait(&parent) => {
                let what = format!("turn {child} is not under way; the run {parent} that it works for stands still");
                Err(Problem::new(ErrorCode::Conflict, what).with_action("read the run's state and try again"))
            }
        }
    }
}

/// How full a turn leaves its conversation: what its last answer read and wrote, as the provider counted; else the estimate.
async fn fill(
    loaded: &mut super::turns::LoadedTurn,
    state: &dialogue::State,
) -> Result<ConversationFill, Problem> {
    let summarised = state.entries.iter().any(|entry| matches!(entry, Entry::Compacted { .. }));
    let last = state.entries.iter().rev().find_map(|entry| {
        let Entry::Answer { call, answer, .. } = entry else { return None };
        Some((*call, *answer))
    });
    let Some((call, answer)) = last else { return Ok(ConversationFill { tokens: 0, summarised }) };
    let answer: llm::ModelAnswer = loaded.journal.blobs.json(answer).await?;
    let counted = answer.usage.total();
    let estimated = || state.model_calls.get(&call).map_or(0, |call| call.tokens);
    Ok(ConversationFill { tokens: if counted > 0 { counted } else { estimated() }, summarised })
}

async fn answer_text(
    loaded: &mut super::turns::LoadedTurn,
    text: Option<domain::Digest>,
) -> Result<String, Problem> {
    match text {
        Some(text) => loaded.journal.blobs.text(text).await,
        None => Ok(String::new()),
    }
}
