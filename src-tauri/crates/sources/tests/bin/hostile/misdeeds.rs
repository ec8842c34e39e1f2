//! The misbehaviour itself.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::{Value, json};

use crate::{answer, outcome, send, tool, write};

const MEBIBYTE: usize = 1 << 20;

/// What happens before the first request is read.
pub fn at_start(mode: &str) {
    match mode {
        "hangs at start" => sleep_for_ever(),
        "begins with a byte order mark" => write(b"\xef\xbb\xbf"),
        "slow and modern" => std::thread::sleep(std::time::Duration::from_millis(500)),
        "exits at start" => {
            eprintln!("\u{1b}[31mconfiguration missing\u{1b}[0m");
            std::process::exit(3);
        }
        "banners" => {
            for line in ["npm WARN deprecated", "", "listening on stdio", "{not json"] {
                write(format!("{line}\n").as_bytes());
            }
        }
        "floods at start" => loop {
            write(b"loading...\n");
        },
        "endless line at start" => loop {
            write(&vec![b'x'; MEBIBYTE]);
        },
        "stderr flood" => {
            let block = "the same complaint again\n".repeat(40_000);
            for _ in 0..100 {
                eprint!("{block}");
            }
            eprintln!("mode stderr flood is done");
        }
        "stderr without newline" => eprint!("{}", "no end ".repeat(100_000)),
        "ignores everything" => {
            let ignored = Arc::new(AtomicBool::new(false));
            let _ = signal_hook::flag::register(signal_hook::consts::SIGTERM, ignored);
        }
        "keeps forking" => {
            let marker = std::env::var("MARKER").unwrap_or_default();
            let script =
                format!("trap '' TERM HUP; while :; do (env -i setsid sleep {marker} &); sleep 0.02; done");
            let _ = Command::new("/usr/bin/setsid").args(["/bin/sh", "-c", &script]).spawn();
        }
        "grandchildren" | "grandchildren with clean environment" => {
            let marker = std::env::var("MARKER").unwrap_or_default();
            let prefix = if mode == "grandchildren" { "" } else { "env -i " };
            let script = format!(
                "({prefix}setsid sleep {marker} &) ; ({prefix}setsid sh -c 'trap \"\" TERM; sleep {marker}; sleep {marker}' &)"
            );
            let _ = Command::new("/bin/sh").args(["-c", &script]).status();
        }
        _ => {}
    }
}

/// What happens when the input has ended.
pub fn after_input(mode: &str) {
    if mode == "ignores everything" {
        sleep_for_ever();
    }
}

/// Answers in the mode's own way; false when the mode has nothing against this request.
pub fn instead(mode: &str, method: &str, request: &Value) -> bool {
    match (mode, method) {
        ("silent about discovery", "server/discover") => {}
        ("dies of discovery", "server/discover") => std::process::exit(1),
        ("wrong handshake", "server/discover" | "initialize") => answer(request, json!([1, 2])),
        // Most servers know nothing of discovery and say nothing to it.
        (mode, "server/discover") if mode.starts_with("greets ") => {}
        ("greets with an error", "initialize") => send(&json!({"jsonrpc": "2.0", "id": request["id"],
            "error": {"code": -32000, "message": "no licence"}})),
        ("greets with a list", "initialize") => answer(request, json!([1, 2])),
        ("greets in a list", "initialize") => {
            send(&json!([{"jsonrpc": "2.0", "id": request["id"], "result": {}}]))
        }
        ("greets with another id", "initialize") => {
            send(&json!({"jsonrpc": "2.0", "id": "first", "result": {}}));
        }
        ("greets without a version", "initialize") => send(&json!({"id": request["id"], "result": {}})),
        ("greets well and lists nothing", "tools/list") => answer(request, json!({"tools": null})),
        ("greets well and lists no tools", "tools/list") => answer(request, json!({})),
        ("endless pages", "tools/list") => {
            let page = request["params"]["cursor"].as_str().unwrap_or("0");
            let next = page.parse::<u64>().unwrap_or_default() + 1;
            answer(request, json!({"tools": [tool(&format!("t{next}"))], "nextCursor": next.to_string()}));
        }
        ("same page", "tools/list") => {
            answer(request, json!({"tools": [], "nextCursor": "here"}));
        }
        ("too many tools", "tools/list") => {
            let tools: Vec<Value> = (0..10_000).map(|n| tool(&format!("t{n}"))).collect();
            answer(request, json!({"tools": tools}));
        }
        ("huge schema", "tools/list") => {
            let mut big = tool("echo");
            big["inputSchema"]["description"] = json!("x".repeat(100_000));
            answer(request, json!({"tools": [big]}));
        }
        ("bad among good tools", "tools/list") => {
            let mut other = tool("twice");
            other["description"] = json!("Another one.");
            let no_schema = json!({"name": "bare", "description": "No schema."});
            let odd = json!({"name": "odd", "inputSchema": {"type": "objekt"}});
            let tools =
                [tool("twice"), tool(""), tool("hid\u{200b}den"), no_schema, odd, tool("echo"), other];
            answer(request, json!({"tools": tools}));
        }
        ("promises an output" | "breaks its promise", "tools/list") => {
            let mut promising = tool("echo");
            promising["outputSchema"] =
                json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
            answer(request, json!({"tools": [promising]}));
        }
        (_, "tools/call") => return instead_of_call(mode, request),
        _ => return false,
    }
    true
}

