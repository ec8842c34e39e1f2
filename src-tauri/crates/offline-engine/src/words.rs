//! Words, stems and sentences of text, without a model: the finer rules are those of English.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use text_analysis::{Language, add_lower, is_full_stop, is_mark, without_accents};

/// Words that say nothing about a subject, in lower case and sorted.
const STOP: &[&str] = &[
    "a",
    "about",
    "above",
    "after",
    "again",
    "against",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "but",
    "by",
    "can",
    "cannot",
    "could",
    "did",
    "do",
    "does",
    "doing",
    "done",
    "down",
    "during",
    "each",
    "either",
    "else",
    "especially",
    "etc",
    "ever",
    "every",
    "exactly",
    "explain",
    "few",
    "for",
    "from",
    "further",
    "generally",
    "get",
    "give",
    "given",
    "had",
    "has",
    "have",
    "having",
    "he",
    "her",
    "here",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "least",
    "less",
    "let",
    "like",
    "made",
    "mainly",
    "make",
    "many",
    "may",
    "me",
    "might",
    "mine",
    "more",
    "most",
    "much",
    "must",
    "my",
    "need",
    "needs",
    "neither",
    "no",
    "nor",
    "not",
    "now",
    "of",
    "off",
    "on",
    "once",
    "one",
    "only",
    "or",
    "other",
    "others",
    "ought",
    "our",
    "out",
    "over",
    "own",
    "particularly",
    "per",
    "please",
    "possible",
    "possibly",
    "quite",
    "rather",
    "same",
    "say",
    "shall",
    "she",
    "should",
    "so",
    "some",
    "such",
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
    "thing",
    "things",
    "this",
    "those",
    "through",
    "to",
    "too",
    "under",
    "until",
    "up",
    "upon",
    "us",
    "use",
    "used",
    "using",
    "usually",
    "very",
    "want",
    "was",
    "way",
    "ways",
    "we",
    "were",
    "what",
    "when",
    "where",
    "whether",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "within",
    "without",
    "would",
    "yet",
    "you",
    "your",
];

/// Whether a lower-case word says nothing about a subject.
pub(crate) fn is_stop(word: &str) -> bool {
    STOP.binary_search(&word).is_ok()
}

/// The words of a text in lower case, in order; hyphens and slashes separate, apostrophes and what follows them go. Where words
/// have no blanks between them, pairs of signs.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let text = &*without_question_words(text);
    for word in text.split(|c: char| !(c.is_alphanumeric() || is_mark(c) || c == '\'' || c == '’')) {
        add_lower(word, &mut all);
    }
    all
}

/// A text without the words that only ask, in scripts where they are written on to others.
fn without_question_words(text: &str) -> Cow<'_, str> {
    const ASKING: [&str; 24] = [
        "是多少",
        "多少",
        "什么时候",
        "是什么",
        "什么",
        "为什么",
        "哪些",
        "哪个",
        "如何",
        "怎么",
        "怎样",
        "是否",
        "吗",
        "何ですか",
        "ですか",
        "ますか",
        "いつ",
        "どの",
        "どう",
        "いくら",
        "どこ",
        "なぜ",
        "何時",
        "何日",
    ];
    if text.is_ascii() || !text.chars().any(text_analysis::is_spaceless) {
        return Cow::Borrowed(text);
    }
    ASKING.iter().fold(Cow::Borrowed(text), |text, word| {
        if text.contains(word) { Cow::Owned(text.replace(word, " ")) } else { text }
    })
}

/// Whether a word says nothing about the subject of a text in a language.
fn is_bare(word: &str, language: Option<Language>) -> bool {
    is_stop(word) || language.is_some_and(|language| language.is_stop(word))
}

/// Words that say how much is asked after: `how long`.
const DEGREES: [&str; 18] = [
    "big",
    "deep",
    "early",
    "far",
    "fast",
    "frequently",
    "high",
    "large",
    "late",
    "long",
    "low",
    "many",
    "much",
    "often",
    "old",
    "quickly",
    "soon",
    "wide",
];

/// Whether the word at a place only asks after a degree, as `long` does in `how long`.
pub(crate) fn is_degree(order: &[String], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| order[before] == "how") && DEGREES.contains(&order[at].as_str())
}

/// Verbs, as stems, that make a noun with the particle behind them: `backed up` is about a `backup`.
const PHRASAL: [&str; 18] = [
    "back", "break", "build", "check", "clean", "follow", "hand", "lock", "log", "look", "opt", "phas",
    "roll", "set", "shut", "sign", "start", "take",
];
const PARTICLES: [&str; 8] = ["back", "down", "in", "off", "on", "out", "over", "up"];

/// Words with verbs and their particles as one.
fn joined(order: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(order.len());
    for word in order {
        match out
            .last_mut()
            .filter(|before| PARTICLES.contains(&word.as_str()) && PHRASAL.contains(&stem(before).as_str()))
        {
            Some(before) => *before = stem(before) + &word,
            None => out.push(word),
        }
    }
    out
}

/// The words of a question that say what it is about, in order.
pub(crate) fn asked(text: &str) -> Vec<String> {
    let order = joined(words(text));
    let language = Language::find(text);
    let says = |at: &usize| !is_bare(&order[*at], language) && !is_degree(&order, *at);
    (0..order.len()).filter(says).map(|at| order[at].clone()).collect()
}

/// The stems of the words that say something, in order.
pub(crate) fn stems(text: &str) -> Vec<String> {
    let language = Language::find(text);
    joined(words(text)).iter().filter(|word| !is_bare(word, language)).map(|word| stem(word)).collect()
}

