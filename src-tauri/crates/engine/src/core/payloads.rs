//! Where the payloads that a log refers to come from: the database, or what travels with the log.

use std::collections::BTreeMap;

use async_trait::async_trait;
use domain::{Digest, ErrorCode, Problem};
use store::{BlobHash, Store};

/// Payloads by digest.
#[async_trait]
pub trait Payloads: Send + Sync {
    /// The bytes that have this digest.
    ///
    /// # Errors
    /// `NotFound` or `Corrupt` when they are not there or are others; `Storage` when they can't be read.
    async fn payload(&self, digest: Digest) -> Result<Vec<u8>, Problem>;
}

#[async_trait]
impl Payloads for Store {
    async fn payload(&self, digest: Digest) -> Result<Vec<u8>, Problem> {
        self.get_blob(BlobHash::from_bytes(digest.0)).await.map_err(crate::core::problem::store)
    }
}

#[async_trait]
impl Payloads for BTreeMap<Digest, Vec<u8>> {
    async fn payload(&self, digest: Digest) -> Result<Vec<u8>, Problem> {
        let bytes = self.get(&digest).ok_or_else(|| {
            Problem::new(ErrorCode::NotFound, format!("payload {} is not there", digest.short()))
        })?;
        if Digest::of(bytes) == digest {
            return Ok(bytes.clone());
        }
        Err(Problem::new(ErrorCode::Corrupt, format!("payload {} is not what its name says", digest.short())))
    }
}
