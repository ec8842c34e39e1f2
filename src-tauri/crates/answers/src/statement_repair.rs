//! A repair: statements of an attempt replaced, everything else kept to the letter.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use domain::KeyForm;
use serde_json::{Value, json};

use crate::absence::says_absent;
use crate::keys::{Keyed, ResolvedAnswer, resolve_keys};
use crate::sentences::sentence_places;
use crate::{blocks, body, json as read, text, verification};

/// The heading of what a second search brought, and that of the summary, in lower case.
const FILLED: &str = "## Found in a second search";
const SUMMARY: &str = "in short";

/// Puts replacements into an attempt.
///
/// `named` are the statements that did not hold, `[{ n, statement, claim }]`; `answer` is `{ replacements: [{ n, text }] }`,
/// where an empty text takes the statement out. Replacements cite by the keys of `paragraphs`. What is replaced that was
/// not named, or can't be found in the text, stays as it was.
///
/// `answer.filled`, `[{ n, text, short, open }]`, answers the attempt's gaps by their place in the list, from 1: what cites a
/// sentence closes the text under a heading of its own, one sentence of it joins the summary, and what is left `open` of the
/// gap stands in its place. An answer that a later repair takes out leaves its gap behind.
pub fn replace_statements(
    attempt: &Value,
    named: &Value,
    answer: &Value,
    paragraphs: &[Keyed],
    form: KeyForm,
) -> ResolvedAnswer {
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
        let found = resolve_keys(&json!({ "synthesis": new }), paragraphs, form);
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
    let fills = fills(answer, gaps, (paragraphs, form), &mut unknown);
    // What the sources were said not to hold, and a second search found, is not said any more.
    let of = |gap: &BTreeSet<String>, said: &BTreeSet<String>| {
        gap.intersection(said).count() * 2 >= gap.len().max(1)
    };
    for place in places.iter().filter(|place| says_absent(&place.text)) {
        let said = content(&place.text);
        let answered = |fill: &Fill| {
            let open = content(&fill.open);
            of(&content(&gap_of(gaps, fill.n)), &said) && (open.is_empty() || !of(&open, &said))
        };
        if fills.iter().any(answered) {
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
    let (mut out, unanswered) = without_emptied(&out);
    let short: Vec<&str> =
        fills.iter().map(|fill| synthesis_text(&fill.short)).filter(|short| !short.is_empty()).collect();
    if !short.is_empty() {
        out = in_summary(&out, &short.join(" "));
    }
    for fill in &fills {
        out.truncate(out.trim_end().len());
        if !out.lines().any(|line| line == FILLED) {
            out.push_str(&format!("\n\n{FILLED}"));
        }
        let heading = text::line(&gap_of(gaps, fill.n));
        out.push_str(&format!("\n\n### {heading}\n\n{}\n", synthesis_text(&fill.text)));
        for cited in
            [&fill.short, &fill.text].into_iter().flat_map(|one| verification::list(one.get("citations")))
        {
            if !citations.contains(cited) {
                citations.push(cited.clone());
            }
        }
    }
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
            let fill = |n: usize| fills.iter().find(|fill| fill.n == n);
            let open = gaps.iter().zip(1..).filter_map(|(gap, n)| match fill(n) {
                None => Some(gap.clone()),
                Some(fill) => (!fill.open.is_empty()).then(|| json!(fill.open)),
            });
            let mut all: Vec<Value> = open.collect();
            let missing =
                verification::list(answer.get("gaps")).iter().filter(|gap| !gaps.contains(gap)).cloned();
            for gap in missing.chain(unanswered.into_iter().map(Value::String)) {
                if !all.contains(&gap) {
                    all.push(gap);
                }
            }
            fields.insert("gaps".to_owned(), Value::Array(all));
        }
    }
    ResolvedAnswer { answer: mended, unknown, notes }
}

