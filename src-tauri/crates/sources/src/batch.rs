//! Several messages in one line (JSON-RPC batches): MCP had them in the generation of 2025-03-26 alone.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The generation that has them.
pub(crate) const GENERATION: &str = "2025-03-26";
/// The most messages in a line.
pub(crate) const MAX_MESSAGES: usize = 1_000;

/// There are more than [`MAX_MESSAGES`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    jsonrpc: Option<IgnoredAny>,
    #[serde(default)]
    id: Option<Value>,
}

#[derive(Deserialize)]
struct Messages<'a>(#[serde(borrow, deserialize_with = "some")] Vec<&'a RawValue>);

/// The messages of a line that is a batch; `None` for any other line.
pub(crate) fn read(line: &[u8]) -> Option<Result<Vec<&RawValue>, TooMany>> {
    if !line.trim_ascii_start().starts_with(b"[") {
        return None;
    }
    let Messages(messages) = serde_json::from_slice(line).ok()?;
    let first: Head = serde_json::from_str(messages.first()?.get()).ok()?;
    first.jsonrpc?;
    Some(if messages.len() > MAX_MESSAGES { Err(TooMany) } else { Ok(messages) })
}

/// The id that a message carries.
pub(crate) fn id_of(message: &RawValue) -> Option<Value> {
    serde_json::from_str::<Head>(message.get()).ok()?.id
}

/// Keeps one more than are taken; the rest is read over.
fn some<'a, D: Deserializer<'a>>(deserializer: D) -> Result<Vec<&'a RawValue>, D::Error> {
    struct BoundedBatch;
    impl<'a> Visitor<'a> for BoundedBatch {
        type Value = Vec<&'a RawValue>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a list of messages")
        }

        fn visit_seq<A: SeqAccess<'a>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut messages = Vec::new();
            while messages.len() <= MAX_MESSAGES {
                match list.next_element()? {
                    Some(message) => messages.push(message),
                    None => return Ok(messages),
                }
            }
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(messages)
        }
    }
    deserializer.deserialize_seq(BoundedBatch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_list_of_messages_is_told_from_other_lines() {
        let texts = |line: &'static str| {
            read(line.as_bytes())
                .map(|batch| batch.map(|all| all.into_iter().map(RawValue::get).collect::<Vec<_>>()))
        };
        let two = r#" [{"jsonrpc":"2.0","id":1}, {"jsonrpc":"2.0","method":"m"}]"#;
        assert_eq!(
            texts(two),
            Some(Ok(vec![r#"{"jsonrpc":"2.0","id":1}"#, r#"{"jsonrpc":"2.0","method":"m"}"#]))
        );
        for other in [
            r#"{"jsonrpc":"2.0","id":1}"#,
            "[info] ready",
            "[]",
            "[1,2]",
            r#"[{"level":3}]"#,
            r#"[{"jsonrpc":"2.0""#,
        ] {
            assert_eq!(texts(other), None, "{other}");
        }
    }

    #[test]
    fn a_batch_is_bounded() {
        let message = r#"{"jsonrpc":"2.0","id":1}"#;
        let line = |count| format!("[{}]", vec![message; count].join(","));
        assert_eq!(
            read(line(MAX_MESSAGES).as_bytes()).map(|batch| batch.map(|all| all.len())),
            Some(Ok(MAX_MESSAGES))
        );
        assert_eq!(
            read(line(5 * MAX_MESSAGES).as_bytes()).map(|batch| batch.map(|all| all.len())),
            Some(Err(TooMany))
        );
    }
}
