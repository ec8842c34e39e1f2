//! Writing, editing and patching files.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use domain::{CallEffect, Preview};
use pretty_assertions::assert_eq;
use serde_json::json;
use tools::Kind;

use crate::rig::{Rig, everything, run};

#[tokio::test]
async fn a_new_file_is_written_with_the_folders_above_it() {
    let rig = Rig::new();
    let planned = rig.plan("write", json!({"path": "a/b/c.txt", "content": "one\ntwo\n"})).await.unwrap();
    let path = rig.folder().join("a/b/c.txt");
    assert_eq!(planned.intent, "Create a/b/c.txt");
    assert_eq!(planned.effect, CallEffect::Write { path: path.display().to_string() });
    assert_eq!(
        planned.preview,
        Preview::Diff { path: path.display().to_string(), before: None, after: "one\ntwo\n".into() }
    );
    assert!(!rig.folder().join("a").exists(), "planning changes nothing");
    let outcome = rig.call("write", json!({"path": "a/b/c.txt", "content": "one\ntwo\n"})).await.unwrap();
    assert_eq!(outcome.changed, [(path, None, Some("one\ntwo\n".to_owned()))]);
    assert_eq!(outcome.summary, "+2 -0");
    assert_eq!(rig.text("a/b/c.txt"), "one\ntwo\n");
    let again = rig.call("write", json!({"path": "a/b/c.txt", "content": "one\ntwo\n"})).await.unwrap();
    assert_eq!((again.summary.as_str(), again.changed.len()), ("unchanged", 0));
}

