//! The library: what was fetched, and fetching it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use documents::worker::Reader;
use domain::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::crawl::Crawl;
use crate::day::DAY_MS;
use crate::error::{Refusal, WebError};
use crate::fetch::{Answer, Condition, Fetch, FetchedObject, Purpose, follow, small};
use crate::files;
use crate::kind::Kind;
use crate::log::{Log, LogKind, LogLine, shown};
use crate::objects::Objects;
use crate::pages::{Page, Pages, normal};
use crate::pattern::{SourcePattern, host_of};
use crate::policy::{Policy, Profile, Settings};
use crate::quote::{QuotePlace, places};
use crate::search;
use crate::searches::Searches;
use crate::text::{self, Text, TextBlock};

/// The most text that one search reads, in bytes of stored files.
const MAX_SEARCH_BYTES: u64 = 512 << 20;
/// The code of what has no text.
const UNREADABLE: &str = "unreadable";
/// What was never finished is removed after this long.
const UNFINISHED_AGE: Duration = Duration::from_secs(24 * 3_600);

/// What was fetched, by any process of this machine.
#[derive(Debug)]
pub struct Library {
    root: PathBuf,
    objects: Objects,
    pages: Pages,
    searches: Searches,
    log: Log,
    crawl: Crawl,
    reader: Arc<Reader>,
}

/// What to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    /// The address as it was written.
    pub url: String,
    /// How old a stored version may be; as the policy has it where nothing is said.
    pub max_age_days: Option<u32>,
    /// Whether the server is asked in any case.
    pub refresh: Refresh,
    /// What it has to be.
    pub expected: Expectation,
}

/// Whether the server is asked in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
    /// Only where the library has nothing fresh.
    WhenOld,
    /// In any case.
    Always,
}

/// What a file has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expectation {
    /// Anything with text.
    Any,
    /// A PDF.
    Pdf,
}

/// How fresh a page is that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// It came just now.
    Fetched,
    /// The server said just now that it is the newest.
    Confirmed,
    /// It was read from the library; nothing was requested.
    Cached,
    /// It was read from the library, older than asked for, since the server did not answer.
    Outdated,
}

/// A page that was read.
#[derive(Debug, Clone)]
pub struct Visit {
    /// What is known of the address.
    pub page: Page,
    /// Its text, where it has one.
    pub text: Option<Text>,
    /// How fresh it is.
    pub freshness: Freshness,
}

/// A block that a search found.
#[derive(Debug, Clone)]
pub struct FoundBlock {
    /// Where it was fetched from.
    pub page: Page,
    /// The block.
    pub block: TextBlock,
    /// How well it fits.
    pub score: f64,
}

/// What a check of a quote found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuoteCheck {
    /// Where it stands; nowhere if it was changed or made up.
    pub places: Vec<QuotePlace>,
    /// The addresses from which the object came, the newest first.
    pub pages: Vec<Page>,
}

/// What was cleaned up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Cleaned {
    /// Records of addresses that were removed.
    pub pages: usize,
    /// Objects that were removed.
    pub objects: usize,
    /// Bytes that this freed.
    pub bytes: u64,
    /// Files that were never finished.
    pub unfinished: usize,
}

impl Library {
    /// The library of the default workspace, whose documents are read by `reader`. Nothing is read or made before it is used.
    pub fn new(home: &Path, reader: Arc<Reader>) -> Self {
        Self::in_workspace(home, "", reader)
    }

    /// That of a workspace, by its slug: what one fetched and decided is in no other one's.
    pub fn in_workspace(home: &Path, workspace: &str, reader: Arc<Reader>) -> Self {
        let mut root = home.join("library");
        if !matches!(workspace, "" | "default") {
            root.extend(["workspaces", workspace]);
        }
        Self {
            objects: Objects::new(root.join("objects")),
            pages: Pages::new(root.join("pages")),
            searches: Searches::new(root.join("searches")),
            log: Log::new(root.join("log.jsonl")),
            crawl: Crawl::new(root.join("robots")),
            reader,
            root,
        }
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The objects.
    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    /// The questions that were asked.
    pub fn searches(&self) -> &Searches {
        &self.searches
    }

    /// The log.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// The settings.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn settings(&self) -> Result<Settings, WebError> {
        Settings::read(&self.root).map_err(|refusal| refusal.at("policy.json"))
    }

