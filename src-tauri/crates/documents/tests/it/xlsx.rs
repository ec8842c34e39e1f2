//! Office Open XML spreadsheets: what the reader makes of workbooks put together here.

use documents::{BlockKind, Format, ReadError};
use pretty_assertions::assert_eq;

use crate::docx::packed;
use crate::read;

const WORKBOOK: &str = r#"<workbook xmlns:r="r"><sheets><sheet name="Suppliers" sheetId="1" r:id="rId1"/><sheet name="Secret" sheetId="2" state="hidden" r:id="rId2"/><sheet name="Notes" sheetId="3" r:id="rId3"/></sheets></workbook>"#;
const RELATIONS: &str = r#"<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="x/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="rId3" Type="x/worksheet" Target="/xl/worksheets/sheet3.xml"/><Relationship Id="rId4" Type="x/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId5" Type="x/styles" Target="styles.xml"/></Relationships>"#;
const STRINGS: &str = r"<sst><si><t>Supplier</t></si><si><r><t>Contract </t></r><r><t>ends</t></r><rPh><t>x</t></rPh></si><si><t>Discount</t></si><si><t>Acme Paper</t></si></sst>";
const STYLES: &str = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[Red]dd\.mm\.yyyy;@"/><numFmt numFmtId="165" formatCode="0.0&quot; days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>"#;
const SUPPLIERS: &str = r#"<worksheet><sheetData>
<row r="1"><c r="A1" t="inlineStr"><is><t>Contracts of 2026</t></is></c></row>
<row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="s"><v>1</v></c><c r="C3" t="s"><v>2</v></c></row>
<row r="4"><c r="A4" t="s"><v>3</v></c><c r="B4" s="1"><v>46053</v></c><c r="C4" s="2"><f>1/8</f><v>0.125</v></c></row>
<row r="5"><c r="A5" t="str"><v>Celsius</v></c><c r="B5" s="3"><v>46053.75</v></c><c r="D5" s="4"><v>0.30000000000000004</v></c></row>
<row r="6"><c r="A6"/></row>
</sheetData></worksheet>"#;
const NOTES: &str = r#"<worksheet><sheetData><row><c t="b"><v>1</v></c></row></sheetData></worksheet>"#;

#[test]
fn a_row_says_its_columns_and_numbers_are_as_a_person_sees_them() {
    let bytes = packed(&[
        ("xl/workbook.xml", WORKBOOK),
        ("xl/_rels/workbook.xml.rels", RELATIONS),
        ("xl/sharedStrings.xml", STRINGS),
        ("xl/styles.xml", STYLES),
        ("xl/worksheets/sheet1.xml", SUPPLIERS),
        ("xl/worksheets/sheet2.xml", NOTES),
        ("xl/worksheets/sheet3.xml", NOTES),
    ]);
    assert_eq!(Format::detect("a.zip", &bytes), Some(Format::Xlsx));
    let document = read(&bytes, Format::Xlsx).unwrap();
    let blocks: Vec<(BlockKind, &str, Option<u32>)> =
        document.blocks.iter().map(|block| (block.kind, block.text.as_str(), block.place.line)).collect();
    let row = BlockKind::Paragraph;
    assert_eq!(
        blocks,
        [
            (BlockKind::Heading(1), "Suppliers", None),
            (row, "Contracts of 2026", Some(1)),
            (row, "Supplier: Acme Paper; Contract ends: 2026-01-31; Discount: 12.50%", Some(4)),
            (row, "Supplier: Celsius; Contract ends: 2026-01-31 18:00; D: 0.3 days", Some(5)),
            (BlockKind::Heading(1), "Notes", None),
            (row, "TRUE", Some(1)),
        ]
    );
    assert!(document.notes[0].what.contains("1 hidden"), "{:?}", document.notes);
}

/// A workbook of one sheet, with other parts beside it.
fn sheet(sheet: &str, others: &[(&str, &str)]) -> documents::Document {
    let workbook = r#"<workbook><sheets><sheet name="S" r:id="rId1"/></sheets></workbook>"#;
    let mut parts = vec![
        ("xl/workbook.xml", workbook),
        ("xl/_rels/workbook.xml.rels", RELATIONS),
        ("xl/sharedStrings.xml", STRINGS),
        ("xl/styles.xml", FORMATS),
        ("xl/worksheets/sheet1.xml", sheet),
    ];
    parts.extend(others);
    read(&packed(&parts), Format::Xlsx).unwrap()
}

