//! Which workspace sessions belong to.

use sqlx::Row as _;

use crate::commit::{Durability, Statement};
use crate::error::Result;
use crate::store::Store;
use crate::tables::sessions;

const OF_SESSION: &str = "SELECT workspace FROM sessions WHERE id = ?";

const OF_WORKSPACE: &str = "SELECT id FROM sessions WHERE workspace = ?";

/// Sessions that are not deleted, by workspace.
const COUNTS: &str = "SELECT workspace, count(*) FROM sessions WHERE deleted_at IS NULL GROUP BY workspace";

/// Parameters: the new workspace, the one before.
const MOVE_ALL: &str = "UPDATE sessions SET workspace = ? WHERE workspace = ?";

impl Store {
    /// A session's workspace; `None`: there is no such session.
    ///
    /// # Errors
    /// Those of reading.
    pub async fn session_workspace(&self, session: &str) -> Result<Option<String>> {
        let mut db = self.reader().await?;
        let row = sqlx::query(OF_SESSION)
            .bind(session.to_owned())
            .fetch_optional(&mut *db)
            .await
            .map_err(|error| self.failed(&error))?;
        row.map(|row| row.try_get(0)).transpose().map_err(|error| self.failed(&error))
    }

    /// How many sessions each workspace has, archived ones included, deleted ones left out.
    ///
    /// # Errors
    /// Those of reading.
    pub async fn sessions_by_workspace(&self) -> Result<Vec<(String, u32)>> {
        let mut db = self.reader().await?;
        let rows: Vec<(String, i64)> =
            sqlx::query_as(COUNTS).fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        Ok(rows.into_iter().map(|(name, count)| (name, u32::try_from(count).unwrap_or(u32::MAX))).collect())
    }

    /// The sessions of a workspace, deleted ones too.
    ///
    /// # Errors
    /// Those of reading.
    pub async fn sessions_of_workspace(&self, workspace: &str) -> Result<Vec<String>> {
        let mut db = self.reader().await?;
        let ids = sqlx::query_scalar(OF_WORKSPACE).bind(workspace.to_owned()).fetch_all(&mut *db).await;
        ids.map_err(|error| self.failed(&error))
    }

    /// Moves sessions into a workspace, all of them or none. How many there were.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn move_sessions(&self, sessions: &[String], workspace: &str) -> Result<u64> {
        let moved = |session: &String| {
            Statement::new(sessions::SET_WORKSPACE, |script| script.text(workspace)?.text(session).map(drop))
        };
        self.edit(sessions.iter().map(moved).collect::<Result<_>>()?, Durability::Full).await
    }

    /// Moves all sessions of a workspace, deleted ones too, into another one. How many.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn move_all_sessions(&self, from: &str, to: &str) -> Result<u64> {
        let statement = Statement::new(MOVE_ALL, |script| {
            script.text(to)?.text(from)?;
            Ok(())
        })?;
        self.edit(vec![statement], Durability::Full).await
    }
}
