//! Export, import and sharing, with a real database and real files.

use std::fs;
use std::path::Path;

use app::shares;
use app::{Reply, Request, Response};
use domain::ErrorCode;
use pretty_assertions::assert_eq;
use protocol::{
    ExportOptions, ExportWritten, ImportDone, ImportFrom, ImportJob, ImportOptions, JobStatus, SessionPatch,
    SessionQuery, SessionSort, SessionView, SharePageOptions, ShareRevoke, ShareRow, TransferFormat,
};

use crate::world::{World, answer};

const SESSION: &str = concat!(
    r#"{"id":"260111-swift-river","name":"Fix login","createdAt":1768000000000,"sessionStatus":"todo","labels":["bug","priority::3"],"permissionMode":"allow-all","isFlagged":true}"#,
    "\n",
    r#"{"id":"msg-1","type":"user","content":"why does the zebra login fail? mail eva@example.org","timestamp":1768000000001}"#,
    "\n",
    r#"{"id":"msg-2","type":"assistant","content":"I look.","isIntermediate":true,"timestamp":1768000000002}"#,
    "\n",
    r#"{"id":"msg-3","type":"tool","content":"","toolName":"Bash","toolUseId":"tu1","toolInput":{"command":"ls"},"toolResult":"a.txt","toolStatus":"completed","timestamp":1768000000003}"#,
    "\n",
    r#"{"id":"msg-4","type":"tool","content":"","toolName":"Read","toolUseId":"tu2","toolInput":{"path":"x"},"toolResult":"gone","toolStatus":"error","timestamp":1768000000004}"#,
    "\n",
    r#"{"id":"msg-5","type":"assistant","content":"It **expired**.","timestamp":1768000000005}"#,
    "\n",
    r#"{"id":"msg-6","type":"user","content":"thanks","timestamp":1768000000006}"#,
    "\n",
    r#"{"id":"msg-7","type":"assistant","content":"Gladly.","timestamp":1768000000007}"#,
    "\n",
);

