//! Making an answer satisfy the schema it was asked for.

use serde_json::{Map, Value, json};

/// How deeply a schema is followed.
const MAX_DEPTH: usize = 12;

/// A schema and the document its `$ref`s point into.
#[derive(Clone, Copy)]
pub(crate) struct Schema<'a> {
    root: &'a Value,
    node: &'a Value,
}

impl<'a> Schema<'a> {
    pub(crate) fn new(root: &'a Value) -> Self {
        Self { root, node: root }.resolved()
    }

    fn at(self, node: &'a Value) -> Self {
        Self { root: self.root, node }.resolved()
    }

    /// Follows `$ref`s within the document.
    fn resolved(mut self) -> Self {
        for _ in 0..MAX_DEPTH {
            let target = self
                .node
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|reference| reference.strip_prefix('#'));
            match target.and_then(|pointer| self.root.pointer(pointer)) {
                Some(node) => self.node = node,
                None => break,
            }
        }
        self
    }

    /// Whether an object of this schema has all these properties.
    pub(crate) fn has(self, names: &[&str]) -> bool {
        names.iter().all(|name| self.property(name).is_some())
    }

    fn property(self, name: &str) -> Option<Self> {
        Some(self.at(self.node.get("properties")?.get(name)?))
    }

    fn number(self, keyword: &str) -> Option<f64> {
        self.node.get(keyword)?.as_f64()
    }

    fn count(self, keyword: &str) -> Option<usize> {
        usize::try_from(self.node.get(keyword)?.as_u64()?).ok()
    }

    /// The types it allows; none means any.
    fn types(self) -> Vec<&'a str> {
        match self.node.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            Some(_) | None if self.node.get("properties").is_some() => vec!["object"],
            Some(_) | None => Vec::new(),
        }
    }

    fn branch(self) -> Option<Self> {
        ["anyOf", "oneOf", "allOf"]
            .iter()
            .find_map(|keyword| Some(self.at(self.node.get(keyword)?.as_array()?.first()?)))
    }
}

/// The value, changed as little as possible so that it satisfies the schema; what is missing is made by [`least`].
pub(crate) fn fit(value: Value, schema: Schema<'_>, fill: &dyn Fn(&str) -> Option<String>) -> Value {
    fit_at(value, schema, "", fill, 0)
}

fn fit_at(
    value: Value,
    schema: Schema<'_>,
    name: &str,
    fill: &dyn Fn(&str) -> Option<String>,
    depth: usize,
) -> Value {
    if let Some(constant) = schema.node.get("const") {
        return constant.clone();
    }
    if let Some(options) = schema.node.get("enum").and_then(Value::as_array) {
        return nearest(&value, options);
    }
    if !allowed(&value, schema) {
        return least(schema, name, fill, depth + 1);
    }
    match value {
        Value::Object(map) => fit_object(map, schema, fill, depth),
        Value::Array(items) => {
            let item_schema = schema.node.get("items").map(|items| schema.at(items));
            let mut items: Vec<Value> = items
                .into_iter()
                .take(schema.count("maxItems").unwrap_or(usize::MAX))
                .map(|item| match item_schema {
                    Some(item_schema) => fit_at(item, item_schema, name, fill, depth + 1),
                    None => item,
                })
                .collect();
            let least_items = schema.count("minItems").unwrap_or(0).min(64);
            while items.len() < least_items {
                items.push(item_schema.map_or(Value::Null, |schema| least(schema, name, fill, depth + 1)));
            }
            Value::Array(items)
        }
        Value::String(text) => {
            let most = schema.count("maxLength").unwrap_or(usize::MAX);
            let mut text: String = text.chars().take(most).collect();
            while text.chars().count() < schema.count("minLength").unwrap_or(0).min(1_000) {
                text.push('-');
            }
            Value::String(text)
        }
        Value::Number(number) => {
            let value = number.as_f64().unwrap_or(0.0);
            let (low, high) = (schema.number("minimum"), schema.number("maximum"));
            match (low.filter(|low| value < *low), high.filter(|high| value > *high)) {
                (Some(bound), _) | (None, Some(bound)) => json_number(bound, number.is_f64()),
                (None, None) => Value::Number(number),
            }
        }
        Value::Null | Value::Bool(_) => value,
    }
}

