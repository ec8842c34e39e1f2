//! Signing in through a browser that the test is.

use std::time::Duration;

use pretty_assertions::assert_eq;
use secrets::{ExposeSecret, Http, OauthError, SignIn, Token, preset};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::secret;
use crate::server::{Running, fields};

const PATIENCE: Duration = Duration::from_secs(20);

/// What a browser does with the sign-in's address: where the service sends it.
async fn sent_back_to(url: &str) -> String {
    let answer = get(url).await;
    let location = answer.lines().find_map(|line| line.strip_prefix("location: "));
    location.unwrap_or_else(|| panic!("{answer}")).trim().to_owned()
}

/// A request as bytes, and all that comes back.
async fn get(url: &str) -> String {
    let url = url::Url::parse(url).unwrap();
    let host = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
    let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
    raw(&host, &format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).await
}

async fn raw(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    answer
}

fn http() -> Http {
    Http::new().unwrap()
}

fn waiting(sign_in: SignIn) -> tokio::task::JoinHandle<Result<Token, OauthError>> {
    tokio::spawn(sign_in.finish(PATIENCE))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_signs_in_gets_tokens() {
    let running = Running::start().await;
    *running.service.issuer.lock().unwrap() = Some(running.address.clone());
    let sign_in = SignIn::begin(&running.described(), Some(secret("client secret")), http()).await.unwrap();
    let url = sign_in.url().to_owned();
    let task = waiting(sign_in);
    let page = get(&sent_back_to(&url).await).await;
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    assert!(
        page.contains("Back to AgentNative")
            && page.contains("default-src 'none'")
            && page.contains("no-store")
    );
    let token = task.await.unwrap().unwrap();
    assert!(token.access.expose_secret().starts_with("access-"));
    assert_eq!(token.refresh.unwrap().expose_secret(), *running.service.refresh.lock().unwrap());
    let left = token.expires_at.unwrap()
        - i64::try_from(std::time::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    assert!((3_500_000..=3_600_000).contains(&left), "{left}");
    assert_eq!((&*token.client_id, token.token_url), ("client one", running.described().token_url));
    let asked = running.service.asked.lock().unwrap().remove(0);
    assert_eq!(asked.get("client_secret").map(String::as_str), Some("client secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_do_not_belong_to_it_do_not_end_a_sign_in() {
    let running = Running::start().await;
    let sign_in = SignIn::begin(&running.described(), None, http()).await.unwrap();
    let url = sign_in.url().to_owned();
    let task = waiting(sign_in);
    let back = sent_back_to(&url).await;
    let callback = url::Url::parse(&back).unwrap();
    let address = format!("127.0.0.1:{}", callback.port().unwrap());
    let query = fields(callback.query().unwrap());
    let state = &query["state"];
    // Silent, half-spoken and endless connections.
    let mut open = Vec::new();
    for words in ["", "GET /callback?code=x HTTP/1.1\r\n"] {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream.write_all(words.as_bytes()).await.unwrap();
        open.push(stream);
    }
    let long = "x".repeat(40_000);
    let host = format!("Host: {address}\r\n\r\n");
    let cases = [
        format!("GET /callback?code=stolen&state=wrong HTTP/1.1\r\n{host}"),
        format!("GET /callback?code=stolen HTTP/1.1\r\n{host}"),
        format!("GET /callback?error=access_denied HTTP/1.1\r\n{host}"),
        format!("GET /callback?code=stolen&state={state}&state={state} HTTP/1.1\r\n{host}"),
        format!("GET /callback?state={state} HTTP/1.1\r\n{host}"),
        format!("GET /other?code=stolen&state={state} HTTP/1.1\r\n{host}"),
        format!("GET /callbacks?code=stolen&state={state} HTTP/1.1\r\n{host}"),
        format!("POST /callback?code=stolen&state={state} HTTP/1.1\r\n{host}"),
        format!("GET /callback?code=stolen&state={state} HTTP/1.1\r\nHost: a.example\r\n\r\n"),
        format!("GET /callback?code=stolen&state={state} HTTP/1.1\r\n\r\n"),
        format!("GET /favicon.ico HTTP/1.1\r\n{host}"),
        format!("GET /{long} HTTP/1.1\r\n{host}"),
        "\u{0}\u{1}\r\n\r\n".to_owned(),
    ];
    for case in cases {
        let answer = raw(&address, &case).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 404"), "{case:.80}: {answer:.80}");
    }
    assert_eq!(running.asked(), 0);
    get(&back).await;
    task.await.unwrap().unwrap();
    assert!(TcpStream::connect(&address).await.is_err(), "the port is closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_and_a_foreign_issuer_end_a_sign_in() {
    let running = Running::start().await;
    *running.service.denies.lock().unwrap() = true;
    let sign_in = SignIn::begin(&running.described(), None, http()).await.unwrap();
    let url = sign_in.url().to_owned();
    let task = waiting(sign_in);
    assert!(get(&sent_back_to(&url).await).await.contains("Back to AgentNative"));
    let expected = OauthError::Refused("access_denied: the person said no".into());
    assert_eq!(task.await.unwrap().unwrap_err(), expected);

    *running.service.denies.lock().unwrap() = false;
    *running.service.issuer.lock().unwrap() = Some("https://other.example".into());
    let sign_in = SignIn::begin(&running.described(), None, http()).await.unwrap();
    let url = sign_in.url().to_owned();
    let task = waiting(sign_in);
    get(&sent_back_to(&url).await).await;
    assert!(matches!(task.await.unwrap(), Err(OauthError::Foreign(_))));
    assert_eq!(running.asked(), 0, "no code goes to another issuer");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_ends_by_itself_and_when_it_is_dropped() {
    let running = Running::start().await;
    let sign_in = SignIn::begin(&running.described(), None, http()).await.unwrap();
    assert_eq!(
        sign_in.finish(Duration::from_millis(50)).await.unwrap_err(),
        OauthError::TimedOut { seconds: 0 }
    );
    let sign_in = SignIn::begin(&running.described(), None, http()).await.unwrap();
    let redirect = fields(url::Url::parse(sign_in.url()).unwrap().query().unwrap())["redirect_uri"].clone();
    let port = url::Url::parse(&redirect).unwrap().port().unwrap();
    let task = waiting(sign_in);
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    assert!(TcpStream::connect(("127.0.0.1", port)).await.is_err(), "the port is closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_no_token_are_told_without_what_was_sent() {
    let running = Running::start().await;
    let mut seen = Vec::new();
    let big = format!("{{\"access_token\":\"{}\"}}", "x".repeat(300_000));
    let cases = [
        (200, "not json"),
        (200, ""),
        (200, "{}"),
        (200, "[]"),
        (200, "null"),
        (200, r#"{"access_token":""}"#),
        (200, r#"{"access_token":7}"#),
        (200, r#"{"access_token":"a\r\nb"}"#),
        (200, r#"{"access_token":"a","token_type":"mac"}"#),
        (200, big.as_str()),
        (302, "{}"),
        (200, r#"{"error":"bad_verification_code"}"#),
        (400, r#"{"error":"invalid_client","error_description":"CODE is unknown"}"#),
        (400, r#"{"error":"invalid_grant"}"#),
        (403, "{}"),
        (500, "oops"),
        (429, "{}"),
    ];
    for (status, text) in cases {
        *running.service.instead.lock().unwrap() = Some((status, text.to_owned()));
        let sign_in = SignIn::begin(&running.described(), None, http()).await.unwrap();
        let url = sign_in.url().to_owned();
        let task = waiting(sign_in);
        get(&sent_back_to(&url).await).await;
        let error = task.await.unwrap().unwrap_err();
        assert!(!format!("{error:?} {error}").contains("code+"), "{error}");
        seen.push(match error {
            OauthError::Malformed { .. } => 'm',
            OauthError::Refused(_) => 'r',
            OauthError::Unreachable(_) => 'u',
            _ => '?',
        });
    }
    assert_eq!(String::from_iter(seen), "mmmmmmmmmmmrrrruu");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_browser_comes_back_to_a_registered_address_as_it_stands() {
    let running = Running::start().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("http://localhost:{port}/callback");
    let mut service = running.described();
    service.redirect_url = Some(address.clone());
    let sign_in = SignIn::begin(&service, None, http()).await.unwrap();
    let url = sign_in.url().to_owned();
    let task = waiting(sign_in);
    let back = sent_back_to(&url).await;
    let target = back.strip_prefix(&format!("http://localhost:{port}")).unwrap_or_else(|| panic!("{back}"));
    let request = format!("GET {target} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    let page = raw(&format!("127.0.0.1:{port}"), &request).await;
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    task.await.unwrap().unwrap();

    for wrong in [
        "http://example.org:8080/callback",
        "https://localhost:8080/callback",
        "http://localhost/callback",
        "http://localhost:0/callback",
        "http://localhost:08080/callback",
        "http://localhost:8080/other",
    ] {
        service.redirect_url = Some(wrong.to_owned());
        let refused = SignIn::begin(&service, None, http()).await;
        assert!(matches!(refused, Err(OauthError::Invalid(_))), "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_can_not_be_meant_is_refused_before_anything_is_sent() {
    let good = Running::start().await.described();
    let with = |change: &dyn Fn(&mut domain::connection::OauthService)| {
        let mut service = good.clone();
        change(&mut service);
        service
    };
    let cases = [
        with(&|service| service.authorize_url = None),
        with(&|service| service.authorize_url = Some("javascript:alert(1)".into())),
        with(&|service| service.authorize_url = Some("http://a.example/authorize".into())),
        with(&|service| service.token_url = "http://169.254.169.254/token".into()),
        with(&|service| service.token_url = String::new()),
        with(&|service| service.client_id = " ".into()),
    ];
    for service in cases {
        assert!(
            matches!(SignIn::begin(&service, None, http()).await, Err(OauthError::Invalid(_))),
            "{service:?}"
        );
    }
    for name in ["google", "microsoft", "slack", "github"] {
        let service = preset(name).unwrap().service("own client", &["scope"]);
        let sign_in = SignIn::begin(&service, None, http()).await.unwrap();
        assert!(sign_in.url().starts_with("https://") && sign_in.url().contains("own+client"));
    }
    assert!(preset("nobody").is_none());
}
