//! Bundles: sessions as they are stored, out and in.

use std::fs::File;
use std::path::Path;

use dialogue::Event;
use domain::{Digest, ErrorCode, Mode, Problem, RunId, SessionId, SessionSetup};
use engine::turn::{KIND, decode_turn, encode_turn};
use store::{Batch, Blob, Commit, Durability, NewRun, NewSession, RunChange, RunFilter, SessionUpdate};
use transfer::{Bundle, BundleWriter, Limits, Manifest, Report, RunFile, SessionFile, StoredBatch, is_id};

use super::files::put_session_file;
use super::importing::{Import, commit_one, labels_of, stopped};
use super::inspecting::{of_bundle, open_bundle};
use crate::corpus::now_ms;
use crate::desk::aside;
use crate::local::Local;
use crate::purging::is_name;
use crate::sessions::unknown;
use crate::wire::ImportOf;

/// Payloads of one commit, and about how many bytes of them.
const BLOBS: usize = 500;
const BLOB_BYTES: usize = 8 << 20;
/// Folders of a session that leave with it.
const FOLDERS: [&str; 4] = ["attachments", "plans", "data", "results"];
/// Files of a workspace that leave with a bundle; nothing else in its folder is looked at.
const WORKSPACE: [&str; 7] =
    ["agents", "sources", "skills", "statuses", "labels", "permissions.json", "views.json"];

/// What names a bundle's session: its id and the moment at which it was made are those of the original.
pub(super) fn source_of(id: &str, _manifest: &Manifest) -> Digest {
    Digest::of(format!("bundle\0{id}"))
}

impl Local {
    /// Writes a bundle; the number of its sessions.
    pub(super) async fn write_bundle(
        &self,
        sessions: &[String],
        out: File,
        workspace_files: bool,
    ) -> Result<(), Problem> {
        let mut bundle = BundleWriter::new(out);
        for session in sessions {
            self.bundle_session(session, &mut bundle).await?;
        }
        let root = workspace_files.then(|| self.files().root().to_owned());
        let manifest = Manifest {
            format: transfer::BUNDLE_FORMAT.to_owned(),
            version: transfer::BUNDLE_VERSION,
            schema: store::SCHEMA_VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: now_ms(),
            sessions: sessions.to_vec(),
            entries: Vec::new(),
        };
        aside(move || {
            if let Some(root) = root {
                for part in WORKSPACE {
                    add_tree(&root.join(part), &format!("workspace/{part}"), &mut bundle)?;
                }
            }
            let out = bundle.finish(manifest).map_err(of_bundle)?;
            out.sync_all().map_err(|error| of_bundle(error.into()))
        })
        .await
    }

    async fn bundle_session(&self, session: &str, bundle: &mut BundleWriter<File>) -> Result<(), Problem> {
        let row = self.store().get_session(session).await?.ok_or_else(|| unknown(session))?;
        let mut runs = Vec::new();
        for (run, _) in self.runs_of(session).await? {
            let of = RunFilter { parent: Some(run.0.clone()), ..RunFilter::default() };
            let children = self.store().list_runs(&of, None, store::MAX_PAGE).await?.runs;
            runs.push(run.0);
            runs.extend(children.into_iter().rev().map(|child| child.id));
        }
        for run in &runs {
            if self.engine.is_live(&RunId(run.clone())) {
                let what = format!("{run} is under way; a bundle holds what has ended");
                return Err(Problem::new(ErrorCode::Busy, what).with_action("wait for it, or stop it"));
            }
            self.bundle_run(session, run, bundle).await?;
        }
        let file = SessionFile {
            id: row.id,
            title: row.title,
            created_at: row.created_at,
            flagged: row.flagged,
            archived: row.archived,
            status: row.status,
            labels: row.labels,
            connection: row.connection,
            model: row.model,
            setup: self.store().session_setup(session).await?.unwrap_or_default(),
            runs,
        };
        bundle.add_json(&format!("sessions/{session}/session.json"), &file).map_err(of_bundle)?;
        if let Some(folder) = self.session_folder(session) {
            for part in FOLDERS {
                add_tree(&folder.join(part), &format!("sessions/{session}/files/{part}"), bundle)?;
            }
        }
        Ok(())
    }

