//! Where a connection goes: its own address, else the environment's, else the provider's.

use std::net::{IpAddr, Ipv4Addr};

use domain::connection::{Connection, ProviderKind};
use url::{Host, Url};

use super::setting;
use crate::ProviderError;
use crate::wire::Codec;

/// Where Ollama listens when nothing else is said.
const OLLAMA_PORT: u16 = 11434;

/// The variables that name a provider's address, in the order in which they count.
fn variables(kind: ProviderKind) -> &'static [&'static str] {
    match kind {
        ProviderKind::Offline => &[],
        ProviderKind::Anthropic => &["ANTHROPIC_BASE_URL"],
        ProviderKind::Openai | ProviderKind::OpenaiChat => &["OPENAI_BASE_URL"],
        ProviderKind::Gemini => &["GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"],
        ProviderKind::Ollama => &["OLLAMA_HOST"],
    }
}

/// The address below which a connection's paths stand; ends with `/`.
pub(super) fn base(
    codec: &dyn Codec,
    connection: &Connection,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Url, ProviderError> {
    let own = connection.base_url.as_deref().map(str::trim).filter(|own| !own.is_empty());
    let (from, written) = match own {
        Some(own) => ("baseUrl", own.to_owned()),
        None => {
            let named = variables(codec.kind()).iter().find_map(|variable| {
                let value = environment(variable)?.trim().to_owned();
                (!value.is_empty()).then_some((*variable, value))
            });
            match (named, codec.home()) {
                (Some(("OLLAMA_HOST", host)), _) => ("OLLAMA_HOST", ollama(&host)),
                (Some(named), _) => named,
                (None, Some(home)) => ("the provider's address", home.to_owned()),
                (None, None) => {
                    return Err(setting(connection, "it has no address: give it a baseUrl"));
                }
            }
        }
    };
    check(connection, from, &written)
}

fn check(connection: &Connection, from: &str, written: &str) -> Result<Url, ProviderError> {
    let refuse = |what: &str| Err(setting(connection, format!("{from}: {what}")));
    let Ok(mut url) = Url::parse(written) else {
        return refuse("that is no address; write it whole: https://host/path");
    };
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("an address holds no credentials; they belong to the connection's auth");
    }
    match (url.scheme(), url.host()) {
        (_, None) => return refuse("the address names no host"),
        ("https", Some(_)) => {}
        ("http", Some(host)) if is_near(&host) => {}
        ("http", Some(_)) => {
            return refuse("http is taken only for this machine and private networks; write https://");
        }
        _ => return refuse("an address begins with https:// (or http:// for this machine)"),
    }
    url.set_fragment(None);
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}

/// `OLLAMA_HOST` as Ollama reads it: `host`, `:port`, `host:port`, with or without a scheme. What means "every address"
/// to the server means this machine to its client.
fn ollama(host: &str) -> String {
    let (scheme, rest) = host.split_once("://").unwrap_or(("", host));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let bare_v6 = authority.matches(':').count() > 1 && !authority.starts_with('[');
    let (name, port) = match authority.rsplit_once(':') {
        _ if bare_v6 => (format!("[{authority}]"), None),
        Some((name, port)) if !port.ends_with(']') => (name.to_owned(), Some(port)),
        _ => (authority.to_owned(), None),
    };
    let name = match name.as_str() {
        "" | "0.0.0.0" => "127.0.0.1",
        "[::]" => "[::1]",
        name => name,
    };
    let port = match (port, scheme) {
        (Some(port), _) => format!(":{port}"),
        (None, "") => format!(":{OLLAMA_PORT}"),
        (None, _) => String::new(),
    };
    let scheme = if scheme.is_empty() { "http" } else { scheme };
    format!("{scheme}://{name}{port}/{path}")
}

/// Whether a host is this machine or stands in a private network, as far as its name tells.
pub(super) fn is_near(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => {
            let name = name.trim_end_matches('.');
            !name.contains('.')
                || [".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test"]
                    .iter()
                    .any(|end| name.ends_with(end))
        }
        Host::Ipv4(ip) => near_v4(*ip),
        Host::Ipv6(ip) => match ip.to_ipv4_mapped() {
            Some(ip) => near_v4(ip),
            None => ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local(),
        },
    }
}

fn near_v4(ip: Ipv4Addr) -> bool {
    let [a, b, ..] = ip.octets();
    // The last: addresses of carriers and of private overlay networks (RFC 6598).
    ip.is_loopback() || ip.is_private() || (a == 100 && (64..128).contains(&b))
}

/// Whether an address is on this machine.
pub(super) fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical().is_loopback(),
        None => false,
    }
}

