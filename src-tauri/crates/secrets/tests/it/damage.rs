//! Files that were damaged or changed on purpose.

use std::path::Path;
use std::sync::Arc;

use pretty_assertions::assert_eq;
use secrets::{Entry, Protection, Vault, VaultError};

use crate::{MemoryKeychain, all, secret, settings, text, with_key_file};

/// Bytes of a sealed record that holds a short secret: nonce, one step, tag.
const RECORD: usize = 12 + 64 + 16;

fn three(home: &Path) -> (Vault, Vec<u8>) {
    let vault = with_key_file(home);
    let entries =
        ["a", "b", "c"].map(|name| (name.to_owned(), Entry::Secret(secret(&format!("secret {name}")))));
    vault.put_all(&entries).unwrap();
    let bytes = std::fs::read(vault.path()).unwrap();
    (vault, bytes)
}

/// What a program that starts now makes of the file; that it leaves the file alone is checked.
fn opened(home: &Path, bytes: &[u8]) -> Result<usize, VaultError> {
    let vault = with_key_file(home);
    std::fs::write(vault.path(), bytes).unwrap();
    let all = all(&vault).map(|all| all.len());
    if all.is_err() {
        assert_eq!(vault.put("d", &secret("x")).err(), all.clone().err());
        let status = vault.status();
        assert!(status.exists);
        assert!(status.problem.is_some() || status.locked);
    }
    assert!(std::fs::read(vault.path()).unwrap() == bytes, "the file was changed");
    all
}

#[test]
fn every_flipped_bit_is_found() {
    let home = tempfile::tempdir().unwrap();
    let (_, bytes) = three(home.path());
    assert_eq!(opened(home.path(), &bytes), Ok(3));
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            let error = opened(home.path(), &changed).expect_err("a flipped bit is found");
            match (at, error) {
                (0..8, VaultError::NotAVault { .. })
                | (8..10, VaultError::UnknownVersion { .. })
                | (10..12, VaultError::Damaged { .. } | VaultError::KeyMissing { .. })
                // The figures of a derivation that is not used are sealed all the same.
                | (12..40 | 56..140, VaultError::WrongKey { .. })
                | (40..56, VaultError::KeyMissing { .. })
                | (148..156, VaultError::Truncated { .. })
                | (140.., VaultError::Damaged { .. }) => {}
                (at, error) => panic!("byte {at}, bit {bit}: {error:?}"),
            }
        }
    }
}

#[test]
fn every_flipped_bit_of_the_header_of_a_vault_with_a_passphrase_is_found() {
    let home = tempfile::tempdir().unwrap();
    let new =
        || Vault::with(home.path(), settings(Some(Protection::KeyFile), Arc::new(MemoryKeychain::default())));
    new().put("a", &secret("x")).unwrap();
    new().protect(&secrets::Protect::Passphrase(secret("correct horse"))).unwrap();
    let path = new().path().to_owned();
    let bytes = std::fs::read(&path).unwrap();
    for at in 0..140 {
        for bit in 0..8 {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << bit;
            std::fs::write(&path, &changed).unwrap();
            let vault = new();
            assert!(vault.unlock(&secret("correct horse")).is_err(), "byte {at}, bit {bit}");
            assert!(vault.get("a").is_err(), "byte {at}, bit {bit}");
        }
    }
    std::fs::write(&path, &bytes).unwrap();
    let vault = new();
    vault.unlock(&secret("correct horse")).unwrap();
    assert_eq!(text(&vault, "a").unwrap().as_deref(), Some("x"));
}

#[test]
fn a_file_that_was_cut_off_anywhere_is_found() {
    let home = tempfile::tempdir().unwrap();
    let (_, bytes) = three(home.path());
    for length in 0..bytes.len() {
        let error = opened(home.path(), &bytes[..length]).unwrap_err();
        assert!(
            matches!(error, VaultError::Truncated { have, .. } if have == length as u64),
            "{length}: {error:?}"
        );
    }
    let longer = [bytes.as_slice(), b"x"].concat();
    assert!(matches!(opened(home.path(), &longer), Err(VaultError::Damaged { .. })));
}

#[test]
fn records_can_not_be_swapped_doubled_dropped_or_taken_from_an_older_file() {
    let home = tempfile::tempdir().unwrap();
    let (vault, old) = three(home.path());
    vault.put("b", &secret("newer b!")).unwrap();
    let new = std::fs::read(vault.path()).unwrap();
    assert_eq!(old.len(), new.len());
    let at = |record: usize| new.len() - (3 - record) * RECORD;
    let copy = |into: &mut Vec<u8>, record: usize, from: &[u8]| {
        let start = at(record);
        into[start..start + RECORD].copy_from_slice(from);
    };
    let part = |bytes: &[u8], record: usize| bytes[at(record)..at(record) + RECORD].to_vec();

    let mut swapped = new.clone();
    copy(&mut swapped, 0, &part(&new, 1));
    copy(&mut swapped, 1, &part(&new, 0));
    let mut doubled = new.clone();
    copy(&mut doubled, 2, &part(&new, 0));
    let mut dropped = new[..at(2)].to_vec();
    let length = dropped.len() as u64;
    dropped[148..156].copy_from_slice(&length.to_le_bytes());
    let mut rolled_back = new.clone();
    copy(&mut rolled_back, 1, &part(&old, 1));
    let list_of_old = [&old[..at(0)], &new[at(0)..]].concat();
    let header_of_old = [&old[..172], &new[172..]].concat();
    let cases = [swapped, doubled, dropped, rolled_back, list_of_old, header_of_old];
    for (case, bytes) in cases.iter().enumerate() {
        let error = opened(home.path(), bytes).unwrap_err();
        assert!(matches!(error, VaultError::Damaged { .. }), "{case}: {error:?}");
    }
    assert_eq!(opened(home.path(), &new), Ok(3));
}

