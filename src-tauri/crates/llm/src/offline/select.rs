//! Choosing sentences by relevance and novelty (maximal marginal relevance, Carbonell and Goldstein 1998): a few for the
//! opening, then some for each thing that is looked for.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use context::ParsedParagraph;

use super::safe::copies_as_text;
use super::score::{self, Title};
use super::words::{quantised, sentences, stem_set, stems, words};

/// Paragraphs and passages that are looked at, at most.
const MOST_PARAGRAPHS: usize = 200;
const MOST_PASSAGES: usize = 3_000;
/// The longest passage that is quoted, in bytes.
const LONGEST: usize = 700;

/// Something that is looked for.
pub(super) struct Query {
    pub text: String,
    pub stems: BTreeSet<String>,
    pub pairs: BTreeSet<(String, String)>,
}

impl Query {
    pub(super) fn new(text: &str) -> Self {
        let order = stems(text);
        let pairs = order.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
        Self { text: text.to_owned(), stems: order.into_iter().collect(), pairs }
    }
}

/// One sentence, or two where the second only makes sense after the first.
pub(super) struct Passage {
    /// Index of the paragraph.
    pub paragraph: usize,
    /// Indices of its sentences.
    pub sentences: Range<usize>,
    pub stems: BTreeSet<String>,
    pub pairs: BTreeSet<(String, String)>,
    /// Relevance, quantised.
    pub score: i64,
}

/// The sentences of the paragraphs that may be quoted.
pub(super) struct Pool<'a> {
    pub paragraphs: Vec<&'a ParsedParagraph>,
    /// Byte ranges of each paragraph's sentences.
    pub ranges: Vec<Vec<Range<usize>>>,
    /// Each paragraph's headings.
    pub titles: Vec<Title>,
    /// Stems of each paragraph's text.
    pub texts: Vec<BTreeSet<String>>,
    pub passages: Vec<Passage>,
    /// Worth of each paragraph, about from 0 to 1.
    pub worth: Vec<f64>,
    /// How much of the question each passage has, quantised.
    topical: Vec<i64>,
    /// Scores of the passages for each part of the question.
    parts: Vec<Vec<i64>>,
    weights: BTreeMap<String, f64>,
}

/// Openings that point at the sentence before.
const POINTS_BACK: [&str; 28] = [
    "this",
    "these",
    "that",
    "those",
    "it",
    "its",
    "they",
    "their",
    "such",
    "he",
    "both",
    "either",
    "however",
    "but",
    "also",
    "otherwise",
    "instead",
    "then",
    "neither",
    "none",
    "therefore",
    "thus",
    "hence",
    "conversely",
    "similarly",
    "each",
    "and",
    "or",
];

