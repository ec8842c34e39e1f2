//! Bringing sessions over.
//!
//! Sessions go through three steps, a group at a time and each group behind the one before: they are read, become commits that
//! are ready to be written, and are stored in one transaction. A group is noted before anything of it is stored, and noted as
//! done in the transaction that follows its last commit. Ids of runs are derived from what is read, so an import that was cut
//! short goes on where it was, and one that is made twice adds nothing.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::{Digest, ErrorCode, Mode, Problem, SessionSetup};
use engine::turn::told_commits;
use environment::Step;
use futures_util::future::try_join;
use protocol::{ImportDone, ImportOptions, JobKind, JobState, Tag};
use store::{Bulk, Commit, Imported, NewSession, SessionUpdate};
use support::{blocking, is_session_id, now_ms};
use tokio::sync::mpsc;
use transfer::programs::FileBytes;
use transfer::{Limits, Report, Transcript, craft, read_jsonl};

use crate::ImportExport;
use crate::commits::{commit_bulk, commit_bytes, commit_one};
use crate::files::{FileAccess, FileDestination, copy_session_files, place_files, put_attachments};
use crate::placement::{SameName, WorkspaceFiles, placed};
use crate::preview::{PlaceContents, detect};
use crate::references::Names;
use crate::renewal::{Earlier, name_by_content, renewed};
use crate::research::{Researched, research_of};
use crate::turns::turns;

/// The kind of a staged run, which has a document.
const RUN_KIND: &str = "run";
/// The longest label with its value, in bytes.
const MAX_LABEL_BYTES: usize = 200;
/// Sessions of a group, and about how many bytes of text it holds.
const GROUP: usize = 512;
const GROUP_BYTES: usize = 16 << 20;
/// Bytes from which a bulk is stored, and those from which a commit goes alone.
const BULK_BYTES: u64 = 8 << 20;
const ALONE: usize = 200 << 10;
/// Ids of new sessions that are told.
const TOLD: usize = 200;
/// The most characters of a title.
const MAX_TITLE_CHARS: usize = 200;

/// A session that can't be read: its file or folder, and why.
pub type Unreadable = (PathBuf, String);

/// What is stale after an import.
const CHANGED: [Tag; 7] =
    [Tag::Sessions, Tag::Runs, Tag::Sources, Tag::Agents, Tag::Skills, Tag::Organisation, Tag::Themes];

/// A session that was read.
pub struct Incoming {
    /// What names it, wherever it is read from.
    pub source: Digest,
    pub transcript: Transcript,
    /// Its own files: from where, and where below the session's folder.
    pub files: Vec<craft::Folder>,
    /// Documents that research in it made.
    pub research: Vec<craft::ResearchDocument>,
    pub report: Report,
    /// Where it was read, for the report.
    pub place: String,
    /// Whether its working folders may be taken over: they were the person's own.
    pub own: bool,
    /// Its files that lie nowhere: those of an archive, and those that stood in a text.
    pub attachments: Vec<FileBytes>,
    /// Whether what went on there since an earlier import is taken along.
    pub renews: bool,
}

impl Incoming {
    fn bytes(&self) -> usize {
        let of = |message: &transfer::Message| {
            message.text.len() + message.tool.as_ref().map_or(0, |tool| tool.output.len() + 256)
        };
        let files: usize = self.attachments.iter().map(|file| file.bytes.len()).sum();
        self.transcript.messages.iter().map(of).sum::<usize>() + files
    }
}

/// A session with the id that it gets here.
struct Named {
    incoming: Incoming,
    session: String,
    /// Whether all of it was here before.
    known: bool,
    /// What is here of one that is known and may have gone on.
    earlier: Option<Earlier>,
}

