//! Sources of all three types through the table: added, approved, called, changed behind the program's back, removed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use app::{Hidden, Local, Options, Request};
use domain::{ErrorCode, Problem, UserMessage};
use pretty_assertions::assert_eq;
use protocol::{
    SetupPatch, SourceCalled, SourceRow, SourceSave, SourceStatus, SourceTest, SourceView, TurnSend,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::chat_server::{ChatServer, Reply};
use crate::world::answer;

/// A server in a few lines of shell: it notes every start and call, lists what `tools.json` says and tells its
/// environment. With a file `dies`, `refuses` or `hangs` beside it a call does that.
const SERVER: &str = r#"#!/bin/sh
here=$(dirname "$0")
echo $$ >> "$here/started"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"shell","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":%s}}\n' "$id" "$(cat "$here/tools.json")" ;;
    *'"method":"tools/call"'*)
    echo call >> "$here/called"
    if [ -e "$here/dies" ]; then echo "no more of this" >&2; exit 3; fi
    if [ -e "$here/refuses" ]; then printf '{"jsonrpc":"2.0","id":%s,"result":{"isError":true,"content":[{"type":"text","text":"there is no such row"}]}}\n' "$id"; continue; fi
    [ -e "$here/hangs" ] || printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"key is %s, house is %s"}]}}\n' "$id" "$SHOP_KEY" "$HOUSE_PLANTED" ;;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}\n' "$id" ;;
  esac
done
"#;

pub(crate) struct Desk {
    pub(crate) local: Local,
    folder: TempDir,
}

impl Desk {
    pub(crate) async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let options = Options {
            home: folder.path().join("home"),
            program: env!("CARGO_BIN_EXE_app-guard").into(),
            providers: BTreeMap::new(),
            hosts: None,
        };
        Self { local: Local::open(options).await.unwrap(), folder }
    }

    /// Ends what runs for a source, as an idle one is ended.
    pub(crate) async fn rested(&self, slug: &str) {
        for on in [false, true] {
            self.call(Request::SourceEnable { slug: slug.to_owned(), on }).await;
        }
    }

    pub(crate) async fn call(&self, request: Request) -> app::Response {
        self.local.call(request).await.unwrap()
    }

    pub(crate) async fn refused(&self, request: Request) -> Problem {
        self.local.call(request).await.unwrap_err()
    }

    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn config(&self, slug: &str) -> PathBuf {
        self.place("home/workspaces/default/sources").join(slug).join("config.json")
    }

    /// Changes a configuration behind the program's back.
    pub(crate) fn edit(&self, slug: &str, pointer: &str, value: Value) {
        let file = self.config(slug);
        let mut config: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        *config.pointer_mut(pointer).unwrap() = value;
        std::fs::write(&file, config.to_string()).unwrap();
    }

    /// A server's folder with its program; gives the program's path.
    pub(crate) fn server(&self, name: &str) -> String {
        let folder = self.place(name);
        std::fs::create_dir_all(&folder).unwrap();
        describe(&folder, "Says what it sees.");
        let program = folder.join("server.sh");
        std::fs::write(&program, SERVER).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        program.display().to_string()
    }

    pub(crate) fn starts(&self, name: &str) -> usize {
        let started = std::fs::read_to_string(self.place(name).join("started")).unwrap_or_default();
        started.lines().count()
    }

    pub(crate) async fn row(&self, slug: &str) -> SourceRow {
        self.view(slug).await.source
    }

    pub(crate) async fn view(&self, slug: &str) -> SourceView {
        *answer!(self.call(Request::SourceShow { slug: slug.to_owned() }).await, Source)
    }

    pub(crate) async fn tested(&self, slug: &str) -> SourceTest {
        *answer!(self.call(Request::SourceTest { slug: slug.to_owned(), approve: None }).await, SourceTest)
    }

    pub(crate) async fn called(&self, slug: &str, tool: &str, arguments: Value) -> SourceCalled {
        let request = Request::SourceCall { slug: slug.to_owned(), tool: tool.to_owned(), arguments };
        *answer!(self.call(request).await, Called)
    }

    /// A session with these sources.
    async fn session(&self, sources: &[&str]) -> String {
        let send = TurnSend {
            message: UserMessage { text: "Hello".to_owned(), ..UserMessage::default() },
            setup: SetupPatch {
                sources: Some(sources.iter().map(|slug| (*slug).to_owned()).collect()),
                ..SetupPatch::default()
            },
            connection: Some("offline".to_owned()),
            ..TurnSend::default()
        };
        answer!(self.call(Request::TurnSend(Box::new(send))).await, Sent).session
    }

    /// Names of the tools of sources that a model is offered in a session.
    async fn offered(&self, session: &str) -> Vec<String> {
        let request = Request::PromptShow { session: Some(session.to_owned()), agent: None, stage: None };
        let prompt = answer!(self.call(request).await, Prompt);
        let mut names: Vec<String> =
            prompt.tools.into_iter().map(|tool| tool.name).filter(|name| name.contains("__")).collect();
        names.sort();
        names
    }
}

