//! Craft Agent's folder, as it is and as it should not be.

use std::fs;
use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use transfer::craft::{Content, read_session, survey};
use transfer::{ImportOutcome, Limits, Role, ToolStatus};

fn put(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

const SESSION: &str = concat!(
    r#"{"id":"260111-swift-river","name":"Fix login","createdAt":1768000000000,"sessionStatus":"todo","labels":["bug","priority::3"],"permissionMode":"safe","isFlagged":true}"#,
    "\n",
    r#"{"id":"msg-1","type":"user","content":"hi, see {{SESSION_PATH}}/attachments/a.txt","timestamp":1768000000001,"attachments":[{"name":"a.txt","mimeType":"text/plain","size":2,"storedPath":"{{SESSION_PATH}}/attachments/a.txt"}]}"#,
    "\n",
    r#"{"id":"msg-2","type":"tool","content":"","toolName":"Bash","toolUseId":"tu1","toolInput":{"command":"ls"},"toolResult":"a.txt","toolStatus":"completed","turnId":"t1","timestamp":1768000000002}"#,
    "\n",
    r#"{"id":"msg-2","type":"assistant","content":"done","timestamp":1768000000003}"#,
    "\n",
    r#"{"id":"msg-4","type":"hologram","content":"?"}"#,
    "\n",
);

fn session(root: &Path) {
    put(root, "session.jsonl", SESSION);
    put(root, "attachments/a.txt", "hi");
    put(root, "long_responses/r.txt", "long");
}

#[test]
fn a_session_is_read_with_its_files_and_paths() {
    let home = tempfile::tempdir().unwrap();
    session(home.path());
    let read = read_session(home.path(), "/home/eva/s", &Limits::default()).unwrap();
    let header = &read.transcript.header;
    assert_eq!(
        (header.id.as_str(), header.title.as_str(), header.flagged),
        ("260111-swift-river", "Fix login", true)
    );
    let messages = &read.transcript.messages;
    assert_eq!(
        messages.iter().map(|message| message.role).collect::<Vec<_>>(),
        [Role::User, Role::Tool, Role::Assistant]
    );
    assert_eq!(messages[0].text, "hi, see /home/eva/s/attachments/a.txt");
    assert_eq!(messages[0].attachments[0].file, "a.txt");
    let tool = messages[1].tool.as_ref().unwrap();
    assert_eq!(
        (tool.name.as_str(), tool.output.as_str(), tool.status),
        ("Bash", "a.txt", ToolStatus::Completed)
    );
    assert_eq!(messages[2].id, "msg-2-line-4", "a second message of the same id gets its own");
    let to: Vec<&str> = read.files.iter().map(|file| file.to.as_str()).collect();
    assert_eq!(to, ["attachments/a.txt", "results/long_responses/r.txt"]);
    assert_eq!((read.report.counts["message"].left_out, read.report.counts["message"].changed), (1, 1));
}

#[test]
fn a_header_that_is_long_missing_or_in_another_encoding_loses_no_session() {
    let home = tempfile::tempdir().unwrap();
    let long = format!("{{\"id\":\"x\",\"name\":\"n\",\"junk\":\"{}\"}}\n", "y".repeat(200_000));
    put(
        home.path(),
        "session.jsonl",
        &format!("{long}{{\"id\":\"1\",\"type\":\"user\",\"content\":\"a\"}}\n"),
    );
    assert_eq!(read_session(home.path(), "", &Limits::default()).unwrap().transcript.messages.len(), 1);
    put(
        home.path(),
        "session.jsonl",
        "{\"id\":\"1\",\"type\":\"user\",\"content\":\"first words\",\"timestamp\":5}\n",
    );
    let read = read_session(home.path(), "", &Limits::default()).unwrap();
    assert_eq!(
        (read.transcript.header.title.as_str(), read.transcript.header.created_at),
        ("first words", 5)
    );
    let wide: Vec<u8> = format!("\u{FEFF}{SESSION}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(home.path().join("session.jsonl"), wide).unwrap();
    assert_eq!(read_session(home.path(), "", &Limits::default()).unwrap().transcript.messages.len(), 3);
    put(home.path(), "session.jsonl", "");
    assert!(read_session(home.path(), "", &Limits::default()).is_err());
}

#[cfg(unix)]
#[test]
fn links_are_never_followed() {
    let home = tempfile::tempdir().unwrap();
    let secret = home.path().join("secret.txt");
    fs::write(&secret, "secret").unwrap();
    let folder = home.path().join("s");
    session(&folder);
    std::os::unix::fs::symlink(&secret, folder.join("attachments/b.txt")).unwrap();
    std::os::unix::fs::symlink(home.path(), folder.join("plans")).unwrap();
    let read = read_session(&folder, "", &Limits::default()).unwrap();
    assert!(read.files.iter().all(|file| !file.to.contains("b.txt") && !file.to.starts_with("plans")));
    assert_eq!(read.report.counts["file"].left_out, 1);
    fs::remove_file(folder.join("session.jsonl")).unwrap();
    std::os::unix::fs::symlink(&secret, folder.join("session.jsonl")).unwrap();
    assert!(read_session(&folder, "", &Limits::default()).is_err());
}

#[test]
fn a_line_beyond_the_bound_costs_its_message_only() {
    let home = tempfile::tempdir().unwrap();
    let long = format!("{{\"id\":\"big\",\"type\":\"user\",\"content\":\"{}\"}}\n", "x".repeat(100_000));
    put(
        home.path(),
        "session.jsonl",
        &format!("{{\"id\":\"x\"}}\n{long}{{\"id\":\"1\",\"type\":\"user\",\"content\":\"a\"}}\n"),
    );
    let limits = Limits { line_bytes: 10_000, ..Limits::default() };
    let read = read_session(home.path(), "", &limits).unwrap();
    assert_eq!((read.transcript.messages.len(), read.report.counts["message"].left_out), (1, 1));
}

fn bytes<'a>(files: &'a [transfer::craft::NewFile], path: &str) -> &'a [u8] {
    let file = files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path}"));
    match &file.content {
        Content::Bytes(bytes) => bytes,
        Content::Copy(_) => panic!("{path} is copied"),
    }
}

