//! Automations through the table: nothing that is not enabled, real requests, real commands, vetoes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use app::{
    Hidden, Host, Options, PausePolicy, Reply as Answered, Request, Response, RunRef, RunState, StartRun,
};
use automation::Event;
use domain::{ErrorCode, Mode, Problem, RunId, RunStatus, UserMessage};
use llm::{Answer, Provider, ScriptedProvider};
use pretty_assertions::assert_eq;
use protocol::{
    AutomationDone, AutomationEnable, AutomationFire, AutomationHistory, AutomationRef, AutomationSave,
    AutomationState, AutomationView, SessionPatch, SetupPatch, TurnSend,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::chat_server::{ChatServer, Reply};
use crate::sources::{interface, save};
use crate::staged::clerk;
use crate::world::answer;

/// How long something that must happen may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct World {
    host: Host,
    folder: TempDir,
    script: Arc<Mutex<VecDeque<Answer>>>,
    /// What the model was asked.
    asked: Arc<Mutex<Vec<String>>>,
}

impl World {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        let script: Arc<Mutex<VecDeque<Answer>>> = Arc::default();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let (next, notes) = (script.clone(), asked.clone());
        let model: Arc<dyn Provider> = Arc::new(ScriptedProvider::answering(move |request| {
            notes.lock().unwrap().push(format!("{request:?}"));
            next.lock().unwrap().pop_front().unwrap_or_else(|| Answer::text("Done."))
        }));
        let options = Options {
            home: folder.path().join("home"),
            program: env!("CARGO_BIN_EXE_app-guard").into(),
            providers: BTreeMap::from([("scripted".to_owned(), model)]),
            hosts: None,
        };
        Self { host: Host::open(options).await.unwrap(), folder, script, asked }
    }

    async fn call(&self, request: Request) -> Response {
        self.host.call(request).await.unwrap()
    }

    async fn refused(&self, request: Request) -> Problem {
        self.host.call(request).await.unwrap_err()
    }

    async fn save(&self, event: Event, entry: Value) -> AutomationView {
        let save = AutomationSave { id: None, event, entry };
        *answer!(self.call(Request::AutomationSave(Box::new(save))).await, Automation)
    }

    async fn enable(&self, view: &AutomationView) {
        let enable = AutomationEnable { id: view.row.id.clone(), on: true, digest: view.digest.clone() };
        let view = answer!(self.call(Request::AutomationEnable(enable)).await, Automation);
        assert_eq!(view.row.state, AutomationState::Enabled);
    }

    async fn enabled(&self, event: Event, entry: Value) -> AutomationView {
        let view = self.save(event, entry).await;
        self.enable(&view).await;
        view
    }

    async fn show(&self, id: &str) -> AutomationView {
        *answer!(self.call(Request::AutomationShow(AutomationRef { id: id.to_owned() })).await, Automation)
    }

    async fn fire(&self, id: &str) -> Vec<AutomationDone> {
        let fire = AutomationFire { id: id.to_owned(), dry: false, digest: String::new(), session: None };
        answer!(self.call(Request::AutomationFire(fire)).await, AutomationDid)
    }

    /// Waits until a run has this status.
    async fn status(&self, run: &RunId, status: RunStatus) {
        let mut events = self.host.events();
        loop {
            let show =
                Request::RunShow { run: RunRef::Id(run.0.clone()), events_after: Some(0), outputs: false };
            let state: RunState = *answer!(self.call(show).await, RunState);
            if state.status == status {
                return;
            }
            assert_ne!(state.status, RunStatus::Failed, "{state:?}");
            events.next().await;
        }
    }

    /// Labels that messages bring by themselves: `urgent`, and `due` with a number.
    fn label_rules(&self) {
        let folder = self.folder.path().join("home/workspaces/default/labels");
        std::fs::create_dir_all(&folder).unwrap();
        let labels = json!({"version": 1, "labels": [
            {"id": "urgent", "name": "Urgent", "autoRules": [{"pattern": "(?i)\\burgent\\b"}]},
            {"id": "due", "name": "Due", "valueType": "number",
                "autoRules": [{"pattern": "in (\\d+) days", "valueTemplate": "$1"}]},
        ]});
        std::fs::write(folder.join("config.json"), labels.to_string()).unwrap();
    }

    async fn history(&self) -> Vec<(String, String)> {
        let request = Request::AutomationHistory(AutomationHistory::default());
        let rows = answer!(self.call(request).await, AutomationDid);
        rows.into_iter().map(|done| (done.outcome, done.detail)).collect()
    }

    /// A turn of the scripted model; waits until it has ended.
    async fn turn(&self, session: Option<String>, mode: Mode) -> Result<String, Problem> {
        self.say(session, mode, "Go on.").await
    }

    async fn say(&self, session: Option<String>, mode: Mode, text: &str) -> Result<String, Problem> {
        let work = std::fs::canonicalize(self.folder.path().join("work")).unwrap();
        let send = TurnSend {
            session,
            message: UserMessage { text: text.into(), ..UserMessage::default() },
            connection: Some("scripted".into()),
            model: Some("scripted-1".into()),
            setup: SetupPatch {
                mode: Some(mode),
                folders: Some(vec![work.display().to_string()]),
                ..SetupPatch::default()
            },
            ..TurnSend::default()
        };
        let mut events = self.host.events();
        let sent = answer!(self.host.call(Request::TurnSend(Box::new(send))).await?, Sent);
        let turn = sent.turn.unwrap();
        loop {
            let view = answer!(self.call(Request::TurnShow { run: turn.clone() }).await, Turn);
            if matches!(view.head.status, app::turn::TurnStatus::Completed | app::turn::TurnStatus::Failed) {
                return Ok(sent.session);
            }
            events.next().await;
        }
    }
}

