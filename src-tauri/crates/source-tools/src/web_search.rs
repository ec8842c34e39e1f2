//! The web search that all agents and conversations share: where it is kept, and how the program's own servers get it.

use std::collections::BTreeMap;

use ::secrets::{Entry, ExposeSecret, SecretString, Vault};
use domain::{ErrorCode, Problem};
use protocol::{Hidden, WebSearchState};
use support::blocking;
use url::Url;

use super::{Inner, SourceTools, Sources};

/// The name of the key of Brave Search in the vault.
const BRAVE: &str = "web-search/brave";
/// The name of the address of a SearXNG instance in the vault.
const SEARXNG: &str = "web-search/searxng";
/// Where Brave Search is, if it is not at its own address.
const BRAVE_URL: &str = "AGENTNATIVE_BRAVE_URL";
/// What the program's servers are told by.
const VARIABLES: [(&str, &str); 2] = [(SEARXNG, "AGENTNATIVE_SEARXNG_URL"), (BRAVE, "BRAVE_API_KEY")];

impl Inner {
    /// Variables for the program's own servers: what the vault holds, else what the environment says.
    pub async fn web_search(&self) -> BTreeMap<String, String> {
        let vault = self.vault.clone();
        let found = blocking(move || Ok(stored(&vault)));
        let inherited = |name: &&str| Some(((*name).to_owned(), std::env::var(name).ok()?));
        match found.await {
            Ok(Some((variable, value))) => {
                let mut given: BTreeMap<String, String> = [BRAVE_URL].iter().filter_map(inherited).collect();
                given.insert(variable.to_owned(), value.expose_secret().to_owned());
                given
            }
            Ok(None) | Err(_) => {
                let names = VARIABLES.map(|(_, variable)| variable);
                names.iter().chain(&[BRAVE_URL]).filter_map(inherited).collect()
            }
        }
    }
}

impl SourceTools {
    /// Whether there is a web search: a key or an address in the vault or the environment.
    pub async fn searches_web(&self) -> bool {
        let vault = self.inner.vault.clone();
        blocking(move || Ok(state(&vault))).await.is_ok_and(|state| !state.service.is_empty())
    }
}

impl Sources {
    /// Which web search there is.
    pub async fn web_search_show(&self) -> Result<WebSearchState, Problem> {
        let vault = self.registry.vault().clone();
        blocking(move || Ok(state(&vault))).await
    }

    /// Keeps the key of Brave Search or the address of a SearXNG instance; an empty one is removed.
    pub async fn web_search_save(
        &self,
        key: Option<Hidden>,
        address: Option<String>,
    ) -> Result<WebSearchState, Problem> {
        let address = address.map(|address| address.trim().to_owned());
        if let Some(address) = address.as_deref().filter(|address| !address.is_empty()) {
            let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            if url.is_none_or(|url| !url.username().is_empty() || url.password().is_some()) {
                return Err(Problem::new(
                    ErrorCode::InvalidInput,
                    "the address must begin with https:// or http:// and hold no password",
                ));
            }
        }
        let vault = self.registry.vault().clone();
        let shown = blocking(move || {
            for (name, value) in [(BRAVE, key.map(|key| key.0.trim().to_owned())), (SEARXNG, address)] {
                match value {
                    Some(value) if !value.is_empty() => {
                        vault.put_all(&[(name.to_owned(), Entry::Secret(SecretString::from(value)))])?;
                    }
                    Some(_) if vault.path().exists() => {
                        vault.remove(name)?;
                    }
                    Some(_) | None => {}
                }
            }
            Ok(state(&vault))
        })
        .await?;
        // The next start of the program's servers has it.
        self.tools.forget_prepared();
        Ok(shown)
    }
}

/// What the vault holds: the first of the services.
fn stored(vault: &Vault) -> Option<(&'static str, SecretString)> {
    if !vault.path().exists() {
        return None;
    }
    VARIABLES.into_iter().find_map(|(name, variable)| Some((variable, vault.get(name).ok()??)))
}

fn state(vault: &Vault) -> WebSearchState {
    let none = WebSearchState::default();
    match stored(vault) {
        Some(("BRAVE_API_KEY", _)) => {
            let entries = vault.list().unwrap_or_default();
            let stored_at =
                entries.into_iter().find(|entry| entry.name == BRAVE).map(|entry| entry.written_at);
            WebSearchState { service: "brave".to_owned(), stored_at, ..none }
        }
        Some((_, address)) => WebSearchState {
            service: "searxng".to_owned(),
            address: address.expose_secret().to_owned(),
            ..none
        },
        None => {
            let set = |variable: &str| std::env::var(variable).is_ok_and(|value| !value.trim().is_empty());
            let service = match (set("AGENTNATIVE_SEARXNG_URL"), set("BRAVE_API_KEY")) {
                (true, _) => "searxng",
                (false, true) => "brave",
                (false, false) => "",
            };
            WebSearchState { service: service.to_owned(), environment: !service.is_empty(), ..none }
        }
    }
}
