//! Files on their way into a workspace and into sessions' folders.
//!
//! Names were checked where they were read; nothing that is there is overwritten, and no link is followed on either side.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use organise::{LabelList, StatusList};
use support::{Readers, replace_file};
use transfer::craft::{Folder, NewFile};
use transfer::programs::FileBytes;
use transfer::{Limits, Report, check_name, read_plain};
use workspace::{
    BUILT_IN_THEMES, ImportedTheme, Workspace, labels_text, parse_labels, parse_statuses, parse_views,
    statuses_text,
};

use crate::placement::{SameName, bytes_of};

/// Where files go.
pub struct FileDestination {
    /// The workspace.
    pub files: Workspace,
    /// The data directory, for themes.
    pub home: PathBuf,
}

/// Whether files are written, or only looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAccess {
    /// They are written.
    Write,
    /// Nothing is written; the report says what would be.
    Look,
}

/// Why a file can't be placed, in words for the report.
#[derive(Debug)]
pub struct Fault(String);

impl From<Fault> for String {
    fn from(fault: Fault) -> Self {
        fault.0
    }
}

fn fault(why: impl std::fmt::Display) -> Fault {
    Fault(why.to_string())
}

/// Writes a workspace's files, which its loaders have passed, and themes; what became of them besides what the placement has
/// told.
pub fn place_files(
    place: &FileDestination,
    files: &[NewFile],
    themes: &[NewFile],
    same_name: SameName,
    access: FileAccess,
) -> Report {
    let mut report = Report::default();
    let root = place.files.root().to_owned();
    for file in files {
        let done = match file.kind {
            "status" => merge(&root, file, merged_statuses, access),
            "label" => merge(&root, file, merged_labels, access),
            "view" => merge(&root, file, merged_views, access),
            "theme" => workspace_theme(&root, file, access),
            _ => put(&root, file, access),
        };
        match done {
            Ok(Some(why)) => report.change(file.kind, &file.what, why, &file.place),
            Ok(None) if ["status", "label", "view", "automation", "theme"].contains(&file.kind) => {
                report.keep(file.kind, 1)
            }
            Ok(None) => {}
            Err(why) => report.leave_out(file.kind, &file.what, why, &file.place),
        }
    }
    for file in themes {
        match theme(&place.home, file, same_name, access) {
            Ok(notes) if notes.is_empty() => report.keep("theme", 1),
            Ok(notes) => report.change("theme", &file.what, notes.join("; "), &file.place),
            Err(why) => report.leave_out("theme", &file.what, why, &file.place),
        }
    }
    report
}

/// Writes a file that is not there. One that is there and differs stays.
fn put(root: &Path, file: &NewFile, access: FileAccess) -> Result<Option<String>, Fault> {
    let bytes = bytes_of(file).map_err(fault)?;
    match create_or_look(root, &file.path, &bytes, access)? {
        Created::New => Ok(None),
        Created::Same => Ok(None),
        Created::Other => {
            Err(fault(format!("there is another `{}` here already, and it stays as it is", file.path)))
        }
    }
}

enum Created {
    New,
    Same,
    Other,
}

fn create_or_look(root: &Path, name: &str, bytes: &[u8], access: FileAccess) -> Result<Created, Fault> {
    if access == FileAccess::Write {
        return create(root, name, bytes);
    }
    check_name(name).map_err(fault)?;
    let path = root.join(name);
    match std::fs::symlink_metadata(&path) {
        Err(_) => Ok(Created::New),
        Ok(_) => {
            let same = read_plain(&path, bytes.len() as u64).is_ok_and(|there| there == bytes);
            Ok(if same { Created::Same } else { Created::Other })
        }
    }
}

/// Creates a file below a folder, never over another one and never through a link.
fn create(root: &Path, name: &str, bytes: &[u8]) -> Result<Created, Fault> {
    check_name(name).map_err(fault)?;
    let failed = |error: std::io::Error| fault(format!("`{name}` can't be written: {error}"));
    let mut folder = root.to_owned();
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let mut parts: Vec<&str> = name.split('/').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        folder.push(part);
        match std::fs::create_dir(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                if !std::fs::symlink_metadata(&folder).map_err(failed)?.is_dir() {
                    return Err(fault(format!("`{}` is no folder", folder.display())));
                }
            }
            Err(error) => return Err(failed(error)),
        }
    }
    let path = folder.join(last);
    if std::fs::symlink_metadata(&path).is_ok() {
        let same = read_plain(&path, bytes.len() as u64).is_ok_and(|there| there == bytes);
        return Ok(if same { Created::Same } else { Created::Other });
    }
    // Nobody finds half of it: it is written beside, and takes its name only where none is.
    let fresh = folder.join(format!(".{last}.new"));
    let _ = std::fs::remove_file(&fresh);
    let mut out = std::fs::OpenOptions::new().write(true).create_new(true).open(&fresh).map_err(failed)?;
    let written = out.write_all(bytes).and_then(|()| std::fs::hard_link(&fresh, &path));
    let _ = std::fs::remove_file(&fresh);
    match written {
        Ok(()) => Ok(Created::New),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(Created::Other),
        // Some file systems know no second name.
        Err(_) => std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .and_then(|mut out| out.write_all(bytes))
            .map(|()| Created::New)
            .map_err(failed),
    }
}

