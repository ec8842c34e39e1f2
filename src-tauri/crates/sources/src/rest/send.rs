//! Sends requests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use reqwest::header::{
    ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LINK, LOCATION, RETRY_AFTER,
};
use reqwest::{Client, Method, Response, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use tokio_util::sync::CancellationToken;
use url::Url;

use super::answer::{RestAnswer, RestBody};
use super::config::RestConfig;
use super::error::{RestError, RestErrorKind};
use super::log::{Log, LogLine};
use super::redact::Redact;
use super::target::{Body, RestRequest};
use crate::reason::Reason;
use crate::text::excerpt;

/// Redirects that are followed in a row.
const HOPS: usize = 5;
/// How long a name's addresses are used before it is resolved again.
const RESOLVED: Duration = Duration::from_secs(60);
/// How much of a failure's text is told, in characters.
const SAID: usize = 2_000;
/// How much of a failure's text is read, in bytes.
const FAILURE_BYTES: usize = 64 << 10;

/// An interface that can be asked. Cheap to clone; clones share connections and the log.
#[derive(Clone)]
pub struct Rest {
    inner: Arc<Inner>,
}

struct Inner {
    config: RestConfig,
    log: Log,
    reached: Mutex<Option<ResolvedHost>>,
}

#[derive(Clone)]
struct ResolvedHost {
    at: Instant,
    addresses: Vec<SocketAddr>,
    client: Client,
}

/// What was sent, as the log shows it.
struct LoggedRequest {
    method: &'static str,
    path: String,
    status: Option<u16>,
    bytes: usize,
}

impl Rest {
    /// Asks nothing yet.
    pub fn new(config: RestConfig) -> Self {
        Self { inner: Arc::new(Inner { config, log: Log::default(), reached: Mutex::default() }) }
    }

    /// What it is asked with.
    pub fn config(&self) -> &RestConfig {
        &self.inner.config
    }

    /// The last requests, oldest first.
    pub fn log(&self) -> Vec<LogLine> {
        self.inner.log.lines()
    }

    /// The address that a request would go to, without what the program adds.
    ///
    /// # Errors
    /// When it is none that may be sent.
    pub fn target(&self, request: &RestRequest) -> Result<Url, RestError> {
        let config = &self.inner.config;
        self.url(request).map_err(|kind| RestError { slug: config.slug.clone(), kind })
    }

    /// Sends a request and reads its whole answer.
    ///
    /// # Errors
    /// Within the deadline; whatever is no success is one.
    pub async fn send(
        &self,
        request: &RestRequest,
        cancel: &CancellationToken,
    ) -> Result<RestAnswer, RestError> {
        let config = &self.inner.config;
        let begun = Instant::now();
        let mut sent = LoggedRequest {
            method: request.checked_method().unwrap_or("?"),
            path: shown(request),
            status: None,
            bytes: 0,
        };
        let ended = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(RestErrorKind::Cancelled),
            ended = tokio::time::timeout(config.deadline, self.exchange(request, &mut sent)) => {
                ended.unwrap_or(Err(RestErrorKind::Deadline(config.deadline)))
            }
        };
        let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.inner.log.add(LogLine {
            at: support::now_ms(),
            method: sent.method.to_owned(),
            path: sent.path,
            status: sent.status,
            ms,
            bytes: sent.bytes,
            error: ended.as_ref().err().map(ToString::to_string).unwrap_or_default(),
        });
        match ended {
            Ok(answer) => Ok(RestAnswer { ms, ..answer }),
            Err(kind) => Err(RestError { slug: config.slug.clone(), kind }),
        }
    }

    fn url(&self, request: &RestRequest) -> Result<Url, RestErrorKind> {
        let config = &self.inner.config;
        request.checked_method()?;
        request.checked_headers(config.headers.iter().map(|(name, _)| name.as_str()))?;
        request.url(&config.base, config.query.iter().map(|(name, _)| name.as_str()))
    }

    async fn exchange(
        &self,
        request: &RestRequest,
        sent: &mut LoggedRequest,
    ) -> Result<RestAnswer, RestErrorKind> {
        let config = &self.inner.config;
        let mut url = self.url(request)?;
        let mut method: Method = request.checked_method()?.parse().unwrap_or(Method::GET);
        let mut body = request.body.as_ref().map(|body| encoded(body, config.max_body_bytes)).transpose()?;
        let client = self.client().await?;
        let mut token = match &config.token {
            Some(present) => Some(present.current().await.map_err(credential)?),
            None => None,
        };
        let mut renewed = false;
        for _ in 0..=HOPS {
            let headers = self.headers(request, token.as_ref())?;
            let mut building = client.request(method.clone(), self.with_query(&url)).headers(headers);
            if let Some((media_type, bytes)) = &body {
                building = building.header(CONTENT_TYPE, media_type).body(bytes.clone());
            }
            let response = building.send().await.map_err(|error| broken(&error, &config.base))?;
            let status = response.status();
            sent.status = Some(status.as_u16());
            if status == StatusCode::UNAUTHORIZED
                && let (Some(present), Some(refused), false) = (&config.token, &token, renewed)
            {
                // The request was not carried out, so that it may be sent once more.
                renewed = true;
                token = Some(present.renewed(refused.clone()).await.map_err(credential)?);
                continue;
            }
            if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
                let to = next_hop(&response, &url, config, &method)?;
                url = to;
                if status == StatusCode::SEE_OTHER && method != Method::HEAD {
                    method = Method::GET;
                    body = None;
                }
                continue;
            }
            return self.read(response, &method, &url, token.as_ref(), sent).await;
        }
        Err(RestErrorKind::Redirect { to: "yet another place".to_owned(), why: "it did so too many times" })
    }

    async fn read(
        &self,
        response: Response,
        method: &Method,
        url: &Url,
        token: Option<&SecretString>,
        sent: &mut LoggedRequest,
    ) -> Result<RestAnswer, RestErrorKind> {
        let config = &self.inner.config;
        let redact = Redact::new(config.secrets.iter().chain(token));
        let status = response.status();
        let header = |name: HeaderName| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let media_type = header(CONTENT_TYPE).unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let retry_after = header(RETRY_AFTER).map(|text| told_wait(&text));
        let next = header(LINK).and_then(|link| next_page(&link, url, config));
        let failed = !(status.is_success() || status == StatusCode::NOT_MODIFIED);
        let limit = if failed { FAILURE_BYTES } else { config.max_answer_bytes };
        let bytes = match read_body(response, limit, &config.base).await {
            Ok(bytes) => bytes,
            Err(RestErrorKind::TooLarge { .. }) if failed => Vec::new(),
            Err(kind) => return Err(kind),
        };
        sent.bytes = bytes.len();
        if failed {
            let said = redact.text(String::from_utf8_lossy(&bytes).into_owned());
            return Err(RestErrorKind::Status {
                method: word(method),
                path: redact.text(url.path().to_owned()),
                status: status.as_u16(),
                retry_after,
                message: excerpt(said.trim(), SAID),
            });
        }
        Ok(RestAnswer {
            status: status.as_u16(),
            bytes: bytes.len(),
            body: RestBody::read(&media_type, bytes, |text| redact.text(text)),
            media_type,
            ms: 0,
            next,
        })
    }

    /// The address with the parameters that the program sets.
    fn with_query(&self, url: &Url) -> Url {
        let mut url = url.clone();
        for (name, value) in &self.inner.config.query {
            url.query_pairs_mut().append_pair(name, value.expose_secret());
        }
        url
    }

    fn headers(
        &self,
        request: &RestRequest,
        token: Option<&SecretString>,
    ) -> Result<HeaderMap, RestErrorKind> {
        let invalid = |what: &str| RestErrorKind::Invalid(format!("{what} can't be a header"));
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/*;q=0.9, */*;q=0.5"));
        for (name, value) in &request.headers {
            let named: HeaderName = name.parse().map_err(|_| invalid(name))?;
            headers.insert(named, HeaderValue::from_str(value).map_err(|_| invalid(name))?);
        }
        let bearer = token.map(|token| {
            ("authorization".to_owned(), SecretString::from(format!("Bearer {}", token.expose_secret())))
        });
        for (name, value) in self.inner.config.headers.iter().chain(&bearer) {
            let named: HeaderName = name.parse().map_err(|_| invalid(name))?;
            let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_| {
                RestErrorKind::Credential(format!("the value of the header {name} can't be sent"))
            })?;
            value.set_sensitive(true);
            headers.insert(named, value);
        }
        Ok(headers)
    }

    /// A client whose connections go to addresses that were looked at.
    async fn client(&self) -> Result<Client, RestErrorKind> {
        let config = &self.inner.config;
        let known = self.inner.reached.lock().clone();
        if let Some(known) = known.as_ref().filter(|known| known.at.elapsed() < RESOLVED) {
            return Ok(known.client.clone());
        }
        let addresses = net_guard::resolve(&config.base, &config.allow).await?;
        let client = match known.filter(|known| known.addresses == addresses) {
            Some(known) => known.client,
            None => net_guard::client(&config.base, &addresses)?,
        };
        *self.inner.reached.lock() =
            Some(ResolvedHost { at: Instant::now(), addresses, client: client.clone() });
        Ok(client)
    }
}

