//! `read`: a file's lines with their numbers, a picture, a document.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek};

use async_trait::async_trait;
use domain::{CallEffect, MediaKind, Preview};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Cancellable, Files, document, failed, load, regular, stopped};
use crate::arguments::{self, Effect, blocking, info};
use crate::safe_path::quoted;
use crate::text::{self, Charset, capped, charset_of, count, size};
use crate::{CallContext, Kind, Media, Outcome, PlannedOperation, Run, Tool, ToolError, ToolInfo};

/// Lines that are given unless another number is asked for.
const LINES: usize = 2_000;
/// The longest line that is given whole, in bytes.
const MAX_LINE_BYTES: usize = 2_000;
/// The most text that is given at once, in bytes.
const MAX_TEXT_BYTES: usize = 256 * 1_024;
/// The largest file in which lines are counted to the end, in bytes.
const MAX_COUNTED_BYTES: u64 = 64 << 20;
/// The largest file that is decoded as a whole, in bytes.
const MAX_DECODED_BYTES: u64 = 32 << 20;
/// The largest picture, in bytes.
const MAX_PICTURE_BYTES: u64 = 10 << 20;
/// The largest document, in bytes.
const MAX_DOCUMENT_BYTES: u64 = 32 << 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    path: String,
    #[serde(default)]
    offset: Option<usize>,
    #[serde(default)]
    limit: Option<usize>,
}

/// The tool.
pub(crate) struct Read {
    info: ToolInfo,
    files: Files,
}

impl Read {
    pub(crate) fn new(files: Files) -> Self {
        let info = info(
            "read",
            "Read a file",
            "Reads a file. Text comes with line numbers (they are not part of it); a long one is read in parts with \
             offset and limit, and so do PDF, Word and EPUB files. Pictures (PNG, JPEG, GIF, WebP) and scanned PDF files are \
             shown as they are. Folders are read \
             with list, and a text in many files is found with search.",
            Effect::Reads,
            120,
            json!({
                "path": {"type": "string", "description": "The file: relative to the first folder, or absolute."},
                "offset": {"type": "integer", "minimum": 1, "description": "The first line, from 1. Default: 1."},
                "limit": {"type": "integer", "minimum": 1, "description": "How many lines. Default: 2000."},
            }),
            &["path"],
        );
        Self { info: files.named(info), files }
    }
}

#[async_trait]
impl Tool for Read {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    async fn plan(&self, arguments: &Value, at: &CallContext) -> Result<PlannedOperation, ToolError> {
        let Arguments { path, .. } = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || {
            let (roots, place) = files.existing(&at, &path)?;
            files.seen.note(&at, vec![(place.path(), None)]);
            Ok(PlannedOperation {
                effect: CallEffect::Read { path: place.text() },
                intent: format!("Read {}", roots.shown(&place)),
                preview: Preview::None,
            })
        })
        .await
    }

    async fn run(&self, arguments: &Value, at: &CallContext, run: Run) -> Result<Outcome, ToolError> {
        let Arguments { path, offset, limit } = arguments::read(arguments)?;
        let (files, at) = (self.files.clone(), at.clone());
        blocking(move || {
            let (roots, place) = files.existing(&at, &path)?;
            files.seen.check(&at, &[(place.path(), None)])?;
            let shown = roots.shown(&place);
            let mut file = place.open().map_err(|error| failed("read", &shown, &error))?;
            let metadata = file.metadata().map_err(|error| failed("read", &shown, &error))?;
            regular(&metadata, &shown)?;
            let mut head = vec![0_u8; 8_192];
            let read = fill(&mut file, &mut head).map_err(|error| failed("read", &shown, &error))?;
            head.truncate(read);
            let part = Part { first: offset.unwrap_or(1).max(1), lines: limit.unwrap_or(LINES).max(1) };
            if let (Some(reader), Some(format)) = (&files.reader, document::format(&shown, &head)) {
                let (bytes, _) = load(&place, &shown, document::DOCUMENT, Some(&run.cancel))?;
                match document::read(reader, &bytes, format, &shown, &at, &run.cancel)? {
                    Some((text, note)) => return Ok(part_of(&text, part).outcome(Some(&note))),
                    None if format != documents::Format::Pdf => {
                        return Ok(Outcome::text(format!("{} has no text.", quoted(&shown)), "no text"));
                    }
                    // Scanned pages are pictures.
                    None => {}
                }
            }
            if let Some((media_type, most)) = media_type(&head) {
                let (data, _) = load(&place, &shown, most, Some(&run.cancel))?;
                return Ok(media(&shown, media_type, data));
            }
            let read = match charset_of(&head) {
                None => Err(binary(&shown, &head, metadata.len())),
                Some(Charset::Utf8 | Charset::Utf8Marked) => {
                    file.rewind().map_err(|error| failed("read", &shown, &error))?;
                    match lines(file, part, &run.cancel).map_err(|error| failed("read", &shown, &error))? {
                        Lines::Stopped => Err(stopped()),
                        Lines::LineExcerpt(given) => Ok(given.outcome(None)),
                        Lines::NotUtf8 => whole(
                            &load(&place, &shown, MAX_DECODED_BYTES, Some(&run.cancel))?.0,
                            part,
                            &shown,
                        ),
                    }
                }
                Some(_) => {
                    whole(&load(&place, &shown, MAX_DECODED_BYTES, Some(&run.cancel))?.0, part, &shown)
                }
            };
            read.map(|mut outcome| {
                if let Some(data) = &mut outcome.data {
                    data["path"] = json!(shown);
                }
                outcome
            })
        })
        .await
    }
}

