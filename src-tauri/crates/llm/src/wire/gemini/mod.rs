//! Google Gemini `generateContent` (version v1beta, as of November 2026).

mod encode;
mod errors;
mod partial;
mod reader;
mod schema;

use domain::connection::ProviderKind;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::shared::origin;
use super::{AuthScheme, Call, Codec, Frame, Framing, Reader, Refusal, Target};
use crate::{Fault, ModelInfo, ModelRequest, Prices, ProviderError, ThinkingStyle};

/// The version. It stands in the paths, so that an address with and without it is the same.
const VERSION: &str = "v1beta";
/// What an answer may hold where a list does not say it.
const USUAL_OUTPUT: u64 = 65_536;
/// What fits together where a list does not say it.
const USUAL_WINDOW: u64 = 1_048_576;

/// The protocol.
#[derive(Debug, Clone, Copy)]
pub struct Gemini;

impl Gemini {
    fn call(
        request: &ModelRequest,
        target: Target<'_>,
        continuation: Option<&str>,
    ) -> Result<Call, ProviderError> {
        let mut body = encode::body(request, target)?;
        body.continuation_token = continuation.map(str::to_owned);
        Ok(Call {
            path: encode::path(&request.model, "streamGenerateContent")?,
            query: vec![("alt", "sse".to_owned())],
            headers: Vec::new(),
            body: Some(written(&body)?),
        })
    }
}

fn written(body: &impl serde::Serialize) -> Result<String, ProviderError> {
    serde_json::to_string(body).map_err(|error| {
        let words = format!("the request can't be written: {error}");
        ProviderError::new(ProviderKind::Gemini.as_str(), Fault::BadRequest, words)
    })
}

impl Codec for Gemini {
    fn kind(&self) -> ProviderKind {
        ProviderKind::Gemini
    }

    fn home(&self) -> Option<&'static str> {
        Some("https://generativelanguage.googleapis.com/v1beta")
    }

    fn framing(&self) -> Framing {
        Framing::Sse
    }

    fn credential(
        &self,
        secret: &SecretString,
        bearing: AuthScheme,
    ) -> Result<Vec<(HeaderName, HeaderValue)>, ProviderError> {
        let secret = secret.expose_secret();
        let (name, value) = match bearing {
            AuthScheme::Key => (HeaderName::from_static("x-goog-api-key"), secret.to_owned()),
            AuthScheme::Bearer | AuthScheme::Oauth => (AUTHORIZATION, format!("Bearer {secret}")),
        };
        let value = HeaderValue::from_str(&value).map_err(|_| {
            let words = "the key holds letters that a header can't hold; store it again";
            ProviderError::new(self.kind().as_str(), Fault::Auth, words)
        })?;
        Ok(vec![(name, value)])
    }

    fn encode(&self, request: &ModelRequest, target: Target<'_>) -> Result<Call, ProviderError> {
        Self::call(request, target, None)
    }

    fn reader(&self, request: &ModelRequest, target: Target<'_>) -> Box<dyn Reader> {
        Box::new(reader::Answer::new(origin(self.kind(), request, target)))
    }

    fn encode_continued(
        &self,
        request: &ModelRequest,
        target: Target<'_>,
        continuation: &str,
    ) -> Result<Call, ProviderError> {
        Self::call(request, target, Some(continuation))
    }

    fn unstreamed(&self, body: &str) -> Option<Vec<Frame>> {
        let whole: Value = serde_json::from_str(body).ok()?;
        let chunks = match whole {
            Value::Array(chunks) => chunks,
            chunk => vec![chunk],
        };
        let is_answer = |chunk: &Value| chunk["candidates"].is_array() || chunk["usageMetadata"].is_object();
        let frame = |chunk: &Value| Frame { event: None, data: chunk.to_string() };
        (!chunks.is_empty() && chunks.iter().all(is_answer)).then(|| chunks.iter().map(frame).collect())
    }

    fn refusal(&self, refusal: Refusal<'_>) -> ProviderError {
        errors::refused(refusal.status, refusal.headers, refusal.body)
    }

    fn list(&self) -> Option<Call> {
        Some(Call {
            path: format!("{VERSION}/models"),
            query: vec![("pageSize", "1000".to_owned())],
            headers: Vec::new(),
            body: None,
        })
    }

    fn list_after(&self, body: &Value) -> Option<Call> {
        let token = body.get("nextPageToken")?.as_str().filter(|token| !token.is_empty())?;
        let mut call = self.list()?;
        call.query.push(("pageToken", token.to_owned()));
        Some(call)
    }

    fn listed(&self, body: &Value) -> Vec<ModelInfo> {
        let models = body.get("models").and_then(Value::as_array).into_iter().flatten();
        models.filter_map(listed).collect()
    }

    fn count(&self, request: &ModelRequest, target: Target<'_>) -> Option<Result<Call, ProviderError>> {
        let call = || {
            let mut body = encode::body(request, target)?;
            let name = request.model.strip_prefix("models/").unwrap_or(&request.model);
            body.model = Some(if name.contains('/') { name.to_owned() } else { format!("models/{name}") });
            #[derive(serde::Serialize)]
            #[serde(rename_all = "camelCase")]
            struct Counted {
                generate_content_request: encode::Body,
            }
            Ok(Call {
                path: encode::path(&request.model, "countTokens")?,
                query: Vec::new(),
                headers: Vec::new(),
                body: Some(written(&Counted { generate_content_request: body })?),
            })
        };
        Some(call())
    }

    fn counted(&self, body: &Value) -> Option<u64> {
        body.get("totalTokens")?.as_u64()
    }
}

