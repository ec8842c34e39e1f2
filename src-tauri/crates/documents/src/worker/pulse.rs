//! A sign of life: readers count what they finished, and the child tells its parent that the count has changed.

use std::sync::atomic::{AtomicU64, Ordering};

static BEATS: AtomicU64 = AtomicU64::new(0);

/// One more page is done.
pub(crate) fn beat() {
    BEATS.fetch_add(1, Ordering::Relaxed);
}

/// A page's picture is about to be read: what that may take, in pages of text.
pub(crate) const PAGE_BEATS: u64 = 150;
/// The same of one line.
pub(crate) const LINE_BEATS: u64 = 10;

/// As much as `pages` pages of text is done, or allowed for.
pub(crate) fn beats(pages: u64) {
    BEATS.fetch_add(pages, Ordering::Relaxed);
}

/// How many are done since the process started.
pub(crate) fn count() -> u64 {
    BEATS.load(Ordering::Relaxed)
}
