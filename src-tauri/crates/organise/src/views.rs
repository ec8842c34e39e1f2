//! Views: named filters over sessions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::colour::Colour;
use crate::edit::{A_NAME, AN_ID, EditError, Fault, id_fault, move_item, name_fault, new_id};
use crate::expression::{Columns, Expression, Field, Type};
use crate::mistake::Mistake;

/// The version of the file that this program reads and writes.
const VERSION: u32 = 1;
/// The most views of a list.
pub const MAX_VIEWS: usize = 200;
/// The most fields that a view sorts by.
const MAX_SORTS: usize = 5;

/// A view as the file has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// Its id.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it shows, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Colour>,
    /// Which sessions it shows: see the help page on views.
    pub expression: String,
    /// What its list is grouped by: date, status, label, agent, model, mode or unread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_by: Option<String>,
    /// What its list is sorted by, before everything else; the one changed last comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sort: Vec<SortKey>,
    /// Fields that this program does not know; they are kept.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A field to sort by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SortKey {
    /// The field's name, as in expressions.
    pub field: String,
    /// Which comes first.
    #[serde(default)]
    pub direction: Direction,
}

/// Which comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The least.
    #[default]
    Asc,
    /// The most.
    Desc,
}

/// What a list is grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)] // the words say it
pub enum Group {
    Date,
    Status,
    Label,
    Agent,
    Model,
    Mode,
    Unread,
}

impl Group {
    const ALL: [(&'static str, Self); 7] = [
        ("date", Self::Date),
        ("status", Self::Status),
        ("label", Self::Label),
        ("agent", Self::Agent),
        ("model", Self::Model),
        ("mode", Self::Mode),
        ("unread", Self::Unread),
    ];

    /// The group of a word.
    pub fn from_name(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == word).map(|(_, group)| group)
    }
}

/// A view of the list: usable, or with what is wrong with it.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewEntry {
    /// Its id; of an entry that has none, its place in the list from 1: `#3`.
    pub id: String,
    /// What stands in the file.
    pub raw: Value,
    /// The view, or all that is wrong with it but for its expression.
    pub view: Result<View, Vec<Fault>>,
    /// Its expression, or all that is wrong with that; a broken view's is empty.
    pub expression: Result<Expression, Vec<Mistake>>,
}

/// What `views.json` says. A broken view costs no other one.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewList {
    /// The views, in the order in which they are shown.
    pub views: Vec<ViewEntry>,
    /// Fields that this program does not know; they are kept.
    pub rest: Map<String, Value>,
}

/// A view to be added.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs)] // named as the fields of a view
pub struct NewView {
    pub name: String,
    pub description: Option<String>,
    pub color: Option<Colour>,
    pub expression: String,
    pub group_by: Option<Group>,
    pub sort: Vec<SortKey>,
}

/// What changes in a view; what is absent stays, an inner `None` takes away.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs)] // named as the fields of a view
pub struct ViewPatch {
    pub name: Option<String>,
    pub description: Option<Option<String>>,
    pub color: Option<Option<Colour>>,
    pub expression: Option<String>,
    pub group_by: Option<Option<Group>>,
    pub sort: Option<Vec<SortKey>>,
}

impl View {
    /// What its list is grouped by; a word that is not known groups nothing.
    pub fn group(&self) -> Option<Group> {
        self.group_by.as_deref().and_then(Group::from_name)
    }

    /// The fields that it sorts by; those that are not known are left out.
    pub fn order(&self) -> Vec<(Field, Direction)> {
        let keys = self.sort.iter().take(MAX_SORTS);
        keys.filter_map(|key| sortable(&key.field).map(|field| (field, key.direction))).collect()
    }

    /// The same for `ORDER BY`, without the fields for which there is no column; `None` when nothing is left.
    pub fn order_by(&self, columns: &Columns<'_>) -> Option<String> {
        let column = |field: Field| columns.values.iter().find(|(known, _)| *known == field);
        let keys: Vec<String> = self
            .order()
            .into_iter()
            .filter_map(|(field, direction)| {
                let word = if direction == Direction::Asc { "ASC" } else { "DESC" };
                column(field).map(|(_, sql)| format!("{sql} {word}"))
            })
            .collect();
        (!keys.is_empty()).then(|| keys.join(", "))
    }

