//! Input that wants to break the file.

use docx::{
    Block, Cell, DocxError, List, MAX_BLOCKS, MAX_BYTES, MAX_DEPTH, MAX_NOTES, MAX_NUMBERED_LISTS, Note, Run,
    Table, WordDocument, write,
};
use pretty_assertions::assert_eq;

use crate::support::{File, line};

fn refused(blocks: Vec<Block>) -> DocxError {
    write(&WordDocument { blocks, ..WordDocument::default() }).unwrap_err()
}

fn parse_all(file: &File) {
    file.names.iter().for_each(|name| {
        file.part(name);
    });
}

#[test]
fn an_empty_document_is_a_file() {
    parse_all(&File::of(&WordDocument::default()));
    let file = File::markdown("");
    parse_all(&file);
    assert!(file.lines().is_empty());
}

#[test]
fn characters_that_xml_forbids_are_dropped_and_signs_are_words() {
    let nasty = "a\u{0}\u{1}\u{8}\u{b}\u{1f}b]]>&<w:t>\"'\u{fffe}\u{ffff}\u{1f600}\u{202e}c\r";
    let document = WordDocument {
        title: nasty.into(),
        header: nasty.into(),
        footer: nasty.into(),
        subtitle: vec![vec![Run::text(nasty)]],
        blocks: vec![
            Block::Heading {
                level: docx::HeadingLevel::First,
                runs: vec![Run::text(nasty)],
                place: Some(nasty.into()),
            },
            Block::Code(nasty.into()),
            Block::Table(Table { header: vec![Cell::text(nasty)], ..Table::default() }),
            Block::text(vec![Run::note(0)]),
        ],
        notes: vec![Note { blocks: vec![Block::text(vec![Run::text(nasty)])] }],
        ..WordDocument::default()
    };
    let file = File::of(&document);
    parse_all(&file);
    let shown = "ab]]>&<w:t>\"'\u{1f600}\u{202e}c";
    // A vertical tab is white space, which is one blank in a title.
    assert_eq!(file.lines()[0].1, "a b]]>&<w:t>\"'\u{1f600}\u{202e}c");
    assert!(file.lines()[1..5].iter().all(|(_, words)| words == shown), "{:?}", file.lines());
    for (name, part) in &file.parts {
        let bad = part
            .chars()
            .find(|c| (c.is_control() && !matches!(c, '\n' | '\t')) || matches!(c, '\u{fffe}' | '\u{ffff}'));
        assert_eq!(bad, None, "{name}");
        assert!(!part.contains("]]>"), "{name}");
    }
}

#[test]
fn ten_thousand_paragraphs_and_six_hundred_footnotes_are_written() {
    let paragraphs: String = (0..10_000).map(|number| format!("Paragraph {number}.\n\n")).collect();
    assert_eq!(File::markdown(&paragraphs).lines().len(), 10_000);
    let marks: String = (0..600).map(|number| format!("Word[^{number}] ")).collect();
    let texts: String = (0..600).rev().map(|number| format!("\n\n[^{number}]: Note {number}.")).collect();
    let file = File::markdown(&format!("{marks}{texts}"));
    let notes = file.notes();
    let all = notes.all("w:footnote");
    assert_eq!(all.len(), 602);
    for (index, one) in all.iter().skip(2).enumerate() {
        assert_eq!(one.attribute("w:id"), (index + 1).to_string());
        assert_eq!(one.words().trim(), format!("Note {index}."));
    }
}

#[test]
fn deep_nesting_in_markdown_is_flattened() {
    for text in [
        format!("{} deep", ">".repeat(500)),
        (0..200).map(|level| format!("{}- level {level}\n", "  ".repeat(level))).collect::<String>(),
        format!("{}x{}", "*".repeat(3_000), "*".repeat(3_000)),
        format!("{}x{}", "[".repeat(3_000), "](a)".repeat(3_000)),
        format!("{}a", "![".repeat(1_000)),
    ] {
        parse_all(&File::markdown(&text));
    }
    let file = File::markdown(
        &(0..200).map(|level| format!("{}- level {level}\n", "  ".repeat(level))).collect::<String>(),
    );
    let words: String = file.lines().into_iter().map(|(_, words)| words).collect();
    assert!((0..200).all(|level| words.contains(&format!("level {level}"))), "no words are lost");
    let text = file.text();
    assert!(text.all("w:ilvl").iter().all(|one| one.attribute("w:val").parse::<u8>().unwrap() <= 8));
    assert!(text.all("w:ind").iter().all(|one| one.attribute("w:left").parse::<usize>().unwrap() <= 4_320));
}

#[test]
fn what_is_over_a_limit_is_refused_by_name() {
    let paragraph = || Block::text(vec![Run::text("x")]);
    assert_eq!(refused((0..=MAX_BLOCKS).map(|_| paragraph()).collect()), DocxError::TooManyBlocks);
    let numbered = || Block::List(List { start: Some(1), items: Vec::new() });
    assert_eq!(
        refused((0..=MAX_NUMBERED_LISTS).map(|_| numbered()).collect()),
        DocxError::TooManyNumberedLists
    );
    let deep = (0..=MAX_DEPTH).fold(paragraph(), |inner, _| Block::Quote(vec![inner]));
    assert_eq!(refused(vec![deep]), DocxError::TooDeep);
    let wide = Table { rows: vec![vec![Cell::default(); 64]], ..Table::default() };
    assert_eq!(refused(vec![Block::Table(wide)]), DocxError::TooManyColumns { columns: 64 });
    assert_eq!(refused(vec![Block::Code("x".repeat(MAX_BYTES + 1))]), DocxError::TooLarge);
    let notes = vec![Note::default(); MAX_NOTES + 1];
    assert_eq!(write(&WordDocument { notes, ..WordDocument::default() }), Err(DocxError::TooManyNotes));
}

#[test]
fn as_deep_as_the_limit_is_written() {
    let deep = (0..MAX_DEPTH).fold(Block::text(vec![Run::text("x")]), |inner, level| match level % 2 {
        0 => Block::Quote(vec![inner]),
        _ => Block::List(List { start: Some(7), items: vec![vec![inner]] }),
    });
    let file = File::of(&WordDocument { blocks: vec![deep], ..WordDocument::default() });
    assert!(file.lines().contains(&line("Quote", "x")), "{:?}", file.lines());
}

#[test]
fn a_language_and_a_date_that_are_none_are_refused() {
    for language in ["e", "en_GB", "en-", "english", "en\"/>", "-en"] {
        let document = WordDocument { language: language.into(), ..WordDocument::default() };
        assert_eq!(write(&document), Err(DocxError::Language(language.into())));
    }
    for date in ["", "2026", "2026-13-01T00:00:00Z", "2026-01-01 00:00:00Z", "2026-01-01T24:00:00Z", "<a>"] {
        let document = WordDocument { created: Some(date.into()), ..WordDocument::default() };
        assert_eq!(write(&document), Err(DocxError::Date(date.into())));
    }
}

#[test]
fn a_list_of_a_huge_number_starts_at_the_largest_that_word_reads() {
    let file = File::markdown("999999999. x");
    assert_eq!(file.part("word/numbering.xml").value("w:startOverride"), Some("32767"));
}
