//! TypeScript for the table: types from the wire types' JSON Schemas, and one entry a command. The page's client is written from it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use protocol::{ApiEvent, COMMANDS, Command, Request, Response, Tag};
use serde_json::{Map, Value};

/// The client's types and the list of commands, as the text of a TypeScript module.
fn typescript() -> String {
    let mut definitions: BTreeMap<String, Value> = BTreeMap::new();
    let mut requests: BTreeMap<String, Value> = BTreeMap::new();
    let mut responses: BTreeMap<String, Value> = BTreeMap::new();
    let schema = |settings: schemars::generate::SchemaSettings, response: bool| {
        let mut generator = settings.into_generator();
        let root = if response {
            generator.root_schema_for::<Response>()
        } else {
            generator.root_schema_for::<Request>()
        };
        root.to_value()
    };
    let draft = schemars::generate::SchemaSettings::draft2020_12;
    let asked = schema(draft(), false);
    let answered = schema(draft().for_serialize(), true);
    let told = draft().for_serialize().into_generator().into_root_schema_for::<ApiEvent>().to_value();
    collect(&asked, "command", "params", &mut requests, &mut definitions);
    collect(&answered, "answer", "value", &mut responses, &mut definitions);
    let event = define(&told, &mut definitions);
    let mut text = String::from(
        "// Generated from the table of commands: `npm run types` writes it again. Do not edit.\n\n",
    );
    for (name, schema) in &definitions {
        comment(&mut text, schema, "");
        let _ = writeln!(text, "export type {name} = {};\n", type_of(schema, 0));
    }
    comment(&mut text, &event, "");
    let _ = writeln!(text, "export type ApiEvent = {};\n", type_of(&event, 0));
    text.push_str("/** Every command with what it takes and gives. */\nexport interface Commands {\n");
    for command in COMMANDS {
        let params = requests.get(command.name).map_or("null".to_owned(), |schema| type_of(schema, 1));
        let result =
            responses.get(&snake(command.answer)).map_or("null".to_owned(), |schema| type_of(schema, 1));
        let _ = writeln!(text, "    {}: {{ params: {params}; result: {result} }};", command.name);
    }
    text.push_str("}\n");
    tags(
        &mut text,
        "Cached data that each command makes stale; empty for those that only read.",
        "CHANGES",
        |command| command.changes,
    );
    tags(&mut text, "Cached data that each command's answer shows.", "READS", |command| command.reads);
    text
}

/// Tags by command.
fn tags(text: &mut String, comment: &str, name: &str, of: impl Fn(&Command) -> &'static [Tag]) {
    let _ = write!(
        text,
        "\n/** {comment} */\nexport const {name}: {{ readonly [N in keyof Commands]: readonly Tag[] }} = {{\n"
    );
    for command in COMMANDS {
        let tags = serde_json::to_string(of(command)).unwrap_or_default().replace(',', ", ");
        let _ = writeln!(text, "    {}: {tags},", command.name);
    }
    text.push_str("};\n");
}

