//! The header fields by which machines on the way route a request without reading it (MCP 2026-07-28, "Request headers").

use std::collections::HashSet;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::reason::Reason;

/// The key in a property's schema that names its header field.
const MIRROR: &str = "x-mcp-header";
/// Deepest nesting of properties that is looked at.
const MAX_DEPTH: usize = 32;

/// An argument that goes into a header field, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mirrored {
    /// The names of the properties that lead to it.
    path: Vec<String>,
    /// The header field without its prefix.
    header: String,
}

/// The arguments of a tool that its schema wants in header fields.
///
/// # Errors
/// Why the schema's wishes can't be met; such a tool is not to be used (MCP 2026-07-28).
pub(crate) fn mirrored(schema: &Value) -> Result<Vec<Mirrored>, Reason> {
    let mut found = Vec::new();
    let mut path = Vec::new();
    walk(schema, true, &mut path, 0, &mut found)?;
    let mut seen = HashSet::new();
    for one in &found {
        if !seen.insert(one.header.to_ascii_lowercase()) {
            return Err(format!("two of its arguments want the header field {:?}", one.header).into());
        }
    }
    Ok(found)
}

fn walk(
    schema: &Value,
    reachable: bool,
    path: &mut Vec<String>,
    depth: usize,
    found: &mut Vec<Mirrored>,
) -> Result<(), Reason> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    let Value::Object(fields) = schema else {
        return Ok(());
    };
    if let Some(header) = fields.get(MIRROR) {
        found.push(one(fields, header, reachable, path)?);
    }
    for (key, value) in fields {
        match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                for (name, property) in properties {
                    path.push(name.clone());
                    walk(property, reachable, path, depth + 1, found)?;
                    path.pop();
                }
            }
            ("$defs" | "definitions" | "patternProperties" | "dependentSchemas", Value::Object(schemas)) => {
                for inner in schemas.values() {
                    walk(inner, false, path, depth + 1, found)?;
                }
            }
            // Values, not schemas.
            ("default" | "const" | "enum" | "examples" | MIRROR, _) => {}
            (_, Value::Object(_)) => walk(value, false, path, depth + 1, found)?,
            (_, Value::Array(items)) => {
                for item in items {
                    walk(item, false, path, depth + 1, found)?;
                }
            }
            (_, _) => {}
        }
    }
    Ok(())
}

fn one(
    fields: &serde_json::Map<String, Value>,
    header: &Value,
    reachable: bool,
    path: &[String],
) -> Result<Mirrored, Reason> {
    let named = path.join(".");
    if !reachable || path.is_empty() {
        return Err("a header field is wanted for what is no plain argument".into());
    }
    let Some(header) = header.as_str().filter(|name| !name.is_empty() && name.chars().all(is_token)) else {
        return Err(format!("argument {named:?} wants a header field without a valid name").into());
    };
    match fields.get("type").and_then(Value::as_str) {
        Some("string" | "integer" | "boolean") => {
            Ok(Mirrored { path: path.to_vec(), header: header.to_owned() })
        }
        Some(_) | None => {
            Err(format!("argument {named:?} is no string, integer or boolean, and wants a header field")
                .into())
        }
    }
}

/// A character of a header field's name (RFC 9110 section 5.6.2).
fn is_token(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter)
}

/// The header fields of a request of the newer generation.
pub(super) fn standard(method: &str, params: Option<&Value>, tool: &[Mirrored]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut put = |name: &str, value: &str| {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(&encoded(value))) {
            headers.insert(name, value);
        }
    };
    put("mcp-method", method);
    let name_key = match method {
        "tools/call" | "prompts/get" => Some("name"),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => Some("uri"),
        "tasks/get" | "tasks/update" | "tasks/cancel" => Some("taskId"),
        _ => None,
    };
    let value_of = |key: &str| params.and_then(|params| params.get(key));
    if let Some(name) = name_key.and_then(value_of).and_then(Value::as_str) {
        put("mcp-name", name);
    }
    if let Some(arguments) = value_of("arguments").filter(|_| method == "tools/call") {
        for mirrored in tool {
            let value = mirrored.path.iter().try_fold(arguments, |value, key| value.get(key));
            let text = match value {
                Some(Value::String(text)) => text.clone(),
                Some(plain @ (Value::Bool(_) | Value::Number(_))) => plain.to_string(),
                Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => continue,
            };
            put(&format!("mcp-param-{}", mirrored.header), &text);
        }
    }
    headers
}

/// A value as it can travel: as it is, or in base64 where blanks at its ends, controls or letters beyond ASCII would not
/// arrive.
fn encoded(value: &str) -> String {
    let blank = |letter: Option<char>| matches!(letter, Some(' ' | '\t'));
    let fragile = blank(value.chars().next())
        || blank(value.chars().next_back())
        || value.chars().any(|letter| !(' '..='~').contains(&letter))
        || (value.starts_with("=?base64?") && value.ends_with("?="));
    if fragile { format!("=?base64?{}?=", BASE64_STANDARD.encode(value)) } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn arguments_travel_as_they_are_or_in_base64() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
            "plain": {"type": "string"}}});
        let tool = mirrored(&schema).unwrap();
        let params =
            json!({"name": "größe", "arguments": {"region": " eu ", "deep": {"n": 7}, "plain": "x"}});
        let headers = standard("tools/call", Some(&params), &tool);
        assert_eq!(headers["mcp-method"], "tools/call");
        assert_eq!(headers["mcp-name"], "=?base64?Z3LDtsOfZQ==?=");
        assert_eq!(headers["mcp-param-region"], "=?base64?IGV1IA==?=");
        assert_eq!(headers["mcp-param-n"], "7");
        assert_eq!(headers.len(), 4);
        let line = standard("prompts/get", Some(&json!({"name": "a\r\nx-evil: 1"})), &[]);
        assert!(line["mcp-name"].to_str().unwrap().starts_with("=?base64?"));
    }

    #[test]
    fn wishes_that_can_not_be_met_are_told() {
        let property = |schema: Value| json!({"properties": {"a": schema}});
        for bad in [
            property(json!({"type": "string", "x-mcp-header": ""})),
            property(json!({"type": "string", "x-mcp-header": "a b"})),
            property(json!({"type": "string", "x-mcp-header": "a\n"})),
            property(json!({"type": "string", "x-mcp-header": 1})),
            property(json!({"type": "number", "x-mcp-header": "A"})),
            property(json!({"x-mcp-header": "A"})),
            property(json!({"type": "array", "items": {"type": "string", "x-mcp-header": "A"}})),
            json!({"type": "string", "x-mcp-header": "A"}),
            json!({"properties": {
                "a": {"type": "string", "x-mcp-header": "A"},
                "b": {"type": "string", "x-mcp-header": "a"}}}),
            json!({"anyOf": [{"properties": {"a": {"type": "string", "x-mcp-header": "A"}}}]}),
        ] {
            assert!(mirrored(&bad).is_err(), "{bad}");
        }
        let example = property(json!({"type": "string", "examples": [{"x-mcp-header": "A"}]}));
        assert_eq!(mirrored(&example), Ok(Vec::new()));
    }
}
