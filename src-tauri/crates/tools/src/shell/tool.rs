//! The tools as models know them.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::{CallEffect, Hints, Preview, Show, Walls};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::copies::Copy;
use super::process::{End, RunningCommand};
use super::registry::{ShellState, Shells};
use crate::{CallContext, Kind, Outcome, PlannedOperation, Progress, Run, Tool, ToolError, ToolInfo};

/// Seconds that a command gets unless it asks for other.
const DEFAULT_SECONDS: u64 = 120;
/// Seconds that it may ask for.
const MAX_SECONDS: u64 = 600;
/// Bytes of a command. The kernel takes no longer argument than 128 KiB.
const MAX_COMMAND_BYTES: usize = 100_000;
/// What a shell gives when there is no such program.
const NOT_FOUND: i32 = 127;
/// What it gives when a file would have become larger than it may: 128 and the signal's number.
const FILE_TOO_LARGE: i32 = 128 + 25;
/// How often what a command says is handed on while it runs.
const REPORTED: Duration = Duration::from_millis(50);

/// What programs say that were kept from changing something.
const HELD: &[&str] = &[
    "Read-only file system",
    "EROFS",
    "Permission denied",
    "Operation not permitted",
    "Device or resource busy",
];

const ABOUT_SHELL: &str = "Runs a command with bash in the first folder of the session and gives what it says (standard output and errors together) and its exit code. \
Each call is a new shell: directory, variables and functions do not stay. There is no terminal and no input; a program that asks waits for nothing. \
Whatever the command leaves running is ended with it; to start a server or a watcher set `background`. \
In Explore the file system is read-only but for an empty /tmp, there is no network, and nothing of the home folder but the session's folders can be seen; what may write, as tests and builds do, runs in a copy of the folders that is thrown away afterwards. \
In Auto it changes nothing but the session's folders and a /tmp of the session; for anything else say why in `outside`, and the person is asked. \
What a command may use is bounded (memory, processes, the size of a file, time); it is told when it meets a bound. \
Prefer the tools that read, search and edit files over cat, grep and sed.";

const ABOUT_OUTPUT: &str =
    "Gives the last lines of what a background command said, and whether it still runs or how it ended.";

const ABOUT_KILL: &str = "Ends a background command with everything that it started.";

/// Runs a command.
pub(super) struct Shell {
    info: ToolInfo,
    shells: Shells,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShellArguments {
    command: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    timeout_seconds: Option<u64>,
    #[serde(default)]
    background: bool,
    #[serde(default)]
    outside: Option<String>,
}

impl Shell {
    pub(super) fn new(shells: Shells) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "minLength": 1, "maxLength": MAX_COMMAND_BYTES, "description": "The command, as it would be typed into bash."},
                "description": {"type": "string", "maxLength": 200, "description": "What it does, in five to ten words, for the person."},
                "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": MAX_SECONDS, "description": format!("How long it may take; {DEFAULT_SECONDS} unless given. Not for background commands.")},
                "background": {"type": "boolean", "description": "Start it and go on at once. Its id is given back, for shell_output and shell_kill."},
                "outside": {"type": "string", "maxLength": 300, "description": "Only in Auto, and only if it has to change something outside of the session's folders: what, and why. The person is asked."}
            },
            "required": ["command"],
            "additionalProperties": false
        });
        let hints = Hints {
            read_only: Some(false),
            destructive: Some(true),
            idempotent: Some(false),
            open_world: Some(true),
        };
        // Longer than the longest command may take, since that is bounded here, with its output.
        let deadline = Duration::from_secs(MAX_SECONDS + 10);
        Self { info: info("shell", "Run a command", ABOUT_SHELL, parameters, hints, deadline), shells }
    }

    async fn in_foreground(
        &self,
        wanted: &ShellArguments,
        at: &CallContext,
        run: &Run,
    ) -> Result<Outcome, ToolError> {
        let seconds = wanted.timeout_seconds.unwrap_or(DEFAULT_SECONDS);
        let running = self.started(wanted, at, run, Shells::start).await?;
        let end = watched(&running, seconds, run).await;
        let output = &running.output;
        let text = output.text();
        match end {
            End::Exit(code) => {
                let data = json!({ "exit_code": code, "output": text });
                let outcome = ended(text, code, output.lines(), run.confined, &running.search_path);
                Ok(Outcome { data: Some(data), ..outcome })
            }
            End::TooFull => Err(ToolError::new(
                Kind::TooLarge,
                format!("the command was ended because it wrote too much into its copy of the folders. It had said:\n{text}"),
            )
            .with_guidance("Let it write less.")),
            End::Stopped => Err(ToolError::new(Kind::Cancelled, "the command was stopped")),
            End::Deadline => Err(ToolError::new(
                Kind::Deadline,
                format!("the command was ended after {seconds} seconds. It had said:\n{text}"),
            )
            .with_guidance(
                "Give it a longer timeout_seconds, make it do less, or run it with background: true.",
            )),
            End::TooMuch => Err(ToolError::new(
                Kind::TooLarge,
                format!("the command was ended because it did not stop talking. It had said:\n{text}"),
            )
            .with_guidance("Let it say less: filter its output or write it to a file.")),
        }
    }

    async fn in_background(
        &self,
        wanted: &ShellArguments,
        at: &CallContext,
        run: &Run,
    ) -> Result<Outcome, ToolError> {
        let state = self.started(wanted, at, run, Shells::begin).await?;
        let text = format!(
            "It runs in the background as {id}. Read what it says with shell_output {{\"id\": \"{id}\"}}; end it with shell_kill.",
            id = state.id
        );
        let mut outcome = Outcome::text(text, format!("in the background as {}", state.id));
        outcome.show.push(Show::Background { shell: state.id });
        Ok(outcome)
    }

    /// Starting looks at the file system and starts a process: nothing for a thread that others wait for.
    async fn started<T: Send + 'static>(
        &self,
        wanted: &ShellArguments,
        at: &CallContext,
        run: &Run,
        start: fn(&Shells, &str, &CallContext, Walls, &CancellationToken) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        self.shells.knows_search_path().await;
        let (shells, at, command, confined, cancel) =
            (self.shells.clone(), at.clone(), wanted.command.clone(), run.confined, run.cancel.clone());
        let starting = tokio::task::spawn_blocking(move || start(&shells, &command, &at, confined, &cancel));
        starting.await.map_err(|error| {
            ToolError::new(Kind::Failed, format!("the shell could not be started: {error}"))
        })?
    }
}

