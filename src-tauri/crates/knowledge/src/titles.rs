//! Titles of documents, top headings and entries, and where a text names them.
//!
//! A title is followed where it names one place of the base and nothing else: its words stand there one after the
//! other, with capitals where the title has them, and one of them is rare in the base. `Introduction`, `Scope` or a
//! phrase that every second paragraph uses leads nowhere.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use crate::base::Base;
use crate::index::query_words;

/// Words of a title at most.
const MAX_WORDS: usize = 16;
/// Places that one name may stand for when what tells them apart is left out: `Dover (1931 film)`, `Dover (town)`.
const SENSES: usize = 3;
/// One of a title's words is held by at most one of so many paragraphs, or by so many in all.
const RARE: u32 = 50;
const FEW: u32 = 3;
/// Words from which on a title with one capital is told from the beginning of a sentence.
const PHRASE: usize = 4;

/// The titles of a base by their words.
#[derive(Debug, Default)]
pub(crate) struct Titles {
    titles: HashMap<String, Title>,
    /// Words of the longest title that begins with a word.
    longest: HashMap<String, usize>,
}

/// A title that names one place, or few.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Title {
    /// As the base writes it.
    pub(crate) name: String,
    /// Positions of what stands below it.
    pub(crate) places: Vec<Range<usize>>,
    /// Which of its words begin with a capital or a digit.
    capitals: Vec<bool>,
}

impl Titles {
    pub(crate) fn of(base: &Base) -> Self {
        let mut titles = Self::default();
        let mut shortened: HashMap<String, Title> = HashMap::new();
        for (name, places) in places(base) {
            if let Some(title) = Title::new(base, &name, places.clone()) {
                titles.add(title);
            }
            if let Some(title) = short(&name).and_then(|short| Title::new(base, short, places)) {
                let known = shortened.entry(key(&title.name));
                known.and_modify(|known| known.places.extend(title.places.clone())).or_insert(title);
            }
        }
        titles.titles.retain(|_, title| title.places.len() == 1);
        for (key, title) in shortened {
            if title.places.len() <= SENSES && !titles.titles.contains_key(&key) {
                titles.add(title);
            }
        }
        titles
    }

    fn add(&mut self, title: Title) {
        let key = key(&title.name);
        if let Some(first) = key.split(' ').next() {
            let longest = self.longest.entry(first.to_owned()).or_default();
            *longest = title.capitals.len().max(*longest);
        }
        match self.titles.get_mut(&key) {
            Some(known) => known.places.extend(title.places),
            None => drop(self.titles.insert(key, title)),
        }
    }

    /// The titles that a text names, in order, the longest at each place.
    pub(crate) fn named_in(&self, text: &str) -> Vec<&Title> {
        let mut found = Vec::new();
        if self.titles.is_empty() {
            return found;
        }
        let text = composed(text);
        let words: Vec<(usize, &str)> = words(&text).collect();
        let lower: Vec<String> = words.iter().map(|(_, word)| word.to_lowercase()).collect();
        let mut at = 0;
        while at < words.len() {
            let most = self.longest.get(&lower[at]).map_or(0, |&most| most.min(words.len() - at));
            let title = (1..=most).rev().find_map(|count| {
                let title = self.titles.get(&lower[at..at + count].join(" "))?;
                title.is_named(&text, &words[at..at + count]).then_some((title, count))
            });
            at += title.map_or(1, |(_, count)| count);
            found.extend(title.map(|(title, _)| title));
        }
        found
    }
}

impl Title {
    fn new(base: &Base, name: &str, places: Vec<Range<usize>>) -> Option<Self> {
        let text = composed(name);
        let capitals: Vec<bool> = words(&text).map(|(_, word)| is_capital(word)).collect();
        let told =
            (1..=MAX_WORDS).contains(&capitals.len()) && capitals.contains(&true) && is_rare(base, &text);
        told.then(|| Self { name: name.trim().to_owned(), places, capitals })
    }

    /// Whether these words of a text are the title and no words that happen to be the same. What stands at the beginning of
    /// a sentence has its capital from there.
    fn is_named(&self, text: &str, words: &[(usize, &str)]) -> bool {
        let begins = words.first().is_some_and(|&(at, _)| begins_sentence(&text[..at]));
        let as_written =
            words.iter().zip(&self.capitals).all(|((_, word), capital)| !capital || is_capital(word));
        let own = words.iter().skip(1).any(|(_, word)| is_capital(word));
        as_written && (own || words.len() >= PHRASE || !begins)
    }
}

/// Each name with the positions below it, in runs of paragraphs that follow each other.
fn places(base: &Base) -> Vec<(String, Vec<Range<usize>>)> {
    let columns = base.columns();
    let mut runs: HashMap<u32, Vec<Range<usize>>> = HashMap::new();
    let mut order = Vec::new();
    let mut before = None;
    for position in base.wholes().iter().map(|&position| position as usize) {
        if columns.withdrawn(position) {
            continue;
        }
        let headings = columns.headings(position);
        let mut names = vec![columns.doc(position)];
        names.extend(headings.first());
        names.extend(headings.last());
        names.sort_unstable();
        names.dedup();
        for name in names {
            let of_name = runs.entry(name).or_insert_with(|| {
                order.push(name);
                Vec::new()
            });
            let count = of_name.len();
            match of_name.last_mut() {
                Some(run) if Some(run.end) == before => run.end = position + 1,
                _ if count > SENSES => {}
                _ => of_name.push(position..position + 1),
            }
        }
        before = Some(position + 1);
    }
    let named =
        order.into_iter().filter_map(|name| Some((columns.name(name).to_owned(), runs.remove(&name)?)));
    named.collect()
}

/// A title without what tells it from others: a note in parentheses, a rank behind the comma.
fn short(name: &str) -> Option<&str> {
    let noted = name.trim().strip_suffix(')').and_then(|name| name.rsplit_once('('));
    let ranked = || name.split_once(',').filter(|(short, _)| words(short).nth(1).is_some());
    noted.or_else(ranked).map(|(short, _)| short.trim())
}

/// Whether a word of the text is rare in the base.
fn is_rare(base: &Base, text: &str) -> bool {
    let index = base.index();
    let most = (index.searched / RARE).max(FEW);
    let held =
        |stem: &str| index.term(stem).map_or(0, |term| index.holding(term).into_iter().max().unwrap_or(0));
    let most_held = |forms: &[String]| forms.iter().map(|form| held(form)).max().unwrap_or(0);
    query_words(text, base.languages()).iter().any(|word| most_held(&word.forms) <= most)
}

/// Letters and their marks as one character each.
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfkc().collect()) }
}

/// Runs of letters and digits, with their places in bytes.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = text.as_ptr() as usize;
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(move |word| (word.as_ptr() as usize - start, word))
}

/// The words of a name in lower case.
pub(crate) fn key(name: &str) -> String {
    let text = composed(name);
    words(&text).map(|(_, word)| word.to_lowercase()).collect::<Vec<_>>().join(" ")
}

/// Digits count, and so do letters of scripts without capitals.
pub(crate) fn is_capital(word: &str) -> bool {
    word.chars().next().is_some_and(|first| !first.is_lowercase())
}

fn begins_sentence(before: &str) -> bool {
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || "\"'“”‘’«»([".contains(c));
    before.chars().next_back().is_none_or(|last| ".!?:;•".contains(last))
}
