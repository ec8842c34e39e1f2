//! Which files are taken, and reading each by its format.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::draft::Draft;
use super::limits::{FILES, LINE_BYTES};
use super::lines::{Line, Source};
use super::{FileReport, jsonl, markdown, text};
use crate::error::KnowledgeError;

/// How a file is read, by its name without `.gz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Jsonl,
    Markdown,
    Text,
}

/// A file to read.
#[derive(Debug, Clone)]
pub(crate) struct SourcePath {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    pub(crate) format: Format,
}

const DEEPEST_FOLDER: usize = 32;

/// The files below `sources` in the order of their names; what is passed over is reported.
pub(crate) fn find(
    sources: &[PathBuf],
    reports: &mut Vec<FileReport>,
) -> Result<Vec<SourcePath>, KnowledgeError> {
    let mut found = Vec::new();
    for source in sources {
        // The path the person named may be a link; links inside folders are not followed.
        let kind = fs::metadata(source).map_err(KnowledgeError::io(source))?;
        if kind.is_dir() {
            walk(source, "", 0, &mut found, reports)?;
        } else {
            let name =
                source.file_name().map_or_else(|| "file".into(), |name| name.to_string_lossy().into_owned());
            // A file that was named is read whatever it is called.
            let format = format_of(&name).unwrap_or(Format::Text);
            found.push(SourcePath { path: source.clone(), name, format });
        }
    }
    Ok(found)
}

fn walk(
    folder: &Path,
    below: &str,
    depth: usize,
    found: &mut Vec<SourcePath>,
    reports: &mut Vec<FileReport>,
) -> Result<(), KnowledgeError> {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .map_err(KnowledgeError::io(folder))?
        .collect::<Result<_, _>>()
        .map_err(KnowledgeError::io(folder))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let file_name = entry.file_name();
        let name = format!("{below}{}", file_name.to_string_lossy());
        if file_name.to_string_lossy().starts_with('.') {
            continue;
        }
        let mut pass_over = |what: &str| {
            let mut report = FileReport::new(name.clone());
            report.problem(None, what);
            reports.push(report);
        };
        let kind = entry.file_type().map_err(KnowledgeError::io(&entry.path()))?;
        if kind.is_symlink() {
            pass_over("a symbolic link: not followed");
        } else if kind.is_dir() {
            if depth >= DEEPEST_FOLDER {
                pass_over("folders nested too deep: not read");
            } else {
                walk(&entry.path(), &format!("{name}/"), depth + 1, found, reports)?;
            }
        } else if !kind.is_file() {
            pass_over("not a regular file: not read");
        } else if let Some(format) = format_of(&name) {
            if found.len() >= FILES {
                return Err(KnowledgeError::TooLarge { limit: FILES as u64, what: "files" });
            }
            found.push(SourcePath { path: entry.path(), name, format });
        } else {
            pass_over("not a .jsonl, .md or .txt file: not read");
        }
    }
    Ok(())
}

fn format_of(name: &str) -> Option<Format> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match Path::new(name).extension()?.to_str()? {
        "jsonl" | "ndjson" => Some(Format::Jsonl),
        "md" | "markdown" => Some(Format::Markdown),
        "txt" | "text" => Some(Format::Text),
        _ => None,
    }
}

/// A file's name without folders and endings.
pub(crate) fn stem(name: &str) -> String {
    let base = name.rsplit('/').next().unwrap_or(name);
    let base = base.strip_suffix(".gz").unwrap_or(base);
    base.rsplit_once('.').map_or(base, |(stem, _)| stem).to_owned()
}

/// The paragraphs of one file. Faults of the file go into its report.
pub(crate) fn read(
    source: &SourcePath,
    report: &mut FileReport,
    cancel: &AtomicBool,
) -> Result<Vec<Draft>, KnowledgeError> {
    let drafts = match try_read(source, report, cancel) {
        Ok(drafts) => drafts,
        Err(error) if cancel.load(Ordering::Relaxed) => {
            drop(error);
            return Err(KnowledgeError::Cancelled);
        }
        Err(error) => {
            report.problem(None, format!("cannot be read: {error}"));
            Vec::new()
        }
    };
    if drafts.is_empty() && report.problems.is_empty() {
        report.problem(None, "no text in it");
    }
    Ok(drafts)
}

fn try_read(
    source: &SourcePath,
    report: &mut FileReport,
    cancel: &AtomicBool,
) -> std::io::Result<Vec<Draft>> {
    let mut input = Source::open(&source.path)?;
    if input.looks_binary()? {
        report.problem(None, "a binary file: not read");
        return Ok(Vec::new());
    }
    let mut lines = Vec::new();
    let mut drafts = Vec::new();
    let mut number = 0;
    while let Some(line) = input.next_line()? {
        number += 1;
        if cancel.load(Ordering::Relaxed) {
            return Err(std::io::Error::other("cancelled"));
        }
        match (line, source.format) {
            (Line::TooLong(bytes), _) => {
                report.problem(Some(number), format!("a line of {bytes} bytes, over {LINE_BYTES}: skipped"));
                lines.push(String::new());
            }
            (Line::NotUtf8(byte), Format::Jsonl) => {
                report.problem(Some(number), format!("not UTF-8 at byte {byte}: line skipped"));
            }
            (Line::NotUtf8(byte), Format::Markdown | Format::Text) => {
                // Leaving a line out would change what a paragraph says.
                report.problem(
                    Some(number),
                    format!("not UTF-8 at byte {byte}: file not read, convert it to UTF-8"),
                );
                return Ok(Vec::new());
            }
            (Line::Text(line), Format::Jsonl) => {
                if line.trim().is_empty() {
                    continue;
                }
                match jsonl::read_row(&line, number) {
                    Ok(rows) => drafts.extend(rows),
                    Err(fault) => report.problem(Some(number), fault.to_string()),
                }
            }
            (Line::Text(line), Format::Markdown | Format::Text) => {
                if line.contains('\0') {
                    report.problem(Some(number), "a NUL byte: file not read");
                    return Ok(Vec::new());
                }
                lines.push(line);
            }
        }
    }
    Ok(match source.format {
        Format::Jsonl => drafts,
        Format::Markdown => markdown::read(&stem(&source.name), &lines),
        Format::Text => text::read(&stem(&source.name), &lines),
    })
}
