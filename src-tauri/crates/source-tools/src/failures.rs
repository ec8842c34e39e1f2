//! What calls by stages give, and how they fail.

use ::sources::rest::{RestAnswer, RestBody, RestError, RestErrorKind};
use ::sources::{SourceError, SourceErrorKind};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{ErrorCode, Problem};
use engine::ToolFailure;
use serde_json::{Value, json};
use tools::{Kind, Outcome, ToolError};

use super::rest_tool;

/// When a server failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Before anything was asked of it.
    Starting,
    /// In a call.
    Calling,
}

/// The same problem, with the source's name before it.
pub fn named(slug: &str, problem: Problem) -> Problem {
    Problem { message: format!("source {slug}: {}", problem.message), ..problem }
}

/// A failure that the same call would meet again.
pub fn lasting(problem: Problem) -> ToolFailure {
    ToolFailure { problem, retryable: false, unsure: false }
}

/// A call that was given up.
pub fn broken_off(problem: Problem) -> ToolFailure {
    ToolFailure { problem, retryable: false, unsure: true }
}

/// A failure of a server. It names the source and carries its last words.
pub fn of_server(error: &SourceError, phase: Phase) -> ToolFailure {
    let code = match error.kind {
        SourceErrorKind::Cancelled => ErrorCode::Cancelled,
        SourceErrorKind::Deadline { .. } | SourceErrorKind::StartTimeout { .. } => ErrorCode::Deadline,
        _ => ErrorCode::Source,
    };
    let action = match error.kind {
        SourceErrorKind::SignInNeeded { .. } => "sign in on the Sources page, then retry the run",
        SourceErrorKind::Tool { .. } | SourceErrorKind::Output { .. } => {
            "read what it said, and correct the agent's step or the source"
        }
        SourceErrorKind::Unreachable { .. } | SourceErrorKind::Http { .. } => {
            "check the source's address on the Sources page, then retry the run"
        }
        _ => "check the source's command and its last words above, then retry the run",
    };
    let mut problem = Problem::new(code, error.to_string()).with_action(action);
    problem.retryable = error.is_retryable();
    // A call that used up its deadline is not made again unasked: the stage would outlive its own deadline. A server that
    // is slow to start gets its second try.
    let retryable = problem.retryable && (code != ErrorCode::Deadline || phase == Phase::Starting);
    let unsure = phase == Phase::Calling
        && match &error.kind {
            SourceErrorKind::Died { .. }
            | SourceErrorKind::Deadline { .. }
            | SourceErrorKind::Cancelled
            | SourceErrorKind::Interrupted { .. }
            | SourceErrorKind::Protocol { .. }
            | SourceErrorKind::Flood { .. }
            | SourceErrorKind::TooLarge { .. } => true,
            SourceErrorKind::Http { status, .. } => is_unsure(*status),
            _ => false,
        };
    ToolFailure { problem, retryable, unsure }
}

/// A failure of an interface.
pub fn of_interface(error: &RestError) -> ToolFailure {
    let mut problem = rest_tool::problem_of(error);
    problem.message = error.to_string();
    let retryable = problem.retryable && problem.code != ErrorCode::Deadline;
    let unsure = match &error.kind {
        RestErrorKind::Network(_)
        | RestErrorKind::Deadline(_)
        | RestErrorKind::Cancelled
        | RestErrorKind::TooLarge { .. } => true,
        RestErrorKind::Status { status, .. } => is_unsure(*status),
        RestErrorKind::Invalid(_)
        | RestErrorKind::Address(_)
        | RestErrorKind::Redirect { .. }
        | RestErrorKind::Unreachable(_)
        | RestErrorKind::Credential(_) => false,
    };
    ToolFailure { problem, retryable, unsure }
}

/// A failure of a tool over a folder.
pub fn of_tool(slug: &str, error: &ToolError) -> ToolFailure {
    let code = match error.kind {
        Kind::Arguments => ErrorCode::InvalidInput,
        Kind::NotFound => ErrorCode::NotFound,
        Kind::Deadline => ErrorCode::Deadline,
        Kind::Cancelled => ErrorCode::Cancelled,
        Kind::Refused | Kind::TooLarge | Kind::Unavailable | Kind::Failed => ErrorCode::Source,
    };
    let problem = Problem::new(code, error.message.clone());
    let problem =
        if error.guidance.is_empty() { problem } else { problem.with_action(error.guidance.clone()) };
    lasting(named(slug, problem))
}

/// Whether a status leaves open what was done: it stands for a failure within, or of somebody between.
fn is_unsure(status: u16) -> bool {
    matches!(status, 408 | 500 | 502 | 504..=599)
}

/// An answer as stages read it: its content and nothing around it.
pub fn value_of_answer(answer: RestAnswer) -> Value {
    match answer.body {
        RestBody::Empty => Value::Null,
        RestBody::Json(value) => value,
        RestBody::Text(text) => Value::String(text),
        RestBody::Bytes(bytes) => file(&answer.media_type, &bytes),
    }
}

/// What a tool over a folder gave, as stages read it.
pub fn value_of(outcome: Outcome) -> Value {
    match (outcome.data, outcome.media.first()) {
        (Some(data), _) => data,
        (None, Some(media)) => file(&media.media_type, &media.data),
        (None, None) => Value::String(outcome.text),
    }
}

fn file(media_type: &str, bytes: &[u8]) -> Value {
    json!({ "mediaType": media_type, "bytes": bytes.len(), "base64": BASE64_STANDARD.encode(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_refused_for_certain_is_told_from_what_may_have_been_done() {
        let failed = |kind| {
            let failure = of_interface(&RestError { slug: "desk".into(), kind });
            (failure.retryable, failure.unsure)
        };
        let status = |status| RestErrorKind::Status {
            method: "POST",
            path: "items".into(),
            status,
            retry_after: None,
            message: String::new(),
        };
        assert_eq!(failed(status(429)), (true, false));
        assert_eq!(failed(status(503)), (true, false));
        assert_eq!(failed(status(502)), (true, true));
        assert_eq!(failed(status(422)), (false, false));
        assert_eq!(failed(RestErrorKind::Unreachable("x".into())), (true, false));
        assert_eq!(failed(RestErrorKind::Network("x".into())), (true, true));
        assert_eq!(failed(RestErrorKind::Deadline(std::time::Duration::from_secs(1))), (false, true));
    }
}
