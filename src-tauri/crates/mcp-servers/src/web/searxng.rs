//! SearXNG (`GET /search?format=json`), a search service that a person runs on their own.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::{Client, StatusCode, Url};
use serde::Deserialize;

use super::brave::{read, why};
use super::{WebResult, WebSearch, WebSearchError, page};

const ADDRESS_VARIABLE: &str = "AGENTNATIVE_SEARXNG_URL";
const DEADLINE: Duration = Duration::from_secs(20);
const RESULTS: usize = 20;

/// A client of one SearXNG instance. It presents nothing but the query.
#[derive(Debug)]
pub struct SearxngSearch {
    client: Client,
    endpoint: Url,
}

#[derive(Deserialize)]
struct Answer {
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
    content: Option<String>,
    #[serde(default, rename = "publishedDate")]
    published: Option<String>,
}

/// Stands in where the address is wrong, so that each search says so.
struct NotSetUp(WebSearchError);

#[async_trait]
impl WebSearch for NotSetUp {
    async fn search(&self, _query: &str, _limit: usize) -> Result<Vec<WebResult>, WebSearchError> {
        Err(self.0.clone())
    }
}

impl SearxngSearch {
    /// The client that the environment configures (`AGENTNATIVE_SEARXNG_URL`); `None` without an address.
    pub fn from_env() -> Option<Arc<dyn WebSearch>> {
        let address = std::env::var(ADDRESS_VARIABLE).ok().filter(|address| !address.trim().is_empty())?;
        Some(match Self::new(&address) {
            Ok(client) => Arc::new(client),
            Err(error) => Arc::new(NotSetUp(error)),
        })
    }

    /// A client for the instance at this address.
    ///
    /// # Errors
    /// What is wrong with the address, or that no connection can be set up.
    pub fn new(address: &str) -> Result<Self, WebSearchError> {
        let wrong = || {
            let words = "the address of SearXNG must begin with https:// or http://";
            WebSearchError::Settings(words.to_owned())
        };
        let mut endpoint = Url::parse(address.trim()).map_err(|_| wrong())?;
        if !matches!(endpoint.scheme(), "https" | "http") || endpoint.cannot_be_a_base() {
            return Err(wrong());
        }
        if let Ok(mut path) = endpoint.path_segments_mut() {
            path.pop_if_empty().push("search");
        }
        endpoint.set_query(None);
        // Fails when a provider is installed already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .user_agent(concat!("agentnative/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| WebSearchError::Settings(why(&error)))?;
        Ok(Self { client, endpoint })
    }

    async fn ask(&self, query: &str, limit: usize) -> Result<Vec<WebResult>, WebSearchError> {
        let answer = self
            .client
            .get(self.endpoint.clone())
            .query(&[("q", query), ("format", "json")])
            .send()
            .await
            .map_err(|error| WebSearchError::Unavailable(why(&error)))?;
        match answer.status() {
            status if status.is_success() => {}
            // What an instance says whose settings list no `json` among its formats.
            StatusCode::FORBIDDEN => {
                return Err(WebSearchError::Settings(
                    "SearXNG refuses JSON: add `json` to search.formats in its settings.yml".to_owned(),
                ));
            }
            StatusCode::TOO_MANY_REQUESTS => return Err(WebSearchError::RateLimited),
            status => return Err(WebSearchError::Unavailable(format!("status {}", status.as_u16()))),
        }
        let body = read(answer).await?;
        let answer: Answer = serde_json::from_slice(&body)
            .map_err(|_| WebSearchError::Unavailable("its answer is not in the documented form".into()))?;
        let pages = answer.results.into_iter();
        Ok(pages
            .filter_map(|found| page(found.title, found.url, found.content, found.published))
            .take(limit.clamp(1, RESULTS))
            .collect())
    }
}

#[async_trait]
impl WebSearch for SearxngSearch {
    async fn search(&self, query: &str, limit: usize) -> Result<Vec<WebResult>, WebSearchError> {
        let late = || WebSearchError::Unavailable(format!("no answer within {} s", DEADLINE.as_secs()));
        tokio::time::timeout(DEADLINE, self.ask(query, limit)).await.map_err(|_| late())?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_search_stands_below_the_address() {
        for (address, endpoint) in [
            ("https://find.example", "https://find.example/search"),
            ("http://192.168.1.5:8080/", "http://192.168.1.5:8080/search"),
            ("https://example.org/searx/?x=1", "https://example.org/searx/search"),
        ] {
            assert_eq!(SearxngSearch::new(address).unwrap().endpoint.as_str(), endpoint);
        }
        for address in ["", "find.example", "file:///x", "mailto:a@example.org"] {
            assert!(SearxngSearch::new(address).is_err(), "{address}");
        }
    }
}
