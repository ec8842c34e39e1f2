//! What is known of models: from the shipped table, and from the lists of hosts that say more than a name.

use domain::agent::Effort;
use domain::connection::ProviderKind;
use serde_json::Value;

use crate::{ModelFeatures, ModelInfo, Price, Prices, ThinkingStyle};

/// What is assumed of a model whose window nobody says.
const WINDOW: u64 = 32_768;
/// The most output that is assumed of it.
const MAX_OUTPUT_TOKENS: u64 = 16_384;

/// Beginnings of names of models that answer no messages.
const OTHERS: [&str; 15] = [
    "text-embedding",
    "text-moderation",
    "omni-moderation",
    "tts-",
    "whisper",
    "dall-e",
    "gpt-image",
    "chatgpt-image",
    "gpt-audio",
    "gpt-realtime",
    "sora",
    "babbage",
    "davinci",
    "gpt-3.5-turbo-instruct",
    "computer-use",
];

/// A model of the table.
pub(super) fn known(id: &str) -> Option<&'static ModelInfo> {
    Prices::embedded().model(id).filter(|model| model.provider == ProviderKind::Openai.as_str())
}

/// The version of a GPT model: `gpt-5.6-terra` is 5.6. What a gateway puts before the name does not count.
pub(super) fn gpt_version(id: &str) -> Option<(u32, u32)> {
    let name = id.rsplit('/').next().unwrap_or(id);
    let version = name.strip_prefix("gpt-")?.split('-').next()?;
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Whether a model that thinks refuses tools over Chat Completions: every one since GPT-5.4. `unknown` is said of names
/// that tell no version.
pub(super) fn refuses_tools_on_chat(id: &str, unknown: bool) -> bool {
    let older = ["o1", "o3", "o4"].iter().any(|name| id.starts_with(name));
    gpt_version(id).map_or(unknown && !older, |version| version >= (5, 4))
}

/// An effort in OpenAI's words. The highest is `max` since GPT-5.6 and `xhigh` before it.
pub(super) fn effort_word(id: &str, effort: Effort) -> &'static str {
    match effort {
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
        Effort::Max if gpt_version(id).is_some_and(|version| version < (5, 6)) => "xhigh",
        Effort::Max => "max",
    }
}

/// The models of a list.
pub(super) fn listed(kind: ProviderKind, body: &Value) -> Vec<ModelInfo> {
    let list = body.get("data").or_else(|| body.get("models")).unwrap_or(body);
    let answers = |id: &str| !OTHERS.iter().any(|name| id.starts_with(name));
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(|item| item.get("id").or_else(|| item.get("name"))?.as_str().map(|id| (id, item)))
        .filter(|(id, _)| !id.is_empty() && answers(id))
        .map(|(id, item)| model(kind, id, item))
        .collect()
}

fn model(kind: ProviderKind, id: &str, item: &Value) -> ModelInfo {
    let mut model = match known(id) {
        Some(known) => ModelInfo { id: id.to_owned(), ..known.clone() },
        None => assumed(kind, id),
    };
    let number = |path: &str| item.pointer(path).and_then(Value::as_u64).filter(|number| *number > 0);
    // OpenRouter, vLLM, Groq, Mistral, llama.cpp; the last trains longer windows than it may have been started with.
    let window = [
        "/top_provider/context_length",
        "/context_length",
        "/max_model_len",
        "/context_window",
        "/max_context_length",
        "/meta/n_ctx",
        "/meta/n_ctx_train",
    ]
    .iter()
    .find_map(|path| number(path));
    if let Some(window) = window {
        model.context_window = window;
        model.max_output = model.max_output.min(window);
        if known(id).is_none() {
            model.max_output = MAX_OUTPUT_TOKENS.min(window / 2).max(1);
        }
    }
    if let Some(most) =
        ["/top_provider/max_completion_tokens", "/max_completion_tokens", "/max_output_tokens"]
            .iter()
            .find_map(|path| number(path))
    {
        model.max_output = most.min(model.context_window);
    }
    if let Some(pricing) = item.get("pricing").filter(|pricing| pricing.is_object()) {
        let told = price(pricing);
        model.priced = told.is_some();
        model.price = told.unwrap_or_default();
        model.long = None;
    }
    let lists = |path: &str, word: &str| {
        item.pointer(path)
            .and_then(Value::as_array)
            .is_some_and(|list| list.iter().any(|entry| entry == word))
    };
    if item.get("supported_parameters").is_some_and(Value::is_array) {
        let takes = |word: &str| lists("/supported_parameters", word);
        model.structured = takes("structured_outputs");
        model.thinking = takes("reasoning");
        model.abilities.tools = takes("tools");
        model.abilities.forced_tools = takes("tools") && takes("tool_choice");
        model.abilities.images = lists("/architecture/input_modalities", "image");
        model.abilities.documents = lists("/architecture/input_modalities", "file");
        model.abilities.thinking = if model.thinking { ThinkingStyle::Effort } else { ThinkingStyle::None };
        model.abilities.efforts = if model.thinking {
            vec![Effort::Low, Effort::Medium, Effort::High, Effort::Max]
        } else {
            Vec::new()
        };
        model.abilities.thinking_off =
            !item.pointer("/reasoning/mandatory").and_then(Value::as_bool).unwrap_or_default();
    }
    model
}

/// What is safe to assume of a model that is in no table.
fn assumed(kind: ProviderKind, id: &str) -> ModelInfo {
    ModelInfo {
        // OpenAI's own models all take a schema; of others it has to be said.
        structured: kind == ProviderKind::Openai,
        priced: false,
        abilities: ModelFeatures { forced_tools: kind == ProviderKind::Openai, ..ModelFeatures::default() },
        ..ModelInfo::free(id, kind.as_str(), WINDOW, MAX_OUTPUT_TOKENS)
    }
}

/// Prices as strings of dollars a token; `None` where they depend on the request (`-1`).
fn price(pricing: &Value) -> Option<Price> {
    let field = |name: &str| {
        let value = pricing.get(name)?;
        let dollars = value.as_f64().or_else(|| value.as_str()?.parse().ok())?;
        // Whole billionths a million, free of the noise of binary fractions.
        (dollars.is_finite() && dollars >= 0.0).then(|| (dollars * 1e15).round() / 1e9)
    };
    let input = field("prompt").or_else(|| field("input"))?;
    Some(Price {
        input,
        output: field("completion").or_else(|| field("output"))?,
        cache_read: field("input_cache_read").unwrap_or(input),
        cache_write: field("input_cache_write").unwrap_or(input),
        cache_write_long: None,
    })
}
