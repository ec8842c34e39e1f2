//! The registry of citations: each with its kind, confidence, place, tag and signal; and the coverage by tags.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::findings::Severity;
use crate::fixed::Percent;
use crate::footnotes::extract;
use crate::parts::Part;
use crate::pattern::{Pattern, any, first};
use crate::text::{excerpt, prose};

/// How sure it is what a citation cites, the least first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Confidence {
    /// Not recognised, or incomplete.
    Low,
    /// Recognised by a loose form.
    Medium,
    /// Recognised by a strict form.
    High,
}

/// How citations look.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CitationRubric {
    /// Kinds of citations, the strictest first: what matches two kinds is of the first.
    pub kinds: Vec<CitationKind>,
    /// Places within what is cited.
    pub pincites: Vec<Pattern>,
    /// Tags of verification.
    pub tags: Vec<TagRule>,
    /// Signals before a citation.
    pub signals: Vec<Pattern>,
    /// Whether every citation needs a signal.
    pub signal: SignalNeed,
    /// Placeholders: a citation with one has low confidence.
    pub placeholders: Vec<Pattern>,
    /// Citations of low confidence that a document may have.
    pub max_low_confidence: u32,
    /// Where citations stand.
    pub places: CitationPlaces,
}

/// Where citations stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CitationPlaces {
    /// In footnotes.
    #[default]
    Footnotes,
    /// In footnotes and in the text.
    FootnotesAndText,
}

/// Whether every citation needs a signal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignalNeed {
    /// No.
    #[default]
    Optional,
    /// Yes.
    Required,
}

/// A kind of citation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CitationKind {
    /// Its name.
    pub name: String,
    /// What it looks like.
    pub pattern: Pattern,
    /// How sure a match is.
    pub confidence: Confidence,
    /// How much rests on such a citation.
    #[serde(default = "medium")]
    pub importance: Severity,
    /// Whether it has to name a place.
    #[serde(default)]
    pub pincite: PinciteNeed,
}

fn medium() -> Severity {
    Severity::Medium
}

/// Whether a kind of citation names a place within what it cites.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PinciteNeed {
    /// It has to.
    #[default]
    Required,
    /// It need not.
    Optional,
}

/// A tag of verification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TagRule {
    /// Its name.
    pub name: String,
    /// What it looks like.
    pub pattern: Pattern,
    /// What it says.
    pub state: TagState,
}

/// What a tag says about a citation.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum TagState {
    /// Looked up and found to hold.
    Verified,
    /// Concluded from something else.
    Inferred,
    /// Not looked up.
    Unverified,
}

/// A citation of the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CitationRow {
    /// Its number in the registry, from one.
    pub id: u32,
    /// The part.
    pub part: String,
    /// The label of its footnote; none: it stands in the text.
    pub footnote: Option<String>,
    /// The line of the text, for a citation without a footnote.
    pub line: Option<u32>,
    /// The words of the citation.
    pub text: String,
    /// The name of its kind; none: not recognised.
    pub kind: Option<String>,
    /// How sure it is.
    pub confidence: Confidence,
    /// How much rests on it.
    pub importance: Severity,
    /// The place within what is cited.
    pub pincite: Option<String>,
    /// Whether it lacks a place that it has to name.
    pub pincite_missing: bool,
    /// The name of its tag.
    pub tag: Option<String>,
    /// What the tag says.
    pub tag_state: Option<TagState>,
    /// The signal before it.
    pub signal: Option<String>,
}

impl CitationRow {
    fn place(&self) -> Location {
        match (&self.footnote, self.line) {
            (Some(label), _) => Location::at(format!("{}[^{label}]", self.part)),
            (None, Some(line)) => Location::line(&self.part, line),
            (None, None) => Location::at(&self.part),
        }
    }
}

/// The registry with what it lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationRegistry {
    /// The citations in order.
    pub rows: Vec<CitationRow>,
    /// Citations of each kind; `""` counts those without.
    pub by_kind: BTreeMap<String, u32>,
    /// Citations of low confidence.
    pub low_confidence: u32,
    /// Missing places and signals, too many citations of low confidence, no citation at all.
    pub faults: Vec<Fault>,
}

