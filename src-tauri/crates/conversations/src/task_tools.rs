//! Tools over coding tasks, for stages that name them: `task_open`, `task_checks`, `task_diff`.
//!
//! A stage works in the worktree of a task that a run of its session began, and in no other: see [`may_work_in`]. What the
//! project's commands are is accepted by the person, in the pause that asks for the first of these calls or beforehand.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::{CallEffect, ErrorCode, Hints, Mode, Preview, Problem, Walls};
use engine::turn::TurnScope;
use parking_lot::Mutex;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use support::blocking;
use tools::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};
use worktrees::{
    Attempt, AttemptId, AttemptState, CheckCommand, CheckRun, Commands, DiffQuery, DiffScope, Task,
    TaskCreate, TaskError, TaskId, TaskRun, Verdict, Worktrees,
};

use crate::session_tools::own_tool;

/// The longest diff that a model is shown at once, in bytes.
const MAX_DIFF_BYTES: usize = 60_000;
/// Of what a check said, the last bytes that a stage reads.
const MAX_CHECK_BYTES: usize = 6_000;
/// Calls whose planned commands are remembered.
const MAX_PLANNED: usize = 500;
/// How long the set-up and the checks of a project may take together.
const MAX_DEADLINE: Duration = Duration::from_secs(4 * 3_600);

/// The tools.
pub fn task_tools(tasks: &Worktrees) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(TaskOpen::new(tasks)), Arc::new(TaskChecks::new(tasks)), Arc::new(TaskDiff::new(tasks))]
}

/// Whether a stage may work in the folders that it names: those of its session, and worktrees of open attempts that a run
/// of its session works on.
pub async fn may_work_in(
    tasks: &Worktrees,
    scope: &TurnScope,
    of_session: Vec<String>,
) -> Result<(), Problem> {
    if scope.folders.is_empty() {
        return Ok(());
    }
    let (tasks, session, wanted) = (tasks.clone(), scope.session.0.clone(), scope.folders.clone());
    blocking(move || {
        let mut known: Vec<PathBuf> = of_session.into_iter().map(PathBuf::from).collect();
        let list = tasks.list().map_err(Problem::from)?;
        let attempts = list.tasks.iter().flat_map(|task| &task.attempts);
        let own = attempts.filter(|attempt| is_open(attempt) && attempt.is_of(&session));
        known.extend(own.map(|attempt| attempt.folder.clone()));
        for folder in wanted {
            let path = Path::new(&folder).canonicalize().map_err(|error| {
                Problem::new(ErrorCode::NotFound, format!("the folder {folder} can't be worked in: {error}"))
            })?;
            if !known.iter().any(|known| path.starts_with(known)) {
                let what = format!(
                    "the folder {folder} belongs neither to the session nor to an open attempt that a run of it works on"
                );
                return Err(Problem::new(ErrorCode::Permission, what)
                    .with_action("add the folder to the session, or begin a task with `task_open`"));
            }
        }
        Ok(())
    })
    .await
}

fn is_open(attempt: &Attempt) -> bool {
    attempt.state == AttemptState::Open
}

/// A tool over tasks: commands of a project take their time.
fn info(
    name: &str,
    title: &str,
    description: &str,
    properties: &Value,
    required: &[&str],
    reads: bool,
) -> ToolInfo {
    let hints =
        Hints { read_only: Some(reads), destructive: Some(false), idempotent: Some(true), open_world: None };
    ToolInfo { deadline: MAX_DEADLINE, ..own_tool(name, title, description, properties, required, hints) }
}

/// The arguments that name an attempt of a task, and others.
fn of_attempt(others: Value) -> Value {
    let mut properties = json!({
        "task": {"type": "string", "description": "The task's id."},
        "attempt": {"type": "integer", "minimum": 0, "description": "The attempt; the only one that is open unless given."},
    });
    if let (Value::Object(all), Value::Object(others)) = (&mut properties, others) {
        all.extend(others);
    }
    properties
}

fn parsed<T: DeserializeOwned>(arguments: &Value) -> Result<T, ToolError> {
    T::deserialize(arguments).map_err(|error| ToolError::new(Kind::Arguments, error.to_string()))
}

