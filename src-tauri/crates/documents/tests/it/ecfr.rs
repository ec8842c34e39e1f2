//! XML of the Electronic Code of Federal Regulations: what the reader makes of a part written for these tests.

use documents::{Block, BlockKind, Document, Format, Limits, ReadError};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::read;

const PART: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<DIV5 N="900" TYPE="PART" hierarchy_metadata="{&quot;citation&quot;:&quot;2 CFR Part 900&quot;}">
<HEAD>PART 900&#x2014;UNIFORM TEA RULES</HEAD>
<AUTH><HED>Authority:</HED><PSPACE>31 U.S.C. 9999.</PSPACE></AUTH>
<DIV6 N="F" TYPE="SUBPART"><HEAD>Subpart F&#x2014;Tasting</HEAD>
<DIV7 N="ECFR12" TYPE="SUBJGRP"><HEAD>Tasters</HEAD>
<DIV8 N="§ 900.516" TYPE="SECTION" hierarchy_metadata="{&quot;citation&quot;:&quot;2 CFR 900.516&quot;}">
<HEAD>§ 900.516   Tea findings.</HEAD>
<XREF ID="1" REFID="2">Link to an amendment published at 1 FR 2.</XREF>
<P>(a) <I>Findings reported.</I> The taster must report:</P>
<P>(1)(i) Cups over 25,000<SU>1</SU> drops; and</P>
<P>(A) Pots with H<sub>2</sub>O &amp; milk, see <a href="/current/title-2/section-900.511">§ 900.511</a>.</P>
<P>(<I>1</I>) A leaf.</P>
<P>(b)-(d) [Reserved]</P>
<P>(see below) No designator.</P>
<FP>Flush words.</FP>
<EXTRACT><P>Drink it <E T="03">hot</E>.</P></EXTRACT>
<DIV width="100%"><TABLE><CAPTION>Table 1</CAPTION><THEAD><TR><TH>Tea</TH><TH>Cups</TH></TR></THEAD>
<TBODY><TR><TD>Green</TD><TD>3</TD></TR><TR><TD>Black</TD><TD></TD></TR></TBODY></TABLE></DIV>
<GPOTABLE><TTITLE>Table 2</TTITLE><BOXHD><CHED H="1">Pot</CHED><CHED H="1">Size</CHED></BOXHD>
<ROW><ENT I="01">Small</ENT><ENT>1</ENT></ROW><TNOTE>Sizes vary.</TNOTE></GPOTABLE>
<FTNT><P><SU>1</SU> About a litre.</P></FTNT>
<CITA TYPE="N">[1 FR 1, Jan. 1, 1999]</CITA>
</DIV8></DIV7></DIV6>
<DIV9 N="Appendix I to Part 900" TYPE="APPENDIX"><HEAD>Appendix I to Part 900&#x2014;Cups</HEAD><HD1>A. Sizes</HD1><P>Small.</P></DIV9>
</DIV5>"#;

fn part() -> Document {
    read(PART.as_bytes(), Format::Ecfr).unwrap()
}

fn shown(document: &Document) -> Vec<(BlockKind, Option<&str>, &str)> {
    document.blocks.iter().map(|block| (block.kind, block.label.as_deref(), block.text.as_str())).collect()
}

#[test]
fn headings_paragraphs_and_tables_come_in_order_with_their_labels() {
    use BlockKind::{Footnote, Heading, Paragraph, Quote, Table};
    assert_eq!(
        shown(&part()),
        [
            (Heading(1), Some("Part 900"), "UNIFORM TEA RULES"),
            (Quote, None, "Authority: 31 U.S.C. 9999."),
            (Heading(2), Some("Subpart F"), "Tasting"),
            (Heading(3), None, "Tasters"),
            (Heading(4), Some("900.516"), "Tea findings"),
            (Paragraph, Some("(a)"), "(a) Findings reported. The taster must report:"),
            (Paragraph, Some("(1)(i)"), "(1)(i) Cups over 25,000 1 drops; and"),
            (Paragraph, Some("(A)"), "(A) Pots with H2O & milk, see § 900.511."),
            (Paragraph, Some("(*1*)"), "(1) A leaf."),
            (Paragraph, Some("(b)-(d)"), "(b)-(d) [Reserved]"),
            (Paragraph, None, "(see below) No designator."),
            (Paragraph, None, "Flush words."),
            (Quote, None, "Drink it hot."),
            (Paragraph, None, "Table 1"),
            (Table, None, "Tea | Cups\nGreen | 3\nBlack"),
            (Paragraph, None, "Table 2"),
            (Table, None, "Pot | Size\nSmall | 1"),
            (Footnote, None, "Sizes vary."),
            (Footnote, None, "1 About a litre."),
            (Footnote, None, "[1 FR 1, Jan. 1, 1999]"),
            (Heading(2), Some("Appendix I to Part 900"), "Cups"),
            (Heading(3), None, "A. Sizes"),
            (Paragraph, None, "Small."),
        ]
    );
}

