//! JSON Schemas as this provider compiles them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use model_text::extract::required_names;

/// The most properties of one request that may be absent.
const MAX_OPTIONAL: usize = 24;
/// The most places of one request where several types may stand.
const MAX_UNIONS: usize = 16;
/// The formats of strings that are known.
const FORMATS: [&str; 10] =
    ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// The schema with its objects closed and with what the provider does not know moved into descriptions. It says less than
/// the original, against which the answer is still checked. `None` where the provider would refuse it, or where closing
/// its objects would change what it means.
pub fn adapted(schema: &Value) -> Option<Value> {
    let mut adapter =
        Adapter { root: schema, done: BTreeMap::new(), open: Vec::new(), optional: 0, unions: 0 };
    let mut out = adapter.node(schema)?;
    if adapter.optional > MAX_OPTIONAL || adapter.unions > MAX_UNIONS {
        return None;
    }
    if !adapter.done.is_empty() {
        out.insert("$defs".to_owned(), json!(adapter.done));
    }
    Some(Value::Object(out))
}

/// What asks for an answer by the schema where the provider can't be given it.
pub fn instruction(schema: &Value) -> String {
    format!(
        "Answer with one JSON value and nothing else: no words around it and no code fence. It must satisfy this JSON \
         Schema:\n{schema}"
    )
}

struct Adapter<'a> {
    root: &'a Value,
    /// Definitions that are adapted, by name.
    done: BTreeMap<String, Value>,
    /// Those that are being adapted: naming one of them again is recursion.
    open: Vec<&'a str>,
    optional: usize,
    unions: usize,
}

impl<'a> Adapter<'a> {
    fn node(&mut self, schema: &'a Value) -> Option<Map<String, Value>> {
        // `true`, `false` and anything else that is no object say nothing that could be compiled.
        let schema = schema.as_object()?;
        if let Some(pointer) = schema.get("$ref") {
            return self.reference(pointer.as_str()?);
        }
        if let Some([only]) = schema.get("allOf").map(|all| all.as_array().map_or(&[][..], Vec::as_slice)) {
            let beside = ["type", "properties", "items", "anyOf", "oneOf", "enum", "const", "required"];
            if beside.iter().any(|keyword| schema.contains_key(*keyword)) {
                return None;
            }
            let mut out = self.node(only)?;
            // Nothing may stand beside a reference.
            if !out.contains_key("$ref") {
                copy(schema, "description", &mut out);
            }
            return Some(out);
        }
        let mut out = Map::new();
        let mut rest = Map::new();
        copy(schema, "title", &mut out);
        copy(schema, "default", &mut out);
        if let Some(either) = schema.get("anyOf").or_else(|| schema.get("oneOf")) {
            self.unions += 1;
            let branches: Option<Vec<Value>> =
                either.as_array()?.iter().map(|branch| self.node(branch).map(Value::Object)).collect();
            out.insert("anyOf".to_owned(), Value::Array(branches?));
        }
        for (keyword, value) in schema {
            match keyword.as_str() {
                "$schema"
                | "$id"
                | "$anchor"
                | "$comment"
                | "$defs"
                | "definitions"
                | "title"
                | "default"
                | "description"
                | "type"
                | "required"
                | "additionalProperties" => {}
                "anyOf" | "oneOf" if schema.contains_key("anyOf") != schema.contains_key("oneOf") => {}
                // Two of them at once, keys by pattern and tuples can't be told without changing what is meant.
                "anyOf" | "oneOf" | "allOf" | "patternProperties" | "prefixItems" => return None,
                "properties" | "items" if out.contains_key("anyOf") => return None,
                "properties" => {
                    let mut properties = Map::new();
                    for (name, property) in value.as_object()? {
                        properties.insert(name.clone(), Value::Object(self.node(property)?));
                    }
                    out.insert(keyword.clone(), Value::Object(properties));
                }
                "items" => {
                    out.insert(keyword.clone(), Value::Object(self.node(value)?));
                }
                _ if kept(keyword, value) => {
                    out.insert(keyword.clone(), value.clone());
                }
                _ => {
                    rest.insert(keyword.clone(), value.clone());
                }
            }
        }
        self.types(schema, &mut out)?;
        describe(schema, &rest, &mut out);
        Some(out)
    }

