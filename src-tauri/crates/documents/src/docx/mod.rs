//! Office Open XML text (ECMA-376): paragraphs with the numbers that Word computes, headings by outline level, tables,
//! notes, links, formulas in one line. Comments, headers and footers are notes of their own; struck and deleted words
//! are no part of a text; hidden text, fields' codes and tables of contents are left out. What a person might miss is
//! told.

mod body;
mod equation;
mod fields;
mod looks;
mod math;
mod numbers;
mod styles;

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use crate::archive::Archive;
use crate::output::{Output, clean};
use crate::xml::{Node, Xml};
use crate::{Document, Limits, ReadError};
use body::Body;
use numbers::Numbers;
use styles::Styles;

/// The first bytes of a compound file: what Word wrote before 2007, and the wrapping of encrypted documents since.
const COMPOUND: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// Reads a document.
pub(crate) fn read(bytes: &[u8], limits: &Limits, cancel: &AtomicBool) -> Result<Document, ReadError> {
    if let Some(error) =
        unpacked(bytes, "DOCX", "a document of Word before 2007 (.doc): save it as .docx and ingest that")
    {
        return Err(error);
    }
    let mut archive = Archive::open(bytes, "DOCX", limits, cancel)?;
    let root = relations(&mut archive, "", limits)?;
    let main = root.of_type("/officeDocument").unwrap_or_else(|| "word/document.xml".into());
    let Some(document) = part(&mut archive, &main)? else {
        return Err(malformed(&format!("no {main} in it")));
    };
    let near = relations(&mut archive, &main, limits)?;
    let beside = |kind: &str, name: &str| near.of_type(kind).unwrap_or_else(|| sibling(&main, name));
    let (styles, numbering) = (beside("/styles", "styles.xml"), beside("/numbering", "numbering.xml"));
    let styles = match part(&mut archive, &styles)? {
        Some(text) => Styles::read(&text, limits)?,
        None => Styles::default(),
    };
    let numbers = match part(&mut archive, &numbering)? {
        Some(text) => Numbers::read(&text, limits)?,
        None => Numbers::default(),
    };
    let mut output = Output::new(limits, cancel);
    let mut body = Body::new(&styles, numbers, &mut output, document.contains("lastRenderedPageBreak"));
    let comments = beside("/comments", "comments.xml");
    if let Some(text) = part(&mut archive, &comments)? {
        let near = relations(&mut archive, &comments, limits)?;
        body.read_comments(&text, &near)?;
    }
    body.read(&document, &near)?;
    drop(document);
    for (kind, name) in [("/footnotes", "footnotes.xml"), ("/endnotes", "endnotes.xml")] {
        let path = beside(kind, name);
        if let Some(text) = part(&mut archive, &path)? {
            let near = relations(&mut archive, &path, limits)?;
            body.read_notes(&text, &near)?;
        }
    }
    let settings = beside("/settings", "settings.xml");
    let even = part(&mut archive, &settings)?.is_some_and(|text| text.contains("evenAndOddHeaders"));
    for frame in body.frames() {
        let Some(path) = near.address(&frame.id).filter(|_| even || !frame.even) else { continue };
        let path = resolved(&near.folder, path);
        if let Some(text) = part(&mut archive, &path)? {
            let near = relations(&mut archive, &path, limits)?;
            body.read_frame(&text, &near, frame.header)?;
        }
    }
    let title = body.finish();
    let properties = root.of_type("/core-properties").unwrap_or_else(|| "docProps/core.xml".into());
    let own = match part(&mut archive, &properties)? {
        Some(text) => core_title(&text, limits)?,
        None => None,
    };
    output.document.title = own.or(title);
    Ok(output.finish())
}

