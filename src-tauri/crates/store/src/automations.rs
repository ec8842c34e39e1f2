//! What is kept of automations besides their file.

use sqlx::Row;

use crate::commit::Statement;
use crate::error::Result;
use crate::store::Store;
use crate::tables::automations::{self, AutomationEffect, Enabled, WebhookRetry};
use crate::{Durability, MAX_PAGE};

/// Longest detail of a row of the history, in bytes.
const MAX_DETAIL_BYTES: usize = 4_000;

impl Store {
    /// Enables an automation as it is now: `digest` says how. It is durable when this returns.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn enable_automation(&self, workspace: &str, enabled: &Enabled) -> Result<()> {
        let statement = Statement::new(automations::ENABLE, |script| {
            script.text(workspace)?.text(&enabled.id)?.text(&enabled.digest)?.int(enabled.at)?;
            Ok(())
        })?;
        self.edit(vec![statement], Durability::Full).await.map(drop)
    }

    /// Takes that back, with its requests that wait. Durable when this returns.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn disable_automation(&self, workspace: &str, id: &str) -> Result<()> {
        let named = |sql| {
            Statement::new(sql, |script| {
                script.text(workspace)?.text(id)?;
                Ok(())
            })
        };
        let statements = vec![named(automations::DISABLE)?, named(automations::DROP_RETRIES)?];
        self.edit(statements, Durability::Full).await.map(drop)
    }

    /// Automations of a workspace that the person enabled.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn enabled_automations(&self, workspace: &str) -> Result<Vec<Enabled>> {
        let mut db = self.reader().await?;
        let query = sqlx::query(automations::ENABLED).bind(workspace.to_owned());
        let rows = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<Enabled>> = rows.iter().map(Enabled::from_row).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Notes what an automation did. The newest 20 of each and 1,000 of all are kept.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn note_fired(&self, workspace: &str, fired: &AutomationEffect) -> Result<()> {
        let noted = Statement::new(automations::NOTE, |script| {
            script.text(workspace)?.text(&fired.automation)?.int(fired.at)?.int(fired.ms)?;
            script.text(&fired.event)?.text(&fired.outcome)?;
            script.text(&fired.detail[..fired.detail.floor_char_boundary(MAX_DETAIL_BYTES)])?;
            script.maybe_text(fired.session.as_deref())?.maybe_text(fired.run.as_deref())?;
            Ok(())
        })?;
        let cut = Statement::new(automations::CUT_ONE, |script| {
            script.text(workspace)?.text(&fired.automation)?;
            Ok(())
        })?;
        let all = Statement::new(automations::CUT_ALL, |_| Ok(()))?;
        self.edit(vec![noted, cut, all], Durability::Normal).await.map(drop)
    }

    /// What automations of a workspace did, newest first; an empty id stands for all of them.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn automation_history(
        &self,
        workspace: &str,
        id: &str,
        limit: u32,
    ) -> Result<Vec<AutomationEffect>> {
        let mut db = self.reader().await?;
        let query = sqlx::query(automations::HISTORY)
            .bind(workspace.to_owned())
            .bind(id.to_owned())
            .bind(i64::from(limit.min(MAX_PAGE)));
        let rows = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<AutomationEffect>> = rows.iter().map(AutomationEffect::from_row).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Notes that a session was begun by an automation, and how many led to it. False: there is no such session.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn begun_by_automation(
        &self,
        workspace: &str,
        automation: &str,
        session: &str,
        depth: u8,
    ) -> Result<bool> {
        let statement = Statement::new(automations::BEGUN, |script| {
            script.text(workspace)?.text(automation)?.int(i64::from(depth))?.text(session)?;
            Ok(())
        })?;
        Ok(self.edit(vec![statement], Durability::Full).await? > 0)
    }

    /// The automation that began a session, and how many led to it.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn automation_of(&self, session: &str) -> Result<Option<(String, u8)>> {
        let mut db = self.reader().await?;
        let query = sqlx::query(automations::BEGUN_BY).bind(session.to_owned());
        let row = query.fetch_optional(&mut *db).await.map_err(|error| self.failed(&error))?;
        let read = row.map(|row| -> sqlx::Result<(String, u8)> {
            Ok((row.try_get(0)?, u8::try_from(row.try_get::<i64, _>(1)?).unwrap_or(u8::MAX)))
        });
        read.transpose().map_err(|error| self.unreadable(&error))
    }

    /// Keeps a request for another attempt. The newest 200 are kept: those with the highest numbers.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn retry_webhook(&self, retry: &WebhookRetry) -> Result<()> {
        let kept = Statement::new(automations::RETRY, |script| {
            script.int(retry.no)?;
            script.text(&retry.workspace)?.text(&retry.automation)?.text(&retry.digest)?;
            script.int(i64::from(retry.action))?.int(i64::from(retry.attempt))?.int(retry.due)?;
            script.text(&retry.occurrence)?;
            Ok(())
        })?;
        let cut = Statement::new(automations::CUT_RETRIES, |_| Ok(()))?;
        self.edit(vec![kept, cut], Durability::Full).await.map(drop)
    }

    /// Takes a request out that was answered or is given up. False: it is gone already.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn take_webhook_retry(&self, no: i64) -> Result<bool> {
        let statement = Statement::new(automations::RETRIED, |script| {
            script.int(no)?;
            Ok(())
        })?;
        Ok(self.edit(vec![statement], Durability::Full).await? > 0)
    }

    /// Keeps a request that waits for yet another attempt. False: it is gone.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn postpone_webhook_retry(&self, no: i64, attempt: u32, due: i64) -> Result<bool> {
        let statement = Statement::new(automations::POSTPONE, |script| {
            script.int(i64::from(attempt))?.int(due)?.int(no)?;
            Ok(())
        })?;
        Ok(self.edit(vec![statement], Durability::Full).await? > 0)
    }

    /// Requests that wait, the one due first first; at most 200.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn webhook_retries(&self) -> Result<Vec<WebhookRetry>> {
        let mut db = self.reader().await?;
        let rows = sqlx::query(automations::RETRIES).fetch_all(&mut *db).await;
        let rows = rows.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<WebhookRetry>> = rows.iter().map(WebhookRetry::from_row).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Notes when schedules were last looked at, in milliseconds since 1970.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn set_automation_clock(&self, at: i64) -> Result<()> {
        let statement = Statement::new(automations::SET_CLOCK, |script| {
            script.int(at)?;
            Ok(())
        })?;
        self.edit(vec![statement], Durability::Full).await.map(drop)
    }

    /// When schedules were last looked at; `None`: never.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn automation_clock(&self) -> Result<Option<i64>> {
        let mut db = self.reader().await?;
        let row = sqlx::query(automations::CLOCK).fetch_optional(&mut *db).await;
        let row = row.map_err(|error| self.failed(&error))?;
        row.map(|row| row.try_get(0)).transpose().map_err(|error| self.unreadable(&error))
    }
}
