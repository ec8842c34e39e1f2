//! What a turn's model is shown: fewer words, files, staged runs, branches, every protocol.

use domain::connection::ProviderKind;
use engine::turn::{StartTurn, StepKind, TurnStatus, TurnUiKind};
use llm::{Answer, ModelInfo, ScriptedProvider};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::turn_world::{World, message, results, texts};

fn small_window(window: u64) -> ModelInfo {
    ModelInfo::free("scripted", "scripted", window, 2_000)
}

fn is_compaction(request: &llm::ModelRequest) -> bool {
    texts(request).last().is_some_and(|text| text.contains("## Next step"))
}

#[tokio::test]
async fn a_conversation_that_fills_the_window_goes_on_in_fewer_words() {
    let provider = ScriptedProvider::answering(|request| {
        if is_compaction(request) {
            return Answer::text("## Goal\nTo count.");
        }
        Answer::text("word ".repeat(2_000))
    });
    let world = World::new(provider.with_model(small_window(10_000))).await;
    let (session, _) = world.turn("Count").await;
    let mut compacted = None;
    for _ in 0..6 {
        let view = world.turn_in(&session, "Go on").await;
        assert_eq!(view.head.status, TurnStatus::Completed, "{:?}", view.head.problem);
        compacted = view.steps.into_iter().find_map(|step| match step.kind {
            StepKind::Compaction { summary, before, after, by_model } => {
                Some((summary, before, after, by_model))
            }
            _ => None,
        });
        if compacted.is_some() {
            break;
        }
    }
    let (summary, before, after, by_model) = compacted.expect("it was put into fewer words");
    assert_eq!((summary.as_str(), by_model), ("## Goal\nTo count.", true));
    assert!(before > after);
    let said = texts(&world.provider.requests().pop().unwrap());
    assert!(said[0].contains("## Goal\nTo count.") && said.last().unwrap() == "Go on", "{said:?}");
    // What came before is not read any more.
    world.turn_in(&session, "And now?").await;
    let said = texts(&world.provider.requests().pop().unwrap());
    assert!(said[0].contains("To count.") && !said.contains(&"Count".to_owned()), "{said:?}");
}

#[tokio::test]
async fn where_the_model_can_not_summarise_code_does() {
    let provider = ScriptedProvider::answering(|request| {
        if is_compaction(request) {
            return Answer::fail(llm::Fault::BadRequest, "no");
        }
        Answer::text("I count.").call("large", json!({}))
    });
    let world = World::new(provider.with_model(small_window(30_000))).await;
    let bounds = dialogue::Bounds { iterations: 6, ..dialogue::Bounds::default() };
    let (_, run) = world.engine.begin_turn(StartTurn { bounds, ..world.says("Count all") }).await.unwrap();
    let view = world.ended(&run).await;
    let by_code = view.steps.iter().find_map(|step| match &step.kind {
        StepKind::Compaction { summary, by_model: false, .. } => Some(summary.clone()),
        _ => None,
    });
    let summary = by_code.expect("code put it into fewer words");
    assert!(summary.contains("Count all") && summary.contains("## Calls of tools"), "{summary}");
}

#[tokio::test]
async fn a_person_may_ask_for_fewer_words() {
    let world = World::new(ScriptedProvider::queue([
        Answer::text("One."),
        Answer::text("## Goal\nShort."),
        Answer::text("Still here."),
    ]))
    .await;
    let (session, first) = world.turn("Tell me").await;
    let start = StartTurn { session: Some(session.clone()), compact: true, ..world.says("the tone") };
    let (_, run) = world.engine.begin_turn(start).await.unwrap();
    let view = world.ended(&run).await;
    assert_eq!((view.head.status, view.head.answer), (TurnStatus::Completed, None));
    let asked = world.provider.requests().pop().unwrap();
    assert!(texts(&asked).last().unwrap().contains("The person adds: the tone"));
    assert!(asked.tools.is_empty());
    world.turn_in(&session, "Go on").await;
    let said = texts(&world.provider.requests().pop().unwrap());
    assert!(said[0].contains("Short.") && !said.iter().any(|text| text == "Tell me"), "{said:?}");
    // The turn before it is as it was.
    assert_eq!(world.engine.turn_view(&first.head.run).await.unwrap().head.answer.as_deref(), Some("One."));
}

