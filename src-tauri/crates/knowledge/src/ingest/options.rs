//! What to ingest, how far it is, and what came of it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use documents::ReadError;
use documents::worker::Reader;
use embeddings::Embedder;
use serde::{Deserialize, Serialize};

use super::limits::FILE_PROBLEMS;
use crate::generation::Manifest;
use crate::paragraph::Tier;

/// What to ingest, and as what.
#[derive(Clone)]
pub struct IngestOptions {
    /// The program's data directory.
    pub home: PathBuf,
    /// Name of the base.
    pub base: String,
    /// Title shown to people; the base's name when empty.
    pub title: String,
    /// Weight of the text.
    pub tier: Tier,
    /// Citation form with `{id}` in it; when empty the rule set's, else `({id})`.
    pub citation: String,
    /// Now, in milliseconds since 1970. It goes into the manifest and nowhere else.
    pub created_at_ms: i64,
    /// Files and folders. Folders are read recursively, in the order of their names.
    pub sources: Vec<PathBuf>,
    /// What files are called that lie under another name.
    pub names: BTreeMap<PathBuf, String>,
    /// The session whose attached documents these are.
    pub session: Option<String>,
    /// Where readings of files are kept that several bases may be made of; none to keep them beside the base.
    pub readings: Option<PathBuf>,
    /// The rule set for all documents; none to choose one for each by what it looks like.
    pub rules: Option<String>,
    /// What makes the vectors; none for a base without.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// What opens PDF, DOCX, XLSX and EPUB: children of a program, or, as [`Self::new`] has it, this process.
    pub reader: Arc<Reader>,
    /// The folder of the models that read pages which are pictures; none to only name such pages.
    pub recogniser: Option<PathBuf>,
}

impl IngestOptions {
    /// Ingests these files and folders as documents, by the rules that fit, without vectors.
    pub fn new(home: impl Into<PathBuf>, base: impl Into<String>, sources: Vec<PathBuf>) -> Self {
        let home = home.into();
        Self {
            recogniser: documents::recogniser_in(&home.join("models")),
            home,
            base: base.into(),
            title: String::new(),
            tier: Tier::Document,
            citation: String::new(),
            created_at_ms: 0,
            sources,
            names: BTreeMap::new(),
            session: None,
            readings: None,
            rules: None,
            embedder: None,
            reader: Arc::new(Reader::default()),
        }
    }

    /// The same, with the formats that are hard to read opened by children of this program, which must call
    /// [`documents::worker::child_main`] first thing.
    #[must_use]
    pub fn read_apart(self) -> Self {
        Self { reader: Arc::new(Reader::of_this_program()), ..self }
    }
}

impl fmt::Debug for IngestOptions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("IngestOptions")
            .field("base", &self.base)
            .field("sources", &self.sources)
            .field("rules", &self.rules)
            .field("embedder", &self.embedder.as_ref().map(|one| one.model()))
            .finish_non_exhaustive()
    }
}

/// Something wrong in a source, with its place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileProblem {
    /// Line from 1, where it is about a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Page from 1, where it is about a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// What was found, and what was done about it.
    pub what: String,
    /// Whether nobody misses what was left out, such as a table of contents.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub minor: bool,
}

/// Why a file could not be read at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unread {
    /// The operating system refused.
    Io,
    /// Damaged, or not what its name says.
    Damaged,
    /// A password is needed.
    Encrypted,
    /// Pages of pictures without text.
    Scanned,
    /// More than the limits allow.
    TooLarge,
    /// The reader took too long, or its process died.
    Failed,
    /// No text in it.
    Empty,
}

impl Unread {
    /// What a person can do about it, as in "save a copy without the password"; empty where nothing is known.
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Encrypted => "save a copy without the password",
            Self::Damaged => "open it in the program that made it and save it anew",
            Self::TooLarge => "split it into parts",
            Self::Failed | Self::Io => "ingest again",
            // What is told of a scan says it already.
            Self::Empty | Self::Scanned => "",
        }
    }

    /// `None` for what the person stopped.
    pub(crate) fn from_error(error: &ReadError) -> Option<Self> {
        match error {
            ReadError::Io(_) => Some(Self::Io),
            ReadError::Malformed { .. } => Some(Self::Damaged),
            ReadError::Encrypted => Some(Self::Encrypted),
            ReadError::Scanned { .. } => Some(Self::Scanned),
            ReadError::TooLarge { .. } => Some(Self::TooLarge),
            ReadError::TooSlow { .. } | ReadError::Crashed { .. } | ReadError::Recogniser(_) => {
                Some(Self::Failed)
            }
            ReadError::Cancelled => None,
        }
    }
}

/// What became of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileReport {
    /// Its path below the folder that was ingested, or its name.
    pub name: String,
    /// Its format; empty for a file that was passed over.
    #[serde(default)]
    pub format: String,
    /// The rule set that its paragraphs were found by; empty where the file itself names them.
    #[serde(default)]
    pub rules: String,
    /// How sure the choice of the rule set is, in hundredths; 100 when the person chose it.
    #[serde(default)]
    pub confidence: u8,
    /// Pages, where the format has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Paragraphs taken from it, parts included.
    pub paragraphs: u64,
    /// The first problems, at most [`FILE_PROBLEMS`].
    pub problems: Vec<FileProblem>,
    /// Problems beyond those listed.
    pub more_problems: u64,
    /// Whether reading it failed in a way that another time may not: the next ingest tries again.
    #[serde(default)]
    pub retry: bool,
    /// Why it could not be read at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<Unread>,
    /// Whether it was known and not read again.
    #[serde(skip)]
    pub reused: bool,
}

impl FileReport {
    pub(crate) fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// Why nothing of it is in the base, and what helps; none where something is. A file of a format that is not read was passed over.
    pub fn unread(&self) -> Option<(String, &'static str)> {
        let told = || self.problems.last().map_or_else(|| "no text in it".to_owned(), |one| one.what.clone());
        match self.unread {
            Some(Unread::Encrypted) => {
                Some(("it is encrypted with a password".into(), Unread::Encrypted.remedy()))
            }
            Some(unread) => Some((told(), unread.remedy())),
            None if self.format.is_empty() => Some((told(), "")),
            None => None,
        }
    }

    pub(crate) fn problem(&mut self, line: Option<usize>, what: impl Into<String>) {
        self.add(FileProblem {
            line: line.filter(|&line| line > 0),
            page: None,
            what: what.into(),
            minor: false,
        });
    }

    pub(crate) fn add(&mut self, problem: FileProblem) {
        if self.problems.len() < FILE_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.more_problems += 1;
        }
    }
}

/// What an ingest did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngestReport {
    /// The current generation.
    pub manifest: Manifest,
    /// Every file that was looked at, in order.
    pub files: Vec<FileReport>,
    /// Whether the base held all of this already, so that no generation was written.
    pub unchanged: bool,
}

/// How far an ingest is. Counts only grow within a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Reading sources.
    Reading {
        /// The file that is read now.
        file: String,
        /// Files finished.
        files: usize,
        /// Files found.
        of: usize,
        /// Bytes of the finished files as stored.
        bytes: u64,
        /// Bytes of all files as stored.
        of_bytes: u64,
        /// Paragraphs so far.
        paragraphs: usize,
    },
    /// Making vectors.
    Embedding {
        /// Paragraphs that have one.
        done: usize,
        /// Paragraphs in all.
        of: usize,
    },
    /// Writing the index.
    Indexing {
        /// Paragraphs indexed.
        done: usize,
        /// Paragraphs in all.
        of: usize,
    },
    /// Making it durable and current.
    Publishing,
}
