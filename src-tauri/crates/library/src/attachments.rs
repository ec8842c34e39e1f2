//! Files that go with a message or a question: a folder of them, by names that say what is in them.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::{Attachment, ErrorCode, MediaKind, Problem};
use engine::Material;
use protocol::{AttachmentAdd, AttachmentView};
use support::Readers;

/// The largest file, in bytes.
const MAX_FILE_BYTES: u64 = 20 << 20;
/// The largest picture and document that models take, in bytes.
const MAX_IMAGE_BYTES: u64 = 5 << 20;
const MAX_DOCUMENT_BYTES: u64 = 20 << 20;
/// A text is cut here.
const MAX_TEXT_BYTES: usize = 100 << 10;
/// The most text, in bytes, that a run is given along with its question.
const MAX_MATERIAL_BYTES: usize = 60_000;
/// The longest name that is kept, in bytes.
const MAX_NAME_BYTES: usize = 120;
/// The longest ending of a name, in bytes.
const MAX_ENDING_BYTES: usize = 12;
/// Files that were never sent are kept for a day.
const KEPT: std::time::Duration = std::time::Duration::from_secs(24 * 60 * 60);

/// Keeps a file in a folder; `staged` if no session has it yet. Blocking.
///
/// # Errors
/// When it is empty, too large or gone, or is to be read by a run and can't be.
pub fn add(home: &Path, folder: &Path, add: &AttachmentAdd, staged: bool) -> Result<Attachment, Problem> {
    let (name, bytes) = content(add, home)?;
    if staged {
        sweep(folder);
    }
    let wanted = if add.read { Some(readable(&name, bytes.clone())?) } else { None };
    let mut kept = keep(folder, &name, bytes)?;
    if let Some(Readable::Document) = wanted {
        let reading = crate::attached::read(home, &folder.join(&kept.id), &kept.name)?;
        kept.pages = reading.pages;
        kept.note = kept.note.or(reading.note);
    }
    Ok(kept)
}

/// A kept file's content. Blocking.
///
/// # Errors
/// When it is not there.
pub fn show(folder: &Path, id: &str) -> Result<AttachmentView, Problem> {
    if !support::is_session_id(id) {
        return Err(unknown(id));
    }
    let bytes = std::fs::read(folder.join(id)).map_err(|_| unknown(id))?;
    let attachment = Attachment {
        name: shown_name(id),
        media_type: media_type(id, &bytes),
        bytes: bytes.len() as u64,
        note: None,
        pages: None,
        id: id.to_owned(),
    };
    Ok(AttachmentView { attachment, data: BASE64_STANDARD.encode(&bytes) })
}

/// What goes with the question of a run: the texts of files, and documents. What an earlier run was given comes first. Blocking.
///
/// # Errors
/// When a file is gone or neither, or texts are more than a run's prompts have room for.
pub fn given(
    folders: &[PathBuf],
    files: Vec<Attachment>,
    earlier: QuestionFiles,
) -> Result<QuestionFiles, Problem> {
    let mut given = earlier;
    for file in files {
        if !support::is_session_id(&file.id) {
            return Err(unknown(&file.id));
        }
        let bytes = folders.iter().find_map(|folder| std::fs::read(folder.join(&file.id)).ok());
        match readable(&file.name, bytes.ok_or_else(|| unknown(&file.id))?)? {
            Readable::Document => {
                given.documents.retain(|other| other.id != file.id);
                given.documents.push(file);
            }
            Readable::Text(text) => {
                given.texts.retain(|other| other.name != file.name);
                given.texts.push(Material { name: file.name, text });
            }
        }
    }
    check_texts(&given.texts)?;
    Ok(given)
}

