//! What conversations need besides their log: setup, queue, grants, the audit, and notes on sources.

use sqlx::Row;

use crate::commit::Statement;
use crate::error::Result;
use crate::store::Store;
use crate::tables::permissions::{self, DecisionRow};
use crate::tables::queue::{self, Queued};
use crate::tables::sessions;
use crate::tables::source_notes::{self, Pin, SourceCheck};
use crate::{Durability, MAX_PAGE};

/// Longest subject of a row of the audit, in bytes.
const MAX_SUBJECT_BYTES: usize = 2_000;

impl Store {
    /// What a session is set to; empty for nothing. `None`: there is no such session.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn session_setup(&self, session: &str) -> Result<Option<String>> {
        let mut db = self.reader().await?;
        let query = sqlx::query(sessions::SETUP).bind(session.to_owned());
        let row = query.fetch_optional(&mut *db).await.map_err(|error| self.failed(&error))?;
        row.map(|row| row.try_get(0)).transpose().map_err(|error| self.unreadable(&error))
    }

    /// Keeps what a session is set to. False: there is no such session.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn set_session_setup(&self, session: &str, setup: &str) -> Result<bool> {
        self.one(sessions::SET_SETUP, &[setup, session]).await
    }

    /// Puts a message at the end of a session's queue. False: there is no such session.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn queue_push(&self, session: &str, queued: &Queued) -> Result<bool> {
        let statement = Statement::new(queue::PUSH, |script| {
            script.text(&queued.id)?.int(queued.at)?.text(&queued.message)?.text(session)?;
            Ok(())
        })?;
        Ok(self.edit(vec![statement], Durability::Full).await? > 0)
    }

    /// Changes a message that waits. False: it is gone.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn queue_change(&self, id: &str, message: &str) -> Result<bool> {
        self.one(queue::CHANGE, &[message, id]).await
    }

    /// Makes a message the next one. False: it is gone.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn queue_first(&self, id: &str) -> Result<bool> {
        self.one(queue::FIRST, &[id]).await
    }

    /// Takes a message out. False: it is gone, so whoever gets true is the one to send it.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn queue_remove(&self, id: &str) -> Result<bool> {
        self.one(queue::REMOVE, &[id]).await
    }

    /// Messages that wait in a session, the next one first; at most 100.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn queue_list(&self, session: &str) -> Result<Vec<Queued>> {
        let mut db = self.reader().await?;
        let query = sqlx::query(queue::LIST).bind(session.to_owned());
        let rows = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<Queued>> = rows.iter().map(Queued::from_row).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Keeps a grant: for a session, with which it goes, or for all.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn add_grant(
        &self,
        id: &str,
        session: Option<&str>,
        what: &str,
        expires_at: Option<i64>,
    ) -> Result<()> {
        let statement = Statement::new(permissions::INSERT_GRANT, |script| {
            script.text(id)?.maybe_text(session)?.text(what)?.maybe_int(expires_at)?;
            Ok(())
        })?;
        self.edit(vec![statement], Durability::Full).await.map(drop)
    }

    /// Takes grants back; without ids all of them. Gives how many there were.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn revoke_grants(&self, ids: &[String], at: i64) -> Result<u64> {
        let mut statements = Vec::new();
        if ids.is_empty() {
            statements.push(Statement::new(permissions::REVOKE_ALL, |script| {
                script.int(at)?;
                Ok(())
            })?);
        }
        for id in ids {
            statements.push(Statement::new(permissions::REVOKE, |script| {
                script.int(at)?.text(id)?;
                Ok(())
            })?);
        }
        self.edit(statements, Durability::Full).await
    }

    /// Grants that hold in a session now, oldest first, as they were given to [`Self::add_grant`].
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn grants_in_force(&self, session: &str, now: i64) -> Result<Vec<String>> {
        let mut db = self.reader().await?;
        let query = sqlx::query(permissions::IN_FORCE).bind(now).bind(session.to_owned());
        let rows = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<String>> = rows.iter().map(|row| row.try_get(0)).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Grants that hold anywhere now, newest first.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn all_grants(&self, now: i64, limit: u32) -> Result<Vec<String>> {
        let mut db = self.reader().await?;
        let limit = i64::from(limit.clamp(1, MAX_PAGE));
        let query = sqlx::query(permissions::ALL_IN_FORCE).bind(now).bind(limit);
        let rows = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<String>> = rows.iter().map(|row| row.try_get(0)).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Notes a decision on a call.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn note_decision(&self, decided: &DecisionRow) -> Result<()> {
        let subject = &decided.subject[..decided.subject.floor_char_boundary(MAX_SUBJECT_BYTES)];
        let statement = Statement::new(permissions::INSERT_AUDIT, |script| {
            script.int(decided.at)?.text(&decided.session)?.text(&decided.run)?.text(&decided.call)?;
            script.text(&decided.source)?.text(&decided.tool)?.text(&decided.mode)?;
            script.text(&decided.decision)?.text(&decided.by)?.text(subject)?;
            Ok(())
        })?;
        self.edit(vec![statement], Durability::Normal).await.map(drop)
    }

    /// Decisions on calls, newest first.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn decisions(
        &self,
        before: Option<i64>,
        session: Option<&str>,
        workspace: Option<&str>,
        limit: u32,
    ) -> Result<Vec<DecisionRow>> {
        let mut db = self.reader().await?;
        let (session, workspace) = (session.map(str::to_owned), workspace.map(str::to_owned));
        let query = sqlx::query(permissions::AUDIT)
            .bind(before.unwrap_or(i64::MAX))
            .bind(session.clone())
            .bind(session)
            .bind(workspace.clone())
            .bind(workspace)
            .bind(i64::from(limit.clamp(1, MAX_PAGE)));
        let rows = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<DecisionRow>> = rows.iter().map(DecisionRow::from_row).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Replaces what was approved of a source.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn pin_tools(&self, source: &str, pins: &[Pin]) -> Result<()> {
        let mut statements = vec![Statement::new(source_notes::UNPIN, |script| {
            script.text(source)?;
            Ok(())
        })?];
        for pin in pins {
            statements.push(Statement::new(source_notes::PIN, |script| {
                script.text(source)?.text(&pin.tool)?.text(&pin.fingerprint)?;
                script.text(&pin.definition)?.int(pin.at)?;
                Ok(())
            })?);
        }
        self.edit(statements, Durability::Full).await.map(drop)
    }

    /// Tools of a source as they were approved.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn pinned_tools(&self, source: &str) -> Result<Vec<Pin>> {
        let mut db = self.reader().await?;
        let query = sqlx::query(source_notes::PINS).bind(source.to_owned());
        let rows = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<Pin>> = rows.iter().map(Pin::from_row).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Notes how a check of a source went; the last 100 are kept.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn note_source_check(&self, source: &str, check: &SourceCheck) -> Result<()> {
        let noted = Statement::new(source_notes::CHECKED, |script| {
            script.text(source)?.int(check.at)?.int(i64::from(check.ok))?.int(check.ms)?;
            script.text(&check.detail[..check.detail.floor_char_boundary(MAX_SUBJECT_BYTES)])?;
            Ok(())
        })?;
        let cut = Statement::new(source_notes::FORGET, |script| {
            script.text(source)?;
            Ok(())
        })?;
        self.edit(vec![noted, cut], Durability::Normal).await.map(drop)
    }

    /// How checks of a source went, newest first; at most 100.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn source_checks(&self, source: &str) -> Result<Vec<SourceCheck>> {
        let mut db = self.reader().await?;
        let query = sqlx::query(source_notes::CHECKS).bind(source.to_owned());
        let rows = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<SourceCheck>> = rows.iter().map(SourceCheck::from_row).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Forgets what was approved and noted of a source.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn forget_source(&self, source: &str) -> Result<()> {
        let named = |sql| {
            Statement::new(sql, |script| {
                script.text(source)?;
                Ok(())
            })
        };
        let statements = vec![named(source_notes::UNPIN)?, named(source_notes::FORGET_ALL)?];
        self.edit(statements, Durability::Full).await.map(drop)
    }

    /// One statement with texts. Whether it changed something.
    async fn one(&self, sql: &'static str, texts: &[&str]) -> Result<bool> {
        let statement = Statement::new(sql, |script| {
            for text in texts {
                script.text(text)?;
            }
            Ok(())
        })?;
        Ok(self.edit(vec![statement], Durability::Full).await? > 0)
    }
}