    /// Reads an address: from the library where it has it and it is fresh, else from the web within the policy. `now_ms` is
    /// the time in milliseconds since 1970.
    ///
    /// # Errors
    /// What is in the way. It stands in the log.
    pub async fn fetch(&self, policy: &Policy, wish: &FetchRequest, now_ms: i64) -> Result<Visit, WebError> {
        let mut given_up = LogLine::refused(&wish.url, &Refusal::GivenUp, now_ms);
        given_up.profile = Some(policy.profile);
        let pending = self.log.pending(given_up);
        let visited = self.visit(policy, wish, now_ms).await;
        pending.ended();
        let mut line = match &visited {
            Ok(visit) => {
                let kind = match visit.freshness {
                    Freshness::Fetched => LogKind::Fetched,
                    Freshness::Confirmed => LogKind::Confirmed,
                    Freshness::Cached => LogKind::Cached,
                    Freshness::Outdated => LogKind::Outdated,
                };
                let line = LogLine::new(now_ms, kind, &visit.page.url);
                let mut line = match (&visit.text, &visit.page.unreadable) {
                    (None, Some(why)) => line.because(UNREADABLE, why),
                    _ => line,
                };
                line.object = Some(visit.page.object);
                line.bytes = Some(visit.page.bytes);
                line.redirects.clone_from(&visit.page.redirects);
                line
            }
            Err(refusal) => LogLine::refused(&wish.url, refusal, now_ms),
        };
        line.profile = Some(policy.profile);
        let place = || shown(&wish.url);
        self.log.add(&line).map_err(|refusal| refusal.at(place()))?;
        visited.map_err(|refusal| refusal.at(place()))
    }

