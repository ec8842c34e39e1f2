//! Search services of science, behind one trait: Crossref, arXiv, PubMed. None needs a key.

mod arxiv;
mod crossref;
mod pubmed;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use arxiv::Arxiv;
use crossref::Crossref;
use pubmed::Pubmed;

use crate::error::{Refusal, WebError};
use crate::library::Library;
use crate::policy::Policy;

/// The largest answer of a service, in bytes.
const MAX_ANSWER_BYTES: u64 = 4 << 20;
/// The longest question, in characters.
pub const MAX_QUERY_CHARS: usize = 400;
/// The most results of a service.
pub const MAX_RESULTS: usize = 50;
/// The longest abstract that is kept, in characters.
const MAX_ABSTRACT_CHARS: usize = 3_000;
/// The most authors that are named.
const MAX_AUTHORS: usize = 20;

/// A work that a service found. Its words are data of others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// Its title.
    pub title: String,
    /// Who wrote it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
    /// The year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<u16>,
    /// The journal or series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<String>,
    /// Its DOI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// The service's own name for it: an arXiv or PubMed number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Where it can be read.
    pub url: String,
    /// Its PDF, where the service names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pdf_url: Option<String>,
    /// What it is about.
    #[serde(default, rename = "abstract", skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// A search service of science.
#[async_trait]
pub trait AcademicSearch: Send + Sync {
    /// Its name in results.
    fn name(&self) -> &'static str;

    /// The best works for a question, at most `limit`, asked through the library within the policy.
    async fn search(
        &self,
        library: &Library,
        policy: &Policy,
        query: &str,
        limit: usize,
        now_ms: i64,
    ) -> Result<Vec<Work>, WebError>;
}

/// A service's address: its own, or one that the user named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAddress {
    base: Url,
    named: bool,
}

impl ServiceAddress {
    /// The address that the user named, else the usual one.
    ///
    /// # Errors
    /// When it is none.
    pub fn new(named: Option<&str>, usual: &str) -> Result<Self, WebError> {
        let text = named.unwrap_or(usual);
        let wrong = || Refusal::Argument(format!("{text:?} is no address of a search service")).at(text);
        let base = Url::parse(text).map_err(|_| wrong())?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none() {
            return Err(wrong());
        }
        Ok(Self { base, named: named.is_some() })
    }

    /// The address of a path with parameters.
    fn with(&self, path: &str, parameters: &[(&str, &str)]) -> Url {
        let mut url = self.base.clone();
        let before = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{before}{path}"));
        url.query_pairs_mut().extend_pairs(parameters);
        url
    }

    async fn ask(
        &self,
        library: &Library,
        policy: &Policy,
        url: &Url,
        now_ms: i64,
    ) -> Result<Vec<u8>, WebError> {
        if !self.named {
            return library.ask(policy, url, MAX_ANSWER_BYTES, now_ms).await;
        }
        // Naming its address made it a machine of the user's own; whether services are asked at all stays the policy's.
        let mut policy = policy.clone();
        let address =
            format!("{}:{}", crate::pattern::host_of(url), url.port_or_known_default().unwrap_or(443));
        policy.admits_service(url).map_err(|refusal| refusal.at(address.clone()))?;
        policy.local.push(address.parse().map_err(|refusal: Refusal| refusal.at(address.clone()))?);
        library.ask(&policy, url, MAX_ANSWER_BYTES, now_ms).await
    }
}

/// A service by its name.
///
/// # Errors
/// When its address is none.
pub fn service(name: ServiceName, named: Option<&str>) -> Result<Box<dyn AcademicSearch>, WebError> {
    Ok(match name {
        ServiceName::Crossref => Box::new(Crossref::new(ServiceAddress::new(named, crossref::ADDRESS)?)),
        ServiceName::Arxiv => Box::new(Arxiv::new(ServiceAddress::new(named, arxiv::ADDRESS)?)),
        ServiceName::Pubmed => Box::new(Pubmed::new(ServiceAddress::new(named, pubmed::ADDRESS)?)),
    })
}

/// The services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServiceName {
    /// Crossref: works with a DOI.
    Crossref,
    /// arXiv: preprints of physics, mathematics, computer science.
    Arxiv,
    /// PubMed: medicine and biology.
    Pubmed,
}

impl ServiceName {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Crossref, Self::Arxiv, Self::Pubmed];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Crossref => "crossref",
            Self::Arxiv => "arxiv",
            Self::Pubmed => "pubmed",
        }
    }
}

/// Words on one line, without tags, cut.
fn plain(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    let mut in_tag = false;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '<' if rest.peek().is_some_and(|next| next.is_ascii_alphabetic() || *next == '/') => {
                in_tag = true
            }
            '>' if in_tag => {
                in_tag = false;
                out.push(' ');
            }
            _ if in_tag => {}
            _ if c.is_control() || c.is_whitespace() => out.push(' '),
            _ => out.push(c),
        }
    }
    let words = out.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}\u{2026}", words[..end].trim_end()),
        None => words,
    }
}

fn filled(text: &str, max_chars: usize) -> Option<String> {
    let text = plain(text, max_chars);
    (!text.is_empty()).then_some(text)
}

/// A year at the beginning of a date, or in it.
fn year(text: &str) -> Option<u16> {
    let digits = |piece: &str| piece.len() == 4 && piece.bytes().all(|byte| byte.is_ascii_digit());
    text.split(|c: char| !c.is_ascii_digit()).find(|piece| digits(piece))?.parse().ok()
}

/// A web address and nothing else.
fn address(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    (matches!(url.scheme(), "http" | "https") && url.username().is_empty()).then(|| url.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn words_of_services_are_one_line_without_tags() {
        assert_eq!(plain("<jats:p>A  b\n<i>c</i></jats:p> 1 < 2", 100), "A b c 1 < 2");
        assert_eq!(plain("one two three", 8), "one two\u{2026}");
        assert_eq!(
            (year("2024-05-01T00"), year("1999 Dec 3"), year("May 12")),
            (Some(2024), Some(1999), None)
        );
    }

    #[test]
    fn an_address_of_a_service_keeps_its_folder() {
        let base = ServiceAddress::new(Some("http://127.0.0.1:9/x/"), "https://usual.test").unwrap();
        assert_eq!(base.with("/works", &[("q", "a b&c")]).as_str(), "http://127.0.0.1:9/x/works?q=a+b%26c");
        for wrong in ["ftp://x", "x", ""] {
            assert!(ServiceAddress::new(Some(wrong), "https://usual.test").is_err(), "{wrong}");
        }
    }
}
