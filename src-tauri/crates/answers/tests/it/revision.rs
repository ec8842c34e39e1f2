//! Two versions as one with tracked changes: what a reader gets who accepts all of them, or rejects all.

use answers::{revised, to_html_of_pages};
use docx::{Block, Change, MarkdownOptions, Run, RunContent, WordDocument, from_markdown};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

fn document(markdown: &str) -> WordDocument {
    from_markdown(markdown, &MarkdownOptions::default())
}

/// The lines of a document without what `gone` did.
fn lines(document: &WordDocument, gone: Change) -> Vec<String> {
    let mut out = Vec::new();
    read(document, &document.blocks, gone, &mut out);
    out
}

fn read(document: &WordDocument, blocks: &[Block], gone: Change, out: &mut Vec<String>) {
    let line = |runs: &[Run], out: &mut Vec<String>| {
        let mut text = String::new();
        for run in runs.iter().filter(|run| run.change != Some(gone)) {
            match &run.content {
                RunContent::Text(words) => text.push_str(words),
                RunContent::Break => text.push('\n'),
                RunContent::NoteMark(index) | RunContent::NoteNumber(index) => {
                    let mut note = Vec::new();
                    read(document, &document.notes[*index].blocks, gone, &mut note);
                    text.push_str(&format!("[{}]", note.join(" ")));
                }
            }
        }
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if !text.is_empty() {
            out.push(text);
        }
    };
    for block in blocks {
        match block {
            Block::Heading { runs, .. } => line(runs, out),
            Block::Paragraph(paragraph) => line(&paragraph.runs, out),
            Block::List(list) => list.items.iter().for_each(|item| read(document, item, gone, out)),
            Block::Quote(inner) => read(document, inner, gone, out),
            Block::Changed(change, inner) if *change != gone => read(document, inner, gone, out),
            Block::Table(table) => {
                table.header.iter().for_each(|cell| line(&cell.runs, out));
                let rows = table.rows.iter().enumerate();
                rows.filter(|(at, _)| table.changes.get(at) != Some(&gone))
                    .for_each(|(_, row)| row.iter().for_each(|cell| line(&cell.runs, out)));
            }
            Block::Code(text) => out.push(text.trim().to_owned()),
            Block::Changed(..) | Block::Contents(_) | Block::Rule | Block::PageBreak => {}
        }
    }
}

fn assert_holds(old: &str, new: &str) {
    let (before, after) = (document(old), document(new));
    let both = revised(&before, &after);
    assert_eq!(lines(&both, Change::Deleted), lines(&after, Change::Deleted), "accepted: {old:?} to {new:?}");
    assert_eq!(
        lines(&both, Change::Inserted),
        lines(&before, Change::Inserted),
        "rejected: {old:?} to {new:?}"
    );
    docx::write(&both).unwrap();
    assert_eq!(
        revised(&after, &after),
        WordDocument { notes: [&*after.notes, &*after.notes].concat(), ..after }
    );
}

const OLD: &str = "# Memo\n\nThe fee is **$3 million** per year.[^1] It ends in May.\n\n## Risks\n\n- One risk\n- Another risk of the deal\n\n\
    | Item | Value |\n|---|--:|\n| Fee | 3 |\n| Term | 5 |\n\n> Quoted words of the lease.\n\nThe last paragraph goes.\n\n\
    [^1]: Agreement, page 4.\n";
const NEW: &str = "# Memo\n\nA new first paragraph.[^1]\n\nThe fee is **$4 million** per year.[^2] It ends in May.\n\n## Risks\n\n- One risk\n\
    - A third that is new\n- Another risk of this deal\n\n| Item | Value |\n|---|--:|\n| Fee | 4 |\n| Place | Ohio |\n| Term | 5 |\n\n\
    > Quoted words of the old lease.\n\n[^1]: Lease, page 1.\n[^2]: Agreement, page 4.\n";

