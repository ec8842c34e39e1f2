//! What both protocols have in common: what is refused, calls of tools, how hard to think, figures.

use domain::agent::Effort;
use domain::connection::ProviderKind;
use domain::{NanoUsd, Usage, without_halves};
use serde_json::Value;

use super::models;
use crate::{Fault, ModelInfo, ModelRequest, Part, ProviderError, Role, ThinkingStyle, ToolCall, ToolChoice};

/// A call as the model wrote it.
pub(super) fn call(id: String, name: String, arguments: &str) -> ToolCall {
    let (arguments, raw) = match serde_json::from_str::<Value>(&without_halves(arguments)) {
        Ok(value @ Value::Object(_)) => (value, None),
        _ if arguments.trim().is_empty() => (Value::Object(serde_json::Map::new()), None),
        _ => (Value::Null, Some(arguments.to_owned())),
    };
    ToolCall { id, name, arguments, raw, signature: None, cut: false }
}

/// Whether the arguments of a call are whole: those of an answer that was cut may not be.
pub(super) fn whole(arguments: &str) -> bool {
    matches!(serde_json::from_str::<Value>(&without_halves(arguments)), Ok(Value::Object(_)))
}

/// What both protocols refuse before anything is sent.
pub(super) fn check(
    kind: ProviderKind,
    request: &ModelRequest,
    model: &ModelInfo,
) -> Result<(), ProviderError> {
    let refuse = |message: String| Err(ProviderError::new(kind.as_str(), Fault::BadRequest, message));
    if !request.tools.is_empty() {
        if !model.abilities.tools {
            return refuse(format!("{} can't call tools", request.model));
        }
        if request.tool_choice == ToolChoice::Required && !model.abilities.forced_tools {
            return refuse(format!("{} can't be made to call a tool", request.model));
        }
    }
    for part in request.messages.iter().flat_map(|message| &message.parts) {
        match part {
            Part::Image { .. } if !model.abilities.images => {
                return refuse(format!("{} does not read images", request.model));
            }
            Part::Document { name, .. } if !model.abilities.documents => {
                return refuse(format!("{} does not read documents ({name})", request.model));
            }
            _ => {}
        }
    }
    let said = |message: &crate::Message| !message.content.is_empty() || !message.parts.is_empty();
    if !request.messages.iter().any(|message| message.role == Role::User && said(message)) {
        return refuse("the request has no message of the person's side".to_owned());
    }
    Ok(())
}

/// The effort that is asked for, in the provider's words; `None` where none is sent.
///
/// An effort that the model does not know becomes the next lower one that it knows, else its lowest: agents name efforts
/// without knowing the model. Without thinking it is `none`, or the lowest where a model always thinks.
pub(super) fn effort(request: &ModelRequest, model: &ModelInfo) -> Option<&'static str> {
    let abilities = &model.abilities;
    if abilities.thinking != ThinkingStyle::Effort {
        return None;
    }
    let lowest = *abilities.efforts.iter().min()?;
    if !request.thinking && abilities.thinking_off {
        return Some("none");
    }
    let effort = if request.thinking {
        let wanted = request.effort.unwrap_or(Effort::Medium);
        abilities.efforts.iter().copied().filter(|effort| *effort <= wanted).max().unwrap_or(lowest)
    } else {
        lowest
    };
    Some(models::effort_word(&model.id, effort))
}

/// Tokens as a provider reports them, in the names of either protocol. Cached and written tokens stand in the input's
/// figure there; thinking stands in the output's, but for hosts whose total says otherwise.
pub(super) fn usage(reported: &Value) -> Option<Usage> {
    let figure = |names: &[&str]| names.iter().find_map(|name| reported.pointer(name)?.as_u64());
    let input = figure(&["/input_tokens", "/prompt_tokens"])?;
    let output = figure(&["/output_tokens", "/completion_tokens"]).unwrap_or_default();
    let thinking =
        figure(&["/output_tokens_details/reasoning_tokens", "/completion_tokens_details/reasoning_tokens"])
            .unwrap_or_default();
    let cache_read = figure(&[
        "/input_tokens_details/cached_tokens",
        "/prompt_tokens_details/cached_tokens",
        "/prompt_cache_hit_tokens",
    ])
    .unwrap_or_default()
    .min(input);
    let cache_write =
        figure(&["/input_tokens_details/cache_write_tokens", "/prompt_tokens_details/cache_write_tokens"])
            .unwrap_or_default()
            .min(input - cache_read);
    let beside = figure(&["/total_tokens"]).and_then(|total| total.checked_sub(input.checked_add(output)?));
    let output = if thinking > 0 && beside == Some(thinking) { output + thinking } else { output };
    Some(Usage {
        input: input - cache_read - cache_write,
        output,
        thinking: thinking.min(output),
        cache_read,
        cache_write,
        cache_write_long: 0,
    })
}

/// What the host says that the call cost: dollars (OpenRouter) or ten-billionths of a dollar (xAI).
pub(super) fn cost(reported: &Value) -> Option<NanoUsd> {
    let dollars =
        reported.get("cost").and_then(Value::as_f64).filter(|cost| cost.is_finite() && *cost >= 0.0);
    // Rounded: a binary fraction just below a billionth would lose it.
    let exact = dollars.map(|dollars| NanoUsd((dollars * 1e9).round() as u64));
    exact.or_else(|| Some(NanoUsd(reported.get("cost_in_usd_ticks")?.as_u64()?.div_ceil(10))))
}

/// What an answer used, where the host does not say: from above, as before a call.
pub(super) fn estimated(request_tokens: u64, written: &str, thinking: &str) -> Usage {
    let thinking = context::estimate(thinking);
    Usage {
        input: request_tokens,
        output: context::estimate(written).saturating_add(thinking),
        thinking,
        ..Usage::default()
    }
}

/// What the answer's `stop_detail` says then.
pub(super) const ESTIMATED: &str = "usage is estimated: the host reported none";

/// Several words of why an answer ended as one; `None` where there are none.
pub(super) fn joined(details: Vec<String>) -> Option<String> {
    (!details.is_empty()).then(|| details.join("; "))
}
