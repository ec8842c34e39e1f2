//! Confinement by a macOS sandbox profile.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::hidden_paths::{Sort, hidden_paths};
use super::{Confined, SandboxPolicy};

pub(super) fn wrap(
    tool: &Path,
    sandbox: &SandboxPolicy,
    program: &OsStr,
    arguments: &[OsString],
) -> Confined {
    let mut words: Vec<OsString> = vec!["-p".into(), profile(sandbox).into(), program.into()];
    words.extend(arguments.iter().cloned());
    Confined { program: tool.into(), arguments: words, filter: None }
}

/// The profile. Of rules that match the last one holds.
fn profile(sandbox: &SandboxPolicy) -> String {
    let mut profile = String::from(
        "(version 1)\n(allow default)\n(deny network*)\n(deny file-write*)\n(deny mach-register)\n(deny appleevent-send)\n\
         (deny signal)\n(allow signal (target same-sandbox))\n(deny process-info* (target others))\n\
         (allow file-write-data (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/dtracehelper\"))\n",
    );
    let emptied: Vec<PathBuf> = Vec::new();
    for (path, sort) in hidden_paths(sandbox, &[], &emptied) {
        let path = quoted(&path);
        match sort {
            Sort::Empty => profile.push_str(&format!("(deny file-read* (subpath {path}))\n")),
            Sort::Blank => profile.push_str(&format!("(deny file-read* (literal {path}))\n")),
            Sort::Shown => profile.push_str(&format!("(allow file-read* (subpath {path}))\n")),
            // Nothing is shown in another one's place, and nothing written, here: `Confinement::can_copy`.
            Sort::Scratch | Sort::Copied | Sort::Written | Sort::Temporary => {}
        }
    }
    profile
}

fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\""))
}