fn failed(error: TaskError) -> ToolError {
    let problem = Problem::from(error);
    let kind = if problem.code == ErrorCode::NotFound { Kind::NotFound } else { Kind::Failed };
    ToolError::new(kind, problem.message).with_guidance(problem.action.unwrap_or_default())
}

/// Nothing of a project is run where nothing may change.
fn may_change(at: &CallContext) -> Result<(), ToolError> {
    match at.mode {
        Mode::Safe => {
            Err(ToolError::new(Kind::Refused, "the session is in Explore, where nothing may change")
                .with_guidance("Set the session to Ask to edit or Auto."))
        }
        Mode::Ask | Mode::AllowAll => Ok(()),
    }
}

/// A word of a command line.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-' | '~' | '^');
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

fn commands_of(commands: &Commands, folder: &Path) -> Vec<CallEffect> {
    let setup = commands.setup.iter().map(|setup| &setup.command);
    let all = setup.chain(commands.checks.iter().map(|check| &check.command));
    let cwd = folder.display().to_string();
    all.map(|command| CallEffect::Shell { command: command.clone(), cwd: cwd.clone(), outside: None })
        .collect()
}

fn state_of(task: &Task, attempt: &Attempt, comments: &str) -> Value {
    let setup = attempt.setup.as_ref().map(|setup| {
        json!({ "command": setup.command, "exit_code": setup.exit_code, "output": tail(&setup.output) })
    });
    let checks: Vec<Value> = task
        .commands
        .checks
        .iter()
        .map(|check| json!({ "name": check.name, "command": check.command }))
        .collect();
    json!({
        "task": task.id.as_str(),
        "attempt": attempt.number,
        "folder": attempt.folder.display().to_string(),
        "branch": attempt.branch,
        "base_commit": task.base_commit,
        "target": task.target,
        "checks": checks,
        "setup": setup,
        "comments": comments,
    })
}

/// The end of what a command said: errors stand there.
fn tail(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_CHECK_BYTES))..]
}

/// `task_open`: begins a task in a worktree of its own, or another attempt at one, or goes on with an attempt and takes the
/// open comments on it. Called again in the same run it gives the same.
struct TaskOpen {
    info: ToolInfo,
    tasks: Worktrees,
    planned: PlannedCommands,
}

/// The commands that calls were planned with, by call, as digests: a person decides on these and on no others.
#[derive(Default)]
struct PlannedCommands {
    known: Mutex<VecDeque<(String, String)>>,
}

impl PlannedCommands {
    fn name(at: &CallContext) -> String {
        format!("{}/{}", at.run, at.call)
    }

    fn note(&self, at: &CallContext, commands: &Commands) {
        let name = Self::name(at);
        let mut known = self.known.lock();
        known.retain(|(of, _)| *of != name);
        known.push_back((name, commands.digest()));
        if known.len() > MAX_PLANNED {
            known.pop_front();
        }
    }

    /// Whether a call was planned with these commands.
    fn are(&self, at: &CallContext, commands: &Commands) -> bool {
        let wanted = (Self::name(at), commands.digest());
        self.known.lock().contains(&wanted)
    }
}

#[derive(Deserialize)]
struct OpenArguments {
    title: String,
    project: PathBuf,
    #[serde(default)]
    description: String,
    #[serde(default)]
    base: Option<String>,
    #[serde(default)]
    checks: Vec<CheckCommand>,
    #[serde(default)]
    task: Option<TaskId>,
    #[serde(default)]
    attempt: Option<u32>,
    #[serde(default)]
    label: String,
}

impl OpenArguments {
    /// The base, where one is named.
    fn base(&self) -> Option<&str> {
        self.base.as_deref().filter(|base| !base.trim().is_empty())
    }

    fn parse(arguments: &Value) -> Result<Self, ToolError> {
        let wanted: Self = parsed(arguments)?;
        let has_task = wanted.task.is_some();
        if wanted.attempt.is_some() && !has_task {
            return Err(ToolError::new(Kind::Arguments, "`attempt` needs the `task` that it is of"));
        }
        if has_task && (!wanted.checks.is_empty() || wanted.base().is_some()) {
            let what =
                "a task has its base and its checks from the start: `task` goes without `base` and `checks`";
            return Err(ToolError::new(Kind::Arguments, what));
        }
        Ok(wanted)
    }

