//! JSON Schemas of servers: whether they are any, and whether a result fits one. Nothing that they refer to is fetched.

use jsonschema::{Draft, PatternOptions};
use serde_json::Value;

use crate::reason::Reason;
use crate::text::excerpt;

/// The longest reason, in characters.
const REASON_CHARS: usize = 300;

/// Says what keeps a schema from being used; begins with a verb.
pub(crate) fn check_schema(schema: &Value, limit: usize) -> Result<(), Reason> {
    if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
        return Err(Reason("is no JSON Schema".to_owned()));
    }
    if schema.to_string().len() > limit {
        return Err(Reason(format!("is larger than {limit} bytes")));
    }
    // A dialect of the server's own can't be judged here.
    let own = schema.get("$schema").and_then(Value::as_str);
    if own.is_some_and(|own| Draft::from_schema_uri(own) == Draft::Unknown) {
        return Ok(());
    }
    jsonschema::meta::validate(schema).map_err(|error| {
        let place = error.instance_path().to_string();
        Reason(excerpt(&format!("is no JSON Schema at {}: {error}", shown(&place)), REASON_CHARS))
    })
}

/// Where a value does not fit a schema, and why. A schema that can't be compiled, as one that refers to another document,
/// checks nothing.
pub(crate) fn misfit(schema: &Value, value: &Value) -> Option<(String, String)> {
    // Patterns of a server run on the server's own text: only an engine that takes linear time is safe.
    let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
    let validator = match options.build(schema) {
        Ok(validator) => validator,
        Err(error) => {
            tracing::debug!(%error, "an output schema can't be compiled; nothing is checked against it");
            return None;
        }
    };
    let error = validator.validate(value).err()?;
    let place = error.instance_path().to_string();
    Some((excerpt(shown(&place), REASON_CHARS), excerpt(&error.masked().to_string(), REASON_CHARS)))
}

/// The root of a document has an empty pointer.
fn shown(pointer: &str) -> &str {
    if pointer.is_empty() { "/" } else { pointer }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    #[test]
    fn the_place_of_a_misfit_is_named() {
        let schema = json!({
            "type": "object",
            "properties": {"rows": {"type": "array", "items": {"type": "integer"}}},
            "required": ["rows"],
        });
        let place = |value: Value| misfit(&schema, &value).map(|(place, _)| place);
        assert_eq!(place(json!({"rows": [1, 2]})), None);
        assert_eq!(place(json!({"rows": [1, "2"]})).as_deref(), Some("/rows/1"));
        assert_eq!(place(json!({})).as_deref(), Some("/"));
        assert_eq!(place(Value::Null).as_deref(), Some("/"));
    }

    #[test]
    fn what_a_schema_refers_to_is_not_fetched() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = format!("http://{}/schema.json", listener.local_addr().unwrap());
        for schema in
            [json!({"$ref": address}), json!({"$schema": address}), json!({"$ref": "file:///etc/passwd"})]
        {
            assert_eq!(check_schema(&schema, 1_000), Ok(()));
            assert_eq!(misfit(&schema, &json!(5)), None);
        }
        assert!(listener.accept().is_err());
    }
}
