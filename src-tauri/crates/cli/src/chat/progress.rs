//! What a turn looks like in a terminal: a line a step on standard error, the answer on standard output.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};

use app::turn::{PlanState, StepKind, StepStatus, TurnStatus, TurnStep, TurnUi, TurnUiKind, TurnView};
use domain::Show;
use domain::connection::OFFLINE;
use support::printable_piece;

use crate::replay::counted;
use crate::terminal::{json_line, printable, tokens};

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
            println!("{}", json_line(told));
            return;
        }
        if let TurnUiKind::Delta { step, text, thinking: false, .. } = &told.kind
            && self.live
        {
            if self.streamed.as_ref() != Some(step) {
                self.streamed = Some(step.clone());
            }
            eprint!("{}", printable_piece(text));
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
            println!("{}", json_line(&serde_json::json!({ "turn": view })));
            return;
        }
        if self.streamed.take().is_some() {
            eprintln!();
        }
        let head = &view.head;
        if let Some(plan) = &head.plan {
            println!("{}\n", printable(&plan.text));
            eprintln!("plan: {}", printable(&plan.path));
            if plan.state == PlanState::Waiting {
                eprintln!(
                    "accept it: agentnative chat --session {} --mode ask \"Carry out the plan\"; or say in the session what is to change",
                    head.session
                );
            }
        }
        if let Some(answer) = &head.answer {
            println!("{}", printable(&with_paths(answer, &head.session)));
        }
        for note in &head.notes {
            eprintln!("note: {}", printable(note));
        }
        if let Some(problem) = &head.problem {
            eprintln!("failed: {}", printable(&problem.to_string()));
        }
        let files = changed(view);
        if files > 0 {
            let what = counted(files as u64, "file");
            eprintln!("changed {what}: `agentnative undo {}` takes that back", head.run);
        }
        eprintln!(
            "{:.1} s, {}, {}, {}",
            head.active_ms as f64 / 1_000.0,
            counted(view.steps.len() as u64, "step"),
            tokens(head.connection == OFFLINE, &head.usage),
            head.cost
        );
    }
}

/// An answer with its pictures by their paths in the data directory.
fn with_paths(answer: &str, session: &domain::SessionId) -> String {
    answer.replace("](#attachment-", &format!("](sessions/{session}/attachments/"))
}

/// A turn as it stands, from the question to what it cost.
pub fn print_turn(view: &TurnView) {
    let head = &view.head;
    println!("{}  turn  {}", head.run, status(head.status));
    println!("session {}", head.session);
    if let Some(of) = &head.of {
        println!("works for the stage {} of {}", printable(&of.stage), of.run);
    }
    println!("{} / {}", printable(&head.connection), printable(&head.model));
    println!("\n{}\n", printable(view.message.text.trim_end()));
    for step in &view.steps {
        if let Some(line) = step_line(step) {
            println!("  {line}");
        }
    }
    if let Some(plan) = &head.plan {
        println!("\n{}\n\nplan ({}): {}", printable(&plan.text), plan.state, printable(&plan.path));
    }
    if let Some(answer) = &head.answer {
        println!("\n{}", printable(with_paths(answer, &head.session).trim_end()));
    }
    for note in &head.notes {
        println!("\nnote: {}", printable(note));
    }
    if let Some(problem) = &head.problem {
        println!("\nfailed: {}", printable(&problem.to_string()));
    }
    if !head.doing.is_empty() {
        println!("\n{}", printable(&head.doing));
    }
    let tokens = tokens(head.connection == OFFLINE, &head.usage);
    println!("\n{}, {tokens} in {:.1} s", head.cost, head.active_ms as f64 / 1_000.0);
    if head.doubtful.0 > 0 {
        println!("interrupted calls may have cost up to {} besides", head.doubtful);
    }
}

fn status(status: TurnStatus) -> &'static str {
    match status {
        TurnStatus::Running => "running",
        TurnStatus::Waiting => "waiting",
        TurnStatus::Interrupted => "interrupted",
        TurnStatus::Completed => "completed",
        TurnStatus::Stopped => "stopped",
        TurnStatus::Failed => "failed",
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

/// A step with its tool's name, which a list that is read later needs besides the intent.
fn step_line(step: &TurnStep) -> Option<String> {
    let line = line(step)?;
    Some(match &step.kind {
        StepKind::Tool { tool, source, .. } if source.is_empty() => format!("{line}  ({})", printable(tool)),
        StepKind::Tool { tool, source, .. } => {
            format!("{line}  ({}/{})", printable(source), printable(tool))
        }
        StepKind::Model { .. }
        | StepKind::Compaction { .. }
        | StepKind::Notice { .. }
        | StepKind::Steering { .. } => line,
    })
}

fn line(step: &TurnStep) -> Option<String> {
    let mark = match step.status {
        StepStatus::Ok => "ok",
        StepStatus::Failed => "failed",
        StepStatus::Denied => "denied",
        StepStatus::Stopped => "stopped",
        StepStatus::Unknown => "unknown",
        StepStatus::Queued => "queued",
        StepStatus::Running => "running",
        StepStatus::Asking => "asks",
    };
    match &step.kind {
        StepKind::Tool { intent, title, summary, adapted, .. } => {
            let what = if intent.is_empty() { title } else { intent };
            let words = [&[what.clone(), summary.clone()][..], adapted].concat().join("  ");
            Some(format!("{mark:<8} {}  {:.1} s", printable(words.trim_end()), step.ms as f64 / 1_000.0))
        }
        StepKind::Model { text, .. } => {
            let first = text.trim().lines().next().filter(|line| !line.is_empty())?;
            Some(format!("         {}", printable(first)))
        }
        StepKind::Compaction { before, after, .. } => {
            Some(format!("notice   the earlier conversation was compacted: {before} -> {after} tokens"))
        }
        StepKind::Notice { text } => Some(format!("notice   {}", printable(text))),
        StepKind::Steering { message } => Some(format!("you      {}", printable(&message.text))),
    }
}
