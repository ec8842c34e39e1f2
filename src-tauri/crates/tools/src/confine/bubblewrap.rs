//! Confinement by bubblewrap.

use std::ffi::{OsStr, OsString};
use std::io::{Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use process_guard::{SEAL, SEAL_WRITES, SUBCOMMAND};
use rustix::fs::{MemfdFlags, memfd_create};

use super::hidden_paths::{Sort, hidden_paths};
use super::{ConfineError, Confined, Filter, SandboxPolicy, seccomp};

/// Scratch folders are memory: at most so many bytes each.
const SCRATCH_BYTES: &str = "268435456";

/// Where the program of the last step is found: its own place may be hidden.
const SEAL_PLACE: &str = "/dev/agentnative";

pub(super) fn wrap(
    bwrap: &Path,
    sandbox: &SandboxPolicy,
    program: &OsStr,
    arguments: &[OsString],
) -> Result<Confined, ConfineError> {
    let filter = filter(!sandbox.copies.is_empty())?;
    let mut words: Vec<OsString> = [
        "--unshare-user",
        "--unshare-ipc",
        "--unshare-pid",
        "--unshare-net",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--size",
        SCRATCH_BYTES,
        "--tmpfs",
        "/dev/shm",
        "--proc",
        "/proc",
    ]
    .map(OsString::from)
    .into();
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let emptied: Vec<PathBuf> =
        [Some("/run".into()), Some("/var/run".into()), runtime].into_iter().flatten().collect();
    let hidden_paths = hidden_paths(sandbox, &["/tmp".into()], &emptied);
    let mut sealed = Vec::new();
    let mut written = Vec::new();
    for (path, sort) in &hidden_paths {
        let path = path.as_os_str();
        match sort {
            Sort::Scratch => {
                words.extend(["--perms", "1777", "--size", SCRATCH_BYTES, "--tmpfs"].map(OsString::from));
                words.push(path.into());
            }
            Sort::Empty => {
                words.extend(["--tmpfs".into(), path.into()]);
                sealed.push(path);
            }
            Sort::Shown => words.extend(["--ro-bind".into(), path.into(), path.into()]),
            Sort::Copied => {
                let copy = sandbox.copies.iter().find(|(folder, _)| folder.as_os_str() == path);
                if let Some((_, copy)) = copy {
                    words.extend(["--bind".into(), copy.into(), path.into()]);
                    written.push(path);
                }
            }
            Sort::Blank => words.extend(["--ro-bind".into(), "/dev/null".into(), path.into()]),
        }
    }
    let mut command: Vec<OsString> = Vec::new();
    if let Some(seal) = &sandbox.seal {
        words.extend(["--ro-bind".into(), seal.into(), SEAL_PLACE.into()]);
        command.extend([SEAL_PLACE, SUBCOMMAND, SEAL].map(OsString::from));
        for path in written {
            command.extend([SEAL_WRITES.into(), path.into()]);
        }
        command.push("--".into());
    }
    command.push(program.into());
    command.extend(arguments.iter().cloned());
    // Only now: mount points in them had to be made first. In /proc it is the kernel's settings that the machine's
    // administrator could change without any of their rights.
    for path in sealed.into_iter().chain([OsStr::new("/proc"), OsStr::new("/dev")]) {
        words.extend(["--remount-ro".into(), path.into()]);
    }
    words.extend(["--seccomp".into(), filter.as_raw_fd().to_string().into()]);
    words.extend(["--chdir".into(), sandbox.directory.clone().into(), "--".into()]);
    words.extend(command);
    Ok(Confined { program: bwrap.into(), arguments: words, filter: Some(Filter { _file: filter }) })
}

/// The system call filter in a file of its own in memory, which children inherit: bubblewrap reads it from there. One
/// that inherits it by chance finds a list of numbers.
fn filter(copies: bool) -> Result<OwnedFd, ConfineError> {
    let program = seccomp::program(rustix::process::geteuid().is_root(), copies).ok_or_else(|| {
        ConfineError::Missing { why: "no system call filter is known for this kind of machine".into() }
    })?;
    let system = |error: std::io::Error| ConfineError::System(error.to_string());
    let file = memfd_create("filter", MemfdFlags::empty()).map_err(|error| system(error.into()))?;
    let mut file = std::fs::File::from(file);
    file.write_all(&program).and_then(|()| file.rewind()).map_err(system)?;
    Ok(file.into())
}
