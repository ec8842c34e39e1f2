//! Tools over coding tasks, for stages that name them: `task_open`, `task_checks`, `task_diff`.
//!
//! A stage works in the worktree of a task that a run of its session began, and in no other: see [`may_work_in`]. What the
//! project's commands are is accepted by the person, in the pause that asks for the first of these calls or beforehand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::{CallEffect, ErrorCode, Hints, Mode, Preview, Problem};
use engine::turn::TurnScope;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use support::blocking;
use tools::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};
use worktrees::{
    AttemptId, AttemptState, CheckCommand, CheckRun, Commands, DiffScope, DiffWanted, Task, TaskCreate,
    TaskError, TaskId, TaskOrigin, Verdict, Worktrees,
};

use crate::session_tools::own_tool;

/// The longest diff that a model is shown at once, in bytes.
const MAX_DIFF_BYTES: usize = 60_000;
/// Of what a check said, the last bytes that a stage reads.
const MAX_CHECK_BYTES: usize = 6_000;
/// How long the set-up and the checks of a project may take together.
const MAX_DEADLINE: Duration = Duration::from_secs(4 * 3_600);

/// The tools.
pub fn task_tools(tasks: &Worktrees) -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(TaskOpen::new(tasks)), Arc::new(TaskChecks::new(tasks)), Arc::new(TaskDiff::new(tasks))]
}

/// Whether a stage may work in the folders that it names: those of its session, and worktrees of open tasks that a run of
/// its session began.
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
        let own = list.tasks.iter().filter(|task| {
            task.origin.as_ref().is_some_and(|origin| origin.session == session)
        });
        let open = own.flat_map(|task| &task.attempts).filter(|attempt| attempt.state == AttemptState::Open);
        known.extend(open.map(|attempt| attempt.folder.clone()));
        for folder in wanted {
            let path = Path::new(&folder).canonicalize().map_err(|error| {
                Problem::new(ErrorCode::NotFound, format!("the folder {folder} can't be worked in: {error}"))
            })?;
            if !known.iter().any(|known| path.starts_with(known)) {
                let what = format!(
                    "the folder {folder} belongs neither to the session nor to an open task that a run of it began"
                );
                return Err(Problem::new(ErrorCode::Permission, what)
                    .with_action("add the folder to the session, or begin a task with `task_open`"));
            }
        }
        Ok(())
    })
    .await
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
    all.map(|command| CallEffect::Shell { command: command.clone(), cwd: cwd.clone() }).collect()
}

fn state_of(task: &Task) -> Result<Value, ToolError> {
    let attempt = task.attempt(0).map_err(failed)?;
    let setup = attempt.setup.as_ref().map(|setup| {
        json!({ "command": setup.command, "exit_code": setup.exit_code, "output": tail(&setup.output) })
    });
    let checks: Vec<Value> = task
        .commands
        .checks
        .iter()
        .map(|check| json!({ "name": check.name, "command": check.command }))
        .collect();
    Ok(json!({
        "task": task.id.as_str(),
        "attempt": attempt.number,
        "folder": attempt.folder.display().to_string(),
        "branch": attempt.branch,
        "base_commit": task.base_commit,
        "target": task.target,
        "checks": checks,
        "setup": setup,
    }))
}

/// The end of what a command said: errors stand there.
fn tail(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_CHECK_BYTES))..]
}

/// `task_open`: begins a task in a worktree of its own. Called again in the same run it gives the same task.
struct TaskOpen {
    info: ToolInfo,
    tasks: Worktrees,
}

#[derive(Deserialize)]
struct OpenArguments {
    title: String,
    project: PathBuf,
    #[serde(default)]
    base: Option<String>,
    #[serde(default)]
    checks: Vec<CheckCommand>,
}

