//! The guard: a small process between the program and a child, which ends the child's whole tree.
//!
//! The program starts `agentnative guard --parent <pid> -- <command> <argument>…`. The guard becomes the reaper of all
//! orphans below it (`PR_SET_CHILD_SUBREAPER`), watches its parent through a pidfd and starts the command in a process
//! group of its own. When the parent dies, the command ends, or the guard is asked to stop (SIGTERM, SIGINT, SIGHUP),
//! every descendant gets SIGTERM, then SIGKILL after a grace period, and the guard exits with the command's code.
//! Nobody can step out of the tree: `setsid` and double forks only make the guard their parent.
//!
//! The guard hands its standard streams to the command and then points its own input and output at the null device, so
//! that end-of-file passes both ways as if it were not there.
//!
//! If the guard itself is killed with SIGKILL, the kernel kills the command at once (`PR_SET_PDEATHSIG`, set by a second
//! step that then becomes the command). Processes that the command had started survive that moment; the living program
//! finds them by their tree mark (see [`crate::end_orphans`]) and kills them.
//!
//! Elsewhere than Linux there are no pidfds and no subreapers: the guard polls its parent and kills the process group,
//! which a daemon can leave.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;
use std::time::Duration;

mod limits;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod platform;
#[cfg(all(unix, not(target_os = "linux")))]
#[path = "group.rs"]
mod platform;
#[cfg(not(unix))]
#[path = "plain.rs"]
mod platform;
#[cfg(target_os = "linux")]
mod seal;

pub use limits::Limits;

/// The name of the command-line subcommand under which a program runs the guard.
pub const SUBCOMMAND: &str = "guard";

/// With this flag in place of `--parent` the guard is the last step before a confined command on Linux:
/// `<program> guard --seal -- <command> <argument>…` forbids itself to write anywhere but below `/tmp` and `/dev` (by
/// Landlock, where the kernel has it) and becomes the command.
pub const SEAL: &str = "--seal";
/// Before its `--`: a folder, absolute, below which it may write, too. May be given several times.
pub const SEAL_WRITES: &str = "--writes";

/// How long a tree may take to end after SIGTERM before it gets SIGKILL, unless `--grace` says otherwise.
pub const DEFAULT_GRACE: Duration = Duration::from_millis(500);

/// How a line begins in the error output of a bounded command that names what it had started and left running.
pub const LEFT_BEHIND: &str = "[Ended with the command: ";
/// The guard could not be set up (bad arguments, parent gone, system call refused).
pub const EXIT_GUARD_FAILED: u8 = 125;
/// The command passed one of its bounds and was ended; which one stands at the end of its error output.
pub const EXIT_LIMIT: u8 = 137;
/// The command exists but could not be started.
pub const EXIT_NOT_STARTED: u8 = 126;
/// The command was not found.
pub const EXIT_NOT_FOUND: u8 = 127;

/// What the guard was asked to do on its command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardArgs {
    step: Step,
    owner: u32,
    grace: Duration,
    /// The tree mark for the command and what it starts. The guard itself goes without, so that nobody who looks for
    /// marks kills it while it does its work.
    mark: Option<String>,
    /// What the tree may use; without, as much as there is.
    limits: Option<Limits>,
    command: OsString,
    arguments: Vec<OsString>,
}

/// The two processes of one guarded start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Stay and watch the tree; `owner` is the program.
    Watch,
    /// Tie this process' life to the guard's and become the command; `owner` is the guard.
    Become,
}

/// The guard's command line could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardArgsError {
    /// A flag other than `--parent`, `--grace`, `--mark`, `--limits` and `--become`.
    #[error(
        "unknown guard flag {0:?}; expected --parent <pid> [--grace <ms>] [--mark <text>] [--limits <bytes>,<processes>,<bytes>] -- <command>"
    )]
    UnknownFlag(String),
    /// A flag without its number.
    #[error("guard flag {0} needs a number")]
    NotANumber(&'static str),
    /// Neither `--parent` nor `--become` was given.
    #[error("the guard needs --parent <pid>")]
    NoOwner,
    /// Nothing after `--`.
    #[error("the guard needs a command after --")]
    NoCommand,
}

impl GuardArgs {
    /// A guard over `command`, to end with the process `parent`.
    pub fn watch(parent: u32, command: OsString, arguments: Vec<OsString>) -> Self {
        let (step, grace) = (Step::Watch, DEFAULT_GRACE);
        Self { step, owner: parent, grace, mark: None, limits: None, command, arguments }
    }

