//! Arguments as their schema means them.

use serde_json::{Map, Number, Value};

use crate::names::{ALIASES, folded};
use crate::schema::{Schema, Type};

/// Levels of arguments that are read; deeper ones are left as they are.
const MAX_DEPTH: usize = 32;
/// Differences that are told of a call.
const MAX_NOTES: usize = 12;
/// The most characters of a value in a note.
const MAX_NOTE_CHARS: usize = 40;
/// Names under which some models put all arguments once more.
const WRAPPERS: [&str; 6] = ["arguments", "args", "parameters", "params", "input", "kwargs"];
/// Whole numbers up to here are exact as floating point.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Whose names a tool's arguments have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// This program's: the names that other programs have for the same are taken as well.
    Ours,
    /// A source's own, of which nothing is known but what its schema says.
    Foreign,
}

/// Arguments that were read.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadArguments {
    /// As the schema has them, where that was plain.
    pub value: Value,
    /// What was read otherwise than it was written, in words; empty: nothing.
    pub notes: Vec<String>,
}

/// Reads arguments by the schema of all of them.
pub fn read(parameters: &Value, naming: Naming, given: Value) -> ReadArguments {
    let mut reader = Reader { naming, notes: Vec::new() };
    let schema = Schema::new(parameters);
    let given = reader.outermost(schema, given);
    let value = reader.value(schema, given, &Position::top());
    let more = reader.notes.len().saturating_sub(MAX_NOTES);
    reader.notes.truncate(MAX_NOTES);
    if more > 0 {
        reader.notes.push(format!("{more} more"));
    }
    ReadArguments { value, notes: reader.notes }
}

/// Where a value stands.
struct Position {
    path: String,
    depth: usize,
}

impl Position {
    fn top() -> Self {
        Self { path: String::new(), depth: 0 }
    }

    fn below(&self, name: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        Self { path: format!("{}{dot}{name}", self.path), depth: self.depth + 1 }
    }
}

struct Reader {
    naming: Naming,
    notes: Vec<String>,
}

impl Reader {
    fn note(&mut self, place: &Position, what: &str) {
        self.notes.push(if place.path.is_empty() {
            what.to_owned()
        } else {
            format!("{}: {what}", place.path)
        });
    }

    /// All arguments, taken out of a text or of one more object around them.
    fn outermost(&mut self, schema: Schema<'_>, given: Value) -> Value {
        let given = match given {
            Value::Null => return Value::Object(Map::new()),
            Value::String(text) => match parsed(&text, Type::Object) {
                Some(value) => {
                    self.note(&Position::top(), "the arguments were JSON within a text");
                    value
                }
                None => return Value::String(text),
            },
            other => other,
        };
        let Value::Object(fields) = &given else { return given };
        let mut all = fields.iter();
        let (Some((name, inner)), None) = (all.next(), all.next()) else { return given };
        let known = schema.property(name).is_some() || schema.names().any(|own| folded(own) == folded(name));
        if known || !WRAPPERS.contains(&name.as_str()) || takes_any_name(schema) {
            return given;
        }
        let inner = match inner {
            Value::Object(_) => Some(inner.clone()),
            Value::String(text) => parsed(text, Type::Object),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        };
        match inner {
            Some(inner) => {
                self.note(&Position::top(), &format!("the arguments stood within `{name}`"));
                inner
            }
            None => given,
        }
    }

    fn value(&mut self, schema: Schema<'_>, value: Value, place: &Position) -> Value {
        if place.depth > MAX_DEPTH {
            return value;
        }
        let value = schema.parts().into_iter().fold(value, |value, part| self.value(part, value, place));
        let branches = schema.branches();
        let value = if branches.is_empty() { value } else { self.branch(&branches, value, place) };
        let value = self.listed(schema, value, place);
        let types = schema.types();
        if types.is_empty() {
            return value;
        }
        let value = self.typed(schema, &types, value, place);
        match value {
            Value::Object(fields) if types.contains(&Type::Object) => {
                Value::Object(self.fields(schema, fields, place))
            }
            Value::Array(items) if types.contains(&Type::Array) => {
                Value::Array(self.items(schema, items, place))
            }
            other => other,
        }
    }

    /// A value of which one of several schemas has to hold: as it is where one does, else as the one that takes it with the
    /// fewest differences. Where two would take it differently it is left.
    fn branch(&mut self, branches: &[Schema<'_>], value: Value, place: &Position) -> Value {
        let try_one = |branch: &Schema<'_>, value: &Value| {
            let mut reader = Reader { naming: self.naming, notes: Vec::new() };
            let read = reader.value(*branch, value.clone(), place);
            (read, reader.notes)
        };
        if let Some(fits) = branches.iter().find(|branch| branch.is_satisfied_by(&value)) {
            let (read, notes) = try_one(fits, &value);
            self.notes.extend(notes);
            return read;
        }
        let mut read: Vec<(usize, Value, Vec<String>)> = Vec::new();
        for branch in branches {
            let (one, notes) = try_one(branch, &value);
            if branch.is_satisfied_by(&one) && read.iter().all(|(_, known, _)| *known != one) {
                // A value alone before a list of it: that is the smaller difference.
                let listed = one.is_array() && !value.is_array() && !looks_like_json(&value);
                read.push((notes.len() * 2 + usize::from(listed), one, notes));
            }
        }
        read.sort_by_key(|(weight, ..)| *weight);
        let ambiguous = matches!(read.as_slice(), [(one, ..), (other, ..), ..] if one == other);
        match read.into_iter().next().filter(|_| !ambiguous) {
            Some((_, one, notes)) => {
                self.notes.extend(notes);
                one
            }
            None => value,
        }
    }