/// The text of a list, and what was left out of it.
type MergedList = (String, Option<String>);

/// Writes a list, or adds what it holds to the one that is there.
fn merge(
    root: &Path,
    file: &NewFile,
    merged: fn(&str, Option<&str>) -> Result<MergedList, Fault>,
    access: FileAccess,
) -> Result<Option<String>, Fault> {
    let bytes = bytes_of(file).map_err(fault)?;
    let theirs = String::from_utf8(bytes).map_err(|_| fault("it is not UTF-8"))?;
    let path = root.join(&file.path);
    let ours = match read_plain(&path, Limits::default().config_bytes) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) if std::fs::symlink_metadata(&path).is_err() => None,
        Err(error) => return Err(fault(error)),
    };
    let (text, note) = merged(&theirs, ours.as_deref())?;
    match &ours {
        _ if access == FileAccess::Look => {}
        None => {
            create(root, &file.path, text.as_bytes())?;
        }
        Some(ours) if *ours == text => {}
        Some(_) => {
            replace_file(&path, text.as_bytes(), Readers::Person)
                .map_err(|error| fault(format!("`{}` can't be written: {error}", file.path)))?;
        }
    }
    Ok(note)
}

fn first<T: std::fmt::Display>(problems: Vec<T>) -> Fault {
    let more = problems.len().saturating_sub(1);
    let first = problems.into_iter().next().map(|problem| problem.to_string()).unwrap_or_default();
    fault(if more > 0 { format!("{first} (and {more} more)") } else { first })
}

fn merged_statuses(theirs: &str, ours: Option<&str>) -> Result<MergedList, Fault> {
    let theirs = parse_statuses("statuses/config.json", theirs).map_err(first)?.list;
    let Some(ours) = ours else { return Ok((statuses_text(&theirs), None)) };
    let before = parse_statuses("statuses/config.json", ours).map_err(first)?.list;
    let mut list: StatusList = before.clone();
    for status in theirs.statuses {
        if list.find(&status.id).is_none() {
            list.statuses.push(status);
        }
    }
    if !list.faults().is_empty() {
        return Err(fault("together with the statuses that are here they make no list that can be used"));
    }
    Ok((if list == before { ours.to_owned() } else { statuses_text(&list) }, None))
}

fn merged_labels(theirs: &str, ours: Option<&str>) -> Result<MergedList, Fault> {
    let theirs = parse_labels("labels/config.json", theirs).map_err(first)?.list;
    let Some(ours) = ours else { return Ok((labels_text(&theirs), None)) };
    let before = parse_labels("labels/config.json", ours).map_err(first)?.list;
    let mut list: LabelList = before.clone();
    let mut within = Vec::new();
    for label in theirs.labels {
        let new = list.find(&label.id).is_none();
        let clashes =
            label.children.iter().flat_map(|child| child.all()).any(|child| list.find(&child.id).is_some());
        if new && !clashes {
            list.labels.push(label);
        } else if new || label.children.iter().any(|child| list.find(&child.id).is_none()) {
            within.push(label.id);
        }
    }
    if !list.faults().is_empty() {
        return Err(fault("together with the labels that are here they make no tree that can be used"));
    }
    let note = (!within.is_empty()).then(|| {
        format!("what stands below {} was not added: some of it is here at another place", within.join(", "))
    });
    Ok((if list == before { ours.to_owned() } else { labels_text(&list) }, note))
}

