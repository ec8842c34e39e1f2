//! What takes space, what has grown old, and what belongs to a session: reads over all sessions, for maintenance.

use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite};

use crate::backup::ArchivedSession;
use crate::commit::{Durability, Statement};
use crate::error::Result;
use crate::hash::BlobHash;
use crate::sessions::{SessionUpdate, push_list, update_statements};
use crate::store::Store;
use crate::tables::packs::{self, Pack, WRONG_NAME};
use crate::tables::retention::{self, RetentionOutcome};

/// A session with what it takes in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionBytes {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Bytes of its events and payloads as they are stored. A payload that several sessions refer to counts for each.
    pub bytes: u64,
}

/// Which sessions have grown old.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RetentionQueryResult {
    /// Sessions that nothing happened in since this time, in milliseconds since 1970.
    pub before: i64,
    /// Status words of a newest run that is over: they count where the person set no status.
    pub over: Vec<String>,
    /// Ids of statuses that are closed.
    pub closed: Vec<String>,
    /// Whether flagged ones are left out.
    pub not_flagged: bool,
    /// Sessions with one of these labels are left out.
    pub not_labels: Vec<String>,
}

impl Store {
    /// Every session, those in the trash too, in no order.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn session_stamps(&self) -> Result<Vec<ArchivedSession>> {
        let mut db = self.reader().await?;
        let rows: Vec<(String, String, i64, i64)> =
            sqlx::query_as("SELECT id, title, updated_at, (SELECT count(*) FROM runs WHERE session = sessions.no) FROM sessions")
                .fetch_all(&mut *db)
                .await
                .map_err(|error| self.failed(&error))?;
        let stamp = |(id, title, updated_at, runs): (String, String, i64, i64)| ArchivedSession {
            id,
            title,
            updated_at,
            runs: u32::try_from(runs).unwrap_or(u32::MAX),
        };
        Ok(rows.into_iter().map(stamp).collect())
    }

    /// The sessions that take the most in the database, the largest first. Looks at every event: for a page of sizes.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn largest_sessions(&self, limit: u32) -> Result<Vec<SessionBytes>> {
        let mut db = self.reader().await?;
        let rows: Vec<(String, String, i64)> = sqlx::query_as(
            "WITH own(session, bytes) AS (
               SELECT r.session, sum(length(e.events)) FROM run_events e JOIN runs r ON r.no = e.run GROUP BY r.session
               UNION ALL
               SELECT r.session, sum(length(k.names) + length(k.data)) FROM packs k JOIN runs r ON r.no = k.run GROUP BY r.session
               UNION ALL
               SELECT r.session, sum(length(x.data)) FROM pack_pieces x JOIN packs k ON k.no = x.no / 256 JOIN runs r ON r.no = k.run GROUP BY r.session
               UNION ALL
               SELECT s.session, sum(length(b.data)) FROM (SELECT DISTINCT r.session, rb.blob FROM run_blobs rb JOIN runs r ON r.no = rb.run) s
                 JOIN blobs b ON b.no = s.blob GROUP BY s.session)
             SELECT sessions.id, sessions.title, sum(own.bytes) AS bytes FROM own JOIN sessions ON sessions.no = own.session
             GROUP BY own.session ORDER BY bytes DESC LIMIT ?",
        )
        .bind(i64::from(limit))
        .fetch_all(&mut *db)
        .await
        .map_err(|error| self.failed(&error))?;
        let bytes = |(id, title, bytes): (String, String, i64)| SessionBytes {
            id,
            title,
            bytes: bytes.cast_unsigned(),
        };
        Ok(rows.into_iter().map(bytes).collect())
    }

    /// The payloads that a run has or refers to, each once, with their sizes.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn run_blobs(&self, run: &str) -> Result<Vec<(BlobHash, u64)>> {
        let mut db = self.reader().await?;
        let rows: Vec<(Vec<u8>, i64)> = sqlx::query_as(
            "SELECT b.hash, b.size FROM run_blobs rb JOIN blobs b ON b.no = rb.blob WHERE rb.run = (SELECT no FROM runs WHERE id = ?)",
        )
        .bind(run.to_owned())
        .fetch_all(&mut *db)
        .await
        .map_err(|error| self.failed(&error))?;
        let blob = |(hash, size): (Vec<u8>, i64)| {
            let hash = <[u8; 32]>::try_from(hash).ok()?;
            Some((BlobHash::from_bytes(hash), size.cast_unsigned()))
        };
        let mut found: Vec<(BlobHash, u64)> = rows.into_iter().filter_map(blob).collect();
        let rows = sqlx::query(packs::OF_RUN).bind(run.to_owned()).fetch_all(&mut *db).await;
        for row in rows.map_err(|error| self.failed(&error))? {
            let pack = Pack::read(&mut db, &row, 0).await.map_err(|error| self.unreadable(&error))?;
            let pack = pack.map_err(|error| self.inner.dir.corrupt(error.to_string()))?;
            for part in 0..pack.len() {
                let payload = pack.get(part);
                let (hash, bytes) = payload.ok_or_else(|| self.inner.dir.corrupt(WRONG_NAME.to_owned()))?;
                found.push((hash, bytes.len() as u64));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// All runs of a session with those that work for them, in the order of creation.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn runs_of(&self, session: &str) -> Result<Vec<String>> {
        self.texts(
            "SELECT id FROM runs WHERE session = (SELECT no FROM sessions WHERE id = ?) ORDER BY no",
            session,
        )
        .await
    }

    /// The entries of a session's labels.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn labels_of(&self, session: &str) -> Result<Vec<(String, String)>> {
        let mut db = self.reader().await?;
        sqlx::query_as("SELECT entry, id FROM session_labels WHERE session = (SELECT no FROM sessions WHERE id = ?) ORDER BY entry")
            .bind(session.to_owned())
            .fetch_all(&mut *db)
            .await
            .map_err(|error| self.failed(&error))
    }

    /// Open sessions that are done and read and have grown old; at most `limit`.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn done_before(&self, aged: &RetentionQueryResult, limit: u32) -> Result<Vec<String>> {
        let mut query = QueryBuilder::<Sqlite>::new(
            "SELECT s.id FROM sessions s WHERE s.shelf = 0 AND NOT s.unread AND s.updated_at < ",
        );
        query.push_bind(aged.before).push(" AND (s.status = '' AND s.latest_status IN (");
        push_list(&mut query, &aged.over);
        query.push(" OR s.status IN (");
        push_list(&mut query, &aged.closed);
        query.push(") AND NOT EXISTS (SELECT 1 FROM drafts WHERE drafts.session = s.no)");
        self.aged(query, aged, limit).await
    }

    /// Archived sessions that were archived before the time; at most `limit`.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn archived_before(&self, aged: &RetentionQueryResult, limit: u32) -> Result<Vec<String>> {
        let mut query = QueryBuilder::<Sqlite>::new(
            "SELECT s.id FROM sessions s WHERE s.shelf = 1 AND coalesce(s.archived_at, s.updated_at) < ",
        );
        query
            .push_bind(aged.before)
            .push(" AND NOT EXISTS (SELECT 1 FROM drafts WHERE drafts.session = s.no)");
        self.aged(query, aged, limit).await
    }

    async fn aged(
        &self,
        mut query: QueryBuilder<Sqlite>,
        aged: &RetentionQueryResult,
        limit: u32,
    ) -> Result<Vec<String>> {
        if aged.not_flagged {
            query.push(" AND NOT s.flagged");
        }
        if !aged.not_labels.is_empty() {
            query
                .push(" AND NOT EXISTS (SELECT 1 FROM session_labels l WHERE l.session = s.no AND l.id IN (");
            push_list(&mut query, &aged.not_labels);
            query.push(")");
        }
        query.push(" ORDER BY s.no LIMIT ").push_bind(i64::from(limit));
        let mut db = self.reader().await?;
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        texts(&rows).map_err(|error| self.unreadable(&error))
    }

    /// Moves sessions by the rules of age and notes it: both, or neither. `archived` and `trashed` are lists as their owner
    /// writes them.
    ///
    /// # Errors
    /// [`crate::StoreError::UnknownSession`] and those of a commit.
    pub async fn note_retention(
        &self,
        retained: &RetentionOutcome,
        moves: &[(&[String], SessionUpdate)],
    ) -> Result<()> {
        let mut statements = Vec::new();
        for (ids, update) in moves {
            let all: Vec<(&str, &SessionUpdate)> = ids.iter().map(|id| (id.as_str(), update)).collect();
            statements.extend(update_statements(&all, retained.at)?);
        }
        let noted = Statement::new(retention::INSERT, |script| {
            script
                .int(retained.at)?
                .text(&retained.archived)?
                .text(&retained.trashed)?
                .int(retained.purged)?;
            Ok(())
        })?;
        statements.extend([noted, Statement::new(retention::FORGET, |_| Ok(()))?]);
        self.edit(statements, Durability::Full).await.map(drop)
    }

    /// What the rules of age did, newest first; at most `limit`.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn retention_runs(&self, limit: u32) -> Result<Vec<RetentionOutcome>> {
        let mut db = self.reader().await?;
        let rows = sqlx::query(retention::LIST).bind(i64::from(limit)).fetch_all(&mut *db).await;
        let rows = rows.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<RetentionOutcome>> = rows.iter().map(RetentionOutcome::from_row).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Notes that what was done was taken back. False: it was already, or there is no such number.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn note_retention_undone(&self, number: i64, at: i64) -> Result<bool> {
        let statement = Statement::new(retention::UNDONE, |script| {
            script.int(at)?.int(number)?;
            Ok(())
        })?;
        Ok(self.edit(vec![statement], Durability::Full).await? > 0)
    }

    async fn texts(&self, sql: &'static str, value: &str) -> Result<Vec<String>> {
        let mut db = self.reader().await?;
        let rows = sqlx::query(sql).bind(value.to_owned()).fetch_all(&mut *db).await;
        texts(&rows.map_err(|error| self.failed(&error))?).map_err(|error| self.unreadable(&error))
    }
}

fn texts(rows: &[SqliteRow]) -> sqlx::Result<Vec<String>> {
    rows.iter().map(|row| row.try_get(0)).collect()
}