    /// The attempt that it goes on with, where it does.
    fn goes_on(&self) -> Option<AttemptId> {
        let (task, attempt) = (self.task.clone()?, self.attempt.filter(|attempt| *attempt > 0)?);
        Some(AttemptId { task, attempt })
    }
}

impl TaskOpen {
    fn new(tasks: &Worktrees) -> Self {
        let info = info(
            "task_open",
            "Begin a task",
            "Begins a coding task: a git worktree with a branch of its own, at a pinned base. With `task` it begins another attempt at that task; with `attempt` as well it goes on with that attempt and takes the open comments on it.",
            &json!({
                "title": {"type": "string", "minLength": 1, "maxLength": 300, "description": "What the task is about, in a line."},
                "project": {"type": "string", "minLength": 1, "description": "A folder of the repository, absolute."},
                "description": {"type": "string", "maxLength": 20_000, "description": "What is to be true when it is done."},
                "task": {"type": ["string", "null"], "description": "The id of a task to make another attempt at."},
                "attempt": {"type": ["integer", "null"], "minimum": 1, "description": "The attempt of it to go on with."},
                "label": {"type": "string", "maxLength": 100, "description": "What the attempt is for, in a word."},
                "base": {"type": ["string", "null"], "description": "The branch, tag or commit to start from; what is checked out unless given."},
                "checks": {
                    "type": "array",
                    "description": "Checks in place of those that the project declares.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string"},
                            "command": {"type": "string"},
                            "timeoutSeconds": {"type": "integer", "minimum": 1},
                        },
                        "required": ["name", "command"],
                        "additionalProperties": false,
                    },
                },
            }),
            &["title", "project"],
            false,
        );
        Self { info, tasks: tasks.clone(), planned: PlannedCommands::default() }
    }

    /// The task that a run began before, where it did.
    async fn begun(&self, run: &str) -> Result<Option<Task>, ToolError> {
        let (tasks, run) = (self.tasks.clone(), run.to_owned());
        let list = blocking(move || tasks.list().map_err(Problem::from)).await;
        let list = list.map_err(|problem| ToolError::new(Kind::Failed, problem.message))?;
        Ok(list.tasks.into_iter().find(|task| {
            let began = task.origin.as_ref().is_some_and(|origin| origin.run == run);
            began || of_run(task, &run).is_some()
        }))
    }

    /// Begins what is wanted for a run, or goes on with it: the task, and the open comments on the attempt as a message.
    async fn open(
        &self,
        wanted: &OpenArguments,
        run: TaskRun,
        at: &CallContext,
    ) -> Result<(Task, String), TaskError> {
        let (commands, approved) = self.commands(wanted).await?;
        // The person saw those of the plan, or lets the session do what it wants.
        if !approved && !self.planned.are(at, &commands) {
            let what = "the project's commands are others than when the call was planned: make it again";
            return Err(TaskError::Invalid(what.to_owned()));
        }
        let task = match &wanted.task {
            Some(id) => {
                if !approved {
                    self.tasks.approve(&self.tasks.task(id)?.repository, &commands).await?;
                }
                match wanted.goes_on() {
                    Some(attempt) => return self.tasks.begin_run(&attempt, run).await,
                    None => self.tasks.add_attempt(id, &wanted.label, Some(run), false).await?,
                }
            }
            None => {
                let create = TaskCreate {
                    title: wanted.title.clone(),
                    description: wanted.description.clone(),
                    repository: wanted.project.clone(),
                    base: wanted.base().map(str::to_owned),
                    labels: vec![wanted.label.clone()],
                    commands: Some(commands),
                    origin: Some(run),
                    ..TaskCreate::default()
                };
                self.tasks.create(create).await?
            }
        };
        Ok((task, String::new()))
    }

    /// What a run began before, once more: its attempt is made where the program ended before that.
    async fn resumed(
        &self,
        task: Task,
        wanted: &OpenArguments,
        run: TaskRun,
    ) -> Result<(Task, String), TaskError> {
        if let Some(attempt) = wanted.goes_on() {
            return self.tasks.begin_run(&attempt, run).await;
        }
        let task = match of_run(&task, &run.run) {
            Some(attempt) => {
                let attempt = AttemptId { task: task.id.clone(), attempt: attempt.number };
                self.tasks.finish(&attempt).await?
            }
            None => self.tasks.add_attempt(&task.id, &wanted.label, Some(run), false).await?,
        };
        Ok((task, String::new()))
    }

    /// What it means to go on with an attempt: one that no run of the session has worked on is somebody else's work.
    fn taking(&self, id: &AttemptId, session: &str) -> Result<CallEffect, TaskError> {
        let task = self.tasks.task(&id.task)?;
        let attempt = task.attempt(id.attempt)?;
        Ok(match attempt.is_of(session) {
            true => CallEffect::Inner,
            false => CallEffect::Tool,
        })
    }

    /// The commands that the task has or will have, and whether the person accepted them.
    async fn commands(&self, wanted: &OpenArguments) -> Result<(Commands, bool), TaskError> {
        if let Some(id) = &wanted.task {
            let task = self.tasks.task(id)?;
            let approved = self.tasks.approved(&task.common, &task.commands)?;
            return Ok((task.commands, approved));
        }
        let (declared, approved) = self.tasks.commands(&wanted.project, wanted.base()).await?;
        if wanted.checks.is_empty() {
            return Ok((declared, approved));
        }
        let own = Commands { setup: declared.setup.clone(), checks: wanted.checks.clone() };
        let same = own == declared;
        Ok((own, approved && same))
    }
}

