//! Which addresses of the network are reached: public ones, and those that the person named.
//!
//! A name is resolved once, all of its addresses are looked at, and the connection is made to what was looked at: a name
//! that changes its mind in between reaches nothing (DNS rebinding).

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use reqwest::Client;
use url::{Host, Url};

/// The longest that a name is resolved and a connection is made.
const CONNECT: Duration = Duration::from_secs(10);
/// The longest address, in bytes.
const MAX_ADDRESS_BYTES: usize = 8_192;
/// Ports beyond 1023 that belong to services which speak no HTTP (after the Fetch standard, "bad port").
const OTHER_PORTS: [u16; 19] = [
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679,
    6697, 10_080,
];

/// Hosts and ports that may be reached although they are not public, since the person named them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allow(BTreeSet<(String, u16)>);

/// Why an address is not reached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is none, or has a part that none of ours has.
    #[error("the address {0}")]
    Malformed(&'static str),
    /// It leads, or its name leads, to a machine that is not on the public internet.
    #[error("{host} is not on the public internet{}", .address.map(|address| format!(" ({address})")).unwrap_or_default())]
    Private {
        /// The host as it was written.
        host: String,
        /// What its name led to.
        address: Option<IpAddr>,
    },
    /// Its name is not known.
    #[error("the name {0} leads nowhere: check it and the network")]
    Unknown(String),
    /// The system's certificates can't be used.
    #[error("connections can't be set up on this machine: are the system's certificates installed?")]
    Local,
}

impl Allow {
    /// Only what is public.
    pub fn none() -> Self {
        Self::default()
    }

    /// Public hosts and this one.
    pub fn host(host: &str, port: u16) -> Self {
        Self::none().and(host, port)
    }

    /// The same, and this host.
    pub fn and(mut self, host: &str, port: u16) -> Self {
        self.0.insert((name_of(host), port));
        self
    }

    /// Public hosts and the one that an address names.
    pub fn origin(url: &Url) -> Self {
        match (url.host_str(), url.port_or_known_default()) {
            (Some(host), Some(port)) => Self::host(host, port),
            _ => Self::none(),
        }
    }

    /// Whether an address names one of these.
    pub fn has(&self, url: &Url) -> bool {
        match (url.host_str(), url.port_or_known_default()) {
            (Some(host), Some(port)) => self.0.contains(&(name_of(host), port)),
            _ => false,
        }
    }
}

fn name_of(host: &str) -> String {
    host.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase()
}

/// Whether an address belongs to the public internet (IANA's special-purpose registries; translated and tunnelled forms
/// count as not public, since they may lead anywhere).
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Whether no service of anybody's lives there: links of one wire (a cloud's metadata), groups, nothing at all. Not even a
/// named host may lead there.
fn is_never(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_link_local()
                || address.is_multicast()
                || address.is_unspecified()
                || address.is_broadcast()
        }
        IpAddr::V6(address) => {
            let [a, ..] = address.segments();
            // fd00:ec2::254 is a cloud's metadata, too.
            let metadata = Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254);
            (a & 0xffc0) == 0xfe80
                || address.is_multicast()
                || address.is_unspecified()
                || address == metadata
                || address.to_ipv4_mapped().is_some_and(|inner| is_never(IpAddr::V4(inner)))
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, ..)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 31, 196)
            | (192, 52, 193)
            | (192, 88, 99)
            | (192, 168, _)
            | (192, 175, 48)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    )
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    // Global unicast is 2000::/3; mapped, translated, local and multicast forms lie outside of it.
    (a & 0xe000) == 0x2000
        && !(a == 0x2001 && (b < 0x0200 || b == 0x0db8))
        && a != 0x2002
        && !(a == 0x3fff && b < 0x1000)
        && !(a == 0x2620 && b == 0x004f)
}

