//! The file: its parts in one order, at one time, so that the same document gives the same bytes.

use std::io::{Cursor, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

use crate::body::Writer;
use crate::census::Census;
use crate::xml::{DECLARATION, NAMESPACES, escape, put, within_limit};
use crate::{DocxError, WordDocument, properties, styles};

const MAIN: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml";
const RELATIONSHIP: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// The parts of the text's folder: name, and the words of its content type and relationship.
const PARTS: [(&str, &str); 6] = [
    ("styles", "styles"),
    ("numbering", "numbering"),
    ("settings", "settings"),
    ("footnotes", "footnotes"),
    ("header1", "header"),
    ("footer1", "footer"),
];

/// Writes a document as a file of Word.
///
/// # Errors
/// A limit that is exceeded, a mark without its footnote, a language or date that is none.
pub fn write(document: &WordDocument) -> Result<Vec<u8>, DocxError> {
    let census = Census::take(document)?;
    let language = properties::language(document)?;
    let mut writer = Writer::new(&census);
    let (text, text_links) = writer.text(document)?;
    let (notes, note_links) = writer.notes(document)?;
    let numbering = writer.numbering.part();
    let parts: [(&str, String); 13] = [
        ("[Content_Types].xml", content_types()),
        ("_rels/.rels", root()),
        ("docProps/core.xml", properties::core(document)?),
        ("docProps/app.xml", properties::app()),
        ("word/document.xml", text_part(&text, &document.marking)),
        ("word/_rels/document.xml.rels", relationships(&PARTS, &text_links.all)),
        ("word/styles.xml", styles::part(language)),
        ("word/numbering.xml", numbering),
        ("word/settings.xml", properties::settings(census.has_contents, language)),
        ("word/footnotes.xml", notes_part(&notes)),
        ("word/_rels/footnotes.xml.rels", relationships(&[], &note_links.all)),
        ("word/header1.xml", properties::header(document)),
        ("word/footer1.xml", properties::footer(document)),
    ];
    package(&parts)
}

/// Packs the parts of an office file (ECMA-376) in their order, at one time: the same parts give the same bytes.
///
/// # Errors
/// A part that is too large.
pub fn package(parts: &[(&str, String)]) -> Result<Vec<u8>, DocxError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in parts {
        within_limit(part.len())?;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(0o644)
            .system(System::Unix);
        zip.start_file(*name, options).map_err(|error| DocxError::Packing(error.to_string()))?;
        zip.write_all(part.as_bytes()).map_err(|error| DocxError::Packing(error.to_string()))?;
    }
    let out = zip.finish().map_err(|error| DocxError::Packing(error.to_string()))?;
    Ok(out.into_inner())
}

fn content_types() -> String {
    let mut out = format!(
        "{DECLARATION}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" \
         ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" \
         ContentType=\"application/xml\"/><Override PartName=\"/word/document.xml\" ContentType=\"{MAIN}.document.main+xml\"/>"
    );
    for (name, kind) in PARTS {
        put!(out, "<Override PartName=\"/word/{name}.xml\" ContentType=\"{MAIN}.{kind}+xml\"/>");
    }
    out.push_str(
        "<Override PartName=\"/docProps/core.xml\" ContentType=\"application/vnd.openxmlformats-package.core-properties+xml\"/>\
         <Override PartName=\"/docProps/app.xml\" \
         ContentType=\"application/vnd.openxmlformats-officedocument.extended-properties+xml\"/></Types>",
    );
    out
}

const RELATIONSHIPS: &str =
    "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">";

fn root() -> String {
    format!(
        "{DECLARATION}{RELATIONSHIPS}<Relationship Id=\"rId1\" Type=\"{RELATIONSHIP}/officeDocument\" Target=\"word/document.xml\"/>\
         <Relationship Id=\"rId2\" Type=\"http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties\" \
         Target=\"docProps/core.xml\"/><Relationship Id=\"rId3\" Type=\"{RELATIONSHIP}/extended-properties\" \
         Target=\"docProps/app.xml\"/></Relationships>"
    )
}

fn relationships(parts: &[(&str, &str)], links: &[String]) -> String {
    let mut out = format!("{DECLARATION}{RELATIONSHIPS}");
    for (index, (name, kind)) in parts.iter().enumerate() {
        put!(
            out,
            "<Relationship Id=\"rId{}\" Type=\"{RELATIONSHIP}/{kind}\" Target=\"{name}.xml\"/>",
            index + 1
        );
    }
    for (index, link) in links.iter().enumerate() {
        put!(
            out,
            "<Relationship Id=\"rIdLink{}\" Type=\"{RELATIONSHIP}/hyperlink\" Target=\"{}\" TargetMode=\"External\"/>",
            index + 1,
            escape(link)
        );
    }
    out.push_str("</Relationships>");
    out
}

/// The relationship of a part of the text's folder.
fn part_id(name: &str) -> usize {
    PARTS.iter().position(|(part, _)| *part == name).map_or(0, |at| at + 1)
}

/// A4 with an inch on each side. The first page has no head but a marking: the title stands there.
fn text_part(text: &str, marking: &str) -> String {
    let first = if marking.is_empty() { "<w:titlePg/>" } else { "" };
    let (header, footer) = (part_id("header1"), part_id("footer1"));
    format!(
        "{DECLARATION}<w:document {NAMESPACES}><w:body>{text}<w:sectPr><w:headerReference w:type=\"default\" r:id=\"rId{header}\"/>\
         <w:footerReference w:type=\"default\" r:id=\"rId{footer}\"/><w:footerReference w:type=\"first\" r:id=\"rId{footer}\"/>\
         <w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1440\" w:right=\"1440\" w:bottom=\"1440\" w:left=\"1440\" \
         w:header=\"709\" w:footer=\"709\" w:gutter=\"0\"/><w:cols w:space=\"708\"/>{first}</w:sectPr></w:body></w:document>"
    )
}

fn notes_part(notes: &str) -> String {
    let separator = |id: i8, kind: &str, sign: &str| {
        format!(
            "<w:footnote w:type=\"{kind}\" w:id=\"{id}\"><w:p><w:pPr><w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/>\
             </w:pPr><w:r><w:{sign}/></w:r></w:p></w:footnote>"
        )
    };
    format!(
        "{DECLARATION}<w:footnotes {NAMESPACES}>{}{}{notes}</w:footnotes>",
        separator(-1, "separator", "separator"),
        separator(0, "continuationSeparator", "continuationSeparator")
    )
}
