//! The keys that wrap the data key: where they are, how they are made and forgotten.

use std::path::{Path, PathBuf};

use argon2::{Algorithm, Argon2, Params, Version};
use secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroizing;

use super::disk::{self, random};
use super::format::Header;
use super::{Protect, Protection, Settings};
use crate::error::VaultError;

/// The work of deriving a key from a passphrase (Argon2id).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Passes over it.
    pub passes: u32,
    /// Lanes.
    pub lanes: u32,
}

impl Default for Cost {
    fn default() -> Self {
        Self { memory_kib: 64 * 1024, passes: 3, lanes: 1 }
    }
}

impl Cost {
    /// Which figure no file of this program asks for. A file is believed only so far before its key is known.
    pub(super) fn unreasonable(self) -> Option<String> {
        if !(8..=512 * 1024).contains(&self.memory_kib) {
            Some(format!("{} KiB of memory", self.memory_kib))
        } else if !(1..=16).contains(&self.passes) {
            Some(format!("{} passes", self.passes))
        } else if !(1..=8).contains(&self.lanes) {
            Some(format!("{} lanes", self.lanes))
        } else {
            None
        }
    }
}

/// A key that wraps a data key.
pub(super) struct Kek(Zeroizing<[u8; 32]>);

impl Kek {
    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(|bytes: [u8; 32]| Self(Zeroizing::new(bytes)))
    }

    fn random() -> Result<Self, VaultError> {
        random().map(|bytes| Self(Zeroizing::new(bytes)))
    }
}

/// Makes a key of the wanted kind and a header that names it. The key is kept where it belongs before this returns,
/// beside the one of `old`: until the file is replaced, that one is needed.
pub(super) fn make(
    settings: &Settings,
    folder: &Path,
    protect: &Protect,
    old: Option<&Header>,
    rotated_at: i64,
) -> Result<(Header, Kek), VaultError> {
    let mut header = Header {
        protection: match protect {
            Protect::Keychain => Protection::Keychain,
            Protect::Passphrase(_) => Protection::Passphrase,
            Protect::KeyFile => Protection::KeyFile,
        },
        cost: None,
        salt: [0; 16],
        kek: random()?,
        data_key: [0; 16],
        rotated_at,
    };
    let kek = match protect {
        Protect::Passphrase(passphrase) => {
            if passphrase.expose_secret().chars().count() < 8 {
                return Err(VaultError::Invalid("a passphrase has at least 8 characters"));
            }
            header.cost = Some(settings.cost);
            header.salt = random()?;
            derive(passphrase, &header.salt, settings.cost)?
        }
        Protect::Keychain => {
            let kek = Kek::random()?;
            let id = hex::encode(header.kek);
            let fault = |fault: crate::KeychainFault| VaultError::Keychain(fault.0);
            settings.keychain.put(&id, kek.bytes()).map_err(fault)?;
            // Some keychains take a key and give nothing back.
            if settings.keychain.get(&id).map_err(fault)?.is_none_or(|kept| kept.as_slice() != kek.bytes()) {
                let _ = settings.keychain.remove(&id);
                return Err(VaultError::Keychain("it does not give back what it was given".into()));
            }
            kek
        }
        Protect::KeyFile => {
            let kek = Kek::random()?;
            let path = key_file(folder);
            let mut lines = Lines::read(&path)?;
            lines.retain(|id| old.is_some_and(|old| old.kek == *id));
            lines.0.push((header.kek, Zeroizing::new(*kek.bytes())));
            lines.write(&path, settings.step)?;
            kek
        }
    };
    (settings.step)("key kept");
    Ok((header, kek))
}

/// Forgets the key of a header that no file has any more. What can't be removed stays: it opens nothing but old copies.
pub(super) fn forget(settings: &Settings, folder: &Path, old: Option<&Header>, new: Option<&Header>) {
    let Some(old) = old else { return };
    match old.protection {
        Protection::Passphrase => {}
        Protection::Keychain => drop(settings.keychain.remove(&hex::encode(old.kek))),
        Protection::KeyFile => {
            let path = key_file(folder);
            match new.filter(|new| new.protection == Protection::KeyFile) {
                None => drop(disk::remove(&path)),
                Some(new) => {
                    if let Ok(mut lines) = Lines::read(&path) {
                        lines.retain(|id| *id == new.kek);
                        drop(lines.write(&path, settings.step));
                    }
                }
            }
        }
    }
    (settings.step)("old key forgotten");
}

