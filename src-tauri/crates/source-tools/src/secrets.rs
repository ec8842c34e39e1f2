//! Secrets of sources: `source/<slug>/<NAME>` in the vault, each source its own.
//!
//! They are bound to the digest of what the source reaches, kept beside them. A source whose command, address or headers
//! were changed, by whatever edit, does not get what was given for another.

use std::collections::{BTreeMap, BTreeSet};

use ::secrets::{Entry, ExposeSecret, SecretString, Vault};
use domain::{ErrorCode, Problem};
use workspace::SourceConfig;

/// The end of the name of what a source's secrets are bound to.
const BOUND: &str = "bound";
/// The secret of a sign-in's client, where its service gives one.
pub const CLIENT_SECRET: &str = "client-secret";

/// The beginning of the names of a source's secrets.
pub fn names_of(slug: &str) -> String {
    format!("source/{slug}/")
}

/// A secret's name in the vault.
pub fn name_of(slug: &str, name: &str) -> String {
    format!("source/{slug}/{name}")
}

/// Where the token of a sign-in stands.
pub fn oauth_name(slug: &str) -> String {
    name_of(slug, "oauth")
}

/// The entry that binds a source's secrets to what it reaches now.
pub fn bind(config: &SourceConfig) -> (String, Entry) {
    let digest = SecretString::from(config.approval().to_string());
    (name_of(&config.key(), BOUND), Entry::Secret(digest))
}

/// What the vault says of the binding.
pub enum Binding {
    /// To what the source reaches now.
    Here,
    /// To nothing yet.
    Nowhere,
    /// To something else.
    Elsewhere,
}

pub fn binding(vault: &Vault, config: &SourceConfig) -> Result<Binding, Problem> {
    if !vault.path().exists() {
        return Ok(Binding::Nowhere);
    }
    let bound = vault.get(&name_of(&config.key(), BOUND))?;
    Ok(match bound {
        None => Binding::Nowhere,
        Some(bound) if bound.expose_secret() == config.approval().to_string() => Binding::Here,
        Some(_) => Binding::Elsewhere,
    })
}

/// That a source's secrets were given for something else.
pub fn elsewhere(config: &SourceConfig) -> Problem {
    Problem::new(
        ErrorCode::InvalidConfig,
        format!("the stored secrets of {} were given for another command or address than {}, and are not used for it",
            config.slug, config.reaches()),
    )
    .with_action("give them again on the Sources page, or change it back")
}

/// The secrets that a source uses, by name.
pub fn resolve(vault: &Vault, config: &SourceConfig) -> Result<BTreeMap<String, SecretString>, Problem> {
    let names = config.secrets();
    if names.is_empty() {
        return Ok(BTreeMap::new());
    }
    let missing = |name: &str| {
        Problem::new(ErrorCode::InvalidConfig, format!("its secret {name} is missing"))
            .with_action("give it on the Sources page, or with `agentnative source secret`")
    };
    let mut found = BTreeMap::new();
    for name in names {
        let there = match vault.path().exists() {
            true => vault.get(&name_of(&config.key(), &name))?,
            false => None,
        };
        let secret = there.ok_or_else(|| missing(&name))?;
        found.insert(name, secret);
    }
    match binding(vault, config)? {
        Binding::Here => Ok(found),
        Binding::Nowhere => Err(Problem::new(
            ErrorCode::InvalidConfig,
            format!(
                "nobody said yet that the stored secrets of {} may go to {}",
                config.slug,
                config.reaches()
            ),
        )
        .with_action("allow it on the Sources page, or with `agentnative source secret --stored`")),
        Binding::Elsewhere => Err(elsewhere(config)),
    }
}

/// That somebody is signed in for a source, where it leads now.
pub fn check_sign_in(vault: &Vault, config: &SourceConfig) -> Result<(), Problem> {
    match binding(vault, config)? {
        Binding::Here if vault.entry(&oauth_name(&config.key()))?.is_some() => Ok(()),
        Binding::Here | Binding::Nowhere => {
            Err(Problem::new(ErrorCode::InvalidConfig, "nobody is signed in for it")
                .with_action("sign in on the Sources page"))
        }
        Binding::Elsewhere => Err(elsewhere(config)),
    }
}

