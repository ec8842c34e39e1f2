//! Commands that make, change and remove skills.

use std::path::PathBuf;

use domain::{Digest, ErrorCode, Problem};
use protocol::{FileEdit, FileProblem, SkillView};
use support::blocking;
use workspace::{ConfigProblem, Workspace, parse_skill};

use crate::Conversations;

const FILE: &str = "SKILL.md";
/// The largest text, in bytes.
const MAX_FILE_BYTES: usize = 1 << 20;

/// What is wrong with the text of a skill.
pub fn skill_try(slug: &str, text: &str) -> Vec<FileProblem> {
    let problems = parse_skill(slug, FILE, text).err().unwrap_or_default();
    environment::file_problems(&problems)
}

impl Conversations {
    /// Keeps a skill in the workspace, where it stands before one of the same name that is built in or the user's.
    pub async fn skill_save(&self, slug: String, file: FileEdit) -> Result<SkillView, Problem> {
        if file.text.len() > MAX_FILE_BYTES {
            return Err(Problem::new(
                ErrorCode::InvalidInput,
                "a skill has at most 1 MiB; nothing was changed",
            ));
        }
        let (files, live, name) = (self.env.files(), self.env.config.clone(), slug.clone());
        blocking(move || {
            parse_skill(&name, FILE, &file.text).map_err(|problems| refused(&problems))?;
            let folder = folder_of(&files, &name)?;
            let shown = shown(&files, &name);
            let (path, there) = (folder.join(FILE), folder.join(FILE).exists());
            // Without a version of the workspace's own, the edit was made on the one that it will stand before.
            if !there && shown != file.before {
                return Err(Problem::new(
                    ErrorCode::Conflict,
                    format!("skill {name} was changed outside meanwhile"),
                )
                .with_action("look at it as it is now, and change it again"));
            }
            let seen = file.before.as_ref().filter(|_| there).map(|text| Digest::of(text.as_bytes()));
            live.save(&path, seen, &file.text)
        })
        .await?;
        self.skill_show(&slug, None).await
    }

    /// Deletes a skill of the workspace.
    pub async fn skill_remove(&self, slug: String) -> Result<(), Problem> {
        let files = self.env.files();
        blocking(move || {
            let folder = folder_of(&files, &slug)?;
            if !folder.join(FILE).is_file() {
                return Err(Problem::new(
                    ErrorCode::NotFound,
                    format!("the workspace has no skill {slug} of its own"),
                ));
            }
            std::fs::remove_dir_all(&folder)
                .map_err(|error| Problem::new(ErrorCode::Storage, format!("{}: {error}", folder.display())))
        })
        .await
    }
}

fn folder_of(files: &Workspace, slug: &str) -> Result<PathBuf, Problem> {
    if !support::is_session_id(slug) {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            format!("{slug:?} is no name of a skill: use letters, digits, `-`, `_` and `.`"),
        ));
    }
    Ok(files.root().join("skills").join(slug))
}

/// The text of a skill as it is used now.
fn shown(files: &Workspace, slug: &str) -> Option<String> {
    let all = files.skills(crate::prompt::home_folder().as_deref(), None);
    all.into_iter().find(|entry| entry.slug == slug)?.source_text()
}

fn refused(problems: &[ConfigProblem]) -> Problem {
    let words = problems.first().map(ToString::to_string).unwrap_or_default();
    Problem::new(ErrorCode::InvalidConfig, words).with_action("correct it; nothing was changed")
}
