//! What a source is started with: the command, what it may see, and every limit that holds it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use crate::elicit::Elicitor;
use crate::http::HttpServer;

/// Which generation of the protocol a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Ask with `server/discover` first and fall back to `initialize`; what was found is remembered per configuration.
    Auto,
    /// 2026-07-28: stateless, `server/discover`.
    Modern,
    /// 2025-11-25 and older: `initialize`.
    Legacy,
}

/// Everything that determines how one MCP server is started and bounded. [`SourceConfig::new`] fills in the defaults.
#[derive(Clone)]
pub struct SourceConfig {
    /// The source's name, in every error and event.
    pub slug: String,
    /// The server that is reached over HTTP; `None` is one that is started here, by `command`.
    pub http: Option<HttpServer>,
    /// Who is asked what a server wants to know from a person; `None` declines.
    pub elicitor: Option<Arc<dyn Elicitor>>,
    /// A program name to look up in the search path, or a path (with a separator) relative to `workspace`. `~/` is the
    /// home directory.
    pub command: String,
    /// Arguments, passed as they are: there is no shell.
    pub args: Vec<String>,
    /// Working directory, relative to `workspace`; `None` is the workspace itself.
    pub cwd: Option<PathBuf>,
    /// The directory against which relative paths are resolved.
    pub workspace: PathBuf,
    /// Variables to set for the server. Values may be secrets: they are never printed, and are cut out of the stderr tail.
    pub env: BTreeMap<String, String>,
    /// Names of variables of this process to pass on, beyond the minimal set (`HOME`, `LANG`, `LOGNAME`, `PATH`,
    /// `SHELL`, `TERM`, `TMPDIR`, `USER`).
    pub inherit_env: Vec<String>,
    /// Where to look programs up, in the form of `PATH`; `None` is this process' `PATH`.
    pub search_path: Option<OsString>,
    /// Whether a run that needs this source must stop when it does not start. Only carried for the caller.
    pub required: bool,
    /// Whether the server's tool annotations count. Only carried for the caller.
    pub trusted: bool,
    /// The protocol generation to speak.
    pub era: Era,
    /// From spawning to the last page of tools.
    pub start_timeout: Duration,
    /// How long a silent server is waited for with `server/discover` before it is taken for an old one.
    pub probe_timeout: Duration,
    /// Longest silence within a call; progress of the call starts it anew.
    pub call_idle: Duration,
    /// Longest call, progress or not.
    pub call_total: Duration,
    /// Calls at the same time; more wait within their own deadline.
    pub max_concurrent_calls: usize,
    /// Largest message from the server, in bytes on the wire.
    pub max_result_bytes: usize,
    /// Largest arguments of a call, in bytes of JSON.
    pub max_argument_bytes: usize,
    /// Messages within one second that answer nothing (notifications, stray answers, banners) before the server is cut off.
    pub max_noise_per_second: u32,
    /// Bytes of such messages between two answers before the server is cut off.
    pub max_noise_bytes: usize,
    /// Pages of tools.
    pub max_tool_pages: usize,
    /// Tools in all.
    pub max_tools: usize,
    /// Largest input or output schema of a tool, in bytes of JSON.
    pub max_schema_bytes: usize,
    /// Largest list of tools, in bytes of JSON.
    pub max_catalogue_bytes: usize,
    /// How long a closed server may take to end by itself before it is asked with SIGTERM.
    pub stop_timeout: Duration,
    /// How long it may then take before SIGKILL.
    pub kill_grace: Duration,
}

impl SourceConfig {
    /// A configuration with the default limits, resolved against the current directory.
    pub fn new(slug: impl Into<String>, command: impl Into<String>) -> Self {
        Self {
            slug: slug.into(),
            http: None,
            elicitor: None,
            command: command.into(),
            args: Vec::new(),
            cwd: None,
            workspace: PathBuf::from("."),
            env: BTreeMap::new(),
            inherit_env: Vec::new(),
            search_path: None,
            required: false,
            trusted: false,
            era: Era::Auto,
            start_timeout: Duration::from_secs(30),
            probe_timeout: Duration::from_secs(2),
            call_idle: Duration::from_secs(60),
            call_total: Duration::from_secs(600),
            max_concurrent_calls: 8,
            max_result_bytes: 8 << 20,
            max_argument_bytes: 4 << 20,
            max_noise_per_second: 5_000,
            max_noise_bytes: 16 << 20,
            max_tool_pages: 100,
            max_tools: 1_000,
            max_schema_bytes: 64 << 10,
            max_catalogue_bytes: 8 << 20,
            stop_timeout: Duration::from_secs(1),
            kill_grace: process_guard::DEFAULT_GRACE,
        }
    }

