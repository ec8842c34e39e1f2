//! What the person says to a turn, and what a session has besides its turns.

use domain::{ErrorCode, Mode, Problem, RunId, SessionId, Show, UserMessage};
use engine::turn::{PermissionReply, PlanState, SubmittedPlan};
use protocol::{
    ApprovalVerdict, ChatState, PlanVerdict, Scope, Sent, SetupPatch, ShellOutput, ShellRow, TurnSend,
};
use support::blocking;
use tools::{Kind, keep_plan};

use crate::Conversations;

/// What a turn is told when its plan was accepted.
const ACCEPTED: &str =
    "The plan is accepted. Carry it out now, step by step, and keep the list of tasks true.";
/// The message of a turn that only puts what was said before into fewer words.
pub const COMPACT: &str = "/compact";

impl Conversations {
    /// What a session has besides its runs and turns.
    pub async fn chat_state(&self, session: &str) -> Result<ChatState, Problem> {
        Ok(ChatState {
            setup: self.setup_of(session).await.unwrap_or_default(),
            queue: self.queue(session).await?,
            shells: self
                .permissions
                .gate()
                .shells()
                .map(|shells| shells.list(Some(session)).into_iter().map(shell_row).collect())
                .unwrap_or_default(),
        })
    }

    /// Answers a request for permission.
    pub async fn approval_answer(
        &self,
        run: &RunId,
        call: &str,
        verdict: ApprovalVerdict,
    ) -> Result<(), Problem> {
        let permit = match verdict {
            ApprovalVerdict::Allow { offer } => PermissionReply::Allow(offer as usize),
            ApprovalVerdict::Deny { reason } => PermissionReply::Deny(reason),
        };
        self.env.engine.permit(run, call, permit).await
    }

    /// Accepts a plan or asks for changes; a turn begins.
    pub async fn plan_answer(&self, run: &RunId, verdict: PlanVerdict) -> Result<Sent, Problem> {
        let view = self.env.engine.turn_view(run).await?;
        let Some(plan) = view.head.plan.filter(|plan| plan.state == PlanState::Waiting) else {
            return Err(Problem::new(
                ErrorCode::Conflict,
                "this plan was answered already; nothing was changed",
            ));
        };
        let session = view.head.session.0;
        let message = |text: String| UserMessage { text, ..UserMessage::default() };
        match verdict {
            PlanVerdict::Refine { text } => {
                if text.trim().is_empty() {
                    return Err(Problem::new(ErrorCode::InvalidInput, "say what is to change in the plan"));
                }
                self.turn_send(TurnSend {
                    session: Some(session),
                    message: message(text),
                    ..TurnSend::default()
                })
                .await
            }
            PlanVerdict::Accept { mode, compact } => {
                if mode == Mode::Safe {
                    return Err(Problem::new(
                        ErrorCode::InvalidInput,
                        "in Explore nothing can be carried out",
                    )
                    .with_action("accept it in another mode"));
                }
                let setup = SetupPatch { mode: Some(mode), ..SetupPatch::default() };
                // The plan goes along: after compaction nothing else of the conversation may say it.
                let text = format!("{ACCEPTED}\n\nThe plan, `{}`:\n\n{}", plan.path, plan.text);
                let send = TurnSend {
                    session: Some(session.clone()),
                    message: message(text),
                    setup,
                    ..TurnSend::default()
                };
                if !compact {
                    return self.turn_send(send).await;
                }
                // Both survive a crash in between: the acceptance waits in the queue behind the compaction.
                self.session_setup(&session, send.setup.clone()).await?;
                let mut sent = self.session_compact(&session).await?;
                sent.queued = Some(self.queue_add(&session, &send.message).await?);
                Ok(sent)
            }
        }
    }

    /// Keeps a plan of a program beside the conversation and shows it as one that waits for the person.
    pub async fn plan_submit(&self, session: String, title: String, text: String) -> Result<Sent, Problem> {
        if self.env.store().get_session(&session).await?.is_none() {
            return Err(support::unknown_session(&session));
        }
        let id = SessionId(session.clone());
        if let Some(turn) = self.open_turn(&id).await? {
            return Err(Problem::new(
                ErrorCode::Conflict,
                format!("turn {turn} of this session is under way, or waits for the person"),
            )
            .with_action("submit the plan when that turn is over"));
        }
        let setup = self.setup_of(&session).await?;
        let own = self.env.home.join("sessions").join(&session);
        let kept = blocking(move || {
            keep_plan(&own, &title, &text).map_err(|error| match error.kind == Kind::Arguments {
                true => Problem::new(ErrorCode::InvalidInput, error.message),
                false => Problem::new(ErrorCode::Storage, error.message)
                    .with_action("free space or correct the permissions, then submit the plan again"),
            })
        });
        let Show::Plan { title, text, path } = kept.await? else {
            return Err(Problem::new(ErrorCode::Internal, "the stored plan can't be read"));
        };
        let plan = SubmittedPlan { session: id, setup, title, text, path };
        let turn = self.env.engine.submit_plan(plan).await?;
        Ok(Sent { session, turn: Some(turn), run: None, queued: None, steered: None, notes: Vec::new() })
    }

    /// Puts what was said so far into fewer words now.
    pub async fn session_compact(&self, session: &str) -> Result<Sent, Problem> {
        let _turn = self.env.locks.lock(Scope::Session(session.to_owned())).await;
        let id = SessionId(session.to_owned());
        if self.env.store().get_session(session).await?.is_none() {
            return Err(support::unknown_session(session));
        }
        if self.open_turn(&id).await?.is_some() {
            return Err(Problem::new(
                ErrorCode::Busy,
                "a turn is under way in this session, or waits for you",
            )
            .with_action("stop it, or wait until it has ended"));
        }
        let setup = self.setup_of(session).await?;
        let message = UserMessage { text: COMPACT.to_owned(), ..UserMessage::default() };
        let send = TurnSend { message, ..TurnSend::default() };
        let turn = self.begin(id, setup, send, None, true).await?;
        Ok(Sent {
            session: session.to_owned(),
            turn: Some(turn),
            run: None,
            queued: None,
            steered: None,
            notes: Vec::new(),
        })
    }
}

impl Conversations {
    /// A background command's output.
    pub async fn shell_show(&self, id: &str) -> Result<ShellOutput, Problem> {
        let (shell, text, bytes) = self
            .permissions
            .gate()
            .shells()
            .and_then(|shells| shells.show(id))
            .ok_or_else(|| no_shell(id))?;
        Ok(ShellOutput { shell: shell_row(shell), text, bytes })
    }

    /// Ends a background command with everything it began.
    pub async fn shell_kill(&self, id: &str) -> Result<(), Problem> {
        match self.permissions.gate().shells() {
            Some(shells) if shells.kill(id).await => Ok(()),
            Some(_) | None => Err(no_shell(id)),
        }
    }
}

fn no_shell(id: &str) -> Problem {
    Problem::new(ErrorCode::NotFound, format!("there is no command {id} in the background"))
        .with_action("it ended with its session, or with the program")
}

fn shell_row(shell: tools::shell::ShellState) -> ShellRow {
    ShellRow {
        id: shell.id,
        session: shell.session,
        command: shell.command,
        started_at: shell.started_at,
        exit: shell.exit,
        running: shell.running,
    }
}
