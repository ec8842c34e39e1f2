//! Comments on lines of changes: held by the text around them, and sent as one message.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use support::{clipped, now_ms};

use crate::Worktrees;
use crate::diff::DiffScope;
use crate::error::TaskError;
use crate::include::inside;
use crate::record::{Attempt, AttemptId, AttemptState, Task, TaskRun};

/// Lines on each side that help to find a line again.
const CONTEXT_LINES: usize = 3;
/// The longest line that is remembered, in bytes.
const MAX_LINE_BYTES: usize = 300;
/// The longest comment, in bytes.
const MAX_TEXT_BYTES: usize = 10_000;
/// The most comments on an attempt.
const MAX_COMMENTS: usize = 500;
/// The largest file whose lines can be commented, in bytes.
const MAX_FILE_BYTES: usize = 8 << 20;
/// Lines with fewer characters are found by the lines around them alone.
const MIN_TELLING_CHARS: usize = 3;

/// Which of the two compared files a line is in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The file as it is now.
    #[default]
    New,
    /// The file at the base: a removed line.
    Old,
}

/// A line, told by its own text and that around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Anchor {
    /// The file, below the checkout.
    pub path: String,
    /// Which file.
    pub side: Side,
    /// The line's number when it was commented, from 1.
    pub line: u32,
    /// Its text, without spaces around it.
    pub text: String,
    /// The lines before it, the nearest last.
    pub before: Vec<String>,
    /// The lines after it.
    pub after: Vec<String>,
}

/// What a new comment is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentAdd {
    /// The attempt.
    #[serde(flatten)]
    pub attempt: AttemptId,
    /// The file, below the checkout.
    pub path: String,
    /// Which file.
    #[serde(default)]
    pub side: Side,
    /// The line, from 1.
    pub line: u32,
    /// What is said about it.
    pub text: String,
}

/// Whether something is still to be done about a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommentState {
    /// It waits to be sent.
    Open,
    /// It was sent to the agent.
    Sent,
    /// It is settled.
    Resolved,
}

/// A comment on a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Comment {
    /// Its number in the attempt, from 1.
    pub number: u32,
    /// The line.
    pub anchor: Anchor,
    /// What is said about it.
    pub text: String,
    /// Whether something is still to be done.
    pub state: CommentState,
    /// When it was made, in milliseconds since 1970.
    pub at: i64,
    /// The run that it was sent to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// What became of a commented line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// It is where it was.
    Same,
    /// It has another number, or its file another name.
    Moved,
    /// The lines around it are there, and between them is another text.
    Changed,
    /// It is gone.
    Gone,
}

/// Where a commented line is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommentPlace {
    /// What became of it.
    pub placement: Placement,
    /// The file.
    pub path: String,
    /// The line, from 1; `None` when it is gone.
    pub line: Option<u32>,
}

/// A comment with the place of its line now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacedComment {
    /// The comment.
    #[serde(flatten)]
    pub comment: Comment,
    /// Where its line is.
    pub place: CommentPlace,
}

impl Anchor {
    /// The anchor of a line, from 1; `None` when there is no such line.
    pub fn new(path: &str, side: Side, lines: &[&str], line: u32) -> Option<Self> {
        let at = (line as usize).checked_sub(1).filter(|at| *at < lines.len())?;
        let all = |lines: &[&str]| lines.iter().map(|line| remembered(line)).collect();
        Some(Self {
            path: path.to_owned(),
            side,
            line,
            text: remembered(lines[at]),
            before: all(&lines[at.saturating_sub(CONTEXT_LINES)..at]),
            after: all(&lines[at + 1..lines.len().min(at + 1 + CONTEXT_LINES)]),
        })
    }

