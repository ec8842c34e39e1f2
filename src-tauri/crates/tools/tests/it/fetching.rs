//! Reading pages, and addresses that must not be reached.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use domain::CallEffect;
use net_guard::Allow;
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tools::{Kind, Parts};

use crate::rig::{Rig, run};

/// A server on loopback that answers each path with bytes that were given for it, and counts connections.
struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(answers: Vec<(&'static str, Vec<u8>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (counted, kept) = (Arc::clone(&connections), Arc::clone(&requests));
        tokio::spawn(async move {
            loop {
                let Ok((mut stream, _)) = listener.accept().await else { return };
                counted.fetch_add(1, Ordering::SeqCst);
                let (answers, kept) = (answers.clone(), Arc::clone(&kept));
                tokio::spawn(async move {
                    let mut request = Vec::new();
                    let mut buffer = [0; 4_096];
                    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                        match stream.read(&mut buffer).await {
                            Ok(read) if read > 0 => request.extend_from_slice(&buffer[..read]),
                            _ => return,
                        }
                    }
                    let request = String::from_utf8_lossy(&request).into_owned();
                    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                    kept.lock().unwrap().push(request);
                    let answer = answers.iter().find(|(known, _)| *known == path);
                    let missing =
                        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec();
                    let _ = stream.write_all(answer.map_or(&missing, |(_, bytes)| bytes)).await;
                    if path == "/hangs" {
                        std::future::pending::<()>().await;
                    }
                });
            }
        });
        Self { address, connections, requests }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn allow(&self) -> Allow {
        Allow::host(&self.address.ip().to_string(), self.address.port())
    }

    fn rig(&self) -> Rig {
        Rig::with(Parts { allow: self.allow(), ..Parts::default() })
    }
}

