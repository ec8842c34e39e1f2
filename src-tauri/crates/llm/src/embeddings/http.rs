//! An embedder that asks a service.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use embeddings::{EmbedError, Embedder, Model, Purpose, Service};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::runtime::Handle;

use super::{Keys, wire};

/// Texts of one call; Gemini takes 100.
const CALL_TEXTS: usize = 96;
/// Bytes of one call's texts: far below what each service takes, whatever a token is.
const CALL_BYTES: usize = 200_000;
/// Bytes of a text that are sent: with three bytes a token still within 8,191 tokens.
const TEXT_BYTES: usize = 24_000;
/// The most bytes of an answer that are read.
const ANSWER_BYTES: usize = 32 << 20;
/// The longest vector.
const MAX_DIMENSIONS: usize = 16_384;
/// How often the wish to stop is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The variable that holds the key for a service at another address than its usual one.
const OTHER_KEY: &str = "AGENTNATIVE_EMBEDDINGS_KEY";

/// How long and how often a service is asked.
#[derive(Debug, Clone, Copy)]
pub struct RetryPolicy {
    /// Tries of one call, at least one.
    pub tries: u32,
    /// Wait before the second try; it doubles with each, unless the service says how long.
    pub wait: Duration,
    /// Longest wait between tries; one that a service wants longer ends the call.
    pub longest_wait: Duration,
    /// Time of one try.
    pub deadline: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            tries: 5,
            wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            deadline: Duration::from_secs(120),
        }
    }
}

/// A model of a service.
pub struct HttpEmbedder {
    service: Service,
    client: Client,
    endpoint: Url,
    key: Option<(HeaderName, HeaderValue)>,
    name: String,
    model: Model,
    handle: Handle,
    patience: RetryPolicy,
    cancel: Arc<AtomicBool>,
}

impl fmt::Debug for HttpEmbedder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpEmbedder")
            .field("endpoint", &self.endpoint.as_str())
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// A try that failed.
struct Failure {
    what: String,
    retryable: bool,
    wait: Option<Duration>,
}

impl Failure {
    fn last(what: impl Into<String>) -> Self {
        Self { what: what.into(), retryable: false, wait: None }
    }

    fn passing(what: impl Into<String>) -> Self {
        Self { what: what.into(), retryable: true, wait: None }
    }
}

