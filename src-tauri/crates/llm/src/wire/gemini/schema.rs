//! Schemas as Gemini takes them.

use serde_json::{Map, Value, json};

/// The keywords that it understands (its reference of November 2026).
const UNDERSTOOD: [&str; 21] = [
    "$id",
    "$defs",
    "$ref",
    "$anchor",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "oneOf",
    "properties",
    "additionalProperties",
    "required",
    "propertyOrdering",
];
/// Keywords that say something of a value that is worth telling in words.
const TOLD: [&str; 11] = [
    "pattern",
    "minLength",
    "maxLength",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "default",
    "const",
];
/// How deep a schema is followed; what is deeper takes any value.
const MAX_DEPTH: usize = 48;

/// A schema with only what Gemini understands. What it does not is told in the description, where it is a property of
/// one value, and left out otherwise: whoever asked checks the answer against the whole schema.
pub(super) fn adapted(schema: &Value) -> Value {
    adapt(schema, 0)
}

fn adapt(schema: &Value, depth: usize) -> Value {
    let Some(object) = schema.as_object().filter(|_| depth < MAX_DEPTH) else {
        // `true`, `false` and what is no schema: any value.
        return json!({});
    };
    let mut object = object.clone();
    for _ in 0..MAX_DEPTH {
        let Some(parts) = object.remove("allOf") else {
            break;
        };
        for part in parts.as_array().into_iter().flatten() {
            merge(&mut object, part);
        }
    }
    let mut out = Map::new();
    definitions(&object, &mut out, depth);
    // Beside a reference nothing may stand but what begins with a dollar sign; what a schema says itself is kept first.
    if let Some(to) =
        object.get("$ref").and_then(Value::as_str).filter(|_| !object.contains_key("properties"))
    {
        if let Some(to) = local(to) {
            out.insert("$ref".to_owned(), to.into());
        }
        return Value::Object(out);
    }
    let mut told = Vec::new();
    for (keyword, value) in &object {
        match keyword.as_str() {
            "$defs" | "definitions" | "$ref" | "const" | "enum" => {}
            "properties" => {
                let each = value.as_object().into_iter().flatten();
                let each: Map<_, _> = each.map(|(name, of)| (name.clone(), adapt(of, depth + 1))).collect();
                out.insert(keyword.clone(), each.into());
            }
            "anyOf" | "oneOf" | "prefixItems" => {
                let each = value.as_array().into_iter().flatten();
                out.insert(keyword.clone(), each.map(|of| adapt(of, depth + 1)).collect());
            }
            "items" => {
                out.insert(keyword.clone(), adapt(value, depth + 1));
            }
            "additionalProperties" => {
                let value = if value.is_boolean() { value.clone() } else { adapt(value, depth + 1) };
                out.insert(keyword.clone(), value);
            }
            known if UNDERSTOOD.contains(&known) => {
                out.insert(keyword.clone(), value.clone());
            }
            known if TOLD.contains(&known) => told.push(format!("{known}: {value}")),
            _ => {}
        }
    }
    let allowed = match (object.get("const"), object.get("enum").and_then(Value::as_array)) {
        (Some(only), _) => Some(vec![only.clone()]),
        (None, Some(values)) => Some(values.clone()),
        (None, None) => None,
    };
    if let Some(allowed) = allowed {
        values(&allowed, &mut out, &mut told);
    }
    if !told.is_empty() {
        let told = told.join(", ");
        let description = match out.get("description").and_then(Value::as_str) {
            Some(words) if !words.is_empty() => format!("{words} ({told})"),
            Some(_) | None => format!("({told})"),
        };
        out.insert("description".to_owned(), description.into());
    }
    Value::Object(out)
}

