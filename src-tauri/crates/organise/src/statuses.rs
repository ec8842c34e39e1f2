//! Statuses: every session has one of them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

use crate::colour::Colour;
use crate::edit::{A_NAME, AN_ID, EditError, Fault, RemovalEffect, id_fault, move_item, name_fault, new_id};

/// The version of the file that this program reads and writes.
const VERSION: u32 = 1;
/// The most statuses of a list.
pub const MAX_STATUSES: usize = 50;
/// Statuses that are always there.
const FIXED: [(&str, Category); 3] =
    [("todo", Category::Open), ("done", Category::Closed), ("cancelled", Category::Closed)];
/// The longest icon, in bytes: an emoji, a file's name or an address.
const MAX_ICON_BYTES: usize = 2_048;

/// Where sessions of a status are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Among what is to be done.
    Open,
    /// Among what is over.
    Closed,
}

/// An icon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Icon {
    /// An emoji, or the name of a file in `statuses/icons`.
    Text(String),
    /// The same as older files have it.
    Typed {
        /// `emoji` or `file`.
        #[serde(rename = "type")]
        kind: String,
        /// The emoji, or the file's name.
        value: String,
    },
}

/// A status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Its id, which sessions store.
    pub id: String,
    /// What people call it.
    pub label: String,
    /// Where its sessions are found.
    pub category: Category,
    /// It can't be removed; todo, done and cancelled are fixed.
    #[serde(default)]
    pub is_fixed: bool,
    /// It came with the program and may be changed.
    #[serde(default)]
    pub is_default: bool,
    /// Its place in the list, from the top; without one its place in the file counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Number>,
    /// Its colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Colour>,
    /// Its icon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icon: Option<Icon>,
    /// A key that sets it: one character.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortcut: Option<String>,
    /// Fields that this program does not know; they are kept.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The whole of `statuses/config.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusList {
    /// The form of this file: 1.
    pub version: u32,
    /// The statuses.
    pub statuses: Vec<Status>,
    /// The status of new sessions.
    #[serde(default = "todo")]
    pub default_status_id: String,
    /// Fields that this program does not know; they are kept.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A status to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewStatus {
    /// What people call it.
    pub label: String,
    /// Where its sessions are found.
    pub category: Category,
    /// Its colour.
    pub color: Option<Colour>,
    /// Its icon.
    pub icon: Option<Icon>,
    /// A key that sets it.
    pub shortcut: Option<String>,
}

/// What changes in a status; what is absent stays, an inner `None` takes away.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs)] // named as the fields of a status
pub struct StatusPatch {
    pub label: Option<String>,
    pub category: Option<Category>,
    pub color: Option<Option<Colour>>,
    pub icon: Option<Option<Icon>>,
    pub shortcut: Option<Option<String>>,
}

fn todo() -> String {
    "todo".to_owned()
}

impl StatusList {
    /// The statuses of a workspace in which nothing was set.
    pub fn shipped() -> Self {
        let statuses = [
            ("todo", "Todo", Category::Open, "foreground/60", "○"),
            ("in-progress", "In Progress", Category::Open, "info", "◐"),
            ("needs-review", "Needs Review", Category::Open, "accent", "◉"),
            ("done", "Done", Category::Closed, "success", "✓"),
            ("cancelled", "Cancelled", Category::Closed, "foreground/40", "✕"),
        ];
        let status =
            |(order, (id, label, category, color, icon)): (usize, (&str, &str, Category, &str, &str))| {
                let fixed = FIXED.iter().any(|(fixed, _)| *fixed == id);
                Status {
                    id: id.to_owned(),
                    label: label.to_owned(),
                    category,
                    is_fixed: fixed,
                    is_default: !fixed,
                    order: Some(order.into()),
                    color: Some(Colour::theme(color)),
                    icon: Some(Icon::Text(icon.to_owned())),
                    shortcut: Some((order + 1).to_string()),
                    rest: Map::new(),
                }
            };
        Self {
            version: VERSION,
            statuses: statuses.into_iter().enumerate().map(status).collect(),
            default_status_id: todo(),
            rest: Map::new(),
        }
    }

    /// The status of an id.
    pub fn find(&self, id: &str) -> Option<&Status> {
        self.statuses.iter().find(|status| status.id == id)
    }