/// Hands on what a command says until it ends, or ends it.
async fn watched(running: &RunningCommand, seconds: u64, run: &Run) -> End {
    let deadline = tokio::time::sleep(Duration::from_secs(seconds));
    tokio::pin!(deadline);
    let ended = running.ended();
    tokio::pin!(ended);
    let mut reported = tokio::time::interval(REPORTED);
    reported.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let report = || {
        if let Some(news) = running.output.news() {
            (run.report)(Progress::Output(news));
        }
    };
    let end = loop {
        tokio::select! {
            biased;
            () = run.cancel.cancelled() => break End::Stopped,
            code = &mut ended => {
                report();
                return End::Exit(code);
            }
            () = &mut deadline => break End::Deadline,
            () = running.output.too_much.cancelled() => break End::TooMuch,
            _ = reported.tick() => {
                report();
                if running.copy.as_ref().is_some_and(Copy::is_too_large) {
                    break End::TooFull;
                }
            }
        }
    };
    running.stop();
    ended.await;
    report();
    end
}

/// What a command gave that ended by itself.
fn ended(
    mut text: String,
    code: Option<i32>,
    lines: u64,
    confined: Walls,
    search_path: &std::ffi::OsStr,
) -> Outcome {
    if text.is_empty() {
        text.push_str("(it said nothing)\n");
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    let how = match code {
        Some(code) => format!("exit code {code}"),
        None => "its exit code is not known".to_owned(),
    };
    if text.lines().rev().take(3).any(|line| line.starts_with(process_guard::LEFT_BEHIND)) {
        text.push_str("[To keep a server or a watcher running, start it alone with background: true.]\n");
    }
    if code == Some(NOT_FOUND) {
        text.push_str(&format!("[Programs were searched for in PATH={}]\n", search_path.display()));
    }
    if code != Some(0) {
        text.push_str(&format!("[{how}]\n"));
        if code == Some(FILE_TOO_LARGE) {
            let limited = matches!(confined, Walls::Confined | Walls::Copied);
            let most = super::limits::of_command(limited).file >> 20;
            text.push_str(&format!("[A file of it would have become larger than {most} MiB.]\n"));
        }
        if confined == Walls::Confined {
            text.push_str(
                "[It ran read-only: but for /tmp nothing can be written, and there is no network.]\n",
            );
        }
        if confined == Walls::Folders && HELD.iter().any(|words| text.contains(words)) {
            text.push_str(
                "[It could change the session's folders alone, and nothing of their git settings and hooks. If it has to change something else, call it again with `outside`.]\n",
            );
        }
    }
    if confined == Walls::Copied {
        text.push_str("[It ran in a copy without network; its changes were discarded.]\n");
    }
    // A test runner behind `| tail` fails with exit code 0.
    let codes = text.lines().rev().take(5).find_map(|line| line.strip_prefix("[Exit codes along the pipe: "));
    let how = match codes {
        Some(codes) if code == Some(0) => format!("{how} ({} along the pipe)", codes.trim_end_matches(']')),
        Some(_) | None => how,
    };
    let summary = match lines {
        0 => how,
        1 => format!("{how}, 1 line"),
        lines => format!("{how}, {lines} lines"),
    };
    Outcome::text(text, summary)
}

#[async_trait]
impl Tool for Shell {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let wanted = checked(arguments)?;
        let cwd = super::directory(at)?.display().to_string();
        let said = wanted.description.as_deref().map(one_line).filter(|text| !text.is_empty());
        let outside = wanted.outside.as_deref().map(one_line).filter(|text| !text.is_empty());
        let intent = said.unwrap_or_else(|| format!("Run {}", one_line(&wanted.command)));
        Ok(PlannedOperation {
            effect: CallEffect::Shell { command: wanted.command.clone(), cwd: cwd.clone(), outside },
            intent,
            preview: Preview::Command { command: wanted.command, cwd },
        })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let wanted = checked(arguments)?;
        if matches!(run.confined, Walls::Open | Walls::Folders) {
            let (at, command) = (at.clone(), wanted.command.clone());
            // A full disk must not keep the person from what would free it.
            let _ = crate::arguments::blocking(move || crate::undo::note_command(&at, &command)).await;
        }
        if wanted.background && run.confined == Walls::Copied {
            let what = "in Explore only commands that only read can go on in the background";
            return Err(ToolError::new(Kind::Refused, what)
                .with_guidance("Run it without background, with the timeout_seconds that it needs."));
        }
        if wanted.background {
            self.in_background(&wanted, at, &run).await
        } else {
            self.in_foreground(&wanted, at, &run).await
        }
    }
}

