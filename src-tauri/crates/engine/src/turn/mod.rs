//! Chat turns: drives the dialogue machine.
//!
//! [`drive`] performs what the machine wants done: calls of the model ([`model`]) and of tools ([`calls`]). [`history`]
//! makes messages of what was said, [`show`] makes steps of what happened.

mod arguments;
mod ask;
mod branch;
mod calls;
mod command;
mod compact;
mod conversation;
mod detail;
mod drive;
mod gate;
mod history;
mod host;
mod imported;
mod in_flight;
mod journal;
mod model;
mod pictures;
mod pinned;
mod redrive;
mod replay;
mod show;
mod stage;
mod start;
mod steps;
mod stream;
mod submitted_plan;
mod text;
mod title;
mod tool;
mod transcript;
mod turns;
mod withheld;

pub(crate) use arguments::naming;
pub use ask::Question;
pub(crate) use calls::{claims_of, reasons, strictness};
pub use conversation::SessionEntries;
pub use engine_types::{
    Approval, PlanState, PlanView, StageRef, StepDetail, StepKind, StepStatus, TurnHead, TurnStatus,
    TurnStep, TurnUi, TurnUiKind, TurnView,
};
pub(crate) use gate::NAME as STAGE_GATE;
pub use host::{ChatHost, StageCall, TurnContext, TurnScope};
pub use imported::{ImportedMedia, ImportedPart, ImportedTurn, told_commits};
pub use journal::decode_turn;
pub use replay::TurnRequest;
pub(crate) use stage::{SharedTask, StageTask, StageTurnCause, StageTurnOutcome, StageTurnRequest};
pub use start::{PermissionReply, StartTurn};
pub use submitted_plan::SubmittedPlan;
pub use transcript::TurnTranscript;
pub(crate) use turns::Turns;

use domain::{ErrorCode, Problem, RunId, SessionId, UserMessage};
use tokio::sync::broadcast;

use crate::Engine;
pub use crate::core::log::encode_log as encode_turn;
use command::Command;

/// The kind of a turn's row in the list of runs.
pub const KIND: &str = "turn";

/// A turn was named where a staged run is expected.
pub fn no_run(turn: &RunId, session: &str) -> Problem {
    Problem::new(ErrorCode::InvalidInput, format!("{turn} is a turn of the conversation {session}"))
        .with_action(format!(
            "use `agentnative chat --session {session}`; `agentnative show {turn}` prints it"
        ))
}

/// A staged run was named where a turn is expected.
fn no_turn(run: &RunId, agent: &str) -> Problem {
    let what = format!("{run} is a run of the agent {agent}, no turn of a conversation");
    Problem::new(ErrorCode::InvalidInput, what)
        .with_action(format!("use `agentnative show {run}` or `agentnative resume {run}`"))
}

impl Engine {
    /// Tells of everything in turns from now on.
    pub fn subscribe_turns(&self) -> broadcast::Receiver<TurnUi> {
        self.turns_ui().subscribe()
    }

    /// Begins a turn. Its first commit comes before this returns: whoever knows its id finds it in the log.
    ///
    /// # Errors
    /// `InvalidInput` for an empty message, `Conflict` while another turn of the session is under way, `NotFound` without the
    /// connection; what the program around says of its tools.
    pub async fn begin_turn(&self, start: StartTurn) -> Result<(SessionId, RunId), Problem> {
        self.begin(start).await
    }

    /// Puts a plan that a program handed in before the person, as a turn of its own in which no model is asked.
    ///
    /// # Errors
    /// `Conflict` while another turn of the session is under way.
    pub async fn submit_plan(&self, plan: SubmittedPlan) -> Result<RunId, Problem> {
        self.take_plan(plan).await
    }

    /// Goes on with a turn that failed, was stopped, interrupted or waits; nothing that had ended is done again.
    ///
    /// # Errors
    /// `Conflict` when it is completed, or another turn of its session is under way.
    pub async fn resume_turn(&self, run: &RunId) -> Result<(), Problem> {
        self.resume_one(run).await
    }

