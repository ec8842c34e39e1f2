//! What is read of PDF files.

use std::io::Write;
use std::sync::atomic::AtomicBool;

use documents::BlockKind::{self, Footnote, Heading, Item, Paragraph, Preformatted, Table};
use documents::{Document, Format, Limits, ReadError};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use pretty_assertions::assert_eq;

use crate::paper::{Font, Page, Paper};

pub(crate) fn try_read(bytes: &[u8]) -> Result<Document, ReadError> {
    documents::read_bytes(bytes, Format::Pdf, &Limits::default(), &AtomicBool::new(false))
}

pub(crate) fn read(paper: Paper) -> Document {
    try_read(&paper.bytes()).expect("a readable file")
}

/// Kind, label and text of each block.
pub(crate) fn blocks(document: &Document) -> Vec<(BlockKind, Option<&str>, &str)> {
    document.blocks.iter().map(|block| (block.kind, block.label.as_deref(), block.text.as_str())).collect()
}

pub(crate) fn texts(document: &Document) -> Vec<&str> {
    document.blocks.iter().map(|block| block.text.as_str()).collect()
}

pub(crate) fn notes(document: &Document) -> String {
    document.notes.iter().map(|note| note.what.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn paragraphs_headings_and_numbered_items_come_out_of_lines() {
    let page = Page::default()
        .text(72.0, 80.0, Font::Bold, 20.0, "Care of the lighthouse")
        .text(72.0, 120.0, Font::Bold, 13.0, "1. Scope")
        .lines(72.0, 140.0, &[
            "This handbook tells the keeper how the lamp, the lens and the clockwork are kept in order,",
            "and what to write into the log when one of them fails. It holds for each watch of every",
            "year.",
        ])
        .lines(90.0, 190.0, &[
            "A second paragraph starts with an indent of its own and has enough words to need a second",
        ])
        .lines(72.0, 202.0, &["line of text."])
        .lines(72.0, 226.0, &["12.   The keeper shall trim the wick before dusk, and shall note the hour at which the lamp was"])
        .lines(96.0, 238.0, &["lit."])
        .lines(96.0, 250.0, &["(a)  In winter, twice a night."])
        .lines(96.0, 262.0, &["(b)  In summer, once a night."]);
    let document = read(Paper::new([page]));
    assert_eq!(document.title.as_deref(), Some("Care of the lighthouse"));
    assert_eq!(
        blocks(&document),
        [
            (Heading(1), None, "Care of the lighthouse"),
            (Heading(1), Some("1"), "Scope"),
            (
                Paragraph,
                None,
                "This handbook tells the keeper how the lamp, the lens and the clockwork are kept in order, and what \
                 to write into the log when one of them fails. It holds for each watch of every year."
            ),
            (
                Paragraph,
                None,
                "A second paragraph starts with an indent of its own and has enough words to need a second line of text."
            ),
            (
                Item(1),
                Some("12"),
                "The keeper shall trim the wick before dusk, and shall note the hour at which the lamp was lit."
            ),
            (Item(2), Some("(a)"), "In winter, twice a night."),
            (Item(2), Some("(b)"), "In summer, once a night."),
        ]
    );
    assert_eq!(document.blocks[2].place.page, Some(1));
}

#[test]
fn columns_are_read_one_after_the_other() {
    let column = |name: &str| -> Vec<String> {
        (0..6).map(|line| format!("{name} line {line} runs on to fill its column")).collect()
    };
    let mut page =
        Page::default().text(72.0, 60.0, Font::Bold, 16.0, "A headline above all of the three columns");
    for (index, name) in ["first", "second", "third"].into_iter().enumerate() {
        let lines = column(name);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        page = page.lines(30.0 + 190.0 * index as f32, 100.0, &lines);
    }
    let document = read(Paper::new([page]));
    let all = texts(&document).join(" ");
    let at = |words: &str| all.find(words).unwrap_or_else(|| panic!("{words:?} in {all:?}"));
    assert!(at("headline") < at("first line 0"));
    assert!(at("first line 5") < at("second line 0"), "{all}");
    assert!(at("second line 5") < at("third line 0"), "{all}");
}

#[test]
fn a_sentence_goes_on_over_a_page_and_its_page_is_where_it_starts() {
    let first = Page::default().lines(72.0, 690.0, &[
        "The clockwork turns the lens once in ninety seconds, and the keeper winds it every four hours so",
        "that the beam never stops, for a ship at sea knows the coast by nothing but the time between two",
    ]);
    let second = Page::default().lines(72.0, 150.0, &["flashes of the light."]);
    let document = read(Paper::new([first, second]));
    let texts = texts(&document);
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].ends_with("the time between two flashes of the light."));
    assert_eq!(document.blocks[0].place.page, Some(1));
    let [page] = document.blocks[0].breaks.as_slice() else { panic!("{:?}", document.blocks[0].breaks) };
    assert_eq!((page.page, &texts[0][page.at..]), (2, "flashes of the light."));
}

