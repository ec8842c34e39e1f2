//! What had not ended: a turn that waits since before a restart, a mission at work in a session that is deleted, copies of
//! what was under way. Copies of what had ended are here, too.

use std::path::Path;
use std::time::Duration;

use app::{Local, PausePolicy, Request, RunRef, StartRun};
use domain::{ErrorCode, Mode, RunId, UserMessage};
use engine::turn::TurnStatus;
use llm::{Answer, ScriptedProvider};
use pretty_assertions::assert_eq;
use protocol::{
    BackupNow, BackupRestore, ContentQuery, ExportOptions, ImportJob, ImportOptions, JobState, JobStatus,
    MissionStart, Sent, SessionCopy, SessionPatch, SetupPatch, TransferFormat, TurnSend,
};
use serde_json::json;
use store::{RunFilter, Store};

use crate::extras::Desk;
use crate::world::{World, answer};

/// No wait of a test is longer.
const PATIENCE: Duration = Duration::from_secs(60);

impl Desk {
    pub async fn say(&self, session: Option<&str>, text: &str, replaces: Option<&RunId>) -> Sent {
        let work = self.folder.path().join("work").display().to_string();
        let setup = SetupPatch { mode: Some(Mode::Ask), folders: Some(vec![work]), ..SetupPatch::default() };
        let send = TurnSend {
            session: session.map(str::to_owned),
            message: UserMessage { text: text.to_owned(), ..UserMessage::default() },
            replaces: replaces.cloned(),
            connection: Some("scripted".to_owned()),
            setup,
            ..TurnSend::default()
        };
        answer!(self.call(Request::TurnSend(Box::new(send))).await, Sent)
    }

    /// Waits until a run or turn has left the engine.
    pub async fn left(&self, run: &RunId) {
        let left = tokio::time::timeout(PATIENCE, self.local.engine().wait(run));
        left.await.expect("it goes on").unwrap();
    }

    /// Waits until the model was asked as often.
    async fn asked(&self, times: usize) {
        let asked = async {
            while self.provider.requests().len() < times {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, asked).await.expect("the model is asked");
    }

    pub async fn mission(&self) -> RunId {
        researcher(&self.folder.path().join("home/workspaces/default"));
        let start = MissionStart {
            profile: "survey".to_owned(),
            request: "What is a pump?".to_owned(),
            connection: Some("scripted".to_owned()),
            unattended: true,
            ..MissionStart::default()
        };
        answer!(self.call(Request::MissionStart(Box::new(start))).await, Run)
    }

    async fn run(&self) -> RunId {
        researcher(&self.folder.path().join("home/workspaces/default"));
        let start = StartRun {
            agent: "small".to_owned(),
            request: "What is a valve?".to_owned(),
            connection: Some("scripted".to_owned()),
            ..StartRun::default()
        };
        answer!(self.call(Request::RunStart(Box::new(start))).await, Run)
    }
}

/// An agent of a workspace that needs no source, and a profile of missions that may use it alone.
pub fn researcher(workspace: &Path) {
    let agents = workspace.join("agents");
    std::fs::create_dir_all(agents.join("small/prompts")).unwrap();
    let text = json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}});
    let config = json!({
        "slug": "small", "name": "Small", "description": "For tests.", "capabilities": ["research"],
        "depthModes": {"standard": {}},
        "controlFlow": {"stages": [
            {"id": "think", "name": "think", "title": "Think", "kind": "model", "prompt": "think.md",
                "context": [{"section": "REQUEST", "value": "request"}], "outputSchema": text},
            {"id": "output", "name": "output", "title": "Output", "kind": "render",
                "document": {"answer": "{'synthesis': outputs.think.text}"}}]},
    });
    std::fs::write(agents.join("small/config.json"), config.to_string()).unwrap();
    std::fs::write(agents.join("small/prompts/think.md"), "Answer the request.\n").unwrap();
    let page = "---\nname: Small\ndescription: For tests.\nsources: []\ntools: []\n---\nFor tests.\n";
    std::fs::write(agents.join("small/AGENT.md"), page).unwrap();
    let profile = json!({
        "slug": "survey", "name": "Survey", "description": "For tests.", "pauses": [],
        "successCriteria": {"coverage": 1.0}, "agents": {"allow": ["small"]},
    });
    std::fs::create_dir_all(agents.join("survey")).unwrap();
    std::fs::write(agents.join("survey/mission.json"), profile.to_string()).unwrap();
}

