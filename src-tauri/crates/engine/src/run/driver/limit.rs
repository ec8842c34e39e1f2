//! Limits on money: what is set aside before calls are made, and what a reply to their pause raises.

use domain::{NanoUsd, Problem};
use pipeline::{CallKey, Effect, Event};
use store::NewModelCall;

use super::Driver;
use super::outcome::cost_row;
use crate::run::pinned::CallCost;

impl Driver {
    /// Sets aside what calls of models can cost that are about to be made. Whether a limit forbids one of them.
    pub(super) async fn withhold(&mut self, external: &[Effect]) -> Result<bool, Problem> {
        if let (Some((limit, usd)), Some(ledger)) = (self.raise.take(), self.parts.providers.ledger()) {
            ledger.raise(&limit, usd).await?;
        }
        let newest = external.iter().rev().find_map(|effect| {
            let Effect::Call { key, r#try, model: true } = effect else { return None };
            let call = self.journal.state.calls.get(key).filter(|call| !call.is_child)?;
            (call.held().cost.0 > 0).then(|| (key.clone(), *r#try))
        });
        let (Some((key, r#try)), None) = (newest, &self.recording) else { return Ok(false) };
        let connection = &self.pinned.connection;
        let limit = self.parts.withholds(&mut self.journal, connection, NanoUsd::default()).await?;
        let Some(limit) = limit else { return Ok(false) };
        self.journal.push(Event::ModelCallWithheld { key, r#try, limit })?;
        Ok(true)
    }

    /// A call of which nobody knows what it cost: its maximum counts as spent.
    pub(super) fn lose(&mut self, key: CallKey, r#try: u32, continues: bool) -> Result<(), Problem> {
        let call = self.journal.state.calls.get(&key).filter(|call| call.model && !call.is_child);
        let cost = call.map(|call| call.held().cost).unwrap_or_default();
        if cost.0 > 0 && self.recording.is_none() {
            let model = self.asked(&key).0.to_owned();
            let bill = CallCost { cost, ..CallCost::default() };
            self.spent(&key, NewModelCall { r#try, failed: true, model, ..cost_row(bill) });
        }
        self.journal.push(Event::OutcomeUnknown { key, r#try, continues })
    }
}
