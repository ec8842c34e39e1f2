//! A repair: statements of an attempt replaced, everything else kept to the letter.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_json::{Value, json};

use crate::keys::{Keyed, ResolvedAnswer, resolve_keys};
use crate::sentences::{says_absent, sentence_places};
use crate::{blocks, json as read, text, verification};

/// The heading of what a second search brought.
const FILLED: &str = "## Found in a second search\n\n";

/// Puts replacements into an attempt.
///
/// `named` are the statements that did not hold, `[{ n, statement, claim }]`; `answer` is `{ replacements: [{ n, text }] }`,
/// where an empty text takes the statement out. Replacements cite by the keys of `paragraphs`. What is replaced that was
/// not named, or can't be found in the text, stays as it was.
///
/// `answer.filled`, `[{ n, text }]`, answers the attempt's gaps by their place in the list, from 1: what cites a sentence
/// closes the text under a heading of its own, and is no gap any more.
pub fn mend(attempt: &Value, named: &Value, answer: &Value, paragraphs: &[Keyed]) -> ResolvedAnswer {
    let mut mended = attempt.clone();
    let (mut unknown, mut notes) = (Vec::new(), Vec::new());
    let Some(synthesis) = attempt.get("synthesis").and_then(Value::as_str).map(text::clean) else {
        return ResolvedAnswer { answer: mended, unknown, notes };
    };
    let named: BTreeMap<u64, &Value> = verification::list(Some(named))
        .iter()
        .filter_map(|one| Some((one.get("n")?.as_u64()?, one)))
        .collect();
    let gaps = verification::list(attempt.get("gaps"));
    let mut places = sentence_places(&synthesis, &blocks::leaves(&synthesis));
    let mut citations: Vec<Value> = verification::list(attempt.get("citations")).to_vec();
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for one in verification::list(answer.get("replacements")) {
        let statement = one.get("n").and_then(Value::as_u64).and_then(|n| named.get(&n));
        let Some(statement) = statement else { continue };
        let words = read::text_of(statement, &["statement"]).unwrap_or_default();
        let Some(at) = places.iter().position(|place| place.text == words) else {
            notes.push(format!("a statement could not be replaced: {}", text::cut_at_word(&words, 80)));
            continue;
        };
        let place = places.remove(at);
        let new = text::one_line(&read::text_of(one, &["text"]).unwrap_or_default());
        let found = resolve_keys(&json!({ "synthesis": new }), paragraphs);
        unknown.extend(found.unknown);
        let claim = read::text_of(statement, &["claim"]).unwrap_or_default();
        match citations.iter().any(|one| is_for(one, &claim)) {
            true => citations.retain(|one| !is_for(one, &claim)),
            // What a model listed itself stands for the statement by the quote that was compared.
            false => {
                let quotes = read::texts(statement.get("quotes"));
                citations
                    .retain(|one| !read::text_of(one, &["quote"]).is_some_and(|own| quotes.contains(&own)));
            }
        }
        citations.extend(verification::list(found.answer.get("citations")).iter().cloned());
        let new = found.answer.get("synthesis").and_then(Value::as_str).unwrap_or_default().to_owned();
        edits.push((place.range, new));
    }
    let fills = fills(answer, gaps, paragraphs, &mut unknown);
    // What the sources were said not to hold, and a second search found, is not said any more.
    let answered: Vec<BTreeSet<String>> = fills.iter().map(|(n, _)| content(&gap_of(gaps, *n))).collect();
    for place in places.iter().filter(|place| says_absent(&place.text)) {
        let said = content(&place.text);
        if answered.iter().any(|gap| gap.intersection(&said).count() * 2 >= gap.len().max(1)) {
            edits.push((place.range.clone(), String::new()));
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(synthesis.len());
    let mut at = 0;
    for (range, new) in edits {
        if range.start < at {
            continue;
        }
        out.push_str(&synthesis[at..range.start]);
        out.push_str(&new);
        at = range.end;
        if new.is_empty() {
            at = closed(&synthesis, at, &mut out);
        }
    }
    out.push_str(&synthesis[at..]);
    for (at, (n, found)) in fills.iter().enumerate() {
        let heading = if at == 0 { FILLED } else { "" };
        let new = found.get("synthesis").and_then(Value::as_str).unwrap_or_default();
        out.truncate(out.trim_end().len());
        out.push_str(&format!("\n\n{heading}### {}\n\n{new}\n", text::line(&gap_of(gaps, *n))));
        citations.extend(verification::list(found.get("citations")).iter().cloned());
    }
    let filled: BTreeSet<usize> = fills.iter().map(|(n, _)| *n).collect();
    // A quote that was listed for a statement which is gone supports nothing.
    let written = text::one_line(&out);
    let stands = |one: &Value| {
        let quote = text::one_line(&read::text_of(one, &["quote"]).unwrap_or_default());
        let source_ref = read::text_of(one, &["source_ref"]).unwrap_or_default();
        one.get("key").is_some()
            || written.contains(&quote)
            || written.contains(source_ref.trim_matches(['(', ')']))
    };
    if !verification::list(answer.get("replacements")).is_empty() {
        citations.retain(stands);
    }
    if let Some(fields) = mended.as_object_mut() {
        fields.insert("synthesis".to_owned(), json!(out));
        fields.insert("citations".to_owned(), Value::Array(citations));
        // What the repair found missing is a gap of the answer.
        if fields.contains_key("gaps") || answer.get("gaps").is_some() {
            let open = gaps.iter().zip(1..).filter(|(_, n)| !filled.contains(n)).map(|(gap, _)| gap);
            let missing = verification::list(answer.get("gaps")).iter().filter(|gap| !gaps.contains(gap));
            fields.insert("gaps".to_owned(), open.chain(missing).cloned().collect());
        }
    }
    ResolvedAnswer { answer: mended, unknown, notes }
}

/// The answers to gaps that cite something, each with its gap's number.
fn fills(
    answer: &Value,
    gaps: &[Value],
    paragraphs: &[Keyed],
    unknown: &mut Vec<String>,
) -> Vec<(usize, Value)> {
    let mut fills: Vec<(usize, Value)> = Vec::new();
    for one in verification::list(answer.get("filled")) {
        let n = one.get("n").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let is_new = |n: &usize| (1..=gaps.len()).contains(n) && !fills.iter().any(|(known, _)| known == n);
        let Some(n) = n.filter(is_new) else { continue };
        let words = text::one_line(&read::text_of(one, &["text"]).unwrap_or_default());
        let found = resolve_keys(&json!({ "synthesis": words }), paragraphs);
        unknown.extend(found.unknown);
        if !verification::list(found.answer.get("citations")).is_empty() {
            fills.push((n, found.answer));
        }
    }
    fills
}

/// The words of a gap by its number, from 1, without a mark at their end.
fn gap_of(gaps: &[Value], n: usize) -> String {
    let words =
        n.checked_sub(1).and_then(|at| gaps.get(at)?.as_str()).map(text::one_line).unwrap_or_default();
    words.trim_end_matches(['.', ':']).to_owned()
}

/// The words of a text that say what it is about.
fn content(words: &str) -> BTreeSet<String> {
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
    words.map(str::to_lowercase).collect()
}

/// Whether a listed citation stands for a statement.
fn is_for(citation: &Value, claim: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let own = read::text_of(citation, &["claim"]).unwrap_or_default();
    !own.is_empty() && words(&own) == words(claim)
}

/// Closes the place of a statement that was taken out: a blank beside it, or the line where nothing else stands in it.
fn closed(synthesis: &str, at: usize, out: &mut String) -> usize {
    let line = out.rfind('\n').map_or(0, |at| at + 1);
    let before = &out[line..];
    let marker = before.trim().trim_end_matches(['.', ')']);
    let only_marker =
        marker.is_empty() || matches!(marker, "-" | "*" | "+") || marker.bytes().all(|b| b.is_ascii_digit());
    let rest = &synthesis[at..];
    let line_end = rest.find('\n').unwrap_or(rest.len());
    if only_marker && rest[..line_end].trim().is_empty() {
        out.truncate(line);
        return at + (line_end + 1).min(rest.len());
    }
    at + (rest.len() - rest.trim_start_matches(' ').len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn paragraphs() -> Vec<Keyed> {
        vec![Keyed {
            id: "p".into(),
            source_ref: "P 1".into(),
            sentences: vec!["It is kept for five years.".into()],
        }]
    }

    fn statement(n: u64, words: &str, claim: &str) -> Value {
        json!({ "n": n, "statement": words, "claim": claim })
    }

    #[test]
    fn only_what_was_named_is_replaced() {
        let attempt = json!({
            "synthesis": "## In short\n\n**First** it is *kept* for ten years (P 1). Then it is burned (P 1).\n\n- One more thing (P 1).\n- The last thing here (P 1).\n",
            "citations": [
                { "source_ref": "P 1", "claim": "First it is kept for ten years.", "quote": "x" },
                { "source_ref": "P 1", "claim": "Then it is burned.", "quote": "y" },
            ],
            "gaps": [],
        });
        let named = json!([
            statement(1, "First it is kept for ten years (P 1).", "First it is kept for ten years."),
            statement(3, "One more thing (P 1).", "One more thing."),
        ]);
        let answer = json!({ "replacements": [
            { "n": 1, "text": "It is kept for five years [1.1]." },
            { "n": 2, "text": "Nobody asked." },
            { "n": 3, "text": "" },
        ], "gaps": ["Who burns it"] });
        let found = mend(&attempt, &named, &answer, &paragraphs());
        assert_eq!(
            found.answer["synthesis"],
            "## In short\n\nIt is kept for five years (P 1). Then it is burned (P 1).\n\n- The last thing here (P 1).\n"
        );
        let quotes: Vec<&str> = found.answer["citations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["quote"].as_str().unwrap())
            .collect();
        assert_eq!(quotes, ["y", "It is kept for five years."]);
        assert_eq!(found.answer["gaps"], json!(["Who burns it"]));
        assert_eq!((found.unknown, found.notes), (vec![], vec![]));
    }

    #[test]
    fn a_gap_that_is_answered_is_none_any_more() {
        let attempt = json!({
            "synthesis": "It is so (P 1). The paragraphs do not say how long it is kept. The paragraphs do not say who burns it.\n",
            "citations": [], "gaps": ["How long it is kept", "Who burns it", "When"],
        });
        let answer = json!({ "replacements": [], "gaps": ["When"], "filled": [
            { "n": 1, "text": "It is kept for five years [1.1]." },
            { "n": 1, "text": "Twice [1.1]." },
            { "n": 2, "text": "Nobody knows." },
            { "n": 3, "text": "Now [7.7]." },
            { "n": 4, "text": "There is no such gap [1.1]." },
        ]});
        let found = mend(&attempt, &Value::Null, &answer, &paragraphs());
        assert_eq!(
            found.answer["synthesis"],
            "It is so (P 1). The paragraphs do not say who burns it.\n\n## Found in a second search\n\n### How long it is kept\n\nIt is kept for five years (P 1).\n"
        );
        assert_eq!(found.answer["gaps"], json!(["Who burns it", "When"]));
        assert_eq!(found.answer["citations"][0]["quote"], "It is kept for five years.");
        assert_eq!(found.unknown, ["7.7"]);
    }

    #[test]
    fn what_can_not_be_found_or_used_changes_nothing() {
        let attempt = json!({ "synthesis": "It is so (P 1).", "citations": [] });
        let named = json!([statement(1, "It was so.", "It was so.")]);
        let found = mend(&attempt, &named, &json!({ "replacements": [{ "n": 1, "text": "x" }] }), &[]);
        assert_eq!((&found.answer, found.notes.len()), (&attempt, 1));
        assert_eq!(mend(&attempt, &Value::Null, &json!("?"), &[]).answer, attempt);
        assert_eq!(mend(&Value::Null, &named, &json!({}), &[]).answer, Value::Null);
    }
}
