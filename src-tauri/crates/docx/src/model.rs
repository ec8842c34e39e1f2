//! A Word document as plain data.

use std::collections::BTreeMap;

use crate::WebAddress;

/// A document. [`crate::write`] makes a file of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordDocument {
    /// Its title: the first line, and a property of the file.
    pub title: String,
    /// Lines below the title.
    pub subtitle: Vec<Vec<Run>>,
    /// What stands at the head of every page but the first; nothing where it is empty.
    pub header: String,
    /// Words that stand before it, and at the head of the first page too, such as who may read the document; may be empty.
    pub marking: String,
    /// What stands before "Page X of Y" at the foot of every page; may be empty.
    pub footer: String,
    /// The text.
    pub blocks: Vec<Block>,
    /// Footnotes; a run marks one by its index. The first mark of each decides on its number, and what is not marked is
    /// not written.
    pub notes: Vec<Note>,
    /// Who made it: a property of the file; may be empty.
    pub author: String,
    /// The language of the text, such as `en-GB`; empty for `en-GB`.
    pub language: String,
    /// When it was made, as `2026-11-26T09:30:00Z`; without it the file has no date.
    pub created: Option<String>,
}

impl WordDocument {
    /// The words at the head of pages.
    pub fn head(&self) -> String {
        let words = [self.marking.as_str(), self.header.as_str()];
        words.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" \u{b7} ")
    }

    /// Whether the title and the lines below it stand on a page of their own: the text begins with a new page.
    pub fn has_cover(&self) -> bool {
        matches!(self.blocks.first(), Some(Block::PageBreak))
    }
}

/// A table of contents. Word computes its pages when the file is opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Contents {
    /// The line above it.
    pub heading: String,
    /// The deepest level of headings that it lists; it lists three at most.
    pub depth: HeadingLevel,
    /// The page of each heading of the text in a layout of it: what a file of Word shows until it is computed. Without one for
    /// each heading it shows none.
    pub pages: Vec<usize>,
}

/// The level of a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum HeadingLevel {
    /// A section of the document.
    #[default]
    First,
    /// A section of a section.
    Second,
    /// Below the second.
    Third,
    /// The deepest.
    Fourth,
}

impl HeadingLevel {
    /// From 1 to 4; what is outside is taken for the nearest.
    pub fn from_number(number: u8) -> Self {
        match number {
            0 | 1 => Self::First,
            2 => Self::Second,
            3 => Self::Third,
            4.. => Self::Fourth,
        }
    }

    /// From 1 to 4.
    pub fn number(self) -> u8 {
        match self {
            Self::First => 1,
            Self::Second => 2,
            Self::Third => 3,
            Self::Fourth => 4,
        }
    }
}

/// A part of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A heading.
    Heading {
        /// Its level.
        level: HeadingLevel,
        /// Its words.
        runs: Vec<Run>,
        /// The place that links can lead to.
        place: Option<String>,
    },
    /// A paragraph.
    Paragraph(Paragraph),
    /// A list.
    List(List),
    /// A quotation.
    Quote(Vec<Block>),
    /// Lines of code; blanks are kept.
    Code(String),
    /// A table.
    Table(Table),
    /// A table of contents; footnotes have none.
    Contents(Contents),
    /// A horizontal rule.
    Rule,
    /// What follows begins on a new page. As the first block it leaves the title a page of its own.
    PageBreak,
    /// Blocks that a revision added or took out, as a change that Word shows and a reader accepts or rejects.
    Changed(Change, Vec<Block>),
}

/// What a revision did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Added it.
    Inserted,
    /// Took it out; it is shown struck through.
    Deleted,
}

impl Block {
    /// A paragraph of body text.
    pub fn text(runs: Vec<Run>) -> Self {
        Self::Paragraph(Paragraph { style: ParagraphStyle::Body, runs, place: None })
    }

    /// A heading that nothing links to.
    pub fn heading(level: HeadingLevel, text: impl Into<String>) -> Self {
        Self::Heading { level, runs: vec![Run::text(text)], place: None }
    }
}

/// A paragraph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Paragraph {
    /// How it looks.
    pub style: ParagraphStyle,
    /// Its words.
    pub runs: Vec<Run>,
    /// The place that links can lead to.
    pub place: Option<String>,
}

/// How a paragraph looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ParagraphStyle {
    /// Body text.
    #[default]
    Body,
    /// A line about what stands beside it.
    Caption,
    /// Body text in a frame: what a reader has to see first.
    Notice,
}

