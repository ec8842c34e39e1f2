//! What an import would do, with nothing written.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use domain::{ErrorCode, Problem};
use protocol::{ImportFrom, ImportKind, ImportView, ImportWorkspace};
use store::SCHEMA_VERSION;
use support::blocking;
use transfer::craft::NewFile;
use transfer::programs::{Program, Unread};
use transfer::{Bundle, BundleError, Limits, Line, Lines, Report, craft};
use workspace::ShippedKind;

use crate::ImportExport;
use crate::bundle_import::{look_through, session_file, workspace_files};
use crate::files::{FileAccess, FileDestination, place_files};
use crate::import::{source_of, transcript_of};
use crate::placement::{SameName, WorkspaceFiles, placed};
use crate::programs;
use crate::references::Names;

/// Sessions that are read whole for a dry run; of the others only the number is told.
const READ: usize = 2_000;

/// What a place holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceContents {
    Bundle,
    Transcript,
    Craft,
    CraftSession,
    Program(Program),
}

/// Tells what a place holds, by what is in it.
pub fn detect(path: &Path) -> Result<PlaceContents, Problem> {
    let nothing = |why: &str| {
        Problem::new(ErrorCode::InvalidInput, format!("{}: {why}", path.display())).with_action(
            "choose a bundle (.anbundle), a session that was exported as JSONL, Craft Agent's folder (~/.craft-agent) or one of its workspaces, an export of ChatGPT or Claude (.zip or conversations.json), or the folder of Claude Code (~/.claude) or Codex (~/.codex)",
        )
    };
    if !path.is_absolute() {
        return Err(nothing("a full path is needed"));
    }
    let seen = std::fs::symlink_metadata(path).map_err(|error| {
        let why = if error.kind() == std::io::ErrorKind::NotFound {
            "there is no such file or folder".to_owned()
        } else {
            error.to_string()
        };
        Problem::new(ErrorCode::NotFound, format!("{} can't be read: {why}", path.display()))
            .with_action("check the path; it is one of the machine that AgentNative runs on")
    })?;
    if seen.is_dir() {
        if path.join("session.jsonl").is_file() {
            return Ok(PlaceContents::CraftSession);
        }
        if let Some(program) = Program::detect(path, &Limits::default()) {
            return Ok(PlaceContents::Program(program));
        }
        if craft::is_craft(path) {
            return Ok(PlaceContents::Craft);
        }
        return Err(nothing("this folder holds nothing that can be brought over"));
    }
    let (file, _) = transfer::open_plain(path).map_err(|error| nothing(&error.to_string()))?;
    if let Some(program) = Program::detect(path, &Limits::default()) {
        return Ok(PlaceContents::Program(program));
    }
    let mut reader = std::io::BufReader::new(file);
    let start = reader.fill_buf().map_err(|error| nothing(&error.to_string()))?;
    if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
        return Ok(PlaceContents::Bundle);
    }
    let mut lines = Lines::new(reader, Limits::default().line_bytes);
    let first = match lines.next_line() {
        Ok(Some(Line::Text { text, .. })) => text,
        Ok(Some(Line::TooLong(_)) | None) => String::new(),
        Err(error) => return Err(nothing(&error.to_string())),
    };
    let first = first.trim();
    if craft::is_session(first) {
        return Err(nothing("choose the folder that this session.jsonl is in"));
    }
    if first.contains(transfer::TRANSCRIPT_FORMAT) {
        return Ok(PlaceContents::Transcript);
    }
    Err(nothing("this file is none that can be brought over"))
}

/// Opens a bundle.
pub fn open_bundle(path: &Path) -> Result<Bundle<std::io::BufReader<std::fs::File>>, Problem> {
    let refused = |why: String| Problem::new(ErrorCode::InvalidInput, why);
    let (file, _) = transfer::open_plain(path).map_err(|error| refused(error.to_string()))?;
    Bundle::open(std::io::BufReader::new(file), SCHEMA_VERSION, Limits::default()).map_err(of_bundle)
}