/// The secret that a service gave the client of a source, where one was given for where the source leads.
pub fn client_secret(vault: &Vault, config: &SourceConfig) -> Result<Option<SecretString>, Problem> {
    match binding(vault, config)? {
        Binding::Here => Ok(vault.get(&name_of(&config.key(), CLIENT_SECRET))?),
        Binding::Nowhere | Binding::Elsewhere => Ok(None),
    }
}

/// A value with its references replaced. What a secret holds is not looked at again.
pub fn filled(value: &str, secrets: &BTreeMap<String, SecretString>) -> SecretString {
    let mut parts = value.split("${secret:");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('}') {
            Some((name, rest)) if secrets.contains_key(name) => {
                text.push_str(secrets[name].expose_secret());
                text.push_str(rest);
            }
            Some(_) | None => {
                text.push_str("${secret:");
                text.push_str(part);
            }
        }
    }
    SecretString::from(text)
}

/// Which of its secrets a source has, by name; also where they may not be used.
pub fn presence(vault: &Vault, config: &SourceConfig) -> BTreeMap<String, bool> {
    let names = config.secrets();
    if names.is_empty() || !vault.path().exists() {
        return names.into_iter().map(|name| (name, false)).collect();
    }
    let held: BTreeSet<String> =
        vault.list().map(|list| list.into_iter().map(|entry| entry.name).collect()).unwrap_or_default();
    names.into_iter().map(|name| (name.clone(), held.contains(&name_of(&config.key(), &name)))).collect()
}

/// Keeps secrets that a person gave for a source as it is to be. Those that are there stay only where they were given for
/// the same, or for nothing in particular.
pub fn keep(
    vault: &Vault,
    config: &SourceConfig,
    given: &BTreeMap<String, SecretString>,
) -> Result<(), Problem> {
    let needed = config.secrets();
    if let Some(other) = given.keys().find(|name| !needed.contains(*name) && name.as_str() != CLIENT_SECRET) {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            format!("the configuration names no secret {other}; it names {}", listed(&needed)),
        ));
    }
    let there = presence(vault, config);
    let kept: Vec<&String> =
        needed.iter().filter(|name| there[*name] && !given.contains_key(*name)).collect();
    let signed_in =
        config.signs_in() && vault.path().exists() && vault.entry(&oauth_name(&config.key()))?.is_some();
    let at = binding(vault, config)?;
    if matches!(at, Binding::Elsewhere) && !kept.is_empty() {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            format!(
                "the stored secrets of {} were given for another command or address; give {} again",
                config.slug,
                kept.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ")
            ),
        )
        .with_action("give them for the new one, or change it back"));
    }
    if matches!(at, Binding::Elsewhere) {
        if signed_in {
            vault.remove(&oauth_name(&config.key()))?;
        }
        // It would go where it was not given for, once the others are.
        vault.remove(&name_of(&config.key(), CLIENT_SECRET))?;
    }
    if given.is_empty() && kept.is_empty() {
        return Ok(());
    }
    put(vault, config, given)
}

/// Keeps secrets as [`keep`], and lets those that are stored already go where the source leads now: a person said so.
pub fn adopt(
    vault: &Vault,
    config: &SourceConfig,
    given: &BTreeMap<String, SecretString>,
) -> Result<(), Problem> {
    let there = presence(vault, config);
    if given.is_empty() && !there.values().any(|present| *present) {
        return Err(Problem::new(ErrorCode::InvalidInput, format!("no secret of {} is stored", config.slug))
            .with_action("give it"));
    }
    if matches!(binding(vault, config)?, Binding::Elsewhere) {
        // A sign-in is for one service; secrets are what the person spoke of.
        vault.remove(&oauth_name(&config.key()))?;
        vault.remove(&name_of(&config.key(), CLIENT_SECRET))?;
    }
    put(vault, config, given)
}

fn put(vault: &Vault, config: &SourceConfig, given: &BTreeMap<String, SecretString>) -> Result<(), Problem> {
    let mut entries: Vec<(String, Entry)> = given
        .iter()
        .map(|(name, secret)| (name_of(&config.key(), name), Entry::Secret(secret.clone())))
        .collect();
    entries.push(bind(config));
    vault.put_all(&entries).map_err(Problem::from)
}

fn listed(names: &BTreeSet<String>) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().cloned().collect::<Vec<_>>().join(", ")
}

/// Removes all secrets of a source.
pub fn forget(vault: &Vault, slug: &str) -> Result<(), Problem> {
    if vault.path().exists() {
        vault.remove_prefix(&names_of(slug))?;
    }
    Ok(())
}