/// Allowed values are texts and numbers; others are told by their type and in words.
fn values(allowed: &[Value], out: &mut Map<String, Value>, told: &mut Vec<String>) {
    if !allowed.is_empty() && allowed.iter().all(|value| value.is_string() || value.is_number()) {
        let kind = if allowed.iter().all(Value::is_string) {
            Some("string")
        } else if allowed.iter().all(Value::is_number) {
            Some("number")
        } else {
            None
        };
        if let Some(kind) = kind.filter(|_| !out.contains_key("type")) {
            out.insert("type".to_owned(), kind.into());
        }
        out.insert("enum".to_owned(), allowed.to_vec().into());
        return;
    }
    let mut kinds: Vec<&str> = allowed
        .iter()
        .map(|value| match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    if !out.contains_key("type") {
        let kind = if let [one] = kinds[..] { json!(one) } else { json!(kinds) };
        out.insert("type".to_owned(), kind);
    }
    told.push(format!("one of: {}", Value::from(allowed.to_vec())));
}

/// Definitions stand below `$defs` in all schemas that go out.
fn definitions(object: &Map<String, Value>, out: &mut Map<String, Value>, depth: usize) {
    let mut all = Map::new();
    for keyword in ["$defs", "definitions"] {
        let each = object.get(keyword).and_then(Value::as_object).into_iter().flatten();
        all.extend(each.map(|(name, of)| (name.clone(), adapt(of, depth + 1))));
    }
    if !all.is_empty() {
        out.insert("$defs".to_owned(), all.into());
    }
}

/// A reference within the schema; `None` for one that leads elsewhere.
fn local(to: &str) -> Option<String> {
    match to.strip_prefix("#/definitions/") {
        Some(name) => Some(format!("#/$defs/{name}")),
        None => to.starts_with('#').then(|| to.to_owned()),
    }
}

/// Adds what another schema asks for as well. Where both say something, the first stays.
fn merge(into: &mut Map<String, Value>, part: &Value) {
    let Some(part) = part.as_object() else {
        return;
    };
    for (keyword, value) in part {
        match (into.get_mut(keyword), value) {
            (Some(Value::Object(there)), Value::Object(more)) => {
                for (name, of) in more {
                    there.entry(name.clone()).or_insert_with(|| of.clone());
                }
            }
            (Some(Value::Array(there)), Value::Array(more)) if keyword == "required" => {
                for name in more {
                    if !there.contains(name) {
                        there.push(name.clone());
                    }
                }
            }
            (Some(_), _) => {}
            (None, _) => {
                into.insert(keyword.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_is_understood_stays_as_it_is() {
        let schema = json!({
            "type": "object", "title": "T", "description": "d",
            "properties": {
                "a": { "type": ["string", "null"], "enum": ["x", "y"] },
                "b": { "type": "array", "items": { "$ref": "#/$defs/n" }, "minItems": 1, "maxItems": 3 },
                "c": { "anyOf": [{ "type": "integer", "minimum": 0, "maximum": 9 }, { "type": "null" }] }
            },
            "required": ["a"], "additionalProperties": false, "propertyOrdering": ["a", "b", "c"],
            "$defs": { "n": { "type": "number", "format": "float" } }
        });
        assert_eq!(adapted(&schema), schema);
    }

    #[test]
    fn what_is_not_understood_is_told_in_words_or_left_out() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "id": { "type": "string", "pattern": "^[a-z]+$", "minLength": 2, "description": "The id." },
                "kind": { "const": "note" },
                "flag": { "const": true },
                "level": { "enum": ["low", null] },
                "any": true
            },
            "if": { "required": ["id"] }, "then": {}, "not": {}, "patternProperties": {}, "examples": [1]
        });
        assert_eq!(
            adapted(&schema),
            json!({
                "type": "object",
                "properties": {
                    "id": { "type": "string", "description": "The id. (pattern: \"^[a-z]+$\", minLength: 2)" },
                    "kind": { "type": "string", "enum": ["note"] },
                    "flag": { "type": "boolean", "description": "(one of: [true])" },
                    "level": { "type": ["null", "string"], "description": "(one of: [\"low\",null])" },
                    "any": {}
                }
            })
        );
    }

    #[test]
    fn references_stand_alone_and_point_to_definitions_of_the_schema() {
        let schema = json!({
            "properties": {
                "a": { "$ref": "#/definitions/x", "description": "beside it" },
                "b": { "$ref": "https://elsewhere.example/schema" }
            },
            "definitions": { "x": { "type": "string", "maxLength": 4 } }
        });
        assert_eq!(
            adapted(&schema),
            json!({
                "$defs": { "x": { "type": "string", "description": "(maxLength: 4)" } },
                "properties": { "a": { "$ref": "#/$defs/x" }, "b": {} }
            })
        );
    }

    #[test]
    fn schemas_that_hold_together_become_one() {
        let schema = json!({
            "properties": { "a": { "type": "string" } }, "required": ["a"],
            "allOf": [
                { "properties": { "b": { "type": "integer" }, "a": {} }, "required": ["b", "a"] },
                { "type": "object" }, true
            ]
        });
        assert_eq!(
            adapted(&schema),
            json!({
                "properties": { "a": { "type": "string" }, "b": { "type": "integer" } },
                "required": ["a", "b"], "type": "object"
            })
        );
    }

    #[test]
    fn a_reference_among_schemas_that_hold_together_stays_one() {
        let schema = json!({ "description": "d", "allOf": [{ "allOf": [{ "$ref": "#/$defs/x" }] }] });
        assert_eq!(adapted(&schema), json!({ "$ref": "#/$defs/x" }));
        let schema = json!({ "properties": { "a": {} }, "allOf": [{ "$ref": "#/$defs/x" }] });
        assert_eq!(adapted(&schema), json!({ "properties": { "a": {} } }));
    }

    #[test]
    fn a_schema_without_end_is_cut_and_odd_ones_take_any_value() {
        let mut schema = json!({ "type": "string" });
        for _ in 0..500 {
            schema = json!({ "items": schema });
        }
        assert!(adapted(&schema).to_string().len() < 2_000);
        for odd in [json!(null), json!(7), json!("x"), json!([]), json!(false)] {
            assert_eq!(adapted(&odd), json!({}));
        }
        assert_eq!(
            adapted(&json!({ "properties": 3, "anyOf": "x" })),
            json!({ "properties": {}, "anyOf": [] })
        );
    }
}
