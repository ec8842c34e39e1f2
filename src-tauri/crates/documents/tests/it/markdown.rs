//! Markdown.

use std::sync::atomic::AtomicBool;

use documents::{BlockKind, Document, Format, Limits, ReadError};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn read(text: &str) -> Document {
    documents::read_bytes(text.as_bytes(), Format::Markdown, &Limits::default(), &AtomicBool::new(false))
        .unwrap()
}

#[test]
fn headings_lists_code_and_tables_become_blocks_with_lines() {
    use BlockKind::{Heading, Item, Paragraph, Preformatted, Quote, Table};
    let document = read(
        "---\ntitle: front\n---\n# Manual\n\n## 4.2 Scope\n\n**4.12** Materiality is\na *matter* of judgment.\n\n\
         1. one\n   - inner\n2. two\n\n```sh\nmake  all\n```\n\n> Said so.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    );
    let shape: Vec<_> = document
        .blocks
        .iter()
        .map(|block| (block.kind, block.label.as_deref(), block.text.as_str(), block.place.line.unwrap()))
        .collect();
    assert_eq!(document.title.as_deref(), Some("Manual"));
    assert_eq!(
        shape,
        [
            (Preformatted, None, "title: front", 1),
            (Heading(1), None, "Manual", 4),
            (Heading(2), Some("4.2"), "Scope", 6),
            (Paragraph, Some("4.12"), "Materiality is a matter of judgment.", 8),
            (Item(1), Some("1"), "one", 11),
            (Item(2), None, "inner", 12),
            (Item(1), Some("2"), "two", 13),
            (Preformatted, None, "make  all", 15),
            (Quote, None, "Said so.", 19),
            (Table, None, "a | b\n1 | 2", 21),
        ]
    );
    assert_eq!(document.blocks[2].anchor.as_deref(), Some("42-scope"));
}

#[test]
fn html_inside_of_it_hides_what_a_browser_hides() {
    let document = read(
        "Before.\n\n<div hidden>\n\nSECRET words.\n\n</div>\n\nAfter <span hidden>SECRET</span>all.\n\n<!-- SECRET -->\n",
    );
    let texts: Vec<_> = document.blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(texts, ["Before.", "After all."]);
}

#[test]
fn a_file_with_a_nul_byte_is_no_text() {
    let done = documents::read_bytes(b"a\0b", Format::Markdown, &Limits::default(), &AtomicBool::new(false));
    assert!(matches!(done, Err(ReadError::Malformed { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_read_without_a_panic_and_the_same_way_twice(text in "[ #*>|`\\-_\\[\\]()<a-c1-3.\\n\\t]{0,200}") {
        let read = || documents::read_bytes(text.as_bytes(), Format::Markdown, &Limits::default(), &AtomicBool::new(false));
        prop_assert_eq!(read(), read());
    }
}

#[test]
fn struck_words_are_no_text_and_boxes_are_shown() {
    let document = read(
        "The supplier shall ~~not~~ tell. The fee is ~80~ 70.\n\n- [x] Counted\n- [ ] Signed\n\n| a | b |\n|---|---|\n| ~~old~~ new | 10<sup>6</sup> |\n",
    );
    let texts: Vec<_> = document.blocks.iter().map(|block| block.text.as_str()).collect();
    assert_eq!(
        texts,
        ["The supplier shall tell. The fee is 70.", "☑ Counted", "☐ Signed", "a | b\nnew | 10⁶"]
    );
    let struck: Vec<_> = document.blocks[0].struck.iter().map(|one| (one.at, one.text.as_str())).collect();
    assert_eq!(struck, [(19, "not"), (36, "80")]);
    assert_eq!(document.notes[0].what, "3 stretches of struck-out text are no part of the text");
}
