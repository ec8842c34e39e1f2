use std::sync::Arc;

use domain::connection::{Connection, ProviderKind};
use llm::http::{Fixed, connect};
use llm::{Detail, Fault, Limits, collect};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::question;
use crate::http_rig::{Server, answer};
use crate::wire_support::fixture;

#[tokio::test]
async fn what_the_list_tells_counts_for_the_next_question() {
    let list = json!({ "models": [{
        "name": "qwen3:8b", "capabilities": ["completion", "thinking"], "details": { "context_length": 5000 }
    }] });
    let server = Server::start(vec![
        answer("200 OK", "content-type: application/json\r\n", &list.to_string()),
        answer("200 OK", "content-type: application/x-ndjson\r\n", &fixture("ollama/text.ndjson")),
        answer(
            "404 Not Found",
            "content-type: application/json\r\n",
            "{\"error\":\"model 'qwen3:8b' not found\"}",
        ),
    ])
    .await;
    let mut connection = Connection::new("mine", ProviderKind::Ollama);
    connection.base_url = Some(format!("{}/api", server.url()));
    let provider = connect(connection, Arc::new(Fixed(None))).unwrap();
    assert_eq!(provider.models().await.unwrap().len(), 1);
    let said = collect("mine", provider.stream(question()), Limits::default(), |_| {}).await.unwrap();
    assert_eq!(said.text, "Il fait 12 °C à Lyon.");
    let gone = collect("mine", provider.stream(question()), Limits::default(), |_| {}).await.unwrap_err();
    assert_eq!((gone.fault, gone.detail), (Fault::BadRequest, Some(Detail::ModelUnknown)));
    assert!(gone.message.contains("ollama pull qwen3:8b"), "{gone}");
    let seen = server.seen();
    let lines: Vec<&str> = seen.iter().map(|seen| seen.line.as_str()).collect();
    assert_eq!(lines, ["GET /api/tags HTTP/1.1", "POST /api/chat HTTP/1.1", "POST /api/chat HTTP/1.1"]);
    let body: Value = serde_json::from_str(&seen[1].body).unwrap();
    assert_eq!((&body["options"]["num_ctx"], &body["think"]), (&json!(5000), &json!(false)));
}
