//! Which documents of a base a question names: by a name, a kind, a period.
//!
//! A wrong choice is worse than none. A name chooses only where the base writes it as a name and hardly speaks of it
//! elsewhere; what chooses all documents, or would leave none, chooses nothing; a document that does not tell its period
//! may be of any; and those that a question does not name stay in the ranking, behind.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::base::Base;
use crate::document_names::{DocumentNames, kinds};
use crate::index::{QueryWord, TEXT, query_words};
use crate::period::{Period, periods};
use crate::titles::{is_capital, words};

/// Paragraphs that tell whether a word is written as a name.
const SAMPLE: usize = 40;
/// Legal forms behind the name of a company, and words from the first of the name to the form.
const FORMS: &str = "ab ag aps bv corp corporation gmbh inc incorporated kg kgaa limited llc llp ltd nv oy oyj plc pty sarl se spa srl";
const COMPANY_WORDS: usize = 3;
/// Paragraphs of other documents that may have the word for a kind of document: where more do, it is what texts are about.
const OTHERS: usize = 5;
/// How many of ten: places where a name has its capital, and paragraphs with a name that are of the documents it chooses.
const OF_TEN: usize = 9;

/// The documents that a question names.
#[derive(Debug, Default)]
pub(super) struct Focus {
    /// How many sorts of naming choose each document.
    held: Vec<u8>,
    /// How many sorts there are.
    sorts: u8,
    /// What the question says, as it is shown.
    pub(super) named: Vec<String>,
    /// Where it says what tells nothing about a passage: a company, a kind, a period.
    said: Vec<Range<usize>>,
}

/// The documents that one sort of naming chooses.
#[derive(Default)]
struct Facet {
    chosen: BTreeSet<usize>,
    named: Vec<String>,
    said: Vec<Range<usize>>,
}

impl Focus {
    /// What `text` names of the documents of `base`; none where that chooses nothing.
    pub(super) fn find(base: &Base, text: &str) -> Option<Self> {
        let documents = base.document_names();
        let count = documents.len();
        let mut left: BTreeSet<usize> = (0..count).collect();
        let mut facets: Vec<Facet> = Vec::new();
        let mut narrow = |choose: fn(&Base, &str, &BTreeSet<usize>) -> Facet| {
            let facet = choose(base, text, &left);
            let both: BTreeSet<usize> = facet.chosen.intersection(&left).copied().collect();
            let chooses = !both.is_empty() && facet.chosen.len() < count;
            if chooses {
                left = both;
                facets.push(facet);
            }
            chooses
        };
        let is_named = narrow(by_name);
        // Lists and minutes speak of every partner, but of all the leases one is that partner's.
        if narrow(by_kind) && !is_named {
            narrow(by_name);
        }
        narrow(by_period);
        let held = |document| facets.iter().map(|facet| u8::from(facet.chosen.contains(&document))).sum();
        let held = (0..count).map(held).collect();
        let mut focus = Self { held, sorts: facets.len() as u8, ..Self::default() };
        for facet in facets {
            focus.named.extend(facet.named);
            focus.named.extend(facet.said.iter().map(|range| text[range.clone()].to_owned()));
            focus.said.extend(facet.said);
        }
        focus.named.dedup();
        (focus.sorts > 0).then_some(focus)
    }

    /// How many sorts of naming choose a document.
    pub(super) fn held(&self, document: usize) -> u8 {
        self.held.get(document).copied().unwrap_or(0)
    }

    /// Whether a document is all that the question says of it.
    pub(super) fn is_whole(&self, document: usize) -> bool {
        self.held(document) == self.sorts
    }

    /// Whether a word of the question tells nothing about a passage.
    pub(super) fn is_said(&self, word: &QueryWord) -> bool {
        self.said.iter().any(|range| range.start < word.to && word.from < range.end)
    }
}

