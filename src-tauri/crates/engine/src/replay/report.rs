//! What recomputing a stored run or turn gave.

use domain::{Digest, Problem};
use engine_types::{Difference, Gap, Replay};
use serde::Serialize;

/// The most characters of a value that are told.
const MAX_SHOWN_CHARS: usize = 400;

/// One event's place in the log, with the report that it goes into.
pub(crate) struct EventReport<'a> {
    pub(crate) report: &'a mut Replay,
    pub(crate) seq: u64,
    pub(crate) place: String,
}

impl EventReport<'_> {
    /// Compares a value with what it comes out as.
    pub(crate) fn same<T: PartialEq + Shown + ?Sized>(&mut self, what: &str, recorded: &T, recomputed: &T) {
        if recorded != recomputed {
            self.differs(what, recorded.shown(), recomputed.shown());
        }
    }

    /// Something came out differently.
    pub(crate) fn differs(&mut self, what: &str, recorded: impl Into<String>, recomputed: impl Into<String>) {
        let cut = |text: String| -> String {
            let mut shown: String = text.chars().take(MAX_SHOWN_CHARS).collect();
            if shown.len() < text.len() {
                shown.push('…');
            }
            shown
        };
        self.report.differ(Difference {
            run: self.report.run.clone(),
            seq: self.seq,
            place: self.place.clone(),
            what: what.to_owned(),
            recorded: cut(recorded.into()),
            recomputed: cut(recomputed.into()),
        });
    }

    /// It fails now.
    pub(crate) fn fails(&mut self, what: &str, recorded: impl Into<String>, problem: &Problem) {
        self.differs(what, recorded, format!("it can't be computed: {}", problem.message));
    }

    /// It can't be computed again.
    pub(crate) fn gap(&mut self, why: impl Into<String>) {
        self.report.gap(Gap {
            run: self.report.run.clone(),
            seq: self.seq,
            place: self.place.clone(),
            why: why.into(),
        });
    }
}

/// How a value stands in a report.
pub(crate) trait Shown {
    fn shown(&self) -> String;
}

impl Shown for Digest {
    fn shown(&self) -> String {
        self.to_string()
    }
}

impl Shown for str {
    fn shown(&self) -> String {
        self.to_owned()
    }
}

/// Anything of the log: as the JSON that it is stored as.
pub(crate) struct Json<'a, T>(pub(crate) &'a T);

impl<T: PartialEq> PartialEq for Json<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Serialize> Shown for Json<'_, T> {
    fn shown(&self) -> String {
        serde_json::to_string(self.0).unwrap_or_default()
    }
}
