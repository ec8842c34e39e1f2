//! Rules of age: what is done is archived, what is archived goes into the trash, what is in the trash goes for good.
//!
//! All of them are off until the person sets them, but for the trash. What the rules moved is noted by its ids and can be
//! moved back for as long as it is there.

use std::collections::BTreeSet;
use std::time::Duration;

use domain::{ErrorCode, Problem};
use organise::{Category, StatusList};
use protocol::{RetentionQuery, RetentionRun, RetentionSettings, RetentionState, Scope, Tag};
use sessions::ENDED;
use store::{RetentionOutcome, RetentionQueryResult, SessionUpdate};
use support::now_ms;
use tokio::task::JoinHandle;
use workspace::Workspace;

use crate::Maintenance;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// How often it is looked whether something has grown old.
const POLL_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Sessions that one run of the rules moves at most.
const AT_ONCE: u32 = 1_000;
/// Sessions that are counted at most.
const MAX_COUNTED: u32 = 100_000;
/// Runs of the rules that are shown.
const SHOWN: u32 = 50;

impl Maintenance {
    /// What the rules of age would do and did.
    pub async fn retention(&self, query: RetentionQuery) -> Result<RetentionState, Problem> {
        if let Some(number) = query.undo {
            self.take_back(number).await?;
        }
        if query.apply {
            self.apply_age().await?;
        }
        let rules = match query.rules {
            Some(rules) => rules,
            None => self.env.settings_show().await?.retention,
        };
        let now = now_ms();
        let past = self.env.store().retention_runs(SHOWN).await?;
        let number = |ids: &Vec<String>| ids.len() as u32;
        Ok(RetentionState {
            archive: number(&self.to_archive(&rules, now, MAX_COUNTED).await?),
            trash: number(&self.to_trash(&rules, now, MAX_COUNTED).await?),
            purge: match before(rules.empty_trash_days, now) {
                Some(before) => number(&self.env.store().trashed_before(before, store::MAX_PAGE).await?),
                None => 0,
            },
            past: past.into_iter().map(shown).collect(),
        })
    }

    async fn to_archive(
        &self,
        rules: &RetentionSettings,
        now: i64,
        most: u32,
    ) -> Result<Vec<String>, Problem> {
        let Some(before) = before(rules.archive_done_days, now) else { return Ok(Vec::new()) };
        let over = ENDED.iter().map(ToString::to_string).collect();
        let aged = RetentionQueryResult { over, closed: self.closed_statuses(), ..aged(rules, before) };
        Ok(self.env.store().done_before(&aged, most).await?)
    }

    async fn to_trash(&self, rules: &RetentionSettings, now: i64, most: u32) -> Result<Vec<String>, Problem> {
        let Some(before) = before(rules.trash_archived_days, now) else { return Ok(Vec::new()) };
        Ok(self.env.store().archived_before(&aged(rules, before), most).await?)
    }

    /// Ids of statuses that mean that a session is done, in every workspace that has them.
    fn closed_statuses(&self) -> Vec<String> {
        let (mut closed, mut open) = (BTreeSet::new(), BTreeSet::new());
        for place in workspace::workspace_entries(&self.env.home) {
            // While a file is broken nothing counts as done by it.
            let Ok(listed) = Workspace::named(&self.env.home, &place.slug).statuses() else {
                return Vec::new();
            };
            for status in listed.map_or_else(StatusList::shipped, |listed| listed.list).statuses {
                match status.category {
                    Category::Closed => closed.insert(status.id),
                    Category::Open => open.insert(status.id),
                };
            }
        }
        closed.difference(&open).cloned().collect()
    }

