//! What stands beside the text: footnotes and endnotes, comments, headers and footers.

use super::{Body, Sink};
use crate::docx::Relations;
use crate::docx::fields::Fields;
use crate::omissions::Omission;
use crate::xml::{Node, Xml};
use crate::{Block, BlockKind, BlockPosition, ReadError};

/// Most words of a header that is nothing but the page's number: `Page 3 of 9`.
const NUMBER_WORDS: usize = 3;

/// A header or footer that a section refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageFrame {
    /// The id of its part.
    pub(crate) id: String,
    pub(crate) header: bool,
    /// Whether it is one for even pages, which settings turn on.
    pub(crate) even: bool,
}

impl Body<'_, '_> {
    /// Reads `footnotes.xml` or `endnotes.xml`: the notes that the text refers to.
    pub(crate) fn read_notes(&mut self, text: &str, near: &Relations) -> Result<(), ReadError> {
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
                    // Lines between text and notes, and notes to which nothing refers: nobody sees them.
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
                    self.put_comments()?;
                }
                Node::Close | Node::Text(_) => {}
                Node::End => return Ok(()),
            }
        }
    }

    /// Reads `comments.xml`; each is put out behind what it is about.
    pub(crate) fn read_comments(&mut self, text: &str, near: &Relations) -> Result<(), ReadError> {
        let page = self.page.take();
        let mut xml = Xml::new(text, "DOCX", self.output.limits());
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "comment" => {
                        let id = element.attr("id").unwrap_or_default();
                        let author = element.attr("author").filter(|author| !author.trim().is_empty());
                        let text = self.remark_text(&mut xml, near)?;
                        let author = author.map(|author| format!(" ({})", author.trim())).unwrap_or_default();
                        if !text.is_empty() {
                            self.comments.insert(id, format!("Comment{author}: {text}"));
                        }
                    }
                    "comments" => {}
                    _ => self.pass_over(&mut xml)?,
                },
                Node::Close | Node::Text(_) => {}
                Node::End => break,
            }
        }
        self.page = page;
        self.fields = Fields::default();
        Ok(())
    }

    /// Reads a header or footer.
    pub(crate) fn read_frame(&mut self, text: &str, near: &Relations, header: bool) -> Result<(), ReadError> {
        self.page = None;
        self.fields = Fields::default();
        let numbers = self.page_numbers;
        let mut xml = Xml::new(text, "DOCX", self.output.limits());
        let mut said = String::new();
        loop {
            match xml.next()? {
                Node::Open(_) => said = self.remark_text(&mut xml, near)?,
                Node::Close | Node::Text(_) => {}
                Node::End => break,
            }
        }
        let letters = |word: &&str| word.contains(char::is_alphanumeric);
        if self.page_numbers > numbers && said.split_whitespace().filter(letters).count() <= NUMBER_WORDS {
            self.omit(Omission::PageNumber);
            return Ok(());
        }
        if said.is_empty() || !self.framed.insert(said.clone()) {
            return Ok(());
        }
        self.omit(Omission::PageFrame);
        let text = format!("{}: {said}", if header { "Header" } else { "Footer" });
        self.output.push(Block::new(BlockKind::Remark, text, BlockPosition::default()))?;
        self.put_comments()
    }

    /// The text of the element that was just opened, and its blocks' ends as line breaks.
    fn remark_text(&mut self, xml: &mut Xml<'_>, near: &Relations) -> Result<String, ReadError> {
        let mut blocks = Vec::new();
        self.blocks(xml, near, &mut Sink::Blocks(&mut blocks))?;
        self.bookmarks.clear();
        let texts: Vec<String> = blocks.into_iter().map(|block| block.text).collect();
        Ok(texts.join("\n"))
    }

    /// The comments on what was just put out.
    pub(super) fn put_comments(&mut self) -> Result<(), ReadError> {
        for id in std::mem::take(&mut self.commented) {
            if let Some(text) = self.comments.remove(&id) {
                self.omit(Omission::Comment);
                let place = BlockPosition { page: self.page, line: None };
                self.output.push(Block::new(BlockKind::Remark, text, place))?;
            }
        }
        Ok(())
    }

    /// The headers and footers that a section refers to, by its properties, which are read to their end.
    pub(super) fn section(&mut self, xml: &mut Xml<'_>) -> Result<(), ReadError> {
        let mut found: Vec<(PageFrame, bool)> = Vec::new();
        let mut first_differs = false;
        loop {
            match xml.next()? {
                Node::Open(element) => {
                    match element.name() {
                        name @ ("headerReference" | "footerReference") => {
                            let of = element.attr("type").unwrap_or_default();
                            let id = element.attr("id").unwrap_or_default();
                            let header = name == "headerReference";
                            found.push((PageFrame { id, header, even: of == "even" }, of == "first"));
                        }
                        "titlePg" => first_differs = element.is_on(),
                        _ => {}
                    }
                    xml.skip()?;
                }
                Node::Text(_) => {}
                Node::Close | Node::End => break,
            }
        }
        for (frame, first) in found {
            if (!first || first_differs) && !self.frames.contains(&frame) {
                self.frames.push(frame);
            }
        }
        Ok(())
    }

    /// The headers and footers that were referred to.
    pub(crate) fn frames(&self) -> Vec<PageFrame> {
        self.frames.clone()
    }
}

pub(super) fn note_anchor(end: bool, label: &str) -> String {
    format!("{}-{label}", if end { "endnote" } else { "footnote" })
}
