//! The last requests of a source, for a person who looks for what went wrong.

use std::collections::VecDeque;

use parking_lot::Mutex;

/// How many are kept.
const KEPT: usize = 200;

/// A request that was made. Values of parameters, headers and bodies are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The method.
    pub method: String,
    /// The path on its host, with the names of parameters.
    pub path: String,
    /// The status, where there was an answer.
    pub status: Option<u16>,
    /// Milliseconds.
    pub ms: u64,
    /// Bytes of the answer.
    pub bytes: usize,
    /// Why it failed.
    pub error: String,
}

#[derive(Debug, Default)]
pub(super) struct Log(Mutex<VecDeque<LogLine>>);

impl Log {
    pub(super) fn add(&self, line: LogLine) {
        let mut lines = self.0.lock();
        if lines.len() >= KEPT {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    pub(super) fn lines(&self) -> Vec<LogLine> {
        self.0.lock().iter().cloned().collect()
    }
}