#[test]
fn a_word_and_a_footnote_that_a_page_break_parts_are_whole_and_their_pages_are_known() {
    let first = Page::default()
        .lines(72.0, 600.0, &[
            "The clockwork turns the lens once in ninety seconds, and the keeper winds it every four hours so",
            "that the beam never stops, for a ship at sea knows the coast by nothing but the time that it mea-",
        ])
        .text(72.0, 690.0, Font::Plain, 5.0, "1")
        .text(76.0, 693.0, Font::Plain, 8.0, "This note tells what the log of the lamp said in the year in which the tower was built, and it goes on");
    let second = Page::default()
        .lines(72.0, 150.0, &["sures between two flashes. That is all that it measures."])
        .text(76.0, 693.0, Font::Plain, 8.0, "below the text of the next page.");
    let document = read(Paper::new([first, second]));
    let parts: Vec<_> = document
        .blocks
        .iter()
        .map(|block| {
            (block.kind, block.breaks.iter().map(|page| (page.page, &block.text[page.at..])).collect())
        })
        .collect::<Vec<(BlockKind, Vec<(u32, &str)>)>>();
    assert_eq!(
        parts,
        [
            (Paragraph, vec![(2, "sures between two flashes. That is all that it measures.")]),
            (Footnote, vec![(2, "below the text of the next page.")]),
        ],
        "{:#?}",
        document.blocks
    );
    assert!(document.blocks[0].text.contains("time that it measures between"), "{}", document.blocks[0].text);
}

#[test]
fn running_headers_footers_and_page_numbers_are_left_out() {
    let page = |number: usize| {
        Page::default()
            .lines(72.0, 40.0, &["Handbook of the coast"])
            .lines(
                72.0,
                200.0,
                &[["Lamp oil is kept dry.", "Wicks are cut square.", "Glass is wiped at dawn."][number]],
            )
            .lines(300.0, 760.0, &[&format!("{}", number + 7)])
    };
    let document = read(Paper::new((0..3).map(page)));
    assert_eq!(
        texts(&document),
        ["Lamp oil is kept dry.", "Wicks are cut square.", "Glass is wiped at dawn."]
    );
}

#[test]
fn a_hyphen_at_a_line_end_stays_where_the_document_writes_it_elsewhere() {
    let page = Page::default().lines(
        72.0,
        100.0,
        &[
            "The keeper follows a tide-bound plan for the supply boats that come from the mainland har-",
            "bour, and changes that plan when the weather turns, for no boat may lie there during a tide-",
            "bound night without a watch.",
        ],
    );
    let document = read(Paper::new([page]));
    let text = &document.blocks[0].text;
    assert!(text.contains("mainland harbour, and"), "{text}");
    assert!(text.contains("during a tide-bound night"), "{text}");
}

