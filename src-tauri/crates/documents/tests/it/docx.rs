//! Office Open XML text: what the reader makes of documents put together here.

use std::io::{Cursor, Write};
use std::sync::atomic::AtomicBool;

use documents::{BlockKind, Document, Format, Limits, ReadError};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::read;

const STYLES: &str = r#"<w:styles>
<w:style w:type="paragraph" w:default="1" w:styleId="Standard"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:basedOn w:val="Standard"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/><w:basedOn w:val="berschrift1"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="berschrift2"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
<w:style w:type="character" w:styleId="Secret"><w:name w:val="Secret"/><w:rPr><w:vanish/></w:rPr></w:style>
</w:styles>"#;

const NUMBERING: &str = r#"<w:numbering>
<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="berschrift1"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2."/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%1)"/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="3"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="%2)"/></w:lvl>
<w:lvl w:ilvl="2"><w:numFmt w:val="bullet"/><w:lvlText w:val="-"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="8"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="26"/></w:lvlOverride></w:num>
</w:numbering>"#;

pub(crate) fn packed(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn document(body: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"w\"><w:body>{body}<w:sectPr/></w:body></w:document>"
    )
}

fn docx(body: &str) -> Vec<u8> {
    packed(&[
        ("word/document.xml", &document(body)),
        ("word/styles.xml", STYLES),
        ("word/numbering.xml", NUMBERING),
        (
            "word/_rels/document.xml.rels",
            r#"<Relationships><Relationship Id="rId9" Type="x/hyperlink" Target="https://example.org/tea" TargetMode="External"/></Relationships>"#,
        ),
        (
            "word/footnotes.xml",
            r#"<w:footnotes><w:footnote w:id="0" w:type="separator"><w:p/></w:footnote><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote></w:footnotes>"#,
        ),
        ("docProps/core.xml", r#"<cp:coreProperties><dc:title>Tea, a manual</dc:title></cp:coreProperties>"#),
    ])
}

fn document_of(body: &str) -> Document {
    read(&docx(body), Format::Docx).unwrap()
}

fn p(style: &str, text: &str) -> String {
    format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
}

fn li(list: u32, level: u32, text: &str) -> String {
    format!(
        "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"
    )
}

fn shown(document: &Document) -> Vec<(BlockKind, Option<&str>, &str)> {
    document.blocks.iter().map(|block| (block.kind, block.label.as_deref(), block.text.as_str())).collect()
}

fn texts(document: &Document) -> Vec<&str> {
    document.blocks.iter().map(|block| block.text.as_str()).collect()
}

#[test]
fn headings_have_levels_and_numbers_by_their_styles() {
    use BlockKind::{Heading, Paragraph};
    let body = [
        p("Titel", "Tea"),
        p("berschrift1", "Leaves"),
        p("berschrift2", "Green"),
        p("Own", "Black"),
        p("berschrift1", "Water"),
        p("berschrift2", "Hot"),
        p("Loop", "Words"),
        p("Heading3", "Of an undefined style"),
    ];
    let document = document_of(&body.concat());
    assert_eq!(document.title.as_deref(), Some("Tea, a manual"));
    assert_eq!(
        shown(&document),
        [
            (Heading(1), None, "Tea"),
            (Heading(1), Some("1"), "Leaves"),
            (Heading(2), Some("1.1"), "Green"),
            (Heading(2), Some("1.2"), "Black"),
            (Heading(1), Some("2"), "Water"),
            (Heading(2), Some("2.1"), "Hot"),
            (Paragraph, None, "Words"),
            (Heading(3), None, "Of an undefined style"),
        ]
    );
}

#[test]
fn lists_count_restart_and_override_their_start() {
    use BlockKind::Item;
    let body = [
        li(2, 0, "one"),
        li(2, 1, "deeper"),
        li(2, 1, "deeper again"),
        li(2, 0, "two"),
        li(2, 1, "anew"),
        li(2, 2, "a bullet"),
        li(3, 0, "from z"),
        li(3, 0, "beyond z"),
        li(9, 0, "of no list"),
    ];
    assert_eq!(
        shown(&document_of(&body.concat())),
        [
            (Item(1), Some("(a)"), "one"),
            (Item(2), Some("iii)"), "deeper"),
            (Item(2), Some("iv)"), "deeper again"),
            (Item(1), Some("(b)"), "two"),
            (Item(2), Some("iii)"), "anew"),
            (Item(3), None, "a bullet"),
            (Item(1), Some("(z)"), "from z"),
            (Item(1), Some("(aa)"), "beyond z"),
            (BlockKind::Paragraph, None, "of no list"),
        ]
    );
}

#[test]
fn tables_have_a_line_for_each_row_and_keep_their_columns() {
    let cell = |properties: &str, text: &str| {
        format!("<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>")
    };
    let row = |cells: &[String]| format!("<w:tr>{}</w:tr>", cells.concat());
    let nested = format!("<w:tc><w:tbl>{}</w:tbl><w:p/></w:tc>", row(&[cell("", "in"), cell("", "side")]));
    let table = [
        row(&[cell("<w:gridSpan w:val=\"2\"/>", "Wide"), cell("", "C")]),
        row(&[cell("<w:vMerge w:val=\"restart\"/>", "Tall"), cell("", "b"), nested]),
        row(&[cell("<w:vMerge/>", "Tall"), cell("", "d"), cell("", "")]),
        "<w:tr><w:trPr><w:del w:id=\"1\"/></w:trPr><w:tc><w:p><w:r><w:t>gone</w:t></w:r></w:p></w:tc></w:tr>"
            .into(),
    ];
    let document = document_of(&format!("<w:tbl>{}</w:tbl>", table.concat()));
    assert_eq!(shown(&document), [(BlockKind::Table, None, "Wide |  | C\nTall | b | in side\n | d")]);
    assert_eq!(document.notes.len(), 1);
    let frame = format!("<w:tbl>{}</w:tbl>", row(&[cell("", "Framed")]));
    assert_eq!(shown(&document_of(&frame)), [(BlockKind::Paragraph, None, "Framed")]);
}

#[test]
fn deleted_hidden_and_commented_text_is_left_out_with_a_note() {
    let document = document_of(
        "<w:p><w:r><w:t>Kept</w:t></w:r><w:ins><w:r><w:t xml:space=\"preserve\"> and added</w:t></w:r></w:ins>\
        <w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>\
        <w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:rPr><w:rStyle w:val=\"Secret\"/></w:rPr><w:t>secret</w:t></w:r>\
        <w:r><w:rPr><w:vanish w:val=\"0\"/></w:rPr><w:t>, shown</w:t></w:r><w:r><w:commentReference w:id=\"1\"/></w:r></w:p>",
    );
    assert_eq!(texts(&document), ["Kept and added, shown"]);
    let notes: Vec<&str> = document.notes.iter().map(|note| note.what.as_str()).collect();
    assert_eq!(
        notes,
        [
            "tracked changes: 1 deleted or moved stretch left out, insertions kept",
            "2 stretches of hidden text left out"
        ]
    );
}

#[test]
fn links_bookmarks_and_notes_lead_to_their_blocks() {
    let document = document_of(
        "<w:p><w:bookmarkStart w:id=\"1\" w:name=\"_Ref1\"/><w:bookmarkStart w:id=\"2\" w:name=\"tea\"/>\
        <w:r><w:t>See </w:t></w:r><w:hyperlink r:id=\"rId9\"><w:r><w:t>the page</w:t></w:r></w:hyperlink>\
        <w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>\
        <w:p><w:r><w:t>As in </w:t></w:r><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> REF tea \\h </w:instrText></w:r>\
        <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>above</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:r><w:t>.</w:t></w:r></w:p>",
    );
    assert_eq!(texts(&document), ["See the page", "As in above.", "A note."]);
    let links = |block: usize| -> Vec<(&str, &str)> {
        document.blocks[block].links.iter().map(|link| (link.text.as_str(), link.target.as_str())).collect()
    };
    assert_eq!(document.blocks[0].anchor.as_deref(), Some("_Ref1"));
    assert_eq!(links(0), [("the page", "https://example.org/tea"), ("1", "#footnote-1")]);
    assert_eq!(links(1), [("above", "#_Ref1")]);
    let note = &document.blocks[2];
    assert_eq!(
        (note.kind, note.label.as_deref(), note.anchor.as_deref()),
        (BlockKind::Footnote, Some("1"), Some("footnote-1"))
    );
}

#[test]
fn a_table_of_contents_is_left_out() {
    let field = "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> TOC \\o </w:instrText></w:r>\
        <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>Leaves 3</w:t></w:r></w:p>\
        <w:p><w:r><w:t>Water 4</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>";
    let control = "<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val=\"Table of Contents\"/></w:docPartObj></w:sdtPr>\
        <w:sdtContent><w:p><w:r><w:t>Listed 1</w:t></w:r></w:p></w:sdtContent></w:sdt>";
    let document = document_of(&[field, control, &p("TOC1", "Styled 2"), &p("Standard", "Words")].concat());
    assert_eq!(texts(&document), ["Words"]);
    let note = &document.notes[0];
    assert_eq!((note.what.as_str(), note.minor), ("the table of contents was left out", true));
}

#[test]
fn text_boxes_are_read_once_and_pages_counted() {
    let document = document_of(
        "<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r></w:p></w:txbxContent></wps:txbx></w:drawing></mc:Choice>\
        <mc:Fallback><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>\
        <w:r><w:t>Co</w:t><w:softHyphen/><w:t>op</w:t><w:noBreakHyphen/><w:t>erate</w:t><w:tab/><w:t>now</w:t><w:br/><w:t>Next</w:t></w:r></w:p>\
        <w:p><w:r><w:lastRenderedPageBreak/><w:t>Second page</w:t></w:r></w:p>",
    );
    assert_eq!(texts(&document), ["Coop-erate now\nNext", "Boxed", "Second page"]);
    let pages: Vec<_> = document.blocks.iter().map(|block| block.place.page).collect();
    assert_eq!((pages, document.pages), (vec![Some(1), Some(1), Some(2)], Some(2)));
}

#[test]
fn other_containers_are_told_apart() {
    let mut compound = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    let old = read(&compound, Format::Docx).unwrap_err();
    assert!(old.to_string().contains("save it as .docx"), "{old}");
    compound.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(read(&compound, Format::Docx), Err(ReadError::Encrypted));
    assert!(matches!(read(b"words", Format::Docx), Err(ReadError::Malformed { .. })));
    assert!(matches!(read(&packed(&[("a", "b")]), Format::Docx), Err(ReadError::Malformed { .. })));
}

#[test]
fn bombs_entities_and_deep_nesting_are_refused() {
    let bounded = |bytes: &[u8], limits: &Limits| {
        documents::read_bytes(bytes, Format::Docx, limits, &AtomicBool::new(false))
    };
    let bomb = docx(&p("Standard", &" ".repeat(4 << 20)));
    assert!(bomb.len() < 64 << 10);
    let limits = Limits { unfolded_bytes: 1 << 20, ..Limits::default() };
    assert!(matches!(bounded(&bomb, &limits), Err(ReadError::TooLarge { limit: 0x0010_0000, .. })));
    let entity = packed(&[("word/document.xml", "<!DOCTYPE d [<!ENTITY a 'b'>]><w:document/>")]);
    assert!(matches!(read(&entity, Format::Docx), Err(ReadError::Malformed { .. })));
    for element in ["<w:tbl><w:tr><w:tc>", "<w:sdt>", "<w:p><w:r><w:drawing><w:txbxContent>", "<w:p><w:ins>"]
    {
        let deep = docx(&element.repeat(50_000));
        assert!(matches!(bounded(&deep, &Limits::default()), Err(ReadError::TooLarge { .. })), "{element}");
    }
    let limits = Limits { blocks: 2, ..Limits::default() };
    let three = docx(&p("Standard", "x").repeat(3));
    assert_eq!(bounded(&three, &limits), Err(ReadError::TooLarge { limit: 2, what: "blocks" }));
}

#[test]
fn parts_outside_of_the_archive_are_never_looked_for() {
    let rels = r#"<Relationships><Relationship Id="a" Type="x/officeDocument" Target="../../../etc/passwd"/></Relationships>"#;
    let error = read(&packed(&[("_rels/.rels", rels)]), Format::Docx).unwrap_err();
    assert_eq!(error, ReadError::Malformed { format: "DOCX", what: "no etc/passwd in it".into() });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damage_to_the_markup_gives_a_report_or_a_document(at in 0.0..1.0_f64, byte in 32_u8..127, cut in any::<bool>()) {
        let body = [
            p("berschrift1", "Leaves"),
            li(2, 0, "one"),
            "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>".into(),
            "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:hyperlink w:anchor=\"x\"><w:r><w:t>é</w:t></w:r></w:hyperlink></w:p>".into(),
        ];
        let mut text = document(&body.concat()).into_bytes();
        let at = (at * text.len() as f64) as usize;
        if cut { text.truncate(at) } else { text[at] = byte }
        let text = String::from_utf8_lossy(&text).into_owned();
        let bytes = packed(&[("word/document.xml", &text), ("word/numbering.xml", NUMBERING), ("word/styles.xml", STYLES)]);
        let first = read(&bytes, Format::Docx);
        prop_assert_eq!(&first, &read(&bytes, Format::Docx));
    }

    #[test]
    fn damage_to_the_archive_gives_a_report_or_a_document(at in 0.0..1.0_f64, byte in any::<u8>()) {
        let mut bytes = docx(&[p("berschrift1", "Leaves"), li(2, 0, "one")].concat());
        let at = (at * bytes.len() as f64) as usize;
        bytes[at] = byte;
        let _ = read(&bytes, Format::Docx);
    }

    #[test]
    fn every_block_is_text_of_the_file(words in prop::collection::vec("[a-zé]{1,6}", 1..30), split in 1_usize..5) {
        let runs: Vec<String> = words.chunks(split).map(|run| format!("<w:r><w:t xml:space=\"preserve\">{} </w:t></w:r>", run.join(" "))).collect();
        let document = document_of(&format!("<w:p>{}</w:p>{}", runs.concat(), li(2, 0, &words.join(" "))));
        let sentence = words.join(" ");
        prop_assert_eq!(texts(&document), [&sentence, &sentence]);
    }
}
