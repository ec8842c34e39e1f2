//! What failures mean: answers that are no success, and errors within a stream.

use serde_json::Value;

use super::NAME;
use crate::http::retry_after;
use crate::wire::{Refusal, shared::words_of};
use crate::{Detail, Fault, ProviderError};

/// What begins the provider's keys and tokens.
const SECRETS: &str = "sk-ant-";

/// What an answer that is not a success means.
pub fn refused(refusal: Refusal<'_>) -> ProviderError {
    let body: Value = serde_json::from_str(refusal.body).unwrap_or_default();
    let header = |name: &str| refusal.headers.get(name).and_then(|value| value.to_str().ok());
    let told = ErrorBody::of(&body);
    let message = match told.message {
        Some(message) => message.to_owned(),
        None => edge(refusal),
    };
    let error = classify(&told, Some(refusal.status), retry_after(refusal.headers), &message);
    let error = match header("x-should-retry") {
        Some("true") => retried(error, retry_after(refusal.headers)),
        Some("false") => not_retried(error),
        _ => error,
    };
    worded(error, &message, told.request.or_else(|| header("request-id")))
}

/// What an error within a stream means.
pub fn streamed(body: &Value) -> ProviderError {
    let told = ErrorBody::of(body);
    let message =
        told.message.unwrap_or("the provider ended the answer with an error that it does not explain");
    worded(classify(&told, None, None, message), message, told.request)
}

/// What a body says. Gateways leave pieces out or give the error as text.
struct ErrorBody<'a> {
    kind: &'a str,
    message: Option<&'a str>,
    code: &'a str,
    request: Option<&'a str>,
}

impl<'a> ErrorBody<'a> {
    fn of(body: &'a Value) -> Self {
        let error = body.get("error").unwrap_or(body);
        let text = |value: Option<&'a Value>| value.and_then(Value::as_str).filter(|text| !text.is_empty());
        Self {
            kind: text(error.get("type")).unwrap_or_default(),
            message: text(error.get("message"))
                .or_else(|| text(Some(error)))
                .or_else(|| text(body.get("message"))),
            code: text(error.pointer("/details/error_code")).unwrap_or_default(),
            request: text(body.get("request_id")),
        }
    }
}

fn classify(
    told: &ErrorBody<'_>,
    status: Option<u16>,
    retry_after_ms: Option<u64>,
    message: &str,
) -> ProviderError {
    let says = |text: &str| message.to_ascii_lowercase().contains(text);
    let fault = |fault| ProviderError::new(NAME, fault, "");
    if told.code.ends_with("spend_limit_reached") {
        return fault(Fault::Quota).with_detail(Detail::SpendLimit);
    }
    match (told.kind, status.unwrap_or_default()) {
        ("authentication_error", _) => fault(Fault::Auth),
        ("billing_error", _) => fault(Fault::Quota),
        ("permission_error", _) => fault(Fault::Permission),
        ("request_too_large", _) => fault(Fault::ContextTooLong),
        ("rate_limit_error", _) => fault(Fault::RateLimit { retry_after_ms }),
        ("overloaded_error" | "api_error" | "conflict_error", _) => {
            fault(Fault::Overloaded { retry_after_ms })
        }
        ("timeout_error", _) => fault(Fault::Timeout),
        // No error of the provider's own: the address leads to something else.
        ("", 404 | 405) if told.message.is_none() => {
            fault(Fault::BadRequest).with_detail(Detail::WrongProtocol)
        }
        ("not_found_error", _) | ("", 404) => match says("model") {
            true => fault(Fault::BadRequest).with_detail(Detail::ModelUnknown),
            false => fault(Fault::BadRequest),
        },
        // One kind for several causes, which only the words tell apart.
        ("invalid_request_error", _) | ("", 400)
            if says("prompt is too long") || says("exceed context limit") =>
        {
            fault(Fault::ContextTooLong)
        }
        ("invalid_request_error", _) | ("", 400) if says("credit balance is too low") => fault(Fault::Quota),
        ("invalid_request_error", _) | ("", 400) if says("usage limits") || says("spend limit") => {
            fault(Fault::Quota).with_detail(Detail::SpendLimit)
        }
        ("invalid_request_error", _) => fault(Fault::BadRequest),
        (_, 401) => fault(Fault::Auth),
        (_, 402) => fault(Fault::Quota),
        (_, 403) => fault(Fault::Permission),
        (_, 408 | 504) => fault(Fault::Timeout),
        (_, 413) => fault(Fault::ContextTooLong),
        (_, 429) => fault(Fault::RateLimit { retry_after_ms }),
        (_, 409 | 500..) => fault(Fault::Overloaded { retry_after_ms }),
        (_, 300..400) => fault(Fault::BadRequest).with_detail(Detail::Redirect),
        (_, 400..) => fault(Fault::BadRequest),
        // Within a stream an unknown kind is the provider's trouble; a success that is none is a wrong protocol.
        (_, 0) => fault(Fault::Overloaded { retry_after_ms }),
        _ => fault(Fault::Malformed),
    }
}

/// The provider says that the same request may be sent again.
fn retried(error: ProviderError, retry_after_ms: Option<u64>) -> ProviderError {
    match error.retry() {
        crate::Retry::After(_) => error,
        crate::Retry::Never => ProviderError::new(NAME, Fault::Overloaded { retry_after_ms }, ""),
    }
}

/// The provider says that it may not.
fn not_retried(error: ProviderError) -> ProviderError {
    match error.fault {
        Fault::RateLimit { .. } => ProviderError::new(NAME, Fault::Quota, ""),
        _ if error.retry() != crate::Retry::Never => ProviderError::new(NAME, Fault::BadRequest, ""),
        _ => error,
    }
}

fn worded(error: ProviderError, message: &str, request: Option<&str>) -> ProviderError {
    let mut message = without_secrets(message);
    if let Some(request) = request {
        message.truncate(message.floor_char_boundary(1_800));
        message.push_str(&format!(" (request {})", request.chars().take(100).collect::<String>()));
    }
    let worded = ProviderError::new(NAME, error.fault, message);
    match error.detail {
        Some(detail) => worded.with_detail(detail),
        None => worded,
    }
}

/// Words for a body that is not the provider's own: a page of a proxy, nothing at all.
fn edge(refusal: Refusal<'_>) -> String {
    let status = refusal.status;
    let words = words_of(refusal.body);
    if words.is_empty() || words.starts_with(['{', '[']) {
        format!("the answer has status {status} and no error that can be read")
    } else {
        format!("the answer has status {status}: {words}")
    }
}

/// The text with keys and tokens shortened to what begins them.
fn without_secrets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(SECRETS) {
        out.push_str(before);
        out.push_str(SECRETS);
        out.push('…');
        rest = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    }
    out.push_str(rest);
    out
}
