//! Pages are looked at as laid out; that the file holds their words is checked where the program reads its own exports.

use docx::{Block, Contents, HeadingLevel, MarkdownOptions, WordDocument, from_markdown};
use pretty_assertions::assert_eq;

use crate::flow::Part;
use crate::pages::{Layout, Placed};
use crate::style::{BOTTOM, LEFT, TOP, WIDTH};
use crate::{compose, heading_pages, write};

const LOREM: &str = "The Borrower shall repay each Loan in full on the Termination Date together with accrued interest, \
    and no amount that was repaid may be borrowed again unless the Lenders agree in writing. ";

fn document(markdown: &str) -> WordDocument {
    let contents =
        Contents { heading: "Contents".to_owned(), depth: HeadingLevel::Second, ..Contents::default() };
    from_markdown(markdown, &MarkdownOptions { contents: Some(contents), ..MarkdownOptions::default() })
}

fn layout(markdown: &str) -> Layout {
    compose(&document(markdown)).unwrap().layout
}

/// The words of a part of a page: those of the text, or those of footnotes.
fn words(layout: &Layout, page: usize, of_notes: bool) -> String {
    let mut out = String::new();
    for (placed, _) in &layout.pages[page].items {
        if matches!(placed, Placed::Note(..)) != of_notes {
            continue;
        }
        for part in &layout.item(placed).unwrap().parts {
            let Part::Line { line, .. } = part else { continue };
            for glyphs in &line.glyphs {
                let ranges = glyphs.glyphs.iter().map(|glyph| glyph.range());
                let from = ranges.clone().map(|range| range.start).min().unwrap();
                let to = ranges.map(|range| range.end).max().unwrap();
                out.push_str(&glyphs.text[from..to]);
            }
            out.push(' ');
        }
    }
    out
}

/// Nothing stands outside the text's frame, and nothing on something else.
fn assert_in_frame(layout: &Layout) {
    for (number, page) in layout.pages.iter().enumerate() {
        let mut end = TOP - 0.01;
        for (placed, y) in &page.items {
            let item = layout.item(placed).unwrap();
            assert!(*y >= end - 0.01, "page {number}: {placed:?} at {y} begins above {end}");
            end = y + item.height;
            assert!(end <= BOTTOM + 0.01, "page {number}: {placed:?} ends at {end}");
            for part in &item.parts {
                if let Part::Line { x, line, .. } = part {
                    let right = x + line.width;
                    assert!(
                        *x >= LEFT - 0.01 && right <= LEFT + WIDTH + 6.0,
                        "page {number}: {x} to {right}"
                    );
                }
            }
        }
    }
}

