//! One child with everything it started: spawned through the guard, watched, and ended in steps.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::environment::Environment;
use crate::guard::{EXIT_GUARD_FAILED, GuardArgs};
use crate::tree;

/// How long after its own grace period the guard may still take to finish; beyond it, it is killed itself.
const GUARD_SLACK: Duration = Duration::from_secs(6);

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReport {
    /// With an exit code; 128 + n stands for signal n when a guard reported it.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// It closed its output but was still running, or its end was not seen.
    Unknown,
}

impl fmt::Display for ExitReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(formatter, "exit code {code}"),
            Self::Signal(signal) => write!(formatter, "signal {signal}"),
            Self::Unknown => formatter.write_str("it closed its output"),
        }
    }
}

impl From<ExitStatus> for ExitReport {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        status.code().map_or(Self::Unknown, Self::Code)
    }
}

/// The pipes to a child that was just started.
#[derive(Debug)]
pub struct Pipes {
    /// Its standard input.
    pub input: ChildStdin,
    /// Its standard output.
    pub output: ChildStdout,
    /// Its standard error.
    pub errors: ChildStderr,
}

/// What to start.
#[derive(Debug, Clone)]
pub struct Launch<'a> {
    /// The program's file.
    pub program: &'a Path,
    /// The directory it starts in.
    pub directory: &'a Path,
    /// Its arguments, passed as they are: there is no shell.
    pub arguments: &'a [String],
    /// What it may see.
    pub environment: Environment<'a>,
    /// A program that begins with [`crate::intercept`]; without one the child is started directly.
    pub guard: Option<&'a Path>,
    /// How long the child may take to end by itself after [`ProcessTree::stop_gently`].
    pub stop_timeout: Duration,
    /// How long the tree may take between SIGTERM and SIGKILL.
    pub kill_grace: Duration,
}

/// A running tree. Dropping it ends the tree in the background.
#[derive(Debug)]
pub struct ProcessTree {
    ended: watch::Receiver<Option<ExitReport>>,
    gentle: CancellationToken,
    at_once: CancellationToken,
}

impl Drop for ProcessTree {
    fn drop(&mut self) {
        self.at_once.cancel();
    }
}

impl ProcessTree {
    /// Starts the tree. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the guard, or the program where there is none, can't be started.
    pub fn spawn(launch: &Launch<'_>) -> std::io::Result<(Self, Pipes)> {
        let mark = tree::new_mark();
        let mut command = command_line(launch, &mark);
        command
            .current_dir(launch.directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Its own group keeps the terminal's Ctrl-C to the program, which decides what to do with it.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(std::io::Error::other("the child came without pipes"));
        };
        let guarded = launch.guard.is_some();
        let tree = Self::over(child, mark, guarded, launch.stop_timeout, launch.kill_grace);
        Ok((tree, Pipes { input, output, errors }))
    }

    /// Watches a child that was just started in a process group of its own.
    pub(crate) fn over(
        child: Child,
        mark: String,
        guarded: bool,
        stop_timeout: Duration,
        kill_grace: Duration,
    ) -> Self {
        let gentle = CancellationToken::new();
        let at_once = CancellationToken::new();
        let (sender, ended) = watch::channel(None);
        let watcher = Watcher {
            child,
            mark,
            guarded,
            gentle: gentle.clone(),
            at_once: at_once.clone(),
            stop_timeout,
            kill_grace,
        };
        tokio::spawn(async move {
            let report = watcher.watch().await;
            sender.send_replace(Some(report));
        });
        Self { ended, gentle, at_once }
    }

    /// How the tree ended, as soon as it has.
    pub fn ended(&self) -> watch::Receiver<Option<ExitReport>> {
        self.ended.clone()
    }

    /// Begins to end the tree: it may finish by itself first. Its input should have been closed before.
    pub fn stop_gently(&self) {
        self.gentle.cancel();
    }