    /// Where the line is in a file as it is now.
    pub fn find(&self, lines: &[&str]) -> (Placement, Option<u32>) {
        let lines: Vec<String> = lines.iter().map(|line| remembered(line)).collect();
        let own = self.line as usize - 1;
        let telling = self.text.chars().count() >= MIN_TELLING_CHARS;
        let same = (0..lines.len()).filter(|at| lines[*at] == self.text);
        // The most lines around it that fit, then the nearest to where it was.
        let best = same
            .map(|at| (self.before_fits(&lines, at) + self.after_fits(&lines, at + 1), at))
            .filter(|(fits, at)| telling || *fits > 0 || (*at == own && self.stands_alone()))
            .max_by_key(|(fits, at)| (*fits, std::cmp::Reverse(at.abs_diff(own))));
        if let Some((_, at)) = best {
            let placement = if at == own { Placement::Same } else { Placement::Moved };
            return (placement, u32::try_from(at + 1).ok());
        }
        // The lines around it with one other line between them.
        let between = (0..lines.len())
            .map(|at| (self.before_fits(&lines, at), self.after_fits(&lines, at + 1), at))
            .filter(|(before, after, _)| {
                (*before > 0 || self.before.is_empty())
                    && (*after > 0 || self.after.is_empty())
                    && before + after > 0
            })
            .max_by_key(|(before, after, at)| (before + after, std::cmp::Reverse(at.abs_diff(own))));
        match between {
            Some((_, _, at)) => (Placement::Changed, u32::try_from(at + 1).ok()),
            None => (Placement::Gone, None),
        }
    }

    fn stands_alone(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// How many lines directly before a place fit.
    fn before_fits(&self, lines: &[String], at: usize) -> usize {
        let there = lines[..at.min(lines.len())].iter().rev();
        self.before.iter().rev().zip(there).take_while(|(one, other)| one == other).count()
    }

    /// How many lines from a place on fit.
    fn after_fits(&self, lines: &[String], at: usize) -> usize {
        let there = lines.get(at..).unwrap_or_default();
        self.after.iter().zip(there).take_while(|(one, other)| one == other).count()
    }
}

fn remembered(line: &str) -> String {
    clipped(line.trim(), MAX_LINE_BYTES)
}

impl Worktrees {
    /// Adds a comment on a line.
    pub async fn comment(&self, add: &CommentAdd) -> Result<Comment, TaskError> {
        let text = add.text.trim();
        if text.is_empty() || text.len() > MAX_TEXT_BYTES {
            return Err(TaskError::Invalid(format!("a comment has 1 to {MAX_TEXT_BYTES} bytes")));
        }
        let mut locked = self.inner.records.lock(&add.attempt.task).await?;
        let attempt = locked.task.attempt(add.attempt.attempt)?;
        if attempt.comments.len() >= MAX_COMMENTS {
            return Err(TaskError::Invalid(format!("an attempt has at most {MAX_COMMENTS} comments")));
        }
        let content = self.content(&locked.task, attempt, add.side, &add.path).await?;
        let content =
            content.ok_or_else(|| TaskError::Missing(format!("there is no text file {}", add.path)))?;
        let lines: Vec<&str> = content.lines().collect();
        let anchor = Anchor::new(&add.path, add.side, &lines, add.line)
            .ok_or_else(|| TaskError::Missing(format!("{} has no line {}", add.path, add.line)))?;
        let attempt = locked.task.attempt_mut(add.attempt.attempt)?;
        let comment = Comment {
            number: attempt.comments.last().map_or(1, |last| last.number + 1),
            anchor,
            text: text.to_owned(),
            state: CommentState::Open,
            at: now_ms(),
            run: None,
        };
        attempt.comments.push(comment.clone());
        locked.save()?;
        Ok(comment)
    }

    /// Says of comments whether something is still to be done about them.
    pub async fn set_comments(
        &self,
        id: &AttemptId,
        numbers: &[u32],
        state: CommentState,
    ) -> Result<(), TaskError> {
        let mut locked = self.inner.records.lock(&id.task).await?;
        let attempt = locked.task.attempt_mut(id.attempt)?;
        for number in numbers {
            match attempt.comments.iter_mut().find(|comment| comment.number == *number) {
                Some(comment) => {
                    comment.state = state;
                    comment.run = comment.run.take().filter(|_| state != CommentState::Open);
                }
                None => return Err(TaskError::Missing(format!("there is no comment {number}"))),
            }
        }
        locked.save()
    }

