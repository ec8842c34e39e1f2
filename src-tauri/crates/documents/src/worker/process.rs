//! The parent's side of one child.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use super::wire::{Answer, Head, Request};
use super::{ARGUMENT, ReadLimits, confine};
use crate::{Block, Document, Format, Limits, PagePicture, PageRequest, ReadError};

/// Files that one child reads before it makes room for a fresh one.
const FILES: u32 = 256;
/// A child that has read a file larger than this is not kept: its memory would not come back.
const KEEPABLE: u64 = 64 << 20;
/// How often the person's wish to stop is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// Most bytes of a picture's answer: more than the largest one takes as PNG, in base64.
const MAX_PICTURE_BYTES: u64 = 96 << 20;
/// Signs of life that reading one page's picture may give.
const MAX_SCAN_BEATS: u64 = 3_000;
/// Answers that wait to be taken.
const WAITING: usize = 256;

/// What came from the child.
enum ChildOutput {
    Line(Vec<u8>),
    /// More than a document of these limits can be.
    Flood,
}

/// What a request came to.
enum Finished {
    Document(Document),
    Picture(PagePicture),
}

/// A child that reads documents.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    requests: ChildStdin,
    answers: Receiver<ChildOutput>,
    errors: ChildStderr,
    /// Bytes that the child may still send.
    allowance: Arc<AtomicU64>,
    files: u32,
    reusable: bool,
    beats: u64,
}