/// By their whole names, by words of these, and by the company that their beginning names: `Harbour Ltd`, `HRBR`. Only what is
/// `left` is chosen, and only what that says counts.
fn by_name(base: &Base, text: &str, left: &BTreeSet<usize>) -> Facet {
    let documents = base.document_names();
    let mut facet = Facet::default();
    let holders = |words: &str| {
        let mut all = holders(base, words);
        all.retain(|&position| left.contains(&documents.at(position)));
        all
    };
    for (document, said) in documents.whole_names(text) {
        // A title may be what every text speaks of.
        let chosen = BTreeSet::from([document]);
        let is_theirs = || is_theirs(documents, &holders(&text[said.clone()]), &chosen);
        if left.contains(&document) && (documents.is_file(document, &text[said.clone()]) || is_theirs()) {
            facet.chosen.insert(document);
            facet.named.push(text[said].to_owned());
        }
    }
    for (at, word) in words(text) {
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        if letters < 2 || !kinds(word).is_empty() || !periods(word).is_empty() {
            continue;
        }
        let all = holders(word);
        let mut chosen = documents.with_word(&word.to_lowercase());
        chosen.retain(|document| left.contains(document));
        // Behind an article stands a term of the text: `the Trust`.
        let is_term = is_behind_article(&text[..at]);
        if chosen.is_empty() && is_capital(word) && !is_term {
            let opened = all.iter().filter_map(|&position| Some((documents.opened_at(position)?, position)));
            chosen = opened
                .filter(|&(_, position)| company(base, position, word).is_some())
                .map(|(document, _)| document)
                .collect();
        }
        let chooses = !chosen.is_empty() && chosen.len() < left.len();
        if chooses && is_theirs(documents, &all, &chosen) && is_name(base, &all, word) {
            facet.chosen.extend(chosen);
            // A company is all that its name tells; another word of a title may be what is asked about.
            match all.iter().take(SAMPLE).find_map(|&position| company(base, position, word)) {
                Some(name) if !is_term => facet.said.push(at..said_to(text, at, &name)),
                Some(_) | None => facet.named.push(word.to_owned()),
            }
        }
    }
    facet
}

/// By what they are: `the contract`, `10-K`. A word for a kind stays in the query. With a capital it is a term of the text, `the
/// Governing Contract`, and so it is where other documents speak of it more than those of that kind.
fn by_kind(base: &Base, text: &str, _: &BTreeSet<usize>) -> Facet {
    static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)(?:\b(?:the|that|our|their|its|each|every)|['’]s)\s+(?:[\w-]+\s+){0,2}$").ok()
    });
    let documents = base.document_names();
    let mut facet = Facet::default();
    for (kind, range) in kinds(text) {
        let is_form = kind.contains(' ');
        let is_asked = || ASKED.as_ref().is_some_and(|asked| asked.is_match(&text[..range.start]));
        let word = &text[range.clone()];
        if !is_form && (is_capital(word.trim_start_matches('_')) || !is_asked()) {
            continue;
        }
        let of_kind = (0..documents.len()).filter(|&document| documents.kinds(document).contains(&kind));
        let chosen: BTreeSet<usize> = of_kind.collect();
        let all = holders(base, word);
        let inside = all.iter().filter(|&&position| chosen.contains(&documents.at(position))).count();
        if !is_form && all.len() - inside > inside.max(OTHERS) {
            continue;
        }
        facet.chosen.extend(chosen);
        match is_form {
            true => facet.said.push(range),
            false => facet.named.push(word.to_owned()),
        }
    }
    facet
}

