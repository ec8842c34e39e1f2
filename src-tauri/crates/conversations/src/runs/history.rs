//! What only a run's log tells: when things happened and how long stages worked.

use std::collections::{BTreeMap, BTreeSet};

use domain::{Digest, PauseId, StageId};
use pipeline::{Event, PauseKind, Record};

/// When a stage worked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// When it began, in milliseconds since 1970.
    pub started_at: Option<i64>,
    /// When it ended; nothing while it works again.
    pub ended_at: Option<i64>,
    /// Active milliseconds, all attempts together.
    pub active_ms: u64,
}

/// An answer to a pause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answer {
    /// When.
    pub at: i64,
    /// Whether the output was edited with it.
    pub edited: bool,
}

/// The log, read once.
#[derive(Debug, Default)]
pub struct History {
    pub stages: BTreeMap<StageId, Times>,
    pub answers: BTreeMap<PauseId, Answer>,
}

impl History {
    /// Active time counts for every stage that was at work: of stages side by side each worked all of it.
    pub fn of(records: &[Record]) -> Self {
        let mut history = Self::default();
        let mut working: BTreeSet<StageId> = BTreeSet::new();
        let mut pauses: BTreeMap<PauseId, StageId> = BTreeMap::new();
        let mut outputs: BTreeMap<StageId, Digest> = BTreeMap::new();
        let mut edited: BTreeSet<StageId> = BTreeSet::new();
        for record in records {
            let at = record.at as i64;
            for stage in &working {
                history.stages.entry(stage.clone()).or_default().active_ms += record.active_ms;
            }
            match &record.event {
                Event::StageStarted { stage, .. } => {
                    let times = history.stages.entry(stage.clone()).or_default();
                    times.started_at.get_or_insert(at);
                    times.ended_at = None;
                    working.insert(stage.clone());
                }
                Event::StageCompleted { stage, .. }
                | Event::StageFailed { stage, .. }
                | Event::StageSkipped { stage, .. } => {
                    if let Event::StageCompleted { output, .. } = &record.event {
                        outputs.insert(stage.clone(), *output);
                    }
                    history.stages.entry(stage.clone()).or_default().ended_at = Some(at);
                    working.remove(stage);
                }
                Event::PauseRequested { pause, stage, kind } => {
                    pauses.insert(pause.clone(), stage.clone());
                    if *kind == PauseKind::Stage {
                        edited.remove(stage);
                    }
                }
                // A chosen depth alone leaves the output as it is.
                Event::Edited { stage, output, .. }
                    if outputs.insert(stage.clone(), *output) != Some(*output) =>
                {
                    edited.insert(stage.clone());
                }
                Event::Resumed { pause, .. } => {
                    let stage = pauses.get(pause);
                    let edited = stage.is_some_and(|stage| edited.remove(stage));
                    history.answers.insert(pause.clone(), Answer { at, edited });
                }
                _ => {}
            }
        }
        history
    }
}
