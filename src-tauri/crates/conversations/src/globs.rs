//! Skills that belong to files of a conversation: those whose `globs` match a file in its folders or attachments.

use std::collections::{BTreeSet, VecDeque};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use workspace::{FilePatterns, SkillEntry, SkillOrigin};

/// The most files that are looked at in a folder, and how deep.
const MAX_FILES: usize = 20_000;
const MAX_DEPTH: usize = 12;
/// Folders that hold what programs made.
const MADE: [&str; 6] = ["node_modules", "target", "dist", "build", "__pycache__", "venv"];

/// Slugs of the skills that match, and what the user is told. Reads folders, where a skill names patterns.
pub fn matching(
    skills: &[SkillEntry],
    folders: &[PathBuf],
    attached: &[String],
) -> (BTreeSet<String>, Vec<String>) {
    let (mut found, mut notes, mut open) = (BTreeSet::new(), Vec::new(), Vec::new());
    for entry in skills {
        let Some(skill) = entry.skill.as_ref().ok().filter(|skill| !skill.globs.is_empty()) else { continue };
        match FilePatterns::new(&skill.globs) {
            Ok(patterns) => open.push((entry, patterns)),
            Err(error) => notes.push(format!("The globs of skill {}: {error}.", entry.slug)),
        }
    }
    let mut look = |path: &str, place: &str| {
        open.retain(|(entry, patterns)| {
            let matches = patterns.matches(path);
            if matches {
                let of = match entry.origin {
                    SkillOrigin::Project => " of the project",
                    SkillOrigin::Workspace | SkillOrigin::Person | SkillOrigin::Shipped => "",
                };
                let slug = &entry.slug;
                notes.push(format!("Skill {slug}{of} is in use: {path} {place} matches its globs."));
                found.insert(slug.clone());
            }
            !matches
        });
        if open.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    for name in attached {
        if look(name, "among the attachments").is_break() {
            return (found, notes);
        }
    }
    for folder in folders {
        let ended = files(folder, &mut |path, is_folder| match is_folder {
            true => ControlFlow::Continue(()),
            false => look(path, "in the folder"),
        });
        if ended.is_break() {
            break;
        }
    }
    (found, notes)
}

/// Tells of files and folders below a folder, relative, without hidden ones and what programs made, until it is told to
/// end.
pub fn files(root: &Path, tell: &mut impl FnMut(&str, bool) -> ControlFlow<()>) -> ControlFlow<()> {
    let mut left = MAX_FILES;
    let mut folders: VecDeque<(PathBuf, usize)> = [(root.to_owned(), 0)].into();
    while let Some((folder, depth)) = folders.pop_front() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            if left == 0 {
                return ControlFlow::Continue(());
            }
            left -= 1;
            let Ok(name) = entry.file_name().into_string() else { continue };
            // A link is neither: it may lead anywhere, and round in circles.
            let Ok(kind) = entry.file_type() else { continue };
            if name.starts_with('.') || MADE.contains(&name.as_str()) {
                continue;
            }
            let path = entry.path();
            let Some(relative) = path.strip_prefix(root).ok().and_then(Path::to_str) else { continue };
            if kind.is_dir() {
                tell(relative, true)?;
                if depth < MAX_DEPTH {
                    folders.push_back((path, depth + 1));
                }
            } else if kind.is_file() {
                tell(relative, false)?;
            }
        }
    }
    ControlFlow::Continue(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use workspace::Workspace;

    use super::*;

    #[test]
    fn files_are_told_without_hidden_ones_and_links() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("src/.git")).unwrap();
        fs::create_dir_all(root.path().join("node_modules/x")).unwrap();
        fs::write(root.path().join("src/a.rs"), "").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path(), root.path().join("round")).unwrap();
        let mut told = Vec::new();
        let _ = files(root.path(), &mut |path, is_folder| {
            told.push((path.to_owned(), is_folder));
            ControlFlow::Continue(())
        });
        assert_eq!(told, [("src".to_owned(), true), ("src/a.rs".to_owned(), false)]);
    }

    #[test]
    fn a_skill_is_in_use_where_a_file_of_a_folder_or_an_attachment_matches_its_globs() {
        let home = tempfile::tempdir().unwrap();
        let skill = |slug: &str, globs: &str| {
            let folder = home.path().join("workspaces/default/skills").join(slug);
            fs::create_dir_all(&folder).unwrap();
            let text = format!("---\ndescription: For files.\nglobs: [{globs}]\n---\nDo it.\n");
            fs::write(folder.join("SKILL.md"), text).unwrap();
        };
        skill("infra", "\"*.tf\"");
        skill("ledger", "\"books/**/*.csv\"");
        skill("torn", "\"[\"");
        let skills = Workspace::open(home.path()).skills(None, None);
        let work = home.path().join("work");
        fs::create_dir_all(work.join("books/2025")).unwrap();
        fs::write(work.join("totals.csv"), "").unwrap();
        let look = |attached: &[&str]| {
            let attached: Vec<String> = attached.iter().map(|name| (*name).to_owned()).collect();
            let (found, notes) = matching(&skills, std::slice::from_ref(&work), &attached);
            (found.into_iter().collect::<Vec<_>>(), notes)
        };
        let (found, notes) = look(&[]);
        assert!(found.is_empty());
        assert!(notes.len() == 1 && notes[0].contains("torn"), "{notes:?}");
        assert_eq!(look(&["main.tf"]).0, ["infra"]);
        fs::write(work.join("books/2025/may.csv"), "").unwrap();
        assert_eq!(look(&["main.tf"]).0, ["infra", "ledger"]);
        assert_eq!(look(&[]).0, ["ledger"]);
    }
}
