//! What limits on money leave for calls of models.

use async_trait::async_trait;
use domain::{LimitReached, NanoUsd, Problem, RunId};

use crate::core::engine::Parts;
use crate::core::journal::{Journal, Logged};

/// Counts what is spent and set aside against the limits that the user set.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Sets money aside for what a run has under way over a connection, in place of what was set aside for it before.
    /// Nothing is changed where a limit forbids it.
    async fn set_aside(
        &self,
        run: &RunId,
        connection: &str,
        amount: NanoUsd,
    ) -> Result<Option<LimitReached>, Problem>;

    /// Notes what a run still has under way after a part of it was booked.
    async fn note(&self, run: &RunId, connection: &str, amount: NanoUsd) -> Result<(), Problem>;

    /// Raises a limit for the run, day or month in which it was reached, where it is not raised already; without an
    /// amount to twice as much.
    async fn raise(&self, limit: &LimitReached, usd: Option<f64>) -> Result<(), Problem>;
}

impl Parts {
    /// Sets aside what a log has under way over a connection, and so much more. The limit that forbids it.
    pub(crate) async fn withholds<M: Logged>(
        &self,
        journal: &mut Journal<M>,
        connection: &str,
        more: NanoUsd,
    ) -> Result<Option<LimitReached>, Problem> {
        let amount = journal.under_way() + more;
        let ledger = self.providers.ledger().filter(|_| amount > journal.noted);
        let Some(ledger) = ledger else { return Ok(None) };
        let reached = ledger.set_aside(&journal.run, connection, amount).await?;
        if reached.is_none() {
            journal.noted = amount;
        }
        Ok(reached)
    }

    /// Notes so much as under way, once the rest is booked.
    pub(crate) async fn note<M: Logged>(&self, journal: &mut Journal<M>, connection: &str, amount: NanoUsd) {
        let ledger = self.providers.ledger().filter(|_| amount != journal.noted);
        if let Some(ledger) = ledger
            && let Err(problem) = ledger.note(&journal.run, connection, amount).await
        {
            tracing::warn!(run = %journal.run, "what is spent was not counted: {problem}");
        }
        journal.noted = amount;
    }
}
