//! References inside the document, unfolded.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

/// How deep a schema may be; what lies deeper becomes "anything".
const MAX_DEPTH: usize = 12;
/// References that lead to references.
const CHAIN: usize = 16;
/// Keywords of a schema that a model has no use for.
const DROPPED: [&str; 9] = [
    "xml",
    "externalDocs",
    "example",
    "examples",
    "discriminator",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$schema",
];

/// The value that a reference leads to, or the value itself. `None`: it leads nowhere, out of the document or around.
pub(super) fn resolved<'d>(document: &'d Value, value: &'d Value) -> Option<&'d Value> {
    let mut at = value;
    for _ in 0..CHAIN {
        match at.get("$ref").and_then(Value::as_str) {
            None => return Some(at),
            Some(target) => at = document.pointer(&percent_decoded(target.strip_prefix('#')?))?,
        }
    }
    None
}

/// A pointer in an address may be percent-encoded.
fn percent_decoded(pointer: &str) -> Cow<'_, str> {
    percent_decode_str(pointer).decode_utf8_lossy()
}

/// Unfolds schemas within a budget of values.
pub(super) struct Unfold<'d> {
    document: &'d Value,
    open: Vec<String>,
    left: usize,
    /// Whether something was left out.
    pub(super) cut: bool,
}

impl<'d> Unfold<'d> {
    pub(super) fn new(document: &'d Value) -> Self {
        Self { document, open: Vec::new(), left: 3_000, cut: false }
    }

    /// A schema without references, keywords nobody reads, and circles.
    pub(super) fn schema(&mut self, schema: &Value, depth: usize) -> Value {
        if depth > MAX_DEPTH || self.left == 0 {
            self.cut = true;
            return Value::Object(Map::new());
        }
        self.left -= 1;
        let Value::Object(fields) = schema else {
            return if schema.is_boolean() { schema.clone() } else { Value::Object(Map::new()) };
        };
        if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
            if self.open.iter().any(|open| open == target) {
                self.cut = true;
                return Value::Object(Map::new());
            }
            let found =
                target.strip_prefix('#').and_then(|pointer| self.document.pointer(&percent_decoded(pointer)));
            let Some(found) = found else {
                self.cut = true;
                return Value::Object(Map::new());
            };
            self.open.push(target.to_owned());
            let unfolded = self.schema(found, depth + 1);
            self.open.pop();
            return unfolded;
        }
        let nullable = fields.get("nullable").and_then(Value::as_bool).unwrap_or(false);
        let mut made = Map::new();
        for (name, value) in fields {
            if DROPPED.contains(&name.as_str()) || name == "nullable" || name.starts_with("x-") {
                continue;
            }
            let value = match name.as_str() {
                "properties" | "patternProperties" | "$defs" | "definitions" => self.each(value, depth),
                "items"
                | "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames"
                | "unevaluatedProperties" => self.schema(value, depth + 1),
                "allOf" | "anyOf" | "oneOf" | "prefixItems" => match value {
                    Value::Array(all) => {
                        Value::Array(all.iter().take(50).map(|one| self.schema(one, depth + 1)).collect())
                    }
                    _ => continue,
                },
                "description" | "title" => match value.as_str() {
                    Some(text) => Value::String(crate::text::excerpt(text, 600)),
                    None => continue,
                },
                // OpenAPI 3.0 writes a bound and, beside it, whether it belongs to it.
                "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => continue,
                "enum" | "required" | "type" | "default" | "const" | "format" | "pattern" | "minimum"
                | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength"
                | "maxLength" | "minItems" | "maxItems" | "uniqueItems" | "minProperties"
                | "maxProperties" => {
                    if value.to_string().len() > 4_000 {
                        self.cut = true;
                        continue;
                    }
                    value.clone()
                }
                _ => continue,
            };
            made.insert(name.clone(), value);
        }
        if nullable && let Some(Value::String(kind)) = made.get("type").cloned() {
            made.insert("type".to_owned(), serde_json::json!([kind, "null"]));
        }
        Value::Object(made)
    }

    fn each(&mut self, value: &Value, depth: usize) -> Value {
        let Value::Object(fields) = value else { return Value::Object(Map::new()) };
        let made =
            fields.iter().take(300).map(|(name, schema)| (name.clone(), self.schema(schema, depth + 1)));
        Value::Object(made.collect())
    }
}
