//! Migrations, copies, rewriting and replacing, killed at every call that changes a file.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use pretty_assertions::assert_eq;
use store::{Archive, Commit, DataDir, Replacement, Store};
use tempfile::TempDir;

use crate::child::command;
use crate::crash::can_trace;
use crate::{append, begin, event, noise_blob, open};

/// Plays a role in copies of a folder, killed at one call after the other until it ends by itself. Each time
/// `check` looks at what is left. Gives how many times it was killed.
async fn killed_everywhere(
    role: &str,
    template: &Path,
    calls: &[&str],
    check: impl AsyncFn(&Path, bool),
) -> u32 {
    let mut kills = 0;
    for calls in calls {
        // Each of the first calls, then every third.
        for nth in (1..30).chain((30..400).step_by(3)) {
            let folder = TempDir::new().expect("a directory");
            copy_tree(template, folder.path());
            let (trace, inject) =
                (format!("trace={calls}"), format!("inject={calls}:signal=KILL:when={nth}"));
            let wrapper = ["strace", "-f", "-o", "/dev/null", "-e", &trace, "-e", &inject];
            let output = command(&wrapper, role, folder.path()).output().expect("starts");
            let ended = output.status.success();
            assert!(
                ended || output.status.signal() == Some(9) || output.status.code() == Some(137),
                "{output:?}"
            );
            check(folder.path(), ended).await;
            if ended {
                break;
            }
            kills += 1;
        }
    }
    eprintln!("{role}: killed {kills} times");
    kills
}

fn copy_tree(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("lists").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&target).expect("makes");
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("copies");
        }
    }
}

/// Runs `r0`, `r1`, … of three events and a payload each.
async fn filled(folder: &Path, runs: u64) {
    let (_dir, store) = open(folder).await;
    for number in 0..runs {
        let run = format!("r{number}");
        store.commit(begin(&run, &format!("s{number}"))).await.expect("begins");
        for seq in 1..3 {
            let blobs = vec![noise_blob(number * 10 + seq, 3_000)];
            store.commit(Commit { blobs, ..append(&run, seq) }).await.expect("commits");
        }
    }
    store.close().await.expect("closes");
}

async fn check_runs(store: &Store, runs: impl Iterator<Item = u64>) {
    for number in runs {
        let events: Vec<Vec<u8>> = store
            .load_events(&format!("r{number}"))
            .await
            .expect("loads")
            .into_iter()
            .map(|batch| batch.bytes)
            .collect();
        assert_eq!(events, [event(1), event(2), event(3)]);
        let blob = noise_blob(number * 10 + 2, 3_000);
        assert_eq!(store.get_blob(blob.hash()).await.expect("is there"), blob.bytes());
    }
    store.integrity_check().await.expect("is sound");
}

const WRITES: [&str; 3] = ["pwrite64", "fsync,fdatasync", "unlink,ftruncate,rename"];

#[tokio::test]
async fn a_migration_killed_anywhere_leaves_the_old_or_the_new_schema_with_everything() {
    if !can_trace() {
        return eprintln!("not checked: no process can be traced here");
    }
    let template = TempDir::new().expect("a directory");
    crate::released::make(template.path(), 3).await;
    let kills = killed_everywhere("migrate", template.path(), &WRITES, async |folder, _| {
        let (_dir, store) = open(folder).await;
        assert_eq!(store.load_events("r1").await.expect("loads").len(), 2);
        assert_eq!(store.get_draft("first").await.expect("reads").expect("there").text, "typed");
        store.integrity_check().await.expect("is sound");
        store.close().await.expect("closes");
    })
    .await;
    assert!(kills > 20, "{kills}");
}

#[tokio::test]
async fn a_copy_killed_anywhere_is_whole_or_not_there() {
    if !can_trace() {
        return eprintln!("not checked: no process can be traced here");
    }
    let template = TempDir::new().expect("a directory");
    filled(template.path(), 12).await;
    let kills = killed_everywhere("copy", template.path(), &WRITES, async |folder, ended| {
        let copy = folder.join("copy.db");
        assert!(copy.exists() || !ended);
        if copy.exists() {
            let archive = Archive::open(&copy).await.expect("opens");
            archive.check(|_| true).await.expect("is sound");
            assert_eq!(archive.counts().await.expect("counts").runs, 12);
            archive.close().await;
        }
        let (_dir, store) = open(folder).await;
        check_runs(&store, 0..12).await;
        store.close().await.expect("closes");
    })
    .await;
    assert!(kills > 20, "{kills}");
}

#[tokio::test]
async fn rewriting_and_giving_back_killed_anywhere_lose_nothing() {
    if !can_trace() {
        return eprintln!("not checked: no process can be traced here");
    }
    let template = TempDir::new().expect("a directory");
    filled(template.path(), 8).await;
    let kills = killed_everywhere(
        "rewrite",
        template.path(),
        &["fsync,fdatasync", "ftruncate", "pwrite64"],
        async |folder, _| {
            let (_dir, store) = open(folder).await;
            check_runs(&store, 4..8).await;
            store.close().await.expect("closes");
        },
    )
    .await;
    assert!(kills > 20, "{kills}");
}

#[tokio::test]
async fn a_replacement_killed_anywhere_is_gone_on_with() {
    if !can_trace() {
        return eprintln!("not checked: no process can be traced here");
    }
    let template = TempDir::new().expect("a directory");
    filled(template.path(), 2).await;
    fs::create_dir_all(template.path().join("sessions/old")).expect("makes");
    let other = TempDir::new().expect("a directory");
    filled(other.path(), 5).await;
    {
        let dir = DataDir::open(template.path()).expect("locks");
        let staging = dir.prepare().expect("prepares");
        fs::copy(other.path().join("agentnative.db"), staging.join("agentnative.db")).expect("copies");
        fs::create_dir_all(staging.join("sessions/new")).expect("makes");
        let names = vec!["agentnative.db".to_owned(), "sessions".to_owned()];
        dir.replace_when_opened(&Replacement {
            names,
            aside: "backups/aside".to_owned(),
            note: String::new(),
        })
        .expect("is due");
    }
    let calls = ["rename,renameat,renameat2", "unlink,unlinkat,rmdir", "fsync", "mkdir", "write"];
    let kills = killed_everywhere("replace", template.path(), &calls, async |folder, _| {
        let (dir, store) = open(folder).await;
        check_runs(&store, 0..5).await;
        store.close().await.expect("closes");
        assert!(folder.join("sessions/new").is_dir() && !folder.join("sessions/old").exists());
        assert!(folder.join("backups/aside/sessions/old").is_dir() && !dir.incoming().exists());
        drop((dir, store));
        let aside = Archive::open(&folder.join("backups/aside/agentnative.db")).await.expect("opens");
        assert_eq!(aside.counts().await.expect("counts").runs, 2);
    })
    .await;
    assert!(kills > 10, "{kills}");
}
