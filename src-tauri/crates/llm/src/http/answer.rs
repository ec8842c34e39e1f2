//! One streamed answer, from the request to its end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::CONTENT_ENCODING;
use serde_json::Value;

use super::frames::Decoder;
use super::provider::{Answer, Http, accept, beginning, hidden, kind_of};
use crate::wire::{Call, Framing, Reader, Refusal};
use crate::{Detail, Fault, ModelInfo, ModelRequest, ProviderError, StreamEvent};

/// The most bytes of one answer.
const ANSWER_BYTES: usize = 128 * 1024 * 1024;
/// What may still follow a finished answer before its connection is given up instead of kept.
const REST: (usize, Duration) = (64 * 1024, Duration::from_secs(2));

/// A stream's state. Dropping it drops the response, which closes the socket.
pub(super) struct Flow {
    http: Arc<Http>,
    request: ModelRequest,
    model: ModelInfo,
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
    received: usize,
}

type Step = Option<(Result<StreamEvent, ProviderError>, Flow)>;

impl Flow {
    pub(super) fn new(http: Arc<Http>, request: ModelRequest) -> Self {
        let model = http.known.model(&request.model);
        Self { http, request, model, state: State::Fresh, ready: VecDeque::new() }
    }

    /// The next event.
    pub(super) async fn next(mut self) -> Step {
        loop {
            if let Some(event) = self.ready.pop_front() {
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

    async fn begin(&mut self) -> Result<Reading, ProviderError> {
        let http = &self.http;
        if self.request.model.is_empty() {
            let message = "no model is chosen: name one, or give the connection a defaultModel";
            return Err(http.error(Fault::BadRequest, message).with_detail(Detail::ModelUnknown));
        }
        let target = http.target(&self.model);
        let encoded = http.codec.encode(&self.request, target);
        let call = encoded.map_err(|error| http.told(error, None, None))?;
        let answer = open(http, &call).await?;
        let reader = http.codec.reader(&self.request, target);
        Ok(Reading { answer, decoder: Decoder::new(http.codec.framing()), reader, received: 0 })
    }
}

/// Sends the call of a stream and sees that a stream answers.
async fn open(http: &Http, call: &Call) -> Result<Answer, ProviderError> {
    let framing = http.codec.framing();
    let mut answer = http.ask(call, accept(framing)).await?;
    match foreign(http, framing, &mut answer).await {
        Some(error) => Err(answer.told(http, error)),
        None => Ok(answer),
    }
}

/// What is wrong with an answer that should be a stream, as far as its headers tell.
async fn foreign(http: &Http, framing: Framing, answer: &mut Answer) -> Option<ProviderError> {
    let headers = answer.response.headers();
    if headers.get(CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
        return Some(http.foreign("its answer is compressed, which was not asked for"));
    }
    let kind = kind_of(headers)?;
    match (kind.as_str(), framing) {
        ("text/event-stream", Framing::Sse) => None,
        // What servers send that never thought about it.
        ("" | "text/plain" | "application/octet-stream", _) => None,
        (kind, Framing::Lines) if kind.contains("json") => None,
        (kind, _) if kind.contains("json") => {
            // Some gateways refuse with a status of success.
            let body = hidden(beginning(&mut answer.response).await, answer.secret.as_ref());
            let refused = serde_json::from_str::<Value>(&body).is_ok_and(|body| body.get("error").is_some());
            let status = answer.response.status().as_u16();
            let headers = answer.response.headers();
            Some(match refused {
                true => http.codec.refusal(Refusal { status, headers, body: &body }),
                false => http.foreign("it is one JSON value, no stream"),
            })
        }
        (kind, _) if kind.contains("html") => Some(http.foreign("it is a web page")),
        (kind, _) => Some(http.foreign(&format!("its answer is of type {kind:.80}"))),
    }
}

impl Answer {
    fn told(&self, http: &Http, error: ProviderError) -> ProviderError {
        http.told(error, self.secret.as_ref(), self.request_id.as_deref())
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
        let arrived = match tokio::time::timeout(http.silence, self.answer.response.chunk()).await {
            Err(_) => return Err(self.answer.told(http, http.silent())),
            Ok(Err(error)) => {
                // Whatever broke it: from here on the answer is cut.
                let cause = http.broken(&error);
                let fault = if cause.fault == Fault::Timeout { Fault::Timeout } else { Fault::StreamCut };
                let message = "the connection broke before the answer was complete";
                return Err(self.answer.told(http, http.error(fault, message)));
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
        for frame in &frames {
            // Some hosts keep a connection alive with events that hold nothing.
            if frame.data.trim_ascii().is_empty() {
                continue;
            }
            let events = self.reader.frame(frame);
            if self.take(http, events, ready)? {
                return Ok(());
            }
        }
        decoded.map_err(|error| self.answer.told(http, http.error(error.fault(), error.to_string())))?;
        if self.received > ANSWER_BYTES {
            let message = format!("an answer is longer than {} MiB", ANSWER_BYTES >> 20);
            return Err(self.answer.told(http, http.error(Fault::OverCap, message)));
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
            return Err(self.answer.told(http, http.error(Fault::StreamCut, message)));
        };
        let call = http.codec.encode_continued(request, http.target(model), &continuation);
        let call = call.map_err(|error| self.answer.told(http, error))?;
        self.answer = open(http, &call).await?;
        self.decoder = Decoder::new(http.codec.framing());
        Ok(())
    }

    /// Makes events ready; whether the answer is finished with them.
    fn take(
        &self,
        http: &Http,
        events: Result<Vec<StreamEvent>, ProviderError>,
        ready: &mut VecDeque<Result<StreamEvent, ProviderError>>,
    ) -> Result<bool, ProviderError> {
        for mut event in events.map_err(|error| self.answer.told(http, error))? {
            let finished = match &mut event {
                StreamEvent::Finished(answer) => {
                    answer.request_id = answer.request_id.take().or_else(|| self.answer.request_id.clone());
                    true
                }
                _ => false,
            };
            ready.push_back(Ok(event));
            if finished {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
