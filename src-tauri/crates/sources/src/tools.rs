//! The tools of a source: listed page by page within limits, cleaned, and fingerprinted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::config::SourceConfig;
use crate::error::SourceErrorKind;
use crate::reason::Reason;
use crate::schema::check_schema;
use crate::text::{excerpt, strip_invisible};

/// Longest name of a tool, in characters (MCP 2026-07-28, Tools).
const NAME_CHARS: usize = 128;

/// What a server claims about a tool's effects. Claims only: whether they count is the caller's decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolHints {
    /// It changes nothing.
    #[serde(rename = "readOnlyHint")]
    pub read_only: Option<bool>,
    /// It may destroy something.
    #[serde(rename = "destructiveHint")]
    pub destructive: Option<bool>,
    /// Calling it again with the same arguments changes nothing more.
    #[serde(rename = "idempotentHint")]
    pub idempotent: Option<bool>,
    /// It reaches beyond its own data.
    #[serde(rename = "openWorldHint")]
    pub open_world: Option<bool>,
}

/// One tool of a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name, unique within the source.
    pub name: String,
    /// A title for people, cleaned of invisible characters.
    pub title: Option<String>,
    /// The description for models, cleaned of invisible characters.
    pub description: String,
    /// JSON Schema of the arguments.
    pub input_schema: Value,
    /// JSON Schema of the result, where the server promises one.
    pub output_schema: Option<Value>,
    /// The server's claims.
    pub hints: ToolHints,
    /// SHA-256 (hex) of the definition exactly as the server gave it, keys sorted: it changes with any change that a
    /// model or a person could be shown.
    pub fingerprint: String,
}

/// The tools of one source by name.
pub type ToolTable = Arc<BTreeMap<String, Tool>>;

/// A tool that a server lists and nobody can use. The others are not touched by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableTool {
    /// Its name as far as it has one, with invisible characters written out; else its place in the list.
    pub tool: String,
    /// What is wrong with it.
    pub reason: String,
}

impl std::fmt::Display for UnusableTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.tool, self.reason)
    }
}

/// What a server lists.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listing {
    pub(crate) tools: ToolTable,
    pub(crate) left_out: Arc<[UnusableTool]>,
}

#[derive(Deserialize)]
struct WireTool {
    name: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(rename = "inputSchema")]
    input_schema: Value,
    #[serde(default, rename = "outputSchema")]
    output_schema: Option<Value>,
    #[serde(default)]
    annotations: Option<Value>,
}

#[derive(Deserialize)]
struct WirePage {
    tools: Vec<Value>,
    #[serde(default, rename = "nextCursor")]
    next_cursor: Option<String>,
}

/// The list while it is being read.
pub(crate) struct Catalogue<'a> {
    config: &'a SourceConfig,
    tools: BTreeMap<String, Tool>,
    left_out: Vec<UnusableTool>,
    /// Names that stand for several tools: none of them is used, since nobody can say which one would answer.
    ambiguous: BTreeSet<String>,
    seen: usize,
    pages: usize,
    bytes: usize,
    cursors: BTreeSet<String>,
}

impl<'a> Catalogue<'a> {
    pub(crate) fn new(config: &'a SourceConfig) -> Self {
        Self {
            config,
            tools: BTreeMap::new(),
            left_out: Vec::new(),
            ambiguous: BTreeSet::new(),
            seen: 0,
            pages: 0,
            bytes: 0,
            cursors: BTreeSet::new(),
        }
    }

    /// Adds a page of `bytes` on the wire; returns the cursor of the next one.
    pub(crate) fn add_page(&mut self, page: Value, bytes: usize) -> Result<Option<String>, SourceErrorKind> {
        self.pages += 1;
        self.bytes += bytes;
        if self.bytes > self.config.max_catalogue_bytes {
            return Err(SourceErrorKind::TooLarge {
                what: "its list of tools".into(),
                limit: self.config.max_catalogue_bytes,
            });
        }
        let page: WirePage = serde_json::from_value(page)
            .map_err(|error| protocol(format!("the answer to tools/list has a wrong shape: {error}")))?;
        for tool in page.tools {
            self.add(tool)?;
        }
        match page.next_cursor {
            Some(cursor)
                if self.pages >= self.config.max_tool_pages || !self.cursors.insert(cursor.clone()) =>
            {
                Err(SourceErrorKind::EndlessPages { pages: self.pages })
            }
            next => Ok(next),
        }
    }

