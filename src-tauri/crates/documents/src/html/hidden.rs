//! What a reader of the page does not see, and so no reader of its text may: hidden elements are how instructions for
//! a model are slipped past a person. When in doubt, text is left out and counted.

use std::collections::BTreeSet;

use super::tags::Tag;
use super::tokens::{Attribute, Key};
use crate::omissions::Omission;

/// Navigation and decoration by role.
const ROLES: [(&str, Omission); 10] = [
    ("navigation", Omission::Navigation),
    ("menu", Omission::Navigation),
    ("menubar", Omission::Navigation),
    ("toolbar", Omission::Control),
    ("search", Omission::Navigation),
    ("banner", Omission::Frame),
    ("contentinfo", Omission::Frame),
    ("tablist", Omission::Control),
    ("doc-toc", Omission::Navigation),
    ("doc-pagebreak", Omission::Control),
];

/// Navigation and decoration by the class names of the usual generators of manuals.
const CLASSES: [(&str, Omission); 18] = [
    ("headerlink", Omission::Control),
    ("copiable-link", Omission::Control),
    ("sr-only", Omission::Control),
    ("visually-hidden", Omission::Control),
    ("screen-reader-text", Omission::Control),
    ("navheader", Omission::Navigation),
    ("navfooter", Omission::Navigation),
    ("nav-panel", Omission::Navigation),
    ("breadcrumb", Omission::Navigation),
    ("breadcrumbs", Omission::Navigation),
    ("sphinxsidebar", Omission::Navigation),
    ("toc", Omission::Navigation),
    ("toctree-wrapper", Omission::Navigation),
    ("mw-editsection", Omission::Control),
    ("footer", Omission::Frame),
    ("modification-marker", Omission::Control),
    ("skip-link", Omission::Control),
    ("skip-to-content", Omission::Control),
];

/// Lists of places of an EPUB.
const EPUB_TYPES: [(&str, Omission); 4] = [
    ("pagebreak", Omission::Control),
    ("toc", Omission::Navigation),
    ("landmarks", Omission::Navigation),
    ("page-list", Omission::Navigation),
];

