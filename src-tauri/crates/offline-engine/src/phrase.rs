//! Questions as phrases.

use std::collections::BTreeSet;

use super::words::{is_degree, is_stop, stem_set, words};

/// Words that open a question or a new part of one.
const OPENERS: [&str; 13] =
    ["how", "what", "when", "where", "which", "who", "whom", "why", "whether", "does", "do", "should", "can"];

/// Words that stand before such a word: `by when`, `to whom`.
const BEFORE_OPENERS: [&str; 8] = ["by", "to", "for", "from", "in", "at", "on", "under"];

/// Words that stand for something named before.
const PRONOUNS: [&str; 8] = ["it", "its", "they", "them", "their", "this", "these", "that"];

/// The parts of a question. A part that only points back (`how is it set`) takes the subject of the one before along.
pub(crate) fn clauses(question: &str) -> Vec<String> {
    parts(question).into_iter().map(|(_, part)| part).collect()
}

/// The same, each with the words in which it was asked.
pub(crate) fn parts(question: &str) -> Vec<(String, String)> {
    let mut parts: Vec<String> = Vec::new();
    for sentence in question.split(['?', '!', ';', '\n']).flat_map(|piece| piece.split(". ")) {
        let mut rest = sentence.trim().trim_end_matches('.');
        while let Some((before, after)) = split_once_at_joint(rest) {
            parts.push(before.trim().to_owned());
            rest = after;
        }
        parts.push(rest.trim().to_owned());
    }
    let mut out: Vec<(String, String)> = Vec::new();
    for part in parts.into_iter().take(12) {
        let terms = stem_set(&part);
        if terms.is_empty() {
            continue;
        }
        let points_back = words(&part).iter().any(|word| PRONOUNS.contains(&word.as_str()));
        match out.first() {
            Some((_, first)) if terms.len() < 2 || (points_back && terms.len() < 4) => {
                let subject: Vec<&str> = first.split(' ').filter(|word| keeps(word)).take(6).collect();
                let own: Vec<&str> = part.split(' ').filter(|word| keeps(word)).collect();
                let meant = format!("{} {}", own.join(" "), subject.join(" "));
                out.push((part, meant));
            }
            Some(_) | None => out.push((part.clone(), part)),
        }
    }
    out
}

fn keeps(word: &str) -> bool {
    words(word).first().is_some_and(|word| !is_stop(word))
}

/// Splits at ` and ` or a comma where a new part of the question begins.
fn split_once_at_joint(text: &str) -> Option<(&str, &str)> {
    for joint in [", and ", " and ", ", ", " or "] {
        let mut from = 0;
        while let Some(at) = text[from..].find(joint).map(|at| from + at) {
            let (before, after) = (&text[..at], &text[at + joint.len()..]);
            let mut following = words(after).into_iter();
            let (next, second) = (following.next().unwrap_or_default(), following.next().unwrap_or_default());
            let opens = OPENERS.contains(&next.as_str())
                || (BEFORE_OPENERS.contains(&next.as_str()) && OPENERS.contains(&second.as_str()));
            // `set component materiality and direct component auditors`: two phrases of two words or more, and the
            // first one has a verb before its object, so that `debtors and creditors in groups` stays whole.
            let both = joint.contains("and")
                && !is_stop(&next)
                && words(after).len() >= 3
                && stem_set(after).len() >= 2
                && stem_set(before).len() >= 3
                && OPENERS.contains(&words(before).into_iter().next().unwrap_or_default().as_str());
            if !stem_set(before).is_empty() && (opens || both) {
                return Some((before, after));
            }
            from = at + joint.len();
        }
    }
    None
}

/// A question that leans on an earlier one, with that one's subject: `and why?` after `How is materiality set?` is `why
/// materiality set`.
pub(crate) fn about(request: &str, earlier: &str) -> String {
    const JOINING: [&str; 5] = ["and", "but", "or", "so", "then"];
    let mut own = request.trim().trim_end_matches(['?', '!', '.', ' ']);
    while let Some((word, rest)) = own.split_once(' ')
        && JOINING.contains(&word.to_lowercase().trim_end_matches(','))
    {
        own = rest.trim_start();
    }
    let (first, rest) = split_once_at_joint(own).unwrap_or((own, ""));
    let have = stem_set(own);
    let parts = clauses(earlier);
    let subject: Vec<String> = parts
        .iter()
        .map(|part| without(&content_phrase(part), &have))
        .filter(|part| !part.is_empty())
        .collect();
    let asked = format!("{} {}", first.trim(), subject.join(" "));
    if rest.is_empty() { asked } else { format!("{asked}, and {rest}") }
}