/// Copies a file into a session's folder, as a whole or not at all. Copied: an edited message may be sent again in another
/// session. Blocking.
///
/// # Errors
/// When it is gone, or is not as it was attached.
pub fn take(staged: &Path, to: &Path, Attachment { id, bytes, .. }: &Attachment) -> Result<(), Problem> {
    if !support::is_session_id(id) {
        return Err(unknown(id));
    }
    let (from, target) = (staged.join(id), to.join(id));
    let there = target.metadata().ok().filter(std::fs::Metadata::is_file);
    if there.as_ref().is_some_and(|there| there.len() == *bytes) {
        return Ok(());
    }
    let whole = match std::fs::read(&from) {
        Ok(whole) => whole,
        // Of what was imported the length may be another one than the message says.
        Err(error) if error.kind() == ErrorKind::NotFound && there.is_some() => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(unknown(id)),
        Err(error) => return Err(failed(&from, &error)),
    };
    if whole.len() as u64 != *bytes {
        let what = format!("the attached file {id} has {} bytes instead of {bytes}", whole.len());
        return Err(Problem::new(ErrorCode::Corrupt, what).with_action("attach it again; nothing was sent"));
    }
    std::fs::create_dir_all(to).map_err(|error| failed(to, &error))?;
    support::replace_file(&target, &whole, Readers::Default).map_err(|error| failed(&target, &error))
}

fn unknown(id: &str) -> Problem {
    Problem::new(ErrorCode::NotFound, format!("the attached file {id} is gone"))
        .with_action("attach it again; nothing was sent")
}

fn failed(path: &Path, error: &std::io::Error) -> Problem {
    Problem::new(ErrorCode::Storage, format!("{}: {error}", path.display()))
}

fn too_large(name: &str, bytes: u64) -> Problem {
    Problem::new(
        ErrorCode::InvalidInput,
        format!("{name} has {bytes} bytes; at most {MAX_FILE_BYTES} are taken"),
    )
    .with_action("attach a part of it, make a knowledge base of it, or open its folder for the session")
}

/// What goes with a question.
#[derive(Default)]
pub struct QuestionFiles {
    /// Files that are text.
    pub texts: Vec<Material>,
    /// Files that are read into pages, paragraphs or rows, and asked as a knowledge base is.
    pub documents: Vec<Attachment>,
}

/// What a run can do with a file.
enum Readable {
    Document,
    Text(String),
}

fn readable(name: &str, bytes: Vec<u8>) -> Result<Readable, Problem> {
    if bytes.is_empty() {
        return Err(empty(name));
    }
    if knowledge::ingest::is_document(name, &bytes) {
        return Ok(Readable::Document);
    }
    let picture = media_type(name, &bytes).starts_with("image/");
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(Readable::Text(text)),
        Ok(_) | Err(_) if picture => {
            Err(Problem::new(ErrorCode::InvalidInput, format!("{name} is a picture, and a run reads text"))
                .with_action("attach its text, or ask about it in a conversation"))
        }
        Ok(_) | Err(_) => {
            Err(Problem::new(ErrorCode::InvalidInput, format!("{name} is of a type that a run can't read"))
                .with_action("attach a PDF, DOCX, XLSX, EPUB, HTML, CSV, TSV or text file"))
        }
    }
}

/// Checks that a run's prompts have room for texts.
///
/// # Errors
/// When they have not.
pub fn check_texts(texts: &[Material]) -> Result<(), Problem> {
    let whole: usize = texts.iter().map(|one| one.text.len()).sum();
    if whole <= MAX_MATERIAL_BYTES {
        return Ok(());
    }
    let names: Vec<&str> = texts.iter().map(|one| one.name.as_str()).collect();
    let what = format!(
        "the attached files ({}) have {whole} bytes of text; a run takes {MAX_MATERIAL_BYTES}",
        names.join(", ")
    );
    Err(Problem::new(ErrorCode::InvalidInput, what)
        .with_action("add them to a knowledge base and ask over that; nothing was started"))
}

fn empty(name: &str) -> Problem {
    Problem::new(ErrorCode::InvalidInput, format!("{name} is empty"))
        .with_action("attach a file with text in it")
}

