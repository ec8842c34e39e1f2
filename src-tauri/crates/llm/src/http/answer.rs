//! One streamed answer, from the request to its end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::CONTENT_ENCODING;
use serde_json::Value;

use super::frames::Decoder;
use super::omission::Omissions;
use super::provider::{Answer, Http, accept, hidden, kind_of};
use super::redaction::StreamRedaction;
use crate::wire::shared::spoken;
use crate::wire::{Call, Frame, Framing, JoinedReader, Reader, Refusal, Target, WrittenReader};
use crate::{Detail, Fault, ModelInfo, ModelRequest, ProviderError, Retry, StreamEvent};

/// The most bytes of one answer.
const ANSWER_BYTES: usize = 128 * 1024 * 1024;
/// What may still follow a finished answer before its connection is given up instead of kept.
const REST: (usize, Duration) = (64 * 1024, AFTER);
/// How long more is waited for when all of an answer has come but, with some hosts, figures.
const AFTER: Duration = Duration::from_secs(2);

/// The pause before an answer that is still being made, and came at once, is asked for again.
const KEPT_AGAIN: Duration = Duration::from_secs(2);

/// A stream's state. Dropping it drops the response, which closes the socket.
pub(super) struct Flow {
    http: Arc<Http>,
    /// As it is sent now: without what was refused of it.
    request: ModelRequest,
    omissions: Omissions,
    model: ModelInfo,
    /// Whether anything of an answer was told.
    told: bool,
    /// The response that is fetched instead of asking anew.
    kept: Option<String>,
    state: State,
    ready: VecDeque<Result<StreamEvent, ProviderError>>,
}

enum State {
    Fresh,
    Reading(Box<Reading>),
    Over,
}

struct Reading {
    answer: Answer,
    decoder: Decoder,
    reader: Box<dyn Reader>,
    hiding: StreamRedaction,
    /// Frames of an answer that came at once.
    whole: Vec<Frame>,
    received: usize,
    /// Whether it was told that the provider has taken the call.
    begun: bool,
    /// Whether the first frame was looked at: it tells of another protocol.
    looked: bool,
}

type Step = Option<(Result<StreamEvent, ProviderError>, Flow)>;

impl Flow {
    pub(super) fn new(http: Arc<Http>, request: ModelRequest) -> Self {
        let model = http.known.model(&request.model);
        let omissions = Omissions::new(request, http.host());
        let request = omissions.request();
        let (state, ready) = (State::Fresh, VecDeque::new());
        Self { http, request, omissions, model, told: false, kept: None, state, ready }
    }

    /// The answer that the provider keeps under an id.
    pub(super) fn attached(http: Arc<Http>, request: ModelRequest, response_id: String) -> Self {
        Self { kept: Some(response_id), ..Self::new(http, request) }
    }

    /// The next event.
    pub(super) async fn next(mut self) -> Step {
        loop {
            if let Some(mut event) = self.ready.pop_front() {
                self.told |= !matches!(event, Err(_) | Ok(StreamEvent::Started { .. }));
                if let Ok(StreamEvent::Finished(answer)) = &mut event {
                    self.omissions.answered(answer);
                }
                if matches!(event, Err(_) | Ok(StreamEvent::Finished(_))) {
                    self.ready.clear();
                    self.state = State::Over;
                }
                return Some((event, self));
            }
            let done = match &mut self.state {
                State::Over => return None,
                State::Fresh => match self.begin().await {
                    Ok(reading) => {
                        self.state = State::Reading(Box::new(reading));
                        Ok(())
                    }
                    Err(error) => Err(error),
                },
                State::Reading(reading) => {
                    reading.read(&self.http, &self.request, &self.model, &mut self.ready).await
                }
            };
            if let Err(error) = done {
                if self.leaves_out(&error) {
                    continue;
                }
                // Where nothing helped, what failed first says why.
                let error = match error.fault {
                    Fault::BadRequest | Fault::Refused => self.omissions.first().unwrap_or(error),
                    _ => error,
                };
                if let State::Reading(reading) = &mut self.state {
                    reading.broken_off(&error, &mut self.ready);
                }
                self.ready.push_back(Err(error));
            }
            if matches!(self.ready.back(), Some(Err(_) | Ok(StreamEvent::Finished(_))))
                && let State::Reading(reading) = std::mem::replace(&mut self.state, State::Over)
                && matches!(self.ready.back(), Some(Ok(_)))
            {
                reading.answer.keep();
            }
        }
    }