/// A conversation of two messages: the first is answered, the second waits for permission since before a restart.
async fn waiting() -> (Desk, String, RunId, RunId) {
    let answers = [
        Answer::text("One."),
        Answer::text("").call("write", json!({"path": "made.txt", "content": "x"})),
        Answer::text("Again."),
        Answer::text("More."),
    ];
    let desk = Desk::new(ScriptedProvider::queue(answers)).await;
    let sent = desk.say(None, "First.", None).await;
    let (session, first) = (sent.session, sent.turn.unwrap());
    desk.left(&first).await;
    let mut told = desk.local.engine().subscribe_turns();
    let second = desk.say(Some(&session), "Second.", None).await.turn.unwrap();
    let waits = async {
        while desk.view(&second).await.head.status != TurnStatus::Waiting {
            let _ = told.recv().await;
        }
    };
    tokio::time::timeout(PATIENCE, waits).await.expect("it asks for permission");
    (desk.reopened().await, session, first, second)
}

#[tokio::test]
async fn a_message_that_is_sent_again_ends_what_waits_after_it_since_before_a_restart() {
    let (desk, session, first, second) = waiting().await;
    assert_eq!(desk.view(&second).await.head.status, TurnStatus::Waiting);
    let again = desk.say(Some(&session), "First, in other words.", Some(&first)).await.turn.unwrap();
    desk.left(&again).await;
    assert_eq!(desk.view(&second).await.head.status, TurnStatus::Stopped);
    let next = desk.say(Some(&session), "And then?", None).await;
    assert_eq!(next.queued, None);
    let next = next.turn.expect("it begins at once");
    desk.left(&next).await;
    assert_eq!(desk.view(&next).await.head.answer.as_deref(), Some("More."));
}

#[tokio::test]
async fn a_conversation_is_not_compacted_while_a_turn_waits_since_before_a_restart() {
    let (desk, session, _, second) = waiting().await;
    let refused = desk.local.call(Request::SessionCompact { session }).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Busy);
    assert_eq!(desk.view(&second).await.head.status, TurnStatus::Waiting);
}

#[tokio::test]
async fn a_mission_at_work_ends_with_its_session_that_is_deleted_for_good() {
    let desk = Desk::new(ScriptedProvider::answering(|_| Answer::hang())).await;
    let mission = desk.mission().await;
    desk.asked(1).await;
    let store = &desk.local.engine().parts().store;
    let session = store.get_run(&mission.0).await.unwrap().session;
    let patch = SessionPatch { deleted: Some(true), ..SessionPatch::default() };
    let sessions = vec![session];
    desk.call(Request::SessionUpdate { sessions: sessions.clone(), patch }).await;
    let purge = desk.local.call(Request::SessionPurge { sessions });
    let purged = tokio::time::timeout(PATIENCE, purge).await.expect("the mission is cancelled");
    assert_eq!(answer!(purged.unwrap(), Purged), 1);
    assert!(!desk.local.engine().is_live(&mission));
    assert!(store.get_run(&mission.0).await.is_err());
}

/// Begins a job and waits until it has ended.
async fn ended(local: &Local, request: Request) -> JobState {
    let job = answer!(local.call(request).await.unwrap(), Job).job;
    loop {
        let jobs = answer!(local.call(Request::JobList).await.unwrap(), Jobs);
        let now = jobs.into_iter().find(|each| each.job == job).expect("it is listed");
        if now.status != JobStatus::Running {
            return now;
        }
        tokio::task::yield_now().await;
    }
}

/// A turn, a run and a mission whose models are thinking.
async fn under_way() -> (Desk, [RunId; 3]) {
    let desk = Desk::new(ScriptedProvider::answering(|_| Answer::hang())).await;
    let turn = desk.begin(Mode::Safe).await;
    desk.asked(1).await;
    let run = desk.run().await;
    desk.asked(2).await;
    let mission = desk.mission().await;
    desk.asked(3).await;
    (desk, [turn, run, mission])
}

/// Copies of sessions: each duplicated, and each brought back from a backup beside the one that is there.
async fn copies(local: &Local, sessions: &[String]) -> Vec<(String, String)> {
    let mut copies = Vec::new();
    for session in sessions {
        let copy = Request::SessionDuplicate(SessionCopy { session: session.clone() });
        copies.push((session.clone(), answer!(local.call(copy).await.unwrap(), Branched)));
    }
    let made = ended(local, Request::BackupNow(BackupNow::default())).await;
    assert_eq!(made.status, JobStatus::Done, "{made:?}");
    let restore = BackupRestore { sessions: sessions.to_vec(), ..BackupRestore::default() };
    let restored = answer!(local.call(Request::BackupRestore(restore)).await.unwrap(), Restored);
    copies.extend(sessions.iter().cloned().zip(restored.sessions));
    copies
}

