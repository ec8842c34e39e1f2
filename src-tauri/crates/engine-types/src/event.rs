//! What surfaces are told while runs go on. Committed events carry their `seq`; deltas and progress travel beside the
//! log and may be lost: after a gap a surface reads the log again from the last number it saw.

use domain::{NanoUsd, Problem, RunId, RunStatus, StageId, Usage};
use pipeline::Record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::form::Form;

/// How a run left the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exit {
    /// With a document.
    Completed,
    /// Waiting for the person.
    Paused,
    /// A stage failed; it can be retried.
    Failed,
    /// Ended by the person.
    Cancelled,
}

impl Exit {
    /// How a run of this status leaves the engine; one that is under way does not.
    pub fn from_status(status: RunStatus) -> Option<Self> {
        match status {
            RunStatus::Running => None,
            RunStatus::Completed | RunStatus::Planned => Some(Self::Completed),
            RunStatus::Waiting | RunStatus::Paused | RunStatus::Suspended | RunStatus::Interrupted => {
                Some(Self::Paused)
            }
            RunStatus::Failed => Some(Self::Failed),
            RunStatus::Cancelled | RunStatus::Stopped => Some(Self::Cancelled),
        }
    }
}

/// Something that a surface may show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UiEvent {
    /// The run.
    pub run: RunId,
    /// The last committed event's number.
    pub seq: u64,
    /// What.
    #[serde(flatten)]
    pub kind: UiKind,
}

/// What a surface is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum UiKind {
    /// An event was committed.
    Event {
        /// The event with its number.
        record: Box<Record>,
    },
    /// Text arrived from a model.
    Delta {
        /// The stage.
        stage: StageId,
        /// The item, for stages with several calls.
        item: u32,
        /// The text.
        text: String,
        /// Whether it is thinking.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        thinking: bool,
    },
    /// What a stage is doing, in words.
    Progress {
        /// The stage.
        stage: StageId,
        /// In words.
        text: String,
        /// Calls of the wave that have ended.
        done: u32,
        /// Calls of the wave.
        total: u32,
    },
    /// A call waits before its next attempt.
    Waiting {
        /// The stage.
        stage: StageId,
        /// Milliseconds.
        ms: u64,
        /// Why.
        problem: Problem,
    },
    /// The run waits for the person.
    Pause {
        /// What to show and ask.
        form: Box<Form>,
    },
    /// What the run has used.
    Meter {
        /// Tokens.
        usage: Usage,
        /// Money.
        cost: NanoUsd,
        /// What a flat rate paid for, as it would have cost by use.
        #[serde(default, skip_serializing_if = "is_nothing")]
        equivalent: NanoUsd,
        /// The most that interrupted calls may have cost besides.
        doubtful: NanoUsd,
        /// Active milliseconds.
        active_ms: u64,
    },
    /// The run has left the engine; sent exactly once each time it was driven.
    Done {
        /// How.
        exit: Exit,
        /// What went wrong, when it failed or could not go on.
        problem: Option<Problem>,
    },
}

fn is_nothing(money: &NanoUsd) -> bool {
    money.0 == 0
}
