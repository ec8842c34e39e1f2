//! The secret of a connection cut out of what a host answers: it could repeat it, and answers are stored.

use std::collections::VecDeque;

use secrecy::{ExposeSecret as _, SecretString};

use super::provider::{SECRET, secret_of};
use crate::{ProviderError, StreamEvent};

/// What is on its way of an answer, without the secret however it is cut.
#[derive(Default)]
pub(super) struct StreamRedaction {
    text: WithheldText,
    thinking: WithheldText,
}

/// The end of what was said that the secret may begin with.
#[derive(Default)]
struct WithheldText(String);

impl WithheldText {
    fn pass(&mut self, piece: String, secret: &str) -> String {
        let mut said = std::mem::take(&mut self.0);
        said.push_str(&piece);
        if said.contains(secret) {
            said = said.replace(secret, SECRET);
        }
        let begins = |at: &usize| said.is_char_boundary(*at) && secret.starts_with(&said[*at..]);
        let from = said.len().saturating_sub(secret.len() - 1);
        if let Some(at) = (from..said.len()).find(begins) {
            self.0 = said.split_off(at);
        }
        said
    }
}

impl StreamRedaction {
    /// Makes an event ready.
    pub(super) fn pass(
        &mut self,
        event: StreamEvent,
        secret: Option<&SecretString>,
        ready: &mut VecDeque<Result<StreamEvent, ProviderError>>,
    ) {
        let Some(secret) = secret_of(secret) else {
            ready.push_back(Ok(event));
            return;
        };
        let secret = secret.expose_secret().trim();
        let event = match event {
            StreamEvent::Text(piece) => StreamEvent::Text(self.text.pass(piece, secret)),
            StreamEvent::Thinking(piece) => StreamEvent::Thinking(self.thinking.pass(piece, secret)),
            mut event @ (StreamEvent::Started { .. }
            | StreamEvent::ToolCallBegun { .. }
            | StreamEvent::Finished(_)) => {
                self.rest(ready);
                event.rewrite(&|text| text.contains(secret).then(|| text.replace(secret, SECRET)));
                event
            }
        };
        if !matches!(&event, StreamEvent::Text(piece) | StreamEvent::Thinking(piece) if piece.is_empty()) {
            ready.push_back(Ok(event));
        }
    }

    /// What was held and turned out to be none of it.
    pub(super) fn rest(&mut self, ready: &mut VecDeque<Result<StreamEvent, ProviderError>>) {
        let thinking = std::mem::take(&mut self.thinking.0);
        let text = std::mem::take(&mut self.text.0);
        let rest = [StreamEvent::Thinking(thinking), StreamEvent::Text(text)];
        let said = |event: &StreamEvent| !matches!(event, StreamEvent::Thinking(text) | StreamEvent::Text(text) if text.is_empty());
        ready.extend(rest.into_iter().filter(said).map(Ok));
    }
}