    /// Everything that is wrong, but for its expression.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if let Some(found) = id_fault(&self.id) {
            faults.push(Fault::new("/id", AN_ID, found));
        }
        if let Some(found) = name_fault(&self.name) {
            faults.push(Fault::new("/name", A_NAME, found));
        }
        if let Some(expected) = self.color.as_ref().and_then(Colour::fault) {
            faults.push(Fault::new("/color", expected, "another text"));
        }
        if self.description.as_ref().is_some_and(|text| text.len() > 1_000) {
            faults.push(Fault::new("/description", "at most 1000 bytes", "a longer text"));
        }
        faults
    }

    /// What is odd and does no harm.
    pub fn oddities(&self) -> Vec<Fault> {
        const FIELDS: [&str; 7] = ["id", "name", "description", "color", "expression", "groupBy", "sort"];
        let mut odd = Fault::unknown_fields("", &self.rest, &FIELDS);
        if let Some(word) = self.group_by.as_deref().filter(|word| Group::from_name(word).is_none()) {
            let words: Vec<&str> = Group::ALL.iter().map(|(word, _)| *word).collect();
            let fault = Fault::new("/groupBy", words.join(", "), "another word: nothing is grouped");
            odd.push(fault.meaning(word, words));
        }
        for (index, key) in self.sort.iter().enumerate() {
            if sortable(&key.field).is_none() {
                let pointer = format!("/sort/{index}/field");
                let names = Field::ALL.iter().map(|field| field.name());
                let fault =
                    Fault::new(pointer, "a field that can be sorted by", "another word: it sorts nothing");
                odd.push(fault.meaning(&key.field, names));
            }
        }
        odd
    }
}

/// Fields that a list can be sorted by; two by their older names, too.
fn sortable(name: &str) -> Option<Field> {
    match name {
        "updated_at" | "updatedAt" => Some(Field::LastUsedAt),
        "created_at" => Some(Field::CreatedAt),
        name => Field::from_name(name).filter(|field| field.kind() != Type::List),
    }
}

impl ViewEntry {
    /// A view as it was read, checked.
    pub fn new(raw: Value, view: View) -> Self {
        let faults = view.faults();
        if !faults.is_empty() {
            return Self { id: view.id, raw, view: Err(faults), expression: Err(Vec::new()) };
        }
        let expression = Expression::parse(&view.expression);
        Self { id: view.id.clone(), raw, view: Ok(view), expression }
    }

    /// An entry that is no view; `place` is its place in the list, from 0.
    pub fn broken(place: usize, raw: Value, faults: Vec<Fault>) -> Self {
        let id = raw["id"].as_str().map_or_else(|| format!("#{}", place + 1), str::to_owned);
        Self { id, raw, view: Err(faults), expression: Err(Vec::new()) }
    }

    fn of(view: View) -> Self {
        Self::new(serde_json::to_value(&view).unwrap_or_default(), view)
    }
}

impl ViewList {
    /// A list; of views with the same id the first one counts.
    pub fn new(mut views: Vec<ViewEntry>, rest: Map<String, Value>) -> Self {
        let mut ids = std::collections::BTreeSet::new();
        for entry in &mut views {
            if !ids.insert(entry.id.clone()) {
                let fault = Fault::new("/id", "each id once", format!("`{}` a second time", entry.id));
                entry.view = Err(vec![fault]);
                entry.expression = Err(Vec::new());
            }
        }
        Self { views, rest }
    }

    /// The views of a workspace in which nothing was set.
    pub fn shipped() -> Self {
        let views = [
            ("unread", "Unread", "accent", "hasUnread == true", "Something happened that you have not seen"),
            (
                "needs-you",
                "Needs you",
                "destructive",
                "needsYou == true",
                "A run or a conversation waits for you",
            ),
            ("plans", "Plans", "info", "hasPendingPlan == true", "A plan waits to be accepted"),
            ("running", "Running", "success", "isProcessing == true", "Something is under way"),
            (
                "left-lying",
                "Inactive",
                "foreground/50",
                "daysSince(lastUsedAt) > 14 and sessionStatus not in (\"done\", \"cancelled\")",
                "No activity for two weeks, and neither done nor cancelled",
            ),
        ];
        let view = |(id, name, color, expression, about): (&str, &str, &str, &str, &str)| {
            ViewEntry::of(View {
                id: id.to_owned(),
                name: name.to_owned(),
                description: Some(about.to_owned()),
                color: Some(Colour::theme(color)),
                expression: expression.to_owned(),
                group_by: None,
                sort: Vec::new(),
                rest: Map::new(),
            })
        };
        Self::new(views.into_iter().map(view).collect(), Map::new())
    }

