//! The name of a blob.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::error::StoreError;

/// SHA-256 (FIPS 180-4) of a blob's uncompressed bytes; printed and parsed as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobHash([u8; 32]);

impl BlobHash {
    /// Hash of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// A hash known from elsewhere, for example from an event.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&domain::Digest(self.0), f)
    }
}

impl fmt::Debug for BlobHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobHash({self})")
    }
}

impl FromStr for BlobHash {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = !text.bytes().any(|byte| byte.is_ascii_uppercase());
        let digest = lower.then(|| text.parse::<domain::Digest>().ok()).flatten();
        digest.map(|digest| Self(digest.0)).ok_or_else(|| StoreError::Invalid {
            detail: "a blob hash has 64 lower-case hex digits".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_prints_as_the_hex_that_it_parses_from() {
        let hash = BlobHash::of(b"abc");
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash.to_string(), text);
        assert_eq!(text.parse(), Ok(hash));
    }

    #[test]
    fn wrong_lengths_and_digits_are_refused() {
        for text in ["", "ba78", &"G".repeat(64), &"A".repeat(64), &"é".repeat(32)] {
            assert!(matches!(text.parse::<BlobHash>(), Err(StoreError::Invalid { .. })), "{text}");
        }
    }
}
