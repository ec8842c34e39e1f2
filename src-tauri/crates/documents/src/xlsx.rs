//! Spreadsheets (Office Open XML, ECMA-376 part 1, clause 18): a heading for each sheet that is shown, and one paragraph for each
//! row, which names the columns, as of a CSV. Numbers are given as dates and percentages where the cell's format says so.

use std::sync::atomic::AtomicBool;

use jiff::Span;
use jiff::civil::{self, Date};

use crate::archive::Archive;
use crate::csv::{is_header, push};
use crate::docx::{part, relations, resolved, unpacked};
use crate::output::{Output, clean};
use crate::xml::{Node, Xml};
use crate::{Block, BlockKind, BlockPosition, Document, Limits, ReadError};

const FORMAT: &str = "XLSX";
/// The most columns of a sheet.
const COLUMNS: usize = 16_384;
/// The day that a spreadsheet counts from; with the other calendar.
const FIRST_DAY: Date = civil::date(1899, 12, 30);
const FIRST_DAY_1904: Date = civil::date(1904, 1, 1);

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

fn workbook(bytes: &[u8], limits: &Limits, cancel: &AtomicBool) -> Result<Document, ReadError> {
    let malformed = |what: String| ReadError::Malformed { format: FORMAT, what };
    let mut archive = Archive::open(bytes, FORMAT, limits, cancel)?;
    let main = relations(&mut archive, "", limits)?.of_type("/officeDocument");
    let main = main.unwrap_or_else(|| "xl/workbook.xml".into());
    let text = part(&mut archive, &main)?.ok_or_else(|| malformed(format!("no {main} in it")))?;
    let near = relations(&mut archive, &main, limits)?;
    let mut book = Book::default();
    let mut beside = |kind: &str| near.of_type(kind).map_or(Ok(None), |path| part(&mut archive, &path));
    let strings = beside("/sharedStrings")?.map(|text| shared_strings(&text, limits));
    let formats = beside("/styles")?.map(|text| cell_formats(&text, limits));
    book.strings = strings.transpose()?.unwrap_or_default();
    book.formats = formats.transpose()?.unwrap_or_default();
    let mut output = Output::new(limits, cancel);
    let (mut sheets, mut hidden) = (Vec::new(), 0);
    let mut xml = Xml::new(&text, FORMAT, limits);
    loop {
        match xml.next()? {
            Node::Open(element) if element.name() == "workbookPr" => {
                book.from_1904 = matches!(element.attr("date1904").as_deref(), Some("1" | "true"));
            }
            Node::Open(element) if element.name() == "sheet" => match element.attr("state").as_deref() {
                None | Some("visible") => sheets.push((element.attr("name"), element.attr("id"))),
                Some(_) => hidden += 1,
            },
            Node::Open(_) | Node::Close | Node::Text(_) => {}
            Node::End => break,
        }
    }
    for (name, id) in sheets {
        let address = id.as_deref().and_then(|id| near.address(id));
        let Some(path) = address.map(|address| resolved(&near.folder, address)) else { continue };
        let Some(text) = part(&mut archive, &path)? else { continue };
        let (name, invisible) = clean(&name.unwrap_or_default());
        output.removed(invisible);
        output.push(Block::new(BlockKind::Heading(1), name, BlockPosition::default()))?;
        book.sheet(&text, &mut output)?;
    }
    if hidden > 0 {
        let plural = if hidden == 1 { "" } else { "s" };
        output.note(BlockPosition::default(), format!("{hidden} hidden sheet{plural} not read"));
    }
    // Names of sheets without a cell say nothing.
    if output.document.blocks.iter().all(|block| block.kind == BlockKind::Heading(1)) {
        output.document.blocks.clear();
    }
    Ok(output.finish())
}

/// How a number is shown.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum NumberFormat {
    #[default]
    Plain,
    Percent,
    Date,
}

#[derive(Default)]
struct Book {
    strings: Vec<String>,
    /// Of the cells' styles, in order.
    formats: Vec<NumberFormat>,
    from_1904: bool,
}

impl Book {
    fn sheet(&self, text: &str, output: &mut Output<'_>) -> Result<(), ReadError> {
        let mut xml = Xml::new(text, FORMAT, output.limits());
        let (mut names, mut begun): (Vec<String>, bool) = (Vec::new(), false);
        let (mut cells, mut line, mut next): (Vec<String>, u32, usize) = (Vec::new(), 0, 0);
        loop {
            match xml.next()? {
                Node::Open(element) if element.name() == "row" => {
                    line = element.attr("r").and_then(|row| row.parse().ok()).unwrap_or(line + 1);
                    next = 0;
                    continue;
                }
                Node::Open(element) if element.name() == "c" => {
                    // Without an address it stands behind the one before, which may be empty.
                    let at = element.attr("r").and_then(|at| column(&at)).unwrap_or(next);
                    next = at.saturating_add(1);
                    let kind = element.attr("t").unwrap_or_default();
                    let style = element.attr("s").and_then(|style| style.parse().ok()).unwrap_or(usize::MAX);
                    let format = self.formats.get(style).copied().unwrap_or_default();
                    let value = self.value(&mut xml, &kind, format)?;
                    if at < COLUMNS && !value.trim().is_empty() {
                        cells.resize(cells.len().max(at + 1), String::new());
                        cells[at] = value;
                    }
                    continue;
                }
                Node::End => return Ok(()),
                Node::Close if !cells.is_empty() => {}
                Node::Open(_) | Node::Close | Node::Text(_) => continue,
            }
            // A row has ended.
            let row = std::mem::take(&mut cells);
            // Titles may stand above the names of the columns.
            let wide = row.iter().filter(|cell| !cell.is_empty()).count() > 1;
            if wide && !begun && is_header(&row) {
                names = row;
            } else {
                push(output, &names, &row, line)?;
            }
            begun |= wide;
        }
    }

