//! Connections as surfaces use them, over hosts on this machine.

use std::os::unix::fs::PermissionsExt as _;

use app::{PausePolicy, Request, RunState, StartRun};
use domain::connection::{Auth, Connection, ModelOverride, PriceOverride, ProviderKind};
use domain::{ErrorCode, Problem, RunId, RunStatus};
use pretty_assertions::assert_eq;
use protocol::{
    ConnectionRow, ConnectionSave, ConnectionTest, ConnectionView, CredentialState, ModelPatch, SessionPatch,
    SettingsPatch, TestVerdict, VaultStatus,
};
use serde_json::json;

use crate::chat_server::{ChatServer, Reply};
use crate::world::{AGENT, QUESTION, World, answer};

pub const KEY: &str = "house-key-0123456789";

/// A connection to a host on this machine, with one model that takes a schema.
pub fn house(server: &ChatServer, auth: Auth) -> Connection {
    Connection {
        base_url: Some(server.base()),
        auth,
        default_model: Some("house".to_owned()),
        models: vec![ModelOverride {
            id: "house".to_owned(),
            context_window: Some(400_000),
            max_output: Some(32_000),
            structured: Some(true),
            price: Some(PriceOverride { input: 1.0, output: 2.0, cache_read: None, cache_write: None }),
            ..ModelOverride::default()
        }],
        ..Connection::new("house", ProviderKind::OpenaiChat)
    }
}

pub fn key() -> Auth {
    Auth::Key { env: None }
}

pub fn saving(connection: Connection, secret: Option<&str>) -> ConnectionSave {
    ConnectionSave {
        connection,
        secret: secret.map(str::to_owned),
        was: None,
        replace: false,
        private: false,
    }
}

fn changing(connection: Connection, secret: Option<&str>) -> ConnectionSave {
    ConnectionSave { replace: true, ..saving(connection, secret) }
}

impl World {
    pub async fn save(&self, save: ConnectionSave) -> ConnectionView {
        *answer!(self.call(Request::ConnectionSave(Box::new(save))).await, Connection)
    }

    pub async fn not_saved(&self, save: ConnectionSave) -> Problem {
        self.refused(Request::ConnectionSave(Box::new(save))).await
    }

    pub async fn rows(&self) -> Vec<ConnectionRow> {
        answer!(self.call(Request::ConnectionList).await, Connections)
    }

    pub async fn one(&self, slug: &str) -> ConnectionRow {
        self.rows().await.into_iter().find(|row| row.slug == slug).unwrap()
    }

    pub async fn test(&self, slug: &str) -> ConnectionTest {
        let request = Request::ConnectionTest { slug: slug.to_owned(), model: None };
        *answer!(self.call(request).await, Tested)
    }

    pub async fn vault(&self) -> VaultStatus {
        answer!(self.call(Request::VaultShow).await, Vault)
    }

    pub async fn ask(&self, start: StartRun) -> RunId {
        let start = StartRun {
            agent: AGENT.to_owned(),
            request: QUESTION.to_owned(),
            attend: PausePolicy { replies: Vec::new(), unattended: true },
            ..start
        };
        let run = answer!(self.call(Request::RunStart(Box::new(start))).await, Run);
        self.local.engine().wait(&run).await.unwrap();
        run
    }

    pub async fn run_over(&self, connection: &str) -> RunState {
        let run = self.ask(StartRun { connection: Some(connection.to_owned()), ..StartRun::default() }).await;
        self.state(&run).await
    }

    fn file(&self) -> std::path::PathBuf {
        self.home().join("connections.json")
    }
}

