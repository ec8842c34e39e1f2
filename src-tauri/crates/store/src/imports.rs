//! What was brought over from elsewhere, and what a run takes along when it leaves.

use std::collections::HashMap;

use sqlx::sqlite::SqliteRow;
use sqlx::{Arguments as _, QueryBuilder, Row as _, Sqlite};

use crate::commit::{Durability, Statement};
use crate::error::Result;
use crate::rows::{self, MAX_ROWS};
use crate::sessions::{SessionUpdate, update_statements};
use crate::store::Store;
use crate::tables::imports;

/// What became of a session from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The session of ours that stands for it; it may have been deleted since.
    pub session: String,
    /// Whether all of it is there.
    pub done: bool,
}

impl Store {
    /// What became of a session from elsewhere, by the digest that names it.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn imported(&self, source: &[u8; 32]) -> Result<Option<Imported>> {
        let mut db = self.reader().await?;
        let row = sqlx::query(imports::ONE)
            .bind(source.as_slice())
            .fetch_optional(&mut *db)
            .await
            .map_err(|error| self.failed(&error))?;
        row.map(|row| Ok(Imported { session: row.try_get(0)?, done: row.try_get::<i64, _>(1)? != 0 }))
            .transpose()
            .map_err(|error: sqlx::Error| self.unreadable(&error))
    }

    /// The same of many, by those that were brought over before.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn imported_of(&self, sources: &[[u8; 32]]) -> Result<HashMap<[u8; 32], Imported>> {
        let mut known = HashMap::new();
        let mut db = self.reader().await?;
        for some in sources.chunks(MAX_ROWS) {
            let mut query = QueryBuilder::<Sqlite>::new(imports::MANY);
            let mut list = query.separated(", ");
            for source in some {
                list.push_bind(source.as_slice());
            }
            query.push(")");
            let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
            let read = |row: &SqliteRow| -> sqlx::Result<([u8; 32], Imported)> {
                let source: Vec<u8> = row.try_get(0)?;
                let source = source.try_into().map_err(|_| sqlx::Error::Decode("no digest".into()))?;
                Ok((source, Imported { session: row.try_get(1)?, done: row.try_get::<i64, _>(2)? != 0 }))
            };
            for row in &rows {
                known.extend([read(row).map_err(|error| self.unreadable(&error))?]);
            }
        }
        Ok(known)
    }

    /// Notes which sessions of ours will stand for those from elsewhere, before anything of them is stored.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn begin_imports(&self, all: &[([u8; 32], String)], at_ms: i64) -> Result<()> {
        let notes = all.iter().map(|(source, session)| (source, session.as_str())).collect::<Vec<_>>();
        self.edit(noted(&notes, false, at_ms)?, Durability::Normal).await.map(drop)
    }

    /// Notes that sessions are there whole, and sets what their person had set on them. Everything that was committed
    /// before is durable when this is.
    ///
    /// # Errors
    /// [`crate::StoreError::UnknownSession`] and those of a commit.
    pub async fn end_imports(&self, all: &[([u8; 32], String, SessionUpdate)], at_ms: i64) -> Result<()> {
        let updates = all.iter().map(|(_, session, update)| (session.as_str(), update)).collect::<Vec<_>>();
        let mut statements = update_statements(&updates, at_ms)?;
        let notes = all.iter().map(|(source, session, _)| (source, session.as_str())).collect::<Vec<_>>();
        statements.extend(noted(&notes, true, at_ms)?);
        self.edit(statements, Durability::Full).await.map(drop)
    }
}

/// The statements that write notes, as few as there can be.
fn noted(all: &[(&[u8; 32], &str)], done: bool, at_ms: i64) -> Result<Vec<Statement>> {
    rows::statements(&imports::NOTE, all, |values, (source, session)| {
        values.add(source.as_slice())?;
        values.add(*session)?;
        values.add(i64::from(done))?;
        values.add(at_ms)
    })
}
