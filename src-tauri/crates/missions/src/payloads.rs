//! Which payloads an event refers to.

use domain::Digest;

use crate::event::{ChildEnd, Event};

impl Event {
    /// The payloads that it refers to.
    pub fn payloads(&self) -> Vec<Digest> {
        match self {
            Self::MissionStarted { inputs, pinned, graph, .. } => {
                std::iter::once(pinned).chain(inputs).chain(&graph.snapshot).copied().collect()
            }
            Self::RequestSplit { objective, output_specification, original, .. } => {
                [objective, original].into_iter().chain(output_specification).copied().collect()
            }
            Self::PlanEdited { edits, changes, .. } => vec![*edits, *changes],
            Self::PlanIntegrated { changes, .. }
            | Self::GraphJoined { changes, .. }
            | Self::Integrated { changes, .. }
            | Self::Analysed { changes, .. } => vec![*changes],
            Self::InvocationReused { output, .. } => vec![*output],
            Self::ChildRunFinished { end, .. } => match end {
                ChildEnd::Finished { output } => vec![*output],
                ChildEnd::Waits { form } => vec![*form],
                ChildEnd::Interrupted | ChildEnd::Short { .. } | ChildEnd::Failed { .. } => Vec::new(),
            },
            Self::DecisionRefused { decision, .. } => vec![*decision],
            Self::DecisionTaken { reasons, .. } => reasons.iter().copied().collect(),
            Self::Steered { text } => vec![*text],
            Self::ClaimRejected { why, .. } => vec![*why],
            Self::PauseFormatted { form, .. } => vec![*form],
            Self::Resumed { reply, .. } => reply.iter().copied().collect(),
            Self::DraftScored { report, .. } | Self::ReportAccepted { report, .. } => vec![*report],
            Self::IterationStarted { .. }
            | Self::InvocationPlanned { .. }
            | Self::InvocationRequested { .. }
            | Self::InvocationDropped { .. }
            | Self::ChildRunStarted { .. }
            | Self::OutcomeUnknown { .. }
            | Self::HostsLeftOut { .. }
            | Self::GapClosed { .. }
            | Self::ContradictionSettled { .. }
            | Self::CriteriaChecked { .. }
            | Self::BudgetWarned { .. }
            | Self::BudgetReached { .. }
            | Self::LimitsRaised { .. }
            | Self::ClaimPinned { .. }
            | Self::WriteRequested
            | Self::PauseRequested { .. }
            | Self::ArtifactRegistered { .. }
            | Self::SynthesisBegun { .. }
            | Self::CancelRequested
            | Self::Suspended
            | Self::Continued
            | Self::StepFailed { .. }
            | Self::MissionCompleted { .. }
            | Self::MissionFailed { .. }
            | Self::MissionRetried
            | Self::MissionCancelled => Vec::new(),
        }
    }
}
