//! The time by which automations go.

use std::time::Duration;

use crate::corpus::now_ms;

/// The system's clock. Tests set it, and then nobody waits.
#[derive(Debug, Default)]
pub(super) struct Clock {
    #[cfg(test)]
    set: std::sync::Mutex<Option<i64>>,
}

impl Clock {
    /// Milliseconds since 1970.
    pub(super) fn now(&self) -> i64 {
        #[cfg(test)]
        if let Some(set) = *super::lock(&self.set) {
            return set;
        }
        now_ms()
    }

    /// Waits for so many milliseconds. A clock that was set goes on by them at once.
    pub(super) async fn wait(&self, ms: u64) {
        #[cfg(test)]
        if let Some(now) = super::lock(&self.set).as_mut() {
            *now += i64::try_from(ms).unwrap_or_default();
            return;
        }
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }

    #[cfg(test)]
    pub(super) fn set(&self, at: i64) {
        *super::lock(&self.set) = Some(at);
    }
}
