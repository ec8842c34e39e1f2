//! The server over HTTP: who may ask, and that both eras of the protocol get the same answers.

use mcp_servers::HttpServer;
use pretty_assertions::assert_eq;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use super::knowledge_server::Fixture;

const TOKEN: &str = "a-token-of-this-test";

async fn served(fixture: &Fixture) -> String {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let server = HttpServer::bind(fixture.options(), 0, TOKEN.into()).await.unwrap();
    let address = server.address();
    tokio::spawn(server.run(std::future::pending()));
    address
}

/// A request of the older era, which needs no more than the method.
fn legacy(address: &str, method: &str, params: Value) -> RequestBuilder {
    Client::new()
        .post(address)
        .bearer_auth(TOKEN)
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2025-11-25")
        .header("Content-Type", "application/json")
        .body(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string())
}

/// A request of the newer era: everything about the client is in each request.
fn modern(address: &str, method: &str, name: Option<&str>, mut params: Value) -> RequestBuilder {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" }
    });
    let request = Client::new()
        .post(address)
        .bearer_auth(TOKEN)
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", method)
        .header("Content-Type", "application/json")
        .body(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string());
    match name {
        Some(name) => request.header("Mcp-Name", name),
        None => request,
    }
}

/// The JSON-RPC answer, from a JSON body or the last event of a stream.
async fn answer(request: RequestBuilder) -> Value {
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let body = response.text().await.unwrap();
    let last = body
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(str::trim)
        .rfind(|data| !data.is_empty());
    serde_json::from_str(last.unwrap_or(&body)).unwrap_or_else(|error| panic!("{error}: {body}"))
}

#[tokio::test]
async fn both_eras_get_the_same_answer() {
    let fixture = Fixture::new();
    let address = served(&fixture).await;
    let search = json!({ "name": "kb_search", "arguments": { "query": "choosing a benchmark" } });
    let old = answer(legacy(&address, "tools/call", search.clone())).await;
    let new = answer(modern(&address, "tools/call", Some("kb_search"), search)).await;
    assert_eq!(old["result"]["structuredContent"]["hits"][0]["ref"], "(Primer 4.2)", "{old}");
    assert_eq!(old["result"]["structuredContent"], new["result"]["structuredContent"]);
    let discovered = answer(modern(&address, "server/discover", None, json!({}))).await;
    assert!(discovered["result"]["capabilities"]["resources"].is_object(), "{discovered}");
}

#[tokio::test]
async fn only_this_machine_without_a_page_and_with_the_token_is_answered() {
    let fixture = Fixture::new();
    let address = served(&fixture).await;
    let status = |request: RequestBuilder| async { request.send().await.unwrap().status() };
    let list = || legacy(&address, "tools/list", json!({}));
    assert_eq!(status(list()).await, StatusCode::OK);
    assert_eq!(status(list().header("Host", "evil.example")).await, StatusCode::FORBIDDEN);
    assert_eq!(status(list().header("Origin", "https://evil.example")).await, StatusCode::FORBIDDEN);
    assert_eq!(status(list().header("Origin", "null")).await, StatusCode::FORBIDDEN);
    let bare = Client::new().post(&address).body("{}");
    assert_eq!(status(bare).await, StatusCode::UNAUTHORIZED);
    let wrong = Client::new().post(&address).bearer_auth("a-token-of-this-tesT").body("{}");
    assert_eq!(status(wrong).await, StatusCode::UNAUTHORIZED);
    let large = legacy(&address, "tools/list", json!({ "cursor": "x".repeat(5 << 20) }));
    assert_eq!(status(large).await, StatusCode::PAYLOAD_TOO_LARGE);
    let elsewhere = Client::new().get(address.replace("/mcp", "/")).bearer_auth(TOKEN);
    assert_eq!(status(elsewhere).await, StatusCode::NOT_FOUND);
}
