//! A library in a folder of its own, and a policy that reaches a server.

use std::sync::Arc;

use documents::worker::Reader;
use tempfile::TempDir;
use web_library::policy::{Policy, Profile, RobotsUse, Settings};
use web_library::{Expectation, FetchRequest, Library, Refresh, Visit, WebError};

use crate::server::Server;

/// A time of the tests, in milliseconds since 1970: 2026-11-26.
pub const NOW: i64 = 1_795_651_200_000;

pub struct Rig {
    pub folder: TempDir,
    pub library: Arc<Library>,
    pub policy: Policy,
}

impl Rig {
    /// Permissive, without robots.txt; reaches these servers.
    pub fn new(servers: &[&Server]) -> Self {
        let folder = TempDir::new().unwrap();
        let library = Arc::new(Library::new(folder.path(), Arc::new(Reader::default())));
        let local = servers.iter().map(|server| server.address.to_string().parse().unwrap()).collect();
        let settings = Settings { profile: Some(Profile::Permissive), local, ..Settings::default() };
        let policy = Policy { robots: RobotsUse::Ignored, ..Policy::from(settings) };
        Self { folder, library, policy }
    }

    pub async fn get(&self, url: &str) -> Result<Visit, WebError> {
        self.wish(&wish(url), NOW).await
    }

    pub async fn wish(&self, wish: &FetchRequest, now_ms: i64) -> Result<Visit, WebError> {
        self.library.fetch(&self.policy, wish, now_ms).await
    }

    /// The word of the refusal.
    pub async fn refusal(&self, url: &str) -> &'static str {
        match self.get(url).await {
            Ok(visit) => panic!("{url} was read: {visit:?}"),
            Err(error) => error.refusal.code(),
        }
    }

    /// Nothing half is left, and as many objects.
    pub fn holds(&self, objects: usize) {
        let incoming = self.folder.path().join("library/objects/.incoming");
        assert_eq!(std::fs::read_dir(incoming).map_or(0, Iterator::count), 0);
        assert_eq!(self.library.objects().list().unwrap().len(), objects);
    }
}

pub fn wish(url: &str) -> FetchRequest {
    FetchRequest {
        url: url.into(),
        max_age_days: None,
        refresh: Refresh::WhenOld,
        expected: Expectation::Any,
    }
}