#[test]
fn headings_are_reached_under_their_citations() {
    let document = part();
    let anchors: Vec<&str> = document.blocks.iter().filter_map(|block| block.anchor.as_deref()).collect();
    assert_eq!(
        anchors,
        ["2 CFR Part 900", "2 CFR Part 900 Subpart F", "2 CFR 900.516", "2 CFR Appendix I to Part 900"]
    );
    let links: Vec<_> = document.blocks.iter().flat_map(|block| &block.links).collect();
    assert_eq!(links.len(), 1);
    assert_eq!(
        (links[0].text.as_str(), links[0].target.as_str()),
        ("§ 900.511", "/current/title-2/section-900.511")
    );
}

#[test]
fn the_bulk_form_gives_its_title_and_the_title_number_of_its_nodes() {
    let text = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><DLPSTEXTCLASS><HEADER><TITLE>Title 5: Cups</TITLE></HEADER>\
        <TEXT><BODY><ECFRBRWS><DIV1 N=\"1\" NODE=\"5:1\" TYPE=\"TITLE\"><DIV8 N=\"\u{a7} 1.1\" NODE=\"5:1.1\" TYPE=\"SECTION\">\
        <HEAD>\u{a7} 1.1 Use.</HEAD><P>Caf\u{e9}.</P></DIV8></DIV1></ECFRBRWS></BODY></TEXT></DLPSTEXTCLASS>";
    let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
    let document = read(&latin, Format::Ecfr).unwrap();
    assert_eq!(document.title.as_deref(), Some("Title 5: Cups"));
    assert_eq!(document.blocks[0].anchor.as_deref(), Some("5 CFR 1.1"));
    assert_eq!(document.blocks[1].text, "Café.");
}

#[test]
fn pending_amendments_are_left_out_with_a_note() {
    let document = part();
    assert_eq!(document.title.as_deref(), Some("Part 900 UNIFORM TEA RULES"));
    assert_eq!(document.notes.len(), 1);
    assert!(document.notes[0].what.starts_with("1 links to amendments"), "{:?}", document.notes);
}

#[test]
fn hostile_files_are_refused() {
    let entity = "<!DOCTYPE x [<!ENTITY a 'aaaa'>]><DIV5 N=\"1\" TYPE=\"PART\"><P>&a;</P></DIV5>";
    assert!(matches!(read(entity.as_bytes(), Format::Ecfr), Err(ReadError::Malformed { .. })));
    let deep = "<DIV5 N=\"1\" TYPE=\"PART\">".to_owned() + &"<X>".repeat(100_000);
    let error = read(deep.as_bytes(), Format::Ecfr).unwrap_err();
    assert_eq!(
        error,
        ReadError::TooLarge { limit: Limits::default().depth as u64, what: "levels of nested elements" }
    );
    assert!(matches!(read(b"<other/>", Format::Ecfr), Err(ReadError::Malformed { .. })));
}

/// The words of a part without its markup.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn occurs(block: &Block, source: &str) -> bool {
    block.text.split([' ', '\n']).filter(|word| *word != "|").all(|word| source.contains(word))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damage_gives_a_report_or_text_of_the_file(at in 0..PART.len(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = PART.as_bytes().to_vec();
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        if let Ok(document) = read(&bytes, Format::Ecfr) {
            let again = read(&bytes, Format::Ecfr).unwrap();
            prop_assert_eq!(&document, &again);
        }
    }

    #[test]
    fn every_paragraph_is_found_in_the_file(words in prop::collection::vec("[a-zé(1)]{1,6}", 1..20)) {
        let sentence = words.join(" ");
        let text = format!("<DIV5 N=\"1\" TYPE=\"PART\"><P>{sentence}</P><P>(a) <I>{sentence}</I></P></DIV5>");
        let document = read(text.as_bytes(), Format::Ecfr).unwrap();
        prop_assert_eq!(document.blocks.len(), 2);
        for block in &document.blocks {
            prop_assert!(occurs(block, &text));
            prop_assert!(bare(&block.text).ends_with(&bare(&sentence)));
        }
    }
}
