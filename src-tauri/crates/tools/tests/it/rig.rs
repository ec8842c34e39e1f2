//! A session's folders in a temporary one, with something beside them that must not be touched.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use domain::Mode;
use serde_json::Value;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tools::{CallContext, Outcome, Parts, PlannedOperation, Run, Tool, ToolError};

/// What stands in the files beside the folders.
pub const CANARY: &str = "canary: nobody reads this";

pub struct Rig {
    top: TempDir,
    pub tools: Vec<Arc<dyn Tool>>,
    calls: AtomicUsize,
}

impl Rig {
    pub fn new() -> Self {
        Self::with(Parts::default())
    }

    pub fn with(parts: Parts) -> Self {
        let top = TempDir::new().unwrap();
        let root = fs::canonicalize(top.path()).unwrap();
        for folder in ["work", "own/data", "own/plans", "own/results", "own/attachments", "outside/deep"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["outside/secret.txt", "outside/deep/secret.txt", "secret.txt"] {
            fs::write(root.join(file), CANARY).unwrap();
        }
        Self { tools: tools::built_in(&parts), top, calls: AtomicUsize::new(0) }
    }

    pub fn root(&self) -> PathBuf {
        fs::canonicalize(self.top.path()).unwrap()
    }

    pub fn folder(&self) -> PathBuf {
        self.root().join("work")
    }

    pub fn own(&self) -> PathBuf {
        self.root().join("own")
    }

    pub fn outside(&self) -> PathBuf {
        self.root().join("outside")
    }

    pub fn put(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    pub fn bytes(&self, path: &str) -> Vec<u8> {
        fs::read(self.folder().join(path)).unwrap()
    }

    /// A call of its own.
    pub fn at(&self) -> CallContext {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        CallContext {
            session: "session".into(),
            run: "run".into(),
            call: format!("call-{call}"),
            mode: Mode::Ask,
            folders: vec![self.folder()],
            own: self.own(),
        }
    }

    pub fn tool(&self, name: &str) -> &dyn Tool {
        self.tools.iter().find(|tool| tool.info().name == name).unwrap().as_ref()
    }

    pub async fn plan(&self, name: &str, arguments: Value) -> Result<PlannedOperation, ToolError> {
        self.tool(name).plan(&arguments, &self.at()).await
    }

    /// Plans a call and runs it.
    pub async fn call(&self, name: &str, arguments: Value) -> Result<Outcome, ToolError> {
        let at = self.at();
        self.tool(name).plan(&arguments, &at).await?;
        self.tool(name).run(&arguments, &at, run()).await
    }

    /// The text of a call that works.
    pub async fn said(&self, name: &str, arguments: Value) -> String {
        self.call(name, arguments).await.unwrap().text
    }

    /// The error of a call that does not.
    pub async fn fails(&self, name: &str, arguments: Value) -> ToolError {
        match self.call(name, arguments).await {
            Err(error) => error,
            Ok(outcome) => panic!("it worked: {outcome:?}"),
        }
    }
}

pub fn run() -> Run {
    Run { cancel: CancellationToken::new(), confined: domain::Walls::Open, report: Arc::new(|_| {}) }
}

/// Everything below a folder: contents, modes, times of change.
pub fn everything(folder: &Path) -> BTreeMap<PathBuf, (u32, i64, i64, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let content = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            if metadata.is_dir() {
                folders.push(path.clone());
            }
            found.insert(path, (metadata.mode(), metadata.mtime(), metadata.mtime_nsec(), content));
        }
    }
    found
}
