//! One child process to its end: bounded in time and in what is kept of its words.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{PipeReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use process_guard::{ExitReport, GuardedCommand, plain_environment};
use tokio::sync::watch;

/// What a tree gets between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(3);
/// How long the last words may take after the end.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// What is kept of the beginning of a command's output, in bytes.
const MAX_HEAD_BYTES: usize = 16 << 10;
/// What is kept of its end, in bytes.
const MAX_TAIL_BYTES: usize = 48 << 10;

/// Starts children.
#[derive(Debug)]
pub(crate) struct Runner {
    /// Commands of projects run below it.
    pub(crate) guard: Option<PathBuf>,
    /// The `PATH` of children; until it is known it is this process' own.
    pub(crate) search_path: Option<watch::Receiver<Option<OsString>>>,
}

/// A program to run to its end.
pub(crate) struct Child<'a> {
    pub(crate) program: &'a OsStr,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) directory: &'a Path,
    pub(crate) variables: Vec<(OsString, OsString)>,
    pub(crate) input: &'a [u8],
    pub(crate) timeout: Duration,
    /// The most of its output that is kept, in bytes; beyond it, `cut` is set.
    pub(crate) max_bytes: usize,
}

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// 128 + n for a signal; `None` when it was ended for taking too long, or its end was not seen.
    pub(crate) code: Option<i32>,
    pub(crate) output: Vec<u8>,
    pub(crate) errors: Vec<u8>,
    pub(crate) cut: bool,
    pub(crate) timed_out: bool,
}

/// How a command of a project ended.
#[derive(Debug)]
pub(crate) struct ShellEnd {
    pub(crate) code: Option<i32>,
    pub(crate) timed_out: bool,
    /// Its first and last words, output and errors together.
    pub(crate) text: String,
    pub(crate) took: Duration,
}

impl Runner {
    fn environment(&self) -> BTreeMap<OsString, OsString> {
        let path = self.search_path.as_ref().and_then(|path| path.borrow().clone());
        plain_environment(path.as_deref())
    }

    /// Runs a program of ours, with output and errors apart.
    pub(crate) async fn run(&self, child: Child<'_>) -> std::io::Result<Finished> {
        let mut guarded = GuardedCommand::new(None, child.program, child.arguments, GRACE);
        let (output, output_end) = std::io::pipe()?;
        let (errors, errors_end) = std::io::pipe()?;
        guarded
            .command
            .current_dir(child.directory)
            .envs(self.environment())
            .envs(child.variables)
            .stdin(input(child.input)?)
            .stdout(output_end)
            .stderr(errors_end);
        // Spawning consumes the command and with it this side's ends of the pipes.
        let tree = guarded.spawn()?;
        let output = read(output, child.max_bytes, 0);
        let errors = read(errors, 0, MAX_TAIL_BYTES);
        let ended = tokio::time::timeout(child.timeout, tree.ended()).await;
        let timed_out = ended.is_err();
        let report = match ended {
            Ok(report) => report,
            Err(_) => {
                tree.stop();
                tree.ended().await
            }
        };
        let (output, errors) = (words(output).await, words(errors).await);
        Ok(Finished {
            code: code(report, timed_out),
            cut: output.total > output.head.len() as u64,
            output: output.head,
            errors: errors.tail.into(),
            timed_out,
        })
    }

    /// Runs a command line of a project by the shell, below the guard where there is one.
    pub(crate) async fn shell(
        &self,
        command: &str,
        directory: &Path,
        variables: Vec<(OsString, OsString)>,
        timeout: Duration,
    ) -> std::io::Result<ShellEnd> {
        let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("/bin/sh", "-c") };
        let arguments = vec![OsString::from(flag), OsString::from(command)];
        let mut guarded = GuardedCommand::new(self.guard.as_deref(), OsStr::new(shell), arguments, GRACE);
        let (reader, writer) = std::io::pipe()?;
        guarded
            .command
            .current_dir(directory)
            .envs(self.environment())
            .envs([("TERM", "dumb"), ("NO_COLOR", "1"), ("PAGER", "cat"), ("GIT_PAGER", "cat")])
            .envs([("GIT_TERMINAL_PROMPT", "0"), ("GIT_EDITOR", ":")])
            .envs(variables)
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer);
        let start = Instant::now();
        let tree = guarded.spawn()?;
        let reading = read(reader, MAX_HEAD_BYTES, MAX_TAIL_BYTES);
        let ended = tokio::time::timeout(timeout, tree.ended()).await;
        let timed_out = ended.is_err();
        let report = match ended {
            Ok(report) => report,
            Err(_) => {
                tree.stop();
                tree.ended().await
            }
        };
        let took = start.elapsed();
        Ok(ShellEnd { code: code(report, timed_out), timed_out, text: words(reading).await.text(), took })
    }
}

fn code(report: ExitReport, timed_out: bool) -> Option<i32> {
    match report {
        _ if timed_out => None,
        ExitReport::Code(code) => Some(code),
        ExitReport::Signal(signal) => Some(128 + signal),
        ExitReport::Unknown => None,
    }
}

/// The input as a file, which no child can be held up by.
fn input(bytes: &[u8]) -> std::io::Result<Stdio> {
    if bytes.is_empty() {
        return Ok(Stdio::null());
    }
    let mut file: File = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file.into())
}

/// The first and the last bytes of a stream.
#[derive(Debug, Default)]
struct Clipped {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

type Reading = tokio::task::JoinHandle<Clipped>;

fn read(mut from: PipeReader, max_head: usize, max_tail: usize) -> Reading {
    tokio::task::spawn_blocking(move || {
        let mut clipped = Clipped::default();
        let mut buffer = vec![0_u8; 32 << 10];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => clipped.push(&buffer[..count], max_head, max_tail),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        clipped
    })
}

async fn words(reading: Reading) -> Clipped {
    match tokio::time::timeout(LAST_WORDS, reading).await {
        Ok(Ok(clipped)) => clipped,
        Ok(Err(_)) | Err(_) => Clipped::default(),
    }
}

impl Clipped {
    fn push(&mut self, bytes: &[u8], max_head: usize, max_tail: usize) {
        self.total += bytes.len() as u64;
        let room = max_head.saturating_sub(self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(max_tail);
        self.tail.drain(..over);
    }

    fn text(mut self) -> String {
        let left_out = self.total - (self.head.len() + self.tail.len()) as u64;
        let tail = self.tail.make_contiguous();
        if left_out == 0 {
            self.head.extend_from_slice(tail);
            return plain(&self.head);
        }
        format!("{}\n[{left_out} bytes left out]\n{}", plain(&self.head), plain(tail))
    }
}

/// The text without sequences for terminals and without control characters.
fn plain(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' if characters.peek() == Some(&'[') => {
                characters.next();
                while characters.next().is_some_and(|c| !('@'..='~').contains(&c)) {}
            }
            '\n' | '\t' => plain.push(character),
            other if other.is_control() => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_output_keeps_its_beginning_and_its_end() {
        let mut clipped = Clipped::default();
        for piece in ["begin", " middle middle", " end"] {
            clipped.push(piece.as_bytes(), 5, 4);
        }
        assert_eq!(clipped.text(), "begin\n[14 bytes left out]\n end");
    }

    #[test]
    fn colours_and_controls_are_taken_out() {
        assert_eq!(plain(b"\x1b[1;31mred\x1b[0m\r\n\ttab\x07"), "red\n\ttab");
    }
}
