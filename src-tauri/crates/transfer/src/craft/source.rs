//! Sources: `config.json`, `guide.md`, `permissions.json`.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{BoundedReader, Content, CraftWorkspace, NewFile, PlainSecret, built_in_tools, pretty, unknown};

/// Words in the name of a variable or header that say that its value is a secret.
const SECRET_WORDS: [&str; 9] =
    ["key", "token", "secret", "password", "passwd", "credential", "auth", "cookie", "dsn"];

impl BoundedReader<'_> {
    pub(super) fn source(&mut self, folder: &Path, out: &mut CraftWorkspace) {
        let Some(slug) = self.slug(folder, "source") else { return };
        let path = folder.join("config.json");
        let place = path.display().to_string();
        let Some(config) = self.json(&path, "source", &slug) else { return };
        let Some(kind) = config["type"].as_str().filter(|kind| ["mcp", "api", "local"].contains(kind)) else {
            let why = "its type is none of `mcp`, `api` and `local`";
            return self.report.leave_out("source", &slug, why, &place);
        };
        let is_own = config["description"].is_string()
            && ["id", "enabled", "provider", "tagline"].iter().all(|field| config.get(field).is_none());
        if is_own {
            // It is in our form already, from another workspace of this program; what was allowed there is not here.
            let mut files = Vec::new();
            self.tree(folder, "source", &slug, &format!("sources/{slug}"), &mut files);
            files.retain(|file| !file.path.ends_with("/permissions.json"));
            return out.files.append(&mut files);
        }
        let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let name = Some(text(&config, "name")).filter(|name| !name.trim().is_empty()).unwrap_or(slug.clone());
        let description =
            Some(text(&config, "tagline")).filter(|line| !line.trim().is_empty()).unwrap_or(name.clone());
        let mut ours = json!({"slug": slug, "name": name, "description": description, "type": kind});
        if let Some(icon) =
            config["icon"].as_str().filter(|icon| (1..=16).contains(&icon.len()) && !icon.contains('/'))
        {
            ours["icon"] = icon.into();
        }
        let mut change = Change { slug: &slug, place: &place, secrets: Vec::new(), notes: Vec::new() };
        ours[kind] = match kind {
            "mcp" => change.mcp(&config["mcp"]),
            "api" => change.api(&config["api"]),
            _ => json!({"path": text(&config["local"], "path")}),
        };
        let Change { secrets, notes, .. } = change;
        for why in notes {
            self.report.change("source", &slug, why, &place);
        }
        if config["enabled"] == Value::Bool(false) {
            self.report.change(
                "source",
                &slug,
                "it was switched off; ours begins approved by nobody instead",
                &place,
            );
        }
        out.secrets.extend(secrets);
        let file = |path: String, content: Content, place: String| NewFile {
            kind: "source",
            what: slug.clone(),
            path,
            content,
            place,
        };
        out.files.push(file(
            format!("sources/{slug}/config.json"),
            Content::Bytes(pretty(&ours)),
            place.clone(),
        ));
        let guide = folder.join("guide.md");
        if let Some(text) = self.text(&guide, "source", &slug) {
            let to = format!("sources/{slug}/guide.md");
            out.files.push(file(to, Content::Bytes(text.into_bytes()), guide.display().to_string()));
        }
        let rules = folder.join("permissions.json");
        if rules.is_file() {
            let what = format!("the rules of {slug}");
            if let Some(rules_file) = self.rules(&rules, &what, Some(&slug)) {
                out.files.push(NewFile { path: format!("sources/{slug}/permissions.json"), ..rules_file });
            }
        }
    }

    /// A rule file, of a source or of the workspace. Only what forbids is taken over: what another program's person allowed, ours
    /// has not been asked for.
    pub(super) fn rules(&mut self, path: &Path, what: &str, own: Option<&str>) -> Option<NewFile> {
        let place = path.display().to_string();
        let rules = self.json(path, "rule", what)?;
        let mut ours = Vec::new();
        for tool in rules["blockedTools"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if tool.is_empty() || tool.len() > 200 || tool.contains('*') {
                let why =
                    "it names no single tool, so nothing is forbidden by it; add a rule for what you mean";
                self.report.leave_out("rule", &format!("{what}: {tool}"), why, &place);
                continue;
            }
            let reason = "blocked in Craft Agents, from where this rule was imported";
            let mut deny = |tool: &str, source: Option<&str>| {
                let mut rule = json!({"effect": "deny", "tool": tool, "reason": reason});
                if let Some(source) = source {
                    rule["source"] = source.into();
                }
                if !ours.contains(&rule) {
                    ours.push(rule);
                }
            };
            let of_source = tool
                .strip_prefix("mcp__")
                .and_then(|rest| rest.split_once("__"))
                .filter(|(source, name)| !source.is_empty() && !name.is_empty());
            match (own, built_in_tools(tool), of_source) {
                // The file of a source is about its own tools alone.
                (Some(own), _, Some((source, name))) if source == own => deny(name, None),
                (Some(_), _, Some(_)) => {
                    let why = "it is about a tool of another source; add it to the rules of that source";
                    self.report.leave_out("rule", &format!("{what}: {tool}"), why, &place);
                }
                (Some(_), _, None) => deny(tool, None),
                (None, [], Some((source, name))) => deny(name, Some(source)),
                (None, [], None) => {
                    deny(tool, None);
                    let why = "no tool has this name here, so the rule forbids nothing; name the tool that you mean";
                    self.report.change("rule", &format!("{what}: {tool}"), why, &place);
                }
                (None, known, _) => {
                    for &tool in known {
                        deny(tool, None);
                    }
                }
            }
        }
        for list in ["allowedBashPatterns", "allowedMcpPatterns", "allowedApiEndpoints", "allowedWritePaths"]
        {
            let number = rules[list].as_array().map_or(0, Vec::len);
            if number > 0 {
                let why = format!(
                    "{number} rules that allow are not taken over; allow what you are asked for instead"
                );
                self.report.leave_out("rule", &format!("{what}: {list}"), why, &place);
            }
        }
        if rules["blockedCommandHints"].as_array().is_some_and(|hints| !hints.is_empty()) {
            let why = "hints for refused commands have no counterpart";
            self.report.leave_out("rule", &format!("{what}: blockedCommandHints"), why, &place);
        }
        if ours.is_empty() {
            return None;
        }
        self.report.keep("rule", ours.len() as u64);
        let content = Content::Bytes(pretty(&json!({"version": 1, "rules": ours})));
        Some(NewFile {
            kind: "rule",
            what: what.to_owned(),
            path: "permissions.json".to_owned(),
            content,
            place,
        })
    }
}

