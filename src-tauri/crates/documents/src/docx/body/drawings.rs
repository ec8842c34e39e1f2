//! What drawings and objects within a paragraph hold.

use super::paragraph::Paragraph;
use super::{Body, Sink, branch, rest_of};
use crate::docx::Relations;
use crate::omissions::Omission;
use crate::output::clean;
use crate::xml::{Node, Xml};
use crate::{Block, BlockKind, ReadError};

impl Body<'_, '_> {
    /// Text boxes within a drawing, and what else it holds.
    pub(super) fn boxes(
        &mut self,
        xml: &mut Xml<'_>,
        near: &Relations,
        into: &mut Paragraph,
    ) -> Result<(), ReadError> {
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
                    "blip" | "imagedata" => {
                        self.omit(Omission::Picture);
                        xml.skip()?;
                    }
                    "chart" | "relIds" => {
                        self.omit(Omission::Embedded);
                        xml.skip()?;
                    }
                    "OLEObject" => {
                        let equation =
                            element.attr("ProgID").is_some_and(|name| name.starts_with("Equation"));
                        self.omit(if equation { Omission::FormulaPicture } else { Omission::Embedded });
                        xml.skip()?;
                    }
                    "textpath" => {
                        let (text, _) = clean(&element.attr("string").unwrap_or_default());
                        into.boxes.push(Block::new(BlockKind::Paragraph, text, self.place()));
                        xml.skip()?;
                    }
                    "inline" | "anchor" => {
                        let (told, boxes) = (self.told, into.boxes.len());
                        self.boxes(xml, near, into)?;
                        if self.told == told && into.boxes.len() == boxes {
                            self.omit(Omission::Picture);
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
