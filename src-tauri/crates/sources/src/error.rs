//! Why a source could not be started or a call did not succeed.

use std::fmt;
use std::time::Duration;

use process_guard::ExitReport;

use crate::content::ContentPart;

/// A failure of one source: which, why, and the last lines that its server wrote to standard error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct SourceError {
    /// The source's name.
    pub slug: String,
    /// What went wrong.
    pub kind: SourceErrorKind,
    /// The end of the server's standard error, at most 8 KiB, safe to show; empty when there was none.
    pub stderr_tail: String,
}

impl fmt::Display for SourceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "source `{}`: {}", self.slug, self.kind)?;
        if !self.stderr_tail.is_empty() {
            let shown: Vec<&str> = self.stderr_tail.lines().rev().take(5).collect();
            write!(formatter, "; its last words:")?;
            for line in shown.into_iter().rev() {
                write!(formatter, "\n  | {}", line.chars().take(300).collect::<String>())?;
            }
        }
        Ok(())
    }
}

/// What went wrong with a source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceErrorKind {
    /// The command is not an executable file, or the working directory is missing.
    #[error("command `{command}` was not found ({searched}); install it or correct the command")]
    NotFound {
        /// The command as configured.
        command: String,
        /// Where it was looked for.
        searched: String,
    },
    /// The operating system refused to start it.
    #[error("its server could not be started: {reason}")]
    SpawnFailed {
        /// The operating system's words.
        reason: String,
    },
    /// It was not ready in time.
    #[error("its server was not ready within {} ms ({waiting_for})", limit.as_millis())]
    StartTimeout {
        /// The configured time.
        limit: Duration,
        /// What was being waited for, and what came instead.
        waiting_for: String,
    },
    /// It broke the protocol.
    #[error("its server broke the protocol: {detail}")]
    Protocol {
        /// What was expected and what came.
        detail: String,
    },
    /// A message was larger than allowed, in either direction.
    #[error("{what} is larger than {limit} bytes")]
    TooLarge {
        /// Which message.
        what: String,
        /// The limit in bytes.
        limit: usize,
    },
    /// It sent too much that answered nothing and was cut off.
    #[error("its server sent {messages} messages ({bytes} bytes) that answer nothing and was cut off")]
    Flood {
        /// How many messages since the last answer.
        messages: u64,
        /// How many bytes since the last answer.
        bytes: u64,
    },
    /// A call got no answer in time.
    #[error("tool `{tool}` gave no answer within {} ms{note}", limit.as_millis())]
    Deadline {
        /// The tool.
        tool: String,
        /// The deadline that passed.
        limit: Duration,
        /// What came instead, if anything; begins with a separator.
        note: String,
    },
    /// The caller cancelled.
    #[error("cancelled by the caller")]
    Cancelled,
    /// The server ended or closed its output.
    #[error("its server ended ({exit})")]
    Died {
        /// How it ended.
        exit: ExitReport,
    },
    /// The tool ran and reported an error.
    #[error("tool `{tool}` failed: {message}")]
    Tool {
        /// The tool.
        tool: String,
        /// The tool's own message: all that it gave, in words, cleaned and cut to 4,000 characters.
        message: String,
        /// Pictures and other files that came with it.
        files: Vec<ContentPart>,
    },
    /// The tool's structured result is not what its output schema promises.
    #[error(
        "the result of tool `{tool}` does not fit its output schema at {place}: {reason}{}",
        beside(text)
    )]
    Output {
        /// The tool.
        tool: String,
        /// Where, as a JSON Pointer.
        place: String,
        /// Why.
        reason: String,
        /// The text that came beside it, cleaned and cut to 4,000 characters; may be empty.
        text: String,
    },
    /// The server refused the call (a JSON-RPC error).
    #[error("tool `{tool}` was refused with code {code}: {message}")]
    Refused {
        /// The tool.
        tool: String,
        /// JSON-RPC error code.
        code: i32,
        /// The server's message, cleaned and cut.
        message: String,
    },
    /// There is no such tool.
    #[error("it has no tool `{tool}`; it has: {known}")]
    UnknownTool {
        /// The name asked for.
        tool: String,
        /// The first names that exist.
        known: String,
    },
    /// Arguments of a tool are a JSON object.
    #[error("the arguments of tool `{tool}` must be a JSON object, not {found}")]
    InvalidArguments {
        /// The tool.
        tool: String,
        /// The JSON type that was given.
        found: &'static str,
    },
    /// More tools than allowed.
    #[error("it offers more than {limit} tools")]
    TooManyTools {
        /// The limit.
        limit: usize,
    },
    /// More pages of tools than allowed, or the same page for ever.
    #[error("its list of tools does not end (stopped after {pages} pages)")]
    EndlessPages {
        /// Pages read.
        pages: usize,
    },
    /// It was closed, or has not been restarted since it failed.
    #[error("it is not running (state: {state}); restart it first")]
    NotRunning {
        /// The state it is in.
        state: &'static str,
    },
    /// The address that it was configured with can't be used.
    #[error("its address can't be used: {detail}")]
    Address {
        /// What is wrong with it.
        detail: String,
    },
    /// There was no connection to its server.
    #[error("no connection to {host}: {reason}")]
    Unreachable {
        /// The host, without path or query.
        host: String,
        /// Why, in words.
        reason: String,
    },
    /// Its server answered with an HTTP error.
    #[error("its server answered with HTTP {status}{detail}")]
    Http {
        /// The status code.
        status: u16,
        /// What the server said and what to do; begins with a separator.
        detail: String,
    },
    /// The connection broke off before the answer was complete; whether the call had an effect is not known.
    #[error(
        "the connection broke off before the answer came ({detail}); it is not known whether the call had an effect"
    )]
    Interrupted {
        /// How far it came.
        detail: String,
    },
    /// Somebody has to sign in before the server answers.
    #[error("it asks for a sign-in: {reason}")]
    SignInNeeded {
        /// What is missing.
        reason: String,
    },
    /// The sign-in did not succeed, or was refused here because it was not safe.
    #[error("signing in failed: {detail}")]
    SignIn {
        /// What happened and what to do.
        detail: String,
    },
    /// It was restarted too often.
    #[error("it was restarted {restarts} times within {} s and keeps failing", window.as_secs())]
    RestartLimit {
        /// Restarts within the window.
        restarts: usize,
        /// The window.
        window: Duration,
    },
}

