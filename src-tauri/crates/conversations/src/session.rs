//! A session with what was said in it.

use domain::{Problem, RunId};
use protocol::SessionState;
use store::{RunCursor, RunFilter};
use support::unknown_session;

use crate::Conversations;

/// Runs of a session when nobody says how many, and the most.
const RUNS: u32 = 10;
const MAX_RUNS: u32 = 50;
/// The most turns of one run's stages.
const MAX_STAGE_TURNS: u32 = 20;

impl Conversations {
    /// A session with its newest runs.
    pub async fn session_show(
        &self,
        session: &str,
        before: Option<i64>,
        limit: u32,
    ) -> Result<SessionState, Problem> {
        let row_of = self.env.store().get_session(session).await?.ok_or_else(|| unknown_session(session))?;
        let limit = if limit == 0 { RUNS } else { limit.min(MAX_RUNS) };
        let filter = RunFilter { session: Some(session.to_owned()), ..RunFilter::default() };
        let page = self.env.store().list_runs(&filter, before.map(RunCursor), limit).await?;
        let (mut runs, mut turns) = (Vec::with_capacity(page.runs.len()), Vec::new());
        let mut missions = Vec::new();
        for run in page.runs.into_iter().rev() {
            if run.kind == engine::turn::KIND {
                turns.push(self.env.engine.turn_view(&RunId(run.id)).await?);
                continue;
            }
            if run.kind == engine::mission::KIND {
                missions.push(self.env.engine.mission_view(&RunId(run.id)).await?);
                continue;
            }
            let loaded = self.env.engine.load(&RunId(run.id.clone())).await?;
            runs.push(self.run_state(&loaded, None, false).await?);
            // Turns of its stages belong to it and are on no page of their own.
            if loaded.state.graph.nodes.iter().any(|node| node.child == Some(pipeline::ChildKind::Turn)) {
                let of = RunFilter { parent: Some(run.id), ..RunFilter::default() };
                for turn in
                    self.env.store().list_runs(&of, None, MAX_STAGE_TURNS).await?.runs.into_iter().rev()
                {
                    turns.push(self.env.engine.turn_view(&RunId(turn.id)).await?);
                }
            }
        }
        Ok(SessionState {
            session: sessions::row(
                row_of,
                &self.sessions.lists().await?,
                &self.sessions.live_runs(),
                &|slug| self.connections.registry().has(slug),
                &self.env.stale_answers.read(),
            ),
            runs,
            turns,
            missions,
            chat: self.chat_state(session).await?,
            earlier: page.next.map(|cursor| cursor.0),
            begun_by: self.sessions.begun_by(session).await?,
        })
    }
}
