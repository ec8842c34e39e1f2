//! Questions, plans, tasks, long results, another model.

use std::fs;
use std::sync::Arc;

use async_trait::async_trait;
use domain::{CallEffect, Question, QuestionOption, Show, Task, TaskStatus};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tools::{Asker, CallContext, Kind, Parts, ToolError};

use crate::rig::{Rig, run};

#[tokio::test]
async fn a_question_is_handed_to_the_person() {
    let rig = Rig::new();
    let arguments = json!({"question": "Which\u{200b} database?", "several": true,
        "options": ["SQLite", {"label": "Postgres", "description": "A server."}]});
    let planned = rig.plan("ask", arguments.clone()).await.unwrap();
    assert_eq!((planned.effect, planned.intent.as_str()), (CallEffect::Inner, "Ask: Which database?"));
    let outcome = rig.call("ask", arguments).await.unwrap();
    let option = |label: &str, description: &str| QuestionOption {
        label: label.into(),
        description: description.into(),
    };
    let options = vec![option("SQLite", ""), option("Postgres", "A server.")];
    assert_eq!(outcome.question, Some(Question { text: "Which database?".into(), options, several: true }));
    for wrong in [
        json!({}),
        json!({"question": " \u{200b} "}),
        json!({"question": "x".repeat(5_000)}),
        json!({"question": "a", "options": ["b", "b"]}),
        json!({"question": "a", "options": [""]}),
        json!({"question": "a", "options": (0..13).map(|n| n.to_string()).collect::<Vec<_>>()}),
    ] {
        assert_eq!(rig.fails("ask", wrong.clone()).await.kind, Kind::Arguments, "{wrong}");
    }
}

#[tokio::test]
async fn a_plan_is_kept_as_a_file_and_ends_the_turn() {
    let rig = Rig::new();
    let arguments = json!({"title": "Fix ../../the parser", "text": "# Plan\n\n1. Do it."});
    let outcome = rig.call("plan", arguments.clone()).await.unwrap();
    let path = rig.own().join("plans/fix-the-parser.md");
    assert_eq!(fs::read_to_string(&path).unwrap(), "# Plan\n\n1. Do it.");
    let show = |path: &std::path::Path, text: &str| Show::Plan {
        title: "Fix ../../the parser".into(),
        text: text.into(),
        path: path.display().to_string(),
    };
    assert_eq!(outcome.show, [show(&path, "# Plan\n\n1. Do it.")]);
    assert!(outcome.ends);
    // Once more is the same plan, another text another file.
    assert_eq!(rig.call("plan", arguments).await.unwrap().show, outcome.show);
    let refined = json!({"title": "Fix ../../the parser", "text": "Better."});
    let second = rig.own().join("plans/fix-the-parser-2.md");
    assert_eq!(rig.call("plan", refined).await.unwrap().show, [show(&second, "Better.")]);
    assert_eq!(fs::read_to_string(path).unwrap(), "# Plan\n\n1. Do it.");
    assert_eq!(rig.fails("plan", json!({"title": "a", "text": ""})).await.kind, Kind::Arguments);
}

#[tokio::test]
async fn a_plans_file_is_not_written_over_a_link() {
    let rig = Rig::new();
    std::os::unix::fs::symlink(rig.outside().join("new.md"), rig.own().join("plans/a.md")).unwrap();
    assert_eq!(rig.fails("plan", json!({"title": "a", "text": "b"})).await.kind, Kind::Refused);
    assert!(!rig.outside().join("new.md").exists());
}

#[tokio::test]
async fn tasks_are_shown_as_a_whole_list() {
    let rig = Rig::new();
    let arguments = json!({"tasks": [{"text": "Read", "status": "done"}, {"text": "Write", "status": "doing"}, {"text": "Check"}]});
    let outcome = rig.call("tasks", arguments).await.unwrap();
    let task = |text: &str, status| Task { text: text.into(), status };
    let tasks = vec![
        task("Read", TaskStatus::Done),
        task("Write", TaskStatus::Doing),
        task("Check", TaskStatus::Pending),
    ];
    assert_eq!(outcome.show, [Show::Tasks { tasks }]);
    assert_eq!(outcome.summary, "1 of 3 done");
    assert!(rig.call("tasks", json!({"tasks": []})).await.is_ok());
    for wrong in
        [json!({}), json!({"tasks": [{"text": ""}]}), json!({"tasks": [{"text": "a", "status": "later"}]})]
    {
        assert_eq!(rig.fails("tasks", wrong).await.kind, Kind::Arguments);
    }
    let many: Vec<Value> = (0..101).map(|n| json!({"text": n.to_string()})).collect();
    assert_eq!(rig.fails("tasks", json!({"tasks": many})).await.kind, Kind::Arguments);
}

#[tokio::test]
async fn a_long_result_is_read_again_in_parts() {
    let rig = Rig::new();
    let text: String = (1..=1_000).map(|n| format!("row {n}\n")).collect();
    fs::write(rig.own().join("results/call_7.txt"), text).unwrap();
    fs::write(rig.own().join("results/call_77.txt"), "other").unwrap();
    let part = rig.said("result", json!({"call": "call_7", "offset": 501, "limit": 2})).await;
    assert_eq!(
        part,
        "   501\trow 501\n   502\trow 502\n\n(Lines 501 to 502 of 1000. Go on with offset 503.)"
    );
    assert_eq!(rig.fails("result", json!({"call": "call_8"})).await.kind, Kind::NotFound);
    for wrong in ["", ".", "..", "../data/x", "a/b", "a\\b", "a b", "ü", "/etc/passwd", "\0"] {
        assert_eq!(rig.fails("result", json!({"call": wrong})).await.kind, Kind::Arguments, "{wrong:?}");
    }
    std::os::unix::fs::symlink(rig.outside().join("secret.txt"), rig.own().join("results/link.txt")).unwrap();
    assert_eq!(rig.fails("result", json!({"call": "link"})).await.kind, Kind::Refused);
}

struct Echo;

#[async_trait]
impl Asker for Echo {
    async fn ask(
        &self,
        at: &CallContext,
        prompt: &str,
        schema: Option<&Value>,
        cancel: &CancellationToken,
    ) -> Result<String, ToolError> {
        if prompt == "wait" {
            cancel.cancelled().await;
            return Err(ToolError::new(Kind::Failed, "given up"));
        }
        Ok(format!("{} {prompt} {}", at.session, schema.is_some()))
    }
}

#[tokio::test]
async fn another_model_is_asked_through_the_caller() {
    let rig = Rig::with(Parts { asker: Some(Arc::new(Echo)), ..Parts::default() });
    let planned = rig.plan("call_model", json!({"prompt": "Sum up\nthis"})).await.unwrap();
    assert_eq!((planned.effect, planned.intent.as_str()), (CallEffect::Model, "Ask a model: Sum up"));
    let text = rig.said("call_model", json!({"prompt": "Sum up", "schema": {"type": "object"}})).await;
    assert_eq!(text, "session Sum up true");
    for wrong in [json!({"prompt": " "}), json!({"prompt": "a", "schema": "b"})] {
        assert_eq!(rig.fails("call_model", wrong).await.kind, Kind::Arguments);
    }
    let stopped = run();
    stopped.cancel.cancel();
    let error = rig.tool("call_model").run(&json!({"prompt": "wait"}), &rig.at(), stopped).await.unwrap_err();
    assert_eq!(error.kind, Kind::Cancelled);
    assert!(tools::built_in(&Parts::default()).iter().all(|tool| tool.info().name != "call_model"));
}
