//! Is a sentence the paragraph's own, whole? A part of a sentence may lack its condition, and an item of a list the words
//! that introduce it; both can turn the meaning round while every word is there.

use knowledge::Paragraph;

use text_analysis::is_full_stop;

use super::quote::{MIN_QUOTE_WORDS, Match, QUOTE_BYTES, Quote, count_words};
use super::sentences::sentences;

/// Words that may introduce a quotation without adding anything to it.
const FRAME: [&str; 31] = [
    "the",
    "a",
    "this",
    "that",
    "it",
    "its",
    "in",
    "of",
    "to",
    "as",
    "under",
    "according",
    "paragraph",
    "section",
    "article",
    "standard",
    "control",
    "text",
    "rule",
    "recital",
    "annex",
    "primer",
    "says",
    "states",
    "reads",
    "puts",
    "words",
    "wording",
    "quote",
    "also",
    "follows",
];

/// Whether a claim is made of whole sentences of the paragraph: its own words, or words in quotation marks with nothing
/// around them but where they stand.
pub(crate) fn stands_whole(paragraph: &Paragraph, claim: &str, refs: &[String]) -> bool {
    let text = paragraph.text.as_str();
    if claim.len() > QUOTE_BYTES || paragraph.part_of.is_some() {
        return false;
    }
    if is_whole(text, claim) {
        return true;
    }
    // A pointer to another place says nothing of the matter; an answer may leave it out.
    let bare = without_pointers(text);
    if bare.len() < text.len() && is_whole(&bare, &without_pointers(claim)) {
        return true;
    }
    let (quotations, frame) = quotations(claim);
    let introduces = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        bare.is_empty()
            || FRAME.contains(&bare.as_str())
            || (bare.contains(|c: char| c.is_ascii_digit()) && refs.iter().any(|one| one.contains(&bare)))
    };
    !quotations.is_empty()
        && frame.split_whitespace().all(introduces)
        && quotations.iter().all(|quotation| is_whole(text, quotation))
}

/// The text without `(see 6.11)` and `[see Annex A]`.
fn without_pointers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) =
        ["(see ", "(See ", "[see ", "[See "].iter().filter_map(|mark| rest.find(mark)).min()
    {
        let close = if rest[open..].starts_with('(') { ')' } else { ']' };
        let Some(length) = rest[open..].find(close).filter(|length| *length <= 80) else { break };
        out.push_str(rest[..open].trim_end_matches(' '));
        rest = &rest[open + length + 1..];
    }
    out.push_str(rest);
    out
}

fn is_whole(text: &str, words: &str) -> bool {
    let quote = Quote::new(words);
    if quote.words() < MIN_QUOTE_WORDS || !quote.is_one_stretch() {
        return false;
    }
    let Match::Whole { from, to, note: None } = quote.find_in(text) else {
        return false;
    };
    let parts =
        || sentences(text).into_iter().map(|one| (one.as_ptr() as usize - text.as_ptr() as usize, one));
    let starts =
        parts().any(|(at, one)| (from == at || from == at + enumerator(one)) && begins(text, at, from));
    starts
        && parts().any(|(at, one)| {
            let last = at + one.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
            (last..=at + one.len()).contains(&to) && !one.ends_with([':', ';', ','])
        })
}

/// Whether what starts at `from`, in the sentence at `at`, starts a thought: nothing that introduces it stands before.
fn begins(text: &str, at: usize, from: usize) -> bool {
    let before = text[..at].trim_end().trim_end_matches(['"', '\'', '”', '’', ')']);
    let capital = text[from..]
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .starts_with(|c: char| !c.is_lowercase());
    capital && (before.is_empty() || before.ends_with(['.', '!', '?']) || before.ends_with(is_full_stop))
}

/// Bytes of a number or letter that a sentence starts with: `(a) `, `2. `.
fn enumerator(sentence: &str) -> usize {
    let Some((head, rest)) = sentence.split_once(char::is_whitespace) else { return 0 };
    let bare = head.trim_start_matches('(').trim_end_matches([')', '.']);
    let marked = head.len() > bare.len() && bare.len() <= 4 && bare.chars().all(char::is_alphanumeric);
    if marked { sentence.len() - rest.trim_start().len() } else { 0 }
}

/// The quotations of at least three words in a claim, and what is left of it.
fn quotations(claim: &str) -> (Vec<&str>, String) {
    let (mut found, mut frame) = (Vec::new(), String::new());
    let mut rest = claim;
    while let Some(open) = rest.find(['“', '"']) {
        let mark = if rest[open..].starts_with('“') { '”' } else { '"' };
        let from = open + rest[open..].chars().next().map_or(1, char::len_utf8);
        let Some(length) = rest[from..].find(mark) else { break };
        let words = &rest[from..from + length];
        frame.push_str(&rest[..open]);
        if count_words(words) >= MIN_QUOTE_WORDS {
            found.push(words)
        } else {
            frame.push_str(words)
        }
        frame.push(' ');
        rest = &rest[from + length + mark.len_utf8()..];
    }
    frame.push_str(rest);
    (found, frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Unless the law forbids it, the auditor shall tell the owners. The file is kept for 10 years. The team must not:\n(a) accept gifts from the client\n(b) Lend money to the client.";

    fn whole(claim: &str) -> bool {
        let paragraph = Paragraph { id: "1".into(), text: TEXT.into(), ..Paragraph::default() };
        stands_whole(&paragraph, claim, &["ISA 260.14".to_owned()])
    }

    #[test]
    fn only_whole_sentences_are_proof() {
        assert!(whole("Unless the law forbids it, the auditor shall tell the owners."));
        assert!(whole("The file is kept for 10 years"));
        assert!(whole(
            "Unless the law forbids it, the auditor shall tell the owners. The file is kept for 10 years."
        ));
        assert!(!whole("The auditor shall tell the owners."), "the condition is cut off");
        assert!(!whole("Unless the law forbids it, the auditor shall tell"));
        assert!(!whole("Accept gifts from the client."), "an item without what introduces it");
        assert!(!whole("Lend money to the client."), "the last item, too");
        assert!(!whole("The file is kept for 12 years."));
    }

    #[test]
    fn whole_sentences_of_scripts_without_capitals_are_proof() {
        let text = "逾期付款的利率为每年百分之五。承租人不得转让租赁物。";
        let paragraph = Paragraph { id: "1".into(), text: text.into(), ..Paragraph::default() };
        let whole = |claim: &str| stands_whole(&paragraph, claim, &["A.1".to_owned()]);
        assert!(whole("“逾期付款的利率为每年百分之五。”"));
        assert!(whole("承租人不得转让租赁物"));
        assert!(!whole("“承租人不得转让”"));
        assert!(!whole("利率为每年百分之五。"));
    }

    #[test]
    fn quotation_marks_prove_only_what_they_hold() {
        assert!(whole("According to paragraph 260.14, “the file is kept for 10 years”."));
        assert!(!whole("Nobody believes that “the file is kept for 10 years”."));
        assert!(!whole("The text says “shall tell the owners”."));
    }
}
