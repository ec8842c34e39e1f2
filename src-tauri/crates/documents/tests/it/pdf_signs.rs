//! Signs of PDF files that are more than letters in a row: raised, struck, from the right, of many characters, in layers.

use documents::BlockKind::Footnote;
use pretty_assertions::assert_eq;

use crate::paper::{Font, Page, Paper};
use crate::pdf::{blocks, notes, read, texts, try_read};

/// A line of Helvetica whose parts have a size and a rise of their own.
fn line(y: f32, parts: &[(&str, f32, f32)]) -> String {
    let mut out = format!("BT 72 {} Td ", 792.0 - y);
    for (text, size, rise) in parts {
        out.push_str(&format!("/F1 {size} Tf {rise} Ts ({text}) Tj "));
    }
    out + "0 Ts ET"
}

#[test]
fn raised_and_lowered_signs_keep_their_meaning() {
    for (parts, text) in [
        (&[("At most 10", 10.0, 0.0), ("6", 6.0, 4.0), (" colonies", 10.0, 0.0)][..], "At most 10⁶ colonies"),
        (
            &[("Emissions of CO", 10.0, 0.0), ("2", 6.0, -2.0), (" fell", 10.0, 0.0)][..],
            "Emissions of CO₂ fell",
        ),
        (
            &[("The area is 12 km", 10.0, 0.0), ("2", 6.0, 3.5), (" wide", 10.0, 0.0)][..],
            "The area is 12 km² wide",
        ),
        (
            &[("It grows as x", 10.0, 0.0), ("n+1", 6.0, 3.5), (" does", 10.0, 0.0)][..],
            "It grows as xⁿ⁺¹ does",
        ),
        // The rise of the text, without a smaller size.
        (&[("A dose of 10", 10.0, 0.0), ("-3", 10.0, 4.0), (" g", 10.0, 0.0)][..], "A dose of 10⁻³ g"),
        (
            &[("The root 2", 10.0, 0.0), ("1.5", 6.0, 4.0), (" times", 10.0, 0.0)][..],
            "The root 2^(1.5) times",
        ),
        (
            &[("The flow (a+b)", 10.0, 0.0), ("2", 6.0, 4.0), (" rises", 10.0, 0.0)][..],
            "The flow (a+b)² rises",
        ),
        (&[("Some Acme", 10.0, 0.0), ("\\256", 6.0, 4.0), (" oil", 10.0, 0.0)][..], "Some Acme® oil"),
        (
            &[("The age by ", 10.0, 0.0), ("14", 6.0, 4.0), ("C is known", 10.0, 0.0)][..],
            "The age by ¹⁴C is known",
        ),
        (&[("Every risk", 10.0, 0.0), ("12", 6.0, 4.0), (" counts", 10.0, 0.0)][..], "Every risk ¹² counts"),
    ] {
        assert_eq!(texts(&read(Paper::new([Page::default().raw(&line(100.0, parts))]))), [text]);
    }
}

#[test]
fn the_number_of_a_footnote_on_the_page_is_no_exponent() {
    let page = Page::default()
        .raw(&line(
            100.0,
            &[
                ("The keeper notes every risk", 10.0, 0.0),
                ("3", 6.0, 4.0),
                (" and keeps 10", 10.0, 0.0),
                ("3", 6.0, 4.0),
                (" matches in the tower of the light.", 10.0, 0.0),
            ],
        ))
        .text(72.0, 700.0, Font::Plain, 5.0, "3")
        .text(76.0, 703.0, Font::Plain, 8.0, "A risk is what the log calls one.");
    assert_eq!(
        blocks(&read(Paper::new([page]))),
        [
            (
                documents::BlockKind::Paragraph,
                None,
                "The keeper notes every risk³ and keeps 10³ matches in the tower of the light."
            ),
            (Footnote, Some("3"), "A risk is what the log calls one."),
        ]
    );
}

#[test]
fn words_under_a_line_through_them_are_struck() {
    // Helvetica at 10 points: "The supplier shall " is 81.14 points wide, "not" 13.9.
    let text = "The supplier shall not disclose the data.";
    let struck = |page: Page| {
        let document = read(Paper::new([page.lines(72.0, 100.0, &[text])]));
        let block = &document.blocks[0];
        (block.text.clone(), block.struck.iter().map(|one| (one.at, one.text.clone())).collect::<Vec<_>>())
    };
    let without = ("The supplier shall disclose the data.".to_owned(), vec![(19, "not".to_owned())]);
    let (x0, x1) = (72.0 + 81.14, 72.0 + 81.14 + 13.9);
    assert_eq!(struck(Page::default().rule((x0, 97.5), (x1, 97.5))), without);
    // A thin box, and two pieces at one height.
    assert_eq!(struck(Page::default().raw(&format!("{x0} 694.3 {} 0.6 re f", x1 - x0))), without);
    let half = (x0 + x1) / 2.0;
    let pieces = Page::default().rule((x0, 97.0), (half, 97.0)).rule((half, 97.0), (x1, 97.0));
    assert_eq!(struck(pieces), without);
    let whole = (text.to_owned(), vec![]);
    assert_eq!(struck(Page::default().rule((x0, 101.5), (x1, 101.5))), whole, "underlined");
    assert_eq!(struck(Page::default().rule((72.0, 97.5), (540.0, 97.5))), whole, "a line of the page");
    let white = Page::default().raw(&format!("q 1 g {x0} 694.3 {} 0.6 re f Q", x1 - x0));
    assert_eq!(struck(white), whole, "white");
}

