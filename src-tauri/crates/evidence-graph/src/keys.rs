//! The forms in which texts, names and addresses are compared, so that the same thing is stored once.

use std::borrow::Cow;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

/// Longer runs of letters are no words: encoded pictures, keys.
const MAX_WORD_BYTES: usize = 64;

/// Words that carry no topic, in order. Negations and modals are read apart.
const STOP_WORDS: &[&str] = &[
    "a", "about", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been", "being",
    "but", "by", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "if",
    "in", "into", "is", "it", "its", "of", "on", "or", "our", "per", "she", "so", "such", "than", "that",
    "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "was", "we", "were",
    "what", "when", "where", "which", "who", "whose", "why", "will", "with", "would", "you",
];

/// A text as names and questions are compared: NFKC, without case and punctuation, single spaces. `+` and `#` stay:
/// they tell names apart.
pub fn text_key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for c in normal(text).chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() || matches!(c, '+' | '#') {
            key.push(c);
        } else if !matches!(c, '\'' | '’') && !key.ends_with(' ') && !key.is_empty() {
            key.push(' ');
        }
    }
    key.truncate(key.trim_end().len());
    key
}

/// A text in NFKC.
pub(crate) fn normal(text: &str) -> Cow<'_, str> {
    match is_nfkc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        IsNormalized::No | IsNormalized::Maybe => Cow::Owned(text.nfkc().collect()),
    }
}

/// The stem of a word in lower case; none for words that carry no topic.
pub(crate) fn stem(word: &str) -> Option<String> {
    let letter = word.chars().count() == 1 && !word.starts_with(|c: char| c.is_ascii_digit());
    if letter || word.len() > MAX_WORD_BYTES || STOP_WORDS.binary_search(&word).is_ok() {
        return None;
    }
    Some(Stemmer::new(Algorithm::English).stem(word).into_owned())
}

/// The stems of a text that is already a key.
pub(crate) fn stems_of_key(key: &str) -> impl Iterator<Item = String> {
    key.split(' ').filter_map(stem)
}

/// An address as it is compared: without scheme, `www.`, marks of campaigns, fragment and closing slash; the host in
/// lower case.
pub fn address_key(address: &str) -> String {
    let Some((scheme, rest)) = address.trim().split_once("://") else { return address.trim().to_owned() };
    let rest = rest.split('#').next().unwrap_or_default();
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let host = rest[..at].to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let (path, query) = rest[at..].split_once('?').unwrap_or((&rest[at..], ""));
    let kept: Vec<&str> =
        query.split('&').filter(|part| !part.is_empty() && !part.starts_with("utm_")).collect();
    let query = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    let scheme = if matches!(scheme, "http" | "https") { String::new() } else { format!("{scheme}://") };
    format!("{scheme}{host}{}{query}", path.trim_end_matches('/'))
}

/// Who speaks at an address: the domain that somebody registered, or the whole address where it has no host.
///
/// Without a list of public suffixes, a short label before a country's code (`co.uk`, `gov.au`) is taken for one.
pub fn origin_of(address: &str) -> String {
    let key = address_key(address);
    if !address.contains("://") {
        return key;
    }
    let host = key.split("://").last().unwrap_or_default();
    let host = host.split(['/', '?', ':']).next().unwrap_or_default();
    let labels: Vec<&str> = host.split('.').collect();
    let numeric = labels.iter().all(|label| label.bytes().all(|byte| byte.is_ascii_digit()));
    let public = matches!(
        labels.as_slice(),
        [.., "co" | "com" | "org" | "ac" | "gov" | "net" | "edu" | "or" | "go", country] if country.len() == 2
    );
    let count = if numeric {
        labels.len()
    } else if public {
        3
    } else {
        2
    };
    labels[labels.len().saturating_sub(count)..].join(".")
}
