//! The file `automations.json`, in the second form of Craft Agent's: events with their automations.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::entry::{Entry, Fault};
use crate::event::Event;

/// The form of the file.
const VERSION: u64 = 2;
/// The longest file, in bytes.
const MAX_FILE_BYTES: usize = 2 << 20;
/// The most automations of a file.
pub const MAX_ENTRIES: usize = 500;

/// Why a file is none, or a change of it is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It is no JSON.
    #[error("it is no JSON: {why}")]
    Json {
        /// The line where it stops being some.
        line: usize,
        /// What is wrong there.
        why: String,
    },
    /// It is too long.
    #[error("it is longer than {} MiB", MAX_FILE_BYTES >> 20)]
    TooLong,
    /// Something is not what it has to be.
    #[error("{0}")]
    Form(String),
    /// It was written by a newer version of the program.
    #[error("it has form {0}, and this program knows form {VERSION}")]
    Newer(u64),
    /// It has no such automation.
    #[error("there is no automation {0}")]
    Unknown(String),
    /// It has as many as it may have.
    #[error("there are {MAX_ENTRIES} automations, the most that a file may have")]
    Full,
}

/// The whole of `automations.json`. What this program does not know in it is kept.
#[derive(Debug, Clone)]
pub struct AutomationFile {
    /// All of it but the lists.
    root: Map<String, Value>,
    lists: Vec<(String, Vec<Value>)>,
    zone: String,
    entries: Vec<Entry>,
}

impl AutomationFile {
    /// One without automations.
    pub fn empty(zone: &str) -> Self {
        let mut root = Map::new();
        root.insert("version".to_owned(), json!(VERSION));
        Self { root, lists: Vec::new(), zone: zone.to_owned(), entries: Vec::new() }
    }

