//! One operation of a document as a tool, and a call of it as a request.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::schema::{Unfold, resolved};
use crate::reason::Reason;
use crate::rest::{Body, RestRequest};
use crate::text::{excerpt, strip_invisible};

/// The longest name of a tool, in bytes: room for the source's slug is left.
const MAX_NAME_BYTES: usize = 48;
/// The most parameters of an operation.
const MAX_PARAMETERS: usize = 60;
/// The largest schema of a tool, in bytes of JSON.
const MAX_SCHEMA_BYTES: usize = 48 << 10;
/// What the argument with the body is called.
const BODY: &str = "body";

/// Where an argument goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// Into the path.
    Path,
    /// Into the parameters of the address.
    Query,
    /// Into a header.
    Header,
}

/// How an argument is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameter {
    /// Its name at the interface.
    name: String,
    place: Location,
    required: bool,
    /// For lists in the query: each item as a parameter of its own, else with commas.
    explode: bool,
    /// For objects in the query: `name[key]=value`.
    deep: bool,
}

/// How a body is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
enum BodyEncoding {
    Nothing,
    Json,
    Form,
    Text(String),
}

/// An operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// A name of letters, digits, `_` and `-`, unique within its document.
    pub name: String,
    /// What a person reads.
    pub title: String,
    /// What a model reads.
    pub description: String,
    /// `GET`, `POST`, …
    pub method: String,
    /// The path below the source's address, with `{name}` where arguments go.
    pub path: String,
    /// JSON Schema of the arguments: an object.
    pub schema: Value,
    /// By the argument's name.
    parameters: BTreeMap<String, Parameter>,
    sends: BodyEncoding,
}

impl Operation {
    /// Whether its method says that it changes nothing.
    pub fn reads(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD")
    }

    /// The request of a call.
    ///
    /// # Errors
    /// What is wrong with the arguments, in words for a model.
    pub fn request(&self, arguments: &Value) -> Result<RestRequest, Reason> {
        let empty = Map::new();
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            Value::Null => &empty,
            _ => return Err("the arguments must be an object".into()),
        };
        let known = |name: &String| {
            self.parameters.contains_key(name) || (name == BODY && self.sends != BodyEncoding::Nothing)
        };
        if let Some(unknown) = arguments.keys().find(|name| !known(name)) {
            return Err(format!("there is no argument {}", excerpt(unknown, 80)).into());
        }
        let mut request = RestRequest::new(self.method.clone(), self.path.clone());
        for (argument, parameter) in &self.parameters {
            let value = arguments.get(argument).filter(|value| !value.is_null());
            let Some(value) = value else {
                if parameter.required {
                    return Err(format!("the argument {argument} is missing").into());
                }
                continue;
            };
            match parameter.place {
                Location::Path => {
                    let text =
                        scalar(value).ok_or_else(|| format!("{argument} must be a text or a number"))?;
                    if text.is_empty() {
                        return Err(format!("the argument {argument} is empty").into());
                    }
                    let slot = format!("{{{}}}", parameter.name);
                    request.path = request.path.replace(&slot, &segment(&text));
                }
                Location::Query => query(&mut request.query, parameter, value)
                    .ok_or_else(|| format!("{argument} has a form that can't be sent"))?,
                Location::Header => {
                    let text =
                        scalar(value).ok_or_else(|| format!("{argument} must be a text or a number"))?;
                    request.headers.push((parameter.name.clone(), text));
                }
            }
        }
        let body = arguments.get(BODY).filter(|_| !self.parameters.contains_key(BODY));
        request.body = match (&self.sends, body) {
            (BodyEncoding::Nothing, _) | (_, None) => None,
            (BodyEncoding::Json, Some(body)) => Some(Body::Json(body.clone())),
            (BodyEncoding::Form, Some(Value::Object(fields))) => {
                let mut pairs = Vec::new();
                for (name, value) in fields {
                    let parameter = Parameter {
                        name: name.clone(),
                        place: Location::Query,
                        required: false,
                        explode: true,
                        deep: true,
                    };
                    query(&mut pairs, &parameter, value).ok_or_else(|| {
                        format!("the field {} has a form that can't be sent", excerpt(name, 80))
                    })?;
                }
                Some(Body::Form(pairs))
            }
            (BodyEncoding::Form, Some(_)) => return Err("body must be an object of fields".into()),
            (BodyEncoding::Text(media_type), Some(Value::String(text))) => {
                Some(Body::Text { media_type: media_type.clone(), text: text.clone() })
            }
            (BodyEncoding::Text(_), Some(_)) => return Err("body must be a text".into()),
        };
        Ok(request)
    }
}

