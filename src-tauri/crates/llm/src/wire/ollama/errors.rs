//! What Ollama's errors mean.

use domain::connection::ProviderKind;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::http::retry_after;
use crate::wire::shared::words_of;
use crate::{Detail, Fault, ProviderError};

/// An answer that is not a success.
pub(super) fn refused(status: u16, headers: &HeaderMap, body: &str) -> ProviderError {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let mut refused = match parsed.as_ref().and_then(|body| body.get("error")) {
        Some(error) => to_provider_error(error, status),
        // Something else listens there, or a proxy before it answers.
        None if status == 404 => {
            let words = format!("there is no such path at this address: {}", words_of(body));
            ProviderError::new(name(), Fault::BadRequest, words).with_detail(Detail::WrongProtocol)
        }
        None => to_provider_error(&Value::Null, status),
    };
    if let Fault::RateLimit { retry_after_ms } | Fault::Overloaded { retry_after_ms } = &mut refused.fault {
        *retry_after_ms = retry_after(headers);
    }
    refused
}

/// What `error` says, in an answer of its own or in a line of a stream: a text, from some servers an object with one.
pub(super) fn to_provider_error(error: &Value, status: u16) -> ProviderError {
    let said = error.as_str().or_else(|| error.get("message")?.as_str()).unwrap_or_default().trim();
    let lower = said.to_lowercase();
    let says = |any: &[&str]| any.iter().any(|words| lower.contains(words));
    let missing = says(&["not found"]) && says(&["model"]);
    let message = if missing {
        match quoted(said) {
            Some(model) => format!("it does not have the model {model}; pull it: ollama pull {model}"),
            None => format!("{said}; pull the model: ollama pull <name>"),
        }
    } else if said.is_empty() {
        format!("answered {status}")
    } else {
        said.to_owned()
    };
    let fault = if missing {
        Fault::BadRequest
    } else if says(&["exceeds the context", "exceeds the available context", "context length exceeded"])
        || says(&["input length exceeds"])
    {
        Fault::ContextTooLong
    } else if says(&["usage limit"]) && says(&["weekly", "monthly"]) {
        Fault::Quota
    } else if says(&["requires a subscription", "upgrade for access"]) {
        Fault::Permission
    } else if says(&["more system memory", "does not support"]) {
        // It would fail the same way again.
        Fault::BadRequest
    } else {
        match status {
            401 => Fault::Auth,
            402 => Fault::Quota,
            403 => Fault::Permission,
            408 | 504 => Fault::Timeout,
            413 => Fault::ContextTooLong,
            429 => Fault::RateLimit { retry_after_ms: None },
            500.. => Fault::Overloaded { retry_after_ms: None },
            _ => Fault::BadRequest,
        }
    };
    let message =
        if fault == Fault::Auth { format!("{message}; sign in with: ollama signin") } else { message };
    let error = ProviderError::new(name(), fault, message);
    if missing { error.with_detail(Detail::ModelUnknown) } else { error }
}

fn name() -> &'static str {
    ProviderKind::Ollama.as_str()
}

/// The first name in quotes.
fn quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(['\'', '"'])?;
    let (name, _) = rest.split_once(['\'', '"'])?;
    Some(name).filter(|name| !name.is_empty() && !name.contains(char::is_whitespace))
}
