//! Conversations of other programs on their way in.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use domain::{Digest, ErrorCode, Problem};
use protocol::{ImportOptions, ImportPlace};
use support::blocking;
use transfer::Limits;
use transfer::programs::{Conversation, Conversations, Program, Unread, program_folders};

use crate::ImportExport;
use crate::import::{Import, Incoming};

/// Opens what another program keeps or exported.
pub fn open(path: &Path, program: Program, groups: &[String]) -> Result<Conversations, Problem> {
    let failed = |error: std::io::Error| {
        Problem::new(ErrorCode::InvalidInput, format!("{} can't be read: {error}", path.display()))
            .with_action("choose the export as it was downloaded, or the program's own folder")
    };
    let mut conversations =
        Conversations::open(path, program, Limits::default(), tempfile::tempfile).map_err(failed)?;
    conversations.choose(groups);
    Ok(conversations)
}

/// What names a conversation, wherever it is read from.
pub fn source_of(program: Program, conversation: &Conversation) -> Digest {
    Digest::of(format!("{}\0{}", program.as_str(), conversation.key))
}

/// The folders of other programs on this machine.
fn folders() -> Vec<transfer::programs::ProgramFolder> {
    program_folders(|name| std::env::var_os(name).map(PathBuf::from), &Limits::default())
}

impl ImportExport {
    /// Folders on this machine in which other programs keep conversations.
    pub async fn import_places(&self) -> Result<Vec<ImportPlace>, Problem> {
        let found = blocking(|| Ok(folders())).await?;
        let place = |folder: transfer::programs::ProgramFolder| ImportPlace {
            program: folder.program.as_str().to_owned(),
            path: folder.path.display().to_string(),
            sessions: folder.sessions as u32,
        };
        Ok(found.into_iter().map(place).collect())
    }
}

impl Import {
    /// Brings the conversations of another program over.
    pub async fn program(
        &mut self,
        path: &Path,
        program: Program,
        of: &ImportOptions,
    ) -> Result<(), Problem> {
        let (at, groups) = (path.to_owned(), of.workspaces.clone());
        let (mut conversations, own) = blocking(move || {
            // Folders in which the person worked are theirs where the sessions are.
            let own = folders().iter().any(|folder| at.starts_with(&folder.path));
            Ok((open(&at, program, &groups)?, own))
        })
        .await?;
        self.done.report.take(conversations.report());
        let total = conversations.left() as u64;
        let empty = Arc::new(AtomicU64::new(0));
        let counted = empty.clone();
        let all = move || {
            conversations.filter_map(move |read| match read {
                Ok(conversation) => Some(Ok(incoming(program, conversation, own))),
                Err(Unread::Empty) => {
                    counted.fetch_add(1, Ordering::Relaxed);
                    None
                }
                Err(Unread::Damaged { name, why, place }) => {
                    let why = if name.is_empty() { why } else { format!("{name}: {why}") };
                    Some(Err((PathBuf::from(place), why)))
                }
            })
        };
        self.stream(total, all).await?;
        note_empty(&mut self.done.report, empty.load(Ordering::Relaxed), path);
        Ok(())
    }
}

/// Notes sessions in which nothing was said.
pub fn note_empty(report: &mut transfer::Report, number: u64, path: &Path) {
    if number > 0 {
        let why =
            "no person said anything in them: they are empty, or the work of an agent within another session";
        report.leave_out("session", &format!("{number} of them"), why, &path.display().to_string());
    }
}

fn incoming(program: Program, conversation: Conversation, own: bool) -> Incoming {
    let source = source_of(program, &conversation);
    let Conversation { key: _, mut transcript, files, report, place } = conversation;
    if !own {
        transcript.header.folders.clear();
    }
    Incoming {
        source,
        transcript,
        files: Vec::new(),
        research: Vec::new(),
        report,
        place,
        own,
        attachments: files,
        renews: true,
    }
}
