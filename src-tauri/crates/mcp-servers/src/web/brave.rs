//! The Brave Search API (`GET /res/v1/web/search`, as its reference describes it: at most 400 characters and
//! 50 words a query, at most 20 results).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, HeaderValue, LOCATION};
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use thiserror::Error;

use super::{WebResult, WebSearch, WebSearchError};

const KEY_VARIABLE: &str = "BRAVE_API_KEY";
const ADDRESS_VARIABLE: &str = "AGENTNATIVE_BRAVE_URL";
const ADDRESS: &str = "https://api.search.brave.com";
const PATH: &str = "/res/v1/web/search";
const DEADLINE: Duration = Duration::from_secs(15);
/// The most bytes of an answer that are read.
const ANSWER_BYTES: usize = 2 << 20;
const QUERY_CHARS: usize = 400;
const QUERY_WORDS: usize = 50;
const RESULTS: usize = 20;

/// Why the client could not be made. None of these says what the key is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BraveSettingsError {
    /// The key holds characters that no header can carry.
    #[error(
        "the key of Brave Search holds characters that a key can't have: copy it again, without line breaks"
    )]
    Key,
    /// The address is none that the key may be sent to.
    #[error("AGENTNATIVE_BRAVE_URL must be an https:// address, or http:// on this machine")]
    Address,
    /// TLS could not be set up.
    #[error("the web search's connection could not be set up: {0}")]
    Connection(String),
}

/// A client of the Brave Search API. The key leaves it only in the request's header.
pub struct BraveSearch {
    client: Client,
    endpoint: Url,
    key: HeaderValue,
    deadline: Duration,
}

impl fmt::Debug for BraveSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BraveSearch").field("endpoint", &self.endpoint.as_str()).finish_non_exhaustive()
    }
}

/// Stands in where the settings are wrong, so that each search says so.
struct NotSetUp(BraveSettingsError);

#[async_trait]
impl WebSearch for NotSetUp {
    async fn search(&self, _query: &str, _limit: usize) -> Result<Vec<WebResult>, WebSearchError> {
        Err(WebSearchError::Settings(self.0.to_string()))
    }
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    web: Option<Web>,
}

#[derive(Deserialize)]
struct Web {
    #[serde(default)]
    results: Vec<Page>,
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    age: Option<String>,
}

impl BraveSearch {
    /// The client that the environment configures (`BRAVE_API_KEY`, `AGENTNATIVE_BRAVE_URL`); `None` without a
    /// key. Wrong settings give a search that says what is wrong, so that the rest of the server works.
    pub fn from_env() -> Option<Arc<dyn WebSearch>> {
        let key = std::env::var(KEY_VARIABLE).ok().filter(|key| !key.trim().is_empty())?;
        let address = std::env::var(ADDRESS_VARIABLE).ok().filter(|address| !address.trim().is_empty());
        Some(match Self::new(&key, address.as_deref().unwrap_or(ADDRESS)) {
            Ok(client) => Arc::new(client),
            Err(error) => Arc::new(NotSetUp(error)),
        })
    }

    /// A client with this key for the service at this address (scheme and host).
    pub fn new(key: &str, address: &str) -> Result<Self, BraveSettingsError> {
        let mut key = HeaderValue::from_str(key.trim()).map_err(|_| BraveSettingsError::Key)?;
        key.set_sensitive(true);
        let address = Url::parse(address.trim()).map_err(|_| BraveSettingsError::Address)?;
        // In the clear the key may travel within this machine only.
        let loopback = matches!(address.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
        if !(address.scheme() == "https" || (address.scheme() == "http" && loopback)) {
            return Err(BraveSettingsError::Address);
        }
        let endpoint = address.join(PATH).map_err(|_| BraveSettingsError::Address)?;
        // Fails when a provider is installed already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .user_agent(concat!("agentnative/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| BraveSettingsError::Connection(why(&error)))?;
        Ok(Self { client, endpoint, key, deadline: DEADLINE })
    }

    /// The same client with another deadline for one search.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    async fn ask(&self, query: &str, limit: usize) -> Result<Vec<WebResult>, WebSearchError> {
        let count = limit.clamp(1, RESULTS);
        let answer = self
            .client
            .get(self.endpoint.clone())
            .query(&[("q", shortened(query).as_str()), ("count", &count.to_string())])
            .header("x-subscription-token", self.key.clone())
            .header(ACCEPT, "application/json")
            .send()
            .await
            .map_err(|error| WebSearchError::Unavailable(why(&error)))?;
        refused(&answer)?;
        let body = read(answer).await?;
        let answer: Answer = serde_json::from_slice(&body)
            .map_err(|_| WebSearchError::Unavailable("its answer is not in the documented form".into()))?;
        let pages = answer.web.map(|web| web.results).unwrap_or_default();
        Ok(pages.into_iter().filter_map(result).take(count).collect())
    }
}

