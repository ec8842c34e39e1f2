//! How far a run has come: its checkpoints, and the tables of its outputs.

use std::collections::BTreeMap;

use domain::{Digest, Problem};
use engine::{Chain, OutputTable, StoredRun};
use pipeline::{CheckpointCause, Event, Moment, Status};
use protocol::{CheckpointResume, CheckpointRow, RunProgress, RunRef, TableCell, TableView};
use serde_json::Value;

use crate::Conversations;

/// The most checkpoints that are given.
const MAX_CHECKPOINTS: usize = 2_000;

impl Conversations {
    /// A run's checkpoints and the tables of its outputs.
    pub async fn run_progress(&self, run: &RunRef) -> Result<RunProgress, Problem> {
        let run = self.find_for(run, "checkpoints").await?;
        let loaded = self.env.engine.load(&run).await?;
        let mut chain = Chain::default();
        for batch in self.env.store().load_events(&run.0).await? {
            chain.add(&run, &batch);
        }
        let heads: BTreeMap<u64, Digest> = chain.links().iter().map(|link| (link.last, link.head)).collect();
        let goes_on = !self.env.engine.is_live(&run)
            && matches!(
                loaded.state.status(),
                Status::Running | Status::Paused | Status::Suspended | Status::Failed
            );
        let checkpoints = checkpoints(&loaded, &heads, goes_on);
        let drafts = self.env.engine.drafts(&loaded).await?;
        let state_file = loaded.pinned.config.checkpoint.as_ref().map(|checkpoint| checkpoint.file.clone());
        let tables = self.env.engine.tables(loaded).await?;
        Ok(RunProgress {
            // One that depends on what the run was given is told by its files.
            state_file: state_file.filter(|file| !file.contains("{{")),
            checkpoints,
            drafts,
            tables: tables.into_iter().map(table).collect(),
            run,
        })
    }
}

/// The moments of a log that count. `heads`: the digest of the log after each commit, by the number of its last event.
fn checkpoints(loaded: &StoredRun, heads: &BTreeMap<u64, Digest>, goes_on: bool) -> Vec<CheckpointRow> {
    let mut rows = Vec::new();
    for record in &loaded.records {
        let Some(moment) = Moment::from_event(&record.event) else { continue };
        let stage = moment.stage.as_ref().and_then(|stage| loaded.pinned.stage(stage));
        let has_items = stage.is_some_and(|stage| stage.for_each.is_some());
        if !moment.counts(has_items) {
            continue;
        }
        // What was written together was committed together: the state is that after the commit.
        let Some((_, digest)) = heads.range(record.seq..).next() else { continue };
        let gate = moment.unit.and_then(|unit| loaded.state.graph.repair_units.get(unit as usize));
        let calls = &loaded.state.calls;
        let item = moment.call.as_ref().filter(|_| has_items);
        rows.push(CheckpointRow {
            seq: record.seq,
            at: record.at as i64,
            trigger: moment.trigger,
            title: stage.map(|stage| stage.title.clone()).or_else(|| gate?.name.clone()),
            item: item.and_then(|key| Some(calls.get(key)?.item_name(key))),
            words: match &record.event {
                Event::ModelCallDrafted { words, .. } => Some(*words),
                _ => None,
            },
            digest: *digest,
            resume: from_stage(loaded, &moment),
        });
    }
    if let Some(last) = rows.last_mut().filter(|_| goes_on) {
        last.resume = Some(CheckpointResume::Run);
    }
    let early = rows.len().saturating_sub(MAX_CHECKPOINTS);
    rows.split_off(early)
}

/// A run that does not work for another can be repeated from each of its stages, once it has ended.
fn from_stage(loaded: &StoredRun, moment: &Moment) -> Option<CheckpointResume> {
    let is_part = loaded.state.start.as_ref().is_none_or(|start| start.parent.is_some());
    let has_ended = matches!(loaded.state.status(), Status::Completed | Status::Failed | Status::Cancelled);
    let is_beginning = moment.trigger == CheckpointCause::StageStarted;
    let stage = moment.stage.clone().filter(|_| is_beginning && has_ended && !is_part)?;
    Some(CheckpointResume::Stage { stage })
}

fn table(of: OutputTable) -> TableView {
    // What is no number is part of nothing.
    let cell =
        |(value, max): (Value, Option<f64>)| TableCell { max: max.filter(|_| value.is_number()), value };
    let rows = of.rows.into_iter().zip(of.max).map(|(row, max)| {
        let limits = max.iter().map(Value::as_f64);
        row.into_iter().zip(limits).map(cell).collect()
    });
    TableView { title: of.title, columns: of.columns, rows: rows.collect() }
}
