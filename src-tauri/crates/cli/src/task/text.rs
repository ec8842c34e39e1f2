//! Tasks as lines of a terminal.

use std::fmt::Write as _;

use protocol::TaskRunState;
use worktrees::{
    Change, CommandResult, CommentState, Diff, FileKind, LineKind, MergeOutcome, PlacedComment, Placement,
    Removal, Task, TaskView, UndoEntry, UndoOutcome,
};

use crate::terminal::printable;

/// The last lines of a failed command that are shown.
const MAX_LINES: usize = 20;

/// A task in a line, with what its last runs do now.
pub(super) fn row(task: &Task, runs: &[TaskRunState]) -> String {
    let states: Vec<_> = task.attempts.iter().map(|attempt| attempt.state.name()).collect();
    let runs = runs.iter().filter(|run| run.task == task.id && run.stage.is_some()).map(doing);
    let line = format!("{:<40} {:<12} {}", task.id.as_str(), states.join(","), printable(&task.title));
    std::iter::once(line).chain(runs).collect::<Vec<_>>().join("  ")
}

/// What a run does now.
fn doing(run: &TaskRunState) -> String {
    let stage = run.stage.as_ref().map(|stage| format!(", {}", printable(stage))).unwrap_or_default();
    match &run.waits_for {
        Some(what) => format!("[waits for you{stage}: {}]", printable(what)),
        None => format!("[{}{stage}]", run.status),
    }
}

/// A task with its attempts.
pub(super) fn view(view: &TaskView, runs: &[TaskRunState]) -> String {
    let task = &view.task;
    let mut text = format!("{}  {}\n", task.id, printable(&task.title));
    let base = &task.base_commit[..task.base_commit.len().min(12)];
    let _ = writeln!(text, "  repository {}", printable(&task.repository.display().to_string()));
    let _ = writeln!(text, "  base       {} ({base})", printable(&task.base));
    let _ = writeln!(text, "  target     {}", task.target.as_deref().map_or("none".into(), printable));
    if !view.approved {
        let _ = writeln!(text, "  its commands were not accepted: `agentnative task approve`");
    }
    for (attempt, now) in task.attempts.iter().zip(&view.attempts) {
        let chosen = if task.chosen == Some(attempt.number) { ", chosen" } else { "" };
        let _ = writeln!(
            text,
            "\n{}. {}{chosen}  {}",
            attempt.number,
            attempt.state.name(),
            printable(&attempt.label)
        );
        let gone = if now.folder_there { "" } else { " (gone)" };
        let _ = writeln!(text, "   folder   {}{gone}", printable(&attempt.folder.display().to_string()));
        let _ = writeln!(text, "   branch   {}", printable(&attempt.branch));
        let stat = now.stat;
        let _ = writeln!(
            text,
            "   changes  {} files, +{} -{}; {} files not committed",
            stat.files, stat.additions, stat.deletions, now.uncommitted
        );
        let _ = writeln!(text, "   checks   {}", now.verdict);
        for one in attempt.checks.last().iter().flat_map(|run| &run.results) {
            let _ = writeln!(text, "            {}: {}", printable(&one.name), ended(&one.result));
        }
        if let Some(setup) = &attempt.setup {
            let _ = writeln!(text, "   set-up   {}", ended(setup));
        }
        for run in runs.iter().filter(|run| run.attempt == attempt.number) {
            let _ = writeln!(text, "   run      {} {}", run.run, doing(run));
        }
        let open = attempt.comments.iter().filter(|comment| comment.state == CommentState::Open).count();
        if open > 0 {
            let _ = writeln!(text, "   comments {open} open");
        }
        if let Some(problem) = &now.problem {
            let _ = writeln!(text, "   problem  {}", printable(problem));
        }
    }
    text.trim_end().to_owned()
}

fn ended(result: &CommandResult) -> String {
    match result.exit_code {
        Some(code) => format!("exit code {code} after {:.1} s", result.ms as f64 / 1e3),
        None if result.timed_out => format!("ended for taking longer than {} s", result.ms / 1_000),
        None => "ended without an exit code".to_owned(),
    }
}

/// How a command ended, with its last words where it failed.
pub(super) fn result(name: &str, result: &CommandResult) -> String {
    let mut text = format!("{}: {}", printable(name), ended(result));
    if !result.passed() {
        let lines: Vec<&str> = result.output.lines().collect();
        for line in &lines[lines.len().saturating_sub(MAX_LINES)..] {
            let _ = write!(text, "\n  {}", printable(line));
        }
    }
    text
}

