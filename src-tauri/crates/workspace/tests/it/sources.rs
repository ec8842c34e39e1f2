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
    let cases: [(&str, Value, &str, &str); 11] = [
        ("/slug", json!("other"), "the folder's name, `files`", "`other`"),
        ("/slug", json!("Files"), "lower-case letters, digits and hyphens", "`Files`"),
        ("/type", json!("api"), "`mcp`", "`api`"),
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
