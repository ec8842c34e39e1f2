//! Agents and skills as they last were right, for the conversations that go on with them while their files are edited.
//!
//! A staged run pins its agent when it begins, and a new one is never begun with anything but what is on disk. These live
//! as long as the program: what was broken before it started has no good version.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use domain::Problem;
use parking_lot::Mutex;
use workspace::{Agent, AgentEntry, Origin, Skill, SkillEntry, Workspace};

/// The most of each that are kept.
const MAX_ENTRIES: usize = 2_000;

/// What a conversation is told of its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// The last good versions, by folder. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct LastValid {
    agents: Arc<Mutex<BTreeMap<PathBuf, AgentInstructions>>>,
    skills: Arc<Mutex<BTreeMap<PathBuf, Skill>>>,
}

impl LastValid {
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
            keep(&self.agents, folder, &told);
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
                let folder = files.root().join("agents").join(slug);
                // One that was removed is gone, whatever it said.
                let known = self.agents.lock().get(&folder).filter(|_| folder.is_dir()).cloned();
                match known {
                    Some(told) => Ok((told, Some(wrong.problem()))),
                    None => Err(wrong.problem()),
                }
            }
        }
    }

    /// Puts the last good version in the place of a broken skill. What is wrong with it, where there was one.
    pub fn skill(&self, entry: &mut SkillEntry) -> Option<String> {
        let folder = entry.folder.as_ref()?;
        match &entry.skill {
            Ok(skill) => {
                keep(&self.skills, folder, skill);
                None
            }
            Err(problems) => {
                let good = self.skills.lock().get(folder).cloned()?;
                let wrong = problems.first().map(ToString::to_string).unwrap_or_default();
                entry.skill = Ok(good);
                Some(wrong)
            }
        }
    }
}

fn keep<T: Clone + PartialEq>(kept: &Mutex<BTreeMap<PathBuf, T>>, folder: &PathBuf, value: &T) {
    let mut kept = kept.lock();
    let known = kept.get(folder);
    if known != Some(value) && (known.is_some() || kept.len() < MAX_ENTRIES) {
        kept.insert(folder.clone(), value.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

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
}