    async fn bundle_run(
        &self,
        session: &str,
        run: &str,
        bundle: &mut BundleWriter<File>,
    ) -> Result<(), Problem> {
        let row = self.store().get_run(run).await?;
        let batches = self.store().load_events(run).await?;
        let mut log = Vec::with_capacity(batches.len());
        for Batch { seq_first, seq_last, at_ms, bytes } in batches {
            let events = String::from_utf8(bytes)
                .map_err(|_| Problem::new(ErrorCode::Corrupt, format!("the log of {run} is no text")))?;
            log.push(StoredBatch { first: seq_first, last: seq_last, at: at_ms, events });
        }
        let blobs = self.store().blobs_of_run(run).await?;
        for hash in &blobs {
            let name = format!("blobs/{}", Digest(*hash.as_bytes()));
            let bytes = self.store().get_blob(*hash).await?;
            bundle.add(&name, &bytes).map_err(of_bundle)?;
        }
        let (meta, meta_is_hex) = match String::from_utf8(row.meta) {
            Ok(text) => (text, false),
            Err(error) => (error.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect(), true),
        };
        let file = RunFile {
            id: row.id,
            kind: row.kind,
            agent: row.agent,
            status: row.status,
            title: row.title,
            line: row.line,
            previous: row.previous_run,
            parent: row.parent,
            created_at: row.created_at,
            updated_at: row.updated_at,
            meta,
            meta_is_hex,
            log,
            blobs: blobs.iter().map(|hash| Digest(*hash.as_bytes())).collect(),
        };
        bundle.add_json(&format!("sessions/{session}/runs/{run}.json"), &file).map_err(of_bundle)
    }
}

/// Adds the plain files below a folder, or a file; links are passed over.
fn add_tree(path: &Path, name: &str, bundle: &mut BundleWriter<File>) -> Result<(), Problem> {
    let Ok(seen) = std::fs::symlink_metadata(path) else { return Ok(()) };
    if seen.is_file() {
        if transfer::check_name(name).is_err() || seen.len() > Limits::default().entry_bytes {
            return Ok(());
        }
        let bytes = transfer::read_plain(path, Limits::default().entry_bytes)
            .map_err(|error| Problem::new(ErrorCode::Storage, error.to_string()))?;
        return bundle.add(name, &bytes).map_err(of_bundle);
    }
    if !seen.is_dir() {
        return Ok(());
    }
    let entries = std::fs::read_dir(path).map_err(|error| {
        Problem::new(ErrorCode::Storage, format!("{} can't be read: {error}", path.display()))
    })?;
    let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let part = entry.file_name().to_string_lossy().into_owned();
        add_tree(&entry.path(), &format!("{name}/{part}"), bundle)?;
    }
    Ok(())
}

type Reader = Bundle<std::io::BufReader<File>>;

impl Import {
    pub(super) async fn bundle(&mut self, path: &Path, of: &ImportOf) -> Result<(), Problem> {
        let opened = path.to_owned();
        let mut bundle = aside(move || open_bundle(&opened)).await?;
        let ids = bundle.manifest().sessions.clone();
        let total = ids.len() as u64;
        if !of.sessions_only {
            bundle = self.workspace_of(bundle).await?;
        }
        for (index, id) in ids.iter().enumerate() {
            if self.cancel.load(std::sync::atomic::Ordering::Relaxed) {
                return Err(stopped());
            }
            let mut report = Report::default();
            if let Err(problem) = self.session_of(&mut bundle, id, &mut report).await {
                // What concerns the store concerns all sessions; what is wrong in one leaves the others as they are.
                if matches!(problem.code, ErrorCode::Storage | ErrorCode::Internal | ErrorCode::Busy) {
                    return Err(problem);
                }
                report.leave_out("session", id, problem.message, &path.display().to_string());
            }
            self.done.report.take(report);
            self.step.progress("Bringing sessions over", index as u64 + 1, total);
        }
        Ok(())
    }

