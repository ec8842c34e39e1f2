//! The vault: one file with every secret, and what opens it.

mod disk;
mod format;
mod keys;
mod record;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use secrecy::SecretString;
use support::now_ms;

pub(crate) use disk::LockFile;
pub use keys::Cost;
pub use record::{Entry, EntryKind, Token};

use crate::error::VaultError;
use crate::keychain::{Keychain, SystemKeychain};
use disk::Stamp;
use format::{DataKey, Open};

/// The most names of one vault.
const ENTRIES_CAP: usize = 10_000;

/// What opens a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// A key in the desktop's keychain.
    Keychain,
    /// A passphrase.
    Passphrase,
    /// A key in the file `credentials.key` beside it.
    KeyFile,
}

impl Protection {
    /// One sentence on what it protects from, and what it does not.
    pub const fn explained(self) -> &'static str {
        match self {
            Self::Keychain => {
                "The key is in this desktop's keychain: the file alone is worthless to others, but programs that run \
                 as you may ask the keychain, too."
            }
            Self::Passphrase => {
                "The key comes from your passphrase, which is stored nowhere: you type it once after every start, and \
                 without it the secrets are lost."
            }
            Self::KeyFile => {
                "Weaker: the key lies in a file beside the vault that only your user may read, so whoever can copy \
                 your files can open it. Set a passphrase, or use a desktop with a keychain."
            }
        }
    }
}

/// What a vault is to be opened by.
#[derive(Debug, Clone)]
pub enum Protect {
    /// [`Protection::Keychain`].
    Keychain,
    /// [`Protection::Passphrase`], with the new one.
    Passphrase(SecretString),
    /// [`Protection::KeyFile`].
    KeyFile,
}

/// How a vault is opened and made.
#[derive(Clone)]
pub struct Settings {
    /// The keychain.
    pub keychain: Arc<dyn Keychain>,
    /// What a new vault is opened by; `None`: the keychain where it keeps what it is given, else a key file.
    pub first: Option<Protection>,
    /// A file whose first line is the passphrase, for machines where nobody types.
    pub passphrase_file: Option<PathBuf>,
    /// The work of deriving a key from a new passphrase.
    pub cost: Cost,
    /// Called with the name of every step that changes something outside this process. For tests of crashes.
    #[doc(hidden)]
    pub step: fn(&'static str),
}

impl Settings {
    /// What the environment says: `AGENTNATIVE_VAULT` (`keychain`, `keyfile` or `passphrase`) is what a new vault is
    /// opened by; `AGENTNATIVE_VAULT_PASSPHRASE_FILE` names a file with the passphrase.
    pub fn from_environment() -> Self {
        let passphrase_file = std::env::var_os("AGENTNATIVE_VAULT_PASSPHRASE_FILE")
            .filter(|path| !path.is_empty())
            .map(PathBuf::from);
        let first = match std::env::var("AGENTNATIVE_VAULT").as_deref() {
            Ok("keychain") => Some(Protection::Keychain),
            Ok("keyfile") => Some(Protection::KeyFile),
            Ok("passphrase") => Some(Protection::Passphrase),
            _ => passphrase_file.is_some().then_some(Protection::Passphrase),
        };
        Self {
            keychain: Arc::new(SystemKeychain::default()),
            first,
            passphrase_file,
            cost: Cost::default(),
            step: |_| {},
        }
    }
}

/// The vault of a data directory. Clones share what is open.
///
/// Every call may read or write files, ask the keychain or derive a key (up to seconds): call them where blocking is
/// fine. Several processes may use one vault: each sees what the others wrote, and no write is lost.
///
/// A copy of the whole file and its key that is put back later is opened as it was then: that it is an old one can't be
/// told from the file.
#[derive(Clone)]
pub struct Vault {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    path: PathBuf,
    settings: Settings,
    state: Mutex<State>,
    keychain_works: OnceLock<bool>,
}

#[derive(Default)]
struct State {
    /// Outlives the file that it was read with: other processes' writes keep the key.
    key: Option<DataKey>,
    read: Option<(Stamp, Open)>,
}

/// How a vault stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Whether there is a file. It is made with the first secret.
    pub exists: bool,
    /// Whether a passphrase is needed.
    pub locked: bool,
    /// What opens it, or would open a new one.
    pub protection: Protection,
    /// One sentence on what that protects from, and what it does not.
    pub explained: &'static str,
    /// Whether this machine has a keychain that keeps what it is given.
    pub keychain: bool,
    /// What it holds; empty while it is locked.
    pub entries: Vec<EntryInfo>,
    /// When its keys were last changed, in milliseconds since 1970.
    pub rotated_at: Option<i64>,
    /// Why it can't be opened, where it can't.
    pub problem: Option<VaultError>,
}

