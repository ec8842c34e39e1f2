//! Why there was no answer, in words.

use std::error::Error;
use std::io;

use rustls::{CertificateError, Error as TlsError};

use crate::{Detail, Fault, ProviderError};

/// What failed before or while an answer came. `host` is named; addresses, which may hold more, are not.
pub(super) fn failure(slug: &str, host: &str, error: &reqwest::Error) -> ProviderError {
    let (fault, detail, words) = tell(error, host);
    let error = ProviderError::new(slug, fault, words);
    match detail {
        Some(detail) => error.with_detail(detail),
        None => error,
    }
}

fn tell(error: &reqwest::Error, host: &str) -> (Fault, Option<Detail>, String) {
    let mut texts = Vec::new();
    let mut kind = None;
    // Not its own text, which has the whole address in it.
    let mut next = error.source();
    while let Some(cause) = next {
        let mut cause = cause;
        // An `io::Error` does not give the error that it wraps as its source.
        while let Some(io) = cause.downcast_ref::<io::Error>() {
            kind = kind.or(Some(io.kind()));
            match io.get_ref() {
                Some(inner) => cause = inner,
                None => break,
            }
        }
        if let Some(tls) = cause.downcast_ref::<TlsError>() {
            return untrusted(tls, host);
        }
        texts.push(cause.to_string());
        next = cause.source();
    }
    let says = |part: &str| texts.iter().any(|text| text.contains(part));
    let network = |detail, words: String| (Fault::Network, Some(detail), words);
    if says("tunnel error") || says("proxy") || says("SOCKS error") {
        return network(
            Detail::Proxy,
            format!("no connection to {host}: the proxy can't be reached or refuses"),
        );
    }
    if error.is_dns() || says("dns error") || says("failed to lookup address") {
        return network(Detail::Dns, format!("no connection to {host}: its name has no address (DNS)"));
    }
    if error.is_timeout() || kind == Some(io::ErrorKind::TimedOut) {
        return (Fault::Timeout, None, format!("{host} did not answer in time"));
    }
    match kind {
        Some(io::ErrorKind::ConnectionRefused) => network(
            Detail::Refused,
            format!("no connection to {host}: nothing listens there (connection refused)"),
        ),
        Some(
            io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable | io::ErrorKind::NetworkDown,
        ) => network(Detail::Unreachable, format!("no connection to {host}: there is no route to it")),
        _ if says("invalid HTTP") || says("invalid header") || says("message head is too large") => (
            Fault::Malformed,
            Some(Detail::WrongProtocol),
            format!("what answers at {host} does not speak HTTP"),
        ),
        Some(
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof,
        ) => network(Detail::Reset, format!("the connection to {host} was closed (reset)")),
        _ if says("connection closed") || says("incomplete message") => {
            network(Detail::Reset, format!("{host} closed the connection before it answered"))
        }
        _ if error.is_connect() => (Fault::Network, None, format!("no connection to {host}")),
        _ => (Fault::Network, None, format!("the connection to {host} failed")),
    }
}

fn untrusted(error: &TlsError, host: &str) -> (Fault, Option<Detail>, String) {
    let tls = |detail, words: &str| {
        (Fault::Network, Some(detail), format!("no secure connection to {host}: {words}"))
    };
    match error {
        TlsError::InvalidCertificate(certificate) => match certificate {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                tls(Detail::Clock, "its certificate has expired, or this machine's clock is fast")
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                tls(Detail::Clock, "its certificate is not valid yet, or this machine's clock is slow")
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                tls(Detail::Tls, "its certificate is for another host")
            }
            CertificateError::UnknownIssuer => {
                tls(Detail::Tls, "its certificate is from an issuer that is not trusted")
            }
            CertificateError::Revoked => tls(Detail::Tls, "its certificate was revoked"),
            _ => tls(Detail::Tls, "its certificate is not trusted"),
        },
        TlsError::InvalidMessage(_) => {
            tls(Detail::WrongProtocol, "what answers there does not speak TLS; is it an http:// address?")
        }
        _ => tls(Detail::Tls, "the two sides could not agree on TLS"),
    }
}
