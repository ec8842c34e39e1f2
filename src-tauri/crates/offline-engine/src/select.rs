//! Choosing sentences by relevance and novelty (maximal marginal relevance, Carbonell and Goldstein 1998): a few for the
//! opening, then some for each thing that is looked for.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use context::ParsedParagraph;

use super::passages;
use super::safe::copies_as_text;
use super::score::{self, Title};
use super::segments::{Segment, segments};
use super::words::{self, quantised, stem_set, stems};

/// Paragraphs and passages that are looked at, at most.
const MAX_PARAGRAPHS: usize = 200;
const MAX_PASSAGES: usize = 3_000;
/// How much of the best score, and of the most that a passage has of the question, an opening must have; in hundredths.
const OPENING: i64 = 70;
const TOPICAL: i64 = 65;
/// How much of the best score a section's passages must have, in hundredths.
const SECTION: i64 = 30;
/// How much one of them must have of the question, compared with the passage that has most; in hundredths.
const SECTION_TOPICAL: i64 = 45;
/// The share of words in common from which on two passages say the same.
const SAID_AGAIN: f64 = 0.9;
/// How much of a passage's score another one must have that says the same and binds more, in hundredths.
const ALIKE: i64 = 80;

/// Something that is looked for.
pub(crate) struct Query {
    pub text: String,
    pub stems: BTreeSet<String>,
    pub pairs: BTreeSet<(String, String)>,
}

impl Query {
    pub(crate) fn new(text: &str) -> Self {
        let order: Vec<String> = words::asked(text).iter().map(|word| words::stem(word)).collect();
        Self { text: text.to_owned(), pairs: pairs(&order, 1), stems: order.into_iter().collect() }
    }
}

/// Stems that stand together, in whichever order: at most so many places apart.
fn pairs(order: &[String], apart: usize) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for (at, first) in order.iter().enumerate() {
        for second in order.iter().skip(at + 1).take(apart) {
            let (first, second) = if first < second { (first, second) } else { (second, first) };
            found.insert((first.clone(), second.clone()));
        }
    }
    found
}

/// What is quoted as one: a sentence, two where the second only makes sense after the first, an item of an enumeration, or
/// a lead-in with the items below it.
pub(crate) struct Passage {
    /// Index of the paragraph.
    pub paragraph: usize,
    /// Indices of its segments.
    pub segments: Range<usize>,
    /// The segments that lead into the first of them, outermost first.
    pub leads: Vec<usize>,
    pub stems: BTreeSet<String>,
    pub pairs: BTreeSet<(String, String)>,
    /// Relevance, quantised.
    pub score: i64,
}

impl Passage {
    /// What it counts where sentences are counted: an enumeration as two.
    pub(crate) fn weight(&self) -> usize {
        self.segments.len().min(2)
    }
}

/// The passages of the paragraphs that may be quoted.
pub(crate) struct Pool<'a> {
    pub paragraphs: Vec<&'a ParsedParagraph>,
    /// Each paragraph's segments.
    pub segments: Vec<Vec<Segment>>,
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
    /// Whether a passage is an example, a bare list, a restatement, or about something narrower than what is asked.
    aside: Vec<bool>,
    weights: BTreeMap<String, f64>,
    /// What a word tells that no paragraph has.
    rarest: f64,
}

