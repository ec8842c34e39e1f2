//! How a turn stands in its log and in the lists, and what surfaces see of it.

use dialogue::{Record, State, Status};
use domain::{ErrorCode, NanoUsd, Problem, RunId, RunStatus};
use store::{Batch, NewRun, Passage, Store};

use super::show::plan;
use super::steps::Steps;
use crate::core::blobs::Blobs;
use crate::core::journal::{Logged, fold};
use crate::core::log::rows;
use crate::core::passages::UniqueTexts;

/// A turn's state, what surfaces see of it, and the part of its log that is not stored yet.
pub(super) type Journal = crate::core::journal::Journal<State>;

/// What is folded beside the state of a turn.
#[derive(Default)]
pub(crate) struct TurnLists {
    pub(super) steps: Steps,
    said: UniqueTexts,
}

impl Logged for State {
    type View = TurnLists;

    fn listed(&self) -> (RunStatus, bool) {
        (status_of(self), matches!(self.status(), Status::Waiting | Status::Completed | Status::Failed))
    }

    /// The person's time is not the turn's.
    fn works(&self) -> bool {
        !matches!(self.status(), Status::Waiting | Status::Suspended)
    }

    fn set_aside(&self) -> NanoUsd {
        State::set_aside(self)
    }

    fn view(view: &mut TurnLists, record: &Record, blobs: &Blobs) -> Option<Passage> {
        view.steps.take(record);
        view.said.passage(record, |digest| blobs.at_hand(digest))
    }
}

/// For a turn that begins.
pub(super) fn begun(run: RunId, store: Store, create: NewRun) -> Journal {
    Journal::new(run, State::default(), store, create)
}

/// For a turn as it stands in the log.
pub(super) fn resumed(
    run: RunId,
    store: Store,
    records: &[Record],
    row: &store::Run,
) -> Result<Journal, Problem> {
    let mut state = State::default();
    let mut view = TurnLists::default();
    for record in records {
        fold(&mut state, record, format_args!("turn {run}"))?;
        view.steps.take(record);
    }
    view.steps.forget_changes();
    view.said.skip(records);
    let mut journal = Journal::resume(run, state, store, row);
    journal.view = view;
    Ok(journal)
}

/// The status of a turn in the lists: one that ended with a plan waits for the person.
pub(crate) fn status_of(state: &State) -> RunStatus {
    match plan(state) {
        Some(_) => RunStatus::Planned,
        None => state.status().into(),
    }
}

/// The records of stored commits, in order.
///
/// # Errors
/// When they are not those of a turn.
pub fn decode_turn(batches: &[Batch]) -> Result<Vec<Record>, Problem> {
    let mut records = Vec::new();
    for batch in batches {
        let mut some = rows(&batch.bytes).map_err(|error| {
            let what = format!("a stored batch of a turn's events can't be read: {error}");
            Problem::new(ErrorCode::Corrupt, what)
        })?;
        records.append(&mut some);
    }
    Ok(records)
}
