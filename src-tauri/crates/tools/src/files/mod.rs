//! Tools over files.

pub(crate) mod change;
mod document;
pub(crate) mod edit;
pub(crate) mod list;
pub(crate) mod patch;
pub(crate) mod read;
pub(crate) mod search;
pub(crate) mod write;

use std::fs::Metadata;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::observations::PlanObservations;
use crate::safe_path::{PathPurpose, Roots, SafePath, quoted};
use crate::text::size;
use crate::{CallContext, Kind, ToolError, ToolInfo};

/// Whether a file must not be read in a call, by the rules of the person: [`list`] and [`search`], which are asked for
/// once for a whole folder, leave it out.
pub type Hidden = Arc<dyn Fn(&CallContext, &Path) -> bool + Send + Sync>;

/// What the tools over files share.
#[derive(Clone)]
pub(crate) struct Files {
    pub(crate) scope: Scope,
    pub(crate) seen: Arc<PlanObservations>,
    pub(crate) hidden: Option<Hidden>,
    /// Reads documents as text; `None`: they are shown as they are.
    pub(crate) reader: Option<Arc<documents::worker::Reader>>,
}

/// Which folders they reach.
#[derive(Debug, Clone)]
pub(crate) enum Scope {
    /// Those of the session.
    Session,
    /// One, for a source of this name.
    Folder { slug: String, folder: PathBuf, trusted: bool },
}

impl Files {
    pub(crate) fn roots(&self, at: &CallContext) -> Roots {
        match &self.scope {
            Scope::Session => Roots::of_session(at),
            Scope::Folder { folder, .. } => Roots::fixed(folder),
        }
    }

    /// Where a path leads that has to exist.
    pub(crate) fn existing(&self, at: &CallContext, path: &str) -> Result<(Roots, SafePath), ToolError> {
        let roots = self.roots(at);
        let place = roots.place(path, PathPurpose::Reading)?;
        if place.exists { Ok((roots, place)) } else { Err(missing(&roots, &place)) }
    }

    /// Remembers that a session's model knows what it just wrote.
    pub(crate) fn wrote(&self, at: &CallContext, changes: &[change::Change]) {
        for change in changes {
            let path = change.standing.place.path();
            // What somebody else wrote into it the model still has to read.
            let known = !self.seen.changed_since(at, &path, change.standing.metadata());
            if let Some(now) = change.standing.place.metadata().ok().filter(|_| known) {
                self.seen.saw(at, path, now);
            }
        }
    }

    /// Names the files that somebody else changed since the session's model saw them; empty: none.
    pub(crate) fn changes_of_others(&self, at: &CallContext, changes: &[change::Change]) -> String {
        let names: Vec<String> = changes
            .iter()
            .map(|change| &change.standing)
            .filter(|standing| self.seen.changed_since(at, &standing.place.path(), standing.metadata()))
            .map(|standing| quoted(&standing.shown))
            .collect();
        let them = if names.len() == 1 { "it" } else { "them" };
        match names.is_empty() {
            true => String::new(),
            false => format!(
                " Somebody else changed {} since you saw {them}: read {them} again before you rely on the rest of {them}.",
                names.join(", ")
            ),
        }
    }

    pub(crate) fn is_hidden(&self, at: &CallContext, path: &Path) -> bool {
        self.hidden.as_ref().is_some_and(|hidden| hidden(at, path))
    }

    /// Whether something below a folder, or a folder on the way to it, must not be read.
    pub(crate) fn hides_below(&self, at: &CallContext, root: &Path, inside: &Path) -> bool {
        self.hidden.is_some()
            && inside
                .ancestors()
                .any(|part| !part.as_os_str().is_empty() && self.is_hidden(at, &root.join(part)))
    }

    /// A tool's card, named for its source where it has one.
    pub(crate) fn named(&self, mut info: ToolInfo) -> ToolInfo {
        if let Scope::Folder { slug, trusted, .. } = &self.scope {
            info.name = crate::source_tool::name_of(slug, &info.tool);
            info.source.clone_from(slug);
            info.trusted = *trusted;
        }
        info
    }
}

