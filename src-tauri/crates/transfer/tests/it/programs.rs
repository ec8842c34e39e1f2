//! Conversations of other programs, in the forms that their versions write.

use std::path::Path;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use transfer::programs::{Conversation, Conversations, Program, Unread, program_folders};
use transfer::{Limits, Role};

/// What stands in a folder or file of another program.
fn read(path: &Path) -> (Program, Vec<Result<Conversation, Unread>>) {
    let limits = Limits::default();
    let program = Program::detect(path, &limits).expect("is known by its form");
    let all = Conversations::open(path, program, limits, tempfile::tempfile).unwrap();
    (program, all.collect())
}

fn lines(rows: &[Value]) -> String {
    rows.iter().map(|row| format!("{row}\n")).collect()
}

/// The words of a conversation: who said what, and calls with what they gave.
fn words(conversation: &Conversation) -> Vec<String> {
    let messages = conversation.transcript.messages.iter();
    messages
        .map(|message| match &message.tool {
            Some(tool) => format!("{} {}: {} ({})", tool.name, tool.input, tool.output, tool.status.as_str()),
            None => format!("{}: {}", message.role.title(), message.text),
        })
        .collect()
}

/// Writes a file and reads its only conversation.
fn one(name: &str, text: &str) -> (Program, Conversation) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let (program, mut all) = read(&path);
    assert_eq!(all.len(), 1, "{name}");
    (program, all.remove(0).unwrap())
}