/// A phrase without the words that stand elsewhere already.
fn without(phrase: &str, have: &BTreeSet<String>) -> String {
    let new = |word: &&str| stem_set(word).is_disjoint(have);
    phrase.split(' ').filter(new).collect::<Vec<_>>().join(" ")
}

/// A phrase without the words that only make it a question: `What is performance materiality` is `performance
/// materiality`. At most 16 words.
pub(crate) fn content_phrase(text: &str) -> String {
    let all: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    let order: Vec<String> = all.iter().map(|word| word.to_lowercase()).collect();
    let first = (0..all.len()).find(|at| keeps(all[*at]) && !is_degree(&order, *at)).unwrap_or(all.len());
    let last = all.iter().rposition(|word| keeps(word)).map_or(first, |last| last + 1);
    let mut phrase: Vec<&str> = all.get(first..last).unwrap_or_default().to_vec();
    phrase.truncate(16);
    while phrase.last().is_some_and(|word| !keeps(word)) {
        phrase.pop();
    }
    in_words(&phrase.join(" "))
}

/// The subject of a query without who acts and that they act: `group auditor do about the work of component auditors`
/// is `work of component auditors`.
pub(crate) fn topic(text: &str) -> String {
    const JOINTS: [&str; 14] = [
        " do about ",
        " do when there is ",
        " do when there are ",
        " do when ",
        " do if ",
        " do with ",
        " do for ",
        " respond to ",
        " react to ",
        " deal with ",
        " are needed for ",
        " is needed for ",
        " required for ",
        " apply to ",
    ];
    let tail = JOINTS.iter().find_map(|joint| text.split_once(joint)).map_or(text, |(_, after)| after);
    let phrase = content_phrase(tail);
    let kept: Vec<&str> = phrase
        .split(' ')
        .enumerate()
        .filter(|(at, word)| *at == 0 || *word != "be")
        .map(|(_, word)| word)
        .collect();
    kept.join(" ")
}

/// A heading or phrase as it would stand in a sentence: without a capital that only the place gave it.
pub(crate) fn in_words(text: &str) -> String {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    let second_small =
        chars.clone().next().is_none_or(|second| second.is_lowercase() || !second.is_alphabetic());
    let one_letter = chars.clone().next().is_none_or(char::is_whitespace) && first != 'A';
    if second_small && !one_letter { first.to_lowercase().chain(chars).collect() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_compound_question_falls_into_its_parts() {
        assert_eq!(
            clauses("How do group auditors set component materiality and direct component auditors?"),
            ["How do group auditors set component materiality", "direct component auditors"]
        );
        assert_eq!(
            clauses("What is performance materiality and how is it set?"),
            ["What is performance materiality", "set performance materiality"]
        );
        assert_eq!(
            clauses("How are debtors and creditors confirmed?"),
            ["How are debtors and creditors confirmed"]
        );
        assert_eq!(
            clauses("What should be documented and by when must the file be assembled?"),
            ["What should be documented", "by when must the file be assembled"]
        );
        assert_eq!(clauses("???"), Vec::<String>::new());
        assert_eq!(parts("What is performance materiality and how is it set?")[1].0, "how is it set");
    }

    #[test]
    fn a_phrase_loses_the_words_that_only_ask() {
        assert_eq!(content_phrase("What is performance materiality"), "performance materiality");
        assert_eq!(content_phrase("For how long must owners keep lamps"), "owners keep lamps");
        assert_eq!(
            content_phrase("How should an auditor respond to significant doubt about going concern?"),
            "auditor respond to significant doubt about going concern"
        );
        assert_eq!(
            topic("group auditor do about the work of component auditors"),
            "work of component auditors"
        );
        assert_eq!(content_phrase("ISA 570 and liquidity?"), "ISA 570 and liquidity");
    }

    #[test]
    fn a_question_that_leans_on_another_takes_its_subject() {
        let earlier = "How is performance materiality set?";
        for (request, asked) in [
            ("When then?", "When then performance materiality set"),
            ("And why?", "why performance materiality set"),
            (
                "Who sets it, and when is it revised?",
                "Who sets it performance materiality, and when is it revised",
            ),
            ("???", " performance materiality set"),
        ] {
            assert_eq!(about(request, earlier), asked);
        }
        assert_eq!(
            about("why?", "How is performance materiality set? And in a group audit?"),
            "why performance materiality set group audit"
        );
    }
}
