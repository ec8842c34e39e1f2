//! What an interface is asked with.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use net_guard::{AddressError, Allow, checked};
use secrecy::SecretString;
use url::Url;

use crate::reason::Reason;

/// A token that changes over time, or why there is none.
pub type FreshToken<'a> = Pin<Box<dyn Future<Output = Result<SecretString, Reason>> + Send + 'a>>;

/// Gives the token of each request.
pub trait Present: Send + Sync {
    /// The token now.
    fn current(&self) -> FreshToken<'_>;

    /// Another one, since the interface refused this one.
    fn renewed(&self, refused: SecretString) -> FreshToken<'_>;
}

/// Everything that decides where requests go and what they carry.
#[derive(Clone)]
pub struct RestConfig {
    /// The source's name, in every error.
    pub slug: String,
    /// Its address; the path ends with `/`.
    pub base: Url,
    /// Hosts that may be reached although they are not public.
    pub allow: Allow,
    /// Headers of every request; their values may be secrets, and are never printed.
    pub headers: Vec<(String, SecretString)>,
    /// Parameters of every request; the same.
    pub query: Vec<(String, SecretString)>,
    /// What must not stand in anything that leaves: the secrets alone, without what surrounds them.
    pub secrets: Vec<SecretString>,
    /// The bearer token, where it changes over time.
    pub token: Option<Arc<dyn Present>>,
    /// The longest request, redirects included.
    pub deadline: Duration,
    /// The largest answer, in bytes.
    pub max_answer_bytes: usize,
    /// The largest body of a request, in bytes.
    pub max_body_bytes: usize,
}

impl RestConfig {
    /// Below an address that the person named, without credentials. An address of this machine, and with `private` of the
    /// private network, may be reached.
    ///
    /// # Errors
    /// When it is no address that may be asked.
    pub fn new(slug: impl Into<String>, base: &str, private: bool) -> Result<Self, AddressError> {
        let mut url = Url::parse(base).map_err(|_| AddressError::Malformed("is none"))?;
        let allow = if private || is_here(&url) { Allow::origin(&url) } else { Allow::none() };
        checked(base, &allow)?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(AddressError::Malformed("of an interface has no `?` and no `#`"));
        }
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        Ok(Self {
            slug: slug.into(),
            base: url,
            allow,
            headers: Vec::new(),
            query: Vec::new(),
            secrets: Vec::new(),
            token: None,
            deadline: Duration::from_secs(60),
            max_answer_bytes: 8 << 20,
            max_body_bytes: 4 << 20,
        })
    }
}

impl fmt::Debug for RestConfig {
    /// Shows names, never values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            |pairs: &[(String, SecretString)]| pairs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        formatter
            .debug_struct("RestConfig")
            .field("slug", &self.slug)
            .field("base", &self.base.as_str())
            .field("headers", &names(&self.headers))
            .field("query", &names(&self.query))
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_need_the_persons_word_and_metadata_is_never_reached() {
        for (base, private) in [
            ("https://api.example.org/v1", false),
            ("http://localhost:8123/api", false),
            ("http://127.0.0.1:8080", false),
            ("http://192.168.1.5/", true),
            ("https://10.1.2.3/api/", true),
        ] {
            assert!(RestConfig::new("x", base, private).is_ok(), "{base}");
        }
        for (base, private) in [
            ("http://192.168.1.5/", false),
            ("https://10.1.2.3/api/", false),
            ("http://169.254.169.254/", true),
            ("http://169.254.169.254/", false),
            ("https://user@api.example.org/", false),
            ("https://api.example.org/?a=b", false),
            ("file:///etc", true),
            ("http://2130706433/", false),
            ("", false),
        ] {
            assert!(RestConfig::new("x", base, private).is_err(), "{base}");
        }
    }

    #[test]
    fn a_printed_configuration_shows_no_secret() {
        let mut config = RestConfig::new("x", "https://api.example.org", false).unwrap();
        config.headers.push(("X-Key".into(), SecretString::from("canary-7319")));
        let shown = format!("{config:?}");
        assert!(shown.contains("X-Key") && !shown.contains("canary"), "{shown}");
        assert_eq!(config.base.as_str(), "https://api.example.org/");
    }
}
