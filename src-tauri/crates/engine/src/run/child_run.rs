//! Runs of other agents that carry out calls of a run: begun, gone on with, answered and stopped for the call.

use std::pin::Pin;
use std::sync::Arc;

use domain::agent::ChildBudget;
use domain::{AgentSlug, Budget, Digest, ErrorCode, PauseId, Problem, Reserve, RunId, RunStatus, SessionId};
use engine_types::{Answered, PausePolicy, Reply};
use pipeline::{CallKey, Event, Graph, ParentCall, Pause, PauseKind, State, Status};
use serde_json::Value;
use store::{NewRun, NewSession};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::core::engine::Engine;
use crate::core::performer::Performer as _;
use crate::core::problem::internal;
use crate::core::stored::StoredRun;
use crate::run::child_request::{ChildRequest, ForwardedReply};
use crate::run::driver::{Command, Driver};
use crate::run::journal::Journal;
use crate::run::meta::RunMeta;
use crate::run::pinned::Pinned;
use crate::turn::{StageTurnCause, StageTurnOutcome};

/// A child run to begin or to go on with.
pub(crate) struct ChildRunStart {
    pub(crate) parent: ParentCall,
    pub(crate) child: RunId,
    pub(crate) session: SessionId,
    /// What it pins.
    pub(crate) pinned: Pinned,
    pub(crate) request: ChildRequest,
    /// What it may use from now on, where there is a limit.
    pub(crate) share: Budget,
    /// The most that it may use in its whole life.
    pub(crate) most: ChildBudget,
    /// The stage whose output is the result; without it the last.
    pub(crate) result: Option<String>,
    pub(crate) reply: Option<ForwardedReply>,
    /// Whether one that failed is to be tried again.
    pub(crate) retry: bool,
    pub(crate) unattended: bool,
    pub(crate) retry_ambiguous: bool,
    /// Ends it for good.
    pub(crate) stop: CancellationToken,
    /// Ends it so that it can go on later.
    pub(crate) suspend: CancellationToken,
}

impl StageTurnOutcome {
    /// How a child run left off. What its own interrupted calls may have cost is in doubt.
    pub(crate) fn of_run(state: &State, end: StageTurnCause) -> Self {
        let spent = Reserve { cost: state.cost, tokens: state.usage.total() };
        Self {
            end,
            usage: state.usage,
            cost: state.cost,
            equivalent: state.equivalent,
            doubtful: state.committed().less(spent),
            active_ms: state.active_ms,
            fill: pipeline::ConversationFill::default(),
            limit: None,
        }
    }
}

impl Engine {
    /// Drives a child run until it leaves off. The type is spelt out because a child run may have child runs.
    pub(crate) fn child_run(
        self,
        order: ChildRunStart,
    ) -> Pin<Box<dyn Future<Output = StageTurnOutcome> + Send>> {
        Box::pin(async move {
            match self.carry_out_run(&order).await {
                Ok(left) => left,
                Err(problem) => StageTurnOutcome::failed(problem),
            }
        })
    }

    async fn carry_out_run(&self, order: &ChildRunStart) -> Result<StageTurnOutcome, Problem> {
        if !self.is_live(&order.child) && !order.stop.is_cancelled() {
            match self.load(&order.child).await {
                Ok(loaded) => self.go_on(loaded, order).await?,
                Err(problem) if problem.code == ErrorCode::NotFound => self.begin_child(order).await?,
                Err(problem) => return Err(problem),
            }
        }
        let (mut stopping, mut suspending) = (false, false);
        let mut broken = None;
        while self.is_live(&order.child) {
            tokio::select! {
                ended = self.wait(&order.child) => broken = ended?.1,
                () = order.stop.cancelled(), if !stopping && !suspending => {
                    stopping = true;
                    self.command_child(&order.child, |done| Command::Cancel { done }).await?;
                }
                () = order.suspend.cancelled(), if !suspending => {
                    suspending = true;
                    self.command_child(&order.child, |done| Command::Suspend { done }).await?;
                }
            }
        }
        let loaded = match self.load(&order.child).await {
            // It had not begun when the run was stopped.
            Err(problem) if problem.code == ErrorCode::NotFound => {
                return Ok(StageTurnOutcome {
                    end: StageTurnCause::Suspended,
                    ..StageTurnOutcome::failed(problem)
                });
            }
            loaded => loaded?,
        };
        let end = self.end_of_child(&loaded, order, broken).await?;
        Ok(StageTurnOutcome::of_run(&loaded.state, end))
    }

