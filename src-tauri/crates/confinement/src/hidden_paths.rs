//! What a confined command does not get to read: homes but for the session's folders and toolchains, the app's own data
//! and the machine's secrets.

use std::path::{Path, PathBuf};

use permissions::{SECRET_FILES, SECRET_FOLDERS};

use super::SandboxPolicy;

/// Folders in which people live: empty for confined commands.
const HOMES: &[&str] = &["/home", "/root", "/Users"];

/// Where drives are, and what is served from a machine: empty as well.
const DRIVES: &[&str] = &["/mnt", "/media", "/srv", "/Volumes"];

/// What toolchains keep in a home folder, which is shown: programs and what they are built from.
const TOOLCHAINS: &[&str] = &[
    "bin",
    "go/bin",
    "go/pkg",
    ".asdf",
    ".bun/bin",
    ".bun/install/global",
    ".cabal/bin",
    ".cargo/bin",
    ".cargo/git",
    ".cargo/registry",
    ".deno/bin",
    ".dotnet",
    ".fnm",
    ".gem/ruby",
    ".ghcup",
    ".juliaup",
    ".local/bin",
    ".local/lib",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pnpm",
    ".local/share/uv",
    ".local/share/virtualenvs",
    ".m2/repository",
    ".nix-profile",
    ".nodenv",
    ".nuget/packages",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman/candidates",
    ".swiftly",
    ".volta",
    ".zvm",
    // Homebrew on Linux has a home of its own.
    "linuxbrew/.linuxbrew",
];

/// Files of the machine that only its administrator reads, who may be who runs this.
const MACHINE_FILES: &[&str] =
    &["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/krb5.keytab"];

/// Folders of that kind.
const MACHINE_FOLDERS: &[&str] = &[
    "/etc/NetworkManager/system-connections",
    "/etc/letsencrypt",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/sudoers.d",
    "/etc/wireguard",
    "/var/mail",
    "/var/spool",
];

/// What becomes of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    /// A folder that is empty, and the command's own to write to.
    Scratch,
    /// A folder that is shown as it is, read-only.
    Shown,
    /// A folder that another one is shown in the place of, to be written to.
    Copied,
    /// A folder that is shown as it is, to be written to.
    Written,
    /// A folder in whose place the command's folder for temporary files is shown.
    Temporary,
    /// A folder that is empty and stays so.
    Empty,
    /// A file that is empty.
    Blank,
}

/// The places that are not simply shown as they are, the outer ones before what lies in them: a later one holds.
/// Folders with sockets and other people's data come as `scratch` and `emptied`. On Linux nothing is shown but what is named
/// here and the system's folders.
pub(super) fn hidden_paths(
    sandbox: &SandboxPolicy,
    scratch: &[PathBuf],
    emptied: &[PathBuf],
) -> Vec<(PathBuf, Sort)> {
    let mut hidden_paths: Vec<(PathBuf, Sort)> = Vec::new();
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let folder = |path: PathBuf| real(&path).filter(|found| found.is_dir() && found.parent().is_some());
    hidden_paths.extend(scratch.iter().cloned().filter_map(folder).map(|path| (path, Sort::Scratch)));
    hidden_paths.extend(emptied.iter().cloned().filter_map(folder).map(|path| (path, Sort::Empty)));
    hidden_paths.extend(folder(sandbox.data.clone()).map(|path| (path, Sort::Empty)));
    let shown: Vec<PathBuf> =
        sandbox.shown.iter().chain(Some(&sandbox.directory)).cloned().filter_map(folder).collect();
    // A home folder that a session was given is shown, but for its secrets.
    let own = sandbox.home.clone().and_then(folder);
    let homes: Vec<PathBuf> = HOMES.iter().map(PathBuf::from).filter_map(folder).chain(own.clone()).collect();
    let hidden = homes.iter().filter(|home| !shown.iter().any(|shown| home.starts_with(shown)));
    let hidden: Vec<&PathBuf> = hidden.collect();
    hidden_paths.extend(hidden.iter().map(|path| ((*path).clone(), Sort::Empty)));
    let drives = DRIVES.iter().map(PathBuf::from).filter_map(folder);
    let drives = drives.filter(|drive| !shown.iter().any(|shown| drive.starts_with(shown)));
    hidden_paths.extend(drives.map(|path| (path, Sort::Empty)));
    let toolchains = hidden.iter().flat_map(|home| TOOLCHAINS.iter().map(|name| home.join(name)));
    let toolchains: Vec<PathBuf> = toolchains.filter_map(folder).collect();
    if let Some(home) = &own {
        // In what is hidden anyway a secret is covered only where it would be shown again.
        let may_show = |path: &PathBuf| {
            let shown = shown.iter().chain(&toolchains).any(|shown| path.starts_with(shown));
            shown || !hidden.iter().any(|home| path.starts_with(home))
        };
        let folders = SECRET_FOLDERS.iter().map(|name| home.join(name)).filter_map(folder);
        hidden_paths.extend(folders.filter(may_show).map(|path| (path, Sort::Empty)));
        let files = SECRET_FILES.iter().filter_map(|name| real(&home.join(name)));
        let files = files.filter(|path| path.is_file()).filter(may_show);
        hidden_paths.extend(files.map(|path| (path, Sort::Blank)));
    }
    hidden_paths
        .extend(MACHINE_FOLDERS.iter().map(PathBuf::from).filter_map(folder).map(|path| (path, Sort::Empty)));
    let files = MACHINE_FILES.iter().filter_map(|path| real(Path::new(path))).filter(|path| path.is_file());
    hidden_paths.extend(files.map(|path| (path, Sort::Blank)));
    let covered = hidden_paths.clone();
    // A folder needs to be shown only where something covers it, or nothing is shown.
    hidden_paths.extend(
        shown
            .into_iter()
            .chain(toolchains)
            .filter(|path| {
                cfg!(target_os = "linux") || covered.iter().any(|(over, _)| path.starts_with(over))
            })
            .map(|path| (path, Sort::Shown)),
    );
    hidden_paths.extend(sandbox.copies.iter().map(|(folder, _)| (folder.clone(), Sort::Copied)));
    let masked = sandbox.masked.iter().filter_map(|path| real(path)).filter(|path| path.parent().is_some());
    hidden_paths.extend(masked.map(|path| {
        let sort = if path.is_dir() { Sort::Empty } else { Sort::Blank };
        (path, sort)
    }));
    ordered(hidden_paths)
}