/// Which lines are asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) first: usize,
    pub(crate) lines: usize,
}

/// Lines as they are given to a model.
#[derive(Debug, Default)]
pub(crate) struct LineExcerpt {
    first: usize,
    text: String,
    /// The same without numbers.
    plain: String,
    given: usize,
    cut: usize,
    /// All lines of the file; `None`: not counted.
    total: Option<usize>,
    full: bool,
}

impl LineExcerpt {
    /// Takes a line without its end; `false` when no more fits.
    fn line(&mut self, number: usize, line: &str) -> bool {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let kept = capped(line, MAX_LINE_BYTES);
        if self.text.len() + kept.len() > MAX_TEXT_BYTES {
            self.full = true;
            return false;
        }
        if self.given > 0 {
            self.text.push('\n');
            self.plain.push('\n');
        }
        self.plain.push_str(kept);
        self.text.push_str(&format!("{number:>6}\t{kept}"));
        if kept.len() < line.len() {
            self.text.push_str(&format!("… ({} more)", size((line.len() - kept.len()) as u64)));
            self.cut += 1;
        }
        self.given += 1;
        true
    }

    pub(crate) fn outcome(self, note: Option<&str>) -> Outcome {
        let Self { first, mut text, plain, given, cut, total, .. } = self;
        let data = json!({ "text": plain, "first": first, "lines": given, "total": total, "cut": cut });
        let last = first + given.saturating_sub(1);
        let mut notes: Vec<String> = note.map(|note| format!("Note: {note}.")).into_iter().collect();
        match total {
            Some(0) => notes.push("The file is empty.".to_owned()),
            Some(total) if given == 0 => {
                notes.push(format!("There is nothing from line {first} on: the file has {}.", count(total, "line")));
            }
            Some(total) if last < total => {
                notes.push(format!("Lines {first} to {last} of {total}. Go on with offset {}.", last + 1));
            }
            Some(total) if first > 1 => notes.push(format!("Lines {first} to {last}, the last of {total}.")),
            Some(_) => {}
            None => notes.push(format!(
                "Lines {first} to {last}; there are more. Go on with offset {}, or find the place with search.",
                last + 1
            )),
        }
        if !notes.is_empty() {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(&format!("({})", notes.join(" ")));
        }
        let summary = match total {
            Some(total) if total > given => format!("{given} of {}", count(total, "line")),
            Some(_) => count(given, "line"),
            None => format!("{} of many", count(given, "line")),
        };
        Outcome { data: Some(data), ..Outcome::text(text, summary) }
    }
}

enum Lines {
    LineExcerpt(LineExcerpt),
    NotUtf8,
    Stopped,
}