/// What is changed of a source.
struct Change<'a> {
    slug: &'a str,
    place: &'a str,
    secrets: Vec<PlainSecret>,
    notes: Vec<String>,
}

impl Change<'_> {
    fn mcp(&mut self, mcp: &Value) -> Value {
        let text = |name: &str| mcp[name].as_str().unwrap_or_default();
        if text("transport") == "stdio" || mcp["command"].is_string() && mcp["url"].is_null() {
            self.lost(mcp, &["transport", "command", "args", "env", "cwd", "authType"]);
            let mut out =
                json!({"transport": "stdio", "command": text("command"), "args": strings(&mcp["args"])});
            if let Some(cwd) = mcp["cwd"].as_str() {
                out["cwd"] = cwd.into();
            }
            let env = self.pairs(&mcp["env"]);
            if !env.is_empty() {
                out["env"] = Value::Object(env);
            }
            return out;
        }
        self.lost(mcp, &["transport", "url", "authType", "clientId", "headers", "headerNames"]);
        if text("transport") == "sse" {
            self.notes.push("its transport `sse` became `http`: servers of today answer both".to_owned());
        }
        let auth = match text("authType") {
            "oauth" => "oauth",
            "bearer" => "bearer",
            _ => "none",
        };
        let mut out = json!({"transport": "http", "url": text("url"), "authType": auth});
        if auth == "oauth" && !text("clientId").is_empty() {
            out["clientId"] = text("clientId").into();
        }
        let headers = self.pairs(&mcp["headers"]);
        if !headers.is_empty() {
            out["headers"] = Value::Object(headers);
        }
        out
    }

    fn api(&mut self, api: &Value) -> Value {
        let text = |name: &str| api[name].as_str().unwrap_or_default();
        self.lost(
            api,
            &[
                "baseUrl",
                "authType",
                "authScheme",
                "headerName",
                "headerNames",
                "queryParam",
                "defaultHeaders",
                "testEndpoint",
                "oauth",
            ],
        );
        let many = api["headerNames"].as_array().is_some_and(|names| !names.is_empty());
        let auth = match text("authType") {
            "header" if many => "headers",
            auth @ ("bearer" | "header" | "query" | "basic") => auth,
            "oauth" if api["oauth"].is_object() => "oauth",
            "oauth" => {
                self.notes.push("it signed in through another service; set its sign-in anew".to_owned());
                "none"
            }
            _ => "none",
        };
        let mut out = json!({"baseUrl": text("baseUrl"), "authType": auth});
        match auth {
            "header" => out["headerName"] = text("headerName").into(),
            "headers" => out["headerNames"] = json!(strings(&api["headerNames"])),
            "query" => out["queryParam"] = text("queryParam").into(),
            "oauth" => {
                let service = &api["oauth"];
                if service["clientSecret"].as_str().is_some_and(|secret| !secret.is_empty()) {
                    self.notes
                        .push("its client secret stood in plain text and was not taken over".to_owned());
                }
                out["oauth"] = json!({
                    "authorizeUrl": service["authorizationUrl"], "tokenUrl": service["tokenUrl"],
                    "clientId": service["clientId"].as_str().unwrap_or_default(), "scopes": strings(&service["scopes"]),
                });
            }
            _ => {}
        }
        if matches!(auth, "bearer" | "header") && !text("authScheme").is_empty() {
            out["authScheme"] = text("authScheme").into();
        }
        let headers = self.pairs(&api["defaultHeaders"]);
        if !headers.is_empty() {
            out["defaultHeaders"] = Value::Object(headers);
        }
        if let Some(path) = api["testEndpoint"]["path"].as_str() {
            let method = api["testEndpoint"]["method"].as_str().unwrap_or("GET");
            out["testEndpoint"] = json!({"method": method, "path": path});
        }
        out
    }

    /// Variables or headers, with a name in the vault where a value stood that is a secret.
    fn pairs(&mut self, pairs: &Value) -> Map<String, Value> {
        let mut out = Map::new();
        for (name, value) in pairs.as_object().into_iter().flatten() {
            let Some(value) = value.as_str() else { continue };
            if value.starts_with("${") || !is_secret(name, value) {
                out.insert(name.clone(), value.into());
                continue;
            }
            let vault: String = name
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() || "_-.".contains(c) { c } else { '_' })
                .collect();
            // What stands before it, as `Bearer`, is not the secret.
            let (before, secret) = match value.split_once(' ') {
                Some((word, rest))
                    if !rest.contains(' ') && word.bytes().all(|byte| byte.is_ascii_alphabetic()) =>
                {
                    (format!("{word} "), rest)
                }
                _ => (String::new(), value),
            };
            out.insert(name.clone(), format!("{before}${{secret:{vault}}}").into());
            self.notes.push(format!(
                "the value of {name} stood in plain text; it is now `${{secret:{vault}}}` and has to be stored in the vault"
            ));
            self.secrets.push(PlainSecret {
                source: self.slug.to_owned(),
                name: name.clone(),
                vault,
                value: secret.to_owned(),
            });
        }
        out
    }

    fn lost(&mut self, of: &Value, known: &[&str]) {
        let lost = unknown(of, known);
        if !lost.is_empty() {
            self.notes.push(format!("it has no counterpart for {} ({})", lost.join(", "), self.place));
        }
    }
}

fn is_secret(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let named = SECRET_WORDS.iter().any(|word| name.contains(word));
    // Long texts without spaces that mix letters and digits are more often keys than anything else.
    let random = value.len() >= 20
        && !value.contains([' ', '/', '.'])
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let password = value.contains("://") && value.contains('@');
    !value.is_empty() && (named || random || password)
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
