//! Tables of PDF files whose lines are drawn.

use std::time::{Duration, Instant};

use documents::BlockKind::{Paragraph, Table};
use pretty_assertions::assert_eq;

use crate::paper::{Font, Page, Paper};
use crate::pdf::{blocks, read, texts};

/// Lines across at `ys` and down at `xs`.
fn grid(mut page: Page, xs: &[f32], ys: &[f32]) -> Page {
    let (left, right) = (xs[0], xs[xs.len() - 1]);
    let (top, bottom) = (ys[0], ys[ys.len() - 1]);
    for y in ys {
        page = page.rule((left, *y), (right, *y));
    }
    for x in xs {
        page = page.rule((*x, top), (*x, bottom));
    }
    page
}

fn cells(mut page: Page, cells: &[(f32, f32, &str)]) -> Page {
    for (x, y, text) in cells {
        page = page.text(*x, *y, Font::Plain, 10.0, text);
    }
    page
}

#[test]
fn a_wrapped_cell_belongs_to_the_row_that_its_lines_draw() {
    let page = Page::default().lines(72.0, 80.0, &["The claims of the year are these:"]);
    let page = grid(page, &[72.0, 160.0, 220.0, 280.0, 460.0], &[90.0, 106.0, 122.0, 152.0]);
    let page = cells(
        page,
        &[
            (76.0, 102.0, "Account"),
            (164.0, 102.0, "2023"),
            (224.0, 102.0, "2024"),
            (284.0, 102.0, "Remark"),
            (76.0, 118.0, "Cash"),
            (164.0, 118.0, "500"),
            (224.0, 118.0, "650"),
            (76.0, 140.0, "Receivables"),
            (224.0, 140.0, "720"),
            (284.0, 134.0, "includes a claim of 120 against a"),
            (284.0, 146.0, "customer in liquidation"),
        ],
    );
    let page = page.lines(72.0, 170.0, &["And this stands below."]);
    assert_eq!(
        blocks(&read(Paper::new([page]))),
        [
            (Paragraph, None, "The claims of the year are these:"),
            (
                Table,
                None,
                "Account | 2023 | 2024 | Remark\nCash | 500 | 650 |\nReceivables |  | 720 | includes a claim of 120 \
                 against a customer in liquidation"
            ),
            (Paragraph, None, "And this stands below."),
        ]
    );
}

#[test]
fn a_merged_label_stands_in_each_of_its_rows_and_columns() {
    let page = grid(Page::default(), &[72.0, 172.0, 272.0], &[90.0, 110.0, 130.0, 150.0])
        .rule((272.0, 90.0), (372.0, 90.0))
        .rule((272.0, 110.0), (372.0, 110.0))
        .rule((272.0, 130.0), (372.0, 130.0))
        .rule((272.0, 150.0), (372.0, 150.0))
        .rule((372.0, 90.0), (372.0, 150.0));
    // The cells of the first column from the second row on are one: no line parts them.
    let merged = Page::default()
        .rule((72.0, 90.0), (372.0, 90.0))
        .rule((72.0, 110.0), (372.0, 110.0))
        .rule((172.0, 130.0), (372.0, 130.0))
        .rule((72.0, 150.0), (372.0, 150.0))
        .rule((72.0, 90.0), (72.0, 150.0))
        .rule((172.0, 90.0), (172.0, 150.0))
        .rule((272.0, 110.0), (272.0, 150.0))
        .rule((372.0, 90.0), (372.0, 150.0));
    let words = [
        (76.0, 104.0, "Office"),
        (176.0, 104.0, "Form and date"),
        (76.0, 134.0, "Tax office"),
        (176.0, 124.0, "Wage tax"),
        (276.0, 124.0, "5th"),
        (176.0, 144.0, "Sales tax"),
        (276.0, 144.0, "10th"),
    ];
    assert_eq!(
        texts(&read(Paper::new([cells(merged, &words)]))),
        [
            "Office | Form and date | Form and date\nTax office | Wage tax | 5th\nTax office | Sales tax | 10th"
        ]
    );
    // A row of one cell is said once.
    let words = [(76.0, 104.0, "a"), (176.0, 104.0, "b"), (276.0, 104.0, "c"), (76.0, 144.0, "d")];
    assert_eq!(texts(&read(Paper::new([cells(page, &words)]))), ["a | b | c\nd |  |"]);
}

#[test]
fn rows_between_level_lines_keep_their_wrapped_cells() {
    let mut page = Page::default();
    for y in [90.0, 106.0, 136.0, 166.0, 182.0] {
        page = page.rule((72.0, y), (472.0, y));
    }
    let page = cells(
        page,
        &[
            (72.0, 102.0, "Risk"),
            (200.0, 102.0, "Answer"),
            (72.0, 118.0, "Fire in the"),
            (72.0, 130.0, "lamp room"),
            (200.0, 118.0, "Sand stands at the door"),
            (72.0, 148.0, "Fog"),
            (200.0, 148.0, "The horn is sounded at"),
            (200.0, 160.0, "once, every minute"),
            (72.0, 178.0, "Storm"),
            (200.0, 178.0, "None"),
        ],
    );
    assert_eq!(
        texts(&read(Paper::new([page]))),
        [
            "Risk | Answer\nFire in the lamp room | Sand stands at the door\nFog | The horn is sounded at once, every minute\nStorm | None"
        ]
    );
}

