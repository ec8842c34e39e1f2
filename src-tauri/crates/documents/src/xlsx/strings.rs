//! Texts of cells: struck and raised characters are marked as in every other format.

use super::FORMAT;
use crate::linear::{lowered, raised};
use crate::marks::struck;
use crate::xml::{Element, Node, Xml};
use crate::{Limits, ReadError};

/// A text that is put together from runs.
#[derive(Default)]
pub(super) struct RichText {
    pub(super) text: String,
    is_struck: bool,
    shift: Shift,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Shift {
    #[default]
    None,
    Raised,
    Lowered,
}

impl RichText {
    /// Takes an element of a text; what it holds is read.
    pub(super) fn take(&mut self, element: &Element<'_>, xml: &mut Xml<'_>) -> Result<bool, ReadError> {
        match element.name() {
            "r" => (self.is_struck, self.shift) = (false, Shift::None),
            "strike" => self.is_struck = element.is_on(),
            "vertAlign" => {
                self.shift = match element.attr("val").as_deref() {
                    Some("superscript") => Shift::Raised,
                    Some("subscript") => Shift::Lowered,
                    _ => Shift::None,
                }
            }
            // How a word is spoken.
            "rPh" => {
                xml.skip()?;
                return Ok(true);
            }
            "t" => {
                let text = xml.text()?;
                let text = match self.shift {
                    Shift::None => text,
                    Shift::Raised => raised(&text),
                    Shift::Lowered => lowered(&text),
                };
                self.text.push_str(&if self.is_struck { struck(&text) } else { text });
                return Ok(true);
            }
            _ => {}
        }
        Ok(false)
    }
}

/// The texts that cells share.
pub(super) fn shared(text: &str, limits: &Limits) -> Result<Vec<String>, ReadError> {
    let mut xml = Xml::new(text, FORMAT, limits);
    let (mut strings, mut bytes): (Vec<String>, usize) = (Vec::new(), 0);
    let mut current = RichText::default();
    let mut begun = false;
    loop {
        match xml.next()? {
            Node::Open(element) if element.name() == "si" => {
                if begun {
                    strings.push(std::mem::take(&mut current).text);
                }
                (begun, current) = (true, RichText::default());
            }
            Node::Open(element) => {
                let before = current.text.len();
                current.take(&element, &mut xml)?;
                bytes += current.text.len() - before;
                if bytes > limits.text_bytes {
                    let (limit, what) = (limits.text_bytes as u64, "bytes of text");
                    return Err(ReadError::TooLarge { limit, what });
                }
            }
            Node::Close | Node::Text(_) => {}
            Node::End => break,
        }
    }
    if begun {
        strings.push(current.text);
    }
    Ok(strings)
}
