//! What was kept, changed and left out.

use std::collections::{BTreeMap, BTreeSet};

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

impl ImportOutcome {
    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "new",
            Self::Changed => "changed",
            Self::LeftOut => "left out",
        }
    }
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

    /// Whether everything was refused: something was left out and nothing else came of it, or no session was taken and none was
    /// `known` before.
    pub fn is_refusal(&self, known: u32) -> bool {
        let came = |counts: &Counts| counts.kept + counts.changed > 0;
        let is_left_out = self.counts.values().any(|counts| counts.left_out > 0);
        let nothing = is_left_out && !self.counts.values().any(came);
        let session = self.counts.get("session").copied().unwrap_or_default();
        known == 0 && (nothing || session.left_out > 0 && !came(&session))
    }

    /// The report as lines for a terminal, at most so many of single things; each says the same once.
    pub fn to_lines(&self, most: usize) -> Vec<String> {
        let counted = self.counts.iter().map(|(kind, counts)| {
            format!("{kind}: {} kept, {} changed, {} left out", counts.kept, counts.changed, counts.left_out)
        });
        let mut said = BTreeSet::new();
        let lines =
            self.lines.iter().filter(|line| said.insert((&line.kind, &line.what, &line.why))).take(most);
        let lines = lines.map(|line| {
            format!("{}: {} {}: {} ({})", line.fate.as_str(), line.kind, line.what, line.why, line.place)
        });
        let more = (self.lines.len() as u64 + self.more).saturating_sub(most as u64);
        let rest = (more > 0).then(|| format!("and {more} more (--json lists them)"));
        counted.chain(lines).chain(rest).collect()
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
