use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use workspace::{ConfigProblem, SourceType};

use crate::support::Home;

fn source() -> Value {
    json!({"slug": "files", "name": "Files", "description": "Reads files.", "type": "mcp",
        "mcp": {"command": "file-server", "args": ["--base", "{{ corpus }}"],
            "env": {"API_KEY": "${secret:FILES}", "AUTH_TOKEN": "Bearer ${secret:A.b-1}", "KEY_FILE": "keys.pem", "LANG": "C"}}})
}

fn problems(config: &Value) -> Vec<ConfigProblem> {
    let home = Home::new();
    home.write_at("sources/files/config.json", serde_json::to_string_pretty(config).unwrap());
    let entry = home.workspace().sources().into_iter().find(|entry| entry.slug == "files").unwrap();
    entry.source.err().unwrap_or_default()
}

#[test]
fn a_sound_source_of_ones_own_loads() {
    let home = Home::new();
    home.write_at("sources/files/config.json", source().to_string());
    let config = home.workspace().source("files").unwrap();
    assert_eq!(config.kind, SourceType::Mcp);
    let server = config.mcp.unwrap();
    assert_eq!(
        (server.start_timeout_seconds, server.call_idle_seconds, server.call_total_seconds),
        (30, 60, 600)
    );
    assert!(!config.trusted);
}

/// Sets the value at a pointer, making the member when it isn't there.
fn set(config: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match config.pointer_mut(parent).unwrap() {
        Value::Array(items) => items.push(value),
        parent => parent[name] = value,
    }
}

#[test]
fn a_secret_in_plain_is_refused_and_never_repeated() {
    let canary = "canary-7319";
    let jwt = format!("eyJ{}.{canary}", "a".repeat(40));
    let cases: Vec<(&str, Value)> = vec![
        ("/mcp/env/API_KEY", json!(canary)),
        ("/mcp/env/GITHUB_TOKEN", json!(canary)),
        ("/mcp/env/DB_PASSWORD", json!(canary)),
        ("/mcp/env/clientSecret", json!(canary)),
        ("/mcp/env/SECRET_KEY_1", json!(canary)),
        ("/mcp/env/HARMLESS", json!(format!("sk-{canary}-0123456789abcdef"))),
        ("/mcp/env/URL", json!(format!("postgres://me:{canary}@host/db"))),
        ("/mcp/env/HEADER", json!(jwt)),
        ("/mcp/args/2", json!(format!("--api-key={canary}"))),
        ("/mcp/args/2", json!(format!("ghp_{canary}0123456789012345678901234567"))),
        ("/mcp/env/API_KEY", json!(format!("${{secret:}}{canary}"))),
    ];
    for (pointer, value) in cases {
        let mut config = source();
        set(&mut config, pointer, value);
        let found = problems(&config);
        assert_eq!(found.len(), 1, "{pointer}: {found:?}");
        assert_eq!(found[0].pointer, pointer);
        assert!(found[0].line.is_some());
        assert!(!format!("{found:?}").contains(canary), "{found:?}");
    }
}

#[test]
fn a_secret_after_its_option_is_refused() {
    let mut config = source();
    config["mcp"]["args"] = json!(["--token", "canary-7319"]);
    let found = problems(&config);
    assert_eq!(found.iter().map(|problem| problem.pointer.as_str()).collect::<Vec<_>>(), ["/mcp/args/1"]);
}

#[test]
fn a_value_of_the_wrong_type_is_not_repeated_either() {
    let mut config = source();
    config["mcp"]["env"]["API_KEY"] = json!(7319);
    let found = problems(&config);
    assert_eq!((found[0].expected.as_str(), found[0].found.as_str()), ("a text", "a number"));
}