/// A name of the vault, without what stands under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryInfo {
    /// The name.
    pub name: String,
    /// When it was written, in milliseconds since 1970.
    pub written_at: i64,
    /// When it expires, in milliseconds since 1970.
    pub expires_at: Option<i64>,
    /// What it is.
    pub kind: EntryKind,
}

impl std::fmt::Debug for Vault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vault").field("path", &self.inner.path).finish_non_exhaustive()
    }
}

impl Vault {
    /// The vault of the data directory `home`, as the environment says ([`Settings::from_environment`]). Reads nothing
    /// yet: a vault that can't be opened says so when something is asked of it, and in its [`status`](Self::status).
    pub fn open(home: &Path) -> Self {
        Self::with(home, Settings::from_environment())
    }

    /// The same, with settings of the caller's.
    pub fn with(home: &Path, settings: Settings) -> Self {
        Self {
            inner: Arc::new(Inner {
                folder: home.to_owned(),
                path: home.join("credentials.enc"),
                settings,
                state: Mutex::default(),
                keychain_works: OnceLock::new(),
            }),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// The secret or access token under `name`.
    pub fn get(&self, name: &str) -> Result<Option<SecretString>, VaultError> {
        Ok(self.entry(name)?.map(|entry| entry.secret().clone()))
    }

    /// What stands under `name`.
    pub fn entry(&self, name: &str) -> Result<Option<Entry>, VaultError> {
        Ok(self.versioned(name)?.map(|(entry, ..)| entry))
    }

    /// What stands under `name`, which writing of it this is, and when it was written.
    pub(crate) fn versioned(&self, name: &str) -> Result<Option<(Entry, u64, i64)>, VaultError> {
        let mut state = self.inner.state.lock();
        match self.current(&mut state)? {
            None => Ok(None),
            Some(open) => open.get(name, self.path()),
        }
    }

    /// Keeps a secret under a name, in place of what was there. The first one makes the vault.
    pub fn put(&self, name: &str, secret: &SecretString) -> Result<(), VaultError> {
        self.put_all(&[(name.to_owned(), Entry::Secret(secret.clone()))])
    }

    /// Keeps a token under a name, in place of what was there.
    pub fn put_token(&self, name: &str, token: &Token) -> Result<(), VaultError> {
        self.put_all(&[(name.to_owned(), Entry::Token(token.clone()))])
    }

    /// Keeps all of them, or none.
    pub fn put_all(&self, entries: &[(String, Entry)]) -> Result<(), VaultError> {
        for (name, entry) in entries {
            check(name, entry)?;
        }
        if entries.is_empty() {
            return Ok(());
        }
        self.change(true, |open| {
            for (name, entry) in entries {
                open.put(name, entry, now_ms())?;
            }
            if open.len() > ENTRIES_CAP {
                return Err(VaultError::Invalid("the vault holds too many names: remove some"));
            }
            Ok(Some(()))
        })
        .map(drop)
    }

    /// Replaces what stands under `name` if that is still its writing `version`; otherwise nothing and `false`.
    pub(crate) fn replace(&self, name: &str, version: u64, entry: &Entry) -> Result<bool, VaultError> {
        check(name, entry)?;
        self.change(false, |open| {
            if open.version(name) != Some(version) {
                return Ok(None);
            }
            open.put(name, entry, now_ms())?;
            Ok(Some(()))
        })
        .map(|done| done.is_some())
    }

    /// Removes a name; whether it was there.
    pub fn remove(&self, name: &str) -> Result<bool, VaultError> {
        self.remove_where(|entry| entry == name).map(|removed| removed > 0)
    }

    /// Removes every name that begins so; how many there were.
    pub fn remove_prefix(&self, prefix: &str) -> Result<usize, VaultError> {
        self.remove_where(|entry| entry.starts_with(prefix))
    }

    fn remove_where(&self, which: impl Fn(&str) -> bool) -> Result<usize, VaultError> {
        self.change(false, |open| {
            let removed = open.remove(&which);
            Ok((removed > 0).then_some(removed))
        })
        .map(Option::unwrap_or_default)
    }

    /// Gives every name that begins with `from` the beginning `to`, in one step; how many there were. What stood under
    /// a new name is replaced.
    pub fn rename_prefix(&self, from: &str, to: &str) -> Result<usize, VaultError> {
        self.change(false, |open| {
            let names: Vec<String> =
                open.infos().filter(|info| info.name.starts_with(from)).map(|info| info.name).collect();
            if from == to || names.is_empty() {
                return Ok(None);
            }
            let mut moved = Vec::with_capacity(names.len());
            for name in &names {
                let new = format!("{to}{}", name.get(from.len()..).unwrap_or_default());
                if let Some((entry, ..)) = open.get(name, self.path())? {
                    check(&new, &entry)?;
                    moved.push((new, entry));
                }
            }
            // Old and new names may overlap, so that all are taken out first.
            open.remove(&|name| name.starts_with(from));
            for (name, entry) in &moved {
                open.put(name, entry, now_ms())?;
            }
            Ok(Some(names.len()))
        })
        .map(Option::unwrap_or_default)
    }

    /// The names, in order.
    pub fn list(&self) -> Result<Vec<EntryInfo>, VaultError> {
        let mut state = self.inner.state.lock();
        Ok(self.current(&mut state)?.map(|open| open.infos().collect()).unwrap_or_default())
    }

    /// Opens a vault that has a passphrase. Does nothing to one that is open by other means.
    pub fn unlock(&self, passphrase: &SecretString) -> Result<(), VaultError> {
        let mut state = self.inner.state.lock();
        let Some((file, stamp)) = self.read()? else {
            return Err(VaultError::Invalid("there is no vault yet: it is made with the first secret"));
        };
        if file.header.protection != Protection::Passphrase {
            return self.current(&mut state).map(drop);
        }
        let kek = keys::from_passphrase(&file.header, passphrase, self.path())?;
        let key = file.unwrap(&kek, self.path())?;
        let open = file.open(&key, self.path())?;
        *state = State { key: Some(key), read: Some((stamp, open)) };
        Ok(())
    }

    /// Forgets the keys in memory. A vault with a passphrase then needs it again; any other opens itself when it is
    /// next used.
    pub fn lock(&self) {
        *self.inner.state.lock() = State::default();
    }

    /// Changes what opens the vault, and all of its keys: every record is sealed anew. With the protection it has, this
    /// is the rotation of its keys. The vault must be open; without one, an empty one is made. When this fails or the
    /// machine stops, the file is the old or the new one and has its key.
    pub fn protect(&self, protect: &Protect) -> Result<(), VaultError> {
        let _lock = self.lock_file()?;
        let mut state = self.inner.state.lock();
        let before = self.current(&mut state)?.cloned();
        let old = before.as_ref().map(|open| open.header().clone());
        let (header, kek) =
            keys::make(&self.inner.settings, &self.inner.folder, protect, old.as_ref(), now_ms())?;
        let mut open = Open::new(header.clone(), &kek)?;
        if let Some(before) = &before {
            open.take(before, self.path())?;
        }
        self.write(&mut state, open)?;
        keys::forget(&self.inner.settings, &self.inner.folder, old.as_ref(), Some(&header));
        Ok(())
    }

    /// Whether this machine has a keychain that keeps what it is given. Tried once: a key is written, read and removed.
    pub fn keychain_works(&self) -> bool {
        *self.inner.keychain_works.get_or_init(|| keys::keychain_works(&self.inner.settings))
    }

    /// How it stands. Tries to open it; what goes wrong is in the answer.
    pub fn status(&self) -> Status {
        let (exists, protection, rotated_at, entries, problem) = {
            let mut state = self.inner.state.lock();
            let header = self.read().map(|read| read.map(|(file, _)| file.header));
            let opened = self.current(&mut state).map(|open| open.map(|open| open.infos().collect()));
            match (header, opened) {
                (Ok(None), _) => (false, None, None, Vec::new(), None),
                (Ok(Some(header)), Ok(entries)) => (
                    true,
                    Some(header.protection),
                    Some(header.rotated_at),
                    entries.unwrap_or_default(),
                    None,
                ),
                (Ok(Some(header)), Err(error)) => {
                    (true, Some(header.protection), Some(header.rotated_at), Vec::new(), Some(error))
                }
                (Err(error), _) => (true, None, None, Vec::new(), Some(error)),
            }
        };
        let locked = problem == Some(VaultError::Locked);
        let problem = problem.filter(|_| !locked);
        let opened_by_it = protection == Some(Protection::Keychain) && problem.is_none();
        let keychain = opened_by_it || self.keychain_works();
        let protection = protection.or(self.inner.settings.first).unwrap_or(if keychain {
            Protection::Keychain
        } else {
            Protection::KeyFile
        });
        Status {
            exists,
            locked,
            protection,
            explained: protection.explained(),
            keychain,
            entries,
            rotated_at,
            problem,
        }
    }

    /// A lock of all processes for renewing what stands under `name`. Names may share one.
    pub(crate) fn renewing(&self, name: &str) -> LockFile {
        use sha2::{Digest, Sha256};
        let shard = Sha256::digest(name.as_bytes()).first().copied().unwrap_or_default() % 8;
        LockFile::new(self.inner.folder.join(format!("credentials.renew-{shard}.lock")))
    }

    fn lock_file(&self) -> Result<disk::VaultLock, VaultError> {
        LockFile::new(self.inner.folder.join("credentials.lock")).wait()
    }

    fn read(&self) -> Result<Option<(format::File, Stamp)>, VaultError> {
        match disk::read(self.path(), format::FILE_CAP)? {
            None => Ok(None),
            Some((bytes, stamp)) => Ok(Some((format::File::parse(bytes, self.path())?, stamp))),
        }
    }

    /// What the file holds now; `None` where there is none.
    fn current<'s>(&self, state: &'s mut State) -> Result<Option<&'s Open>, VaultError> {
        // Another process may replace the file and then remove the old key between the two readings.
        let mut tries = 3;
        loop {
            let stamp = disk::stamp(self.path())?;
            let Some(stamp) = stamp else {
                *state = State::default();
                return Ok(None);
            };
            if state.read.as_ref().is_some_and(|(read, _)| *read == stamp) {
                break;
            }
            state.read = None;
            tries -= 1;
            match self.reopen(state) {
                Ok(()) => break,
                Err(VaultError::KeyMissing { .. } | VaultError::Locked | VaultError::WrongKey { .. })
                    if tries > 0 && disk::stamp(self.path())? != Some(stamp) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(state.read.as_ref().map(|(_, open)| open))
    }

    fn reopen(&self, state: &mut State) -> Result<(), VaultError> {
        let Some((file, stamp)) = self.read()? else { return Ok(()) };
        if state.key.as_ref().is_none_or(|key| key.id != file.header.data_key) {
            state.key = None;
            let kek = keys::find(&self.inner.settings, &self.inner.folder, &file.header, self.path())?;
            state.key = Some(file.unwrap(&kek, self.path())?);
        }
        if let Some(key) = &state.key {
            state.read = Some((stamp, file.open(key, self.path())?));
        }
        Ok(())
    }

    /// Reads, changes and writes under the lock of all processes. `work` gives `None` where nothing is to be written.
    fn change<T>(
        &self,
        create: bool,
        work: impl FnOnce(&mut Open) -> Result<Option<T>, VaultError>,
    ) -> Result<Option<T>, VaultError> {
        let _lock = self.lock_file()?;
        let mut state = self.inner.state.lock();
        let mut open = match self.current(&mut state)? {
            Some(open) => open.clone(),
            None if create => self.first()?,
            None => return Ok(None),
        };
        let done = work(&mut open)?;
        if done.is_some() {
            self.write(&mut state, open)?;
        }
        Ok(done)
    }

    /// A new vault, not written yet.
    fn first(&self) -> Result<Open, VaultError> {
        let settings = &self.inner.settings;
        let protect = match settings.first {
            Some(Protection::Keychain) => Protect::Keychain,
            Some(Protection::KeyFile) => Protect::KeyFile,
            Some(Protection::Passphrase) => Protect::Passphrase(
                keys::read_passphrase(settings)?
                    .ok_or(VaultError::Invalid("set a passphrase first: the vault is to be opened by one"))?,
            ),
            None if self.keychain_works() => Protect::Keychain,
            None => Protect::KeyFile,
        };
        let (header, kek) = keys::make(settings, &self.inner.folder, &protect, None, now_ms())?;
        Open::new(header, &kek)
    }

    fn write(&self, state: &mut State, mut open: Open) -> Result<(), VaultError> {
        let bytes = open.seal()?;
        let stamp = disk::replace(self.path(), &bytes, self.inner.settings.step)?;
        *state = State { key: Some(open.key()), read: Some((stamp, open)) };
        Ok(())
    }
}

fn check(name: &str, entry: &Entry) -> Result<(), VaultError> {
    use secrecy::ExposeSecret;
    if name.is_empty() || name.len() > 300 || name.chars().any(char::is_control) {
        return Err(VaultError::Invalid("a name has 1 to 300 bytes and no control characters"));
    }
    if entry.secret().expose_secret().is_empty() {
        return Err(VaultError::Invalid("the secret is empty"));
    }
    Ok(())
}