    /// The comments on an attempt, with the places of their lines now.
    pub async fn comments(&self, id: &AttemptId) -> Result<Vec<PlacedComment>, TaskError> {
        let task = self.task(&id.task)?;
        let attempt = task.attempt(id.attempt)?;
        let mut placed = Vec::new();
        for comment in &attempt.comments {
            let place = self.find(&task, attempt, &comment.anchor).await?;
            placed.push(PlacedComment { comment: comment.clone(), place });
        }
        Ok(placed)
    }

    /// One message made of all open comments, with their numbers; empty when there is none. Whoever sends it marks them
    /// as sent with [`Worktrees::set_comments`].
    pub async fn message(&self, id: &AttemptId) -> Result<(String, Vec<u32>), TaskError> {
        let mut placed = self.comments(id).await?;
        placed.retain(|one| one.comment.state == CommentState::Open);
        Ok((message_of(&placed), placed.iter().map(|one| one.comment.number).collect()))
    }

    /// Gives an open attempt to a run, with its open comments as one message: they count as sent to that run, which gets them
    /// again when it asks again.
    pub async fn begin_run(&self, id: &AttemptId, run: TaskRun) -> Result<(Task, String), TaskError> {
        let mut locked = self.inner.records.lock(&id.task).await?;
        let attempt = locked.task.attempt(id.attempt)?;
        if attempt.state != AttemptState::Open {
            let what = format!("attempt {} of {} is {}", attempt.number, id.task, attempt.state.name());
            return Err(TaskError::Invalid(what));
        }
        let mut placed = Vec::new();
        for comment in &attempt.comments {
            let sent_here = comment.run.as_ref() == Some(&run.run);
            if comment.state == CommentState::Open || (comment.state == CommentState::Sent && sent_here) {
                let place = self.find(&locked.task, attempt, &comment.anchor).await?;
                placed.push(PlacedComment { comment: comment.clone(), place });
            }
        }
        let attempt = locked.task.attempt_mut(id.attempt)?;
        for sent in &placed {
            if let Some(comment) =
                attempt.comments.iter_mut().find(|known| known.number == sent.comment.number)
            {
                (comment.state, comment.run) = (CommentState::Sent, Some(run.run.clone()));
            }
        }
        if !attempt.runs.contains(&run) {
            attempt.runs.push(run);
        }
        locked.save()?;
        Ok((locked.task.clone(), message_of(&placed)))
    }

    async fn find(&self, task: &Task, attempt: &Attempt, anchor: &Anchor) -> Result<CommentPlace, TaskError> {
        if let Some(content) = self.content(task, attempt, anchor.side, &anchor.path).await? {
            let lines: Vec<&str> = content.lines().collect();
            let (placement, line) = anchor.find(&lines);
            return Ok(CommentPlace { placement, path: anchor.path.clone(), line });
        }
        let gone = CommentPlace { placement: Placement::Gone, path: anchor.path.clone(), line: None };
        if anchor.side == Side::Old {
            return Ok(gone);
        }
        // A file that the attempt made has no earlier name at the base; the last save point may know it.
        for scope in [DiffScope::Base, DiffScope::Last, DiffScope::Uncommitted] {
            let diff = self.diff_of(task, attempt, scope, &[], false).await?;
            let renamed = diff.files.iter().find(|file| file.old_path.as_ref() == Some(&anchor.path));
            let Some(path) = renamed.map(|file| file.path.clone()) else { continue };
            let Some(content) = self.content(task, attempt, anchor.side, &path).await? else { continue };
            let lines: Vec<&str> = content.lines().collect();
            let (placement, line) = anchor.find(&lines);
            let placement = if placement == Placement::Same { Placement::Moved } else { placement };
            return Ok(CommentPlace { placement, path, line });
        }
        Ok(gone)
    }

