//! The client of one server's address, and why there was no answer, in words.

use std::error::Error;
use std::io;
use std::time::Duration;

use reqwest::Client;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::{HttpServer, is_loopback};
use crate::error::SourceErrorKind;

/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(20);
/// Header fields that belong to the protocol.
const OURS: [&str; 9] = [
    "accept",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
];

/// The address of a server as it was configured.
pub(super) fn address(server: &HttpServer) -> Result<Url, SourceErrorKind> {
    let refuse = |detail: &str| SourceErrorKind::Address { detail: detail.to_owned() };
    let url = Url::parse(server.url.trim()).map_err(|_| refuse("write it whole: https://host/path"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse("an address holds no credentials; they belong into the source's sign-in"));
    }
    if url.fragment().is_some() {
        return Err(refuse("leave out what follows the #"));
    }
    match (url.scheme(), url.host()) {
        ("https", Some(_)) => Ok(url),
        ("http", Some(_)) if is_loopback(&url) => Ok(url),
        ("http", Some(_)) => Err(refuse("http is taken only for this machine; write https://")),
        _ => Err(refuse("it begins with https:// (or http:// for this machine)")),
    }
}

/// A client that follows no redirect and keeps no cookie.
pub(super) fn client(url: &Url) -> Result<Client, SourceErrorKind> {
    // Fails when a provider is installed already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT)
        .user_agent(concat!("agentnative/", env!("CARGO_PKG_VERSION")));
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    if url.scheme() == "http" {
        // Without TLS there is nothing to trust, and reading the system's certificates takes time.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|_| SourceErrorKind::Unreachable {
        host: spoken(url),
        reason: "connections can't be set up; are the system's certificates installed?".into(),
    })
}

/// The configured header fields; values are marked as secrets.
pub(super) fn own_headers(server: &HttpServer) -> Result<HeaderMap, SourceErrorKind> {
    let mut headers = HeaderMap::new();
    for (name, value) in &server.headers {
        let refuse =
            |what: &str| SourceErrorKind::Address { detail: format!("its header field {name:?} {what}") };
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| refuse("has no valid name"))?;
        if OURS.contains(&key.as_str()) || key.as_str().starts_with("mcp-param-") {
            return Err(refuse("is set by the protocol; leave it out"));
        }
        let mut value = HeaderValue::from_str(value).map_err(|_| refuse("has no valid value"))?;
        value.set_sensitive(true);
        headers.append(key, value);
    }
    Ok(headers)
}

/// Scheme, host and port of an address: what may stand in a message.
pub(crate) fn spoken(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// What failed before or while an answer came. Addresses, which may hold secrets in their query, are not named.
pub(crate) fn failure(url: &Url, error: &reqwest::Error) -> SourceErrorKind {
    SourceErrorKind::Unreachable { host: spoken(url), reason: reason(error) }
}

/// Why a request got no answer.
fn reason(error: &reqwest::Error) -> String {
    let mut texts = Vec::new();
    let mut kind = None;
    // Not its own text, which has the whole address in it.
    let mut next = error.source();
    while let Some(cause) = next {
        if let Some(io) = cause.downcast_ref::<io::Error>() {
            kind = kind.or(Some(io.kind()));
        }
        texts.push(cause.to_string());
        next = cause.source();
    }
    let says = |part: &str| texts.iter().any(|text| text.contains(part));
    let words = if says("tunnel error") || says("proxy") || says("SOCKS error") {
        "the proxy can't be reached or refuses"
    } else if error.is_dns() || says("dns error") || says("failed to lookup address") {
        "its name has no address (DNS)"
    } else if error.is_timeout() || kind == Some(io::ErrorKind::TimedOut) {
        "it did not answer in time"
    } else if says("certificate") {
        "its certificate is not trusted"
    } else {
        match kind {
            Some(io::ErrorKind::ConnectionRefused) => "nothing listens there (connection refused)",
            Some(io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable) => {
                "there is no route to it"
            }
            _ if says("invalid HTTP") => "what answers there does not speak HTTP",
            _ if error.is_connect() => "the connection could not be made",
            _ => "the connection was closed before it answered",
        }
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_is_taken_only_for_this_machine() {
        for good in [
            "https://mcp.example.org/mcp?v=2",
            "http://localhost:1/",
            "http://127.0.0.1:8000/mcp",
            "http://[::1]/",
        ] {
            assert!(address(&HttpServer::new(good)).is_ok(), "{good}");
        }
        for bad in [
            "",
            "mcp.example.org",
            "http://mcp.example.org/",
            "http://192.168.0.4/",
            "http://localhost.example.org/",
            "ftp://example.org/",
            "file:///etc/passwd",
            "https://me:pw@example.org/",
            "https://example.org/#x",
        ] {
            let error = address(&HttpServer::new(bad)).unwrap_err();
            assert!(matches!(error, SourceErrorKind::Address { .. }), "{bad}");
            assert!(!error.to_string().contains("pw"));
        }
    }

    #[test]
    fn header_fields_of_the_protocol_can_not_be_set() {
        let mut server = HttpServer::new("https://example.org/");
        server.headers.insert("X-Key".into(), "canary".into());
        let headers = own_headers(&server).unwrap();
        assert!(!format!("{headers:?}").contains("canary"));
        assert!(!format!("{server:?}").contains("canary"));
        for name in ["Accept", "MCP-Session-Id", "Mcp-Param-Region", "Host", "a b", ""] {
            let mut server = HttpServer::new("https://example.org/");
            server.headers.insert(name.into(), "x".into());
            assert!(own_headers(&server).is_err(), "{name}");
        }
        server.headers.insert("X-Key".into(), "two\r\nlines: 1".into());
        assert!(own_headers(&server).is_err());
    }
}