    /// After a refusal: whether the request is sent again without a part that may be why.
    fn leaves_out(&mut self, error: &ProviderError) -> bool {
        let said =
            |event: &Result<StreamEvent, ProviderError>| !matches!(event, Ok(StreamEvent::Started { .. }));
        if self.told || self.kept.is_some() || self.ready.iter().any(said) {
            return false;
        }
        let sent = self.http.codec.encode(&self.request, self.http.target(&self.model)).ok();
        if !self.omissions.next(error, sent.and_then(|call| call.body).as_deref()) {
            return false;
        }
        self.request = self.omissions.request();
        self.state = State::Fresh;
        true
    }

    async fn begin(&mut self) -> Result<Reading, ProviderError> {
        let http = &self.http;
        if self.request.model.is_empty() {
            let message = "no model is chosen: name one, or give the connection a defaultModel";
            return Err(http.error(Fault::BadRequest, message).with_detail(Detail::ModelUnknown));
        }
        let target = http.target(&self.model);
        let opened = match &self.kept {
            Some(id) => kept(http, target, id).await?,
            None => asked(http, &self.request, target).await?,
        };
        let Opened { answer, whole } = opened;
        let joined = Box::new(JoinedReader::new(http.codec.reader(&self.request, target)));
        let reader: Box<dyn Reader> = match http.serves_own_models() {
            true => joined,
            false => Box::new(WrittenReader::new(joined, http.codec.kind(), &self.request, target)),
        };
        let received = whole.iter().map(|frame| frame.data.len()).sum();
        let decoder = Decoder::new(http.codec.framing());
        let hiding = StreamRedaction::default();
        Ok(Reading { answer, decoder, reader, hiding, whole, received, begun: false, looked: false })
    }
}

/// Asks anew.
async fn asked(http: &Http, request: &ModelRequest, target: Target<'_>) -> Result<Opened, ProviderError> {
    let call = http.codec.encode(request, target).map_err(|error| http.with_context(error, None, None))?;
    let refusal = match open(http, &call).await {
        Ok(opened) => return Ok(opened),
        Err(refusal) => refusal,
    };
    let Some(plainer) = http.codec.plainer(&call, &refusal) else { return Err(refusal) };
    let opened = open(http, &plainer).await?;
    http.codec.ask_plainly(&http.base);
    Ok(opened)
}

/// Asks for an answer that the provider keeps. One that comes at once, unfinished, is asked for again.
async fn kept(http: &Http, target: Target<'_>, response_id: &str) -> Result<Opened, ProviderError> {
    let Some(calls) = http.codec.kept(target, response_id) else {
        let message = "this provider keeps no answers";
        return Err(http.error(Fault::BadRequest, message).with_detail(Detail::NotKept));
    };
    let call = calls.map_err(|error| http.with_context(error, None, None))?.read;
    loop {
        let opened = match open(http, &call).await {
            Ok(opened) => opened,
            // It is not there (any more), or not to be had: asking again gives the same.
            Err(error) if error.retry() == Retry::Never && error.fault != Fault::Auth => {
                return Err(error.with_detail(Detail::NotKept));
            }
            Err(error) => return Err(error),
        };
        if !opened.whole.iter().any(|frame| http.codec.is_under_way(frame)) {
            return Ok(opened);
        }
        tokio::time::sleep(KEPT_AGAIN).await;
    }
}

