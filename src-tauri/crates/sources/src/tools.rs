//! The tools of a source: listed page by page within limits, cleaned, and fingerprinted.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::config::SourceConfig;
use crate::error::SourceErrorKind;
use crate::text::{excerpt, hex, strip_invisible};

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
    tools: Vec<WireTool>,
    #[serde(default, rename = "nextCursor")]
    next_cursor: Option<String>,
}

/// The list while it is being read.
pub(crate) struct Catalogue<'a> {
    config: &'a SourceConfig,
    tools: BTreeMap<String, Tool>,
    pages: usize,
    bytes: usize,
    cursors: std::collections::BTreeSet<String>,
}

impl<'a> Catalogue<'a> {
    pub(crate) fn new(config: &'a SourceConfig) -> Self {
        Self {
            config,
            tools: BTreeMap::new(),
            pages: 0,
            bytes: 0,
            cursors: std::collections::BTreeSet::new(),
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

    fn add(&mut self, tool: WireTool) -> Result<(), SourceErrorKind> {
        if self.tools.len() >= self.config.max_tools {
            return Err(SourceErrorKind::TooManyTools { limit: self.config.max_tools });
        }
        let length = tool.name.chars().count();
        if length == 0 || length > NAME_CHARS || strip_invisible(&tool.name) != tool.name {
            return Err(protocol(format!(
                "a tool is named {:?}; names have 1 to {NAME_CHARS} visible characters",
                excerpt(&tool.name, NAME_CHARS)
            )));
        }
        for schema in std::iter::once(&tool.input_schema).chain(&tool.output_schema) {
            if !matches!(schema, Value::Object(_) | Value::Bool(_)) {
                return Err(protocol(format!("a schema of tool `{}` is not a JSON Schema", tool.name)));
            }
            if schema.to_string().len() > self.config.max_schema_bytes {
                return Err(SourceErrorKind::TooLarge {
                    what: format!("a schema of its tool `{}`", tool.name),
                    limit: self.config.max_schema_bytes,
                });
            }
        }
        let fingerprint = fingerprint(&tool);
        let hints = tool
            .annotations
            .and_then(|annotations| serde_json::from_value(annotations).ok())
            .unwrap_or_default();
        let name = tool.name.clone();
        let added = self.tools.insert(
            name.clone(),
            Tool {
                name: tool.name,
                title: tool.title.as_deref().map(strip_invisible),
                description: strip_invisible(tool.description.as_deref().unwrap_or_default()),
                input_schema: tool.input_schema,
                output_schema: tool.output_schema,
                hints,
                fingerprint,
            },
        );
        match added {
            None => Ok(()),
            Some(_) => Err(protocol(format!("two tools are named `{name}`"))),
        }
    }

    /// Leaves out the tools that can't be used.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&Tool) -> bool) {
        self.tools.retain(|_, tool| keep(tool));
    }

    pub(crate) fn finish(self) -> ToolTable {
        Arc::new(self.tools)
    }
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
    hex(&Sha256::digest(canonical.as_bytes()))
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

    fn list(page: Value) -> Result<ToolTable, SourceErrorKind> {
        let config = SourceConfig::new("kb", "server");
        let mut catalogue = Catalogue::new(&config);
        catalogue.add_page(page, 100)?;
        Ok(catalogue.finish())
    }

    fn one(tool: Value) -> Tool {
        let table = list(json!({"tools": [tool]})).unwrap();
        table.values().next().unwrap().clone()
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
    fn bad_lists_say_what_is_wrong() {
        let tool = json!({"name": "a", "inputSchema": {}});
        let message = |page| list(page).unwrap_err().to_string();
        assert!(message(json!({"tools": [tool, tool]})).contains("two tools are named `a`"));
        assert!(message(json!({"tools": {}})).contains("wrong shape"));
        assert!(message(json!({"tools": [{"name": "", "inputSchema": {}}]})).contains("1 to 128"));
        let large = json!({"name": "a", "inputSchema": {"d": "x".repeat(70_000)}});
        assert!(message(json!({"tools": [large]})).contains("65536 bytes"));
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
