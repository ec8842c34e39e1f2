//! What a tool answered, reduced to one JSON value.

use std::time::Duration;

use domain::READ_INSTEAD;
use serde::Deserialize;
use serde_json::Value;

use crate::content::{ContentPart, content_parts, content_text};
use crate::error::SourceErrorKind;
use crate::text::excerpt;

/// Longest error message of a tool that is kept, in characters.
const MESSAGE_CHARS: usize = 4_000;

/// A successful tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// The structured content; else the text as JSON where it is JSON; else the text with that of resources and links in
    /// their places; else the content blocks.
    pub value: Value,
    /// What a model and a person read, where that is more or other than `value`: all content blocks in order, and the
    /// structured content behind them where they do not say it.
    pub content: Option<Vec<ContentPart>>,
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
    Complete {
        /// The result as one value.
        value: Value,
        /// All of it, where the value is not.
        content: Option<Vec<ContentPart>>,
    },
    /// Its structured result, which its schema has not been compared with yet.
    Structured {
        /// The result.
        value: Value,
        /// What stands beside it, with itself where that does not say it.
        content: Option<Vec<ContentPart>>,
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
    let blocks = result.content.as_deref().unwrap_or_default();
    let parts = content_parts(blocks);
    if result.is_error == Some(true) {
        let mut content = parts;
        content.extend(
            result
                .structured_content
                .filter(|value| !value.is_null())
                .and_then(|value| (!says(blocks, &value)).then(|| ContentPart::Text(value.to_string()))),
        );
        let words = content_text(&content);
        let message = match words.trim() {
            "" => "it gave no reason".to_owned(),
            words => excerpt(words, MESSAGE_CHARS),
        };
        content.retain(|part| matches!(part, ContentPart::File { .. }));
        return Err(SourceErrorKind::Tool { tool: tool.to_owned(), message, files: content });
    }
    let all_text = parts.iter().all(|part| matches!(part, ContentPart::Text(_)));
    if let Some(value) = result.structured_content {
        let text = text_of(blocks).unwrap_or_default();
        let content = match blocks {
            [] => None,
            blocks if stand_for_structured(blocks) => Some(parts),
            blocks if says(blocks, &value) => (!all_text || blocks.len() > 1).then_some(parts),
            _ => Some([parts, vec![ContentPart::Text(value.to_string())]].concat()),
        };
        return Ok(CallEnd::Structured { value, content, text: excerpt(&text, MESSAGE_CHARS) });
    }
    if result.content.is_none() {
        return Err(protocol(format!(
            "the result of tool `{tool}` has neither content nor structuredContent"
        )));
    }
    let only_texts = blocks.iter().all(|block| block.get("type").and_then(Value::as_str) == Some("text"));
    let value = match text_of(blocks) {
        Some(text) => serde_json::from_str(&text)
            .unwrap_or_else(|_| Value::String(if only_texts { text } else { content_text(&parts) })),
        None if all_text && !parts.is_empty() => Value::String(content_text(&parts)),
        None => Value::Array(blocks.to_vec()),
    };
    Ok(CallEnd::Complete { value, content: (!only_texts).then_some(parts) })
}

/// Whether the blocks say a structured value, as the protocol wants it for readers that know none.
fn says(blocks: &[Value], value: &Value) -> bool {
    let mut texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
    texts.any(|text| serde_json::from_str::<Value>(text).is_ok_and(|said| said == *value))
}

