use app::{ApiEvent, PausePolicy, Reply, Request, Response, RunFound, RunKind, RunRef, StartRun, Tag};
use domain::{ErrorCode, RunStatus, UserMessage};
use pretty_assertions::assert_eq;
use protocol::{ExportFormat, SearchKind, SessionPatch, SessionQuery, SessionView, TurnSend};

use crate::world::{QUESTION, World, answer};

fn patch() -> SessionPatch {
    SessionPatch::default()
}

#[tokio::test]
async fn a_session_waits_is_answered_and_is_done() {
    let world = World::new().await;
    let run = world.run(None, false).await;
    let rows = world.list(SessionView::NeedsYou).await;
    let row = rows.first().expect("one waits").clone();
    let latest = row.latest.clone().expect("a run");
    let form = world.state(&run).await.pauses.first().cloned().expect("a pause");
    let meter = form.meter.as_ref().expect("the shipped agent has a meter");
    let expected = match form.questions.len() {
        0 => format!("{} {:.0}%", meter.label, meter.value * 100.0),
        1 => format!("{} {:.0}%: 1 question", meter.label, meter.value * 100.0),
        many => format!("{} {:.0}%: {many} questions", meter.label, meter.value * 100.0),
    };
    assert_eq!((latest.status, latest.line.as_str()), (RunStatus::Paused, expected.as_str()));
    assert_eq!((row.title.as_str(), row.runs, row.unread), (QUESTION, 1, true));
    let counts = world.counts().await;
    assert_eq!((counts.inbox, counts.needs_you, counts.running, counts.done), (1, 1, 0, 0));

    world.patch(&row.session, SessionPatch { unread: Some(false), ..patch() }).await;
    let reply = Reply {
        choice: Some("skip_web".to_owned()),
        text: Some("Large entities.".to_owned()),
        ..Reply::default()
    };
    world.reply(&run, reply, true).await;
    let row = world.list(SessionView::Done).await.remove(0);
    let latest = row.latest.clone().expect("a run");
    assert_eq!(latest.status, RunStatus::Completed);
    let state = world.state(&run).await;
    let card = state.document.expect("a document");
    assert_eq!(Some(&latest.line), card.headline.as_ref().map(|headline| &headline.text));
    assert!(card.total > 3 && row.unread, "{card:?}");
    let counts = world.counts().await;
    assert_eq!((counts.inbox, counts.needs_you, counts.done), (1, 0, 1));

    // The follow-up finds the answer before it by itself.
    let followed = world.run(Some(&row.session), true).await;
    let session = world.session(&row.session).await;
    assert_eq!(session.runs.iter().map(|state| &state.run).collect::<Vec<_>>(), [&run, &followed]);
    assert_eq!(session.runs[1].previous.as_ref(), Some(&run));
    assert_eq!((session.session.runs, session.earlier), (2, None));
    let request = Request::SessionShow { session: row.session.clone(), before: None, limit: 1 };
    let newest = answer!(world.call(request).await, SessionState);
    assert_eq!(newest.runs[0].run, followed);
    let request = Request::SessionShow { session: row.session, before: newest.earlier, limit: 1 };
    let older = answer!(world.call(request).await, SessionState);
    assert_eq!((&older.runs[0].run, older.earlier), (&run, None));
}

