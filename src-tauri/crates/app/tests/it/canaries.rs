//! Secrets that are planted everywhere a person may put one, and then looked for everywhere: in every file of the data
//! directory, every answer, every event, every log line, every child's environment and command line.

use domain::RunStatus;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use app::{Hidden, Local, Options, PausePolicy, Request, RunRef, StartRun};
use domain::connection::{Auth, Connection};
use protocol::{
    ConnectionSave, ExportFormat, ForecastQuery, SessionQuery, SignInState, SourceSave, TestVerdict,
    UsageQuery, VaultProtection,
};
use serde_json::json;
use tempfile::TempDir;

use crate::chat_server::{ChatServer, Reply};
use crate::connections::{house, key, saving};
use crate::connections_vault::{come_back, service};
use crate::tools::Hosts;
use crate::world::{AGENT, QUESTION, answer};

/// What is in every canary.
const CANARY: &str = "CANARY";
const VARIABLE: &str = "HOUSE_PLANTED_KEY";
const STORED: &str = "CANARY-stored-0123456789abcdef";
const OF_VARIABLE: &str = "CANARY-variable-0123456789abcdef";
const ACCESS: &str = "CANARY-access-0123456789abcdef";
const RENEWED: &str = "CANARY-renewed-0123456789abcdef";
const REFRESH: &str = "CANARY-refresh-0123456789abcdef";
const CLIENT: &str = "CANARY-client-0123456789abcdef";
const PASSPHRASE: &str = "CANARY-passphrase of four words";
const SOURCE: &str = "CANARY-source-0123456789abcdef";
const MISUSED: &str = "sk-CANARY-misused-0123456789abcdef";

/// What the host adds to the key that it repeats.
const ECHO: &str = "is not a key of this host";

/// All that was answered, told and logged.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<u8>>>);

impl Heard {
    fn note(&self, text: &str) {
        self.0.lock().unwrap().extend_from_slice(text.as_bytes());
    }
}

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Where a canary stands, with what surrounds it.
fn found(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let wide: String = text.chars().filter(|c| *c != '\0').collect();
    [text.into_owned(), wide]
        .iter()
        .flat_map(|text| {
            text.match_indices(CANARY).map(|(at, _)| {
                let (from, to) =
                    (text.floor_char_boundary(at.saturating_sub(120)), (at + 60).min(text.len()));
                text[from..text.floor_char_boundary(to)].to_owned()
            })
        })
        .collect()
}

fn files_below(folder: &Path, see: &mut dyn FnMut(&Path)) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            files_below(&path, see);
        } else if entry.file_type().unwrap().is_file() {
            see(&path);
        }
    }
}

/// The environment is a process' own, so that the look-out is kept in one of its own.
#[test]
fn no_planted_secret_is_found_anywhere() {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "canaries::inside", "--ignored", "--nocapture"])
        .env(VARIABLE, OF_VARIABLE)
        .env("AGENTNATIVE_VAULT", "keyfile")
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    assert!(out.contains("looked at"), "{out}");
    let told = [found(&output.stdout), found(&output.stderr)].concat();
    assert!(told.is_empty(), "{told:?}");
}

async fn told(local: &Local, heard: &Heard, request: Request) -> Option<app::Response> {
    let name = request.command().name;
    let answer = local.call(request.clone()).await;
    heard.note(&format!("\n[{name}] {request:?}\n"));
    match answer {
        Ok(answer) => {
            heard.note(&serde_json::to_string(&answer).unwrap());
            heard.note(&format!("{answer:?}"));
            Some(answer)
        }
        Err(problem) => {
            heard.note(&format!("{problem} {problem:?} {}", serde_json::to_string(&problem).unwrap()));
            None
        }
    }
}