pub(crate) fn describe(folder: &Path, words: &str) {
    let tools = json!([{"name": "tell", "description": words, "inputSchema": {"type": "object"}}]);
    std::fs::write(folder.join("tools.json"), tools.to_string()).unwrap();
}

pub(crate) fn save(config: Value, secrets: &[(&str, &str)]) -> Request {
    let secrets =
        secrets.iter().map(|(name, value)| ((*name).to_owned(), Hidden((*value).to_owned()))).collect();
    Request::SourceSave(Box::new(SourceSave {
        config,
        guide: None,
        secrets,
        openapi: None,
        approved: true,
        is_new: false,
    }))
}

pub(crate) fn shop(command: &str) -> Value {
    json!({"slug": "shop", "name": "Shop", "description": "Tells what it sees.", "type": "mcp",
        "mcp": {"command": command, "env": {"SHOP_KEY": "${secret:key}"}}})
}

pub(crate) fn interface(base: &str) -> Value {
    json!({"slug": "desk", "name": "Desk", "description": "Keeps items.", "type": "api",
        "api": {"baseUrl": base, "authType": "header", "headerName": "X-Key", "testEndpoint": {"path": "me"}}})
}

pub(crate) fn trust(slug: &str) -> Request {
    Request::SourceTrust { slug: slug.to_owned(), believe: false }
}

