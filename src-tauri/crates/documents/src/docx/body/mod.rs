//! The text of a document and of its notes.

mod tables;

use std::collections::{BTreeMap, HashMap};

use crate::docx::fields::{Fields, is_dropped, target};
use crate::docx::numbers::{Mark, Numbers, written};
use crate::docx::styles::{Role, Styles, on};
use crate::docx::{Relations, malformed};
use crate::output::{Output, clean};
use crate::xml::{Element, Node, Xml};
use crate::{Block, BlockKind, BlockPosition, Link, ReadError};

/// What was left out.
#[derive(Default)]
struct Omissions {
    deleted: usize,
    hidden: usize,
    contents: bool,
    embedded: usize,
}

pub(super) struct Body<'b, 'l> {
    styles: &'b Styles,
    numbers: Numbers,
    output: &'b mut Output<'l>,
    fields: Fields,
    page: Option<u32>,
    /// Bookmarks before the next block.
    bookmarks: Vec<String>,
    /// Bookmarks beyond the first of a block, and the first.
    aliases: HashMap<String, String>,
    /// Notes that the text refers to, by kind and id: their label.
    notes: BTreeMap<(bool, String), String>,
    /// How many of each kind there are.
    noted: [u32; 2],
    title: Option<String>,
    left: Omissions,
}

/// A paragraph being read.
#[derive(Default)]
struct Paragraph {
    style: Option<String>,
    outline: Option<u8>,
    list: Option<String>,
    level: Option<usize>,
    mark_deleted: bool,
    text: String,
    page: Option<u32>,
    links: Vec<Link>,
    /// Where the results of open fields with a link began.
    starts: Vec<usize>,
    /// What text boxes in it hold.
    boxes: Vec<Block>,
}

impl<'b, 'l> Body<'b, 'l> {
    pub(super) fn new(styles: &'b Styles, numbers: Numbers, output: &'b mut Output<'l>, paged: bool) -> Self {
        Self {
            styles,
            numbers,
            output,
            fields: Fields::default(),
            page: paged.then_some(1),
            bookmarks: Vec::new(),
            aliases: HashMap::new(),
            notes: BTreeMap::new(),
            noted: [0; 2],
            title: None,
            left: Omissions::default(),
        }
    }

