//! A folder with everything in it that can be changed, and all that a change of it would show in.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// All that is known of a file or folder, but for the time of its last reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    mode: u32,
    owner: (u32, u32),
    size: u64,
    links: u64,
    number: u64,
    device: u64,
    modified: (i64, i64),
    changed: (i64, i64),
    content: Vec<u8>,
    attributes: BTreeMap<Vec<u8>, Vec<u8>>,
}

pub type Snapshot = BTreeMap<PathBuf, Entry>;

/// Everything at and below these folders.
pub fn snapshot(roots: &[&Path]) -> Snapshot {
    let mut found = Snapshot::new();
    let mut open: Vec<PathBuf> = roots.iter().map(|root| root.to_path_buf()).collect();
    while let Some(path) = open.pop() {
        let Ok(metadata) = path.symlink_metadata() else { continue };
        let kind = metadata.file_type();
        if kind.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        let content = if kind.is_symlink() {
            fs::read_link(&path).map(|target| target.into_os_string().into_encoded_bytes())
        } else if kind.is_file() {
            fs::read(&path)
        } else {
            Ok(Vec::new())
        };
        let entry = Entry {
            mode: metadata.mode(),
            owner: (metadata.uid(), metadata.gid()),
            size: metadata.size(),
            links: metadata.nlink(),
            number: metadata.ino(),
            device: metadata.rdev(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
            content: content.unwrap_or_default(),
            attributes: attributes(&path),
        };
        found.insert(path, entry);
    }
    found
}

fn attributes(path: &Path) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut names = vec![0_u8; 4096];
    let length = rustix::fs::llistxattr(path, &mut names[..]).unwrap_or(0);
    names[..length]
        .split(|byte| *byte == 0)
        .filter(|name| !name.is_empty())
        .map(|name| {
            let mut value = vec![0_u8; 4096];
            let length = rustix::fs::lgetxattr(path, name, &mut value[..]).unwrap_or(0);
            (name.to_vec(), value[..length].to_vec())
        })
        .collect()
}

/// What differs, in words.
pub fn difference(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let gone =
        before.keys().filter(|path| !after.contains_key(*path)).map(|path| format!("{path:?} is gone"));
    let new = after.keys().filter(|path| !before.contains_key(*path)).map(|path| format!("{path:?} is new"));
    let other = before.iter().filter_map(|(path, entry)| {
        let now = after.get(path)?;
        (now != entry).then(|| format!("{path:?} changed"))
    });
    gone.chain(new).chain(other).collect()
}

/// What the commands of the corpus find: see `files.rs`.
pub fn fill(tree: &Path, outside: &Path, repository: &Path) {
    fs::write(tree.join("a.txt"), "alpha\n").unwrap();
    fs::write(tree.join("b.txt"), "beta\ngamma\nalpha\n").unwrap();
    fs::create_dir_all(tree.join("sub")).unwrap();
    fs::create_dir_all(tree.join("empty")).unwrap();
    fs::write(tree.join("sub/c.txt"), "delta\n").unwrap();
    symlink("a.txt", tree.join("link")).unwrap();
    fs::write(tree.join("tracked"), "one\n").unwrap();
    fs::create_dir_all(outside).unwrap();
    fs::write(outside.join("canary"), "canary\n").unwrap();
    fs::set_permissions(outside.join("canary"), Permissions::from_mode(0o640)).unwrap();
    let _ = rustix::fs::setxattr(tree.join("a.txt"), "user.mine", b"value", rustix::fs::XattrFlags::empty());
    let _ = Command::new("cp").arg("-a").arg(repository.join(".git")).arg(tree).output();
    fs::write(tree.join("tracked"), "one\ntwo\n").unwrap();
}

/// A repository with two commits of `tracked`, of which each place gets a copy.
pub fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tracked"), "one\n").unwrap();
    for words in [
        &["init", "-q", "."][..],
        &["config", "user.name", "Eva"],
        &["config", "user.email", "eva@example.org"],
        &["add", "tracked"],
        &["commit", "-q", "-m", "first"],
        &["commit", "-q", "--allow-empty", "-m", "second"],
    ] {
        // Where there is no git, its commands fail in this test with and without confinement.
        let mut git = Command::new("git");
        let _ = git.args(words).current_dir(&folder).env("GIT_CONFIG_GLOBAL", "/dev/null").output();
    }
    folder
}
