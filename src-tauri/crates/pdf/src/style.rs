//! Measures and looks. Lengths are points of 1/72 inch, as in the file.

use docx::{HeadingLevel, ParagraphStyle, TableAlignment};

/// A4.
pub(crate) const PAGE_WIDTH: f32 = 595.28;
pub(crate) const PAGE_HEIGHT: f32 = 841.89;
/// The text's left edge.
pub(crate) const LEFT: f32 = 74.0;
/// The text's width.
pub(crate) const WIDTH: f32 = PAGE_WIDTH - 2.0 * LEFT;
/// Where the text begins and ends.
pub(crate) const TOP: f32 = 76.0;
pub(crate) const BOTTOM: f32 = PAGE_HEIGHT - 84.0;
/// The first line of the page's head and foot.
pub(crate) const HEADER_TOP: f32 = 40.0;
pub(crate) const FOOTER_TOP: f32 = PAGE_HEIGHT - 54.0;

/// The space above and below the rule over footnotes.
pub(crate) const NOTES_ABOVE: f32 = 10.0;
pub(crate) const NOTES_BELOW: f32 = 5.0;
/// The width of the rule.
pub(crate) const NOTES_RULE: f32 = 120.0;

/// How far a level of a list or a quotation stands in.
pub(crate) const INDENT: f32 = 18.0;
/// How far a footnote's text stands in from its number.
pub(crate) const NOTE_INDENT: f32 = 16.0;
/// What is free beside the words of a cell, and above and below them.
pub(crate) const CELL_X: f32 = 5.0;
pub(crate) const CELL_Y: f32 = 3.5;

/// A colour: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Colour(pub u8, pub u8, pub u8);

pub(crate) const INK: Colour = Colour(0x1F, 0x2A, 0x37);
pub(crate) const MUTED: Colour = Colour(0x4B, 0x55, 0x63);
pub(crate) const LINK: Colour = Colour(0x0B, 0x57, 0xA4);
pub(crate) const LINE: Colour = Colour(0xC5, 0xCD, 0xD8);
pub(crate) const GROUND: Colour = Colour(0xF3, 0xF5, 0xF8);
pub(crate) const MARKER: Colour = Colour(0xFF, 0xF1, 0xB8);

/// How the words of a block look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Look {
    /// The size of the letters.
    pub size: f32,
    /// From line to line.
    pub leading: f32,
    /// Bold throughout.
    pub bold: bool,
    /// Italic throughout.
    pub italic: bool,
    /// Of one width throughout.
    pub mono: bool,
    /// Of words that are no link.
    pub colour: Colour,
    /// Where lines begin.
    pub alignment: TableAlignment,
    /// The space before the block.
    pub before: f32,
    /// Stays on a page with what follows.
    pub keeps_next: bool,
}

const PLAIN: Look = Look {
    size: 11.0,
    leading: 15.4,
    bold: false,
    italic: false,
    mono: false,
    colour: INK,
    alignment: TableAlignment::Start,
    before: 7.0,
    keeps_next: false,
};

/// The title.
pub(crate) const TITLE: Look =
    Look { size: 23.0, leading: 28.0, bold: true, before: 0.0, keeps_next: true, ..PLAIN };
/// The title on a page of its own, and the space above it.
pub(crate) const COVER_TITLE: Look = Look { size: 27.0, leading: 33.0, ..TITLE };
pub(crate) const COVER_TOP: f32 = 170.0;
/// A line below the title.
pub(crate) const SUBTITLE: Look =
    Look { size: 12.0, leading: 16.0, colour: MUTED, before: 4.0, keeps_next: true, ..PLAIN };
/// Lines of code.
pub(crate) const CODE: Look = Look { size: 8.6, leading: 12.0, mono: true, before: 8.0, ..PLAIN };
/// A footnote.
pub(crate) const NOTE: Look = Look { size: 9.0, leading: 11.8, before: 3.0, ..PLAIN };
/// The line above a table of contents.
pub(crate) const CONTENTS_HEADING: Look =
    Look { size: 13.5, leading: 18.0, bold: true, before: 16.0, keeps_next: true, ..PLAIN };
/// The head and the foot of a page.
pub(crate) const RUNNING: Look = Look { size: 9.0, leading: 11.0, colour: MUTED, before: 0.0, ..PLAIN };

/// Body text.
pub(crate) fn paragraph(style: ParagraphStyle) -> Look {
    match style {
        ParagraphStyle::Body | ParagraphStyle::Notice => PLAIN,
        ParagraphStyle::Caption => Look { size: 9.5, leading: 13.0, colour: MUTED, before: 3.0, ..PLAIN },
    }
}

/// A heading.
pub(crate) fn heading(level: HeadingLevel) -> Look {
    let (size, leading, before, italic) = match level {
        HeadingLevel::First => (16.5, 21.0, 20.0, false),
        HeadingLevel::Second => (13.5, 18.0, 16.0, false),
        HeadingLevel::Third => (11.5, 16.0, 13.0, false),
        HeadingLevel::Fourth => (11.0, 15.4, 11.0, true),
    };
    Look { size, leading, before, italic, bold: true, keeps_next: true, ..PLAIN }
}

/// A line of a table of contents.
pub(crate) fn entry(level: HeadingLevel) -> Look {
    Look { before: if level == HeadingLevel::First { 5.0 } else { 2.0 }, ..PLAIN }
}

/// The words of a cell; `size` is at most that of the text.
pub(crate) fn cell(size: f32, bold: bool, alignment: TableAlignment) -> Look {
    Look { size, leading: size * 1.32, bold, alignment, before: 0.0, ..PLAIN }
}
