//! Spreadsheets (Office Open XML, ECMA-376 part 1, clause 18): a heading for each sheet that is shown, and one paragraph for each
//! row, which names the columns, as of a CSV. Numbers are given as they are shown, and as stored where that says more. What is
//! hidden is left out and counted.

mod beside;
mod sheet;
mod strings;
mod styles;

use std::sync::atomic::AtomicBool;

use crate::archive::Archive;
use crate::docx::{Relations, part, relations, resolved, unpacked};
use crate::omissions::Omission;
use crate::output::{Output, clean};
use crate::xml::{Node, Xml};
use crate::{Block, BlockKind, BlockPosition, Document, Limits, ReadError};
use beside::Beside;
use styles::Styles;

const FORMAT: &str = "XLSX";
/// The most columns of a sheet.
const COLUMNS: usize = 16_384;

/// Reads a spreadsheet.
pub(crate) fn read(bytes: &[u8], limits: &Limits, cancel: &AtomicBool) -> Result<Document, ReadError> {
    if let Some(error) =
        unpacked(bytes, FORMAT, "a spreadsheet of Excel before 2007 (.xls): save it as .xlsx and ingest that")
    {
        return Err(error);
    }
    workbook(bytes, limits, cancel).map_err(|error| match error {
        ReadError::Malformed { what, .. } => ReadError::Malformed { format: FORMAT, what },
        other => other,
    })
}

/// What the sheets of a workbook share.
#[derive(Default)]
struct Book {
    strings: Vec<String>,
    styles: Styles,
    from_1904: bool,
}

fn workbook(bytes: &[u8], limits: &Limits, cancel: &AtomicBool) -> Result<Document, ReadError> {
    let malformed = |what: String| ReadError::Malformed { format: FORMAT, what };
    let mut archive = Archive::open(bytes, FORMAT, limits, cancel)?;
    let main = relations(&mut archive, "", limits)?.of_type("/officeDocument");
    let main = main.unwrap_or_else(|| "xl/workbook.xml".into());
    let text = part(&mut archive, &main)?.ok_or_else(|| malformed(format!("no {main} in it")))?;
    let near = relations(&mut archive, &main, limits)?;
    let mut book = Book::default();
    let mut beside = |kind: &str| near.of_type(kind).map_or(Ok(None), |path| part(&mut archive, &path));
    let strings = beside("/sharedStrings")?.map(|text| strings::shared(&text, limits));
    let styles = beside("/styles")?.map(|text| Styles::read(&text, limits));
    book.strings = strings.transpose()?.unwrap_or_default();
    book.styles = styles.transpose()?.unwrap_or_default();
    let mut output = Output::new(limits, cancel);
    let mut sheets = Vec::new();
    let mut xml = Xml::new(&text, FORMAT, limits);
    loop {
        match xml.next()? {
            Node::Open(element) if element.name() == "workbookPr" => {
                book.from_1904 = matches!(element.attr("date1904").as_deref(), Some("1" | "true"));
            }
            Node::Open(element) if element.name() == "sheet" => match element.attr("state").as_deref() {
                None | Some("visible") => sheets.push((element.attr("name"), element.attr("id"))),
                Some(_) => output.omit(Omission::HiddenSheet, 1, BlockPosition::default()),
            },
            Node::Open(_) | Node::Close | Node::Text(_) => {}
            Node::End => break,
        }
    }
    for (name, id) in sheets {
        let address = id.as_deref().and_then(|id| near.address(id));
        let Some(path) = address.map(|address| resolved(&near.folder, address)) else { continue };
        let Some(text) = part(&mut archive, &path)? else { continue };
        let around: Relations = relations(&mut archive, &path, limits)?;
        let beside = Beside::read(&mut archive, &text, &around, limits)?;
        let (name, invisible) = clean(&name.unwrap_or_default());
        output.removed(invisible);
        output.push(Block::new(BlockKind::Heading(1), name, BlockPosition::default()))?;
        book.sheet(&text, beside, &mut output)?;
    }
    // Names of sheets without a cell say nothing.
    if output.document.blocks.iter().all(|block| block.kind == BlockKind::Heading(1)) {
        output.document.blocks.clear();
    }
    Ok(output.finish())
}

/// The column and row of a cell's address, from 0 and 1: `A7`, `$A$7`. The row is 0 where there is none.
fn address(text: &str) -> Option<(usize, u32)> {
    let bare: String = text.chars().filter(|c| *c != '$').collect();
    let letters = bare.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    let number =
        letters.fold(0, |number, letter| number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    let row = bare.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(0);
    Some((number.checked_sub(1)?, row))
}