    /// One of the values that are listed, where it is written in another case.
    fn listed(&mut self, schema: Schema<'_>, value: Value, place: &Position) -> Value {
        let listed = schema.listed();
        if listed.is_empty() || listed.contains(&&value) {
            return value;
        }
        let text = match &value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return value,
        };
        let words = |one: &Value| match one {
            Value::String(text) => Some(text.clone()),
            Value::Bool(_) | Value::Number(_) => Some(one.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        let alike = |folds: fn(&str) -> String| {
            let mut found =
                listed.iter().filter(|one| words(one).is_some_and(|own| folds(&own) == folds(&text)));
            match (found.next(), found.next()) {
                (Some(one), None) => Some((*one).clone()),
                _ => None,
            }
        };
        let lower = |text: &str| text.trim().to_lowercase();
        match alike(lower).or_else(|| alike(folded).filter(|_| !folded(&text).is_empty())) {
            Some(one) => {
                self.note(place, &format!("{} read as {}", short(&value), short(&one)));
                one
            }
            None => value,
        }
    }

    /// A value of one of the types, where it is plain which value is meant.
    fn typed(&mut self, schema: Schema<'_>, types: &[Type], value: Value, place: &Position) -> Value {
        if let Value::Number(number) = &value
            && types.contains(&Type::Integer)
            && !types.contains(&Type::Number)
            && let Some(whole) = whole(number)
        {
            // Not told: JSON does not tell the two apart.
            return Value::Number(whole);
        }
        if types.iter().any(|kind| is_of(&value, *kind)) {
            return value;
        }
        let mut meant: Vec<Value> =
            types.iter().filter_map(|kind| self.as_type(schema, *kind, &value, place)).collect();
        meant.dedup();
        match meant.as_slice() {
            [one] => {
                self.note(place, &format!("{} read as {}", short(&value), short(one)));
                one.clone()
            }
            _ => value,
        }
    }

    fn as_type(&self, schema: Schema<'_>, kind: Type, value: &Value, place: &Position) -> Option<Value> {
        match (kind, value) {
            (Type::Boolean, Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Some(Value::Bool(true)),
                "false" | "no" | "off" | "0" => Some(Value::Bool(false)),
                _ => None,
            },
            (Type::Boolean, Value::Number(number)) => match number.as_f64() {
                Some(1.0) => Some(Value::Bool(true)),
                Some(0.0) => Some(Value::Bool(false)),
                _ => None,
            },
            (Type::Integer, Value::String(text)) => Some(Value::Number(whole(&number(text)?)?)),
            (Type::Number, Value::String(text)) => Some(Value::Number(number(text)?)),
            (Type::String, Value::Number(number)) if number.is_i64() || number.is_u64() => {
                // How a fraction was written is not known any more: 1.10 is a version.
                Some(Value::String(number.to_string()))
            }
            (Type::String, Value::Bool(yes)) => Some(Value::String(yes.to_string())),
            (Type::Array | Type::Object, Value::String(text)) if parsed(text, kind).is_some() => {
                parsed(text, kind)
            }
            (Type::Boolean | Type::Integer | Type::Number | Type::Object, Value::Array(items)) => {
                match items.as_slice() {
                    [one] if is_of(one, kind) => Some(one.clone()),
                    [one] if !one.is_array() => self.as_type(schema, kind, one, place),
                    _ => None,
                }
            }
            (Type::Array, one) if !one.is_null() => {
                // A single value for a list of such.
                let items = schema.here.get("items").map(|items| schema.at(items));
                let one = match (one, items) {
                    (Value::String(text), Some(items)) if items.types() == [Type::Object] => {
                        parsed(text, Type::Object)?
                    }
                    _ => one.clone(),
                };
                let read = match items {
                    Some(items) => {
                        let mut reader = Reader { naming: self.naming, notes: Vec::new() };
                        reader.value(items, one, &place.below("0"))
                    }
                    None => one,
                };
                items.is_none_or(|items| items.is_satisfied_by(&read)).then(|| Value::Array(vec![read]))
            }
            (Type::Null, Value::String(text)) if is_nothing(text) => Some(Value::Null),
            (
                Type::Null
                | Type::Boolean
                | Type::Integer
                | Type::Number
                | Type::String
                | Type::Array
                | Type::Object,
                _,
            ) => None,
        }
    }

    fn items(&mut self, schema: Schema<'_>, items: Vec<Value>, place: &Position) -> Vec<Value> {
        let Some(of_items) = schema.here.get("items").filter(|items| items.is_object()) else { return items };
        let of_items = schema.at(of_items);
        let items = items.into_iter().enumerate();
        items.map(|(at, item)| self.value(of_items, item, &place.below(&at.to_string()))).collect()
    }

    fn fields(
        &mut self,
        schema: Schema<'_>,
        fields: Map<String, Value>,
        place: &Position,
    ) -> Map<String, Value> {
        let given: Vec<String> = fields.keys().cloned().collect();
        let mut read = Map::new();
        for (name, value) in fields {
            let own = self.own_name(schema, &name, &given);
            let name = match own {
                Some(own) if !read.contains_key(&own) => {
                    self.note(place, &format!("`{name}` read as `{own}`"));
                    own
                }
                Some(_) | None => name,
            };
            let Some(field) = schema.property(&name) else {
                let of_others = schema.here.get("additionalProperties").filter(|others| others.is_object());
                let value = match of_others {
                    Some(others) => self.value(schema.at(others), value, &place.below(&name)),
                    None => value,
                };
                read.insert(name, value);
                continue;
            };
            let below = place.below(&name);
            if !schema.requires(&name) && !field.allows_null() && self.is_left_out(field, &value) {
                self.note(&below, &format!("{} read as not given", short(&value)));
                continue;
            }
            let value = self.value(field, value, &below);
            read.insert(name, value);
        }
        read
    }

    /// Whether an optional argument stands for none: null, or a text of nothing where no text is taken.
    fn is_left_out(&self, field: Schema<'_>, value: &Value) -> bool {
        match value {
            Value::Null => true,
            Value::String(text) => {
                let listed = field.listed();
                is_nothing(text) && (takes_no_text(field) || !listed.is_empty() && !listed.contains(&value))
            }
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
        }
    }

    /// The schema's name for one that it does not have, where there is exactly one and it is not given as well.
    fn own_name(&self, schema: Schema<'_>, name: &str, given: &[String]) -> Option<String> {
        if schema.property(name).is_some() || takes_any_name(schema) || folded(name).is_empty() {
            return None;
        }
        let free = |own: &&str| !given.iter().any(|other| other == own);
        if self.naming == Naming::Ours {
            let meant = ALIASES.iter().find(|(alias, _)| *alias == name || folded(alias) == folded(name));
            let own = meant.and_then(|(_, own)| schema.names().find(|there| there == own)).filter(free);
            if let Some(own) = own {
                return Some(own.to_owned());
            }
        }
        let mut alike = schema.names().filter(|own| folded(own) == folded(name)).filter(free);
        let rivals = given.iter().filter(|other| folded(other) == folded(name)).count();
        match (alike.next(), alike.next()) {
            (Some(own), None) if rivals == 1 => Some(own.to_owned()),
            _ => None,
        }
    }
}

/// Whether names that the schema does not list are meant to be given.
fn takes_any_name(schema: Schema<'_>) -> bool {
    let others = schema.here.get("additionalProperties");
    others.is_some_and(|others| others.is_object() || others == &Value::Bool(true))
        || schema.here.get("patternProperties").is_some()
}

/// Whether no text satisfies a schema, as far as its types say.
fn takes_no_text(schema: Schema<'_>) -> bool {
    let (types, branches) = (schema.types(), schema.branches());
    (!types.is_empty() && !types.contains(&Type::String))
        || (!branches.is_empty() && branches.into_iter().all(takes_no_text))
}

/// A text that says that there is nothing.
fn is_nothing(text: &str) -> bool {
    matches!(text.trim().to_ascii_lowercase().as_str(), "" | "null" | "none" | "undefined" | "nil")
}

fn is_of(value: &Value, kind: Type) -> bool {
    match kind {
        Type::Null => value.is_null(),
        Type::Boolean => value.is_boolean(),
        Type::Integer => value.as_number().is_some_and(|number| whole(number).is_some()),
        Type::Number => value.is_number(),
        Type::String => value.is_string(),
        Type::Array => value.is_array(),
        Type::Object => value.is_object(),
    }
}

/// A number without a fraction, as one.
fn whole(number: &Number) -> Option<Number> {
    if number.is_i64() || number.is_u64() {
        return Some(number.clone());
    }
    let float = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= MAX_EXACT)?;
    Some(Number::from(float as i64))
}

/// A number that a text is, as JSON writes it.
fn number(text: &str) -> Option<Number> {
    let text = text.trim();
    match serde_json::from_str(text.strip_prefix('+').unwrap_or(text)) {
        Ok(Value::Number(number)) => Some(number),
        Ok(_) | Err(_) => None,
    }
}

/// JSON of a kind within a text, which may stand in a fence or be written as a text once more.
fn parsed(text: &str, kind: Type) -> Option<Value> {
    let text = text.trim();
    let fenced = text.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    let text = fenced.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner).trim());
    match serde_json::from_str(text).ok()? {
        Value::String(inner) if text.starts_with('"') => parsed(&inner, kind),
        value if is_of(&value, kind) => Some(value),
        _ => None,
    }
}

fn looks_like_json(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim_start().starts_with(['[', '{', '"']))
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    let mut shown: String = text.chars().take(MAX_NOTE_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
