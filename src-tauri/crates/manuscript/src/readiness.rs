//! Whether a document is ready to be assessed: its parts, its length, its references, its footnotes, its numbers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::footnotes::{NoteRubric, renumber};
use crate::integrity::{self, IntegrityRubric};
use crate::numbers::{self, NumberRow};
use crate::parts::{Part, key, missing, total_words};
use crate::text::words;
use crate::xref::{self, ReferenceRubric};

/// What makes a document ready.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReadinessRubric {
    /// The document as a whole.
    pub document: IntegrityRubric,
    /// Each part that `named` does not have.
    pub part: IntegrityRubric,
    /// Parts by id or number.
    pub named: BTreeMap<String, IntegrityRubric>,
    /// Ids or numbers of parts that have to exist.
    pub required_parts: Vec<String>,
    /// The fewest parts beside those that `named` has.
    pub min_parts: u32,
    /// The fewest footnotes.
    pub min_footnotes: u32,
    /// References between parts.
    pub references: ReferenceRubric,
    /// Footnotes.
    pub notes: NoteRubric,
}

/// A figure against its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TargetCheck {
    /// What is required; of placeholders: what is allowed.
    pub target: u32,
    /// What was counted.
    pub actual: u32,
    /// Whether it is enough.
    pub passed: bool,
}

/// Whether a document is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Readiness {
    /// Words of the document.
    pub word_count: TargetCheck,
    /// Placeholders.
    pub placeholders: TargetCheck,
    /// References to other parts.
    pub references: TargetCheck,
    /// Parts beside the named ones.
    pub sections: TargetCheck,
    /// Footnotes.
    pub footnotes: TargetCheck,
    /// The ids of parts without a fault of their own.
    pub intact_parts: Vec<String>,
    /// All faults.
    pub faults: Vec<Fault>,
}

fn at_least(target: u32, actual: usize) -> TargetCheck {
    let actual = u32::try_from(actual).unwrap_or(u32::MAX);
    TargetCheck { target, actual, passed: actual >= target }
}

/// Tests a document.
///
/// `document` is the assembled text; none: its parts in order stand for it, and its footers and marks of truncation are
/// looked for in the last of them.
pub fn readiness(
    parts: &[Part],
    document: Option<&str>,
    numbers: &[NumberRow],
    rubric: &ReadinessRubric,
) -> Readiness {
    let mut faults = missing(parts, &rubric.required_parts);
    let is_named = |part: &&Part| rubric.named.keys().any(|name| part.is_called(name));
    let sections = at_least(rubric.min_parts, parts.iter().filter(|part| !is_named(part)).count());
    if !sections.passed {
        let found = format!("{} parts; at least {}", sections.actual, sections.target);
        faults.push(Fault::new(Location::whole(), Rule::PartsTooFew, found));
    }
    let mut intact_parts = Vec::new();
    for part in parts {
        let name = rubric.named.iter().find(|(name, _)| part.is_called(name));
        let found =
            integrity::check(&part.id, &part.markdown, name.map_or(&rubric.part, |(_, rubric)| rubric));
        if found.is_empty() {
            intact_parts.push(part.id.clone());
        }
        faults.extend(found);
    }
    let unknown = rubric.named.keys().filter(|name| !parts.iter().any(|part| part.is_called(name)));
    let unknown = unknown.filter(|name| !rubric.required_parts.iter().any(|part| key(part) == key(name)));
    faults.extend(
        unknown.map(|name| {
            Fault::new(Location::at(name), Rule::PartMissing, format!("no part is called {name}"))
        }),
    );
    let joined = || parts.iter().map(|part| part.markdown.as_str()).collect::<Vec<_>>().join("\n\n");
    let text = document.map_or_else(joined, str::to_owned);
    let count = document.map_or_else(|| total_words(parts), words);
    let whole = IntegrityRubric { min_words: None, max_words: None, ..rubric.document.clone() };
    let of_parts = |rule: Rule| matches!(rule, Rule::HeadingEmpty | Rule::FenceOpen | Rule::Empty);
    let found = integrity::check("", &text, &whole).into_iter();
    faults.extend(found.filter(|fault| document.is_some() || !of_parts(fault.rule)));
    let word_count = at_least(rubric.document.min_words.unwrap_or(0), count as usize);
    if !word_count.passed {
        let found = format!("{count} words; at least {}", word_count.target);
        faults.push(Fault::new(Location::whole(), Rule::TooShort, found));
    }
    if let Some(most) = rubric.document.max_words.filter(|most| count > *most) {
        let found = format!("{count} words; at most {most}");
        faults.push(Fault::new(Location::whole(), Rule::TooLong, found));
    }
    let references = xref::analyze(parts, &[], &rubric.references);
    faults.extend(references.faults);
    let notes = renumber(parts, &rubric.notes);
    faults.extend(notes.faults);
    let footnotes = at_least(rubric.min_footnotes, notes.rows.len());
    if !footnotes.passed {
        let found = format!("{} footnotes; at least {}", footnotes.actual, footnotes.target);
        faults.push(Fault::new(Location::whole(), Rule::NotesTooFew, found));
    }
    if !numbers.is_empty() {
        faults.extend(numbers::check(parts, numbers).faults);
    }
    let open = faults.iter().filter(|fault| fault.rule == Rule::Placeholder).count();
    let open = u32::try_from(open).unwrap_or(u32::MAX);
    Readiness {
        word_count,
        placeholders: TargetCheck { target: 0, actual: open, passed: open == 0 },
        references: at_least(rubric.references.min_references, references.count as usize),
        sections,
        footnotes,
        intact_parts,
        faults,
    }
}
