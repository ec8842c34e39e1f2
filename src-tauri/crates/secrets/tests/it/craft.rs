//! Files as Craft Agent writes them, written by the test itself.

use std::path::Path;

use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce};
use pretty_assertions::assert_eq;
use secrets::craft::{CraftError, Machine, read};
use secrets::{Entry, ExposeSecret};
use sha2::{Digest, Sha256};

const STORE: &str = r#"{
  "version": 1,
  "credentials": {
    "llm_api_key::claude": { "value": "sk-CANARY-1 \u00e9" },
    "llm_oauth::max": { "value": "access", "refreshToken": "again", "expiresAt": 1790000000123,
      "clientId": "client", "clientSecret": "its secret", "source": "native", "tags": ["a", {"b": null}], "on": true },
    "source_oauth::one::mail": { "value": "mail", "expiresAt": 1.79e12 },
    "llm_iam::aws": { "awsAccessKeyId": "AKIA", "awsSecretAccessKey": "shh", "value": "" },
    "plain": { "value": "p", "expiresAt": null }
  },
  "metadata": { "createdAt": 1 }
}"#;

fn machine() -> Machine {
    Machine {
        ids: vec!["0000-other".into(), "1234-abcd".into()],
        host: "host".into(),
        user: "user".into(),
        home: "/home/eva".into(),
    }
}

fn write(path: &Path, password: &[&str], json: &str) -> Vec<u8> {
    let mut hash = Sha256::new();
    password.iter().for_each(|part| hash.update(part));
    let salt = [7; 32];
    let mut key = [0; 32];
    let rounds = std::num::NonZeroU32::new(100_000).unwrap();
    ring::pbkdf2::derive(ring::pbkdf2::PBKDF2_HMAC_SHA256, rounds, &salt, &hash.finalize(), &mut key);
    let mut sealed = json.as_bytes().to_vec();
    let tag = Aes256Gcm::new(&key.into())
        .encrypt_inout_detached(&Nonce::from([9; 12]), b"", sealed.as_mut_slice().into())
        .unwrap();
    let mut bytes = b"CRAFT01\0".to_vec();
    bytes.extend([8, 0, 0, 0]);
    bytes.extend(salt);
    bytes.extend([0; 20]);
    bytes.extend([9; 12]);
    bytes.extend(tag);
    bytes.extend(sealed);
    std::fs::write(path, &bytes).unwrap();
    bytes
}

#[test]
fn credentials_of_this_machine_are_read_and_the_file_stays() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("credentials.enc");
    let bytes = write(&path, &["1234-abcd", "craft-agent-v2"], STORE);
    let found = read(&path, &machine()).unwrap();
    let heads: Vec<_> = found.iter().map(|found| (&*found.kind, &*found.scope, found.expires_at)).collect();
    assert_eq!(
        heads,
        [
            ("llm_api_key", "claude", None),
            ("llm_iam", "aws", None),
            ("llm_oauth", "max", Some(1_790_000_000_123)),
            ("plain", "", None),
            ("source_oauth", "one::mail", Some(1_790_000_000_000)),
        ]
    );
    assert!(
        matches!(found[0].entry(), Some(Entry::Secret(secret)) if secret.expose_secret() == "sk-CANARY-1 é")
    );
    assert!(found[1].entry().is_none());
    assert_eq!(found[1].others["awsSecretAccessKey"].expose_secret(), "shh");
    let Some(Entry::Token(token)) = found[2].entry() else { panic!("no token") };
    assert_eq!((token.access.expose_secret(), token.refresh.unwrap().expose_secret()), ("access", "again"));
    assert_eq!((&*token.client_id, token.client_secret.unwrap().expose_secret()), ("client", "its secret"));
    assert!(matches!(found[4].entry(), Some(Entry::Token(_))));
    assert!(!format!("{found:?}").contains("CANARY"));
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

#[test]
fn keys_of_a_machine_without_an_id_and_of_the_first_version_are_tried() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("credentials.enc");
    for password in
        [["user:/home/eva", "craft-agent-v2"].as_slice(), &["host", "user", "/home/eva", "craft-agent-v1"]]
    {
        write(&path, password, STORE);
        assert_eq!(read(&path, &machine()).unwrap().len(), 5);
    }
}

#[test]
fn other_damaged_and_foreign_files_are_told() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("credentials.enc");
    let read = || read(&path, &machine());
    assert!(matches!(read(), Err(CraftError::Io { .. })));
    let bytes = write(&path, &["1234-abcd", "craft-agent-v2"], STORE);
    for length in [8, 11, 43, 63, 75, 91] {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(matches!(read(), Err(CraftError::Truncated(_))), "{length}");
    }
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(matches!(read(), Err(CraftError::WrongMachine(_))));
    write(&path, &["of another machine", "craft-agent-v2"], STORE);
    assert!(matches!(read(), Err(CraftError::WrongMachine(_))));
    for other in [b"".as_slice(), b"{}", b"ANVAULT\n", b"CRAFT02\0"] {
        std::fs::write(&path, other).unwrap();
        assert!(matches!(read(), Err(CraftError::NotIts(_))));
    }
    for json in ["", "[]", "{}", r#"{"credentials":{"a":7}}"#] {
        write(&path, &["1234-abcd", "craft-agent-v2"], json);
        assert!(matches!(read(), Err(CraftError::Malformed { .. })), "{json}");
    }
    write(&path, &["1234-abcd", "craft-agent-v2"], r#"{"credentials":{}}"#);
    assert_eq!(read().unwrap().len(), 0);
}

#[test]
fn this_machine_says_who_it_is() {
    let machine = Machine::current();
    assert!(!machine.home.is_empty() || !machine.ids.is_empty());
}
