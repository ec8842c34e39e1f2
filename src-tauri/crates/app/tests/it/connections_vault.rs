//! The vault and signing in, as surfaces use them.

use app::{Hidden, Request};
use domain::connection::{Auth, Connection, OauthService, ProviderKind};
use domain::{ErrorCode, RunStatus};
use pretty_assertions::assert_eq;
use protocol::{CheckState, CredentialState, SignIn, SignInState, TestVerdict, VaultProtection};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::chat_server::{Asked, ChatServer, Reply};
use crate::connections::{KEY, house, key, saving};
use crate::world::{World, answer};

const PASSPHRASE: &str = "four words that nobody knows";

fn hidden(text: &str) -> Hidden {
    Hidden(text.to_owned())
}

#[tokio::test]
async fn a_locked_vault_is_told_of_and_opened_with_its_passphrase() {
    let server = ChatServer::good().await;
    let world = World::new().await;
    assert!(!world.vault().await.exists);
    world.save(saving(house(&server, key()), Some(KEY))).await;
    let vault = world.vault().await;
    assert!(vault.exists && !vault.locked);
    assert_eq!(
        vault.entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(),
        ["connection/house/key"]
    );
    assert_eq!(vault.entries[0].used_by, "house");

    let protect = |protection, passphrase: Option<&str>| Request::VaultProtect {
        protection,
        passphrase: passphrase.map(hidden),
    };
    for (protection, passphrase) in [
        (VaultProtection::Passphrase, None),
        (VaultProtection::Passphrase, Some("short")),
        (VaultProtection::KeyFile, Some(PASSPHRASE)),
    ] {
        assert_eq!(world.refused(protect(protection, passphrase)).await.code, ErrorCode::InvalidInput);
    }
    let vault = answer!(world.call(protect(VaultProtection::Passphrase, Some(PASSPHRASE))).await, Vault);
    assert_eq!((vault.protection, vault.locked), (VaultProtection::Passphrase, false));
    assert_eq!(world.test("house").await.verdict, TestVerdict::Works);

    let world = world.reopened().await;
    let vault = world.vault().await;
    assert!(vault.locked && vault.entries.is_empty());
    assert_eq!(world.one("house").await.credential, CredentialState::Locked);
    let asked = server.asked().len();
    let test = world.test("house").await;
    assert_eq!(test.verdict, TestVerdict::KeyMissing);
    assert!(test.message.contains("locked"), "{}", test.message);
    assert_eq!(world.run_over("house").await.status, RunStatus::Failed);
    assert_eq!(server.asked().len(), asked);
    let problem = world
        .not_saved(saving(Connection { slug: "b".to_owned(), ..house(&server, key()) }, Some(KEY)))
        .await;
    assert!(problem.message.contains("locked"), "{problem}");
    assert_eq!(world.rows().await.len(), 2);
    let problem = world.refused(Request::ConnectionRemove { slug: "house".to_owned() }).await;
    assert!(problem.message.contains("locked"), "{problem}");
    let checks = answer!(world.call(Request::AppCheck).await, Checks);
    assert!(checks.iter().any(|check| check.name == "vault" && check.state == CheckState::Note));

    let problem = world.refused(Request::VaultUnlock { passphrase: hidden("not the words") }).await;
    assert_eq!(problem.code, ErrorCode::InvalidInput);
    let vault = answer!(world.call(Request::VaultUnlock { passphrase: hidden(PASSPHRASE) }).await, Vault);
    assert!(!vault.locked);
    assert_eq!(world.test("house").await.verdict, TestVerdict::Works);
    let vault = answer!(world.call(Request::VaultLock).await, Vault);
    assert!(vault.locked);
}

