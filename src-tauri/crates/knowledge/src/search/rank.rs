//! From scores to an order.

use std::collections::BTreeMap;

use text_analysis::{Language, Languages};

use super::duplicates::Shape;
use super::filter::Scope;
use super::focus::Focus;
use super::query::{Hit, HitOrigin, MAX_HITS, MAX_OFFSET, Mode, Query, ScoreParts, Step};
use super::weights::{
    CANDIDATES, DECLARED, FOCUS, FURTHER, MUTUAL_POWER, MUTUAL_SEEDS, MUTUAL_SPREAD, NAMED,
    PASSAGE_CANDIDATES, SEEDS, SPREAD, Shares, TITLED, TITLES, WITH_MODEL, WITHOUT_MODEL,
};
use super::words::Terms;
use super::{MAX_QUERY_CHARS, clipped, passage, snippet};
use crate::base::Base;
use crate::error::KnowledgeError;
use crate::graph::{Edge, quantised};
use crate::index::{QueryWord, query_words};
use crate::paragraph::Tier;
use crate::titles::Title;
use crate::vectors::{Vectors, normalised};

/// The kind of a link through a title that a text names.
const TITLE_LINK: &str = "names";

/// What keeps a text before those that it names.
const BEHIND: f64 = 1e-6;

/// A paragraph: the place of its base in the search, and its position there.
type ParagraphPosition = (usize, usize);

/// A base with what a query asks of it.
struct Searched<'b> {
    base: &'b Base,
    scope: Scope<'b>,
    /// The documents that it names.
    focus: Option<Focus>,
    /// Its vectors, where they are compared.
    vectors: Option<&'b Vectors>,
}

/// A paragraph on its way to become a hit.
#[derive(Default)]
struct Found {
    score: f64,
    /// What it gets beyond that for its document.
    focus: f64,
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
            let focus = if query.plain { None } else { Focus::find(base, text) };
            Some(Searched { base, scope: Scope::new(base, text, query), focus, vectors })
        } else {
            None
        });
    }
    let used: Vec<&Base> = searched.iter().flatten().map(|one| one.base).collect();
    let languages = languages(&used);
    let words_asked = query_words(text, &languages);
    let compounds = Language::find_among(text, &languages).is_none_or(Language::has_compounds);
    // What names documents tells nothing about a passage in them.
    let named = |word: &QueryWord| {
        let mut focused = searched.iter().flatten().map(|one| one.focus.as_ref());
        focused.all(|focus| focus.is_some_and(|focus| focus.is_said(word)))
    };
    let mut sought: Vec<QueryWord> = words_asked.iter().filter(|word| !named(word)).cloned().collect();
    if sought.is_empty() {
        sought.clone_from(&words_asked);
    }
    let terms = Terms::new(text, &sought, &used, compounds);

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
    // What stands in documents that the query names is not crowded out by the others.
    let (mut inside, mut outside) = words.into_iter().partition(|one| held(one.1, &searched) > 0);
    let mut words = Vec::new();
    for list in [&mut inside, &mut outside] {
        let mut list = best(std::mem::take(list));
        for (score, (at, position)) in list.iter_mut().take(PASSAGE_CANDIDATES) {
            *score = quantised(*score + passage::gain(&terms, bases[*at], *position));
        }
        words.extend(best(list));
    }
    words.sort_unstable_by(by_score);
    let lists = Lists { words, learned: best(learned), similar: best(similar) };
    let mut found = fused(lists, &searched);
    prefer(&mut found, &searched);
    name(&mut found, &searched, text, query.plain);
    if !query.plain {
        follow_titles(&mut found, &searched);
    }
    if query.hops > 0 {
        spread(&mut found, &searched, query.hops.min(3));
    }
    let mut ranked: Vec<(ParagraphPosition, Found)> = found.into_iter().collect();
    ranked.iter_mut().for_each(|(_, one)| one.score = quantised(one.score + one.focus));
    let id = |place: ParagraphPosition| bases[place.0].id(place.1);
    ranked.sort_by(|(a, one), (b, other)| {
        let tiers = bases[a.0].manifest().tier.cmp(&bases[b.0].manifest().tier);
        other.score.total_cmp(&one.score).then(tiers).then(a.0.cmp(&b.0)).then_with(|| id(*a).cmp(id(*b)))
    });
    let limit = if query.limit == 0 { 10 } else { query.limit.min(MAX_HITS) };
    let page = without_copies(ranked, bases, query.offset.min(MAX_OFFSET), limit);
    let matches = |base: &Base, position: usize| {
        let language = base.index().language(position);
        snippet::matches(text, &words_asked, &base.paragraphs()[position], language)
    };
    Ok(explained(page, &searched, bases, &terms, matches))
}

