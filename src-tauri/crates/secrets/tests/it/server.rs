//! An OAuth 2.0 service on this machine that checks what clients send it.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use domain::connection::OauthService;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;

pub type Fields = HashMap<String, String>;

/// What the service is and has seen.
#[derive(Default)]
pub struct Service {
    /// Codes that were given out: their challenge and redirect address.
    codes: Mutex<HashMap<String, (String, String)>>,
    /// The refresh token that is taken. Any other ends the sign-in, as with services that rotate them.
    pub refresh: Mutex<String>,
    /// What every token request had.
    pub asked: Mutex<Vec<Fields>>,
    /// Seconds that tokens last.
    pub lasts: Mutex<Option<i64>>,
    /// Answers token requests with this instead.
    pub instead: Mutex<Option<(u16, String)>>,
    /// Milliseconds that a token request takes.
    pub takes: AtomicUsize,
    /// Token requests wait for one permit each.
    pub holds: Mutex<Option<Arc<Semaphore>>>,
    /// What stands as issuer in the redirect.
    pub issuer: Mutex<Option<String>>,
    /// Says no.
    pub denies: Mutex<bool>,
    count: AtomicUsize,
}

/// The service, and where it is.
pub struct Running {
    pub service: Arc<Service>,
    pub address: String,
}