/// Registers the citations of a document.
///
/// What stands between two citations of one text belongs to the first up to the first semicolon, and to the second after
/// it: places and tags follow a citation, signals precede it. A footnote in which no kind is recognised is one citation
/// of low confidence.
pub fn extract_citations(parts: &[Part], rubric: &CitationRubric) -> CitationRegistry {
    let mut rows: Vec<CitationRow> = Vec::new();
    for part in parts {
        let part = extract(part);
        if rubric.places == CitationPlaces::FootnotesAndText {
            for line in prose(&part.markdown).lines {
                for mut row in citations_of(line.text, rubric) {
                    row.part.clone_from(&part.id);
                    row.line = Some(line.number);
                    rows.push(row);
                }
            }
        }
        for note in part.footnotes.iter().filter(|note| !note.text.trim().is_empty()) {
            let mut found = citations_of(&note.text, rubric);
            if found.is_empty() {
                found.push(unrecognised(&note.text, rubric));
            }
            for mut row in found {
                row.part.clone_from(&part.id);
                row.footnote = Some(note.label.clone());
                rows.push(row);
            }
        }
    }
    let mut faults = Vec::new();
    let mut by_kind: BTreeMap<String, u32> = BTreeMap::new();
    for (row, id) in rows.iter_mut().zip(1..) {
        row.id = id;
        *by_kind.entry(row.kind.clone().unwrap_or_default()).or_default() += 1;
        if row.pincite_missing {
            faults.push(Fault::new(row.place(), Rule::PinciteMissing, excerpt(&row.text)));
        }
        if rubric.signal == SignalNeed::Required && row.signal.is_none() {
            faults.push(Fault::new(row.place(), Rule::SignalMissing, excerpt(&row.text)));
        }
    }
    let low: Vec<&CitationRow> = rows.iter().filter(|row| row.confidence == Confidence::Low).collect();
    if low.len() > rubric.max_low_confidence as usize {
        faults.extend(low.iter().map(|row| Fault::new(row.place(), Rule::ConfidenceLow, excerpt(&row.text))));
    }
    if rows.is_empty() {
        faults.push(Fault::new(Location::whole(), Rule::CitationsMissing, "no citation"));
    }
    let low_confidence = u32::try_from(low.len()).unwrap_or(u32::MAX);
    CitationRegistry { rows, by_kind, low_confidence, faults }
}

fn citations_of(text: &str, rubric: &CitationRubric) -> Vec<CitationRow> {
    let mut found: BTreeMap<usize, (std::ops::Range<usize>, &CitationKind)> = BTreeMap::new();
    for kind in &rubric.kinds {
        for place in kind.pattern.regex().find_iter(text).filter(|place| !place.is_empty()) {
            // Places do not overlap, so that the last one that begins before the end of this is the only candidate.
            let last = found.range(..place.end()).next_back();
            if last.is_none_or(|(_, (other, _))| other.end <= place.start()) {
                found.insert(place.start(), (place.range(), kind));
            }
        }
    }
    let found: Vec<(std::ops::Range<usize>, &CitationKind)> = found.into_values().collect();
    let mut rows = Vec::with_capacity(found.len());
    let mut before = 0;
    for (at, (place, kind)) in found.iter().enumerate() {
        let gap_end = found.get(at + 1).map_or(text.len(), |(next, _)| next.start);
        let gap = &text[place.end..gap_end];
        let own = match at + 1 < found.len() {
            true => gap.find(';').unwrap_or(gap.len()),
            false => gap.len(),
        };
        let tail = &text[place.start..place.end + own];
        let tag = tag_of(&text[place.end..place.end + own], rubric);
        let pincite = first(&rubric.pincites, tail).map(str::to_owned);
        let pincite_missing =
            kind.pincite == PinciteNeed::Required && !rubric.pincites.is_empty() && pincite.is_none();
        let is_placeholder = any(&rubric.placeholders, tail);
        rows.push(CitationRow {
            text: excerpt(&text[place.clone()]),
            kind: Some(kind.name.clone()),
            confidence: if is_placeholder { Confidence::Low } else { kind.confidence },
            importance: kind.importance,
            pincite,
            pincite_missing,
            tag: tag.map(|tag| tag.name.clone()),
            tag_state: tag.map(|tag| tag.state),
            signal: first(&rubric.signals, &text[before..place.start]).map(str::to_owned),
            ..unrecognised("", rubric)
        });
        before = place.end + own;
    }
    rows
}

