//! The document as a whole.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::operation::{Operation, operation};
use crate::text::{excerpt, strip_invisible};

/// The largest document, in bytes.
const MAX_DOCUMENT_BYTES: usize = 4 << 20;
/// The most tools of one document.
const MAX_OPERATIONS: usize = 400;
/// The most warnings.
const MAX_WARNINGS: usize = 100;
/// Methods that become tools.
const METHODS: [&str; 6] = ["get", "head", "post", "put", "patch", "delete"];

/// What a document describes.
#[derive(Debug, Clone, PartialEq)]
pub struct Interface {
    /// Its title.
    pub title: String,
    /// One paragraph on it.
    pub description: String,
    /// The address that it names, when it is a whole one.
    pub base_url: Option<String>,
    /// The kinds of credentials that it names, in its own words: `http bearer`, `apiKey in header X-Key`, `oauth2`.
    pub security: Vec<String>,
    /// Its operations by name.
    pub operations: Vec<Operation>,
    /// What could not be used, and why.
    pub warnings: Vec<String>,
}

/// Why a document can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenApiError {
    /// Over 4 MiB.
    #[error("the document is larger than {} MiB", MAX_DOCUMENT_BYTES >> 20)]
    TooLarge,
    /// Neither JSON nor YAML.
    #[error("the document is neither JSON nor YAML: {0}")]
    Syntax(String),
    /// Another kind of document.
    #[error("{0}")]
    Other(String),
}

/// Reads a document, JSON or YAML.
///
/// # Errors
/// When it is no OpenAPI 3 document or has no usable operation.
pub fn read(text: &str) -> Result<Interface, OpenApiError> {
    if text.len() > MAX_DOCUMENT_BYTES {
        return Err(OpenApiError::TooLarge);
    }
    let document = parse(text)?;
    let other = |what: &str| Err(OpenApiError::Other(what.to_owned()));
    if document.get("swagger").is_some() {
        return other("this is a Swagger 2 document: convert it to OpenAPI 3 first");
    }
    match document.get("openapi").and_then(Value::as_str) {
        Some(version) if version.starts_with("3.") => {}
        Some(version) => {
            return other(&format!("this is OpenAPI {}, and version 3 is understood", excerpt(version, 20)));
        }
        None => return other("this is no OpenAPI document: it has no field `openapi`"),
    }
    let info = |field: &str, limit| {
        let text = document.pointer(&format!("/info/{field}")).and_then(Value::as_str).unwrap_or_default();
        excerpt(text.trim(), limit)
    };
    let mut interface = Interface {
        title: info("title", 200),
        description: info("description", 1_000),
        base_url: base_url(&document),
        security: security(&document),
        operations: Vec::new(),
        warnings: Vec::new(),
    };
    let empty = Map::new();
    let paths = document.get("paths").and_then(Value::as_object).unwrap_or(&empty);
    let mut names = BTreeSet::new();
    for (path, item) in paths {
        let Some(item) = super::schema::resolved(&document, item).and_then(Value::as_object) else {
            interface.warn(format!("{}: it is no path item", excerpt(path, 200)));
            continue;
        };
        for method in METHODS {
            let Some(found) = item.get(method) else { continue };
            if interface.operations.len() >= MAX_OPERATIONS {
                interface.warn(format!("only the first {MAX_OPERATIONS} operations are used"));
                return Ok(interface);
            }
            match operation(&document, method, path, item, found) {
                Ok((mut made, warnings)) => {
                    unique(&mut names, &mut made.name);
                    for warning in warnings {
                        interface.warn(format!("{}: {warning}", made.name));
                    }
                    interface.operations.push(made);
                }
                Err(why) => {
                    let place = format!("{} {}", method.to_ascii_uppercase(), excerpt(path, 200));
                    interface.warn(format!("{place}: {why}"));
                }
            }
        }
    }
    if interface.operations.is_empty() {
        let why = interface.warnings.first().map(|why| format!(" ({why})")).unwrap_or_default();
        return other(&format!("the document describes no operation that can be used{why}"));
    }
    Ok(interface)
}

