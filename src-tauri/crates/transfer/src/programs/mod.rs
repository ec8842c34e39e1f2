//! Conversations that other programs keep or exported: ChatGPT and Claude as an archive, a folder or its
//! `conversations.json`, Claude Code and Codex as folders of sessions or one session.
//!
//! [`Program::detect`] tells by the content which one wrote something. [`Conversations`] reads one conversation at a time, the
//! one that changed last at the end, so that the largest export needs the memory of its largest conversation. Of a
//! conversation that was edited or answered anew, the branch that was last current is taken. What a program told its model
//! beside the person's words is left out.

mod builder;
mod chatgpt;
mod claude;
mod claude_code;
mod codex;
mod elements;
mod export;
mod folder;

use std::path::{Path, PathBuf};

use crate::limits::Limits;
use crate::report::Report;
use crate::transcript::Transcript;

pub use folder::{ProgramFolder, program_folders};

use export::Export;
use folder::SessionFiles;

/// A program whose conversations can be brought over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)] // named by the words themselves
pub enum Program {
    ChatGpt,
    Claude,
    ClaudeCode,
    Codex,
}

impl Program {
    /// The name for a person.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChatGpt => "ChatGPT",
            Self::Claude => "Claude",
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
        }
    }

    /// The program that wrote a file or folder; `None` where none of these did.
    pub fn detect(path: &Path, limits: &Limits) -> Option<Self> {
        let seen = std::fs::symlink_metadata(path).ok()?;
        export::detect(path, seen.is_dir(), limits).or_else(|| folder::detect(path, seen.is_dir(), limits))
    }
}

/// What a line begins with that stands for a file which is named and not there.
pub const MISSING_FILE: &str = "[A file that is not in the export: ";

/// A conversation that was read.
#[derive(Debug)]
pub struct Conversation {
    /// What names it, the same whenever and wherever it is read.
    pub key: String,
    /// What was said.
    pub transcript: Transcript,
    /// Files that go with it.
    pub files: Vec<FileBytes>,
    /// What can't be taken over.
    pub report: Report,
    /// Where it was read, for the report.
    pub place: String,
}

/// A file that goes into a session's `attachments`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBytes {
    /// Its name there.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// What a conversation could not be read for.
#[derive(Debug)]
pub enum Unread {
    /// Nothing was said in it, or it is the work of an agent within another one: it is counted.
    Empty,
    /// It is damaged.
    Damaged {
        /// Its name or file.
        name: String,
        /// Why, in words.
        why: String,
        /// Where it stands.
        place: String,
    },
}

/// A group of a folder's sessions, such as a project's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionGroup {
    /// Its folder's name.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// How many sessions it has.
    pub sessions: usize,
}

/// The conversations of a program, one after another.
#[derive(Debug)]
pub enum Conversations {
    /// Of an export.
    Export(Box<Export>),
    /// Of a folder of sessions, or of one session.
    Folder(Box<SessionFiles>),
}

impl Conversations {
    /// Opens what a program wrote. `scratch` gives an empty file for what is unfolded, without which an archive could not be
    /// read in the order of time.
    ///
    /// # Errors
    /// Those of reading and writing; an archive that is none.
    pub fn open(
        path: &Path,
        program: Program,
        limits: Limits,
        scratch: impl FnMut() -> std::io::Result<std::fs::File>,
    ) -> std::io::Result<Self> {
        match program {
            Program::ChatGpt | Program::Claude => {
                Ok(Self::Export(Box::new(Export::open(path, program, limits, scratch)?)))
            }
            Program::ClaudeCode | Program::Codex => {
                Ok(Self::Folder(Box::new(SessionFiles::find(path, program, limits))))
            }
        }
    }

    /// The groups of its sessions; none where it has no more than one.
    pub fn groups(&self) -> Vec<SessionGroup> {
        match self {
            Self::Export(_) => Vec::new(),
            Self::Folder(files) => files.groups(),
        }
    }

    /// Leaves out what is in none of these groups.
    pub fn choose(&mut self, groups: &[String]) {
        if let Self::Folder(files) = self {
            files.choose(groups);
        }
    }

    /// How many conversations are left.
    pub fn left(&self) -> usize {
        match self {
            Self::Export(export) => export.left(),
            Self::Folder(files) => files.left(),
        }
    }

    /// What was met while it was opened.
    pub fn report(&mut self) -> Report {
        match self {
            Self::Export(export) => std::mem::take(&mut export.report),
            Self::Folder(files) => std::mem::take(&mut files.report),
        }
    }
}

impl Iterator for Conversations {
    type Item = Result<Conversation, Unread>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Export(export) => export.next_conversation(),
            Self::Folder(files) => files.next_conversation(),
        }
    }
}

/// A file's name without its folders.
fn base_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A path as a report names it.
fn place_of(path: &Path) -> String {
    path.display().to_string()
}

/// Files below a folder with their names relative to it; links are not followed.
fn files_below(folder: &Path, limits: &Limits) -> (Vec<(PathBuf, String)>, Report) {
    let mut look = crate::craft::BoundedReader::new(limits);
    let files = look.walk(folder);
    (files, look.report)
}
