//! Paragraphs as numbered sentences: what a model cites by a short key that the program makes, so that no reference and
//! no quote is ever copied by a model.
//!
//! ```text
//! <PARAGRAPH n="3" ref="(AC-2(1))" heading="Account management" file="controls.pdf" edition="Revision 5" page="12">
//! [@3.1] The organisation reviews accounts. [@3.2] It removes those that nobody uses.
//! [@3.3] (a) within a week;
//! </PARAGRAPH>
//! ```

use std::fmt::Write as _;
use std::ops::Range;

use domain::KeyForm;

use super::escape::{escape, escape_attribute};
use super::{ContextParagraph, shown_attributes};
use crate::sentences::sentences_for;

/// A paragraph with the number and the sentences under which it is cited.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyedParagraph<'p> {
    /// From 1: the first part of its keys.
    pub number: usize,
    /// The paragraph.
    pub paragraph: &'p ContextParagraph,
    /// Its sentences in its text; the place in this list, from 1, is the second part of a key.
    pub sentences: Vec<Range<usize>>,
}

impl KeyedParagraph<'_> {
    /// The words of a sentence by its number, from 1.
    pub fn sentence(&self, number: usize) -> Option<&str> {
        let range = self.sentences.get(number.checked_sub(1)?)?;
        self.paragraph.text.get(range.clone())
    }
}

/// The paragraphs in the order in which they are shown: by descending score, ties by id. That order is also the order in
/// which they are left out from the end when space is short, so a key means the same however much is shown.
pub fn keyed(paragraphs: &[ContextParagraph], form: KeyForm) -> Vec<KeyedParagraph<'_>> {
    let mut sorted: Vec<&ContextParagraph> = paragraphs.iter().collect();
    sorted.sort_by(|a, b| score(b).total_cmp(&score(a)).then_with(|| a.id.cmp(&b.id)));
    let numbered = sorted.into_iter().enumerate();
    numbered
        .map(|(index, paragraph)| KeyedParagraph {
            number: index + 1,
            paragraph,
            sentences: sentences_for(&paragraph.text, form),
        })
        .collect()
}

pub(super) fn score(paragraph: &ContextParagraph) -> f64 {
    if paragraph.score.is_finite() { paragraph.score } else { 0.0 }
}

/// A paragraph as a model is shown it. What it can't use (score, document, id) is left out.
pub(super) fn write(keyed: &KeyedParagraph<'_>, form: KeyForm) -> String {
    let paragraph = keyed.paragraph;
    let mut out = format!(
        "<PARAGRAPH n=\"{}\" ref=\"{}\"{}>\n",
        keyed.number,
        escape_attribute(&paragraph.reference),
        shown_attributes(paragraph)
    );
    let mut at = 0;
    for (index, range) in keyed.sentences.iter().enumerate() {
        if index > 0 {
            // A blank for a blank, a line break for line breaks: the text can be read back.
            out.push_str(&escape(&paragraph.text[at..range.start]));
        }
        let _ = write!(out, "{} ", form.key(keyed.number, index + 1));
        out.push_str(&without_keys(&escape(&paragraph.text[range.clone()]), form));
        at = range.end;
    }
    out.push_str("\n</PARAGRAPH>");
    out
}

/// What looks like a key in a source's own words is written so that it can't be taken for one.
fn without_keys(text: &str, form: KeyForm) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let bracket = form.brackets().iter().find(|(open, ..)| *open == c);
        match bracket.filter(|_| form.begins(&text[at + c.len_utf8()..])) {
            Some((_, _, entity)) => out.push_str(entity),
            None => out.push(c),
        }
    }
    out
}

/// The text of a paragraph without the keys of its sentences, for [`super::parse_sections`]; still escaped.
pub(super) fn without_marks(text: &str, number: &str) -> String {
    let marked = format!("[{}{number}.", KeyForm::Marked.sign());
    let mark = if text.starts_with(&marked) { marked } else { format!("[{number}.") };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(&mark) {
        out.push_str(&rest[..at]);
        let after = &rest[at + mark.len()..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        match after[digits..].strip_prefix("] ") {
            Some(text) if digits > 0 => rest = text,
            _ => {
                out.push_str(&mark);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}
