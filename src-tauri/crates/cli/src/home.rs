//! This program's own file, and where the data lives.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use domain::{ErrorCode, Problem};

pub use app::home::directory;
use workspace::Workspace;
use workspace_bases::WorkspaceBases;

static WORKSPACE: OnceLock<Option<String>> = OnceLock::new();

/// Notes which workspace was asked for on the command line.
pub fn choose(workspace: Option<String>) {
    // The command line is read once.
    let _ = WORKSPACE.set(workspace);
}

/// The workspace that was asked for; none: the person's current one. A server that the program started for a workspace works for
/// that.
pub fn workspace() -> Option<String> {
    let of_server = || std::env::var("AGENTNATIVE_WORKSPACE").ok().filter(|slug| !slug.is_empty());
    WORKSPACE.get().cloned().flatten().or_else(of_server)
}

/// The knowledge bases of the workspace that was asked for.
pub fn shelf(home: &Path) -> Result<WorkspaceBases, Problem> {
    Ok(WorkspaceBases::new(home, files(home)?.slug()))
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
