//! Every fetch, refusal and approval as one line of JSON in `log.jsonl`.

use std::fs::{self, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

use domain::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::Refusal;
use crate::files;

/// A log that grew to so many bytes is put aside as `log.1.jsonl`.
const MAX_LOG_BYTES: u64 = 64 << 20;
/// How much of a log's end is read, in bytes.
const MAX_TAIL_BYTES: u64 = 4 << 20;
/// The longest address in a line, in bytes.
const MAX_ADDRESS_BYTES: usize = 2_000;
/// The longest reason in a line, in bytes.
const MAX_WHY_BYTES: usize = 500;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogKind {
    /// New bytes came.
    Fetched,
    /// The server said that the stored bytes are the newest.
    Confirmed,
    /// Read from the library; nothing was requested.
    Cached,
    /// The server did not answer; an older version was read.
    Outdated,
    /// Refused or failed.
    Refused,
    /// The user allowed a host.
    Allowed,
    /// The user blocked a host.
    Blocked,
    /// The user took back what was decided about a host.
    Withdrawn,
    /// A search service was asked.
    Searched,
    /// An address was forgotten.
    Forgotten,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// What.
    pub kind: LogKind,
    /// The address, host or question.
    pub place: String,
    /// The profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<crate::policy::Profile>,
    /// The reason of a refusal, as one word; of what was fetched, why it has no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The reason in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The bytes that are meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Digest>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Redirects that were followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redirects: Vec<String>,
}

impl LogLine {
    /// A line with nothing but what happened where.
    pub fn new(at_ms: i64, kind: LogKind, place: &str) -> Self {
        let mut place = place.to_owned();
        place.truncate(place.floor_char_boundary(MAX_ADDRESS_BYTES));
        Self {
            at_ms,
            kind,
            place,
            profile: None,
            code: None,
            why: None,
            object: None,
            bytes: None,
            redirects: Vec::new(),
        }
    }

    /// The line about a refusal.
    pub(crate) fn refused(url: &str, refusal: &Refusal, now_ms: i64) -> Self {
        Self::new(now_ms, LogKind::Refused, &shown(url)).because(refusal.code(), &refusal.to_string())
    }

    /// The same with a reason.
    pub(crate) fn because(mut self, code: &str, why: &str) -> Self {
        self.code = Some(code.to_owned());
        self.why = Some(why[..why.floor_char_boundary(MAX_WHY_BYTES)].to_owned());
        self
    }
}

/// The log.
#[derive(Debug, Clone)]
pub struct Log {
    path: PathBuf,
}

impl Log {
    /// The log in this file.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// Adds a line, as a whole, whatever other processes add.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn add(&self, line: &LogLine) -> Result<(), Refusal> {
        let disk = || Refusal::disk(&self.path);
        if let Some(folder) = self.path.parent() {
            files::create(folder)?;
        }
        if fs::metadata(&self.path).is_ok_and(|data| data.len() > MAX_LOG_BYTES) {
            fs::rename(&self.path, self.path.with_file_name("log.1.jsonl")).map_err(disk())?;
        }
        let mut text = serde_json::to_vec(line).map_err(|error| disk()(std::io::Error::other(error)))?;
        text.push(b'\n');
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&self.path).and_then(|mut file| file.write_all(&text)).map_err(disk())
    }

    /// A line that is added unless the work which it says was given up comes to its end.
    pub(crate) fn pending(&self, line: LogLine) -> PendingLine<'_> {
        PendingLine { log: self, line: Some(line) }
    }

    /// The newest lines, at most `limit`, the newest last.
    ///
    /// # Errors
    /// When the file system refuses.
    pub fn tail(&self, limit: usize) -> Result<Vec<LogLine>, Refusal> {
        let disk = || Refusal::disk(&self.path);
        let mut file = match fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(disk()(error)),
        };
        let length = file.metadata().map_err(disk())?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MAX_TAIL_BYTES))).map_err(disk())?;
        let mut bytes = Vec::new();
        file.take(MAX_TAIL_BYTES).read_to_end(&mut bytes).map_err(disk())?;
        let text = String::from_utf8_lossy(&bytes);
        let mut lines: Vec<LogLine> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        lines.drain(..lines.len().saturating_sub(limit));
        Ok(lines)
    }
}

/// A line that is added when it is dropped.
pub(crate) struct PendingLine<'l> {
    log: &'l Log,
    line: Option<LogLine>,
}

impl PendingLine<'_> {
    /// The work came to its end.
    pub(crate) fn ended(mut self) {
        self.line = None;
    }
}

impl Drop for PendingLine<'_> {
    fn drop(&mut self) {
        if let Some(line) = &self.line {
            // Nobody is left who could be told that it failed.
            let _ = self.log.add(line);
        }
    }
}

/// An address as it may be shown and kept: without a name and password, cut.
pub(crate) fn shown(text: &str) -> String {
    let text = text.trim();
    let plain = match Url::parse(text) {
        Ok(mut url) if url.has_host() => {
            // Neither fails where there is a host.
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.into()
        }
        _ => text.rsplit('@').next().unwrap_or_default().to_owned(),
    };
    plain.chars().take(500).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn lines_of_many_writers_are_whole_and_the_newest_are_read() {
        let folder = tempfile::TempDir::new().unwrap();
        let log = Log::new(folder.path().join("library/log.jsonl"));
        assert_eq!(log.tail(5).unwrap(), []);
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let log = &log;
                scope.spawn(move || {
                    for at in 0..50 {
                        let place = format!("https://example.org/{writer}/{}", "x".repeat(300));
                        log.add(&LogLine::new(at, LogKind::Fetched, &place)).unwrap();
                    }
                });
            }
        });
        assert_eq!(log.tail(1_000).unwrap().len(), 200);
        log.add(&LogLine::new(99, LogKind::Allowed, "example.org")).unwrap();
        assert_eq!(log.tail(1).unwrap(), [LogLine::new(99, LogKind::Allowed, "example.org")]);
    }
}
