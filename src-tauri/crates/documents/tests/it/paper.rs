//! PDF files made on the spot: text at places, in a font, a size and a way of painting.

use std::fmt::Write as _;

/// The fonts that every reader has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Font {
    Plain = 1,
    Bold = 2,
    Mono = 3,
}

/// A page in the making; y counts from the top.
#[derive(Clone, Default)]
pub struct Page {
    content: String,
    extra: String,
}

pub const WIDTH: f32 = 612.0;
pub const HEIGHT: f32 = 792.0;

impl Page {
    pub fn text(mut self, x: f32, y: f32, font: Font, size: f32, text: &str) -> Self {
        let text = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        // As the encoding has them.
        let text = text.replace('–', "\\226").replace('•', "\\225");
        let up = HEIGHT - y;
        let _ = writeln!(self.content, "BT /F{} {size} Tf {x} {up} Td ({text}) Tj ET", font as u8);
        self
    }

    /// Lines of 10 points with the usual leading.
    pub fn lines(mut self, x: f32, y: f32, lines: &[&str]) -> Self {
        for (index, line) in lines.iter().enumerate() {
            self = self.text(x, y + 12.0 * index as f32, Font::Plain, 10.0, line);
        }
        self
    }

    /// Text in the font `/U` of a page, its characters from left to right as given.
    pub fn unicode(self, x: f32, y: f32, size: f32, text: &str) -> Self {
        let codes: String = text.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
        let up = HEIGHT - y;
        self.raw(&format!("BT /U {size} Tf {x} {up} Td <{codes}> Tj ET"))
    }

    /// A line of half a point.
    pub fn rule(self, from: (f32, f32), to: (f32, f32)) -> Self {
        let (a, b) = (HEIGHT - from.1, HEIGHT - to.1);
        self.raw(&format!("0.5 w {} {a} m {} {b} l S", from.0, to.0))
    }

    /// Operators as they are.
    pub fn raw(mut self, operators: &str) -> Self {
        self.content.push_str(operators);
        self.content.push('\n');
        self
    }

    /// Entries of the page's dictionary as they are.
    pub fn entry(mut self, entry: &str) -> Self {
        self.extra.push_str(entry);
        self
    }
}

/// A document in the making.
#[derive(Default)]
pub struct Paper {
    objects: Vec<Vec<u8>>,
    pages: Vec<usize>,
    trailer: String,
    catalog: String,
    resources: String,
}

const CATALOG: usize = 1;
const PAGES: usize = 2;
const FONTS: usize = 3;

impl Paper {
    pub fn new(pages: impl IntoIterator<Item = Page>) -> Self {
        let mut paper = Self::default();
        // The first two are written last, when the pages are known.
        paper.object("");
        paper.object("");
        for name in ["Helvetica", "Helvetica-Bold", "Courier"] {
            paper.object(&format!("<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding/WinAnsiEncoding>>"));
        }
        for page in pages {
            paper.page(&page);
        }
        paper
    }

    pub fn page(&mut self, page: &Page) {
        let content = self.stream("", page.content.as_bytes());
        self.push_page(content, &page.extra);
    }

    /// A page whose content is a stream of its own.
    pub fn page_of(&mut self, content: usize) {
        self.push_page(content, "");
    }

    fn push_page(&mut self, content: usize, extra: &str) {
        let page = self.object(&format!(
            "<</Type/Page/Parent {PAGES} 0 R/MediaBox[0 0 {WIDTH} {HEIGHT}]/Contents {content} 0 R{extra}>>"
        ));
        self.pages.push(page);
    }

    /// An object of its own; its number.
    pub fn object(&mut self, body: &str) -> usize {
        self.objects.push(body.as_bytes().to_vec());
        self.objects.len()
    }

    /// The number that the next object gets.
    pub fn next(&self) -> usize {
        self.objects.len() + 1
    }

    pub fn stream(&mut self, entries: &str, bytes: &[u8]) -> usize {
        let mut body = format!("<<{entries}/Length {}>>\nstream\n", bytes.len()).into_bytes();
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\nendstream");
        self.objects.push(body);
        self.objects.len()
    }

    /// A font whose codes are those of Unicode, each half as wide as it is high; pages name it `/U`.
    pub fn unicode_font(&mut self) -> usize {
        let mut map = String::from("begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange ");
        for block in 0..4 {
            map.push_str("64 beginbfrange ");
            for high in 64 * block..64 * (block + 1) {
                let _ = write!(map, "<{high:02X}00> <{high:02X}FF> <{high:02X}00> ");
            }
            map.push_str("endbfrange ");
        }
        map.push_str("endcmap");
        let map = self.stream("", map.as_bytes());
        self.cid_font("Identity-H", "Identity", &format!("/ToUnicode {map} 0 R"))
    }

    /// A font of many characters without a file of its own.
    pub fn cid_font(&mut self, encoding: &str, ordering: &str, entries: &str) -> usize {
        let system = format!("<</Registry(Adobe)/Ordering({ordering})/Supplement 2>>");
        let descendant = self.object(&format!(
            "<</Type/Font/Subtype/CIDFontType0/BaseFont/Far/CIDSystemInfo{system}/DW 500/FontDescriptor<</Type\
             /FontDescriptor/FontName/Far/Flags 4>>>>"
        ));
        self.object(&format!(
            "<</Type/Font/Subtype/Type0/BaseFont/Far/Encoding/{encoding}/DescendantFonts[{descendant} 0 R]{entries}>>"
        ))
    }

    pub fn trailer(mut self, entries: &str) -> Self {
        self.trailer.push_str(entries);
        self
    }

    pub fn catalog(mut self, entries: &str) -> Self {
        self.catalog.push_str(entries);
        self
    }

    /// Resources of all pages beyond the fonts.
    pub fn resources(mut self, entries: &str) -> Self {
        self.resources.push_str(entries);
        self
    }

    pub fn bytes(mut self) -> Vec<u8> {
        self.objects[CATALOG - 1] =
            format!("<</Type/Catalog/Pages {PAGES} 0 R{}>>", self.catalog).into_bytes();
        let kids: String = self.pages.iter().map(|page| format!("{page} 0 R ")).collect();
        self.objects[PAGES - 1] = format!(
            "<</Type/Pages/Count {}/Kids[{kids}]/Resources<</Font<</F1 {} 0 R/F2 {} 0 R/F3 {} 0 R>>{}>>>>",
            self.pages.len(),
            FONTS,
            FONTS + 1,
            FONTS + 2,
            self.resources
        )
        .into_bytes();
        let mut out = b"%PDF-1.7\n".to_vec();
        let mut offsets = Vec::new();
        for (index, object) in self.objects.iter().enumerate() {
            offsets.push(out.len());
            out.extend_from_slice(format!("{} 0 obj\n", index + 1).as_bytes());
            out.extend_from_slice(object);
            out.extend_from_slice(b"\nendobj\n");
        }
        let start = out.len();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", offsets.len() + 1);
        for offset in &offsets {
            let _ = writeln!(table, "{offset:010} 00000 n ");
        }
        let size = offsets.len() + 1;
        let _ = write!(
            table,
            "trailer\n<</Size {size}/Root {CATALOG} 0 R{}>>\nstartxref\n{start}\n%%EOF\n",
            self.trailer
        );
        out.extend_from_slice(table.as_bytes());
        out
    }
}
