//! Where a path leads, and opening what it leads to without leaving the folders.
//!
//! A path is resolved once: `..` is folded as it is written, links are followed, and the result must lie in a folder
//! that may be reached. It is then opened step by step from that folder with no link followed any more, so that a link
//! put in its way in between opens nothing (`openat2(2)` on Linux, one `openat(2)` for each step on other Unix systems).

mod names;
mod patterns;
#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;
pub(crate) mod walk;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

#[cfg(not(unix))]
use portable as system;
#[cfg(unix)]
use unix as system;

use crate::{CallContext, Kind, ToolError};

/// Longest path, in bytes (`PATH_MAX`).
const MAX_PATH_BYTES: usize = 4_096;
/// Longest name of a file, in bytes (`NAME_MAX`).
const MAX_NAME_BYTES: usize = 255;

/// A folder that may be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Root {
    /// As it was set.
    named: PathBuf,
    /// Without links.
    path: PathBuf,
    writes: bool,
}

/// The folders that may be reached in a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Roots {
    /// Where relative paths begin, as it was set and without links.
    base: Option<(PathBuf, PathBuf)>,
    roots: Vec<Root>,
}

/// What a path is resolved for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathPurpose {
    Reading,
    Writing,
}

/// A path in one of the folders: no links, no `..`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SafePath {
    root: PathBuf,
    inside: PathBuf,
    /// Whether something stood there when it was resolved.
    pub(crate) exists: bool,
}

impl Roots {
    /// The session's folders, and its own: all of that is read, `data` in it is written, too.
    pub(crate) fn of_session(at: &CallContext) -> Self {
        Self::of_folders(&at.folders, &at.own)
    }

    /// As [`of_session`](Self::of_session), outside of a call.
    pub(crate) fn of_folders(folders: &[PathBuf], own: &Path) -> Self {
        let mut named: Vec<(PathBuf, bool)> = folders.iter().map(|folder| (folder.clone(), true)).collect();
        named.push((own.join("data"), true));
        named.push((own.to_owned(), false));
        Self::of(named)
    }

    /// One folder, for reading.
    pub(crate) fn fixed(folder: &Path) -> Self {
        Self::of(vec![(folder.to_owned(), false)])
    }

    /// One folder, for reading and writing.
    pub(crate) fn writable(folder: &Path) -> Self {
        Self::of(vec![(folder.to_owned(), true)])
    }

    fn of(named: Vec<(PathBuf, bool)>) -> Self {
        let within = |folder: &PathBuf, writes: bool| {
            // A folder below another one is reached through that, so that nobody who writes there can put a link in its
            // place and have the link's target for a folder.
            named.iter().any(|(other, other_writes)| {
                folder != other && folder.starts_with(other) && (*other_writes || !writes)
            })
        };
        let roots = named.iter().filter(|(folder, writes)| folder.is_absolute() && !within(folder, *writes));
        let roots: Vec<Root> = roots
            .filter_map(|(folder, writes)| {
                let path = std::fs::canonicalize(folder).ok()?;
                path.is_dir().then(|| Root { named: folder.clone(), path, writes: *writes })
            })
            .collect();
        // Only the first one: another in its place would be a surprise.
        let base = named.first().filter(|(folder, _)| folder.is_absolute()).and_then(|(folder, _)| {
            let path = std::fs::canonicalize(folder).ok().filter(|path| path.is_dir())?;
            roots.iter().any(|root| path.starts_with(&root.path)).then(|| (folder.clone(), path))
        });
        Self { base, roots }
    }

    /// Where relative paths begin.
    fn base(&self) -> Result<&Path, ToolError> {
        match &self.base {
            Some((named, _)) => Ok(named),
            None => Err(ToolError::new(Kind::Refused, "there is no folder that may be worked in")
                .with_guidance("Ask the person to add a folder to the session, or to check that it exists.")),
        }
    }

