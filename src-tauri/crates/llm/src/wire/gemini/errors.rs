//! What Gemini's errors mean.

use domain::connection::ProviderKind;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::http::retry_after;
use crate::wire::shared::{milliseconds, words_of};
use crate::{Detail, Fault, ProviderError};

/// An answer that is not a success.
pub(super) fn refused(status: u16, headers: &HeaderMap, body: &str) -> ProviderError {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    // Without `alt=sse` the answer is a list of one.
    let error = parsed.as_ref().and_then(|body| body.get("error").or_else(|| body.get(0)?.get("error")));
    let mut refused = match error {
        Some(error) => to_provider_error(error, Some(status)),
        // Its own errors are JSON: something else answers at that address.
        None if status == 404 => {
            let words = format!("there is no such path at this address: {}", words_of(body));
            ProviderError::new(name(), Fault::BadRequest, words).with_detail(Detail::WrongProtocol)
        }
        None => by_status(status, format!("answered {status}: {}", words_of(body))),
    };
    if let Fault::RateLimit { retry_after_ms } | Fault::Overloaded { retry_after_ms } = &mut refused.fault {
        *retry_after_ms = retry_after_ms.or_else(|| retry_after(headers));
    }
    refused
}

/// What the object `error` says, in an answer of its own or within a stream.
pub(super) fn to_provider_error(error: &Value, status: Option<u16>) -> ProviderError {
    let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let status = status.or(code).unwrap_or(500);
    let word = error.get("status").and_then(Value::as_str).unwrap_or_default();
    let message = match error.get("message").and_then(Value::as_str).unwrap_or_default() {
        "" if word.is_empty() => format!("answered {status}"),
        "" => format!("answered {status}: {word}"),
        message => without_keys(message),
    };
    let lower = message.to_lowercase();
    let says = |any: &[&str]| any.iter().any(|words| lower.contains(words));
    let details = || error.get("details").and_then(Value::as_array).into_iter().flatten();
    let field = |name: &'static str| details().filter_map(move |detail| detail.get(name)?.as_str());
    let reason = |wanted: &[&str]| field("reason").any(|reason| wanted.contains(&reason));
    let wait = field("retryDelay").find_map(milliseconds);

    let fault =
        if reason(&["API_KEY_INVALID", "API_KEY_EXPIRED", "CREDENTIALS_MISSING", "ACCESS_TOKEN_EXPIRED"])
            || says(&["api key not valid", "api key expired", "unregistered callers"])
        {
            Fault::Auth
        } else if status == 429 || word == "RESOURCE_EXHAUSTED" {
            if says(&["spending cap", "spend cap", "spend limit", "spending limit"]) {
                return ProviderError::new(name(), Fault::Quota, message).with_detail(Detail::SpendLimit);
            }
            if lasts_a_day(error) || says(&["credits are depleted", "no credit"]) {
                Fault::Quota
            } else {
                Fault::RateLimit { retry_after_ms: wait }
            }
        } else if says(&[
            "exceeds the maximum number of tokens",
            "token count exceeds",
            "exceeds the maximum context",
        ]) {
            Fault::ContextTooLong
        } else if word == "FAILED_PRECONDITION" && says(&["billing"]) {
            Fault::Quota
        } else if word == "FAILED_PRECONDITION" && says(&["location"]) {
            Fault::Permission
        } else {
            match word {
                "UNAUTHENTICATED" => Fault::Auth,
                "PERMISSION_DENIED" => Fault::Permission,
                "DEADLINE_EXCEEDED" => Fault::Timeout,
                "UNAVAILABLE" | "INTERNAL" => Fault::Overloaded { retry_after_ms: wait },
                _ => {
                    let mut error = by_status(status, message);
                    if let Fault::Overloaded { retry_after_ms } = &mut error.fault {
                        *retry_after_ms = wait;
                    }
                    return error;
                }
            }
        };
    ProviderError::new(name(), fault, message)
}

fn name() -> &'static str {
    ProviderKind::Gemini.as_str()
}

fn by_status(status: u16, message: String) -> ProviderError {
    let fault = match status {
        401 => Fault::Auth,
        402 => Fault::Quota,
        403 => Fault::Permission,
        408 | 504 => Fault::Timeout,
        413 => Fault::ContextTooLong,
        429 => Fault::RateLimit { retry_after_ms: None },
        500.. => Fault::Overloaded { retry_after_ms: None },
        _ => Fault::BadRequest,
    };
    let error = ProviderError::new(name(), fault, message);
    if status == 404 { error.with_detail(Detail::ModelUnknown) } else { error }
}

/// Whether a quota of a whole day is used up, or one that the account does not have at all: waiting a minute is no use.
fn lasts_a_day(error: &Value) -> bool {
    let details = error.get("details").and_then(Value::as_array).into_iter().flatten();
    let violations = details.filter_map(|detail| detail.get("violations")?.as_array()).flatten();
    violations.into_iter().any(|violation| {
        let says = |field: &str| violation.get(field).and_then(Value::as_str).unwrap_or_default();
        says("quotaId").contains("PerDay")
            || says("quotaMetric").contains("per_day")
            || says("quotaValue") == "0"
    })
}

/// A message without the keys that some of them quote.
fn without_keys(message: &str) -> String {
    const START: &str = "AIza";
    let mut out = String::new();
    let mut rest = message;
    while let Some(at) = rest.find(START) {
        out.push_str(&rest[..at]);
        out.push_str("(key)");
        let key = &rest[at + START.len()..];
        let end = key.find(|letter: char| !(letter.is_ascii_alphanumeric() || "-_".contains(letter)));
        rest = &key[end.unwrap_or(key.len())..];
    }
    out + rest
}