/// A folder as Craft Agent keeps it, with as many sessions.
fn craft(root: &Path, sessions: usize) {
    for number in 0..sessions {
        let folder = root.join(format!(
            "workspaces/my/sessions/260111-swift-river{}",
            if number == 0 { String::new() } else { format!("-{number}") }
        ));
        fs::create_dir_all(folder.join("attachments")).unwrap();
        let own = SESSION.replace("260111-swift-river", folder.file_name().unwrap().to_str().unwrap());
        fs::write(folder.join("session.jsonl"), own).unwrap();
        fs::write(folder.join("attachments/a.txt"), "hi").unwrap();
    }
    fs::write(root.join("workspaces/my/config.json"), r#"{"name":"Mine"}"#).unwrap();
}

async fn import(world: &World, path: &Path) -> ImportDone {
    let of = ImportOptions { path: path.display().to_string(), ..ImportOptions::default() };
    let job = answer!(world.call(Request::ImportRun(of)).await, Job).job;
    loop {
        let jobs = answer!(world.call(Request::JobList).await, Jobs);
        if jobs.iter().any(|known| known.job == job && known.status != JobStatus::Running) {
            return *answer!(world.call(Request::ImportShow(ImportJob { job })).await, ImportDone);
        }
        tokio::task::yield_now().await;
    }
}

async fn export(world: &World, of: ExportOptions) -> ExportWritten {
    answer!(world.call(Request::ExportWrite(of)).await, ExportWritten)
}

fn export_of(session: &str, format: TransferFormat) -> ExportOptions {
    ExportOptions { sessions: vec![session.to_owned()], format, unchecked: true, ..ExportOptions::default() }
}

#[tokio::test]
async fn a_folder_comes_over_once_as_turns_that_can_be_read_and_found() {
    let world = World::new().await;
    let theirs = tempfile::tempdir().unwrap();
    craft(theirs.path(), 3);
    let from = ImportFrom { path: theirs.path().display().to_string(), ..ImportFrom::default() };
    let seen = answer!(world.call(Request::ImportInspect(from)).await, ImportView);
    assert_eq!((seen.sessions, seen.known, seen.messages), (3, 0, 21));
    assert!(!world.home().join("sessions/260111-swift-river").exists(), "a dry run writes nothing");
    let done = import(&world, theirs.path()).await;
    assert_eq!((done.imported, done.known, done.messages, done.problem), (3, 0, 21, None));
    let session = world.session("260111-swift-river").await;
    let turn = &session.turns[0];
    assert_eq!(turn.message.text, "why does the zebra login fail? mail eva@example.org");
    assert_eq!(turn.head.answer.as_deref(), Some("It **expired**."));
    assert_eq!((turn.head.tool_calls, session.turns.len()), (2, 2));
    let row = &session.session;
    assert_eq!((row.title.as_str(), row.flagged, row.status.as_str()), ("Fix login", true, "todo"));
    assert_eq!(row.labels, ["bug", "priority::3"]);
    assert_eq!(row.mode, domain::Mode::Ask, "what comes from elsewhere does not run unasked");
    assert!(world.home().join("sessions/260111-swift-river/attachments/a.txt").is_file());
    let again = import(&world, theirs.path()).await;
    assert_eq!((again.imported, again.known), (0, 3));
    let world = world.reopened().await;
    assert_eq!(world.session("260111-swift-river").await.turns.len(), 2);
}

#[tokio::test]
async fn what_an_import_writes_is_accepted() {
    let world = World::new().await;
    let theirs = tempfile::tempdir().unwrap();
    craft(theirs.path(), 1);
    let put = |name: &str, text: &str| {
        let path = theirs.path().join("workspaces/my").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("permissions.json", r#"{"blockedTools":["Write"]}"#);
    put("agents/dev-loop/AGENT.md", "---\r\nname: Dev loop\r\ndescription: Builds\r\n---\r\nHello\r\n");
    put(
        "agents/dev-loop/config.json",
        r#"{"controlFlow":{"stages":[{"id":0,"name":"analyze","description":"Analyze","pauseChoices":["Proceed","Cancel"]},
            {"id":1,"name":"plan","mode":"sdk_breakout"},{"id":2,"name":"decide"}],
            "repairUnits":[{"stages":[0,1],"maxIterations":2}],"pauseAfterStages":[0]},
            "orchestrator":{"enabled":true,"effort":"high","perStageDesiredTokens":{"0":8192}},
            "depthModes":{"quick":{"maxSubQueries":3}}}"#,
    );
    let done = import(&world, theirs.path()).await;
    assert_eq!(done.problem, None);
    let said: Vec<&str> = done.report.lines.iter().map(|line| line.why.as_str()).collect();
    assert!(
        said.iter().any(|why| why.contains("code that is no part of the agent may have run it")),
        "{said:?}"
    );
    let problems = answer!(world.call(Request::ConfigProblems).await, ConfigProblems);
    assert!(problems.is_empty(), "{problems:?}");
    let agents = answer!(world.call(Request::AgentList).await, Agents);
    let agent = agents.iter().find(|agent| agent.slug == "dev-loop").unwrap();
    assert!(agent.problems.is_empty(), "{:?}", agent.problems);
}

