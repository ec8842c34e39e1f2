//! Searching the web, behind a trait: the server works without it and says so.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A page that a web search found. Its text is data of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebResult {
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// What the search engine shows of it.
    pub snippet: String,
}

/// Why a web search failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WebSearchError {
    /// The service refused the key.
    #[error("the web search service refused the key")]
    Refused,
    /// The service or the network failed; trying again may help.
    #[error("the web search service did not answer: {0}")]
    Unavailable(String),
}

/// A web search service. An implementation keeps its own deadline and caps what it returns.
#[async_trait]
pub trait WebSearch: Send + Sync {
    /// The best pages for one query, at most `limit`.
    async fn search(&self, query: &str, limit: usize) -> Result<Vec<WebResult>, WebSearchError>;
}
