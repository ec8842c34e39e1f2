//! What earlier tries of a call left behind, the request that its next try makes of it, and the whole that its answer is then.

use std::borrow::Cow;

use domain::{Digest, DraftPlace, ErrorCode, Problem, joined, whole_words};
use llm::{Message, ModelAnswer, ModelRequest, StopReason};
use pipeline::{Call, CallKey};
use serde_json::Value;

use crate::core::payloads::Payloads;
use crate::run::evaluate::{Evaluation, Payload, stage_of};
use crate::run::values::{Values, read};

/// The most characters of an answer that is to be corrected.
const MAX_INVALID_CHARS: usize = 20_000;
/// The fewest words of a draft that an answer goes on from: for less, asking again costs about the same.
pub(super) const MIN_CONTINUED_WORDS: u32 = 100;

/// The texts that earlier tries of a call left behind; none of a call that goes out as it was planned.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// Answers that could not be used.
    invalid: Vec<String>,
    /// What its answer goes on from.
    draft: Option<String>,
}

impl Earlier {
    pub(crate) async fn read(
        call: Option<&Call>,
        values: &Values,
        payloads: &dyn Payloads,
    ) -> Result<Self, Problem> {
        let mut earlier = Self::default();
        for (digest, _) in call.into_iter().flat_map(|call| &call.invalid) {
            earlier.invalid.push(text(*digest, values, payloads).await?);
        }
        if let Some(draft) = call.and_then(|call| call.continues.as_ref()) {
            earlier.draft = Some(text(draft.text, values, payloads).await?);
        }
        Ok(earlier)
    }

    fn is_empty(&self) -> bool {
        self.invalid.is_empty() && self.draft.is_none()
    }
}

/// A text of a run: one that was just kept, or that of an earlier process.
async fn text(digest: Digest, values: &Values, payloads: &dyn Payloads) -> Result<String, Problem> {
    let of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match values.get(digest) {
        Some(value) => Ok(of(value)),
        None => Ok(of(&read(payloads, digest).await?)),
    }
}

impl Evaluation<'_> {
    /// What a call sends: what was planned, or what its next try makes of the earlier ones.
    pub(crate) fn payload(&mut self, key: &CallKey, earlier: &Earlier) -> Result<Option<Payload>, Problem> {
        if !earlier.is_empty() {
            return Ok(Some(Payload::Model(Box::new(self.prepared(key, earlier)?))));
        }
        let stage = stage_of(self.pinned, &key.stage)?;
        let calls = self.wave(stage, key.wave)?.calls;
        Ok(calls.into_iter().nth(key.item as usize).map(|(_, payload)| payload))
    }

    /// The same request with the answers that were not valid and what was wrong with them, and with what its answer goes on
    /// from.
    pub(crate) fn prepared(&mut self, key: &CallKey, earlier: &Earlier) -> Result<ModelRequest, Problem> {
        let stage = stage_of(self.pinned, &key.stage)?;
        let calls = self.wave(stage, key.wave)?.calls;
        let Some((_, Payload::Model(mut request))) = calls.into_iter().nth(key.item as usize) else {
            return Err(Problem::new(ErrorCode::Corrupt, format!("call {key} can't be prepared again")));
        };
        let call = self.state.calls.get(key);
        let invalid = call.map(|call| call.invalid.as_slice()).unwrap_or_default();
        for ((_, errors), text) in invalid.iter().zip(&earlier.invalid) {
            let shown: String = text.chars().take(MAX_INVALID_CHARS).collect();
            request.messages.push(Message::assistant(if shown.trim().is_empty() {
                "(nothing)".to_owned()
            } else {
                shown
            }));
            request.messages.push(Message::user(format!(
                "That answer could not be used:\n- {}\n\nAnswer again with one JSON object that satisfies the schema, and nothing else.",
                errors.join("\n- ")
            )));
        }
        let place = call.and_then(|call| call.continues.as_ref()?.place.as_ref());
        if let (Some(place), Some(draft)) = (place, &earlier.draft) {
            request.messages.push(Message::assistant(whole_words(draft).trim_end()));
            request.messages.push(Message::user(continuation(place)));
            let orchestrator = &self.pinned.config.orchestrator;
            let window = orchestrator.context_window.min(self.pinned.asks(stage).1.context_window);
            let room = window.saturating_sub(context::with_margin(request.estimated_input()));
            let least = orchestrator.min_output_budget.min(request.max_output_tokens);
            request.max_output_tokens = request.max_output_tokens.min(room).max(least);
        }
        Ok(*request)
    }

    /// An answer as if it had come in one piece: of one that went on from a draft, with that. `key`: the call in the state
    /// before its answer is taken in.
    pub(crate) fn whole<'a>(
        &self,
        key: &CallKey,
        answer: &'a ModelAnswer,
    ) -> Result<Cow<'a, ModelAnswer>, Problem> {
        let draft = self.state.calls.get(key).and_then(|call| call.continues.as_ref());
        let Some(draft) = draft.filter(|_| answer.stop != StopReason::Refusal) else {
            return Ok(Cow::Borrowed(answer));
        };
        let beginning = self.values.get(draft.text).and_then(|text| text.as_str()).ok_or_else(|| {
            Problem::new(ErrorCode::Internal, format!("the draft of call {key} is not loaded"))
        })?;
        let text = match &draft.place {
            Some(DraftPlace::Answer) => Some(joined(beginning, &answer.text)),
            Some(DraftPlace::Field { name }) => with_beginning(&answer.text, name, beginning),
            None => None,
        };
        // Of what is no such object nothing can be used: by itself it would pass for the whole, without its beginning.
        Ok(Cow::Owned(ModelAnswer { text: text.unwrap_or_default(), ..answer.clone() }))
    }
}

/// An answer in JSON with the beginning of one of its texts.
fn with_beginning(answer: &str, name: &str, beginning: &str) -> Option<String> {
    let mut value = llm::extract::outermost(answer)
        .or_else(|| llm::extract(answer, None).ok().map(|found| found.value))?;
    let field = value.get_mut(name)?;
    *field = Value::String(joined(beginning, field.as_str()?));
    Some(value.to_string())
}

/// What follows the beginning of an answer.
fn continuation(place: &DraftPlace) -> String {
    match place {
        DraftPlace::Answer => {
            "(Your answer broke off at this point. Now go on exactly where it ends, without repeating or announcing anything.)"
                .to_owned()
        }
        DraftPlace::Field { name } => format!(
            "(Your answer broke off at this point of its field `{name}`. Now answer with one JSON object that satisfies the schema. \
             In `{name}` write only what comes after this point, exactly where it ends, without repeating or announcing anything; \
             fill in the other fields for the answer as a whole.)"
        ),
    }
}
