//! Payloads that are too large for a pack, stored once by their hash, and which run refers to which.

use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::codec::Unpacker;
use crate::error::{Result, StoreError};
use crate::hash::BlobHash;
use crate::rows::Insert;
use crate::schema::Migration;

/// Largest blob, in uncompressed bytes.
pub const MAX_BLOB_BYTES: usize = 64 << 20;

// The trigger makes deletion complete: whatever removes the last reference removes the blob, also a
// cascade that began at a session.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    version: 1,
    sql: "CREATE TABLE blobs(
            no INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE CHECK(length(hash) = 32),
            size INTEGER NOT NULL,
            codec INTEGER NOT NULL,
            data BLOB NOT NULL
          ) STRICT;
          CREATE TABLE run_blobs(
            run INTEGER NOT NULL REFERENCES runs(no) ON DELETE CASCADE,
            blob INTEGER NOT NULL REFERENCES blobs(no),
            PRIMARY KEY(run, blob)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX run_blobs_by_blob ON run_blobs(blob);
          CREATE TRIGGER run_blobs_last_reference AFTER DELETE ON run_blobs
          WHEN NOT EXISTS (SELECT 1 FROM run_blobs WHERE blob = OLD.blob)
          BEGIN
            DELETE FROM blobs WHERE no = OLD.blob;
          END;",
}];

/// Parameters: hash, size, codec, data. What is there already stays.
pub(crate) const INSERT: Insert = Insert {
    head: "INSERT INTO blobs(hash, size, codec, data) VALUES",
    row: "(?, ?, ?, ?)",
    tail: " ON CONFLICT(hash) DO NOTHING;",
};

/// Parameters: run id, hash.
pub(crate) const REFER: Insert = Insert {
    head: "INSERT INTO run_blobs(run, blob) SELECT runs.no, blobs.no FROM (VALUES",
    row: "(?, ?)",
    // `WHERE` tells the conflict's `ON` from a join's.
    tail: ") AS v CROSS JOIN runs ON runs.id = v.column1 LEFT JOIN blobs ON blobs.hash = v.column2 WHERE true \
           ON CONFLICT DO NOTHING;",
};

pub(crate) const EXISTS: &str = "SELECT 1 FROM blobs WHERE hash = ?";
pub(crate) const ONE: &str = "SELECT size, codec, data FROM blobs WHERE hash = ?";

/// Bytes to store under their own hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    hash: BlobHash,
    bytes: Vec<u8>,
}

impl Blob {
    /// Hashes `bytes`, which may have at most [`MAX_BLOB_BYTES`].
    ///
    /// # Errors
    /// [`StoreError::TooLarge`].
    pub fn new(bytes: Vec<u8>) -> Result<Self> {
        if bytes.len() > MAX_BLOB_BYTES {
            return Err(StoreError::TooLarge {
                what: "a blob",
                size: bytes.len() as u64,
                cap: MAX_BLOB_BYTES as u64,
            });
        }
        Ok(Self { hash: BlobHash::of(&bytes), bytes })
    }

    /// The name under which it can be read back.
    #[must_use]
    pub const fn hash(&self) -> BlobHash {
        self.hash
    }

    /// The bytes as given.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_parts(self) -> (BlobHash, Vec<u8>) {
        (self.hash, self.bytes)
    }
}

/// Unpacks the columns `size`, `codec` and `data`, which begin at `first`, and checks them against `hash`.
pub(crate) fn checked_bytes(row: &SqliteRow, first: usize, hash: BlobHash) -> sqlx::Result<Result<Vec<u8>>> {
    let size = usize::try_from(row.try_get::<i64, _>(first)?).unwrap_or(usize::MAX).min(MAX_BLOB_BYTES);
    let damaged = |detail: String| Err(StoreError::BlobDamaged { hash, detail });
    let bytes =
        match Unpacker::new().unpack(row.try_get(first + 1)?, row.try_get::<&[u8], _>(first + 2)?, size) {
            Ok(bytes) => bytes.into_owned(),
            Err(error) => return Ok(damaged(error.to_string())),
        };
    let found = BlobHash::of(&bytes);
    if found != hash {
        return Ok(damaged(format!("its bytes hash to {found}")));
    }
    Ok(Ok(bytes))
}
