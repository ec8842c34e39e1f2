//! What the formatting of characters says about their meaning: struck, raised, hidden, signs of a font (ECMA-376
//! part 1, sections 17.3.2 and 17.7.3).

use super::styles::on;
use crate::ReadError;
use crate::symbols::SymbolFont;
use crate::xml::{Element, Node, Xml};

/// Where characters stand beside the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    Up,
    Down,
}

/// What one place says of the look of characters: a run, a style, the defaults. What it does not say is `None`.
#[derive(Debug, Clone, Default)]
pub(super) struct Look {
    pub(super) style: Option<String>,
    hidden: Option<bool>,
    strike: Option<bool>,
    double_strike: Option<bool>,
    shift: Option<Option<Shift>>,
    /// Half-points above the line.
    position: Option<i32>,
    /// Half-points.
    size: Option<i32>,
    font: Option<Option<SymbolFont>>,
}

/// How characters are seen in the end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shown {
    pub(super) hidden: bool,
    pub(super) struck: bool,
    pub(super) shift: Option<Shift>,
    pub(super) font: Option<SymbolFont>,
}

/// Size where none is given, in half-points.
const USUAL_SIZE: i32 = 20;
/// From this many half-points on, smaller characters stand beside the line.
const SHIFTED: i32 = 4;

impl Look {
    /// Reads the properties that were just opened.
    pub(super) fn read(xml: &mut Xml<'_>) -> Result<Self, ReadError> {
        let mut look = Self::default();
        loop {
            match xml.next()? {
                Node::Open(element) => {
                    look.set(&element);
                    xml.skip()?;
                }
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(look),
            }
        }
    }

    fn set(&mut self, element: &Element<'_>) {
        let number = || element.attr("val").and_then(|value| value.trim().parse().ok());
        match element.name() {
            "rStyle" => self.style = element.attr("val"),
            "vanish" => self.hidden = Some(on(element)),
            "strike" => self.strike = Some(on(element)),
            "dstrike" => self.double_strike = Some(on(element)),
            "vertAlign" => {
                self.shift = Some(match element.attr("val").as_deref() {
                    Some("superscript") => Some(Shift::Up),
                    Some("subscript") => Some(Shift::Down),
                    _ => None,
                });
            }
            "position" => self.position = number(),
            "sz" => self.size = number(),
            "rFonts" => {
                if let Some(name) = element.attr("ascii").or_else(|| element.attr("hAnsi")) {
                    self.font = Some(SymbolFont::of_name(&name));
                }
            }
            _ => {}
        }
    }

    /// What this says, and where it says nothing, what the style that it builds on says.
    pub(super) fn or(self, base: &Self) -> Self {
        Self {
            style: None,
            hidden: self.hidden.or(base.hidden),
            strike: self.strike.or(base.strike),
            double_strike: self.double_strike.or(base.double_strike),
            shift: self.shift.or(base.shift),
            position: self.position.or(base.position),
            size: self.size.or(base.size),
            font: self.font.or(base.font),
        }
    }

    /// The look of characters with these properties of their own, in a character style, in a paragraph's style.
    pub(super) fn over(&self, character: &Self, paragraph: &Self, defaults: &Self) -> Shown {
        // A switch that styles of both kinds turn on is off.
        let toggled = |get: fn(&Self) -> Option<bool>| {
            let set = |look| get(look).unwrap_or(false);
            get(self).unwrap_or_else(|| set(defaults) || (set(character) ^ set(paragraph)))
        };
        let around = [character, paragraph, defaults];
        let nearest = || std::iter::once(self).chain(around);
        let double = nearest().find_map(|look| look.double_strike).unwrap_or(false);
        let usual = paragraph.size.or(defaults.size).unwrap_or(USUAL_SIZE);
        let smaller = self.size.or(character.size).is_some_and(|size| size < usual);
        let position = nearest().find_map(|look| look.position).filter(|_| smaller).unwrap_or(0);
        let by_position = match position {
            SHIFTED.. => Some(Shift::Up),
            position if position <= -SHIFTED => Some(Shift::Down),
            _ => None,
        };
        Shown {
            hidden: toggled(|look| look.hidden),
            struck: toggled(|look| look.strike) || double,
            shift: nearest().find_map(|look| look.shift).flatten().or(by_position),
            font: nearest().find_map(|look| look.font).flatten(),
        }
    }
}
