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
    /// number (`Article 7`) has it in both. A row of a CSV file names its columns. What stands
    /// raised or lowered, and formulas, are written in one line that means the same: `10⁶`, `√(a+b)`.
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
    /// Words that the source shows struck out, in order: no part of its text, neither searched nor quoted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub struck: Vec<Deletion>,
    /// Where its text goes on on another page, in order; the first page is the place's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks: Vec<PageBreak>,
    /// What its text needs to be understood alone: the titles above the names of a table's columns.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub context: String,
    /// What the file says of a table beside its rows.
    #[serde(default, skip_serializing_if = "TableFacts::is_empty")]
    pub table: TableFacts,
    /// Where it stands in the file.
    #[serde(default)]
    pub place: BlockPosition,
    /// What is known of it where it was read from a picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognised: Option<Recognised>,
}

/// What a file says of a table beside its rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableFacts {
    /// How many of its first lines are its head; 0 where the file does not say.
    #[serde(default)]
    pub head: usize,
    /// Whether a figure stands in several cells, which can't be added up.
    #[serde(default)]
    pub is_shared: bool,
}

impl TableFacts {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The lines that name the columns: those of the head, but for titles above the names.
    pub fn names(&self, rows: &[Vec<String>]) -> Option<std::ops::Range<usize>> {
        let filled = |row: &Vec<String>| row.iter().filter(|cell| !cell.trim().is_empty()).count();
        let start = rows.iter().take(self.head).position(|row| filled(row) > 1)?;
        Some(start..self.head)
    }
}

/// Words that stand struck out at a place of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deletion {
    /// Before which byte of the text they stand.
    pub at: usize,
    /// The words.
    pub text: String,
}

/// A place at which a text goes on on another page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageBreak {
    /// The first byte of the text on the page.
    pub at: usize,
    /// The page, from 1.
    pub page: u32,
}

impl PageBreak {
    /// The breaks within `text[from..to]`, counted from `from`, and the page on which that stretch begins where a break stands before it.
    pub fn within(breaks: &[Self], from: usize, to: usize) -> (Option<u32>, Vec<Self>) {
        let first = breaks.iter().rev().find(|one| one.at <= from).map(|one| one.page);
        let inside = breaks.iter().filter(|one| from < one.at && one.at < to);
        (first, inside.map(|one| Self { at: one.at - from, page: one.page }).collect())
    }
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
    /// What stands beside the text: a comment, the header or footer of the pages.
    Remark,
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

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_part_of_a_text_has_the_pages_of_its_own_words() {
        let breaks = [PageBreak { at: 10, page: 5 }, PageBreak { at: 20, page: 6 }];
        assert_eq!(PageBreak::within(&breaks, 0, 5), (None, vec![]));
        assert_eq!(PageBreak::within(&breaks, 12, 30), (Some(5), vec![PageBreak { at: 8, page: 6 }]));
    }
}
