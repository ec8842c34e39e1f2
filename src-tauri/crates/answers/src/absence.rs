//! Sentences that say what a source does not say: nothing can be cited for that.

/// Texts that an answer was given, by what answers call them.
const GIVEN: [&str; 14] = [
    "paragraph",
    "paragraphs",
    "passage",
    "passages",
    "source",
    "sources",
    "excerpt",
    "excerpts",
    "text",
    "texts",
    "material",
    "materials",
    "extract",
    "extracts",
];
/// Texts by their kinds. What these do not cover or require is a statement about them.
const TEXTS: [&str; 33] = [
    "act",
    "annex",
    "article",
    "articles",
    "chapter",
    "chapters",
    "clause",
    "code",
    "control",
    "controls",
    "directive",
    "document",
    "documents",
    "guidance",
    "guide",
    "law",
    "manual",
    "part",
    "policy",
    "primer",
    "provision",
    "provisions",
    "recital",
    "regulation",
    "regulations",
    "rule",
    "rules",
    "section",
    "sections",
    "standard",
    "standards",
    "statute",
    "table",
];
/// What only somebody who speaks does, and what a text that was given does besides.
const SPEAKS: [&str; 10] =
    ["address", "answer", "define", "explain", "mention", "name", "say", "specify", "state", "tell"];
const HOLDS: [&str; 10] =
    ["contain", "cover", "describe", "give", "hold", "include", "list", "set", "show", "treat"];
const SPOKEN: [&str; 15] = [
    "said",
    "stated",
    "named",
    "addressed",
    "mentioned",
    "covered",
    "given",
    "found",
    "defined",
    "described",
    "specified",
    "explained",
    "answered",
    "set",
    "contained",
];
/// Words that open a clause on which the sentence's own statement depends.
const CONDITIONS: [&str; 12] = [
    "if", "where", "when", "unless", "because", "since", "although", "though", "while", "until", "whereas",
    "as",
];
const QUESTIONS: [&str; 8] = ["how", "who", "what", "when", "where", "which", "whether", "why"];
/// Words that may stand between a text and what it does not do.
const BETWEEN: usize = 6;
/// Words before the text that is spoken of.
const BEFORE: usize = 6;

/// Whether a sentence says that the sources do not hold something, and nothing else.
pub(crate) fn says_absent(sentence: &str) -> bool {
    let words: Vec<String> = sentence
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '\u{2019}'))
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().replace('\u{2019}', "'"))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let Some(first) = words.first() else { return false };
    // What follows is a statement of its own.
    if sentence.contains(';') || words.contains(&"but") {
        return false;
    }
    let fronted = QUESTIONS.contains(first);
    if CONDITIONS.contains(first) && !(fronted && ends_silent(&words)) {
        return false;
    }
    (fronted && ends_silent(&words))
        || (0..words.len().min(BEFORE)).any(|at| subject_is_silent(&words, at))
        || nothing_says(&words)
        || nor_does(&words)
        || is_not_said(&words)
}

/// Whether a word is a text's, and what it does when it holds something.
fn doing(word: &str) -> Option<bool> {
    match (GIVEN.contains(&word), TEXTS.contains(&word)) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}

fn speaks(word: &str, given: bool) -> bool {
    let stem = |list: &[&str]| {
        list.iter().any(|verb| {
            word == *verb || word.strip_prefix(verb).is_some_and(|rest| rest == "s" || rest == "es")
        }) || (word == "specifies" && list.contains(&"specify"))
    };
    stem(&SPEAKS) || (given && stem(&HOLDS))
}

/// `the paragraphs given do not themselves say`, `Article 5 is silent`, `it does not say`.
fn subject_is_silent(words: &[&str], at: usize) -> bool {
    let pronoun = at == 0 && matches!(words[at], "it" | "they" | "this" | "that" | "these" | "both");
    let given = match (doing(words[at]), pronoun) {
        (Some(given), _) => given,
        (None, true) => false,
        (None, false) => return false,
    };
    let rest = &words[at + 1..words.len().min(at + 1 + BETWEEN + 3)];
    (0..rest.len().min(BETWEEN)).any(|from| is_silent(&rest[from..], given))
}

