//! What surfaces ask of a run while it is driven.

use std::time::Instant;

use domain::{Budget, ErrorCode, PauseId, Problem};
use engine_types::{Answered, Reply};
use pipeline::Event;
use tokio::sync::oneshot;

use super::{Driver, SUSPEND_GRACE};
use crate::core::performer::{Done, due};
use crate::run::child_request::ForwardedReply;

/// What a surface asks of a run.
pub(crate) enum Command {
    Answer {
        pause: Option<PauseId>,
        reply: Box<Reply>,
        done: oneshot::Sender<Result<Answered, Problem>>,
    },
    Guide {
        text: String,
        done: Done,
    },
    Cancel {
        done: Done,
    },
    Suspend {
        done: Done,
    },
    Retry {
        done: Done,
    },
    /// Of a child run: goes on with what it may use from now on, and with the reply that it waits for.
    GoOn {
        budget: Budget,
        reply: Option<Box<ForwardedReply>>,
        done: Done,
    },
}

impl Driver {
    /// Takes a command in.
    pub(super) fn take(&mut self, command: Command) {
        match command {
            Command::Answer { pause, reply, done } => match self.answer(pause, &reply) {
                Ok(answered @ Answered::StillOpen { .. }) => {
                    let _ = done.send(Ok(answered));
                }
                Ok(answered) => {
                    let told = Box::new(move |stored: Result<(), Problem>| {
                        let _ = done.send(stored.map(|()| answered));
                    });
                    self.work.acknowledge(Ok(()), told);
                }
                Err(problem) => {
                    let _ = done.send(Err(problem));
                }
            },
            Command::Guide { text, done } => {
                self.steer_children(&text);
                self.acknowledge(Event::GuidanceQueued { text }, done);
            }
            Command::Cancel { done } => {
                if !self.journal.state.is_cancelling() {
                    self.acknowledge(Event::CancelRequested, done);
                } else {
                    let _ = done.send(Ok(()));
                }
                self.work.stop.cancel();
            }
            Command::Suspend { done } => {
                self.acknowledge(Event::Suspended, done);
                self.suspend.cancel();
                self.work.stop_at = Some(Instant::now() + SUSPEND_GRACE);
            }
            Command::GoOn { budget, reply, done } => {
                let _ = done.send(self.go_on(budget, reply.as_deref()));
            }
            Command::Retry { done } => match self.journal.state.failure.clone() {
                Some((stage, _)) => self.acknowledge(Event::RunRetried { stage }, done),
                None => {
                    let _ = done.send(Err(Problem::new(
                        ErrorCode::Conflict,
                        "the run has not failed; there is nothing to retry",
                    )));
                }
            },
        }
        self.journal.forget_idle_time();
    }

    fn go_on(&mut self, budget: Budget, reply: Option<&ForwardedReply>) -> Result<(), Problem> {
        if let Some((stage, _)) = self.journal.state.failure.clone() {
            self.journal.push(Event::RunRetried { stage })?;
        }
        if budget != self.journal.state.budget {
            self.journal.push(Event::BudgetSet { budget })?;
        }
        if let Some(ForwardedReply { pause, reply }) = reply
            && let Err(problem) = self.answer(Some(pause.clone()), reply)
        {
            // It stays at its pause, and the person is asked again.
            tracing::warn!(run = %self.journal.run, "a reply was not taken: {problem}");
        }
        Ok(())
    }

    fn acknowledge(&mut self, event: Event, done: Done) {
        let taken = self.journal.push(event);
        self.work.acknowledge(taken, due(done));
    }
}
