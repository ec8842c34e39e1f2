//! What is open between us and a server, and what it sent that answers nothing.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    ErrorCode, ErrorData, JsonRpcMessage, NumberOrString, ProgressToken, RequestId, ServerJsonRpcMessage,
};
use serde_json::Value;
use tokio::sync::Notify;

use crate::error::SourceErrorKind;
use crate::text::excerpt;

/// How far into a line that was too long its request id is looked for, in bytes.
const ID_SEARCH: usize = 512;
/// Longest part of a banner that is shown, in characters.
const BANNER_CHARS: usize = 200;
/// Abandoned requests whose late answers are still forgiven.
const FORGIVEN: usize = 1_024;

/// What is open and what was seen.
#[derive(Debug, Default)]
pub(crate) struct PendingRequests {
    pub(crate) open: HashMap<RequestId, Reader>,
    pub(crate) notes: HashMap<RequestId, Note>,
    abandoned: BTreeSet<i64>,
    /// The highest number that a request of ours had; they are given in order.
    highest: Option<i64>,
    /// Messages that came in one line with others and are still to be handed on.
    pub(crate) queued: VecDeque<ServerJsonRpcMessage>,
    /// Whether a line may carry several messages.
    pub(crate) batches: bool,
    pub(crate) progress: HashMap<ProgressToken, Progress>,
    pub(crate) fault: Option<SourceErrorKind>,
    pub(crate) noise: Noise,
    pub(crate) answers: u64,
    pub(crate) probe: Option<(RequestId, tokio::time::Instant)>,
    /// Whether a server that is silent after the probe is waited for, since it is known to be a new one.
    pub(crate) probe_waits: bool,
    /// What became of a probe that was answered in the server's name.
    pub(crate) late_probe: LateProbe,
}

/// What became of a probe that a server did not answer in time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum LateProbe {
    /// The probe was answered in time, or not made.
    #[default]
    None,
    /// No answer has come.
    Missed(RequestId),
    /// The answer came after all: the server knows the probe and only was slow.
    Answered,
}

/// Who reads the answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// The SDK, which needs its own types: the handshake.
    Sdk,
    /// This crate, which takes the plain JSON.
    Caller,
}

/// What was learnt about an answer beside its content.
#[derive(Debug, Default)]
pub(crate) struct Note {
    /// Its size on the wire.
    pub(crate) bytes: usize,
    /// Why it could not be used.
    pub(crate) verdict: Option<SourceErrorKind>,
}

/// How far a request has come.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) highest: f64,
    pub(crate) signal: Arc<Notify>,
}

/// Messages that answer nothing.
#[derive(Debug, Default)]
pub(crate) struct Noise {
    pub(crate) messages: u64,
    pub(crate) bytes: u64,
    second: Option<Instant>,
    in_second: u32,
    strays: u64,
    banners: u64,
    first_banner: String,
}

impl PendingRequests {
    /// The open request that an id names; servers may send a number as text.
    pub(crate) fn opened(&self, id: &Value) -> Option<RequestId> {
        number_of(id).map(NumberOrString::Number).filter(|id| self.open.contains_key(id))
    }

    /// Notes that a request is made.
    pub(crate) fn note_asked(&mut self, id: &RequestId) {
        if let NumberOrString::Number(number) = id {
            self.highest = self.highest.max(Some(*number));
        }
    }

    /// Whether a request with this id was ever made.
    pub(crate) fn was_asked(&self, id: &Value) -> bool {
        number_of(id).is_some_and(|number| number >= 0 && Some(number) <= self.highest)
    }

    /// The only open request, for answers that do not say what they answer.
    pub(crate) fn only_open(&self) -> Option<RequestId> {
        match self.open.len() {
            1 => self.open.keys().next().cloned(),
            _ => None,
        }
    }

    /// The open request whose id stands in the beginning of a line that cannot be parsed.
    pub(crate) fn mentioned(&self, line: &[u8]) -> Option<RequestId> {
        let start = String::from_utf8_lossy(&line[..line.len().min(ID_SEARCH)]);
        let rest = start.split_once("\"id\"")?.1.trim_start();
        let digits: String = rest
            .strip_prefix(':')?
            .trim_start()
            .trim_start_matches('"')
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        self.opened(&Value::String(digits))
    }

