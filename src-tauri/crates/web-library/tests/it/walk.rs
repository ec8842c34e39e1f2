//! Addresses and redirects: where nothing is requested.

use pretty_assertions::assert_eq;
use web_library::Refusal;
use web_library::policy::{LocalHost, Policy, Profile};

use crate::rig::Rig;
use crate::server::{Server, answer, moved};

#[tokio::test]
async fn redirects_are_followed_within_the_site_and_kept() {
    let server = Server::start(|path, _| match path {
        "/a" => moved("/b"),
        "/b" => moved("c"),
        _ => answer("text/plain", "Words."),
    })
    .await;
    let rig = Rig::new(&[&server]);
    let page = rig.get(&server.url("/a")).await.unwrap().page;
    assert_eq!(page.redirects, [server.url("/a"), server.url("/b")]);
    assert_eq!((page.url, page.final_url), (server.url("/a"), server.url("/c")));
}

#[tokio::test]
async fn a_redirect_to_a_private_address_reaches_nothing() {
    let inner = Server::start(|_, _| answer("text/plain", "secret")).await;
    let target = inner.url("/");
    let port = inner.address.port();
    let server = Server::start(move |path, _| match path {
        "/literal" => moved(&target),
        "/name" => moved(&format!("http://localhost:{port}/")),
        "/six" => moved(&format!("http://[::ffff:127.0.0.1]:{port}/")),
        "/cloud" => moved("http://169.254.169.254/latest/meta-data/"),
        "/home" => moved("https://192.168.0.1/"),
        "/odd" => moved(&format!("http://2130706433:{port}/")),
        "/file" => moved("file:///etc/passwd"),
        "/user" => moved(&format!("http://user@127.0.0.1:{port}/")),
        _ => moved(""),
    })
    .await;
    let rig = Rig::new(&[&server]);
    for path in ["/literal", "/name", "/six", "/cloud", "/home"] {
        assert_eq!(rig.refusal(&server.url(path)).await, "private_address", "{path}");
    }
    for path in ["/odd", "/file", "/user", "/empty"] {
        assert_eq!(rig.refusal(&server.url(path)).await, "redirect_target", "{path}");
    }
    assert_eq!(inner.requests().len(), 0);
    rig.holds(0);
}

#[tokio::test]
async fn a_name_that_leads_to_this_machine_reaches_nothing() {
    let server = Server::start(|_, _| answer("text/plain", "secret")).await;
    let mut rig = Rig::new(&[&server]);
    let port = server.address.port();
    for url in [
        format!("http://localhost:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://127.1:{port}/"),
    ] {
        let code = rig.refusal(&url).await;
        assert!(matches!(code, "private_address" | "malformed_address"), "{url}: {code}");
    }
    assert_eq!(server.requests().len(), 0);
    // Named by the user it is reached.
    let local: LocalHost = format!("localhost:{port}").parse().unwrap();
    rig.policy.local.push(local);
    assert!(rig.get(&format!("http://localhost:{port}/")).await.is_ok());
}

#[tokio::test]
async fn circles_and_long_ways_end() {
    let server = Server::start(|path, _| match path {
        "/self" => moved("/self"),
        "/a" => moved("/b"),
        "/b" => moved("/a"),
        other => moved(&format!("{other}x")),
    })
    .await;
    let rig = Rig::new(&[&server]);
    assert_eq!(rig.refusal(&server.url("/self")).await, "redirect_loop");
    assert_eq!(rig.refusal(&server.url("/a")).await, "redirect_loop");
    assert_eq!(server.requests().len(), 3);
    assert_eq!(rig.refusal(&server.url("/long")).await, "too_many_redirects");
    assert_eq!(server.requests().len(), 3 + 6);
}

#[tokio::test]
async fn strict_asks_for_a_host_before_anything_is_requested_from_it() {
    let server = Server::start(|_, _| moved("https://unknown.example/page")).await;
    let mut rig = Rig::new(&[&server]);
    rig.policy = Policy { local: rig.policy.local.clone(), ..Policy::from(Profile::Strict) };
    rig.policy.robots = web_library::policy::RobotsUse::Ignored;
    for url in ["https://unknown.example/", &server.url("/away")] {
        let error = rig.get(url).await.unwrap_err();
        assert!(
            matches!(&error.refusal, Refusal::NeedsApproval { host } if host == "unknown.example"),
            "{error}"
        );
    }
    assert_eq!(server.requests().len(), 1);
    let other = Server::start(|_, _| answer("text/plain", "x")).await;
    assert_eq!(rig.refusal(&other.url("/")).await, "private_address");
    assert_eq!(other.requests().len(), 0);
}

#[tokio::test]
async fn the_lists_count_before_anything_is_requested_and_for_what_is_stored() {
    let server = Server::start(|path, _| match path {
        "/way" => moved("/blocked/page"),
        _ => answer("text/plain", "Words."),
    })
    .await;
    let mut rig = Rig::new(&[&server]);
    rig.get(&server.url("/blocked/page")).await.unwrap();
    rig.get(&server.url("/way")).await.unwrap();
    let before = server.requests().len();
    rig.policy.block.push("127.0.0.1/blocked".parse().unwrap());
    assert_eq!(rig.refusal(&server.url("/blocked/page")).await, "blocked");
    assert_eq!(server.requests().len(), before);
    // The way there is known, so it is asked for again and ends before the blocked page.
    assert_eq!(rig.refusal(&server.url("/way")).await, "blocked");
    assert_eq!(server.requests().len(), before + 1);
    rig.policy.block.clear();
    rig.policy.only.push("example.org".parse().unwrap());
    assert_eq!(rig.refusal(&server.url("/blocked/page")).await, "other_source");
    assert_eq!(server.requests().len(), before + 1);
}

#[tokio::test]
async fn a_password_in_an_address_is_refused_and_stands_nowhere() {
    let rig = Rig::new(&[]);
    let url = "https://eva:hunter2@example.org/x";
    let error = rig.get(url).await.unwrap_err();
    assert_eq!(error.refusal.code(), "malformed_address");
    let log = std::fs::read_to_string(rig.library.root().join("log.jsonl")).unwrap();
    assert!(!log.contains("hunter2") && !error.to_string().contains("hunter2"), "{log}{error}");
    assert_eq!(rig.refusal("https://example.org\\@127.0.0.1/").await, "malformed_address");
    assert_eq!(rig.refusal("http://example.org/").await, "https_required");
}
