//! Commands on the vault. Secrets only come in.

use std::path::PathBuf;
use std::sync::Arc;

use domain::connection::{Auth, Connection, ProviderKind};
use domain::{ErrorCode, Problem};
use protocol::{ConnectionSave, Hidden, ImportedCredentials, VaultEntry, VaultProtection, VaultStatus};
use secrets::{Entry, ExposeSecret as _, Protect, Protection, SecretString, Vault, craft};
use support::blocking;
use workspace::{DEFAULT_WORKSPACE, Workspace, connection_slug_fault, workspace_entries};

use crate::{
    BOUND, ConnectionRegistry, Connections, bind, clean, client_secret_name, key_name, stored,
    web_search_secret,
};

/// The longest name of a secret, in bytes.
const MAX_NAME_BYTES: usize = 200;
/// The shortest passphrase, in characters.
const MIN_PASSPHRASE_CHARS: usize = 8;

impl Connections {
    /// The vault: what opens it and the names of what it holds.
    pub async fn vault_show(&self) -> Result<VaultStatus, Problem> {
        let (book, files) = (self.registry.clone(), self.env.files());
        blocking(move || Ok(status(&book, &files))).await
    }

    /// Opens the vault for as long as the program runs.
    pub async fn vault_unlock(&self, passphrase: Hidden) -> Result<VaultStatus, Problem> {
        let passphrase = SecretString::from(passphrase.0);
        self.with_vault(move |vault| vault.unlock(&passphrase).map_err(Problem::from)).await?;
        self.registry.tell_secrets_change();
        self.vault_show().await
    }

    /// Closes it again.
    pub async fn vault_lock(&self) -> Result<VaultStatus, Problem> {
        self.with_vault(|vault| {
            vault.lock();
            Ok(())
        })
        .await?;
        self.vault_show().await
    }

    /// Changes what opens the vault; with the same protection: changes its key.
    pub async fn vault_protect(
        &self,
        protection: VaultProtection,
        passphrase: Option<Hidden>,
    ) -> Result<VaultStatus, Problem> {
        let passphrase = passphrase.map(|passphrase| SecretString::from(passphrase.0));
        let protect = match (protection, passphrase) {
            (VaultProtection::Passphrase, Some(passphrase)) => {
                let characters = passphrase.expose_secret().chars().count();
                if characters < MIN_PASSPHRASE_CHARS {
                    return Err(invalid(format!(
                        "a passphrase has at least {MIN_PASSPHRASE_CHARS} characters"
                    ))
                    .with_action("take a few words that belong together for you alone"));
                }
                Protect::Passphrase(passphrase)
            }
            (VaultProtection::Passphrase, None) => return Err(invalid("the new passphrase is missing")),
            (VaultProtection::Keychain | VaultProtection::KeyFile, Some(_)) => {
                return Err(invalid("a passphrase was given, and the vault is to be opened without one"));
            }
            (VaultProtection::Keychain, None) => Protect::Keychain,
            (VaultProtection::KeyFile, None) => Protect::KeyFile,
        };
        self.with_vault(move |vault| vault.protect(&protect).map_err(Problem::from)).await?;
        self.vault_show().await
    }

    /// Puts a secret into the vault under a name.
    pub async fn secret_put(&self, name: String, value: Hidden) -> Result<(), Problem> {
        let value = SecretString::from(value.0);
        let book = self.registry.clone();
        blocking(move || put(&book, &name, &value)).await?;
        self.registry.tell_secrets_change();
        Ok(())
    }

    /// Removes a secret.
    pub async fn secret_remove(&self, name: String) -> Result<(), Problem> {
        let book = self.registry.clone();
        blocking(move || {
            check_name(&name)?;
            if book.vault().path().exists() && book.vault().remove(&name)? {
                return Ok(());
            }
            Err(Problem::new(ErrorCode::NotFound, format!("the vault has nothing under {name}")))
        })
        .await?;
        self.registry.tell_secrets_change();
        Ok(())
    }

    /// Takes credentials from a `credentials.enc` of Craft Agent.
    pub async fn credentials_import(&self, path: String) -> Result<ImportedCredentials, Problem> {
        let book = self.registry.clone();
        blocking(move || {
            let found = craft::read(&PathBuf::from(path.trim()), &craft::Machine::current())?;
            import(&book, found)
        })
        .await
        .inspect(|_| self.registry.tell_secrets_change())
    }

