//! Tables as text.

use documents::{BlockKind, Format};
use pretty_assertions::assert_eq;

use crate::read;

fn rows(text: &str) -> Vec<(Option<u32>, String)> {
    let document = read(text.as_bytes(), Format::Csv).unwrap();
    assert!(document.blocks.iter().all(|block| block.kind == BlockKind::Paragraph));
    document.blocks.into_iter().map(|block| (block.place.line, block.text)).collect()
}

#[test]
fn a_row_names_its_columns_and_its_line() {
    let text = "Supplier,Contract ends,Owner\r\nAcme,2026-01-31,Anna Berg\r\n\"Blue, Ltd\",,Tomás Núñez\n\n";
    assert_eq!(
        rows(text),
        [
            (Some(2), "Supplier: Acme; Contract ends: 2026-01-31; Owner: Anna Berg".to_owned()),
            (Some(3), "Supplier: Blue, Ltd; Owner: Tomás Núñez".to_owned()),
        ]
    );
}

#[test]
fn semicolons_tabs_and_a_named_sign_stand_between_cells() {
    assert_eq!(rows("Name;Price\nPen;1,50\n"), [(Some(2), "Name: Pen; Price: 1,50".to_owned())]);
    assert_eq!(rows("Name\tNote\nPen\ta, b\n"), [(Some(2), "Name: Pen; Note: a, b".to_owned())]);
    assert_eq!(
        rows("sep=;\nName;Note\nPen;a, b, c, d\n"),
        [(Some(3), "Name: Pen; Note: a, b, c, d".to_owned())]
    );
}

#[test]
fn a_quoted_cell_may_hold_line_breaks_and_quotes() {
    let text = "Name,Note\nPen,\"one\n\"\"two\"\"\"\nInk,three\n";
    assert_eq!(
        rows(text),
        [
            (Some(2), "Name: Pen; Note: one \"two\"".to_owned()),
            (Some(4), "Name: Ink; Note: three".to_owned()),
        ]
    );
}

#[test]
fn a_quotation_mark_that_is_not_closed_is_noted_with_its_line() {
    let document = read(b"Name,Note\nPen,one\nInk,\"two\nNib,three\n", Format::Csv).unwrap();
    let texts: Vec<&str> = document.blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(texts, ["Name: Pen; Note: one", "Name: Ink; Note: two Nib,three"]);
    let notes: Vec<Option<u32>> = document.notes.iter().map(|note| note.place.line).collect();
    assert_eq!(notes, [Some(3)]);
}

#[test]
fn rows_may_end_with_a_carriage_return_alone() {
    let found = rows("Name,Price\rPen,1\rInk,2\r");
    assert_eq!(
        found,
        [(Some(2), "Name: Pen; Price: 1".to_owned()), (Some(3), "Name: Ink; Price: 2".to_owned())]
    );
}

#[test]
fn rows_without_names_stand_as_they_are() {
    assert_eq!(rows("1,2\n3,4"), [(Some(1), "1; 2".to_owned()), (Some(2), "3; 4".to_owned())]);
    assert_eq!(rows("only words\nmore"), [(Some(1), "only words".to_owned()), (Some(2), "more".to_owned())]);
    assert_eq!(rows("Acme,Germany\n,\n"), [(Some(1), "Acme; Germany".to_owned())]);
    assert_eq!(rows(""), []);
    assert!(read(b"a,b\n\0", Format::Csv).is_err());
}