/// An address that may be asked: `http` or `https`, a host in its plain form, no name or password in it.
///
/// # Errors
/// What is wrong with it, before anything is sent.
pub fn checked(text: &str, allow: &Allow) -> Result<Url, AddressError> {
    let malformed = AddressError::Malformed;
    if text.len() > MAX_ADDRESS_BYTES {
        return Err(malformed("is too long"));
    }
    if text.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
        return Err(malformed("has spaces or control characters in it: write them as %20"));
    }
    let mut url =
        Url::parse(text).map_err(|_| malformed("is none: it must begin with https:// or http://"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(malformed("must begin with https:// or http://"));
    }
    if !url.username().is_empty() || url.password().is_some() || written_authority(text).contains('@') {
        return Err(malformed("holds a name or password: leave them out"));
    }
    match url.host() {
        None => return Err(malformed("names no host")),
        Some(Host::Domain(name)) => {
            let name = name_of(name);
            if name.is_empty() || name.split('.').any(str::is_empty) {
                return Err(malformed("names no host"));
            }
            let here = name == "localhost" || name.ends_with(".localhost");
            if here && !allow.has(&url) {
                return Err(AddressError::Private { host: name, address: None });
            }
        }
        Some(Host::Ipv4(address)) => {
            let written = written_authority(text);
            let host = written.rsplit_once(':').map_or(written, |(host, _)| host);
            if host != address.to_string() {
                return Err(malformed("writes a host in digits that is not of the form 192.0.2.1"));
            }
            literal(&url, IpAddr::V4(address), allow)?;
        }
        Some(Host::Ipv6(address)) => literal(&url, IpAddr::V6(address), allow)?,
    }
    let port = url.port_or_known_default().unwrap_or_default();
    let usual = matches!(port, 80 | 443) || (port >= 1_024 && !OTHER_PORTS.contains(&port));
    if !usual && !allow.has(&url) {
        return Err(malformed("names a port that belongs to another service"));
    }
    url.set_fragment(None);
    Ok(url)
}

fn literal(url: &Url, address: IpAddr, allow: &Allow) -> Result<(), AddressError> {
    if is_public(address) || (allow.has(url) && !is_never(address)) {
        return Ok(());
    }
    Err(AddressError::Private { host: address.to_string(), address: None })
}

/// Host and port as they were written.
fn written_authority(text: &str) -> &str {
    let after = text.split_once(':').map_or(text, |(_, after)| after);
    after.trim_start_matches(['/', '\\']).split(['/', '\\', '?', '#']).next().unwrap_or_default()
}

/// Where a redirect leads, as [`checked`] takes it; nothing where its target is no address.
pub fn redirected(from: &Url, location: &str) -> Option<String> {
    let location = location.trim();
    // The parser would make an address of nearly anything.
    let is_odd = |letter: char| letter.is_control() || letter.is_whitespace() || letter == '\\';
    if location.is_empty() || location.contains(is_odd) {
        return None;
    }
    let colon = location.find(':');
    let is_whole = colon.is_some_and(|colon| !location[..colon].contains(['/', '?', '#']));
    if let Some(rest) = location.strip_prefix("//") {
        Some(format!("{}://{rest}", from.scheme()))
    } else if is_whole {
        Some(location.to_owned())
    } else {
        from.join(location).ok().map(String::from)
    }
}

/// Where an address leads: every address of its host, all of them public unless the host is allowed.
///
/// # Errors
/// When one is not, when there is none, or after 10 seconds.
pub async fn resolve(url: &Url, allow: &Allow) -> Result<Vec<SocketAddr>, AddressError> {
    let port = url.port_or_known_default().unwrap_or(443);
    let found: Vec<SocketAddr> = match url.host() {
        None => return Err(AddressError::Malformed("names no host")),
        Some(Host::Ipv4(address)) => vec![SocketAddr::new(IpAddr::V4(address), port)],
        Some(Host::Ipv6(address)) => vec![SocketAddr::new(IpAddr::V6(address), port)],
        Some(Host::Domain(name)) => {
            let unknown = || AddressError::Unknown(name.to_owned());
            let looked = tokio::time::timeout(CONNECT, tokio::net::lookup_host((name, port))).await;
            looked.map_err(|_| unknown())?.map_err(|_| unknown())?.collect()
        }
    };
    if found.is_empty() {
        return Err(AddressError::Unknown(url.host_str().unwrap_or_default().to_owned()));
    }
    let named = allow.has(url);
    let refused = |address: &&SocketAddr| {
        if named { is_never(address.ip()) } else { !is_public(address.ip()) }
    };
    if let Some(private) = found.iter().find(refused) {
        let host = url.host_str().unwrap_or_default().to_owned();
        return Err(AddressError::Private { host, address: Some(private.ip()) });
    }
    Ok(found)
}

