//! Ollama's own protocol: what goes out as a whole, what comes in from files written by its grammar.

mod reading;
mod sending;
mod sockets;

use domain::connection::{Connection, ProviderKind};
use llm::wire::ollama::Ollama;
use llm::wire::{Codec as _, Reader, Target};
use llm::{Message, ModelInfo, ModelRequest, ThinkingStyle, ToolSpec};
use serde_json::{Value, json};
use url::Url;

pub fn question() -> ModelRequest {
    ModelRequest {
        model: "qwen3:8b".into(),
        messages: vec![Message::user("Weather in Lyon and Nice?")],
        max_output_tokens: 1_000,
        ..ModelRequest::default()
    }
}

pub fn weather() -> ToolSpec {
    ToolSpec {
        name: "get_weather".into(),
        description: "The weather now.".into(),
        parameters: json!({ "type": "object", "properties": { "city": { "type": "string" } } }),
    }
}

/// A model that thinks, calls tools and reads images.
pub fn able() -> ModelInfo {
    let mut model = ModelInfo::free("qwen3:8b", "ollama", 40_960, 20_480);
    model.thinking = true;
    model.abilities.thinking = ThinkingStyle::Switch;
    model.abilities.images = true;
    model
}

pub fn at<T>(base: &str, model: &ModelInfo, work: impl FnOnce(Target<'_>) -> T) -> T {
    let connection = Connection::new("mine", ProviderKind::Ollama);
    let base = Url::parse(base).unwrap();
    work(Target { connection: &connection, base: &base, model })
}

pub fn with_target<T>(model: &ModelInfo, work: impl FnOnce(Target<'_>) -> T) -> T {
    at("http://127.0.0.1:11434/", model, work)
}

pub fn body_for(request: &ModelRequest, model: &ModelInfo) -> Value {
    let call = with_target(model, |target| Ollama.encode(request, target)).unwrap();
    assert_eq!((call.path.as_str(), call.query, call.headers), ("api/chat", vec![], vec![]));
    serde_json::from_str(&call.body.unwrap()).unwrap()
}

pub fn body(request: &ModelRequest) -> Value {
    body_for(request, &able())
}

pub fn reader(request: &ModelRequest) -> Box<dyn Reader> {
    with_target(&able(), |target| Ollama.reader(request, target))
}
