//! Connections to model providers: the file that keeps them, what they present themselves with, and how they are opened.
//!
//! Everything here may wait for the disk, the keychain or the network; what only reads is called aside from what must
//! answer at once.

mod commands;
mod connection_test;
mod credential;
mod file;
mod forecast;
mod limits;
mod model_lists;
mod presets;
mod redact;
mod rows;
mod save;
mod settings;
mod sign_in;
mod usage;
mod vault;
mod web_search;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use config::{ConfigStore, SettingsFile};
use domain::connection::Connection;
use domain::{Digest, ErrorCode, Problem};
use environment::Environment;
use llm::{Lane, Provider};
use parking_lot::Mutex;
use secrets::Vault;

pub use credential::{BOUND, bind, client_secret_name, key_name};
pub use file::LoadedConnections;
pub use limits::MoneyLedger;
pub use presets::presets;
pub use save::{clean, stored};
pub use web_search::{BRAVE, SEARXNG, web_search_secret};

use credential::Renewals;
use file::ConnectionFile;
use sign_in::SignIns;

/// The commands on connections, the vault and what was used.
#[derive(Clone)]
pub struct Connections {
    env: Environment,
    registry: Arc<ConnectionRegistry>,
}

impl Connections {
    /// Over the connections of a data directory.
    pub fn new(env: Environment, registry: Arc<ConnectionRegistry>) -> Self {
        Self { env, registry }
    }

    /// The same in another environment.
    pub fn within(&self, env: Environment) -> Self {
        Self::new(env, self.registry.clone())
    }

    /// The connections themselves.
    pub fn registry(&self) -> &Arc<ConnectionRegistry> {
        &self.registry
    }
}

/// The connections of a data directory.
pub struct ConnectionRegistry {
    home: PathBuf,
    built_in: BTreeMap<String, Arc<dyn Provider>>,
    file: ConnectionFile,
    vault: Vault,
    renewals: Renewals,
    open: Mutex<HashMap<String, OpenConnection>>,
    /// One for each connection, whatever it was opened from: calls under way over its earlier form count, too.
    lanes: Mutex<HashMap<String, Arc<Lane>>>,
    sign_ins: SignIns,
    ledger: Arc<MoneyLedger>,
    secrets_changed: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

/// A connection that is open, and what it was opened from.
struct OpenConnection {
    config: Digest,
    provider: Arc<dyn Provider>,
}

impl ConnectionRegistry {
    /// Over the files of a data directory; `built_in` ones stand in no file.
    pub fn new(config: &ConfigStore, built_in: BTreeMap<String, Arc<dyn Provider>>) -> Self {
        let vault = Vault::open(config.home());
        Self {
            home: config.home().to_owned(),
            built_in,
            file: ConnectionFile::new(config),
            renewals: Renewals::new(&vault),
            vault,
            open: Mutex::default(),
            lanes: Mutex::default(),
            sign_ins: SignIns::default(),
            ledger: Arc::new(MoneyLedger::new(SettingsFile::new(config))),
            secrets_changed: OnceLock::new(),
        }
    }

    /// Has `tell` called whenever secrets of the vault came, went, or can be read again. The first one holds.
    pub fn on_secrets_change(&self, tell: impl Fn() + Send + Sync + 'static) {
        let _ = self.secrets_changed.set(Box::new(tell));
    }

    /// Tells whoever starts something with secrets.
    pub fn tell_secrets_change(&self) {
        if let Some(tell) = self.secrets_changed.get() {
            tell();
        }
    }

    /// Providers that stand in no file, by slug.
    pub fn built_in(&self) -> &BTreeMap<String, Arc<dyn Provider>> {
        &self.built_in
    }

    /// The connections as the file has them now.
    pub fn kept(&self) -> LoadedConnections {
        self.file.read()
    }

    /// The vault.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    /// Sign-ins under way.
    pub fn sign_ins(&self) -> &SignIns {
        &self.sign_ins
    }

    /// What counts money against the limits that the user set.
    pub fn ledger(&self) -> Arc<MoneyLedger> {
        self.ledger.clone()
    }

    /// Whether a workspace has such a connection, usable or not.
    pub fn has(&self, workspace: &str, slug: &str) -> bool {
        self.built_in.contains_key(slug) || self.kept().within(Some(workspace)).entry(slug).is_some()
    }

    /// A connection of the file, opened once for each of its configurations.
    fn opened(&self, connection: &Connection) -> Result<Arc<dyn Provider>, Problem> {
        let config = digest(connection);
        if let Some(opened) = self.open.lock().get(&connection.slug).filter(|opened| opened.config == config)
        {
            return Ok(opened.provider.clone());
        }
        let credential = credential::for_connection(&self.vault, &self.renewals, connection);
        let listed = self.listing(connection).map(|listing| listing.models).unwrap_or_default();
        let provider = redact::connect(connection.clone(), credential, listed, Some(self.lane(connection)))
            .map_err(|error| error.problem())?;
        self.open
            .lock()
            .insert(connection.slug.clone(), OpenConnection { config, provider: provider.clone() });
        Ok(provider)
    }

    /// The lane of a connection, as wide as its settings say now.
    fn lane(&self, connection: &Connection) -> Arc<Lane> {
        let limit = llm::http::parallel_calls(connection);
        let mut lanes = self.lanes.lock();
        let lane = lanes.entry(connection.slug.clone()).or_insert_with(|| Lane::new(limit));
        lane.resize(limit);
        lane.clone()
    }

    /// Forgets what is open, so that it is opened again as it is now.
    fn forget(&self, slug: &str) {
        self.open.lock().remove(slug);
    }
}

impl engine::Connections for ConnectionRegistry {
    fn provider(&self, slug: &str) -> Result<Arc<dyn Provider>, Problem> {
        if let Some(provider) = self.built_in.get(slug) {
            return Ok(provider.clone());
        }
        let kept = self.kept();
        match kept.in_use(slug) {
            Ok(connection) => self.opened(connection),
            Err(problem) if problem.code == ErrorCode::NotFound => {
                // Who asks is not known here: no private one is named.
                Err(kept
                    .within(None)
                    .unknown(slug)
                    .with_action("choose another connection, or add this one in the settings"))
            }
            Err(problem) => Err(problem),
        }
    }

    fn ledger(&self) -> Option<Arc<dyn engine::Ledger>> {
        Some(self.ledger.clone())
    }
}

/// The digest of a connection's configuration.
fn digest(connection: &Connection) -> Digest {
    // Plain data: it always serialises, and `Null` would still be a stable answer.
    Digest::of_json(&serde_json::to_value(connection).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use domain::connection::ProviderKind;

    use super::*;

    #[test]
    fn a_connection_keeps_its_lane_when_its_settings_change() {
        let folder = tempfile::tempdir().unwrap();
        let registry = ConnectionRegistry::new(&ConfigStore::new(folder.path()), BTreeMap::new());
        let lane = |slug: &str, calls| {
            let mut connection = Connection::new(slug, ProviderKind::Anthropic);
            connection.max_parallel_calls = calls;
            registry.opened(&connection).unwrap().lane().unwrap()
        };
        let first = lane("one", None);
        assert!(Arc::ptr_eq(&first, &lane("one", Some(3))));
        assert!(!Arc::ptr_eq(&first, &lane("two", None)));
    }
}