/// A client whose connections to the host of `url` go to these addresses alone. It follows no redirect, keeps no cookie
/// and uses no proxy, which would resolve the name once more.
///
/// # Errors
/// [`AddressError::Local`].
pub fn client(url: &Url, addresses: &[SocketAddr]) -> Result<Client, AddressError> {
    // Fails when a provider is installed already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .connect_timeout(CONNECT)
        .user_agent(concat!("agentnative/", env!("CARGO_PKG_VERSION")));
    if let Some(Host::Domain(name)) = url.host() {
        builder = builder.resolve_to_addrs(name, addresses);
    }
    if url.scheme() == "http" {
        // Without TLS there is nothing to trust, and reading the system's certificates takes time.
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|_| AddressError::Local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        for private in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::",
            "3fff::1",
            "fc00::1",
            "fd00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "2001:20::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
        for public in ["1.1.1.1", "8.8.8.8", "100.63.0.1", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn odd_forms_of_an_address_are_refused() {
        for text in [
            "",
            "example.org",
            "//example.org/",
            "ftp://example.org/",
            "file:///etc/passwd",
            "gopher://example.org/",
            "javascript:alert(1)",
            "data:text/plain,x",
            "http://",
            "https://./",
            "http://user@example.org/",
            "http://user:pass@example.org/",
            "http://@example.org/",
            "http://example.org@127.0.0.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "http://134744072/",
            "http://0x8.8.8.8/",
            "http://8.8.2056/",
            "http://127.0.0.1/",
            "http://127.0.0.1:80/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::]/",
            "http://localhost/",
            "http://LOCALHOST/",
            "http://localhost./",
            "http://a.localhost/",
            "http://169.254.169.254/latest",
            "http://192.168.0.1/",
            "http://10.0.0.1:8080/",
            "http://0/",
            "http://[fe80::1]/",
            "http://[64:ff9b::7f00:1]/",
            "https://example.org:22/",
            "https://example.org:25/",
            "https://example.org:6667/",
            "https://example.org/a b",
            "https://example.org/\n",
            "http:\\\\127.0.0.1/",
            "http:/127.0.0.1/",
            "http:127.0.0.1/",
            "http://１２７.0.0.1/",
            "http://①②⑦.0.0.1/",
            "http://127。0。0。1/",
            "http://%31%32%37.0.0.1/",
        ] {
            assert!(checked(text, &Allow::none()).is_err(), "{text:?}");
        }
        for text in [
            "https://example.org/",
            "http://example.org:8080/a?b=c",
            "https://8.8.8.8/",
            "https://xn--e1afmkfd.example/",
        ] {
            assert!(checked(text, &Allow::none()).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn what_the_person_named_is_reached_and_nothing_beside_it() {
        let allow = Allow::host("127.0.0.1", 8080).and("LocalHost", 9000);
        for text in ["http://127.0.0.1:8080/x", "http://localhost:9000/", "http://localhost.:9000/"] {
            assert!(checked(text, &allow).is_ok(), "{text}");
        }
        for text in [
            "http://127.0.0.1:8081/",
            "http://localhost:8080/",
            "http://127.0.0.2:8080/",
            "http://[::1]:8080/",
        ] {
            assert!(checked(text, &allow).is_err(), "{text}");
        }
    }

    #[test]
    fn a_redirect_leads_to_what_its_target_says_as_it_is_written() {
        let from = Url::parse("https://example.org/a/b").unwrap();
        for (location, to) in [
            (" c?d=x:y ", Some("https://example.org/a/c?d=x:y")),
            ("/x", Some("https://example.org/x")),
            ("//127.1/x", Some("https://127.1/x")),
            ("http://0x7f.1/", Some("http://0x7f.1/")),
            ("", None),
            (" ", None),
            ("a b", None),
            ("\\\\127.0.0.1\\", None),
        ] {
            assert_eq!(redirected(&from, location).as_deref(), to, "{location:?}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_to_this_machine_is_not_followed() {
        let metadata = Url::parse("http://169.254.169.254/").unwrap();
        assert!(resolve(&metadata, &Allow::origin(&metadata)).await.is_err());
        let url = Url::parse("http://localhost:8080/").unwrap();
        assert!(matches!(resolve(&url, &Allow::none()).await, Err(AddressError::Private { .. })));
        assert!(resolve(&url, &Allow::origin(&url)).await.is_ok());
    }
}
