//! OpenAI Responses and Chat Completions.

mod answer;
mod chat;
mod errors;
mod models;
mod responses;
pub mod schema;

use domain::connection::{Connection, ProviderKind};
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use serde_json::{Map, Value};
use url::Url;

use super::{AuthScheme, Call, CallArguments, Codec, Frame, Framing, Reader, Refusal, Target};
use crate::{Fault, ModelInfo, ModelRequest, ProviderError};
use chat::hosts::{self, Host, Kind};

/// How the frame of a whole answer that is still being made begins ([`Codec::unstreamed`]).
const UNDER_WAY: &str = "{\"type\":\"response.in_progress\"";

/// OpenAI Responses.
#[derive(Debug, Clone, Copy)]
pub struct Responses;

/// Chat Completions, of OpenAI and of every host that speaks it.
#[derive(Debug, Clone, Copy)]
pub struct Chat;

impl Codec for Responses {
    fn kind(&self) -> ProviderKind {
        ProviderKind::Openai
    }

    fn home(&self) -> Option<&'static str> {
        Some("https://api.openai.com/v1")
    }

    fn framing(&self) -> Framing {
        Framing::Sse
    }

    fn credential(
        &self,
        secret: &SecretString,
        _bearing: AuthScheme,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
        bearer(self.kind(), secret)
    }

    fn credential_at(
        &self,
        base: &Url,
        secret: &SecretString,
        bearing: AuthScheme,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
        credential(self.kind(), base, secret, bearing)
    }

    fn encode(&self, request: &ModelRequest, target: Target<'_>) -> Result<Call, ProviderError> {
        responses::encode::stream(request, target)
    }

    fn reader(&self, request: &ModelRequest, target: Target<'_>) -> Box<dyn Reader> {
        Box::new(responses::reader::Stream::new(request, target))
    }

    fn keeps(&self, connection: &Connection) -> bool {
        connection.background
    }

    fn kept(&self, target: Target<'_>, response_id: &str) -> Option<Result<CallArguments, ProviderError>> {
        Some(responses::encode::kept(target, response_id))
    }

    fn is_under_way(&self, frame: &Frame) -> bool {
        frame.data.starts_with(UNDER_WAY)
    }

    fn unstreamed(&self, body: &str) -> Option<Vec<Frame>> {
        let whole: Value = serde_json::from_str(body).ok()?;
        let event = match whole["status"].as_str() {
            Some("incomplete") => "response.incomplete",
            Some("failed" | "cancelled") => "response.failed",
            Some("queued" | "in_progress") => "response.in_progress",
            Some(_) | None => "response.completed",
        };
        let data = format!("{{\"type\":\"{event}\",\"response\":{body}}}");
        whole["output"].is_array().then(|| vec![Frame { event: None, data }])
    }

    fn refusal(&self, refusal: Refusal<'_>) -> ProviderError {
        errors::refusal(self.kind().as_str(), refusal)
    }

    fn list(&self) -> Option<Call> {
        Some(list())
    }

    fn listed(&self, body: &Value) -> Vec<ModelInfo> {
        models::listed(self.kind(), body)
    }

    fn count(&self, request: &ModelRequest, target: Target<'_>) -> Option<Result<Call, ProviderError>> {
        // Others that speak Responses have no such path.
        matches!(Host::of(target.base).kind, Kind::Openai | Kind::Azure)
            .then(|| responses::encode::count(request, target))
    }

    fn counted(&self, body: &Value) -> Option<u64> {
        body.get("input_tokens")?.as_u64()
    }
}

impl Codec for Chat {
    fn kind(&self) -> ProviderKind {
        ProviderKind::OpenaiChat
    }

    fn home(&self) -> Option<&'static str> {
        Some("https://api.openai.com/v1")
    }

    fn framing(&self) -> Framing {
        Framing::Sse
    }

    fn credential(
        &self,
        secret: &SecretString,
        _bearing: AuthScheme,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
        bearer(self.kind(), secret)
    }

    fn credential_at(
        &self,
        base: &Url,
        secret: &SecretString,
        bearing: AuthScheme,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
        credential(self.kind(), base, secret, bearing)
    }

    fn encode(&self, request: &ModelRequest, target: Target<'_>) -> Result<Call, ProviderError> {
        chat::encode::stream(request, target)
    }

    fn reader(&self, request: &ModelRequest, target: Target<'_>) -> Box<dyn Reader> {
        Box::new(chat::reader::Stream::new(request, target))
    }

    fn unstreamed(&self, body: &str) -> Option<Vec<Frame>> {
        let whole: Value = serde_json::from_str(body).ok()?;
        let is_answer =
            whole["choices"].as_array().is_some_and(|all| all.iter().any(|one| one["message"].is_object()));
        is_answer.then(|| vec![Frame { event: None, data: body.to_owned() }])
    }

    fn plainer(&self, call: &Call, refusal: &ProviderError) -> Option<Call> {
        let refused = refusal.fault == Fault::BadRequest && hosts::refuses_usage(&refusal.message);
        let mut body: Map<String, Value> =
            serde_json::from_str(call.body.as_deref().filter(|_| refused)?).ok()?;
        let asked = body.len();
        body.retain(|name, _| name != "stream_options");
        if body.len() == asked {
            return None;
        }
        Some(Call { body: Some(Value::Object(body).to_string()), ..call.clone() })
    }

    fn ask_plainly(&self, base: &Url) {
        hosts::remember_refusal(base);
    }

    fn refusal(&self, refusal: Refusal<'_>) -> ProviderError {
        errors::refusal(self.kind().as_str(), refusal)
    }

    fn list(&self) -> Option<Call> {
        Some(list())
    }

    fn listed(&self, body: &Value) -> Vec<ModelInfo> {
        models::listed(self.kind(), body)
    }
}

fn list() -> Call {
    Call { path: "models".to_owned(), query: Vec::new(), headers: Vec::new(), body: None }
}

fn bearer(
    kind: ProviderKind,
    secret: &SecretString,
) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
    let value = format!("Bearer {}", secret.expose_secret());
    Ok(vec![(reqwest::header::AUTHORIZATION, header(kind, &value)?)])
}

/// Azure takes its own keys in a header of their own; tokens go as everywhere.
fn credential(
    kind: ProviderKind,
    base: &Url,
    secret: &SecretString,
    bearing: AuthScheme,
) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
    if bearing == AuthScheme::Key && Host::of(base).kind == Kind::Azure {
        let value = header(kind, secret.expose_secret())?;
        return Ok(vec![(HeaderName::from_static("api-key"), value)]);
    }
    bearer(kind, secret)
}

fn header(kind: ProviderKind, value: &str) -> Result<HeaderValue, ProviderError> {
    let mut value = HeaderValue::from_str(value).map_err(|_| {
        let message = "the key has characters that no header may hold; store it again without line breaks";
        ProviderError::new(kind.as_str(), Fault::Auth, message)
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// A call to a path below the base address. What the base address asks with (Azure's `api-version`) goes with it.
fn call(kind: ProviderKind, base: &Url, path: &str, body: &impl Serialize) -> Result<Call, ProviderError> {
    let body = serde_json::to_string(body)
        .map_err(|error| ProviderError::new(kind.as_str(), Fault::BadRequest, error.to_string()))?;
    Ok(Call { path: path.to_owned(), query: version(base), headers: Vec::new(), body: Some(body) })
}

/// What the base address asks with at every path.
fn version(base: &Url) -> Vec<(&'static str, String)> {
    let version = base.query_pairs().find(|(name, _)| name == "api-version");
    version.map(|(_, value)| ("api-version", value.into_owned())).into_iter().collect()
}