    /// The text of a file of an attempt; `None` when there is no such file, or it is no text.
    async fn content(
        &self,
        task: &Task,
        attempt: &Attempt,
        side: Side,
        path: &str,
    ) -> Result<Option<String>, TaskError> {
        let git = self.git_of(task)?;
        let Some(place) = inside(&attempt.folder, path) else {
            return Err(TaskError::Invalid(format!("{path:?} is not a path below the repository")));
        };
        let there = self.git_in(attempt).ok();
        let bytes = match (&there, side) {
            (Some(_), Side::New) => {
                let plain = std::fs::symlink_metadata(&place).is_ok_and(|found| found.is_file());
                plain.then(|| std::fs::read(&place)).transpose().map_err(TaskError::file(&place))?
            }
            (_, side) => {
                let kept = attempt.kept.as_ref();
                let head = match (&there, kept) {
                    (Some(git), _) => git.text(&["rev-parse", "--verify", "HEAD"]).await?,
                    (None, Some(kept)) => kept.uncommitted.clone().unwrap_or_else(|| kept.head.clone()),
                    (None, None) => attempt.branch.clone(),
                };
                let commit = match side {
                    Side::New => head,
                    Side::Old => self.scope_start(task, attempt, DiffScope::Base, &git, &head).await?,
                };
                let found = git.run(&["cat-file", "blob", &format!("{commit}:{path}")], &[]).await?;
                (found.code == Some(0)).then_some(found.output)
            }
        };
        Ok(bytes
            .filter(|bytes| bytes.len() <= MAX_FILE_BYTES)
            .and_then(|bytes| String::from_utf8(bytes).ok()))
    }
}

/// The message of some comments.
fn message_of(placed: &[PlacedComment]) -> String {
    if placed.is_empty() {
        return String::new();
    }
    let mut text = match placed.len() {
        1 => "A comment on your changes:\n".to_owned(),
        count => format!("{count} comments on your changes:\n"),
    };
    for (at, PlacedComment { comment, place }) in placed.iter().enumerate() {
        let Anchor { line, text: commented, side, .. } = &comment.anchor;
        let old = if *side == Side::Old { ", removed line" } else { "" };
        let line = place.line.unwrap_or(*line);
        let became = match place.placement {
            Placement::Same | Placement::Moved => "",
            Placement::Changed => " (changed since)",
            Placement::Gone => " (gone since)",
        };
        let _ = write!(text, "\n{}. {}, line {line}{old}{became}:\n   > {commented}\n", at + 1, place.path);
        for line in comment.text.lines() {
            let _ = writeln!(text, "   {line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    const FILE: [&str; 7] = ["fn one() {", "    work();", "}", "", "fn two() {", "    work();", "}"];

    fn anchor(line: u32) -> Anchor {
        Anchor::new("a.rs", Side::New, &FILE, line).unwrap()
    }

    #[test]
    fn a_line_is_found_again_by_what_is_around_it() {
        assert_eq!(anchor(6).find(&FILE), (Placement::Same, Some(6)));
        // Lines before it, and another indentation: the second `work();` is meant, not the first.
        let moved = ["// new", "fn one() {", "  work();", "}", "", "fn two() {", "  work();", "}"];
        assert_eq!(anchor(6).find(&moved), (Placement::Moved, Some(7)));
        let changed = ["fn one() {", "    work();", "}", "", "fn two() {", "    rest();", "}"];
        assert_eq!(anchor(6).find(&changed[3..]), (Placement::Changed, Some(3)));
        assert_eq!(anchor(2).find(&["fn other() {}"]), (Placement::Gone, None));
        assert_eq!(anchor(1).find(&[]), (Placement::Gone, None));
    }

    #[test]
    fn a_line_that_tells_nothing_needs_its_neighbours() {
        assert_eq!(anchor(3).find(&["}", "}", "}"]), (Placement::Gone, None));
        let fewer = ["fn two() {", "    work();", "}"];
        assert_eq!(anchor(7).find(&fewer), (Placement::Moved, Some(3)));
    }

    #[test]
    fn no_line_is_outside_the_file() {
        assert!(Anchor::new("a.rs", Side::New, &FILE, 0).is_none());
        assert!(Anchor::new("a.rs", Side::New, &FILE, 8).is_none());
    }
}
