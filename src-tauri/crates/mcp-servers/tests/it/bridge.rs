//! The bridge over real MCP connections of both protocol eras, with a host that keeps what it was asked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use domain::{ErrorCode, Problem};
use mcp_servers::{BridgeHost, OfferedTool, serve_bridge_on};
use pretty_assertions::assert_eq;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, PaginatedRequestParams,
    ProtocolVersion,
};
use rmcp::service::PeerRequestOptions;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::knowledge_server::{Client, client_on, eras};

/// Sources in memory: `wait` answers when the test lets it.
struct Sources {
    tools: Mutex<Vec<OfferedTool>>,
    called: Mutex<Vec<(String, String, Value)>>,
    /// Calls of `wait` that are under way, and the most that were at once.
    waiting: AtomicUsize,
    most: AtomicUsize,
    go: Semaphore,
}

impl Sources {
    fn with(tools: Vec<OfferedTool>) -> Arc<Self> {
        Arc::new(Self {
            tools: Mutex::new(tools),
            called: Mutex::default(),
            waiting: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            go: Semaphore::new(0),
        })
    }
}

/// Counts a call for as long as somebody waits for it.
struct Waiting<'a>(&'a Sources);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl BridgeHost for Sources {
    async fn tools(&self) -> Result<Vec<OfferedTool>, Problem> {
        Ok(self.tools.lock().unwrap().clone())
    }

    async fn call(&self, source: &str, tool: &str, arguments: Value) -> Result<String, Problem> {
        self.called.lock().unwrap().push((source.into(), tool.into(), arguments));
        match tool {
            "wait" => {
                let now = self.waiting.fetch_add(1, Ordering::SeqCst) + 1;
                self.most.fetch_max(now, Ordering::SeqCst);
                let _waiting = Waiting(self);
                self.go.acquire().await.unwrap().forget();
                Ok("done".into())
            }
            "long" => Ok("é".repeat(200_000)),
            "fails" => {
                let mut problem =
                    Problem::new(ErrorCode::Source, "the service answered 503").with_action("wait a minute");
                problem.retryable = true;
                Err(problem)
            }
            _ => Ok(format!("{source}: {tool}")),
        }
    }
}

fn tool(name: &str) -> OfferedTool {
    OfferedTool {
        name: format!("shop__{name}"),
        source: "shop".into(),
        tool: name.into(),
        description: "Does something in the shop.".into(),
        input: json!({"properties": {"id": {"type": "string"}}}),
        read_only: name == "get",
    }
}

async fn connected(sources: &Arc<Sources>, era: &ProtocolVersion) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve_bridge_on(sources.clone(), ours));
    client_on(theirs, era).await
}

fn params(name: &'static str, arguments: &Value) -> CallToolRequestParams {
    CallToolRequestParams::new(name).with_arguments(arguments.as_object().unwrap().clone())
}

async fn called(client: &Client, name: &'static str, arguments: Value) -> CallToolResult {
    client.call_tool(params(name, &arguments)).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    &result.content[0].as_text().unwrap().text
}

#[tokio::test]
async fn tools_of_sources_are_listed_and_called_under_their_sources_name_in_both_eras() {
    for era in eras() {
        let sources = Sources::with(vec![tool("get"), tool("put")]);
        let client = connected(&sources, &era).await;
        let listed = client.list_all_tools().await.unwrap();
        let hints: Vec<_> = listed
            .iter()
            .map(|tool| {
                let says = tool.annotations.clone().unwrap();
                (tool.name.to_string(), says.read_only_hint, says.destructive_hint, says.open_world_hint)
            })
            .collect();
        assert_eq!(
            hints,
            [
                ("shop__get".to_owned(), Some(true), None, Some(true)),
                ("shop__put".to_owned(), Some(false), Some(true), Some(true)),
            ]
        );
        assert_eq!(listed[0].input_schema["type"], "object", "a schema without a type is one of an object");
        let got = called(&client, "shop__get", json!({"id": "7"})).await;
        assert_eq!((text(&got), got.is_error), ("shop: get", Some(false)));
        assert_eq!(
            *sources.called.lock().unwrap(),
            [("shop".to_owned(), "get".to_owned(), json!({"id": "7"}))]
        );
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn a_failed_call_is_a_result_that_says_what_can_be_done() {
    let client = connected(&Sources::with(vec![tool("fails")]), &ProtocolVersion::V_2026_07_28).await;
    let failed = called(&client, "shop__fails", json!({})).await;
    assert_eq!(failed.is_error, Some(true));
    assert_eq!(
        text(&failed),
        "the service answered 503\nWhat can be done: wait a minute\nThe same call may succeed later."
    );
}

#[tokio::test]
async fn a_tool_that_went_away_since_it_was_listed_is_not_called() {
    let sources = Sources::with(vec![tool("get")]);
    let client = connected(&sources, &ProtocolVersion::V_2026_07_28).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 1);
    sources.tools.lock().unwrap().clear();
    let refused = client.call_tool(params("shop__get", &json!({}))).await.unwrap_err().to_string();
    assert!(refused.contains("there is no tool 'shop__get' now"), "{refused}");
    assert_eq!(*sources.called.lock().unwrap(), []);
}

#[tokio::test]
async fn a_name_that_two_sources_share_is_listed_once_and_means_the_first() {
    let other = OfferedTool { source: "other".into(), ..tool("get") };
    let sources = Sources::with(vec![tool("get"), other]);
    let client = connected(&sources, &ProtocolVersion::V_2026_07_28).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 1);
    assert_eq!(text(&called(&client, "shop__get", json!({})).await), "shop: get");
}