    /// Where a path leads.
    ///
    /// # Errors
    /// [`Kind::Arguments`] when it is no path; [`Kind::Refused`] when it leads out of the folders.
    pub(crate) fn place(&self, text: &str, purpose: PathPurpose) -> Result<SafePath, ToolError> {
        well_formed(text)?;
        let whole = match Path::new(text) {
            whole if whole.is_absolute() => whole.to_owned(),
            inside => self.base()?.join(inside),
        };
        let folded = folded(&whole).ok_or_else(|| self.outside(text))?;
        if let Some(name) = folded.components().find(|part| part.as_os_str().len() > MAX_NAME_BYTES) {
            let length = name.as_os_str().len();
            return Err(ToolError::new(
                Kind::Arguments,
                format!("a name in the path has {length} bytes; {MAX_NAME_BYTES} are the most"),
            ));
        }
        // Nothing is asked of the disk about a path that is written to lead elsewhere.
        let begins = |root: &Root| {
            let inside =
                folded.strip_prefix(&root.named).or_else(|_| folded.strip_prefix(&root.path)).ok()?;
            Some(root.path.join(inside))
        };
        let whole = self.roots.iter().find_map(begins).ok_or_else(|| self.outside(text))?;
        let (path, exists) = self.followed(text, &whole)?;
        if path.to_str().is_none() {
            return Err(ToolError::new(
                Kind::Refused,
                format!("{} leads to a name that is not Unicode", quoted(text)),
            ));
        }
        let lies_in = |root: &&Root| path.starts_with(&root.path);
        let mut reached = self.roots.iter().filter(lies_in).peekable();
        if reached.peek().is_none() {
            return Err(self.link_outside(text));
        }
        let Some(root) = reached.find(|root| root.writes || purpose == PathPurpose::Reading) else {
            return Err(ToolError::new(Kind::Refused, format!("{} can only be read", quoted(text)))
                .with_guidance(format!("Write below {}.", self.words(PathPurpose::Writing))));
        };
        let inside = path.strip_prefix(&root.path).unwrap_or(Path::new("")).to_owned();
        Ok(SafePath { root: root.path.clone(), inside, exists })
    }