#[tokio::test]
async fn secrets_are_put_under_names_that_are_used_and_removed_again() {
    let server = ChatServer::good().await;
    let world = World::new().await;
    let put = |name: &str, value: &str| Request::SecretPut { name: name.to_owned(), value: hidden(value) };
    assert_eq!(world.refused(put("connection/house/key", KEY)).await.code, ErrorCode::NotFound);
    world.save(saving(house(&server, key()), None)).await;
    assert_eq!(world.one("house").await.credential, CredentialState::Missing);
    for name in
        ["", "a//b", "../x", "a b", "connection/house/oauth", "connection/house/bound", "source/x/bound", "é"]
    {
        assert_eq!(world.refused(put(name, KEY)).await.code, ErrorCode::InvalidInput, "{name}");
    }
    assert_eq!(world.refused(put("source/web/token", "")).await.code, ErrorCode::InvalidInput);
    world.call(put("connection/house/key", KEY)).await;
    world.call(put("source/knowledge-base/token", "anything at all\n")).await;
    assert_eq!(world.one("house").await.credential, CredentialState::Stored);
    assert_eq!(world.test("house").await.verdict, TestVerdict::Works);
    let used: Vec<String> = world.vault().await.entries.into_iter().map(|entry| entry.used_by).collect();
    assert_eq!(used.len(), 2);
    assert!(used.iter().all(|user| !user.is_empty()), "{used:?}");
    let remove = |name: &str| Request::SecretRemove { name: name.to_owned() };
    world.call(remove("connection/house/key")).await;
    assert_eq!(world.refused(remove("connection/house/key")).await.code, ErrorCode::NotFound);
    assert_eq!(world.one("house").await.credential, CredentialState::Missing);
    assert_eq!(world.test("house").await.verdict, TestVerdict::KeyMissing);
}

/// A host that signs people in and takes what it gave out last.
pub async fn oauth_host(access: [&'static str; 2], refresh: &'static str) -> ChatServer {
    ChatServer::new(move |asked| {
        if asked.path == "/token" {
            let first = asked.body.contains("authorization_code");
            let again = asked.body.contains("refresh_token") && asked.body.contains(refresh);
            let access = if first { access[0] } else { access[1] };
            return Some(match first || again {
                true => Reply::json(
                    200,
                    &json!({"access_token": access, "refresh_token": refresh, "token_type": "Bearer",
                        "expires_in": 3600}),
                ),
                false => Reply::json(400, &json!({"error": "invalid_grant"})),
            });
        }
        // The first token is not taken any more, whatever was said of its life.
        if asked.header("authorization") != Some(&format!("Bearer {}", access[1])) {
            let said = asked.header("authorization").unwrap_or_default().to_owned();
            let body =
                json!({"error": {"message": format!("{said} has expired"), "type": "invalid_api_key"}});
            return Some(Reply::json(401, &body));
        }
        None
    })
    .await
}

pub fn service(host: &ChatServer) -> OauthService {
    OauthService {
        authorize_url: Some(format!("http://{}/authorize", host.host())),
        token_url: format!("http://{}/token", host.host()),
        client_id: "desktop".to_owned(),
        scopes: vec!["models".to_owned()],
        extra: Default::default(),
        redirect_url: None,
    }
}

/// The person's browser: comes back with a code.
pub async fn come_back(sign_in: &SignIn) {
    let url = url::Url::parse(&sign_in.url).unwrap();
    let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).unwrap().1.into_owned();
    let redirect = url::Url::parse(&value("redirect_uri")).unwrap();
    let host = format!("127.0.0.1:{}", redirect.port().unwrap());
    let mut stream = tokio::net::TcpStream::connect(&host).await.unwrap();
    let request = format!(
        "GET {}?code=c0de&state={} HTTP/1.1\r\nHost: {host}\r\n\r\n",
        redirect.path(),
        value("state")
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).await.unwrap();
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("AgentNative"), "{page}");
}

