//! `call_model`: each question is a conversation of its own without tools, so that it is metered, bounded and kept like any
//! other; when it is over it is archived.

use std::time::Duration;

use app::AnyClient;
use app::turn::{TurnStatus, TurnUiKind, TurnView};
use domain::{ErrorCode, Mode, NanoUsd, Problem, RunId, UserMessage};
use mcp_servers::{ModelText, Question};
use protocol::{ApiEvent, Client, Request, Sent, SessionPatch, SetupPatch, TurnSend};
use tokio::sync::Mutex;
use tokio::sync::broadcast::{self, error::RecvError};

/// The most tokens of one question: what bounds models that cost nothing.
const MAX_TOKENS: u64 = 200_000;
/// How long nothing may be heard of a question before its state is asked for.
const POLL_AFTER: Duration = Duration::from_secs(5);

/// What may be spent on questions; one is asked at a time.
pub(super) struct BudgetGuard(Mutex<NanoUsd>);

impl BudgetGuard {
    /// With so many US dollars.
    pub(super) fn from_usd(usd: f64) -> Self {
        Self(Mutex::new(NanoUsd::from_usd(usd)))
    }

    /// Asks a model within what is left.
    pub(super) async fn ask(&self, client: &AnyClient, question: Question) -> Result<ModelText, Problem> {
        let mut left = self.0.lock().await;
        if left.0 == 0 {
            return Err(Problem::new(ErrorCode::Budget, "the budget for questions is spent")
                .with_action("ask the user to restart the server with a larger --model-budget"));
        }
        let most = question.budget_usd.map_or(*left, |usd| NanoUsd::from_usd(usd).min(*left));
        // What becomes of a question that nobody waits for any more is not known: then all of it counts as spent.
        let rest = NanoUsd(left.0 - most.0);
        let after = std::mem::replace(&mut *left, rest);
        let asked = begin(client, question, most).await;
        let asked = match asked {
            Ok(asked) => asked,
            Err(problem) => {
                *left = after;
                return Err(problem);
            }
        };
        let view = asked.ended(client).await?;
        let spent = view.head.cost + view.head.doubtful;
        *left = NanoUsd(after.0.saturating_sub(spent.0));
        model_text(view, *left)
    }
}

/// A question that was begun; stopped when nobody waits for it any more.
struct PendingQuestion {
    client: AnyClient,
    session: String,
    turn: RunId,
    events: broadcast::Receiver<ApiEvent>,
    over: bool,
}

async fn begin(client: &AnyClient, question: Question, most: NanoUsd) -> Result<PendingQuestion, Problem> {
    let send = TurnSend {
        message: UserMessage { text: question.prompt, ..UserMessage::default() },
        connection: question.connection,
        model: question.model,
        setup: SetupPatch { mode: Some(Mode::Safe), bare: Some(true), ..SetupPatch::default() },
        budget_usd: Some(most.usd()),
        budget_tokens: Some(MAX_TOKENS),
        ..TurnSend::default()
    };
    let events = client.events();
    let Sent { session, turn, .. } = client.turn_send(Box::new(send)).await?;
    let turn =
        turn.ok_or_else(|| Problem::new(ErrorCode::Internal, "the question was sent, but no turn began"))?;
    Ok(PendingQuestion { client: client.clone(), session, turn, events, over: false })
}

impl PendingQuestion {
    async fn ended(mut self, client: &AnyClient) -> Result<TurnView, Problem> {
        let view = loop {
            let view = client.turn_show(self.turn.clone()).await?;
            match view.head.status {
                TurnStatus::Running => self.changed().await?,
                // Nobody would answer.
                TurnStatus::Waiting | TurnStatus::Interrupted => {
                    return Err(Problem::new(
                        ErrorCode::Conflict,
                        "the question can't be answered without the person",
                    ));
                }
                TurnStatus::Completed | TurnStatus::Stopped | TurnStatus::Failed => break view,
            }
        };
        self.over = true;
        archive(client, &self.session).await;
        Ok(view)
    }

    async fn changed(&mut self) -> Result<(), Problem> {
        loop {
            tokio::select! {
                event = self.events.recv() => match event {
                    Ok(ApiEvent::Turn(told)) if told.run == self.turn => {
                        if matches!(told.kind, TurnUiKind::Changed { .. }) {
                            return Ok(());
                        }
                    }
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => return Ok(()),
                    Err(RecvError::Closed) => {
                        return Err(Problem::new(ErrorCode::Busy, "the connection to the instance that asks the model was lost"));
                    }
                },
                () = tokio::time::sleep(POLL_AFTER) => return Ok(()),
            }
        }
    }
}

impl Drop for PendingQuestion {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        let (client, session, run) = (self.client.clone(), self.session.clone(), self.turn.clone());
        tokio::spawn(async move {
            // It may have ended meanwhile; whoever asked has gone.
            let _ = client.call(Request::TurnStop { run }).await;
            archive(&client, &session).await;
        });
    }
}

/// A question is over: it need not stand among the person's own conversations.
async fn archive(client: &AnyClient, session: &str) {
    let patch = SessionPatch { archived: Some(true), ..SessionPatch::default() };
    if let Err(problem) = client.session_update(vec![session.to_owned()], patch).await {
        tracing::warn!(session, "a question was not archived: {problem}");
    }
}

fn model_text(view: TurnView, left: NanoUsd) -> Result<ModelText, Problem> {
    let head = view.head;
    let answered = head.usage.output > 0 || head.notes.is_empty();
    match (head.status, head.answer) {
        (TurnStatus::Completed, Some(text)) if answered && !text.trim().is_empty() => Ok(ModelText {
            text,
            connection: head.connection,
            model: head.model,
            tokens: head.usage.total(),
            cost_usd: head.cost.usd(),
            left_usd: left.usd(),
            session: head.session.0,
        }),
        (TurnStatus::Stopped, _) => Err(Problem::new(ErrorCode::Cancelled, "the question was stopped")),
        (TurnStatus::Failed, _) => Err(head
            .problem
            .unwrap_or_else(|| Problem::new(ErrorCode::Provider, "the model was asked and failed"))),
        _ => Err(Problem::new(
            ErrorCode::Budget,
            match head.notes.join(" ") {
                notes if notes.is_empty() => "the model gave no answer".to_owned(),
                notes => notes,
            },
        )
        .with_action(format!("ask for less, or allow more; {left} is left for this server"))),
    }
}
