//! The parts of a file and how they hang together.

use std::collections::{BTreeMap, BTreeSet};

use docx::{Block, Contents, HeadingLevel, MarkdownOptions, Run, WordDocument, from_markdown};
use pretty_assertions::assert_eq;

use crate::support::{File, Node, SAMPLE};

fn full() -> File {
    let options = MarkdownOptions {
        contents: Some(Contents { heading: "Contents".into(), depth: HeadingLevel::Third, pages: vec![] }),
        footer: "A footer & more".into(),
        ..MarkdownOptions::default()
    };
    File::of(&from_markdown(SAMPLE, &options))
}

#[test]
fn a_file_has_these_entries_in_this_order() {
    let expected = [
        "[Content_Types].xml",
        "_rels/.rels",
        "docProps/core.xml",
        "docProps/app.xml",
        "word/document.xml",
        "word/_rels/document.xml.rels",
        "word/styles.xml",
        "word/numbering.xml",
        "word/settings.xml",
        "word/footnotes.xml",
        "word/_rels/footnotes.xml.rels",
        "word/header1.xml",
        "word/footer1.xml",
    ];
    assert_eq!(full().names, expected);
    assert_eq!(File::of(&WordDocument::default()).names, expected);
}

#[test]
fn every_part_is_well_formed() {
    let file = full();
    for name in &file.names {
        assert!(
            file.parts[name].starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<"),
            "{name}"
        );
        file.part(name);
    }
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    assert_eq!(full().bytes, full().bytes);
    let other = File::of(&WordDocument { title: "Other".into(), ..WordDocument::default() });
    assert_ne!(full().bytes, other.bytes);
}

#[test]
fn entries_have_one_fixed_time_and_system() {
    let bytes = full().bytes;
    // The central directory: signature, system, DOS time and date of 1980-01-01 00:00.
    let heads: Vec<&[u8]> = bytes.windows(16).filter(|window| window.starts_with(b"PK\x01\x02")).collect();
    assert_eq!(heads.len(), 13);
    for head in heads {
        assert_eq!(head[5], 3, "Unix");
        assert_eq!(&head[12..16], [0, 0, 0x21, 0]);
    }
}

#[test]
fn every_relationship_leads_to_a_part_and_every_id_to_a_relationship() {
    let file = full();
    for (rels, folder, user) in [
        ("_rels/.rels", "", None),
        ("word/_rels/document.xml.rels", "word/", Some("word/document.xml")),
        ("word/_rels/footnotes.xml.rels", "word/", Some("word/footnotes.xml")),
    ] {
        let mut ids = BTreeMap::new();
        for one in file.part(rels).all("Relationship") {
            let target = one.attribute("Target");
            let external = one.attributes.get("TargetMode").is_some_and(|mode| mode == "External");
            assert!(external || file.parts.contains_key(&format!("{folder}{target}")), "{target}");
            assert_eq!(external, one.attribute("Type").ends_with("/hyperlink"));
            assert!(ids.insert(one.attribute("Id").to_owned(), external).is_none(), "an id twice");
        }
        let Some(user) = user else { continue };
        let part = file.part(user);
        let mut used = BTreeSet::new();
        for name in ["w:hyperlink", "w:headerReference", "w:footerReference"] {
            for one in part.all(name) {
                if let Some(id) = one.attributes.get("r:id") {
                    assert!(ids.contains_key(id), "{id}");
                    used.insert(id.clone());
                }
            }
        }
        let unused = ids.iter().filter(|(id, external)| **external && !used.contains(*id)).count();
        assert_eq!(unused, 0, "links that nothing uses");
    }
}

#[test]
fn every_part_has_a_content_type() {
    let file = full();
    let types = file.part("[Content_Types].xml");
    let named: Vec<&str> = types.all("Override").iter().map(|one| one.attribute("PartName")).collect();
    for name in file.names.iter().filter(|name| name.ends_with(".xml") && !name.starts_with('[')) {
        assert!(named.contains(&format!("/{name}").as_str()), "{name}");
    }
    assert_eq!(named.len(), 9);
}

