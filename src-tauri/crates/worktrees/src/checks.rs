//! Set-up and checks of a project: declared in a file, accepted by a person, run by code.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use support::now_ms;

use crate::command::{Runner, ShellEnd};
use crate::error::TaskError;
use crate::git::Git;
use crate::record::{AttemptId, TaskId};
use crate::savepoint::tree_of_worktree;
use crate::{Task, Worktrees};

/// Where a project declares its set-up and its checks.
pub const CHECKS_FILE: &str = ".agentnative/checks.json";
/// The largest declaration, in bytes.
const MAX_DECLARATION_BYTES: usize = 64 << 10;
/// The most checks of a project.
const MAX_CHECKS: usize = 32;
/// The longest name of a check, in bytes.
const MAX_NAME_BYTES: usize = 100;
/// The longest time that a command may be given, in seconds.
const MAX_SECONDS: u32 = 4 * 3_600;
/// The time of a command that declares none, in seconds.
const DEFAULT_SECONDS: u32 = 600;
/// The most runs of checks that a record keeps of an attempt.
const MAX_CHECK_RUNS: usize = 50;

/// What a project declares: `{"setup": {"command": "npm ci"}, "checks": [{"name": "tests", "command": "npm test"}]}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "TaskCommands")]
pub struct Commands {
    /// Run once in a new worktree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<SetupCommand>,
    /// Run whenever somebody wants to know whether the task is done, in their order.
    #[serde(default)]
    pub checks: Vec<CheckCommand>,
}

/// What makes a new worktree ready to work in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SetupCommand {
    /// A command line for the shell.
    pub command: String,
    /// How long it may take.
    #[serde(default = "default_seconds")]
    pub timeout_seconds: u32,
}

/// A command whose exit code 0 says that something is right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CheckCommand {
    /// Its name, one of its kind.
    pub name: String,
    /// A command line for the shell.
    pub command: String,
    /// How long it may take.
    #[serde(default = "default_seconds")]
    pub timeout_seconds: u32,
}

