//! A provider over HTTP: one connection, one protocol.

use std::sync::Arc;
use std::time::Duration;

use domain::connection::{Auth, Connection, ProviderKind};
use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, stream};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use reqwest::{Client, Response, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value, json};
use url::Url;

use super::answer::Flow;
use super::known_models::KnownFeatures;
use super::{Credential, address, client, headers, network};
use crate::provider::AnswerStream;
use crate::wire::{AuthScheme, Call, Codec, Framing, Refusal, Target};
use crate::{Detail, Fault, ModelInfo, ModelRequest, Provider, ProviderError};

/// The longest silence when the connection says nothing.
const POLL_AFTER: Duration = Duration::from_secs(120);
/// The same of a machine of one's own, which reads a long prompt, or loads a model first, without a word.
const SILENCE_NEAR: Duration = Duration::from_secs(600);
/// The most of an error's body that is read.
const ERROR_BYTES: usize = 64 * 1024;
/// The longest wait for an error's body.
const ERROR_WAIT: Duration = Duration::from_secs(20);
/// The most of an answer that is no stream.
const JSON_BYTES: usize = 32 * 1024 * 1024;
/// The most pages of a list of models.
const MAX_PAGES: usize = 50;
/// What stands for a secret where a person reads.
pub(super) const SECRET: &str = "(secret)";

/// A connection that is open.
pub(super) struct HttpProvider {
    http: Arc<Http>,
}

/// What its streams share.
pub(super) struct Http {
    pub(super) codec: &'static dyn Codec,
    pub(super) connection: Connection,
    pub(super) base: Url,
    pub(super) silence: Duration,
    pub(super) known: KnownFeatures,
    credential: Arc<dyn Credential>,
    client: Client,
    /// The connection's own headers.
    own: HeaderMap,
}

/// An answer whose status is a success.
pub(super) struct Answer {
    pub(super) response: Response,
    pub(super) request_id: Option<String>,
    /// What the request was presented with, so that no message repeats it.
    pub(super) secret: Option<SecretString>,
}

impl HttpProvider {
    pub(super) fn open(
        codec: &'static dyn Codec,
        connection: Connection,
        credential: Arc<dyn Credential>,
        listed: Vec<ModelInfo>,
    ) -> Result<Self, ProviderError> {
        let base = address::base(codec, &connection, |name| std::env::var(name).ok())?;
        let own = headers::own(&connection)?;
        let client = client::client(&connection, &base)?;
        let home = codec.home().and_then(|home| Url::parse(home).ok());
        let near = base.host().is_some_and(|host| address::is_near(&host));
        let known =
            KnownFeatures::new(&connection, home.is_some_and(|home| home.host() == base.host()), near);
        known.keep(listed);
        let silence = connection.silence_seconds.filter(|seconds| *seconds > 0);
        let usual = if near { SILENCE_NEAR } else { POLL_AFTER };
        let silence = silence.map_or(usual, |seconds| Duration::from_secs(seconds.into()));
        let http = Http { codec, connection, base, silence, known, credential, client, own };
        Ok(Self { http: Arc::new(http) })
    }
}

impl Http {
    pub(super) fn target<'a>(&'a self, model: &'a ModelInfo) -> Target<'a> {
        Target { connection: &self.connection, base: &self.base, model }
    }

    /// Whether the provider that the protocol is named after answers, with models of its own: they write neither their
    /// thinking nor their calls as text.
    pub(super) fn serves_own_models(&self) -> bool {
        let home = self.codec.home().and_then(|home| Url::parse(home).ok());
        self.codec.kind() != ProviderKind::Ollama && home.is_some_and(|home| home.host() == self.base.host())
    }

    fn slug(&self) -> &str {
        &self.connection.slug
    }

    pub(super) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    pub(super) fn error(&self, fault: Fault, message: impl Into<String>) -> ProviderError {
        ProviderError::new(&self.connection.slug, fault, message)
    }

