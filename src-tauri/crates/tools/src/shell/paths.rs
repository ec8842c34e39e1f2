//! Which folders a confined command needs besides the session's, and which it may change.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::confine::WrittenPaths;
use crate::{CallContext, Kind, ToolError};

/// What programs keep beside the folder `bin` that they lie in.
const BESIDE: &[&str] = &["conf", "include", "jre", "lib", "lib64", "libexec", "pkg", "share"];
/// What of a folder of the session stays as it is in Auto: it decides what git and this program do later.
const KEPT: &[&str] = &[".git/config", ".git/hooks", ".git/info/attributes", ".agentnative"];
/// Parts of a session's own folder that its commands may change.
const OWN: &[&str] = &["data", "plans"];
/// Where toolchains keep what they fetch: the variable, and the folder of the home folder that is used read-only where it
/// is there; none: it can't be used so.
const CACHES: &[(&str, &str)] = &[
    ("CARGO_HOME", ".cargo/registry"),
    ("GOCACHE", ""),
    ("GOMODCACHE", "go/pkg/mod"),
    ("GRADLE_USER_HOME", ""),
    ("NUGET_PACKAGES", ".nuget/packages"),
    ("PIP_CACHE_DIR", ""),
    ("POETRY_CACHE_DIR", ""),
    ("UV_CACHE_DIR", ""),
    ("YARN_CACHE_FOLDER", ""),
    ("npm_config_cache", ""),
];
/// The longest file that names a repository, in bytes.
const MAX_NAME_BYTES: u64 = 4_096;

/// Folders that are there, without links.
pub(super) fn resolved(folders: &[PathBuf]) -> Vec<PathBuf> {
    folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect()
}

/// What a command of Auto may change.
///
/// # Errors
/// When its folder for temporary files can't be made.
pub(super) fn written_paths(at: &CallContext) -> Result<WrittenPaths, ToolError> {
    let temporary = at.own.join("tmp");
    std::fs::create_dir_all(&temporary).map_err(|error| {
        ToolError::new(Kind::Failed, format!("{} can't be made: {error}", temporary.display()))
    })?;
    let mut folders = resolved(&at.folders);
    let mut kept: Vec<PathBuf> =
        folders.iter().flat_map(|folder| KEPT.iter().map(|name| folder.join(name))).collect();
    // The name of a repository that lies elsewhere.
    kept.extend(folders.iter().map(|folder| folder.join(".git")).filter(|path| path.is_file()));
    folders.extend(OWN.iter().map(|name| at.own.join(name)).filter(|path| path.is_dir()));
    Ok(WrittenPaths { folders, temporary, kept })
}

/// Variables with which toolchains keep what they fetch in the folder for temporary files: the person's own caches are
/// read-only like all else.
pub(super) fn caches() -> Vec<(OsString, OsString)> {
    let home = std::env::home_dir().unwrap_or_default();
    let wanted = |(_, kept): &&(&str, &str)| kept.is_empty() || !home.join(kept).is_dir();
    let temporary = |(variable, _): &(&str, &str)| {
        ((*variable).into(), format!("/tmp/.cache/{}", variable.to_ascii_lowercase()).into())
    };
    CACHES.iter().filter(wanted).map(temporary).collect()
}

/// A file with attributes for git: what has one of these names is shown as a binary file is, without its content.
///
/// # Errors
/// When it can't be written; the command must then not run.
pub(super) fn git_attributes(at: &CallContext, names: &[String]) -> Result<Option<PathBuf>, ToolError> {
    if names.is_empty() {
        return Ok(None);
    }
    let file = at.own.join("gitattributes");
    let text: String = names.iter().map(|name| format!("{name} -diff\n")).collect();
    if std::fs::read_to_string(&file).is_ok_and(|known| known == text) {
        return Ok(Some(file));
    }
    let written = std::fs::create_dir_all(&at.own).and_then(|()| std::fs::write(&file, text));
    written.map(|()| Some(file.clone())).map_err(|error| {
        ToolError::new(Kind::Failed, format!("{} can't be written: {error}", file.display()))
    })
}

/// Folders of programs on the search path that lie in none of the system's and in no home folder, with what belongs to
/// them, and those that links on the search path lead to.
pub(super) fn toolchains(path: &OsStr) -> Vec<PathBuf> {
    static FOUND: Mutex<Option<(OsString, Vec<PathBuf>)>> = Mutex::new(None);
    let mut known = FOUND.lock();
    if let Some((_, found)) = known.as_ref().filter(|(of, _)| of == path) {
        return found.clone();
    }
    let homes: Vec<PathBuf> =
        ["/home", "/root", "/Users"].into_iter().map(PathBuf::from).chain(std::env::home_dir()).collect();
    let own = |folder: &Path| {
        folder.starts_with("/usr") && !folder.starts_with("/usr/local/etc")
            || homes.iter().any(|home| folder.starts_with(home))
    };
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
        let Ok(folder) = folder.canonicalize() else { continue };
        let links = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let links = links.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        let targets = links.filter_map(|entry| Some(entry.path().canonicalize().ok()?.parent()?.to_owned()));
        for folder in targets.chain([folder.clone()]).filter(|folder| !own(folder)) {
            if found.contains(&folder) || folder.parent().is_none() {
                continue;
            }
            let above = folder.parent().filter(|above| above.parent().is_some());
            let above = above.filter(|_| folder.file_name() == Some(OsStr::new("bin")));
            let beside = above.into_iter().flat_map(|above| BESIDE.iter().map(|name| above.join(name)));
            found.extend(beside.filter(|path| path.is_dir()).collect::<Vec<_>>());
            found.push(folder);
        }
    }
    *known = Some((path.to_owned(), found.clone()));
    found
}

/// The repository that a worktree of git belongs to, where both name each other; otherwise anything could be named.
pub(super) fn repository_of(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let text = |path: &Path| {
        let short =
            path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() < MAX_NAME_BYTES);
        short.then(|| std::fs::read_to_string(path).ok()).flatten()
    };
    let name = folder.join(".git");
    let administration = text(&name)?;
    let administration = folder.join(administration.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let back = administration.join(text(&administration.join("gitdir"))?.trim()).canonicalize().ok()?;
    let common = administration.join(text(&administration.join("commondir"))?.trim()).canonicalize().ok()?;
    let whole = administration.starts_with(common.join("worktrees")) && common.join("HEAD").is_file();
    (back == name && whole && common.join("objects").is_dir()).then_some(common)
}
