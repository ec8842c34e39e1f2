//! What is asked, and what is answered: plain data.

use serde::{Deserialize, Serialize};

use crate::paragraph::Tier;

/// Most hits one search returns.
pub const MAX_HITS: usize = 100;
/// Most hits that can be passed over to get to a page.
pub const MAX_OFFSET: usize = 1_000;

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// The question in words; cut at 4,000 characters.
    pub text: String,
    /// Most hits wanted; at most [`MAX_HITS`], and 10 when zero.
    pub limit: usize,
    /// Hits passed over before the first that is returned; at most [`MAX_OFFSET`].
    pub offset: usize,
    /// Only bases of these tiers; empty means any.
    pub tiers: Vec<Tier>,
    /// Ids never returned.
    pub exclude: Vec<String>,
    /// Links to follow from the best hits, at most 3: 0 follows none.
    pub hops: usize,
    /// Also return paragraphs no longer in force. One that the query names by id is always returned.
    pub withdrawn: bool,
    /// What a hit must be.
    pub filter: Filter,
    /// What decides.
    pub mode: Mode,
    /// Passes over what the query names: documents, titles, and titles that the best hits name. Ids count all the same.
    pub plain: bool,
    /// The question as a vector, made by the model of the base's vectors for the purpose of a query.
    pub vector: Option<Vec<f32>>,
}

/// What a hit must be: one of each list that is not empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Names of documents.
    pub docs: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Kinds, such as `control` or `recital`.
    pub kinds: Vec<String>,
    /// Headings above the paragraph, whatever their case, or beginnings of its id: `4.1` holds `4.1(2)`, not `4.12`.
    pub under: Vec<String>,
}

/// What decides which paragraphs are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words, similarity learned from the base itself, and a model's vectors where the question and the base have
    /// them.
    #[default]
    Auto,
    /// Words alone.
    Words,
    /// A model's vectors alone; an error where the question or the base has none.
    Vectors,
}

/// How a hit was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "lowercase")]
pub enum HitOrigin {
    /// Its words match.
    Words,
    /// It is close to the question in meaning, and no word matches.
    Similarity,
    /// The query names it.
    Id,
    /// A link from a better hit, named here.
    Link {
        /// The hit it was reached from.
        from: String,
        /// What the link means.
        kind: String,
    },
}

/// A paragraph found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// Up to 1 for words and similarity, and more where the query names it or links lead to it; quantised to 1e-6,
    /// comparable within one result only.
    pub score: f64,
    /// Words of the query that occur in it, as the query wrote them.
    pub matched: Vec<String>,
    /// A stretch of its text around the first matches.
    pub snippet: String,
    /// How it was found.
    pub via: HitOrigin,
    /// What its score is made of.
    pub why: ScoreParts,
}

/// What a hit's score is made of. Numbers are quantised to 1e-6, ranks count from 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreParts {
    /// Words of the query and what each brought to the BM25 score, the most first.
    pub words: Vec<TermShare>,
    /// BM25 score.
    pub words_score: f64,
    /// Place among all paragraphs by that score; none where no word matches.
    pub words_rank: Option<u32>,
    /// Cosine in the directions learned from the base's own words, where something was learned about the question.
    pub learned: Option<f64>,
    /// Cosine of its vector and the question's, both made by a model.
    pub similarity: Option<f64>,
    /// Place among all paragraphs by similarity.
    pub similarity_rank: Option<u32>,
    /// What the query says of its document, where that chooses among the documents: a name, a period, a kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scope: Vec<String>,
    /// Links that brought score to it, the most first.
    pub path: Vec<Step>,
    /// Ids of near copies that are not listed themselves.
    pub duplicates: Vec<String>,
}

/// What one word of the query brought.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermShare {
    /// The word as the query wrote it first.
    pub term: String,
    /// Its part of the BM25 score.
    pub share: f64,
}

/// A link that brought score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// The paragraph at the link's other end.
    pub from: String,
    /// What the link means.
    pub kind: String,
    /// What it added to the score.
    pub gain: f64,
}
