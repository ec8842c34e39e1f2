//! Paths that are written to leave the folders.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

use serde_json::{Value, json};
use tools::Kind;

use crate::rig::{CANARY, Rig, everything, run};

/// Ways up, as they are written on this system and others, and as they are hidden from those who look for them.
const UPS: [&str; 30] = [
    "..",
    "../",
    "./..",
    ".//..",
    "../.",
    "a/..",
    "sub/..",
    "sub/../..",
    "./sub/../..",
    "missing/..",
    "missing/../..",
    "a.txt/..",
    "..\\",
    "..\\..",
    ".\\..",
    "%2e%2e",
    "%2e%2e%2f",
    "..%2f",
    "%252e%252e%252f",
    "..;",
    "....//",
    "....",
    "．．",
    "․․",
    "..\u{200b}",
    ".\u{200b}.",
    "..\u{2215}",
    "..\u{ff0f}",
    "link_up",
    "link_up/..",
];

/// What lies behind them.
const TARGETS: [&str; 22] = [
    "secret.txt",
    "outside",
    "outside/secret.txt",
    "outside/deep/secret.txt",
    "/secret.txt",
    "//outside/secret.txt",
    "outside/./secret.txt",
    "outside/deep/../secret.txt",
    "outside\\secret.txt",
    "OUTSIDE/secret.txt",
    "outside/secret.txt/",
    "outside/secret.txt/.",
    "etc/passwd",
    "../etc/passwd",
    "../../etc/passwd",
    "../../../../../../../../etc/passwd",
    "../../../../../../../../../../proc/self/environ",
    "proc/self/cwd/secret.txt",
    "outside/link_back/../secret.txt",
    "own/../secret.txt",
    "own/results/../../secret.txt",
    "work/../secret.txt",
];

/// Paths that need no way up.
fn wholes(rig: &Rig) -> Vec<String> {
    let root = rig.root().display().to_string();
    let outside = rig.outside().display().to_string();
    let folder = rig.folder().display().to_string();
    let mut all: Vec<String> = [
        "/",
        "//",
        "/.",
        "/..",
        "/etc/passwd",
        "/etc/shadow",
        "//etc/passwd",
        "/./etc/passwd",
        "/etc/../etc/passwd",
        "/proc/self/environ",
        "/proc/self/mem",
        "/proc/self/fd/0",
        "/proc/self/fd/3",
        "/proc/self/cwd",
        "/proc/self/root/etc/passwd",
        "/proc/thread-self/environ",
        "/proc/1/environ",
        "/dev/stdin",
        "/dev/fd/0",
        "/dev/zero",
        "/dev/null",
        "/dev/tty",
        "/dev/mem",
        "/sys/kernel/notes",
        "/run",
        "/tmp",
        "/home/eva",
        "/home",
        "~",
        "~/",
        "~/.ssh/id_rsa",
        "~eva/.bashrc",
        "~+",
        "~-/x",
        "$HOME/.ssh/id_rsa",
        "${HOME}",
        "`id`",
        "C:\\Windows\\win.ini",
        "C:/Windows/win.ini",
        "c:",
        "C:secret.txt",
        "\\\\server\\share\\x",
        "\\\\?\\C:\\x",
        "\\\\.\\pipe\\x",
        "//server/share/x",
        "file:///etc/passwd",
        "file://localhost/etc/passwd",
        "FILE:///etc/passwd",
        "http://127.0.0.1/",
        "a\0b",
        "\0",
        "../\0secret.txt",
        "a.txt\0../../secret.txt",
        "a\nb",
        "\r\n",
        "\u{1b}[2J",
        "\u{202e}txt.terces",
        "\u{feff}../secret.txt",
        "",
        " ",
        "  /etc/passwd",
        "\t/etc/passwd",
        "-",
        "--",
        "link_file",
        "link_dir/secret.txt",
        "link_dir/deep/secret.txt",
        "link_chain/secret.txt",
        "link_loop",
        "link_loop/x",
        "link_proc/environ",
        "link_root/etc/passwd",
        "link_missing",
        "link_missing/x",
        "link_dir/new.txt",
        "link_dir/new/new.txt",
        "link_dir/../secret.txt",
        "sub/link_up/secret.txt",
        "sub/link_up/outside/secret.txt",
        "link_dev/zero",
        "link_fd/0",
    ]
    .iter()
    .map(|text| (*text).to_owned())
    .collect();
    all.extend([
        format!("{root}/secret.txt"),
        format!("{outside}/secret.txt"),
        format!("{folder}/../secret.txt"),
        format!("{folder}/../work/../secret.txt"),
        format!("{folder}/./../outside/secret.txt"),
        // Begins like the folder, and is another one.
        format!("{folder}-not/secret.txt"),
        format!("{folder}2"),
        format!("{}/../secret.txt", rig.own().display()),
        format!("{}/../data/../../secret.txt", rig.own().join("results").display()),
        folder.to_uppercase(),
        format!("/proc/self/root{outside}/secret.txt"),
        format!("/proc/self/cwd/../../../../../../../..{outside}/secret.txt"),
        "a/".repeat(3_000),
        "../".repeat(1_300),
        "x".repeat(5_000),
        format!("sub/{}", "x".repeat(300)),
        format!("sub/{}", "ü".repeat(200)),
    ]);
    all
}

