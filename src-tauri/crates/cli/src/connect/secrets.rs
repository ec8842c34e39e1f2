//! `secrets`.

use std::io::IsTerminal as _;
use std::path::Path;

use app::AnyClient;
use domain::{ErrorCode, Problem};
use protocol::{Client, CredentialState, Hidden, VaultProtection, VaultStatus};

use super::args::{Protection, SecretsCommand};
use super::secret;
use crate::outcome::Outcome;
use crate::run::with_client;
use crate::terminal::{json_line, printable};

/// `secrets`.
pub async fn secrets(home: &Path, command: SecretsCommand) -> Result<Outcome, Problem> {
    with_client(home, async |client| match command {
        SecretsCommand::Show { json } => {
            show(&client.vault_show().await?, json);
            Ok(Outcome::Done)
        }
        SecretsCommand::Put { name } => {
            unlock_vault(client).await?;
            let value = Hidden(secret(&format!("{name}: "))?);
            client.secret_put(name, value).await?;
            eprintln!("stored");
            Ok(Outcome::Done)
        }
        SecretsCommand::Remove { name } => {
            unlock_vault(client).await?;
            client.secret_remove(name.clone()).await?;
            eprintln!("removed {name}");
            Ok(Outcome::Done)
        }
        SecretsCommand::Protect { by } => protect(client, by).await,
        SecretsCommand::Import { file } => import(client, &file).await,
    })
    .await
}

/// Asks for the passphrase where the connection's secret, or with an empty slug any, is behind it and somebody is there
/// to ask.
pub async fn unlock(client: &AnyClient, connection: &str) -> Result<(), Problem> {
    let locked = client.connection_list().await?.iter().any(|row| {
        row.credential == CredentialState::Locked
            && (row.slug == connection || (connection.is_empty() && row.default))
    });
    if locked { unlock_vault(client).await } else { Ok(()) }
}

/// Asks whoever sits at the terminal for the passphrase of a locked vault.
pub async fn unlock_vault(client: &AnyClient) -> Result<(), Problem> {
    let status = client.vault_show().await?;
    if !status.locked || !std::io::stdin().is_terminal() {
        return Ok(());
    }
    let passphrase = Hidden(secret("Passphrase of the vault: ")?);
    client.vault_unlock(passphrase).await.map(|_| ())
}

fn show(status: &VaultStatus, json: bool) {
    if json {
        println!("{}", json_line(status));
        return;
    }
    println!("{}", printable(&status.explained));
    if let Some(problem) = &status.problem {
        println!("{}", printable(&problem.to_string()));
    }
    for entry in &status.entries {
        println!("{:<44} {}", printable(&entry.name), printable(&entry.used_by));
    }
}

async fn protect(client: &AnyClient, by: Protection) -> Result<Outcome, Problem> {
    unlock_vault(client).await?;
    let (protection, passphrase) = match by {
        Protection::Keychain => (VaultProtection::Keychain, None),
        Protection::KeyFile => (VaultProtection::KeyFile, None),
        Protection::Passphrase => {
            let first = secret("New passphrase: ")?;
            if std::io::stdin().is_terminal() && secret("Once more: ")? != first {
                return Err(Problem::new(ErrorCode::InvalidInput, "the two differ; nothing was changed"));
            }
            (VaultProtection::Passphrase, Some(Hidden(first)))
        }
    };
    let status = client.vault_protect(protection, passphrase).await?;
    println!("{}", printable(&status.explained));
    Ok(Outcome::Done)
}

async fn import(client: &AnyClient, file: &Path) -> Result<Outcome, Problem> {
    unlock_vault(client).await?;
    let path = std::path::absolute(file).unwrap_or_else(|_| file.to_owned()).display().to_string();
    let imported = client.credentials_import(path).await?;
    for name in &imported.taken {
        println!("taken  {}", printable(name));
    }
    for slug in &imported.connections {
        println!("made connection {}", printable(slug));
    }
    for left in &imported.left {
        println!("left   {}", printable(left));
    }
    Ok(Outcome::Done)
}
