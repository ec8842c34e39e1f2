//! A book's package: which files it has, and in which order they are read.

use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;

use super::FORMAT;
use crate::xml::{Node, Xml};
use crate::{Limits, ReadError};

/// Most chapters of one book.
const MAX_CHAPTERS: usize = 20_000;

/// Most style sheets of one book.
const MAX_SHEETS: usize = 200;

/// What a package says about reading it.
pub(super) struct Package {
    pub(super) title: Option<String>,
    /// Names of the chapters' entries in reading order.
    pub(super) chapters: Vec<String>,
    /// What the reading order has besides, and why it is not read.
    pub(super) unread: Vec<String>,
    /// Names of the entries with style sheets.
    pub(super) sheets: Vec<String>,
}

/// A file of the book.
struct Item {
    href: String,
    kind: String,
    fallback: Option<String>,
    nav: bool,
}

impl Item {
    /// Whether it is read as XHTML: by its type, by its name where it has none.
    fn is_text(&self) -> bool {
        let is_page = |name: &str| [".xhtml", ".html", ".htm"].iter().any(|ending| name.ends_with(ending));
        match self.kind.as_str() {
            "" | "application/octet-stream" | "text/plain" => is_page(&self.href.to_ascii_lowercase()),
            kind => TEXT_TYPES.contains(&kind) || kind.contains("dtbook"),
        }
    }
}

/// Types of chapters; what a file of them holds is read as XHTML.
const TEXT_TYPES: [&str; 6] = [
    "application/xhtml+xml",
    "text/html",
    "application/xml",
    "text/xml",
    "text/x-oeb1-document",
    "application/x-dtbook+xml",
];

/// Longest chain of files that stand in for one another.
const MAX_FALLBACKS: usize = 16;

/// The package's entry, by the archive's container file.
pub(super) fn path(container: &[u8], limits: &Limits) -> Result<Option<String>, ReadError> {
    let decoded = charset::decode(container, None);
    let mut xml = Xml::new(&decoded.text, FORMAT, limits);
    loop {
        match xml.next()? {
            Node::Open(element) if element.name() == "rootfile" => {
                return Ok(element.attr("full-path").and_then(|path| resolve("", &path)));
            }
            Node::End => return Ok(None),
            Node::Open(_) | Node::Close | Node::Text(_) => {}
        }
    }
}

/// Reads a package; its entry is at `path`.
pub(super) fn read(bytes: &[u8], path: &str, limits: &Limits) -> Result<Package, ReadError> {
    let decoded = charset::decode(bytes, None);
    let mut xml = Xml::new(&decoded.text, FORMAT, limits);
    let mut title = None;
    let mut items: BTreeMap<String, Item> = BTreeMap::new();
    let mut order = Vec::new();
    loop {
        match xml.next()? {
            Node::Open(element) => match element.name() {
                "title" if title.is_none() => title = Some(xml.text()?),
                "item" => {
                    let get = |name| element.attr(name).unwrap_or_default();
                    let item = Item {
                        href: get("href"),
                        kind: get("media-type")
                            .split(';')
                            .next()
                            .unwrap_or_default()
                            .trim()
                            .to_ascii_lowercase(),
                        fallback: element.attr("fallback"),
                        nav: get("properties").split(' ').any(|one| one == "nav"),
                    };
                    items.insert(get("id"), item);
                }
                "itemref" => order.extend(element.attr("idref")),
                _ => {}
            },
            Node::End => break,
            Node::Close | Node::Text(_) => {}
        }
        if order.len() > MAX_CHAPTERS {
            return Err(ReadError::TooLarge { limit: MAX_CHAPTERS as u64, what: "chapters" });
        }
    }
    let (mut chapters, mut unread): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    // Each once: a spine that names a chapter a thousand times is no longer book.
    for id in order.iter().filter(|id| seen.insert(id.as_str())) {
        match chapter(&items, id, path) {
            Chapter::File(file) if !chapters.contains(&file) => chapters.push(file),
            Chapter::File(_) | Chapter::Contents => {}
            Chapter::Unread(why) => unread.push(why),
        }
    }
    let sheets = items.values().filter(|item| item.kind == "text/css");
    let sheets = sheets.filter_map(|item| resolve(path, &item.href)).take(MAX_SHEETS).collect();
    let texts = items.values().filter(|item| item.is_text() && !item.nav);
    let beside = texts.filter_map(|item| Some((resolve(path, &item.href)?, &item.href)));
    let beside = beside.filter(|(file, _)| !chapters.contains(file));
    unread.extend(beside.map(|(_, href)| format!("{href:?} is not in the reading order: not read")));
    Ok(Package { title, chapters, unread, sheets })
}

/// An entry of the spine.
enum Chapter {
    /// The file with its text.
    File(String),
    /// The book's own list of its contents.
    Contents,
    /// Not read, and why.
    Unread(String),
}

/// The entry of that id, or what stands in for it.
fn chapter(items: &BTreeMap<String, Item>, id: &str, path: &str) -> Chapter {
    let Some(first) = items.get(id) else {
        return Chapter::Unread(format!("chapter {id:?} is not in the list of files"));
    };
    let mut item = first;
    for _ in 0..MAX_FALLBACKS {
        if item.nav {
            return Chapter::Contents;
        }
        if item.is_text() {
            let why = if item.href.contains("://") || item.href.starts_with("//") {
                "is on the web"
            } else {
                "is outside of the book"
            };
            return match resolve(path, &item.href) {
                Some(file) => Chapter::File(file),
                None => Chapter::Unread(format!("chapter {:?} {why}: not read", item.href)),
            };
        }
        match item.fallback.as_ref().and_then(|id| items.get(id)) {
            Some(next) => item = next,
            None => break,
        }
    }
    let kind = if first.kind.is_empty() { "no type" } else { &first.kind };
    Chapter::Unread(format!("chapter {:?} ({kind}) not read", first.href))
}

/// The entry that `href` names from the file at `base`; `None` when it leaves the archive.
pub(super) fn resolve(base: &str, href: &str) -> Option<String> {
    let href = percent_decode_str(href.split('#').next().unwrap_or_default()).decode_utf8_lossy();
    let mut parts: Vec<&str> = base.split('/').collect();
    parts.pop();
    if href.is_empty() || href.starts_with("//") || href.contains(['\\', ':', '\0']) {
        return None;
    }
    if href.starts_with('/') {
        // The root is the archive's.
        parts.clear();
    }
    for part in href.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