/// A path segment: nothing in it ends it.
fn segment(text: &str) -> String {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, ESCAPED).to_string()
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn query(pairs: &mut Vec<(String, String)>, parameter: &Parameter, value: &Value) -> Option<()> {
    let name = &parameter.name;
    match value {
        Value::Array(items) => {
            let texts: Vec<String> = items.iter().map(scalar).collect::<Option<_>>()?;
            if parameter.explode {
                pairs.extend(texts.into_iter().map(|text| (name.clone(), text)));
            } else {
                pairs.push((name.clone(), texts.join(",")));
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                let key = if parameter.deep { format!("{name}[{key}]") } else { key.clone() };
                pairs.push((key, scalar(value)?));
            }
        }
        Value::Null => {}
        Value::String(_) | Value::Number(_) | Value::Bool(_) => pairs.push((name.clone(), scalar(value)?)),
    }
    Some(())
}

/// Makes a tool of an operation; gives what of it could not be used, too.
pub(super) fn operation(
    document: &Value,
    method: &str,
    path: &str,
    item: &Map<String, Value>,
    found: &Value,
) -> Result<(Operation, Vec<String>), Reason> {
    let Value::Object(fields) = found else { return Err("it is no operation".into()) };
    if !path.starts_with('/') || path.len() > 500 {
        return Err("its path does not begin with `/`".into());
    }
    let mut warnings = Vec::new();
    let text = |field: &str, limit| {
        excerpt(fields.get(field).and_then(Value::as_str).unwrap_or_default().trim(), limit)
    };
    let summary = text("summary", 200);
    let more = text("description", 1_500);
    let mut unfold = Unfold::new(document);
    let (mut properties, mut required) = (Map::new(), Vec::new());
    let mut parameters = BTreeMap::new();
    for declared in declared(document, item, fields, &mut warnings)? {
        let made = parameter(document, &declared, &mut unfold);
        let (mut argument, parameter, schema) = match made {
            Ok(Some(made)) => made,
            Ok(None) => continue,
            Err(why) => {
                warnings.push(why.0);
                continue;
            }
        };
        if parameters.contains_key(&argument) || argument == BODY {
            argument = format!("{argument}_{}", word(parameter.place));
        }
        if parameter.required {
            required.push(json!(argument));
        }
        properties.insert(argument.clone(), schema);
        parameters.insert(argument, parameter);
    }
    let slots = slots(path);
    let given = |slot: &&String| {
        !parameters.values().any(|parameter| parameter.place == Location::Path && parameter.name == **slot)
    };
    if let Some(missing) = slots.iter().find(given) {
        return Err(format!("its path has {{{}}}, which is described nowhere", excerpt(missing, 80)).into());
    }
    parameters.retain(|_, parameter| parameter.place != Location::Path || slots.contains(&parameter.name));
    properties.retain(|name, _| parameters.contains_key(name));
    required.retain(|name| name.as_str().is_some_and(|name| parameters.contains_key(name)));
    let sends = body(document, fields, &mut unfold, &mut properties, &mut required)?;
    if unfold.cut {
        warnings.push("a part of its schema is circular or too large, and is taken as anything".to_owned());
    }
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = Value::Array(required);
    }
    if schema.to_string().len() > MAX_SCHEMA_BYTES {
        return Err("the schema of its arguments is too large".into());
    }
    let method = method.to_ascii_uppercase();
    let fallback = format!("{method} {path}");
    let title = if summary.is_empty() { fallback.clone() } else { summary.clone() };
    let said = [summary, more].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    let name = name_of(fields.get("operationId").and_then(Value::as_str).unwrap_or(&fallback));
    let made = Operation {
        name,
        title,
        description: strip_invisible(&if said.is_empty() {
            fallback
        } else {
            format!("{said}\n\n{fallback}")
        }),
        method,
        path: path.trim_start_matches('/').to_owned(),
        schema,
        parameters,
        sends,
    };
    Ok((made, warnings))
}

fn word(place: Location) -> &'static str {
    match place {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
    }
}

