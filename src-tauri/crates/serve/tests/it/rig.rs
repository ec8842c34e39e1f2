//! A server over a fresh data directory, and a client that sends exactly what a test wants.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use app::{ApiEvent, Host};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use serve::{Options, Server};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

/// No wait of a test is longer.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub struct World {
    _folder: TempDir,
    pub home: PathBuf,
    pub host: Host,
    pub server: Server,
    pub port: u16,
    pub token: String,
}

/// An answer of the server.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

impl World {
    pub async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let (home, ui) = (folder.path().join("home"), folder.path().join("ui"));
        std::fs::create_dir_all(ui.join("assets")).unwrap();
        std::fs::write(ui.join("index.html"), "<!doctype html><title>Window</title>").unwrap();
        std::fs::write(ui.join("mermaid.html"), "<!doctype html><title>Diagram</title>").unwrap();
        std::fs::write(ui.join("assets/index-1.js"), "export {};").unwrap();
        std::fs::write(folder.path().join("secret.txt"), "nobody's business").unwrap();
        small_agent(&home);
        let options = app::Options {
            home: home.clone(),
            program: std::env::current_exe().unwrap(),
            providers: BTreeMap::new(),
            hosts: None,
        };
        let host = Host::open(options).await.unwrap();
        let options = Options { ui: Some(ui), ..Options::on_port(0) };
        let server = Server::start(host.clone(), options).await.unwrap();
        let (port, token) = (server.port(), server.token().as_str().to_owned());
        Self { _folder: folder, home, host, server, port, token }
    }

    /// Sends these bytes and reads the whole answer.
    pub async fn raw(&self, request: &str) -> Answer {
        tokio::time::timeout(PATIENCE, self.send(request)).await.expect("an answer in time")
    }

    async fn send(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        // A server that has heard enough may close before everything was sent.
        let _ = stream.write_all(request.as_bytes()).await;
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// `GET`, with further header lines.
    pub async fn get(&self, path: &str, more: &str) -> Answer {
        let port = self.port;
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n{more}\r\n");
        self.raw(&request).await
    }

    /// `POST /api` with these header lines.
    pub async fn post(&self, headers: &str, body: &str) -> Answer {
        let length = body.len();
        let request = format!(
            "POST /api HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        self.raw(&request).await
    }

    /// The header lines of somebody who may call.
    pub fn allowed(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n", self.port, self.token)
    }

    /// Carries out a command.
    pub async fn call(&self, command: &str, params: Value) -> Value {
        let body = json!({ "command": command, "params": params }).to_string();
        let answer = self.post(&self.allowed(), &body).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["ok"].clone()
    }

    /// A WebSocket, or the status with which it was refused.
    pub async fn socket(&self, host: &str, origin: Option<&str>) -> Result<Socket, u16> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let mut request = format!("ws://{host}/events").into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((socket, _)) => Ok(Socket(socket)),
            Err(tokio_tungstenite::tungstenite::Error::Http(answer)) => Err(answer.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }

    /// A WebSocket that has been welcomed.
    pub async fn listening(&self) -> Socket {
        let mut socket = self.socket(&format!("127.0.0.1:{}", self.port), None).await.unwrap();
        socket.say(&json!({ "hello": { "token": self.token } }).to_string()).await;
        assert_eq!(socket.receive().await.as_deref(), Some("\"welcome\""));
        socket
    }
}

pub struct Socket(WebSocketStream<TcpStream>);

impl Socket {
    pub async fn say(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }

    /// The next text; nothing once the server has closed.
    pub async fn receive(&mut self) -> Option<String> {
        let heard = async {
            loop {
                match self.0.next().await {
                    Some(Ok(Message::Text(text))) => return Some(text.to_string()),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                    Some(Ok(_)) => {}
                }
            }
        };
        tokio::time::timeout(PATIENCE, heard).await.expect("a message in time")
    }

    /// The next events.
    pub async fn events(&mut self) -> Option<Vec<ApiEvent>> {
        self.receive().await.map(|text| serde_json::from_str(&text).unwrap())
    }
}

/// An agent that needs no source: one answer of the offline engine, and a document.
fn small_agent(home: &Path) {
    let folder = home.join("workspaces/default/agents/small");
    std::fs::create_dir_all(folder.join("prompts")).unwrap();
    let config = json!({
        "slug": "small",
        "name": "Small",
        "description": "For tests.",
        "depthModes": { "standard": {} },
        "controlFlow": {
            "stages": [
                {
                    "id": "think", "name": "think", "title": "Think", "kind": "model", "prompt": "think.md",
                    "context": [{ "section": "REQUEST", "value": "request" }],
                    "outputSchema": {
                        "type": "object", "required": ["text"],
                        "properties": { "text": { "type": "string", "minLength": 1 } }
                    }
                },
                {
                    "id": "output", "name": "output", "title": "Output", "kind": "render",
                    "document": { "answer": "{'synthesis': outputs.think.text}" }
                }
            ]
        }
    });
    std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
    std::fs::write(folder.join("prompts/think.md"), "Answer the request.\n").unwrap();
    let page = "---\nname: Small\ndescription: For tests.\nsources: []\ntools: []\n---\nFor tests.\n";
    std::fs::write(folder.join("AGENT.md"), page).unwrap();
}
