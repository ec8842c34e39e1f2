//! The log file: `logs/agentnative.log`, and up to two older ones.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;

/// The size at which a new file is begun.
const MAX_BYTES: u64 = 4 << 20;
/// How many older files are kept.
const OLDER: u32 = 2;

/// The folder of log files.
pub fn folder(home: &Path) -> PathBuf {
    home.join("logs")
}

/// Logs from now on. A log that can't be written keeps nobody from working.
pub fn begin(home: &Path) {
    let filter = EnvFilter::try_from_env("AGENTNATIVE_LOG")
        .unwrap_or_else(|_| EnvFilter::new("warn,agentnative_desktop=info,engine=info,library=info"));
    let opened = Journal::open(folder(home).join("agentnative.log"), MAX_BYTES);
    match opened {
        Ok(journal) => {
            let subscriber = tracing_subscriber::fmt()
                .with_env_filter(filter)
                .with_ansi(false)
                .with_writer(Mutex::new(journal));
            let _ = subscriber.try_init();
            tracing::info!(version = env!("CARGO_PKG_VERSION"), pid = std::process::id(), "started");
        }
        Err(error) => eprintln!("agentnative-desktop: no log is written: {error}"),
    }
}

/// A file that makes room for itself.
struct Journal {
    path: PathBuf,
    file: File,
    bytes: u64,
    max: u64,
}

impl Journal {
    fn open(path: PathBuf, max: u64) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            crate::crash::create_private(folder)?;
        }
        let file = append(&path)?;
        let bytes = file.metadata()?.len();
        Ok(Self { path, file, bytes, max })
    }

    fn older(&self, age: u32) -> PathBuf {
        match age {
            0 => self.path.clone(),
            age => self.path.with_extension(format!("{age}.log")),
        }
    }

    fn rotate(&mut self) -> io::Result<()> {
        for age in (0..OLDER).rev() {
            match std::fs::rename(self.older(age), self.older(age + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.file = append(&self.path)?;
        self.bytes = 0;
        Ok(())
    }
}

fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl Write for Journal {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.bytes > 0 && self.bytes + line.len() as u64 > self.max {
            self.rotate()?;
        }
        self.file.write_all(line)?;
        self.bytes += line.len() as u64;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_makes_room_and_the_oldest_goes() {
        let home = tempfile::tempdir().unwrap();
        let path = folder(home.path()).join("agentnative.log");
        let mut journal = Journal::open(path.clone(), 10).unwrap();
        for line in ["one....\n", "two....\n", "three..\n", "four...\n"] {
            journal.write_all(line.as_bytes()).unwrap();
        }
        let read = |name: &str| std::fs::read_to_string(folder(home.path()).join(name)).ok();
        assert_eq!(read("agentnative.log").as_deref(), Some("four...\n"));
        assert_eq!(read("agentnative.1.log").as_deref(), Some("three..\n"));
        assert_eq!(read("agentnative.2.log").as_deref(), Some("two....\n"));
        assert_eq!(read("agentnative.3.log"), None);
        drop(journal);
        let journal = Journal::open(path, 10).unwrap();
        assert_eq!(journal.bytes, 8);
    }
}