/// The languages of some bases, the commonest of the first one first.
fn languages(bases: &[&Base]) -> Languages {
    let mut all = Languages::new();
    for language in bases.iter().flat_map(|base| base.languages()) {
        if !all.contains(language) {
            all.push(*language);
        }
    }
    all
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
fn best(mut scored: Vec<(f64, ParagraphPosition)>) -> Vec<(f64, ParagraphPosition)> {
    if scored.len() > CANDIDATES {
        scored.select_nth_unstable_by(CANDIDATES, by_score);
        scored.truncate(CANDIDATES);
    }
    scored.sort_unstable_by(by_score);
    scored
}

fn by_score(a: &(f64, ParagraphPosition), b: &(f64, ParagraphPosition)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}

/// The best by each sort of score, best first.
struct Lists {
    words: Vec<(f64, ParagraphPosition)>,
    learned: Vec<(f64, ParagraphPosition)>,
    similar: Vec<(f64, ParagraphPosition)>,
}

/// All sorts of scores on one scale from 0 to 1, mixed by what a base has; a list that is empty weighs nothing.
fn fused(lists: Lists, searched: &[Option<Searched<'_>>]) -> BTreeMap<ParagraphPosition, Found> {
    let Lists { words, learned, similar } = lists;
    let some = |list: &[(f64, ParagraphPosition)]| if list.is_empty() { 0.0 } else { 1.0 };
    let (any_words, any_learned, any_similar) = (some(&words), some(&learned), some(&similar));
    let shares = |place: ParagraphPosition| {
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
    let mut found: BTreeMap<ParagraphPosition, Found> = BTreeMap::new();
    let scale = Scale::of_best(&words);
    for (rank, (score, place)) in (1..).zip(words) {
        let one = found.entry(place).or_default();
        one.words = Some(RankedScore { score, rank });
        one.score += scale.share(score) * shares(place).words;
    }
    let scale = Scale::of_best(&learned);
    for (score, place) in learned {
        let one = found.entry(place).or_default();
        one.learned = Some(score);
        one.score += scale.share(score) * shares(place).learned;
    }
    let scale = Scale::of_best(&similar);
    for (rank, (score, place)) in (1..).zip(similar) {
        let one = found.entry(place).or_default();
        one.similarity = Some(RankedScore { score, rank });
        one.score += scale.share(score) * shares(place).model;
    }
    found
}

/// What becomes 1; nothing stays 0, so that a list whose scores lie close together decides little.
struct Scale(f64);

impl Scale {
    fn of_best(ranked: &[(f64, ParagraphPosition)]) -> Self {
        Self(ranked.first().map_or(0.0, |best| best.0))
    }

    fn share(&self, score: f64) -> f64 {
        if self.0 > 0.0 { (score / self.0).max(0.0) } else { 1.0 }
    }
}

/// How many sorts of naming choose a paragraph's document.
fn held(place: ParagraphPosition, searched: &[Option<Searched<'_>>]) -> u8 {
    let one = searched.get(place.0).and_then(Option::as_ref);
    let focus = one.and_then(|one| Some((one, one.focus.as_ref()?)));
    focus.map_or(0, |(one, focus)| focus.held(one.base.document_names().at(place.1)))
}

/// Puts what stands in documents that the query names before the others.
fn prefer(found: &mut BTreeMap<ParagraphPosition, Found>, searched: &[Option<Searched<'_>>]) {
    let top = found.values().map(|one| one.score).fold(0.0, f64::max);
    for (&place, one) in found {
        one.focus = top * FOCUS * f64::from(held(place, searched));
    }
}

/// Puts what the query names, by an id or a title, before every other.
fn name(
    found: &mut BTreeMap<ParagraphPosition, Found>,
    searched: &[Option<Searched<'_>>],
    text: &str,
    plain: bool,
) {
    let top = found.values().map(|one| one.score + one.focus).fold(0.0, f64::max);
    for (at, one) in searched.iter().enumerate() {
        let Some(one) = one else { continue };
        let mut named: BTreeMap<usize, f64> = BTreeMap::new();
        for title in if plain { Vec::new() } else { one.base.titles().named_in(text) } {
            named.extend(best_below(title, at, one, found).into_iter().map(|position| (position, top)));
        }
        named.extend(one.scope.named.iter().map(|&position| (position, top + NAMED)));
        for (position, gain) in named.into_iter().filter(|&(position, _)| one.scope.allows(position)) {
            let entry = found.entry((at, position)).or_default();
            entry.named = true;
            entry.score += gain;
        }
    }
}

/// The best paragraph of each place that a title stands for, or its first.
fn best_below(
    title: &Title,
    at: usize,
    one: &Searched<'_>,
    found: &BTreeMap<ParagraphPosition, Found>,
) -> Vec<usize> {
    let best = |place: &std::ops::Range<usize>| {
        let score = |position: usize| found.get(&(at, position)).map_or(0.0, |one| quantised(one.score));
        let whole = |position: &usize| one.base.whole(*position) == *position && one.scope.allows(*position);
        let all = place.clone().filter(whole).map(|position| (score(position), position));
        all.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, position)| position)
    };
    title.places.iter().filter_map(best).collect()
}

/// What the texts of the best hits name by its title gets part of their score; it never passes the one that names it.
fn follow_titles(found: &mut BTreeMap<ParagraphPosition, Found>, searched: &[Option<Searched<'_>>]) {
    let mut reached: BTreeMap<ParagraphPosition, (f64, usize)> = BTreeMap::new();
    for (score, (at, seed)) in seeds(found, SEEDS) {
        let Some(one) = searched.get(at).and_then(Option::as_ref) else { continue };
        let (_, text) = one.base.paragraphs().words(seed);
        let titles = one.base.titles().named_in(&text).into_iter().take(TITLES);
        let others = titles.filter(|title| title.places.iter().all(|place| !place.contains(&seed)));
        for position in others.flat_map(|title| best_below(title, at, one, found)) {
            let total = |position: usize| found.get(&(at, position)).map_or(0.0, |one| one.score + one.focus);
            let gain = (score * TITLED).min(total(seed) - total(position) - BEHIND);
            let best = reached.entry((at, position)).or_insert((0.0, seed));
            if gain > best.0 {
                *best = (gain, seed);
            }
        }
    }
    for ((at, position), (gain, seed)) in reached.into_iter().filter(|(_, (gain, _))| *gain > 0.0) {
        let Some(one) = searched.get(at).and_then(Option::as_ref) else { continue };
        let entry = found.entry((at, position)).or_default();
        entry.score += gain;
        let from = one.base.id(seed).to_owned();
        entry.steps.push(Step { from, kind: TITLE_LINK.to_owned(), gain: quantised(gain) });
    }
}

/// The best so far, with what they pass on: what a paragraph gets for its document is its own.
fn seeds(found: &BTreeMap<ParagraphPosition, Found>, count: usize) -> Vec<(f64, ParagraphPosition)> {
    let total = |(&place, one): (&ParagraphPosition, &Found)| (quantised(one.score + one.focus), place);
    let mut seeds: Vec<(f64, ParagraphPosition)> = found.iter().map(total).collect();
    seeds.sort_by(by_score);
    seeds.truncate(count);
    let own = |(_, place)| (found.get(&place).map_or(0.0, |one| quantised(one.score)), place);
    seeds.into_iter().map(own).collect()
}

/// What the best hits have, their neighbours gather: from each of them, so that a paragraph that several good
/// hits point at rises.
fn spread(found: &mut BTreeMap<ParagraphPosition, Found>, searched: &[Option<Searched<'_>>], hops: usize) {
    let seeds = seeds(found, SEEDS.max(MUTUAL_SEEDS));
    let top = seeds.iter().map(|(score, _)| *score).fold(0.0, f64::max);
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
    place: ParagraphPosition,
    found: Found,
    shape: Shape,
    copies: Vec<String>,
}

/// One page of the ranking. A copy of a paragraph listed before it is named there instead; what is withdrawn or
/// of a lower tier never stands for a text that is in force or of a higher one.
fn without_copies(
    ranked: Vec<(ParagraphPosition, Found)>,
    bases: &[&Base],
    offset: usize,
    limit: usize,
) -> Vec<RankedParagraph> {
    let standing = |place: ParagraphPosition| -> (bool, Tier) {
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
    searched: &[Option<Searched<'_>>],
    bases: &[&Base],
    terms: &Terms<'_>,
    matches: impl Fn(&Base, usize) -> (Vec<String>, String),
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
            let (matched, snippet) = matches(bases[place.0], place.1);
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
                scope: scope_of(place, searched),
                path,
                duplicates: copies,
            };
            let id = paragraph.id.clone();
            (place.0, Hit { id, score: found.score, matched, snippet, via, why })
        })
        .collect()
}

/// What the query says of a paragraph's document, where that is all of it.
fn scope_of(place: ParagraphPosition, searched: &[Option<Searched<'_>>]) -> Vec<String> {
    let Some(one) = searched.get(place.0).and_then(Option::as_ref) else { return Vec::new() };
    let focus = one.focus.as_ref().filter(|focus| focus.is_whole(one.base.document_names().at(place.1)));
    focus.map(|focus| focus.named.clone()).unwrap_or_default()
}