#[test]
fn every_form_is_read_in_order_with_calls_and_results() {
    let message = |role: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": "text", "text": text}]});
    let item = |payload: Value| json!({"timestamp": "2025-03-01T10:00:00.000Z", "type": "response_item", "payload": payload});
    let shapes: [(&str, String, Program, &[&str]); 7] = [
        (
            "rollout-of-the-first-form.jsonl",
            lines(&[
                json!({"id": "1f0", "timestamp": "2025-03-01T10:00:00.000Z", "instructions": null}),
                message("user", "<environment_context>no</environment_context>"),
                message("user", "Hello"),
                json!({"record_type": "state"}),
                json!({"type": "local_shell_call", "call_id": "c", "status": "completed", "action": {"type": "exec", "command": ["ls"]}}),
                json!({"type": "function_call_output", "call_id": "c", "output": "{\"output\":\"a.txt\",\"metadata\":{\"exit_code\":0}}"}),
                message("assistant", "One file."),
            ]),
            Program::Codex,
            &["You: Hello", "shell {\"type\":\"exec\",\"command\":[\"ls\"]}: a.txt (done)", "Assistant: One file."],
        ),
        (
            "rollout-with-other-tools.jsonl",
            lines(&[
                json!({"timestamp": "2025-03-01T10:00:00.000Z", "type": "session_meta", "payload": {"id": "1f1", "cwd": "/x"}}),
                item(message("user", "Patch it")),
                item(json!({"type": "custom_tool_call", "call_id": "p", "name": "apply_patch", "input": "*** Begin"})),
                item(json!({"type": "custom_tool_call_output", "call_id": "p", "output": "Process exited with code 2\nno"})),
                item(json!({"type": "web_search_call", "action": {"type": "search", "query": "q"}})),
                item(json!({"type": "function_call", "call_id": "open", "name": "wait", "arguments": ""})),
                json!({"timestamp": "2025-03-01T10:00:00.000Z", "type": "compacted", "payload": {"message": "SUMMARY"}}),
                item(message("assistant", "Done.")),
            ]),
            Program::Codex,
            &[
                "You: Patch it",
                "apply_patch {\"input\":\"*** Begin\"}: Process exited with code 2\nno (failed)",
                "web_search {\"type\":\"search\",\"query\":\"q\"}:  (done)",
                "wait {}:  (stopped)",
                "Assistant: Done.",
            ],
        ),
        (
            "conversations.json",
            json!([{"title": "Leaf", "create_time": 1_700_000_000.5, "mapping": {
                "a": {"parent": null, "children": ["b", "c"], "message": {"id": "a", "author": {"role": "user"}, "create_time": 1, "content": {"content_type": "text", "parts": ["Ask", null, 5]}}},
                "b": {"parent": "a", "children": [], "message": {"id": "b", "author": {"role": "assistant"}, "create_time": 2, "content": {"content_type": "text", "parts": ["old"]}}},
                "c": {"parent": "a", "children": [], "message": {"id": "c", "author": {"role": "assistant"}, "create_time": 3, "content": {"content_type": "text", "parts": ["new"]}}}}}]).to_string(),
            Program::ChatGpt,
            &["You: Ask", "Assistant: new"],
        ),
        (
            "one-conversation.json",
            json!({"title": "Alone", "id": "alone-1", "current_node": "q", "mapping": {
                "p": {"parent": "q", "message": {"id": "p", "author": {"role": "user"}, "content": {"content_type": "text", "parts": ["In circles"]}}},
                "q": {"parent": "p", "message": {"id": "q", "author": {"role": "tool", "name": "browser"}, "content": {"content_type": "tether_quote", "title": "T", "url": "https://t.example/", "text": "quoted"}}}}}).to_string(),
            Program::ChatGpt,
            &["You: In circles", "browser {}: T https://t.example/\n\nquoted (done)"],
        ),
        (
            "conversations.json",
            json!([{"uuid": "u-1", "name": "", "created_at": "2025-03-01T10:00:00.123456+00:00", "chat_messages": [
                {"uuid": "1", "sender": "human", "text": "Old form", "created_at": "2025-03-01T10:00:01Z"},
                {"uuid": "2", "sender": "assistant", "text": "Yes", "created_at": "2025-03-01T10:00:02Z", "content": []},
                {"uuid": "3", "sender": "human", "text": "", "content": [{"type": "text", "text": "And?"}]},
                {"uuid": "4", "sender": "assistant", "content": [
                    {"type": "tool_use", "id": "x", "name": "artifacts", "input": {"id": "a"}},
                    {"type": "tool_use", "id": "y", "name": "repl", "input": null},
                    {"type": "tool_result", "tool_use_id": "y", "is_error": true, "content": "no"},
                    {"type": "tool_result", "tool_use_id": "x", "content": [{"type": "text", "text": "OK"}]}]}]}]).to_string(),
            Program::Claude,
            &["You: Old form", "Assistant: Yes", "You: And?", "artifacts {\"id\":\"a\"}: OK (done)", "repl {}: no (failed)"],
        ),
        (
            "compacted.jsonl",
            lines(&[
                json!({"uuid": "1", "parentUuid": null, "type": "user", "sessionId": "s", "timestamp": "2025-03-01T10:00:00.000Z", "message": {"role": "user", "content": "Before"}}),
                json!({"uuid": "2", "parentUuid": "1", "type": "assistant", "sessionId": "s", "message": {"role": "assistant", "id": "m", "content": [{"type": "text", "text": "Answer"}]}}),
                json!({"uuid": "3", "parentUuid": null, "logicalParentUuid": "2", "type": "system", "subtype": "compact_boundary", "sessionId": "s"}),
                json!({"uuid": "4", "parentUuid": "3", "type": "user", "isCompactSummary": true, "sessionId": "s", "message": {"role": "user", "content": "This session is being continued"}}),
                json!({"uuid": "5", "parentUuid": "lost", "type": "user", "sessionId": "s", "message": {"role": "user", "content": "After"}}),
                json!({"uuid": "6", "parentUuid": "5", "type": "user", "sessionId": "s", "message": {"role": "user", "content": "[Request interrupted by user]"}}),
            ]),
            Program::ClaudeCode,
            &["You: Before", "Assistant: Answer", "You: After"],
        ),
        (
            "commands.jsonl",
            lines(&[
                json!({"uuid": "1", "parentUuid": null, "type": "user", "sessionId": "s", "message": {"role": "user", "content": "<command-message>review</command-message><command-name>/review</command-name><command-args>all of it</command-args>"}}),
                json!({"uuid": "2", "parentUuid": "1", "type": "user", "isMeta": true, "sessionId": "s", "message": {"role": "user", "content": [{"type": "text", "text": "EXPANDED"}]}}),
                json!({"uuid": "3", "parentUuid": "2", "type": "assistant", "sessionId": "s", "message": {"role": "assistant", "id": "m", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]}}),
                json!({"uuid": "4", "parentUuid": "3", "type": "user", "sessionId": "s", "toolUseResult": {"durationMs": 7}, "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": "The user doesn't want to proceed with this tool use."}]}}),
            ]),
            Program::ClaudeCode,
            &["You: /review all of it", "Bash {}: The user doesn't want to proceed with this tool use. (not allowed)"],
        ),
    ];
    for (name, text, program, said) in &shapes {
        let (found, conversation) = one(name, text);
        assert_eq!(found, *program, "{name}");
        assert_eq!(words(&conversation), *said, "{name}");
        assert!(!conversation.key.is_empty() && !conversation.transcript.header.title.is_empty(), "{name}");
    }
}

