//! Long calls tell how far they are, and stop when they are told to.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_servers::serve_knowledge_on;
use pretty_assertions::assert_eq;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientConfig, ClientRequest, ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, PeerRequestOptions};
use rmcp::{ClientHandler, RoleClient, ServiceExt as _};
use serde_json::{Value, json};

use super::knowledge_server::Fixture;

/// How much is done, and of how much.
type Heard = (f64, Option<f64>);

/// A client that remembers the progress it was told.
#[derive(Clone, Default)]
struct Listening(Arc<Mutex<Vec<Heard>>>);

impl ClientHandler for Listening {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::default()
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.lock().unwrap().push((progress.progress, progress.total));
    }
}

/// Citations that take a while to check: each is looked for in a large base and found nowhere.
fn slow(fixture: &Fixture) -> Value {
    let row = |n: usize| {
        let text = format!("common words stand here again and again in paragraph {n} of many ").repeat(60);
        json!({"id": format!("{n}.1"), "text": text}).to_string()
    };
    fixture.add("large", "", &(1..=2_000).map(row).collect::<Vec<_>>().join("\n"));
    let quote = "again and again common words stand here in paragraph of many words ".repeat(20);
    json!({ "base": "large", "citations": vec![json!({"source_ref": "1.1", "quote": quote}); 200] })
}

fn request(arguments: &Value) -> ClientRequest {
    let params = CallToolRequestParams::new("kb_verify_citations")
        .with_arguments(arguments.as_object().unwrap().clone());
    ClientRequest::CallToolRequest(CallToolRequest::new(params))
}

#[tokio::test]
async fn progress_grows_and_ends_before_the_answer() {
    let fixture = Fixture::new();
    let arguments = slow(&fixture);
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve_knowledge_on(fixture.options(), ours));
    let heard = Listening::default();
    let client = heard.clone().serve(theirs).await.unwrap();
    // Every request of this client carries a progress token.
    let call =
        client.send_cancellable_request(request(&arguments), PeerRequestOptions::no_options()).await.unwrap();
    call.await_response().await.unwrap();
    let heard = heard.0.lock().unwrap().clone();
    assert!(!heard.is_empty());
    assert!(heard.windows(2).all(|pair| pair[0].0 < pair[1].0), "{heard:?}");
    assert!(heard.iter().all(|one| one.1 == Some(200.0)), "{heard:?}");
}

#[tokio::test]
async fn a_cancelled_call_stops_early_and_the_server_goes_on() {
    let fixture = Fixture::new();
    let arguments = slow(&fixture);
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve_knowledge_on(fixture.options(), ours));
    let client = ClientConfig::default().serve(theirs).await.unwrap();
    let begun = Instant::now();
    let whole = client.send_cancellable_request(request(&arguments), PeerRequestOptions::no_options()).await;
    whole.unwrap().await_response().await.unwrap();
    let whole = begun.elapsed();
    let calls = 20;
    let begun = Instant::now();
    for _ in 0..calls {
        let call =
            client.send_cancellable_request(request(&arguments), PeerRequestOptions::no_options()).await;
        call.unwrap().cancel(Some("not wanted".into())).await.unwrap();
    }
    let tools = tokio::time::timeout(Duration::from_secs(20), client.list_all_tools()).await.unwrap();
    assert!(!tools.unwrap().is_empty());
    // Twenty whole calls would take ten times as long on two cores.
    assert!(begun.elapsed() < whole * calls / 2, "{:?} against {whole:?}", begun.elapsed());
    assert_eq!(client.is_closed(), false);
}
