//! Changes of files: what they hold, what they will hold, and doing all of it or nothing.

use std::borrow::Cow;
use std::fs::Metadata;
use std::path::PathBuf;

use domain::{Digest, FileChange, Preview, changed_lines};

use super::{failed, load};
use crate::observations::{ObservedFile, hash};
use crate::safe_path::{Roots, SafePath, quoted};
use crate::text::{self, Charset, LineEnds, Text};
use crate::undo::records::{Act, PendingChange, alone};
use crate::{CallContext, Kind, Outcome, ToolError};

/// The largest file that is changed or written, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 16 << 20;

/// A file that was changed: its path, its text before and after.
pub(crate) type Changed = (PathBuf, Option<String>, Option<String>);

/// What stands at a place.
pub(crate) struct FileState {
    pub(crate) place: SafePath,
    pub(crate) shown: String,
    /// Its bytes; `None`: nothing is there.
    bytes: Option<Vec<u8>>,
    like: Option<Metadata>,
}

/// What will stand at a place.
pub(crate) struct Change {
    pub(crate) standing: FileState,
    /// Its text before; of what is no text, nothing is kept.
    before: Option<String>,
    /// Its text after; `None`: it goes.
    after: Option<String>,
    bytes: Option<Vec<u8>>,
}

/// Reads what stands at a place.
///
/// # Errors
/// When it is no file, may only be read, or is too large.
pub(crate) fn file_state(roots: &Roots, place: SafePath) -> Result<FileState, ToolError> {
    let shown = roots.shown(&place);
    if !place.exists {
        return Ok(FileState { place, shown, bytes: None, like: None });
    }
    let (bytes, like) = load(&place, &shown, MAX_FILE_BYTES, None)?;
    if like.permissions().readonly() {
        return Err(ToolError::new(Kind::Refused, format!("{} is write-protected", quoted(&shown)))
            .with_guidance("Ask the person whether its protection may be lifted."));
    }
    Ok(FileState { place, shown, bytes: Some(bytes), like: Some(like) })
}

impl FileState {
    /// What a plan and its run compare.
    pub(crate) fn found(&self) -> ObservedFile {
        (self.place.path(), Some(hash(self.bytes.as_deref())))
    }

    /// Whether nothing is there.
    pub(crate) fn is_new(&self) -> bool {
        self.bytes.is_none()
    }

    /// Its text.
    ///
    /// # Errors
    /// When nothing is there, or what is there is no text that could be written back as it is.
    pub(crate) fn text(&self) -> Result<Text, ToolError> {
        let Some(bytes) = &self.bytes else {
            return Err(ToolError::new(Kind::NotFound, format!("there is no {}", quoted(&self.shown)))
                .with_guidance("Make a new file with `write`."));
        };
        let refuse =
            |what: &str| Err(ToolError::new(Kind::Refused, format!("{} {what}", quoted(&self.shown))));
        let Some(text) = text::decode(bytes) else {
            return refuse(&format!("is not text but {}", super::read::kind_of(bytes)));
        };
        if text::encode(&text.text, text.charset).as_deref() != Some(bytes.as_slice()) {
            return refuse("has bytes that are no characters in it; they would be lost");
        }
        Ok(text)
    }