    /// The view of an id.
    pub fn find(&self, id: &str) -> Option<&ViewEntry> {
        self.views.iter().find(|entry| entry.id == id)
    }

    /// The whole file.
    pub fn to_value(&self) -> Value {
        let mut file = Map::new();
        file.insert("version".to_owned(), VERSION.into());
        file.insert("views".to_owned(), self.views.iter().map(|entry| entry.raw.clone()).collect());
        file.extend(self.rest.clone());
        Value::Object(file)
    }

    /// Adds a view at the end; its id.
    ///
    /// # Errors
    /// [`EditError::Invalid`], [`EditError::Expression`].
    pub fn add(&mut self, new: NewView) -> Result<String, EditError> {
        if self.views.len() >= MAX_VIEWS {
            let expected = format!("at most {MAX_VIEWS} views");
            return Err(EditError::Invalid { fault: Fault::new("/views", expected, "one more") });
        }
        let id = new_id(&new.name, "view", |id| self.find(id).is_some());
        let view = View {
            id: id.clone(),
            name: new.name.trim().to_owned(),
            description: new.description,
            color: new.color,
            expression: new.expression,
            group_by: new.group_by.map(word_of),
            sort: new.sort,
            rest: Map::new(),
        };
        self.views.push(right(view)?);
        Ok(id)
    }

    /// Changes a view. One that is broken can only be removed, or mended in its file; one whose expression is wrong gets
    /// another one here.
    ///
    /// # Errors
    /// [`EditError::Unknown`], [`EditError::Invalid`], [`EditError::Expression`].
    pub fn change(&mut self, id: &str, patch: ViewPatch) -> Result<(), EditError> {
        let index = self.index(id)?;
        let mut view = match &self.views[index].view {
            Ok(view) => view.clone(),
            Err(faults) => {
                let fault = faults.first().cloned();
                let fault = fault.unwrap_or_else(|| Fault::new("", "a view", "something else"));
                return Err(EditError::Invalid { fault });
            }
        };
        if let Some(name) = patch.name {
            view.name = name.trim().to_owned();
        }
        if let Some(description) = patch.description {
            view.description = description;
        }
        if let Some(color) = patch.color {
            view.color = color;
        }
        if let Some(group) = patch.group_by {
            view.group_by = group.map(word_of);
        }
        if let Some(sort) = patch.sort {
            view.sort = sort;
        }
        // A wrong expression that is not touched does not keep anybody from changing the rest.
        self.views[index] = match patch.expression {
            Some(expression) => right(View { expression, ..view })?,
            None => match ViewEntry::of(view) {
                ViewEntry { view: Err(faults), .. } => return Err(first(faults)),
                entry => entry,
            },
        };
        Ok(())
    }

    /// Moves a view to a place from the top; beyond the end is the end.
    ///
    /// # Errors
    /// [`EditError::Unknown`].
    pub fn move_to(&mut self, id: &str, place: usize) -> Result<(), EditError> {
        let from = self.index(id)?;
        move_item(&mut self.views, from, place);
        Ok(())
    }

    /// Removes a view, right or broken. Sessions are not concerned.
    ///
    /// # Errors
    /// [`EditError::Unknown`].
    pub fn remove(&mut self, id: &str) -> Result<(), EditError> {
        let index = self.index(id)?;
        self.views.remove(index);
        Ok(())
    }

    fn index(&self, id: &str) -> Result<usize, EditError> {
        let known = || self.views.iter().map(|entry| entry.id.as_str());
        known().position(|known| known == id).ok_or_else(|| EditError::unknown("view", id, known()))
    }
}

fn word_of(group: Group) -> String {
    let word = Group::ALL.into_iter().find(|(_, known)| *known == group);
    word.map_or("", |(word, _)| word).to_owned()
}

/// A view that is right in every part.
fn right(view: View) -> Result<ViewEntry, EditError> {
    match ViewEntry::of(view) {
        ViewEntry { view: Err(faults), .. } => Err(first(faults)),
        ViewEntry { expression: Err(mistakes), .. } => {
            let message = mistakes.first().map(ToString::to_string).unwrap_or_default();
            Err(EditError::Expression { message })
        }
        entry => Ok(entry),
    }
}

fn first(faults: Vec<Fault>) -> EditError {
    let fault = faults.into_iter().next();
    EditError::Invalid { fault: fault.unwrap_or_else(|| Fault::new("", "a view", "something else")) }
}
