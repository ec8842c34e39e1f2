//! Changes of an attempt as data: files, hunks, lines.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::TaskError;
use crate::git::{Git, fields};
use crate::record::{Attempt, AttemptId, Task};
use crate::savepoint::WorktreeTree;
use crate::{Worktrees, include};

/// The most files of which hunks are given; of further ones only their names and numbers are.
pub const MAX_FILES_WITH_HUNKS: usize = 500;
/// The most changed lines of a file whose hunks are given.
pub const MAX_FILE_LINES: u32 = 5_000;
/// The largest file whose hunks are given, in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 20;
/// The longest line that is given whole, in bytes.
pub const MAX_LINE_BYTES: usize = 2_000;
/// The most files that are listed.
pub const MAX_FILES: usize = 5_000;

/// What is compared with the worktree as it is now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiffScope {
    /// The base: everything that the attempt changed, and nothing that others merged since.
    #[default]
    Base,
    /// The commit that is checked out: what is not committed, with untracked files.
    Uncommitted,
    /// The last save point, which is made after each turn.
    Last,
    /// The save point with this number.
    Savepoint(u32),
}

/// Which changes are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffQuery {
    /// The attempt.
    #[serde(flatten)]
    pub attempt: AttemptId,
    /// Since when.
    #[serde(default)]
    pub scope: DiffScope,
    /// Only these files or folders; empty for all.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Whether names and numbers are enough.
    #[serde(default)]
    pub no_hunks: bool,
}

/// Changes between two trees.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Diff {
    /// The commit or tree that is compared with.
    pub from: String,
    /// The tree of the worktree.
    pub to: String,
    /// The files, by path.
    pub files: Vec<FileDiff>,
    /// Lines added in all files.
    pub additions: u32,
    /// Lines removed in all files.
    pub deletions: u32,
    /// Files beyond the most that are listed.
    #[serde(default)]
    pub more_files: u32,
}

impl Diff {
    /// As a unified diff, for a reader who wants text; at most so many bytes, then that it goes on.
    pub fn unified(&self, most: usize) -> String {
        let mut out = String::new();
        for file in &self.files {
            let old = file.old_path.as_deref().unwrap_or(&file.path);
            let _ = writeln!(
                out,
                "diff {old} {} ({:?}, +{} -{})",
                file.path, file.change, file.additions, file.deletions
            );
            if file.too_large {
                out.push_str("(too large to be shown)\n");
            }
            for hunk in &file.hunks {
                let _ = writeln!(out, "@@ -{} +{} @@ {}", hunk.old_start, hunk.new_start, hunk.heading);
                for line in &hunk.lines {
                    let sign = match line.kind {
                        LineKind::Context => ' ',
                        LineKind::Added => '+',
                        LineKind::Removed => '-',
                    };
                    let _ = writeln!(out, "{sign}{}", line.text);
                }
                if out.len() > most {
                    out.truncate(out.floor_char_boundary(most));
                    out.push_str("\n(cut here: ask for single files with `paths`)\n");
                    return out;
                }
            }
        }
        if self.more_files > 0 {
            let _ = writeln!(out, "({} more files)", self.more_files);
        }
        out
    }
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is new.
    Added,
    /// It is gone.
    Deleted,
    /// Its content changed, or its mode alone.
    Modified,
    /// It has another name, and may have changed besides.
    Renamed,
    /// It became something else: a link, a submodule, a file.
    TypeChanged,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Text.
    Text,
    /// Anything else; it has no hunks.
    Binary,
    /// A symbolic link; its text is where it leads.
    Link,
    /// A submodule; its text is the commit.
    Submodule,
}

/// The changes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileDiff {
    /// Its path below the checkout.
    pub path: String,
    /// Its earlier path, where it was renamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_path: Option<String>,
    /// What became of it.
    pub change: Change,
    /// What it is.
    pub kind: FileKind,
    /// Its earlier mode in octal digits, where it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_mode: Option<String>,
    /// Its mode in octal digits, where it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_mode: Option<String>,
    /// Lines added.
    pub additions: u32,
    /// Lines removed.
    pub deletions: u32,
    /// The changed places, in order.
    pub hunks: Vec<Hunk>,
    /// Whether hunks were left out because the file or the whole is too large.
    #[serde(default)]
    pub too_large: bool,
}

