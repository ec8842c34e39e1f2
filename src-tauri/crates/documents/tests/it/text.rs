//! Plain text.

use std::sync::atomic::AtomicBool;

use documents::{BlockKind, Document, Format, Limits, ReadError};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn read(text: &str) -> Document {
    documents::read_bytes(text.as_bytes(), Format::Text, &Limits::default(), &AtomicBool::new(false)).unwrap()
}

fn shape(document: &Document) -> Vec<(BlockKind, Option<&str>, &str)> {
    document.blocks.iter().map(|block| (block.kind, block.label.as_deref(), block.text.as_str())).collect()
}

use BlockKind::{Footnote, Heading, Item, Paragraph, Preformatted, Table, Term};

#[test]
fn a_manual_gives_headings_items_examples_and_tables() {
    let document = read(
        "Keeper's Manual\n***************\n\nFirst words\nof it.\n\n1. Scope\n========\n\n1.1. Lamps\n----------\n\n\
         4.12 Materiality is a matter.\n\n* a lamp that\n  burns\n\n  * an inner one\n\n(a) the first\n\n(b) the second\n\n\
         [1] A note.\n\nlog\n   The book of a keeper.\n\nLike this:\n\n   light --on\n   log   --now\n\n+-----+-----+\n| a   | b   |\n+=====+=====+\n| 1   | 2   |\n+-----+-----+\n",
    );
    assert_eq!(document.title.as_deref(), Some("Keeper's Manual"));
    assert_eq!(
        shape(&document),
        [
            (Paragraph, None, "First words of it."),
            (Heading(1), Some("1"), "Scope"),
            (Heading(2), Some("1.1"), "Lamps"),
            (Paragraph, Some("4.12"), "Materiality is a matter."),
            (Item(1), None, "a lamp that burns"),
            (Item(2), None, "an inner one"),
            (Item(1), Some("(a)"), "the first"),
            (Item(1), Some("(b)"), "the second"),
            (Footnote, Some("[1]"), "A note."),
            (Term, None, "log"),
            (Paragraph, None, "The book of a keeper."),
            (Paragraph, None, "Like this:"),
            (Preformatted, None, "light --on\nlog   --now"),
            (Table, None, "a | b\n1 | 2"),
        ]
    );
    assert_eq!(document.blocks[1].place.line, Some(7));
}

#[test]
fn printed_pages_lose_their_frames_and_paragraphs_run_on_over_them() {
    let document = read(
        "Abstract\n\n   This memo tells of lamps\n   and of those who\n\n\n\nKeeper                  Informational                     [Page 1]\n\x0c\n\
         Memo 7                    Lamps                     March 2099\n\n\n   light them every night.\n\n1.  Introduction\n\n   Ships need light.\n   They need it at night.\n\n2.1.  Terms\n\n   A keeper keeps.\n",
    );
    assert_eq!(
        shape(&document),
        [
            (Heading(1), None, "Abstract"),
            (Paragraph, None, "This memo tells of lamps and of those who light them every night."),
            (Heading(1), Some("1"), "Introduction"),
            (Paragraph, None, "Ships need light. They need it at night."),
            (Heading(2), Some("2.1"), "Terms"),
            (Paragraph, None, "A keeper keeps."),
        ]
    );
}

#[test]
fn text_that_is_not_utf_8_is_read_with_a_note() {
    let read = |bytes: &[u8]| {
        documents::read_bytes(bytes, Format::Text, &Limits::default(), &AtomicBool::new(false))
    };
    let document = read(b"plain\n\ncaf\xe9\n").unwrap();
    assert_eq!(document.blocks[1].text, "café");
    assert!(document.notes[0].what.starts_with("charset guessed: windows-1252 (not UTF-8 from line 3 on)"));
    let document =
        read("é é é \u{200b}".as_bytes().iter().copied().chain([0xff]).collect::<Vec<_>>().as_slice())
            .unwrap();
    assert_eq!(document.blocks[0].text, "é é é \u{fffd}");
    assert!(matches!(read(b"a\0b"), Err(ReadError::Malformed { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_block_is_a_stretch_of_the_text(text in "[ a-c1-2.()*=+|\\-\\n\\x0c]{0,200}") {
        let document = read(&text);
        prop_assert_eq!(&document, &read(&text));
        let squeeze = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let source = squeeze(&text);
        for block in &document.blocks {
            prop_assert!(source.contains(&squeeze(&block.text)), "{:?}", block.text);
        }
    }
}
