//! Values that say what a schema asks for in another shape, as models write them.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::required_names;

/// The JSON that a text consists of, whatever stands before and after it; commas before a closing bracket are no part of
/// it. A piece of a broken value is none.
pub fn outermost(text: &str) -> Option<Value> {
    let (open, close) = (text.find(['{', '['])?, text.rfind(['}', ']'])?);
    let text = without_trailing_commas(text.get(open..=close)?);
    serde_json::from_str(&text).ok()
}

/// A value in the shape of its schema where it loses nothing by that: freed of what is wrapped around it, numbers and
/// truth values out of texts, words of a list in the list's spelling, one item as a list of one, lists that were left out
/// or null as empty ones. Anything else stays as it is.
pub fn reshape(value: &Value, schema: &Value) -> Value {
    let value = unwrapped(value, schema);
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_known = match (value, properties) {
        // What has no field that the schema knows is another value.
        (Value::Object(fields), Some(properties)) => fields.keys().any(|name| properties.contains_key(name)),
        _ => true,
    };
    if is_known { shaped(value, schema) } else { value.clone() }
}

/// Prose as the value of a schema that asks for one text and nothing else. What begins as JSON, or holds a block of it, is
/// none: it is a value that broke.
pub fn prose(text: &str, schema: &Value) -> Option<Value> {
    let text = text.trim();
    if text.is_empty()
        || text.starts_with(['{', '[', '`', '<'])
        || text.contains("```")
        || text.contains("{\"")
    {
        return None;
    }
    let properties = schema.get("properties").and_then(Value::as_object)?;
    let name = match required_names(schema.get("required")).as_slice() {
        [one] => (*one).to_owned(),
        [] if properties.len() == 1 => properties.keys().next()?.clone(),
        _ => return None,
    };
    let field = properties.get(&name)?;
    let is_free = ["enum", "const", "pattern", "format"].iter().all(|word| field.get(word).is_none());
    (type_of(field) == Some("string") && is_free).then(|| json!({ (name): text }))
}

/// The object in a list of one, or in an object whose only field is none of the schema's.
fn unwrapped<'v>(value: &'v Value, schema: &Value) -> &'v Value {
    if type_of(schema) != Some("object") {
        return value;
    }
    let inner = match value {
        Value::Array(items) => match items.as_slice() {
            [one] => Some(one),
            _ => None,
        },
        Value::Object(fields) if fields.len() == 1 => {
            let known = schema.get("properties").and_then(Value::as_object);
            let unknown =
                |(name, _): &(&String, &Value)| known.is_some_and(|known| !known.contains_key(*name));
            fields.iter().find(unknown).map(|(_, inner)| inner)
        }
        _ => None,
    };
    inner.filter(|inner| inner.is_object()).unwrap_or(value)
}

fn type_of(schema: &Value) -> Option<&str> {
    schema.get("type").and_then(Value::as_str)
}

/// Whether a schema asks for at least one letter or item.
fn asks_for_some(schema: &Value) -> bool {
    let least = |name| schema.get(name).and_then(Value::as_u64).unwrap_or_default();
    least("minLength") > 0 || least("minItems") > 0
}

fn shaped(value: &Value, schema: &Value) -> Value {
    match (type_of(schema), value) {
        (Some("object"), Value::Object(fields)) => Value::Object(object(fields, schema)),
        (Some("array"), Value::Array(items)) => match schema.get("items") {
            Some(schema) => Value::Array(items.iter().map(|item| shaped(item, schema)).collect()),
            None => value.clone(),
        },
        (Some("array"), Value::Null) if !asks_for_some(schema) => json!([]),
        (Some("array"), one) => match schema.get("items") {
            Some(items) if is_one(one, items) => json!([shaped(one, items)]),
            _ => value.clone(),
        },
        (Some("string"), Value::String(text)) => match spelling(text, schema) {
            Some(word) => json!(word),
            None => value.clone(),
        },
        // A text with a pattern or a list of words says itself what it may be.
        (Some("string"), Value::Number(number)) if schema.get("pattern").is_some() => {
            json!(number.to_string())
        }
        (Some("string"), Value::Null)
            if !asks_for_some(schema) && schema.get("pattern").is_none() && schema.get("enum").is_none() =>
        {
            json!("")
        }
        (Some("integer" | "number"), Value::String(text)) => match serde_json::from_str(text.trim()) {
            Ok(number @ Value::Number(_)) => number,
            _ => value.clone(),
        },
        (Some("boolean"), Value::String(text)) => match text.trim().to_lowercase().as_str() {
            "true" => json!(true),
            "false" => json!(false),
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

fn object(fields: &Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return fields.clone() };
    let required = required_names(schema.get("required"));
    let mut kept = Map::new();
    for (name, value) in fields {
        let Some(schema) = properties.get(name) else {
            kept.insert(name.clone(), value.clone());
            continue;
        };
        let is_absent = value.is_null() && type_of(schema).is_some_and(|kind| kind != "null");
        if !is_absent || required.contains(&name.as_str()) {
            kept.insert(name.clone(), shaped(value, schema));
        }
    }
    for name in required {
        let empty = properties
            .get(name)
            .is_some_and(|schema| type_of(schema) == Some("array") && !asks_for_some(schema));
        if empty && !kept.contains_key(name) {
            kept.insert(name.to_owned(), json!([]));
        }
    }
    kept
}

/// Whether a value is one item of a list; a text of several words may be several.
fn is_one(value: &Value, items: &Value) -> bool {
    match (type_of(items), value) {
        (Some("object"), Value::Object(_)) => true,
        (Some("string"), Value::String(text)) => !text.is_empty() && !text.contains(char::is_whitespace),
        _ => false,
    }
}

/// The word of a schema's list that a text is, but for case, hyphens and spaces.
fn spelling<'s>(text: &str, schema: &'s Value) -> Option<&'s str> {
    let plain = |text: &str| text.trim().to_lowercase().replace(['-', ' '], "_");
    let words = schema.get("enum").and_then(Value::as_array)?;
    let asked = plain(text);
    words.iter().filter_map(Value::as_str).find(|word| plain(word) == asked)
}