/// A call that was taken.
struct Opened {
    answer: Answer,
    /// The frames of an answer that came at once; empty where it streams.
    whole: Vec<Frame>,
}

/// Sends the call of a stream and sees that a stream answers.
async fn open(http: &Http, call: &Call) -> Result<Opened, ProviderError> {
    let framing = http.codec.framing();
    let mut answer = http.ask(call, accept(framing)).await?;
    match received(http, framing, &mut answer).await {
        Err(error) => Err(answer.with_context(http, error)),
        Ok(whole) => Ok(Opened { answer, whole }),
    }
}

/// What came at once of an answer that should be a stream, or what is wrong with it, as far as its headers tell.
async fn received(http: &Http, framing: Framing, answer: &mut Answer) -> Result<Vec<Frame>, ProviderError> {
    let headers = answer.response.headers();
    if headers.get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        return Err(http.foreign("its answer is compressed, which was not asked for"));
    }
    let Some(kind) = kind_of(headers) else { return Ok(Vec::new()) };
    match (kind.as_str(), framing) {
        ("text/event-stream", Framing::Sse) => Ok(Vec::new()),
        // What servers send that never thought about it.
        ("" | "text/plain" | "application/octet-stream", _) => Ok(Vec::new()),
        (kind, Framing::Lines) if kind.contains("json") => Ok(Vec::new()),
        (kind, _) if kind.contains("json") => {
            let body = http.whole(&mut answer.response).await?;
            let body = hidden(String::from_utf8_lossy(&body).into_owned(), answer.secret.as_ref());
            // Some gateways refuse with a status of success.
            let refused = serde_json::from_str::<Value>(&body)
                .is_ok_and(|body| body.get("error").is_some_and(|error| !error.is_null()));
            let status = answer.response.status().as_u16();
            let headers = answer.response.headers();
            match (refused, http.codec.unstreamed(&body)) {
                (true, _) => Err(http.codec.refusal(Refusal { status, headers, body: &body })),
                // Some do not stream whatever they are asked.
                (false, Some(frames)) => Ok(frames),
                (false, None) => Err(http.foreign("it is one JSON value, no stream")),
            }
        }
        (kind, _) if kind.contains("html") => Err(http.foreign("it is a web page")),
        (kind, _) => Err(http.foreign(&format!("its answer is of type {kind:.80}"))),
    }
}

impl Answer {
    fn with_context(&self, http: &Http, error: ProviderError) -> ProviderError {
        http.with_context(error, self.secret.as_ref(), self.request_id.as_deref())
    }

    /// Reads what little follows a finished answer, so that the connection can serve the next call.
    fn keep(mut self) {
        tokio::spawn(async move {
            let (most, wait) = REST;
            let rest = async {
                let mut read = 0;
                while read < most
                    && let Ok(Some(bytes)) = self.response.chunk().await
                {
                    read += bytes.len();
                }
            };
            let _ = tokio::time::timeout(wait, rest).await;
        });
    }
}

