//! JSON Schemas as OpenAI's strict mode takes them, and answers back from it.
//!
//! Strict mode wants every property required and every object closed. What a schema leaves optional becomes "or null" on
//! the way out, and [`undo_nulls`] takes the nulls out of the answer again that the schema itself does not allow. Keywords
//! that strict mode does not know are left out: the answer is checked against the whole schema by whoever asked.

use serde_json::{Map, Value, json};

use model_text::extract::required_names;

/// How deep a schema and an answer are followed.
const MAX_DEPTH: usize = 96;
/// Objects within objects that strict mode takes.
const NESTED: usize = 10;
/// Properties of all objects together that strict mode takes.
const PROPERTIES: usize = 5_000;
/// Values of all enumerations together that strict mode takes.
const ENUM_VALUES: usize = 1_000;
/// Steps that taking nulls out of one answer may need: unions within unions could ask for more than anyone waits for.
const STEPS: usize = 1_000_000;

/// Formats of strings that strict mode knows.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// What becomes of a schema.
#[derive(Debug, Clone, PartialEq)]
pub enum AdaptedSchema {
    /// As strict mode takes it: the answer will have this shape.
    Strict(Value),
    /// As it is: the provider takes it as a hint.
    Loose(Value),
    /// The provider would refuse it; it has to be said in words.
    Words,
}

/// Adapts a schema of an answer. `bounds`: whether patterns, formats and bounds of numbers and lists may stand in it.
pub fn adapt(schema: &Value, bounds: bool) -> AdaptedSchema {
    if let Some((strict, _)) = strict(schema, bounds) {
        return AdaptedSchema::Strict(strict);
    }
    let object = schema.get("type").and_then(Value::as_str) == Some("object");
    if object && local_only(schema, 0) { AdaptedSchema::Loose(schema.clone()) } else { AdaptedSchema::Words }
}

/// The parameters of a tool as they are sent, and whether strictly: only where strict mode changes nothing of what may be
/// left out, so that a tool gets the arguments that it describes.
pub fn parameters(schema: &Value, bounds: bool) -> (Value, bool) {
    if let Some((strict, false)) = strict(schema, bounds) {
        return (strict, true);
    }
    (object_parameters(schema), false)
}

/// The parameters of a tool, as an object with a list of properties: a tool without arguments may leave it out.
pub fn object_parameters(schema: &Value) -> Value {
    let mut map = schema.as_object().cloned().unwrap_or_default();
    map.entry("type").or_insert_with(|| json!("object"));
    map.entry("properties").or_insert_with(|| json!({}));
    Value::Object(map)
}

/// The schema as strict mode takes it, and whether anything optional became "or null"; `None` where it can't be said.
fn strict(schema: &Value, bounds: bool) -> Option<(Value, bool)> {
    let mut work = Strict { bounds, properties: 0, enum_values: 0, optional: false };
    let mut root = work.node(schema, 0, 0)?;
    let map = root.as_object_mut()?;
    if map.get("type").and_then(Value::as_str) != Some("object") {
        return None;
    }
    let mut defs = Map::new();
    for name in ["$defs", "definitions"] {
        for (key, def) in schema.get(name).and_then(Value::as_object).into_iter().flatten() {
            defs.insert(key.clone(), work.node(def, 1, 1)?);
        }
    }
    if !defs.is_empty() {
        map.insert("$defs".to_owned(), Value::Object(defs));
    }
    (work.properties <= PROPERTIES && work.enum_values <= ENUM_VALUES).then_some((root, work.optional))
}

struct Strict {
    bounds: bool,
    properties: usize,
    enum_values: usize,
    optional: bool,
}