#[tokio::test]
#[ignore = "the test above runs it with a secret in its environment"]
async fn inside() {
    let heard = Heard::default();
    let writer = heard.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();

    // The host tells what it was presented with in everything that goes wrong.
    let host = ChatServer::new(|asked| {
        let presented = asked.header("authorization").unwrap_or_default().to_owned();
        if asked.path == "/token" {
            let access = if asked.body.contains("authorization_code") { ACCESS } else { RENEWED };
            return Some(Reply::json(
                200,
                &json!({"access_token": access, "refresh_token": REFRESH, "token_type": "Bearer", "expires_in": 3600}),
            ));
        }
        let refusal = |status: u16, message: String| {
            Some(Reply::json(status, &json!({"error": {"message": message, "type": "t", "code": "invalid_api_key"}})))
        };
        match asked.path.split('/').nth(1).unwrap_or_default() {
            "refuse" => refusal(401, format!("{presented} {ECHO}")),
            // The key lies where a long message is cut.
            "long" => refusal(400, format!("{}{presented}{}", "x".repeat(1_975), "y".repeat(2_000))),
            "page" => Some(Reply { status: 502, kind: "text/html", more: Vec::new(), body: format!("<p>{presented}</p>") }),
            "away" => Some(Reply {
                status: 307,
                kind: "text/plain",
                more: vec![("Location", format!("https://elsewhere.example/?token={presented}"))],
                body: String::new(),
            }),
            "stream" if !asked.path.ends_with("/models") => Some(Reply {
                status: 200,
                kind: "text/event-stream",
                more: vec![("x-request-id", "req-1".to_owned())],
                body: format!("data: {}\n\n", json!({"error": {"message": format!("lost {presented}"), "code": 500}})),
            }),
            "broken" if !asked.path.ends_with("/models") => Some(Reply {
                status: 200,
                kind: "text/event-stream",
                more: Vec::new(),
                body: format!("data: {{\"choices\": {presented}\n\n"),
            }),
            _ if presented.ends_with(ACCESS) => refusal(401, format!("{presented} has expired")),
            _ => None,
        }
    })
    .await;

    let folder = TempDir::new().unwrap();
    let home = folder.path().to_owned();
    let options = Options {
        home: home.clone(),
        program: env!("CARGO_BIN_EXE_app-guard").into(),
        providers: BTreeMap::new(),
        hosts: Some(Arc::new(Hosts(home.clone()))),
    };
    let local = Local::open(options.clone()).await.unwrap();
    let mut events = local.events();
    let teller = heard.clone();
    let telling = tokio::spawn(async move {
        while let Ok(event) = events.recv().await {
            teller.note(&serde_json::to_string(&event).unwrap());
        }
    });
    let ask = async |request: Request| told(&local, &heard, request).await;
    let save = |save: ConnectionSave| Request::ConnectionSave(Box::new(save));

    // Planted: in the vault, in the environment, from a sign-in, and wherever they do not belong.
    let named = |slug: &str, mode: &str, auth: Auth| {
        let mut connection = Connection { slug: slug.to_owned(), ..house(&host, auth) };
        if !mode.is_empty() {
            connection.base_url = Some(format!("http://{}/{mode}/v1", host.host()));
        }
        connection
    };
    let variable = || Auth::Key { env: Some(VARIABLE.to_owned()) };
    assert!(ask(save(saving(named("house", "", key()), Some(STORED)))).await.is_some());
    assert!(ask(save(saving(named("env", "", variable()), None))).await.is_some());
    assert!(
        ask(save(saving(named("signed", "", Auth::Oauth { service: service(&host) }), None))).await.is_some()
    );
    let put = |name: &str, value: &str| Request::SecretPut {
        name: name.to_owned(),
        value: Hidden(value.to_owned()),
    };
    assert!(ask(put("connection/signed/client-secret", CLIENT)).await.is_some());
    assert!(ask(put("source/web/token", SOURCE)).await.is_some());
    let sign_in = answer!(ask(Request::SignInBegin { slug: "signed".to_owned() }).await.unwrap(), SignIn);
    come_back(&sign_in).await;
    loop {
        let shown = answer!(ask(Request::SignInShow { id: sign_in.id.clone() }).await.unwrap(), SignIn);
        if shown.state != SignInState::Waiting {
            assert_eq!(shown.state, SignInState::Done, "{}", shown.message);
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let misuses: [&dyn Fn(&mut Connection); 6] = [
        &|c| drop(c.headers.insert("Authorization".to_owned(), format!("Bearer {MISUSED}"))),
        &|c| drop(c.headers.insert("X-Team".to_owned(), MISUSED.to_owned())),
        &|c| c.base_url = Some(format!("https://me:{MISUSED}@models.example/v1")),
        &|c| c.proxy = Some(format!("http://me:{MISUSED}@proxy.example:1")),
        &|c| c.auth = Auth::Key { env: Some(MISUSED.to_owned()) },
        &|c| c.default_model = Some(MISUSED.to_owned()),
    ];
    for misuse in misuses {
        let mut connection = named("misused", "", key());
        misuse(&mut connection);
        let request = save(saving(connection, Some(STORED)));
        // The command itself holds what was typed into the wrong field: only its answer is looked at.
        let problem = local.call(request).await.unwrap_err();
        heard.note(&format!("{problem} {problem:?}"));
    }
    let protect = Request::VaultProtect {
        protection: VaultProtection::Passphrase,
        passphrase: Some(Hidden(PASSPHRASE.to_owned())),
    };
    assert!(ask(protect).await.is_some());
    ask(Request::VaultLock).await;
    ask(Request::VaultUnlock { passphrase: Hidden(format!("{PASSPHRASE} wrong")) }).await;
    assert!(ask(Request::VaultUnlock { passphrase: Hidden(PASSPHRASE.to_owned()) }).await.is_some());

    // Used: in runs that end well, and in requests that fail in every way.
    let start = |connection: &str| StartRun {
        agent: AGENT.to_owned(),
        request: QUESTION.to_owned(),
        connection: Some(connection.to_owned()),
        attend: PausePolicy { replies: Vec::new(), unattended: true },
        ..StartRun::default()
    };
    let mut runs = Vec::new();
    for connection in ["house", "env", "signed"] {
        let run = answer!(ask(Request::RunStart(Box::new(start(connection)))).await.unwrap(), Run);
        local.engine().wait(&run).await.unwrap();
        let request =
            Request::RunShow { run: RunRef::Id(run.0.clone()), events_after: Some(0), outputs: true };
        let state = answer!(ask(request).await.unwrap(), RunState);
        assert_eq!(state.status, RunStatus::Completed, "{connection}: {:?}", state.problem);
        runs.push((run, state));
    }
    for mode in ["refuse", "long", "page", "away", "stream", "broken"] {
        for (kind, auth, secret) in [("key", key(), Some(STORED)), ("env", variable(), None)] {
            let slug = format!("{mode}-{kind}");
            assert!(ask(save(saving(named(&slug, mode, auth), secret))).await.is_some());
            let test = Request::ConnectionTest { slug: slug.clone(), model: None };
            let test = answer!(ask(test).await.unwrap(), Tested);
            assert_ne!(test.verdict, TestVerdict::Works, "{mode}");
            ask(Request::ConnectionModels { slug: slug.clone() }).await;
        }
    }
    let run = answer!(ask(Request::RunStart(Box::new(start("refuse-key")))).await.unwrap(), Run);
    local.engine().wait(&run).await.unwrap();
    let request = Request::RunShow { run: RunRef::Id(run.0.clone()), events_after: Some(0), outputs: true };
    let state = answer!(ask(request).await.unwrap(), RunState);
    assert_eq!(state.status, RunStatus::Failed);
    assert!(
        state.problem.as_ref().is_some_and(|problem| problem.message.contains(ECHO)),
        "{:?}",
        state.problem
    );
    runs.push((run, state));

    // Every command that reads.
    for (run, state) in &runs {
        for stage in &state.stages {
            ask(Request::RunStage { run: run.clone(), stage: stage.id.clone() }).await;
        }
        ask(Request::RunDocument { run: RunRef::Id(run.0.clone()) }).await;
        ask(Request::RunExport { run: RunRef::Id(run.0.clone()), unchecked: false }).await;
        ask(Request::SessionShow { session: state.session.clone(), before: None, limit: 0 }).await;
        for format in [ExportFormat::Markdown, ExportFormat::Html, ExportFormat::Jsonl, ExportFormat::Docx] {
            ask(Request::SessionExport {
                session: state.session.clone(),
                run: None,
                format,
                unchecked: false,
                changes_from: None,
            })
            .await;
        }
    }
    let slugs = ["house", "env", "signed", "refuse-key", "long-env", "gone"];
    for slug in slugs {
        ask(Request::ConnectionShow { slug: slug.to_owned() }).await;
    }
    for request in [
        Request::ConnectionList,
        Request::ConnectionPresets,
        Request::VaultShow,
        Request::SessionList(SessionQuery::default()),
        Request::SessionCounts,
        Request::RunList { limit: 100, agent: None, status: None, before: None, turns: true },
        Request::AgentList,
        Request::SourceList,
        Request::BaseList,
        Request::JobList,
        Request::SettingsShow,
        Request::WorkspaceList,
        Request::UsageShow(UsageQuery::default()),
        Request::UsageList { query: UsageQuery::default(), limit: 0 },
        Request::UsageExport(UsageQuery::default()),
        Request::RunForecast(ForecastQuery { agent: AGENT.to_owned(), ..ForecastQuery::default() }),
        Request::Search { text: "key".to_owned(), limit: 100 },
        Request::AppInfo,
        Request::AppCheck,
    ] {
        ask(request).await;
    }

    // A source's processes know nothing of it.
    let children = children_of_a_source(&local).await;
    assert!(children.len() >= 2, "the guard and the server");
    for child in &children {
        assert!(found(child).is_empty(), "{:?}", found(child));
    }

    let local_end = local.clone();
    local_end.close().await.unwrap();
    drop((local, local_end));
    telling.abort();
    let (mut files, mut bytes) = (0_u32, 0_u64);
    let mut hits = Vec::new();
    files_below(&home, &mut |path| {
        let read = std::fs::read(path).unwrap();
        files += 1;
        bytes += read.len() as u64;
        hits.extend(found(&read).into_iter().map(|hit| format!("{}: {hit}", path.display())));
    });
    assert!(hits.is_empty(), "{hits:#?}");
    assert!(home.join("credentials.enc").exists());
    let heard = heard.0.lock().unwrap().clone();
    let hits = found(&heard);
    assert!(hits.is_empty(), "{} times: {:#?}", hits.len(), hits.iter().take(10).collect::<Vec<_>>());
    assert!(String::from_utf8_lossy(&heard).contains(ECHO), "the host did tell what it was sent");
    println!(
        "looked at {files} files of {bytes} bytes and {} bytes of answers, events and logs",
        heard.len()
    );
}

/// Environment and command line of every process that a trial start of a source has begun.
async fn children_of_a_source(local: &Local) -> Vec<Vec<u8>> {
    let mark = format!("86{:06}", std::process::id());
    let config = json!({"slug": "slow", "name": "Slow", "description": "Says nothing.", "type": "mcp",
        "mcp": {"command": "sleep", "args": [mark], "startTimeoutSeconds": 20}});
    // Approved without a trial: it would never answer one.
    let save = SourceSave { config, approved: true, ..SourceSave::default() };
    local.call(Request::SourceSave(Box::new(save))).await.unwrap();
    let trying = local.clone();
    let trial = tokio::spawn(async move {
        trying.call(Request::SourceTest { slug: "slow".to_owned(), approve: None }).await
    });
    let mut seen: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    while seen.len() < 2 && !trial.is_finished() {
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let read = |file: &str| std::fs::read(entry.path().join(file)).unwrap_or_default();
            let command = read("cmdline");
            if command.windows(mark.len()).any(|window| window == mark.as_bytes()) {
                // A process that has just been forked still has its parent's environment and no name of its own.
                let environment = read("environ");
                if String::from_utf8_lossy(&command).contains("sleep") && !environment.is_empty() {
                    seen.insert(pid, [command, b"\n".to_vec(), environment].concat());
                }
            }
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    trial.abort();
    seen.into_values().collect()
}
