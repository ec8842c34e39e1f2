//! The files of an agent as they stand, for whoever copies or edits them.

use std::path::Path;

use crate::folder::{Folder, folders};
use crate::problem::WorkspaceError;
use crate::{Origin, Workspace, shipped};

/// How deep an agent's folder is read.
const MAX_DEPTH: usize = 3;
/// The most files of an agent.
const MAX_FILES: usize = 500;

/// A file of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFile {
    /// Its path in the agent's folder, written with `/`; prompts are in `prompts`.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Workspace {
    /// An agent's picture: the name and bytes of its `icon.svg` or `icon.png`.
    pub fn agent_icon(&self, slug: &str) -> Option<(String, Vec<u8>)> {
        let (folder, _) = self.place("agents", slug);
        picture(&folder, &["icon.svg", "icon.png"])
    }

    /// A picture that a status names, in `statuses/icons`.
    pub fn status_icon(&self, name: &str) -> Option<Vec<u8>> {
        let folder = Folder::Disk(self.root().join("statuses").join("icons"));
        picture(&folder, &[name]).map(|(_, bytes)| bytes)
    }

    /// The files of an agent, broken or not, sorted by name. Hidden and unreadable ones are left out.
    ///
    /// # Errors
    /// There is no such agent.
    pub fn agent_files(&self, slug: &str) -> Result<(Origin, Vec<AgentFile>), WorkspaceError> {
        self.known_agent(slug)?;
        let (folder, origin) = self.place("agents", slug);
        let mut files = Vec::new();
        match &folder {
            Folder::Shipped(path) => {
                let file =
                    |(name, bytes): (&str, &[u8])| AgentFile { name: name.to_owned(), bytes: bytes.to_vec() };
                files.extend(shipped::below(path).map(file));
                let prompts = shipped::below(&format!("prompts/{slug}")).map(file).collect::<Vec<_>>();
                files.extend(
                    prompts
                        .into_iter()
                        .map(|file| AgentFile { name: format!("prompts/{}", file.name), ..file }),
                );
            }
            Folder::Disk(path) => read(path, "", MAX_DEPTH, &mut files),
        }
        files.sort_by(|one, other| one.name.cmp(&other.name));
        Ok((origin, files))
    }
}

fn read(folder: &Path, below: &str, depth: usize, files: &mut Vec<AgentFile>) {
    let here = Folder::Disk(folder.to_owned());
    for name in here.names() {
        if files.len() < MAX_FILES
            && let Ok(bytes) = here.bytes(&name)
        {
            files.push(AgentFile { name: format!("{below}{name}"), bytes });
        }
    }
    if depth > 1 {
        for name in folders(folder) {
            read(&folder.join(&name), &format!("{below}{name}/"), depth - 1, files);
        }
    }
}

fn picture(folder: &Folder, names: &[&str]) -> Option<(String, Vec<u8>)> {
    names.iter().find_map(|name| Some(((*name).to_owned(), folder.bytes(name).ok()?)))
}
