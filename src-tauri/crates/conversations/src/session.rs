//! A session with what was said in it.

use domain::{Problem, RunId};
use protocol::SessionState;
use store::RunFilter;
use support::unknown_session;

use crate::Conversations;

/// Runs of a session when nobody says how many, and the most.
const RUNS: u32 = 10;
const MAX_RUNS: u32 = 50;
/// The most turns of one run's stages.
const MAX_STAGE_TURNS: u32 = 20;

impl Conversations {
    /// A session with its newest runs, turns and missions, as far as they are shown.
    pub async fn session_show(
        &self,
        session: &str,
        before: Option<i64>,
        limit: u32,
    ) -> Result<SessionState, Problem> {
        let row_of = self.env.store().get_session(session).await?.ok_or_else(|| unknown_session(session))?;
        let limit = if limit == 0 { RUNS } else { limit.min(MAX_RUNS) };
        let entries = self.env.engine.session_entries(session).await?;
        let end = entries.shown.partition_point(|entry| before.is_none_or(|before| entry.cursor.0 < before));
        let start = end.saturating_sub(limit as usize);
        let page = entries.shown.get(start..end).unwrap_or_default();
        let earlier = page.first().filter(|_| start > 0).map(|oldest| oldest.cursor.0);
        let order = page.iter().map(|entry| RunId(entry.id.clone())).collect();
        let (mut runs, mut turns, mut missions) = (Vec::new(), Vec::new(), Vec::new());
        for run in page.iter().cloned() {
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
                &|slug| self.connections.check_there(slug).is_ok(),
                &self.env.stale_answers.read(),
            ),
            runs,
            turns,
            missions,
            chat: self.chat_state(session).await?,
            order,
            replaced: entries.replaced,
            earlier,
            begun_by: self.sessions.begun_by(session).await?,
        })
    }
}