/// The value of an attribute.
pub(crate) fn value<'x>(attributes: &'x [Attribute<'_>], name: Key) -> Option<&'x str> {
    attributes.iter().find(|(one, _)| *one == name).map(|(_, value)| value.as_ref())
}

/// Whether the author keeps the element from being seen.
pub(crate) fn is_hidden(tag: Tag, attributes: &[Attribute<'_>], sheet: &Sheet) -> bool {
    attributes.iter().any(|(name, value)| match name {
        Key::Hidden => true,
        Key::AriaHidden => value.trim().eq_ignore_ascii_case("true"),
        Key::Style => hides(value),
        Key::Class => {
            !sheet.hidden.is_empty() && value.split_ascii_whitespace().any(|one| sheet.has('.', one))
        }
        Key::Id => !sheet.hidden.is_empty() && sheet.has('#', value.trim()),
        _ => false,
    }) || (tag == Tag::Dialog && value(attributes, Key::Open).is_none())
}

/// A reason to take an element for furniture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Furniture {
    /// The tag, role or class that says so.
    pub(crate) name: &'static str,
    pub(crate) kind: Omission,
    /// Whether the language says so; a class name is a guess.
    pub(crate) sure: bool,
}

/// Why the element leads around the document and is no part of its text.
pub(crate) fn furniture(tag: Tag, attributes: &[Attribute<'_>]) -> Option<Furniture> {
    let any = |value: &str, known: &[(&'static str, Omission)], sure| {
        let found =
            value.split_ascii_whitespace().find_map(|one| known.iter().find(|(name, _)| *name == one));
        found.map(|&(name, kind)| Furniture { name, kind, sure })
    };
    match tag {
        Tag::Nav => return Some(Furniture { name: "nav", kind: Omission::Navigation, sure: true }),
        Tag::Search => return Some(Furniture { name: "search", kind: Omission::Navigation, sure: true }),
        _ => {}
    }
    attributes.iter().find_map(|(name, value)| match name {
        Key::Role => any(value, &ROLES, true),
        Key::Class => any(value, &CLASSES, false),
        Key::EpubType => any(value, &EPUB_TYPES, true),
        _ => None,
    })
}

/// Whether the element's text is shown struck out.
pub(crate) fn is_struck(tag: Tag, attributes: &[Attribute<'_>], sheet: &Sheet) -> bool {
    matches!(tag, Tag::S | Tag::Strike | Tag::Del)
        || attributes.iter().any(|(name, value)| match name {
            Key::Style => strikes(value),
            Key::Class => {
                !sheet.struck.is_empty()
                    && value.split_ascii_whitespace().any(|one| sheet.struck.contains(&format!(".{one}")))
            }
            Key::Id => !sheet.struck.is_empty() && sheet.struck.contains(&format!("#{}", value.trim())),
            _ => false,
        })
}

/// `sup` or `sub` where an inline element is shown like one.
pub(crate) fn shift(attributes: &[Attribute<'_>]) -> Option<Tag> {
    attributes.iter().find_map(|(name, value)| match name {
        Key::Class => value.split_ascii_whitespace().find_map(|one| match one {
            "oj-super" | "super" | "superscript" => Some(Tag::Sup),
            "oj-sub" | "subscript" => Some(Tag::Sub),
            _ => None,
        }),
        Key::Style if value.contains("ertical") => {
            declarations(value).find_map(|(property, value)| match (property.as_str(), value.as_str()) {
                ("vertical-align", "super") => Some(Tag::Sup),
                ("vertical-align", "sub") => Some(Tag::Sub),
                _ => None,
            })
        }
        _ => None,
    })
}

fn strikes(style: &str) -> bool {
    // Most styles need no closer look.
    let lower = !style.bytes().any(|b| b.is_ascii_uppercase());
    let may =
        if lower { style.contains("-through") } else { style.to_ascii_lowercase().contains("-through") };
    may && declarations(style).any(|(property, value)| {
        matches!(property.as_str(), "text-decoration" | "text-decoration-line")
            && value.contains("line-through")
    })
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

/// Whether declarations of style make text invisible.
fn hides(style: &str) -> bool {
    declarations(style).any(|(property, value)| match property.as_str() {
        "display" => value == "none",
        "visibility" => matches!(value.as_str(), "hidden" | "collapse"),
        "font-size" | "opacity" => {
            let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
            number.parse::<f32>().is_ok_and(|number| number == 0.0)
        }
        "color" | "-webkit-text-fill-color" => value == "transparent",
        _ => false,
    })
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

/// The classes and ids that the page's own style sheets hide or strike out: `.x { display: none }`.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    hidden: BTreeSet<String>,
    struck: BTreeSet<String>,
}

/// Most hidden selectors kept of one page.
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
            let style = &rest[open + 1..close];
            if hides(style) {
                add(&mut self.hidden, selectors.split(',').map(str::trim));
            }
            if strikes(style) {
                // `span.old` as well: what is struck by mistake is kept beside the text.
                let name = |one: &str| one.find(['.', '#']).map(|at| one[at..].to_owned());
                let names: Vec<String> = selectors.split(',').filter_map(|one| name(one.trim())).collect();
                add(&mut self.struck, names.iter().map(String::as_str));
            }
            rest = rest.get(close + 1..).unwrap_or_default();
        }
    }

    fn has(&self, mark: char, name: &str) -> bool {
        self.hidden.contains(&format!("{mark}{name}"))
    }
}

/// Adds those selectors that are a class or an id alone.
fn add<'s>(to: &mut BTreeSet<String>, selectors: impl Iterator<Item = &'s str>) {
    for selector in selectors {
        let simple = selector.get(1..).is_some_and(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
        });
        if simple && selector.starts_with(['.', '#']) && to.len() < MAX_SELECTORS {
            to.insert(selector.to_owned());
        }
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
