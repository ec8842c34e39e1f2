//! The web search client against a service on this machine that answers as each test says.

use std::net::SocketAddr;
use std::time::Duration;

use mcp_servers::{BraveSearch, SearxngSearch, WebResult, WebSearch as _, WebSearchError};
use pretty_assertions::assert_eq;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

const KEY: &str = "key-of-the-tests";

/// What the service does once it has read a request.
enum Then {
    Say(Vec<u8>),
    Hang,
}

/// A service for one connection; what it was asked arrives on the channel.
async fn service(then: Then) -> (SocketAddr, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (asked, requests) = mpsc::channel(4);
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut buffer = [0; 4096];
            let length = stream.read(&mut buffer).await.unwrap();
            if length == 0 {
                break;
            }
            request.extend_from_slice(&buffer[..length]);
        }
        asked.send(String::from_utf8_lossy(&request).into_owned()).await.unwrap();
        match then {
            Then::Say(answer) => {
                // A client that has read enough hangs up.
                let _ = stream.write_all(&answer).await;
                let _ = stream.shutdown().await;
            }
            Then::Hang => std::future::pending().await,
        }
    });
    (address, requests)
}

fn http(status: &str, headers: &str, body: &str) -> Then {
    Then::Say(
        format!(
            "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .into_bytes(),
    )
}

async fn search(then: Then) -> (Result<Vec<WebResult>, WebSearchError>, String) {
    let (address, mut requests) = service(then).await;
    let client =
        BraveSearch::new(KEY, &format!("http://{address}")).unwrap().with_deadline(Duration::from_secs(5));
    let found = client.search("isa 320 & materiality", 3).await;
    (found, requests.recv().await.unwrap_or_default())
}

async fn failure(then: Then) -> WebSearchError {
    let error = search(then).await.0.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY));
    error
}

fn unavailable(why: &str) -> WebSearchError {
    WebSearchError::Unavailable(why.into())
}

#[tokio::test]
async fn results_come_back_as_plain_text() {
    let body = r#"{"type":"search","web":{"type":"search","results":[
        {"title":"<strong>ISA 320</strong> &amp; more","url":"https://example.org/a","description":"Line\u0000 one <script>x</script>","age":"2 days ago","extra":1},
        {"title":"No address"},
        {"title":"A trap","url":"javascript:alert(1)"},
        {"title":"Second","url":"https://example.org/b"}]}}"#;
    let (found, request) = search(http("200 OK", "content-type: application/json\r\n", body)).await;
    let page = |title: &str, url: &str, snippet: &str, age: Option<&str>| WebResult {
        title: title.into(),
        url: url.into(),
        snippet: snippet.into(),
        age: age.map(str::to_owned),
    };
    assert_eq!(
        found.unwrap(),
        [
            page("ISA 320 & more", "https://example.org/a", "Line one x", Some("2 days ago")),
            page("Second", "https://example.org/b", "", None),
        ]
    );
    let line = request.lines().next().unwrap();
    assert_eq!(line, "GET /res/v1/web/search?q=isa+320+%26+materiality&count=3 HTTP/1.1");
    assert!(request.to_lowercase().contains(&format!("x-subscription-token: {KEY}\r\n")), "{request}");
    assert!(!request.to_lowercase().contains("referer"));
}

#[tokio::test]
async fn an_answer_without_pages_is_no_error() {
    for body in ["{}", r#"{"web":{"results":[]}}"#, r#"{"web":null}"#] {
        assert_eq!(search(http("200 OK", "", body)).await.0, Ok(Vec::new()), "{body}");
    }
}

#[tokio::test]
async fn each_status_has_its_reason() {
    let body = format!("{{\"error\":\"{KEY}\"}}");
    assert_eq!(failure(http("401 Unauthorized", "", &body)).await, WebSearchError::Refused);
    assert_eq!(failure(http("403 Forbidden", "", &body)).await, WebSearchError::Refused);
    assert_eq!(failure(http("429 Too Many Requests", "", &body)).await, WebSearchError::RateLimited);
    assert_eq!(failure(http("500 Internal Server Error", "", &body)).await, unavailable("status 500"));
    assert_eq!(failure(http("422 Unprocessable Content", "", &body)).await, unavailable("status 422"));
}