/// The answer to a gap.
struct Fill {
    /// The gap's number.
    n: usize,
    /// What answers it, and the sentence of it for the summary, as resolved answers.
    text: Value,
    short: Value,
    /// What of the gap stays open; empty where nothing does.
    open: String,
}

/// The words of a resolved answer.
fn synthesis_text(resolved: &Value) -> &str {
    resolved.get("synthesis").and_then(Value::as_str).unwrap_or_default()
}

/// The answers to gaps that cite something.
fn fills(
    answer: &Value,
    gaps: &[Value],
    (paragraphs, form): (&[Keyed], KeyForm),
    unknown: &mut Vec<String>,
) -> Vec<Fill> {
    let mut fills: Vec<Fill> = Vec::new();
    for one in verification::list(answer.get("filled")) {
        let n = one.get("n").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let is_new = |n: &usize| (1..=gaps.len()).contains(n) && !fills.iter().any(|known| known.n == *n);
        let Some(n) = n.filter(is_new) else { continue };
        let of = |name: &str| text::one_line(&read::text_of(one, &[name]).unwrap_or_default());
        let cited = |words: &str| {
            let found = resolve_keys(&json!({ "synthesis": words }), paragraphs, form);
            let named = |one: &Value| one.get("paragraph_id").is_some();
            let cites = verification::list(found.answer.get("citations")).iter().any(named);
            (found.unknown, cites.then_some(found.answer))
        };
        let words = of("text");
        let (mut unresolved, found) = cited(&words);
        let (of_short, given) = cited(&of("short"));
        unresolved.extend(of_short);
        for key in unresolved {
            if !unknown.contains(&key) {
                unknown.push(key);
            }
        }
        let Some(text) = found else { continue };
        let sentences = sentence_places(&words, &blocks::leaves(&words));
        let first = || sentences.iter().find_map(|place| cited(&words[place.range.clone()]).1);
        let short = given.or_else(first).unwrap_or_default();
        fills.push(Fill { n, text, short, open: of("open").trim_end_matches('.').to_owned() });
    }
    fills
}

/// The text with sentences at the end of its summary: of the section of that name, else of the first one.
fn in_summary(text: &str, short: &str) -> String {
    let parts = body::split(text);
    let heading = |part: &str| {
        let first = part.lines().next().and_then(|line| line.strip_prefix("##"));
        first.is_some_and(|line| line.trim().trim_end_matches([':', '.']).to_lowercase() == SUMMARY)
    };
    let filled = |part: &str| !part.trim().is_empty();
    let at = parts.iter().position(|part| heading(part)).or_else(|| parts.iter().position(|one| filled(one)));
    let mut out = String::with_capacity(text.len() + short.len());
    for (number, part) in parts.iter().enumerate() {
        match Some(number) == at {
            true => out.push_str(&format!("{}\n\n{short}\n\n", part.trim_end())),
            false => out.push_str(part),
        }
    }
    out
}

/// The text without answers to gaps of which nothing is left, and these gaps.
fn without_emptied(text: &str) -> (String, Vec<String>) {
    let Some(start) = text.find(FILLED) else { return (text.to_owned(), Vec::new()) };
    let (before, rest) = text.split_at(start);
    let mut gaps = Vec::new();
    let mut kept = String::new();
    for part in rest[FILLED.len()..].split("\n### ").skip(1) {
        let (heading, answer) = part.split_once('\n').unwrap_or((part, ""));
        match answer.trim().is_empty() {
            true => gaps.extend(blocks::leaves(heading).first().map(|leaf| text::one_line(&leaf.text))),
            false => kept.push_str(&format!("\n\n### {heading}\n{}", answer.trim_end())),
        }
    }
    match (gaps.is_empty(), kept.is_empty()) {
        (true, _) => (text.to_owned(), gaps),
        (false, true) => (format!("{}\n", before.trim_end()), gaps),
        (false, false) => (format!("{before}{FILLED}{kept}\n"), gaps),
    }
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
mod tests;
