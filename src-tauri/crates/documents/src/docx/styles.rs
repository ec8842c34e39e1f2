//! What a paragraph's or a run's style says about its meaning.

use std::collections::HashMap;

use super::looks::{Look, Shown};
use crate::xml::{Element, Node, Xml};
use crate::{Limits, ReadError};

/// Longest chain of styles that build on each other.
const MAX_CHAIN_STYLES: usize = 32;

#[derive(Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
    list: Option<String>,
    level: Option<usize>,
    look: Look,
}

/// The styles of a document.
#[derive(Default)]
pub(super) struct Styles {
    all: HashMap<String, Style>,
    /// The paragraph style where none is named.
    default: Option<String>,
    /// What the styles say of characters, with what they build on.
    looks: HashMap<String, Look>,
    /// What holds where no style says otherwise.
    defaults: Look,
}

/// What a style is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Heading(u8),
    Title,
    Contents,
    Quote,
    Body,
}

/// Whether a switch such as `w:vanish` is on.
pub(super) fn on(element: &Element<'_>) -> bool {
    element.is_on()
}

impl Styles {
    /// Reads `styles.xml`.
    pub(super) fn read(text: &str, limits: &Limits) -> Result<Self, ReadError> {
        let mut xml = Xml::new(text, "DOCX", limits);
        let mut styles = Self::default();
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "style" => {
                        let id = element.attr("styleId").unwrap_or_default();
                        let paragraph = element.attr("type").as_deref() == Some("paragraph");
                        if paragraph
                            && element.attr("default").is_some_and(|value| value == "1" || value == "true")
                        {
                            styles.default = Some(id.clone());
                        }
                        let style = read_style(&mut xml)?;
                        styles.all.insert(id, style);
                    }
                    "styles" | "docDefaults" | "rPrDefault" => {}
                    "rPr" => styles.defaults = Look::read(&mut xml)?,
                    _ => xml.skip()?,
                },
                Node::Close | Node::Text(_) => {}
                Node::End => break,
            }
        }
        let whole = |id: &String| {
            let chain = styles.chain(Some(id)).map(|(_, style)| &style.look);
            (id.clone(), chain.fold(Look::default(), Look::or))
        };
        styles.looks = styles.all.keys().map(whole).collect();
        Ok(styles)
    }

    /// The style and those it builds on, nearest first.
    fn chain<'s>(&'s self, id: Option<&'s str>) -> impl Iterator<Item = (&'s str, &'s Style)> {
        let mut next = id.or(self.default.as_deref());
        std::iter::from_fn(move || {
            let id = next?;
            let style = self.all.get(id)?;
            next = style.based_on.as_deref();
            Some((id, style))
        })
        .take(MAX_CHAIN_STYLES)
    }

    pub(super) fn role(&self, id: Option<&str>) -> Role {
        let mut known = false;
        for (_, style) in self.chain(id) {
            known = true;
            match style.outline {
                Some(level @ 0..=8) => return Role::Heading(level + 1),
                Some(_) => return Role::Body,
                None => {}
            }
            let name = style.name.to_lowercase();
            match name.as_str() {
                "title" => return Role::Title,
                "quote" | "intense quote" => return Role::Quote,
                "toc heading" => return Role::Contents,
                _ => {}
            }
            if name.strip_prefix("toc ").is_some_and(|rest| rest.parse::<u8>().is_ok()) {
                return Role::Contents;
            }
            if let Some(level @ 1..=9) = name.strip_prefix("heading ").and_then(|rest| rest.parse().ok()) {
                return Role::Heading(level);
            }
        }
        match id.filter(|_| !known).and_then(heading_of_id) {
            Some(level) => Role::Heading(level),
            None => Role::Body,
        }
    }

    /// The list of a style, and the level in it that the style names.
    pub(super) fn list<'s>(&'s self, id: Option<&'s str>) -> Option<(&'s str, &'s str, Option<usize>)> {
        let (from, style) = self.chain(id).find(|(_, style)| style.list.is_some())?;
        Some((from, style.list.as_deref()?, style.level))
    }

    /// How characters of a paragraph are seen whose own properties are these.
    pub(super) fn look_of(&self, paragraph: Option<&str>, own: &Look) -> Shown {
        let none = Look::default();
        let look = |id: Option<&str>| id.and_then(|id| self.looks.get(id)).unwrap_or(&none);
        own.over(look(own.style.as_deref()), look(paragraph.or(self.default.as_deref())), &self.defaults)
    }
}

/// The level of a heading style's id where `styles.xml` does not define it: Word translates ids, and leaves letters
/// out that are not ASCII.
fn heading_of_id(id: &str) -> Option<u8> {
    const STEMS: [&str; 16] = [
        "heading",
        "berschrift",
        "überschrift",
        "titre",
        "ttulo",
        "título",
        "titolo",
        "kop",
        "rubrik",
        "overskrift",
        "otsikko",
        "nagwek",
        "nagłówek",
        "nadpis",
        "cmsor",
        "címsor",
    ];
    let id = id.to_lowercase();
    let level = id.chars().last()?.to_digit(10).filter(|level| (1..=9).contains(level))?;
    let stem = id[..id.len() - 1].trim_end();
    STEMS.contains(&stem).then_some(level as u8)
}

fn read_style(xml: &mut Xml<'_>) -> Result<Style, ReadError> {
    let mut style = Style::default();
    let mut inside = 1_usize;
    while inside > 0 {
        match xml.next()? {
            Node::Open(element) => {
                let value = element.attr("val");
                match element.name() {
                    "rPr" => {
                        style.look = Look::read(xml)?;
                        continue;
                    }
                    // The look of some rows of a table.
                    "tblStylePr" => {
                        xml.skip()?;
                        continue;
                    }
                    "name" => style.name = value.unwrap_or_default(),
                    "basedOn" => style.based_on = value,
                    "outlineLvl" => style.outline = value.and_then(|level| level.parse().ok()),
                    "numId" => style.list = value,
                    "ilvl" => style.level = value.and_then(|level| level.parse().ok()),
                    _ => {}
                }
                inside += 1;
            }
            Node::Close => inside -= 1,
            Node::Text(_) => {}
            Node::End => break,
        }
    }
    Ok(style)
}
