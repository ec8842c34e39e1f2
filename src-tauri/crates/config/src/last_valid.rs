//! Agents and skills as they last were right, for the conversations that go on with them while their files are edited.
//!
//! A staged run pins its agent when it begins, and a new one is never begun with anything but what is on disk. A copy of
//! each outlives the program, so that one that breaks while it is closed goes on, too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use domain::{ErrorCode, Problem};
use parking_lot::Mutex;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use workspace::{Agent, AgentEntry, Origin, Skill, SkillEntry, Workspace};

use crate::store::{copies_folder, forget_copy, keep_copy, last_valid_text};

/// The most of each that are kept.
const MAX_ENTRIES: usize = 2_000;

/// What a conversation is told of its agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentInstructions {
    /// Its name for people.
    pub name: String,
    /// What its page says.
    pub instructions: String,
    /// Slugs of the sources that its conversations are limited to; empty: not limited.
    pub sources: Vec<String>,
    /// Names of the tools that its conversations are limited to; empty: not limited.
    pub tools: Vec<String>,
}

/// The last good versions, by folder. Cheap to clone. The default one keeps them in memory alone.
#[derive(Debug, Clone, Default)]
pub struct LastValid {
    home: Option<Arc<PathBuf>>,
    agents: Arc<Mutex<BTreeMap<PathBuf, AgentInstructions>>>,
    skills: Arc<Mutex<BTreeMap<PathBuf, Skill>>>,
    /// Whether copies of folders that were removed while the program was closed are gone.
    looked: Arc<OnceLock<()>>,
}

/// A copy for the next start: it names its folder, so that it can go with it.
#[derive(Serialize, Deserialize)]
struct KeptCopy<T> {
    folder: PathBuf,
    value: T,
}

impl LastValid {
    /// With copies in a data directory.
    pub fn new(home: &Path) -> Self {
        Self { home: Some(Arc::new(home.to_owned())), ..Self::default() }
    }

    /// Notes how an agent is.
    pub fn saw_agent(&self, entry: &AgentEntry) {
        if let Ok(agent) = &entry.agent {
            self.keep_agent(agent);
        }
    }

    fn keep_agent(&self, agent: &Agent) -> AgentInstructions {
        let head = agent.front_matter.clone();
        let told = AgentInstructions {
            name: head.name,
            instructions: agent.instructions.clone(),
            sources: head.sources,
            tools: head.tools,
        };
        if let Origin::Own(folder) = &agent.origin {
            self.keep(&self.agents, folder, &told);
        }
        told
    }

    /// What a conversation is told of its agent; of a broken one as it last was right, with what is wrong with it now.
    ///
    /// # Errors
    /// There is no such agent, or it never was right.
    pub fn agent(
        &self,
        files: &Workspace,
        slug: &str,
    ) -> Result<(AgentInstructions, Option<Problem>), Problem> {
        match files.agent(slug) {
            Ok(agent) => Ok((self.keep_agent(&agent), None)),
            Err(wrong) => {
                self.forget_removed();
                let folder = files.root().join("agents").join(slug);
                match self.last(&self.agents, &folder) {
                    Some(told) => Ok((told, Some(away(files.root()).unwrap_or_else(|| wrong.problem())))),
                    None => Err(wrong.problem()),
                }
            }
        }
    }

    /// Forgets agents and skills whose folder is gone, also since before this start: one that was removed is gone, whatever
    /// it said. Those of a folder whose disk is away stay.
    pub fn forget_removed(&self) {
        let stays = |folder: &Path| {
            let stays = !is_removed(folder);
            if !stays {
                self.home.iter().for_each(|home| forget_copy(home, folder));
            }
            stays
        };
        self.agents.lock().retain(|folder, _| stays(folder));
        self.skills.lock().retain(|folder, _| stays(folder));
        if let Some(home) = &self.home {
            self.looked.get_or_init(|| {
                for copy in std::fs::read_dir(copies_folder(home)).into_iter().flatten().flatten() {
                    let text = std::fs::read_to_string(copy.path()).unwrap_or_default();
                    if let Ok(copy) = serde_json::from_str::<KeptCopy<IgnoredAny>>(&text) {
                        stays(&copy.folder);
                    }
                }
            });
        }
    }

