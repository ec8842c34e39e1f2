//! Quotes that a model copied almost right: the paragraph's own words are put in their place.

use serde_json::{Value, json};

use crate::json as read;
use crate::keys::Keyed;
use crate::refs::key;
use crate::text;

/// The shortest quote that is mended, in words: a shorter one is like too much.
const MIN_QUOTE_WORDS: usize = 6;
/// The longest quote and paragraph that are compared, in words.
const MAX_QUOTE_WORDS: usize = 400;
const MAX_PARAGRAPH_WORDS: usize = 4_000;
/// The share of words that a quote and the paragraph's words must have in common, in the same order.
const ALIKE: f64 = 0.85;

/// Puts the paragraph's own words in the place of listed quotes that are nearly them, in the list and where they stand
/// in the text. Returns how many. What the words then support is for the check to say: they are the source's, whatever
/// the model had made of them.
pub(crate) fn mend_quotes(answer: &mut Value, paragraphs: &[Keyed]) -> usize {
    let listed: Vec<Value> = answer.get("citations").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut synthesis = answer.get("synthesis").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut mended = 0;
    let citations: Vec<Value> = listed
        .into_iter()
        .map(|mut citation| {
            let quote = read::text_of(&citation, &["quote"]).unwrap_or_default();
            let own =
                citation.get("key").is_none().then(|| own_words(&citation, &quote, paragraphs)).flatten();
            if let (Some(own), Some(fields)) = (own, citation.as_object_mut()) {
                synthesis = synthesis.replace(&quote, &own);
                let claim = read::text_of(&Value::Object(fields.clone()), &["claim"]).unwrap_or_default();
                fields.insert("claim".to_owned(), json!(claim.replace(&quote, &own)));
                fields.insert("quote".to_owned(), json!(own));
                mended += 1;
            }
            citation
        })
        .collect();
    if mended > 0
        && let Some(fields) = answer.as_object_mut()
    {
        fields.insert("citations".to_owned(), Value::Array(citations));
        fields.insert("synthesis".to_owned(), json!(synthesis));
    }
    mended
}

/// The words of the cited paragraph that a quote is nearly; `None` where it stands there as it is, or nothing is near.
fn own_words(citation: &Value, quote: &str, paragraphs: &[Keyed]) -> Option<String> {
    let reference = key(&text::one_line(&read::text_of(citation, &["source_ref", "sourceRef", "ref"])?));
    let paragraph = paragraphs.iter().find(|one| key(&text::one_line(&one.source_ref)) == reference)?;
    let whole = paragraph.sentences.join(" ");
    let (asked, there) = (words(quote), words(&whole));
    if asked.len() < MIN_QUOTE_WORDS || asked.len() > MAX_QUOTE_WORDS || there.len() > MAX_PARAGRAPH_WORDS {
        return None;
    }
    // An ellipsis leaves words out on purpose; signs and blanks are compared leniently by the check.
    if quote.contains("...") || quote.contains('\u{2026}') || flat(&whole).contains(&flat(quote)) {
        return None;
    }
    let (first, last, common) = nearest(&asked, &there)?;
    let share = 2.0 * common as f64 / (asked.len() + last + 1 - first) as f64;
    // Signs around the words stay where both have them.
    let (mut from, mut to) = (there[first].at, there[last].end);
    for sign in quote[..asked[0].at].chars().rev() {
        if !whole[..from].ends_with(sign) {
            break;
        }
        from -= sign.len_utf8();
    }
    for sign in quote[asked[asked.len() - 1].end..].chars() {
        if !whole[to..].starts_with(sign) {
            break;
        }
        to += sign.len_utf8();
    }
    (share >= ALIKE).then(|| whole[from..to].trim().to_owned())
}

/// A text with single blanks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A word and where it stands.
struct Word {
    text: String,
    at: usize,
    end: usize,
}

fn words(text: &str) -> Vec<Word> {
    let mut found: Vec<Word> = Vec::new();
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match found.last_mut().filter(|word| word.end == at) {
            Some(word) if c.is_alphanumeric() => {
                word.text.extend(c.to_lowercase());
                word.end = end;
            }
            _ if c.is_alphanumeric() => found.push(Word { text: c.to_lowercase().collect(), at, end }),
            _ => {}
        }
    }
    found
}

/// The words of a text, first and last, that have the most of some in common in the same order, and how many: the
/// longest common subsequence, of those the shortest stretch.
fn nearest(asked: &[Word], there: &[Word]) -> Option<(usize, usize, usize)> {
    // Of the asked words so far: the length of the longest, and where in the text it began (later is shorter).
    let mut row: Vec<(usize, usize)> = vec![(0, 0); there.len() + 1];
    for word in asked {
        let mut before = row[0];
        for at in 0..there.len() {
            let above = row[at + 1];
            let taken = match before {
                (0, _) => (1, at),
                (length, began) => (length + 1, began),
            };
            let mut best = above.max(row[at]);
            if there[at].text == word.text {
                best = best.max(taken);
            }
            row[at + 1] = best;
            before = above;
        }
    }
    let best = row.iter().copied().max()?;
    let last = row.iter().position(|one| *one == best)?.checked_sub(1)?;
    (best.0 > 0).then_some((best.1, last, best.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const TEXT: [&str; 2] = [
        "Records are kept for five years after the audit ends.",
        "The keeper shall not destroy them before that day, unless a court allows it.",
    ];

    fn mended(quote: &str) -> (String, String, usize) {
        let paragraph = Keyed {
            id: "p".into(),
            source_ref: "P 1(a)".into(),
            sentences: TEXT.map(str::to_owned).to_vec(),
        };
        let mut answer = json!({
            "synthesis": format!("It says \u{201c}{quote}\u{201d} (P 1(a))."),
            "citations": [{ "source_ref": "(P 1(a))", "claim": "", "quote": quote }],
        });
        let count = mend_quotes(&mut answer, &[paragraph]);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        (text(&answer["citations"][0]["quote"]), text(&answer["synthesis"]), count)
    }

    #[test]
    fn a_quote_that_is_nearly_right_gets_the_paragraph_s_own_words() {
        for (quote, own) in [
            (
                "Records are kept for five years after an audit ends",
                "Records are kept for five years after the audit ends",
            ),
            (
                "keeper shall destroy them before that day, unless a court allows it",
                "keeper shall not destroy them before that day, unless a court allows it",
            ),
            (
                "Records are kept for 5 years after the audit ends",
                "Records are kept for five years after the audit ends",
            ),
            (
                "years after the audit ends. The keeper should not destroy them",
                "years after the audit ends. The keeper shall not destroy them",
            ),
        ] {
            let (mended, synthesis, count) = mended(quote);
            assert_eq!((mended.as_str(), count), (own, 1));
            assert_eq!(synthesis, format!("It says \u{201c}{own}\u{201d} (P 1(a))."));
        }
    }

    #[test]
    fn what_stands_there_or_is_not_near_or_short_or_cut_stays() {
        for quote in [
            "Records are kept for five years after the audit ends",
            "Records  are kept for five years after the audit ends",
            "Papers must be burned at once by whoever finds them in a drawer",
            "five years after a audit",
            "Records are kept \u{2026} years after an audit ends",
            "",
        ] {
            assert_eq!(
                mended(quote),
                (quote.to_owned(), format!("It says \u{201c}{quote}\u{201d} (P 1(a))."), 0)
            );
        }
    }
}