fn checked(arguments: &Value) -> Result<ShellArguments, ToolError> {
    let wanted: ShellArguments = parsed(arguments)?;
    let wrong = |message: String| Err(ToolError::new(Kind::Arguments, message));
    if wanted.command.trim().is_empty() {
        return wrong("`command` is empty".into());
    }
    if wanted.command.len() > MAX_COMMAND_BYTES {
        return wrong(format!(
            "`command` has {} bytes; at most {MAX_COMMAND_BYTES} are taken. Write a script to a file and run that",
            wanted.command.len()
        ));
    }
    if wanted.command.contains('\0') {
        return wrong("`command` holds a zero byte, which no command can".into());
    }
    match wanted.timeout_seconds {
        Some(0) => wrong("`timeout_seconds` is at least 1".into()),
        Some(seconds) if seconds > MAX_SECONDS => wrong(format!(
            "`timeout_seconds` is at most {MAX_SECONDS}; for what takes longer set `background`"
        )),
        Some(_) | None => Ok(wanted),
    }
}

fn parsed<T: for<'a> Deserialize<'a>>(arguments: &Value) -> Result<T, ToolError> {
    T::deserialize(arguments).map_err(|error| {
        ToolError::new(Kind::Arguments, format!("the arguments are not understood: {error}"))
    })
}

/// The first line with something on it, without what can't be seen, at most 100 characters.
fn one_line(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let clean = sources::strip_invisible(line).replace('\t', " ");
    let mut shown: String = clean.chars().take(100).collect();
    if shown.len() < clean.len() {
        shown.push('…');
    }
    shown
}

fn info(
    name: &str,
    title: &str,
    description: &str,
    parameters: Value,
    hints: Hints,
    deadline: Duration,
) -> ToolInfo {
    ToolInfo {
        name: name.into(),
        source: String::new(),
        tool: name.into(),
        title: title.into(),
        description: description.into(),
        parameters,
        hints,
        trusted: true,
        deadline,
    }
}