#[test]
fn footnotes_stand_on_the_page_of_their_marks() {
    let mut markdown = String::from("# Title\n\n");
    for number in 1..=120 {
        markdown.push_str(&format!("{LOREM}End{number}.[^{number}]\n\n"));
    }
    for number in 1..=120 {
        markdown.push_str(&format!("[^{number}]: Note{number}. Credit agreement, page {number}.\n"));
    }
    let layout = layout(&markdown);
    assert_in_frame(&layout);
    assert!(layout.pages.len() > 8, "{}", layout.pages.len());
    let mut seen = 0;
    for page in 0..layout.pages.len() {
        let (text, notes) = (words(&layout, page, false), words(&layout, page, true));
        for number in 1..=120 {
            if text.contains(&format!("End{number}.")) {
                assert!(notes.contains(&format!("Note{number}. ")), "{number} is not on page {page}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 120);
}

#[test]
fn a_long_footnote_goes_on_on_the_next_page_and_nothing_of_it_is_lost() {
    let long: String = (0..2_000).map(|word| format!("w{word} ")).collect();
    let layout = layout(&format!("# Title\n\n{LOREM}[^1]\n\n{LOREM}\n\n[^1]: {long}\n"));
    assert_in_frame(&layout);
    let notes: String = (0..layout.pages.len()).map(|page| words(&layout, page, true)).collect();
    assert!(layout.pages.len() >= 2);
    let read: Vec<&str> = notes.split_whitespace().filter(|word| word.starts_with('w')).collect();
    assert_eq!(read, (0..2_000).map(|word| format!("w{word}")).collect::<Vec<_>>());
}

#[test]
fn contents_name_the_page_of_each_heading() {
    let mut markdown = String::from("# Title\n\n");
    for number in 1..=40 {
        markdown.push_str(&format!("## Chapter{number}\n\n{}\n\n", LOREM.repeat(8)));
    }
    let layout = layout(&markdown);
    let contents: String =
        (0..layout.pages.len()).map(|page| words(&layout, page, false)).collect::<Vec<_>>().join(" ");
    let mut checked = 0;
    for number in 1..=40 {
        let name = format!("Chapter{number} ");
        let line = contents.split_once(&name).unwrap().1;
        let page: usize =
            line.trim_start_matches(['.', ' ']).split_whitespace().next().unwrap().parse().unwrap();
        let text = words(&layout, page - 1, false);
        // The first page holds the contents, too.
        assert_eq!(text.matches(&name).count(), if page == 1 { 2 } else { 1 }, "{name}on page {page}");
        checked += 1;
    }
    assert_eq!(checked, 40);
}

#[test]
fn a_title_page_and_contents_stand_on_pages_of_their_own_and_headings_know_theirs() {
    let mut document = document("# Title\n\n## First\n\nWords.\n\n## Second\n\nWords.\n");
    document.subtitle = vec![vec![docx::Run::text("Matter")]];
    document.blocks.insert(1, Block::PageBreak);
    document.blocks.insert(0, Block::PageBreak);
    let layout = compose(&document).unwrap().layout;
    assert_eq!(layout.pages.len(), 3);
    assert_eq!(words(&layout, 0, false).split_whitespace().collect::<Vec<_>>(), ["Title", "Matter"]);
    assert!(words(&layout, 1, false).starts_with("Contents "));
    assert!(words(&layout, 2, false).starts_with("First "));
    assert_eq!(heading_pages(&document).unwrap(), [3, 3]);
    assert_in_frame(&layout);
    // Without a page of its own the title is followed by the text.
    document.blocks.remove(0);
    assert_eq!(heading_pages(&document).unwrap(), [2, 2]);
}

#[test]
fn a_heading_never_ends_a_page_and_a_paragraph_leaves_no_single_line() {
    for filler in 0..12 {
        let mut markdown = format!("# Title\n\n{}", "A line.\n\n".repeat(filler));
        for number in 1..=30 {
            markdown.push_str(&format!("## Head{number}\n\n{}\n\n", LOREM.repeat(2 + number % 3)));
        }
        let layout = layout(&markdown);
        assert_in_frame(&layout);
        for (number, page) in layout.pages.iter().enumerate() {
            let Some((Placed::Text(last), _)) = page.items.last() else { continue };
            let is_end = number + 1 == layout.pages.len();
            assert!(is_end || !layout.items[*last].keeps_next, "filler {filler}: page {number}");
        }
    }
}

#[test]
fn lines_between_a_heading_and_its_text_stay_with_it() {
    for filler in 0..40 {
        let mut document =
            document(&format!("# Title\n\n{}\n\n## Head\n\n> {LOREM}\n", "A line.\n\n".repeat(filler)));
        let quote = document.blocks.pop().unwrap();
        for words in ["verified", "lease.pdf"] {
            let (style, runs) = (docx::ParagraphStyle::Caption, vec![docx::Run::text(words)]);
            document.blocks.push(Block::Paragraph(docx::Paragraph { style, runs, place: None }));
        }
        document.blocks.push(quote);
        let layout = compose(&document).unwrap().layout;
        let pages: Vec<String> = (0..layout.pages.len()).map(|page| words(&layout, page, false)).collect();
        let page = pages.iter().find(|words| words.contains("lease.pdf")).unwrap();
        assert!(page.contains("Head") && page.contains("The Borrower"), "filler {filler}: {page}");
    }
}

#[test]
fn a_table_repeats_its_head_on_each_page() {
    let rows: String = (0..150).map(|row| format!("| Row{row} | {row},000 |\n")).collect();
    let layout = layout(&format!("# Title\n\n| Item | Amount |\n|---|--:|\n{rows}"));
    assert_in_frame(&layout);
    let pages = layout.pages.len();
    assert!(pages >= 3);
    for page in 0..pages {
        assert_eq!(words(&layout, page, false).matches("Amount").count(), 1, "page {page}");
    }
}

#[test]
fn a_short_table_stays_whole_and_no_row_of_a_long_one_stands_alone() {
    for filler in 0..30 {
        let rows = |name: &str, count: usize| -> String {
            (0..count).map(|row| format!("| {name}{row} | {row} |\n")).collect()
        };
        let short = rows("Short", 6);
        let long = rows("Long", 60);
        let head = "| Item | Amount |\n|---|--:|\n";
        let layout = layout(&format!(
            "# Title\n\n{}{head}{short}\nText.\n\n{head}{long}",
            "A line.\n\n".repeat(filler)
        ));
        assert_in_frame(&layout);
        let counts = |name: &str| -> Vec<usize> {
            let pages = 0..layout.pages.len();
            pages
                .map(|page| words(&layout, page, false).matches(name).count())
                .filter(|count| *count > 0)
                .collect()
        };
        assert_eq!(counts("Short"), [6], "filler {filler}");
        assert!(counts("Long").iter().all(|count| *count > 1), "filler {filler}: {:?}", counts("Long"));
    }
}

#[test]
fn plain_words_are_set_as_one_line_at_a_time_would_be() {
    let text = format!("{LOREM}A co-ordinated *change* of **control**, \u{2018}as is\u{2019}; see s. 12.3(b).[^1] 2024-RE-01. ").repeat(6);
    let layout = layout(&format!("# Title\n\n{text}\n\n[^1]: Note.\n"));
    let shown = words(&layout, 0, false);
    let plain = text.replace(['*'], "").replace("[^1]", "1");
    let tight = |words: &str| words.split_whitespace().collect::<String>();
    assert!(tight(&shown).contains(&tight(&plain)), "{shown}");
    // No line is wider than the text, and each takes the next word where there is room for it.
    assert_in_frame(&layout);
    let width = |part: &Part| match part {
        Part::Line { line, .. } => Some(line.width),
        Part::Fill { .. } => None,
    };
    let body = layout.items.iter().filter(|item| item.height < 16.0);
    let lines: Vec<f32> = body.filter_map(|item| item.parts.first().and_then(width)).collect();
    assert!(lines[..lines.len() - 1].iter().all(|width| *width > WIDTH * 0.85), "{lines:?}");
}

#[test]
fn a_word_of_a_long_text_is_set_once_for_each_of_its_looks() {
    let few = compose(&document(&format!("# Title\n\n{LOREM}\n"))).unwrap().fonts.words.count;
    let many = format!("# Title\n\n{}\n", format!("{}\n\n", LOREM.repeat(5)).repeat(200));
    assert_eq!(compose(&document(&many)).unwrap().fonts.words.count, few);
    assert!(few > 20, "{few} words");
}

#[test]
fn characters_without_a_font_are_boxes_whose_text_stays() {
    let document = document("# Title\n\nAb\u{10fffd}cd.\n");
    let composed = compose(&document).unwrap();
    assert_eq!(composed.fonts.missing, ['\u{10fffd}']);
    assert!(
        words(&composed.layout, 0, false).contains("Ab\u{10fffd}cd."),
        "{}",
        words(&composed.layout, 0, false)
    );
    let file = write(&document).unwrap();
    assert_eq!(file, write(&document).unwrap());
}

#[test]
fn a_row_higher_than_a_page_is_cut_and_nothing_of_it_is_lost() {
    let long: String = (0..3_000).map(|word| format!("w{word} ")).collect();
    let layout = layout(&format!("# Title\n\n| A | B |\n|---|---|\n| short | {long} |\n"));
    let text: String = (0..layout.pages.len()).map(|page| words(&layout, page, false)).collect();
    let read: Vec<&str> =
        text.split_whitespace().filter(|word| word.starts_with('w') && word.len() > 1).collect();
    assert_eq!(read.len(), 3_000);
    assert_in_frame(&layout);
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    let document = document(
        "# Title\n\nWords[^1] and *more*.\n\n- a\n- b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[^1]: Note.\n",
    );
    let file = write(&document).unwrap();
    assert!(file.starts_with(b"%PDF-1.7"));
    assert_eq!(file, write(&document).unwrap());
}

#[test]
fn no_document_breaks_the_layout() {
    let deep = format!("{}deep\n", "> ".repeat(20));
    let nested: String = (0..20).map(|level| format!("{}- level {level}\n", "  ".repeat(level))).collect();
    let wide = format!("|{}\n|{}\n|{}\n", " head |".repeat(60), "---|".repeat(60), " cell |".repeat(60));
    let endless = "x".repeat(20_000);
    let scripts =
        "العربية עברית 漢字かな 한국어 ไทย हिन्दी 😀 \u{202e}dlrow\u{202c} \u{0} \u{7} \u{feff} a\u{301} ﷽";
    let many = format!("{}[^1]\n\n[^1]: {}\n", "Word.[^1] ".repeat(400), "note ".repeat(400));
    for markdown in
        ["", "#", "\n\n\n", &deep, &nested, &wide, &endless, scripts, &many, "---\n\n---\n", "```\n\n\n```\n"]
    {
        let document = document(markdown);
        let composed = compose(&document).unwrap();
        assert!(!composed.layout.pages.is_empty());
        write(&document).unwrap();
    }
    write(&WordDocument::default()).unwrap();
    assert_in_frame(&layout(&endless));
    assert_in_frame(&layout(&many));
}

#[test]
fn marks_without_footnotes_are_refused_with_their_number() {
    let blocks = vec![Block::text(vec![docx::Run::note(3)])];
    let error = write(&WordDocument { blocks, ..WordDocument::default() }).unwrap_err();
    assert_eq!(error.to_string(), "a mark names footnote 3, but the document has 0");
}
