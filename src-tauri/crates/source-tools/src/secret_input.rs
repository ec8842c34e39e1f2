//! Which secrets a source wants, in words a person knows, and how they are given to it.

use std::collections::BTreeMap;

use domain::{ErrorCode, Problem};
use protocol::{Hidden, SecretUse, SourceNeeds, SourceView};
use secrets::{EntryInfo, Vault};
use serde_json::Value;
use support::blocking;
use workspace::{ApiAuth, SourceConfig, SourceEntry, Transport, secret_names};

use super::edit::{checked, given};
use crate::secrets::{Binding, CLIENT_SECRET, adopt, binding, keep, name_of, oauth_name};
use crate::{Entry, SourceTools, Sources, is_own};

impl Sources {
    /// What a configuration asks for that is not saved yet.
    pub async fn source_needs(&self, config: Value) -> Result<SourceNeeds, Problem> {
        let (vault, owner) = (self.registry.vault().clone(), self.env.stored_slug());
        blocking(move || {
            let problems = checked(config.clone()).err().unwrap_or_default();
            // What can be read of an incomplete configuration is shown already.
            let Ok(mut config) = serde_json::from_value::<SourceConfig>(config) else {
                let (reaches, secrets) = (String::new(), Vec::new());
                return Ok(SourceNeeds { reaches, secrets, signs_in: false, problems });
            };
            config.owner = owner;
            let secrets = wanted(&vault, &config);
            Ok(SourceNeeds { reaches: config.reaches(), secrets, signs_in: config.signs_in(), problems })
        })
        .await
    }

    /// Stores secrets of a source for what it reaches now. `stored`: those that are in the vault already may go there,
    /// too.
    pub async fn source_secrets(
        &self,
        slug: String,
        secrets: BTreeMap<String, Hidden>,
        stored: bool,
    ) -> Result<SourceView, Problem> {
        let (files, vault, asked) = (self.env.files(), self.registry.vault().clone(), slug.clone());
        let given = given(secrets)?;
        if given.is_empty() && !stored {
            return Err(Problem::new(ErrorCode::InvalidInput, "no secret was given"));
        }
        blocking(move || {
            let mut entries = files.sources();
            entries.retain(|entry| entry.slug == asked);
            let config = match entries.pop() {
                Some(SourceEntry { source: Ok(config), .. }) => config,
                Some(_) | None => files.source(&asked).map_err(|error| error.problem())?,
            };
            if !is_own(&files, &asked) {
                return Err(Problem::new(
                    ErrorCode::InvalidInput,
                    format!("{asked} is part of the program and takes no secret"),
                ));
            }
            if stored { adopt(&vault, &config, &given) } else { keep(&vault, &config, &given) }
        })
        .await?;
        // What runs was started with the secrets of before.
        self.tools.end(&slug).await;
        self.source_show(slug).await
    }
}

/// What a source lacks to be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// Secrets that it needs and that are not there, or may not be used for what it reaches now.
    pub missing: Vec<String>,
    /// Whether somebody is signed in; none for a source without a sign-in.
    pub signed_in: Option<bool>,
}

impl SourceTools {
    /// What a source lacks to be used.
    ///
    /// # Errors
    /// Those of reading the vault.
    pub async fn needs(&self, entry: &Entry) -> Result<Needs, Problem> {
        let (vault, config) = (self.inner.vault.clone(), entry.config.clone());
        blocking(move || {
            let lacks = |secret: &SecretUse| !secret.optional && (!secret.present || secret.unbound);
            let missing =
                wanted(&vault, &config).into_iter().filter(lacks).map(|secret| secret.name).collect();
            Ok(Needs { missing, signed_in: config.signs_in().then(|| signed_in(&vault, &config)) })
        })
        .await
    }
}

