//! The rubric of a kind of document: every pattern, weight and threshold of every check, as data.

use serde::{Deserialize, Serialize};

use crate::assemble::AssemblyRubric;
use crate::chain::ChainRubric;
use crate::citations::{CitationRubric, TagRubric};
use crate::counter::CounterRubric;
use crate::exposures::ExposureRubric;
use crate::facts::FactRubric;
use crate::footnotes::NoteRubric;
use crate::headings::HeadingRubric;
use crate::provisions::ProvisionRubric;
use crate::questions::QuestionRubric;
use crate::readiness::ReadinessRubric;
use crate::score::ScoreRubric;
use crate::xref::ReferenceRubric;

/// Everything that is known of a kind of document. What is left out is not tested.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rubric {
    /// Whether a document is ready to be assessed, with the integrity of its parts.
    pub readiness: ReadinessRubric,
    /// Typed headings.
    pub headings: HeadingRubric,
    /// References between parts.
    pub references: ReferenceRubric,
    /// Provisions for findings.
    pub provisions: ProvisionRubric,
    /// Questions and their brief answers.
    pub questions: QuestionRubric,
    /// Opposite views.
    pub counter: CounterRubric,
    /// Footnotes.
    pub notes: NoteRubric,
    /// Citations.
    pub citations: CitationRubric,
    /// Tags of citations.
    pub tags: TagRubric,
    /// Facts.
    pub facts: FactRubric,
    /// Exposures.
    pub exposures: ExposureRubric,
    /// The frame of the document.
    pub assembly: AssemblyRubric,
    /// The score.
    pub score: ScoreRubric,
    /// Which check needs which, and what a change runs again.
    pub chain: ChainRubric,
}
