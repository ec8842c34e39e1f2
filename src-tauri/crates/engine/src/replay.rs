//! What a call sends, as it was planned in an earlier process.

use pipeline::{CallKey, Event, State};

use domain::{ErrorCode, Problem};

use crate::driver::Driver;
use crate::evaluate::{Evaluation, Payload, stage_of};
use crate::log::decode_log;
use crate::scope::RunScope;

impl Driver {
    /// Computes a call again from the state in which it was planned. What the person has said since then (guidance,
    /// answers to the pause of another branch) is not part of it, and must not make it look different.
    pub(crate) async fn as_planned(
        &mut self,
        key: &CallKey,
        texts: &[String],
    ) -> Result<Option<Payload>, Problem> {
        let store = self.parts.store.clone();
        let batches = store.load_events(&self.run_id().0).await.map_err(crate::problem::store)?;
        let mut state = State::new(self.state().graph.clone());
        let mut planned = None;
        for batch in &batches {
            for record in decode_log(&batch.bytes)? {
                if plans(&record.event, key) {
                    planned = Some(state.clone());
                }
                state.apply(&record).map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))?;
            }
        }
        let Some(state) = planned else { return Ok(None) };
        self.values.load_for(&state, &store).await?;
        let mut evaluation = Evaluation {
            pinned: &self.pinned,
            state: &state,
            values: &self.values,
            templates: &self.templates,
            scope: &mut RunScope::default(),
        };
        if !texts.is_empty() {
            return Ok(Some(Payload::Model(Box::new(evaluation.corrected(key, texts)?))));
        }
        let stage = stage_of(evaluation.pinned, &key.stage)?;
        Ok(evaluation.wave(stage, key.wave)?.into_iter().nth(key.item as usize).map(|(_, payload)| payload))
    }
}

fn plans(event: &Event, key: &CallKey) -> bool {
    match event {
        Event::StagePlanned { stage, attempt, wave, .. } => {
            stage == &key.stage && *attempt == key.attempt && *wave == key.wave
        }
        Event::CallPrepared { key: prepared, .. } => prepared == key,
        _ => false,
    }
}
