//! Sources out of the configuration that other programs keep for MCP servers.

use std::collections::BTreeMap;

use domain::{ErrorCode, Problem};
use protocol::{Hidden, SourceDraft};
use serde_json::{Map, Value, json};
use workspace::{looks_secret, names_secret};

use super::edit::slug_of;

/// The most servers of one text.
const MAX_SERVERS: usize = 50;
/// Fields that are read.
const READ: [&str; 10] =
    ["command", "args", "env", "cwd", "url", "serverUrl", "httpUrl", "headers", "type", "transport"];

/// Reads sources from an object with `mcpServers` (or `servers`), or from one server of it.
pub fn source_read(text: &Hidden) -> Result<Vec<SourceDraft>, Problem> {
    let wrong = |what: String| Problem::new(ErrorCode::InvalidInput, what);
    let value: Value = serde_json::from_str(text.0.trim())
        .map_err(|error| wrong(format!("the text is not valid JSON: {error}")))?;
    let Value::Object(whole) = value else { return Err(wrong("the text is not a JSON object".to_owned())) };
    let servers = ["mcpServers", "servers", "mcp_servers"].iter().find_map(|name| whole.get(*name));
    let servers = match servers.and_then(Value::as_object) {
        Some(servers) => servers.clone(),
        None if is_server(&whole) => Map::from_iter([("my-server".to_owned(), Value::Object(whole))]),
        // `{"github": {"command": …}}`, without the name around it.
        None if !whole.is_empty() && whole.values().all(|each| each.as_object().is_some_and(is_server)) => {
            whole
        }
        None => return Err(wrong("the text names no MCP server: `mcpServers` is missing".to_owned())),
    };
    if servers.is_empty() || servers.len() > MAX_SERVERS {
        return Err(wrong(format!(
            "the text names {} servers; 1 to {MAX_SERVERS} can be read",
            servers.len()
        )));
    }
    servers
        .iter()
        .map(|(name, server)| match server.as_object().filter(|server| is_server(server)) {
            Some(server) => Ok(draft(name, server)),
            None => Err(wrong(format!("the server {name} has neither a command nor an address"))),
        })
        .collect()
}

fn is_server(object: &Map<String, Value>) -> bool {
    ["command", "url", "serverUrl", "httpUrl"]
        .iter()
        .any(|field| object.get(*field).is_some_and(Value::is_string))
}

fn draft(name: &str, server: &Map<String, Value>) -> SourceDraft {
    let text = |field: &str| server.get(field).and_then(Value::as_str).map(str::to_owned);
    let mut secrets = BTreeMap::new();
    let mut left_out: Vec<String> =
        server.keys().filter(|field| !READ.contains(&field.as_str())).cloned().collect();
    let url = ["url", "httpUrl", "serverUrl"].iter().find_map(|field| text(field));
    let mcp = match (text("command"), url) {
        (Some(command), _) => {
            let args: Vec<&str> = server
                .get("args")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let mut mcp = json!({"transport": "stdio", "command": command, "args": args});
            if let Some(cwd) = text("cwd") {
                mcp["cwd"] = json!(cwd);
            }
            mcp["env"] = values(server.get("env"), &mut secrets);
            mcp
        }
        (None, url) => {
            if text("type").or_else(|| text("transport")).is_some_and(|kind| kind == "sse") {
                left_out.push("type sse".to_owned());
            }
            let mut headers = server.get("headers").cloned().unwrap_or_default();
            let bearer = headers.as_object_mut().and_then(|headers| {
                let name = headers.keys().find(|name| name.eq_ignore_ascii_case("authorization")).cloned()?;
                let token = headers.get(&name)?.as_str()?.strip_prefix("Bearer ")?.trim().to_owned();
                headers.remove(&name);
                Some(token)
            });
            let mut mcp = json!({"transport": "http", "url": url.unwrap_or_default()});
            if let Some(token) = bearer {
                mcp["authType"] = json!("bearer");
                if !is_reference(&token) {
                    secrets.insert("bearer".to_owned(), Hidden(token));
                }
            }
            mcp["headers"] = values(Some(&headers), &mut secrets);
            mcp
        }
    };
    let config = json!({
        "slug": slug_of(name),
        "name": name,
        "description": format!("The MCP server {name}."),
        "type": "mcp",
        "mcp": mcp,
    });
    SourceDraft { config, secrets, left_out }
}