/// There is nothing at a place; what is called alike beside it is named.
pub(crate) fn missing(roots: &Roots, place: &SafePath) -> ToolError {
    let error = ToolError::new(Kind::NotFound, format!("there is no {}", quoted(&roots.shown(place))));
    let path = place.path();
    let (Some(name), Some(folder)) = (path.file_name(), path.parent()) else { return error };
    let name = name.to_string_lossy();
    let names = std::fs::read_dir(folder).into_iter().flatten().take(2_000);
    let names: Vec<String> = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    let alike = file_text::closest(&name, names.iter().map(String::as_str), 3);
    if alike.is_empty() {
        error.with_guidance("Look with `list` for what there is.")
    } else {
        // Several that look the same are told apart by what differs.
        let differing = |alike: &str| match file_text::differences(alike, &name, 1).first() {
            Some(how) => format!("{}, in which {}", quoted(alike), how.trim_end_matches(" (line 1)")),
            None => quoted(alike),
        };
        let alike: Vec<String> = alike.into_iter().map(differing).collect();
        error.with_guidance(format!("Beside it there is {}.", alike.join(", ")))
    }
}

/// What a failing call of the system means.
pub(crate) fn failed(doing: &str, shown: &str, error: &io::Error) -> ToolError {
    let shown = quoted(shown);
    if crate::safe_path::is_link(error) {
        return ToolError::new(
            Kind::Refused,
            format!("{shown} leads over a link that appeared meanwhile; nothing was done"),
        )
        .with_guidance("Call it again.");
    }
    match error.kind() {
        ErrorKind::NotFound => ToolError::new(Kind::NotFound, format!("there is no {shown}")),
        ErrorKind::PermissionDenied => {
            ToolError::new(Kind::Refused, format!("the system does not let this program {doing} {shown}"))
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            ToolError::new(Kind::Failed, format!("the disk is full: {shown} was not written"))
                .with_guidance("Tell the person.")
        }
        ErrorKind::ReadOnlyFilesystem => {
            ToolError::new(Kind::Refused, format!("{shown} lies on a disk that can only be read"))
        }
        _ => ToolError::new(Kind::Failed, format!("could not {doing} {shown}: {error}")),
    }
}

/// A regular file's bytes, at most `most` of them.
///
/// # Errors
/// When it is none, is larger, or can't be read.
pub(crate) fn load(
    place: &SafePath,
    shown: &str,
    most: u64,
    cancel: Option<&CancellationToken>,
) -> Result<(Vec<u8>, Metadata), ToolError> {
    let file = place.open().map_err(|error| failed("read", shown, &error))?;
    let metadata = file.metadata().map_err(|error| failed("read", shown, &error))?;
    regular(&metadata, shown)?;
    if metadata.len() > most {
        let (is, most) = (size(metadata.len()), size(most));
        return Err(ToolError::new(
            Kind::TooLarge,
            format!("{} has {is}; {most} are the most", quoted(shown)),
        ));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    let mut source = Cancellable { source: file.take(most + 1), cancel };
    source.read_to_end(&mut bytes).map_err(|error| match cancel {
        Some(cancel) if cancel.is_cancelled() => stopped(),
        _ => failed("read", shown, &error),
    })?;
    if bytes.len() as u64 > most {
        return Err(ToolError::new(Kind::TooLarge, format!("{} grows while it is read", quoted(shown))));
    }
    Ok((bytes, metadata))
}

/// That something is a file with bytes in it: no folder, pipe, device or socket.
pub(crate) fn regular(metadata: &Metadata, shown: &str) -> Result<(), ToolError> {
    if metadata.is_dir() {
        return Err(ToolError::new(Kind::Arguments, format!("{} is a folder", quoted(shown)))
            .with_guidance("Use `list` for a folder, and name one of its files here."));
    }
    if !metadata.is_file() {
        return Err(ToolError::new(
            Kind::Refused,
            format!("{} is a device, a pipe or a socket, not a file", quoted(shown)),
        ));
    }
    Ok(())
}

/// The call was stopped.
pub(crate) fn stopped() -> ToolError {
    ToolError::new(Kind::Cancelled, "it was stopped")
}

/// Reads until it is stopped.
pub(crate) struct Cancellable<'a, R> {
    pub(crate) source: R,
    pub(crate) cancel: Option<&'a CancellationToken>,
}

impl<R: Read> Read for Cancellable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_some_and(CancellationToken::is_cancelled) {
            // Not `Interrupted`, which is tried again.
            return Err(ErrorKind::BrokenPipe.into());
        }
        let most = buffer.len().min(1 << 20);
        self.source.read(&mut buffer[..most])
    }
}
