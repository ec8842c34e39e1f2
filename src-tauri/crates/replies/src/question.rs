//! Questions, which decide nothing, and requests that only look like one.

use crate::clause::tokens;

/// Words that begin a question.
const OPENERS: [&str; 28] = [
    "why",
    "what",
    "how",
    "which",
    "who",
    "when",
    "where",
    "explain",
    "huh",
    "hm",
    "warum",
    "wieso",
    "weshalb",
    "wozu",
    "was",
    "wie",
    "welche",
    "welcher",
    "welches",
    "wer",
    "wann",
    "wo",
    "erklaere",
    "erklaer",
    "erlaeutere",
    "hae",
    "womit",
    "wofuer",
];
/// A question without a question mark is short.
const MAX_BARE_QUESTION_WORDS: usize = 6;
/// Verbs with which more is asked for, not something done.
const EXPLAINING: [&str; 14] = [
    "explain",
    "tell",
    "describe",
    "clarify",
    "elaborate",
    "why",
    "what",
    "how",
    "erklaeren",
    "sagen",
    "erlaeutern",
    "warum",
    "was",
    "wie",
];

/// Whether a text asks something. "Could you please not search the web?" does not.
pub fn is_question(text: &str) -> bool {
    let text = text.trim();
    let end = text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '?');
    let last = end.trim_end_matches('?').rfind(['.', '!', '?', '\n', ';']).map_or(0, |at| at + 1);
    let found = tokens(text);
    let words: Vec<&str> = found.iter().map(|token| token.word.as_str()).collect();
    if end.ends_with('?') {
        return tokens(&end[last..]).first().is_none_or(|token| token.asked);
    }
    let idiom = |idiom: [&str; 2]| words.get(..2).is_some_and(|two| two == idiom);
    // "Why not, go ahead"
    let agrees = ["why", "warum", "wieso"].iter().any(|why| idiom([why, "not"]) || idiom([why, "nicht"]))
        && found.get(2).is_some_and(|token| token.begins_clause());
    let suggests = agrees || idiom(["how", "about"]) || idiom(["wie", "waere"]);
    let opens = words.first().is_some_and(|word| OPENERS.contains(word));
    opens && !suggests && !text.contains('?') && words.len() <= MAX_BARE_QUESTION_WORDS
}

/// Whether a sentence with a question mark asks for something to be done.
pub(crate) fn is_request(words: &[&str]) -> bool {
    const BEFORE: [&str; 9] = ["please", "bitte", "and", "und", "so", "ok", "okay", "but", "aber"];
    const MODALS: [&str; 6] = ["could", "would", "koenntest", "koennten", "wuerdest", "wuerden"];
    const ASKING: [&str; 8] = ["can", "will", "may", "kannst", "koennen", "kann", "magst", "wollen"];
    const NEGATIONS: [&str; 12] = [
        "not",
        "without",
        "skip",
        "avoid",
        "leave",
        "nicht",
        "ohne",
        "weglassen",
        "ueberspringen",
        "auslassen",
        "kein",
        "keine",
    ];
    const PEOPLE: [&str; 6] = ["you", "we", "du", "sie", "wir", "ihr"];
    let words: Vec<&str> = words.iter().copied().skip_while(|word| BEFORE.contains(word)).collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    if has(&EXPLAINING[..7])
        || words.get(2..).is_some_and(|rest| rest.iter().any(|word| EXPLAINING[7..].contains(word)))
    {
        return words.starts_with(&["how", "about"]) && has(&NEGATIONS);
    }
    let polite: [&[&str]; 3] =
        [&["would", "it", "be", "possible"], &["waere", "es", "moeglich"], &["ist", "es", "moeglich"]];
    if polite.iter().any(|polite| words.starts_with(polite)) {
        return has(&NEGATIONS);
    }
    let people = words.get(1).is_some_and(|word| PEOPLE.contains(word));
    let opens = |modals: &[&str]| people && words.first().is_some_and(|word| modals.contains(word));
    // "Can you search the web?" may ask whether it can.
    opens(&MODALS) || opens(&ASKING) && (has(&["please", "bitte"]) || has(&NEGATIONS))
}