#[tokio::test]
async fn what_was_said_last_stands_first_whatever_the_folders_are_called() {
    let world = World::new().await;
    let theirs = tempfile::tempdir().unwrap();
    for (name, at) in [("260111-amber-sky", 5), ("260111-brave-fox", 9), ("260111-misty-oak", 1)] {
        let folder = theirs.path().join("workspaces/my/sessions").join(name);
        fs::create_dir_all(&folder).unwrap();
        let text = format!(
            "{{\"id\":\"{name}\",\"name\":\"{name}\",\"createdAt\":1768000000000,\"lastMessageAt\":176800000000{at}}}\n\
             {{\"id\":\"m\",\"type\":\"user\",\"content\":\"hello\",\"timestamp\":176800000000{at}}}\n"
        );
        fs::write(folder.join("session.jsonl"), text).unwrap();
    }
    fs::write(theirs.path().join("workspaces/my/config.json"), r#"{"name":"Mine"}"#).unwrap();
    assert_eq!(import(&world, theirs.path()).await.imported, 3);
    let list = async |sort: Option<SessionSort>| {
        let query = SessionQuery { sort, ..SessionQuery::default() };
        let page = answer!(world.call(Request::SessionList(query)).await, Sessions);
        page.sessions.into_iter().map(|row| row.session).collect::<Vec<_>>()
    };
    let newest = ["260111-brave-fox", "260111-amber-sky", "260111-misty-oak"];
    assert_eq!(list(None).await, newest);
    assert_eq!(list(Some(SessionSort::Changed)).await, newest);
    let by_title = ["260111-amber-sky", "260111-brave-fox", "260111-misty-oak"];
    assert_eq!(list(Some(SessionSort::Title)).await, by_title);
}

#[tokio::test]
async fn sessions_with_long_turns_keep_their_place_among_the_others() {
    let world = World::new().await;
    let theirs = tempfile::tempdir().unwrap();
    craft(theirs.path(), 6);
    for number in [2, 4] {
        let file =
            theirs.path().join(format!("workspaces/my/sessions/260111-swift-river-{number}/session.jsonl"));
        let own = fs::read_to_string(&file).unwrap();
        let long = "a long result ".repeat(20_000);
        fs::write(&file, own.replace("a.txt", &long)).unwrap();
    }
    let done = import(&world, theirs.path()).await;
    assert_eq!((done.imported, done.messages, done.problem), (6, 42, None));
    let page = answer!(world.call(Request::SessionList(SessionQuery::default())).await, Sessions);
    let ids: Vec<&str> = page.sessions.iter().map(|session| session.session.as_str()).collect();
    let expected: Vec<String> = (1..6).rev().map(|number| format!("260111-swift-river-{number}")).collect();
    assert_eq!(ids, expected.iter().map(String::as_str).chain(["260111-swift-river"]).collect::<Vec<_>>());
    let again = import(&world, theirs.path()).await;
    assert_eq!((again.imported, again.known, again.problem), (0, 6, None));
}

#[tokio::test]
async fn what_is_exported_and_imported_is_exported_the_same_again() {
    let world = World::new().await;
    let theirs = tempfile::tempdir().unwrap();
    craft(theirs.path(), 1);
    import(&world, theirs.path()).await;
    let first = export(&world, export_of("260111-swift-river", TransferFormat::Jsonl)).await;
    let other = World::new().await;
    let done = import(&other, Path::new(&first.path)).await;
    assert_eq!((done.imported, done.problem), (1, None));
    let second = export(&other, export_of("260111-swift-river", TransferFormat::Jsonl)).await;
    let plain = |path: &str| -> Vec<serde_json::Value> {
        let text = fs::read_to_string(path).unwrap();
        let mut lines: Vec<serde_json::Value> =
            text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
        for line in &mut lines {
            // Ids of turns are those of where they are.
            for field in ["id", "turn"] {
                line.as_object_mut().unwrap().remove(field);
            }
            if let Some(tool) = line["tool"].as_object_mut() {
                tool.remove("id");
            }
        }
        lines
    };
    assert_eq!(plain(&second.path), plain(&first.path));
}

#[tokio::test]
async fn a_bundle_brings_logs_over_as_they_are() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let session = world.state(&run).await.session;
    let theirs = tempfile::tempdir().unwrap();
    craft(theirs.path(), 1);
    import(&world, theirs.path()).await;
    let file = theirs.path().join("all.anbundle");
    let all = ExportOptions {
        sessions: vec![session.clone(), "260111-swift-river".to_owned()],
        format: TransferFormat::Bundle,
        path: Some(file.display().to_string()),
        ..ExportOptions::default()
    };
    assert_eq!(export(&world, all.clone()).await.sessions, 2);
    assert_eq!(
        world.refused(Request::ExportWrite(all)).await.code,
        ErrorCode::Conflict,
        "no file is written over"
    );
    let same = import(&world, &file).await;
    assert_eq!((same.imported, same.known), (0, 2), "{same:?}");
    let other = World::new().await;
    let done = import(&other, &file).await;
    assert_eq!((done.imported, done.problem), (2, None), "{:?}", done.report);
    assert_eq!(other.state(&run).await, world.state(&run).await);
    assert_eq!(
        other.session("260111-swift-river").await.turns,
        world.session("260111-swift-river").await.turns
    );
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes.truncate(middle);
    let cut = theirs.path().join("cut.anbundle");
    fs::write(&cut, bytes).unwrap();
    let from = ImportFrom { path: cut.display().to_string(), ..ImportFrom::default() };
    assert_eq!(other.refused(Request::ImportInspect(from)).await.code, ErrorCode::InvalidInput);
}