/// A variant's name as serde writes it.
fn snake(variant: &str) -> String {
    let mut name = String::new();
    for (at, letter) in variant.char_indices() {
        if letter.is_ascii_uppercase() && at > 0 {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// Splits an adjacently tagged enum into its variants' contents; a variant without content is not listed.
fn collect(
    root: &Value,
    tag: &str,
    content: &str,
    variants: &mut BTreeMap<String, Value>,
    definitions: &mut BTreeMap<String, Value>,
) {
    let root = define(root, definitions);
    for variant in root.get("oneOf").and_then(Value::as_array).into_iter().flatten() {
        let name = variant.pointer(&format!("/properties/{tag}/const")).and_then(Value::as_str);
        let value = variant.pointer(&format!("/properties/{content}"));
        if let (Some(name), Some(value)) = (name, value) {
            variants.insert(name.to_owned(), value.clone());
        }
    }
}

/// Moves a root schema's definitions into the common ones.
fn define(root: &Value, definitions: &mut BTreeMap<String, Value>) -> Value {
    let mut root = root.clone();
    if let Some(Value::Object(own)) = root.as_object_mut().and_then(|root| root.remove("$defs")) {
        for (name, schema) in own {
            definitions.insert(name, schema);
        }
    }
    root
}

fn comment(text: &mut String, schema: &Value, indent: &str) {
    if let Some(words) = schema.get("description").and_then(Value::as_str) {
        let words = words.replace('\n', " ").replace("*/", "*\u{200b}/");
        let _ = writeln!(text, "{indent}/** {words} */");
    }
}

fn type_of(schema: &Value, depth: usize) -> String {
    let Some(schema) = schema.as_object() else { return "unknown".to_owned() };
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().unwrap_or(name).to_owned();
        // Fields beside a reference belong to a flattened variant.
        return match object(schema, depth) {
            Some(own) => format!("{name} & {own}"),
            None => name,
        };
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return union(values.iter().map(Value::to_string));
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(Value::Array(variants)) = schema.get(key) {
            let variants = union(variants.iter().map(|variant| type_of(variant, depth)));
            return match object(schema, depth) {
                Some(own) => format!("{own} & ({variants})"),
                None => variants,
            };
        }
    }
    if let Some(Value::Array(parts)) = schema.get("allOf") {
        return parts.iter().map(|part| type_of(part, depth)).collect::<Vec<_>>().join(" & ");
    }
    match schema.get("type") {
        Some(Value::Array(kinds)) => union(kinds.iter().map(|kind| plain(kind.as_str(), schema, depth))),
        kind => plain(kind.and_then(Value::as_str), schema, depth),
    }
}

fn union(parts: impl Iterator<Item = String>) -> String {
    let mut seen: Vec<String> = Vec::new();
    for part in parts {
        if !seen.contains(&part) {
            seen.push(part);
        }
    }
    if seen.is_empty() { "never".to_owned() } else { seen.join(" | ") }
}

fn plain(kind: Option<&str>, schema: &Map<String, Value>, depth: usize) -> String {
    match kind {
        Some("string") => "string".to_owned(),
        Some("integer" | "number") => "number".to_owned(),
        Some("boolean") => "boolean".to_owned(),
        Some("null") => "null".to_owned(),
        Some("array") => match schema.get("items") {
            Some(items) => {
                let item = type_of(items, depth);
                if item.contains([' ', '&', '|']) { format!("({item})[]") } else { format!("{item}[]") }
            }
            None => "unknown[]".to_owned(),
        },
        Some("object") => object(schema, depth).unwrap_or_else(|| match schema.get("additionalProperties") {
            Some(values @ Value::Object(_)) => format!("{{ [key: string]: {} }}", type_of(values, depth)),
            _ => "{ [key: string]: unknown }".to_owned(),
        }),
        _ => "unknown".to_owned(),
    }
}

fn object(schema: &Map<String, Value>, depth: usize) -> Option<String> {
    let properties = schema.get("properties")?.as_object()?;
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let indent = "    ".repeat(depth + 1);
    let mut text = String::from("{\n");
    for (name, value) in properties {
        comment(&mut text, value, &indent);
        let optional = if required.contains(&name.as_str()) { "" } else { "?" };
        let _ = writeln!(text, "{indent}{name}{optional}: {};", type_of(value, depth + 1));
    }
    let _ = write!(text, "{}}}", "    ".repeat(depth));
    Some(text)
}

fn names<T: schemars::JsonSchema>(tag: &str) -> Vec<String> {
    let root = schemars::schema_for!(T).to_value();
    let variants = root.get("oneOf").and_then(Value::as_array).cloned().unwrap_or_default();
    let name = |variant: &Value| variant.pointer(&format!("/properties/{tag}/const")).cloned();
    variants.iter().filter_map(name).filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

#[test]
fn the_table_lists_every_command_once_with_an_answer_that_exists() {
    let table: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    assert_eq!(names::<Request>("command"), table);
    let answers = names::<Response>("answer");
    for command in COMMANDS {
        assert!(answers.iter().any(|answer| *answer == snake(command.answer)), "{}", command.answer);
    }
    for answer in answers {
        assert!(COMMANDS.iter().any(|command| snake(command.answer) == answer), "nobody gives {answer}");
    }
}

/// Commands with a session among their parameters that are for the window's workspace all the same.
const FOR_THE_WINDOW: [&str; 10] = [
    "attachment_add",
    "attachment_show",
    "audit_list",
    "automation_fire",
    "content_search",
    "session_duplicate",
    "session_title",
    "share_add",
    "usage_export",
    "usage_show",
];

#[test]
fn a_command_with_a_session_is_declared_to_be_on_it() {
    let root = schemars::schema_for!(Request).to_value();
    let (mut found, mut wrong) = (0, Vec::new());
    for variant in root["oneOf"].as_array().unwrap() {
        let name = variant.pointer("/properties/command/const").and_then(Value::as_str).unwrap();
        let params = variant.pointer("/properties/params").cloned().unwrap_or_default();
        let params = match params.get("$ref").and_then(Value::as_str) {
            Some(link) => root.pointer(link.trim_start_matches('#')).cloned().unwrap_or_default(),
            None => params,
        };
        if params.pointer("/properties/session").is_none() {
            continue;
        }
        found += 1;
        let command = COMMANDS.iter().find(|command| command.name == name).unwrap();
        if command.on_session == FOR_THE_WINDOW.contains(&name) {
            wrong.push(name.to_owned());
        }
    }
    assert!(wrong.is_empty() && found > 10, "{wrong:?} of {found}");
}

#[test]
fn the_client_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/backend/generated.ts");
    let fresh = typescript();
    if std::env::var_os("UPDATE_TYPES").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &fresh).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == fresh, "{} is stale: `npm run types` writes it again", path.display());
}