    /// Closes a request whose answer is useless and makes the error answer that its caller gets.
    pub(crate) fn refuse(&mut self, id: RequestId, verdict: SourceErrorKind) -> ServerJsonRpcMessage {
        let message = verdict.to_string();
        if self.open.remove(&id) == Some(Reader::Caller) {
            let note = self.notes.entry(id.clone()).or_default();
            note.verdict = Some(verdict);
        }
        JsonRpcMessage::error(ErrorData::new(ErrorCode::INVALID_REQUEST, message, None), Some(id))
    }

    /// Closes a request whose caller has gone. Its late answer will be nobody's fault.
    pub(crate) fn abandon(&mut self, id: &RequestId) {
        self.notes.remove(id);
        if self.open.remove(id).is_some()
            && let NumberOrString::Number(number) = id
        {
            if self.abandoned.len() >= FORGIVEN {
                self.abandoned.pop_first();
            }
            self.abandoned.insert(*number);
        }
    }

    /// Whether this is the first answer to an abandoned request.
    pub(crate) fn forgives(&mut self, id: &Value) -> bool {
        id.as_i64().is_some_and(|number| self.abandoned.remove(&number))
    }
}

fn number_of(id: &Value) -> Option<i64> {
    match id {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A message that answers nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A notification.
    Notification,
    /// A request of the server's own.
    Request,
    /// An answer to a request that is not open.
    Stray,
    /// A line that is no message.
    Banner,
}

impl Noise {
    /// Counts a message and returns how many came within the current second.
    pub(crate) fn count(&mut self, line: &[u8], kind: Kind, now: Instant) -> u32 {
        self.messages += 1;
        self.bytes += line.len() as u64 + 1;
        match kind {
            Kind::Notification | Kind::Request => {}
            Kind::Stray => self.strays += 1,
            Kind::Banner => {
                self.banners += 1;
                if self.first_banner.is_empty() {
                    let start = &line[..line.len().min(BANNER_CHARS * 4)];
                    self.first_banner = excerpt(&String::from_utf8_lossy(start), BANNER_CHARS);
                }
            }
        }
        match self.second {
            Some(second) if now.duration_since(second) < Duration::from_secs(1) => self.in_second += 1,
            Some(_) | None => {
                self.second = Some(now);
                self.in_second = 1;
            }
        }
        self.in_second
    }

    /// An answer came: the server does its work.
    pub(crate) fn forgive(&mut self) {
        self.messages = 0;
        self.bytes = 0;
    }

    /// What came that was no answer, for a person; begins with a separator, empty when there was nothing.
    pub(crate) fn note(&self) -> String {
        let strays =
            (self.strays > 0).then(|| format!("; {} answers to unknown requests were ignored", self.strays));
        let banners = (self.banners > 0).then(|| {
            format!(
                "; {} lines on its output were no messages, the first: {:?}",
                self.banners, self.first_banner
            )
        });
        [strays, banners].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn book_with(ids: &[i64]) -> PendingRequests {
        let mut book = PendingRequests::default();
        for id in ids {
            book.open.insert(NumberOrString::Number(*id), Reader::Caller);
        }
        book
    }

    #[test]
    fn a_broken_line_is_traced_to_the_open_request_that_it_names() {
        let book = book_with(&[4, 42]);
        let find = |line: &str| book.mentioned(line.as_bytes());
        assert_eq!(find(r#"{"jsonrpc":"2.0","id": 42,"result":"#), Some(NumberOrString::Number(42)));
        assert_eq!(find(r#"{"id":"4","result":"#), Some(NumberOrString::Number(4)));
        assert_eq!(find(r#"{"id":7,"result":"#), None);
        assert_eq!(find(r#"{"result":"#), None);
        assert_eq!(find(r#"{"id":null"#), None);
    }

    #[test]
    fn one_late_answer_to_an_abandoned_request_is_forgiven() {
        let mut book = book_with(&[4]);
        book.abandon(&NumberOrString::Number(4));
        assert!(book.open.is_empty());
        assert_eq!([book.forgives(&4.into()), book.forgives(&4.into())], [true, false]);
        assert!(!book.forgives(&5.into()));
    }

    #[test]
    fn messages_are_counted_second_by_second() {
        let mut noise = Noise::default();
        let begun = Instant::now();
        let mut at =
            |milliseconds| noise.count(b"x", Kind::Notification, begun + Duration::from_millis(milliseconds));
        assert_eq!([at(0), at(500), at(999), at(1_000), at(1_001)], [1, 2, 3, 1, 2]);
    }
}
