//! The library of the web: what was fetched, from where may be fetched, and what was refused.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web_library::HostDecision;
use web_library::log::LogKind;
use web_library::policy::Profile;

/// An address that was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebPage {
    /// The address.
    pub url: String,
    /// The one that answered.
    pub final_url: String,
    /// Its title.
    pub title: Option<String>,
    /// What it is, in words.
    pub kind: String,
    /// How many bytes.
    pub bytes: u64,
    /// Pages, where the format has them.
    pub pages: Option<u32>,
    /// The day on which its bytes came, `YYYY-MM-DD`.
    pub retrieved: String,
    /// The day on which the server last said that they are the newest.
    pub checked: String,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Why it has no text.
    pub unreadable: Option<String>,
}

/// Addresses that were fetched, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebPages {
    /// Those that were asked for.
    pub pages: Vec<WebPage>,
    /// How many fit.
    pub total: u32,
}

/// The text of an address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebText {
    /// The address.
    pub page: WebPage,
    /// Whether the address has a newer version: these are the bytes that were asked for.
    pub earlier: bool,
    /// Its text in numbered blocks; empty where it has none.
    pub blocks: Vec<WebBlock>,
    /// How many blocks there are besides.
    pub left: u32,
}

/// A block of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebBlock {
    /// Its number, from 1.
    pub number: u32,
    /// The page that it is on, where the format has pages.
    pub page: Option<u32>,
    /// What it says.
    pub text: String,
}

/// From where may be fetched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebPolicy {
    /// How careful it is.
    pub profile: Profile,
    /// Hosts and folders that are known.
    pub allow: Vec<String>,
    /// Hosts and folders from which nothing is fetched; stands over `allow`.
    pub block: Vec<String>,
    /// If there are any: nothing else is fetched.
    pub only: Vec<String>,
    /// Hosts that were refused because nobody has decided about them, the one refused last first.
    pub waiting: Vec<WaitingHost>,
}

/// A host about which nobody has decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingHost {
    /// The host.
    pub host: String,
    /// How often it was refused.
    pub times: u32,
    /// The address that was asked for last.
    pub url: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// What is decided about hosts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebDecision {
    /// The hosts or folders of them, as `example.org` or `example.org/reports`.
    pub sources: Vec<String>,
    /// What.
    pub decision: HostDecision,
}

/// A fetch, a refusal or a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebLogLine {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// What.
    pub kind: LogKind,
    /// The address, host or question.
    pub place: String,
    /// The reason of a refusal, as one word; of what was fetched, why it has no text.
    pub code: Option<String>,
    /// The reason in words.
    pub why: Option<String>,
}