#[test]
fn each_slip_in_a_source_is_named_with_its_place() {
    let cases: [(&str, Value, &str, &str); 15] = [
        ("/slug", json!("other"), "the folder's name, `files`", "`other`"),
        ("/slug", json!("Files"), "lower-case letters, digits and hyphens", "`Files`"),
        ("/local", json!({"path": "/srv"}), "only `mcp` beside type `mcp`", "the field `local`, too"),
        ("/mcp/url", json!("https://example.org/"), "`transport` to be `http`", "`stdio`"),
        ("/mcp/headers", json!({"X-A": "b"}), "`transport` to be `http`", "`stdio`"),
        ("/mcp/authType", json!("oauth"), "`transport` to be `http`", "`stdio`"),
        ("/mcp/scopes", json!(["a"]), "`transport` to be `http`", "`stdio`"),
        ("/type", json!("msp"), "`mcp`, `api` or `local`", "a text"),
        ("/name", json!(" "), "a text", "an empty text"),
        ("/mcp/command", json!("@me"), "`@self`", "`@me`"),
        ("/mcp/args/2", json!("{{ corpsu }}"), "one of the variables corpus, generation", "`corpsu`"),
        ("/mcp/args/2", json!("{{ corpus"), "a template", "syntax error"),
        ("/mcp/env/BAD NAME", json!("x"), "the name of an environment variable", "`BAD NAME`"),
        ("/mcp/startTimeoutSeconds", json!(0), "a whole number from 1 to 600", "0"),
        ("/mcp/tranport", json!("stdio"), "one of the fields", "the unknown field `tranport`"),
    ];
    for (pointer, value, expected, found) in cases {
        let mut config = source();
        set(&mut config, pointer, value);
        let problems = problems(&config);
        assert_eq!(problems.len(), 1, "{pointer}: {problems:?}");
        assert_eq!(problems[0].pointer, pointer);
        assert!(problems[0].file.ends_with("sources/files/config.json"));
        assert!(problems[0].expected.starts_with(expected), "{pointer}: {}", problems[0].expected);
        assert!(problems[0].found.starts_with(found), "{pointer}: {}", problems[0].found);
    }
}

#[test]
fn a_source_of_type_mcp_needs_its_server() {
    let mut config = source();
    config.as_object_mut().unwrap().remove("mcp");
    assert_eq!(problems(&config)[0].expected, "the field `mcp`, which a source of type `mcp` needs");
}

fn http() -> Value {
    json!({"slug": "files", "name": "Files", "description": "Reads files.", "type": "mcp",
        "mcp": {"transport": "http", "url": "https://files.example.org/mcp", "authType": "oauth", "scopes": ["read"],
            "headers": {"X-Team": "blue", "X-Key": "${secret:key}"}}})
}

fn api() -> Value {
    json!({"slug": "files", "name": "Files", "description": "Reads files.", "type": "api",
        "api": {"baseUrl": "https://files.example.org/v1", "authType": "header", "headerName": "X-Key",
            "defaultHeaders": {"Accept": "application/json"}, "testEndpoint": {"path": "me"}}})
}

fn local() -> Value {
    json!({"slug": "files", "name": "Files", "description": "Reads files.", "type": "local", "local": {"path": "~/Notes"}})
}

#[test]
fn sources_of_every_type_load_and_say_what_they_reach() {
    let home = Home::new();
    let mut found = Vec::new();
    for config in [source(), http(), api(), local()] {
        home.write_at("sources/files/config.json", config.to_string());
        let config = home.workspace().source("files").unwrap();
        found.push((
            config.kind.as_str(),
            config.reaches(),
            config.secrets().into_iter().collect::<Vec<_>>().join(" "),
        ));
    }
    let texts: Vec<_> =
        found.iter().map(|(kind, reaches, secrets)| (*kind, reaches.as_str(), secrets.as_str())).collect();
    assert_eq!(
        texts,
        [
            ("mcp", "file-server --base '{{ corpus }}'", "A.b-1 FILES"),
            ("mcp", "https://files.example.org/mcp", "key"),
            ("api", "https://files.example.org/v1", "apikey"),
            ("local", "~/Notes", ""),
        ]
    );
}

