use std::path::Path;

use domain::connection::{Connection, ProviderKind};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tempfile::TempDir;
use workspace::{
    ConfigProblem, ConnectionEntry, ConnectionList, check_connection, connection_slug_fault,
    connections_text, read_connections,
};

fn read(text: impl AsRef<[u8]>) -> Result<Vec<ConnectionEntry>, Vec<ConfigProblem>> {
    let home = TempDir::new().unwrap();
    std::fs::write(home.path().join("connections.json"), text).unwrap();
    read_connections(home.path()).map(|list| list.unwrap().entries)
}

fn with(fields: Value) -> String {
    let mut entry = json!({"slug": "own", "provider": "openai-chat"});
    entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    json!({"version": 1, "connections": [entry]}).to_string()
}

/// What is wrong with the one entry of a file.
fn wrong(fields: Value) -> Vec<ConfigProblem> {
    read(with(fields)).unwrap().remove(0).connection.unwrap_err()
}

#[test]
fn a_file_that_is_not_there_is_no_fault() {
    assert_eq!(read_connections(TempDir::new().unwrap().path()), Ok(None));
    assert_eq!(read_connections(Path::new("/nowhere/at/all")), Ok(None));
}

#[test]
fn what_is_written_is_read_back() {
    let mut connection = Connection::new("own", ProviderKind::Anthropic);
    connection.base_url = Some("https://gateway.example/v1".to_owned());
    connection.headers.insert("X-Title".to_owned(), "AgentNative".to_owned());
    let list = ConnectionList {
        schema: Some("https://schemas.example/connections.json".to_owned()),
        entries: vec![ConnectionEntry::new(connection)],
    };
    let home = TempDir::new().unwrap();
    std::fs::write(home.path().join("connections.json"), connections_text(&list)).unwrap();
    assert_eq!(read_connections(home.path()), Ok(Some(list)));
}

#[test]
fn a_wrong_entry_costs_no_other_one() {
    let text = r#"{"version": 1, "connections": [
        {"slug": "good", "provider": "anthropic", "auth": {"kind": "key", "env": "A_KEY"}},
        {"slug": "bad", "provider": "antropic"},
        {"slug": "odd", "provider": "gemini",
            "basUrl": "https://x.example"},
        {"provider": "gemini"},
        {"slug": "good", "provider": "ollama"},
        7
    ]}"#;
    let entries = read(text).unwrap();
    let slugs: Vec<&str> = entries.iter().map(|entry| entry.slug.as_str()).collect();
    assert_eq!(slugs, ["good", "bad", "odd", "#4", "good", "#6"]);
    assert!(entries[0].connection.is_ok());
    assert_eq!(entries[1].raw["provider"], "antropic");
    let first = |index: usize| entries[index].connection.as_ref().unwrap_err()[0].clone();
    assert_eq!((first(1).line, first(1).pointer.as_str()), (Some(3), "/connections/1/provider"));
    assert_eq!(first(1).remedy.as_deref(), Some("did you mean `anthropic`?"));
    assert_eq!((first(2).line, first(2).pointer.as_str()), (Some(5), "/connections/2/basUrl"));
    assert_eq!(first(2).remedy.as_deref(), Some("did you mean `baseUrl`?"));
    assert!(first(4).found.contains("a second time"), "{}", first(4));
}

#[test]
fn a_broken_file_is_told_as_a_whole_with_its_place() {
    for (text, line, says) in [
        ("", Some(1), "empty"),
        ("{\"version\": 1,\n oops", Some(2), "column"),
        ("[]", Some(1), "an object"),
        ("{\"version\": 2, \"connections\": []}", Some(1), "newer"),
        ("{\"version\": 1}", Some(1), "connections"),
        ("{\"version\": 1, \"connections\": [],\n \"extra\": 1}", Some(2), "unknown field"),
        ("{\"version\": 1, \"connections\": {}}", Some(1), "a list"),
        ("{\"version\": 1,\n \"version\": 1, \"connections\": []}", Some(2), "second time"),
    ] {
        let problems = read(text).unwrap_err();
        assert_eq!(problems[0].line, line, "{text}");
        assert!(problems[0].to_string().contains(says), "{text}: {}", problems[0]);
    }
    assert!(read([0xff, 0xfe, 0x00]).is_err());
    assert!(read(vec![b' '; 2 << 20]).is_err());
    assert!(read("[".repeat(100_000)).is_err());
}

