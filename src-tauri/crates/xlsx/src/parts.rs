//! The parts of the file.

use std::collections::BTreeSet;

use docx::{DECLARATION, escape};

use crate::{Cell, MAX_CELL_UNITS, MAX_TITLE_CHARS, Sheet, Workbook};

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONSHIP: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const SHEET_ML: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/// Columns are as wide as their words, in characters, within these.
const MIN_WIDTH_CHARS: usize = 8;
const MAX_WIDTH_CHARS: usize = 64;
/// Rows that are looked at for the width of a column.
const MEASURED_ROWS: usize = 400;
/// What a text that is cut ends with.
const CUT: &str = " … (cut)";

/// All parts in order.
pub(crate) fn parts(workbook: &Workbook) -> Vec<(String, String)> {
    let titles = titles(&workbook.sheets);
    let mut parts = vec![
        ("[Content_Types].xml".to_owned(), content_types(titles.len())),
        ("_rels/.rels".to_owned(), root()),
        ("docProps/core.xml".to_owned(), core(&workbook.title)),
        ("xl/workbook.xml".to_owned(), book(&workbook.sheets, &titles)),
        ("xl/_rels/workbook.xml.rels".to_owned(), relationships(titles.len())),
        ("xl/styles.xml".to_owned(), styles()),
    ];
    for (at, sheet) in workbook.sheets.iter().enumerate() {
        parts.push((format!("xl/worksheets/sheet{}.xml", at + 1), worksheet(sheet, at == 0)));
    }
    parts
}

/// Titles as a tab may hold them, no two alike.
fn titles(sheets: &[Sheet]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut out = Vec::new();
    for sheet in sheets {
        let words: String = sheet
            .title
            .chars()
            .map(|c| if "[]:*?/\\".contains(c) || c.is_control() { ' ' } else { c })
            .collect();
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = words.trim_matches('\'');
        let words = if words.is_empty() { "Sheet" } else { words };
        let mut n = 1;
        loop {
            let suffix = if n == 1 { String::new() } else { format!(" {n}") };
            let kept: String = words.chars().take(MAX_TITLE_CHARS - suffix.chars().count()).collect();
            let title = format!("{}{suffix}", kept.trim_end());
            if taken.insert(title.to_lowercase()) {
                out.push(title);
                break;
            }
            n += 1;
        }
    }
    out
}

fn content_types(sheets: usize) -> String {
    let sheets: String = (1..=sheets)
        .map(|n| {
            format!(
                "<Override PartName=\"/xl/worksheets/sheet{n}.xml\" ContentType=\"{SHEET_ML}.worksheet+xml\"/>"
            )
        })
        .collect();
    format!(
        "{DECLARATION}<Types xmlns=\"{PACKAGE}/content-types\"><Default Extension=\"rels\" \
         ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" \
         ContentType=\"application/xml\"/><Override PartName=\"/xl/workbook.xml\" ContentType=\"{SHEET_ML}.sheet.main+xml\"/>\
         <Override PartName=\"/xl/styles.xml\" ContentType=\"{SHEET_ML}.styles+xml\"/>{sheets}<Override \
         PartName=\"/docProps/core.xml\" ContentType=\"application/vnd.openxmlformats-package.core-properties+xml\"/></Types>"
    )
}

fn root() -> String {
    format!(
        "{DECLARATION}<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"rId1\" \
         Type=\"{RELATIONSHIP}/officeDocument\" Target=\"xl/workbook.xml\"/><Relationship Id=\"rId2\" \
         Type=\"{PACKAGE}/relationships/metadata/core-properties\" Target=\"docProps/core.xml\"/></Relationships>"
    )
}

fn core(title: &str) -> String {
    format!(
        "{DECLARATION}<cp:coreProperties xmlns:cp=\"{PACKAGE}/metadata/core-properties\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>{}</dc:title></cp:coreProperties>",
        escape(&title.split_whitespace().collect::<Vec<_>>().join(" "))
    )
}

