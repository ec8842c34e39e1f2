//! Servers that are started here: their command with its arguments filled in.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::sources::{Era, SourceConfig as StartedServer};
use context::{Scope, Templates};
use domain::{ErrorCode, Problem};
use engine::Corpus;
use serde_json::json;
use workspace::{McpServer, SourceConfig};

/// The command that stands for this program itself.
const SELF: &str = "@self";

/// Whether a server is this program itself: it needs nobody's search path.
pub fn is_self(config: &SourceConfig) -> bool {
    config.mcp.as_ref().is_some_and(|mcp| mcp.command == SELF)
}

/// How a server is started for knowledge bases, of which it is for the last, with references to secrets still in its environment.
pub fn started(
    home: &Path,
    program: &Path,
    bases: &[Corpus],
    config: &SourceConfig,
    mcp: &McpServer,
) -> Result<StartedServer, Problem> {
    let mut scope = Scope::new();
    let (base, beside) = bases.split_last().map_or((None, &[][..]), |(base, beside)| (Some(base), beside));
    scope.set("corpus", &json!(base.map(|base| &base.base)));
    scope.set("generation", &json!(base.map(|base| &base.generation)));
    let named = |base: &Corpus| format!("{}@{}", base.base, base.generation);
    scope.set("attached", &json!(beside.iter().map(named).collect::<Vec<_>>().join(",")));
    let templates = Templates::new();
    let args: Result<Vec<String>, _> = mcp.args.iter().map(|arg| templates.render(arg, &scope)).collect();
    let args = args.map_err(|error| {
        Problem::new(ErrorCode::InvalidConfig, format!("source {}: {error}", config.slug))
            .with_action("correct the arguments in its config.json")
    })?;
    let own = is_self(config);
    let command = if own { program.to_string_lossy().into_owned() } else { mcp.command.clone() };
    let mut started = StartedServer::new(config.slug.clone(), command).with_args(args);
    started.cwd = mcp.cwd.clone().map(PathBuf::from);
    started.workspace = home.to_owned();
    started.env = mcp.env.clone();
    started.inherit_env = mcp.inherit_env.clone();
    if own {
        started.era = Era::Modern;
        started.env.insert("AGENTNATIVE_HOME".to_owned(), home.to_string_lossy().into_owned());
    }
    started.start_timeout = Duration::from_secs(mcp.start_timeout_seconds);
    started.call_idle = Duration::from_secs(mcp.call_idle_seconds);
    started.call_total = Duration::from_secs(mcp.call_total_seconds);
    started.max_concurrent_calls = mcp.max_concurrent_calls as usize;
    started.trusted = config.trusted;
    Ok(started)
}
