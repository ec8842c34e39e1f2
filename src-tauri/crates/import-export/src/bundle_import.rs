//! Bundles on their way in: logs and payloads become what they were.
//!
//! A session is looked through whole before anything of it is stored: one that this program can't fold, or that is not what
//! its names say, is left out and leaves no trace. Each run is made with its payloads first and its events last, so that
//! whatever is cut short shows no event whose payload is missing, and goes on where it was when it is imported again.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use dialogue::Event;
use domain::{Digest, ErrorCode, Mode, Problem, RunStatus, SessionId, SessionSetup};
use engine::turn::{KIND, decode_turn, encode_turn};
use protocol::ImportOptions;
use store::{
    Batch, Blob, Commit, Durability, MAX_BLOB_BYTES, MAX_EVENTS_BYTES, NewRun, NewSession, RunChange,
    RunUpdate, SessionUpdate, StoreError,
};
use support::{blocking, is_session_id, now_ms};
use transfer::craft::{Content, NewFile};
use transfer::{Bundle, Report, RunFile, SessionFile, StoredBatch, is_id};
use workspace::ShippedKind;

use crate::bundles::{FOLDERS, WORKSPACE};
use crate::closing_events::{ClosingEvents, NOT_RUN};
use crate::files::put_session_file;
use crate::import::{Import, stopped};
use crate::imported_session::labels_of;
use crate::preview::{of_bundle, open_bundle};
use crate::references::Names;

/// Payloads of one commit, and about how many bytes of them.
const BLOBS: usize = 500;
const BLOB_BYTES: usize = 8 << 20;
/// The kind of a staged run.
const STAGED: &str = "run";
/// No time of a bundle is later: the year 5000.
const LATEST: i64 = 95_617_584_000_000;
/// The most characters of a run's title and line.
const MAX_LINE_CHARS: usize = 400;
/// The most bytes of what a run keeps with it.
const MAX_META_BYTES: usize = 4 << 20;

pub type Reader = Bundle<std::io::BufReader<File>>;

/// What names a bundle's session. Its id alone does not: two machines may give the same.
pub fn source_of(file: &SessionFile) -> Digest {
    let first = file.runs.first().map_or("", String::as_str);
    Digest::of(format!("bundle\0{}\0{first}", file.id))
}

/// A session's file, with names that can be what they say.
pub fn session_file(bundle: &mut Reader, id: &str) -> Result<SessionFile, Problem> {
    let mut file: SessionFile =
        bundle.read_json(&format!("sessions/{id}/session.json")).map_err(of_bundle)?;
    if file.id != id || !is_session_id(id) {
        return Err(invalid("its file is that of another session"));
    }
    if file.runs.is_empty() {
        return Err(invalid("there is nothing in it"));
    }
    if file.runs.iter().any(|run| !is_id(run)) {
        return Err(invalid("a run's id can't be one"));
    }
    let mut seen = HashSet::new();
    file.runs.retain(|run| seen.insert(run.clone()));
    Ok(file)
}

/// The workspace's files that are in a bundle.
pub fn workspace_files(bundle: &mut Reader) -> Result<Vec<NewFile>, Problem> {
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
        let content = Content::Bytes(bundle.read(&name).map_err(of_bundle)?);
        files.push(NewFile { kind, what, path, content, place: name });
    }
    Ok(files)
}

/// Where a session of a bundle goes.
struct SessionDestination {
    session: String,
    standing: ImportState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ImportState {
    /// It is not here, or not all of it, because an import was cut short.
    New,
    /// It is here, and the bundle knows more of it.
    Older,
    /// Every run of it is here; whether all of each is, has to be looked at.
    Here,
    /// All of it is here.
    Whole,
}

impl Import {
    pub async fn bundle(&mut self, path: &Path, of: &ImportOptions) -> Result<(), Problem> {
        let opened = path.to_owned();
        let mut bundle = blocking(move || open_bundle(&opened)).await?;
        let ids = bundle.manifest().sessions.clone();
        let total = ids.len() as u64;
        if !of.sessions_only {
            let (back, files) = blocking(move || {
                let files = workspace_files(&mut bundle)?;
                Ok((bundle, files))
            })
            .await?;
            bundle = back;
            self.place(vec![(files, BTreeMap::new())], Vec::new(), of).await?;
        }
        for (index, id) in ids.iter().enumerate() {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(stopped());
            }
            let mut report = Report::default();
            let (back, ended) = self.session_of(bundle, id, &mut report).await?;
            bundle = back;
            if let Err(problem) = ended {
                // What concerns the store concerns all sessions; what is wrong in one leaves the others as they are.
                if matches!(
                    problem.code,
                    ErrorCode::Storage | ErrorCode::Internal | ErrorCode::Busy | ErrorCode::Cancelled
                ) {
                    return Err(problem);
                }
                report.leave_out("session", id, problem.message, &path.display().to_string());
            }
            self.done.report.take(report);
            self.step.progress("Bringing sessions over", index as u64 + 1, total);
        }
        Ok(())
    }

