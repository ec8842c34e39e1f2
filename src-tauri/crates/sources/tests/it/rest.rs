//! Requests to an interface on this machine that answers as it was told, and remembers what it was asked.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use pretty_assertions::assert_eq;
use secrecy::SecretString;
use serde_json::json;
use sources::rest::{Body, FreshToken, Present, Rest, RestBody, RestConfig, RestErrorKind, RestRequest};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const CANARY: &str = "canary-7319/\"x\"";

/// What the interface answers: status line, headers and body, by the request's first line.
type Answers = fn(&str) -> Vec<u8>;

struct House {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl House {
    async fn new(answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = asked.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let kept = kept.clone();
                tokio::spawn(async move {
                    let mut text = Vec::new();
                    let mut piece = [0; 4_096];
                    loop {
                        let head = text.windows(4).position(|end: &[u8]| end == b"\r\n\r\n");
                        if let Some(head) = head {
                            let words = String::from_utf8_lossy(&text[..head]).to_lowercase();
                            let length = words.lines().find_map(|line| line.strip_prefix("content-length: "));
                            let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
                            if text.len() >= head + 4 + length {
                                break;
                            }
                        }
                        match stream.read(&mut piece).await {
                            Ok(0) | Err(_) => return,
                            Ok(count) => text.extend_from_slice(&piece[..count]),
                        }
                    }
                    let text = String::from_utf8_lossy(&text).into_owned();
                    let answer = answers(text.lines().next().unwrap_or_default());
                    kept.lock().unwrap().push(text);
                    let _ = stream.write_all(&answer).await;
                    let _ = stream.shutdown().await;
                });
            }
        });
        Self { address, asked }
    }

    fn config(&self) -> RestConfig {
        RestConfig::new("house", &format!("{}/v1", self.address), false).unwrap()
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(status: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
        .into_bytes()
}

fn json_answer(body: &str) -> Vec<u8> {
    answer("200 OK", "Content-Type: application/json\r\n", body)
}

async fn get(rest: &Rest, path: &str) -> Result<RestBody, RestErrorKind> {
    let answer = rest.send(&RestRequest::new("GET", path), &CancellationToken::new()).await;
    answer.map(|answer| answer.body).map_err(|error| error.kind)
}

#[tokio::test]
async fn a_request_carries_what_is_configured_and_its_answer_stays_structured() {
    let house = House::new(|_| json_answer(r#"{"items":[1.5,"b"]}"#)).await;
    let mut config = house.config();
    config.headers.push(("X-Key".into(), SecretString::from(CANARY)));
    config.query.push(("team".into(), SecretString::from("blue")));
    let rest = Rest::new(config);
    let mut request = RestRequest::new("post", "/items?page=2");
    request.query.push(("q".into(), "a&b".into()));
    request.headers.push(("If-Match".into(), "\"1\"".into()));
    request.body = Some(Body::Json(json!({"name": "x"})));
    let answer = rest.send(&request, &CancellationToken::new()).await.unwrap();
    assert_eq!((answer.status, answer.body), (200, RestBody::Json(json!({"items": [1.5, "b"]}))));
    let asked = &house.asked()[0];
    assert!(asked.starts_with("POST /v1/items?page=2&q=a%26b&team=blue HTTP/1.1\r\n"), "{asked}");
    let lower = asked.to_lowercase();
    for line in [&format!("x-key: {CANARY}"), "if-match: \"1\"", "content-type: application/json"] {
        assert!(lower.contains(line.to_lowercase().as_str()), "{line} in {asked}");
    }
    assert!(asked.ends_with(r#"{"name":"x"}"#));
    let line = &rest.log()[0];
    assert_eq!((line.method.as_str(), line.path.as_str(), line.status), ("POST", "/items?page&q", Some(200)));
}

#[tokio::test]
async fn nothing_leaves_for_another_host_path_or_header() {
    let canary = House::new(|_| json_answer("{}")).await;
    let house = House::new(|_| json_answer("{}")).await;
    let rest = Rest::new(house.config());
    let mut paths: Vec<String> = [
        "..",
        "../",
        "../../etc",
        "%2e%2e/x",
        "a/../../x",
        "..;/x",
        "\\..\\x",
        "//evil",
        "/\\evil",
        "a\r\nX: y",
        "a#b",
        "%252e%252e/x",
        "http:evil",
        "file:///etc/passwd",
        "a/%2e%2e%5cx",
    ]
    .map(str::to_owned)
    .into();
    let other = canary.address.trim_start_matches("http:").to_owned();
    paths.extend([
        canary.address.clone(),
        other.clone(),
        format!("/{other}"),
        format!("@{}", &other[2..]) + "/../x",
    ]);
    for path in paths {
        let refused = get(&rest, &path).await;
        assert!(matches!(refused, Err(RestErrorKind::Invalid(_))), "{path:?}: {refused:?}");
    }
    for (name, value) in
        [("Host", "evil"), ("Cookie", "a"), ("X-HTTP-Method-Override", "DELETE"), ("X", "a\r\nB: c")]
    {
        let mut request = RestRequest::new("GET", "x");
        request.headers.push((name.to_owned(), value.to_owned()));
        assert!(rest.send(&request, &CancellationToken::new()).await.is_err(), "{name}");
    }
    assert_eq!((house.asked().len(), canary.asked().len()), (0, 0));
}

#[tokio::test]
async fn addresses_that_are_not_public_are_not_asked_unless_they_were_named() {
    let house = House::new(|_| json_answer("{}")).await;
    let port = house.address.rsplit(':').next().unwrap();
    let mut tried = 0;
    for host in [
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "0",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "0.0.0.0",
        "[::]",
        "169.254.169.254",
        "[fe80::1]",
        "10.0.0.1",
        "192.168.0.1",
        "172.16.0.1",
        "100.64.0.1",
        "[fd00::1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "user@127.0.0.1",
        "127.0.0.1@evil",
        "①②⑦.0.0.1",
        "127。0。0。1",
        "metadata@169.254.169.254",
    ] {
        for scheme in ["http", "https"] {
            tried += 1;
            let base = format!("{scheme}://{host}:{port}/v1/");
            if let Ok(config) = RestConfig::new("x", &base, false) {
                let rest = Rest::new(RestConfig { deadline: Duration::from_secs(5), ..config });
                assert!(get(&rest, "items").await.is_err(), "{base}");
            }
        }
    }
    assert_eq!(tried, 46);
    assert_eq!(house.asked().len(), 0);
    let named = RestConfig::new("x", &format!("http://localhost:{port}/v1/"), false).unwrap();
    assert!(get(&Rest::new(named), "items").await.is_ok());
}

#[tokio::test]
async fn redirects_are_followed_on_the_same_origin_below_the_address_only() {
    let house = House::new(|line| match line.split(' ').nth(1).unwrap_or_default() {
        "/v1/near" => answer("302 Found", "Location: /v1/there?a=b\r\n", ""),
        "/v1/up" => answer("302 Found", "Location: /admin\r\n", ""),
        "/v1/dots" => answer("302 Found", "Location: /v1/../admin\r\n", ""),
        "/v1/far" => answer("302 Found", "Location: http://169.254.169.254/latest\r\n", ""),
        "/v1/port" => answer("302 Found", "Location: http://127.0.0.1:9/v1/x\r\n", ""),
        "/v1/name" => answer("302 Found", "Location: http://localhost/v1/x\r\n", ""),
        "/v1/user" => answer("307 Temporary Redirect", "Location: //me:pass@127.0.0.1/v1/x\r\n", ""),
        "/v1/script" => answer("302 Found", "Location: javascript:alert(1)\r\n", ""),
        "/v1/round" => answer("302 Found", "Location: /v1/round\r\n", ""),
        "/v1/lost" => answer("302 Found", "", ""),
        _ => json_answer("\"here\""),
    })
    .await;
    let rest = Rest::new(house.config());
    assert_eq!(get(&rest, "near").await.unwrap(), RestBody::Json(json!("here")));
    for path in ["up", "dots", "far", "port", "name", "user", "script", "round", "lost"] {
        let refused = get(&rest, path).await;
        assert!(matches!(refused, Err(RestErrorKind::Redirect { .. })), "{path}: {refused:?}");
    }
    assert!(!house.asked().iter().any(|asked| asked.starts_with("GET /admin")));
    let mut write = RestRequest::new("POST", "near");
    write.body = Some(Body::Json(json!(1)));
    let refused = rest.send(&write, &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(refused.kind, RestErrorKind::Redirect { .. }), "a write is not sent twice: {refused}");
}

#[tokio::test]
async fn what_is_too_large_too_slow_or_stopped_ends_with_a_reason() {
    let house = House::new(|line| match line.split(' ').nth(1).unwrap_or_default() {
        "/v1/announced" => b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n".to_vec(),
        "/v1/streamed" => {
            let mut large =
                b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n".to_vec();
            large.resize(200_000, b'x');
            large
        }
        "/v1/cut" => b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort".to_vec(),
        _ => Vec::new(),
    })
    .await;
    let mut config = house.config();
    config.max_answer_bytes = 100_000;
    let rest = Rest::new(config);
    for path in ["announced", "streamed"] {
        let refused = get(&rest, path).await;
        assert!(
            matches!(refused, Err(RestErrorKind::TooLarge { limit: 100_000, .. })),
            "{path}: {refused:?}"
        );
    }
    for path in ["cut", "nothing"] {
        assert!(matches!(get(&rest, path).await, Err(RestErrorKind::Network(_))), "{path}");
    }
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let config = RestConfig::new("gone", &format!("http://{gone}/"), false).unwrap();
    assert!(matches!(get(&Rest::new(config), "x").await, Err(RestErrorKind::Unreachable(_))));
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://127.0.0.1:{}/", silent.local_addr().unwrap().port());
    let mut config = RestConfig::new("silent", &address, false).unwrap();
    config.deadline = Duration::from_millis(50);
    assert!(matches!(get(&Rest::new(config.clone()), "x").await, Err(RestErrorKind::Deadline(_))));
    config.deadline = Duration::from_secs(600);
    let (rest, cancel) = (Rest::new(config), CancellationToken::new());
    let waiting = tokio::spawn({
        let (rest, cancel) = (rest.clone(), cancel.clone());
        async move { rest.send(&RestRequest::new("GET", "x"), &cancel).await }
    });
    let _connected = silent.accept().await.unwrap();
    cancel.cancel();
    assert_eq!(waiting.await.unwrap().unwrap_err().kind, RestErrorKind::Cancelled);
}

#[tokio::test]
async fn no_secret_stands_in_an_answer_an_error_or_the_log() {
    let house = House::new(|line| {
        let told = format!("you sent {CANARY} as {line}");
        match line.split(['?', ' ']).nth(1).unwrap_or_default() {
            "/v1/refused" => answer("403 Forbidden", "Content-Type: text/plain\r\n", &told),
            "/v1/busy" => answer("429 Too Many Requests", "Retry-After: 17\r\n", &told),
            _ => json_answer(&json!({"echo": told, "page": line}).to_string()),
        }
    })
    .await;
    let mut config = house.config();
    config.query.push(("key".into(), SecretString::from(CANARY)));
    config.headers.push(("Authorization".into(), SecretString::from(format!("Bearer {CANARY}"))));
    config.secrets.push(SecretString::from(CANARY));
    let rest = Rest::new(config);
    let mut told = String::new();
    for path in ["items", "refused", "busy"] {
        told.push_str(&format!("{:?}", get(&rest, path).await));
    }
    told.push_str(&format!("{:?}", rest.log()));
    assert!(told.contains("(secret)") && told.contains("17 s"), "{told}");
    let encoded: String = url::form_urlencoded::byte_serialize(CANARY.as_bytes()).collect();
    for form in [CANARY, "canary-7319", encoded.as_str()] {
        assert!(!told.contains(form), "{form} in {told}");
    }
}

/// A token that changes when it is refused.
struct Changing;

impl Present for Changing {
    fn current(&self) -> FreshToken<'_> {
        Box::pin(std::future::ready(Ok(SecretString::from("old-token"))))
    }

    fn renewed(&self, _refused: SecretString) -> FreshToken<'_> {
        Box::pin(std::future::ready(Ok(SecretString::from("new-token"))))
    }
}

#[tokio::test]
async fn a_refused_token_is_renewed_once() {
    let house = House::new(|line| match line.contains("/v1/never") {
        true => answer("401 Unauthorized", "", ""),
        false => json_answer("{}"),
    })
    .await;
    let mut config = house.config();
    config.token = Some(Arc::new(Changing));
    let rest = Rest::new(config);
    assert!(get(&rest, "items").await.is_ok());
    assert!(matches!(get(&rest, "never").await, Err(RestErrorKind::Status { status: 401, .. })));
    let bearers: Vec<bool> = house.asked().iter().map(|asked| asked.contains("Bearer new-token")).collect();
    assert_eq!(bearers, [false, false, true]);
}

#[tokio::test]
async fn the_next_page_is_told_only_where_it_lies_below_the_address() {
    let house = House::new(|line| {
        let link = match line.split(['?', ' ']).nth(1).unwrap_or_default() {
            "/v1/items" => "<?page=2&key=k>; rel=\"next\", <?page=9>; rel=\"last\"",
            "/v1/other" => "<https://evil.example/v1/items?page=2>; rel=\"next\"",
            _ => "</admin?page=2>; rel=\"next\"",
        };
        answer("200 OK", &format!("Content-Type: application/json\r\nLink: {link}\r\n"), "[]")
    })
    .await;
    let mut config = house.config();
    config.query.push(("key".into(), SecretString::from("k")));
    let rest = Rest::new(config);
    let mut found = Vec::new();
    for path in ["items", "other", "up"] {
        let answer = rest.send(&RestRequest::new("GET", path), &CancellationToken::new()).await.unwrap();
        found.push(answer.next);
    }
    // The key is the program's to add.
    assert_eq!(found, [Some("items?page=2".to_owned()), None, None]);
}
