//! What a pause shows and offers.

use domain::agent::{ChoiceAction, PauseSpec};
use domain::{PauseId, StageId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A pause as a surface shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Form {
    /// Names the pause in the answer.
    pub pause: PauseId,
    /// The stage it belongs to.
    pub stage: StageId,
    /// The stage's title.
    pub title: String,
    /// What it waits for.
    pub kind: FormKind,
    /// The message, Markdown with `<details>`.
    pub markdown: String,
    /// Questions, each with an answer field of its own.
    pub questions: Vec<String>,
    /// What can be chosen; the first that proceeds is the default.
    pub choices: Vec<FormChoice>,
    /// Whether the stage's output may be edited in place.
    pub editable: bool,
    /// The header alone, for surfaces that lay the message out themselves.
    #[serde(default)]
    pub heading: String,
    /// A word beside the header, where a rule of the agent gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The meter beside the header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meter: Option<FormMeter>,
    /// The message's parts without questions and choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<FormPart>,
    /// Lists of the output that can be edited in place, where it is editable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<FormList>,
    /// The output; an edit sends it back whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// The label of the folded output.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output_label: String,
    /// The depth that the run goes on with, where the reply may change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<String>,
    /// The limit on money that the run reached, where it waits for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<domain::LimitReached>,
}

domain::words! {
    /// What a pause waits for.
    pub enum FormKind {
        /// What its stage's agent has it pause for.
        Stage = "stage",
        /// Whether to repeat calls whose outcome is unknown.
        Ambiguous = "ambiguous",
        /// More of a budget.
        Budget = "budget",
        /// An answer of yours, in a conversation of a stage.
        Dialogue = "dialogue",
        /// What happens to work that did not pass its check.
        Gate = "gate",
        /// Permission for calls.
        Permission = "permission",
        /// A handoff to a fresh conversation.
        Handoff = "handoff",
    }
}

/// A number with a threshold, both from 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FormMeter {
    /// Its name.
    pub label: String,
    /// The value.
    pub value: f64,
    /// What it should reach.
    pub threshold: f64,
}

/// A part of the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormPart {
    /// Its title, plain; empty for none.
    pub title: String,
    /// Its text, Markdown.
    pub markdown: String,
    /// The list of [`Form::lists`] that it shows, where it shows one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<String>,
}

/// A list of objects in the output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormList {
    /// The output's field that holds it.
    pub field: String,
    /// The fewest items.
    pub min_items: u32,
    /// The most items.
    pub max_items: u32,
    /// The fields of an item, in the order of the schema.
    pub columns: Vec<FormColumn>,
}

/// A field of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormColumn {
    /// The field.
    pub field: String,
    /// Whether an item must have it.
    pub required: bool,
    /// What it may be.
    pub kind: FormColumnKind,
    /// The values that it may have, for a choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// What a new item has here when it is left empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

/// What a field may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FormColumnKind {
    /// A text.
    Text,
    /// One of some texts.
    Choice,
    /// A list of texts.
    Texts,
}

/// One choice as a surface shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FormChoice {
    /// Names it in the answer.
    pub id: String,
    /// What its button says.
    pub label: String,
    /// What it does.
    pub action: ChoiceAction,
    /// What happens next.
    pub next: String,
    /// Why it is not to be had, and what would change that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

impl FormList {
    /// Lists of objects in an output, with their columns from the output's schema. `reading`: as in what a run pins, since the form
    /// of a pause is computed again when a log is replayed.
    pub fn from_output(
        schema: Option<&Value>,
        output: &Value,
        pause: Option<&PauseSpec>,
        reading: u32,
    ) -> Vec<Self> {
        let most = if reading == 0 { 1_000 } else { u32::MAX };
        let Some(schema) = schema else { return Vec::new() };
        let resolve = |value: &Value| -> Value {
            let target = value.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
            target.and_then(|path| schema.pointer(path)).unwrap_or(value).clone()
        };
        let fields = schema.get("properties").and_then(Value::as_object);
        let mut lists: Vec<Self> = Vec::new();
        for (field, list) in fields.into_iter().flatten() {
            if !output.get(field).is_some_and(Value::is_array) {
                continue;
            }
            let item = list.get("items").map(resolve).unwrap_or_default();
            let required = item.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            let columns: Vec<FormColumn> = item
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .filter_map(|(name, column)| {
                    let column = resolve(column);
                    let texts = |value: &Value| -> Vec<String> {
                        let values = value.as_array().into_iter().flatten();
                        values.filter_map(|value| value.as_str().map(str::to_owned)).collect()
                    };
                    let options = column.get("enum").map(texts).unwrap_or_default();
                    // What may be a text or a number is written as a text.
                    let kinds = match column.get("type") {
                        Some(Value::Array(kinds)) => kinds.as_slice(),
                        Some(kind) => std::slice::from_ref(kind),
                        None => &[],
                    };
                    let is = |name: &str| kinds.iter().any(|kind| kind == name);
                    let kind = if !options.is_empty() {
                        FormColumnKind::Choice
                    } else if is("string") {
                        FormColumnKind::Text
                    } else if is("array") {
                        FormColumnKind::Texts
                    } else {
                        return None;
                    };
                    let required = required.iter().any(|field| field.as_str() == Some(name));
                    let default = pause.and_then(|pause| pause.defaults.get(name)).cloned();
                    Some(FormColumn { field: name.clone(), required, kind, options, default })
                })
                .collect();
            let bound = |key: &str, otherwise: u32| {
                let bound = list.get(key).and_then(Value::as_u64);
                bound.map_or(otherwise, |n| u32::try_from(n).unwrap_or(u32::MAX).min(most))
            };
            if !columns.is_empty() {
                lists.push(FormList {
                    field: field.clone(),
                    min_items: bound("minItems", 0),
                    max_items: bound("maxItems", 100),
                    columns,
                });
            }
        }
        lists
    }
}
