//! What a call resolved when it was planned, so that it runs on the same.

use std::collections::{HashMap, VecDeque};
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::safe_path::{is_same_file, quoted};
use crate::{CallContext, Kind, ToolError};

/// Calls that are remembered; older ones are forgotten.
const MAX_CALLS: usize = 4_096;

/// Files of all sessions whose state is remembered; beyond that the whole is begun anew.
const MAX_FILES: usize = 20_000;

/// A file as a plan found it: its path without links, and a hash of its text when the plan shows a change of it.
pub(crate) type ObservedFile = (PathBuf, Option<u64>);

/// What the planned calls of a program found, and the files as the models of its sessions saw them last.
#[derive(Debug, Default)]
pub(crate) struct PlanObservations {
    plans: Mutex<VecDeque<(String, Vec<ObservedFile>)>>,
    files: Mutex<HashMap<(String, PathBuf), Metadata>>,
}

impl PlanObservations {
    fn key(at: &CallContext) -> String {
        format!("{}\n{}\n{}", at.session, at.run, at.call)
    }

    /// Remembers what a plan found.
    pub(crate) fn note(&self, at: &CallContext, found: Vec<ObservedFile>) {
        let key = Self::key(at);
        let mut calls = self.plans.lock();
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
        let calls = self.plans.lock();
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

    /// Remembers that a session's model knows a file as it is now.
    pub(crate) fn saw(&self, at: &CallContext, path: PathBuf, now: Metadata) {
        let mut files = self.files.lock();
        if files.len() >= MAX_FILES {
            files.clear();
        }
        files.insert((at.session.clone(), path), now);
    }

    /// Whether a file is another than the session's model saw last; one that it never saw is not.
    pub(crate) fn changed_since(&self, at: &CallContext, path: &Path, now: Option<&Metadata>) -> bool {
        let files = self.files.lock();
        let known = files.get(&(at.session.clone(), path.to_owned()));
        known.zip(now).is_some_and(|(known, now)| !is_same_file(known, now))
    }

    /// Refuses to overwrite what somebody else wrote into a file since the session's model saw it.
    ///
    /// # Errors
    /// [`Kind::Failed`] when it was changed since.
    pub(crate) fn keep_others(
        &self,
        at: &CallContext,
        path: &Path,
        now: Option<&Metadata>,
        shown: &str,
    ) -> Result<(), ToolError> {
        if !self.changed_since(at, path, now) {
            return Ok(());
        }
        Err(ToolError::new(
            Kind::Failed,
            format!(
                "{} was changed by somebody else since you saw it, and writing it whole would undo that; nothing was written",
                quoted(shown)
            ),
        )
        .with_guidance("Read it again, and write it with what it holds now, or make the change with `edit`."))
    }
}

/// A hash of a file's bytes; of one that is not there, too.
pub(crate) fn hash(bytes: Option<&[u8]>) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}