fn book(sheets: &[Sheet], titles: &[String]) -> String {
    let tabs: String = (1..)
        .zip(titles)
        .map(|(n, title)| format!("<sheet name=\"{}\" sheetId=\"{n}\" r:id=\"rId{n}\"/>", escape(title)))
        .collect();
    // A filter needs a name of its own in the book, or other programs repair the file.
    let filters: String = (0..)
        .zip(sheets.iter().zip(titles))
        .filter(|(_, (sheet, _))| !sheet.columns.is_empty())
        .map(|(at, (sheet, title))| {
            format!(
                "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"{at}\" hidden=\"1\">'{}'!$A$1:${}${}</definedName>",
                escape(&title.replace('\'', "''")),
                column(sheet.columns.len() - 1),
                sheet.rows.len() + 1
            )
        })
        .collect();
    let names = if filters.is_empty() { filters } else { format!("<definedNames>{filters}</definedNames>") };
    format!(
        "{DECLARATION}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONSHIP}\"><sheets>{tabs}</sheets>{names}</workbook>"
    )
}

fn relationships(sheets: usize) -> String {
    let tabs: String = (1..=sheets)
        .map(|n| {
            format!(
                "<Relationship Id=\"rId{n}\" Type=\"{RELATIONSHIP}/worksheet\" Target=\"worksheets/sheet{n}.xml\"/>"
            )
        })
        .collect();
    format!(
        "{DECLARATION}<Relationships xmlns=\"{PACKAGE}/relationships\">{tabs}<Relationship Id=\"rId{}\" \
         Type=\"{RELATIONSHIP}/styles\" Target=\"styles.xml\"/></Relationships>",
        sheets + 1
    )
}

/// Style 0: numbers. Style 1: the head. Style 2: words, wrapped, at the top of their cell.
fn styles() -> String {
    format!(
        "{DECLARATION}<styleSheet xmlns=\"{MAIN}\"><fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>\
         <font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts><fills count=\"3\"><fill><patternFill \
         patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill><fill><patternFill \
         patternType=\"solid\"><fgColor rgb=\"FFE8EBF0\"/></patternFill></fill></fills><borders count=\"1\"><border/></borders>\
         <cellStyleXfs count=\"1\"><xf/></cellStyleXfs><cellXfs count=\"3\"><xf applyAlignment=\"1\"><alignment \
         vertical=\"top\"/></xf><xf fontId=\"1\" fillId=\"2\" applyFont=\"1\" applyFill=\"1\" applyAlignment=\"1\"><alignment \
         vertical=\"top\" wrapText=\"1\"/></xf><xf applyAlignment=\"1\"><alignment vertical=\"top\" wrapText=\"1\"/></xf></cellXfs>\
         </styleSheet>"
    )
}

fn worksheet(sheet: &Sheet, first: bool) -> String {
    let selected = if first { " tabSelected=\"1\"" } else { "" };
    let mut out = format!(
        "{DECLARATION}<worksheet xmlns=\"{MAIN}\"><sheetViews><sheetView workbookViewId=\"0\"{selected}><pane ySplit=\"1\" \
         topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews>"
    );
    if !sheet.columns.is_empty() {
        out.push_str("<cols>");
        for (at, title) in sheet.columns.iter().enumerate() {
            let n = at + 1;
            let width = width(sheet, at, title);
            out.push_str(&format!("<col min=\"{n}\" max=\"{n}\" width=\"{width}\" customWidth=\"1\"/>"));
        }
        out.push_str("</cols>");
    }
    out.push_str("<sheetData>");
    let head = sheet.columns.iter().map(|title| Cell::Text(title.clone())).collect::<Vec<_>>();
    row(&mut out, 1, &head, 1);
    for (n, cells) in (2..).zip(&sheet.rows) {
        row(&mut out, n, cells, 2);
    }
    out.push_str("</sheetData>");
    if !sheet.columns.is_empty() {
        let last = column(sheet.columns.len() - 1);
        out.push_str(&format!("<autoFilter ref=\"A1:{last}{}\"/>", sheet.rows.len() + 1));
    }
    out.push_str("</worksheet>");
    out
}

fn row(out: &mut String, n: usize, cells: &[Cell], style: usize) {
    out.push_str(&format!("<row r=\"{n}\">"));
    for (at, cell) in cells.iter().enumerate() {
        let place = format!("{}{n}", column(at));
        match cell {
            Cell::Empty => {}
            Cell::Number(number) => out.push_str(&format!("<c r=\"{place}\"><v>{number}</v></c>")),
            Cell::Text(text) => out.push_str(&format!(
                "<c r=\"{place}\" s=\"{style}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>",
                escape(&whole(text))
            )),
        }
    }
    out.push_str("</row>");
}

