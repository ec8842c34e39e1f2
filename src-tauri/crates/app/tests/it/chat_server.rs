//! A host on this machine that speaks Chat Completions, and remembers what it was asked.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use futures_util::StreamExt as _;
use llm::{Message, ModelRequest, Provider as _, StreamEvent};
use offline_engine::OfflineEngine;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A request as it came.
#[derive(Debug, Clone)]
pub struct Asked {
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// What it answers.
pub struct Reply {
    pub status: u16,
    pub kind: &'static str,
    pub more: Vec<(&'static str, String)>,
    pub body: String,
}

impl Reply {
    pub fn json(status: u16, body: &Value) -> Self {
        Self { status, kind: "application/json", more: Vec::new(), body: body.to_string() }
    }

    /// An answer as a stream.
    pub fn text(text: &str) -> Self {
        let chunk = |choices: Value, usage: Value| {
            format!(
                "data: {}\n\n",
                json!({"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": "house",
                    "choices": choices, "usage": usage})
            )
        };
        let half = text.floor_char_boundary(text.len() / 2);
        let delta = |text: &str| json!([{"index": 0, "delta": {"content": text}, "finish_reason": null}]);
        let body = [
            chunk(
                json!([{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": null}]),
                json!(null),
            ),
            chunk(delta(&text[..half]), json!(null)),
            chunk(delta(&text[half..]), json!(null)),
            chunk(json!([{"index": 0, "delta": {}, "finish_reason": "stop"}]), json!(null)),
            chunk(json!([]), json!({"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15})),
            "data: [DONE]\n\n".to_owned(),
        ]
        .concat();
        Self { status: 200, kind: "text/event-stream", more: Vec::new(), body }
    }

    pub fn models(ids: &[&str]) -> Self {
        let data: Vec<Value> = ids
            .iter()
            .map(|id| json!({"id": id, "object": "model", "created": 1, "owned_by": "house"}))
            .collect();
        Self::json(200, &json!({"object": "list", "data": data}))
    }
}

type Answering = dyn Fn(&Asked) -> Option<Reply> + Send + Sync;

/// A host. It ends with the test.
pub struct ChatServer {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for ChatServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl ChatServer {
    /// Answers as `answering` says; where it says nothing, as a model would: with what the offline engine writes.
    pub async fn new(answering: impl Fn(&Asked) -> Option<Reply> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (kept, answering): (_, Arc<Answering>) = (asked.clone(), Arc::new(answering));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, kept.clone(), answering.clone()));
            }
        });
        Self { address, asked, task }
    }

    /// One that answers every request as a model would.
    pub async fn good() -> Self {
        Self::new(|_| None).await
    }

    pub fn base(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// What it was asked so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, kept: Arc<Mutex<Vec<Asked>>>, answering: Arc<Answering>) -> Option<()> {
    let mut bytes = Vec::new();
    loop {
        let head = loop {
            if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let text = String::from_utf8_lossy(&bytes[..head]).into_owned();
        let mut lines = text.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let path = first.nth(1)?.to_owned();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        let length = headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            .and_then(|(_, value)| value.parse::<usize>().ok())
            .unwrap_or(0);
        while bytes.len() < head + 4 + length {
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        }
        let body = String::from_utf8_lossy(&bytes[head + 4..head + 4 + length]).into_owned();
        bytes.drain(..head + 4 + length);
        let asked = Asked { path, headers, body };
        kept.lock().unwrap().push(asked.clone());
        let reply = match answering(&asked) {
            Some(reply) => reply,
            None => as_a_model(&asked).await,
        };
        let more: String = reply.more.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "HTTP/1.1 {} X\r\nContent-Type: {}\r\nContent-Length: {}\r\n{more}\r\n",
            reply.status,
            reply.kind,
            reply.body.len()
        );
        stream.write_all(head.as_bytes()).await.ok()?;
        stream.write_all(reply.body.as_bytes()).await.ok()?;
    }
}

async fn as_a_model(asked: &Asked) -> Reply {
    if asked.path.ends_with("/models") {
        return Reply::models(&["house", "house-small"]);
    }
    let body = asked.json();
    let mut request = ModelRequest {
        model: "offline".to_owned(),
        max_output_tokens: 100_000,
        schema: body.pointer("/response_format/json_schema/schema").cloned(),
        ..ModelRequest::default()
    };
    for message in body["messages"].as_array().into_iter().flatten() {
        let text = match &message["content"] {
            Value::String(text) => text.clone(),
            parts => {
                parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect()
            }
        };
        match message["role"].as_str().unwrap_or_default() {
            "system" | "developer" => request.system.push_str(&text),
            "assistant" => request.messages.push(Message::assistant(text)),
            _ => request.messages.push(Message::user(text)),
        }
    }
    if request.schema.is_none() {
        return Reply::text("ready");
    }
    let mut stream = OfflineEngine.stream(request);
    while let Some(event) = stream.next().await {
        match event {
            Ok(StreamEvent::Finished(answer)) => return Reply::text(&answer.text),
            Ok(_) => {}
            Err(error) => return Reply::json(400, &json!({"error": {"message": error.message}})),
        }
    }
    Reply::json(500, &json!({"error": {"message": "no answer"}}))
}
