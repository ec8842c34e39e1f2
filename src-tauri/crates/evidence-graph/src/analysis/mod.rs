//! What follows from a graph: contradictions, confidences, gaps, leads, coverage, quality, and what to do next.
//!
//! Each module is one analyser with its formula. All shares are integers in millionths, rounded half up.

use std::collections::{BTreeMap, BTreeSet};

use domain::mission::{EarlierItems, GraphFacts, ItemId, MILLION, SourceKind};

use crate::change::{CHANGES_VERSION, Change, Changes, Refusal};
use crate::day::Day;
use crate::graph::Graph;
use crate::index::place;
use crate::item::{Gap, ItemKind};

pub mod agenda;
pub mod confidence;
pub mod contradictions;
pub mod coverage;
pub mod gaps;
pub mod leads;
pub mod origins;
pub mod priority;
pub mod quality;

/// Whom changes of the analysis are by.
pub const BY: &str = "analysis";

/// What the analysers need to know of a mission's profile.
#[derive(Debug, Clone)]
pub struct Requirements {
    /// Sections that the report has to have.
    pub required_sections: Vec<String>,
    /// Independent origins that a topic needs.
    pub min_sources: u32,
    /// Independent origins that a claim needs.
    pub min_sources_per_claim: u32,
    /// Days after which a dated claim's source counts half.
    pub half_life_days: u32,
    /// What sources of a kind are worth, in millionths, where it is not the usual.
    pub weights: BTreeMap<SourceKind, u32>,
    /// The capability that answers questions, where none is named.
    pub research: String,
    /// The capability that settles contradictions.
    pub check: String,
    /// Contradictions that the report states as open.
    pub stated: BTreeSet<ItemId>,
    /// What a mission before left: it comes last on the agenda, and counts for no criterion.
    pub earlier: EarlierItems,
    /// Questions of that mission that are asked again.
    pub asked: BTreeSet<ItemId>,
}

impl Requirements {
    /// Whether only a mission before asks a question.
    pub fn is_earlier_question(&self, id: &ItemId) -> bool {
        place(id) < self.earlier.questions && !self.asked.contains(id)
    }

    /// Whether a gap is one of a mission before, or of a question that only it asks.
    pub fn is_earlier_gap(&self, gap: &Gap) -> bool {
        match &gap.of {
            Some(of) if matches!(ItemKind::place(of), Some((ItemKind::Question, _))) => {
                self.is_earlier_question(of)
            }
            // A section is one of the report that is written now.
            Some(_) | None => place(&gap.id) < self.earlier.gaps && gap.section.is_none(),
        }
    }
}

impl Default for Requirements {
    fn default() -> Self {
        Self {
            required_sections: Vec::new(),
            min_sources: 2,
            min_sources_per_claim: 1,
            half_life_days: 540,
            weights: BTreeMap::new(),
            research: "research".to_owned(),
            check: "fact_checking".to_owned(),
            stated: BTreeSet::new(),
            earlier: EarlierItems::default(),
            asked: BTreeSet::new(),
        }
    }
}

/// What the analysis found.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// The changes; none where nothing follows that is not there.
    pub changes: Changes,
    /// What decisions may depend on, once the changes are made.
    pub facts: GraphFacts,
    /// What the quality is made of.
    pub quality: quality::QualityInputs,
}

/// Finds contradictions, computes confidences, closes, opens and reopens gaps, rates leads, and makes the agenda.
/// On the graph that its changes make it finds no further change, unless there were more contradictions than one
/// analysis records ([`contradictions::MAX_FOUND`]).
///
/// # Errors
/// A change can't be made: the graph holds as many items as it may.
pub fn analyse(graph: &Graph, needs: &Requirements, as_of: Day) -> Result<Analysis, Refusal> {
    let mut next = graph.clone();
    let mut changes = Vec::new();
    let mut make = |next: &mut Graph, found: Vec<Change>| -> Result<(), Refusal> {
        for change in found {
            next.change(&change)?;
            changes.push(change);
        }
        Ok(())
    };
    let found = contradictions::changes(&next);
    make(&mut next, found)?;
    let found = confidence::changes(&next, needs, as_of);
    make(&mut next, found)?;
    // What is closed or reopened decides what is still to be opened; what is reopened may be closed by other evidence.
    for _ in 0..2 {
        let found = gaps::closings(&next, needs);
        make(&mut next, found)?;
    }
    let found = gaps::openings(&next, needs);
    make(&mut next, found)?;
    let found = leads::changes(&next);
    make(&mut next, found)?;
    next.version += u64::from(!changes.is_empty());
    let quality = quality::inputs(&next, needs);
    let mut counts = next.counts();
    let own = next.gaps().filter(|gap| gap.is_open() && gap.critical && !needs.is_earlier_gap(gap));
    counts.open_critical_gaps = u32::try_from(own.count()).unwrap_or(u32::MAX);
    let facts = GraphFacts {
        version: next.version,
        counts,
        coverage: quality.coverage,
        confidence: confidence::mean(
            next.claims().filter(|claim| claim.status == crate::ClaimStatus::Supported),
        ),
        quality: quality.total(),
        sources_per_claim: coverage::sources_per_claim(&next),
        validations: BTreeMap::new(),
        agenda: agenda::agenda(&next, needs),
    };
    let changes = Changes { format: CHANGES_VERSION, from: graph.version, by: BY.to_owned(), changes };
    Ok(Analysis { changes, facts, quality })
}

/// A product of shares.
pub(crate) fn times(a: u32, b: u32) -> u32 {
    let whole = u64::from(MILLION);
    u32::try_from((u64::from(a) * u64::from(b) + whole / 2) / whole).unwrap_or(u32::MAX)
}

/// A share; `none` where there is nothing to share.
pub(crate) fn share(part: usize, of: usize, none: u32) -> u32 {
    if of == 0 {
        return none;
    }
    let (part, of) = (part as u64, of as u64);
    u32::try_from((part * u64::from(MILLION) + of / 2) / of).unwrap_or(u32::MAX)
}
