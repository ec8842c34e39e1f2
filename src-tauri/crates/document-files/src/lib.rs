//! Documents as files for people: Word, PDF and spreadsheets, and the texts that runs put together themselves. On a machine the same
//! document gives the same bytes: the only time in a file is that of its run. Another machine may have other fonts for characters that
//! the built-in ones lack, and so break pages elsewhere.

mod main_text;
mod references;

use answers::{Document, Exhibits, HeadingCase, exhibit_label};
use docx::{Block, Run, WordDocument};
use domain::{ErrorCode, Problem};
use xlsx::{Cell, Sheet, Workbook};

pub use main_text::{MainText, lock_line};
use main_text::{day, instant};
use references::COLUMNS;

/// The document of an answer as one with pages, with the documents that it was written from. `created` is when its run began, in milliseconds since 1970: the day stands below the
/// title, the time in the file.
pub fn answer_pages(document: &Document, exhibits: &Exhibits, created: Option<i64>) -> WordDocument {
    let mut pages = answers::to_word(document, exhibits);
    pages.subtitle.extend(created.and_then(day).map(|day| vec![Run::text(format!("Answered on {day}"))]));
    pages.created = created.and_then(instant);
    pages
}

/// A file for Word; with `before`, the version from which it shows its changes.
///
/// # Errors
/// The document has what such a file can't hold.
pub fn to_docx(document: WordDocument, before: Option<&WordDocument>) -> Result<Vec<u8>, Problem> {
    let document = with_pages(revised(document, before)).map_err(|error| no_file("Word", error))?;
    docx::write(&document).map_err(|error| no_file("Word", error))
}

/// A PDF; with `before`, the version from which it shows its changes.
///
/// # Errors
/// The document has what such a file can't hold.
pub fn to_pdf(document: WordDocument, before: Option<&WordDocument>) -> Result<Vec<u8>, Problem> {
    pdf::write(&revised(document, before)).map_err(|error| no_file("PDF", error))
}

/// A page for browsers.
///
/// # Errors
/// The document has what such a page can't hold.
pub fn to_html(document: &WordDocument) -> Result<String, Problem> {
    answers::to_html_of_pages(document).map_err(|error| no_file("HTML", error))
}

/// A workbook of the statements of a document, of tables, and of the documents that it was written from, a sheet each.
///
/// # Errors
/// A sheet has what such a file can't hold.
pub fn to_xlsx(document: Document, tables: Vec<Sheet>, exhibits: &Exhibits) -> Result<Vec<u8>, Problem> {
    let statements = answers::statement_rows(&document);
    let text = |cell: String| if cell.is_empty() { Cell::Empty } else { Cell::Text(cell) };
    let mut sheets: Vec<Sheet> = tables.into_iter().map(|table| with_files(table, exhibits)).collect();
    if !exhibits.list().is_empty() {
        sheets.push(reviewed(exhibits));
    }
    // Where there is nothing else its head alone says that there are no statements.
    if !statements.is_empty() || sheets.is_empty() {
        let statements = Sheet {
            title: "Statements".to_owned(),
            columns: answers::STATEMENT_COLUMNS.map(str::to_owned).into(),
            rows: statements.into_iter().map(|row| row.map(text).into()).collect(),
        };
        sheets.insert(0, statements);
    }
    xlsx::write(&Workbook { title: document.title, sheets }).map_err(|error| no_file("spreadsheet", error))
}

/// A table whose documents have the names of their files.
fn with_files(mut table: Sheet, exhibits: &Exhibits) -> Sheet {
    let shown = |name: &str| {
        let (number, rest) = exhibits.find(name)?;
        // Other words that begin with a name are words of their own.
        let is_place = rest.is_empty() || rest.starts_with([',', ':']) || rest.starts_with(" p. ");
        let exhibit = exhibits.list().get(number - 1).filter(|_| is_place)?;
        Some(format!("{}{rest}", exhibit.file))
    };
    for at in (0..table.columns.len()).filter(|at| COLUMNS.contains(&table.columns[*at].as_str())) {
        for cell in table.rows.iter_mut().filter_map(|row| row.get_mut(at)) {
            if let Cell::Text(names) = cell {
                let names: Vec<String> =
                    names.split("; ").map(|name| shown(name).unwrap_or_else(|| name.to_owned())).collect();
                *cell = Cell::Text(names.join("; "));
            }
        }
    }
    table
}

/// The documents that a run read, with the numbers that footnotes name.
fn reviewed(exhibits: &Exhibits) -> Sheet {
    let case = HeadingCase::default();
    let text = |words: &str| if words.is_empty() { Cell::Empty } else { Cell::Text(words.to_owned()) };
    let rows = exhibits.list().iter().enumerate().map(|(at, one)| {
        let pages = one.pages.map(|pages| pages.to_string()).unwrap_or_default();
        let label = exhibit_label(at + 1).replace('\u{a0}', " ");
        let (files, title) = (one.files(), one.shown_title(&case));
        [
            label.as_str(),
            files.as_str(),
            title.as_str(),
            one.date.as_str(),
            pages.as_str(),
            one.sha256.as_str(),
        ]
        .map(text)
        .into()
    });
    Sheet {
        title: "Documents reviewed".to_owned(),
        columns: ["exhibit", "file", "title", "date", "pages", "SHA-256"].map(str::to_owned).into(),
        rows: rows.collect(),
    }
}

fn revised(document: WordDocument, before: Option<&WordDocument>) -> WordDocument {
    match before {
        Some(before) => answers::revised(before, &document),
        None => document,
    }
}

/// Gives a table of contents the pages of our own layout, which a file of Word shows until they are computed.
fn with_pages(mut document: WordDocument) -> Result<WordDocument, pdf::PdfError> {
    let contents = document.blocks.iter().position(|block| matches!(block, Block::Contents(_)));
    if let Some(at) = contents {
        let known = pdf::heading_pages(&document)?;
        if let Some(Block::Contents(contents)) = document.blocks.get_mut(at) {
            contents.pages = known;
        }
    }
    Ok(document)
}

fn no_file(kind: &str, error: impl std::fmt::Display) -> Problem {
    Problem::new(ErrorCode::InvalidInput, format!("no {kind} file was made: {error}"))
        .with_action("export it as HTML, or its documents one by one")
}
