//! Attempts are merged.

use super::rig::first;
use crate::{MergeStyle, MergeWanted, Task};

pub(super) fn wanted(task: &Task) -> MergeWanted {
    MergeWanted {
        attempt: first(task),
        style: MergeStyle::Merge,
        message: None,
        target: None,
        unchecked: false,
        keep_folder: false,
    }
}
