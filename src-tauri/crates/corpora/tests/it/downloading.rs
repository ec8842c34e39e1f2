use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use corpora::{Download, DownloadError, Downloader, Progress, Receipt, receipt_of};
use domain::Digest;
use pretty_assertions::assert_eq;
use url::Url;

use super::server::{Server, answer};

const WHOLE: &[u8] = b"An original text that is long enough to be cut in the middle and joined again.";

fn asked_for(address: Url, folder: &Path) -> Download {
    Download { address, file: folder.join("text.txt"), sha256: None, most_bytes: 1 << 20, now_ms: 7 }
}

async fn fetch(what: &Download) -> (Result<Receipt, DownloadError>, Vec<Progress>) {
    let mut seen = Vec::new();
    let downloader = Downloader::new().unwrap().with_pause(Duration::ZERO);
    let result = downloader.fetch(what, &mut |now| seen.push(now), &AtomicBool::new(false)).await;
    (result, seen)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|one| one.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_file_comes_whole_with_a_receipt_and_is_not_fetched_twice() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|_, _| answer("200 OK", &[], WHOLE.len(), WHOLE)).await;
    let what = asked_for(server.at("/text.txt"), folder.path());
    let (result, seen) = fetch(&what).await;
    let receipt = result.unwrap();
    assert_eq!(fs::read(&what.file).unwrap(), WHOLE);
    assert_eq!((receipt.bytes, receipt.sha256, receipt.retrieved_at_ms), (78, Digest::of(WHOLE), 7));
    assert_eq!(seen.last(), Some(&Progress { bytes: 78, of: Some(78) }));
    assert_eq!(receipt_of(&what.file), Some(receipt.clone()));
    assert_eq!(fetch(&what).await.0.unwrap(), receipt);
    assert_eq!(server.asked().len(), 1);
    assert_eq!(names(folder.path()), ["text.txt", "text.txt.receipt.json"]);
    // A file that was changed on the disk is fetched again.
    fs::write(&what.file, "tampered").unwrap();
    fetch(&what).await.0.unwrap();
    assert_eq!(fs::read(&what.file).unwrap(), WHOLE);
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn a_cut_transfer_goes_on_where_it_stopped_and_names_the_version() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|number, _| match number {
        0 => answer("200 OK", &["ETag: \"v1\""], WHOLE.len(), &WHOLE[..30]),
        1 => answer(
            "206 Partial Content",
            &["ETag: \"v1\"", "Content-Range: bytes 30-77/78"],
            48,
            &WHOLE[30..50],
        ),
        _ => answer(
            "206 Partial Content",
            &["ETag: \"v1\"", "Content-Range: bytes 50-77/78"],
            28,
            &WHOLE[50..],
        ),
    })
    .await;
    let what = asked_for(server.at("/text.txt"), folder.path());
    let receipt = fetch(&what).await.0.unwrap();
    assert_eq!(receipt.sha256, Digest::of(WHOLE));
    let asked = server.asked();
    assert!(!asked[0].contains("range:"));
    assert!(asked[1].contains("range: bytes=30-") && asked[1].contains("if-range: \"v1\""), "{}", asked[1]);
    assert!(asked[2].contains("range: bytes=50-"));
}

#[tokio::test]
async fn what_came_before_a_failure_is_used_by_the_next_call() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|number, request| {
        if number < 4 {
            let from = if request.contains("range: bytes=20-") { 20 } else { 0 };
            let range = format!("Content-Range: bytes {from}-77/78");
            let status = if from > 0 { "206 Partial Content" } else { "200 OK" };
            // The first attempt brings 20 bytes, the others nothing.
            let body = if number == 0 { &WHOLE[..20] } else { &[][..] };
            answer(status, &["ETag: \"v1\"", &range], 78 - from, body)
        } else {
            assert!(request.contains("range: bytes=20-"));
            answer(
                "206 Partial Content",
                &["ETag: \"v1\"", "Content-Range: bytes 20-77/78"],
                58,
                &WHOLE[20..],
            )
        }
    })
    .await;
    let what = asked_for(server.at("/text.txt"), folder.path());
    let (result, _) = fetch(&what).await;
    assert!(matches!(result, Err(DownloadError::Interrupted { bytes: 20, .. })), "{result:?}");
    assert_eq!(fetch(&what).await.0.unwrap().sha256, Digest::of(WHOLE));
}

#[tokio::test]
async fn a_file_that_changed_in_between_is_never_glued_together() {
    let folder = tempfile::tempdir().unwrap();
    let newer: Vec<u8> = WHOLE.iter().map(u8::to_ascii_uppercase).collect();
    let second = newer.clone();
    let server = Server::start(move |number, _| match number {
        0 => answer("200 OK", &["ETag: \"v1\""], WHOLE.len(), &WHOLE[..30]),
        // If-Range does not hold any more: the whole new file comes.
        _ => answer("200 OK", &["ETag: \"v2\""], second.len(), &second),
    })
    .await;
    let what = asked_for(server.at("/text.txt"), folder.path());
    assert_eq!(fetch(&what).await.0.unwrap().sha256, Digest::of(&newer));
    // A server that answers with another range than asked for.
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|number, request| match number {
        0 => answer("200 OK", &["ETag: \"v1\""], WHOLE.len(), &WHOLE[..30]),
        1 => answer("206 Partial Content", &["Content-Range: bytes 10-77/78"], 68, &WHOLE[10..]),
        _ => {
            assert!(!request.contains("range:"));
            answer("200 OK", &[], WHOLE.len(), WHOLE)
        }
    })
    .await;
    let what = asked_for(server.at("/text.txt"), folder.path());
    assert_eq!(fetch(&what).await.0.unwrap().sha256, Digest::of(WHOLE));
}