/// A request's path with the names of its parameters.
fn shown(request: &RestRequest) -> String {
    let (path, written) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let written = url::form_urlencoded::parse(written.as_bytes()).map(|(name, _)| name.into_owned());
    let names: Vec<String> = written.chain(request.query.iter().map(|(name, _)| name.clone())).collect();
    let path = excerpt(path, 300);
    if names.is_empty() { path } else { format!("{path}?{}", excerpt(&names.join("&"), 200)) }
}

/// A method's word.
fn word(method: &Method) -> &'static str {
    RestRequest::new(method.as_str(), "").checked_method().unwrap_or("?")
}

fn encoded(body: &Body, limit: usize) -> Result<(String, Vec<u8>), RestErrorKind> {
    let (media_type, bytes) = match body {
        Body::Json(value) => ("application/json".to_owned(), value.to_string().into_bytes()),
        Body::Form(fields) => {
            let mut form = url::form_urlencoded::Serializer::new(String::new());
            form.extend_pairs(fields);
            ("application/x-www-form-urlencoded".to_owned(), form.finish().into_bytes())
        }
        Body::Text { media_type, text } => {
            let sound = media_type.len() <= 200
                && media_type.contains('/')
                && media_type.bytes().all(|byte| (32..127).contains(&byte));
            if !sound {
                return Err(RestErrorKind::Invalid("the body's media type is none".to_owned()));
            }
            (media_type.clone(), text.clone().into_bytes())
        }
    };
    if bytes.len() > limit {
        return Err(RestErrorKind::TooLarge { what: "the request's body", limit });
    }
    Ok((media_type, bytes))
}

