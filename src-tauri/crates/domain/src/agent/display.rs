//! How a stage's output is shown to a person: data, so that any agent gets a readable pause.
//!
//! A *path list* names fields separated by `|`; the first that exists (and isn't `null`) counts. Dots go deeper, through a
//! list into each item. `name[field=a,b]` keeps the items of a list whose field is one of these texts, whatever the case;
//! `!=` keeps the others. Paths start at the container; `$.name` starts at the whole output. A last alternative in single
//! quotes stands for itself: `{depth_mode|'default'}`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How an output becomes a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Display {
    /// The bold header.
    pub header: String,
    /// Path list: where the data may be wrapped; without a match the output itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// Path list: without any of these the output counts as unreadable and is shown folded, with an explanation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires: Option<String>,
    /// A number from 0 to 1 shown beside the header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meter: Option<Meter>,
    /// The status shown beside the header: the first whose `when` is true.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub status: Vec<StatusRule>,
    /// The parts, in order.
    #[serde(default)]
    pub sections: Vec<DisplaySection>,
    /// The label of the folded raw data.
    #[serde(default = "full_data")]
    pub data_label: String,
}

fn full_data() -> String {
    "Full Data (JSON)".to_owned()
}

/// A number with a threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Meter {
    /// Its name.
    pub label: String,
    /// Path list.
    pub path: String,
    /// From 0 to 1.
    pub threshold: f64,
}

/// A status and when it holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatusRule {
    /// The word shown.
    pub label: String,
    /// Expression over `output`, `telemetry` and what other expressions see.
    pub when: String,
    /// A template: what it means and what to do.
    #[serde(default)]
    pub summary: String,
}

/// One part of the message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DisplaySection {
    /// Its title; `{count}` and `{path list}` are filled in.
    pub title: String,
    /// Path list.
    pub path: String,
    /// How the value is written.
    #[serde(default)]
    pub style: DisplayStyle,
    /// How one item is written; `{path list}` is filled in, a missing field takes the text before it along, and the bracket
    /// which that text opened. An item that is a text is written as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<String>,
    /// When it is shown; an empty value never is.
    #[serde(default)]
    pub show: Show,
}

/// How a value is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
pub enum DisplayStyle {
    #[default]
    Bullets,
    Numbered,
    Commas,
    Text,
}

/// When a part is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Show {
    /// Whenever it has a value.
    #[default]
    Present,
    /// Only when the meter is below its threshold.
    BelowThreshold,
}
