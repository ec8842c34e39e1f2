//! Commands in a shell: in the foreground with a deadline, or in the background until they are ended.
//!
//! Architecture invariant: every command runs below a guard, so nothing that it starts outlives it, its stop, its
//! deadline or this program. A call that has to be confined runs confined or not at all. What it may use is bounded.

mod clean;
#[cfg(target_os = "linux")]
mod copies;
#[cfg(not(target_os = "linux"))]
#[path = "no_copies.rs"]
mod copies;
mod denied_paths;
mod limits;
mod once;
mod output;
mod paths;
mod process;
mod registry;
mod tool;

use std::path::PathBuf;
use std::sync::Arc;

pub use denied_paths::{DeniedPaths, DenyRead};
pub use once::{OneShotCommand, ShellResult, run_once};
pub use process::Setup;
pub use registry::{ShellState, Shells};

use crate::{CallContext, Kind, Tool, ToolError};

/// `shell`, `shell_output` and `shell_kill`.
pub fn tools(shells: &Shells) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(tool::Shell::new(shells.clone())),
        Arc::new(tool::ShellOutput::new(shells.clone())),
        Arc::new(tool::ShellKill::new(shells.clone())),
    ]
}

/// Where the commands of a session run: its first folder, or its own data where it has none.
fn directory(at: &CallContext) -> Result<PathBuf, ToolError> {
    match at.folders.first() {
        Some(folder) if folder.is_dir() => Ok(folder.clone()),
        Some(folder) => Err(ToolError::new(
            Kind::NotFound,
            format!("the session's folder {} is not there", folder.display()),
        )
        .with_guidance("Tell the person; they can choose another folder for this session.")),
        None => Ok(at.own.join("data")),
    }
}
