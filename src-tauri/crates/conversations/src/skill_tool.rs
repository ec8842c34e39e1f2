//! The tool by which a model reads a skill.

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use config::LastValid;
use domain::{CallEffect, Hints, Preview};
use serde_json::{Value, json};
use store::Store;
use tools::{CallContext, Hidden, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};
use workspace::{DEFAULT_WORKSPACE, SkillEntry, Workspace};

use crate::prompt;

/// Longest file of a skill that is given, in bytes.
const MAX_FILE_BYTES: u64 = 100_000;

/// Reads skills.
pub struct SkillTool {
    info: ToolInfo,
    home: PathBuf,
    store: Store,
    good: LastValid,
    /// What rules keep from being read.
    hidden: Hidden,
}

impl SkillTool {
    /// For a data directory.
    pub fn new(home: &Path, store: Store, good: LastValid, hidden: Hidden) -> Self {
        let info = ToolInfo {
            name: "skill".to_owned(),
            source: String::new(),
            tool: "skill".to_owned(),
            title: "Read skill".to_owned(),
            description: "Reads the instructions of a skill, or one of the files beside them. Do so before work of the \
                          skill's kind, and follow it."
                .to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "name": { "type": "string", "description": "The skill's name, as listed." },
                    "file": { "type": "string", "description": "A file beside the instructions; leave out for the instructions." },
                },
                "required": ["name"],
                "additionalProperties": false,
            }),
            hints: Hints { read_only: Some(true), idempotent: Some(true), ..Hints::default() },
            trusted: true,
            deadline: Duration::from_secs(10),
        };
        Self { info, home: home.to_owned(), store, good, hidden }
    }
}

#[async_trait]
impl Tool for SkillTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, _at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let name = arguments["name"].as_str().unwrap_or_default();
        Ok(PlannedOperation {
            effect: CallEffect::Inner,
            intent: format!("Read skill {name}"),
            preview: Preview::None,
        })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, _run: Run) -> Result<Outcome, ToolError> {
        let slug = self.store.session_workspace(&at.session).await;
        let slug = slug.map_err(|error| ToolError::new(Kind::Failed, error.to_string()))?;
        let files = Workspace::named(&self.home, slug.as_deref().unwrap_or(DEFAULT_WORKSPACE));
        let folders: Vec<String> =
            at.folders.iter().map(|folder| folder.to_string_lossy().into_owned()).collect();
        let name = arguments["name"].as_str().unwrap_or_default().to_owned();
        let file = arguments["file"].as_str().map(str::to_owned);
        let (good, hidden, at) = (self.good.clone(), self.hidden.clone(), at.clone());
        let read = tokio::task::spawn_blocking(move || {
            let (all, _) = prompt::good_skills(&files, &folders, &good);
            read(&all, &name, file.as_deref(), &|path| hidden(&at, path))
        });
        read.await.map_err(|error| ToolError::new(Kind::Failed, error.to_string()))?
    }
}

/// The instructions of a skill or a file beside them; `hides` says which paths rules keep from being read.
fn read(
    all: &[SkillEntry],
    name: &str,
    file: Option<&str>,
    hides: &dyn Fn(&Path) -> bool,
) -> Result<Outcome, ToolError> {
    let Some(entry) = all.iter().find(|entry| entry.slug == name) else {
        let known: Vec<&str> = all.iter().map(|entry| entry.slug.as_str()).collect();
        return Err(ToolError::new(Kind::NotFound, format!("there is no skill {name:?}"))
            .with_guidance(format!("There are: {}.", known.join(", "))));
    };
    let skill = entry.skill.as_ref().map_err(|problems| {
        let what = problems.first().map(ToString::to_string).unwrap_or_default();
        ToolError::new(Kind::Failed, format!("the skill {name} is broken: {what}"))
    })?;
    let kept = |file: &str| {
        let path = entry.folder.as_ref().map(|folder| folder.join(file));
        let real = path.as_ref().and_then(|path| path.canonicalize().ok());
        if path.iter().chain(&real).any(|path| hides(path)) {
            return Err(ToolError::new(
                Kind::Refused,
                format!("a rule keeps {file} of the skill {name} from being read"),
            )
            .with_guidance("Go on without it, or ask the person for what you need of it."));
        }
        Ok(())
    };
    let Some(file) = file else {
        kept("SKILL.md")?;
        let mut text = skill.text.clone();
        if !entry.files.is_empty() {
            text.push_str(&format!("\n\nFiles beside it: {}", entry.files.join(", ")));
        }
        return Ok(Outcome::text(text, skill.name.clone()));
    };
    let gone = || {
        ToolError::new(Kind::NotFound, format!("the skill {name} has no file {file:?}"))
            .with_guidance(format!("It has: {}.", entry.files.join(", ")))
    };
    // Only names of its own list: nothing else of the disk is reached through here.
    if !entry.files.iter().any(|known| known == file) {
        return Err(gone());
    }
    kept(file)?;
    let path = entry.folder.as_ref().ok_or_else(gone)?.join(file);
    let about = std::fs::symlink_metadata(&path).map_err(|_| gone())?;
    if !about.is_file() || about.len() > MAX_FILE_BYTES {
        return Err(ToolError::new(
            Kind::TooLarge,
            format!("{file} is no plain file of at most {MAX_FILE_BYTES} bytes"),
        ));
    }
    let text = std::fs::read_to_string(&path)
        .map_err(|error| ToolError::new(Kind::Failed, format!("{file}: {error}")))?;
    Ok(Outcome::text(text, file.to_owned()))
}

#[cfg(test)]
mod tests {
    use workspace::{Skill, SkillOrigin};

    use super::*;

    #[test]
    fn a_file_that_a_rule_keeps_from_being_read_is_not_given_with_a_skill() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let skills = real.join("skills");
        std::fs::create_dir_all(real.join("keys")).unwrap();
        for (path, text) in [("keys/notes.md", "secret"), ("keys/SKILL.md", "secret")] {
            std::fs::write(real.join(path), text).unwrap();
        }
        std::os::unix::fs::symlink(real.join("keys"), &skills).unwrap();
        let skill = Skill {
            name: "Notes".to_owned(),
            description: "Notes.".to_owned(),
            globs: Vec::new(),
            required_sources: Vec::new(),
            text: "Do it.".to_owned(),
        };
        let all = [SkillEntry {
            slug: "notes".to_owned(),
            origin: SkillOrigin::Project,
            folder: Some(skills),
            skill: Ok(skill),
            files: vec!["notes.md".to_owned()],
        }];
        // The rule is about where the folder really is.
        let (keys, nothing) = (real.join("keys"), |_: &Path| false);
        let hides = |path: &Path| path.starts_with(&keys);
        for file in [None, Some("notes.md")] {
            assert_eq!(read(&all, "notes", file, &hides).unwrap_err().kind, Kind::Refused, "{file:?}");
            assert!(read(&all, "notes", file, &nothing).is_ok(), "{file:?}");
        }
    }
}
