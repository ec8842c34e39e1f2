//! Footnotes.

use docx::{Block, DocxError, Note, Run, RunContent, WordDocument, write};
use pretty_assertions::assert_eq;

use crate::support::{File, Node, SAMPLE};

fn note(text: &str) -> Note {
    Note { blocks: vec![Block::text(vec![Run::text(text)])] }
}

fn number(index: usize) -> Run {
    Run { content: RunContent::NoteNumber(index), ..Run::note(index) }
}

/// The words of each footnote, by its id.
fn notes(file: &File) -> Vec<(String, String)> {
    let notes = file.notes();
    let one = |one: &&Node| (one.attribute("w:id").to_owned(), one.words().trim().to_owned());
    notes.all("w:footnote").iter().skip(2).map(one).collect()
}

#[test]
fn footnotes_are_numbered_in_the_order_of_their_marks() {
    let document = WordDocument {
        blocks: vec![
            Block::text(vec![Run::text("a"), Run::note(2)]),
            Block::Quote(vec![Block::text(vec![Run::text("b"), Run::note(0)])]),
        ],
        notes: vec![note("zero"), note("never marked"), note("two")],
        ..WordDocument::default()
    };
    let file = File::of(&document);
    let text = file.text();
    let marks: Vec<&str> = text.all("w:footnoteReference").iter().map(|one| one.attribute("w:id")).collect();
    assert_eq!(marks, ["1", "2"]);
    assert_eq!(notes(&file), [("1".to_owned(), "two".to_owned()), ("2".to_owned(), "zero".to_owned())]);
}

#[test]
fn a_second_mark_repeats_the_number_of_the_footnote() {
    let document = WordDocument {
        blocks: vec![Block::text(vec![
            Run::note(0),
            Run::note(1),
            Run::note(0),
            Run::text(" note "),
            number(1),
        ])],
        notes: vec![note("a"), Note { blocks: vec![Block::text(vec![Run::text("see "), number(0)])] }],
        ..WordDocument::default()
    };
    let file = File::of(&document);
    let text = file.text();
    assert_eq!(text.all("w:footnoteReference").len(), 2);
    let fields: Vec<&str> = text.all("w:instrText").iter().map(|one| one.text.trim()).collect();
    assert_eq!(fields, ["NOTEREF _Note1 \\f \\h", "NOTEREF _Note2 \\h"]);
    assert_eq!(file.lines()[0].1, "1 note 2");
    assert_eq!(notes(&file)[1].1, "see 1");
}

#[test]
fn footnotes_of_markdown_are_footnotes_of_word() {
    let file = File::markdown(SAMPLE);
    let found = notes(&file);
    assert_eq!(
        found,
        [
            ("1".to_owned(), "The first note with words and a page.A second paragraph of it.".to_owned()),
            ("2".to_owned(), "In a table.".to_owned()),
        ]
    );
    let part = file.notes();
    let all = part.all("w:footnote");
    assert_eq!(all[2].all("w:footnoteRef").len(), 1, "the mark stands once");
    let link = all[2].one("w:hyperlink").attribute("r:id").to_owned();
    let rels = file.part("word/_rels/footnotes.xml.rels");
    let target = rels.all("Relationship").into_iter().find(|one| one.attribute("Id") == link).unwrap();
    assert_eq!(target.attribute("Target"), "https://example.org/n");
}

#[test]
fn the_separators_are_there_and_named_in_the_settings() {
    let file = File::markdown("x");
    let part = file.notes();
    let kinds: Vec<(&str, &str)> =
        part.all("w:footnote").iter().map(|one| (one.attribute("w:id"), one.attribute("w:type"))).collect();
    assert_eq!(kinds, [("-1", "separator"), ("0", "continuationSeparator")]);
    let settings = file.part("word/settings.xml");
    let named: Vec<&str> = settings.all("w:footnote").iter().map(|one| one.attribute("w:id")).collect();
    assert_eq!(named, ["-1", "0"]);
}

#[test]
fn a_footnote_that_nothing_marks_stands_at_the_end_and_a_mark_without_one_is_words() {
    let file = File::markdown("Text[^a] and [^none].\n\n[^a]: first, see [^b]\n\n[^b]: second\n");
    let words: Vec<String> = file.lines().into_iter().map(|(_, words)| words).collect();
    assert_eq!(words, ["Text and [^none].", "[b]", "second"]);
    assert_eq!(notes(&file), [("1".to_owned(), "first, see [b]".to_owned())]);
}

#[test]
fn a_footnote_may_hold_lists_code_and_tables() {
    let file =
        File::markdown("x[^a] y[^b]\n\n[^a]: - one\n    - two\n\n[^b]:\n    | a |\n    |---|\n    | b |\n");
    let part = file.notes();
    for one in part.all("w:footnote").into_iter().skip(2) {
        assert_eq!(one.all("w:footnoteRef").len(), 1);
        assert_eq!(one.children.last().map(|child| child.name.as_str()), Some("w:p"));
    }
    assert!(notes(&file)[0].1.contains("onetwo"));
}

#[test]
fn marks_that_lead_nowhere_are_refused() {
    let with = |runs: Vec<Run>, notes: Vec<Note>| {
        write(&WordDocument { blocks: vec![Block::text(runs)], notes, ..WordDocument::default() })
    };
    assert_eq!(with(vec![Run::note(0)], Vec::new()), Err(DocxError::NoSuchNote { index: 0, notes: 0 }));
    let inner = Note { blocks: vec![Block::text(vec![Run::note(1)])] };
    assert_eq!(
        with(vec![Run::note(0)], vec![inner, note("x")]),
        Err(DocxError::NoteOutsideText { index: 1 })
    );
}
