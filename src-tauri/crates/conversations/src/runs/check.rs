//! The command that says whether the sentences of an answer still rest on what their sources say now.

use std::collections::BTreeSet;

use domain::{ErrorCode, Problem, RunId};
use knowledge::{CitationCheck, CitationState};
use library::{cited_now, state_words};
use protocol::{ParagraphState, ParagraphStateRow, RunCheck, RunRef};
use support::blocking;

use crate::Conversations;

impl Conversations {
    /// Looks up what a finished run's document cites in the knowledge bases as they are now.
    pub async fn run_check(&self, run: &RunRef) -> Result<RunCheck, Problem> {
        let run = self.find_for(run, "a document of its own").await?;
        self.checked(run).await
    }

    /// What [`Self::run_check`] says of a run.
    pub(super) async fn checked(&self, run: RunId) -> Result<RunCheck, Problem> {
        let loaded = self.env.engine.load(&run).await?;
        let Some(written) = self.env.engine.document(loaded).await? else {
            return Err(Problem::new(ErrorCode::NotFound, format!("run {run} has no document yet")));
        };
        let records = written.document.records;
        let sentences = u32::try_from(records.len()).unwrap_or(u32::MAX);
        let home = self.env.home.clone();
        let citation_checks = blocking(move || Ok(cited_now(&home, &records))).await?;
        let stale: BTreeSet<u32> =
            citation_checks.iter().filter(|one| !one.standing.holds()).map(|one| number(one.n)).collect();
        let lock = self.lock_of(&run).await?;
        let reopened = lock.iter().flat_map(|lock| stale.iter().filter(|n| !lock.accepted.contains(n)));
        let reopened = reopened.copied().collect();
        let changed = citation_checks.iter().filter(|one| one.standing != CitationState::Same);
        Ok(RunCheck {
            run,
            sentences,
            stale: u32::try_from(stale.len()).unwrap_or(u32::MAX),
            citations: changed.map(row).collect(),
            lock,
            reopened,
        })
    }
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn row(one: &CitationCheck) -> ParagraphStateRow {
    ParagraphStateRow {
        n: number(one.n),
        sentence: one.claim.clone(),
        citation: one.citation.clone(),
        paragraph: one.paragraph_id.clone(),
        base: one.base.clone(),
        cited: one.cited.clone(),
        current: one.current.clone(),
        kind: match one.standing {
            CitationState::Same => ParagraphState::Same,
            CitationState::Moved { .. } => ParagraphState::Moved,
            CitationState::Changed { .. } => ParagraphState::Changed,
            CitationState::Withdrawn => ParagraphState::Withdrawn,
            CitationState::Missing => ParagraphState::Missing,
            CitationState::NoBase => ParagraphState::NoBase,
        },
        holds: one.standing.holds(),
        words: state_words(one),
    }
}