fn default_seconds() -> u32 {
    DEFAULT_SECONDS
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandResult {
    /// The command line.
    pub command: String,
    /// Its exit code; 128 + n for signal n, nothing when it was ended for taking too long.
    pub exit_code: Option<i32>,
    /// Whether it was ended for taking too long.
    pub timed_out: bool,
    /// Its first and last words, output and errors together.
    pub output: String,
    /// When it began, in milliseconds since 1970.
    pub at: i64,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

impl CommandResult {
    /// Whether its exit code is 0.
    pub fn passed(&self) -> bool {
        self.exit_code == Some(0)
    }
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckResult {
    /// The check's name.
    pub name: String,
    /// How its command ended.
    #[serde(flatten)]
    pub result: CommandResult,
}

/// All checks, run one after the other on one state of a worktree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckRun {
    /// The tree that they were run on: tracked and untracked files, without ignored ones.
    pub tree: String,
    /// The commit that was checked out.
    pub head: String,
    /// When they began, in milliseconds since 1970.
    pub at: i64,
    /// Each check, in the order of the declaration.
    pub results: Vec<CheckResult>,
}

impl CheckRun {
    /// Whether every check ended with 0.
    pub fn passed(&self) -> bool {
        self.results.iter().all(|check| check.result.passed())
    }
}

impl Commands {
    /// The declaration in a text.
    ///
    /// # Errors
    /// When the text is no declaration; `place` names it.
    pub fn parse(text: &str, place: &str) -> Result<Self, TaskError> {
        let wrong = |message: String| TaskError::Declaration { place: place.to_owned(), message };
        if text.len() > MAX_DECLARATION_BYTES {
            return Err(wrong(format!("it is longer than {MAX_DECLARATION_BYTES} bytes")));
        }
        let commands: Self = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        commands.validate(place)?;
        Ok(commands)
    }

    pub(crate) fn validate(&self, place: &str) -> Result<(), TaskError> {
        let wrong = |message: String| Err(TaskError::Declaration { place: place.to_owned(), message });
        if self.checks.len() > MAX_CHECKS {
            return wrong(format!("{} checks; at most {MAX_CHECKS}", self.checks.len()));
        }
        let setup =
            self.setup.iter().map(|setup| ("/setup".to_owned(), &setup.command, setup.timeout_seconds));
        let checks = self.checks.iter().enumerate();
        let checks = checks.map(|(at, one)| (format!("/checks/{at}"), &one.command, one.timeout_seconds));
        for (pointer, command, seconds) in setup.chain(checks) {
            if command.trim().is_empty() || command.contains('\0') {
                return wrong(format!("{pointer}/command is empty or holds a NUL"));
            }
            if !(1..=MAX_SECONDS).contains(&seconds) {
                return wrong(format!("{pointer}/timeoutSeconds is {seconds}; expected 1 to {MAX_SECONDS}"));
            }
        }
        for (at, check) in self.checks.iter().enumerate() {
            if check.name.trim().is_empty() || check.name.len() > MAX_NAME_BYTES {
                return wrong(format!("/checks/{at}/name is empty or longer than {MAX_NAME_BYTES} bytes"));
            }
            if self.checks[..at].iter().any(|other| other.name == check.name) {
                return wrong(format!("/checks/{at}/name: two checks are named {:?}", check.name));
            }
        }
        Ok(())
    }

    /// Whether there is nothing to run.
    pub fn is_empty(&self) -> bool {
        self.setup.is_none() && self.checks.is_empty()
    }

    /// The digest that an approval names: of the command lines and their times.
    pub fn digest(&self) -> String {
        let text = serde_json::to_vec(self).unwrap_or_default();
        Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The command lines, for a person to read.
    pub fn lines(&self) -> Vec<String> {
        let setup = self.setup.iter().map(|setup| format!("set-up: {}", setup.command));
        setup.chain(self.checks.iter().map(|check| format!("{}: {}", check.name, check.command))).collect()
    }
}

/// What the project declares at a commit; where that has no declaration, in the person's checkout.
pub(crate) async fn declared(git: &Git<'_>, commit: &str) -> Result<Commands, TaskError> {
    let object = format!("{commit}:{CHECKS_FILE}");
    if let Some(text) = git.ask(&["cat-file", "blob", &object]).await? {
        return Commands::parse(&text, &format!("{CHECKS_FILE} at {}", &commit[..commit.len().min(12)]));
    }
    let path = git.folder().join(CHECKS_FILE);
    match std::fs::metadata(&path) {
        Ok(found) if found.is_file() && found.len() <= MAX_DECLARATION_BYTES as u64 => {
            let text = std::fs::read_to_string(&path).map_err(TaskError::file(&path))?;
            Commands::parse(&text, &path.display().to_string())
        }
        Ok(found) if found.is_file() => Err(TaskError::Declaration {
            place: path.display().to_string(),
            message: format!("it is longer than {MAX_DECLARATION_BYTES} bytes"),
        }),
        _ => Ok(Commands::default()),
    }
}

impl Worktrees {
    /// What the project in `folder` declares at `base`, and whether a person has accepted it.
    pub async fn commands(&self, folder: &Path, base: Option<&str>) -> Result<(Commands, bool), TaskError> {
        let place = self.place(folder).await?;
        let git = self.git(&place.top);
        let base = base.unwrap_or("HEAD");
        let commit = git.commit(base).await?.ok_or_else(|| TaskError::NoRevision(base.to_owned()))?;
        let commands = declared(&git, &commit).await?;
        let approved = self.approved(&place.common, &commands)?;
        Ok((commands, approved))
    }

    /// Remembers that a person has read these commands and accepts that they are run for this repository.
    pub async fn approve(&self, folder: &Path, commands: &Commands) -> Result<(), TaskError> {
        let place = self.place(folder).await?;
        self.inner.records.approve(&place.common, &commands.digest()).await
    }

    /// Whether a person has accepted commands for the repository with this common folder.
    pub fn approved(&self, common: &Path, commands: &Commands) -> Result<bool, TaskError> {
        let known = self.inner.records.approvals()?;
        let digest = commands.digest();
        Ok(commands.is_empty() || known.get(common).is_some_and(|digests| digests.contains(&digest)))
    }

    pub(crate) fn must_be_approved(&self, task: &Task) -> Result<(), TaskError> {
        if self.approved(&task.common, &task.commands)? {
            return Ok(());
        }
        let place = task.repository.display().to_string();
        Err(TaskError::NotApproved(place, task.commands.lines().join("; ")))
    }

    /// Runs the set-up in an attempt's worktree and records how it ended.
    pub async fn set_up(&self, id: &AttemptId) -> Result<CommandResult, TaskError> {
        let task = self.task(&id.task)?;
        let Some(setup) = task.commands.setup.clone() else {
            return Err(TaskError::Missing(format!("task {} declares no set-up", task.id)));
        };
        self.must_be_approved(&task)?;
        let attempt = task.attempt(id.attempt)?;
        let number = attempt.number;
        let seconds = u64::from(setup.timeout_seconds);
        let result = self.run_command(&task, &attempt.folder, &setup.command, seconds).await?;
        let mut locked = self.inner.records.lock(&id.task).await?;
        locked.task.attempt_mut(number)?.setup = Some(result.clone());
        locked.save()?;
        Ok(result)
    }

    /// Runs the task's checks in an attempt's worktree, one after the other, and records how they ended. Checks that
    /// are dropped end with everything that they started, and nothing is recorded.
    pub async fn check(&self, id: &AttemptId) -> Result<CheckRun, TaskError> {
        let task = self.task(&id.task)?;
        if task.commands.checks.is_empty() {
            return Err(TaskError::Missing(format!(
                "task {} declares no checks: declare them in {CHECKS_FILE} before the task begins",
                task.id
            )));
        }
        self.must_be_approved(&task)?;
        let attempt = task.attempt(id.attempt)?;
        let git = self.git_in(attempt)?;
        let (at, tree) = (now_ms(), tree_of_worktree(&git).await?);
        let head = git.text(&["rev-parse", "--verify", "HEAD"]).await?;
        let mut results = Vec::new();
        for check in &task.commands.checks {
            let seconds = u64::from(check.timeout_seconds);
            let result = self.run_command(&task, &attempt.folder, &check.command, seconds).await?;
            results.push(CheckResult { name: check.name.clone(), result });
        }
        let run = CheckRun { tree, head, at, results };
        self.record_checks(&task.id, attempt.number, run.clone()).await?;
        Ok(run)
    }

    async fn record_checks(&self, task: &TaskId, attempt: u32, run: CheckRun) -> Result<(), TaskError> {
        let mut locked = self.inner.records.lock(task).await?;
        let runs = &mut locked.task.attempt_mut(attempt)?.checks;
        runs.push(run);
        let over = runs.len().saturating_sub(MAX_CHECK_RUNS);
        runs.drain(..over);
        locked.save()
    }

    async fn run_command(
        &self,
        task: &Task,
        folder: &Path,
        command: &str,
        seconds: u64,
    ) -> Result<CommandResult, TaskError> {
        let runner: &Runner = &self.inner.runner;
        let variables = [
            ("AGENTNATIVE_TASK", OsString::from(task.id.as_str())),
            ("AGENTNATIVE_REPOSITORY", task.repository.clone().into_os_string()),
        ];
        let variables = variables.map(|(name, value)| (OsString::from(name), value)).to_vec();
        let at = now_ms();
        let ShellEnd { code, timed_out, text, took } = runner
            .shell(command, folder, variables, Duration::from_secs(seconds))
            .await
            .map_err(TaskError::file(folder))?;
        Ok(CommandResult {
            command: command.to_owned(),
            exit_code: code,
            timed_out,
            output: text,
            at,
            ms: took.as_millis() as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_is_read_with_its_defaults_and_its_errors_say_where() {
        let text = r#"{"setup": {"command": "make"}, "checks": [{"name": "t", "command": "true", "timeoutSeconds": 5}]}"#;
        let commands = Commands::parse(text, "x").unwrap();
        assert_eq!(commands.setup.as_ref().unwrap().timeout_seconds, DEFAULT_SECONDS);
        assert_eq!(commands.lines(), ["set-up: make", "t: true"]);
        for (bad, says) in [
            (r#"{"checks": [{"name": "t"}]}"#, "command"),
            (r#"{"checks": [{"name": "t", "command": " "}]}"#, "/checks/0/command"),
            (
                r#"{"checks": [{"name": "t", "command": "x", "timeoutSeconds": 0}]}"#,
                "/checks/0/timeoutSeconds",
            ),
            (
                r#"{"checks": [{"name": "t", "command": "x"}, {"name": "t", "command": "y"}]}"#,
                "/checks/1/name",
            ),
            (r#"{"check": []}"#, "unknown field"),
        ] {
            let error = Commands::parse(bad, "x").unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
