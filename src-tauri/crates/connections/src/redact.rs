//! What a host repeats of a secret goes no further, cut off or whole.

use std::sync::Arc;

use domain::connection::Connection;
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use llm::http::{Credential, connect_knowing};
use llm::{AnswerStream, Lane, ModelInfo, ModelRequest, Provider, ProviderError};
use parking_lot::Mutex;
use secrets::{ExposeSecret as _, SecretString};
use serde_json::Value;

/// What stands for a secret where a person reads.
const SECRET: &str = "(secret)";
/// The shortest beginning of a secret that is hidden, in bytes: a message may be cut within one.
const MIN_BEGINNING_BYTES: usize = 8;
/// Secrets that are remembered: a renewed one follows the refused one.
const MAX_SECRETS: usize = 4;

/// Opens a connection whose errors repeat nothing of what it presented itself with, and whose calls enter a lane.
pub fn connect(
    connection: Connection,
    credential: Arc<dyn Credential>,
    listed: Vec<ModelInfo>,
    lane: Option<Arc<Lane>>,
) -> Result<Arc<dyn Provider>, ProviderError> {
    let seen = RecentSecrets::default();
    let watched = Arc::new(RecordingCredential { inner: credential, seen: seen.clone() });
    let inner = connect_knowing(connection, watched, listed)?;
    Ok(Arc::new(RedactingProvider { inner, seen, lane }))
}

/// What was presented lately.
#[derive(Clone, Default)]
struct RecentSecrets(Arc<Mutex<Vec<SecretString>>>);

impl RecentSecrets {
    fn note(&self, secret: Option<&SecretString>) {
        let Some(secret) = secret else { return };
        let mut seen = self.0.lock();
        seen.retain(|known| known.expose_secret() != secret.expose_secret());
        seen.push(secret.clone());
        if seen.len() > MAX_SECRETS {
            seen.remove(0);
        }
    }

    fn hide(&self, mut error: ProviderError) -> ProviderError {
        for secret in self.0.lock().iter() {
            error.message = hidden(&error.message, secret.expose_secret());
        }
        error
    }
}

/// A text without a secret and without what may be the beginning of it.
fn hidden(text: &str, secret: &str) -> String {
    let Some(beginning) = secret.get(..MIN_BEGINNING_BYTES) else { return text.to_owned() };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(beginning) {
        let (before, there) = rest.split_at(at);
        let same = there.chars().zip(secret.chars()).take_while(|(a, b)| a == b);
        let length: usize = same.map(|(letter, _)| letter.len_utf8()).sum();
        out.push_str(before);
        out.push_str(SECRET);
        rest = &there[length..];
    }
    out.push_str(rest);
    out
}

struct RecordingCredential {
    inner: Arc<dyn Credential>,
    seen: RecentSecrets,
}

impl Credential for RecordingCredential {
    fn current(&self) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>> {
        Box::pin(async {
            let secret = self.inner.current().await?;
            self.seen.note(secret.as_ref());
            Ok(secret)
        })
    }

    fn renewed(&self, refused: &SecretString) -> BoxFuture<'_, Result<Option<SecretString>, ProviderError>> {
        let refused = refused.clone();
        Box::pin(async move {
            let secret = self.inner.renewed(&refused).await?;
            self.seen.note(secret.as_ref());
            Ok(secret)
        })
    }
}

struct RedactingProvider {
    inner: Arc<dyn Provider>,
    seen: RecentSecrets,
    lane: Option<Arc<Lane>>,
}

impl Provider for RedactingProvider {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn default_model(&self) -> String {
        self.inner.default_model()
    }

    fn judge_model(&self, model: &str) -> Option<ModelInfo> {
        self.inner.judge_model(model)
    }

    fn model(&self, name: &str) -> ModelInfo {
        self.inner.model(name)
    }

    fn lane(&self) -> Option<Arc<Lane>> {
        self.lane.clone()
    }

    fn stream(&self, request: ModelRequest) -> AnswerStream {
        let seen = self.seen.clone();
        self.inner.stream(request).map(move |event| event.map_err(|error| seen.hide(error))).boxed()
    }

    fn keeps_answers(&self) -> bool {
        self.inner.keeps_answers()
    }

    fn continues_drafts(&self) -> bool {
        self.inner.continues_drafts()
    }

    fn attach(&self, request: ModelRequest, response_id: &str) -> Option<AnswerStream> {
        let seen = self.seen.clone();
        let answer = self.inner.attach(request, response_id)?;
        Some(answer.map(move |event| event.map_err(|error| seen.hide(error))).boxed())
    }

    fn cancel(&self, response_id: &str) -> BoxFuture<'_, Result<(), ProviderError>> {
        let cancelled = self.inner.cancel(response_id);
        Box::pin(async move { cancelled.await.map_err(|error| self.seen.hide(error)) })
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ProviderError>> {
        Box::pin(async { self.inner.models().await.map_err(|error| self.seen.hide(error)) })
    }

    fn count(&self, request: &ModelRequest) -> BoxFuture<'_, Result<Option<u64>, ProviderError>> {
        let counted = self.inner.count(request);
        let seen = self.seen.clone();
        Box::pin(async move { counted.await.map_err(|error| seen.hide(error)) })
    }

    fn shown(&self, request: &ModelRequest) -> Option<Result<Value, ProviderError>> {
        self.inner.shown(request).map(|shown| shown.map_err(|error| self.seen.hide(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_hidden_whole_and_cut_off() {
        let secret = "sk-0123456789";
        assert_eq!(hidden("a sk-0123456789 b", secret), "a (secret) b");
        assert_eq!(hidden("sk-0123456789sk-01234567", secret), "(secret)(secret)");
        assert_eq!(hidden("cut sk-012345", secret), "cut (secret)");
        assert_eq!(hidden("sk-0123 is its kind", secret), "sk-0123 is its kind");
        assert_eq!(hidden("short", "key"), "short");
        assert_eq!(hidden("é äöüäöü", "äöüäöü"), "é (secret)");
    }
}
