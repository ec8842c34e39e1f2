//! `connections.json` of a data directory: connections to model providers. It names secrets and holds none.

use std::collections::BTreeSet;
use std::path::Path;

use domain::connection::{Auth, Connection, MAX_PARALLEL_CALLS, OauthService, ProviderKind, callback_place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::{Host, Url};

use crate::agent::is_slug;
use crate::folder::{Fault, Folder};
use crate::json::{self, Quote, child};
use crate::problem::{ConfigProblem, MAX_PROBLEMS};
use crate::schemas;
use crate::source::check::{is_variable_name, looks_secret, names_secret};

const FILE: &str = "connections.json";
/// The version that this program reads and writes.
const VERSION: u64 = 1;
/// The longest slug, in bytes.
const MAX_SLUG_BYTES: usize = 40;
/// Slugs that name what is part of the program.
const RESERVED: [&str; 2] = ["offline", "scripted"];
/// The most connections of a file.
const MAX_CONNECTIONS: usize = 200;
const REMEDY: &str = "leave it out here and give it as the connection's secret, or name the environment variable that \
                      holds it";

/// The whole of `connections.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectionsFile {
    /// Names the JSON Schema of this file, so that editors complete and check it.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The form of this file: 1.
    pub version: u32,
    /// The connections.
    pub connections: Vec<Connection>,
}

/// A connection of the file: usable, or with what is wrong with it.
#[derive(Debug, Clone, PartialEq)]
pub struct ConnectionEntry {
    /// Its slug; of an entry that has none, its place in the list from 1: `#3`.
    pub slug: String,
    /// What stands in the file.
    pub raw: Value,
    /// The connection, or all that is wrong with it.
    pub connection: Result<Connection, Vec<ConfigProblem>>,
}

/// What a file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ConnectionList {
    /// Its `$schema`.
    pub schema: Option<String>,
    /// Its connections, in its order.
    pub entries: Vec<ConnectionEntry>,
}

/// Reads a data directory's connections; `None` where there is no file. A wrong entry costs no other one; the error is
/// what is wrong with the file as a whole.
pub fn read_connections(home: &Path) -> Result<Option<ConnectionList>, Vec<ConfigProblem>> {
    let folder = Folder::Disk(home.to_owned());
    let file = folder.label(FILE);
    let text = match folder.text(FILE) {
        Ok(text) => text,
        Err(Fault::Missing) => return Ok(None),
        Err(fault) => return Err(vec![fault.problem(&file, "")]),
    };
    parse_connections(&file, &text).map(Some)
}

/// Reads the text of such a file; `file` is its name in problems.
pub fn parse_connections(file: &str, text: &str) -> Result<ConnectionList, Vec<ConfigProblem>> {
    entries(file, text).map_err(|problems| placed(text, problems))
}

/// The text of a file with these entries, each as it stands there.
pub fn connections_text(list: &ConnectionList) -> String {
    let entries: Vec<&Value> = list.entries.iter().map(|entry| &entry.raw).collect();
    let file = match &list.schema {
        Some(schema) => json!({ "$schema": schema, "version": VERSION, "connections": entries }),
        None => json!({ "version": VERSION, "connections": entries }),
    };
    let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
    text.push('\n');
    text
}

/// Why a slug can't be a connection's, in words.
pub fn connection_slug_fault(slug: &str) -> Option<String> {
    if RESERVED.contains(&slug) {
        return Some(format!("`{slug}` is a connection of the program itself; take another name"));
    }
    (!is_slug(slug) || slug.len() > MAX_SLUG_BYTES).then(|| {
        format!("a connection's name has 1 to {MAX_SLUG_BYTES} lower-case letters, digits and hyphens, like `my-gateway`")
    })
}

/// Everything that is wrong with a connection; `pointer` is its place in `file`. Quotes no value that may be a secret.
pub fn check_connection(file: &str, pointer: &str, connection: &Connection) -> Vec<ConfigProblem> {
    let mut check = Check { file, base: pointer, problems: Vec::new() };
    check.connection(connection);
    check.problems.truncate(MAX_PROBLEMS);
    check.problems
}

impl ConnectionEntry {
    /// The slugs of the workspaces that have it; empty for every one. Of a wrong entry what can be read of it.
    pub fn workspaces(&self) -> Vec<String> {
        match &self.connection {
            Ok(connection) => connection.workspaces.clone(),
            Err(_) => serde_json::from_value(self.raw["workspaces"].clone()).unwrap_or_default(),
        }
    }

    /// Whether a workspace has it.
    pub fn is_in(&self, workspace: &str) -> bool {
        let workspaces = self.workspaces();
        workspaces.is_empty() || workspaces.iter().any(|slug| slug == workspace)
    }

