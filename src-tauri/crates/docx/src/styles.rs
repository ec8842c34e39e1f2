//! The styles.

use crate::xml::{DECLARATION, NAMESPACES, escape, put};

/// A style of paragraphs.
struct Style {
    id: &'static str,
    /// The name that Word shows; those of its own styles are fixed.
    name: &'static str,
    based_on: &'static str,
    next: &'static str,
    /// Properties of the paragraph and of its runs, in the order of the schema.
    paragraph: &'static str,
    run: &'static str,
}

const INK: &str = "1F2A37";

/// Properties of paragraphs: space before and behind, and what keeps lines together.
const STYLES: [Style; 28] = [
    Style { id: "BodyText", name: "Body Text", based_on: "Normal", next: "BodyText", paragraph: "", run: "" },
    Style {
        id: "Title",
        name: "Title",
        based_on: "Normal",
        next: "Subtitle",
        paragraph: "<w:keepNext/><w:keepLines/><w:spacing w:before=\"0\" w:after=\"120\" w:line=\"240\" w:lineRule=\"auto\"/>",
        run: "<w:b/><w:bCs/><w:color w:val=\"1F2A37\"/><w:sz w:val=\"44\"/><w:szCs w:val=\"44\"/>",
    },
    Style {
        id: "CoverTitle",
        name: "Cover Title",
        based_on: "Title",
        next: "Subtitle",
        paragraph: "<w:spacing w:before=\"3600\" w:after=\"360\" w:line=\"240\" w:lineRule=\"auto\"/>",
        run: "<w:sz w:val=\"52\"/><w:szCs w:val=\"52\"/>",
    },
    Style {
        id: "Subtitle",
        name: "Subtitle",
        based_on: "Normal",
        next: "BodyText",
        paragraph: "<w:spacing w:before=\"0\" w:after=\"80\"/>",
        run: "<w:color w:val=\"4B5563\"/><w:sz w:val=\"24\"/><w:szCs w:val=\"24\"/>",
    },
    heading(
        "Heading1",
        "heading 1",
        HEAD_1,
        "<w:b/><w:bCs/><w:color w:val=\"1F2A37\"/><w:sz w:val=\"32\"/><w:szCs w:val=\"32\"/>",
    ),
    heading(
        "Heading2",
        "heading 2",
        HEAD_2,
        "<w:b/><w:bCs/><w:color w:val=\"1F2A37\"/><w:sz w:val=\"27\"/><w:szCs w:val=\"27\"/>",
    ),
    heading(
        "Heading3",
        "heading 3",
        HEAD_3,
        "<w:b/><w:bCs/><w:color w:val=\"374151\"/><w:sz w:val=\"24\"/><w:szCs w:val=\"24\"/>",
    ),
    heading("Heading4", "heading 4", HEAD_4, "<w:b/><w:bCs/><w:i/><w:iCs/><w:color w:val=\"374151\"/>"),
    Style {
        id: "Quote",
        name: "Quote",
        based_on: "BodyText",
        next: "BodyText",
        paragraph: "<w:pBdr><w:left w:val=\"single\" w:sz=\"18\" w:space=\"8\" w:color=\"C5CDD8\"/></w:pBdr><w:spacing w:after=\"100\"/><w:ind w:left=\"360\"/>",
        run: "<w:color w:val=\"374151\"/>",
    },
    Style {
        id: "Notice",
        name: "Notice",
        based_on: "BodyText",
        next: "BodyText",
        paragraph: "<w:keepNext/><w:keepLines/><w:pBdr><w:top w:val=\"single\" w:sz=\"6\" w:space=\"4\" w:color=\"C5CDD8\"/><w:left w:val=\"single\" w:sz=\"6\" w:space=\"6\" w:color=\"C5CDD8\"/><w:bottom w:val=\"single\" w:sz=\"6\" w:space=\"4\" w:color=\"C5CDD8\"/><w:right w:val=\"single\" w:sz=\"6\" w:space=\"6\" w:color=\"C5CDD8\"/></w:pBdr><w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"F5F7FA\"/>",
        run: "",
    },
    Style {
        id: "Code",
        name: "Code",
        based_on: "Normal",
        next: "BodyText",
        paragraph: "<w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"F3F4F6\"/><w:spacing w:before=\"60\" w:after=\"140\" w:line=\"252\" w:lineRule=\"auto\"/>",
        run: "<w:rFonts w:ascii=\"Consolas\" w:hAnsi=\"Consolas\" w:cs=\"Consolas\"/><w:noProof/><w:sz w:val=\"19\"/><w:szCs w:val=\"19\"/>",
    },
    list("ListBullet", "List Bullet"),
    list("ListNumber", "List Number"),
    Style {
        id: "ListContinue",
        name: "List Continue",
        based_on: "BodyText",
        next: "ListContinue",
        paragraph: "<w:spacing w:after=\"80\"/><w:ind w:left=\"360\"/>",
        run: "",
    },
    Style {
        id: "Caption",
        name: "caption",
        based_on: "Normal",
        next: "BodyText",
        paragraph: "<w:spacing w:before=\"40\" w:after=\"120\"/>",
        run: "<w:color w:val=\"4B5563\"/><w:sz w:val=\"19\"/><w:szCs w:val=\"19\"/>",
    },
    Style {
        id: "TableText",
        name: "Table Text",
        based_on: "Normal",
        next: "TableText",
        paragraph: "<w:spacing w:before=\"40\" w:after=\"40\" w:line=\"240\" w:lineRule=\"auto\"/>",
        run: "<w:sz w:val=\"20\"/><w:szCs w:val=\"20\"/>",
    },
    Style {
        id: "TableHeading",
        name: "Table Heading",
        based_on: "TableText",
        next: "TableText",
        paragraph: "<w:keepNext/>",
        run: "<w:b/><w:bCs/>",
    },
    Style {
        id: "FootnoteText",
        name: "footnote text",
        based_on: "Normal",
        next: "FootnoteText",
        paragraph: "<w:spacing w:before=\"0\" w:after=\"40\" w:line=\"240\" w:lineRule=\"auto\"/>",
        run: "<w:sz w:val=\"18\"/><w:szCs w:val=\"18\"/>",
    },
    Style {
        id: "Header",
        name: "header",
        based_on: "Normal",
        next: "Header",
        paragraph: "<w:pBdr><w:bottom w:val=\"single\" w:sz=\"4\" w:space=\"4\" w:color=\"D1D5DB\"/></w:pBdr><w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/>",
        run: "<w:color w:val=\"4B5563\"/><w:sz w:val=\"18\"/><w:szCs w:val=\"18\"/>",
    },
    Style {
        id: "Footer",
        name: "footer",
        based_on: "Normal",
        next: "Footer",
        paragraph: "<w:tabs><w:tab w:val=\"right\" w:pos=\"9026\"/></w:tabs><w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/>",
        run: "<w:color w:val=\"4B5563\"/><w:sz w:val=\"18\"/><w:szCs w:val=\"18\"/>",
    },
    Style {
        id: "TOCHeading",
        name: "TOC Heading",
        based_on: "Normal",
        next: "BodyText",
        paragraph: "<w:keepNext/><w:keepLines/><w:spacing w:before=\"240\" w:after=\"80\"/>",
        run: "<w:b/><w:bCs/><w:color w:val=\"1F2A37\"/><w:sz w:val=\"26\"/><w:szCs w:val=\"26\"/>",
    },
    entry(
        "TOC1",
        "toc 1",
        "<w:tabs><w:tab w:val=\"right\" w:leader=\"dot\" w:pos=\"9026\"/></w:tabs><w:spacing w:after=\"40\"/>",
    ),
    entry(
        "TOC2",
        "toc 2",
        "<w:tabs><w:tab w:val=\"right\" w:leader=\"dot\" w:pos=\"9026\"/></w:tabs><w:spacing w:after=\"40\"/><w:ind w:left=\"240\"/>",
    ),
    entry(
        "TOC3",
        "toc 3",
        "<w:tabs><w:tab w:val=\"right\" w:leader=\"dot\" w:pos=\"9026\"/></w:tabs><w:spacing w:after=\"40\"/><w:ind w:left=\"480\"/>",
    ),
    character("DefaultParagraphFont", "Default Paragraph Font", ""),
    character("FootnoteReference", "footnote reference", "<w:vertAlign w:val=\"superscript\"/>"),
    character("Hyperlink", "Hyperlink", "<w:color w:val=\"0B57A4\"/><w:u w:val=\"single\"/>"),
    character(
        "CodeText",
        "Code Text",
        "<w:rFonts w:ascii=\"Consolas\" w:hAnsi=\"Consolas\" w:cs=\"Consolas\"/><w:noProof/><w:sz w:val=\"20\"/><w:szCs w:val=\"20\"/>",
    ),
];

