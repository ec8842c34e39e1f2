//! What sites ask of programs that read them: robots.txt, kept for a day, and the time between two requests.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use domain::Digest;
use net_guard::AddressError;
use parking_lot::Mutex;
use reqwest::header::CONTENT_ENCODING;
use tokio::time::{Instant, sleep_until, timeout};
use url::Url;

use crate::error::Refusal;
use crate::fetch::{Condition, Purpose, beginning, follow};
use crate::files;
use crate::pattern::host_of;
use crate::policy::{Policy, RobotsUse};
use crate::robots::{AGENT, MAX_ROBOTS_BYTES, Robots, RobotsAnswer, RobotsRecord, RobotsVerdict};

/// The largest record of a robots.txt, in bytes: its text as JSON.
const MAX_RECORD_BYTES: u64 = 4 << 20;
/// The longest that asking for it takes.
const MAX_DURATION: Duration = Duration::from_secs(30);
/// The most sites whose last request is remembered.
const MAX_SITES: usize = 10_000;

/// Asks and remembers.
#[derive(Debug)]
pub(crate) struct Crawl {
    root: PathBuf,
    /// When the next request may go to a site, of this process.
    turns: Mutex<HashMap<String, Instant>>,
}

impl Crawl {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root, turns: Mutex::default() }
    }

    /// Waits for the site's turn, if its robots.txt allows the address.
    pub(crate) async fn admits(&self, policy: &Policy, url: &Url, now_ms: i64) -> Result<(), Refusal> {
        if policy.robots == RobotsUse::Ignored {
            return Ok(());
        }
        let robots = match self.record(policy, url, now_ms).await?.answer {
            RobotsAnswer::File { text } => Robots::parse(&text, AGENT),
            RobotsAnswer::None => return Ok(()),
            RobotsAnswer::Unreachable { what } => {
                return Err(Refusal::RobotsUnreachable { host: host_of(url), what });
            }
        };
        let path =
            url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        match robots.verdict(&path) {
            RobotsVerdict::Disallow => Err(Refusal::Robots { host: host_of(url) }),
            RobotsVerdict::Allow => {
                if let Some(delay) = robots.delay() {
                    self.wait(url, delay.min(policy.bounds.max_crawl_delay)).await;
                }
                Ok(())
            }
        }
    }

    async fn wait(&self, url: &Url, delay: Duration) {
        let turn = {
            let mut turns = self.turns.lock();
            let now = Instant::now();
            if turns.len() >= MAX_SITES {
                turns.retain(|_, turn| *turn > now);
            }
            let next = turns.entry(origin(url)).or_insert(now);
            let turn = (*next).max(now);
            *next = turn + delay;
            turn
        };
        sleep_until(turn).await;
    }

    /// What a site says, from the library or asked for.
    async fn record(&self, policy: &Policy, url: &Url, now_ms: i64) -> Result<RobotsRecord, Refusal> {
        let origin = origin(url);
        let path = self.root.join(format!("{}.json", Digest::of(&origin)));
        let stored = files::read_json::<RobotsRecord>(&path, MAX_RECORD_BYTES);
        if let Ok(Some(record)) = stored
            && record.origin == origin
            && record.is_fresh(now_ms)
        {
            return Ok(record);
        }
        let answer = match Url::parse(&format!("{origin}/robots.txt")) {
            // Boxed: a redirect of robots.txt is followed, too.
            Ok(address) => Box::pin(answer(policy, &address)).await?,
            Err(_) => RobotsAnswer::Unreachable { what: "its address is none".into() },
        };
        let record = RobotsRecord { origin, retrieved_ms: now_ms, answer };
        files::replace_json(&path, &record)?;
        Ok(record)
    }
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Whether the host of an address is unknown, or is not public.
fn leads_nowhere(error: &AddressError, address: &Url) -> bool {
    match error {
        AddressError::Private { host, .. } | AddressError::Unknown(host) => {
            Some(host.as_str()) == address.host_str()
        }
        AddressError::Malformed(_) | AddressError::Local => false,
    }
}

/// # Errors
/// [`Refusal::NeedsApproval`], when it leads to another host that is not known: the user may allow that. And when the site
/// itself can't be reached.
async fn answer(policy: &Policy, address: &Url) -> Result<RobotsAnswer, Refusal> {
    let unreachable = |what: String| RobotsAnswer::Unreachable { what };
    let asked = async {
        let opening = follow(policy, address, Purpose::Robots, &Condition::default(), None).await?;
        let status = opening.response.status();
        if status.is_success() {
            let packed = opening.response.headers().get(CONTENT_ENCODING);
            let packed = packed.map(|packed| packed.as_bytes().trim_ascii()).unwrap_or_default();
            if !(packed.is_empty() || packed.eq_ignore_ascii_case(b"identity")) {
                return Ok(unreachable("it is sent packed, which was not asked for".into()));
            }
            let bytes = beginning(policy, opening.response, MAX_ROBOTS_BYTES).await?;
            return Ok(RobotsAnswer::File { text: String::from_utf8_lossy(&bytes).into_owned() });
        }
        Ok(match status.as_u16() {
            // A site that asks for a pause says nothing about what it allows.
            429 => unreachable("status 429".into()),
            300..=499 => RobotsAnswer::None,
            status => unreachable(format!("status {status}")),
        })
    };
    Ok(match timeout(MAX_DURATION, asked).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(refusal @ Refusal::NeedsApproval { .. })) => return Err(refusal),
        // It is the site that can't be reached, not its robots.txt.
        Ok(Err(Refusal::Address(error))) if leads_nowhere(&error, address) => return Err(error.into()),
        Ok(Err(Refusal::Redirects { .. } | Refusal::RedirectLoop)) => RobotsAnswer::None,
        Ok(Err(refusal)) => unreachable(refusal.to_string()),
        Err(_) => unreachable(format!("no answer within {} seconds", MAX_DURATION.as_secs())),
    })
}
