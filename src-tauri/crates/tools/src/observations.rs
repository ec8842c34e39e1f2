//! What a call resolved when it was planned, so that it runs on the same.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use parking_lot::Mutex;

use crate::{CallContext, Kind, ToolError};

/// Calls that are remembered; older ones are forgotten.
const MAX_CALLS: usize = 4_096;

/// A file as a plan found it: its path without links, and a hash of its text when the plan shows a change of it.
pub(crate) type ObservedFile = (PathBuf, Option<u64>);

/// What the planned calls of a program found.
#[derive(Debug, Default)]
pub(crate) struct PlanObservations(Mutex<VecDeque<(String, Vec<ObservedFile>)>>);

impl PlanObservations {
    fn key(at: &CallContext) -> String {
        format!("{}\n{}\n{}", at.session, at.run, at.call)
    }

    /// Remembers what a plan found.
    pub(crate) fn note(&self, at: &CallContext, found: Vec<ObservedFile>) {
        let key = Self::key(at);
        let mut calls = self.0.lock();
        calls.retain(|(other, _)| *other != key);
        if calls.len() >= MAX_CALLS {
            calls.pop_front();
        }
        calls.push_back((key, found));
    }

    /// Checks that a run finds what its plan found. A call that was not planned here has nothing to differ from.
    ///
    /// # Errors
    /// [`Kind::Refused`] when a path leads elsewhere now, [`Kind::Failed`] when a file has changed.
    pub(crate) fn check(&self, at: &CallContext, found: &[ObservedFile]) -> Result<(), ToolError> {
        let key = Self::key(at);
        let calls = self.0.lock();
        let Some((_, planned)) = calls.iter().rev().find(|(other, _)| *other == key) else {
            return Ok(());
        };
        let moved = planned.len() != found.len()
            || planned.iter().zip(found).any(|((before, _), (now, _))| before != now);
        if moved {
            return Err(ToolError::new(
                Kind::Refused,
                "the path leads elsewhere than when permission was decided on: a link was changed meanwhile",
            )
            .with_guidance("Call it again."));
        }
        match planned.iter().zip(found).find(|((_, before), (_, now))| before != now) {
            None => Ok(()),
            Some(((path, _), _)) => Err(ToolError::new(
                Kind::Failed,
                format!("{} has changed since this was planned; nothing was written", path.display()),
            )
            .with_guidance("Read the file again and make the change on what it holds now.")),
        }
    }
}

/// A hash of a file's bytes; of one that is not there, too.
pub(crate) fn hash(bytes: Option<&[u8]>) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