impl Running {
    pub async fn start() -> Self {
        let service = Arc::new(Service::default());
        *service.lasts.lock().unwrap() = Some(3600);
        let router = Router::new()
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/renew", any(renew))
            .route("/moved", post(|| async { (StatusCode::FOUND, [(header::LOCATION, "/token")]) }))
            .with_state(service.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { service, address }
    }

    pub fn described(&self) -> OauthService {
        OauthService {
            authorize_url: Some(format!("{}/authorize?tenant=one", self.address)),
            token_url: format!("{}/token", self.address),
            client_id: "client one".into(),
            scopes: vec!["read".into(), "write all".into()],
            extra: BTreeMap::from([("prompt".into(), "consent".into()), ("state".into(), "forged".into())]),
            redirect_url: None,
        }
    }

    pub fn asked(&self) -> usize {
        self.service.asked.lock().unwrap().len()
    }

    /// Waits for so many token requests.
    pub async fn until_asked(&self, times: usize) {
        let asked = async {
            while self.asked() < times {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), asked).await.expect("the service is asked");
    }

    /// From now on each token request waits for a permit of these.
    pub fn hold(&self) -> Arc<Semaphore> {
        let permits = Arc::new(Semaphore::new(0));
        *self.service.holds.lock().unwrap() = Some(permits.clone());
        permits
    }
}

pub fn fields(text: &str) -> Fields {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

async fn authorize(State(service): State<Arc<Service>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let pairs = url::form_urlencoded::parse(query.as_bytes()).count();
    let asked = fields(&query);
    let of = |key: &str| asked.get(key).cloned().unwrap_or_default();
    let right = pairs == asked.len()
        && of("response_type") == "code"
        && of("client_id") == "client one"
        && of("scope") == "read write all"
        && of("code_challenge_method") == "S256"
        && of("code_challenge").len() == 43
        && of("state").len() >= 22
        && of("tenant") == "one"
        && of("prompt") == "consent"
        && ["http://127.0.0.1:", "http://localhost:"].iter().any(|own| of("redirect_uri").starts_with(own));
    if !right {
        return (StatusCode::BAD_REQUEST, format!("{asked:?}")).into_response();
    }
    let mut back = url::Url::parse(&of("redirect_uri")).unwrap();
    if *service.denies.lock().unwrap() {
        back.query_pairs_mut()
            .append_pair("error", "access_denied")
            .append_pair("error_description", "the person said no");
    } else {
        let code = format!("code+{}/&=", service.count.fetch_add(1, Ordering::SeqCst));
        back.query_pairs_mut().append_pair("code", &code);
        service.codes.lock().unwrap().insert(code, (of("code_challenge"), of("redirect_uri")));
    }
    back.query_pairs_mut().append_pair("state", &of("state"));
    if let Some(issuer) = &*service.issuer.lock().unwrap() {
        back.query_pairs_mut().append_pair("iss", issuer);
    }
    (StatusCode::FOUND, [(header::LOCATION, back.to_string())]).into_response()
}

async fn token(State(service): State<Arc<Service>>, headers: HeaderMap, body: Bytes) -> Response {
    let asked = fields(std::str::from_utf8(&body).unwrap());
    service.asked.lock().unwrap().push(asked.clone());
    let held = service.holds.lock().unwrap().clone();
    if let Some(permits) = held {
        permits.acquire().await.unwrap().forget();
    }
    tokio::time::sleep(Duration::from_millis(service.takes.load(Ordering::SeqCst) as u64)).await;
    let answer = |status: u16, json: String| {
        (StatusCode::from_u16(status).unwrap(), [(header::CONTENT_TYPE, "application/json")], json)
            .into_response()
    };
    if let Some((status, text)) = service.instead.lock().unwrap().clone() {
        return answer(status, text.replace("CODE", asked.get("code").map_or("", String::as_str)));
    }
    let refuse = |error: &str| answer(400, json!({ "error": error, "error_description": "no" }).to_string());
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind != Some("application/x-www-form-urlencoded") {
        return refuse("invalid_request");
    }
    let of = |key: &str| asked.get(key).cloned().unwrap_or_default();
    let right = match of("grant_type").as_str() {
        "authorization_code" => {
            service.codes.lock().unwrap().remove(&of("code")).is_some_and(|(challenge, redirect)| {
                let verifier = of("code_verifier");
                let hash: [u8; 32] = Sha256::digest(verifier.as_bytes()).into();
                (43..=128).contains(&verifier.len())
                    && base64url(&hash) == challenge
                    && redirect == of("redirect_uri")
                    && of("client_id") == "client one"
            })
        }
        "refresh_token" => {
            let mut taken = service.refresh.lock().unwrap();
            let right = !taken.is_empty() && *taken == of("refresh_token");
            taken.clear();
            right
        }
        "urn:ietf:params:oauth:grant-type:jwt-bearer" => of("assertion") == "header.identity.signature",
        _ => return refuse("unsupported_grant_type"),
    };
    if !right {
        return refuse("invalid_grant");
    }
    let number = service.count.fetch_add(1, Ordering::SeqCst);
    let refresh = format!("refresh-{number}");
    service.refresh.lock().unwrap().clone_from(&refresh);
    let mut json = json!({ "access_token": format!("access-{number}"), "token_type": "Bearer", "refresh_token": refresh });
    if let Some(lasts) = *service.lasts.lock().unwrap() {
        json["expires_in"] = Value::from(lasts);
    }
    answer(200, json.to_string())
}

/// Gives a new key for the old one.
async fn renew(State(service): State<Arc<Service>>, headers: HeaderMap, body: Bytes) -> Response {
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let old = asked.pointer("/old").and_then(Value::as_str).unwrap_or_default().to_owned();
    service.asked.lock().unwrap().push(HashMap::from([("old".into(), old.clone())]));
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if old.is_empty() || bearer != format!("Key {old}") {
        let json = json!({ "error": { "message": format!("the key {old} is unknown") } });
        return (StatusCode::UNAUTHORIZED, json.to_string()).into_response();
    }
    (
        StatusCode::OK,
        json!({ "data": { "key": "the new key", "seconds": 60 } })
            .to_string()
            .replace("the new key", "new-key"),
    )
        .into_response()
}

fn base64url(bytes: &[u8]) -> String {
    let digits: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['-', '_']).collect();
    let bits: Vec<bool> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect();
    bits.chunks(6)
        .map(|six| {
            digits[(0..6).fold(0, |sum, at| sum * 2 + usize::from(six.get(at).copied().unwrap_or(false)))]
        })
        .collect()
}