/// A changed place with the lines around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hunk {
    /// Its first line in the earlier file, from 1; 0 where that is empty.
    pub old_start: u32,
    /// Its first line in the file, from 1; 0 where that is empty.
    pub new_start: u32,
    /// What it lies in, such as the head of a function.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// Its lines.
    pub lines: Vec<DiffLine>,
}

/// Whether a line was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// It is in both files.
    Context,
    /// It is new.
    Added,
    /// It is gone.
    Removed,
}

/// A line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffLine {
    /// Whether it was changed.
    pub kind: LineKind,
    /// Its number in the earlier file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<u32>,
    /// Its number in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<u32>,
    /// Its text without the line end; at most 2,000 bytes.
    pub text: String,
    /// Whether it is the last one and has no line end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_newline: bool,
}

/// A file as `--raw` lists it.
struct RawEntry {
    old_mode: String,
    new_mode: String,
    old_object: String,
    new_object: String,
    status: char,
    path: String,
    old_path: Option<String>,
}

const OPTIONS: [&str; 4] = ["-r", "--no-ext-diff", "--no-textconv", "--find-renames"];

/// The changes from one tree to another.
pub(crate) async fn between(
    git: &Git<'_>,
    from: &str,
    to: &str,
    paths: &[String],
    hunks: bool,
) -> Result<Diff, TaskError> {
    if let Some(bad) = paths.iter().find(|path| include::inside(git.folder(), path).is_none()) {
        return Err(TaskError::Invalid(format!("{bad:?} is not a path below the repository")));
    }
    let list = |form: &'static [&'static str]| {
        let mut arguments = vec!["diff-tree"];
        arguments.extend(OPTIONS.iter().chain(form));
        arguments.extend([from, to, "--"]);
        arguments.extend(paths.iter().map(String::as_str));
        arguments
    };
    let raw = raw_entries(&git.bytes(&list(&["-z", "--raw", "--no-abbrev"])).await?);
    let numbers = numbers(&git.bytes(&list(&["-z", "--numstat"])).await?);
    let sizes = if hunks { sizes(git, &raw).await? } else { vec![0; raw.len()] };
    let mut diff = Diff { from: from.to_owned(), to: to.to_owned(), ..Diff::default() };
    for ((entry, numbers), size) in raw.iter().zip(&numbers).zip(sizes) {
        diff.additions += numbers.unwrap_or_default().0;
        diff.deletions += numbers.unwrap_or_default().1;
        if diff.files.len() == MAX_FILES {
            diff.more_files += 1;
            continue;
        }
        let mut file = file(entry, *numbers);
        file.too_large = hunks
            && file.kind != FileKind::Binary
            && (size > MAX_FILE_BYTES
                || file.additions + file.deletions > MAX_FILE_LINES
                || diff.files.len() >= MAX_FILES_WITH_HUNKS);
        diff.files.push(file);
    }
    if hunks && diff.files.iter().any(|file| !file.too_large) {
        add_hunks(git, &mut diff, paths).await?;
    }
    diff.files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(diff)
}

