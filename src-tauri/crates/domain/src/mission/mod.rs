//! Missions: their profile, what a specialist hands in, and what the machine knows of the graph that is made of it.

mod facts;
mod findings;
mod profile;

pub use facts::{
    AgendaItem, AgendaKind, AgendaStatus, ClaimRejection, Closing, DraftFacts, EarlierItems, GraphCounts,
    GraphFacts, ItemId, MILLION, PlanEdit, Settlement, percent,
};
pub use findings::{
    ClaimKind, Findings, FoundCitation, FoundClaim, FoundContradiction, FoundEntity, FoundGap, FoundLead,
    FoundRelation, FoundSource, SourceKind,
};
pub use profile::{
    AgentPreference, AgentUse, DEFAULT_HALF_LIFE_DAYS, DEFAULT_INVOCATIONS, DEFAULT_ITERATIONS,
    DEFAULT_NO_PROGRESS_ROUNDS, DEFAULT_PARALLEL, DEFAULT_REVIEW_ROUNDS, MissionConstraints, MissionMode,
    MissionPause, MissionProfile, MissionRoles, OutputSpecification, ProfileProblem, SecurityProfile,
    SuccessCriteria,
};
