//! How complete a report is: what it tells of what is known.

use std::collections::BTreeSet;

use domain::mission::{DraftFacts, ItemId, MILLION};

use super::statements::named;
use super::{has_section, is_told, one_line};
use crate::analysis::share;
use crate::graph::Graph;
use crate::keys::text_key;

/// What a report tells of a graph: the claims that its statements name, the sections that it has to have, and what stayed open.
/// A gap is stated by its question, a contradiction by a line that names both its claims, or has their words.
pub fn completeness(markdown: &str, graph: &Graph, required: &[String]) -> DraftFacts {
    let lines = named(markdown);
    let told: BTreeSet<&ItemId> = lines.iter().flat_map(|(_, claims)| claims).collect();
    let known = graph.claims().filter(|claim| is_told(claim));
    let (known, told): (u32, u32) =
        known.fold((0, 0), |(known, of), claim| (known + 1, of + u32::from(told.contains(&claim.id))));
    let sections = required.iter().filter(|section| has_section(markdown, section)).count();
    let text = text_key(markdown);
    let gaps: Vec<_> = graph.gaps().filter(|gap| gap.is_open()).collect();
    let contradictions: Vec<_> = graph.contradictions().filter(|one| one.is_open()).collect();
    let has_side = |line: &str, claims: &[ItemId], side: &ItemId| {
        let words = graph.claim(side).map(|claim| one_line(&claim.text));
        claims.contains(side) || words.is_some_and(|words| line.contains(&words))
    };
    let is_stated = |sides: &[ItemId; 2]| {
        lines.iter().any(|(line, claims)| sides.iter().all(|side| has_side(line, claims, side)))
    };
    let stated = gaps.iter().filter(|gap| text.contains(&text_key(&gap.question))).count()
        + contradictions.iter().filter(|one| is_stated(&one.claims)).count();
    DraftFacts {
        told,
        known,
        sections: share(sections, required.len(), MILLION),
        open: share(stated, gaps.len() + contradictions.len(), MILLION),
    }
}
