//! Who may come in.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::rig::World;

const COUNTS: &str = r#"{"command": "session_counts"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_command_needs_the_token() {
    let world = World::new().await;
    let host = format!("Host: 127.0.0.1:{}\r\n", world.port);
    let almost = format!("{}0", &world.token[..63]);
    for wrong in [
        String::new(),
        "Authorization: Bearer \r\n".to_owned(),
        format!("Authorization: Bearer {almost}\r\n"),
        format!("Authorization: Bearer {}x\r\n", world.token),
        format!("Authorization: Basic {}\r\n", world.token),
        format!("Cookie: token={}\r\n", world.token),
    ] {
        // One in sixteen tokens ends with the digit that stands for the wrong one.
        if almost == world.token && wrong.contains(&format!("{almost}\r")) {
            continue;
        }
        let answer = world.post(&format!("{host}{wrong}"), COUNTS).await;
        assert_eq!(answer.status, 401, "{wrong}");
        assert_eq!(answer.json()["code"], "invalid_input");
        assert!(answer.json()["action"].as_str().unwrap().contains("agentnative serve"));
    }
    let answer = world.post(&world.allowed(), COUNTS).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["ok"]["inbox"], 0);
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    // In the address it counts for nothing: addresses are written down in many places.
    let request = format!(
        "POST /api?token={} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {}\r\n\r\n{COUNTS}",
        world.token,
        COUNTS.len()
    );
    assert_eq!(world.raw(&request).await.status, 401);
    world.server.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn another_name_is_refused_even_with_the_token() {
    let world = World::new().await;
    let token = format!("Authorization: Bearer {}\r\n", world.token);
    let port = world.port;
    for name in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        format!("localhost.:{port}"),
        format!("[::1]:{port}"),
        format!("0.0.0.0:{port}"),
        String::new(),
    ] {
        let answer = world.post(&format!("Host: {name}\r\n{token}"), COUNTS).await;
        assert!([400, 421].contains(&answer.status), "{name}: {answer:?}");
        let page = format!("GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n");
        let answer = world.raw(&page).await;
        assert!([400, 421].contains(&answer.status), "{name}: {answer:?}");
        assert!(!answer.body.contains("Window"));
    }
    let twice = format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n{token}");
    assert!([400, 421].contains(&world.post(&twice, COUNTS).await.status));
    assert!([400, 421].contains(&world.post(&token, COUNTS).await.status));
    // A request line that names another server than the header does.
    let absolute =
        format!("GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    assert!([400, 421].contains(&world.raw(&absolute).await.status));
    for name in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("LOCALHOST:{port}")] {
        assert_eq!(world.post(&format!("Host: {name}\r\n{token}"), COUNTS).await.status, 200, "{name}");
    }
    world.server.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn another_origin_is_refused_even_with_the_token() {
    let world = World::new().await;
    let port = world.port;
    for origin in [
        "http://evil.example".to_owned(),
        format!("http://evil.example:{port}"),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{}", port.wrapping_add(1)),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://localhost:{port}@evil.example"),
        "null".to_owned(),
    ] {
        let headers = format!("{}Origin: {origin}\r\n", world.allowed());
        let answer = world.post(&headers, COUNTS).await;
        assert_eq!(answer.status, 403, "{origin}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
        assert_eq!(world.get("/", &format!("Origin: {origin}\r\n")).await.status, 403, "{origin}");
        let refused = world.socket(&format!("127.0.0.1:{port}"), Some(&origin)).await.err();
        assert_eq!(refused, Some(403), "{origin}");
    }
    // The program that draws diagrams belongs to a document without an origin; nothing else does.
    assert_ne!(world.get("/mermaid.js", "Origin: null\r\n").await.status, 403);
    assert_eq!(world.get("/mermaid.js", "Origin: http://evil.example\r\n").await.status, 403);
    // A page of another origin asks beforehand whether it may send a token: nobody says yes.
    let before = format!(
        "OPTIONS /api HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://evil.example\r\n\
         Access-Control-Request-Method: POST\r\nConnection: close\r\n\r\n"
    );
    let answer = world.raw(&before).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (403, None));
    let own = format!("{}Origin: http://localhost:{port}\r\n", world.allowed());
    assert_eq!(world.post(&own, COUNTS).await.status, 200);
    world.server.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_have_bounds_and_failures_have_types() {
    let world = World::new().await;
    let allowed = world.allowed();
    // What is too large is refused by the length that it tells, before any of it is read.
    let length = 5 << 20;
    let request =
        format!("POST /api HTTP/1.1\r\n{allowed}Connection: close\r\nContent-Length: {length}\r\n\r\n");
    let answer = world.raw(&request).await;
    assert_eq!(answer.status, 413, "{}", answer.head);
    // Without a length it is cut off at the same place. Who still sends then may find the connection gone.
    let chunk = "x".repeat(1 << 20);
    let chunks = format!("{:x}\r\n{chunk}\r\n", chunk.len()).repeat(5);
    let request = format!(
        "POST /api HTTP/1.1\r\n{allowed}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n"
    );
    assert!([413, 0].contains(&world.raw(&request).await.status));
    let lines = "X-Filler: 1\r\n".repeat(100);
    assert_eq!(world.post(&format!("{allowed}{lines}"), COUNTS).await.status, 431);
    let line = format!("X-Filler: {}\r\n", "y".repeat(100_000));
    assert!([431, 0].contains(&world.post(&format!("{allowed}{line}"), COUNTS).await.status));
    for (body, code) in [
        ("", "invalid_input"),
        ("nonsense", "invalid_input"),
        (r#"{"command": "no_such_command"}"#, "invalid_input"),
        (r#"{"command": "agent_show", "params": {"slug": "nobody"}}"#, "not_found"),
        (r#"{"command": "agent_show", "params": {}}"#, "invalid_input"),
    ] {
        let answer = world.post(&world.allowed(), body).await;
        assert!([400, 404].contains(&answer.status), "{body}: {answer:?}");
        assert_eq!(answer.json()["code"], code, "{body}");
        assert!(answer.json()["message"].as_str().is_some_and(|text| !text.is_empty()));
    }
    let request = format!("PUT /api HTTP/1.1\r\n{allowed}Connection: close\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(world.raw(&request).await.status, 405);
    world.server.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn files_come_from_their_folder_alone() {
    let world = World::new().await;
    for path in [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/assets/../../secret.txt",
        "/assets/..%5c..%5csecret.txt",
        "/assets\\..\\..\\secret.txt",
        "//secret.txt",
        "/%00",
        "/assets/",
        "/.hidden",
        "/index.html%00.js",
        "/nothing.js",
    ] {
        let answer = world.get(path, "").await;
        assert!([400, 404].contains(&answer.status), "{path}: {answer:?}");
        assert!(!answer.body.contains("nobody's business"), "{path}");
    }
    let page = world.get("/", "").await;
    assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(page.body.contains("Window"));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    let policy = page.header("content-security-policy").unwrap();
    for part in [
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    let diagram = world.get("/mermaid.html", "").await;
    assert!(diagram.header("content-security-policy").unwrap().ends_with("sandbox allow-scripts"));
    let script = world.get("/assets/index-1.js?v=1", "").await;
    assert_eq!((script.status, script.header("content-type")), (200, Some("text/javascript; charset=utf-8")));
    assert!(script.header("cache-control").unwrap().contains("immutable"));
    let request = format!("DELETE / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", world.port);
    assert_eq!(world.raw(&request).await.status, 405);
    world.server.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn only_this_machine_is_served() {
    let world = World::new().await;
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0", "127.0.0.2:0"] {
        let options = serve::Options { address: address.parse().unwrap(), ui: None };
        let refused = serve::Server::start(world.host.clone(), options).await.err().unwrap();
        assert_eq!(refused.code, domain::ErrorCode::InvalidInput, "{address}");
        assert!(refused.action.is_some());
    }
    let taken = serve::Server::start(world.host.clone(), serve::Options::on_port(world.port)).await;
    assert_eq!(taken.err().map(|problem| problem.code), Some(domain::ErrorCode::InvalidInput));
    assert!(world.server.url().starts_with(&format!("http://127.0.0.1:{}/#token=", world.port)));
    world.server.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_ask_for_nothing_keep_nobody_out() {
    let world = World::new().await;
    let mut silent = Vec::new();
    for half in ["", "GET / HTTP/1.1\r\nHost: 127"].into_iter().cycle().take(160) {
        let mut stream = TcpStream::connect(("127.0.0.1", world.port)).await.unwrap();
        let _ = stream.write_all(half.as_bytes()).await;
        silent.push(stream);
    }
    let begun = std::time::Instant::now();
    for _ in 0..20 {
        assert_eq!(world.get("/", "").await.status, 200);
    }
    assert!(begun.elapsed() < std::time::Duration::from_secs(3), "{:?}", begun.elapsed());
    drop(silent);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_were_answered_and_stay_open_keep_nobody_out() {
    let world = World::new().await;
    let request = format!("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", world.port);
    let mut answered = Vec::new();
    for _ in 0..140 {
        let mut stream = TcpStream::connect(("127.0.0.1", world.port)).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut beginning = [0; 12];
        stream.read_exact(&mut beginning).await.unwrap();
        assert_eq!(&beginning, b"HTTP/1.1 200");
        answered.push(stream);
    }
    for _ in 0..20 {
        assert_eq!(world.get("/", "").await.status, 200);
    }
    drop(answered);
}
