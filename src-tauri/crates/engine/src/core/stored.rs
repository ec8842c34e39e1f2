//! A run as its log says, and what is computed from that alone: its answer, its document, what its calls sent.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use domain::{ErrorCode, Problem, RunId, StageId};
use pipeline::{CallKey, Event, Graph, Record, State};
use serde_json::Value;

use crate::core::document::WrittenDocument;
use crate::core::engine::Engine;
use crate::core::journal::fold;
use crate::core::log::decode_batches;
use crate::core::problem::store as store_problem;
use crate::core::recheck::ExportCheck;
use crate::run::driver::{Driver, PauseReplies};
use crate::run::evaluate::Payload;
use crate::run::journal::Journal;
use crate::run::meta::RunMeta;
use crate::run::pinned::Pinned;

/// A run as it stands in the log.
pub struct StoredRun {
    /// Its id.
    pub run: RunId,
    /// Its state.
    pub state: State,
    /// What it pinned.
    pub pinned: Arc<Pinned>,
    /// Its row in the list of runs.
    pub row: store::Run,
    /// Its log, in order.
    pub records: Vec<Record>,
}

impl StoredRun {
    /// The depth it runs with.
    pub fn depth(&self) -> String {
        crate::run::scope::depth_name(&self.pinned, &self.state)
    }
}

impl Engine {
    /// A finished run's `answer.json`, from its log.
    pub async fn answer_json(&self, loaded: StoredRun) -> Result<Option<Value>, Problem> {
        crate::run::exports::answer_json(&mut self.parked(loaded)).await
    }

    /// A finished run's document, from its log.
    pub async fn document(&self, loaded: StoredRun) -> Result<Option<WrittenDocument>, Problem> {
        crate::run::exports::document(&mut self.parked(loaded)).await
    }

    /// What each call sent, or each call of one stage, computed again from the log. A call that can't be is absent.
    pub async fn sent(
        &self,
        loaded: StoredRun,
        stage: Option<&StageId>,
    ) -> Result<BTreeMap<CallKey, Payload>, Problem> {
        let records = loaded.records.clone();
        self.parked(loaded).sent(&records, stage).await
    }

    /// Writes the files of a run and of those that work for it again, from their logs. Gives the Markdown document's path,
    /// where there is one.
    pub async fn export(&self, loaded: StoredRun, checking: ExportCheck) -> Result<Option<PathBuf>, Problem> {
        let mut driver = self.parked(loaded);
        if let Some(written) = driver.written() {
            let run = driver.run_id().0.clone();
            let kept = self.restore_workers(&run, &written).await?;
            driver.tell_kept(&kept);
        }
        driver.write_files().await?;
        crate::run::exports::write(&mut driver, checking).await
    }

    pub(crate) fn parked(&self, loaded: StoredRun) -> Driver {
        let journal = Journal::resume(loaded.run, loaded.state, self.parts().store.clone(), &loaded.row);
        Driver::new(
            journal,
            loaded.pinned,
            self.parts().clone(),
            self.ui().clone(),
            PauseReplies::default(),
            false,
        )
    }

    /// Reads a run from the log.
    pub async fn load(&self, run: &RunId) -> Result<StoredRun, Problem> {
        let row = self.parts().store.get_run(&run.0).await.map_err(store_problem)?;
        if row.kind == crate::turn::KIND {
            return Err(crate::turn::no_run(run, &row.session));
        }
        if row.kind == crate::mission::KIND {
            return Err(crate::mission::no_run(run));
        }
        let batches = self.parts().store.load_events(&run.0).await.map_err(store_problem)?;
        let records = decode_batches(&batches)?;
        let corrupt = |what: String| Problem::new(ErrorCode::Corrupt, what);
        let Some(Event::RunStarted { pinned: first, .. }) = records.first().map(|record| &record.event)
        else {
            return Err(corrupt(format!("the log of run {run} does not begin with its start")));
        };
        let moved = records.iter().rev().find_map(|record| match &record.event {
            Event::Repinned { pinned, .. } => Some(*pinned),
            _ => None,
        });
        let pinned = crate::run::pinned::read(&self.parts().store, moved.unwrap_or(*first)).await?;
        let graph = Graph::new(&pinned.config).map_err(|error| corrupt(error.to_string()))?;
        let mut state = State::new(Arc::new(graph));
        for record in &records {
            fold(&mut state, record, format_args!("run {run}"))?;
        }
        Ok(StoredRun { run: run.clone(), state, pinned: Arc::new(pinned), row, records })
    }

    /// What the list of runs keeps of a run, from its log.
    pub async fn run_meta(&self, run: &RunId) -> Result<RunMeta, Problem> {
        let loaded = self.load(run).await?;
        Ok(RunMeta::new(&loaded.pinned, &loaded.state))
    }
}