fn json_of(files: &[transfer::craft::NewFile], path: &str) -> Value {
    serde_json::from_slice(bytes(files, path)).unwrap()
}

#[test]
fn a_whole_folder_is_surveyed_without_secrets_allow_rules_or_running_automations() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path();
    let w = "workspaces/my";
    session(&root.join(w).join("sessions/260111-swift-river"));
    put(root, &format!("{w}/config.json"), r#"{"id":"1","name":"Mine"}"#);
    put(
        root,
        &format!("{w}/sources/linear/config.json"),
        r#"{"id":"x","name":"Linear","slug":"linear","type":"mcp","tagline":"Issues","mcp":{"transport":"stdio","command":"npx","args":["-y","x"],"env":{"API_TOKEN":"abcdefghij1234567890","MODE":"fast"}},"isAuthenticated":true}"#,
    );
    put(
        root,
        &format!("{w}/sources/linear/permissions.json"),
        r#"{"blockedTools":["list","mcp__linear__delete_issue","mcp__other__x","mcp__linear__*"]}"#,
    );
    put(
        root,
        &format!("{w}/permissions.json"),
        r#"{"allowedBashPatterns":[{"pattern":".*"}],"blockedTools":["Bash","MultiEdit","Edit","mcp__linear__create_issue","NotebookEdit"]}"#,
    );
    put(
        root,
        &format!("{w}/automations.json"),
        r#"{"version":2,"automations":{"SchedulerTick":[{"name":"n","cron":"0 9 * * *","actions":[{"type":"prompt","prompt":"p"}]}]}}"#,
    );
    put(root, &format!("{w}/skills/commit/SKILL.md"), "---\nname: commit\n---\nx");
    put(root, &format!("{w}/skills/Bad Name/SKILL.md"), "x");
    put(root, "themes/nord.json", "{}");
    put(root, "credentials.enc", "x");
    let seen = survey(root, &Limits::default());
    let mine = &seen.workspaces[0];
    assert_eq!((mine.name.as_str(), mine.sessions.len(), seen.themes.len()), ("Mine", 1, 1));
    assert!(seen.credentials.is_some());
    let source = json_of(&mine.files, "sources/linear/config.json");
    assert_eq!(source["mcp"]["env"], json!({"API_TOKEN": "${secret:API_TOKEN}", "MODE": "fast"}));
    assert_eq!(mine.secrets[0].value, "abcdefghij1234567890");
    assert!(!format!("{mine:?}").replace("abcdefghij1234567890", "").is_empty());
    assert!(!format!("{:?}", mine.secrets).contains("abcdefghij"));
    let rules = json_of(&mine.files, "permissions.json")["rules"].clone();
    let told: Vec<_> =
        rules.as_array().unwrap().iter().map(|rule| (&rule["source"], &rule["tool"])).collect();
    let none = &Value::Null;
    assert_eq!(
        told,
        [
            (none, &json!("shell")),
            (none, &json!("edit")),
            (none, &json!("patch")),
            (&json!("linear"), &json!("create_issue")),
            (none, &json!("NotebookEdit")),
        ],
        "rules name the tools that do here what those did there"
    );
    assert_eq!((&rules[0]["effect"], rules[0]["reason"].is_string()), (&json!("deny"), true));
    let unknown = |line: &&transfer::ReportLine| line.what.ends_with(": NotebookEdit");
    assert!(seen.report.lines.iter().find(unknown).unwrap().why.contains("forbids nothing"));
    let own = json_of(&mine.files, "sources/linear/permissions.json")["rules"].clone();
    let told: Vec<_> = own.as_array().unwrap().iter().map(|rule| (&rule["source"], &rule["tool"])).collect();
    assert_eq!(
        told,
        [(none, &json!("list")), (none, &json!("delete_issue"))],
        "a source's rules are its own"
    );
    for left_out in ["the rules of linear: mcp__other__x", "the rules of linear: mcp__linear__*"] {
        let is_told =
            |line: &transfer::ReportLine| line.fate == ImportOutcome::LeftOut && line.what == left_out;
        assert!(seen.report.lines.iter().any(is_told), "{left_out}");
    }
    let automations = json_of(&mine.files, "automations.json");
    assert_eq!(automations["automations"]["SchedulerTick"][0]["enabled"], json!(false));
    assert!(mine.files.iter().any(|file| file.path == "skills/commit/SKILL.md"));
    assert!(
        seen.report.lines.iter().any(|line| line.fate == ImportOutcome::LeftOut && line.what == "Bad Name")
    );
}