impl TaskOpen {
    fn new(tasks: &Worktrees) -> Self {
        let info = info(
            "task_open",
            "Begin a task",
            "Begins a coding task: a git worktree with a branch of its own, at a pinned base.",
            &json!({
                "title": {"type": "string", "minLength": 1, "maxLength": 300, "description": "What the task is about, in a line."},
                "project": {"type": "string", "minLength": 1, "description": "A folder of the repository, absolute."},
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
        Self { info, tasks: tasks.clone() }
    }

    /// The task that a run began before, where it did.
    async fn begun(&self, run: &str) -> Result<Option<Task>, ToolError> {
        let (tasks, run) = (self.tasks.clone(), run.to_owned());
        let list = blocking(move || tasks.list().map_err(Problem::from)).await;
        let list = list.map_err(|problem| ToolError::new(Kind::Failed, problem.message))?;
        Ok(list.tasks.into_iter().find(|task| task.origin.as_ref().is_some_and(|origin| origin.run == run)))
    }

    /// The commands that the task will have, and whether the person accepted them.
    async fn commands(&self, wanted: &OpenArguments) -> Result<(Commands, bool), ToolError> {
        let base = wanted.base.as_deref().filter(|base| !base.trim().is_empty());
        let (declared, approved) = self.tasks.commands(&wanted.project, base).await.map_err(failed)?;
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
        let wanted: OpenArguments = parsed(arguments)?;
        may_change(at)?;
        let intent = format!("Begin the task {:?} in {}", wanted.title, wanted.project.display());
        if self.begun(&at.run).await?.is_some() {
            return Ok(PlannedOperation { deed: CallEffect::Inner, intent, preview: Preview::None });
        }
        let (commands, _) = self.commands(&wanted).await?;
        let base = wanted.base.as_deref().filter(|base| !base.trim().is_empty()).unwrap_or("HEAD");
        // As a shell would take it: the names of folder and branch are made when the task begins.
        let command = format!("git worktree add -b agentnative/TASK FOLDER {}", quoted(base));
        let shown = std::iter::once(command.clone()).chain(commands.lines());
        let cwd = wanted.project.display().to_string();
        let preview = Preview::Command { command: shown.collect::<Vec<_>>().join("\n"), cwd: cwd.clone() };
        Ok(PlannedOperation { deed: CallEffect::Shell { command, cwd }, intent, preview })
    }

    async fn also(&self, arguments: &Value, at: &CallContext) -> Result<Vec<CallEffect>, ToolError> {
        let wanted: OpenArguments = parsed(arguments)?;
        if self.begun(&at.run).await?.is_some() {
            return Ok(Vec::new());
        }
        let (commands, approved) = self.commands(&wanted).await?;
        Ok(if approved { Vec::new() } else { commands_of(&commands, &wanted.project) })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let wanted: OpenArguments = parsed(arguments)?;
        may_change(at)?;
        if !run.confined.is_open() {
            let what = "a worktree can't be made where nothing may change";
            return Err(ToolError::new(Kind::Refused, what));
        }
        let task = match self.begun(&at.run).await? {
            Some(task) => task,
            None => {
                // The person saw them, or lets the session do what it wants.
                let (commands, _) = self.commands(&wanted).await?;
                let create = TaskCreate {
                    title: wanted.title.clone(),
                    repository: wanted.project.clone(),
                    base: wanted.base.clone().filter(|base| !base.trim().is_empty()),
                    commands: Some(commands),
                    origin: Some(TaskOrigin { session: at.session.clone(), run: at.run.clone() }),
                    ..TaskCreate::default()
                };
                let made = tokio::select! {
                    made = self.tasks.create(create) => made,
                    () = run.cancel.cancelled() => {
                        return Err(ToolError::new(Kind::Cancelled, "the start of the task was stopped"));
                    }
                };
                made.map_err(failed)?
            }
        };
        let state = state_of(&task)?;
        let text = format!("Task {} in {}", task.id, state["folder"].as_str().unwrap_or_default());
        Ok(Outcome { data: Some(state), ..Outcome::text(text, task.id.to_string()) })
    }
}

#[derive(Deserialize)]
struct TaskArguments {
    task: TaskId,
    #[serde(default)]
    attempt: u32,
}

impl TaskArguments {
    fn attempt(&self) -> AttemptId {
        AttemptId { task: self.task.clone(), attempt: self.attempt }
    }
}

fn own_task(tasks: &Worktrees, id: &TaskId, at: &CallContext) -> Result<Task, ToolError> {
    let task = tasks.task(id).map_err(failed)?;
    if task.origin.as_ref().is_none_or(|origin| origin.session != at.session) {
        let what = format!("task {id} was not begun by a run of this session");
        return Err(ToolError::new(Kind::Refused, what));
    }
    Ok(task)
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
        let task = own_task(&self.tasks, &wanted.task, at)?;
        let names: Vec<&str> = task.commands.checks.iter().map(|check| check.name.as_str()).collect();
        let intent = match names.is_empty() {
            true => format!("Look for checks of the task {}", task.id),
            false => format!("Run the checks of the task {}: {}", task.id, names.join(", ")),
        };
        // The person accepted the commands when the task began: without that the checks refuse to run.
        Ok(PlannedOperation { deed: CallEffect::Inner, intent, preview: Preview::None })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let wanted: TaskArguments = parsed(arguments)?;
        may_change(at)?;
        let task = own_task(&self.tasks, &wanted.task, at)?;
        let attempt = wanted.attempt();
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

fn wanted_diff(attempt: AttemptId, paths: Vec<String>, no_hunks: bool) -> DiffWanted {
    DiffWanted { attempt, scope: DiffScope::Base, paths, no_hunks }
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
        let task = own_task(&self.tasks, &wanted.of.task, at)?;
        let folder = task.attempt(wanted.of.attempt).map_err(failed)?.folder.display().to_string();
        let intent = format!("Show the changes of the task {}", task.id);
        Ok(PlannedOperation { deed: CallEffect::Read { path: folder }, intent, preview: Preview::None })
    }

    async fn run(&self, arguments: &Value, at: &CallContext, _run: Run) -> Result<Outcome, ToolError> {
        let wanted: DiffArguments = parsed(arguments)?;
        own_task(&self.tasks, &wanted.of.task, at)?;
        let mut asked = wanted_diff(wanted.of.attempt(), wanted.paths, false);
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
