//! Searching files.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use pretty_assertions::assert_eq;
use serde_json::json;
use tools::Kind;

use crate::rig::{Rig, run};

fn prepared() -> Rig {
    let rig = Rig::new();
    rig.put("src/a.rs", "fn one() {}\n// Needle\nfn two() {\n    needle();\n}\n");
    rig.put("src/b.ts", "const needle = 1;\n");
    rig.put("deep/er/c.rs", "nothing\n");
    rig.put(".hidden/d.rs", "needle\n");
    rig.put(".gitignore", "made/\n");
    rig.put("made/e.rs", "needle\n");
    rig.put("f.bin", b"needle\0needle\n");
    rig
}

#[tokio::test]
async fn matching_lines_come_by_file_with_their_numbers() {
    let rig = prepared();
    let outcome = rig.call("search", json!({"pattern": "needle"})).await.unwrap();
    assert_eq!(outcome.text, "src/a.rs\n     4:     needle();\n\nsrc/b.ts\n     1: const needle = 1;");
    assert_eq!(outcome.summary, "2 matching lines in 2 files");
    let planned = rig.plan("search", json!({"pattern": "needle", "path": "src"})).await.unwrap();
    assert_eq!(planned.intent, "Search for needle in src");
}

#[tokio::test]
async fn what_is_searched_and_how_can_be_chosen() {
    let rig = prepared();
    let said = |arguments| rig.said("search", arguments);
    let text = said(json!({"pattern": "needle", "glob": "*.rs", "ignore_case": true})).await;
    assert_eq!(text, "src/a.rs\n     2: // Needle\n     4:     needle();");
    let text = said(json!({"pattern": "needle", "glob": ["*.rs", "*.ts", "!b.*"]})).await;
    assert_eq!(text, "src/a.rs\n     4:     needle();");
    let text = said(json!({"pattern": "needle", "files": true, "hidden": true, "ignored": true})).await;
    assert_eq!(text, ".hidden/d.rs  1 line\nmade/e.rs  1 line\nsrc/a.rs  1 line\nsrc/b.ts  1 line");
    let text = said(json!({"pattern": "needle()", "literal": true})).await;
    assert_eq!(text, "src/a.rs\n     4:     needle();");
    let text = said(json!({"pattern": "two\\(\\) \\{.*?\\}", "multiline": true})).await;
    assert_eq!(text, "src/a.rs\n     3: fn two() {\n     4:     needle();\n     5: }");
    let text = said(json!({"pattern": "needle\\(", "context": 1, "path": "src/a.rs"})).await;
    assert_eq!(text, "src/a.rs\n     3- fn two() {\n     4:     needle();\n     5- }");
    let text = said(json!({"pattern": "^fn", "context": 0, "path": "src"})).await;
    assert_eq!(text, "src/a.rs\n     1: fn one() {}\n     3: fn two() {");
    let text = said(json!({"pattern": "absent", "path": "src"})).await;
    assert_eq!(text, "(No line matches; 2 files were looked through.)");
}

#[tokio::test]
async fn gaps_between_matches_with_context_are_marked() {
    let rig = Rig::new();
    rig.put("a.txt", "x\n1\n2\n3\n4\nx\n");
    let text = rig.said("search", json!({"pattern": "x", "context": 1})).await;
    assert_eq!(text, "a.txt\n     1: x\n     2- 1\n     --\n     5- 4\n     6: x");
}

#[tokio::test]
async fn results_are_bounded_and_say_so() {
    let rig = Rig::new();
    for file in 0..30 {
        rig.put(&format!("{file:02}.txt"), "needle\n".repeat(20));
    }
    let outcome = rig.call("search", json!({"pattern": "needle", "limit": 25})).await.unwrap();
    assert!(outcome.text.contains("01.txt\n     1: needle"), "{}", outcome.text);
    assert!(outcome.text.contains("(25 of at least "), "{}", outcome.text);
    assert_eq!(outcome.text.matches(": needle").count(), 25);
    rig.put("00.txt", format!("{}needle{}\n", "ä".repeat(100_000), "b".repeat(100_000)));
    let text = rig.said("search", json!({"pattern": "needle", "path": "00.txt"})).await;
    assert!(text.len() < 600 && text.contains("äneedleb") && text.contains("…ä"), "{text}");
    rig.put("many.txt", format!("{}\n", "y".repeat(390)).repeat(2_000));
    let text = rig.said("search", json!({"pattern": "y", "path": "many.txt", "limit": 2_000})).await;
    assert!(text.len() < 140_000, "{}", text.len());
}