#[tokio::test]
async fn mode_line_ends_mark_and_encoding_of_a_file_are_kept() {
    let rig = Rig::new();
    let script = rig.put("run.sh", "#!/bin/sh\r\nold\r\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o751)).unwrap();
    rig.call("write", json!({"path": "run.sh", "content": "#!/bin/sh\nnew\n"})).await.unwrap();
    assert_eq!(rig.text("run.sh"), "#!/bin/sh\r\nnew\r\n");
    assert_eq!(script.metadata().unwrap().mode() & 0o7777, 0o751);
    rig.call("edit", json!({"path": "run.sh", "old": "new\n", "new": "newer\nnewest\n"})).await.unwrap();
    assert_eq!(rig.text("run.sh"), "#!/bin/sh\r\nnewer\r\nnewest\r\n");
    assert_eq!(script.metadata().unwrap().mode() & 0o7777, 0o751);

    rig.put("mark.txt", b"\xef\xbb\xbfone\n");
    rig.call("edit", json!({"path": "mark.txt", "old": "one", "new": "zwölf"})).await.unwrap();
    assert_eq!(rig.bytes("mark.txt"), b"\xef\xbb\xbfzw\xc3\xb6lf\n");
    rig.put("old.txt", b"Gr\xfc\xdfe\n");
    rig.call("edit", json!({"path": "old.txt", "old": "Grüße", "new": "Öl"})).await.unwrap();
    assert_eq!(rig.bytes("old.txt"), b"\xd6l\n");
    let error = rig.fails("edit", json!({"path": "old.txt", "old": "Öl", "new": "油"})).await;
    assert_eq!(error.kind, Kind::Refused);
    assert_eq!(rig.bytes("old.txt"), b"\xd6l\n");
    let wide: Vec<u8> =
        [0xff_u8, 0xfe].into_iter().chain("ab\r\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    rig.put("wide.txt", &wide);
    rig.call("patch", json!({"patch": "--- a/wide.txt\n+++ b/wide.txt\n@@ -1 +1 @@\n-ab\n+aü\n"}))
        .await
        .unwrap();
    let after: Vec<u8> =
        [0xff_u8, 0xfe].into_iter().chain("aü\r\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(rig.bytes("wide.txt"), after);
}

#[tokio::test]
async fn a_link_inside_of_the_folder_stays_a_link_and_its_file_changes() {
    let rig = Rig::new();
    rig.put("real/a.txt", "one\n");
    symlink("real/a.txt", rig.folder().join("link.txt")).unwrap();
    let planned = rig.plan("edit", json!({"path": "link.txt", "old": "one", "new": "two"})).await.unwrap();
    let real = rig.folder().join("real/a.txt").display().to_string();
    assert_eq!(planned.effect, CallEffect::Write { path: real });
    rig.call("edit", json!({"path": "link.txt", "old": "one", "new": "two"})).await.unwrap();
    assert!(rig.folder().join("link.txt").is_symlink());
    assert_eq!(rig.text("real/a.txt"), "two\n");
}

#[tokio::test]
async fn an_edit_must_find_its_text_exactly_once() {
    let rig = Rig::new();
    let text = "fn a() {\n    one();\n}\n\nfn b() {\n    one();\n}\n";
    rig.put("a.rs", text);
    let error = rig.fails("edit", json!({"path": "a.rs", "old": "    one();", "new": "    two();"})).await;
    assert_eq!(error.kind, Kind::Arguments);
    assert_eq!(error.message, "old stands 2 times in `a.rs`; nothing was changed");
    assert!(error.guidance.starts_with("It is at lines 2, 6."), "{}", error.guidance);
    let error = rig.fails("edit", json!({"path": "a.rs", "old": "fn a() {\n  one();", "new": "x"})).await;
    assert!(
        error.guidance.contains("Lines 1 to 2 say the same with other white space"),
        "{}",
        error.guidance
    );
    let error = rig.fails("edit", json!({"path": "a.rs", "old": "fn bb() {", "new": "x"})).await;
    assert!(error.guidance.contains("The nearest is at lines 5 to 5"), "{}", error.guidance);
    let error = rig.fails("edit", json!({"path": "a.rs", "old": "     2\t    one();", "new": "x"})).await;
    assert!(error.guidance.contains("Leave out the line numbers"), "{}", error.guidance);
    let error =
        rig.fails("edit", json!({"path": "a.rs", "old": "entirely different words", "new": "x"})).await;
    assert!(error.guidance.contains("Read the file again"), "{}", error.guidance);
    assert_eq!(rig.text("a.rs"), text);
    let outcome =
        rig.call("edit", json!({"path": "a.rs", "old": "one()", "new": "two()", "all": true})).await.unwrap();
    assert!(outcome.text.starts_with("Replaced 2 places in `a.rs`.\n"), "{}", outcome.text);
    assert_eq!(rig.text("a.rs"), text.replace("one", "two"));
}

#[tokio::test]
async fn several_edits_are_made_all_or_none() {
    let rig = Rig::new();
    rig.put("a.txt", "one\ntwo\nthree\n");
    let wrong = json!({"path": "a.txt", "edits": [{"old": "one", "new": "1"}, {"old": "four", "new": "4"}]});
    let error = rig.fails("edit", wrong).await;
    assert!(error.message.starts_with("edit 2 of 2: "), "{error}");
    assert_eq!(rig.text("a.txt"), "one\ntwo\nthree\n");
    let right =
        json!({"path": "a.txt", "edits": [{"old": "one", "new": "two"}, {"old": "two\ntwo", "new": "2\n2"}]});
    let outcome = rig.call("edit", right).await.unwrap();
    assert_eq!(rig.text("a.txt"), "2\n2\nthree\n");
    assert_eq!(outcome.summary, "+2 -2");
}

#[tokio::test]
async fn edits_that_mean_nothing_are_refused() {
    let rig = Rig::new();
    rig.put("a.txt", "one\n");
    for arguments in [
        json!({"path": "a.txt"}),
        json!({"path": "a.txt", "old": "one"}),
        json!({"path": "a.txt", "new": "one"}),
        json!({"path": "a.txt", "old": "", "new": "x"}),
        json!({"path": "a.txt", "old": "one", "new": "one"}),
        json!({"path": "a.txt", "old": "one", "new": "x", "edits": [{"old": "one", "new": "x"}]}),
        json!({"path": "a.txt", "old": "one", "new": "x", "replace_all": true}),
        json!({"path": "a.txt", "edits": vec![json!({"old": "one", "new": "x"}); 201]}),
    ] {
        assert_eq!(rig.fails("edit", arguments.clone()).await.kind, Kind::Arguments, "{arguments}");
    }
    assert_eq!(
        rig.fails("edit", json!({"path": "b.txt", "old": "a", "new": "b"})).await.kind,
        Kind::NotFound
    );
    assert_eq!(rig.text("a.txt"), "one\n");
}

#[tokio::test]
async fn a_file_that_changed_after_it_was_planned_is_not_overwritten() {
    let rig = Rig::new();
    rig.put("a.txt", "one\n");
    for (tool, arguments) in [
        ("write", json!({"path": "a.txt", "content": "mine\n"})),
        ("edit", json!({"path": "a.txt", "old": "one", "new": "mine"})),
        ("patch", json!({"patch": "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+mine\n"})),
    ] {
        rig.put("a.txt", "one\n");
        let at = rig.at();
        rig.tool(tool).plan(&arguments, &at).await.unwrap();
        rig.put("a.txt", "one\nthe person's own line\n");
        let error = rig.tool(tool).run(&arguments, &at, run()).await.unwrap_err();
        assert!(error.message.contains("has changed since"), "{tool}: {error}");
        assert_eq!(rig.text("a.txt"), "one\nthe person's own line\n");
    }
    let at = rig.at();
    let arguments = json!({"path": "new.txt", "content": "mine\n"});
    rig.tool("write").plan(&arguments, &at).await.unwrap();
    rig.put("new.txt", "theirs\n");
    assert!(rig.tool("write").run(&arguments, &at, run()).await.is_err());
    assert_eq!(rig.text("new.txt"), "theirs\n");
}

#[tokio::test]
async fn a_patch_changes_makes_and_removes_files_at_once() {
    let rig = Rig::new();
    rig.put("a.txt", "1\n2\n3\n");
    rig.put("gone.txt", "x\n");
    let patch = "diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n\
                 --- /dev/null\n+++ b/sub/new.txt\n@@ -0,0 +1 @@\n+new\n\
                 --- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    let arguments = json!({"patch": patch});
    let planned = rig.plan("patch", arguments.clone()).await.unwrap();
    assert_eq!(planned.intent, "Patch a.txt and 2 files more");
    let Preview::Diff { path, before, after } = planned.preview else { panic!() };
    assert_eq!(path, "3 files");
    assert!(
        before.unwrap().contains("=== gone.txt (removed)\nx\n")
            && after.contains("=== sub/new.txt (new)\nnew\n")
    );
    let also = rig.tool("patch").also(&arguments, &rig.at()).await.unwrap();
    let effect = |path: &str| CallEffect::Write { path: rig.folder().join(path).display().to_string() };
    assert_eq!(also, [effect("sub/new.txt"), effect("gone.txt")]);
    let outcome = rig.call("patch", arguments).await.unwrap();
    assert_eq!(outcome.changed.len(), 3);
    assert_eq!(outcome.changed[2].2, None);
    assert_eq!((rig.text("a.txt"), rig.text("sub/new.txt")), ("1\ntwo\n3\n".into(), "new\n".into()));
    assert!(!rig.folder().join("gone.txt").exists());
}

#[tokio::test]
async fn a_change_behind_the_first_megabyte_is_shown_before_it_is_made() {
    let rig = Rig::new();
    let long: String = (0..100_000).map(|n| format!("line {n} of a long file\n")).collect();
    rig.put("long.txt", &long);
    rig.put("short.txt", "x\n");
    let edit = json!({"path": "long.txt", "old": "line 99000 of", "new": "EVIL 99000 of"});
    let Preview::Diff { before, after, .. } = rig.plan("edit", edit.clone()).await.unwrap().preview else {
        panic!()
    };
    assert!(before.is_some_and(|before| before.contains("line 99000 of")) && after.contains("EVIL 99000 of"));
    // A file that comes after it in a patch is shown, too.
    let patch = "--- a/long.txt\n+++ b/long.txt\n@@ -98000 +98000 @@\n-line 97999 of a long file\n+EVIL\n\
                 --- a/short.txt\n+++ b/short.txt\n@@ -1 +1 @@\n-x\n+WORSE\n";
    let planned = rig.plan("patch", json!({"patch": patch})).await.unwrap();
    let Preview::Diff { after, .. } = planned.preview else { panic!() };
    assert!(after.contains("EVIL\n") && after.contains("=== short.txt\nWORSE\n"), "{after}");
    let outcome = rig.call("edit", edit).await.unwrap();
    assert_eq!(outcome.summary, "+1 -1");
    assert!(outcome.changed[0].2.as_ref().is_some_and(|after| after.contains("EVIL 99000 of")));
}

#[tokio::test]
async fn what_is_no_text_is_not_shown_as_a_file_that_is_new() {
    let rig = Rig::new();
    fs::write(rig.folder().join("a.bin"), [0, 1, 2, 3]).unwrap();
    let planned = rig.plan("write", json!({"path": "a.bin", "content": "text\n"})).await.unwrap();
    let Preview::Diff { before, .. } = planned.preview else { panic!() };
    assert_eq!(before.as_deref(), Some("[4 bytes that are no text]\n"));
}

#[tokio::test]
async fn a_patch_that_does_not_fit_changes_nothing_at_all() {
    let rig = Rig::new();
    rig.put("a.txt", "1\n2\n3\n");
    rig.put("b.txt", "x\n");
    let before = everything(&rig.folder());
    let good = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n";
    for bad in [
        "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-y\n+z\n",
        "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x \n+z\n",
        "--- a/c.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-y\n+z\n",
        "--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+z\n",
        "--- a/b.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-x\n+z\n",
        "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+one\n",
        "--- a/b.txt\n+++ /dev/null\n@@ -1 +1 @@\n-x\n+z\n",
        "--- a/../outside/secret.txt\n+++ b/../outside/secret.txt\n@@ -1 +1 @@\n-x\n+z\n",
        "--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-x\n+z\n",
    ] {
        let error = rig.fails("patch", json!({"patch": format!("{good}{bad}")})).await;
        assert!(matches!(error.kind, Kind::Arguments | Kind::NotFound | Kind::Refused), "{bad}: {error:?}");
        assert_eq!(everything(&rig.folder()), before, "{bad}");
    }
}

#[tokio::test]
async fn when_one_file_of_a_patch_can_not_be_written_the_others_are_as_before() {
    let rig = Rig::new();
    rig.put("a.txt", "1\n");
    rig.put("dir/b.txt", "1\n");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\n--- a/dir/b.txt\n+++ b/dir/b.txt\n@@ -1 +1 @@\n-1\n+2\n";
    fs::set_permissions(rig.folder().join("dir"), fs::Permissions::from_mode(0o555)).unwrap();
    let allowed = fs::write(rig.folder().join("dir/probe"), "").is_ok();
    let outcome = rig.call("patch", json!({"patch": patch})).await;
    fs::set_permissions(rig.folder().join("dir"), fs::Permissions::from_mode(0o755)).unwrap();
    if !allowed {
        assert_eq!(outcome.unwrap_err().kind, Kind::Refused);
        assert_eq!((rig.text("a.txt"), rig.text("dir/b.txt")), ("1\n".into(), "1\n".into()));
    }
    let left = everything(&rig.folder());
    assert!(left.keys().all(|path| !path.display().to_string().ends_with(".tmp")), "{left:?}");
}

#[tokio::test]
async fn a_protected_file_and_what_is_no_text_are_left_alone() {
    let rig = Rig::new();
    let path = rig.put("fixed.txt", "one\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(rig.fails("write", json!({"path": "fixed.txt", "content": "x"})).await.kind, Kind::Refused);
    rig.put("bytes.bin", b"one\0two");
    assert_eq!(
        rig.fails("edit", json!({"path": "bytes.bin", "old": "one", "new": "x"})).await.kind,
        Kind::Refused
    );
    assert_eq!(rig.fails("write", json!({"path": "sub/", "content": "x"})).await.kind, Kind::Arguments);
    fs::create_dir(rig.folder().join("dir")).unwrap();
    assert_eq!(rig.fails("write", json!({"path": "dir", "content": "x"})).await.kind, Kind::Arguments);
    assert_eq!(rig.fails("write", json!({"path": ".", "content": "x"})).await.kind, Kind::Arguments);
    rig.put("large.txt", vec![b'a'; 17 << 20]);
    assert_eq!(
        rig.fails("edit", json!({"path": "large.txt", "old": "a", "new": "b"})).await.kind,
        Kind::TooLarge
    );
    let large = "a".repeat(17 << 20);
    assert_eq!(rig.fails("write", json!({"path": "more.txt", "content": large})).await.kind, Kind::TooLarge);
}

#[tokio::test]
async fn what_a_person_compares_is_capped() {
    let rig = Rig::new();
    let long = "ü\n".repeat(900_000);
    let outcome = rig.call("write", json!({"path": "long.txt", "content": long})).await.unwrap();
    let kept = outcome.changed[0].2.as_ref().unwrap();
    // With a line that says how much is left out.
    assert!(((1 << 20) - 4..(1 << 20) + 200).contains(&kept.len()), "{}", kept.len());
    assert!(kept.ends_with("more bytes that come]\n"));
    assert_eq!(rig.text("long.txt"), long);
}

#[tokio::test]
async fn a_hard_link_from_elsewhere_is_broken_not_written_through() {
    let rig = Rig::new();
    let other = rig.outside().join("shared.txt");
    fs::write(&other, "one\n").unwrap();
    fs::hard_link(&other, rig.folder().join("shared.txt")).unwrap();
    rig.call("edit", json!({"path": "shared.txt", "old": "one", "new": "two"})).await.unwrap();
    assert_eq!(rig.text("shared.txt"), "two\n");
    assert_eq!(fs::read_to_string(other).unwrap(), "one\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_on_one_file_at_the_same_time_leave_one_of_their_texts() {
    let rig = std::sync::Arc::new(Rig::new());
    rig.put("a.txt", "start\n");
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..32 {
        let rig = std::sync::Arc::clone(&rig);
        tasks.spawn(async move {
            let content = format!("{number}\n").repeat(10_000);
            rig.call("write", json!({"path": "a.txt", "content": content})).await.is_ok()
        });
    }
    let mut written = 0;
    while let Some(done) = tasks.join_next().await {
        written += usize::from(done.unwrap());
    }
    assert!(written > 0);
    let text = rig.text("a.txt");
    let first = text.lines().next().unwrap();
    assert!(text.lines().count() == 10_000 && text.lines().all(|line| line == first));
    assert_eq!(everything(&rig.folder()).len(), 1);
}
