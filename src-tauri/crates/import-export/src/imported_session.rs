//! Sessions that were brought over, as they are stored.

use std::collections::HashSet;
use std::path::Path;

use domain::{Digest, ErrorCode, Mode, Problem, SessionSetup};
use engine::turn::told_commits;
use store::{Commit, NewSession, SessionUpdate};
use transfer::programs::FileBytes;
use transfer::{Report, craft};

use crate::import::Incoming;
use crate::renewal::{name_by_content, renewed};
use crate::research::{Researched, research_of};
use crate::session_names::Named;
use crate::turns::turns;

/// The longest label with its value, in bytes.
const MAX_LABEL_BYTES: usize = 200;
/// The most characters of a title.
const MAX_TITLE_CHARS: usize = 200;

/// What a session becomes.
pub struct ImportedSession {
    pub session: String,
    pub source: Digest,
    /// Its runs, and how far each goes.
    pub ends: Vec<(String, u64)>,
    /// Commits that are stored one by one.
    pub alone: Vec<Commit>,
    /// Files that go into its folder.
    pub files: Vec<craft::Folder>,
    pub attachments: Vec<FileBytes>,
    /// Whether it was here and went on since.
    pub renewed: bool,
    /// Documents that research in it made, as runs.
    pub research: Vec<Researched>,
    pub update: SessionUpdate,
    pub report: Report,
    pub messages: u64,
    pub known: bool,
    pub failed: Option<Problem>,
}

/// What a session becomes in a workspace: its turns as commits, its files and its properties.
pub fn imported_session(named: Named, workspace: &str) -> ImportedSession {
    let Named { incoming, session, known, earlier } = named;
    let Incoming { source, transcript, files, research, mut report, place, own, attachments, renews } =
        incoming;
    let header = &transcript.header;
    let mode = match header.mode.as_str() {
        "safe" => Mode::Safe,
        "allow-all" => {
            let why = "its mode was Auto; here it begins with asking";
            report.change("session", &session, why, &place);
            Mode::Ask
        }
        _ => Mode::Ask,
    };
    let folders: Vec<String> =
        header.folders.iter().filter(|folder| own && Path::new(folder).is_dir()).cloned().collect();
    if folders.len() < header.folders.len() {
        let why = "a working folder is not here, or not yours to give: choose one in the session";
        report.change("session", &session, why, &place);
    }
    let setup = SessionSetup {
        mode,
        folders,
        sources: header.sources.clone(),
        agent: header.agent.clone(),
        ..Default::default()
    };
    let mut title: String = header.title.trim().chars().take(MAX_TITLE_CHARS).collect();
    if title.is_empty() {
        title.clone_from(&session);
    }
    if header.title.trim().len() > title.len() {
        let why = format!("its title was cut to {MAX_TITLE_CHARS} characters");
        report.change("session", &session, why, &place);
    }
    let new = NewSession {
        id: session.clone(),
        title,
        setup: serde_json::to_string(&setup).unwrap_or_default(),
        workspace: workspace.to_owned(),
    };
    let update = SessionUpdate {
        flagged: header.flagged.then_some(true),
        unread: header.unread.then_some(true),
        archived: header.archived.then_some(true),
        status: (!header.status.is_empty() && transfer::is_id(&header.status)).then(|| header.status.clone()),
        add_labels: labels_of(&header.labels),
        ..SessionUpdate::default()
    };
    let mut made = ImportedSession {
        session: session.clone(),
        source,
        ends: Vec::new(),
        alone: Vec::new(),
        files: Vec::new(),
        attachments: Vec::new(),
        renewed: false,
        research: Vec::new(),
        update,
        report,
        messages: transcript.messages.len() as u64,
        known,
        failed: None,
    };
    let mut all = turns(&transcript, source, &new, &place, &attachments, &mut made.report);
    if renews {
        name_by_content(&mut all, source);
    }
    if let Some(earlier) = earlier {
        all = renewed(all, &earlier, &session, &place, &mut made.report);
        made.renewed = !all.is_empty();
    }
    for turn in all {
        match told_commits(turn) {
            Ok(commits) => {
                made.ends.extend(commits.last().map(|last| (last.run.clone(), last.seq_last)));
                made.alone.extend(commits);
            }
            Err(problem) => {
                made.failed = Some(problem);
                return made;
            }
        }
    }
    if made.alone.is_empty() && !known {
        made.failed = Some(Problem::new(ErrorCode::InvalidInput, "nothing was said in it"));
        return made;
    }
    if !known || made.renewed {
        made.files = files;
        // What a tool gave is in its result.
        let tools = transcript.messages.iter().filter_map(|message| message.tool.as_ref());
        let given: HashSet<&String> = tools.flat_map(|tool| &tool.media).map(|media| &media.file).collect();
        made.attachments = attachments.into_iter().filter(|file| !given.contains(&file.name)).collect();
        match research_of(research, source, &new) {
            Ok(research) => made.research = research,
            Err(problem) => made.report.leave_out("document", &session, problem.message, &place),
        }
    }
    made
}

/// Labels with their ids, as the store takes them; what can be none is left out.
pub fn labels_of(entries: &[String]) -> Vec<(String, String)> {
    let entries = entries.iter().filter(|entry| (1..=MAX_LABEL_BYTES).contains(&entry.len()));
    entries.map(|entry| (entry.clone(), organise::Entry::id_of(entry).to_owned())).collect()
}