#[test]
fn part_of_a_word_a_whole_line_and_a_heading_can_be_struck() {
    let page = Page::default()
        .lines(72.0, 100.0, &["unlawful"])
        .rule((72.0, 97.5), (83.1, 97.5))
        .lines(72.0, 130.0, &["All of this is gone."])
        .rule((72.0, 127.5), (160.0, 127.5))
        .lines(72.0, 160.0, &["And this stays."]);
    let document = read(Paper::new([page]));
    assert_eq!(texts(&document), ["lawful", "And this stays."]);
    let struck: Vec<_> = document.blocks[0].struck.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(struck, ["un", "All of this is gone."]);
    assert!(notes(&document).contains("2 stretches of struck-out text"), "{}", notes(&document));
}

fn unicode(draw: impl Fn(Page) -> Page) -> Paper {
    let mut paper = Paper::new([]);
    let font = paper.unicode_font();
    let fonts = format!("/Resources<</Font<</F1 3 0 R/F2 4 0 R/U {font} 0 R>>>>");
    paper.page(&draw(Page::default().entry(&fonts)));
    paper
}

fn drawn(text: &str) -> String {
    text.chars().rev().collect()
}

#[test]
fn lines_from_the_right_are_given_in_reading_order() {
    // Right edges are even, as on a page that is read from the right.
    let lines = ["דוח על הסיכונים של החברה בשנת", "הכספים האחרונה לפי התקן."];
    let document = read(unicode(|page| {
        let place = |page: Page, (index, text): (usize, &&str)| {
            let width = 5.0 * text.chars().count() as f32;
            page.unicode(500.0 - width, 100.0 + 12.0 * index as f32, 10.0, &drawn(text))
        };
        lines.iter().enumerate().fold(page, place)
    }));
    assert_eq!(texts(&document), [lines.join(" ")]);
    for (shown, text) in [
        ("2024 םינוכיסה לע חוד", "דוח על הסיכונים 2024"),
        ("ISA 315 ןקתה יפל", "לפי התקן ISA 315"),
        ("ملاعلاب ابحرم", "مرحبا بالعالم"),
        ("ﻢﻟﺎﻌﻟﺎﺑ ﺎﺒﺣﺮﻣ", "مرحبا بالعالم"),
    ] {
        assert_eq!(texts(&read(unicode(|page| page.unicode(300.0, 100.0, 10.0, shown)))), [text]);
    }
}

#[test]
fn letters_that_are_placed_one_by_one_from_the_right_are_words() {
    let document = read(unicode(|page| {
        let place = |page: Page, (index, c): (usize, char)| {
            page.unicode(400.0 - 5.0 * index as f32, 100.0, 10.0, &c.to_string())
        };
        "תקן הדיווח".chars().enumerate().fold(page, place)
    }));
    assert_eq!(texts(&document), ["תקן הדיווח"]);
}

#[test]
fn letters_from_the_right_that_stand_in_order_already_are_left_and_told() {
    let document = read(unicode(|page| page.unicode(72.0, 100.0, 10.0, "דוח על הסיכונים של התקן")));
    assert_eq!(texts(&document), ["דוח על הסיכונים של התקן"]);
    assert!(notes(&document).contains("was not turned"), "{}", notes(&document));
    // But where the page says itself that its strings are reversed, it is believed.
    let document =
        read(unicode(|page| page.raw("/ReversedChars BMC").unicode(72.0, 100.0, 10.0, "תקן מים").raw("EMC")));
    assert_eq!(texts(&document), [drawn("תקן מים")]);
}

#[test]
fn a_replacement_text_from_the_right_is_in_reading_order() {
    let document = read(unicode(|page| {
        page.unicode(100.0, 100.0, 10.0, "לע")
            .raw("/Span <</ActualText<FEFF05DE05D905DD>>> BDC")
            .unicode(80.0, 100.0, 10.0, "???")
            .raw("EMC")
    }));
    assert_eq!(texts(&document), ["על מים"]);
}

