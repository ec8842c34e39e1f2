//! Gathering for research: a question, its sub-queries and the places they name, merged into one list.
//!
//! Scores of different queries are not comparable, so lists are merged by rank (reciprocal rank fusion, Cormack et
//! al. 2009). What a query finds first and every place that it names have their seats before ranks are compared.

mod targets;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::base::Base;
use crate::error::KnowledgeError;
use crate::graph::{PART_OF, quantised};
use crate::search::{Hit, HitOrigin, MAX_HITS, Query, ScoreParts};
use targets::TargetFinder;

/// Softens the difference between the first ranks.
const RANK: f64 = 20.0;
/// What a phrase of a list weighs beside a whole query, and what a link weighs.
const PHRASE: f64 = 0.5;
const LINK: f64 = 0.5;
/// Best paragraphs whose links are followed.
const SEEDS: usize = 5;
/// Phrases of one query that are searched by themselves, and most words of each.
const PHRASES: usize = 8;
const PHRASE_WORDS: usize = 8;
/// The label of what the question itself found.
/// Items of one enumeration that are taken with what leads into them.
const ITEMS: usize = 8;
const QUESTION: &str = "question";

/// What to gather.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gather {
    /// The question; searched as it is.
    pub question: String,
    /// Queries that it was divided into.
    pub queries: Vec<SubQuery>,
    /// Most paragraphs wanted; at most [`MAX_HITS`].
    pub limit: usize,
    /// Hits of each search that take part.
    pub top_k: usize,
    /// Links to follow from the best, at most 3; 0 follows none.
    pub hop_depth: usize,
    /// Paragraphs that each of the best may lead to.
    pub hop_limit: usize,
    /// Characters of further paragraphs that named headings and sections bring beyond the limit, until they are whole.
    pub place_chars: usize,
}

/// One of the queries that a question was divided into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubQuery {
    /// Its words; a list of phrases between commas is also searched phrase by phrase.
    pub text: String,
    /// Places that it names: ids, citations, numbers of headings, standards, headings.
    pub targets: Vec<String>,
}

/// What was gathered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Gathered {
    /// The paragraphs, best first; scores fall from 1.
    pub hits: Vec<GatheredHit>,
    /// Targets that name nothing in the base.
    pub missing: Vec<String>,
    /// Queries and targets whose paragraph found no room.
    pub left_out: Vec<String>,
    /// What was searched, in order.
    pub searched: Vec<String>,
}

/// A paragraph with what asked for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GatheredHit {
    /// The paragraph; its score tells its place in the list and nothing else.
    pub hit: Hit,
    /// `question`, texts of queries and targets.
    pub wanted_by: Vec<String>,
    /// The named place that it completes, beyond the limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// A paragraph on its way into the list.
#[derive(Default)]
struct Candidate {
    rank: f64,
    /// Its turn among those that have a seat.
    seat: Option<usize>,
    /// Named as a target.
    named: bool,
    wanted_by: Vec<String>,
    hit: Option<Hit>,
    link: Option<(String, String)>,
    /// The named place that it completes.
    place: Option<String>,
}

/// Candidates by their position in the base.
struct Candidates<'b> {
    base: &'b Base,
    all: BTreeMap<usize, Candidate>,
    seats: Vec<(usize, String)>,
    copies: BTreeMap<String, String>,
    /// Named places with what a seat leaves of them.
    places: Vec<(String, Vec<usize>)>,
}

