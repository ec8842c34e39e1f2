//! An MCP server that misbehaves in the way named by its first argument; the other end of the tests of this crate.
//!
//! `good` and `modern` behave; `sdk` is a server made with the SDK; `host` is no server but a program that holds a
//! source, to be killed.

mod host;
mod misdeeds;
mod sdk;

use std::io::{BufRead, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

fn main() -> ExitCode {
    if let Some(code) = process_guard::intercept() {
        return code;
    }
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().unwrap_or_default();
    eprintln!("mode {mode} is up");
    match mode.as_str() {
        "host" => return host::run(arguments),
        "sdk" => return sdk::run(),
        _ => {}
    }
    misdeeds::at_start(&mode);
    serve(&mode);
    misdeeds::after_input(&mode);
    ExitCode::SUCCESS
}

/// Answers line by line until the input ends, as the mode demands.
fn serve(mode: &str) {
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(request) = serde_json::from_str::<Value>(&line) else {
            continue;
        };
        let method = request["method"].as_str().unwrap_or_default();
        if method == "notifications/cancelled" {
            eprintln!("cancelled {}", request["params"]["requestId"]);
        }
        if request.get("id").is_none() || misdeeds::instead(mode, method, &request) {
            continue;
        }
        match method {
            "server/discover" if mode.ends_with("modern") => answer(
                &request,
                json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                    "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private"}),
            ),
            "initialize" if !mode.ends_with("modern") => answer(
                &request,
                json!({"protocolVersion": if mode == "batch of its time" { "2025-03-26" } else { "2025-11-25" }, "capabilities": {"tools": {}},
                    "serverInfo": {"name": "hostile", "version": "1"}}),
            ),
            "tools/list" => answer(&request, json!({"tools": [tool("echo")]})),
            "tools/call" => {
                let arguments = request["params"]["arguments"].clone();
                answer(&request, outcome(arguments));
            }
            _ => send(&json!({"jsonrpc": "2.0", "id": request["id"],
                "error": {"code": -32601, "message": "no such method"}})),
        }
    }
}

/// A tool that takes anything.
pub fn tool(name: &str) -> Value {
    json!({"name": name, "description": "Gives back what it is given.", "inputSchema": {"type": "object"}})
}

/// A proper result of a call.
pub fn outcome(value: Value) -> Value {
    json!({"content": [{"type": "text", "text": value.to_string()}], "structuredContent": value})
}

/// Answers a request.
pub fn answer(request: &Value, result: Value) {
    send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
}

/// Writes a message.
pub fn send(message: &Value) {
    write(format!("{message}\n").as_bytes());
}

/// Writes bytes as they are; a closed pipe ends the program.
pub fn write(bytes: &[u8]) {
    let mut output = std::io::stdout().lock();
    if output.write_all(bytes).and_then(|()| output.flush()).is_err() {
        std::process::exit(1);
    }
}