    /// The text of the cell that was just opened.
    fn value(&self, xml: &mut Xml<'_>, kind: &str, format: NumberFormat) -> Result<String, ReadError> {
        let (mut value, mut inline, mut inside) = (String::new(), String::new(), 1_usize);
        while inside > 0 {
            match xml.next()? {
                Node::Open(element) if element.name() == "v" => value = xml.text()?,
                Node::Open(element) if element.name() == "t" => inline.push_str(&xml.text()?),
                Node::Open(element) if matches!(element.name(), "f" | "rPh") => xml.skip()?,
                Node::Open(_) => inside += 1,
                Node::Close => inside -= 1,
                Node::Text(_) => {}
                Node::End => break,
            }
        }
        Ok(match kind {
            "s" => self.strings.get(value.trim().parse().unwrap_or(usize::MAX)).cloned().unwrap_or_default(),
            "inlineStr" => inline,
            "b" => if value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "str" | "e" | "d" => value,
            _ => self.number(&value, format),
        })
    }

    fn number(&self, text: &str, format: NumberFormat) -> String {
        let Ok(number) = text.trim().parse::<f64>() else { return text.to_owned() };
        match format {
            NumberFormat::Plain => plain(number),
            NumberFormat::Percent => format!("{}%", plain(number * 100.0)),
            NumberFormat::Date => {
                let first = if self.from_1904 { FIRST_DAY_1904 } else { FIRST_DAY };
                date(number, first).unwrap_or_else(|| plain(number))
            }
        }
    }
}

/// A number with the fifteen digits that a spreadsheet keeps.
fn plain(number: f64) -> String {
    format!("{number:.14e}").parse::<f64>().unwrap_or(number).to_string()
}

/// A day as `2026-01-31`, with its time where it has one.
fn date(number: f64, first: Date) -> Option<String> {
    let minutes = (number >= 0.0).then_some((number * 1_440.0).round() as i64)?;
    let at = first.at(0, 0, 0, 0).checked_add(Span::new().try_minutes(minutes).ok()?).ok()?;
    let form = if minutes % 1_440 == 0 { "%Y-%m-%d" } else { "%Y-%m-%d %H:%M" };
    Some(at.strftime(form).to_string())
}

/// The column of a cell's address: 0 for `A7`.
fn column(address: &str) -> Option<usize> {
    let letters = address.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    let number =
        letters.fold(0, |number, letter| number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    number.checked_sub(1)
}

fn shared_strings(text: &str, limits: &Limits) -> Result<Vec<String>, ReadError> {
    let mut xml = Xml::new(text, FORMAT, limits);
    let (mut strings, mut bytes): (Vec<String>, usize) = (Vec::new(), 0);
    loop {
        match xml.next()? {
            Node::Open(element) if element.name() == "si" => strings.push(String::new()),
            Node::Open(element) if element.name() == "rPh" => xml.skip()?,
            Node::Open(element) if element.name() == "t" => {
                let text = xml.text()?;
                bytes += text.len();
                if bytes > limits.text_bytes {
                    let (limit, what) = (limits.text_bytes as u64, "bytes of text");
                    return Err(ReadError::TooLarge { limit, what });
                }
                strings.last_mut().into_iter().for_each(|last| last.push_str(&text));
            }
            Node::Open(_) | Node::Close | Node::Text(_) => {}
            Node::End => return Ok(strings),
        }
    }
}

fn cell_formats(text: &str, limits: &Limits) -> Result<Vec<NumberFormat>, ReadError> {
    let mut xml = Xml::new(text, FORMAT, limits);
    let (mut own, mut formats, mut of_cells) = (Vec::new(), Vec::new(), false);
    loop {
        match xml.next()? {
            Node::Open(element) if element.name() == "numFmt" => {
                let code = element.attr("formatCode").unwrap_or_default();
                own.push((element.attr("numFmtId"), number_format(&code)));
            }
            Node::Open(element)
                if matches!(element.name(), "cellXfs" | "cellStyles" | "cellStyleXfs" | "dxfs") =>
            {
                of_cells = element.name() == "cellXfs";
            }
            Node::Open(element) if element.name() == "xf" && of_cells => {
                let id = element.attr("numFmtId");
                let named = own.iter().find(|(known, _)| *known == id).map(|(_, format)| *format);
                formats.push(named.unwrap_or(match id.as_deref() {
                    Some("9" | "10") => NumberFormat::Percent,
                    Some("14" | "15" | "16" | "17" | "22") => NumberFormat::Date,
                    _ => NumberFormat::Plain,
                }));
            }
            Node::Open(_) | Node::Close | Node::Text(_) => {}
            Node::End => return Ok(formats),
        }
    }
}

/// What a format code shows; words in quotes and brackets are no code.
fn number_format(code: &str) -> NumberFormat {
    let (mut bare, mut quoted, mut bracket) = (String::new(), false, false);
    for c in code.split(';').next().unwrap_or_default().chars() {
        match c {
            '"' => quoted = !quoted,
            '[' if !quoted => bracket = true,
            ']' if !quoted => bracket = false,
            c if !quoted && !bracket => bare.push(c.to_ascii_lowercase()),
            _ => {}
        }
    }
    match bare {
        bare if bare.contains('%') => NumberFormat::Percent,
        bare if bare.contains('y') || bare.contains('d') => NumberFormat::Date,
        _ => NumberFormat::Plain,
    }
}