    /// Begins to end the tree with SIGTERM at once.
    pub fn stop_now(&self) {
        self.at_once.cancel();
    }

    /// Waits for the whole tree's end, at most `limit`.
    pub async fn wait_ended(&self, limit: Duration) -> Option<ExitReport> {
        let mut ended = self.ended.clone();
        let report = tokio::time::timeout(limit, ended.wait_for(Option::is_some)).await;
        match report {
            Ok(Ok(report)) => *report,
            Ok(Err(_)) | Err(_) => None,
        }
    }
}

fn command_line(launch: &Launch<'_>, mark: &str) -> Command {
    let arguments: Vec<OsString> = launch.arguments.iter().map(OsString::from).collect();
    let mut command = match launch.guard {
        Some(guard) => {
            let words = GuardArgs::watch(std::process::id(), launch.program.into(), arguments)
                .with_grace(launch.kill_grace)
                .with_mark(mark.to_owned())
                .to_words();
            let mut command = Command::new(guard);
            command.args(words);
            command
        }
        None => {
            let mut command = Command::new(launch.program);
            command.args(arguments);
            command
        }
    };
    command.env_clear().envs(launch.environment.variables());
    if launch.guard.is_none() {
        command.env(tree::MARK_VARIABLE, mark);
    }
    command
}

/// Owns the child until its tree has ended.
struct Watcher {
    child: Child,
    mark: String,
    guarded: bool,
    gentle: CancellationToken,
    at_once: CancellationToken,
    stop_timeout: Duration,
    kill_grace: Duration,
}

impl Watcher {
    async fn watch(mut self) -> ExitReport {
        let id = self.child.id();
        let ended = tokio::select! {
            status = self.child.wait() => Some(status),
            () = self.gentle.cancelled() => {
                tokio::select! {
                    status = self.child.wait() => Some(status),
                    () = tokio::time::sleep(self.stop_timeout) => None,
                    () = self.at_once.cancelled() => None,
                }
            }
            () = self.at_once.cancelled() => None,
        };
        let (status, by_force) = match ended {
            Some(status) => (status, false),
            None => self.terminate(id).await,
        };
        let report = status.map_or(ExitReport::Unknown, ExitReport::from);
        // A guard that ended by itself leaves nobody behind, unless it says that it failed.
        let guard_failed = ExitReport::Code(i32::from(EXIT_GUARD_FAILED));
        let guard_finished =
            self.guarded && !by_force && matches!(report, ExitReport::Code(_)) && report != guard_failed;
        if !guard_finished {
            signal_group(id, Force::Kill);
            let mark = self.mark;
            let left = tokio::task::spawn_blocking(move || tree::end_marked(&mark)).await;
            if let Ok(count @ 1..) = left {
                tracing::debug!(count, "killed processes that a child had left behind");
            }
        }
        report
    }

    /// SIGTERM, then SIGKILL; true when it took the latter.
    async fn terminate(&mut self, id: Option<u32>) -> (std::io::Result<ExitStatus>, bool) {
        signal_group(id, Force::Terminate);
        let patience = if self.guarded { self.kill_grace + GUARD_SLACK } else { self.kill_grace };
        match tokio::time::timeout(patience, self.child.wait()).await {
            Ok(status) => (status, false),
            Err(_) => {
                let _ = self.child.start_kill();
                (self.child.wait().await, true)
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Force {
    Terminate,
    Kill,
}

/// Signals the group that was made for the child. The group's number cannot be reused while a member of it lives, and
/// the child itself is collected only by us.
#[cfg(unix)]
fn signal_group(id: Option<u32>, force: Force) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = match force {
        Force::Terminate => Signal::TERM,
        Force::Kill => Signal::KILL,
    };
    if let Some(group) = id.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) {
        let _ = kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
fn signal_group(_id: Option<u32>, force: Force) {
    match force {
        Force::Terminate | Force::Kill => {}
    }
}