fn corpus(rig: &Rig) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = wholes(rig).into_iter().collect();
    for up in UPS {
        all.insert(up.to_owned());
        for target in TARGETS {
            for joint in ["/", "//", "/./", "\\"] {
                all.insert(format!("{up}{joint}{target}"));
                all.insert(format!("sub/{up}{joint}../{target}"));
            }
        }
    }
    all
}

fn prepared() -> Rig {
    let rig = Rig::new();
    rig.put("sub/inner.txt", "inside\n");
    rig.put("a.txt", "inside\n");
    let folder = rig.folder();
    for (name, target) in [
        ("link_file", rig.outside().join("secret.txt")),
        ("link_dir", rig.outside()),
        ("link_chain", "link_dir/../outside".into()),
        ("link_loop", "link_loop".into()),
        ("link_up", "..".into()),
        ("sub/link_up", "../..".into()),
        ("link_proc", "/proc/self".into()),
        ("link_root", "/proc/self/root".into()),
        ("link_fd", "/proc/self/fd".into()),
        ("link_dev", "/dev".into()),
        ("link_missing", rig.outside().join("missing")),
    ] {
        symlink(target, folder.join(name)).unwrap();
    }
    symlink(folder, rig.outside().join("link_back")).unwrap();
    fs::write(rig.own().join("data/a.txt"), "inside\n").unwrap();
    rig
}

