//! Signing in at servers over HTTP: the flow, renewals, more scopes, and services that want to trick us.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use sources::{
    Authorizer, CallLimits, Credential, CredentialStore, MemoryStore, Oauth, SignInFault, SignInPage, Source,
    SourceConfig, SourceError, sign_in, sign_out,
};
use url::Url;

use crate::web::{Reply, Seen, Web, modern};

/// Comes back at once with a code, from the issuer that the test says.
#[derive(Debug)]
struct Person {
    pages: Mutex<Vec<Url>>,
    back: Value,
}

struct Page(Arc<Person>);

#[derive(Debug)]
struct Browser(Arc<Person>);

#[async_trait]
impl Authorizer for Browser {
    async fn begin(&self) -> Result<Box<dyn SignInPage>, SignInFault> {
        Ok(Box::new(Page(Arc::clone(&self.0))))
    }
}

#[async_trait]
impl SignInPage for Page {
    fn redirect_uri(&self) -> &str {
        "http://127.0.0.1:7777/callback"
    }

    async fn visit(self: Box<Self>, url: &Url) -> Result<String, SignInFault> {
        self.0.pages.lock().unwrap().push(url.clone());
        let state = query(url, "state");
        let mut back = Url::parse("http://127.0.0.1:7777/callback").unwrap();
        for (name, value) in self.0.back.as_object().unwrap() {
            back.query_pairs_mut().append_pair(name, value.as_str().unwrap());
        }
        if self.0.back.get("state").is_none() {
            back.query_pairs_mut().append_pair("state", &state);
        }
        Ok(back.to_string())
    }
}

fn query(url: &Url, name: &str) -> String {
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
}

fn person(back: Value) -> Arc<Person> {
    Arc::new(Person { pages: Mutex::default(), back })
}

fn coming_back() -> Arc<Person> {
    person(json!({"code": "the-code"}))
}

/// A server with its own service; `change` may replace what it says.
async fn service(change: impl Fn(&Seen, &Web) -> Option<Reply> + Send + Sync + 'static) -> Web {
    let number = AtomicUsize::new(0);
    Web::serve(move |seen, web| {
        let origin = &web.origin;
        if let Some(reply) = change(seen, web) {
            return reply;
        }
        match seen.path.split('?').next().unwrap() {
            "/.well-known/oauth-protected-resource/mcp" => Reply::json(
                200,
                &json!({
                "resource": format!("{origin}/mcp"), "authorization_servers": [origin],
                "scopes_supported": ["read"]}),
            ),
            "/.well-known/oauth-authorization-server" => Reply::json(200, &metadata(origin)),
            "/register" => Reply::json(201, &json!({"client_id": "registered"})),
            "/token" => {
                let number = number.fetch_add(1, Ordering::SeqCst) + 1;
                Reply::json(
                    200,
                    &json!({"access_token": format!("token-{number}"), "token_type": "Bearer",
                    "expires_in": 3600, "refresh_token": "renew-it"}),
                )
            }
            "/mcp" if !seen.header("authorization").starts_with("Bearer token-") => {
                Reply::text(401, "").with("www-authenticate", "Bearer error=\"invalid_token\"")
            }
            "/mcp" => modern(seen),
            _ => Reply::text(404, ""),
        }
    })
    .await
}

fn metadata(origin: &str) -> Value {
    json!({"issuer": origin, "authorization_endpoint": format!("{origin}/authorize"),
        "token_endpoint": format!("{origin}/token"), "registration_endpoint": format!("{origin}/register"),
        "code_challenge_methods_supported": ["S256"], "scopes_supported": ["read", "offline_access"],
        "token_endpoint_auth_methods_supported": ["none"]})
}

fn with(web: &Web, store: &Arc<MemoryStore>, who: Option<&Arc<Person>>) -> SourceConfig {
    let mut oauth = Oauth::new(store.clone());
    if let Some(who) = who {
        oauth = oauth.with_authorizer(Arc::new(Browser(who.clone())));
    }
    let mut config = web.config();
    config.http.as_mut().unwrap().oauth = Some(oauth);
    config
}

