//! Thinking and calls of tools that a model writes as text, because its server does not take them out: `<think>…</think>`,
//! `<tool_call>{…}</tool_call>` and the like. They become what they are meant as, however the stream is cut. Inside code and
//! quotations of an answer about such marks they stay text.

use domain::connection::ProviderKind;
use model_text::{OfferedTool, Piece, Splitter, WrittenCall, split};

use super::shared::{made_id, origin};
use super::{Frame, Reader, Target};
use crate::{
    ModelAnswer, ModelRequest, Origin, Part, ProviderError, StopReason, StreamEvent, ToolCall, ToolSpec,
};

/// Where the numbers of written calls begin, in their ids: those of other calls of an answer lie below.
const FIRST_CALL: usize = 1_000;

/// A reader whose answer may hold thinking and calls in its text.
pub struct WrittenReader {
    inner: Box<dyn Reader>,
    tools: Vec<OfferedTool>,
    origin: Origin,
    splitter: Splitter,
    calls: usize,
    /// Whether any text of the answer itself was told.
    spoke: bool,
}

impl WrittenReader {
    /// Reads what is written in the text of a reader's answer. Calls are taken where the request offers such a tool.
    pub fn new(
        inner: Box<dyn Reader>,
        kind: ProviderKind,
        request: &ModelRequest,
        target: Target<'_>,
    ) -> Self {
        let offered =
            |tool: &ToolSpec| OfferedTool { name: tool.name.clone(), parameters: tool.parameters.clone() };
        let (tools, origin) = (request.tools.iter().map(offered).collect(), origin(kind, request, target));
        Self { inner, tools, origin, splitter: Splitter::default(), calls: 0, spoke: false }
    }

    fn id(&self, number: usize) -> String {
        made_id(&self.origin, FIRST_CALL + number)
    }

    fn read(&mut self, events: Vec<StreamEvent>) -> Vec<StreamEvent> {
        let mut read = Vec::with_capacity(events.len());
        for event in events {
            match event {
                StreamEvent::Text(piece) => {
                    let pieces = self.splitter.push(&piece, &self.tools);
                    self.tell(pieces, &mut read);
                }
                StreamEvent::Finished(answer) => {
                    let pieces = self.splitter.finish(&self.tools, is_cut(&answer));
                    self.tell(pieces, &mut read);
                    read.push(StreamEvent::Finished(self.separated(answer)));
                }
                event @ (StreamEvent::Started { .. }
                | StreamEvent::Thinking(_)
                | StreamEvent::ToolCallBegun { .. }) => read.push(event),
            }
        }
        read
    }

    fn tell(&mut self, pieces: Vec<Piece>, events: &mut Vec<StreamEvent>) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => {
                    let text = if self.spoke { text.as_str() } else { text.trim_start() };
                    if !text.is_empty() {
                        self.spoke = true;
                        events.push(StreamEvent::Text(text.to_owned()));
                    }
                }
                Piece::Thought(text) if text.is_empty() => {}
                Piece::Thought(text) => events.push(StreamEvent::Thinking(text)),
                Piece::Call(call) => {
                    let id = self.id(self.calls);
                    self.calls += 1;
                    events.push(StreamEvent::ToolCallBegun { id, name: call.name });
                }
            }
        }
    }

    /// The whole answer with its thinking and calls apart. Where it has none it stays as it came.
    fn separated(&self, mut answer: ModelAnswer) -> ModelAnswer {
        let pieces = split(&answer.text, &self.tools, is_cut(&answer));
        if !pieces.iter().any(|piece| matches!(piece, Piece::Thought(_) | Piece::Call(_))) {
            return answer;
        }
        let (mut text, mut calls) = (String::new(), Vec::new());
        for piece in pieces {
            match piece {
                Piece::Text(piece) => text.push_str(&piece),
                Piece::Thought(piece) => {
                    let gap = if answer.thinking.is_empty() { "" } else { "\n\n" };
                    answer.thinking.push_str(gap);
                    answer.thinking.push_str(piece.trim());
                }
                Piece::Call(WrittenCall { name, arguments, raw, cut }) => {
                    let id = self.id(calls.len());
                    calls.push(Part::ToolCall(ToolCall { id, name, arguments, raw, signature: None, cut }));
                }
            }
        }
        answer.text = text.trim().to_owned();
        let mut parts: Vec<Part> = std::mem::take(&mut answer.parts);
        parts.retain(|part| !matches!(part, Part::Text { .. }));
        // What goes back to the provider stands before what was said.
        let before = parts.iter().take_while(|part| matches!(part, Part::Opaque { .. })).count();
        if !answer.text.is_empty() {
            parts.insert(before, Part::Text { text: answer.text.clone() });
        }
        if !calls.is_empty()
            && matches!(answer.stop, StopReason::EndTurn | StopReason::StopSequence | StopReason::Other)
        {
            answer.stop = StopReason::ToolUse;
        }
        parts.extend(calls);
        if matches!(parts[..], [] | [Part::Text { .. }]) {
            parts.clear();
        }
        answer.parts = parts;
        answer
    }
}

fn is_cut(answer: &ModelAnswer) -> bool {
    matches!(answer.stop, StopReason::MaxTokens | StopReason::ContextWindow)
}

impl Reader for WrittenReader {
    fn frame(&mut self, frame: &Frame) -> Result<Vec<StreamEvent>, ProviderError> {
        let events = self.inner.frame(frame)?;
        Ok(self.read(events))
    }

    fn end(&mut self) -> Result<Vec<StreamEvent>, ProviderError> {
        let events = self.inner.end()?;
        Ok(self.read(events))
    }

    fn is_complete(&self) -> bool {
        self.inner.is_complete()
    }

    fn continuation(&self) -> Option<String> {
        self.inner.continuation()
    }
}
