//! The port of this machine to which the browser comes back.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use zeroize::Zeroizing;

/// The most bytes of a request's head.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// How long one connection may take to send its request.
const REQUEST_PATIENCE: Duration = Duration::from_secs(10);
/// Connections that are open at once; more wait.
const MAX_CONNECTIONS: usize = 16;
const PATH: &str = "/callback";

/// An open port. Dropped, it is closed.
#[derive(Debug)]
pub struct Callback {
    listener: TcpListener,
    host: &'static str,
    port: u16,
}

impl Callback {
    /// Opens a free port on 127.0.0.1.
    ///
    /// # Errors
    /// When there is none.
    pub async fn open() -> io::Result<Self> {
        Self::bind("127.0.0.1", 0).await
    }

    /// Opens a port for a host that leads to this machine; port 0 for any that is free.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn bind(host: &'static str, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, host, port })
    }

    /// The address to which the service sends the browser.
    pub fn redirect_uri(&self) -> String {
        format!("http://{}:{}{PATH}", self.host, self.port)
    }

    /// Serves the port until the answer with this state arrives, a code or an error; returns its query. Everything else
    /// is answered and forgotten, so that nobody who finds the port can end the sign-in.
    ///
    /// # Errors
    /// When the port fails.
    pub async fn answer(&self, state: &str) -> io::Result<Zeroizing<String>> {
        let mut serving = JoinSet::new();
        loop {
            tokio::select! {
                accepted = self.listener.accept(), if serving.len() < MAX_CONNECTIONS => {
                    let (stream, _) = accepted?;
                    serving.spawn(tokio::time::timeout(REQUEST_PATIENCE, receive(stream)));
                }
                Some(received) = serving.join_next() => {
                    let Ok(Ok(Some((mut stream, head)))) = received else { continue };
                    let query = self.query(&head).filter(|query| answers(query, state));
                    let page = match query {
                        None => page("404 Not Found", "Nothing here", "This page belongs to no sign-in."),
                        Some(_) => {
                            let words = "AgentNative shows how the sign-in went. You can close this page.";
                            page("200 OK", "Back to AgentNative", words)
                        }
                    };
                    let answered = async {
                        let _ = stream.write_all(page.as_bytes()).await;
                        let _ = stream.shutdown().await;
                    };
                    let _ = tokio::time::timeout(Duration::from_secs(2), answered).await;
                    if let Some(query) = query {
                        return Ok(Zeroizing::new(query.to_owned()));
                    }
                }
            }
        }
    }

    /// The query of a request to the callback of this very port.
    fn query<'h>(&self, head: &'h [u8]) -> Option<&'h str> {
        let head = std::str::from_utf8(head).ok()?;
        let mut lines = head.split("\r\n");
        let mut first = lines.next()?.split(' ');
        let target = (first.next()? == "GET").then(|| first.next())??;
        let host = lines
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case("host"))
            .map(|(_, value)| value.trim())?;
        if host != format!("{}:{}", self.host, self.port) {
            return None;
        }
        target.strip_prefix(PATH)?.strip_prefix('?')
    }
}

/// The value of a query's parameter. One that stands there twice is none.
pub fn parameter(query: &str, name: &str) -> Option<Zeroizing<String>> {
    let mut found = url::form_urlencoded::parse(query.as_bytes())
        .filter(|(key, _)| key == name)
        .map(|(_, value)| Zeroizing::new(value.into_owned()));
    found.next().filter(|_| found.next().is_none())
}

fn answers(query: &str, state: &str) -> bool {
    let says = |name| parameter(query, name).is_some_and(|value| !value.is_empty());
    parameter(query, "state").is_some_and(|given| same(&given, state)) && (says("code") || says("error"))
}

/// A request's head; `None` for a connection that brings none.
async fn receive(mut stream: TcpStream) -> Option<(TcpStream, Zeroizing<Vec<u8>>)> {
    let mut head = Zeroizing::new(Vec::with_capacity(MAX_HEAD_BYTES));
    loop {
        let mut chunk = Zeroizing::new([0; 2048]);
        let read = stream.read(chunk.as_mut_slice()).await.ok()?;
        if read == 0 || head.len() + read > MAX_HEAD_BYTES {
            return None;
        }
        head.extend_from_slice(chunk.get(..read)?);
        if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            head.truncate(end);
            return Some((stream, head));
        }
    }
}

fn page(status: &str, title: &str, words: &str) -> String {
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"color-scheme\" content=\"light dark\">\
         <title>{title}</title><style>body{{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;\
         padding:0 1rem}}</style><h1>{title}</h1><p>{words}</p></html>"
    );
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'\r\n\r\n{body}",
        body.len()
    )
}

/// Compares without telling by the time how much of it was right.
fn same(given: &str, wanted: &str) -> bool {
    given.len() == wanted.len()
        && given.bytes().zip(wanted.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}