    /// Reads a file; `zone` is the time zone of automations that name none.
    ///
    /// # Errors
    /// Only where nothing can be read of it. What is wrong with single automations is said by them.
    pub fn parse(text: &str, zone: &str) -> Result<Self, FileError> {
        if text.len() > MAX_FILE_BYTES {
            return Err(FileError::TooLong);
        }
        if text.trim().is_empty() {
            return Ok(Self::empty(zone));
        }
        let root: Value = serde_json::from_str(text)
            .map_err(|error| FileError::Json { line: error.line(), why: error.to_string() })?;
        let Value::Object(mut root) = root else {
            return Err(FileError::Form("an object with `version` and `automations` is expected".to_owned()));
        };
        match root.get("version") {
            None => {}
            Some(version) => match version.as_u64() {
                Some(newer) if newer > VERSION => return Err(FileError::Newer(newer)),
                Some(_) => {}
                None => return Err(FileError::Form("`version` is a number".to_owned())),
            },
        }
        let lists = match root.remove("automations") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(events)) => events
                .into_iter()
                .map(|(event, list)| {
                    let Value::Array(list) = list else {
                        return Err(FileError::Form(format!(
                            "`automations/{event}` is a list of automations"
                        )));
                    };
                    Ok((event, list))
                })
                .collect::<Result<_, _>>()?,
            Some(_) => {
                return Err(FileError::Form(
                    "`automations` is an object with a list for each event".to_owned(),
                ));
            }
        };
        Self::from_parts(root, lists, zone.to_owned())
    }

    fn from_parts(
        root: Map<String, Value>,
        lists: Vec<(String, Vec<Value>)>,
        zone: String,
    ) -> Result<Self, FileError> {
        if lists.iter().map(|(_, list)| list.len()).sum::<usize>() > MAX_ENTRIES {
            return Err(FileError::Full);
        }
        let read = |(event, list): &(String, Vec<Value>)| -> Vec<Entry> {
            list.iter().map(|raw| Entry::read(event, raw, &zone)).collect()
        };
        let mut entries: Vec<Entry> = lists.iter().flat_map(read).collect();
        let mut taken = BTreeSet::new();
        for entry in &mut entries {
            if taken.insert(entry.id.clone()) {
                continue;
            }
            let named = entry.raw.get("id").is_some();
            if named {
                entry.faults.push(Fault::new("/id", format!("another automation has the id {}", entry.id)));
            }
            let other = (2..).map(|number| format!("{}-{number}", entry.id)).find(|id| !taken.contains(id));
            entry.id = other.unwrap_or_default();
            taken.insert(entry.id.clone());
        }
        Ok(Self { root, lists, zone, entries })
    }

    /// Its automations, in its order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// One of them.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// The file with an automation more, or with this one in the place of `id`; and its id. Saving one that has faults is no
    /// error: it says what they are.
    ///
    /// # Errors
    /// When it is no object, there is none with that id, or there are too many.
    pub fn with(&self, id: Option<&str>, event: Event, said: &Value) -> Result<(Self, String), FileError> {
        let Value::Object(said) = said else {
            return Err(FileError::Form("an automation is an object".to_owned()));
        };
        let mut said = said.clone();
        let mut next = self.clone();
        let id = match id {
            Some(id) => {
                let place = next.place(id).ok_or_else(|| FileError::Unknown(id.to_owned()))?;
                said.insert("id".to_owned(), json!(id));
                let same = Event::of_name(&place.0) == Some(event);
                let list = next.list(&place.0);
                if same {
                    if let Some(old) = list.get_mut(place.1) {
                        *old = Value::Object(said);
                    }
                } else {
                    list.remove(place.1);
                    next.list(event.name()).push(Value::Object(said));
                }
                id.to_owned()
            }
            None => {
                if self.entries.len() >= MAX_ENTRIES {
                    return Err(FileError::Full);
                }
                let wanted = said.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
                let id = self.free(&wanted, said.get("name").and_then(Value::as_str).unwrap_or_default());
                said.insert("id".to_owned(), json!(id));
                next.list(event.name()).push(Value::Object(said));
                id
            }
        };
        Ok((Self::from_parts(next.root, next.lists, next.zone)?, id))
    }

    /// The file without an automation.
    ///
    /// # Errors
    /// When there is none with that id.
    pub fn without(&self, id: &str) -> Result<Self, FileError> {
        let mut next = self.clone();
        let (event, index) = next.place(id).ok_or_else(|| FileError::Unknown(id.to_owned()))?;
        next.list(&event).remove(index);
        Self::from_parts(next.root, next.lists, next.zone)
    }

    /// As it is written.
    pub fn text(&self) -> String {
        let mut root = self.root.clone();
        root.entry("version").or_insert(json!(VERSION));
        let lists =
            self.lists.iter().map(|(event, list)| (event.clone(), Value::Array(list.clone()))).collect();
        root.insert("automations".to_owned(), Value::Object(lists));
        let root = Value::Object(root);
        let mut text = serde_json::to_string_pretty(&root).unwrap_or_else(|_| root.to_string());
        text.push('\n');
        text
    }

    /// Under which event and at which place of its list an automation stands.
    fn place(&self, id: &str) -> Option<(String, usize)> {
        let at = self.entries.iter().position(|entry| entry.id == id)?;
        let event = self.entries[at].event_name.clone();
        let before = self.entries[..at].iter().filter(|entry| entry.event_name == event).count();
        Some((event, before))
    }

    fn list(&mut self, event: &str) -> &mut Vec<Value> {
        let at = self.lists.iter().position(|(name, _)| name == event).unwrap_or_else(|| {
            self.lists.push((event.to_owned(), Vec::new()));
            self.lists.len() - 1
        });
        &mut self.lists[at].1
    }

    /// An id that no automation has, made of a wish or a name.
    fn free(&self, wanted: &str, name: &str) -> String {
        let source = if wanted.trim().is_empty() { name } else { wanted };
        let mut slug = String::new();
        for c in source.chars().flat_map(char::to_lowercase) {
            match c {
                c if c.is_ascii_alphanumeric() => slug.push(c),
                _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
                _ => {}
            }
            if slug.len() >= 40 {
                break;
            }
        }
        let slug = slug.trim_end_matches('-');
        let slug = if slug.is_empty() { "automation" } else { slug };
        let taken = |id: &str| self.entries.iter().any(|entry| entry.id == id);
        if !taken(slug) {
            return slug.to_owned();
        }
        (2..).map(|number| format!("{slug}-{number}")).find(|id| !taken(id)).unwrap_or_default()
    }
}