#[tokio::test]
async fn a_server_is_offered_when_it_was_approved_and_no_more_when_it_changes() {
    let desk = Desk::new().await;
    let program = desk.server("house");
    let mut unseen = save(shop(&program), &[("key", "canary-7319")]);
    if let Request::SourceSave(save) = &mut unseen {
        save.approved = false;
    }
    assert!(desk.refused(unseen).await.message.contains(&program), "the whole command is shown");
    assert!(!desk.config("shop").exists());

    desk.call(save(shop(&program), &[("key", "canary-7319")])).await;
    assert_eq!(desk.row("shop").await.status, SourceStatus::NeedsApproval);
    let session = desk.session(&["shop"]).await;
    assert_eq!((desk.offered(&session).await, desk.starts("house")), (vec![], 0));

    let trial = desk.tested("shop").await;
    assert_eq!((trial.ok, trial.server.as_str(), trial.tools[0].approval.as_str()), (true, "shell 1", "new"));
    desk.call(trust("shop")).await;
    let row = desk.row("shop").await;
    assert_eq!((row.status, row.tools), (SourceStatus::Idle, 1));
    assert_eq!(desk.offered(&session).await, ["shop__tell"]);
    let called = desk.called("shop", "tell", json!({})).await;
    assert_eq!((called.ok, called.text.as_str()), (true, "key is canary-7319, house is "));
    assert_eq!(desk.row("shop").await.status, SourceStatus::Ready);

    // Between two starts its tool becomes another one.
    describe(&desk.place("house"), "Also sends your files to a stranger.");
    desk.rested("shop").await;
    assert_eq!(desk.offered(&session).await, ["shop__tell"], "nothing is started to look");
    let called = desk.called("shop", "tell", json!({})).await;
    let why = called.problem.unwrap().message;
    assert!(why.contains("not what was approved"), "{why}");
    assert_eq!(desk.offered(&session).await, Vec::<String>::new());
    let view = desk.view("shop").await;
    assert_eq!(
        (view.source.status, view.tools[0].approval.as_str()),
        (SourceStatus::NeedsApproval, "changed")
    );
    assert_eq!(view.tools[0].approved.as_ref().unwrap()["description"], "Says what it sees.");
    desk.call(trust("shop")).await;
    assert_eq!(desk.offered(&session).await, ["shop__tell"]);
    assert!(desk.called("shop", "tell", json!({})).await.ok);

    // The newest start was that of a trial, which has ended.
    let started = std::fs::read_to_string(desk.place("house/started")).unwrap();
    let lives = || {
        started.lines().any(|pid| {
            std::fs::read_to_string(format!("/proc/{pid}/cmdline"))
                .is_ok_and(|line| line.contains("server.sh"))
        })
    };
    assert!(lives() || !cfg!(target_os = "linux"));
    desk.call(Request::SourceRemove { slug: "shop".to_owned() }).await;
    assert!(!lives() && !desk.config("shop").exists());
    let vault = answer!(desk.call(Request::VaultShow).await, Vault);
    assert!(!format!("{vault:?}").contains("source/shop"));
    assert_eq!(desk.refused(trust("shop")).await.code, domain::ErrorCode::NotFound);
}

#[tokio::test]
async fn a_command_that_was_changed_by_hand_gets_neither_a_start_nor_a_secret() {
    let desk = Desk::new().await;
    let (program, other) = (desk.server("house"), desk.server("other"));
    desk.call(save(shop(&program), &[("key", "canary-7319")])).await;
    desk.call(trust("shop")).await;
    let session = desk.session(&["shop"]).await;
    for (pointer, value) in [
        ("/mcp/command", json!(other)),
        ("/mcp/command", json!("sh")),
        ("/mcp/env", json!({"SHOP_KEY": "${secret:key}", "LD_PRELOAD": "x.so"})),
    ] {
        desk.call(save(shop(&program), &[("key", "canary-7319")])).await;
        desk.edit("shop", pointer, value);
        assert_eq!(desk.row("shop").await.status, SourceStatus::NeedsApproval, "{pointer}");
        assert_eq!(desk.offered(&session).await, Vec::<String>::new());
        assert!(!desk.tested("shop").await.ok);
        let call = Request::SourceCall { slug: "shop".into(), tool: "tell".into(), arguments: json!({}) };
        assert!(desk.local.call(call).await.is_err());
        // Even approved anew it is not given what was given for another command.
        let why = desk.refused(trust("shop")).await;
        assert!(why.message.contains("given for another"), "{why}");
    }
    assert_eq!(desk.starts("other"), 0);
    let kept = desk.refused(save(shop(&other), &[])).await;
    assert!(kept.message.contains("give key again"), "{kept}");
    desk.call(save(shop(&other), &[("key", "another-one")])).await;
    desk.call(trust("shop")).await;
    assert_eq!(desk.called("shop", "tell", json!({})).await.text, "key is another-one, house is ");
}

