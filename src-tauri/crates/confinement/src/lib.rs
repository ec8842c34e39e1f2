//! Keeping a command from writing, from the network and from what is secret, by the system and not by its good will.
//!
//! On Linux by bubblewrap: the whole file system is mounted read-only, `/tmp` and `/dev/shm` are empty and the command's
//! own, there is no network interface and no other process to see, and a system call filter refuses sockets, keyrings,
//! tracing, io_uring and namespaces. Landlock on top closes what a read-only mount leaves open: named pipes. Of the file
//! system it sees the system's programs (`permissions::SYSTEM_FOLDERS`), toolchains and the session's folders. A command
//! of Auto sees the file system as the person does, but for the app's data folder, and can change the session's folders
//! alone. The devices that everybody may write to (`/dev/null`) are shared. On macOS by a sandbox profile. Landlock alone is not enough: it lets `chmod`, `utime`, `setxattr`, UDP and
//! Unix sockets through, so where bubblewrap does not work nothing is confined, and what has to be confined is refused.

#[cfg(target_os = "linux")]
mod bubblewrap;
#[cfg(any(target_os = "linux", target_os = "macos"))]
mod hidden_paths;
mod probe;
#[cfg(target_os = "macos")]
mod seatbelt;
#[cfg(target_os = "linux")]
mod seccomp;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What keeps commands from writing on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confinement {
    /// Namespaces, read-only mounts and a system call filter (Linux).
    Bubblewrap {
        /// `bwrap`, absolute.
        program: PathBuf,
    },
    /// A sandbox profile (macOS).
    Seatbelt {
        /// `sandbox-exec`, absolute.
        program: PathBuf,
    },
    /// Nothing does.
    None {
        /// Why, in words.
        why: String,
    },
}

/// What a confined command may see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxPolicy {
    /// The person's home directory; secrets are looked for there.
    pub home: Option<PathBuf>,
    /// The app's data folder: hidden, but for what `shown` names below it.
    pub data: PathBuf,
    /// Folders that it may read wherever they lie: the session's.
    pub shown: Vec<PathBuf>,
    /// Folders in whose place it sees another one, and may write to it (Linux): the folder, without links, and what is
    /// seen there.
    pub copies: Vec<(PathBuf, PathBuf)>,
    /// Files and folders that it sees empty besides the usual places of secrets.
    pub masked: Vec<PathBuf>,
    /// What it may change for good (Linux). With it, the command sees what the person sees but for `data`, and has the
    /// network; without, it reads the system's folders and `shown` alone.
    pub written: Option<WrittenPaths>,
    /// Where it starts: absolute, no links.
    pub directory: PathBuf,
    /// A program that begins with `process_guard::intercept`, as the last step before the command (Linux). Without it
    /// named pipes of others can be written into.
    pub seal: Option<PathBuf>,
}

/// What a command may change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenPaths {
    /// Folders, without links: the session's.
    pub folders: Vec<PathBuf>,
    /// What it sees as the machine's folders for temporary files.
    pub temporary: PathBuf,
    /// Files and folders in those that stay as they are.
    pub kept: Vec<PathBuf>,
}

/// A command that will be confined: what to start instead.
#[derive(Debug)]
pub struct Confined {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Has to stay open until the command was started: it is read from there.
    pub filter: Option<Filter>,
}

/// An open file that the started program inherits.
#[derive(Debug)]
pub struct Filter {
    #[cfg(target_os = "linux")]
    _file: std::os::fd::OwnedFd,
}

/// A command could not be confined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfineError {
    /// Nothing confines commands here.
    #[error("commands can't be kept from writing on this machine: {why}")]
    Missing {
        /// Why, in words.
        why: String,
    },
    /// The system refused a step.
    #[error("the command could not be confined: {0}")]
    System(String),
}

impl Confinement {
    /// Whether something does.
    pub fn works(&self) -> bool {
        !matches!(self, Self::None { .. })
    }

    /// Whether a command can be shown copies in the place of folders, and write to them.
    pub fn can_copy(&self) -> bool {
        match self {
            Self::Bubblewrap { .. } => true,
            Self::Seatbelt { .. } | Self::None { .. } => false,
        }
    }

    /// Whether a command can be kept from changing anything but some folders.
    pub fn can_bound(&self) -> bool {
        self.can_copy()
    }

