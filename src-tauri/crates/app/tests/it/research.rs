use app::{PausePolicy, Reply, Request, RunRef, StartRun};
use domain::agent::StageKind;
use domain::{ErrorCode, RunStatus, StageId, Verdict};
use pretty_assertions::assert_eq;
use protocol::{AttachmentAdd, CallState, StagePhase};

use crate::world::{AGENT, QUESTION, World, answer};

#[tokio::test]
async fn a_runs_state_tells_when_what_happened_and_what_was_decided() {
    let world = World::new().await;
    let run = world.run(None, false).await;
    let waiting = world.state(&run).await;
    assert_eq!(waiting.status, RunStatus::Paused);
    let paused: Vec<_> = waiting.stages.iter().filter(|stage| stage.phase == StagePhase::Paused).collect();
    assert_eq!(paused.iter().map(|stage| &stage.id).collect::<Vec<_>>(), [&waiting.pauses[0].stage]);
    assert!(waiting.answered.is_empty() && waiting.document.is_none());
    assert!(waiting.corpus.as_deref().is_some_and(|corpus| corpus.contains("@g")), "{:?}", waiting.corpus);
    assert!(waiting.depth.as_ref().is_some_and(|depth| waiting.depths.contains(depth)));

    let mut edit = waiting.pauses[0].output.clone().expect("its output can be edited");
    assert!(waiting.pauses[0].editable && edit.is_object());
    let reply = Reply { choice: Some("skip_web".to_owned()), edit: Some(edit.take()), ..Reply::default() };
    world.reply(&run, reply, true).await;
    let state = world.state(&run).await;
    assert_eq!(state.status, RunStatus::Completed);
    let answered = state.answered.first().expect("a decision");
    assert_eq!(
        (answered.form.pause.clone(), answered.decision.choice.as_str()),
        (waiting.pauses[0].pause.clone(), "skip_web")
    );
    assert_ne!(answered.label, "skip_web");
    assert!(!answered.edited, "the same output is no edit");
    assert!(answered.at >= state.created_at && answered.at <= state.updated_at);
    for stage in &state.stages {
        assert!(
            [StageKind::Tools, StageKind::Model, StageKind::Verify, StageKind::Render].contains(&stage.kind),
            "{stage:?}"
        );
        assert!(
            !matches!(stage.phase, StagePhase::Pending | StagePhase::Running | StagePhase::Paused),
            "{stage:?}"
        );
        assert!(stage.ended_at.is_some(), "{stage:?}");
        assert_eq!(stage.started_at.is_some(), stage.phase == StagePhase::Completed, "{stage:?}");
    }
    assert!(state.stages.iter().skip(1).all(|stage| !stage.depends_on.is_empty()));
    let verify = state.stages.iter().find(|stage| stage.kind == StageKind::Verify).expect("a check");
    assert!(!verify.scores.is_empty() && verify.scores.values().all(|score| (0.0..=1.0).contains(score)));
    assert!(verify.max_iterations > 0);
    let active: u64 = state.stages.iter().map(|stage| stage.active_ms).sum();
    assert!(active <= state.active_ms + 1, "{active} of {}", state.active_ms);
    assert_eq!(state.events.len() as u64, state.seq);
    assert!(state.outputs.is_some());

    let world = world.reopened().await;
    let again = world.state(&run).await;
    assert_eq!(serde_json::to_value(&again).unwrap(), serde_json::to_value(&state).unwrap());
}

