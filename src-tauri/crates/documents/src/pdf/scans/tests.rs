use pretty_assertions::assert_eq;
use recognition::{Area, Line, Reading, Sign};

use super::super::glyphs::{Glyph, Origin, PageText};
use super::*;

/// A reading of lines at places, in a picture that has two pixels to the point.
fn reading(turn: u8, lines: &[(&str, f32, f32, f32)]) -> Reading {
    let line = |(text, x, y, slope): &(&str, f32, f32, f32)| {
        let count = text.chars().count() as f32;
        let sign = |(at, c)| Sign { c, at: (at as f32 + 0.5) / count, score: 0.99 };
        let area = Area { x: x + 5.0 * count, y: *y, width: 10.0 * count, height: 24.0, slope: *slope };
        Line { area, signs: text.chars().enumerate().map(sign).collect() }
    };
    Reading { turn, lines: lines.iter().map(line).collect(), unclear: 0 }
}

fn page() -> PageText {
    PageText { width: 400.0, height: 500.0, pictures: 1.0, ..PageText::default() }
}

fn texts(mut text: PageText, scan: Scan) -> Vec<String> {
    text.pictures = 1.0;
    let sheet = super::super::layout::sheet(1, text, scan, &mut super::super::losses::LostContent::default());
    sheet.regions.iter().flat_map(|region| &region.lines).map(super::super::columns::Line::text).collect()
}

fn read(reading: &Reading) -> (Vec<String>, Vec<ScanLine>) {
    let mut text = page();
    let scan = placed(reading, (0.5, 0.5), &mut text);
    let lines = scan.lines.clone();
    (texts(text, scan), lines)
}

#[test]
fn lines_become_words_in_order_with_boxes_on_the_page() {
    let (texts, lines) =
        read(&reading(0, &[("second line", 80.0, 240.0, 0.0), ("the first", 80.0, 200.0, 0.0)]));
    assert_eq!(texts, ["the first", "second line"]);
    assert_eq!((lines[1].score, lines[1].line.letters), (99, 8));
    // 80 of 800 pixels across, 188 of 1,000 down.
    assert_eq!(lines[1].line.area, [1_000, 1_880, 1_125, 240]);
}

#[test]
fn two_columns_are_read_one_after_the_other() {
    let left =
        ["The keeper shall trim", "the wick before dusk,", "and note the hour at", "which it was lit now."];
    let right =
        ["In winter the lamp is", "looked at more often.", "Oil is taken from the", "cellar before noon so."];
    let mut lines = Vec::new();
    for (at, (left, right)) in left.iter().zip(right).enumerate() {
        let y = 200.0 + 30.0 * at as f32;
        lines.extend([(*left, 60.0, y, 0.0), (right, 460.0, y + 1.0, 0.0)]);
    }
    let (texts, _) = read(&reading(0, &lines));
    assert_eq!(texts, [left, right].concat());
}

#[test]
fn a_page_that_lies_aslant_is_laid_straight() {
    // Cells of one row: the second is lower by the slope alone.
    let slope: f32 = 0.04;
    let lower = 400.0 * slope.tan();
    let (texts, _) =
        read(&reading(0, &[("Rent", 100.0, 200.0, slope), ("1,250.00", 500.0, 200.0 + lower, slope)]));
    assert_eq!(texts, ["Rent 1,250.00"]);
}

#[test]
fn a_page_on_its_side_is_read_and_its_boxes_lie_on_its_side() {
    for (turn, area) in
        [(1, [1_880, 7_875, 240, 1_125]), (2, [7_875, 7_880, 1_125, 240]), (3, [7_880, 1_000, 240, 1_125])]
    {
        // As shares of the turned picture the box is always the same.
        let (width, height) = if turn == 2 { (800.0, 1_000.0) } else { (1_000.0, 800.0) };
        let scale = |reading: &mut Reading| {
            for line in &mut reading.lines {
                line.area.x *= width / 800.0;
                line.area.y *= height / 1_000.0;
                line.area.width *= width / 800.0;
                line.area.height *= height / 1_000.0;
            }
        };
        let mut reading =
            reading(turn, &[("the first", 80.0, 200.0, 0.0), ("second line", 80.0, 240.0, 0.0)]);
        scale(&mut reading);
        let (texts, lines) = read(&reading);
        assert_eq!(texts, ["the first", "second line"], "{turn}");
        for (found, wanted) in lines[0].line.area.iter().zip(area) {
            assert!(found.abs_diff(wanted) <= 2, "{turn}: {:?} is near {area:?}", lines[0].line.area);
        }
    }
}

#[test]
fn text_of_the_page_itself_counts_before_its_picture() {
    let mut text = page();
    let glyph = |c, x: f32| Glyph {
        c,
        x0: x,
        x1: x + 5.0,
        y: 103.0,
        size: 10.0,
        turn: 0,
        bold: false,
        mono: false,
        shifted: false,
        struck: false,
        origin: Origin::Text,
    };
    text.glyphs = "Exhibit 7".chars().enumerate().map(|(at, c)| glyph(c, 40.0 + 5.0 * at as f32)).collect();
    assert!(text.is_scan());
    let scan = placed(
        &reading(0, &[("Exhiblt 7", 80.0, 200.0, 0.0), ("and more", 80.0, 300.0, 0.0)]),
        (0.5, 0.5),
        &mut text,
    );
    assert_eq!(texts(text, scan), ["Exhibit 7", "and more"]);
}

#[test]
fn only_pages_of_pictures_and_outlines_are_scans() {
    let with = |pictures, outlines| PageText { pictures, outlines, ..page() };
    assert!(with(0.6, false).is_unread() && with(0.0, true).is_unread());
    assert!(!with(0.3, false).is_scan(), "a page with a photograph");
    assert!(!with(0.0, false).is_scan(), "a blank page");
}

#[test]
fn lines_of_about_one_height_have_one_size() {
    assert_eq!(
        sizes([20.0, 22.0, 19.0, 40.0, 21.0].into_iter()),
        [21.0, 21.0, 21.0, 40.0, 21.0].map(|size| size * TYPE)
    );
    assert_eq!(sizes(std::iter::empty()), Vec::<f32>::new());
    assert_eq!(sizes([f32::NAN, 10.0].into_iter()).len(), 2);
}
