use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use pretty_assertions::assert_eq;
use store::{Commit, Store};
use tempfile::TempDir;

use crate::child::{command, said};
use crate::{Home, append, begin, event, noise, noise_blob, open};

/// Reads the whole run: every event in its place, every blob sound. Returns the last number.
async fn check_run(store: &Store, blob_bytes: usize) -> u64 {
    let batches = match store.load_events("r").await {
        Ok(batches) => batches,
        Err(store::StoreError::UnknownRun { .. }) => return 0,
        Err(error) => panic!("{error}"),
    };
    for (seq, batch) in (1..).zip(&batches) {
        assert_eq!((batch.seq_first, batch.seq_last, &batch.bytes), (seq, seq, &event(seq)));
        if seq > 1 {
            let blob = noise_blob(seq - 1, blob_bytes);
            assert_eq!(store.get_blob(blob.hash()).await.expect("is there"), blob.bytes());
        }
    }
    batches.len() as u64
}

#[tokio::test]
async fn after_kill_9_every_answered_commit_is_there_and_at_most_one_more() {
    let folder = TempDir::new().expect("a directory");
    let mut total = 0;
    for round in 0..20_u64 {
        let mut child = command(&[], "commit", folder.path()).spawn().expect("starts");
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        let wait_for = 1 + u64::from(noise(round, 1)[0]) % 40;
        let mut text = String::new();
        for _ in 0..wait_for {
            while !text.ends_with('\n') || !text.lines().last().is_some_and(|line| line.contains("child: ")) {
                assert!(out.read_line(&mut text).expect("reads") > 0, "the child ended by itself: {text}");
            }
            text.push_str("--\n");
        }
        // Spreads the kill over the phases of a commit.
        let spins = u32::from(noise(round + 100, 1)[0]) * 200;
        (0..spins).for_each(|_| std::hint::spin_loop());
        child.kill().expect("kills");
        child.wait().expect("ends");
        out.read_to_string(&mut text).expect("reads the rest");
        let mut acknowledged = said(text.as_bytes());
        // A line that the kill cut short may hold half a number.
        if !text.ends_with('\n') {
            acknowledged.pop();
        }
        let acknowledged: u64 = acknowledged.last().expect("some").parse().expect("a number");

        let (dir, store) = open(folder.path()).await;
        let stored = check_run(&store, 3_000).await;
        assert!(
            (acknowledged..=acknowledged + 1).contains(&stored),
            "{acknowledged} answered, {stored} stored"
        );
        total = stored;
        // Half of the rounds leave the log as the killed process left it.
        if round % 2 == 0 {
            store.close().await.expect("closes");
        }
        drop((dir, store));
        wait_until_free(folder.path()).await;
    }
    assert!(total > 100, "{total}");
}

/// A store that was dropped gives up its lock when its writer has ended.
async fn wait_until_free(path: &Path) {
    for _ in 0..10_000 {
        if store::DataDir::open(path).is_ok() {
            return;
        }
        tokio::task::yield_now().await;
        std::thread::yield_now();
    }
    panic!("the lock was not released");
}

#[tokio::test]
async fn a_log_cut_off_anywhere_holds_a_prefix_of_the_commits() {
    let home = Home::new().await;
    home.store.commit(begin("r", "s")).await.expect("begins");
    home.store.checkpoint().await.expect("checkpoints");
    let mut ends = Vec::new();
    for seq in 1..13 {
        let blobs = vec![noise_blob(seq, 3_000)];
        home.store.commit(Commit { blobs, ..append("r", seq) }).await.expect("commits");
        ends.push(home.store.sizes().await.expect("measures").log);
    }
    let database = fs::read(home.dir.database()).expect("reads");
    let log = fs::read(home.folder.path().join("agentnative.db-wal")).expect("reads");
    const FRAME: usize = 24 + 4096;
    let frames = (log.len() - 32) / FRAME;
    let mut cuts: Vec<usize> = (0..=frames).map(|n| 32 + n * FRAME).collect();
    cuts.extend((0..frames).flat_map(|n| [32 + n * FRAME + 7, 32 + n * FRAME + 24, 32 + n * FRAME + 2_000]));
    cuts.extend([0, 1, 31, log.len() - 1]);
    for cut in cuts {
        // Whole commits that end within the cut, and the one made before the log.
        let expected = 1 + ends.iter().filter(|end| **end <= cut as u64).count() as u64;
        let found = open_copy(&database, &log[..cut]).await;
        assert_eq!(found, expected, "cut at {cut} of {}", log.len());
    }
    for place in (100..log.len()).step_by(log.len() / 30) {
        let mut flipped = log.clone();
        flipped[place] ^= 0x10;
        let whole = 1 + ends.iter().filter(|end| **end <= place as u64).count() as u64;
        assert_eq!(open_copy(&database, &flipped).await, whole, "flipped at {place}");
    }
}

