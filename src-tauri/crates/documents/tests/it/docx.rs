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
<w:style w:type="character" w:styleId="Struck"><w:name w:val="Struck"/><w:rPr><w:strike/></w:rPr></w:style>
<w:style w:type="character" w:styleId="StruckToo"><w:name w:val="Struck too"/><w:basedOn w:val="Struck"/></w:style>
<w:style w:type="paragraph" w:styleId="AllStruck"><w:name w:val="All struck"/><w:rPr><w:strike w:val="1"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Raised"><w:name w:val="Raised"/><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>
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

fn struck(document: &Document) -> Vec<&str> {
    document.blocks.iter().flat_map(|block| &block.struck).map(|one| one.text.as_str()).collect()
}

fn notes(document: &Document) -> Vec<&str> {
    document.notes.iter().map(|note| note.what.as_str()).collect()
}

/// A run with these properties.
fn r(properties: &str, text: &str) -> String {
    format!("<w:r><w:rPr>{properties}</w:rPr><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

fn paragraph_of(runs: &[String]) -> Document {
    document_of(&format!("<w:p>{}</w:p>", runs.concat()))
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
    assert_eq!(shown(&document), [(BlockKind::Table, None, "Wide | Wide | C\nTall | b | in side\nTall | d")]);
    assert_eq!(document.notes.len(), 1);
    assert_eq!(document.blocks[0].struck[0].text, "gone");
    let before = format!("<w:tr><w:trPr><w:gridBefore w:val=\"1\"/></w:trPr>{}</w:tr>", cell("", "late"));
    let table = format!("<w:tbl>{}{before}</w:tbl>", row(&[cell("", "a"), cell("", "b")]));
    assert_eq!(texts(&document_of(&table)), ["a | b\n | late"]);
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
    assert_eq!(struck(&document), ["deleted"]);
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

#[test]
fn struck_words_are_no_text_whatever_strikes_them() {
    for properties in [
        "<w:strike/>",
        "<w:dstrike/>",
        "<w:strike w:val=\"true\"/>",
        "<w:rStyle w:val=\"Struck\"/>",
        "<w:rStyle w:val=\"StruckToo\"/>",
    ] {
        let runs = [r("", "It shall "), r(properties, "n"), r(properties, "ot"), r("", " tell.")];
        let document = paragraph_of(&runs);
        assert_eq!(
            (texts(&document), struck(&document)),
            (vec!["It shall tell."], vec!["not"]),
            "{properties}"
        );
        assert_eq!(notes(&document), ["1 stretch of struck-out text is no part of the text"]);
    }
    for properties in ["<w:strike w:val=\"0\"/>", "<w:rStyle w:val=\"Struck\"/><w:strike w:val=\"false\"/>"] {
        assert_eq!(texts(&paragraph_of(&[r(properties, "Kept.")])), ["Kept."], "{properties}");
    }
    // A switch that both styles turn on is off; the paragraph mark's own look says nothing of the words.
    let twice = format!(
        "<w:p><w:pPr><w:pStyle w:val=\"AllStruck\"/></w:pPr>{}{}</w:p><w:p><w:pPr><w:rPr><w:strike/></w:rPr></w:pPr>{}</w:p>",
        r("<w:rStyle w:val=\"Struck\"/>", "Shown."),
        r("", " Gone."),
        r("", "Kept."),
    );
    let document = document_of(&twice);
    assert_eq!((texts(&document), struck(&document)), (vec!["Shown.", "Kept."], vec!["Gone."]));
}

#[test]
fn deleted_text_is_kept_beside_the_text() {
    let deleted = |text: &str| {
        format!("<w:del><w:r><w:delText xml:space=\"preserve\">{text}</w:delText></w:r></w:del>")
    };
    let document = document_of(&format!(
        "<w:p>{}{}{}</w:p><w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"2\"/></w:numPr><w:rPr><w:del/></w:rPr></w:pPr>{}</w:p>{}",
        r("", "Pay "),
        deleted("80 "),
        r("", "70."),
        deleted("An item."),
        li(2, 0, "First.")
    ));
    assert_eq!(shown(&document)[1], (BlockKind::Item(1), Some("(a)"), "First."));
    assert_eq!((texts(&document)[0], struck(&document)), ("Pay 70.", vec!["80", "An item."]));
    assert_eq!(notes(&document), ["tracked changes: 2 deleted or moved stretches left out, insertions kept"]);
}

#[test]
fn raised_and_lowered_runs_keep_their_meaning() {
    let up = "<w:vertAlign w:val=\"superscript\"/>";
    let down = "<w:vertAlign w:val=\"subscript\"/>";
    let cases: [(Vec<String>, &str); 8] = [
        (vec![r("", "3.2 x 10"), r(up, "6"), r("", " kg")], "3.2 x 10⁶ kg"),
        (vec![r("", "10"), r(up, "-"), r(up, "6 "), r("", "m")], "10⁻⁶ m"),
        (vec![r("", "10"), r(up, "1"), r(up, ".5")], "10^(1.5)"),
        (vec![r("", "CO"), r(down, "2"), r("", " in m"), r(up, "3")], "CO₂ in m³"),
        (vec![r("", "the 1"), r(up, "st"), r("", " day, Brand"), r(up, "®")], "the 1st day, Brand®"),
        (vec![r("", "10"), r("<w:position w:val=\"6\"/><w:sz w:val=\"14\"/>", "6")], "10⁶"),
        (vec![r("", "10"), r("<w:position w:val=\"6\"/>", "6")], "106"),
        (vec![r("", "10"), r(&format!("{up}<w:strike/>"), "6"), r(up, "7")], "10⁷"),
    ];
    for (runs, text) in cases {
        assert_eq!(texts(&paragraph_of(&runs)), [text], "{runs:?}");
    }
    assert_eq!(
        texts(&document_of(&p("Raised", "Small print at the foot of the page"))),
        ["Small print at the foot of the page"]
    );
}

fn m(text: &str) -> String {
    format!("<m:r><m:t>{text}</m:t></m:r>")
}

#[test]
fn formulas_are_written_in_one_line() {
    let part = |name: &str, inner: &str| format!("<m:{name}>{inner}</m:{name}>");
    let e = |inner: &str| part("e", inner);
    let sup = |base: &str, above: &str| part("sSup", &format!("{}{}", e(&m(base)), part("sup", &m(above))));
    let fraction =
        |above: &str, below: &str| part("f", &format!("{}{}", part("num", above), part("den", below)));
    let cell = |text: &str| e(&m(text));
    let cases = [
        (fraction(&m("1"), &m("2")), "1/2"),
        (sup("10", "6"), "10⁶"),
        (part("rad", &format!("<m:radPr><m:degHide m:val=\"1\"/></m:radPr><m:deg/>{}", e(&m("16")))), "√16"),
        (
            part(
                "nary",
                &format!(
                    "<m:naryPr><m:chr m:val=\"∑\"/></m:naryPr>{}{}{}",
                    part("sub", &m("i=1")),
                    part("sup", &m("n")),
                    e(&part("sSub", &format!("{}{}", e(&m("x")), part("sub", &m("i")))))
                ),
            ),
            "∑_(i=1)^n xᵢ",
        ),
        (
            part(
                "d",
                &format!(
                    "<m:dPr><m:begChr m:val=\"[\"/><m:endChr m:val=\"]\"/><m:sepChr m:val=\",\"/></m:dPr>{}{}",
                    cell("0"),
                    cell("1")
                ),
            ),
            "[0,1]",
        ),
        (
            part(
                "d",
                &e(&part(
                    "m",
                    &format!(
                        "<m:mr>{}{}</m:mr><m:mr>{}{}</m:mr>",
                        cell("a"),
                        cell("b"),
                        cell("c"),
                        cell("d")
                    ),
                )),
            ),
            "(a, b; c, d)",
        ),
        (
            part(
                "d",
                &e(&part(
                    "f",
                    &format!(
                        "<m:fPr><m:type m:val=\"noBar\"/></m:fPr>{}{}",
                        part("num", &m("n")),
                        part("den", &m("k"))
                    ),
                )),
            ),
            "(n¦k)",
        ),
        (part("func", &format!("{}{}", part("fName", &m("sin")), e(&m("x")))), "sin(x)"),
        (part("limLow", &format!("{}{}", e(&m("lim")), part("lim", &m("x→0")))), "lim_(x→0)"),
        (part("acc", &format!("<m:accPr><m:chr m:val=\"\u{303}\"/></m:accPr>{}", e(&m("x")))), "x\u{303}"),
        (part("bar", &format!("<m:barPr><m:pos m:val=\"top\"/></m:barPr>{}", e(&m("x")))), "x\u{305}"),
        (part("eqArr", &format!("{}{}", e(&m("x&amp;=1")), e(&m("y&amp;=2")))), "x=1; y=2"),
        (fraction(&m("1"), &format!("{}{}{}", m("4π"), sup("π", "2"), sup("κ", "2"))), "1/(4ππ²κ²)"),
        (
            part("sPre", &format!("{}{}{}", part("sub", &m("92")), part("sup", &m("238")), e(&m("U")))),
            "²³⁸₉₂U",
        ),
    ];
    for (formula, text) in &cases {
        let inline = format!("<w:p>{}<m:oMath>{formula}</m:oMath>{}</w:p>", r("", "It is "), r("", " today"));
        let own = format!("<w:p><m:oMathPara><m:oMath>{formula}</m:oMath></m:oMathPara></w:p>");
        let document =
            document_of(&format!("{inline}{own}<m:oMathPara><m:oMath>{formula}</m:oMath></m:oMathPara>"));
        assert_eq!(texts(&document), [format!("It is {text} today").as_str(), text, text], "{formula}");
        assert_eq!(notes(&document), Vec::<&str>::new(), "{formula}");
    }
    let odd = "<w:p><m:oMath><m:odd><m:r><m:t>q</m:t></m:r></m:odd></m:oMath></w:p>";
    let document = document_of(odd);
    assert_eq!((texts(&document), notes(&document).len()), (vec!["q"], 1));
    let half = fraction(&m("1"), &m("2"));
    assert_eq!(
        texts(&document_of(&format!("<w:p>{}<m:oMath>{half}</m:oMath></w:p>", r("", "2")))),
        ["2 1/2"]
    );
}

#[test]
fn signs_of_symbol_fonts_are_what_a_person_sees() {
    let sym = |font: &str, code: &str| format!("<w:r><w:sym w:font=\"{font}\" w:char=\"{code}\"/></w:r>");
    let font = |name: &str| format!("<w:rFonts w:ascii=\"{name}\" w:hAnsi=\"{name}\"/>");
    let cases = [
        (vec![sym("Wingdings", "F0FE"), r("", " tested")], "☑ tested"),
        (vec![sym("Wingdings", "F0A8"), r("", " tested")], "☐ tested"),
        (
            vec![
                r("", "Exposure "),
                sym("Symbol", "F0A3"),
                r("", " 5 %, "),
                sym("Symbol", "00B1"),
                r("", "2"),
            ],
            "Exposure ≤ 5 %, ±2",
        ),
        (vec![r(&font("Wingdings"), "\u{f0fc} þ"), r("", " done")], "✓ ☑ done"),
        (vec![r(&font("Symbol"), "a"), r("", "a")], "αa"),
        (vec![r("", "5 \u{f0b3} 3")], "5 ≥ 3"),
        (vec![r(&font("Wingdings 2"), "R"), r("", " yes")], "☑ yes"),
    ];
    for (runs, text) in cases {
        let document = paragraph_of(&runs);
        assert_eq!((texts(&document), notes(&document)), (vec![text], vec![]), "{runs:?}");
    }
    let document = paragraph_of(&[sym("Webdings", "F0FF"), r("", " x"), sym("Odd Font", "F041")]);
    assert_eq!(texts(&document), ["\u{fffd} x\u{fffd}"]);
    assert_eq!(notes(&document), ["2 signs without a known character are given as \u{fffd}"]);
}

#[test]
fn forms_show_their_values_and_prompts_are_no_text() {
    let field = |data: &str, code: &str| {
        format!(
            "<w:r><w:fldChar w:fldCharType=\"begin\"><w:ffData>{data}</w:ffData></w:fldChar></w:r><w:r><w:instrText> {code} </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>"
        )
    };
    let cases = [
        ("<w:checkBox><w:default w:val=\"0\"/><w:checked/></w:checkBox>", "FORMCHECKBOX", "☑ tested"),
        (
            "<w:checkBox><w:default w:val=\"1\"/><w:checked w:val=\"0\"/></w:checkBox>",
            "FORMCHECKBOX",
            "☐ tested",
        ),
        ("<w:checkBox><w:default w:val=\"1\"/></w:checkBox>", "FORMCHECKBOX", "☑ tested"),
        (
            "<w:ddList><w:result w:val=\"1\"/><w:listEntry w:val=\"No\"/><w:listEntry w:val=\"Yes\"/></w:ddList>",
            "FORMDROPDOWN",
            "Yes tested",
        ),
    ];
    for (data, code, text) in cases {
        assert_eq!(texts(&paragraph_of(&[field(data, code), r("", " tested")])), [text], "{data}");
    }
    let sign = "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> SYMBOL 254 \\f \"Wingdings\" </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
    assert_eq!(texts(&paragraph_of(&[sign.into(), r("", " tested")])), ["☑ tested"]);
    let control = |properties: &str, inner: &str| {
        format!("<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{inner}</w:sdtContent></w:sdt>")
    };
    let prompt = "<w:showingPlcHdr/><w:text/>";
    let document = document_of(&format!(
        "<w:p>{}{}{}</w:p>{}<w:tbl><w:tr>{}<w:tc><w:p>{}</w:p></w:tc></w:tr></w:tbl>",
        r("", "Rate: "),
        control("<w:dropDownList/>", &r("", "20 %")),
        control(prompt, &r("", "Click here to enter text.")),
        control(prompt, &p("Standard", "Choose a date.")),
        control(prompt, "<w:tc><w:p><w:r><w:t>Click</w:t></w:r></w:p></w:tc>"),
        r("", "b"),
    ));
    assert_eq!(texts(&document), ["Rate: 20 %", " | b"]);
    assert_eq!(notes(&document), ["3 fields that nobody filled in left out"]);
}

#[test]
fn comments_headers_and_footers_are_notes_of_their_own() {
    let body = format!(
        "<w:p><w:commentRangeStart w:id=\"4\"/>{}<w:commentRangeEnd w:id=\"4\"/><w:r><w:commentReference w:id=\"4\"/></w:r></w:p>{}\
         <w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/><w:headerReference w:type=\"first\" r:id=\"i\"/><w:footerReference w:type=\"default\" r:id=\"f\"/><w:footerReference w:type=\"even\" r:id=\"g\"/></w:sectPr>",
        r("", "The fee is 70 EUR."),
        p("Standard", "Next."),
    );
    let number = "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> PAGE </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>3</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
    let bytes = packed(&[
        ("word/document.xml", &document(&body)),
        (
            "word/_rels/document.xml.rels",
            r#"<Relationships><Relationship Id="h" Type="x/header" Target="header1.xml"/><Relationship Id="i" Type="x/header" Target="header2.xml"/><Relationship Id="f" Type="x/footer" Target="footer1.xml"/><Relationship Id="g" Type="x/footer" Target="footer2.xml"/></Relationships>"#,
        ),
        (
            "word/comments.xml",
            &format!(
                "<w:comments><w:comment w:id=\"4\" w:author=\"Jane Doe\">{}</w:comment></w:comments>",
                p("x", "Not agreed.")
            ),
        ),
        (
            "word/header1.xml",
            &format!(
                "<w:hdr>{}<w:p><w:r><w:pict><v:shape><v:textpath string=\"Draft\"/></v:shape></w:pict></w:r></w:p></w:hdr>",
                p("x", "Not for signature")
            ),
        ),
        ("word/header2.xml", &format!("<w:hdr>{}</w:hdr>", p("x", "Never shown"))),
        (
            "word/footer1.xml",
            &format!("<w:ftr><w:p>{}{number}{}</w:p></w:ftr>", r("", "Page "), r("", " of 9")),
        ),
        ("word/footer2.xml", &format!("<w:ftr>{}</w:ftr>", p("x", "Never shown"))),
    ]);
    let document = read(&bytes, Format::Docx).unwrap();
    assert_eq!(
        shown(&document),
        [
            (BlockKind::Paragraph, None, "The fee is 70 EUR."),
            (BlockKind::Remark, None, "Comment (Jane Doe): Not agreed."),
            (BlockKind::Paragraph, None, "Next."),
            (BlockKind::Remark, None, "Header: Not for signature\nDraft"),
        ]
    );
    assert_eq!(
        notes(&document),
        [
            "1 comment stands behind what it is about, as a note",
            "1 header or footer of the pages stands once, at the end",
            "1 page number left out",
        ]
    );
}

#[test]
fn what_is_not_known_or_not_read_is_told() {
    let document = document_of(
        "<w:p><w:r><w:drawing><a:blip r:embed=\"x\"/></w:drawing><w:object><o:OLEObject ProgID=\"Equation.3\"/></w:object><w:t>Words</w:t>\
         <w:odd><w:inner>lost</w:inner></w:odd></w:r></w:p><w:odd><w:p><w:r><w:t>lost</w:t></w:r></w:p></w:odd><w:proofErr/>\
         <w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> AUTONUM </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>",
    );
    assert_eq!(texts(&document), ["Words"]);
    assert_eq!(
        notes(&document),
        [
            "1 formula of another program not read",
            "1 number or text that only Word computes not read",
            "text of 2 elements that are not known left out",
            "1 picture not read",
        ]
    );
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
