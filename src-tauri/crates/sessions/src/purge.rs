//! Deleting sessions for good: rows, payloads, drafts and files. Only what was put into the trash.

use domain::{ErrorCode, Problem, RunId};
use engine::mission::MissionSteering;
use store::RunFilter;
use support::blocking;

use crate::Sessions;
use crate::shares::end_shares_of;

/// Sessions taken out of the trash at once.
const AT_ONCE: u32 = 100;
/// Pages given back to the file system afterwards.
const FREED_PAGES: u32 = 4_096;

impl Sessions {
    /// Without names the whole trash. Gives the number of sessions that are gone.
    pub async fn session_purge(&self, sessions: Vec<String>) -> Result<u32, Problem> {
        let purged = if sessions.is_empty() {
            self.purge_before(i64::MAX).await?
        } else {
            let mut purged = 0;
            for session in sessions {
                purged += u32::from(self.purge(&session).await?);
            }
            purged
        };
        if purged > 0 {
            self.env.store().incremental_vacuum(FREED_PAGES).await?;
        }
        Ok(purged)
    }

    /// Purges what was put into the trash before a time. Gives the number of sessions that are gone.
    pub async fn purge_before(&self, at_ms: i64) -> Result<u32, Problem> {
        let mut purged = 0;
        loop {
            let ids = self.env.store().trashed_before(at_ms, AT_ONCE).await?;
            if ids.is_empty() {
                return Ok(purged);
            }
            for id in ids {
                purged += u32::from(self.purge(&id).await?);
            }
        }
    }

    /// Files go first: what is left when that fails is still in the trash, and is tried again.
    async fn purge(&self, session: &str) -> Result<bool, Problem> {
        match self.env.store().get_session(session).await? {
            Some(row) if row.deleted_at.is_some() => {}
            Some(_) => {
                return Err(Problem::new(
                    ErrorCode::Conflict,
                    format!("session {session} is not deleted; nothing was removed"),
                )
                .with_action("delete it first"));
            }
            None => return Ok(false),
        }
        self.end_runs(session).await?;
        if let Some(shells) = self.permissions.gate().shells() {
            shells.end_session(session).await;
        }
        if let Some(folder) = self.env.session_folder(session) {
            match tokio::fs::remove_dir_all(&folder).await {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    return Err(Problem::new(
                        ErrorCode::Storage,
                        format!("{} can't be removed: {error}", folder.display()),
                    )
                    .with_action("close what has its files open, then try again"));
                }
            }
        }
        let (home, own) = (self.env.home.clone(), session.to_owned());
        blocking(move || {
            end_shares_of(&home, &own).map_err(|error| {
                Problem::new(ErrorCode::Storage, format!("a page that shares it can't be removed: {error}"))
                    .with_action("correct the permissions of the folder `shares`, then try again")
            })
        })
        .await?;
        Ok(self.env.store().purge_session(session).await?)
    }

    /// A run that is driven would go on writing.
    async fn end_runs(&self, session: &str) -> Result<(), Problem> {
        let of = RunFilter { session: Some(session.to_owned()), ..RunFilter::default() };
        let mut before = None;
        loop {
            let page = self.env.store().list_runs(&of, before, store::MAX_PAGE).await?;
            for row in page.runs {
                let (run, engine) = (RunId(row.id), &self.env.engine);
                if !engine.is_live(&run) {
                    continue;
                }
                let ended = match row.kind.as_str() {
                    engine::turn::KIND => engine.stop_turn(&run).await,
                    engine::mission::KIND => engine.steer_mission(&run, MissionSteering::Cancel, false).await,
                    _ => engine.cancel(&run).await,
                };
                match ended {
                    Err(problem) if engine.is_live(&run) => return Err(problem),
                    // It may have ended by itself just now.
                    Ok(()) | Err(_) => drop(engine.wait(&run).await),
                }
            }
            before = page.next;
            if before.is_none() {
                return Ok(());
            }
        }
    }
}