#[test]
fn spaced_letters_are_one_word_and_spaced_strings_are_not() {
    let page = Page::default()
        .raw("BT /F1 10 Tf 3 Tc 72 600 Td (KEEPER) Tj 0 Tc 100 0 Td (of th) Tj 5 Tc 19.46 0 Td (el) Tj 0 Tc 12.78 0 Td (amp) Tj ET");
    assert_eq!(texts(&read(Paper::new([page]))), ["KEEPER of the lamp"]);
}

#[test]
fn a_table_keeps_its_rows_and_cells() {
    let mut page = Page::default();
    for (index, row) in
        [["Lamp", "Range", "Colour"], ["North", "12 miles", "white"], ["South", "9 miles", "red"]]
            .iter()
            .enumerate()
    {
        for (column, cell) in row.iter().enumerate() {
            page =
                page.text(72.0 + 150.0 * column as f32, 100.0 + 14.0 * index as f32, Font::Plain, 10.0, cell);
        }
    }
    let document = read(Paper::new([page]));
    assert_eq!(
        blocks(&document),
        [(Table, None, "Lamp | Range | Colour\nNorth | 12 miles | white\nSouth | 9 miles | red")]
    );
}

#[test]
fn code_keeps_its_lines_and_a_footnote_its_number() {
    let page = Page::default()
        .lines(
            72.0,
            100.0,
            &["The signal is computed as follows, and the result is written into the log of the watch."],
        )
        .text(72.0, 130.0, Font::Mono, 10.0, "if fog:")
        .text(96.0, 142.0, Font::Mono, 10.0, "sound(horn)")
        .text(72.0, 700.0, Font::Plain, 5.0, "3")
        .text(76.0, 703.0, Font::Plain, 8.0, "The horn was put up later.");
    let document = read(Paper::new([page]));
    assert_eq!(
        blocks(&document)[1..],
        [
            (Preformatted, None, "if fog:\n    sound(horn)"),
            (Footnote, Some("3"), "The horn was put up later."),
        ]
    );
}

#[test]
fn bookmarks_give_headings_their_levels() {
    let page = Page::default().lines(72.0, 100.0, &["Of wicks"]).lines(
        72.0,
        130.0,
        &["A wick is cut square, never round, and never while it is hot, for hot wicks fray and then smoke."],
    );
    let mut paper = Paper::new([page]);
    let entry = paper.object("<</Title(Of wicks)>>");
    let parent = paper.object(&format!("<</Title(Part one)/First {entry} 0 R>>"));
    let outlines = paper.object(&format!("<</First {parent} 0 R>>"));
    let document = read(paper.catalog(&format!("/Outlines {outlines} 0 R")));
    assert_eq!(blocks(&document)[0], (Heading(2), None, "Of wicks"));
}

