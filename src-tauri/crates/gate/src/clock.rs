//! The time by which automations go.

use std::time::Duration;

use support::now_ms;

/// The system's clock. Tests set it, and then nobody waits.
#[derive(Debug, Default)]
pub struct Clock {
    set: parking_lot::Mutex<Option<i64>>,
}

impl Clock {
    /// Milliseconds since 1970.
    pub fn now(&self) -> i64 {
        if let Some(set) = *self.set.lock() {
            return set;
        }
        now_ms()
    }

    /// Waits for so many milliseconds. A clock that was set goes on by them at once.
    pub async fn wait(&self, ms: u64) {
        if let Some(now) = self.set.lock().as_mut() {
            *now += i64::try_from(ms).unwrap_or_default();
            return;
        }
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }

    /// Sets the time, for tests: from then on nobody waits.
    pub fn set(&self, at: i64) {
        *self.set.lock() = Some(at);
    }
}