#[tokio::test]
async fn what_is_deleted_is_kept_until_it_is_purged_and_then_nothing_is_left() {
    let world = World::new().await;
    let (first, second) = (world.run(None, true).await, world.run(None, true).await);
    let session = world.state(&first).await.session;
    let other = world.state(&second).await.session;
    let folder = world.home().join("sessions").join(&session);
    assert!(folder.is_dir());

    let mut told = world.local.events();
    let both = vec![session.clone(), other.clone()];
    let flag = Request::SessionUpdate {
        sessions: both.clone(),
        patch: SessionPatch { flagged: Some(true), ..patch() },
    };
    assert_eq!(world.call(flag).await, Response::Done);
    assert_eq!(told.recv().await.unwrap(), ApiEvent::Changed(vec![Tag::Sessions]));
    assert_eq!(world.counts().await.flagged, 2);
    let missing = Request::SessionUpdate {
        sessions: vec![session.clone(), "none".to_owned()],
        patch: SessionPatch { flagged: Some(false), ..patch() },
    };
    assert_eq!(world.refused(missing).await.code, ErrorCode::NotFound);
    assert_eq!(world.list(SessionView::Flagged).await.len(), 2);
    let empty = Request::SessionUpdate {
        sessions: both.clone(),
        patch: SessionPatch { title: Some(" ".to_owned()), ..patch() },
    };
    assert_eq!(world.refused(empty).await.code, ErrorCode::InvalidInput);

    world.patch(&session, SessionPatch { title: Some("50% of _everything_".to_owned()), ..patch() }).await;
    let search = |text: &str| Request::Search { text: text.to_owned(), limit: 0 };
    let hits = answer!(world.call(search("50% OF _e")).await, Found);
    assert_eq!(
        hits.iter().map(|hit| (hit.kind, hit.id.as_str())).collect::<Vec<_>>(),
        [(SearchKind::Session, session.as_str())]
    );
    let hits = answer!(world.call(search("going concern")).await, Found);
    assert_eq!(hits.iter().filter(|hit| hit.kind == SearchKind::Session).count(), 2);
    assert_eq!(answer!(world.call(search("60_ of")).await, Found), []);
    let query = SessionQuery { text: Some("everything".to_owned()), ..SessionQuery::default() };
    assert_eq!(answer!(world.call(Request::SessionList(query)).await, Sessions).sessions.len(), 1);

    let purge = |sessions: Vec<String>| Request::SessionPurge { sessions };
    assert_eq!(world.refused(purge(vec![session.clone()])).await.code, ErrorCode::Conflict);
    world.patch(&session, SessionPatch { deleted: Some(true), ..patch() }).await;
    world.patch(&other, SessionPatch { archived: Some(true), ..patch() }).await;
    let counts = world.counts().await;
    assert_eq!((counts.inbox, counts.trash, counts.archived, counts.flagged), (0, 1, 1, 0));
    assert!(world.session(&session).await.session.deleted);

    let before = world.local.engine().parts().store.sizes().await.unwrap();
    assert_eq!(world.call(purge(vec![session.clone()])).await, Response::Purged(1));
    assert!(!folder.exists());
    assert_eq!(world.counts().await.trash, 0);
    let gone = Request::SessionShow { session: session.clone(), before: None, limit: 0 };
    assert_eq!(world.refused(gone).await.code, ErrorCode::NotFound);
    let store = &world.local.engine().parts().store;
    let rows = |sizes: &store::Sizes| sizes.tables.iter().map(|table| table.bytes).sum::<u64>();
    let after = store.sizes().await.unwrap();
    // What both sessions refer to stays, and tables are counted in whole pages.
    assert!(rows(&after) <= rows(&before), "{} against {}", rows(&after), rows(&before));
    store.integrity_check().await.unwrap();
    assert!(store.get_run(&first.0).await.is_err());
    assert_eq!(world.state(&second).await.status, RunStatus::Completed);
}

