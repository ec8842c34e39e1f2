//! Which addresses may be fetched.

use thiserror::Error;
use url::Url;

/// Why an address is not fetched.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AddressError {
    /// Not an address.
    #[error("'{0}' is not an address: give one that begins with https://")]
    Malformed(String),
    /// Neither https, nor http on this machine.
    #[error("{0} is not fetched: only https:// addresses are, and http:// on this machine")]
    Scheme(String),
    /// A user name or password in the address.
    #[error("an address with a password in it is not fetched: give it without one")]
    Password,
}

/// The address as a URL, when it may be fetched: https, or http on this machine.
pub fn allowed(address: &str) -> Result<Url, AddressError> {
    let shown: String = address.chars().filter(|c| !c.is_control()).take(200).collect();
    let url = Url::parse(address.trim()).map_err(|_| AddressError::Malformed(shown.clone()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressError::Password);
    }
    let loopback = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    match url.scheme() {
        "https" if url.host_str().is_some() => Ok(url),
        "http" if loopback => Ok(url),
        _ => Err(AddressError::Scheme(shown)),
    }
}

/// A file name for what an address gives: its last part, letters, digits, `.`, `-` and `_` only, never hidden.
pub fn file_name(url: &Url) -> String {
    let last = url.path_segments().and_then(|mut parts| parts.rfind(|part| !part.is_empty())).unwrap_or("");
    let name: String = last
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' })
        .take(100)
        .collect();
    let name = name.trim_matches(['.', '-']);
    if name.is_empty() { "download".into() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn only_https_and_this_machine_are_fetched() {
        assert!(allowed("https://example.org/a.json").is_ok());
        assert!(allowed("http://127.0.0.1:9/a").is_ok());
        for (address, error) in [
            ("http://example.org/a", AddressError::Scheme("http://example.org/a".into())),
            ("file:///etc/passwd", AddressError::Scheme("file:///etc/passwd".into())),
            ("ftp://example.org/a", AddressError::Scheme("ftp://example.org/a".into())),
            ("https://eva:secret@example.org/", AddressError::Password),
            ("example", AddressError::Malformed("example".into())),
        ] {
            assert_eq!(allowed(address), Err(error));
        }
    }

    #[test]
    fn file_names_are_plain() {
        let name = |address: &str| file_name(&Url::parse(address).unwrap());
        assert_eq!(name("https://example.org/a/catalog.json?x=1"), "catalog.json");
        assert_eq!(name("https://example.org/a/%2e%2e%2fb"), "2e-2e-2fb");
        assert_eq!(name("https://example.org/.hidden"), "hidden");
        assert_eq!(name("https://example.org/"), "download");
    }
}
