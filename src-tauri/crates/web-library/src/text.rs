//! The text of an object as numbered blocks with their pages, kept beside it as `<sha256>.text.json`.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use charset::{Decoded, Evidence};
use documents::worker::Reader;
use documents::{BlockKind, Document, Limits};
use domain::Digest;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::error::Refusal;
use crate::files;
use crate::kind::{HEAD_BYTES, Kind, kind_of};
use crate::objects::Objects;

/// The ending of a text's name.
pub(crate) const ENDING: &str = ".text.json";
/// The largest text, in bytes as JSON.
const MAX_STORED_BYTES: u64 = 256 << 20;
/// Bounds on reading one file.
const LIMITS: Limits = Limits {
    file_bytes: 1 << 30,
    unfolded_bytes: 256 << 20,
    blocks: 200_000,
    text_bytes: 64 << 20,
    pages: 20_000,
    depth: 256,
    recogniser: None,
};
/// The most links of a block that are kept.
const MAX_LINKS: usize = 50;
/// The longest title, in characters.
const MAX_TITLE_CHARS: usize = 500;

/// The text of an object. Its numbers stay: citations name them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    /// The object's digest.
    pub object: Digest,
    /// What it is.
    pub kind: Kind,
    /// Its title as it gives it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Pages, where the format has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// The blocks in reading order.
    pub blocks: Vec<TextBlock>,
    /// What could not be read, or was read with loss.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A paragraph, heading, item or table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextBlock {
    /// Its number, from 1.
    pub number: u32,
    /// Its page, from 1, where the format has pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The level, if it is a heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<u8>,
    /// The mark that the source's structure gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its words.
    pub text: String,
    /// Links that lead out of it, as they are written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<(String, String)>,
}

impl Text {
    /// The digest of its words.
    pub fn digest(&self) -> Digest {
        let words: Vec<&str> = self.blocks.iter().map(|block| block.text.as_str()).collect();
        Digest::of(words.join("\n\n"))
    }

    /// A block by its number.
    pub fn block(&self, number: u32) -> Option<&TextBlock> {
        self.blocks.get((number as usize).checked_sub(1)?)
    }

    fn new(object: Digest, kind: Kind, document: Document) -> Self {
        let blocks = document.blocks.into_iter().filter(|block| !block.text.trim().is_empty());
        let blocks = blocks.zip(1..).map(|(block, number)| TextBlock {
            number,
            page: block.place.page,
            heading: if let BlockKind::Heading(level) = block.kind { Some(level) } else { None },
            label: block.label,
            text: block.text,
            links: block
                .links
                .into_iter()
                .filter(|link| !link.target.starts_with('#'))
                .take(MAX_LINKS)
                .map(|link| (link.text, link.target))
                .collect(),
        });
        let title = document.title.as_deref().unwrap_or_default().trim();
        Self {
            object,
            kind,
            title: (!title.is_empty()).then(|| title.chars().take(MAX_TITLE_CHARS).collect()),
            pages: document.pages,
            blocks: blocks.collect(),
            notes: document.notes.into_iter().map(|note| note.what).collect(),
        }
    }
}

/// The stored text of an object; none where there is none yet. One that is damaged is none: it is read again.
pub(crate) fn stored(objects: &Objects, object: &Digest) -> Result<Option<Text>, Refusal> {
    match files::read_json::<Text>(&objects.beside(object, ENDING), MAX_STORED_BYTES) {
        Err(Refusal::Damaged { .. }) => Ok(None),
        Ok(Some(text)) if text.object != *object => Ok(None),
        read => read,
    }
}

/// The text of an object, from beside it or read now. Blocking.
pub(crate) fn read(
    objects: &Objects,
    reader: &Reader,
    object: &Digest,
    kind: Option<Kind>,
    charset: Option<&str>,
    cancel: &AtomicBool,
) -> Result<Text, Refusal> {
    if let Some(text) = stored(objects, object)? {
        return Ok(text);
    }
    let path = objects.path(object);
    if !objects.has(object) {
        return Err(Refusal::Absent);
    }
    let kind = match kind {
        Some(kind) => kind,
        None => sniffed(&path)?,
    };
    let marked = marked(objects, &path, kind, charset)?;
    let read = reader.read(
        marked.as_ref().map_or(path.as_path(), |(file, _)| file.path()),
        kind.format(),
        &LIMITS,
        cancel,
    );
    let mut text = Text::new(*object, kind, read.map_err(Refusal::Unreadable)?);
    text.notes.extend(marked.and_then(|(_, doubt)| doubt));
    files::replace_json(&objects.beside(object, ENDING), &text)?;
    Ok(text)
}

/// The kind of an object whose record is lost.
fn sniffed(path: &Path) -> Result<Kind, Refusal> {
    let mut head = Vec::new();
    let file = File::open(path).map_err(Refusal::disk(path))?;
    file.take(HEAD_BYTES as u64).read_to_end(&mut head).map_err(Refusal::disk(path))?;
    let nowhere = Url::parse("https://localhost/").map_err(|_| Refusal::Absent)?;
    kind_of(&head, "", &nowhere)
}

/// A text as marked UTF-8 and what is doubtful of its charset, where it is not plain UTF-8 anyway.
fn marked(
    objects: &Objects,
    path: &Path,
    kind: Kind,
    charset: Option<&str>,
) -> Result<Option<(tempfile::NamedTempFile, Option<String>)>, Refusal> {
    if !kind.is_text() {
        return Ok(None);
    }
    let bytes = std::fs::read(path).map_err(Refusal::disk(path))?;
    let Decoded { text, identified, doubt } = charset::decode(&bytes, charset);
    if matches!(identified.evidence, Evidence::Form | Evidence::Mark) && doubt.is_none() {
        return Ok(None);
    }
    let mut file = files::unfinished(&objects.incoming())?;
    let written = file.write_all(b"\xef\xbb\xbf").and_then(|()| file.write_all(text.as_bytes()));
    written.and_then(|()| file.flush()).map_err(Refusal::disk(path))?;
    Ok(Some((file, doubt)))
}
