//! Which sources are switched off: `sources/switched-off.json` in the workspace, a list of slugs.

use std::collections::BTreeSet;
use std::path::PathBuf;

use domain::{ErrorCode, Problem};
use support::{Readers, replace_file};
use workspace::Workspace;

/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

fn file(workspace: &Workspace) -> PathBuf {
    workspace.root().join("sources").join("switched-off.json")
}

/// Slugs that are off; none where the file can't be read.
pub fn off(workspace: &Workspace) -> BTreeSet<String> {
    let file = file(workspace);
    let small = std::fs::metadata(&file).is_ok_and(|about| about.is_file() && about.len() <= MAX_FILE_BYTES);
    let bytes = if small { std::fs::read(&file).unwrap_or_default() } else { Vec::new() };
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Switches one off or on.
pub fn switch(workspace: &Workspace, slug: &str, on: bool) -> Result<(), Problem> {
    let mut slugs = off(workspace);
    let changed = if on { slugs.remove(slug) } else { slugs.insert(slug.to_owned()) };
    if !changed {
        return Ok(());
    }
    let file = file(workspace);
    let failed = |error: std::io::Error| {
        Problem::new(ErrorCode::Storage, format!("{}: {error}", file.display()))
            .with_action("the source stays as it was; free some space and try again")
    };
    let bytes = serde_json::to_vec_pretty(&slugs)
        .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    replace_file(&file, &bytes, Readers::Person).map_err(failed)
}
