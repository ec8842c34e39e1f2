//! What surfaces ask of a turn while it is driven.

use dialogue::{Event, Status, Verdict};
use domain::{ErrorCode, Offer, Problem, Ruling, SessionSetup, UserMessage};
use tokio::sync::oneshot;

use super::ask::{Granted, PermissionOutcome, Question};
use super::drive::{Driver, Outcome};
use super::host::TurnContext;
use super::in_flight::InFlight;
use super::start::PermissionReply;
use super::tool::Offered;
use crate::core::performer::{Done, Due, due};

/// What a surface asks of a turn.
pub(crate) enum Command {
    Stop {
        done: Done,
    },
    Suspend {
        done: Done,
    },
    Retry {
        done: Done,
    },
    Steer {
        message: UserMessage,
        done: Done,
    },
    Permit {
        call: String,
        permit: PermissionReply,
        done: Done,
    },
    Tell {
        call: String,
        answer: String,
        done: Done,
    },
    Setup {
        done: Done,
    },
    /// A call of a tool wants to ask the model.
    Ask {
        call: String,
        question: Question,
        told: oneshot::Sender<Result<Granted, Problem>>,
    },
    /// It has asked.
    Asked {
        call: String,
        asked: Box<PermissionOutcome>,
        done: Done,
    },
}

fn conflict(message: impl Into<String>) -> Problem {
    Problem::new(ErrorCode::Conflict, message)
}

impl Driver {
    /// Takes a command in.
    pub(super) async fn take(&mut self, command: Command) {
        if self.work.tasks.is_empty() {
            self.journal.forget_idle_time();
        }
        let (taken, answer) = match command {
            Command::Stop { done } => (self.stop_asked(), due(done)),
            Command::Suspend { done } => (self.suspend(), due(done)),
            Command::Retry { done } => (self.retry(), due(done)),
            Command::Steer { message, done } => (self.steered(&message), due(done)),
            Command::Permit { call, permit, done } => (self.permitted(&call, permit).await, due(done)),
            Command::Tell { call, answer, done } => (self.answered(&call, answer), due(done)),
            Command::Setup { done } => (self.set_anew().await, due(done)),
            Command::Ask { call, question, told } => match self.grant_ask(&call, question).await {
                Ok(granted) => {
                    let answer: Due = Box::new(move |stored| {
                        let _ = told.send(stored.map(|()| granted));
                    });
                    (Ok(()), answer)
                }
                Err(problem) => {
                    let _ = told.send(Err(problem));
                    return;
                }
            },
            Command::Asked { call, asked, done } => (self.take_ask(&call, *asked), due(done)),
        };
        self.work.acknowledge(taken, answer);
    }

    fn stop_asked(&mut self) -> Result<(), Problem> {
        if matches!(self.journal.state.status(), Status::Completed | Status::Stopped | Status::Failed) {
            return Ok(());
        }
        if !self.journal.state.stopping {
            self.journal.push(Event::StopRequested)?;
        }
        self.cancel_tasks();
        self.end_what_nobody_runs()
    }

    fn retry(&mut self) -> Result<(), Problem> {
        match self.journal.state.status() {
            Status::Failed | Status::Stopped => self.journal.push(Event::Retried),
            Status::Empty | Status::Running | Status::Waiting | Status::Suspended | Status::Completed => {
                Ok(())
            }
        }
    }

    fn steered(&mut self, message: &UserMessage) -> Result<(), Problem> {
        if !self.journal.state.takes_steering() || self.leaving {
            return Err(conflict("the turn is over; send the message as the next one"));
        }
        let message = self.journal.blobs.put_json(message)?;
        self.journal.push(Event::Steered { message })
    }

