//! Where the data lives.

use std::path::{Path, PathBuf};

use domain::{ErrorCode, Problem};
use workspace::{DEFAULT_WORKSPACE, Workspace, workspace_entries};

use crate::settings::current_workspace;

/// `AGENTNATIVE_HOME`, else the platform's data folder (on Linux by the XDG Base Directory Specification).
pub fn directory() -> Result<PathBuf, Problem> {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(home) = named("AGENTNATIVE_HOME") {
        return std::path::absolute(&home).map_err(|error| {
            Problem::new(ErrorCode::InvalidInput, format!("AGENTNATIVE_HOME {}: {error}", home.display()))
        });
    }
    let folder = if cfg!(target_os = "windows") {
        named("APPDATA").map(|data| data.join("AgentNative"))
    } else if cfg!(target_os = "macos") {
        named("HOME").map(|home| home.join("Library/Application Support/AgentNative"))
    } else {
        named("XDG_DATA_HOME")
            .filter(|data| data.is_absolute())
            .or_else(|| named("HOME").map(|home| home.join(".local/share")))
            .map(|data| data.join("agentnative"))
    };
    folder.ok_or_else(|| {
        Problem::new(ErrorCode::InvalidInput, "there is no home folder to keep data in")
            .with_action("set AGENTNATIVE_HOME to a directory")
    })
}

/// The files of a workspace of a data directory; without a slug of the person's current one. For programs that need
/// nothing but files.
pub fn files(home: &Path, slug: Option<&str>) -> Result<Workspace, Problem> {
    let known = workspace_entries(home);
    let there = |slug: &str| known.iter().any(|place| place.slug == slug);
    let slug = match slug {
        Some(slug) if there(slug) => slug.to_owned(),
        Some(slug) => {
            let known: Vec<&str> = known.iter().map(|place| place.slug.as_str()).collect();
            let what = format!("there is no workspace {slug:?}; the workspaces are {}", known.join(", "));
            return Err(Problem::new(ErrorCode::NotFound, what));
        }
        None => {
            Some(current_workspace(home)).filter(|slug| there(slug)).unwrap_or(DEFAULT_WORKSPACE.to_owned())
        }
    };
    Ok(Workspace::named(home, &slug))
}