#[test]
fn short_lines_between_the_sections_of_a_page_make_no_table() {
    let section = |x: f32, from: f32, to: f32| -> Vec<String> {
        let mut page = Page::default();
        for y in [90.0, 130.0, 170.0, 210.0] {
            page = page.rule((from, y), (to, y));
        }
        let words = [
            (x, 104.0, "Report of the harbour to the owners of the quay"),
            (x, 144.0, "Harbour Works Ltd"),
            (x + 180.0, 144.0, "94-2404110"),
            (x, 184.0, "for the quarter that ended on the first of July"),
            (x + 20.0, 204.0, "with the accounts of the lamp room"),
        ];
        let document = read(Paper::new([cells(page, &words)]));
        texts(&document).into_iter().map(str::to_owned).collect()
    };
    // Below the middle of what they part, at its beginning, at its end.
    for (x, from, to) in [(100.0, 180.0, 300.0), (100.0, 100.0, 200.0), (100.0, 200.0, 400.0)] {
        let all = section(x, from, to);
        let whole = all.iter().any(|text| text.contains("Report of the harbour to the owners of the quay"));
        let is_row = |text: &String| text.contains(" | ") && !text.starts_with("Harbour Works Ltd");
        assert!(whole && !all.iter().any(is_row), "{all:?}");
    }
}

#[test]
fn lines_below_the_columns_of_figures_leave_the_rows_whole() {
    let rows = ["Tickets", "Lamp oil", "Harbour dues", "All"];
    let mut page = Page::default();
    // A line below each year and one above and two below each sum, none below the labels.
    for (from, to) in [(200.0, 270.0), (300.0, 370.0)] {
        for y in [90.0, 106.0, 154.0, 170.0, 173.0] {
            page = page.rule((from, y), (to, y));
        }
    }
    let mut words = vec![(220.0, 102.0, "2023".to_owned()), (320.0, 102.0, "2022".to_owned())];
    for (row, label) in rows.iter().enumerate() {
        let y = 118.0 + 16.0 * row as f32;
        words.push((72.0, y, (*label).to_owned()));
        for (x, figure) in [(202.0, 10 + row), (302.0, 20 + row)] {
            words.extend([(x, y, "$".to_owned()), (x + 40.0, y, figure.to_string())]);
        }
    }
    let words: Vec<(f32, f32, &str)> = words.iter().map(|(x, y, text)| (*x, *y, text.as_str())).collect();
    let document = read(Paper::new([cells(page, &words)]));
    let all = texts(&document).join("\n");
    for (row, label) in rows.iter().enumerate() {
        let line = all.lines().find(|line| line.starts_with(label)).unwrap_or_default();
        let is_whole = [10 + row, 20 + row].iter().all(|figure| line.contains(&figure.to_string()));
        assert!(is_whole, "{label}: {all}");
    }
}

#[test]
fn cells_shaded_by_boxes_are_cells_too() {
    let mut page = Page::default();
    for (row, y) in [0.0, 20.0, 40.0].into_iter().enumerate() {
        for column in 0..3 {
            let grey = if row == 0 { 0.7 } else { 0.9 };
            let x = 72.0 + 100.0 * column as f32;
            page = page.raw(&format!("{grey} g {x} {} 100 20 re f 0 g", 680.0 - y));
        }
    }
    let words: Vec<(f32, f32, String)> = (0..9)
        .map(|cell| (76.0 + 100.0 * (cell % 3) as f32, 106.0 + 20.0 * (cell / 3) as f32, format!("c{cell}")))
        .collect();
    let words: Vec<_> = words.iter().map(|(x, y, text)| (*x, *y, text.as_str())).collect();
    assert_eq!(texts(&read(Paper::new([cells(page, &words)]))), ["c0 | c1 | c2\nc3 | c4 | c5\nc6 | c7 | c8"]);
}

#[test]
fn rows_below_a_ruled_head_are_rows() {
    let mut page = grid(Page::default(), &[72.0, 172.0, 272.0, 372.0], &[90.0, 110.0, 180.0]);
    for (row, y) in [104.0, 122.0, 134.0, 146.0, 158.0, 170.0].into_iter().enumerate() {
        for column in 0..3 {
            let x = 76.0 + 100.0 * column as f32;
            page = page.text(x, y, Font::Plain, 10.0, &format!("r{row} c{column}"));
        }
    }
    let document = read(Paper::new([page]));
    assert_eq!(texts(&document)[0].lines().nth(2), Some("r2 c0 | r2 c1 | r2 c2"), "{:?}", texts(&document));
}

#[test]
fn a_frame_and_a_drawing_are_no_tables() {
    let prose = [
        "A keeper trims the wick before dusk, and notes the hour at which the lamp was lit, in the log",
        "that lies on the table beside the door.",
    ];
    let framed = grid(Page::default(), &[60.0, 560.0], &[80.0, 100.0, 140.0]).lines(72.0, 112.0, &prose);
    assert_eq!(texts(&read(Paper::new([framed]))), [prose.join(" ")]);
    let xs: Vec<f32> = (0..30).map(|x| 60.0 + 15.0 * x as f32).collect();
    let ys: Vec<f32> = (0..20).map(|y| 300.0 + 15.0 * y as f32).collect();
    let plan = grid(Page::default(), &xs, &ys).lines(72.0, 112.0, &prose).lines(62.0, 400.0, &["Plan"]);
    assert_eq!(texts(&read(Paper::new([plan]))), [prose.join(" "), "Plan".to_owned()]);
}

#[test]
fn thousands_of_lines_end_quickly() {
    let mut page = Page::default().lines(72.0, 100.0, &["Words under a net."]);
    let mut net = String::new();
    for line in 0..20_000 {
        let at = f64::from(line) * 0.03;
        net.push_str(&format!("{at} 0 m {at} 792 l S 0 {at} m 612 {at} l S "));
    }
    page = page.raw(&net);
    let start = Instant::now();
    assert!(texts(&read(Paper::new([page]))).concat().contains("Words under a net."));
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}
