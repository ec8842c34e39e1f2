//! What opens a vault, and changing it.

use std::sync::Arc;

use pretty_assertions::assert_eq;
use secrets::{Protect, Protection, Vault, VaultError};

use crate::{ForgetfulKeychain, MemoryKeychain, all, secret, settings, text, with_key_file};

fn with_keychain(home: &std::path::Path, keychain: &Arc<MemoryKeychain>) -> Vault {
    Vault::with(home, settings(None, keychain.clone()))
}

#[test]
fn a_first_secret_is_protected_by_the_keychain_where_it_works() {
    let (home, keychain) = (tempfile::tempdir().unwrap(), Arc::new(MemoryKeychain::default()));
    let vault = with_keychain(home.path(), &keychain);
    vault.put("a", &secret("x")).unwrap();
    let status = vault.status();
    assert_eq!((status.protection, status.keychain, status.exists), (Protection::Keychain, true, true));
    assert!(!home.path().join("credentials.key").exists());
    // The probe is gone, the key is there.
    assert_eq!(keychain.0.lock().unwrap().len(), 1);
    assert_eq!(text(&with_keychain(home.path(), &keychain), "a").unwrap().as_deref(), Some("x"));
}

#[test]
fn a_keychain_that_gives_nothing_back_is_not_trusted() {
    let home = tempfile::tempdir().unwrap();
    let vault = Vault::with(home.path(), settings(None, Arc::new(ForgetfulKeychain)));
    vault.put("a", &secret("x")).unwrap();
    let status = vault.status();
    assert_eq!((status.protection, status.keychain), (Protection::KeyFile, false));
    assert!(status.explained.starts_with("Weaker"));
    let before = std::fs::read(vault.path()).unwrap();
    assert!(matches!(vault.protect(&Protect::Keychain), Err(VaultError::Keychain(_))));
    assert_eq!(std::fs::read(vault.path()).unwrap(), before);
    assert_eq!(text(&vault, "a").unwrap().as_deref(), Some("x"));
}

#[test]
fn the_systems_own_keychain_works_or_says_that_it_does_not() {
    let home = tempfile::tempdir().unwrap();
    let mut settings = settings(None, Arc::new(secrets::SystemKeychain::default()));
    settings.first = None;
    let vault = Vault::with(home.path(), settings);
    vault.put("a", &secret("x")).unwrap();
    let status = vault.status();
    let expected = if status.keychain { Protection::Keychain } else { Protection::KeyFile };
    println!("opened by: {expected:?}");
    assert_eq!(status.protection, expected);
    assert_eq!(text(&vault, "a").unwrap().as_deref(), Some("x"));
    // Leaves nothing in it.
    vault.protect(&Protect::KeyFile).unwrap();
}

#[test]
fn a_key_that_is_gone_from_the_keychain_is_told_from_a_wrong_one() {
    let (home, keychain) = (tempfile::tempdir().unwrap(), Arc::new(MemoryKeychain::default()));
    with_keychain(home.path(), &keychain).put("a", &secret("x")).unwrap();
    let id = keychain.0.lock().unwrap().keys().next().unwrap().clone();
    let key = keychain.0.lock().unwrap().insert(id.clone(), vec![7; 32]).unwrap();
    let error = with_keychain(home.path(), &keychain).get("a").unwrap_err();
    assert!(matches!(error, VaultError::WrongKey { protection: Protection::Keychain, .. }), "{error:?}");
    keychain.0.lock().unwrap().clear();
    let vault = with_keychain(home.path(), &keychain);
    assert!(matches!(vault.get("a"), Err(VaultError::KeyMissing { .. })));
    assert!(matches!(vault.put("b", &secret("y")), Err(VaultError::KeyMissing { .. })));
    keychain.0.lock().unwrap().insert(id, key);
    assert_eq!(text(&vault, "a").unwrap().as_deref(), Some("x"));
}

