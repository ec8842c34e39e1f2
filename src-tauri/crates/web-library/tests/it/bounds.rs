//! Bounds of size, time and type.

use std::io::Write as _;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use pretty_assertions::assert_eq;

use crate::rig::Rig;
use crate::server::{Reply, Server, answer, answer_with, status};

const MEGABYTE: usize = 1 << 20;

fn packed(bytes: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    bytes.for_each(|piece| encoder.write_all(&piece).unwrap());
    encoder.finish().unwrap()
}

fn gzip(kind: &str, body: &[u8]) -> Reply {
    answer_with("200 OK", kind, "Content-Encoding: gzip\r\n", body)
}

fn flood(kind: &str, start: &'static [u8], bytes: usize, is_declared: bool) -> Reply {
    let length = if is_declared { format!("Content-Length: {bytes}\r\n") } else { String::new() };
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{length}Connection: close\r\n\r\n");
    Reply::Flood { head, start, bytes }
}

#[tokio::test]
async fn what_is_too_large_is_refused_whether_its_length_is_said_or_not() {
    let server = Server::start(|path, _| match path {
        "/declared.pdf" => flood("application/pdf", b"%PDF-1.7\n", 101 * MEGABYTE, true),
        "/undeclared.pdf" => flood("application/pdf", b"%PDF-1.7\n", 101 * MEGABYTE, false),
        "/page" => flood("text/html", b"<!doctype html>", 33 * MEGABYTE, true),
        // A header can't make a page a PDF.
        "/lies.pdf" => flood("application/pdf", b"<!doctype html>", 33 * MEGABYTE, false),
        _ => status("404 Not Found"),
    })
    .await;
    let rig = Rig::new(&[&server]);
    for path in ["/declared.pdf", "/undeclared.pdf", "/page", "/lies.pdf"] {
        assert_eq!(rig.refusal(&server.url(path)).await, "too_large", "{path}");
    }
    rig.holds(0);
    assert_eq!(rig.refusal(&server.url("/absent")).await, "status");
}

#[tokio::test]
async fn a_bomb_is_refused_and_an_honest_packed_page_is_read() {
    let bomb = packed((0..40).map(|_| vec![b'a'; MEGABYTE]));
    assert!(bomb.len() < MEGABYTE);
    let page = packed(std::iter::once(b"<!doctype html><p>Words.</p>".to_vec()));
    let cut = page[..page.len() - 6].to_vec();
    let program = packed(std::iter::once(b"\x7fELF\x02\x01".to_vec()));
    let server = Server::start(move |path, _| match path {
        "/bomb" => gzip("text/html", &bomb),
        "/page" => gzip("text/html", &page),
        "/cut" => gzip("text/html", &cut),
        "/program" => gzip("text/html", &program),
        "/unknown" => answer_with("200 OK", "text/html", "Content-Encoding: br\r\n", "xx"),
        _ => gzip("text/html", b"no gzip"),
    })
    .await;
    let rig = Rig::new(&[&server]);
    assert_eq!(rig.refusal(&server.url("/bomb")).await, "unpacks_too_large");
    assert_eq!(rig.refusal(&server.url("/program")).await, "executable");
    for path in ["/cut", "/unknown", "/garbage"] {
        assert_eq!(rig.refusal(&server.url(path)).await, "packed", "{path}");
    }
    rig.holds(0);
    let text = rig.get(&server.url("/page")).await.unwrap().text.unwrap();
    assert_eq!(text.blocks[0].text, "Words.");
}

#[tokio::test]
async fn programs_archives_and_pictures_are_refused_whatever_they_are_called() {
    let server = Server::start(|path, _| match path {
        "/zip" => answer("text/html", b"PK\x03\x04\x14\0\0\0evil.txt"),
        "/elf" => answer("application/pdf", b"\x7fELF\x02\x01\x01"),
        "/script" => answer("text/plain", b"#!/bin/sh\nrm -rf ~\n"),
        "/gz" => answer("text/plain", b"\x1f\x8b\x08\0"),
        "/png" => answer("text/html", b"\x89PNG\r\n\x1a\n"),
        "/binary" => answer("text/html", b"words\0words"),
        _ => answer("text/html", b""),
    })
    .await;
    let rig = Rig::new(&[&server]);
    for (path, code) in [
        ("/zip", "archive"),
        ("/elf", "executable"),
        ("/script", "executable"),
        ("/gz", "archive"),
        ("/png", "wrong_type"),
        ("/binary", "wrong_type"),
        ("/empty", "empty"),
    ] {
        assert_eq!(rig.refusal(&server.url(path)).await, code, "{path}");
    }
    rig.holds(0);
}

#[tokio::test]
async fn what_drips_falls_silent_or_takes_too_long_is_given_up() {
    let head = || "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n".to_owned();
    let server = Server::start(move |path, _| match path {
        "/drip" => Reply::Drip { head: head(), every: Duration::from_millis(20) },
        "/pause" => Reply::Drip { head: head(), every: Duration::from_secs(60) },
        _ => Reply::Silence,
    })
    .await;
    let mut rig = Rig::new(&[&server]);
    rig.policy.bounds.grace = Duration::from_millis(200);
    rig.policy.bounds.max_silence = Duration::from_millis(700);
    let begun = Instant::now();
    assert_eq!(rig.refusal(&server.url("/drip")).await, "too_slow");
    assert_eq!(rig.refusal(&server.url("/pause")).await, "silence");
    assert_eq!(rig.refusal(&server.url("/silent")).await, "silence");
    rig.policy.bounds.min_bytes_per_second = 0;
    rig.policy.bounds.max_duration = Duration::from_millis(500);
    assert_eq!(rig.refusal(&server.url("/drip")).await, "deadline");
    assert!(begun.elapsed() < Duration::from_secs(20));
    rig.holds(0);
}

#[tokio::test]
async fn an_answer_that_breaks_off_leaves_nothing() {
    let server = Server::start(|_, _| {
        Reply::Bytes(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\nConnection: close\r\n\r\nhalf".to_vec())
    })
    .await;
    let rig = Rig::new(&[&server]);
    assert_eq!(rig.refusal(&server.url("/")).await, "no_answer");
    rig.holds(0);
    assert_eq!(rig.library.pages().unwrap(), []);
}

#[tokio::test]
async fn a_fetch_that_is_given_up_leaves_nothing() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n";
    let server =
        Server::start(move |_, _| Reply::Drip { head: head.into(), every: Duration::from_millis(5) }).await;
    let rig = Rig::new(&[&server]);
    let url = server.url("/");
    assert!(tokio::time::timeout(Duration::from_millis(300), rig.get(&url)).await.is_err());
    rig.holds(0);
    // But that it was asked for.
    let rows = rig.library.log().tail(9).unwrap();
    let told: Vec<(&str, Option<&str>)> =
        rows.iter().map(|row| (row.place.as_str(), row.code.as_deref())).collect();
    assert_eq!(told, [(url.as_str(), Some("given_up"))]);
}
