//! Whether what an answer cited still stands in a base as it is now. Unlike a recheck, which asks whether records were
//! true of the generation that they name, this asks what has become of the paragraphs since.

use std::collections::BTreeMap;

use domain::{CitationRecord, Digest, SentenceRecord, Verdict};

use crate::base::Base;

/// What became of a cited paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CitationState {
    /// It stands there unchanged.
    Same,
    /// Its text stands under another id.
    Moved {
        /// That id.
        to: String,
    },
    /// It has other words.
    Changed {
        /// Whether the words that were quoted from it still stand there.
        quote_stands: bool,
    },
    /// It is no longer in force.
    Withdrawn,
    /// It is not there any more.
    Missing,
    /// The base is not there any more, or can't be read.
    NoBase,
}

impl CitationState {
    /// Whether a sentence may rest on it as before.
    pub fn holds(&self) -> bool {
        matches!(self, Self::Same | Self::Moved { .. })
    }
}

/// A citation of a sentence with what became of its paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationCheck {
    /// The sentence's number.
    pub n: usize,
    /// The sentence without its citations.
    pub claim: String,
    /// The citation as a reader knows it: as the answer wrote it, or the file and the place in it.
    pub citation: String,
    /// The paragraph.
    pub paragraph_id: String,
    /// The base.
    pub base: String,
    /// The generation that was cited.
    pub cited: String,
    /// The generation that stands now; empty without a base.
    pub current: String,
    /// What became of it.
    pub standing: CitationState,
}

/// Looks every cited paragraph up in its base as `open` gives it: the current generation. A citation that named no paragraph,
/// or that was refused when the answer was written, is left out.
pub fn citation_checks<B: AsRef<Base>>(
    records: &[SentenceRecord],
    mut open: impl FnMut(&str) -> Option<B>,
) -> Vec<CitationCheck> {
    let mut bases: BTreeMap<&str, Option<Current<B>>> = BTreeMap::new();
    let mut found = Vec::new();
    for record in records {
        let first = found.len();
        for one in &record.citations {
            let (Some(id), Some(text)) = (&one.paragraph_id, one.paragraph_sha256) else { continue };
            let base = bases
                .entry(one.base.as_str())
                .or_insert_with(|| open(&one.base).map(|base| Current { base, texts: None }));
            let (current, standing) = match base {
                None => (String::new(), CitationState::NoBase),
                Some(base) => {
                    (base.base.as_ref().manifest().generation.clone(), base.citation_state(one, id, text))
                }
            };
            // A sentence may cite a paragraph several times: what became of it is said once.
            let is_said = |other: &CitationCheck| {
                other.paragraph_id == *id && other.base == one.base && other.standing == standing
            };
            if found[first..].iter().any(is_said) {
                continue;
            }
            let label = base.as_ref().and_then(|base| {
                let base = base.base.as_ref();
                base.file_label(base.paragraph(id).ok().filter(|paragraph| paragraph.id == *id)?)
            });
            found.push(CitationCheck {
                n: record.n,
                claim: record.claim.clone(),
                citation: label.unwrap_or_else(|| one.source_ref.clone()),
                paragraph_id: id.clone(),
                base: one.base.clone(),
                cited: one.generation.clone(),
                current,
                standing,
            });
        }
    }
    found
}

/// A base as it is now.
struct Current<B> {
    base: B,
    /// The ids of its paragraphs by their text; made when the first paragraph is not where it was.
    texts: Option<BTreeMap<Digest, String>>,
}

impl<B: AsRef<Base>> Current<B> {
    fn citation_state(&mut self, one: &CitationRecord, id: &str, text: Digest) -> CitationState {
        let base = self.base.as_ref();
        if base.manifest().generation == one.generation {
            return CitationState::Same;
        }
        let paragraph = base.paragraph(id).ok().filter(|paragraph| paragraph.id == id);
        let was_withdrawn = one.verdict == Verdict::Withdrawn;
        match paragraph {
            Some(paragraph) if paragraph.withdrawn && !was_withdrawn => return CitationState::Withdrawn,
            Some(paragraph) if Digest::of(&paragraph.text) == text => return CitationState::Same,
            _ => {}
        }
        let changed = paragraph.map(|paragraph| CitationState::Changed {
            quote_stands: !one.quote.is_empty() && one_line(&paragraph.text).contains(&one_line(&one.quote)),
        });
        let texts = self.texts.get_or_insert_with(|| {
            let paragraphs = base.paragraphs().iter().filter(|paragraph| !paragraph.withdrawn);
            paragraphs.map(|paragraph| (Digest::of(&paragraph.text), paragraph.id.clone())).collect()
        });
        match texts.get(&text) {
            Some(to) => CitationState::Moved { to: to.clone() },
            None => changed.unwrap_or(CitationState::Missing),
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