#[test]
fn the_forks_stages_become_ours_with_a_report_of_what_did_not() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path();
    let agent = "workspaces/my/agents/dev-loop";
    put(
        root,
        &format!("{agent}/AGENT.md"),
        "---\nname: Dev loop\ndescription: Builds things\nsources:\n  - linear\ncolour: red\n---\nHello",
    );
    put(root, &format!("{agent}/icon.svg"), "<svg/>");
    put(root, &format!("{agent}/prompts/stage-0-analyze_request.md"), "Use {{x}} literally");
    put(
        root,
        &format!("{agent}/config.json"),
        &json!({
            "controlFlow": {
                "stages": [
                    {"id": 0, "name": "analyze_request", "description": "Analyze", "pauseChoices": ["Proceed", "Amend", "Cancel"],
                     "pauseDisplayFields": [{"key": "scope", "label": "Scope", "type": "text"}]},
                    {"id": 1, "name": "plan", "mode": "sdk_breakout"}
                ],
                "repairUnits": [{"stages": [0, 1], "maxIterations": 5, "feedbackField": "repair_feedback"}],
                "pauseAfterStages": [0], "autoAdvance": true, "pauseOnErrors": ["auth"],
                "stageOutputSchemas": {"0": {"required": ["findings"], "properties": {"findings": {"type": "array"}}, "enforcement": "warn"}}
            },
            "orchestrator": {"enabled": true, "effort": "xhigh", "budgetUsd": 5.0},
            "depthModes": {"quick": {"maxSubQueries": 3}}
        })
        .to_string(),
    );
    let seen = survey(root, &Limits::default());
    let files = &seen.workspaces[0].files;
    let config = json_of(files, "agents/dev-loop/config.json");
    let stages = config["controlFlow"]["stages"].as_array().unwrap();
    assert_eq!(
        stages.iter().map(|stage| stage["kind"].as_str().unwrap()).collect::<Vec<_>>(),
        ["model", "dialogue", "verify"]
    );
    assert_eq!(stages[0]["pause"]["choices"][1]["action"], "amend");
    assert_eq!(stages[0]["outputSchema"]["required"], json!(["findings"]));
    assert_eq!(
        config["controlFlow"]["repairUnits"][0],
        json!({"stages": [0, 1, "check_plan"], "maxIterations": 5})
    );
    assert_eq!(
        (&config["orchestrator"]["effort"], &config["defaultDepth"]),
        (&json!("max"), &json!("quick"))
    );
    let prompt =
        String::from_utf8(bytes(files, "agents/dev-loop/prompts/stage-0-analyze-request.md").to_vec())
            .unwrap();
    assert_eq!(prompt, "{% raw %}Use {{x}} literally{% endraw %}");
    let why: Vec<&str> = seen.report.lines.iter().map(|line| line.why.as_str()).collect();
    let icon = files.iter().find(|file| file.path == "agents/dev-loop/icon.svg").unwrap();
    assert!(matches!(&icon.content, Content::Copy(from) if from.ends_with("dev-loop/icon.svg")));
    for word in
        ["`colour` of AGENT.md", "pauseOnErrors", "autoAdvance", "sdk_breakout", "only warned", "xhigh"]
    {
        assert!(why.iter().any(|why| why.contains(word)), "{word}: {why:?}");
    }
    assert!(why.iter().any(|why| why.contains(r#"the effort "xhigh" became "max""#)), "{why:?}");
}

#[test]
fn broken_files_cost_only_themselves() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path();
    put(root, "workspaces/a/sources/x/config.json", "{oops");
    put(root, "workspaces/a/labels/config.json", "[1,2");
    put(root, "workspaces/a/agents/y/AGENT.md", "no head");
    put(root, "workspaces/a/agents/y/config.json", "{}");
    put(root, "workspaces/a/sessions/empty/session.jsonl", "");
    let seen = survey(root, &Limits::default());
    assert_eq!(seen.workspaces[0].files, []);
    assert_eq!(seen.report.counts["source"].left_out, 1);
    assert_eq!(seen.report.counts["agent"].left_out, 1);
}

#[test]
fn however_much_there_is_only_so_much_is_read() {
    let home = tempfile::tempdir().unwrap();
    let line = |number: u32| {
        format!("{{\"id\":\"{number}\",\"type\":\"user\",\"content\":\"{}\"}}\n", "x".repeat(1_000))
    };
    let text: String = (0..100).map(line).collect();
    put(home.path(), "my/sessions/s/session.jsonl", &format!("{{\"id\":\"s\"}}\n{text}"));
    let small = Limits { session_bytes: 20_000, ..Limits::default() };
    let read = read_session(&home.path().join("my/sessions/s"), "", &small).unwrap();
    assert!((15..25).contains(&read.transcript.messages.len()), "{}", read.transcript.messages.len());
    assert!(read.report.lines.iter().any(|line| line.why.contains("what follows is left out")));
    for number in 0..20 {
        let config = json!({"type": "local", "name": "x".repeat(1_000), "local": {"path": "/home/eva"}});
        put(home.path(), &format!("my/sources/s{number}/config.json"), &config.to_string());
    }
    put(home.path(), "my/config.json", "{}");
    let small = Limits { configs_bytes: 5_000, entries: 500, ..Limits::default() };
    let seen = survey(&home.path().join("my"), &small);
    assert!(seen.report.lines.iter().any(|line| line.why.contains("of all configuration files")));
}