    /// A server at an address, with the default limits.
    pub fn http(slug: impl Into<String>, url: impl Into<String>) -> Self {
        Self { http: Some(HttpServer::new(url)), ..Self::new(slug, String::new()) }
    }

    /// The same configuration with these arguments.
    pub fn with_args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args = args.into_iter().map(Into::into).collect();
        self
    }

    /// SHA-256 (hex) over everything that decides what would run and what it would see, the values of passed-on
    /// variables included. Two configurations with the same hash may share a process.
    pub fn hash(&self) -> String {
        let mut hasher = Sha256::new();
        let mut add = |part: &[u8]| {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        };
        add(self.slug.as_bytes());
        add(self.command.as_bytes());
        if let Some(http) = &self.http {
            http.add_to(&mut add);
        }
        add(&(self.args.len() as u64).to_le_bytes());
        for argument in &self.args {
            add(argument.as_bytes());
        }
        add(format!("{:?}", self.cwd).as_bytes());
        add(self.workspace.as_os_str().as_encoded_bytes());
        add(&(self.env.len() as u64).to_le_bytes());
        for (name, value) in &self.env {
            add(name.as_bytes());
            add(value.as_bytes());
        }
        for name in &self.inherit_env {
            add(name.as_bytes());
            add(std::env::var_os(name).unwrap_or_default().as_encoded_bytes());
        }
        add(format!("{:?}", self.search_path).as_bytes());
        add(format!(
            "{:?} {:?}",
            self.era,
            (
                self.start_timeout,
                self.probe_timeout,
                self.call_idle,
                self.call_total,
                self.max_concurrent_calls,
                self.max_result_bytes,
                self.max_argument_bytes,
            )
        )
        .as_bytes());
        hex::encode(hasher.finalize())
    }

    /// The configured deadlines of a call, not yet cancellable by anyone else.
    pub fn call_limits(&self) -> CallLimits {
        CallLimits { idle: self.call_idle, total: self.call_total, cancel: CancellationToken::new() }
    }
}

impl fmt::Debug for SourceConfig {
    /// Shows the names of variables, never their values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SourceConfig")
            .field("slug", &self.slug)
            .field("http", &self.http)
            .field("command", &self.command)
            .field("args", &self.args)
            .field("cwd", &self.cwd)
            .field("workspace", &self.workspace)
            .field("env", &self.env.keys().collect::<Vec<_>>())
            .field("inherit_env", &self.inherit_env)
            .field("era", &self.era)
            .finish_non_exhaustive()
    }
}

/// The deadlines of one call and the token that ends it early.
#[derive(Debug, Clone)]
pub struct CallLimits {
    /// Longest silence; progress starts it anew.
    pub idle: Duration,
    /// Longest call, waiting for a free slot included.
    pub total: Duration,
    /// Cancelling it ends the call with [`crate::SourceErrorKind::Cancelled`] and tells the server.
    pub cancel: CancellationToken,
}

impl CallLimits {
    /// Both deadlines set to `total`.
    pub fn within(total: Duration) -> Self {
        Self { idle: total, total, cancel: CancellationToken::new() }
    }

    /// The same deadlines with this token.
    pub fn cancelled_by(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_configuration_shows_no_value_of_a_variable() {
        let mut config = SourceConfig::new("kb", "server");
        config.env.insert("TOKEN".into(), "canary-in-the-mine".into());
        let shown = format!("{config:?}");
        assert!(shown.contains("TOKEN") && !shown.contains("canary"));
    }

    #[test]
    fn the_hash_changes_with_what_would_run() {
        let one = SourceConfig::new("kb", "server").with_args(["a", "b"]);
        let two = SourceConfig::new("kb", "server").with_args(["ab"]);
        let mut three = one.clone();
        three.env.insert("A".into(), "b".into());
        assert_ne!(one.hash(), two.hash());
        assert_ne!(one.hash(), three.hash());
        assert_eq!(one.hash(), one.clone().hash());
    }
}
