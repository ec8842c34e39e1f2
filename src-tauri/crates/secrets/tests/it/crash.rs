//! Processes that are killed between any two steps of a change.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pretty_assertions::assert_eq;
use secrets::{Protect, Protection, Settings, Vault, VaultError};

use crate::{FolderKeychain, all, secret, settings};

static STEPS_LEFT: AtomicUsize = AtomicUsize::new(0);

fn die(_: &'static str) {
    if STEPS_LEFT.fetch_sub(1, Ordering::SeqCst) == 1 {
        #[cfg(unix)]
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
        std::process::abort();
    }
}

fn folder_settings(home: &Path) -> Settings {
    let keychain = home.join("keychain");
    std::fs::create_dir_all(&keychain).unwrap();
    settings(Some(Protection::KeyFile), Arc::new(FolderKeychain(keychain)))
}

const FIRST: &str = "the first passphrase";
const SECOND: &str = "the second passphrase";

/// Opens the vault whichever way it is protected.
fn open(home: &Path) -> Vault {
    let vault = Vault::with(home, folder_settings(home));
    if vault.status().locked {
        for passphrase in [FIRST, SECOND] {
            match vault.unlock(&secret(passphrase)) {
                Ok(()) | Err(VaultError::WrongKey { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
    vault
}

/// Does the change that is named and dies at the step that is numbered, when the other test starts it.
#[test]
fn victim() {
    let Ok(home) = std::env::var("SECRETS_TEST_VICTIM_HOME") else { return };
    let home = Path::new(&home);
    let mut settings = folder_settings(home);
    settings.step = die;
    let vault = Vault::with(home, settings);
    if vault.status().locked {
        vault.unlock(&secret(FIRST)).unwrap();
    }
    STEPS_LEFT.store(std::env::var("SECRETS_TEST_VICTIM_STEP").unwrap().parse().unwrap(), Ordering::SeqCst);
    match std::env::var("SECRETS_TEST_VICTIM").unwrap().as_str() {
        "put" => vault.put("new", &secret("new")),
        "remove" => vault.remove("a").map(drop),
        "keychain" => vault.protect(&Protect::Keychain),
        "keyfile" => vault.protect(&Protect::KeyFile),
        _ => vault.protect(&Protect::Passphrase(secret(SECOND))),
    }
    .unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        if file.file_type().unwrap().is_dir() {
            copy(&file.path(), &to.join(file.file_name()));
        } else {
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
}

/// Kills a process at every step of `change`, from every state that `begin` makes; the number of steps.
fn killed_everywhere(begin: Option<&Protect>, change: &str) -> usize {
    let template = tempfile::tempdir().unwrap();
    if let Some(begin) = begin {
        let vault = Vault::with(template.path(), folder_settings(template.path()));
        vault.protect(begin).unwrap();
        for name in ["a", "b", "c"] {
            vault.put(name, &secret(name)).unwrap();
        }
    }
    let old = all(&open(template.path())).unwrap();
    let mut new = old.clone();
    match change {
        "put" => drop(new.insert("new".into(), "new".into())),
        "remove" => drop(new.remove("a")),
        _ => {}
    }
    for step in 1.. {
        let home = tempfile::tempdir().unwrap();
        copy(template.path(), home.path());
        let ended = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::victim"])
            .env("SECRETS_TEST_VICTIM_HOME", home.path())
            .env("SECRETS_TEST_VICTIM", change)
            .env("SECRETS_TEST_VICTIM_STEP", step.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        let vault = open(home.path());
        let found = all(&vault).unwrap_or_else(|error| panic!("{change}, step {step}: {error}"));
        if ended.success() {
            assert_eq!(found, new, "{change} was done");
            return step - 1;
        }
        #[cfg(unix)]
        assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended), Some(9), "{change}, step {step}");
        assert!(found == old || found == new, "{change}, step {step}: {found:?}");
        // What was left behind is in nobody's way.
        vault.put("after", &secret("after")).unwrap();
        vault.protect(&Protect::KeyFile).unwrap();
        assert_eq!(all(&open(home.path())).unwrap().len(), found.len() + 1);
        assert!(!home.path().join("credentials.enc.new").exists());
        assert_eq!(std::fs::read_to_string(home.path().join("credentials.key")).unwrap().lines().count(), 1);
    }
    0
}

#[test]
fn a_write_that_is_killed_leaves_the_old_or_the_new_vault() {
    assert!(killed_everywhere(None, "put") >= 14, "key file and vault");
    assert!(killed_everywhere(Some(&Protect::KeyFile), "put") >= 7);
    assert!(killed_everywhere(Some(&Protect::KeyFile), "remove") >= 7);
}

#[test]
fn a_change_of_keys_that_is_killed_leaves_a_vault_that_opens() {
    let passphrase = || Protect::Passphrase(secret(FIRST));
    assert!(killed_everywhere(Some(&Protect::KeyFile), "keyfile") >= 21, "key file, vault, key file");
    assert!(killed_everywhere(Some(&Protect::KeyFile), "keychain") >= 8);
    assert!(killed_everywhere(Some(&Protect::Keychain), "keychain") >= 8);
    assert!(killed_everywhere(Some(&Protect::Keychain), "passphrase") >= 8);
    assert!(killed_everywhere(Some(&passphrase()), "passphrase") >= 8);
    assert!(killed_everywhere(Some(&passphrase()), "keyfile") >= 14);
}
