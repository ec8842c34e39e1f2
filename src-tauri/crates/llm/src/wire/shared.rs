//! What several protocols need: ids for calls, where blocks may go back to, a schema in words, how long to wait.

use domain::connection::ProviderKind;
use serde_json::Value;

use super::Target;
use crate::{Detail, Fault, ModelRequest, Origin, ProviderError, StopReason, ToolCall};

/// How the ids begin that are made here.
const MADE: &str = "made_";
/// The longest wait that is believed: a day.
const MAX_WAIT_MS: u64 = 86_400_000;

/// Where the blocks of the answer to a request may go back to.
pub(super) fn origin(kind: ProviderKind, request: &ModelRequest, target: Target<'_>) -> Origin {
    Origin {
        provider: provider(kind, target),
        model: request.model.clone(),
        prefix: request.prefix(request.messages.len()),
    }
}

/// Whether a block of message `index` goes back with this request.
pub(super) fn goes_back(
    origin: &Origin,
    kind: ProviderKind,
    request: &ModelRequest,
    target: Target<'_>,
    index: usize,
) -> bool {
    origin.model == request.model
        && origin.provider == provider(kind, target)
        && origin.prefix == request.prefix(index)
}

fn provider(kind: ProviderKind, target: Target<'_>) -> String {
    format!("{}@{}", kind.as_str(), target.base.host_str().unwrap_or_default())
}

/// An id for call `at` of an answer whose provider gives none. The same question gives the same ids, the next question
/// of the conversation others; every provider takes their letters.
pub(super) fn made_id(origin: &Origin, at: usize) -> String {
    format!("{MADE}{}_{at}", origin.prefix.short())
}

/// Whether an id was made here: the provider does not know it and is not told.
pub(super) fn is_made(id: &str) -> bool {
    id.starts_with(MADE)
}

/// What a provider's word for the end of an answer means, in the spellings of all protocols: gateways pass on those of
/// others. `None` for a word that nobody here knows.
pub(super) fn stop_reason(word: &str) -> Option<StopReason> {
    Some(match word.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "eos" | "eos_token" | "end" | "complete" | "completed" | "finish"
        | "finished" => StopReason::EndTurn,
        "stop_sequence" => StopReason::StopSequence,
        "length" | "max_tokens" | "max_output_tokens" | "max_length" | "token_limit" => StopReason::MaxTokens,
        "model_length"
        | "model_context_window_exceeded"
        | "context_length_exceeded"
        | "context_window"
        | "context_length" => StopReason::ContextWindow,
        "content_filter"
        | "content_filtered"
        | "content_policy"
        | "refusal"
        | "safety"
        | "recitation"
        | "language"
        | "blocklist"
        | "prohibited_content"
        | "spii"
        | "image_safety"
        | "image_prohibited_content"
        | "image_recitation"
        | "guardrail"
        | "guardrail_intervened"
        | "sensitive" => StopReason::Refusal,
        "tool_calls" | "tool_call" | "tool_use" | "function_call" => StopReason::ToolUse,
        _ => return None,
    })
}

/// A call that the end of an answer cut: it goes to whoever asked, who tells the model, and is not made.
pub(super) fn cut_call(id: String, name: String, written: String) -> ToolCall {
    ToolCall { id, name, arguments: Value::Null, raw: Some(written), signature: None, cut: true }
}

/// A system prompt that asks for an answer by a schema, for models that can't be held to one.
pub(super) fn with_schema(system: &str, schema: &Value) -> String {
    let wish = format!(
        "Answer with one JSON value and nothing else: no words around it, no code fence. It satisfies this JSON \
         Schema:\n{schema}"
    );
    if system.is_empty() { wish } else { format!("{system}\n\n{wish}") }
}

/// Seconds as providers write them (`34.4s`, `34.4`), in milliseconds rounded up. `None` for what is no time.
pub(super) fn milliseconds(seconds: &str) -> Option<u64> {
    let seconds: f64 = seconds.trim().trim_end_matches('s').parse().ok()?;
    let wait = (seconds * 1_000.0).ceil();
    (wait.is_finite() && wait >= 0.0).then_some((wait as u64).min(MAX_WAIT_MS))
}

/// What arrived is another protocol's.
pub(super) fn foreign(provider: &str) -> ProviderError {
    ProviderError::new(provider, Fault::Malformed, "what arrived is not this protocol's")
        .with_detail(Detail::WrongProtocol)
}

/// The protocol that the first frame of a stream tells of; `None` where it could be several.
pub(crate) fn spoken(frame: &str) -> Option<ProviderKind> {
    let first: Value = serde_json::from_str(frame).ok()?;
    let kind = first["type"].as_str().unwrap_or_default();
    if kind == "message_start" && first["message"].is_object() {
        return Some(ProviderKind::Anthropic);
    }
    if kind.starts_with("response.") && first["response"].is_object() {
        return Some(ProviderKind::Openai);
    }
    if first["choices"].is_array() {
        return Some(ProviderKind::OpenaiChat);
    }
    if first["candidates"].is_array() {
        return Some(ProviderKind::Gemini);
    }
    let is_line = first["done"].is_boolean() && first["created_at"].is_string();
    is_line.then_some(ProviderKind::Ollama)
}

/// The beginning of a body that is not what the protocol has: its words, without markup, for a person to read.
pub(super) fn words_of(body: &str) -> String {
    let mut words = String::new();
    let mut inside = false;
    for piece in body.split_whitespace() {
        let mut kept = String::new();
        for letter in piece.chars() {
            match letter {
                '<' => inside = true,
                '>' if inside => inside = false,
                _ if inside || letter.is_control() => {}
                _ => kept.push(letter),
            }
        }
        if !kept.is_empty() {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(&kept);
        }
        if words.len() > 300 {
            break;
        }
    }
    words.truncate(words.floor_char_boundary(300));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_read_and_bounded() {
        assert_eq!(milliseconds("34.4s"), Some(34_400));
        assert_eq!(milliseconds("34.074824224s"), Some(34_075));
        assert_eq!(milliseconds("2"), Some(2_000));
        assert_eq!(milliseconds("0s"), Some(0));
        assert_eq!(milliseconds("1e300s"), Some(MAX_WAIT_MS));
        for odd in ["", "s", "-3s", "NaN", "inf", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(milliseconds(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_page_of_markup_is_told_by_its_words() {
        assert_eq!(words_of("<html><h1>502 Bad\nGateway</h1>\u{0}</html>"), "502 Bad Gateway");
        assert!(words_of(&"é ".repeat(1_000)).len() <= 300);
    }
}
