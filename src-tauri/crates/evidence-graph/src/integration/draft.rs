//! A graph ahead of its changes, and the sources and entities of findings.

use std::collections::BTreeMap;

use domain::mission::{FoundEntity, FoundSource, ItemId, SourceKind};
use serde::Serialize;

use super::{Context, Counts, MAX_LIST_ITEMS, MAX_TEXT_BYTES, Refused};
use crate::change::Change;
use crate::day::Day;
use crate::graph::Graph;
use crate::item::{Entity, Source};
use crate::keys::{address_key, origin_of, text_key};

/// Aliases that an entity keeps.
const MAX_ALIASES: usize = 32;

/// A graph ahead of its changes.
pub(super) struct Draft<'c> {
    pub(super) graph: Graph,
    pub(super) context: &'c Context,
    pub(super) changes: Vec<Change>,
    pub(super) counts: Counts,
    pub(super) refused: Vec<Refused>,
    pub(super) conflicts: Vec<ItemId>,
}

/// Entries with their places, in the order of a key, then of their JSON.
pub(super) fn sorted<T: Serialize, K: Ord>(list: &[T], key: impl Fn(&T) -> K) -> Vec<(usize, &T)> {
    let entries = list.iter().take(MAX_LIST_ITEMS).enumerate();
    let mut entries: Vec<(K, String, usize, &T)> = entries
        .map(|(at, entry)| (key(entry), serde_json::to_string(entry).unwrap_or_default(), at, entry))
        .collect();
    entries.sort_by(|a, b| (&a.0, &a.1, a.2).cmp(&(&b.0, &b.1, b.2)));
    entries.into_iter().map(|(_, _, at, entry)| (at, entry)).collect()
}

impl<'c> Draft<'c> {
    pub(super) fn new(graph: &Graph, context: &'c Context) -> Self {
        let (counts, conflicts) = (Counts::default(), Vec::new());
        Self { graph: graph.clone(), context, changes: Vec::new(), counts, refused: Vec::new(), conflicts }
    }

    pub(super) fn refuse(&mut self, place: &str, reason: impl Into<String>) {
        self.refused.push(Refused { place: place.to_owned(), reason: reason.into() });
    }

    /// Makes a change; says whether it was made.
    pub(super) fn change(&mut self, place: &str, change: Change) -> bool {
        match self.graph.change(&change) {
            Ok(()) => {
                self.changes.push(change);
                true
            }
            Err(refusal) => {
                self.refuse(place, refusal.to_string());
                false
            }
        }
    }

    /// Refuses what is beyond the limit of a list.
    pub(super) fn bound(&mut self, list: &str, length: usize) {
        if length > MAX_LIST_ITEMS {
            let reason = format!("{} entries are too many: {MAX_LIST_ITEMS} are read", length);
            self.refuse(&format!("/{list}/{MAX_LIST_ITEMS}"), reason);
        }
    }

