//! The shipped agents over every protocol: what would go over the wire, without a network.

use std::sync::Arc;

use domain::agent::Effort;
use domain::connection::{Connection, ProviderKind};
use llm::http::{Fixed, connect};
use llm::{Message, ModelRequest};
use serde_json::{Value, json};

use crate::isa::shipped;

/// A request of a shipped agent's stage, as the engine makes them.
fn request(schema: &Value, model: &str) -> ModelRequest {
    ModelRequest {
        model: model.to_owned(),
        system: "You plan.".to_owned(),
        cache_system: true,
        messages: vec![
            Message { cache: true, ..Message::user("<REQUEST>\nq\n</REQUEST>\n") },
            Message::user("<REPAIR_FEEDBACK>\nmend\n</REPAIR_FEEDBACK>\n"),
        ],
        schema: Some(schema.clone()),
        max_output_tokens: 24_576,
        effort: Some(Effort::High),
        thinking: true,
        cache_key: Some("261122-calm-brook".to_owned()),
        ..ModelRequest::default()
    }
}

#[test]
fn every_shipped_schema_is_enforced_by_the_provider_itself() {
    let kinds = [
        (ProviderKind::Anthropic, "claude-opus-5-5", "/output_config/format/schema"),
        (ProviderKind::Openai, "gpt-6.1-terra", "/text/format/schema"),
        (ProviderKind::Gemini, "gemini-3.5-flash", "/generationConfig/responseJsonSchema"),
        (ProviderKind::Ollama, "qwen3", "/format"),
    ];
    for slug in ["isa-deep-research", "standards-research"] {
        let agent = shipped(slug);
        assert!(agent.schemas.len() >= 2);
        for (stage, schema) in &agent.schemas {
            for (kind, model, place) in kinds {
                let connection = Connection::new("c", kind);
                let provider = connect(connection, Arc::new(Fixed(None))).unwrap();
                let shown = provider.shown(&request(schema, model)).unwrap().unwrap();
                let body = &shown["body"];
                let at = format!("{slug}/{stage} over {}", kind.as_str());
                let sent = body.pointer(place).unwrap_or_else(|| panic!("{at}: no schema in {body:#}"));
                assert_eq!(sent["type"], json!("object"), "{at}");
                closed(sent, &at);
                if kind == ProviderKind::Openai {
                    assert_eq!(body["text"]["format"]["strict"], json!(true), "{at}");
                }
                for absent in ["temperature", "top_p", "top_k", "tools", "tool_choice"] {
                    assert!(body.get(absent).is_none(), "{at}: {absent}");
                }
            }
        }
    }
}

/// Every object of a schema says what it holds and holds nothing else, and there are few that may be left out.
fn closed(schema: &Value, at: &str) {
    let mut optional = 0;
    let mut open = vec![schema];
    while let Some(node) = open.pop() {
        match node {
            Value::Object(map) => {
                if let Some(Value::Object(properties)) = map.get("properties")
                    && map.get("type").is_some()
                {
                    assert_eq!(map.get("additionalProperties"), Some(&json!(false)), "{at}: {node}");
                    let required = map.get("required").and_then(Value::as_array).map_or(0, Vec::len);
                    optional += properties.len() - required;
                }
                open.extend(map.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    assert!(optional <= 24, "{at}: {optional} properties may be left out");
}
