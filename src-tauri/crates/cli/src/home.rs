//! This program's own file, and where the data lives.

use std::path::PathBuf;

use domain::{ErrorCode, Problem};

pub use api::home::directory;

/// This program's own file.
pub fn program() -> Result<PathBuf, Problem> {
    std::env::current_exe().map_err(|error| {
        Problem::new(ErrorCode::Internal, format!("this program can't find itself: {error}"))
    })
}
