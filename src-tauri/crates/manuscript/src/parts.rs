//! A document as parts in their order.

use serde::{Deserialize, Serialize};

use crate::fault::{Fault, Location, Rule};
use crate::text::words;

/// Parts of a document.
pub const MAX_PARTS: usize = 2_000;

/// Bytes of all texts of a document.
pub const MAX_DOCUMENT_BYTES: usize = 32 << 20;

/// Footnotes of a document, given beside its texts.
pub const MAX_NOTES: usize = 50_000;

/// One part of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// What names it in findings and places: `IV-A`.
    pub id: String,
    /// Its number as the text writes it: `IV.A`. Empty: the part has none.
    #[serde(default)]
    pub number: String,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// Its text.
    #[serde(default)]
    pub markdown: String,
    /// Its footnotes that do not stand in the text.
    #[serde(default)]
    pub footnotes: Vec<Note>,
    /// Of a text that was taken from a document with pages: where each begins, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<PageStart>,
}

/// Where a page begins in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageStart {
    /// The line of the text, from one.
    pub line: u32,
    /// The page of the document, from one.
    pub page: u32,
}

/// A footnote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// What the mark `[^label]` in the text names: letters, digits, `_`, `.` and `-`. Unique within its part.
    pub label: String,
    /// Its text.
    pub text: String,
}

/// Words of a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PartWords {
    /// The part.
    pub part: String,
    /// Words of its text, with the footnotes that stand in it.
    pub text: u32,
    /// Words of the footnotes beside its text.
    pub footnotes: u32,
}

/// Why parts are not a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PartsError {
    /// There is none.
    #[error("a document needs at least one part")]
    None,
    /// More than [`MAX_PARTS`].
    #[error("{0} parts are too many: at most {MAX_PARTS}")]
    TooMany(usize),
    /// More than [`MAX_DOCUMENT_BYTES`].
    #[error("{0} bytes of text are too many: at most {MAX_DOCUMENT_BYTES}")]
    TooLarge(usize),
    /// More than [`MAX_NOTES`].
    #[error("{0} footnotes are too many: at most {MAX_NOTES}")]
    TooManyNotes(usize),
    /// A part without an id.
    #[error("part {0} has no id")]
    NoId(usize),
    /// Two parts with one id or number, compared as references are.
    #[error("two parts are called {0:?}: give each part its own id and number")]
    Duplicate(String),
}

impl Part {
    /// Whether a reference such as `iv-a` means this part.
    pub fn is_called(&self, name: &str) -> bool {
        let name = key(name);
        !name.is_empty() && (key(&self.id) == name || key(&self.number) == name)
    }

    /// The page of its document that a line of its text stands on.
    pub fn page_at(&self, line: u32) -> Option<u32> {
        self.pages.iter().rev().find(|start| start.line <= line).map(|start| start.page)
    }

    /// Its words.
    pub fn words(&self) -> PartWords {
        let notes = self.footnotes.iter().map(|note| words(&note.text));
        PartWords { part: self.id.clone(), text: words(&self.markdown), footnotes: notes.sum() }
    }
}

/// The form in which names of parts are compared: without case, with hyphens for full stops.
pub(crate) fn key(name: &str) -> String {
    let separators = |c: char| c.is_whitespace() || matches!(c, '.' | '-' | '_' | '–');
    let words = name.split(separators).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// Checks that parts are a document within limits.
///
/// # Errors
/// No part, too many parts, bytes or footnotes, a part without an id, or two parts with one name.
pub fn validate(parts: &[Part]) -> Result<(), PartsError> {
    if parts.is_empty() {
        return Err(PartsError::None);
    }
    if parts.len() > MAX_PARTS {
        return Err(PartsError::TooMany(parts.len()));
    }
    let notes: usize = parts.iter().map(|part| part.footnotes.len()).sum();
    if notes > MAX_NOTES {
        return Err(PartsError::TooManyNotes(notes));
    }
    let note_bytes = |part: &Part| part.footnotes.iter().map(|note| note.text.len()).sum::<usize>();
    let bytes = parts.iter().map(|part| part.markdown.len() + note_bytes(part)).sum();
    if bytes > MAX_DOCUMENT_BYTES {
        return Err(PartsError::TooLarge(bytes));
    }
    let mut names = std::collections::BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        if key(&part.id).is_empty() {
            return Err(PartsError::NoId(at + 1));
        }
        for name in [&part.id, &part.number] {
            let name = key(name);
            if !name.is_empty() && names.insert(name, at).is_some_and(|other| other != at) {
                return Err(PartsError::Duplicate(part.id.clone()));
            }
        }
    }
    Ok(())
}

/// Words of each part, in order.
pub fn counts(parts: &[Part]) -> Vec<PartWords> {
    parts.iter().map(Part::words).collect()
}

/// Words of a document with its footnotes.
pub fn total_words(parts: &[Part]) -> u32 {
    parts.iter().map(Part::words).fold(0, |sum, words| sum.saturating_add(words.text + words.footnotes))
}

/// The required parts that a document does not have.
pub fn missing(parts: &[Part], required: &[String]) -> Vec<Fault> {
    let absent = required.iter().filter(|name| !parts.iter().any(|part| part.is_called(name)));
    absent
        .map(|name| Fault::new(Location::at(name), Rule::PartMissing, format!("no part is called {name}")))
        .collect()
}
