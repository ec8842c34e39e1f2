//! From a stream to an answer.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::Stream;

use crate::{Fault, ModelAnswer, ProviderError, StreamEvent};

/// Bounds of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest silence between two events. Transports bound the silence of the wire more tightly: an answer that
    /// shows nothing for minutes but signs of life is alive.
    pub inactivity: Duration,
    /// The most bytes of text and thinking together.
    pub max_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { inactivity: Duration::from_secs(900), max_bytes: 8 * 1024 * 1024 }
    }
}

/// Reads a stream to its end and returns the finished answer; every event before it is shown to `on_event`.
///
/// Fails with `StreamCut` when the stream ends without `Finished`, `Timeout` after too long a silence, `OverCap` when
/// more arrives than allowed. In all three the stream is dropped, which cancels the call.
pub async fn collect<S, F>(
    provider: &str,
    mut stream: S,
    limits: Limits,
    mut on_event: F,
) -> Result<ModelAnswer, ProviderError>
where
    S: Stream<Item = Result<StreamEvent, ProviderError>> + Unpin,
    F: FnMut(&StreamEvent),
{
    let mut bytes = 0usize;
    // What arrived is counted only when the call fails: a finished answer brings its own figures.
    let mut text_so_far = String::new();
    let fail = |fault, message: String, streamed: &str| {
        let mut error = ProviderError::new(provider, fault, message);
        error.streamed_tokens = context::estimate(streamed);
        error
    };
    loop {
        let Ok(next) = tokio::time::timeout(limits.inactivity, stream.next()).await else {
            let message = format!("nothing arrived for {} seconds", limits.inactivity.as_secs_f32());
            return Err(fail(Fault::Timeout, message, &text_so_far));
        };
        let arrived = match &next {
            None => {
                return Err(fail(
                    Fault::StreamCut,
                    "the stream ended before the answer was complete".to_owned(),
                    &text_so_far,
                ));
            }
            Some(Err(error)) => {
                let mut error = error.clone();
                error.streamed_tokens = error.streamed_tokens.max(context::estimate(&text_so_far));
                return Err(error);
            }
            Some(Ok(StreamEvent::Started { .. } | StreamEvent::ToolCallBegun { .. })) => 0,
            Some(Ok(StreamEvent::Text(text) | StreamEvent::Thinking(text))) => {
                text_so_far.push_str(text);
                text.len()
            }
            Some(Ok(StreamEvent::Finished(answer))) => answer.text.len().saturating_sub(bytes),
        };
        bytes = bytes.saturating_add(arrived);
        if bytes > limits.max_bytes {
            return Err(fail(
                Fault::OverCap,
                format!("more than {} bytes arrived", limits.max_bytes),
                &text_so_far,
            ));
        }
        match next {
            Some(Ok(StreamEvent::Finished(answer))) => return Ok(answer),
            Some(Ok(event)) => on_event(&event),
            None | Some(Err(_)) => {}
        }
    }
}
