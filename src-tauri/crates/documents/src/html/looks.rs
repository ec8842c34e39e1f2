//! What style says of an element: by its own attributes, and by the page's and the book's sheets.

use std::collections::BTreeMap;

use super::hidden::value;
use super::tags::Tag;
use super::tokens::{Attribute, Key};
use crate::symbols::SymbolFont;

/// How an element is shown, as far as that changes what it says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Looks {
    /// The author keeps it from being seen. When in doubt, text is left out and counted: hidden elements are how
    /// instructions for a model are slipped past a person.
    pub(crate) hides: bool,
    pub(crate) strikes: bool,
    /// `sup` or `sub` where it is shown like one.
    pub(crate) shift: Option<Tag>,
    /// Its font: one of signs, or another.
    pub(crate) font: Option<Option<SymbolFont>>,
    /// The marks of a list's items, by the names of HTML's types; empty for none that can be written.
    pub(crate) marks: Option<&'static str>,
}

impl Looks {
    /// What an element's tag and attributes say.
    pub(crate) fn of_element(tag: Tag, name: &str, attributes: &[Attribute<'_>], sheet: &Sheet) -> Self {
        let mut looks = Self {
            hides: tag == Tag::Dialog && value(attributes, Key::Open).is_none(),
            strikes: matches!(tag, Tag::S | Tag::Strike | Tag::Del),
            ..Self::default()
        };
        if let Some(known) = sheet.looks_of(name) {
            looks.add(known);
        }
        for (key, value) in attributes {
            match key {
                Key::Hidden => looks.hides = true,
                Key::AriaHidden => looks.hides |= value.trim().eq_ignore_ascii_case("true"),
                Key::Class => {
                    for one in value.split_ascii_whitespace() {
                        match one {
                            "oj-super" | "super" | "superscript" => looks.shift = Some(Tag::Sup),
                            "oj-sub" | "subscript" => looks.shift = Some(Tag::Sub),
                            _ => {}
                        }
                        if !sheet.0.is_empty()
                            && let Some(known) = sheet.looks_of(&format!(".{one}"))
                        {
                            looks.add(known);
                        }
                    }
                }
                Key::Id if !sheet.0.is_empty() => {
                    if let Some(known) = sheet.looks_of(&format!("#{}", value.trim())) {
                        looks.add(known);
                    }
                }
                Key::Face if tag == Tag::Font => looks.font = Some(SymbolFont::of_family(value)),
                _ => {}
            }
        }
        if let Some(style) = value(attributes, Key::Style) {
            looks.add(Self::of_style(style));
        }
        looks
    }

    fn of_style(style: &str) -> Self {
        let mut looks = Self::default();
        for (property, value) in declarations(style) {
            match property.as_str() {
                "display" => looks.hides |= value == "none",
                "visibility" => looks.hides |= matches!(value.as_str(), "hidden" | "collapse"),
                "font-size" | "opacity" => {
                    let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
                    looks.hides |= number.parse::<f32>().is_ok_and(|number| number == 0.0);
                }
                "color" | "-webkit-text-fill-color" => looks.hides |= value == "transparent",
                "text-decoration" | "text-decoration-line" => looks.strikes |= value.contains("line-through"),
                "vertical-align" => match value.as_str() {
                    "super" => looks.shift = Some(Tag::Sup),
                    "sub" => looks.shift = Some(Tag::Sub),
                    _ => {}
                },
                "font-variant-position" => match value.as_str() {
                    "super" => looks.shift = Some(Tag::Sup),
                    "sub" => looks.shift = Some(Tag::Sub),
                    _ => {}
                },
                "font-family" => looks.font = Some(SymbolFont::of_family(&value)),
                "list-style" | "list-style-type" => looks.marks = marks(&value).or(looks.marks),
                _ => {}
            }
        }
        looks
    }

    fn add(&mut self, other: Self) {
        self.hides |= other.hides;
        self.strikes |= other.strikes;
        self.shift = other.shift.or(self.shift);
        self.font = other.font.or(self.font);
        self.marks = other.marks.or(self.marks);
    }
}

/// The marks of a list by a value of `list-style`, whose white space is out.
fn marks(value: &str) -> Option<&'static str> {
    // The longer name first: one is a part of another.
    const MARKS: [(&str, &str); 14] = [
        ("lower-alpha", "a"),
        ("lower-latin", "a"),
        ("upper-alpha", "A"),
        ("upper-latin", "A"),
        ("lower-roman", "i"),
        ("upper-roman", "I"),
        ("decimal", "1"),
        ("lower-greek", ""),
        ("armenian", ""),
        ("georgian", ""),
        ("disc", ""),
        ("circle", ""),
        ("square", ""),
        ("none", ""),
    ];
    MARKS.iter().find(|(name, _)| value.contains(name)).map(|&(_, kind)| kind)
}

