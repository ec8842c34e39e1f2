//! Labels: a tree of them, of which a session has any number.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::auto::{AutoRule, MAX_RULES};
use crate::colour::Colour;
use crate::edit::{A_NAME, AN_ID, EditError, Fault, RemovalEffect, id_fault, name_fault, new_id};
use crate::entry::ValueType;

/// The version of the file that this program reads and writes.
const VERSION: u32 = 1;
/// How deep the tree may be.
pub const MAX_LABEL_DEPTH: usize = 5;
/// The most labels of a tree.
pub const MAX_LABELS: usize = 500;

/// A label, with those below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Label {
    /// Its id, which sessions store; no other label has it.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// Its colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<Colour>,
    /// What its value is; without a type it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_type: Option<ValueType>,
    /// Rules that find it in what the person writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub auto_rules: Vec<AutoRule>,
    /// The labels below it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Label>,
    /// Fields that this program does not know; they are kept.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The whole of `labels/config.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabelList {
    /// The form of this file: 1.
    pub version: u32,
    /// The labels at the top.
    pub labels: Vec<Label>,
    /// Fields that this program does not know; they are kept.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A label to be added.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewLabel {
    /// What people call it.
    pub name: String,
    /// Its colour.
    pub color: Option<Colour>,
    /// What its value is.
    pub value_type: Option<ValueType>,
}

/// What changes in a label; what is absent stays, an inner `None` takes away.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs)] // named as the fields of a label
pub struct LabelPatch {
    pub name: Option<String>,
    pub color: Option<Option<Colour>>,
    pub value_type: Option<Option<ValueType>>,
    pub auto_rules: Option<Vec<AutoRule>>,
}

impl Label {
    fn new(id: &str, name: &str, color: Option<Colour>, value_type: Option<ValueType>) -> Self {
        Self {
            id: id.to_owned(),
            name: name.to_owned(),
            color,
            value_type,
            auto_rules: Vec::new(),
            children: Vec::new(),
            rest: Map::new(),
        }
    }

    fn below(mut self, children: Vec<Self>) -> Self {
        self.children = children;
        self
    }

    fn by_rule(mut self, rule: AutoRule) -> Self {
        self.auto_rules.push(rule);
        self
    }

    /// It and all below it, from the top.
    pub fn all(&self) -> Vec<&Self> {
        let mut all = vec![self];
        all.extend(self.children.iter().flat_map(Self::all));
        all
    }
}

impl LabelList {
    /// One without labels.
    pub fn empty() -> Self {
        Self { version: VERSION, labels: Vec::new(), rest: Map::new() }
    }

    /// The labels of a workspace in which nothing was set.
    pub fn shipped() -> Self {
        let label = |id, name, light, dark| Label::new(id, name, Some(Colour::own(light, dark)), None);
        let valued =
            |id, name, light, dark, kind| Label::new(id, name, Some(Colour::own(light, dark)), Some(kind));
        let labels = vec![
            label("work", "Kind of work", "#475569", "#94a3b8").below(vec![
                label("research", "Research", "#6d28d9", "#a78bfa"),
                label("writing", "Writing", "#0f766e", "#2dd4bf"),
                label("coding", "Coding", "#1d4ed8", "#60a5fa").below(vec![
                    label("bug", "Bug", "#b91c1c", "#f87171"),
                    label("feature", "Feature", "#15803d", "#4ade80"),
                ]),
                label("review", "Review", "#a16207", "#facc15"),
            ]),
            valued("project", "Project", "#0369a1", "#38bdf8", ValueType::String),
            valued("priority", "Priority", "#c2410c", "#fb923c", ValueType::Number),
            valued("due", "Due", "#be185d", "#f472b6", ValueType::Date).by_rule(AutoRule {
                pattern: r"\b(?:due|deadline)\s*(?:on|by|is)?:?\s*(\d{4}-\d{2}-\d{2})\b".to_owned(),
                flags: Some("gi".to_owned()),
                value_template: Some("$1".to_owned()),
                description: Some("A day after the word due or deadline".to_owned()),
                rest: Map::new(),
            }),
        ];
        Self { labels, ..Self::empty() }
    }

    /// Every label, a label before those below it.
    pub fn all(&self) -> Vec<&Label> {
        self.labels.iter().flat_map(Label::all).collect()
    }

