//! One server of another program as a source of ours.

use std::collections::BTreeMap;

use protocol::{Hidden, SourceDraft};
use serde_json::{Map, Value, json};
use workspace::{looks_secret, names_secret};

use super::references::{Piece, Surroundings, whole_variable};
use super::slug_of;

/// What the person is told of a server that is switched off in its program.
pub(super) const OFF: &str = "it is switched off in the other program";

/// Fields that are read, or say nothing that a source would keep.
const READ: [&str; 55] = [
    "command",
    "cmd",
    "commandLine",
    "args",
    "arguments",
    "env",
    "environment",
    "envs",
    "environmentVariables",
    "env_vars",
    "env_keys",
    "envFile",
    "env_file",
    "cwd",
    "workingDirectory",
    "url",
    "serverUrl",
    "httpUrl",
    "http_url",
    "server_url",
    "uri",
    "endpoint",
    "headers",
    "http_headers",
    "httpHeaders",
    "env_http_headers",
    "requestInit",
    "bearer_token_env_var",
    "bearerTokenEnvVar",
    "oauth",
    "auth",
    "type",
    "transport",
    "transportType",
    "source",
    "enabled",
    "disabled",
    "isActive",
    "name",
    "id",
    "description",
    "display_name",
    "title",
    "startup_timeout_sec",
    "tool_timeout_sec",
    "enabled_tools",
    "enabledTools",
    "includeTools",
    "tools",
    "available_tools",
    "bundled",
    "gallery",
    "version",
    "$schema",
    "required",
];

/// Why a server can't be a source here, in words.
struct Unusable(String);

impl From<&str> for Unusable {
    fn from(why: &str) -> Self {
        Self(why.to_owned())
    }
}

/// How a server is started or reached.
enum Launch {
    Program { command: String, args: Vec<String> },
    Address(String),
}

/// Whether an object has the form of a server: a command or an address.
pub(super) fn is_server(object: &Map<String, Value>) -> bool {
    launch(object).is_some()
}

fn launch(object: &Map<String, Value>) -> Option<Launch> {
    let text = |field: &str| object.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let more = || texts(object.get("args").or_else(|| object.get("arguments")));
    let command = object.get("command").or_else(|| object.get("cmd")).or_else(|| object.get("commandLine"));
    match command {
        Some(Value::String(line)) if !line.trim().is_empty() => {
            let mut args = more();
            let mut command = line.clone();
            // One line as a person types it, without a list of arguments beside it.
            if args.is_empty() && !object.contains_key("args") && !line.contains(['/', '\\', '"', '\'']) {
                let mut words = line.split_whitespace().map(str::to_owned);
                command = words.next().unwrap_or_default();
                args = words.collect();
            }
            Some(Launch::Program { command, args })
        }
        Some(list @ Value::Array(_)) => {
            let mut words = texts(Some(list)).into_iter();
            let command = words.next().filter(|command| !command.trim().is_empty())?;
            Some(Launch::Program { command, args: words.chain(more()).collect() })
        }
        Some(Value::Object(inner)) => {
            let command = inner.get("path").or_else(|| inner.get("command")).and_then(Value::as_str)?;
            let args = texts(inner.get("args"));
            Some(Launch::Program { command: command.to_owned(), args })
        }
        _ => ["url", "httpUrl", "serverUrl", "http_url", "server_url", "uri", "endpoint"]
            .iter()
            .find_map(|field| text(field))
            .map(|address| Launch::Address(address.to_owned())),
    }
}