impl Strict {
    /// `depth` counts every step, `nested` only objects.
    fn node(&mut self, schema: &Value, depth: usize, nested: usize) -> Option<Value> {
        if depth > MAX_DEPTH || nested > NESTED {
            return None;
        }
        let map = schema.as_object()?;
        if let Some(target) = map.get("$ref") {
            return reference(target.as_str()?);
        }
        let mut out = Map::new();
        if let Some(words) = map.get("description").filter(|words| words.is_string()) {
            out.insert("description".to_owned(), words.clone());
        }
        if let Some(all) = map.get("allOf") {
            let all = all.as_array()?;
            if let ([one], false) = (all.as_slice(), has_shape(map)) {
                return self.node(one, depth + 1, nested);
            }
            let shapes = |one: &Map<String, Value>| {
                has_shape(one) || one.contains_key("$ref") || one.contains_key("allOf")
            };
            if all.iter().filter_map(Value::as_object).any(shapes) {
                return None;
            }
        }
        let union = map.get("anyOf").or_else(|| map.get("oneOf"));
        if let Some(union) =
            union.filter(|_| !["properties", "items", "enum", "const"].iter().any(|k| map.contains_key(*k)))
        {
            let mut branches = Vec::new();
            for branch in union.as_array()? {
                let mut branch = branch.clone();
                if let (Some(kind), Some(branch)) = (map.get("type"), branch.as_object_mut())
                    && !branch.contains_key("$ref")
                {
                    branch.entry("type").or_insert_with(|| kind.clone());
                }
                branches.push(self.node(&branch, depth + 1, nested)?);
            }
            out.insert("anyOf".to_owned(), Value::Array(branches));
            return Some(Value::Object(out));
        }
        let kinds = kinds(map)?;
        let kind = match kinds.as_slice() {
            [] => return None,
            [one] => json!(one),
            many => json!(many),
        };
        out.insert("type".to_owned(), kind);
        if let Some(values) = map.get("enum") {
            self.enum_values += values.as_array()?.len();
            out.insert("enum".to_owned(), values.clone());
        }
        if let Some(value) = map.get("const") {
            self.enum_values += 1;
            out.insert("enum".to_owned(), json!([value]));
        }
        for kind in &kinds {
            match kind.as_str() {
                "object" => self.object(map, &mut out, depth, nested)?,
                "array" => {
                    if map.contains_key("prefixItems") {
                        return None;
                    }
                    out.insert("items".to_owned(), self.node(map.get("items")?, depth + 1, nested)?);
                    self.copy(map, &mut out, &["minItems", "maxItems"]);
                }
                "number" | "integer" => self.copy(
                    map,
                    &mut out,
                    &["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
                ),
                "string" => {
                    let plain = |pattern: &Value| pattern.as_str().is_some_and(|text| !text.contains("(?"));
                    if map.get("pattern").is_some_and(plain) {
                        self.copy(map, &mut out, &["pattern"]);
                    }
                    if map.get("format").and_then(Value::as_str).is_some_and(|name| FORMATS.contains(&name)) {
                        self.copy(map, &mut out, &["format"]);
                    }
                }
                _ => {}
            }
        }
        Some(Value::Object(out))
    }

    fn copy(&self, from: &Map<String, Value>, out: &mut Map<String, Value>, names: &[&str]) {
        for name in names.iter().filter(|_| self.bounds) {
            if let Some(value) = from.get(*name) {
                out.insert((*name).to_owned(), value.clone());
            }
        }
    }

    fn object(
        &mut self,
        map: &Map<String, Value>,
        out: &mut Map<String, Value>,
        depth: usize,
        nested: usize,
    ) -> Option<()> {
        let closed = match map.get("additionalProperties") {
            None => false,
            Some(Value::Bool(false)) => true,
            // An open object has keys that nobody knows beforehand: strict mode has no way to say so.
            Some(_) => return None,
        };
        if map.contains_key("patternProperties") {
            return None;
        }
        let none = Map::new();
        let properties = match map.get("properties") {
            Some(properties) => properties.as_object()?,
            None if closed => &none,
            None => return None,
        };
        let required = required_names(map.get("required"));
        if required.iter().any(|name| !properties.contains_key(*name)) {
            return None;
        }
        self.properties += properties.len();
        let mut adapted = Map::new();
        for (name, property) in properties {
            let mut property = self.node(property, depth + 1, nested + 1)?;
            if !required.contains(&name.as_str()) {
                self.optional = true;
                property = or_null(property);
            }
            adapted.insert(name.clone(), property);
        }
        out.insert("required".to_owned(), adapted.keys().cloned().collect());
        out.insert("properties".to_owned(), Value::Object(adapted));
        out.insert("additionalProperties".to_owned(), Value::Bool(false));
        Some(())
    }
}

/// Whether a schema says of what shape a value is, besides its description and bounds.
fn has_shape(map: &Map<String, Value>) -> bool {
    ["type", "properties", "items", "anyOf", "oneOf", "enum", "const"]
        .iter()
        .any(|name| map.contains_key(*name))
}

/// A reference within the schema, without anything beside it: strict mode wants it alone.
fn reference(target: &str) -> Option<Value> {
    let name = target.strip_prefix("#/$defs/").or_else(|| target.strip_prefix("#/definitions/"));
    match name {
        _ if target == "#" => Some(json!({ "$ref": "#" })),
        Some(name) if !name.contains('/') => Some(json!({ "$ref": format!("#/$defs/{name}") })),
        _ => None,
    }
}

/// The types that a schema allows, said or meant.
fn kinds(map: &Map<String, Value>) -> Option<Vec<String>> {
    match map.get("type") {
        Some(Value::String(one)) => return Some(vec![one.clone()]),
        Some(Value::Array(many)) => return many.iter().map(|kind| Some(kind.as_str()?.to_owned())).collect(),
        Some(_) => return None,
        None => {}
    }
    if map.contains_key("properties") {
        return Some(vec!["object".to_owned()]);
    }
    if map.contains_key("items") {
        return Some(vec!["array".to_owned()]);
    }
    let listed = map.get("enum").and_then(Value::as_array).into_iter().flatten();
    let mut kinds: Vec<String> = Vec::new();
    for value in listed.chain(map.get("const")) {
        let kind = match value {
            Value::String(_) => "string",
            Value::Bool(_) => "boolean",
            Value::Null => "null",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::Array(_) | Value::Object(_) => return None,
        };
        if !kinds.iter().any(|known| known == kind) {
            kinds.push(kind.to_owned());
        }
    }
    Some(kinds)
}

fn or_null(mut schema: Value) -> Value {
    let Some(map) = schema.as_object_mut() else { return schema };
    if let Some(Value::Array(branches)) = map.get_mut("anyOf") {
        if !branches.iter().any(allows_null) {
            branches.push(json!({ "type": "null" }));
        }
        return schema;
    }
    if map.contains_key("$ref") {
        return json!({ "anyOf": [schema, { "type": "null" }] });
    }
    match map.get_mut("type") {
        Some(Value::String(kind)) if kind != "null" => {
            let kind = std::mem::take(kind);
            map.insert("type".to_owned(), json!([kind, "null"]));
        }
        Some(Value::Array(kinds)) if !kinds.iter().any(|kind| kind == "null") => kinds.push(json!("null")),
        _ => {}
    }
    if let Some(Value::Array(values)) = map.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    schema
}

fn allows_null(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "null",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
        _ => false,
    }
}

