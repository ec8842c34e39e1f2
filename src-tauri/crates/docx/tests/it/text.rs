//! The text: paragraphs, lists, tables, links.

use docx::{
    Block, Cell, Format, HeadingLevel, Link, Paragraph, ParagraphStyle, Run, Table, TableAlignment,
    WebAddress, WordDocument,
};
use pretty_assertions::assert_eq;

use crate::support::{File, SAMPLE, line};

fn file_of(blocks: Vec<Block>) -> File {
    File::of(&WordDocument { blocks, ..WordDocument::default() })
}

#[test]
fn the_sample_reads_like_this() {
    assert_eq!(
        File::markdown(SAMPLE).lines(),
        [
            line("Title", "How rules change"),
            line("BodyText", "A rule is bold, slanted, code and gone, with a page and a note."),
            line("Heading1", "Kinds"),
            line("ListBullet", "first"),
            line("ListBullet", "deeper"),
            line("ListNumber", "numbered"),
            line("ListNumber", "again"),
            line("ListBullet", "second"),
            line("ListContinue", "goes on"),
            line("ListNumber", "third"),
            line("ListNumber", "fourth"),
            line("Quote", "A quotation"),
            line("ListBullet", "with a list"),
            line("Heading2", "Table"),
            line("TableHeading", "Name"),
            line("TableHeading", "Count"),
            line("TableHeading", "Middle"),
            line("TableText", "a link"),
            line("TableText", "1"),
            line("TableText", "x"),
            line("TableText", "b"),
            line("TableText", "2"),
            line("TableText", ""),
            line("", ""),
            line("Code", "fn main() {\n    println!(\"<&>\");\n}"),
            line("BodyText", ""),
            line("BodyText", "[a picture] and <b>raw</b>. See the first note again1."),
        ]
    );
}

#[test]
fn lines_between_a_heading_and_its_text_stay_with_both() {
    let caption = |words: &str| {
        let (style, runs) = (docx::ParagraphStyle::Caption, vec![docx::Run::text(words)]);
        docx::Block::Paragraph(docx::Paragraph { style, runs, place: None })
    };
    let text = |words: &str| docx::Block::text(vec![docx::Run::text(words)]);
    let blocks = vec![
        docx::Block::heading(docx::HeadingLevel::First, "Head"),
        caption("above"),
        caption("also above"),
        text("Text."),
        caption("below"),
    ];
    let file = File::of(&docx::WordDocument { blocks, ..docx::WordDocument::default() });
    let body = file.text();
    let kept: Vec<(String, bool)> =
        body.all("w:p").iter().map(|one| (one.words(), !one.all("w:keepNext").is_empty())).collect();
    for (words, is_kept) in [("above", true), ("also above", true), ("Text.", false), ("below", false)] {
        assert!(kept.contains(&(words.to_owned(), is_kept)), "{words}: {kept:?}");
    }
}

#[test]
fn rows_that_would_stand_alone_stay_with_others() {
    let kept = |rows: usize| -> Vec<bool> {
        let body: String = (0..rows).map(|row| format!("| r{row} |\n")).collect();
        let file = File::markdown(&format!("# T\n\n| Head |\n|---|\n{body}"));
        let text = file.text();
        let cells = text.all("w:p");
        let cells = cells.iter().filter(|one| one.words().starts_with('r'));
        cells.map(|one| !one.all("w:keepNext").is_empty()).collect()
    };
    assert_eq!(kept(3), [true, true, false]);
    let long = kept(12);
    assert_eq!((long[0], long[1], long[10], long[11]), (true, false, true, false), "{long:?}");
}

