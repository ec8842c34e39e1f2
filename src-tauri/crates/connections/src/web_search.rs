//! What the web search that all agents and conversations share is kept as in the vault.

use domain::{ErrorCode, Problem};
use secrets::{ExposeSecret as _, SecretString};
use url::Url;

use crate::clean;

/// The name of the key of Brave Search.
pub const BRAVE: &str = "web-search/brave";
/// The name of the address of a SearXNG instance.
pub const SEARXNG: &str = "web-search/searxng";

/// A secret of the web search as it is kept. `None`: it is empty.
///
/// # Errors
/// No web search has a secret of this name, or it can't be one.
pub fn web_search_secret(name: &str, value: &SecretString) -> Result<Option<SecretString>, Problem> {
    let invalid = |message: String| Problem::new(ErrorCode::InvalidInput, message);
    match name {
        BRAVE => clean(value),
        SEARXNG => {
            let address = value.expose_secret().trim();
            if address.is_empty() {
                return Ok(None);
            }
            let url = Url::parse(address)
                .ok()
                .filter(|url| matches!(url.scheme(), "http" | "https") && url.username().is_empty());
            if url.is_none_or(|url| url.password().is_some()) {
                return Err(invalid(
                    "the address of a SearXNG instance must begin with https:// or http:// and hold no password"
                        .to_owned(),
                )
                .with_action("give it as it stands in the browser, such as https://search.example.org"));
            }
            Ok(Some(SecretString::from(address)))
        }
        _ => Err(invalid(format!("the web search uses no secret of the name {name}")).with_action(format!(
            "store a key of Brave Search as {BRAVE}, or the address of a SearXNG instance as {SEARXNG}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_or_an_address_is_kept_as_it_can_be_used_and_nothing_else_is() {
        let kept = |name: &str, value: &str| {
            let kept = web_search_secret(name, &SecretString::from(value));
            kept.map(|kept| kept.map(|kept| kept.expose_secret().to_owned())).map_err(|problem| problem.code)
        };
        assert_eq!(kept(BRAVE, " BSAkey \n"), Ok(Some("BSAkey".to_owned())));
        assert_eq!(kept(SEARXNG, "https://s.example/x \n"), Ok(Some("https://s.example/x".to_owned())));
        assert_eq!((kept(BRAVE, " \n"), kept(SEARXNG, "")), (Ok(None), Ok(None)));
        for (name, value) in [
            (BRAVE, "a\nb"),
            (BRAVE, "ä"),
            (SEARXNG, "search.example"),
            (SEARXNG, "ftp://s.example"),
            (SEARXNG, "https://me:word@s.example"),
            (SEARXNG, "https://me@s.example"),
            ("web-search/other", "x"),
        ] {
            assert_eq!(kept(name, value), Err(ErrorCode::InvalidInput), "{name} {value}");
        }
    }
}
