//! `config_validate` and `skill_validate`.

use std::path::Path;

use domain::{ErrorCode, Problem};
use mcp_servers::{ConfigKind, ConfigParams, Fault};
use permissions::Layer;
use workspace::{ConfigProblem, WorkspaceError};

/// The most problems of one file that are listed.
const FAULTS: usize = 100;

/// Runs what reads files on a thread of its own.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let failed = |_| Problem::new(ErrorCode::Internal, "the check failed inside the program");
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

pub(super) fn checked(home: &Path, wanted: &ConfigParams) -> Result<Vec<Fault>, Problem> {
    let workspace = crate::home::files(home)?;
    let name = wanted.name.as_deref().filter(|name| !name.is_empty());
    let needed = || {
        name.ok_or_else(|| {
            Problem::new(ErrorCode::InvalidInput, "no `name` says which agent or source is meant")
        })
    };
    let found = match (wanted.kind, wanted.text.as_deref()) {
        (ConfigKind::Agent, None) => broken(workspace.agent(needed()?).map(drop))?,
        (ConfigKind::Agent, Some(_)) => {
            return Err(Problem::new(ErrorCode::InvalidInput, "an agent is a folder, not one text")
                .with_action("write its files, then give its `name` alone"));
        }
        (ConfigKind::Source, None) => broken(workspace.source(needed()?).map(drop))?,
        (ConfigKind::Source, Some(text)) => {
            let slug = needed()?;
            workspace::read_source("config.json", slug, text).err().unwrap_or_default()
        }
        (ConfigKind::Permissions, None) => {
            let entry = match name {
                Some(slug) => workspace.source_rules(slug),
                None => workspace.own_rules(),
            };
            entry.and_then(|entry| entry.rules.err()).unwrap_or_default()
        }
        (ConfigKind::Permissions, Some(text)) => {
            let layer = name.map_or(Layer::Workspace, |slug| Layer::Source(slug.to_owned()));
            workspace::parse_rules("permissions.json", text, layer).err().unwrap_or_default()
        }
        (ConfigKind::Connections, text) => {
            let read = match text {
                Some(text) => workspace::parse_connections("connections.json", text).map(Some),
                None => workspace::read_connections(home),
            };
            match read {
                Ok(list) => {
                    let entries = list.map(|list| list.entries).unwrap_or_default();
                    entries.into_iter().filter_map(|entry| entry.connection.err()).flatten().collect()
                }
                Err(problems) => problems,
            }
        }
    };
    Ok(faults(found))
}

/// What is wrong with something that exists; that it does not is another matter.
fn broken(read: Result<(), WorkspaceError>) -> Result<Vec<ConfigProblem>, Problem> {
    match read {
        Ok(()) => Ok(Vec::new()),
        Err(WorkspaceError::Broken { problems, .. }) => Ok(problems),
        Err(error) => Err(error.problem()),
    }
}

pub(super) fn faults(problems: Vec<ConfigProblem>) -> Vec<Fault> {
    let fault = |problem: ConfigProblem| Fault {
        message: match &problem.remedy {
            Some(remedy) => format!("expected {}, found {}; {remedy}", problem.expected, problem.found),
            None => format!("expected {}, found {}", problem.expected, problem.found),
        },
        file: problem.file,
        line: problem.line,
        pointer: problem.pointer,
    };
    problems.into_iter().take(FAULTS).map(fault).collect()
}