const HEAD_1: &str =
    "<w:keepNext/><w:keepLines/><w:spacing w:before=\"360\" w:after=\"120\"/><w:outlineLvl w:val=\"0\"/>";
const HEAD_2: &str =
    "<w:keepNext/><w:keepLines/><w:spacing w:before=\"280\" w:after=\"100\"/><w:outlineLvl w:val=\"1\"/>";
const HEAD_3: &str =
    "<w:keepNext/><w:keepLines/><w:spacing w:before=\"220\" w:after=\"80\"/><w:outlineLvl w:val=\"2\"/>";
const HEAD_4: &str =
    "<w:keepNext/><w:keepLines/><w:spacing w:before=\"200\" w:after=\"60\"/><w:outlineLvl w:val=\"3\"/>";

const fn heading(id: &'static str, name: &'static str, paragraph: &'static str, run: &'static str) -> Style {
    Style { id, name, based_on: "Normal", next: "BodyText", paragraph, run }
}

const fn list(id: &'static str, name: &'static str) -> Style {
    Style { id, name, based_on: "BodyText", next: id, paragraph: "<w:spacing w:after=\"60\"/>", run: "" }
}

const fn entry(id: &'static str, name: &'static str, paragraph: &'static str) -> Style {
    Style { id, name, based_on: "Normal", next: "Normal", paragraph, run: "" }
}