/// Reads the patch of the files that are not too large, in the order in which they were listed.
async fn add_hunks(git: &Git<'_>, diff: &mut Diff, paths: &[String]) -> Result<(), TaskError> {
    let mut arguments = vec!["diff-tree".to_owned()];
    arguments.extend(OPTIONS.iter().chain(&["--patch", "--unified=3"]).map(|option| (*option).to_owned()));
    arguments.extend([diff.from.clone(), diff.to.clone(), "--".to_owned()]);
    let wanted = if paths.is_empty() { vec![":(top)".to_owned()] } else { Vec::new() };
    arguments.extend(wanted.into_iter().chain(paths.iter().map(|path| format!(":(top,literal){path}"))));
    let left_out = diff.files.iter().filter(|file| file.too_large);
    let left_out = left_out.flat_map(|file| file.old_path.iter().chain([&file.path]));
    arguments.extend(left_out.map(|path| format!(":(top,exclude,literal){path}")));
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let patch = match git.clone().with_magic().bytes(&words).await {
        Err(TaskError::TooMuchOutput { .. }) => {
            diff.files.iter_mut().for_each(|file| file.too_large = true);
            return Ok(());
        }
        patch => patch?,
    };
    let mut sections = sections(&patch).into_iter();
    for file in diff.files.iter_mut().filter(|file| !file.too_large) {
        // What became something else is listed once, and shown as one file gone and one new.
        let count = if file.change == Change::TypeChanged { 2 } else { 1 };
        for section in sections.by_ref().take(count) {
            file.hunks.extend(section);
        }
    }
    Ok(())
}

fn file(entry: &RawEntry, numbers: Option<(u32, u32)>) -> FileDiff {
    let change = match entry.status {
        'A' => Change::Added,
        'D' => Change::Deleted,
        'R' => Change::Renamed,
        'T' => Change::TypeChanged,
        _ => Change::Modified,
    };
    let mode = if entry.status == 'D' { &entry.old_mode } else { &entry.new_mode };
    let kind = match (mode.as_str(), numbers) {
        ("160000", _) => FileKind::Submodule,
        ("120000", _) => FileKind::Link,
        (_, None) => FileKind::Binary,
        (_, Some(_)) => FileKind::Text,
    };
    let changed_mode = entry.old_mode != entry.new_mode && !matches!(entry.status, 'A' | 'D');
    let (additions, deletions) = numbers.unwrap_or_default();
    FileDiff {
        path: entry.path.clone(),
        old_path: entry.old_path.clone(),
        change,
        kind,
        old_mode: changed_mode.then(|| entry.old_mode.clone()),
        new_mode: changed_mode.then(|| entry.new_mode.clone()),
        additions,
        deletions,
        hunks: Vec::new(),
        too_large: false,
    }
}

fn raw_entries(bytes: &[u8]) -> Vec<RawEntry> {
    let mut entries = Vec::new();
    let mut parts = fields(bytes);
    while let Some(head) = parts.next() {
        let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        let [old_mode, new_mode, old_object, new_object, status] = words[..] else { break };
        let Some(first) = parts.next() else { break };
        let status = status.chars().next().unwrap_or('M');
        let (path, old_path) = match status {
            'R' | 'C' => match parts.next() {
                Some(path) => (path, Some(first)),
                None => break,
            },
            _ => (first, None),
        };
        entries.push(RawEntry {
            old_mode: old_mode.to_owned(),
            new_mode: new_mode.to_owned(),
            old_object: old_object.to_owned(),
            new_object: new_object.to_owned(),
            status,
            path,
            old_path,
        });
    }
    entries
}

/// Added and removed lines of each file; `None` for a binary one.
fn numbers(bytes: &[u8]) -> Vec<Option<(u32, u32)>> {
    let mut all = Vec::new();
    let mut parts = fields(bytes);
    while let Some(entry) = parts.next() {
        let mut columns = entry.splitn(3, '\t');
        let (added, removed) = (columns.next().unwrap_or("-"), columns.next().unwrap_or("-"));
        if columns.next().is_none_or(str::is_empty) {
            // Both names of a renamed file follow.
            parts.next();
            parts.next();
        }
        all.push(added.parse().ok().zip(removed.parse().ok()));
    }
    all
}