/// A sheet of rows of cells, which are texts, numbers, `style:number`, or XML.
fn grid(rows: &[&[&str]]) -> String {
    let mut out = String::new();
    for (row, cells) in (1..).zip(rows) {
        out.push_str(&format!("<row r=\"{row}\">"));
        for (column, cell) in ('A'..).zip(*cells) {
            let at = format!("{column}{row}");
            out.push_str(&match cell.split_once(':') {
                _ if cell.is_empty() => String::new(),
                _ if cell.starts_with('<') => format!("<c r=\"{at}\">{cell}</c>"),
                Some((style, number)) if number.parse::<f64>().is_ok() => {
                    format!("<c r=\"{at}\" s=\"{style}\"><v>{number}</v></c>")
                }
                _ if cell.parse::<f64>().is_ok() => format!("<c r=\"{at}\"><v>{cell}</v></c>"),
                _ => format!("<c r=\"{at}\" t=\"inlineStr\"><is><t>{cell}</t></is></c>"),
            });
        }
        out.push_str("</row>");
    }
    format!("<sheetData>{out}</sheetData>")
}

const FORMATS: &str = r##"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="[$€-407] #,##0.00"/><numFmt numFmtId="166" formatCode="#,##0,"/><numFmt numFmtId="167" formatCode=";;;"/><numFmt numFmtId="168" formatCode="mmmm"/></numFmts><fonts><font/><font><strike/></font></fonts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="46"/><xf numFmtId="20"/><xf numFmtId="167"/><xf numFmtId="168"/><xf numFmtId="0" fontId="1"/></cellXfs></styleSheet>"##;

fn texts(document: &documents::Document) -> Vec<&str> {
    document.blocks[1..].iter().map(|block| block.text.as_str()).collect()
}

fn notes(document: &documents::Document) -> Vec<&str> {
    document.notes.iter().map(|note| note.what.as_str()).collect()
}

#[test]
fn numbers_stand_as_they_are_shown() {
    let document = sheet(
        &grid(&[
            &["Item", "Code", "Price", "Sum", "Length", "Start", "Month"],
            &[
                "Pen",
                "1:123",
                "2:1234.5",
                "3:1234567",
                "4:1.520833333333333",
                "5:0.395833333333333",
                "7:45717",
            ],
            &["Ink", "1:7", "2:3", "3:1000", "4:0.5", "5:0.75", "7:45748"],
            &["Nib", "6:5", "", "", "", "", ""],
        ]),
        &[],
    );
    assert_eq!(
        texts(&document),
        [
            "Item: Pen; Code: 00123; Price: € 1,234.50; Sum: 1,235 (1234567); Length: 36:30:00; Start: 9:30; Month: March",
            "Item: Ink; Code: 00007; Price: € 3.00; Sum: 1 (1000); Length: 12:00:00; Start: 18:00; Month: April",
            "Item: Nib",
        ]
    );
    assert_eq!(notes(&document), ["1 number that its format hides not read"]);
}

