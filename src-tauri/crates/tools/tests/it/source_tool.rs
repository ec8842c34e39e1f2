//! Tools of sources.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::{CallEffect, Hints};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sources::{ToolHints, ToolOutcome, content_parts};
use tools::{CallContext, Caller, Kind, Run, Tool, ToolError, name_of, of_source};

use crate::rig::{Rig, run};

fn tool(name: &str) -> sources::Tool {
    sources::Tool {
        name: name.into(),
        title: None,
        description: "Finds\u{200b} things.\u{e0041}".into(),
        input_schema: json!({"properties": {"q": {"type": "string", "description": "What\u{202e}."}}}),
        output_schema: None,
        hints: ToolHints { read_only: Some(true), ..ToolHints::default() },
        fingerprint: String::new(),
    }
}

/// A picture of one pixel.
const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/// Answers with what it was given, or as its arguments say.
struct Server;

#[async_trait]
impl Caller for Server {
    async fn call(
        &self,
        tool: &str,
        arguments: &Value,
        _: &CallContext,
        _: &Run,
    ) -> Result<ToolOutcome, ToolError> {
        if arguments.get("fail").is_some() {
            return Err(ToolError::new(Kind::Unavailable, "the source does not start"));
        }
        if arguments.get("hang").is_some() {
            std::future::pending::<()>().await;
        }
        let value =
            arguments.get("give").cloned().unwrap_or_else(|| json!({"tool": tool, "arguments": arguments}));
        let content = arguments.get("blocks").and_then(Value::as_array).map(|blocks| content_parts(blocks));
        Ok(ToolOutcome { value, content, bytes: 0, duration: Duration::ZERO })
    }
}

fn offered(slug: &str, tools: &[sources::Tool]) -> Vec<Arc<dyn Tool>> {
    let caller: Arc<dyn Caller> = Arc::new(Server);
    of_source(slug, tools, true, Duration::from_millis(300), &caller)
}

#[tokio::test]
async fn a_tool_of_a_source_is_called_by_its_own_name() {
    let rig = Rig::new();
    let tools = offered("wiki", &[tool("find.page")]);
    let info = tools[0].info();
    assert!(info.name.starts_with("wiki__find_page_"), "{}", info.name);
    assert_eq!((info.source.as_str(), info.tool.as_str(), info.trusted), ("wiki", "find.page", true));
    assert_eq!(info.description, "Finds things.");
    assert_eq!(info.hints, Hints { read_only: Some(true), ..Hints::default() });
    assert_eq!(
        info.parameters,
        json!({"type": "object", "properties": {"q": {"type": "string", "description": "What."}}})
    );
    let arguments = json!({"q": "two  words", "n": 2, "list": []});
    let planned = tools[0].plan(&arguments, &rig.at()).await.unwrap();
    assert_eq!(planned.effect, CallEffect::Tool);
    let mut words: Vec<&str> = planned.intent.split([':', ',']).map(str::trim).collect();
    words.sort_unstable();
    assert_eq!(words, ["find.page", "n 2", "q two words"]);
    let outcome = tools[0].run(&arguments, &rig.at(), run()).await.unwrap();
    let value: Value = serde_json::from_str(&outcome.text).unwrap();
    assert_eq!(value, json!({"tool": "find.page", "arguments": arguments}));
    assert_eq!(outcome.summary, "2 fields");
}

#[test]
fn names_are_what_every_provider_takes_and_never_meet() {
    let long = "x".repeat(100);
    let slugs = ["wiki", "a", "a_", "a__b", "", "über", long.as_str(), "a.b", "a-b"];
    let tools = [
        "find",
        "b__find",
        "_find",
        "find page",
        "find.page",
        "find_page",
        "日本",
        "",
        long.as_str(),
        "a/b",
        "A",
    ];
    let mut names = BTreeSet::new();
    for slug in slugs {
        for tool in tools {
            let name = name_of(slug, tool);
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            assert!((1..=64).contains(&name.len()) && name.chars().all(plain), "{name}");
            assert!(names.insert(name.clone()), "{slug} {tool}: {name} is there already");
        }
    }
    assert_eq!(name_of("wiki", "find"), "wiki__find");
    assert_eq!(offered("wiki", &[tool("find"), tool("find")]).len(), 1);
}

#[tokio::test]
async fn results_become_text_data_and_media() {
    let rig = Rig::new();
    let tools = offered("wiki", &[tool("find")]);
    let call = |give: Value| {
        let (tool, at) = (Arc::clone(&tools[0]), rig.at());
        async move { tool.run(&json!({"give": give}), &at, run()).await.unwrap() }
    };
    assert_eq!(call(json!("two\nlines")).await.summary, "2 lines");
    assert_eq!(call(json!([1, 2])).await.summary, "2 items");
    assert_eq!(call(json!(null)).await.text, "(It gave nothing.)");
    let blocks = json!([
        {"type": "text", "text": "A picture:"},
        {"type": "image", "mimeType": "image/png", "data": "iVBORw0KGgo="},
        {"type": "image", "mimeType": "image/png", "data": "not base64!"},
        {"type": "resource_link", "name": "page", "uri": "https://example.org/"},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "inner"}},
        {"type": "image", "mimeType": "image/jpeg", "data": GIF},
        {"type": "image", "mimeType": "image/svg+xml", "data": "PHN2Zy8+"},
    ]);
    let outcome = tools[0].run(&json!({"blocks": blocks}), &rig.at(), run()).await.unwrap();
    assert_eq!(
        outcome.text,
        "A picture:\n(result-2.png: image/png, 8 bytes; it is damaged: it breaks off before its end)\n\
         (image/png that is not well encoded: left out)\npage: https://example.org/\nfile:///a\ninner\n\
         (result-6.gif: image/gif, 42 bytes)\n\
         (result-7.svg: image/svg+xml, 6 bytes; it is a drawing (SVG), which models do not read as a picture)\n<svg/>"
    );
    assert_eq!(outcome.media.len(), 3);
    // The label that the server gave it is wrong.
    assert_eq!(outcome.media[1].media_type, "image/gif");
    assert_eq!(
        (outcome.media[0].name.as_str(), outcome.media[0].data.as_slice()),
        ("result-2.png", b"\x89PNG\r\n\x1a\n".as_slice())
    );
}

#[tokio::test]
async fn what_fails_hangs_or_is_stopped_ends_with_an_error() {
    let rig = Rig::new();
    let tools = offered("wiki", &[tool("find")]);
    let error = tools[0].run(&json!({"fail": 1}), &rig.at(), run()).await.unwrap_err();
    assert_eq!(error.kind, Kind::Unavailable);
    let error = tools[0].run(&json!({"hang": 1}), &rig.at(), run()).await.unwrap_err();
    assert_eq!(error.kind, Kind::Deadline);
    let stopped = run();
    stopped.cancel.cancel();
    let error = tools[0].run(&json!({"hang": 1}), &rig.at(), stopped).await.unwrap_err();
    assert_eq!(error.kind, Kind::Cancelled);
    assert_eq!(tools[0].plan(&json!([1]), &rig.at()).await.unwrap_err().kind, Kind::Arguments);
}