#[async_trait]
impl Tool for TaskOpen {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let wanted = OpenArguments::parse(arguments)?;
        may_change(at)?;
        let intent = match (&wanted.task, wanted.goes_on()) {
            (Some(task), Some(id)) => format!("Go on with attempt {} of the task {task}", id.attempt),
            (Some(task), None) => format!("Begin another attempt at the task {task}"),
            (None, _) => format!("Begin the task {:?} in {}", wanted.title, wanted.project.display()),
        };
        let (commands, approved) = self.commands(&wanted).await.map_err(failed)?;
        self.planned.note(at, &commands);
        let cwd = wanted.project.display().to_string();
        let (effect, made) = match wanted.goes_on() {
            Some(id) => (self.taking(&id, &at.session).map_err(failed)?, None),
            None if self.begun(&at.run).await?.is_some() => (CallEffect::Inner, None),
            None => {
                let base = match &wanted.task {
                    Some(id) => self.tasks.task(id).map_err(failed)?.base_commit,
                    None => wanted.base().unwrap_or("HEAD").to_owned(),
                };
                // As a shell would take it: the names of folder and branch are made when the attempt begins.
                let command = format!("git worktree add -b agentnative/TASK FOLDER {}", quoted(&base));
                (
                    CallEffect::Shell { command: command.clone(), cwd: cwd.clone(), outside: None },
                    Some(command),
                )
            }
        };
        let of_project = if made.is_none() && approved { Vec::new() } else { commands.lines() };
        let shown: Vec<String> = made.into_iter().chain(of_project).collect();
        let preview = match shown.is_empty() {
            true => Preview::None,
            false => Preview::Command { command: shown.join("\n"), cwd },
        };
        Ok(PlannedOperation { effect, intent, preview })
    }

    async fn also(&self, arguments: &Value, at: &CallContext) -> Result<Vec<CallEffect>, ToolError> {
        let wanted = OpenArguments::parse(arguments)?;
        if self.begun(&at.run).await?.is_some() {
            return Ok(Vec::new());
        }
        let (commands, approved) = self.commands(&wanted).await.map_err(failed)?;
        Ok(if approved { Vec::new() } else { commands_of(&commands, &wanted.project) })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let wanted = OpenArguments::parse(arguments)?;
        may_change(at)?;
        // In Auto the program itself makes the worktree; the walls are for commands of a model.
        if matches!(run.confined, Walls::Confined | Walls::Copied) {
            let what = "a worktree can't be made where nothing may change";
            return Err(ToolError::new(Kind::Refused, what));
        }
        let of = TaskRun { session: at.session.clone(), run: at.run.clone() };
        let begun = self.begun(&at.run).await?;
        let opened = async {
            match begun {
                Some(task) => self.resumed(task, &wanted, of).await,
                None => self.open(&wanted, of, at).await,
            }
        };
        let opened = tokio::select! {
            opened = opened => opened,
            () = run.cancel.cancelled() => {
                return Err(ToolError::new(Kind::Cancelled, "the start of the task was stopped"));
            }
        };
        let (task, comments) = opened.map_err(failed)?;
        let attempt = of_run(&task, &at.run).ok_or_else(|| {
            ToolError::new(Kind::Failed, format!("task {} has no attempt of run {}", task.id, at.run))
        })?;
        let text = format!("Task {} in {}", task.id, attempt.folder.display());
        let state = state_of(&task, attempt, &comments);
        Ok(Outcome { data: Some(state), ..Outcome::text(text, task.id.to_string()) })
    }
}

