//! Quotations that stand in an answer without a key: the program finds the given paragraph that has the words, and cites it.

use std::ops::Range;

use serde_json::{Value, json};
use text_analysis::worth_in_words;

use crate::keys::Keyed;
use crate::sentences::sentence_places;
use crate::{blocks, text};

/// Fewest words of a quotation that names its source; fewer may stand anywhere.
const LEAST_WORDS: usize = 4;

/// The text with a reference behind each sentence that quotes a given paragraph and cites nothing, and entries for the list
/// of citations. `cited` are the places of references that stand there already.
pub(crate) fn cite_quotations(
    synthesis: &str,
    cited: &[Range<usize>],
    listed: &[Value],
    paragraphs: &[Keyed],
) -> (String, Vec<Value>) {
    let mut out = synthesis.to_owned();
    let mut entries = Vec::new();
    if !synthesis.contains(marks) {
        return (out, entries);
    }
    let own: Vec<String> = listed.iter().filter_map(|one| crate::json::text_of(one, &["quote"])).collect();
    let places = sentence_places(synthesis, &blocks::leaves(synthesis));
    for place in places.iter().rev() {
        let range = &place.range;
        let has_reference = cited.iter().any(|one| one.start < range.end && range.start < one.end)
            || paragraphs.iter().any(|one| place.text.contains(&format!("({}", one.source_ref)));
        let is_listed = own.iter().any(|quote| !quote.is_empty() && place.text.contains(quote.as_str()));
        if has_reference || is_listed {
            continue;
        }
        let found: Vec<(String, &Keyed, String)> =
            quotations(&place.text).into_iter().filter_map(|words| holding(words, paragraphs)).collect();
        if found.is_empty() {
            continue;
        }
        let mut refs: Vec<&str> = Vec::new();
        for (words, paragraph, key) in &found {
            if !refs.contains(&paragraph.source_ref.as_str()) {
                refs.push(&paragraph.source_ref);
            }
            entries.push(json!({
                "source_ref": paragraph.source_ref,
                "paragraph_id": paragraph.id,
                "claim": place.text,
                "quote": words,
                "key": key,
            }));
        }
        let refs: Vec<String> = refs.into_iter().map(text::inline).collect();
        let sentence = &synthesis[range.clone()];
        let end = range.start + sentence.trim_end_matches(['.', '!', '?']).len();
        out.insert_str(end, &format!(" ({})", refs.join("; ")));
    }
    entries.reverse();
    (out, entries)
}

fn marks(c: char) -> bool {
    matches!(c, '"' | '\u{201C}' | '\u{201D}')
}

/// What stands between quotation marks.
fn quotations(sentence: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = sentence;
    while let Some(open) = rest.find(['"', '\u{201C}']) {
        let close = if rest[open..].starts_with('"') { '"' } else { '\u{201D}' };
        let from = open + rest[open..].chars().next().map_or(1, char::len_utf8);
        let Some(length) = rest[from..].find(close) else { break };
        let words = rest[from..from + length].trim();
        if worth_in_words(words) >= LEAST_WORDS {
            found.push(words);
        }
        rest = &rest[from + length + close.len_utf8()..];
    }
    found
}

/// The first given paragraph with a sentence that has these words, and the sentence's key.
fn holding<'p>(words: &str, paragraphs: &'p [Keyed]) -> Option<(String, &'p Keyed, String)> {
    let wanted = plain(words.trim_end_matches(['.', ',', ';', ':']));
    paragraphs.iter().zip(1..).find_map(|(paragraph, number)| {
        let at = paragraph.sentences.iter().position(|sentence| plain(sentence).contains(&wanted))?;
        Some((words.to_owned(), paragraph, format!("{number}.{}", at + 1)))
    })
}

/// Words as they are compared to find their place: blanks, quotation marks and case decide nothing. What they are worth there is
/// for the check of quotes to say.
fn plain(words: &str) -> String {
    let words = text::one_line(words).replace(['\u{2018}', '\u{2019}'], "'").replace(marks, "\"");
    words.to_lowercase()
}

#[cfg(test)]
mod tests {
    use crate::keys::{Keyed, resolve_keys};
    use pretty_assertions::assert_eq;
    use serde_json::{Value, json};

    fn resolved(synthesis: &str, citations: Value) -> Value {
        let paragraphs = [
            Keyed { id: "a".into(), source_ref: "Art. 5".into(), sentences: vec!["It is so.".into()] },
            Keyed {
                id: "b".into(),
                source_ref: "Art. 19(1)".into(),
                sentences: vec!["First.".into(), "The log is kept for six months at least.".into()],
            },
        ];
        resolve_keys(
            &json!({ "synthesis": synthesis, "citations": citations }),
            &paragraphs,
            domain::KeyForm::Marked,
        )
        .answer
    }

    #[test]
    fn a_quotation_without_a_key_is_cited_by_its_words() {
        for (written, shown) in [
            (
                "The Act says \u{201c}the log is kept for six months\u{201d} of it. Nothing else.",
                "The Act says \u{201c}the log is kept for six months\u{201d} of it (Art. 19(1)). Nothing else.",
            ),
            (
                "It reads: \"The log is kept for six months at least.\"",
                "It reads: \"The log is kept for six months at least.\" (Art. 19(1))",
            ),
        ] {
            let answer = resolved(written, json!([]));
            assert_eq!(answer["synthesis"], shown);
            assert_eq!(answer["citations"][0]["source_ref"], "Art. 19(1)");
            assert_eq!(
                (&answer["citations"][0]["paragraph_id"], &answer["citations"][0]["key"]),
                (&json!("b"), &json!("2.2"))
            );
            let listed = [crate::ListedCitation {
                source_ref: "Art. 19(1)".into(),
                claim: answer["citations"][0]["claim"].as_str().unwrap().into(),
                quote: answer["citations"][0]["quote"].as_str().unwrap().into(),
                paragraph_id: Some("b".into()),
            }];
            let sentences = crate::cited_sentences(shown, &listed, &[]);
            assert_eq!(sentences[0].citations[0].paragraph_id.as_deref(), Some("b"), "{sentences:?}");
        }
    }

    #[test]
    fn what_is_cited_short_or_altered_is_left_as_it_is() {
        for written in [
            "It is \u{201c}kept for six years at least\u{201d}.",
            "It is \u{201c}so\u{201d}, they say.",
            "The log is kept for six months at least.",
        ] {
            let answer = resolved(written, json!([]));
            assert_eq!((&answer["synthesis"], &answer["citations"]), (&json!(written), &json!([])));
        }
        let cited = resolved("It is \u{201c}kept for six months at least\u{201d} [@1.1].", json!([]));
        assert_eq!(cited["synthesis"], "It is \u{201c}kept for six months at least\u{201d} (Art. 5).");
        let own = json!([{ "source_ref": "X", "quote": "kept for six months at least" }]);
        let listed = resolved("It is \u{201c}kept for six months at least\u{201d}.", own.clone());
        assert_eq!(listed["citations"], own);
    }
}