#[test]
fn a_chapter_set_in_three_lines_is_one_heading_and_bold_lines_without_bookmark_are_terms() {
    let page = Page::default()
        .text(440.0, 90.0, Font::Bold, 9.0, "CHAPTER")
        .text(440.0, 120.0, Font::Bold, 20.0, "TWENTYTWO")
        .text(340.0, 170.0, Font::Bold, 24.0, "OF WICKS")
        .text(72.0, 220.0, Font::Bold, 14.0, "22.1 Cotton")
        .lines(72.0, 244.0, &[
            "A wick is cut square, never round, and never while it is hot, for hot wicks fray and smoke, and",
            "the smoke blackens the glass.",
        ])
        .text(72.0, 290.0, Font::Bold, 10.0, "Snuff")
        .lines(96.0, 302.0, &[
            "The burnt end of a wick, which is cut off before the lamp is lit, and thrown away at once, or",
            "kept.",
        ])
        .lines(72.0, 336.0, &[
            "1. The keeper cuts the wick with the scissors that hang beside the door of the lamp room, and",
        ])
        .lines(84.0, 348.0, &["puts them back."])
        .lines(84.0, 368.0, &["and this is still about the cutting."])
        .lines(72.0, 400.0, &["Plain words end the page."])
        .lines(72.0, 430.0, &["They do so twice."]);
    let mut paper = Paper::new([page]);
    let entry = paper.object("<</Title(Cotton)>>");
    let chapter = paper.object(&format!("<</Title(Of wicks)/First {entry} 0 R>>"));
    let outlines = paper.object(&format!("<</First {chapter} 0 R>>"));
    let document = read(paper.catalog(&format!("/Outlines {outlines} 0 R")));
    let heads: Vec<_> =
        blocks(&document).into_iter().map(|(kind, label, text)| (kind, label, &text[..5])).collect();
    assert_eq!(
        heads,
        [
            (Heading(1), Some("22"), "OF WI"),
            (Heading(2), Some("22.1"), "Cotto"),
            (Paragraph, None, "A wic"),
            (BlockKind::Term, None, "Snuff"),
            (Paragraph, None, "The b"),
            (Item(1), Some("1"), "The k"),
            (Item(1), None, "and t"),
            (Paragraph, None, "Plain"),
            (Paragraph, None, "They "),
        ]
    );
}

#[test]
fn a_page_of_nothing_but_furniture_is_empty_and_a_footnote_keeps_its_second_paragraph() {
    let text = |number: usize| {
        let mut page = Page::default();
        for line in 0..50 {
            let words =
                format!("Line {line} of page {number} tells what the keeper of the lamp saw in the night");
            page = page.lines(72.0, 80.0 + 12.0 * line as f32, &[&words]);
        }
        furnished(page, number)
    };
    let furnished_only = furnished(Page::default(), 4);
    let noted = Page::default()
        .lines(
            72.0,
            100.0,
            &["The last night was a dark one, and the keeper saw nothing that he could have written down."],
        )
        .text(72.0, 690.0, Font::Plain, 5.0, "1")
        .text(76.0, 693.0, Font::Plain, 8.0, "So says the log.")
        .text(76.0, 706.0, Font::Plain, 8.0, "The log of the neighbour says something else.");
    let pages = [text(1), text(2), text(3), furnished_only, text(5), furnished(noted, 6)];
    let document = read(Paper::new(pages));
    let all = texts(&document);
    assert!(all.iter().all(|text| !text.contains("HANDBOOK")), "{all:#?}");
    assert!(document.blocks.iter().all(|block| block.place.page != Some(4)), "{all:#?}");
    assert_eq!(
        blocks(&document).last().copied(),
        Some((Footnote, Some("1"), "So says the log.\nThe log of the neighbour says something else."))
    );
}

/// With a running head and the page's number.
fn furnished(page: Page, number: usize) -> Page {
    page.text(72.0, 40.0, Font::Bold, 10.0, "HANDBOOK OF THE LAMP").text(
        300.0,
        760.0,
        Font::Plain,
        9.0,
        &number.to_string(),
    )
}

#[test]
fn a_turned_page_reads_like_a_straight_one() {
    let straight =
        Page::default().lines(72.0, 100.0, &["A line on a turned page,", "and the line below it."]);
    let turned = Page::default()
        .raw("BT /F1 10 Tf 0 1 -1 0 100 72 Tm (A line on a turned page,) Tj ET")
        .raw("BT /F1 10 Tf 0 1 -1 0 112 72 Tm (and the line below it.) Tj ET")
        .entry("/Rotate 90");
    let sideways = Page::default()
        .raw("BT /F1 10 Tf 0 1 -1 0 100 72 Tm (A line on a turned page,) Tj ET")
        .raw("BT /F1 10 Tf 0 1 -1 0 112 72 Tm (and the line below it.) Tj ET");
    let expected = texts(&read(Paper::new([straight.clone()]))).join("\n");
    assert_eq!(texts(&read(Paper::new([turned]))).join("\n"), expected);
    assert_eq!(texts(&read(Paper::new([sideways]))).join("\n"), expected);
}

