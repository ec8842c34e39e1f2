//! Searching the web, behind a trait: the server works without it and says so.

mod brave;
mod plain;
mod searxng;

use std::sync::Arc;

use async_trait::async_trait;
use reqwest::Url;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use brave::{BraveSearch, BraveSettingsError};
pub use searxng::SearxngSearch;

use plain::plain;

const TITLE_CHARS: usize = 300;
const SNIPPET_CHARS: usize = 2_000;
const AGE_CHARS: usize = 60;
const ADDRESS_BYTES: usize = 2_048;

/// A page that a web search found. Its text is data of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebResult {
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// What the search engine shows of it.
    pub snippet: String,
    /// How old the page is, in the search engine's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age: Option<String>,
}

/// Why a web search failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WebSearchError {
    /// The service refused the key.
    #[error("the web search service refused the key: check the key of Brave Search and its plan")]
    Refused,
    /// The plan's limit is reached.
    #[error("the web search service's limit is reached: try again later, or skip the web search")]
    RateLimited,
    /// The service or the network failed; trying again may help.
    #[error("the web search service did not answer: {0}")]
    Unavailable(String),
    /// The service can't be set up as configured.
    #[error("the web search is not set up: {0}")]
    Settings(String),
}

impl WebSearchError {
    /// The reason as one word, as results give it in `unavailable`.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Refused => "key_refused",
            Self::RateLimited => "rate_limited",
            Self::Unavailable(_) => "no_answer",
            Self::Settings(_) => "not_set_up",
        }
    }

    /// Whether the next query would fail in the same way.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Refused | Self::RateLimited | Self::Settings(_) => true,
            Self::Unavailable(_) => false,
        }
    }
}

/// A web search service. An implementation keeps its own deadline and caps what it returns.
#[async_trait]
pub trait WebSearch: Send + Sync {
    /// The best pages for one query, at most `limit`.
    async fn search(&self, query: &str, limit: usize) -> Result<Vec<WebResult>, WebSearchError>;
}

/// The web search that the environment configures: a SearXNG instance, else Brave Search; `None` without either.
pub fn web_search_from_env() -> Option<Arc<dyn WebSearch>> {
    SearxngSearch::from_env().or_else(BraveSearch::from_env)
}

/// A page as a search service gives it, cleaned and cut; `None` without an address on the web.
fn page(
    title: Option<String>,
    url: Option<String>,
    snippet: Option<String>,
    age: Option<String>,
) -> Option<WebResult> {
    let url = url?;
    let url = Url::parse(url.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    if url.as_str().len() > ADDRESS_BYTES || !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    let title = plain(&title.unwrap_or_default(), TITLE_CHARS);
    let title = if title.is_empty() { url.host_str().unwrap_or_default().to_owned() } else { title };
    let age = age.map(|age| plain(&age, AGE_CHARS)).filter(|age| !age.is_empty());
    let snippet = plain(&snippet.unwrap_or_default(), SNIPPET_CHARS);
    Some(WebResult { title, url: url.into(), snippet, age })
}