#[test]
fn a_word_that_changed_is_a_deletion_and_an_insertion_and_the_rest_stays() {
    let both = revised(&document(OLD), &document(NEW));
    let Block::Paragraph(fee) = &both.blocks[1] else { panic!("{:?}", both.blocks[1]) };
    let shown: Vec<(String, Option<Change>)> = fee
        .runs
        .iter()
        .map(|run| match &run.content {
            RunContent::Text(text) => (text.clone(), run.change),
            other => (format!("{other:?}"), run.change),
        })
        .collect();
    let (gone, come) = (Some(Change::Deleted), Some(Change::Inserted));
    // The footnote is another by number, and the same by its words.
    let expected = [
        ("The fee is ", None),
        ("$3 ", gone),
        ("$4 ", come),
        ("million", None),
        (" per year.", None),
        ("NoteMark(1)", None),
        (" It ends in May.", None),
    ];
    assert_eq!(shown, expected.map(|(text, change)| (text.to_owned(), change)));
    assert!(matches!(&both.blocks[0], Block::Changed(Change::Inserted, _)));
    assert_holds(OLD, NEW);
    assert_holds(NEW, OLD);
}

#[test]
fn a_table_whose_rows_changed_is_one_table() {
    let both = revised(&document(OLD), &document(NEW));
    let tables: Vec<_> = both
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Table(table) => Some(table),
            _ => None,
        })
        .collect();
    assert_eq!(tables.len(), 1);
    assert_eq!(tables[0].rows.len(), 3);
    assert_eq!(tables[0].changes.clone().into_iter().collect::<Vec<_>>(), [(1, Change::Inserted)]);
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-d]{1,2}( [a-d]{1,2}){0,6}",
        "[a-d]( [a-d]){0,4}".prop_map(|text| format!("## {text}")),
        "[a-d]( [a-d]){0,4}".prop_map(|text| format!("- {text}\n- x {text}\n- y")),
        "[a-d]( [a-d]){0,3}".prop_map(|text| format!("| h | k |\n|---|---|\n| {text} | 1 |\n| q | {text} |")),
        "[a-d]( [a-d]){0,4}".prop_map(|text| format!("> {text}")),
        ("[a-d]( [a-d]){0,4}", 1..4_usize).prop_map(|(text, note)| format!("{text}[^{note}] z")),
        "[a-d]{1,3}".prop_map(|text| format!("```\n{text}\n```")),
    ]
}

fn text() -> impl Strategy<Value = String> {
    (proptest::collection::vec(line(), 0..8), proptest::array::uniform3("[a-c]{1,2}")).prop_map(
        |(lines, notes)| {
            let notes: String =
                notes.iter().enumerate().map(|(at, note)| format!("[^{}]: {note}\n", at + 1)).collect();
            format!("# T\n\n{}\n\n{notes}", lines.join("\n\n"))
        },
    )
}

proptest! {
    #[test]
    fn accepting_gives_the_new_version_and_rejecting_the_old_one(old in text(), new in text()) {
        assert_holds(&old, &new);
    }
}

#[test]
fn a_document_with_pages_is_an_html_page_with_its_footnotes_and_changes() {
    let html = to_html_of_pages(&revised(&document(OLD), &document(NEW))).unwrap();
    assert!(html.contains("<del><strong>$3 </strong></del><ins><strong>$4 </strong></ins>"), "{html}");
    assert!(html.contains("<sup><a id=\"mark-2\" href=\"#note-2\">2</a></sup>"), "{html}");
    assert!(html.contains("<li id=\"note-2\" dir=\"auto\"><p dir=\"auto\">Agreement, page 4.</p>"), "{html}");
    assert!(html.contains("<th scope=\"col\" style=\"text-align: right\" dir=\"auto\">Value</th>"), "{html}");
    assert!(html.contains("<ins>\n<p dir=\"auto\">A new first paragraph."), "{html}");
    let hostile = "# <b>T</b>\n\n<script>alert(1)</script> [x](javascript:alert(1)) \"q\"[^1]\n\n[^1]: <img src=x onerror=y>\n";
    let html = to_html_of_pages(&document(hostile)).unwrap();
    assert!(
        !html.contains("<script") && !html.contains("<img") && !html.contains("href=\"javascript"),
        "{html}"
    );
    assert_eq!(to_html_of_pages(&document(hostile)).unwrap(), html);
}

#[test]
fn file_names_in_a_table_may_be_broken_at_their_parts_and_nowhere_else() {
    let text = "# T\n\nSee msa_granite_manufacturing.pdf.\n\n| Document |\n|---|\n| msa_granite_manufacturing.pdf |\n";
    let html = to_html_of_pages(&document(text)).unwrap();
    assert!(html.contains("<p dir=\"auto\">See msa_granite_manufacturing.pdf.</p>"), "{html}");
    assert!(html.contains("msa_<wbr>granite_<wbr>manufacturing.pdf</td>"), "{html}");
}