/// Its name and bytes.
fn content(add: &AttachmentAdd, home: &Path) -> Result<(String, Vec<u8>), Problem> {
    let invalid = |message: &str| Problem::new(ErrorCode::InvalidInput, message);
    match (&add.path, &add.data) {
        (Some(path), None) => {
            let path = Path::new(path);
            let real = path.canonicalize().map_err(|error| failed(path, &error))?;
            let about = std::fs::metadata(&real).map_err(|error| failed(path, &error))?;
            if !about.is_file() {
                return Err(invalid("only files can be attached; open a folder for the session instead"));
            }
            // The vault and the database are nobody's attachments.
            if home.canonicalize().is_ok_and(|home| real.parent() == Some(&home)) {
                return Err(invalid("this file belongs to the program"));
            }
            let name = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let name = if add.name.is_empty() { name } else { add.name.clone() };
            if about.len() > MAX_FILE_BYTES {
                return Err(too_large(&name, about.len()));
            }
            let bytes = std::fs::read(&real).map_err(|error| failed(path, &error))?;
            Ok((name, bytes))
        }
        (None, Some(data)) => {
            let bytes =
                BASE64_STANDARD.decode(data).map_err(|_| invalid("the attached bytes are not base64"))?;
            let name = if add.name.is_empty() { "pasted".to_owned() } else { add.name.clone() };
            if bytes.len() as u64 > MAX_FILE_BYTES {
                return Err(too_large(&name, bytes.len() as u64));
            }
            Ok((name, bytes))
        }
        _ => Err(invalid("an attachment has either a path or bytes")),
    }
}

fn keep(folder: &Path, name: &str, mut bytes: Vec<u8>) -> Result<Attachment, Problem> {
    if bytes.is_empty() {
        return Err(empty(name));
    }
    let media_type = media_type(name, &bytes);
    let most = match media_type.as_str() {
        kind if kind.starts_with("image/") => MAX_IMAGE_BYTES,
        "application/pdf" => MAX_DOCUMENT_BYTES,
        _ => MAX_FILE_BYTES,
    };
    if bytes.len() as u64 > most {
        return Err(Problem::new(
            ErrorCode::InvalidInput,
            format!("{name} has {} bytes; models take pictures of at most {most}", bytes.len()),
        )
        .with_action("make it smaller and attach it again"));
    }
    let mut note = None;
    // A document is read in pieces; a text goes as it is.
    let whole = knowledge::ingest::is_document(name, &bytes);
    if media_type.starts_with("text/") && bytes.len() > MAX_TEXT_BYTES && !whole {
        let length = bytes.len();
        let mut end = MAX_TEXT_BYTES;
        while end > 0 && bytes[end] & 0b1100_0000 == 0b1000_0000 {
            end -= 1;
        }
        bytes.truncate(end);
        note = Some(format!("cut after {end} of {length} bytes"));
    }
    if media_type.starts_with("image/")
        && let Err(fault) = MediaKind::parse(&bytes)
    {
        note = Some(format!("it {fault}; models are told so and do not see it"));
    }
    let stem: String = name
        .chars()
        .map(|c| if c.is_alphanumeric() && c.is_ascii() || matches!(c, '.' | '-' | '_') { c } else { '_' })
        .collect();
    let stem = stem.trim_start_matches('.');
    let cut = stem.len().saturating_sub(60);
    let stem = stem.get(cut..).filter(|stem| !stem.is_empty()).unwrap_or("file");
    // Equal files of a name are one file.
    let id = format!("{}-{stem}", &domain::Digest::of(&bytes).to_string()[..12]);
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let path = folder.join(&id);
    if !path.metadata().is_ok_and(|there| there.len() == bytes.len() as u64) {
        support::replace_file(&path, &bytes, Readers::Default).map_err(|error| failed(&path, &error))?;
    }
    let mut name = name.to_owned();
    if name.len() > MAX_NAME_BYTES {
        // The ending says what it is.
        let ending = name.rfind('.').map_or("", |at| &name[at..]).to_owned();
        let ending = if ending.len() <= MAX_ENDING_BYTES { ending } else { String::new() };
        name.truncate(name.floor_char_boundary(MAX_NAME_BYTES - ending.len()));
        name.push_str(&ending);
    }
    Ok(Attachment { id, name, media_type, bytes: bytes.len() as u64, note, pages: None })
}