    /// Brings a session over. The bundle comes back whatever became of the session.
    async fn session_of(
        &mut self,
        bundle: Reader,
        id: &str,
        report: &mut Report,
    ) -> Result<(Reader, Result<(), Problem>), Problem> {
        let (own, cancel) = (id.to_owned(), self.cancel.clone());
        let (mut bundle, looked) = blocking(move || {
            let mut bundle = bundle;
            let looked = session_file(&mut bundle, &own);
            Ok((bundle, looked))
        })
        .await?;
        let file = match looked {
            Ok(file) => file,
            Err(problem) => return Ok((bundle, Err(problem))),
        };
        let mut place = match self.place_of(id, &file).await {
            Ok(place) => place,
            Err(problem) => return Ok((bundle, Err(problem))),
        };
        if place.standing == ImportState::Here {
            place.standing = ImportState::Whole;
            for run in &file.runs {
                let theirs = match run_file(&mut bundle, id, run) {
                    Ok(run) => run.log.last().map_or(0, |batch| batch.last),
                    Err(problem) => return Ok((bundle, Err(problem))),
                };
                if theirs > self.local.env.store().last_seq(run).await? {
                    place.standing = ImportState::Older;
                }
            }
        }
        if place.standing == ImportState::Whole {
            self.done.known += 1;
            let trashed = self.local.env.store().get_session(&place.session).await?;
            if trashed.is_some_and(|row| row.deleted_at.is_some()) {
                let why = "it is here already, in the trash: restore it there";
                report.leave_out("session", &place.session, why, "");
            }
            return Ok((bundle, Ok(())));
        }
        let runs = file.runs.clone();
        let own = id.to_owned();
        let (back, looked) = blocking(move || {
            let looked = look_through(&mut bundle, &own, &runs, &cancel);
            Ok((bundle, looked))
        })
        .await?;
        bundle = back;
        let ended = match looked {
            Ok(()) => self.bring(&mut bundle, file, place, report).await,
            Err(problem) => Err(problem),
        };
        Ok((bundle, ended))
    }