fn merged_views(theirs: &str, ours: Option<&str>) -> Result<MergedList, Fault> {
    // Checked whole; a view that can't be read is kept by the file's own reader and shown as such.
    let read = |text: &str| -> Result<serde_json::Value, Fault> {
        parse_views("views.json", text).map_err(first)?;
        serde_json::from_str(text).map_err(fault)
    };
    let theirs = read(theirs)?;
    let pretty = |value: &serde_json::Value| {
        let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
        text.push('\n');
        text
    };
    let Some(ours) = ours else { return Ok((pretty(&theirs), None)) };
    let mut list = read(ours)?;
    let before = list.clone();
    let known: Vec<serde_json::Value> =
        list["views"].as_array().into_iter().flatten().map(|view| view["id"].clone()).collect();
    if let Some(views) = list["views"].as_array_mut() {
        let new =
            theirs["views"].as_array().into_iter().flatten().filter(|view| !known.contains(&view["id"]));
        views.extend(new.cloned());
    }
    Ok((if list == before { ours.to_owned() } else { pretty(&list) }, None))
}

/// What a theme that was translated says of it.
fn notes_of(imported: &ImportedTheme) -> Vec<String> {
    imported.notes.iter().map(|note| format!("{}: {}", note.place, note.text)).collect()
}

fn translated(file: &NewFile, name: &str) -> Result<ImportedTheme, Fault> {
    let text = String::from_utf8(bytes_of(file).map_err(fault)?).map_err(|_| fault("it is not UTF-8"))?;
    workspace::import_theme(name, &text).map_err(|problems| first(problems.into_iter().collect::<Vec<_>>()))
}

/// The colours of a workspace.
fn workspace_theme(root: &Path, file: &NewFile, access: FileAccess) -> Result<Option<String>, Fault> {
    let imported = translated(file, "Imported colours")?;
    match create_or_look(root, &file.path, workspace::theme_text(&imported.theme).as_bytes(), access)? {
        Created::New | Created::Same => {
            let notes = notes_of(&imported);
            Ok((!notes.is_empty()).then(|| notes.join("; ")))
        }
        Created::Other => Err(fault("the workspace has other colours of its own, and they stay as they are")),
    }
}

/// A theme of the other program, translated.
fn theme(home: &Path, file: &NewFile, same_name: SameName, access: FileAccess) -> Result<Vec<String>, Fault> {
    let mut id = file.what.to_ascii_lowercase();
    if !workspace::is_theme_id(&id) {
        return Err(fault("its file's name can't be that of a theme"));
    }
    let imported = translated(file, &file.what)?;
    let mut notes = notes_of(&imported);
    if BUILT_IN_THEMES.contains(&id.as_str()) {
        match same_name {
            SameName::Replace => notes.insert(0, format!("replaces the built-in theme `{id}`")),
            SameName::KeepBoth => {
                let other = format!("{id}-imported");
                let was = std::mem::replace(&mut id, other);
                notes.insert(
                    0,
                    format!("the built-in theme `{was}` stays as it is; the imported one is here as `{id}`"),
                );
            }
        }
    }
    let text = workspace::theme_text(&imported.theme);
    match create_or_look(&home.join("themes"), &format!("{id}.json"), text.as_bytes(), access)? {
        Created::New | Created::Same => Ok(notes),
        Created::Other => {
            Err(fault("there is another theme of that name here already, and it stays as it is"))
        }
    }
}

/// Copies a session's own files. What is there already was copied by an import that was cut short.
pub fn copy_session_files(home: &Path, session: &str, files: Vec<Folder>, report: &mut Report) {
    let root = home.join("sessions").join(session);
    for Folder { from, to } in files {
        let copied = read_plain(&from, Limits::default().entry_bytes)
            .map_err(fault)
            .and_then(|bytes| create(&root, &to, &bytes));
        match copied {
            Ok(Created::New | Created::Same) => report.keep("file", 1),
            Ok(Created::Other) => {
                report.leave_out(
                    "file",
                    &to,
                    "another file of that name is there",
                    &from.display().to_string(),
                );
            }
            Err(why) => report.leave_out("file", &to, why, &from.display().to_string()),
        }
    }
}

/// Writes files that go with messages. Their names are made of what they hold.
pub fn put_attachments(home: &Path, session: &str, files: Vec<FileBytes>, report: &mut Report) {
    let root = home.join("sessions").join(session);
    for FileBytes { name, bytes } in files {
        match put_session_file(&root, &format!("attachments/{name}"), &bytes) {
            Ok(()) => report.keep("file", 1),
            Err(why) => report.leave_out("file", &name, why, session),
        }
    }
}

/// Writes bytes of a session's file that came in a bundle.
pub fn put_session_file(root: &Path, name: &str, bytes: &[u8]) -> Result<(), Fault> {
    match create(root, name, bytes)? {
        Created::New | Created::Same => Ok(()),
        Created::Other => Err(fault("another file of that name is there")),
    }
}
