//! Commands on skills, pages of help, and what completes a mention.

use std::ops::ControlFlow;
use std::path::Path;

use domain::{ErrorCode, MentionKind, Problem};
use protocol::{Completion, HelpPage, SkillRow, SkillView};
use support::blocking;
use workspace::{SkillEntry, help_pages};

use crate::Conversations;

/// The most completions.
const MAX_COMPLETIONS: usize = 30;

/// Pages of help, without their texts.
pub fn help_list() -> Vec<HelpPage> {
    help_pages().into_iter().map(|(slug, text)| page(slug, text, false)).collect()
}

/// A page of help.
pub fn help_show(slug: &str) -> Result<HelpPage, Problem> {
    let found = help_pages().into_iter().find(|(name, _)| *name == slug);
    let (slug, text) = found
        .ok_or_else(|| Problem::new(ErrorCode::NotFound, format!("there is no page of help {slug:?}")))?;
    Ok(page(slug, text, true))
}

impl Conversations {
    /// Skills, broken ones included.
    pub async fn skill_list(&self, session: Option<String>) -> Result<Vec<SkillRow>, Problem> {
        Ok(self.skills_of(session).await?.iter().map(row).collect())
    }

    /// A skill with its text.
    pub async fn skill_show(&self, slug: &str, session: Option<String>) -> Result<SkillView, Problem> {
        let all = self.skills_of(session).await?;
        let entry = all
            .into_iter()
            .find(|entry| entry.slug == slug)
            .ok_or_else(|| Problem::new(ErrorCode::NotFound, format!("there is no skill {slug:?}")))?;
        Ok(SkillView {
            skill: row(&entry),
            text: entry.skill.as_ref().map(|skill| skill.text.clone()).unwrap_or_default(),
            source: entry.source_text().unwrap_or_default(),
            folder: entry.folder.map(|folder| folder.display().to_string()).unwrap_or_default(),
            files: entry.files,
        })
    }

    /// Skills that a session can use.
    pub async fn skills_of(&self, session: Option<String>) -> Result<Vec<SkillEntry>, Problem> {
        let folders = self.folders_of(session).await?;
        let files = self.env.files();
        blocking(move || Ok(crate::prompt::skills(&files, &folders))).await
    }

    async fn folders_of(&self, session: Option<String>) -> Result<Vec<String>, Problem> {
        match session {
            Some(session) => Ok(self.setup_of(&session).await?.folders),
            None => Ok(Vec::new()),
        }
    }

    /// What completes a mention; at most 30.
    pub async fn mention_complete(
        &self,
        session: Option<String>,
        sigil: String,
        text: String,
        folders: Vec<String>,
    ) -> Result<Vec<Completion>, Problem> {
        let folders = match session {
            None => folders,
            session => self.folders_of(session).await?,
        };
        let (workspace, labels) = (self.env.files(), self.sessions.lists().await?.labels.list);
        blocking(move || {
            let wanted = text.to_lowercase();
            let mut found: Vec<(u32, Completion)> = Vec::new();
            let mut offer = |kind, name: &str, title: &str, detail: &str| {
                let score = [score(&wanted, &name.to_lowercase()), score(&wanted, &title.to_lowercase())];
                if let Some(score) = score.into_iter().flatten().min() {
                    let (name, title, detail) = (name.to_owned(), title.to_owned(), detail.to_owned());
                    found.push((score, Completion { kind, name, title, detail }));
                }
            };
            match sigil.as_str() {
                "/" => {
                    for entry in crate::prompt::skills(&workspace, &folders) {
                        if let Ok(skill) = &entry.skill {
                            offer(MentionKind::Skill, &entry.slug, &skill.name, &skill.description);
                        }
                    }
                }
                "@" => {
                    for entry in workspace.agents() {
                        if let Ok(agent) = &entry.agent {
                            let head = &agent.front_matter;
                            offer(MentionKind::Agent, &entry.slug, &head.name, &head.description);
                        }
                    }
                    for entry in workspace.sources() {
                        if let Ok(source) = &entry.source {
                            offer(MentionKind::Source, &entry.slug, &source.name, &source.description);
                        }
                    }
                    for (at, folder) in folders.iter().enumerate() {
                        let _ = crate::globs::files(Path::new(folder), &mut |path, is_folder| {
                            let kind = if is_folder { MentionKind::Folder } else { MentionKind::File };
                            let short = path.rsplit('/').next().unwrap_or(path);
                            // Below the first folder relative, elsewhere whole: as the tools take it.
                            let name = if at == 0 { path.to_owned() } else { format!("{folder}/{path}") };
                            offer(kind, &name, short, if at == 0 { "" } else { folder });
                            ControlFlow::Continue(())
                        });
                    }
                }
                "#" => {
                    for label in labels.all() {
                        let path: Vec<&str> =
                            labels.path(&label.id).iter().map(|label| label.name.as_str()).collect();
                        offer(MentionKind::Label, &label.id, &label.name, &path.join(" / "));
                    }
                }
                _ => {
                    return Err(Problem::new(
                        ErrorCode::InvalidInput,
                        format!("{sigil:?} begins no mention; `@`, `/` and `#` do"),
                    ));
                }
            }
            found.sort_by(|(one, a), (other, b)| {
                (one, a.kind, a.name.len(), &a.name).cmp(&(other, b.kind, b.name.len(), &b.name))
            });
            Ok(found.into_iter().take(MAX_COMPLETIONS).map(|(_, completion)| completion).collect())
        })
        .await
    }
}

/// How well a name fits, the least first: begins with it, holds it at a word's beginning, holds it, has its letters in
/// order. Nothing: it does not.
fn score(wanted: &str, name: &str) -> Option<u32> {
    if wanted.is_empty() || name.starts_with(wanted) {
        return Some(0);
    }
    if let Some(at) = name.find(wanted) {
        let before = name[..at].chars().next_back();
        return Some(if before.is_none_or(|c| !c.is_alphanumeric()) { 1 } else { 2 });
    }
    let mut rest = name.chars();
    wanted.chars().all(|c| rest.any(|other| other == c)).then_some(3)
}

fn row(entry: &SkillEntry) -> SkillRow {
    let skill = entry.skill.as_ref();
    SkillRow {
        slug: entry.slug.clone(),
        name: skill.map_or_else(|_| entry.slug.clone(), |skill| skill.name.clone()),
        description: skill.map(|skill| skill.description.clone()).unwrap_or_default(),
        origin: entry.origin.as_str().to_owned(),
        globs: skill.map(|skill| skill.globs.clone()).unwrap_or_default(),
        required_sources: skill.map(|skill| skill.required_sources.clone()).unwrap_or_default(),
        problems: environment::file_problems(&entry.problems()),
    }
}

fn page(slug: String, text: &str, whole: bool) -> HelpPage {
    let title = text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
    HelpPage { slug, title, text: if whole { text.to_owned() } else { String::new() } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_counts_more_than_a_word_and_a_word_more_than_letters() {
        assert_eq!(score("ma", "main.rs"), Some(0));
        assert_eq!(score("ma", "src/main.rs"), Some(1));
        assert_eq!(score("ai", "src/main.rs"), Some(2));
        assert_eq!(score("smr", "src/main.rs"), Some(3));
        assert_eq!(score("xyz", "src/main.rs"), None);
        assert_eq!(score("", "anything"), Some(0));
    }
}
