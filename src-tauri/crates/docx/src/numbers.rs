//! The numbering of lists.

use crate::body::{LIST_LEVELS, STEP};
use crate::xml::{DECLARATION, NAMESPACES, put};

/// The numbering that all lists with bullets share.
pub(crate) const BULLETS: usize = 1;
/// The largest number that Word starts a list with.
const MAX_START: u32 = 32_767;

/// The numbered lists of a document: each one starts anew.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    /// The level and the first number of each.
    lists: Vec<(usize, u32)>,
}

impl Numbering {
    /// Adds a list and gives its numbering.
    pub(crate) fn add(&mut self, level: usize, start: u32) -> usize {
        self.lists.push((level, start.min(MAX_START)));
        BULLETS + self.lists.len()
    }

    /// The part.
    pub(crate) fn part(&self) -> String {
        let mut out = format!("{DECLARATION}<w:numbering {NAMESPACES}>");
        abstract_numbering(&mut out, 0, |level| {
            let sign = ["\u{2022}", "\u{2013}", "\u{25AA}"][level % 3];
            format!("<w:numFmt w:val=\"bullet\"/><w:lvlText w:val=\"{sign}\"/>")
        });
        abstract_numbering(&mut out, 1, |level| {
            let form = ["decimal", "lowerLetter", "lowerRoman"][level % 3];
            format!("<w:numFmt w:val=\"{form}\"/><w:lvlText w:val=\"%{}.\"/>", level + 1)
        });
        put!(out, "<w:num w:numId=\"{BULLETS}\"><w:abstractNumId w:val=\"0\"/></w:num>");
        for (index, (level, start)) in self.lists.iter().enumerate() {
            put!(
                out,
                "<w:num w:numId=\"{}\"><w:abstractNumId w:val=\"1\"/><w:lvlOverride w:ilvl=\"{level}\"><w:startOverride \
                 w:val=\"{start}\"/></w:lvlOverride></w:num>",
                BULLETS + 1 + index
            );
        }
        out.push_str("</w:numbering>");
        out
    }
}

fn abstract_numbering(out: &mut String, id: usize, form: impl Fn(usize) -> String) {
    put!(out, "<w:abstractNum w:abstractNumId=\"{id}\"><w:multiLevelType w:val=\"hybridMultilevel\"/>");
    for level in 0..LIST_LEVELS {
        put!(
            out,
            "<w:lvl w:ilvl=\"{level}\"><w:start w:val=\"1\"/>{}<w:lvlJc w:val=\"left\"/><w:pPr><w:ind w:left=\"{}\" \
             w:hanging=\"{STEP}\"/></w:pPr></w:lvl>",
            form(level),
            STEP * (level + 1)
        );
    }
    out.push_str("</w:abstractNum>");
}
