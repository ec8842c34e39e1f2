//! The bases a server may read, opened on first use and again when a newer generation is current.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use knowledge::{Base, BaseSummary, KnowledgeError, current_generation};
use parking_lot::Mutex;
use workspace_bases::WorkspaceBases;

pub(super) struct Bases {
    shelf: WorkspaceBases,
    default: String,
    beside: Vec<String>,
    allowed: Vec<String>,
    pins: BTreeMap<String, String>,
    open: Mutex<HashMap<String, Arc<Base>>>,
}

impl Bases {
    pub(super) fn new(
        shelf: WorkspaceBases,
        default: String,
        beside: Vec<String>,
        allowed: Vec<String>,
        pins: BTreeMap<String, String>,
    ) -> Self {
        Self { shelf, default, beside, allowed, pins, open: Mutex::new(HashMap::new()) }
    }

    /// The base asked for, or the default one. A base outside the allowed ones and those of the workspace does not exist here;
    /// what the server was started for does.
    pub(super) fn get(&self, name: Option<&str>) -> Result<Arc<Base>, KnowledgeError> {
        let name = name.filter(|name| !name.is_empty()).unwrap_or(&self.default);
        let given = name == self.default || self.beside.iter().any(|one| one == name);
        let id = match self.shelf.find(name) {
            _ if self.pins.contains_key(name) => name.to_owned(),
            Ok(base) if given || self.allows(&base.name) || self.allows(&base.id) => base.id,
            // A run reads the base that it is pinned to, wherever its session is by now.
            Err(_) if given => name.to_owned(),
            Ok(_) | Err(KnowledgeError::UnknownBase { .. }) => {
                return Err(KnowledgeError::UnknownBase {
                    name: name.chars().take(80).collect(),
                    existing: self.list()?.into_iter().map(|base| base.name).collect(),
                });
            }
            Err(other) => return Err(other),
        };
        let (home, name) = (self.shelf.home(), id.as_str());
        let generation = match self.pins.get(name) {
            Some(pinned) => pinned.clone(),
            None => current_generation(home, name)?,
        };
        // The lock is held while opening: two calls for a new base shall not both read it.
        let mut open = self.open.lock();
        if let Some(base) = open.get(name).filter(|base| base.manifest().generation == generation) {
            return Ok(Arc::clone(base));
        }
        let base = Arc::new(Base::open_generation(home, name, &generation)?);
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

    /// Whether calls that name no base read this one.
    pub(super) fn is_default(&self, base: &BaseSummary) -> bool {
        base.manifest.base == self.default || base.name == self.default
    }

    pub(super) fn list(&self) -> Result<Vec<BaseSummary>, KnowledgeError> {
        let listed = self.shelf.list()?.into_iter().filter(|(base, _)| self.allows(&base.name));
        Ok(listed.map(|(base, summary)| BaseSummary { name: base.name, ..summary }).collect())
    }

    fn allows(&self, name: &str) -> bool {
        self.allowed.is_empty()
            || name == self.default
            || self.beside.iter().any(|one| one == name)
            || self.allowed.iter().any(|one| one == name)
    }
}
