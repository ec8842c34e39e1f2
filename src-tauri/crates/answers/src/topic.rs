//! Follow-up questions that do not stand alone: `when then?`, `and who approves it?`.

use std::collections::BTreeSet;

use text_analysis::{Language, add_lower, is_mark};

use crate::text;

/// The most characters of an earlier question that a follow-up takes along.
const MAX_TOPIC_CHARS: usize = 400;

/// Words that name no subject, sorted: of questions, pronouns, auxiliaries, joints and courtesies.
const BARE: [&str; 114] = [
    "a",
    "about",
    "actually",
    "after",
    "all",
    "also",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "before",
    "both",
    "but",
    "by",
    "can",
    "case",
    "could",
    "did",
    "do",
    "does",
    "elaborate",
    "else",
    "ever",
    "every",
    "exactly",
    "explain",
    "far",
    "for",
    "from",
    "further",
    "get",
    "give",
    "go",
    "had",
    "has",
    "have",
    "he",
    "her",
    "his",
    "how",
    "i",
    "if",
    "in",
    "instead",
    "is",
    "it",
    "its",
    "just",
    "know",
    "long",
    "many",
    "may",
    "me",
    "mean",
    "more",
    "much",
    "must",
    "no",
    "not",
    "now",
    "of",
    "often",
    "ok",
    "okay",
    "on",
    "one",
    "ones",
    "only",
    "or",
    "other",
    "others",
    "otherwise",
    "please",
    "reason",
    "same",
    "say",
    "shall",
    "she",
    "should",
    "so",
    "still",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "too",
    "us",
    "was",
    "well",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "would",
];

/// Words that stand for something named before, whatever else a question names.
const PRONOUNS: [&str; 9] = ["he", "it", "its", "she", "their", "them", "these", "they", "those"];

/// Words that do so in short questions; in longer ones they mostly join clauses.
const POINTERS: [&str; 3] = ["that", "then", "this"];

/// Words that join a question to the one before.
const JOINTS: [&str; 4] = ["and", "but", "or", "so"];

/// Whether a follow-up needs the question before it to be understood: it names no subject (`and why?`), points to one
/// (`who approves it?`), or adds a phrase to the question (`and in a group?`, `exceptions?`).
pub fn leans(request: &str) -> bool {
    let words = words(request);
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let first: Vec<&str> = words.iter().take(2).map(String::as_str).collect();
    let adds = first.first().is_some_and(|first| JOINTS.contains(first))
        || matches!(first[..], ["what" | "how", "about"] | ["what", "if"]);
    match subjects(request, &words) {
        0 => true,
        1 | 2 => adds || words.len() <= 2 || has(&PRONOUNS) || has(&POINTERS),
        3 | 4 => has(&PRONOUNS),
        _ => false,
    }
}

/// Whether a question names a subject, as `and why?` does not.
pub fn names_subject(request: &str) -> bool {
    subjects(request, &words(request)) > 0
}

/// Words in lower case, without what follows an apostrophe; where words have no blanks between them, pairs of signs.
fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let inside = |c: char| c.is_alphanumeric() || is_mark(c) || matches!(c, '-' | '\'' | '\u{2019}');
    for word in text.split(|c: char| !inside(c)) {
        add_lower(word, &mut all);
    }
    all
}

/// The words that name something in a question.
fn naming<'w>(question: &str, words: &'w [String]) -> impl Iterator<Item = &'w String> {
    let language = Language::find(question);
    words.iter().filter(move |word| {
        BARE.binary_search(&word.as_str()).is_err() && !language.is_some_and(|one| one.is_stop(word))
    })
}

/// How many different words name something.
fn subjects(question: &str, words: &[String]) -> usize {
    naming(question, words).collect::<BTreeSet<_>>().len()
}