/// A list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct List {
    /// The first number, at most 32,767; `None` for bullets.
    pub start: Option<u32>,
    /// The items, each of them blocks.
    pub items: Vec<Vec<Block>>,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// How columns are aligned; those that are missing begin at the left.
    pub alignments: Vec<TableAlignment>,
    /// The head row, repeated on each page; empty for none.
    pub header: Vec<Cell>,
    /// The rows; a row that is too short is filled with empty cells.
    pub rows: Vec<Vec<Cell>>,
    /// Rows that a revision added or took out, by their index.
    pub changes: BTreeMap<usize, Change>,
}

/// How a column is aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableAlignment {
    /// Where lines begin.
    #[default]
    Start,
    /// In the middle.
    Center,
    /// Where lines end.
    End,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cell {
    /// Its words.
    pub runs: Vec<Run>,
    /// The place that links can lead to.
    pub place: Option<String>,
}

impl Cell {
    /// A cell with plain words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { runs: vec![Run::text(text)], place: None }
    }
}

/// A footnote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Note {
    /// What it says. Headings in it look like body text in bold.
    pub blocks: Vec<Block>,
}

/// Words of one look, or a sign among them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What it shows.
    pub content: RunContent,
    /// How it looks.
    pub format: Format,
    /// Where it leads. Neighbours that lead to the same place are one link.
    pub link: Option<Link>,
    /// Whether a revision added it or took it out.
    pub change: Option<Change>,
}

impl Run {
    /// Plain words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::styled(text, Format::default())
    }

    /// Words with a look.
    pub fn styled(text: impl Into<String>, format: Format) -> Self {
        Self { content: RunContent::Text(text.into()), format, link: None, change: None }
    }

    /// Bold words.
    pub fn bold(text: impl Into<String>) -> Self {
        Self::styled(text, Format { bold: true, ..Format::default() })
    }

    /// Words in italics.
    pub fn italic(text: impl Into<String>) -> Self {
        Self::styled(text, Format { italic: true, ..Format::default() })
    }

    /// Plain words that lead somewhere.
    pub fn linked(text: impl Into<String>, link: Link) -> Self {
        Self { link: Some(link), ..Self::text(text) }
    }

    /// The mark of a footnote, by its index.
    pub fn note(index: usize) -> Self {
        Self { content: RunContent::NoteMark(index), ..Self::text("") }
    }

    /// A new line in the same paragraph.
    pub fn line_break() -> Self {
        Self { content: RunContent::Break, ..Self::text("") }
    }
}

/// What a run shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunContent {
    /// Words; a tab is a tab and a line feed a new line.
    Text(String),
    /// A new line.
    Break,
    /// The raised number of a footnote, by the footnote's index. A second mark of one footnote repeats its number.
    NoteMark(usize),
    /// The number of a footnote within a line: "see note 3".
    NoteNumber(usize),
}

/// How words look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Format {
    /// Bold.
    pub bold: bool,
    /// Italic.
    pub italic: bool,
    /// Of one width, as code.
    pub code: bool,
    /// Struck through.
    pub strike: bool,
    /// On a coloured ground.
    pub highlight: bool,
    /// Raised and small.
    pub raised: bool,
}

/// Where words lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// To an address.
    Web(WebAddress),
    /// To a place of this document; one that it does not have is no link.
    Place(String),
}

/// Which of some blocks are captions that lead to what follows, between a heading and its text or above a list: they stay on its page.
pub fn leading_captions(blocks: &[Block]) -> Vec<bool> {
    let mut is_below_heading = false;
    let leads = |(at, block): (usize, &Block)| {
        let is_caption = matches!(block, Block::Paragraph(Paragraph { style: ParagraphStyle::Caption, .. }));
        let leads = is_caption && (is_below_heading || matches!(blocks.get(at + 1), Some(Block::List(_))));
        is_below_heading = matches!(block, Block::Heading { .. }) || (is_caption && is_below_heading);
        leads
    };
    blocks.iter().enumerate().map(leads).collect()
}

/// Hands out the runs of every line of blocks in the order of the text, to change them.
pub fn visit_runs(blocks: &mut [Block], visit: &mut dyn FnMut(&mut Vec<Run>)) {
    for block in blocks {
        match block {
            Block::Heading { runs, .. } => visit(runs),
            Block::Paragraph(paragraph) => visit(&mut paragraph.runs),
            Block::List(list) => list.items.iter_mut().for_each(|item| visit_runs(item, visit)),
            Block::Quote(inner) | Block::Changed(_, inner) => visit_runs(inner, visit),
            Block::Table(table) => {
                let cells = table.header.iter_mut().chain(table.rows.iter_mut().flatten());
                cells.for_each(|cell| visit(&mut cell.runs));
            }
            Block::Code(_) | Block::Contents(_) | Block::Rule | Block::PageBreak => {}
        }
    }
}
