//! Starting hostile servers, and looking for what they leave behind.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sources::{CallLimits, Source, SourceConfig, SourceError};

pub const HOSTILE: &str = env!("CARGO_BIN_EXE_sources-hostile");

/// Slack that the deadlines are given: the bound that this crate promises.
pub const SLACK: Duration = Duration::from_secs(1);

pub fn guard() -> Option<PathBuf> {
    Some(env!("CARGO_BIN_EXE_sources-guard").into())
}

/// A mark that the server's processes carry in their environment or their arguments. It is also a number of seconds,
/// for `sleep`.
pub fn new_marker() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("7{:07}{next:03}", std::process::id())
}

/// A hostile server's configuration and its mark.
pub fn hostile(mode: &str) -> (SourceConfig, String) {
    let marker = new_marker();
    let mut config = SourceConfig::new("hostile", HOSTILE).with_args([mode]);
    config.env.insert("MARKER".into(), marker.clone());
    (config, marker)
}

/// The numbers of living processes that carry the mark, with their command lines.
pub fn marked(marker: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let read = |file: &str| std::fs::read(entry.path().join(file)).unwrap_or_default();
        let command = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        let environment = String::from_utf8_lossy(&read("environ")).into_owned();
        // A zombie has neither.
        if command.contains(marker) || environment.contains(&format!("MARKER={marker}")) {
            found.push((pid, command));
        }
    }
    found
}

/// Waits until no process carries the mark.
pub async fn assert_gone(marker: &str, within: Duration) {
    let begun = Instant::now();
    loop {
        let left = marked(marker);
        if left.is_empty() {
            return;
        }
        assert!(begun.elapsed() < within, "processes are left: {left:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A well-behaved source.
pub async fn good() -> Source {
    let (mut config, _) = hostile("good");
    config.slug = "good".into();
    Source::start(config, guard(), None).await.unwrap()
}

pub async fn assert_works(source: &Source) {
    let outcome =
        source.call("echo", json!({"n": 1}), CallLimits::within(Duration::from_secs(10))).await.unwrap();
    assert_eq!(outcome.value, json!({"n": 1}));
}

/// Starts a server that must fail to start: in time, with name and last words, leaving nobody, harming nobody.
pub async fn start_error(mode: &str, change: impl FnOnce(&mut SourceConfig)) -> SourceError {
    let beside = good().await;
    let (mut config, marker) = hostile(mode);
    config.start_timeout = Duration::from_secs(3);
    change(&mut config);
    let limit = config.start_timeout + SLACK;
    let begun = Instant::now();
    let error = Source::start(config, guard(), None).await.unwrap_err();
    assert!(begun.elapsed() < limit, "took {:?}", begun.elapsed());
    assert_names(&error, mode);
    assert_gone(&marker, Duration::from_secs(3)).await;
    assert_works(&beside).await;
    beside.close().await;
    error
}

/// Makes a call within one second that must fail: in time, with name and last words, leaving nobody, harming nobody.
pub async fn call_error(mode: &str, change: impl FnOnce(&mut SourceConfig)) -> SourceError {
    let beside = good().await;
    let (mut config, marker) = hostile(mode);
    change(&mut config);
    let source = Source::start(config, guard(), None).await.unwrap();
    let begun = Instant::now();
    let error = call(&source, Duration::from_secs(1)).await.unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(1) + SLACK, "took {:?}", begun.elapsed());
    assert_names(&error, mode);
    assert_works(&beside).await;
    source.close().await;
    assert_gone(&marker, Duration::from_millis(100)).await;
    assert_works(&beside).await;
    beside.close().await;
    error
}

pub async fn call(source: &Source, within: Duration) -> Result<Value, SourceError> {
    source.call("echo", json!({"n": 1}), CallLimits::within(within)).await.map(|outcome| outcome.value)
}

fn assert_names(error: &SourceError, mode: &str) {
    assert_eq!(error.slug, "hostile");
    assert!(error.to_string().contains("`hostile`"), "{error}");
    assert!(error.stderr_tail.contains(&format!("mode {mode} is up")), "last words: {:?}", error.stderr_tail);
}

/// Keeps measurements of memory apart from each other, and measures one: the rise of the peak, in bytes.
pub async fn peak_rise<F: Future>(work: F) -> (F::Output, u64) {
    static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    let _alone = ALONE.lock().await;
    // Resets the peak to what is used now (proc(5), clear_refs).
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = peak();
    let output = work.await;
    (output, peak().saturating_sub(before))
}

fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let kibibytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kibibytes << 10
}