/// The attempt that a run works on.
fn of_run<'a>(task: &'a Task, run: &str) -> Option<&'a Attempt> {
    task.attempts.iter().find(|attempt| attempt.runs.iter().any(|known| known.run == run))
}

#[derive(Deserialize)]
struct TaskArguments {
    task: TaskId,
    #[serde(default)]
    attempt: u32,
}

impl TaskArguments {
    /// The task and its attempt, where a run of the session works on it. Without a number it is the open one that the session
    /// began last.
    fn own(&self, tasks: &Worktrees, at: &CallContext) -> Result<(Task, AttemptId), ToolError> {
        let task = tasks.task(&self.task).map_err(failed)?;
        let wanted = |attempt: &&Attempt| match self.attempt {
            0 => is_open(attempt),
            number => attempt.number == number,
        };
        let own = task.attempts.iter().rev().filter(|attempt| attempt.is_of(&at.session)).find(wanted);
        let Some(number) = own.map(|attempt| attempt.number) else {
            let what = match self.attempt {
                0 => format!("no run of this session works on an open attempt at the task {}", self.task),
                number => {
                    format!("no run of this session works on attempt {number} at the task {}", self.task)
                }
            };
            return Err(ToolError::new(Kind::Refused, what));
        };
        let attempt = AttemptId { task: self.task.clone(), attempt: number };
        Ok((task, attempt))
    }
}

/// `task_checks`: runs the checks of a task, after a save point.
struct TaskChecks {
    info: ToolInfo,
    tasks: Worktrees,
}

impl TaskChecks {
    fn new(tasks: &Worktrees) -> Self {
        let info = info(
            "task_checks",
            "Run a task's checks",
            "Makes a save point of a task's worktree and runs the project's checks on it. Exit codes alone say whether the task is done.",
            &of_attempt(json!({})),
            &["task"],
            false,
        );
        Self { info, tasks: tasks.clone() }
    }
}

#[async_trait]
impl Tool for TaskChecks {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let wanted: TaskArguments = parsed(arguments)?;
        may_change(at)?;
        let (task, _) = wanted.own(&self.tasks, at)?;
        let names: Vec<&str> = task.commands.checks.iter().map(|check| check.name.as_str()).collect();
        let intent = match names.is_empty() {
            true => format!("Look for checks of the task {}", task.id),
            false => format!("Run the checks of the task {}: {}", task.id, names.join(", ")),
        };
        // The person accepted the commands when the task began: without that the checks refuse to run.
        Ok(PlannedOperation { effect: CallEffect::Inner, intent, preview: Preview::None })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let wanted: TaskArguments = parsed(arguments)?;
        may_change(at)?;
        let (task, attempt) = wanted.own(&self.tasks, at)?;
        self.tasks.save(&attempt, "before the checks").await.map_err(failed)?;
        let ran = match task.commands.checks.is_empty() {
            true => None,
            false => Some(tokio::select! {
                ran = self.tasks.check(&attempt) => ran.map_err(failed)?,
                () = run.cancel.cancelled() => {
                    return Err(ToolError::new(Kind::Cancelled, "the checks were stopped"));
                }
            }),
        };
        let diff = self.tasks.diff(&wanted_diff(attempt, Vec::new(), true)).await.map_err(failed)?;
        let verdict = match &ran {
            None => Verdict::NotDeclared,
            Some(run) if run.passed() => Verdict::Passed,
            Some(_) => Verdict::Failed,
        };
        let data = json!({
            "passed": !matches!(verdict, Verdict::Failed),
            "verdict": verdict.to_string(),
            "declared": ran.is_some(),
            "checks": ran.as_ref().map(results).unwrap_or_default(),
            "changed_files": diff.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
            "additions": diff.additions,
            "deletions": diff.deletions,
        });
        let text = serde_json::to_string_pretty(&data).unwrap_or_default();
        Ok(Outcome { data: Some(data), ..Outcome::text(text, verdict.to_string()) })
    }
}

