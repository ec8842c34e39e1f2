//! A server on loopback that answers as each test says, and counts.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// What is sent for a request.
#[derive(Clone)]
pub enum Reply {
    /// These bytes.
    Bytes(Vec<u8>),
    /// A head, then as many bytes, and the beginning of a body before them.
    Flood { head: String, start: &'static [u8], bytes: usize },
    /// A head, then a byte at a time.
    Drip { head: String, every: Duration },
    /// Nothing, and the connection stays.
    Silence,
}

/// The server.
pub struct Server {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers each request by its path and whole text.
    pub async fn start(answer: impl Fn(&str, &str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        let answer = Arc::new(answer);
        tokio::spawn(async move {
            loop {
                let Ok((mut stream, _)) = listener.accept().await else { return };
                let (answer, kept) = (Arc::clone(&answer), Arc::clone(&kept));
                tokio::spawn(async move {
                    let mut request = Vec::new();
                    let mut buffer = [0; 4_096];
                    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                        match stream.read(&mut buffer).await {
                            Ok(read) if read > 0 => request.extend_from_slice(&buffer[..read]),
                            _ => return,
                        }
                    }
                    let request = String::from_utf8_lossy(&request).into_owned();
                    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                    let reply = answer(&path, &request);
                    kept.lock().unwrap().push(request);
                    match reply {
                        Reply::Bytes(bytes) => {
                            let _ = stream.write_all(&bytes).await;
                        }
                        Reply::Flood { head, start, bytes } => {
                            let _ = stream.write_all(head.as_bytes()).await;
                            let _ = stream.write_all(start).await;
                            let piece = vec![b'a'; 1 << 16];
                            let mut sent = start.len();
                            while sent < bytes
                                && stream.write_all(&piece[..piece.len().min(bytes - sent)]).await.is_ok()
                            {
                                sent += piece.len();
                            }
                        }
                        Reply::Drip { head, every } => {
                            let _ = stream.write_all(head.as_bytes()).await;
                            while stream.write_all(b"a").await.is_ok() {
                                tokio::time::sleep(every).await;
                            }
                        }
                        Reply::Silence => std::future::pending::<()>().await,
                    }
                });
            }
        });
        Self { address, requests }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests for pages, without those for robots.txt.
    pub fn requests(&self) -> Vec<String> {
        let all = self.requests.lock().unwrap();
        all.iter().filter(|request| !request.starts_with("GET /robots.txt ")).cloned().collect()
    }

    pub fn robots_requests(&self) -> usize {
        let all = self.requests.lock().unwrap().len();
        all - self.requests().len()
    }
}

/// An answer with more header lines.
pub fn answer_with(status: &str, kind: &str, headers: &str, body: impl AsRef<[u8]>) -> Reply {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    Reply::Bytes([head.as_bytes(), body].concat())
}

pub fn answer(kind: &str, body: impl AsRef<[u8]>) -> Reply {
    answer_with("200 OK", kind, "", body)
}

pub fn moved(to: &str) -> Reply {
    answer_with("302 Found", "text/plain", &format!("Location: {to}\r\n"), "")
}

pub fn status(line: &str) -> Reply {
    answer_with(line, "text/plain", "", "")
}
