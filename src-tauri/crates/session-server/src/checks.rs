//! `config_validate` and `skill_validate`.

use std::path::Path;

use domain::Problem;
use mcp_servers::{ConfigKind, ConfigParams, Fault};
use workspace::ConfigProblem;

/// The most problems of one file that are listed.
const MAX_FAULTS: usize = 100;

pub(super) fn checked(
    home: &Path,
    workspace: Option<&str>,
    wanted: &ConfigParams,
) -> Result<Vec<Fault>, Problem> {
    let kind = match wanted.kind {
        ConfigKind::Agent => workspace::ConfigKind::Agent,
        ConfigKind::Source => workspace::ConfigKind::Source,
        ConfigKind::Permissions => workspace::ConfigKind::Permissions,
        ConfigKind::Connections => workspace::ConfigKind::Connections,
    };
    let found = app::home::files(home, workspace)?.validate(
        home,
        kind,
        wanted.name.as_deref(),
        wanted.text.as_deref(),
    )?;
    Ok(faults(found))
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
    problems.into_iter().take(MAX_FAULTS).map(fault).collect()
}
