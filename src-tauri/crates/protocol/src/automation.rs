//! Automations: what happens by itself, and what came of it.

use automation::{Event, Fault, MissedPolicy};
use domain::Mode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An automation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AutomationRef {
    /// Its id.
    pub id: String,
}

/// An automation to keep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AutomationSave {
    /// Which one it takes the place of; without it a new one.
    #[serde(default)]
    pub id: Option<String>,
    /// What it waits for.
    pub event: Event,
    /// What it says, as the file has it.
    pub entry: Value,
}

/// Enables an automation, or takes that back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AutomationEnable {
    /// Its id.
    pub id: String,
    /// Whether it may do what it says.
    pub on: bool,
    /// Of what the person saw; needed to enable it. Another one by now is refused.
    #[serde(default)]
    pub digest: String,
}

/// Fires an automation now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AutomationFire {
    /// Its id.
    pub id: String,
    /// Whether it is only said what would happen.
    #[serde(default)]
    pub dry: bool,
    /// Of what the person saw: needed to fire one that is not enabled.
    #[serde(default)]
    pub digest: String,
    /// The session that it happens in.
    #[serde(default)]
    pub session: Option<String>,
}

/// Asks for what automations did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AutomationHistory {
    /// Only of this one.
    pub id: Option<String>,
    /// The most rows; at most 1,000, 0 for 100.
    pub limit: u32,
}

/// The automations of a workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutomationPage {
    /// They, in the file's order.
    pub automations: Vec<AutomationRow>,
    /// The file.
    pub path: String,
    /// What is wrong with the file as a whole; then what it last said holds.
    pub problems: Vec<String>,
    /// The time zone of those that name none.
    pub zone: String,
    /// Whether schedules are looked at now: as long as a window or a server is open.
    pub awake: bool,
}

/// How an automation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationState {
    /// It fires.
    Enabled,
    /// The person has not enabled it.
    Disabled,
    /// It was changed since the person enabled it.
    Changed,
    /// Its file has it off.
    Off,
    /// It has faults.
    Broken,
}

/// An automation in a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutomationRow {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What it waits for; absent where this program has no such event.
    pub event: Option<Event>,
    /// The same as the file has it.
    pub event_name: String,
    /// When it fires, in words.
    pub when: String,
    /// What it may do, a sentence for each action.
    pub may: Vec<String>,
    /// How it stands.
    pub state: AutomationState,
    /// When it is due next, in milliseconds since 1970; absent where it is not enabled or waits for something else.
    pub next: Option<i64>,
    /// Its time zone.
    pub zone: String,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
    /// What it did last.
    pub last: Option<AutomationDone>,
}

/// An automation with all that it says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutomationView {
    /// As in the list.
    pub row: AutomationRow,
    /// As the file has it.
    pub entry: Value,
    /// Of what it says; enabling it needs it.
    pub digest: String,
    /// The mode of what it begins.
    pub mode: Mode,
    /// What becomes of times that came while the program was not open.
    pub missed: MissedPolicy,
    /// When it would be due next, in milliseconds since 1970; at most five.
    pub times: Vec<i64>,
    /// What its matcher is held against.
    pub subject: String,
    /// What it did, newest first; at most 20.
    pub history: Vec<AutomationDone>,
}

/// Something that an automation did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AutomationDone {
    /// The automation.
    pub id: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// How long it took, in milliseconds.
    pub ms: i64,
    /// What it waited for.
    pub event: String,
    /// `done`, `failed`, `vetoed`, `refused`, `waiting` (another attempt), `missed` or `would` (nothing was done).
    pub outcome: String,
    /// The same in a sentence.
    pub detail: String,
    /// The session that it began or wrote to.
    pub session: Option<String>,
    /// The turn or run that it began.
    pub run: Option<String>,
}

/// The automation that began a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionAutomation {
    /// Its id.
    pub id: String,
    /// Its name for people, where it is still there.
    pub title: Option<String>,
}