impl SourceError {
    pub(crate) fn new(slug: &str, kind: SourceErrorKind) -> Self {
        Self { slug: slug.to_owned(), kind, stderr_tail: String::new() }
    }

    /// Whether the same call may succeed after a restart or a pause, without anyone changing anything.
    pub fn is_retryable(&self) -> bool {
        match &self.kind {
            SourceErrorKind::SpawnFailed { .. }
            | SourceErrorKind::StartTimeout { .. }
            | SourceErrorKind::Protocol { .. }
            | SourceErrorKind::Flood { .. }
            | SourceErrorKind::Deadline { .. }
            | SourceErrorKind::Died { .. }
            | SourceErrorKind::Unreachable { .. }
            | SourceErrorKind::Interrupted { .. }
            | SourceErrorKind::NotRunning { .. } => true,
            SourceErrorKind::Http { status, .. } => matches!(status, 408 | 425 | 429 | 500..=599),
            SourceErrorKind::NotFound { .. }
            | SourceErrorKind::TooLarge { .. }
            | SourceErrorKind::Cancelled
            | SourceErrorKind::Tool { .. }
            | SourceErrorKind::Output { .. }
            | SourceErrorKind::Refused { .. }
            | SourceErrorKind::UnknownTool { .. }
            | SourceErrorKind::InvalidArguments { .. }
            | SourceErrorKind::TooManyTools { .. }
            | SourceErrorKind::EndlessPages { .. }
            | SourceErrorKind::Address { .. }
            | SourceErrorKind::SignInNeeded { .. }
            | SourceErrorKind::SignIn { .. }
            | SourceErrorKind::RestartLimit { .. } => false,
        }
    }

    /// A short constant name of the kind, for logs and wire errors.
    pub fn code(&self) -> &'static str {
        match &self.kind {
            SourceErrorKind::NotFound { .. } => "source_not_found",
            SourceErrorKind::SpawnFailed { .. } => "source_spawn_failed",
            SourceErrorKind::StartTimeout { .. } => "source_start_timeout",
            SourceErrorKind::Protocol { .. } => "source_protocol",
            SourceErrorKind::TooLarge { .. } => "source_too_large",
            SourceErrorKind::Flood { .. } => "source_flood",
            SourceErrorKind::Deadline { .. } => "source_deadline",
            SourceErrorKind::Cancelled => "source_cancelled",
            SourceErrorKind::Died { .. } => "source_died",
            SourceErrorKind::Tool { .. } => "tool_failed",
            SourceErrorKind::Output { .. } => "tool_invalid_output",
            SourceErrorKind::Refused { .. } => "tool_refused",
            SourceErrorKind::UnknownTool { .. } => "tool_unknown",
            SourceErrorKind::InvalidArguments { .. } => "tool_invalid_arguments",
            SourceErrorKind::TooManyTools { .. } => "source_too_many_tools",
            SourceErrorKind::EndlessPages { .. } => "source_endless_pages",
            SourceErrorKind::NotRunning { .. } => "source_not_running",
            SourceErrorKind::Address { .. } => "source_invalid_address",
            SourceErrorKind::Unreachable { .. } => "source_unreachable",
            SourceErrorKind::Http { .. } => "source_http",
            SourceErrorKind::Interrupted { .. } => "source_interrupted",
            SourceErrorKind::SignInNeeded { .. } => "source_sign_in_needed",
            SourceErrorKind::SignIn { .. } => "source_sign_in_failed",
            SourceErrorKind::RestartLimit { .. } => "source_restart_limit",
        }
    }
}

/// The text of a result that can't be used as it is; begins with a separator.
fn beside(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("; it said:\n{text}") }
}
