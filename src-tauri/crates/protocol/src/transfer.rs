//! Export, import and sharing.

use domain::Problem;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use transfer::{Finding, Report};

use crate::Hidden;

/// In which form sessions leave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TransferFormat {
    /// Lines of JSON, one file for each session.
    Jsonl,
    /// Markdown, one file for each session.
    Markdown,
    /// One page for each session that opens anywhere.
    #[default]
    Html,
    /// One archive for another machine, exactly as it is stored.
    Bundle,
}

/// What leaves, and how.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ExportOptions {
    /// Ids of sessions.
    pub sessions: Vec<String>,
    /// All sessions of the workspace, those in the archive too.
    pub all: bool,
    /// Sessions that fit this search line.
    pub line: Option<String>,
    /// In which form.
    pub format: TransferFormat,
    /// Whether what looks like a secret or names a person is taken out. Never in a bundle: it would not be verifiable.
    pub redact: bool,
    /// Ids of findings that stay all the same.
    pub keep: Vec<String>,
    /// The file, or with several files the folder; absent: in the data directory.
    pub path: Option<String>,
    /// Whether documents are exported as they were checked when they were made.
    pub unchecked: bool,
    /// With a bundle: whether the workspace's own files go with it.
    pub workspace_files: bool,
}

/// What would leave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportPreview {
    /// How many sessions.
    pub sessions: u32,
    /// How many messages.
    pub messages: u64,
    /// What would be taken out.
    pub findings: Vec<Finding>,
    /// How many more occurrences there are than are listed.
    pub more: u64,
    /// What the person should know: that the vault is locked, for example.
    pub notes: Vec<String>,
}

/// What left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExportWritten {
    /// The file, or the folder with several.
    pub path: String,
    /// How many files.
    pub files: u32,
    /// How many sessions.
    pub sessions: u32,
    /// Bytes of all files.
    pub bytes: u64,
    /// How many values were taken out.
    pub redacted: u64,
    /// What the person should know.
    pub notes: Vec<String>,
}

/// What is to be read, as an import with the same choices would.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportFrom {
    /// A file or folder, absolute.
    pub path: String,
    /// Only these of its workspaces; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<String>,
    /// Only sessions, none of the workspace's files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sessions_only: bool,
    /// Whether what has the name of something built in would take its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replace_built_in: bool,
}

/// What was found at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// A bundle of this program.
    Bundle,
    /// A session of this program, as lines of JSON.
    Transcript,
    /// Craft Agent's folder, or one of its workspaces.
    Craft,
    /// One session's folder of Craft Agent.
    CraftSession,
    /// Conversations that another program keeps or exported.
    Program,
}

/// A folder of another program on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportPlace {
    /// The program's name.
    pub program: String,
    /// The folder.
    pub path: String,
    /// How many sessions it has.
    pub sessions: u32,
}

/// What an import would do. Nothing has been written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportView {
    /// What it is.
    pub kind: ImportKind,
    /// The place.
    pub path: String,
    /// The name of the other program; absent for this one and for Craft Agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Workspaces in it, or projects of another program, by folder; empty where it has none.
    pub workspaces: Vec<ImportWorkspace>,
    /// How many sessions.
    pub sessions: u32,
    /// Of these, how many are here already.
    pub known: u32,
    /// How many messages, as far as sessions were read.
    pub messages: u64,
    /// Secrets that stand in plain text, by the name that each would have in the vault.
    pub secrets: Vec<String>,
    /// What has the name of something built in, as `agent isa-deep-research`.
    #[serde(default)]
    pub same_as_built_in: Vec<String>,
    /// What would be kept, changed and left out.
    pub report: Report,
}

/// A workspace that can be brought over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportWorkspace {
    /// Its folder's name.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// How many sessions it has.
    pub sessions: u32,
}

/// What is to be brought over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ImportOptions {
    /// A file or folder, absolute.
    pub path: String,
    /// Only these of its workspaces; empty for all.
    pub workspaces: Vec<String>,
    /// Only sessions, none of the workspace's files.
    pub sessions_only: bool,
    /// Whether secrets that stand in plain text are put into the vault.
    pub take_secrets: bool,
    /// Whether agents, sources, skills and themes with the name of a built-in one take its place. Without it both are there, the
    /// imported one under another name.
    pub replace_built_in: bool,
}

impl From<&ImportOptions> for ImportFrom {
    fn from(of: &ImportOptions) -> Self {
        Self {
            path: of.path.clone(),
            workspaces: of.workspaces.clone(),
            sessions_only: of.sessions_only,
            replace_built_in: of.replace_built_in,
        }
    }
}

/// How an import ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ImportDone {
    /// Sessions that are new here: their ids, at most 200.
    pub sessions: Vec<String>,
    /// How many sessions are new here.
    pub imported: u32,
    /// How many were here already.
    pub known: u32,
    /// Of those, how many went on there since and were taken along.
    #[serde(skip_serializing_if = "is_zero")]
    pub renewed: u32,
    /// How many messages came with them.
    pub messages: u64,
    /// What was kept, changed and left out.
    pub report: Report,
    /// Why it ended early, where it did. Running it again goes on where it was.
    pub problem: Option<Problem>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// An import that ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ImportJob {
    /// Its job's id.
    pub job: String,
}

/// What is to be shared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SharePageOptions {
    /// The session.
    pub session: String,
    /// Ids of findings that stay in the page all the same.
    pub keep: Vec<String>,
    /// Days until nobody can read it any more; 0 for seven, at most 365.
    pub days: u32,
    /// The share whose page is replaced; absent for a new one.
    pub replace: Option<String>,
    /// The owner's token of the share that is replaced, where it was made elsewhere.
    pub token: Option<Hidden>,
}

/// A page that others may read while `serve --share` runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShareRow {
    /// Its public id: whoever knows it can read the page.
    pub id: String,
    /// The session.
    pub session: String,
    /// Its title when it was shared.
    pub title: String,
    /// When it was made, in milliseconds since 1970.
    pub created_at: i64,
    /// When its page was made last.
    pub updated_at: i64,
    /// When nobody can read it any more.
    pub expires_at: i64,
    /// Bytes of its page.
    pub bytes: u64,
    /// The path below the server's address.
    pub path: String,
    /// The owner's token, told once: with the answer that makes the share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// A share that ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShareRevoke {
    /// Its public id.
    pub id: String,
}

/// A capsule to write: one run or turn with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CapsuleOptions {
    /// The run or turn.
    pub run: crate::RunRef,
    /// The file, absolute; without it one in the session's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Whether the texts of cited paragraphs stay behind: their digests alone go along as evidence.
    #[serde(default)]
    pub without_texts: bool,
    /// Whether the source documents of the cited paragraphs, and the files that went with its messages, go along.
    #[serde(default)]
    pub with_sources: bool,
}

/// A capsule that was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapsuleWritten {
    /// The file.
    pub path: String,
    /// The run or turn.
    pub run: domain::RunId,
    /// The head of its chain of hashes; `answer.json` has the same.
    pub head: String,
    /// Bytes of the file.
    pub bytes: u64,
    /// Cited paragraphs in it.
    pub paragraphs: u32,
    /// Source documents and attachments in it.
    pub sources: u32,
    /// Values in it that look private.
    pub private: u32,
    /// What the person should know.
    pub notes: Vec<String>,
}