impl Reading {
    /// Reads until something is ready or the answer is over.
    async fn read(
        &mut self,
        http: &Http,
        request: &ModelRequest,
        model: &ModelInfo,
        ready: &mut VecDeque<Result<StreamEvent, ProviderError>>,
    ) -> Result<(), ProviderError> {
        let whole = std::mem::take(&mut self.whole);
        if !whole.is_empty() {
            self.frames(http, &whole, ready)?;
            return Ok(());
        }
        let complete = self.reader.is_complete();
        let patience = if complete { http.silence.min(AFTER) } else { http.silence };
        let arrived = match tokio::time::timeout(patience, self.answer.response.chunk()).await {
            // Whoever leaves a finished answer open, or breaks off after it, has said all of it.
            Err(_) | Ok(Err(_)) if complete => None,
            Err(_) => return Err(self.answer.with_context(http, http.silent())),
            Ok(Err(error)) => {
                // Whatever broke it: from here on the answer is cut.
                let cause = http.broken(&error);
                let fault = if cause.fault == Fault::Timeout { Fault::Timeout } else { Fault::StreamCut };
                let message = "the connection broke before the answer was complete";
                return Err(self.answer.with_context(http, http.error(fault, message)));
            }
            Ok(Ok(arrived)) => arrived,
        };
        let mut frames = Vec::new();
        let decoded = match &arrived {
            Some(bytes) => {
                self.received += bytes.len();
                self.decoder.push(bytes, &mut frames)
            }
            None => self.decoder.finish(&mut frames),
        };
        if self.frames(http, &frames, ready)? {
            return Ok(());
        }
        decoded
            .map_err(|error| self.answer.with_context(http, http.error(error.fault(), error.to_string())))?;
        if self.received > ANSWER_BYTES {
            let message = format!("an answer is longer than {} MiB", ANSWER_BYTES >> 20);
            return Err(self.answer.with_context(http, http.error(Fault::OverCap, message)));
        }
        if arrived.is_some() {
            return Ok(());
        }
        let events = self.reader.end();
        if self.take(http, events, ready)? {
            return Ok(());
        }
        let Some(continuation) = self.reader.continuation() else {
            let message = "the stream ended before the answer was complete";
            return Err(self.answer.with_context(http, http.error(Fault::StreamCut, message)));
        };
        let call = http.codec.encode_continued(request, http.target(model), &continuation);
        let call = call.map_err(|error| self.answer.with_context(http, error))?;
        let Opened { answer, whole } = open(http, &call).await?;
        (self.answer, self.whole) = (answer, whole);
        self.decoder = Decoder::new(http.codec.framing());
        Ok(())
    }

    /// Reads frames; whether the answer is finished with them.
    fn frames(
        &mut self,
        http: &Http,
        frames: &[Frame],
        ready: &mut VecDeque<Result<StreamEvent, ProviderError>>,
    ) -> Result<bool, ProviderError> {
        for frame in frames {
            // Some hosts keep a connection alive with events that hold nothing.
            if frame.data.trim_ascii().is_empty() {
                continue;
            }
            if !std::mem::replace(&mut self.looked, true)
                && let Some(other) = spoken(&frame.data).filter(|other| *other != http.codec.kind())
            {
                let message = format!("its answer is one of {}", other.as_str());
                return Err(self.answer.with_context(http, http.foreign(&message)));
            }
            let events = self.reader.frame(frame);
            if self.take(http, events, ready)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What is told before a failure: the end of what was said, and that the provider worked, where it said nothing else.
    fn broken_off(
        &mut self,
        error: &ProviderError,
        ready: &mut VecDeque<Result<StreamEvent, ProviderError>>,
    ) {
        let unexplained = matches!(
            error.fault,
            Fault::StreamCut | Fault::Malformed | Fault::Timeout | Fault::Network | Fault::OverCap
        );
        if self.received > 0 && unexplained && !std::mem::replace(&mut self.begun, true) {
            ready.push_back(Ok(StreamEvent::Started { response_id: None }));
        }
        self.hiding.rest(ready);
    }

    /// Makes events ready; whether the answer is finished with them.
    fn take(
        &mut self,
        http: &Http,
        events: Result<Vec<StreamEvent>, ProviderError>,
        ready: &mut VecDeque<Result<StreamEvent, ProviderError>>,
    ) -> Result<bool, ProviderError> {
        for mut event in events.map_err(|error| self.answer.with_context(http, error))? {
            let finished = match &mut event {
                StreamEvent::Finished(answer) => {
                    answer.request_id = answer.request_id.take().or_else(|| self.answer.request_id.clone());
                    true
                }
                StreamEvent::Started { .. }
                | StreamEvent::Text(_)
                | StreamEvent::Thinking(_)
                | StreamEvent::ToolCallBegun { .. } => false,
            };
            self.begun = true;
            self.hiding.pass(event, self.answer.secret.as_ref(), ready);
            if finished {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
