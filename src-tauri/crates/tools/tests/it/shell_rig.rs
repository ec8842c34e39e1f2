//! A session to run commands in, and looking for what they leave behind.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use domain::{Mode, Walls};
use serde_json::{Value, json};
use tools::confine::{Confinement, available};
use tools::shell::{Setup, Shells, tools};
use tools::{CallContext, Outcome, Progress, Run, Tool, ToolError};

/// A session in folders of its own.
pub struct Rig {
    pub home: tempfile::TempDir,
    pub shells: Shells,
    pub at: CallContext,
    pub said: Arc<Mutex<Vec<String>>>,
    pub cancel: tokio_util::sync::CancellationToken,
}

pub fn setup(data: &Path, confinement: &Confinement) -> Setup {
    Setup {
        guard: env!("CARGO_BIN_EXE_tools-guard").into(),
        data: data.into(),
        search_path: None,
        deny_read: None,
        confinement: confinement.clone(),
    }
}

impl Rig {
    pub fn new() -> Self {
        Self::with(available())
    }

    pub fn with(confinement: &Confinement) -> Self {
        let home = tempfile::tempdir().unwrap();
        let make = |name: &str| -> PathBuf {
            let path = home.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            path.canonicalize().unwrap()
        };
        let (data, own, folder) = (make("app"), make("app/sessions/s1"), make("work"));
        let at = CallContext {
            session: "s1".into(),
            run: "r1".into(),
            call: new_marker(),
            mode: Mode::Ask,
            folders: vec![folder],
            own,
        };
        Self {
            shells: Shells::new(setup(&data, confinement)),
            home,
            at,
            said: Arc::default(),
            cancel: Default::default(),
        }
    }

    pub fn folder(&self) -> &Path {
        &self.at.folders[0]
    }

    pub fn tool(&self, name: &str) -> Arc<dyn Tool> {
        tools(&self.shells).into_iter().find(|tool| tool.info().name == name).unwrap()
    }

    pub fn run(&self, confined: impl Into<Around>) -> Run {
        let said = Arc::clone(&self.said);
        let report = move |progress| {
            if let Progress::Output(text) = progress {
                said.lock().unwrap().push(text);
            }
        };
        Run { cancel: self.cancel.clone(), confined: confined.into().0, report: Arc::new(report) }
    }

    pub async fn call(
        &self,
        tool: &str,
        arguments: Value,
        confined: impl Into<Around>,
    ) -> Result<Outcome, ToolError> {
        self.tool(tool).run(&arguments, &self.at, self.run(confined)).await
    }

    /// Runs a command unconfined.
    pub async fn shell(&self, command: &str) -> Outcome {
        self.call("shell", json!({ "command": command }), false).await.unwrap()
    }

    /// Runs a command confined.
    pub async fn confined(&self, command: &str) -> Outcome {
        self.call("shell", json!({ "command": command }), true).await.unwrap()
    }

    /// Begins a command in the background and gives its id.
    pub async fn begin(&self, command: &str) -> String {
        let arguments = json!({ "command": command, "background": true });
        let outcome = self.call("shell", arguments, false).await.unwrap();
        match &outcome.show[..] {
            [domain::Show::Background { shell }] => shell.clone(),
            other => panic!("{other:?}"),
        }
    }

    /// Waits until the command that runs has said this.
    pub async fn said(&self, words: &str) {
        let begun = Instant::now();
        while !self.said.lock().unwrap().concat().contains(words) {
            assert!(begun.elapsed() < Duration::from_secs(20), "never said: {words}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// A number of seconds for `sleep` by which processes of one test are known.
pub fn new_marker() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("8{:07}{next:04}", std::process::id())
}

/// Living processes with the marker in their command lines.
pub fn marked(marker: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        if command.contains(marker) {
            found.push((pid, command));
        }
    }
    found
}

/// Waits until so many sleepers with the marker live.
pub async fn wait_for_sleepers(marker: &str, count: usize) {
    let begun = Instant::now();
    loop {
        let sleepers = marked(marker).iter().filter(|(_, command)| command.starts_with("sleep ")).count();
        if sleepers >= count {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{sleepers} of {count} sleepers");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until nobody with the marker lives: for what ends by itself after its owner was killed.
pub async fn assert_gone(marker: &str) {
    let begun = Instant::now();
    loop {
        let left = marked(marker);
        if left.is_empty() {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "processes are left: {left:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Four processes that sleep: a child, one in another session, a daemon by double fork, and one that ignores SIGTERM.
pub fn sleepers(marker: &str) -> String {
    format!(
        "sleep {marker} & setsid sleep {marker} & ( ( setsid sleep {marker} & ) & ) ; ( trap '' TERM HUP; sleep {marker} ) & echo begun; "
    )
}

/// What stands around a command: named, or whether it is confined.
pub struct Around(pub Walls);

impl From<bool> for Around {
    fn from(confined: bool) -> Self {
        Self(if confined { Walls::Confined } else { Walls::Open })
    }
}

impl From<Walls> for Around {
    fn from(walls: Walls) -> Self {
        Self(walls)
    }
}
