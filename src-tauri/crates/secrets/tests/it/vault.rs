//! Keeping, reading, listing and removing; several at once.

use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use pretty_assertions::assert_eq;
use secrets::{Entry, EntryKind, ExposeSecret, Protection, Token, Vault, VaultError};

use crate::{MemoryKeychain, all, secret, settings, text, with_key_file};

#[test]
fn asking_writes_nothing() {
    let home = tempfile::tempdir().unwrap();
    let vault = with_key_file(home.path());
    assert_eq!(text(&vault, "a").unwrap(), None);
    assert_eq!(vault.list().unwrap(), []);
    let status = vault.status();
    assert!(!status.exists && !status.locked && status.problem.is_none());
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn removing_from_no_vault_makes_none() {
    let home = tempfile::tempdir().unwrap();
    let vault = with_key_file(home.path());
    assert!(!vault.remove("a").unwrap());
    assert_eq!(vault.remove_prefix("a").unwrap(), 0);
    assert!(!vault.path().exists());
}

#[test]
fn two_hundred_secrets_are_there_for_a_second_program() {
    let home = tempfile::tempdir().unwrap();
    let entries: Vec<_> = (0..200)
        .map(|at| {
            (format!("connection/c{at:03}/key"), Entry::Secret(secret(&format!("key number {at} — ключ 🔑"))))
        })
        .collect();
    with_key_file(home.path()).put_all(&entries).unwrap();
    let vault = with_key_file(home.path());
    assert_eq!(vault.list().unwrap().len(), 200);
    for (name, entry) in &entries {
        assert_eq!(text(&vault, name).unwrap().as_deref(), Some(entry.secret().expose_secret()));
    }
    assert_eq!(text(&vault, "connection/c200/key").unwrap(), None);
}

#[test]
fn a_token_comes_back_whole() {
    let home = tempfile::tempdir().unwrap();
    let token = Token {
        refresh: Some(secret("refresh")),
        expires_at: Some(1_900_000_000_123),
        scope: "a b".into(),
        client_id: "client".into(),
        client_secret: Some(secret("its secret")),
        token_url: "https://a.example/token".into(),
        ..Token::new(secret("access"))
    };
    with_key_file(home.path()).put_token("connection/a/oauth", &token).unwrap();
    let vault = with_key_file(home.path());
    let Some(Entry::Token(back)) = vault.entry("connection/a/oauth").unwrap() else { panic!("no token") };
    assert_eq!(back.access.expose_secret(), "access");
    assert_eq!(back.refresh.unwrap().expose_secret(), "refresh");
    assert_eq!(back.client_secret.unwrap().expose_secret(), "its secret");
    assert_eq!(
        (back.expires_at, &*back.scope, &*back.client_id, &*back.token_url),
        (Some(1_900_000_000_123), "a b", "client", "https://a.example/token")
    );
    assert_eq!(text(&vault, "connection/a/oauth").unwrap().as_deref(), Some("access"));
    let infos = vault.list().unwrap();
    assert_eq!((infos[0].kind, infos[0].expires_at), (EntryKind::Token, Some(1_900_000_000_123)));
    assert!(infos[0].written_at > 1_600_000_000_000);
}

#[test]
fn names_are_replaced_removed_and_renamed() {
    let home = tempfile::tempdir().unwrap();
    let vault = with_key_file(home.path());
    for name in ["connection/a/key", "connection/a/oauth", "connection/ab/key", "source/x"] {
        vault.put(name, &secret(name)).unwrap();
    }
    vault.put("source/x", &secret("new")).unwrap();
    assert_eq!(vault.rename_prefix("connection/a/", "connection/z/").unwrap(), 2);
    assert_eq!(vault.rename_prefix("nothing/", "else/").unwrap(), 0);
    let expected = [
        ("connection/ab/key", "connection/ab/key"),
        ("connection/z/key", "connection/a/key"),
        ("connection/z/oauth", "connection/a/oauth"),
        ("source/x", "new"),
    ];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    assert_eq!(all(&with_key_file(home.path())).unwrap(), expected);
    assert_eq!(vault.remove_prefix("connection/z/").unwrap(), 2);
    assert!(vault.remove("source/x").unwrap());
    assert!(!vault.remove("source/x").unwrap());
    assert_eq!(all(&with_key_file(home.path())).unwrap().len(), 1);
}

#[test]
fn renaming_to_names_that_are_renamed_themselves_loses_nothing() {
    let home = tempfile::tempdir().unwrap();
    let vault = with_key_file(home.path());
    for name in ["a/b/b/x", "a/b/x", "a/x"] {
        vault.put(name, &secret(name)).unwrap();
    }
    assert_eq!(vault.rename_prefix("a/b/", "a/").unwrap(), 2);
    let expected = [("a/b/x", "a/b/b/x"), ("a/x", "a/b/x")];
    assert_eq!(all(&vault).unwrap(), expected.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
    assert_eq!(vault.rename_prefix("a/", "a/b/").unwrap(), 2);
    let expected = [("a/b/b/x", "a/b/b/x"), ("a/b/x", "a/b/x")];
    assert_eq!(all(&vault).unwrap(), expected.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
}

#[test]
fn what_can_not_be_kept_is_refused_and_nothing_is_written() {
    let home = tempfile::tempdir().unwrap();
    let vault = with_key_file(home.path());
    let long = "n".repeat(301);
    for name in ["", "a\nb", "a\0", long.as_str()] {
        assert!(matches!(vault.put(name, &secret("x")), Err(VaultError::Invalid(_))), "{name:?}");
    }
    assert!(matches!(vault.put("a", &secret("")), Err(VaultError::Invalid(_))));
    assert!(matches!(vault.put("a", &secret(&"x".repeat(300_000))), Err(VaultError::TooBig { .. })));
    let batch = [("good".into(), Entry::Secret(secret("x"))), (String::new(), Entry::Secret(secret("x")))];
    assert!(matches!(vault.put_all(&batch), Err(VaultError::Invalid(_))));
    assert!(!vault.path().exists());
    vault.put("big", &secret(&"x".repeat(200_000))).unwrap();
    assert_eq!(text(&with_key_file(home.path()), "big").unwrap().unwrap().len(), 200_000);
}

#[cfg(unix)]
#[test]
fn files_are_for_this_user_alone_from_their_first_moment() {
    use std::os::unix::fs::PermissionsExt;
    static SEEN: Mutex<Vec<(std::path::PathBuf, u32)>> = Mutex::new(Vec::new());
    static FOLDER: Mutex<Option<std::path::PathBuf>> = Mutex::new(None);
    fn look(_: &'static str) {
        let folder = FOLDER.lock().unwrap().clone().unwrap();
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap();
            let mode = file.metadata().unwrap().permissions().mode() & 0o777;
            SEEN.lock().unwrap().push((file.file_name().into(), mode));
        }
    }
    let home = tempfile::tempdir().unwrap();
    *FOLDER.lock().unwrap() = Some(home.path().to_owned());
    let mut settings = settings(Some(Protection::KeyFile), Arc::new(MemoryKeychain::default()));
    settings.step = look;
    Vault::with(home.path(), settings).put("a", &secret("x")).unwrap();
    let seen = SEEN.lock().unwrap();
    for file in ["credentials.enc.new", "credentials.key.new", "credentials.enc", "credentials.key"] {
        assert!(seen.iter().any(|(name, _)| name.as_os_str() == file), "{file} was not seen");
    }
    assert!(seen.iter().all(|(_, mode)| *mode == 0o600), "{seen:?}");
    let left: Vec<_> =
        std::fs::read_dir(home.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".new")), "{left:?}");
}

