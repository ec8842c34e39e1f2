//! Files, names and patterns that are written a little otherwise than they are asked for: worked with, or the difference is
//! named.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tools::Kind;

use crate::rig::Rig;

const STRAY: &[u8] = b"# \xc3\x9cbersicht\nGr\xc3\xb6\xc3\x9fe: 5\nname: x\nstray: \xff end\n";
const GBK: &[u8] = b"# \xd6\xd0\xce\xc4\xce\xc4\xbc\xfe\nname = \xd6\xd0\nvalue = 1\n";

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({"path": path, "old": old, "new": new})
}

#[tokio::test]
async fn a_stray_byte_stays_and_the_rest_is_utf8() {
    let rig = Rig::new();
    rig.put("a.md", STRAY);
    let text = rig.said("read", json!({"path": "a.md"})).await;
    assert!(text.contains("Größe: 5") && text.contains("stray: \u{fffd} end"), "{text}");
    assert!(text.contains("1 byte that no UTF-8 has") && text.contains("(0xFF) in line 4"), "{text}");
    // Each edit, and the bytes that it makes.
    let table: [(&str, &str, &[u8], &[u8]); 5] = [
        ("name: x", "name: café 价", b"name: x", "name: café 价".as_bytes()),
        ("Größe: 5", "Größe: 6", b": 5", b": 6"),
        ("stray: \u{fffd} end", "stray: \u{fffd} END", b"end", b"END"),
        ("stray: \u{fffd} end", "mark: \u{fffd}\nend", b"stray: \xff end", b"mark: \xff\nend"),
        ("stray: \u{fffd} end", "gone", b"stray: \xff end", b"gone"),
    ];
    for (old, new, before, after) in table {
        rig.put("a.md", STRAY);
        rig.call("edit", edit("a.md", old, new)).await.unwrap();
        let at = STRAY.windows(before.len()).position(|part| part == before).unwrap();
        let expected = [&STRAY[..at], after, &STRAY[at + before.len()..]].concat();
        assert_eq!(rig.bytes("a.md"), expected, "{old} -> {new}");
    }
    rig.put("a.md", STRAY);
    let error = rig.fails("edit", edit("a.md", "name: x", "name: \u{fffd}")).await;
    assert!(error.guidance.contains("a byte that is no UTF-8"), "{error:?}");
    let patch =
        "--- a/a.md\n+++ b/a.md\n@@ -2,3 +2,3 @@\n Größe: 5\n-name: x\n+name: ü\n stray: \u{fffd} end\n";
    rig.call("patch", json!({"patch": patch})).await.unwrap();
    let after = b"# \xc3\x9cbersicht\nGr\xc3\xb6\xc3\x9fe: 5\nname: \xc3\xbc\nstray: \xff end\n";
    assert_eq!(rig.bytes("a.md"), after);
    // Written whole it is UTF-8 throughout.
    rig.said("read", json!({"path": "a.md"})).await;
    rig.call("write", json!({"path": "a.md", "content": "ü\n"})).await.unwrap();
    assert_eq!(rig.text("a.md"), "ü\n");
}

#[tokio::test]
async fn nothing_wrong_is_written_where_the_charset_is_not_known() {
    let rig = Rig::new();
    rig.put("a.txt", GBK);
    let text = rig.said("read", json!({"path": "a.txt"})).await;
    assert!(text.contains("read as GBK, which is a guess"), "{text}");
    for new in ["value = é", "value = 价"] {
        let error = rig.fails("edit", edit("a.txt", "value = 1", new)).await;
        assert_eq!(error.kind, Kind::Refused);
        assert!(error.message.contains("guessed"), "{error}");
        assert_eq!(rig.bytes("a.txt"), GBK);
    }
    rig.call("edit", edit("a.txt", "value = 1", "value = 2")).await.unwrap();
    assert_eq!(rig.bytes("a.txt"), [&GBK[..GBK.len() - 2], b"2\n"].concat());
    // A guess is called one, and what it lacks is refused.
    rig.put("old.txt", b"caf\xe9 = 1\n");
    let text = rig.said("read", json!({"path": "old.txt"})).await;
    assert!(text.contains("Windows-1252, which is a guess"), "{text}");
    rig.call("edit", edit("old.txt", "= 1", "= \"naïve\"")).await.unwrap();
    assert_eq!(rig.bytes("old.txt"), b"caf\xe9 = \"na\xefve\"\n");
    let error = rig.fails("edit", edit("old.txt", "naïve", "价")).await;
    assert!(error.message.contains("`价` (U+4EF7)"), "{error}");
}

