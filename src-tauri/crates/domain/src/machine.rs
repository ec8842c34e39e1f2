//! What the machines of runs, turns and missions have in common.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An event with its place in the log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Record")]
pub struct Record<E> {
    /// Position in the run's log, from 1 without gaps.
    pub seq: u64,
    /// When, in milliseconds since 1970 (UTC): for display only, never for logic.
    pub at: u64,
    /// The version of the event's form.
    pub v: u32,
    /// Active milliseconds since the previous record, by a monotonic clock.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub active_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: E,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A state that is the fold of a log, and that says what comes next. It contains no IO, clock, randomness or async: the
/// engine performs the effects and turns each outcome into an event.
pub trait Machine {
    /// Something that can happen.
    type Event;
    /// Work that the machine wants done. It is listed for as long as it is wanted.
    type Effect;
    /// Why a record can't follow the state.
    type Illegal: std::error::Error;

    /// The newest version of an event that this program reads.
    const NEWEST: u32;

    /// The version in which an event is written.
    fn version(_event: &Self::Event) -> u32 {
        Self::NEWEST
    }

    /// The number of the last record folded.
    fn seq(&self) -> u64;

    /// Folds the next record of the log.
    ///
    /// # Errors
    /// When it can't follow the state, which is then as it was.
    fn apply(&mut self, record: &Record<Self::Event>) -> Result<(), Self::Illegal>;

    /// Events that the machine itself decides on now.
    fn decide(&self) -> Vec<Self::Event>;

    /// What the engine has to do now.
    fn effects(&self) -> Vec<Self::Effect>;

    /// Whether an effect touches nothing outside the process and needs no commit before it.
    fn is_local(effect: &Self::Effect) -> bool;

    /// The local effect to perform next.
    fn local_effect(&self) -> Option<Self::Effect> {
        self.effects().into_iter().find(Self::is_local)
    }
}
