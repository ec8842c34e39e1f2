//! One command that runs: started below a guard, confined where that is wanted, read to its end, and ended with all
//! that it began.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use sources::{ExitReport, Guarded, GuardedTree, plain_environment};

use super::masks::Masks;
use super::output::Output;
use crate::confine::{Confinement, Sight, on_path};
use crate::{At, Kind, ToolError};

/// What a tree gets between SIGTERM and SIGKILL. It has to be gone 200 ms after it was asked to.
const GRACE: Duration = Duration::from_millis(80);
/// How long after the end of a tree its last words may take to be read; only a process that left the tree holds them up.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What commands are started with.
#[derive(Debug, Clone)]
pub struct Setup {
    /// A program that begins with `sources::guard::intercept`: this one.
    pub guard: PathBuf,
    /// The app's data folder, which confined commands don't see.
    pub data: PathBuf,
    /// The `PATH` of the person's login shell; this process' own where it is not known.
    pub search_path: Option<OsString>,
    /// Which files confined commands see empty besides the usual secrets; `None`: no others.
    pub masks: Option<Masks>,
    /// What keeps commands from writing: [`crate::confine::available`].
    pub confinement: Confinement,
}

/// A running command.
#[derive(Debug)]
pub(super) struct Running {
    tree: GuardedTree,
    /// The `PATH` that it has.
    pub(super) search_path: OsString,
    pub(super) output: Arc<Output>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// By itself or by a signal, with the code that a shell would give.
    Exit(Option<i32>),
    /// It was stopped because the time was up.
    Deadline,
    /// It was stopped because it said too much.
    TooMuch,
    /// It was stopped because the caller wanted it.
    Stopped,
}

impl Setup {
    /// Starts `command` in `directory`. Must be called within a tokio runtime.
    pub(super) fn start(
        &self,
        command: &str,
        directory: &Path,
        at: &At,
        confined: bool,
    ) -> Result<Running, ToolError> {
        let environment = plain_environment(self.search_path.as_deref());
        let path = environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
        let shell = shell_program(&path)?;
        let mut arguments: Vec<OsString> = Vec::new();
        if shell.file_stem() == Some(OsStr::new("bash")) {
            arguments.extend(["--noprofile".into(), "--norc".into()]);
        }
        arguments.extend(["-c".into(), command.into()]);

        // Held until the command was started: the filter of a confined one is read from an open file.
        let wrapped = if confined {
            let mut shown = at.folders.clone();
            shown.push(at.own.clone());
            let masked = match &self.masks {
                Some(masks) => masks.find(at)?,
                None => Vec::new(),
            };
            let sight = Sight {
                home: std::env::home_dir(),
                masked,
                data: self.data.clone(),
                shown,
                directory: directory.to_path_buf(),
                seal: Some(self.guard.clone()),
            };
            Some(self.confinement.wrap(&sight, shell.as_os_str(), &arguments).map_err(|error| {
                ToolError::new(Kind::Unavailable, error.to_string()).with_guidance(
                    "Use the tools that read files instead, or ask the person to switch to Ask to edit.",
                )
            })?)
        } else {
            None
        };
        let mut guarded = match &wrapped {
            Some(confined) => {
                Guarded::new(Some(&self.guard), &confined.program, confined.arguments.clone(), GRACE)
            }
            None => Guarded::new(Some(&self.guard), shell.as_os_str(), arguments, GRACE),
        };

        let failed = |error: std::io::Error| {
            ToolError::new(Kind::Failed, format!("the shell could not be started: {error}"))
        };
        let (reader, writer) = std::io::pipe().map_err(failed)?;
        let place = at.own.join("results").join(format!("{}.txt", file_name(&at.call)));
        let output = Arc::new(Output::new(place));
        guarded
            .command
            .current_dir(directory)
            .envs(environment)
            .envs([("TERM", "dumb"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_TERMINAL_PROMPT", "0")])
            .stdin(Stdio::null())
            .stdout(writer.try_clone().map_err(failed)?)
            .stderr(writer);
        if confined {
            // Git would refresh its index, which is not worth a complaint here.
            guarded.command.env("GIT_OPTIONAL_LOCKS", "0").env_remove("TMPDIR");
        }
        // Spawning consumes the command and with it this side's copies of the writer.
        let tree = guarded.spawn().map_err(failed)?;
        drop(wrapped);
        let reading = Arc::clone(&output);
        std::thread::Builder::new()
            .name("shell output".into())
            .spawn(move || reading.read(reader))
            .map_err(failed)?;
        Ok(Running { tree, search_path: path, output })
    }
}

impl Running {
    /// Begins to end it with everything that it started.
    pub(super) fn stop(&self) {
        self.tree.stop();
    }

    /// Waits until it has ended and its output was read.
    pub(super) async fn ended(&self) -> Option<i32> {
        let report = self.tree.ended().await;
        let _ = tokio::time::timeout(LAST_WORDS, self.output.done()).await;
        match report {
            ExitReport::Code(code) => Some(code),
            ExitReport::Signal(signal) => Some(128 + signal),
            ExitReport::Unknown => None,
        }
    }
}

fn shell_program(path: &OsStr) -> Result<PathBuf, ToolError> {
    let fixed = |name: &str| Some(PathBuf::from(name)).filter(|file| file.is_file());
    on_path("bash", path)
        .or_else(|| fixed("/bin/bash"))
        .or_else(|| on_path("bash.exe", path))
        .or_else(|| fixed("/bin/sh"))
        .ok_or_else(|| {
            ToolError::new(Kind::Unavailable, format!("no shell was found; searched PATH={}", path.display()))
                .with_guidance("Install bash, or do it with the other tools.")
        })
}

/// A call's id as a file's name.
fn file_name(call: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    let name: String = call.chars().take(120).map(|one| if plain(one) { one } else { '_' }).collect();
    if name.starts_with('.') || name.is_empty() { format!("call{name}") } else { name }
}