/// Whether every reference of a schema points into it.
fn local_only(schema: &Value, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    match schema {
        Value::Object(map) => map.iter().all(|(name, value)| match value {
            Value::String(target) if name == "$ref" => target.starts_with('#'),
            value => local_only(value, depth + 1),
        }),
        Value::Array(list) => list.iter().all(|value| local_only(value, depth + 1)),
        _ => true,
    }
}

/// Takes the properties out of an answer that are null, may be missing and may not be null by the schema: what strict
/// mode makes of optional ones. Everything else stays, also what the schema does not allow.
pub fn undo_nulls(schema: &Value, answer: Value) -> Value {
    Undo { root: schema, steps: std::cell::Cell::new(STEPS) }.value(schema, answer, 0)
}

/// The same for an answer's text; `None` where it is no JSON or nothing is to be taken out.
pub fn undo_nulls_in(schema: &Value, text: &str) -> Option<String> {
    if !text.contains("null") {
        return None;
    }
    let answer: Value = serde_json::from_str(text).ok()?;
    let undone = undo_nulls(schema, answer.clone());
    (undone != answer).then(|| undone.to_string())
}

struct Undo<'a> {
    root: &'a Value,
    steps: std::cell::Cell<usize>,
}

impl<'a> Undo<'a> {
    /// Counts a step; `false` when there were too many.
    fn step(&self, depth: usize) -> bool {
        self.steps.set(self.steps.get().saturating_sub(1));
        depth <= MAX_DEPTH && self.steps.get() > 0
    }

