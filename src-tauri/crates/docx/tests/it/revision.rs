//! Tracked changes as Word reads them.

use docx::{Block, Cell, Change, Note, Run, RunContent, Table, WordDocument};
use pretty_assertions::assert_eq;

use crate::support::{File, Node};

fn changed(run: Run, change: Change) -> Run {
    Run { change: Some(change), ..run }
}

fn all<'n>(node: &'n Node, name: &str, out: &mut Vec<&'n Node>) {
    if node.name == name {
        out.push(node);
    }
    node.children.iter().for_each(|child| all(child, name, out));
}

fn found<'n>(node: &'n Node, name: &str) -> Vec<&'n Node> {
    let mut out = Vec::new();
    all(node, name, &mut out);
    out
}

fn sample() -> WordDocument {
    let line = vec![
        Run::text("The fee is "),
        changed(Run::text("$3"), Change::Deleted),
        changed(Run::note(1), Change::Deleted),
        changed(Run::note(1), Change::Deleted),
        changed(Run::text("$4"), Change::Inserted),
        changed(Run::note(0), Change::Inserted),
    ];
    let rows = vec![vec![Cell::text("gone")], vec![Cell::text("stays")]];
    let note = |text: &str| Note { blocks: vec![Block::text(vec![Run::text(text)])] };
    WordDocument {
        blocks: vec![
            Block::text(line),
            Block::Changed(Change::Deleted, vec![Block::text(vec![Run::text("old paragraph")])]),
            Block::Changed(Change::Inserted, vec![Block::Code("new\ncode".to_owned())]),
            Block::Table(Table { rows, changes: [(0, Change::Deleted)].into(), ..Table::default() }),
        ],
        notes: vec![note("new note"), note("old note")],
        ..WordDocument::default()
    }
}

#[test]
fn what_a_revision_took_out_stands_in_elements_that_go_when_it_is_accepted() {
    let file = File::of(&sample());
    let text = file.part("word/document.xml");
    let gone: String = found(&text, "w:delText").iter().map(|node| node.text.as_str()).collect();
    assert_eq!(gone, "$31old paragraphgone");
    for change in found(&text, "w:del") {
        assert_eq!(found(change, "w:t"), Vec::<&Node>::new());
        assert_eq!(found(change, "w:fldChar"), Vec::<&Node>::new());
    }
    let come: String = found(&text, "w:ins")
        .iter()
        .flat_map(|node| found(node, "w:t"))
        .map(|node| node.text.as_str())
        .collect();
    assert_eq!(come, "$4newcode");
    // Both footnotes are there, one of them within a deletion.
    assert_eq!(found(&text, "w:footnoteReference").len(), 2);
    let mut ids: Vec<_> = ["w:ins", "w:del", "w:bookmarkStart"]
        .iter()
        .flat_map(|name| found(&text, name))
        .filter_map(|node| node.attributes.get("w:id"))
        .collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count);
}

#[test]
fn the_end_of_a_paragraph_and_a_row_that_changed_are_marked_too() {
    let file = File::of(&sample());
    let text = file.part("word/document.xml");
    let marks = |name: &str, inside: &str| -> usize {
        found(&text, name).iter().map(|node| found(node, inside).len()).sum()
    };
    assert_eq!(marks("w:pPr", "w:del"), 1);
    assert_eq!(marks("w:pPr", "w:ins"), 1);
    assert_eq!(marks("w:trPr", "w:del"), 1);
}

#[test]
fn a_number_of_a_footnote_in_a_deletion_is_words() {
    let number = Run { content: RunContent::NoteNumber(0), ..Run::text("") };
    let blocks = vec![Block::text(vec![Run::note(0), changed(number, Change::Deleted)])];
    let notes = vec![Note { blocks: vec![Block::text(vec![Run::text("note")])] }];
    let file = File::of(&WordDocument { blocks, notes, ..WordDocument::default() });
    let text = file.part("word/document.xml");
    assert_eq!(found(&text, "w:delText")[0].text, "1");
}