#[tokio::test]
async fn old_results_are_left_out_before_anything_is_summarised() {
    let mut calls = 0;
    let provider = ScriptedProvider::answering(move |request| {
        assert!(!is_compaction(request));
        calls += 1;
        if calls < 8 {
            Answer::text("").call("read", json!({"path": "a.txt"}))
        } else {
            Answer::text("Read.")
        }
    });
    let world = World::new(provider.with_model(small_window(24_000))).await;
    std::fs::write(
        world.home().join("a.txt"),
        "twelve more words of the file that is read again ".repeat(220),
    )
    .unwrap();
    let bounds = dialogue::Bounds { repeats: 0, ..dialogue::Bounds::default() };
    let (session, run) = world.engine.begin_turn(StartTurn { bounds, ..world.says("Read") }).await.unwrap();
    let view = world.ended(&run).await;
    assert_eq!(view.head.answer.as_deref(), Some("Read."));
    let given = results(&world.provider.requests().pop().unwrap());
    assert!(given[0].0.contains("is left out here to save room"), "{}", given[0].0);
    assert!(given.last().unwrap().0.starts_with("twelve more words"));
    let folder = world.home().join("sessions").join(&session.0).join("results");
    assert!(std::fs::read_dir(folder).unwrap().count() >= 1);
}

#[tokio::test]
async fn an_edited_message_replaces_what_came_after_it() {
    let mut world = World::new(ScriptedProvider::queue([
        Answer::text("One."),
        Answer::text("Two."),
        Answer::text("Other."),
    ]))
    .await;
    let (session, first) = world.turn("First").await;
    let second = world.turn_in(&session, "Second").await;
    let edited = StartTurn {
        session: Some(session.clone()),
        previous: Some(second.head.previous.clone()),
        ..world.says("Second, edited")
    };
    let (_, run) = world.engine.begin_turn(edited).await.unwrap();
    let is_first = |kind: &TurnUiKind| matches!(kind, TurnUiKind::Changed { message: Some(_), .. });
    let TurnUiKind::Changed { replaced, .. } = world.until(&run, is_first).await else { unreachable!() };
    assert_eq!(replaced, std::slice::from_ref(&second.head.run));
    let entries = world.engine.session_entries(&session.0).await.unwrap();
    assert_eq!(entries.replaced, replaced);
    let shown: Vec<String> = entries.shown.into_iter().map(|entry| entry.id).collect();
    assert_eq!(shown, [first.head.run.0.clone(), run.0.clone()]);
    let view = world.ended(&run).await;
    assert_eq!(view.head.previous, Some(first.head.run));
    assert_eq!(texts(&world.provider.requests().pop().unwrap()), ["First", "One.", "Second, edited"]);
    assert_eq!(world.engine.turn_view(&second.head.run).await.unwrap().head.answer.as_deref(), Some("Two."));
}

#[tokio::test]
async fn attached_files_go_along_as_the_model_can_read_them() {
    let world = World::new(ScriptedProvider::queue([Answer::text("Seen.")])).await;
    let session = domain::SessionId("s-files".to_owned());
    let folder = world.home().join("sessions").join(&session.0).join("attachments");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("1.txt"), "if a < b </attached_file>").unwrap();
    let dot = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    std::fs::write(folder.join("2.png"), dot).unwrap();
    std::fs::write(folder.join("3.png"), &dot[..20]).unwrap();
    let attached = |id: &str, name: &str, media_type: &str| domain::Attachment {
        id: id.to_owned(),
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        bytes: 1,
        note: None,
        pages: None,
    };
    let attachments = vec![
        attached("1.txt", "notes.txt", "text/plain"),
        attached("2.png", "dot.png", "image/png"),
        attached("3.png", "half.png", "image/png"),
        attached("../../../etc/passwd", "gone", "text/plain"),
    ];
    let start = StartTurn {
        session: Some(session),
        message: domain::UserMessage { attachments, ..message("Look") },
        ..world.says("")
    };
    let (_, run) = world.engine.begin_turn(start).await.unwrap();
    world.ended(&run).await;
    let said = texts(&world.provider.requests().pop().unwrap());
    assert!(said[1].contains("if a &lt; b &lt;/attached_file&gt;"), "{said:?}");
    // The name and the label say something else than the bytes.
    assert!(said[2].contains("dot.png (image/gif, "), "{said:?}");
    assert!(said[2].contains("can't be read by this model") && said[2].contains("2.png"), "{said:?}");
    assert!(said[3].contains("is damaged: it breaks off") && said[3].contains("3.png"), "{said:?}");
    assert!(said[4].contains("is not there any more"), "{said:?}");
}

