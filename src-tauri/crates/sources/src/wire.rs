//! What a server's output is believed to be.
//!
//! Every line is bounded before it is kept and classified before it is parsed in full. Answers are matched to the
//! requests that are open; whatever answers nothing (notifications, stray or repeated answers, banners) is counted and
//! cuts the server off when there is too much of it. An answer that cannot be used is turned into an error answer for
//! its request at once, so that no call waits for something that already came.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use domain::readable_json;
use parking_lot::Mutex;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, CustomResult, ErrorCode, ErrorData, JsonRpcMessage,
    ProgressToken, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::batch::{self, TooMany, id_of};
use crate::config::SourceConfig;
use crate::error::SourceErrorKind;
use crate::pending_requests::{Kind, LateProbe, Note, PendingRequests, Progress, Reader};
use crate::text::excerpt;

/// U+FEFF, which may begin a stream and no message.
pub(crate) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// The side of the transport that callers hold.
#[derive(Debug)]
pub(crate) struct Wire {
    book: Mutex<PendingRequests>,
    /// Cancelled when the server is cut off or has closed its output.
    pub(crate) ended: CancellationToken,
    /// Cancelled when nothing is to be sent any more.
    pub(crate) input_closed: CancellationToken,
    limits: Limits,
    /// How many questions wait for a person.
    asked: AtomicUsize,
}

/// A person is being asked for as long as it lives.
#[derive(Debug)]
pub(crate) struct ElicitationGuard(Arc<Wire>);

impl Drop for ElicitationGuard {
    fn drop(&mut self) {
        self.0.asked.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug, Clone, Copy)]
struct Limits {
    message: usize,
    noise_messages: u32,
    noise_bytes: usize,
    probe: Option<Duration>,
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    jsonrpc: Option<IgnoredAny>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    error: Option<IgnoredAny>,
    #[serde(default)]
    result: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct ProgressMessage {
    params: ProgressParams,
}

#[derive(Deserialize)]
struct ProgressParams {
    #[serde(rename = "progressToken")]
    token: ProgressToken,
    progress: f64,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(default)]
    result: Option<Value>,
    #[serde(default)]
    error: Option<ErrorData>,
}

impl Wire {
    pub(crate) fn new(config: &SourceConfig) -> Arc<Self> {
        Arc::new(Self {
            book: Mutex::default(),
            ended: CancellationToken::new(),
            input_closed: CancellationToken::new(),
            limits: Limits {
                message: config.max_result_bytes,
                noise_messages: config.max_noise_per_second,
                noise_bytes: config.max_noise_bytes,
                // Over HTTP the era is found out before the handshake begins.
                probe: config.http.is_none().then_some(config.probe_timeout),
            },
            asked: AtomicUsize::new(0),
        })
    }

    /// Closes the server's input and stops listening to it.
    pub(crate) fn close(&self) {
        self.input_closed.cancel();
        self.ended.cancel();
    }

    /// Why the server was cut off, if it was.
    pub(crate) fn fault(&self) -> Option<SourceErrorKind> {
        self.book.lock().fault.clone()
    }

    /// Whether the server ever answered anything.
    pub(crate) fn has_answered(&self) -> bool {
        self.book.lock().answers > 0
    }

    /// Waits for the answer to `server/discover` as long as the start may take.
    pub(crate) fn wait_for_probe(&self) {
        self.book.lock().probe_waits = true;
    }

    /// Whether the server answered the probe, but too late. One that knows no probe never answers it.
    pub(crate) fn answered_probe_late(&self) -> bool {
        self.book.lock().late_probe == LateProbe::Answered
    }

    /// What was learnt about the answer to a request.
    pub(crate) fn take_note(&self, id: &RequestId) -> Note {
        self.book.lock().notes.remove(id).unwrap_or_default()
    }

    /// Forgets a request that nobody waits for any more.
    pub(crate) fn abandon(&self, id: &RequestId) {
        self.book.lock().abandon(id);
    }

    /// The largest message that is read, in bytes.
    pub(crate) fn message_limit(&self) -> usize {
        self.limits.message
    }

    /// When the silence after `server/discover` has lasted long enough.
    pub(crate) fn probe_deadline(&self) -> Option<tokio::time::Instant> {
        self.book.lock().probe.as_ref().map(|(_, at)| *at)
    }

    /// A signal for progress of the request with this token.
    pub(crate) fn watch_progress(&self, token: &ProgressToken) -> Arc<Notify> {
        let signal = Arc::new(Notify::new());
        let progress = Progress { highest: f64::NEG_INFINITY, signal: Arc::clone(&signal) };
        self.book.lock().progress.insert(token.clone(), progress);
        signal
    }

