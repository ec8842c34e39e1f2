//! From scores to an order.

use std::collections::BTreeMap;

use super::duplicates::Shape;
use super::filter::Scope;
use super::query::{Hit, HitOrigin, MAX_HITS, MAX_OFFSET, Mode, Query, ScoreParts, Step};
use super::weights::{
    CANDIDATES, DECLARED, FURTHER, MUTUAL_POWER, MUTUAL_SEEDS, MUTUAL_SPREAD, NAMED, PASSAGE_CANDIDATES,
    SEEDS, SPREAD, Shares, WITH_MODEL, WITHOUT_MODEL,
};
use super::words::Terms;
use super::{MAX_QUERY_CHARS, clipped, passage, snippet};
use crate::base::Base;
use crate::error::KnowledgeError;
use crate::graph::{Edge, quantised};
use crate::index::stems;
use crate::paragraph::Tier;
use crate::vectors::{Vectors, normalised};

/// A paragraph: the place of its base in the search, and its position there.
type Place = (usize, usize);

/// A base with what a query asks of it.
struct Searched<'b> {
    base: &'b Base,
    scope: Scope<'b>,
    /// Its vectors, where they are compared.
    vectors: Option<&'b Vectors>,
}

/// A paragraph on its way to become a hit.
#[derive(Default)]
struct Found {
    score: f64,
    words: Option<RankedScore>,
    learned: Option<f64>,
    similarity: Option<RankedScore>,
    named: bool,
    steps: Vec<Step>,
}

/// A score and its place among all of its sort.
#[derive(Clone, Copy)]
struct RankedScore {
    score: f64,
    rank: u32,
}

pub(super) fn search(bases: &[&Base], query: &Query) -> Result<Vec<(usize, Hit)>, KnowledgeError> {
    let text = clipped(&query.text, MAX_QUERY_CHARS);
    let vector = query.vector.as_deref().map(normalised);
    let mut searched = Vec::with_capacity(bases.len());
    for &base in bases {
        let wanted = query.tiers.is_empty() || query.tiers.contains(&base.manifest().tier);
        searched.push(if wanted {
            let vectors = vectors_of(base, query, vector.as_deref())?;
            Some(Searched { base, scope: Scope::new(base, text, query), vectors })
        } else {
            None
        });
    }
    let stems = stems(text);
    let used: Vec<&Base> = searched.iter().flatten().map(|one| one.base).collect();
    let terms = Terms::new(text, &stems, &used);

    let (mut words, mut learned, mut similar) = (Vec::new(), Vec::new(), Vec::new());
    for (at, one) in searched.iter().enumerate() {
        let Some(one) = one else { continue };
        let allowed = |position: usize| one.scope.allows(position);
        if query.mode != Mode::Vectors {
            let scores = terms.scores(one.base).into_iter().enumerate();
            let matching = scores.filter(|&(position, score)| score > 0.0 && allowed(position));
            words.extend(matching.map(|(position, score)| (quantised(score), (at, position))));
        }
        let by_whole =
            |similarity: f32, position: u32| (quantised(f64::from(similarity)), (at, position as usize));
        if query.mode == Mode::Auto {
            let question = terms.question(one.base);
            let cosines = one.base.lsi().and_then(|lsi| lsi.similarities(&question)).into_iter().flatten();
            let rated = cosines.zip(one.base.wholes()).map(|(cosine, &position)| by_whole(cosine, position));
            learned.extend(rated.filter(|&(cosine, (_, position))| cosine > 0.0 && allowed(position)));
        }
        if let (Some(vectors), Some(vector)) = (one.vectors, vector.as_deref()) {
            let cosines = vectors.similarities(vector).zip(one.base.wholes());
            let rated = cosines.map(|(cosine, &position)| by_whole(cosine, position));
            similar.extend(rated.filter(|&(_, (_, position))| allowed(position)));
        }
    }
    let mut words = best(words);
    for (score, (at, position)) in words.iter_mut().take(PASSAGE_CANDIDATES) {
        *score = quantised(*score + passage::gain(&terms, bases[*at], *position));
    }
    let words = best(words);
    let lists = Lists { words, learned: best(learned), similar: best(similar) };
    let mut found = fused(lists, &searched);
    name(&mut found, &searched);
    if query.hops > 0 {
        spread(&mut found, &searched, query.hops.min(3));
    }
    let mut ranked: Vec<(Place, Found)> = found.into_iter().collect();
    ranked.iter_mut().for_each(|(_, one)| one.score = quantised(one.score));
    let id = |place: Place| bases[place.0].id(place.1);
    ranked.sort_by(|(a, one), (b, other)| {
        let tiers = bases[a.0].manifest().tier.cmp(&bases[b.0].manifest().tier);
        other.score.total_cmp(&one.score).then(tiers).then(a.0.cmp(&b.0)).then_with(|| id(*a).cmp(id(*b)))
    });
    let limit = if query.limit == 0 { 10 } else { query.limit.min(MAX_HITS) };
    let page = without_copies(ranked, bases, query.offset.min(MAX_OFFSET), limit);
    Ok(explained(page, bases, &terms, |paragraph| snippet::matches(text, &stems, paragraph)))
}

