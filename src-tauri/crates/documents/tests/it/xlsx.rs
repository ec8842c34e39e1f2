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
            (row, "Supplier: Acme Paper; Contract ends: 2026-01-31; Discount: 12.5%", Some(4)),
            (row, "Supplier: Celsius; Contract ends: 2026-01-31 18:00; 0.3", Some(5)),
            (BlockKind::Heading(1), "Notes", None),
            (row, "TRUE", Some(1)),
        ]
    );
    assert!(document.notes[0].what.contains("1 hidden"), "{:?}", document.notes);
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