#[tokio::test]
async fn a_stage_shows_what_its_model_was_shown_and_what_each_call_gave() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let state = world.state(&run).await;
    for row in &state.stages {
        let request = Request::RunStage { run: run.clone(), stage: row.id.clone() };
        let detail = answer!(world.call(request).await, StageDetail);
        assert_eq!(&detail.stage, row);
        assert!(!detail.events.is_empty());
        for call in &detail.calls {
            assert_eq!(call.status, CallState::Completed, "{call:?}");
            assert!(call.request.is_some() && call.output.is_some(), "{}", call.key);
        }
        let asks = detail.calls.iter().any(|call| call.model);
        assert_eq!(asks, !detail.sections.is_empty());
        if asks {
            assert_eq!(detail.sections[0].name, "system");
            assert!(detail.sections.iter().all(|section| section.tokens > 0));
            let request = detail.sections.iter().find(|section| section.text.contains("going concern"));
            assert!(request.is_some(), "the question is in what {} was shown", row.title);
        }
    }
    let nowhere = Request::RunStage { run, stage: StageId::from("none") };
    assert_eq!(world.refused(nowhere).await.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_documents_citations_lead_to_paragraphs_with_the_quote_marked() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let request = Request::RunDocument { run: RunRef::Id(run.0.clone()) };
    let document = answer!(world.call(request).await, Document).expect("a document");
    let card = world.state(&run).await.document.expect("a card");
    assert_eq!(
        (document.title.as_str(), document.verified, document.total),
        (card.title.as_str(), card.verified, card.total)
    );
    assert_eq!(document.unsupported.len() as u32, card.unsupported);
    assert_eq!(std::fs::read_to_string(document.path.as_ref().expect("a file")).unwrap(), document.markdown);
    assert!(document.html.starts_with("<!doctype html>"));
    let mut marked = 0;
    for (index, citation) in document.citations.iter().enumerate() {
        assert_eq!(citation.number as usize, index + 1);
        assert!(document.markdown.contains(&format!("](#cite-{})", citation.number)), "{citation:?}");
        if citation.verdict != Verdict::Verified {
            continue;
        }
        let request = Request::ParagraphShow {
            base: None,
            run: Some(run.clone()),
            id: citation.label.clone(),
            quotes: citation.quotes.clone(),
        };
        let view = answer!(world.call(request).await, Paragraph);
        assert_eq!(view.id, citation.paragraph);
        let units: Vec<u16> = view.text.encode_utf16().collect();
        for range in &view.highlights {
            let words = String::from_utf16(&units[range.start as usize..range.end as usize]).unwrap();
            assert!(!words.trim().is_empty() && view.text.contains(&words));
            marked += 1;
        }
        assert!(!view.highlights.is_empty(), "{citation:?}");
        assert!(view.before.len() <= 2 && view.after.len() <= 2);
        assert!(!view.before.is_empty() || !view.after.is_empty());
    }
    assert!(marked > 3, "{marked}");
    let nowhere =
        Request::ParagraphShow { base: None, run: Some(run), id: "99.99".to_owned(), quotes: Vec::new() };
    assert_eq!(world.refused(nowhere).await.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn another_text_under_the_generation_that_a_run_read_is_refused() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let state = world.state(&run).await;
    let (base, generation) =
        state.corpus.as_deref().and_then(|corpus| corpus.split_once('@')).expect("a base");
    let show = || Request::ParagraphShow {
        base: None,
        run: Some(run.clone()),
        id: "4.1".to_owned(),
        quotes: Vec::new(),
    };
    world.call(show()).await;
    let path = world.home().join("knowledge").join(base).join(generation).join("manifest.json");
    let mut manifest: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    manifest["digest"] = serde_json::to_value(domain::Digest::of("another text")).unwrap();
    std::fs::write(&path, manifest.to_string()).unwrap();
    let problem = world.refused(show()).await;
    assert_eq!(problem.code, ErrorCode::Conflict);
    assert!(problem.message.contains("another text") && problem.action.is_some(), "{problem}");
}

#[tokio::test]
async fn a_run_whose_attached_files_cannot_be_kept_is_not_started() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let session = world.state(&run).await.session;
    let folder = |session: &str| world.home().join("sessions").join(session).join("attachments");
    std::fs::write(folder(&session), "in the way").unwrap();
    let add = AttachmentAdd {
        name: "notes.txt".to_owned(),
        data: Some("Tm90ZXM=".to_owned()),
        ..AttachmentAdd::default()
    };
    let attached = answer!(world.call(Request::AttachmentAdd(add)).await, Attachment);
    let start = |session: Option<String>| {
        let attend = PausePolicy { replies: Vec::new(), unattended: true };
        let (agent, request) = (AGENT.to_owned(), QUESTION.to_owned());
        let attachments = vec![attached.clone()];
        Request::RunStart(Box::new(StartRun {
            agent,
            request,
            session,
            attachments,
            attend,
            ..StartRun::default()
        }))
    };
    let refused = world.refused(start(Some(session.clone()))).await;
    assert_eq!(refused.code, ErrorCode::Storage, "{refused}");
    let store = &world.local.engine().parts().store;
    assert_eq!(store.runs_of(&session).await.unwrap(), [run.0]);

    // A new session has them when the run begins.
    let run = answer!(world.call(start(None)).await, Run);
    let session = world.state(&run).await.session;
    assert_eq!(std::fs::read(folder(&session).join(&attached.id)).unwrap(), b"Notes");
    world.local.engine().wait(&run).await.unwrap();
}