fn answer(kind: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nSet-Cookie: a=b\r\nConnection: close\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn moved(to: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        .into_bytes()
}

const PAGE: &str = "<!doctype html><html><head><title>A page</title><script>evil()</script></head><body>\
    <h1>Heading</h1><p>Some <a href=\"/other\">linked words</a> and <a href=\"javascript:x\">others</a>.</p>\
    <ul><li>One</li><li>Two</li></ul><pre>let a = 1;\n  b</pre><div style=\"display:none\">hidden words</div></body></html>";

#[tokio::test]
async fn a_page_is_read_as_markdown_with_its_links() {
    let server = Server::start(vec![("/page", answer("text/html; charset=utf-8", PAGE))]).await;
    let rig = server.rig();
    let url = server.url("/page");
    let planned = rig.plan("fetch", json!({"url": url})).await.unwrap();
    assert_eq!(planned.effect, CallEffect::Fetch { url: url.clone() });
    assert_eq!(planned.intent, format!("Fetch {url}"));
    let outcome = rig.call("fetch", json!({"url": url})).await.unwrap();
    let other = server.url("/other");
    assert_eq!(
        outcome.text,
        format!(
            "Title: A page\nAddress: {url}\n\n# Heading\n\nSome [linked words]({other}) and others.\n\n- One\n- Two\n\n\
             ```\nlet a = 1;\n  b\n```"
        )
    );
    let raw = rig.said("fetch", json!({"url": url, "raw": true})).await;
    assert!(raw.contains("<h1>Heading</h1>"));
    let requests = server.requests.lock().unwrap().join("\n").to_lowercase();
    assert!(
        !requests.contains("cookie") && !requests.contains("referer") && !requests.contains("authorization")
    );
}

#[tokio::test]
async fn a_page_that_the_library_has_is_given_from_there_unless_a_refresh_is_asked_for() {
    use web_library::policy::{Profile, Settings};
    use web_library::{Expectation, FetchRequest, Library, Refresh};

    let server = Server::start(vec![
        ("/page", answer("text/html; charset=utf-8", PAGE)),
        ("/other", answer("text/plain", "Others.")),
        ("/way", moved("/closed/page")),
        ("/closed/page", answer("text/plain", "Closed.")),
    ])
    .await;
    let home = tempfile::TempDir::new().unwrap();
    let library = Arc::new(Library::new(home.path(), Arc::default()));
    let settings = Settings {
        profile: Some(Profile::Permissive),
        local: vec![server.address.to_string().parse().unwrap()],
        robots: Some(false),
        ..Settings::default()
    };
    std::fs::create_dir_all(library.root()).unwrap();
    settings.write(library.root()).unwrap();
    let url = server.url("/page");
    let wish = FetchRequest {
        url: url.clone(),
        max_age_days: None,
        refresh: Refresh::WhenOld,
        expected: Expectation::Any,
    };
    library.fetch(&settings.into(), &wish, 1_795_651_200_000).await.unwrap();
    let pages = Some(tools::FetchedPages { library: library.clone(), now: || 1_795_651_200_000 });
    let rig = Rig::with(Parts { allow: server.allow(), pages, ..Parts::default() });
    let stored = rig.said("fetch", json!({"url": url})).await;
    assert!(
        stored.starts_with(
            "(Read on 2026-11-26, from the library of fetched pages, as text without its links. Pass refresh: "
        ),
        "{stored}"
    );
    assert!(
        stored.contains("refresh: true") && stored.contains("# Heading\n\nSome linked words and others."),
        "{stored}"
    );
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
    for arguments in [json!({"url": url, "refresh": true}), json!({"url": url, "raw": true})] {
        assert!(!rig.said("fetch", arguments).await.starts_with("(Read on"));
    }
    // What the library does not have is asked for.
    assert!(rig.said("fetch", json!({"url": server.url("/other")})).await.ends_with("Others."));
    assert_eq!(server.connections.load(Ordering::SeqCst), 4);
    let blocked = web_library::HostDecision::Block;
    // A redirect into a blocked folder ends before it.
    library.decide(&"127.0.0.1/closed".parse().unwrap(), blocked, 1_795_651_200_000).unwrap();
    assert_eq!(rig.fails("fetch", json!({"url": server.url("/way")})).await.kind, Kind::Refused);
    assert_eq!(server.connections.load(Ordering::SeqCst), 5);
    library.decide(&"127.0.0.1".parse().unwrap(), blocked, 1_795_651_200_000).unwrap();
    let other = server.url("/other");
    for arguments in [
        json!({"url": other}),
        json!({"url": other, "refresh": true}),
        json!({"url": url, "refresh": true}),
        json!({"url": url, "raw": true}),
    ] {
        assert_eq!(rig.fails("fetch", arguments).await.kind, Kind::Refused);
    }
    assert_eq!(server.connections.load(Ordering::SeqCst), 5);
}

#[tokio::test]
async fn what_is_read_and_what_is_refused_are_rows_of_the_log_of_fetches() {
    use web_library::log::LogKind;

    let drip = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nwords".to_vec();
    let server = Server::start(vec![
        ("/page", answer("text/html", PAGE)),
        ("/way", moved("/page")),
        ("/inside", moved("http://169.254.169.254/latest/")),
        ("/away", moved("https://example.org/page")),
        ("/zip", answer("application/zip", b"PK\x03\x04\0\0\0")),
        ("/hangs", drip),
    ])
    .await;
    let home = tempfile::TempDir::new().unwrap();
    let library = Arc::new(web_library::Library::new(home.path(), Arc::default()));
    std::fs::create_dir_all(library.root()).unwrap();
    std::fs::write(library.root().join("policy.json"), r#"{"maxSeconds": 1}"#).unwrap();
    let pages = Some(tools::FetchedPages { library: library.clone(), now: || 7 });
    let rig = Rig::with(Parts { allow: server.allow(), pages, ..Parts::default() });
    for (path, kind, code) in [
        ("/way", None, None),
        ("/inside", Some(Kind::Refused), Some("private_address")),
        ("/away", None, Some("other_site")),
        ("/zip", Some(Kind::Refused), Some("wrong_type")),
        ("/absent", Some(Kind::NotFound), Some("status")),
        // Ended by the longest that one fetch takes.
        ("/hangs", Some(Kind::Deadline), Some("deadline")),
    ] {
        let (url, at) = (server.url(path), rig.at());
        let done = rig.tool("fetch").run(&json!({"url": url}), &at, run()).await;
        let error = done.err();
        assert_eq!(error.as_ref().map(|error| error.kind), kind, "{path}");
        assert!(error.is_none_or(|error| !error.guidance.is_empty()), "{path}");
        let row = library.log().tail(1).unwrap().remove(0);
        assert_eq!((row.place, row.code.as_deref()), (url, code), "{path}");
        assert_eq!(row.kind, if code.is_none() { LogKind::Fetched } else { LogKind::Refused });
        assert_eq!(row.why.is_some(), code.is_some(), "{path}");
    }
    let rows = library.log().tail(99).unwrap();
    assert_eq!((rows.len(), rows[0].bytes), (6, Some(PAGE.len() as u64)));
    assert_eq!(rows[0].redirects, [server.url("/page")]);
    // What is refused before it is asked about, without the password.
    assert!(rig.plan("fetch", json!({"url": "http://someone:secret@example.org/"})).await.is_err());
    let row = library.log().tail(1).unwrap().remove(0);
    assert_eq!((row.place.as_str(), row.code.as_deref()), ("http://example.org/", Some("malformed_address")));
}

#[tokio::test]
async fn data_texts_pictures_and_documents_are_read_as_what_they_are() {
    let answers = vec![
        ("/json", answer("application/json", r#"{"a":[1,2]}"#)),
        ("/text", answer("text/plain; charset=iso-8859-1", b"Gr\xfc\xdfe")),
        ("/meta", answer("text/html", b"<html><head><meta charset=windows-1251></head><body><p>\xcf\xf0\xe8\xe2\xe5\xf2</p></body></html>")),
        ("/picture", answer("text/html", b"\x89PNG\r\n\x1a\n....")),
        ("/paper.pdf", answer("application/octet-stream", b"%PDF-1.7\n")),
        ("/zip", answer("application/zip", b"PK\x03\x04\0\0\0")),
        ("/empty", answer("text/html", b"")),
        ("/script", answer("text/html", b"<html><body><script>x()</script></body></html>")),
        ("/unsaid", b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<!DOCTYPE html><p>Hello</p>".to_vec()),
        ("/packed", b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\nxx".to_vec()),
    ];
    let server = Server::start(answers).await;
    let rig = server.rig();
    let said = |path: &str| rig.said("fetch", json!({"url": server.url(path)}));
    assert!(said("/json").await.ends_with("{\n  \"a\": [\n    1,\n    2\n  ]\n}"));
    assert!(said("/text").await.ends_with("Grüße"));
    assert!(said("/meta").await.ends_with("Привет"));
    assert!(said("/unsaid").await.ends_with("Hello"));
    assert!(said("/empty").await.contains("answers with nothing"));
    assert!(said("/script").await.contains("made by a script"));
    let picture = rig.call("fetch", json!({"url": server.url("/picture")})).await.unwrap();
    assert_eq!(picture.media[0].media_type, "image/png");
    let paper = rig.call("fetch", json!({"url": server.url("/paper.pdf")})).await.unwrap();
    assert_eq!(
        (paper.media[0].media_type.as_str(), paper.media[0].name.as_str()),
        ("application/pdf", "paper.pdf")
    );
    assert_eq!(rig.fails("fetch", json!({"url": server.url("/zip")})).await.kind, Kind::Refused);
    assert_eq!(rig.fails("fetch", json!({"url": server.url("/packed")})).await.kind, Kind::Failed);
    assert_eq!(rig.fails("fetch", json!({"url": server.url("/absent")})).await.kind, Kind::NotFound);
}

#[tokio::test]
async fn answers_that_do_not_end_are_bounded() {
    let huge = [
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n".to_vec(),
        vec![b'a'; 33 << 20],
    ]
    .concat();
    let said = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n".to_vec();
    let server = Server::start(vec![("/huge", huge), ("/said", said), ("/hangs", Vec::new())]).await;
    let rig = server.rig();
    assert_eq!(rig.fails("fetch", json!({"url": server.url("/huge")})).await.kind, Kind::TooLarge);
    assert_eq!(rig.fails("fetch", json!({"url": server.url("/said")})).await.kind, Kind::TooLarge);
    let run = run();
    let cancel = run.cancel.clone();
    let (arguments, at) = (json!({"url": server.url("/hangs")}), rig.at());
    let waiting = rig.tool("fetch").run(&arguments, &at, run);
    let requests = Arc::clone(&server.requests);
    let stopping = async {
        while requests.lock().unwrap().iter().all(|request| !request.contains("/hangs")) {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (done, ()) = tokio::join!(waiting, stopping);
    assert_eq!(done.unwrap_err().kind, Kind::Cancelled);
}

#[tokio::test]
async fn redirects_are_followed_within_a_site_and_told_beyond_it() {
    let answers = vec![
        ("/a", moved("/b")),
        ("/b", moved("c?x=http://169.254.169.254/")),
        ("/c?x=http://169.254.169.254/", answer("text/plain", "arrived")),
        ("/loop", moved("/loop")),
        ("/away", moved("https://example.org/page")),
        ("/nowhere", b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec()),
    ];
    let server = Server::start(answers).await;
    let rig = server.rig();
    assert!(rig.said("fetch", json!({"url": server.url("/a")})).await.ends_with("arrived"));
    assert!(
        rig.fails("fetch", json!({"url": server.url("/loop")})).await.message.contains("more than 5 times")
    );
    let away = rig.call("fetch", json!({"url": server.url("/away")})).await.unwrap();
    assert!(
        away.text.contains("has moved to https://example.org/page, which is another site"),
        "{}",
        away.text
    );
    assert_eq!(away.summary, "moved to example.org");
    assert_eq!(rig.fails("fetch", json!({"url": server.url("/nowhere")})).await.kind, Kind::Failed);
}

/// Addresses of this machine and of private networks, as they are written and as they are disguised.
fn forbidden(port: u16) -> BTreeSet<String> {
    let hosts = [
        "127.0.0.1",
        "127.0.0.2",
        "127.1",
        "127.0.1",
        "127.255.255.254",
        "0.0.0.0",
        "0",
        "0x7f000001",
        "0x7f.0.0.1",
        "0x7f.1",
        "2130706433",
        "017700000001",
        "0177.0.0.1",
        "0177.1",
        "0x7F000001",
        "00000177.0.0.1",
        "127.0.0.1.",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "LocalHost",
        "a.localhost",
        "localhost.localhost",
        "ｌｏｃａｌｈｏｓｔ",
        "loc\u{ad}alhost",
        "１２７.０.０.１",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
        "127．0．0．1",
        "127%2e0%2e0%2e1",
        "%31%32%37.0.0.1",
        "%6cocalhost",
        "[::1]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[0:0:0:0:0:ffff:127.0.0.1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b:1::7f00:1]",
        "[2002:7f00:1::]",
        "[2002:7f00:0001::1]",
        "[2001:0:7f00:1::]",
        "[fe80::1]",
        "[fe80::1%25eth0]",
        "[fe80::1%eth0]",
        "[fc00::1]",
        "[fd12:3456::1]",
        "[fec0::1]",
        "[ff02::1]",
        "[2001:db8::1]",
        "[100::1]",
        "[3fff::1]",
        "10.0.0.1",
        "10.255.255.255",
        "10.1",
        "0xa.0.0.1",
        "012.0.0.1",
        "167772161",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "192.168.1",
        "3232235777",
        "0xc0a80101",
        "169.254.169.254",
        "169.254.0.1",
        "2852039166",
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "169.254.43518",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "100.64.0.1",
        "100.127.255.254",
        "198.18.0.1",
        "198.19.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "192.88.99.1",
        "0.1.2.3",
    ];
    let mut all = BTreeSet::new();
    for host in hosts {
        all.insert(format!("http://{host}:{port}/"));
        all.insert(format!("https://{host}:{port}/"));
        all.insert(format!("http://{host}/latest/meta-data/"));
    }
    for text in [
        "http://user@127.0.0.1:PORT/",
        "http://user:pass@example.org/",
        "http://example.org@127.0.0.1:PORT/",
        "http://127.0.0.1:PORT@example.org/",
        "http://example.org:80@127.0.0.1:PORT/",
        "http://127.0.0.1:PORT\\@example.org/",
        "http://example.org\\@127.0.0.1:PORT/",
        "http:\\\\127.0.0.1:PORT/",
        "http:/127.0.0.1:PORT/",
        "http:127.0.0.1:PORT/",
        "http:////127.0.0.1:PORT/",
        "//127.0.0.1:PORT/",
        "127.0.0.1:PORT",
        "\thttp://127.0.0.1:PORT/",
        "ht\ntp://127.0.0.1:PORT/",
        "http://127.0.\n0.1:PORT/",
        "http://127.0.0.1:\tPORT/",
        "http://127.0.0.1:PORT#@example.org/",
        "http://127.0.0.1:PORT?@example.org/",
        "http://@127.0.0.1:PORT/",
        "http://:@127.0.0.1:PORT/",
        "file:///etc/passwd",
        "file://127.0.0.1/etc/passwd",
        "ftp://127.0.0.1:PORT/",
        "gopher://127.0.0.1:PORT/_x",
        "dict://127.0.0.1:PORT/",
        "ldap://127.0.0.1:PORT/",
        "jar:http://127.0.0.1:PORT/!/",
        "data:text/html,x",
        "javascript:alert(1)",
        "blob:http://127.0.0.1:PORT/x",
        "view-source:http://127.0.0.1:PORT/",
        "ws://127.0.0.1:PORT/",
        "unix:/run/x.sock",
        "about:blank",
        "http://",
        "http://:PORT/",
        "http://.:PORT/",
        "http://..:PORT/",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:-1/",
        "http://127.0.0.1:0/",
        "http://[::1/",
        "http://::1:PORT/",
        "http://[127.0.0.1]:PORT/",
        "http://127.0.0.1 :PORT/",
        "",
        " ",
        "x",
    ] {
        all.insert(text.replace("PORT", &port.to_string()));
    }
    all
}

#[tokio::test]
async fn no_address_of_this_machine_or_a_private_network_is_reached() {
    let canary = Server::start(vec![("/", answer("text/plain", "canary"))]).await;
    let port = canary.address.port();
    let rig = Rig::new();
    let corpus = forbidden(port);
    let mut planned = Vec::new();
    for url in &corpus {
        if rig.plan("fetch", json!({"url": url})).await.is_ok() {
            planned.push(url);
        }
        let (arguments, at) = (json!({"url": url}), rig.at());
        let done = rig.tool("fetch").run(&arguments, &at, run()).await;
        assert!(
            matches!(done.unwrap_err().kind, Kind::Arguments | Kind::Refused | Kind::NotFound),
            "{url:?}"
        );
    }
    assert_eq!(planned, Vec::<&String>::new());
    println!("{} addresses refused", corpus.len());
    assert!(corpus.len() >= 300, "{}", corpus.len());
    assert_eq!(canary.connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn no_redirect_leads_to_such_an_address() {
    let canary = Server::start(vec![("/", answer("text/plain", "canary"))]).await;
    let corpus: Vec<String> = forbidden(canary.address.port()).into_iter().collect();
    let mut answers: Vec<(&'static str, Vec<u8>)> = Vec::new();
    let mut paths = Vec::new();
    for (number, target) in corpus.iter().enumerate() {
        // A line end would end the header; what then stands in it is another address of the corpus.
        let target = target.replace(['\n', '\t'], "");
        if !target.is_ascii() {
            continue;
        }
        let path: &'static str = Box::leak(format!("/{number}").into_boxed_str());
        answers.push((path, moved(&target)));
        paths.push(path);
    }
    let server = Server::start(answers).await;
    let rig = server.rig();
    for path in &paths {
        let outcome = rig.call("fetch", json!({"url": server.url(path)})).await;
        assert!(!outcome.is_ok_and(|outcome| outcome.text.contains("canary")), "{path}");
    }
    println!("{} redirects not followed", paths.len());
    assert!(paths.len() >= 250, "{}", paths.len());
    assert_eq!(canary.connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn what_the_caller_allows_is_one_host_and_port() {
    let one = Server::start(vec![("/", answer("text/plain", "one")), ("/go", moved("/"))]).await;
    let other = Server::start(vec![("/", answer("text/plain", "canary"))]).await;
    let rig = one.rig();
    assert!(rig.said("fetch", json!({"url": one.url("/go")})).await.ends_with("one"));
    assert_eq!(rig.fails("fetch", json!({"url": other.url("/")})).await.kind, Kind::Refused);
    let by_name = format!("http://localhost:{}/", one.address.port());
    assert_eq!(rig.fails("fetch", json!({"url": by_name})).await.kind, Kind::Refused);
    assert_eq!(other.connections.load(Ordering::SeqCst), 0);
}
