//! This program's own file, and where the data lives.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use domain::{ErrorCode, Problem};

pub use app::home::directory;
use workspace::Workspace;

static WORKSPACE: OnceLock<Option<String>> = OnceLock::new();

/// Notes which workspace was asked for on the command line.
pub fn choose(workspace: Option<String>) {
    // The command line is read once.
    let _ = WORKSPACE.set(workspace);
}

/// The workspace that was asked for; none: the person's current one.
pub fn workspace() -> Option<String> {
    WORKSPACE.get().cloned().flatten()
}

/// Its files.
pub fn files(home: &Path) -> Result<Workspace, Problem> {
    app::home::files(home, workspace().as_deref())
}

/// This program's own file.
pub fn program() -> Result<PathBuf, Problem> {
    std::env::current_exe().map_err(|error| {
        Problem::new(ErrorCode::Internal, format!("this program can't find itself: {error}"))
    })
}
