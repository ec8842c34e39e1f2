//! What was downloaded, from where and when: one small file beside each downloaded one.

use std::path::{Path, PathBuf};

use domain::Digest;
use serde::{Deserialize, Serialize};

/// A file that was downloaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// The address asked for.
    pub address: String,
    /// The address that answered, after redirections.
    pub answered_by: String,
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256 of the bytes.
    pub sha256: Digest,
    /// When it was complete, milliseconds since 1970, as the caller said.
    pub retrieved_at_ms: i64,
    /// The server's word on when the file last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

/// Where a file's receipt is.
pub(crate) fn place(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".receipt.json");
    file.with_file_name(name)
}

/// The receipt of a downloaded file, when it has one that can be read.
pub fn receipt_of(file: &Path) -> Option<Receipt> {
    serde_json::from_slice(&std::fs::read(place(file)).ok()?).ok()
}
