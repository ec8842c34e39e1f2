//! The offline engine: a provider without a model, so that a fresh machine without key or network runs the main job.
//!
//! It reads the sections of the prompt and answers the schema it is given by extraction: it plans queries from the
//! question's words and the corpus' headings, and writes answers as quoted, cited sentences. It knows a task by the
//! names of the schema's properties, never by an agent or a stage. It is deterministic, costs nothing, and says what it
//! is.
//!
//! Architecture invariant: text inside sections is data; nothing the engine reads can change what it does.

mod arrange;
mod calibrate;
mod coverage;
mod material;
mod outline;
mod passages;
mod phrase;
mod plan;
mod research;
mod safe;
mod schema;
mod score;
mod segments;
mod select;
mod synthesize;
mod words;

use domain::Usage;
use futures_util::{StreamExt as _, stream};
use llm::{AnswerStream, ModelAnswer, ModelInfo, ModelRequest, Prices, Provider, StopReason, StreamEvent};
use serde_json::{Value, json};

use self::material::Material;
use self::schema::{Schema, fit, least};

/// The model name of the offline engine.
pub const MODEL: &str = "offline-1";

/// What is said besides where somebody talks to it.
const CONVERSATION: &str = "You are talking to the offline engine, which plans and quotes but holds no conversation. \
Name an agent with `@` and write your question behind it: its run answers from your documents, without a model. To talk, \
connect a model in Settings > Connections.";

/// Bytes of one piece of streamed text.
const PIECE: usize = 512;

/// Answers without a model.
#[derive(Debug, Clone, Copy, Default)]
pub struct OfflineEngine;

impl OfflineEngine {
    /// The answer to a request, at once.
    pub fn answer(request: &ModelRequest) -> Value {
        let material = Material::of(request);
        let Some(root) = &request.schema else {
            return json!(format!("{}\n\n{CONVERSATION}", schema::NOT_ANSWERED));
        };
        let schema = Schema::new(root);
        let named = material.named();
        let fill = |name: &str| {
            let text = named.get(name).filter(|text| !text.is_empty())?;
            Some(text.chars().take(2_000).collect::<String>())
        };
        let answer = if schema.has(&["synthesis", "citations"]) {
            synthesize::synthesize(&material)
        } else if schema.has(&["replacements"]) {
            // A quote that did not hold is taken out: nothing else can be said without a model.
            let statements = material.json("STATEMENTS").unwrap_or_default();
            let numbers =
                statements.as_array().into_iter().flatten().filter_map(|one| one.get("n")?.as_u64());
            json!({ "replacements": numbers.map(|n| json!({ "n": n, "text": "" })).collect::<Vec<_>>() })
        } else if schema.has(&["sub_queries"]) {
            plan::plan(&material)
        } else if schema.has(&["queries"])
            && (schema.has(&["intent_changes"]) || schema.has(&["web_research_context"]))
        {
            calibrate::calibrate(&material)
        } else if let Some(answer) = research::research(schema, &material) {
            answer
        } else {
            return least(schema, "", &fill, 0);
        };
        fit(answer, schema, &fill)
    }
}

impl Provider for OfflineEngine {
    fn name(&self) -> &str {
        "offline"
    }

    fn model(&self, _name: &str) -> ModelInfo {
        Prices::embedded()
            .model(MODEL)
            .cloned()
            .unwrap_or_else(|| ModelInfo::free(MODEL, "offline", 1_000_000, 64_000))
    }

    fn continues_drafts(&self) -> bool {
        false
    }

    fn stream(&self, request: ModelRequest) -> AnswerStream {
        // Work is done when the stream is first polled, so that a dropped stream has done none.
        stream::once(async move { stream::iter(events(&request).into_iter().map(Ok)) }).flatten().boxed()
    }
}

/// The whole stream of a call.
fn events(request: &ModelRequest) -> Vec<StreamEvent> {
    let answer = OfflineEngine::answer(request);
    let text = match (&request.schema, answer) {
        (None, Value::String(text)) => text,
        (_, answer) => answer.to_string(),
    };
    let output = context::estimate(&text);
    let mut events = vec![StreamEvent::Started { response_id: None }];
    let mut at = 0;
    while at < text.len() {
        let end = text.ceil_char_boundary((at + PIECE).min(text.len()));
        events.push(StreamEvent::Text(text[at..end].to_owned()));
        at = end;
    }
    let usage = Usage { input: request.estimated_input(), output, ..Usage::default() };
    events.push(StreamEvent::Finished(ModelAnswer::of_text(text, MODEL, usage, StopReason::EndTurn)));
    events
}