#[test]
fn secrets_do_not_belong_into_the_file_and_are_not_quoted() {
    const SECRET: &str = "sk-CANARY-0123456789abcdefghij";
    for fields in [
        json!({"auth": {"kind": "key", "env": SECRET}}),
        json!({"auth": {"kind": "key", "key": SECRET}}),
        json!({"auth": {"kind": "key", SECRET: true}}),
        json!({"auth": SECRET}),
        json!({"key": SECRET}),
        json!({SECRET: 1}),
        json!({"apiKey": SECRET}),
        json!({"headers": {"Authorization": format!("Bearer {SECRET}")}}),
        json!({"headers": {"X-Team": format!("Bearer {SECRET}")}}),
        json!({"headers": {"x-api-key": SECRET}}),
        json!({"headers": {"Cookie": format!("session={SECRET}")}}),
        json!({"headers": {SECRET: "x"}}),
        json!({"baseUrl": format!("https://user:{SECRET}@gateway.example/")}),
        json!({"baseUrl": format!("https://gateway.example/?key={SECRET}")}),
        json!({"proxy": format!("http://user:{SECRET}@proxy.example:3128")}),
        json!({"defaultModel": SECRET}),
        json!({"auth": {"kind": "oauth", "service": {"tokenUrl": "https://a.example/token", "clientId": "c",
            "extra": {"client_secret": SECRET}}}}),
        json!({"auth": {"kind": "workload_identity", "tokenFile": "/run/token", "tokenUrl": "https://a.example/token",
            "fields": {"assertion": SECRET}}}),
    ] {
        let problems = wrong(fields.clone());
        assert!(!problems.is_empty(), "{fields}");
        for problem in problems {
            let text = format!("{problem} {problem:?}");
            assert!(!text.contains("CANARY"), "{fields}: {text}");
        }
    }
}

#[test]
fn values_that_can_not_be_meant_are_refused() {
    for fields in [
        json!({"slug": "Own"}),
        json!({"slug": "offline"}),
        json!({"slug": "../etc"}),
        json!({"slug": "x".repeat(41)}),
        json!({"provider": "offline"}),
        json!({"baseUrl": "gateway.example"}),
        json!({"baseUrl": "file:///etc/passwd"}),
        json!({"baseUrl": "https://"}),
        json!({"baseUrl": "https://x.example/#y"}),
        json!({"proxy": "proxy"}),
        json!({"silenceSeconds": 0}),
        json!({"silenceSeconds": -1}),
        json!({"maxParallelCalls": 0}),
        json!({"maxParallelCalls": 257}),
        json!({"provider": "ollama", "background": true}),
        json!({"headers": {"a b": "x"}}),
        json!({"headers": {"x": "a\r\nb"}}),
        json!({"headers": {"Content-Length": "0"}}),
        json!({"models": [{"id": ""}]}),
        json!({"models": [{"id": "a"}, {"id": "a"}]}),
        json!({"models": [{"id": "a", "contextWindow": 0}]}),
        json!({"models": [{"id": "a", "price": {"input": -1.0, "output": 1.0}}]}),
        json!({"auth": {"kind": "key", "env": "A-B"}}),
        json!({"auth": {"kind": "workload_identity", "tokenFile": "token", "tokenUrl": "https://a.example/"}}),
        json!({"auth": {"kind": "oauth", "service": {"tokenUrl": "http://a.example/token", "clientId": "c"}}}),
        json!({"auth": {"kind": "oauth", "service": {"tokenUrl": "https://a.example/token", "clientId": ""}}}),
        json!({"defaultModel": " "}),
        json!({"name": "a\u{0}b"}),
    ] {
        assert!(!wrong(fields.clone()).is_empty(), "{fields}");
    }
}

#[test]
fn a_local_server_and_a_company_gateway_are_fine() {
    for fields in [
        json!({"provider": "openai", "background": true}),
        json!({"provider": "ollama", "baseUrl": "http://192.168.1.7:11434"}),
        json!({"baseUrl": "http://[::1]:8080/v1", "proxy": "none"}),
        json!({"baseUrl": "https://gateway.example/team/v1", "auth": {"kind": "bearer", "env": "GATEWAY_TOKEN"},
            "headers": {"X-Team": "audit", "anthropic-workspace-id": "wrkspc_1"}, "caFile": "/etc/ssl/company.pem",
            "proxy": "socks5h://proxy.example:1080", "flatRate": true, "silenceSeconds": 300, "maxParallelCalls": 4,
            "models": [{"id": "modell-ä", "price": {"input": 0.0, "output": 1.5}}]}),
        json!({"auth": {"kind": "oauth", "service": {"tokenUrl": "http://127.0.0.1:9/token", "clientId": "c",
            "authorizeUrl": "https://a.example/authorize", "scopes": ["a", "b"]}}}),
    ] {
        let entry = read(with(fields.clone())).unwrap().remove(0);
        assert!(entry.connection.is_ok(), "{fields}: {:?}", entry.connection);
    }
}

#[test]
fn names_follow_one_rule() {
    for slug in ["a", "my-gateway-2", &"x".repeat(40)] {
        assert_eq!(connection_slug_fault(slug), None);
    }
    for slug in ["", "-a", "a-", "A", "ä", "a b", "a/b", "offline", "scripted", &"x".repeat(41)] {
        assert!(connection_slug_fault(slug).is_some(), "{slug}");
    }
    let problems = check_connection("the form", "", &Connection::new("", ProviderKind::Gemini));
    assert_eq!(problems[0].pointer, "/slug");
}
