//! What a tool answered, reduced to one JSON value.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::error::SourceErrorKind;
use crate::text::excerpt;

/// Longest error message of a tool that is kept, in characters.
const MESSAGE_CHARS: usize = 4_000;

/// A successful tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// The structured content; else the text as JSON where it is JSON; else the text; else the content blocks.
    pub value: Value,
    /// What a model is to read instead, where the server gives that beside its structured content: the text as JSON.
    pub shown: Option<Value>,
    /// Size of the answer on the wire, in bytes.
    pub bytes: usize,
    /// From the call to the answer, waiting for a free slot included.
    pub duration: Duration,
}

/// The result of `tools/call` as far as it is understood, in both protocol generations.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallResult {
    #[serde(default)]
    result_type: Option<String>,
    #[serde(default)]
    content: Option<Vec<Value>>,
    /// Present and null is an answer; absent is none.
    #[serde(default, deserialize_with = "present")]
    structured_content: Option<Value>,
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(default)]
    input_requests: Option<serde_json::Map<String, Value>>,
    #[serde(default)]
    request_state: Option<String>,
}

/// What a call came to.
#[derive(Debug, PartialEq)]
pub(crate) enum CallEnd {
    /// Its result.
    Complete(Value),
    /// Its structured result, which its schema has not been compared with yet.
    Structured {
        /// The result.
        value: Value,
        /// The text beside it as JSON, where it is and says something else.
        shown: Option<Value>,
        /// The text beside it, cleaned and cut.
        text: String,
    },
    /// Questions that have to be answered first.
    InputRequired {
        /// The questions by their keys.
        requests: serde_json::Map<String, Value>,
        /// What the server wants back unchanged.
        state: Option<String>,
    },
}

fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Reads the result of a call.
pub(crate) fn read_result(tool: &str, result: Value) -> Result<CallEnd, SourceErrorKind> {
    let protocol = |detail: String| SourceErrorKind::Protocol { detail };
    let result: CallResult = serde_json::from_value(result)
        .map_err(|error| protocol(format!("the result of tool `{tool}` has a wrong shape: {error}")))?;
    if result.result_type.as_deref() == Some("input_required")
        && (result.input_requests.is_some() || result.request_state.is_some())
    {
        let requests = result.input_requests.unwrap_or_default();
        return Ok(CallEnd::InputRequired { requests, state: result.request_state });
    }
    if let Some(other) = result.result_type.filter(|kind| kind != "complete") {
        return Err(protocol(format!(
            "tool `{tool}` answered with `{}`, which needs a dialogue that is not offered",
            excerpt(&other, 40)
        )));
    }
    if result.is_error == Some(true) {
        let text = text_of(result.content.as_deref().unwrap_or_default());
        let message = match (text, result.structured_content) {
            (Some(text), _) => excerpt(&text, MESSAGE_CHARS),
            (None, Some(value)) => excerpt(&value.to_string(), MESSAGE_CHARS),
            (None, None) => "it gave no reason".to_owned(),
        };
        return Err(SourceErrorKind::Tool { tool: tool.to_owned(), message });
    }
    if let Some(value) = result.structured_content {
        let text = text_of(result.content.as_deref().unwrap_or_default()).unwrap_or_default();
        let shown: Option<Value> = serde_json::from_str(&text).ok();
        let shown = shown.filter(|shown| shown.is_object() && *shown != value);
        return Ok(CallEnd::Structured { value, shown, text: excerpt(&text, MESSAGE_CHARS) });
    }
    let Some(content) = result.content else {
        return Err(protocol(format!(
            "the result of tool `{tool}` has neither content nor structuredContent"
        )));
    };
    Ok(CallEnd::Complete(match text_of(&content) {
        Some(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
        None => Value::Array(content),
    }))
}

/// The text blocks joined by line feeds, or `None` when there is no text.
fn text_of(content: &[Value]) -> Option<String> {
    let texts: Vec<&str> = content
        .iter()
        .filter(|block| block.get("type").and_then(Value::as_str) == Some("text"))
        .filter_map(|block| block.get("text").and_then(Value::as_str))
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    fn text(words: &str) -> Value {
        json!([{"type": "text", "text": words}])
    }

    #[test]
    fn structured_content_comes_before_text_and_json_before_prose() {
        let read = |result| match read_result("t", result).unwrap() {
            CallEnd::Complete(value) | CallEnd::Structured { value, .. } => value,
            CallEnd::InputRequired { .. } => panic!("it asks back"),
        };
        assert_eq!(read(json!({"content": text("prose"), "structuredContent": {"a": 1}})), json!({"a": 1}));
        assert_eq!(read(json!({"content": text("ignored"), "structuredContent": null})), Value::Null);
        assert_eq!(read(json!({"content": text("[1.5]")})), json!([1.5]));
        assert_eq!(read(json!({"content": text("1 apple")})), json!("1 apple"));
        let image = json!([{"type": "image", "data": "AA==", "mimeType": "image/png"}]);
        assert_eq!(read(json!({"content": image})), image);
    }

    #[test]
    fn an_error_of_the_tool_is_an_error_here() {
        let result = json!({"content": text("no such\u{7} row"), "isError": true});
        assert_eq!(
            read_result("find", result),
            Err(SourceErrorKind::Tool { tool: "find".into(), message: "no such row".into() })
        );
    }

    #[test]
    fn other_shapes_break_the_protocol() {
        for result in [
            json!("text"),
            json!({"content": "text"}),
            json!({}),
            json!({"resultType": "input_required"}),
            json!({"resultType": "task", "content": []}),
        ] {
            assert!(matches!(read_result("t", result), Err(SourceErrorKind::Protocol { .. })));
        }
    }
}
