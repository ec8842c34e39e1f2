use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};

/// The server, in a process that ends with this.
pub struct Mock {
    pub port: u16,
    folder: PathBuf,
    _child: Child,
}

impl Drop for Mock {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Mock {
    /// `None` where it is not installed.
    pub async fn start(fixtures: &Value) -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
        let program = root.join("node_modules/@copilotkit/aimock/dist/cli.js");
        let node = Command::new("node").arg("--version").stdout(Stdio::null()).status().await;
        if !program.exists() || !node.is_ok_and(|status| status.success()) {
            println!("skipped: no mock server (node, npm ci)");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let folder = std::env::temp_dir().join(format!("agentnative-mock-{}-{port}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("answers.json"), fixtures.to_string()).unwrap();
        let child = Command::new("node")
            .arg(program)
            .args(["-p", &port.to_string(), "-h", "127.0.0.1", "--chunk-size", "8", "-l", "20", "-f"])
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mock = Self { port, folder, _child: child };
        // A second machine under load may take its time to start a program.
        for _ in 0..600 {
            if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return Some(mock);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the mock server does not come up");
    }

    /// The requests that it had, oldest first, in its own form.
    pub async fn journal(&self) -> Vec<Value> {
        let mut socket = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let ask = "GET /__aimock/journal?limit=100 HTTP/1.0\r\nhost: 127.0.0.1\r\n\r\n";
        socket.write_all(ask.as_bytes()).await.unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).await.unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let list = &body[body.find('[').unwrap()..=body.rfind(']').unwrap()];
        serde_json::from_str(list).unwrap()
    }
}

/// A request as it went out.
#[derive(Debug, Clone)]
pub struct Sent {
    pub line: String,
    /// In lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Sent {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// Passes bytes on to the server and keeps the requests.
pub struct Relay {
    port: u16,
    sent: Arc<Mutex<Vec<Sent>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Relay {
    pub async fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let all = Arc::clone(&sent);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(pass(client, server, Arc::clone(&all)));
            }
        });
        Self { port, sent, task }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The requests since this was last asked.
    pub fn taken(&self) -> Vec<Sent> {
        std::mem::take(&mut *self.sent.lock().unwrap())
    }
}

/// One connection, until either side ends it. Where the server breaks off, so does this.
async fn pass(client: TcpStream, server: u16, sent: Arc<Mutex<Vec<Sent>>>) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", server)).await else {
        return;
    };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let up = async {
        let (mut buffer, mut pending) = (vec![0; 64 * 1024], Vec::new());
        while let Ok(length) = from_client.read(&mut buffer).await {
            if length == 0 {
                break;
            }
            pending.extend_from_slice(&buffer[..length]);
            while let Some((request, used)) = parse(&pending) {
                sent.lock().unwrap().push(request);
                pending.drain(..used);
            }
            if to_server.write_all(&buffer[..length]).await.is_err() {
                break;
            }
        }
    };
    let down = tokio::io::copy(&mut from_server, &mut to_client);
    tokio::select! { () = up => {}, _ = down => {} }
}

/// The first whole request in what arrived, and how long it is.
fn parse(bytes: &[u8]) -> Option<(Sent, usize)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let line = lines.next().unwrap().to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, length)| length.parse().unwrap());
    let body = bytes.get(end + 4..end + 4 + length)?;
    let body = String::from_utf8(body.to_vec()).unwrap();
    Some((Sent { line, headers, body }, end + 4 + length))
}
