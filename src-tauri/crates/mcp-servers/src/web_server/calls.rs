//! What the tools do.

use std::sync::Arc;

use domain::Digest;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;
use web_library::academic::{AcademicSearch, MAX_QUERY_CHARS, MAX_RESULTS, Work};
use web_library::log::{LogKind, LogLine};
use web_library::pages::Page;
use web_library::policy::Policy;
use web_library::searches::SearchRecord;
use web_library::text::Text;
use web_library::{Expectation, FetchRequest, Freshness, Library, Refresh, Refusal, WebError};

use super::params::{
    AcademicParams, ExtractParams, FetchParams, LibraryParams, PageParams, SearchParams, VerifyParams,
};
use super::results::{
    ApprovalOut, BlockOut, FetchOut, HitOut, HitsOut, LinkOut, OriginOut, PlaceOut, RefusalOut, ResultOut,
    ResultsOut, ServiceOut, SourceOut, VerifyOut, WorkOut, WorksOut,
};
use super::{Operation, Shared};
use crate::web::{WebResult, WebSearchError};

const WEB_RESULTS: usize = 10;
const MAX_WEB_RESULTS: usize = 20;
const WORKS: usize = 10;
const HITS: usize = 10;
const MAX_HITS: usize = 100;
const TEXT_CHARS: usize = 40_000;
const MAX_TEXT_CHARS: usize = 200_000;
/// The most characters of a block that a search shows.
const MAX_HIT_CHARS: usize = 1_500;
/// The most links that are given.
const MAX_LINKS: usize = 200;
/// The most places of a quote that are named.
const MAX_PLACES: usize = 20;
const SEARCH_AGE_DAYS: u32 = 1;
const WORKS_AGE_DAYS: u32 = 7;

/// A result as a client gets it.
pub(super) enum Output {
    /// What was asked for, or that a host needs approval.
    Done(Value),
    /// A refusal.
    Refused(Value),
}

/// Carries a call out.
pub(super) async fn call(shared: &Arc<Shared>, operation: Operation, arguments: Value) -> Output {
    let place = operation.name();
    match operation {
        Operation::Search => output(web_search(shared, arguments).await, place, |refusal| ResultsOut {
            refusal: Some(refusal),
            ..ResultsOut::default()
        }),
        Operation::Fetch => fetched(fetch(shared, arguments, Expectation::Any).await, place),
        Operation::FetchPdf => fetched(fetch(shared, arguments, Expectation::Pdf).await, place),
        Operation::Page => fetched(page(shared, arguments).await, place),
        Operation::Library => output(library_search(shared, arguments).await, place, |refusal| HitsOut {
            refusal: Some(refusal),
            ..HitsOut::default()
        }),
        Operation::Verify => output(verify(shared, arguments).await, place, |refusal| VerifyOut {
            refusal: Some(refusal),
            ..VerifyOut::default()
        }),
        Operation::Academic => output(academic_search(shared, arguments).await, place, |refusal| WorksOut {
            refusal: Some(refusal),
            ..WorksOut::default()
        }),
    }
}

/// Why a tool has no result: the web, its arguments, or the search service.
enum Failure {
    Web(WebError),
    Arguments(String),
    Service(WebSearchError),
    NoKey,
}

impl From<WebError> for Failure {
    fn from(error: WebError) -> Self {
        Self::Web(error)
    }
}

impl Failure {
    fn refusal(&self, place: &str) -> RefusalOut {
        let out = |code: &str, message: String, remedy: &str| RefusalOut {
            code: code.to_owned(),
            place: place.to_owned(),
            message,
            remedy: remedy.to_owned(),
            retryable: false,
        };
        match self {
            Self::Web(error) => error.into(),
            Self::Arguments(what) => out("argument", what.clone(), "correct the arguments"),
            Self::Service(error) => RefusalOut {
                retryable: matches!(error, WebSearchError::RateLimited | WebSearchError::Unavailable(_)),
                ..out(error.as_str(), error.to_string(), "go on without the web search, or tell the user")
            },
            Self::NoKey => out(
                "no_key",
                "no web search is set up".to_owned(),
                "give a key of Brave Search or the address of a SearXNG instance under Settings > Credentials; \
                 addresses that are known can be fetched without it",
            ),
        }
    }
}

fn output<T: Serialize>(
    result: Result<T, Failure>,
    place: &str,
    none: impl FnOnce(RefusalOut) -> T,
) -> Output {
    match result {
        Ok(value) => Output::Done(json_of(&value)),
        Err(failure) => Output::Refused(json_of(&none(failure.refusal(place)))),
    }
}

