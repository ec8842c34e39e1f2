//! Where the words of a paragraph stand: in which of its items, on which pages.

use std::ops::Range;

use crate::base::Base;
use crate::paragraph::Paragraph;

/// The longest mark of an item before its words, in bytes: `(viii) `.
const MAX_MARK_BYTES: usize = 8;

impl Base {
    /// What a reader is shown for words of a paragraph, in bytes of its text: `lease.pdf, 12.3(c), page 4`, `12.3(c)`. `None` where the
    /// paragraph's citation says as much.
    pub fn words_label(&self, paragraph: &Paragraph, words: &Range<usize>) -> Option<String> {
        let pages = paragraph.pages(words.clone());
        match self.item_with(paragraph, words) {
            None => self.file_label_on(paragraph, pages),
            Some(item) => Some(self.file_label_on(item, pages).unwrap_or_else(|| {
                let citation = self.citation(&item.id);
                let bare = citation.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                bare.unwrap_or(&citation).to_owned()
            })),
        }
    }

    /// What a reader is shown for several places of a paragraph: their common item where they have one, and all their pages.
    pub fn places_label(&self, paragraph: &Paragraph, places: &[Range<usize>]) -> Option<String> {
        let first = places.iter().map(|place| place.start).min();
        let last = places.iter().map(|place| place.end).max();
        match first.zip(last) {
            Some((first, last)) => self.words_label(paragraph, &(first..last)),
            None => self.file_label(paragraph),
        }
    }

    /// The innermost item of a paragraph that holds words of its text.
    fn item_with(&self, whole: &Paragraph, words: &Range<usize>) -> Option<&Paragraph> {
        let items = self
            .paragraphs()
            .iter()
            .filter(|one| one.part_of.as_ref() == Some(&whole.id) && !one.text.is_empty());
        let holding = items.filter(|item| {
            whole.text.match_indices(item.text.as_str()).any(|(at, text)| {
                let mark = words.start < at
                    && at - words.start <= MAX_MARK_BYTES
                    && whole
                        .text
                        .get(words.start..at)
                        .is_some_and(|mark| domain::list_mark(mark) == mark.trim_end().len());
                (at <= words.start || mark) && words.end <= at + text.len() && words.end > at
            })
        });
        holding.min_by_key(|item| item.text.len())
    }
}
