//! Google Gemini's protocol: what goes out as a whole, what comes in from files written by its grammar and, where there
//! are any, from recorded streams.

mod reading;
mod sending;
mod sockets;

use domain::connection::{Connection, ProviderKind};
use llm::wire::gemini::Gemini;
use llm::wire::{Codec as _, Reader, Target};
use llm::{Message, ModelInfo, ModelRequest, Prices, ToolSpec};
use serde_json::{Value, json};
use url::Url;

/// A question to a model of the table.
pub fn question(model: &str) -> ModelRequest {
    ModelRequest {
        model: model.into(),
        messages: vec![Message::user("Weather in Lyon and Nice?")],
        max_output_tokens: 4_096,
        ..ModelRequest::default()
    }
}

pub fn weather() -> ToolSpec {
    ToolSpec {
        name: "get_weather".into(),
        description: "The weather now.".into(),
        parameters: json!({
            "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"]
        }),
    }
}

pub fn model(name: &str) -> ModelInfo {
    Prices::embedded().model(name).unwrap().clone()
}

pub fn with_target<T>(model: &ModelInfo, work: impl FnOnce(Target<'_>) -> T) -> T {
    let connection = Connection::new("mine", ProviderKind::Gemini);
    let base = Url::parse("https://generativelanguage.googleapis.com/v1beta/").unwrap();
    work(Target { connection: &connection, base: &base, model })
}

/// The body of a request, as JSON.
pub fn body(request: &ModelRequest) -> Value {
    body_for(request, &model(&request.model))
}

pub fn body_for(request: &ModelRequest, model: &ModelInfo) -> Value {
    let call = with_target(model, |target| Gemini.encode(request, target)).unwrap();
    serde_json::from_str(&call.body.unwrap()).unwrap()
}

pub fn reader(request: &ModelRequest) -> Box<dyn Reader> {
    with_target(&model(&request.model), |target| Gemini.reader(request, target))
}
