//! Choosing sentences: relevance to the question and the planned queries, novelty (maximal marginal relevance, Carbonell
//! and Goldstein 1998) and the score that retrieval gave their paragraph.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use context::ParsedParagraph;

use super::safe::copies_as_text;
use super::words::{actors, is_actor, quantised, sentences, stem_set, stems, words};

/// Paragraphs and passages that are looked at, at most.
const MOST_PARAGRAPHS: usize = 200;
const MOST_PASSAGES: usize = 3_000;
/// The longest passage that is quoted, in bytes.
const LONGEST: usize = 700;

/// Something that is looked for.
pub(super) struct Query {
    pub text: String,
    pub stems: BTreeSet<String>,
    pairs: BTreeSet<(String, String)>,
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
    stems: BTreeSet<String>,
    pairs: BTreeSet<(String, String)>,
    /// Relevance, quantised.
    pub score: i64,
    /// The planned query it answers best, and how well (0 to 1).
    pub best: Option<(usize, f64)>,
}

/// The sentences of the paragraphs that may be quoted, and what was chosen of them.
pub(super) struct Pool<'a> {
    pub paragraphs: Vec<&'a ParsedParagraph>,
    /// Byte ranges of each paragraph's sentences.
    pub ranges: Vec<Vec<Range<usize>>>,
    pub passages: Vec<Passage>,
    weights: BTreeMap<String, f64>,
    unseen: f64,
    /// Stems of who the question is about.
    actors: BTreeSet<String>,
}

/// Openings that point at the sentence before.
const POINTS_BACK: [&str; 27] = [
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
                    best: None,
                });
            }
        }
        let mut seen: BTreeMap<String, f64> = BTreeMap::new();
        passages
            .iter()
            .flat_map(|passage| &passage.stems)
            .for_each(|stem| *seen.entry(stem.clone()).or_default() += 1.0);
        let total = passages.len() as f64;
        let weights = seen.into_iter().map(|(stem, count)| (stem, rarity(total, count))).collect();
        Self { paragraphs, ranges, passages, weights, unseen: rarity(total, 0.0), actors: BTreeSet::new() }
    }

    /// How much a word tells: more, the fewer passages have it.
    pub(super) fn weight(&self, stem: &str) -> f64 {
        let weight = self.weights.get(stem).copied().unwrap_or(self.unseen);
        if self.actors.contains(stem) { 0.3 * weight } else { weight }
    }

    /// The weighted share of a query's words that are among some stems.
    pub(super) fn coverage(&self, query: &Query, have: &BTreeSet<String>) -> f64 {
        let total: f64 = query.stems.iter().map(|stem| self.weight(stem)).sum();
        let found: f64 = query.stems.intersection(have).map(|stem| self.weight(stem)).sum();
        if total > 0.0 { found / total } else { 0.0 }
    }

    /// Scores every passage for the question and the planned queries.
    pub(super) fn score(&mut self, question: &Query, queries: &[Query]) {
        self.actors = actors(&question.text);
        let top = self.paragraphs.iter().map(|one| one.score).fold(0.0, f64::max);
        let asks_what = opens_with(&question.text, &["what", "define", "who"]);
        let asks_how = words(&question.text)
            .iter()
            .any(|word| ["how", "must", "should", "do", "does"].contains(&word.as_str()));
        let headings: Vec<BTreeSet<String>> =
            self.paragraphs.iter().map(|one| stem_set(&one.heading)).collect();
        let scores: Vec<(i64, Option<(usize, f64)>)> = self
            .passages
            .iter()
            .map(|passage| {
                let paragraph = self.paragraphs[passage.paragraph];
                let heading = &headings[passage.paragraph];
                let both: BTreeSet<String> = passage.stems.union(heading).cloned().collect();
                let best = queries
                    .iter()
                    .enumerate()
                    .map(|(index, query)| {
                        (
                            index,
                            0.7 * self.coverage(query, &passage.stems) + 0.3 * self.coverage(query, &both),
                        )
                    })
                    .max_by(|a, b| quantised(a.1).cmp(&quantised(b.1)).then(b.0.cmp(&a.0)));
                let pairs = passage.pairs.intersection(&question.pairs).count() as f64
                    / question.pairs.len().max(1) as f64;
                let first = self.ranges[passage.paragraph]
                    .get(passage.sentences.start)
                    .map_or("", |range| &paragraph.text[range.clone()]);
                let defines = asks_what && passage.sentences.start == 0 && says_what(first, question);
                let length = passage.stems.len();
                // A planned query counts as far as the passage has to do with the question at all.
                let near = 0.4 + 0.6 * self.coverage(question, &both);
                let spread = 1.0 / (1.0 + 0.02 * (length as f64 - 14.0).max(0.0));
                let score = 0.36 * spread * self.coverage(question, &passage.stems)
                    + 0.26 * self.coverage(question, heading)
                    + 0.17 * spread * near * best.map_or(0.0, |best| best.1)
                    + 0.2 * pairs
                    + if top > 0.0 { 0.2 * (paragraph.score / top).clamp(0.0, 1.0) } else { 0.0 }
                    + if defines { 0.4 } else { 0.0 }
                    + if asks_how && says_to_do(first, question) { 0.16 } else { 0.0 }
                    + if passage.sentences.start == 0 { 0.06 } else { 0.0 }
                    - if length < 6 { 0.1 } else { 0.0 }
                    - if paragraph.used_before { 0.06 } else { 0.0 };
                (quantised(score), best)
            })
            .collect();
        for (passage, (score, best)) in self.passages.iter_mut().zip(scores) {
            passage.score = score;
            passage.best = best;
        }
    }

    /// The best passages of about `count` sentences, most wanted first, at most `each` sentences of one paragraph.
    pub(super) fn choose(&self, count: usize, each: usize) -> Vec<&Passage> {
        let top = self.passages.iter().map(|passage| passage.score).max().unwrap_or(0);
        let floor = (top / 2).max(1_000);
        let mut chosen: Vec<&Passage> = Vec::new();
        let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut covered: BTreeSet<usize> = BTreeSet::new();
        while taken.len() < count {
            let next = self
                .passages
                .iter()
                .enumerate()
                .filter(|(_, passage)| passage.score >= floor)
                .filter(|(_, passage)| {
                    passage.sentences.clone().any(|index| !taken.contains(&(passage.paragraph, index)))
                })
                .filter_map(|(index, passage)| {
                    let of_paragraph =
                        taken.iter().filter(|(paragraph, _)| *paragraph == passage.paragraph).count();
                    if of_paragraph + passage.sentences.len() > each {
                        return None;
                    }
                    let alike =
                        chosen.iter().map(|other| overlap(&passage.stems, &other.stems)).fold(0.0, f64::max);
                    let fresh =
                        passage.best.is_some_and(|(query, how)| how > 0.4 && !covered.contains(&query));
                    let joins = (1..each).contains(&of_paragraph);
                    let bonus = if fresh { 600 } else { 0 } + if joins { 350 } else { 0 };
                    Some((passage.score + bonus - quantised(0.32 * alike), std::cmp::Reverse(index)))
                })
                .max();
            let Some((_, std::cmp::Reverse(index))) = next else { break };
            let passage = &self.passages[index];
            taken.extend(passage.sentences.clone().map(|sentence| (passage.paragraph, sentence)));
            covered.extend(passage.best.filter(|(_, how)| *how > 0.4).map(|(query, _)| query));
            chosen.push(passage);
        }
        chosen
    }

    /// The passages to open with: of different paragraphs, short, rather statements than examples.
    pub(super) fn opening<'p>(&self, chosen: &[&'p Passage], count: usize) -> Vec<&'p Passage> {
        let mut ranked: Vec<(i64, usize)> = chosen
            .iter()
            .enumerate()
            .map(|(index, passage)| {
                let text = self.text_of(passage);
                let example = text.contains("for example")
                    || text.contains("for instance")
                    || opens_with(text, &["assume", "suppose", "if", "with"])
                    || text.split(' ').filter(|word| word.bytes().any(|byte| byte.is_ascii_digit())).count()
                        > 1;
                let long = (text.len().saturating_sub(180) as i64) * 8;
                (passage.score - if example { 100_000 } else { 0 } - long, index)
            })
            .collect();
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut opening: Vec<&Passage> = Vec::new();
        for (score, index) in ranked {
            // An example only opens an answer that has nothing else.
            if score < 0 && !opening.is_empty() {
                break;
            }
            let other = opening.iter().all(|passage| {
                passage.paragraph != chosen[index].paragraph
                    && overlap(&passage.stems, &chosen[index].stems) < 0.6
            });
            if other && opening.len() < count {
                opening.push(chosen[index]);
            }
        }
        opening
    }

    /// The text of a passage.
    fn text_of(&self, passage: &Passage) -> &'a str {
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