impl ImportExport {
    /// Begins an import as a job.
    pub async fn import_run(&self, of: ImportOptions) -> Result<JobState, Problem> {
        let path = PathBuf::from(&of.path);
        let seen = {
            let path = path.clone();
            blocking(move || detect(&path)).await?
        };
        let step = self.env.begin_job(JobKind::Import, of.path.clone())?;
        let state = step.state();
        let (local, job) = (self.clone(), state.job.clone());
        tokio::spawn(async move {
            let mut import = Import {
                cancel: step.cancel.clone(),
                step,
                done: ImportDone::default(),
                taken: HashSet::new(),
                names: Names::default(),
                local: local.clone(),
            };
            let ended = import.run(seen, &path, &of).await;
            let Import { step, mut done, .. } = import;
            done.problem = ended.as_ref().err().cloned();
            let text = summary(&done);
            let warnings: Vec<String> = done
                .report
                .lines
                .iter()
                .map(|line| format!("{} {}: {}", line.kind, line.what, line.why))
                .collect();
            local.outcomes.keep(job, done);
            // What is there is there, whether the rest came or not.
            local.env.stream.tell(&CHANGED);
            step.end(ended.map(|()| text), warnings, &CHANGED);
        });
        Ok(state)
    }
}

/// An import under way.
pub struct Import {
    pub local: ImportExport,
    pub step: Step,
    pub cancel: Arc<AtomicBool>,
    pub done: ImportDone,
    /// Ids that sessions of this import got.
    pub taken: HashSet<String>,
    /// What agents and sources of this import are called here.
    pub names: Names,
}

impl Import {
    async fn run(&mut self, seen: PlaceContents, path: &Path, of: &ImportOptions) -> Result<(), Problem> {
        match seen {
            PlaceContents::Bundle => self.bundle(path, of).await,
            PlaceContents::Transcript => {
                let path = path.to_owned();
                let incoming = blocking(move || transcript_of(&path)).await?;
                self.store(vec![incoming]).await
            }
            PlaceContents::CraftSession => self.sessions(vec![path.to_owned()]).await,
            PlaceContents::Program(program) => self.program(path, program, of).await,
            PlaceContents::Craft => {
                let root = path.to_owned();
                let survey = blocking(move || Ok(craft::survey(&root, &Limits::default()))).await?;
                self.craft(survey, of).await
            }
        }
    }

    async fn craft(&mut self, survey: craft::Survey, of: &ImportOptions) -> Result<(), Problem> {
        if let Some(path) = &survey.credentials {
            let why = "keys and tokens are brought over by their own step: `agentnative secrets import`, or Settings";
            self.done.report.leave_out("credential", "credentials.enc", why, &path.display().to_string());
        }
        let chosen = |slug: &String| of.workspaces.is_empty() || of.workspaces.contains(slug);
        let mut workspaces = survey.workspaces;
        workspaces.retain(|workspace| chosen(&workspace.slug));
        let (mut secrets, mut sessions) = (Vec::new(), Vec::new());
        for workspace in &mut workspaces {
            secrets.append(&mut workspace.secrets);
            sessions.append(&mut workspace.sessions);
        }
        if !of.sessions_only {
            self.step.progress("Bringing the workspace's files over", 0, 0);
            let files =
                workspaces.into_iter().map(|workspace| (workspace.files, workspace.borrowed)).collect();
            self.place(files, survey.themes, of).await?;
            for secret in &mut secrets {
                let here = self.names.name_of(workspace::ShippedKind::Source, &secret.source).to_owned();
                secret.source = here;
            }
            // What became of names stands first.
            self.done.report.take(survey.report);
            self.secrets(secrets, of.take_secrets).await;
        } else {
            self.done.report.take(survey.report);
        }
        self.sessions(sessions).await
    }

    /// Decides on the files of workspaces and writes them.
    pub async fn place(
        &mut self,
        workspaces: Vec<WorkspaceFiles>,
        themes: Vec<craft::NewFile>,
        of: &ImportOptions,
    ) -> Result<(), Problem> {
        let place = FileDestination { files: self.local.env.files(), home: self.local.env.home.clone() };
        let same_name = SameName::from(of.replace_built_in);
        let (mut placement, written) = blocking(move || {
            let placement = placed(&place, workspaces, same_name)?;
            let written = place_files(&place, &placement.files, &themes, same_name, FileAccess::Write);
            Ok((placement, written))
        })
        .await?;
        self.done.report.take(std::mem::take(&mut placement.report));
        self.done.report.take(written);
        self.names.join(placement.names);
        Ok(())
    }