#[test]
fn every_style_numbering_bookmark_and_footnote_that_is_named_exists() {
    let file = full();
    let styles = file.part("word/styles.xml");
    let ids: BTreeSet<&str> = styles.all("w:style").iter().map(|one| one.attribute("w:styleId")).collect();
    assert_eq!(ids.len(), styles.all("w:style").len(), "a style twice");
    for name in ["w:basedOn", "w:next"] {
        for one in styles.all(name) {
            assert!(ids.contains(one.attribute("w:val")), "{one:?}");
        }
    }
    let numbering = file.part("word/numbering.xml");
    let numbers: BTreeSet<&str> = numbering.all("w:num").iter().map(|one| one.attribute("w:numId")).collect();
    let text = file.text();
    let notes = file.notes();
    let header = file.part("word/header1.xml");
    let footer = file.part("word/footer1.xml");
    for part in [&text, &notes, &header, &footer] {
        for name in ["w:pStyle", "w:rStyle", "w:tblStyle"] {
            for one in part.all(name) {
                assert!(ids.contains(one.attribute("w:val")), "{one:?}");
            }
        }
        for one in part.all("w:numId") {
            assert!(numbers.contains(one.attribute("w:val")), "{one:?}");
        }
    }
    let starts = text.all("w:bookmarkStart");
    let names: BTreeSet<&str> = starts.iter().map(|one| one.attribute("w:name")).collect();
    let marks: BTreeSet<&str> = starts.iter().map(|one| one.attribute("w:id")).collect();
    let ends: Vec<&str> = text.all("w:bookmarkEnd").iter().map(|one| one.attribute("w:id")).collect();
    assert_eq!((names.len(), marks.len()), (starts.len(), starts.len()));
    assert!(ends.len() == starts.len() && ends.iter().all(|id| marks.contains(id)));
    assert!(names.iter().all(|name| name.len() <= 40));
    for part in [&text, &notes] {
        for one in part.all("w:hyperlink") {
            if let Some(anchor) = one.attributes.get("w:anchor") {
                assert!(names.contains(anchor.as_str()), "{anchor}");
            }
        }
        for one in part.all("w:instrText") {
            let words: Vec<&str> = one.text.split_whitespace().collect();
            assert!(words[0] != "NOTEREF" || names.contains(words[1]), "{words:?}");
        }
    }
    let known: BTreeSet<&str> = notes.all("w:footnote").iter().map(|one| one.attribute("w:id")).collect();
    assert!(known.contains("-1") && known.contains("0"));
    for one in text.all("w:footnoteReference") {
        assert!(known.contains(one.attribute("w:id")));
    }
}

/// The order in which the schema has the properties that are written.
const PARAGRAPH_ORDER: [&str; 13] = [
    "w:pStyle",
    "w:keepNext",
    "w:keepLines",
    "w:widowControl",
    "w:numPr",
    "w:pBdr",
    "w:shd",
    "w:tabs",
    "w:bidi",
    "w:spacing",
    "w:ind",
    "w:jc",
    "w:outlineLvl",
];
const RUN_ORDER: [&str; 15] = [
    "w:rStyle",
    "w:rFonts",
    "w:b",
    "w:bCs",
    "w:i",
    "w:iCs",
    "w:strike",
    "w:noProof",
    "w:color",
    "w:sz",
    "w:szCs",
    "w:u",
    "w:shd",
    "w:vertAlign",
    "w:rtl",
];

fn assert_in_order(node: &Node, order: &[&str]) {
    let places: Vec<usize> = node
        .children
        .iter()
        .filter(|child| child.name != "w:lang")
        .map(|child| {
            order.iter().position(|name| *name == child.name).unwrap_or_else(|| panic!("{}", child.name))
        })
        .collect();
    assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{node:?}");
}

#[test]
fn properties_stand_in_the_order_of_the_schema() {
    let mut file = full();
    let hebrew = "> 1. \u{5d0}\u{5d1} [**`x`**](http://a.example)\n\n| \u{5d0} |\n|:-:|\n| ~~***`y`***~~ |\n";
    file.parts.insert("hebrew".into(), File::markdown(hebrew).parts.remove("word/document.xml").unwrap());
    for name in [
        "hebrew",
        "word/document.xml",
        "word/footnotes.xml",
        "word/styles.xml",
        "word/header1.xml",
        "word/footer1.xml",
    ] {
        let part = file.part(name);
        part.all("w:pPr").into_iter().for_each(|node| assert_in_order(node, &PARAGRAPH_ORDER));
        part.all("w:rPr").into_iter().for_each(|node| assert_in_order(node, &RUN_ORDER));
    }
}

