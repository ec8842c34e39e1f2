//! A result as a model reads it: nothing twice, no scores, each paragraph once. The whole result goes beside it as data,
//! for programs.
//!
//! It goes by the fields of a result and not by tools, so that a new tool is brief without a word here.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The longest text of a hit; of a longer one the stretch around the matches is shown.
const HIT_BYTES: usize = 1_500;
/// The longest sentence that is repeated to say what is wrong with it, in characters.
const MAX_SENTENCE_CHARS: usize = 160;

/// What of a paragraph a model needs to read, cite and go on from it.
const OF_PARAGRAPH: [&str; 16] = [
    "id",
    "ref",
    "title",
    "source",
    "file",
    "edition",
    "date",
    "page",
    "text",
    "truncated",
    "withdrawn",
    "kind",
    "from",
    "depth",
    "base",
    "duplicates",
];

/// The brief form of a result.
pub(super) fn brief(result: &Value) -> Value {
    let Value::Object(fields) = result else { return result.clone() };
    let base = fields.get("base").and_then(Value::as_str).unwrap_or_default();
    let mut out = Map::new();
    for (name, value) in fields {
        let value = match (name.as_str(), value) {
            // Which generation, how many points, and what the rest says once more.
            ("generation" | "score" | "scores" | "axes" | "unsupported" | "evidence", _) => continue,
            ("hits" | "paragraphs", Value::Array(items)) => {
                items.iter().map(|one| paragraph(one, base)).collect()
            }
            ("paragraph", Value::Object(_)) => paragraph(value, base),
            ("neighbours", Value::Array(links)) => neighbours(links),
            ("headings", Value::Array(items)) => {
                items.iter().map(|one| only(one, &["source", "path", "paragraphs", "ids"])).collect()
            }
            ("standards", Value::Array(tags)) if tags.iter().all(Value::is_object) => counts(tags),
            ("bases", Value::Array(items)) => {
                let wanted = ["name", "title", "tier", "citation", "paragraphs", "default"];
                items.iter().map(|one| only(one, &wanted)).collect()
            }
            ("results", Value::Array(items)) => items.iter().map(checked).collect(),
            ("source_texts", Value::Array(texts)) => doubted(texts, fields.get("results")),
            ("records", Value::Array(records)) => records.iter().filter_map(record).collect(),
            (_, value) => value.clone(),
        };
        if !is_empty(&value) || name == "hits" || name == "results" {
            out.insert(name.clone(), value);
        }
    }
    Value::Object(out)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

fn only(value: &Value, wanted: &[&str]) -> Value {
    let Value::Object(fields) = value else { return value.clone() };
    let kept = wanted.iter().filter_map(|name| Some(((*name).to_owned(), fields.get(*name)?.clone())));
    Value::Object(kept.filter(|(_, value)| !is_empty(value)).collect())
}

fn paragraph(value: &Value, base: &str) -> Value {
    let mut out = only(value, &OF_PARAGRAPH);
    if out["base"] == base
        && let Value::Object(fields) = &mut out
    {
        fields.remove("base");
    }
    // The paragraph itself is a call away.
    if let (Some(text), Some(snippet)) = (value["text"].as_str(), value["snippet"].as_str())
        && text.len() > HIT_BYTES
        && !snippet.is_empty()
    {
        out["text"] = json!(snippet);
        out["truncated"] = json!(true);
    }
    out
}

/// Links by what they mean.
fn neighbours(links: &[Value]) -> Value {
    let mut out: Map<String, Value> = Map::new();
    for link in links {
        let way = if link["outgoing"] == true { "to" } else { "from" };
        let kind = format!("{} {way}", link["kind"].as_str().unwrap_or_default());
        if let Value::Array(ids) = out.entry(kind).or_insert_with(|| json!([])) {
            ids.push(link["id"].clone());
        }
    }
    Value::Object(out)
}

fn counts(tags: &[Value]) -> Value {
    let pairs =
        tags.iter().filter_map(|tag| Some((tag["name"].as_str()?.to_owned(), tag["paragraphs"].clone())));
    Value::Object(pairs.collect())
}

/// A check without the paragraph, which stands in `source_texts`, and without what the caller said.
fn checked(value: &Value) -> Value {
    let Value::Object(fields) = value else { return value.clone() };
    let mut fields = fields.clone();
    if fields.contains_key("verdict") {
        for name in ["text", "quote", "start", "end"] {
            fields.remove(name);
        }
        if fields["verdict"] == "verified" {
            fields.remove("reason");
        }
    }
    fields.retain(|name, value| name != "score" && !is_empty(value));
    Value::Object(fields)
}

/// The paragraphs of what did not hold: the words that are really there.
fn doubted(texts: &[Value], results: Option<&Value>) -> Value {
    let results = results.and_then(Value::as_array).into_iter().flatten();
    let doubted: BTreeSet<&str> = results
        .filter(|one| one["verdict"] != "verified")
        .filter_map(|one| one["paragraph_id"].as_str())
        .collect();
    texts.iter().filter(|text| text["id"].as_str().is_some_and(|id| doubted.contains(id))).cloned().collect()
}

/// What a model has to look at of a sentence; nothing where it holds.
fn record(value: &Value) -> Option<Value> {
    if value["verdict"] == "verified" {
        return None;
    }
    let sentence: String =
        value["sentence"].as_str().unwrap_or_default().chars().take(MAX_SENTENCE_CHARS).collect();
    let mut out = only(value, &["n", "verdict", "reason"]);
    out["sentence"] = json!(sentence);
    let conflicts = value["conflicts"].as_array().filter(|conflicts| !conflicts.is_empty());
    if let Some(conflicts) = conflicts {
        out["conflicts"] = json!(conflicts);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_hit_is_told_once_and_without_points() {
        let hit = json!({
            "id": "7.7", "ref": "(Primer 7.7)", "title": "Dates", "path": ["A", "Dates"], "tier": "primer",
            "source": "primer", "standards": ["ISA 330"], "text": "New software.", "score": 0.9,
            "snippet": "New software.", "matched": ["software"], "via": "words", "base": "isa-primer",
        });
        let result = json!({"hits": [hit], "next_offset": 10, "base": "isa-primer", "generation": "g000001"});
        assert_eq!(
            brief(&result),
            json!({
                "hits": [{"id": "7.7", "ref": "(Primer 7.7)", "title": "Dates", "source": "primer", "text": "New software."}],
                "next_offset": 10,
                "base": "isa-primer",
            })
        );
    }

    #[test]
    fn of_a_long_hit_the_stretch_around_the_matches_is_shown() {
        let hit = json!({"id": "1", "text": "x".repeat(HIT_BYTES + 1), "snippet": "… the words …", "base": "other"});
        let shown = brief(&json!({"hits": [hit], "base": "one"}));
        assert_eq!(
            shown["hits"][0],
            json!({"id": "1", "text": "… the words …", "truncated": true, "base": "other"})
        );
    }

    #[test]
    fn a_checked_paragraph_is_shown_once_and_only_where_it_says_something_else() {
        let one = |id: &str, verdict: &str| json!({"source_ref": id, "quote": "q", "verdict": verdict, "reason": "r", "paragraph_id": id, "text": "long", "start": 1, "end": 2});
        let text = |id: &str| json!({"id": id, "ref": id, "text": "long"});
        let result = json!({
            "results": [one("a", "verified"), one("b", "quote_mismatch")],
            "verified": 1, "total": 2, "score": 0.5, "unsupported": [{"item": "b", "reason": "r"}],
            "source_texts": [text("a"), text("b")], "base": "x", "generation": "g",
        });
        assert_eq!(
            brief(&result),
            json!({
                "results": [
                    {"source_ref": "a", "verdict": "verified", "paragraph_id": "a"},
                    {"source_ref": "b", "verdict": "quote_mismatch", "reason": "r", "paragraph_id": "b"},
                ],
                "verified": 1, "total": 2, "source_texts": [{"id": "b", "ref": "b", "text": "long"}], "base": "x",
            })
        );
    }

    #[test]
    fn what_finds_nothing_still_says_so() {
        assert_eq!(brief(&json!({"hits": [], "base": "x"})), json!({"hits": [], "base": "x"}));
    }
}
