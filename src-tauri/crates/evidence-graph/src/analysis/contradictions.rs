//! Pairs of claims that may contradict each other.
//!
//! Two claims are compared where they share an entity and two content words, or 0.6 of the shorter one's content words,
//! and both are supported. At least a third of the younger one's content words has to be among what they share; words of
//! more than [`MAX_CLAIMS_PER_WORD`] claims don't count for that. They are apart, and never a pair, where each names an entity that the other does not. What
//! they differ in (number with its unit, unit, bound, date, modal verb, negation, an opposite, a name at the same place) is a
//! candidate: a check or the user decides. Two claims that answer a question which asks for one value are a candidate, too,
//! where they give other values ([`ValueQuestion`]).

use std::collections::{BTreeMap, BTreeSet};

use domain::mission::ItemId;

use super::BY;
use crate::change::Change;
use crate::graph::Graph;
use crate::index::pair;
use crate::item::{Claim, Contradiction, ContradictionStatus, ItemKind};
use crate::keys::{stems_of_key, text_key};
use crate::statement::{Difference, Statement, ValueQuestion};

/// Words that more claims than this share tell nothing, and are not followed.
const MAX_CLAIMS_PER_WORD: usize = 400;
/// Contradictions that one analysis records.
pub const MAX_FOUND: usize = 200;
/// The share of the shorter claim's content words that both have, in thousandths.
const MIN_OVERLAP: usize = 600;
/// The same where they share an entity.
const MIN_SHARED_WORDS: usize = 2;
/// One in so many of the younger claim's content words has to be shared.
const MAX_WORDS_PER_SHARED: usize = 3;

/// The difference of two claims that are about the same thing, or that answer one of these questions.
fn difference(
    graph: &Graph,
    questions: &BTreeMap<&ItemId, ValueQuestion>,
    first: &Claim,
    second: &Claim,
) -> Option<Difference> {
    let statement = |claim: &Claim| graph.index.statements.get(crate::index::place(&claim.id) as usize);
    let (mine, theirs) = (statement(first)?, statement(second)?);
    let shared: Vec<&ItemId> = first.entities.iter().filter(|id| second.entities.contains(id)).collect();
    if shared.is_empty() && !first.entities.is_empty() && !second.entities.is_empty() {
        return None;
    }
    let mut same = BTreeSet::new();
    for entity in shared.iter().filter_map(|id| graph.entity(id)) {
        same.extend(stems_of_key(&entity.key));
        same.extend(
            entity.aliases.iter().flat_map(|alias| stems_of_key(&text_key(alias)).collect::<Vec<_>>()),
        );
    }
    compared(mine, theirs, !shared.is_empty(), &same).or_else(|| {
        let both = first.answers.iter().filter(|id| second.answers.contains(id));
        let (mine, theirs) = (std::slice::from_ref(mine.as_ref()), std::slice::from_ref(theirs.as_ref()));
        both.filter_map(|id| questions.get(id)).find_map(|question| question.difference(mine, theirs, &same))
    })
}

/// The difference of two statements, `is_shared` where they share an entity whose names have the stems `same`.
pub fn compared(
    first: &Statement,
    second: &Statement,
    is_shared: bool,
    same: &BTreeSet<String>,
) -> Option<Difference> {
    let (shared, shorter) = first.overlap(second);
    let is_alike = shared >= MIN_SHARED_WORDS && shared * 1_000 >= shorter * MIN_OVERLAP;
    let is_linked = is_shared && shared >= MIN_SHARED_WORDS;
    if is_alike || is_linked { first.difference(second, same) } else { None }
}

/// The contradictions that are not recorded yet, in the order of their claims, at most [`MAX_FOUND`].
pub fn changes(graph: &Graph) -> Vec<Change> {
    let index = &graph.index;
    let is_compared: Vec<bool> =
        graph.claims().map(|claim| claim.status.is_live() && graph.is_supported(claim)).collect();
    let questions: BTreeMap<&ItemId, ValueQuestion> = graph
        .questions()
        .filter_map(|question| Some((&question.id, ValueQuestion::parse(&question.text)?)))
        .collect();
    let mut found = Vec::new();
    for (at, claim) in graph.claims().enumerate() {
        let Some(statement) = index.statements.get(at).filter(|_| is_compared[at]) else { continue };
        let mut alike: BTreeMap<u32, usize> = BTreeMap::new();
        for stem in statement.content() {
            let places =
                index.claims_with.get(stem.as_str()).map(|places| places.as_slice()).unwrap_or_default();
            if places.len() > MAX_CLAIMS_PER_WORD {
                continue;
            }
            for &other in places.iter().take_while(|&&other| (other as usize) < at) {
                *alike.entry(other).or_default() += 1;
            }
        }
        for (other, shared) in alike {
            let Some(earlier) = graph.claims.at(other).filter(|_| is_compared[other as usize]) else {
                continue;
            };
            let claims = [earlier.id.clone(), claim.id.clone()];
            if shared * MAX_WORDS_PER_SHARED < statement.content().len()
                || index.pairs.contains_key(&pair(&claims))
            {
                continue;
            }
            let Some(difference) = difference(graph, &questions, earlier, claim) else { continue };
            found.push(Change::ContradictionFound {
                contradiction: Contradiction {
                    id: ItemKind::Contradiction.id(graph.contradictions.len() + found.len()),
                    claims,
                    kind: difference.kind,
                    about: format!("{} / {}", difference.first, difference.second),
                    status: ContradictionStatus::Open,
                    by: BY.to_owned(),
                },
            });
            if found.len() == MAX_FOUND {
                return found;
            }
        }
    }
    found
}
