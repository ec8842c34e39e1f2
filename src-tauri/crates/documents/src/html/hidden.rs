//! What a reader of the page does not see, and so no reader of its text may: hidden elements are how instructions for
//! a model are slipped past a person. When in doubt, text is left out and counted.

use super::tags::Tag;
use super::tokens::{Attribute, Key};

/// Navigation and decoration by role.
const ROLES: [&str; 10] = [
    "navigation",
    "menu",
    "menubar",
    "toolbar",
    "search",
    "banner",
    "contentinfo",
    "tablist",
    "doc-toc",
    "doc-pagebreak",
];

/// Navigation and decoration by the class names of the usual generators of manuals.
const CLASSES: [&str; 18] = [
    "headerlink",
    "copiable-link",
    "sr-only",
    "visually-hidden",
    "screen-reader-text",
    "navheader",
    "navfooter",
    "nav-panel",
    "breadcrumb",
    "breadcrumbs",
    "sphinxsidebar",
    "toc",
    "toctree-wrapper",
    "mw-editsection",
    "footer",
    "modification-marker",
    "skip-link",
    "skip-to-content",
];

/// Lists of places of an EPUB.
const EPUB_TYPES: [&str; 4] = ["pagebreak", "toc", "landmarks", "page-list"];

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
        Key::Class => !sheet.0.is_empty() && value.split_ascii_whitespace().any(|one| sheet.has('.', one)),
        Key::Id => !sheet.0.is_empty() && sheet.has('#', value.trim()),
        _ => false,
    }) || (tag == Tag::Dialog && value(attributes, Key::Open).is_none())
}

/// Whether the element leads around the document and is no part of its text.
pub(crate) fn is_furniture(attributes: &[Attribute<'_>]) -> bool {
    let any = |value: &str, known: &[&str]| value.split_ascii_whitespace().any(|one| known.contains(&one));
    attributes.iter().any(|(name, value)| match name {
        Key::Role => any(value, &ROLES),
        Key::Class => any(value, &CLASSES),
        Key::EpubType => any(value, &EPUB_TYPES),
        _ => false,
    })
}

/// Whether declarations of style make text invisible.
fn hides(style: &str) -> bool {
    if !style.contains(':') {
        return false;
    }
    let style: String = without_comments(style).chars().filter(|c| !c.is_whitespace()).collect();
    style.to_ascii_lowercase().split(';').any(|declaration| {
        let Some((property, value)) = declaration.split_once(':') else { return false };
        let value = value.strip_suffix("!important").unwrap_or(value);
        match property {
            "display" => value == "none",
            "visibility" => matches!(value, "hidden" | "collapse"),
            "font-size" | "opacity" => {
                let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
                number.parse::<f32>().is_ok_and(|number| number == 0.0)
            }
            "color" | "-webkit-text-fill-color" => value == "transparent",
            _ => false,
        }
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

/// The classes and ids that the page's own style sheets hide: `.x { display: none }`.
#[derive(Debug, Default)]
pub(crate) struct Sheet(std::collections::BTreeSet<String>);

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
            if hides(&rest[open + 1..close]) {
                for selector in selectors.split(',').map(str::trim) {
                    let simple = selector.get(1..).is_some_and(|name| {
                        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_')
                    });
                    if simple && selector.starts_with(['.', '#']) && self.0.len() < MAX_SELECTORS {
                        self.0.insert(selector.to_owned());
                    }
                }
            }
            rest = rest.get(close + 1..).unwrap_or_default();
        }
    }

    fn has(&self, mark: char, name: &str) -> bool {
        self.0.contains(&format!("{mark}{name}"))
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
