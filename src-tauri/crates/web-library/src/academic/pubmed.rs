//! PubMed by the E-utilities of the NCBI: `esearch` for the numbers, `esummary` for what they are.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;

use super::{AcademicSearch, MAX_AUTHORS, MAX_RESULTS, ServiceAddress, Work, filled, year};
use crate::error::{Refusal, WebError};
use crate::library::Library;
use crate::policy::Policy;

pub(super) const ADDRESS: &str = "https://eutils.ncbi.nlm.nih.gov";
const FOLDER: &str = "/entrez/eutils";

/// Medicine and biology.
#[derive(Debug, Clone)]
pub struct Pubmed(ServiceAddress);

impl Pubmed {
    /// The service at this address.
    pub fn new(address: ServiceAddress) -> Self {
        Self(address)
    }
}

#[derive(Deserialize)]
struct Numbers {
    esearchresult: NumberList,
}

#[derive(Deserialize)]
struct NumberList {
    #[serde(default)]
    idlist: Vec<String>,
}

#[derive(Deserialize)]
struct Summaries {
    result: serde_json::Map<String, Value>,
}

#[derive(Deserialize)]
struct Summary {
    #[serde(default)]
    title: String,
    #[serde(default)]
    authors: Vec<Author>,
    #[serde(default)]
    fulljournalname: String,
    #[serde(default)]
    pubdate: String,
    #[serde(default)]
    articleids: Vec<ArticleId>,
}

#[derive(Deserialize)]
struct Author {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct ArticleId {
    #[serde(default)]
    idtype: String,
    #[serde(default)]
    value: String,
}

fn work(number: &str, summary: Summary) -> Option<Work> {
    let doi = summary.articleids.iter().find(|id| id.idtype == "doi" && id.value.starts_with("10."));
    Some(Work {
        title: filled(&summary.title, 500)?,
        authors: summary
            .authors
            .iter()
            .filter_map(|author| filled(&author.name, 200))
            .take(MAX_AUTHORS)
            .collect(),
        year: year(&summary.pubdate),
        journal: filled(&summary.fulljournalname, 300),
        doi: doi.map(|id| id.value.clone()),
        id: Some(number.to_owned()),
        url: format!("https://pubmed.ncbi.nlm.nih.gov/{number}/"),
        pdf_url: None,
        summary: None,
    })
}

#[async_trait]
impl AcademicSearch for Pubmed {
    fn name(&self) -> &'static str {
        "pubmed"
    }

    async fn search(
        &self,
        library: &Library,
        policy: &Policy,
        query: &str,
        limit: usize,
        now_ms: i64,
    ) -> Result<Vec<Work>, WebError> {
        let form = || Refusal::Form.at("pubmed");
        let most = limit.clamp(1, MAX_RESULTS).to_string();
        let parameters = [
            ("db", "pubmed"),
            ("retmode", "json"),
            ("sort", "relevance"),
            ("term", query),
            ("retmax", &most),
        ];
        let url = self.0.with(&format!("{FOLDER}/esearch.fcgi"), &parameters);
        let bytes = self.0.ask(library, policy, &url, now_ms).await?;
        let numbers: Numbers = serde_json::from_slice(&bytes).map_err(|_| form())?;
        let is_number =
            |number: &String| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let numbers: Vec<String> =
            numbers.esearchresult.idlist.into_iter().filter(is_number).take(limit).collect();
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let parameters = [("db", "pubmed"), ("retmode", "json"), ("id", &numbers.join(","))];
        let url = self.0.with(&format!("{FOLDER}/esummary.fcgi"), &parameters);
        let bytes = self.0.ask(library, policy, &url, now_ms).await?;
        let mut summaries: Summaries = serde_json::from_slice(&bytes).map_err(|_| form())?;
        let works = numbers.iter().filter_map(|number| {
            let summary = serde_json::from_value(summaries.result.remove(number)?).ok()?;
            work(number, summary)
        });
        Ok(works.collect())
    }
}