#[test]
fn text_that_nobody_sees_is_left_out_and_told() {
    let page = Page::default()
        .lines(72.0, 100.0, &["What the reader sees."])
        .raw("BT 3 Tr /F1 10 Tf 72 600 Td (unpainted trap) Tj ET BT 0 Tr ET")
        .raw("q 1 g BT /F1 10 Tf 72 580 Td (white trap) Tj ET Q")
        .raw("BT /F1 0.2 Tf 72 560 Td (tiny trap) Tj ET")
        .raw("BT /F1 10 Tf 72 -90 Td (outside trap) Tj ET")
        .raw("q 0 0 0.5 rg 70 480 200 20 re f 1 g BT /F1 10 Tf 72 485 Td (White on blue is seen.) Tj ET Q");
    let document = read(Paper::new([page]));
    assert_eq!(texts(&document), ["What the reader sees.", "White on blue is seen."]);
    assert!(notes(&document).contains("that nobody sees"), "{:?}", document.notes);
}

/// A picture over the whole page.
fn picture(paper: &mut Paper) -> String {
    let image = paper.stream(
        "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray",
        &[0x80],
    );
    format!("/XObject<</Im {image} 0 R>>")
}

const PICTURE: &str = "q 612 0 0 792 0 0 cm /Im Do Q";

#[test]
fn recognised_text_under_a_picture_is_kept_and_told() {
    let page = Page::default().raw(PICTURE).raw("BT 3 Tr /F1 10 Tf 72 600 Td (Recognised words.) Tj ET");
    let mut paper = Paper::new([page]);
    let resources = picture(&mut paper);
    let document = read(paper.resources(&resources));
    assert_eq!(texts(&document), ["Recognised words."]);
    assert!(notes(&document).contains("recognised"), "{:?}", document.notes);
}

#[test]
fn a_numbered_heading_on_a_new_page_does_not_go_on_with_that_of_a_table_of_contents() {
    let dots = ".".repeat(60);
    let entries = [format!("Term {dots} 2"), format!("Rent {dots} 2"), format!("Notice {dots} 3")];
    let contents = Page::default().text(72.0, 80.0, Font::Bold, 14.0, "Contents").lines(
        72.0,
        110.0,
        &entries.each_ref().map(String::as_str),
    );
    let term = Page::default().text(72.0, 80.0, Font::Bold, 14.0, "1 Term").lines(
        72.0,
        110.0,
        &[
            "The term of this lease is ten years, and the keeper may stay for another five years where",
            "nobody else wants the lighthouse by then.",
        ],
    );
    let document = read(Paper::new([contents, term]));
    let headings = document.blocks.iter().filter(|block| matches!(block.kind, Heading(_)));
    let headings: Vec<&str> = headings.map(|block| block.text.trim_start_matches(['1', ' ', '.'])).collect();
    assert_eq!(headings, ["Contents", "Term"], "{:#?}", document.blocks);
    let minor = document.notes.iter().map(|note| (note.what.as_str(), note.minor)).collect::<Vec<_>>();
    assert_eq!(minor, [("a table of contents was left out (page 1)", true)]);
}

#[test]
fn pages_of_pictures_are_a_scan() {
    let mut paper = Paper::new((0..3).map(|_| Page::default().raw(PICTURE)));
    let resources = picture(&mut paper);
    assert_eq!(try_read(&paper.resources(&resources).bytes()), Err(ReadError::Scanned { pages: 3 }));
}

#[test]
fn blank_pages_are_no_scan() {
    let error = try_read(&Paper::new([Page::default(), Page::default()]).bytes());
    assert!(matches!(error, Err(ReadError::Malformed { format: "PDF", .. })), "{error:?}");
}

