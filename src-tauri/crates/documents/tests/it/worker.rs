//! Reading in child processes, hostile ones among them.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use documents::worker::{ReadLimits, Reader};
use documents::{Document, Format, Limits, ReadError};
use pretty_assertions::assert_eq;
use tempfile::TempDir;

use crate::paper::{Page, Paper};

fn reader() -> Reader {
    Reader::new(vec![env!("CARGO_BIN_EXE_documents-reader").into()])
}

/// A child that does `deed` instead of reading.
fn hostile(deed: &str) -> Reader {
    let mut reader = Reader::new(vec![env!("CARGO_BIN_EXE_documents-hostile").into(), deed.into()]);
    reader.patience = ReadLimits { base: Duration::from_secs(1), ..ReadLimits::default() };
    reader
}

fn file(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn read(reader: &Reader, path: &Path, format: Format) -> Result<Document, ReadError> {
    reader.read(path, format, &Limits::default(), &AtomicBool::new(false))
}

/// What became of a request to a child that does `deed`.
fn fate(deed: &str) -> ReadError {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.txt", b"Words.");
    read(&hostile(deed), &path, Format::Text).expect_err("no document can come of it")
}

#[test]
fn a_child_reads_what_the_program_itself_would() {
    let folder = TempDir::new().unwrap();
    let page = |number: usize| Page::default().lines(72.0, 100.0, &[&format!("Words of page {number}.")]);
    let pdf = file(&folder, "a.pdf", &Paper::new((0..30).map(page)).bytes());
    let text = file(&folder, "a.txt", b"Words.\n\nMore \xe2\x80\x9cwords\xe2\x80\x9d.");
    let (reader, inside) = (reader(), Reader::default());
    for (path, format) in [(&pdf, Format::Pdf), (&text, Format::Text), (&pdf, Format::Pdf)] {
        let document = read(&reader, path, format).expect("a readable file");
        assert!(!document.blocks.is_empty());
        assert_eq!(Ok(document), read(&inside, path, format));
    }
}

#[test]
fn a_readers_error_comes_over_as_it_is() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.pdf", b"%PDF-1.7\nnothing");
    let (reader, inside) = (reader(), Reader::default());
    let error = read(&reader, &path, Format::Pdf).expect_err("no PDF");
    assert!(matches!(error, ReadError::Malformed { format: "PDF", .. }), "{error:?}");
    assert_eq!(Err(error), read(&inside, &path, Format::Pdf));
    assert!(matches!(read(&reader, &folder.path().join("none"), Format::Text), Err(ReadError::Io(_))));
}

#[test]
fn a_child_that_dies_costs_one_file() {
    assert!(matches!(fate("abort"), ReadError::Crashed { what } if what.contains("signal")));
    assert!(matches!(fate("exit"), ReadError::Crashed { what } if what.contains('3')));
    assert!(matches!(fate("garbage"), ReadError::Crashed { .. }));
}

#[test]
fn a_child_that_spins_is_given_up() {
    assert_eq!(fate("spin"), ReadError::TooSlow { seconds: 1 });
}

#[test]
fn a_child_that_only_says_that_it_lives_is_given_up() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.txt", b"Words.");
    let limits = Limits { pages: 5, ..Limits::default() };
    let error = hostile("beat").read(&path, Format::Text, &limits, &AtomicBool::new(false));
    assert_eq!(error, Err(ReadError::TooSlow { seconds: 2 }));
}

#[test]
fn a_flood_of_answers_is_cut_off() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.txt", b"Words.");
    let limits = Limits { text_bytes: 1 << 20, blocks: 1000, ..Limits::default() };
    let error = hostile("flood").read(&path, Format::Text, &limits, &AtomicBool::new(false));
    assert!(matches!(error, Err(ReadError::TooLarge { what: "bytes of answer", .. })), "{error:?}");
}

#[test]
fn cancelling_ends_the_wait() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.txt", b"Words.");
    let mut reader = hostile("spin");
    reader.patience.base = Duration::from_secs(600);
    let cancel = AtomicBool::new(false);
    let begun = Instant::now();
    let result = std::thread::scope(|scope| {
        let reading = scope.spawn(|| reader.read(&path, Format::Text, &Limits::default(), &cancel));
        cancel.store(true, Ordering::Relaxed);
        reading.join().unwrap()
    });
    assert_eq!(result, Err(ReadError::Cancelled));
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_program_that_cannot_be_started_is_told() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.txt", b"Words.");
    let reader = Reader::new(vec![folder.path().join("none").into()]);
    assert!(
        matches!(read(&reader, &path, Format::Text), Err(ReadError::Io(what)) if what.contains("started"))
    );
}

/// A font that says of four thousand million characters how wide they are: a few bytes that fill any memory.
#[cfg(target_os = "linux")]
fn bomb() -> Vec<u8> {
    let mut paper = Paper::new([]);
    let descendant = paper.object("<</Type/Font/Subtype/CIDFontType2/BaseFont/B/W[0 4294967294 500]>>");
    let font = paper.object(&format!(
        "<</Type/Font/Subtype/Type0/BaseFont/B/Encoding/Identity-H/DescendantFonts[{descendant} 0 R]>>"
    ));
    let entry = format!("/Resources<</Font<</F1 {font} 0 R>>>>");
    paper.page(&Page::default().lines(72.0, 100.0, &["Words"]).entry(&entry));
    paper.bytes()
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_fills_the_memory_is_refused_and_the_next_one_is_read() {
    let folder = TempDir::new().unwrap();
    let bomb = file(&folder, "bomb.pdf", &bomb());
    let good = file(&folder, "good.txt", b"Words.");
    let mut reader = reader();
    // Filling the memory takes seconds of the processor, and many times as long on a busy machine.
    reader.patience.base = Duration::from_secs(600);
    assert!(read(&reader, &good, Format::Text).is_ok());
    let error = read(&reader, &bomb, Format::Pdf);
    assert!(matches!(error, Err(ReadError::TooLarge { what: "bytes of memory", .. })), "{error:?}");
    assert!(read(&reader, &good, Format::Text).is_ok());
}

/// The children of a process.
#[cfg(target_os = "linux")]
fn children(parent: u32) -> Vec<u32> {
    let list = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_child_outlives_its_parent_for_a_moment_only() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "a.txt", b"Words.");
    let mut parent = Command::new(env!("CARGO_BIN_EXE_documents-reader"))
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(parent.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), "true");
    let children = children(parent.id());
    assert_eq!(children.len(), 1);
    parent.kill().unwrap();
    parent.wait().unwrap();
    let begun = Instant::now();
    let lives = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // A dead process may wait for a new parent to collect it.
        !stat.is_empty() && !stat.contains(") Z ")
    };
    while children.iter().any(lives) {
        assert!(begun.elapsed() < Duration::from_secs(30), "the child still lives");
        std::thread::yield_now();
    }
}
