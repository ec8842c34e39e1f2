use std::time::Duration;

use domain::Usage;

use crate::{Fault, ProviderError, StopReason, ToolCall};

/// What a scripted call does.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The answer's text; `%BYTES%` stands for incompressible text.
    pub text: String,
    /// Bytes and seed of the incompressible text.
    pub filler: Option<(usize, u64)>,
    /// Visible thinking before the text.
    pub thinking: Option<String>,
    /// Calls of tools after the text.
    pub calls: Vec<ToolCall>,
    /// Pictures after the text: media type and base64.
    pub pictures: Vec<(String, String)>,
    /// How many pieces the text arrives in.
    pub chunks: usize,
    /// The wait before every event.
    pub delay: Duration,
    /// Usage to claim; default: an estimate.
    pub usage: Option<Usage>,
    /// The stop reason.
    pub stop: StopReason,
    /// The provider's id of the call.
    pub response_id: Option<String>,
    /// How it ends.
    pub ending: Ending,
}

/// How a scripted call ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// With the whole answer.
    Finish,
    /// The stream just ends after so many pieces of text.
    Cut {
        /// Pieces that still arrive.
        after: usize,
    },
    /// It fails after so many pieces of text; with none, before it has even started.
    Fail {
        /// The failure.
        error: ProviderError,
        /// Pieces that still arrive.
        after: usize,
    },
    /// Nothing more ever happens after so many pieces of text, until the stream is dropped.
    Hang {
        /// Pieces that still arrive.
        after: usize,
    },
}

impl Ending {
    pub(super) fn pieces_shown(&self) -> Option<usize> {
        match self {
            Self::Finish => None,
            Self::Cut { after } | Self::Fail { after, .. } | Self::Hang { after } => Some(*after),
        }
    }
}

impl Answer {
    /// A text, in one piece and at once.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            filler: None,
            thinking: None,
            calls: Vec::new(),
            pictures: Vec::new(),
            chunks: 1,
            delay: Duration::ZERO,
            usage: None,
            stop: StopReason::EndTurn,
            response_id: None,
            ending: Ending::Finish,
        }
    }

    /// A value as JSON.
    pub fn json(value: &serde_json::Value) -> Self {
        Self::text(value.to_string())
    }

    /// The same with a call of a tool after its text, and a stop that says that it waits for tools.
    pub fn call(mut self, name: impl Into<String>, arguments: serde_json::Value) -> Self {
        let id = format!("scripted_{}", self.calls.len() + 1);
        self.calls.push(ToolCall {
            id,
            name: name.into(),
            arguments,
            raw: None,
            signature: None,
            cut: false,
        });
        self.stop = StopReason::ToolUse;
        self
    }

    /// The same with a picture after its text.
    pub fn picture(mut self, media_type: impl Into<String>, base64: impl Into<String>) -> Self {
        self.pictures.push((media_type.into(), base64.into()));
        self
    }

    /// A failure before anything arrives.
    pub fn fail(fault: Fault, message: impl Into<String>) -> Self {
        let error = ProviderError::new("scripted", fault, message);
        Self { ending: Ending::Fail { error, after: 0 }, ..Self::text("") }
    }

    /// Nothing, until the call is cancelled.
    pub fn hang() -> Self {
        Self { ending: Ending::Hang { after: 0 }, ..Self::text("") }
    }

    /// A refusal of the model.
    pub fn refuse(text: impl Into<String>) -> Self {
        Self { stop: StopReason::Refusal, ..Self::text(text) }
    }

    /// The same in so many pieces.
    pub fn chunks(mut self, chunks: usize) -> Self {
        self.chunks = chunks.max(1);
        self
    }

    /// The same with a wait before every event.
    pub fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The same claiming this usage, true or not.
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// The same with visible thinking first.
    pub fn thinking(mut self, thinking: impl Into<String>) -> Self {
        self.thinking = Some(thinking.into());
        self
    }

    /// The same ending as if the output limit had been reached.
    pub fn truncated(mut self) -> Self {
        self.stop = StopReason::MaxTokens;
        self
    }

    /// The same cut off after so many pieces.
    pub fn cut_after(mut self, pieces: usize) -> Self {
        self.ending = Ending::Cut { after: pieces };
        self
    }

    /// The same failing after so many pieces.
    pub fn fail_after(mut self, pieces: usize, fault: Fault, message: impl Into<String>) -> Self {
        self.ending = Ending::Fail { error: ProviderError::new("scripted", fault, message), after: pieces };
        self
    }

    /// The same hanging after so many pieces.
    pub fn hang_after(mut self, pieces: usize) -> Self {
        self.ending = Ending::Hang { after: pieces };
        self
    }

    /// The same with `%BYTES%` replaced by so many bytes of incompressible text.
    pub fn filled(mut self, bytes: usize, seed: u64) -> Self {
        self.filler = Some((bytes, seed));
        self
    }

    pub(super) fn full_text(&self) -> String {
        match self.filler {
            Some((bytes, seed)) if self.text.is_empty() => incompressible(bytes, seed),
            Some((bytes, seed)) => self.text.replace("%BYTES%", &incompressible(bytes, seed)),
            None => self.text.clone(),
        }
    }

    /// The text in `chunks` pieces of about the same size, cut between characters.
    pub(super) fn pieces(&self, text: &str) -> Vec<String> {
        let size = text.len().div_ceil(self.chunks).max(1);
        let mut pieces = Vec::with_capacity(self.chunks);
        let mut at = 0;
        while at < text.len() {
            let end = text.ceil_char_boundary((at + size).min(text.len()));
            pieces.push(text[at..end].to_owned());
            at = end;
        }
        pieces
    }
}

/// Characters that need no escape in JSON, Markdown, XML or HTML text.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .";

/// So many bytes of text made from a seed, the same each time; no compressor gets it below three quarters (six random
/// bits in each byte). The generator is splitmix64 (Steele, Lea and Flood, 2014).
pub fn incompressible(bytes: usize, seed: u64) -> String {
    let mut state = seed;
    let mut out = String::with_capacity(bytes);
    while out.len() < bytes {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        for _ in 0..10.min(bytes - out.len()) {
            out.push(char::from(ALPHABET[(word & 63) as usize]));
            word >>= 6;
        }
    }
    out
}