fn fit_object(
    map: Map<String, Value>,
    schema: Schema<'_>,
    fill: &dyn Fn(&str) -> Option<String>,
    depth: usize,
) -> Value {
    let closed = schema.node.get("additionalProperties") == Some(&Value::Bool(false));
    let mut fitted = Map::new();
    for (key, item) in map {
        match schema.property(&key) {
            Some(property) => {
                let item = fit_at(item, property, &key, fill, depth + 1);
                fitted.insert(key, item);
            }
            None if closed => {}
            None => {
                fitted.insert(key, item);
            }
        }
    }
    let required = schema.node.get("required").and_then(Value::as_array);
    for key in required.into_iter().flatten().filter_map(Value::as_str) {
        if !fitted.contains_key(key) {
            let item =
                schema.property(key).map_or(Value::Null, |property| least(property, key, fill, depth + 1));
            fitted.insert(key.to_owned(), item);
        }
    }
    Value::Object(fitted)
}

/// Whether a value's type is one the schema allows.
fn allowed(value: &Value, schema: Schema<'_>) -> bool {
    let types = schema.types();
    types.is_empty()
        || types.iter().any(|name| match *name {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.is_i64() || value.is_u64(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            _ => false,
        })
}

/// The option that is the value, else a text option that shares a word with it, else the first.
fn nearest(value: &Value, options: &[Value]) -> Value {
    let words = super::words::words(value.as_str().unwrap_or_default());
    options
        .iter()
        .find(|option| *option == value)
        .or_else(|| {
            options.iter().find(|option| {
                option
                    .as_str()
                    .is_some_and(|text| super::words::words(text).iter().any(|word| words.contains(word)))
            })
        })
        .or(options.first())
        .cloned()
        .unwrap_or(Value::Null)
}

/// The least value that satisfies a schema; texts are filled by name where `fill` knows one.
pub(crate) fn least(
    schema: Schema<'_>,
    name: &str,
    fill: &dyn Fn(&str) -> Option<String>,
    depth: usize,
) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    for keyword in ["const", "default"] {
        if let Some(value) = schema.node.get(keyword) {
            return value.clone();
        }
    }
    if let Some(option) =
        schema.node.get("enum").and_then(Value::as_array).and_then(|options| options.first())
    {
        return option.clone();
    }
    if schema.node.get("type").is_none()
        && let Some(branch) = schema.branch()
    {
        return least(branch, name, fill, depth + 1);
    }
    let types = schema.types();
    match types.first().copied() {
        Some("object") => fit_object(Map::new(), schema, fill, depth),
        Some("array") => fit_at(json!([]), schema, name, fill, depth),
        Some("number") => json_number(lowest(schema), true),
        Some("integer") => json_number(lowest(schema).ceil(), false),
        Some("boolean") => Value::Bool(false),
        Some("null") => Value::Null,
        Some(_) | None => {
            let text = fill(name).unwrap_or_else(|| NOT_ANSWERED.to_owned());
            fit_at(Value::String(text), schema, name, fill, depth + 1)
        }
    }
}

/// What stands in a field that the offline engine can't answer.
pub(crate) const NOT_ANSWERED: &str = "Not answered offline: this needs a language model.";

fn lowest(schema: Schema<'_>) -> f64 {
    schema
        .number("minimum")
        .or_else(|| schema.number("exclusiveMinimum").map(|bound| bound + 1.0))
        .unwrap_or(0.0)
}

fn json_number(value: f64, fraction: bool) -> Value {
    if fraction { json!(value) } else { json!(value as i64) }
}