/// A list of texts; numbers and yes or no are written out.
fn texts(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.map(plain).collect()
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What becomes of an entry of servers.
pub(super) fn draft(name: &str, entry: &Value, around: &Surroundings) -> SourceDraft {
    let empty = Map::new();
    let entry = entry.as_object().unwrap_or(&empty);
    let mut made =
        Making { entry, around, secrets: BTreeMap::new(), notes: Vec::new(), left_out: Vec::new() };
    let name: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
    let mut config = json!({
        "slug": slug_of(&name),
        "name": name,
        "description": format!("The MCP server {name}."),
        "type": "mcp",
    });
    let problem = match made.server() {
        Ok(mcp) => {
            config["mcp"] = mcp;
            let offered = made.offered();
            if !offered.is_empty() {
                config["offered"] = json!(offered);
            }
            let slug = config["slug"].as_str().unwrap_or_default().to_owned();
            workspace::read_source("config.json", &slug, &config.to_string()).err().map(|problems| {
                let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
                lines.join("; ")
            })
        }
        Err(Unusable(why)) => Some(why),
    };
    if made.is_off() {
        made.notes.push(OFF.to_owned());
    }
    if let Some(project) = &around.project {
        made.notes.push(format!("it stands there for the project {project}"));
    }
    let Making { mut secrets, notes, mut left_out, .. } = made;
    if problem.is_some() {
        // What can't be used keeps nothing of what may be secret.
        config = json!({"slug": config["slug"], "name": config["name"]});
        (secrets, left_out) = Default::default();
    }
    SourceDraft { config, secrets, left_out, notes, problem }
}

/// A source under way.
struct Making<'a> {
    entry: &'a Map<String, Value>,
    around: &'a Surroundings,
    secrets: BTreeMap<String, Hidden>,
    notes: Vec<String>,
    left_out: Vec<String>,
}

