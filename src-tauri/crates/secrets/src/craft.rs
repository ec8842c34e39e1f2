//! Reading what Craft Agent keeps in its own `credentials.enc`, on the machine that wrote it. Nothing is written.
//!
//! The file: `CRAFT01` and a zero byte, 4 bytes of flags, a salt of 32, 20 bytes that are not used; then the nonce (12),
//! the tag (16) and JSON, sealed with AES-256-GCM. The key is PBKDF2-HMAC-SHA256 (100,000 rounds) of a hash of what
//! identifies the machine, which is why the file opens on that machine only.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::process::Command;

use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes256Gcm, Key, Nonce, Tag};
use domain::{ErrorCode, Problem};
use secrecy::SecretString;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::vault::{Entry, Token};

const MAGIC: &[u8; 8] = b"CRAFT01\0";
const HEADER: usize = 64;
const ROUNDS: NonZeroU32 = NonZeroU32::new(100_000).unwrap();
const FILE_CAP: u64 = 16 * 1024 * 1024;

/// Why nothing could be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CraftError {
    /// It is no such file.
    #[error("{} is not a credential file of Craft Agent", .0.display())]
    NotIts(PathBuf),
    /// It ends too early.
    #[error("{} was cut off", .0.display())]
    Truncated(PathBuf),
    /// No key of this machine opens it.
    #[error(
        "{} can't be opened here: it opens only on the machine, and mostly for the user, that wrote it; or it is damaged",
        .0.display()
    )]
    WrongMachine(PathBuf),
    /// What is sealed in it is something else.
    #[error("{} opens, but what it holds is not understood ({what})", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is not.
        what: &'static str,
    },
    /// It is too big to be one.
    #[error("{} has {size} bytes, at most {FILE_CAP} are read", path.display())]
    TooBig {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
    },
    /// The file system refused.
    #[error("reading {} failed: {detail}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's words.
        detail: String,
    },
}

impl From<CraftError> for Problem {
    fn from(error: CraftError) -> Self {
        let code = match &error {
            CraftError::NotIts(_) | CraftError::TooBig { .. } | CraftError::WrongMachine(_) => {
                ErrorCode::InvalidInput
            }
            CraftError::Truncated(_) | CraftError::Malformed { .. } => ErrorCode::Corrupt,
            CraftError::Io { .. } => ErrorCode::Storage,
        };
        Self::new(code, error.to_string())
    }
}

/// One credential of the file.
#[derive(Debug, Clone)]
pub struct CraftCredential {
    /// What it is: `llm_api_key`, `llm_oauth`, `source_bearer`, …
    pub kind: String,
    /// Whose it is: a connection's slug, or workspace and source with `::` between them. Empty where there is one only.
    pub scope: String,
    /// The key, password or access token; absent where it consists of other fields.
    pub value: Option<SecretString>,
    /// What it is renewed with.
    pub refresh: Option<SecretString>,
    /// When it expires, in milliseconds since 1970.
    pub expires_at: Option<i64>,
    /// The client that the token was given to.
    pub client_id: String,
    /// That client's secret.
    pub client_secret: Option<SecretString>,
    /// Its further texts, by name: of cloud identities, for example.
    pub others: BTreeMap<String, SecretString>,
}

impl CraftCredential {
    /// What can be put into the vault; `None` where it has no value.
    pub fn entry(&self) -> Option<Entry> {
        let value = self.value.clone()?;
        if self.refresh.is_none() && self.expires_at.is_none() {
            return Some(Entry::Secret(value));
        }
        Some(Entry::Token(Token {
            refresh: self.refresh.clone(),
            expires_at: self.expires_at,
            client_id: self.client_id.clone(),
            client_secret: self.client_secret.clone(),
            ..Token::new(value)
        }))
    }
}

/// What identifies a machine and its user in that program's eyes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machine {
    /// Ids of the hardware or installation, the likeliest first.
    pub ids: Vec<String>,
    /// The host's name.
    pub host: String,
    /// The user's name.
    pub user: String,
    /// The user's home directory.
    pub home: String,
}

impl Machine {
    /// This machine.
    pub fn current() -> Self {
        let variable =
            |names: &[&str]| names.iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default();
        Self {
            ids: machine_ids(),
            host: host(),
            user: variable(&["USER", "LOGNAME", "USERNAME"]),
            home: std::env::home_dir().map(|home| home.display().to_string()).unwrap_or_default(),
        }
    }

    /// The passwords that its file may have been sealed with.
    fn passwords(&self) -> Vec<Zeroizing<[u8; 32]>> {
        let hash = |parts: &[&str]| {
            let mut hash = Sha256::new();
            parts.iter().for_each(|part| hash.update(part.as_bytes()));
            Zeroizing::new(<[u8; 32]>::from(hash.finalize()))
        };
        let nameless = format!("{}:{}", self.user, self.home);
        let mut passwords: Vec<_> =
            self.ids.iter().chain([&nameless]).map(|id| hash(&[id, "craft-agent-v2"])).collect();
        // Its first version took the host's name, which changes.
        passwords.push(hash(&[&self.host, &self.user, &self.home, "craft-agent-v1"]));
        passwords
    }
}

