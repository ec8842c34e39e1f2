//! Messages that wait for the turn before them.

use domain::{ErrorCode, Problem, RunStatus, SessionId, UserMessage};
use protocol::{QueuedMessage, Scope, Tag, TurnSend};
use store::{Queued, RunFilter};
use support::{Token, now_ms};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::Conversations;

/// The most messages that wait in a session.
const MAX_QUEUED: usize = 50;

impl Conversations {
    /// Adds a message to the queue of a session; gives its id.
    pub async fn queue_add(&self, session: &str, message: &UserMessage) -> Result<String, Problem> {
        if self.env.store().queue_list(session).await?.len() >= MAX_QUEUED {
            return Err(Problem::new(ErrorCode::Busy, format!("{MAX_QUEUED} messages wait already"))
                .with_action("wait until some are answered, or remove some"));
        }
        let queued = Queued {
            id: Token::fresh()?.as_str().chars().take(16).collect(),
            at: now_ms(),
            message: text_of(message)?,
        };
        if !self.env.store().queue_push(session, &queued).await? {
            return Err(support::unknown_session(session));
        }
        Ok(queued.id)
    }

    /// Changes, moves or removes a message that waits.
    pub async fn queue_change(
        &self,
        session: &str,
        id: &str,
        text: Option<String>,
        first: bool,
    ) -> Result<(), Problem> {
        let gone = || {
            Problem::new(ErrorCode::NotFound, "this message does not wait any more")
                .with_action("it was sent or removed; look at the conversation")
        };
        let waiting = self.queue(session).await?;
        let mut queued = waiting.into_iter().find(|queued| queued.id == id).ok_or_else(gone)?;
        match text {
            Some(text) if text.trim().is_empty() => {
                self.env.store().queue_remove(id).await?;
                return Ok(());
            }
            Some(text) => {
                queued.message.mentions.retain(|mention| mention_stands(&text, mention));
                queued.message.text = text;
                if !self.env.store().queue_change(id, &text_of(&queued.message)?).await? {
                    return Err(gone());
                }
            }
            None => {}
        }
        if first {
            self.env.store().queue_first(id).await?;
            let session = SessionId(session.to_owned());
            if self.open_turn(&session).await?.is_none() {
                self.send_waiting(&session).await?;
            }
        }
        Ok(())
    }

    /// Whether the last turn of a session was stopped by the person, who then wants nothing to go on by itself.
    async fn was_stopped(&self, session: &SessionId) -> Result<bool, Problem> {
        let filter = RunFilter { session: Some(session.0.clone()), ..RunFilter::default() };
        let newest = self.env.store().list_runs(&filter, None, 1).await?.runs.into_iter().next();
        Ok(newest.is_some_and(|run| RunStatus::stored(&run.status) == RunStatus::Stopped))
    }

    /// Messages that wait, the next one first. One that can't be read any more is left out.
    pub async fn queue(&self, session: &str) -> Result<Vec<QueuedMessage>, Problem> {
        let waiting = self.env.store().queue_list(session).await?;
        Ok(waiting
            .into_iter()
            .filter_map(|queued| {
                let message = serde_json::from_str(&queued.message).ok()?;
                Some(QueuedMessage { id: queued.id, message, at: queued.at })
            })
            .collect())
    }

    /// Begins the next turn of a session in which none is under way, if a message waits.
    async fn send_next(&self, session: &SessionId) -> Result<bool, Problem> {
        let _turn = self.env.locks.lock(Scope::Session(session.0.clone())).await;
        if self.was_stopped(session).await? {
            return Ok(false);
        }
        self.send_waiting(session).await
    }

    /// As [`Self::send_next`], within the session's turn of commands, whatever became of the turn before.
    pub async fn send_waiting(&self, session: &SessionId) -> Result<bool, Problem> {
        if self.env.engine.live_turn(session).is_some() {
            return Ok(false);
        }
        let Some(next) = self.queue(&session.0).await?.into_iter().next() else { return Ok(false) };
        let setup = self.setup_of(&session.0).await?;
        let send = TurnSend { message: next.message, ..TurnSend::default() };
        self.begin(session.clone(), setup, send, None, false).await?;
        // Taken out after it was begun: a crash between the two asks once too often, which is seen; the other way round it
        // would be lost.
        self.env.store().queue_remove(&next.id).await?;
        Ok(true)
    }
}

/// Whether a mention stands where it says, after the text was changed.
fn mention_stands(text: &str, mention: &domain::Mention) -> bool {
    let units: Vec<u16> = text.encode_utf16().collect();
    let range = mention.range.0 as usize..mention.range.1 as usize;
    units.get(range).is_some_and(|part| String::from_utf16_lossy(part).contains(&mention.name))
}

fn text_of(message: &UserMessage) -> Result<String, Problem> {
    serde_json::to_string(message).map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))
}

/// Begins the next turn whenever one has ended. `again` gives the api as long as somebody else has it. A session whose next
/// turn takes long to begin keeps no other one waiting.
pub fn follow(
    again: impl Fn() -> Option<Conversations> + Send + 'static,
    mut left: mpsc::UnboundedReceiver<(SessionId, bool)>,
) -> JoinHandle<()> {
    tokio::spawn(async move {
        while let Some((session, ended)) = left.recv().await {
            let Some(local) = again() else { return };
            if !ended {
                continue;
            }
            let (titles, titled) = (local.clone(), session.clone());
            tokio::spawn(async move {
                if let Err(problem) = titles.title_when_new(&titled).await {
                    tracing::info!("{titled} keeps its title: {}", problem.message);
                }
            });
            let tasks = local.env.tasks.clone();
            tasks.keep(tokio::spawn(async move {
                match local.send_next(&session).await {
                    Ok(true) => local.env.stream.tell(&[Tag::Sessions, Tag::Runs]),
                    Ok(false) => {}
                    Err(problem) => {
                        tracing::warn!("the next message of {session} can't be sent: {}", problem.message);
                    }
                }
            }));
        }
    })
}