    /// Reads `document.xml`.
    pub(super) fn read(&mut self, text: &str, near: &Relations) -> Result<(), ReadError> {
        let mut xml = Xml::new(text, "DOCX", self.output.limits());
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "document" => {}
                    "body" => self.blocks(&mut xml, near, &mut Sink::Document)?,
                    _ => xml.skip()?,
                },
                Node::Close | Node::Text(_) => {}
                Node::End => break,
            }
        }
        if self.output.document.blocks.is_empty() && !text.contains("body") {
            return Err(malformed("no document in its main part"));
        }
        self.output.document.pages = self.page;
        Ok(())
    }

    /// Reads `footnotes.xml` or `endnotes.xml`: the notes that the text refers to.
    pub(super) fn read_notes(&mut self, text: &str, near: &Relations) -> Result<(), ReadError> {
        self.page = None;
        self.fields = Fields::default();
        let mut xml = Xml::new(text, "DOCX", self.output.limits());
        loop {
            match xml.next()? {
                Node::Open(element) => {
                    let end = element.name() == "endnote";
                    let id = element.attr("id").unwrap_or_default();
                    if matches!(element.name(), "footnotes" | "endnotes") {
                        continue;
                    }
                    let Some(label) = self.notes.remove(&(end, id)) else {
                        xml.skip()?;
                        continue;
                    };
                    let mut blocks = Vec::new();
                    self.blocks(&mut xml, near, &mut Sink::Blocks(&mut blocks))?;
                    for (number, block) in blocks.into_iter().enumerate() {
                        let kind = if block.kind == BlockKind::Table {
                            BlockKind::Table
                        } else {
                            BlockKind::Footnote
                        };
                        let first = number == 0;
                        self.output.push(Block {
                            kind,
                            label: first.then(|| label.clone()),
                            anchor: if first { Some(note_anchor(end, &label)) } else { block.anchor },
                            ..block
                        })?;
                    }
                }
                Node::Close | Node::Text(_) => {}
                Node::End => return Ok(()),
            }
        }
    }

    /// Notes what was left out and lets links to a block's further bookmarks lead to its first; gives the title that
    /// stands in the text.
    pub(super) fn finish(self) -> Option<String> {
        for block in &mut self.output.document.blocks {
            for link in &mut block.links {
                let first = link.target.strip_prefix('#').and_then(|name| self.aliases.get(name));
                if let Some(first) = first {
                    link.target = format!("#{first}");
                }
            }
        }
        let Omissions { deleted, hidden, contents, embedded } = self.left;
        if contents {
            self.output.note_minor("the table of contents was left out");
        }
        let mut note = |what: String| self.output.note(BlockPosition::default(), what);
        if deleted > 0 {
            note(format!("tracked changes: {deleted} deleted or moved stretches left out, insertions kept"));
        }
        if hidden > 0 {
            note(format!("{hidden} stretches of hidden text left out"));
        }
        if embedded > 0 {
            note(format!("{embedded} embedded files of other formats not read"));
        }
        self.title
    }

    /// The blocks of the element that was just opened.
    fn blocks(&mut self, xml: &mut Xml<'_>, near: &Relations, sink: &mut Sink<'_>) -> Result<(), ReadError> {
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "p" => {
                        for block in self.paragraph(xml, near)? {
                            sink.push(self.output, block)?;
                        }
                    }
                    "tbl" => {
                        for block in self.table(xml, near)? {
                            sink.push(self.output, block)?;
                        }
                    }
                    "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" => self.blocks(xml, near, sink)?,
                    "AlternateContent" => {
                        if branch(xml)? {
                            self.blocks(xml, near, sink)?;
                            rest_of(xml)?;
                        }
                    }
                    "sdtPr" => {
                        if is_contents(xml)? {
                            self.left.contents = true;
                            // The control's content, and then its end, which ends this level too.
                            return rest_of(xml);
                        }
                    }
                    "altChunk" => {
                        self.left.embedded += 1;
                        xml.skip()?;
                    }
                    "del" | "moveFrom" => {
                        self.left.deleted += 1;
                        xml.skip()?;
                    }
                    "bookmarkStart" => {
                        self.bookmark(&element);
                        xml.skip()?;
                    }
                    _ => xml.skip()?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(()),
            }
        }
    }

    fn bookmark(&mut self, element: &Element<'_>) {
        let name = element.attr("name").filter(|name| !name.is_empty() && name != "_GoBack");
        self.bookmarks.extend(name);
    }

    fn paragraph(&mut self, xml: &mut Xml<'_>, near: &Relations) -> Result<Vec<Block>, ReadError> {
        self.output.check()?;
        let mut paragraph = Paragraph::default();
        self.runs(xml, near, &mut paragraph)?;
        let role = match (paragraph.outline, self.styles.role(paragraph.style.as_deref())) {
            (Some(level @ 0..=8), _) => Role::Heading(level + 1),
            (Some(_), Role::Heading(_)) => Role::Body,
            (_, role) => role,
        };
        let (text, invisible) = lines(&paragraph.text);
        if role == Role::Contents && !text.is_empty() {
            self.left.contents = true;
            return Ok(paragraph.boxes);
        }
        self.output.removed(invisible);
        let mark = if text.is_empty() && paragraph.mark_deleted { None } else { self.count(&paragraph) };
        let mut blocks = Vec::new();
        if !text.is_empty() {
            let (label, level) = match mark {
                Some((Mark::Number(number), level)) => (Some(number), Some(level)),
                Some((Mark::Bullet, level)) => (None, Some(level)),
                None => (None, None),
            };
            let kind = match (role, level) {
                (Role::Heading(level), _) => BlockKind::Heading(level),
                (Role::Title, _) => BlockKind::Heading(1),
                (Role::Quote, _) => BlockKind::Quote,
                (_, Some(level)) => BlockKind::Item(level as u8 + 1),
                _ => BlockKind::Paragraph,
            };
            if role == Role::Title && self.title.is_none() {
                self.title = Some(text.replace('\n', " "));
            }
            let place = BlockPosition { page: paragraph.page.or(self.page), line: None };
            let anchor = self.anchor();
            blocks.push(Block { label, anchor, links: paragraph.links, ..Block::new(kind, text, place) });
        }
        blocks.append(&mut paragraph.boxes);
        Ok(blocks)
    }

    /// The first of the bookmarks before the block that is about to be made.
    fn anchor(&mut self) -> Option<String> {
        let mut names = std::mem::take(&mut self.bookmarks).into_iter();
        let first = names.next()?;
        self.aliases.extend(names.map(|name| (name, first.clone())));
        Some(first)
    }

    fn count(&mut self, paragraph: &Paragraph) -> Option<(Mark, usize)> {
        let style = self.styles.list(paragraph.style.as_deref());
        let list = paragraph.list.as_deref().or(style.map(|(_, list, _)| list))?;
        let of_style =
            style.and_then(|(from, list, level)| level.or_else(|| self.numbers.level_of_style(list, from)));
        let level = paragraph.level.or(of_style).unwrap_or(0).min(8);
        Some((self.numbers.count(list, level)?, level))
    }

    /// What stands in a paragraph, or in an element within it.
    fn runs(&mut self, xml: &mut Xml<'_>, near: &Relations, into: &mut Paragraph) -> Result<(), ReadError> {
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "pPr" => properties(xml, into)?,
                    "r" => self.run(xml, near, into)?,
                    "hyperlink" => {
                        let anchor =
                            element.attr("anchor").map(|anchor| format!("#{anchor}")).unwrap_or_default();
                        let address = element.attr("id").and_then(|id| near.address(&id).map(str::to_owned));
                        let start = into.text.len();
                        self.runs(xml, near, into)?;
                        add_link(into, start, format!("{}{anchor}", address.unwrap_or_default()));
                    }
                    "fldSimple" => {
                        let code = element.attr("instr").unwrap_or_default();
                        if is_dropped(&code) {
                            xml.skip()?;
                        } else {
                            let start = into.text.len();
                            self.runs(xml, near, into)?;
                            add_link(into, start, target(&code).unwrap_or_default());
                        }
                    }
                    "del" | "moveFrom" => {
                        self.left.deleted += 1;
                        // A field or a page may end in what was deleted.
                        self.deleted(xml)?;
                    }
                    "bookmarkStart" => {
                        self.bookmark(&element);
                        xml.skip()?;
                    }
                    "AlternateContent" => {
                        if branch(xml)? {
                            self.runs(xml, near, into)?;
                            rest_of(xml)?;
                        }
                    }
                    "sdtPr" | "rPr" | "proofErr" | "commentRangeStart" | "commentRangeEnd"
                    | "bookmarkEnd" => {
                        xml.skip()?;
                    }
                    // Insertions, smart tags, content controls, mathematics.
                    _ => self.runs(xml, near, into)?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(()),
            }
        }
    }

    fn run(&mut self, xml: &mut Xml<'_>, near: &Relations, into: &mut Paragraph) -> Result<(), ReadError> {
        let before = into.text.len();
        let mut hidden = false;
        self.run_content(xml, near, into, &mut hidden)?;
        if hidden && into.text.len() > before {
            into.text.truncate(before);
            self.left.hidden += 1;
        }
        Ok(())
    }

    fn run_content(
        &mut self,
        xml: &mut Xml<'_>,
        near: &Relations,
        into: &mut Paragraph,
        hidden: &mut bool,
    ) -> Result<(), ReadError> {
        loop {
            let element = match xml.next()? {
                Node::Open(element) => element,
                Node::Text(_) => continue,
                Node::Close | Node::End => return Ok(()),
            };
            match element.name() {
                "rPr" => *hidden = self.is_hidden(xml)?,
                "t" => {
                    let text = xml.text()?;
                    if !self.fields.hides() {
                        if into.page.is_none() && !text.trim().is_empty() {
                            into.page = self.page;
                        }
                        into.text.push_str(&text);
                    }
                }
                "instrText" => {
                    let code = xml.text()?;
                    self.fields.code(&code);
                }
                "fldChar" => {
                    self.field(&element, into);
                    xml.skip()?;
                }
                "lastRenderedPageBreak" => {
                    self.page = self.page.map(|page| page.saturating_add(1));
                    xml.skip()?;
                }
                "footnoteReference" | "endnoteReference" => {
                    self.note(&element, into);
                    xml.skip()?;
                }
                "AlternateContent" => {
                    if branch(xml)? {
                        self.run_content(xml, near, into, hidden)?;
                        rest_of(xml)?;
                    }
                }
                "drawing" | "pict" | "object" => self.boxes(xml, near, into)?,
                "ruby" | "rubyBase" | "r" => self.run_content(xml, near, into, &mut false)?,
                name => {
                    let shown = match name {
                        "tab" | "ptab" => " ",
                        "br" | "cr" => "\n",
                        "noBreakHyphen" => "-",
                        // A soft hyphen is only where a line may break.
                        _ => "",
                    };
                    if !self.fields.hides() {
                        into.text.push_str(shown);
                    }
                    xml.skip()?;
                }
            }
        }
    }

    fn is_hidden(&mut self, xml: &mut Xml<'_>) -> Result<bool, ReadError> {
        let (mut own, mut style) = (None, false);
        loop {
            match xml.next()? {
                Node::Open(element) => {
                    match element.name() {
                        "vanish" => own = Some(on(&element)),
                        "rStyle" => style = self.styles.hidden(element.attr("val").as_deref()),
                        _ => {}
                    }
                    xml.skip()?;
                }
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(own.unwrap_or(style)),
            }
        }
    }

    fn field(&mut self, element: &Element<'_>, into: &mut Paragraph) {
        match element.attr("fldCharType").as_deref() {
            Some("begin") => self.fields.begin(),
            Some("separate") => {
                let links = self.fields.separate();
                into.starts.extend(links.then_some(into.text.len()));
            }
            Some("end") => {
                let ended = self.fields.end();
                self.left.contents |= ended.contents;
                if let Some(target) = ended.link {
                    // A result over several paragraphs links from its last.
                    let start = into.starts.pop().unwrap_or(0);
                    add_link(into, start, target);
                }
            }
            _ => {}
        }
    }

    /// Deleted text, of which only the ends of fields count.
    fn deleted(&mut self, xml: &mut Xml<'_>) -> Result<(), ReadError> {
        let mut inside = 1_usize;
        while inside > 0 {
            match xml.next()? {
                Node::Open(element) => {
                    inside += 1;
                    match (element.name(), element.attr("fldCharType").as_deref()) {
                        ("fldChar", Some("begin")) => self.fields.begin(),
                        ("fldChar", Some("separate")) => drop(self.fields.separate()),
                        ("fldChar", Some("end")) => drop(self.fields.end()),
                        _ => {}
                    }
                }
                Node::Close => inside -= 1,
                Node::Text(_) => {}
                Node::End => break,
            }
        }
        Ok(())
    }

    fn note(&mut self, element: &Element<'_>, into: &mut Paragraph) {
        let end = element.name() == "endnoteReference";
        let Some(id) = element.attr("id").filter(|_| !self.fields.hides()) else { return };
        let count = &mut self.noted[usize::from(end)];
        let label = self.notes.entry((end, id)).or_insert_with(|| {
            *count += 1;
            written(*count, if end { "lowerRoman" } else { "decimal" })
        });
        into.links.push(Link { text: label.clone(), target: format!("#{}", note_anchor(end, label)) });
    }

    /// Text boxes within a drawing.
    fn boxes(&mut self, xml: &mut Xml<'_>, near: &Relations, into: &mut Paragraph) -> Result<(), ReadError> {
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "txbxContent" => {
                        // Its fields are its own, even when the paragraph around it is within one.
                        let around = std::mem::take(&mut self.fields);
                        let read = self.blocks(xml, near, &mut Sink::Blocks(&mut into.boxes));
                        self.fields = around;
                        read?;
                    }
                    "AlternateContent" => {
                        if branch(xml)? {
                            self.boxes(xml, near, into)?;
                            rest_of(xml)?;
                        }
                    }
                    _ => self.boxes(xml, near, into)?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(()),
            }
        }
    }
}