#[tokio::test]
async fn a_branch_goes_its_own_way() {
    let world = World::new(ScriptedProvider::queue([
        Answer::text("").call("append", json!({"path": "a.txt"})),
        Answer::text("One."),
        Answer::text("Two."),
        Answer::text("Branched."),
    ]))
    .await;
    let (session, first) = world.turn("First").await;
    world.turn_in(&session, "Second").await;
    let branch = world.engine.branch(&first.head.run).await.unwrap();
    assert_ne!(branch, session);
    let view = world.turn_in(&branch, "Elsewhere").await;
    assert_eq!(view.head.answer.as_deref(), Some("Branched."));
    let request = world.provider.requests().pop().unwrap();
    assert_eq!(texts(&request), ["First", "One.", "Elsewhere"]);
    assert_eq!(results(&request), [("appended".to_owned(), false)]);
    // It stands on its own when the first conversation is gone.
    assert!(world.store.delete_session(&session.0).await.unwrap());
    let copied = view.head.previous.unwrap();
    assert_eq!(world.engine.turn_view(&copied).await.unwrap().head.answer.as_deref(), Some("One."));
}

/// The request of a turn's last call, after its tools, as every protocol would send it.
#[tokio::test]
async fn no_protocol_sends_tools_with_the_last_call() {
    let world = World::new(ScriptedProvider::answering(|request| {
        if request.tools.is_empty() {
            Answer::text("Enough.")
        } else {
            Answer::text("I look.").call("read", json!({"path": "a.txt"}))
        }
    }))
    .await;
    std::fs::write(world.home().join("a.txt"), "alpha").unwrap();
    let bounds = dialogue::Bounds { iterations: 1, ..dialogue::Bounds::default() };
    let (_, run) = world.engine.begin_turn(StartTurn { bounds, ..world.says("Read") }).await.unwrap();
    world.ended(&run).await;
    let [step, last] = <[_; 2]>::try_from(world.provider.requests()).unwrap();
    let base = url::Url::parse("http://127.0.0.1:1/").unwrap();
    let model = ModelInfo::free("scripted", "scripted", 200_000, 64_000);
    for kind in [
        ProviderKind::Anthropic,
        ProviderKind::Openai,
        ProviderKind::OpenaiChat,
        ProviderKind::Gemini,
        ProviderKind::Ollama,
    ] {
        let connection = serde_json::from_value(json!({
            "slug": "c", "name": "C", "provider": kind, "baseUrl": base.as_str(),
        }));
        let connection: domain::connection::Connection = connection.unwrap();
        let target = llm::wire::Target { connection: &connection, base: &base, model: &model };
        let body = |request: &llm::ModelRequest| -> serde_json::Value {
            let call = llm::wire::codec(kind).unwrap().encode(request, target).unwrap();
            serde_json::from_str(&call.body.unwrap()).unwrap()
        };
        assert!(body(&step).get("tools").is_some(), "{kind:?}");
        let sent = body(&last);
        for field in ["tools", "tool_choice", "toolConfig"] {
            assert_eq!(sent.get(field), None, "{kind:?}: {sent}");
        }
    }
}

#[tokio::test]
async fn a_staged_run_is_a_link_of_the_conversation() {
    let world = World::new(ScriptedProvider::answering(|request| {
        if request.schema.is_some() || request.system.contains("You are stage") {
            Answer::json(&json!({"text": "The run's answer."}))
        } else {
            Answer::text("A turn's answer.")
        }
    }))
    .await;
    let (session, _) = world.turn("Before").await;
    let agent = crate::agents::agent(
        json!([crate::agents::model("write", json!({})), crate::agents::render("write")]),
        json!({}),
    );
    let start = engine::StartRun {
        request: "Ask the agent".to_owned(),
        session: Some(session.0.clone()),
        connection: Some("scripted".to_owned()),
        model: Some("scripted-1".to_owned()),
        ..engine::StartRun::default()
    };
    let run = world.engine.start(agent, Vec::new(), None, start).await.unwrap();
    world.engine.wait(&run).await.unwrap();
    let view = world.turn_in(&session, "After").await;
    assert_eq!(view.head.previous, Some(run));
    let said = texts(&world.provider.requests().pop().unwrap());
    assert_eq!(
        (said[0].as_str(), said[1].as_str(), said[2].as_str()),
        ("Before", "A turn's answer.", "Ask the agent")
    );
    assert!(said[3].contains("The run's answer."), "{said:?}");
    let branch = world.engine.branch(&view.head.run).await.unwrap();
    world.turn_in(&branch, "Elsewhere").await;
    let again = texts(&world.provider.requests().pop().unwrap());
    assert_eq!(again[..4], said[..4]);
}
