//! A book's package: which files it has, and in which order they are read.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;

use super::FORMAT;
use crate::xml::{Node, Xml};
use crate::{Limits, ReadError};

/// Most chapters of one book.
const MAX_CHAPTERS: usize = 20_000;

/// What a package says about reading it.
pub(super) struct Package {
    pub(super) title: Option<String>,
    /// Names of the chapters' entries in reading order.
    pub(super) chapters: Vec<String>,
}

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
    let mut items = BTreeMap::new();
    let mut order = Vec::new();
    loop {
        match xml.next()? {
            Node::Open(element) => match element.name() {
                "title" if title.is_none() => title = Some(xml.text()?),
                "item" => {
                    let is_text = element
                        .attr("media-type")
                        .is_some_and(|kind| matches!(kind.as_str(), "application/xhtml+xml" | "text/html"));
                    let is_nav =
                        element.attr("properties").is_some_and(|all| all.split(' ').any(|one| one == "nav"));
                    if let (true, false, Some(id), Some(href)) =
                        (is_text, is_nav, element.attr("id"), element.attr("href"))
                        && let Some(file) = resolve(path, &href)
                    {
                        items.insert(id, file);
                    }
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
    // Each once: a spine that names a chapter a thousand times is no longer book.
    let chapters = order.iter().filter_map(|id| items.remove(id)).collect();
    Ok(Package { title, chapters })
}

/// The entry that `href` names from the file at `base`; `None` when it leaves the archive.
pub(super) fn resolve(base: &str, href: &str) -> Option<String> {
    let href = percent_decode_str(href.split('#').next().unwrap_or_default()).decode_utf8_lossy();
    let mut parts: Vec<&str> = base.split('/').collect();
    parts.pop();
    if href.is_empty() || href.starts_with('/') || href.contains(['\\', ':', '\0']) {
        return None;
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
