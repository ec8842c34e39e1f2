//! The bytes of `credentials.enc`, format 1. Numbers are little endian.
//!
//! | at | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `ANVAULT` and a line feed |
//! | 8 | 2 | format |
//! | 10 | 1 | what opens it: 1 keychain, 2 passphrase, 3 key file |
//! | 11 | 1 | derivation: 0 none, 1 Argon2id |
//! | 12 | 12 | its memory in KiB, passes, lanes |
//! | 24 | 16 | its salt |
//! | 40 | 16 | id of the key that wraps the data key |
//! | 56 | 16 | id of the data key |
//! | 72 | 8 | when the keys were made, in milliseconds since 1970 |
//! | 80 | 60 | the data key: nonce, sealed under 0..80 |
//! | 140 | 8 | number of this writing |
//! | 148 | 8 | length of the file |
//! | 156 | 12 | nonce of the list of records |
//! | 168 | 4 | length of the sealed list |
//! | 172 | | the list, sealed under 0..172 |
//! | | | the records, one after the other: nonce, sealed under format, data key, writing and name |
//!
//! Everything is sealed with AES-256-GCM, under a random nonce each. The list has every record's name, writing, length and
//! SHA-256, so that a record can't be dropped, doubled, exchanged or replaced by an older one of the same file.

use std::path::Path;
use std::sync::Arc;

use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes256Gcm, Key, Nonce, Tag};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::disk::random;
use super::keys::{Cost, Kek};
use super::{Entry, EntryInfo, EntryKind, Protection};
use crate::error::VaultError;

/// The format that this release writes, and the newest that it reads.
const FORMAT: u16 = 1;
const MAGIC: &[u8; 8] = b"ANVAULT\n";
const HEADER: usize = 172;
const FIXED: usize = 80;
const NONCE: usize = 12;
const TAG: usize = 16;

/// The most bytes that are read as a vault.
pub(super) const FILE_CAP: u64 = 64 * 1024 * 1024;

/// What the fixed part of the file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub protection: Protection,
    pub cost: Option<Cost>,
    pub salt: [u8; 16],
    pub kek: [u8; 16],
    pub data_key: [u8; 16],
    pub rotated_at: i64,
}

impl Header {
    fn fixed(&self) -> [u8; FIXED] {
        let mut bytes = [0; FIXED];
        let cost = self.cost.unwrap_or(Cost { memory_kib: 0, passes: 0, lanes: 0 });
        let protection = match self.protection {
            Protection::Keychain => 1,
            Protection::Passphrase => 2,
            Protection::KeyFile => 3,
        };
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        put(MAGIC);
        put(&FORMAT.to_le_bytes());
        put(&[protection, u8::from(self.cost.is_some())]);
        put(&cost.memory_kib.to_le_bytes());
        put(&cost.passes.to_le_bytes());
        put(&cost.lanes.to_le_bytes());
        put(&self.salt);
        put(&self.kek);
        put(&self.data_key);
        put(&self.rotated_at.to_le_bytes());
        bytes
    }
}

/// The key that seals the records, and its id.
#[derive(Clone)]
pub(super) struct DataKey {
    pub id: [u8; 16],
    cipher: Arc<Aes256Gcm>,
}

impl DataKey {
    fn new(id: [u8; 16], key: &[u8; 32]) -> Self {
        Self { id, cipher: Arc::new(cipher(key)) }
    }
}

fn cipher(key: &[u8; 32]) -> Aes256Gcm {
    Aes256Gcm::new(<&Key<Aes256Gcm>>::from(key))
}

/// Nonce, sealed bytes and tag in one.
fn seal(cipher: &Aes256Gcm, plain: &mut [u8], aad: &[u8]) -> Result<Vec<u8>, VaultError> {
    let nonce = random::<NONCE>()?;
    seal_with(cipher, nonce, plain, aad)
}