async fn start(config: SourceConfig) -> Result<Source, SourceError> {
    Source::start(config, None, None).await
}

fn kept(web: &Web, change: impl FnOnce(&mut Credential)) -> Credential {
    let mut credential = Credential {
        resource: format!("{}/mcp", web.origin),
        issuer: web.origin.clone(),
        token_endpoint: format!("{}/token", web.origin),
        client_id: "kept".into(),
        client_secret: None,
        auth_method: "none".into(),
        redirect_uri: String::new(),
        access_token: "old-token".into(),
        refresh_token: Some("renew-me".into()),
        obtained_at: 1,
        expires_at: Some(2),
        scopes: vec!["read".into()],
    };
    change(&mut credential);
    credential
}

#[tokio::test]
async fn nobody_is_led_to_a_page_unless_they_asked_and_then_once_for_good() {
    let web = service(|_, _| None).await;
    let store = Arc::new(MemoryStore::default());
    let error = start(with(&web, &store, None)).await.unwrap_err();
    assert_eq!(error.code(), "source_sign_in_needed");
    assert!(!error.is_retryable());

    let who = coming_back();
    sign_in(&with(&web, &store, Some(&who))).await.unwrap();
    let page = who.pages.lock().unwrap()[0].clone();
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", "registered"),
        ("code_challenge_method", "S256"),
        ("scope", "read offline_access"),
        ("redirect_uri", "http://127.0.0.1:7777/callback"),
    ] {
        assert_eq!(query(&page, name), value);
    }
    assert_eq!(query(&page, "resource"), format!("{}/mcp", web.origin));
    let traded = web.seen().into_iter().find(|seen| seen.path == "/token").unwrap().text;
    assert!(traded.contains("code_verifier=") && traded.contains("resource=http"), "{traded}");

    let source = start(with(&web, &store, None)).await.unwrap();
    source.call("echo", json!({}), CallLimits::within(Duration::from_secs(10))).await.unwrap();
    source.close().await;
    assert_eq!((who.pages.lock().unwrap().len(), web.count_at("/token")), (1, 1));
    sign_out(&with(&web, &store, None)).await.unwrap();
    assert!(store.load().await.unwrap().is_none());
}