    /// How a child run left off, for the call that it carries out.
    async fn end_of_child(
        &self,
        loaded: &StoredRun,
        order: &ChildRunStart,
        broken: Option<Problem>,
    ) -> Result<StageTurnCause, Problem> {
        let state = &loaded.state;
        let name = &loaded.pinned.config.name;
        Ok(match state.status() {
            Status::Completed => {
                StageTurnCause::Gated(self.result_of(loaded, order.result.as_deref()).await?)
            }
            Status::Cancelled => StageTurnCause::Failed(Problem::new(
                ErrorCode::Cancelled,
                format!("the run of {name} was cancelled"),
            )),
            Status::Failed => {
                let (stage, problem) = state.failure.clone().ok_or_else(|| unfinished(&order.child))?;
                let stage = loaded.pinned.stage(&stage).map_or(stage.0, |stage| stage.title.clone());
                let message = format!("{name}, {stage}: {}", problem.message);
                StageTurnCause::Failed(Problem { message, ..problem })
            }
            Status::Paused => {
                let Some(pause) = state.open_pauses().next() else {
                    return Err(unfinished(&order.child));
                };
                match &pause.kind {
                    PauseKind::Budget if state.withheld().is_none() => self.short_of(loaded, order).await?,
                    PauseKind::Stage
                    | PauseKind::Budget
                    | PauseKind::Ambiguous { .. }
                    | PauseKind::Dialogue { .. }
                    | PauseKind::Child { .. }
                    | PauseKind::Gate { .. }
                    | PauseKind::Permission { .. }
                    | PauseKind::Handoff => {
                        let form = pause.form.ok_or_else(|| unfinished(&order.child))?;
                        StageTurnCause::Waits(crate::run::values::read(&self.parts().store, form).await?)
                    }
                }
            }
            Status::Empty | Status::Running | Status::Suspended => match broken {
                Some(problem) => StageTurnCause::Failed(problem),
                None => StageTurnCause::Suspended,
            },
        })
    }

    /// The output of the stage that a child run is there for.
    async fn result_of(&self, loaded: &StoredRun, result: Option<&str>) -> Result<Value, Problem> {
        let stages = &loaded.pinned.config.control_flow.stages;
        let stage = match result {
            Some(name) => stages.iter().find(|stage| stage.name == name),
            None => stages.last(),
        };
        let output = stage.and_then(|stage| loaded.state.stage(&stage.id)?.output);
        match output {
            Some(digest) => crate::run::values::read(&self.parts().store, digest).await,
            None => Ok(Value::Null),
        }
    }

    /// What a child run that stands at its limit needs.
    async fn short_of(&self, loaded: &StoredRun, order: &ChildRunStart) -> Result<StageTurnCause, Problem> {
        let state = &loaded.state;
        if state.budget.active_ms.is_some_and(|limit| state.active_ms >= limit) {
            let own = order.most.minutes.map(|minutes| (minutes.max(0.0) * 60_000.0) as u64);
            if own.is_some_and(|own| state.active_ms >= own) {
                let what = format!("the run of {} reached its limit of minutes", loaded.pinned.config.name);
                return Ok(StageTurnCause::Failed(
                    Problem::new(ErrorCode::Budget, what)
                        .with_action("raise the stage's childBudget.minutes"),
                ));
            }
            return Ok(StageTurnCause::Short { needed: Reserve::default(), out_of_time: true });
        }
        let needed = loaded.records.iter().rev().find_map(|record| match &record.event {
            Event::BudgetExceeded { needed, .. } => Some(*needed),
            _ => None,
        });
        let needed = needed.ok_or_else(|| unfinished(&order.child))?;
        Ok(StageTurnCause::Short { needed, out_of_time: false })
    }

    async fn begin_child(&self, order: &ChildRunStart) -> Result<(), Problem> {
        let pinned = order.pinned.clone();
        let graph = Graph::new(&pinned.config)
            .map_err(|error| Problem::new(ErrorCode::InvalidConfig, error.to_string()))?;
        let ChildRequest { request, inputs, depth, .. } = order.request.clone();
        let title: String = request.lines().next().unwrap_or_default().chars().take(120).collect();
        let create = NewRun {
            session: NewSession {
                id: order.session.0.clone(),
                title: title.clone(),
                workspace: pinned.workspace.clone(),
                ..NewSession::default()
            },
            agent: pinned.config.slug.0.clone(),
            status: RunStatus::Running.to_string(),
            title,
            line: String::new(),
            words: String::new(),
            unread: false,
            connection: pinned.connection.clone(),
            model: pinned.model.clone(),
            parent: Some(order.parent.run.0.clone()),
            meta: RunMeta::begun(&pinned, depth.as_deref(), None).bytes(),
            ..NewRun::default()
        };
        let agent = AgentSlug(pinned.config.slug.0.clone());
        let bytes = pinned.bytes().map_err(internal)?;
        let digest = Digest::of(&bytes);
        let essential = pinned.essential();
        let (run, store) = (order.child.clone(), self.parts().store.clone());
        let mut journal = Journal::new(run.clone(), State::new(Arc::new(graph)), store, create);
        journal.blobs.add(digest, bytes)?;
        let inputs = domain::canonical(&inputs).into_bytes();
        let inputs_digest = Digest::of(&inputs);
        journal.blobs.add(inputs_digest, inputs)?;
        journal.push(Event::RunStarted {
            session: order.session.clone(),
            agent,
            request,
            depth,
            pinned: digest,
            previous: None,
            budget: order.share.beyond(Reserve::default(), 0, &order.most),
            essential,
            retry_ambiguous: order.retry_ambiguous,
            forecast: None,
            inputs: Some(inputs_digest),
            parent: Some(order.parent.clone()),
            base: None,
        })?;
        let attend = PausePolicy { unattended: order.unattended, ..PausePolicy::default() };
        let parts = self.parts().clone();
        let mut driver =
            Driver::new(journal, Arc::new(pinned), parts, self.ui().clone(), attend.into(), true);
        driver.commit().await?;
        self.spawn(run, driver, None);
        Ok(())
    }