    /// Applies the rules once.
    pub async fn apply_age(&self) -> Result<(), Problem> {
        let _turn = self.env.locks.lock(Scope::Sessions).await;
        let rules = self.env.settings_show().await?.retention;
        let now = now_ms();
        let live = self.sessions.live_runs();
        // What is archived now stays in the archive for as long as the rules say, from now on.
        let trashed = self.to_trash(&rules, now, AT_ONCE).await?;
        let mut archived = Vec::new();
        for session in self.to_archive(&rules, now, AT_ONCE).await? {
            if !self.env.store().runs_of(&session).await?.iter().any(|run| live.contains(run)) {
                archived.push(session);
            }
        }
        let update = |archived, deleted| SessionUpdate { archived, deleted, ..SessionUpdate::default() };
        let list = |ids: &[String]| serde_json::to_string(ids).unwrap_or_default();
        let outcome = |archived: &[String], trashed: &[String], purged| RetentionOutcome {
            at: now,
            archived: list(archived),
            trashed: list(trashed),
            purged,
            ..RetentionOutcome::default()
        };
        if !(archived.is_empty() && trashed.is_empty()) {
            let moves = [
                (archived.as_slice(), update(Some(true), None)),
                (trashed.as_slice(), update(None, Some(true))),
            ];
            self.env.store().note_retention(&outcome(&archived, &trashed, 0), &moves).await?;
            self.env.stream.tell(&[Tag::Sessions]);
        }
        let Some(before) = before(rules.empty_trash_days, now) else { return Ok(()) };
        let purged = self.sessions.purge_before(before).await?;
        if purged.gone > 0 {
            self.env.store().note_retention(&outcome(&[], &[], i64::from(purged.gone)), &[]).await?;
            self.env.stream.tell(&[Tag::Sessions, Tag::Runs, Tag::Drafts]);
        }
        purged.checked().map(drop)
    }

    /// Moves back what the rules moved, where it still is where they put it.
    async fn take_back(&self, number: i64) -> Result<(), Problem> {
        let _turn = self.env.locks.lock(Scope::Sessions).await;
        let runs = self.env.store().retention_runs(200).await?;
        let missing =
            || Problem::new(ErrorCode::NotFound, format!("the rules did nothing under number {number}"));
        let run = runs.into_iter().find(|run| run.number == number).ok_or_else(missing)?;
        if run.undone_at.is_some() {
            return Err(Problem::new(
                ErrorCode::Conflict,
                "this was taken back already; nothing was changed",
            ));
        }
        let now = now_ms();
        for (ids, update) in [
            (&run.archived, SessionUpdate { archived: Some(false), ..SessionUpdate::default() }),
            (&run.trashed, SessionUpdate { deleted: Some(false), ..SessionUpdate::default() }),
        ] {
            for id in ids_of(ids) {
                // What has gone for good since is left out.
                if self.env.store().get_session(&id).await?.is_some() {
                    self.env.store().update_sessions(&[id], &update, now).await?;
                }
            }
        }
        self.env.store().note_retention_undone(number, now).await?;
        self.env.stream.tell(&[Tag::Sessions]);
        Ok(())
    }

    /// Applies the rules when the program starts and once an hour.
    pub fn follow_age(&self) -> JoinHandle<()> {
        let again = self.downgrade();
        tokio::spawn(async move {
            while let Some(local) = again() {
                if let Err(problem) = local.apply_age().await {
                    tracing::warn!("the rules of age were not carried out as a whole: {problem}");
                }
                drop(local);
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        })
    }
}

/// The time before which something has grown old; nothing where the rule is off.
fn before(days: u32, now: i64) -> Option<i64> {
    (days > 0).then(|| now - i64::from(days) * DAY_MS)
}

fn aged(rules: &RetentionSettings, before: i64) -> RetentionQueryResult {
    RetentionQueryResult {
        before,
        not_flagged: rules.keep_flagged,
        not_labels: rules.keep_labels.clone(),
        ..RetentionQueryResult::default()
    }
}

fn ids_of(list: &str) -> Vec<String> {
    serde_json::from_str(list).unwrap_or_default()
}

fn shown(run: RetentionOutcome) -> RetentionRun {
    RetentionRun {
        number: run.number,
        at: run.at,
        archived: ids_of(&run.archived).len() as u32,
        trashed: ids_of(&run.trashed).len() as u32,
        purged: u32::try_from(run.purged).unwrap_or_default(),
        undone: run.undone_at.is_some(),
    }
}
