//! How a run stands.

use domain::RunStatus;

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// No `run_started` yet.
    Empty,
    /// Something can go on.
    Running,
    /// It waits for the person.
    Paused,
    /// Stopped by the person until continued.
    Suspended,
    /// Finished with a document.
    Completed,
    /// A stage failed; it can be retried.
    Failed,
    /// Ended by the person.
    Cancelled,
}

impl From<Status> for RunStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Empty | Status::Running => Self::Running,
            Status::Paused => Self::Paused,
            Status::Suspended => Self::Suspended,
            Status::Completed => Self::Completed,
            Status::Failed => Self::Failed,
            Status::Cancelled => Self::Cancelled,
        }
    }
}