    async fn with_vault(
        &self,
        work: impl FnOnce(&Vault) -> Result<(), Problem> + Send + 'static,
    ) -> Result<(), Problem> {
        let vault = self.registry.vault().clone();
        blocking(move || work(&vault)).await
    }
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::new(ErrorCode::InvalidInput, message)
}

fn status(book: &ConnectionRegistry, workspace: &Workspace) -> VaultStatus {
    let status = book.vault().status();
    let kept = book.kept().within(Some(workspace.slug()));
    let sources = workspace.sources();
    // Whose connection or source a secret is tells who may know of it.
    let others: Vec<String> = workspace_entries(&book.home)
        .into_iter()
        .map(|entry| entry.slug)
        .filter(|slug| slug != workspace.slug() && slug != DEFAULT_WORKSPACE)
        .collect();
    let all = book.kept();
    let is_foreign = |name: &str| {
        let mut parts = name.splitn(3, '/');
        match (parts.next(), parts.next()) {
            (Some("connection"), Some(slug)) => all.entry(slug).is_some() && kept.entry(slug).is_none(),
            (Some("source"), Some(key)) => match key.split_once('.') {
                Some((owner, _)) => others.iter().any(|other| other == owner),
                // The default workspace's own, and those of sources that ship with the program.
                None => {
                    workspace.slug() != DEFAULT_WORKSPACE && !sources.iter().any(|entry| entry.slug == key)
                }
            },
            _ => false,
        }
    };
    let used_by = |name: &str| -> String {
        let mut parts = name.splitn(3, '/');
        let user = match (parts.next(), parts.next()) {
            (Some("connection"), Some(slug)) => kept.entry(slug).map(|entry| match &entry.connection {
                Ok(connection) if !connection.name.is_empty() => connection.name.clone(),
                Ok(_) | Err(_) => entry.slug.clone(),
            }),
            (Some("source"), Some(slug)) => {
                sources.iter().find(|entry| entry.slug == slug).map(|entry| match &entry.source {
                    Ok(source) => source.name.clone(),
                    Err(_) => entry.slug.clone(),
                })
            }
            (Some("web-search"), _) => Some("Web search".to_owned()),
            _ => None,
        };
        user.unwrap_or_default()
    };
    VaultStatus {
        exists: status.exists,
        locked: status.locked,
        protection: match status.protection {
            Protection::Keychain => VaultProtection::Keychain,
            Protection::Passphrase => VaultProtection::Passphrase,
            Protection::KeyFile => VaultProtection::KeyFile,
        },
        explained: status.explained.to_owned(),
        keychain: status.keychain,
        entries: status
            .entries
            .into_iter()
            // Not a secret: where one may go.
            .filter(|entry| !entry.name.ends_with(BOUND) && !is_foreign(&entry.name))
            .map(|entry| VaultEntry {
                used_by: used_by(&entry.name),
                name: entry.name,
                at: entry.written_at,
                expires_at: entry.expires_at,
            })
            .collect(),
        rotated_at: status.rotated_at,
        problem: status.problem.map(Problem::from),
    }
}

fn check_name(name: &str) -> Result<(), Problem> {
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let part = |part: &str| !part.is_empty() && part.bytes().all(sign) && part != "." && part != "..";
    if name.len() > MAX_NAME_BYTES || !name.split('/').all(part) || name.ends_with(BOUND) {
        return Err(invalid(
            "a secret's name is made of letters, digits, `_`, `-`, `.` and `/`: source/my-source/token",
        ));
    }
    Ok(())
}

