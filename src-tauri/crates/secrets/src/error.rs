//! Everything that can go wrong, as closed lists. No message holds a secret.

use std::io;
use std::path::{Path, PathBuf};

use domain::{ErrorCode, Problem};

use crate::vault::Protection;

/// What went wrong with the vault, and what to do. Whatever it is, the file was left as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// The key does not open the file. A wrong key and a changed file header look the same: nobody can tell them
    /// apart without the right key.
    #[error("{}", wrong_key(path, *protection))]
    WrongKey {
        /// The vault's file.
        path: PathBuf,
        /// What was tried.
        protection: Protection,
    },
    /// The key is right and what it opens is not what was written: damage, or somebody changed the file.
    #[error(
        "{} is damaged or was changed ({what}); it was left as it is: restore a copy, or move it away and enter the \
         secrets again", path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        what: String,
    },
    /// The file ends too early.
    #[error(
        "{} has {have} bytes, at least {need} were written: it was cut off; restore a copy, or move it away and enter \
         the secrets again", path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        have: u64,
        /// The least it must have.
        need: u64,
    },
    /// The file is no vault.
    #[error("{} is not a vault of this program; it was left as it is: move it away", path.display())]
    NotAVault {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer release.
    #[error("{} has format {found}, this release knows up to {known}; use a newer release", path.display())]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u16,
        /// The newest format of this release.
        known: u16,
    },
    /// The header asks for more work or memory than any vault of this program needs.
    #[error("{} asks for an unreasonable amount of work to be opened ({what}); it was left as it is", path.display())]
    Hostile {
        /// The file.
        path: PathBuf,
        /// Which figure.
        what: String,
    },
    /// A passphrase is needed.
    #[error("the vault is locked: unlock it with its passphrase")]
    Locked,
    /// The key that opens the vault is gone.
    #[error("{}", key_missing(path, *protection))]
    KeyMissing {
        /// The vault's file.
        path: PathBuf,
        /// What should have opened it.
        protection: Protection,
    },
    /// The desktop's keychain can't be used.
    #[error("the keychain can't be used: {0}")]
    Keychain(String),
    /// A file that others can read, or that is not a plain file, is not used as a key or a vault.
    #[error("{} is not used: {what}", path.display())]
    NotPrivate {
        /// The file.
        path: PathBuf,
        /// Why not.
        what: String,
    },
    /// Something is too big.
    #[error("{what} has {size} bytes, at most {cap} are allowed")]
    TooBig {
        /// What.
        what: &'static str,
        /// Its size in bytes.
        size: u64,
        /// The most that is allowed.
        cap: u64,
    },
    /// A name, secret or passphrase that can't be taken.
    #[error("{0}")]
    Invalid(&'static str),
    /// Another process is writing, for longer than anyone should.
    #[error("another process has been changing the vault for {seconds} s; try again, or end that process")]
    Busy {
        /// How long was waited.
        seconds: u64,
    },
    /// The file system refused.
    #[error("{operation} {} failed: {detail}", path.display())]
    Io {
        /// What was being done.
        operation: &'static str,
        /// With which file.
        path: PathBuf,
        /// The system's words.
        detail: String,
    },
}

fn wrong_key(path: &Path, protection: Protection) -> String {
    let path = path.display();
    match protection {
        Protection::Passphrase => format!(
            "this passphrase does not open {path} (a file whose header was changed looks the same); try again"
        ),
        Protection::Keychain => format!(
            "the key in the keychain does not open {path}: the file's header was changed or the key is not its own; \
             restore a copy of the file"
        ),
        Protection::KeyFile => format!(
            "the key file does not open {path}: the file's header was changed or the key is not its own; restore \
             copies of both files"
        ),
    }
}

fn key_missing(path: &Path, protection: Protection) -> String {
    let path = path.display();
    match protection {
        Protection::KeyFile => format!(
            "the key file beside {path} (credentials.key) is gone or lacks its key: restore it, or move {path} away \
             and enter the secrets again"
        ),
        Protection::Keychain | Protection::Passphrase => format!(
            "the keychain no longer has the key of {path}: use the keychain it was made with, or move {path} away and \
             enter the secrets again"
        ),
    }
}

impl VaultError {
    pub(crate) fn io(operation: &'static str, path: &Path, error: &io::Error) -> Self {
        Self::Io { operation, path: path.to_owned(), detail: error.to_string() }
    }
}

impl From<VaultError> for Problem {
    fn from(error: VaultError) -> Self {
        let code = match &error {
            VaultError::WrongKey { protection: Protection::Passphrase, .. }
            | VaultError::Locked
            | VaultError::TooBig { .. }
            | VaultError::Invalid(_) => ErrorCode::InvalidInput,
            VaultError::WrongKey { .. }
            | VaultError::Damaged { .. }
            | VaultError::Truncated { .. }
            | VaultError::NotAVault { .. }
            | VaultError::Hostile { .. } => ErrorCode::Corrupt,
            VaultError::UnknownVersion { .. } => ErrorCode::NewerData,
            VaultError::KeyMissing { .. }
            | VaultError::Keychain(_)
            | VaultError::NotPrivate { .. }
            | VaultError::Io { .. } => ErrorCode::Storage,
            VaultError::Busy { .. } => ErrorCode::Busy,
        };
        let problem = Problem::new(code, error.to_string());
        match &error {
            VaultError::Busy { .. } | VaultError::Keychain(_) => problem.retryable(),
            _ => problem,
        }
    }
}

/// What went wrong while a token was fetched or renewed, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OauthError {
    /// The service is described in a way that can't work.
    #[error("{0}")]
    Invalid(String),
    /// There is no token.
    #[error("nobody is signed in: sign in first")]
    NotSignedIn,
    /// The service takes neither the token nor its refresh token any more.
    #[error("the sign-in has expired or was withdrawn: sign in again")]
    Expired,
    /// The person said no, or the service did.
    #[error("the service refused: {0}")]
    Refused(String),
    /// What came back does not belong to this sign-in.
    #[error("the answer does not belong to this sign-in ({0}); begin again")]
    Foreign(&'static str),
    /// The person did not come back in time.
    #[error("the sign-in was not finished within {seconds} s; begin again")]
    TimedOut {
        /// How long was waited.
        seconds: u64,
    },
    /// The service could not be reached, or its answer broke off.
    #[error("{0}")]
    Unreachable(String),
    /// The service answered with something that is no token.
    #[error("{host} answered with something that is no token ({what})")]
    Malformed {
        /// The host.
        host: String,
        /// What is wrong with it.
        what: String,
    },
    /// Reading or writing failed on this machine.
    #[error("{0}")]
    Local(String),
    /// The vault refused.
    #[error(transparent)]
    Vault(#[from] VaultError),
}

impl From<OauthError> for Problem {
    fn from(error: OauthError) -> Self {
        match error {
            OauthError::Vault(error) => error.into(),
            OauthError::Unreachable(_) => Self::new(ErrorCode::Provider, error.to_string()).retryable(),
            OauthError::Invalid(_) => Self::new(ErrorCode::InvalidConfig, error.to_string()),
            OauthError::Local(_) => Self::new(ErrorCode::Storage, error.to_string()),
            OauthError::TimedOut { .. } => Self::new(ErrorCode::Deadline, error.to_string()),
            OauthError::NotSignedIn
            | OauthError::Expired
            | OauthError::Refused(_)
            | OauthError::Foreign(_)
            | OauthError::Malformed { .. } => Self::new(ErrorCode::Provider, error.to_string()),
        }
    }
}
