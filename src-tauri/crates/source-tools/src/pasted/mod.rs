//! Sources out of the configuration that other programs keep for MCP servers.
//!
//! Servers are recognised by their form, wherever they stand in a configuration: an entry with a command or an address, below
//! a name such as `mcpServers`, `servers`, `context_servers`, `mcp_servers`, `mcp` or `extensions`. No name of a program is
//! looked at.

mod references;
mod server;
mod text;

use std::collections::BTreeSet;

use domain::{ErrorCode, Problem};
use protocol::{Hidden, SourceDraft};
use serde_json::{Map, Value, json};

use self::references::{Input, Surroundings};
use self::server::{draft, is_server};
use super::edit::slug_of;

/// The most servers of one text.
const MAX_SERVERS: usize = 200;
/// How deep servers may stand in a configuration, in objects.
const MAX_DEPTH: usize = 6;
/// The most objects of a configuration that are looked through.
const MAX_OBJECTS: usize = 20_000;

/// Reads sources from the configuration of another program, or from one server of it. What can't be a source here is among
/// them with the reason, and without its configuration.
///
/// # Errors
/// `InvalidInput` when the text has no notation that is known, or names no server or too many.
pub fn source_read(text: &Hidden) -> Result<Vec<SourceDraft>, Problem> {
    let wrong = |what: String| Problem::new(ErrorCode::InvalidInput, what);
    let whole = text::parsed(&text.0)?;
    let mut found = Search::default();
    found.look(&whole, &Surroundings::default(), 0);
    let mut entries = found.entries;
    if entries.is_empty() && found.containers == 0 {
        let server = |value: &Value| value.as_object().is_some_and(is_server);
        if is_server(&whole) {
            let name = whole.get("name").and_then(Value::as_str).unwrap_or("my-server").to_owned();
            entries.push(Entry::new(name, Value::Object(whole), &Surroundings::default()));
        } else if whole.values().any(server) && whole.values().all(Value::is_object) {
            // `{"github": {"command": …}}`, without the name around it.
            let around = Surroundings::default();
            entries.extend(whole.into_iter().map(|(name, value)| Entry::new(name, value, &around)));
        } else {
            return Err(wrong(
                "the text names no MCP server: nothing in it has a command or an address below a name such as `mcpServers`"
                    .to_owned(),
            ));
        }
    }
    if entries.is_empty() || entries.len() > MAX_SERVERS {
        return Err(wrong(format!(
            "the text names {} servers; 1 to {MAX_SERVERS} can be read",
            entries.len()
        )));
    }
    let (mut drafts, mut slugs) = (Vec::<SourceDraft>::new(), BTreeSet::new());
    for Entry { name, value, around, off } in entries {
        let mut made = draft(&name, &value, &around);
        if off && !made.notes.iter().any(|note| note == server::OFF) {
            made.notes.push(server::OFF.to_owned());
        }
        // Two projects may use the same server.
        let same = |other: &SourceDraft| {
            other.config == made.config && other.secrets == made.secrets && other.problem == made.problem
        };
        if drafts.iter().any(same) {
            continue;
        }
        let wanted = slug_of(&name);
        let mut slug = wanted.clone();
        let mut number = 1;
        while !slugs.insert(slug.clone()) {
            number += 1;
            slug = format!("{wanted}-{number}");
        }
        made.config["slug"] = json!(slug);
        drafts.push(made);
    }
    Ok(drafts)
}

/// A server as it stands in the text.
struct Entry {
    name: String,
    value: Value,
    around: Surroundings,
    /// Whether a list beside it switches it off.
    off: bool,
}

impl Entry {
    fn new(name: String, value: Value, around: &Surroundings) -> Self {
        Self { name, value, around: around.clone(), off: false }
    }
}

/// What was found so far.
#[derive(Default)]
struct Search {
    entries: Vec<Entry>,
    /// How many objects and lists of servers there are, empty ones too.
    containers: usize,
    objects: usize,
}

impl Search {
    fn look(&mut self, object: &Map<String, Value>, around: &Surroundings, depth: usize) {
        self.objects += 1;
        if depth > MAX_DEPTH || self.objects > MAX_OBJECTS {
            return;
        }
        let mut around = around.clone();
        around.inputs.extend(Input::all(object.get("inputs")));
        let off = names_in(object, &["disabledMcpServers", "disabledMcpjsonServers"])
            .chain(object.get("mcp").into_iter().flat_map(|mcp| names_in_value(mcp, "excluded")))
            .collect::<BTreeSet<String>>();
        for (name, value) in object {
            if let Some(entries) = servers_of(name, value) {
                self.containers += 1;
                self.entries.extend(entries.into_iter().map(|(name, value)| Entry {
                    off: off.contains(&name),
                    ..Entry::new(name, value, &around)
                }));
                continue;
            }
            let Value::Object(inner) = value else { continue };
            // Below a folder's name stand the servers of that project.
            let project = (name.starts_with('/') || name.get(1..3) == Some(":\\")).then(|| name.clone());
            let around =
                Surroundings { project: project.or_else(|| around.project.clone()), ..around.clone() };
            self.look(inner, &around, depth + 1);
        }
    }
}

fn names_in<'a>(object: &'a Map<String, Value>, fields: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    fields.iter().filter_map(|field| object.get(*field)).flat_map(names)
}

fn names_in_value<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = String> + 'a {
    value.get(field).into_iter().flat_map(names)
}

fn names(list: &Value) -> impl Iterator<Item = String> + '_ {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned)
}

/// The servers that stand under a name; `None` where it is not that of servers.
fn servers_of(name: &str, value: &Value) -> Option<Vec<(String, Value)>> {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let server = |value: &Value| value.as_object().is_some_and(is_server);
    let surely =
        plain.ends_with("mcpservers") && !plain.starts_with("disabled") && !plain.starts_with("enabled")
            || plain == "contextservers";
    match value {
        Value::Object(entries) => {
            let perhaps = ["servers", "mcp", "extensions"].contains(&plain.as_str());
            let any = entries.values().any(server);
            (surely && (entries.is_empty() || entries.values().any(Value::is_object)) || perhaps && any).then(
                || {
                    let objects = entries.iter().filter(|(_, value)| value.is_object());
                    objects.map(|(name, value)| (name.clone(), value.clone())).collect()
                },
            )
        }
        Value::Array(list) if surely && list.iter().all(Value::is_object) => Some(
            list.iter()
                .enumerate()
                .map(|(index, value)| {
                    let name = value.get("name").or_else(|| value.get("id")).and_then(Value::as_str);
                    (name.map_or_else(|| format!("server-{}", index + 1), str::to_owned), value.clone())
                })
                .collect(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