    /// Plain secrets go into the vault when the person said so, and nowhere otherwise.
    async fn secrets(&mut self, secrets: Vec<craft::PlainSecret>, take: bool) {
        for secret in secrets {
            let name = format!("source/{}/{}", secret.source, secret.vault);
            let place = format!("sources/{}/config.json", secret.source);
            if !take {
                let why = "it stood in plain text and was not copied; store it in the vault under this name";
                self.done.report.leave_out("secret", &name, why, &place);
                continue;
            }
            let (vault, under) = (self.local.registry.vault().clone(), name.clone());
            let value = secrets::SecretString::from(secret.value);
            match blocking(move || vault.put(&under, &value).map_err(Problem::from)).await {
                Ok(()) => self.done.report.change(
                    "secret",
                    &name,
                    "it stood in plain text and is in the vault now",
                    &place,
                ),
                Err(problem) => {
                    let why = format!("it could not be put into the vault: {}", problem.message);
                    self.done.report.leave_out("secret", &name, why, &place);
                }
            }
        }
    }

    /// Sessions of Craft Agent, the one changed last at the end: a list has what was stored last at its top.
    async fn sessions(&mut self, mut folders: Vec<PathBuf>) -> Result<(), Problem> {
        let (total, home, names) = (folders.len() as u64, self.local.env.home.clone(), self.names.clone());
        let all = move || {
            let limits = Limits::default();
            folders.sort_by_cached_key(|folder| {
                (craft::last_activity(folder, &limits), folder.file_name().map(ToOwned::to_owned))
            });
            folders.into_iter().map(move |folder| {
                craft_session(&folder, &home, &names).map_err(|why| (folder, why.to_string()))
            })
        };
        self.stream(total, all).await
    }

    /// Sessions as they are read, about `total` of them.
    pub async fn stream<I>(
        &mut self,
        total: u64,
        all: impl FnOnce() -> I + Send + 'static,
    ) -> Result<(), Problem>
    where
        I: Iterator<Item = Result<Incoming, Unreadable>>,
    {
        let (send, mut groups) = mpsc::channel::<Vec<Result<Incoming, Unreadable>>>(1);
        let cancel = self.cancel.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let (mut group, mut bytes) = (Vec::new(), 0);
            for read in all() {
                if cancel.load(Ordering::Relaxed) {
                    return;
                }
                bytes += read.as_ref().map_or(0, Incoming::bytes);
                group.push(read);
                if group.len() >= GROUP || bytes >= GROUP_BYTES {
                    bytes = 0;
                    if send.blocking_send(std::mem::take(&mut group)).is_err() {
                        return;
                    }
                }
            }
            let _ = send.blocking_send(group);
        });
        let (send, made) = mpsc::channel(1);
        let Self { local, step, cancel, done, taken, names: _ } = self;
        let mut naming = Naming { local, taken, sources: HashMap::new() };
        let mut storing = SessionSink { local, done };
        let making = async move {
            while let Some(group) = groups.recv().await {
                let read = group.len() as u64;
                let (mut good, mut bad) = (Vec::with_capacity(group.len()), Vec::new());
                for session in group {
                    match session {
                        Ok(incoming) => good.push(incoming),
                        Err(unreadable) => bad.push(unreadable),
                    }
                }
                let made = naming.make(good).await?;
                // Nobody takes it when storing has failed, and that is the error.
                if send.send((read, bad, made)).await.is_err() {
                    break;
                }
            }
            Ok(())
        };
        let storing = async move {
            let (mut made, mut read) = (made, 0);
            while let Some((number, bad, group)) = made.recv().await {
                read += number;
                for (folder, why) in bad {
                    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
                    let (name, place) = (name.unwrap_or_default(), folder.display().to_string());
                    storing.done.report.leave_out("session", &name, why, &place);
                }
                storing.store(group).await?;
                step.progress("Bringing sessions over", read, total);
                if cancel.load(Ordering::Relaxed) {
                    return Err(stopped());
                }
            }
            Ok(())
        };
        try_join(making, storing).await?;
        reading
            .await
            .map_err(|error| Problem::new(ErrorCode::Internal, format!("reading ended early: {error}")))
    }

    /// Stores a group of sessions.
    pub async fn store(&mut self, group: Vec<Incoming>) -> Result<(), Problem> {
        let Self { local, done, taken, .. } = self;
        let made = Naming { local, taken, sources: HashMap::new() }.make(group).await?;
        SessionSink { local, done }.store(made).await
    }
}