    /// Writes the workspace's files that are in a bundle.
    async fn workspace_of(&mut self, mut bundle: Reader) -> Result<Reader, Problem> {
        let place = super::files::Place { files: self.local.files(), home: self.local.home.clone() };
        let (bundle, placed) = aside(move || {
            let names: Vec<String> = bundle.names("workspace/").into_keys().collect();
            let mut files = Vec::with_capacity(names.len());
            for name in names {
                let Some(path) = name.strip_prefix("workspace/").map(str::to_owned) else { continue };
                let top = path.split('/').next().unwrap_or_default();
                if !WORKSPACE.contains(&top) {
                    continue;
                }
                let what = path.split('/').nth(1).unwrap_or(top).to_owned();
                let kind = match top {
                    "agents" => "agent",
                    "sources" => "source",
                    "skills" => "skill",
                    "statuses" if path == "statuses/config.json" => "status",
                    "labels" if path == "labels/config.json" => "label",
                    "views.json" => "view",
                    // Rules of another machine's person are not this one's.
                    "permissions.json" => continue,
                    _ => "file",
                };
                if path.starts_with("sources/") && path.ends_with("/permissions.json") {
                    continue;
                }
                let content = transfer::craft::Content::Bytes(bundle.read(&name).map_err(of_bundle)?);
                files.push(transfer::craft::NewFile { kind, what, path, content, place: name });
            }
            Ok((bundle, super::files::place_files(&place, files, Vec::new())))
        })
        .await?;
        self.done.report.take(placed.report);
        Ok(bundle)
    }

    async fn session_of(
        &mut self,
        bundle: &mut Reader,
        id: &str,
        report: &mut Report,
    ) -> Result<(), Problem> {
        let file: SessionFile =
            bundle.read_json(&format!("sessions/{id}/session.json")).map_err(of_bundle)?;
        if file.id != id || !is_name(id) {
            return Err(invalid("its file is that of another session"));
        }
        let source = source_of(id, bundle.manifest());
        let (session, known) = self.place_of(id, source, &file).await?;
        if known {
            self.done.known += 1;
            return Ok(());
        }
        if session != id {
            report.change("session", id, format!("its id is taken; here it is {session}"), "");
        }
        let mut runs = Vec::with_capacity(file.runs.len());
        for run in &file.runs {
            if !is_id(run) {
                return Err(invalid("a run's id can't be one"));
            }
            let run: RunFile =
                bundle.read_json(&format!("sessions/{id}/runs/{run}.json")).map_err(of_bundle)?;
            verify(&run)?;
            runs.push(run);
        }
        if runs.is_empty() {
            return Err(invalid("there is nothing in it"));
        }
        let store = self.local.store().clone();
        store.begin_imports(&[(source.0, session.clone())], now_ms()).await?;
        let new = new_session(&file, &session, self.local.kept_slug(), report);
        for run in runs {
            self.run_of(bundle, run, &new, id).await?;
        }
        let root = self.local.home.join("sessions").join(&session);
        for name in bundle.names(&format!("sessions/{id}/files/")).into_keys() {
            let bytes = bundle.read(&name).map_err(of_bundle)?;
            let below = name.splitn(4, '/').nth(3).unwrap_or_default().to_owned();
            if !FOLDERS.iter().any(|folder| below.starts_with(&format!("{folder}/"))) {
                continue;
            }
            match put_session_file(&root, &below, &bytes) {
                Ok(()) => report.keep("file", 1),
                Err(why) => report.leave_out("file", &below, why, &name),
            }
        }
        let update = SessionUpdate {
            flagged: file.flagged.then_some(true),
            archived: file.archived.then_some(true),
            unread: Some(false),
            status: (!file.status.is_empty() && is_id(&file.status)).then(|| file.status.clone()),
            add_labels: labels_of(&file.labels),
            ..SessionUpdate::default()
        };
        store.end_imports(&[(source.0, session.clone(), update)], now_ms()).await?;
        self.done.imported += 1;
        self.done.messages += u64::from(store.get_session(&session).await?.map_or(0, |row| row.messages));
        self.done.sessions.push(session);
        self.done.sessions.truncate(200);
        report.keep("session", 1);
        Ok(())
    }