    /// The path without links, and whether anything is there. A name that is not there stands for the only one that looks
    /// the same: written in letters taken apart, with a no-break space.
    fn followed(&self, text: &str, whole: &Path) -> Result<(PathBuf, bool), ToolError> {
        match std::fs::canonicalize(whole) {
            Ok(path) => return Ok((path, true)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(self.unreachable(text, &error)),
        }
        let alike = names::with_spelling_of_disk(
            whole,
            &self.roots.iter().map(|root| root.path.as_path()).collect::<Vec<_>>(),
        );
        if let Some(path) = alike.as_deref().and_then(|alike| std::fs::canonicalize(alike).ok()) {
            return Ok((path, true));
        }
        let whole = alike.as_deref().unwrap_or(whole);
        let mut missing: Vec<OsString> = Vec::new();
        let mut there = whole.to_owned();
        loop {
            // A link that leads nowhere is something that is there.
            if there.symlink_metadata().is_ok() {
                return match std::fs::canonicalize(&there) {
                    Ok(path) => {
                        let path = missing.iter().rev().fold(path, |path, name| path.join(name));
                        Ok((path, false))
                    }
                    Err(_) => Err(self.link_outside(text)),
                };
            }
            match (there.file_name().map(ToOwned::to_owned), there.pop()) {
                (Some(name), true) => missing.push(name),
                _ => return Err(self.outside(text)),
            }
        }
    }

    fn unreachable(&self, text: &str, error: &io::Error) -> ToolError {
        match error.kind() {
            ErrorKind::NotADirectory => ToolError::new(
                Kind::NotFound,
                format!("{} goes through a file as if it were a folder", quoted(text)),
            ),
            ErrorKind::PermissionDenied => ToolError::new(
                Kind::Refused,
                format!("the system does not let this program reach {}", quoted(text)),
            ),
            ErrorKind::InvalidFilename => {
                ToolError::new(Kind::Arguments, format!("{} is too long for a path", quoted(text)))
            }
            _ => self.link_outside(text),
        }
    }

    fn outside(&self, text: &str) -> ToolError {
        ToolError::new(
            Kind::Refused,
            format!("{} lies outside of the folders that may be worked in", quoted(text)),
        )
        .with_guidance(format!("Name a path in {}.", self.words(PathPurpose::Reading)))
    }

    fn link_outside(&self, text: &str) -> ToolError {
        ToolError::new(
            Kind::Refused,
            format!("{} goes over a link that leads out of the folders, or nowhere", quoted(text)),
        )
        .with_guidance(format!("Name a path in {}.", self.words(PathPurpose::Reading)))
    }

    fn words(&self, purpose: PathPurpose) -> String {
        let roots = self.roots.iter().filter(|root| root.writes || purpose == PathPurpose::Reading);
        let names: Vec<String> = roots.map(|root| root.named.display().to_string()).collect();
        names.join(" or ")
    }

    /// A path as people and models read it: below the first folder without that, else whole.
    pub(crate) fn shown(&self, place: &SafePath) -> String {
        let path = place.path();
        match self.base.as_ref().and_then(|(_, base)| path.strip_prefix(base).ok()) {
            Some(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
            Some(inside) => inside.display().to_string(),
            None => path.display().to_string(),
        }
    }
}

impl SafePath {
    /// The whole path.
    pub(crate) fn path(&self) -> PathBuf {
        if self.inside.as_os_str().is_empty() { self.root.clone() } else { self.root.join(&self.inside) }
    }

    /// The whole path as text; [`Roots::place`] lets no other in.
    pub(crate) fn text(&self) -> String {
        self.path().display().to_string()
    }

    /// Something below it that is known to have no links in it.
    pub(crate) fn below(&self, inside: &Path) -> Self {
        Self { root: self.root.clone(), inside: self.inside.join(inside), exists: true }
    }

    /// Opens a file or folder for reading. Neither waits for the other end of a pipe nor takes a terminal.
    pub(crate) fn open(&self) -> io::Result<File> {
        system::open(&self.root, &self.inside)
    }

    /// Whether a file or folder stands there, reached without a link.
    pub(crate) fn metadata(&self) -> io::Result<std::fs::Metadata> {
        self.open()?.metadata()
    }

    /// Writes a file beside it that takes its place when it is committed, folders above included. What it does not
    /// replace keeps its mode; a new one gets the usual.
    pub(crate) fn stage(&self, bytes: &[u8], like: Option<&std::fs::Metadata>) -> io::Result<StagedFile> {
        self.stage_as(bytes, like, None)
    }

    /// As [`stage`](Self::stage), with permission bits of its own where the system has them.
    pub(crate) fn stage_as(
        &self,
        bytes: &[u8],
        like: Option<&std::fs::Metadata>,
        mode: Option<u32>,
    ) -> io::Result<StagedFile> {
        let name = self.inside.file_name().ok_or(ErrorKind::IsADirectory)?.to_owned();
        let folder = system::folder(&self.root, self.inside.parent().unwrap_or(Path::new("")), true)?;
        let (mut file, temporary) = create(&folder)?;
        let staged = StagedFile { folder, name, temporary: Some(temporary) };
        file.write_all(bytes)?;
        if let Some(like) = like {
            system::keep(&file, like)?;
        }
        if let Some(mode) = mode {
            system::set_mode(&file, mode)?;
        }
        file.sync_all()?;
        Ok(staged)
    }

    /// Whether what stands there is what stood there: the same file, not written to since; for `None`, nothing.
    pub(crate) fn is_still(&self, like: Option<&std::fs::Metadata>) -> io::Result<bool> {
        match (self.metadata(), like) {
            (Ok(now), Some(like)) => Ok(system::is_same(&now, like)),
            (Ok(_), None) => Ok(false),
            (Err(error), like) if error.kind() == ErrorKind::NotFound => Ok(like.is_none()),
            (Err(error), _) => Err(error),
        }
    }

    /// Removes the folder if nothing is in it; no link is followed on the way.
    pub(crate) fn remove_folder(&self) -> io::Result<()> {
        let name = self.inside.file_name().ok_or(ErrorKind::ResourceBusy)?;
        system::folder(&self.root, self.inside.parent().unwrap_or(Path::new("")), false)?.remove_folder(name)
    }

    /// Removes the file; no link is followed on the way.
    pub(crate) fn remove(&self) -> io::Result<()> {
        let name = self.inside.file_name().ok_or(ErrorKind::IsADirectory)?;
        system::folder(&self.root, self.inside.parent().unwrap_or(Path::new("")), false)?.remove(name)
    }
}

/// A file that waits to take another one's place; removed when it never does.
pub(crate) struct StagedFile {
    folder: system::Folder,
    name: OsString,
    temporary: Option<OsString>,
}

impl StagedFile {
    /// Takes the place in one step.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        if let Some(temporary) = &self.temporary {
            self.folder.rename(temporary, &self.name)?;
        }
        self.temporary = None;
        self.folder.sync();
        Ok(())
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = self.folder.remove(temporary);
        }
    }
}

