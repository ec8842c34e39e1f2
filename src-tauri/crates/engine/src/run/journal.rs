//! How a staged run stands in its log and in the lists.

use domain::{NanoUsd, RunStatus};
use pipeline::{State, Status};

use crate::core::journal::Logged;

/// A run's state and the part of its log that is not stored yet.
pub(crate) type Journal = crate::core::journal::Journal<State>;

impl Logged for State {
    type View = ();

    fn listed(&self) -> (RunStatus, bool) {
        let status = self.status();
        (status.into(), matches!(status, Status::Paused | Status::Completed | Status::Failed))
    }

    fn set_aside(&self) -> NanoUsd {
        State::set_aside(self)
    }
}
