//! Staged runs over sources of all types: real servers, interfaces on this machine and folders, called by stages.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use app::{PausePolicy, Reply as Answer, Request, RunRef, RunState, StartRun};
use automation::Event;
use domain::{ErrorCode, Problem, RunId};
use engine::{Exit, UiKind};
use knowledge::{IngestOptions, ingest};
use mcp_servers::{HttpServer, KnowledgeServerOptions};
use pretty_assertions::assert_eq;
use protocol::{AutomationEnable, AutomationSave};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use crate::chat_server::{ChatServer, Reply};
use crate::sources::{Desk, describe, interface, save, shop, trust};
use crate::world::answer;

/// The longest that something of a test may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Writes an agent of one stage of these steps, and a document that quotes what it gave.
pub(crate) fn clerk(home: &Path, sources: Value, steps: Value, more: Value) {
    let folder = home.join("workspaces/default/agents/clerk");
    std::fs::create_dir_all(&folder).unwrap();
    let mut stage =
        json!({"id": "gather", "name": "gather", "title": "Gather", "kind": "tools", "steps": steps});
    stage.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let config = json!({
        "slug": "clerk", "name": "Clerk", "description": "Looks things up.", "sources": sources,
        "depthModes": {"standard": {}},
        "controlFlow": {"stages": [stage,
            {"id": "output", "name": "output", "title": "Output", "kind": "render",
                "document": {"answer": "{'synthesis': 'It was looked up.'}"}}]},
    });
    std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
    let slugs: Vec<&str> =
        sources.as_array().unwrap().iter().map(|used| used["slug"].as_str().unwrap()).collect();
    let page = format!(
        "---\nname: Clerk\ndescription: Looks things up.\nsources: [{}]\ntools: []\n---\nLooks things up.\n",
        slugs.join(", ")
    );
    std::fs::write(folder.join("AGENT.md"), page).unwrap();
}

impl Desk {
    fn agent(&self, sources: Value, steps: Value, more: Value) {
        clerk(&self.place("home"), sources, steps, more);
    }

    fn start(&self, unattended: bool) -> Request {
        Request::RunStart(Box::new(StartRun {
            agent: "clerk".to_owned(),
            request: "42".to_owned(),
            connection: Some("offline".to_owned()),
            attend: PausePolicy { unattended, ..PausePolicy::default() },
            ..StartRun::default()
        }))
    }

    /// A run whose agent may call what its stages call.
    async fn begun(&self) -> RunId {
        self.call(Request::PermissionAllow { agent: "clerk".to_owned() }).await;
        answer!(self.call(self.start(true)).await, Run)
    }

    async fn ended(&self, run: &RunId) -> (Exit, Option<Problem>) {
        tokio::time::timeout(PATIENCE, self.local.engine().wait(run)).await.unwrap().unwrap()
    }

    /// A run to its end.
    async fn run(&self) -> (RunId, Exit, Option<Problem>) {
        let run = self.begun().await;
        let (exit, problem) = self.ended(&run).await;
        (run, exit, problem)
    }

    async fn state(&self, run: &RunId) -> RunState {
        let request =
            Request::RunShow { run: RunRef::Id(run.0.clone()), events_after: Some(0), outputs: true };
        *answer!(self.call(request).await, RunState)
    }

    async fn output(&self, run: &RunId) -> Value {
        self.state(run).await.outputs.unwrap()["gather"].clone()
    }

    async fn runs(&self) -> usize {
        let request = Request::RunList { limit: 10, agent: None, status: None, before: None, turns: false };
        answer!(self.call(request).await, Runs).runs.len()
    }

    fn mark(&self, server: &str, behaviour: &str) -> std::path::PathBuf {
        let mark = self.place(server).join(behaviour);
        std::fs::write(&mark, "").unwrap();
        mark
    }

    fn calls(&self, server: &str) -> usize {
        std::fs::read_to_string(self.place(server).join("called")).unwrap_or_default().lines().count()
    }
}

fn uses(slug: &str, required: bool) -> Value {
    json!([{"slug": slug, "required": required}])
}

fn request(method: &str, path: &str) -> Value {
    json!([{"tool": "desk/request", "args": {"method": method, "path": path}, "collect": "item"}])
}

