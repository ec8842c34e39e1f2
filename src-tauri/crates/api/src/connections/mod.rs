//! Connections to model providers: the file that keeps them, what they present themselves with, and how they are opened.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::Problem;
use engine::Connections;
use llm::Provider;

/// The connections of a data directory.
pub(crate) struct Book {
    #[allow(dead_code)]
    home: PathBuf,
    built_in: BTreeMap<String, Arc<dyn Provider>>,
}

impl Book {
    /// Over a data directory; `built_in` ones stand in no file.
    pub(crate) fn new(home: &Path, built_in: BTreeMap<String, Arc<dyn Provider>>) -> Self {
        Self { home: home.to_owned(), built_in }
    }

    /// Providers that stand in no file, by slug.
    pub(crate) fn built_in(&self) -> &BTreeMap<String, Arc<dyn Provider>> {
        &self.built_in
    }
}

impl Connections for Book {
    fn provider(&self, slug: &str) -> Result<Arc<dyn Provider>, Problem> {
        self.built_in.provider(slug)
    }
}
