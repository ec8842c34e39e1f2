//! Two documents beside each other: their statements, what they cite, and their words.

pub(crate) mod alignment;
pub(crate) mod pairs;
mod statements;
mod words;

pub use statements::{MatchKind, StatementMatch, StatementSide};
pub use words::{WordRow, WordSpan};

use std::collections::BTreeMap;

use crate::citation_index::verdict_word;
use crate::{Citation, Document};

/// What two documents have in common and what they do not. A function of the two, the same for the same.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DocumentComparison {
    /// Whether the two have the same text, to the byte.
    pub same: bool,
    /// Their statements, matched, in the order of the text.
    pub statements: Vec<StatementMatch>,
    /// The paragraphs that one of them or both cite, in the order in which they are cited.
    pub sources: Vec<SourceMatch>,
    /// Their texts, block by block.
    pub rows: Vec<WordRow>,
}

/// A cited paragraph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceMatch {
    /// The paragraph's id; where there is none, the citation as it is written.
    pub id: String,
    /// The citation as first written.
    pub reference: String,
    /// What checking found in the first document; `None`: it does not cite the paragraph.
    pub left: Option<&'static str>,
    /// The same of the second.
    pub right: Option<&'static str>,
    /// Whether both cite it and have other words of it: its source changed in between.
    pub text_differs: bool,
}

impl SourceMatch {
    /// Whether both cite it, with the same verdict and the same words.
    pub fn is_same(&self) -> bool {
        self.left == self.right && !self.text_differs
    }
}

/// Compares two documents; `left` and `right` are their Markdown texts as they were written.
pub fn compare(left: (&Document, &str), right: (&Document, &str)) -> DocumentComparison {
    DocumentComparison {
        same: left.1 == right.1,
        statements: statements::matched(&statements::sides(left.0), &statements::sides(right.0)),
        sources: sources(&left.0.citations, &right.0.citations),
        rows: words::rows(left.1, right.1),
    }
}

fn sources(left: &[Citation], right: &[Citation]) -> Vec<SourceMatch> {
    let id = |one: &Citation| one.paragraph_id.clone().unwrap_or_else(|| one.source_ref.clone());
    let mut found: Vec<SourceMatch> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for one in left {
        places.entry(id(one)).or_insert_with(|| {
            let (id, reference) = (id(one), one.name().to_owned());
            let left = Some(verdict_word(one.verdict));
            found.push(SourceMatch { id, reference, left, ..SourceMatch::default() });
            found.len() - 1
        });
    }
    for one in right {
        let word = Some(verdict_word(one.verdict));
        match places.get(&id(one)) {
            Some(&at) => {
                let other = left.iter().find(|other| id(other) == found[at].id);
                found[at].right = found[at].right.or(word);
                found[at].text_differs = other.is_some_and(|other| {
                    other.text.is_some() && one.text.is_some() && other.text != one.text
                });
            }
            None => {
                places.insert(id(one), found.len());
                let reference = one.name().to_owned();
                found.push(SourceMatch { id: id(one), reference, right: word, ..SourceMatch::default() });
            }
        }
    }
    found
}
