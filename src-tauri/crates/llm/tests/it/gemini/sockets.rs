use std::sync::Arc;

use domain::connection::{Auth, Connection, ProviderKind};
use llm::http::{Fixed, connect};
use llm::{Fault, Limits, Provider, StopReason, collect};
use pretty_assertions::assert_eq;
use secrecy::SecretString;
use serde_json::{Value, json};

use super::question;
use crate::http_rig::{Act, KEY, Server, answer, send, stream_head};
use crate::wire_support::fixture;

fn open(server: &Server) -> Arc<dyn Provider> {
    let mut connection = Connection::new("mine", ProviderKind::Gemini);
    connection.base_url = Some(server.url());
    connection.auth = Auth::Key { env: None };
    connect(connection, Arc::new(Fixed(Some(SecretString::from(KEY))))).unwrap()
}

fn streamed(name: &str) -> Vec<Act> {
    vec![stream_head(), send(fixture(name))]
}

#[tokio::test]
async fn an_answer_in_two_calls_is_one_answer() {
    let server = Server::start(vec![streamed("gemini/part-one.sse"), streamed("gemini/part-two.sse")]).await;
    let provider = open(&server);
    let stream = provider.stream(question("gemini-4-argon"));
    let answer = collect("mine", stream, Limits::default(), |_| {}).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.stop), ("Chapter one. Chapter two.", StopReason::EndTurn));
    let seen = server.seen();
    let bodies: Vec<Value> = seen.iter().map(|seen| serde_json::from_str(&seen.body).unwrap()).collect();
    let mut expected = bodies[0].clone();
    expected["continuationToken"] = "tok/1==".into();
    assert_eq!((bodies.len(), &bodies[1]), (2, &expected));
    for request in &seen {
        let line = "POST /v1beta/models/gemini-4-argon:streamGenerateContent?alt=sse HTTP/1.1";
        assert_eq!((request.line.as_str(), request.header("x-goog-api-key")), (line, Some(KEY)));
    }
}

#[tokio::test]
async fn an_answer_whose_second_call_is_refused_is_no_answer() {
    let body = json!({ "error": { "code": 503, "message": "busy", "status": "UNAVAILABLE" } }).to_string();
    let refused = answer("503 Service Unavailable", "content-type: application/json\r\n", &body);
    let server = Server::start(vec![streamed("gemini/part-one.sse"), refused]).await;
    let stream = open(&server).stream(question("gemini-4-argon"));
    let error = collect("mine", stream, Limits::default(), |_| {}).await.unwrap_err();
    assert_eq!(error.fault, Fault::Overloaded { retry_after_ms: None });
    assert!(error.streamed_tokens > 0, "the first call was paid");
}

#[tokio::test]
async fn a_list_in_pages_is_one_list() {
    let page = |models: Value, next: &str| {
        let body = json!({ "models": models, "nextPageToken": next }).to_string();
        answer("200 OK", "content-type: application/json; charset=UTF-8\r\n", &body)
    };
    let model = |name: &str| json!({ "name": name, "inputTokenLimit": 9000, "outputTokenLimit": 900 });
    let server = Server::start(vec![
        page(json!([model("models/gemini-3.8-flash"), model("models/gemini-4-argon")]), "next page"),
        page(json!([model("models/gemini-4-argon"), model("models/gemini-2.5-pro")]), ""),
    ])
    .await;
    let provider = open(&server);
    let models = provider.models().await.unwrap();
    let ids: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, ["gemini-3.8-flash", "gemini-4-argon", "gemini-2.5-pro"]);
    assert_eq!(provider.model("gemini-4-argon").context_window, 9_000);
    let lines: Vec<String> = server.seen().into_iter().map(|seen| seen.line).collect();
    assert_eq!(
        lines,
        [
            "GET /v1beta/models?pageSize=1000 HTTP/1.1",
            "GET /v1beta/models?pageSize=1000&pageToken=next+page HTTP/1.1"
        ]
    );
}

#[tokio::test]
async fn an_address_with_and_without_the_version_is_the_same() {
    for below in ["", "/", "/v1beta", "/v1beta/"] {
        let server = Server::start(vec![streamed("gemini/text.sse")]).await;
        let mut connection = Connection::new("mine", ProviderKind::Gemini);
        connection.base_url = Some(format!("{}{below}", server.url()));
        let provider = connect(connection, Arc::new(Fixed(None))).unwrap();
        let stream = provider.stream(question("gemini-3.8-flash"));
        collect("mine", stream, Limits::default(), |_| {}).await.unwrap();
        let seen = &server.seen()[0];
        let line = "POST /v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse HTTP/1.1";
        assert_eq!((seen.line.as_str(), seen.header("x-goog-api-key")), (line, None));
    }
}