fn vectors_of<'b>(
    base: &'b Base,
    query: &Query,
    vector: Option<&[f32]>,
) -> Result<Option<&'b Vectors>, KnowledgeError> {
    let none = || KnowledgeError::NoVectors { base: base.manifest().base.clone() };
    let (vector, stored) = match (query.mode, vector, &base.manifest().vectors) {
        (Mode::Words, _, _) => return Ok(None),
        (Mode::Auto | Mode::Vectors, Some(vector), Some(stored)) => (vector, stored),
        (Mode::Auto, _, _) => return Ok(None),
        (Mode::Vectors, _, _) => return Err(none()),
    };
    if vector.len() != stored.dimensions {
        return Err(KnowledgeError::OtherVector {
            base: base.manifest().base.clone(),
            model: stored.model.clone(),
            expected: stored.dimensions,
            found: vector.len(),
        });
    }
    base.vectors()
}

/// The best of scored paragraphs, best first.
fn best(mut scored: Vec<(f64, Place)>) -> Vec<(f64, Place)> {
    let order = |a: &(f64, Place), b: &(f64, Place)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if scored.len() > CANDIDATES {
        scored.select_nth_unstable_by(CANDIDATES, order);
        scored.truncate(CANDIDATES);
    }
    scored.sort_unstable_by(order);
    scored
}

/// The best by each sort of score, best first.
struct Lists {
    words: Vec<(f64, Place)>,
    learned: Vec<(f64, Place)>,
    similar: Vec<(f64, Place)>,
}