#[test]
fn formulas_without_a_value_are_given_as_they_are_and_counted() {
    let document = sheet(
        &grid(&[
            &["Item", "Q1", "Q2", "Total"],
            &["Rent", "100", "110", "<f>B2+C2</f><v></v>"],
            &["Heat", "50", "60", r#"<f t="shared" ref="D3:D4" si="0">B3+C3</f>"#],
            &["Water", "5", "6", r#"<f t="shared" si="0"/>"#],
            &["Sum", "155", "176", "<f>SUM(D2:D4)</f><v>331</v>"],
        ]),
        &[],
    );
    assert_eq!(
        texts(&document),
        [
            "Item: Rent; Q1: 100; Q2: 110; Total: =B2+C2",
            "Item: Heat; Q1: 50; Q2: 60; Total: =B3+C3",
            "Item: Water; Q1: 5; Q2: 6; Total: =B3+C3 (as in D3)",
            "Item: Sum; Q1: 155; Q2: 176; Total: 331",
        ]
    );
    assert!(notes(&document)[0].starts_with("3 formulas have no stored value"), "{:?}", document.notes);
    assert_eq!(document.notes.len(), 1);
}

#[test]
fn merged_cells_are_said_in_each_row_and_over_each_column() {
    let rows = grid(&[
        &["Trial balance", "", ""],
        &["Office", "Form", "Deadline"],
        &["Tax office", "Wage tax", "5th"],
        &["", "Sales tax", "10th"],
        &["", "Trade tax", "15th"],
        &["Court", "Balance", "31st"],
    ]);
    let merged = r#"<mergeCells count="2"><mergeCell ref="A1:C1"/><mergeCell ref="A3:A5"/></mergeCells>"#;
    let document = sheet(&format!("<worksheet>{rows}{merged}</worksheet>"), &[]);
    assert_eq!(
        texts(&document),
        [
            "Trial balance",
            "Office: Tax office; Form: Wage tax; Deadline: 5th",
            "Office: Tax office; Form: Sales tax; Deadline: 10th",
            "Office: Tax office; Form: Trade tax; Deadline: 15th",
            "Office: Court; Form: Balance; Deadline: 31st",
        ]
    );
    assert_eq!(document.blocks[2].context, "Trial balance");
    let rows = grid(&[
        &["Region", "Rate", "", "Price", ""],
        &["", "2024", "2025", "2024", "2025"],
        &["North", "19", "7", "20", "8"],
        &["South", "1", "2", "3", "4"],
    ]);
    let merged = r#"<x:mergeCells><x:mergeCell ref="A1:A2"/><x:mergeCell ref="B1:C1"/><x:mergeCell ref="D1:E1"/></x:mergeCells>"#;
    let document = sheet(&format!("<worksheet>{rows}{merged}</worksheet>"), &[]);
    assert_eq!(
        texts(&document)[0],
        "Region: North; Rate 2024: 19; Rate 2025: 7; Price 2024: 20; Price 2025: 8"
    );
}

#[test]
fn what_is_hidden_is_left_out_and_counted() {
    let rows = grid(&[
        &["Name", "Salary", "Town"],
        &["Ann", "1", "Rome"],
        &["Bo", "2", "Oslo"],
        &["Cy", "3", "Lima"],
    ])
    .replace("<row r=\"3\">", "<row r=\"3\" hidden=\"1\">");
    let document = sheet(
        &format!(r#"<worksheet><cols><col min="2" max="2" hidden="true"/></cols>{rows}</worksheet>"#),
        &[],
    );
    assert_eq!(texts(&document), ["Name: Ann; Town: Rome", "Name: Cy; Town: Lima"]);
    assert_eq!(notes(&document), ["1 hidden row not read", "3 cells of hidden columns not read"]);
}

#[test]
fn tables_filters_and_frozen_rows_say_which_row_names_the_columns() {
    let rows = grid(&[&["1", "2", "3"], &["4", "5", "6"], &["7", "8", "9"]]);
    let expected = ["1: 4; 2: 5; 3: 6", "1: 7; 2: 8; 3: 9"];
    let filter = sheet(&format!(r#"<worksheet>{rows}<autoFilter ref="A1:C3"/></worksheet>"#), &[]);
    assert_eq!(texts(&filter), expected);
    let frozen = format!(
        r#"<worksheet><sheetViews><sheetView><pane ySplit="1" state="frozen"/></sheetView></sheetViews>{rows}</worksheet>"#
    );
    assert_eq!(texts(&sheet(&frozen, &[])), expected);
    let relations = r#"<Relationships><Relationship Id="rId9" Type="x/table" Target="../tables/table1.xml"/></Relationships>"#;
    let table = format!(r#"<worksheet>{rows}<tableParts><tablePart r:id="rId9"/></tableParts></worksheet>"#);
    let beside = [
        ("xl/worksheets/_rels/sheet1.xml.rels", relations),
        ("xl/tables/table1.xml", r#"<table id="1" ref="A1:C3"/>"#),
    ];
    assert_eq!(texts(&sheet(&table, &beside)), expected);
    assert_eq!(texts(&sheet(&rows, &[]))[0], "A: 1; B: 2; C: 3");
}

#[test]
fn comments_stand_below_their_row_and_struck_cells_are_no_text() {
    let rows = grid(&[&["Item", "Price"], &["Pen", "5"], &["Ink", "8:7"]]);
    let relations = r#"<Relationships><Relationship Id="rId1" Type="x/comments" Target="../comments1.xml"/></Relationships>"#;
    let comments = r#"<comments><authors><author>Anna Berg</author><author>tc={1}</author></authors><commentList><comment ref="B2" authorId="0"><text><r><t>Anna Berg:</t></r><r><t xml:space="preserve">
check this</t></r></text></comment><comment ref="A3" authorId="1"><text><t>[Threaded comment] Your version shows this. Comment:
    gone?</t></text></comment></commentList></comments>"#;
    let document =
        sheet(&rows, &[("xl/worksheets/_rels/sheet1.xml.rels", relations), ("xl/comments1.xml", comments)]);
    assert_eq!(
        texts(&document),
        [
            "Item: Pen; Price: 5",
            "Comment (Anna Berg, B2): check this",
            "Item: Ink; Price:",
            "Comment (A3): gone?"
        ]
    );
    assert_eq!(document.blocks[3].struck[0].text, "7");
}

#[test]
fn what_is_no_spreadsheet_says_so() {
    let what = |bytes: &[u8]| read(bytes, Format::Xlsx).unwrap_err().to_string();
    assert!(what(b"no archive").contains("XLSX file: not a zip archive"));
    assert!(what(&packed(&[("a", "b")])).contains("no xl/workbook.xml"));
    let mut old = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    assert!(what(&old).contains(".xls"));
    old.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(read(&old, Format::Xlsx).unwrap_err(), ReadError::Encrypted);
    assert_eq!(Format::of_name("Sums.XLSX"), Some(Format::Xlsx));
}
