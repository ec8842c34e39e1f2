//! What a call sends, as it was planned in an earlier process.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::{ErrorCode, Problem, StageId};
use pipeline::{CallKey, Event, Record, State};

use crate::core::log::decode_log;
use crate::run::driver::Driver;
use crate::run::earlier::Earlier;
use crate::run::evaluate::{Evaluation, Payload, stage_of};
use crate::run::scope::RunScope;

impl Driver {
    /// Computes a call again from the state in which it was planned. What the person has said since then (guidance,
    /// answers to the pause of another branch) is not part of it, and must not make it look different.
    pub(crate) async fn as_planned(
        &mut self,
        key: &CallKey,
        earlier: &Earlier,
    ) -> Result<Option<Payload>, Problem> {
        let store = self.parts.store.clone();
        let batches = store.load_events(&self.run_id().0).await.map_err(crate::core::problem::store)?;
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
        evaluation.payload(key, earlier)
    }

    /// What every call sent, or every call of one stage, each computed in the state in which it was planned and checked
    /// against its hash.
    pub(crate) async fn sent(
        &mut self,
        records: &[Record],
        only: Option<&StageId>,
    ) -> Result<BTreeMap<CallKey, Payload>, Problem> {
        let wanted = |stage: &StageId| only.is_none_or(|only| only == stage);
        let store = self.parts.store.clone();
        let mut state = State::new(self.state().graph.clone());
        let mut sent = BTreeMap::new();
        let moved = records.iter().any(|record| matches!(record.event, Event::Repinned { .. }));
        for record in records {
            match &record.event {
                Event::RunStarted { pinned, .. } | Event::Repinned { pinned, .. } if moved => {
                    self.pinned = Arc::new(crate::run::pinned::read(&store, *pinned).await?);
                }
                Event::StagePlanned { stage, attempt, wave, calls, .. }
                    if wanted(stage) && !calls.is_empty() =>
                {
                    let config = stage_of(&self.pinned, stage)?.clone();
                    self.values.load_for(&state, &store).await?;
                    // What can't be computed any more is left out: the rest of the stage can still be shown.
                    let again = self.evaluation(&state, &mut RunScope::default()).wave(&config, *wave);
                    let again = again.unwrap_or_default().calls.into_iter().zip(calls).enumerate();
                    for (item, ((_, payload), planned)) in again {
                        if payload.digest() == planned.request {
                            let (attempt, wave, item) = (*attempt, *wave, item as u32);
                            sent.insert(CallKey { stage: stage.clone(), attempt, wave, item }, payload);
                        }
                    }
                }
                Event::CallPrepared { key, request, .. } if wanted(&key.stage) => {
                    self.values.load_for(&state, &store).await?;
                    let earlier = Earlier::read(state.calls.get(key), &self.values, &store).await?;
                    let again = self.evaluation(&state, &mut RunScope::default()).prepared(key, &earlier);
                    let payload = again.ok().map(|request| Payload::Model(Box::new(request)));
                    if let Some(payload) = payload.filter(|payload| payload.digest() == *request) {
                        sent.insert(key.clone(), payload);
                    }
                }
                _ => {}
            }
            state.apply(record).map_err(|error| Problem::new(ErrorCode::Corrupt, error.to_string()))?;
        }
        Ok(sent)
    }

    fn evaluation<'a>(&'a self, state: &'a State, scope: &'a mut RunScope) -> Evaluation<'a> {
        Evaluation { pinned: &self.pinned, state, values: &self.values, templates: &self.templates, scope }
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
