//! What a program's web site exported: an archive, the folder that it was unpacked to, or its `conversations.json` alone.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde_json::Value;
use zip::ZipArchive;

use super::builder::{text_of, time_of, title_of};
use super::elements::{Span, spans};
use super::{Conversation, Program, Unread, base_name, chatgpt, claude, place_of};
use crate::limits::{Limits, open_plain, read_plain};
use crate::report::Report;

/// The most bytes of one conversation.
const MAX_CONVERSATION_BYTES: u64 = 32 << 20;
/// The most bytes that all lists of conversations of an archive unfold to.
const MAX_LISTS_BYTES: u64 = 16 << 30;
/// Bytes of a list that are looked at to tell whose it is.
const HEAD_BYTES: u64 = MAX_CONVERSATION_BYTES;
/// The most files that may be pictures.
const MAX_ASSETS: usize = 200_000;

/// Whether a file has the name of a list of conversations: `conversations.json`, or a part of it, in a folder or not.
fn is_list(name: &str) -> bool {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    last.strip_prefix("conversations").and_then(|rest| rest.strip_suffix(".json")).is_some_and(|part| {
        part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-' || byte == b'_')
    }) && !name.starts_with("__MACOSX/")
        // Deeper down it is a file of a person, as in a bundle.
        && name.matches('/').count() <= 1
}

/// Whose conversations the first one of a list is.
fn program_of(value: &Value) -> Option<Program> {
    if value.get("mapping").is_some_and(Value::is_object) {
        return Some(Program::ChatGpt);
    }
    value.get("chat_messages").is_some_and(Value::is_array).then_some(Program::Claude)
}

/// Looks at the beginning of a list.
fn program_of_list(reader: impl io::Read) -> Option<Program> {
    let mut head = Vec::new();
    reader.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    let found = spans(head.as_slice(), 20).ok()?;
    let of = |span: &Span| {
        let text = head.get(span.start as usize..(span.start + span.bytes) as usize)?;
        if span.cut {
            // The first conversation alone may be longer than what is looked at.
            let text = String::from_utf8_lossy(text);
            return match (text.contains("\"mapping\""), text.contains("\"chat_messages\"")) {
                (true, false) => Some(Program::ChatGpt),
                (false, true) => Some(Program::Claude),
                (true, true) | (false, false) => None,
            };
        }
        program_of(&serde_json::from_slice(text).ok()?)
    };
    found.iter().find_map(of)
}

/// The program whose web site exported a file or folder.
pub(super) fn detect(path: &Path, is_folder: bool, limits: &Limits) -> Option<Program> {
    if is_folder {
        let lists = lists_in(path, limits);
        return lists.iter().find_map(|list| program_of_list(open_plain(list).ok()?.0));
    }
    let (mut file, _) = open_plain(path).ok()?;
    let mut begin = [0; 4];
    let read = file.read(&mut begin).ok()?;
    if begin[..read].starts_with(b"PK") {
        let mut zip = ZipArchive::new(BufReader::new(file)).ok()?;
        let names = names_in(&zip);
        return names
            .iter()
            .filter(|name| is_list(name))
            .take(20)
            .find_map(|name| program_of_list(zip.by_name(name).ok()?));
    }
    let json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    file.seek(SeekFrom::Start(0)).ok()?;
    json.then(|| program_of_list(file)).flatten()
}

