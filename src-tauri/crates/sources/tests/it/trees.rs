//! Nothing that a server started outlives it, or us.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use sources::{Source, SourceState};

use crate::rig::{HOSTILE, assert_gone, guard, hostile, marked, new_marker};

fn signal(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

fn is_guard(command: &str) -> bool {
    command.contains("guard --parent")
}

/// Kept by tests whose programs are killed: the search for orphans in one of them would do the others' work.
static ORPHANS: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

async fn wait_for_grandchildren(marker: &str) {
    let begun = Instant::now();
    loop {
        let sleepers = marked(marker).iter().filter(|(_, command)| command.contains("sleep")).count();
        if sleepers >= 2 {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "no grandchildren");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn daemons_of_a_server_end_with_it() {
    for mode in ["grandchildren", "grandchildren with clean environment", "keeps forking"] {
        let (config, marker) = hostile(mode);
        let source = Source::start(config, guard(), None).await.unwrap();
        wait_for_grandchildren(&marker).await;
        source.close().await;
        assert_gone(&marker, Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn daemons_end_even_without_a_guard_while_we_live() {
    let (config, marker) = hostile("grandchildren");
    let source = Source::start(config, None, None).await.unwrap();
    wait_for_grandchildren(&marker).await;
    source.close().await;
    assert_gone(&marker, Duration::from_millis(100)).await;
}

#[tokio::test]
async fn a_server_that_ignores_end_of_input_and_sigterm_is_killed() {
    for guard in [guard(), None] {
        let (config, marker) = hostile("ignores everything");
        let source = Source::start(config, guard, None).await.unwrap();
        let begun = Instant::now();
        source.close().await;
        // One second after the end of input comes SIGTERM, half a second later SIGKILL.
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
        assert_gone(&marker, Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn dropping_a_source_ends_its_tree() {
    let (config, marker) = hostile("grandchildren");
    let source = Source::start(config, guard(), None).await.unwrap();
    wait_for_grandchildren(&marker).await;
    drop(source);
    assert_gone(&marker, Duration::from_secs(3)).await;
}

#[tokio::test]
async fn a_killed_guard_takes_the_tree_with_it_and_the_source_can_be_restarted() {
    let (config, marker) = hostile("grandchildren");
    let source = Source::start(config, guard(), None).await.unwrap();
    wait_for_grandchildren(&marker).await;
    let before = marked(&marker);
    let (watching, _) = before.iter().find(|(_, command)| is_guard(command)).unwrap();
    signal(*watching, Signal::KILL);
    while source.state() != SourceState::Failed {
        source.state_change().await;
    }
    let begun = Instant::now();
    loop {
        let now = marked(&marker);
        if !before.iter().any(|process| now.contains(process)) {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(3), "left: {now:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    source.restart().await.unwrap();
    source.close().await;
    assert_gone(&marker, Duration::from_millis(100)).await;
}

/// Starts a program that holds a source; returns it when the source is ready.
fn hold(marker: &str, mode: &str) -> std::process::Child {
    let mut host = Command::new(HOSTILE)
        .args(["host", guard().unwrap().to_str().unwrap(), mode])
        .env("MARKER", marker)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(host.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("ready"), "{line}");
    host
}

#[tokio::test]
async fn nothing_outlives_a_program_killed_with_sigkill() {
    let _alone = ORPHANS.lock().await;
    for mode in ["grandchildren", "grandchildren with clean environment", "keeps forking"] {
        let marker = new_marker();
        let mut host = hold(&marker, mode);
        wait_for_grandchildren(&marker).await;
        host.kill().unwrap();
        host.wait().unwrap();
        assert_gone(&marker, Duration::from_secs(3)).await;
    }
}

#[tokio::test]
async fn when_program_and_guard_are_killed_the_next_start_finds_the_orphans() {
    let _alone = ORPHANS.lock().await;
    let marker = new_marker();
    let mut host = hold(&marker, "grandchildren");
    wait_for_grandchildren(&marker).await;
    let (watching, _) = marked(&marker).into_iter().find(|(_, command)| is_guard(command)).unwrap();
    host.kill().unwrap();
    signal(watching, Signal::KILL);
    host.wait().unwrap();
    tokio::task::spawn_blocking(process_guard::end_orphans).await.unwrap();
    assert_gone(&marker, Duration::from_millis(500)).await;
}

#[tokio::test]
async fn the_server_itself_dies_even_with_program_and_guard() {
    let _alone = ORPHANS.lock().await;
    let marker = new_marker();
    // It minds neither the end of its input nor SIGTERM, so only the kernel can have killed it.
    let mut host = hold(&marker, "ignores everything");
    let (watching, _) = marked(&marker).into_iter().find(|(_, command)| is_guard(command)).unwrap();
    signal(host.id(), Signal::STOP);
    signal(watching, Signal::KILL);
    host.kill().unwrap();
    host.wait().unwrap();
    assert_gone(&marker, Duration::from_secs(1)).await;
}

#[test]
fn the_guard_passes_end_of_file_and_the_exit_code_on() {
    let mut child = Command::new(guard().unwrap())
        .args(["guard", "--parent", &std::process::id().to_string()])
        .args(["--", "/bin/sh", "-c", "cat; exit 42"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::{Read, Write};
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"through").unwrap();
    drop(input);
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), child.wait().unwrap().code()), ("through", Some(42)));
}

#[test]
fn a_guard_whose_parent_is_someone_else_starts_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let trace = directory.path().join("trace");
    let status = Command::new(guard().unwrap())
        .args(["guard", "--parent", "1", "--", "/usr/bin/touch"])
        .arg(&trace)
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(125));
    assert!(!trace.exists());
}
