//! How cells look: their number format, and whether they are struck out.

use tables::numbers::NumberFormat;

use super::FORMAT;
use crate::xml::{Node, Xml};
use crate::{Limits, ReadError};

/// The styles of cells, in order.
#[derive(Default)]
pub(super) struct Styles(Vec<Style>);

/// How a cell looks.
#[derive(Default)]
pub(super) struct Style {
    /// None for numbers that are shown as they are.
    pub(super) format: Option<NumberFormat>,
    pub(super) is_struck: bool,
}

impl Styles {
    pub(super) fn get(&self, at: usize) -> Option<&Style> {
        self.0.get(at)
    }

    pub(super) fn read(text: &str, limits: &Limits) -> Result<Self, ReadError> {
        let mut xml = Xml::new(text, FORMAT, limits);
        let (mut own, mut struck_fonts, mut styles) = (Vec::new(), Vec::new(), Vec::new());
        let mut within = String::new();
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "numFmt" => {
                        own.push((element.attr("numFmtId"), element.attr("formatCode").unwrap_or_default()))
                    }
                    name @ ("fonts" | "cellXfs" | "cellStyles" | "cellStyleXfs" | "dxfs" | "fills") => {
                        name.clone_into(&mut within)
                    }
                    "font" if within == "fonts" => struck_fonts.push(false),
                    "strike" if within == "fonts" => {
                        let on = element.is_on();
                        struck_fonts.last_mut().into_iter().for_each(|last| *last = on);
                    }
                    "xf" if within == "cellXfs" => {
                        let id = element.attr("numFmtId");
                        let named = own.iter().find(|(known, _)| *known == id);
                        let number = id.as_deref().and_then(|id| id.parse().ok()).unwrap_or(0);
                        let format = named.map_or_else(
                            || NumberFormat::built_in(number),
                            |(_, code)| NumberFormat::new(code),
                        );
                        let font = element.attr("fontId").and_then(|font| font.parse::<usize>().ok());
                        styles.push(Style {
                            format: (format != NumberFormat::default()).then_some(format),
                            is_struck: font.and_then(|font| struck_fonts.get(font).copied()).unwrap_or(false),
                        });
                    }
                    _ => {}
                },
                Node::Close | Node::Text(_) => {}
                Node::End => return Ok(Self(styles)),
            }
        }
    }
}
