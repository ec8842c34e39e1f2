//! Replay: a stored run or turn is folded again, and every step that the program computed by itself is computed once more
//! in the state in which it was computed then. What came from outside (answers of models, results of tools, the person's
//! replies) is read from the log. [`Engine::redrive`] goes further: the driver itself runs again over what is recorded.

pub(crate) mod chain;
mod redrive;
mod report;
mod staged;

use std::sync::Arc;

use context::Templates;
use domain::{Problem, RunId};
use engine_types::Replay;

use crate::core::engine::Engine;
use crate::core::log::decode_batches;
use crate::core::payloads::Payloads;
use crate::core::problem::store as store_problem;
use crate::turn::KIND;

pub use chain::{Chain, ChainLink};
pub(crate) use redrive::compared;
pub(crate) use report::{EventReport, Json, Shown};

impl Engine {
    /// Recomputes a stored run with the turns of its stages, or a turn. Nothing is written, and nobody is asked.
    ///
    /// # Errors
    /// `NotFound` when there is no such run; `Corrupt` or `NewerData` when its log can't be read.
    pub async fn replay(&self, run: &RunId) -> Result<Replay, Problem> {
        let store = &self.parts().store;
        let row = store.get_run(&run.0).await.map_err(store_problem)?;
        if row.kind == KIND {
            return Box::pin(self.replay_turn(run)).await;
        }
        let records = decode_batches(&store.load_events(&run.0).await.map_err(store_problem)?)?;
        let staged = replay_staged(store, self.parts().templates.clone(), run, &records).await?;
        let mut report = staged.report;
        for child in staged.children {
            report.with(Box::pin(self.replay(&child)).await?);
        }
        Ok(report)
    }
}

/// A staged run recomputed, and the turns that carried out its stages.
pub(crate) struct ReplayedStages {
    pub(crate) report: Replay,
    pub(crate) children: Vec<RunId>,
}

/// Recomputes the log of a staged run over its payloads.
pub(crate) async fn replay_staged(
    payloads: &dyn Payloads,
    templates: Arc<Templates>,
    run: &RunId,
    records: &[pipeline::Record],
) -> Result<ReplayedStages, Problem> {
    staged::Stages::begin(payloads, templates, run, records).await?.replay(records).await
}
