//! Requests to addresses that a server named: bounded, without redirects elsewhere, never into a private network.

use std::time::Duration;

use net_guard::Allow;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{Method, StatusCode};
use serde_json::Value;
use url::Url;

use super::failed;
use crate::error::SourceErrorKind;
use crate::http::{failure, is_loopback, same_origin, spoken};

/// The longest that one request takes.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Largest answer.
const MAX_ANSWER_BYTES: usize = 1 << 20;
/// Redirects within the same origin that are followed.
const REDIRECTS: usize = 3;

/// What is sent.
#[derive(Debug, Clone)]
pub(super) enum Body {
    /// Nothing: a GET.
    None,
    /// JSON.
    Json(Value),
    /// A form, already encoded, with the client's own header field.
    Form(String, Option<HeaderValue>),
}

/// What came back.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
}

impl Reply {
    /// The body as JSON, of a success.
    pub(super) fn json(&self) -> Option<Value> {
        self.status.is_success().then(|| serde_json::from_slice(&self.body).ok()).flatten()
    }
}

/// An address that a service of the sign-in may have: https on the public internet, or this machine when the server
/// itself is here.
pub(super) fn service_address(server: &Url, text: &str) -> Result<Url, SourceErrorKind> {
    let url = Url::parse(text).map_err(|_| failed("the server names a sign-in address that is none"))?;
    let url = net_guard::checked(url.as_str(), &allowed(server, &url))
        .map_err(|error| failed(format!("the server's sign-in address is refused: {error}")))?;
    if url.scheme() != "https" && !is_loopback(&url) {
        return Err(failed(format!("the sign-in address {} is not https", spoken(&url))));
    }
    Ok(url)
}

fn allowed(server: &Url, target: &Url) -> Allow {
    let own = Allow::origin(server);
    match (is_loopback(server) && is_loopback(target), target.host_str(), target.port_or_known_default()) {
        (true, Some(host), Some(port)) => own.and(host, port),
        _ => own,
    }
}

/// Sends a request to a service of `server`'s sign-in.
pub(super) async fn fetch(server: &Url, url: &Url, body: &Body) -> Result<Reply, SourceErrorKind> {
    tokio::time::timeout(TIMEOUT, follow(server, url, body)).await.unwrap_or_else(|_| {
        Err(SourceErrorKind::Unreachable { host: spoken(url), reason: "it did not answer in time".into() })
    })
}

async fn follow(server: &Url, url: &Url, body: &Body) -> Result<Reply, SourceErrorKind> {
    let mut url = url.clone();
    for _ in 0..=REDIRECTS {
        let refused = |error| failed(format!("a sign-in address is refused: {error}"));
        let addresses = net_guard::resolve(&url, &allowed(server, &url)).await.map_err(refused)?;
        let client = net_guard::client(&url, &addresses).map_err(refused)?;
        let request = match body {
            Body::None => client.request(Method::GET, url.clone()),
            Body::Json(value) => client
                .request(Method::POST, url.clone())
                .header(CONTENT_TYPE, "application/json")
                .body(value.to_string()),
            Body::Form(form, authorization) => {
                let request = client
                    .request(Method::POST, url.clone())
                    .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                    .body(form.clone());
                match authorization {
                    Some(value) => request.header(reqwest::header::AUTHORIZATION, value.clone()),
                    None => request,
                }
            }
        };
        let sent = request.header(ACCEPT, "application/json").send().await;
        let mut response = sent.map_err(|error| failure(&url, &error))?;
        let status = response.status();
        if status.is_redirection() && matches!(body, Body::None) {
            let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            match location.and_then(|location| url.join(location).ok()) {
                Some(next) if same_origin(&next, &url) => {
                    url = next;
                    continue;
                }
                Some(_) | None => return Ok(Reply { status, body: Vec::new() }),
            }
        }
        let mut bytes = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| failure(&url, &error))? {
            if bytes.len() + piece.len() > MAX_ANSWER_BYTES {
                return Err(SourceErrorKind::TooLarge {
                    what: "an answer of its sign-in".into(),
                    limit: MAX_ANSWER_BYTES,
                });
            }
            bytes.extend_from_slice(&piece);
        }
        return Ok(Reply { status, body: bytes });
    }
    Err(failed(format!("{} leads from one address to the next without end", spoken(&url))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_in_addresses_are_public_and_https_or_all_on_this_machine() {
        let far = Url::parse("https://mcp.example.org/mcp").unwrap();
        let here = Url::parse("http://localhost:3001/mcp").unwrap();
        assert!(service_address(&far, "https://id.example.org/x").is_ok());
        for bad in [
            "http://id.example.org/x",
            "https://127.0.0.1/",
            "http://localhost:80/",
            "https://169.254.169.254/latest",
            "https://10.0.0.1/",
            "https://[::1]/",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://me@id.example.org/",
            "",
        ] {
            assert!(service_address(&far, bad).is_err(), "{bad}");
        }
        for good in ["http://localhost:4000/", "http://127.0.0.1:4000/", "https://id.example.org/"] {
            assert!(service_address(&here, good).is_ok(), "{good}");
        }
        for bad in ["https://192.168.0.1/", "http://169.254.169.254/"] {
            assert!(service_address(&here, bad).is_err(), "{bad}");
        }
    }
}