/// From 1 for a word that no passage has to 0.4 for one that all have. Gentler than the usual logarithm: the passages
/// were searched for the question, so what most of them say is its subject, not noise.
fn rarity(total: f64, count: f64) -> f64 {
    let missing = if total > 0.0 { 1.0 - count / total } else { 1.0 };
    0.4 + 0.6 * missing * missing
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

/// Whether a sentence says what the question asks the meaning of: its subject, then `is`, `are` or `means`.
fn says_what(sentence: &str, question: &Query) -> bool {
    let order = words(sentence);
    let Some(verb) = order
        .iter()
        .take(10)
        .position(|word| ["is", "are", "means", "mean", "refers"].contains(&word.as_str()))
    else {
        return false;
    };
    let subject = stem_set(&order[..verb].join(" "));
    !subject.is_empty()
        && subject.is_subset(&question.stems)
        && subject.len() * 3 >= question.stems.len().min(6)
}

/// Whether a sentence says what someone named in the question does or has to do: `The auditor evaluates …`.
fn says_to_do(sentence: &str, question: &Query) -> bool {
    let order = words(sentence);
    let duty = order.iter().any(|word| {
        ["must", "should", "has", "have", "needs", "need", "cannot", "required"].contains(&word.as_str())
    });
    let actor =
        order.iter().take(8).any(|word| question.stems.contains(&super::words::stem(word)) && is_actor(word));
    let acts = order
        .windows(2)
        .take(8)
        .any(|pair| is_actor(&pair[0]) && pair[1].len() > 3 && pair[1].ends_with('s'));
    actor && (duty || acts)
}

/// A whole sentence of some length; texts made of list items have none, so their items count from eight words on.
fn is_statement(text: &str) -> bool {
    let count = text.split_whitespace().count();
    let first = text.trim_start_matches(['"', '“', '(', '‘']).chars().next();
    let whole = text.trim_end_matches(['"', '”', '’', ')']).ends_with(['.', '!'])
        && first.is_some_and(|c| c.is_uppercase() || c.is_numeric());
    (whole && count >= 5)
        || (count >= 8 && !text.ends_with([':', '?']) && !text.ends_with(" and") && !text.ends_with(" or"))
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
