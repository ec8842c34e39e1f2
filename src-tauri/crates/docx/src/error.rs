//! What a document may be at most, and what is refused.

/// The most blocks of a document, those in lists, quotes and footnotes and the rows of tables included.
pub const MAX_BLOCKS: usize = 50_000;
/// The most footnotes of a document.
pub const MAX_NOTES: usize = 10_000;
/// The most numbered lists of a document; each one is a numbering of its own.
pub const MAX_NUMBERED_LISTS: usize = 10_000;
/// The most columns of a table: more than Word reads.
pub const MAX_TABLE_COLUMNS: usize = 63;
/// The most levels of lists and quotes in each other.
pub const MAX_DEPTH: usize = 32;
/// The most bytes of a part of the file before it is packed.
pub const MAX_BYTES: usize = 64 << 20;

/// Why no file was made.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DocxError {
    /// Too many blocks.
    #[error("the document has more than {MAX_BLOCKS} paragraphs; export it in parts")]
    TooManyBlocks,
    /// Too many footnotes.
    #[error("the document has more than {MAX_NOTES} footnotes; export it in parts")]
    TooManyNotes,
    /// Too many numbered lists.
    #[error("the document has more than {MAX_NUMBERED_LISTS} numbered lists; export it in parts")]
    TooManyNumberedLists,
    /// A table is too wide.
    #[error("a table has {columns} columns; Word reads at most {MAX_TABLE_COLUMNS}")]
    TooManyColumns {
        /// How many it has.
        columns: usize,
    },
    /// Lists and quotes stand too deep in each other.
    #[error("lists and quotes stand more than {MAX_DEPTH} deep in each other")]
    TooDeep,
    /// Too long.
    #[error("the document has more than {MAX_BYTES} bytes of text and marks; export it in parts")]
    TooLarge,
    /// A mark names a footnote that there is not.
    #[error("a mark names footnote {index}, but the document has {notes}")]
    NoSuchNote {
        /// The index that the mark names.
        index: usize,
        /// How many there are.
        notes: usize,
    },
    /// A footnote marks another that the text does not mark.
    #[error("a footnote names footnote {index}, which the text does not mark")]
    NoteOutsideText {
        /// The index of the other.
        index: usize,
    },
    /// The language is no tag.
    #[error("{0:?} is no language; give a tag such as en-GB")]
    Language(String),
    /// The date is none.
    #[error("{0:?} is no date; give one such as 2026-11-26T09:30:00Z")]
    Date(String),
    /// The file could not be packed.
    #[error("the file could not be packed: {0}")]
    Packing(String),
}
