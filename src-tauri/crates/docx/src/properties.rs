//! What a file says about itself, its settings, and the heads and feet of its pages.

use crate::body::field;
use crate::xml::{DECLARATION, NAMESPACES, escape, line};
use crate::{DocxError, WordDocument};

/// The language of a document that names none.
const LANGUAGE: &str = "en-GB";

/// The language, checked.
pub(crate) fn language(document: &WordDocument) -> Result<&str, DocxError> {
    let language = document.language.as_str();
    if language.is_empty() {
        return Ok(LANGUAGE);
    }
    let mut parts = language.split('-');
    let first = parts.next().unwrap_or_default();
    let is_tag = (2..=3).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_alphabetic())
        && language.len() <= 35
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
    if is_tag { Ok(language) } else { Err(DocxError::Language(language.to_owned())) }
}

/// `docProps/core.xml`.
pub(crate) fn core(document: &WordDocument) -> Result<String, DocxError> {
    let date = match document.created.as_deref() {
        Some(date) if is_date(date) => format!(
            "<dcterms:created xsi:type=\"dcterms:W3CDTF\">{date}</dcterms:created><dcterms:modified \
             xsi:type=\"dcterms:W3CDTF\">{date}</dcterms:modified>"
        ),
        Some(date) => return Err(DocxError::Date(date.to_owned())),
        None => String::new(),
    };
    let author = line(&document.author);
    let author = if author.is_empty() { author } else { format!("<dc:creator>{author}</dc:creator>") };
    Ok(format!(
        "{DECLARATION}<cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:dcterms=\"http://purl.org/dc/terms/\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><dc:title>{}</dc:title>{author}<dc:language>{}</dc:language>{date}\
         </cp:coreProperties>",
        line(&document.title),
        escape(language(document)?)
    ))
}

/// `2026-11-26T09:30:00Z`, in the ranges of a calendar and a clock.
fn is_date(date: &str) -> bool {
    let shape = "0000-00-00T00:00:00Z";
    let fits = date.len() == shape.len()
        && date.bytes().zip(shape.bytes()).all(|(byte, sign)| match sign {
            b'0' => byte.is_ascii_digit(),
            sign => byte == sign,
        });
    let part = |range: std::ops::Range<usize>| date.get(range).and_then(|part| part.parse::<u32>().ok());
    let within = |value: Option<u32>, least: u32, most: u32| {
        value.is_some_and(|value| (least..=most).contains(&value))
    };
    fits && within(part(5..7), 1, 12)
        && within(part(8..10), 1, 31)
        && within(part(11..13), 0, 23)
        && within(part(14..16), 0, 59)
        && within(part(17..19), 0, 59)
}

/// `docProps/app.xml`. It names no version: another version of the program gives the same bytes.
pub(crate) fn app() -> String {
    format!(
        "{DECLARATION}<Properties xmlns=\"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties\">\
         <Application>AgentNative</Application></Properties>"
    )
}

/// `word/settings.xml`. Fields are only computed on opening where there is a table of contents: Word asks before it does so.
pub(crate) fn settings(has_contents: bool, language: &str) -> String {
    let update = if has_contents { "<w:updateFields w:val=\"true\"/>" } else { "" };
    format!(
        "{DECLARATION}<w:settings {NAMESPACES}><w:zoom w:percent=\"100\"/><w:defaultTabStop w:val=\"720\"/>\
         <w:characterSpacingControl w:val=\"doNotCompress\"/>{update}<w:footnotePr><w:footnote w:id=\"-1\"/><w:footnote w:id=\"0\"/>\
         </w:footnotePr><w:compat><w:compatSetting w:name=\"compatibilityMode\" w:uri=\"http://schemas.microsoft.com/office/word\" \
         w:val=\"15\"/></w:compat><w:themeFontLang w:val=\"{}\"/></w:settings>",
        escape(language)
    )
}

/// `word/header1.xml`.
pub(crate) fn header(document: &WordDocument) -> String {
    let text = line(&document.head());
    let (style, run) = match text.is_empty() {
        true => ("Normal", String::new()),
        false => ("Header", format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")),
    };
    format!(
        "{DECLARATION}<w:hdr {NAMESPACES}><w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>{run}</w:p></w:hdr>"
    )
}

/// `word/footer1.xml`.
pub(crate) fn footer(document: &WordDocument) -> String {
    let words = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let text = line(&document.footer);
    let before = if text.is_empty() { text } else { words(&text) };
    format!(
        "{DECLARATION}<w:ftr {NAMESPACES}><w:p><w:pPr><w:pStyle w:val=\"Footer\"/></w:pPr>{before}<w:r><w:tab/></w:r>{}{}{}{}</w:p></w:ftr>",
        words("Page "),
        field(" PAGE ", "1", ""),
        words(" of "),
        field(" NUMPAGES ", "1", "")
    )
}
