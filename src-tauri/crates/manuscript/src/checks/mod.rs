//! The checks: one entry point, a typed input each, and a report with an exit code.

mod input;
mod place;
mod registers;
mod texts;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use input::{
    AssembleInput, CitationsInput, CounterInput, FactsInput, HeadingMode, HeadingsInput, IntegrityInput,
    NotesInput, NumbersInput, ProvisionsInput, QuestionsInput, ReadinessInput, RiskInput, ScoreInput,
    SheetInput, TagsInput, TasksInput, XrefsInput,
};

use crate::fault::{Fault, Location, Rule};

macro_rules! checks {
    ($($(#[doc = $doc:literal])+ $variant:ident => $name:ident, $input:ty, $run:path, $file:expr;)+) => {
        /// The checks.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum CheckName {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl CheckName {
            /// Every check, in the order of an assessment.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// Its name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($name),)+
                }
            }

            /// What it does, in a sentence.
            pub fn description(self) -> &'static str {
                match self {
                    $(Self::$variant => concat!($($doc),+).trim(),)+
                }
            }

            /// The name of the file that its output is written to. None: it has no file, or its input names it.
            pub const fn file_name(self) -> Option<&'static str> {
                match self {
                    $(Self::$variant => $file,)+
                }
            }

            /// The JSON Schema of its input.
            pub fn input_schema(self) -> schemars::Schema {
                match self {
                    $(Self::$variant => schemars::schema_for!($input),)+
                }
            }
        }

        /// Runs a check on its input. A refused input is a report with exit code 2 that names the place in the input.
        pub fn run(name: CheckName, input: &Value) -> CheckReport {
            match name {
                $(CheckName::$variant => checked::<$input>(name, input, $run),)+
            }
        }
    };
}

checks! {
    /// Tests whether a document is ready to be assessed: parts, lengths, footers, placeholders, references, footnotes.
    PreQaValidate => pre_qa_validate, ReadinessInput, texts::readiness, None;
    /// Finds typed headings, says where missing ones belong, and inserts them.
    ApplyHeadings => apply_headings, HeadingsInput, texts::headings, None;
    /// Holds findings against draft provisions.
    ValidateProvisions => validate_provisions, ProvisionsInput, registers::provisions, Some("provision-gaps.json");
    /// Finds references between parts, placeholders, and findings that nothing connects.
    AnalyzeXrefs => analyze_xrefs, XrefsInput, texts::xrefs, Some("xref-matrix.json");
    /// Finds the places in which the opposite view is weighed.
    DetectCounterAnalysis => detect_counter_analysis, CounterInput, texts::counter, Some("counter-analysis-locations.json");
    /// Registers every citation with its kind, confidence, place, tag and signal.
    ExtractCitations => extract_citations, CitationsInput, registers::citations, Some("citation-registry.json");
    /// Measures how many citations have a tag of verification.
    ScanCitationTags => scan_citation_tags, TagsInput, registers::tags, Some("citation-tag-report.json");
    /// Registers facts by category and finds conflicts between sources.
    ExtractFactRegistry => extract_fact_registry, FactsInput, registers::facts, Some("fact-registry.json");
    /// Sums exposures and holds stated totals against the sums.
    AggregateRiskTables => aggregate_risk_tables, RiskInput, registers::risks, Some("risk-summary.json");
    /// Registers the figures of a sheet of facts as it was accepted, and says how each of its facts stands.
    RegisterNumbers => register_numbers, SheetInput, registers::sheet, None;
    /// Holds the numbers of a document against their register.
    CheckNumbers => check_numbers, NumbersInput, registers::numbers, Some("number-registry.json");
    /// Tests the questions that a document puts and their brief answers: form, facts, order, and how sure each answer is.
    CheckQuestions => check_questions, QuestionsInput, texts::questions, None;
    /// Tests whether texts are whole.
    Integrity => integrity, IntegrityInput, texts::integrity, None;
    /// Numbers the footnotes of a document throughout.
    RenumberFootnotes => renumber_footnotes, NotesInput, texts::notes, Some("consolidated-footnotes.md");
    /// Puts a document together from its parts.
    Assemble => assemble, AssembleInput, texts::assembly, None;
    /// Tests the success criteria of tasks against measures.
    CheckTasks => check_tasks, TasksInput, registers::tasks, None;
    /// Scores a document.
    Score => score, ScoreInput, registers::score, None;
}

