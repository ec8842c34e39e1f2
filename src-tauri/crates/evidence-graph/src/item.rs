//! What a graph holds. Ids are a letter for the kind and a number in order of creation: `c12` is the twelfth claim.

use domain::mission::{ClaimKind, Closing, ItemId, Settlement, SourceKind, percent};
use domain::{Digest, Proof, SentenceVerdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// `s`: a document or page.
    Source,
    /// `e`: a person, organisation, standard, product, place, term.
    Entity,
    /// `r`: a connection of two entities.
    Relation,
    /// `t`: a question of the plan.
    Question,
    /// `c`: a statement.
    Claim,
    /// `q`: a quote that a claim or a relation rests on.
    Citation,
    /// `g`: a question that stayed open.
    Gap,
    /// `x`: two claims that can't both be true.
    Contradiction,
    /// `l`: something worth following.
    Lead,
}

impl ItemKind {
    /// Every kind, in the order in which items refer to each other.
    pub const ALL: [Self; 9] = [
        Self::Source,
        Self::Entity,
        Self::Relation,
        Self::Question,
        Self::Claim,
        Self::Citation,
        Self::Gap,
        Self::Contradiction,
        Self::Lead,
    ];

    /// The letter of its ids.
    pub fn letter(self) -> char {
        match self {
            Self::Source => 's',
            Self::Entity => 'e',
            Self::Relation => 'r',
            Self::Question => 't',
            Self::Claim => 'c',
            Self::Citation => 'q',
            Self::Gap => 'g',
            Self::Contradiction => 'x',
            Self::Lead => 'l',
        }
    }

    /// The id of the item at a place, from 0.
    pub fn id(self, at: usize) -> ItemId {
        ItemId(format!("{}{}", self.letter(), at + 1))
    }

    /// The kind and the place, from 0, that an id names; none where it is no id.
    pub fn place(id: &ItemId) -> Option<(Self, usize)> {
        let kind = Self::ALL.into_iter().find(|kind| id.0.starts_with(kind.letter()))?;
        let digits = &id.0[1..];
        if digits.starts_with('0') || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some((kind, digits.parse::<usize>().ok()?.checked_sub(1)?))
    }
}

/// A document or page that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its id.
    pub id: ItemId,
    /// Its title.
    pub title: String,
    /// Its address, as it was given.
    pub address: String,
    /// What kind it is.
    pub kind: SourceKind,
    /// SHA-256 of the bytes that were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<Digest>,
    /// The generation of the knowledge base that holds it, where one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// The day it was published, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The day it was read, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retrieved: Option<String>,
    /// Who speaks: a host, a knowledge base, a published work. Sources of one origin are not independent.
    pub origin: String,
}

/// An entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entity {
    /// Its id.
    pub id: ItemId,
    /// Its name as it is compared.
    pub key: String,
    /// Its name.
    pub name: String,
    /// Other names, in the order in which they were met.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// `person`, `organisation`, `standard` …; may be empty.
    #[serde(default)]
    pub kind: String,
    /// One sentence about it; may be empty.
    #[serde(default)]
    pub description: String,
    /// How often something about it changed.
    #[serde(default)]
    pub revision: u32,
}

/// A connection of two entities.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// Its id.
    pub id: ItemId,
    /// One entity.
    pub from: ItemId,
    /// The other.
    pub to: ItemId,
    /// What connects them.
    pub kind: String,
    /// One sentence about it; may be empty.
    #[serde(default)]
    pub note: String,
    /// What it rests on.
    #[serde(default)]
    pub citations: Vec<ItemId>,
}

/// A question of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its id.
    pub id: ItemId,
    /// The question as it is compared.
    pub key: String,
    /// The question.
    pub text: String,
    /// The section of the report that its answer belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Whether the objective can't be met without an answer.
    #[serde(default)]
    pub required: bool,
    /// The capability that it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// Questions that have to be answered first.
    #[serde(default)]
    pub depends_on: Vec<ItemId>,
    /// Why it is no longer asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<String>,
}

/// How far a claim is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimStatus {
    /// No citation of it was found to support it.
    Unsupported,
    /// A citation supports it.
    Supported,
    /// An open contradiction touches it.
    Disputed,
    /// The user rejected it.
    Rejected,
    /// Another claim stands in its place.
    Superseded,
}

impl ClaimStatus {
    /// Whether it still takes part in what is known.
    pub fn is_live(self) -> bool {
        match self {
            Self::Unsupported | Self::Supported | Self::Disputed => true,
            Self::Rejected | Self::Superseded => false,
        }
    }

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Supported => "supported",
            Self::Disputed => "disputed",
            Self::Rejected => "rejected",
            Self::Superseded => "superseded",
        }
    }
}

/// The parts of a confidence, in millionths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceParts {
    /// What the citations carry together.
    pub support: u32,
    /// What open contradictions take.
    pub penalty: u32,
    /// How many independent origins support it.
    pub origins: u32,
}

