//! Sources of type `local`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A folder of this machine. Its files are listed, read and searched; nothing outside of it is, and nothing is changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LocalFolder {
    /// Its full path; `~/` is the home directory.
    pub path: String,
}