    /// The id that a session gets, and whether it is here whole already.
    async fn place_of(
        &mut self,
        id: &str,
        source: Digest,
        file: &SessionFile,
    ) -> Result<(String, bool), Problem> {
        let store = self.local.store();
        if let Some(before) = store.imported(&source.0).await? {
            let there = store.get_session(&before.session).await?.is_some();
            if there || !before.done {
                return Ok((before.session, before.done && there));
            }
        }
        if store.get_session(id).await?.is_none() && !self.taken.contains(id) {
            self.taken.insert(id.to_owned());
            return Ok((id.to_owned(), false));
        }
        // The session itself, in the data directory that it comes from.
        let mut same = !file.runs.is_empty();
        for run in &file.runs {
            same &= store.get_run(run).await.is_ok_and(|row| row.session == id);
        }
        if same {
            return Ok((id.to_owned(), true));
        }
        for number in 2.. {
            let other = format!("{id}-{number}");
            if store.get_session(&other).await?.is_none() && self.taken.insert(other.clone()) {
                return Ok((other, false));
            }
        }
        Err(invalid("no id is free for it"))
    }

    /// Stores a run's log as it is. Only its session's id is another one where that was taken.
    async fn run_of(
        &mut self,
        bundle: &mut Reader,
        run: RunFile,
        session: &NewSession,
        was: &str,
    ) -> Result<(), Problem> {
        let store = self.local.store().clone();
        if let Ok(there) = store.get_run(&run.id).await
            && there.session != session.id
        {
            return Err(invalid("one of its runs belongs to another session here"));
        }
        let renamed = session.id != was;
        let mut commits = Vec::new();
        let (mut blobs, mut size) = (Vec::new(), 0);
        let batches = run.log.into_iter();
        let meta = if run.meta_is_hex { hex(&run.meta)? } else { run.meta.into_bytes() };
        let mut create = Some(NewRun {
            session: session.clone(),
            agent: run.agent,
            status: run.status,
            title: run.title.clone(),
            line: run.line,
            words: run.title,
            previous_run: run.previous,
            kind: run.kind.clone(),
            parent: run.parent,
            meta,
            ..NewRun::default()
        });
        let mut last = 0;
        for batch in batches {
            let events = if renamed && batch.first == 1 {
                in_session(&run.kind, &batch, &session.id)?
            } else {
                batch.events.into_bytes()
            };
            last = batch.last;
            commits.push(Commit {
                run: run.id.clone(),
                expect_seq: batch.first - 1,
                seq_last: batch.last,
                at_ms: batch.at,
                events,
                change: create.take().map_or(RunChange::Keep, RunChange::Create),
                durability: Durability::Normal,
                ..Commit::default()
            });
        }
        for commit in commits {
            commit_one(&store, commit).await?;
        }
        let only_blobs = |blobs: Vec<Blob>| Commit {
            run: run.id.clone(),
            expect_seq: last,
            seq_last: last,
            at_ms: run.updated_at,
            blobs,
            durability: Durability::Normal,
            ..Commit::default()
        };
        for digest in &run.blobs {
            let bytes = bundle.read(&format!("blobs/{digest}")).map_err(of_bundle)?;
            if Digest::of(&bytes) != *digest {
                return Err(invalid("a payload is not what its name says"));
            }
            size += bytes.len();
            blobs.push(Blob::new(bytes)?);
            if blobs.len() >= BLOBS || size >= BLOB_BYTES {
                size = 0;
                store.commit(only_blobs(std::mem::take(&mut blobs))).await?;
            }
        }
        if !blobs.is_empty() {
            store.commit(only_blobs(blobs)).await?;
        }
        // What can't be read is found by its title only.
        let passages = self.local.passages_of(&run.id, &run.kind).await.unwrap_or_default();
        store.index_run(&run.id, passages).await?;
        Ok(())
    }
}