    /// In words, for people: how commands are confined, or why not.
    pub fn words(&self) -> String {
        match self {
            Self::Bubblewrap { program } => format!(
                "Commands that only read run confined by bubblewrap ({}): everything is read-only, without network and other processes, and besides the system's programs only the session's folders and toolchains can be seen. In Explore, other commands run the same way, in a copy of the folders that is discarded afterwards. In Auto, commands can change nothing but the session's folders.",
                program.display()
            ),
            Self::Seatbelt { program } => format!(
                "Commands that only read run confined by {}: they can't write, have no network, and secrets are hidden. Auto asks for commands that are not known to change the session's folders alone.",
                program.display()
            ),
            Self::None { why } => {
                format!(
                    "Commands can't be confined on this machine, so Explore runs none, and Ask to edit and Auto ask for what is not known to stay in the session's folders: {why}"
                )
            }
        }
    }

    /// What to start so that `program` with `arguments` runs confined.
    ///
    /// # Errors
    /// When nothing confines here, or a step of it fails; the command must then not run.
    pub fn wrap(
        &self,
        sandbox: &SandboxPolicy,
        program: &OsStr,
        arguments: &[OsString],
    ) -> Result<Confined, ConfineError> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Bubblewrap { program: bwrap } => bubblewrap::wrap(bwrap, sandbox, program, arguments),
            #[cfg(target_os = "macos")]
            Self::Seatbelt { program: tool } => Ok(seatbelt::wrap(tool, sandbox, program, arguments)),
            #[cfg(not(target_os = "linux"))]
            Self::Bubblewrap { .. } => Err(foreign(sandbox, program, arguments)),
            #[cfg(not(target_os = "macos"))]
            Self::Seatbelt { .. } => Err(foreign(sandbox, program, arguments)),
            Self::None { why } => Err(ConfineError::Missing { why: why.clone() }),
        }
    }
}

/// What this machine was built without can't have been found on it.
fn foreign(_sight: &SandboxPolicy, _program: &OsStr, _arguments: &[OsString]) -> ConfineError {
    ConfineError::Missing { why: "it belongs to another system".to_owned() }
}

/// What confines commands on this machine. The first call tries it for real, which blocks for some tens of
/// milliseconds: a confined command has to fail to write a file and to open a socket.
pub fn available() -> &'static Confinement {
    static FOUND: OnceLock<Confinement> = OnceLock::new();
    FOUND.get_or_init(|| {
        let found = candidate();
        match probe::probe(&found) {
            Ok(()) => found,
            Err(why) => Confinement::None { why: why.0 },
        }
    })
}

/// What a person can do where commands can't be confined.
pub fn remedy() -> &'static str {
    match candidate() {
        Confinement::Bubblewrap { .. } => {
            "bubblewrap is installed, but it may not make user namespaces here: allow them to it (on Ubuntu by an AppArmor profile for bwrap with `userns,`; in a container by its security options); until then Explore runs no commands, and Ask to edit and Auto ask for more of them"
        }
        Confinement::None { .. } if cfg!(target_os = "linux") => {
            "install the package `bubblewrap`, and set AGENTNATIVE_BWRAP only to name its program; until then Explore runs no commands, and Ask to edit and Auto ask for more of them"
        }
        Confinement::Seatbelt { .. } | Confinement::None { .. } => {
            "Explore runs no commands here, and Ask to edit and Auto ask for more of them"
        }
    }
}

/// Names bubblewrap's program where it lies elsewhere; `none`: commands are not confined.
#[cfg(target_os = "linux")]
const BWRAP: &str = "AGENTNATIVE_BWRAP";

#[cfg(target_os = "linux")]
fn candidate() -> Confinement {
    match std::env::var_os(BWRAP) {
        Some(word) if word == "none" => {
            return Confinement::None { why: format!("it is switched off by {BWRAP}=none") };
        }
        Some(program) if !program.is_empty() => {
            return Confinement::Bubblewrap { program: program.into() };
        }
        _ => {}
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    match on_path("bwrap", &path)
        .or_else(|| Some("/usr/bin/bwrap".into()).filter(|file: &PathBuf| file.is_file()))
    {
        Some(program) => Confinement::Bubblewrap { program },
        None => Confinement::None {
            why: "bubblewrap (`bwrap`) is not installed; install the package `bubblewrap`".into(),
        },
    }
}

#[cfg(target_os = "macos")]
fn candidate() -> Confinement {
    Confinement::Seatbelt { program: "/usr/bin/sandbox-exec".into() }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn candidate() -> Confinement {
    Confinement::None { why: "this system has no means for it that the app knows".into() }
}

/// The file that a bare name stands for. Relative entries are left out: anyone may have put a file there.
pub fn on_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|file| is_program(file))
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