#[tokio::test]
async fn long_results_and_large_arguments_have_an_end() {
    let sources = Sources::with(vec![tool("long"), tool("get")]);
    let client = connected(&sources, &ProtocolVersion::V_2026_07_28).await;
    let long = called(&client, "shop__long", json!({})).await;
    assert!(text(&long).len() < 100_200, "{}", text(&long).len());
    assert!(text(&long).contains("[cut: 100000 of 400000 bytes are shown"));
    let refused = called(&client, "shop__get", json!({"id": "x".repeat(2 << 20)})).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).contains("at most 1048576 are taken"), "{}", text(&refused));
    assert_eq!(sources.called.lock().unwrap().len(), 1, "what is too large goes nowhere");
}

#[tokio::test]
async fn names_and_arguments_that_make_no_sense_are_answered() {
    let sources = Sources::with(vec![tool("get")]);
    let client = connected(&sources, &ProtocolVersion::V_2025_11_25).await;
    for name in ["", "shop__", "__get", "shop__get\n", "../shop__get", "shop__gét", "💥"] {
        let refused = client.call_tool(CallToolRequestParams::new(name)).await.unwrap_err().to_string();
        assert!(refused.contains("there is no tool"), "{name}: {refused}");
    }
    let mut deep = json!("x");
    for _ in 0..100 {
        deep = json!([deep]);
    }
    let passed = called(&client, "shop__get", json!({"id": deep, "\u{202e}": null})).await;
    assert_eq!(passed.is_error, Some(false), "what arguments mean is the source's to judge");
    let cursor = PaginatedRequestParams::default().with_cursor(Some("elsewhere".into()));
    assert!(client.list_tools(Some(cursor)).await.is_err());
}

#[tokio::test]
async fn many_tools_come_in_pages() {
    let tools = (0..250).map(|n| tool(&format!("t{n:03}"))).collect();
    let client = connected(&Sources::with(tools), &ProtocolVersion::V_2026_07_28).await;
    let first = client.list_tools(None).await.unwrap();
    assert_eq!((first.tools.len(), first.next_cursor.is_some()), (100, true));
    assert_eq!(client.list_all_tools().await.unwrap().len(), 250);
}

#[tokio::test]
async fn a_cancelled_call_is_waited_for_no_longer_and_others_go_on() {
    let sources = Sources::with(vec![tool("wait"), tool("get")]);
    let client = connected(&sources, &ProtocolVersion::V_2025_11_25).await;
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params("shop__wait", &json!({}))));
    let call = client.send_cancellable_request(request, PeerRequestOptions::no_options()).await.unwrap();
    while sources.waiting.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    call.cancel(Some("not wanted".into())).await.unwrap();
    while sources.waiting.load(Ordering::SeqCst) > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!(text(&called(&client, "shop__get", json!({})).await), "shop: get");
}

#[tokio::test]
async fn only_so_many_calls_run_at_once_and_all_of_them_end() {
    let sources = Sources::with(vec![tool("wait")]);
    let client = Arc::new(connected(&sources, &ProtocolVersion::V_2026_07_28).await);
    let calls: Vec<_> = (0..30)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { called(&client, "shop__wait", json!({})).await.is_error })
        })
        .collect();
    while sources.waiting.load(Ordering::SeqCst) < 8 {
        tokio::task::yield_now().await;
    }
    sources.go.add_permits(30);
    for call in calls {
        assert_eq!(call.await.unwrap(), Some(false));
    }
    assert_eq!(sources.most.load(Ordering::SeqCst), 8);
}
