//! What a run is writing, as far as it was streamed.

use domain::Problem;
use engine_types::DraftRow;
use pipeline::{Call, CallDraft};

use crate::core::engine::Engine;
use crate::core::stored::StoredRun;
use crate::run::values::read;

impl Engine {
    /// What is being written in a run and in those that work for it.
    pub async fn drafts(&self, loaded: &StoredRun) -> Result<Vec<DraftRow>, Problem> {
        let mut rows = self.own_drafts(loaded, None).await?;
        for (title, call) in open_calls(loaded) {
            let Some(child) = call.child.as_ref().filter(|_| call.is_child) else { continue };
            // A turn is no run, and what is gone says nothing.
            let Ok(worker) = self.load(child).await else { continue };
            rows.extend(self.own_drafts(&worker, Some(&title)).await?);
        }
        Ok(rows)
    }

    async fn own_drafts(&self, loaded: &StoredRun, within: Option<&str>) -> Result<Vec<DraftRow>, Problem> {
        let mut rows = Vec::new();
        for (title, call) in open_calls(loaded) {
            let Some(CallDraft { words, text, .. }) = call.draft else { continue };
            let text = read(&self.parts().store, text).await?.as_str().unwrap_or_default().to_owned();
            let title = within.map_or_else(|| title.clone(), |within| format!("{within}: {title}"));
            rows.push(DraftRow { run: loaded.run.clone(), title, words, text });
        }
        Ok(rows)
    }
}

/// The calls of a run that have no result yet, each with what it is for.
fn open_calls(loaded: &StoredRun) -> impl Iterator<Item = (String, &Call)> {
    let open = loaded.state.calls.iter().filter(|(_, call)| call.status.result().is_none());
    open.filter_map(|(key, call)| {
        let stage = loaded.pinned.stage(&key.stage)?;
        let title = match stage.for_each.is_some() {
            true => format!("{}, {}", stage.title, call.item_name(key)),
            false => stage.title.clone(),
        };
        Some((title, call))
    })
}