#[test]
fn one_sees_what_another_wrote() {
    let home = tempfile::tempdir().unwrap();
    let (one, other) = (with_key_file(home.path()), with_key_file(home.path()));
    one.put("a", &secret("1")).unwrap();
    assert_eq!(text(&other, "a").unwrap().as_deref(), Some("1"));
    other.put("a", &secret("2")).unwrap();
    assert_eq!(text(&one, "a").unwrap().as_deref(), Some("2"));
    other.protect(&secrets::Protect::KeyFile).unwrap();
    assert_eq!(text(&one, "a").unwrap().as_deref(), Some("2"));
    one.put("b", &secret("3")).unwrap();
    assert_eq!(all(&other).unwrap().len(), 2);
    std::fs::remove_file(one.path()).unwrap();
    assert_eq!(text(&one, "a").unwrap(), None);
}

/// Writes names of its own when the other test starts it.
#[test]
fn writer() {
    let Ok(home) = std::env::var("SECRETS_TEST_WRITER_HOME") else { return };
    let who = std::env::var("SECRETS_TEST_WRITER").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (home, who) = (&home, &who);
            scope.spawn(move || {
                let vault = with_key_file(home.as_ref());
                for at in 0..12 {
                    vault.put(&format!("{who}/{thread}/{at}"), &secret("x")).unwrap();
                }
            });
        }
    });
}

#[test]
fn writers_in_many_processes_and_threads_lose_nothing() {
    let home = tempfile::tempdir().unwrap();
    let mut children: Vec<_> = (0..3)
        .map(|who| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "vault::writer"])
                .env("SECRETS_TEST_WRITER_HOME", home.path())
                .env("SECRETS_TEST_WRITER", who.to_string())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    // A reader among them never finds a half-written file.
    let reader = with_key_file(home.path());
    while children.iter_mut().any(|child| child.try_wait().unwrap().is_none()) {
        reader.list().unwrap();
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(reader.list().unwrap().len(), 3 * 2 * 12);
}

#[test]
fn nothing_prints_a_secret() {
    let canary = "sk-CANARY-1234";
    let home = tempfile::tempdir().unwrap();
    let vault = with_key_file(home.path());
    let token = Token {
        refresh: Some(secret(canary)),
        client_secret: Some(secret(canary)),
        ..Token::new(secret(canary))
    };
    vault.put("a", &secret(canary)).unwrap();
    vault.put_token("b", &token).unwrap();
    let mut printed = format!("{vault:?}{:?}{:?}{:?}", vault.status(), vault.list(), vault.entry("a"));
    printed += &format!("{:?}{token:?}{:?}", vault.entry("b"), secrets::Protect::Passphrase(secret(canary)));
    let bytes = std::fs::read(vault.path()).unwrap();
    assert!(!bytes.windows(canary.len()).any(|window| window == canary.as_bytes()));
    std::fs::write(vault.path(), &bytes[..bytes.len() - 1]).unwrap();
    let error = with_key_file(home.path()).get("a").unwrap_err();
    printed += &format!("{error:?}{error}{:?}", domain::Problem::from(error.clone()));
    assert!(!printed.contains("CANARY"), "{printed}");
}
