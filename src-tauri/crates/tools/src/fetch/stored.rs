//! Pages that the library of the web has already: they are given instead of asking again, and said to be so.

use std::sync::Arc;
use std::time::Duration;

use url::Url;
use web_library::markdown::text_markdown;
use web_library::policy::Policy;
use web_library::{Library, Refusal, WebError};

use super::page::whole;
use crate::Outcome;
use crate::text::capped;

/// The library of the web, and the time.
#[derive(Debug, Clone)]
pub struct FetchedPages {
    /// The library.
    pub library: Arc<Library>,
    /// The time in milliseconds since 1970.
    pub now: fn() -> i64,
}

impl FetchedPages {
    /// Whether an address may be fetched at all. Settings that can't be read are no reason not to.
    ///
    /// # Errors
    /// When the user blocked it.
    pub(super) fn admits(&self, url: &Url) -> Result<(), WebError> {
        let Ok(settings) = self.library.settings() else { return Ok(()) };
        match Policy::from(settings).admits_source(url) {
            Err(refusal @ Refusal::Blocked { .. }) => Err(refusal.at(url.as_str())),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The longest that one fetch takes, where the user's settings say so.
    pub(super) fn max_duration(&self) -> Option<Duration> {
        self.library.settings().ok()?.max_seconds.map(|seconds| Duration::from_secs(seconds.into()))
    }

    /// Notes in the log of fetches what was read from the web. A log that can't be written is no reason not to read.
    pub(super) fn note_read(&self, url: &str, bytes: u64, redirects: Vec<String>) {
        let _ = self.library.note_read(url, bytes, redirects, (self.now)());
    }

    /// The same for a refusal or failure.
    pub(super) fn note_refusal(&self, url: &str, code: &str, why: &str) {
        let _ = self.library.note_refusal(url, code, why, (self.now)());
    }

    /// The page where the library has a fresh version of it. Settings or a library that can't be read are no reason not to
    /// fetch.
    ///
    /// # Errors
    /// When the user blocked it.
    pub(super) async fn find(&self, url: &Url) -> Result<Option<Outcome>, WebError> {
        self.admits(url)?;
        let Ok(settings) = self.library.settings() else { return Ok(None) };
        let policy = Policy::from(settings);
        let Ok(Some(visit)) = self.library.stored(&policy, url.as_str(), (self.now)()).await else {
            return Ok(None);
        };
        let Some(text) = visit.text.filter(|text| !text.blocks.is_empty()) else { return Ok(None) };
        let day = visit.page.retrieved();
        let mut outcome = whole(url, &text_markdown(&text));
        let title = visit.page.title.map(|title| format!("Title: {title}\n")).unwrap_or_default();
        outcome.text = format!(
            "(Read on {day}, from the library of fetched pages, as text without its links. \
             Pass refresh: true to fetch it again.)\n{title}{}",
            outcome.text
        );
        outcome.summary = format!("read on {day}, {}", capped(&outcome.summary, 80));
        Ok(Some(outcome))
    }
}
