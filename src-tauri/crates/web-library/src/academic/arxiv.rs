//! arXiv (`GET /api/query?search_query=…`), whose answers are Atom.

use async_trait::async_trait;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{
    AcademicSearch, MAX_ABSTRACT_CHARS, MAX_AUTHORS, MAX_RESULTS, ServiceAddress, Work, address, filled, year,
};
use crate::error::{Refusal, WebError};
use crate::library::Library;
use crate::policy::Policy;

pub(super) const ADDRESS: &str = "https://export.arxiv.org";
/// The most words of a question that are looked for together.
const MAX_WORDS: usize = 20;

/// Preprints of physics, mathematics and computer science.
#[derive(Debug, Clone)]
pub struct Arxiv(ServiceAddress);

impl Arxiv {
    /// The service at this address.
    pub fn new(address: ServiceAddress) -> Self {
        Self(address)
    }
}

/// Every word anywhere in the record.
fn question(query: &str) -> String {
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(MAX_WORDS);
    words.map(|word| format!("all:{word}")).collect::<Vec<_>>().join(" AND ")
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok().flatten()?;
    let text = attribute.value.into_owned();
    Some(quick_xml::escape::unescape(&text).map(std::borrow::Cow::into_owned).unwrap_or(text))
}

/// The entries of a feed.
fn works(text: &str) -> Result<Vec<Work>, Refusal> {
    let mut reader = Reader::from_str(text);
    let mut found = Vec::new();
    let mut work: Option<Work> = None;
    let mut path: Vec<String> = Vec::new();
    let mut words = String::new();
    let mut is_feed = false;
    loop {
        match reader.read_event().map_err(|_| Refusal::Form)? {
            Event::Start(element) => {
                let name = element.local_name().as_ref().to_owned();
                is_feed |= path.is_empty() && name == "feed";
                if name == "entry" {
                    work = Some(Work::default());
                }
                link(&element, work.as_mut());
                path.push(name);
                words.clear();
            }
            Event::Empty(element) => link(&element, work.as_mut()),
            Event::Text(piece) => words.push_str(&piece),
            Event::CData(piece) => words.push_str(&piece),
            Event::GeneralRef(reference) => {
                let reference = format!("&{};", &*reference);
                words.push_str(&quick_xml::escape::unescape(&reference).unwrap_or_default());
            }
            Event::End(_) => {
                let name = path.pop().unwrap_or_default();
                if name == "entry" {
                    found.extend(work.take().filter(|work| !work.title.is_empty() && !work.url.is_empty()));
                } else if let Some(work) = &mut work {
                    let parent = path.last().map(String::as_str).unwrap_or_default();
                    fill(work, parent, &name, &words);
                }
                words.clear();
            }
            Event::Eof => break,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    if is_feed { Ok(found) } else { Err(Refusal::Form) }
}

fn link(element: &BytesStart<'_>, work: Option<&mut Work>) {
    let Some(work) = work.filter(|_| element.local_name().as_ref() == "link") else { return };
    if attribute(element, "title").as_deref() == Some("pdf") {
        work.pdf_url = attribute(element, "href").and_then(|href| address(&href));
    }
}

fn fill(work: &mut Work, parent: &str, name: &str, words: &str) {
    match (parent, name) {
        ("entry", "title") => work.title = filled(words, 500).unwrap_or_default(),
        ("entry", "id") => {
            work.url = address(words).unwrap_or_default();
            work.id = words.rsplit_once("/abs/").map(|(_, id)| id.trim().to_owned());
        }
        ("entry", "summary") => work.summary = filled(words, MAX_ABSTRACT_CHARS),
        ("entry", "published") => work.year = year(words),
        ("entry", "doi") => work.doi = filled(words, 200).filter(|doi| doi.starts_with("10.")),
        ("entry", "journal_ref") => work.journal = filled(words, 300),
        ("author", "name") if work.authors.len() < MAX_AUTHORS => work.authors.extend(filled(words, 200)),
        _ => {}
    }
}

#[async_trait]
impl AcademicSearch for Arxiv {
    fn name(&self) -> &'static str {
        "arxiv"
    }

    async fn search(
        &self,
        library: &Library,
        policy: &Policy,
        query: &str,
        limit: usize,
        now_ms: i64,
    ) -> Result<Vec<Work>, WebError> {
        let most = limit.clamp(1, MAX_RESULTS).to_string();
        let url = self.0.with(
            "/api/query",
            &[
                ("search_query", &question(query)),
                ("start", "0"),
                ("max_results", &most),
                ("sortBy", "relevance"),
            ],
        );
        let bytes = self.0.ask(library, policy, &url, now_ms).await?;
        let text = String::from_utf8_lossy(&bytes);
        let mut works = works(&text).map_err(|refusal| refusal.at("arxiv"))?;
        works.truncate(limit);
        Ok(works)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn a_question_looks_for_each_word() {
        assert_eq!(question("deep \"learning\" (x)"), "all:deep AND all:learning AND all:x");
    }

    #[test]
    fn what_is_no_feed_is_refused() {
        for text in ["", "<html></html>", "<feed><entry>", "words"] {
            let read = works(text);
            assert!(read.is_err() || read.unwrap().is_empty(), "{text}");
        }
    }
}
