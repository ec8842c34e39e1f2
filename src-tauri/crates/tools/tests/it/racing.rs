//! Links that are put in the way while a call is under way.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tools::Kind;

use crate::rig::{CANARY, Rig, everything, run};

/// Swaps what stands at a path between what belongs there and a link that leads out, until it is dropped.
struct Swapping {
    stop: Arc<AtomicBool>,
    swaps: Arc<AtomicUsize>,
    thread: Option<JoinHandle<()>>,
}

impl Swapping {
    fn start(at: PathBuf, target: PathBuf) -> Self {
        let (stop, swaps) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (stopped, count) = (Arc::clone(&stop), Arc::clone(&swaps));
        let kept = at.with_extension("kept");
        let link = at.with_extension("link");
        let thread = std::thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                let _ = symlink(&target, &link);
                fs::rename(&at, &kept).unwrap();
                // A tool may make the folder in a moment in which there is none.
                while fs::rename(&link, &at).is_err() {
                    let _ = fs::remove_dir_all(&at);
                }
                std::thread::yield_now();
                fs::remove_file(&at).unwrap();
                while fs::rename(&kept, &at).is_err() {
                    let _ = fs::remove_dir_all(&at);
                }
                std::thread::yield_now();
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        Self { stop, swaps, thread: Some(thread) }
    }

    fn end(mut self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        self.swaps.load(Ordering::Relaxed)
    }
}

async fn tried(rig: &Rig, tool: &str, arguments: &Value, tries: usize) -> usize {
    let mut worked = 0;
    for _ in 0..tries {
        let at = rig.at();
        let _ = rig.tool(tool).plan(arguments, &at).await;
        if let Ok(outcome) = rig.tool(tool).run(arguments, &at, run()).await {
            worked += 1;
            assert!(!outcome.text.contains(CANARY), "{tool}: {}", outcome.text);
        }
    }
    worked
}

fn prepared() -> (Rig, PathBuf) {
    let rig = Rig::new();
    rig.put("dir/secret.txt", "inside\n");
    let dir = rig.folder().join("dir");
    (rig, dir)
}

#[tokio::test]
async fn a_folder_that_becomes_a_link_shows_nothing_from_outside() {
    let (rig, dir) = prepared();
    let before = everything(&rig.outside());
    let swapping = Swapping::start(dir, rig.outside());
    let mut worked = 0;
    worked += tried(&rig, "read", &json!({"path": "dir/secret.txt"}), 10_000).await;
    worked += tried(&rig, "search", &json!({"pattern": "canary"}), 1_000).await;
    worked += tried(&rig, "search", &json!({"path": "dir", "pattern": "canary"}), 1_000).await;
    let swaps = swapping.end();
    println!("12000 tries, {worked} worked, {swaps} swaps");
    assert!(swaps > 100 && worked > 100, "{swaps} swaps, {worked} worked");
    assert_eq!(everything(&rig.outside()), before);
}

#[tokio::test]
async fn a_folder_that_becomes_a_link_takes_nothing_outside() {
    let (rig, dir) = prepared();
    let before = everything(&rig.outside());
    let swapping = Swapping::start(dir, rig.outside());
    let mut worked = 0;
    let edit = json!({"path": "dir/secret.txt", "edits": [{"old": "i", "new": "j", "all": true}]});
    let edit_back = json!({"path": "dir/secret.txt", "edits": [{"old": "j", "new": "i", "all": true}]});
    for number in 0..2_500 {
        worked +=
            tried(&rig, "write", &json!({"path": "dir/new.txt", "content": number.to_string()}), 1).await;
        worked +=
            tried(&rig, "write", &json!({"path": "dir/more/new.txt", "content": number.to_string()}), 1)
                .await;
        worked += tried(&rig, "edit", &edit, 1).await;
        worked += tried(&rig, "edit", &edit_back, 1).await;
    }
    let remove = json!({"patch": format!("--- a/dir/secret.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-{CANARY}\n")});
    tried(&rig, "patch", &remove, 500).await;
    let swaps = swapping.end();
    println!("10500 tries, {worked} worked, {swaps} swaps");
    assert!(swaps > 100 && worked > 100, "{swaps} swaps, {worked} worked");
    assert_eq!(everything(&rig.outside()), before);
    assert_no_rest(&rig.folder());
}

#[tokio::test]
async fn a_file_that_becomes_a_link_shows_and_takes_nothing_outside() {
    let (rig, dir) = prepared();
    let before = everything(&rig.outside());
    let swapping = Swapping::start(dir.join("secret.txt"), rig.outside().join("secret.txt"));
    let worked = tried(&rig, "read", &json!({"path": "dir/secret.txt"}), 5_000).await;
    let search = tried(&rig, "search", &json!({"path": "dir/secret.txt", "pattern": "canary"}), 2_000).await;
    let swaps = swapping.end();
    assert!(swaps > 100 && worked + search > 100, "{swaps} swaps, {worked} worked");
    assert_eq!(everything(&rig.outside()), before);
}

fn assert_no_rest(folder: &Path) {
    let rest: Vec<PathBuf> = everything(folder)
        .into_keys()
        .filter(|path| path.extension().is_some_and(|end| end == "tmp"))
        .collect();
    assert_eq!(rest, Vec::<PathBuf>::new());
}

#[tokio::test]
async fn a_link_that_changed_its_target_after_the_plan_is_not_followed() {
    let rig = Rig::new();
    rig.put("allowed.txt", "allowed\n");
    rig.put("forbidden.txt", "forbidden\n");
    let link = rig.folder().join("link.txt");
    for (tool, arguments) in [
        ("read", json!({"path": "link.txt"})),
        ("search", json!({"path": "link.txt", "pattern": "."})),
        ("write", json!({"path": "link.txt", "content": "new\n"})),
        ("edit", json!({"path": "link.txt", "old": "en", "new": "EN"})),
    ] {
        symlink("allowed.txt", &link).unwrap();
        let at = rig.at();
        if tool == "edit" {
            rig.put("allowed.txt", "en\n");
        }
        rig.tool(tool).plan(&arguments, &at).await.unwrap();
        fs::remove_file(&link).unwrap();
        symlink("forbidden.txt", &link).unwrap();
        let error = rig.tool(tool).run(&arguments, &at, run()).await.unwrap_err();
        assert_eq!(error.kind, Kind::Refused, "{tool}: {error}");
        assert!(error.message.contains("leads elsewhere"), "{tool}: {error}");
        fs::remove_file(&link).unwrap();
    }
    assert_eq!(rig.text("forbidden.txt"), "forbidden\n");
}