/// A bundle's failure as a surface is told of it.
pub fn of_bundle(error: BundleError) -> Problem {
    let code = match &error {
        BundleError::Newer { .. } => ErrorCode::NewerData,
        BundleError::Io(_) => ErrorCode::Storage,
        BundleError::NotOne(_) | BundleError::TooLarge(_) | BundleError::Entry { .. } => {
            ErrorCode::InvalidInput
        }
    };
    let action = match &error {
        BundleError::Newer { .. } => "install the newer version of this program, then import again",
        BundleError::Io(_) => "look at the file and its folder, then try again",
        BundleError::NotOne(_) | BundleError::TooLarge(_) | BundleError::Entry { .. } => {
            "nothing was changed; ask whoever made it for a new one"
        }
    };
    Problem::new(code, error.to_string()).with_action(action)
}

/// What was counted.
#[derive(Default)]
struct ItemCounts {
    sources: Vec<domain::Digest>,
    /// The runs of each session of a bundle.
    runs: Vec<Vec<String>>,
    sessions: u32,
    messages: u64,
    workspaces: Vec<ImportWorkspace>,
    secrets: Vec<String>,
    same_as_built_in: Vec<String>,
    report: Report,
    program: Option<Program>,
}

impl ImportExport {
    /// What an import would do; nothing is written.
    pub async fn import_inspect(&self, from: &ImportFrom) -> Result<ImportView, Problem> {
        let looked = from.clone();
        let place = FileDestination { files: self.env.files(), home: self.env.home.clone() };
        let (kind, counted) = blocking(move || look(&looked, &place)).await?;
        let mut known = 0;
        for source in &counted.sources {
            if let Some(before) = self.env.store().imported(&source.0).await?
                && before.done
                && self.env.store().get_session(&before.session).await?.is_some()
            {
                known += 1;
            }
        }
        'sessions: for runs in &counted.runs {
            for run in runs {
                match self.env.store().get_run(run).await {
                    Ok(_) => {}
                    Err(store::StoreError::UnknownRun { .. }) => continue 'sessions,
                    Err(error) => return Err(error.into()),
                }
            }
            known += 1;
        }
        Ok(ImportView {
            kind,
            path: from.path.clone(),
            program: counted.program.map(|program| program.as_str().to_owned()),
            workspaces: counted.workspaces,
            sessions: counted.sessions,
            known,
            messages: counted.messages,
            secrets: counted.secrets,
            same_as_built_in: counted.same_as_built_in,
            report: counted.report,
        })
    }
}

impl ItemCounts {
    /// What would become of workspaces' files, by the same decisions as in an import.
    fn place(
        &mut self,
        place: &FileDestination,
        workspaces: Vec<WorkspaceFiles>,
        themes: &[NewFile],
        from: &ImportFrom,
    ) -> Result<Names, Problem> {
        let same_name = SameName::from(from.replace_built_in);
        let placement = placed(place, workspaces, same_name)?;
        let would = place_files(place, &placement.files, themes, same_name, FileAccess::Look);
        self.report.take(placement.report);
        self.report.take(would);
        self.same_as_built_in = placement.same_as_built_in;
        Ok(placement.names)
    }
}

