//! The bases a server may read, opened on first use and again when a newer generation is current.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use knowledge::{Base, BaseSummary, KnowledgeError, current_generation, list_bases};
use parking_lot::Mutex;

pub(super) struct Bases {
    home: PathBuf,
    default: String,
    beside: Vec<String>,
    allowed: Vec<String>,
    pins: BTreeMap<String, String>,
    open: Mutex<HashMap<String, Arc<Base>>>,
}

impl Bases {
    pub(super) fn new(
        home: PathBuf,
        default: String,
        beside: Vec<String>,
        allowed: Vec<String>,
        pins: BTreeMap<String, String>,
    ) -> Self {
        Self { home, default, beside, allowed, pins, open: Mutex::new(HashMap::new()) }
    }

    /// The base asked for, or the default one. A base outside the allowed ones does not exist here.
    pub(super) fn get(&self, name: Option<&str>) -> Result<Arc<Base>, KnowledgeError> {
        let name = name.filter(|name| !name.is_empty()).unwrap_or(&self.default);
        if !self.allows(name) {
            return Err(KnowledgeError::UnknownBase {
                name: name.chars().take(80).collect(),
                existing: self.list()?.into_iter().map(|base| base.name).collect(),
            });
        }
        let generation = match self.pins.get(name) {
            Some(pinned) => pinned.clone(),
            None => current_generation(&self.home, name)?,
        };
        // The lock is held while opening: two calls for a new base shall not both read it.
        let mut open = self.open.lock();
        if let Some(base) = open.get(name).filter(|base| base.manifest().generation == generation) {
            return Ok(Arc::clone(base));
        }
        let base = Arc::new(Base::open_generation(&self.home, name, &generation)?);
        open.insert(name.to_owned(), Arc::clone(&base));
        Ok(base)
    }

    /// The bases that a call asks: the one that it names, else those of attached documents and the default one. What several
    /// of them know is the first one's.
    pub(super) fn asked(&self, name: Option<&str>) -> Result<Vec<Arc<Base>>, KnowledgeError> {
        if name.is_some_and(|name| !name.is_empty()) {
            return Ok(vec![self.get(name)?]);
        }
        let names = self.beside.iter().map(|name| Some(name.as_str())).chain([None]);
        names.map(|name| self.get(name)).collect()
    }

    /// The base of calls that name none.
    pub(super) fn default_name(&self) -> &str {
        &self.default
    }

    pub(super) fn list(&self) -> Result<Vec<BaseSummary>, KnowledgeError> {
        Ok(list_bases(&self.home)?.into_iter().filter(|base| self.allows(&base.name)).collect())
    }

    fn allows(&self, name: &str) -> bool {
        self.allowed.is_empty()
            || name == self.default
            || self.beside.iter().any(|one| one == name)
            || self.allowed.iter().any(|one| one == name)
    }
}
