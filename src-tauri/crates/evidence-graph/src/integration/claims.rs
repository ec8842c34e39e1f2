//! Claims, relations and their citations.

use std::collections::BTreeMap;

use domain::mission::{FoundCitation, FoundClaim, FoundRelation, ItemId};
use domain::{Proof, SentenceVerdict};

use super::Check;
use super::draft::{Draft, sorted};
use crate::change::Change;
use crate::item::{Citation, Claim, ClaimStatus, ConfidenceParts, ItemKind, Relation};
use crate::keys::text_key;
use crate::statement::Statement;

/// Other wordings that a claim keeps.
const MAX_WORDINGS: usize = 8;

impl Draft<'_> {
    pub(super) fn claims(&mut self, found: &[FoundClaim], sources: &BTreeMap<String, ItemId>) {
        self.bound("claims", found.len());
        let key = |claim: &FoundClaim| (claim_key(&claim.text), claim.text.clone());
        for (at, claim) in sorted(found, key) {
            let place = format!("/claims/{at}");
            if let Some(text) = self.text(&format!("{place}/text"), &claim.text) {
                self.claim(&place, text, claim, sources);
            }
        }
    }

    fn claim(&mut self, place: &str, text: &str, found: &FoundClaim, sources: &BTreeMap<String, ItemId>) {
        let entities = self.named(place, &found.entities);
        let answers = self.answered(place, found.answers.as_deref());
        let citations = self.citations(place, &found.citations, sources);
        let known = self.stated(text);
        let is_known = known.is_some();
        let id = match known {
            Some(id) => {
                self.reworded(place, &id, text, &citations);
                let change = self.graph.claim(&id).and_then(|claim| {
                    let new = |known: &[ItemId], found: Vec<ItemId>| -> Vec<ItemId> {
                        found.into_iter().filter(|id| !known.contains(id)).collect()
                    };
                    let (entities, answers) = (new(&claim.entities, entities), new(&claim.answers, answers));
                    let is_new = !(entities.is_empty() && answers.is_empty());
                    is_new.then(|| Change::ClaimLinked { claim: id.clone(), entities, answers })
                });
                if let Some(change) = change {
                    self.change(place, change);
                }
                id
            }
            None => {
                let id = self.graph.claims.next();
                let claim = Claim {
                    id: id.clone(),
                    key: claim_key(text),
                    text: text.to_owned(),
                    wordings: Vec::new(),
                    kind: found.kind,
                    dated: found.dated,
                    entities,
                    answers,
                    citations: Vec::new(),
                    status: ClaimStatus::Unsupported,
                    pinned: false,
                    rejected: None,
                    confidence: 0,
                    parts: ConfidenceParts::default(),
                    by: self.context.by.clone(),
                    revision: 0,
                };
                if !self.change(place, Change::ClaimAdded { claim }) {
                    return;
                }
                self.counts.claims += 1;
                id
            }
        };
        let cited = self.cite(&id, citations);
        self.counts.corroborated += u32::from(is_known && cited);
    }

    /// The claim that says the same.
    pub(super) fn stated(&self, text: &str) -> Option<ItemId> {
        let statement = Statement::of(text);
        let places = self.graph.index.claims.get(claim_key(text).as_str())?;
        let same = |at: &&u32| {
            self.graph.index.statements.get(**at as usize).is_some_and(|known| !known.is_reversed(&statement))
        };
        places.iter().find(same).map(|&at| ItemKind::Claim.id(at as usize))
    }

    /// Keeps other words for a known claim; they become its text where they alone are supported.
    fn reworded(&mut self, place: &str, id: &ItemId, text: &str, citations: &[FoundQuote]) {
        let Some(claim) = self.graph.claim(id) else { return };
        let is_better = !claim.pinned
            && !self.graph.is_supported(claim)
            && citations.iter().any(|quote| quote.citation.supports());
        let is_known = claim.text == text || claim.wordings.iter().any(|wording| wording == text);
        let change = if is_better && claim.text != text {
            Change::ClaimRestated { claim: id.clone(), text: text.to_owned() }
        } else if !is_known && claim.wordings.len() < MAX_WORDINGS {
            Change::ClaimWorded { claim: id.clone(), wording: text.to_owned() }
        } else {
            return;
        };
        self.change(place, change);
    }

    /// The question or gap that a claim answers, by id or by its words.
    fn answered(&mut self, place: &str, answers: Option<&str>) -> Vec<ItemId> {
        let Some(text) = answers.map(str::trim).filter(|text| !text.is_empty()) else { return Vec::new() };
        let id = ItemId(text.to_owned());
        let graph = &self.graph;
        if graph.questions.get(&id).is_some() || graph.gaps.get(&id).is_some() {
            return vec![id];
        }
        let key = text_key(text);
        let question = graph.index.questions.get(key.as_str()).map(|&at| ItemKind::Question.id(at as usize));
        let gap = || graph.index.gaps.get(key.as_str()).map(|&at| ItemKind::Gap.id(at as usize));
        match question.or_else(gap) {
            Some(id) => vec![id],
            None => {
                self.refuse(
                    &format!("{place}/answers"),
                    "no question of the plan and no gap has this id or text",
                );
                Vec::new()
            }
        }
    }

    fn citations(
        &mut self,
        place: &str,
        found: &[FoundCitation],
        sources: &BTreeMap<String, ItemId>,
    ) -> Vec<FoundQuote> {
        let mut quotes = Vec::new();
        let key =
            |one: &FoundCitation| (one.source.clone(), text_key(&one.quote), one.paragraph.clone(), one.page);
        for (at, one) in sorted(found, key) {
            let place = format!("{place}/citations/{at}");
            let Some(source) = sources.get(&one.source) else {
                self.refuse(&format!("{place}/source"), format!("no source has the id {:?}", one.source));
                continue;
            };
            let Some(quote) = self.text(&format!("{place}/quote"), &one.quote) else { continue };
            let unchecked = Check {
                verdict: SentenceVerdict::Unverified,
                proof: Proof::None,
                paragraph: one.paragraph.clone(),
            };
            let check = self.context.checks.get(&place).cloned().unwrap_or(unchecked);
            let citation = Citation {
                id: ItemId(String::new()),
                of: ItemId(String::new()),
                source: source.clone(),
                quote: quote.to_owned(),
                paragraph: check.paragraph.or_else(|| one.paragraph.clone()),
                page: one.page,
                verdict: check.verdict,
                proof: check.proof,
                by: self.context.by.clone(),
            };
            quotes.push(FoundQuote { place, citation });
        }
        quotes
    }

    /// Adds citations to a claim or relation; says whether one of them is new. A citation that it has is checked again
    /// only where more is known than before.
    fn cite(&mut self, of: &ItemId, quotes: Vec<FoundQuote>) -> bool {
        let mut cited = false;
        for FoundQuote { place, citation } in quotes {
            match self.known(of, &citation) {
                Some(known) if rank(&citation) > rank(&known) => {
                    let change = Change::CitationChecked {
                        citation: known.id,
                        verdict: citation.verdict,
                        proof: citation.proof,
                        paragraph: citation.paragraph.or(known.paragraph),
                    };
                    self.change(&place, change);
                }
                Some(_) => {}
                None => {
                    let id = self.graph.citations.next();
                    let citation = Citation { id, of: of.clone(), ..citation };
                    if self.change(&place, Change::CitationAdded { citation }) {
                        self.counts.citations += 1;
                        cited = true;
                    }
                }
            }
        }
        cited
    }

    /// The citation of a claim or relation that has the same source and quote.
    fn known(&self, of: &ItemId, citation: &Citation) -> Option<Citation> {
        let relation = || self.graph.relations.get(of).map(|relation| relation.citations.as_slice());
        let own = self.graph.claim(of).map(|claim| claim.citations.as_slice()).or_else(relation)?;
        let key = text_key(&citation.quote);
        let mut cited = self.graph.cited(own).map(|(known, _)| known);
        cited.find(|known| known.source == citation.source && text_key(&known.quote) == key).cloned()
    }

    pub(super) fn relations(&mut self, found: &[FoundRelation], sources: &BTreeMap<String, ItemId>) {
        self.bound("relationships_discovered", found.len());
        let key = |one: &FoundRelation| {
            (text_key(&one.from), text_key(&one.to), text_key(&one.kind), one.note.clone())
        };
        for (at, one) in sorted(found, key) {
            let place = format!("/relationships_discovered/{at}");
            let end = |draft: &mut Self, side: &str, name: &str| {
                let place = format!("{place}/{side}");
                let name = draft.text(&place, name)?.to_owned();
                draft.entity(&place, &name, None)
            };
            let (Some(from), Some(to)) = (end(self, "from", &one.from), end(self, "to", &one.to)) else {
                continue;
            };
            let Some(kind) = self.text(&format!("{place}/kind"), &one.kind) else { continue };
            let citations = self.citations(&place, &one.citations, sources);
            let known = self.graph.index.relations.get(&(from.clone(), to.clone(), text_key(kind)));
            let id = match known {
                Some(&at) => ItemKind::Relation.id(at as usize),
                None => {
                    let id = self.graph.relations.next();
                    let (kind, note) = (kind.to_owned(), one.note.trim().to_owned());
                    let relation = Relation { id: id.clone(), from, to, kind, note, citations: Vec::new() };
                    if !self.change(&place, Change::RelationAdded { relation }) {
                        continue;
                    }
                    self.counts.relations += 1;
                    id
                }
            };
            self.cite(&id, citations);
        }
    }
}

/// A citation before it has an id.
struct FoundQuote {
    place: String,
    citation: Citation,
}

/// How much a check decides: a verdict that was reached stays.
fn rank(citation: &Citation) -> u8 {
    match (citation.verdict, citation.proof) {
        (SentenceVerdict::Uncited, _) | (SentenceVerdict::Unverified, Proof::None) => 0,
        (SentenceVerdict::Unverified, Proof::Quoted | Proof::NamedThings) => 1,
        (
            SentenceVerdict::Verified
            | SentenceVerdict::JudgedSupported
            | SentenceVerdict::Mismatch
            | SentenceVerdict::Withdrawn
            | SentenceVerdict::Missing,
            _,
        ) => 2,
    }
}

/// The key of a claim: that of its statement, or its words where all of them are stop words.
fn claim_key(text: &str) -> String {
    let key = Statement::of(text).key();
    if key.is_empty() { text_key(text) } else { key }
}
