//! What a session shows and what a turn goes back to, as [`dialogue::Conversation`] decides it.

use std::collections::BTreeSet;

use dialogue::{Conversation, Follows, Link};
use domain::{Problem, RunId};
use store::{RunLink, StoreError};

use super::KIND;
use crate::Engine;
use crate::core::problem::store as store_problem;

/// What a session holds, each in the order in which it began.
#[derive(Debug, Default)]
pub struct SessionEntries {
    /// Runs, missions and the turns of its conversation.
    pub shown: Vec<RunLink>,
    /// Turns that others replaced; they are stored.
    pub replaced: Vec<RunId>,
}

/// A conversation, the newest entry first.
#[derive(Debug, Default)]
pub(crate) struct ConversationRuns {
    pub(crate) runs: Vec<RunId>,
    /// What the oldest one follows, where it was deleted.
    pub(crate) missing: Option<RunId>,
}

fn link(row: &RunLink) -> Link {
    let follows = match row.kind == KIND {
        true => Follows::Named(row.previous_run.clone().map(RunId)),
        false => Follows::Last,
    };
    Link { id: RunId(row.id.clone()), follows }
}

impl Engine {
    /// What a session holds: what is shown of it, and the turns that others replaced.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn session_entries(&self, session: &str) -> Result<SessionEntries, Problem> {
        let rows = self.parts().store.run_links(session).await.map_err(store_problem)?;
        let links: Vec<Link> = rows.iter().map(link).collect();
        let left: BTreeSet<usize> = dialogue::replaced(&links).into_iter().collect();
        let mut entries = SessionEntries::default();
        for (place, row) in rows.into_iter().enumerate() {
            match left.contains(&place) {
                true => entries.replaced.push(RunId(row.id)),
                false => entries.shown.push(row),
            }
        }
        Ok(entries)
    }

    /// The conversation up to and with a turn or run; nothing where that was deleted.
    pub(crate) async fn conversation_to(&self, newest: Option<RunId>) -> Result<ConversationRuns, Problem> {
        let store = &self.parts().store;
        let mut before = ConversationRuns::default();
        let mut next = newest;
        while let Some(run) = next.filter(|run| !before.runs.contains(run)) {
            let row = match store.get_run(&run.0).await {
                Ok(row) => row,
                Err(StoreError::UnknownRun { .. }) => {
                    before.missing = Some(run);
                    break;
                }
                Err(error) => return Err(store_problem(error)),
            };
            if row.parent.is_none() {
                let rows = store.run_links(&row.session).await.map_err(store_problem)?;
                let links: Vec<Link> = rows.iter().map(link).collect();
                let place = links.iter().position(|link| link.id == run).unwrap_or(links.len());
                let found = Conversation::up_to(&links, place);
                before.runs.extend(found.places.into_iter().map(|place| links[place].id.clone()));
                before.missing = found.missing;
                break;
            }
            // Turns of a run's stages: each names the one before it.
            next = row.previous_run.map(RunId);
            before.runs.push(run);
        }
        Ok(before)
    }
}
