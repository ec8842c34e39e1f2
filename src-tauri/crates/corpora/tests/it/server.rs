//! A server that answers each request as the test says, and remembers what it was asked.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// What to send for one request: everything from the status line on, then the connection closes.
pub type Answer = Vec<u8>;

/// A running server.
pub struct Server {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts it with a function from (request number from 0, request text) to the answer.
    pub async fn start(answer: impl Fn(usize, &str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = Vec::new();
                let mut buffer = [0_u8; 4096];
                while !request.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut buffer).await {
                        Ok(read) if read > 0 => request.extend_from_slice(&buffer[..read]),
                        _ => break,
                    }
                }
                let text = String::from_utf8_lossy(&request).to_lowercase();
                let number = {
                    let mut seen = seen.lock().unwrap();
                    seen.push(text.clone());
                    seen.len() - 1
                };
                let _ = stream.write_all(&answer(number, &text)).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { address, asked }
    }

    /// The address of a path on it.
    pub fn at(&self, path: &str) -> url::Url {
        url::Url::parse(&format!("{}{path}", self.address)).unwrap()
    }

    /// The requests so far, in lower case.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// An answer with headers and a body; `Content-Length` is the one given.
pub fn answer(status: &str, headers: &[&str], length: usize, body: &[u8]) -> Answer {
    let mut text = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n");
    for header in headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}
