//! The web search that all agents and conversations share: where it is kept, and how the program's own servers get it.

use std::collections::BTreeMap;

use ::secrets::{Entry, ExposeSecret, SecretString, Vault, VaultError};
use connections::{BRAVE, SEARXNG, web_search_secret};
use domain::Problem;
use engine::WebSearchUse;
use protocol::{Hidden, WebSearchState};
use support::blocking;

use super::{Inner, SourceTools, Sources};

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
    pub async fn searches_web(&self) -> WebSearchUse {
        let vault = self.inner.vault.clone();
        match blocking(move || Ok(state(&vault))).await {
            Ok(state) if !state.service.is_empty() => WebSearchUse::Ready,
            Ok(state) if state.locked => WebSearchUse::Locked,
            Ok(_) | Err(_) => WebSearchUse::Missing,
        }
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
        let mut given = Vec::new();
        for (name, value) in [(BRAVE, key.map(|key| key.0)), (SEARXNG, address)] {
            if let Some(value) = value {
                given.push((name, web_search_secret(name, &SecretString::from(value))?));
            }
        }
        let vault = self.registry.vault().clone();
        let shown = blocking(move || {
            for (name, value) in given {
                match value {
                    Some(value) => vault.put_all(&[(name.to_owned(), Entry::Secret(value))])?,
                    None if vault.path().exists() => {
                        vault.remove(name)?;
                    }
                    None => {}
                }
            }
            Ok(state(&vault))
        })
        .await?;
        self.registry.tell_secrets_change();
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
            let locked =
                vault.path().exists() && vault.get(BRAVE).is_err_and(|error| error == VaultError::Locked);
            WebSearchState { service: service.to_owned(), environment: !service.is_empty(), locked, ..none }
        }
    }
}
