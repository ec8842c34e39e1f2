//! Blobs of a run as JSON values: read once, kept while the run is driven.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::{Digest, ErrorCode, Problem, canonical};
use pipeline::{CallStatus, Phase, State};
use serde_json::Value;

use crate::core::payloads::Payloads;

/// The values that the evaluation of a run may need.
#[derive(Debug, Default)]
pub(crate) struct Values {
    known: BTreeMap<Digest, Arc<Value>>,
}

impl Values {
    /// A value that was loaded or put.
    pub(crate) fn get(&self, digest: Digest) -> Option<&Arc<Value>> {
        self.known.get(&digest)
    }

    /// Keeps a value; gives its digest and the bytes to store.
    pub(crate) fn put(&mut self, value: Value) -> (Digest, Vec<u8>) {
        let bytes = canonical(&value).into_bytes();
        let digest = Digest::of(&bytes);
        // As it would be read back: neither the order of keys nor the form of a number may tell a new value from a stored one.
        self.known.entry(digest).or_insert_with(|| Arc::new(serde_json::from_slice(&bytes).unwrap_or(value)));
        (digest, bytes)
    }

    /// Loads what the state refers to and the evaluation may read next.
    pub(crate) async fn load_for(&mut self, state: &State, payloads: &dyn Payloads) -> Result<(), Problem> {
        let mut wanted: BTreeSet<Digest> = BTreeSet::new();
        wanted.extend(state.follow_up.as_ref().and_then(|follow_up| follow_up.context));
        wanted.extend(state.start.as_ref().and_then(|start| start.inputs));
        for (node, stage) in state.graph.nodes.iter().zip(&state.stages) {
            wanted.extend(stage.output);
            let asking = |call: &&pipeline::Call| call.status == CallStatus::Asking;
            if node.child.is_some() && stage.phase == Phase::Running {
                wanted.extend(state.calls.values().filter(asking).filter_map(|call| call.said));
            }
            if stage.phase == Phase::Running {
                let held = |call: &&pipeline::Call| call.status.result().is_none();
                wanted.extend(state.calls.values().filter(held).filter_map(|call| call.asks));
                let drafts = |call: &pipeline::Call| {
                    [&call.draft, &call.continues].map(|draft| Some(draft.as_ref()?.text))
                };
                wanted.extend(state.calls.values().filter(held).flat_map(drafts).flatten());
            }
            wanted.extend(stage.history.last().map(|attempt| attempt.output));
            wanted.extend(stage.mended().map(|attempt| attempt.output));
            if node.continues && matches!(stage.phase, Phase::Pending | Phase::Running) {
                let said = state.follows(&node.id).map(|last| state.said_in(&last)).unwrap_or_default();
                let calls = said.iter().filter_map(|key| state.calls.get(key));
                wanted.extend(calls.filter_map(|call| call.status.result()?.ok()));
            }
            if stage.phase == Phase::Running {
                if let pipeline::Handoff::Done(handoff) = stage.handoff() {
                    wanted.insert(handoff);
                }
                for wave in 0..stage.waves {
                    wanted.extend(state.wave_results(&node.id, wave).into_iter().flatten());
                }
            }
        }
        for digest in wanted {
            if let Entry::Vacant(vacant) = self.known.entry(digest) {
                vacant.insert(Arc::new(read(payloads, digest).await?));
            }
        }
        Ok(())
    }
}

/// Reads a blob as JSON.
pub(crate) async fn read(payloads: &dyn Payloads, digest: Digest) -> Result<Value, Problem> {
    let bytes = payloads.payload(digest).await?;
    serde_json::from_slice(&bytes).map_err(|error| {
        Problem::new(ErrorCode::Corrupt, format!("stored value {} is not JSON: {error}", digest.short()))
    })
}
