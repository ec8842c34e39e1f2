//! What a person approved of a source: what it reaches as a whole, and each of its tools as it was then.
//!
//! Kept as pins; the one with the empty name is the source itself, its fingerprint the digest of what it reaches. A
//! shipped source is approved with the program: its tools are listed anew after an update.

use std::collections::BTreeMap;

use domain::{Digest, Hints, Problem};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Pin, Store};
use support::now_ms;
use workspace::SourceConfig;

/// The name under which the source itself is pinned.
const WHOLE: &str = "";

/// How a source stands to what was approved of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalState {
    /// As it is now.
    Approved {
        /// Whether what it says of its tools is believed.
        believe: bool,
    },
    /// Never.
    New,
    /// Something else was.
    Changed,
}

/// A source's approval.
#[derive(Debug, Clone)]
pub struct Approval {
    /// Whether it may be used.
    pub standing: ApprovalState,
    /// Whether its tools were ever pinned as it is now.
    pub listed: bool,
    /// Whether it ships with the program.
    pub shipped: bool,
    pins: BTreeMap<String, Pin>,
    fingerprint: String,
}

/// A tool as it was listed.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedTool {
    /// The tool's name.
    pub name: String,
    /// A digest of its definition: a tool that changed has another one.
    pub fingerprint: String,
    /// What a model is shown of it.
    pub definition: Definition,
}

/// What a tool's pin holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Definition {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub description: String,
    pub input: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    pub hints: Hints,
}

/// What the pin of the whole holds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PinContent {
    believe: bool,
    /// Whether its tools were listed when it was approved.
    listed: bool,
    reaches: String,
}

impl Approval {
    /// As it was kept.
    pub async fn read(store: &Store, config: &SourceConfig, own: bool) -> Result<Self, Problem> {
        let pins = store.pinned_tools(&config.key()).await?;
        let mut pins: BTreeMap<String, Pin> = pins.into_iter().map(|pin| (pin.tool.clone(), pin)).collect();
        let fingerprint = fingerprint(config, own);
        let whole = pins.remove(WHOLE);
        let same = whole.as_ref().is_some_and(|whole| whole.fingerprint == fingerprint);
        let about: PinContent =
            whole.as_ref().and_then(|whole| serde_json::from_str(&whole.definition).ok()).unwrap_or_default();
        let standing = match (own, whole.is_some(), same) {
            (false, ..) => ApprovalState::Approved { believe: config.trusted },
            (true, false, _) => ApprovalState::New,
            (true, true, false) => ApprovalState::Changed,
            (true, true, true) => ApprovalState::Approved { believe: about.believe },
        };
        Ok(Self { standing, listed: same && about.listed, shipped: !own, pins, fingerprint })
    }

    /// Whether it may be started and asked.
    pub fn is_given(&self) -> bool {
        matches!(self.standing, ApprovalState::Approved { .. })
    }

    /// Whether what it says of its tools is believed.
    pub fn believes(&self) -> bool {
        matches!(self.standing, ApprovalState::Approved { believe: true })
    }

    /// The tools that were approved.
    pub fn tools(&self) -> Vec<ListedTool> {
        self.pins.values().filter_map(listed).collect()
    }

    /// How many tools were approved.
    pub fn count(&self) -> usize {
        self.pins.len()
    }

    /// How a listed tool stands to what was approved: empty, `new` or `changed`.
    pub fn of_tool(&self, name: &str, fingerprint: &str) -> &'static str {
        match self.pins.get(name) {
            None => "new",
            Some(pin) if pin.fingerprint == fingerprint => "",
            Some(_) => "changed",
        }
    }

    /// Why a listed tool is not called, for a sentence that begins with the tool; `None` where it is as it was approved.
    pub fn refusal_of(&self, name: &str, fingerprint: &str) -> Option<&'static str> {
        match self.of_tool(name, fingerprint) {
            "" => None,
            "new" => Some("has not been approved yet"),
            _ => Some("is not what was approved: its description or schema has changed"),
        }
    }

    /// A tool's definition as it was approved.
    pub fn approved(&self, name: &str) -> Option<Value> {
        serde_json::from_str(&self.pins.get(name)?.definition).ok()
    }

    /// Keeps an approval of the source as it is, with these tools. `None`: its tools are not known yet; those that were
    /// approved before stay only where nothing else changed.
    pub async fn keep(
        &self,
        store: &Store,
        config: &SourceConfig,
        believe: bool,
        tools: Option<&[ListedTool]>,
    ) -> Result<(), Problem> {
        let whole = PinContent {
            believe,
            listed: tools.is_some() || (self.listed && self.is_given()),
            reaches: config.reaches(),
        };
        let at = now_ms();
        let pin = |tool: &str, fingerprint: &str, definition: String| Pin {
            tool: tool.to_owned(),
            fingerprint: fingerprint.to_owned(),
            definition,
            at,
        };
        let mut pins = vec![pin(WHOLE, &self.fingerprint, json!(whole).to_string())];
        match tools {
            Some(tools) => {
                pins.extend(
                    tools
                        .iter()
                        .map(|tool| pin(&tool.name, &tool.fingerprint, json!(tool.definition).to_string())),
                );
            }
            None if self.is_given() => pins.extend(self.pins.values().cloned()),
            None => {}
        }
        store.pin_tools(&config.key(), &pins).await.map_err(Problem::from)
    }
}

/// What the whole is pinned by. A shipped source's tools belong to the program's version.
fn fingerprint(config: &SourceConfig, own: bool) -> String {
    let approval = config.approval().to_string();
    if own { approval } else { format!("{approval} {}", env!("CARGO_PKG_VERSION")) }
}

fn listed(pin: &Pin) -> Option<ListedTool> {
    let definition = serde_json::from_str(&pin.definition).ok()?;
    Some(ListedTool { name: pin.tool.clone(), fingerprint: pin.fingerprint.clone(), definition })
}

impl ListedTool {
    /// A tool of a server.
    pub fn of(tool: &sources::Tool) -> Self {
        Self {
            name: tool.name.clone(),
            fingerprint: tool.fingerprint.clone(),
            definition: Definition {
                title: tool.title.clone(),
                description: tool.description.clone(),
                input: tool.input_schema.clone(),
                output: tool.output_schema.clone(),
                hints: Hints {
                    read_only: tool.hints.read_only,
                    destructive: tool.hints.destructive,
                    idempotent: tool.hints.idempotent,
                    open_world: tool.hints.open_world,
                },
            },
        }
    }

    /// The server's tool again.
    pub fn tool(&self) -> sources::Tool {
        let Definition { title, description, input, output, hints } = self.definition.clone();
        sources::Tool {
            name: self.name.clone(),
            title,
            description,
            input_schema: input,
            output_schema: output,
            hints: sources::ToolHints {
                read_only: hints.read_only,
                destructive: hints.destructive,
                idempotent: hints.idempotent,
                open_world: hints.open_world,
            },
            fingerprint: self.fingerprint.clone(),
        }
    }

    /// A tool that is made here out of a description.
    pub fn made(name: &str, definition: Definition) -> Self {
        let fingerprint = Digest::of_json(&json!({"name": name, "definition": definition})).to_string();
        Self { name: name.to_owned(), fingerprint, definition }
    }
}