#[test]
fn other_files_are_nobodys_and_an_empty_session_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits::default();
    for (name, text) in [
        ("a.jsonl", "{\"id\": 1}\n"),
        ("b.json", "[{\"a\": 1}]"),
        ("c.json", ""),
        ("d.jsonl", "not json\n"),
        ("conversations.txt", "[{\"mapping\": {}}]"),
        ("e.jsonl", "{\"format\": \"agentnative-session\", \"version\": 1, \"id\": \"x\"}\n"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        assert_eq!(Program::detect(&path, &limits), None, "{name}");
    }
    assert_eq!(Program::detect(folder.path(), &limits), None);
    let empty = folder.path().join("empty.jsonl");
    let meta = json!({"type": "session_meta", "timestamp": "2025-03-01T10:00:00Z", "payload": {"id": "e"}});
    std::fs::write(&empty, lines(&[meta])).unwrap();
    assert!(matches!(read(&empty).1.as_slice(), [Err(Unread::Empty)]));
}

#[test]
fn folders_are_found_where_variables_say_and_hold_sessions_in_the_order_of_time() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().canonicalize().unwrap();
    let row = |id: &str, text: &str| {
        lines(&[
            json!({"uuid": id, "parentUuid": null, "type": "user", "sessionId": id, "cwd": format!("/{id}"), "message": {"role": "user", "content": text}}),
        ])
    };
    for (name, id) in [
        ("-one/a.jsonl", "one"),
        ("-two/b.jsonl", "two"),
        ("-two/agent-x.jsonl", "agent"),
        ("-two/subagents/c.jsonl", "sub"),
    ] {
        let path = root.join(".config/claude/projects").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, row(id, "Hello")).unwrap();
    }
    let found = |set: &[(&str, &Path)]| {
        let variable = |name: &str| {
            let own = set.iter().find(|(known, _)| *known == name).map(|(_, path)| path.to_path_buf());
            own.or_else(|| (name == "HOME").then(|| root.clone()))
        };
        let folders = program_folders(variable, &Limits::default());
        folders.into_iter().map(|folder| (folder.program, folder.path, folder.sessions)).collect::<Vec<_>>()
    };
    assert_eq!(found(&[]), [(Program::ClaudeCode, root.join(".config/claude"), 2)]);
    assert_eq!(found(&[("CLAUDE_CONFIG_DIR", &root)]), []);
    assert_eq!(found(&[("XDG_CONFIG_HOME", &root)]), []);
    assert_eq!(found(&[("CODEX_HOME", Path::new("relative"))]).len(), 1);

    let limits = Limits::default();
    let folder = root.join(".config/claude");
    let mut all = Conversations::open(&folder, Program::ClaudeCode, limits, tempfile::tempfile).unwrap();
    let groups: Vec<(String, String, usize)> =
        all.groups().into_iter().map(|group| (group.slug, group.name, group.sessions)).collect();
    assert_eq!(groups, [("-one".into(), "/one".into(), 1), ("-two".into(), "/two".into(), 1)]);
    all.choose(&["-two".to_owned()]);
    let read: Vec<_> = all.by_ref().map(|read| read.unwrap().transcript.header.folders).collect();
    assert_eq!(read, [["/two"]]);
    assert_eq!(
        Program::detect(&root.join(".config/claude/projects/-one"), &limits),
        Some(Program::ClaudeCode)
    );
}

#[test]
fn a_long_title_and_a_damaged_picture_are_bounded_and_told_of() {
    let rows = [
        json!({"uuid": "1", "parentUuid": null, "type": "user", "sessionId": "s", "message": {"role": "user", "content": [
            {"type": "text", "text": "x".repeat(1 << 20)},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "no base64!"}},
            {"type": "image", "source": {"type": "base64", "media_type": "../../etc", "data": "iVBORw0KGgo="}}]}}),
        json!({"type": "custom-title", "customTitle": format!("\u{1b}[31m{}", "t".repeat(5_000))}),
    ];
    let (_, conversation) = one("s.jsonl", &lines(&rows));
    let title = &conversation.transcript.header.title;
    assert_eq!((title.chars().count(), title.contains('\u{1b}')), (200, false));
    let message = &conversation.transcript.messages[0];
    assert_eq!((message.role, message.attachments.len()), (Role::User, 1));
    assert_eq!(message.attachments[0].media_type, "image/png");
    assert!(conversation.report.lines.iter().any(|line| line.why.contains("can't be read")));
    assert!(conversation.files.iter().all(|file| transfer::check_name(&file.name).is_ok()));
}
