//! What parent and child tell each other: lines of JSON.

use std::collections::BTreeSet;
use std::ffi::OsString;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::{Block, Format, Limits, Note, PagePicture, PageRequest, ReadError};

/// A file to read.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub path: OsString,
    pub format: Format,
    pub limits: Limits,
    /// The page to draw; none to read the text.
    pub draw: Option<PageRequest>,
}

/// One line from the child. A document is its head, its blocks and the end; an error stands for it, as for a picture.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer {
    /// How many pages the child has read in its life.
    Beat(u64),
    Head(Head),
    Block(Block),
    End,
    Picture(PagePicture),
    Failed(Failure),
}

/// A document without its blocks.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Head {
    pub title: Option<String>,
    pub pages: Option<u32>,
    pub scans: u32,
    pub notes: Vec<Note>,
}

/// A [`ReadError`] that owns its words.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Failure {
    Io(String),
    Malformed { format: String, what: String },
    Encrypted,
    Scanned { pages: u32 },
    Recogniser(String),
    TooLarge { limit: u64, what: String },
    TooSlow { seconds: u64 },
    Crashed { what: String },
    Cancelled,
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Io(what) => Self::Io(what),
            ReadError::Malformed { format, what } => Self::Malformed { format: format.into(), what },
            ReadError::Encrypted => Self::Encrypted,
            ReadError::Scanned { pages } => Self::Scanned { pages },
            ReadError::Recogniser(what) => Self::Recogniser(what),
            ReadError::TooLarge { limit, what } => Self::TooLarge { limit, what: what.into() },
            ReadError::TooSlow { seconds } => Self::TooSlow { seconds },
            ReadError::Crashed { what } => Self::Crashed { what },
            ReadError::Cancelled => Self::Cancelled,
        }
    }
}

impl From<Failure> for ReadError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Io(what) => Self::Io(what),
            Failure::Malformed { format, what } => Self::Malformed { format: word(&format), what },
            Failure::Encrypted => Self::Encrypted,
            Failure::Scanned { pages } => Self::Scanned { pages },
            Failure::Recogniser(what) => Self::Recogniser(what),
            Failure::TooLarge { limit, what } => Self::TooLarge { limit, what: word(&what) },
            Failure::TooSlow { seconds } => Self::TooSlow { seconds },
            Failure::Crashed { what } => Self::Crashed { what },
            Failure::Cancelled => Self::Cancelled,
        }
    }
}

/// The words of errors are constants of this crate: few, and kept for good.
fn word(text: &str) -> &'static str {
    const MAX_WORDS: usize = 64;
    static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut words = WORDS.lock();
    match words.get(text) {
        Some(word) => word,
        None if words.len() < MAX_WORDS && text.len() < MAX_WORDS => {
            let word: &'static str = Box::leak(text.into());
            words.insert(word);
            word
        }
        // Only a child that was taken over says so many different things.
        None => "document",
    }
}