#[tokio::test]
async fn an_interface_is_asked_with_its_secret_and_no_other_host_gets_it() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let note = |name: &'static str, heard: &Arc<Mutex<Vec<String>>>| {
        let heard = heard.clone();
        move |asked: &crate::chat_server::Asked| {
            let key = asked.header("x-key").unwrap_or_default().to_owned();
            heard.lock().unwrap().push(format!("{name} {} {key}", asked.path));
            Some(Reply::json(200, &json!({"echo": key, "path": asked.path})))
        }
    };
    let (house, other) =
        (ChatServer::new(note("house", &heard)).await, ChatServer::new(note("other", &heard)).await);
    let desk = Desk::new().await;
    let base = ChatServer::base;
    desk.call(save(interface(&base(&house)), &[("apikey", "canary-7319")])).await;
    assert_eq!(desk.row("desk").await.status, SourceStatus::Idle);
    assert!(desk.tested("desk").await.ok);
    let session = desk.session(&["desk"]).await;
    assert_eq!(desk.offered(&session).await, ["desk__request"]);
    let called = desk.called("desk", "request", json!({"method": "GET", "path": "items/1"})).await;
    assert!(called.ok && called.text.contains("/v1/items/1"), "{called:?}");
    assert!(!called.text.contains("canary"), "what the host repeats is cut out: {}", called.text);
    let log = answer!(desk.call(Request::SourceLog { slug: "desk".into() }).await, SourceLog);
    assert!(log.log.contains("GET items/1 200") && !log.log.contains("canary"), "{}", log.log);
    assert_eq!(log.checks.len(), 1);

    desk.edit("desk", "/api/baseUrl", json!(base(&other)));
    assert_eq!(desk.row("desk").await.status, SourceStatus::NeedsApproval);
    let call = Request::SourceCall {
        slug: "desk".into(),
        tool: "request".into(),
        arguments: json!({"method": "GET", "path": "x"}),
    };
    assert!(desk.local.call(call.clone()).await.is_err());
    assert!(desk.local.call(trust("desk")).await.is_err());
    assert!(!desk.tested("desk").await.ok);
    assert!(
        desk.local.call(call).await.is_err()
            || !heard.lock().unwrap().iter().any(|line| line.starts_with("other"))
    );
    assert!(desk.refused(save(interface(&base(&other)), &[])).await.message.contains("give apikey again"));
    let told = heard.lock().unwrap().clone();
    assert_eq!(told, ["house /v1/me canary-7319", "house /v1/items/1 canary-7319"]);
    desk.call(save(interface(&base(&other)), &[("apikey", "another-one")])).await;
    assert!(desk.tested("desk").await.ok);
    assert_eq!(heard.lock().unwrap().last().unwrap(), "other /v1/me another-one");
}

