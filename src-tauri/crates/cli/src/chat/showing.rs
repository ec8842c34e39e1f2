//! What a turn looks like in a terminal: a line a step on standard error, the answer on standard output.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};

use api::turn::{StepKind, StepStatus, TurnStep, TurnUi, TurnUiKind, TurnView};

use domain::Show;

use crate::terminal::printable;

/// Shows one turn.
pub struct Steps {
    json: bool,
    live: bool,
    /// Steps that were shown, with the status that they had then.
    shown: BTreeMap<String, StepStatus>,
    /// What has streamed to the terminal of a step's text.
    streamed: Option<String>,
}

impl Steps {
    /// Lines of words, or of JSON.
    pub fn new(json: bool) -> Self {
        Self { json, live: std::io::stderr().is_terminal(), shown: BTreeMap::new(), streamed: None }
    }

    /// Shows an event as it comes.
    pub fn show(&mut self, told: &TurnUi) {
        if self.json {
            if let Ok(text) = serde_json::to_string(told) {
                println!("{text}");
            }
            return;
        }
        if let TurnUiKind::Delta { step, text, thinking: false, .. } = &told.kind
            && self.live
        {
            if self.streamed.as_ref() != Some(step) {
                self.streamed = Some(step.clone());
            }
            eprint!("{}", printable(text));
            let _ = std::io::stderr().flush();
        }
    }

    /// Shows what is new in a turn.
    pub fn take(&mut self, view: &TurnView) {
        if self.json {
            return;
        }
        for step in &view.steps {
            let ended = !matches!(step.status, StepStatus::Queued | StepStatus::Running | StepStatus::Asking);
            if !ended || self.shown.get(&step.id) == Some(&step.status) {
                continue;
            }
            self.shown.insert(step.id.clone(), step.status);
            if self.streamed.take().is_some() {
                eprintln!();
            }
            if let Some(line) = line(step) {
                eprintln!("{line}");
            }
        }
    }

    /// The answer, and what it took.
    pub fn end(&mut self, view: &TurnView) {
        if self.json {
            if let Ok(text) = serde_json::to_string(&serde_json::json!({ "turn": view })) {
                println!("{text}");
            }
            return;
        }
        if self.streamed.take().is_some() {
            eprintln!();
        }
        let head = &view.head;
        if let Some(plan) = &head.plan {
            println!("{}\n", printable(&plan.text));
            eprintln!("plan: {}", printable(&plan.path));
        }
        if let Some(answer) = &head.answer {
            println!("{}", printable(answer));
        }
        for note in &head.notes {
            eprintln!("note: {}", printable(note));
        }
        if let Some(problem) = &head.problem {
            eprintln!("failed: {problem}");
        }
        let files = changed(view);
        if files > 0 {
            let what = if files == 1 { "a file".to_owned() } else { format!("{files} files") };
            eprintln!("changed {what}: `agentnative undo {}` takes that back", head.run);
        }
        let steps = view.steps.len();
        eprintln!(
            "{:.1} s, {steps} steps, {} tokens, {}",
            head.active_ms as f64 / 1_000.0,
            head.usage.total(),
            head.cost
        );
    }
}

/// How many files a turn changed, as far as its steps tell.
fn changed(view: &TurnView) -> usize {
    let mut files = std::collections::BTreeSet::new();
    for step in &view.steps {
        let StepKind::Tool { show, .. } = &step.kind else { continue };
        files.extend(show.iter().filter_map(|show| match show {
            Show::Change { path, .. } => Some(path),
            _ => None,
        }));
    }
    files.len()
}

fn line(step: &TurnStep) -> Option<String> {
    let mark = match step.status {
        StepStatus::Ok => "ok",
        StepStatus::Failed => "failed",
        StepStatus::Denied => "denied",
        StepStatus::Stopped => "stopped",
        StepStatus::Unknown => "unknown",
        StepStatus::Queued | StepStatus::Running | StepStatus::Asking => return None,
    };
    match &step.kind {
        StepKind::Tool { intent, title, summary, .. } => {
            let what = if intent.is_empty() { title } else { intent };
            let came = if summary.is_empty() { String::new() } else { format!("  {}", printable(summary)) };
            Some(format!("{mark:<8} {}{came}  {:.1} s", printable(what), step.ms as f64 / 1_000.0))
        }
        StepKind::Model { text, .. } => {
            let first = text.trim().lines().next().filter(|line| !line.is_empty())?;
            Some(format!("         {}", printable(first)))
        }
        StepKind::Compaction { before, after, .. } => Some(format!(
            "notice   what was said before was put into fewer words: {before} -> {after} tokens"
        )),
        StepKind::Notice { text } => Some(format!("notice   {}", printable(text))),
        StepKind::Steering { message } => Some(format!("you      {}", printable(&message.text))),
    }
}