/// A statement with its citations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its id.
    pub id: ItemId,
    /// The statement as it is compared.
    pub key: String,
    /// The statement.
    pub text: String,
    /// Other wordings of it.
    #[serde(default)]
    pub wordings: Vec<String>,
    /// What it says of the world.
    pub kind: ClaimKind,
    /// Whether it is true as of a time.
    #[serde(default)]
    pub dated: bool,
    /// The entities that it is about.
    #[serde(default)]
    pub entities: Vec<ItemId>,
    /// The questions and gaps that it answers.
    #[serde(default)]
    pub answers: Vec<ItemId>,
    /// What it rests on.
    #[serde(default)]
    pub citations: Vec<ItemId>,
    /// How far it is.
    pub status: ClaimStatus,
    /// Whether the user keeps it: it is neither replaced nor disputed.
    #[serde(default)]
    pub pinned: bool,
    /// Why the user rejected it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<String>,
    /// How sure it is, in millionths.
    #[serde(default)]
    pub confidence: u32,
    /// What the confidence is made of.
    #[serde(default)]
    pub parts: ConfidenceParts,
    /// The invocation that found it first.
    pub by: String,
    /// How often its text, citations or status changed.
    #[serde(default)]
    pub revision: u32,
}

/// A quote that a claim or a relation rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Citation {
    /// Its id.
    pub id: ItemId,
    /// The claim or relation.
    pub of: ItemId,
    /// The source.
    pub source: ItemId,
    /// The words of the source.
    pub quote: String,
    /// The paragraph that holds them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraph: Option<String>,
    /// The page that holds them, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// What checking found.
    pub verdict: SentenceVerdict,
    /// How far code alone could carry it.
    pub proof: Proof,
    /// The invocation that cited it.
    pub by: String,
}

impl Citation {
    /// What its check is worth, in millionths: 1 where comparison proves it, 0.8 where a judge supports it, 0.5 where
    /// everything that it names was found, 0.25 where nothing could be decided, 0 where it is refuted.
    pub fn worth(&self) -> u32 {
        match (self.verdict, self.proof) {
            (SentenceVerdict::Verified, _) => 1_000_000,
            (SentenceVerdict::JudgedSupported, _) => 800_000,
            (SentenceVerdict::Unverified, Proof::Quoted | Proof::NamedThings) => 500_000,
            (SentenceVerdict::Unverified, Proof::None) => 250_000,
            (
                SentenceVerdict::Mismatch
                | SentenceVerdict::Withdrawn
                | SentenceVerdict::Missing
                | SentenceVerdict::Uncited,
                _,
            ) => 0,
        }
    }

    /// Whether its claim may count as supported: at least everything that it names was found.
    pub fn supports(&self) -> bool {
        self.worth() >= 500_000
    }
}

/// How far a gap is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum GapStatus {
    /// Nobody could say.
    Open,
    /// It is closed.
    Closed {
        /// Why.
        closing: Closing,
    },
}

/// A question that stayed open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// Its id.
    pub id: ItemId,
    /// The question as it is compared.
    pub key: String,
    /// The question.
    pub question: String,
    /// Whether the objective can't be met without an answer.
    #[serde(default)]
    pub critical: bool,
    /// The capability that could answer it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// The entities that it is about.
    #[serde(default)]
    pub entities: Vec<ItemId>,
    /// The question of the plan, or the claim with too few sources, that it was opened for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<ItemId>,
    /// The section of the report that it was opened for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// How far it is.
    pub status: GapStatus,
    /// The invocations that raised it, or `analysis`.
    #[serde(default)]
    pub raised_by: Vec<String>,
}

impl Gap {
    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        self.status == GapStatus::Open
    }
}

/// What two claims differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConflictKind {
    /// Different numbers of the same thing.
    Number,
    /// The same number of different units.
    Unit,
    /// Different dates.
    Date,
    /// The least for one is the most for the other.
    Bound,
    /// One obliges where the other permits or recommends.
    Modal,
    /// One negates what the other does not, or says the opposite.
    Negation,
    /// Another name at the same place of the same sentence.
    Name,
    /// An agent or the user says so.
    Stated,
}

/// How far a contradiction is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum ContradictionStatus {
    /// Nobody decided.
    Open,
    /// It is settled.
    Settled {
        /// How.
        settlement: Settlement,
    },
}

/// Two claims that can't both be true, as far as can be seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// Its id.
    pub id: ItemId,
    /// The claims, the older one first.
    pub claims: [ItemId; 2],
    /// What they differ in.
    pub kind: ConflictKind,
    /// Each side's words of the difference, or what the finder says of it.
    #[serde(default)]
    pub about: String,
    /// How far it is.
    pub status: ContradictionStatus,
    /// The invocation that stated it, or `analysis`.
    pub by: String,
}

