//! `tasks`: the list of what an agent set out to do.

use async_trait::async_trait;
use domain::{CallEffect, Preview, Show, Task, TaskStatus};
use serde::Deserialize;
use serde_json::{Value, json};

use super::checked_text;
use crate::arguments::{self, Effect, info};
use crate::{CallContext, Kind, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// Most tasks.
const MAX_TASKS: usize = 100;
/// The longest one, in characters.
const MAX_TASK_CHARS: usize = 400;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    tasks: Vec<TaskInput>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskInput {
    text: String,
    #[serde(default)]
    status: TaskStatus,
}

/// The tool.
pub(crate) struct Tasks(ToolInfo);

impl Tasks {
    pub(crate) fn new() -> Self {
        Self(info(
            "tasks",
            "Keep a list of tasks",
            "Shows the person what you are going to do and how far you are. Give the whole list each time; it takes the \
             place of the one before. Use it for work of three steps or more, have one task in doing at a time, and \
             mark a task as done as soon as it is.",
            Effect::Reads,
            10,
            json!({
                "tasks": {
                    "type": "array",
                    "description": "All tasks in order.",
                    "items": {
                        "type": "object",
                        "properties": {
                            "text": {"type": "string", "description": "What, in a few words."},
                            "status": {"type": "string", "enum": ["pending", "doing", "done"], "description": "Default: pending."},
                        },
                        "required": ["text"],
                        "additionalProperties": false,
                    },
                },
            }),
            &["tasks"],
        ))
    }
}

fn tasks(arguments: &Value) -> Result<Vec<Task>, ToolError> {
    let Arguments { tasks } = arguments::read(arguments)?;
    if tasks.len() > MAX_TASKS {
        return Err(ToolError::new(
            Kind::Arguments,
            format!("there are {} tasks; {MAX_TASKS} are the most", tasks.len()),
        ));
    }
    let read = |given: TaskInput| {
        Ok(Task { text: checked_text("a task", &given.text, MAX_TASK_CHARS)?, status: given.status })
    };
    tasks.into_iter().map(read).collect()
}

fn words(tasks: &[Task]) -> String {
    let done = tasks.iter().filter(|task| task.status == TaskStatus::Done).count();
    if tasks.is_empty() { "no tasks".to_owned() } else { format!("{done} of {} done", tasks.len()) }
}

#[async_trait]
impl Tool for Tasks {
    fn info(&self) -> &ToolInfo {
        &self.0
    }

    async fn plan(&self, arguments: &Value, _: &CallContext) -> Result<PlannedOperation, ToolError> {
        let tasks = tasks(arguments)?;
        Ok(PlannedOperation {
            effect: CallEffect::Inner,
            intent: format!("Tasks: {}", words(&tasks)),
            preview: Preview::None,
        })
    }

    async fn run(&self, arguments: &Value, _: &CallContext, _: Run) -> Result<Outcome, ToolError> {
        let tasks = tasks(arguments)?;
        let summary = words(&tasks);
        let text = format!("The list is shown: {summary}.");
        Ok(Outcome { show: vec![Show::Tasks { tasks }], ..Outcome::text(text, summary) })
    }
}