    fn target(&self, reference: &str) -> Option<&'a Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    fn value(&self, schema: &Value, mut value: Value, depth: usize) -> Value {
        let Some(map) = schema.as_object().filter(|_| self.step(depth)) else { return value };
        if let Some(target) = map.get("$ref").and_then(Value::as_str).and_then(|name| self.target(name)) {
            value = self.value(target, value, depth + 1);
        }
        for part in map.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            value = self.value(part, value, depth + 1);
        }
        value = match value {
            Value::Object(fields) => Value::Object(self.object(map, fields, depth)),
            Value::Array(list) => {
                let firsts = map.get("prefixItems").and_then(Value::as_array);
                let each = |(at, item)| match firsts.and_then(|firsts| firsts.get(at)).or(map.get("items")) {
                    Some(schema) => self.value(schema, item, depth + 1),
                    None => item,
                };
                Value::Array(list.into_iter().enumerate().map(each).collect())
            }
            other => return other,
        };
        for name in ["anyOf", "oneOf"] {
            for branch in map.get(name).and_then(Value::as_array).into_iter().flatten() {
                let undone = self.value(branch, value.clone(), depth + 1);
                if self.fits(branch, &undone, depth + 1) {
                    value = undone;
                    break;
                }
            }
        }
        value
    }

    fn object(
        &self,
        map: &Map<String, Value>,
        fields: Map<String, Value>,
        depth: usize,
    ) -> Map<String, Value> {
        let required = |name: &str| {
            map.get("required").and_then(Value::as_array).is_some_and(|names| names.iter().any(|n| n == name))
        };
        let properties = map.get("properties").and_then(Value::as_object);
        let keep = |(name, value): (String, Value)| {
            let Some(schema) = properties.and_then(|all| all.get(&name)) else {
                let value = match map.get("additionalProperties") {
                    Some(schema) => self.value(schema, value, depth + 1),
                    None => value,
                };
                return Some((name, value));
            };
            if value.is_null() {
                let stays = required(&name) || self.fits(schema, &value, depth + 1);
                return stays.then_some((name, value));
            }
            Some((name, self.value(schema, value, depth + 1)))
        };
        fields.into_iter().filter_map(keep).collect()
    }

    /// Whether a value has the shape that a schema describes; bounds and formats are not looked at.
    fn fits(&self, schema: &Value, value: &Value, depth: usize) -> bool {
        let map = match schema {
            Value::Bool(any) => return *any,
            Value::Object(map) => map,
            _ => return true,
        };
        if !self.step(depth) {
            return true;
        }
        let list = |name: &str| map.get(name).and_then(Value::as_array);
        let fits = |schema: &Value| self.fits(schema, value, depth + 1);
        let kind = |kind: &Value| match kind.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("null") => value.is_null(),
            Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            Some("number") => value.is_number(),
            _ => true,
        };
        let shaped = match map.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().any(kind),
            Some(one) => kind(one),
            None => true,
        };
        shaped
            && list("enum").is_none_or(|values| values.contains(value))
            && map.get("const").is_none_or(|wanted| wanted == value)
            && map.get("$ref").and_then(Value::as_str).and_then(|name| self.target(name)).is_none_or(fits)
            && list("anyOf").is_none_or(|branches| branches.iter().any(fits))
            && list("oneOf").is_none_or(|branches| branches.iter().any(fits))
            && list("allOf").is_none_or(|parts| parts.iter().all(fits))
            && match value {
                Value::Object(fields) => self.fields_fit(map, fields, depth),
                Value::Array(items) => map
                    .get("items")
                    .is_none_or(|schema| items.iter().all(|item| self.fits(schema, item, depth + 1))),
                _ => true,
            }
    }

    fn fields_fit(&self, map: &Map<String, Value>, fields: &Map<String, Value>, depth: usize) -> bool {
        let properties = map.get("properties").and_then(Value::as_object);
        let required = map.get("required").and_then(Value::as_array);
        let there = |name: &Value| name.as_str().is_none_or(|name| fields.contains_key(name));
        let closed = map.get("additionalProperties") == Some(&Value::Bool(false));
        required.is_none_or(|names| names.iter().all(there))
            && fields.iter().all(|(name, value)| match properties.and_then(|all| all.get(name)) {
                Some(schema) => self.fits(schema, value, depth + 1),
                None => !closed,
            })
    }
}