    /// The ids, in the file's order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.statuses.iter().map(|status| status.id.as_str())
    }

    /// The statuses in the order in which they are shown.
    pub fn sorted(&self) -> Vec<&Status> {
        let mut sorted: Vec<(f64, &Status)> = self
            .statuses
            .iter()
            .enumerate()
            .map(|(place, status)| {
                let order = status.order.as_ref().and_then(Number::as_f64);
                (order.unwrap_or(place as f64), status)
            })
            .collect();
        sorted.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        sorted.into_iter().map(|(_, status)| status).collect()
    }

    /// The status that a session has: the default one for what is not in the list.
    pub fn known_or_default<'a>(&'a self, stored: &'a str) -> &'a str {
        if self.find(stored).is_some() { stored } else { &self.default_status_id }
    }

    /// Everything that is wrong.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.version != VERSION {
            faults.push(Fault::new("/version", VERSION.to_string(), self.version.to_string()));
        }
        if self.statuses.len() > MAX_STATUSES {
            let found = format!("{} of them", self.statuses.len());
            faults.push(Fault::new("/statuses", format!("at most {MAX_STATUSES} statuses"), found));
            return faults;
        }
        let mut ids = BTreeSet::new();
        let mut keys = BTreeSet::new();
        for (index, status) in self.statuses.iter().enumerate() {
            let at = |field: &str| format!("/statuses/{index}/{field}");
            if let Some(found) = id_fault(&status.id) {
                faults.push(Fault::new(at("id"), AN_ID, found));
            } else if !ids.insert(&status.id) {
                faults.push(Fault::new(at("id"), "each id once", format!("`{}` a second time", status.id)));
            }
            if let Some(found) = name_fault(&status.label) {
                faults.push(Fault::new(at("label"), A_NAME, found));
            }
            if let Some(expected) = status.color.as_ref().and_then(Colour::fault) {
                faults.push(Fault::new(at("color"), expected, "another text"));
            }
            let icon = match &status.icon {
                Some(Icon::Text(text) | Icon::Typed { value: text, .. }) => text.as_str(),
                None => "",
            };
            if icon.len() > MAX_ICON_BYTES || icon.chars().any(char::is_control) {
                faults.push(Fault::new(at("icon"), "an emoji or a file's name", "another text"));
            }
            if let Some(key) = &status.shortcut {
                if key.chars().count() != 1 || key.chars().any(|c| c.is_control() || c.is_whitespace()) {
                    faults.push(Fault::new(at("shortcut"), "one character", "another text"));
                } else if !keys.insert(key.to_lowercase()) {
                    let found = format!("`{key}` a second time");
                    faults.push(Fault::new(at("shortcut"), "each key for one status", found));
                }
            }
            let fixed = FIXED.iter().find(|(fixed, _)| *fixed == status.id);
            if let Some((_, category)) = fixed.filter(|(_, category)| *category != status.category) {
                let word = if *category == Category::Open { "open" } else { "closed" };
                faults.push(Fault::new(
                    at("category"),
                    format!("`{word}` for `{}`", status.id),
                    "another one",
                ));
            }
        }
        for (id, _) in FIXED {
            if self.find(id).is_none() {
                let fault = Fault::new("/statuses", format!("the status `{id}`"), "no such status");
                faults.push(fault.remedy("add it again: todo, done and cancelled are always there"));
            }
        }
        if self.find(&self.default_status_id).is_none() && !self.statuses.is_empty() {
            let fault = Fault::new("/defaultStatusId", "the id of a status", "another text");
            faults.push(fault.meaning(&self.default_status_id, self.ids()));
        }
        faults
    }

    /// What is odd and does no harm.
    pub fn oddities(&self) -> Vec<Fault> {
        let mut odd = Fault::unknown_fields("", &self.rest, &["version", "statuses", "defaultStatusId"]);
        const FIELDS: [&str; 9] =
            ["id", "label", "category", "isFixed", "isDefault", "order", "color", "icon", "shortcut"];
        for (index, status) in self.statuses.iter().enumerate() {
            odd.extend(Fault::unknown_fields(&format!("/statuses/{index}"), &status.rest, &FIELDS));
        }
        odd.retain(|fault| fault.pointer != "/$schema");
        odd
    }

    /// Adds a status at the end; its id.
    ///
    /// # Errors
    /// [`EditError::Invalid`].
    pub fn add(&mut self, new: NewStatus) -> Result<String, EditError> {
        let id = new_id(&new.label, "status", |id| self.find(id).is_some());
        let status = Status {
            id: id.clone(),
            label: new.label.trim().to_owned(),
            category: new.category,
            is_fixed: false,
            is_default: false,
            order: None,
            color: new.color,
            icon: new.icon,
            shortcut: new.shortcut,
            rest: Map::new(),
        };
        self.edit(|list| {
            list.put_in_order();
            list.statuses.push(status);
            list.number();
            Ok(())
        })?;
        Ok(id)
    }

    /// Changes a status. Sessions keep it: they know its id.
    ///
    /// # Errors
    /// [`EditError::Unknown`], [`EditError::Fixed`], [`EditError::Invalid`].
    pub fn change(&mut self, id: &str, patch: StatusPatch) -> Result<(), EditError> {
        self.edit(|list| {
            let index = list.index(id)?;
            let status = &mut list.statuses[index];
            let fixed = FIXED.iter().any(|(fixed, _)| *fixed == id) || status.is_fixed;
            if fixed && patch.category.is_some_and(|category| category != status.category) {
                return Err(EditError::Fixed { id: id.to_owned(), why: "it keeps its category" });
            }
            if let Some(label) = patch.label {
                status.label = label.trim().to_owned();
            }
            if let Some(category) = patch.category {
                status.category = category;
            }
            if let Some(color) = patch.color {
                status.color = color;
            }
            if let Some(icon) = patch.icon {
                status.icon = icon;
            }
            if let Some(shortcut) = patch.shortcut {
                status.shortcut = shortcut;
            }
            Ok(())
        })
    }

    /// Moves a status to a place from the top; beyond the end is the end.
    ///
    /// # Errors
    /// [`EditError::Unknown`].
    pub fn move_to(&mut self, id: &str, place: usize) -> Result<(), EditError> {
        self.edit(|list| {
            list.put_in_order();
            let from = list.index(id)?;
            move_item(&mut list.statuses, from, place);
            list.number();
            Ok(())
        })
    }

    /// Sets the status of new sessions.
    ///
    /// # Errors
    /// [`EditError::Unknown`].
    pub fn set_default(&mut self, id: &str) -> Result<(), EditError> {
        self.edit(|list| {
            list.index(id)?;
            list.default_status_id = id.to_owned();
            Ok(())
        })
    }

    /// Removes a status. Sessions that have it get another one: the one named, else the default one.
    ///
    /// # Errors
    /// [`EditError::Unknown`], [`EditError::Fixed`].
    pub fn remove(&mut self, id: &str, instead: Option<&str>) -> Result<RemovalEffect, EditError> {
        let mut given = String::new();
        self.edit(|list| {
            let index = list.index(id)?;
            if list.statuses[index].is_fixed || FIXED.iter().any(|(fixed, _)| *fixed == id) {
                return Err(EditError::Fixed { id: id.to_owned(), why: "it can't be removed" });
            }
            list.statuses.remove(index);
            if list.default_status_id == id {
                list.default_status_id = todo();
            }
            given = match instead {
                Some(instead) => {
                    list.index(instead)?;
                    instead.to_owned()
                }
                None => list.default_status_id.clone(),
            };
            Ok(())
        })?;
        Ok(RemovalEffect { ids: vec![id.to_owned()], instead: Some(given) })
    }

    fn index(&self, id: &str) -> Result<usize, EditError> {
        let found = self.statuses.iter().position(|status| status.id == id);
        found.ok_or_else(|| EditError::unknown("status", id, self.ids()))
    }

    /// The file's order becomes the one in which they are shown.
    fn put_in_order(&mut self) {
        self.statuses = self.sorted().into_iter().cloned().collect();
    }

    fn number(&mut self) {
        for (place, status) in self.statuses.iter_mut().enumerate() {
            status.order = Some(place.into());
        }
    }

    fn edit(&mut self, change: impl FnOnce(&mut Self) -> Result<(), EditError>) -> Result<(), EditError> {
        let mut list = self.clone();
        change(&mut list)?;
        match list.faults().into_iter().next() {
            Some(fault) => Err(EditError::Invalid { fault }),
            None => {
                *self = list;
                Ok(())
            }
        }
    }
}