    pub(crate) fn forget_progress(&self, token: &ProgressToken) {
        self.book.lock().progress.remove(token);
    }

    /// What came instead of an answer, for the error of a call that got none; begins with a separator.
    pub(crate) fn noise_note(&self) -> String {
        self.book.lock().noise.note()
    }

    /// Whether a request still waits for its answer.
    pub(crate) fn is_open(&self, id: &RequestId) -> bool {
        self.book.lock().open.contains_key(id)
    }

    /// Ends a request without an answer. A handshake that fails ends the whole connection.
    pub(crate) fn fail(&self, id: &RequestId, verdict: SourceErrorKind) -> Option<ServerJsonRpcMessage> {
        let mut book = self.book.lock();
        match book.open.get(id)? {
            Reader::Caller => Some(book.refuse(id.clone(), verdict)),
            Reader::Sdk => {
                drop(book);
                self.cut_off(verdict);
                None
            }
        }
    }

    /// Counts bytes that carry nothing: comments and empty events of a stream.
    pub(crate) fn count_idle_bytes(&self, count: usize) {
        let mut book = self.book.lock();
        book.noise.bytes += count as u64;
        let (messages, bytes) = (book.noise.messages, book.noise.bytes);
        drop(book);
        if bytes > self.limits.noise_bytes as u64 {
            self.cut_off(SourceErrorKind::Flood { messages, bytes });
        }
    }

    /// Marks that a person is being asked, until the guard is dropped: deadlines wait for people.
    pub(crate) fn ask_person(self: &Arc<Self>) -> ElicitationGuard {
        self.asked.fetch_add(1, Ordering::Relaxed);
        ElicitationGuard(Arc::clone(self))
    }

