//! Word documents: a model with headings, lists, tables and footnotes, read from Markdown and written as OOXML.
//!
//! Pure functions of their input: no files, no clock, no chance. The same document gives the same bytes. Words of others
//! are data: they can neither open an element nor become a link of a scheme that is not allowed.

// `zip` deflates with the backend that is chosen here.
use flate2 as _;

mod address;
mod body;
mod census;
mod contents;
mod error;
mod exhibits;
mod heading_case;
mod markdown;
mod model;
mod numbers;
mod package;
mod properties;
mod styles;
mod table;
mod typography;
mod xml;

pub use address::WebAddress;
pub use census::{note_order, plain as plain_text};
pub use error::{
    DocxError, MAX_BLOCKS, MAX_BYTES, MAX_DEPTH, MAX_NOTES, MAX_NUMBERED_LISTS, MAX_TABLE_COLUMNS,
};
pub use exhibits::{Exhibit, Exhibits, SECTION, exhibit_label};
pub use heading_case::HeadingCase;
pub use markdown::{MarkdownOptions, blocks_from_markdown, from_markdown};
pub use model::{
    Block, Cell, Change, Contents, Format, HeadingLevel, Link, List, Note, Paragraph, ParagraphStyle, Run,
    RunContent, Table, TableAlignment, WordDocument, leading_captions, visit_runs,
};
pub use package::{package, write};
pub use table::broken_widths;
pub use typography::{nested_quotes, typeset};
pub use xml::{DECLARATION, escape};
