//! Crossref (`GET /works?query=…&rows=…`).

use async_trait::async_trait;
use serde::Deserialize;

use super::{
    AcademicSearch, MAX_ABSTRACT_CHARS, MAX_AUTHORS, MAX_RESULTS, ServiceAddress, Work, address, filled,
};
use crate::error::{Refusal, WebError};
use crate::library::Library;
use crate::policy::Policy;

pub(super) const ADDRESS: &str = "https://api.crossref.org";

/// Works with a DOI.
#[derive(Debug, Clone)]
pub struct Crossref(ServiceAddress);

impl Crossref {
    /// The service at this address.
    pub fn new(address: ServiceAddress) -> Self {
        Self(address)
    }
}

#[derive(Deserialize)]
struct Answer {
    message: Message,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "DOI", default)]
    doi: Option<String>,
    #[serde(default)]
    title: Vec<String>,
    #[serde(default)]
    author: Vec<Author>,
    #[serde(rename = "container-title", default)]
    journal: Vec<String>,
    #[serde(default)]
    issued: Option<Issued>,
    #[serde(rename = "URL", default)]
    url: Option<String>,
    #[serde(rename = "abstract", default)]
    summary: Option<String>,
    #[serde(default)]
    link: Vec<Link>,
}

#[derive(Deserialize)]
struct Author {
    #[serde(default)]
    given: Option<String>,
    #[serde(default)]
    family: Option<String>,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Deserialize)]
struct Issued {
    #[serde(rename = "date-parts", default)]
    parts: Vec<Vec<Option<u32>>>,
}

#[derive(Deserialize)]
struct Link {
    #[serde(rename = "URL", default)]
    url: Option<String>,
    #[serde(rename = "content-type", default)]
    media_type: Option<String>,
}

fn work(item: Item) -> Option<Work> {
    let title = filled(item.title.first()?, 500)?;
    let doi = item.doi.filter(|doi| doi.starts_with("10."));
    let url = item.url.as_deref().and_then(address);
    let url = url.or_else(|| address(&format!("https://doi.org/{}", doi.as_deref()?)))?;
    let authors = item.author.into_iter().filter_map(|author| {
        let whole = [author.given, author.family].into_iter().flatten().collect::<Vec<_>>().join(" ");
        filled(&if whole.is_empty() { author.name? } else { whole }, 200)
    });
    let pdf = item.link.into_iter().find(|link| link.media_type.as_deref() == Some("application/pdf"));
    Some(Work {
        title,
        authors: authors.take(MAX_AUTHORS).collect(),
        year: item
            .issued
            .and_then(|issued| issued.parts.first()?.first().copied().flatten())
            .and_then(|year| u16::try_from(year).ok()),
        journal: item.journal.first().and_then(|journal| filled(journal, 300)),
        doi,
        id: None,
        url,
        pdf_url: pdf.and_then(|link| address(&link.url?)),
        summary: item.summary.and_then(|summary| filled(&summary, MAX_ABSTRACT_CHARS)),
    })
}

#[async_trait]
impl AcademicSearch for Crossref {
    fn name(&self) -> &'static str {
        "crossref"
    }

    async fn search(
        &self,
        library: &Library,
        policy: &Policy,
        query: &str,
        limit: usize,
        now_ms: i64,
    ) -> Result<Vec<Work>, WebError> {
        let rows = limit.clamp(1, MAX_RESULTS).to_string();
        let url = self.0.with("/works", &[("query", query), ("rows", &rows)]);
        let bytes = self.0.ask(library, policy, &url, now_ms).await?;
        let answer: Answer = serde_json::from_slice(&bytes).map_err(|_| Refusal::Form.at("crossref"))?;
        Ok(answer.message.items.into_iter().filter_map(work).take(limit).collect())
    }
}