/// Where a redirect leads, when it is followed: on the same origin, below the same address.
fn next_hop(
    response: &Response,
    url: &Url,
    config: &RestConfig,
    method: &Method,
) -> Result<Url, RestErrorKind> {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let Some(to) = location.and_then(|location| url.join(location).ok()) else {
        return Err(RestErrorKind::Redirect { to: "nowhere".to_owned(), why: "its Location is no address" });
    };
    let refuse = |to: String, why| Err(RestErrorKind::Redirect { to, why });
    if to.origin() != config.base.origin() {
        let host = to.host_str().unwrap_or("another scheme").to_owned();
        return refuse(host, "it is another origin");
    }
    if !to.path().starts_with(config.base.path()) || !to.username().is_empty() || to.password().is_some() {
        return refuse(excerpt(to.path(), 200), "it is outside of the source's address");
    }
    let changes = !matches!(*method, Method::GET | Method::HEAD);
    let keeps = matches!(
        response.status(),
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT | StatusCode::SEE_OTHER
    );
    if changes && !keeps {
        return refuse(excerpt(to.path(), 200), "the request would be sent twice: ask there directly");
    }
    // Parameters that the program sets are added to every request, so that they are not kept from a Location.
    let mut kept = to.clone();
    let own: Vec<(String, String)> = to
        .query_pairs()
        .filter(|(name, _)| !config.query.iter().any(|(own, _)| own == name))
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    kept.set_query(None);
    if !own.is_empty() {
        kept.query_pairs_mut().extend_pairs(own);
    }
    kept.set_fragment(None);
    Ok(kept)
}

async fn read_body(mut response: Response, limit: usize, base: &Url) -> Result<Vec<u8>, RestErrorKind> {
    let too_large = RestErrorKind::TooLarge { what: "its answer", limit };
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(too_large);
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| broken(&error, base))? {
        if bytes.len() + chunk.len() > limit {
            return Err(too_large);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// What failed, without the address, which may hold what was sent.
fn broken(error: &reqwest::Error, base: &Url) -> RestErrorKind {
    let host = base.host_str().unwrap_or_default();
    if error.is_connect() {
        return RestErrorKind::Unreachable(format!(
            "{host} can't be reached: check the address and the network"
        ));
    }
    let what = if error.is_timeout() { "did not answer in time" } else { "broke the connection off" };
    RestErrorKind::Network(format!("{host} {what}"))
}

/// `Retry-After` in words: seconds, or a date as it was written.
fn told_wait(text: &str) -> String {
    match text.trim().parse::<u64>() {
        Ok(seconds) => format!("{seconds} s"),
        Err(_) => excerpt(text, 60),
    }
}

/// The next page that a `Link` header names, as a path below the address.
fn next_page(link: &str, url: &Url, config: &RestConfig) -> Option<String> {
    let next = link.split(',').find(|part| part.contains("rel=\"next\"") || part.contains("rel=next"))?;
    let target = next.split_once('<')?.1.split_once('>')?.0;
    let to = url.join(target).ok()?;
    let below = to.path().strip_prefix(config.base.path())?;
    (to.origin() == config.base.origin()).then(|| match to.query() {
        // Parameters that the program sets are its own to add.
        Some(_) => {
            let mut kept = url::form_urlencoded::Serializer::new(String::new());
            kept.extend_pairs(
                to.query_pairs().filter(|(name, _)| !config.query.iter().any(|(own, _)| own == name)),
            );
            format!("{below}?{}", kept.finish())
        }
        None => below.to_owned(),
    })
}

fn credential(reason: Reason) -> RestErrorKind {
    RestErrorKind::Credential(reason.0)
}
