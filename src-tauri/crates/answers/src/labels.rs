//! Labels in the words of the body: pages, earlier sections, and marks of citations that are not verified.

use std::ops::Range;

use crate::citation_index::{MARKS, quotes_of};
use crate::{Document, sentences};

/// The longest label with its brackets, in characters.
const MAX_LABEL_CHARS: usize = 60;

/// What a label in brackets says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Label {
    /// A citation before it is not verified.
    Unverified,
    /// A page, by its number.
    Web(usize),
    /// A section of the earlier answer, by its number.
    Prior(usize),
}

/// The labels in words, each with its place; those that name nothing, and those that a document has, are words. The mark of a
/// citation stands directly behind it: words have it at their beginning, or it is none.
pub(crate) fn in_text(words: &str, document: &Document) -> Vec<(Range<usize>, Label)> {
    let mut out = Vec::new();
    if !words.contains('[') {
        return out;
    }
    let quotes = quotes_of(&document.citations);
    for (at, _) in words.match_indices('[') {
        let rest = &words[at..];
        let Some((length, _)) =
            rest.char_indices().take(MAX_LABEL_CHARS).find(|(_, c)| *c == ']').map(|(end, c)| (end + 1, c))
        else {
            continue;
        };
        let label = &rest[..length];
        if label[1..].contains('[') {
            continue;
        }
        let place = at..at + length;
        if MARKS.contains(&label) && words[..at].trim().is_empty() {
            out.push((place, Label::Unverified));
            continue;
        }
        let Some((kind, number)) = sentences::labels(label, &quotes).first().copied() else { continue };
        let is_known = match kind {
            'W' => number >= 1 && number <= document.web_references.len(),
            _ => document.prior_references.iter().any(|section| section.number == number),
        };
        if is_known {
            out.push((place, if kind == 'W' { Label::Web(number) } else { Label::Prior(number) }));
        }
    }
    out
}