#[tokio::test]
async fn a_session_is_exported_as_what_a_reader_needs() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let state = world.state(&run).await;
    let mut texts = Vec::new();
    for (format, extension) in
        [(ExportFormat::Markdown, "md"), (ExportFormat::Html, "html"), (ExportFormat::Jsonl, "jsonl")]
    {
        let request = Request::SessionExport {
            session: state.session.clone(),
            run: None,
            format,
            unchecked: false,
            changes_from: None,
        };
        let exported = answer!(world.call(request).await, Exported);
        assert_eq!(exported.name, format!("{}.{extension}", state.session));
        let text = exported.text.expect("it is short");
        assert_eq!(std::fs::read_to_string(&exported.path).unwrap(), text);
        assert!(exported.path.starts_with(&*world.home().join("sessions").to_string_lossy()));
        texts.push(text);
    }
    let request = Request::SessionExport {
        session: state.session.clone(),
        run: Some(run.clone()),
        format: ExportFormat::Docx,
        unchecked: false,
        changes_from: None,
    };
    let exported = answer!(world.call(request).await, Exported);
    assert!(exported.name.ends_with(".docx") && exported.text.is_none() && exported.data.is_some());
    assert!(std::fs::read(&exported.path).unwrap().starts_with(b"PK"));
    assert!(texts[0].contains("## Statements") && texts[0].contains(QUESTION), "{}", texts[0]);
    let page = &texts[1];
    assert!(
        page.starts_with("<!doctype html>")
            && page.matches("</html>").count() == 1
            && !page.contains("<script")
    );
    for anchor in page.split(" href=\"#").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(page.contains(&format!(" id=\"{anchor}\"")), "{anchor} leads nowhere");
    }
    let lines: Vec<serde_json::Value> =
        texts[2].lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len() as u64, state.seq);
    assert!(lines.iter().all(|line| line["run"] == state.run.0));
    let nowhere = Request::SessionExport {
        session: "../../x".to_owned(),
        run: None,
        format: ExportFormat::Jsonl,
        unchecked: false,
        changes_from: None,
    };
    assert_eq!(world.refused(nowhere).await.code, ErrorCode::NotFound);
    let outside = StartRun {
        agent: "isa-deep-research".to_owned(),
        request: "x".to_owned(),
        session: Some("../x".to_owned()),
        ..StartRun::default()
    };
    assert_eq!(world.refused(Request::RunStart(Box::new(outside))).await.code, ErrorCode::InvalidInput);
}

#[tokio::test]
async fn what_was_deleted_a_week_ago_goes_when_the_program_starts() {
    let world = World::new().await;
    let (old, fresh) = (world.run(None, false).await, world.run(None, false).await);
    let (old, fresh) = (world.state(&old).await.session, world.state(&fresh).await.session);
    let deleted = store::SessionUpdate { deleted: Some(true), ..store::SessionUpdate::default() };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64;
    let store = &world.local.engine().parts().store;
    for (session, days) in [(&old, 8), (&fresh, 6)] {
        store
            .update_sessions(std::slice::from_ref(session), &deleted, now - days * 86_400_000)
            .await
            .unwrap();
    }
    let world = world.reopened().await;
    let gone = async {
        while world.counts().await.trash > 1 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), gone).await.expect("it goes by itself");
    assert_eq!(world.list(SessionView::Trash).await[0].session, fresh);
    assert!(!world.home().join("sessions").join(&old).exists());
    assert!(world.home().join("sessions").join(&fresh).exists());
}

#[tokio::test]
async fn a_run_that_nobody_drives_any_more_needs_the_person() {
    let world = World::new().await;
    let run = world.run(None, false).await;
    let session = world.state(&run).await.session;
    // What a process leaves behind that dies while the run goes on.
    let store = &world.local.engine().parts().store;
    let seq = store.last_seq(&run.0).await.unwrap();
    let running = store::RunUpdate { status: Some("running".to_owned()), ..store::RunUpdate::default() };
    let commit = store::Commit {
        run: run.0.clone(),
        expect_seq: seq,
        seq_last: seq,
        change: store::RunChange::Update(running),
        ..store::Commit::default()
    };
    store.commit(commit).await.unwrap();
    let counts = world.counts().await;
    assert_eq!((counts.running, counts.needs_you), (0, 1));
    let rows = world.list(SessionView::NeedsYou).await;
    assert_eq!(rows[0].latest.as_ref().map(|latest| latest.status), Some(RunStatus::Interrupted));
    assert_eq!(rows[0].session, session);
    assert!(world.list(SessionView::Running).await.is_empty());
}

