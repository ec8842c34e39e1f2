//! What was kept, changed and left out.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lines that are listed; what comes after is only counted.
const MAX_LINES: usize = 2_000;
/// The most characters of one field.
const MAX_FIELD_CHARS: usize = 400;

/// What became of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Fate")]
pub enum ImportOutcome {
    /// It is there as it was.
    Kept,
    /// It is there, but not as it was.
    Changed,
    /// It is not there.
    LeftOut,
}

/// What became of one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportLine {
    /// What kind of thing: `session`, `message`, `source`, …
    pub kind: String,
    /// Its name.
    pub what: String,
    /// What became of it.
    pub fate: ImportOutcome,
    /// Why, and what the person may do.
    pub why: String,
    /// Its file, with a line or a field.
    pub place: String,
}

/// How many things of a kind met each fate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// As they were.
    pub kept: u64,
    /// Not as they were.
    pub changed: u64,
    /// Not there.
    pub left_out: u64,
}

/// What became of everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// By kind.
    pub counts: BTreeMap<String, Counts>,
    /// What was changed or left out, and what is new and should be known by name, in the order in which it was met; at most 2,000.
    pub lines: Vec<ReportLine>,
    /// How many more there are.
    pub more: u64,
}

impl Report {
    /// Counts things that are there as they were.
    pub fn keep(&mut self, kind: &str, number: u64) {
        if number > 0 {
            self.counts.entry(kind.to_owned()).or_default().kept += number;
        }
    }

    /// Notes something that is there as it was and that the person should know of by name.
    pub fn bring(&mut self, kind: &str, what: &str, why: impl Into<String>, place: &str) {
        self.note(ImportOutcome::Kept, kind, what, why.into(), place);
    }

    /// Notes something that is not as it was.
    pub fn change(&mut self, kind: &str, what: &str, why: impl Into<String>, place: &str) {
        self.note(ImportOutcome::Changed, kind, what, why.into(), place);
    }

    /// Notes something that is not there.
    pub fn leave_out(&mut self, kind: &str, what: &str, why: impl Into<String>, place: &str) {
        self.note(ImportOutcome::LeftOut, kind, what, why.into(), place);
    }

    fn note(&mut self, fate: ImportOutcome, kind: &str, what: &str, why: String, place: &str) {
        let counts = self.counts.entry(kind.to_owned()).or_default();
        match fate {
            ImportOutcome::Kept => counts.kept += 1,
            ImportOutcome::Changed => counts.changed += 1,
            ImportOutcome::LeftOut => counts.left_out += 1,
        }
        if self.lines.len() >= MAX_LINES {
            self.more += 1;
            return;
        }
        self.lines.push(ReportLine {
            kind: kind.to_owned(),
            what: clipped(what),
            fate,
            why: clipped(&why),
            place: clipped(place),
        });
    }

    /// Whether something was left out and nothing else came of it.
    pub fn nothing_came(&self) -> bool {
        let all = || self.counts.values();
        all().any(|counts| counts.left_out > 0) && all().all(|counts| counts.kept + counts.changed == 0)
    }

    /// Takes another report in.
    pub fn take(&mut self, other: Self) {
        for (kind, counts) in other.counts {
            let own = self.counts.entry(kind).or_default();
            own.kept += counts.kept;
            own.changed += counts.changed;
            own.left_out += counts.left_out;
        }
        self.more += other.more;
        for line in other.lines {
            if self.lines.len() < MAX_LINES {
                self.lines.push(line);
            } else {
                self.more += 1;
            }
        }
    }
}

/// A text on one line, cut, without what a terminal would act on.
fn clipped(text: &str) -> String {
    let mut out: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_FIELD_CHARS + 1).collect();
    if out.chars().count() > MAX_FIELD_CHARS {
        out.pop();
        out.push('…');
    }
    out
}