    /// Whether a person is being asked.
    pub(crate) fn waits_for_person(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn cut_off(&self, fault: SourceErrorKind) {
        self.book.lock().fault.get_or_insert(fault);
        self.ended.cancel();
    }
}

fn too_large(limit: usize) -> SourceErrorKind {
    SourceErrorKind::TooLarge { what: "its answer".into(), limit }
}

impl Wire {
    /// Notes what is about to be sent.
    pub(crate) fn note_sent(&self, message: &ClientJsonRpcMessage) {
        let mut book = self.book.lock();
        match message {
            JsonRpcMessage::Request(request) => {
                let method = request.request.method();
                let reader = match method {
                    "initialize" | "server/discover" | "ping" => Reader::Sdk,
                    _ => Reader::Caller,
                };
                book.note_asked(&request.id);
                book.open.insert(request.id.clone(), reader);
                if let Some(probe) = self.limits.probe
                    && method == "server/discover"
                    && !book.probe_waits
                {
                    let at = tokio::time::Instant::now() + probe;
                    book.probe = Some((request.id.clone(), at));
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    book.abandon(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    /// Answers our own `server/discover` in the name of a server that knows it not and stays silent.
    pub(crate) fn answer_probe(&self) -> Option<ServerJsonRpcMessage> {
        let mut book = self.book.lock();
        let (id, _) = book.probe.take()?;
        book.open.remove(&id)?;
        book.late_probe = LateProbe::Missed(id.clone());
        let error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "no answer to the probe", None);
        Some(JsonRpcMessage::error(error, Some(id)))
    }

    /// Reads the beginning of a line that was too long.
    pub(crate) fn read_too_long(&self, start: &[u8]) -> Option<ServerJsonRpcMessage> {
        let verdict = too_large(self.limits.message);
        let mut book = self.book.lock();
        let asked = book.mentioned(start).or_else(|| book.only_open());
        if let Some(id) = asked {
            return Some(book.refuse(id, verdict));
        }
        drop(book);
        self.cut_off(verdict);
        None
    }

    /// Gives up on a line without end.
    pub(crate) fn read_endless(&self) -> Option<ServerJsonRpcMessage> {
        self.cut_off(too_large(self.limits.message));
        None
    }

    /// The next of several messages that one line carried.
    pub(crate) fn queued(&self) -> Option<ServerJsonRpcMessage> {
        self.book.lock().queued.pop_front()
    }

    /// Reads a line; returns what the SDK is to know of it. More of it may wait in [`Self::queued`].
    pub(crate) fn read_line(&self, line: &[u8]) -> Option<ServerJsonRpcMessage> {
        // A byte that is no text costs one character, not the answer.
        let line = &*readable_json(line);
        match batch::read(line) {
            Some(batch) => self.read_batch(line, batch),
            None => self.read_message(line),
        }
    }

    /// Several messages at once: the generation of 2025-03-26 alone has that.
    fn read_batch(
        &self,
        line: &[u8],
        batch: Result<Vec<&RawValue>, TooMany>,
    ) -> Option<ServerJsonRpcMessage> {
        let allowed = self.book.lock().batches;
        let messages = match batch {
            Ok(messages) if allowed => messages,
            Ok(messages) => {
                let ids: Vec<Value> = messages.iter().filter_map(|message| id_of(message)).collect();
                return self.refuse_line(
                    line,
                    &ids,
                    "it answered with a batch, which its generation of the protocol has not",
                );
            }
            Err(TooMany) => {
                let detail = format!("its batch has more than {} messages", batch::MAX_MESSAGES);
                return self.refuse_line(line, &[], &detail);
            }
        };
        let mut read: VecDeque<_> =
            messages.iter().filter_map(|message| self.read_message(message.get().as_bytes())).collect();
        let first = read.pop_front();
        self.book.lock().queued.append(&mut read);
        first
    }

    /// Ends the requests that a line answers in a way that can't be used; where it names none of them, the only one that is
    /// open.
    fn refuse_line(&self, line: &[u8], ids: &[Value], detail: &str) -> Option<ServerJsonRpcMessage> {
        let mut book = self.book.lock();
        let mut asked: Vec<RequestId> = ids.iter().filter_map(|id| book.opened(id)).collect();
        if asked.is_empty() {
            asked.extend(book.mentioned(line).or_else(|| book.only_open()));
        }
        let mut refused: VecDeque<_> =
            asked.into_iter().map(|id| book.refuse(id, malformed(detail))).collect();
        let first = refused.pop_front();
        book.queued.append(&mut refused);
        drop(book);
        if first.is_none() {
            self.count_noise(line, Kind::Banner);
        }
        first
    }

    fn read_message(&self, line: &[u8]) -> Option<ServerJsonRpcMessage> {
        let envelope = match serde_json::from_slice::<Envelope>(line) {
            Ok(envelope) => envelope,
            Err(error) => return self.read_unreadable(line, &error),
        };
        match (&envelope.method, &envelope.id) {
            (Some(method), None) => {
                if method == "notifications/progress" {
                    self.note_progress(line);
                }
                self.count_noise(line, Kind::Notification);
                None
            }
            (Some(_), Some(_)) => {
                self.count_noise(line, Kind::Request);
                // The SDK answers what it can and refuses the rest: no sampling, no elicitation, no roots.
                serde_json::from_slice(line).ok()
            }
            (None, id) => self.read_answer(line, id.as_ref(), &envelope),
        }
    }

    /// Reads what answers one request and no other, whatever id it carries.
    pub(crate) fn read_reply(&self, asked: &RequestId, body: &[u8]) -> Option<ServerJsonRpcMessage> {
        let body = &*readable_json(body);
        match serde_json::from_slice::<Envelope>(body) {
            Ok(envelope) if envelope.method.is_none() && envelope.jsonrpc.is_some() => {
                let id = serde_json::to_value(asked).unwrap_or_default();
                self.read_answer(body, Some(&id), &envelope)
            }
            Ok(_) | Err(_) => self.fail(asked, malformed("its answer is no JSON-RPC message")),
        }
    }

    /// A line that is no JSON-RPC message: a banner, or an answer broken beyond parsing.
    fn read_unreadable(&self, line: &[u8], error: &serde_json::Error) -> Option<ServerJsonRpcMessage> {
        if let Some(rest) = line.trim_ascii_start().strip_prefix(BYTE_ORDER_MARK)
            && let Ok(Envelope { jsonrpc: Some(_), id, .. }) = serde_json::from_slice(rest)
        {
            return self.refuse_line(rest, id.as_slice(), "its answer begins with a byte order mark");
        }
        // JSON that is no message of the protocol's form, as one that says a member twice.
        if error.is_data()
            && let Ok(Value::Object(message)) = serde_json::from_slice::<Value>(line)
            && message.contains_key("jsonrpc")
            && !message.contains_key("method")
        {
            return self.refuse_line(line, &[], &format!("its answer cannot be parsed: {error}"));
        }
        if line.trim_ascii_start().starts_with(b"{") {
            let mut book = self.book.lock();
            if let Some(id) = book.mentioned(line) {
                return Some(book.refuse(id, malformed("its answer cannot be parsed")));
            }
        }
        self.count_noise(line, Kind::Banner);
        None
    }

    fn read_answer(
        &self,
        line: &[u8],
        id: Option<&Value>,
        envelope: &Envelope,
    ) -> Option<ServerJsonRpcMessage> {
        // Servers log JSON to the wrong stream, and log lines have ids too.
        let is_message = envelope.jsonrpc.is_some() && (id.is_some() || envelope.error.is_some());
        if !is_message {
            // In the greeting nothing else can be meant, and whoever waits would wait for nothing.
            let mut book = self.book.lock();
            let greeting =
                id.and_then(|id| book.opened(id)).filter(|id| book.open.get(id) == Some(&Reader::Sdk));
            if let Some(id) = greeting.filter(|_| envelope.result.is_some() || envelope.error.is_some()) {
                return Some(
                    book.refuse(id, malformed("its answer to the greeting lacks \"jsonrpc\": \"2.0\"")),
                );
            }
            drop(book);
            self.count_noise(line, Kind::Banner);
            return None;
        }
        let mut book = self.book.lock();
        let asked = match id {
            Some(id) => book.opened(id),
            // An error without an id answers a request that the server could not read.
            None => book.only_open().filter(|_| envelope.error.is_some()),
        };
        let Some(id) = asked else {
            if let (Some(id), LateProbe::Missed(probe)) = (id, &book.late_probe)
                && serde_json::to_value(probe).is_ok_and(|probe| probe == *id)
            {
                book.late_probe = LateProbe::Answered;
                return None;
            }
            let late = id.is_some_and(|id| book.forgives(id));
            // Whoever waits would wait for nothing. Of several nobody can say which one was meant.
            if let Some(unknown) = id.filter(|id| !late && !book.was_asked(id))
                && let Some(waiting) = book.only_open()
            {
                let detail =
                    format!("it answered a request {} that nobody made", excerpt(&unknown.to_string(), 40));
                return Some(book.refuse(waiting, malformed(&detail)));
            }
            drop(book);
            if !late {
                self.count_noise(line, Kind::Stray);
            }
            return None;
        };
        book.answers += 1;
        book.noise.forgive();
        if book.probe.as_ref().is_some_and(|(probe, _)| *probe == id) {
            book.probe = None;
        }
        if book.open.get(&id) == Some(&Reader::Sdk) {
            return Some(match serde_json::from_slice::<ServerJsonRpcMessage>(line) {
                Ok(JsonRpcMessage::Response(mut response)) => {
                    if let ServerResult::InitializeResult(greeting) = &response.result {
                        book.batches = greeting.protocol_version.as_str() == batch::GENERATION;
                    }
                    book.open.remove(&id);
                    response.id = id;
                    JsonRpcMessage::Response(response)
                }
                Ok(JsonRpcMessage::Error(mut error)) => {
                    book.open.remove(&id);
                    error.id = Some(id);
                    JsonRpcMessage::Error(error)
                }
                Ok(JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_)) | Err(_) => {
                    book.refuse(id, malformed("its answer to the handshake has a wrong shape"))
                }
            });
        }
        // Parsing a large answer takes a while, and the lock is not needed for it.
        drop(book);
        let answer = serde_json::from_slice::<Answer>(line);
        let mut book = self.book.lock();
        if !book.open.contains_key(&id) {
            return None;
        }
        let message = match answer {
            Ok(Answer { error: Some(error), .. }) => JsonRpcMessage::error(error, Some(id.clone())),
            Ok(Answer { result: Some(result), error: None }) => {
                JsonRpcMessage::response(ServerResult::CustomResult(CustomResult::new(result)), id.clone())
            }
            Ok(Answer { result: None, error: None }) => {
                return Some(book.refuse(id, malformed("its answer has no result")));
            }
            Err(error) => {
                let detail = format!("its answer cannot be parsed: {error}");
                return Some(book.refuse(id, malformed(&detail)));
            }
        };
        book.open.remove(&id);
        book.notes.entry(id).or_default().bytes = line.len();
        Some(message)
    }

    fn note_progress(&self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<ProgressMessage>(line) else {
            return;
        };
        let mut book = self.book.lock();
        if let Some(progress) = book.progress.get_mut(&message.params.token)
            // A value that does not grow is no progress (MCP 2026-07-28, Progress).
            && message.params.progress > progress.highest
        {
            progress.highest = message.params.progress;
            progress.signal.notify_one();
        }
    }

    fn count_noise(&self, line: &[u8], kind: Kind) {
        let mut book = self.book.lock();
        let in_second = book.noise.count(line, kind, Instant::now());
        let (messages, bytes) = (book.noise.messages, book.noise.bytes);
        drop(book);
        if in_second > self.limits.noise_messages || bytes > self.limits.noise_bytes as u64 {
            self.cut_off(SourceErrorKind::Flood { messages, bytes });
        }
    }
}

fn malformed(detail: &str) -> SourceErrorKind {
    SourceErrorKind::Protocol { detail: detail.to_owned() }
}