/// Why a file is no archive of parts: it is encrypted, of the format before it (`old` says what to do), or another one.
pub(crate) fn unpacked(bytes: &[u8], format: &'static str, old: &str) -> Option<ReadError> {
    let malformed = |what: &str| ReadError::Malformed { format, what: what.to_owned() };
    if bytes.starts_with(&COMPOUND) {
        let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let encrypted = bytes.windows(name.len()).any(|window| window == name);
        return Some(if encrypted { ReadError::Encrypted } else { malformed(old) });
    }
    (!bytes.starts_with(b"PK")).then(|| malformed("not a zip archive"))
}

fn malformed(what: &str) -> ReadError {
    ReadError::Malformed { format: "DOCX", what: what.to_owned() }
}

pub(crate) fn part(archive: &mut Archive<'_>, name: &str) -> Result<Option<String>, ReadError> {
    let Some(bytes) = archive.read(name)? else { return Ok(None) };
    let decoded = charset::decode(&bytes, None);
    match decoded.doubt {
        Some(doubt) => Err(malformed(&format!("{name}: {doubt}"))),
        None => Ok(Some(decoded.text.into_owned())),
    }
}

/// What a part refers to, by id.
#[derive(Default)]
pub(crate) struct Relations {
    pub(crate) folder: String,
    all: Vec<(String, Relation)>,
    by_id: HashMap<String, usize>,
}

struct Relation {
    kind: String,
    target: String,
    external: bool,
}

impl Relations {
    /// The part that is referred to as a thing of this kind, which strict and transitional files name differently but
    /// for its end.
    pub(crate) fn of_type(&self, end: &str) -> Option<String> {
        let (_, found) = self.all.iter().find(|(_, one)| !one.external && one.kind.ends_with(end))?;
        Some(resolved(&self.folder, &found.target))
    }

    /// The address of a link.
    pub(crate) fn address(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(|&at| self.all[at].1.target.as_str())
    }
}

pub(crate) fn relations(
    archive: &mut Archive<'_>,
    of: &str,
    limits: &Limits,
) -> Result<Relations, ReadError> {
    let (folder, name) = of.rsplit_once('/').unwrap_or(("", of));
    let slash = if folder.is_empty() { "" } else { "/" };
    let mut found = Relations { folder: folder.to_owned(), ..Relations::default() };
    let Some(text) = part(archive, &format!("{folder}{slash}_rels/{name}.rels"))? else {
        return Ok(found);
    };
    let mut xml = Xml::new(&text, "DOCX", limits);
    loop {
        match xml.next()? {
            Node::Open(element) if element.name() == "Relationship" => {
                let get = |name| element.attr(name).unwrap_or_default();
                let external = get("TargetMode") == "External";
                found.by_id.insert(get("Id"), found.all.len());
                found.all.push((get("Id"), Relation { kind: get("Type"), target: get("Target"), external }));
            }
            Node::Open(_) | Node::Close | Node::Text(_) => {}
            Node::End => return Ok(found),
        }
    }
}

/// A target below the archive's root; one that would leave it stays inside.
pub(crate) fn resolved(folder: &str, target: &str) -> String {
    let base = if target.starts_with('/') { "" } else { folder };
    let mut steps: Vec<&str> = Vec::new();
    for step in base.split('/').chain(target.split('/')) {
        match step {
            "" | "." => {}
            ".." => drop(steps.pop()),
            step => steps.push(step),
        }
    }
    steps.join("/")
}

fn sibling(of: &str, name: &str) -> String {
    of.rsplit_once('/').map_or_else(|| name.to_owned(), |(folder, _)| format!("{folder}/{name}"))
}

fn core_title(text: &str, limits: &Limits) -> Result<Option<String>, ReadError> {
    let mut xml = Xml::new(text, "DOCX", limits);
    loop {
        match xml.next()? {
            Node::Open(element) if element.name() == "title" => {
                let (title, _) = clean(&xml.text()?);
                return Ok(Some(title).filter(|title| !title.is_empty()));
            }
            Node::Open(_) | Node::Close | Node::Text(_) => {}
            Node::End => return Ok(None),
        }
    }
}