/// Parameters of the path and of the operation; of two with one name and place the operation's counts.
fn declared(
    document: &Value,
    item: &Map<String, Value>,
    fields: &Map<String, Value>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Value>, Reason> {
    let mut all: Vec<Value> = Vec::new();
    for list in [item.get("parameters"), fields.get("parameters")] {
        for entry in list.and_then(Value::as_array).into_iter().flatten() {
            let Some(entry) = resolved(document, entry) else {
                warnings.push("a parameter refers to what is not in the document".to_owned());
                continue;
            };
            let same =
                |other: &Value| other.get("name") == entry.get("name") && other.get("in") == entry.get("in");
            all.retain(|other| !same(other));
            all.push(entry.clone());
        }
    }
    if all.len() > MAX_PARAMETERS {
        return Err(format!("it has more than {MAX_PARAMETERS} parameters").into());
    }
    Ok(all)
}

/// A parameter with its argument's name and schema; `None` for those that nobody gives.
fn parameter(
    document: &Value,
    declared: &Value,
    unfold: &mut Unfold<'_>,
) -> Result<Option<(String, Parameter, Value)>, Reason> {
    let text = |field: &str| declared.get(field).and_then(Value::as_str);
    let flag = |field: &str| declared.get(field).and_then(Value::as_bool);
    let name = text("name").filter(|name| !name.is_empty() && name.len() <= 100);
    let Some(name) = name else { return Err("a parameter has no name".into()) };
    let place = match text("in") {
        Some("path") => Location::Path,
        Some("query") => Location::Query,
        Some("header") => Location::Header,
        Some("cookie") => return Err(format!("its cookie {name} is never sent").into()),
        Some(_) | None => return Err(format!("its parameter {name} has no place").into()),
    };
    let lower = name.to_ascii_lowercase();
    // OpenAPI: parameters of these names are ignored, since other parts of a document describe them.
    if place == Location::Header && matches!(lower.as_str(), "accept" | "content-type" | "authorization") {
        return Ok(None);
    }
    let schema = match declared.get("schema") {
        Some(schema) => unfold.schema(schema, 0),
        None => {
            let content = declared.get("content").and_then(Value::as_object);
            let first =
                content.and_then(|content| content.values().next()).and_then(|media| media.get("schema"));
            first
                .and_then(|schema| resolved(document, schema))
                .map_or_else(|| json!({}), |schema| unfold.schema(schema, 0))
        }
    };
    let mut schema = if schema.is_object() { schema } else { json!({}) };
    if let Some(said) = text("description") {
        schema["description"] = json!(excerpt(said, 600));
    }
    let style = text("style").unwrap_or("form");
    let parameter = Parameter {
        name: name.to_owned(),
        place,
        required: place == Location::Path || flag("required").unwrap_or(false),
        explode: flag("explode").unwrap_or(style == "form" || style == "deepObject"),
        deep: style == "deepObject",
    };
    Ok(Some((argument_of(name), parameter, schema)))
}

/// An argument's name: models are given letters, digits, `_`, `.` and `-` only.
fn argument_of(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' })
        .take(64)
        .collect();
    if plain.trim_matches('_').is_empty() { "value".to_owned() } else { plain }
}

/// What it sends: JSON before a form before text. Files are not sent.
fn body(
    document: &Value,
    fields: &Map<String, Value>,
    unfold: &mut Unfold<'_>,
    properties: &mut Map<String, Value>,
    required: &mut Vec<Value>,
) -> Result<BodyEncoding, Reason> {
    let Some(declared) = fields.get("requestBody") else { return Ok(BodyEncoding::Nothing) };
    let Some(declared) = resolved(document, declared) else {
        return Err("its body refers to what is not in the document".into());
    };
    let needed = declared.get("required").and_then(Value::as_bool).unwrap_or(false);
    let empty = Map::new();
    let content = declared.get("content").and_then(Value::as_object).unwrap_or(&empty);
    let plain = |kind: &str| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let find = |fits: &dyn Fn(&str) -> bool| content.iter().find(|(kind, _)| fits(&plain(kind)));
    let json = find(&|kind| kind == "application/json" || kind.ends_with("+json") || kind == "*/*");
    let form = find(&|kind| kind == "application/x-www-form-urlencoded");
    let text = find(&|kind| kind.starts_with("text/") || kind.ends_with("/xml") || kind.ends_with("+xml"));
    let (sends, media) = match (json, form, text) {
        (Some((_, media)), ..) => (BodyEncoding::Json, media),
        (None, Some((_, media)), _) => (BodyEncoding::Form, media),
        (None, None, Some((kind, media))) => (BodyEncoding::Text(plain(kind)), media),
        (None, None, None) if needed => {
            return Err("it sends files, or another kind of body that can't be sent".into());
        }
        (None, None, None) => return Ok(BodyEncoding::Nothing),
    };
    let mut schema = match (&sends, media.get("schema")) {
        (BodyEncoding::Text(_), _) => json!({"type": "string"}),
        (_, Some(schema)) => unfold.schema(schema, 0),
        (_, None) => json!({}),
    };
    if let (Some(said), true) = (declared.get("description").and_then(Value::as_str), schema.is_object()) {
        schema["description"] = json!(excerpt(said, 600));
    }
    properties.insert(BODY.to_owned(), schema);
    if needed {
        required.push(json!(BODY));
    }
    Ok(sends)
}

/// Names between braces in a path.
fn slots(path: &str) -> Vec<String> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name.to_owned())).collect()
}

/// `listUsers`, `get_users_id`: a name as models may call it.
fn name_of(id: &str) -> String {
    let mut name = String::new();
    for letter in id.trim().chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => name.push(letter),
            _ if !name.is_empty() && !name.ends_with('_') => name.push('_'),
            _ => {}
        }
        if name.len() >= MAX_NAME_BYTES {
            break;
        }
    }
    let name = name.trim_matches(['_', '-']).to_owned();
    if name.is_empty() { "operation".to_owned() } else { name }
}
