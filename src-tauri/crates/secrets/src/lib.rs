//! The vault of credentials: where secrets are kept, what opens it, how tokens are fetched and renewed.
//!
//! Architecture invariant: a secret leaves this crate only as [`SecretString`], which can't be printed or serialised.
//!
//! - [`Vault`]: `credentials.enc` in the data directory. Its calls block; call them where blocking is fine.
//! - [`SignIn`]: signing in at an OAuth service in the person's own browser.
//! - [`Tokens`]: tokens of the vault, renewed before they expire; one renewal for all who wait, in all processes.
//! - [`craft`]: what another program kept in its own file.

pub mod craft;
mod error;
mod keychain;
mod oauth;
mod vault;

pub use error::{OauthError, VaultError};
pub use keychain::{Keychain, KeychainFault, SystemKeychain};
pub use oauth::{Http, PRESETS, Preset, Renewal, SignIn, Tokens, preset};
pub use secrecy::{ExposeSecret, SecretString};
pub use vault::{Cost, Entry, EntryInfo, EntryKind, Protect, Protection, Settings, Status, Token, Vault};