fn fetched(result: Result<FetchOut, Failure>, place: &str) -> Output {
    let approval = match &result {
        Err(Failure::Web(error)) => ApprovalOut::from_error(error),
        Ok(_) | Err(Failure::Arguments(_) | Failure::Service(_) | Failure::NoKey) => None,
    };
    let waits = approval.is_some();
    let out = output(result, place, |refusal| FetchOut {
        needs_approval: approval,
        refusal: Some(refusal),
        ..FetchOut::default()
    });
    match out {
        // That it waits for the user is an answer, which a caller acts on.
        Output::Refused(value) if waits => Output::Done(value),
        other => other,
    }
}

fn json_of(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn parsed<T: DeserializeOwned>(arguments: Value) -> Result<T, Failure> {
    serde_json::from_value(arguments).map_err(|error| Failure::Arguments(error.to_string()))
}

fn question(query: &str) -> Result<String, Failure> {
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ");
    if query.is_empty() || query.chars().count() > MAX_QUERY_CHARS {
        return Err(Failure::Arguments(format!("query: between 1 and {MAX_QUERY_CHARS} characters")));
    }
    Ok(query)
}

/// Runs what reads files on a thread of its own.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WebError> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    let ended = |error: tokio::task::JoinError| Refusal::NoAnswer { what: error.to_string() }.at("library");
    Ok(done.unwrap_or_else(|error| Err(ended(error)))?)
}

async fn fetch(shared: &Shared, arguments: Value, expected: Expectation) -> Result<FetchOut, Failure> {
    let FetchParams { url, max_age_days, refresh, extract } = parsed(arguments)?;
    let policy = shared.library.policy(shared.settings.clone(), &url, (shared.now)())?;
    let refresh = if refresh { Refresh::Always } else { Refresh::WhenOld };
    let wish = FetchRequest { url, max_age_days, refresh, expected };
    let visit = shared.library.fetch(&policy, &wish, (shared.now)()).await?;
    let mut out = FetchOut {
        cached: Some(matches!(visit.freshness, Freshness::Cached | Freshness::Outdated)),
        freshness: Some(visit.freshness),
        note: note(visit.freshness, &visit.page),
        ..FetchOut::default()
    };
    if let Some(text) = &visit.text {
        fill(&mut out, text, &extract, Url::parse(&visit.page.final_url).ok().as_ref());
    }
    out.source = Some((&visit.page).into());
    Ok(out)
}

fn note(freshness: Freshness, page: &Page) -> Option<String> {
    let day = page.retrieved();
    match freshness {
        Freshness::Fetched => None,
        Freshness::Confirmed => Some(format!("unchanged since it was read on {day}")),
        Freshness::Cached => Some(format!("read on {day}; pass refresh: true to fetch again")),
        Freshness::Outdated => Some(format!("the site does not answer; this was read on {day}")),
    }
}

/// The blocks that were asked for, within the bound.
fn fill(out: &mut FetchOut, text: &Text, extract: &ExtractParams, base: Option<&Url>) {
    let mut room = extract.max_chars.unwrap_or(TEXT_CHARS).clamp(1, MAX_TEXT_CHARS);
    let first = extract.from_block.unwrap_or(1);
    let pages = extract.from_page.unwrap_or(0)..=extract.to_page.unwrap_or(u32::MAX);
    let every = extract.from_page.is_none() && extract.to_page.is_none();
    let fits = |page: Option<u32>| every || page.is_some_and(|page| pages.contains(&page));
    let blocks = text.blocks.iter().filter(|block| block.number >= first && fits(block.page));
    out.total_blocks = Some(text.blocks.len());
    for block in blocks {
        if room == 0 || (!out.blocks.is_empty() && block.text.chars().count() > room) {
            out.next_block = Some(block.number);
            break;
        }
        let shown = BlockOut::new(block, room);
        room -= shown.text.chars().count().min(room);
        out.blocks.push(shown);
        for (words, target) in &block.links {
            let url = base.and_then(|base| base.join(target).ok()).or_else(|| Url::parse(target).ok());
            let Some(url) = url.filter(|url| matches!(url.scheme(), "http" | "https")) else { continue };
            let is_new = !out.links.iter().any(|link| link.url == url.as_str());
            if is_new && out.links.len() < MAX_LINKS {
                out.links.push(LinkOut { text: words.clone(), url: url.into() });
            }
        }
    }
}

