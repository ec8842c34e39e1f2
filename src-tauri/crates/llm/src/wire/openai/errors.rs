//! What OpenAI's error bodies and in-stream errors mean, and those of the hosts that speak like it.

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::http::retry_after;
use crate::wire::Refusal;
use crate::wire::shared::words_of;
use crate::{Detail, Fault, ProviderError};

/// What an error object says.
#[derive(Debug, Default, Clone)]
struct ErrorBody {
    message: String,
    code: String,
    kind: String,
    param: String,
    /// Whether there was an error object at all.
    known: bool,
}

/// An answer that is not a success.
pub(super) fn refusal(provider: &str, refusal: Refusal<'_>) -> ProviderError {
    let said = match serde_json::from_str::<Value>(refusal.body) {
        Ok(body) => read(&body),
        Err(_) => ErrorBody { message: words_of(refusal.body), ..ErrorBody::default() },
    };
    classify(provider, said, Some(refusal.status), Some(refusal.headers))
}

/// An error within a stream: an object with `error`, or the error itself.
pub(super) fn in_stream(provider: &str, body: &Value) -> ProviderError {
    let said = read(body);
    // Some hosts put the status that they would have answered with where the code stands.
    let status = said.code.parse().ok().filter(|status| (400..600).contains(status));
    classify(provider, said, status, None)
}

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn read(body: &Value) -> ErrorBody {
    // A list of errors (some gateways) is read by its first.
    let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
    let error = match body.get("error") {
        Some(error @ Value::Object(_)) => error,
        Some(Value::String(message)) => {
            return ErrorBody { message: message.clone(), known: true, ..ErrorBody::default() };
        }
        _ => body,
    };
    let mut message = text(error.get("message"));
    let known = !message.is_empty() || error.get("code").is_some();
    if message.is_empty() {
        message = text(error.get("detail"));
    }
    // OpenRouter wraps what the provider behind it said.
    if let Some(inner) = error.pointer("/metadata/raw").and_then(Value::as_str) {
        message = format!("{message}: {inner}");
    }
    let mut code = text(error.get("code"));
    // Azure says in an inner error that its filter stopped the request.
    if let Some(inner) = error.pointer("/innererror/code").and_then(Value::as_str) {
        code = inner.to_owned();
    }
    if error.pointer("/metadata/reasons").is_some() {
        code = "content_filter".to_owned();
    }
    ErrorBody { message, code, kind: text(error.get("type")), param: text(error.get("param")), known }
}

fn classify(
    provider: &str,
    said: ErrorBody,
    status: Option<u16>,
    headers: Option<&HeaderMap>,
) -> ProviderError {
    let wait = headers.and_then(retry_after).or_else(|| wait_in_words(&said.message));
    let lower = said.message.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let code = |codes: &[&str]| codes.contains(&said.code.as_str()) || codes.contains(&said.kind.as_str());
    let status = status.unwrap_or_default();

    let (fault, detail) = if code(&["insufficient_quota", "billing_hard_limit_reached", "billing_not_active"])
        || status == 402
    {
        (Fault::Quota, Some(Detail::SpendLimit))
    } else if code(&["context_length_exceeded", "string_above_max_length", "exceed_context_size_error"])
        || has(&[
            "maximum context length",
            "context window",
            "context length of",
            "exceeds the available context size",
            "prompt is too long",
        ])
        || status == 413
        // The limit is of tokens a minute, but this request alone is above it: waiting does not help.
        || (code(&["rate_limit_exceeded", "tokens"]) && has(&["request too large"]))
    {
        (Fault::ContextTooLong, None)
    } else if code(&[
        "content_filter",
        "content_policy_violation",
        "moderation_blocked",
        "image_content_policy_violation",
        "bio_policy",
        "misalignment_policy_violation",
        "invalid_prompt",
        "ResponsibleAIPolicyViolation",
    ]) {
        (Fault::Refused, None)
    } else if code(&["model_not_found", "DeploymentNotFound"])
        || has(&["not a valid model", "is not found, try pulling it first"])
        || (status == 404 && said.known && has(&["model"]))
    {
        (Fault::BadRequest, Some(Detail::ModelUnknown))
    } else if code(&["invalid_api_key", "invalid_authentication", "missing_api_key", "authentication_error"])
        || status == 401
    {
        (Fault::Auth, None)
    } else if code(&["permission_error", "unsupported_country_region_territory"]) || status == 403 {
        (Fault::Permission, None)
    } else if code(&["rate_limit_exceeded", "rate_limit_error", "too_many_requests"]) || status == 429 {
        (Fault::RateLimit { retry_after_ms: wait }, None)
    } else if code(&["vector_store_timeout", "timeout"]) || matches!(status, 408 | 504) {
        (Fault::Timeout, None)
    } else if code(&[
        "server_error",
        "internal_error",
        "overloaded",
        "overloaded_error",
        "engine_overloaded",
        "slow_down",
    ]) || status >= 500
        || status == 409
    {
        (Fault::Overloaded { retry_after_ms: wait }, None)
    } else if status == 404 && (!said.known || has(&["invalid url", "not found", "unexpected endpoint"])) {
        (Fault::BadRequest, Some(Detail::WrongProtocol))
    } else if status == 404 {
        (Fault::BadRequest, Some(Detail::ModelUnknown))
    } else {
        (Fault::BadRequest, None)
    };

    let mut message = without_keys(&said.message);
    if message.is_empty() {
        message = match (status, said.code.as_str(), said.kind.as_str()) {
            (_, code, _) if !code.is_empty() => format!("the provider answered {code}"),
            (0, _, "") => "the provider reported an error without words".to_owned(),
            (0, _, kind) => format!("the provider answered {kind}"),
            (status, ..) => format!("the provider answered {status}"),
        };
    }
    if let Some(remedy) = remedy(fault, detail, &said, &lower) {
        message = format!("{}. {remedy}", message.trim_end_matches('.'));
    }
    let error = ProviderError::new(provider, fault, message);
    match detail {
        Some(detail) => error.with_detail(detail),
        None => error,
    }
}

