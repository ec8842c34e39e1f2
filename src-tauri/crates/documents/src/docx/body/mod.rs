//! The text of a document and of its notes.

mod controls;
mod drawings;
mod paragraph;
mod remarks;
mod runs;
mod tables;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::docx::fields::Fields;
use crate::docx::numbers::{Mark, Numbers};
use crate::docx::styles::{Role, Styles};
use crate::docx::{Relations, malformed};
use crate::marks::is_all_struck;
use crate::omissions::Omission;
use crate::output::Output;
use crate::xml::{Element, Node, Xml};
use crate::{Block, BlockKind, BlockPosition, ReadError};
use controls::control;
use paragraph::{Paragraph, lines};
use remarks::PageFrame;

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
    /// Comments by id.
    comments: HashMap<String, String>,
    /// Comments on what was read since the last block of the document.
    commented: Vec<String>,
    /// Headers and footers that sections refer to.
    frames: Vec<PageFrame>,
    /// What headers and footers said so far.
    framed: BTreeSet<String>,
    /// How many numbers of pages were passed over.
    page_numbers: usize,
    /// Within how many tracked deletions this is.
    deleting: usize,
    /// How often something was told.
    told: usize,
    title: Option<String>,
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
            comments: HashMap::new(),
            commented: Vec::new(),
            frames: Vec::new(),
            framed: BTreeSet::new(),
            page_numbers: 0,
            deleting: 0,
            told: 0,
            title: None,
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
                    _ => self.pass_over(&mut xml)?,
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

    /// Lets links to a block's further bookmarks lead to its first; gives the title that stands in the text.
    pub(super) fn finish(self) -> Option<String> {
        for block in &mut self.output.document.blocks {
            for link in &mut block.links {
                let first = link.target.strip_prefix('#').and_then(|name| self.aliases.get(name));
                if let Some(first) = first {
                    link.target = format!("#{first}");
                }
            }
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
                    "oMath" | "oMathPara" => {
                        let mut paragraph = Paragraph::default();
                        self.formula(xml, &mut paragraph)?;
                        for block in self.finished(paragraph) {
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
                        if let Some(told) = control(xml)? {
                            self.omit(told);
                            // The control's content, and then its end, which ends this level too.
                            return rest_of(xml);
                        }
                    }
                    "altChunk" | "subDoc" => {
                        self.omit(Omission::Embedded);
                        xml.skip()?;
                    }
                    "del" | "moveFrom" => {
                        self.omit(Omission::TrackedDeletion);
                        xml.skip()?;
                    }
                    "bookmarkStart" => {
                        self.bookmark(&element);
                        xml.skip()?;
                    }
                    "sectPr" => self.section(xml)?,
                    _ => self.pass_over(xml)?,
                },
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(()),
            }
            if matches!(sink, Sink::Document) {
                self.put_comments()?;
            }
        }
    }

    /// Passes over an element that is not known, and counts it where it has text.
    fn pass_over(&mut self, xml: &mut Xml<'_>) -> Result<(), ReadError> {
        if !xml.text()?.trim().is_empty() {
            self.omit(Omission::Unknown);
        }
        Ok(())
    }

    fn omit(&mut self, kind: Omission) {
        self.told += 1;
        self.output.omit(kind, 1, BlockPosition { page: self.page, line: None });
    }

    fn bookmark(&mut self, element: &Element<'_>) {
        let name = element.attr("name").filter(|name| !name.is_empty() && name != "_GoBack");
        self.bookmarks.extend(name);
    }

    fn paragraph(&mut self, xml: &mut Xml<'_>, near: &Relations) -> Result<Vec<Block>, ReadError> {
        self.output.check()?;
        let mut paragraph = Paragraph::default();
        self.runs(xml, near, &mut paragraph)?;
        Ok(self.finished(paragraph))
    }

    /// A paragraph's block, and those of the text boxes in it.
    fn finished(&mut self, mut paragraph: Paragraph) -> Vec<Block> {
        paragraph.close();
        let role = match (paragraph.outline, self.styles.role(paragraph.style.as_deref())) {
            (Some(level @ 0..=8), _) => Role::Heading(level + 1),
            (Some(_), Role::Heading(_)) => Role::Body,
            (_, role) => role,
        };
        let (text, invisible) = lines(&paragraph.text);
        if role == Role::Contents && !text.is_empty() {
            self.omit(Omission::Contents);
            return paragraph.boxes;
        }
        self.output.removed(invisible);
        let gone = paragraph.mark_deleted && (text.is_empty() || is_all_struck(&text));
        let mark = if gone { None } else { self.count(&paragraph) };
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
            let links = paragraph.links;
            blocks.push(Block { label, anchor, links, ..Block::new(kind, text, place) });
        }
        blocks.append(&mut paragraph.boxes);
        blocks
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
