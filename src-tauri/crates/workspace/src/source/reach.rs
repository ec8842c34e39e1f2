//! What a source reaches: what its approval and its secrets are bound to.

use std::collections::{BTreeMap, BTreeSet};

use domain::Digest;
use serde_json::{Value, json};

use super::{ApiAuth, McpAuth, SourceConfig, Transport};

impl SourceConfig {
    /// Everything that decides what runs, what is reached and where its secrets go, as plain data. Names, descriptions and
    /// time limits are not in it.
    pub fn reach(&self) -> Value {
        let mcp = self.mcp.as_ref().map(|mcp| match mcp.transport {
            Transport::Stdio => {
                json!({"command": mcp.command, "args": mcp.args, "cwd": mcp.cwd, "env": mcp.env,
                "inheritEnv": mcp.inherit_env})
            }
            Transport::Http => json!({"url": mcp.url, "headers": mcp.headers, "authType": mcp.auth_type,
                "clientId": mcp.client_id, "scopes": mcp.scopes}),
        });
        let api = self.api.as_ref().map(|api| {
            json!({"baseUrl": api.base_url, "authType": api.auth_type, "authScheme": api.auth_scheme,
                "headerName": api.header_name, "headerNames": api.header_names, "queryParam": api.query_param,
                "username": api.username, "oauth": api.oauth, "defaultHeaders": api.default_headers,
                "privateNetwork": api.private_network})
        });
        let local = self.local.as_ref().map(|local| json!({"path": local.path}));
        json!({"slug": self.slug, "type": self.kind, "mcp": mcp, "api": api, "local": local})
    }

    /// The digest of [`Self::reach`]: an approval and a secret that were given for another one do not count.
    pub fn approval(&self) -> Digest {
        Digest::of_json(&self.reach())
    }

    /// What a person approves, whole: the command with its arguments, the address, or the folder.
    pub fn reaches(&self) -> String {
        let mcp = self.mcp.as_ref().map(|mcp| match mcp.transport {
            Transport::Stdio => {
                let words = std::iter::once(&mcp.command).chain(&mcp.args);
                words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
            }
            Transport::Http => mcp.url.clone().unwrap_or_default(),
        });
        let api = self.api.as_ref().map(|api| api.base_url.clone());
        let local = self.local.as_ref().map(|local| local.path.clone());
        mcp.or(api).or(local).unwrap_or_default()
    }

    /// Names of the secrets that it uses.
    pub fn secrets(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        if let Some(mcp) = &self.mcp {
            let values: &BTreeMap<String, String> =
                if mcp.transport == Transport::Http { &mcp.headers } else { &mcp.env };
            names.extend(values.values().flat_map(|value| secret_names(value)));
            if mcp.transport == Transport::Http && mcp.auth_type == McpAuth::Bearer {
                names.insert("bearer".to_owned());
            }
        }
        if let Some(api) = &self.api {
            names.extend(api.default_headers.values().flat_map(|value| secret_names(value)));
            match api.auth_type {
                ApiAuth::None | ApiAuth::Oauth => {}
                ApiAuth::Bearer => drop(names.insert("bearer".to_owned())),
                ApiAuth::Header | ApiAuth::Query => drop(names.insert("apikey".to_owned())),
                ApiAuth::Headers => names.extend(api.header_names.iter().cloned()),
                ApiAuth::Basic => drop(names.insert("basic".to_owned())),
            }
        }
        names
    }

    /// Whether the person signs in for it in a browser.
    pub fn signs_in(&self) -> bool {
        self.mcp
            .as_ref()
            .is_some_and(|mcp| mcp.transport == Transport::Http && mcp.auth_type == McpAuth::Oauth)
            || self.api.as_ref().is_some_and(|api| api.auth_type == ApiAuth::Oauth)
    }
}

/// A word of a command as a person can tell where it begins and ends.
fn quoted(word: &str) -> String {
    let plain = !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"@%+=:,./-_".contains(&byte));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Names of the secrets that a value refers to as `${secret:NAME}`.
pub fn secret_names(value: &str) -> Vec<String> {
    value
        .split("${secret:")
        .skip(1)
        .filter_map(|rest| rest.split_once('}').map(|(name, _)| name.to_owned()))
        .collect()
}
