//! Confinement by bubblewrap.

use std::ffi::{OsStr, OsString};
use std::io::{Seek, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use permissions::{SYSTEM_FILES, SYSTEM_FOLDERS, SYSTEM_HIDDEN};
use process_guard::{SEAL, SEAL_WRITES, SUBCOMMAND};
use rustix::fs::{MemfdFlags, memfd_create};

use super::hidden_paths::{Sort, hidden_paths, written_paths};
use super::seccomp::{self, Purpose};
use super::{ConfineError, Confined, Filter, SandboxPolicy};

/// Scratch folders are memory: at most so many bytes each.
const SCRATCH_BYTES: &str = "268435456";

/// Where the program of the last step is found: its own place may be hidden.
const SEAL_PLACE: &str = "/dev/agentnative";

/// Devices that everybody may write to.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];

pub(super) fn wrap(
    bwrap: &Path,
    sandbox: &SandboxPolicy,
    program: &OsStr,
    arguments: &[OsString],
) -> Result<Confined, ConfineError> {
    let devices = own_devices(&sandbox.data);
    let purpose = match (&sandbox.written, sandbox.copies.is_empty()) {
        (Some(_), _) => Purpose::Folders,
        (None, true) => Purpose::Reading,
        (None, false) => Purpose::Copies,
    };
    let filter = filter(purpose, devices.is_some())?;
    let mut words: Vec<OsString> = [
        "--unshare-user",
        "--unshare-ipc",
        "--unshare-pid",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
    ]
    .map(OsString::from)
    .into();
    match purpose {
        Purpose::Folders => words.extend(["--ro-bind", "/", "/"].map(OsString::from)),
        Purpose::Reading | Purpose::Copies => {
            words.push("--unshare-net".into());
            system(&mut words);
        }
    }
    words.extend(["--dev", "/dev", "--size", SCRATCH_BYTES, "--tmpfs", "/dev/shm"].map(OsString::from));
    for name in devices.iter().flat_map(|_| DEVICES) {
        let own = devices.as_ref().map(|folder| folder.join(name)).unwrap_or_default();
        words.extend(["--dev-bind".into(), own.into(), Path::new("/dev").join(name).into()]);
    }
    words.extend(["--proc", "/proc"].map(OsString::from));
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let emptied: Vec<PathBuf> =
        [Some("/run".into()), Some("/var/run".into()), runtime].into_iter().flatten().collect();
    let places = match &sandbox.written {
        Some(written) => written_paths(sandbox, written, &emptied),
        None => hidden_paths(sandbox, &["/tmp".into()], &emptied),
    };
    let mut sealed = Vec::new();
    let mut written = Vec::new();
    for (path, sort) in &places {
        let path = path.as_os_str();
        let mut bind = |how: &str, from: &OsStr| words.extend([how.into(), from.into(), path.into()]);
        match sort {
            Sort::Scratch => {
                words.extend(["--perms", "1777", "--size", SCRATCH_BYTES, "--tmpfs"].map(OsString::from));
                words.push(path.into());
            }
            Sort::Empty => {
                words.extend(["--tmpfs".into(), path.into()]);
                sealed.push(path);
            }
            Sort::Shown => bind("--ro-bind", path),
            Sort::Copied => {
                let copy = sandbox.copies.iter().find(|(folder, _)| folder.as_os_str() == path);
                if let Some((_, copy)) = copy {
                    bind("--bind", copy.as_os_str());
                    written.push(path);
                }
            }
            Sort::Written => {
                bind("--bind", path);
                written.push(path);
            }
            Sort::Temporary => {
                if let Some(paths) = &sandbox.written {
                    bind("--bind", paths.temporary.as_os_str());
                    written.push(path);
                }
            }
            Sort::Blank => bind("--ro-bind", OsStr::new("/dev/null")),
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
    let root = (purpose != Purpose::Folders).then_some(OsStr::new("/"));
    let last = [OsStr::new("/proc"), OsStr::new("/dev")].into_iter().chain(root);
    for path in sealed.into_iter().chain(last) {
        words.extend(["--remount-ro".into(), path.into()]);
    }
    words.extend(["--seccomp".into(), filter.as_raw_fd().to_string().into()]);
    words.extend(["--chdir".into(), sandbox.directory.clone().into(), "--".into()]);
    words.extend(command);
    Ok(Confined { program: bwrap.into(), arguments: words, filter: Some(Filter { _file: filter }) })
}

/// Shows what of the system programs need, on an empty root.
fn system(words: &mut Vec<OsString>) {
    for path in SYSTEM_FOLDERS.iter().chain(SYSTEM_FILES).map(Path::new) {
        let Ok(found) = path.symlink_metadata() else { continue };
        match std::fs::read_link(path) {
            Ok(target) if found.is_symlink() => {
                words.extend(["--symlink".into(), target.into(), path.into()]);
            }
            Ok(_) | Err(_) => words.extend(["--ro-bind".into(), path.into(), path.into()]),
        }
    }
    for path in SYSTEM_HIDDEN.iter().filter(|path| Path::new(path).is_dir()) {
        words.extend(["--tmpfs", path, "--remount-ro", path].map(OsString::from));
    }
}

/// Devices of its own for the machine's administrator, who owns those that a confined command shares with everybody and
/// could change their rights: their mount can't be read-only. `None`: not needed, or not to be had here.
fn own_devices(data: &Path) -> Option<PathBuf> {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    if !rustix::process::geteuid().is_root() || data.as_os_str().is_empty() {
        return None;
    }
    let folder = data.join("cache/devices");
    std::fs::create_dir_all(&folder).ok()?;
    let mode = Mode::from_raw_mode(0o666);
    for name in DEVICES {
        let (own, theirs) = (folder.join(name), Path::new("/dev").join(name));
        let device = theirs.metadata().ok()?.rdev();
        if own.symlink_metadata().is_ok_and(|found| found.rdev() != device) {
            std::fs::remove_file(&own).ok()?;
        }
        if own.symlink_metadata().is_err() {
            // Where two make it at a time one of them finds it made.
            let _ = mknodat(CWD, &own, FileType::CharacterDevice, mode, device);
        }
        std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o666)).ok()?;
    }
    std::fs::OpenOptions::new().write(true).open(folder.join("null")).ok()?;
    Some(folder)
}

/// The system call filter in a file of its own in memory, which children inherit: bubblewrap reads it from there. One
/// that inherits it by chance finds a list of numbers.
fn filter(purpose: Purpose, own_devices: bool) -> Result<OwnedFd, ConfineError> {
    // What only reads has nothing to change the rights of.
    let spared = own_devices && purpose != Purpose::Reading;
    let shares_devices = rustix::process::geteuid().is_root() && !spared;
    let program = seccomp::program(shares_devices, purpose).ok_or_else(|| ConfineError::Missing {
        why: "no system call filter is known for this kind of machine".into(),
    })?;
    let system = |error: std::io::Error| ConfineError::System(error.to_string());
    let file = memfd_create("filter", MemfdFlags::empty()).map_err(|error| system(error.into()))?;
    let mut file = std::fs::File::from(file);
    file.write_all(&program).and_then(|()| file.rewind()).map_err(system)?;
    Ok(file.into())
}
