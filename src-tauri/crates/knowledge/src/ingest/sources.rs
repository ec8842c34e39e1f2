//! Which files are taken, and as what.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use documents::Format;
use serde::{Deserialize, Serialize};

use super::limits::FILES;
use super::options::FileReport;
use super::oscal;
use crate::error::KnowledgeError;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Paragraphs with ids, one a line.
    Jsonl,
    /// A catalogue of controls.
    Oscal,
    /// Running text.
    Document(Format),
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Oscal => "oscal",
            Self::Document(Format::Text) => "text",
            Self::Document(Format::Markdown) => "markdown",
            Self::Document(Format::Csv) => "csv",
            Self::Document(Format::Html) => "html",
            Self::Document(Format::Epub) => "epub",
            Self::Document(Format::Docx) => "docx",
            Self::Document(Format::Xlsx) => "xlsx",
            Self::Document(Format::Pdf) => "pdf",
            Self::Document(Format::Ecfr) => "ecfr",
            Self::Document(Format::Picture) => "picture",
        }
    }
}

/// A file to read.
#[derive(Debug, Clone)]
pub(crate) struct SourcePath {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Length as stored.
    pub(crate) bytes: u64,
}

const MAX_FOLDER_DEPTH: usize = 32;
/// What is looked at of a file to tell its format.
const HEAD: u64 = 64 << 10;

/// The files below `sources`, called as `names` has it, in the order of their names; what is passed over is reported.
pub(crate) fn find(
    sources: &[PathBuf],
    names: &BTreeMap<PathBuf, String>,
    reports: &mut Vec<FileReport>,
) -> Result<Vec<SourcePath>, KnowledgeError> {
    let mut found = Vec::new();
    for source in sources {
        // The path the person named may be a link; links inside folders are not followed.
        let metadata = fs::metadata(source).map_err(KnowledgeError::io(source))?;
        if metadata.is_dir() {
            walk(source, "", 0, &mut found, reports)?;
        } else {
            let own = || source.file_name().map(|name| name.to_string_lossy().into_owned());
            let name = names.get(source).cloned().or_else(own).unwrap_or_else(|| "file".into());
            // A file that was named is read whatever it is called.
            let kind = kind_of(source, &name)
                .or_else(|| kind_of(source, &format!("{name}.txt")))
                .unwrap_or(Kind::Document(Format::Text));
            found.push(SourcePath { path: source.clone(), name, kind, bytes: metadata.len() });
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
        let metadata = entry.metadata().map_err(KnowledgeError::io(&entry.path()))?;
        if metadata.is_symlink() {
            pass_over("a symbolic link: not followed");
        } else if metadata.is_dir() {
            if depth >= MAX_FOLDER_DEPTH {
                pass_over("folders nested too deep: not read");
            } else {
                walk(&entry.path(), &format!("{name}/"), depth + 1, found, reports)?;
            }
        } else if !metadata.is_file() {
            pass_over("not a regular file: not read");
        } else if let Some(kind) = kind_of(&entry.path(), &name) {
            if found.len() >= FILES {
                return Err(KnowledgeError::TooLarge { limit: FILES as u64, what: "files" });
            }
            found.push(SourcePath { path: entry.path(), name, kind, bytes: metadata.len() });
        } else {
            pass_over(
                "not text, Markdown, HTML, CSV, EPUB, DOCX, XLSX, PDF, PNG, JPEG, JSONL, an OSCAL catalogue or eCFR XML: not read",
            );
        }
    }
    Ok(())
}

/// By name, and by the first bytes where these tell more. A file that can't be opened is what its name says; reading
/// it tells the reason.
fn kind_of(path: &Path, name: &str) -> Option<Kind> {
    let lower = name.to_ascii_lowercase();
    let ending = Path::new(lower.strip_suffix(".gz").unwrap_or(&lower)).extension()?.to_str()?;
    if matches!(ending, "jsonl" | "ndjson") {
        return Some(Kind::Jsonl);
    }
    let mut head = Vec::new();
    // What could be read is looked at.
    let _ = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    if ending == "json" {
        return oscal::looks_like(&head).then_some(Kind::Oscal);
    }
    Format::detect(name, &head).map(Kind::Document)
}

/// A file's name without folders and endings, as ids begin with it. Square brackets are what answers write their marks in.
pub(crate) fn stem(name: &str) -> String {
    let base = name.rsplit('/').next().unwrap_or(name);
    let base = base.strip_suffix(".gz").unwrap_or(base);
    base.rsplit_once('.').map_or(base, |(stem, _)| stem).replace('[', "(").replace(']', ")")
}