async fn page(shared: &Arc<Shared>, arguments: Value) -> Result<FetchOut, Failure> {
    let PageParams { object, url, extract } = parsed(arguments)?;
    let policy = shared.policy()?;
    let (object, page) = match (object, url) {
        (Some(object), None) => {
            let pages = pages_of(shared, object).await?;
            let page = pages.iter().find(|page| admitted(&policy, page).is_ok()).or(pages.first());
            if let Some(page) = page {
                admitted(&policy, page)?;
            }
            (object, page.cloned())
        }
        (None, Some(url)) => {
            let library = Arc::clone(shared);
            let asked = url.clone();
            let page = blocking(move || library.library.page(&asked)).await?;
            let page = page.ok_or_else(|| Refusal::Absent.at(url.chars().take(500).collect::<String>()))?;
            admitted(&policy, &page)?;
            (page.object, Some(page))
        }
        _ => return Err(Failure::Arguments("give an object or a url".into())),
    };
    let text = shared.library.text(object, page.as_ref()).await?;
    let mut out = FetchOut { cached: Some(true), freshness: Some(Freshness::Cached), ..FetchOut::default() };
    if let Some(page) = &page {
        out.note = note(Freshness::Cached, page);
        // An earlier version of the page is asked for by its own object.
        let mut source = SourceOut::from(page);
        if page.object != object {
            source.object = object;
            let earlier = page.earlier.iter().find(|earlier| earlier.object == object);
            source.retrieved =
                earlier.map_or(source.retrieved, |earlier| web_library::day::day(earlier.retrieved_ms));
            out.note = Some(format!("an earlier version, read on {}", source.retrieved));
        }
        out.source = Some(source);
    }
    let base = page.and_then(|page| Url::parse(&page.final_url).ok());
    fill(&mut out, &text, &extract, base.as_ref());
    Ok(out)
}

async fn pages_of(shared: &Arc<Shared>, object: Digest) -> Result<Vec<Page>, Failure> {
    let library = Arc::clone(shared);
    blocking(move || library.library.pages_of(&object)).await
}

/// Whether a stored page is given.
fn admitted(policy: &Policy, page: &Page) -> Result<(), WebError> {
    Library::admits(policy, page).map_err(|refusal| refusal.at(page.url.clone()))
}

async fn library_search(shared: &Arc<Shared>, arguments: Value) -> Result<HitsOut, Failure> {
    let LibraryParams { query, limit } = parsed(arguments)?;
    let query = question(&query)?;
    let limit = limit.unwrap_or(HITS).clamp(1, MAX_HITS);
    let policy = shared.policy()?;
    let library = Arc::clone(shared);
    let found = blocking(move || library.library.search(&policy, &query, limit)).await?;
    let hits = found.into_iter().map(|found| HitOut {
        object: found.page.object,
        retrieved: found.page.retrieved(),
        url: found.page.url,
        title: found.page.title,
        block: BlockOut::new(&found.block, MAX_HIT_CHARS),
        score: found.score,
    });
    Ok(HitsOut { hits: hits.collect(), refusal: None })
}

async fn verify(shared: &Arc<Shared>, arguments: Value) -> Result<VerifyOut, Failure> {
    let VerifyParams { object, quote, block } = parsed(arguments)?;
    let check = shared.library.verify(object, &quote, block).await?;
    let sources = check.pages.into_iter().map(|page| {
        let earlier = page.earlier.iter().find(|earlier| earlier.object == object);
        let at = earlier.map_or(page.retrieved_ms, |earlier| earlier.retrieved_ms);
        OriginOut { retrieved: web_library::day::day(at), url: page.url }
    });
    Ok(VerifyOut {
        found: !check.places.is_empty(),
        places: check
            .places
            .into_iter()
            .take(MAX_PLACES)
            .map(|place| PlaceOut {
                block: place.block,
                paragraph: format!("block {}", place.block),
                page: place.page,
                range: place.range,
            })
            .collect(),
        sources: sources.collect(),
        refusal: None,
    })
}

