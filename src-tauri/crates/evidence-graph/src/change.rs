//! The changes of a graph, as data, and why changes are refused.

use domain::mission::{Closing, ItemId, Settlement};
use domain::{Digest, Proof, SentenceVerdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::item::{
    Citation, Claim, ConfidenceParts, Contradiction, Entity, Gap, ItemKind, Lead, LeadStatus, Question,
    Relation, Source,
};

/// The form of [`Changes`] that this program writes, and the only one that it reads.
pub const CHANGES_VERSION: u32 = 1;

/// Items of one kind that a graph holds.
pub const MAX_ITEMS: usize = 1_000_000;

/// Changes that are made together, or not at all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Changes {
    /// Their form: [`CHANGES_VERSION`].
    pub format: u32,
    /// The version of the graph that they were made for.
    pub from: u64,
    /// The invocation, or `analysis`, or `user`.
    pub by: String,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

/// One change. What follows from others (the status of a claim, the citations of an item, revisions) is computed, and
/// what a new item says of it is not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "change", deny_unknown_fields)]
pub enum Change {
    /// A source was read for the first time.
    SourceAdded {
        /// The source.
        source: Source,
    },
    /// The bytes of a source became known.
    SourceRead {
        /// The source.
        source: ItemId,
        /// SHA-256 of the bytes.
        object: Digest,
    },
    /// An entity was met for the first time.
    EntityAdded {
        /// The entity.
        entity: Entity,
    },
    /// An entity has another name.
    EntityNamed {
        /// The entity.
        entity: ItemId,
        /// The name.
        alias: String,
    },
    /// What was not known of an entity; what was known stays.
    EntityDescribed {
        /// The entity.
        entity: ItemId,
        /// Its kind, or nothing.
        kind: String,
        /// A sentence about it, or nothing.
        description: String,
    },
    /// Two entities are connected.
    RelationAdded {
        /// The relation.
        relation: Relation,
    },
    /// The plan asks a question.
    QuestionAdded {
        /// The question.
        question: Question,
    },
    /// The plan no longer asks a question.
    QuestionDropped {
        /// The question.
        question: ItemId,
        /// Why.
        reason: String,
    },
    /// Something is stated for the first time.
    ClaimAdded {
        /// The claim.
        claim: Claim,
    },
    /// A claim is about more, or answers more.
    ClaimLinked {
        /// The claim.
        claim: ItemId,
        /// Entities; those that it has are left out.
        entities: Vec<ItemId>,
        /// Questions and gaps; those that it has are left out.
        answers: Vec<ItemId>,
    },
    /// A claim was stated in other words.
    ClaimWorded {
        /// The claim.
        claim: ItemId,
        /// The words.
        wording: String,
    },
    /// Better supported words become the text of a claim; the earlier ones stay as a wording.
    ClaimRestated {
        /// The claim.
        claim: ItemId,
        /// The words.
        text: String,
    },
    /// The confidence of a claim was computed.
    ClaimScored {
        /// The claim.
        claim: ItemId,
        /// Millionths.
        confidence: u32,
        /// What it is made of.
        parts: ConfidenceParts,
    },
    /// The user keeps a claim.
    ClaimPinned {
        /// The claim.
        claim: ItemId,
    },
    /// The user no longer keeps a claim.
    ClaimUnpinned {
        /// The claim.
        claim: ItemId,
    },
    /// The user rejects a claim. Its open contradictions are settled by that.
    ClaimRejected {
        /// The claim.
        claim: ItemId,
        /// In the user's words.
        reason: String,
    },
    /// A claim or a relation rests on a quote.
    CitationAdded {
        /// The citation.
        citation: Citation,
    },
    /// A citation was checked again.
    CitationChecked {
        /// The citation.
        citation: ItemId,
        /// What checking found.
        verdict: SentenceVerdict,
        /// How far code alone could carry it.
        proof: Proof,
        /// The paragraph that holds the quote.
        paragraph: Option<String>,
    },
    /// A question stayed open.
    GapOpened {
        /// The gap.
        gap: Gap,
    },
    /// Somebody else raised a gap, too.
    GapRaised {
        /// The gap.
        gap: ItemId,
        /// The invocation.
        by: String,
    },
    /// A gap is closed.
    GapClosed {
        /// The gap.
        gap: ItemId,
        /// Why.
        closing: Closing,
    },
    /// What closed a gap no longer holds.
    GapReopened {
        /// The gap.
        gap: ItemId,
    },
    /// Two claims can't both be true.
    ContradictionFound {
        /// The contradiction.
        contradiction: Contradiction,
    },
    /// A contradiction is settled.
    ContradictionSettled {
        /// The contradiction.
        contradiction: ItemId,
        /// How.
        settlement: Settlement,
    },
    /// Something is worth following.
    LeadAdded {
        /// The lead.
        lead: Lead,
    },
    /// The worth of a lead was computed.
    LeadRated {
        /// The lead.
        lead: ItemId,
        /// Millionths.
        novelty: u32,
        /// Millionths.
        score: u32,
    },
    /// A lead is followed, dropped, or asks the same as another one.
    LeadClosed {
        /// The lead.
        lead: ItemId,
        /// How; not open.
        status: LeadStatus,
    },
}

/// Why changes were refused. The graph is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// They have another form.
    #[error("the changes have form {found}; this program reads form {CHANGES_VERSION}")]
    Format {
        /// Their form.
        found: u32,
    },
    /// They were made for another version.
    #[error(
        "the changes were made for version {found} of the graph, which has version {version}: make them again"
    )]
    Version {
        /// The graph's version.
        version: u64,
        /// The version that they were made for.
        found: u64,
    },
    /// A new item has not the next id.
    #[error("a new item has the id {found}; the next one is {expected}")]
    Id {
        /// Its id.
        found: String,
        /// The next id.
        expected: String,
    },
    /// There are too many items of a kind.
    #[error("the graph holds {MAX_ITEMS} items of the kind {0:?}; no more fit")]
    Full(ItemKind),
    /// Something is named that is not there.
    #[error("{0} is not in the graph, or not of the kind that is named here")]
    Unknown(String),
    /// The same is there already.
    #[error("{0} says the same")]
    Duplicate(String),
    /// A gap or contradiction would end without evidence.
    #[error("{0} needs evidence to be closed: name claims or citations, or let the user decide")]
    NoEvidence(String),
    /// The evidence named does not hold.
    #[error("{evidence} is no evidence for {of}: it is not supported, or in question itself")]
    Unsupported {
        /// What would end.
        of: String,
        /// What was named for it.
        evidence: String,
    },
    /// The user gave no reason.
    #[error("closing {0} by hand needs a reason")]
    NoReason(String),
    /// It has ended already.
    #[error("{0} is not in a state in which that can be done")]
    State(String),
    /// The user keeps the claim.
    #[error("{0} is pinned: unpin it first")]
    Pinned(String),
    /// A claim is named that is not one of the two.
    #[error("{claim} is no part of {of}")]
    Part {
        /// The contradiction.
        of: String,
        /// The claim named.
        claim: String,
    },
}
