//! A sign of life: readers count what they finished, and the child tells its parent that the count has changed.

use std::sync::atomic::{AtomicU64, Ordering};

static BEATS: AtomicU64 = AtomicU64::new(0);

/// One more page is done.
pub(crate) fn beat() {
    BEATS.fetch_add(1, Ordering::Relaxed);
}

/// How many are done since the process started.
pub(crate) fn count() -> u64 {
    BEATS.load(Ordering::Relaxed)
}