fn results(run: &CheckRun) -> Vec<Value> {
    let one = |check: &worktrees::CheckResult| {
        json!({
            "name": check.name,
            "command": check.result.command,
            "exit_code": check.result.exit_code,
            "timed_out": check.result.timed_out,
            "output": tail(&check.result.output),
        })
    };
    run.results.iter().map(one).collect()
}

fn wanted_diff(attempt: AttemptId, paths: Vec<String>, no_hunks: bool) -> DiffQuery {
    DiffQuery { attempt, scope: DiffScope::Base, paths, no_hunks }
}

/// `task_diff`: what a task has changed since its base, as text.
struct TaskDiff {
    info: ToolInfo,
    tasks: Worktrees,
}

#[derive(Deserialize)]
struct DiffArguments {
    #[serde(flatten)]
    of: TaskArguments,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    since_last_save: bool,
}

impl TaskDiff {
    fn new(tasks: &Worktrees) -> Self {
        let info = info(
            "task_diff",
            "Show a task's changes",
            "Shows what a task has changed since its base, as a diff.",
            &of_attempt(json!({
                "paths": {"type": "array", "items": {"type": "string"}, "description": "Only these files or folders."},
                "since_last_save": {"type": "boolean", "description": "Only what changed since the last save point."},
            })),
            &["task"],
            true,
        );
        Self { info, tasks: tasks.clone() }
    }
}

#[async_trait]
impl Tool for TaskDiff {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let wanted: DiffArguments = parsed(arguments)?;
        let (task, attempt) = wanted.of.own(&self.tasks, at)?;
        let folder = task.attempt(attempt.attempt).map_err(failed)?.folder.display().to_string();
        let intent = format!("Show the changes of the task {}", task.id);
        Ok(PlannedOperation { effect: CallEffect::Read { path: folder }, intent, preview: Preview::None })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, _run: Run) -> Result<Outcome, ToolError> {
        let wanted: DiffArguments = parsed(arguments)?;
        let (_, attempt) = wanted.of.own(&self.tasks, at)?;
        let mut asked = wanted_diff(attempt, wanted.paths, false);
        if wanted.since_last_save {
            asked.scope = DiffScope::Last;
        }
        let diff = self.tasks.diff(&asked).await.map_err(failed)?;
        let text = match diff.files.is_empty() {
            true => "Nothing has changed.".to_owned(),
            false => diff.unified(MAX_DIFF_BYTES),
        };
        let summary = format!("{} files, +{} -{}", diff.files.len(), diff.additions, diff.deletions);
        Ok(Outcome::text(text, summary))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_those_of_the_plan_of_the_same_call_and_no_others() {
        let at = |call: &str| CallContext {
            session: "s".to_owned(),
            run: "r".to_owned(),
            call: call.to_owned(),
            mode: Mode::Ask,
            folders: Vec::new(),
            own: PathBuf::new(),
        };
        let commands = |command: &str| {
            let check = json!({"name": "test", "command": command});
            Commands { setup: None, checks: vec![serde_json::from_value(check).unwrap()] }
        };
        let planned = PlannedCommands::default();
        assert!(!planned.are(&at("a"), &commands("make")));
        planned.note(&at("a"), &commands("make"));
        assert!(planned.are(&at("a"), &commands("make")));
        assert!(!planned.are(&at("a"), &commands("make evil")) && !planned.are(&at("b"), &commands("make")));
        // Planned again it is decided on again.
        planned.note(&at("a"), &commands("make check"));
        assert!(!planned.are(&at("a"), &commands("make")));
        for call in 0..MAX_PLANNED {
            planned.note(&at(&call.to_string()), &commands("make"));
        }
        assert!(!planned.are(&at("a"), &commands("make check")), "what is forgotten is refused");
    }
}
