//! What takes space.

use std::collections::HashSet;
use std::path::Path;

use domain::Problem;
use protocol::{CleanKind, DataPart, DataSizes, LargeSession, OrphanFolder};
use support::{blocking, is_session_id};

use crate::{Maintenance, files};

/// The largest sessions that are shown, and folders without a session.
const MAX_SHOWN: usize = 20;
const ORPHANS: usize = 200;
/// Sessions whose files are measured to find the largest.
const LOOKED_AT: u32 = 200;

/// Tables of the database, by what a person calls them.
const TABLES: [(&str, &[&str]); 6] = [
    ("Conversations and runs", &["run_events", "runs", "sessions", "drafts", "earlier_drafts", "queue"]),
    ("Texts, documents and results", &["blobs", "run_blobs", "packs", "pack_pieces", "packed", "judgements"]),
    ("Statuses and labels", &["session_labels", "session_sources"]),
    ("Usage", &["model_calls", "model_call_kinds"]),
    ("Permissions and their audit", &["grants", "audit", "pins", "source_checks"]),
    ("Index for searching", &["passages", "passage_words", "title_words"]),
];

/// Files and folders beside the database, by what a person calls them.
const PLACES: [(&str, &[&str], Option<CleanKind>); 9] = [
    ("Attachments without a message", &["attachments"], Some(CleanKind::Attachments)),
    ("Knowledge bases", &["knowledge"], None),
    ("Pages of the web", &["library"], None),
    ("Downloads and models", &["downloads", "models"], None),
    ("Agents, sources, skills and rules", &["workspaces", "rules", "themes", "cache/files"], None),
    ("Backups", &["backups/snapshots"], None),
    ("Exports and shares", &["exports", "shares"], Some(CleanKind::Exports)),
    ("Lists that are fetched again", &["cache/models", "cache/sources"], Some(CleanKind::Cache)),
    ("Logs", &["logs"], None),
];

impl Maintenance {
    /// What takes space.
    pub async fn data_show(&self) -> Result<DataSizes, Problem> {
        let sizes = self.env.store().sizes().await?;
        let mut largest = self.env.store().largest_sessions(LOOKED_AT).await?;
        if let Some(workspace) = self.env.scope() {
            let own = self.env.store().sessions_of_workspace(&workspace).await?;
            largest.retain(|session| own.contains(&session.id));
        }
        let known: HashSet<String> =
            self.env.store().session_stamps().await?.into_iter().map(|session| session.id).collect();
        let home = self.env.home.clone();
        blocking(move || {
            let mut database = Vec::new();
            let mut counted = 0;
            for (name, tables) in TABLES {
                let of = |table: &str| tables.iter().any(|own| table == *own || is_shadow(table, own));
                let bytes =
                    sizes.tables.iter().filter(|table| of(&table.table)).map(|table| table.bytes).sum();
                counted += bytes;
                database.push(part(name, bytes, None));
            }
            let rest = sizes.database.saturating_sub(counted + sizes.free);
            database.push(part("The rest", rest, None));
            database.push(part("Free pages", sizes.free, Some(CleanKind::Free)));
            database.push(part("Write-ahead log", sizes.log, None));
            let (sessions, orphans) = of_sessions(&home, &known);
            let mut files = sessions;
            for (name, places, clean) in PLACES {
                let bytes = places.iter().map(|place| files::measure(&home.join(place)).0).sum::<u64>();
                files.push(part(name, bytes, clean));
            }
            let (copies, aside) = of_backups(&home);
            files.push(part("Copies made before updates", copies, Some(CleanKind::Copies)));
            files.push(part("Damaged and replaced data", aside, None));
            let mut largest: Vec<LargeSession> = largest
                .into_iter()
                .map(|session| LargeSession {
                    files: if is_session_id(&session.id) {
                        files::measure(&home.join("sessions").join(&session.id)).0
                    } else {
                        0
                    },
                    session: session.id,
                    title: session.title,
                    stored: session.bytes,
                })
                .collect();
            largest.sort_by_key(|session| std::cmp::Reverse(session.stored + session.files));
            largest.truncate(MAX_SHOWN);
            Ok(DataSizes { total: files::measure(&home).0, database, files, largest, orphans })
        })
        .await
    }
}

/// Whether a table holds the content of a virtual one.
fn is_shadow(table: &str, of: &str) -> bool {
    table
        .strip_prefix(of)
        .is_some_and(|rest| ["_data", "_idx", "_docsize", "_config", "_content"].contains(&rest))
}

fn part(name: &str, bytes: u64, clean: Option<CleanKind>) -> DataPart {
    DataPart { name: name.to_owned(), bytes, clean }
}

/// Copies made before updates, and what was put aside by repairs and restores.
fn of_backups(home: &Path) -> (u64, u64) {
    let (mut copies, mut aside) = (0, 0);
    for entry in std::fs::read_dir(home.join("backups")).into_iter().flatten().flatten() {
        let bytes = files::measure(&entry.path()).0;
        match entry.path().is_dir() {
            true if entry.file_name() == "snapshots" => {}
            true => aside += bytes,
            false => copies += bytes,
        }
    }
    (copies, aside)
}

/// What is in the folders of sessions, and which of them have no session.
fn of_sessions(home: &Path, known: &HashSet<String>) -> (Vec<DataPart>, Vec<OrphanFolder>) {
    const KINDS: [(&str, &str, Option<CleanKind>); 5] = [
        ("plans", "Documents and plans", None),
        ("attachments", "Attachments", None),
        ("results", "Long results of tools", None),
        ("data", "Exports of sessions", None),
        ("undo", "What undoes changes of files", Some(CleanKind::Undo)),
    ];
    let mut sums = [0; KINDS.len()];
    let (mut rest, mut orphaned, mut orphans) = (0, 0, Vec::new());
    for session in std::fs::read_dir(home.join("sessions")).into_iter().flatten().flatten() {
        let name = session.file_name().to_string_lossy().into_owned();
        if !known.contains(&name) {
            let (bytes, files) = files::measure(&session.path());
            orphaned += bytes;
            orphans.push(OrphanFolder { name, bytes, files });
            continue;
        }
        for entry in std::fs::read_dir(session.path()).into_iter().flatten().flatten() {
            let bytes = files::measure(&entry.path()).0;
            let own = entry.file_name();
            match KINDS.iter().position(|(folder, ..)| own == *folder) {
                Some(at) => sums[at] += bytes,
                None => rest += bytes,
            }
        }
    }
    let mut parts: Vec<DataPart> =
        KINDS.iter().zip(sums).map(|((_, name, clean), bytes)| part(name, bytes, *clean)).collect();
    parts.push(part("Other files of sessions", rest, None));
    parts.push(part("Folders of sessions that are gone", orphaned, Some(CleanKind::Orphans)));
    orphans.sort_by_key(|folder| std::cmp::Reverse(folder.bytes));
    orphans.truncate(ORPHANS);
    (parts, orphans)
}