    fn types(&mut self, schema: &Map<String, Value>, out: &mut Map<String, Value>) -> Option<()> {
        // Values say their types themselves, and so do alternatives.
        if ["enum", "const", "anyOf"].iter().any(|keyword| out.contains_key(*keyword)) {
            return Some(());
        }
        let mut types: Vec<Value> = match schema.get("type") {
            Some(Value::Array(types)) => types.clone(),
            Some(one) => vec![one.clone()],
            None if out.contains_key("properties") => vec![json!("object")],
            None => return None,
        };
        types.dedup();
        let has = |name: &str| types.iter().any(|one| one == name);
        if has("object") {
            self.object(schema, out)?;
        }
        if has("array") && !out.contains_key("items") {
            return None;
        }
        let word = match types.as_slice() {
            [] => return None,
            [only] => only.clone(),
            several => {
                self.unions += 1;
                json!(several)
            }
        };
        out.insert("type".to_owned(), word);
        Some(())
    }

    fn object(&mut self, schema: &Map<String, Value>, out: &mut Map<String, Value>) -> Option<()> {
        let known = out.get("properties").and_then(Value::as_object);
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => {}
            // An open object with known properties loses only what nobody asked for; one without any is a map.
            None | Some(Value::Bool(true)) if known.is_some_and(|known| !known.is_empty()) => {}
            _ => return None,
        }
        let names = required_names(schema.get("required"));
        let (mut optional, mut missing) = (0, names.len());
        for name in known.into_iter().flat_map(Map::keys) {
            match names.contains(&name.as_str()) {
                true => missing = missing.saturating_sub(1),
                false => optional += 1,
            }
        }
        if missing > 0 {
            return None;
        }
        self.optional += optional;
        if !names.is_empty() {
            out.insert("required".to_owned(), json!(names));
        }
        out.insert("additionalProperties".to_owned(), Value::Bool(false));
        Some(())
    }

    fn reference(&mut self, pointer: &'a str) -> Option<Map<String, Value>> {
        let (group, name) = pointer.strip_prefix("#/")?.split_once('/')?;
        if !matches!(group, "$defs" | "definitions")
            || name.contains(['/', '~', '%'])
            || self.open.contains(&name)
        {
            return None;
        }
        if !self.done.contains_key(name) {
            let definition = self.root.get(group)?.get(name)?;
            self.open.push(name);
            let adapted = self.node(definition)?;
            self.open.pop();
            self.done.insert(name.to_owned(), Value::Object(adapted));
        }
        Some(Map::from_iter([("$ref".to_owned(), json!(format!("#/$defs/{name}")))]))
    }
}

/// Whether a keyword is known with this value.
fn kept(keyword: &str, value: &Value) -> bool {
    match keyword {
        "const" => !value.is_object() && !value.is_array(),
        "enum" => value.as_array().is_some_and(|values| {
            !values.is_empty() && !values.iter().any(|one| one.is_object() || one.is_array())
        }),
        "format" => value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        "minItems" => matches!(value.as_u64(), Some(0 | 1)),
        "pattern" => value.as_str().is_some_and(is_simple),
        _ => false,
    }
}

/// Whether a pattern does without what a grammar can't express: look-around, back references, borders of words, counts.
fn is_simple(pattern: &str) -> bool {
    let escapes = pattern.as_bytes().windows(2).filter(|pair| pair[0] == b'\\');
    !pattern.contains("(?")
        && !pattern.contains('{')
        && !escapes
            .into_iter()
            .any(|pair| pair[1].is_ascii_digit() || matches!(pair[1], b'b' | b'B' | b'k' | b'p' | b'P'))
}

fn copy(from: &Map<String, Value>, keyword: &str, to: &mut Map<String, Value>) {
    if let Some(value) = from.get(keyword) {
        to.insert(keyword.to_owned(), value.clone());
    }
}