/// The declarations of a style, without white space and in lower case.
fn declarations(style: &str) -> impl Iterator<Item = (String, String)> {
    let style: String = match style.contains(':') {
        true => without_comments(style).chars().filter(|c| !c.is_whitespace()).collect(),
        false => String::new(),
    };
    let all: Vec<(String, String)> = style
        .to_ascii_lowercase()
        .split(';')
        .filter_map(|one| one.split_once(':'))
        .map(|(property, value)| {
            (property.to_owned(), value.strip_suffix("!important").unwrap_or(value).to_owned())
        })
        .collect();
    all.into_iter()
}

fn without_comments(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = rest.find("/*") {
        out.push_str(&rest[..at]);
        rest = rest[at + 2..].find("*/").map_or("", |end| &rest[at + 2 + end + 2..]);
    }
    out.push_str(rest);
    out
}

/// What style sheets say of classes, ids and elements: `.x { display: none }`, `em { text-decoration: line-through }`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sheet(BTreeMap<String, Looks>);

/// Most selectors kept of one page.
const MAX_SELECTORS: usize = 10_000;

impl Sheet {
    /// Adds the rules of a style sheet. Rules for print or small screens (`@media`) are passed over.
    pub(crate) fn read(&mut self, css: &str) {
        let css = without_comments(css);
        let mut rest = css.as_str();
        while let Some(open) = rest.find('{') {
            let selectors = rest[..open].rsplit([';', '}']).next().unwrap_or_default().trim();
            if selectors.starts_with('@') {
                rest = &rest[open + 1 + nested_length(&rest[open + 1..])..];
                continue;
            }
            let close = rest[open..].find('}').map_or(rest.len(), |at| open + at);
            let looks = Looks::of_style(&rest[open + 1..close]);
            if looks != Looks::default() {
                selectors.split(',').for_each(|selector| self.add(selector.trim(), looks));
            }
            rest = rest.get(close + 1..).unwrap_or_default();
        }
    }

    fn add(&mut self, selector: &str, looks: Looks) {
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
        };
        let at = selector.find(['.', '#']);
        let is_whole = at == Some(0) && is_name(&selector[1..]);
        // `span.old` as well: what is struck by mistake is kept beside the text. What is hidden is not.
        let (key, looks) = match at {
            Some(at) if is_name(&selector[at + 1..]) => {
                (&selector[at..], Looks { hides: looks.hides && is_whole, ..looks })
            }
            None if is_name(selector) => (selector, Looks { hides: false, ..looks }),
            _ => return,
        };
        if self.0.len() < MAX_SELECTORS || self.0.contains_key(key) {
            self.0.entry(key.to_owned()).or_default().add(looks);
        }
    }

    fn looks_of(&self, selector: &str) -> Option<Looks> {
        self.0.get(selector).copied()
    }
}

/// The length of a block in braces whose opening brace is passed, the closing one included.
fn nested_length(css: &str) -> usize {
    let mut depth = 1_usize;
    for (at, b) in css.bytes().enumerate() {
        match b {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    css.len()
}