    /// The most that a turn would pay a second time if it went on after a crash: the call to its model that was under way.
    ///
    /// # Errors
    /// `NotFound` when there is no such turn.
    pub async fn lost_cost(&self, run: &RunId) -> Result<domain::NanoUsd, Problem> {
        Ok(self.load_turn(run).await?.journal.state.lost_reserve().cost)
    }

    /// Ends a turn for good; what it did stays. Returns when nothing of it runs any more.
    ///
    /// # Errors
    /// `NotFound` when there is no such turn.
    pub async fn stop_turn(&self, run: &RunId) -> Result<(), Problem> {
        self.stop_one(run).await
    }

    /// Gives a message to a turn that is under way; its model reads it before its next step.
    ///
    /// # Errors
    /// `Conflict` when it is not under way: the message is to be sent as the next turn.
    pub async fn steer(&self, run: &RunId, message: UserMessage) -> Result<(), Problem> {
        if !self.turns().live.is_live(run) {
            return Err(Problem::new(ErrorCode::Conflict, format!("turn {run} is not under way"))
                .with_action("send the message as the next one"));
        }
        self.ask_turn(run, |done| Command::Steer { message: message.clone(), done }).await
    }

    /// Answers a request for permission.
    ///
    /// # Errors
    /// `NotFound` for an unknown call, `Conflict` when nobody is asked any more, `InvalidInput` for an offer that was not made.
    pub async fn permit(&self, run: &RunId, call: &str, permit: PermissionReply) -> Result<(), Problem> {
        self.ask_turn(run, |done| Command::Permit { call: call.to_owned(), permit: permit.clone(), done })
            .await
    }

    /// Answers a question of the agent.
    ///
    /// # Errors
    /// `NotFound` for an unknown call, `Conflict` when it asks nothing any more.
    pub async fn tell(&self, run: &RunId, call: &str, answer: String) -> Result<(), Problem> {
        self.ask_turn(run, |done| Command::Tell { call: call.to_owned(), answer: answer.clone(), done }).await
    }

    /// Tells the turns of a session that are under way, those of a run's stages too, that the session is set differently now: mode, folders, sources.
    pub async fn setup_changed(&self, session: &SessionId) {
        for run in self.turns().live.all_of(session) {
            if let Err(problem) = self.ask_turn(&run, |done| Command::Setup { done }).await {
                tracing::warn!(run = %run, "the session's setup did not reach its turn: {problem}");
            }
        }
    }

    /// The turn of a session that is under way or waits in this process, where there is one.
    pub fn live_turn(&self, session: &SessionId) -> Option<RunId> {
        self.turns().live.of_session(session)
    }

    /// A turn with its steps.
    ///
    /// # Errors
    /// `NotFound` when there is no such turn, `Corrupt` when its log can't be read.
    pub async fn turn_view(&self, run: &RunId) -> Result<TurnView, Problem> {
        self.view_of(run).await
    }

    /// A turn's events after a number, in order.
    ///
    /// # Errors
    /// `NotFound` when there is no such turn, `InvalidInput` when it is a staged run.
    pub async fn turn_events(&self, run: &RunId, after: u64) -> Result<Vec<dialogue::Record>, Problem> {
        let mut records = self.load_turn(run).await?.records;
        records.retain(|record| record.seq > after);
        Ok(records)
    }

    /// What a list of steps leaves out of one.
    ///
    /// # Errors
    /// `NotFound` when there is no such turn or step.
    pub async fn turn_step(&self, run: &RunId, step: &str) -> Result<StepDetail, Problem> {
        self.step_of(run, step).await
    }

    /// Copies a conversation up to and with a turn into a new session; gives the session.
    ///
    /// # Errors
    /// `Conflict` while the turn is not over.
    pub async fn branch(&self, run: &RunId) -> Result<SessionId, Problem> {
        self.branch_at(run).await
    }
}