/// The bytes of each file, of the larger of its two forms.
async fn sizes(git: &Git<'_>, entries: &[RawEntry]) -> Result<Vec<u64>, TaskError> {
    let names: Vec<&str> =
        entries.iter().flat_map(|entry| [&*entry.old_object, &*entry.new_object]).collect();
    let input = names.join("\n") + "\n";
    let bytes = git.bytes_of(&["cat-file", "--batch-check=%(objectsize)"], input.as_bytes()).await?;
    let text = String::from_utf8_lossy(&bytes);
    // A submodule's commit and the name of nothing are no objects here.
    let sizes: Vec<u64> = text.lines().map(|line| line.parse().unwrap_or(0)).collect();
    let pair = |pair: &[u64]| pair.iter().copied().max().unwrap_or(0);
    let mut largest: Vec<u64> = sizes.chunks(2).map(pair).collect();
    largest.resize(entries.len(), 0);
    Ok(largest)
}

/// The hunks of each section of a patch.
pub(crate) fn sections(patch: &[u8]) -> Vec<Vec<Hunk>> {
    let mut sections: Vec<Vec<Hunk>> = Vec::new();
    // Lines that the open hunk still has, of the earlier and of the newer file.
    let (mut old_left, mut new_left) = (0_u32, 0_u32);
    let (mut old, mut new) = (0_u32, 0_u32);
    for line in patch.split(|byte| *byte == b'\n') {
        let hunk = sections.last_mut().and_then(|section| section.last_mut());
        let first = line.first().copied();
        if let (b'\\', Some(hunk)) = (first.unwrap_or(0), hunk) {
            if let Some(last) = hunk.lines.last_mut() {
                last.no_newline = true;
            }
            continue;
        }
        let hunk = sections.last_mut().and_then(|section| section.last_mut());
        match (first, hunk) {
            (Some(sign), Some(hunk)) if old_left + new_left > 0 => {
                let kind = match sign {
                    b'+' => LineKind::Added,
                    b'-' => LineKind::Removed,
                    _ => LineKind::Context,
                };
                let (in_old, in_new) = (kind != LineKind::Added, kind != LineKind::Removed);
                hunk.lines.push(DiffLine {
                    kind,
                    old: in_old.then_some(old),
                    new: in_new.then_some(new),
                    text: support::clipped(&String::from_utf8_lossy(&line[1..]), MAX_LINE_BYTES),
                    no_newline: false,
                });
                old += u32::from(in_old);
                new += u32::from(in_new);
                old_left = old_left.saturating_sub(u32::from(in_old));
                new_left = new_left.saturating_sub(u32::from(in_new));
            }
            _ if line.starts_with(b"diff --git ") => sections.push(Vec::new()),
            _ if line.starts_with(b"@@ ") => {
                let Some((ranges, heading)) = hunk_head(&String::from_utf8_lossy(line)) else { continue };
                [old, old_left, new, new_left] = ranges;
                let hunk = Hunk { old_start: old, new_start: new, heading, lines: Vec::new() };
                if let Some(section) = sections.last_mut() {
                    section.push(hunk);
                }
            }
            _ => {}
        }
    }
    sections
}