    /// It will hold this text, in the charset that it has.
    pub(crate) fn with_text(self, text: String, charset: Charset) -> Result<Change, ToolError> {
        let before = self.bytes.as_deref().and_then(text::decode).map(|text| text.text).unwrap_or_default();
        let unwritable = charset.first_unwritable(&before, &text);
        let bytes = text::encode(&text, charset).filter(|_| unwritable.is_none());
        let Some(bytes) = bytes else {
            let what = match charset {
                Charset::Guessed(_) => {
                    "is written in a charset that is guessed, so that nothing but ASCII and what stands in it can be added"
                }
                Charset::Named(_) => "is written in a charset that lacks a character of the new text",
                Charset::Unknown => {
                    "is written in a charset that is not known, so that nothing but ASCII can be added"
                }
                Charset::Windows1252 => "is read as Windows-1252, which lacks a character of the new text",
                Charset::Utf8
                | Charset::Utf8Marked
                | Charset::Utf8Stray
                | Charset::Utf8MarkedStray
                | Charset::Utf16Le
                | Charset::Utf16Be
                | Charset::Utf16LeBare
                | Charset::Utf16BeBare => "can't take a character of the new text",
            };
            let which = unwritable.map(|c| format!(": `{c}` (U+{:04X})", u32::from(c))).unwrap_or_default();
            return Err(ToolError::new(Kind::Refused, format!("{} {what}{which}", quoted(&self.shown)))
                .with_guidance(
                    "Write it in ASCII, or convert the file to UTF-8 first, if the person wants that.",
                ));
        };
        if bytes.len() as u64 > MAX_FILE_BYTES {
            let most = text::size(MAX_FILE_BYTES);
            return Err(ToolError::new(
                Kind::TooLarge,
                format!("{} would be larger than {most}", quoted(&self.shown)),
            ));
        }
        let before = self.shown_text();
        let after = Some(text::visible(&text).into_owned());
        Ok(Change { standing: self, before, after, bytes: Some(bytes) })
    }

    /// Its text as it is shown; `None`: nothing is there, or no text.
    fn shown_text(&self) -> Option<String> {
        let decoded = self.bytes.as_deref().and_then(text::decode)?;
        Some(text::visible(&decoded.text).into_owned())
    }

    /// What an existing file is that holds no text; `None`: it does, or nothing is there.
    pub(crate) fn other_than_text(&self) -> Option<String> {
        let bytes = self.bytes.as_deref().filter(|bytes| text::decode(bytes).is_none())?;
        Some(format!("{}, {}", super::read::kind_of(bytes), text::size(bytes.len() as u64)))
    }

    /// What it is like on the disk; `None`: nothing is there.
    pub(crate) fn metadata(&self) -> Option<&Metadata> {
        self.like.as_ref()
    }

    /// It will hold this text and nothing of what it holds: with the charset, byte order mark and line ends that it has.
    pub(crate) fn overwritten(self, text: &str) -> Result<Change, ToolError> {
        let old = self.bytes.as_deref().and_then(text::decode);
        // A mark in the text would stand twice.
        let text = text.trim_start_matches('\u{feff}');
        match old {
            Some(old) if !old.text.is_empty() => {
                let text = match LineEnds::of(&old.text) {
                    // Who writes both means them.
                    LineEnds::CrLf if !text.contains('\r') => LineEnds::CrLf.apply(text).into_owned(),
                    _ => text.to_owned(),
                };
                // Nothing of the old bytes is left, and with them nothing that was not UTF-8.
                let charset = match old.charset {
                    Charset::Utf8Stray => Charset::Utf8,
                    Charset::Utf8MarkedStray => Charset::Utf8Marked,
                    Charset::Unknown | Charset::Guessed(_) => Charset::Utf8,
                    known => known,
                };
                let fits = text::encode(&text, charset).is_some();
                self.with_text(text, if fits { charset } else { Charset::Utf8 })
            }
            _ => self.with_text(text.to_owned(), Charset::Utf8),
        }
    }

    /// It will be gone.
    pub(crate) fn deletion(self) -> Change {
        let before = self.shown_text();
        Change { standing: self, before, after: None, bytes: None }
    }
}

