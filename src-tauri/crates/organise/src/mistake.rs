//! Mistakes in a line that a person types, with their places.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A range of a text in bytes, on character boundaries; the end is excluded.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Span {
    /// Where it begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

impl Span {
    /// From byte offsets; texts here are far shorter than 4 GiB.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: short(start), end: short(end) }
    }

    /// From the beginning of this one to the end of another.
    pub(crate) fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end }
    }

    /// The same range counted in UTF-16 units, as a web page counts.
    pub fn in_utf16(self, text: &str) -> Self {
        let units = |at: u32| {
            let at = text.floor_char_boundary(at as usize);
            text[..at].encode_utf16().count()
        };
        Self::new(units(self.start), units(self.end))
    }
}

/// The byte offset of a place that a web page counts in UTF-16 units; the end of the text for one beyond it.
pub fn byte_of_utf16(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        if seen >= units {
            return at;
        }
        seen += c.len_utf16();
    }
    text.len()
}

/// Something that is wrong in a line: where, what, and what was probably meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mistake {
    /// Where, in bytes.
    pub at: Span,
    /// What is wrong, in words.
    pub message: String,
    /// What to write instead, where there is something to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Mistake {
    pub(crate) fn new(at: Span, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With the nearest of the known names, where one is near enough.
    pub(crate) fn meaning<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match domain::nearest(name, known).first() {
            Some(near) => self.hint(format!("did you mean `{near}`?")),
            None => self,
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

/// At most 60 characters of a text, on one line.
pub(crate) fn short(text: &str) -> String {
    let mut out: String = text.chars().take(60).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if out.len() < text.len() {
        out.push('…');
    }
    out
}