#[tokio::test]
async fn an_edit_finds_what_only_looks_the_same_and_keeps_how_it_is_written() {
    let rig = Rig::new();
    let table = [
        (
            "the task list in\u{a0}current\n",
            "list in current",
            "list in next",
            "the task list in\u{a0}next\n",
        ),
        ("Cafe\u{301} Zu\u{308}rich\n", "Café Zürich", "Café Bern", "Cafe\u{301} Bern\n"),
        (
            "say \u{201c}don\u{2019}t\u{201d} now\n",
            "\"don't\" now",
            "\"don't\" later",
            "say \u{201c}don\u{2019}t\u{201d} later\n",
        ),
        (
            "10\u{202f}000 \u{2013} 20\u{202f}000\r\nb\r\n",
            "10 000 - 20 000\nb",
            "10 000 - 30 000\nc",
            "10\u{202f}000 \u{2013} 30\u{202f}000\r\nc\r\n",
        ),
        ("zero\u{200b}width\n", "zerowidth", "zerowide", "zerowide\n"),
    ];
    for (text, old, new, expected) in table {
        rig.put("a.txt", text);
        let told = rig.said("edit", edit("a.txt", old, new)).await;
        assert_eq!(rig.text("a.txt"), expected, "{old}");
        assert!(told.contains("written a little otherwise") && told.contains("U+"), "{told}");
    }
    // Exactly first; of several that look the same none is guessed.
    rig.put("a.txt", "in\u{a0}current\nin current\n");
    rig.call("edit", edit("a.txt", "in current", "in next")).await.unwrap();
    assert_eq!(rig.text("a.txt"), "in\u{a0}current\nin next\n");
    rig.put("a.txt", "in\u{a0}current\nin\u{202f}current\n");
    let error = rig.fails("edit", edit("a.txt", "in current", "in next")).await;
    assert!(error.guidance.contains("lines 1, 2") && error.guidance.contains("U+00A0"), "{error:?}");
    let all = json!({"path": "a.txt", "old": "in current", "new": "in next", "all": true});
    rig.call("edit", all).await.unwrap();
    assert_eq!(rig.text("a.txt"), "in\u{a0}next\nin\u{202f}next\n");
    // With all, what only looks the same is told.
    rig.put("a.txt", "a b\na\u{a0}b\na b\n");
    let told = rig.said("edit", json!({"path": "a.txt", "old": "a b", "new": "c", "all": true})).await;
    assert!(
        told.contains("Replaced 2 places") && told.contains("line 2 looks the same and was left"),
        "{told}"
    );
}

#[tokio::test]
async fn an_edit_shows_the_lines_that_it_made() {
    let rig = Rig::new();
    rig.put("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n");
    let edits = json!({"path": "a.txt", "edits": [{"old": "3\n", "new": "three\nand\n"}, {"old": "11", "new": "eleven"}]});
    let told = rig.said("edit", edits).await;
    assert!(told.starts_with("Replaced 2 places in `a.txt`.\n\n     1\t1\n"), "{told}");
    assert!(told.contains("     3\tthree\n     4\tand\n     5\t4\n"), "{told}");
    assert!(told.ends_with("\n\n    10\t9\n    11\t10\n    12\televen\n    13\t12"), "{told}");
}