#[tokio::test]
async fn a_redirect_is_refused_and_nothing_is_sent_there() {
    let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let headers = format!("location: http://{}/elsewhere\r\n", other.local_addr().unwrap());
    let error = failure(http("302 Found", &headers, "")).await;
    assert_eq!(error, unavailable("status 302: redirects are not followed"));
    let nobody = tokio::time::timeout(Duration::from_millis(50), other.accept()).await;
    assert!(nobody.is_err(), "a request was sent to the other address");
}

#[tokio::test]
async fn a_service_that_hangs_is_given_up_at_the_deadline() {
    let (address, _requests) = service(Then::Hang).await;
    let client = BraveSearch::new(KEY, &format!("http://{address}"))
        .unwrap()
        .with_deadline(Duration::from_millis(200));
    assert_eq!(client.search("a", 1).await, Err(unavailable("no answer within 0.2 s")));
}

#[tokio::test]
async fn answers_in_another_form_are_named() {
    let garbage = unavailable("its answer is not in the documented form");
    assert_eq!(failure(http("200 OK", "", "<html>Sign in</html>")).await, garbage);
    assert_eq!(failure(http("200 OK", "", r#"{"web":{"results":"none"}}"#)).await, garbage);
    assert_eq!(failure(Then::Say(b"no http at all".to_vec())).await, unavailable("the connection failed"));
    let cut = b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"web\"".to_vec();
    assert_eq!(failure(Then::Say(cut)).await, unavailable("the answer broke off"));
}

#[tokio::test]
async fn ten_megabytes_are_not_read() {
    let long = unavailable("its answer is longer than 2 MiB");
    let body = "x".repeat(10 << 20);
    assert_eq!(failure(http("200 OK", "", &body)).await, long);
    // Without a length the reading itself must stop.
    let endless = format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{body}").into_bytes();
    assert_eq!(failure(Then::Say(endless)).await, long);
}

#[tokio::test]
async fn no_service_is_no_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let client = BraveSearch::new(KEY, &format!("http://{address}")).unwrap();
    assert_eq!(client.search("a", 1).await, Err(unavailable("no connection")));
}

#[tokio::test]
async fn searxng_is_asked_for_json_and_its_pages_are_cleaned() {
    let body = r#"{"results": [
        {"title": "A <b>page</b>", "url": "https://one.example/", "content": "Words.", "publishedDate": "2026-01-02"},
        {"title": "No page", "url": "javascript:alert(1)", "content": ""},
        {"url": "https://two.example/x"}]}"#;
    let (address, mut requests) = service(http("200 OK", "", body)).await;
    let client = SearxngSearch::new(&format!("http://{address}/searx/")).unwrap();
    let found = client.search("audit evidence", 5).await.unwrap();
    let request = requests.recv().await.unwrap();
    assert!(request.starts_with("GET /searx/search?q=audit+evidence&format=json HTTP/1.1"), "{request}");
    let shown: Vec<_> =
        found.iter().map(|page| (page.title.as_str(), page.url.as_str(), page.age.as_deref())).collect();
    assert_eq!(
        shown,
        [
            ("A page", "https://one.example/", Some("2026-01-02")),
            ("two.example", "https://two.example/x", None)
        ]
    );
}

#[tokio::test]
async fn a_searxng_that_allows_no_json_is_told_from_one_that_is_down() {
    for (status, word) in
        [("403 Forbidden", "not_set_up"), ("429 Too Many", "rate_limited"), ("502 Bad", "no_answer")]
    {
        let (address, _requests) = service(http(status, "", "")).await;
        let client = SearxngSearch::new(&format!("http://{address}")).unwrap();
        assert_eq!(client.search("x", 5).await.unwrap_err().as_str(), word, "{status}");
    }
}