impl Change {
    /// Whether it changes nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes == self.standing.bytes
    }

    /// Lines added and removed.
    pub(crate) fn counts(&self) -> (u32, u32) {
        changed_lines(self.before.as_deref().unwrap_or_default(), self.after.as_deref().unwrap_or_default())
    }

    fn pending(&self) -> PendingChange<'_> {
        PendingChange {
            place: &self.standing.place,
            before: self.standing.bytes.as_deref().map(|bytes| (bytes, self.standing.like.as_ref())),
            after: self.bytes.as_deref().map(Digest::of),
        }
    }

    fn kept(&self) -> Changed {
        let (before, after) = self.shown(String::new()).shown();
        (self.standing.place.path(), before, after.filter(|_| self.after.is_some()))
    }

    fn shown(&self, path: String) -> FileChange<'_> {
        let before = match (&self.before, &self.standing.bytes) {
            (None, Some(bytes)) => {
                Some(Cow::from(format!("[{} that are no text]\n", text::size(bytes.len() as u64))))
            }
            (before, _) => before.as_deref().map(Cow::from),
        };
        FileChange { path, before, after: self.after.as_deref() }
    }
}

/// What a person is shown of changes before they are made.
pub(crate) fn preview(changes: &[Change]) -> Preview {
    let alone = changes.len() == 1;
    let shown = changes.iter().map(|change| {
        let Change { standing, .. } = change;
        change.shown(if alone { standing.place.path().display().to_string() } else { standing.shown.clone() })
    });
    Preview::of_changes(&shown.collect::<Vec<_>>())
}

/// Makes the changes: all of them, or, when one fails, none. What the files hold is kept first, for the person to undo it.
///
/// # Errors
/// What failed; the files then hold what they held before.
pub(crate) fn make(at: &CallContext, changes: &[Change]) -> Result<Vec<Changed>, ToolError> {
    let mut alone = alone();
    let coming: Vec<PendingChange> =
        changes.iter().filter(|change| !change.is_empty()).map(Change::pending).collect();
    let record = alone.keep(&at.own, &at.run, Act::Call { call: at.call.clone() }, &coming)?;
    let made = made(changes);
    if made.is_err() {
        record.forget();
    }
    made
}

fn made(changes: &[Change]) -> Result<Vec<Changed>, ToolError> {
    let kept = changes.iter().map(Change::kept).collect();
    let mut staged = Vec::new();
    for change in changes {
        let standing = &change.standing;
        let wrong = |error| failed("write", &standing.shown, &error);
        staged.push(match &change.bytes {
            None => None,
            Some(bytes) => Some(standing.place.stage(bytes, standing.like.as_ref()).map_err(wrong)?),
        });
        if !standing.place.is_still(standing.like.as_ref()).map_err(wrong)? {
            let shown = quoted(&standing.shown);
            return Err(ToolError::new(
                Kind::Failed,
                format!("{shown} was changed just now; nothing was written"),
            )
            .with_guidance("Read the file again and make the change on what it holds now."));
        }
    }
    let mut done = Vec::new();
    for (change, staged) in changes.iter().zip(staged) {
        let standing = &change.standing;
        let step = match staged {
            Some(staged) => staged.commit(),
            None => standing.place.remove(),
        };
        if let Err(error) = step {
            for standing in done {
                undo(standing);
            }
            return Err(failed("write", &standing.shown, &error));
        }
        done.push(standing);
    }
    Ok(kept)
}

/// Puts back what stood there.
fn undo(standing: &FileState) {
    // Nothing better can be done when this fails, too; the error that is told names the file that began it.
    let _ = match &standing.bytes {
        Some(bytes) => {
            standing.place.stage(bytes, standing.like.as_ref()).and_then(crate::safe_path::StagedFile::commit)
        }
        None => standing.place.remove(),
    };
}

/// What is told of changes that were made.
pub(crate) fn outcome(at: &CallContext, changes: &[Change], text: String) -> Result<Outcome, ToolError> {
    let (added, removed) = changes.iter().fold((0, 0), |(added, removed), change| {
        let (more, fewer) = change.counts();
        (added + more, removed + fewer)
    });
    let changed = make(at, changes)?;
    Ok(Outcome { changed, ..Outcome::text(text, format!("+{added} -{removed}")) })
}
