//! The table of contents.

use crate::body::{Writer, field, heading_bookmark};
use crate::xml::{escape, put};
use crate::{Contents, HeadingLevel};

/// A field that Word computes, with the headings as they are and the pages where a layout gave them: a reader who does not
/// compute it sees these.
pub(crate) fn write(writer: &mut Writer<'_>, contents: &Contents) {
    let depth = contents.depth.min(HeadingLevel::Third);
    let entries: Vec<(usize, u8, String)> = writer
        .census
        .headings
        .iter()
        .enumerate()
        .filter(|(_, (level, text))| *level <= depth && !text.is_empty())
        .map(|(index, (level, text))| (index + 1, level.number(), escape(text)))
        .collect();
    if entries.is_empty() {
        return;
    }
    // Pages of another text would be wrong.
    let is_known = contents.pages.len() == writer.census.headings.len();
    let begins = writer.page();
    let out = &mut writer.out;
    out.push_str(
        "<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val=\"Table of Contents\"/><w:docPartUnique/></w:docPartObj></w:sdtPr>\
         <w:sdtContent>",
    );
    let heading = escape(&contents.heading);
    put!(
        out,
        "<w:p><w:pPr><w:pStyle w:val=\"TOCHeading\"/>{begins}</w:pPr><w:r><w:t xml:space=\"preserve\">{heading}</w:t></w:r></w:p>"
    );
    for (index, (number, level, text)) in entries.iter().enumerate() {
        put!(out, "<w:p><w:pPr><w:pStyle w:val=\"TOC{level}\"/></w:pPr>");
        if index == 0 {
            put!(
                out,
                "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText xml:space=\"preserve\"> TOC \\o \"1-{}\" \\h \\z \
                 \\u </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>",
                depth.number()
            );
        }
        let place = heading_bookmark(*number);
        let page = match contents.pages.get(*number - 1) {
            Some(page) if is_known => {
                let shown = field(&format!(" PAGEREF {place} \\h "), &page.to_string(), "");
                format!("<w:r><w:tab/></w:r>{shown}")
            }
            Some(_) | None => String::new(),
        };
        put!(
            out,
            "<w:hyperlink w:anchor=\"{place}\" w:history=\"1\"><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>{page}</w:hyperlink></w:p>"
        );
    }
    out.push_str("<w:p><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p></w:sdtContent></w:sdt>");
}