    /// Something answers that does not speak the protocol.
    pub(super) fn foreign(&self, what: &str) -> ProviderError {
        let message = format!(
            "something answers at {} that does not speak this protocol ({}): {what}",
            address::spoken(&self.base),
            self.codec.kind().as_str()
        );
        self.error(Fault::Malformed, message).with_detail(Detail::WrongProtocol)
    }

    pub(super) fn broken(&self, error: &reqwest::Error) -> ProviderError {
        network::failure(&self.connection.slug, self.host(), error)
    }

    /// An error as it is told: by the connection's name, without the secret, with the id that the provider gave the
    /// request.
    pub(super) fn with_context(
        &self,
        mut error: ProviderError,
        secret: Option<&SecretString>,
        request_id: Option<&str>,
    ) -> ProviderError {
        error.provider.clone_from(&self.connection.slug);
        error.message = hidden(error.message, secret);
        if let Some(id) = request_id.filter(|id| !error.message.contains(*id)) {
            error.message.truncate(error.message.floor_char_boundary(1_750));
            error.message.push_str(&format!(" (request id {id})"));
        }
        error.message.truncate(error.message.floor_char_boundary(2_000));
        error
    }

    fn auth_scheme(&self) -> Option<AuthScheme> {
        match self.connection.auth {
            Auth::None => None,
            Auth::Key { .. } => Some(AuthScheme::Key),
            Auth::Bearer { .. } => Some(AuthScheme::Bearer),
            Auth::Oauth { .. } | Auth::WorkloadIdentity { .. } => Some(AuthScheme::Oauth),
        }
    }

