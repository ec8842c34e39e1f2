//! Automatic numbers, computed as Word shows them (ECMA-376 part 1, section 17.9).

use std::collections::{BTreeMap, BTreeSet};

use crate::numbers::ordinal;
use crate::xml::{Element, Node, Xml};
use crate::{Limits, ReadError};

/// Levels of a list in this format.
const LEVELS: usize = 9;

#[derive(Clone, Default)]
struct Level {
    start: Option<u32>,
    format: String,
    text: String,
    restart: Option<usize>,
    style: Option<String>,
    legal: bool,
}

#[derive(Default)]
struct Abstract {
    levels: [Level; LEVELS],
    /// The list style that defines the levels in this one's place.
    link: Option<String>,
    /// The list style that this one defines.
    defines: Option<String>,
}

#[derive(Default)]
struct List {
    of: String,
    starts: BTreeMap<usize, u32>,
    levels: BTreeMap<usize, Level>,
}

/// The lists of a document and how far each has counted.
#[derive(Default)]
pub(super) struct Numbers {
    abstracts: BTreeMap<String, Abstract>,
    lists: BTreeMap<String, List>,
    counts: BTreeMap<String, [Option<u32>; LEVELS]>,
    restarted: BTreeSet<(String, usize)>,
}

/// What a list puts in front of a paragraph.
pub(super) enum Mark {
    /// A number, as shown.
    Number(String),
    /// A bullet or nothing.
    Bullet,
}

impl Numbers {
    /// Reads `numbering.xml`.
    pub(super) fn read(text: &str, limits: &Limits) -> Result<Self, ReadError> {
        let mut xml = Xml::new(text, "DOCX", limits);
        let mut all = Self::default();
        loop {
            match xml.next()? {
                Node::Open(element) => match element.name() {
                    "abstractNum" => {
                        let id = element.attr("abstractNumId").unwrap_or_default();
                        let read = read_abstract(&mut xml)?;
                        all.abstracts.insert(id, read);
                    }
                    "num" => {
                        let id = element.attr("numId").unwrap_or_default();
                        let read = read_list(&mut xml)?;
                        all.lists.insert(id, read);
                    }
                    "numbering" => {}
                    _ => xml.skip()?,
                },
                Node::Close | Node::Text(_) => {}
                Node::End => return Ok(all),
            }
        }
    }

    /// The level at which a paragraph style stands in a list.
    pub(super) fn level_of_style(&self, list: &str, style: &str) -> Option<usize> {
        let levels = &self.definition(&self.lists.get(list)?.of)?.levels;
        levels.iter().position(|level| level.style.as_deref() == Some(style))
    }

    /// Counts one paragraph of a list; `None` when there is no such list.
    pub(super) fn count(&mut self, list: &str, at: usize) -> Option<Mark> {
        let at = at.min(LEVELS - 1);
        let of = self.lists.get(list)?.of.clone();
        let levels: Vec<Level> = (0..LEVELS).map(|n| self.level(list, n)).collect();
        let first = |n: usize| levels[n].start.unwrap_or(1);
        let counts = self.counts.entry(of).or_default();
        let overridden = self.lists.get(list).is_some_and(|one| one.starts.contains_key(&at));
        counts[at] = Some(if overridden && self.restarted.insert((list.to_owned(), at)) {
            first(at)
        } else {
            counts[at].map_or(first(at), |count| count.saturating_add(1))
        });
        for (deeper, level) in levels.iter().enumerate().skip(at + 1) {
            // By default a level begins anew below every level above it.
            if level.restart.is_none_or(|restart| restart != 0 && at < restart) {
                counts[deeper] = None;
            }
        }
        let level = &levels[at];
        if level.format == "bullet" {
            return Some(Mark::Bullet);
        }
        let mut shown = String::new();
        let mut chars = level.text.chars().peekable();
        while let Some(c) = chars.next() {
            let digit = (c == '%').then(|| chars.peek().and_then(|c| c.to_digit(10))).flatten();
            match digit {
                Some(number @ 1..=9) => {
                    chars.next();
                    let n = number as usize - 1;
                    let format = if level.legal { "decimal" } else { levels[n].format.as_str() };
                    shown.push_str(&written(counts[n].unwrap_or_else(|| first(n)), format));
                }
                _ => shown.push(c),
            }
        }
        let shown = shown.trim();
        let bare = shown.strip_suffix(['.', ':']).unwrap_or(shown);
        Some(if bare.chars().any(char::is_alphanumeric) {
            Mark::Number(bare.to_owned())
        } else {
            Mark::Bullet
        })
    }