/// Which setting helps, where a request was refused for something that a setting decides.
fn remedy(fault: Fault, detail: Option<Detail>, said: &ErrorBody, lower: &str) -> Option<&'static str> {
    if fault != Fault::BadRequest {
        return None;
    }
    if detail == Some(Detail::WrongProtocol) {
        return Some(
            "Nothing of this protocol is at the connection's address; most hosts want one that ends with /v1",
        );
    }
    if detail.is_some() {
        return None;
    }
    if lower.contains("/v1/responses") {
        return Some("Set the connection's provider to openai, which speaks the Responses protocol");
    }
    if lower.contains("organization must be verified") {
        return Some(
            "Verify the organization at the provider, or set thinking to false for this model in the connection",
        );
    }
    let names =
        |words: &[&str]| words.iter().any(|word| said.param.starts_with(word) || lower.contains(word));
    if names(&["reasoning"]) {
        Some("Set thinking to false for this model in the connection")
    } else if names(&["response_format", "text.format", "json_schema", "json_object"]) {
        Some("Set structured to false for this model in the connection; the schema is then said in words")
    } else if names(&["tool"]) {
        Some("Set tools to false for this model in the connection if it can't call them")
    } else if names(&["image"]) {
        Some("Set images to false for this model in the connection if it can't read them")
    } else if names(&["input_file", "file_data"]) {
        Some("Set documents to false for this model in the connection if it can't read them")
    } else if names(&["max_tokens", "max_completion_tokens", "max_output_tokens"]) {
        Some("Set maxOutput for this model in the connection, or use the provider's own protocol")
    } else {
        None
    }
}

/// Hides what looks like a key: providers repeat the key that they refuse.
fn without_keys(message: &str) -> String {
    let mut out = String::new();
    let mut rest = message;
    while let Some(at) = rest.find("sk-") {
        let inside = rest[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let (head, tail) = rest.split_at(at + 3);
        out.push_str(head);
        let end = tail.find(|c: char| !c.is_ascii_alphanumeric() && !"-_*".contains(c)).unwrap_or(tail.len());
        if !inside && end >= 8 {
            out.push('…');
            rest = &tail[end..];
        } else {
            rest = tail;
        }
    }
    out.push_str(rest);
    out
}

/// "Please try again in 1.2s", which is all that an error within a stream says.
fn wait_in_words(message: &str) -> Option<u64> {
    let (_, rest) = message.split_once("try again in ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = rest.split_at(end);
    let number: f64 = number.parse().ok()?;
    let factor = match unit {
        unit if unit.starts_with("ms") => 1.0,
        unit if unit.starts_with('s') => 1_000.0,
        // "6m0s" and "1h0m0s": the first figure alone, rounded up by one, is near enough.
        unit if unit.starts_with('m') => return Some((number as u64 + 1).saturating_mul(60_000)),
        unit if unit.starts_with('h') => return Some((number as u64 + 1).saturating_mul(3_600_000)),
        _ => return None,
    };
    Some((number * factor).ceil() as u64)
}