/// The secrets of a source: what each is, and whether it is there.
pub fn wanted(vault: &Vault, config: &SourceConfig) -> Vec<SecretUse> {
    let mut names: Vec<(String, bool)> = config.secrets().into_iter().map(|name| (name, false)).collect();
    if has_client(config) && !names.iter().any(|(name, _)| name == CLIENT_SECRET) {
        names.push((CLIENT_SECRET.to_owned(), true));
    }
    if names.is_empty() {
        return Vec::new();
    }
    let entries = if vault.path().exists() { vault.list().unwrap_or_default() } else { Vec::new() };
    let held: BTreeMap<String, EntryInfo> =
        entries.into_iter().map(|entry| (entry.name.clone(), entry)).collect();
    let bound = matches!(binding(vault, config), Ok(Binding::Here));
    names
        .into_iter()
        .map(|(name, optional)| {
            let entry = held.get(&name_of(&config.key(), &name));
            SecretUse {
                label: label(config, &name),
                present: entry.is_some(),
                optional,
                unbound: entry.is_some() && !bound,
                stored_at: entry.map(|entry| entry.written_at),
                name,
            }
        })
        .collect()
}

/// Whether somebody is signed in for a source, where it leads now.
pub fn signed_in(vault: &Vault, config: &SourceConfig) -> bool {
    config.signs_in()
        && matches!(binding(vault, config), Ok(Binding::Here))
        && matches!(vault.entry(&oauth_name(&config.key())), Ok(Some(_)))
}

/// Whether a person signs in with a client of their own, which may have a secret.
fn has_client(config: &SourceConfig) -> bool {
    let of_server = config.mcp.as_ref().is_some_and(|mcp| mcp.client_id.is_some());
    config.signs_in() && (of_server || config.api.as_ref().is_some_and(|api| api.oauth.is_some()))
}

/// What a secret is, by where it is used.
fn label(config: &SourceConfig, name: &str) -> String {
    let placed = |values: &BTreeMap<String, String>, what: &str| {
        let at = values.iter().find(|(_, value)| secret_names(value).iter().any(|each| each == name));
        at.map(|(place, _)| format!("{name} ({what} {place})"))
    };
    if let Some(mcp) = &config.mcp {
        let found = match mcp.transport {
            Transport::Http => placed(&mcp.headers, "header"),
            Transport::Stdio => placed(&mcp.env, "environment variable"),
        };
        if let Some(found) = found {
            return found;
        }
    }
    if let Some(api) = &config.api {
        if let Some(found) = placed(&api.default_headers, "header") {
            return found;
        }
        match (api.auth_type, name) {
            (ApiAuth::Header, "apikey") => {
                return format!("API key (header {})", api.header_name.as_deref().unwrap_or_default());
            }
            (ApiAuth::Query, "apikey") => {
                return format!("API key (parameter {})", api.query_param.as_deref().unwrap_or_default());
            }
            (ApiAuth::Basic, "basic") => {
                return match &api.username {
                    Some(user) => format!("Password of {user}"),
                    None => "User and password, as user:password".to_owned(),
                };
            }
            (ApiAuth::Headers, _) if name != CLIENT_SECRET => return format!("Value of the header {name}"),
            _ => {}
        }
    }
    match name {
        "bearer" => "Access token or API key (sent as a bearer token)".to_owned(),
        CLIENT_SECRET => "Client secret, if the service gave one".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::source_presets;

    #[test]
    fn every_preset_names_its_secrets_or_a_sign_in() {
        let folder = tempfile::TempDir::new().unwrap();
        let vault = Vault::open(folder.path());
        let mut asked = BTreeMap::new();
        for preset in source_presets() {
            let config: SourceConfig = serde_json::from_value(preset.config).unwrap();
            let labels: Vec<String> =
                wanted(&vault, &config).into_iter().map(|secret| secret.label).collect();
            let credentials =
                !preset.credentials.starts_with("None") && !preset.credentials.starts_with("As ");
            assert_eq!(credentials, !labels.is_empty() || config.signs_in(), "{}", preset.name);
            asked.insert(preset.name, labels);
        }
        assert_eq!(asked["Brave Search"], ["API key (header X-Subscription-Token)"]);
        assert_eq!(asked["GitHub"], ["Access token or API key (sent as a bearer token)"]);
        for name in ["Google", "GitHub (sign in)", "Slack (sign in)"] {
            assert_eq!(asked[name], ["Client secret, if the service gave one"], "{name}");
        }
    }
}