/// All sorts of scores on one scale from 0 to 1, mixed by what a base has; a list that is empty weighs nothing.
fn fused(lists: Lists, searched: &[Option<Searched<'_>>]) -> BTreeMap<Place, Found> {
    let Lists { words, learned, similar } = lists;
    let some = |list: &[(f64, Place)]| if list.is_empty() { 0.0 } else { 1.0 };
    let (any_words, any_learned, any_similar) = (some(&words), some(&learned), some(&similar));
    let shares = |place: Place| {
        let one = searched[place.0].as_ref();
        let modelled = one.is_some_and(|one| one.vectors.is_some());
        let mut shares = if modelled { WITH_MODEL } else { WITHOUT_MODEL };
        if one.is_none_or(|one| one.base.lsi().is_none()) {
            shares.learned = 0.0;
        }
        shares.words *= any_words;
        shares.learned *= any_learned;
        shares.model *= any_similar;
        let all = shares.words + shares.learned + shares.model;
        Shares { words: shares.words / all, learned: shares.learned / all, model: shares.model / all }
    };
    let mut found: BTreeMap<Place, Found> = BTreeMap::new();
    let scale = Scale::of_best(&words);
    for (rank, (score, place)) in (1..).zip(words) {
        let one = found.entry(place).or_default();
        one.words = Some(RankedScore { score, rank });
        one.score += scale.of(score) * shares(place).words;
    }
    let scale = Scale::of_best(&learned);
    for (score, place) in learned {
        let one = found.entry(place).or_default();
        one.learned = Some(score);
        one.score += scale.of(score) * shares(place).learned;
    }
    let scale = Scale::of_best(&similar);
    for (rank, (score, place)) in (1..).zip(similar) {
        let one = found.entry(place).or_default();
        one.similarity = Some(RankedScore { score, rank });
        one.score += scale.of(score) * shares(place).model;
    }
    found
}

/// What becomes 1; nothing stays 0, so that a list whose scores lie close together decides little.
struct Scale(f64);

impl Scale {
    fn of_best(ranked: &[(f64, Place)]) -> Self {
        Self(ranked.first().map_or(0.0, |best| best.0))
    }

    fn of(&self, score: f64) -> f64 {
        if self.0 > 0.0 { (score / self.0).max(0.0) } else { 1.0 }
    }
}

fn name(found: &mut BTreeMap<Place, Found>, searched: &[Option<Searched<'_>>]) {
    let top = found.values().map(|one| one.score).fold(0.0, f64::max);
    for (at, one) in searched.iter().enumerate() {
        let Some(one) = one else { continue };
        for &position in one.scope.named.iter().filter(|&&position| one.scope.allows(position)) {
            let entry = found.entry((at, position)).or_default();
            entry.named = true;
            entry.score += top + NAMED;
        }
    }
}

/// What the best hits have, their neighbours gather: from each of them, so that a paragraph that several good
/// hits point at rises.
fn spread(found: &mut BTreeMap<Place, Found>, searched: &[Option<Searched<'_>>], hops: usize) {
    let mut seeds: Vec<(f64, Place)> =
        found.iter().map(|(&place, one)| (quantised(one.score), place)).collect();
    seeds.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    seeds.truncate(SEEDS.max(MUTUAL_SEEDS));
    let top = seeds.first().map_or(0.0, |(score, _)| *score);
    for (place, (score, (at, seed))) in seeds.into_iter().enumerate() {
        let Some(Searched { base, scope, .. }) = searched.get(at).and_then(Option::as_ref) else { continue };
        let mutual = base.graph().mutual(seed);
        // A part is shown as the whole it belongs to; whichever way leads there best counts, once.
        let mut reached: BTreeMap<usize, (f64, Edge, usize)> = BTreeMap::new();
        let hops = if place < SEEDS { hops } else { 1 };
        for (position, near) in base.graph().near(seed, hops) {
            let whole = base.whole(position);
            let declared = near.depth == 1 && base.graph().is_declared(near.edge);
            let spread = if declared { SPREAD * DECLARED } else { SPREAD };
            let gain = match near.depth == 1 && mutual.contains(&position) {
                true if place < MUTUAL_SEEDS => top * MUTUAL_SPREAD * (score / top).powi(MUTUAL_POWER),
                false if place < SEEDS => score * spread * near.weight * FURTHER.powi(near.depth as i32 - 1),
                true | false => continue,
            };
            if whole != seed && scope.allows(whole) && reached.get(&whole).is_none_or(|best| best.0 < gain) {
                reached.insert(whole, (gain, near.edge, near.from));
            }
        }
        for (position, (gain, edge, from)) in reached {
            let entry = found.entry((at, position)).or_default();
            entry.score += gain;
            let kind = base.graph().kind(edge).to_owned();
            entry.steps.push(Step {
                from: base.id(base.whole(from)).to_owned(),
                kind,
                gain: quantised(gain),
            });
        }
    }
}

/// A ranked paragraph with the copies that stand behind it.
struct RankedParagraph {
    place: Place,
    found: Found,
    shape: Shape,
    copies: Vec<String>,
}

/// One page of the ranking. A copy of a paragraph listed before it is named there instead; what is withdrawn or
/// of a lower tier never stands for a text that is in force or of a higher one.
fn without_copies(
    ranked: Vec<(Place, Found)>,
    bases: &[&Base],
    offset: usize,
    limit: usize,
) -> Vec<RankedParagraph> {
    let standing = |place: Place| -> (bool, Tier) {
        (bases[place.0].columns().withdrawn(place.1), bases[place.0].manifest().tier)
    };
    let mut listed: Vec<RankedParagraph> = Vec::new();
    for (place, found) in ranked {
        let paragraph = &bases[place.0].paragraphs()[place.1];
        let shape = Shape::of(&paragraph.text);
        let near = listed.len().saturating_sub(MAX_HITS);
        let original = listed[near..].iter().position(|before| {
            !found.named && standing(before.place) <= standing(place) && before.shape.copies(&shape)
        });
        match original {
            Some(original) => listed[near + original].copies.push(paragraph.id.clone()),
            None if listed.len() == offset + limit => break,
            None => listed.push(RankedParagraph { place, found, shape, copies: Vec::new() }),
        }
    }
    listed.drain(..offset.min(listed.len()));
    listed
}

fn explained(
    page: Vec<RankedParagraph>,
    bases: &[&Base],
    terms: &Terms<'_>,
    matches: impl Fn(&crate::Paragraph) -> (Vec<String>, String),
) -> Vec<(usize, Hit)> {
    let mut shares = BTreeMap::new();
    for (at, base) in bases.iter().enumerate() {
        let mut positions: Vec<usize> =
            page.iter().filter(|one| one.place.0 == at).map(|one| one.place.1).collect();
        positions.sort_unstable();
        let of_each = terms.shares(base, &positions);
        shares.extend(positions.into_iter().zip(of_each).map(|(position, share)| ((at, position), share)));
    }
    page.into_iter()
        .map(|RankedParagraph { place, found, copies, .. }| {
            let paragraph = &bases[place.0].paragraphs()[place.1];
            let (matched, snippet) = matches(paragraph);
            let mut path = found.steps;
            path.sort_by(|a, b| b.gain.total_cmp(&a.gain).then_with(|| a.from.cmp(&b.from)));
            let similar = found.learned.is_some() || found.similarity.is_some();
            let via = match (found.named, found.words, path.first()) {
                (true, ..) => HitOrigin::Id,
                (false, Some(_), _) => HitOrigin::Words,
                (false, None, Some(Step { from, kind, .. })) if !similar => {
                    HitOrigin::Link { from: from.clone(), kind: kind.clone() }
                }
                (false, None, _) => HitOrigin::Similarity,
            };
            let why = ScoreParts {
                words: if found.words.is_some() {
                    shares.remove(&place).unwrap_or_default()
                } else {
                    Vec::new()
                },
                words_score: found.words.map_or(0.0, |words| words.score),
                words_rank: found.words.map(|words| words.rank),
                learned: found.learned,
                similarity: found.similarity.map(|similarity| similarity.score),
                similarity_rank: found.similarity.map(|similarity| similarity.rank),
                path,
                duplicates: copies,
            };
            let id = paragraph.id.clone();
            (place.0, Hit { id, score: found.score, matched, snippet, via, why })
        })
        .collect()
}
