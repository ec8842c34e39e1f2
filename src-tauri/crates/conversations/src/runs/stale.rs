//! Which sessions' newest answers rest on text that a knowledge base no longer has: compared in the background, after an
//! ingest and at the start, so that lists only read what was found.

use std::collections::{BTreeMap, BTreeSet};

use domain::{ErrorCode, Problem, RunId, RunStatus};
use environment::{StaleAnswer, StaleAnswers};
use library::cited_now;
use protocol::{AnswersCheck, ApiEvent, Tag};
use store::{MAX_PAGE, RunFilter};
use support::blocking;
use tokio::sync::broadcast::error::RecvError;

use super::RUN;
use crate::Conversations;

/// The most sessions whose answers are compared, the newest first.
const MAX_SESSIONS: usize = 2_000;

impl Conversations {
    /// Compares answers at once and whenever a base has changed, for as long as somebody else keeps this.
    pub fn follow_bases(&self) {
        let again = self.downgrade();
        let mut told = self.env.stream.subscribe(&self.env.engine);
        self.env.tasks.keep(tokio::spawn(async move {
            loop {
                let Some(conversations) = again() else { return };
                if let Err(problem) = conversations.answers_check().await {
                    tracing::warn!("answers could not be compared with the knowledge bases: {problem}");
                }
                drop(conversations);
                loop {
                    match told.recv().await {
                        Ok(ApiEvent::Changed(tags)) if tags.contains(&Tag::Bases) => break,
                        Ok(ApiEvent::Lagged) | Err(RecvError::Lagged(_)) => break,
                        Ok(_) => {}
                        Err(RecvError::Closed) => return,
                    }
                }
            }
        }));
    }

    /// Compares the newest answer of each session that cites a base which has changed since it was last done.
    pub async fn answers_check(&self) -> Result<AnswersCheck, Problem> {
        let home = self.env.home.clone();
        let generations: BTreeMap<String, String> = blocking(move || {
            let bases = knowledge::list_bases(&home).unwrap_or_default();
            Ok(bases.into_iter().map(|base| (base.name, base.manifest.generation)).collect())
        })
        .await?;
        let before = self.env.stale_answers.read();
        let changed: BTreeSet<String> = generations
            .iter()
            .filter(|(base, generation)| before.generations.get(*base) != Some(*generation))
            .map(|(base, _)| base.clone())
            .chain(before.generations.keys().filter(|base| !generations.contains_key(*base)).cloned())
            .collect();
        // What is told is of the workspace that asks.
        let own = match self.env.scope() {
            Some(workspace) => Some(self.env.store().sessions_of_workspace(&workspace).await?),
            None => None,
        };
        let is_own = |session: &String| own.as_ref().is_none_or(|own| own.contains(session));
        let count = |stale: &StaleAnswers| {
            u32::try_from(stale.sessions.keys().filter(|&session| is_own(session)).count())
                .unwrap_or(u32::MAX)
        };
        if changed.is_empty() {
            return Ok(AnswersCheck { compared: 0, stale: count(&before) });
        }
        let mut found = StaleAnswers { generations, sessions: BTreeMap::new() };
        let mut compared = 0;
        let answers = self.newest_answers().await?;
        if answers.is_empty() && before.sessions.is_empty() {
            return Ok(AnswersCheck::default());
        }
        for (session, run) in answers {
            match self.stale_of(&run, &changed).await {
                Ok(Some(0)) => compared += u32::from(is_own(&session)),
                Ok(Some(sentences)) => {
                    compared += u32::from(is_own(&session));
                    found.sessions.insert(session, StaleAnswer { run: run.0, sentences });
                }
                // It cites none of them: what was known of it holds.
                Ok(None) => {
                    if let Some(known) = before.sessions.get(&session).filter(|known| known.run == run.0) {
                        found.sessions.insert(session, known.clone());
                    }
                }
                Err(problem) => tracing::warn!(%run, "its answer could not be compared: {problem}"),
            }
        }
        let differs = found.sessions != before.sessions;
        let check = AnswersCheck { compared, stale: count(&found) };
        let env = self.env.clone();
        blocking(move || {
            env.stale_answers
                .write(&found)
                .map_err(|error| Problem::new(ErrorCode::Storage, format!("stale-answers.json: {error}")))
        })
        .await?;
        if differs {
            self.env.stream.tell(&[Tag::Sessions]);
        }
        Ok(check)
    }

    /// The newest answer of each session, where it is a document of a staged run.
    async fn newest_answers(&self) -> Result<Vec<(String, RunId)>, Problem> {
        let filter = RunFilter { statuses: vec![RunStatus::Completed.to_string()], ..RunFilter::default() };
        let (mut seen, mut found, mut before) = (BTreeSet::new(), Vec::new(), None);
        loop {
            let page = self.env.store().list_runs(&filter, before, MAX_PAGE).await?;
            for row in page.runs {
                if seen.insert(row.session.clone()) && row.kind == RUN {
                    found.push((row.session, RunId(row.id)));
                }
            }
            match page.next {
                Some(next) if seen.len() < MAX_SESSIONS => before = Some(next),
                _ => return Ok(found),
            }
        }
    }

    /// Sentences of a run's document that no longer hold; `None` where it cites none of these bases.
    async fn stale_of(&self, run: &RunId, bases: &BTreeSet<String>) -> Result<Option<u32>, Problem> {
        let loaded = self.env.engine.load(run).await?;
        let Some(written) = self.env.engine.document(loaded).await? else { return Ok(None) };
        let records = written.document.records;
        if !records.iter().flat_map(|record| &record.citations).any(|one| bases.contains(&one.base)) {
            return Ok(None);
        }
        let home = self.env.home.clone();
        let checks = blocking(move || Ok(cited_now(&home, &records))).await?;
        let stale: BTreeSet<usize> =
            checks.iter().filter(|one| !one.standing.holds()).map(|one| one.n).collect();
        Ok(Some(u32::try_from(stale.len()).unwrap_or(u32::MAX)))
    }
}