pub async fn ended(world: &World, id: &str) -> SignIn {
    loop {
        let sign_in = answer!(world.call(Request::SignInShow { id: id.to_owned() }).await, SignIn);
        if sign_in.state != SignInState::Waiting {
            return sign_in;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn signing_in_fetches_a_token_that_is_renewed_when_it_is_refused() {
    let host = oauth_host(["access-one", "access-two"], "refresh-one").await;
    let world = World::new().await;
    let connection = house(&host, Auth::Oauth { service: service(&host) });
    world.save(saving(connection.clone(), None)).await;
    let row = world.one("house").await;
    assert_eq!(row.credential, CredentialState::Missing);
    assert_eq!(world.test("house").await.verdict, TestVerdict::KeyMissing);

    let begin = Request::SignInBegin { slug: "house".to_owned() };
    let given_up = answer!(world.call(begin.clone()).await, SignIn);
    let sign_in = answer!(world.call(begin.clone()).await, SignIn);
    assert_eq!(ended(&world, &given_up.id).await.state, SignInState::Failed);
    come_back(&sign_in).await;
    let sign_in = ended(&world, &sign_in.id).await;
    assert_eq!(sign_in.state, SignInState::Done, "{}", sign_in.message);
    assert_eq!(world.one("house").await.credential, CredentialState::Stored);
    assert_eq!(world.test("house").await.verdict, TestVerdict::Works);
    let renewals =
        |asked: &[Asked]| asked.iter().filter(|asked| asked.body.contains("refresh_token=")).count();
    assert_eq!(renewals(&host.asked()), 1, "one renewal for all who wait");
    assert_eq!(world.run_over("house").await.status, RunStatus::Completed);
    assert_eq!(renewals(&host.asked()), 1);

    // Another address of the tokens does not get the refresh token.
    let other = ChatServer::good().await;
    let moved = Connection { auth: Auth::Oauth { service: service(&other) }, ..connection };
    let moved = protocol::ConnectionSave { replace: true, ..saving(moved, None) };
    assert_eq!(world.not_saved(moved).await.code, ErrorCode::InvalidInput);

    let waiting = answer!(world.call(begin).await, SignIn);
    world.call(Request::SignInCancel { id: waiting.id.clone() }).await;
    assert_eq!(ended(&world, &waiting.id).await.state, SignInState::Failed);
    let unknown = Request::SignInShow { id: "none".to_owned() };
    assert_eq!(world.refused(unknown).await.code, ErrorCode::NotFound);
    world.save(saving(Connection::new("local", ProviderKind::Ollama), None)).await;
    let none = Request::SignInBegin { slug: "local".to_owned() };
    assert_eq!(world.refused(none).await.code, ErrorCode::InvalidInput);
}

#[tokio::test]
async fn a_workload_exchanges_its_identity_and_no_other_file_is_sent() {
    const IDENTITY: &str = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ3In0.c2ln";
    let host = ChatServer::new(|asked| match asked.path.as_str() {
        "/token" if asked.body.contains(IDENTITY) => Some(Reply::json(
            200,
            &json!({"access_token": "access-w", "token_type": "Bearer", "expires_in": 600}),
        )),
        "/token" => Some(Reply::json(400, &json!({"error": "invalid_request"}))),
        _ if asked.header("authorization") == Some("Bearer access-w") => None,
        _ => Some(Reply::json(401, &json!({"error": {"message": "no"}}))),
    })
    .await;
    let world = World::new().await;
    let file = world.home().join("identity");
    let auth = Auth::WorkloadIdentity {
        token_file: file.display().to_string(),
        token_url: format!("http://{}/token", host.host()),
        fields: Default::default(),
    };
    world.save(saving(house(&host, auth), None)).await;
    assert_eq!(world.test("house").await.verdict, TestVerdict::KeyMissing);
    std::fs::write(&file, "a private key\n").unwrap();
    let test = world.test("house").await;
    assert_eq!(test.verdict, TestVerdict::KeyWrong);
    assert!(test.message.contains("nothing is sent"), "{}", test.message);
    assert_eq!(host.asked().len(), 0);
    std::fs::write(&file, format!("{IDENTITY}\n")).unwrap();
    let test = world.test("house").await;
    assert_eq!(test.verdict, TestVerdict::Works, "{test:?}");
    assert_eq!(host.asked().iter().filter(|asked| asked.path == "/token").count(), 1);
}