#[test]
fn lists_in_lists_have_levels_and_numbered_ones_start_at_their_number() {
    let file = File::markdown(SAMPLE);
    let text = file.text();
    let levels: Vec<(String, &str)> = text
        .all("w:p")
        .iter()
        .filter_map(|one| Some((one.words(), one.value("w:ilvl")?)))
        .map(|(words, level)| {
            (
                words,
                if level == "0" {
                    "0"
                } else if level == "1" {
                    "1"
                } else {
                    "2"
                },
            )
        })
        .collect();
    let expected = [
        ("first", "0"),
        ("deeper", "1"),
        ("numbered", "2"),
        ("again", "2"),
        ("second", "0"),
        ("third", "0"),
        ("fourth", "0"),
        ("with a list", "0"),
    ];
    assert_eq!(levels, expected.map(|(words, level)| (words.to_owned(), level)));
    let numbering = file.part("word/numbering.xml");
    let starts: Vec<(&str, &str)> = numbering
        .all("w:lvlOverride")
        .iter()
        .map(|one| (one.attribute("w:ilvl"), one.value("w:startOverride").unwrap()))
        .collect();
    assert_eq!(starts, [("2", "1"), ("0", "3")]);
    let ids: Vec<&str> = text.all("w:numId").iter().map(|one| one.attribute("w:val")).collect();
    assert_eq!(ids, ["1", "1", "2", "2", "1", "3", "3", "1"]);
}

#[test]
fn the_head_row_of_a_table_is_repeated_and_columns_are_aligned() {
    let text = File::markdown(SAMPLE).text();
    let table = text.one("w:tbl");
    let rows = table.all("w:tr");
    assert_eq!(rows.iter().map(|row| row.all("w:tblHeader").len()).collect::<Vec<_>>(), [1, 0, 0]);
    assert!(rows.iter().all(|row| row.all("w:tc").len() == 3));
    let sides: Vec<Option<&str>> = rows[1].all("w:tc").iter().map(|cell| cell.value("w:jc")).collect();
    assert_eq!(sides, [None, Some("right"), Some("center")]);
    let columns: Vec<usize> =
        table.all("w:gridCol").iter().map(|one| one.attribute("w:w").parse().unwrap()).collect();
    assert!(columns.len() == 3 && columns.iter().sum::<usize>() <= 9_026, "{columns:?}");
}

#[test]
fn short_rows_are_filled_and_a_table_without_cells_is_left_out() {
    let table = |rows: Vec<Vec<Cell>>| {
        Block::Table(Table { rows, alignments: vec![TableAlignment::End], ..Table::default() })
    };
    let file = file_of(vec![
        table(vec![vec![Cell::text("a"), Cell::text("b")], vec![Cell::text("c")]]),
        table(Vec::new()),
    ]);
    let text = file.text();
    assert_eq!(text.all("w:tbl").len(), 1);
    assert_eq!(text.all("w:tc").len(), 4);
    assert!(text.all("w:tblHeader").is_empty());
}

#[test]
fn links_are_those_of_the_web_and_of_mail_alone() {
    let allowed = [
        ("https://example.org/a b?c=\u{e4}#d#e", "https://example.org/a%20b?c=%C3%A4#d%23e"),
        ("HTTP://Example.org", "http://Example.org"),
        ("https://[::1]:8080/x", "https://[::1]:8080/x"),
        ("https://example.org/100%", "https://example.org/100%25"),
        ("mailto:eva@example.org?subject=x", "mailto:eva@example.org?subject=x"),
    ];
    for (text, written) in allowed {
        assert_eq!(WebAddress::parse(text).as_ref().map(WebAddress::as_str), Some(written));
    }
    for text in [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "vbscript:x",
        "//example.org",
        "/relative",
        "https://",
        "https://eva@evil.example",
        "https://exa mple.org",
        "http:example.org",
        "mailto:nobody",
        "\\\\server\\share",
        "ms-word:ofe|u|https://example.org",
        "",
    ] {
        assert_eq!(WebAddress::parse(text), None, "{text}");
    }
    assert_eq!(WebAddress::parse(&format!("https://example.org/{}", "a".repeat(3_000))), None);
    let file = File::markdown(
        "[a](javascript:alert(1)) [b](file:///x) [c](https://c.example) [d](#nowhere) <https://e.example>",
    );
    let rels = file.part("word/_rels/document.xml.rels");
    let targets: Vec<&str> = rels
        .all("Relationship")
        .iter()
        .map(|one| one.attribute("Target"))
        .filter(|target| target.contains(':'))
        .collect();
    assert_eq!(targets, ["https://c.example", "https://e.example"]);
    assert_eq!(file.text().all("w:hyperlink").len(), 2);
    assert_eq!(file.lines(), [line("BodyText", "a b c d https://e.example")]);
}