/// By the years and quarters of their names; by the last of these where the question asks for the latest.
fn by_period(base: &Base, text: &str, left: &BTreeSet<usize>) -> Facet {
    static LATEST: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)\b(?:latest|most recent|newest)\b").ok());
    let documents = base.document_names();
    let asked = periods(text);
    let said = asked.iter().map(|(_, range)| range.clone()).collect();
    // A year alone is more often what a text is about than what it is of.
    let fits = |own: &Period| asked.iter().any(|(one, _)| one == own);
    let chosen = (0..documents.len()).filter(|&document| documents.periods(document).iter().any(fits));
    let mut facet = Facet { chosen: chosen.collect(), said, ..Facet::default() };
    if let (true, Some(latest)) = (asked.is_empty(), LATEST.as_ref().and_then(|latest| latest.find(text))) {
        let end = |document: usize| documents.periods(document).iter().map(|one| one.end()).max();
        let last = left.iter().filter_map(|&document| end(document)).max();
        facet.chosen =
            left.iter().copied().filter(|&document| last.is_some() && end(document) == last).collect();
        facet.said.push(latest.range());
    }
    if !facet.chosen.is_empty() {
        let untold = (0..documents.len()).filter(|&document| documents.periods(document).is_empty());
        facet.chosen.extend(untold);
    }
    facet
}

/// Whether what stands before a word ends with an article.
fn is_behind_article(before: &str) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    before.ends_with(char::is_whitespace)
        && ["the", "a", "an", "this", "that", "such", "each", "every", "any"].contains(&last.as_str())
}

/// Paragraphs whose title or text has each of these words.
fn holders(base: &Base, words: &str) -> Vec<usize> {
    let mut held: Option<Vec<usize>> = None;
    for word in query_words(words, base.languages()) {
        let terms = word.forms.iter().filter_map(|form| base.index().term(form));
        let postings = terms.flat_map(|term| base.index().postings(term));
        let mut with: Vec<usize> = postings
            .filter(|posting| posting.counts[TEXT] > 0)
            .map(|posting| posting.position as usize)
            .collect();
        if word.forms.len() > 1 {
            with.sort_unstable();
            with.dedup();
        }
        if let Some(held) = held {
            with.retain(|position| held.binary_search(position).is_ok());
        }
        held = Some(with);
    }
    held.unwrap_or_default()
}

/// Whether what these paragraphs have is a matter of the chosen documents and hardly of others.
fn is_theirs(documents: &DocumentNames, holders: &[usize], chosen: &BTreeSet<usize>) -> bool {
    let inside = holders.iter().filter(|&&position| chosen.contains(&documents.at(position))).count();
    inside * 10 >= holders.len() * OF_TEN
}

/// The name of a company that a paragraph calls by that word, from there to its legal form: `Harbour Foods, Inc.`
fn company(base: &Base, position: usize, word: &str) -> Option<Vec<String>> {
    let (_, text) = base.paragraphs().words(position);
    let all: Vec<&str> = words(&text).map(|(_, word)| word).collect();
    let form = |word: &&str| FORMS.split(' ').any(|form| form == word.to_lowercase()) && is_capital(word);
    let named = |at: usize| {
        let mut behind = all[at + 1..].iter().take(COMPANY_WORDS).take_while(|word| is_capital(word));
        let form = all[at].eq_ignore_ascii_case(word).then(|| behind.position(form)).flatten()?;
        Some(all[at..=at + 1 + form].iter().map(|word| word.to_lowercase()).collect())
    };
    (0..all.len()).find_map(named)
}

/// Where a company's name ends that begins at a place of a text, as far as it stands there.
fn said_to(text: &str, at: usize, name: &[String]) -> usize {
    let written = words(&text[at..]).zip(name);
    let said = written.take_while(|((_, word), own)| word.to_lowercase() == **own);
    said.last().map_or(at, |((from, word), _)| at + from + word.len())
}

/// Whether the base writes a word with its capital in these paragraphs. What it does not write is a name where the question
/// writes it as one.
fn is_name(base: &Base, holders: &[usize], word: &str) -> bool {
    let (mut capital, mut any) = (0, 0);
    let lower = word.to_lowercase();
    for &position in holders.iter().step_by(holders.len().div_ceil(SAMPLE).max(1)) {
        let (title, text) = base.paragraphs().words(position);
        for (_, found) in words(&title).chain(words(&text)).filter(|(_, found)| found.to_lowercase() == lower)
        {
            any += 1;
            capital += usize::from(is_capital(found));
        }
    }
    if any == 0 { is_capital(word) } else { capital * 10 >= any * OF_TEN }
}
