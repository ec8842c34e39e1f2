//! The end of what had not ended where a log of a bundle was written: calls of tools do not go on here, and the run itself
//! waits until the person goes on with it.

use dialogue::{Event, ToolEnd};
use domain::{Digest, Problem};
use engine::turn::encode_turn;
use sessions::suspension;
use transfer::RunFile;

use crate::bundle_import::unfolded;

/// What a model is told of a call that had not ended where its session was taken along.
pub const NOT_RUN: &str = "This call had not ended when the conversation was moved to another machine, and it does not go on here. \
     What it did there is not known.";

/// Events that end what had not ended where a log was written.
pub struct ClosingEvents {
    /// The number of the last one.
    pub last: u64,
    /// As the log holds them.
    pub events: Vec<u8>,
    /// Whether the run was under way, and is suspended now.
    pub suspends: bool,
    /// Calls of tools that end with them.
    pub calls: usize,
}

impl ClosingEvents {
    /// Of a staged run or a mission whose log ends with this event; `is_open`: it was under way.
    pub fn of_run(run: &RunFile, seq: u64, is_open: bool) -> Result<Option<Self>, Problem> {
        if !is_open {
            return Ok(None);
        }
        let last = seq + 1;
        let events = suspension(&run.kind, last, run.updated_at)?;
        Ok(Some(Self { last, events, suspends: true, calls: 0 }))
    }

    /// Ends calls of tools that were under way, allowed or waiting for permission. Who resumed the turn here would let them
    /// run without having been asked, or with the question that the bundle shows. A question of the agent may still be
    /// answered.
    pub fn of_turn(state: &mut dialogue::State, run: &RunFile) -> Result<Option<Self>, Problem> {
        if state.end.is_some() {
            return Ok(None);
        }
        let open = state.tools.iter().filter(|(_, call)| call.end.is_none() && call.question.is_none());
        let closing: Vec<Event> = open
            .map(|(id, call)| Event::ToolEnded {
                call: id.clone(),
                end: if call.started { ToolEnd::Unknown } else { ToolEnd::Denied },
                result: Digest::of(NOT_RUN),
                summary: "it had not ended when the conversation was moved".to_owned(),
                show: Vec::new(),
                ms: 0,
                ends: false,
            })
            .collect();
        let calls = closing.len();
        let mut records = Vec::with_capacity(calls + 1);
        let mut take = |state: &mut dialogue::State, event| {
            let at = u64::try_from(run.updated_at).unwrap_or_default();
            let record =
                dialogue::Record { seq: state.seq + 1, at, v: dialogue::EVENT_VERSION, active_ms: 0, event };
            state.apply(&record).map_err(|error| unfolded(false, &error))?;
            records.push(record);
            Ok::<(), Problem>(())
        };
        for event in closing {
            take(state, event)?;
        }
        let suspends = state.status() == dialogue::Status::Running;
        if suspends {
            take(state, Event::Suspended)?;
        }
        if records.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self { last: state.seq, events: encode_turn(&records)?, suspends, calls }))
    }

    /// What the person is told of them.
    pub fn notes(&self, run: &RunFile) -> Vec<String> {
        let mut notes = Vec::new();
        if self.calls > 0 {
            notes.push(format!("{} calls of tools had not ended; they do not go on here", self.calls));
        }
        // What works for another run is its part.
        if self.suspends && run.parent.is_none() {
            notes.push("it had not ended; it goes on here when you resume it".to_owned());
        }
        notes
    }
}
