//! Results of an earlier mission, taken over where an agent is given the same: nothing is paid for them again.

use domain::{AgentSlug, Digest, ErrorCode, Problem, RunId};
use missions::{Invocation, InvocationStatus};

use super::driver::MissionDriver;
use crate::core::payloads::Payloads as _;
use crate::core::problem::internal;

impl MissionDriver {
    /// Reads the mission whose results are taken over. Without it the mission goes on, and says so.
    pub(super) async fn read_base(&mut self) -> Result<(), Problem> {
        let base = self.journal.state.start.as_ref().and_then(|start| start.base.clone());
        let Some(base) = base.filter(|_| !self.journal.state.has_ended()) else { return Ok(()) };
        match self.engine.load_mission(&base).await {
            Ok(stored) => self.base = Some(stored),
            Err(problem) if problem.code == ErrorCode::NotFound => {
                self.tell(format!(
                    "{base} is gone: nothing is taken over from it, and agents are invoked anew"
                ));
            }
            Err(problem) => return Err(problem),
        }
        Ok(())
    }

    /// What the same agent, pinned the same, gave for the same request in the earlier mission. Its bytes are kept with this
    /// mission, which may outlive the other.
    pub(super) async fn earlier_result(
        &mut self,
        agent: &AgentSlug,
        request: Digest,
    ) -> Result<Option<(Digest, RunId)>, Problem> {
        let Some(base) = self.base.clone() else { return Ok(None) };
        let Some(before) = base.pins.agents.get(agent.as_str()) else {
            return Ok(self.miss(agent, "the earlier mission had no such agent"));
        };
        let now = self.pins.agent(agent.as_str())?;
        if before.bytes().map_err(internal)? != now.bytes().map_err(internal)? {
            return Ok(self.miss(agent, "it is not what it was: its files, model or knowledge base changed"));
        }
        let is_same = |one: &&Invocation| one.agent == *agent && one.request == Some(request);
        let found = base.state.invocations.values().filter(is_same).find_map(|one| match &one.status {
            InvocationStatus::Finished(output) | InvocationStatus::Settled(output) => Some(*output),
            InvocationStatus::Assigned
            | InvocationStatus::Planned
            | InvocationStatus::Requested
            | InvocationStatus::Asking
            | InvocationStatus::Failed(_)
            | InvocationStatus::Dropped(_) => None,
        });
        let Some(output) = found else {
            return Ok(self.miss(agent, "it is given something else than before"));
        };
        let bytes = self.engine.parts().store.payload(output).await?;
        Ok(Some((self.journal.blobs.put(bytes)?, base.run.clone())))
    }

    /// Says aloud that a result can't be taken over, and why: the agent is invoked, and paid.
    fn miss<T>(&self, agent: &AgentSlug, why: &str) -> Option<T> {
        self.tell(format!("{} is invoked anew: {why}", self.pins.name_of(agent.as_str())));
        None
    }
}