    fn add(&mut self, tool: Value) -> Result<(), SourceErrorKind> {
        self.seen += 1;
        if self.seen > self.config.max_tools {
            return Err(SourceErrorKind::TooManyTools { limit: self.config.max_tools });
        }
        let name = shown_name(&tool, self.seen);
        match read_tool(tool, self.config.max_schema_bytes) {
            Ok(tool) => self.insert(tool),
            Err(reason) => self.leave_out(name, reason.0),
        }
        Ok(())
    }

    fn insert(&mut self, tool: Tool) {
        let again = self.tools.get(&tool.name).map(|known| known.fingerprint == tool.fingerprint);
        match again {
            None if self.ambiguous.contains(&tool.name) => {}
            None => drop(self.tools.insert(tool.name.clone(), tool)),
            // The same tool twice is one tool.
            Some(true) => {}
            Some(false) => {
                self.tools.remove(&tool.name);
                self.leave_out(tool.name.clone(), "different tools have this name".to_owned());
                self.ambiguous.insert(tool.name);
            }
        }
    }

    fn leave_out(&mut self, tool: String, reason: String) {
        tracing::warn!(source = self.config.slug, tool, reason, "a tool is left out");
        self.left_out.push(UnusableTool { tool, reason });
    }

    /// Leaves out the tools that can't be used, with the reason that is given for each.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Tool) -> Result<(), Reason>) {
        let mut refused = Vec::new();
        self.tools.retain(|name, tool| match keep(tool) {
            Ok(()) => true,
            Err(reason) => {
                refused.push((name.clone(), reason.0));
                false
            }
        });
        for (name, reason) in refused {
            self.leave_out(name, reason);
        }
    }

    pub(crate) fn finish(self) -> Listing {
        Listing { tools: Arc::new(self.tools), left_out: self.left_out.into() }
    }
}

/// What a tool that may be bad is called where it is told of.
fn shown_name(tool: &Value, place: usize) -> String {
    match tool.get("name").and_then(Value::as_str) {
        Some("") | None => format!("tool {place} of its list"),
        Some(name) => {
            let start: String = name.chars().take(NAME_CHARS).collect();
            let shown = start.escape_debug().to_string();
            if start.len() < name.len() { shown + "…" } else { shown }
        }
    }
}

/// A tool as it is used, or why it can't be.
fn read_tool(tool: Value, schema_bytes: usize) -> Result<Tool, Reason> {
    match tool.get("name") {
        Some(Value::String(_)) => {}
        Some(_) => return Err(Reason("its name is no text".to_owned())),
        None => return Err(Reason("it has no name".to_owned())),
    }
    if tool.get("inputSchema").is_none() {
        return Err(Reason("it has no schema of its arguments".to_owned()));
    }
    let tool: WireTool = serde_json::from_value(tool)
        .map_err(|error| excerpt(&format!("it has a wrong shape: {error}"), 300))?;
    let length = tool.name.chars().count();
    if length == 0 || length > NAME_CHARS || strip_invisible(&tool.name) != tool.name {
        return Err(Reason(format!("names have 1 to {NAME_CHARS} visible characters")));
    }
    for (what, schema) in [("arguments", Some(&tool.input_schema)), ("result", tool.output_schema.as_ref())] {
        let Some(schema) = schema else { continue };
        check_schema(schema, schema_bytes).map_err(|why| format!("the schema of its {what} {why}"))?;
    }
    let fingerprint = fingerprint(&tool);
    let hints =
        tool.annotations.and_then(|annotations| serde_json::from_value(annotations).ok()).unwrap_or_default();
    Ok(Tool {
        name: tool.name,
        title: tool.title.as_deref().map(strip_invisible),
        description: strip_invisible(tool.description.as_deref().unwrap_or_default()),
        input_schema: tool.input_schema,
        output_schema: tool.output_schema,
        hints,
        fingerprint,
    })
}

fn protocol(detail: String) -> SourceErrorKind {
    SourceErrorKind::Protocol { detail }
}

fn fingerprint(tool: &WireTool) -> String {
    let definition = json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": tool.annotations,
    });
    let mut canonical = String::new();
    write_canonical(&definition, &mut canonical);
    hex::encode(Sha256::digest(canonical.as_bytes()))
}

