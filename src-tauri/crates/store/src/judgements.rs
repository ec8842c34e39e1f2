//! Judgements of statements, kept over runs.

use crate::commit::{Durability, Statement};
use crate::error::Result;
use crate::store::Store;
use crate::tables::judgements::{self, StoredJudgement};

impl Store {
    /// What judges found before, by key; keys that nothing is known of are not in the answer.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn judgements(&self, keys: &[[u8; 32]]) -> Result<Vec<StoredJudgement>> {
        let mut found = Vec::new();
        if keys.is_empty() {
            return Ok(found);
        }
        let mut db = self.reader().await?;
        for some in keys.chunks(judgements::AT_ONCE) {
            // One text for any number: the last key is asked for again.
            let padded = some.iter().chain(some.last().into_iter().cycle()).take(judgements::AT_ONCE);
            let query = padded.fold(sqlx::query(judgements::KNOWN), |query, key| query.bind(key.as_slice()));
            let rows = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
            let read: sqlx::Result<Vec<StoredJudgement>> =
                rows.iter().map(StoredJudgement::from_row).collect();
            found.extend(read.map_err(|error| self.unreadable(&error))?);
        }
        Ok(found)
    }

    /// Keeps what a run's judge found as long as that run exists. What is known of the same key gives way.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn keep_judgements(&self, run: &str, judgements: &[StoredJudgement]) -> Result<()> {
        if judgements.is_empty() {
            return Ok(());
        }
        let statements: Result<Vec<Statement>> = judgements
            .iter()
            .map(|one| {
                Statement::new(judgements::KEEP, |script| {
                    script.blob(one.key.to_vec())?.text(&one.finding)?.text(&one.words)?;
                    script.text(&one.reason)?.text(run)?;
                    Ok(())
                })
            })
            .collect();
        self.edit(statements?, Durability::Normal).await.map(drop)
    }
}