impl Making<'_> {
    fn text(&self, field: &str) -> Option<&str> {
        self.entry.get(field).and_then(Value::as_str)
    }

    fn first(&self, fields: &[&str]) -> Option<&Value> {
        fields.iter().find_map(|field| self.entry.get(*field)).filter(|value| !value.is_null())
    }

    fn is_off(&self) -> bool {
        let flag = |field: &str| self.entry.get(field).and_then(Value::as_bool);
        flag("disabled") == Some(true) || flag("enabled") == Some(false) || flag("isActive") == Some(false)
    }

    fn server(&mut self) -> Result<Value, Unusable> {
        let kind =
            self.text("type").or_else(|| self.text("transport")).or_else(|| self.text("transportType"));
        let kind = kind.unwrap_or_default().to_ascii_lowercase();
        if ["ws", "websocket"].contains(&kind.as_str()) {
            return Err(
                "it is reached over a web socket; here servers are started as programs or reached over HTTP"
                    .into(),
            );
        }
        let Some(launch) = launch(self.entry) else {
            let part = ["settings", "bundled"].iter().any(|field| self.entry.contains_key(*field))
                || ["builtin", "platform", "frontend", "inline_python"].contains(&kind.as_str())
                || self.text("source") == Some("extension");
            return Err(Unusable::from(match part {
                true => {
                    "it is a part or an extension of the other program: nothing says how it is started without that program"
                }
                false => "it has neither a command nor an address",
            }));
        };
        for field in self.entry.keys().filter(|field| !READ.contains(&field.as_str())) {
            self.left_out.push(field.clone());
        }
        let mut mcp = match launch {
            Launch::Program { command, args } => self.program(&command, &args)?,
            Launch::Address(address) => {
                if kind == "sse" {
                    self.left_out.push("type sse".to_owned());
                }
                self.remote(&address)?
            }
        };
        for (field, ours) in
            [("startup_timeout_sec", "startTimeoutSeconds"), ("tool_timeout_sec", "callTotalSeconds")]
        {
            if let Some(seconds) =
                self.entry.get(field).and_then(Value::as_f64).filter(|number| *number >= 1.0)
            {
                mcp[ours] = json!(seconds.min(600.0) as u64);
            }
        }
        Ok(mcp)
    }

    fn program(&mut self, command: &str, args: &[String]) -> Result<Value, Unusable> {
        let mut mcp = json!({"transport": "stdio", "command": self.fixed("its command", command)?});
        let args = args.iter().map(|argument| self.fixed("an argument", argument));
        mcp["args"] = json!(args.collect::<Result<Vec<String>, Unusable>>()?);
        if let Some(cwd) = self.text("cwd").or_else(|| self.text("workingDirectory")) {
            mcp["cwd"] = json!(self.fixed("its folder", cwd)?);
        }
        let inner = self.entry.get("command").and_then(|command| command.get("env"));
        let variables = self.first(&["env", "environment", "envs", "environmentVariables"]).or(inner);
        let mut inherit = Vec::new();
        let mut env = Map::new();
        for (name, value) in pairs(variables) {
            // A variable that is passed on under its own name.
            if whole_variable(&value) == Some(name.as_str()) && !names_secret(&name) {
                inherit.push(name);
                continue;
            }
            let value = self.value(&name, &value);
            env.insert(name, json!(value));
        }
        // Names of variables of the surroundings: secrets among them are asked for.
        for name in self
            .entry
            .get("env_vars")
            .or_else(|| self.entry.get("env_keys"))
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let Some(name) = name.as_str().or_else(|| name.get("name")?.as_str()) else { continue };
            if names_secret(name) {
                let value = self.value(name, &format!("${{{name}}}"));
                env.insert(name.to_owned(), json!(value));
            } else {
                inherit.push(name.to_owned());
            }
        }
        mcp["env"] = Value::Object(env);
        if !inherit.is_empty() {
            mcp["inheritEnv"] = json!(inherit);
        }
        if let Some(file) = self.text("envFile").or_else(|| self.text("env_file")) {
            self.notes.push(format!("variables of the file {file} are not taken over: name them in `env`"));
        }
        Ok(mcp)
    }

    fn remote(&mut self, address: &str) -> Result<Value, Unusable> {
        let address = self.fixed("its address", address)?;
        let secret = |pair: &str| {
            pair.split_once('=').is_some_and(|(name, value)| names_secret(name) && !value.is_empty())
        };
        if address.split_once('?').is_some_and(|(_, query)| query.split('&').any(secret)) {
            return Err("its address holds a key, and an address here can't: give the key in a header where the service takes it there".into());
        }
        let mut mcp = json!({"transport": "http", "url": address});
        let init = self.entry.get("requestInit").and_then(|init| init.get("headers"));
        let mut headers = Map::new();
        for (name, value) in pairs(self.first(&["headers", "http_headers", "httpHeaders"]).or(init)) {
            let bearer = ["Bearer ", "bearer "].iter().find_map(|begin| value.strip_prefix(begin));
            if name.eq_ignore_ascii_case("authorization")
                && let Some(token) = bearer
            {
                mcp["authType"] = json!("bearer");
                self.secret("bearer", token.trim());
                continue;
            }
            let value = self.value(&name, &value);
            headers.insert(name, json!(value));
        }
        for (name, variable) in pairs(self.entry.get("env_http_headers")) {
            let value = self.value(&name, &format!("${{{variable}}}"));
            headers.insert(name, json!(value));
        }
        mcp["headers"] = Value::Object(headers);
        if let Some(variable) = self.text("bearer_token_env_var").or_else(|| self.text("bearerTokenEnvVar")) {
            mcp["authType"] = json!("bearer");
            self.secret("bearer", &format!("${{{variable}}}"));
        }
        self.sign_in(&mut mcp);
        Ok(mcp)
    }

    /// A sign-in in the browser, where the entry says that there is one.
    fn sign_in(&mut self, mcp: &mut Value) {
        let Some(asked) = self.first(&["oauth", "auth"]) else { return };
        if mcp.get("authType").is_some()
            || matches!(asked, Value::Bool(false) | Value::Array(_) | Value::Number(_))
        {
            return;
        }
        if asked.as_str().is_some_and(|word| !word.eq_ignore_ascii_case("oauth")) {
            self.left_out.push("auth".to_owned());
            return;
        }
        mcp["authType"] = json!("oauth");
        let text = |fields: [&str; 3]| fields.iter().find_map(|field| asked.get(*field)?.as_str());
        if let Some(id) = text(["clientId", "client_id", "CLIENT_ID"]) {
            mcp["clientId"] = json!(id);
        }
        let scopes: Vec<String> = match asked.get("scopes").or_else(|| asked.get("scope")) {
            Some(Value::String(words)) => words.split_whitespace().map(str::to_owned).collect(),
            list => texts(list),
        };
        if !scopes.is_empty() {
            mcp["scopes"] = json!(scopes);
        }
        if text(["clientSecret", "client_secret", "CLIENT_SECRET"]).is_some() {
            self.notes.push("its client secret is not taken over: give it when you sign in".to_owned());
        }
    }

    /// A value that stands in the configuration as it is: nothing may be left to fill in.
    fn fixed(&self, what: &str, value: &str) -> Result<String, Unusable> {
        if value.is_empty() {
            return Ok(String::new());
        }
        let mut out = String::new();
        for piece in self.around.pieces(value, false) {
            match piece {
                Piece::Text(text) => out.push_str(&text),
                Piece::Open(from) => {
                    return Err(Unusable(format!(
                        "{what} takes {from}, and nothing is filled in there here: write the value into the text and read it again"
                    )));
                }
            }
        }
        Ok(out)
    }

    /// A value of a variable or header; secrets and what is to be filled in become references to secrets.
    fn value(&mut self, name: &str, value: &str) -> String {
        let sensitive = names_secret(name);
        let pieces = self.around.pieces(value, sensitive);
        let closed: String = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.as_str(),
                Piece::Open(_) => "",
            })
            .collect();
        let open = pieces.iter().any(|piece| matches!(piece, Piece::Open(_)));
        if !open {
            if sensitive || looks_secret(&closed) {
                self.secrets.insert(secret_name(name), Hidden(closed));
                return format!("${{secret:{}}}", secret_name(name));
            }
            return closed;
        }
        let (mut out, mut number) = (String::new(), 0);
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.push_str(&text),
                Piece::Open(from) => {
                    number += 1;
                    let name = match number {
                        1 => secret_name(name),
                        number => format!("{}_{number}", secret_name(name)),
                    };
                    self.notes.push(format!("{name} is to be given: {from}"));
                    out.push_str(&format!("${{secret:{name}}}"));
                }
            }
        }
        out
    }

    /// A secret that has its place in the configuration under this name.
    fn secret(&mut self, name: &str, value: &str) {
        let pieces = self.around.pieces(value, true);
        match pieces.iter().find_map(|piece| match piece {
            Piece::Open(from) => Some(from.clone()),
            Piece::Text(_) => None,
        }) {
            Some(from) => self.notes.push(format!("{name} is to be given: {from}")),
            None => drop(self.secrets.insert(name.to_owned(), Hidden(value.to_owned()))),
        }
    }

    /// The tools that its program offers; none for all.
    fn offered(&mut self) -> Vec<String> {
        let list = self.first(&["enabled_tools", "enabledTools", "includeTools", "tools", "available_tools"]);
        let tools = texts(list.filter(|list| list.is_array()));
        if tools.iter().any(|tool| tool.contains('*')) { Vec::new() } else { tools }
    }
}

/// Names with values: an object, a list of `NAME=value`, or a list of objects with both.
fn pairs(value: Option<&Value>) -> Vec<(String, String)> {
    match value {
        Some(Value::Object(map)) => map
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), plain(value)))
            .collect(),
        Some(Value::Array(list)) => list
            .iter()
            .filter_map(|each| match each {
                Value::String(pair) => {
                    pair.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()))
                }
                other => Some((other.get("name")?.as_str()?.to_owned(), plain(other.get("value")?))),
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// A name for a secret: what a configuration may refer to.
fn secret_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.') { c } else { '_' };
    name.chars().map(plain).take(100).collect()
}
