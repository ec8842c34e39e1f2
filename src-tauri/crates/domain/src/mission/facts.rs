//! What the machine of missions knows of a graph: numbers, ids and priorities, never a text.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Digest;

/// One whole, in the shares of this module.
pub const MILLION: u32 = 1_000_000;

/// A share of this module in whole percent.
pub fn percent(millionths: u32) -> u64 {
    u64::from(millionths) * 100 / u64::from(MILLION)
}

/// The id of something in a graph: a letter for its kind and a number, `c12`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ItemId(pub String);

/// How many of each kind a graph holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct GraphCounts {
    /// Entities.
    pub entities: u32,
    /// Relations between them.
    pub relations: u32,
    /// Sources.
    pub sources: u32,
    /// Citations.
    pub citations: u32,
    /// Claims that at least one checked citation supports.
    pub supported_claims: u32,
    /// Claims without one.
    pub unsupported_claims: u32,
    /// Claims that an open contradiction touches.
    pub disputed_claims: u32,
    /// Claims that the user rejected, or that another one replaced.
    pub rejected_claims: u32,
    /// Gaps that are open.
    pub open_gaps: u32,
    /// Of these, the critical ones.
    pub open_critical_gaps: u32,
    /// Gaps that were closed.
    pub closed_gaps: u32,
    /// Contradictions that are open.
    pub open_contradictions: u32,
    /// Leads that nobody followed.
    pub open_leads: u32,
}

/// Everything that decisions of a mission may depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraphFacts {
    /// The version of the graph.
    pub version: u64,
    /// What it holds.
    pub counts: GraphCounts,
    /// The share of required topics that enough independent sources cover, in millionths.
    pub coverage: u32,
    /// The mean confidence of supported claims, in millionths.
    pub confidence: u32,
    /// The quality of what is known, 0 to 100 points in millionths of the whole.
    pub quality: u32,
    /// The fewest independent sources that a supported claim rests on.
    pub sources_per_claim: u32,
    /// The named conditions of the profile, and whether each holds.
    pub validations: BTreeMap<String, bool>,
    /// What could be done next, the most urgent first.
    pub agenda: Vec<AgendaItem>,
}

/// How many questions, gaps and leads of a graph are those of missions before: the first of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EarlierItems {
    /// Questions of the plan.
    pub questions: u32,
    /// Gaps.
    pub gaps: u32,
    /// Leads.
    pub leads: u32,
}

/// What a report tells of what is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DraftFacts {
    /// Supported claims that it tells.
    pub told: u32,
    /// Supported claims that there were.
    pub known: u32,
    /// The share of required sections that it has, in millionths; whole where none is required.
    pub sections: u32,
    /// The share of open questions and contradictions that it states, in millionths; whole where nothing is open.
    pub open: u32,
}

impl DraftFacts {
    /// How complete it is, in millionths: 60 % the claims that it tells of so many, 25 % its sections, 15 % what is open. A
    /// draft that was written when less was known is measured against what is known now.
    pub fn completeness(&self, known: u32) -> u32 {
        let whole = u64::from(MILLION);
        let told = match known {
            0 => whole,
            known => (u64::from(self.told) * whole / u64::from(known)).min(whole),
        };
        let sum = 60 * told + 25 * u64::from(self.sections) + 15 * u64::from(self.open);
        u32::try_from((sum + 50) / 100).unwrap_or(MILLION)
    }

    /// The quality of a draft, in millionths: that of what is known, as far as the draft tells it.
    pub fn quality(&self, known: u32) -> u32 {
        let share = u64::from(self.completeness(self.known));
        u32::try_from(u64::from(known) * share / u64::from(MILLION)).unwrap_or(MILLION)
    }
}

/// Where an item of the agenda comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgendaKind {
    /// A question of the plan.
    Question,
    /// An open gap.
    Gap,
    /// An open contradiction.
    Contradiction,
    /// A lead.
    Lead,
}

/// How far an item of the agenda is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgendaStatus {
    /// Nobody has begun.
    Pending,
    /// An invocation was made for it, and it is still open.
    Tried,
    /// It is done.
    Done,
    /// It will not be done.
    Dropped,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgendaItem {
    /// The gap, contradiction, lead or question.
    pub id: ItemId,
    /// Where it comes from.
    pub kind: AgendaKind,
    /// 1 (nice to have) to 10 (a contradiction); 0 for what a mission before left open.
    pub priority: u8,
    /// The capability that it needs.
    pub capability: String,
    /// SHA-256 of its question as it is compared, and of the ids of what it is about with their versions: equal where
    /// nothing that touches it has changed.
    pub fingerprint: Digest,
    /// Items that have to be done first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<ItemId>,
    /// How far it is.
    pub status: AgendaStatus,
}

/// A claim that the user rejects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimRejection {
    /// The claim.
    pub claim: ItemId,
    /// Why, in the user's words.
    pub why: String,
}

/// A change of the plan by the user. What answers a question that is no longer asked stays in the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "edit", deny_unknown_fields)]
pub enum PlanEdit {
    /// Another question is asked.
    Add {
        /// The question.
        text: String,
        /// Whether the objective can't be met without an answer.
        required: bool,
    },
    /// A question is asked in other words: a new one takes its place.
    Reword {
        /// The question.
        question: ItemId,
        /// The words.
        text: String,
    },
    /// A question is no longer asked.
    Drop {
        /// The question.
        question: ItemId,
    },
}

/// Why a gap is closed. There is no other way to close one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Closing {
    /// Claims answer it, each supported.
    Evidence {
        /// The claims; at least one.
        claims: Vec<ItemId>,
    },
    /// The user closed it.
    Person {
        /// In the user's words.
        reason: String,
    },
    /// Another gap asks the same.
    Superseded {
        /// That gap.
        other: ItemId,
    },
    /// It was opened for a question that the plan dropped, or a claim that no longer stands.
    Moot {
        /// That question or claim.
        of: ItemId,
    },
}

/// How a contradiction was settled. There is no other way to settle one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Settlement {
    /// One claim stands, for the evidence named; the other is superseded.
    Preferred {
        /// The claim that stands.
        claim: ItemId,
        /// The claims or citations that decide it; at least one.
        evidence: Vec<ItemId>,
    },
    /// They are about different things or times: both stand.
    Compatible {
        /// The claims or citations that show it; at least one.
        evidence: Vec<ItemId>,
    },
    /// The user decided.
    Person {
        /// The claim that stands, where one does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claim: Option<ItemId>,
        /// In the user's words.
        reason: String,
    },
}
