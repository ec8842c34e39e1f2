//! Copies of folders for commands, where the system can't show one in the folder's place.

use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::{Kind, ToolError};

/// Where copies would be made.
#[derive(Debug)]
pub(super) struct Copies;

/// There is none.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) places: Vec<(PathBuf, PathBuf)>,
}

impl Copies {
    pub(super) fn new(_data: &Path) -> Self {
        Self
    }

    pub(super) fn make(
        &self,
        _folders: &[PathBuf],
        _hidden: &[PathBuf],
        _cancel: &CancellationToken,
    ) -> Result<Copy, ToolError> {
        Err(ToolError::new(Kind::Unavailable, "commands can't run in a copy on this system")
            .with_guidance("Put the command into a plan and submit that for the person to accept."))
    }
}

impl Copy {
    pub(super) fn is_too_large(&self) -> bool {
        false
    }
}