/// The address of a call below the base. A first segment that the base ends with already (`/v1`) is not doubled.
pub(super) fn below(base: &Url, path: &str, query: &[(&'static str, String)]) -> Url {
    let mut url = base.clone();
    let first = path.split('/').next().unwrap_or_default();
    let path = match base.path().trim_end_matches('/').rsplit('/').next() {
        Some(last) if !last.is_empty() && last == first => {
            path.get(first.len()..).unwrap_or_default().trim_start_matches('/')
        }
        _ => path,
    };
    let whole = format!("{}{path}", base.path());
    url.set_path(&whole);
    if !query.is_empty() {
        let mut pairs = url.query_pairs_mut();
        for (name, value) in query {
            pairs.append_pair(name, value);
        }
    }
    url
}

/// An address for messages: without credentials, query and fragment.
pub(super) fn spoken(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{host}{port}{}", url.scheme(), url.path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn codec(kind: ProviderKind) -> &'static dyn Codec {
        crate::wire::codec(kind).unwrap()
    }

    fn based(kind: ProviderKind, own: Option<&str>, environment: &[(&str, &str)]) -> Result<String, String> {
        let mut connection = Connection::new("mine", kind);
        connection.base_url = own.map(str::to_owned);
        base(codec(kind), &connection, |name| {
            environment.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
        .map(|url| url.to_string())
        .map_err(|error| error.message)
    }

    #[test]
    fn the_connection_counts_before_the_environment_and_that_before_the_provider() {
        let kind = ProviderKind::Gemini;
        let both =
            [("GEMINI_BASE_URL", "https://a.example/x"), ("GOOGLE_GEMINI_BASE_URL", "https://b.example")];
        assert_eq!(based(kind, Some("https://own.example/v"), &both).unwrap(), "https://own.example/v/");
        assert_eq!(based(kind, None, &both).unwrap(), "https://a.example/x/");
        assert_eq!(based(kind, Some(" "), &both[1..]).unwrap(), "https://b.example/");
    }

    #[test]
    fn the_forms_of_ollama_host_are_read_as_ollama_reads_them() {
        for (written, expected) in [
            ("box", "http://box:11434/"),
            (":9000", "http://127.0.0.1:9000/"),
            ("0.0.0.0", "http://127.0.0.1:11434/"),
            ("0.0.0.0:80", "http://127.0.0.1/"),
            ("192.168.1.7:11434", "http://192.168.1.7:11434/"),
            ("http://box", "http://box/"),
            ("https://ollama.example", "https://ollama.example/"),
            ("https://ollama.example/proxy", "https://ollama.example/proxy/"),
            ("[::1]:11435", "http://[::1]:11435/"),
            ("::1", "http://[::1]:11434/"),
            ("[::]", "http://[::1]:11434/"),
        ] {
            let base = based(ProviderKind::Ollama, None, &[("OLLAMA_HOST", written)]);
            assert_eq!(base.unwrap(), expected, "{written}");
        }
    }

    #[test]
    fn http_is_taken_only_for_this_machine_and_private_networks() {
        for near in [
            "http://localhost:1",
            "http://a.localhost",
            "http://127.8.8.8",
            "http://[::1]:2",
            "http://10.1.1.1",
            "http://172.31.0.1",
            "http://192.168.0.9",
            "http://100.64.0.1",
            "http://[fd00::1]",
            "http://box:8000",
            "http://nas.local",
            "http://[::ffff:10.0.0.1]",
        ] {
            assert!(based(ProviderKind::OpenaiChat, Some(near), &[]).is_ok(), "{near}");
        }
        for far in [
            "http://example.com",
            "http://8.8.8.8",
            "http://172.32.0.1",
            "http://100.128.0.1",
            "http://169.254.169.254",
            "http://[2001:db8::1]",
            "http://localhost.example.com",
            "http://[::ffff:8.8.8.8]",
            "http://134744072",
        ] {
            let message = based(ProviderKind::OpenaiChat, Some(far), &[]).unwrap_err();
            assert!(message.contains("http is taken only"), "{far}: {message}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_in_words() {
        for (written, part) in [
            ("example.com", "no address"),
            ("ftp://example.com", "begins with https"),
            ("https://me:pw@example.com", "no credentials"),
            ("file:///etc/passwd", "names no host"),
        ] {
            let message = based(ProviderKind::OpenaiChat, Some(written), &[]).unwrap_err();
            assert!(message.contains(part), "{written}: {message}");
            assert!(!message.contains("pw"));
        }
    }

    #[test]
    fn a_path_goes_below_the_base_and_is_not_doubled() {
        let below = |base: &str, path: &str, query: &[(&'static str, String)]| {
            super::below(&Url::parse(base).unwrap(), path, query).to_string()
        };
        assert_eq!(below("https://h/", "v1/messages", &[]), "https://h/v1/messages");
        assert_eq!(below("https://h/v1/", "v1/messages", &[]), "https://h/v1/messages");
        assert_eq!(below("https://h/a/v1/", "responses", &[]), "https://h/a/v1/responses");
        assert_eq!(
            below("https://h/x/?api-version=3", "models/m:s", &[("alt", "sse".to_owned())]),
            "https://h/x/models/m:s?api-version=3&alt=sse"
        );
    }
}