/// Gives sessions their ids.
struct Naming<'a> {
    local: &'a ImportExport,
    taken: &'a mut HashSet<String>,
    /// What this import brought already: it may not be stored yet.
    sources: HashMap<Digest, String>,
}

impl Naming<'_> {
    /// What a group becomes.
    async fn make(&mut self, group: Vec<Incoming>) -> Result<Group, Problem> {
        let mut named = Vec::with_capacity(group.len());
        let store = self.local.env.store();
        let sources: Vec<[u8; 32]> = group.iter().map(|incoming| incoming.source.0).collect();
        let before = store.imported_of(&sources).await?;
        let mut ids: Vec<String> = group.iter().map(id_wanted).collect();
        ids.extend(before.values().map(|before| before.session.clone()));
        let there = store.known_sessions(&ids).await?;
        for incoming in group {
            let mut named_one = self.named(incoming, &before, &there).await?;
            if named_one.known && named_one.incoming.renews && named_one.earlier.is_none() {
                named_one.earlier = Some(Earlier::find(&self.local.env, &named_one.session).await?);
            }
            self.sources.insert(named_one.incoming.source, named_one.session.clone());
            named.push(named_one);
        }
        let workspace = self.local.env.stored_slug();
        blocking(move || grouped(named.into_iter().map(|named| make(named, &workspace)))).await
    }

    /// The id that a session gets: the one of an earlier import of the same, its own, or that with a number. `before` is what
    /// earlier imports brought of its group, `there` the ids that are taken of those that its group wants.
    async fn named(
        &mut self,
        incoming: Incoming,
        before: &HashMap<[u8; 32], Imported>,
        there: &HashSet<String>,
    ) -> Result<Named, Problem> {
        if let Some(session) = self.sources.get(&incoming.source) {
            let earlier = incoming.renews.then(Earlier::stays);
            return Ok(Named { session: session.clone(), incoming, known: true, earlier });
        }
        if let Some(before) = before.get(&incoming.source.0) {
            let there = there.contains(&before.session);
            // A session that was deleted since is wanted again, or it would not be imported again.
            if there || !before.done {
                self.taken.insert(before.session.clone());
                let (session, known) = (before.session.clone(), before.done && there);
                return Ok(Named { incoming, session, known, earlier: None });
            }
        }
        let mut incoming = incoming;
        let own = incoming.transcript.header.id.clone();
        let base = id_wanted(&incoming);
        let mut session = base.clone();
        let mut number = 1;
        while self.taken.contains(&session)
            || (number == 1 && there.contains(&session))
            || (number > 1 && self.local.env.store().get_session(&session).await?.is_some())
            || self.local.env.home.join("sessions").join(&session).exists()
        {
            number += 1;
            session = format!("{base}-{number}");
        }
        // Conversations of other programs have no id that could be one here.
        if session != own && !own.is_empty() {
            let why = format!("its id is taken or can't be one; here it is {session}");
            incoming.report.change("session", &own, why, &incoming.place);
        }
        self.taken.insert(session.clone());
        Ok(Named { incoming, session, known: false, earlier: None })
    }
}

/// The id that a session would have: its own, or one that is made of what names it.
fn id_wanted(incoming: &Incoming) -> String {
    let own = &incoming.transcript.header.id;
    if is_session_id(own) && transfer::is_id(own) {
        own.clone()
    } else {
        format!("imported-{}", incoming.source.short())
    }
}

/// Hands over what sessions became.
struct SessionSink<'a> {
    local: &'a ImportExport,
    done: &'a mut ImportDone,
}

