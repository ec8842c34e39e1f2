//! Commands in a copy of the session's folders: they may write there, and nothing of it stays.

use std::path::Path;
use std::sync::Arc;

use domain::Walls;
use pretty_assertions::assert_eq;
use serde_json::json;
use tools::Kind;
use tools::confine::{Confinement, available};
use tools::shell::{DeniedPaths, DenyRead, Shells};

use crate::shell_rig::{Rig, setup};

const DISCARDED: &str = "[It ran in a copy without network; its changes were discarded.]\n";

async fn said(rig: &Rig, command: &str) -> String {
    match rig.call("shell", json!({ "command": command }), Walls::Copied).await {
        Ok(outcome) => outcome.text,
        Err(error) => format!("{}\n{}", error.message, error.guidance),
    }
}

fn copies(rig: &Rig) -> usize {
    std::fs::read_dir(rig.home.path().join("app/cache/copies")).map_or(0, Iterator::count)
}

#[tokio::test]
async fn a_command_sees_what_it_writes_and_the_folder_stays_as_it_was() {
    let rig = Rig::new();
    std::fs::create_dir(rig.folder().join("sub")).unwrap();
    std::fs::write(rig.folder().join("sub/a.txt"), "one\n").unwrap();
    let command =
        "pwd; echo two >> sub/a.txt; rm -f sub/b; mkdir new; mv sub/a.txt new; cat new/a.txt; ls sub";
    let expected = format!("{}\none\ntwo\n{DISCARDED}", rig.folder().display());
    assert_eq!(said(&rig, command).await, expected);
    assert_eq!(std::fs::read_to_string(rig.folder().join("sub/a.txt")).unwrap(), "one\n");
    assert!(!rig.folder().join("new").exists());
    assert_eq!(copies(&rig), 0);
}

#[tokio::test]
async fn tests_of_a_project_run_in_the_copy() {
    let rig = Rig::new();
    let test = "import unittest\nclass T(unittest.TestCase):\n    def test_it(self):\n        open('made', 'w').write('x')\n        self.assertEqual(1, 2)\n";
    std::fs::write(rig.folder().join("test_it.py"), test).unwrap();
    let text =
        said(&rig, "python3 -m unittest 2>&1 | tail -n 1; find . -name '*.py' | xargs grep -c unittest")
            .await;
    assert!(text.contains("FAILED (failures=1)") || text.contains("not found"), "{text}");
    assert!(text.ends_with(DISCARDED), "{text}");
    let left: Vec<_> =
        std::fs::read_dir(rig.folder()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["test_it.py"]);
}

#[tokio::test]
async fn a_build_goes_on_without_locks() {
    let rig = Rig::new();
    std::fs::create_dir(rig.folder().join("src")).unwrap();
    let manifest = "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    std::fs::write(rig.folder().join("Cargo.toml"), manifest).unwrap();
    std::fs::write(rig.folder().join("src/lib.rs"), "#[test]\nfn it_holds() {}\n").unwrap();
    let text = said(&rig, "cargo test --offline --lib 2>&1").await;
    let missing =
        text.contains("not found") || text.contains("no default is configured") || text.contains("rustup");
    assert!(text.contains("1 passed") || missing, "{text}");
    println!("{text}");
    assert!(!rig.folder().join("target").exists() && !rig.folder().join("Cargo.lock").exists());
}

#[tokio::test]
async fn outside_of_the_copy_nothing_is_written_and_nothing_is_reached() {
    let rig = Rig::new();
    let outside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let command = format!(
        "echo x > {}/x || echo kept; echo x > /dev/tcp/127.0.0.1/{port} || echo cut; ls {} | wc -l",
        outside.path().display(),
        rig.home.path().join("app").display(),
    );
    let text = said(&rig, &command).await;
    assert!(text.contains("kept\n") && text.contains("cut\n"), "{text}");
    assert!(!outside.path().join("x").exists());
}

#[tokio::test]
async fn what_must_not_be_read_is_not_in_the_copy() {
    let rig = Rig::new();
    std::fs::write(rig.folder().join(".env"), "SECRET=1").unwrap();
    std::fs::create_dir(rig.folder().join("keys")).unwrap();
    std::fs::write(rig.folder().join("keys/one"), "SECRET").unwrap();
    let deny_read = DenyRead(Arc::new(|_| DeniedPaths {
        places: Vec::new(),
        names: vec![".env".to_owned()],
        is: Box::new(|path: &Path| {
            path.ends_with(".env") || path.components().any(|part| part.as_os_str() == "keys")
        }),
    }));
    let setup = tools::shell::Setup {
        deny_read: Some(deny_read),
        ..setup(&rig.home.path().join("app"), available())
    };
    let rig = Rig { shells: Shells::new(setup), ..rig };
    let text = said(&rig, "cat .env keys/* ; grep -r SECRET . ; mv .env seen; cat seen; ls keys").await;
    assert!(!text.contains("SECRET=1") && !text.contains("keys/one"), "{text}");
}

#[tokio::test]
async fn the_apps_own_data_is_not_copied_into_itself() {
    let mut rig = Rig::new();
    let home = rig.home.path().canonicalize().unwrap();
    std::fs::write(home.join("app/secret"), "only the app knows").unwrap();
    rig.at.folders = vec![home];
    let text = said(&rig, "ls; cat app/secret; echo x > made; ls app/cache").await;
    assert!(text.contains("work\n") && text.ends_with(DISCARDED), "{text}");
    assert!(!text.contains("only the app knows") && !text.contains("copies"), "{text}");
}

#[tokio::test]
async fn a_copy_does_not_outlive_its_command() {
    let rig = Rig::new();
    std::fs::write(rig.folder().join("a"), "x").unwrap();
    let late = json!({ "command": "chmod 0 .; sleep 30", "timeout_seconds": 1 });
    let error = rig.call("shell", late, Walls::Copied).await.unwrap_err();
    assert_eq!(error.kind, Kind::Deadline);
    assert_eq!(copies(&rig), 0);
    let background = json!({ "command": "sleep 30", "background": true });
    let error = rig.call("shell", background, Walls::Copied).await.unwrap_err();
    assert_eq!(error.kind, Kind::Refused);
    assert_eq!(copies(&rig), 0);
}

#[tokio::test]
async fn without_confinement_there_is_no_copy() {
    let rig = Rig::with(&Confinement::None { why: "it is switched off".into() });
    let text = said(&rig, "echo x > x").await;
    assert!(text.contains("switched off"), "{text}");
    assert!(!rig.folder().join("x").exists());
    assert_eq!(copies(&rig), 0);
}