fn tag_of<'r>(text: &str, rubric: &'r CitationRubric) -> Option<&'r TagRule> {
    rubric.tags.iter().find(|tag| tag.pattern.is_in(text))
}

fn unrecognised(text: &str, rubric: &CitationRubric) -> CitationRow {
    let tag = tag_of(text, rubric);
    CitationRow {
        id: 0,
        part: String::new(),
        footnote: None,
        line: None,
        text: excerpt(text),
        kind: None,
        confidence: Confidence::Low,
        importance: Severity::Low,
        pincite: first(&rubric.pincites, text).map(str::to_owned),
        pincite_missing: false,
        tag: tag.map(|tag| tag.name.clone()),
        tag_state: tag.map(|tag| tag.state),
        signal: first(&rubric.signals, text).map(str::to_owned),
    }
}

/// How many citations need a tag.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TagRubric {
    /// The share of citations with a tag that is wanted, in percent.
    pub min_coverage: Percent,
    /// Below this share the document fails whatever else holds, in percent.
    pub hard_fail_coverage: Percent,
    /// Citations of high importance that may be unverified.
    pub max_high_unverified: u32,
    /// With more of them the document fails whatever else holds; none: never.
    pub hard_fail_high_unverified: Option<u32>,
}

/// The coverage of citations by tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagCoverage {
    /// Citations with a tag.
    pub present: u32,
    /// Citations without.
    pub missing: u32,
    /// The share of those with one.
    pub percentage: Percent,
    /// Citations of high or critical importance without a tag, or with one that says unverified.
    pub high_unverified: u32,
    /// Tags by their state.
    pub by_state: BTreeMap<TagState, u32>,
    /// Whether the document fails whatever else holds.
    pub is_hard_fail: bool,
    /// Missing tags where coverage is low, citations that matter and are unverified.
    pub faults: Vec<Fault>,
}

/// The coverage of a registry by tags.
pub fn tags(rows: &[CitationRow], rubric: &TagRubric) -> TagCoverage {
    let count = |rows: usize| u32::try_from(rows).unwrap_or(u32::MAX);
    let untagged: Vec<&CitationRow> = rows.iter().filter(|row| row.tag_state.is_none()).collect();
    let (total, present) = (rows.len() as u64, (rows.len() - untagged.len()) as u64);
    let mut by_state: BTreeMap<TagState, u32> = BTreeMap::new();
    for state in rows.iter().filter_map(|row| row.tag_state) {
        *by_state.entry(state).or_default() += 1;
    }
    let is_unverified = |row: &&CitationRow| {
        row.importance >= Severity::High && matches!(row.tag_state, None | Some(TagState::Unverified))
    };
    let high: Vec<&CitationRow> = rows.iter().filter(is_unverified).collect();
    let mut faults = Vec::new();
    if !rubric.min_coverage.is_reached(present, total) {
        let found = format!("{present} of {total} citations; at least {} %", rubric.min_coverage);
        faults.push(Fault::new(Location::whole(), Rule::CoverageLow, found));
        let missing =
            untagged.iter().map(|row| Fault::new(row.place(), Rule::TagMissing, excerpt(&row.text)));
        faults.extend(missing);
    }
    if high.len() > rubric.max_high_unverified as usize {
        faults.extend(high.iter().map(|row| Fault::new(row.place(), Rule::Unverified, excerpt(&row.text))));
    }
    let exceeds = |most: u32| high.len() > most as usize;
    TagCoverage {
        present: count(rows.len() - untagged.len()),
        missing: count(untagged.len()),
        percentage: Percent::share(present, total),
        high_unverified: count(high.len()),
        by_state,
        is_hard_fail: !rubric.hard_fail_coverage.is_reached(present, total)
            || rubric.hard_fail_high_unverified.is_some_and(exceeds),
        faults,
    }
}
