//! How an event stands in the log: its name, the version that first knew its form, and what it is about.

use domain::Digest;

use crate::event::{Action, Answer, ChildEnd, Decision, Event, PauseKind, Receipt};

impl Event {
    /// The payloads that it refers to.
    pub fn payloads(&self) -> Vec<Digest> {
        match self {
            Event::RunStarted { pinned, inputs, base, .. } => {
                let edits = base.iter().flat_map(|base| base.edits.values());
                std::iter::once(pinned).chain(inputs).chain(edits).copied().collect()
            }
            Event::FollowupContextLoaded { context, .. } => context.iter().copied().collect(),
            Event::StageSkipped { output, .. } => output.iter().copied().collect(),
            Event::Resumed { reply, .. } => reply.iter().copied().collect(),
            Event::ModelCallCompleted { answer, .. } => vec![match answer {
                Answer::Valid { output, .. } => *output,
                Answer::Invalid { text, .. } => *text,
            }],
            Event::ChildRunFinished { end, .. } => match end {
                ChildEnd::Gated { output } => vec![*output],
                ChildEnd::Asks { said } => vec![*said],
                ChildEnd::Waits { form } => vec![*form],
                ChildEnd::Interrupted | ChildEnd::Short { .. } | ChildEnd::Failed { .. } => Vec::new(),
            },
            Event::CallReused { output, .. }
            | Event::ToolCallCompleted { output, .. }
            | Event::StageCompleted { output, .. }
            | Event::Edited { output, .. } => vec![*output],
            Event::ModelCallDrafted { draft, .. } => vec![*draft],
            Event::CallNeedsPermission { asks, .. } => vec![*asks],
            Event::PauseFormatted { form, .. } => vec![*form],
            Event::Repinned { pinned, .. } => vec![*pinned],
            Event::ContextHandoffApproved { handoff, .. } => vec![*handoff],
            Event::StageStarted { .. }
            | Event::StagePlanned { .. }
            | Event::CallPrepared { .. }
            | Event::ModelCallRequested { .. }
            | Event::ModelCallAccepted { .. }
            | Event::ModelCallFailed { .. }
            | Event::ToolCallRequested { .. }
            | Event::ToolCallFailed { .. }
            | Event::TimerSet { .. }
            | Event::TimerFired { .. }
            | Event::OutcomeUnknown { .. }
            | Event::StageFailed { .. }
            | Event::PauseRequested { .. }
            | Event::BudgetSet { .. }
            | Event::Amended { .. }
            | Event::GuidanceQueued { .. }
            | Event::RepairStarted { .. }
            | Event::RepairEnded { .. }
            | Event::BudgetExceeded { .. }
            | Event::ModelCallWithheld { .. }
            | Event::CancelRequested
            | Event::Suspended
            | Event::Continued
            | Event::ContextHandoffRequested { .. }
            | Event::ChildRunStarted { .. }
            | Event::RunCompleted
            | Event::RunFailed { .. }
            | Event::RunRetried { .. }
            | Event::RunCancelled => Vec::new(),
        }
    }

    /// The call, stage or pause that it is about, for messages.
    pub(crate) fn subject(&self) -> Option<String> {
        match self {
            Event::CallReused { key, .. }
            | Event::CallPrepared { key, .. }
            | Event::ModelCallRequested { key, .. }
            | Event::ModelCallAccepted { key, .. }
            | Event::ModelCallDrafted { key, .. }
            | Event::ModelCallCompleted { key, .. }
            | Event::ModelCallFailed { key, .. }
            | Event::ToolCallRequested { key, .. }
            | Event::ToolCallCompleted { key, .. }
            | Event::ToolCallFailed { key, .. }
            | Event::CallNeedsPermission { key, .. }
            | Event::ModelCallWithheld { key, .. }
            | Event::TimerSet { key, .. }
            | Event::TimerFired { key }
            | Event::ChildRunStarted { key, .. }
            | Event::ChildRunFinished { key, .. }
            | Event::OutcomeUnknown { key, .. } => Some(format!("call {key}")),
            Event::StageStarted { stage, .. }
            | Event::StagePlanned { stage, .. }
            | Event::StageCompleted { stage, .. }
            | Event::StageFailed { stage, .. }
            | Event::StageSkipped { stage, .. }
            | Event::Edited { stage, .. }
            | Event::Amended { stage, .. }
            | Event::BudgetExceeded { stage, .. }
            | Event::ContextHandoffRequested { stage, .. }
            | Event::ContextHandoffApproved { stage, .. }
            | Event::RunFailed { stage, .. }
            | Event::RunRetried { stage } => Some(format!("stage {stage}")),
            Event::PauseRequested { pause, .. }
            | Event::PauseFormatted { pause, .. }
            | Event::Resumed { pause, .. } => Some(format!("pause {pause}")),
            Event::RepairStarted { unit, .. } | Event::RepairEnded { unit, .. } => {
                Some(format!("repair unit {unit}"))
            }
            Event::RunStarted { .. }
            | Event::FollowupContextLoaded { .. }
            | Event::GuidanceQueued { .. }
            | Event::Repinned { .. }
            | Event::BudgetSet { .. }
            | Event::CancelRequested
            | Event::Suspended
            | Event::Continued
            | Event::RunCompleted
            | Event::RunCancelled => None,
        }
    }

