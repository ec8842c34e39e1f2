//! What a provider listed and what the last test said, kept in `cache/models/<slug>.json` with the day.

use std::path::PathBuf;

use domain::Digest;
use domain::connection::Connection;
use llm::ModelInfo;
use protocol::ConnectionTest;
use serde::{Deserialize, Serialize};
use serde_json::json;
use support::{Readers, replace_file};

use super::{ConnectionRegistry, digest};

/// The largest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// A connection's file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Cached {
    #[serde(skip_serializing_if = "Option::is_none")]
    listing: Option<Listing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tested: Option<StoredTest>,
}

/// What a provider listed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Listing {
    /// Of which protocol and address.
    place: Digest,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Without the person's own words.
    pub models: Vec<ModelInfo>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredTest {
    /// Of which configuration.
    config: Digest,
    test: ConnectionTest,
}

impl ConnectionRegistry {
    /// What the provider last listed, where that was at this address.
    pub fn listing(&self, connection: &Connection) -> Option<Listing> {
        self.cached(&connection.slug).listing.filter(|listing| listing.place == place(connection))
    }

    /// What the last test of this configuration said.
    pub fn tested(&self, connection: &Connection) -> Option<ConnectionTest> {
        self.cached(&connection.slug)
            .tested
            .filter(|tested| tested.config == digest(connection))
            .map(|tested| tested.test)
    }

    /// Keeps a list of models.
    pub fn keep_listing(&self, connection: &Connection, at: i64, models: Vec<ModelInfo>) {
        let mut cached = self.cached(&connection.slug);
        cached.listing = Some(Listing { place: place(connection), at, models });
        self.keep(&connection.slug, &cached);
        self.forget(&connection.slug);
    }

    /// Keeps what a test said.
    pub fn keep_test(&self, connection: &Connection, test: ConnectionTest) {
        let mut cached = self.cached(&connection.slug);
        cached.tested = Some(StoredTest { config: digest(connection), test });
        self.keep(&connection.slug, &cached);
    }

    /// Forgets what the last test said: it was another secret's.
    pub fn drop_test(&self, slug: &str) {
        let mut cached = self.cached(slug);
        if cached.tested.take().is_some() {
            self.keep(slug, &cached);
        }
    }

    /// Gives what is kept under one slug to another; `None` drops it.
    pub fn move_cache(&self, from: &str, to: Option<&str>) {
        let from = self.cache_file(from);
        let _ = match to {
            Some(to) => std::fs::rename(from, self.cache_file(to)),
            None => std::fs::remove_file(from),
        };
    }

    fn cache_file(&self, slug: &str) -> PathBuf {
        self.home.join("cache").join("models").join(format!("{slug}.json"))
    }

    fn cached(&self, slug: &str) -> Cached {
        if workspace::connection_slug_fault(slug).is_some() {
            return Cached::default();
        }
        let path = self.cache_file(slug);
        let fits =
            std::fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() <= MAX_FILE_BYTES);
        let bytes = if fits { std::fs::read(&path).unwrap_or_default() } else { Vec::new() };
        // Made anew by the next listing: what can't be read is as good as absent.
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    fn keep(&self, slug: &str, cached: &Cached) {
        let path = self.cache_file(slug);
        let written = || -> std::io::Result<()> {
            if let Some(folder) = path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            replace_file(&path, &serde_json::to_vec_pretty(cached)?, Readers::Person)
        };
        if let Err(error) = written() {
            tracing::warn!("{}: {error}", path.display());
        }
    }
}

/// What makes a list another one: the protocol and the address.
fn place(connection: &Connection) -> Digest {
    let address = llm::http::address(connection).map(String::from).unwrap_or_default();
    Digest::of_json(&json!([connection.provider.as_str(), address]))
}
