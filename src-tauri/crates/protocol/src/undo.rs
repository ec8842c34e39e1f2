//! What a turn did to files, and taking it back.

use domain::RunId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Takes back what a turn did to files, or takes that back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TurnUndo {
    /// The turn.
    pub run: RunId,
    /// Its files, absolute or as they are shown; empty: all of them.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Whether what was undone is done again.
    #[serde(default)]
    pub redo: bool,
    /// Whether files are put back, too, that something else changed since; what they hold is kept first.
    #[serde(default)]
    pub force: bool,
}

/// What a turn did to files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnChanges {
    /// The turn.
    pub run: RunId,
    /// Files, in the order in which they were first changed.
    pub files: Vec<ChangedFile>,
    /// What is to be known besides: commands, of which nobody knows what they changed.
    pub notes: Vec<String>,
}

/// A file that a turn changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The file, absolute.
    pub path: String,
    /// As people read it: relative to the session's first folder where it is in that.
    pub shown: String,
    /// What the turn did, all in all.
    pub did: FileChangeKind,
    /// Whether that was undone.
    pub undone: bool,
    /// Whether it can be undone, or done again.
    pub standing: FileUndoState,
    /// The turn of the same session whose change stands in the way.
    pub by: Option<RunId>,
    /// Why it can't be put back, or was not, in words; may be empty.
    pub note: String,
    /// Its texts, where this file was asked for.
    pub texts: Option<FileTexts>,
    /// Whether the command that this answers put it back; absent: it did not try.
    pub done: Option<bool>,
}

/// What a turn did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileChangeKind {
    /// It was not there before.
    Created,
    /// It was there and is.
    Changed,
    /// It was there before.
    Removed,
}

/// Whether a file can be put back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileUndoState {
    /// It can.
    Ready,
    /// Something else changed it since: with force only.
    ChangedSince,
    /// What it held was not kept.
    NotKept,
    /// It holds what it would be put back to.
    Nothing,
    /// It can't be reached.
    Refused,
}

/// The texts of a changed file, each cut at 1 MiB.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct FileTexts {
    /// What it holds now; absent: it is not there, or no text.
    pub now: Option<String>,
    /// What it would be put back to; absent: it would be gone, is no text or was not kept.
    pub back: Option<String>,
    /// Whether either is no text, and left out.
    pub binary: bool,
}
