//! The document as data.

use std::borrow::Cow;

use domain::{EarlierAnswer, SentenceRecord, SentenceVerdict, Verdict};
use serde::Serialize;

use crate::statements::place_of;
use crate::{Citation, HeadingCase, Headline, PriorSection, Section, Skipped, Statement, WebReference};

/// The answer document. Texts are plain unless their name says Markdown; all of them are cleaned of hidden characters.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Document {
    /// Its title.
    pub title: String,
    /// The question as asked.
    pub question: String,
    /// A notice about the texts used.
    pub notice: Option<String>,
    /// 0 for a first question.
    pub followup_number: u32,
    /// The run's depth; empty when it had none.
    pub depth: String,
    /// The answer's text as it came, Markdown.
    pub synthesis: String,
    /// The body.
    pub sections: Vec<Section>,
    /// Cited paragraphs by number.
    pub citations: Vec<Citation>,
    /// What checking found; `None` when nothing was checked.
    pub verification: Option<VerificationSummary>,
    /// The pages of the run in the order of their labels.
    pub web_references: Vec<WebReference>,
    /// How a page's label is written.
    pub web_label: String,
    /// Whether pages are linked.
    pub link_web: bool,
    /// All sections of the earlier answer.
    pub prior_sections: Vec<PriorSection>,
    /// Those that the body points to.
    pub prior_references: Vec<PriorSection>,
    /// The answer that it builds on, where the run names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierAnswer>,
    /// What the answer does not cover or is not sure of.
    pub limits: Limits,
    /// Sentences of the body without a source.
    pub uncited_sentences: Vec<String>,
    /// What is known about each sentence; empty where the run kept no records.
    pub records: Vec<SentenceRecord>,
    /// The statements of the answer, each with its state; empty where the run kept no records.
    pub statements: Vec<Statement>,
    /// What is known of them in one line; `None` where the run kept no records.
    pub headline: Option<Headline>,
    /// The queries of the plan.
    pub queries: Vec<Query>,
    /// The plan's scope; empty when it has none.
    pub scope: String,
    /// What was left out as not asked for.
    pub out_of_scope: Vec<String>,
    /// How it writes words, where its text is set: those of earlier versions show it as it came.
    #[serde(skip)]
    pub(crate) case: Option<HeadingCase>,
}

impl Document {
    /// What a reader is shown for a citation of a statement: where its words stand, as far as that is known.
    pub(crate) fn name_in(&self, citation: &Citation, statement: Option<usize>) -> String {
        let statement = statement.and_then(|n| self.statements.iter().find(|one| one.n == n));
        let own = statement.and_then(|one| place_of(&one.places, &citation.source_ref));
        own.unwrap_or_else(|| citation.name().to_owned())
    }

    /// Markdown of it, set as [`docx::typeset`] does.
    pub(crate) fn typeset<'t>(&self, markdown: &'t str) -> Cow<'t, str> {
        self.case.as_ref().map_or(Cow::Borrowed(markdown), |case| docx::typeset(markdown, case).into())
    }

    /// Words of a source with the marks of a quotation.
    pub(crate) fn quoted(&self, words: &str) -> String {
        let quoted = format!("\u{201c}{words}\u{201d}");
        self.case.as_ref().map(|_| docx::nested_quotes(&quoted).into_owned()).unwrap_or(quoted)
    }
}

/// How sections and the paragraphs that they cite write words.
pub(crate) fn heading_case(sections: &[Section], citations: &[Citation]) -> HeadingCase {
    let cited = citations.iter().filter_map(|citation| citation.text.as_deref());
    let words: Vec<&str> = sections.iter().map(|section| section.markdown.as_str()).chain(cited).collect();
    HeadingCase::learn(&words.join("\n"))
}

/// What checking found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerificationSummary {
    /// Axes in a fixed order.
    pub axes: Vec<Axis>,
    /// Citations by verdict, only those that occur.
    pub counts: Vec<VerdictCount>,
    /// Sentences by verdict, only those that occur; empty where the run kept no records.
    pub sentences: Vec<SentenceCount>,
    /// Verified citations.
    pub verified: usize,
    /// All citations, those in the body that were never checked included.
    pub total: usize,
    /// Whether the checks still asked for repair.
    pub needs_repair: bool,
}

/// One axis of verification.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Axis {
    /// Its name.
    pub name: String,
    /// 0 to 1.
    pub score: f64,
    /// The least score, where one is set.
    pub threshold: Option<f64>,
    /// Whether the score reaches it.
    pub passed: Option<bool>,
    /// Checks that held and checks made, where they were counted.
    pub count: Option<(usize, usize)>,
}

/// How many sentences got a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SentenceCount {
    /// The verdict.
    pub verdict: SentenceVerdict,
    /// How many.
    pub count: usize,
}

/// How many citations got a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerdictCount {
    /// The verdict.
    pub verdict: Verdict,
    /// How many.
    pub count: usize,
}

/// What the answer does not cover or is not sure of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// The answer's own confidence, in words or percent.
    pub confidence: Option<String>,
    /// Gaps that the answer names.
    pub gaps: Vec<String>,
    /// Assumptions taken when the question was planned.
    pub assumptions: Vec<String>,
    /// Stages that did not run.
    pub skipped: Vec<Skipped>,
    /// What did not go as planned.
    pub warnings: Vec<String>,
    /// Statements that checking found unsupported.
    pub unsupported: Vec<String>,
    /// Possible contradictions, to be read by a person.
    pub contradictions: Vec<String>,
    /// Sentences of the earlier answer whose sources have changed since.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

impl Limits {
    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A query of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Query {
    /// Its words.
    pub text: String,
    /// What it is for; empty when not known.
    pub role: String,
    /// The standards it is aimed at.
    pub standards: Vec<String>,
}
