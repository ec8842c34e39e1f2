//! Terms that a base defines, and where: `“Risk” means …`, a paragraph of kind `definition`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::base::Base;
use crate::fold::Folded;
use crate::paragraph::Paragraph;

/// Words of a term at most.
const TERM_WORDS: usize = 6;
/// Terms of one base at most.
const MAX_TERMS: usize = 50_000;

/// What rule sets call a paragraph that defines a term.
const KIND: &str = "definition";

/// Folded term -> the paragraphs that define it, in document order.
#[derive(Debug, Default)]
pub struct Definitions {
    terms: BTreeMap<String, Vec<usize>>,
}

const SAYS: &str = r"\s+(?:shall mean|means?|refers to|is defined as)\b";

/// `“Term” means`, also with an abbreviation in parentheses behind the mark.
static MARKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(r#"[“"‘']([^“”"‘’'\n]{{2,80}})[”"’'](?:\s*\([^()\n]{{1,40}}\))?{SAYS}"#)).ok()
});
/// `Term means` at the start of a definition, behind its number.
static PLAIN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(r"^\s*(?:\(?\w{{1,4}}[.)]\s+)?([A-Za-z][\w ,'’()/-]{{1,80}}?)(?:{SAYS}|\s*[–—:])"))
        .ok()
});

impl Definitions {
    pub(crate) fn of(base: &Base) -> Self {
        let mut found = Self::default();
        let columns = base.columns();
        for (position, text) in base.paragraphs().texts().enumerate() {
            if !says(&text) && columns.name(columns.kind(position)) != KIND {
                continue;
            }
            for term in defined_in(&base.paragraphs().read(position)) {
                let key = key(&term);
                if key.split(' ').count() > TERM_WORDS || found.terms.len() >= MAX_TERMS {
                    continue;
                }
                let places = found.terms.entry(key).or_default();
                if places.last() != Some(&position) {
                    places.push(position);
                }
            }
        }
        found
    }

    /// Where a term is defined.
    pub fn places(&self, term: &str) -> Option<&[usize]> {
        self.terms.get(&key(term)).map(Vec::as_slice)
    }

    /// Terms of several words that a sentence writes with capitals, as a defined term is written; the longest at each
    /// place. The first word of a sentence has its capital anyway.
    pub fn capitalised<'s>(&self, sentence: &'s str) -> Vec<&'s str> {
        if self.terms.is_empty() {
            return Vec::new();
        }
        let words: Vec<(usize, &str)> = sentence
            .split_whitespace()
            .map(|word| {
                let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
                (bare.as_ptr() as usize - sentence.as_ptr() as usize, bare)
            })
            .collect();
        let capital = |word: &str| word.starts_with(char::is_uppercase);
        let mut found = Vec::new();
        let mut at = 1;
        while at < words.len() {
            let most = TERM_WORDS.min(words.len() - at);
            let term = (2..=most).rev().find_map(|count| {
                let (first, last) = (words[at], words[at + count - 1]);
                // Small words may stand inside a term: `Those Charged with Governance`.
                if !capital(first.1) || !capital(last.1) {
                    return None;
                }
                let text = &sentence[first.0..last.0 + last.1.len()];
                self.places(text).map(|_| (text, count))
            });
            match term {
                Some((text, count)) => {
                    found.push(text);
                    at += count;
                }
                None => at += 1,
            }
        }
        found
    }
}

/// Whether a text may define something; most do not, and are not looked at further.
fn says(text: &str) -> bool {
    ["means", " mean ", "refers to", "defined as"].iter().any(|word| text.contains(word))
}

fn defined_in(paragraph: &Paragraph) -> Vec<String> {
    let text = paragraph.text.as_str();
    let mut terms = Vec::new();
    let says = says(text);
    if says && let Some(pattern) = MARKED.as_ref() {
        terms.extend(pattern.captures_iter(text).filter_map(|one| Some(one.get(1)?.as_str().to_owned())));
    }
    let definition = paragraph.kind == KIND
        || (says && paragraph.path.iter().chain([&paragraph.title]).any(|head| head.contains("efinition")));
    if definition && let Some(pattern) = PLAIN.as_ref() {
        terms.extend(pattern.captures(text).and_then(|one| Some(one.get(1)?.as_str().trim().to_owned())));
    }
    terms
}

/// Folded, in lower case, single spaces, without an article before it.
fn key(term: &str) -> String {
    let folded = Folded::of(term).text.to_lowercase();
    let bare = folded.trim_matches(|c: char| !c.is_alphanumeric());
    bare.strip_prefix("the ").unwrap_or(bare).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(kind: &str, title: &str, text: &str) -> Vec<String> {
        defined_in(&Paragraph {
            kind: kind.into(),
            title: title.into(),
            text: text.into(),
            ..Paragraph::default()
        })
    }

    #[test]
    fn definitions_are_found_in_their_usual_forms() {
        assert_eq!(terms("", "", "(1) ‘risk owner’ means a person who answers for a risk;"), ["risk owner"]);
        assert_eq!(terms("", "", "“Working group” (WG) shall mean three people."), ["Working group"]);
        assert_eq!(
            terms("definition", "", "(c) Risk owner – A person who answers for a risk."),
            ["Risk owner"]
        );
        assert_eq!(terms("", "Definitions", "Auditee means whoever is audited."), ["Auditee"]);
        assert_eq!(
            terms("", "Sampling", "Sampling means testing fewer than all items."),
            Vec::<String>::new()
        );
    }
}
