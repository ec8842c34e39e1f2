//! This test binary, started again as another process.

use std::env;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use store::{Commit, DataDir, Durability, Store, StoreError};

use crate::{append, begin, noise, noise_blob};

const ROLE: &str = "STORE_TEST_CHILD";
const PLACE: &str = "STORE_TEST_PLACE";

/// The command that plays `role` in `place`; `wrapper` is a program with arguments that execs the rest.
pub(crate) fn command(wrapper: &[&str], role: &str, place: &Path) -> Command {
    let this = env::current_exe().expect("this binary");
    let mut command = match wrapper {
        [] => Command::new(&this),
        [program, arguments @ ..] => {
            let mut command = Command::new(program);
            command.args(arguments).arg(&this);
            command
        }
    };
    command.args(["--exact", "child::entry", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env(PLACE, place).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// What a finished child printed for its parent, one entry a line.
pub(crate) fn said(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    // libtest may print its own words in front of the first line.
    let lines = text.lines().filter_map(|line| line.split_once("child: ").map(|(_, said)| said.to_owned()));
    lines.collect()
}

fn say(words: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "child: {words}").and_then(|()| out.flush()).expect("the parent listens");
}

#[tokio::test]
async fn entry() {
    // Other tests start this binary again with a role; without one there is nothing to do.
    let Ok(role) = env::var(ROLE) else { return };
    let place = env::var_os(PLACE).expect("a place");
    let place = Path::new(&place);
    match role.as_str() {
        "hold" => hold(place),
        "refused" => say(&DataDir::open(place).expect_err("the directory is read-only").to_string()),
        "commit" => commit_until_killed(place).await,
        "few" => commit_a_few(place).await,
        "until-error" => commit_until_error(place).await,
        "fill" => fill_the_disk(place).await,
        "migrate" | "replace" => crate::open(place).await.1.close().await.expect("closes"),
        "copy" => copy(place).await,
        "rewrite" => rewrite(place).await,
        other => panic!("no role {other}"),
    }
}

/// Keeps the lock until the parent closes stdin.
fn hold(place: &Path) {
    let _dir = DataDir::open(place).expect("locks");
    say("ready");
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).expect("reads");
}

async fn commit_until_killed(place: &Path) {
    let (_dir, store) = crate::open(place).await;
    let mut seq = match store.last_seq("r").await {
        Ok(seq) => seq,
        Err(_) => {
            store.commit(begin("r", "s")).await.expect("begins");
            1
        }
    };
    loop {
        say(&seq.to_string());
        let durability = if seq % 3 == 0 { Durability::Normal } else { Durability::Full };
        let blobs = vec![noise_blob(seq, 3_000)];
        store.commit(Commit { durability, blobs, ..append("r", seq) }).await.expect("commits");
        seq += 1;
    }
}

/// Creates the store, makes five commits, says each of them, checkpoints and closes.
async fn commit_a_few(place: &Path) {
    let (_dir, store) = crate::open(place).await;
    store.commit(begin("r", "s")).await.expect("begins");
    say("1");
    for seq in 1..5 {
        let blobs = vec![noise_blob(seq, 3_000)];
        store.commit(Commit { blobs, ..append("r", seq) }).await.expect("commits");
        say(&(seq + 1).to_string());
    }
    store.checkpoint().await.expect("checkpoints");
    store.close().await.expect("closes");
}

/// Says each stored number, then the error, then whether the store still writes and reads.
async fn commit_until_error(place: &Path) {
    let (_dir, store) = crate::open(place).await;
    let first = store.commit(begin("r", "s")).await;
    let mut seq = 1;
    let error = match first {
        Err(error) => error,
        Ok(()) => loop {
            say(&seq.to_string());
            let blobs = vec![noise_blob(seq, 50_000)];
            match store.commit(Commit { blobs, ..append("r", seq) }).await {
                Ok(()) => seq += 1,
                Err(error) => break error,
            }
            if seq > 200 {
                return say("no error");
            }
        },
    };
    say(&format!("error {}", matches!(error, StoreError::WriterStopped { .. })));
    let again = store.commit(append("r", seq)).await;
    say(&format!("again {}", again == Err(error)));
    say(&format!("deletes {}", store.delete_run("r").await.is_ok()));
    say(&format!("reads {}", store.load_events("r").await.is_ok()));
}

/// Runs on a file system of 2 MB.
async fn fill_the_disk(place: &Path) {
    let (dir, store) = crate::open(place).await;
    store.commit(begin("r", "s")).await.expect("begins");
    let filler = place.join("filler");
    std::fs::write(&filler, noise(1, 1_400_000)).expect("fits");
    let large = Commit { blobs: vec![noise_blob(2, 700_000)], ..append("r", 1) };
    assert_eq!(store.commit(large.clone()).await, Err(StoreError::DiskFull));
    assert_eq!(store.last_seq("r").await, Ok(1), "rolled back");

    // In one transaction with a small one only the large one fails.
    store.commit(begin("r2", "s")).await.expect("small commits fit into the log");
    let (failed, stored) = tokio::join!(store.commit(large.clone()), store.commit(append("r2", 1)));
    assert_eq!((failed, stored), (Err(StoreError::DiskFull), Ok(())));

    std::fs::remove_file(&filler).expect("removes");
    store.commit(large).await.expect("there is space again");
    store.integrity_check().await.expect("is sound");
    store.close().await.expect("closes");
    let store = Store::open(&dir, "test").await.expect("opens");
    assert_eq!((store.last_seq("r").await, store.last_seq("r2").await), (Ok(2), Ok(2)));
    assert_eq!(store.get_blob(noise_blob(2, 700_000).hash()).await.map(|bytes| bytes.len()), Ok(700_000));
    say("done");
}

async fn copy(place: &Path) {
    let (_dir, store) = crate::open(place).await;
    store.copy_to(&place.join("copy.db"), Box::new(|_, _| true)).await.expect("copies");
    store.close().await.expect("closes");
}

/// Deletes the first half of eight sessions, gives what is free back and writes the database anew.
async fn rewrite(place: &Path) {
    let (_dir, store) = crate::open(place).await;
    for number in 0..4 {
        store.delete_session(&format!("s{number}")).await.expect("deletes");
    }
    store.incremental_vacuum(4).await.expect("gives back");
    store.rewrite().await.expect("writes anew");
    store.close().await.expect("closes");
}