impl Base {
    /// Gathers what `asked` asks for. `vector` makes the vector of a text where the base has vectors; `step` is told
    /// how many of how many searches are done before each and may stop the work.
    pub fn gather(
        &self,
        asked: &Gather,
        vector: &dyn Fn(&str) -> Option<Vec<f32>>,
        step: &mut dyn FnMut(usize, usize) -> Result<(), KnowledgeError>,
    ) -> Result<Gathered, KnowledgeError> {
        let limit = asked.limit.clamp(1, MAX_HITS);
        let searches = searches(asked);
        let mut found = Candidates {
            base: self,
            all: BTreeMap::new(),
            seats: Vec::new(),
            copies: BTreeMap::new(),
            places: Vec::new(),
        };
        let mut phrases = Vec::new();
        for (number, search) in searches.iter().enumerate() {
            step(number, searches.len())?;
            let query = Query {
                text: search.text.clone(),
                limit: asked.top_k.clamp(1, MAX_HITS),
                hops: 1,
                vector: vector(&search.text),
                ..Query::default()
            };
            let hits = self.search(&query)?;
            let firsts = found.add_list(&search.label, search.weight, hits);
            if search.weight < 1.0 {
                phrases.push((search, firsts))
            } else {
                found.seat(&firsts, &search.label)
            }
        }
        let missing = found.add_targets(asked)?;
        // A phrase's own first paragraph comes after whole queries and named places.
        phrases.iter().for_each(|(search, firsts)| found.seat(firsts, &search.label));
        if asked.hop_depth > 0 {
            found.follow(asked.hop_depth.min(3), asked.hop_limit)?;
        }
        found.items(ITEMS.max(limit / 4));
        let (hits, left_out) = found.seated(limit, asked.place_chars);
        Ok(Gathered { hits, missing, left_out, searched: searches.into_iter().map(|one| one.text).collect() })
    }
}

/// One search and what it counts for.
struct Search {
    label: String,
    text: String,
    weight: f64,
}

fn searches(asked: &Gather) -> Vec<Search> {
    let mut searches: Vec<Search> = Vec::new();
    let mut add = |label: &str, text: &str, weight: f64| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !text.is_empty() && !searches.iter().any(|one| one.text == text && one.label == label) {
            searches.push(Search { label: label.to_owned(), text, weight });
        }
    };
    add(QUESTION, &asked.question, 1.0);
    for query in &asked.queries {
        add(query.text.trim(), &query.text, 1.0);
    }
    for query in &asked.queries {
        phrases(&query.text).into_iter().for_each(|phrase| add(query.text.trim(), phrase, PHRASE));
    }
    searches
}

/// The phrases of a list between commas; none where the text is a sentence.
fn phrases(text: &str) -> Vec<&str> {
    let parts: Vec<&str> = text
        .split([',', ';', '\n'])
        .map(|part| {
            let part = part.trim().trim_end_matches(['.', '?']);
            ["and ", "or "].iter().find_map(|word| part.strip_prefix(word)).unwrap_or(part).trim()
        })
        .filter(|part| part.chars().filter(|c| c.is_alphanumeric()).count() > 1)
        .collect();
    let listed = parts.len() > 1 && parts.iter().all(|part| part.split_whitespace().count() <= PHRASE_WORDS);
    if listed { parts.into_iter().take(PHRASES).collect() } else { Vec::new() }
}