impl<'a> Pool<'a> {
    /// `refused` says which sentences may not be used again.
    pub(super) fn new(
        paragraphs: &[&'a ParsedParagraph],
        refused: &dyn Fn(&ParsedParagraph, &str) -> bool,
    ) -> Self {
        let paragraphs: Vec<&ParsedParagraph> = paragraphs
            .iter()
            .copied()
            .filter(|one| is_reference(&one.reference))
            .take(MOST_PARAGRAPHS)
            .collect();
        let ranges: Vec<Vec<Range<usize>>> = paragraphs.iter().map(|one| sentences(&one.text)).collect();
        let mut passages = Vec::new();
        for (paragraph, one) in paragraphs.iter().enumerate() {
            let usable: Vec<bool> = ranges[paragraph]
                .iter()
                .map(|range| {
                    let text = &one.text[range.clone()];
                    is_statement(text) && copies_as_text(text) && !refused(one, text)
                })
                .collect();
            for index in 0..usable.len() {
                let range = &ranges[paragraph][index];
                let points_back = opens_with(&one.text[range.clone()], &POINTS_BACK);
                let start = match index.checked_sub(1) {
                    Some(before)
                        if points_back
                            && usable[before]
                            && one.text[ranges[paragraph][before].end..range.start]
                                .trim_matches(' ')
                                .is_empty() =>
                    {
                        before
                    }
                    _ => index,
                };
                if !usable[index] || (points_back && start == index) || passages.len() == MOST_PASSAGES {
                    continue;
                }
                let text = &one.text[ranges[paragraph][start].start..range.end];
                if text.len() > LONGEST {
                    continue;
                }
                let order = stems(text);
                let pairs = order.windows(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect();
                passages.push(Passage {
                    paragraph,
                    sentences: start..index + 1,
                    stems: order.into_iter().collect(),
                    pairs,
                    score: 0,
                });
            }
        }
        let titles = paragraphs.iter().map(|one| Title::of(&one.heading)).collect();
        let texts = paragraphs.iter().map(|one| stem_set(&one.text)).collect();
        Self {
            worth: vec![0.0; paragraphs.len()],
            paragraphs,
            ranges,
            titles,
            texts,
            passages,
            topical: Vec::new(),
            parts: Vec::new(),
            weights: BTreeMap::new(),
        }
    }

    /// How much a word tells.
    pub(super) fn weight(&self, stem: &str) -> f64 {
        self.weights.get(stem).copied().unwrap_or(if score::is_vague(stem) {
            score::VAGUE_WEIGHT
        } else {
            1.0
        })
    }

    /// The weighted share of a query's words that are among some stems.
    pub(super) fn coverage(&self, query: &Query, have: &BTreeSet<String>) -> f64 {
        let total: f64 = query.stems.iter().map(|stem| self.weight(stem)).sum();
        let found: f64 = query.stems.intersection(have).map(|stem| self.weight(stem)).sum();
        if total > 0.0 { found / total } else { 0.0 }
    }

    /// Scores every paragraph and passage for the question and the planned queries.
    pub(super) fn score(&mut self, question: &Query, queries: &[Query]) {
        self.weights = score::weights(&self.texts, &self.titles, &question.text);
        self.worth = score::paragraphs(self, question, queries);
        let scores = score::passages(self, question, &self.worth);
        for (passage, score) in self.passages.iter_mut().zip(scores.whole) {
            passage.score = score;
        }
        self.topical = scores.topical;
        self.parts = scores.parts;
    }

    /// The score below which nothing is quoted: so many hundredths of the best.
    pub(super) fn floor(&self, share: i64) -> i64 {
        let top = self.passages.iter().map(|passage| passage.score).max().unwrap_or(0);
        (top * share / 100).max(1_000)
    }

    /// The passages to open with: for each part of the question the best one, then the best of the rest; of different
    /// paragraphs, unless another part of the question is best answered by one that is there already.
    pub(super) fn opening(&self, count: usize) -> Vec<usize> {
        let floor = self.floor(50);
        let near = self.topical.iter().copied().max().unwrap_or(0) / 2;
        let mut opening: Vec<usize> = Vec::new();
        let sources = self.parts.iter().take(count).enumerate().map(|(at, part)| (at, Some(part)));
        for (at, part) in sources.chain((0..count).map(|at| (at, None))) {
            if opening.len() >= count {
                break;
            }
            let next = (0..self.passages.len())
                .filter(|index| self.passages[*index].score >= floor && self.topical[*index] >= near)
                .filter(|index| {
                    let passage = &self.passages[*index];
                    let same =
                        opening.iter().any(|other| self.passages[*other].paragraph == passage.paragraph);
                    let apart = !opening.iter().any(|other| self.shares(*other, *index));
                    let own = part.is_some() && at > 0;
                    apart && (!same || own) && !self.is_second_choice(*index, opening.is_empty())
                })
                .map(|index| {
                    let score = part.map_or(self.passages[index].score, |part| part[index]);
                    let long = (self.text_of(&self.passages[index]).len().saturating_sub(200) as i64) * 6;
                    (score - self.repeats(index, &opening) - long, std::cmp::Reverse(index))
                })
                .max();
            opening.extend(next.map(|(_, std::cmp::Reverse(index))| index));
        }
        opening
    }

    /// An example only opens an answer that has nothing else.
    fn is_second_choice(&self, index: usize, nothing_yet: bool) -> bool {
        score::is_example(self.text_of(&self.passages[index]))
            && !(nothing_yet && self.passages.iter().all(|one| score::is_example(self.text_of(one))))
    }

    /// Whether two passages have a sentence in common.
    fn shares(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.passages[a], &self.passages[b]);
        a.paragraph == b.paragraph
            && a.sentences.start < b.sentences.end
            && b.sentences.start < a.sentences.end
    }

    /// What a passage loses for saying again what is there.
    fn repeats(&self, index: usize, there: &[usize]) -> i64 {
        let stems = &self.passages[index].stems;
        let most = there.iter().map(|other| overlap(stems, &self.passages[*other].stems)).fold(0.0, f64::max);
        quantised(0.22 * most)
    }

    /// The best passages of some paragraphs, most wanted first: about `count` sentences, at most `each` of one paragraph,
    /// none that is in `used`, and rather what answers `query`.
    pub(super) fn choose(
        &self,
        among: &[usize],
        query: Option<&Query>,
        used: &[usize],
        count: usize,
        each: usize,
    ) -> Vec<usize> {
        let floor = self.floor(15);
        let mut chosen: Vec<usize> = Vec::new();
        loop {
            let sentences = |of: &dyn Fn(&Passage) -> bool| -> usize {
                let passages = chosen.iter().map(|index| &self.passages[*index]);
                passages.filter(|one| of(one)).map(|one| one.sentences.len()).sum()
            };
            if sentences(&|_| true) >= count {
                break;
            }
            let next = (0..self.passages.len())
                .filter(|index| {
                    let passage = &self.passages[*index];
                    passage.score >= floor
                        && among.contains(&passage.paragraph)
                        && !used.iter().chain(&chosen).any(|other| self.shares(*other, *index))
                        && sentences(&|one| one.paragraph == passage.paragraph) + passage.sentences.len()
                            <= each
                })
                .map(|index| {
                    let passage = &self.passages[index];
                    let fits = query.map_or(0.0, |query| self.coverage(query, &passage.stems));
                    let joins =
                        chosen.iter().any(|other| self.passages[*other].paragraph == passage.paragraph);
                    let score = passage.score + quantised(0.12 * fits) + if joins { 250 } else { 0 };
                    (score - self.repeats(index, &chosen), std::cmp::Reverse(index))
                })
                .max();
            let Some((_, std::cmp::Reverse(index))) = next else { break };
            chosen.push(index);
        }
        chosen
    }

    /// The text of a passage.
    pub(super) fn text_of(&self, passage: &Passage) -> &'a str {
        let ranges = &self.ranges[passage.paragraph];
        let text: &'a str = &self.paragraphs[passage.paragraph].text;
        &text[ranges[passage.sentences.start].start..ranges[passage.sentences.end - 1].end]
    }