#[test]
fn a_table_from_the_right_begins_on_the_right() {
    let rows = [["םוכס", "ןובשח"], ["500", "םינמוזמ"], ["720", "םיבייח"]];
    let document = read(unicode(|page| {
        let mut page = page;
        for y in 0..4 {
            page = page.rule((72.0, 90.0 + 20.0 * y as f32), (272.0, 90.0 + 20.0 * y as f32));
        }
        for x in 0..3 {
            page = page.rule((72.0 + 100.0 * x as f32, 90.0), (72.0 + 100.0 * x as f32, 150.0));
        }
        for (y, row) in rows.iter().enumerate() {
            for (x, cell) in row.iter().enumerate() {
                page = page.unicode(80.0 + 100.0 * x as f32, 104.0 + 20.0 * y as f32, 10.0, cell);
            }
        }
        page
    }));
    assert_eq!(texts(&document), ["חשבון | סכום\nמזומנים | 500\nחייבים | 720"]);
}

#[test]
fn east_asian_fonts_without_a_map_of_their_own_are_read() {
    for (encoding, ordering, codes, text) in [
        ("90ms-RKSJ-H", "Japan1", "93FA967B8CEA", "日本語"),
        ("UniJIS-UTF16-H", "Japan1", "65E5672C8A9E", "日本語"),
        ("EUC-H", "Japan1", "C6FCCBDCB8EC", "日本語"),
        ("GBK-EUC-H", "GB1", "D6D0CEC4", "中文"),
        ("UniGB-UCS2-H", "GB1", "4E2D6587", "中文"),
        ("KSCms-UHC-H", "Korea1", "C7D1B1B9", "한국"),
        ("ETen-B5-H", "CNS1", "A4A4A4E5", "中文"),
    ] {
        let mut paper = Paper::new([]);
        let font = paper.cid_font(encoding, ordering, "");
        let page = Page::default().raw(&format!("BT /U 20 Tf 72 600 Td <{codes}> Tj ET"));
        paper.page(&page.entry(&format!("/Resources<</Font<</U {font} 0 R>>>>")));
        assert_eq!(texts(&read(paper)), [text], "{encoding}");
    }
}

#[test]
fn pages_whose_fonts_name_no_characters_are_told_as_such() {
    let mut paper = Paper::new([]);
    let font = paper.cid_font("Identity-H", "Identity", "");
    let page = Page::default().raw("BT /U 20 Tf 72 600 Td <00410042> Tj ET");
    paper.page(&page.entry(&format!("/Resources<</Font<</U {font} 0 R>>>>")));
    let error = try_read(&paper.bytes()).unwrap_err().to_string();
    assert!(error.contains("which characters they show"), "{error}");
}

#[test]
fn layers_that_are_off_are_left_out() {
    let page = |properties: &str| {
        Page::default()
            .raw("/OC /A BDC BT /F1 10 Tf 72 700 Td (First layer.) Tj ET EMC")
            .raw("/OC /B BDC BT /F1 10 Tf 72 650 Td (Second layer.) Tj ET EMC")
            .entry(&format!("/Resources<</Font<</F1 3 0 R>>/Properties<<{properties}>>>>"))
    };
    let mut shown = Vec::new();
    for (settings, group) in [
        ("/BaseState/OFF/ON[A]", "B"),
        ("/OFF[A]", "B"),
        ("/ON[A]/OFF[B]", "<</Type/OCMD/OCGs[A B]/P/AllOn>>"),
        ("/OFF[B]", "<</Type/OCMD/OCGs[A B]>>"),
        ("/OFF[A]", "<</Type/OCMD/OCGs A/P/AllOff>>"),
        ("/OFF[A]", "<</Type/OCMD/VE[/And B [/Not B]]>>"),
    ] {
        let mut paper = Paper::new([]);
        let (a, b) = (paper.object("<</Type/OCG/Name(a)>>"), paper.object("<</Type/OCG/Name(b)>>"));
        let names = |text: &str| {
            let words = text.replace("[A", &format!("[{a} 0 R")).replace(" B]", &format!(" {b} 0 R]"));
            let words = words.replace("[B", &format!("[{b} 0 R")).replace("OCGs A", &format!("OCGs {a} 0 R"));
            words.replace("And B", &format!("And {b} 0 R")).replace("Not B", &format!("Not {b} 0 R"))
        };
        let group = if group == "B" { format!("{b} 0 R") } else { names(group) };
        paper.page(&page(&format!("/A {a} 0 R/B {group}")));
        let all = format!("/OCProperties<</OCGs[{a} 0 R {b} 0 R]/D<<{}>>>>", names(settings));
        let document = try_read(&paper.catalog(&all).bytes());
        shown.push(document.map(|document| texts(&document).join(" ")).unwrap_or_default());
    }
    assert_eq!(
        shown,
        ["First layer.", "Second layer.", "First layer.", "First layer. Second layer.", "Second layer.", ""]
    );
}
