//! What our bounds around the protocol's SDK cost: calls of a tool over stdio, beside the SDK alone.

use std::io::{BufRead as _, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rmcp::model::{CallToolRequestParams, ClientConfig};
use rmcp::{Peer, RoleClient, ServiceExt as _};
use serde_json::{Value, json};
use sources::{CallLimits, Era, Source, SourceConfig};

use crate::figure::{Figure, median};
use crate::{Bench, Outcome};

const ROUNDS: usize = 9;
const CALLS: usize = 300;
const FLAG: &str = "--serve-echo";

/// Calls of the same server through a source and through the SDK, in turns.
pub async fn measure(_bench: &Bench) -> Outcome<Vec<Figure>> {
    let program = std::env::current_exe()?;
    let mut config = SourceConfig::new("echo", program.to_string_lossy()).with_args([FLAG]);
    config.era = Era::Legacy;
    let source = Source::start(config, None, None).await?;
    let mut child = tokio::process::Command::new(&program)
        .arg(FLAG)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let pipes = (child.stdout.take().ok_or("no output")?, child.stdin.take().ok_or("no input")?);
    let bare = ClientConfig::default().serve(pipes).await?;
    let arguments = json!({"text": "x".repeat(200)});
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        theirs.push(through_sdk(bare.peer(), &arguments).await?);
        ours.push(through_source(&source, &arguments).await?);
    }
    source.close().await;
    bare.cancel().await?;
    Ok(vec![Figure::plain("mcp.call", median(ours), "us").beside(median(theirs)).ratio_at_most(1.3)])
}

async fn through_source(source: &Source, arguments: &Value) -> Outcome<f64> {
    let begun = Instant::now();
    for _ in 0..CALLS {
        source.call("echo", arguments.clone(), CallLimits::within(Duration::from_secs(10))).await?;
    }
    Ok(each(begun))
}

async fn through_sdk(peer: &Peer<RoleClient>, arguments: &Value) -> Outcome<f64> {
    let begun = Instant::now();
    for _ in 0..CALLS {
        let mut params = CallToolRequestParams::new("echo");
        params.arguments = arguments.as_object().cloned();
        peer.call_tool(params).await?;
    }
    Ok(each(begun))
}

/// Microseconds a call.
fn each(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e6 / CALLS as f64
}

/// Serves one tool over standard input and output until the input ends.
pub fn serve() -> Outcome<()> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let result = match request["method"].as_str().unwrap_or_default() {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "echo", "version": "1"}}),
            "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
            "tools/call" => {
                let given = &request["params"]["arguments"];
                json!({"content": [{"type": "text", "text": given.to_string()}], "structuredContent": given})
            }
            _ => continue,
        };
        let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": result});
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}
