//! Which of several statements answers a question best, by its words.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::keys::{stems_of_key, text_key};

/// Puts the statement first that answers a question best; the others stay in their order. It has most of the question's
/// words; of several the one that says what its subject is, as "X is a …" does where the question is "What is X?".
pub fn put_answer_first<T>(question: &str, statements: &mut [T], text: impl Fn(&T) -> &str) {
    let key = text_key(question);
    let wanted: BTreeSet<String> = stems_of_key(&key).collect();
    let subject = subject_of(&key);
    let rank = |(at, statement): &(usize, &T)| {
        let key = text_key(text(statement));
        let has: BTreeSet<String> = stems_of_key(&key).collect();
        (wanted.intersection(&has).count(), subject.map_or(0, |subject| defines(&key, subject)), Reverse(*at))
    };
    if let Some((best, _)) = statements.iter().enumerate().max_by_key(rank) {
        statements[..=best].rotate_right(1);
    }
}

/// How many words with a meaning two texts share.
pub fn shared_words(first: &str, second: &str) -> usize {
    let stems = |text: &str| stems_of_key(&text_key(text)).collect::<BTreeSet<String>>();
    stems(first).intersection(&stems(second)).count()
}

/// The section whose name shares most words with a text, the first of several; none where none shares any.
pub fn nearest_section<'s>(text: &str, sections: &'s [String]) -> Option<&'s String> {
    let shared =
        sections.iter().enumerate().map(|(at, section)| (shared_words(section, text), Reverse(at), section));
    shared
        .filter(|(words, ..)| *words > 0)
        .max_by_key(|(words, at, _)| (*words, *at))
        .map(|(.., section)| section)
}

/// What a question asks the nature of: `x` of "What is X?".
fn subject_of(question: &str) -> Option<&str> {
    let starts = ["what is ", "what are ", "who is ", "who are "];
    let rest = starts.into_iter().find_map(|start| question.strip_prefix(start))?;
    Some(without_article(rest)).filter(|subject| !subject.is_empty())
}

fn without_article(words: &str) -> &str {
    ["a ", "an ", "the "].into_iter().find_map(|article| words.strip_prefix(article)).unwrap_or(words)
}

/// How far a statement says what a subject is: 2 for "X is a …", 1 for "X is …".
fn defines(statement: &str, subject: &str) -> u8 {
    let rest = without_article(statement).strip_prefix(subject);
    let rest = rest.and_then(|rest| rest.strip_prefix(" is ").or_else(|| rest.strip_prefix(" are ")));
    rest.map_or(0, |rest| if without_article(rest) == rest { 1 } else { 2 })
}
