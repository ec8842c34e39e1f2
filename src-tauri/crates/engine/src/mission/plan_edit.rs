//! The user's changes of the plan, taken into the graph at once.

use domain::mission::PlanEdit;
use domain::{ErrorCode, Problem};
use missions::{Event, Phase};

use super::driver::MissionDriver;
use super::local::changes_of;
use super::user_changes::USER;

impl MissionDriver {
    /// The event of edits that all can be made; the graph has them then.
    pub(super) fn edit_plan(&mut self, edits: &[PlanEdit]) -> Result<Event, Problem> {
        let state = &self.journal.state;
        if state.phase != Phase::Research || state.writing {
            let what = match state.phase {
                Phase::Split | Phase::Plan => "the mission has no plan yet",
                Phase::Research | Phase::Synthesis => "research has ended: its plan is fixed",
            };
            return Err(Problem::new(ErrorCode::Conflict, what));
        }
        let changes = evidence_graph::plan_changes(self.graph.questions(), edits)?;
        let edits = self.journal.blobs.put_json(&edits)?;
        let (from, to, changes) = self.change(vec![changes_of(&self.graph, USER, changes)])?;
        Ok(Event::PlanEdited { edits, from, to, changes })
    }
}
