//! What was brought over from elsewhere, and what a run takes along when it leaves.

use sqlx::Row as _;

use crate::commit::{Durability, Statement};
use crate::error::Result;
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

    /// Notes which sessions of ours will stand for those from elsewhere, before anything of them is stored.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn begin_imports(&self, all: &[([u8; 32], String)], at_ms: i64) -> Result<()> {
        let statements: Result<Vec<Statement>> =
            all.iter().map(|(source, session)| note(source, session, false, at_ms)).collect();
        self.edit(statements?, Durability::Normal).await.map(drop)
    }

    /// Notes that sessions are there whole, and sets what their person had set on them. Everything that was committed
    /// before is durable when this is.
    ///
    /// # Errors
    /// [`crate::StoreError::UnknownSession`] and those of a commit.
    pub async fn end_imports(&self, all: &[([u8; 32], String, SessionUpdate)], at_ms: i64) -> Result<()> {
        let mut statements = Vec::with_capacity(all.len() * 2);
        for (source, session, update) in all {
            statements.extend(update_statements(std::slice::from_ref(session), update, at_ms)?);
            statements.push(note(source, session, true, at_ms)?);
        }
        self.edit(statements, Durability::Full).await.map(drop)
    }
}

fn note(source: &[u8; 32], session: &str, done: bool, at_ms: i64) -> Result<Statement> {
    Statement::new(imports::NOTE, |script| {
        script.blob(source.to_vec())?.text(session)?.int(i64::from(done))?.int(at_ms)?;
        Ok(())
    })
}
