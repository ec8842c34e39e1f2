//! What the engine is asked and tells: starts, replies, forms, turns, missions and events.
//!
//! The engine makes these, `protocol` sends them: neither waits for the other to be compiled.
//!
//! Architecture invariant: plain data with public fields; nothing here reads, decides or computes for long.

mod comparison;
mod event;
mod form;
mod mission;
mod replay;
mod run;
mod turn;

pub use comparison::{PinDifference, StageComparison};
pub use domain::ListPiece;
pub use event::{Exit, UiEvent, UiKind};
pub use form::{Form, FormChoice, FormColumn, FormColumnKind, FormKind, FormList, FormMeter, FormPart};
pub use mission::{
    InvocationState, InvocationView, JournalLine, LimitUse, MissionFile, MissionOutline, MissionPauseForm,
    MissionView, OutlinedAgent,
};
pub use replay::{Difference, Gap, Replay};
pub use run::{
    Answered, AttachedDocuments, Corpus, DraftRow, Material, PausePolicy, RepeatedRun, Reply, ResolvedAgent,
    StartRun,
};
pub use turn::{
    Approval, PlanState, PlanView, StageRef, StepDetail, StepKind, StepStatus, TurnHead, TurnStatus,
    TurnStep, TurnUi, TurnUiKind, TurnView,
};