impl<'a> Pool<'a> {
    /// `refused` says which sentences may not be used again.
    pub(crate) fn new(
        paragraphs: &[&'a ParsedParagraph],
        refused: &dyn Fn(&ParsedParagraph, &str) -> bool,
    ) -> Self {
        let paragraphs: Vec<&ParsedParagraph> = paragraphs
            .iter()
            .copied()
            .filter(|one| is_reference(&one.reference))
            .take(MAX_PARAGRAPHS)
            .collect();
        let segments: Vec<Vec<Segment>> = paragraphs.iter().map(|one| segments(&one.text)).collect();
        let titles: Vec<Title> =
            paragraphs.iter().map(|one| Title::new(&one.heading, &one.reference)).collect();
        let mut found = Vec::new();
        for (paragraph, (one, segments)) in paragraphs.iter().zip(&segments).enumerate() {
            let usable = |segment: &Segment| {
                let text = &one.text[segment.range.clone()];
                copies_as_text(text) && !refused(one, text)
            };
            let usable: Vec<bool> = segments.iter().map(usable).collect();
            for (range, leads) in passages::split(&one.text, segments, &usable) {
                if found.len() == MAX_PASSAGES {
                    break;
                }
                let mut order = Vec::new();
                for at in leads.iter().copied().chain(range.clone()) {
                    order.extend(stems(&one.text[segments[at].range.clone()]));
                }
                let pairs = pairs(&order, 2);
                let mut stems: BTreeSet<String> = order.into_iter().collect();
                if range.start == 0 && passages::points_back(&one.text[segments[0].range.clone()]) {
                    stems.extend(titles[paragraph].own.iter().cloned());
                }
                found.push(Passage { paragraph, segments: range, leads, stems, pairs, score: 0 });
            }
        }
        let texts = paragraphs.iter().map(|one| stem_set(&format!("{} {}", one.context, one.text))).collect();
        Self {
            worth: vec![0.0; paragraphs.len()],
            paragraphs,
            segments,
            titles,
            texts,
            passages: found,
            topical: Vec::new(),
            parts: Vec::new(),
            aside: Vec::new(),
            weights: BTreeMap::new(),
            rarest: 1.0,
        }
    }

    /// How much a word tells.
    pub(crate) fn weight(&self, stem: &str) -> f64 {
        let rarest = self.rarest * if score::is_vague(stem) { score::VAGUE_WEIGHT } else { 1.0 };
        self.weights.get(stem).copied().unwrap_or(rarest)
    }

    /// The weighted share of a query's words that are among some stems.
    pub(crate) fn coverage(&self, query: &Query, have: &BTreeSet<String>) -> f64 {
        let total: f64 = query.stems.iter().map(|stem| self.weight(stem)).sum();
        let found: f64 = query.stems.intersection(have).map(|stem| self.weight(stem)).sum();
        if total > 0.0 { found / total } else { 0.0 }
    }

    /// Scores every paragraph and passage for the question and the planned queries.
    pub(crate) fn score(&mut self, question: &Query, queries: &[Query]) {
        (self.weights, self.rarest) = score::weights(&self.texts, &self.titles);
        self.worth = score::paragraphs(self, question, queries);
        let scores = score::passages(self, question, &self.worth);
        for (passage, score) in self.passages.iter_mut().zip(scores.whole) {
            passage.score = score;
        }
        let aside = |passage: &Passage| {
            let text = self.text_of(passage);
            score::is_example(text)
                || score::only_lists(text)
                || score::opens_with_code(text)
                || score::foreign_subject(text, question)
        };
        self.aside = self.passages.iter().map(aside).collect();
        self.topical = scores.topical;
        self.parts = scores.parts;
    }

    /// The score below which nothing is quoted: so many hundredths of the best.
    pub(crate) fn floor(&self, share: i64) -> i64 {
        let top = self.passages.iter().map(|passage| passage.score).max().unwrap_or(0);
        (top * share / 100).max(1_000)
    }

    /// The passages to open with: for each part of the question the best one, then the best of the rest; of different
    /// paragraphs, unless another part of the question is best answered by one that is there already. None that has much
    /// less of the question than the one that has most: it is about something else.
    pub(crate) fn opening(&self, count: usize) -> Vec<usize> {
        let floor = self.floor(OPENING);
        let apt = (0..self.passages.len()).filter(|index| self.passages[*index].score >= floor);
        let most = apt.filter(|index| !self.aside[*index]).map(|index| self.topical[index]).max();
        let near = most.unwrap_or(0) * TOPICAL / 100;
        let mut opening: Vec<usize> = Vec::new();
        let sources = self.parts.iter().take(count).enumerate().map(|(at, part)| (at, Some(part)));
        for (at, part) in sources.chain((0..count).map(|at| (at, None))) {
            if opening.len() >= count {
                break;
            }
            let several = part.is_some() && self.parts.len() > 1;
            let next = (0..self.passages.len())
                .filter(|index| {
                    several || (self.passages[*index].score >= floor && self.topical[*index] >= near)
                })
                .filter(|index| {
                    let passage = &self.passages[*index];
                    let same =
                        opening.iter().any(|other| self.passages[*other].paragraph == passage.paragraph);
                    let apart = !opening.iter().any(|other| self.shares(*other, *index));
                    let own = part.is_some() && at > 0;
                    let said = opening
                        .iter()
                        .any(|other| overlap(&passage.stems, &self.passages[*other].stems) >= SAID_AGAIN);
                    apart && !said && (!same || own) && !self.is_second_choice(*index, opening.is_empty())
                })
                .map(|index| {
                    let score = part.map_or(self.passages[index].score, |part| part[index]);
                    (score - self.repeats(index, &opening), std::cmp::Reverse(index))
                })
                .max();
            opening.extend(next.map(|(_, std::cmp::Reverse(index))| self.binding(index, &opening)));
        }
        opening
    }

    /// Of passages that say the same, the one that binds most: a rule rather than what explains it.
    fn binding(&self, index: usize, opening: &[usize]) -> usize {
        let passage = &self.passages[index];
        let binds = |index: usize| quantised(score::binds(self.text_of(&self.passages[index])));
        let same = (0..self.passages.len()).filter(|other| {
            let found = &self.passages[*other];
            found.paragraph != passage.paragraph
                && found.score * 100 >= passage.score * ALIKE
                && overlap(&found.stems, &passage.stems) >= SAID_AGAIN
                && !self.aside[*other]
                && !opening.iter().any(|there| self.passages[*there].paragraph == found.paragraph)
        });
        let best = same.max_by_key(|other| (binds(*other), self.passages[*other].score));
        best.filter(|other| binds(*other) > binds(index)).unwrap_or(index)
    }

    /// Whether any of some passages has enough of the question to be about it.
    pub(crate) fn is_topical(&self, passages: &[usize]) -> bool {
        let most = self.topical.iter().copied().max().unwrap_or(0);
        passages.iter().any(|index| self.topical[*index] * 100 >= most * SECTION_TOPICAL)
    }

    /// What is aside only opens an answer that has nothing else.
    fn is_second_choice(&self, index: usize, nothing_yet: bool) -> bool {
        self.aside[index] && !(nothing_yet && self.aside.iter().all(|one| *one))
    }

    /// Whether two passages have a sentence in common.
    fn shares(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.passages[a], &self.passages[b]);
        a.paragraph == b.paragraph && a.segments.start < b.segments.end && b.segments.start < a.segments.end
    }

