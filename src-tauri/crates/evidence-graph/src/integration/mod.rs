//! Findings of one invocation as changes: the same thing is stored once, and what can't be stored is named.

use std::collections::BTreeMap;

use domain::mission::{Findings, ItemId};
use domain::{Proof, SentenceVerdict};

use crate::change::{CHANGES_VERSION, Changes};
use crate::graph::Graph;

mod claims;
mod draft;
mod ledger;

use draft::Draft;

/// Entries of one list of findings; further ones are refused.
pub const MAX_LIST_ITEMS: usize = 2_000;
/// The longest statement, quote, name or question of findings.
pub const MAX_TEXT_BYTES: usize = 8_000;

/// What the caller knows of findings.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The invocation.
    pub by: String,
    /// What checking citations found, by their place in the findings: `/claims/0/citations/1`. Without a check a
    /// citation is unverified.
    pub checks: BTreeMap<String, Check>,
    /// The generation of the knowledge base that holds a source, by the source's `id` in the findings.
    pub generations: BTreeMap<String, String>,
}

/// What checking one citation found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The verdict on the claim, as far as this citation carries it.
    pub verdict: SentenceVerdict,
    /// How far code alone could carry it.
    pub proof: Proof,
    /// The key of the paragraph that holds the quote.
    pub paragraph: Option<String>,
}

/// What became of findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intake {
    /// The changes; none where everything was known.
    pub changes: Changes,
    /// What is new.
    pub counts: Counts,
    /// What was left out, and why.
    pub refused: Vec<Refused>,
    /// The contradictions that were stated.
    pub conflicts: Vec<ItemId>,
}

/// How many of each kind are new.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sources.
    pub sources: u32,
    /// Entities.
    pub entities: u32,
    /// Relations.
    pub relations: u32,
    /// Claims.
    pub claims: u32,
    /// Known claims that got another citation.
    pub corroborated: u32,
    /// Citations.
    pub citations: u32,
    /// Gaps.
    pub gaps: u32,
    /// Contradictions.
    pub contradictions: u32,
    /// Leads.
    pub leads: u32,
}

/// An entry of findings that was left out, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Its place in the findings, as a JSON pointer.
    pub place: String,
    /// Why, in a sentence.
    pub reason: String,
}

/// Makes changes of findings. The graph is not changed; apply the changes.
///
/// Entries are taken in the order of their keys, so that the order of a list doesn't matter. On a newer version of the
/// graph call it again: the same findings give the same claims.
pub fn integrate(graph: &Graph, findings: &Findings, context: &Context) -> Intake {
    let mut draft = Draft::new(graph, context);
    let sources = draft.sources(&findings.sources);
    draft.entities(&findings.entities_discovered);
    draft.claims(&findings.claims, &sources);
    draft.relations(&findings.relationships_discovered, &sources);
    draft.gaps(&findings.gaps_identified);
    draft.leads(&findings.suggested_follow_ups);
    draft.contradictions(&findings.contradictions);
    draft.refused.sort_by(|a, b| a.place.cmp(&b.place));
    let changes = Changes {
        format: CHANGES_VERSION,
        from: graph.version,
        by: context.by.clone(),
        changes: draft.changes,
    };
    Intake { changes, counts: draft.counts, refused: draft.refused, conflicts: draft.conflicts }
}
