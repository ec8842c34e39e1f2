//! What another graph of the same subject holds, as findings: two missions on one graph lose nothing of each other.

use std::collections::BTreeSet;

use domain::mission::{Findings, FoundCitation, FoundClaim, FoundEntity, FoundRelation, FoundSource, ItemId};

use crate::graph::Graph;
use crate::integration::{Check, Context};
use crate::item::{Citation, Claim, Source};
use crate::keys::text_key;

/// Claims that are taken in at a time.
const MAX_CLAIMS: usize = 500;

/// What `other` holds and `own` does not hold in the same words at the same place: claims that stand there, with their
/// citations as they were checked, and relations. Decisions of a user stay with the graph that they were made on. Give each
/// part to [`crate::integrate`], in order: what is known already changes nothing.
pub fn findings_of(own: &Graph, other: &Graph, by: &str) -> Vec<(Findings, Context)> {
    let is_known = |claim: &&Claim| {
        let same = |mine: &Claim| {
            let is_cited = |(theirs, from): (&Citation, &Source)| {
                own.cited(&mine.citations).any(|(known, source)| {
                    let is_same = source.address == from.address
                        || (source.object.is_some() && source.object == from.object);
                    is_same && known.quote == theirs.quote && known.worth() >= theirs.worth()
                })
            };
            mine.text == claim.text && other.cited(&claim.citations).all(is_cited)
        };
        own.claim(&claim.id).is_some_and(same)
    };
    let claims: Vec<&Claim> =
        other.claims().filter(|claim| claim.status.is_live() && !is_known(claim)).collect();
    let mut parts: Vec<(Findings, Context)> = claims
        .chunks(MAX_CLAIMS)
        .map(|claims| {
            let mut part = Part::new(other, by);
            claims.iter().for_each(|claim| part.claim(own, claim));
            (part.findings, part.context)
        })
        .collect();
    let known = own.relations().len().min(other.relations().len());
    let changed = other.relations().zip(own.relations()).filter(|(theirs, mine)| theirs != mine);
    let relations: Vec<_> = changed.map(|(theirs, _)| theirs).chain(other.relations().skip(known)).collect();
    for relations in relations.chunks(MAX_CLAIMS) {
        let mut part = Part::new(other, by);
        for one in relations {
            let (Some(from), Some(to)) = (other.entity(&one.from), other.entity(&one.to)) else { continue };
            let place = format!("/relationships_discovered/{}", part.findings.relationships_discovered.len());
            let (kind, note) = (one.kind.clone(), one.note.clone());
            let citations = part.citations(&place, &one.citations);
            part.about(&[one.from.clone(), one.to.clone()]);
            let (from, to) = (from.name.clone(), to.name.clone());
            part.findings.relationships_discovered.push(FoundRelation { from, to, kind, note, citations });
        }
        parts.push((part.findings, part.context));
    }
    parts
}

struct Part<'g> {
    graph: &'g Graph,
    findings: Findings,
    context: Context,
    /// Sources and entities that are named already.
    named: BTreeSet<ItemId>,
}

impl<'g> Part<'g> {
    fn new(graph: &'g Graph, by: &str) -> Self {
        let context = Context { by: by.to_owned(), ..Context::default() };
        Self { graph, findings: Findings::default(), context, named: BTreeSet::new() }
    }

    fn claim(&mut self, own: &Graph, claim: &Claim) {
        let place = format!("/claims/{}", self.findings.claims.len());
        let citations = self.citations(&place, &claim.citations);
        let entities = self.about(&claim.entities);
        // Only what is asked there as well is answered there.
        let answers = claim.answers.iter().filter_map(|id| {
            let question = self.graph.questions.get(id).map(|question| question.text.clone());
            question.or_else(|| self.graph.gaps.get(id).map(|gap| gap.question.clone()))
        });
        let mut answers = answers.filter(|text| {
            let key = text_key(text);
            own.index.questions.contains_key(key.as_str()) || own.index.gaps.contains_key(key.as_str())
        });
        let answers = answers.next();
        self.findings.claims.push(FoundClaim {
            text: claim.text.clone(),
            kind: claim.kind,
            confidence: None,
            dated: claim.dated,
            entities,
            citations,
            answers,
        });
    }

    /// Names entities that are spoken of, with what is known of them.
    fn about(&mut self, entities: &[ItemId]) -> Vec<String> {
        let mut names = Vec::new();
        for entity in entities.iter().filter_map(|id| self.graph.entity(id)) {
            names.push(entity.name.clone());
            if self.named.insert(entity.id.clone()) {
                self.findings.entities_discovered.push(FoundEntity {
                    name: entity.name.clone(),
                    kind: entity.kind.clone(),
                    aliases: entity.aliases.clone(),
                    description: entity.description.clone(),
                });
            }
        }
        names
    }

    fn citations(&mut self, place: &str, citations: &[ItemId]) -> Vec<FoundCitation> {
        let mut found = Vec::new();
        for (citation, source) in self.graph.cited(citations) {
            if self.named.insert(source.id.clone()) {
                self.findings.sources.push(FoundSource {
                    id: source.id.0.clone(),
                    title: source.title.clone(),
                    address: source.address.clone(),
                    kind: source.kind,
                    object: source.object,
                    published: source.published.clone(),
                    retrieved: source.retrieved.clone(),
                });
                if let Some(generation) = &source.generation {
                    self.context.generations.insert(source.id.0.clone(), generation.clone());
                }
            }
            let Citation { quote, paragraph, page, verdict, proof, .. } = citation.clone();
            let check = Check { verdict, proof, paragraph: paragraph.clone() };
            self.context.checks.insert(format!("{place}/citations/{}", found.len()), check);
            found.push(FoundCitation { source: source.id.0.clone(), quote, paragraph, page });
        }
        found
    }
}