/// Where blocks go: into the document, or into what is around them.
enum Sink<'s> {
    Document,
    Blocks(&'s mut Vec<Block>),
}

impl Sink<'_> {
    fn push(&mut self, output: &mut Output<'_>, block: Block) -> Result<(), ReadError> {
        match self {
            Self::Document => output.push(block),
            Self::Blocks(blocks) => {
                blocks.push(block);
                Ok(())
            }
        }
    }
}

fn note_anchor(end: bool, label: &str) -> String {
    format!("{}-{label}", if end { "endnote" } else { "footnote" })
}

fn add_link(into: &mut Paragraph, start: usize, target: String) {
    let (text, _) = clean(into.text.get(start..).unwrap_or_default());
    if !text.is_empty() && !target.is_empty() {
        into.links.push(Link { text, target });
    }
}

/// Text with the line breaks that the source makes on purpose.
fn lines(text: &str) -> (String, usize) {
    let mut invisible = 0;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let (line, removed) = clean(line);
        invisible += removed;
        if !line.is_empty() {
            lines.push(line);
        }
    }
    (lines.join("\n"), invisible)
}

fn properties(xml: &mut Xml<'_>, into: &mut Paragraph) -> Result<(), ReadError> {
    loop {
        match xml.next()? {
            Node::Open(element) => {
                let value = element.attr("val");
                match element.name() {
                    "pStyle" => into.style = value,
                    "outlineLvl" => into.outline = value.and_then(|level| level.parse().ok()),
                    "rPr" => {
                        into.mark_deleted = has(xml, "del")?;
                        continue;
                    }
                    "numPr" => {
                        list_of(xml, into)?;
                        continue;
                    }
                    _ => {}
                }
                xml.skip()?;
            }
            Node::Text(_) => {}
            Node::Close | Node::End => return Ok(()),
        }
    }
}

