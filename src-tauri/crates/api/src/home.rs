//! Where the data lives.

use std::path::PathBuf;

use domain::{ErrorCode, Problem};

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