/// A style of words: it has no next one.
const fn character(id: &'static str, name: &'static str, run: &'static str) -> Style {
    Style { id, name, based_on: "", next: "", paragraph: "", run }
}

/// The part.
pub(crate) fn part(language: &str) -> String {
    let language = escape(language);
    let mut out = format!(
        "{DECLARATION}<w:styles {NAMESPACES}><w:docDefaults><w:rPrDefault><w:rPr>\
         <w:rFonts w:ascii=\"Calibri\" w:eastAsia=\"Calibri\" w:hAnsi=\"Calibri\" w:cs=\"Calibri\"/><w:sz w:val=\"22\"/><w:szCs w:val=\"22\"/>\
         <w:lang w:val=\"{language}\" w:eastAsia=\"{language}\" w:bidi=\"ar-SA\"/></w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>\
         <w:widowControl/><w:spacing w:after=\"140\" w:line=\"276\" w:lineRule=\"auto\"/></w:pPr></w:pPrDefault></w:docDefaults>\
         <w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/><w:qFormat/><w:rPr>\
         <w:color w:val=\"{INK}\"/></w:rPr></w:style>"
    );
    for style in &STYLES {
        let kind = if style.next.is_empty() { "character" } else { "paragraph" };
        let default = if style.id == "DefaultParagraphFont" { " w:default=\"1\"" } else { "" };
        put!(
            out,
            "<w:style w:type=\"{kind}\"{default} w:styleId=\"{}\"><w:name w:val=\"{}\"/>",
            style.id,
            style.name
        );
        if !style.based_on.is_empty() {
            put!(out, "<w:basedOn w:val=\"{}\"/><w:next w:val=\"{}\"/>", style.based_on, style.next);
        }
        out.push_str("<w:qFormat/>");
        if !style.paragraph.is_empty() {
            put!(out, "<w:pPr>{}</w:pPr>", style.paragraph);
        }
        if !style.run.is_empty() {
            put!(out, "<w:rPr>{}</w:rPr>", style.run);
        }
        out.push_str("</w:style>");
    }
    out.push_str(
        "<w:style w:type=\"table\" w:default=\"1\" w:styleId=\"TableNormal\"><w:name w:val=\"Normal Table\"/><w:tblPr><w:tblInd w:w=\"0\" \
         w:type=\"dxa\"/><w:tblCellMar><w:top w:w=\"0\" w:type=\"dxa\"/><w:left w:w=\"108\" w:type=\"dxa\"/><w:bottom w:w=\"0\" \
         w:type=\"dxa\"/><w:right w:w=\"108\" w:type=\"dxa\"/></w:tblCellMar></w:tblPr></w:style>\
         <w:style w:type=\"table\" w:styleId=\"TableGrid\"><w:name w:val=\"Table Grid\"/><w:basedOn w:val=\"TableNormal\"/><w:tblPr>\
         <w:tblBorders><w:top w:val=\"single\" w:sz=\"4\" w:space=\"0\" w:color=\"BFC7D1\"/><w:left w:val=\"single\" w:sz=\"4\" \
         w:space=\"0\" w:color=\"BFC7D1\"/><w:bottom w:val=\"single\" w:sz=\"4\" w:space=\"0\" w:color=\"BFC7D1\"/><w:right \
         w:val=\"single\" w:sz=\"4\" w:space=\"0\" w:color=\"BFC7D1\"/><w:insideH w:val=\"single\" w:sz=\"4\" w:space=\"0\" \
         w:color=\"BFC7D1\"/><w:insideV w:val=\"single\" w:sz=\"4\" w:space=\"0\" w:color=\"BFC7D1\"/></w:tblBorders></w:tblPr></w:style>\
         </w:styles>",
    );
    out
}
