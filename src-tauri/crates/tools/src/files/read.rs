//! `read`: a file's lines with their numbers, a picture, a document.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek};

use async_trait::async_trait;
use domain::{CallEffect, MediaKind, Preview};
use file_text::{file_bytes, visible};
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
/// The longest line among others that is given whole, in bytes.
const MAX_LINE_BYTES: usize = 2_000;
/// The most of a line that is given alone, in bytes.
const MAX_PIECE_BYTES: usize = 24_000;
/// The most text that is given at once, in bytes: what it is shown with fits beside it.
const MAX_TEXT_BYTES: usize = crate::MAX_SHOWN_BYTES - 2_000;
/// The most text that a program is given as data, in bytes.
const MAX_DATA_BYTES: usize = 256 * 1_024;
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
    #[serde(default)]
    column: Option<usize>,
}

/// The schema of where in a line to begin.
pub(crate) fn column_schema() -> Value {
    json!({
        "type": "integer",
        "minimum": 1,
        "description": "For a line that is too long to be given whole: where in it to begin, in bytes from 1; the part from there is then given alone.",
    })
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
             offset and limit, a very long line with column, and so do PDF, Word and EPUB files. Pictures (PNG, JPEG, GIF, WebP) and scanned PDF files are \
             shown as they are. Folders are read \
             with list, and a text in many files is found with search.",
            Effect::Reads,
            120,
            json!({
                "path": {"type": "string", "description": "The file: relative to the first folder, or absolute."},
                "offset": {"type": "integer", "minimum": 1, "description": "The first line, from 1. Default: 1."},
                "limit": {"type": "integer", "minimum": 1, "description": "How many lines. Default: 2000, as far as they fit."},
                "column": column_schema(),
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
        let Arguments { path, offset, limit, column } = arguments::read(arguments)?;
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
            let part = Part::new(offset, limit.unwrap_or(LINES), column);
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
                Some(Charset::Utf8 | Charset::Utf8Marked | Charset::Utf8Stray | Charset::Utf8MarkedStray) => {
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
            files.seen.saw(&at, place.path(), metadata);
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
    first: usize,
    lines: usize,
    /// Where in the first line to begin, from 0: that part of it is then given alone.
    column: Option<usize>,
}

impl Part {
    pub(crate) fn new(offset: Option<usize>, lines: usize, column: Option<usize>) -> Self {
        let column = column.map(|column| column.max(1) - 1);
        Self { first: offset.unwrap_or(1).max(1), lines: lines.max(1), column }
    }

    /// The most of a line that is given, in bytes.
    fn line_bytes(self, alone: bool) -> usize {
        if alone || self.lines == 1 { MAX_PIECE_BYTES } else { MAX_LINE_BYTES }
    }
}

/// A line of which a part was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CutLine {
    number: usize,
    /// The bytes that were given: from here, from 0, up to here.
    from: usize,
    to: usize,
    /// All bytes of the line.
    bytes: usize,
}

/// Lines as they are given to a model.
#[derive(Debug, Default)]
pub(crate) struct LineExcerpt {
    first: usize,
    text: String,
    /// The same without numbers, for a program; it may go on where the text is full.
    plain: String,
    /// Lines in the text.
    given: usize,
    /// Lines in the plain one.
    held: usize,
    /// The first line of the text of which only a part was given.
    cut: Option<CutLine>,
    /// How many of such there are.
    cuts: usize,
    /// All lines of the file; `None`: not counted.
    total: Option<usize>,
    /// The text takes no more.
    closed: bool,
    /// Neither does the plain one.
    full: bool,
}

impl LineExcerpt {
    /// Takes the beginning of a line without its end, of which at most `most` bytes are given; `bytes` has the whole line.
    fn line(&mut self, number: usize, line: &str, bytes: usize, most: usize) {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let kept = capped(line, most);
        if self.plain.len() + kept.len() > MAX_DATA_BYTES {
            (self.closed, self.full) = (true, true);
            return;
        }
        let to = file_bytes(kept);
        let cut = kept.len() < line.len() || file_bytes(line) + 1 < bytes;
        let kept = visible(kept);
        let more = if cut { format!("… ({} more)", size((bytes - to) as u64)) } else { String::new() };
        self.closed |= self.text.len() + kept.len() + more.len() + 8 > MAX_TEXT_BYTES;
        if self.held > 0 {
            self.plain.push('\n');
        }
        self.plain.push_str(&kept);
        self.held += 1;
        if self.closed {
            return;
        }
        if self.given > 0 {
            self.text.push('\n');
        }
        self.text.push_str(&format!("{number:>6}\t{kept}{more}"));
        self.given += 1;
        if cut {
            self.cut = self.cut.or(Some(CutLine { number, from: 0, to, bytes }));
            self.cuts += 1;
        }
    }

    /// Takes a part of a line alone.
    fn piece(&mut self, number: usize, piece: &str, from: usize, bytes: usize) {
        let to = from + file_bytes(piece);
        self.plain = visible(piece).into_owned();
        self.text = format!("{number:>6}\t{}", self.plain);
        (self.given, self.held) = (1, 1);
        (self.cut, self.cuts) = (Some(CutLine { number, from, to, bytes }), 1);
        (self.closed, self.full) = (true, true);
    }

    pub(crate) fn outcome(self, note: Option<&str>) -> Outcome {
        let Self { first, mut text, plain, given, held, cut, cuts, total, .. } = self;
        let data = json!({ "text": plain, "first": first, "lines": held, "total": total, "cut": cuts });
        let last = first + given.saturating_sub(1);
        let mut notes: Vec<String> = note.map(|note| format!("Note: {note}.")).into_iter().collect();
        if let Some(CutLine { number, from, to, bytes }) = cut {
            if to < bytes {
                notes.push(format!(
                    "Of line {number}, which has {bytes} bytes, bytes {} to {to} are given. Go on in it with offset {number} \
                     and column {}.",
                    from + 1,
                    to + 1
                ));
            } else {
                notes.push(format!("That is the end of line {number}, from byte {} on.", from + 1));
            }
            if cuts > 1 {
                notes.push(format!("{} after it are cut, too.", count(cuts - 1, "line")));
            }
        }
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
        let summary = match (total, cut) {
            (Some(1), Some(CutLine { from, to, bytes, .. })) => {
                format!("{} of {}", size((to - from) as u64), size(bytes as u64))
            }
            (Some(total), _) if total > given => format!("{given} of {}", count(total, "line")),
            (Some(_), _) => count(given, "line"),
            (None, _) => format!("{} of many", count(given, "line")),
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
    match excerpt(file, part, cancel) {
        Err(_) if cancel.is_cancelled() => Ok(Lines::Stopped),
        read => read,
    }
}

fn excerpt(file: File, part: Part, cancel: &CancellationToken) -> std::io::Result<Lines> {
    let source = Cancellable { source: file, cancel: Some(cancel) };
    let mut reader = BufReader::with_capacity(1 << 16, source);
    let mut given = LineExcerpt { first: part.first, ..LineExcerpt::default() };
    let (mut number, mut bytes, mut line) = (0_usize, 0_u64, Vec::new());
    if reader.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        reader.consume(3);
    }
    loop {
        line.clear();
        let column = part.column.filter(|_| number + 1 == part.first).unwrap_or(0);
        let skipped = skip_within_line(&mut reader, column)?;
        // What a line has beyond this is not given anyhow; it is skipped without being kept.
        let read = (&mut reader).take(MAX_PIECE_BYTES as u64 + 4).read_until(b'\n', &mut line)?;
        if skipped + read == 0 {
            given.total = Some(number);
            return Ok(Lines::LineExcerpt(given));
        }
        number += 1;
        let ended = line.last() == Some(&b'\n');
        let mut rest = 0;
        if ended {
            line.pop();
        } else {
            rest = skip_within_line(&mut reader, usize::MAX)?;
            let ended = reader.fill_buf()?.first() == Some(&b'\n');
            reader.consume(usize::from(ended));
        }
        bytes += (skipped + read + rest) as u64;
        let wanted = number >= part.first && given.held < part.lines && !given.full;
        if wanted {
            let alone = number == 1 && reader.fill_buf()?.is_empty();
            let whole = skipped + line.len() + rest;
            match (part.column, utf8_part(&line, skipped > 0, rest > 0)) {
                (_, None) => return Ok(Lines::NotUtf8),
                (Some(_), Some((from, text))) => {
                    given.piece(number, capped(text, MAX_PIECE_BYTES), skipped + from, whole);
                }
                (None, Some((_, text))) => {
                    given.line(number, text, whole, part.line_bytes(alone));
                }
            }
        } else if number > part.first && bytes > MAX_COUNTED_BYTES {
            return Ok(Lines::LineExcerpt(given));
        }
    }
}

/// Passes over at most so many bytes of a line, not over its end; how many there were.
fn skip_within_line(reader: &mut impl BufRead, most: usize) -> std::io::Result<usize> {
    let mut skipped = 0;
    while skipped < most {
        let buffer = reader.fill_buf()?;
        let buffer = &buffer[..buffer.len().min(most - skipped)];
        let length = buffer.iter().position(|byte| *byte == b'\n').unwrap_or(buffer.len());
        let ended = length < buffer.len() || buffer.is_empty();
        reader.consume(length);
        skipped += length;
        if ended {
            break;
        }
    }
    Ok(skipped)
}

/// The whole characters of a part of a line, and where they begin in it. `None`: it is not UTF-8.
fn utf8_part(part: &[u8], begins_within: bool, ends_within: bool) -> Option<(usize, &str)> {
    let inner = |byte: &&u8| (0x80..0xc0).contains(*byte);
    let from = if begins_within { part.iter().take(3).take_while(inner).count() } else { 0 };
    let part = &part[from..];
    match std::str::from_utf8(part) {
        Ok(text) => Some((from, text)),
        Err(error) if ends_within && error.error_len().is_none() => {
            Some((from, std::str::from_utf8(&part[..error.valid_up_to()]).ok()?))
        }
        Err(_) => None,
    }
}

/// The lines asked for of a file that has to be decoded as a whole.
fn whole(bytes: &[u8], part: Part, shown: &str) -> Result<Outcome, ToolError> {
    let Some(decoded) = text::decode(bytes) else { return Err(binary(shown, bytes, bytes.len() as u64)) };
    Ok(part_of(&decoded.text, part).outcome(decoded.note().as_deref()))
}

/// The lines asked for of a text.
pub(crate) fn part_of(text: &str, part: Part) -> LineExcerpt {
    let mut given = LineExcerpt { first: part.first, ..LineExcerpt::default() };
    let alone = !text.trim_end_matches(['\n', '\r']).contains('\n');
    let mut total = 0;
    for (index, line) in text.lines().enumerate() {
        total = index + 1;
        if total < part.first || given.held >= part.lines || given.full {
            continue;
        }
        match part.column {
            Some(column) => {
                let (mut passed, mut from) = (0, 0);
                for at in line.char_indices().map(|(at, _)| at).chain([line.len()]) {
                    passed += file_bytes(&line[from..at]);
                    from = at;
                    if passed >= column {
                        break;
                    }
                }
                given.piece(total, capped(&line[from..], MAX_PIECE_BYTES), passed, file_bytes(line));
            }
            None => given.line(total, line, file_bytes(line), part.line_bytes(alone)),
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

/// What bytes that are no text are.
pub(crate) fn kind_of(head: &[u8]) -> &'static str {
    match head {
        [0x7f, b'E', b'L', b'F', ..] => "a program or library (ELF)",
        [b'M', b'Z', ..] => "a Windows program",
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] => "a macOS program",
        [b'P', b'K', 3, 4, ..] => "a ZIP archive (or an Office document)",
        [0x1f, 0x8b, ..] => "compressed with gzip",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "compressed with zstd",
        [b'S', b'Q', b'L', b'i', b't', b'e', ..] => "an SQLite database",
        [0, b'a', b's', b'm', ..] => "WebAssembly",
        _ => media_type(head).map_or("binary", |(media_type, _)| media_type),
    }
}

fn binary(shown: &str, head: &[u8], bytes: u64) -> ToolError {
    let kind = kind_of(head);
    ToolError::new(Kind::Refused, format!("{} is not text: it is {kind}, {}", quoted(shown), size(bytes)))
        .with_guidance("Use a command that understands this format, if there is one.")
}
