//! Working folders as they are typed.

use std::path::Path;

use domain::{ErrorCode, Problem};
use protocol::FolderSeen;
use support::blocking;

use crate::Conversations;

/// The most folders that are offered.
const MAX_OFFERED: usize = 12;
/// Entries of a folder that are looked at for them.
const MAX_ENTRIES_READ: usize = 5_000;

impl Conversations {
    /// Whether a path is a folder that can be worked in, and which folders go on from what was typed.
    pub async fn folder_look(&self, path: String) -> Result<FolderSeen, Problem> {
        blocking(move || Ok(seen(&path))).await
    }
}

/// A path whose `~` stands for the home directory, as in a terminal.
fn expanded(path: &str) -> String {
    let below = path.strip_prefix('~').filter(|below| below.is_empty() || below.starts_with('/'));
    let home = std::env::home_dir().and_then(|home| home.into_os_string().into_string().ok());
    below.zip(home).map_or_else(|| path.to_owned(), |(below, home)| format!("{home}{below}"))
}

/// A folder that a conversation may work in, with links followed.
pub(crate) fn working_folder(folder: &str) -> Result<String, Problem> {
    let folder = expanded(folder);
    let path = Path::new(&folder);
    if path.is_absolute() && path.is_file() {
        return Err(Problem::new(ErrorCode::InvalidInput, format!("{folder} is a file"))
            .with_action("choose the folder that it is in; nothing was changed"));
    }
    let real = path.canonicalize().ok().filter(|real| real.is_dir() && path.is_absolute());
    let Some(real) = real.and_then(|real| real.into_os_string().into_string().ok()) else {
        return Err(Problem::new(ErrorCode::NotFound, format!("there is no folder {folder}"))
            .with_action("choose a folder by its whole path; nothing was changed"));
    };
    if real == "/" {
        return Err(Problem::new(ErrorCode::InvalidInput, "the whole disk is no working folder")
            .with_action("choose a folder in it; nothing was changed"));
    }
    Ok(real)
}

fn seen(path: &str) -> FolderSeen {
    let path = expanded(path);
    let below = if Path::new(&path).is_absolute() { below(&path) } else { Vec::new() };
    match working_folder(&path) {
        Ok(folder) => FolderSeen { folder: Some(folder), problem: None, below },
        Err(problem) => FolderSeen { folder: None, problem: Some(problem.message), below },
    }
}

/// Folders that a path may become when it is typed on.
fn below(path: &str) -> Vec<String> {
    let (parent, begun) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = if parent.is_empty() { "/" } else { parent };
    let Ok(entries) = std::fs::read_dir(parent) else { return Vec::new() };
    let mut found: Vec<String> = entries
        .take(MAX_ENTRIES_READ)
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.starts_with(begun) && (begun.starts_with('.') || !name.starts_with('.')))
        .map(|name| format!("{}/{name}", parent.trim_end_matches('/')))
        .collect();
    found.sort();
    found.truncate(MAX_OFFERED);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_looked_at_while_it_is_typed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["audit", "archive", ".hidden"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        std::fs::write(root.join("a.txt"), "").unwrap();
        let of = |name: &str| format!("{}/{name}", root.display());
        let half = seen(&of("a"));
        assert_eq!((half.folder, half.below), (None, vec![of("archive"), of("audit")]));
        assert!(half.problem.unwrap().contains("there is no folder"));
        assert_eq!(seen(&of("audit")).folder, Some(of("audit")));
        let file = seen(&of("a.txt"));
        assert_eq!((file.folder, file.problem), (None, Some(format!("{} is a file", of("a.txt")))));
        assert_eq!(seen(&of(".")).below, [of(".hidden")]);
        assert_eq!(seen("/").folder, None, "the whole disk is none");
        assert_eq!(
            seen("audit"),
            FolderSeen { problem: Some("there is no folder audit".into()), ..FolderSeen::default() }
        );
    }

    #[test]
    fn a_tilde_stands_for_the_home_directory_and_for_no_other_ones() {
        let home = std::env::home_dir().unwrap();
        assert_eq!(expanded("~"), home.display().to_string());
        assert_eq!(expanded("~/notes"), format!("{}/notes", home.display()));
        assert_eq!(expanded("~eva/notes"), "~eva/notes");
        assert_eq!(expanded("/a/~/b"), "/a/~/b");
    }
}