#[tokio::test]
async fn a_bundle_brings_what_was_added_and_takes_nothing_away() {
    let world = World::new().await;
    let theirs = tempfile::tempdir().unwrap();
    craft(theirs.path(), 2);
    import(&world, theirs.path()).await;
    let bundle = |name: &str, sessions: &[&str]| ExportOptions {
        sessions: sessions.iter().map(|session| (*session).to_owned()).collect(),
        format: TransferFormat::Bundle,
        path: Some(theirs.path().join(name).display().to_string()),
        ..ExportOptions::default()
    };
    export(&world, bundle("first.anbundle", &["260111-swift-river"])).await;
    let other = World::new().await;
    assert_eq!(import(&other, &theirs.path().join("first.anbundle")).await.imported, 1);
    // The person here flags nothing; there it gets a label and one more turn.
    other.patch("260111-swift-river", SessionPatch { flagged: Some(false), ..SessionPatch::default() }).await;
    let folder = theirs.path().join("workspaces/my/sessions/260111-swift-river/session.jsonl");
    let more = r#"{"id":"msg-8","type":"user","content":"and the walrus?","timestamp":1768000000008}"#;
    fs::write(&folder, format!("{}{more}\n", fs::read_to_string(&folder).unwrap())).unwrap();
    import(&world, theirs.path()).await;
    export(&world, bundle("second.anbundle", &["260111-swift-river", "260111-swift-river-1"])).await;
    let done = import(&other, &theirs.path().join("second.anbundle")).await;
    assert_eq!((done.imported, done.known, done.problem), (2, 0, None), "{:?}", done.report);
    let session = other.session("260111-swift-river").await;
    assert_eq!(session.turns.len(), world.session("260111-swift-river").await.turns.len());
    assert!(!session.session.flagged, "what was set here since stays");
    let older = import(&other, &theirs.path().join("first.anbundle")).await;
    assert_eq!((older.imported, older.known), (0, 1), "an older bundle takes nothing away");
    assert_eq!(other.session("260111-swift-river").await.turns, session.turns);
}

#[tokio::test]
async fn a_run_that_waits_goes_on_where_it_is_taken_and_never_in_two_ways_at_once() {
    let world = World::new().await;
    let run = world.run(None, false).await;
    let session = world.state(&run).await.session;
    let theirs = tempfile::tempdir().unwrap();
    let bundle = |name: &str| ExportOptions {
        path: Some(theirs.path().join(name).display().to_string()),
        ..export_of(&session, TransferFormat::Bundle)
    };
    assert_eq!(export(&world, bundle("waiting.anbundle")).await.sessions, 1);
    let (follows, differs) = (World::new().await, World::new().await);
    for other in [&follows, &differs] {
        assert_eq!(import(other, &theirs.path().join("waiting.anbundle")).await.imported, 1);
        assert_eq!(other.state(&run).await, world.state(&run).await);
    }
    let reply = |choice: &str| Reply { choice: Some(choice.to_owned()), ..Reply::default() };
    world.reply(&run, reply("skip_web"), true).await;
    differs.reply(&run, reply("cancel"), true).await;
    export(&world, bundle("ended.anbundle")).await;
    let done = import(&follows, &theirs.path().join("ended.anbundle")).await;
    assert_eq!((done.imported, done.known, done.problem), (1, 0, None), "{:?}", done.report);
    assert_eq!(follows.state(&run).await, world.state(&run).await);
    assert_eq!(
        follows.list(SessionView::Inbox).await[0].latest,
        world.list(SessionView::Inbox).await[0].latest
    );
    let before = differs.state(&run).await;
    let done = import(&differs, &theirs.path().join("ended.anbundle")).await;
    assert!(done.report.lines.iter().any(|line| line.why.contains("another way")), "{:?}", done.report);
    assert_eq!(differs.state(&run).await, before);
}