impl HttpEmbedder {
    /// Connects to a model of a service, at its usual address unless another is given, and asks for one vector.
    /// `cancel` ends this and every later call soon after it is set.
    pub fn open(
        service: Service,
        name: &str,
        address: Option<&str>,
        keys: Keys<'_>,
        handle: &Handle,
        patience: RetryPolicy,
        cancel: Arc<AtomicBool>,
    ) -> Result<Self, EmbedError> {
        let refuse = |what: &str| {
            Err(EmbedError::Service { service: service.scheme().into(), what: what.into(), retryable: false })
        };
        let (usual, variable) = wire::home(service);
        let Ok(mut endpoint) = Url::parse(address.unwrap_or(usual)) else {
            return refuse("the address can't be read: write https://host/path");
        };
        // In the clear, keys and texts may travel within this machine only.
        let loopback = matches!(endpoint.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
        if !(endpoint.scheme() == "https" || (endpoint.scheme() == "http" && loopback)) {
            return refuse("the address must be https://, or http:// on this machine");
        }
        endpoint.set_query(None);
        endpoint.set_fragment(None);
        if let Ok(mut segments) = endpoint.path_segments_mut() {
            segments.pop_if_empty().extend(wire::path(service, name));
        }
        // The key of a service is its own: no other address gets it, whoever wrote the reference.
        let (variable, needed) = match address {
            None => (variable, variable.is_some()),
            Some(_) => (Some(OTHER_KEY), false),
        };
        let secret = variable.and_then(keys);
        if let (true, None, Some(variable)) = (needed, &secret, variable) {
            return refuse(&format!(
                "no key: set {variable}, or keep it: agentnative secrets put {variable}"
            ));
        }
        let key = match secret {
            None => None,
            Some(secret) => {
                let (header, value) = match service {
                    Service::Gemini => {
                        (HeaderName::from_static("x-goog-api-key"), secret.0.trim().to_owned())
                    }
                    Service::Ollama | Service::OpenAi | Service::Voyage => {
                        (AUTHORIZATION, format!("Bearer {}", secret.0.trim()))
                    }
                };
                let Ok(mut value) = HeaderValue::from_str(&value) else {
                    return refuse(
                        "the key holds characters that a key can't have: copy it again, without line breaks",
                    );
                };
                value.set_sensitive(true);
                Some((header, value))
            }
        };
        // Fails when a provider is installed already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let Ok(client) = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .user_agent(concat!("agentnative/", env!("CARGO_PKG_VERSION")))
            .build()
        else {
            return refuse("the connection could not be set up");
        };
        let at = address.map(|address| format!("@{address}")).unwrap_or_default();
        let mut embedder = Self {
            service,
            client,
            endpoint,
            key,
            name: name.into(),
            model: Model { id: format!("{}:{name}{at}", service.scheme()), dimensions: 0 },
            handle: handle.clone(),
            patience,
            cancel,
        };
        let probe = embedder.embed(&["length"], Purpose::Passage)?;
        embedder.model.dimensions = probe.first().map_or(0, Vec::len);
        Ok(embedder)
    }

    async fn call(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut wait = self.patience.wait;
        let mut tries = 1;
        loop {
            let attempt = tokio::time::timeout(self.patience.deadline, self.ask(texts, purpose));
            let failure = match self.unless_cancelled(attempt).await? {
                Ok(Ok(vectors)) => return Ok(vectors),
                Ok(Err(failure)) => failure,
                Err(_) => {
                    Failure::passing(format!("no answer within {} s", self.patience.deadline.as_secs_f32()))
                }
            };
            let pause = failure.wait.unwrap_or(wait);
            if !failure.retryable || tries >= self.patience.tries || pause > self.patience.longest_wait {
                return Err(EmbedError::Service {
                    service: self.model.id.clone(),
                    what: failure.what,
                    retryable: failure.retryable,
                });
            }
            self.unless_cancelled(tokio::time::sleep(pause)).await?;
            wait = (wait * 2).min(self.patience.longest_wait);
            tries += 1;
        }
    }

    async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T, EmbedError> {
        let cancelled = async {
            while !self.cancel.load(Ordering::Relaxed) {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        };
        tokio::select! {
            biased;
            () = cancelled => Err(EmbedError::Cancelled),
            done = work => Ok(done),
        }
    }

    async fn ask(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Failure> {
        let body = wire::request(self.service, &self.name, texts, purpose).to_string();
        let mut request =
            self.client.post(self.endpoint.clone()).header(CONTENT_TYPE, "application/json").body(body);
        if let Some((header, value)) = &self.key {
            request = request.header(header, value.clone());
        }
        let answer = request.send().await.map_err(|error| Failure::passing(why(&error)))?;
        self.refused(&answer)?;
        let body = read(answer).await?;
        let mut vectors = wire::vectors(self.service, &body)
            .ok_or_else(|| Failure::last("its answer is not in the documented form: check the address"))?;
        if vectors.len() != texts.len() {
            return Err(Failure::last(format!(
                "answered {} vectors for {} texts",
                vectors.len(),
                texts.len()
            )));
        }
        let length = match self.model.dimensions {
            0 => vectors.first().map_or(0, Vec::len),
            length => length,
        };
        if length == 0 || length > MAX_DIMENSIONS || vectors.iter().any(|vector| vector.len() != length) {
            return Err(Failure::last(format!(
                "its vectors have not all the length {length} (1 to {MAX_DIMENSIONS})"
            )));
        }
        for vector in &mut vectors {
            // In f64, so that large numbers don't overflow.
            let norm = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
            if !norm.is_finite() || norm < 1e-20 {
                return Err(Failure::last("answered a vector of zeros or of numbers that are not finite"));
            }
            for number in vector {
                *number = (f64::from(*number) / norm) as f32;
            }
        }
        Ok(vectors)
    }

    /// What a status other than success means. The body of such an answer is never shown: it may repeat the request.
    fn refused(&self, answer: &Response) -> Result<(), Failure> {
        let status = answer.status();
        let number = status.as_u16();
        Err(match status {
            _ if status.is_success() => return Ok(()),
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Failure::last(format!("status {number}: the key is missing or refused; check it"))
            }
            StatusCode::NOT_FOUND => Failure::last(match self.service {
                Service::Ollama => format!("status 404: get the model with `ollama pull {}`", self.name),
                Service::OpenAi | Service::Voyage | Service::Gemini => {
                    "status 404: check the model's name and the address".into()
                }
            }),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => Failure {
                wait: retry_after(answer),
                ..Failure::passing(format!("status {number}: too many requests; wait and try again"))
            },
            _ if status.is_server_error() => Failure {
                wait: retry_after(answer),
                ..Failure::passing(format!("status {number}: the service is in trouble; try again later"))
            },
            _ if answer.headers().contains_key(LOCATION) => {
                Failure::last(format!("status {number}: redirects are not followed; name the right address"))
            }
            _ => Failure::last(format!("status {number}: check the model's name")),
        })
    }
}

impl Embedder for HttpEmbedder {
    fn model(&self) -> &Model {
        &self.model
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        // Services refuse empty texts; a space stands for nothing as well.
        let sent: Vec<&str> = texts
            .iter()
            .map(|text| if text.is_empty() { " " } else { &text[..text.floor_char_boundary(TEXT_BYTES)] })
            .collect();
        let mut vectors = Vec::with_capacity(sent.len());
        while vectors.len() < sent.len() {
            let rest = &sent[vectors.len()..];
            let mut bytes = 0;
            let count = rest
                .iter()
                .take(CALL_TEXTS)
                .take_while(|text| {
                    bytes += text.len();
                    bytes <= CALL_BYTES
                })
                .count();
            vectors.extend(self.handle.block_on(self.call(&rest[..count], purpose))?);
        }
        Ok(vectors)
    }
}

/// The wait that a service asks for, in seconds.
fn retry_after(answer: &Response) -> Option<Duration> {
    let seconds: u32 = answer.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds.into()))
}

async fn read(mut answer: Response) -> Result<Vec<u8>, Failure> {
    let too_long = || Failure::last(format!("its answer is longer than {} MiB", ANSWER_BYTES >> 20));
    if answer.content_length().is_some_and(|length| length > ANSWER_BYTES as u64) {
        return Err(too_long());
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| Failure::passing(why(&error)))? {
        if body.len() + chunk.len() > ANSWER_BYTES {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// What failed, without the address.
fn why(error: &reqwest::Error) -> String {
    if error.is_connect() {
        "no connection: check that the service runs and the network works".into()
    } else if error.is_timeout() {
        "timed out".into()
    } else if error.is_body() || error.is_decode() {
        "the answer broke off".into()
    } else {
        "the connection failed".into()
    }
}
