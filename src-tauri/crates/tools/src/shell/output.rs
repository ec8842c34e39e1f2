//! What a command says: its first and its last words in memory, all of it in a file when it is long.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use parking_lot::Mutex;
use tokio::sync::watch;

use super::clean::Cleaner;

/// What the model is shown at most, in bytes; more becomes its first and last half. With what is said of its end it is
/// shown whole.
pub(super) const SHOWN: usize = crate::MAX_SHOWN_BYTES - 2_000;
/// What is kept of the end, in bytes.
const TAIL: usize = 100_000;
/// What is kept in the file, in bytes.
const FILED: u64 = 10 << 20;
/// What may wait to be reported while it runs, in bytes; older words are left out of the report, not of the output.
const WAITING: usize = 8 << 10;
/// A command that said this much is ended.
pub(super) const MAX_OUTPUT_BYTES: u64 = 1 << 30;

/// The output of one command.
#[derive(Debug)]
pub(super) struct Output {
    said: Mutex<BufferedOutput>,
    /// Whether everything was read.
    done: watch::Sender<bool>,
    /// Whether it said more than any command may.
    pub(super) too_much: tokio_util::sync::CancellationToken,
}

#[derive(Debug)]
struct BufferedOutput {
    cleaner: Cleaner,
    head: String,
    tail: VecDeque<u8>,
    /// Bytes of text so far.
    total: u64,
    lines: u64,
    waiting: String,
    place: PathBuf,
    file: OutputFile,
}

#[derive(Debug)]
enum OutputFile {
    /// It is short.
    No,
    /// So many bytes were written.
    Yes(File, u64),
    /// It could not be written.
    Failed,
}

impl Output {
    /// Nothing yet; what is long goes to `place`.
    pub(super) fn new(place: PathBuf) -> Self {
        let said = BufferedOutput {
            cleaner: Cleaner::default(),
            head: String::new(),
            tail: VecDeque::new(),
            total: 0,
            lines: 0,
            waiting: String::new(),
            place,
            file: OutputFile::No,
        };
        Self { said: Mutex::new(said), done: watch::channel(false).0, too_much: Default::default() }
    }

    /// Reads to the end. Blocking. The command is never held up by what is not kept.
    pub(super) fn read(&self, mut from: impl Read) {
        let mut buffer = vec![0_u8; 32 << 10];
        let mut raw: u64 = 0;
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    raw += count as u64;
                    self.said.lock().push(&buffer[..count]);
                    if raw > MAX_OUTPUT_BYTES {
                        self.too_much.cancel();
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.said.lock().finish();
        self.done.send_replace(true);
    }

    /// Adds a line of the program's own.
    pub(super) fn note(&self, line: &str) {
        self.said.lock().add(&format!("\n[{line}]\n"));
    }

    /// Waits until everything was read.
    pub(super) async fn done(&self) {
        // The sender lives in `self`, so the wait can't fail.
        let _ = self.done.subscribe().wait_for(|done| *done).await;
    }

    /// What was said since this was asked last.
    pub(super) fn news(&self) -> Option<String> {
        Some(std::mem::take(&mut self.said.lock().waiting)).filter(|text| !text.is_empty())
    }

    /// What the model reads: all of it, or the beginning and the end with the place of the whole.
    pub(super) fn text(&self) -> String {
        self.said.lock().text()
    }

    /// The last bytes, at most `limit`, and how many there were in all.
    pub(super) fn last(&self, limit: usize) -> (String, u64) {
        let said = self.said.lock();
        let all: Vec<u8> = said.head.bytes().chain(said.tail.iter().copied()).collect();
        let whole = all.len() as u64 == said.total;
        // Where the middle is missing, only what is behind it is the end.
        let end = if whole { &all[..] } else { &all[said.head.len()..] };
        (from_boundary(end, limit), said.total)
    }

    /// Lines of text so far.
    pub(super) fn lines(&self) -> u64 {
        self.said.lock().lines
    }
}

impl BufferedOutput {
    fn push(&mut self, bytes: &[u8]) {
        let text = self.cleaner.push(bytes);
        self.add(&text);
    }

    fn finish(&mut self) {
        let rest = self.cleaner.finish();
        if !rest.is_empty() {
            self.lines += 1;
        }
        self.add(&rest);
        // Closed now, so that whoever is told of its name reads the whole.
        if let OutputFile::Yes(file, _) = &mut self.file {
            let _ = file.flush();
        }
    }

    fn add(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.lines += text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        self.file(text);
        self.total += text.len() as u64;
        let room = (SHOWN / 2).saturating_sub(self.head.len());
        let room = if self.tail.is_empty() { floor(text, room) } else { 0 };
        self.head.push_str(&text[..room]);
        self.tail.extend(&text.as_bytes()[room..]);
        let surplus = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..surplus);
        self.waiting.push_str(text);
        if self.waiting.len() > WAITING {
            let end = from_boundary(self.waiting.as_bytes(), WAITING / 2);
            self.waiting = format!("[…]\n{end}");
        }
    }

