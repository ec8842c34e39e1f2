//! The output contract of a specialist: what it found, each claim with its sources.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Digest;

/// What one invocation of a specialist found. Every list may be empty; a claim without a citation is kept, as
/// unsupported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Findings {
    /// The sources that the citations name.
    pub sources: Vec<FoundSource>,
    /// People, organisations, standards, products and terms that matter.
    pub entities_discovered: Vec<FoundEntity>,
    /// What was found, one statement each.
    pub claims: Vec<FoundClaim>,
    /// How entities are connected.
    pub relationships_discovered: Vec<FoundRelation>,
    /// Questions that stayed open.
    pub gaps_identified: Vec<FoundGap>,
    /// What would be worth following.
    pub suggested_follow_ups: Vec<FoundLead>,
    /// Statements that can't both be true.
    pub contradictions: Vec<FoundContradiction>,
}

/// What kind of source it is. It decides how much a claim that rests on it is worth.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// A published standard.
    Standard,
    /// A law or regulation.
    Law,
    /// A reviewed publication.
    PeerReviewed,
    /// What an authority or the organisation itself says.
    Official,
    /// An original document: a contract, a filing, a data set.
    Primary,
    /// A newspaper or agency.
    News,
    /// A trade publication.
    Trade,
    /// A blog or forum.
    Blog,
    /// What the user said.
    Person,
    /// Nothing is known about it.
    #[default]
    Unknown,
}

/// A document or page that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoundSource {
    /// How citations of these findings name it.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its address, or `kb:<base>/<document>` for a document of a knowledge base.
    pub address: String,
    /// What kind it is.
    #[serde(default)]
    pub kind: SourceKind,
    /// SHA-256 of the bytes that were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Digest>,
    /// The day it was published, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The day it was read, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved: Option<String>,
}

/// An entity as a specialist names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoundEntity {
    /// Its name.
    pub name: String,
    /// `person`, `organisation`, `standard`, `product`, `place`, `term` …
    #[serde(default)]
    pub kind: String,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// One sentence about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
}

/// What a claim says of the world.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// Something that is so or not.
    #[default]
    Fact,
    /// A figure that somebody estimated.
    Estimate,
    /// What a term means.
    Definition,
    /// What somebody holds.
    Opinion,
}

/// A statement with its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoundClaim {
    /// The statement, one sentence.
    pub text: String,
    /// What it says.
    #[serde(default)]
    pub kind: ClaimKind,
    /// How sure the specialist is, 0 to 100. Kept for the record; the confidence of a claim is computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// Whether it is true as of a time, so that an old source counts less.
    #[serde(default)]
    pub dated: bool,
    /// The entities that it is about, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<FoundCitation>,
    /// The question of the plan that it answers, as the task names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<String>,
}

/// One citation of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoundCitation {
    /// The `id` of one of the sources.
    pub source: String,
    /// The words of the source, to the letter.
    pub quote: String,
    /// The paragraph that holds them, where the source has paragraphs with keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraph: Option<String>,
    /// The page that holds them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
}

/// A connection between two entities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoundRelation {
    /// The name of one entity.
    pub from: String,
    /// The name of the other.
    pub to: String,
    /// What connects them: `owns`, `requires`, `part_of` …
    pub kind: String,
    /// One sentence about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<FoundCitation>,
}

/// A question that stayed open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoundGap {
    /// The question.
    pub question: String,
    /// Whether the objective can't be met without it.
    #[serde(default)]
    pub critical: bool,
    /// The capability that could answer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// The entities that it is about, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
}

/// Something worth following.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoundLead {
    /// What to look at.
    pub text: String,
    /// How much it would bring, 0 to 100.
    #[serde(default)]
    pub value: u8,
    /// How much work it would be, 0 to 100.
    #[serde(default)]
    pub effort: u8,
    /// The capability that it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// The entities that it is about, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
}

/// Two statements that can't both be true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoundContradiction {
    /// One statement: the text of a claim of these findings, or the id of a claim that was given.
    pub first: String,
    /// The other.
    pub second: String,
    /// What they disagree about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
}
