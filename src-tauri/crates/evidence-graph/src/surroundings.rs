//! What stands around an item: where a claim comes from, what an entity is connected with.

use std::collections::BTreeSet;

use domain::mission::ItemId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::graph::Graph;
use crate::index::place;
use crate::item::{Citation, Claim, Contradiction, Entity, Relation, Source};

/// Entities, relations and claims of a neighbourhood, of each.
pub const MAX_NEIGHBOURS: usize = 200;

/// From a claim to what was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The claim.
    pub claim: Claim,
    /// Its citations, each with its source.
    pub citations: Vec<CitedSource>,
    /// The contradictions that it is part of.
    pub contradictions: Vec<Contradiction>,
}

/// A citation with its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CitedSource {
    /// The citation.
    pub citation: Citation,
    /// The source.
    pub source: Source,
}

/// What is around an entity, the nearest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbourhood {
    /// Entities, the one asked for first.
    pub entities: Vec<Entity>,
    /// The relations between them.
    pub relations: Vec<Relation>,
    /// Claims about the entity asked for, in order of creation.
    pub claims: Vec<Claim>,
    /// Whether there is more than is shown.
    pub is_cut: bool,
}

impl Graph {
    /// Where a claim comes from.
    pub fn provenance(&self, claim: &ItemId) -> Option<Provenance> {
        let claim = self.claim(claim)?;
        let cited = self.cited(&claim.citations);
        Some(Provenance {
            claim: claim.clone(),
            citations: cited
                .map(|(citation, source)| CitedSource { citation: citation.clone(), source: source.clone() })
                .collect(),
            contradictions: self.contradictions_of(&claim.id).cloned().collect(),
        })
    }

    /// What is connected with an entity over at most `steps` relations, at most [`MAX_NEIGHBOURS`] of each.
    pub fn neighbourhood(&self, entity: &ItemId, steps: u32) -> Option<Neighbourhood> {
        let start = self.entity(entity)?;
        let mut found = Neighbourhood { entities: vec![start.clone()], ..Neighbourhood::default() };
        let (mut seen, mut relations) = (BTreeSet::from([place(entity)]), BTreeSet::new());
        let mut wave = vec![place(entity)];
        for _ in 0..steps {
            let mut next = Vec::new();
            for at in wave {
                let places =
                    self.index.relations_of.get(&at).map(|places| places.as_slice()).unwrap_or_default();
                for &relation in places {
                    let Some(row) = self.relations.at(relation) else { continue };
                    let ends = [place(&row.from), place(&row.to)];
                    let other = if ends[0] == at { ends[1] } else { ends[0] };
                    if !seen.contains(&other) {
                        if found.entities.len() >= MAX_NEIGHBOURS {
                            found.is_cut = true;
                            continue;
                        }
                        seen.insert(other);
                        found.entities.extend(self.entities.at(other).cloned());
                        next.push(other);
                    }
                    if relations.insert(relation) {
                        if found.relations.len() < MAX_NEIGHBOURS {
                            found.relations.push(row.clone());
                        } else {
                            found.is_cut = true;
                        }
                    }
                }
            }
            wave = next;
        }
        let claims =
            self.index.claims_of.get(&place(entity)).map(|places| places.as_slice()).unwrap_or_default();
        found.claims =
            claims.iter().take(MAX_NEIGHBOURS).filter_map(|&at| self.claims.at(at)).cloned().collect();
        found.is_cut |= claims.len() > MAX_NEIGHBOURS;
        Some(found)
    }
}
