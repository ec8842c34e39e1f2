//! One command that runs: started below a guard, confined where that is wanted, read to its end, and ended with all
//! that it began.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use domain::Walls;
use permissions::{SECRET_FILES, SECRET_FOLDERS};
use process_guard::{ExitReport, GuardedCommand, GuardedTree, plain_environment};
use tokio_util::sync::CancellationToken;

use super::copies::{Copies, Copy};
use super::denied_paths::DenyRead;
use super::output::Output;
use super::paths::{caches, git_attributes, repository_of, resolved, toolchains, written_paths};
use crate::confine::{Confinement, SandboxPolicy, on_path};
use crate::{CallContext, Kind, ToolError};

/// What a tree gets between SIGTERM and SIGKILL. It has to be gone 200 ms after it was asked to.
const GRACE: Duration = Duration::from_millis(80);
/// How long after the end of a tree its last words may take to be read; only a process that left the tree holds them up.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// What commands are started with.
#[derive(Debug, Clone)]
pub struct Setup {
    /// A program that begins with `process_guard::intercept`: this one.
    pub guard: PathBuf,
    /// The app's data folder, which confined commands don't see.
    pub data: PathBuf,
    /// The `PATH` of the person's login shell; this process' own where it is not known.
    pub search_path: Option<OsString>,
    /// Which files confined commands see empty besides the usual secrets; `None`: no others.
    pub deny_read: Option<DenyRead>,
    /// What keeps commands from writing: [`crate::confine::available`].
    pub confinement: Confinement,
}

/// What a command with a pipe does at its end: where the last pipeline ends well and a part of it did not, a line says so. A
/// part that was ended because nobody read on (SIGPIPE) counts as well.
const PIPE_TOLD: &str = r#"set -- $? "${PIPESTATUS[@]}"; if [ "$1" = 0 ] && [ $# -gt 2 ]; then shift; for one; do case $one in 0|141) ;; *) printf "[Exit codes along the pipe: %s]\n" "$*" >&2; break;; esac; done; fi; "#;
/// What a confined command with jobs does at its end: where the guard sees none of them, it names those that still run.
const JOBS_TOLD: &str = r#"jobs -lr | while read -r one pid state words; do printf "[Ended with the command: process %s (%s).]\n" "$pid" "${words% &}" >&2; done; "#;

/// A running command.
#[derive(Debug)]
pub(super) struct RunningCommand {
    tree: GuardedTree,
    /// The `PATH` that it has.
    pub(super) search_path: OsString,
    pub(super) output: Arc<Output>,
    /// The folders that it works in, thrown away with it. After the tree: what runs there ends first.
    pub(super) copy: Option<Copy>,
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
    /// It was stopped because it wrote too much.
    TooFull,
    /// It was stopped because the caller wanted it.
    Stopped,
}

