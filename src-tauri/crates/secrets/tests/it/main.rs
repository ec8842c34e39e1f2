//! The vault over real files and real processes, OAuth against a real server on this machine.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod craft;
mod crash;
mod damage;
mod keys;
mod renewing;
mod server;
mod signing_in;
mod vault;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use secrets::{
    Cost, ExposeSecret, Keychain, KeychainFault, Protection, SecretString, Settings, Vault, VaultError,
};
use zeroize::Zeroizing;

/// A keychain in memory.
#[derive(Default)]
pub struct MemoryKeychain(pub Mutex<BTreeMap<String, Vec<u8>>>);

impl Keychain for MemoryKeychain {
    fn put(&self, id: &str, key: &[u8]) -> Result<(), KeychainFault> {
        self.0.lock().unwrap().insert(id.to_owned(), key.to_vec());
        Ok(())
    }
    fn get(&self, id: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeychainFault> {
        Ok(self.0.lock().unwrap().get(id).cloned().map(Zeroizing::new))
    }
    fn remove(&self, id: &str) -> Result<(), KeychainFault> {
        self.0.lock().unwrap().remove(id);
        Ok(())
    }
}

/// A keychain that outlives its process: a folder.
pub struct FolderKeychain(pub PathBuf);

impl Keychain for FolderKeychain {
    fn put(&self, id: &str, key: &[u8]) -> Result<(), KeychainFault> {
        std::fs::write(self.0.join(id), key).map_err(|error| KeychainFault(error.to_string()))
    }
    fn get(&self, id: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeychainFault> {
        Ok(std::fs::read(self.0.join(id)).ok().map(Zeroizing::new))
    }
    fn remove(&self, id: &str) -> Result<(), KeychainFault> {
        let _ = std::fs::remove_file(self.0.join(id));
        Ok(())
    }
}

/// A keychain that takes keys and gives nothing back, as some do where nobody is logged in.
pub struct ForgetfulKeychain;

impl Keychain for ForgetfulKeychain {
    fn put(&self, _: &str, _: &[u8]) -> Result<(), KeychainFault> {
        Ok(())
    }
    fn get(&self, _: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeychainFault> {
        Ok(None)
    }
    fn remove(&self, _: &str) -> Result<(), KeychainFault> {
        Ok(())
    }
}

/// Settings whose passphrases cost little.
pub fn settings(first: Option<Protection>, keychain: Arc<dyn Keychain>) -> Settings {
    Settings {
        keychain,
        first,
        passphrase_file: None,
        cost: Cost { memory_kib: 8, passes: 1, lanes: 1 },
        step: |_| {},
    }
}

/// A vault that is opened by a key file.
pub fn with_key_file(home: &Path) -> Vault {
    Vault::with(home, settings(Some(Protection::KeyFile), Arc::new(MemoryKeychain::default())))
}

/// A secret of this text.
pub fn secret(text: &str) -> SecretString {
    SecretString::from(text)
}

/// The text under a name.
pub fn text(vault: &Vault, name: &str) -> Result<Option<String>, VaultError> {
    Ok(vault.get(name)?.map(|secret| secret.expose_secret().to_owned()))
}

/// Everything a vault holds.
pub fn all(vault: &Vault) -> Result<BTreeMap<String, String>, VaultError> {
    let names = vault.list()?;
    names
        .into_iter()
        .map(|info| Ok((info.name.clone(), text(vault, &info.name)?.expect("what is listed is there"))))
        .collect()
}
