//! Configurations of many programs, as sources.

use std::collections::BTreeMap;

use pretty_assertions::assert_eq;

use super::*;

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
    assert_eq!(drafts[0].secrets, BTreeMap::from([("GITHUB_TOKEN".into(), Hidden("canary-7319".into()))]));
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
    for text in [
        "[]",
        "{",
        "{}",
        r#"{"mcpServers": {}}"#,
        r#"{"slug": "x"}"#,
        r#"{"servers": [{"url": "https://a.example/"}]}"#,
    ] {
        assert!(source_read(&Hidden(text.to_owned())).is_err(), "{text}");
    }
}

/// A configuration, and for each server of it: its slug, and how it is started or reached, or why it can't be used.
type Shape = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const SHAPES: &[Shape] = &[
    (
        "an editor's file with comments, questions and a trailing comma",
        r#"{
            // servers of this folder
            "inputs": [
                {"type": "promptString", "id": "key", "description": "The key", "password": true},
                {"type": "pickString", "id": "level", "options": ["a", "b"], "default": "b"},
            ],
            "servers": {
                "search": {"type": "stdio", "command": "npx", "args": ["-y", "search", "--level=${input:level}"], "env": {"API_KEY": "${input:key}"}},
                "far": {"type": "http", "url": "https://mcp.example.org/", "headers": {"Authorization": "Bearer ${input:key}"}},
                "here": {"command": "node", "args": ["${workspaceFolder}/s.js"]},
            },
        }"#,
        &[
            ("far", "https://mcp.example.org/"),
            ("here", "an argument takes the folder that is open"),
            ("search", "npx -y search --level=b"),
        ],
    ),
    (
        "settings of an editor in which servers are one part",
        r#"{"theme": "One", "context_servers": {
            "old": {"command": {"path": "/opt/s", "args": ["-x"], "env": {"A": "b"}}, "settings": {}},
            "new": {"source": "custom", "enabled": false, "command": "s", "args": []},
            "ext": {"source": "extension", "settings": {"k": 1}},
        }} // end"#,
        &[("ext", "a part or an extension"), ("new", "s"), ("old", "/opt/s -x")],
    ),
    (
        "local and remote with a list as command",
        r#"{"$schema": "https://x.example/c.json", "mcp": {
            "db": {"type": "local", "command": ["bunx", "db", "--ro"], "environment": {"DB_PASSWORD": "{env:PW}", "MODE": "ro"}, "enabled": true},
            "issues": {"type": "remote", "url": "https://i.example/mcp", "oauth": {"scope": "read write"}, "enabled": false},
            "odd": {"enabled": false}
        }}"#,
        &[
            ("db", "bunx db --ro"),
            ("issues", "https://i.example/mcp"),
            ("odd", "neither a command nor an address"),
        ],
    ),
    (
        "TOML",
        "model = \"x\"\n[mcp_servers.docs]\ncommand = \"docs-server\"\nargs = [\"--stdio\"]\nenv_vars = [\"LANG\"]\n\
         startup_timeout_sec = 20\n[mcp_servers.docs.env]\nTOKEN = \"canary-3\"\n[mcp_servers.\"git hub\"]\nurl = \"https://g.example/mcp\"\n\
         bearer_token_env_var = \"GH_TOKEN\"\nenabled = false\n",
        &[("docs", "docs-server --stdio"), ("git-hub", "https://g.example/mcp")],
    ),
    (
        "servers of projects",
        r#"{"numStartups": 4, "mcpServers": {"all": {"command": "a"}}, "projects": {
            "/home/eva/one": {"mcpServers": {"own": {"command": "b", "args": ["${CLAUDE_PROJECT_DIR}"]}}, "disabledMcpServers": ["own"]},
            "/home/eva/two": {"mcpServers": {"all": {"command": "c"}}, "history": []},
            "/home/eva/three": {"mcpServers": {}}}}"#,
        &[("all", "a"), ("own", "b /home/eva/one"), ("all-2", "c")],
    ),
    (
        "YAML",
        "name: x\nmcpServers:\n  - name: one\n    command: uvx\n    args: [one]\n  - name: two\n    type: streamable-http\n    url: https://t.example/\n",
        &[("one", "uvx one"), ("two", "https://t.example/")],
    ),
    (
        "extensions of which some are built in",
        "extensions:\n  builder:\n    type: builtin\n    enabled: true\n  gh:\n    type: stdio\n    cmd: npx\n    args: [-y, gh]\n    envs: {}\n    enabled: true\n  far:\n    type: streamable_http\n    uri: https://f.example/mcp\n",
        &[("builder", "a part or an extension"), ("far", "https://f.example/mcp"), ("gh", "npx -y gh")],
    ),
    (
        "a name with dots, and one line as a command",
        r#"{"editor.tabSize": 2, "amp.mcpServers": {"pw": {"command": "npx -y playwright"}}}"#,
        &[("pw", "npx -y playwright")],
    ),
    (
        "members without the braces around them",
        r#""gh": {"serverUrl": "https://gh.example/", "disabled": true, "headers": {"X-Api-Key": "canary-5"}},"#,
        &[("gh", "https://gh.example/")],
    ),
    (
        "below what a container's file says for its editor",
        r#"{"customizations": {"vscode": {"mcp": {"servers": {"pg": {"command": "pg", "env": ["PGHOST=db", "PGPASSWORD=canary-9"]}}}}}}"#,
        &[("pg", "pg")],
    ),
    (
        "what has no place for its secret, and another transport",
        r#"{"mcpServers": {"k": {"url": "https://k.example/mcp?apiKey=canary-4"}, "w": {"type": "ws", "url": "wss://w.example/"},
            "a": {"command": "s", "args": ["--token", "canary-6-canary"]}, "p": {"command": "s", "args": ["<path>"]}}}"#,
        &[
            ("a", "no secret among the arguments"),
            ("k", "its address holds a key"),
            ("p", "is to be filled in"),
            ("w", "a web socket"),
        ],
    ),
];