#[tokio::test]
async fn names_are_found_however_their_letters_and_spaces_are_written() {
    let rig = Rig::new();
    for name in [
        "gro\u{308}ssen.md",
        "\u{1112}\u{1161}\u{11a8}\u{110c}\u{1165}\u{11b7}.md",
        "Shot 9.41\u{202f}AM.txt",
        "Ru\u{308}be/na\u{308}he.txt",
    ] {
        rig.put(name, "needle\n");
    }
    let there = rig.folder().join("gro\u{308}ssen.md").display().to_string();
    for path in ["grössen.md", "학점.md", "Shot 9.41 AM.txt", "Rübe/nähe.txt", "Rübe/na\u{308}he.txt"] {
        assert_eq!(rig.said("read", json!({"path": path})).await, "     1\tneedle", "{path}");
    }
    // Permission is decided on the name that is there, and what is written goes into that file.
    let planned = rig.plan("write", json!({"path": "grössen.md", "content": "x"})).await.unwrap();
    assert_eq!(planned.effect, domain::CallEffect::Write { path: there });
    rig.call("edit", edit("grössen.md", "needle", "pin")).await.unwrap();
    assert_eq!(rig.text("gro\u{308}ssen.md"), "pin\n");
    assert!(!rig.folder().join("grössen.md").exists());
    rig.call("write", json!({"path": "Rübe/neu.txt", "content": "x"})).await.unwrap();
    assert_eq!(rig.text("Ru\u{308}be/neu.txt"), "x");
    for glob in ["grö*.md", "gro\u{308}*.md"] {
        assert!(rig.said("list", json!({"glob": glob})).await.contains("gro\u{308}ssen.md"), "{glob}");
        let found = rig.said("search", json!({"pattern": "pin", "glob": glob})).await;
        assert!(found.contains("gro\u{308}ssen.md"), "{found}");
    }
    // Two that look the same are told apart.
    rig.put("a\u{a0}b.txt", "1");
    rig.put("a\u{202f}b.txt", "2");
    let error = rig.fails("read", json!({"path": "a b.txt"})).await;
    assert!(error.guidance.contains("U+00A0") && error.guidance.contains("U+202F"), "{error:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_name_that_looks_the_same_leads_nowhere_else() {
    let rig = Rig::new();
    std::os::unix::fs::symlink(rig.outside(), rig.folder().join("o\u{308}ffnen")).unwrap();
    let error = rig.fails("read", json!({"path": "öffnen/secret.txt"})).await;
    assert_eq!(error.kind, Kind::Refused, "{error}");
}

#[tokio::test]
async fn a_pattern_that_names_what_is_there_means_that() {
    let rig = Rig::new();
    for path in [
        "app/[id]/page.tsx",
        "app/[...slug]/page.tsx",
        "app/i/page.tsx",
        "app/(group)/a.tsx",
        "web/{x}/b.tsx",
        "x/[id]/c.tsx",
    ] {
        rig.put(path, "needle\n");
    }
    let table = [
        ("app/[id]/*.tsx", "app/[id]/page.tsx", "app/i/page.tsx"),
        ("app/[id]/**", "app/[id]/page.tsx", "app/i/page.tsx"),
        ("/app/[...slug]/page.tsx", "app/[...slug]/page.tsx", "app/i/"),
        ("web/{x}/*", "web/{x}/b.tsx", "app"),
        ("app/(group)/*.tsx", "app/(group)/a.tsx", "page"),
        ("**/[id]/*.tsx", "x/[id]/c.tsx", "slug"),
        ("app/[i]/*.tsx", "app/i/page.tsx", "[id]"),
        ("app/[a-z]/*.tsx", "app/i/page.tsx", "[id]"),
    ];
    for (glob, there, not) in table {
        let text = rig.said("list", json!({"glob": glob})).await;
        assert!(text.contains(there) && !text.contains(not), "{glob}: {text}");
        let text = rig.said("search", json!({"pattern": "needle", "glob": glob})).await;
        assert!(text.contains(there) && !text.contains(not), "{glob}: {text}");
    }
    let text = rig.said("list", json!({"glob": ["*.tsx", "!app/[id]/**"]})).await;
    assert!(!text.contains("app/[id]/") && text.contains("app/i/page.tsx"), "{text}");
}

#[tokio::test]
async fn a_search_finds_what_only_looks_the_same_and_says_so() {
    let rig = Rig::new();
    rig.put("a.txt", "Gro\u{308}\u{df}e in\u{a0}current\nsay \u{201c}yes\u{201d}\nplain\n");
    for (pattern, line) in [("Größe", 1), ("in current", 1), ("\"yes\"", 2)] {
        let text = rig.said("search", json!({"pattern": pattern})).await;
        assert!(
            text.contains(&format!("     {line}: ")) && text.contains("Nothing matches exactly"),
            "{text}"
        );
    }
    let text = rig.said("search", json!({"pattern": "plain"})).await;
    assert_eq!(text, "a.txt\n     3: plain");
    let text = rig.said("search", json!({"pattern": "in.current x"})).await;
    assert!(text.starts_with("(No line matches"), "{text}");
}

#[tokio::test]
async fn patches_are_read_as_git_and_other_programs_write_them() {
    let rig = Rig::new();
    rig.put("ü.txt", "a\n");
    let patch = "diff --git \"a/\\303\\274.txt\" \"b/\\303\\274.txt\"\n--- \"a/\\303\\274.txt\"\n+++ \"b/\\303\\274.txt\"\n@@ -1 +1 @@\n-a\n+b\n";
    rig.call("patch", json!({"patch": patch})).await.unwrap();
    assert_eq!(rig.text("ü.txt"), "b\n");
    rig.put("gone.txt", "x\n");
    let patch = "*** Begin Patch\n*** Add File: new.txt\n+one\n*** Update File: ü.txt\n@@\n-b\n+c\n*** Delete File: gone.txt\n*** End Patch\n";
    let planned = rig.plan("patch", json!({"patch": patch})).await.unwrap();
    assert_eq!(planned.intent, "Patch new.txt and 2 files more");
    rig.call("patch", json!({"patch": patch})).await.unwrap();
    assert_eq!((rig.text("new.txt"), rig.text("ü.txt")), ("one\n".to_owned(), "c\n".to_owned()));
    assert!(!rig.folder().join("gone.txt").exists());
}

#[tokio::test]
async fn what_somebody_else_wrote_is_not_overwritten_unseen() {
    let rig = Rig::new();
    rig.put("a.txt", "one\n");
    rig.said("read", json!({"path": "a.txt"})).await;
    rig.put("a.txt", "one\nthe person's own line\n");
    let whole = json!({"path": "a.txt", "content": "two\n"});
    let error = rig.fails("write", whole.clone()).await;
    assert!(error.message.contains("changed by somebody else since you saw it"), "{error}");
    // An edit is made where its text stands, and tells.
    let told = rig.said("edit", edit("a.txt", "one", "1")).await;
    assert!(told.contains("Somebody else changed `a.txt`"), "{told}");
    assert_eq!(rig.text("a.txt"), "1\nthe person's own line\n");
    rig.fails("write", whole.clone()).await;
    rig.said("read", json!({"path": "a.txt"})).await;
    rig.call("write", whole.clone()).await.unwrap();
    // Its own changes it knows.
    rig.call("edit", edit("a.txt", "two", "three")).await.unwrap();
    let told = rig.said("write", json!({"path": "a.txt", "content": "four\n"})).await;
    assert_eq!(told, "Overwrote `a.txt`: 1 line, 5 bytes.");
    // What was never read may be written.
    rig.put("b.txt", "x\n");
    rig.call("write", json!({"path": "b.txt", "content": "y\n"})).await.unwrap();
}

#[tokio::test]
async fn a_file_of_no_text_is_remarked_when_it_is_overwritten() {
    let rig = Rig::new();
    rig.put("logo.png", [b"\x89PNG\r\n\x1a\n".to_vec(), vec![0; 100]].concat());
    let arguments = json!({"path": "logo.png", "content": "text"});
    let planned = rig.plan("write", arguments.clone()).await.unwrap();
    assert_eq!(planned.intent, "Overwrite logo.png, which holds no text (image/png, 108 bytes)");
    let told = rig.said("write", arguments).await;
    assert!(told.ends_with("It held no text before (image/png, 108 bytes)."), "{told}");
    let error = rig.fails("edit", edit("work", "a", "b")).await;
    assert_eq!(error.kind, Kind::NotFound);
}