async fn web_search(shared: &Arc<Shared>, arguments: Value) -> Result<ResultsOut, Failure> {
    const SERVICE: &str = "web_search";
    let SearchParams { query, limit, max_age_days, refresh } = parsed(arguments)?;
    let query = question(&query)?;
    let limit = limit.unwrap_or(WEB_RESULTS).clamp(1, MAX_WEB_RESULTS);
    let policy = shared.policy()?;
    let now_ms = (shared.now)();
    let at = |refusal: Refusal| refusal.at("web_search");
    let age = max_age_days.unwrap_or(SEARCH_AGE_DAYS);
    let stored = if refresh {
        None
    } else {
        shared.library.searches().fresh(SERVICE, &query, limit, age, now_ms).map_err(at)?
    };
    let cached = stored.is_some();
    let record = match stored {
        Some(record) => record,
        None => {
            let service = shared.web.as_ref().ok_or(Failure::NoKey)?;
            let mut line = LogLine::new(now_ms, LogKind::Searched, &query);
            line.profile = Some(policy.profile);
            let found = service.search(&query, limit).await;
            line.code = found.as_ref().err().map(|error| error.as_str().to_owned());
            shared.library.log().add(&line).map_err(at)?;
            let results = found.map_err(Failure::Service)?;
            let results = results.iter().take(limit).map(json_of).collect();
            let record =
                SearchRecord { service: SERVICE.to_owned(), query, limit, retrieved_ms: now_ms, results };
            shared.library.searches().write(&record).map_err(at)?;
            record
        }
    };
    let mut out = ResultsOut { cached, retrieved: Some(record.retrieved()), ..ResultsOut::default() };
    for result in record.results {
        let Ok(result) = serde_json::from_value::<WebResult>(result) else { continue };
        let admitted = Url::parse(&result.url).is_ok_and(|url| policy.admits_source(&url).is_ok());
        if admitted {
            let page = shared.library.page(&result.url).ok().flatten();
            out.results.push(ResultOut { result, in_library: page.map(|page| page.retrieved()) });
        } else {
            out.left_out += 1;
        }
    }
    Ok(out)
}

async fn academic_search(shared: &Arc<Shared>, arguments: Value) -> Result<WorksOut, Failure> {
    let AcademicParams { query, services, limit, max_age_days, refresh } = parsed(arguments)?;
    let query = question(&query)?;
    let limit = limit.unwrap_or(WORKS).clamp(1, MAX_RESULTS);
    let policy = shared.policy()?;
    let now_ms = (shared.now)();
    let age = (!refresh).then(|| max_age_days.unwrap_or(WORKS_AGE_DAYS));
    let mut out = WorksOut::default();
    let mut failure = None;
    for service in &shared.services {
        if !services.is_empty() && !services.iter().any(|name| name.as_str() == service.name()) {
            continue;
        }
        let name = service.name().to_owned();
        match works(shared, service.as_ref(), &policy, &query, limit, age, now_ms).await {
            Ok((record, cached)) => {
                out.services.push(ServiceOut {
                    name: name.clone(),
                    cached,
                    retrieved: Some(record.retrieved()),
                    refusal: None,
                });
                for work in record.results {
                    let Ok(work) = serde_json::from_value::<Work>(work) else { continue };
                    let admitted = Url::parse(&work.url).is_ok_and(|url| policy.admits_source(&url).is_ok());
                    if admitted {
                        out.results.push(WorkOut { service: name.clone(), work });
                    } else {
                        out.left_out += 1;
                    }
                }
            }
            Err(error) => {
                let refusal = Some(RefusalOut::from(&error));
                out.services.push(ServiceOut { name, cached: false, retrieved: None, refusal });
                failure.get_or_insert(error);
            }
        }
    }
    // Some answers are answers; without any, the first reason stands for all.
    match failure {
        Some(error) if out.services.iter().all(|service| service.refusal.is_some()) => Err(error.into()),
        _ => Ok(out),
    }
}

async fn works(
    shared: &Shared,
    service: &dyn AcademicSearch,
    policy: &Policy,
    query: &str,
    limit: usize,
    max_age_days: Option<u32>,
    now_ms: i64,
) -> Result<(SearchRecord, bool), WebError> {
    let at = |refusal: Refusal| refusal.at(service.name());
    let searches = shared.library.searches();
    if let Some(age) = max_age_days
        && let Some(record) = searches.fresh(service.name(), query, limit, age, now_ms).map_err(at)?
    {
        return Ok((record, true));
    }
    let found = service.search(&shared.library, policy, query, limit, now_ms).await?;
    let record = SearchRecord {
        service: service.name().to_owned(),
        query: query.to_owned(),
        limit,
        retrieved_ms: now_ms,
        results: found.iter().map(json_of).collect(),
    };
    searches.write(&record).map_err(at)?;
    Ok((record, false))
}
