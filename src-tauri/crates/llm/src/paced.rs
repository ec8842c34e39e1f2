//! A provider that hands out its text no faster than a given pace: what streaming looks and feels like, without a network.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{StreamExt as _, stream};

use crate::provider::AnswerStream;
use crate::{Lane, ModelInfo, ModelRequest, Provider, ProviderError, StreamEvent};

/// Bytes that are counted as one token.
const TOKEN: usize = 4;
/// Pieces a second: each is as long as the pace needs.
const PIECES: u32 = 25;

/// A provider at a pace. The answer is the provider's own; only its pieces come later, and smaller.
#[derive(Clone)]
pub struct Paced {
    provider: Arc<dyn Provider>,
    tokens_per_second: NonZeroU32,
}

impl Paced {
    /// `tokens_per_second`: about four bytes each.
    pub fn new(provider: Arc<dyn Provider>, tokens_per_second: NonZeroU32) -> Self {
        Self { provider, tokens_per_second }
    }
}

impl Provider for Paced {
    fn name(&self) -> &str {
        self.provider.name()
    }

    fn model(&self, name: &str) -> ModelInfo {
        self.provider.model(name)
    }

    fn lane(&self) -> Option<Arc<Lane>> {
        self.provider.lane()
    }

    fn keeps_answers(&self) -> bool {
        self.provider.keeps_answers()
    }

    fn continues_drafts(&self) -> bool {
        self.provider.continues_drafts()
    }

    fn attach(&self, request: ModelRequest, response_id: &str) -> Option<AnswerStream> {
        self.provider.attach(request, response_id)
    }

    fn cancel(&self, response_id: &str) -> BoxFuture<'_, Result<(), ProviderError>> {
        self.provider.cancel(response_id)
    }

    fn stream(&self, request: ModelRequest) -> AnswerStream {
        let bytes = (TOKEN * self.tokens_per_second.get() as usize / PIECES as usize).max(1);
        let wait =
            Duration::from_secs_f64(bytes as f64 / (TOKEN as f64 * f64::from(self.tokens_per_second.get())));
        self.provider
            .stream(request)
            .flat_map(move |event| {
                let pieces: Vec<_> = match event {
                    Ok(StreamEvent::Text(text)) => {
                        cut(&text, bytes).map(|piece| Ok(StreamEvent::Text(piece))).collect()
                    }
                    other => vec![other],
                };
                stream::iter(pieces)
            })
            .then(move |event| async move {
                if matches!(event, Ok(StreamEvent::Text(_))) {
                    tokio::time::sleep(wait).await;
                }
                event
            })
            .boxed()
    }
}

/// Pieces of at least so many bytes, cut between characters.
fn cut(text: &str, bytes: usize) -> impl Iterator<Item = String> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(bytes.min(rest.len())));
        rest = after;
        Some(piece.to_owned())
    })
    .collect::<Vec<_>>()
    .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModelAnswer, StopReason};

    struct Whole(&'static str);

    impl Provider for Whole {
        fn name(&self) -> &str {
            "whole"
        }

        fn model(&self, name: &str) -> ModelInfo {
            ModelInfo::free(name, "whole", 1_000, 1_000)
        }

        fn stream(&self, _request: ModelRequest) -> AnswerStream {
            let answer = ModelAnswer::of_text(self.0, "m", domain::Usage::default(), StopReason::EndTurn);
            let events = vec![
                Ok(StreamEvent::Started { response_id: None }),
                Ok(StreamEvent::Text(self.0.to_owned())),
                Ok(StreamEvent::Finished(answer)),
            ];
            stream::iter(events).boxed()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_same_answer_comes_in_pieces_at_the_pace() {
        let text = "über alles geprüft ".repeat(40);
        let text: &'static str = text.leak();
        let paced = Paced::new(Arc::new(Whole(text)), NonZeroU32::new(100).unwrap());
        let began = tokio::time::Instant::now();
        let events: Vec<_> = paced.stream(ModelRequest::default()).collect().await;
        let pieces: Vec<&str> = events
            .iter()
            .filter_map(|event| match event {
                Ok(StreamEvent::Text(piece)) => Some(piece.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(pieces.concat(), text);
        assert!(pieces.len() > 40, "{}", pieces.len());
        let seconds = began.elapsed().as_secs_f64();
        let expected = text.len() as f64 / 400.0;
        assert!((seconds / expected - 1.0).abs() < 0.2, "{seconds} s instead of {expected} s");
        assert!(matches!(events.last(), Some(Ok(StreamEvent::Finished(answer))) if answer.text == text));
    }
}