/// A text as long as a cell may be.
fn whole(text: &str) -> String {
    if text.encode_utf16().count() <= MAX_CELL_UNITS {
        return text.to_owned();
    }
    let mut left = MAX_CELL_UNITS - CUT.encode_utf16().count();
    let kept = text.chars().take_while(|c| {
        let fits = c.len_utf16() <= left;
        left = left.saturating_sub(c.len_utf16());
        fits
    });
    kept.collect::<String>() + CUT
}

/// How wide a column is, in characters.
fn width(sheet: &Sheet, at: usize, title: &str) -> usize {
    let of = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let cells = sheet.rows.iter().take(MEASURED_ROWS).filter_map(|row| row.get(at));
    let longest = cells.map(|cell| match cell {
        Cell::Empty => 0,
        Cell::Text(text) => of(text),
        Cell::Number(number) => number.to_string().len(),
    });
    // The mark of the filter stands beside the title.
    longest.max().unwrap_or(0).max(of(title) + 3).clamp(MIN_WIDTH_CHARS, MAX_WIDTH_CHARS)
}

/// The letters of a column, from 0: A, B … Z, AA.
fn column(mut at: usize) -> String {
    let mut letters = Vec::new();
    loop {
        letters.push(char::from(b'A' + u8::try_from(at % 26).unwrap_or(0)));
        match (at / 26).checked_sub(1) {
            Some(next) => at = next,
            None => return letters.iter().rev().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Workbook, XlsxError, write};
    use serde_json::json;

    fn sheet(title: &str, rows: &[serde_json::Value]) -> Sheet {
        Sheet {
            title: title.to_owned(),
            columns: vec!["fact".to_owned(), "amount".to_owned()],
            rows: rows.iter().map(|row| row.as_array().unwrap().iter().map(Cell::of).collect()).collect(),
        }
    }

    #[test]
    fn columns_are_lettered_as_spreadsheets_do() {
        let letters: Vec<String> = [0, 25, 26, 51, 52, 701, 702].map(column).into();
        assert_eq!(letters, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }

    #[test]
    fn a_number_stays_one_and_words_are_never_a_formula() {
        let part = worksheet(&sheet("s", &[json!(["=1+1 <b>", 1250000]), json!([["a", "b"], 0.25])]), true);
        assert!(part.contains("<c r=\"A2\" s=\"2\" t=\"inlineStr\"><is><t xml:space=\"preserve\">=1+1 &lt;b&gt;</t></is></c>"), "{part}");
        assert!(part.contains("<c r=\"B2\"><v>1250000</v></c>"), "{part}");
        assert!(part.contains(">a; b</t>") && part.contains("<v>0.25</v>"), "{part}");
        assert!(part.contains("<autoFilter ref=\"A1:B3\"/>") && !part.contains("<f>"), "{part}");
    }

    #[test]
    fn tabs_have_titles_of_their_own_that_other_programs_accept() {
        let long = "Facts: what the documents say of it all";
        let sheets = [sheet(long, &[]), sheet(long, &[]), sheet("a/b", &[]), sheet("'", &[])];
        let titles = titles(&sheets);
        assert_eq!(
            titles,
            ["Facts what the documents say of", "Facts what the documents say 2", "a b", "Sheet"]
        );
        assert!(titles.iter().all(|title| title.chars().count() <= MAX_TITLE_CHARS));
    }

    #[test]
    fn a_text_longer_than_a_cell_is_cut_with_a_mark() {
        let text = "😀".repeat(MAX_CELL_UNITS);
        let cut = whole(&text);
        assert!(cut.ends_with(CUT) && cut.encode_utf16().count() <= MAX_CELL_UNITS);
        assert_eq!(whole("short"), "short");
    }

    #[test]
    fn the_same_workbook_gives_the_same_bytes_and_a_wrong_one_is_refused() {
        let book =
            Workbook { title: "Northwind".to_owned(), sheets: vec![sheet("Facts", &[json!(["a", 1])])] };
        assert_eq!(write(&book).unwrap(), write(&book).unwrap());
        assert!(matches!(write(&Workbook::default()), Err(XlsxError::NoSheet)));
        let wide = Workbook { sheets: vec![sheet("Facts", &[json!(["a", 1, 2])])], ..Workbook::default() };
        assert!(matches!(write(&wide), Err(XlsxError::TooManyColumns { columns: 3, head: 2, .. })));
    }
}