#[tokio::test]
async fn a_transfer_without_a_version_begins_anew() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|number, request| {
        assert!(!request.contains("range:"));
        let body = if number == 0 { &WHOLE[..30] } else { WHOLE };
        answer("200 OK", &["ETag: W/\"meaning\""], WHOLE.len(), body)
    })
    .await;
    let what = asked_for(server.at("/text.txt"), folder.path());
    assert_eq!(fetch(&what).await.0.unwrap().sha256, Digest::of(WHOLE));
}

#[tokio::test]
async fn bytes_that_are_not_the_expected_ones_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|_, _| answer("200 OK", &["ETag: \"v1\""], WHOLE.len(), WHOLE)).await;
    let mut what = asked_for(server.at("/text.txt"), folder.path());
    what.sha256 = Some(Digest::of(b"something else"));
    let error = fetch(&what).await.0.unwrap_err();
    assert!(error.to_string().contains(&Digest::of(WHOLE).to_string()), "{error}");
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[tokio::test]
async fn too_large_files_are_not_taken_whether_announced_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|number, _| match number {
        0 => answer("200 OK", &[], WHOLE.len(), WHOLE),
        _ => [b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".as_slice(), WHOLE].concat(),
    })
    .await;
    let mut what = asked_for(server.at("/text.txt"), folder.path());
    what.most_bytes = 40;
    for _ in 0..2 {
        let error = fetch(&what).await.0.unwrap_err();
        assert!(matches!(error, DownloadError::TooLarge { limit: 40 }), "{error}");
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }
}

#[tokio::test]
async fn redirections_are_followed_only_to_addresses_that_may_be_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|_, request| match request {
        to if to.starts_with("get /old") => answer("302 Found", &["Location: /new"], 0, b""),
        to if to.starts_with("get /file") => answer("302 Found", &["Location: file:///etc/passwd"], 0, b""),
        to if to.starts_with("get /round") => answer("302 Found", &["Location: /round"], 0, b""),
        _ => answer("200 OK", &[], WHOLE.len(), WHOLE),
    })
    .await;
    let receipt = fetch(&asked_for(server.at("/old"), folder.path())).await.0.unwrap();
    assert_eq!(receipt.answered_by, server.at("/new").to_string());
    let refused = fetch(&asked_for(server.at("/file"), folder.path())).await.0.unwrap_err();
    assert!(matches!(refused, DownloadError::Address(_)), "{refused}");
    let round = fetch(&asked_for(server.at("/round"), folder.path())).await.0.unwrap_err();
    assert!(matches!(round, DownloadError::Redirects(_)), "{round}");
    assert_eq!(server.asked().len(), 2 + 1 + 6);
}

#[tokio::test]
async fn refusals_and_a_missing_network_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|number, _| match number {
        0 => answer("404 Not Found", &[], 0, b""),
        1 => answer("503 Service Unavailable", &[], 0, b""),
        _ => answer("200 OK", &[], WHOLE.len(), WHOLE),
    })
    .await;
    let what = asked_for(server.at("/text.txt"), folder.path());
    let refused = fetch(&what).await.0.unwrap_err().to_string();
    assert!(refused.contains("404") && refused.contains("publisher"), "{refused}");
    // A server that is busy is asked again.
    assert!(fetch(&what).await.0.is_ok());
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Url::parse(&format!("http://{}/catalog.json", free.local_addr().unwrap())).unwrap();
    drop(free);
    let error = fetch(&asked_for(address, folder.path())).await.0.unwrap_err().to_string();
    assert!(error.contains("cannot be reached") && error.contains("another machine"), "{error}");
}

#[tokio::test]
async fn a_cancelled_download_keeps_what_came() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|number, request| match number {
        0 => answer("200 OK", &["ETag: \"v1\""], WHOLE.len(), &WHOLE[..30]),
        _ => {
            assert!(request.contains("range: bytes=30-"));
            answer("206 Partial Content", &["Content-Range: bytes 30-77/78"], 48, &WHOLE[30..])
        }
    })
    .await;
    let what = asked_for(server.at("/text.txt"), folder.path());
    let cancel = AtomicBool::new(false);
    let downloader = Downloader::new().unwrap().with_pause(Duration::ZERO);
    let mut stop = |_: Progress| cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    let error = downloader.fetch(&what, &mut stop, &cancel).await.unwrap_err();
    assert!(matches!(error, DownloadError::Cancelled), "{error}");
    assert_eq!(fetch(&what).await.0.unwrap().sha256, Digest::of(WHOLE));
}
