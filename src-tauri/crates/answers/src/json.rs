//! Lenient reading of values that models and tools wrote: path lists, texts, numbers.

use serde_json::Value;

/// Finds a value by a path list (see `domain::agent::Display`): alternatives separated by `|`, the first that exists counts;
/// dots go deeper (through a list: into each item), `name[field=text,text]` keeps the items of a list whose field is one of these texts (`!=`: is none of them), a leading `$`
/// starts at `root` instead of `value`, and an alternative in single quotes stands for itself. `null` doesn't exist.
pub fn lookup(value: &Value, root: &Value, paths: &str) -> Option<Value> {
    alternatives(paths).into_iter().find_map(|path| one_path(value, root, path.trim()))
}

fn alternatives(paths: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quoted, mut depth) = (Vec::new(), 0, false, 0_u32);
    for (at, c) in paths.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '[' if !quoted => depth += 1,
            ']' if !quoted => depth = depth.saturating_sub(1),
            '|' if !quoted && depth == 0 => {
                parts.push(&paths[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&paths[start..]);
    parts
}

fn one_path(value: &Value, root: &Value, path: &str) -> Option<Value> {
    if let Some(literal) = path.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return Some(Value::String(literal.to_owned()));
    }
    let (start, path) = match path.strip_prefix('$') {
        Some(rest) => (root, rest.strip_prefix('.').unwrap_or(rest)),
        None => (value, path),
    };
    let mut found = start.clone();
    for step in steps(path) {
        let (name, filter) = match step.split_once('[') {
            Some((name, rest)) => (name, Some(rest.trim_end_matches(']'))),
            None => (step, None),
        };
        if !name.is_empty() {
            found = match &found {
                Value::Object(map) => map.get(name).cloned(),
                Value::Array(items) => match name.parse::<usize>() {
                    Ok(index) => items.get(index).cloned(),
                    Err(_) => {
                        let of_items: Vec<Value> =
                            items.iter().filter_map(|item| item.get(name).cloned()).collect();
                        (!of_items.is_empty()).then_some(Value::Array(of_items))
                    }
                },
                _ => None,
            }?;
        }
        if let Some(filter) = filter {
            found = keep(found, filter)?;
        }
    }
    (!found.is_null()).then_some(found)
}

/// Splits at dots outside of brackets.
fn steps(path: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, c) in path.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => {
                parts.push(&path[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < path.len() {
        parts.push(&path[start..]);
    }
    parts
}

fn keep(found: Value, filter: &str) -> Option<Value> {
    let Value::Array(items) = found else { return None };
    let (field, wanted, equal) = match filter.split_once("!=") {
        Some((field, wanted)) => (field, wanted, false),
        None => filter.split_once('=').map(|(field, wanted)| (field, wanted, true))?,
    };
    let kept = items.into_iter().filter(|item| {
        let text = item.get(field.trim()).map(plain).unwrap_or_default();
        wanted.split(',').any(|one| text.eq_ignore_ascii_case(one.trim())) == equal
    });
    Some(Value::Array(kept.collect()))
}

/// A value as plain text: texts as they are, lists joined by commas, objects as compact JSON.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            items.iter().map(plain).filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join(", ")
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.to_string(),
    }
}

/// Whether there is nothing to show.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_empty),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A finite number, also one written as text.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text
            .trim()
            .trim_end_matches('%')
            .trim()
            .parse::<f64>()
            .ok()
            .map(|number| if text.trim_end().ends_with('%') { number / 100.0 } else { number }),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

/// The first of the named fields that has a value, as text.
pub(crate) fn text_of(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| value.get(name).filter(|found| !is_empty(found))).map(plain)
}

/// A list of texts: a list's items, or a single text.
pub(crate) fn texts(value: Option<&Value>) -> Vec<String> {
    let all: Vec<String> = match value {
        Some(Value::Array(items)) => items
            .iter()
            .map(|item| match item {
                Value::Object(_) => text_of(
                    item,
                    &[
                        "text",
                        "description",
                        "question",
                        "gap",
                        "note",
                        "sentence",
                        "claim",
                        "topic",
                        "query",
                        "reason",
                    ],
                )
                .unwrap_or_else(|| plain(item)),
                _ => plain(item),
            })
            .collect(),
        Some(other) => vec![plain(other)],
        None => Vec::new(),
    };
    all.into_iter().filter(|text| !text.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn the_first_path_that_exists_counts() {
        let value =
            json!({ "a": null, "b": { "c": 1 }, "d": [ { "k": "x", "n": 1 }, { "k": "y", "n": 2 } ] });
        assert_eq!(lookup(&value, &value, "a|b.c"), Some(json!(1)));
        assert_eq!(lookup(&value, &value, "a|e|'none'"), Some(json!("none")));
        assert_eq!(lookup(&value, &value, "d[k=y].n"), Some(json!([2])));
        assert_eq!(lookup(&value, &value, "d[k!=y,z]"), Some(json!([{ "k": "x", "n": 1 }])));
        assert_eq!(lookup(&value, &value, "d.1.n"), Some(json!(2)));
        assert_eq!(lookup(&json!({}), &value, "$.b.c"), Some(json!(1)));
        assert_eq!(lookup(&value, &value, "a|e"), None);
        assert_eq!(lookup(&value, &value, "]].[[=|'"), None);
    }

    #[test]
    fn numbers_may_be_texts_and_percentages() {
        assert_eq!(number(&json!("64%")), Some(0.64));
        assert_eq!(number(&json!(" 0.5 ")), Some(0.5));
        assert_eq!(number(&json!("high")), None);
    }
}