/// What can't be compiled is told in words, where the model can still heed it.
fn describe(schema: &Map<String, Value>, rest: &Map<String, Value>, out: &mut Map<String, Value>) {
    let mut words = schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !rest.is_empty() {
        let gap = if words.is_empty() { "" } else { "\n\n" };
        words.push_str(&format!("{gap}It must also satisfy: {}", Value::Object(rest.clone())));
    }
    if !words.is_empty() {
        out.insert("description".to_owned(), Value::String(words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn objects_are_closed_and_unknown_keywords_move_into_the_description() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "title": "Plan",
            "properties": {
                "n": { "type": "integer", "minimum": 1, "maximum": 5, "description": "How many." },
                "day": { "type": "string", "format": "date" },
                "who": { "type": "string", "format": "iri", "minLength": 1 },
                "tags": { "type": "array", "items": { "type": "string", "enum": ["a", "b"] }, "minItems": 1, "maxItems": 3 },
                "pairs": { "type": "array", "items": { "type": ["string", "null"] }, "minItems": 2 },
                "type": { "const": 3 }
            },
            "required": ["n", "day"]
        });
        assert_eq!(
            adapted(&schema).unwrap(),
            json!({
                "title": "Plan",
                "type": "object",
                "properties": {
                    "n": { "type": "integer",
                        "description": "How many.\n\nIt must also satisfy: {\"minimum\":1,\"maximum\":5}" },
                    "day": { "type": "string", "format": "date" },
                    "who": { "type": "string",
                        "description": "It must also satisfy: {\"format\":\"iri\",\"minLength\":1}" },
                    "tags": { "type": "array", "items": { "enum": ["a", "b"] }, "minItems": 1,
                        "description": "It must also satisfy: {\"maxItems\":3}" },
                    "pairs": { "type": "array", "items": { "type": ["string", "null"] },
                        "description": "It must also satisfy: {\"minItems\":2}" },
                    "type": { "const": 3 }
                },
                "required": ["n", "day"],
                "additionalProperties": false
            })
        );
    }

    #[test]
    fn one_of_becomes_any_of_and_definitions_stay_definitions() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": { "oneOf": [{ "$ref": "#/definitions/leaf" }, { "type": "null" }], "description": "Or none." },
                "b": { "allOf": [{ "$ref": "#/definitions/leaf" }], "description": "Always." }
            },
            "required": ["a", "b"],
            "definitions": { "leaf": { "type": "object", "properties": { "x": { "type": "boolean" } } }, "unused": true }
        });
        assert_eq!(
            adapted(&schema).unwrap(),
            json!({
                "type": "object",
                "properties": {
                    "a": { "anyOf": [{ "$ref": "#/$defs/leaf" }, { "type": "null" }], "description": "Or none." },
                    "b": { "$ref": "#/$defs/leaf" }
                },
                "required": ["a", "b"],
                "additionalProperties": false,
                "$defs": { "leaf": { "type": "object", "properties": { "x": { "type": "boolean" } },
                    "additionalProperties": false } }
            })
        );
    }

    #[test]
    fn what_the_provider_would_refuse_is_not_adapted() {
        let tree = json!({ "$ref": "#/$defs/t", "$defs": { "t": { "type": "object",
            "properties": { "kids": { "type": "array", "items": { "$ref": "#/$defs/t" } } } } } });
        for schema in [
            tree,
            json!(true),
            json!({}),
            json!([]),
            json!({ "type": "object" }),
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            json!({ "type": "object", "properties": { "a": {} } }),
            json!({ "type": "object", "properties": { "a": { "type": "null" } }, "required": ["b"] }),
            json!({ "type": "array" }),
            json!({ "type": "array", "items": [{ "type": "string" }] }),
            json!({ "type": "object", "patternProperties": { "^a": { "type": "string" } } }),
            json!({ "allOf": [{ "type": "string" }, { "type": "string" }] }),
            json!({ "allOf": [{ "minLength": 1 }], "type": "string" }),
            json!({ "$ref": "https://example.org/schema" }),
            json!({ "$ref": "#" }),
            json!({ "$ref": "#/$defs/absent" }),
            json!({ "enum": [{ "a": 1 }] }),
        ] {
            assert_eq!(adapted(&schema), None, "{schema}");
        }
    }

    #[test]
    fn the_limits_of_optional_properties_and_of_unions_hold() {
        let object = |count: usize, property: Value, required: bool| {
            let names: Vec<String> = (0..count).map(|at| format!("p{at}")).collect();
            let properties: Map<String, Value> =
                names.iter().map(|name| (name.clone(), property.clone())).collect();
            let required = if required { names } else { Vec::new() };
            json!({ "type": "object", "properties": properties, "required": required })
        };
        assert!(adapted(&object(24, json!({ "type": "string" }), false)).is_some());
        assert_eq!(adapted(&object(25, json!({ "type": "string" }), false)), None);
        assert!(adapted(&object(25, json!({ "type": "string" }), true)).is_some());
        assert!(adapted(&object(16, json!({ "type": ["string", "null"] }), true)).is_some());
        assert_eq!(adapted(&object(17, json!({ "type": ["string", "null"] }), true)), None);
        assert_eq!(
            adapted(&object(17, json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }), true)),
            None
        );
    }

    #[test]
    fn only_simple_patterns_are_compiled() {
        assert!(is_simple(r"^[a-z]+\.\d*$"));
        for pattern in [r"(?=a)", r"(a)\1", r"\bword\b", r"a{2,900}"] {
            assert!(!is_simple(pattern), "{pattern}");
        }
    }
}
