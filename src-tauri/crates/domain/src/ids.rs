//! Identifiers. Each is a string newtype, so that one can't be passed where another is meant.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

id!(
    /// A run of an agent: `run-` and 26 characters that sort by time of creation.
    RunId
);
id!(
    /// A session: `YYMMDD-adjective-noun`.
    SessionId
);
id!(
    /// A pause of a run: unique within its run.
    PauseId
);
id!(
    /// An agent's folder name.
    AgentSlug
);

/// A stage's id within its agent. Written as a string or an integer in a config; always text here.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(with = "StageIdForm")]
pub struct StageId(pub String);

#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code)] // only its schema is used
enum StageIdForm {
    Number(u32),
    Text(String),
}

impl StageId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for StageId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrNumber;
        impl de::Visitor<'_> for TextOrNumber {
            type Value = StageId;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string or an integer from 0")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<StageId, E> {
                Ok(StageId(text.to_owned()))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<StageId, E> {
                u32::try_from(number).map(|number| StageId(number.to_string())).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(TextOrNumber)
    }
}

impl std::fmt::Display for StageId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for StageId {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}