#[test]
fn a_key_file_that_is_gone_foreign_or_open_to_others_is_told() {
    let (home, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    with_key_file(home.path()).put("a", &secret("x")).unwrap();
    with_key_file(other.path()).put("a", &secret("x")).unwrap();
    let key = home.path().join("credentials.key");
    let own = std::fs::read_to_string(&key).unwrap();
    let foreign = std::fs::read_to_string(other.path().join("credentials.key")).unwrap();
    let asked = || with_key_file(home.path()).get("a").map(drop);
    // The id of its own key with another key.
    std::fs::write(&key, format!("{}{}", &own[..33], &foreign[33..])).unwrap();
    assert!(matches!(asked(), Err(VaultError::WrongKey { protection: Protection::KeyFile, .. })));
    for wrong in [foreign.as_str(), "", "no key\n", &own[..60]] {
        std::fs::write(&key, wrong).unwrap();
        assert!(matches!(asked(), Err(VaultError::KeyMissing { .. })), "{wrong:?}");
    }
    std::fs::remove_file(&key).unwrap();
    assert!(matches!(asked(), Err(VaultError::KeyMissing { .. })));
    std::fs::write(&key, &own).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(asked(), Err(VaultError::NotPrivate { .. })));
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    assert_eq!(asked(), Ok(()));
}

#[test]
fn a_passphrase_locks_unlocks_and_changes() {
    let home = tempfile::tempdir().unwrap();
    let vault = with_key_file(home.path());
    vault.put("a", &secret("x")).unwrap();
    assert!(matches!(vault.protect(&Protect::Passphrase(secret("short"))), Err(VaultError::Invalid(_))));
    vault.protect(&Protect::Passphrase(secret("first passphrase"))).unwrap();
    assert!(!home.path().join("credentials.key").exists());
    assert_eq!(text(&vault, "a").unwrap().as_deref(), Some("x"));
    vault.lock();
    assert_eq!(vault.get("a").err(), Some(VaultError::Locked));
    assert_eq!(vault.put("b", &secret("y")).err(), Some(VaultError::Locked));
    assert_eq!(vault.protect(&Protect::KeyFile).err(), Some(VaultError::Locked));
    let status = vault.status();
    assert!(status.locked && status.exists && status.problem.is_none() && status.entries.is_empty());
    assert_eq!(status.protection, Protection::Passphrase);
    let wrong = vault.unlock(&secret("second passphrase")).unwrap_err();
    assert!(matches!(wrong, VaultError::WrongKey { protection: Protection::Passphrase, .. }));
    vault.unlock(&secret("first passphrase")).unwrap();
    let other = with_key_file(home.path());
    other.unlock(&secret("first passphrase")).unwrap();
    vault.protect(&Protect::Passphrase(secret("second passphrase"))).unwrap();
    vault.put("b", &secret("y")).unwrap();
    // Whoever had it open before must know the new one.
    assert_eq!(other.get("a").err(), Some(VaultError::Locked));
    assert!(other.unlock(&secret("first passphrase")).is_err());
    other.unlock(&secret("second passphrase")).unwrap();
    assert_eq!(all(&other).unwrap().len(), 2);
    // Writes of others keep it open.
    vault.put("c", &secret("z")).unwrap();
    assert_eq!(all(&other).unwrap().len(), 3);
}

#[test]
fn a_file_with_the_passphrase_opens_and_makes_a_vault() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("passphrase");
    let mut settings = settings(Some(Protection::Passphrase), Arc::new(MemoryKeychain::default()));
    settings.passphrase_file = Some(file.clone());
    let new = || Vault::with(home.path(), settings.clone());
    assert!(matches!(new().put("a", &secret("x")), Err(VaultError::Io { .. })));
    std::fs::write(&file, "a long passphrase\r\nand a second line\n").unwrap();
    new().put("a", &secret("x")).unwrap();
    assert_eq!(text(&new(), "a").unwrap().as_deref(), Some("x"));
    let typed = with_key_file(home.path());
    assert_eq!(typed.get("a").err(), Some(VaultError::Locked));
    typed.unlock(&secret("a long passphrase")).unwrap();
    std::fs::write(&file, "another one\n").unwrap();
    assert!(matches!(new().get("a"), Err(VaultError::WrongKey { .. })));
    std::fs::write(&file, "").unwrap();
    assert_eq!(new().get("a").err(), Some(VaultError::Locked));
}