/// Names of the files in a session's folder of attachments.
pub fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .map(|id| shown_name(&id))
        .collect()
}

/// The name without the digest before it.
fn shown_name(id: &str) -> String {
    id.split_once('-').map_or(id, |(_, name)| name).to_owned()
}

/// Told by the bytes where they tell, else by the name.
fn media_type(name: &str, bytes: &[u8]) -> String {
    if let Some(kind) = MediaKind::detect(bytes) {
        return kind.as_str().to_owned();
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    let is_text = !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok();
    match (ending.as_str(), is_text) {
        ("csv", true) => "text/csv",
        ("tsv", true) => "text/tab-separated-values",
        ("json", true) => "text/json",
        ("md" | "markdown", true) => "text/markdown",
        ("html" | "htm", true) => "text/html",
        (_, true) => "text/plain",
        _ => "application/octet-stream",
    }
    .to_owned()
}

/// Removes what was attached and never sent.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let old = entry
            .metadata()
            .and_then(|about| about.modified())
            .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > KEPT));
        if old {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_file_has_a_name_that_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["../../etc/passwd", "..", "a/b\\c", "\u{202e}txt.exe", ".hidden", "", "x\0y"] {
            let kept = keep(folder.path(), name, b"text".to_vec()).unwrap();
            assert!(support::is_session_id(&kept.id), "{name:?} became {:?}", kept.id);
            assert!(folder.path().join(&kept.id).is_file());
        }
        assert!(keep(folder.path(), "empty", Vec::new()).is_err());
    }

    #[test]
    fn a_file_of_which_a_part_was_copied_is_copied_again() {
        let folder = tempfile::tempdir().unwrap();
        let (staged, to) = (folder.path().join("attachments"), folder.path().join("session/attachments"));
        let kept = keep(&staged, "notes.txt", b"the whole text".to_vec()).unwrap();
        let target = to.join(&kept.id);
        std::fs::create_dir_all(&to).unwrap();
        std::fs::write(&target, "the wh").unwrap();
        take(&staged, &to, &kept).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"the whole text");
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), 1, "nothing is left beside it");

        // Attached anew it is whole as well.
        std::fs::write(staged.join(&kept.id), "the wh").unwrap();
        let cut = take(&staged, &folder.path().join("other"), &kept).unwrap_err();
        assert_eq!(cut.code, ErrorCode::Corrupt, "{cut}");
        assert!(!folder.path().join("other").exists());
        keep(&staged, "notes.txt", b"the whole text".to_vec()).unwrap();
        take(&staged, &folder.path().join("other"), &kept).unwrap();

        // Swept away after a day; the session still has it.
        std::fs::remove_dir_all(&staged).unwrap();
        take(&staged, &to, &kept).unwrap();
        let gone = take(&staged, &folder.path().join("third"), &kept).unwrap_err();
        assert_eq!(gone.code, ErrorCode::NotFound, "{gone}");
    }

    #[test]
    fn a_copy_that_fails_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let (staged, to) = (folder.path().join("attachments"), folder.path().join("session"));
        let kept = keep(&staged, "notes.txt", b"text".to_vec()).unwrap();
        std::fs::create_dir_all(to.join(&kept.id).join("in the way")).unwrap();
        let problem = take(&staged, &to, &kept).unwrap_err();
        assert_eq!(problem.code, ErrorCode::Storage, "{problem}");
        assert!(problem.message.contains(&kept.id), "{problem}");
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), 1);
    }

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let text = "ä".repeat(80_000);
        let kept = keep(folder.path(), "long.txt", text.into_bytes()).unwrap();
        assert!(kept.note.is_some());
        assert!(std::fs::read_to_string(folder.path().join(&kept.id)).is_ok());
    }
}