/// The stems of a text as a set.
pub(crate) fn stem_set(text: &str) -> BTreeSet<String> {
    stems(text).into_iter().collect()
}

/// Endings that come off, longest first, each leaving at least four letters.
const ENDINGS: &[&str] = &[
    "izations", "ization", "isations", "isation", "ations", "ation", "ments", "ities", "ively", "ment",
    "ness", "ings", "ally", "ions", "ity", "ing", "ive", "ied", "ies", "ion", "ors", "ers", "ed", "ly", "or",
    "er", "al", "es", "e", "s",
];

/// A rough stem: enough for `estimate`, `estimates`, `estimation` and `estimating` to meet.
pub(crate) fn stem(word: &str) -> String {
    let mut word = without_accents(word).into_owned();
    if !word.is_ascii() || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word;
    }
    for round in 0..3 {
        let cut = ENDINGS
            .iter()
            .filter(|ending| round == 0 || !ending.ends_with('s') || ending.len() > 2)
            .find(|ending| {
                word.strip_suffix(**ending).is_some_and(|rest| {
                    rest.len() >= 4 - usize::from(ending.len() <= 2)
                        && rest.bytes().any(|b| b"aeiouy".contains(&b))
                })
            });
        let Some(ending) = cut else { break };
        if *ending == "s" && word.ends_with("ss") {
            break;
        }
        word.truncate(word.len() - ending.len());
        if ["ies", "ied"].contains(ending) {
            word.push('y');
        }
    }
    if word.len() > 4 && word.ends_with("at") {
        word.truncate(word.len() - 2);
    }
    let doubled = {
        let bytes = word.as_bytes();
        bytes.len() > 3
            && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
            && !b"aeiousl".contains(&bytes[bytes.len() - 1])
    };
    if doubled {
        word.pop();
    }
    // respond and response, extend and extension
    if word.len() > 5 && word.ends_with("ns") {
        word.truncate(word.len() - 1);
        word.push('d');
    }
    word
}

/// The sentences of a text as byte ranges without surrounding white space. A line break ends a sentence.
pub(crate) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    let push = |range: Range<usize>, found: &mut Vec<Range<usize>>| {
        let piece = &text[range.clone()];
        let lead = piece.len() - piece.trim_start().len();
        let length = piece.trim().len();
        if length > 0 {
            found.push(range.start + lead..range.start + lead + length);
        }
    };
    while let Some((index, c)) = chars.next() {
        let mut end = index + c.len_utf8();
        let ends = match c {
            '\n' => true,
            c if is_full_stop(c) => true,
            '.' | '!' | '?' => {
                let ends = domain::ends_sentence(&text[start..index], c, &text[end..]);
                end += if ends { domain::sentence_tail(&text[end..]) } else { 0 };
                while chars.next_if(|(next, _)| *next < end).is_some() {}
                ends
            }
            _ => false,
        };
        if ends {
            push(start..end, &mut found);
            start = end;
        }
    }
    push(start..text.len(), &mut found);
    found
}

/// Scores are compared as whole ten-thousandths, so that the last bit of a logarithm never decides.
pub(crate) fn quantised(score: f64) -> i64 {
    if score.is_finite() { (score * 10_000.0).round() as i64 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP.is_sorted());
    }

    #[test]
    fn a_question_in_another_language_is_about_its_own_words() {
        assert_eq!(asked("Wie lang ist die Kündigungsfrist?"), ["kündigungsfrist"]);
        assert_eq!(asked("Quelle est la durée du préavis ?"), ["durée", "préavis"]);
        assert_eq!(asked("What must die in the war?"), ["die", "war"], "German words are none of English");
        assert_eq!(asked("付款期限"), ["付款", "款期", "期限"]);
        assert_eq!(asked("利率是多少？"), ["利率"]);
        assert_eq!(sentences("付款期限为三十日。逾期须付利息。").len(), 2);
        assert_eq!(stems("Ku\u{308}ndigung"), stems("Kündigung"));
    }

    #[test]
    fn the_forms_of_a_word_meet() {
        for group in [
            &["estimate", "estimates", "estimation", "estimating", "estimated"][..],
            &["audit", "auditor", "auditors", "auditing", "audits"],
            &["material", "materiality", "materially"],
            &["respond", "response", "responses", "responding"],
            &["document", "documentation", "documented"],
            &["assess", "assessment", "assessed", "assessing"],
            &["misstatement", "misstatements"],
            &["going", "going"],
            &["policy", "policies"],
            &["procedure", "procedures"],
            &["plan", "planning", "planned"],
            &["backup", "backups"],
        ] {
            let stems: BTreeSet<String> = group.iter().map(|word| stem(word)).collect();
            assert_eq!(stems.len(), 1, "{group:?} {stems:?}");
        }
        for phrase in ["backed up", "backing up", "a backup of"] {
            assert_eq!(stems(phrase), ["backup"], "{phrase}");
        }
        assert_eq!(stems("log in the user"), ["login", "user"]);
        assert_ne!(stem("performance"), stem("perform"));
        assert_ne!(stem("risk"), stem("role"));
    }

    #[test]
    fn sentences_end_where_a_reader_would_end_them() {
        let text =
            "Profit of EUR 8.0 million is used, e.g. by banks. \"Is it?\" Yes (see 4.2).\nA. Next line";
        let found: Vec<&str> = sentences(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(
            found,
            [
                "Profit of EUR 8.0 million is used, e.g. by banks.",
                "\"Is it?\"",
                "Yes (see 4.2).",
                "A. Next line"
            ]
        );
    }
}