/// An approved interface over a server; without `more` nothing is asked of it beforehand.
async fn desk_over(server: &ChatServer, more: Value) -> Desk {
    let desk = Desk::new().await;
    let mut config = interface(&server.base());
    config["api"].as_object_mut().unwrap().remove("testEndpoint");
    config["api"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    desk.call(save(config, &[("apikey", "canary-7319")])).await;
    desk
}

#[tokio::test]
async fn stages_call_an_interface_a_folder_and_servers_of_both_transports() {
    let house = ChatServer::new(|asked| {
        Some(Reply::json(200, &json!({"path": asked.path, "key": asked.header("x-key"), "tags": ["a", "b"]})))
    })
    .await;
    let desk = desk_over(&house, json!({})).await;
    let notes = desk.place("notes");
    std::fs::create_dir_all(notes.join("more")).unwrap();
    std::fs::write(notes.join("plan.md"), "Paint the fence.\nOil the gate.\n").unwrap();
    std::fs::write(notes.join("more/list.md"), "Buy paint.").unwrap();
    let config = json!({"slug": "notes", "name": "Notes", "description": "My notes.", "type": "local", "local": {"path": notes}});
    desk.call(save(config, &[])).await;
    desk.call(save(shop(&desk.server("house")), &[("key", "canary-7319")])).await;
    desk.call(trust("shop")).await;

    let far = desk.place("far");
    std::fs::create_dir_all(&far).unwrap();
    let rows = desk.place("primer.jsonl");
    std::fs::write(
        &rows,
        r#"{"id": "4.2", "title": "Benchmarks", "text": "Choosing a benchmark needs judgement."}"#,
    )
    .unwrap();
    let options =
        IngestOptions { citation: "(Primer {id})".into(), ..IngestOptions::new(&far, "primer", vec![rows]) };
    ingest(&options, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let options = KnowledgeServerOptions {
        home: far,
        default_base: "primer".into(),
        ..KnowledgeServerOptions::default()
    };
    let server = HttpServer::bind(options, 0, "canary-8426".into()).await.unwrap();
    let config = json!({"slug": "far", "name": "Far", "description": "A base elsewhere.", "type": "mcp",
        "mcp": {"transport": "http", "url": server.address(), "authType": "bearer"}});
    tokio::spawn(server.run(std::future::pending()));
    desk.call(save(config, &[("bearer", "canary-8426")])).await;
    desk.call(trust("far")).await;

    desk.agent(
        json!([{"slug": "desk"}, {"slug": "notes"}, {"slug": "shop"}, {"slug": "far"}]),
        json!([
            {"tool": "notes/list", "args": {"glob": "*.md"}, "pick": "entries", "collect": "files"},
            {"tool": "notes/read", "forEach": "collected.files", "args": {"path": "{{ item.path }}"}, "pick": "text", "collect": "texts"},
            {"tool": "notes/search", "args": {"pattern": "paint", "ignore_case": true}, "pick": "hits", "collect": "hits"},
            {"tool": "desk/request", "args": {"method": "GET", "path": "items/{{ request }}", "query": {"full": true}}, "collect": "item"},
            {"tool": "shop/tell", "collect": "told"},
            {"tool": "far/kb_search", "args": {"query": "choosing a benchmark"}, "pick": "hits", "collect": "found"}
        ]),
        json!({}),
    );
    let (run, exit, problem) = desk.run().await;
    assert_eq!(exit, Exit::Completed, "{problem:?}");
    let output = desk.output(&run).await;
    assert_eq!(output["files"][0], json!({"path": "more/list.md", "kind": "file", "bytes": 10}));
    assert_eq!(output["texts"], json!(["Buy paint.", "Paint the fence.\nOil the gate."]));
    assert_eq!(output["hits"][1], json!({"path": "plan.md", "line": 1, "text": "Paint the fence."}));
    assert_eq!(output["item"]["path"], "/v1/items/42?full=true");
    assert_ne!(output["item"]["key"], "canary-7319", "what the host repeats is cut out");
    assert_eq!(house.asked()[0].header("x-key"), Some("canary-7319"));
    assert_eq!(output["told"], "key is canary-7319, house is ");
    assert_eq!(output["found"][0]["ref"], "(Primer 4.2)", "{output}");
    assert_eq!(desk.starts("house"), 2, "one for its approval and one for the run");
    assert!(desk.called("shop", "tell", json!({})).await.ok);
    assert_eq!(desk.starts("house"), 2, "the run's server answers others, too");
}

#[tokio::test]
async fn what_is_missing_is_told_before_the_run_with_its_remedy() {
    let house = ChatServer::new(|_| Some(Reply::json(200, &json!({})))).await;
    let desk = Desk::new().await;
    desk.agent(uses("desk", true), request("GET", "x"), json!({}));
    let unknown = desk.refused(desk.start(true)).await;
    assert!(unknown.message.contains("desk"), "{unknown}");

    desk.call(save(interface(&house.base()), &[])).await;
    let missing = desk.refused(desk.start(true)).await;
    assert!(missing.message.contains("source desk: its secret apikey is missing"), "{missing}");
    assert!(missing.action.is_some_and(|action| action.starts_with("give it on the Sources page")));

    desk.call(save(interface(&house.base()), &[("apikey", "k")])).await;
    desk.call(Request::SourceEnable { slug: "desk".into(), on: false }).await;
    let off = desk.refused(desk.start(true)).await;
    assert!(off.message.contains("switched off") && off.action.is_some(), "{off}");
    desk.call(Request::SourceEnable { slug: "desk".into(), on: true }).await;
    desk.edit("desk", "/api/headerName", json!("X-Other"));
    let changed = desk.refused(desk.start(true)).await;
    assert!(changed.message.contains("has changed since it was approved"), "{changed}");

    let config = json!({"slug": "far", "name": "Far", "description": "Signs in.", "type": "mcp",
        "mcp": {"transport": "http", "url": house.base(), "authType": "oauth"}});
    desk.call(save(config, &[])).await;
    desk.agent(uses("far", true), json!([{"tool": "far/tell"}]), json!({}));
    let unlisted = desk.refused(desk.start(true)).await;
    assert!(unlisted.message.contains("its tools have not been approved yet"), "{unlisted}");
    let config = json!({"slug": "mail", "name": "Mail", "description": "Signs in.", "type": "api",
        "api": {"baseUrl": house.base(), "authType": "oauth", "oauth": {"tokenUrl": "https://id.example/token",
            "authorizeUrl": "https://id.example/authorize", "clientId": "eva"}}});
    desk.call(save(config, &[])).await;
    desk.agent(
        uses("mail", true),
        json!([{"tool": "mail/request", "args": {"method": "GET", "path": "x"}}]),
        json!({}),
    );
    let nobody = desk.refused(desk.start(true)).await;
    assert!(nobody.message.contains("nobody is signed in"), "{nobody}");
    assert_eq!(nobody.action.as_deref(), Some("sign in on the Sources page"));
    assert_eq!((desk.runs().await, house.asked().len()), (0, 0), "nothing began and nothing was asked");
}

#[tokio::test]
async fn a_required_source_that_fails_ends_the_run_after_one_more_try() {
    let house = ChatServer::new(|_| Some(Reply::json(503, &json!({"error": "asleep"})))).await;
    let desk = desk_over(&house, json!({"testEndpoint": {"path": "me"}})).await;
    desk.agent(uses("desk", true), request("GET", "items/1"), json!({}));
    let (_, exit, problem) = desk.run().await;
    let problem = problem.unwrap();
    assert_eq!((exit, problem.code), (Exit::Failed, ErrorCode::Source));
    assert!(problem.message.contains("source desk") && problem.message.contains("503"), "{problem}");
    let paths: Vec<String> = house.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(paths, ["/v1/me", "/v1/me"], "no step was called");
}

#[tokio::test]
async fn an_optional_source_that_fails_is_a_warning_in_the_run_and_in_the_document() {
    let house = ChatServer::new(|_| Some(Reply::json(503, &json!({"error": "asleep"})))).await;
    let desk = desk_over(&house, json!({"testEndpoint": {"path": "me"}})).await;
    desk.agent(uses("desk", false), request("GET", "items/1"), json!({"limits": {"attempts": 1}}));
    let (run, exit, problem) = desk.run().await;
    assert_eq!(exit, Exit::Completed, "{problem:?}");
    let state = desk.state(&run).await;
    let told = &state.stages[0].warnings;
    assert!(told.iter().any(|warning| warning.contains("source desk is not available")), "{told:?}");
    let document =
        answer!(desk.call(Request::RunDocument { run: RunRef::Id(run.0.clone()) }).await, Document).unwrap();
    let document = serde_json::to_string(&document).unwrap();
    assert!(document.contains("source desk is not available") && document.contains("503"), "{document}");

    // Without its secret it is not even asked, and no reason to refuse the run.
    let desk = Desk::new().await;
    desk.call(save(interface(&house.base()), &[])).await;
    desk.agent(uses("desk", false), request("GET", "items/1"), json!({}));
    let (run, exit, problem) = desk.run().await;
    assert_eq!(exit, Exit::Completed, "{problem:?}");
    let told = desk.state(&run).await.stages[0].warnings.join("\n");
    assert!(told.contains("its secret apikey is missing"), "{told}");
}

#[tokio::test]
async fn a_tool_that_changed_is_not_called_until_it_was_approved_again() {
    let desk = Desk::new().await;
    desk.call(save(shop(&desk.server("house")), &[("key", "canary-7319")])).await;
    desk.call(trust("shop")).await;
    desk.agent(uses("shop", true), json!([{"tool": "shop/tell", "collect": "told"}]), json!({}));
    assert_eq!(desk.run().await.1, Exit::Completed);
    describe(&desk.place("house"), "Also sends your files to a stranger.");
    desk.rested("shop").await;
    let (_, exit, problem) = desk.run().await;
    let why = problem.unwrap().message;
    assert_eq!((exit, desk.calls("house")), (Exit::Failed, 1), "{why}");
    assert!(why.contains("source shop: its tool tell is not what was approved"), "{why}");
    assert_eq!(desk.row("shop").await.changed_tools, ["tell"]);
    desk.call(trust("shop")).await;
    assert_eq!((desk.run().await.1, desk.calls("house")), (Exit::Completed, 2));

    desk.agent(uses("shop", true), json!([{"tool": "shop/buy"}]), json!({}));
    let unknown = desk.refused(desk.start(true)).await;
    assert!(unknown.message.contains("its tool buy has not been approved; approved are tell"), "{unknown}");
}

#[tokio::test]
async fn what_stages_call_of_a_person_s_source_is_allowed_once_and_can_be_taken_back() {
    let house = ChatServer::new(|_| Some(Reply::json(200, &json!({"n": 1})))).await;
    let desk = desk_over(&house, json!({})).await;
    desk.agent(uses("desk", true), request("POST", "items"), json!({}));
    let refused = desk.refused(desk.start(true)).await;
    assert_eq!(refused.code, ErrorCode::Permission, "{refused}");
    assert!(refused.message.contains("request of desk"), "{refused}");
    assert_eq!(refused.action.as_deref(), Some("allow it once: `agentnative permissions allow clerk`"));
    let ask = || Request::PermissionStages { agent: "clerk".to_owned() };
    let wanted = answer!(desk.call(ask()).await, StageAccess);
    assert_eq!(
        (wanted[0].source.as_str(), &wanted[0].tools[..], wanted[0].granted),
        ("desk", &["request".to_owned()][..], false)
    );
    assert_eq!((desk.runs().await, house.asked().len()), (0, 0), "nothing began and nothing was asked");

    let (run, exit, problem) = desk.run().await;
    assert_eq!((exit, house.asked().len()), (Exit::Completed, 1), "{problem:?}");
    assert!(answer!(desk.call(ask()).await, StageAccess)[0].granted);
    let shown = answer!(desk.call(Request::PermissionShow).await, Permissions);
    assert_eq!(shown.grants.len(), 1, "what is granted already is not granted twice");
    assert!(
        shown.grants[0].words.contains("Stages of `clerk` call `request` of `desk`"),
        "{}",
        shown.grants[0].words
    );
    let audit = || Request::AuditList { before: None, limit: 0, session: None };
    let rows = answer!(desk.call(audit()).await, Audit);
    let row = rows.iter().find(|row| row.run == run.0).unwrap();
    assert_eq!(
        (row.decision.as_str(), row.tool.as_str(), row.subject.as_str()),
        ("granted", "request", "POST items")
    );

    // Other stages under the same name are not meant, nor are another agent's, or the same agent's in another workspace.
    desk.agent(uses("desk", true), request("POST", "transfers"), json!({}));
    assert!(!answer!(desk.call(ask()).await, StageAccess)[0].granted);
    let changed = desk.refused(desk.start(true)).await;
    assert!(changed.message.contains("allowed when its stages were others"), "{changed}");
    desk.agent(uses("desk", true), request("POST", "items"), json!({}));
    assert!(answer!(desk.call(ask()).await, StageAccess)[0].granted, "what was allowed is allowed again");
    desk.call(Request::GrantRevoke { ids: vec![shown.grants[0].id.clone()] }).await;
    assert_eq!(desk.refused(desk.start(true)).await.code, ErrorCode::Permission);
}

#[tokio::test]
async fn a_deny_rule_stops_a_stage_s_call_and_a_call_by_hand_and_stands_in_the_audit() {
    let house = ChatServer::new(|_| Some(Reply::json(200, &json!({"n": 1})))).await;
    let desk = desk_over(&house, json!({})).await;
    desk.agent(uses("desk", true), request("GET", "salaries/7"), json!({}));
    let rules = json!({"version": 1, "rules": [
        {"effect": "deny", "tool": "request", "request": {"method": "GET", "path": "/salaries/*"}, "reason": "they are nobody's business"}]});
    std::fs::write(desk.place("home/workspaces/default/permissions.json"), rules.to_string()).unwrap();
    let (run, exit, problem) = desk.run().await;
    let problem = problem.unwrap();
    assert_eq!((exit, problem.code), (Exit::Failed, ErrorCode::Permission), "{problem}");
    assert!(problem.message.contains("nobody's business"), "{problem}");
    let called = desk.called("desk", "request", json!({"method": "GET", "path": "salaries/7"})).await;
    let refused = called.problem.unwrap();
    assert_eq!((called.ok, refused.code), (false, ErrorCode::Permission), "{refused}");
    assert!(desk.called("desk", "request", json!({"method": "GET", "path": "items"})).await.ok);
    assert_eq!(house.asked().len(), 1, "what is denied is never sent");
    let rows = answer!(desk.call(Request::AuditList { before: None, limit: 0, session: None }).await, Audit);
    let denied: Vec<(&str, &str)> = rows
        .iter()
        .filter(|row| row.decision == "denied")
        .map(|row| (row.run.as_str(), row.subject.as_str()))
        .collect();
    assert_eq!(denied, [("", "GET salaries/7"), (run.0.as_str(), "GET salaries/7")]);
}

#[tokio::test]
async fn of_fifty_configured_sources_only_the_one_that_is_declared_is_started() {
    let desk = Desk::new().await;
    let program = desk.server("house");
    for at in 0..50 {
        let slug = format!("server-{at}");
        let config = json!({"slug": slug, "name": slug, "description": "One of many.", "type": "mcp",
            "mcp": {"command": program, "args": [slug]}});
        desk.call(save(config, &[])).await;
    }
    desk.call(trust("server-7")).await;
    desk.agent(uses("server-7", true), json!([{"tool": "server-7/tell", "collect": "told"}]), json!({}));
    let before = desk.starts("house");
    assert_eq!((desk.run().await.1, desk.starts("house") - before), (Exit::Completed, 1));
}

#[tokio::test]
async fn a_source_that_is_removed_in_the_middle_of_a_run_leaves_no_process() {
    let desk = Desk::new().await;
    desk.call(save(shop(&desk.server("house")), &[("key", "canary-7319")])).await;
    desk.call(trust("shop")).await;
    desk.mark("house", "hangs");
    desk.agent(
        uses("shop", true),
        json!([{"tool": "shop/tell", "title": "asks", "collect": "told"}]),
        json!({"limits": {"attempts": 3}}),
    );
    let mut events = desk.local.subscribe();
    let run = desk.begun().await;
    let asks = async {
        loop {
            if matches!(events.recv().await.unwrap().kind, UiKind::Progress { text, .. } if text == "asks") {
                return;
            }
        }
    };
    tokio::time::timeout(PATIENCE, asks).await.unwrap();
    desk.call(Request::SourceRemove { slug: "shop".to_owned() }).await;
    let (exit, problem) = desk.ended(&run).await;
    let problem = problem.unwrap();
    assert_eq!(exit, Exit::Failed, "{problem}");
    assert!(problem.message.contains("shop"), "{problem}");
    let started = std::fs::read_to_string(desk.place("house/started")).unwrap();
    let alive = |pid: &str| {
        std::fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.contains("server.sh"))
    };
    assert_eq!(started.lines().filter(|pid| alive(pid)).count(), 0, "whenever it was started");
    assert!(desk.local.call(desk.start(true)).await.is_err(), "nor is it there for the next run");
}

#[tokio::test]
async fn a_request_that_changes_something_is_asked_about_and_not_repeated_when_its_end_is_unknown() {
    let house = ChatServer::new({
        let first = AtomicBool::new(true);
        move |asked| {
            let broken = asked.path == "/v1/items" && first.swap(false, std::sync::atomic::Ordering::SeqCst);
            Some(Reply::json(if broken { 502 } else { 201 }, &json!({"made": !broken})))
        }
    })
    .await;
    let desk = desk_over(&house, json!({})).await;
    desk.agent(uses("desk", true), request("POST", "items"), json!({}));
    let (run, exit, _) = desk.run().await;
    assert_eq!((exit, house.asked().len()), (Exit::Paused, 1), "not even with --yes");
    let state = desk.state(&run).await;
    assert!(state.pauses[0].markdown.contains("may have been carried out"), "{}", state.pauses[0].markdown);
    let reply = Answer { choice: Some("retry".to_owned()), ..Answer::default() };
    let answer = Request::RunAnswer {
        run: run.clone(),
        pause: None,
        reply: Box::new(reply),
        attend: PausePolicy::default(),
    };
    desk.call(answer).await;
    assert_eq!((desk.ended(&run).await.0, house.asked().len()), (Exit::Completed, 2));
    assert_eq!(desk.output(&run).await["item"], json!({"made": true}));

    // What only reads is simply asked again.
    let house = ChatServer::new({
        let first = AtomicBool::new(true);
        move |asked| {
            let broken = asked.path == "/v1/items" && first.swap(false, std::sync::atomic::Ordering::SeqCst);
            Some(Reply::json(if broken { 502 } else { 200 }, &json!({})))
        }
    })
    .await;
    let desk = desk_over(&house, json!({})).await;
    desk.agent(uses("desk", true), request("GET", "items"), json!({}));
    assert_eq!((desk.run().await.1, house.asked().len()), (Exit::Completed, 2));
}

#[tokio::test]
async fn a_vetoed_step_is_not_called_and_its_stage_fails_with_the_reason() {
    let house = ChatServer::new(|_| Some(Reply::json(200, &json!({"made": true})))).await;
    let desk = desk_over(&house, json!({})).await;
    let command = "case \"$AN_TOOL_INPUT\" in *POST*) echo Nothing is made on Sundays; exit 2;; esac";
    let entry = json!({"id": "guard", "name": "Guard", "matcher": "^desk__request$", "permissionMode": "allow-all",
        "actions": [{"type": "command", "command": command}]});
    let save = AutomationSave { id: None, event: Event::ToolBefore, entry };
    let view = answer!(desk.call(Request::AutomationSave(Box::new(save))).await, Automation);
    let enable = |on: bool| {
        Request::AutomationEnable(AutomationEnable { id: "guard".into(), on, digest: view.digest.clone() })
    };
    desk.agent(uses("desk", true), request("POST", "items"), json!({}));
    assert_eq!((desk.run().await.1, house.asked().len()), (Exit::Completed, 1), "it is not enabled yet");

    desk.call(enable(true)).await;
    let (run, exit, problem) = desk.run().await;
    let problem = problem.unwrap();
    assert_eq!((exit, house.asked().len()), (Exit::Failed, 1), "{problem}");
    assert!(problem.message.contains("Guard") && problem.message.contains("Nothing is made on Sundays"));
    let resume = || Request::RunResume { run: RunRef::Id(run.0.clone()), attend: PausePolicy::default() };
    desk.call(resume()).await;
    assert_eq!((desk.ended(&run).await.0, house.asked().len()), (Exit::Failed, 1), "asked about again");
    desk.call(enable(false)).await;
    desk.call(resume()).await;
    assert_eq!((desk.ended(&run).await.0, house.asked().len()), (Exit::Completed, 2));

    desk.call(enable(true)).await;
    desk.agent(uses("desk", true), request("GET", "items"), json!({}));
    assert_eq!((desk.run().await.1, house.asked().len()), (Exit::Completed, 3));
}

#[tokio::test]
async fn failures_of_tools_are_typed_and_name_their_source() {
    let house = ChatServer::new(|asked| match asked.path.as_str() {
        "/v1/odd" => Some(Reply::json(200, &json!({"total": "many"}))),
        _ => Some(Reply::json(404, &json!({"error": "no such item"}))),
    })
    .await;
    let desk = desk_over(&house, json!({})).await;
    desk.agent(uses("desk", true), request("GET", "items/1"), json!({}));
    let (_, exit, problem) = desk.run().await;
    let problem = problem.unwrap();
    assert_eq!((exit, problem.code), (Exit::Failed, ErrorCode::Source));
    assert!(problem.message.contains("source desk") && problem.message.contains("no such item"), "{problem}");

    desk.agent(uses("desk", true), request("GET", "../../admin"), json!({}));
    let problem = desk.run().await.2.unwrap();
    assert_eq!(problem.code, ErrorCode::Permission);
    assert!(problem.message.contains("its path is not a plain one"), "{problem}");

    let schema = json!({"outputSchema": {"type": "object", "properties": {"item": {"type": "object",
        "properties": {"total": {"type": "integer"}}}}}});
    desk.agent(uses("desk", true), request("GET", "odd"), schema);
    let problem = desk.run().await.2.unwrap();
    assert_eq!(problem.code, ErrorCode::InvalidAnswer);
    assert!(problem.message.contains("/item/total"), "{problem}");

    desk.call(save(shop(&desk.server("house")), &[("key", "canary-7319")])).await;
    desk.call(trust("shop")).await;
    desk.agent(uses("shop", true), json!([{"tool": "shop/tell"}]), json!({}));
    let mark = desk.mark("house", "refuses");
    let problem = desk.run().await.2.unwrap();
    assert!(problem.message.contains("there is no such row") && !problem.retryable, "{problem}");
    std::fs::remove_file(mark).unwrap();
    desk.mark("house", "dies");
    let problem = desk.run().await.2.unwrap();
    assert!(problem.message.contains("shop") && problem.message.contains("no more of this"), "{problem}");

    let notes = desk.place("notes");
    std::fs::create_dir_all(&notes).unwrap();
    std::fs::write(notes.join(".env"), "KEY=canary-7319").unwrap();
    let config = json!({"slug": "notes", "name": "Notes", "description": "My notes.", "type": "local", "local": {"path": notes}});
    desk.call(save(config, &[])).await;
    for (path, words) in
        [(".env", "forbids files like"), ("../house/server.sh", "notes"), ("none.md", "there is no")]
    {
        desk.agent(uses("notes", true), json!([{"tool": "notes/read", "args": {"path": path}}]), json!({}));
        let problem = desk.run().await.2.unwrap();
        assert!(problem.message.contains("notes") && problem.message.contains(words), "{problem}");
        assert!(!problem.message.contains("canary"));
    }
}

#[tokio::test]
async fn an_interface_that_never_answers_ends_with_the_stage_and_with_the_person() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap();
    let (heard, mut asked) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = silent.accept().await {
            let heard = heard.clone();
            tokio::spawn(async move {
                let mut bytes = [0; 4_096];
                let _ = stream.read(&mut bytes).await;
                heard.send("asked").unwrap();
                // Until the other side has gone.
                while stream.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
                heard.send("left").unwrap();
            });
        }
    });
    let desk = Desk::new().await;
    let mut config = interface(&format!("http://{address}/v1"));
    config["api"].as_object_mut().unwrap().remove("testEndpoint");
    desk.call(save(config, &[("apikey", "k")])).await;
    let limits = json!({"limits": {"deadlineSeconds": 1, "attempts": 1}});
    desk.agent(uses("desk", true), request("GET", "x"), limits);
    let (_, exit, problem) = desk.run().await;
    let problem = problem.unwrap();
    assert_eq!((exit, problem.code), (Exit::Failed, ErrorCode::Deadline));
    assert!(problem.message.contains("source desk"), "{problem}");
    assert_eq!((asked.recv().await, asked.recv().await), (Some("asked"), Some("left")));

    desk.agent(uses("desk", true), request("GET", "x"), json!({}));
    let run = desk.begun().await;
    assert_eq!(tokio::time::timeout(PATIENCE, asked.recv()).await.unwrap(), Some("asked"));
    desk.call(Request::RunCancel { run: RunRef::Id(run.0.clone()) }).await;
    assert_eq!(desk.ended(&run).await.0, Exit::Cancelled);
    assert_eq!(tokio::time::timeout(PATIENCE, asked.recv()).await.unwrap(), Some("left"));
}
