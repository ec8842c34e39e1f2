//! Exit codes.

use std::process::ExitCode;

use app::Exit;
use domain::{ErrorCode, Problem};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It did what was asked.
    Done = 0,
    /// A run or a command failed, or a run finished although its check does not pass.
    Failed = 1,
    /// Wrong usage or input.
    Usage = 2,
    /// A run waits for an answer.
    Paused = 3,
    /// There is nothing to resume.
    NothingToResume = 4,
    /// A run was cancelled.
    Cancelled = 5,
    /// The data directory can't be used.
    Storage = 6,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        ExitCode::from(outcome as u8)
    }
}

/// Of a run.
pub fn of_exit(exit: Exit) -> Outcome {
    match exit {
        Exit::Completed => Outcome::Done,
        Exit::Paused => Outcome::Paused,
        Exit::Failed => Outcome::Failed,
        Exit::Cancelled => Outcome::Cancelled,
    }
}

/// Of a failure.
pub fn of_problem(problem: &Problem) -> Outcome {
    match problem.code {
        ErrorCode::InvalidInput | ErrorCode::InvalidConfig | ErrorCode::NotFound => Outcome::Usage,
        ErrorCode::Busy | ErrorCode::NewerData | ErrorCode::Storage | ErrorCode::Corrupt => Outcome::Storage,
        ErrorCode::Cancelled => Outcome::Cancelled,
        ErrorCode::Conflict
        | ErrorCode::Source
        | ErrorCode::Provider
        | ErrorCode::InvalidAnswer
        | ErrorCode::ContextTooLong
        | ErrorCode::Budget
        | ErrorCode::Deadline
        | ErrorCode::Permission
        | ErrorCode::Internal => Outcome::Failed,
    }
}