    /// Every header of a call but those that the client adds.
    fn headers(
        &self,
        call: &Call,
        accept: &'static str,
        secret: Option<&SecretString>,
        sensitive: bool,
    ) -> Result<HeaderMap, ProviderError> {
        let mut all = HeaderMap::new();
        all.insert(ACCEPT, HeaderValue::from_static(accept));
        if call.body.is_some() {
            all.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        for (name, value) in &call.headers {
            headers::set(&mut all, name.clone(), value.clone());
        }
        for (name, value) in &self.own {
            headers::set(&mut all, name.clone(), value.clone());
        }
        if let (Some(secret), Some(bearing)) = (secret, self.auth_scheme()) {
            for (name, value) in self.codec.credential_at(&self.base, secret, bearing)? {
                headers::set(&mut all, name.clone(), value);
                if let Some(value) = all.get_mut(&name) {
                    value.set_sensitive(sensitive);
                }
            }
        }
        Ok(all)
    }

    /// Sends a call and waits for an answer that is a success. A refused credential is renewed once.
    pub(super) async fn ask(&self, call: &Call, accept: &'static str) -> Result<Answer, ProviderError> {
        let mut secret = match self.auth_scheme() {
            Some(_) => {
                self.credential.current().await.map_err(|error| self.with_context(error, None, None))?
            }
            None => None,
        };
        let mut renewed = false;
        loop {
            let response = self.send(call, accept, secret.as_ref()).await?;
            if response.status() == StatusCode::UNAUTHORIZED
                && !std::mem::replace(&mut renewed, true)
                && let Some(refused) = &secret
            {
                let other = self.credential.renewed(refused).await;
                if let Some(other) = other.map_err(|error| self.with_context(error, Some(refused), None))? {
                    secret = Some(other);
                    continue;
                }
            }
            let request_id = headers::request_id(response.headers()).map(|id| hidden(id, secret.as_ref()));
            if response.status().is_success() {
                return Ok(Answer { response, request_id, secret });
            }
            let error = self.refused(response, secret.as_ref()).await;
            return Err(self.with_context(error, secret.as_ref(), request_id.as_deref()));
        }
    }

    async fn send(
        &self,
        call: &Call,
        accept: &'static str,
        secret: Option<&SecretString>,
    ) -> Result<Response, ProviderError> {
        let headers = self
            .headers(call, accept, secret, true)
            .map_err(|error| self.with_context(error, secret, None))?;
        let url = address::below(&self.base, &call.path, &call.query);
        let request = match &call.body {
            Some(body) => self.client.post(url).body(body.clone()),
            None => self.client.get(url),
        };
        match tokio::time::timeout(self.silence, request.headers(headers).send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(self.with_context(self.broken(&error), secret, None)),
            Err(_) => Err(self.silent()),
        }
    }

    pub(super) fn silent(&self) -> ProviderError {
        self.error(Fault::Timeout, format!("nothing arrived for {} seconds", self.silence.as_secs()))
    }

    async fn refused(&self, mut response: Response, secret: Option<&SecretString>) -> ProviderError {
        let status = response.status();
        if status.is_redirection() {
            let target = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let target = target.and_then(|to| response.url().join(to).ok());
            let to =
                target.map_or_else(|| "elsewhere".to_owned(), |to| format!("to {}", address::spoken(&to)));
            let message =
                format!("status {}: the address leads {to}; redirects are not followed", status.as_u16());
            return self.error(Fault::BadRequest, message).with_detail(Detail::Redirect);
        }
        if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            let message = "status 407: the proxy wants credentials";
            return self.error(Fault::Network, message).with_detail(Detail::Proxy);
        }
        let page = kind_of(response.headers()).is_some_and(|kind| kind.contains("html"));
        if page && matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) {
            return self.foreign(&format!("status {} with a web page", status.as_u16()));
        }
        // Before anything is cut from it, so that no part of a secret stays.
        let body = hidden(beginning(&mut response).await, secret);
        // A page tells a person nothing that the status does not.
        let body = if page { "" } else { body.as_str() };
        self.codec.refusal(Refusal { status: status.as_u16(), headers: response.headers(), body })
    }

    /// The JSON that answers a call.
    async fn json(&self, call: &Call) -> Result<Value, ProviderError> {
        let Answer { mut response, request_id, secret } = self.ask(call, "application/json").await?;
        let told = |error| self.with_context(error, secret.as_ref(), request_id.as_deref());
        if kind_of(response.headers()).is_some_and(|kind| kind.contains("html")) {
            return Err(told(self.foreign("it is a web page")));
        }
        let body = self.whole(&mut response).await.map_err(told)?;
        serde_json::from_slice(&body).map_err(|_| told(self.foreign("it is no JSON")))
    }

    /// The body of an answer that is no stream.
    pub(super) async fn whole(&self, response: &mut Response) -> Result<Vec<u8>, ProviderError> {
        let mut body = Vec::new();
        loop {
            match tokio::time::timeout(self.silence, response.chunk()).await {
                Err(_) => return Err(self.silent()),
                Ok(Err(error)) => return Err(self.broken(&error)),
                Ok(Ok(None)) => return Ok(body),
                Ok(Ok(Some(bytes))) if body.len() + bytes.len() > JSON_BYTES => {
                    let message = format!("an answer is longer than {} MiB", JSON_BYTES >> 20);
                    return Err(self.error(Fault::OverCap, message));
                }
                Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
            }
        }
    }

    async fn list(&self) -> Result<Vec<ModelInfo>, ProviderError> {
        let Some(mut call) = self.codec.list() else {
            return Ok(self.known.all());
        };
        let mut models: Vec<ModelInfo> = Vec::new();
        for _ in 0..MAX_PAGES {
            let body = self.json(&call).await?;
            for model in self.codec.listed(&body) {
                if !models.iter().any(|there| there.id == model.id) {
                    models.push(model);
                }
            }
            match self.codec.list_after(&body) {
                Some(next) => call = next,
                None => break,
            }
        }
        Ok(self.known.keep(models))
    }

    fn shown(&self, request: &ModelRequest) -> Result<Value, ProviderError> {
        let model = self.known.model(&request.model);
        let encoded = self.codec.encode(request, self.target(&model));
        let call = encoded.map_err(|error| self.with_context(error, None, None))?;
        let secret = self.auth_scheme().map(|_| SecretString::from(SECRET));
        let headers = self.headers(&call, accept(self.codec.framing()), secret.as_ref(), false)?;
        let mut shown = Map::new();
        for (name, value) in &headers {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            shown.insert(name.as_str().to_owned(), value.into());
        }
        let body = call
            .body
            .as_deref()
            .map(|body| serde_json::from_str::<Value>(body).unwrap_or_else(|_| body.into()));
        Ok(json!({
            "method": if call.body.is_some() { "POST" } else { "GET" },
            "url": address::below(&self.base, &call.path, &call.query).as_str(),
            "headers": shown,
            "body": body,
        }))
    }
}