    /// Stores a session that was looked through.
    async fn bring(
        &mut self,
        bundle: &mut Reader,
        file: SessionFile,
        place: SessionDestination,
        report: &mut Report,
    ) -> Result<(), Problem> {
        let (id, source, SessionDestination { session, standing }) =
            (file.id.clone(), source_of(&file), place);
        if session != id {
            report.change("session", &id, format!("its id is taken; here it is {session}"), "");
        }
        let store = self.local.env.store().clone();
        store.begin_imports(&[(source.0, session.clone())], now_ms()).await?;
        let new = new_session(&file, &session, self.local.env.stored_slug(), &self.names, report);
        for run in &file.runs {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(stopped());
            }
            self.run_of(bundle, &id, run, &new, standing, report).await?;
        }
        let root = self.local.env.home.join("sessions").join(&session);
        for name in bundle.names(&format!("sessions/{id}/files/")).into_keys() {
            let below = name.splitn(4, '/').nth(3).unwrap_or_default().to_owned();
            if !FOLDERS.iter().any(|folder| below.starts_with(&format!("{folder}/"))) {
                continue;
            }
            let bytes = bundle.read(&name).map_err(of_bundle)?;
            match put_session_file(&root, &below, &bytes) {
                Ok(()) => report.keep("file", 1),
                Err(why) => report.leave_out("file", &below, why, &name),
            }
        }
        // What the person has set here since stays.
        let update = match standing {
            ImportState::Older | ImportState::Here | ImportState::Whole => SessionUpdate::default(),
            ImportState::New => SessionUpdate {
                flagged: file.flagged.then_some(true),
                archived: file.archived.then_some(true),
                unread: Some(false),
                status: (!file.status.is_empty() && is_id(&file.status)).then(|| file.status.clone()),
                add_labels: labels_of(&file.labels),
                ..SessionUpdate::default()
            },
        };
        store.end_imports(&[(source.0, session.clone(), update)], now_ms()).await?;
        self.done.imported += 1;
        self.done.messages += u64::from(store.get_session(&session).await?.map_or(0, |row| row.messages));
        self.done.sessions.push(session);
        self.done.sessions.truncate(200);
        report.keep("session", 1);
        Ok(())
    }

    /// Where a session goes. Its runs tell it: their ids are unlike all others.
    async fn place_of(&mut self, id: &str, file: &SessionFile) -> Result<SessionDestination, Problem> {
        let store = self.local.env.store();
        let (mut owner, mut there) = (None::<String>, 0);
        for run in &file.runs {
            match store.get_run(run).await {
                Ok(row) if owner.as_ref().is_some_and(|owner| *owner != row.session) => {
                    return Err(invalid("its runs belong to several sessions here"));
                }
                Ok(row) => {
                    owner = Some(row.session);
                    there += 1;
                }
                Err(StoreError::UnknownRun { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let before = store.imported(&source_of(file).0).await?;
        if let Some(session) = owner {
            self.taken.insert(session.clone());
            let cut_short = before.is_some_and(|before| !before.done && before.session == session);
            let standing = match cut_short {
                true => ImportState::New,
                false if there == file.runs.len() => ImportState::Here,
                false => ImportState::Older,
            };
            return Ok(SessionDestination { session, standing });
        }
        if let Some(before) = before
            && !before.done
            && store.get_session(&before.session).await?.is_none()
            && self.taken.insert(before.session.clone())
        {
            return Ok(SessionDestination { session: before.session, standing: ImportState::New });
        }
        let mut session = id.to_owned();
        for number in 2.. {
            let taken = store.get_session(&session).await?.is_some()
                || self.local.env.home.join("sessions").join(&session).exists();
            if !taken && self.taken.insert(session.clone()) {
                break;
            }
            session = format!("{id}-{number}");
        }
        Ok(SessionDestination { session, standing: ImportState::New })
    }

    /// Stores a run: its row, its payloads, its log. What is here already stays.
    async fn run_of(
        &mut self,
        bundle: &mut Reader,
        was: &str,
        run: &str,
        session: &NewSession,
        standing: ImportState,
        report: &mut Report,
    ) -> Result<(), Problem> {
        let store = self.local.env.store().clone();
        let run = run_file(bundle, was, run)?;
        let closing = verify(bundle, &run)?;
        let status = status_of(&run, closing.as_ref()).to_owned();
        let theirs = batches_of(&run, &session.id)?;
        let row = match store.get_run(&run.id).await {
            Ok(row) if row.session != session.id => {
                return Err(invalid("one of its runs belongs to another session here"));
            }
            Ok(row) => Some(row),
            Err(StoreError::UnknownRun { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let ours = if row.is_some() { store.load_events(&run.id).await? } else { Vec::new() };
        if ours.iter().zip(&theirs).any(|(ours, theirs)| ours != theirs) {
            let why = "it went on in another way here, and stays as it is here";
            report.leave_out("run", &run.id, why, "");
            return Ok(());
        }
        if standing == ImportState::Older && row.is_some() && ours.len() >= theirs.len() {
            return Ok(());
        }
        let known = ours.last().map_or(0, |batch| batch.seq_last);
        let create = row.is_none().then(|| created(&run, session, &status)).transpose()?;
        self.payloads(bundle, &run, known, create).await?;
        let mut commits = Vec::new();
        let mut at = known;
        let mut add = |seq_last, at_ms, events, blobs| {
            let expect_seq = std::mem::replace(&mut at, seq_last);
            let durability = Durability::Normal;
            let run = run.id.clone();
            commits.push(Commit {
                run,
                expect_seq,
                seq_last,
                at_ms,
                events,
                blobs,
                durability,
                ..Commit::default()
            });
        };
        for batch in theirs.into_iter().skip(ours.len()) {
            add(batch.seq_last, batch.at_ms, batch.bytes, Vec::new());
        }
        // The same whether the log was stored in one go or not.
        let end = run.log.last().map_or(0, |batch| batch.last);
        if let Some(closing) = closing.filter(|_| known <= end) {
            for why in closing.notes(&run) {
                report.change(&run.kind, &run.id, why, "");
            }
            let told = (closing.calls > 0).then(|| Blob::new(NOT_RUN.as_bytes().to_vec())).transpose()?;
            add(closing.last, run.updated_at, closing.events, told.into_iter().collect());
        }
        if let Some(last) = commits.last_mut() {
            last.change = RunChange::Update(RunUpdate {
                status: Some(status),
                line: Some(line_of(&run.line)),
                ..RunUpdate::default()
            });
        }
        for commit in commits {
            store.commit(commit).await?;
        }
        // What can't be read is found by its title only.
        let passages = self.local.sessions.passages_of(&run.id, &run.kind).await.unwrap_or_default();
        store.index_run(&run.id, passages).await?;
        Ok(())
    }

    /// Stores a run's payloads, with its row where that is new; `seq` is how far its log goes here.
    async fn payloads(
        &self,
        bundle: &mut Reader,
        run: &RunFile,
        seq: u64,
        mut create: Option<Commit>,
    ) -> Result<(), Problem> {
        let store = self.local.env.store();
        let (mut blobs, mut size) = (Vec::new(), 0);
        let mut digests = run.blobs.iter().peekable();
        while digests.peek().is_some() || create.is_some() {
            if let Some(digest) = digests.next() {
                let bytes = payload(bundle, *digest)?;
                size += bytes.len();
                blobs.push(Blob::new(bytes)?);
            }
            if blobs.len() >= BLOBS || size >= BLOB_BYTES || digests.peek().is_none() {
                size = 0;
                let commit = create.take().unwrap_or_else(|| Commit {
                    run: run.id.clone(),
                    expect_seq: seq,
                    seq_last: seq,
                    at_ms: run.created_at,
                    durability: Durability::Normal,
                    ..Commit::default()
                });
                store.commit(Commit { blobs: std::mem::take(&mut blobs), ..commit }).await?;
            }
        }
        Ok(())
    }
}

fn created(run: &RunFile, session: &NewSession, status: &str) -> Result<Commit, Problem> {
    let create = NewRun {
        session: session.clone(),
        agent: run.agent.clone(),
        status: status.to_owned(),
        title: line_of(&run.title),
        line: line_of(&run.line),
        words: line_of(&run.title),
        previous_run: run.previous.clone(),
        kind: run.kind.clone(),
        parent: run.parent.clone(),
        meta: if run.meta_is_hex {
            hex::decode(&run.meta).map_err(|_| invalid("what a run keeps with it can't be read"))?
        } else {
            run.meta.clone().into_bytes()
        },
        ..NewRun::default()
    };
    Ok(Commit {
        run: run.id.clone(),
        at_ms: run.created_at,
        change: RunChange::Create(create),
        durability: Durability::Normal,
        ..Commit::default()
    })
}

/// How a run stands here: one that is under way in the bundle waits for the person.
fn status_of<'a>(run: &'a RunFile, closing: Option<&ClosingEvents>) -> &'a str {
    let suspends =
        closing.is_some_and(|closing| closing.suspends) || run.status == RunStatus::Running.as_str();
    if suspends { RunStatus::Suspended.as_str() } else { &run.status }
}

fn line_of(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_LINE_CHARS).collect()
}

/// A run's file, with names and times that can be what they say.
fn run_file(bundle: &mut Reader, session: &str, id: &str) -> Result<RunFile, Problem> {
    let run: RunFile = bundle.read_json(&format!("sessions/{session}/runs/{id}.json")).map_err(of_bundle)?;
    if run.id != id {
        return Err(invalid("a run's file is that of another run"));
    }
    if ![KIND, STAGED, engine::mission::KIND].contains(&run.kind.as_str()) || !is_id(&run.status) {
        return Err(invalid("one of its runs is of a kind that is not known"));
    }
    let follows = run.previous.iter().chain(&run.parent);
    if follows.chain((!run.agent.is_empty()).then_some(&run.agent)).any(|name| !is_id(name)) {
        return Err(invalid("one of its runs names what can't be a name"));
    }
    let times = run.log.iter().map(|batch| batch.at).chain([run.created_at, run.updated_at]);
    if times.into_iter().any(|at| !(0..=LATEST).contains(&at)) {
        return Err(invalid("one of its runs has a time that can't be"));
    }
    Ok(run)
}

/// Looks at everything of a session, a run at a time, so that no more than one is in memory.
pub fn look_through(
    bundle: &mut Reader,
    session: &str,
    runs: &[String],
    cancel: &std::sync::atomic::AtomicBool,
) -> Result<(), Problem> {
    let own: HashSet<&String> = runs.iter().collect();
    for run in runs {
        if cancel.load(Ordering::Relaxed) {
            return Err(stopped());
        }
        let run = run_file(bundle, session, run)?;
        if run.parent.as_ref().is_some_and(|parent| !own.contains(parent)) {
            return Err(invalid("one of its runs works for a run of another session"));
        }
        for digest in &run.blobs {
            payload(bundle, *digest)?;
        }
        verify(bundle, &run)?;
    }
    Ok(())
}

fn payload(bundle: &mut Reader, digest: Digest) -> Result<Vec<u8>, Problem> {
    let bytes = bundle.read(&format!("blobs/{digest}")).map_err(of_bundle)?;
    if bytes.len() > MAX_BLOB_BYTES {
        return Err(invalid("a payload is larger than any of this program"));
    }
    if Digest::of(&bytes) == digest { Ok(bytes) } else { Err(invalid("a payload is not what its name says")) }
}

fn new_session(
    file: &SessionFile,
    session: &str,
    workspace: String,
    names: &Names,
    report: &mut Report,
) -> NewSession {
    let mut setup: SessionSetup = serde_json::from_str(&file.setup).unwrap_or_default();
    setup.agent = names.name_of(ShippedKind::Agent, &setup.agent).to_owned();
    for slug in &mut setup.sources {
        let here = names.name_of(ShippedKind::Source, slug).to_owned();
        *slug = here;
    }
    if setup.mode == Mode::AllowAll {
        setup.mode = Mode::Ask;
        report.change("session", session, "its mode was Auto; here it begins with asking", "");
    }
    if !setup.folders.is_empty() {
        setup.folders.clear();
        let why = "its working folders were those of another machine: choose one";
        report.change("session", session, why, "");
    }
    let title = if file.title.trim().is_empty() { session } else { &file.title };
    NewSession {
        id: session.to_owned(),
        title: title.chars().filter(|c| !c.is_control()).take(200).collect(),
        setup: serde_json::to_string(&setup).unwrap_or_default(),
        workspace,
    }
}

/// Folds a log before anything of it is stored: one that this program can't read is left out whole.
fn verify(bundle: &mut Reader, run: &RunFile) -> Result<Option<ClosingEvents>, Problem> {
    let mut next = 1;
    for batch in &run.log {
        if batch.first != next || batch.last < batch.first {
            return Err(invalid("a log has gaps"));
        }
        next = batch.last.checked_add(1).ok_or_else(|| invalid("a log has gaps"))?;
    }
    if run.log.is_empty() {
        return Err(invalid("a log is empty"));
    }
    // Some room is left for another session's id, which may be longer.
    if run.log.iter().any(|batch| batch.events.len() > MAX_EVENTS_BYTES - (4 << 10))
        || run.meta.len() > MAX_META_BYTES
    {
        return Err(invalid("a log has more in one place than any of this program"));
    }
    let batches = run.log.iter().map(stored).collect::<Vec<_>>();
    has_payloads(run, &batches)?;
    let (folded, closing) = if run.kind == KIND {
        let mut state = dialogue::State::default();
        for record in decode_turn(&batches)? {
            state.apply(&record).map_err(|error| unfolded(record.v > dialogue::EVENT_VERSION, &error))?;
        }
        (state.seq, ClosingEvents::of_turn(&mut state, run)?)
    } else if run.kind == engine::mission::KIND {
        let state = engine::mission::fold(&batches)?;
        let is_open = state.status() == missions::Status::Running;
        (state.seq, ClosingEvents::of_run(run, state.seq, is_open)?)
    } else {
        let state = folded_run(bundle, &batches)?;
        let is_open = state.status() == pipeline::Status::Running;
        (state.seq, ClosingEvents::of_run(run, state.seq, is_open)?)
    };
    if folded + 1 == next { Ok(closing) } else { Err(invalid("a log does not hold what it says")) }
}

/// That every payload that a log refers to comes with its run: without it neither the run nor an export can be read any more.
fn has_payloads(run: &RunFile, batches: &[Batch]) -> Result<(), Problem> {
    let wanted: Vec<Digest> = if run.kind == KIND {
        decode_turn(batches)?.iter().flat_map(|record| record.event.payloads()).collect()
    } else if run.kind == engine::mission::KIND {
        engine::mission::payloads(batches)?
    } else {
        engine::decode_batches(batches)?.iter().flat_map(|record| record.event.payloads()).collect()
    };
    let here: HashSet<&Digest> = run.blobs.iter().collect();
    match wanted.iter().find(|digest| !here.contains(digest)) {
        None => Ok(()),
        Some(digest) => Err(invalid(&format!(
            "a log refers to the payload {}, which its run does not bring",
            digest.short()
        ))),
    }
}

/// Folds the log of a staged run over the configuration that it pinned.
fn folded_run(bundle: &mut Reader, batches: &[Batch]) -> Result<pipeline::State, Problem> {
    let records = engine::decode_batches(batches)?;
    let Some(pipeline::Event::RunStarted { pinned, .. }) = records.first().map(|record| &record.event) else {
        return Err(invalid("a log does not begin with its start"));
    };
    let pinned: engine::Pinned = serde_json::from_slice(&payload(bundle, *pinned)?)
        .map_err(|error| invalid(&format!("what a run pinned can't be read: {error}")))?;
    let graph = pipeline::Graph::new(&pinned.config).map_err(|error| invalid(&error.to_string()))?;
    let mut state = pipeline::State::new(Arc::new(graph));
    for record in &records {
        state
            .apply(record)
            .map_err(|error| unfolded(matches!(error, pipeline::IllegalEvent::Newer { .. }), &error))?;
    }
    Ok(state)
}

/// A log that the machine refuses; `newer`: a newer program wrote it.
pub fn unfolded(newer: bool, error: &impl std::fmt::Display) -> Problem {
    let code = if newer { ErrorCode::NewerData } else { ErrorCode::Corrupt };
    Problem::new(code, format!("a log can't be read: {error}"))
}

fn stored(batch: &StoredBatch) -> Batch {
    Batch {
        seq_first: batch.first,
        seq_last: batch.last,
        at_ms: batch.at,
        bytes: batch.events.clone().into_bytes(),
    }
}

/// A log's batches as they are stored here: the first names this session, whatever it is called there.
fn batches_of(run: &RunFile, session: &str) -> Result<Vec<Batch>, Problem> {
    let mut batches: Vec<Batch> = run.log.iter().map(stored).collect();
    let Some(first) = batches.first_mut() else { return Ok(batches) };
    let own = SessionId(session.to_owned());
    if run.kind == engine::mission::KIND {
        first.bytes = engine::mission::moved(first, &own)?;
        return Ok(batches);
    }
    if run.kind == KIND {
        let mut records = decode_turn(std::slice::from_ref(first))?;
        let mut renamed = false;
        for record in &mut records {
            if let Event::TurnStarted { session, .. } = &mut record.event
                && *session != own
            {
                session.clone_from(&own);
                renamed = true;
            }
        }
        if renamed {
            first.bytes = encode_turn(&records)?;
        }
        return Ok(batches);
    }
    let mut records = engine::decode_batches(std::slice::from_ref(first))?;
    let mut renamed = false;
    for record in &mut records {
        if let pipeline::Event::RunStarted { session, .. } = &mut record.event
            && *session != own
        {
            session.clone_from(&own);
            renamed = true;
        }
    }
    if renamed {
        first.bytes = engine::encode_log(&records)?;
    }
    Ok(batches)
}

fn invalid(what: &str) -> Problem {
    Problem::new(ErrorCode::InvalidInput, what)
        .with_action("nothing of the session was brought over; ask whoever made the bundle for a new one")
}