/// A follow-up with the question that it leans on: one text that stands alone.
pub fn standalone(topic: &str, request: &str) -> String {
    let (topic, request) = (text::one_line(topic), text::one_line(request));
    let topic = text::cut_at_word(&topic, MAX_TOPIC_CHARS);
    let mark = if topic.ends_with(['.', '?', '!', '\u{2026}']) { "" } else { "?" };
    format!("{topic}{mark} {request}")
}

/// What a question names and no text mentions in any form, where that is more than half of it: such texts answer another
/// question.
pub(crate) fn unmentioned(question: &str, texts: &[&str]) -> Vec<String> {
    let there: BTreeSet<String> = texts.iter().flat_map(|text| words(text)).collect();
    let asked = words(question);
    let mut asked: Vec<String> = naming(question, &asked).cloned().collect();
    asked.dedup();
    let missing: Vec<String> =
        asked.iter().filter(|word| !there.iter().any(|other| same_word(word, other))).cloned().collect();
    if missing.len() * 2 > asked.len() { missing } else { Vec::new() }
}

/// Whether two words may be forms of one, as `approves` and `approval` are.
fn same_word(one: &str, other: &str) -> bool {
    let shared: usize =
        one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(shared, _)| shared.len_utf8()).sum();
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let ends = |rest: &str| matches!(rest, "s" | "es" | "ed" | "ing");
    one == other
        || (shared >= 4 && shared + 3 >= short.len())
        || (short.len() >= 3 && long.strip_prefix(short).is_some_and(ends))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_words_without_a_subject_are_sorted_for_the_search() {
        let mut sorted = BARE;
        sorted.sort_unstable();
        assert_eq!(BARE, sorted);
    }

    #[test]
    fn a_follow_up_leans_where_it_names_no_subject_of_its_own() {
        for request in [
            "when then?",
            "And why?",
            "who?",
            "Why's that?",
            "how long?",
            "what else",
            "Please explain.",
            "Who approves it?",
            "When may they be destroyed?",
            "Is that still so for small entities?",
            "And in a group audit?",
            "What about electronic replies?",
            "Exceptions?",
            "???",
            "Und warum?",
            "为什么？",
        ] {
            assert!(leans(request), "{request}");
        }
        for request in [
            "What is going concern?",
            "Wie lang ist die Kündigungsfrist?",
            "逾期付款的利率是多少？",
            "How is bread baked?",
            "Who won the chess championship of 1972?",
            "What must be documented about fraud risks?",
            "Which events after the reporting date change the report, and which are only disclosed in it?",
        ] {
            assert!(!leans(request), "{request}");
        }
    }

    #[test]
    fn a_follow_up_stands_alone_behind_the_question_that_it_leans_on() {
        assert_eq!(
            standalone("How long are working\npapers kept", " when then? "),
            "How long are working papers kept? when then?"
        );
    }

    #[test]
    fn a_text_about_something_else_does_not_mention_what_was_asked() {
        let kept = [
            "Working papers are kept for seven years.",
            "The partner approves every destruction in writing.",
        ];
        assert_eq!(
            unmentioned("How long are employment contracts kept?", &kept),
            ["employment", "contracts"]
        );
        assert_eq!(
            unmentioned("Who gives approval for destroying working papers?", &kept),
            Vec::<String>::new()
        );
        assert_eq!(unmentioned("How long is a paper kept?", &kept), Vec::<String>::new());
        assert_eq!(unmentioned("And why?", &kept), Vec::<String>::new());
        let german = ["Die Kündigungsfrist beträgt drei Monate."];
        assert_eq!(unmentioned("Wie lang ist die Kündigungsfrist?", &german), Vec::<String>::new());
        let chinese = ["逾期付款的利率为每年百分之五。"];
        assert_eq!(unmentioned("逾期付款的利率是多少？", &chinese), Vec::<String>::new());
        let year = ["The year ends on the last Saturday of September."];
        assert_eq!(unmentioned("On which day does the year end?", &year), Vec::<String>::new());
    }
}
