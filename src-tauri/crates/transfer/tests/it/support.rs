//! A session that has a bit of everything.

use serde_json::json;
use transfer::{Attachment, Header, Message, Role, ToolStatus, ToolUse, Transcript};

pub fn transcript() -> Transcript {
    let header = Header {
        id: "260111-swift-river".to_owned(),
        title: "Fix <login> & co".to_owned(),
        created_at: 1_768_000_000_000,
        updated_at: 1_768_000_060_000,
        status: "todo".to_owned(),
        labels: vec!["bug".to_owned(), "priority::3".to_owned()],
        flagged: true,
        mode: "ask".to_owned(),
        model: "model-1".to_owned(),
        ..Header::default()
    };
    let mut asked =
        Message::new(Role::User, "m1", 1_768_000_000_000, "Why does <b>login</b> fail?\n# not a heading");
    asked.attachments.push(Attachment {
        name: "log.txt".to_owned(),
        file: "a1-log.txt".to_owned(),
        media_type: "text/plain".to_owned(),
        bytes: 12,
    });
    let mut tool = Message::new(Role::Tool, "m2", 1_768_000_010_000, "");
    tool.tool = Some(ToolUse {
        id: "t1".to_owned(),
        name: "read".to_owned(),
        title: "Read".to_owned(),
        intent: "Look at the log".to_owned(),
        input: json!({"path": "log.txt"}),
        output: "line with ``` fence\n<script>alert(1)</script>".to_owned(),
        status: ToolStatus::Completed,
        ms: 12,
        parent: None,
        media: Vec::new(),
    });
    let answer = Message::new(
        Role::Assistant,
        "m3",
        1_768_000_060_000,
        "# Cause\n\nThe **token** expired. <img src=x onerror=alert(1)> [more](https://example.org/a)\n\n```\n# code\n```",
    );
    Transcript { header, messages: vec![asked, tool, answer] }
}
