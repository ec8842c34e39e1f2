//! What a file says, without what it looks like.

use serde::{Deserialize, Serialize};

use crate::Recognised;

/// A file as read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its title as it gives it itself; the file's name is the caller's fallback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its blocks in reading order.
    pub blocks: Vec<Block>,
    /// Pages, where the format has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Pages that are pictures of text, whether they were read or not: another recogniser would read them otherwise.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub scans: u32,
    /// What could not be read, or was read with loss.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// One block of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its text: white space normalised, `\n` only where the source breaks a line on purpose. A table has one line
    /// for each row, cells joined by ` | `. It is a stretch of the source's own words; a number that the source shows
    /// only as a list marker or heading number is in `label`, and not repeated here; a heading that is nothing but its
    /// number (`Article 7`) has it in both. A row of a CSV file names its columns. Digits that stand raised are written so: `10⁶`.
    pub text: String,
    /// The number or mark that the source's structure gives it: `12`, `A20`, `(a)`, `2.1.3`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The name under which links reach it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// Links that lead out of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// Where it stands in the file.
    #[serde(default)]
    pub place: BlockPosition,
    /// What is known of it where it was read from a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognised: Option<Recognised>,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockKind {
    /// A heading; 1 is the outermost level.
    Heading(u8),
    /// Running text.
    Paragraph,
    /// An item of a list; 1 is the outermost level.
    Item(u8),
    /// A table.
    Table,
    /// Text whose line breaks matter: code, a letter, verse.
    Preformatted,
    /// A quotation or an indented note.
    Quote,
    /// A footnote or endnote.
    Footnote,
    /// A term that the next blocks define.
    Term,
}

/// A link inside of a document or out of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The words of the link.
    pub text: String,
    /// `#anchor` for a block of the same document, `file#anchor` for one beside it, else the address.
    pub target: String,
}

/// Where a block stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockPosition {
    /// Page from 1, where the format has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Line from 1, where the format has lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// Something about the reading that a person should know.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Where.
    #[serde(default)]
    pub place: BlockPosition,
    /// What was found, and what was done about it.
    pub what: String,
    /// Whether nobody misses what was left out, such as a table of contents.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub minor: bool,
}