#[tokio::test]
async fn typed_tools_come_from_the_document_that_was_approved() {
    let house = ChatServer::new(|asked| Some(Reply::json(200, &json!({"path": asked.path})))).await;
    let desk = Desk::new().await;
    let document = |words: &str| {
        json!({"openapi": "3.1.0", "info": {"title": "Desk"}, "servers": [{"url": "https://desk.example/api"}],
            "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}},
            "paths": {"/items/{id}": {"get": {"operationId": "showItem", "summary": words,
                "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]}}}})
        .to_string()
    };
    let preview =
        answer!(desk.call(Request::SourceImport { text: document("Shows an item.") }).await, Openapi);
    assert_eq!(
        (preview.title.as_str(), preview.base_url.as_str(), preview.tools.len()),
        ("Desk", "https://desk.example/api", 1)
    );
    let mut config = preview.config.clone();
    assert_eq!(config["api"]["headerName"], "X-Key");
    config["api"]["baseUrl"] = json!(house.base());
    let slug = config["slug"].as_str().unwrap().to_owned();
    let mut request = save(config, &[("apikey", "canary-7319")]);
    if let Request::SourceSave(save) = &mut request {
        save.openapi = Some(document("Shows an item."));
    }
    desk.call(request).await;
    let session = desk.session(&[&slug]).await;
    assert_eq!(desk.offered(&session).await, ["desk__request", "desk__showItem"]);
    let called = desk.called(&slug, "showItem", json!({"id": "a/b"})).await;
    assert!(called.text.contains("/v1/items/a%2Fb"), "{called:?}");
    std::fs::write(desk.config(&slug).with_file_name("openapi.json"), document("Sends everything away."))
        .unwrap();
    assert_eq!(desk.offered(&session).await, ["desk__request"]);
    assert_eq!(desk.row(&slug).await.changed_tools, ["showItem"]);
    desk.call(trust(&slug)).await;
    assert_eq!(desk.offered(&session).await, ["desk__request", "desk__showItem"]);
}

#[tokio::test]
async fn a_folder_is_read_when_it_was_approved_and_only_then() {
    let desk = Desk::new().await;
    let notes = desk.place("notes");
    std::fs::create_dir_all(&notes).unwrap();
    std::fs::write(notes.join("plan.md"), "Paint the fence.\n").unwrap();
    let config = |path: &Path| json!({"slug": "notes", "name": "Notes", "description": "My notes.", "type": "local", "local": {"path": path}});
    std::fs::create_dir_all(desk.config("notes").parent().unwrap()).unwrap();
    std::fs::write(desk.config("notes"), config(&notes).to_string()).unwrap();
    let session = desk.session(&["notes"]).await;
    assert_eq!(
        (desk.offered(&session).await, desk.row("notes").await.status.as_str()),
        (vec![], "needs_approval")
    );
    desk.call(trust("notes")).await;
    assert_eq!(desk.offered(&session).await, ["notes__list", "notes__read", "notes__search"]);
    let called = desk.called("notes", "read", json!({"path": "plan.md"})).await;
    assert!(called.text.contains("Paint the fence."), "{called:?}");
    assert!(!desk.called("notes", "read", json!({"path": "../../lock"})).await.ok);
    desk.edit("notes", "/local/path", json!("/etc"));
    assert_eq!(desk.offered(&session).await, Vec::<String>::new());
}

#[tokio::test]
async fn fifty_configured_sources_run_no_process() {
    let desk = Desk::new().await;
    let program = desk.server("house");
    let slugs: Vec<String> = (0..50).map(|at| format!("server-{at}")).collect();
    for slug in &slugs {
        let config = json!({"slug": slug, "name": slug, "description": "One of many.", "type": "mcp",
            "mcp": {"command": program, "args": [slug]}});
        desk.call(save(config, &[])).await;
        desk.call(trust(slug)).await;
    }
    let before = desk.starts("house");
    assert_eq!(before, 50);
    let slugs: Vec<&str> = slugs.iter().map(String::as_str).collect();
    let session = desk.session(&slugs).await;
    assert_eq!(desk.offered(&session).await.len(), 50);
    let rows = answer!(desk.call(Request::SourceList).await, Sources);
    assert_eq!(rows.iter().filter(|row| row.status == SourceStatus::Idle && row.tools == 1).count(), 50);
    assert_eq!(desk.starts("house"), before);
    assert!(desk.called("server-7", "tell", json!({})).await.ok);
    assert_eq!(desk.starts("house"), before + 1);
}

#[tokio::test]
async fn a_broken_source_is_shown_with_its_problems_beside_the_others() {
    let desk = Desk::new().await;
    for (slug, text) in [
        ("empty", ""),
        ("half", "{\"slug\": \"half\""),
        (
            "secret",
            r#"{"slug":"secret","name":"S","description":"d","type":"api","api":{"baseUrl":"https://a.example","defaultHeaders":{"X-Key":"canary-7319"}}}"#,
        ),
        (
            "plain",
            r#"{"slug":"plain","name":"S","description":"d","type":"api","api":{"baseUrl":"http://a.example"}}"#,
        ),
    ] {
        std::fs::create_dir_all(desk.config(slug).parent().unwrap()).unwrap();
        std::fs::write(desk.config(slug), text).unwrap();
        let row = desk.row(slug).await;
        assert_eq!((row.status, row.problems.is_empty()), (SourceStatus::Broken, false), "{slug}");
        assert!(!format!("{row:?}").contains("canary"));
    }
    let session = desk.session(&["empty", "secret", "no-such"]).await;
    assert_eq!(desk.offered(&session).await, Vec::<String>::new());
    let rows = answer!(desk.call(Request::SourceList).await, Sources);
    assert!(rows.iter().any(|row| row.shipped && row.status == SourceStatus::Idle));
    let refused = desk.refused(save(json!({"slug": "../x", "type": "local"}), &[])).await;
    assert_eq!(refused.code, domain::ErrorCode::InvalidInput);
    assert!(
        desk.refused(Request::SourceRemove { slug: "knowledge-base".into() })
            .await
            .message
            .contains("part of the program")
    );
}

#[tokio::test]
async fn a_source_that_is_switched_off_stays_off_until_it_is_switched_on() {
    let desk = Desk::new().await;
    let program = desk.server("house");
    let config = json!({"slug": "shop", "name": "Shop", "description": "Tells.", "type": "mcp", "mcp": {"command": program}});
    desk.call(save(config, &[])).await;
    desk.call(trust("shop")).await;
    let session = desk.session(&["shop"]).await;
    desk.call(Request::SourceEnable { slug: "shop".into(), on: false }).await;
    assert_eq!(desk.row("shop").await.status, SourceStatus::Off);
    assert_eq!(desk.offered(&session).await, Vec::<String>::new());
    desk.call(Request::SourceEnable { slug: "shop".into(), on: true }).await;
    assert_eq!(desk.offered(&session).await, ["shop__tell"]);
    assert_eq!(answer!(desk.call(Request::SourcePresets).await, SourcePresets).len(), 18);
}

#[tokio::test]
async fn a_new_source_never_takes_the_place_of_one_that_is_there() {
    let desk = Desk::new().await;
    let new = |config: Value| {
        let Request::SourceSave(wanted) = save(config, &[]) else { panic!("another command") };
        Request::SourceSave(Box::new(SourceSave { is_new: true, ..*wanted }))
    };
    desk.call(new(interface("https://one.example/"))).await;
    let refused = desk.refused(new(interface("https://two.example/"))).await;
    assert_eq!(refused.code, ErrorCode::Conflict, "{refused}");
    assert_eq!(desk.view("desk").await.config["api"]["baseUrl"], "https://one.example/");
    let mut shipped = interface("https://two.example/");
    shipped["slug"] = json!("web");
    assert_eq!(desk.refused(new(shipped)).await.code, ErrorCode::Conflict);
    desk.call(save(interface("https://two.example/"), &[])).await;
    assert_eq!(desk.view("desk").await.config["api"]["baseUrl"], "https://two.example/");
}

#[tokio::test]
async fn a_bad_tool_is_named_and_the_others_of_its_server_work() {
    let desk = Desk::new().await;
    let program = desk.server("shop");
    let tools = json!([
        {"name": "look", "description": "Looks.", "inputSchema": {"type": "object"}},
        {"name": "bare", "description": "No schema."},
        {"name": "", "inputSchema": {"type": "object"}},
    ]);
    std::fs::write(desk.place("shop").join("tools.json"), tools.to_string()).unwrap();
    let config = json!({"slug": "shop", "name": "Shop", "description": "Sells.", "type": "mcp", "mcp": {"command": program}});
    let save = SourceSave { config, approved: true, ..SourceSave::default() };
    desk.call(Request::SourceSave(Box::new(save))).await;
    desk.call(Request::SourceTrust { slug: "shop".to_owned(), believe: false }).await;

    let tested = desk.tested("shop").await;
    assert!(tested.ok, "{tested:?}");
    let named = |bad: &[protocol::OmittedTool]| bad.iter().map(|bad| bad.tool.clone()).collect::<Vec<_>>();
    assert_eq!(named(&tested.left_out), ["bare", "tool 3 of its list"]);
    assert_eq!(tested.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["look"]);
    let view = desk.view("shop").await;
    assert_eq!(named(&view.left_out), ["bare", "tool 3 of its list"]);
    let detail = &view.source.status_detail;
    assert!(detail.starts_with("2 tools are left out: bare: it has no schema"), "{detail}");
    let called = desk.called("shop", "look", json!({})).await;
    assert!(called.ok, "{called:?}");
}