fn calls(path: &str) -> Vec<(&'static str, Value)> {
    let line = path.lines().next().unwrap_or_default();
    vec![
        ("read", json!({"path": path})),
        ("list", json!({"path": path, "hidden": true, "depth": 3})),
        ("search", json!({"path": path, "pattern": "canary|root:", "hidden": true})),
        ("write", json!({"path": path, "content": "taken over"})),
        ("edit", json!({"path": path, "old": "canary", "new": "taken over"})),
        ("patch", json!({"patch": format!("--- /dev/null\n+++ {line}\n@@ -0,0 +1 @@\n+taken over\n")})),
        ("patch", json!({"patch": format!("--- a/{line}\n+++ /dev/null\n@@ -1 +0,0 @@\n-{CANARY}\n")})),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_written_path_leads_out_of_the_folders_with_any_tool() {
    let rig = prepared();
    let (outside, secret) = (rig.outside(), rig.root().join("secret.txt"));
    let before = everything(&outside);
    let accessed = secret.metadata().unwrap().mtime_nsec();
    let corpus = corpus(&rig);
    let (mut tried, mut refused) = (0, 0);
    for path in &corpus {
        for (tool, arguments) in calls(path) {
            tried += 1;
            let at = rig.at();
            // As the program does it, and as if what was planned had been forgotten.
            let planned = rig.tool(tool).plan(&arguments, &at).await;
            let done = rig.tool(tool).run(&arguments, &at, run()).await;
            match done {
                Err(error) => {
                    refused += 1;
                    assert!(
                        !error.message.is_empty() && !error.message.contains("canary"),
                        "{tool} {path:?}: {error}"
                    );
                    assert!(!error.guidance.contains("canary"), "{tool} {path:?}: {}", error.guidance);
                    assert!(error.message.len() < 1_500, "{tool}: {}", error.message.len());
                }
                Ok(outcome) => {
                    assert!(planned.is_ok(), "{tool} {path:?}: it ran without a plan");
                    assert!(
                        !outcome.text.contains("canary") && !outcome.text.contains("root:x"),
                        "{tool} {path:?}: {}",
                        outcome.text
                    );
                    for (changed, _, _) in &outcome.changed {
                        let real = changed.parent().unwrap().canonicalize().unwrap();
                        let within =
                            real.starts_with(rig.folder()) || real.starts_with(rig.own().join("data"));
                        assert!(within, "{tool} {path:?}: {changed:?}");
                        // What a wrong name made inside of the folder must not be there for the next one.
                        let _ = fs::remove_file(changed);
                    }
                }
            }
        }
    }
    println!("{tried} calls over {} paths, {refused} refused", corpus.len());
    assert!(tried > 20_000, "{tried}");
    assert_eq!(everything(&outside), before);
    assert_eq!(fs::read_to_string(&secret).unwrap(), CANARY);
    assert_eq!(secret.metadata().unwrap().mtime_nsec(), accessed);
    let beside: BTreeSet<String> = fs::read_dir(rig.root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(beside, BTreeSet::from(["outside", "own", "secret.txt", "work"].map(String::from)));
}

#[tokio::test]
async fn the_way_out_is_named_together_with_the_folders() {
    let rig = prepared();
    for path in ["../secret.txt", "/etc/passwd", "link_dir/secret.txt", "link_missing"] {
        let error = rig.fails("read", json!({"path": path})).await;
        assert_eq!(error.kind, Kind::Refused, "{path}: {error}");
        assert!(error.guidance.contains(&rig.folder().display().to_string()), "{}", error.guidance);
    }
    // What is there and what is not are told in the same words.
    let there = rig.fails("read", json!({"path": "link_dir/secret.txt"})).await.message;
    let missing = rig.fails("read", json!({"path": "link_dir/other.txt"})).await.message;
    assert_eq!(there.replace("secret", "other"), missing);
}

#[tokio::test]
async fn dots_that_stay_inside_mean_what_they_say() {
    let rig = prepared();
    for path in ["sub/../a.txt", "./a.txt", "missing/../a.txt", "sub/./../sub/../a.txt", "link_up/../a.txt"] {
        assert_eq!(rig.said("read", json!({"path": path})).await, "     1\tinside", "{path}");
    }
}

#[tokio::test]
async fn listing_and_searching_do_not_follow_links() {
    let rig = prepared();
    let listed = rig.said("list", json!({"depth": 20, "hidden": true, "ignored": true})).await;
    assert!(listed.contains("link_dir  (a link)") && !listed.contains("secret"), "{listed}");
    let found = rig.said("search", json!({"pattern": "canary", "hidden": true, "ignored": true})).await;
    assert!(found.starts_with("(No line matches"), "{found}");
}

#[tokio::test]
async fn files_that_rules_forbid_are_left_out_of_lists_and_searches() {
    let hidden: tools::Hidden = std::sync::Arc::new(|at, path| {
        assert_eq!(at.session, "session");
        path.ends_with(".env") || path.ends_with("keys")
    });
    let rig = Rig::with(tools::Parts { hidden: Some(hidden), ..tools::Parts::default() });
    rig.put(".env", "TOKEN=needle\n");
    rig.put("keys/id", "needle\n");
    rig.put("a.txt", "needle\n");
    let found = rig.said("search", json!({"pattern": "needle", "hidden": true})).await;
    assert_eq!(found, "a.txt\n     1: needle");
    let listed = rig.said("list", json!({"hidden": true, "depth": 5})).await;
    assert_eq!(listed, "./\n  a.txt  7 bytes");
}
