//! The vault of credentials: where secrets are kept, what opens it, how tokens are fetched and renewed.
//!
//! Architecture invariant: a secret leaves this crate only as [`SecretString`], which can't be printed or serialised.

pub use secrecy::{ExposeSecret, SecretString};
