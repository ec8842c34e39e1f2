//! The client of a connection: certificates, proxies, timeouts.

use std::fs;
use std::time::Duration;

use domain::connection::Connection;
use reqwest::{Certificate, Client, NoProxy, Proxy};
use url::Url;

use super::{address, setting};
use crate::ProviderError;

/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(20);
/// Files of certificates that are larger are none.
const CERTIFICATES_BYTES: u64 = 4 * 1024 * 1024;
const PROXIES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

/// A client of one connection. Redirects are never followed: they would carry the request, and maybe the secret, to
/// another host. There is no deadline for a whole answer, only for silence.
pub(super) fn client(connection: &Connection, base: &Url) -> Result<Client, ProviderError> {
    // Fails when a provider is installed already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT)
        .user_agent(concat!("agentnative/", env!("CARGO_PKG_VERSION")));
    let proxy = connection.proxy.as_deref().map(str::trim).filter(|proxy| !proxy.is_empty());
    let mut plain = base.scheme() == "http";
    builder = match proxy {
        Some("none") => builder.no_proxy(),
        Some(proxy) => {
            plain &= !proxy.starts_with("https:");
            builder.no_proxy().proxy(own_proxy(connection, proxy)?)
        }
        // What goes in the clear stays in the private network: the environment's proxy may be anywhere.
        None if base.scheme() == "http" || address::is_here(base) => builder.no_proxy(),
        None => builder,
    };
    builder = match connection.ca_file.as_deref().filter(|file| !file.is_empty()) {
        Some(file) => {
            let certificates = certificates(connection, file)?;
            // The system's verifier takes no further certificates there; behind an inspecting proxy the company's are
            // the only ones that are seen.
            if cfg!(target_os = "macos") {
                builder.tls_certs_only(certificates)
            } else {
                builder.tls_certs_merge(certificates)
            }
        }
        // Without TLS there is nothing to trust, and reading the system's certificates takes time.
        None if plain => builder.tls_certs_only([]),
        None => builder,
    };
    builder.build().map_err(|_| {
        setting(connection, "the connection could not be set up; are the system's certificates installed?")
    })
}

fn own_proxy(connection: &Connection, proxy: &str) -> Result<Proxy, ProviderError> {
    let refuse = || {
        setting(
            connection,
            "proxy: that is no proxy's address; write http://host:port, socks5://host:port or none",
        )
    };
    let url = Url::parse(proxy).map_err(|_| refuse())?;
    if !PROXIES.contains(&url.scheme()) || url.host().is_none() {
        return Err(refuse());
    }
    Ok(Proxy::all(url).map_err(|_| refuse())?.no_proxy(NoProxy::from_env()))
}

fn certificates(connection: &Connection, file: &str) -> Result<Vec<Certificate>, ProviderError> {
    let refuse = |what: &str| setting(connection, format!("caFile {file:?}: {what}"));
    let read = || {
        let length = fs::metadata(file)?.len();
        if length > CERTIFICATES_BYTES { Ok(Vec::new()) } else { fs::read(file) }
    };
    let pem =
        read().map_err(|error: std::io::Error| refuse(&format!("it can't be read: {}", error.kind())))?;
    let certificates = Certificate::from_pem_bundle(&pem).unwrap_or_default();
    // Each is tried alone, so that a wrong one is told as what it is.
    if certificates.is_empty() {
        return Err(refuse("it holds no certificates in PEM form"));
    }
    Ok(certificates)
}