    /// A text without blanks around it, if it says something and is short enough.
    pub(super) fn text<'t>(&mut self, place: &str, text: &'t str) -> Option<&'t str> {
        let text = text.trim();
        if text_key(text).is_empty() {
            self.refuse(place, "the text is empty");
            return None;
        }
        if text.len() > MAX_TEXT_BYTES {
            self.refuse(
                place,
                format!("the text has {} bytes: at most {MAX_TEXT_BYTES} are stored", text.len()),
            );
            return None;
        }
        Some(text)
    }

    fn day(&mut self, place: &str, day: Option<&String>) -> Option<String> {
        let day = day?;
        match day.parse::<Day>() {
            Ok(_) => Some(day.clone()),
            Err(error) => {
                self.refuse(place, error.to_string());
                None
            }
        }
    }

    /// The sources by their `id` in the findings.
    pub(super) fn sources(&mut self, found: &[FoundSource]) -> BTreeMap<String, ItemId> {
        self.bound("sources", found.len());
        let key = |source: &FoundSource| (address_key(&source.address), source.object, source.title.clone());
        let mut known = BTreeMap::new();
        for (at, source) in sorted(found, key) {
            let place = format!("/sources/{at}");
            if known.contains_key(&source.id) {
                self.refuse(&format!("{place}/id"), format!("another source has the id {:?}", source.id));
                continue;
            }
            if source.address.trim().is_empty() && source.object.is_none() {
                self.refuse(&place, "a source needs an address, or the digest of what was read");
                continue;
            }
            if let Some(id) = self.source(&place, source) {
                known.insert(source.id.clone(), id);
            }
        }
        known
    }

    fn source(&mut self, place: &str, found: &FoundSource) -> Option<ItemId> {
        let index = &self.graph.index;
        let same = found.object.and_then(|object| index.objects.get(&object).copied());
        let address = address_key(&found.address);
        let places = index.addresses.get(address.as_str()).filter(|_| !address.is_empty());
        let places = places.map(|places| places.as_slice()).unwrap_or_default();
        // Other bytes at one address are another source: what was cited stays what it was.
        let here = places.iter().filter_map(|&at| self.graph.sources.at(at));
        let here = here.filter(|source| {
            found.object.is_none() || source.object.is_none() || found.object == source.object
        });
        let known = same.and_then(|at| self.graph.sources.at(at)).or_else(|| here.clone().next()).cloned();
        if let Some(known) = known {
            if let (None, Some(object)) = (known.object, found.object) {
                self.change(place, Change::SourceRead { source: known.id.clone(), object });
            }
            return Some(known.id);
        }
        let published = self.day(&format!("{place}/published"), found.published.as_ref());
        let retrieved = self.day(&format!("{place}/retrieved"), found.retrieved.as_ref());
        let id = self.graph.sources.next();
        let speaks = match (address.is_empty(), is_published_work(found.kind)) {
            (true, _) => id.0.clone(),
            (false, true) => address,
            (false, false) => origin_of(&found.address),
        };
        let source = Source {
            id: id.clone(),
            title: found.title.trim().to_owned(),
            address: found.address.trim().to_owned(),
            kind: found.kind,
            object: found.object,
            generation: self.context.generations.get(&found.id).cloned(),
            published,
            retrieved,
            origin: speaks,
        };
        self.counts.sources += 1;
        self.change(place, Change::SourceAdded { source }).then_some(id)
    }

    pub(super) fn entities(&mut self, found: &[FoundEntity]) {
        self.bound("entities_discovered", found.len());
        for (at, entity) in sorted(found, |entity| (text_key(&entity.name), entity.name.clone())) {
            let place = format!("/entities_discovered/{at}");
            if let Some(name) = self.text(&format!("{place}/name"), &entity.name) {
                self.entity(&place, name, Some(entity));
            }
        }
    }

    /// The entity of a name, made where there is none. A name is compared with names and aliases, an alias only with
    /// names: two entities may share an abbreviation.
    pub(super) fn entity(&mut self, place: &str, name: &str, found: Option<&FoundEntity>) -> Option<ItemId> {
        let aliases = found.map(|found| found.aliases.as_slice()).unwrap_or_default();
        let by_alias = |graph: &Graph| {
            aliases.iter().find_map(|alias| {
                let entity = graph.entity_named(alias)?;
                (entity.key == text_key(alias)).then(|| entity.id.clone())
            })
        };
        let known = self.graph.entity_named(name).map(|entity| entity.id.clone());
        let id = match known.or_else(|| by_alias(&self.graph)) {
            Some(id) => id,
            None => {
                let id = self.graph.entities.next();
                let entity = Entity {
                    id: id.clone(),
                    key: text_key(name),
                    name: name.to_owned(),
                    aliases: Vec::new(),
                    kind: String::new(),
                    description: String::new(),
                    revision: 0,
                };
                if !self.change(place, Change::EntityAdded { entity }) {
                    return None;
                }
                self.counts.entities += 1;
                id
            }
        };
        for alias in std::iter::once(name).chain(aliases.iter().map(|alias| alias.trim())) {
            let full = self.graph.entity(&id).is_none_or(|entity| entity.aliases.len() >= MAX_ALIASES);
            if !full && !text_key(alias).is_empty() && self.graph.entity_named(alias).is_none() {
                self.change(place, Change::EntityNamed { entity: id.clone(), alias: alias.to_owned() });
            }
        }
        if let (Some(found), Some(entity)) = (found, self.graph.entity(&id)) {
            let new = |known: &str, found: &str| {
                if known.is_empty() { found.trim().to_owned() } else { String::new() }
            };
            let (kind, description) =
                (new(&entity.kind, &found.kind), new(&entity.description, &found.description));
            if !(kind.is_empty() && description.is_empty()) {
                self.change(place, Change::EntityDescribed { entity: id.clone(), kind, description });
            }
        }
        Some(id)
    }

    /// The entities of names, each once, in the order of their names.
    pub(super) fn named(&mut self, place: &str, names: &[String]) -> Vec<ItemId> {
        let mut ids = Vec::new();
        for (at, name) in sorted(names, |name| text_key(name)) {
            let place = format!("{place}/entities/{at}");
            let Some(name) = self.text(&place, name) else { continue };
            ids.extend(self.entity(&place, name, None).filter(|id| !ids.contains(id)));
        }
        ids
    }
}

/// Whether the work speaks and not the host that offers it: a repository holds the papers of many.
fn is_published_work(kind: SourceKind) -> bool {
    matches!(kind, SourceKind::Standard | SourceKind::Law | SourceKind::PeerReviewed)
}