#[test]
fn each_slip_in_an_interface_a_server_or_a_folder_is_named_with_its_place() {
    let cases: Vec<(Value, &str, Value, &str)> = vec![
        (http(), "/mcp/url", json!("http://files.example.org/"), "/mcp/url"),
        (http(), "/mcp/url", json!("https://me:pass@files.example.org/"), "/mcp/url"),
        (http(), "/mcp/url", json!("https://files.example.org/?key=1"), "/mcp/url"),
        (http(), "/mcp/url", json!("file:///etc/passwd"), "/mcp/url"),
        (http(), "/mcp/command", json!("sh"), "/mcp/command"),
        (http(), "/mcp/env", json!({"A": "b"}), "/mcp/env"),
        (http(), "/mcp/authType", json!("bearer"), "/mcp/authType"),
        (http(), "/mcp/headers/Authorization", json!("Bearer canary-7319"), "/mcp/headers/Authorization"),
        (http(), "/mcp/headers/Host", json!("x"), "/mcp/headers/Host"),
        (http(), "/mcp/headers/Bad Name", json!("x"), "/mcp/headers/Bad Name"),
        (http(), "/mcp/headers/X-A", json!("a\nX-B: c"), "/mcp/headers/X-A"),
        (http(), "/mcp/callIdleSeconds", json!(0), "/mcp/callIdleSeconds"),
        (api(), "/api/baseUrl", json!("http://192.168.1.4/"), "/api/baseUrl"),
        (api(), "/api/baseUrl", json!("files.example.org"), "/api/baseUrl"),
        (api(), "/api/authType", json!("bearer"), "/api/headerName"),
        (api(), "/api/authType", json!("query"), "/api/headerName"),
        (api(), "/api/authType", json!("magic"), "/api/authType"),
        (api(), "/api/queryParam", json!("key"), "/api/queryParam"),
        (api(), "/api/headerName", json!("Content-Length"), "/api/headerName"),
        (api(), "/api/defaultHeaders/X-Api-Key", json!("canary-7319"), "/api/defaultHeaders/X-Api-Key"),
        (api(), "/api/openapi", json!("../other/openapi.json"), "/api/openapi"),
        (api(), "/api/openapi", json!("config.json"), "/api/openapi"),
        (api(), "/api/testEndpoint/method", json!("DELETE"), "/api/testEndpoint/method"),
        (api(), "/api/testEndpoint/path", json!("https://other.example.org/"), "/api/testEndpoint/path"),
        (api(), "/api/timeoutSeconds", json!(0), "/api/timeoutSeconds"),
        (api(), "/api/username", json!("eva"), "/api/username"),
        (local(), "/local/path", json!("Notes"), "/local/path"),
        (local(), "/local/path", json!("/home/eva/../root"), "/local/path"),
        (local(), "/local/globs", json!(["*"]), "/local/globs"),
        (local(), "/type", json!("api"), ""),
    ];
    for (mut config, pointer, value, place) in cases {
        set(&mut config, pointer, value);
        let found = problems(&config);
        assert!(!found.is_empty(), "{pointer}");
        assert!(found.iter().any(|problem| problem.pointer == place), "{pointer}: {found:?}");
        assert!(!format!("{found:?}").contains("canary"), "{found:?}");
    }
}

#[test]
fn only_what_decides_what_is_reached_changes_the_approval() {
    let home = Home::new();
    let approval = |config: &Value| {
        home.write_at("sources/files/config.json", config.to_string());
        home.workspace().source("files").unwrap().approval()
    };
    for (config, harmless, changes) in [
        (
            source(),
            "/description",
            vec![
                ("/mcp/command", json!("other")),
                ("/mcp/args/1", json!("more")),
                ("/mcp/env/LANG", json!("de")),
                ("/mcp/cwd", json!("x")),
            ],
        ),
        (
            http(),
            "/name",
            vec![("/mcp/url", json!("https://evil.example.org/mcp")), ("/mcp/headers/X-Team", json!("red"))],
        ),
        (
            api(),
            "/name",
            vec![
                ("/api/baseUrl", json!("https://evil.example.org/v1")),
                ("/api/headerName", json!("X-Other")),
                ("/api/privateNetwork", json!(true)),
            ],
        ),
        (local(), "/name", vec![("/local/path", json!("/etc"))]),
    ] {
        let before = approval(&config);
        let mut same = config.clone();
        set(&mut same, harmless, json!("Other words"));
        assert_eq!(approval(&same), before);
        for (pointer, value) in changes {
            let mut other = config.clone();
            if let Some(there) = other.pointer_mut(pointer) {
                *there = value;
            } else {
                set(&mut other, pointer, value);
            }
            assert_ne!(approval(&other), before, "{pointer}");
        }
    }
}

#[test]
fn the_shipped_forms_for_new_sources_are_sound() {
    let presets: Vec<Value> = serde_json::from_str(workspace::source_presets().unwrap()).unwrap();
    assert_eq!(presets.len(), 18);
    for preset in presets {
        for field in ["name", "description", "credentials"] {
            assert!(preset[field].as_str().is_some_and(|text| !text.is_empty()), "{field} of {preset}");
        }
        let config = &preset["config"];
        let slug = config["slug"].as_str().unwrap();
        let read =
            workspace::read_source("config.json", slug, &serde_json::to_string_pretty(config).unwrap());
        assert!(read.is_ok(), "{slug}: {read:?}");
    }
}