fn put(book: &ConnectionRegistry, name: &str, value: &SecretString) -> Result<(), Problem> {
    check_name(name)?;
    if name.starts_with("web-search/") {
        let value = web_search_secret(name, value)?.ok_or_else(|| invalid("the secret is empty"))?;
        return Ok(book.vault().put(name, &value)?);
    }
    let Some((slug, what)) = name.strip_prefix("connection/").and_then(|rest| rest.split_once('/')) else {
        if value.expose_secret().is_empty() {
            return Err(invalid("the secret is empty"));
        }
        return Ok(book.vault().put(name, value)?);
    };
    let Some(value) = clean(value)? else { return Err(invalid("the secret is empty")) };
    // It goes only to where the connection that is in use leads; without a connection nobody knows where that is.
    let kept = book.kept();
    let connection = kept.in_use(slug)?;
    let entry = match (&connection.auth, what) {
        (Auth::Key { env: None } | Auth::Bearer { env: None }, "key") | (Auth::Oauth { .. }, "oauth") => {
            stored(connection, &value)
        }
        (Auth::Oauth { .. }, "client-secret") => (client_secret_name(slug), Entry::Secret(value)),
        _ => {
            return Err(invalid(format!("the connection `{slug}` uses no secret of the name {name}"))
                .with_action("look at the connection's auth: it says what it presents itself with"));
        }
    };
    Ok(book.vault().put_all(&[entry, bind(connection)?])?)
}

/// What a credential of the other program is here.
fn import(
    book: &Arc<ConnectionRegistry>,
    found: Vec<craft::CraftCredential>,
) -> Result<ImportedCredentials, Problem> {
    let mut imported = ImportedCredentials { taken: Vec::new(), connections: Vec::new(), left: Vec::new() };
    let vault = book.vault();
    let held: Vec<String> = match vault.path().exists() {
        true => vault.list()?.into_iter().map(|info| info.name).collect(),
        false => Vec::new(),
    };
    for credential in found {
        let shown = shown(&credential);
        let Some(entry) = credential.entry() else {
            imported.left.push(format!("{shown}: it holds no single key or token"));
            continue;
        };
        match credential.kind.as_str() {
            "llm_api_key" | "anthropic_api_key" => match connection_for(book, &credential, entry.secret()) {
                Ok(connection) => {
                    let slug = connection.slug.clone();
                    let secret = Some(entry.secret().expose_secret().to_owned());
                    match book.save(ConnectionSave {
                        connection,
                        secret,
                        was: None,
                        replace: false,
                        private: false,
                    }) {
                        Ok(_) => {
                            imported.taken.push(key_name(&slug));
                            imported.connections.push(slug);
                        }
                        Err(problem) => imported.left.push(format!("{shown}: {}", problem.message)),
                    }
                }
                Err(problem) => imported.left.push(format!("{shown}: {}", problem.message)),
            },
            "llm_oauth" | "claude_oauth" => imported.left.push(format!(
                "{shown}: a sign-in belongs to the program that it was given to; sign in here, or use a key"
            )),
            kind if kind.starts_with("source_") => {
                let slug = slug_of(credential.scope.rsplit("::").next().unwrap_or_default());
                let name = format!("source/{slug}/{}", slug_of(kind.trim_start_matches("source_")));
                if slug.is_empty() {
                    imported.left.push(format!("{shown}: it names no source"));
                } else if held.contains(&name) || imported.taken.contains(&name) {
                    imported.left.push(format!("{shown}: the vault has {name} already; remove that first"));
                } else {
                    vault.put_all(&[(name.clone(), entry)])?;
                    imported.taken.push(name);
                }
            }
            _ => imported.left.push(format!("{shown}: this program has no use for it")),
        }
    }
    Ok(imported)
}

/// The connection that a key of a model provider is for, as far as that can be told.
fn connection_for(
    book: &ConnectionRegistry,
    credential: &craft::CraftCredential,
    key: &SecretString,
) -> Result<Connection, Problem> {
    let key = key.expose_secret();
    let scope = credential.scope.to_ascii_lowercase();
    let of = |kind: ProviderKind, base: Option<&str>, slug: &str| {
        let mut connection = Connection::new(slug, kind);
        connection.auth = Auth::Key { env: None };
        connection.base_url = base.map(str::to_owned);
        connection
    };
    let names = |word: &str| scope.contains(word);
    // The host that a key goes to must be certain: its form says it, or the other program's name for it does.
    let mut connection = if key.starts_with("sk-ant-") || credential.kind == "anthropic_api_key" {
        of(ProviderKind::Anthropic, None, "anthropic")
    } else if key.starts_with("sk-or-") {
        of(ProviderKind::OpenaiChat, Some("https://openrouter.ai/api/v1"), "openrouter")
    } else if key.starts_with("AIza") {
        of(ProviderKind::Gemini, None, "gemini")
    } else if key.starts_with("sk-proj-") || (key.starts_with("sk-") && names("openai")) {
        of(ProviderKind::Openai, None, "openai")
    } else if key.starts_with("sk-") && names("deepseek") {
        of(ProviderKind::OpenaiChat, Some("https://api.deepseek.com"), "deepseek")
    } else {
        return Err(invalid("which provider it is for can't be told; add the connection by hand"));
    };
    let wished = slug_of(&scope);
    if connection_slug_fault(&wished).is_none() {
        connection.slug = wished;
    }
    let first = connection.slug.clone();
    for number in 2..100 {
        if !book.built_in().contains_key(&connection.slug) && book.kept().entry(&connection.slug).is_none() {
            return Ok(connection);
        }
        connection.slug = format!("{first}-{number}");
    }
    Err(invalid(format!("there are too many connections named {first}")))
}