    /// A connection that is right.
    pub fn new(connection: Connection) -> Self {
        let raw = serde_json::to_value(&connection).unwrap_or_default();
        Self { slug: connection.slug.clone(), raw, connection: Ok(connection) }
    }
}

fn entries(file: &str, text: &str) -> Result<ConnectionList, Vec<ConfigProblem>> {
    let value = json::parse(file, text)?;
    let repeated = json::repeated_names(file, text);
    let Value::Object(fields) = value else {
        return Err(vec![ConfigProblem::new(file, "", "an object", json::describe(&value))]);
    };
    let mut problems = Vec::new();
    const FIELDS: [&str; 3] = ["$schema", "version", "connections"];
    for name in fields.keys().filter(|name| !FIELDS.contains(&name.as_str())) {
        problems.push(
            ConfigProblem::new(
                file,
                child("", name),
                format!("one of the fields {}", FIELDS.join(", ")),
                "an unknown field",
            )
            .meaning(name, FIELDS),
        );
    }
    match fields.get("version") {
        Some(version) if version.as_u64() == Some(VERSION) => {}
        Some(version) if version.as_u64().is_some_and(|version| version > VERSION) => problems.push(
            ConfigProblem::new(file, "/version", VERSION.to_string(), json::describe(version))
                .with_remedy("a newer version of the program wrote this file: use that one"),
        ),
        Some(version) => {
            problems.push(ConfigProblem::new(file, "/version", VERSION.to_string(), json::describe(version)));
        }
        None => problems.push(ConfigProblem::new(file, "", "the field `version` (1)", "no such field")),
    }
    let list = match fields.get("connections") {
        Some(Value::Array(list)) if list.len() <= MAX_CONNECTIONS => list.as_slice(),
        Some(Value::Array(list)) => {
            let found = format!("{} connections", list.len());
            problems.push(ConfigProblem::new(
                file,
                "/connections",
                format!("at most {MAX_CONNECTIONS}"),
                found,
            ));
            &[]
        }
        Some(other) => {
            problems.push(ConfigProblem::new(file, "/connections", "a list", json::describe(other)));
            &[]
        }
        None => {
            problems.push(ConfigProblem::new(file, "", "the field `connections` (a list)", "no such field"));
            &[]
        }
    };
    let schema = match fields.get("$schema") {
        None => None,
        Some(Value::String(schema)) => Some(schema.clone()),
        Some(other) => {
            problems.push(ConfigProblem::new(file, "/$schema", "a text", json::describe(other)));
            None
        }
    };
    let inside = |problem: &ConfigProblem| problem.pointer.starts_with("/connections/");
    problems.extend(repeated.iter().filter(|problem| !inside(problem)).cloned());
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut taken = BTreeSet::new();
    let entries = list.iter().enumerate().map(|(index, raw)| {
        let pointer = format!("/connections/{index}");
        let slug = raw["slug"].as_str().filter(|slug| is_slug(slug)).map(str::to_owned);
        let mut problems: Vec<ConfigProblem> = repeated
            .iter()
            .filter(|problem| problem.pointer.starts_with(&format!("{pointer}/")))
            .cloned()
            .collect();
        if let Some(slug) = &slug
            && !taken.insert(slug.clone())
        {
            problems.push(ConfigProblem::new(
                file,
                format!("{pointer}/slug"),
                "a name that no other connection has",
                format!("`{slug}` a second time"),
            ));
        }
        let connection = entry(file, &pointer, raw, problems).map_err(|problems| placed(text, problems));
        ConnectionEntry {
            slug: slug.unwrap_or_else(|| format!("#{}", index + 1)),
            raw: raw.clone(),
            connection,
        }
    });
    Ok(ConnectionList { schema, entries: entries.collect() })
}

fn entry(
    file: &str,
    pointer: &str,
    raw: &Value,
    mut problems: Vec<ConfigProblem>,
) -> Result<Connection, Vec<ConfigProblem>> {
    let mut schema = json::check(file, raw, &schemas::CONNECTION, Quote::Kinds);
    for problem in &mut schema {
        problem.pointer = format!("{pointer}{}", problem.pointer);
        // A name may be a key that slipped out of its quotes.
        if looks_secret(&problem.found) || looks_secret(&problem.pointer) {
            problem.found = "a text that looks like a secret (not shown)".to_owned();
            problem.pointer = pointer.to_owned();
            problem.remedy = Some(REMEDY.to_owned());
        }
    }
    problems.extend(schema);
    if problems.is_empty() {
        match serde_json::from_value::<Connection>(raw.clone()) {
            Ok(connection) => {
                problems.extend(check_connection(file, pointer, &connection));
                if problems.is_empty() {
                    return Ok(connection);
                }
            }
            Err(_) => problems.push(ConfigProblem::new(
                file,
                pointer,
                "a value the program can hold",
                "another value (not shown)",
            )),
        }
    }
    problems.truncate(MAX_PROBLEMS);
    Err(problems)
}