/// JSON with sorted keys and no spaces, whatever order the map type keeps.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let sorted: BTreeMap<&String, &Value> = fields.iter().collect();
            out.push('{');
            for (index, (key, field)) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write_canonical(field, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn list(page: Value) -> Result<Listing, SourceErrorKind> {
        let config = SourceConfig::new("kb", "server");
        let mut catalogue = Catalogue::new(&config);
        catalogue.add_page(page, 100)?;
        Ok(catalogue.finish())
    }

    /// Names of the tools that can be used, and what is said of the others.
    fn sorted_out(tools: Value) -> (Vec<String>, Vec<String>) {
        let listing = list(json!({"tools": tools})).unwrap();
        let names = listing.tools.keys().cloned().collect();
        (names, listing.left_out.iter().map(UnusableTool::to_string).collect())
    }

    fn one(tool: Value) -> Tool {
        let listing = list(json!({"tools": [tool]})).unwrap();
        listing.tools.values().next().unwrap().clone()
    }

    #[test]
    fn the_fingerprint_ignores_key_order_and_notices_hidden_characters() {
        let text = |json: &str| one(serde_json::from_str(json).unwrap());
        let first = text(r#"{"name":"a","description":"d","inputSchema":{"type":"object","x":1}}"#);
        let other = text(r#"{"inputSchema":{"x":1,"type":"object"},"description":"d","name":"a"}"#);
        let hidden = text(r#"{"name":"a","description":"d\u200b","inputSchema":{"type":"object","x":1}}"#);
        assert_eq!(first, other);
        assert_eq!(hidden.description, first.description);
        assert_ne!(hidden.fingerprint, first.fingerprint);
    }

    #[test]
    fn claims_are_kept_apart_and_absent_by_default() {
        let tool = one(json!({"name": "a", "inputSchema": {}, "annotations": {"readOnlyHint": true}}));
        assert_eq!(tool.hints, ToolHints { read_only: Some(true), ..ToolHints::default() });
    }

    #[test]
    fn a_bad_tool_is_left_out_with_its_reason_and_the_others_stay() {
        let good = json!({"name": "good", "inputSchema": {"type": "object"}});
        let after = json!({"name": "zoo", "inputSchema": true});
        let cases = [
            (json!({"inputSchema": {}}), "tool 2 of its list: it has no name"),
            (json!({"name": 7, "inputSchema": {}}), "tool 2 of its list: its name is no text"),
            (json!({"name": "", "inputSchema": {}}), "tool 2 of its list: names have 1 to 128"),
            (json!({"name": "a\u{202e}b", "inputSchema": {}}), "a\\u{202e}b: names have 1 to 128"),
            (json!({"name": "x".repeat(200), "inputSchema": {}}), "…: names have 1 to 128"),
            (json!({"name": "a"}), "a: it has no schema of its arguments"),
            (
                json!({"name": "a", "inputSchema": "object"}),
                "a: the schema of its arguments is no JSON Schema",
            ),
            (
                json!({"name": "a", "inputSchema": {"type": "objekt"}}),
                "a: the schema of its arguments is no JSON Schema at /type",
            ),
            (
                json!({"name": "a", "inputSchema": {}, "outputSchema": {"properties": 5}}),
                "a: the schema of its result is no JSON Schema at /properties",
            ),
            (
                json!({"name": "a", "inputSchema": {"d": "x".repeat(70_000)}}),
                "a: the schema of its arguments is larger than 65536 bytes",
            ),
            (json!({"name": "a", "inputSchema": {}, "description": 5}), "a: it has a wrong shape"),
            (json!("echo"), "tool 2 of its list: it has no name"),
        ];
        for (bad, expected) in cases {
            let (names, left_out) = sorted_out(json!([good, bad, after]));
            assert_eq!(names, ["good", "zoo"], "{expected}");
            assert!(
                left_out.len() == 1 && left_out[0].contains(expected),
                "{left_out:?}, expected {expected}"
            );
        }
    }

    #[test]
    fn a_name_of_different_tools_is_used_for_none_of_them() {
        let tool = |name: &str, words: &str| json!({"name": name, "description": words, "inputSchema": {}});
        let (names, left_out) = sorted_out(json!([
            tool("a", "one"),
            tool("b", "x"),
            tool("a", "two"),
            tool("a", "one"),
            tool("b", "x")
        ]));
        assert_eq!(names, ["b"]);
        assert_eq!(left_out, ["a: different tools have this name"]);
    }

    #[test]
    fn bad_lists_say_what_is_wrong() {
        let message = |page| list(page).unwrap_err().to_string();
        assert!(message(json!({"tools": {}})).contains("wrong shape"));
        let bad = json!({"name": "", "inputSchema": {}});
        assert!(message(json!({"tools": vec![bad; 1_001]})).contains("more than 1000 tools"));
    }

    #[test]
    fn a_cursor_that_comes_back_ends_the_list() {
        let config = SourceConfig::new("kb", "server");
        let mut catalogue = Catalogue::new(&config);
        let page = json!({"tools": [], "nextCursor": "again"});
        assert_eq!(catalogue.add_page(page.clone(), 10), Ok(Some("again".into())));
        assert_eq!(catalogue.add_page(page, 10), Err(SourceErrorKind::EndlessPages { pages: 2 }));
    }
}