/// Reads the credentials of a file. Takes up to a second, since every key of the machine is derived in turn.
///
/// # Errors
/// [`CraftError`]; the file is never changed.
pub fn read(path: &Path, machine: &Machine) -> Result<Vec<CraftCredential>, CraftError> {
    let io = |error: std::io::Error| CraftError::Io { path: path.to_owned(), detail: error.to_string() };
    let metadata = std::fs::metadata(path).map_err(io)?;
    if !metadata.is_file() {
        return Err(CraftError::NotIts(path.to_owned()));
    }
    if metadata.len() > FILE_CAP {
        return Err(CraftError::TooBig { path: path.to_owned(), size: metadata.len() });
    }
    let bytes = std::fs::read(path).map_err(io)?;
    if !bytes.starts_with(MAGIC) {
        return Err(CraftError::NotIts(path.to_owned()));
    }
    let plain = open(&bytes, machine, path)?;
    let malformed = |what| CraftError::Malformed { path: path.to_owned(), what };
    let store: Store = serde_json::from_slice(&plain).map_err(|_| malformed("no JSON of its kind"))?;
    let Some(credentials) = store.credentials else { return Err(malformed("it has no credentials")) };
    Ok(credentials.into_iter().map(found).collect())
}

fn open(bytes: &[u8], machine: &Machine, path: &Path) -> Result<Zeroizing<Vec<u8>>, CraftError> {
    let truncated = || CraftError::Truncated(path.to_owned());
    let salt = bytes.get(12..44).ok_or_else(truncated)?;
    let rest = bytes.get(HEADER..).ok_or_else(truncated)?;
    let (nonce, rest) = rest.split_first_chunk::<12>().ok_or_else(truncated)?;
    let (tag, sealed) = rest.split_first_chunk::<16>().ok_or_else(truncated)?;
    for password in machine.passwords() {
        let mut key = Zeroizing::new([0; 32]);
        let algorithm = ring::pbkdf2::PBKDF2_HMAC_SHA256;
        ring::pbkdf2::derive(algorithm, ROUNDS, salt, password.as_slice(), key.as_mut_slice());
        let mut plain = Zeroizing::new(sealed.to_vec());
        let opened = Aes256Gcm::new(<&Key<Aes256Gcm>>::from(&*key)).decrypt_inout_detached(
            &Nonce::from(*nonce),
            b"",
            plain.as_mut_slice().into(),
            &Tag::from(*tag),
        );
        if opened.is_ok() {
            return Ok(plain);
        }
    }
    Err(CraftError::WrongMachine(path.to_owned()))
}

#[derive(serde::Deserialize)]
struct Store {
    #[serde(default)]
    credentials: Option<BTreeMap<String, BTreeMap<String, Field>>>,
}

fn found((key, mut fields): (String, BTreeMap<String, Field>)) -> CraftCredential {
    let (kind, scope) = key.split_once("::").unwrap_or((&key, ""));
    let mut text = |name: &str| match fields.remove(name) {
        Some(Field::Text(text)) => Some(text),
        Some(Field::Number(_) | Field::Other) | None => None,
    };
    use secrecy::ExposeSecret;
    let (value, refresh, client_secret) = (text("value"), text("refreshToken"), text("clientSecret"));
    let client_id = text("clientId").map(|id| id.expose_secret().to_owned()).unwrap_or_default();
    #[allow(clippy::cast_possible_truncation)] // milliseconds, as that program writes them
    let expires_at = match fields.remove("expiresAt") {
        Some(Field::Number(at)) if at.is_finite() => Some(at as i64),
        _ => None,
    };
    let others = fields
        .into_iter()
        .filter_map(|(name, field)| match field {
            Field::Text(text) => Some((name, text)),
            Field::Number(_) | Field::Other => None,
        })
        .collect();
    CraftCredential {
        kind: kind.to_owned(),
        scope: scope.to_owned(),
        value,
        refresh,
        expires_at,
        client_id,
        client_secret,
        others,
    }
}

/// A field, whose text goes straight to where it is cleared.
enum Field {
    Text(SecretString),
    Number(f64),
    Other,
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact
        impl<'de> Visitor<'de> for Any {
            type Value = Field;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a field")
            }
            fn visit_str<E>(self, text: &str) -> Result<Field, E> {
                Ok(if text.is_empty() { Field::Other } else { Field::Text(SecretString::from(text)) })
            }
            fn visit_i64<E>(self, number: i64) -> Result<Field, E> {
                Ok(Field::Number(number as f64))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Field, E> {
                Ok(Field::Number(number as f64))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Field, E> {
                Ok(Field::Number(number))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Field, E> {
                Ok(Field::Other)
            }
            fn visit_unit<E>(self) -> Result<Field, E> {
                Ok(Field::Other)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Field, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Field::Other)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut items: A) -> Result<Field, A::Error> {
                while items.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Field::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(not(any(target_os = "macos", windows)))]
fn machine_ids() -> Vec<String> {
    ["/var/lib/dbus/machine-id", "/etc/machine-id"]
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .map(|id| id.trim().to_owned())
        .filter(|id| !id.is_empty())
        .collect()
}

#[cfg(target_os = "macos")]
fn machine_ids() -> Vec<String> {
    let told = output(Command::new("/usr/sbin/ioreg").args(["-rd1", "-c", "IOPlatformExpertDevice"]));
    let line = told.lines().find(|line| line.contains("IOPlatformUUID"));
    line.and_then(|line| line.split('"').nth(3)).map(str::to_owned).into_iter().collect()
}

#[cfg(windows)]
fn machine_ids() -> Vec<String> {
    let key = r"HKLM\SOFTWARE\Microsoft\Cryptography";
    let told = output(Command::new("reg").args(["query", key, "/v", "MachineGuid"]));
    let line = told.lines().find(|line| line.contains("MachineGuid"));
    line.and_then(|line| line.split_whitespace().last()).map(str::to_owned).into_iter().collect()
}

fn host() -> String {
    let file = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if file.trim().is_empty() {
        output(&mut Command::new("hostname")).trim().to_owned()
    } else {
        file.trim().to_owned()
    }
}

fn output(command: &mut Command) -> String {
    command.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}
