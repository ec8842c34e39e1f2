//! Whether what a commit holds is elsewhere, so that its branch can go.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::TaskError;
use crate::git::Git;
use crate::record::{Attempt, Task};

/// The most commits of a target's history that are looked through for a squashed one.
const MAX_HISTORY: usize = 500;

/// Why nothing is lost without an attempt's branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(rename = "RemovalProof")]
pub enum Proof {
    /// It has no commit beyond the base.
    NoCommits,
    /// Another branch or tag holds its commits.
    Reachable {
        /// The ref.
        reference: String,
    },
    /// Merging it into this ref would change nothing: what it changes is there, squashed, rebased or picked.
    Contained {
        /// The ref.
        reference: String,
    },
    /// A commit in the history of this ref contained it; later commits changed the same places again.
    InHistory {
        /// The ref.
        reference: String,
        /// The commit.
        commit: String,
    },
}

impl std::fmt::Display for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoCommits => f.write_str("it has no commits of its own"),
            Self::Reachable { reference } => write!(f, "its commits are in {}", short(reference)),
            Self::Contained { reference } => write!(f, "its changes are in {}", short(reference)),
            Self::InHistory { reference, commit } => {
                write!(
                    f,
                    "its changes came into {} with {}",
                    short(reference),
                    &commit[..commit.len().min(12)]
                )
            }
        }
    }
}

fn short(reference: &str) -> &str {
    let known = ["refs/heads/", "refs/remotes/", "refs/tags/"];
    known.iter().find_map(|prefix| reference.strip_prefix(prefix)).unwrap_or(reference)
}

/// What a search for a proof found.
pub(crate) enum Evidence {
    /// Nothing is lost.
    Proven(Proof),
    /// Why there is no proof.
    Missing(String),
}

/// Looks for a proof that nothing is lost without `tip`.
pub(crate) async fn proof_of(
    git: &Git<'_>,
    task: &Task,
    attempt: &Attempt,
    tip: &str,
) -> Result<Evidence, TaskError> {
    if tip == task.base_commit {
        return Ok(Evidence::Proven(Proof::NoCommits));
    }
    let own = format!("refs/heads/{}", attempt.branch);
    let contains = format!("--contains={tip}");
    let format = "--format=%(refname)";
    let places = ["refs/heads", "refs/remotes", "refs/tags"];
    let mut arguments = vec!["for-each-ref", format, &contains];
    arguments.extend(places);
    let holders = git.text(&arguments).await?;
    // Branches of other tasks and attempts are removed as this one is: they prove nothing.
    let mut holders: Vec<&str> =
        holders.lines().filter(|name| *name != own && !name.starts_with("refs/heads/agentnative/")).collect();
    let targets = targets(git, task, attempt).await?;
    holders.sort_by_key(|name| !targets.iter().any(|target| target == name));
    if let Some(holder) = holders.first() {
        return Ok(Evidence::Proven(Proof::Reachable { reference: (*holder).to_owned() }));
    }
    let mut reason = "its commits are in no other branch".to_owned();
    for target in targets {
        match contained(git, &target, tip).await? {
            Containment::Yes => return Ok(Evidence::Proven(Proof::Contained { reference: target })),
            Containment::Adds => {
                reason = format!("{} does not have all of its changes", short(&target));
            }
            // Either it was never there, or the same places were changed again since.
            Containment::Conflicts => match in_history(git, &target, tip).await? {
                Some(commit) => {
                    return Ok(Evidence::Proven(Proof::InHistory { reference: target, commit }));
                }
                None => reason = format!("{} does not have its changes, and they conflict", short(&target)),
            },
        }
    }
    Ok(Evidence::Missing(reason))
}

/// The refs that a task's work is expected in: where it was merged, the target, and what these follow.
async fn targets(git: &Git<'_>, task: &Task, attempt: &Attempt) -> Result<Vec<String>, TaskError> {
    let mut targets = Vec::new();
    let merged = attempt.merged.as_ref().map(|merged| &merged.target);
    for target in merged.into_iter().chain(&task.target) {
        let reference = format!("refs/heads/{target}");
        let found = git.text(&["for-each-ref", "--format=%(refname)%00%(upstream)", &reference]).await?;
        let lines = found.lines().filter_map(|line| line.split_once('\0'));
        for (_, upstream) in lines.filter(|(name, _)| *name == reference) {
            let followed = !upstream.is_empty() && git.commit(upstream).await?.is_some();
            targets.push(reference.clone());
            targets.extend(followed.then(|| upstream.to_owned()));
        }
    }
    targets.dedup();
    Ok(targets)
}

enum Containment {
    /// Merging changes nothing.
    Yes,
    /// Merging adds something.
    Adds,
    /// Merging conflicts.
    Conflicts,
}

async fn contained(git: &Git<'_>, target: &str, tip: &str) -> Result<Containment, TaskError> {
    let merged = git.run(&["merge-tree", "--write-tree", "--no-messages", target, tip], &[]).await?;
    let text = String::from_utf8_lossy(&merged.output);
    let tree = text.lines().next().unwrap_or_default();
    match merged.code {
        Some(0) if tree == git.tree(target).await? => Ok(Containment::Yes),
        Some(0) => Ok(Containment::Adds),
        Some(1) => Ok(Containment::Conflicts),
        // Without a common ancestor there is nothing to compare.
        _ => Ok(Containment::Adds),
    }
}

/// The newest commit in a target's history into which merging `tip` would have changed nothing.
async fn in_history(git: &Git<'_>, target: &str, tip: &str) -> Result<Option<String>, TaskError> {
    let Some(shared) = git.ask(&["merge-base", target, tip]).await? else { return Ok(None) };
    let most = format!("--max-count={MAX_HISTORY}");
    let range = format!("{shared}..{target}");
    let listed = git.text(&["log", "--first-parent", &most, "--format=%H %T", &range]).await?;
    let commits: Vec<(&str, &str)> = listed.lines().filter_map(|line| line.split_once(' ')).collect();
    let input: String = commits.iter().map(|(commit, _)| format!("{commit} {tip}\n")).collect();
    let answer =
        git.bytes_of(&["merge-tree", "--stdin", "--no-messages", "--name-only"], input.as_bytes()).await?;
    // Each answer: 1 or 0 for a clean merge or not, the tree, files in conflict; two NULs end it.
    let mut trees = Vec::new();
    let mut parts = crate::git::fields(&answer);
    while let Some(clean) = parts.next() {
        let Some(tree) = parts.next() else { break };
        for file in parts.by_ref() {
            if file.is_empty() {
                break;
            }
        }
        trees.push((clean == "1").then_some(tree));
    }
    let found = commits.iter().zip(trees).find(|((_, tree), merged)| merged.as_deref() == Some(*tree));
    Ok(found.map(|((commit, _), _)| (*commit).to_owned()))
}