/// The key of a file, without asking anybody but the keychain.
pub(super) fn find(
    settings: &Settings,
    folder: &Path,
    header: &Header,
    path: &Path,
) -> Result<Kek, VaultError> {
    let missing = || VaultError::KeyMissing { path: path.to_owned(), protection: header.protection };
    match header.protection {
        Protection::Keychain => {
            let key = settings
                .keychain
                .get(&hex::encode(header.kek))
                .map_err(|fault| VaultError::Keychain(fault.0))?;
            Kek::from_slice(&key.ok_or_else(missing)?).ok_or_else(missing)
        }
        Protection::KeyFile => {
            let file = key_file(folder);
            let lines = Lines::read(&file)?;
            let (_, key) = lines.0.iter().find(|(id, _)| *id == header.kek).ok_or_else(missing)?;
            Ok(Kek(key.clone()))
        }
        Protection::Passphrase => match read_passphrase(settings)? {
            Some(passphrase) => from_passphrase(header, &passphrase, path),
            None => Err(VaultError::Locked),
        },
    }
}

/// The key of a passphrase, as the header says it is derived.
pub(super) fn from_passphrase(
    header: &Header,
    passphrase: &SecretString,
    path: &Path,
) -> Result<Kek, VaultError> {
    let cost = header.cost.ok_or_else(|| VaultError::Damaged {
        path: path.to_owned(),
        what: "it does not say how its key is derived".into(),
    })?;
    derive(passphrase, &header.salt, cost)
}

fn derive(passphrase: &SecretString, salt: &[u8; 16], cost: Cost) -> Result<Kek, VaultError> {
    const REFUSED: VaultError = VaultError::Invalid("a key can't be derived from this passphrase");
    let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(32)).map_err(|_| REFUSED)?;
    let mut key = Zeroizing::new([0; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.expose_secret().as_bytes(), salt, key.as_mut_slice())
        .map_err(|_| REFUSED)?;
    Ok(Kek(key))
}

/// The first line of the file with the passphrase, where one is named.
pub(super) fn read_passphrase(settings: &Settings) -> Result<Option<SecretString>, VaultError> {
    let Some(path) = &settings.passphrase_file else { return Ok(None) };
    // Platforms mount such files as links, so that links are followed here.
    let real = std::fs::canonicalize(path).map_err(|error| VaultError::io("reading", path, &error))?;
    let Some((bytes, _)) = disk::read(&real, 64 * 1024)? else { return Ok(None) };
    let bytes = Zeroizing::new(bytes);
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = std::str::from_utf8(line)
        .map_err(|_| VaultError::Invalid("the file with the passphrase is not text"))?
        .trim_end_matches('\r');
    Ok((!line.is_empty()).then(|| SecretString::from(line)))
}

/// Whether the keychain gives back what it is given.
pub(super) fn keychain_works(settings: &Settings) -> bool {
    let (Ok(id), Ok(probe)) = (random::<16>(), random::<32>()) else { return false };
    let id = format!("probe-{}", hex::encode(id));
    let kept = settings.keychain.put(&id, &probe).and_then(|()| settings.keychain.get(&id));
    let removed = match kept {
        Ok(_) => settings.keychain.remove(&id),
        Err(_) => return false,
    };
    removed.is_ok() && kept.is_ok_and(|kept| kept.is_some_and(|kept| kept.as_slice() == probe))
}

fn key_file(folder: &Path) -> PathBuf {
    folder.join("credentials.key")
}

/// The lines of a key file: the id of a key and the key, in hexadecimal digits. More than one only between two steps of
/// a change of keys.
#[derive(Default)]
struct Lines(Vec<([u8; 16], Zeroizing<[u8; 32]>)>);

impl Lines {
    fn read(path: &Path) -> Result<Self, VaultError> {
        let Some((bytes, _)) = disk::read(path, 64 * 1024)? else { return Ok(Self::default()) };
        let bytes = Zeroizing::new(bytes);
        disk::check_private(path)?;
        let line = |line: &[u8]| {
            let (id, key) = line.split_at_checked(32)?;
            let key = key.strip_prefix(b" ")?;
            let mut read = ([0; 16], Zeroizing::new([0; 32]));
            hex::decode_to_slice(id, &mut read.0).ok()?;
            hex::decode_to_slice(key, read.1.as_mut_slice()).ok()?;
            Some(read)
        };
        Ok(Self(bytes.split(|byte| *byte == b'\n').filter_map(line).collect()))
    }

    fn retain(&mut self, keep: impl Fn(&[u8; 16]) -> bool) {
        self.0.retain(|(id, _)| keep(id));
    }

    fn write(&self, path: &Path, step: fn(&'static str)) -> Result<(), VaultError> {
        let mut text = Zeroizing::new(Vec::with_capacity(self.0.len() * 98));
        for (id, key) in &self.0 {
            text.extend_from_slice(hex::encode(id).as_bytes());
            text.push(b' ');
            text.extend_from_slice(Zeroizing::new(hex::encode(key.as_slice())).as_bytes());
            text.push(b'\n');
        }
        disk::replace(path, &text, step).map(drop)
    }
}
