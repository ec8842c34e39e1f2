//! Content hashes and the one canonical JSON they are taken over.

use std::fmt::{self, Write as _};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest (FIPS 180-4), printed and serialised as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
#[schemars(with = "String")]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(Sha256::digest(bytes.as_ref()).into())
    }

    /// The digest of a value's canonical JSON.
    pub fn of_json(value: &Value) -> Self {
        Self::of(canonical(value))
    }

    /// The first twelve hexadecimal digits, for messages.
    pub fn short(&self) -> String {
        self.to_string().chars().take(12).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As one text: each payload of each event passes here.
        let mut text = [0; 64];
        hex::encode_to_slice(self.0, &mut text).map_err(|_| fmt::Error)?;
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

/// Text that is not 64 hexadecimal digits.
#[derive(Debug, thiserror::Error)]
#[error("not a SHA-256 digest (64 hexadecimal digits): {0:?}")]
pub struct NotADigest(String);

impl std::str::FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let mut bytes = [0u8; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| NotADigest(text.chars().take(80).collect()))?;
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl de::Visitor<'_> for Text {
            type Value = Digest;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("64 hexadecimal digits")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Digest, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// Compact JSON with object keys in ascending order, whatever order the value holds them in.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            let mut fields: Vec<(&String, &Value)> = map.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            out.push('{');
            for (index, (name, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_text(name, out);
                out.push(':');
                write_canonical(value, out);
            }
            out.push('}');
        }
        Value::String(text) => write_text(text, out),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            // Writing to a text does not fail, here and below.
            let _ = write!(out, "{value}");
        }
    }
}

/// A text as JSON. Every payload of every event passes here, so the pieces that stand for themselves are copied as they are.
fn write_text(text: &str, out: &mut String) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    let is_escaped = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    while let Some(at) = rest.bytes().position(is_escaped) {
        let (plain, from) = rest.split_at(at);
        let (escaped, then) = from.split_at(1);
        out.push_str(plain);
        match escaped {
            "\"" => out.push_str("\\\""),
            "\\" => out.push_str("\\\\"),
            "\u{8}" => out.push_str("\\b"),
            "\t" => out.push_str("\\t"),
            "\n" => out.push_str("\\n"),
            "\u{c}" => out.push_str("\\f"),
            "\r" => out.push_str("\\r"),
            other => {
                let _ = write!(out, "\\u{:04x}", other.bytes().next().unwrap_or_default());
            }
        }
        rest = then;
    }
    out.push_str(rest);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn canonical_json_sorts_keys_at_every_depth() {
        assert_eq!(
            canonical(&json!({"b": [{"d": 1, "c": "é\n"}], "a": null})),
            r#"{"a":null,"b":[{"c":"é\n","d":1}]}"#
        );
    }

    #[test]
    fn texts_stand_in_canonical_json_as_serde_json_writes_them() {
        let every: String = (0..0x100).chain([0x2028, 0x1F600]).filter_map(char::from_u32).collect();
        for text in ["", "plain", "\"", "a\\b\n", "\u{7f}", &every, &every.repeat(3)] {
            let value = json!({ text: [text, 1.5, -3, true, null] });
            assert_eq!(canonical(&value), value.to_string(), "{text:?}");
        }
    }

    #[test]
    fn a_digest_survives_its_text_form() {
        let digest = Digest::of("abc");
        assert_eq!(digest.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(digest.to_string().parse::<Digest>().unwrap(), digest);
        assert!("xyz".parse::<Digest>().is_err());
        assert_eq!(serde_json::from_str::<Digest>(&serde_json::to_string(&digest).unwrap()).unwrap(), digest);
    }
}