    /// Reads what follows the word `guard` on the command line.
    ///
    /// # Errors
    /// Names the flag that is unknown, incomplete or missing.
    pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, GuardArgsError> {
        let mut arguments = arguments.into_iter();
        let mut owner = None;
        let mut grace = DEFAULT_GRACE;
        let mut mark = None;
        let mut limits = None;
        loop {
            let Some(flag) = arguments.next() else {
                return Err(GuardArgsError::NoCommand);
            };
            match flag.to_str() {
                Some("--") => break,
                Some("--parent") => {
                    owner = Some((Step::Watch, number("--parent", arguments.next())?));
                }
                Some("--become") => {
                    owner = Some((Step::Become, number("--become", arguments.next())?));
                }
                Some(crate::tree::MARK_FLAG) => {
                    mark = arguments.next().and_then(|word| word.into_string().ok());
                }
                Some("--limits") => {
                    limits = Some(number("--limits", arguments.next())?);
                }
                Some("--grace") => {
                    grace = Duration::from_millis(number("--grace", arguments.next())?);
                }
                _ => {
                    return Err(GuardArgsError::UnknownFlag(flag.to_string_lossy().into_owned()));
                }
            }
        }
        let (step, owner) = owner.ok_or(GuardArgsError::NoOwner)?;
        let command = arguments.next().ok_or(GuardArgsError::NoCommand)?;
        Ok(Self { step, owner, grace, mark, limits, command, arguments: arguments.collect() })
    }

    /// The same request as words to put behind the program's name, beginning with [`SUBCOMMAND`].
    pub fn to_words(&self) -> Vec<OsString> {
        let owner_flag = match self.step {
            Step::Watch => "--parent",
            Step::Become => "--become",
        };
        let mut words: Vec<OsString> = vec![
            SUBCOMMAND.into(),
            owner_flag.into(),
            self.owner.to_string().into(),
            "--grace".into(),
            self.grace.as_millis().to_string().into(),
        ];
        if let Some(mark) = &self.mark {
            words.extend([crate::tree::MARK_FLAG.into(), mark.into()]);
        }
        if let Some(limits) = &self.limits {
            words.extend(["--limits".into(), limits.to_string().into()]);
        }
        words.extend(["--".into(), self.command.clone()]);
        words.extend(self.arguments.iter().cloned());
        words
    }

    /// The same request with a mark for the tree.
    pub(crate) fn with_mark(mut self, mark: String) -> Self {
        self.mark = Some(mark);
        self
    }

    /// The same request with bounds for the tree.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// The variables that the command gets beyond the guard's own.
    fn added_environment(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.mark.iter().map(|mark| (crate::tree::MARK_VARIABLE, mark.as_str()))
    }

    /// The same request with another grace period between SIGTERM and SIGKILL.
    pub fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }
}

fn number<N: std::str::FromStr>(flag: &'static str, word: Option<OsString>) -> Result<N, GuardArgsError> {
    word.as_deref()
        .and_then(OsStr::to_str)
        .and_then(|text| text.parse().ok())
        .ok_or(GuardArgsError::NotANumber(flag))
}

/// Runs the guard until the tree below it has ended. Call it on the main thread, before any other thread exists.
///
/// Returns the command's exit code, 128 + n if a signal n ended it, or one of the `EXIT_…` codes.
pub fn run_guard(args: GuardArgs) -> ExitCode {
    if let Some(limits) = &args.limits {
        limits.apply();
    }
    ExitCode::from(platform::run(&args))
}

/// Keeps other programs of the same user out of this process: its environment and memory hold keys. Its core is not
/// dumped, nobody attaches to it, and its files in `/proc` are the administrator's (Linux). The second line of `main`;
/// what it starts is not affected.
pub fn keep_others_out() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // Where the system refuses, it is as it was.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Runs the guard if this process was started as one (`<program> guard …`): the first line of `main`, ahead of all
/// other start-up work.
pub fn intercept() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != SUBCOMMAND {
        return None;
    }
    #[cfg(target_os = "linux")]
    if std::env::args_os().nth(2).is_some_and(|word| word == SEAL) {
        return Some(ExitCode::from(seal::run(words.skip(1))));
    }
    Some(match GuardArgs::parse(words) {
        Ok(args) => run_guard(args),
        Err(error) => {
            eprintln!("guard: {error}");
            ExitCode::from(EXIT_GUARD_FAILED)
        }
    })
}

/// Tells the person's log why a command did not start, and picks the exit code that shells use for it.
fn report_not_started(command: &OsStr, error: &std::io::Error) -> u8 {
    eprintln!("guard: cannot start {}: {error}", command.to_string_lossy());
    if error.kind() == std::io::ErrorKind::NotFound { EXIT_NOT_FOUND } else { EXIT_NOT_STARTED }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn words(text: &str) -> Vec<OsString> {
        text.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_request_survives_the_command_line() {
        let args = GuardArgs::watch(42, "server".into(), vec!["--".into(), "--parent".into(), "a b".into()])
            .with_grace(Duration::from_millis(20))
            .with_mark("7.8.9".into())
            .with_limits(Limits { memory: 1 << 30, processes: 64, file: 1 << 40 });
        let mut line = args.to_words();
        assert_eq!(line.remove(0), SUBCOMMAND);
        assert_eq!(GuardArgs::parse(line), Ok(args));
    }

    #[test]
    fn a_bad_command_line_says_what_is_missing() {
        let parse = |text: &str| GuardArgs::parse(words(text)).map(|_| ());
        assert_eq!(parse("-- server"), Err(GuardArgsError::NoOwner));
        assert_eq!(parse("--parent 7 --"), Err(GuardArgsError::NoCommand));
        assert_eq!(parse("--parent x -- server"), Err(GuardArgsError::NotANumber("--parent")));
        assert_eq!(parse("--fast -- server"), Err(GuardArgsError::UnknownFlag("--fast".into())));
    }
}