impl Interface {
    fn warn(&mut self, warning: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(strip_invisible(&warning));
        }
    }
}

fn parse(text: &str) -> Result<Value, OpenApiError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| OpenApiError::Syntax(error.to_string()));
    }
    let yaml: serde_yaml_ng::Value = serde_yaml_ng::from_str(text)
        .map_err(|error| OpenApiError::Syntax(excerpt(&error.to_string(), 300)))?;
    let mut left = 500_000;
    json_of(yaml, 0, &mut left)
}

/// YAML as JSON: its keys may be numbers (`200:`), which JSON's can't. `left` bounds what aliases may unfold to.
fn json_of(yaml: serde_yaml_ng::Value, depth: usize, left: &mut usize) -> Result<Value, OpenApiError> {
    use serde_yaml_ng::Value as Yaml;
    let syntax = |what: &str| OpenApiError::Syntax(what.to_owned());
    if depth > 100 {
        return Err(syntax("it is nested too deeply"));
    }
    *left = left.checked_sub(1).ok_or_else(|| syntax("it has too many values"))?;
    Ok(match yaml {
        Yaml::Null => Value::Null,
        Yaml::Bool(value) => Value::Bool(value),
        Yaml::Number(number) => serde_json::to_value(number).unwrap_or_default(),
        Yaml::String(text) => Value::String(text),
        Yaml::Sequence(items) => Value::Array(
            items.into_iter().map(|item| json_of(item, depth + 1, left)).collect::<Result<_, _>>()?,
        ),
        Yaml::Mapping(fields) => {
            let mut object = Map::new();
            for (key, value) in fields {
                let key = match key {
                    Yaml::String(key) => key,
                    Yaml::Number(key) => key.to_string(),
                    Yaml::Bool(key) => key.to_string(),
                    Yaml::Null | Yaml::Sequence(_) | Yaml::Mapping(_) | Yaml::Tagged(_) => {
                        return Err(syntax("a key is no text"));
                    }
                };
                object.insert(key, json_of(value, depth + 1, left)?);
            }
            Value::Object(object)
        }
        Yaml::Tagged(tagged) => json_of(tagged.value, depth + 1, left)?,
    })
}

/// The first server's address, its variables set to their defaults; none when it is relative.
fn base_url(document: &Value) -> Option<String> {
    let server = document.pointer("/servers/0")?;
    let mut url = server.get("url")?.as_str()?.to_owned();
    for (name, variable) in server.get("variables").and_then(Value::as_object).into_iter().flatten() {
        let value = variable.get("default").and_then(Value::as_str).unwrap_or_default();
        url = url.replace(&format!("{{{name}}}"), value);
    }
    let parsed = url::Url::parse(&url).ok()?;
    matches!(parsed.scheme(), "http" | "https").then(|| excerpt(&url, 500))
}

fn security(document: &Value) -> Vec<String> {
    let schemes = document.pointer("/components/securitySchemes").and_then(Value::as_object);
    let told = |scheme: &Value| {
        let text = |field: &str| scheme.get(field).and_then(Value::as_str).map(|text| excerpt(text, 100));
        match text("type")?.as_str() {
            "http" => Some(format!("http {}", text("scheme")?.to_ascii_lowercase())),
            "apiKey" => Some(format!("apiKey in {} {}", text("in")?, text("name")?)),
            kind => Some(kind.to_owned()),
        }
    };
    schemes.into_iter().flat_map(|schemes| schemes.values()).filter_map(told).take(10).collect()
}

/// Makes a name one that no other operation has.
fn unique(names: &mut BTreeSet<String>, name: &mut String) {
    let first = name.clone();
    let mut number = 2;
    while !names.insert(name.clone()) {
        *name = format!("{first}_{number}");
        number += 1;
    }
}
