//! Two missions on one graph: each takes in what the other found meanwhile, so that neither loses anything. Every mission
//! writes to its own log alone, and its graph has one order of changes.

use domain::{Problem, RunId};
use evidence_graph::{Changes, findings_of, integrate, many};
use missions::{Additions, Event};
use store::RunFilter;

use super::driver::MissionDriver;
use super::local::additions;
use super::{KIND, StoredMission};
use crate::core::problem::store as store_problem;

/// Missions that are looked at: the newest.
const MAX_MISSIONS: u32 = 1_000;

impl MissionDriver {
    /// Takes in what missions on the same graph found that were at work since the one before this began.
    pub(super) async fn join_others(&mut self) -> Result<(), Problem> {
        let state = &self.journal.state;
        let is_open = state.may_join() && !state.suspended && !state.has_ended();
        let Some(start) = state.start.clone().filter(|_| is_open) else { return Ok(()) };
        let store = self.engine.parts().store.clone();
        let began = i64::try_from(start.at).unwrap_or(i64::MAX);
        // What ran beside the mission before may have found something that it no longer saw.
        let since = match &start.previous {
            Some(previous) => store.get_run(&previous.0).await.map_or(began, |row| row.created_at),
            None => began,
        };
        let filter = RunFilter { kind: KIND.to_owned(), ..RunFilter::default() };
        let page = store.list_runs(&filter, None, MAX_MISSIONS).await.map_err(store_problem)?;
        for row in page.runs.into_iter().filter(|row| row.updated_at >= since) {
            let other = RunId(row.id);
            let last = store.last_seq(&other.0).await.map_err(store_problem)?;
            // A log that did not grow holds nothing new, and one on another graph never does.
            if other == self.journal.run || self.joined.get(&other).is_some_and(|known| *known >= last) {
                continue;
            }
            self.joined.insert(other.clone(), last);
            let other = match self.engine.load_mission(&other).await {
                Ok(other) => other,
                // It is no matter of this mission what ails another one.
                Err(problem) => {
                    tracing::warn!(run = %self.journal.run, "mission {other} can't be read: {problem}");
                    continue;
                }
            };
            let graph = other.state.start.as_ref().map(|start| start.graph.id.as_str());
            if graph == Some(start.graph.id.as_str()) {
                self.join(&other)?;
            } else {
                self.joined.insert(other.run.clone(), u64::MAX);
            }
        }
        Ok(())
    }

    fn join(&mut self, other: &StoredMission) -> Result<(), Problem> {
        let (mut all, mut counts): (Vec<Changes>, _) = (Vec::new(), Additions::default());
        let mut graph = self.graph.clone();
        for (findings, context) in findings_of(&self.graph, &other.graph, &format!("mission {}", other.run)) {
            let intake = integrate(&graph, &findings, &context);
            if intake.changes.changes.is_empty() {
                continue;
            }
            graph.apply(&intake.changes).map_err(crate::core::problem::internal)?;
            counts = counts + additions(&intake.counts);
            all.push(intake.changes);
        }
        if all.is_empty() {
            return Ok(());
        }
        let (from, to, changes) = self.change(all)?;
        self.journal.push(Event::GraphJoined { mission: other.run.clone(), from, to, changes, counts })?;
        self.tell(format!("{} came from mission {}", many(counts.claims, "new claim"), other.run));
        Ok(())
    }
}
