//! The session tools over real MCP connections of both protocol eras, with a host that keeps what it was asked.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use domain::{ErrorCode, Problem};
use mcp_servers::{
    ConfigParams, DiagramChecked, Fault, ModelText, PlanKept, Question, SecretState, SessionFilterParams,
    SessionHost, SessionInfo, SessionLine, SessionList, SessionProgress, SessionToolsOptions, SourceTrial,
    Work, serve_session_tools_on,
};
use pretty_assertions::assert_eq;
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use serde_json::{Value, json};

use super::knowledge_server::{Client, client_on, eras};

/// A workbench with the session `s1`, in which everything works.
#[derive(Default)]
struct Desk(Mutex<Vec<String>>);

impl Desk {
    fn note(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }

    fn noted(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

fn known(session: &str) -> Result<SessionLine, Problem> {
    match session {
        "s1" | "s2" => Ok(SessionLine {
            session: session.into(),
            title: "Look at the parser".into(),
            updated_at: 2,
            runs: 1,
            status: "completed".into(),
            flagged: false,
            archived: false,
            deleted: false,
        }),
        other => Err(Problem::new(ErrorCode::NotFound, format!("there is no session {other}"))
            .with_action("list the sessions")),
    }
}

#[async_trait]
impl SessionHost for Desk {
    async fn check_diagram(&self, text: String) -> Result<DiagramChecked, Problem> {
        // As a window does that is open for arrows alone.
        Ok(DiagramChecked::new(text.contains("->"), text.contains("--->").then(|| "too long".to_owned())))
    }

    async fn sessions(&self, wanted: SessionFilterParams) -> Result<SessionList, Problem> {
        self.note(format!("sessions {:?}", wanted.view));
        Ok(SessionList { sessions: vec![known("s1")?], next: Some(7) })
    }

    async fn session(&self, session: &str) -> Result<SessionInfo, Problem> {
        Ok(SessionInfo {
            line: known(session)?,
            created_at: 1,
            mode: "ask".into(),
            folders: vec!["/home/eva/parser".into()],
            sources: Vec::new(),
            connection: String::new(),
            model: String::new(),
            waiting_messages: 0,
        })
    }

    async fn progress(&self, session: &str) -> Result<SessionProgress, Problem> {
        let work = Work {
            run: "r1".into(),
            kind: "turn".into(),
            agent: String::new(),
            request: "Look at it".into(),
            status: "waiting".into(),
            doing: "Waiting for your permission".into(),
            problem: String::new(),
        };
        Ok(SessionProgress { session: known(session)?.session, work: vec![work] })
    }

    async fn retitle(&self, session: &str, title: String) -> Result<(), Problem> {
        self.note(format!("retitle {} {title}", known(session)?.session));
        Ok(())
    }

    async fn flag(&self, session: &str, flagged: bool) -> Result<(), Problem> {
        self.note(format!("flag {} {flagged}", known(session)?.session));
        Ok(())
    }

    async fn try_source(&self, source: &str) -> Result<SourceTrial, Problem> {
        Ok(SourceTrial {
            ok: false,
            ms: 3,
            server: String::new(),
            tools: Vec::new(),
            problem: format!("{source} does not answer"),
        })
    }

    async fn secrets(&self, source: &str) -> Result<Vec<SecretState>, Problem> {
        Ok(match source {
            "shop" => vec![
                SecretState { name: "SHOP_KEY".into(), present: false },
                SecretState { name: "SHOP_ID".into(), present: true },
            ],
            _ => Vec::new(),
        })
    }

    async fn check(&self, wanted: ConfigParams) -> Result<Vec<Fault>, Problem> {
        Ok(match wanted.text.as_deref() {
            Some("{}") | None => Vec::new(),
            Some(_) => vec![Fault {
                file: "config.json".into(),
                line: Some(1),
                pointer: "/slug".into(),
                message: "expected a slug, found nothing".into(),
            }],
        })
    }

    async fn check_skill(&self, skill: &str, session: Option<&str>) -> Result<Vec<Fault>, Problem> {
        self.note(format!("skill {skill} {session:?}"));
        Ok(Vec::new())
    }

    async fn submit_plan(&self, session: &str, title: String, text: String) -> Result<PlanKept, Problem> {
        self.note(format!("plan {session} {title}: {text}"));
        Ok(PlanKept { session: known(session)?.session, turn: "r2".into(), path: "plans/a.md".into() })
    }

    async fn ask(&self, question: Question) -> Result<ModelText, Problem> {
        self.note(format!("ask {}", question.prompt));
        Ok(ModelText {
            text: "Yes.".into(),
            connection: "mine".into(),
            model: "m".into(),
            tokens: 12,
            cost_usd: 0.25,
            left_usd: 0.75,
            session: "s9".into(),
        })
    }
}

async fn connected(desk: &Arc<Desk>, options: SessionToolsOptions, era: &ProtocolVersion) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(serve_session_tools_on(desk.clone(), options, ours));
    client_on(theirs, era).await
}

/// A client of a server that may ask models and works for no session.
async fn client(desk: &Arc<Desk>) -> Client {
    let options = SessionToolsOptions { session: None, models: true };
    connected(desk, options, &ProtocolVersion::V_2026_07_28).await
}

async fn raw(client: &Client, tool: &'static str, arguments: Value) -> CallToolResult {
    let arguments = arguments.as_object().unwrap().clone();
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await.unwrap()
}

async fn call(client: &Client, tool: &'static str, arguments: Value) -> Value {
    let result = raw(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(false), "{tool}: {result:?}");
    result.structured_content.unwrap()
}

async fn refused(client: &Client, tool: &'static str, arguments: Value) -> String {
    let result = raw(client, tool, arguments).await;
    assert_eq!(result.is_error, Some(true), "{tool}: {result:?}");
    result.content[0].as_text().unwrap().text.clone()
}

/// Every tool with arguments that make sense.
fn calls() -> Vec<(&'static str, Value)> {
    vec![
        ("list_sessions", json!({"view": "inbox", "limit": 5})),
        ("get_session_info", json!({"session": "s1"})),
        ("agent_state", json!({"session": "s1"})),
        ("set_session_title", json!({"session": "s1", "title": " The parser "})),
        ("set_session_flag", json!({"session": "s1", "flagged": true})),
        ("submit_plan", json!({"session": "s1", "title": "Mend it", "text": "1. Look\n2. Mend"})),
        ("source_test", json!({"source": "shop"})),
        ("credential_prompt", json!({"source": "shop"})),
        ("config_validate", json!({"kind": "source", "name": "shop", "text": "[]"})),
        ("skill_validate", json!({"skill": "review"})),
        ("mermaid_validate", json!({"text": "graph TD; A-->B"})),
        ("call_model", json!({"prompt": "Is it so?", "budget_usd": 0.5})),
    ]
}

#[tokio::test]
async fn every_tool_answers_in_the_form_that_it_names_in_both_eras() {
    for era in eras() {
        let desk = Arc::new(Desk::default());
        let client = connected(&desk, SessionToolsOptions { session: None, models: true }, &era).await;
        let tools = client.list_all_tools().await.unwrap();
        let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        let mut called: Vec<&str> = calls().iter().map(|call| call.0).collect();
        names.sort_unstable();
        called.sort_unstable();
        assert_eq!(names, called);
        for (name, arguments) in calls() {
            let value = call(&client, name, arguments).await;
            let tool = tools.iter().find(|tool| tool.name == name).unwrap();
            let schema = Value::Object((**tool.output_schema.as_ref().unwrap()).clone());
            let validator = jsonschema::validator_for(&schema).unwrap();
            let faults: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
            assert_eq!(faults, Vec::<String>::new(), "{name}: {value}");
        }
        client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn what_tools_say_of_themselves_is_true() {
    let tools = client(&Arc::default()).await.list_all_tools().await.unwrap();
    let of = |name: &str| tools.iter().find(|tool| tool.name == name).unwrap().annotations.clone().unwrap();
    for name in ["list_sessions", "get_session_info", "agent_state", "credential_prompt", "config_validate"] {
        assert_eq!((of(name).read_only_hint, of(name).open_world_hint), (Some(true), Some(false)), "{name}");
    }
    assert_eq!(of("set_session_title").destructive_hint, Some(true), "the old title is gone");
    assert_eq!(of("submit_plan").destructive_hint, Some(false));
    assert_eq!(of("submit_plan").idempotent_hint, Some(false));
    for name in ["source_test", "call_model"] {
        assert_eq!((of(name).read_only_hint, of(name).open_world_hint), (Some(false), Some(true)), "{name}");
    }
}

#[tokio::test]
async fn without_leave_there_is_no_tool_that_asks_models() {
    let desk = Arc::new(Desk::default());
    let client = connected(&desk, SessionToolsOptions::default(), &ProtocolVersion::V_2026_07_28).await;
    let tools = client.list_all_tools().await.unwrap();
    assert!(tools.iter().all(|tool| tool.name != "call_model"));
    let arguments = json!({"prompt": "Is it so?"}).as_object().unwrap().clone();
    let call = CallToolRequestParams::new("call_model").with_arguments(arguments);
    assert!(client.call_tool(call).await.is_err());
    assert_eq!(desk.noted(), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_for_one_session_means_that_one_and_changes_no_other() {
    let desk = Arc::new(Desk::default());
    let options = SessionToolsOptions { session: Some("s1".into()), models: false };
    let client = connected(&desk, options, &ProtocolVersion::V_2026_07_28).await;
    assert_eq!(call(&client, "get_session_info", json!({})).await["session"], "s1");
    assert_eq!(call(&client, "agent_state", json!({"session": "s2"})).await["session"], "s2");
    call(&client, "set_session_flag", json!({"flagged": true})).await;
    call(&client, "skill_validate", json!({"skill": "review"})).await;
    for (tool, arguments) in [
        ("set_session_flag", json!({"session": "s2", "flagged": true})),
        ("set_session_title", json!({"session": "s2", "title": "Mine"})),
        ("submit_plan", json!({"session": "s2", "title": "Mine", "text": "1. Take it"})),
    ] {
        let why = refused(&client, tool, arguments).await;
        assert_eq!(why, "this server was started for s1 and changes no other session");
    }
    assert_eq!(desk.noted(), ["flag s1 true", "skill review Some(\"s1\")"]);
}

#[tokio::test]
async fn a_plan_reaches_its_session_as_it_was_written() {
    let desk = Arc::new(Desk::default());
    let client = client(&desk).await;
    let kept =
        call(&client, "submit_plan", json!({"session": "s1", "title": " Mend ", "text": "# a\n\nb"})).await;
    assert_eq!(kept, json!({"session": "s1", "turn": "r2", "path": "plans/a.md"}));
    assert_eq!(desk.noted(), ["plan s1 Mend: # a\n\nb"]);
    for arguments in [
        json!({"session": "s1", "title": "", "text": "x"}),
        json!({"session": "s1", "title": "two\nlines", "text": "x"}),
        json!({"session": "s1", "title": "x", "text": " \n"}),
        json!({"session": "s1", "title": "x", "text": "x".repeat(200_001)}),
        json!({"session": "s1", "title": "x".repeat(201), "text": "x"}),
        json!({"title": "no session", "text": "x"}),
    ] {
        refused(&client, "submit_plan", arguments).await;
    }
    assert_eq!(desk.noted().len(), 1);
}

#[tokio::test]
async fn secrets_are_named_and_never_taken() {
    let client = client(&Arc::default()).await;
    let asked = call(&client, "credential_prompt", json!({"source": "shop"})).await;
    assert_eq!(asked["missing"], json!(["SHOP_KEY"]));
    let say = asked["say"].as_str().unwrap();
    assert!(say.contains("SHOP_KEY") && say.contains("must not be written into the conversation"), "{say}");
    let none = call(&client, "credential_prompt", json!({"source": "other"})).await;
    assert_eq!(none["say"], "other needs no secret");
    let offered = json!({"source": "shop", "value": "sk-0123456789"});
    let why = refused(&client, "credential_prompt", offered).await;
    assert!(why.contains("unknown field") && !why.contains("sk-0123456789"), "{why}");
}

#[tokio::test]
async fn what_works_elsewhere_only_says_where() {
    let client = client(&Arc::default()).await;
    let drawn = call(&client, "mermaid_validate", json!({"text": "graph TD; A-->B"})).await;
    assert_eq!(drawn, json!({"checked": true, "valid": true, "say": "it can be drawn"}));
    let bent = call(&client, "mermaid_validate", json!({"text": "graph TD; A--->B"})).await;
    assert_eq!(bent, json!({"checked": true, "valid": false, "say": "too long"}));
    let unseen = call(&client, "mermaid_validate", json!({"text": "graph TD; A"})).await;
    assert_eq!((&unseen["checked"], unseen.get("valid")), (&json!(false), None));
    assert!(unseen["say"].as_str().unwrap().starts_with("unavailable: "), "{unseen}");
}

#[tokio::test]
async fn faults_are_tool_errors_that_say_what_to_do() {
    let desk = Arc::new(Desk::default());
    let client = client(&desk).await;
    let why = refused(&client, "get_session_info", json!({"session": "../../etc"})).await;
    assert_eq!(why, "there is no session ../../etc\nWhat can be done: list the sessions");
    let why = refused(&client, "agent_state", json!({})).await;
    assert!(why.contains("list_sessions lists them"), "{why}");
    for (tool, arguments) in [
        ("get_session_info", json!({"session": "s".repeat(201)})),
        ("get_session_info", json!({"session": 7})),
        ("get_session_info", json!({"session": "s1", "also": 1})),
        ("list_sessions", json!({"limit": -1})),
        ("list_sessions", json!({"limit": "many"})),
        ("set_session_title", json!({"session": "s1"})),
        ("set_session_title", json!({"session": "s1", "title": "\u{7}"})),
        ("set_session_flag", json!({"session": "s1", "flagged": "perhaps"})),
        ("config_validate", json!({"kind": "everything"})),
        ("config_validate", json!({"kind": "source", "name": "shop", "text": "x".repeat((1 << 20) + 1)})),
        ("source_test", json!({})),
        ("skill_validate", json!({"skill": "x".repeat(201)})),
        ("mermaid_validate", json!({"text": ""})),
        ("call_model", json!({"prompt": "  "})),
        ("call_model", json!({"prompt": "x", "budget_usd": 0})),
        ("call_model", json!({"prompt": "x", "budget_usd": -1})),
        ("call_model", json!({"prompt": "x".repeat(200_001)})),
    ] {
        let why = refused(&client, tool, arguments).await;
        assert!(!why.is_empty() && why.len() < 1_000, "{tool}: {why}");
    }
    assert_eq!(desk.noted(), Vec::<String>::new());
    assert!(client.call_tool(CallToolRequestParams::new("delete_everything")).await.is_err());
}

#[tokio::test]
async fn an_answer_of_a_model_comes_with_what_it_cost_and_what_is_left() {
    let desk = Arc::new(Desk::default());
    let said = call(&client(&desk).await, "call_model", json!({"prompt": "Is it so?"})).await;
    assert_eq!(
        (&said["text"], &said["cost_usd"], &said["left_usd"]),
        (&json!("Yes."), &json!(0.25), &json!(0.75))
    );
    assert_eq!(desk.noted(), ["ask Is it so?"]);
}