impl std::fmt::Display for CheckName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// No check has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no check is called {0:?}")]
pub struct NoCheck(pub String);

impl std::str::FromStr for CheckName {
    type Err = NoCheck;

    fn from_str(name: &str) -> Result<Self, NoCheck> {
        let found = Self::ALL.iter().find(|check| check.as_str() == name);
        found.copied().ok_or_else(|| NoCheck(name.to_owned()))
    }
}

/// How a check ended; in JSON its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(into = "u8")]
pub enum ExitCode {
    /// 0: nothing blocks.
    Pass,
    /// 1: something blocks.
    Findings,
    /// 2: the input was refused.
    Error,
}

impl From<ExitCode> for u8 {
    fn from(code: ExitCode) -> Self {
        match code {
            ExitCode::Pass => 0,
            ExitCode::Findings => 1,
            ExitCode::Error => 2,
        }
    }
}

/// A number that is no exit code of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} is no exit code of a check: 0, 1 or 2")]
pub struct NoExitCode(pub u8);

impl TryFrom<u8> for ExitCode {
    type Error = NoExitCode;

    fn try_from(number: u8) -> Result<Self, NoExitCode> {
        [Self::Pass, Self::Findings, Self::Error]
            .into_iter()
            .find(|code| u8::from(*code) == number)
            .ok_or(NoExitCode(number))
    }
}

impl<'de> Deserialize<'de> for ExitCode {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number;
        impl serde::de::Visitor<'_> for Number {
            type Value = ExitCode;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("0, 1 or 2")
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<ExitCode, E> {
                let code = u8::try_from(number).ok().and_then(|number| ExitCode::try_from(number).ok());
                code.ok_or_else(|| E::invalid_value(serde::de::Unexpected::Unsigned(number), &self))
            }
        }
        deserializer.deserialize_u64(Number)
    }
}

impl schemars::JsonSchema for ExitCode {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ExitCode".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "integer", "minimum": 0, "maximum": 2 })
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CheckReport {
    /// The check.
    pub check: CheckName,
    /// How it ended.
    pub exit_code: ExitCode,
    /// What blocks.
    pub blocking: Vec<Fault>,
    /// What does not.
    pub warnings: Vec<Fault>,
    /// Its registers and figures; null with exit code 2.
    pub output: Value,
    /// The name of the file that its output is written to.
    pub file_name: Option<String>,
}

/// What a check hands to its report.
struct Body {
    faults: Vec<Fault>,
    output: Value,
    /// Where the input names the file.
    file_name: Option<String>,
}

impl Body {
    fn new(faults: Vec<Fault>, output: Value) -> Self {
        Self { faults, output, file_name: None }
    }
}

/// The input of a check.
trait Input: serde::de::DeserializeOwned {
    /// Rules whose faults only warn.
    fn warn_only(&self) -> &[Rule];
}

fn checked<I: Input>(name: CheckName, input: &Value, run: fn(&I) -> Result<Body, Fault>) -> CheckReport {
    let read = place::read::<I>(input);
    let report = read.and_then(|input| Ok((run(&input)?, input.warn_only().to_vec())));
    match report {
        Ok((Body { faults, output, file_name }, warn_only)) => {
            let is_warning = |fault: &Fault| fault.rule.is_warning() || warn_only.contains(&fault.rule);
            let (warnings, blocking): (Vec<Fault>, Vec<Fault>) = faults.into_iter().partition(is_warning);
            let exit_code = if blocking.is_empty() { ExitCode::Pass } else { ExitCode::Findings };
            let file_name = file_name.or_else(|| name.file_name().map(str::to_owned));
            CheckReport { check: name, exit_code, blocking, warnings, output, file_name }
        }
        Err(fault) => CheckReport {
            check: name,
            exit_code: ExitCode::Error,
            blocking: vec![fault],
            warnings: Vec::new(),
            output: Value::Null,
            file_name: None,
        },
    }
}

/// The refusal of an input at a place.
fn refused(place: &str, problem: impl std::fmt::Display) -> Fault {
    Fault::new(Location::at(place), Rule::Input, problem.to_string())
}