impl SessionSink<'_> {
    async fn store(&mut self, group: Group) -> Result<(), Problem> {
        let store = self.local.env.store();
        let begun: Vec<([u8; 32], String)> = group
            .made
            .iter()
            .filter(|made| !made.known)
            .map(|made| (made.source.0, made.session.clone()))
            .collect();
        store.begin_imports(&begun, now_ms()).await?;
        let Group { bulks, mut made } = group;
        if made.iter().any(|made| !made.files.is_empty() || !made.attachments.is_empty()) {
            let home = self.local.env.home.clone();
            made = blocking(move || {
                for made in &mut made {
                    let files = std::mem::take(&mut made.files);
                    copy_session_files(&home, &made.session, files, &mut made.report);
                    let files = std::mem::take(&mut made.attachments);
                    put_attachments(&home, &made.session, files, &mut made.report);
                }
                Ok(made)
            })
            .await?;
        }
        let mut ended = Vec::new();
        // By run: its session, and how far it goes.
        let (mut told, mut met) = (HashMap::new(), Vec::new());
        let mut documents: Vec<Researched> = Vec::new();
        let mut bulks = bulks.into_iter().peekable();
        for (place, made) in made.into_iter().enumerate() {
            while let Some((_, bulk)) = bulks.next_if(|(until, _)| *until <= place) {
                met.extend(commit_bulk(store, bulk).await?);
            }
            let ImportedSession {
                session,
                source,
                ends,
                alone,
                update,
                report,
                messages,
                known,
                failed,
                renewed,
                files: _,
                attachments: _,
                research,
            } = made;
            self.done.report.take(report);
            if let Some(problem) = failed {
                self.done.report.leave_out("session", &session, problem.message, "");
                continue;
            }
            told.extend(ends.into_iter().map(|(run, last)| (run, (session.clone(), last))));
            for commit in alone {
                met.extend(commit_one(store, commit).await?);
            }
            // What was there whole has nothing new; a turn that it got elsewhere since is stored all the same.
            if known {
                self.done.known += 1;
                self.done.renewed += u32::from(renewed);
                continue;
            }
            documents.extend(research);
            ended.push((source.0, session.clone(), update));
            self.done.imported += 1;
            self.done.messages += messages;
            if self.done.sessions.len() < TOLD {
                self.done.sessions.push(session);
            }
            self.done.report.keep("session", 1);
            self.done.report.keep("message", messages);
        }
        for (_, bulk) in bulks {
            met.extend(commit_bulk(store, bulk).await?);
        }
        for run in met {
            if let Some((session, last)) = told.get(&run)
                && store.last_seq(&run).await? < *last
            {
                let why = "its last turn went on there after it was brought over; here it stays as it was";
                self.done.report.change("session", session, why, "");
            }
        }
        for document in documents {
            self.document(document).await?;
        }
        store.end_imports(&ended, now_ms()).await?;
        Ok(())
    }

    /// Stores a document of research: it is found, and may be followed up.
    async fn document(&mut self, document: Researched) -> Result<(), Problem> {
        let Researched { commit, session, name } = document;
        let run = commit.run.clone();
        commit_one(self.local.env.store(), commit).await?;
        // What can't be read is found by its title only.
        let passages = self.local.sessions.passages_of(&run, RUN_KIND).await.unwrap_or_default();
        self.local.env.store().index_run(&run, passages).await?;
        self.done.report.bring(
            "document",
            &name,
            format!("shown, searched and to be followed up in {session}"),
            "",
        );
        Ok(())
    }
}

/// A group of sessions, ready to be stored.
#[derive(Default)]
struct Group {
    /// The commits of most of them, each with the number of sessions before its end: they are stored in their order.
    bulks: Vec<(usize, Bulk)>,
    made: Vec<ImportedSession>,
}