#[test]
fn an_address_that_occurs_twice_is_one_relationship() {
    let file = File::markdown("[a](https://x.example) and [b **c**](https://x.example)");
    let text = file.text();
    let links = text.all("w:hyperlink");
    assert_eq!(links.iter().map(|one| one.words()).collect::<Vec<_>>(), ["a", "b c"]);
    assert_eq!(links[0].attribute("r:id"), links[1].attribute("r:id"));
}

#[test]
fn a_link_to_a_heading_leads_to_it() {
    let file = File::markdown("See [below](#the-rest).\n\n## The rest\n\nx");
    let text = file.text();
    let anchor = text.one("w:hyperlink").attribute("w:anchor").to_owned();
    let heading = text.all("w:p").into_iter().find(|one| one.value("w:pStyle") == Some("Heading1")).unwrap();
    assert!(heading.all("w:bookmarkStart").iter().any(|one| one.attribute("w:name") == anchor));
}

#[test]
fn words_keep_their_look_and_their_blanks() {
    let runs = vec![
        Run::text("  a "),
        Run::bold("b"),
        Run::italic(" c"),
        Run::styled(
            "d",
            Format { code: true, strike: true, highlight: true, raised: true, ..Format::default() },
        ),
        Run::text("\te\nf"),
        Run::linked("g", Link::Web(WebAddress::parse("https://g.example").unwrap())),
    ];
    let file = file_of(vec![Block::text(runs)]);
    assert_eq!(file.lines(), [line("BodyText", "  a b cd\te\nfg")]);
    let text = file.text();
    assert!(text.all("w:t").iter().all(|one| one.attribute("xml:space") == "preserve"));
    for name in ["w:b", "w:i", "w:strike", "w:vertAlign", "w:shd"] {
        assert_eq!(text.all(name).len(), 1, "{name}");
    }
    let styles: Vec<&str> = text.all("w:rStyle").iter().map(|one| one.attribute("w:val")).collect();
    assert_eq!(styles, ["CodeText", "Hyperlink"]);
}

#[test]
fn text_from_right_to_left_is_kept_and_set_from_the_right() {
    let file = File::markdown(
        "\u{645}\u{631}\u{62d}\u{628}\u{627} world\n\nworld \u{645}\u{631}\u{62d}\u{628}\u{627}",
    );
    let text = file.text();
    let directions: Vec<usize> = text.all("w:p").iter().map(|one| one.all("w:bidi").len()).collect();
    assert_eq!(directions, [1, 0]);
    assert_eq!(file.lines()[0].1, "\u{645}\u{631}\u{62d}\u{628}\u{627} world");
}

#[test]
fn a_list_that_begins_with_a_block_still_shows_its_sign() {
    let lines = File::markdown("- > quoted\n- - inner\n- ```\n  code\n  ```\n-\n").lines();
    assert_eq!(
        lines,
        [
            line("ListBullet", ""),
            line("Quote", "quoted"),
            line("ListBullet", ""),
            line("ListBullet", "inner"),
            line("ListBullet", ""),
            line("Code", "code"),
            line("ListBullet", ""),
        ]
    );
}

#[test]
fn captions_notices_and_new_pages_are_written() {
    let paragraph =
        |style, text: &str| Block::Paragraph(Paragraph { style, runs: vec![Run::text(text)], place: None });
    let file = file_of(vec![
        paragraph(ParagraphStyle::Notice, "n"),
        Block::PageBreak,
        paragraph(ParagraphStyle::Caption, "c"),
        Block::heading(HeadingLevel::Fourth, "h"),
    ]);
    assert_eq!(
        file.lines(),
        [line("Notice", "n"), line("Caption", "c"), line("Heading4", "h")],
        "no empty line stands at the top of a page"
    );
    let text = file.text();
    let begins: Vec<usize> = text.all("w:p").iter().map(|one| one.all("w:pageBreakBefore").len()).collect();
    assert_eq!(begins, [0, 1, 0]);
}