fn create(folder: &system::Folder) -> io::Result<(File, OsString)> {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = OsString::from(format!(".agentnative-{}-{number}.tmp", std::process::id()));
        match folder.create(&name) {
            Ok(file) => return Ok((file, name)),
            // Left by a process that had this one's number.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Opens what lies below a folder for reading, with no link followed on the way.
#[cfg(target_os = "linux")]
pub(crate) fn open_below(root: &Path, inside: &Path) -> io::Result<File> {
    system::open(root, inside)
}

/// Whether the system found a link where there was none when the path was resolved.
pub(crate) fn is_link(error: &io::Error) -> bool {
    system::is_link(error)
}

/// Whether it is the same file, not written to in between.
pub(crate) fn is_same_file(one: &std::fs::Metadata, other: &std::fs::Metadata) -> bool {
    system::is_same(one, other)
}

/// What is no path on any system, or means something else on another one.
fn well_formed(text: &str) -> Result<(), ToolError> {
    let refuse = |what: &str| Err(ToolError::new(Kind::Arguments, format!("{} {what}", quoted(text))));
    if text.is_empty() {
        return Err(ToolError::new(Kind::Arguments, "the path is empty"));
    }
    if text.len() > MAX_PATH_BYTES {
        return refuse(&format!("is too long for a path: {MAX_PATH_BYTES} bytes are the most"));
    }
    if text.chars().any(char::is_control) {
        return refuse("has control characters in it");
    }
    if sources::strip_invisible(text) != text {
        return refuse("has invisible characters in it");
    }
    if text == "~" || text.starts_with('~') && text.contains(['/', '\\']) {
        return Err(ToolError::new(Kind::Refused, format!("{}: `~` is not a folder here", quoted(text)))
            .with_guidance("Write the whole path, or one relative to the first folder."));
    }
    if text.contains("://") {
        return refuse("is an address, not a path");
    }
    if cfg!(windows) {
        return windows_form(text);
    }
    let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
    if text.contains('\\') || drive && (text.len() == 2 || text.as_bytes()[2] == b'/') {
        return Err(ToolError::new(
            Kind::Refused,
            format!("{} is written as on Windows; this is another system", quoted(text)),
        )
        .with_guidance("Write `/` between folders."));
    }
    Ok(())
}

fn windows_form(text: &str) -> Result<(), ToolError> {
    let refuse = |what: &str| Err(ToolError::new(Kind::Refused, format!("{} {what}", quoted(text))));
    if text.starts_with(r"\\") || text.starts_with("//") {
        return refuse("names another machine or a device");
    }
    let after_drive = if text.as_bytes().get(1) == Some(&b':') { &text[2..] } else { text };
    if after_drive.contains(':') {
        return refuse("names a stream of a file");
    }
    for name in after_drive.split(['/', '\\']) {
        let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
        let numbered = stem.len() == 4 && (stem.starts_with("COM") || stem.starts_with("LPT"));
        if numbered || matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
            return refuse("names a device");
        }
        if name.len() > 2 && name.ends_with(['.', ' ']) {
            return refuse("has a name that ends with a dot or space");
        }
    }
    Ok(())
}

/// The path with `.` and `..` folded as they are written; `None` when it climbs above the first folder of all.
fn folded(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            other => out.push(other),
        }
    }
    Some(out)
}

/// A path in a message: short, and without what could mislead a reader.
pub(crate) fn quoted(text: &str) -> String {
    let clean: String = sources::strip_invisible(text).chars().filter(|c| !c.is_control()).collect();
    let mut shown: String = clean.chars().take(200).collect();
    if shown.len() < clean.len() {
        shown.push('…');
    }
    format!("`{shown}`")
}
