//! The unit of a base: one numbered, citable paragraph.

use std::ops::Range;

use documents::{Deletion, PageBreak, Recognised};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much weight a base's text carries. A lower tier never passes as a standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// A binding or authoritative text.
    Standard,
    /// Guidance that explains a standard.
    Guide,
    /// A document of one's own, which is what it is: a contract, a report, a note.
    Document,
    /// Pages from the web.
    Web,
    /// An introduction written for this program.
    Primer,
}

impl Tier {
    /// The tier's name as it is written in manifests and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Guide => "guide",
            Self::Document => "document",
            Self::Web => "web",
            Self::Primer => "primer",
        }
    }

    /// The tier of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Standard, Self::Guide, Self::Document, Self::Web, Self::Primer]
            .into_iter()
            .find(|tier| tier.as_str() == name)
    }
}

/// A cross-reference to another paragraph, or to something outside the base.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Reference {
    /// The id referred to, as the source wrote it.
    pub to: String,
    /// What the link means: `related`, `mentions`, `incorporated-into` …
    pub kind: String,
}

/// One paragraph in its canonical form, as `paragraphs.jsonl` stores it, one a line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paragraph {
    /// The id as it is cited, unique within the base.
    pub id: String,
    /// The document it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// Section number or name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub section: String,
    /// Heading directly above it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Headings above it, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<String>,
    /// What it is in its document: `control`, `recital`, `paragraph`, `item` …
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The words.
    pub text: String,
    /// What its words need to be understood alone, such as the title and the names of columns of a table: shown beside them,
    /// no part of them.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// What it is about, for example the standards it explains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Cross-references out of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Reference>,
    /// No longer in force.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
    /// Where its content went, when it is withdrawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub superseded_by: Vec<String>,
    /// The paragraph whose part this is. Parts are found by id and checked, but searches return the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// The file it was taken from, by its place in the manifest's sources.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub file: u32,
    /// Its page in that file, where the format has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Words that the file shows struck out at places of the text: no part of it, neither searched nor quoted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub struck: Vec<Deletion>,
    /// Where its text goes on on another page of that file, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<PageBreak>,
    /// What is known of its text where that was read from a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognised: Option<Recognised>,
}

impl Paragraph {
    /// The first and the last page on which words of the text stand.
    pub fn pages(&self, words: Range<usize>) -> Option<(u32, u32)> {
        let at = |place: usize| {
            self.breaks.iter().rev().find(|one| one.at <= place).map(|one| one.page).or(self.page)
        };
        let first = at(words.start)?;
        Some((first, at(words.end.saturating_sub(1).max(words.start)).map_or(first, |last| last.max(first))))
    }

    /// The first and the last page on which the text stands.
    pub fn all_pages(&self) -> Option<(u32, u32)> {
        self.pages(0..self.text.len())
    }

    /// The text with struck words in it, marked as Markdown does: `shall ~~not~~ tell`.
    pub fn text_with_struck(&self) -> String {
        let mut out = self.text.clone();
        for Deletion { at, text } in self.struck.iter().rev().filter(|one| self.text.is_char_boundary(one.at))
        {
            let words = format!("~~{text}~~");
            let (before, after) = (&self.text[..*at], &self.text[*at..]);
            let lead = if before.is_empty() || before.ends_with(char::is_whitespace) { "" } else { " " };
            let tail = if after.starts_with(char::is_alphanumeric) { " " } else { "" };
            out.insert_str(*at, &format!("{lead}{words}{tail}"));
        }
        out
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}