#[test]
fn servers_are_recognised_by_their_form_in_every_notation() {
    for (what, text, servers) in SHAPES {
        let mut drafts = source_read(&Hidden((*text).to_owned()))
            .unwrap_or_else(|error| panic!("{what}: {}", error.message));
        drafts.sort_by_key(|draft| servers.iter().position(|(slug, _)| draft.config["slug"] == *slug));
        assert_eq!(drafts.len(), servers.len(), "{what}: {drafts:?}");
        for (draft, (slug, told)) in drafts.iter().zip(*servers) {
            assert_eq!(draft.config["slug"], *slug, "{what}");
            let config = draft.config.to_string();
            assert!(
                !config.contains("canary") && !format!("{:?}", draft.notes).contains("canary"),
                "{what}: {config}"
            );
            match &draft.problem {
                Some(problem) => {
                    assert!(problem.contains(told), "{what}, {slug}: {problem}");
                    assert!(!problem.contains("canary") && draft.secrets.is_empty(), "{what}: {problem}");
                    assert_eq!(draft.config.get("mcp"), None, "{what}, {slug}");
                }
                None => {
                    let source = workspace::read_source("config.json", slug, &config).unwrap();
                    assert_eq!(source.reaches(), *told, "{what}, {slug}");
                    let wanted = source.secrets();
                    assert!(
                        draft.secrets.keys().all(|name| wanted.contains(name)),
                        "{what}, {slug}: {wanted:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_is_to_be_given_or_switched_off_is_told() {
    let notes = |shape: usize, slug: &str| {
        let drafts = source_read(&Hidden(SHAPES[shape].1.to_owned())).unwrap();
        drafts.into_iter().find(|draft| draft.config["slug"] == slug).unwrap().notes
    };
    assert_eq!(notes(0, "search"), ["API_KEY is to be given: what its program asks for as key: The key"]);
    assert_eq!(notes(0, "far"), ["bearer is to be given: what its program asks for as key: The key"]);
    assert_eq!(notes(1, "new"), [server::OFF]);
    assert_eq!(notes(2, "db"), ["DB_PASSWORD is to be given: the environment variable PW"]);
    assert_eq!(
        notes(3, "git-hub"),
        ["bearer is to be given: the environment variable GH_TOKEN", server::OFF]
    );
    assert_eq!(notes(4, "own"), ["it stands there for the project /home/eva/one", server::OFF]);
    assert_eq!(notes(8, "gh"), [server::OFF]);
    let signs = source_read(&Hidden(SHAPES[2].1.to_owned())).unwrap();
    let issues = signs.iter().find(|draft| draft.config["slug"] == "issues").unwrap();
    assert_eq!(issues.config["mcp"]["authType"], "oauth");
    assert_eq!(issues.config["mcp"]["scopes"], json!(["read", "write"]));
}

#[test]
fn variables_go_on_under_their_own_name_and_defaults_are_filled_in() {
    let drafts =
        read(json!({"mcpServers": {"a": {"command": "s", "args": ["--port", "${PORT:-80}", "$HOME/x"],
        "env": {"LANG": "$LANG", "TOKEN": "${TOKEN}", "URL": "http://${env:HOST}:1/", "N": 5}}}}));
    let mcp = &drafts[0].config["mcp"];
    assert_eq!(mcp["args"][1], "80");
    assert_eq!(mcp["inheritEnv"], json!(["LANG"]));
    assert_eq!(mcp["env"], json!({"TOKEN": "${secret:TOKEN}", "URL": "http://${secret:URL}:1/", "N": "5"}));
    assert_eq!(
        drafts[0].notes,
        [
            "TOKEN is to be given: the environment variable TOKEN",
            "URL is to be given: the environment variable HOST"
        ]
    );
}