impl Contradiction {
    /// Whether it is open.
    pub fn is_open(&self) -> bool {
        self.status == ContradictionStatus::Open
    }

    /// The other claim.
    pub fn other(&self, claim: &ItemId) -> &ItemId {
        if self.claims[0] == *claim { &self.claims[1] } else { &self.claims[0] }
    }
}

/// How far a lead is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum LeadStatus {
    /// Nobody followed it.
    Open,
    /// Somebody did.
    Followed,
    /// It asks the same as another one.
    Duplicate {
        /// The older one.
        of: ItemId,
    },
    /// It will not be followed.
    Dropped {
        /// Why.
        reason: String,
    },
}

/// Something worth following.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lead {
    /// Its id.
    pub id: ItemId,
    /// The text as it is compared.
    pub key: String,
    /// What to look at.
    pub text: String,
    /// How much it would bring, 0 to 100.
    pub value: u8,
    /// How much work it would be, 0 to 100.
    pub effort: u8,
    /// The capability that it needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<String>,
    /// The entities that it is about.
    #[serde(default)]
    pub entities: Vec<ItemId>,
    /// How much of it no claim says yet, in millionths.
    #[serde(default)]
    pub novelty: u32,
    /// Value times novelty over effort, in millionths.
    #[serde(default)]
    pub score: u32,
    /// How far it is.
    pub status: LeadStatus,
    /// The invocation that suggested it.
    pub by: String,
}

/// An item of any kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "item")]
pub enum Item {
    /// A document or page.
    Source(Source),
    /// An entity.
    Entity(Entity),
    /// A connection of two entities.
    Relation(Relation),
    /// A question of the plan.
    Question(Question),
    /// A statement.
    Claim(Claim),
    /// A quote.
    Citation(Citation),
    /// A question that stayed open.
    Gap(Gap),
    /// Two claims that can't both be true.
    Contradiction(Contradiction),
    /// Something worth following.
    Lead(Lead),
}

impl Item {
    /// The item in a line: its id, how it stands, what it says.
    pub fn line(&self) -> String {
        match self {
            Self::Source(one) => format!("{} {} ({})", one.id.0, one.title, one.address),
            Self::Entity(one) => format!("{} {} {}", one.id.0, one.name, one.kind),
            Self::Relation(one) => format!("{} {} {} {}", one.id.0, one.from.0, one.kind, one.to.0),
            Self::Question(one) => format!("{} {}", one.id.0, one.text),
            Self::Claim(one) => {
                format!("{} {} {} % {}", one.id.0, one.status.name(), percent(one.confidence), one.text)
            }
            Self::Citation(one) => format!("{} {} {}: {}", one.id.0, one.of.0, one.source.0, one.quote),
            Self::Gap(one) => {
                let state = match &one.status {
                    GapStatus::Open => "open".to_owned(),
                    GapStatus::Closed { closing } => closed_by(closing),
                };
                format!("{} {state}: {}", one.id.0, one.question)
            }
            Self::Contradiction(one) => {
                let state = match &one.status {
                    ContradictionStatus::Open => "open".to_owned(),
                    ContradictionStatus::Settled { settlement } => settled_by(settlement),
                };
                let [first, second] = &one.claims;
                format!("{} {state}: {} against {}: {}", one.id.0, first.0, second.0, one.about)
            }
            Self::Lead(one) => {
                let state = match &one.status {
                    LeadStatus::Open => "open".to_owned(),
                    LeadStatus::Followed => "followed".to_owned(),
                    LeadStatus::Duplicate { of } => format!("the same as {}", of.0),
                    LeadStatus::Dropped { reason } => format!("dropped ({reason})"),
                };
                format!("{} {state}: {}", one.id.0, one.text)
            }
        }
    }
}

fn ids(of: &[ItemId]) -> String {
    of.iter().map(|id| id.0.as_str()).collect::<Vec<_>>().join(", ")
}

/// What closed a gap, in words.
fn closed_by(closing: &Closing) -> String {
    match closing {
        Closing::Evidence { claims } => format!("closed by {}", ids(claims)),
        Closing::Person { reason } => format!("closed by you ({reason})"),
        Closing::Superseded { other } => format!("closed, asked as {}", other.0),
        Closing::Moot { of } => format!("closed with {}", of.0),
    }
}

/// What settled a contradiction, in words.
fn settled_by(settlement: &Settlement) -> String {
    let stands = |claim: Option<&ItemId>| match claim {
        Some(claim) => format!("{} stands", claim.0),
        None => "both stand".to_owned(),
    };
    match settlement {
        Settlement::Preferred { claim, evidence } => {
            format!("settled, {}, by {}", stands(Some(claim)), ids(evidence))
        }
        Settlement::Compatible { evidence } => format!("settled, {}, by {}", stands(None), ids(evidence)),
        Settlement::Person { claim, reason } => {
            format!("settled by you, {} ({reason})", stands(claim.as_ref()))
        }
    }
}