/// Gathers what sessions became. Those with long turns are stored commit by commit.
fn grouped(all: impl Iterator<Item = ImportedSession>) -> Result<Group, Problem> {
    let mut group = Group::default();
    let mut bulk = Bulk::default();
    for mut made in all {
        let goes_along =
            |commit: &Commit| commit.expect_seq == 0 && commit.is_whole() && commit_bytes(commit) < ALONE;
        let alone = made.failed.is_some() || !made.alone.iter().all(goes_along);
        if alone || bulk.bytes() >= BULK_BYTES {
            group.bulks.push((group.made.len(), std::mem::take(&mut bulk)));
        }
        if !alone {
            made.alone.drain(..).try_for_each(|commit| bulk.push(commit))?;
        }
        group.made.push(made);
    }
    group.bulks.push((group.made.len(), bulk));
    Ok(group)
}

/// What a session becomes.
struct ImportedSession {
    session: String,
    source: Digest,
    /// Its runs, and how far each goes.
    ends: Vec<(String, u64)>,
    /// Commits that are stored one by one.
    alone: Vec<Commit>,
    /// Files that go into its folder.
    files: Vec<craft::Folder>,
    attachments: Vec<FileBytes>,
    /// Whether it was here and went on since.
    renewed: bool,
    /// Documents that research in it made, as runs.
    research: Vec<Researched>,
    update: SessionUpdate,
    report: Report,
    messages: u64,
    known: bool,
    failed: Option<Problem>,
}

fn make(named: Named, workspace: &str) -> ImportedSession {
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

/// What names a session, wherever it is read from: its id, its beginning and its first message.
pub fn source_of(kind: &str, transcript: &Transcript) -> Digest {
    let header = &transcript.header;
    let first = transcript.messages.first().map_or("", |message| message.id.as_str());
    Digest::of(format!("{kind}\0{}\0{}\0{first}", header.id, header.created_at))
}

fn craft_session(folder: &Path, home: &Path, names: &Names) -> Result<Incoming, transfer::JsonlError> {
    // Paths in its texts lead to where its files go. The id is settled later; only a clash changes it.
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let here = home.join("sessions").join(&name).display().to_string();
    let mut read = craft::read_session(folder, &here, &Limits::default())?;
    let source = source_of("craft", &read.transcript);
    for slug in &mut read.transcript.header.sources {
        let here = names.name_of(workspace::ShippedKind::Source, slug).to_owned();
        *slug = here;
    }
    for document in &mut read.research {
        let here = names.name_of(workspace::ShippedKind::Agent, &document.agent).to_owned();
        document.agent = here;
    }
    let place = folder.display().to_string();
    Ok(Incoming {
        source,
        transcript: read.transcript,
        files: read.files,
        research: read.research,
        report: read.report,
        place,
        own: true,
        attachments: Vec::new(),
        renews: false,
    })
}

/// A session of this program, as lines of JSON.
pub fn transcript_of(path: &Path) -> Result<Incoming, Problem> {
    let wrong = |why: String| {
        Problem::new(ErrorCode::InvalidInput, why).with_action("choose a file that this program exported")
    };
    let (file, _) = transfer::open_plain(path).map_err(|error| wrong(error.to_string()))?;
    let place = path.display().to_string();
    let mut report = Report::default();
    let reader = std::io::BufReader::with_capacity(1 << 16, file);
    let transcript = read_jsonl(reader, &Limits::default(), &place, &mut report)
        .map_err(|error| wrong(error.to_string()))?;
    let source = source_of("transcript", &transcript);
    Ok(Incoming {
        source,
        transcript,
        files: Vec::new(),
        research: Vec::new(),
        report,
        place,
        own: false,
        attachments: Vec::new(),
        renews: false,
    })
}

pub fn stopped() -> Problem {
    Problem::new(
        ErrorCode::Cancelled,
        "the import was stopped; what is there stays, and running it again goes on",
    )
}

fn summary(done: &ImportDone) -> String {
    let sessions = match done.imported {
        1 => "1 session".to_owned(),
        number => format!("{number} sessions"),
    };
    let known = match (done.known, done.renewed) {
        (0, _) => String::new(),
        (number, 0) => format!(", {number} were here already"),
        (number, renewed) => format!(", {number} were here already, {renewed} of them renewed"),
    };
    format!("{sessions} with {} messages{known}", done.messages)
}