/// Outer before inner. Where two say something about one place the later in `Sort` holds: what is secret stays hidden even
/// if it is named as a folder to work in, while a scratch folder that is one is shown.
fn ordered(mut paths: Vec<(PathBuf, Sort)>) -> Vec<(PathBuf, Sort)> {
    paths.sort_by(|one, other| {
        one.0.components().count().cmp(&other.0.components().count()).then_with(|| one.cmp(other))
    });
    paths.dedup();
    let last_of = |at: usize| paths.get(at + 1).is_none_or(|next| next.0 != paths[at].0);
    (0..paths.len()).filter(|at| last_of(*at)).map(|at| paths[at].clone()).collect()
}

/// The places of a command that may change folders for good which are not simply shown read-only.
#[cfg(target_os = "linux")]
pub(super) fn written_paths(
    sandbox: &SandboxPolicy,
    written: &super::WrittenPaths,
    emptied: &[PathBuf],
) -> Vec<(PathBuf, Sort)> {
    let real = |path: &Path| std::fs::canonicalize(path).ok().filter(|found| found.parent().is_some());
    let mut paths: Vec<(PathBuf, Sort)> = Vec::new();
    let mut add = |found: Option<PathBuf>, sort: Sort| paths.extend(found.map(|path| (path, sort)));
    for path in emptied.iter().chain([&sandbox.data]) {
        add(real(path).filter(|path| path.is_dir()), Sort::Empty);
    }
    // Where names are looked up may be told by a file that lies among sockets.
    add(real(Path::new("/etc/resolv.conf")).filter(|path| path.starts_with("/run")), Sort::Shown);
    for path in ["/tmp", "/var/tmp"] {
        add(real(Path::new(path)), Sort::Temporary);
    }
    for path in sandbox.shown.iter().chain(&written.kept) {
        add(real(path), Sort::Shown);
    }
    for path in &written.folders {
        add(real(path).filter(|path| path.is_dir()), Sort::Written);
    }
    // A socket of a service does what it is told with the service's rights.
    let inside = |path: &Path| written.folders.iter().any(|folder| path.starts_with(folder));
    let sockets = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let sockets =
        sockets.lines().filter_map(|line| line.split_once(" /").map(|(_, rest)| format!("/{rest}")));
    for path in sockets.map(PathBuf::from).filter(|path| path.exists() && !inside(path)) {
        let hidden = paths
            .iter()
            .any(|(over, sort)| matches!(sort, Sort::Empty | Sort::Temporary) && path.starts_with(over));
        if !hidden {
            paths.push((path, Sort::Blank));
        }
    }
    ordered(paths)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests;