/// A model of the list; `None` for one that does not answer requests.
fn listed(model: &Value) -> Option<ModelInfo> {
    let name = model.get("name")?.as_str()?;
    let id = name.strip_prefix("models/").unwrap_or(name);
    let methods = model.get("supportedGenerationMethods").and_then(Value::as_array);
    let answers = methods.is_none_or(|all| all.iter().any(|method| method == "generateContent"));
    if id.is_empty() || !answers {
        return None;
    }
    let mut info = known(id);
    let limit = |name: &str| model.get(name).and_then(Value::as_u64).filter(|limit| *limit > 0);
    info.context_window = limit("inputTokenLimit").unwrap_or(info.context_window);
    info.max_output = limit("outputTokenLimit").unwrap_or(info.max_output);
    if let Some(thinks) = model.get("thinking").and_then(Value::as_bool) {
        info.thinking = thinks;
        if !thinks {
            info.abilities.thinking = ThinkingStyle::None;
        }
    }
    Some(info)
}

/// What the table says of a model or of the one that it is an edition of; for others, what all of their generation do.
fn known(id: &str) -> ModelInfo {
    let edition = |of: &&ModelInfo| {
        let rest = id.strip_prefix(of.id.as_str()).and_then(|rest| rest.strip_prefix('-'));
        let word = |word: &str| {
            matches!(word, "preview" | "exp" | "latest")
                || (!word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()))
        };
        rest.is_some_and(|rest| rest.split('-').all(word))
    };
    let table =
        || Prices::embedded().models.iter().filter(|model| model.provider == ProviderKind::Gemini.as_str());
    let found = table().find(|model| model.id == id).or_else(|| table().find(edition));
    if let Some(found) = found {
        return ModelInfo { id: id.to_owned(), ..found.clone() };
    }
    let mut info = ModelInfo::free(id, ProviderKind::Gemini.as_str(), USUAL_WINDOW, USUAL_OUTPUT);
    // What is not in the table may cost: the dearest of it is the safe guess.
    if let Some(dearest) = table().max_by(|a, b| a.price.output.total_cmp(&b.price.output)) {
        info.price = dearest.price;
        info.long = dearest.long;
        info.priced = false;
    }
    let generation =
        id.strip_prefix("gemini-").and_then(|rest| rest.split(['.', '-']).next()?.parse::<u32>().ok());
    info.abilities.images = true;
    info.abilities.documents = generation.is_some();
    info.abilities.forced_tools = generation.is_some();
    info.abilities.thinking = match generation {
        Some(3..) => ThinkingStyle::Level,
        Some(2) if id.starts_with("gemini-2.5") => ThinkingStyle::TokenBudget,
        Some(_) | None => ThinkingStyle::None,
    };
    info.thinking = info.abilities.thinking != ThinkingStyle::None;
    // Sending "off" to a model that can't stop is refused; the least thinking never is.
    info.abilities.thinking_off = false;
    info.structured = generation.is_some();
    info.abilities.tools = generation.is_some();
    info
}
