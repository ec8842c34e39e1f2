//! Sessions of other programs that went on since they were brought over.
//!
//! A turn is named after what was said up to its end. What is here already keeps its name; a turn that grew, or that was
//! answered anew, gets another one and stands in the place of the earlier one, which is kept as a replaced turn.

use std::collections::HashSet;

use domain::{Digest, Problem, RunId};
use engine::turn::{ImportedPart, ImportedTurn, KIND};
use environment::Environment;
use transfer::Report;
use transfer::programs::MISSING_FILE;

use crate::turns::run_id;

/// What is here of a session that was brought over before.
pub struct Earlier {
    /// Its turns.
    runs: HashSet<String>,
    /// Whether its last turn was asked here.
    went_on: bool,
    /// Whether it came with the same import.
    stays: bool,
}

impl Earlier {
    /// Looks at a session.
    pub async fn find(env: &Environment, session: &str) -> Result<Self, Problem> {
        let links = env.store().run_links(session).await?;
        let went_on = match links.last() {
            Some(last) if last.kind == KIND => {
                // What was brought over has no connection.
                !env.engine.retell_turn(&RunId(last.id.clone())).await?.connection.is_empty()
            }
            Some(_) => true,
            None => false,
        };
        Ok(Self { runs: links.into_iter().map(|link| link.id).collect(), went_on, stays: false })
    }

    /// Of a session that the same import brought.
    pub fn stays() -> Self {
        Self { runs: HashSet::new(), went_on: false, stays: true }
    }
}

/// Names turns after what was said up to their ends. Files don't count: of an export that is read without them the same
/// was said.
pub fn name_by_content(turns: &mut [ImportedTurn], source: Digest) {
    let (mut so_far, mut previous) = (source, None);
    for turn in turns {
        let mut text = format!("{so_far}\0{}\0{}", turn.at, words(&turn.message.text));
        for part in &turn.said {
            let part = match part {
                ImportedPart::Text { text: said, .. } => words(said),
                ImportedPart::Call { tool, arguments, result, end, .. } => {
                    format!("{tool}\0{arguments}\0{}\0{end:?}", words(result))
                }
                ImportedPart::Asked { message, .. } => words(&message.text),
            };
            text.push('\0');
            text.push_str(&part);
        }
        so_far = Digest::of(text);
        turn.run = run_id(so_far, "", turn.at);
        turn.previous = previous.replace(turn.run.clone());
    }
}

/// A text without what stands for files.
fn words(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with(MISSING_FILE) && !line.starts_with("[File: "));
    lines.filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

/// The turns that are not here yet; none where the session went on here, which is told.
pub fn renewed(
    turns: Vec<ImportedTurn>,
    earlier: &Earlier,
    session: &str,
    place: &str,
    report: &mut Report,
) -> Vec<ImportedTurn> {
    if earlier.stays {
        return Vec::new();
    }
    let new: Vec<ImportedTurn> =
        turns.into_iter().filter(|turn| !earlier.runs.contains(&turn.run.0)).collect();
    if new.is_empty() || !earlier.went_on {
        return new;
    }
    let why = "it went on there, and you went on with it here; here it stays as it is";
    report.change("session", session, why, place);
    Vec::new()
}