    /// Begins the file when the output becomes long, and goes on with it.
    fn file(&mut self, text: &str) {
        if matches!(self.file, OutputFile::No) && self.total + text.len() as u64 > SHOWN as u64 {
            self.file = match self.begin() {
                Ok(file) => OutputFile::Yes(file, self.total),
                Err(_) => OutputFile::Failed,
            };
        }
        let OutputFile::Yes(file, written) = &mut self.file else { return };
        let room = usize::try_from(FILED.saturating_sub(*written)).unwrap_or(usize::MAX);
        let part = &text[..floor(text, room)];
        *written += part.len() as u64;
        if part.len() < text.len() {
            *written = FILED;
        }
        if file.write_all(part.as_bytes()).is_err() {
            self.file = OutputFile::Failed;
        }
    }

    /// A new file with all that was said so far, which is still in memory.
    fn begin(&self) -> std::io::Result<File> {
        if let Some(folder) = self.place.parent() {
            std::fs::create_dir_all(folder)?;
        }
        // Never through something that lies there already: a command may have put a link.
        let mut file = File::options().write(true).create_new(true).open(&self.place)?;
        file.write_all(self.head.as_bytes())?;
        let (one, other) = self.tail.as_slices();
        file.write_all(one)?;
        file.write_all(other)?;
        Ok(file)
    }

    fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.total <= SHOWN as u64 {
            return format!("{}{}", self.head, String::from_utf8_lossy(&tail));
        }
        let head = self.head.rfind('\n').map_or(self.head.as_str(), |end| &self.head[..=end]);
        let mut tail = from_boundary(&tail, SHOWN / 2);
        if let Some(line) = tail.find('\n').filter(|end| *end + 1 < tail.len() && *end < 2_000) {
            tail.drain(..=line);
        }
        let left_out = self.total.saturating_sub((head.len() + tail.len()) as u64);
        let place = self.place.display();
        let rest = match &self.file {
            OutputFile::Yes(_, written) if *written >= FILED => {
                format!("the first {} MB are in {place}", FILED >> 20)
            }
            OutputFile::Yes(..) => format!("all of it is in {place}, to be read or searched there"),
            OutputFile::No | OutputFile::Failed => "it could not be kept".to_owned(),
        };
        format!("{head}\n[{left_out} bytes left out here; {rest}]\n\n{tail}")
    }
}

/// The largest place not beyond `limit` where no character is cut.
fn floor(text: &str, limit: usize) -> usize {
    text.floor_char_boundary(limit)
}

/// At most the last `limit` bytes, from a whole character on.
fn from_boundary(bytes: &[u8], limit: usize) -> String {
    let end = &bytes[bytes.len().saturating_sub(limit)..];
    let begin = end.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    String::from_utf8_lossy(&end[begin..]).into_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    fn output_of(bytes: &[u8]) -> (tempfile::TempDir, Output) {
        let folder = tempfile::tempdir().unwrap();
        let output = Output::new(folder.path().join("results/call.txt"));
        output.read(bytes);
        (folder, output)
    }

    #[test]
    fn what_is_short_is_given_whole_and_leaves_no_file() {
        let text = "x".repeat(SHOWN);
        let (folder, output) = output_of(text.as_bytes());
        assert_eq!(output.text(), text);
        assert!(!folder.path().join("results").exists());
    }

    #[test]
    fn of_what_is_long_the_beginning_and_the_end_are_given_and_the_file_has_it_all() {
        let text: String = (0..20_000).map(|line| format!("Zeile {line} äöü\n")).collect();
        let (folder, output) = output_of(text.as_bytes());
        let given = output.text();
        assert!(given.len() < SHOWN + 300, "{}", given.len());
        assert!(given.starts_with("Zeile 0 äöü\n") && given.ends_with("Zeile 19999 äöü\n"));
        let file = folder.path().join("results/call.txt");
        assert!(given.contains(&format!("all of it is in {}", file.display())));
        assert_eq!(std::fs::read_to_string(file).unwrap(), text);
        assert_eq!(output.lines(), 20_000);
        let (end, all) = output.last(30);
        assert_eq!(all, text.len() as u64);
        assert!(text.ends_with(&end) && !end.is_empty());
    }

    #[test]
    fn the_file_stops_at_its_bound_and_what_is_kept_in_memory_does_not_grow() {
        let text = "0123456789abcde\n".repeat((FILED as usize + 4096) / 16);
        let (folder, output) = output_of(text.as_bytes());
        assert_eq!(folder.path().join("results/call.txt").metadata().unwrap().len(), FILED);
        assert!(output.text().contains("the first 10 MB are in"));
        assert!(output.said.lock().tail.len() <= TAIL && output.said.lock().waiting.len() <= WAITING);
    }

    #[test]
    fn a_link_that_lies_where_the_file_would_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        std::fs::write(&target, "canary").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&target, folder.path().join("call.txt")).unwrap();
        let output = Output::new(folder.path().join("call.txt"));
        output.read("y\n".repeat(SHOWN).as_bytes());
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "canary");
        assert!(output.text().contains("could not be kept"));
    }
}
