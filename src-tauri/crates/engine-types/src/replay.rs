//! What recomputing a stored run or turn gave.

use domain::RunId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most differences and the most gaps that are told one by one.
const TOLD: usize = 100;

/// What recomputing a stored run or turn gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    /// The run or turn.
    pub run: RunId,
    /// Events that were read, those of the turns of its stages included.
    pub events: u64,
    /// Local steps that were computed again and compared: decisions, gates, requests, verdicts, outputs, forms.
    pub recomputed: u64,
    /// Documents whose bytes came out the same.
    pub documents: u32,
    /// Whether everything that was computed again came out as it is recorded.
    pub identical: bool,
    /// Where something came out differently; the first 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// How many more differences there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
    /// Steps that could not be computed again, because what they read is not stored; the first 100.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<Gap>,
}

/// A place where something came out differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// The run or turn whose log it is in.
    pub run: RunId,
    /// The event's number; 0 for what concerns the whole log.
    pub seq: u64,
    /// Where: `analyze / call S1#1.0.0`, `pause p1`.
    pub place: String,
    /// What: `request`, `output`, `verdict`, `form`, `decision`, …
    pub what: String,
    /// As it is recorded.
    pub recorded: String,
    /// As it comes out now.
    pub recomputed: String,
}

/// A step that could not be computed again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// The run or turn whose log it is in.
    pub run: RunId,
    /// The event's number.
    pub seq: u64,
    /// Where.
    pub place: String,
    /// Why.
    pub why: String,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde's form
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Replay {
    /// Nothing yet.
    pub fn new(run: RunId) -> Self {
        Self {
            run,
            events: 0,
            recomputed: 0,
            documents: 0,
            identical: true,
            differences: Vec::new(),
            more: 0,
            gaps: Vec::new(),
        }
    }

    /// The same with what the turn of a stage gave.
    pub fn with(&mut self, part: Self) {
        self.events += part.events;
        self.recomputed += part.recomputed;
        self.documents += part.documents;
        self.identical &= part.identical;
        self.more += part.more;
        for difference in part.differences {
            self.differ(difference);
        }
        let room = TOLD.saturating_sub(self.gaps.len());
        self.gaps.extend(part.gaps.into_iter().take(room));
    }

    /// Something came out differently.
    pub fn differ(&mut self, difference: Difference) {
        self.identical = false;
        if self.differences.len() < TOLD {
            self.differences.push(difference);
        } else {
            self.more += 1;
        }
    }

    /// Something can't be computed again.
    pub fn gap(&mut self, gap: Gap) {
        if self.gaps.len() < TOLD {
            self.gaps.push(gap);
        }
    }
}