/// Whether words begin with what a text does that says nothing.
fn is_silent(words: &[&str], given: bool) -> bool {
    let adverb = |word: &&&str| {
        word.ends_with("ly") || matches!(**word, "itself" | "themselves" | "also" | "even" | "yet")
    };
    let verb = |rest: &[&str]| rest.iter().find(|word| !adverb(word)).is_some_and(|word| speaks(word, given));
    match words {
        ["do" | "does" | "did", "not", rest @ ..] | ["don't" | "doesn't" | "didn't", rest @ ..] => verb(rest),
        [says, "nothing", ..] => speaks(says, given),
        ["is" | "are", "silent", ..] | ["remain" | "remains", "silent", ..] => true,
        _ => false,
    }
}

/// `How long the log is kept the paragraphs do not say.`
fn ends_silent(words: &[&str]) -> bool {
    let from = words.len().saturating_sub(BETWEEN);
    (from..words.len()).any(|at| {
        let Some(given) = doing(words[at]) else { return false };
        (at + 1..words.len()).any(|next| {
            is_silent(&words[next..], given) && words.last().is_some_and(|last| speaks(last, given))
        })
    })
}

/// `No paragraph says`, `None of the paragraphs names`, `Nothing in the Act says`.
fn nothing_says(words: &[&str]) -> bool {
    let ["no" | "none" | "nothing" | "neither", ..] = words else { return false };
    let Some((at, given)) =
        words.iter().take(BEFORE).enumerate().find_map(|(at, word)| Some((at, doing(word)?)))
    else {
        return false;
    };
    words[at + 1..].iter().take(BETWEEN).any(|word| speaks(word, given))
}

/// `Nor does it say`, `Neither do the paragraphs mention`.
fn nor_does(words: &[&str]) -> bool {
    let ["nor" | "neither", "do" | "does" | "did", rest @ ..] = words else { return false };
    let given = rest.iter().take(BETWEEN).any(|word| doing(word) == Some(true));
    let named = given
        || rest
            .iter()
            .take(BETWEEN)
            .any(|word| doing(word).is_some() || matches!(*word, "it" | "they" | "this" | "that"));
    named && rest.iter().take(BETWEEN).any(|word| speaks(word, given))
}

/// `is not stated in the paragraphs given`.
fn is_not_said(words: &[&str]) -> bool {
    words.windows(3).enumerate().any(|(at, three)| {
        matches!(three[0], "is" | "are" | "was" | "were")
            && matches!(three[1], "not" | "nowhere")
            && SPOKEN.contains(&three[2])
            && words[at + 3..]
                .iter()
                .take(BETWEEN)
                .scan(false, |placed, word| {
                    *placed |= matches!(*word, "in" | "by" | "among" | "anywhere");
                    Some(*placed && doing(word) == Some(true))
                })
                .any(|found| found)
    })
}

#[cfg(test)]
mod tests {
    use super::says_absent;

    #[test]
    fn what_a_source_does_not_say_needs_no_source() {
        for sentence in [
            "The paragraphs do not say whether the expert is liable.",
            "The retrieved passages don\u{2019}t mention a fee.",
            "It does not say the same of systems that are already in use.",
            "The paragraphs given here do not themselves say who decides.",
            "They do not specify a period for that.",
            "Nor does it say who pays.",
            "Neither do the paragraphs mention a deadline.",
            "No paragraph says how the fee is set.",
            "None of the paragraphs given names a number of days.",
            "Nothing in the paragraphs says what happens then.",
            "The paragraphs are silent on the fee.",
            "Article 19 says nothing about the cost of storage.",
            "How long the draft is kept the paragraphs do not say.",
            "Whether a copy is enough, the sources do not state.",
            "A time limit for this is not stated in the paragraphs given.",
            "The Act does not define what a short delay is.",
            "The primer does not explicitly address interim systems.",
        ] {
            assert!(says_absent(sentence), "{sentence}");
        }
    }

    #[test]
    fn what_a_source_does_not_ask_or_what_follows_is_a_statement() {
        for sentence in [
            "The standard does not require a fee.",
            "The paragraph does not apply to banks.",
            "The Act does not cover systems for defence.",
            "It does not include the cost of storage.",
            "Nobody says what the sources hold.",
            "If the sources do not say so, the auditor shall ask.",
            "Where the policy does not specify a period, ten years apply.",
            "The paragraphs do not say who pays, but the provider must keep the log.",
            "No control is weaker than this one.",
            "The auditor does not say this to the client.",
            "When the log is kept the provider must state the period.",
            "The sources are kept for ten years.",
            "",
        ] {
            assert!(!says_absent(sentence), "{sentence}");
        }
    }
}