impl Setup {
    /// Starts `command` in `directory`. Must be called within a tokio runtime.
    pub(super) fn start(
        &self,
        command: &str,
        directory: &Path,
        at: &CallContext,
        walls: Walls,
        copies: &Copies,
        cancel: &CancellationToken,
    ) -> Result<RunningCommand, ToolError> {
        let confined = !walls.is_open();
        let bounded = walls == Walls::Folders;
        let environment = plain_environment(self.search_path.as_deref());
        let path = environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
        let shell = shell_program(&path)?;
        let mut arguments: Vec<OsString> = Vec::new();
        let bash = shell.file_stem() == Some(OsStr::new("bash"));
        if bash {
            arguments.extend(["--noprofile".into(), "--norc".into()]);
        }
        let told = [(PIPE_TOLD, command.contains('|')), (JOBS_TOLD, confined && command.contains('&'))];
        let told: String =
            told.iter().filter(|(_, is_needed)| bash && *is_needed).map(|(told, _)| *told).collect();
        let told = if told.is_empty() { told } else { format!("trap '{told}' EXIT; ") };
        arguments.extend(["-c".into(), format!("{told}{command}").into()]);

        // Held until the command was started: the filter of a confined one is read from an open file.
        let mut copy = None;
        let mut attributes = None;
        let wrapped = if confined {
            let (masked, names) = match &self.deny_read {
                Some(deny_read) if !bounded => deny_read.find(at)?,
                Some(_) | None => Default::default(),
            };
            attributes = git_attributes(at, &names)?;
            let mut shown = Vec::new();
            let mut written = None;
            match walls {
                Walls::Open | Walls::Confined => shown.clone_from(&at.folders),
                Walls::Copied => {
                    let hidden: Vec<PathBuf> = masked.iter().cloned().chain(self.private()).collect();
                    copy = Some(copies.make(&resolved(&at.folders), &hidden, cancel)?);
                }
                Walls::Folders => written = Some(written_paths(at)?),
            }
            if !bounded {
                shown.extend(toolchains(&path));
            }
            shown.extend(at.folders.iter().filter_map(|folder| repository_of(folder)));
            shown.push(at.own.clone());
            let sandbox = SandboxPolicy {
                home: std::env::home_dir(),
                masked,
                copies: copy.as_ref().map(|copy| copy.places.clone()).unwrap_or_default(),
                data: self.data.clone(),
                shown,
                written,
                directory: directory.to_path_buf(),
                seal: Some(self.guard.clone()),
            };
            Some(self.confinement.wrap(&sandbox, shell.as_os_str(), &arguments).map_err(|error| {
                ToolError::new(Kind::Unavailable, error.to_string()).with_guidance(
                    "Use the tools that read files instead, or ask the person to switch to Ask to edit.",
                )
            })?)
        } else {
            None
        };
        let (program, arguments) = match &wrapped {
            Some(confined) => (confined.program.as_os_str(), confined.arguments.clone()),
            None => (shell.as_os_str(), arguments),
        };
        let limits = Some(super::limits::of_command(confined && !bounded));
        let mut guarded = GuardedCommand::bounded(Some(&self.guard), program, arguments, GRACE, limits);

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
        if bounded {
            guarded.command.env_remove("TMPDIR").envs(caches());
        } else if confined {
            // Git would refresh its index, which is not worth a complaint here.
            guarded.command.env("GIT_OPTIONAL_LOCKS", "0").env_remove("TMPDIR");
        }
        // Git tells nothing of what such a file held, whatever is asked of its history.
        for (name, value) in attributes.iter().flat_map(|file| {
            [
                ("GIT_CONFIG_COUNT", OsStr::new("1")),
                ("GIT_CONFIG_KEY_0", OsStr::new("core.attributesFile")),
                ("GIT_CONFIG_VALUE_0", file.as_os_str()),
            ]
        }) {
            guarded.command.env(name, value);
        }
        if copy.is_some() {
            // No file can be locked, and the Rust compiler wants a lock for what it keeps between builds.
            guarded.command.env("CARGO_INCREMENTAL", "0");
        }
        // Spawning consumes the command and with it this side's copies of the writer.
        let tree = guarded.spawn().map_err(failed)?;
        drop(wrapped);
        let reading = Arc::clone(&output);
        std::thread::Builder::new()
            .name("shell output".into())
            .spawn(move || reading.read(reader))
            .map_err(failed)?;
        Ok(RunningCommand { tree, search_path: path, output, copy })
    }
}

impl Setup {
    /// What no command sees in any folder, and no copy has: the app's data, where copies lie, too, and secrets.
    fn private(&self) -> impl Iterator<Item = PathBuf> {
        let home = std::env::home_dir();
        let names = SECRET_FOLDERS.iter().chain(SECRET_FILES);
        let secrets = names.filter_map(move |name| Some(home.as_ref()?.join(name)));
        secrets.chain([self.data.clone()]).filter_map(|path| path.canonicalize().ok())
    }
}

impl RunningCommand {
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
