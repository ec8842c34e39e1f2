//! The inputs of the checks. An unknown field is refused.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ExitCode, Input};
use crate::assemble::{AssemblyRubric, TitlePage};
use crate::citations::{CitationRow, CitationRubric, TagRubric};
use crate::counter::CounterRubric;
use crate::exposures::{Exposure, ExposureRubric, StatedTotal};
use crate::facts::{FactRubric, FactStatement};
use crate::fault::Rule;
use crate::findings::Finding;
use crate::footnotes::NoteRubric;
use crate::headings::HeadingRubric;
use crate::integrity::IntegrityRubric;
use crate::numbers::NumberRow;
use crate::parts::Part;
use crate::provisions::{Provision, ProvisionRubric};
use crate::questions::QuestionRubric;
use crate::readiness::ReadinessRubric;
use crate::score::{Evidence, ScoreRubric};
use crate::sheet::{FactKeys, SheetFact};
use crate::tasks::Task;
use crate::xref::ReferenceRubric;

macro_rules! inputs {
    ($($(#[doc = $doc:literal])+ $name:ident { $($(#[doc = $about:literal])+ $(#[serde($serde:ident)])? $field:ident: $type:ty,)+ })+) => {
        $(
            $(#[doc = $doc])+
            #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
            #[serde(deny_unknown_fields)]
            pub struct $name {
                $($(#[doc = $about])+ $(#[serde($serde)])? pub $field: $type,)+
                /// Rules whose faults only warn.
                #[serde(default)]
                pub warn_only: Vec<Rule>,
            }

            impl Input for $name {
                fn warn_only(&self) -> &[Rule] {
                    &self.warn_only
                }
            }
        )+
    };
}

inputs! {
    /// A document that is to be assessed.
    ReadinessInput {
        /// Its parts in order.
        parts: Vec<Part>,
        /// Its assembled text.
        #[serde(default)]
        document: Option<String>,
        /// The register of its numbers.
        #[serde(default)]
        numbers: Vec<NumberRow>,
        /// What makes it ready.
        #[serde(default)]
        rubric: ReadinessRubric,
    }

    /// Parts with typed headings.
    HeadingsInput {
        /// The parts in order.
        parts: Vec<Part>,
        /// Whether missing headings are inserted.
        #[serde(default)]
        mode: HeadingMode,
        /// The types of headings.
        rubric: HeadingRubric,
    }

    /// Findings and draft provisions.
    ProvisionsInput {
        /// The findings.
        findings: Vec<Finding>,
        /// The provisions.
        provisions: Vec<Provision>,
        /// What is required of them.
        #[serde(default)]
        rubric: ProvisionRubric,
    }

    /// Parts that refer to each other.
    XrefsInput {
        /// The parts in order.
        parts: Vec<Part>,
        /// The findings of the document.
        #[serde(default)]
        findings: Vec<Finding>,
        /// How references look.
        rubric: ReferenceRubric,
    }

    /// Parts that weigh opposite views.
    CounterInput {
        /// The parts in order.
        parts: Vec<Part>,
        /// How such places look.
        rubric: CounterRubric,
    }

    /// Parts with citations.
    CitationsInput {
        /// The parts in order; for citations in footnotes, the slice of their footnotes is enough.
        parts: Vec<Part>,
        /// How citations look.
        rubric: CitationRubric,
    }

    /// A registry of citations.
    TagsInput {
        /// Its citations.
        citations: Vec<CitationRow>,
        /// How the check that registered them ended.
        extract_exit_code: ExitCode,
        /// How many need a tag.
        rubric: TagRubric,
    }

    /// Statements of facts, given or in texts.
    FactsInput {
        /// The statements.
        #[serde(default)]
        statements: Vec<FactStatement>,
        /// Texts in which the patterns of the rubric find further statements; each is a source.
        #[serde(default)]
        parts: Vec<Part>,
        /// The categories.
        #[serde(default)]
        rubric: FactRubric,
    }

    /// Exposures and the totals that a document states.
    RiskInput {
        /// The exposures.
        exposures: Vec<Exposure>,
        /// The totals.
        #[serde(default)]
        stated_totals: Vec<StatedTotal>,
        /// How they are put together.
        #[serde(default)]
        rubric: ExposureRubric,
    }

    /// Parts and the register of their numbers.
    NumbersInput {
        /// The parts in order.
        parts: Vec<Part>,
        /// The register.
        numbers: Vec<NumberRow>,
    }

    /// A sheet of facts as it was accepted.
    SheetInput {
        /// Its facts.
        facts: Vec<SheetFact>,
        /// How texts name them.
        #[serde(default)]
        keys: Vec<FactKeys>,
        /// What stands as the source of a value that no document gives.
        given_by: String,
    }

    /// Parts that put questions and answer them.
    QuestionsInput {
        /// The parts in order.
        parts: Vec<Part>,
        /// What is required.
        rubric: QuestionRubric,
    }

    /// Texts that have to be whole.
    IntegrityInput {
        /// The texts.
        parts: Vec<Part>,
        /// What makes a text of this kind whole.
        rubric: IntegrityRubric,
    }

    /// Parts with footnotes.
    NotesInput {
        /// The parts in order.
        parts: Vec<Part>,
        /// What is tested of footnotes.
        #[serde(default)]
        rubric: NoteRubric,
    }

    /// The parts of a document.
    AssembleInput {
        /// The title page.
        title: TitlePage,
        /// The parts in order.
        parts: Vec<Part>,
        /// The name of the file.
        #[serde(default)]
        file_name: Option<String>,
        /// The frame.
        #[serde(default)]
        rubric: AssemblyRubric,
    }

    /// Tasks and the measures that their criteria name.
    TasksInput {
        /// The tasks.
        tasks: Vec<Task>,
        /// Measures by name.
        measures: BTreeMap<String, i64>,
    }

    /// Measures, issues and tasks.
    ScoreInput {
        /// What is scored.
        evidence: Evidence,
        /// How.
        rubric: ScoreRubric,
    }
}

/// Whether missing headings are inserted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeadingMode {
    /// Their places are named.
    #[default]
    Scan,
    /// They are inserted; the exit code is that of the changed parts.
    Apply,
}