    /// Puts the last good version in the place of a broken skill. What is wrong with it, where there was one.
    pub fn skill(&self, entry: &mut SkillEntry) -> Option<String> {
        let folder = entry.folder.as_ref()?;
        match &entry.skill {
            Ok(skill) => {
                self.keep(&self.skills, folder, skill);
                None
            }
            Err(problems) => {
                let good = self.last(&self.skills, folder)?;
                let wrong = problems.first().map(ToString::to_string).unwrap_or_default();
                entry.skill = Ok(good);
                Some(wrong)
            }
        }
    }

    fn keep<T: Clone + PartialEq + Serialize>(
        &self,
        kept: &Mutex<BTreeMap<PathBuf, T>>,
        folder: &Path,
        value: &T,
    ) {
        let mut kept = kept.lock();
        let known = kept.get(folder);
        if known == Some(value) || (known.is_none() && kept.len() >= MAX_ENTRIES) {
            return;
        }
        kept.insert(folder.to_owned(), value.clone());
        drop(kept);
        let copy = KeptCopy { folder: folder.to_owned(), value };
        if let (Some(home), Ok(text)) = (&self.home, serde_json::to_string(&copy)) {
            keep_copy(home, folder, &text);
        }
    }

    /// The last good version of a folder, of this start or of an earlier one.
    fn last<T: Clone + DeserializeOwned>(
        &self,
        kept: &Mutex<BTreeMap<PathBuf, T>>,
        folder: &Path,
    ) -> Option<T> {
        if let Some(known) = kept.lock().get(folder) {
            return Some(known.clone());
        }
        let home = self.home.as_ref()?;
        if is_removed(folder) {
            // It was removed after the copies were looked through, and nobody had asked for it since the start.
            forget_copy(home, folder);
            return None;
        }
        let text = last_valid_text(home, folder)?;
        let value: T = match serde_json::from_str::<KeptCopy<T>>(&text) {
            Ok(copy) => copy.value,
            // As earlier versions of the program kept it.
            Err(_) => serde_json::from_str(&text).ok()?,
        };
        let mut kept = kept.lock();
        if kept.len() < MAX_ENTRIES {
            // What is in memory is forgotten as soon as its folder is gone.
            kept.insert(folder.to_owned(), value.clone());
        }
        Some(value)
    }
}

/// That the folder of a workspace is not there, and so nothing of what is in it.
fn away(root: &Path) -> Option<Problem> {
    let what = || format!("the folder of its workspace is not there now: {}", root.display());
    (!root.is_dir()).then(|| {
        Problem::new(ErrorCode::NotFound, what())
            .with_action("bring the folder or its disk back, or remove the workspace")
    })
}