/// The text without commas before a closing bracket, outside of strings.
fn without_trailing_commas(text: &str) -> Cow<'_, str> {
    let (mut out, mut copied) = (String::new(), 0);
    let (mut in_string, mut escaped, mut comma) = (false, false, None);
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    out.push_str(&text[copied..comma]);
                    copied = comma + 1;
                }
            }
            b' ' | b'\t' | b'\r' | b'\n' => {}
            other => {
                in_string = other == b'"';
                comma = None;
            }
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn schema() -> Value {
        json!({
            "type": "object", "required": ["kind", "claims", "gaps"], "additionalProperties": false,
            "properties": {
                "kind": { "type": "string", "enum": ["fact", "peer_reviewed"] },
                "sure": { "type": "number" },
                "ends": { "type": "boolean" },
                "note": { "type": "string" },
                "claims": { "type": "array", "minItems": 1, "items": {
                    "type": "object", "properties": {
                        "page": { "type": "string", "pattern": "^[1-6]$" },
                        "ids": { "type": "array", "items": { "type": "string" } },
                    },
                } },
                "gaps": { "type": "array", "items": { "type": "string" } },
            },
        })
    }

    #[test]
    fn prose_is_the_one_text_that_a_schema_asks_for_and_no_other() {
        let text = json!({ "type": "string", "minLength": 1 });
        let one = json!({ "type": "object", "required": ["answer"], "properties": { "answer": text, "note": text } });
        let lone = json!({ "type": "object", "properties": { "answer": text } });
        for schema in [&one, &lone] {
            assert_eq!(prose(" It is kept. ", schema), Some(json!({ "answer": "It is kept." })));
            for broken in
                ["", "{\"answer\": \"It is", "```json\n{\"answer\"", "Here: {\"answer\": 1", "[1, 2"]
            {
                assert_eq!(prose(broken, schema), None, "{broken}");
            }
        }
        let two = json!({ "required": ["a", "b"], "properties": { "a": text, "b": text } });
        let word =
            json!({ "required": ["a"], "properties": { "a": { "type": "string", "enum": ["yes", "no"] } } });
        let number = json!({ "required": ["a"], "properties": { "a": { "type": "number" } } });
        for schema in [two, word, number, schema()] {
            assert_eq!(prose("It is kept.", &schema), None);
        }
    }

    #[test]
    fn a_value_in_another_form_gets_the_form_of_its_schema() {
        let claims = json!([{ "page": "2", "ids": ["c1"] }]);
        let whole = json!({ "kind": "fact", "claims": claims, "gaps": [] });
        for (written, read) in [
            (whole.clone(), whole.clone()),
            (json!([whole]), whole.clone()),
            (json!({ "result": whole }), whole.clone()),
            (json!({ "kind": "Fact", "claims": claims }), whole.clone()),
            (
                json!({ "kind": "fact", "claims": { "page": 2, "ids": "c1" }, "gaps": null, "note": null }),
                whole.clone(),
            ),
            (
                json!({ "kind": "Peer-Reviewed", "sure": " 0.9", "ends": "False", "claims": claims, "gaps": [] }),
                json!({ "kind": "peer_reviewed", "sure": 0.9, "ends": false, "claims": claims, "gaps": [] }),
            ),
        ] {
            assert_eq!(reshape(&written, &schema()), read);
        }
    }

    #[test]
    fn what_would_lose_or_make_up_something_stays_as_it_is() {
        let claims = json!([{ "page": "2" }]);
        for written in [
            // A piece of an answer is no answer with empty lists.
            json!({ "page": "2", "ids": ["c1"] }),
            json!([1, 2]),
            json!("fact"),
            json!({ "kind": "rumour", "sure": "very", "ends": "no", "claims": claims, "gaps": "First one, second one" }),
            json!({ "kind": "fact", "claims": null, "gaps": [] }),
        ] {
            assert_eq!(reshape(&written, &schema()), written);
        }
    }

    #[test]
    fn json_is_found_around_words_and_without_commas_that_end_a_list() {
        for (text, read) in [
            ("Here it is:\n```json\n{\"a\": [1, 2,],\n}\n```\nThat is all.", Some(json!({ "a": [1, 2] }))),
            ("{\"a\": \",}\", \"b\": \"\\\",]\",}", Some(json!({ "a": ",}", "b": "\",]" }))),
            ("{\"a\": {\"b\": 1}, \"c\": [{\"d\": 2}", None),
            ("[{\"d\": 2},, ]", None),
            ("} no {", None),
            ("nothing", None),
        ] {
            assert_eq!(outermost(text), read, "{text}");
        }
    }
}
