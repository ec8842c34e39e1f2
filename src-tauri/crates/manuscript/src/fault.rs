//! Faults: what a check found, where, by which rule, and what to do.

use serde::{Deserialize, Serialize};

/// Where something stands.
#[derive(
    Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Place")]
pub struct Location {
    /// The id of the part, of a row, or a path into the input; empty for the whole document.
    pub at: String,
    /// The line of the part's text, from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl Location {
    /// The whole document.
    pub fn whole() -> Self {
        Self::default()
    }

    /// A part, a row, or a path.
    pub fn at(at: impl Into<String>) -> Self {
        Self { at: at.into(), line: None }
    }

    /// A line of a part.
    pub fn line(at: impl Into<String>, line: u32) -> Self {
        Self { at: at.into(), line: Some(line) }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.at),
            None => f.write_str(&self.at),
        }
    }
}

/// One finding of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Where.
    pub place: Location,
    /// By which rule.
    pub rule: Rule,
    /// What stands there, or what is missing.
    pub found: String,
    /// What to do.
    pub remedy: String,
}

impl Fault {
    /// A fault with the remedy of its rule.
    pub fn new(place: Location, rule: Rule, found: impl Into<String>) -> Self {
        Self { place, rule, found: found.into(), remedy: rule.remedy().to_owned() }
    }
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident => $remedy:literal,)+) => {
        /// The rules of all checks.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Rule {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Rule {
            /// Every rule, in order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// What to do about a fault of this rule.
            pub const fn remedy(self) -> &'static str {
                match self {
                    $(Self::$name => $remedy,)+
                }
            }
        }
    };
}

rules! {
    /// The input of a check is not what the check takes.
    Input => "correct the input at this place",
    /// A check that this one needs has not been run, or ended in an error.
    Dependency => "run the check that this one needs first, and correct its input if it ended in an error",
    /// A text without words.
    Empty => "write the part",
    /// Fewer words than required.
    TooShort => "write the rest, or lower the minimum in the rubric",
    /// More words than allowed.
    TooLong => "shorten the text, or raise the maximum in the rubric",
    /// None of the required footers.
    FooterMissing => "end the text with a footer that the rubric names",
    /// A mark at the end that says that text is missing.
    Truncated => "write the text again: its end is missing",
    /// Fenced code that nothing closes.
    FenceOpen => "close the fence, or write the rest of the text",
    /// A heading without a title.
    HeadingEmpty => "give the heading a title, or remove it",
    /// A heading without text below it at the end.
    HeadingIncomplete => "write the text below the heading, or remove the heading",
    /// A required heading that no line has.
    HeadingMissing => "add the heading and the text below it",
    /// Fewer headings than required.
    HeadingsTooFew => "structure the parts with headings of the types that the rubric names",
    /// Typed headings that do not follow each other as the rubric says.
    HeadingOrder => "put the headings, and the text below them, in the order that the rubric names",
    /// A heading that was inserted.
    HeadingInserted => "check that the inserted heading fits the paragraph below it",
    /// A place that is still to be filled.
    Placeholder => "replace the placeholder",
    /// A part that has to exist.
    PartMissing => "add the part",
    /// Fewer parts than required.
    PartsTooFew => "add the missing parts",
    /// A footnote mark without a footnote.
    NoteMissing => "add the footnote, or remove its mark",
    /// A footnote that no mark names.
    NoteUnused => "name the footnote in the text, or remove it",
    /// Two footnotes with one label in one part.
    NoteDuplicate => "give each footnote of a part its own label",
    /// A footnote without text.
    NoteEmpty => "write the footnote",
    /// Fewer footnotes than required.
    NotesTooFew => "support more statements with footnotes",
    /// A citation without a place in what it cites.
    PinciteMissing => "name the page, section or paragraph that is cited",
    /// A citation without a tag of verification.
    TagMissing => "verify the citation and add its tag",
    /// A citation that matters and is not verified.
    Unverified => "verify the citation, or rest the statement on another",
    /// Fewer citations are tagged than required.
    CoverageLow => "tag the citations that the list names",
    /// Citations without a signal where the rubric wants one.
    SignalMissing => "add the signal that says how the citation supports the statement",
    /// A citation of low confidence.
    ConfidenceLow => "give the citation in full",
    /// No citation at all.
    CitationsMissing => "cite what the statements rest on",
    /// A reference to a part that does not exist.
    ReferenceDangling => "correct the reference, or add the part",
    /// Fewer references between parts than required.
    ReferencesTooFew => "refer to the other parts where they bear on this one",
    /// A finding that nothing connects with another part.
    FindingOrphaned => "refer from the finding to the parts that it bears on, or from them to it",
    /// A finding of a part that does not exist.
    FindingMisplaced => "name the part in which the finding stands",
    /// A finding that no provision settles.
    ProvisionMissing => "draft a provision that names the finding",
    /// A provision that names no known finding.
    ProvisionUnlinked => "name the finding that the provision settles",
    /// A provision that binds nobody.
    ProvisionInoperative => "say in the provision who has to do what",
    /// A provision of a type that the rubric does not have.
    ProvisionKind => "use a type of the rubric, or add this one",
    /// A provision without enough text.
    ProvisionEmpty => "draft the text of the provision",
    /// A part that has to weigh the opposite view and does not.
    CounterMissing => "state and weigh the opposite view",
    /// Fewer questions than required.
    QuestionsTooFew => "put further questions that the document answers",
    /// A question of another form.
    QuestionForm => "put the question in a form that the rubric names",
    /// A question that names too few facts of the matter.
    QuestionFacts => "name the facts of the matter on which the answer turns",
    /// A question without a weight, or after one that weighs less.
    QuestionOrder => "name the weight of each question, and put the gravest first",
    /// A question without an answer.
    AnswerMissing => "answer the question under its number",
    /// An answer that does not open by saying how sure it is.
    AnswerOpening => "open the answer with one of the words that the rubric names",
    /// An answer to no question.
    AnswerUnasked => "put the question, or remove the answer",
    /// Two values of one fact.
    FactConflict => "find out which value holds and correct the others",
    /// Two values of one fact that are close together.
    FactVariance => "decide which value the document uses",
    /// A fact with one source.
    FactSingleSourced => "find a second source for the fact",
    /// An expected fact that no source gives.
    FactMissing => "find the fact, or say in the text that it is unknown",
    /// A fact of a category that the rubric does not have.
    CategoryUnknown => "use a category of the rubric, or add this one",
    /// A number that differs from its register.
    NumberMismatch => "correct the number, or the row of the register",
    /// A registered number that no part states.
    NumberUnstated => "state the number, or remove its row",
    /// A number that names no source.
    NumberUnsourced => "name the document and the page of the number",
    /// A stated total that is not the sum.
    TotalMismatch => "state the computed total",
    /// An exposure that may end the matter by itself.
    Blocker => "settle the exposure, or carry the warning into the summary",
    /// A success criterion of a task that does not hold.
    CriterionUnmet => "carry out the task, or name what is unmet as a limitation",
    /// A score below what certification needs.
    ScoreLow => "carry out the tasks that the projection counts",
    /// A condition that takes points from the whole.
    RedFlag => "settle what the flag names",
}

impl Rule {
    /// Whether a fault of this rule warns and does not block, unless a check says otherwise.
    pub const fn is_warning(self) -> bool {
        matches!(
            self,
            Self::HeadingInserted
                | Self::NoteUnused
                | Self::ProvisionUnlinked
                | Self::FactVariance
                | Self::FactSingleSourced
                | Self::NumberUnstated
                | Self::RedFlag
        )
    }
}
