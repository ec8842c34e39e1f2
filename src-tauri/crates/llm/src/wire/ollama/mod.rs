//! Ollama's own protocol (`/api/chat`, as of November 2026). Its compatible one can't set the context's size.

mod encode;
mod errors;
mod reader;
mod schema;

use domain::agent::Effort;
use domain::connection::ProviderKind;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::shared::origin;
use super::{AuthScheme, Call, Codec, Framing, Reader, Refusal, Target};
use crate::{Fault, ModelInfo, ModelRequest, ProviderError, ThinkingStyle};

/// What fits together where a server does not say it: it takes less where the model has less.
const USUAL_WINDOW: u64 = 32_768;

/// The protocol.
#[derive(Debug, Clone, Copy)]
pub struct Ollama;

impl Codec for Ollama {
    fn kind(&self) -> ProviderKind {
        ProviderKind::Ollama
    }

    fn home(&self) -> Option<&'static str> {
        Some("http://127.0.0.1:11434")
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn credential(
        &self,
        secret: &SecretString,
        _bearing: AuthScheme,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
        let value = HeaderValue::from_str(&format!("Bearer {}", secret.expose_secret())).map_err(|_| {
            let words = "the key holds letters that a header can't hold; store it again";
            ProviderError::new(self.kind().as_str(), Fault::Auth, words)
        })?;
        Ok(vec![(AUTHORIZATION, value)])
    }

    fn encode(&self, request: &ModelRequest, target: Target<'_>) -> Result<Call, ProviderError> {
        let body = encode::body(request, target)?;
        Ok(Call {
            path: "api/chat".to_owned(),
            query: Vec::new(),
            headers: Vec::new(),
            body: Some(body.to_string()),
        })
    }

    fn reader(&self, request: &ModelRequest, target: Target<'_>) -> Box<dyn Reader> {
        let origin = origin(self.kind(), request, target);
        Box::new(reader::Answer::new(origin, encode::num_ctx(request, target), request.max_output_tokens))
    }

    fn refusal(&self, refusal: Refusal<'_>) -> ProviderError {
        errors::refused(refusal.status, refusal.headers, refusal.body)
    }

    fn list(&self) -> Option<Call> {
        Some(Call { path: "api/tags".to_owned(), query: Vec::new(), headers: Vec::new(), body: None })
    }

    fn listed(&self, body: &Value) -> Vec<ModelInfo> {
        let models = body.get("models").and_then(Value::as_array).into_iter().flatten();
        models.filter_map(listed).collect()
    }
}

/// A model of the list; `None` for one that does not answer requests. Older servers tell no capabilities: then all is
/// tried that can be refused in words, and thinking is not asked for.
fn listed(model: &Value) -> Option<ModelInfo> {
    let id =
        ["model", "name"].iter().find_map(|field| model.get(field)?.as_str().filter(|id| !id.is_empty()))?;
    let window =
        model.pointer("/details/context_length").and_then(Value::as_u64).filter(|length| *length > 0);
    let window = window.unwrap_or(USUAL_WINDOW);
    let mut info = ModelInfo::free(id, ProviderKind::Ollama.as_str(), window, window / 2);
    let Some(capabilities) =
        model.get("capabilities").and_then(Value::as_array).filter(|all| !all.is_empty())
    else {
        return Some(info);
    };
    let has = |word: &str| capabilities.iter().any(|capability| capability == word);
    if !has("completion") && !has("tools") && !has("thinking") && !has("vision") {
        return None;
    }
    info.abilities.tools = has("tools");
    info.abilities.images = has("vision");
    if has("thinking") {
        info.thinking = true;
        if id.contains("gpt-oss") {
            info.abilities.thinking = ThinkingStyle::Effort;
            info.abilities.thinking_off = false;
            info.abilities.efforts = vec![Effort::Low, Effort::Medium, Effort::High];
        } else {
            info.abilities.thinking = ThinkingStyle::Switch;
        }
    }
    Some(info)
}