#[async_trait]
impl WebSearch for BraveSearch {
    async fn search(&self, query: &str, limit: usize) -> Result<Vec<WebResult>, WebSearchError> {
        let late =
            || WebSearchError::Unavailable(format!("no answer within {} s", self.deadline.as_secs_f32()));
        tokio::time::timeout(self.deadline, self.ask(query, limit)).await.map_err(|_| late())?
    }
}

/// What a status other than success means. The body of such an answer is never shown: it may repeat the request.
fn refused(answer: &Response) -> Result<(), WebSearchError> {
    let status = answer.status();
    Err(match status {
        _ if status.is_success() => return Ok(()),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => WebSearchError::Refused,
        StatusCode::TOO_MANY_REQUESTS => WebSearchError::RateLimited,
        _ if answer.headers().contains_key(LOCATION) => {
            WebSearchError::Unavailable(format!("status {}: redirects are not followed", status.as_u16()))
        }
        _ => WebSearchError::Unavailable(format!("status {}", status.as_u16())),
    })
}

pub(super) async fn read(mut answer: Response) -> Result<Vec<u8>, WebSearchError> {
    let too_long =
        || WebSearchError::Unavailable(format!("its answer is longer than {} MiB", ANSWER_BYTES >> 20));
    if answer.content_length().is_some_and(|length| length > ANSWER_BYTES as u64) {
        return Err(too_long());
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| WebSearchError::Unavailable(why(&error)))? {
        if body.len() + chunk.len() > ANSWER_BYTES {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// What failed, without the address: it holds the query.
pub(super) fn why(error: &reqwest::Error) -> String {
    if error.is_connect() {
        "no connection".into()
    } else if error.is_timeout() {
        "timed out".into()
    } else if error.is_body() || error.is_decode() {
        "the answer broke off".into()
    } else if error.is_builder() {
        "the request could not be made".into()
    } else {
        "the connection failed".into()
    }
}

fn result(page: Page) -> Option<WebResult> {
    super::page(page.title, page.url, page.description, page.age)
}

/// The query within the service's bounds, cut at a word.
fn shortened(query: &str) -> String {
    let mut out = String::new();
    let mut chars = 0;
    for word in query.split_whitespace().take(QUERY_WORDS) {
        let length = word.chars().count() + usize::from(!out.is_empty());
        if chars + length > QUERY_CHARS {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
        chars += length;
    }
    if out.is_empty() { query.trim().chars().take(QUERY_CHARS).collect() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn the_key_goes_only_over_https_or_within_this_machine() {
        for address in ["https://api.example", "http://127.0.0.1:9", "http://localhost:9", "http://[::1]:9"] {
            assert!(BraveSearch::new("k", address).is_ok(), "{address}");
        }
        for address in [
            "http://api.example",
            "ftp://127.0.0.1",
            "file:///x",
            "",
            "127.0.0.1",
            "http://127.0.0.1.example",
        ] {
            assert_eq!(BraveSearch::new("k", address).err(), Some(BraveSettingsError::Address), "{address}");
        }
        assert_eq!(BraveSearch::new("a\nb", ADDRESS).err(), Some(BraveSettingsError::Key));
    }

    #[test]
    fn the_client_does_not_print_its_key() {
        let client = BraveSearch::new("very-secret-key", ADDRESS).unwrap();
        assert!(!format!("{client:?}").contains("secret"));
        assert!(!format!("{:?}", client.key).contains("secret"));
    }

    #[test]
    fn queries_are_cut_to_the_bounds_of_the_service() {
        assert_eq!(shortened("  a \n b "), "a b");
        assert_eq!(shortened(&"word ".repeat(80)).split(' ').count(), 50);
        assert!(shortened(&"longer-word-than-before ".repeat(40)).chars().count() <= 400);
        assert_eq!(shortened(&"é".repeat(900)).chars().count(), 400);
    }

    #[test]
    fn only_pages_with_a_web_address_are_results() {
        let page = |url: &str| {
            result(Page {
                title: None,
                url: Some(url.into()),
                description: Some("A <strong>bold</strong> &amp; plain text".into()),
                age: None,
            })
        };
        let found = page("https://example.org/a?b=c").unwrap();
        assert_eq!((found.title.as_str(), found.snippet.as_str()), ("example.org", "A bold & plain text"));
        for url in
            ["javascript:alert(1)", "data:text/html,x", "/relative", "https://user:word@example.org/", ""]
        {
            assert_eq!(page(url), None, "{url}");
        }
    }
}
