//! Commands on the library of the web. Missions and conversations fetch in other processes: everything is read from its files.

use std::sync::Arc;

use ::tools::DocumentReader;
use domain::{Digest, ErrorCode, Problem};
use protocol::{WaitingHost, WebBlock, WebDecision, WebLogLine, WebPage, WebPages, WebPolicy, WebText};
use support::{blocking, now_ms};
use url::Url;
use web_library::log::LogKind;
use web_library::pages::Page;
use web_library::pattern::{SourcePattern, host_of};
use web_library::policy::{Policy, Profile};
use web_library::{Expectation, FetchRequest, Library, Refresh, Refusal, WebError};

use crate::{SourceTools, Sources};

/// The most blocks of a text that are shown.
const MAX_BLOCKS: usize = 500;
/// Lines of the log in which hosts that wait are looked for.
const MAX_LOG_LINES: usize = 2_000;
/// The reason of a refusal that a decision ends.
const NEEDS_APPROVAL: &str = "needs_approval";

impl SourceTools {
    fn web(&self) -> Library {
        let reader = DocumentReader::new(vec![self.inner.program.clone().into()]);
        Library::in_workspace(&self.inner.home, &self.inner.workspace, Arc::new(reader))
    }

    /// Hosts that were refused since then because nobody has decided about them. Without a library that can be read, none.
    pub(crate) async fn waiting_since(&self, since: i64) -> Vec<String> {
        let library = self.web();
        let policy = blocking(move || Ok(policy(&library)?)).await;
        let waiting = policy.map(|policy| policy.waiting).unwrap_or_default();
        waiting.into_iter().filter(|host| host.at >= since).map(|host| host.host).collect()
    }
}

impl Sources {
    fn web(&self) -> Library {
        self.tools.web()
    }

    /// What was fetched from the web, the newest first.
    pub async fn web_list(&self, words: String, limit: u32) -> Result<WebPages, Problem> {
        let library = self.web();
        blocking(move || {
            let (pages, total) = library.find(&words, limit as usize)?;
            Ok(WebPages { pages: pages.iter().map(row).collect(), total: total as u32 })
        })
        .await
    }

    /// The text of an address that was fetched, or of the bytes with a SHA-256, which may be an earlier version of a page. Of a
    /// long text it is the part that holds a block.
    pub async fn web_show(&self, place: &str, block: Option<u32>) -> Result<WebText, Problem> {
        let library = self.web();
        let asked = place.parse::<Digest>().ok();
        let page = match &asked {
            Some(object) => library.pages_of(object)?.into_iter().next(),
            None => library.page(place)?,
        };
        let page = page.ok_or_else(|| Refusal::Absent.at(place))?;
        let object = asked.unwrap_or(page.object);
        let is_newest = page.object == object;
        let text = match &page.unreadable {
            Some(_) if is_newest => None,
            Some(_) | None => Some(library.text(object, Some(&page)).await?),
        };
        let blocks = text.map(|text| text.blocks).unwrap_or_default();
        let at = blocks.iter().position(|one| Some(one.number) == block).unwrap_or(0);
        let from = if at < MAX_BLOCKS { 0 } else { at - MAX_BLOCKS / 10 };
        let shown = row(&page);
        let earlier = page.earlier.iter().find(|one| one.object == object).filter(|_| !is_newest);
        Ok(WebText {
            page: match earlier {
                Some(earlier) => WebPage {
                    retrieved: web_library::day::day(earlier.retrieved_ms),
                    sha256: object.to_string(),
                    pages: None,
                    unreadable: None,
                    ..shown
                },
                None => shown,
            },
            earlier: !is_newest,
            left: (blocks.len() - blocks.len().saturating_sub(from).min(MAX_BLOCKS)) as u32,
            blocks: blocks
                .into_iter()
                .skip(from)
                .take(MAX_BLOCKS)
                .map(|block| WebBlock { number: block.number, page: block.page, text: block.text })
                .collect(),
        })
    }