/// Changes as a patch to read, or as a list.
pub(super) fn diff(diff: &Diff, stat: bool) -> String {
    let mut text = String::new();
    for file in &diff.files {
        let old = file.old_path.as_ref().map(|old| format!("{} -> ", printable(old))).unwrap_or_default();
        let kind = match file.change {
            Change::Added => "added",
            Change::Deleted => "deleted",
            Change::Modified => "modified",
            Change::Renamed => "renamed",
            Change::TypeChanged => "type changed",
        };
        let mode = match (&file.old_mode, &file.new_mode) {
            (Some(old), Some(new)) => format!(", mode {old} -> {new}"),
            _ => String::new(),
        };
        let size = match file.kind {
            FileKind::Binary => "binary".to_owned(),
            FileKind::Text | FileKind::Link | FileKind::Submodule => {
                format!("+{} -{}", file.additions, file.deletions)
            }
        };
        let large = if file.too_large { ", too large to show" } else { "" };
        let _ = writeln!(text, "{old}{}  ({kind}{mode}, {size}{large})", printable(&file.path));
        for hunk in &file.hunks {
            let heading = printable(&hunk.heading);
            let _ = writeln!(text, "@@ -{} +{} @@ {heading}", hunk.old_start, hunk.new_start);
            for line in &hunk.lines {
                let sign = match line.kind {
                    LineKind::Context => ' ',
                    LineKind::Added => '+',
                    LineKind::Removed => '-',
                };
                let end = if line.no_newline { "\n\\ No newline at end of file" } else { "" };
                let _ = writeln!(text, "{sign}{}{end}", printable(&line.text));
            }
        }
        if !stat {
            text.push('\n');
        }
    }
    if diff.more_files > 0 {
        let _ = writeln!(text, "and {} more files", diff.more_files);
    }
    let files = diff.files.len() as u32 + diff.more_files;
    let _ = write!(text, "{files} files, +{} -{}", diff.additions, diff.deletions);
    text
}

/// A comment where its line is now.
pub(super) fn comment(placed: &PlacedComment) -> String {
    let (comment, place) = (&placed.comment, &placed.place);
    let state = match comment.state {
        CommentState::Open => "open",
        CommentState::Sent => "sent",
        CommentState::Resolved => "settled",
    };
    let became = match place.placement {
        Placement::Same | Placement::Moved => "",
        Placement::Changed => ", changed since",
        Placement::Gone => ", gone since",
    };
    let line = place.line.unwrap_or(comment.anchor.line);
    let text = printable(&comment.text).replace('\n', "\n   ");
    let path = printable(&place.path);
    format!(
        "{}. {path}:{line} ({state}{became})\n   > {}\n   {text}",
        comment.number,
        printable(&comment.anchor.text)
    )
}

/// What became of a worktree.
pub(super) fn removal(removal: &Removal) -> String {
    let folder = printable(&removal.folder.display().to_string());
    match (removal.removed, &removal.proof) {
        (true, Some(proof)) => format!("attempt {}: removed {folder}: {proof}", removal.attempt),
        (true, None) => format!("attempt {}: removed {folder}; `task undo` restores it", removal.attempt),
        (false, _) if removal.reasons.is_empty() => format!("attempt {}: kept {folder}", removal.attempt),
        (false, _) => {
            let reasons = printable(&removal.reasons.join("; "));
            format!("attempt {}: {folder} stays: {reasons}", removal.attempt)
        }
    }
}

/// What a merge did.
pub(super) fn merge(outcome: &MergeOutcome) -> String {
    let (target, commit) = (printable(&outcome.target), &outcome.commit[..outcome.commit.len().min(12)]);
    let first = match outcome.nothing_to_merge {
        true => format!("{target} has everything already ({commit})"),
        false => format!("merged into {target} as {commit}"),
    };
    let tested = match (outcome.tested, outcome.nothing_to_merge) {
        (true, _) => "; its checks passed on exactly these files".to_owned(),
        (false, true) => String::new(),
        (false, false) => format!("; {}, and {target} as it is now was not checked", outcome.verdict),
    };
    format!("{first}{tested}\n{}", removal(&outcome.removal))
}

/// What was undone.
pub(super) fn undo(outcome: &UndoOutcome) -> String {
    match (&outcome.entry, &outcome.folder) {
        (UndoEntry::Reverted { attempt, paths, .. }, _) => {
            format!("attempt {attempt}: brought again {}", printable(&paths.join(", ")))
        }
        (UndoEntry::Ended { attempt, .. }, Some(folder)) => {
            format!("attempt {attempt}: open again in {}", printable(&folder.display().to_string()))
        }
        (UndoEntry::Ended { attempt, .. }, None) => format!("attempt {attempt}: open again"),
    }
}