fn instead_of_call(mode: &str, request: &Value) -> bool {
    let arguments = request["params"]["arguments"].clone();
    match mode {
        "dies in a call" => {
            eprintln!("segmentation fault, more or less");
            std::process::exit(139);
        }
        "garbage" => {
            for _ in 0..100 {
                write(b"\x00\xff\xfe{]\x1b[2J \xc3\x28\n");
            }
        }
        "wrong ids" => {
            for id in [json!(999_999), json!("x"), json!(null), json!([1]), json!(1.5)] {
                send(&json!({"jsonrpc": "2.0", "id": id, "result": outcome(arguments.clone())}));
            }
        }
        "duplicates" => {
            for _ in 0..50 {
                answer(request, outcome(arguments.clone()));
            }
        }
        "logs json" => {
            for line in [
                json!({"level": 30, "id": request["id"], "msg": "called"}),
                json!({"id": request["id"], "result": "done"}),
            ] {
                send(&line);
            }
            answer(request, outcome(arguments));
        }
        "breaks its promise" => answer(
            request,
            json!({"content": [{"type": "text", "text": "one row"}], "structuredContent": {"n": "one"}}),
        ),
        "byte order mark" => {
            write(b"\xef\xbb\xbf");
            answer(request, outcome(arguments));
        }
        "byte order mark in the line" => {
            write(b" \xef\xbb\xbf");
            answer(request, outcome(arguments));
        }
        "batch" | "batch of its time" => {
            let answered = json!({"jsonrpc": "2.0", "id": request["id"], "result": outcome(arguments)});
            let told = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x"}});
            send(&json!([told, answered]));
        }
        "two ids" => {
            let (id, result) = (request["id"].to_string(), outcome(arguments));
            write(
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"id\":{id},\"result\":{result}}}\n").as_bytes(),
            );
        }
        "unknown id" => send(&json!({"jsonrpc": "2.0", "id": 999_999, "result": outcome(arguments)})),
        "answers late" => {
            std::thread::sleep(Duration::from_millis(200));
            let text = "x".repeat(2_000);
            answer(request, json!({"isError": true, "content": [{"type": "text", "text": text}]}));
        }
        "wrong shapes" => answer(request, json!({"content": "text"})),
        "no result" => send(&json!({"jsonrpc": "2.0", "id": request["id"]})),
        "deep" => {
            let depth = 200_000;
            let id = request["id"].to_string();
            write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":").as_bytes());
            write("[".repeat(depth).as_bytes());
            write("]".repeat(depth).as_bytes());
            write(b"}\n");
        }
        "large" => answer(request, json!({"content": [{"type": "text", "text": "x".repeat(9 * MEBIBYTE)}]})),
        "huge line" => {
            let id = request["id"].to_string();
            write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"a\":\"").as_bytes());
            for _ in 0..100 {
                write(&vec![b'x'; MEBIBYTE]);
            }
            write(b"\"}}\n");
        }
        "notification flood" => {
            let message = json!({"jsonrpc": "2.0", "method": "notifications/message",
                "params": {"level": "info", "data": "x".repeat(1_000)}});
            for _ in 0..100_000 {
                send(&message);
            }
            answer(request, outcome(arguments));
        }
        "request flood" => {
            for id in 0..100_000 {
                send(&json!({"jsonrpc": "2.0", "id": id, "method": "roots/list"}));
            }
        }
        "never answers" => {
            // The file that the test waits for.
            if let Some(sign) = request["params"]["arguments"]["sign"].as_str()
                && let Err(error) = std::fs::write(sign, "")
            {
                eprintln!("no sign: {error}");
            }
        }
        "progress for ever" | "progress that stands still" => {
            let token = request["params"]["_meta"]["progressToken"].clone();
            for step in 0.. {
                let progress = if mode == "progress for ever" { step } else { 1 };
                send(&json!({"jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": progress}}));
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        "progress then answer" => {
            let token = request["params"]["_meta"]["progressToken"].clone();
            for step in 0..10 {
                send(&json!({"jsonrpc": "2.0", "method": "notifications/progress",
                    "params": {"progressToken": token, "progress": step}}));
                std::thread::sleep(Duration::from_millis(100));
            }
            answer(request, outcome(arguments));
        }
        "half a character" => {
            let id = request["id"].to_string();
            let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[");
            write(head.as_bytes());
            write(b"{\"type\":\"text\",\"text\":\"half \\ud83d and \xff byte\"}]}}\n");
        }
        "tool error" => answer(
            request,
            json!({"isError": true, "content": [{"type": "text", "text": "row 7 is missing"}]}),
        ),
        "refuses" => send(&json!({"jsonrpc": "2.0", "id": request["id"],
            "error": {"code": -32602, "message": "bad arguments"}})),
        "asks back" => answer(request, json!({"resultType": "input_required", "inputRequests": {}})),
        "environment" => {
            let names: Vec<(String, String)> = std::env::vars().collect();
            answer(request, outcome(json!(names)));
        }
        _ => return false,
    }
    true
}

fn sleep_for_ever() {
    loop {
        std::thread::sleep(Duration::from_secs(3_600));
    }
}
