//! `.worktreeinclude`: ignored files of the person's checkout that a new worktree gets copies of.

use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::TaskError;
use crate::git::{Git, failed, fields};

/// Where a repository names the files, in the syntax of `.gitignore`.
pub const INCLUDE_FILE: &str = ".worktreeinclude";
/// The most files that are copied.
const MAX_FILES: usize = 2_000;
/// The largest file that is copied, in bytes.
const MAX_FILE_BYTES: u64 = 50 << 20;
/// The most that is copied in all, in bytes.
const MAX_ALL_BYTES: u64 = 200 << 20;
/// The most files that were not copied and are named.
const MAX_SKIPPED: usize = 100;

/// What became of the files that `.worktreeinclude` names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IncludeResult {
    /// Files that were copied.
    pub copied: Vec<CopiedFile>,
    /// Files that were not, at most 100 of them.
    pub skipped: Vec<SkippedFile>,
}

/// A file that was copied into a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CopiedFile {
    /// The file, below the checkout.
    pub path: String,
    /// The SHA-256 of what was copied.
    pub sha256: String,
}

/// A file that was not copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedFile {
    /// The file, below the checkout.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Copies the files that the checkout's `.worktreeinclude` names into a worktree. Only files that git ignores are
/// copied; none is overwritten, none is read or written outside, and no link is followed.
pub(crate) async fn copy_included(checkout: &Git<'_>, worktree: &Path) -> Result<IncludeResult, TaskError> {
    let mut result = IncludeResult::default();
    let file = checkout.folder().join(INCLUDE_FILE);
    if !std::fs::symlink_metadata(&file).is_ok_and(|found| found.is_file()) {
        return Ok(result);
    }
    let from = format!("--exclude-from={}", file.display());
    let named = checkout.bytes(&["ls-files", "-z", "--others", "--ignored", &from]).await?;
    if named.is_empty() {
        return Ok(result);
    }
    // Begun with `./`, no name has another meaning. The command ends with 1 where nothing is ignored.
    let input: String = fields(&named).map(|path| format!("./{path}\0")).collect();
    let arguments = ["check-ignore", "-z", "--stdin"];
    let ignored = checkout.clone().with_magic().run(&arguments, input.as_bytes()).await?;
    if !matches!(ignored.code, Some(0 | 1)) {
        return Err(failed(&arguments, &ignored));
    }
    let (mut count, mut bytes) = (0, 0);
    for path in fields(&ignored.output) {
        let path = path.trim_start_matches("./").to_owned();
        let length = std::fs::symlink_metadata(checkout.folder().join(&path)).map_or(0, |found| found.len());
        count += 1;
        let copied = if count > MAX_FILES {
            Copy::Skipped(format!("more than {MAX_FILES} files"))
        } else if length > MAX_FILE_BYTES {
            Copy::Skipped(format!("larger than {MAX_FILE_BYTES} bytes"))
        } else if bytes + length > MAX_ALL_BYTES {
            Copy::Skipped(format!("all files together are larger than {MAX_ALL_BYTES} bytes"))
        } else {
            copy(checkout.folder(), worktree, &path)
        };
        match copied {
            Copy::Done { sha256 } => {
                bytes += length;
                result.copied.push(CopiedFile { path, sha256 });
            }
            Copy::Skipped(reason) if result.skipped.len() < MAX_SKIPPED => {
                result.skipped.push(SkippedFile { path, reason });
            }
            Copy::Skipped(_) => {}
        }
    }
    Ok(result)
}

enum Copy {
    Done { sha256: String },
    Skipped(String),
}

fn copy(from: &Path, to: &Path, path: &str) -> Copy {
    let skipped = |reason: &str| Copy::Skipped(reason.to_owned());
    let (Some(source), Some(target)) = (inside(from, path), inside(to, path)) else {
        return skipped("it leads outside");
    };
    if !std::fs::symlink_metadata(&source).is_ok_and(|found| found.is_file()) {
        return skipped("it is no plain file");
    }
    if std::fs::symlink_metadata(&target).is_ok() {
        return skipped("the worktree has it already");
    }
    let copied = || {
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::copy(&source, &target)?;
        digest(&target)
    };
    match copied() {
        Ok(sha256) => Copy::Done { sha256 },
        Err(error) => Copy::Skipped(error.to_string()),
    }
}

/// The SHA-256 of a file, in hexadecimal digits.
pub(crate) fn digest(path: &Path) -> std::io::Result<String> {
    let bytes = std::fs::read(path)?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A path below a folder, unless it leads out of it, by its words or by a link.
pub(crate) fn inside(folder: &Path, path: &str) -> Option<PathBuf> {
    let parts: Vec<_> = Path::new(path).components().collect();
    if parts.is_empty() || parts.iter().any(|part| !matches!(part, Component::Normal(_))) {
        return None;
    }
    let mut place = folder.to_owned();
    for (at, part) in parts.iter().enumerate() {
        let link = std::fs::symlink_metadata(&place).is_ok_and(|found| found.is_symlink());
        if at > 0 && link {
            return None;
        }
        place.push(part);
    }
    Some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn no_path_leads_out_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("in")).unwrap();
        std::os::unix::fs::symlink("/etc", folder.path().join("out")).unwrap();
        for bad in ["", "../x", "/etc/passwd", "in/../../x", "out/passwd"] {
            assert_eq!(inside(folder.path(), bad), None, "{bad}");
        }
        assert_eq!(inside(folder.path(), "in/new/file"), Some(folder.path().join("in/new/file")));
        assert_eq!(inside(folder.path(), "out"), Some(folder.path().join("out")));
    }
}