/// Whether the folder of an agent or a skill is gone, while the folder that its kind lies in the folder of is there.
fn is_removed(folder: &Path) -> bool {
    let place = folder.parent().and_then(Path::parent);
    !folder.is_dir() && place.is_none_or(Path::is_dir)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    const CLERK: &str = "---\nname: Clerk\ndescription: Looks things up.\n---\nLook it up.\n";

    use pretty_assertions::assert_eq;

    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_skill_that_breaks_goes_on_as_it_last_was_and_its_line_is_named() {
        let home = tempfile::tempdir().unwrap();
        let (files, good) = (Workspace::open(home.path()), LastValid::default());
        let path = files.root().join("skills/commit/SKILL.md");
        let look = || {
            let all = files.skills(None, None);
            let mut entry = all.into_iter().find(|entry| entry.slug == "commit").unwrap();
            let wrong = good.skill(&mut entry);
            (entry.skill.ok().map(|skill| skill.text), wrong)
        };
        write(&path, "---\nname: [\n---\nDo it.\n");
        assert_eq!(look(), (None, None), "it never was right");
        write(&path, "---\ndescription: Commits.\n---\nDo it.\n");
        assert_eq!(look(), (Some("Do it.".to_owned()), None));
        write(&path, "---\ndescription: Commits.\nname: [\n---\nDo it otherwise.\n");
        let (text, wrong) = look();
        assert_eq!(text.as_deref(), Some("Do it."));
        assert!(wrong.unwrap().contains("SKILL.md:"));
        write(&path, "---\ndescription: Commits.\n---\nDo it otherwise.\n");
        assert_eq!(look(), (Some("Do it otherwise.".to_owned()), None));
        // One that was removed is gone, whatever it said.
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
        good.forget_removed();
        write(&path, "---\nname: [\n---\nDo it.\n");
        assert_eq!(look(), (None, None));
    }

    #[test]
    fn an_agent_that_breaks_goes_on_as_it_last_was_until_it_is_removed() {
        let home = tempfile::tempdir().unwrap();
        let (files, good) = (Workspace::open(home.path()), LastValid::default());
        let folder = files.root().join("agents/clerk");
        let config = serde_json::json!({
            "slug": "clerk", "name": "Clerk", "description": "Looks things up.", "sources": [],
            "depthModes": {"standard": {}},
            "controlFlow": {"stages": [{"id": "output", "name": "output", "title": "Output", "kind": "render",
                "document": {"answer": "{'synthesis': 'Done.'}"}}]},
        });
        write(&folder.join("config.json"), &config.to_string());
        let page =
            "---\nname: Clerk\ndescription: Looks things up.\nsources: []\ntools: []\n---\nLook it up.\n";
        write(&folder.join("AGENT.md"), page);
        let (told, wrong) = good.agent(&files, "clerk").unwrap();
        assert_eq!((told.instructions.trim(), wrong), ("Look it up.", None));
        write(&folder.join("config.json"), "{\n\"slug\": \"clerk\",,\n}");
        let (told, wrong) = good.agent(&files, "clerk").unwrap();
        assert_eq!(told.instructions.trim(), "Look it up.");
        assert!(wrong.unwrap().message.contains("config.json:2"));
        assert!(LastValid::default().agent(&files, "clerk").is_err());
        fs::remove_dir_all(&folder).unwrap();
        assert!(good.agent(&files, "clerk").is_err());
    }

    #[test]
    fn what_breaks_while_the_program_is_closed_goes_on_as_it_last_was() {
        let home = tempfile::tempdir().unwrap();
        let files = Workspace::open(home.path());
        let path = files.root().join("skills/translate/SKILL.md");
        let look = |good: &LastValid| {
            let mut entry =
                files.skills(None, None).into_iter().find(|entry| entry.folder.is_some()).unwrap();
            good.skill(&mut entry);
            entry.skill.ok().map(|skill| skill.text)
        };
        write(&path, "---\ndescription: Translates.\n---\nÜbersetze „das“.\n");
        assert_eq!(look(&LastValid::new(home.path())).as_deref(), Some("Übersetze „das“."));
        write(&path, "---\nname: [\n---\nAnders.\n");
        assert_eq!(look(&LastValid::new(home.path())).as_deref(), Some("Übersetze „das“."));
        assert_eq!(look(&LastValid::default()), None);

        let agent = files.root().join("agents/clerk");
        let told = AgentInstructions {
            name: "Clerk".to_owned(),
            instructions: "Look it up.".to_owned(),
            sources: Vec::new(),
            tools: vec!["read".to_owned()],
        };
        let first = LastValid::new(home.path());
        first.keep(&first.agents, &agent, &told);
        write(&agent.join("config.json"), "{");
        assert_eq!(LastValid::new(home.path()).agent(&files, "clerk").unwrap().0, told);
        // One that was removed is not brought back by what was kept of it.
        fs::remove_dir_all(&agent).unwrap();
        assert!(LastValid::new(home.path()).agent(&files, "clerk").is_err());
        write(&agent.join("config.json"), "{");
        assert!(LastValid::new(home.path()).agent(&files, "clerk").is_err());
    }

    /// An agent that was valid at the start before, and is broken at this one.
    fn broken_clerk() -> (tempfile::TempDir, Workspace, PathBuf, LastValid) {
        let home = tempfile::tempdir().unwrap();
        let files = Workspace::open(home.path());
        let agent = files.root().join("agents/clerk");
        write(&agent.join("AGENT.md"), CLERK);
        assert!(LastValid::new(home.path()).agent(&files, "clerk").is_ok());
        write(&agent.join("AGENT.md"), "no front matter");
        let next = LastValid::new(home.path());
        (home, files, agent, next)
    }

    #[test]
    fn what_is_removed_before_anybody_asked_for_it_is_gone() {
        let (_home, files, agent, next) = broken_clerk();
        next.forget_removed();
        fs::remove_dir_all(&agent).unwrap();
        assert!(next.agent(&files, "clerk").is_err());
        write(&agent.join("AGENT.md"), "no front matter");
        assert!(next.agent(&files, "clerk").is_err());
    }

    #[test]
    fn what_is_removed_and_made_anew_broken_does_not_go_on_as_it_was_before_this_start() {
        let (_home, files, agent, next) = broken_clerk();
        assert!(next.agent(&files, "clerk").is_ok(), "a broken one goes on as it last was");
        fs::remove_dir_all(&agent).unwrap();
        next.forget_removed();
        write(&agent.join("AGENT.md"), "no front matter");
        assert!(next.agent(&files, "clerk").is_err());
    }

    #[test]
    fn of_an_agent_whose_workspace_is_away_the_folder_that_is_missing_is_named() {
        let (home, files, agent, next) = broken_clerk();
        fs::rename(files.root(), home.path().join("away")).unwrap();
        let (_, wrong) = next.agent(&files, "clerk").unwrap();
        let wrong = wrong.unwrap().message;
        assert!(
            wrong.contains("is not there now") && wrong.contains(files.root().to_str().unwrap()),
            "{wrong}"
        );
        assert!(!agent.exists());
    }

    #[test]
    fn what_is_removed_while_the_program_is_closed_is_gone_though_nobody_asked_for_it() {
        let home = tempfile::tempdir().unwrap();
        let files = Workspace::open(home.path());
        let (agent, skill) =
            (files.root().join("agents/clerk"), files.root().join("skills/translate/SKILL.md"));
        let look = |good: &LastValid| {
            let mut entry =
                files.skills(None, None).into_iter().find(|entry| entry.folder.is_some()).unwrap();
            good.skill(&mut entry);
            (good.agent(&files, "clerk").is_ok(), entry.skill.is_ok())
        };
        let break_both = || {
            write(&agent.join("AGENT.md"), "no front matter");
            write(&skill, "---\nname: [\n---\nAnders.\n");
        };
        write(&agent.join("AGENT.md"), CLERK);
        write(&skill, "---\ndescription: Translates.\n---\nIt.\n");
        assert_eq!(look(&LastValid::new(home.path())), (true, true));
        break_both();
        assert_eq!(look(&LastValid::new(home.path())), (true, true), "a broken one goes on as it last was");
        // While the folder of the workspace is away, so is all that is in it.
        let away = home.path().join("away");
        fs::rename(files.root(), &away).unwrap();
        LastValid::new(home.path()).forget_removed();
        fs::rename(&away, files.root()).unwrap();
        assert_eq!(look(&LastValid::new(home.path())), (true, true));
        fs::remove_dir_all(&agent).unwrap();
        fs::remove_dir_all(skill.parent().unwrap()).unwrap();
        LastValid::new(home.path()).forget_removed();
        break_both();
        assert_eq!(look(&LastValid::new(home.path())), (false, false));
    }
}