/// The lists of conversations that lie in a folder.
fn lists_in(folder: &Path, limits: &Limits) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let files = entries.filter_map(Result::ok).take(limits.entries);
    let mut lists: Vec<PathBuf> = files
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter(|entry| is_list(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    lists.sort();
    lists
}

/// A conversation that is still to be read.
#[derive(Debug, Clone, Copy)]
struct Entry {
    list: usize,
    span: Span,
}

/// Conversations of an export, the one that changed last at the end.
#[derive(Debug)]
pub struct Export {
    program: Program,
    place: String,
    /// The files in which the lists lie.
    lists: Vec<File>,
    /// In reverse order.
    entries: Vec<Entry>,
    assets: Assets,
    pub(super) report: Report,
}

impl Export {
    pub(super) fn open(
        path: &Path,
        program: Program,
        limits: Limits,
        mut scratch: impl FnMut() -> io::Result<File>,
    ) -> io::Result<Self> {
        let refused = |error: crate::limits::ReadError| io::Error::other(error.to_string());
        let place = place_of(path);
        let mut report = Report::default();
        let (mut lists, mut assets) = (Vec::new(), Assets::None);
        if std::fs::symlink_metadata(path)?.is_dir() {
            for list in lists_in(path, &limits) {
                lists.push(open_plain(&list).map_err(refused)?.0);
            }
            let (files, _) = super::files_below(path, &limits);
            assets =
                Assets::Folder(files.into_iter().take(MAX_ASSETS).map(|(path, name)| (name, path)).collect());
        } else {
            let (file, _) = open_plain(path).map_err(refused)?;
            match ZipArchive::new(BufReader::new(file)) {
                Ok(mut zip) => {
                    let names = names_in(&zip);
                    let mut room = MAX_LISTS_BYTES;
                    let mut named: Vec<&String> = names.iter().filter(|name| is_list(name)).collect();
                    named.sort();
                    for name in named {
                        let mut out = scratch()?;
                        match unfolded(&mut zip, name, &mut room, &limits, &mut out) {
                            Ok(()) => lists.push(out),
                            Err(error) => report.leave_out("session", name, error.to_string(), &place),
                        }
                    }
                    let names =
                        names.into_iter().filter(|name| !name.ends_with('/')).take(MAX_ASSETS).collect();
                    assets = Assets::Zip { zip: Box::new(zip), names, limits };
                }
                Err(_) => lists.push(open_plain(path).map_err(refused)?.0),
            }
        }
        let mut dated: Vec<(i64, usize, Entry)> = Vec::new();
        for (list, file) in lists.iter_mut().enumerate() {
            file.seek(SeekFrom::Start(0))?;
            for span in spans(BufReader::with_capacity(1 << 16, &*file), limits.sessions)? {
                let at = if span.bytes > MAX_CONVERSATION_BYTES { 0 } else { changed_at(file, span)? };
                dated.push((at, dated.len(), Entry { list, span }));
            }
        }
        // Lists are written with the newest first; what has no time keeps its place.
        dated.sort_by_key(|(at, place, _)| (std::cmp::Reverse(*at), *place));
        let entries = dated.into_iter().map(|(_, _, entry)| entry).collect();
        Ok(Self { program, place, lists, entries, assets, report })
    }

    pub(super) fn left(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn next_conversation(&mut self) -> Option<Result<Conversation, Unread>> {
        let Entry { list, span } = self.entries.pop()?;
        let place = format!("{}: byte {}", self.place, span.start);
        let damaged = |name: &str, why: String| {
            Some(Err(Unread::Damaged { name: name.to_owned(), why, place: place.clone() }))
        };
        if span.bytes > MAX_CONVERSATION_BYTES {
            return damaged(
                "",
                format!("it has {} bytes; at most {MAX_CONVERSATION_BYTES} are read", span.bytes),
            );
        }
        if span.cut {
            return damaged("", "the file ends within it: download it again".to_owned());
        }
        let value: Value = match self.lists.get_mut(list).map(|file| element(file, span)) {
            Some(Ok(bytes)) => match serde_json::from_slice(&bytes) {
                Ok(value) => value,
                Err(error) => return damaged("", format!("it is not JSON: {error}")),
            },
            Some(Err(error)) => return damaged("", format!("it can't be read: {error}")),
            None => return None,
        };
        if program_of(&value) != Some(self.program) {
            return damaged(
                &title_of(text_of(&value, "title")),
                "it has no messages of a form that is known".to_owned(),
            );
        }
        Some(match self.program {
            Program::ChatGpt => chatgpt::conversation(&value, place, &mut self.assets),
            Program::Claude | Program::ClaudeCode | Program::Codex => {
                claude::conversation(&value, place, &mut self.assets)
            }
        })
    }
}

/// The names of an archive's entries; those that can't be read are passed over.
fn names_in(zip: &ZipArchive<BufReader<File>>) -> Vec<String> {
    zip.file_names().filter_map(Result::ok).map(std::borrow::Cow::into_owned).collect()
}

/// Unfolds an entry, within what may be unfolded in all.
fn unfolded(
    zip: &mut ZipArchive<BufReader<File>>,
    name: &str,
    room: &mut u64,
    limits: &Limits,
    out: &mut File,
) -> io::Result<()> {
    let entry = zip.by_name(name).map_err(io::Error::other)?;
    let (size, packed) = (entry.size(), entry.compressed_size());
    if size > (1 << 20) && size / packed.max(1) > limits.ratio {
        return Err(io::Error::other("it unfolds to far more than a list of conversations would"));
    }
    let most = *room;
    let written = io::copy(&mut entry.take(most + 1), out)?;
    if written > most {
        return Err(io::Error::other(format!("it unfolds to more than {MAX_LISTS_BYTES} bytes")));
    }
    *room -= written;
    out.flush()
}

fn element(file: &mut File, span: Span) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(span.start))?;
    let mut bytes = vec![0; span.bytes as usize];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// When a conversation changed, in milliseconds since 1970; 0 where that is not said.
fn changed_at(file: &mut File, span: Span) -> io::Result<i64> {
    #[derive(serde::Deserialize)]
    struct Times {
        update_time: Option<Value>,
        updated_at: Option<Value>,
        create_time: Option<Value>,
        created_at: Option<Value>,
    }
    let bytes = element(file, span)?;
    let Ok(times) = serde_json::from_slice::<Times>(&bytes) else { return Ok(0) };
    let all = [times.update_time, times.updated_at, times.create_time, times.created_at];
    Ok(all.iter().map(|at| time_of(at.as_ref())).find(|at| *at > 0).unwrap_or_default())
}

/// Files that lie beside the lists.
pub(super) enum Assets {
    /// There is no way to any.
    None,
    /// In a folder: their names with their paths.
    Folder(Vec<(String, PathBuf)>),
    /// In an archive.
    Zip { zip: Box<ZipArchive<BufReader<File>>>, names: Vec<String>, limits: Limits },
}

impl std::fmt::Debug for Assets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Assets(…)")
    }
}

