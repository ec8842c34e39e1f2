//! Spreadsheet files (SpreadsheetML, ECMA-376): sheets with a fixed head, filters, texts and numbers.
//!
//! Pure functions of their input: the same workbook gives the same bytes. Words of others are texts: none is ever a formula.

mod parts;

use docx::DocxError;

/// The most rows of a sheet, its head included.
pub const MAX_ROWS: usize = 1_048_576;
/// The most columns of a sheet.
pub const MAX_COLUMNS: usize = 256;
/// The most sheets of a file.
pub const MAX_SHEETS: usize = 64;
/// The most characters of a cell, in UTF-16 units; a longer text is cut, with a mark.
pub const MAX_CELL_UNITS: usize = 32_767;
/// The most characters of a sheet's title.
pub const MAX_TITLE_CHARS: usize = 31;

/// A file with its sheets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Workbook {
    /// What it is about, for its properties.
    pub title: String,
    /// At least one.
    pub sheets: Vec<Sheet>,
}

/// A table: a head that stays in view, and rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    /// The words on its tab. Characters that no tab may hold are replaced, and what is longer than 31 characters is cut.
    pub title: String,
    /// The head.
    pub columns: Vec<String>,
    /// The rows; a shorter one ends with empty cells.
    pub rows: Vec<Vec<Cell>>,
}

/// What one cell holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Cell {
    /// Nothing.
    #[default]
    Empty,
    /// Words.
    Text(String),
    /// A number that the program reading the file can compute with.
    Number(serde_json::Number),
}

impl Cell {
    /// Of a JSON value: numbers stay numbers, lists of texts are joined by semicolons.
    pub fn of(value: &serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Empty,
            Value::Bool(yes) => Self::Text(if *yes { "yes" } else { "no" }.to_owned()),
            Value::Number(number) => Self::Number(number.clone()),
            Value::String(text) if text.is_empty() => Self::Empty,
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => {
                let words: Vec<String> = items
                    .iter()
                    .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned))
                    .collect();
                if words.is_empty() { Self::Empty } else { Self::Text(words.join("; ")) }
            }
            Value::Object(_) => Self::Text(value.to_string()),
        }
    }
}

/// Why a workbook can't be written.
#[derive(Debug, thiserror::Error)]
pub enum XlsxError {
    /// There is no sheet.
    #[error("the workbook has no sheet")]
    NoSheet,
    /// More sheets than `MAX_SHEETS`.
    #[error("the workbook has {0} sheets; {MAX_SHEETS} are possible")]
    TooManySheets(usize),
    /// More rows than `MAX_ROWS`.
    #[error("sheet {sheet:?} has {rows} rows; {MAX_ROWS} are possible")]
    TooManyRows {
        /// Its title.
        sheet: String,
        /// Its rows, the head included.
        rows: usize,
    },
    /// More columns than `MAX_COLUMNS`, or a row with more cells than the head.
    #[error(
        "sheet {sheet:?} has a row of {columns} cells; its head has {head}, and {MAX_COLUMNS} are possible"
    )]
    TooManyColumns {
        /// Its title.
        sheet: String,
        /// Cells of the row.
        columns: usize,
        /// Cells of the head.
        head: usize,
    },
    /// The file could not be packed.
    #[error(transparent)]
    Packing(#[from] DocxError),
}

/// Writes a workbook as a file.
///
/// # Errors
/// No sheet, or more of something than such a file can hold.
pub fn write(workbook: &Workbook) -> Result<Vec<u8>, XlsxError> {
    match workbook.sheets.len() {
        0 => return Err(XlsxError::NoSheet),
        sheets if sheets > MAX_SHEETS => return Err(XlsxError::TooManySheets(sheets)),
        _ => {}
    }
    for sheet in &workbook.sheets {
        let (rows, head) = (sheet.rows.len() + 1, sheet.columns.len());
        if rows > MAX_ROWS {
            return Err(XlsxError::TooManyRows { sheet: sheet.title.clone(), rows });
        }
        let columns = sheet.rows.iter().map(Vec::len).max().unwrap_or(0).max(head);
        if columns > head.min(MAX_COLUMNS) {
            return Err(XlsxError::TooManyColumns { sheet: sheet.title.clone(), columns, head });
        }
    }
    Ok(docx::package(&as_refs(&parts::parts(workbook)))?)
}

fn as_refs(parts: &[(String, String)]) -> Vec<(&str, String)> {
    parts.iter().map(|(name, part)| (name.as_str(), part.clone())).collect()
}