#[tokio::test]
async fn a_wrong_pattern_is_told_with_what_is_wrong() {
    let rig = prepared();
    for pattern in ["(", "a{2", "[z-a]", "(?<=a)b", "\\1", "", "a{1000}{1000}{1000}"] {
        let error = rig.fails("search", json!({"pattern": pattern})).await;
        assert_eq!(error.kind, Kind::Arguments, "{pattern}");
        assert!(error.message.len() < 900, "{error}");
    }
    let error = rig.fails("search", json!({"pattern": "a\nb"})).await;
    assert!(error.guidance.contains("multiline"), "{error:?}");
    assert_eq!(rig.fails("search", json!({"pattern": "a", "path": "absent"})).await.kind, Kind::NotFound);
    assert_eq!(rig.fails("search", json!({"pattern": "a", "glob": "{a"})).await.kind, Kind::Arguments);
}

#[tokio::test]
async fn patterns_that_are_slow_elsewhere_and_odd_files_are_searched() {
    let rig = Rig::new();
    rig.put("a.txt", format!("{}!\n", "a".repeat(100_000)));
    let text = rig.said("search", json!({"pattern": "^(a+)+$"})).await;
    assert!(text.starts_with("(No line matches"), "{text}");
    let wide: Vec<u8> =
        [0xff_u8, 0xfe].into_iter().chain("eine Nadel\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    rig.put("wide.txt", wide);
    rig.put("old.txt", b"eine N\xe4del, eine Nadel\n");
    rig.put("crlf.txt", "eine Nadel\r\n");
    let text = rig.said("search", json!({"pattern": "Nadel$"})).await;
    assert!(text.contains("wide.txt\n     1: eine Nadel") && text.contains("old.txt"), "{text}");
    let text = rig.said("search", json!({"pattern": "Nadel", "path": "crlf.txt"})).await;
    assert_eq!(text, "crlf.txt\n     1: eine Nadel");
}

/// Whether this process has a file below the folder open.
fn is_open_below(folder: &Path) -> bool {
    fs::read_dir("/proc/self/fd")
        .unwrap()
        .flatten()
        .any(|fd| fs::read_link(fd.path()).is_ok_and(|file| file.starts_with(folder)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_is_stopped_ends() {
    let rig = Rig::new();
    // More than could be read in any time: a sparse file of 200 GB would be, without a stop.
    let file = fs::File::create(rig.folder().join("endless.txt")).unwrap();
    file.set_len(200 << 30).unwrap();
    let at = rig.at();
    let arguments = json!({"pattern": "x.*y", "multiline": false, "path": "endless.txt"});
    let binary = rig.tool("search").run(&arguments, &at, run()).await.unwrap();
    assert!(binary.text.starts_with("(No line matches"), "zeros are no text: {}", binary.text);

    // Sixteen gigabytes of text to read, in one file's room.
    rig.put("text/0.txt", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n".repeat(200_000));
    let text = rig.folder().join("text");
    for file in 1..2_000 {
        fs::hard_link(text.join("0.txt"), text.join(format!("{file}.txt"))).unwrap();
    }
    let run = run();
    let cancel = run.cancel.clone();
    let stopping = async {
        let deadline = Instant::now() + Duration::from_secs(20);
        while !is_open_below(&text) {
            assert!(Instant::now() < deadline, "the search opens no file");
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let arguments = json!({"pattern": "(a|b|c)*(a|b)*[x-z]", "path": "text"});
    let at = rig.at();
    let (stopped, ()) = tokio::join!(rig.tool("search").run(&arguments, &at, run), stopping);
    assert_eq!(stopped.unwrap_err().kind, Kind::Cancelled);
    let stopped = crate::rig::run();
    stopped.cancel.cancel();
    let error = rig.tool("search").run(&arguments, &rig.at(), stopped).await.unwrap_err();
    assert_eq!(error.kind, Kind::Cancelled);
}