impl Provider for HttpProvider {
    fn name(&self) -> &str {
        self.http.slug()
    }

    fn default_model(&self) -> String {
        self.http.known.default_model()
    }

    fn judge_model(&self, model: &str) -> Option<ModelInfo> {
        self.http.known.judge_model(model)
    }

    fn model(&self, name: &str) -> ModelInfo {
        self.http.known.model(name)
    }

    fn stream(&self, request: ModelRequest) -> AnswerStream {
        stream::unfold(Flow::new(Arc::clone(&self.http), request), Flow::next).boxed()
    }

    fn keeps_answers(&self) -> bool {
        self.http.codec.keeps(&self.http.connection)
    }

    fn attach(&self, request: ModelRequest, response_id: &str) -> Option<AnswerStream> {
        let model = self.http.known.model(&request.model);
        // What is wrong with the id itself is told by the stream.
        self.http.codec.kept(self.http.target(&model), response_id).is_some().then_some(())?;
        let flow = Flow::attached(Arc::clone(&self.http), request, response_id.to_owned());
        Some(stream::unfold(flow, Flow::next).boxed())
    }

    fn cancel(&self, response_id: &str) -> BoxFuture<'_, Result<(), ProviderError>> {
        let model = self.http.known.default_model();
        let model = self.http.known.model(&model);
        let calls = self.http.codec.kept(self.http.target(&model), response_id);
        Box::pin(async move {
            match calls {
                None => Ok(()),
                Some(Err(error)) => Err(self.http.with_context(error, None, None)),
                Some(Ok(calls)) => self.http.json(&calls.cancel).await.map(drop),
            }
        })
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ProviderError>> {
        Box::pin(self.http.list())
    }

    fn count(&self, request: &ModelRequest) -> BoxFuture<'_, Result<Option<u64>, ProviderError>> {
        let model = self.http.known.model(&request.model);
        let call = self.http.codec.count(request, self.http.target(&model));
        Box::pin(async move {
            let http = &self.http;
            match call {
                None => Ok(None),
                Some(Err(error)) => Err(http.with_context(error, None, None)),
                Some(Ok(call)) => Ok(http.codec.counted(&http.json(&call).await?)),
            }
        })
    }

    fn shown(&self, request: &ModelRequest) -> Option<Result<Value, ProviderError>> {
        Some(self.http.shown(request))
    }
}

/// A secret that is long enough to be told from any other text.
pub(super) fn secret_of(secret: Option<&SecretString>) -> Option<&SecretString> {
    secret.filter(|secret| secret.expose_secret().trim().len() >= 4)
}

/// A text without a secret that it may repeat.
pub(super) fn hidden(text: String, secret: Option<&SecretString>) -> String {
    match secret_of(secret).map(|secret| secret.expose_secret().trim()) {
        Some(secret) if text.contains(secret) => text.replace(secret, SECRET),
        _ => text,
    }
}

/// What a stream asks for.
pub(super) fn accept(framing: Framing) -> &'static str {
    match framing {
        Framing::Sse => "text/event-stream",
        Framing::Lines => "application/x-ndjson",
    }
}

/// A body's media type, in lower case.
pub(super) fn kind_of(headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    Some(kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// The beginning of an error's body as text: what arrives of it in time.
pub(super) async fn beginning(response: &mut Response) -> String {
    let mut body = Vec::new();
    let read = async {
        while body.len() < ERROR_BYTES
            && let Ok(Some(bytes)) = response.chunk().await
        {
            body.extend_from_slice(&bytes);
        }
    };
    let _ = tokio::time::timeout(ERROR_WAIT, read).await;
    body.truncate(ERROR_BYTES);
    String::from_utf8_lossy(&body).into_owned()
}
