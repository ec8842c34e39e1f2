//! Schemas as Ollama's grammars take them.

use serde_json::{Map, Value, json};

/// The longest repetition that a grammar spells out.
const MAX_REPETITIONS: u64 = 1_000;
/// How deep a schema is followed; what is deeper takes any value.
const MAX_DEPTH: usize = 48;

/// A schema without what stops a grammar from being made of it. Whoever asked checks the answer against the whole one.
pub(super) fn adapted(schema: &Value) -> Value {
    adapt(schema, 0)
}

fn adapt(schema: &Value, depth: usize) -> Value {
    let Some(object) = schema.as_object().filter(|_| depth < MAX_DEPTH) else {
        return json!({});
    };
    let mut out = Map::new();
    for (keyword, value) in object {
        let kept = match keyword.as_str() {
            "not"
            | "if"
            | "then"
            | "else"
            | "patternProperties"
            | "propertyNames"
            | "dependentSchemas"
            | "contains"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "$schema"
            | "$id" => continue,
            // Patterns are whole or none: one that is not anchored at both ends is refused.
            "pattern" => match value.as_str() {
                Some(pattern) if pattern.starts_with('^') && pattern.ends_with('$') => value.clone(),
                Some(_) | None => continue,
            },
            "minLength" | "maxLength" | "minItems" | "maxItems" => match value.as_u64() {
                Some(bound) if bound <= MAX_REPETITIONS => value.clone(),
                Some(_) | None => continue,
            },
            // Other documents are not fetched.
            "$ref" => match value.as_str() {
                Some(to) if to.starts_with('#') => value.clone(),
                Some(_) | None => continue,
            },
            "properties" | "$defs" | "definitions" => {
                let each = value.as_object().into_iter().flatten();
                each.map(|(name, of)| (name.clone(), adapt(of, depth + 1))).collect::<Map<_, _>>().into()
            }
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                value.as_array().into_iter().flatten().map(|of| adapt(of, depth + 1)).collect()
            }
            "items" => adapt(value, depth + 1),
            "additionalProperties" if !value.is_boolean() => adapt(value, depth + 1),
            _ => value.clone(),
        };
        out.insert(keyword.clone(), kept);
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn what_a_grammar_can_say_stays_and_the_rest_goes() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "id": { "type": "string", "pattern": "^[a-z]+$", "minLength": 2, "maxLength": 9000 },
                "word": { "type": "string", "pattern": "[a-z]" },
                "kind": { "const": "note", "description": "d" },
                "list": { "type": "array", "items": { "$ref": "#/$defs/n", "not": {} }, "maxItems": 5 },
                "other": { "$ref": "https://elsewhere.example/schema" },
                "any": true
            },
            "required": ["id"], "additionalProperties": false, "if": {}, "then": {},
            "$defs": { "n": { "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "null" }] } }
        });
        assert_eq!(
            adapted(&schema),
            json!({
                "type": "object",
                "properties": {
                    "id": { "type": "string", "pattern": "^[a-z]+$", "minLength": 2 },
                    "word": { "type": "string" },
                    "kind": { "const": "note", "description": "d" },
                    "list": { "type": "array", "items": { "$ref": "#/$defs/n" }, "maxItems": 5 },
                    "other": {},
                    "any": {}
                },
                "required": ["id"], "additionalProperties": false,
                "$defs": { "n": { "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "null" }] } }
            })
        );
    }

    #[test]
    fn odd_schemas_take_any_value() {
        for odd in [json!(null), json!(7), json!("x"), json!([]), json!(true)] {
            assert_eq!(adapted(&odd), json!({}));
        }
        let mut schema = json!({ "type": "string" });
        for _ in 0..500 {
            schema = json!({ "items": schema });
        }
        assert!(adapted(&schema).to_string().len() < 2_000);
    }
}