async fn open_copy(database: &[u8], log: &[u8]) -> u64 {
    let folder = TempDir::new().expect("a directory");
    fs::write(folder.path().join("agentnative.db"), database).expect("writes");
    fs::write(folder.path().join("agentnative.db-wal"), log).expect("writes");
    let (_dir, store) = open(folder.path()).await;
    let found = check_run(&store, 3_000).await;
    store.integrity_check().await.expect("is sound");
    store.close().await.expect("closes");
    found
}

#[test]
fn a_full_disk_fails_the_commit_and_nothing_else() {
    if !crate::opening::can_mount() {
        eprintln!("not checked: no small file system can be mounted here");
        return;
    }
    let folder = TempDir::new().expect("a directory");
    let script = "mount -t tmpfs -o size=2m none \"$STORE_TEST_PLACE\" && exec \"$0\" \"$@\"";
    let output =
        command(&["unshare", "-rm", "sh", "-c", script], "fill", folder.path()).output().expect("starts");
    assert_eq!(said(&output.stdout), ["done"], "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn a_write_error_stops_the_writer_until_the_store_is_opened_again() {
    let folder = TempDir::new().expect("a directory");
    // The log may not grow beyond some hundred KB: a write fails with "file too large".
    let script = "trap '' XFSZ; ulimit -f 1400; exec \"$0\" \"$@\"";
    let output = command(&["sh", "-c", script], "until-error", folder.path()).output().expect("starts");
    check_stopped(folder.path(), &said(&output.stdout), 3).await;
}

pub(crate) fn can_trace() -> bool {
    let traced = Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).status();
    traced.is_ok_and(|status| status.success())
}

#[tokio::test]
async fn killed_at_any_write_or_sync_from_creation_on_the_store_opens_with_what_it_answered() {
    if !can_trace() {
        eprintln!("not checked: no process can be traced here");
        return;
    }
    // strace counts the calls of each thread: the one of the writer's connection makes nearly all of them.
    for calls in ["pwrite64", "fsync,fdatasync", "unlink,ftruncate"] {
        let mut killed = 0;
        for nth in 1..1_000 {
            let folder = TempDir::new().expect("a directory");
            let trace = format!("trace={calls}");
            let inject = format!("inject={calls}:signal=KILL:when={nth}");
            let wrapper = ["strace", "-f", "-o", "/dev/null", "-e", &trace, "-e", &inject];
            let output = command(&wrapper, "few", folder.path()).output().expect("starts");
            if output.status.success() {
                break;
            }
            assert!(output.status.signal() == Some(9) || output.status.code() == Some(137), "{output:?}");
            killed += 1;
            let answered = said(&output.stdout).last().map_or(0, |seq| seq.parse::<u64>().expect("a number"));
            let (dir, store) = open(folder.path()).await;
            let stored = check_run(&store, 3_000).await;
            assert!(
                (answered..=answered + 1).contains(&stored),
                "{calls} {nth}: {answered} answered, {stored}"
            );
            let next = if stored == 0 { begin("r", "s") } else { append("r", stored) };
            store.commit(next).await.expect("goes on");
            store.integrity_check().await.expect("is sound");
            store.close().await.expect("closes");
            drop(store);
            Store::open(&dir, "test").await.expect("opens once more");
        }
        assert!(killed >= 3, "{calls}: {killed} kills");
        eprintln!("{calls}: killed at each of {killed} calls");
    }
}

#[tokio::test]
async fn a_failed_fsync_stops_the_writer_and_is_never_tried_again() {
    let folder = TempDir::new().expect("a directory");
    if !can_trace() {
        eprintln!("not checked: no process can be traced here");
        return;
    }
    // Creating the database takes syncs of its own: here the first ones belong to commits.
    let (dir, store) = open(folder.path()).await;
    store.close().await.expect("closes");
    drop((dir, store));
    let inject = "inject=fsync,fdatasync:error=EIO:when=8";
    let wrapper = ["strace", "-f", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", inject];
    let output = command(&wrapper, "until-error", folder.path()).output().expect("starts");
    check_stopped(folder.path(), &said(&output.stdout), 1).await;
}

/// What a child of role `until-error` must have said, and what must be found after it.
async fn check_stopped(place: &Path, said: &[String], at_least: u64) {
    let (numbers, words) = said.split_at(said.iter().take_while(|line| line.parse::<u64>().is_ok()).count());
    assert_eq!(words, ["error true", "again true", "deletes false", "reads true"], "{said:?}");
    let acknowledged: u64 = numbers.last().expect("some").parse().expect("a number");
    assert!(acknowledged >= at_least, "{said:?}");
    let (_dir, store) = open(place).await;
    let stored = check_run(&store, 50_000).await;
    assert!((acknowledged..=acknowledged + 1).contains(&stored), "{acknowledged} answered, {stored} stored");
    store.commit(append("r", stored)).await.expect("writes again");
    store.integrity_check().await.expect("is sound");
}