    /// What a passage loses for saying again what is there.
    fn repeats(&self, index: usize, there: &[usize]) -> i64 {
        let stems = &self.passages[index].stems;
        let most = there.iter().map(|other| overlap(stems, &self.passages[*other].stems)).fold(0.0, f64::max);
        quantised(0.22 * most)
    }

    /// The best passages of some paragraphs, most wanted first: about `count` sentences, at most `each` of one paragraph,
    /// none that is in `used`, and rather what answers `query`.
    pub(crate) fn choose(
        &self,
        among: &[usize],
        query: Option<&Query>,
        used: &[usize],
        count: usize,
        each: usize,
    ) -> Vec<usize> {
        let floor = self.floor(SECTION);
        let mut chosen: Vec<usize> = Vec::new();
        loop {
            let sentences = |of: &dyn Fn(&Passage) -> bool| -> usize {
                let passages = chosen.iter().map(|index| &self.passages[*index]);
                passages.filter(|one| of(one)).map(Passage::weight).sum()
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
                        && sentences(&|one| one.paragraph == passage.paragraph) + passage.weight() <= each
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
    pub(crate) fn text_of(&self, passage: &Passage) -> &'a str {
        let segments = &self.segments[passage.paragraph];
        let text: &'a str = &self.paragraphs[passage.paragraph].text;
        &text[segments[passage.segments.start].range.start..segments[passage.segments.end - 1].range.end]
    }

    /// Stems of a passage and of the heading above it.
    pub(crate) fn stems_of(&self, passage: &Passage) -> BTreeSet<String> {
        let mut all = self.titles[passage.paragraph].all.clone();
        all.extend(passage.stems.iter().cloned());
        all
    }
}

/// Shared stems relative to the smaller set.
fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    a.intersection(b).count() as f64 / a.len().min(b.len()).max(1) as f64
}

/// The longest citation, in bytes: the longest name of a file and a locator.
const MAX_REFERENCE_BYTES: usize = 400;

/// Whether a citation can be written as it is: balanced parentheses around a name that Markdown shows as it stands. Files are named
/// in all scripts and with most signs; a paragraph that cannot be cited is not used at all.
fn is_reference(reference: &str) -> bool {
    let mut depth = 0i32;
    let signs: Vec<char> = reference.chars().collect();
    let within = |at: usize| signs[at].is_alphanumeric() || signs[at] == '_';
    // Underscores within words and those that begin one, as in `_index.md`, emphasise nothing.
    let emphasis = (1..signs.len().saturating_sub(1)).any(|at| signs[at] == '_' && !within(at + 1));
    let balanced = reference.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    });
    // Bases of earlier versions tell the second of two equal ids apart by `[2]`.
    let numbered = reference.split('[').skip(1).all(|rest| {
        rest.split_once(']').is_some_and(|(number, after)| {
            number.bytes().all(|byte| byte.is_ascii_digit()) && !after.starts_with(['(', '['])
        })
    });
    let entity = reference.split('&').skip(1).any(|rest| {
        let name = rest.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '#');
        name.len() < rest.len() && name.starts_with(';')
    });
    balanced
        && numbered
        && !emphasis
        && !entity
        && depth == 0
        && reference.len() <= MAX_REFERENCE_BYTES
        && reference.starts_with('(')
        && reference.ends_with(')')
        && !["![", "://"].iter().any(|mark| reference.contains(mark))
        && reference.chars().all(|c| {
            !c.is_control()
                && !domain::is_invisible(c)
                && (!c.is_whitespace() || c == ' ')
                && !matches!(c, '<' | '>' | '*' | '`' | '\\' | '|' | '~' | '"')
        })
}

#[cfg(test)]
mod tests {
    use super::is_reference;

    #[test]
    fn paragraphs_of_files_with_usual_names_can_be_cited() {
        for reference in [
            "(Primer 4.12)",
            "(AC-2(1)#D)",
            "(msa_harbor_foods.pdf:3.3)",
            "(report_2024__final (1).docx:p4)",
            "(Eva's notes+plan:2)",
            "(contract.pdf:2.2 [2])",
            "(Mietvertrag Müller & Söhne:termination/p1)",
            "(機密保持契約:5)",
            "(_index:2)",
            "(R&D plan (final!); v2:3)",
            "(Pièce n° 12 – «annexe»:p4)",
        ] {
            assert!(is_reference(reference), "{reference}");
        }
        for reference in
            ["4.12", "(4.12", "(_draft_:1)", "(a_ b:1)", "(<b>)", "([1](https://a.example))", "(a*b*)"]
        {
            assert!(!is_reference(reference), "{reference}");
        }
        for reference in ["(a &amp; b:1)", "(a\u{202e}b:1)", "(a\nb:1)", "(![x]:1)", "(a|b:1)"] {
            assert!(!is_reference(reference), "{reference:?}");
        }
    }
}