#[test]
fn a_password_is_asked_for() {
    let word = "<28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A>";
    let paper = Paper::new([Page::default().lines(72.0, 100.0, &["Secret."])]);
    let paper = paper.trailer(&format!(
        "/ID[<00><00>]/Encrypt<</Filter/Standard/V 1/R 2/Length 40/P -4/O{word}/U{word}>>"
    ));
    assert_eq!(try_read(&paper.bytes()), Err(ReadError::Encrypted));
}

#[test]
fn forms_that_draw_themselves_end() {
    let mut paper = Paper::new([Page::default().lines(72.0, 100.0, &["Before."]).raw("/Fm Do")]);
    let next = paper.next();
    let form = paper.stream(
        &format!("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</Fm {next} 0 R>>/Font<</F1 3 0 R>>>>"),
        b"BT /F1 10 Tf 72 500 Td (Once.) Tj ET /Fm Do /Fm Do",
    );
    assert_eq!(form, next);
    let document = read(paper.resources(&format!("/XObject<</Fm {form} 0 R>>")));
    assert_eq!(texts(&document), ["Before.", "Once."]);
}

#[test]
fn a_page_that_unfolds_without_end_is_cut_and_told() {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(b"BT /F1 10 Tf 72 600 Td (Before the flood.) Tj ET ").unwrap();
    for _ in 0..100 {
        packed.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    packed.write_all(b"BT /F1 10 Tf 72 500 Td (After it.) Tj ET").unwrap();
    let mut paper = Paper::new([]);
    let content = paper.stream("/Filter/FlateDecode", &packed.finish().unwrap());
    paper.page_of(content);
    let document = read(paper);
    assert_eq!(texts(&document), ["Before the flood."]);
    assert!(notes(&document).contains("in part"), "{:?}", document.notes);
}

#[test]
fn pages_beyond_the_limit_are_told() {
    let paper =
        Paper::new((0..4).map(|page| Page::default().lines(72.0, 100.0, &[&format!("Page words {page}.")])));
    let limits = Limits { pages: 2, ..Limits::default() };
    let document =
        documents::read_bytes(&paper.bytes(), Format::Pdf, &limits, &AtomicBool::new(false)).unwrap();
    assert_eq!(texts(&document).len(), 2);
    assert!(notes(&document).contains("only the first 2 of 4 pages"), "{:?}", document.notes);
}

#[test]
fn ten_thousand_pages_are_read() {
    let paper = Paper::new(
        (0..10_000).map(|page| Page::default().lines(72.0, 300.0, &[&format!("Watch {page} was quiet.")])),
    );
    let document = read(paper);
    assert_eq!(document.pages, Some(10_000));
    assert_eq!(document.blocks.len(), 10_000);
    assert_eq!(document.blocks[9_999].place.page, Some(10_000));
}

#[test]
fn a_file_cut_anywhere_gives_an_error_or_a_part() {
    let page = |number: usize| Page::default().lines(72.0, 100.0, &[&format!("Words of page {number}.")]);
    let bytes = Paper::new((0..3).map(page)).bytes();
    for length in (0..bytes.len()).step_by(97) {
        if let Ok(document) = try_read(&bytes[..length]) {
            let known = texts(&document).iter().all(|text| text.starts_with("Words of page "));
            assert!(known, "cut at {length}: {:?}", document.blocks);
        }
    }
    // Without the table of its objects a file is searched for them.
    let table = bytes.windows(4).position(|word| word == b"xref").unwrap();
    assert_eq!(texts(&try_read(&bytes[..table]).unwrap()).len(), 3);
}

#[test]
fn the_same_bytes_give_the_same_document() {
    let bytes = Paper::new(
        (0..9).map(|page| Page::default().lines(72.0, 100.0, &[&format!("Words of page {page}.")])),
    )
    .bytes();
    assert_eq!(try_read(&bytes), try_read(&bytes));
}
