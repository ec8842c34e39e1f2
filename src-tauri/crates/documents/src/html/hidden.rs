//! Which elements lead around a page and are no part of its text, by their names.

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

/// Help of the usual generators of manuals, by its id.
const IDS: [(&str, Omission); 1] = [("mdbook-help-container", Omission::Control)];

/// The value of an attribute.
pub(crate) fn value<'x>(attributes: &'x [Attribute<'_>], name: Key) -> Option<&'x str> {
    attributes.iter().find(|(one, _)| *one == name).map(|(_, value)| value.as_ref())
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
        Key::Id => any(value, &IDS, false),
        _ => None,
    })
}