#[test]
fn nonces_and_sealed_bytes_never_repeat() {
    let home = tempfile::tempdir().unwrap();
    let vault = with_key_file(home.path());
    let entries: Vec<_> =
        (0..5000).map(|at| (format!("name {at:04}"), Entry::Secret(secret("the same")))).collect();
    let mut nonces = std::collections::HashSet::new();
    for _ in 0..3 {
        vault.put_all(&entries).unwrap();
        let bytes = std::fs::read(vault.path()).unwrap();
        let records = &bytes[bytes.len() - 5000 * RECORD..];
        assert!(nonces.insert(bytes[156..168].to_vec()));
        for record in records.chunks(RECORD) {
            assert!(nonces.insert(record[..12].to_vec()));
        }
    }
    assert_eq!(nonces.len(), 3 * 5001);
}

#[test]
fn a_header_that_asks_for_too_much_work_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let vault = with_key_file(home.path());
    vault.put("a", &secret("x")).unwrap();
    vault.protect(&secrets::Protect::Passphrase(secret("correct horse"))).unwrap();
    let bytes = std::fs::read(vault.path()).unwrap();
    for (at, value) in
        [(12, u32::MAX), (12, 0), (12, 1 << 20), (16, u32::MAX), (16, 0), (20, u32::MAX), (20, 0)]
    {
        let mut changed = bytes.clone();
        changed[at..at + 4].copy_from_slice(&value.to_le_bytes());
        std::fs::write(vault.path(), &changed).unwrap();
        let error = with_key_file(home.path()).unlock(&secret("correct horse")).unwrap_err();
        assert!(matches!(error, VaultError::Hostile { .. }), "{at} {value}: {error:?}");
    }
}

#[test]
fn other_files_are_told_from_a_vault() {
    let home = tempfile::tempdir().unwrap();
    let (_, bytes) = three(home.path());
    for other in [b"{}".as_slice(), b"CRAFT01\0 and so on", b"\0\0\0\0\0\0\0\0\0\0\0\0"] {
        assert!(matches!(opened(home.path(), other), Err(VaultError::NotAVault { .. })));
    }
    let mut newer = bytes.clone();
    newer[8] = 2;
    assert!(matches!(
        opened(home.path(), &newer),
        Err(VaultError::UnknownVersion { found: 2, known: 1, .. })
    ));
    let vault = with_key_file(home.path());
    let file = std::fs::File::create(vault.path()).unwrap();
    file.set_len(65 * 1024 * 1024).unwrap();
    assert!(matches!(vault.get("a"), Err(VaultError::TooBig { .. })));
}

#[cfg(unix)]
#[test]
fn links_pipes_and_folders_are_not_followed_or_read() {
    let home = tempfile::tempdir().unwrap();
    let (vault, bytes) = three(home.path());
    let elsewhere = home.path().join("elsewhere");
    std::fs::rename(vault.path(), &elsewhere).unwrap();
    let refused = |what: &str| {
        let vault = with_key_file(home.path());
        for error in [vault.get("a").unwrap_err(), vault.put("a", &secret("x")).unwrap_err()] {
            assert!(matches!(error, VaultError::NotPrivate { .. }), "{what}: {error:?}");
        }
    };
    std::os::unix::fs::symlink(&elsewhere, vault.path()).unwrap();
    refused("a link");
    std::fs::remove_file(vault.path()).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", vault.path()).unwrap();
    refused("a link to nothing");
    std::fs::remove_file(vault.path()).unwrap();
    std::fs::create_dir(vault.path()).unwrap();
    refused("a folder");
    std::fs::remove_dir(vault.path()).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(vault.path()).status().unwrap().success());
    refused("a pipe");
    std::fs::remove_file(vault.path()).unwrap();
    std::fs::rename(&elsewhere, vault.path()).unwrap();

    let key = home.path().join("credentials.key");
    let moved = home.path().join("key elsewhere");
    std::fs::rename(&key, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &key).unwrap();
    refused("a link as the key");
    std::fs::remove_file(&key).unwrap();
    std::fs::rename(&moved, &key).unwrap();

    let lock = home.path().join("credentials.lock");
    std::fs::remove_file(&lock).unwrap();
    std::os::unix::fs::symlink(home.path().join("made by a link"), &lock).unwrap();
    let error = with_key_file(home.path()).put("a", &secret("x")).unwrap_err();
    assert!(matches!(error, VaultError::NotPrivate { .. }), "{error:?}");
    assert!(!home.path().join("made by a link").exists());
    assert_eq!(std::fs::read(vault.path()).unwrap(), bytes);
}

#[cfg(unix)]
#[test]
fn a_file_that_a_stopped_writer_left_is_no_way_in() {
    let home = tempfile::tempdir().unwrap();
    let (vault, _) = three(home.path());
    let target = home.path().join("target");
    std::fs::write(&target, "precious").unwrap();
    std::os::unix::fs::symlink(&target, home.path().join("credentials.enc.new")).unwrap();
    vault.put("d", &secret("x")).unwrap();
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "precious");
    assert_eq!(all(&with_key_file(home.path())).unwrap().len(), 4);
}
