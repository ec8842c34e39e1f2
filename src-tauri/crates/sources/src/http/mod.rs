//! Servers that are reached over HTTP (MCP "Streamable HTTP"), in both generations of the protocol.
//!
//! The SDK drives [`transport::HttpTransport`]; every message is a POST of its own, made by [`exchange::Endpoint`], whose
//! answer goes through the same [`crate::wire::Wire`] as a line of a process would: the same limits hold. Nothing is sent
//! to an address that the person did not write, but to those that the server's sign-in names ([`crate::oauth`]).

mod client;
mod exchange;
mod headers;
mod legacy;
mod transport;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use url::{Host, Url};

use crate::oauth::Oauth;

pub(crate) use client::{failure, spoken};
pub(crate) use exchange::Endpoint;
pub(crate) use headers::mirrored;
pub(crate) use transport::HttpTransport;

/// A server at an address.
#[derive(Clone)]
pub struct HttpServer {
    /// Its address: https, or http on this machine.
    pub url: String,
    /// Header fields that go with every request to it. Values may be secrets: they are never printed.
    pub headers: BTreeMap<String, String>,
    /// How to sign in when it asks for that; `None` makes that an error.
    pub oauth: Option<Oauth>,
}

impl HttpServer {
    /// A server that wants neither header fields nor a sign-in.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), headers: BTreeMap::new(), oauth: None }
    }

    /// Adds everything that decides what is sent where.
    pub(crate) fn add_to(&self, add: &mut impl FnMut(&[u8])) {
        add(b"http");
        add(self.url.as_bytes());
        add(&(self.headers.len() as u64).to_le_bytes());
        for (name, value) in &self.headers {
            add(name.as_bytes());
            add(value.as_bytes());
        }
        if let Some(oauth) = &self.oauth {
            oauth.add_to(add);
        }
    }
}

impl fmt::Debug for HttpServer {
    /// Shows the names of header fields, never their values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpServer")
            .field("url", &self.url.split(['?', '#']).next())
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("oauth", &self.oauth)
            .finish()
    }
}

/// How long to wait before the next connection to a stream.
fn pause(stream: &sse::Decoder) -> Duration {
    stream.retry.unwrap_or(Duration::from_secs(1)).min(Duration::from_secs(30))
}

/// Whether an address names this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether two addresses have the same scheme, host and port.
pub(crate) fn same_origin(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin()
}