fn seal_with(
    cipher: &Aes256Gcm,
    nonce: [u8; NONCE],
    plain: &mut [u8],
    aad: &[u8],
) -> Result<Vec<u8>, VaultError> {
    let tag = cipher
        .encrypt_inout_detached(&Nonce::from(nonce), aad, plain.into())
        .map_err(|_| VaultError::Invalid("this is too much to be sealed"))?;
    let mut sealed = Vec::with_capacity(NONCE + plain.len() + TAG);
    sealed.extend_from_slice(&nonce);
    sealed.extend_from_slice(plain);
    sealed.extend_from_slice(&tag);
    Ok(sealed)
}

/// What `seal` sealed; `None` for anything else.
fn unseal(cipher: &Aes256Gcm, sealed: &[u8], aad: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (nonce, rest) = sealed.split_first_chunk::<NONCE>()?;
    let (body, tag) = rest.split_last_chunk::<TAG>()?;
    let mut plain = Zeroizing::new(body.to_vec());
    cipher
        .decrypt_inout_detached(&Nonce::from(*nonce), aad, plain.as_mut_slice().into(), &Tag::from(*tag))
        .ok()?;
    Some(plain)
}

/// A file as read: its parts, not opened yet.
pub(super) struct File {
    pub header: Header,
    generation: u64,
    bytes: Vec<u8>,
    list_end: usize,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk::<N>()).copied().unwrap_or([0; N])
}

impl File {
    /// Takes the file apart. Nothing is believed yet but what it takes to open it, and that within bounds.
    pub(super) fn parse(bytes: Vec<u8>, path: &Path) -> Result<Self, VaultError> {
        let path_buf = || path.to_owned();
        let have = bytes.len() as u64;
        let truncated = |need: u64| VaultError::Truncated { path: path_buf(), have, need };
        let damaged = |what: &str| VaultError::Damaged { path: path_buf(), what: what.to_owned() };
        let known = bytes.len().min(MAGIC.len());
        if bytes.get(..known) != MAGIC.get(..known) {
            return Err(VaultError::NotAVault { path: path_buf() });
        }
        if bytes.len() < 10 {
            return Err(truncated(HEADER as u64));
        }
        let found = u16::from_le_bytes(number(&bytes, 8));
        if found != FORMAT {
            return Err(VaultError::UnknownVersion { path: path_buf(), found, known: FORMAT });
        }
        if bytes.len() < HEADER {
            return Err(truncated(HEADER as u64));
        }
        let total = u64::from_le_bytes(number(&bytes, 148));
        if have < total {
            return Err(truncated(total));
        }
        if have > total {
            return Err(damaged("it is longer than what was written"));
        }
        let protection = match bytes.get(10) {
            Some(1) => Protection::Keychain,
            Some(2) => Protection::Passphrase,
            Some(3) => Protection::KeyFile,
            _ => return Err(damaged("what opens it is unknown")),
        };
        let cost = Cost {
            memory_kib: u32::from_le_bytes(number(&bytes, 12)),
            passes: u32::from_le_bytes(number(&bytes, 16)),
            lanes: u32::from_le_bytes(number(&bytes, 20)),
        };
        let cost = match (protection, bytes.get(11)) {
            (Protection::Passphrase, Some(1)) => Some(cost),
            (Protection::Keychain | Protection::KeyFile, Some(0)) => None,
            _ => return Err(damaged("what opens it and how its key is derived don't go together")),
        };
        if let Some(what) = cost.and_then(|cost| cost.unreasonable()) {
            return Err(VaultError::Hostile { path: path_buf(), what });
        }
        let list = u32::from_le_bytes(number(&bytes, 168)) as usize;
        let list_end = HEADER.saturating_add(list);
        if list < TAG || list_end > bytes.len() {
            return Err(damaged("its list of records does not fit into it"));
        }
        let header = Header {
            protection,
            cost,
            salt: number(&bytes, 24),
            kek: number(&bytes, 40),
            data_key: number(&bytes, 56),
            rotated_at: i64::from_le_bytes(number(&bytes, 72)),
        };
        Ok(Self { header, generation: u64::from_le_bytes(number(&bytes, 140)), bytes, list_end })
    }