impl Assets {
    /// The bytes of the file that belongs to an id, with its name; `None` where there is none or it is too large.
    pub(super) fn find(&mut self, id: &str) -> Option<(String, Vec<u8>)> {
        // Less than that would be the beginning of many names.
        if id.len() < 6 {
            return None;
        }
        match self {
            Self::None => None,
            Self::Folder(files) => {
                let (name, path) = files.iter().find(|(name, _)| belongs(name, id))?;
                Some((base_name(Path::new(name)), read_plain(path, Limits::default().entry_bytes).ok()?))
            }
            Self::Zip { zip, names, limits } => {
                let name = names.iter().find(|name| belongs(name, id))?.clone();
                let entry = zip.by_name(&name).ok()?;
                let size = entry.size();
                if size > limits.entry_bytes
                    || (size > (1 << 20) && size / entry.compressed_size().max(1) > limits.ratio)
                {
                    return None;
                }
                let mut bytes = Vec::new();
                entry.take(limits.entry_bytes).read_to_end(&mut bytes).ok()?;
                Some((base_name(Path::new(&name)), bytes))
            }
        }
    }
}

/// Whether a file is named after an id: the id begins its name or is a folder of it, and ends there.
fn belongs(name: &str, id: &str) -> bool {
    name.split('/').any(|part| {
        part.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.', '_']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_the_files_of_ids_are_known_by_their_names() {
        for name in ["conversations.json", "export/conversations.json", "conversations-001.json"] {
            assert!(is_list(name), "{name}");
        }
        for name in [
            "a/b/conversations.json",
            "shared_conversations.json",
            "conversations.html",
            "__MACOSX/conversations.json",
            "conversations-a.json",
        ] {
            assert!(!is_list(name), "{name}");
        }
        assert!(
            belongs("file-AbC123-cat.png", "file-AbC123") && belongs("dalle/file-AbC123.webp", "file-AbC123")
        );
        assert!(!belongs("file-AbC1234.png", "file-AbC123"));
    }
}