#[tokio::test]
async fn a_bundle_is_not_redacted_and_says_what_to_do_instead() {
    let world = World::new().await;
    let theirs = tempfile::tempdir().unwrap();
    craft(theirs.path(), 1);
    import(&world, theirs.path()).await;
    let mut of = export_of("260111-swift-river", TransferFormat::Bundle);
    let preview = answer!(world.call(Request::ExportPreview(of.clone())).await, ExportPreview);
    assert!(preview.findings.iter().any(|finding| finding.shown == "eva@example.org"));
    assert!(preview.notes.iter().any(|note| note.contains("Lines of JSON")), "{:?}", preview.notes);
    assert!(export(&world, of.clone()).await.notes.iter().any(|note| note.contains("as it is stored")));
    of.redact = true;
    let refused = world.refused(Request::ExportWrite(of)).await;
    assert_eq!(refused.code, ErrorCode::InvalidInput);
    assert!(refused.message.contains("digests") && refused.action.unwrap().contains("jsonl"));
}

#[tokio::test]
async fn what_looks_private_is_shown_before_it_is_taken_out() {
    let world = World::new().await;
    let theirs = tempfile::tempdir().unwrap();
    craft(theirs.path(), 1);
    import(&world, theirs.path()).await;
    let mut html = export_of("260111-swift-river", TransferFormat::Html);
    html.redact = true;
    let preview = answer!(world.call(Request::ExportPreview(html.clone())).await, ExportPreview);
    let mail = preview.findings.iter().find(|finding| finding.shown == "eva@example.org").unwrap();
    let written = export(&world, html.clone()).await;
    assert!(written.redacted >= 1);
    assert!(!fs::read_to_string(&written.path).unwrap().contains("eva@example.org"));
    html.keep = vec![mail.id.clone()];
    let written = export(&world, html).await;
    assert!(fs::read_to_string(&written.path).unwrap().contains("eva@example.org"));
    for format in [TransferFormat::Markdown, TransferFormat::Jsonl] {
        assert!(export(&world, export_of("260111-swift-river", format)).await.bytes > 100);
    }
}

#[tokio::test]
async fn a_share_is_read_by_its_id_until_it_is_over() {
    let world = World::new().await;
    let theirs = tempfile::tempdir().unwrap();
    craft(theirs.path(), 1);
    import(&world, theirs.path()).await;
    let add = SharePageOptions { session: "260111-swift-river".to_owned(), ..SharePageOptions::default() };
    let made: ShareRow = answer!(world.call(Request::ShareAdd(add)).await, Shares).remove(0);
    let home = world.home();
    let page = shares::read_share(home, &made.id, shares::now()).unwrap();
    assert!(page.contains("It <strong>expired</strong>.") && !page.contains("eva@example.org"));
    assert_eq!(shares::read_share(home, &made.id, made.expires_at), None);
    for id in ["", "..", "../../settings", &made.id[1..], &"0".repeat(32)] {
        assert_eq!(shares::read_share(home, id, shares::now()), None, "{id}");
    }
    let token = made.token.clone().unwrap();
    assert!(
        !fs::read_to_string(home.join("shares").join(&made.id).join("share.json")).unwrap().contains(&token)
    );
    assert!(!shares::end_share(home, &made.id, "wrong") && !shares::end_share(home, &made.id, ""));
    let listed = answer!(world.call(Request::ShareList).await, Shares);
    assert_eq!((listed.len(), listed[0].token.clone()), (1, None));
    assert_eq!(world.call(Request::ShareRevoke(ShareRevoke { id: made.id.clone() })).await, Response::Done);
    assert_eq!(shares::read_share(home, &made.id, shares::now()), None);
}

#[tokio::test]
async fn places_that_hold_nothing_are_refused_with_what_to_choose() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.jsonl"), "{}\n").unwrap();
    for (path, code) in [
        (folder.path().to_owned(), ErrorCode::InvalidInput),
        (folder.path().join("none"), ErrorCode::NotFound),
        (folder.path().join("x.jsonl"), ErrorCode::InvalidInput),
        (Path::new("relative").to_owned(), ErrorCode::InvalidInput),
    ] {
        let from = ImportFrom { path: path.display().to_string(), ..ImportFrom::default() };
        let refused = world.refused(Request::ImportInspect(from)).await;
        assert_eq!(refused.code, code, "{}", path.display());
    }
}