#[test]
fn every_change_of_protection_keeps_the_secrets_and_forgets_the_old_key() {
    let (home, keychain) = (tempfile::tempdir().unwrap(), Arc::new(MemoryKeychain::default()));
    let vault = with_keychain(home.path(), &keychain);
    for at in 0..20 {
        vault.put(&format!("name {at}"), &secret(&format!("secret {at}"))).unwrap();
    }
    let (secrets, infos) = (all(&vault).unwrap(), vault.list().unwrap());
    let passphrase = || Protect::Passphrase(secret("a long passphrase"));
    let ways = [
        Protect::KeyFile,
        Protect::KeyFile,
        Protect::Keychain,
        Protect::Keychain,
        passphrase(),
        passphrase(),
        Protect::KeyFile,
        passphrase(),
        Protect::Keychain,
    ];
    let mut before = std::fs::read(vault.path()).unwrap();
    let key = home.path().join("credentials.key");
    for way in ways {
        vault.protect(&way).unwrap();
        let after = std::fs::read(vault.path()).unwrap();
        // Neither key id, nor salt, nor any sealed record is the same.
        assert_ne!(before[40..72], after[40..72]);
        assert_ne!(before[before.len() - 92..], after[after.len() - 92..]);
        before = after;
        let fresh = with_keychain(home.path(), &keychain);
        if let Protect::Passphrase(passphrase) = &way {
            fresh.unlock(passphrase).unwrap();
        }
        assert_eq!(all(&fresh).unwrap(), secrets);
        assert_eq!(fresh.list().unwrap(), infos, "times of writing are kept");
        let in_keychain = usize::from(matches!(way, Protect::Keychain));
        assert_eq!(keychain.0.lock().unwrap().len(), in_keychain, "{way:?}");
        let lines = std::fs::read_to_string(&key).map(|text| text.lines().count()).unwrap_or_default();
        assert_eq!(lines, usize::from(matches!(way, Protect::KeyFile)), "{way:?}");
    }
}

#[test]
fn a_vault_without_secrets_can_be_protected() {
    let home = tempfile::tempdir().unwrap();
    let vault = with_key_file(home.path());
    vault.protect(&Protect::Passphrase(secret("a long passphrase"))).unwrap();
    let status = vault.status();
    assert!(status.exists && !status.locked && status.rotated_at.is_some());
    vault.lock();
    assert_eq!(vault.put("a", &secret("x")).err(), Some(VaultError::Locked));
}

/// Makes a vault where the keychain never answers, when the other test starts it.
#[test]
fn without_answer() {
    let Ok(home) = std::env::var("SECRETS_TEST_SILENT_HOME") else { return };
    let keychain = secrets::SystemKeychain { patience: std::time::Duration::from_millis(300) };
    let vault = Vault::with(home.as_ref(), settings(None, Arc::new(keychain)));
    vault.put("a", &secret("x")).unwrap();
    let status = vault.status();
    assert_eq!((status.protection, status.keychain), (Protection::KeyFile, false));
    assert_eq!(
        vault.protect(&Protect::Keychain).unwrap_err().to_string(),
        "the keychain can't be used: it did not answer within 0 s"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_bus_that_never_answers_does_not_hold_up_a_secret() {
    let home = tempfile::tempdir().unwrap();
    let socket = home.path().join("bus");
    let silent = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let ended = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "keys::without_answer"])
        .env("SECRETS_TEST_SILENT_HOME", home.path())
        .env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}", socket.display()))
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    drop(silent);
}
