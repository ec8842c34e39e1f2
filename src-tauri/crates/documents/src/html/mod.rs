//! HTML, the pages of EUR-Lex and the chapters of an EPUB included.

mod blocks;
mod eurlex;
mod forms;
mod furniture;
mod hidden;
mod looks;
mod math;
mod run;
mod tables;
mod tags;
mod tokens;
mod tree;

use std::sync::atomic::AtomicBool;

pub(crate) use looks::Sheet;

use crate::output::{Output, clean};
use crate::{BlockPosition, Document, Limits, ReadError};

/// Reads a page.
pub(crate) fn read(bytes: &[u8], limits: &Limits, cancel: &AtomicBool) -> Result<Document, ReadError> {
    let mut output = Output::new(limits, cancel);
    let text = output.decoded(bytes);
    let dialect = if text.trim_start().starts_with("<?xml") { Dialect::Declared } else { Dialect::Html };
    read_dialect(&text, dialect, Sheet::default(), &mut output)?;
    Ok(output.finish())
}

/// Reads a page of XHTML into `output`, which may hold other pages' blocks already. `sheet`: the style of all of them.
pub(crate) fn read_chapter(source: &str, sheet: Sheet, output: &mut Output<'_>) -> Result<(), ReadError> {
    read_dialect(source, Dialect::Xml, sheet, output)
}

/// Reads a page whose lines are told by [`line_mark`]s.
pub(crate) fn read_marked(source: &str, output: &mut Output<'_>) -> Result<(), ReadError> {
    read_dialect(source, Dialect::Marked, Sheet::default(), output)
}

/// A comment that tells which line of the file follows.
pub(crate) fn line_mark(line: u32) -> String {
    format!("{LINE_MARK}{line}-->")
}

const LINE_MARK: &str = "<!--@";

/// How a page's text is to be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Html,
    /// XHTML: `<a/>` is closed, `<![CDATA[` is text.
    Xml,
    /// XHTML by its declaration; a browser may take it for HTML all the same, so what either hides is hidden.
    Declared,
    /// Made of another format; lines are those of the marks.
    Marked,
}

fn read_dialect(
    source: &str,
    dialect: Dialect,
    sheet: Sheet,
    output: &mut Output<'_>,
) -> Result<(), ReadError> {
    let tree = tree::build(source, dialect, sheet, output)?;
    if tree.hidden > 0 {
        output.note(BlockPosition::default(), format!("{} characters of hidden text not read", tree.hidden));
    }
    for &(kind, count) in &tree.omitted {
        output.omit(kind, count, BlockPosition::default());
    }
    if let Some(line) = tree.too_deep {
        let what = "elements nested too deep: read as if they stood side by side";
        output.note(BlockPosition { page: None, line: Some(line) }, what);
    }
    let (title, invisible) = clean(&tree.title);
    output.removed(invisible);
    let eurlex = eurlex::is_eurlex(source).then(eurlex::State::default);
    if !title.is_empty() && eurlex.is_none() && output.document.title.is_none() {
        output.document.title = Some(title);
    }
    blocks::Walk::new(&tree, output, eurlex).run()
}
