//! Reading a person's or a shipped folder, within bounds and never outside it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use crate::problem::ConfigProblem;
use crate::shipped;

/// The largest file that is read, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// The most names a listing gives.
const MAX_NAMES: usize = 1_000;

/// A folder with an agent's or a source's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Folder {
    /// Below this path of the embedded files.
    Shipped(String),
    /// On disk.
    Disk(PathBuf),
}

/// Why a file could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Its name leads out of the folder or is no file name.
    BadName(&'static str),
    /// It isn't there.
    Missing,
    /// A symbolic link leads out of the folder.
    Outside,
    /// A folder, pipe or device.
    NotAFile,
    /// Over [`MAX_FILE_BYTES`].
    TooLarge(u64),
    /// Not UTF-8, first at this line.
    NotText { line: usize, utf16: bool },
    /// The system refused.
    Io(io::ErrorKind),
}

impl Folder {
    /// A folder below this one.
    pub(crate) fn join(&self, name: &str) -> Self {
        match self {
            Self::Shipped(path) => Self::Shipped(format!("{path}/{name}")),
            Self::Disk(path) => Self::Disk(path.join(name)),
        }
    }

    /// How a file of it is shown to a person.
    pub(crate) fn label(&self, name: &str) -> String {
        match self {
            Self::Shipped(path) => format!("{path}/{name}"),
            Self::Disk(path) => path.join(name).display().to_string(),
        }
    }

    /// A file's text, without a byte order mark and with line feeds alone: what an editor of another system leaves
    /// behind does not change what a model is shown.
    pub(crate) fn text(&self, name: &str) -> Result<String, Fault> {
        let bytes = self.bytes(name)?;
        let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
            Fault::NotText { line, utf16 }
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        Ok(text.replace("\r\n", "\n"))
    }

    /// A file as it stands.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>, Fault> {
        check_name(name)?;
        match self {
            Self::Shipped(path) => {
                shipped::file(&format!("{path}/{name}")).map(<[u8]>::to_vec).ok_or(Fault::Missing)
            }
            Self::Disk(path) => read(path, name),
        }
    }

    /// Files right in it, sorted; none when it isn't there.
    pub(crate) fn names(&self) -> Vec<String> {
        match self {
            Self::Shipped(path) => shipped::below(path)
                .map(|(name, _)| name)
                .filter(|name| !name.contains('/'))
                .map(str::to_owned)
                .collect(),
            Self::Disk(path) => list(path, |entry| !entry.path().is_dir()),
        }
    }
}

/// Folders right below a path, sorted; hidden ones are left out.
pub(crate) fn folders(path: &Path) -> Vec<String> {
    list(path, |entry| entry.path().is_dir())
}

fn list(path: &Path, keep: impl Fn(&fs::DirEntry) -> bool) -> Vec<String> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| keep(entry))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .take(MAX_NAMES)
        .collect();
    names.sort();
    names
}

/// A relative path of plain names, written with `/`.
fn check_name(name: &str) -> Result<(), Fault> {
    if name.trim().is_empty() || name.len() > 255 || name.contains(['\\', '\0']) {
        return Err(Fault::BadName("a file name of 1 to 255 bytes, without backslashes"));
    }
    let plain = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
    if plain {
        Ok(())
    } else {
        Err(Fault::BadName("a path that stays inside the folder: relative, without `..`"))
    }
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>, Fault> {
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Fault::Missing,
        kind => Fault::Io(kind),
    };
    let root = folder.canonicalize().map_err(refused)?;
    let path = root.join(name).canonicalize().map_err(refused)?;
    if !path.starts_with(&root) {
        return Err(Fault::Outside);
    }
    // Opening a named pipe would wait for its other end: look first.
    let about = fs::metadata(&path).map_err(refused)?;
    if !about.is_file() {
        return Err(Fault::NotAFile);
    }
    let mut bytes = Vec::new();
    File::open(&path).map_err(refused)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(refused)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(Fault::TooLarge(about.len()));
    }
    Ok(bytes)
}

impl Fault {
    /// Whether the fault lies in the name rather than in the file's contents.
    pub(crate) fn is_of_name(&self) -> bool {
        matches!(self, Self::BadName(_) | Self::Missing | Self::Outside | Self::NotAFile)
    }

    /// As a problem at a place.
    pub(crate) fn problem(&self, file: impl Into<String>, pointer: impl Into<String>) -> ConfigProblem {
        let new = |expected: &str, found: &str| ConfigProblem::new(file, pointer, expected, found);
        match self {
            Self::BadName(expected) => new(expected, "another form of path"),
            Self::Missing => new("a file", "no file of that name"),
            Self::Outside => new("a file inside the folder", "a symbolic link that leads out of it"),
            Self::NotAFile => new("a file", "a folder, pipe or device"),
            Self::TooLarge(size) => new("at most 1 MiB", &format!("{size} bytes")),
            Self::NotText { line, utf16: false } => {
                new("UTF-8 text", "bytes that are not UTF-8").on_line(*line)
            }
            Self::NotText { line, utf16: true } => {
                new("UTF-8 text", "UTF-16").on_line(*line).with_remedy("save the file as UTF-8")
            }
            Self::Io(kind) => new("a readable file", &kind.to_string()),
        }
    }
}