    /// Goes on with a child run where it stands: with its share, with the reply that it waits for.
    async fn go_on(&self, loaded: StoredRun, order: &ChildRunStart) -> Result<(), Problem> {
        let state = &loaded.state;
        match state.status() {
            Status::Completed | Status::Cancelled => return Ok(()),
            Status::Failed if !order.retry => return Ok(()),
            Status::Paused => {
                let open = state.open_pauses().next();
                let answered =
                    |pause: &Pause| order.reply.as_ref().is_some_and(|forwarded| forwarded.pause == pause.id);
                if open.is_some_and(|pause| {
                    (pause.kind != PauseKind::Budget || state.withheld().is_some()) && !answered(pause)
                }) {
                    return Ok(());
                }
            }
            Status::Failed | Status::Empty | Status::Running | Status::Suspended => {}
        }
        let budget = order.share.beyond(state.committed(), state.active_ms, &order.most);
        let reply = order
            .reply
            .clone()
            .filter(|forwarded| state.open_pauses().any(|pause| pause.id == forwarded.pause));
        let command = Command::GoOn { budget, reply: reply.map(Box::new), done: oneshot::channel().0 };
        let attend = PausePolicy { unattended: order.unattended, ..PausePolicy::default() };
        self.drive(loaded, Some(command), attend);
        Ok(())
    }

    /// Stops a child, run or turn, so that it can go on later.
    pub(crate) async fn suspend_child(&self, child: &RunId) -> Result<(), Problem> {
        match self.is_run(child) {
            true => self.command_child(child, |done| Command::Suspend { done }).await,
            false => self.suspend_turn(child).await,
        }
    }

    /// Whether a run of this id is being driven; of a turn it is not.
    pub(crate) fn is_run(&self, run: &RunId) -> bool {
        self.commands_of(run).is_some()
    }

    async fn command_child(
        &self,
        child: &RunId,
        command: impl FnOnce(oneshot::Sender<Result<(), Problem>>) -> Command,
    ) -> Result<(), Problem> {
        let (done, told) = oneshot::channel();
        if let Some(commands) = self.commands_of(child)
            && commands.send(command(done)).await.is_ok()
        {
            // One that is just leaving has no use for it.
            let _ = told.await;
        }
        Ok(())
    }

    /// The pause of another run behind which a child run's open pause stands.
    pub(crate) async fn forwarding_pause(
        &self,
        parent: &RunId,
        child: &RunId,
    ) -> Result<(RunId, PauseId), Problem> {
        let loaded = self.load(parent).await?;
        let of_child = |key: &CallKey| {
            loaded.state.calls.get(key).is_some_and(|call| call.children.last() == Some(child))
        };
        let pause = loaded
            .state
            .open_pauses()
            .find(|pause| matches!(&pause.kind, PauseKind::Child { key } if of_child(key)));
        match pause {
            Some(pause) => Ok((parent.clone(), pause.id.clone())),
            None => Err(Problem::new(
                ErrorCode::Conflict,
                format!("run {child} works for run {parent}, which does not wait for an answer to it"),
            )
            .with_action(format!("resume run {parent}, then answer"))),
        }
    }

    /// Tries a reply to a child run's pause on the child as it is stored: what the child would refuse is refused before
    /// anything is written. Nothing where the pause is another.
    pub(crate) async fn try_on_child(
        &self,
        run: &RunId,
        pause: Option<&PauseId>,
        reply: &Reply,
    ) -> Result<Option<Answered>, Problem> {
        let loaded = self.load(run).await?;
        let state = &loaded.state;
        let open = match pause {
            Some(id) => state.open_pauses().find(|open| &open.id == id),
            None => state.open_pauses().next(),
        };
        let Some(PauseKind::Child { key }) = open.map(|open| &open.kind) else { return Ok(None) };
        if reply.cancels() {
            return Ok(None);
        }
        let Some(child) = state.calls.get(key).and_then(|call| call.children.last()).cloned() else {
            return Ok(None);
        };
        if let Some(refused) = Box::pin(self.try_on_child(&child, None, reply)).await? {
            return Ok(Some(refused));
        }
        let child = self.load(&child).await?;
        if child.state.open_pauses().any(|pause| matches!(pause.kind, PauseKind::Child { .. })) {
            return Ok(None);
        }
        let mut driver = self.parked(child);
        driver.load_values().await?;
        match driver.answer(None, reply)? {
            Answered::Accepted { .. } => Ok(None),
            open @ Answered::StillOpen { .. } => Ok(Some(open)),
        }
    }
}

fn unfinished(child: &RunId) -> Problem {
    Problem::new(ErrorCode::Internal, format!("child run {child} stands still without a reason in its log"))
}