/// A server that keeps what it is asked and answers with these status codes, the last one from then on.
async fn server(codes: &'static [u16]) -> (u16, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (told, asked) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut number = 0;
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut text = Vec::new();
            let mut piece = [0; 4_096];
            loop {
                let read = stream.read(&mut piece).await.unwrap_or(0);
                text.extend_from_slice(&piece[..read]);
                let so_far = String::from_utf8_lossy(&text).into_owned();
                let length = so_far.to_lowercase().split("content-length: ").nth(1).map_or(0, |rest| {
                    rest.split("\r\n").next().unwrap_or_default().parse::<usize>().unwrap_or(0)
                });
                let body = so_far.split_once("\r\n\r\n").map(|(_, body)| body.len());
                if read == 0 || body.is_some_and(|body| body >= length) {
                    break;
                }
            }
            let code = codes[number.min(codes.len() - 1)];
            number += 1;
            let whole = String::from_utf8_lossy(&text).into_owned();
            let echo = whole
                .to_lowercase()
                .split("x-key: ")
                .nth(1)
                .map(|rest| rest.split("\r\n").next().unwrap_or_default().to_owned());
            let _ = told.send(whole);
            let body = format!("got {}", echo.unwrap_or_default());
            let answer = format!(
                "HTTP/1.1 {code} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (port, asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_begins_a_session_that_says_who_began_it() {
    let world = World::new().await;
    let entry = json!({"name": "Standup", "cron": "0 9 * * 1-5", "timezone": "Europe/Budapest", "labels": ["Scheduled"],
        "actions": [{"type": "prompt", "prompt": "Look at ${AN_EVENT}", "connection": "scripted", "model": "scripted-1"}]});
    let view = world.save(Event::Tick, entry).await;
    assert_eq!((view.row.state, view.row.next, view.times.len()), (AutomationState::Disabled, None, 5));

    let fire = AutomationFire { id: "standup".into(), dry: false, digest: String::new(), session: None };
    let refused = world.refused(Request::AutomationFire(fire)).await;
    assert_eq!(refused.code, ErrorCode::Conflict);
    let other = AutomationEnable { id: "standup".into(), on: true, digest: "0".repeat(64) };
    assert_eq!(world.refused(Request::AutomationEnable(other)).await.code, ErrorCode::Conflict);
    world.enable(&view).await;

    let done = world.fire("standup").await;
    assert_eq!(done[0].outcome, "done", "{done:?}");
    let session = done[0].session.clone().unwrap();
    let request = Request::SessionShow { session: session.clone(), before: None, limit: 0 };
    let state = answer!(world.call(request).await, SessionState);
    assert_eq!((state.session.title.as_str(), state.chat.setup.mode), ("Standup", Mode::Safe));
    assert_eq!(state.turns[0].message.text, "Look at SchedulerTick");
    let view = world.show("standup").await;
    assert_eq!(view.history.len(), 1);
    assert!(view.row.next.is_some());
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_changed_after_it_was_enabled_fires_nothing_until_it_is_enabled_again() {
    let world = World::new().await;
    let (port, mut asked) = server(&[200]).await;
    let entry = |word: &str| json!({"id": "hook", "actions": [{"type": "webhook", "url": format!("http://127.0.0.1:{port}/{word}"), "body": {"is": "${AN_IS_FLAGGED}"}}]});
    let session = world.turn(None, Mode::Ask).await.unwrap();
    let flag = |flagged: bool| Request::SessionUpdate {
        sessions: vec![session.clone()],
        patch: SessionPatch { flagged: Some(flagged), ..SessionPatch::default() },
    };
    world.save(Event::FlagChanged, entry("never")).await;
    world.call(flag(true)).await;
    let save = AutomationSave { id: Some("hook".into()), event: Event::FlagChanged, entry: entry("first") };
    let view = *answer!(world.call(Request::AutomationSave(Box::new(save))).await, Automation);
    world.enable(&view).await;
    world.call(flag(false)).await;
    let first = asked.recv().await.unwrap();
    assert!(first.starts_with("POST /first ") && first.contains(r#"{"is":"false"}"#), "{first}");

    // Changed in the file, as an editor would.
    let file = world.folder.path().join("home/workspaces/default/automations.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("/first", "/evil")).unwrap();
    assert_eq!(world.show("hook").await.row.state, AutomationState::Changed);
    world.call(flag(true)).await;
    std::fs::write(&file, text).unwrap();
    assert_eq!(world.show("hook").await.row.state, AutomationState::Enabled);
    world.call(flag(false)).await;
    let second = asked.recv().await.unwrap();
    assert!(second.starts_with("POST /first "), "{second}");
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_tried_again_and_its_secret_is_in_nothing_that_is_kept() {
    let world = World::new().await;
    let (port, mut asked) = server(&[503, 200]).await;
    world.call(Request::SecretPut { name: "hook".into(), value: Hidden("s3cr3t-canary".into()) }).await;
    let entry = json!({"id": "hook", "cron": "0 9 * * *", "actions": [{"type": "webhook", "url": format!("http://127.0.0.1:{port}/"),
        "headers": {"x-key": "${secret:hook}"}, "captureResponse": true}]});
    world.enabled(Event::Tick, entry).await;
    let done = world.fire("hook").await;
    assert_eq!(
        (done[0].outcome.as_str(), done[0].detail.as_str()),
        ("done", "127.0.0.1 answered 200: got (secret)")
    );
    for _ in 0..2 {
        assert!(asked.recv().await.unwrap().to_lowercase().contains("x-key: s3cr3t-canary"));
    }
    assert!(!format!("{:?}", world.history().await).contains("s3cr3t"));
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happened_can_lead_no_request_to_a_machine_of_the_person() {
    let world = World::new().await;
    let (port, _asked) = server(&[200]).await;
    let session = world.turn(None, Mode::Ask).await.unwrap();
    let title = SessionPatch { title: Some(format!("127.0.0.1:{port}")), ..SessionPatch::default() };
    world.call(Request::SessionUpdate { sessions: vec![session.clone()], patch: title }).await;
    for (id, url, part) in [
        ("named", "http://${AN_SESSION_NAME}/", "not on the public internet"),
        ("metadata", "http://169.254.169.254/latest", "not on the public internet"),
        ("file", "file:///etc/passwd", "must begin with"),
        ("key", "https://example.org/${secret:connection/x/key}", "there is no variable"),
        ("unset", "https://example.org/${AN_WH_NOWHERE}", "there is no variable AN_WH_NOWHERE"),
    ] {
        let entry = json!({"id": id, "actions": [{"type": "webhook", "url": url}]});
        world.enabled(Event::FlagChanged, entry).await;
        let fire = AutomationFire {
            id: id.into(),
            dry: false,
            digest: String::new(),
            session: Some(session.clone()),
        };
        let done = answer!(world.call(Request::AutomationFire(fire)).await, AutomationDid);
        assert_eq!(done[0].outcome, "failed", "{done:?}");
        assert!(done[0].detail.contains(part), "{}", done[0].detail);
    }
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vetoed_call_of_a_tool_is_not_run_and_the_model_is_told_why() {
    let world = World::new().await;
    let command =
        "case \"$AN_TOOL_INPUT\" in *secret.txt*) echo 'Not that file, '\"$AN_TOOL\"; exit 2;; esac";
    let entry = json!({"name": "Guard", "matcher": "^write$", "permissionMode": "allow-all",
        "actions": [{"type": "command", "command": command}]});
    let view = world.save(Event::ToolBefore, entry).await;
    let write = |path: &str| {
        world.script.lock().unwrap().extend([
            Answer::text("").call("write", json!({"path": path, "content": "x"})),
            Answer::text("Done."),
        ]);
    };
    let file = |path: &str| world.folder.path().join("work").join(path).exists();
    // Nothing is kept from happening before it is enabled.
    write("secret.txt");
    let session = world.turn(None, Mode::AllowAll).await.unwrap();
    assert!(file("secret.txt"));
    std::fs::remove_file(world.folder.path().join("work/secret.txt")).unwrap();

    world.enable(&view).await;
    write("secret.txt");
    world.turn(Some(session.clone()), Mode::AllowAll).await.unwrap();
    assert!(!file("secret.txt"));
    let last = world.asked.lock().unwrap().last().cloned().unwrap();
    assert!(last.contains("Not that file, write"), "{last}");
    let history = world.history().await;
    assert_eq!(history.len(), 1);
    assert_eq!(history[0].0, "vetoed");
    write("other.txt");
    world.turn(Some(session), Mode::AllowAll).await.unwrap();
    assert!(file("other.txt"));
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_about_several_files_is_vetoed_by_what_objects_to_any_of_them() {
    let world = World::new().await;
    // The file that the event is about ends a text of its data; in the patch a line's end follows its name.
    let command = r#"case "$AN_EVENT_DATA" in *'/secret.txt"'*) echo 'Not that file'; exit 2;; esac"#;
    let entry = json!({"name": "Guard", "matcher": "^patch$", "permissionMode": "allow-all",
        "actions": [{"type": "command", "command": command}]});
    world.enabled(Event::ToolBefore, entry).await;
    let patch = |names: [&str; 3]| {
        let files = names.map(|name| format!("--- /dev/null\n+++ b/{name}\n@@ -0,0 +1 @@\n+x\n"));
        world.script.lock().unwrap().extend([
            Answer::text("").call("patch", json!({"patch": files.concat()})),
            Answer::text("Done."),
        ]);
    };
    let file = |path: &str| world.folder.path().join("work").join(path).exists();
    patch(["a.txt", "b.txt", "secret.txt"]);
    let session = world.turn(None, Mode::AllowAll).await.unwrap();
    let last = world.asked.lock().unwrap().last().cloned().unwrap();
    assert!(last.contains("Not that file"), "{last}");
    assert!(!file("a.txt") && !file("b.txt") && !file("secret.txt"));
    patch(["a.txt", "b.txt", "c.txt"]);
    world.turn(Some(session), Mode::AllowAll).await.unwrap();
    assert!(file("a.txt") && file("b.txt") && file("c.txt"));
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_and_runs_are_vetoed_with_a_reason() {
    let world = World::new().await;
    let veto = |id: &str, matcher: &str, reason: &str| json!({"id": id, "name": id, "matcher": matcher, "actions": [{"type": "veto", "reason": reason}]});
    world.enabled(Event::TurnBefore, veto("words", "(?i)^go on", "Say what to go on with.")).await;
    world.enabled(Event::RunBefore, veto("runs", "^isa-", "Not before noon.")).await;
    let refused = world.turn(None, Mode::Ask).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Cancelled);
    assert!(refused.message.contains("Say what to go on with."), "{}", refused.message);
    let start =
        StartRun { agent: "isa-deep-research".into(), request: "When?".into(), ..StartRun::default() };
    let refused = world.refused(Request::RunStart(Box::new(start))).await;
    assert!(refused.message.contains("Not before noon."), "{}", refused.message);
    assert!(world.asked.lock().unwrap().is_empty());
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_fails_or_hangs_vetoes_only_where_it_is_said_to() {
    let world = World::new().await;
    for (id, command, closed, seconds, allowed) in [
        ("broken", "exit 1", false, 30, true),
        ("closed", "exit 1", true, 30, false),
        ("slow", "sleep 30", true, 1, false),
        ("json", "echo '{\"veto\": \"by word\"}'", false, 30, false),
        ("fine", "echo '{\"veto\": \"\"}' >&2; echo ok", true, 30, true),
    ] {
        let entry = json!({"id": id, "permissionMode": "allow-all",
            "actions": [{"type": "command", "command": command, "failClosed": closed, "timeoutSeconds": seconds}]});
        let view = world.enabled(Event::TurnBefore, entry).await;
        let sent = world.turn(None, Mode::Ask).await;
        assert_eq!(sent.is_ok(), allowed, "{id}: {sent:?}");
        world.call(Request::AutomationRemove(AutomationRef { id: view.row.id })).await;
    }
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_needs_the_permission_that_an_agents_would() {
    let world = World::new().await;
    let work = std::fs::canonicalize(world.folder.path().join("work")).unwrap();
    let entry = |id: &str, mode: &str| {
        json!({"id": id, "cron": "0 9 * * *", "permissionMode": mode,
            "actions": [{"type": "command", "command": "echo x > made.txt", "folder": work.display().to_string()}]})
    };
    world.enabled(Event::Tick, entry("explore", "safe")).await;
    world.enabled(Event::Tick, entry("asking", "ask")).await;
    world.enabled(Event::Tick, entry("auto", "allow-all")).await;
    assert_eq!(world.fire("explore").await[0].outcome, "failed");
    let asking = world.fire("asking").await;
    assert!(asking[0].detail.contains("nobody is there"), "{asking:?}");
    assert!(!work.join("made.txt").exists());
    assert_eq!(world.fire("auto").await[0].outcome, "done");
    assert!(work.join("made.txt").exists());
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_automation_leaves_nothing_enabled_behind() {
    let world = World::new().await;
    let entry = json!({"id": "same", "actions": [{"type": "veto", "reason": "no"}]});
    world.enabled(Event::TurnBefore, entry.clone()).await;
    world.call(Request::AutomationRemove(AutomationRef { id: "same".into() })).await;
    assert_eq!(world.save(Event::TurnBefore, entry).await.row.state, AutomationState::Disabled);
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn automations_that_fire_one_another_come_to_an_end() {
    let world = World::new().await;
    let entry = json!({"id": "loop", "permissionMode": "ask",
        "actions": [{"type": "prompt", "prompt": "Again", "connection": "scripted", "model": "scripted-1"}]});
    world.enabled(Event::TurnAfter, entry).await;
    let mut events = world.host.events();
    world.turn(None, Mode::Ask).await.unwrap();
    loop {
        let history = world.history().await;
        if history.len() >= 4 {
            // The last one is written down while what it began is over already.
            let mut words: Vec<&str> = history.iter().map(|(outcome, _)| outcome.as_str()).collect();
            words.sort_unstable();
            assert_eq!(words, ["done", "done", "done", "refused"]);
            break;
        }
        events.next().await;
    }
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vetoed_stage_fails_with_the_reason_and_can_be_tried_again() {
    let world = crate::world::World::new().await;
    let entry = json!({"id": "stages", "actions": [{"type": "veto", "reason": "The archive is closed."}]});
    let save = AutomationSave { id: None, event: Event::StageBefore, entry };
    let view = answer!(world.call(Request::AutomationSave(Box::new(save))).await, Automation);
    let enable = |on: bool| AutomationEnable { id: "stages".into(), on, digest: view.digest.clone() };
    world.call(Request::AutomationEnable(enable(true))).await;
    let run = world.run(None, false).await;
    let state = world.state(&run).await;
    assert_eq!(state.status, RunStatus::Failed);
    assert!(format!("{state:?}").contains("The archive is closed."));
    world.call(Request::AutomationEnable(enable(false))).await;
    let resume =
        Request::RunResume { run: app::RunRef::Id(run.0.clone()), attend: app::PausePolicy::default() };
    world.call(resume).await;
    world.local.engine().wait(&run).await.unwrap();
    assert_eq!(world.state(&run).await.status, RunStatus::Paused);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_vetoed_before_it_begins_and_one_that_is_there_goes_on() {
    let world = World::new().await;
    let session = world.turn(None, Mode::Ask).await.unwrap();
    let entry = json!({"id": "sessions", "actions": [{"type": "veto", "reason": "One at a time."}]});
    world.enabled(Event::SessionBefore, entry).await;
    let refused = world.turn(None, Mode::Ask).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Cancelled);
    assert!(refused.message.contains("One at a time."), "{}", refused.message);
    let start =
        StartRun { agent: "isa-deep-research".into(), request: "When?".into(), ..StartRun::default() };
    let refused = world.refused(Request::RunStart(Box::new(start))).await;
    assert!(refused.message.contains("One at a time."), "{}", refused.message);
    assert_eq!(world.turn(Some(session.clone()), Mode::Ask).await.unwrap(), session);
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_must_not_wait_takes_the_proposed_choice_and_says_why() {
    let world = crate::world::World::new().await;
    let entry = json!({"id": "night", "name": "Night", "matcher": "^0$",
        "actions": [{"type": "veto", "reason": "Nobody is awake."}]});
    let save = AutomationSave { id: None, event: Event::PauseBefore, entry };
    let view = answer!(world.call(Request::AutomationSave(Box::new(save))).await, Automation);
    let enable = AutomationEnable { id: "night".into(), on: true, digest: view.digest.clone() };
    world.call(Request::AutomationEnable(enable)).await;
    let heard = json!({"id": "heard", "actions": [{"type": "prompt", "prompt": "Answered: ${AN_CHOICE}"}]});
    let save = AutomationSave { id: None, event: Event::PauseAfter, entry: heard };
    let heard = answer!(world.call(Request::AutomationSave(Box::new(save))).await, Automation);
    assert_eq!(heard.row.when, "When a pause was answered");
    // The first pause is passed, and the run waits at the second one, which is not spoken of.
    let run = world.run(None, false).await;
    let state = world.state(&run).await;
    assert_eq!(state.status, RunStatus::Paused);
    let passed = &state.answered[0];
    assert!(passed.decision.unattended);
    let because = passed.decision.because.as_deref().unwrap_or_default();
    assert!(because.contains("Night") && because.contains("Nobody is awake."), "{because}");
    assert_eq!(state.answered.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_needs_nobody_takes_what_its_pauses_propose() {
    let world = crate::world::World::new().await;
    for (id, unattended, ends) in
        [("watched", false, RunStatus::Paused), ("alone", true, RunStatus::Completed)]
    {
        let entry = json!({"id": id, "cron": "0 9 * * *", "actions": [{"type": "run", "agent": "isa-deep-research",
            "input": "How is performance materiality set?", "unattended": unattended}]});
        let save = AutomationSave { id: None, event: Event::Tick, entry };
        let view = answer!(world.call(Request::AutomationSave(Box::new(save))).await, Automation);
        assert_eq!(view.row.may[0].contains("takes the proposed choice"), unattended, "{:?}", view.row.may);
        let fire = AutomationFire { id: id.into(), dry: false, digest: view.digest.clone(), session: None };
        let did = answer!(world.call(Request::AutomationFire(fire)).await, AutomationDid);
        let run = domain::RunId(did[0].run.clone().unwrap());
        world.local.engine().wait(&run).await.unwrap();
        assert_eq!(world.state(&run).await.status, ends);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn labels_that_a_message_brings_are_told_once_wherever_it_was_sent() {
    let world = World::new().await;
    world.label_rules();
    let (port, mut asked) = server(&[200]).await;
    for (event, word) in [(Event::LabelAdded, "added"), (Event::LabelRemoved, "removed")] {
        let entry = json!({"id": word, "actions": [{"type": "webhook", "url": format!("http://127.0.0.1:{port}/{word}"),
            "body": {"label": "${AN_LABEL}", "session": "${AN_SESSION_ID}"}}]});
        world.enabled(event, entry).await;
    }
    let mut told = async || {
        let text = asked.recv().await.unwrap();
        let path = text.split(' ').nth(1).unwrap().to_owned();
        let body: Value = serde_json::from_str(text.split_once("\r\n\r\n").unwrap().1).unwrap();
        (path, body["label"].as_str().unwrap().to_owned(), body["session"].as_str().unwrap().to_owned())
    };
    let label =
        |path: &str, label: &str, session: &str| (path.to_owned(), label.to_owned(), session.to_owned());

    let session = world.say(None, Mode::Ask, "This is urgent.").await.unwrap();
    assert_eq!(told().await, label("/added", "urgent", &session), "of a session that it began");
    // It has that label already; the other one is new, and replaced later.
    world.say(Some(session.clone()), Mode::Ask, "Urgent, and due in 5 days").await.unwrap();
    assert_eq!(told().await, label("/added", "due::5", &session));
    world.say(Some(session.clone()), Mode::Ask, "Rather in 9 days").await.unwrap();
    let mut both = [told().await, told().await];
    both.sort();
    assert_eq!(both, [label("/added", "due::9", &session), label("/removed", "due::5", &session)]);

    let start = StartRun {
        agent: "isa-deep-research".into(),
        request: "Urgent: when must the auditor assess going concern?".into(),
        connection: Some("scripted".into()),
        ..StartRun::default()
    };
    world.call(Request::RunStart(Box::new(start))).await;
    let told_of = told().await;
    assert_eq!((told_of.0.as_str(), told_of.1.as_str()), ("/added", "urgent"), "of a run");
    let mut labels: Vec<String> = world.history().await.into_iter().map(|(outcome, _)| outcome).collect();
    labels.dedup();
    assert_eq!(labels, ["done"]);
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_automation_that_labels_by_what_it_says_comes_to_an_end() {
    let world = World::new().await;
    world.label_rules();
    let entry = json!({"id": "loop", "permissionMode": "ask", "matcher": "^urgent$", "labels": ["scheduled"],
        "actions": [{"type": "prompt", "prompt": "Urgent again", "connection": "scripted", "model": "scripted-1"}]});
    world.enabled(Event::LabelAdded, entry).await;
    let mut events = world.host.events();
    world.say(None, Mode::Ask, "This is urgent.").await.unwrap();
    let outcomes = loop {
        let history = world.history().await;
        if history.len() >= 4 {
            break history;
        }
        events.next().await;
    };
    let mut words: Vec<&str> = outcomes.iter().map(|(outcome, _)| outcome.as_str()).collect();
    words.sort_unstable();
    assert_eq!(words, ["done", "done", "done", "refused"], "{outcomes:?}");
    assert!(outcomes.iter().any(|(_, detail)| detail.contains("three times in a row")));
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_stages_make_are_told_afterwards() {
    let world = World::new().await;
    let house = ChatServer::new(|asked| {
        Some(Reply::json(if asked.path.ends_with("gone") { 404 } else { 200 }, &json!({})))
    })
    .await;
    let mut config = interface(&house.base());
    config["api"].as_object_mut().unwrap().remove("testEndpoint");
    world.call(save(config, &[("apikey", "k")])).await;
    let (port, mut asked) = server(&[200]).await;
    for (event, word) in [(Event::ToolAfter, "after"), (Event::ToolFailed, "failed")] {
        let entry = json!({"id": word, "matcher": "^desk__request$", "actions": [{"type": "webhook",
            "url": format!("http://127.0.0.1:{port}/{word}"), "body": {"tool": "${AN_TOOL}"}}]});
        world.enabled(event, entry).await;
    }
    for (path, told) in [("here", "POST /after "), ("gone", "POST /failed ")] {
        let steps = json!([{"tool": "desk/request", "args": {"method": "GET", "path": path}}]);
        clerk(&world.folder.path().join("home"), json!([{"slug": "desk"}]), steps, json!({}));
        let start = StartRun {
            agent: "clerk".into(),
            request: "42".into(),
            connection: Some("offline".into()),
            ..StartRun::default()
        };
        world.call(Request::PermissionAllow { agent: "clerk".into() }).await;
        world.call(Request::RunStart(Box::new(start))).await;
        let text = asked.recv().await.unwrap();
        assert!(text.starts_with(told) && text.contains(r#"{"tool":"desk__request"}"#), "{text}");
    }
    world.host.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answered_pause_is_told_once_with_its_choice() {
    let world = World::new().await;
    let house = ChatServer::new(|_| Some(Reply::json(200, &json!({})))).await;
    let mut config = interface(&house.base());
    config["api"].as_object_mut().unwrap().remove("testEndpoint");
    world.call(save(config, &[("apikey", "k")])).await;
    let choice = |id: &str, action: &str| json!({"id": id, "label": id, "action": action});
    let pause = json!({"pause": {"choices": [choice("again", "amend"), choice("onward", "proceed")]}});
    let steps = json!([{"tool": "desk/request", "args": {"method": "GET", "path": "here"}}]);
    clerk(&world.folder.path().join("home"), json!([{"slug": "desk"}]), steps, pause);
    let (port, mut asked) = server(&[200]).await;
    for (id, matcher) in [("once-more", "^again$"), ("on", "^onward$"), ("never", "^cancel$")] {
        let entry = json!({"id": id, "matcher": matcher, "actions": [{"type": "webhook",
            "url": format!("http://127.0.0.1:{port}/{id}"),
            "body": {"choice": "${AN_CHOICE}", "agent": "${AN_AGENT}", "run": "${AN_RUN_ID}"}}]});
        world.enabled(Event::PauseAfter, entry).await;
    }
    let start = StartRun {
        agent: "clerk".into(),
        request: "42".into(),
        connection: Some("offline".into()),
        ..StartRun::default()
    };
    world.call(Request::PermissionAllow { agent: "clerk".into() }).await;
    let run = answer!(world.call(Request::RunStart(Box::new(start))).await, Run);
    for (id, choice, text) in [("once-more", "again", Some("Look again.")), ("on", "onward", None)] {
        world.status(&run, RunStatus::Paused).await;
        let reply =
            Answered { choice: Some(choice.into()), text: text.map(str::to_owned), ..Answered::default() };
        let attend = PausePolicy::default();
        world
            .call(Request::RunAnswer { run: run.clone(), pause: None, reply: Box::new(reply), attend })
            .await;
        let Ok(told) = tokio::time::timeout(PATIENCE, asked.recv()).await else {
            panic!("{id} was not told: {:?}", world.history().await);
        };
        let told = told.unwrap();
        assert!(told.starts_with(&format!("POST /{id} ")), "{told}");
        let body: Value = serde_json::from_str(told.split_once("\r\n\r\n").unwrap().1).unwrap();
        assert_eq!(body, json!({"choice": choice, "agent": "clerk", "run": run.0}));
    }
    world.status(&run, RunStatus::Completed).await;
    // The row is written after the server was told.
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while world.history().await.len() < 2 && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let outcomes: Vec<String> = world.history().await.into_iter().map(|(outcome, _)| outcome).collect();
    assert_eq!(outcomes, ["done", "done"]);
    world.host.close().await.unwrap();
}