fn new_session(file: &SessionFile, session: &str, workspace: String, report: &mut Report) -> NewSession {
    let mut setup: SessionSetup = serde_json::from_str(&file.setup).unwrap_or_default();
    if setup.mode == Mode::AllowAll {
        setup.mode = Mode::Ask;
        report.change("session", session, "its mode was Auto; here it begins with asking", "");
    }
    if !setup.folders.is_empty() {
        setup.folders.clear();
        report.change(
            "session",
            session,
            "its working folders were those of another machine: choose one",
            "",
        );
    }
    let title = if file.title.trim().is_empty() { session } else { &file.title };
    NewSession {
        id: session.to_owned(),
        title: title.chars().take(200).collect(),
        setup: serde_json::to_string(&setup).unwrap_or_default(),
        workspace,
    }
}

/// Folds a log before anything of it is stored: one that this program can't read is left out whole.
fn verify(run: &RunFile) -> Result<(), Problem> {
    let mut next = 1;
    for batch in &run.log {
        if batch.first != next || batch.last < batch.first {
            return Err(invalid("a log has gaps"));
        }
        next = batch.last + 1;
    }
    if run.log.is_empty() {
        return Err(invalid("a log is empty"));
    }
    if run.kind != KIND {
        let batches = run.log.iter().map(stored).collect::<Vec<_>>();
        let records = engine::decode_batches(&batches)?;
        let placed = records.iter().zip(1..).all(|(record, seq)| record.seq == seq);
        return if placed && records.len() as u64 + 1 == next {
            Ok(())
        } else {
            Err(invalid("a log has gaps"))
        };
    }
    let batches = run.log.iter().map(stored).collect::<Vec<_>>();
    let mut state = dialogue::State::default();
    for record in decode_turn(&batches)? {
        state.apply(&record).map_err(|error| {
            let newer = record.v > dialogue::EVENT_VERSION;
            let code = if newer { ErrorCode::NewerData } else { ErrorCode::Corrupt };
            Problem::new(code, format!("a log can't be read: {error}"))
        })?;
    }
    if state.seq + 1 != next {
        return Err(invalid("a log does not hold what it says"));
    }
    if state.end.is_none() {
        // It would wait here for what happens elsewhere; it can be resumed like one that was interrupted.
        tracing::info!("a turn of a bundle has not ended");
    }
    Ok(())
}

fn stored(batch: &StoredBatch) -> Batch {
    Batch {
        seq_first: batch.first,
        seq_last: batch.last,
        at_ms: batch.at,
        bytes: batch.events.clone().into_bytes(),
    }
}

/// The first events of a log with another session's id.
fn in_session(kind: &str, batch: &StoredBatch, session: &str) -> Result<Vec<u8>, Problem> {
    if kind == KIND {
        let mut records = decode_turn(&[stored(batch)])?;
        for record in &mut records {
            if let Event::TurnStarted { session: of, .. } = &mut record.event {
                *of = SessionId(session.to_owned());
            }
        }
        return encode_turn(&records);
    }
    let mut records = engine::decode_batches(&[stored(batch)])?;
    for record in &mut records {
        if let pipeline::Event::RunStarted { session: of, .. } = &mut record.event {
            *of = SessionId(session.to_owned());
        }
    }
    engine::encode_log(&records)
}

fn hex(text: &str) -> Result<Vec<u8>, Problem> {
    let digits = text.as_bytes();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(pair).collect();
    bytes.ok_or_else(|| invalid("what a run keeps with it can't be read"))
}

fn invalid(what: &str) -> Problem {
    Problem::new(ErrorCode::InvalidInput, what)
}