impl Candidates<'_> {
    fn add_list(&mut self, label: &str, weight: f64, hits: Vec<Hit>) -> Vec<usize> {
        let (mut firsts, mut plain) = (Vec::new(), false);
        for (rank, hit) in hits.into_iter().enumerate() {
            let Some(position) = self.base.position(&hit.id) else { continue };
            for copy in &hit.why.duplicates {
                self.copies.entry(copy.clone()).or_insert_with(|| hit.id.clone());
            }
            // Where a list of assessment steps stands first, the first other paragraph has a seat, too.
            let other = !plain && !self.is_boilerplate(position);
            if rank == 0 || other {
                firsts.push(position);
                plain |= other;
            }
            let candidate = self.want(position, label);
            candidate.rank += weight / (RANK + rank as f64 + 1.0);
            candidate.hit.get_or_insert(hit);
        }
        firsts
    }

    /// Adds the places that queries name; gives the targets that name nothing.
    fn add_targets(&mut self, asked: &Gather) -> Result<Vec<String>, KnowledgeError> {
        let mut known = TargetFinder::new(self.base);
        let mut missing: Vec<String> = Vec::new();
        let mut done = BTreeSet::new();
        let most = asked.queries.iter().map(|query| query.targets.len()).max().unwrap_or(0);
        // In turn, so that no query's targets take all the seats.
        for turn in 0..most {
            for query in &asked.queries {
                let Some(target) = query.targets.get(turn).map(|target| target.trim()) else { continue };
                if target.is_empty() {
                    continue;
                }
                for (name, place) in known.find(target, &query.text)? {
                    if !place.exists() && !missing.contains(&name) {
                        missing.push(name.clone());
                    }
                    let fresh = done.insert(name.clone());
                    for (rank, &position) in place.positions.iter().enumerate() {
                        let candidate = self.want(position, &name);
                        candidate.named = true;
                        candidate.rank += if fresh { 1.0 / (RANK + rank as f64 + 1.0) } else { 0.0 };
                    }
                    self.seat(&place.positions[..place.seats], &name);
                    if fresh && !place.rest.is_empty() {
                        self.places.push((name, place.rest));
                    }
                }
            }
        }
        Ok(missing)
    }

    fn follow(&mut self, depth: usize, limit: usize) -> Result<(), KnowledgeError> {
        let mut seeds: Vec<(f64, usize)> = self
            .all
            .iter()
            .filter(|(position, _)| !self.is_boilerplate(**position))
            .map(|(&position, one)| (quantised(one.rank), position))
            .collect();
        seeds.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (at, (_, seed)) in seeds.into_iter().take(SEEDS).enumerate() {
            let labels = self.all.get(&seed).map(|one| one.wanted_by.clone()).unwrap_or_default();
            for (rank, hit) in self.base.hop(self.base.id(seed), depth, limit)?.into_iter().enumerate() {
                let Some(position) = self.base.position(&hit.id).map(|position| self.base.whole(position))
                else {
                    continue;
                };
                if position == seed || self.base.columns().withdrawn(position) {
                    continue;
                }
                let candidate = self.all.entry(position).or_default();
                candidate.rank += LINK / (RANK + (at + rank) as f64 + 1.0);
                if candidate.wanted_by.is_empty() {
                    candidate.wanted_by.clone_from(&labels);
                    candidate.link = Some((hit.from, hit.kind));
                }
            }
        }
        Ok(())
    }

    /// Gives the items below a paragraph that only leads into them a seat, at most so many in all: `… if all of the
    /// following conditions are met:` says nothing without them.
    fn items(&mut self, most: usize) {
        let base = self.base;
        let mut leads: Vec<(usize, usize)> =
            self.all.iter().filter_map(|(&position, one)| Some((one.seat?, position))).collect();
        leads.sort_unstable();
        let mut left = most;
        for (_, lead) in leads {
            let paragraph = &base.paragraphs()[lead];
            if !paragraph.text.trim_end().ends_with(':') {
                continue;
            }
            let below = |id: &str| {
                id.strip_prefix(&paragraph.id).is_some_and(|rest| rest.starts_with(['(', '.', '-', ' ']))
            };
            let labels = self.all.get(&lead).map(|one| one.wanted_by.clone()).unwrap_or_default();
            let items = (lead + 1..base.paragraphs().len())
                .take_while(|position| below(&base.paragraphs()[*position].id))
                .filter(|position| {
                    base.whole(*position) == *position && !base.columns().withdrawn(*position)
                });
            let items: Vec<usize> = items.take(left.min(ITEMS)).collect();
            left -= items.len();
            for &item in &items {
                let candidate = self.all.entry(item).or_default();
                if candidate.wanted_by.is_empty() {
                    candidate.wanted_by.clone_from(&labels);
                    candidate.link = Some((paragraph.id.clone(), PART_OF.to_owned()));
                }
            }
            let label = labels.first().map_or(QUESTION, String::as_str).to_owned();
            self.seat(&items, &label);
        }
    }

    fn want(&mut self, position: usize, label: &str) -> &mut Candidate {
        let candidate = self.all.entry(position).or_default();
        if !candidate.wanted_by.iter().any(|known| known == label) {
            candidate.wanted_by.push(label.to_owned());
        }
        candidate
    }

    fn seat(&mut self, positions: &[usize], label: &str) {
        for &position in positions {
            let turn = self.seats.len();
            self.seats.push((position, label.to_owned()));
            self.all.entry(position).or_default().seat.get_or_insert(turn);
        }
    }

    /// Whether a paragraph only lists how another one is assessed.
    fn is_boilerplate(&self, position: usize) -> bool {
        let columns = self.base.columns();
        let graph = self.base.graph();
        columns.name(columns.kind(position)) == "assessment"
            || graph.edges(position).iter().any(|edge| edge.outgoing && graph.kind(*edge) == "assesses")
    }

    /// Makes named places whole, beyond the limit, as far as so many characters allow: a paragraph of each in turn. Gives the
    /// places that are not.
    fn complete(&mut self, chosen: &mut BTreeSet<usize>, chars: usize) -> Vec<String> {
        let mut places: Vec<(String, std::vec::IntoIter<usize>)> = std::mem::take(&mut self.places)
            .into_iter()
            .map(|(name, rest)| (name, rest.into_iter()))
            .collect();
        let (mut left, mut cut): (usize, Vec<String>) = (chars, Vec::new());
        while !places.is_empty() {
            places.retain_mut(|(name, rest)| {
                let next =
                    rest.find(|position| !chosen.contains(position) && !self.is_boilerplate(*position));
                let Some(position) = next else { return false };
                let length = self.base.paragraphs()[position].text.chars().count();
                if length > left {
                    cut.push(name.clone());
                    return false;
                }
                left -= length;
                chosen.insert(position);
                let candidate = self.want(position, name);
                candidate.named = true;
                candidate.place = Some(name.clone());
                true
            });
        }
        cut
    }

    /// The list: seats first, then what makes named places whole, then by rank, and what is boilerplate and was not named
    /// last of all.
    fn seated(mut self, limit: usize, place_chars: usize) -> (Vec<GatheredHit>, Vec<String>) {
        let mut chosen = self.chosen(limit);
        let cut = self.complete(&mut chosen, place_chars);
        let order = self.order();
        let mut left_out: Vec<String> = Vec::new();
        let seats = self.seats.iter().filter(|(position, _)| !chosen.contains(position));
        for label in seats.map(|(_, label)| label).chain(&cut) {
            if !left_out.contains(label) {
                left_out.push(label.clone());
            }
        }
        let (base, count) = (self.base, chosen.len().max(limit));
        let mut all = self.all;
        let listed = order.into_iter().filter(|position| chosen.contains(position));
        let hits = listed.enumerate().filter_map(|(at, position)| {
            let one = all.remove(&position)?;
            let score = quantised(1.0 - at as f64 / count as f64);
            let via = match (one.named, one.link) {
                (false, Some((from, kind))) => HitOrigin::Link { from, kind },
                _ => HitOrigin::Id,
            };
            let hit = one.hit.unwrap_or_else(|| Hit {
                id: base.id(position).to_owned(),
                score,
                matched: Vec::new(),
                snippet: String::new(),
                via,
                why: ScoreParts::default(),
            });
            Some(GatheredHit { hit: Hit { score, ..hit }, wanted_by: one.wanted_by, place: one.place })
        });
        (hits.collect(), left_out)
    }

    /// All candidates in the order of the list.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<(bool, u8, f64, usize)> = self
            .all
            .iter()
            .map(|(&position, one)| {
                let lower = !one.named && self.is_boilerplate(position);
                let group = match (one.seat, &one.place) {
                    (Some(_), None) => 0,
                    (_, Some(_)) => 1,
                    (None, None) => 2,
                };
                (lower, group, quantised(one.rank), position)
            })
            .collect();
        order.sort_by(|a, b| {
            (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.total_cmp(&a.2)).then_with(|| a.3.cmp(&b.3))
        });
        order.into_iter().map(|(.., position)| position).collect()
    }

    /// The paragraphs within the limit: those with a seat, then by rank, a copy of a chosen one never.
    fn chosen(&self, limit: usize) -> BTreeSet<usize> {
        let mut seats: Vec<(usize, usize)> =
            self.all.iter().filter_map(|(&position, one)| Some((one.seat?, position))).collect();
        seats.sort_unstable();
        let mut chosen: BTreeSet<usize> = seats.iter().take(limit).map(|&(_, position)| position).collect();
        let seated = |position: &usize| self.all.get(position).is_some_and(|one| one.seat.is_some());
        for position in self.order().into_iter().filter(|position| !seated(position)) {
            if chosen.len() >= limit {
                break;
            }
            let original = self.copies.get(self.base.id(position));
            let copied =
                original.and_then(|id| self.base.position(id)).is_some_and(|at| chosen.contains(&at));
            if !copied {
                chosen.insert(position);
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::phrases;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_list_is_divided_and_a_sentence_is_not() {
        assert_eq!(
            phrases("audit logs, retention; and protection of keys"),
            ["audit logs", "retention", "protection of keys"]
        );
        assert_eq!(phrases("how long are logs kept"), Vec::<&str>::new());
        let sentence = "when the keeper of the stores leaves in the middle of a year, what is counted";
        assert_eq!(phrases(sentence), Vec::<&str>::new());
    }
}