/// Reads the lines asked for of what should be UTF-8, and counts the others.
fn lines(file: File, part: Part, cancel: &CancellationToken) -> std::io::Result<Lines> {
    let source = Cancellable { source: file, cancel: Some(cancel) };
    let mut reader = BufReader::with_capacity(1 << 16, source);
    let mut given = LineExcerpt { first: part.first, ..LineExcerpt::default() };
    let (mut number, mut bytes, mut line) = (0_usize, 0_u64, Vec::new());
    loop {
        line.clear();
        // A line longer than this is cut anyhow; the rest of it is skipped without being kept.
        let read = match (&mut reader).take(4 * MAX_LINE_BYTES as u64).read_until(b'\n', &mut line) {
            Err(_) if cancel.is_cancelled() => return Ok(Lines::Stopped),
            read => read?,
        };
        if read == 0 {
            given.total = Some(number);
            return Ok(Lines::LineExcerpt(given));
        }
        bytes += read as u64;
        number += 1;
        let mut rest = 0;
        if line.last() != Some(&b'\n') {
            rest = match reader.skip_until(b'\n') {
                Err(_) if cancel.is_cancelled() => return Ok(Lines::Stopped),
                rest => rest?,
            };
            bytes += rest as u64;
        } else {
            line.pop();
        }
        let wanted = number >= part.first && given.given < part.lines && !given.full;
        if wanted {
            let start = if number == 1 && line.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
            let text = match std::str::from_utf8(&line[start..]) {
                Ok(text) => text,
                Err(error) if rest > 0 && error.error_len().is_none() => {
                    std::str::from_utf8(&line[start..start + error.valid_up_to()]).unwrap_or_default()
                }
                Err(_) => return Ok(Lines::NotUtf8),
            };
            given.line(number, text);
        } else if number > part.first && bytes > MAX_COUNTED_BYTES {
            return Ok(Lines::LineExcerpt(given));
        }
    }
}

/// The lines asked for of a file that has to be decoded as a whole.
fn whole(bytes: &[u8], part: Part, shown: &str) -> Result<Outcome, ToolError> {
    let Some(decoded) = text::decode(bytes) else { return Err(binary(shown, bytes, bytes.len() as u64)) };
    Ok(part_of(&decoded.text, part).outcome(decoded.charset.note()))
}

/// The lines asked for of a text.
pub(crate) fn part_of(text: &str, part: Part) -> LineExcerpt {
    let mut given = LineExcerpt { first: part.first, ..LineExcerpt::default() };
    let mut total = 0;
    for (index, line) in text.lines().enumerate() {
        total = index + 1;
        if total >= part.first && given.given < part.lines && !given.full {
            given.line(total, line);
        }
    }
    given.total = Some(total);
    given
}

fn fill(file: &mut File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read(&mut buffer[read..])? {
            0 => break,
            more => read += more,
        }
    }
    Ok(read)
}

/// A kind of file that is shown as it is, with the most bytes of it.
pub(crate) fn media_type(head: &[u8]) -> Option<(&'static str, u64)> {
    let kind = MediaKind::detect(head)?;
    Some((kind.as_str(), if kind.is_picture() { MAX_PICTURE_BYTES } else { MAX_DOCUMENT_BYTES }))
}

fn media(shown: &str, media_type: &str, data: Vec<u8>) -> Outcome {
    let summary = format!("{media_type}, {}", size(data.len() as u64));
    let name = shown.rsplit('/').next().unwrap_or(shown).to_owned();
    Outcome {
        text: format!("{} ({summary}) is shown below.", quoted(shown)),
        summary,
        media: vec![Media { media_type: media_type.to_owned(), name, data }],
        ..Outcome::default()
    }
}

fn binary(shown: &str, head: &[u8], bytes: u64) -> ToolError {
    let kind = match head {
        [0x7f, b'E', b'L', b'F', ..] => "a program or library (ELF)",
        [b'M', b'Z', ..] => "a Windows program",
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] => "a macOS program",
        [b'P', b'K', 3, 4, ..] => "a ZIP archive (or an Office document)",
        [0x1f, 0x8b, ..] => "compressed with gzip",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "compressed with zstd",
        [b'S', b'Q', b'L', b'i', b't', b'e', ..] => "an SQLite database",
        [0, b'a', b's', b'm', ..] => "WebAssembly",
        _ => "binary",
    };
    ToolError::new(Kind::Refused, format!("{} is not text: it is {kind}, {}", quoted(shown), size(bytes)))
        .with_guidance("Use a command that understands this format, if there is one.")
}