    /// Stems of a passage and of the heading above it.
    pub(super) fn stems_of(&self, passage: &Passage) -> BTreeSet<String> {
        let mut all = stem_set(&self.paragraphs[passage.paragraph].heading);
        all.extend(passage.stems.iter().cloned());
        all
    }
}

/// Shared stems relative to the smaller set.
fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    a.intersection(b).count() as f64 / a.len().min(b.len()).max(1) as f64
}

fn opens_with(text: &str, openings: &[&str]) -> bool {
    words(text.split(' ').next().unwrap_or_default())
        .first()
        .is_some_and(|word| openings.contains(&word.as_str()))
}

/// A whole sentence of some length; texts made of list items have none, so their items count from eight words on.
fn is_statement(text: &str) -> bool {
    let count = text.split_whitespace().count();
    let first = text.trim_start_matches(['"', '“', '(', '‘']).chars().next();
    let whole = text.trim_end_matches(['"', '”', '’', ')']).ends_with(['.', '!'])
        && first.is_some_and(|c| c.is_uppercase() || c.is_numeric());
    (whole && count >= 5)
        || (count >= 8
            && !text.ends_with([':', '?', ','])
            && !text.ends_with(" and")
            && !text.ends_with(" or"))
}

/// Whether a citation can be written as it is: parentheses around letters, digits and a few signs, balanced.
fn is_reference(reference: &str) -> bool {
    let mut depth = 0i32;
    let balanced = reference.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    });
    balanced
        && depth == 0
        && reference.len() <= 120
        && reference.starts_with('(')
        && reference.ends_with(')')
        && reference.chars().all(|c| {
            c.is_alphanumeric()
                || matches!(c, ' ' | '.' | '-' | '#' | '(' | ')' | '/' | '§' | '¶' | ':' | ',')
        })
}
