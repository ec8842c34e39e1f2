use api::wire::{ExportFormat, SearchKind, SessionPatch, SessionQuery, SessionView};
use api::{ApiEvent, Reply, Request, Response, StartRun, Tag};
use domain::ErrorCode;
use pretty_assertions::assert_eq;

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
    assert_eq!((latest.status.as_str(), latest.line.as_str()), ("paused", expected.as_str()));
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
    assert_eq!(latest.status, "completed");
    let state = world.state(&run).await;
    let card = state.document.expect("a document");
    assert_eq!(latest.line, format!("{} of {} citations verified", card.verified, card.total));
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
    assert!(rows(&store.sizes().await.unwrap()) < rows(&before));
    store.integrity_check().await.unwrap();
    assert!(store.get_run(&first.0).await.is_err());
    assert_eq!(world.state(&second).await.status, "completed");
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
        let request = Request::SessionExport { session: state.session.clone(), format, unchecked: false };
        let exported = answer!(world.call(request).await, Exported);
        assert_eq!(exported.name, format!("{}.{extension}", state.session));
        let text = exported.text.expect("it is short");
        assert_eq!(std::fs::read_to_string(&exported.path).unwrap(), text);
        assert!(exported.path.starts_with(&*world.home().join("sessions").to_string_lossy()));
        texts.push(text);
    }
    assert!(texts[0].contains("## Citations Used") && texts[0].contains(QUESTION), "{}", texts[0]);
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
        format: ExportFormat::Jsonl,
        unchecked: false,
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
    assert_eq!(rows[0].latest.as_ref().map(|latest| latest.status.as_str()), Some("interrupted"));
    assert_eq!(rows[0].session, session);
    assert!(world.list(SessionView::Running).await.is_empty());
}