impl Process {
    /// Starts a child.
    pub fn start(command: &[OsString]) -> Result<Self, ReadError> {
        let failed = |what: String| ReadError::Io(format!("the reader's process cannot be started: {what}"));
        let (program, arguments) = command.split_first().ok_or_else(|| failed("no command".into()))?;
        let mut command = Command::new(program);
        command.args(arguments).arg(ARGUMENT).env_clear().current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C in a terminal is for the program; it decides when its children end.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(requests), Some(out), Some(errors)) = streams else {
            return Err(failed("it has no streams".into()));
        };
        let allowance = Arc::new(AtomicU64::new(0));
        let (sender, answers) = sync_channel(WAITING);
        let left = Arc::clone(&allowance);
        let taker = std::thread::Builder::new().name("document-answers".into());
        taker.spawn(move || take(out, &left, &sender)).map_err(|error| failed(error.to_string()))?;
        Ok(Self { child, requests, answers, errors, allowance, files: 0, reusable: true, beats: 0 })
    }

    /// Whether it still runs.
    pub fn is_alive(&self) -> bool {
        // The taker hangs up when the child does.
        !matches!(self.answers.try_recv(), Err(std::sync::mpsc::TryRecvError::Disconnected))
    }

    /// Whether another file may be given to it.
    pub fn is_reusable(&self) -> bool {
        self.reusable && self.files < FILES
    }

    /// Has a file read.
    pub fn read(
        &mut self,
        path: &Path,
        format: Format,
        limits: &Limits,
        patience: ReadLimits,
        cancel: &AtomicBool,
    ) -> Result<Document, ReadError> {
        // Escapes at most double usual text, and each block has its place and kind.
        let most = 2 * limits.text_bytes as u64 + 256 * limits.blocks as u64 + (1 << 20);
        let limits = Limits { recogniser: absolute(limits.recogniser.as_deref())?, ..limits.clone() };
        let request = Request { path: path.into(), format, limits, draw: None };
        match self.ask(request, most, patience, cancel)? {
            Finished::Document(document) => Ok(document),
            Finished::Picture(_) => Err(self.strange()),
        }
    }

    /// Has a page of a PDF file drawn.
    pub fn draw(
        &mut self,
        path: &Path,
        page: &PageRequest,
        limits: &Limits,
        patience: ReadLimits,
        cancel: &AtomicBool,
    ) -> Result<PagePicture, ReadError> {
        let draw = Some(page.clone());
        let request = Request { path: path.into(), format: Format::Pdf, limits: limits.clone(), draw };
        match self.ask(request, MAX_PICTURE_BYTES, patience, cancel)? {
            Finished::Picture(picture) => Ok(picture),
            Finished::Document(_) => Err(self.strange()),
        }
    }

    /// A child that answers something else is not asked again.
    fn strange(&mut self) -> ReadError {
        self.reusable = false;
        ReadError::Crashed { what: "an answer that is none".into() }
    }

    /// Hands a request over and takes its answer, of at most `most` bytes.
    fn ask(
        &mut self,
        mut request: Request,
        most: u64,
        patience: ReadLimits,
        cancel: &AtomicBool,
    ) -> Result<Finished, ReadError> {
        self.files += 1;
        // Until the answer is complete nothing is known about the child.
        let reusable = std::mem::replace(&mut self.reusable, false);
        let path = std::path::absolute(&request.path).map_err(|error| ReadError::Io(error.to_string()))?;
        let size = path.metadata().map_or(0, |data| data.len());
        // Reading a page's picture is told line by line.
        let scanned = if request.limits.recogniser.is_some() { MAX_SCAN_BEATS } else { 1 };
        let most_pages = (request.limits.pages as u64).saturating_mul(scanned);
        request.path = path.into();
        let mut line = serde_json::to_vec(&request).map_err(|error| ReadError::Io(error.to_string()))?;
        line.push(b'\n');
        self.allowance.store(most, Ordering::Relaxed);
        if self.requests.write_all(&line).and_then(|()| self.requests.flush()).is_err() {
            return Err(self.death());
        }
        let megabytes = u32::try_from(size >> 20).unwrap_or(u32::MAX);
        let given = patience.base.saturating_add(patience.megabyte.saturating_mul(megabytes));
        let mut allowed = given;
        let before = self.beats;
        let begun = Instant::now();
        let mut head = Head::default();
        let mut blocks: Vec<Block> = Vec::new();
        loop {
            if cancel.load(Ordering::Relaxed) {
                return Err(ReadError::Cancelled);
            }
            if begun.elapsed() > allowed {
                return Err(ReadError::TooSlow { seconds: allowed.as_secs() });
            }
            let line = match self.answers.recv_timeout(LOOK) {
                Ok(ChildOutput::Line(line)) => line,
                Ok(ChildOutput::Flood) => {
                    return Err(ReadError::TooLarge { limit: most, what: "bytes of answer" });
                }
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return Err(self.death()),
            };
            match serde_json::from_slice(&line) {
                Ok(Answer::Beat(count)) => {
                    self.beats = self.beats.max(count);
                    let pages = (self.beats - before).min(most_pages);
                    allowed = given.saturating_add(
                        patience.page.saturating_mul(u32::try_from(pages).unwrap_or(u32::MAX)),
                    );
                }
                Ok(Answer::Head(given)) => head = given,
                Ok(Answer::Block(block)) => blocks.push(block),
                Ok(Answer::End) => {
                    self.reusable = reusable && size < KEEPABLE;
                    let Head { title, pages, scans, notes } = head;
                    return Ok(Finished::Document(Document { title, blocks, pages, scans, notes }));
                }
                Ok(Answer::Picture(picture)) => {
                    self.reusable = reusable && size < KEEPABLE;
                    return Ok(Finished::Picture(picture));
                }
                Ok(Answer::Failed(failure)) => {
                    self.reusable = reusable && size < KEEPABLE;
                    return Err(failure.into());
                }
                Err(_) => return Err(ReadError::Crashed { what: "an answer that is none".into() }),
            }
        }
    }

    /// Why the child ended.
    fn death(&mut self) -> ReadError {
        let _ = self.child.kill();
        let status = self.child.wait();
        let mut said = Vec::new();
        let _ = (&mut self.errors).take(4096).read_to_end(&mut said);
        // What the language's runtime says when an allocation is refused.
        if String::from_utf8_lossy(&said).contains("memory allocation of") {
            return ReadError::TooLarge { limit: confine::MEMORY, what: "bytes of memory" };
        }
        ReadError::Crashed {
            what: status.map_or_else(|error| error.to_string(), |status| status.to_string()),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A child that has ended already is only collected.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder of models, as the child, which runs elsewhere, finds it.
fn absolute(folder: Option<&Path>) -> Result<Option<PathBuf>, ReadError> {
    folder.map(std::path::absolute).transpose().map_err(|error| ReadError::Io(error.to_string()))
}

/// Hands lines on until the child hangs up or sends more than it may.
fn take(out: ChildStdout, allowance: &AtomicU64, lines: &SyncSender<ChildOutput>) {
    let mut out = BufReader::with_capacity(1 << 16, out);
    loop {
        // The allowance of a request counts from its first byte.
        if out.fill_buf().map_or(true, <[u8]>::is_empty) {
            return;
        }
        let mut line = Vec::new();
        let left = allowance.load(Ordering::Relaxed);
        let Ok(read) = (&mut out).take(left.saturating_add(1)).read_until(b'\n', &mut line) else { return };
        if read as u64 > left {
            let _ = lines.send(ChildOutput::Flood);
            return;
        }
        allowance.fetch_sub(read as u64, Ordering::Relaxed);
        if line.ends_with(b"\n") && lines.send(ChildOutput::Line(line)).is_err() {
            return;
        }
    }
}