fn placed(text: &str, problems: Vec<ConfigProblem>) -> Vec<ConfigProblem> {
    let place = |mut problem: ConfigProblem| {
        if problem.line.is_none() {
            problem.line = json::line_of(text, &problem.pointer);
        }
        problem.clipped()
    };
    problems.into_iter().map(place).collect()
}

struct Check<'a> {
    file: &'a str,
    base: &'a str,
    problems: Vec<ConfigProblem>,
}

impl Check<'_> {
    fn wrong(&mut self, at: &str, expected: &str, found: &str) {
        self.problems.push(ConfigProblem::new(self.file, format!("{}{at}", self.base), expected, found));
    }

    fn secret(&mut self, at: &str, expected: &str) {
        let problem =
            ConfigProblem::new(self.file, format!("{}{at}", self.base), expected, "a value (not shown)");
        self.problems.push(problem.with_remedy(REMEDY));
    }

    fn connection(&mut self, connection: &Connection) {
        if let Some(fault) = connection_slug_fault(&connection.slug) {
            self.wrong("/slug", "a connection's own name", &fault);
        }
        if connection.provider == ProviderKind::Offline {
            self.wrong(
                "/provider",
                "a provider: anthropic, openai, openai-chat, gemini or ollama",
                "`offline`, which needs no connection: it is always there",
            );
        }
        let texts = [
            ("/name", Some(&connection.name), 120),
            ("/defaultModel", connection.default_model.as_ref(), 200),
            ("/judgeModel", connection.judge_model.as_ref(), 200),
            ("/caFile", connection.ca_file.as_ref(), 4_096),
        ];
        for (at, text, most) in texts {
            let Some(text) = text else { continue };
            if text.len() > most || text.chars().any(char::is_control) {
                self.wrong(at, &format!("at most {most} bytes on one line"), "another text");
            } else if looks_secret(text) {
                self.secret(at, "no secret");
            }
        }
        let optional = [
            ("/defaultModel", &connection.default_model),
            ("/judgeModel", &connection.judge_model),
            ("/caFile", &connection.ca_file),
        ];
        for (at, text) in optional {
            if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
                self.wrong(at, "a text, or no such field", "an empty text");
            }
        }
        if let Some(address) = &connection.base_url {
            self.address("/baseUrl", address, false);
        }
        if let Some(proxy) = connection.proxy.as_ref().filter(|proxy| *proxy != "none") {
            self.proxy(proxy);
        }
        if connection.silence_seconds.is_some_and(|seconds| !(5..=3_600).contains(&seconds)) {
            self.wrong("/silenceSeconds", "5 to 3600", "another number");
        }
        if connection.max_parallel_calls.is_some_and(|calls| !(1..=MAX_PARALLEL_CALLS).contains(&calls)) {
            self.wrong("/maxParallelCalls", &format!("1 to {MAX_PARALLEL_CALLS}"), "another number");
        }
        if connection.background && connection.provider != ProviderKind::Openai {
            self.wrong("/background", "false: only `openai` makes answers in the background", "true");
        }
        self.auth(&connection.auth);
        self.headers(connection);
        self.models(connection);
    }

    /// An address; with `keys` one that secrets are sent to, whatever else is set.
    fn address(&mut self, at: &str, text: &str, keys: bool) {
        let expected = "an address like `https://host/path`";
        let Ok(url) = Url::parse(text) else { return self.wrong(at, expected, "another text") };
        if !url.username().is_empty() || url.password().is_some() || looks_secret(text) {
            return self.secret(at, "an address without a user name, a password or a key in it");
        }
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            return self.wrong(at, expected, "another kind of address");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return self.wrong(at, "an address without `?` and `#`", "one with them");
        }
        if keys && url.scheme() == "http" && !is_loopback(&url) {
            self.wrong(
                at,
                "an address that begins with https://",
                "http://, which would send secrets in the clear",
            );
        }
    }

    fn proxy(&mut self, text: &str) {
        const KINDS: [&str; 5] = ["http", "https", "socks5", "socks5h", "socks4"];
        match Url::parse(text) {
            Ok(url) if !url.username().is_empty() || url.password().is_some() => {
                let problem = ConfigProblem::new(
                    self.file,
                    format!("{}/proxy", self.base),
                    "a proxy's address without a user name and a password",
                    "one with them (not shown)",
                );
                self.problems
                    .push(problem.with_remedy("set HTTPS_PROXY where the program is started instead"));
            }
            Ok(url) if KINDS.contains(&url.scheme()) && url.host().is_some() => {}
            Ok(_) | Err(_) => {
                self.wrong("/proxy", "`none`, or an address like `http://host:3128`", "another text")
            }
        }
    }

    fn auth(&mut self, auth: &Auth) {
        match auth {
            Auth::None => {}
            Auth::Key { env } | Auth::Bearer { env } => {
                let Some(name) = env else { return };
                if looks_secret(name) {
                    self.secret("/auth/env", "the name of an environment variable");
                } else if !is_variable_name(name) || name.len() > 128 {
                    self.wrong(
                        "/auth/env",
                        "the name of an environment variable",
                        "another text (not shown)",
                    );
                }
            }
            Auth::Oauth { service } => self.service(service),
            Auth::WorkloadIdentity { token_file, token_url, fields } => {
                if !Path::new(token_file).is_absolute() || looks_secret(token_file) {
                    self.wrong(
                        "/auth/tokenFile",
                        "the full path of the file that holds the token",
                        "another text (not shown)",
                    );
                }
                self.address("/auth/tokenUrl", token_url, true);
                self.plain_fields("/auth/fields", fields.iter());
            }
        }
    }

    fn service(&mut self, service: &OauthService) {
        self.address("/auth/service/tokenUrl", &service.token_url, true);
        if let Some(address) = &service.authorize_url {
            self.address("/auth/service/authorizeUrl", address, true);
        }
        if service.client_id.trim().is_empty() || service.client_id.len() > 500 {
            self.wrong("/auth/service/clientId", "a client's id", "another text");
        }
        if service.scopes.iter().any(|scope| scope.is_empty() || scope.contains(char::is_whitespace)) {
            self.wrong("/auth/service/scopes", "names without spaces", "another text");
        }
        self.plain_fields("/auth/service/extra", service.extra.iter());
        if service.redirect_url.as_deref().is_some_and(|address| callback_place(address).is_none()) {
            self.wrong("/auth/service/redirectUrl", "http://localhost:<port>/callback", "another text");
        }
    }

    /// Names and values that travel beside a secret and are none.
    fn plain_fields<'a>(&mut self, at: &str, fields: impl Iterator<Item = (&'a String, &'a String)>) {
        for (name, value) in fields {
            if names_secret(name) || looks_secret(name) || looks_secret(value) {
                let at = if looks_secret(name) { at.to_owned() } else { child(at, name) };
                self.secret(&at, "no secret");
            }
        }
    }

    fn headers(&mut self, connection: &Connection) {
        const OWN: [&str; 8] = [
            "host",
            "connection",
            "content-length",
            "content-type",
            "content-encoding",
            "transfer-encoding",
            "accept-encoding",
            "te",
        ];
        for (name, value) in &connection.headers {
            let lower = name.to_ascii_lowercase();
            let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if name.is_empty() || name.len() > 100 || !name.bytes().all(token) || looks_secret(name) {
                self.wrong("/headers", "names of headers", "another text as a name (not shown)");
                continue;
            }
            let at = child("/headers", name);
            if OWN.contains(&lower.as_str()) {
                self.wrong(&at, "a header that the program does not set itself", "one that it does");
            } else if lower == "cookie" || names_secret(name) || bears_secret(value) {
                self.secret(&at, "no header that is a secret");
            } else if value.len() > 4_096 || !value.bytes().all(|byte| (32..127).contains(&byte)) {
                self.wrong(&at, "at most 4096 printable ASCII characters", "another text");
            }
        }
    }

    fn models(&mut self, connection: &Connection) {
        let mut ids = BTreeSet::new();
        for (index, model) in connection.models.iter().enumerate() {
            let at = |field: &str| format!("/models/{index}/{field}");
            if model.id.trim().is_empty() || model.id.len() > 200 || model.id.chars().any(char::is_control) {
                self.wrong(&at("id"), "a model's id", "another text");
            } else if !ids.insert(&model.id) {
                self.wrong(&at("id"), "a model once", &format!("`{}` a second time", model.id));
            }
            for (field, tokens) in [("contextWindow", model.context_window), ("maxOutput", model.max_output)]
            {
                if tokens.is_some_and(|tokens| !(1..=100_000_000).contains(&tokens)) {
                    self.wrong(&at(field), "1 to 100000000 tokens", "another number");
                }
            }
            let prices = model.price.iter().flat_map(|price| {
                [Some(price.input), Some(price.output), price.cache_read, price.cache_write]
            });
            if prices.flatten().any(|price| !(0.0..=1_000_000.0).contains(&price)) {
                self.wrong(&at("price"), "US dollars per million tokens, 0 to 1000000", "another number");
            }
        }
    }
}

fn bears_secret(value: &str) -> bool {
    let lower = value.trim_start().to_ascii_lowercase();
    looks_secret(value) || lower.starts_with("bearer ") || lower.starts_with("basic ")
}

/// Whether an address leads to this machine.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