fn look(from: &ImportFrom, place: &FileDestination) -> Result<(ImportKind, ItemCounts), Problem> {
    let path = Path::new(&from.path);
    let mut counted = ItemCounts::default();
    match detect(path)? {
        PlaceContents::Bundle => {
            let mut bundle = open_bundle(path)?;
            if !from.sessions_only {
                let files = workspace_files(&mut bundle)?;
                counted.place(place, vec![(files, BTreeMap::new())], &[], from)?;
            }
            let ids = bundle.manifest().sessions.clone();
            counted.sessions = ids.len() as u32;
            let never = AtomicBool::new(false);
            let (mut runs, mut files) = (0, 0);
            for id in &ids {
                // Read to its end: what is wrong in one is told before anything is brought over.
                let looked = session_file(&mut bundle, id).and_then(|file| {
                    look_through(&mut bundle, id, &file.runs, &never)?;
                    Ok(file)
                });
                match looked {
                    Ok(file) => {
                        counted.messages += file.messages;
                        runs += file.runs.len() as u64;
                        files += bundle.names(&format!("sessions/{id}/files/")).len() as u64;
                        counted.runs.push(file.runs);
                        counted.report.keep("session", 1);
                    }
                    Err(problem) => {
                        counted.report.leave_out("session", id, problem.message, &from.path);
                    }
                }
            }
            counted.report.keep("run", runs);
            counted.report.keep("file", files);
            Ok((ImportKind::Bundle, counted))
        }
        PlaceContents::Transcript => {
            let incoming = transcript_of(path)?;
            counted.sessions = 1;
            counted.messages = incoming.transcript.messages.len() as u64;
            counted.sources.push(incoming.source);
            counted.report.keep("message", counted.messages);
            counted.report.take(incoming.report);
            Ok((ImportKind::Transcript, counted))
        }
        PlaceContents::CraftSession => {
            sessions(&[path.to_owned()], &mut counted);
            Ok((ImportKind::CraftSession, counted))
        }
        PlaceContents::Program(program) => {
            conversations(path, program, &mut counted)?;
            Ok((ImportKind::Program, counted))
        }
        PlaceContents::Craft => {
            let survey = craft::survey(path, &Limits::default());
            let chosen = |slug: &String| from.workspaces.is_empty() || from.workspaces.contains(slug);
            let (mut files, mut secrets, mut folders) = (Vec::new(), Vec::new(), Vec::new());
            for workspace in survey.workspaces {
                counted.workspaces.push(ImportWorkspace {
                    slug: workspace.slug.clone(),
                    name: workspace.name,
                    sessions: workspace.sessions.len() as u32,
                });
                if chosen(&workspace.slug) {
                    files.push((workspace.files, workspace.borrowed));
                    secrets.extend(workspace.secrets);
                    folders.extend(workspace.sessions);
                }
            }
            if !from.sessions_only {
                let names = counted.place(place, files, &survey.themes, from)?;
                let named = secrets.iter().map(|secret| {
                    let source = names.name_of(ShippedKind::Source, &secret.source);
                    format!("source/{source}/{}", secret.vault)
                });
                counted.secrets = named.collect();
            }
            counted.report.take(survey.report);
            sessions(&folders, &mut counted);
            Ok((ImportKind::Craft, counted))
        }
    }
}

fn sessions(folders: &[PathBuf], counted: &mut ItemCounts) {
    for folder in folders {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        counted.sessions += 1;
        if counted.sources.len() >= READ {
            counted.report.keep("session", 1);
            continue;
        }
        match craft::read_session(folder, "", &Limits::default()) {
            Ok(read) => {
                counted.messages += read.transcript.messages.len() as u64;
                counted.sources.push(source_of("craft", &read.transcript));
                counted.report.keep("session", 1);
                counted.report.keep("message", read.transcript.messages.len() as u64);
                counted.report.keep("file", read.files.len() as u64);
                counted.report.keep("document", read.research.len() as u64);
                counted.report.take(read.report);
            }
            Err(error) => {
                let place = folder.display().to_string();
                counted.report.leave_out("session", &name, error.to_string(), &place);
            }
        }
    }
}

fn conversations(path: &Path, program: Program, counted: &mut ItemCounts) -> Result<(), Problem> {
    let mut all = programs::open(path, program, &[])?;
    counted.program = Some(program);
    counted.report.take(all.report());
    for group in all.groups() {
        let (slug, name, sessions) = (group.slug, group.name, group.sessions as u32);
        counted.workspaces.push(ImportWorkspace { slug, name, sessions });
    }
    let mut empty = 0;
    for read in all.by_ref().take(READ) {
        match read {
            Ok(conversation) => {
                counted.sessions += 1;
                counted.messages += conversation.transcript.messages.len() as u64;
                counted.sources.push(programs::source_of(program, &conversation));
                counted.report.keep("session", 1);
                counted.report.keep("message", conversation.transcript.messages.len() as u64);
                counted.report.keep("file", conversation.files.len() as u64);
                counted.report.take(conversation.report);
            }
            Err(Unread::Empty) => empty += 1,
            Err(Unread::Damaged { name, why, place }) => {
                counted.report.leave_out("session", &name, why, &place);
            }
        }
    }
    counted.sessions += all.left() as u32;
    counted.report.keep("session", all.left() as u64);
    programs::note_empty(&mut counted.report, empty, path);
    Ok(())
}
