//! Anthropic Messages, in the version of 2026-10-21.
//!
//! Of what an answer holds besides text and calls, thinking with its signature, redacted thinking and the blocks of server
//! tools are kept as [`crate::Part::Opaque`]. Citations of a text are not: this program asks for none, and a text without
//! them is taken back. An answer that the provider paused (`pause_turn`) ends with `Other` and that word as its detail;
//! it goes on when the same conversation is asked again with the answer as its last message.

mod encode;
mod errors;
mod models;
mod reader;
mod schema;

use domain::connection::ProviderKind;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::{AuthScheme, Call, Codec, Frame, Framing, Reader, Refusal, Target};
use crate::{Fault, ModelInfo, ModelRequest, ProviderError};

/// The protocol.
#[derive(Debug, Clone, Copy)]
pub struct Anthropic;

/// Its word in errors.
const NAME: &str = ProviderKind::Anthropic.as_str();

/// The version that is spoken: it knows no sampling parameters.
const VERSION: &str = "2026-10-21";

/// What lets tokens of OAuth services in.
const OAUTH_BETA: &str = "oauth-2025-04-20";

impl Codec for Anthropic {
    fn kind(&self) -> ProviderKind {
        ProviderKind::Anthropic
    }

    fn home(&self) -> Option<&'static str> {
        Some("https://api.anthropic.com")
    }

    fn framing(&self) -> Framing {
        Framing::Sse
    }

    fn credential(
        &self,
        secret: &SecretString,
        bearing: AuthScheme,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
        let secret = secret.expose_secret().trim();
        let value = |text: &str| {
            let mut value = HeaderValue::from_str(text).map_err(|_| {
                let message = "the key or token holds characters that no header can hold";
                ProviderError::new(NAME, Fault::Auth, message)
            })?;
            value.set_sensitive(true);
            Ok(value)
        };
        // Both headers together are refused, so a secret goes into one only.
        let bearer = || Ok((AUTHORIZATION, value(&format!("Bearer {secret}"))?));
        Ok(match bearing {
            AuthScheme::Key => vec![(HeaderName::from_static("x-api-key"), value(secret)?)],
            AuthScheme::Bearer => vec![bearer()?],
            AuthScheme::Oauth => {
                let beta = HeaderName::from_static("anthropic-beta");
                vec![bearer()?, (beta, HeaderValue::from_static(OAUTH_BETA))]
            }
        })
    }

    fn encode(&self, request: &ModelRequest, target: Target<'_>) -> Result<Call, ProviderError> {
        Ok(call("v1/messages", Some(encode::body(request, target, encode::BodyPurpose::Answer)?)))
    }

    fn reader(&self, request: &ModelRequest, target: Target<'_>) -> Box<dyn Reader> {
        Box::new(reader::Messages::new(request, target))
    }

    fn unstreamed(&self, body: &str) -> Option<Vec<Frame>> {
        let whole: Value = serde_json::from_str(body).ok()?;
        let is_answer = whole.get("type").is_some_and(|kind| kind == "message")
            && whole.get("content").is_some_and(Value::is_array);
        let frame = |data: String| Frame { event: None, data };
        is_answer.then(|| {
            vec![
                frame(format!("{{\"type\":\"message_start\",\"message\":{body}}}")),
                frame("{\"type\":\"message_stop\"}".to_owned()),
            ]
        })
    }

    fn refusal(&self, refusal: Refusal<'_>) -> ProviderError {
        errors::refused(refusal)
    }

    fn list(&self) -> Option<Call> {
        let mut list = call("v1/models", None);
        list.query.push(("limit", "1000".to_owned()));
        Some(list)
    }

    fn listed(&self, body: &Value) -> Vec<ModelInfo> {
        models::listed(body)
    }

    fn count(&self, request: &ModelRequest, target: Target<'_>) -> Option<Result<Call, ProviderError>> {
        let body = encode::body(request, target, encode::BodyPurpose::Count);
        Some(body.map(|body| call("v1/messages/count_tokens", Some(body))))
    }

    fn counted(&self, body: &Value) -> Option<u64> {
        body.get("input_tokens")?.as_u64()
    }
}

fn call(path: &str, body: Option<String>) -> Call {
    let version = (HeaderName::from_static("anthropic-version"), HeaderValue::from_static(VERSION));
    Call { path: path.to_owned(), query: Vec::new(), headers: vec![version], body }
}

/// The provider's word in [`crate::Origin`]: answers of another host are not taken back.
fn origin(target: Target<'_>) -> String {
    format!("{NAME}@{}", target.base.host_str().unwrap_or_default())
}

fn bad(message: impl Into<String>) -> ProviderError {
    ProviderError::new(NAME, Fault::BadRequest, message)
}
