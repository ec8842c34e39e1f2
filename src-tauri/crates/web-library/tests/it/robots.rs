//! robots.txt, asked for and remembered.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use web_library::day::DAY_MS;
use web_library::policy::RobotsUse;

use crate::rig::{NOW, Rig, wish};
use crate::server::{Reply, Server, answer, answer_with, moved, status};

async fn site(robots: Reply) -> (Server, Rig) {
    let server = Server::start(move |path, _| match path {
        "/robots.txt" => robots.clone(),
        "/way" => moved("/private/x"),
        _ => answer("text/plain", "Words."),
    })
    .await;
    let mut rig = Rig::new(&[&server]);
    rig.policy.robots = RobotsUse::Honoured;
    (server, rig)
}

#[tokio::test]
async fn what_a_site_does_not_want_is_not_requested_nor_reached_by_a_redirect() {
    let (server, rig) =
        site(answer("text/plain", "User-agent: *\nDisallow: /private\nDisallow: /*?session=\n")).await;
    assert_eq!(rig.refusal(&server.url("/private/x")).await, "robots");
    assert_eq!(rig.refusal(&server.url("/open?session=1")).await, "robots");
    assert_eq!(server.requests().len(), 0);
    assert_eq!(rig.refusal(&server.url("/way")).await, "robots");
    assert_eq!(server.requests().len(), 1);
    assert!(rig.get(&server.url("/open")).await.is_ok());
    assert_eq!(server.robots_requests(), 1);
}

#[tokio::test]
async fn it_is_remembered_for_a_day_by_every_process() {
    let (server, rig) = site(answer("text/plain", "User-agent: *\nAllow: /\n")).await;
    rig.wish(&wish(&server.url("/a")), NOW).await.unwrap();
    let other = web_library::Library::new(rig.folder.path(), Arc::default());
    other.fetch(&rig.policy, &wish(&server.url("/b")), NOW + DAY_MS - 1).await.unwrap();
    assert_eq!(server.robots_requests(), 1);
    other.fetch(&rig.policy, &wish(&server.url("/c")), NOW + DAY_MS).await.unwrap();
    assert_eq!(server.robots_requests(), 2);
}

#[tokio::test]
async fn none_allows_everything_and_a_failing_server_nothing() {
    for (reply, code) in [
        (status("404 Not Found"), None),
        (status("403 Forbidden"), None),
        (moved("/robots.txt"), None),
        (status("500 Oh"), Some("robots_unreachable")),
        (status("503 Later"), Some("robots_unreachable")),
        (status("429 Slow"), Some("robots_unreachable")),
        (moved("http://10.0.0.1/robots.txt"), Some("robots_unreachable")),
        (answer_with("200 OK", "text/plain", "Content-Encoding: identity\r\n", ""), None),
        (
            answer_with("200 OK", "text/plain", "Content-Encoding: gzip\r\n", b"\x1f\x8b\x08\0"),
            Some("robots_unreachable"),
        ),
    ] {
        let (server, rig) = site(reply).await;
        let got = rig.get(&server.url("/a")).await;
        assert_eq!(got.err().map(|error| error.refusal.code()), code);
        assert_eq!(server.requests().len(), usize::from(code.is_none()));
    }
}

#[tokio::test]
async fn one_that_leads_to_an_unknown_host_waits_for_approval_where_the_profile_asks() {
    let (server, mut rig) = site(moved("https://unknown.example/robots.txt")).await;
    rig.policy.unknown = web_library::policy::UnknownHosts::Ask;
    for _ in 0..2 {
        let error = rig.get(&server.url("/a")).await.unwrap_err();
        assert_eq!(error.refusal.code(), "needs_approval");
    }
    // It is not remembered as a refusal: once allowed it counts.
    assert_eq!((server.requests().len(), server.robots_requests()), (0, 2));
}

#[tokio::test]
async fn the_time_between_requests_is_kept_up_to_a_bound() {
    let (server, mut rig) = site(answer("text/plain", "User-agent: *\nCrawl-delay: 3600\n")).await;
    rig.policy.bounds.max_crawl_delay = Duration::from_millis(300);
    let begun = Instant::now();
    for path in ["/a", "/b", "/c"] {
        rig.get(&server.url(path)).await.unwrap();
    }
    let took = begun.elapsed();
    assert!(took >= Duration::from_millis(600) && took < Duration::from_secs(30), "{took:?}");
}

#[tokio::test]
async fn a_profile_without_it_does_not_ask() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let server = Server::start(move |path, _| {
        counted.fetch_add(usize::from(path == "/robots.txt"), Ordering::SeqCst);
        answer("text/plain", "User-agent: *\nDisallow: /\n")
    })
    .await;
    let rig = Rig::new(&[&server]);
    assert!(rig.get(&server.url("/a")).await.is_ok());
    assert_eq!(count.load(Ordering::SeqCst), 0);
}