    fn definition(&self, of: &str) -> Option<&Abstract> {
        let found = self.abstracts.get(of)?;
        let linked = found
            .link
            .as_ref()
            .and_then(|link| self.abstracts.values().find(|other| other.defines.as_ref() == Some(link)));
        Some(linked.unwrap_or(found))
    }

    fn level(&self, list: &str, n: usize) -> Level {
        let Some(list) = self.lists.get(list) else { return Level::default() };
        let own = list.levels.get(&n).cloned();
        let mut level =
            own.or_else(|| self.definition(&list.of).map(|of| of.levels[n].clone())).unwrap_or_default();
        level.start = list.starts.get(&n).copied().or(level.start);
        level
    }
}

fn value(element: &Element<'_>) -> String {
    element.attr("val").unwrap_or_default()
}

fn level_number(element: &Element<'_>) -> Option<usize> {
    element.attr("ilvl")?.parse().ok().filter(|&n| n < LEVELS)
}

fn read_abstract(xml: &mut Xml<'_>) -> Result<Abstract, ReadError> {
    let mut read = Abstract::default();
    loop {
        match xml.next()? {
            Node::Open(element) => match (element.name(), level_number(&element)) {
                ("lvl", Some(n)) => read.levels[n] = read_level(xml)?,
                ("numStyleLink", _) => {
                    read.link = Some(value(&element));
                    xml.skip()?;
                }
                ("styleLink", _) => {
                    read.defines = Some(value(&element));
                    xml.skip()?;
                }
                _ => xml.skip()?,
            },
            Node::Text(_) => {}
            Node::Close | Node::End => return Ok(read),
        }
    }
}

fn read_level(xml: &mut Xml<'_>) -> Result<Level, ReadError> {
    let mut level = Level::default();
    loop {
        match xml.next()? {
            Node::Open(element) => {
                let value = value(&element);
                match element.name() {
                    "start" => level.start = value.parse().ok(),
                    "numFmt" => level.format = value,
                    "lvlText" => level.text = value,
                    "lvlRestart" => level.restart = value.parse().ok(),
                    "pStyle" => level.style = Some(value),
                    "isLgl" => level.legal = element.is_on(),
                    _ => {}
                }
                xml.skip()?;
            }
            Node::Text(_) => {}
            Node::Close | Node::End => return Ok(level),
        }
    }
}

fn read_list(xml: &mut Xml<'_>) -> Result<List, ReadError> {
    let mut list = List::default();
    let mut inside = None;
    loop {
        match xml.next()? {
            Node::Open(element) => match (element.name(), inside) {
                ("abstractNumId", _) => {
                    list.of = value(&element);
                    xml.skip()?;
                }
                ("lvlOverride", None) => match level_number(&element) {
                    Some(n) => inside = Some(n),
                    None => xml.skip()?,
                },
                ("startOverride", Some(n)) => {
                    list.starts.extend(value(&element).parse().ok().map(|start| (n, start)));
                    xml.skip()?;
                }
                ("lvl", Some(n)) => {
                    let level = read_level(xml)?;
                    list.levels.insert(n, level);
                }
                _ => xml.skip()?,
            },
            Node::Text(_) => {}
            Node::Close if inside.is_some() => inside = None,
            Node::Close | Node::End => return Ok(list),
        }
    }
}

/// A number in a list's format. What has no sensible form, and formats of other scripts, is decimal.
pub(super) fn written(number: u32, format: &str) -> String {
    match format {
        "none" => String::new(),
        "lowerLetter" => letters(number, 'a'),
        "upperLetter" => letters(number, 'A'),
        "lowerRoman" => ordinal(number.into(), "i"),
        "upperRoman" => ordinal(number.into(), "I"),
        "decimalZero" => format!("{number:02}"),
        _ => number.to_string(),
    }
}

/// `a` to `z`, then `aa`, `bb`, as Word counts.
fn letters(number: u32, first: char) -> String {
    match number {
        1..=520 => {
            let letter = char::from(first as u8 + ((number - 1) % 26) as u8);
            std::iter::repeat_n(letter, (number as usize - 1) / 26 + 1).collect()
        }
        _ => number.to_string(),
    }
}
