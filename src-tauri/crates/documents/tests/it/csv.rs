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
fn years_name_columns_titles_stand_above_and_twins_are_told_apart() {
    let texts = |text: &str| rows(text).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
    assert_eq!(texts("Region,2019,2020\nNorth,100,90\n"), ["Region: North; 2019: 100; 2020: 90"]);
    assert_eq!(
        texts(
            "Trial balance at 31 December 2025,,\nAccount,Debit,Credit\n1000 Cash,500,\n2000 Payables,,300\n"
        ),
        [
            "Trial balance at 31 December 2025",
            "Account: 1000 Cash; Debit: 500",
            "Account: 2000 Payables; Credit: 300"
        ]
    );
    assert_eq!(
        texts("Item,Budget,Actual,Budget,Actual\nRent,10,11,12,13\n"),
        ["Item: Rent; Budget (B): 10; Actual (C): 11; Budget (D): 12; Actual (E): 13"]
    );
    let bank = "\"Data Source\",\"World Indicators\",\n\n\"Last Updated\",\"2021-05-25\",\n\n\"Country\",\"Code\",\"2019\",\"2020\",\nAtlantis,ATL,1.5,-4.2,\nMu,MUU,,2,\n";
    assert_eq!(
        texts(bank),
        [
            "Data Source; World Indicators",
            "Last Updated; 2021-05-25",
            "Country: Atlantis; Code: ATL; 2019: 1.5; 2020: -4.2",
            "Country: Mu; Code: MUU; 2020: 2"
        ]
    );
}

#[test]
fn a_second_table_below_a_gap_has_names_of_its_own() {
    let text =
        "Name,Age\nAnn,30\nBo,31\nCy,32\nDi,33\n\nCity,Inhabitants\nRome,5\nOslo,6\n\nLima,7\nBonn,8\n";
    let texts: Vec<String> = rows(text).into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        texts[3..],
        [
            "Name: Di; Age: 33",
            "City: Rome; Inhabitants: 5",
            "City: Oslo; Inhabitants: 6",
            "City: Lima; Inhabitants: 7",
            "City: Bonn; Inhabitants: 8"
        ]
    );
}

#[test]
fn facts_above_a_wider_table_are_titles() {
    let text = "Company,Acme\nPrepared by,Anna\nChecked by,Bo\nCity,Rome\nOffice,North\n\nAccount,Debit,Credit\nCash,500,\nDebt,,300\n";
    let texts: Vec<String> = rows(text).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts[4..], ["Office; North", "Account: Cash; Debit: 500", "Account: Debt; Credit: 300"]);
}

#[test]
fn the_delimiter_is_the_one_that_parts_most_rows_alike() {
    assert_eq!(
        rows("Name, first;Price;Date, place\nA;1,5;x\nB;2,5;y\n")[0].1,
        "Name, first: A; Price: 1,5; Date, place: x"
    );
    assert_eq!(
        rows("a report, made by hand, today\nName\tTown\nAnn\tRome\nBo\tOslo\n")[1].1,
        "Name: Ann; Town: Rome"
    );
    assert_eq!(rows("Name|Note\n\"A|B\"|x, y\nC|z\n")[0].1, "Name: A|B; Note: x, y");
}

#[test]
fn a_stated_sum_that_is_none_is_noted_with_both_figures() {
    let notes = |text: &str| {
        let document = read(text.as_bytes(), Format::Csv).unwrap();
        document.notes.into_iter().map(|note| (note.place.line, note.what)).collect::<Vec<_>>()
    };
    let what = "\"Amount\": the row \"Total\" states 160, its rows add up to 150".to_owned();
    assert_eq!(notes("Item,Amount\nRent,100\nHeat,50\nTotal,160\n"), [(Some(4), what)]);
    assert_eq!(notes("Item,Amount\nRent,100\nHeat,50\nTotal,150\n"), []);
}

#[test]
fn rows_without_names_stand_as_they_are() {
    assert_eq!(rows("1,2\n3,4"), [(Some(1), "A: 1; B: 2".to_owned()), (Some(2), "A: 3; B: 4".to_owned())]);
    assert_eq!(rows("only words\nmore"), [(Some(1), "only words".to_owned()), (Some(2), "more".to_owned())]);
    assert_eq!(rows("Acme,Germany\n,\n"), [(Some(1), "Acme; Germany".to_owned())]);
    assert_eq!(rows(""), []);
    assert!(read(b"a,b\n\0", Format::Csv).is_err());
}