    /// The version that first knew its form.
    pub fn version(&self) -> u32 {
        let newer = matches!(
            self,
            Event::RunStarted { inputs: Some(_), .. }
                | Event::RunStarted { parent: Some(_), .. }
                | Event::RunStarted { base: Some(_), .. }
                | Event::CallReused { .. }
                | Event::PauseRequested {
                    kind: PauseKind::Child { .. }
                        | PauseKind::Gate { .. }
                        | PauseKind::Handoff
                        | PauseKind::Permission { .. },
                    ..
                }
                | Event::StageStarted { conversation: 1.., .. }
                | Event::ContextHandoffRequested { window: 1.., .. }
                | Event::StageCompleted { progress: Some(_), .. }
                | Event::Resumed {
                    decision: Decision {
                        action: Action::Again
                            | Action::Certify
                            | Action::HandOver
                            | Action::GoOn
                            | Action::Permit
                            | Action::Refuse,
                        ..
                    },
                    ..
                }
                | Event::CallNeedsPermission { .. }
                | Event::ChildRunFinished {
                    end: ChildEnd::Waits { .. } | ChildEnd::Short { .. } | ChildEnd::Interrupted,
                    ..
                }
                | Event::Resumed { reply: Some(_), .. }
                | Event::BudgetSet { .. }
                | Event::ModelCallWithheld { .. }
                | Event::ModelCallAccepted { .. }
                | Event::ModelCallDrafted { .. }
                | Event::OutcomeUnknown { continues: true, .. }
                | Event::ModelCallFailed { receipt: Receipt { continues: true, .. }, .. }
        );
        if newer { 2 } else { 1 }
    }

    /// The event's type as it stands in the log.
    pub fn name(&self) -> &'static str {
        match self {
            Event::RunStarted { .. } => "run_started",
            Event::FollowupContextLoaded { .. } => "followup_context_loaded",
            Event::StageStarted { .. } => "stage_started",
            Event::StagePlanned { .. } => "stage_planned",
            Event::CallReused { .. } => "call_reused",
            Event::CallPrepared { .. } => "call_prepared",
            Event::ModelCallRequested { .. } => "model_call_requested",
            Event::ModelCallAccepted { .. } => "model_call_accepted",
            Event::ModelCallDrafted { .. } => "model_call_drafted",
            Event::ModelCallCompleted { .. } => "model_call_completed",
            Event::ModelCallFailed { .. } => "model_call_failed",
            Event::ToolCallRequested { .. } => "tool_call_requested",
            Event::ToolCallCompleted { .. } => "tool_call_completed",
            Event::ToolCallFailed { .. } => "tool_call_failed",
            Event::CallNeedsPermission { .. } => "call_needs_permission",
            Event::ModelCallWithheld { .. } => "model_call_withheld",
            Event::TimerSet { .. } => "timer_set",
            Event::TimerFired { .. } => "timer_fired",
            Event::OutcomeUnknown { .. } => "outcome_unknown",
            Event::StageCompleted { .. } => "stage_completed",
            Event::StageFailed { .. } => "stage_failed",
            Event::StageSkipped { .. } => "stage_skipped",
            Event::PauseRequested { .. } => "pause_requested",
            Event::PauseFormatted { .. } => "pause_formatted",
            Event::Resumed { .. } => "resumed",
            Event::Edited { .. } => "edited",
            Event::Amended { .. } => "amended",
            Event::GuidanceQueued { .. } => "guidance_queued",
            Event::Repinned { .. } => "repinned",
            Event::BudgetSet { .. } => "budget_set",
            Event::RepairStarted { .. } => "repair_started",
            Event::RepairEnded { .. } => "repair_ended",
            Event::BudgetExceeded { .. } => "budget_exceeded",
            Event::CancelRequested => "cancel_requested",
            Event::Suspended => "suspended",
            Event::Continued => "continued",
            Event::ContextHandoffRequested { .. } => "context_handoff_requested",
            Event::ContextHandoffApproved { .. } => "context_handoff_approved",
            Event::ChildRunStarted { .. } => "child_run_started",
            Event::ChildRunFinished { .. } => "child_run_finished",
            Event::RunCompleted => "run_completed",
            Event::RunFailed { .. } => "run_failed",
            Event::RunRetried { .. } => "run_retried",
            Event::RunCancelled => "run_cancelled",
        }
    }
}
