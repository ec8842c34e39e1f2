//! Lists of sessions by conditions that a caller compiled, counts of their groups, and labels.

use sqlx::{QueryBuilder, Row, Sqlite};

use crate::commit::{Durability, Statement};
use crate::error::Result;
use crate::queries::{MAX_PAGE, page};
use crate::sessions::{SessionFilter, push_filter};
use crate::store::Store;
use crate::tables::labels;
use crate::tables::sessions::{self, Session};

/// A condition over the columns of `sessions s`, made of a caller's own text and bound values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clause(pub Vec<Part>);

/// A part of a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// SQL without placeholders: nothing that a person typed.
    Sql(String),
    /// A text in place of one.
    Text(String),
    /// A number in place of one.
    Number(f64),
}

impl Clause {
    pub(crate) fn push(&self, query: &mut QueryBuilder<Sqlite>) {
        for part in &self.0 {
            match part {
                Part::Sql(sql) => query.push(sql),
                Part::Text(text) => query.push_bind(text.clone()),
                Part::Number(number) => query.push_bind(*number),
            };
        }
    }
}

impl Store {
    /// Up to `limit` sessions (at most [`MAX_PAGE`]) after the first `skip`, sorted by an expression of the caller's own over
    /// `sessions s`. The flag: whether there are more.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn list_sorted(
        &self,
        filter: &SessionFilter,
        order: &str,
        skip: u32,
        limit: u32,
    ) -> Result<(Vec<Session>, bool)> {
        let limit = limit.clamp(1, MAX_PAGE);
        let mut query = QueryBuilder::<Sqlite>::new(sessions::SELECT);
        push_filter(&mut query, filter);
        query.push(" ORDER BY ").push(order).push(", s.place DESC LIMIT ").push_bind(i64::from(limit) + 1);
        query.push(" OFFSET ").push_bind(i64::from(skip));
        let mut db = self.reader().await?;
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        page(&rows, limit, Session::from_row, |error| self.unreadable(error))
    }

    /// How many sessions pass.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn count_where(&self, filter: &SessionFilter) -> Result<u32> {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT count(*) FROM sessions s WHERE ");
        push_filter(&mut query, filter);
        let mut db = self.reader().await?;
        let count: i64 =
            query.build_query_scalar().fetch_one(&mut *db).await.map_err(|error| self.failed(&error))?;
        Ok(u32::try_from(count).unwrap_or(u32::MAX))
    }

    /// How many sessions that pass have each value of a text expression of the caller's own over `sessions s`.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn count_by(&self, filter: &SessionFilter, key: &str) -> Result<Vec<(String, u32)>> {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT ");
        query.push(key).push(" AS key, count(*) FROM sessions s WHERE ");
        push_filter(&mut query, filter);
        query.push(" GROUP BY key");
        self.counted(query).await
    }

    /// How many sessions that pass have each label: its id and the number.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn count_by_label(&self, filter: &SessionFilter) -> Result<Vec<(String, u32)>> {
        let mut query = QueryBuilder::<Sqlite>::new(
            "SELECT l.id, count(DISTINCT l.session) FROM session_labels l JOIN sessions s ON s.no = l.session WHERE ",
        );
        push_filter(&mut query, filter);
        query.push(" GROUP BY l.id");
        self.counted(query).await
    }

    /// How many sessions in sight each status has: the id as it is stored, and the number.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn count_statuses(&self, workspace: &str) -> Result<Vec<(String, u32)>> {
        let mut query = QueryBuilder::<Sqlite>::new(
            "SELECT status, count(*) FROM sessions WHERE shelf = 0 AND workspace = ",
        );
        query.push_bind(workspace.to_owned()).push(" GROUP BY status");
        self.counted(query).await
    }

    async fn counted(&self, mut query: QueryBuilder<Sqlite>) -> Result<Vec<(String, u32)>> {
        let mut db = self.reader().await?;
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<(String, u32)>> = rows
            .iter()
            .map(|row| Ok((row.try_get(0)?, u32::try_from(row.try_get::<i64, _>(1)?).unwrap_or(u32::MAX))))
            .collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Every session of a workspace with one status gets another one. Gives how many.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn replace_status(&self, workspace: &str, from: &str, to: &str) -> Result<u64> {
        let statement = Statement::new(sessions::REPLACE_STATUS, |script| {
            script.text(to)?.text(workspace)?.text(from)?;
            Ok(())
        })?;
        self.edit(vec![statement], Durability::Full).await
    }

    /// Every session of a workspace with one of these labels gets another one instead, or none.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn replace_labels(&self, workspace: &str, ids: &[String], to: Option<&str>) -> Result<()> {
        let mut statements = Vec::new();
        for id in ids {
            if let Some(to) = to {
                statements.push(Statement::new(labels::REPLACE_EVERYWHERE, |script| {
                    script.text(to)?.text(workspace)?.text(id)?;
                    Ok(())
                })?);
            }
            statements.push(Statement::new(labels::REMOVE_EVERYWHERE, |script| {
                script.text(workspace)?.text(id)?;
                Ok(())
            })?);
        }
        self.edit(statements, Durability::Full).await.map(drop)
    }

    /// Moves a session into another workspace. False: there is no such session.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn move_session(&self, session: &str, workspace: &str) -> Result<bool> {
        let statement = Statement::new(sessions::SET_WORKSPACE, |script| {
            script.text(workspace)?.text(session)?;
            Ok(())
        })?;
        Ok(self.edit(vec![statement], Durability::Full).await? > 0)
    }
}
