//! All that is wrong with a configuration, whether it is kept or only proposed.

use std::path::Path;

use domain::{ErrorCode, Problem};
use permissions::Layer;

use crate::{
    ConfigProblem, Workspace, WorkspaceError, parse_connections, parse_rules, read_connections, read_source,
};

/// A kind of file that a person edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigKind {
    /// An agent's folder.
    Agent,
    /// A source's `config.json`.
    Source,
    /// Rules of permissions: the workspace's own, or those of a source.
    Permissions,
    /// Connections to model providers.
    Connections,
}

impl Workspace {
    /// All that is wrong with a configuration: with `text` before it is written, else with the file that is kept. `name`
    /// is the agent or the source.
    ///
    /// # Errors
    /// It is not said which agent or source is meant, or there is none of that name.
    pub fn validate(
        &self,
        home: &Path,
        kind: ConfigKind,
        name: Option<&str>,
        text: Option<&str>,
    ) -> Result<Vec<ConfigProblem>, Problem> {
        let name = name.filter(|name| !name.is_empty());
        let needed = || {
            let missing = "no `name` says which agent or source is meant";
            name.ok_or_else(|| Problem::new(ErrorCode::InvalidInput, missing))
        };
        match (kind, text) {
            (ConfigKind::Agent, None) => broken(self.agent(needed()?).map(drop)),
            (ConfigKind::Agent, Some(_)) => {
                Err(Problem::new(ErrorCode::InvalidInput, "an agent is a folder, not one text")
                    .with_action("write its files, then give its `name` alone"))
            }
            (ConfigKind::Source, None) => broken(self.source(needed()?).map(drop)),
            (ConfigKind::Source, Some(text)) => {
                Ok(read_source("config.json", needed()?, text).err().unwrap_or_default())
            }
            (ConfigKind::Permissions, None) => {
                let entry = match name {
                    Some(slug) => self.source_rules(slug),
                    None => self.own_rules(),
                };
                Ok(entry.and_then(|entry| entry.rules.err()).unwrap_or_default())
            }
            (ConfigKind::Permissions, Some(text)) => {
                let layer = name.map_or(Layer::Workspace, |slug| Layer::Source(slug.to_owned()));
                Ok(parse_rules("permissions.json", text, layer).err().unwrap_or_default())
            }
            (ConfigKind::Connections, text) => {
                let read = match text {
                    Some(text) => parse_connections("connections.json", text).map(Some),
                    None => read_connections(home),
                };
                Ok(match read {
                    Ok(list) => {
                        let entries = list.map(|list| list.entries).unwrap_or_default();
                        entries.into_iter().filter_map(|entry| entry.connection.err()).flatten().collect()
                    }
                    Err(problems) => problems,
                })
            }
        }
    }
}

/// What is wrong with something that exists; that it does not is another matter.
fn broken(read: Result<(), WorkspaceError>) -> Result<Vec<ConfigProblem>, Problem> {
    match read {
        Ok(()) => Ok(Vec::new()),
        Err(WorkspaceError::Broken { problems, .. }) => Ok(problems),
        Err(error) => Err(error.problem()),
    }
}
