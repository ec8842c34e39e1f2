//! Pages that others may read: nothing but them, for nobody but who knows their address.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use serve::{ShareOptions, ShareServer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::rig::{Answer, PATIENCE, World};

struct Shared {
    world: World,
    home: PathBuf,
    server: ShareServer,
}

impl Shared {
    /// Two sessions, of which nothing is shared yet.
    async fn new() -> Self {
        let world = World::new().await;
        let home = world.home.clone();
        for (id, words) in
            [("260111-swift-river", "Herons **fish** here."), ("260111-other-one", "Nobody reads this.")]
        {
            let header =
                json!({"format": "agentnative-session", "version": 1, "id": id, "title": id, "createdAt": 1});
            let message = json!({"id": "1", "role": "assistant", "at": 2, "text": words});
            let path = home.join(format!("{id}.jsonl"));
            std::fs::write(&path, format!("{header}\n{message}\n")).unwrap();
            let job = value(world.call("import_run", json!({ "path": path })).await)["job"].clone();
            loop {
                let jobs = value(world.call("job_list", json!(null)).await);
                let of = |known: &&Value| known["job"] == job && known["status"] != "running";
                if jobs.as_array().unwrap().iter().find(of).is_some() {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        let address = "127.0.0.1:0".parse().unwrap();
        let names = vec!["notes.example.org".to_owned()];
        let server = ShareServer::start(ShareOptions { home: home.clone(), address, names }).await.unwrap();
        Self { world, home, server }
    }

    /// The public id and the owner's token of a new share.
    async fn share(&self, session: &str) -> (String, String) {
        let rows = value(self.world.call("share_add", json!({ "session": session })).await);
        let text = |name: &str| rows[0][name].as_str().unwrap().to_owned();
        (text("id"), text("token"))
    }

    async fn ask(&self, line: &str, more: &str) -> Answer {
        self.raw(&format!(
            "{line} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n{more}\r\n",
            self.server.port()
        ))
        .await
    }

    async fn raw(&self, request: &str) -> Answer {
        let ask = async {
            let mut stream = TcpStream::connect(("127.0.0.1", self.server.port())).await.unwrap();
            let _ = stream.write_all(request.as_bytes()).await;
            let mut bytes = Vec::new();
            let _ = stream.read_to_end(&mut bytes).await;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
            let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
            Answer { status, head: head.to_owned(), body: body.to_owned() }
        };
        tokio::time::timeout(PATIENCE, ask).await.expect("an answer in time")
    }

    async fn end(self) {
        self.server.close().await;
        self.world.server.close().await.unwrap();
    }
}

/// What an answer holds.
fn value(answer: Value) -> Value {
    answer.get("value").cloned().unwrap_or(answer)
}

fn card(home: &Path, id: &str) -> PathBuf {
    home.join("shares").join(id).join("share.json")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_read_and_holds_its_own_session_alone() {
    let shared = Shared::new().await;
    let (id, token) = shared.share("260111-swift-river").await;
    let page = shared.ask(&format!("GET /s/{id}"), "").await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.body.contains("Herons <strong>fish</strong> here.") && page.body.ends_with("</html>\n"));
    assert!(
        !page.body.contains("Nobody reads")
            && !page.body.contains("other-one")
            && !page.body.contains(&token)
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(!policy.contains("script-src 'unsafe") && !policy.contains("'self'"), "{policy}");
    for (name, value) in [
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
        ("content-type", "text/html; charset=utf-8"),
    ] {
        assert_eq!(page.header(name), Some(value), "{name}");
    }
    assert_eq!(page.header("content-length"), Some(page.body.len().to_string().as_str()));
    assert_eq!(page.header("access-control-allow-origin"), None);
    let head = shared.ask(&format!("HEAD /s/{id}"), "").await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(head.header("content-length"), page.header("content-length"));
    let named = format!("GET /s/{id} HTTP/1.1\r\nHost: notes.example.org\r\nConnection: close\r\n\r\n");
    assert_eq!(shared.raw(&named).await.status, 200);
    shared.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_cannot_be_told_from_what_was_or_is_over() {
    let shared = Shared::new().await;
    let (revoked, _) = shared.share("260111-swift-river").await;
    let (expired, _) = shared.share("260111-swift-river").await;
    let (broken, _) = shared.share("260111-swift-river").await;
    let (there, token) = shared.share("260111-swift-river").await;
    shared.world.call("share_revoke", json!({ "id": revoked })).await;
    assert!(!shared.home.join("shares").join(&revoked).exists(), "nothing of it is left");
    let text = std::fs::read_to_string(card(&shared.home, &expired)).unwrap();
    let mut over: Value = serde_json::from_str(&text).unwrap();
    over["expiresAt"] = json!(1);
    std::fs::write(card(&shared.home, &expired), over.to_string()).unwrap();
    std::fs::write(card(&shared.home, &broken), "{").unwrap();
    let never = shared.ask(&format!("GET /s/{}", "0".repeat(32)), "").await;
    assert_eq!(never.status, 404);
    let plain = |answer: &Answer| {
        let head = answer.head.lines().filter(|line| !line.starts_with("date:")).map(str::to_owned);
        (head.collect::<Vec<_>>(), answer.body.clone())
    };
    for id in [&revoked, &expired, &broken] {
        assert_eq!(plain(&shared.ask(&format!("GET /s/{id}"), "").await), plain(&never), "{id}");
    }
    // A wrong token and a page that never was look the same, too.
    let wrong = shared.ask(&format!("DELETE /s/{there}"), "Authorization: Bearer wrong\r\n").await;
    assert_eq!(plain(&wrong), plain(&never));
    let held = std::fs::read_to_string(card(&shared.home, &there)).unwrap();
    assert!(!held.contains(&token), "only the token's digest is kept");
    shared.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_owner_ends_a_share_from_elsewhere() {
    let shared = Shared::new().await;
    let (id, token) = shared.share("260111-swift-river").await;
    let (other, _) = shared.share("260111-other-one").await;
    let almost = format!("{}0", &token[..token.len() - 1]);
    let almost = if almost == token { format!("{}1", &token[..token.len() - 1]) } else { almost };
    for wrong in [
        String::new(),
        "Authorization: Bearer \r\n".to_owned(),
        format!("Authorization: Bearer {almost}\r\n"),
        format!("Authorization: Basic {token}\r\n"),
        format!("Authorization: {token}\r\n"),
    ] {
        assert_eq!(shared.ask(&format!("DELETE /s/{id}"), &wrong).await.status, 404, "{wrong}");
    }
    let own = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(shared.ask(&format!("DELETE /s/{other}"), &own).await.status, 404, "a token is for one share");
    assert_eq!(shared.ask(&format!("GET /s/{id}"), "").await.status, 200);
    assert_eq!(shared.ask(&format!("DELETE /s/{id}"), &own).await.status, 200);
    assert_eq!(shared.ask(&format!("GET /s/{id}"), "").await.status, 404);
    assert_eq!(shared.ask(&format!("GET /s/{other}"), "").await.status, 200);
    shared.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_servers_own_address_says_what_it_shows_and_names_no_page() {
    let shared = Shared::new().await;
    let (id, token) = shared.share("260111-swift-river").await;
    for path in ["/", "/s", "/s/", "/s/?from=mail"] {
        let about = shared.ask(&format!("GET {path}"), "").await;
        assert_eq!(about.status, 200, "{path}: {about:?}");
        assert!(about.body.contains("Open the whole link that you were given"), "{path}: {}", about.body);
        for secret in [id.as_str(), &token, "swift-river"] {
            assert!(!about.body.contains(secret), "{path} tells {secret}");
        }
        assert!(about.header("content-security-policy").unwrap().contains("default-src 'none'"), "{path}");
    }
    assert_eq!(shared.ask("DELETE /", "").await.status, 404);
    shared.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_else_is_answered() {
    let shared = Shared::new().await;
    let (id, _) = shared.share("260111-swift-river").await;
    std::fs::write(shared.home.join("shares/loose.html"), "loose").unwrap();
    let paths = [
        "/api",
        "/events",
        "/s/../settings.json",
        "/s/..%2f..%2fsettings.json",
        "/s/loose.html",
        &format!("/s/{id}/"),
        &format!("/s/{id}/share.json"),
        &format!("/s/{id}/../{id}"),
        &format!("/s/{}", id.to_uppercase()),
        &format!("/S/{id}"),
    ];
    for (number, path) in paths.iter().enumerate() {
        // Each from another caller: who misses often has to wait.
        let from = format!("X-Forwarded-For: 192.0.2.{number}\r\n");
        assert_eq!(shared.ask(&format!("GET {path}"), &from).await.status, 404, "{path}");
    }
    let api = format!("Authorization: Bearer {}\r\nContent-Length: 29\r\n", shared.world.token);
    for method in ["POST /api", "PUT", "PATCH", "OPTIONS", "TRACE"] {
        let line = if method.contains(' ') { method.to_owned() } else { format!("{method} /s/{id}") };
        let answer = shared.ask(&line, &format!("{api}\r\n{{\"command\": \"session_counts\"}}")).await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD, DELETE")), "{line}");
        assert!(!answer.body.contains("inbox"));
    }
    for host in ["evil.example", "127.0.0.1", "notes.example.org.evil.example", ""] {
        let request = format!("GET /s/{id} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert!([400, 421].contains(&shared.raw(&request).await.status), "{host}");
    }
    let twice = format!(
        "GET /s/{id} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        shared.server.port()
    );
    assert!([400, 421].contains(&shared.raw(&twice).await.status));
    let long = shared.ask(&format!("GET /s/{id}"), &format!("X: {}\r\n", "x".repeat(64 << 10))).await;
    assert!([400, 431].contains(&long.status), "{long:?}");
    shared.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_read_at_once_and_who_guesses_is_slowed_down_alone() {
    let shared = Shared::new().await;
    let (id, _) = shared.share("260111-swift-river").await;
    // A large page, so that it is sent in many pieces.
    let large = format!("<!doctype html>{}</html>", "Herons fish here. ".repeat(300_000));
    std::fs::write(shared.home.join("shares").join(&id).join("page.html"), &large).unwrap();
    let line = format!("GET /s/{id}");
    let all = futures_util::future::join_all((0..30).map(|_| shared.ask(&line, ""))).await;
    assert!(all.iter().all(|answer| answer.status == 200 && answer.body == large));
    let mut slowed = false;
    for number in 0..60 {
        let guess = shared.ask(&format!("GET /s/{number:032x}"), "X-Forwarded-For: 192.0.2.7\r\n").await;
        assert!([404, 429].contains(&guess.status));
        slowed |= guess.status == 429 && guess.header("retry-after").is_some();
    }
    assert!(slowed, "who guesses has to wait");
    let other = shared.ask(&line, "X-Forwarded-For: 192.0.2.7, 198.51.100.1\r\n").await;
    assert_eq!(other.status, 200, "behind a proxy each caller counts alone");
    shared.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_gone_for_good_is_shared_no_longer() {
    let shared = Shared::new().await;
    let (id, _) = shared.share("260111-swift-river").await;
    shared
        .world
        .call("session_update", json!({ "sessions": ["260111-swift-river"], "patch": { "deleted": true } }))
        .await;
    shared.world.call("session_purge", json!({ "sessions": ["260111-swift-river"] })).await;
    assert_eq!(shared.ask(&format!("GET /s/{id}"), "").await.status, 404);
    shared.end().await;
}
