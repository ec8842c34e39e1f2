//! Coding tasks and the runs that work on them.

use domain::{ErrorCode, Problem, RunStatus};
use protocol::{RunRef, StagePhase, TaskRunState, TaskStart};
use serde_json::json;
use workspace::DEFAULT_WORKSPACE;
use worktrees::{AttemptId, AttemptState, Task, TaskId, TaskList, TaskRun, Worktrees};

use crate::Conversations;

/// The agent that works on tasks.
const AGENT: &str = "code-task";

impl Conversations {
    /// What a run is started with to work on a task: at another attempt in a session of its own, or on with one that is there,
    /// in the session of the last run on it.
    ///
    /// # Errors
    /// `Conflict` while a run works on the attempt or waits in it.
    pub async fn task_start(&self, tasks: &Worktrees, of: &AttemptId) -> Result<TaskStart, Problem> {
        let task = tasks.task(&of.task)?;
        let mut inputs = json!({
            "title": task.title,
            "description": if task.description.is_empty() { &task.title } else { &task.description },
            "project": task.repository,
            "task": task.id,
        });
        let mut session = None;
        if of.attempt > 0 {
            let attempt = task.attempt(of.attempt)?;
            inputs["attempt"] = json!(attempt.number);
            for run in &attempt.runs {
                let state = self.task_run(&task, attempt.number, run).await;
                if let Some(state) =
                    state.filter(|state| matches!(state.status, RunStatus::Running | RunStatus::Paused))
                {
                    let what = format!("run {} is {} on attempt {}", run.run, state.status, attempt.number);
                    return Err(Problem::new(ErrorCode::Conflict, what)
                        .with_action("wait for its end, answer it, or cancel it"));
                }
            }
            // A session that was deleted is not made again.
            if let Some(last) = attempt.runs.last()
                && self.env.store().get_session(&last.session).await?.is_some()
            {
                session = Some(last.session.clone());
            }
        }
        Ok(TaskStart { agent: AGENT.to_owned(), inputs, session })
    }

    /// The tasks of the workspace, newest first. One of an earlier version is of the workspace of its first run.
    pub async fn task_list(&self, tasks: &Worktrees) -> Result<TaskList, Problem> {
        let mut listed = tasks.list()?;
        let Some(here) = self.env.scope() else { return Ok(listed) };
        let mut own = Vec::new();
        for task in listed.tasks {
            let first = task.attempts.iter().flat_map(|attempt| &attempt.runs).next();
            let workspace = match (&task.workspace, first) {
                (Some(workspace), _) => Some(workspace.clone()),
                (None, Some(run)) => self.env.store().session_workspace(&run.session).await?,
                (None, None) => None,
            };
            if workspace.as_deref().filter(|slug| !slug.is_empty()).unwrap_or(DEFAULT_WORKSPACE) == here {
                own.push(task);
            }
        }
        listed.tasks = own;
        // Whose these are can't be told.
        if here != DEFAULT_WORKSPACE {
            listed.unreadable.clear();
        }
        Ok(listed)
    }

    /// The runs on the attempts of a task, or the last one of each open attempt of all tasks. Runs that were deleted are left
    /// out.
    pub async fn task_runs(
        &self,
        tasks: &Worktrees,
        of: Option<TaskId>,
    ) -> Result<Vec<TaskRunState>, Problem> {
        let all = of.is_some();
        let tasks = match &of {
            Some(task) => vec![tasks.task(task)?],
            None => self.task_list(tasks).await?.tasks,
        };
        let mut states = Vec::new();
        for task in &tasks {
            for attempt in &task.attempts {
                let skipped = match all {
                    true => 0,
                    false if attempt.state == AttemptState::Open => attempt.runs.len().saturating_sub(1),
                    false => attempt.runs.len(),
                };
                for run in &attempt.runs[skipped..] {
                    states.extend(self.task_run(task, attempt.number, run).await);
                }
            }
        }
        Ok(states)
    }

    async fn task_run(&self, task: &Task, attempt: u32, run: &TaskRun) -> Option<TaskRunState> {
        let row = self.env.store().get_run(&run.run).await.ok()?;
        let mut state = TaskRunState {
            task: task.id.clone(),
            attempt,
            run: domain::RunId(row.id),
            session: row.session,
            status: RunStatus::stored(&row.status),
            stage: None,
            waits_for: None,
        };
        if matches!(state.status, RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled) {
            return Some(state);
        }
        let shown = self.run_show(&RunRef::Id(run.run.clone()), None, false).await.ok()?;
        let stage = shown.stages.iter().find(|stage| stage.phase == StagePhase::Running);
        state.stage = stage.map(|stage| stage.title.clone());
        state.waits_for = shown.pauses.first().map(|pause| match pause.heading.is_empty() {
            true => pause.title.clone(),
            false => pause.heading.clone(),
        });
        state.status = shown.status;
        Some(state)
    }
}
