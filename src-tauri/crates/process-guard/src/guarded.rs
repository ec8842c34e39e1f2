//! A command of the person's or of an agent's below a guard: whatever it starts ends with it, or with this program.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use tokio::process::Command;

use crate::environment::Environment;
use crate::guard::{GuardArgs, Limits};
use crate::process::{ExitReport, ProcessTree};
use crate::tree;

/// The environment that a child gets: a short list of harmless variables, with this `PATH` where one is given.
pub fn plain_environment(search_path: Option<&OsStr>) -> BTreeMap<OsString, OsString> {
    Environment { search_path, ..Environment::default() }.variables()
}

/// A command to be started below a guard. Directory, variables and streams are set on [`GuardedCommand::command`]; the guard
/// hands them on.
#[derive(Debug)]
pub struct GuardedCommand {
    /// What will be spawned: the guard, or the program itself where there is none.
    pub command: Command,
    mark: String,
    guarded: bool,
    grace: Duration,
}

impl GuardedCommand {
    /// `program` with `arguments`, in an empty environment. `guard` is a program that begins with
    /// [`crate::intercept`]; `grace` is what the tree gets between SIGTERM and SIGKILL.
    pub fn new(guard: Option<&Path>, program: &OsStr, arguments: Vec<OsString>, grace: Duration) -> Self {
        Self::bounded(guard, program, arguments, grace, None)
    }

    /// The same with bounds on what the tree may use, which the guard holds it to.
    pub fn bounded(
        guard: Option<&Path>,
        program: &OsStr,
        arguments: Vec<OsString>,
        grace: Duration,
        limits: Option<Limits>,
    ) -> Self {
        let mark = tree::new_mark();
        let mut command = match guard {
            Some(guard) => {
                let watch = GuardArgs::watch(std::process::id(), program.to_os_string(), arguments)
                    .with_grace(grace)
                    .with_mark(mark.clone());
                let watch = limits.into_iter().fold(watch, GuardArgs::with_limits);
                let words = watch.to_words();
                let mut command = Command::new(guard);
                command.args(words).env_clear();
                command
            }
            None => {
                let mut command = Command::new(program);
                command.args(arguments).env_clear().env(tree::MARK_VARIABLE, &mark);
                command
            }
        };
        #[cfg(unix)]
        command.process_group(0);
        command.kill_on_drop(false);
        Self { command, mark, guarded: guard.is_some(), grace }
    }

    /// Starts it. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the guard, or the program where there is none, can't be started.
    pub fn spawn(mut self) -> std::io::Result<GuardedTree> {
        let child = self.command.spawn()?;
        Ok(GuardedTree(ProcessTree::over(child, self.mark, self.guarded, self.grace, self.grace)))
    }
}

/// A running command with everything that it started. Dropping it ends the tree in the background.
#[derive(Debug)]
pub struct GuardedTree(ProcessTree);

impl GuardedTree {
    /// Begins to end the tree: SIGTERM, and SIGKILL after the grace period.
    pub fn stop(&self) {
        self.0.stop_now();
    }

    /// Waits until nobody of the tree is left.
    pub async fn ended(&self) -> ExitReport {
        let mut ended = self.0.ended();
        match ended.wait_for(Option::is_some).await {
            Ok(report) => report.unwrap_or(ExitReport::Unknown),
            Err(_) => ExitReport::Unknown,
        }
    }
}
