//! Sources as the user writes them: a host with its subdomains, optionally a folder of it.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::robots::normalised;

/// The longest entry of a list, in bytes.
const MAX_PATTERN_BYTES: usize = 500;

/// `example.org` (and all below it), `example.org/reports`, `192.0.2.1`. A leading `*.` says the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SourcePattern {
    host: String,
    path: String,
}

/// What is no entry of a list of sources.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoPattern(String);

impl std::str::FromStr for SourcePattern {
    type Err = NoPattern;

    fn from_str(text: &str) -> Result<Self, NoPattern> {
        let shown = || text.chars().take(100).collect::<String>();
        let wrong = || {
            NoPattern(format!(
                "{:?} names no source: write a host such as example.org, or a host and a folder such as example.org/reports",
                shown()
            ))
        };
        let plain = text.trim();
        let plain = plain.strip_prefix("https://").or_else(|| plain.strip_prefix("http://")).unwrap_or(plain);
        let starred = plain.strip_prefix("*.");
        let plain = starred.unwrap_or(plain);
        if plain.is_empty()
            || plain.len() > MAX_PATTERN_BYTES
            || plain.contains(|c: char| c.is_control() || c.is_whitespace() || matches!(c, '@' | '*' | '\\'))
        {
            return Err(wrong());
        }
        // Parsed as an address: odd spellings of a host become its one form.
        let url = Url::parse(&format!("https://{plain}")).map_err(|_| wrong())?;
        let host = host_of(&url);
        if host.is_empty() || host.split('.').any(str::is_empty) || url.port().is_some() {
            return Err(wrong());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong());
        }
        if starred.is_some() && !host.contains('.') {
            return Err(NoPattern(format!(
                "{:?} covers every host that ends with .{host}: write {host} if all of them are meant, or a host such as example.{host}",
                shown()
            )));
        }
        Ok(Self { host, path: normalised(url.path()).trim_end_matches('/').to_owned() })
    }
}

impl TryFrom<String> for SourcePattern {
    type Error = NoPattern;

    fn try_from(text: String) -> Result<Self, NoPattern> {
        text.parse()
    }
}

impl From<SourcePattern> for String {
    fn from(pattern: SourcePattern) -> Self {
        pattern.to_string()
    }
}

impl fmt::Display for SourcePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.host, self.path)
    }
}

impl SourcePattern {
    /// Whether an address belongs to the source.
    pub fn has(&self, url: &Url) -> bool {
        let host = host_of(url);
        let named = host == self.host
            || (host.strip_suffix(&self.host).is_some_and(|before| before.ends_with('.')) && !is_digits(url));
        let path = normalised(url.path());
        let below = self.path.is_empty()
            || path.strip_prefix(&self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        named && below
    }
}

fn is_digits(url: &Url) -> bool {
    matches!(url.host(), Some(url::Host::Ipv4(_) | url::Host::Ipv6(_)))
}

/// The host of an address in its one form.
pub fn host_of(url: &Url) -> String {
    url.host_str().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(pattern: &str, url: &str) -> bool {
        pattern.parse::<SourcePattern>().unwrap().has(&Url::parse(url).unwrap())
    }

    #[test]
    fn a_host_covers_what_is_below_it_and_nothing_that_only_ends_alike() {
        for url in ["https://example.org/", "https://a.b.example.org/x", "https://EXAMPLE.org./y"] {
            assert!(has("example.org", url) && has("*.Example.ORG", url), "{url}");
        }
        for url in ["https://badexample.org/", "https://example.org.evil.test/", "https://example.com/"] {
            assert!(!has("example.org", url), "{url}");
        }
        assert!(has("gov", "https://www.sec.gov/x") && !has("gov", "https://gov.test/"));
        assert!(has("192.0.2.1", "https://192.0.2.1/") && !has("2.1", "https://192.0.2.1/"));
    }

    #[test]
    fn a_folder_covers_what_lies_in_it() {
        assert!(has("example.org/reports/", "https://example.org/reports/2026.pdf"));
        assert!(has("example.org/reports", "https://example.org/reports"));
        assert!(!has("example.org/reports", "https://example.org/reports-old/a"));
        assert!(!has("example.org/reports", "https://example.org/reports/../secret"));
    }

    #[test]
    fn a_folder_covers_what_lies_in_it_however_it_is_spelled() {
        assert!(has("example.org/reports", "https://example.org/%72eports/2026.pdf"));
        assert!(has("example.org/rep%6Frts", "https://example.org/reports"));
        assert!(has("example.org/caf\u{e9}", "https://example.org/caf%c3%a9/menu"));
        assert!(!has("example.org/a/b", "https://example.org/a%2Fb"));
    }

    #[test]
    fn what_names_no_source_is_refused() {
        for text in [
            "",
            "  ",
            "*",
            "*.com",
            "https://*.org/x",
            "a b",
            "user@example.org",
            "example.org:8080",
            "a..b",
            "exa*mple.org",
            "x?y",
        ] {
            assert!(text.parse::<SourcePattern>().is_err(), "{text:?}");
        }
    }
}