    async fn permitted(&mut self, call: &str, permit: PermissionReply) -> Result<(), Problem> {
        let offers = match self.journal.state.tools.get(call) {
            None => {
                return Err(Problem::new(ErrorCode::NotFound, format!("the turn has no call {call}")));
            }
            Some(known) => match &known.ruling {
                Some(Ruling::Ask { offers, .. }) if known.is_asking() => offers.clone(),
                _ => return Err(conflict(format!("nobody is asked for permission of call {call} any more"))),
            },
        };
        let claims = self.claims_of(call).await?;
        let offer = match permit {
            PermissionReply::Deny(reason) => {
                for claim in &claims {
                    self.chat.refused(&self.scope, call, claim).await;
                }
                let verdict = Verdict::Denied { reason };
                return self.journal.push(Event::ToolAnswered { call: call.to_owned(), verdict });
            }
            PermissionReply::Allow(place) => offers.get(place).cloned(),
            PermissionReply::Offer(scope, covers) => {
                offers.iter().find(|offer| offer.scope == scope && offer.covers == covers).cloned()
            }
        };
        let offer: Offer = offer.ok_or_else(|| {
            let what = format!("call {call} has no such offer; there are {}", offers.len());
            Problem::new(ErrorCode::InvalidInput, what)
        })?;
        let Some(claim) = claims.first() else {
            return Err(conflict(format!("call {call} can't be done any more")));
        };
        let grant = self.chat.grant(&self.scope, call, claim, &offer).await?;
        let verdict = Verdict::Allowed { scope: offer.scope, grant: grant.id, confined: domain::Walls::Open };
        self.journal.push(Event::ToolAnswered { call: call.to_owned(), verdict })?;
        self.cover_others(offer.scope).await
    }

    /// What was granted for longer may cover other calls that wait.
    async fn cover_others(&mut self, scope: domain::GrantScope) -> Result<(), Problem> {
        if scope == domain::GrantScope::Once {
            return Ok(());
        }
        let waiting: Vec<String> = self
            .journal
            .state
            .tools
            .iter()
            .filter(|(_, call)| call.is_asking())
            .map(|(id, _)| id.clone())
            .collect();
        for call in waiting {
            let mut allowed = None;
            for claim in self.claims_of(&call).await? {
                match self.chat.authorize(&self.scope, &call, &claim).await? {
                    Ruling::Allow { by, confined } => allowed = Some((by, confined)),
                    Ruling::Ask { .. } | Ruling::Deny { .. } => {
                        allowed = None;
                        break;
                    }
                }
            }
            if let Some((by, confined)) = allowed {
                let intent = self.journal.state.tools.get(&call).map(|call| call.intent.clone());
                self.journal.push(Event::ToolJudged {
                    call,
                    ruling: Ruling::Allow { by, confined },
                    preview: None,
                    intent: intent.unwrap_or_default(),
                })?;
            }
        }
        Ok(())
    }

    fn answered(&mut self, call: &str, answer: String) -> Result<(), Problem> {
        match self.journal.state.tools.get(call) {
            None => Err(Problem::new(ErrorCode::NotFound, format!("the turn has no call {call}"))),
            Some(known) if !known.is_questioning() => {
                Err(conflict(format!("call {call} asks nothing any more")))
            }
            Some(_) => self.journal.push(Event::QuestionAnswered { call: call.to_owned(), answer }),
        }
    }

    /// The session is set differently now. The mode counts at once, tools and instructions with the next step.
    async fn set_anew(&mut self) -> Result<(), Problem> {
        let Some(message) = self.journal.state.start.as_ref().map(|start| start.message) else {
            return Ok(());
        };
        if self.journal.state.end.is_some() || self.journal.state.stopping {
            return Ok(());
        }
        let setup = self.chat.setup(&self.scope.session).await?;
        if setup.mode != self.journal.state.mode {
            self.journal.push(Event::ModeChanged { mode: setup.mode })?;
        }
        let message: UserMessage = self.journal.blobs.json(message).await?;
        let (chat, scope) = (self.chat.clone(), self.scope.clone());
        self.setup = setup.clone();
        let handle = self.work.tasks.spawn(async move {
            let kit = chat.turn_context(&scope, &setup, &message).await;
            Outcome::TurnContext(kit.map(|kit| (setup, kit)))
        });
        self.busy.insert(handle.id(), (InFlight::TurnContext, handle));
        Ok(())
    }

    /// Takes over other tools and instructions.
    pub(super) fn fit(&mut self, setup: SessionSetup, kit: &TurnContext) -> Result<(), Problem> {
        // Set anew once more meanwhile: what comes of that counts.
        if self.journal.state.end.is_some() || self.journal.state.stopping || setup != self.setup {
            return Ok(());
        }
        let pinned = self.pinned.with_context(kit, setup.effort);
        if pinned != *self.pinned {
            let digest = self.journal.blobs.put_json(&pinned)?;
            self.journal.push(Event::Repinned { pinned: digest })?;
            self.pinned = pinned.into();
        }
        self.kit = Offered::all(kit);
        Ok(())
    }
}