/// Whether the server says of its blocks that they are what a model is to read instead of the structured value.
fn stand_for_structured(blocks: &[Value]) -> bool {
    blocks.first().and_then(|block| block.get("_meta")?.get(READ_INSTEAD)?.as_bool()) == Some(true)
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
            CallEnd::Complete { value, .. } | CallEnd::Structured { value, .. } => value,
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
            Err(SourceErrorKind::Tool {
                tool: "find".into(),
                message: "no such row".into(),
                files: Vec::new()
            })
        );
    }

    #[test]
    fn no_part_of_a_result_is_lost() {
        let content = json!([
            { "type": "text", "text": "Found:" },
            { "type": "resource", "resource": { "uri": "x://1", "text": "b" } },
        ]);
        let read = |result| match read_result("t", result).unwrap() {
            CallEnd::Complete { value, content } | CallEnd::Structured { value, content, .. } => {
                (value, content.map(|parts| content_text(&parts)))
            }
            CallEnd::InputRequired { .. } => panic!("it asks back"),
        };
        let whole = "Found:\nx://1\nb";
        assert_eq!(read(json!({ "content": content })), (json!(whole), Some(whole.to_owned())));
        let beside = read(json!({ "content": text("2 rows"), "structuredContent": { "rows": [1, 2] } }));
        assert_eq!(beside, (json!({ "rows": [1, 2] }), Some("2 rows\n{\"rows\":[1,2]}".to_owned())));
        let same = read(json!({ "content": text("{\"a\": 1}"), "structuredContent": { "a": 1 } }));
        assert_eq!(same, (json!({ "a": 1 }), None));
        let for_model = json!([{ "type": "text", "text": "short", "_meta": { READ_INSTEAD: true } }]);
        let read_instead = read(json!({ "content": for_model, "structuredContent": { "a": 1 } }));
        assert_eq!(read_instead, (json!({ "a": 1 }), Some("short".to_owned())));
    }

    /// Shapes of results, and what has to be told of each, in order.
    #[test]
    fn no_part_of_any_shape_is_lost() {
        let shapes: Vec<Value> = serde_json::from_str(include_str!("../tests/results.json")).unwrap();
        assert!(shapes.len() >= 45);
        let files = |parts: &[ContentPart]| {
            parts.iter().filter(|part| matches!(part, ContentPart::File { .. })).count()
        };
        for shape in shapes {
            let (text, files, error) = match read_result("t", shape["result"].clone()) {
                Ok(CallEnd::Complete { value, content } | CallEnd::Structured { value, content, .. }) => {
                    let parts = content.unwrap_or_else(|| match value {
                        Value::Array(blocks) => content_parts(&blocks),
                        Value::String(text) => vec![ContentPart::Text(text)],
                        value => vec![ContentPart::Text(value.to_string())],
                    });
                    (content_text(&parts), files(&parts), false)
                }
                Err(SourceErrorKind::Tool { message, files: kept, .. }) => (message, files(&kept), true),
                other => panic!("{shape}: {other:?}"),
            };
            let mut rest = text.as_str();
            for word in shape["words"].as_array().unwrap() {
                let word = word.as_str().unwrap();
                let Some((_, after)) = rest.split_once(word) else {
                    panic!("{word:?} is missing: {shape}: {text}")
                };
                rest = after;
            }
            assert_eq!(files as u64, shape["files"].as_u64().unwrap_or_default(), "{shape}");
            assert_eq!(error, shape["error"] == true, "{shape}");
        }
    }

    #[test]
    fn the_reason_of_an_error_may_be_anything() {
        let message = |result| match read_result("t", result) {
            Err(SourceErrorKind::Tool { message, files, .. }) => (message, files.len()),
            other => panic!("{other:?}"),
        };
        let resource = json!([{ "type": "resource", "resource": { "uri": "x://1", "text": "no such row" } }]);
        assert_eq!(
            message(json!({ "isError": true, "content": resource })),
            ("x://1\nno such row".to_owned(), 0)
        );
        let picture = json!([{ "type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo=" }]);
        let (words, files) = message(json!({ "isError": true, "content": picture }));
        assert!(words.contains("image/png, 8 bytes") && files == 1, "{words}");
        let both = json!({ "isError": true, "content": text("failed"), "structuredContent": { "code": 7 } });
        assert_eq!(message(both), ("failed\n{\"code\":7}".to_owned(), 0));
        assert_eq!(message(json!({ "isError": true, "content": [] })), ("it gave no reason".to_owned(), 0));
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