    /// The data key, with the key that wraps it.
    pub(super) fn unwrap(&self, kek: &Kek, path: &Path) -> Result<DataKey, VaultError> {
        let wrong = || VaultError::WrongKey { path: path.to_owned(), protection: self.header.protection };
        let (fixed, rest) = self.bytes.split_first_chunk::<FIXED>().ok_or_else(wrong)?;
        let sealed = rest.get(..NONCE + 32 + TAG).ok_or_else(wrong)?;
        let key = unseal(&cipher(kek.bytes()), sealed, fixed).ok_or_else(wrong)?;
        let key: &[u8; 32] = key.as_slice().try_into().map_err(|_| wrong())?;
        Ok(DataKey::new(self.header.data_key, key))
    }

    /// The records, still sealed one by one; that they are the right ones is checked.
    pub(super) fn open(&self, key: &DataKey, path: &Path) -> Result<Open, VaultError> {
        let damaged = |what: &str| VaultError::Damaged { path: path.to_owned(), what: what.to_owned() };
        let head = self.bytes.get(..HEADER).ok_or_else(|| damaged("its header is short"))?;
        let list = self.bytes.get(156..168).zip(self.bytes.get(HEADER..self.list_end));
        let list = list.map(|(nonce, sealed)| [nonce, sealed].concat()).unwrap_or_default();
        let plain = unseal(&key.cipher, &list, head)
            .ok_or_else(|| damaged("its header or its list of records is not as it was written"))?;
        let rows: Vec<Row> =
            serde_json::from_slice(&plain).map_err(|_| damaged("its list of records can't be read"))?;
        let mut records = Vec::with_capacity(rows.len());
        let mut rest = self.bytes.get(self.list_end..).unwrap_or_default();
        for row in rows {
            let (sealed, after) = rest
                .split_at_checked(row.bytes as usize)
                .ok_or_else(|| damaged("a record does not fit into it"))?;
            rest = after;
            if hex::encode(Sha256::digest(sealed)) != row.digest {
                return Err(damaged(&format!("the record `{}` is not as it was written", row.name)));
            }
            records.push(Record { row, sealed: sealed.into() });
        }
        if !rest.is_empty() {
            return Err(damaged("it has more than its list of records tells of"));
        }
        let mut wrapped = [0; NONCE + 32 + TAG];
        wrapped.copy_from_slice(head.get(FIXED..140).unwrap_or_default());
        Ok(Open {
            header: self.header.clone(),
            generation: self.generation,
            wrapped,
            key: key.clone(),
            records,
        })
    }
}

/// A record in the list.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Row {
    name: String,
    /// The number of the writing that sealed it: never the same for two contents of one name.
    version: u64,
    written_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<i64>,
    kind: EntryKind,
    /// Length of the sealed record.
    bytes: u32,
    /// SHA-256 of the sealed record, in hexadecimal digits.
    digest: String,
}

#[derive(Clone)]
struct Record {
    row: Row,
    sealed: Arc<[u8]>,
}

/// An opened vault. Its records stay sealed in memory until they are asked for.
#[derive(Clone)]
pub(super) struct Open {
    header: Header,
    generation: u64,
    wrapped: [u8; NONCE + 32 + TAG],
    key: DataKey,
    records: Vec<Record>,
}

impl Open {
    /// An empty one with a new data key.
    pub(super) fn new(mut header: Header, kek: &Kek) -> Result<Self, VaultError> {
        header.data_key = random()?;
        let mut key = Zeroizing::new(random::<32>()?);
        let data = DataKey::new(header.data_key, &key);
        let sealed = seal(&cipher(kek.bytes()), key.as_mut_slice(), &header.fixed())?;
        let mut wrapped = [0; NONCE + 32 + TAG];
        wrapped.copy_from_slice(&sealed);
        Ok(Self { header, generation: 0, wrapped, key: data, records: Vec::new() })
    }

    pub(super) fn header(&self) -> &Header {
        &self.header
    }

