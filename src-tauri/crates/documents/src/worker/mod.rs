//! Reading in a child process: a parser that spins, crashes or fills the memory costs one file, never the program.
//!
//! A program that reads documents calls [`child_main`] first thing in its `main` and reads through a [`Reader`], which
//! starts the same program again as `<program> --read-document`. The child has no environment, may write no
//! file, and has bounds on its memory and time; requests come in over its standard input, documents go out over
//! its standard output. It ends when its input ends, and so with its parent.

mod child;
mod confine;
mod process;
pub(crate) mod pulse;
mod wire;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;

use crate::{Document, Format, Limits, PagePicture, PageRequest, ReadError};

pub use self::child::child_main;
use self::process::Process;

/// The first argument of a program that is started to read documents for its parent.
pub const ARGUMENT: &str = "--read-document";

/// Children kept for the next file.
const IDLE: usize = 4;

/// How long reading a file may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// For any file.
    pub base: Duration,
    /// More for each megabyte of the file.
    pub megabyte: Duration,
    /// More for each page that the child says it has read.
    pub page: Duration,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            base: Duration::from_secs(30),
            megabyte: Duration::from_millis(200),
            page: Duration::from_millis(200),
        }
    }
}

/// Reads files in child processes, which stay for the next file. Can be shared between threads; each file that is
/// read at the same time has a child of its own. To be dropped when the last file is read: its children then end.
#[derive(Debug, Default)]
pub struct Reader {
    /// The program that calls [`child_main`], and its first arguments. Empty: files are read in this process, where
    /// only panics are caught.
    pub command: Vec<OsString>,
    /// When a child is given up.
    pub patience: ReadLimits,
    idle: Mutex<Vec<Process>>,
}

impl Reader {
    /// A reader whose children are started with `command`.
    pub fn new(command: Vec<OsString>) -> Self {
        Self { command, ..Self::default() }
    }

    /// A reader whose children are this very program, which must call [`child_main`].
    pub fn of_this_program() -> Self {
        // The link, not the path it names: the program's file may have been replaced by an update since.
        let link = cfg!(target_os = "linux").then(|| OsString::from("/proc/self/exe"));
        let program = link.or_else(|| std::env::current_exe().ok().map(Into::into));
        Self::new(program.into_iter().collect())
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// What [`crate::read`] says; [`ReadError::Crashed`], [`ReadError::TooSlow`] and [`ReadError::TooLarge`] when the
    /// child had to be given up; [`ReadError::Cancelled`] soon after `cancel` is set.
    pub fn read(
        &self,
        path: &Path,
        format: Format,
        limits: &Limits,
        cancel: &AtomicBool,
    ) -> Result<Document, ReadError> {
        if self.command.is_empty() {
            return caught(|| crate::read(path, format, limits, cancel));
        }
        self.lend(|process| process.read(path, format, limits, self.patience, cancel))
    }

    /// Draws a page of the PDF file at `path`.
    ///
    /// # Errors
    /// What [`crate::draw`] says, and as [`Reader::read`].
    pub fn draw(
        &self,
        path: &Path,
        page: &PageRequest,
        limits: &Limits,
        cancel: &AtomicBool,
    ) -> Result<PagePicture, ReadError> {
        if self.command.is_empty() {
            return caught(|| crate::draw(path, page, limits, cancel));
        }
        self.lend(|process| process.draw(path, page, limits, self.patience, cancel))
    }

    /// Has `work` done by a child, which stays for the next file where it may.
    fn lend<T>(&self, work: impl FnOnce(&mut Process) -> Result<T, ReadError>) -> Result<T, ReadError> {
        let idle = self.idle.lock().pop();
        let mut process = match idle.filter(Process::is_alive) {
            Some(process) => process,
            None => Process::start(&self.command)?,
        };
        let result = work(&mut process);
        let mut idle = self.idle.lock();
        if process.is_reusable() && idle.len() < IDLE {
            idle.push(process);
        }
        result
    }
}

/// The threads that models run on, started before a child may start none any more.
pub(crate) fn recogniser_threads() -> Arc<recognition::ThreadPool> {
    static THREADS: OnceLock<Arc<recognition::ThreadPool>> = OnceLock::new();
    Arc::clone(THREADS.get_or_init(recognition::prepare))
}

/// The result of `work`, whose panic is an error like others.
fn caught<T>(work: impl FnOnce() -> Result<T, ReadError>) -> Result<T, ReadError> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(ReadError::Crashed { what: "a panic".into() }))
}
