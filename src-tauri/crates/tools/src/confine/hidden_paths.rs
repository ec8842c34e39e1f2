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
    /// A folder that is empty and stays so.
    Empty,
    /// A file that is empty.
    Blank,
}

/// The places that are not simply shown as they are, the outer ones before what lies in them: a later one holds.
/// Folders with sockets and other people's data come as `scratch` and `emptied`.
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
    // A folder needs to be shown only where something covers it.
    hidden_paths.extend(
        shown
            .into_iter()
            .chain(toolchains)
            .filter(|path| covered.iter().any(|(over, _)| path.starts_with(over)))
            .map(|path| (path, Sort::Shown)),
    );
    hidden_paths.extend(sandbox.copies.iter().map(|(folder, _)| (folder.clone(), Sort::Copied)));
    let masked = sandbox.masked.iter().filter_map(|path| real(path)).filter(|path| path.parent().is_some());
    hidden_paths.extend(masked.map(|path| {
        let sort = if path.is_dir() { Sort::Empty } else { Sort::Blank };
        (path, sort)
    }));
    // Outer before inner. Where two say something about one place the later in `Sort` holds: what is secret stays hidden
    // even if it is named as a folder to work in, while a scratch folder that is one is shown.
    hidden_paths.sort_by(|one, other| {
        one.0.components().count().cmp(&other.0.components().count()).then_with(|| one.cmp(other))
    });
    hidden_paths.dedup();
    let last_of = |at: usize| hidden_paths.get(at + 1).is_none_or(|next| next.0 != hidden_paths[at].0);
    (0..hidden_paths.len()).filter(|at| last_of(*at)).map(|at| hidden_paths[at].clone()).collect()
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn made(root: &Path, folders: &[&str]) -> Vec<PathBuf> {
        folders
            .iter()
            .map(|name| {
                let path = root.join(name);
                std::fs::create_dir_all(&path).unwrap();
                path.canonicalize().unwrap()
            })
            .collect()
    }

    fn below(root: &Path, found: Vec<(PathBuf, Sort)>) -> Vec<(String, Sort)> {
        let root = root.canonicalize().unwrap();
        found
            .into_iter()
            .filter_map(|(path, sort)| Some((path.strip_prefix(&root).ok()?.display().to_string(), sort)))
            .collect()
    }

    /// What is said about places below `root`, which may lie in a machine's hidden folder itself.
    fn hidden_below(root: &Path, sandbox: &SandboxPolicy, scratch: &[PathBuf]) -> Vec<(String, Sort)> {
        below(root, hidden_paths(sandbox, scratch, &[]))
    }

    #[test]
    fn a_home_is_empty_but_for_the_sessions_folders_and_toolchains() {
        let root = tempfile::tempdir().unwrap();
        let made = made(
            root.path(),
            &[
                "home/app",
                "home/.ssh",
                "home/.cargo/bin",
                "home/.config/gh",
                "home/.gem/ruby",
                "data/sessions/s1",
            ],
        );
        std::fs::write(root.path().join("home/.netrc"), "machine").unwrap();
        let sandbox = SandboxPolicy {
            home: Some(root.path().join("home")),
            data: root.path().join("data"),
            shown: vec![made[0].clone(), made[5].clone()],
            directory: made[0].clone(),
            ..SandboxPolicy::default()
        };
        let expected = [
            ("data", Sort::Empty),
            ("home", Sort::Empty),
            ("home/app", Sort::Shown),
            ("data/sessions/s1", Sort::Shown),
            ("home/.cargo/bin", Sort::Shown),
            ("home/.gem/ruby", Sort::Shown),
        ];
        let expected = expected.map(|(path, sort)| (path.to_owned(), sort));
        assert_eq!(hidden_below(root.path(), &sandbox, &[]), expected);
    }

    #[test]
    fn in_a_home_that_is_worked_in_secrets_stay_hidden() {
        let root = tempfile::tempdir().unwrap();
        let made = made(root.path(), &["home/.ssh", "data/sessions/s1", "tmp/work", "home/.config/gh"]);
        std::fs::write(root.path().join("home/.netrc"), "machine").unwrap();
        let sandbox = SandboxPolicy {
            home: Some(root.path().join("home")),
            data: root.path().join("data"),
            shown: vec![root.path().join("home"), made[1].clone(), made[2].clone()],
            directory: made[2].clone(),
            ..SandboxPolicy::default()
        };
        let expected = [
            ("data", Sort::Empty),
            ("tmp", Sort::Scratch),
            ("home/.netrc", Sort::Blank),
            ("home/.ssh", Sort::Empty),
            ("tmp/work", Sort::Shown),
            ("data/sessions/s1", Sort::Shown),
            ("home/.config/gh", Sort::Empty),
        ];
        let expected = expected.map(|(path, sort)| (path.to_owned(), sort));
        assert_eq!(hidden_below(root.path(), &sandbox, &[root.path().join("tmp")]), expected);
    }

    #[test]
    fn a_folder_of_the_home_is_shown_without_the_secrets_in_it() {
        let root = tempfile::tempdir().unwrap();
        let made = made(root.path(), &["home/.config", "home/.config/gh", "home/.ssh"]);
        let sandbox = SandboxPolicy {
            home: Some(root.path().join("home")),
            shown: vec![made[0].clone()],
            directory: made[0].clone(),
            ..SandboxPolicy::default()
        };
        let expected =
            [("home", Sort::Empty), ("home/.config", Sort::Shown), ("home/.config/gh", Sort::Empty)];
        let expected = expected.map(|(path, sort)| (path.to_owned(), sort));
        assert_eq!(hidden_below(root.path(), &sandbox, &[]), expected);
    }

    #[test]
    fn drives_are_empty_but_for_those_that_are_worked_in() {
        let there = |drive: &&Path| drive.canonicalize().is_ok_and(|real| real == *drive && real.is_dir());
        for drive in DRIVES.iter().map(Path::new).filter(there) {
            let (empty, sandbox) = ((drive.to_owned(), Sort::Empty), SandboxPolicy::default());
            assert!(hidden_paths(&sandbox, &[], &[]).contains(&empty), "{}", drive.display());
            let sandbox = SandboxPolicy { shown: vec![drive.to_owned()], ..sandbox };
            assert!(!hidden_paths(&sandbox, &[], &[]).contains(&empty), "{}", drive.display());
        }
    }

    #[test]
    fn a_link_to_a_secret_folder_hides_what_it_leads_to() {
        let root = tempfile::tempdir().unwrap();
        made(root.path(), &["home", "elsewhere/keys"]);
        std::os::unix::fs::symlink(root.path().join("elsewhere/keys"), root.path().join("home/.ssh"))
            .unwrap();
        let sandbox = SandboxPolicy { home: Some(root.path().join("home")), ..SandboxPolicy::default() };
        let expected = [("home".to_owned(), Sort::Empty), ("elsewhere/keys".to_owned(), Sort::Empty)];
        assert_eq!(hidden_below(root.path(), &sandbox, &[]), expected);
    }

    #[test]
    fn the_data_folder_and_secrets_stay_hidden_even_as_folders_to_work_in() {
        let root = tempfile::tempdir().unwrap();
        let made = made(root.path(), &["data", "home/.ssh", "tmp"]);
        let sandbox = SandboxPolicy {
            home: Some(root.path().join("home")),
            data: made[0].clone(),
            shown: made.clone(),
            directory: made[2].clone(),
            ..SandboxPolicy::default()
        };
        let expected =
            [("data", Sort::Empty), ("home", Sort::Empty), ("tmp", Sort::Shown), ("home/.ssh", Sort::Empty)];
        let expected = expected.map(|(path, sort)| (path.to_owned(), sort));
        assert_eq!(hidden_below(root.path(), &sandbox, std::slice::from_ref(&made[2])), expected);
    }
}