fn list_of(xml: &mut Xml<'_>, into: &mut Paragraph) -> Result<(), ReadError> {
    loop {
        match xml.next()? {
            Node::Open(element) => {
                let value = element.attr("val");
                match element.name() {
                    "numId" => into.list = value,
                    "ilvl" => into.level = value.and_then(|level| level.parse().ok()),
                    _ => {}
                }
                xml.skip()?;
            }
            Node::Text(_) => {}
            Node::Close | Node::End => return Ok(()),
        }
    }
}

/// Whether the element that was just opened has such a child; it is read to its end.
fn has(xml: &mut Xml<'_>, name: &str) -> Result<bool, ReadError> {
    let mut found = false;
    loop {
        match xml.next()? {
            Node::Open(element) => {
                found |= element.name() == name;
                xml.skip()?;
            }
            Node::Text(_) => {}
            Node::Close | Node::End => return Ok(found),
        }
    }
}

/// Whether a content control's properties make it a table of contents; they are read to their end.
fn is_contents(xml: &mut Xml<'_>) -> Result<bool, ReadError> {
    let mut found = false;
    let mut inside = 1_usize;
    while inside > 0 {
        match xml.next()? {
            Node::Open(element) => {
                inside += 1;
                found |= element.name() == "docPartGallery"
                    && element.attr("val").is_some_and(|value| value.starts_with("Table of Contents"));
            }
            Node::Close => inside -= 1,
            Node::Text(_) => {}
            Node::End => break,
        }
    }
    Ok(found)
}

/// Enters the first branch of alternative contents, which say the same for newer and older programs; `false` when
/// there is none and the element has ended.
fn branch(xml: &mut Xml<'_>) -> Result<bool, ReadError> {
    loop {
        match xml.next()? {
            Node::Open(element) => match element.name() {
                "Choice" | "Fallback" => return Ok(true),
                _ => xml.skip()?,
            },
            Node::Text(_) => {}
            Node::Close | Node::End => return Ok(false),
        }
    }
}

/// Reads the element around the current place to its end.
fn rest_of(xml: &mut Xml<'_>) -> Result<(), ReadError> {
    xml.skip()
}