/// A name as names are here: lower-case letters, digits and hyphens.
fn slug_of(text: &str) -> String {
    let mut slug = String::new();
    for letter in text.to_ascii_lowercase().chars().take(60) {
        match letter {
            'a'..='z' | '0'..='9' => slug.push(letter),
            _ if !slug.ends_with('-') && !slug.is_empty() => slug.push('-'),
            _ => {}
        }
    }
    slug.truncate(36);
    slug.trim_end_matches('-').to_owned()
}

/// A credential's name in the other program, for a report.
fn shown(credential: &craft::CraftCredential) -> String {
    let clean = |text: &str| -> String { text.chars().filter(|c| !c.is_control()).take(80).collect() };
    match credential.scope.is_empty() {
        true => clean(&credential.kind),
        false => format!("{} of {}", clean(&credential.kind), clean(&credential.scope)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn found(kind: &str, scope: &str, value: &str) -> craft::CraftCredential {
        craft::CraftCredential {
            kind: kind.to_owned(),
            scope: scope.to_owned(),
            value: (!value.is_empty()).then(|| SecretString::from(value)),
            refresh: None,
            expires_at: None,
            client_id: String::new(),
            client_secret: None,
            others: BTreeMap::new(),
        }
    }

    #[test]
    fn imported_keys_become_connections_only_where_their_provider_is_certain() {
        let home = tempfile::tempdir().unwrap();
        let book = Arc::new(ConnectionRegistry::new(&config::ConfigStore::new(home.path()), BTreeMap::new()));
        let imported = import(
            &book,
            vec![
                found("llm_api_key", "My Claude!", "sk-ant-0123456789"),
                found("llm_api_key", "my-claude", "sk-ant-9876543210"),
                found("llm_api_key", "router", "sk-or-0123456789"),
                found("llm_api_key", "mystery", "0123456789"),
                found("llm_api_key", "mystery-two", "sk-0123456789"),
                found("llm_oauth", "claude-max", "token"),
                found("llm_iam", "cloud", ""),
                found("source_bearer", "default::git hub", "token-1"),
                found("source_bearer", "other::git-hub", "token-2"),
                found("messaging_bearer", "bot", "token-3"),
            ],
        )
        .unwrap();
        assert_eq!(imported.connections, ["my-claude", "my-claude-2", "router"]);
        assert_eq!(imported.taken.last().unwrap(), "source/git-hub/bearer");
        assert_eq!((imported.taken.len(), imported.left.len()), (4, 6));
        let text = format!("{imported:?}");
        assert!(!text.contains("0123456789") && !text.contains("token-"), "{text}");
        let kept = book.kept();
        let router = kept.connection("router").unwrap();
        assert_eq!(router.base_url.as_deref(), Some("https://openrouter.ai/api/v1"));
        let key = book.vault().get("connection/my-claude-2/key").unwrap().unwrap();
        assert_eq!(key.expose_secret(), "sk-ant-9876543210");
    }

    #[test]
    fn names_of_other_programs_become_names_of_this_one() {
        for (theirs, ours) in [("My Claude!", "my-claude"), ("--x__y--", "x-y"), ("é", ""), ("a", "a")] {
            assert_eq!(slug_of(theirs), ours);
        }
        assert_eq!(slug_of(&"x".repeat(100)).len(), 36);
    }
}
