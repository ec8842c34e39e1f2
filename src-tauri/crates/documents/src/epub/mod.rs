//! EPUB: the chapters of the spine in order, each a page of XHTML.

mod package;

use std::sync::atomic::AtomicBool;

use crate::archive::Archive;
use crate::output::{Output, clean};
use crate::xml::{Node, Xml};
use crate::{Block, BlockPosition, Document, Limits, ReadError, html};

const FORMAT: &str = "EPUB";

/// Obfuscated fonts are no reason to refuse a book.
const FONT_ALGORITHMS: [&str; 2] = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"];

/// Reads a book.
pub(crate) fn read(bytes: &[u8], limits: &Limits, cancel: &AtomicBool) -> Result<Document, ReadError> {
    let mut archive = Archive::open(bytes, FORMAT, limits, cancel)?;
    if let Some(list) = archive.read("META-INF/encryption.xml")?
        && is_encrypted(&list, limits)?
    {
        return Err(ReadError::Encrypted);
    }
    let container = entry(&mut archive, "META-INF/container.xml")?;
    let path =
        package::path(&container, limits)?.ok_or_else(|| malformed("no package named in its container"))?;
    let package = package::read(&entry(&mut archive, &path)?, &path, limits)?;
    let mut output = Output::new(limits, cancel);
    output.document.title =
        package.title.as_deref().map(|title| clean(title).0).filter(|title| !title.is_empty());
    for why in &package.unread {
        output.note(BlockPosition::default(), why.clone());
    }
    let mut sheet = html::Sheet::default();
    for name in &package.sheets {
        if let Some(css) = archive.read(name)? {
            sheet.read(&charset::decode(&css, None).text);
        }
    }
    for chapter in &package.chapters {
        output.check()?;
        let Some(bytes) = archive.read(chapter)? else {
            output.note(BlockPosition::default(), format!("chapter {chapter:?} is not in the archive"));
            continue;
        };
        let first = output.document.blocks.len();
        let decoded = charset::decode(&bytes, None);
        if let Some(doubt) = decoded.doubt {
            output.note(BlockPosition::default(), format!("chapter {chapter:?}: {doubt}"));
        }
        html::read_chapter(&decoded.text, sheet.clone(), &mut output)?;
        join(chapter, &package.chapters, &mut output.document.blocks[first..]);
    }
    if package.chapters.is_empty() {
        return Err(malformed("no chapters in its reading order"));
    }
    Ok(output.finish())
}

/// Makes the ids of one chapter those of the book: `#scope` of `text/a.xhtml` is `#text/a.xhtml#scope`.
fn join(chapter: &str, chapters: &[String], blocks: &mut [Block]) {
    for (index, block) in blocks.iter_mut().enumerate() {
        block.anchor = match block.anchor.take() {
            Some(id) => Some(format!("{chapter}#{id}")),
            // A link to the chapter leads to its beginning.
            None if index == 0 => Some(chapter.to_owned()),
            None => None,
        };
        block.place = BlockPosition::default();
        for link in &mut block.links {
            if link.target.contains("://") || link.target.starts_with("mailto:") {
                continue;
            }
            let (file, id) = link.target.split_once('#').unwrap_or((&link.target, ""));
            let file =
                if file.is_empty() { Some(chapter.to_owned()) } else { package::resolve(chapter, file) };
            if let Some(file) = file.filter(|file| chapters.contains(file)) {
                link.target = if id.is_empty() { format!("#{file}") } else { format!("#{file}#{id}") };
            }
        }
    }
}

fn entry(archive: &mut Archive<'_>, name: &str) -> Result<Vec<u8>, ReadError> {
    archive.read(name)?.ok_or_else(|| malformed(&format!("{name} is missing")))
}

fn is_encrypted(list: &[u8], limits: &Limits) -> Result<bool, ReadError> {
    let decoded = charset::decode(list, None);
    let mut xml = Xml::new(&decoded.text, FORMAT, limits);
    loop {
        match xml.next()? {
            Node::Open(element) if element.name() == "EncryptionMethod" => {
                let algorithm = element.attr("Algorithm").unwrap_or_default();
                if !FONT_ALGORITHMS.contains(&algorithm.as_str()) {
                    return Ok(true);
                }
            }
            Node::End => return Ok(false),
            Node::Open(_) | Node::Close | Node::Text(_) => {}
        }
    }
}

fn malformed(what: &str) -> ReadError {
    ReadError::Malformed { format: FORMAT, what: what.to_owned() }
}
