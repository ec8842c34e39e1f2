//! How often events may fire automations.

use std::collections::{BTreeMap, VecDeque};

use crate::event::Event;

/// The span that is counted, in milliseconds.
const SPAN: i64 = 60_000;

/// When events fired automations lately.
#[derive(Debug, Clone, Default)]
pub struct Rate {
    fired: BTreeMap<Event, VecDeque<i64>>,
}

impl Rate {
    /// Whether one more is within the limit.
    pub fn allows(&self, event: Event, now: i64) -> bool {
        let within = |at: &&i64| **at > now - SPAN && **at <= now;
        let lately = self.fired.get(&event).map_or(0, |fired| fired.iter().filter(within).count());
        lately < event.most_a_minute()
    }

    /// Notes that one fired.
    pub fn note(&mut self, event: Event, now: i64) {
        let fired = self.fired.entry(event).or_default();
        // A clock that was put back must not keep anything from firing for longer than a minute.
        fired.retain(|at| *at > now - SPAN && *at <= now);
        fired.push_back(now);
    }
}