#[test]
fn a_title_page_stands_alone_and_a_table_may_begin_a_page() {
    let table = Block::Table(Table { rows: vec![vec![Cell::text("a")]], ..Table::default() });
    let document = docx::WordDocument {
        title: "Memo".into(),
        blocks: vec![Block::PageBreak, Block::heading(HeadingLevel::First, "h"), Block::PageBreak, table],
        ..docx::WordDocument::default()
    };
    assert!(document.has_cover());
    let file = File::of(&document);
    let lines = file.lines();
    assert_eq!(lines[..2], [line("CoverTitle", "Memo"), line("Heading1", "h")]);
    let text = file.text();
    let begins: Vec<usize> = text.all("w:p").iter().map(|one| one.all("w:pageBreakBefore").len()).collect();
    assert_eq!(begins[..3], [0, 1, 1]);
}

#[test]
fn two_short_words_stay_on_a_line_beside_two_long_texts() {
    let long = "a right that the customer has for sixty days after a change of control ".repeat(2);
    let row = || vec![Cell::text("single sourced"), Cell::text(long.as_str()), Cell::text(long.as_str())];
    let file = file_of(vec![Block::Table(Table { rows: vec![row(), row()], ..Table::default() })]);
    let table = file.text();
    let widths: Vec<usize> =
        table.all("w:gridCol").iter().map(|one| one.attribute("w:w").parse().unwrap()).collect();
    assert!(widths[0] >= "single sourced".len() * 110, "{widths:?}");
    assert!(widths[1] > 3_000 && widths[2] > 3_000 && widths.iter().sum::<usize>() <= 9_026, "{widths:?}");
}

#[test]
fn a_long_text_is_not_squeezed_so_that_short_ones_keep_to_a_line() {
    let long = "a right that the customer has for sixty days after a change of control ".repeat(6);
    let row = || {
        ["10", long.as_str(), "quoted word for word", "it stands word for word in what it cites"]
            .map(Cell::text)
            .to_vec()
    };
    let file = file_of(vec![Block::Table(Table { rows: vec![row(), row()], ..Table::default() })]);
    let table = file.text();
    let widths: Vec<usize> =
        table.all("w:gridCol").iter().map(|one| one.attribute("w:w").parse().unwrap()).collect();
    assert!(widths[1] > 3_900 && widths.iter().sum::<usize>() <= 9_026, "{widths:?}");
}

#[test]
fn a_figure_is_not_broken_beside_long_names() {
    let row = || {
        let name = "contractor_agreement_route_engine_final_version.pdf";
        [name, name, name, "\u{20ac}1.234.567,89"].map(Cell::text).to_vec()
    };
    let file = file_of(vec![Block::Table(Table { rows: vec![row()], ..Table::default() })]);
    let table = file.text();
    let widths: Vec<usize> =
        table.all("w:gridCol").iter().map(|one| one.attribute("w:w").parse().unwrap()).collect();
    assert!(widths[3] >= 13 * 115 && widths.iter().sum::<usize>() <= 9_026, "{widths:?}");
}

#[test]
fn a_column_has_room_for_its_longest_word_and_short_rows_stay_whole() {
    let long = "what has to be looked at before the opinion is formed ".repeat(4);
    let row = |query: &str| vec![Cell::text("1"), Cell::text(query), Cell::text("supporting")];
    let rows = vec![row("late events"), row(&long), row(&long.repeat(8))];
    let header = vec![Cell::text("#"), Cell::text("Query"), Cell::text("Role")];
    let file = file_of(vec![Block::Table(Table { header, rows, ..Table::default() })]);
    let (_, document) = file.parts.iter().find(|(name, _)| *name == "word/document.xml").unwrap();
    let widths: Vec<usize> = document
        .split("<w:gridCol w:w=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect();
    let [number, query, role] = widths.as_slice() else { panic!("{widths:?}") };
    assert!(*role >= "supporting".len() * 110, "{widths:?}");
    assert!(number < role && query > role && number + query + role <= 9_026, "{widths:?}");
    // The header and two rows; the third may go on on the next page.
    assert_eq!(document.matches("<w:cantSplit/>").count(), 3);
}
