//! Every number that decides an order, in one place. BM25's, the shares and the spread were chosen by measurement
//! over judged queries of several collections; headings, tags, bounds and copies are judgement.

use crate::index::FIELDS;

/// BM25's saturation and length normalisation.
pub(super) const K1: f64 = 1.5;
pub(super) const B: f64 = 0.6;
/// What a match weighs in title and text, headings, tags.
pub(super) const FIELD: [f64; FIELDS] = [1.0, 0.2, 0.3];

/// Best paragraphs by words, and by similarity, that are ranked at all.
pub(super) const CANDIDATES: usize = 1_000;
/// What words, the similarity learned from the base itself and that of a model's vectors weigh.
#[derive(Clone, Copy)]
pub(super) struct Shares {
    pub(super) words: f64,
    pub(super) learned: f64,
    pub(super) model: f64,
}

/// Without vectors of a model, and with them.
pub(super) const WITHOUT_MODEL: Shares = Shares { words: 0.85, learned: 0.15, model: 0.0 };
pub(super) const WITH_MODEL: Shares = Shares { words: 0.40, learned: 0.10, model: 0.50 };

/// Best hits whose links are followed, and how much of a hit's score each paragraph gets that one link joins to
/// it; over each further link it is so much of that.
pub(super) const SEEDS: usize = 5;
pub(super) const SPREAD: f64 = 0.12;
pub(super) const FURTHER: f64 = 0.5;
/// How much more passes over a link that the source declares than over one that was found in a text. Measured on
/// controls and their declared relations: twice as much harms there, where each has dozens of them.
pub(super) const DECLARED: f64 = 1.5;

/// Paragraphs whose sources declare the link to each other are about one thing: of how many best hits such links are followed,
/// how much of the best score passes over one, and the power of a hit's share of it by which a lesser hit passes less. Measured
/// on controls and their relations; half of these are mutual.
pub(super) const MUTUAL_SEEDS: usize = 20;
pub(super) const MUTUAL_SPREAD: f64 = 0.15;
pub(super) const MUTUAL_POWER: i32 = 3;

/// How much of the best score a paragraph gets for standing in a document that the query names, for each sort of naming. After
/// one of them half as good as the best of the others is as good.
pub(super) const FOCUS: f64 = 0.5;
/// How much of a hit's score passes to what its text names by its title, and most titles of one text.
pub(super) const TITLED: f64 = 0.5;
pub(super) const TITLES: usize = 12;

/// What a paragraph gets for being named by the query: it stands before every other.
pub(super) const NAMED: f64 = 1.0;

/// Shared runs of words, of all runs, from which on two paragraphs are copies of each other.
pub(super) const DUPLICATE: f64 = 0.9;

/// Words of a passage, and how much of a long paragraph's score its best passage decides.
pub(super) const PASSAGE_WORDS: usize = 60;
pub(super) const PASSAGE_SHARE: f64 = 0.3;
/// Paragraphs of at most so many stems are no longer than a passage.
pub(super) const PASSAGE_STEMS: u32 = 40;
/// Best paragraphs by words whose passages are looked at.
pub(super) const PASSAGE_CANDIDATES: usize = 60;
