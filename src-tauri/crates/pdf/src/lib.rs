//! PDF files of documents: pages with footnotes at their foot, a table of contents with page numbers, tables whose head is
//! repeated, links, bookmarks, and tags for screen readers. The document is the one that [`docx`] writes for Word.
//!
//! The fonts are part of the program, so the same document gives the same bytes everywhere. Only for characters that they
//! lack is a font of the machine looked for and embedded; where there is none, boxes stand for them and the end of the file says which
//! they are.

// Which makes `parley` load the machine's list of fonts at run time, not link against it.
use fontique as _;

mod canvas;
mod contents;
mod error;
mod flow;
mod fonts;
mod notice;
mod pages;
mod style;
mod table;
mod tags;
mod text;
mod words;

use docx::WordDocument;

pub use error::PdfError;

/// Writes a document as PDF 1.7 on A4 pages.
///
/// # Errors
/// A document that is larger than [`docx::note_order`] allows.
pub fn write(document: &WordDocument) -> Result<Vec<u8>, PdfError> {
    let Composed { layout, headings, mut fonts, tags } = compose(document)?;
    if fonts.missing.is_empty() {
        return canvas::draw(document, &layout, &headings, &mut fonts, tags);
    }
    // Nobody should take boxes for the text.
    let document = notice::with_notice(document, &fonts.missing);
    let Composed { layout, headings, mut fonts, tags } = compose(&document)?;
    canvas::draw(&document, &layout, &headings, &mut fonts, tags)
}

/// The page of each heading of the text as [`write`] lays it out, from 1; a heading that a revision took out has none.
///
/// # Errors
/// As [`write`].
pub fn heading_pages(document: &WordDocument) -> Result<Vec<usize>, PdfError> {
    Ok(contents::pages(&compose(document)?.layout).into_values().collect())
}

/// A document in pages, not drawn yet.
struct Composed {
    layout: pages::Layout,
    headings: Vec<flow::Heading>,
    fonts: fonts::Fonts,
    tags: tags::Tags,
}

fn compose(document: &WordDocument) -> Result<Composed, PdfError> {
    let order = docx::note_order(document)?;
    let mut flow = flow::Flow::new(&order);
    flow.title(document);
    flow.blocks(&document.blocks);
    let text = flow.text();
    let notes = flow.notes(document, &order);
    let flow::Flow { mut fonts, tags, headings, .. } = flow;
    let mut layout = pages::paginate(text, notes);
    contents::number(&mut layout, &mut fonts);
    Ok(Composed { layout, headings, fonts, tags })
}

#[cfg(test)]
mod tests;