    /// Every id, in the same order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.all().into_iter().map(|label| label.id.as_str())
    }

    /// The label of an id.
    pub fn find(&self, id: &str) -> Option<&Label> {
        fn among<'a>(labels: &'a [Label], id: &str) -> Option<&'a Label> {
            labels.iter().find_map(
                |label| {
                    if label.id == id { Some(label) } else { among(&label.children, id) }
                },
            )
        }
        among(&self.labels, id)
    }

    /// The label of an id or, whatever the case, of a name.
    pub fn named(&self, name: &str) -> Option<&Label> {
        let folded = name.to_lowercase();
        let same = |label: &&Label| label.id.to_lowercase() == folded || label.name.to_lowercase() == folded;
        self.find(name).or_else(|| self.all().into_iter().find(same))
    }

    /// The ids of a label and of all below it; none when there is no such label.
    pub fn family(&self, id: &str) -> Vec<String> {
        let all = self.find(id).map(Label::all).unwrap_or_default();
        all.into_iter().map(|label| label.id.clone()).collect()
    }

    /// The labels that lead to one, from the top, with itself; empty when there is no such label.
    pub fn path(&self, id: &str) -> Vec<&Label> {
        fn down<'a>(labels: &'a [Label], id: &str, path: &mut Vec<&'a Label>) -> bool {
            labels.iter().any(|label| {
                path.push(label);
                let found = label.id == id || down(&label.children, id, path);
                if !found {
                    path.pop();
                }
                found
            })
        }
        let mut path = Vec::new();
        down(&self.labels, id, &mut path);
        path
    }

    /// Everything that is wrong.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.version != VERSION {
            faults.push(Fault::new("/version", VERSION.to_string(), self.version.to_string()));
        }
        let all = self.all();
        if all.len() > MAX_LABELS {
            let found = format!("{} of them", all.len());
            faults.push(Fault::new("/labels", format!("at most {MAX_LABELS} labels"), found));
            return faults;
        }
        let rules: usize = all.iter().map(|label| label.auto_rules.len()).sum();
        if rules > MAX_RULES {
            let found = format!("{rules} of them");
            faults.push(Fault::new("/labels", format!("at most {MAX_RULES} rules"), found));
            return faults;
        }
        check_level(&self.labels, "/labels", 1, &mut BTreeSet::new(), &mut faults);
        faults
    }

    /// What is odd and does no harm.
    pub fn oddities(&self) -> Vec<Fault> {
        let mut odd = Fault::unknown_fields("", &self.rest, &["version", "labels"]);
        odd.retain(|fault| fault.pointer != "/$schema");
        odd_level(&self.labels, "/labels", &mut odd);
        odd
    }

    /// Adds a label at the end of those below another one, or of those at the top; its id.
    ///
    /// # Errors
    /// [`EditError::Unknown`], [`EditError::Invalid`].
    pub fn add(&mut self, parent: Option<&str>, new: NewLabel) -> Result<String, EditError> {
        let id = new_id(&new.name, "label", |id| self.find(id).is_some());
        let label = Label::new(&id, new.name.trim(), new.color, new.value_type);
        self.edit(|list| list.insert(label, parent, usize::MAX))?;
        Ok(id)
    }

    /// Changes a label. Sessions keep it: they know its id.
    ///
    /// # Errors
    /// [`EditError::Unknown`], [`EditError::Invalid`].
    pub fn change(&mut self, id: &str, patch: LabelPatch) -> Result<(), EditError> {
        self.edit(|list| {
            let Some(label) = find_mut(&mut list.labels, id) else { return Err(list.unknown(id)) };
            if let Some(name) = patch.name {
                label.name = name.trim().to_owned();
            }
            if let Some(color) = patch.color {
                label.color = color;
            }
            if let Some(value_type) = patch.value_type {
                label.value_type = value_type;
            }
            if let Some(rules) = patch.auto_rules {
                label.auto_rules = rules;
            }
            Ok(())
        })
    }

    /// Moves a label, with those below it, to a place among those below another one or at the top; a place beyond the end
    /// is the end.
    ///
    /// # Errors
    /// [`EditError::Unknown`], [`EditError::BelowItself`], [`EditError::Invalid`] when the tree gets too deep.
    pub fn move_to(&mut self, id: &str, parent: Option<&str>, place: usize) -> Result<(), EditError> {
        if parent.is_some_and(|parent| self.family(id).iter().any(|below| below == parent)) {
            return Err(EditError::BelowItself { id: id.to_owned() });
        }
        self.edit(|list| {
            let Some(label) = take(&mut list.labels, id) else { return Err(list.unknown(id)) };
            list.insert(label, parent, place)
        })
    }

    /// Removes a label with those below it. Sessions lose them, or get another label instead.
    ///
    /// # Errors
    /// [`EditError::Unknown`]; [`EditError::BelowItself`] when the other label is one of them.
    pub fn remove(&mut self, id: &str, instead: Option<&str>) -> Result<RemovalEffect, EditError> {
        let ids = self.family(id);
        if instead.is_some_and(|instead| ids.iter().any(|gone| gone == instead)) {
            return Err(EditError::BelowItself { id: id.to_owned() });
        }
        self.edit(|list| {
            if take(&mut list.labels, id).is_none() {
                return Err(list.unknown(id));
            }
            match instead {
                Some(instead) if list.find(instead).is_none() => Err(list.unknown(instead)),
                _ => Ok(()),
            }
        })?;
        Ok(RemovalEffect { ids, instead: instead.map(str::to_owned) })
    }

    fn insert(&mut self, label: Label, parent: Option<&str>, place: usize) -> Result<(), EditError> {
        let siblings = match parent {
            None => &mut self.labels,
            Some(parent) => match find_mut(&mut self.labels, parent) {
                Some(parent) => &mut parent.children,
                None => return Err(self.unknown(parent)),
            },
        };
        siblings.insert(place.min(siblings.len()), label);
        Ok(())
    }

    fn unknown(&self, id: &str) -> EditError {
        EditError::unknown("label", id, self.ids())
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

fn check_level<'a>(
    labels: &'a [Label],
    pointer: &str,
    depth: usize,
    ids: &mut BTreeSet<&'a str>,
    faults: &mut Vec<Fault>,
) {
    if depth > MAX_LABEL_DEPTH && !labels.is_empty() {
        let expected = format!("a tree at most {MAX_LABEL_DEPTH} deep");
        faults.push(Fault::new(pointer, expected, "labels further below"));
        return;
    }
    for (index, label) in labels.iter().enumerate() {
        let at = format!("{pointer}/{index}");
        if let Some(found) = id_fault(&label.id) {
            faults.push(Fault::new(format!("{at}/id"), AN_ID, found));
        } else if !ids.insert(&label.id) {
            let found = format!("`{}` a second time", label.id);
            faults.push(Fault::new(format!("{at}/id"), "each id once in the whole tree", found));
        }
        if let Some(found) = name_fault(&label.name) {
            faults.push(Fault::new(format!("{at}/name"), A_NAME, found));
        }
        if let Some(expected) = label.color.as_ref().and_then(Colour::fault) {
            faults.push(Fault::new(format!("{at}/color"), expected, "another text"));
        }
        for (number, rule) in label.auto_rules.iter().enumerate() {
            faults.extend(rule.fault(&format!("{at}/autoRules/{number}"), label.value_type));
        }
        check_level(&label.children, &format!("{at}/children"), depth + 1, ids, faults);
    }
}

fn odd_level(labels: &[Label], pointer: &str, odd: &mut Vec<Fault>) {
    const FIELDS: [&str; 6] = ["id", "name", "color", "valueType", "autoRules", "children"];
    const RULE: [&str; 4] = ["pattern", "flags", "valueTemplate", "description"];
    for (index, label) in labels.iter().enumerate() {
        let at = format!("{pointer}/{index}");
        odd.extend(Fault::unknown_fields(&at, &label.rest, &FIELDS));
        for (number, rule) in label.auto_rules.iter().enumerate() {
            odd.extend(Fault::unknown_fields(&format!("{at}/autoRules/{number}"), &rule.rest, &RULE));
        }
        odd_level(&label.children, &format!("{at}/children"), odd);
    }
}

fn find_mut<'a>(labels: &'a mut [Label], id: &str) -> Option<&'a mut Label> {
    labels
        .iter_mut()
        .find_map(|label| if label.id == id { Some(label) } else { find_mut(&mut label.children, id) })
}

fn take(labels: &mut Vec<Label>, id: &str) -> Option<Label> {
    if let Some(index) = labels.iter().position(|label| label.id == id) {
        return Some(labels.remove(index));
    }
    labels.iter_mut().find_map(|label| take(&mut label.children, id))
}
