//! Deleting sessions for good: rows, payloads, drafts and files. Only what was put into the trash.

use std::collections::HashSet;

use domain::{ErrorCode, Problem, RunId};
use engine::mission::MissionSteering;
use protocol::Tag;
use store::RunFilter;
use support::blocking;

use crate::Sessions;
use crate::shares::end_shares_of;

/// Sessions taken out of the trash at once.
const AT_ONCE: u32 = 100;
/// Sessions that can't be removed, until the rest is left for later.
const MAX_FAILURES: usize = 100;
/// Pages given back to the file system afterwards.
const FREED_PAGES: u32 = 4_096;

/// What became of sessions that were to go for good.
#[derive(Debug, Default)]
pub struct PurgeOutcome {
    /// How many are gone.
    pub gone: u32,
    /// Why others are still in the trash: one problem each.
    pub failed: Vec<Problem>,
}

impl PurgeOutcome {
    /// How many are gone.
    ///
    /// # Errors
    /// When some are still there: the first one's problem, and what became of the others.
    pub fn checked(self) -> Result<u32, Problem> {
        let (gone, more) = (self.gone, self.failed.len().saturating_sub(1));
        let Some(first) = self.failed.into_iter().next() else { return Ok(gone) };
        let more = if more > 0 { format!("; {more} others can't be removed either") } else { String::new() };
        let message = format!("{}{more}; sessions deleted for good: {gone}", first.message);
        Err(Problem { message, ..first })
    }
}

impl Sessions {
    /// Without names the whole trash of the workspace. Gives the number of sessions that are gone.
    pub async fn session_purge(&self, sessions: Vec<String>) -> Result<u32, Problem> {
        let purged = if sessions.is_empty() {
            let outcome = self.purge_own(i64::MAX, self.env.scope()).await?;
            if outcome.gone > 0 && !outcome.failed.is_empty() {
                // An error tells nobody that something changed all the same.
                self.env.stream.tell(&[Tag::Sessions, Tag::Runs, Tag::Drafts]);
            }
            outcome.checked()?
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

    /// Purges what was put into the trash before a time. What can't be removed keeps nothing else from it.
    pub async fn purge_before(&self, at_ms: i64) -> Result<PurgeOutcome, Problem> {
        self.purge_own(at_ms, None).await
    }

    /// The same for the sessions of a workspace, where one is given.
    async fn purge_own(&self, at_ms: i64, workspace: Option<String>) -> Result<PurgeOutcome, Problem> {
        let mut outcome = PurgeOutcome::default();
        let mut stays: HashSet<String> = HashSet::new();
        let mut others: HashSet<String> = HashSet::new();
        loop {
            let most = AT_ONCE.saturating_add((stays.len() + others.len()) as u32);
            let mut ids = self.env.store().trashed_before(at_ms, most).await?;
            ids.retain(|id| !stays.contains(id) && !others.contains(id));
            if let Some(workspace) = &workspace {
                let mut own = Vec::new();
                for id in std::mem::take(&mut ids) {
                    match self.env.store().session_workspace(&id).await? {
                        Some(slug) if slug == *workspace => own.push(id),
                        Some(_) | None => {
                            others.insert(id);
                        }
                    }
                }
                if own.is_empty() && !others.is_empty() && others.len() as u32 >= most {
                    continue;
                }
                ids = own;
            }
            if ids.is_empty() || stays.len() >= MAX_FAILURES {
                return Ok(outcome);
            }
            for id in ids {
                match self.purge(&id).await {
                    Ok(gone) => outcome.gone += u32::from(gone),
                    Err(problem) => {
                        outcome.failed.push(problem);
                        stays.insert(id);
                    }
                }
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
            })?;
            knowledge::remove_session_bases(&home, &own).map_err(|error| {
                Problem::new(ErrorCode::Storage, format!("its attached documents can't be removed: {error}"))
                    .with_action("close what has them open, then try again")
            })?;
            // What was read of them names no session; what others need of it is read again.
            let _ = std::fs::remove_dir_all(home.join("knowledge").join(".attached"));
            Ok(())
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
