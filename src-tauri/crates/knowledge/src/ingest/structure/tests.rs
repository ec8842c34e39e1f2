use documents::BlockPosition;
use pretty_assertions::assert_eq;

use super::*;
use crate::rules::Rules;

fn block(kind: BlockKind, text: &str) -> Block {
    Block::new(kind, text.into(), BlockPosition::default())
}

/// The id, the headings and the text of each paragraph.
fn read(blocks: Vec<Block>) -> Vec<(String, String, String)> {
    let rules = Rules::load(std::path::Path::new("none")).unwrap();
    let document = Document { blocks, ..Document::default() };
    paragraphs(&document, Format::Markdown, "fees", rules.named("plain").unwrap())
        .into_iter()
        .map(|draft| (draft.paragraph.id, draft.paragraph.path.join(" > "), draft.paragraph.text))
        .collect()
}

fn texts(blocks: Vec<Block>) -> Vec<(String, String)> {
    read(blocks).into_iter().map(|(_, path, text)| (path, text)).collect()
}

#[test]
fn a_heading_with_nothing_below_it_is_a_paragraph() {
    use BlockKind::{Heading, Paragraph};
    let found = texts(vec![
        block(Heading(1), "Fees"),
        block(Heading(2), "No fee is due in August"),
        block(Heading(2), "Tax"),
        block(Paragraph, "The fee is net."),
        block(Heading(3), "Never in May"),
        block(Heading(1), "Terms"),
        block(Heading(2), "All else is free"),
    ]);
    let pair = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    assert_eq!(
        found,
        [
            pair("Fees", "No fee is due in August"),
            pair("Fees > Tax", "The fee is net."),
            pair("Fees > Tax", "Never in May"),
            pair("Terms", "All else is free"),
        ]
    );
}

#[test]
fn an_anchor_of_a_bare_heading_is_its_own() {
    let heading =
        |text: &str| Block { anchor: Some(text.to_lowercase()), ..block(BlockKind::Heading(1), text) };
    let rules = Rules::load(std::path::Path::new("none")).unwrap();
    let blocks = vec![heading("One"), heading("Two"), block(BlockKind::Paragraph, "Text.")];
    let document = Document { blocks, ..Document::default() };
    let found = paragraphs(&document, Format::Markdown, "fees", rules.named("plain").unwrap());
    let anchors: Vec<_> = found.into_iter().map(|draft| draft.anchors).collect();
    assert_eq!(anchors, [["one"], ["two"]]);
}

#[test]
fn a_remark_shifts_no_number_of_a_footnote_or_paragraph() {
    use BlockKind::{Footnote, Paragraph, Remark};
    let blocks = |with_remarks: bool| {
        let all = [
            (Paragraph, "First."),
            (Remark, "Comment (Ada): why?"),
            (Paragraph, "Second."),
            (Remark, "Header: Acme"),
            (Footnote, "A note."),
            (Footnote, "Another note."),
        ];
        let kept = all.into_iter().filter(|(kind, _)| with_remarks || *kind != Remark);
        kept.map(|(kind, text)| block(kind, text)).collect::<Vec<_>>()
    };
    let mut with = read(blocks(true));
    with.retain(|(id, _, _)| !id.contains("remark"));
    assert_eq!(with, read(blocks(false)));
    assert_eq!(with.len(), 4);
}