#[test]
fn the_head_has_the_title_and_the_foot_the_page_of_all_pages() {
    let file = full();
    assert_eq!(file.part("word/header1.xml").words(), "How rules change");
    let footer = file.part("word/footer1.xml");
    assert_eq!(footer.words(), "A footer & more\tPage 1 of 1");
    let fields: Vec<&str> = footer.all("w:instrText").iter().map(|one| one.text.trim()).collect();
    assert_eq!(fields, ["PAGE", "NUMPAGES"]);
    let page = file.text();
    let size = page.one("w:pgSz");
    assert_eq!((size.attribute("w:w"), size.attribute("w:h")), ("11906", "16838"));
    assert_eq!(page.all("w:titlePg").len(), 1);
}

#[test]
fn a_marking_stands_at_the_head_of_the_first_page_too() {
    let marking = "Confidential".to_owned();
    let file =
        File::of(&WordDocument { title: "T".into(), header: "T".into(), marking, ..WordDocument::default() });
    assert_eq!(file.part("word/header1.xml").words(), "Confidential \u{b7} T");
    assert!(file.text().all("w:titlePg").is_empty());
}

#[test]
fn contents_list_the_headings_as_links_and_are_computed_on_opening() {
    let file = full();
    let text = file.text();
    let contents = text.one("w:sdt");
    let links: Vec<(String, String)> = contents
        .all("w:hyperlink")
        .iter()
        .map(|one| (one.words(), one.attribute("w:anchor").to_owned()))
        .collect();
    assert_eq!(
        links,
        [("Kinds".to_owned(), "_Toc00000001".to_owned()), ("Table".to_owned(), "_Toc00000002".to_owned())]
    );
    assert_eq!(contents.one("w:instrText").text, " TOC \\o \"1-3\" \\h \\z \\u ");
    assert_eq!(file.part("word/settings.xml").value("w:updateFields"), Some("true"));
    let styles: Vec<&str> = contents.all("w:p").iter().filter_map(|one| one.value("w:pStyle")).collect();
    assert_eq!(styles, ["TOCHeading", "TOC1", "TOC2"]);
}

#[test]
fn contents_show_the_pages_of_a_layout_until_they_are_computed() {
    let document = |pages: Vec<usize>| {
        let contents = Some(Contents { heading: "Contents".into(), depth: HeadingLevel::Third, pages });
        from_markdown(SAMPLE, &MarkdownOptions { contents, ..MarkdownOptions::default() })
    };
    let shown = |pages: &[usize]| -> Vec<String> {
        let text = File::of(&document(pages.to_vec())).text();
        text.one("w:sdt").all("w:hyperlink").iter().map(|one| one.words()).collect()
    };
    assert_eq!(shown(&[3, 14]), ["Kinds\t3", "Table\t14"]);
    assert_eq!(shown(&[3]), ["Kinds", "Table"], "pages of another text");
    let text = File::of(&document(vec![3, 14])).text();
    let fields: Vec<String> =
        text.one("w:sdt").all("w:instrText").iter().map(|one| one.text.trim().to_owned()).collect();
    assert_eq!(fields[1..], ["PAGEREF _Toc00000001 \\h", "PAGEREF _Toc00000002 \\h"]);
}

#[test]
fn without_contents_no_question_is_asked_on_opening() {
    assert!(!File::markdown(SAMPLE).parts["word/settings.xml"].contains("updateFields"));
}

#[test]
fn contents_of_a_text_without_headings_are_left_out() {
    let document = WordDocument {
        blocks: vec![
            Block::Contents(Contents { heading: "Contents".into(), ..Contents::default() }),
            Block::text(vec![Run::text("x")]),
        ],
        ..WordDocument::default()
    };
    assert!(File::of(&document).text().all("w:sdt").is_empty());
}

#[test]
fn a_date_is_written_only_where_it_is_given() {
    let mut document = WordDocument { title: "T".into(), ..WordDocument::default() };
    assert!(!File::of(&document).parts["docProps/core.xml"].contains("dcterms:created"));
    document.created = Some("2026-11-26T09:30:00Z".into());
    assert_eq!(
        File::of(&document).part("docProps/core.xml").one("dcterms:created").text,
        "2026-11-26T09:30:00Z"
    );
}

#[test]
fn headings_stay_with_their_text_and_single_lines_are_not_left_alone() {
    let styles = full().part("word/styles.xml");
    assert_eq!(styles.one("w:pPrDefault").all("w:widowControl").len(), 1);
    for level in 1..=4 {
        let id = format!("Heading{level}");
        let all = styles.all("w:style");
        let style = all.iter().find(|one| one.attribute("w:styleId") == id).unwrap();
        assert_eq!(style.all("w:keepNext").len(), 1);
        assert_eq!(style.value("w:outlineLvl"), Some((level - 1).to_string().as_str()));
    }
}
