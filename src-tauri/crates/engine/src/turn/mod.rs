//! Chat turns: drives the dialogue machine.

mod host;
mod start;
mod view;

pub use host::{ChatHost, Kit, TurnScope};
pub use start::{Permit, StartTurn};
pub use view::{
    Approval, PlanView, StepDetail, StepKind, StepStatus, TurnHead, TurnStatus, TurnStep, TurnUi, TurnUiKind,
    TurnView,
};

use domain::{ErrorCode, Problem, RunId, SessionId, UserMessage};
use tokio::sync::broadcast;

use crate::Engine;

/// The kind of a turn's row in the list of runs.
pub const KIND: &str = "turn";

fn later() -> Problem {
    Problem::new(ErrorCode::Internal, "turns are not driven yet")
}

impl Engine {
    /// Tells of everything in turns from now on.
    pub fn subscribe_turns(&self) -> broadcast::Receiver<TurnUi> {
        self.turns_ui().subscribe()
    }

    /// Begins a turn. Its first commit comes before this returns: whoever knows its id finds it in the log.
    pub async fn begin_turn(&self, start: StartTurn) -> Result<(SessionId, RunId), Problem> {
        let _ = start;
        Err(later())
    }

    /// Goes on with a turn that failed, was stopped, interrupted or waits; nothing that had ended is done again.
    pub async fn resume_turn(&self, run: &RunId) -> Result<(), Problem> {
        let _ = run;
        Err(later())
    }

    /// Ends a turn for good; what it did stays. Returns when nothing of it runs any more.
    pub async fn stop_turn(&self, run: &RunId) -> Result<(), Problem> {
        let _ = run;
        Err(later())
    }

    /// Gives a message to a turn that is under way; its model reads it before its next step.
    pub async fn steer(&self, run: &RunId, message: UserMessage) -> Result<(), Problem> {
        let _ = (run, message);
        Err(later())
    }

    /// Answers a request for permission.
    pub async fn permit(&self, run: &RunId, call: &str, permit: Permit) -> Result<(), Problem> {
        let _ = (run, call, permit);
        Err(later())
    }

    /// Answers a question of the agent.
    pub async fn tell(&self, run: &RunId, call: &str, answer: String) -> Result<(), Problem> {
        let _ = (run, call, answer);
        Err(later())
    }

    /// Tells the turn of a session that is under way that the session is set differently now: mode, folders, sources, model.
    pub async fn setup_changed(&self, session: &SessionId) {
        let _ = session;
    }

    /// The turn of a session that is under way or waits in this process, where there is one.
    pub fn live_turn(&self, session: &SessionId) -> Option<RunId> {
        let _ = session;
        None
    }

    /// A turn with its steps.
    pub async fn turn_view(&self, run: &RunId) -> Result<TurnView, Problem> {
        let _ = run;
        Err(later())
    }

    /// What a list of steps leaves out of one.
    pub async fn turn_step(&self, run: &RunId, step: &str) -> Result<StepDetail, Problem> {
        let _ = (run, step);
        Err(later())
    }

    /// Copies a conversation up to and with a turn into a new session; gives the session.
    pub async fn branch(&self, run: &RunId) -> Result<SessionId, Problem> {
        let _ = run;
        Err(later())
    }
}