    /// Fetches an address again; what has not changed costs one short request.
    pub async fn web_refresh(&self, url: &str) -> Result<WebPage, Problem> {
        let library = self.web();
        let policy = Policy::from(library.settings()?);
        let wish = FetchRequest {
            url: url.to_owned(),
            max_age_days: None,
            refresh: Refresh::Always,
            expected: Expectation::Any,
        };
        let visit = library.fetch(&policy, &wish, now_ms()).await?;
        Ok(row(&visit.page))
    }

    /// Forgets an address.
    pub async fn web_forget(&self, url: &str) -> Result<(), Problem> {
        if self.web().forget(url, now_ms())? {
            return Ok(());
        }
        Err(Refusal::Absent.at(url).into())
    }

    /// From where may be fetched, and which hosts wait for a decision.
    pub async fn web_policy(&self) -> Result<WebPolicy, Problem> {
        let library = self.web();
        blocking(move || Ok(policy(&library)?)).await
    }

    /// Changes how careful fetching is.
    pub async fn web_profile_set(&self, profile: Profile) -> Result<WebPolicy, Problem> {
        let library = self.web();
        blocking(move || {
            library.choose(profile)?;
            Ok(policy(&library)?)
        })
        .await
    }

    /// Decides about hosts: all of them, or none where one is no host.
    pub async fn web_decide(&self, decided: WebDecision) -> Result<WebPolicy, Problem> {
        let library = self.web();
        blocking(move || {
            let parse = |text: &String| {
                text.parse::<SourcePattern>()
                    .map_err(|error| Problem::new(ErrorCode::InvalidInput, error.to_string()))
            };
            let sources: Vec<SourcePattern> = decided.sources.iter().map(parse).collect::<Result<_, _>>()?;
            for source in &sources {
                library.decide(source, decided.decision, now_ms())?;
            }
            Ok(policy(&library)?)
        })
        .await
    }

    /// Fetches, refusals and decisions, the newest first.
    pub async fn web_log(&self, limit: u32) -> Result<Vec<WebLogLine>, Problem> {
        let library = self.web();
        blocking(move || {
            let lines = library.log().tail(limit as usize).map_err(|refusal| refusal.at("log.jsonl"))?;
            let line = |line: web_library::log::LogLine| WebLogLine {
                at: line.at_ms,
                kind: line.kind,
                place: line.place,
                code: line.code,
                why: line.why,
            };
            Ok(lines.into_iter().rev().map(line).collect())
        })
        .await
    }
}

fn row(page: &Page) -> WebPage {
    WebPage {
        url: page.url.clone(),
        final_url: page.final_url.clone(),
        title: page.title.clone(),
        kind: page.kind.words().to_owned(),
        bytes: page.bytes,
        pages: page.pages,
        retrieved: page.retrieved(),
        checked: web_library::day::day(page.checked_ms),
        sha256: page.object.to_string(),
        unreadable: page.unreadable.clone(),
    }
}

fn policy(library: &Library) -> Result<WebPolicy, WebError> {
    let settings = library.settings()?;
    let lines = library.log().tail(MAX_LOG_LINES).map_err(|refusal| refusal.at("log.jsonl"))?;
    let mut waiting: Vec<WaitingHost> = Vec::new();
    for line in lines.into_iter().rev() {
        if line.kind != LogKind::Refused || line.code.as_deref() != Some(NEEDS_APPROVAL) {
            continue;
        }
        let Ok(url) = Url::parse(&line.place) else { continue };
        if settings.allow.iter().chain(&settings.block).any(|pattern| pattern.has(&url)) {
            continue;
        }
        let host = host_of(&url);
        match waiting.iter_mut().find(|known| known.host == host) {
            Some(known) => known.times += 1,
            None => waiting.push(WaitingHost { host, times: 1, url: line.place, at: line.at_ms }),
        }
    }
    let texts = |patterns: &[SourcePattern]| patterns.iter().map(ToString::to_string).collect();
    Ok(WebPolicy {
        profile: settings.profile.unwrap_or_default(),
        allow: texts(&settings.allow),
        block: texts(&settings.block),
        only: texts(&settings.only),
        waiting,
    })
}