    pub(super) fn key(&self) -> DataKey {
        self.key.clone()
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    fn find(&self, name: &str) -> Option<&Record> {
        let at = self.records.binary_search_by(|record| record.row.name.as_str().cmp(name)).ok()?;
        self.records.get(at)
    }

    pub(super) fn version(&self, name: &str) -> Option<u64> {
        self.find(name).map(|record| record.row.version)
    }

    pub(super) fn get(&self, name: &str, path: &Path) -> Result<Option<(Entry, u64, i64)>, VaultError> {
        let Some(Record { row, sealed }) = self.find(name) else { return Ok(None) };
        unseal(&self.key.cipher, sealed, &record_aad(&self.key.id, row.version, name))
            .and_then(|plain| Entry::decode(&plain))
            .map(|entry| Some((entry, row.version, row.written_at)))
            .ok_or_else(|| VaultError::Damaged {
                path: path.to_owned(),
                what: format!("the record `{name}` can't be opened"),
            })
    }

    pub(super) fn put(&mut self, name: &str, entry: &Entry, written_at: i64) -> Result<(), VaultError> {
        // The writing that is being prepared.
        let version = self.generation + 1;
        let mut plain = entry.encode()?;
        let sealed = seal(&self.key.cipher, &mut plain, &record_aad(&self.key.id, version, name))?;
        let row = Row {
            name: name.to_owned(),
            version,
            written_at,
            expires_at: entry.expires_at(),
            kind: entry.kind(),
            bytes: u32::try_from(sealed.len()).unwrap_or(u32::MAX),
            digest: hex::encode(Sha256::digest(&sealed)),
        };
        let record = Record { row, sealed: sealed.into() };
        match self.records.binary_search_by(|record| record.row.name.as_str().cmp(name)) {
            Ok(at) => self.records[at] = record,
            Err(at) => self.records.insert(at, record),
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, which: &dyn Fn(&str) -> bool) -> usize {
        let before = self.records.len();
        self.records.retain(|record| !which(&record.row.name));
        before - self.records.len()
    }

    /// Takes every record of `other`, sealed anew, with the times it was written at.
    pub(super) fn take(&mut self, other: &Self, path: &Path) -> Result<(), VaultError> {
        self.generation = other.generation;
        for record in &other.records {
            if let Some((entry, ..)) = other.get(&record.row.name, path)? {
                self.put(&record.row.name, &entry, record.row.written_at)?;
            }
        }
        Ok(())
    }

    pub(super) fn infos(&self) -> impl Iterator<Item = EntryInfo> + '_ {
        self.records.iter().map(|Record { row, .. }| EntryInfo {
            name: row.name.clone(),
            written_at: row.written_at,
            expires_at: row.expires_at,
            kind: row.kind,
        })
    }

    /// The bytes of the next writing.
    pub(super) fn seal(&mut self) -> Result<Vec<u8>, VaultError> {
        self.generation += 1;
        let rows: Vec<&Row> = self.records.iter().map(|record| &record.row).collect();
        let mut list = serde_json::to_vec(&rows)
            .map_err(|_| VaultError::Invalid("the list of records can't be written"))?;
        let records: usize = self.records.iter().map(|record| record.sealed.len()).sum();
        let total = HEADER + list.len() + TAG + records;
        if total as u64 > FILE_CAP {
            return Err(VaultError::TooBig { what: "the vault", size: total as u64, cap: FILE_CAP });
        }
        let nonce = random::<NONCE>()?;
        let mut bytes = Vec::with_capacity(total);
        bytes.extend_from_slice(&self.header.fixed());
        bytes.extend_from_slice(&self.wrapped);
        bytes.extend_from_slice(&self.generation.to_le_bytes());
        bytes.extend_from_slice(&(total as u64).to_le_bytes());
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&u32::try_from(list.len() + TAG).unwrap_or(u32::MAX).to_le_bytes());
        let sealed = seal_with(&self.key.cipher, nonce, &mut list, &bytes)?;
        bytes.extend_from_slice(sealed.get(NONCE..).unwrap_or_default());
        for record in &self.records {
            bytes.extend_from_slice(&record.sealed);
        }
        Ok(bytes)
    }
}

fn record_aad(key: &[u8; 16], version: u64, name: &str) -> Vec<u8> {
    [&FORMAT.to_le_bytes(), key.as_slice(), &version.to_le_bytes(), name.as_bytes()].concat()
}