#[tokio::test]
async fn a_token_that_ended_is_renewed_once_for_all_calls_and_nobody_is_asked() {
    let web = service(|_, _| None).await;
    let store = Arc::new(MemoryStore::default());
    store.save(&kept(&web, |_| {})).await.unwrap();
    let source = start(with(&web, &store, None)).await.unwrap();
    let calls: Vec<_> = (0..6)
        .map(|_| {
            let source = source.clone();
            let limits = CallLimits::within(Duration::from_secs(10));
            tokio::spawn(async move { source.call("echo", json!({}), limits).await })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    source.close().await;
    assert_eq!(web.count_at("/token"), 1);
    let text = web.seen().into_iter().find(|seen| seen.path == "/token").unwrap().text;
    assert!(text.contains("refresh_token=renew-me") && text.contains("resource="), "{text}");
}

#[tokio::test]
async fn what_one_issuer_gave_is_never_shown_to_another() {
    let web = service(|_, _| None).await;
    let store = Arc::new(MemoryStore::default());
    let foreign = kept(&web, |credential| {
        credential.issuer = "https://id.example.org".into();
        credential.token_endpoint = "https://id.example.invalid/token".into();
        credential.expires_at = None;
    });
    store.save(&foreign).await.unwrap();
    let error = start(with(&web, &store, None)).await.unwrap_err();
    assert_eq!(error.code(), "source_sign_in_needed");
    assert_eq!(web.count_at("/token"), 0);

    // A token for another server is not even sent.
    store
        .save(&kept(&web, |credential| credential.resource = "https://mcp.example.org".into()))
        .await
        .unwrap();
    let before = web.seen().len();
    start(with(&web, &store, None)).await.unwrap_err();
    assert!(
        web.seen()[before..].iter().all(
            |seen| !seen.text.contains("renew-me") && !seen.header("authorization").contains("old-token")
        )
    );
}

#[tokio::test]
async fn more_scopes_are_asked_for_once_and_not_for_ever() {
    let web = service(|seen, _| {
        (seen.method() == "tools/call").then(|| {
            let challenge = "Bearer error=\"insufficient_scope\", scope=\"write\"";
            Reply::text(403, "").with("www-authenticate", challenge)
        })
    })
    .await;
    let (store, who) = (Arc::new(MemoryStore::default()), coming_back());
    let source = start(with(&web, &store, Some(&who))).await.unwrap();
    let limits = CallLimits::within(Duration::from_secs(10));
    let error = source.call("echo", json!({}), limits).await.unwrap_err();
    assert_eq!(error.code(), "source_sign_in_failed");
    let pages = who.pages.lock().unwrap();
    assert_eq!(
        pages.iter().map(|page| query(page, "scope")).collect::<Vec<_>>(),
        ["read offline_access", "read offline_access write"]
    );
}

#[tokio::test]
async fn answers_that_do_not_belong_to_the_sign_in_are_refused() {
    for back in [
        json!({"code": "c", "state": "another"}),
        json!({"code": "c", "iss": "https://evil.example.org"}),
        json!({"error": "access_denied", "error_description": "no\u{7}"}),
        json!({}),
    ] {
        let web = service(|_, _| None).await;
        let who = person(back);
        let error = sign_in(&with(&web, &Arc::default(), Some(&who))).await.unwrap_err();
        assert_eq!(error.code(), "source_sign_in_failed");
        assert_eq!(web.count_at("/token"), 0, "{error}");
    }
}

#[tokio::test]
async fn services_that_lead_astray_are_found_out_before_anybody_is_led_anywhere() {
    let changes: Vec<(&str, &str, Value)> = vec![
        ("oauth-authorization-server", "issuer", json!("https://evil.example.org")),
        ("oauth-authorization-server", "code_challenge_methods_supported", json!(["plain"])),
        ("oauth-authorization-server", "code_challenge_methods_supported", json!([])),
        ("oauth-authorization-server", "authorization_endpoint", json!("javascript:alert(1)")),
        ("oauth-authorization-server", "authorization_endpoint", json!("file:///etc/passwd")),
        ("oauth-authorization-server", "token_endpoint", json!("http://169.254.169.254/token")),
        ("oauth-protected-resource", "resource", json!("https://other.example.org/mcp")),
        ("oauth-protected-resource", "authorization_servers", json!(["http://10.0.0.1/"])),
        ("oauth-protected-resource", "authorization_servers", json!([])),
    ];
    for (document, key, value) in changes {
        let shown = format!("{key}: {value}");
        let web = service(move |seen, web| {
            if !seen.path.contains(document) {
                return None;
            }
            let origin = &web.origin;
            let mut told = match document {
                "oauth-authorization-server" => metadata(origin),
                _ => json!({"resource": format!("{origin}/mcp"), "authorization_servers": [origin]}),
            };
            told[key] = value.clone();
            Some(Reply::json(200, &told))
        })
        .await;
        let who = coming_back();
        let error = sign_in(&with(&web, &Arc::default(), Some(&who))).await.unwrap_err();
        assert_eq!(error.code(), "source_sign_in_failed", "{shown}: {error}");
        assert_eq!((who.pages.lock().unwrap().len(), web.count_at("/token")), (0, 0), "{shown}");
    }
}

#[tokio::test]
async fn a_client_that_was_registered_by_hand_goes_before_all_others() {
    let web = service(|_, _| None).await;
    let who = coming_back();
    let mut config = with(&web, &Arc::default(), Some(&who));
    let oauth = config.http.as_mut().unwrap().oauth.as_mut().unwrap();
    oauth.client_id = Some("by-hand".into());
    oauth.client_secret = Some("canary-secret".into());
    assert!(!format!("{config:?}").contains("canary"));
    sign_in(&config).await.unwrap();
    assert_eq!(query(&who.pages.lock().unwrap()[0], "client_id"), "by-hand");
    assert_eq!(web.count_at("/register"), 0);
}
