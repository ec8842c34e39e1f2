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

use domain::{Digest, ErrorCode, Problem};
use environment::Step;
use futures_util::future::try_join;
use protocol::{ImportDone, ImportOptions, JobKind, JobState, Tag};
use support::blocking;
use tokio::sync::mpsc;
use transfer::programs::FileBytes;
use transfer::{Limits, Report, Transcript, craft, read_jsonl};

use crate::ImportExport;
use crate::files::{FileAccess, FileDestination, place_files};
use crate::placement::{SameName, WorkspaceFiles, placed};
use crate::preview::{PlaceContents, detect};
use crate::references::Names;
use crate::session_names::Naming;
use crate::session_sink::SessionSink;

/// Sessions of a group, and about how many bytes of text it holds.
const GROUP: usize = 512;
const GROUP_BYTES: usize = 16 << 20;

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
