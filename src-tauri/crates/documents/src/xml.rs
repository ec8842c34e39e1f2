//! XML pulled event by event, within the limits. Namespaces' prefixes are passed over; a document type is refused, so
//! no entity but the five of XML and character numbers is ever resolved.

use std::borrow::Cow;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::marks::is_mark;
use crate::{Limits, ReadError};

/// The next thing in a file.
pub(crate) enum Node<'a> {
    /// An element begins.
    Open(Element<'a>),
    /// The innermost open element ends.
    Close,
    /// Text, entities resolved.
    Text(Cow<'a, str>),
    /// The file ends, all elements closed.
    End,
}

/// The beginning of an element.
pub(crate) struct Element<'a>(BytesStart<'a>);

impl Element<'_> {
    /// Its name without prefix.
    pub(crate) fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// The attribute of that name, prefixes left out.
    pub(crate) fn attr(&self, name: &str) -> Option<String> {
        let mut all = self.0.attributes();
        let one = all.with_checks(false).flatten().find(|one| one.key.local_name().into_inner() == name)?;
        Some(one.normalized_value(XmlVersion::Implicit1_0).unwrap_or_else(|_| one.value.clone()).into_owned())
    }

    /// Whether what the element stands for is on: it is unless its value says otherwise.
    pub(crate) fn is_on(&self) -> bool {
        !matches!(self.attr("val").as_deref(), Some("0" | "false" | "off"))
    }
}

/// A file of XML being read.
pub(crate) struct Xml<'a> {
    reader: Reader<&'a [u8]>,
    format: &'static str,
    depth: usize,
    deepest: usize,
}

impl<'a> Xml<'a> {
    pub(crate) fn new(text: &'a str, format: &'static str, limits: &Limits) -> Self {
        let mut reader = Reader::from_str(text);
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self { reader, format, depth: 0, deepest: limits.depth }
    }

    pub(crate) fn next(&mut self) -> Result<Node<'a>, ReadError> {
        loop {
            let event = self.reader.read_event().map_err(|error| {
                let at = self.reader.error_position();
                malformed(self.format, format!("{error}, at byte {at}"))
            })?;
            return Ok(match event {
                Event::Start(start) | Event::Empty(start) => {
                    self.depth += 1;
                    if self.depth > self.deepest {
                        return Err(ReadError::TooLarge {
                            limit: self.deepest as u64,
                            what: "levels of nested elements",
                        });
                    }
                    Node::Open(Element(start))
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    Node::Close
                }
                Event::Text(text) => Node::Text(text.into_inner()),
                Event::CData(text) => Node::Text(text.into_inner()),
                Event::GeneralRef(name) => Node::Text(match (name.resolve_char_ref(), &*name) {
                    (Ok(Some(c)), _) => c.to_string().into(),
                    (_, "amp") => "&".into(),
                    (_, "lt") => "<".into(),
                    (_, "gt") => ">".into(),
                    (_, "quot") => "\"".into(),
                    (_, "apos") => "'".into(),
                    // What it stands for is not in the file.
                    (_, name) => format!("&{name};").into(),
                }),
                Event::DocType(_) => {
                    return Err(malformed(
                        self.format,
                        "a document type declaration, which is not read".into(),
                    ));
                }
                Event::Eof if self.depth > 0 => {
                    return Err(malformed(self.format, "it ends in the middle of an element".into()));
                }
                Event::Eof => Node::End,
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) => continue,
            });
        }
    }

    /// Passes over the element that was just opened.
    pub(crate) fn skip(&mut self) -> Result<(), ReadError> {
        let mut inside = 1_usize;
        while inside > 0 {
            match self.next()? {
                Node::Open(_) => inside += 1,
                Node::Close => inside -= 1,
                Node::Text(_) => {}
                Node::End => return Ok(()),
            }
        }
        Ok(())
    }

    /// All the text of the element that was just opened.
    pub(crate) fn text(&mut self) -> Result<String, ReadError> {
        let mut out = String::new();
        let mut inside = 1_usize;
        while inside > 0 {
            match self.next()? {
                Node::Open(_) => inside += 1,
                Node::Close => inside -= 1,
                // No mark is written without this byte.
                Node::Text(text) if !text.as_bytes().contains(&0xef) => out.push_str(&text),
                Node::Text(text) => out.extend(text.chars().filter(|&c| !is_mark(c))),
                Node::End => break,
            }
        }
        Ok(out)
    }
}

fn malformed(format: &'static str, what: String) -> ReadError {
    ReadError::Malformed { format, what }
}
