//! The desktop's keychain, behind a trait.

use std::sync::mpsc;
use std::time::Duration;

use zeroize::Zeroizing;

/// Under which name the keys stand in the keychain.
const SERVICE: &str = "AgentNative vault";

/// A place of the operating system that keeps keys for one person.
pub trait Keychain: Send + Sync {
    /// Keeps `key` under `id`, in place of what was there.
    fn put(&self, id: &str, key: &[u8]) -> Result<(), KeychainFault>;
    /// What is kept under `id`.
    fn get(&self, id: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeychainFault>;
    /// Forgets what is kept under `id`; fine when there is nothing.
    fn remove(&self, id: &str) -> Result<(), KeychainFault>;
}

/// Why a keychain can't be used, in words for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct KeychainFault(pub String);

/// Keychain (macOS), Credential Manager (Windows), Secret Service (elsewhere).
#[derive(Debug, Clone, Copy)]
pub struct SystemKeychain {
    /// How long one call may take: a bus that hangs must not hang the program. A person who is asked to unlock the
    /// keychain has this long.
    pub patience: Duration,
}

impl Default for SystemKeychain {
    fn default() -> Self {
        Self { patience: Duration::from_secs(30) }
    }
}

impl SystemKeychain {
    /// Runs `work` on a thread of its own and gives it up when it takes too long; the thread then ends with the bus.
    fn within<T: Send + 'static>(
        self,
        work: impl FnOnce() -> keyring::Result<T> + Send + 'static,
    ) -> Result<Option<T>, KeychainFault> {
        #[cfg(all(unix, not(target_os = "macos")))]
        if !bus() {
            return Err(KeychainFault(
                "there is no session bus, so that no Secret Service can be asked".into(),
            ));
        }
        let (done, wait) = mpsc::channel();
        std::thread::Builder::new()
            .name("keychain".into())
            .spawn(move || {
                let _ = done.send(work());
            })
            .map_err(|error| KeychainFault(error.to_string()))?;
        match wait.recv_timeout(self.patience) {
            Ok(Ok(value)) => Ok(Some(value)),
            Ok(Err(keyring::Error::NoEntry)) => Ok(None),
            Ok(Err(error)) => Err(KeychainFault(words(&error))),
            Err(_) => Err(KeychainFault(format!("it did not answer within {} s", self.patience.as_secs()))),
        }
    }
}

impl Keychain for SystemKeychain {
    fn put(&self, id: &str, key: &[u8]) -> Result<(), KeychainFault> {
        let (id, key) = (id.to_owned(), Zeroizing::new(key.to_vec()));
        self.within(move || keyring::Entry::new(SERVICE, &id)?.set_secret(&key)).map(drop)
    }

    fn get(&self, id: &str) -> Result<Option<Zeroizing<Vec<u8>>>, KeychainFault> {
        let id = id.to_owned();
        self.within(move || keyring::Entry::new(SERVICE, &id)?.get_secret().map(Zeroizing::new))
    }

    fn remove(&self, id: &str) -> Result<(), KeychainFault> {
        let id = id.to_owned();
        self.within(move || keyring::Entry::new(SERVICE, &id)?.delete_credential()).map(drop)
    }
}

/// Whether there is a bus to ask. Without this the library would wait for one.
#[cfg(all(unix, not(target_os = "macos")))]
fn bus() -> bool {
    if std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty()) {
        return true;
    }
    std::env::var_os("XDG_RUNTIME_DIR")
        .is_some_and(|folder| std::path::Path::new(&folder).join("bus").exists())
}

/// The library's words without what it may have read.
fn words(error: &keyring::Error) -> String {
    match error {
        keyring::Error::NoStorageAccess(_) => "it is locked or does not let this program in".into(),
        keyring::Error::NoDefaultStore => "there is none, or it does not run".into(),
        keyring::Error::PlatformFailure(_) => "the system's keychain failed".into(),
        _ => "it refused".into(),
    }
}