/// Variables or headers, with secrets replaced by references to them.
fn values(given: Option<&Value>, secrets: &mut BTreeMap<String, Hidden>) -> Value {
    let mut kept = Map::new();
    for (name, value) in given.and_then(Value::as_object).into_iter().flatten() {
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let sensitive = names_secret(name) || looks_secret(&value) || is_reference(&value);
        if sensitive {
            if !is_reference(&value) {
                secrets.insert(name.clone(), Hidden(value));
            }
            kept.insert(name.clone(), json!(format!("${{secret:{name}}}")));
        } else {
            kept.insert(name.clone(), json!(value));
        }
    }
    Value::Object(kept)
}

/// Whether a value only stands for one that is to be filled in: `${TOKEN}`, `<your key>`, or nothing.
fn is_reference(value: &str) -> bool {
    let value = value.trim();
    value.is_empty()
        || value.contains("${")
        || (value.starts_with('<') && value.ends_with('>'))
        || value.to_ascii_uppercase().starts_with("YOUR")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn read(value: Value) -> Vec<SourceDraft> {
        source_read(&Hidden(value.to_string())).unwrap()
    }

    #[test]
    fn a_block_of_servers_becomes_sources_whose_secrets_stand_apart() {
        let drafts = read(json!({"mcpServers": {
            "Git Hub": {"command": "npx", "args": ["-y", "server@1.2.3"], "autoApprove": ["x"],
                "env": {"GITHUB_TOKEN": "canary-7319", "LOG_LEVEL": "debug", "API_KEY": "<your key>"}},
            "remote": {"type": "http", "url": "https://mcp.example.org/",
                "headers": {"Authorization": "Bearer canary-8820", "X-Team": "one"}},
        }}));
        assert_eq!(
            drafts[0].config["mcp"],
            json!({"transport": "stdio", "command": "npx", "args": ["-y", "server@1.2.3"], "env": {
                "GITHUB_TOKEN": "${secret:GITHUB_TOKEN}", "LOG_LEVEL": "debug", "API_KEY": "${secret:API_KEY}"}})
        );
        assert_eq!(drafts[0].config["slug"], "git-hub");
        assert_eq!(
            drafts[0].secrets,
            BTreeMap::from([("GITHUB_TOKEN".into(), Hidden("canary-7319".into()))])
        );
        assert_eq!(drafts[0].left_out, ["autoApprove"]);
        assert_eq!(
            drafts[1].config["mcp"],
            json!({"transport": "http", "url": "https://mcp.example.org/", "authType": "bearer",
                "headers": {"X-Team": "one"}})
        );
        assert_eq!(drafts[1].secrets, BTreeMap::from([("bearer".into(), Hidden("canary-8820".into()))]));
        for draft in drafts {
            let slug = draft.config["slug"].as_str().unwrap();
            assert_eq!(workspace::read_source("config.json", slug, &draft.config.to_string()).err(), None);
        }
    }

    #[test]
    fn one_server_alone_is_read_and_what_names_none_is_refused() {
        assert_eq!(read(json!({"command": "a", "args": []})).len(), 1);
        assert_eq!(read(json!({"one": {"url": "https://a.example/"}})).len(), 1);
        for text in
            ["[]", "{", "{}", r#"{"mcpServers": {}}"#, r#"{"mcpServers": {"a": {}}}"#, r#"{"slug": "x"}"#]
        {
            assert!(source_read(&Hidden(text.to_owned())).is_err(), "{text}");
        }
    }
}