    /// Notes a page that was read without keeping it: its bytes, and the redirects that were followed.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn note_read(
        &self,
        url: &str,
        bytes: u64,
        redirects: Vec<String>,
        now_ms: i64,
    ) -> Result<(), WebError> {
        let mut line = LogLine::new(now_ms, LogKind::Fetched, &shown(url));
        (line.bytes, line.redirects) = (Some(bytes), redirects);
        self.log.add(&line).map_err(|refusal| refusal.at(shown(url)))
    }

    /// Notes what was refused or failed beside the library: the reason as one word and in words.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn note_refusal(&self, url: &str, code: &str, why: &str, now_ms: i64) -> Result<(), WebError> {
        let line = LogLine::new(now_ms, LogKind::Refused, &shown(url)).because(code, why);
        self.log.add(&line).map_err(|refusal| refusal.at(shown(url)))
    }

    /// The policy that the settings give, with what is asked for besides. Where they can't be read nothing is fetched, which
    /// stands in the log under `url`.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn policy(&self, more: Settings, url: &str, now_ms: i64) -> Result<Policy, WebError> {
        match Settings::read(&self.root) {
            Ok(settings) => Ok(settings.with(more).into()),
            Err(refusal) => {
                self.log
                    .add(&LogLine::refused(url, &refusal, now_ms))
                    .map_err(|refusal| refusal.at(shown(url)))?;
                Err(refusal.at("policy.json"))
            }
        }
    }

    async fn visit(&self, policy: &Policy, wish: &FetchRequest, now_ms: i64) -> Result<Visit, Refusal> {
        let url = normal(&policy.address(&wish.url)?);
        let known = self.pages.read(&url)?;
        let mut stored = known.clone().filter(|page| self.objects.has(&page.object));
        let max_age_days = wish.max_age_days.unwrap_or(policy.max_age_days);
        if let Some(page) = &stored
            && wish.refresh == Refresh::WhenOld
            && page.is_fresh(max_age_days, now_ms)
            && Self::admits(policy, page).is_ok()
        {
            return self.read(page.clone(), Freshness::Cached, wish.expected).await;
        }
        if wish.refresh == Refresh::Always
            && let Some(object) = stored.as_ref().map(|page| page.object)
        {
            // A damaged object is fetched anew: a server that says "unchanged" would leave it as it is.
            let objects = self.objects.clone();
            if files::blocking(move || objects.check(&object)).await.is_err() {
                stored = None;
            }
        }
        let condition = stored.as_ref().map_or_else(Condition::default, |page| Condition {
            at: page.final_url.clone(),
            etag: page.etag.clone(),
            last_modified: page.last_modified.clone(),
        });
        let fetch = Fetch {
            policy,
            objects: &self.objects,
            crawl: &self.crawl,
            condition: &condition,
            expected: wish.expected,
            now_ms,
        };
        let answer = fetch.run(&url).await;
        match (answer, stored) {
            (Ok(Answer::Unchanged), Some(page)) => {
                let page = Page { checked_ms: now_ms, ..page };
                self.pages.write(&url, &page)?;
                self.read(page, Freshness::Confirmed, wish.expected).await
            }
            (Ok(Answer::Unchanged), None) => Err(Refusal::Status { status: 304 }),
            (Ok(Answer::FetchedObject(arrival)), _) => {
                let (page, text) = self.shelve(&url, *arrival, known, now_ms).await?;
                Ok(Visit { page, text, freshness: Freshness::Fetched })
            }
            (Err(refusal), Some(page))
                if refusal.is_passing()
                    && wish.refresh == Refresh::WhenOld
                    && Self::admits(policy, &page).is_ok() =>
            {
                self.read(page, Freshness::Outdated, wish.expected).await
            }
            (Err(refusal), _) => Err(refusal),
        }
    }

    /// The fresh version of an address that the library has; nothing is requested, and none is no failure.
    ///
    /// # Errors
    /// When the policy does not admit the address, or the file system refuses.
    pub async fn stored(&self, policy: &Policy, url: &str, now_ms: i64) -> Result<Option<Visit>, WebError> {
        let at = |refusal: Refusal| refusal.at(shown(url));
        let parsed = normal(&policy.address(url).map_err(at)?);
        let page = self.pages.read(&parsed).map_err(at)?;
        let fresh = page.filter(|page| {
            page.is_fresh(policy.max_age_days, now_ms)
                && self.objects.has(&page.object)
                && Self::admits(policy, page).is_ok()
        });
        let Some(page) = fresh else { return Ok(None) };
        let mut line = LogLine::new(now_ms, LogKind::Cached, &page.url);
        line.object = Some(page.object);
        self.log.add(&line).map_err(at)?;
        self.read(page, Freshness::Cached, Expectation::Any).await.map(Some).map_err(at)
    }

    /// Whether the lists admit a stored page: its address, and those over which it came.
    ///
    /// # Errors
    /// When they don't, or one of them is no address.
    pub fn admits(policy: &Policy, page: &Page) -> Result<(), Refusal> {
        [&page.url, &page.final_url].into_iter().chain(&page.redirects).try_for_each(|url| {
            let url = Url::parse(url).map_err(|_| Refusal::Absent)?;
            policy.admits_source(&url)
        })
    }

    /// Keeps what came.
    async fn shelve(
        &self,
        url: &Url,
        arrival: FetchedObject,
        before: Option<Page>,
        now_ms: i64,
    ) -> Result<(Page, Option<Text>), Refusal> {
        let FetchedObject { object, kind, charset, .. } = &arrival;
        let text = self.read_text(object.digest, Some(*kind), charset.clone()).await;
        let (text, unreadable) = match text {
            Ok(text) => (Some(text), None),
            Err(Refusal::Unreadable(error)) => (None, Some(error.to_string())),
            Err(refusal) => return Err(refusal),
        };
        let page = Page {
            url: url.to_string(),
            final_url: arrival.final_url.into(),
            redirects: arrival.redirects.iter().map(Url::to_string).collect(),
            status: arrival.status,
            media_type: arrival.media_type,
            charset: arrival.charset,
            kind: arrival.kind,
            etag: arrival.etag,
            last_modified: arrival.last_modified,
            retrieved_ms: now_ms,
            checked_ms: now_ms,
            object: arrival.object.digest,
            bytes: arrival.object.bytes,
            title: text.as_ref().and_then(|text| text.title.clone()),
            text: text.as_ref().map(Text::digest),
            pages: text.as_ref().and_then(|text| text.pages),
            unreadable,
            earlier: Vec::new(),
        };
        let page = page.after(before);
        self.pages.write(url, &page)?;
        Ok((page, text))
    }

    async fn read(&self, page: Page, freshness: Freshness, expected: Expectation) -> Result<Visit, Refusal> {
        expected.check(page.kind)?;
        let text = match self.read_text(page.object, Some(page.kind), page.charset.clone()).await {
            Ok(text) => Some(text),
            Err(Refusal::Unreadable(_)) => None,
            Err(refusal) => return Err(refusal),
        };
        Ok(Visit { page, text, freshness })
    }

    async fn read_text(
        &self,
        object: Digest,
        kind: Option<Kind>,
        charset: Option<String>,
    ) -> Result<Text, Refusal> {
        let (objects, reader) = (self.objects.clone(), Arc::clone(&self.reader));
        let cancel = Cancellation::default();
        let flag = Arc::clone(&cancel.0);
        let work = move || text::read(&objects, &reader, &object, kind, charset.as_deref(), &flag);
        let read = files::blocking(work).await;
        drop(cancel);
        read
    }

    /// The text of an object that was fetched before, read as what `page` says that it is; an earlier version of the page as
    /// what its bytes say.
    ///
    /// # Errors
    /// [`Refusal::Absent`], or why it has no text.
    pub async fn text(&self, object: Digest, page: Option<&Page>) -> Result<Text, WebError> {
        let page = page.filter(|page| page.object == object);
        let (kind, charset) = (page.map(|page| page.kind), page.and_then(|page| page.charset.clone()));
        self.read_text(object, kind, charset).await.map_err(|refusal| refusal.at(object.to_string()))
    }

    /// What is known of an address.
    ///
    /// # Errors
    /// When the address is none, or the file system refuses.
    pub fn page(&self, url: &str) -> Result<Option<Page>, WebError> {
        let at = |refusal: Refusal| refusal.at(shown(url));
        let parsed =
            Url::parse(url.trim()).map_err(|_| at(net_guard::AddressError::Malformed("is none").into()))?;
        self.pages.read(&parsed).map_err(at)
    }

    /// Everything that was fetched, the newest first.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn pages(&self) -> Result<Vec<Page>, WebError> {
        self.pages.list().map_err(|refusal| refusal.at("library"))
    }

    /// What was fetched from addresses or under titles in which all these words stand, at most `limit`, the newest first; and
    /// how many there are.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn find(&self, words: &str, limit: usize) -> Result<(Vec<Page>, usize), WebError> {
        let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let mut pages = self.pages()?;
        pages.retain(|page| {
            let text = format!("{} {}", page.url, page.title.as_deref().unwrap_or_default()).to_lowercase();
            words.iter().all(|word| text.contains(word))
        });
        let total = pages.len();
        pages.truncate(limit);
        Ok((pages, total))
    }

    /// The addresses from which an object came, the newest first.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn pages_of(&self, object: &Digest) -> Result<Vec<Page>, WebError> {
        self.pages.naming(object).map_err(|refusal| refusal.at("library"))
    }

    /// The blocks of stored texts that fit a question best, from sources that the policy's lists admit. Blocking.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn search(&self, policy: &Policy, query: &str, limit: usize) -> Result<Vec<FoundBlock>, WebError> {
        let mut pages: Vec<Page> = Vec::new();
        let mut texts: Vec<Text> = Vec::new();
        let mut bytes = 0;
        for page in self.pages()? {
            if Self::admits(policy, &page).is_err() || texts.iter().any(|text| text.object == page.object) {
                continue;
            }
            bytes += std::fs::metadata(self.objects.beside(&page.object, text::ENDING))
                .map_or(0, |data| data.len());
            if bytes > MAX_SEARCH_BYTES {
                break;
            }
            let stored =
                text::stored(&self.objects, &page.object).map_err(|refusal| refusal.at(page.url.clone()))?;
            if let Some(text) = stored {
                texts.push(text);
                pages.push(page);
            }
        }
        let matches = search::search(&texts, query, limit);
        let found = matches.into_iter().filter_map(|hit| {
            let (page, text) = (pages.get(hit.text)?, texts.get(hit.text)?);
            Some(FoundBlock { page: page.clone(), block: text.block(hit.block)?.clone(), score: hit.score })
        });
        Ok(found.collect())
    }

    /// Whether a quote stands word for word in an object, or in one block of it. The object's bytes are checked as well.
    ///
    /// # Errors
    /// When the object is not there, was changed, or has no text.
    pub async fn verify(
        &self,
        object: Digest,
        quote: &str,
        block: Option<u32>,
    ) -> Result<QuoteCheck, WebError> {
        let (objects, records) = (self.objects.clone(), self.pages.clone());
        let checked = files::blocking(move || {
            objects.check(&object)?;
            records.naming(&object)
        });
        let pages = checked.await.map_err(|refusal| refusal.at(object.to_string()))?;
        let text = self.sound_text(object, &pages).await?;
        Ok(QuoteCheck { places: places(&text, quote, block), pages })
    }

    /// The text of an object as it was when it came: one that was changed since is read from the bytes again.
    async fn sound_text(&self, object: Digest, pages: &[Page]) -> Result<Text, WebError> {
        let at = |refusal: Refusal| refusal.at(object.to_string());
        let page = pages.iter().find(|page| page.object == object);
        let known = page.and_then(|page| page.text);
        let is_sound = |text: &Text| known.is_none_or(|digest| digest == text.digest());
        let text = self.text(object, page).await?;
        if is_sound(&text) {
            return Ok(text);
        }
        let path = self.objects.beside(&object, text::ENDING);
        files::remove(&path).map_err(at)?;
        let text = self.text(object, page).await?;
        if is_sound(&text) { Ok(text) } else { Err(at(Refusal::Damaged { path })) }
    }

    /// The small answer of a search service, which the policy admits.
    ///
    /// # Errors
    /// What is in the way. It stands in the log.
    pub(crate) async fn ask(
        &self,
        policy: &Policy,
        url: &Url,
        max_bytes: u64,
        now_ms: i64,
    ) -> Result<Vec<u8>, WebError> {
        let asked = async {
            policy.admits_service(url)?;
            let opening = follow(policy, url, Purpose::Service, &Condition::default(), None).await?;
            let status = opening.response.status();
            if !status.is_success() {
                return Err(Refusal::Status { status: status.as_u16() });
            }
            small(policy, opening.response, max_bytes).await
        };
        let most = policy.bounds.max_duration.min(Duration::from_secs(30));
        let late = Err(Refusal::Deadline { seconds: most.as_secs() });
        let answer = tokio::time::timeout(most, asked).await.unwrap_or(late);
        let kind = if answer.is_ok() { LogKind::Searched } else { LogKind::Refused };
        let mut line = LogLine::new(now_ms, kind, url.as_str());
        line.profile = Some(policy.profile);
        line.code = answer.as_ref().err().map(|refusal| refusal.code().to_owned());
        let at = |refusal: Refusal| refusal.at(host_of(url));
        self.log.add(&line).map_err(at)?;
        answer.map_err(at)
    }

    /// Changes the profile.
    ///
    /// # Errors
    /// When the settings can't be read or written.
    pub fn choose(&self, profile: Profile) -> Result<Settings, WebError> {
        let settings = Settings { profile: Some(profile), ..self.settings()? };
        settings.write(&self.root).map_err(|refusal| refusal.at("policy.json"))?;
        Ok(settings)
    }

    /// Adds a source to those that are known, or to those that are never fetched; it leaves the other list.
    ///
    /// # Errors
    /// When the settings can't be read or written.
    pub fn decide(&self, source: &SourcePattern, kind: HostDecision, now_ms: i64) -> Result<(), WebError> {
        let at = |refusal: Refusal| refusal.at("policy.json");
        let mut settings = self.settings()?;
        settings.allow.retain(|pattern| pattern != source);
        settings.block.retain(|pattern| pattern != source);
        let logged = match kind {
            HostDecision::Allow => {
                settings.allow.push(source.clone());
                LogKind::Allowed
            }
            HostDecision::Block => {
                settings.block.push(source.clone());
                LogKind::Blocked
            }
            HostDecision::Withdraw => LogKind::Withdrawn,
        };
        settings.write(&self.root).map_err(at)?;
        self.log.add(&LogLine::new(now_ms, logged, &source.to_string())).map_err(at)
    }

    /// Forgets an address; its objects go with the next [`Library::clean`] where no other address names them. Says whether it
    /// was there.
    ///
    /// # Errors
    /// When the address is none, or the file system refuses.
    pub fn forget(&self, url: &str, now_ms: i64) -> Result<bool, WebError> {
        let Some(page) = self.page(url)? else { return Ok(false) };
        let at = |refusal: Refusal| refusal.at(page.url.clone());
        let parsed = Url::parse(&page.url).map_err(|_| at(Refusal::Absent))?;
        self.pages.remove(&parsed).map_err(at)?;
        self.log.add(&LogLine::new(now_ms, LogKind::Forgotten, &page.url)).map_err(at)?;
        Ok(true)
    }

    /// Removes records of pages that were last confirmed more than `max_age_days` days ago, objects that no record and nothing
    /// in `kept` names, and what was never finished.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn clean(
        &self,
        max_age_days: Option<u32>,
        kept: &[Digest],
        now_ms: i64,
    ) -> Result<Cleaned, WebError> {
        let at = |refusal: Refusal| refusal.at("library");
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(now_ms.max(0) as u64);
        let mut cleaned = Cleaned {
            unfinished: files::remove_unfinished(&self.root, UNFINISHED_AGE, now).map_err(at)?,
            ..Cleaned::default()
        };
        // Before the records: an object that comes meanwhile is named by none of those that were read.
        let objects = self.objects.list().map_err(at)?;
        let mut named: Vec<Digest> = kept.to_vec();
        for page in self.pages()? {
            let is_old = max_age_days.is_some_and(|days| now_ms - page.checked_ms > i64::from(days) * DAY_MS);
            match Url::parse(&page.url) {
                Ok(url) if is_old => {
                    self.pages.remove(&url).map_err(at)?;
                    cleaned.pages += 1;
                }
                _ => named.extend(page.objects()),
            }
        }
        named.sort();
        for object in objects.into_iter().filter(|object| named.binary_search(object).is_err()) {
            // One that came within the last day may be of a fetch that is under way.
            let written = std::fs::metadata(self.objects.path(&object)).and_then(|data| data.modified());
            if written.is_ok_and(|at| now.duration_since(at).is_ok_and(|since| since >= UNFINISHED_AGE)) {
                cleaned.bytes += self.objects.remove(&object).map_err(at)?;
                cleaned.objects += 1;
            }
        }
        Ok(cleaned)
    }
}

/// What the user decides about a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HostDecision {
    /// It is known.
    Allow,
    /// It is never fetched.
    Block,
    /// What was decided before is taken back.
    Withdraw,
}

/// Ends the work of a thread with the future that waits for it.
#[derive(Default)]
struct Cancellation(Arc<AtomicBool>);

impl Drop for Cancellation {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Expectation {
    /// Whether a file of this kind is what was expected.
    pub(crate) fn check(self, kind: Kind) -> Result<(), Refusal> {
        match self {
            Self::Pdf if kind != Kind::Pdf => {
                Err(Refusal::Type { found: kind.words().to_owned(), wanted: "a PDF" })
            }
            Self::Any | Self::Pdf => Ok(()),
        }
    }
}