/// Of every run of a session: its status, and whether the last that happened in it is that it was suspended.
async fn standing(store: &Store, session: &str) -> Vec<(String, bool)> {
    let mut standing = Vec::new();
    for run in store.runs_of(session).await.unwrap() {
        let last = store.load_events(&run).await.unwrap().pop().unwrap();
        let suspended = String::from_utf8(last.bytes).unwrap().contains(r#""suspended""#);
        standing.push((store.get_run(&run).await.unwrap().status, suspended));
    }
    standing
}

#[tokio::test]
async fn copies_of_what_was_under_way_wait_for_the_person() {
    let (alive, [turn, run, mission]) = under_way().await;
    let answers = ScriptedProvider::answering(|_| Answer::text("Done."));
    let desk = alive.killed(answers).await;
    let store = &desk.local.engine().parts().store;
    let mut sessions = Vec::new();
    for run in [&turn, &run, &mission] {
        sessions.push(store.get_run(&run.0).await.unwrap().session);
    }
    let running = RunFilter { statuses: vec!["running".to_owned()], ..RunFilter::default() };
    let copies = copies(&desk.local, &sessions).await;
    assert_eq!(copies.len(), 6);
    for (original, copy) in &copies {
        let runs = store.runs_of(original).await.unwrap();
        assert_eq!(standing(store, copy).await, vec![("suspended".to_owned(), true); runs.len()], "{copy}");
        let messages = async |session: &str| store.get_session(session).await.unwrap().unwrap().messages;
        assert_eq!(messages(copy).await, messages(original).await, "{copy}");
    }
    // What they were made of goes on when the program starts, and nothing else.
    let mut left: Vec<RunId> = store
        .list_runs(&running, None, 100)
        .await
        .unwrap()
        .runs
        .into_iter()
        .map(|row| RunId(row.id))
        .collect();
    left.sort();
    let mut originals = vec![turn, run, mission];
    originals.sort();
    assert_eq!(left, originals);

    // The person goes on with them.
    let copied = async |place: usize| RunId(store.runs_of(&copies[place].1).await.unwrap().remove(0));
    let (turn, run, mission) = (copied(0).await, copied(1).await, copied(2).await);
    desk.call(Request::TurnResume { run: turn.clone() }).await;
    desk.left(&turn).await;
    assert_eq!(desk.view(&turn).await.head.answer.as_deref(), Some("Done."));
    let by_id = RunRef::Id(run.0.clone());
    desk.call(Request::RunResume { run: by_id.clone(), attend: PausePolicy::default() }).await;
    desk.left(&run).await;
    let show = Request::RunShow { run: by_id, events_after: None, outputs: false };
    let state = answer!(desk.call(show).await, RunState);
    assert_eq!((state.status.as_str(), state.pauses.len()), ("paused", 1), "its call may have been paid");
    desk.call(Request::MissionShow { mission: mission.0 }).await;
}

#[tokio::test]
async fn a_branch_takes_what_was_under_way_along_as_something_that_waits() {
    let alive = Desk::new(ScriptedProvider::answering(|_| Answer::hang())).await;
    let turn = alive.begin(Mode::Safe).await;
    alive.asked(1).await;
    let desk = alive.killed(ScriptedProvider::answering(|_| Answer::text("Done."))).await;
    let session = desk.view(&turn).await.head.session.0;
    let next = desk.say(Some(&session), "And then?", None).await.turn.unwrap();
    desk.left(&next).await;
    let branch = answer!(desk.call(Request::SessionBranch { run: next }).await, Branched);
    let store = &desk.local.engine().parts().store;
    let expected = [("suspended".to_owned(), true), ("completed".to_owned(), false)];
    assert_eq!(standing(store, &branch).await, expected);
}

#[tokio::test]
async fn what_is_under_way_in_a_bundle_waits_for_the_person_where_it_is_imported() {
    let (alive, [turn, run, mission]) = under_way().await;
    let desk = alive.killed(ScriptedProvider::answering(|_| Answer::text("Done."))).await;
    let store = &desk.local.engine().parts().store;
    let mut sessions = Vec::new();
    for run in [&turn, &run, &mission] {
        sessions.push(store.get_run(&run.0).await.unwrap().session);
    }
    let file = desk.folder.path().join("all.anbundle").display().to_string();
    let export = ExportOptions {
        sessions: sessions.clone(),
        format: TransferFormat::Bundle,
        path: Some(file.clone()),
        ..ExportOptions::default()
    };
    desk.call(Request::ExportWrite(export)).await;

    let other = World::new().await;
    let import = Request::ImportRun(ImportOptions { path: file, ..ImportOptions::default() });
    let job = ended(&other.local, import.clone()).await.job;
    let done = *answer!(other.call(Request::ImportShow(ImportJob { job })).await, ImportDone);
    assert_eq!((done.imported, done.problem), (3, None), "{:?}", done.report);
    let told = done.report.lines.iter().filter(|line| line.why.contains("had not ended"));
    assert_eq!(told.count(), 3, "{:?}", done.report);
    let there = &other.local.engine().parts().store;
    for session in &sessions {
        let runs = store.runs_of(session).await.unwrap();
        let expected = vec![("suspended".to_owned(), true); runs.len()];
        assert_eq!(standing(there, session).await, expected, "{session}");
    }
    assert_eq!(
        answer!(other.call(Request::TurnShow { run: turn }).await, Turn).head.status,
        TurnStatus::Interrupted
    );
    let show = Request::RunShow { run: RunRef::Id(run.0), events_after: None, outputs: false };
    answer!(other.call(show).await, RunState);
    other.call(Request::MissionShow { mission: mission.0 }).await;
    let job = ended(&other.local, import).await.job;
    let again = *answer!(other.call(Request::ImportShow(ImportJob { job })).await, ImportDone);
    assert_eq!((again.imported, again.known), (0, 3), "{:?}", again.report);
}

#[tokio::test]
async fn a_copied_session_is_found_by_what_was_said_and_shows_as_much_as_its_original() {
    let world = World::new().await;
    let run = world.run(None, true).await;
    let session = world.state(&run).await.session;
    let said = TurnSend {
        session: Some(session.clone()),
        message: UserMessage { text: "And the zebra clause?".to_owned(), ..UserMessage::default() },
        ..TurnSend::default()
    };
    let turn = answer!(world.call(Request::TurnSend(Box::new(said))).await, Sent).turn.unwrap();
    world.local.engine().wait(&turn).await.unwrap();
    let store = &world.local.engine().parts().store;
    let shown = async |session: &str| {
        let row = store.get_session(session).await.unwrap().unwrap();
        (row.preview, row.messages, row.documents, row.last_role)
    };
    let original = shown(&session).await;
    assert!(!original.0.is_empty() && original.1 >= 4 && original.2 == 1, "{original:?}");
    let copies = copies(&world.local, std::slice::from_ref(&session)).await;
    let query = ContentQuery { line: "zebra clause".to_owned(), ..ContentQuery::default() };
    let hits = answer!(world.call(Request::ContentSearch(query)).await, ContentHits);
    let found: Vec<&String> = hits.sessions.iter().map(|hit| &hit.session.session).collect();
    for (_, copy) in &copies {
        assert_eq!(shown(copy).await, original, "{copy}");
        assert!(found.contains(&copy), "{found:?}");
    }
    assert_eq!(found.len(), 3, "{found:?}");
}

#[tokio::test]
async fn what_was_under_way_in_a_backup_waits_for_the_person_once_the_backup_is_restored() {
    let (desk, runs) = under_way().await;
    let made = ended(&desk.local, Request::BackupNow(BackupNow::default())).await;
    assert_eq!(made.status, JobStatus::Done, "{made:?}");
    let restored = desk.call(Request::BackupRestore(BackupRestore::default())).await;
    assert!(answer!(restored, Restored).at_next_start);
    let desk = desk.reopened().await;
    let store = &desk.local.engine().parts().store;
    for run in &runs {
        let session = store.get_run(&run.0).await.unwrap().session;
        let runs = store.runs_of(&session).await.unwrap().len();
        assert_eq!(standing(store, &session).await, vec![("suspended".to_owned(), true); runs], "{run}");
    }
    assert!(!desk.folder.path().join("home/restored").exists());
    // Their logs are whole: the person may still go on with each.
    let [turn, run, mission] = runs;
    assert_eq!(desk.view(&turn).await.head.status, TurnStatus::Interrupted);
    let asked = desk.provider.requests().len();
    desk.call(Request::TurnResume { run: turn }).await;
    desk.asked(asked + 1).await;
    desk.call(Request::RunResume { run: RunRef::Id(run.0), attend: PausePolicy::default() }).await;
    desk.call(Request::MissionShow { mission: mission.0 }).await;
}
