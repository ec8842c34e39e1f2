//! The moments of a log after which a run's state is a checkpoint: what is done by then is never done again.

use domain::StageId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::{CallKey, ChildEnd, Event};

/// What makes a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckpointCause {
    /// The run began.
    RunStarted,
    /// A stage is about to work.
    StageStarted,
    /// One of a stage's calls gave its result: that of an item, where the stage has one for each.
    ItemComplete,
    /// So many more words of an answer have been streamed.
    WordsWritten,
    /// A stage ended.
    StageComplete,
    /// A stage was left out.
    StageSkipped,
    /// The check of a gate or of a repair unit passed.
    CheckPassed,
    /// It did not.
    CheckFailed,
    /// A repair begins: another cycle.
    RepairStarted,
    /// The repairs are over, and the check has not passed.
    RepairEnded,
    /// A call or a stage failed.
    Error,
    /// The run waits for the person.
    Paused,
    /// The person decided.
    Decided,
    /// The program was stopped, or the run with it.
    Suspended,
    /// It goes on after that.
    Continued,
    /// The run ended with its result.
    RunComplete,
    /// It ended without, or was cancelled.
    RunFailed,
}

impl CheckpointCause {
    /// Its name in data.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RunStarted => "run_started",
            Self::StageStarted => "stage_started",
            Self::ItemComplete => "item_complete",
            Self::WordsWritten => "words_written",
            Self::StageComplete => "stage_complete",
            Self::StageSkipped => "stage_skipped",
            Self::CheckPassed => "check_passed",
            Self::CheckFailed => "check_failed",
            Self::RepairStarted => "repair_started",
            Self::RepairEnded => "repair_ended",
            Self::Error => "error",
            Self::Paused => "paused",
            Self::Decided => "decided",
            Self::Suspended => "suspended",
            Self::Continued => "continued",
            Self::RunComplete => "run_complete",
            Self::RunFailed => "run_failed",
        }
    }
}

/// A moment at which the state is a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// Why.
    pub trigger: CheckpointCause,
    /// Of which stage it tells.
    pub stage: Option<StageId>,
    /// Of which call.
    pub call: Option<CallKey>,
    /// Of which repair unit, by its number.
    pub unit: Option<u32>,
}

impl Moment {
    /// Whether it is a checkpoint: a call that is not of an item is none.
    pub fn counts(&self, has_items: bool) -> bool {
        self.trigger != CheckpointCause::ItemComplete || has_items
    }

    /// The moment that an event makes, where it makes one.
    pub fn from_event(event: &Event) -> Option<Self> {
        use CheckpointCause as Cause;
        let moment = |trigger| Self { trigger, stage: None, call: None, unit: None };
        let of_stage = |trigger, stage: &StageId| Self { stage: Some(stage.clone()), ..moment(trigger) };
        let of_call =
            |trigger, key: &CallKey| Self { call: Some(key.clone()), ..of_stage(trigger, &key.stage) };
        let of_unit = |trigger, unit: u32| Self { unit: Some(unit), ..moment(trigger) };
        Some(match event {
            Event::RunStarted { .. } => moment(Cause::RunStarted),
            Event::StageStarted { stage, .. } => of_stage(Cause::StageStarted, stage),
            Event::ModelCallCompleted { key, .. }
            | Event::ToolCallCompleted { key, .. }
            | Event::CallReused { key, .. }
            | Event::ChildRunFinished { key, end: ChildEnd::Gated { .. }, .. } => {
                of_call(Cause::ItemComplete, key)
            }
            Event::ModelCallDrafted { key, .. } => of_call(Cause::WordsWritten, key),
            Event::StageCompleted { stage, passed: Some(true), .. } => of_stage(Cause::CheckPassed, stage),
            Event::StageCompleted { stage, passed: Some(false), .. } => of_stage(Cause::CheckFailed, stage),
            Event::StageCompleted { stage, passed: None, .. } => of_stage(Cause::StageComplete, stage),
            Event::StageSkipped { stage, .. } => of_stage(Cause::StageSkipped, stage),
            Event::RepairStarted { unit, .. } => of_unit(Cause::RepairStarted, *unit),
            Event::RepairEnded { unit, .. } => of_unit(Cause::RepairEnded, *unit),
            Event::StageFailed { stage, .. } => of_stage(Cause::Error, stage),
            Event::ModelCallFailed { key, .. }
            | Event::ToolCallFailed { key, .. }
            | Event::ChildRunFinished { key, end: ChildEnd::Failed { .. }, .. } => of_call(Cause::Error, key),
            Event::PauseRequested { stage, .. } => of_stage(Cause::Paused, stage),
            Event::Resumed { .. } => moment(Cause::Decided),
            Event::Suspended => moment(Cause::Suspended),
            Event::Continued => moment(Cause::Continued),
            Event::RunCompleted => moment(Cause::RunComplete),
            Event::RunFailed { .. } | Event::RunCancelled => moment(Cause::RunFailed),
            Event::FollowupContextLoaded { .. }
            | Event::StagePlanned { .. }
            | Event::CallPrepared { .. }
            | Event::ModelCallRequested { .. }
            | Event::ModelCallAccepted { .. }
            | Event::ToolCallRequested { .. }
            | Event::CallNeedsPermission { .. }
            | Event::ModelCallWithheld { .. }
            | Event::TimerSet { .. }
            | Event::TimerFired { .. }
            | Event::OutcomeUnknown { .. }
            | Event::PauseFormatted { .. }
            | Event::BudgetSet { .. }
            | Event::Edited { .. }
            | Event::Amended { .. }
            | Event::GuidanceQueued { .. }
            | Event::Repinned { .. }
            | Event::BudgetExceeded { .. }
            | Event::CancelRequested
            | Event::ContextHandoffRequested { .. }
            | Event::ContextHandoffApproved { .. }
            | Event::ChildRunStarted { .. }
            | Event::ChildRunFinished {
                end:
                    ChildEnd::Asks { .. }
                    | ChildEnd::Waits { .. }
                    | ChildEnd::Interrupted
                    | ChildEnd::Short { .. },
                ..
            }
            | Event::RunRetried { .. } => return None,
        })
    }
}