/// The ranges and the heading of `@@ -1,2 +3,4 @@ heading`.
fn hunk_head(line: &str) -> Option<([u32; 4], String)> {
    let rest = line.strip_prefix("@@ -")?;
    let (ranges, heading) = rest.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let range = |text: &str| -> Option<(u32, u32)> {
        match text.split_once(',') {
            Some((start, length)) => Some((start.parse().ok()?, length.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let ((old, old_length), (new, new_length)) = (range(old)?, range(new)?);
    let heading = support::clipped(heading.trim(), MAX_LINE_BYTES);
    Some(([old, old_length, new, new_length], heading))
}

impl Worktrees {
    /// The changes of an attempt: of its worktree as it is now, or of what it held when that was removed.
    pub async fn diff(&self, wanted: &DiffQuery) -> Result<Diff, TaskError> {
        let task = self.task(&wanted.attempt.task)?;
        let attempt = task.attempt(wanted.attempt.attempt)?;
        self.diff_of(&task, attempt, wanted.scope, &wanted.paths, !wanted.no_hunks).await
    }

    pub(crate) async fn diff_of(
        &self,
        task: &Task,
        attempt: &Attempt,
        scope: DiffScope,
        paths: &[String],
        hunks: bool,
    ) -> Result<Diff, TaskError> {
        if attempt.folder.exists() {
            let git = self.git_in(attempt)?;
            let head = git.text(&["rev-parse", "--verify", "HEAD"]).await?;
            let from = self.scope_start(task, attempt, scope, &git, &head).await?;
            let worktree = WorktreeTree::write(&git).await?;
            return between(&worktree.git, &from, &worktree.tree, paths, hunks).await;
        }
        let git = self.git_of(task)?;
        let kept = attempt.kept.as_ref();
        let head = kept.map_or(attempt.branch.as_str(), |kept| &kept.head);
        let Some(head) = git.commit(head).await? else {
            return Err(TaskError::NoFolder(attempt.folder.clone()));
        };
        let from = self.scope_start(task, attempt, scope, &git, &head).await?;
        let to = kept.and_then(|kept| kept.uncommitted.clone()).unwrap_or_else(|| head.clone());
        between(&git, &from, &to, paths, hunks).await
    }

    /// The commit that a scope begins at.
    pub(crate) async fn scope_start(
        &self,
        task: &Task,
        attempt: &Attempt,
        scope: DiffScope,
        git: &Git<'_>,
        head: &str,
    ) -> Result<String, TaskError> {
        let missing = |number: u32| {
            TaskError::Missing(format!("attempt {} has no save point {number}", attempt.number))
        };
        match scope {
            DiffScope::Uncommitted => Ok(head.to_owned()),
            DiffScope::Base => start_of_changes(task, attempt, git, head).await,
            DiffScope::Last => match attempt.savepoints.last() {
                Some(last) => Ok(last.commit.clone()),
                None => start_of_changes(task, attempt, git, head).await,
            },
            DiffScope::Savepoint(number) => {
                let found = attempt.savepoints.iter().find(|savepoint| savepoint.number == number);
                found.map(|savepoint| savepoint.commit.clone()).ok_or_else(|| missing(number))
            }
        }
    }
}

/// Where the changes of an attempt begin: its base, or a later commit of the target that was merged into it since.
async fn start_of_changes(
    task: &Task,
    attempt: &Attempt,
    git: &Git<'_>,
    head: &str,
) -> Result<String, TaskError> {
    let base = task.base_commit.clone();
    let Some(target) = task.target.as_ref().filter(|_| attempt.merged.is_none()) else { return Ok(base) };
    let Some(tip) = git.commit(&format!("refs/heads/{target}")).await? else { return Ok(base) };
    if git.is_ancestor(head, &tip).await? {
        // Either the attempt was brought up to the target and has nothing of its own, or it was merged by hand.
        let range = format!("{base}..{tip}");
        let own = git.text(&["rev-list", "--first-parent", &range]).await?;
        return Ok(if own.lines().any(|commit| commit == head) { head.to_owned() } else { base });
    }
    match git.ask(&["merge-base", head, &tip]).await? {
        Some(shared) if git.is_ancestor(&base, &shared).await? => Ok(shared),
        _ => Ok(base),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_looks_like_a_head_of_a_patch_is_a_line() {
        let patch = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@ fn main() {\n same\n--- old\n+++ new\n+diff --git y\n\\ No newline at end of file\n";
        let sections = sections(patch);
        assert_eq!(sections.len(), 1);
        let hunk = &sections[0][0];
        assert_eq!(hunk.heading, "fn main() {");
        let texts: Vec<_> = hunk.lines.iter().map(|line| (line.kind, &*line.text)).collect();
        assert_eq!(
            texts,
            [
                (LineKind::Context, "same"),
                (LineKind::Removed, "-- old"),
                (LineKind::Added, "++ new"),
                (LineKind::Added, "diff --git y")
            ]
        );
        assert!(hunk.lines[3].no_newline);
        assert_eq!((hunk.lines[1].old, hunk.lines[3].new), (Some(2), Some(3)));
    }
}