/// Reads what a background command said.
pub(super) struct ShellOutput {
    info: ToolInfo,
    shells: Shells,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputArguments {
    id: String,
    #[serde(default)]
    tail: Option<usize>,
    #[serde(default)]
    wait_seconds: Option<u64>,
}

/// Lines that are given unless others are asked for.
const DEFAULT_LINES: usize = 100;
/// Seconds that may be waited for an end.
const MAX_WAIT_SECONDS: u64 = 120;

impl ShellOutput {
    pub(super) fn new(shells: Shells) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "The background command."},
                "tail": {"type": "integer", "minimum": 1, "maximum": 2000, "description": format!("How many of the last lines; {DEFAULT_LINES} unless given.")},
                "wait_seconds": {"type": "integer", "minimum": 0, "maximum": MAX_WAIT_SECONDS, "description": "Wait so long for it to end before reading. Use this instead of sleep."}
            },
            "required": ["id"],
            "additionalProperties": false
        });
        let hints = Hints { read_only: Some(true), destructive: Some(false), ..Hints::default() };
        let deadline = Duration::from_secs(MAX_WAIT_SECONDS + 10);
        Self {
            info: info(
                "shell_output",
                "Read a background command",
                ABOUT_OUTPUT,
                parameters,
                hints,
                deadline,
            ),
            shells,
        }
    }
}

#[async_trait]
impl Tool for ShellOutput {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let wanted: OutputArguments = parsed(arguments)?;
        let (state, _) = known(&self.shells, &wanted.id, at)?;
        Ok(inner(format!("Read what {} said", one_line(&state.command))))
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let wanted: OutputArguments = parsed(arguments)?;
        known(&self.shells, &wanted.id, at)?;
        let patience = Duration::from_secs(wanted.wait_seconds.unwrap_or(0).min(MAX_WAIT_SECONDS));
        tokio::select! {
            biased;
            () = self.shells.wait_for_end(&wanted.id) => {}
            () = run.cancel.cancelled() => return Err(ToolError::new(Kind::Cancelled, "the wait was stopped")),
            () = tokio::time::sleep(patience) => {}
        }
        let (state, running) = known(&self.shells, &wanted.id, at)?;
        let (text, bytes) = running.output.last(super::output::SHOWN);
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.len().saturating_sub(wanted.tail.unwrap_or(DEFAULT_LINES).max(1));
        let how = status(&state);
        let shown = lines[first..].join("\n");
        let text = format!(
            "[{how}; {bytes} bytes of output so far, the last {} lines:]\n{shown}\n",
            lines.len() - first
        );
        Ok(Outcome::text(text, how))
    }
}

/// Ends a background command.
pub(super) struct ShellKill {
    info: ToolInfo,
    shells: Shells,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KillArguments {
    id: String,
}

impl ShellKill {
    pub(super) fn new(shells: Shells) -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {"id": {"type": "string", "description": "The background command."}},
            "required": ["id"],
            "additionalProperties": false
        });
        let hints = Hints { destructive: Some(false), idempotent: Some(true), ..Hints::default() };
        let deadline = Duration::from_secs(15);
        Self {
            info: info("shell_kill", "End a background command", ABOUT_KILL, parameters, hints, deadline),
            shells,
        }
    }
}

#[async_trait]
impl Tool for ShellKill {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let wanted: KillArguments = parsed(arguments)?;
        let (state, _) = known(&self.shells, &wanted.id, at)?;
        Ok(inner(format!("End {}", one_line(&state.command))))
    }

    async fn run(&self, arguments: &Value, at: &CallContext, _run: Run) -> Result<Outcome, ToolError> {
        let wanted: KillArguments = parsed(arguments)?;
        let (before, _) = known(&self.shells, &wanted.id, at)?;
        if !before.running {
            let how = status(&before);
            return Ok(Outcome::text(format!("It had ended already: {how}."), how));
        }
        self.shells.kill(&wanted.id).await;
        Ok(Outcome::text("It was ended with everything that it had started.", "ended"))
    }
}

fn inner(intent: String) -> PlannedOperation {
    PlannedOperation { effect: CallEffect::Inner, intent, preview: Preview::None }
}

fn status(state: &ShellState) -> String {
    match (state.running, state.exit) {
        (true, _) => "it still runs".into(),
        (false, Some(code)) => format!("exit code {code}"),
        (false, None) => "it has ended".into(),
    }
}

/// A background command of this very session.
fn known(
    shells: &Shells,
    id: &str,
    at: &CallContext,
) -> Result<(ShellState, Arc<RunningCommand>), ToolError> {
    shells.find(id).filter(|(state, _)| state.session == at.session).ok_or_else(|| {
        let ids: Vec<String> = shells.list(Some(&at.session)).into_iter().map(|state| state.id).collect();
        let there =
            if ids.is_empty() { "there is none".into() } else { format!("there are {}", ids.join(", ")) };
        ToolError::new(Kind::NotFound, format!("no background command {id:?} in this session; {there}"))
            .with_guidance("Background commands end with the program; start it again if it is still needed.")
    })
}