#[tokio::test]
async fn a_connection_is_saved_listed_and_a_run_goes_over_it() {
    let server = ChatServer::good().await;
    let world = World::new().await;
    let view = world.save(saving(house(&server, key()), Some(KEY))).await;
    assert_eq!(view.row.credential, CredentialState::Stored);
    assert_eq!(view.config.unwrap().slug, "house");
    let rows = world.rows().await;
    let slugs: Vec<&str> = rows.iter().map(|row| row.slug.as_str()).collect();
    assert_eq!(slugs, ["offline", "house"]);
    assert_eq!(rows[1].default_model.as_deref(), Some("house"));
    assert_eq!(rows[1].problem, None);
    let state = world.run_over("house").await;
    assert_eq!(state.status, RunStatus::Completed, "{state:?}");
    let asked = server.asked();
    assert!(asked.len() >= 2);
    for asked in &asked {
        assert_eq!(asked.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
        assert!(!asked.body.contains(KEY));
    }
    assert_eq!(asked[0].json()["model"], "house");
    let file = std::fs::read_to_string(world.file()).unwrap();
    assert!(!file.contains(KEY));
    assert_eq!(world.file().metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[tokio::test]
async fn a_stored_key_goes_to_no_other_host_than_it_was_given_for() {
    let (server, other) = (ChatServer::good().await, ChatServer::good().await);
    let world = World::new().await;
    world.save(saving(house(&server, key()), Some(KEY))).await;
    let problem = world.not_saved(changing(house(&other, key()), None)).await;
    assert_eq!(problem.code, ErrorCode::InvalidInput);
    assert!(problem.message.contains(&server.host()) && problem.message.contains(&other.host()), "{problem}");
    // A path of the same host is fine.
    let mut below = house(&server, key());
    below.base_url = Some(format!("{}/team/v1", server.base()));
    assert_eq!(world.save(changing(below, None)).await.row.credential, CredentialState::Stored);

    let text = std::fs::read_to_string(world.file()).unwrap();
    std::fs::write(world.file(), text.replace(&server.host(), &other.host())).unwrap();
    let row = world.one("house").await;
    assert_eq!(row.credential, CredentialState::Missing);
    assert!(row.problem.unwrap().message.contains("not sent there"));
    let test = world.test("house").await;
    assert_eq!(test.verdict, TestVerdict::KeyMissing);
    let state = world.run_over("house").await;
    assert_eq!(state.status, RunStatus::Failed);
    assert!(other.asked().iter().all(|asked| asked.header("authorization").is_none()));
    assert_eq!(other.asked().len(), 0);

    std::fs::write(world.file(), text).unwrap();
    assert_eq!(world.one("house").await.credential, CredentialState::Stored);
    let view = world.save(changing(house(&other, key()), Some("another-key"))).await;
    assert_eq!(view.row.credential, CredentialState::Stored);
    assert_eq!(world.test("house").await.verdict, TestVerdict::Works);
    assert_eq!(other.asked()[0].header("authorization"), Some("Bearer another-key"));
}

#[tokio::test]
async fn what_a_person_edits_counts_at_once_and_a_slip_costs_nothing_else() {
    let server = ChatServer::good().await;
    let world = World::new().await;
    world.save(saving(house(&server, key()), Some(KEY))).await;
    let good = std::fs::read_to_string(world.file()).unwrap();
    let with = |entry: &str| good.replacen("\"connections\": [", &format!("\"connections\": [{entry},"), 1);

    std::fs::write(world.file(), with(r#"{"slug": "local", "provider": "ollama"}"#)).unwrap();
    let rows = world.rows().await;
    assert_eq!(rows.iter().map(|row| row.slug.as_str()).collect::<Vec<_>>(), ["offline", "local", "house"]);
    assert_eq!(rows[1].credential, CredentialState::NotNeeded);

    std::fs::write(world.file(), with(r#"{"slug": "local", "provider": "olama"}"#)).unwrap();
    let rows = world.rows().await;
    // It stays in use as it last was, and is told of.
    assert_eq!(rows[1].problem, None);
    let problem = rows[1].outdated.clone().unwrap();
    assert!(
        problem.message.contains("connections.json") && problem.message.contains("did you mean `ollama`"),
        "{problem}"
    );
    assert_eq!((rows[2].problem.clone(), rows[2].credential), (None, CredentialState::Stored));
    let tested = Request::ConnectionTest { slug: "local".to_owned(), model: None };
    let tested = answer!(world.call(tested).await, Tested);
    assert!(tested.message.contains("its last valid version is in use"), "{}", tested.message);
    // What is wrong stays as the person wrote it when another connection changes.
    let mut renamed = house(&server, key());
    renamed.name = "The house".to_owned();
    world.save(changing(renamed, None)).await;
    assert!(std::fs::read_to_string(world.file()).unwrap().contains("olama"));
    world.call(Request::ConnectionRemove { slug: "local".to_owned() }).await;
    assert!(!std::fs::read_to_string(world.file()).unwrap().contains("olama"));

    std::fs::write(world.file(), "{ \"version\": 1,\n oops").unwrap();
    assert_eq!(world.one("house").await.name, "The house");
    let world = world.reopened().await;
    assert_eq!(world.one("house").await.name, "The house");
    let checks = answer!(world.call(Request::AppCheck).await, Checks);
    let told = checks.iter().find(|check| check.name == "connections").unwrap();
    assert!(told.message.contains("connections.json:2"), "{}", told.message);
    world.save(saving(Connection::new("local", ProviderKind::Ollama), None)).await;
    assert_eq!(world.rows().await.len(), 3);
    let broken = std::fs::read_to_string(world.home().join("connections.broken.json")).unwrap();
    assert!(broken.contains("oops"));
    assert!(
        answer!(world.call(Request::AppCheck).await, Checks).iter().all(|check| check.name != "connections")
    );
}

#[tokio::test]
async fn what_can_not_be_meant_is_not_saved() {
    let server = ChatServer::good().await;
    let world = World::new().await;
    let of = |change: &dyn Fn(&mut Connection)| {
        let mut connection = house(&server, key());
        change(&mut connection);
        connection
    };
    let env = |name: &str| Auth::Key { env: Some(name.to_owned()) };
    for (connection, secret) in [
        (of(&|c| c.slug = "offline".to_owned()), Some(KEY)),
        (of(&|c| c.slug = "A b".to_owned()), Some(KEY)),
        (of(&|c| c.slug = "../x".to_owned()), Some(KEY)),
        (of(&|c| c.provider = ProviderKind::Offline), Some(KEY)),
        (of(&|c| c.base_url = Some("nowhere".to_owned())), Some(KEY)),
        (of(&|c| c.base_url = Some("http://models.example.com/v1".to_owned())), Some(KEY)),
        (of(&|c| c.ca_file = Some("/no/such/file.pem".to_owned())), Some(KEY)),
        (of(&|c| c.auth = Auth::None), Some(KEY)),
        (of(&|c| c.auth = env("HOUSE_KEY")), Some(KEY)),
        (of(&|c| c.auth = env("not a name")), None),
        (of(&|_| ()), Some("a key with blanks")),
        (of(&|_| ()), Some("a-key\nof-two-lines")),
        (of(&|_| ()), Some("schlüssel")),
        (of(&|c| drop(c.headers.insert("Authorization".to_owned(), "Bearer x".to_owned()))), Some(KEY)),
    ] {
        let problem = world.not_saved(saving(connection.clone(), secret)).await;
        assert_eq!(problem.code, ErrorCode::InvalidInput, "{connection:?}: {problem}");
    }
    assert!(!world.file().exists());
    assert!(!world.vault().await.exists);

    // What surrounds a pasted key is not part of it.
    world.save(saving(house(&server, key()), Some(&format!("  {KEY}\r\n")))).await;
    world.test("house").await;
    assert_eq!(server.asked()[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let problem = world.not_saved(saving(house(&server, key()), None)).await;
    assert_eq!(problem.code, ErrorCode::Conflict);
    let gone = ConnectionSave { was: Some("gone".to_owned()), ..saving(house(&server, key()), None) };
    assert_eq!(world.not_saved(gone).await.code, ErrorCode::NotFound);
    let problem = world.refused(Request::ConnectionRemove { slug: "offline".to_owned() }).await;
    assert_eq!(problem.code, ErrorCode::InvalidInput);
    let problem = world.refused(Request::ConnectionShow { slug: "gone".to_owned() }).await;
    assert_eq!(problem.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_new_name_takes_everything_along_and_a_removed_connection_leaves_nothing() {
    let server = ChatServer::good().await;
    let world = World::new().await;
    world.save(saving(house(&server, key()), Some(KEY))).await;
    assert_eq!(world.test("house").await.verdict, TestVerdict::Works);
    let default = |slug: &str| {
        let patch = SettingsPatch { default_connection: Some(slug.to_owned()), ..SettingsPatch::default() };
        Request::SettingsUpdate(patch)
    };
    world.call(default("house")).await;
    let mut villa = house(&server, key());
    villa.slug = "villa".to_owned();
    let renamed = ConnectionSave { was: Some("house".to_owned()), ..saving(villa, None) };
    let view = world.save(renamed).await;
    assert_eq!((view.row.credential, view.row.default), (CredentialState::Stored, true));
    assert_eq!(view.models.len(), 2, "the list came along");
    assert_eq!(answer!(world.call(Request::SettingsShow).await, Settings).default_connection, "villa");
    let names: Vec<String> = world.vault().await.entries.into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["connection/villa/key"]);
    assert_eq!(world.test("villa").await.verdict, TestVerdict::Works);
    assert_eq!(
        world.refused(Request::ConnectionShow { slug: "house".to_owned() }).await.code,
        ErrorCode::NotFound
    );

    world.call(Request::ConnectionRemove { slug: "villa".to_owned() }).await;
    assert_eq!(world.rows().await.len(), 1);
    assert_eq!(world.vault().await.entries, []);
    assert_eq!(answer!(world.call(Request::SettingsShow).await, Settings).default_connection, "");
    assert!(!world.home().join("cache/models/villa.json").exists());
    let again = Request::ConnectionRemove { slug: "villa".to_owned() };
    assert_eq!(world.refused(again).await.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_test_says_in_words_what_is_wrong() {
    let error = |status: u16, code: &str, message: &str| {
        Reply::json(
            status,
            &json!({"error": {"message": message, "type": code, "code": code, "param": null}}),
        )
    };
    let server = ChatServer::new(move |asked| {
        if asked.path.ends_with("/models") {
            return Some(Reply::models(&["house"]));
        }
        Some(match asked.path.split('/').nth(1).unwrap_or_default() {
            "key" => error(401, "invalid_api_key", "Incorrect API key provided"),
            "allowed" => error(403, "permission_denied", "You may not use this model"),
            "model" => error(404, "model_not_found", "The model `house` does not exist"),
            "credit" => error(429, "insufficient_quota", "You exceeded your current quota"),
            "busy" => error(429, "rate_limit_exceeded", "Slow down"),
            "down" => error(503, "overloaded", "The server is overloaded"),
            "page" => Reply {
                status: 200,
                kind: "text/html",
                more: Vec::new(),
                body: "<html>Sign in to the network</html>".to_owned(),
            },
            "away" => Reply {
                status: 302,
                kind: "text/plain",
                more: vec![("Location", "https://elsewhere.example/".to_owned())],
                body: String::new(),
            },
            "bad" => error(400, "invalid_request_error", "messages: wrong"),
            _ => return None,
        })
    })
    .await;
    let world = World::new().await;
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for (mode, verdict) in [
        ("fine", TestVerdict::Works),
        ("key", TestVerdict::KeyWrong),
        ("allowed", TestVerdict::NotAllowed),
        ("model", TestVerdict::ModelUnknown),
        ("credit", TestVerdict::NoCredit),
        ("busy", TestVerdict::Busy),
        ("down", TestVerdict::Busy),
        ("page", TestVerdict::WrongProtocol),
        ("away", TestVerdict::WrongProtocol),
        ("bad", TestVerdict::Refused),
        ("nobody", TestVerdict::Unreachable),
    ] {
        let mut connection = house(&server, key());
        let base =
            if mode == "nobody" { format!("http://{silent}") } else { format!("http://{}", server.host()) };
        connection.base_url = Some(format!("{base}/{mode}/v1"));
        let test = *answer!(
            world.call(Request::ConnectionTry(Box::new(saving(connection.clone(), Some(KEY))))).await,
            Tested
        );
        assert_eq!(test.verdict, verdict, "{mode}: {test:?}");
        assert!(test.message.ends_with('.') && !test.message.contains(KEY), "{test:?}");
        if verdict == TestVerdict::Works {
            assert_eq!((test.usage.input, test.usage.output, test.models), (12, 3, 1));
            assert!(test.message.contains("12 input and 3 output tokens: < $0.0001"), "{}", test.message);
        } else {
            let host = if mode == "nobody" { silent.to_string() } else { server.host() };
            assert!(test.message.contains(&host), "{}", test.message);
            assert!(!test.action.is_empty(), "{test:?}");
        }
        world.save(ConnectionSave { replace: true, ..saving(connection, Some(KEY)) }).await;
        assert_eq!(world.test("house").await.verdict, verdict);
        assert_eq!(world.one("house").await.tested.unwrap().verdict, verdict);
    }
    let asked = server.asked();
    let body = asked.iter().find(|asked| !asked.body.is_empty()).unwrap().json();
    let most = body["max_completion_tokens"].as_u64().or(body["max_tokens"].as_u64());
    assert!(most.is_some_and(|most| most <= 64), "{body}");
    assert!(body.get("tools").is_none());

    let before = asked.len();
    world
        .save(changing(house(&server, Auth::Key { env: Some("NO_SUCH_VARIABLE_SET".to_owned()) }), None))
        .await;
    let test = world.test("house").await;
    assert_eq!(test.verdict, TestVerdict::KeyMissing);
    assert!(test.message.contains("NO_SUCH_VARIABLE_SET"), "{}", test.message);
    let tried = Request::ConnectionTry(Box::new(saving(house(&server, key()), None)));
    assert_eq!(answer!(world.call(tried).await, Tested).verdict, TestVerdict::KeyMissing);
    assert_eq!(server.asked().len(), before, "nothing is sent without a key");
    assert_eq!(world.test("offline").await.verdict, TestVerdict::Works);
}

#[tokio::test]
async fn trying_keeps_nothing() {
    let server = ChatServer::good().await;
    let world = World::new().await;
    let tried = Request::ConnectionTry(Box::new(saving(house(&server, key()), Some(KEY))));
    assert_eq!(answer!(world.call(tried).await, Tested).verdict, TestVerdict::Works);
    assert_eq!(world.rows().await.len(), 1);
    assert!(!world.vault().await.exists);
    assert!(!world.home().join("cache").join("models").exists());
    // A form without the key tries with the stored one, under the name that it had.
    world.save(saving(house(&server, key()), Some(KEY))).await;
    let mut renamed = house(&server, key());
    renamed.slug = "villa".to_owned();
    let tried = ConnectionSave { was: Some("house".to_owned()), ..saving(renamed, None) };
    let tried = Request::ConnectionTry(Box::new(tried));
    assert_eq!(answer!(world.call(tried).await, Tested).verdict, TestVerdict::Works);
}

#[tokio::test]
async fn models_are_listed_kept_and_what_a_person_says_of_them_counts_first() {
    let server = ChatServer::good().await;
    let world = World::new().await;
    let view = world.save(saving(house(&server, key()), Some(KEY))).await;
    assert_eq!((view.models.len(), view.listed_at), (1, None));
    let list = Request::ConnectionModels { slug: "house".to_owned() };
    let view = answer!(world.call(list).await, Connection);
    assert!(view.listed_at.is_some());
    let from = |view: &ConnectionView| -> Vec<(String, String)> {
        view.models.iter().map(|model| (model.id.clone(), model.known_from.clone())).collect()
    };
    let own = |id: &str, from: &str| (id.to_owned(), from.to_owned());
    assert_eq!(from(&view), [own("house", "person"), own("house-small", "provider")]);
    let world = world.reopened().await;
    let show = Request::ConnectionShow { slug: "house".to_owned() };
    let view = answer!(world.call(show).await, Connection);
    assert_eq!(view.models.len(), 2);

    let said = ModelOverride {
        id: "house-small".to_owned(),
        context_window: Some(9_999),
        ..ModelOverride::default()
    };
    let update =
        |model: ModelOverride| Request::ModelUpdate(ModelPatch { connection: "house".to_owned(), model });
    let view = answer!(world.call(update(said)).await, Connection);
    assert_eq!((view.models[1].context_window, view.models[1].known_from.as_str()), (9_999, "person"));
    let forgotten = ModelOverride { id: "house-small".to_owned(), ..ModelOverride::default() };
    let view = answer!(world.call(update(forgotten)).await, Connection);
    assert_ne!(view.models[1].context_window, 9_999);
    assert_eq!(view.models[1].known_from, "provider");
    let wrong = ModelOverride { id: "x".to_owned(), max_output: Some(0), ..ModelOverride::default() };
    assert_eq!(world.refused(update(wrong)).await.code, ErrorCode::InvalidInput);
    let problem = world
        .refused(Request::ModelUpdate(ModelPatch {
            connection: "offline".to_owned(),
            model: ModelOverride::default(),
        }))
        .await;
    assert_eq!(problem.code, ErrorCode::InvalidInput);
}

#[tokio::test]
async fn a_run_takes_what_was_asked_for_then_the_sessions_then_the_default() {
    let server = ChatServer::good().await;
    let world = World::new().await;
    for slug in ["one", "two", "three"] {
        let connection = Connection { slug: slug.to_owned(), ..house(&server, key()) };
        world.save(saving(connection, Some(KEY))).await;
    }
    let taken = async |session: Option<&str>, asked: Option<&str>| {
        let start = StartRun {
            session: session.map(str::to_owned),
            connection: asked.map(str::to_owned),
            ..StartRun::default()
        };
        let run = world.ask(start).await;
        let state = world.state(&run).await;
        (state.session, state.connection, state.model)
    };
    let (session, connection, _) = taken(None, None).await;
    assert_eq!(connection, "offline");
    let patch = SettingsPatch { default_connection: Some("one".to_owned()), ..SettingsPatch::default() };
    world.call(Request::SettingsUpdate(patch)).await;
    let (_, connection, model) = taken(None, None).await;
    assert_eq!((connection.as_str(), model.as_str()), ("one", "house"));
    // A session stays with what it began with, until the person switches.
    assert_eq!(taken(Some(&session), None).await.1, "offline");
    let two = SessionPatch { connection: Some("two".to_owned()), ..SessionPatch::default() };
    world.patch(&session, two).await;
    assert_eq!(taken(Some(&session), None).await.1, "two");
    assert_eq!(taken(Some(&session), Some("three")).await.1, "three");
    let row = world.session(&session).await.session;
    assert!(!row.connection_gone);
    world.call(Request::ConnectionRemove { slug: row.connection.clone() }).await;
    let row = world.session(&session).await.session;
    assert!(row.connection_gone);
    assert_eq!(taken(Some(&session), None).await.1, "one");
    let unknown = SessionPatch { connection: Some("gone".to_owned()), ..SessionPatch::default() };
    let unknown = Request::SessionUpdate { sessions: vec![session], patch: unknown };
    assert_eq!(world.refused(unknown).await.code, ErrorCode::NotFound);
    let start = StartRun {
        agent: AGENT.to_owned(),
        request: QUESTION.to_owned(),
        connection: Some("gone".to_owned()),
        ..StartRun::default()
    };
    let problem = world.refused(Request::RunStart(Box::new(start))).await;
    assert_eq!(problem.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn forms_for_new_connections_are_there() {
    let world = World::new().await;
    let presets = answer!(world.call(Request::ConnectionPresets).await, Presets);
    assert!(presets.len() >= 12);
    assert!(presets.iter().any(|preset| preset.preset == "ollama" && !preset.asks_key));
}
