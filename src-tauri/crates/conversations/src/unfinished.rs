//! What goes on by itself when the program starts.

use std::collections::BTreeSet;

use domain::{ErrorCode, NanoUsd, Problem, RunId, RunStatus};
use store::{Run, RunFilter};

use crate::Conversations;

/// Runs that go on by themselves when the program starts; more wait for the user.
const MAX_RESUMED: u32 = 8;

impl Conversations {
    /// Runs that nobody drives although their log says that they run, oldest first: their process died. Without turns
    /// that had a call with a price under way, and the runs that these work for: they stay interrupted until the user
    /// lets them go on, and so pays for the call again. (Runs of stages ask by a pause of their own.)
    ///
    /// # Errors
    /// `Storage` where the runs can't be listed.
    pub async fn unfinished(&self) -> Result<Vec<Run>, Problem> {
        let engine = &self.env.engine;
        let running = RunFilter { statuses: vec![RunStatus::Running.to_string()], ..RunFilter::default() };
        let page = engine.parts().store.list_runs(&running, None, MAX_RESUMED).await;
        let mut rows = page.map_err(|error| Problem::new(ErrorCode::Storage, error.to_string()))?.runs;
        let mut waiting = BTreeSet::new();
        for row in rows.iter().filter(|row| row.kind == engine::turn::KIND) {
            // A log that can't be read says why when it is to go on.
            let lost = engine.lost_cost(&RunId(row.id.clone())).await.unwrap_or_default();
            let mut next = (lost > NanoUsd::default()).then_some(row);
            while let Some(row) = next {
                waiting.insert(row.id.clone());
                next = row.parent.as_ref().and_then(|parent| rows.iter().find(|row| row.id == *parent));
            }
        }
        rows.retain(|row| !waiting.contains(&row.id));
        rows.reverse();
        Ok(rows)
    }
}