#[tokio::test]
async fn the_id_of_a_turn_is_told_from_a_runs_wherever_it_is_given() {
    let world = World::new().await;
    let send = TurnSend {
        message: UserMessage { text: "What is materiality?".to_owned(), ..UserMessage::default() },
        ..TurnSend::default()
    };
    let sent = answer!(world.call(Request::TurnSend(Box::new(send))).await, Sent);
    let turn = sent.turn.expect("a turn began");
    world.local.engine().wait(&turn).await.unwrap();
    let by_id = RunRef::Id(turn.0.clone());

    let found = answer!(world.call(Request::RunFind { run: by_id.clone() }).await, RunFound);
    let expected = RunFound { run: turn.clone(), session: sent.session.clone(), kind: RunKind::Turn };
    assert_eq!(found, expected);
    for short in [turn.0[..24].to_owned(), turn.0[4..24].to_owned(), sent.session.clone()] {
        let found = answer!(world.call(Request::RunFind { run: RunRef::Id(short) }).await, RunFound);
        assert_eq!(found, expected);
    }

    let reply = Box::new(Reply::default());
    let refused = [
        Request::RunShow { run: by_id.clone(), events_after: Some(0), outputs: false },
        Request::RunShow { run: RunRef::Id(sent.session.clone()), events_after: None, outputs: false },
        Request::RunResume { run: by_id.clone(), attend: PausePolicy::default() },
        Request::RunAnswer { run: turn.clone(), pause: None, reply, attend: PausePolicy::default() },
        Request::RunGuide { run: turn.clone(), text: "Go on.".to_owned() },
        Request::RunCancel { run: by_id.clone() },
        Request::RunStage { run: turn.clone(), stage: "1".into() },
        Request::RunExport { run: by_id.clone(), unchecked: true },
        Request::RunDocument { run: by_id.clone() },
        Request::ParagraphShow {
            base: None,
            run: Some(turn.clone()),
            id: "1".to_owned(),
            quotes: Vec::new(),
        },
    ];
    for request in refused {
        let name = request.command().name;
        let problem = world.refused(request).await;
        assert_eq!(problem.code, ErrorCode::InvalidInput, "{name}: {problem:?}");
        assert!(
            problem.message.contains(&format!("{turn} is a turn of the conversation")),
            "{name}: {problem:?}"
        );
        assert!(problem.action.is_some_and(|action| action.contains(&sent.session)), "{name}");
    }

    let events = answer!(world.call(Request::TurnEvents { run: turn.clone(), after: 0 }).await, TurnEvents);
    assert_eq!(events.events[0]["event"], "turn_started", "{:?}", events.events[0]);
    assert_eq!(events.events.last().unwrap()["seq"], events.seq);
    let none =
        answer!(world.call(Request::TurnEvents { run: turn.clone(), after: events.seq }).await, TurnEvents);
    assert_eq!(none.events.len(), 0);
}

#[tokio::test]
async fn the_id_of_a_run_is_told_from_a_turns_and_a_sessions() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let session = world.state(&run).await.session;
    for request in [
        Request::TurnShow { run: run.clone() },
        Request::TurnEvents { run: run.clone(), after: 0 },
        Request::TurnResume { run: run.clone() },
        Request::TurnStop { run: run.clone() },
    ] {
        let name = request.command().name;
        let problem = world.refused(request).await;
        assert_eq!(problem.code, ErrorCode::InvalidInput, "{name}: {problem:?}");
        assert!(problem.message.contains("is a run of the agent"), "{name}: {problem:?}");
    }

    // Its session names it, and its id names no session.
    let found = answer!(world.call(Request::RunFind { run: RunRef::Id(session.clone()) }).await, RunFound);
    assert_eq!((found.run, found.kind), (run.clone(), RunKind::Run));
    let second = world.run(Some(&session), true).await;
    let newest = Request::RunShow { run: RunRef::Id(session.clone()), events_after: None, outputs: false };
    assert_eq!(answer!(world.call(newest).await, RunState).run, second);
    let send = TurnSend {
        session: Some(run.0.clone()),
        message: UserMessage { text: "And then?".to_owned(), ..UserMessage::default() },
        ..TurnSend::default()
    };
    let problem = world.refused(Request::TurnSend(Box::new(send))).await;
    assert_eq!(problem.code, ErrorCode::InvalidInput, "{problem:?}");
    assert!(problem.action.is_some_and(|action| action.contains(&session)));
    let show = Request::SessionShow { session: run.0.clone(), before: None, limit: 0 };
    assert!(world.refused(show).await.action.is_some());
}
