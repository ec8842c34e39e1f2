//! What a caller writes at once, and its translation into a script and rows for the writer.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use sqlx::Arguments as _;
use sqlx::sqlite::SqliteArguments;

use crate::codec::pack;
use crate::error::{Result, StoreError};
use crate::hash::BlobHash;
use crate::rows::{EventsRow, Rows, part_of};
use crate::tables::blobs::Blob;
use crate::tables::model_calls::{self, NewModelCall};
use crate::tables::packs::PackPosition;
use crate::tables::passages::{self, MAX_PASSAGE_BYTES, Passage, Role};
use crate::tables::{runs, sessions};

/// Most bytes the events of one commit may have, uncompressed.
pub const MAX_EVENTS_BYTES: usize = 16 << 20;
/// Most bytes a run's `meta` may have, uncompressed.
pub(crate) const MAX_META_BYTES: usize = 4 << 20;
/// Most bytes of what a run is found by.
pub const MAX_WORDS_BYTES: usize = 4 << 10;
/// Most blobs, and most references, one commit may carry.
const MAX_BLOBS: usize = 1_000;
/// Most model calls one commit may tell of.
const MAX_MODEL_CALLS: usize = 1_000;
/// Most texts to find again in one commit.
const MAX_PASSAGES: usize = 1_000;

/// Most statements of the same text that are carried out at once, a power of two.
const JOINED_STATEMENTS: usize = 16;

/// When the answer to a commit may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Durability {
    /// When the commit survives the end of this process. A loss of power may undo it, together with
    /// everything after it up to the next [`Durability::Full`] commit, never anything before.
    Normal,
    /// When the commit survives a loss of power: after an fsync that also covers all earlier commits.
    #[default]
    Full,
}

/// One all-or-nothing change of one run.
#[derive(Debug, Clone, Default)]
pub struct Commit {
    /// Run id.
    pub run: String,
    /// Last sequence number the caller knows; 0 for a new run. Another number in the log is a
    /// [`StoreError::Conflict`].
    pub expect_seq: u64,
    /// Last sequence number after this commit: the events have the numbers `expect_seq + 1 ..= seq_last`.
    /// Equal to `expect_seq` when `events` is empty.
    pub seq_last: u64,
    /// Milliseconds since 1970; data, not order.
    pub at_ms: i64,
    /// All events of the commit, encoded by the caller. At most [`MAX_EVENTS_BYTES`].
    pub events: Vec<u8>,
    /// Payloads to store and to keep as long as the run exists. Large ones are stored once for all runs. Those beyond 1,000
    /// are stored ahead of the commit, but for a new run.
    pub blobs: Vec<Blob>,
    /// Payloads that are stored already, to be kept as long as this run exists, too.
    pub refs: Vec<BlobHash>,
    /// Requests to models that ended with these events. They outlive the run.
    pub model_calls: Vec<NewModelCall>,
    /// Texts to find again. A new run's first ones come with its creation.
    pub passages: Vec<Passage>,
    /// What changes in the list of runs.
    pub change: RunChange,
    /// When the answer may be given.
    pub durability: Durability,
}

/// What a commit does to the run's row.
#[derive(Debug, Clone, Default)]
#[expect(clippy::large_enum_variant, reason = "there is one in a commit, and never a list of them")]
pub enum RunChange {
    /// The row stays as it is.
    #[default]
    Keep,
    /// The run (and its session, if absent) begins with this commit.
    Create(NewRun),
    /// Some columns change.
    Update(RunUpdate),
}

/// The columns of a new run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewRun {
    /// The session it belongs to; created if absent, left as it is otherwise.
    pub session: NewSession,
    /// Slug of the agent.
    pub agent: String,
    /// Status word of the caller.
    pub status: String,
    /// Title for people.
    pub title: String,
    /// One line on how it stands.
    pub line: String,
    /// What it can be found by, cut at [`MAX_WORDS_BYTES`]; empty for its title.
    pub words: String,
    /// Whether the person is to look at it already.
    pub unread: bool,
    /// The slug of its connection: the session's, unless that has one. Empty for none.
    pub connection: String,
    /// Its model, kept with the connection.
    pub model: String,
    /// Id of the run this one follows.
    pub previous_run: Option<String>,
    /// What kind of run; empty for `run`.
    pub kind: String,
    /// The run that it works for: listed with that one alone, and gone with it.
    pub parent: Option<String>,
    /// Opaque bytes, at most 4 MiB.
    pub meta: Vec<u8>,
}

/// The columns of a new session; `created_at` is the commit's time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewSession {
    /// Id given by the caller.
    pub id: String,
    /// Title for people.
    pub title: String,
    /// What it is set to, as its owner writes it; empty for nothing.
    pub setup: String,
    /// Its workspace; empty for the default one.
    pub workspace: String,
}

/// New values for some columns of a run; `None` keeps the old one. `updated_at` becomes the commit's time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunUpdate {
    /// Status word of the caller.
    pub status: Option<String>,
    /// Title for people.
    pub title: Option<String>,
    /// One line on how it stands.
    pub line: Option<String>,
    /// Whether the person is to look at it: marks its session as unread.
    pub unread: bool,
    /// Opaque bytes, at most 4 MiB.
    pub meta: Option<Vec<u8>>,
}

/// A commit as the writer carries it out: a script with its values, rows, and what must hold before.
pub(crate) struct PreparedCommit {
    pub(crate) run: String,
    pub(crate) expect_seq: u64,
    pub(crate) seq_last: u64,
    pub(crate) creates: bool,
    pub(crate) durability: Durability,
    /// Bytes bound to the script: a measure for memory and for the growth of the write-ahead log.
    pub(crate) bytes: u64,
    /// Statements on the rows of its session and run. What `rows` says of the run needs them, and they need nothing of it.
    pub(crate) script: Script,
    /// What lies in tables of many rows.
    pub(crate) rows: Rows,
}

impl Commit {
    /// Takes payloads out that are too many for one commit, as a commit that goes ahead of this one and holds nothing else:
    /// what is lost between the two has left payloads with the run that nothing names. A run begins with its first event.
    pub(crate) fn take_ahead(&mut self) -> Option<Self> {
        if self.blobs.len() <= MAX_BLOBS || matches!(self.change, RunChange::Create(_)) {
            return None;
        }
        Some(Self {
            run: self.run.clone(),
            expect_seq: self.expect_seq,
            seq_last: self.expect_seq,
            at_ms: self.at_ms,
            blobs: self.blobs.drain(..MAX_BLOBS).collect(),
            durability: Durability::Normal,
            ..Self::default()
        })
    }

    /// Whether it brings every payload that it names.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let brought = |hash: BlobHash| self.blobs.iter().any(|blob| blob.hash() == hash);
        self.refs.is_empty() && self.passages.iter().all(|passage| brought(passage.blob))
    }
}

/// Commits that are ready to be written together: what takes time of them is done.
#[derive(Default)]
pub struct Bulk {
    pub(crate) commits: Vec<PreparedCommit>,
    bytes: u64,
}

impl Bulk {
    /// Adds a commit that is whole; compresses what it brings.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`], [`StoreError::Invalid`].
    pub fn push(&mut self, commit: Commit) -> Result<()> {
        check(&commit)?;
        if !commit.is_whole() {
            let detail = "a commit of a bulk brings every payload that it names".to_owned();
            return Err(StoreError::Invalid { detail });
        }
        let prepared = prepare(commit, &HashMap::new())?;
        self.bytes += prepared.bytes;
        self.commits.push(prepared);
        Ok(())
    }

    /// Bytes that will be written.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The runs of its commits, in order.
    pub fn runs(&self) -> impl Iterator<Item = &str> {
        self.commits.iter().map(|commit| commit.run.as_str())
    }
}

/// Bytes the caller handed over.
pub(crate) fn payload_bytes(commit: &Commit) -> u64 {
    let meta = match &commit.change {
        RunChange::Keep => 0,
        RunChange::Create(new) => new.meta.len(),
        RunChange::Update(update) => update.meta.as_ref().map_or(0, Vec::len),
    };
    let blobs: usize = commit.blobs.iter().map(|blob| blob.bytes().len()).sum();
    let passages: usize =
        commit.passages.iter().map(|passage| passage.text.len().min(MAX_PASSAGE_BYTES)).sum();
    (commit.events.len() + meta + blobs + passages) as u64
}

/// Compresses what shrinks and writes the script of a checked commit. `known` is where texts lie that it does not bring.
/// Runs where the caller runs, so that the writer does nothing but write.
pub(crate) fn prepare(commit: Commit, known: &HashMap<BlobHash, PackPosition>) -> Result<PreparedCommit> {
    let Commit {
        run,
        expect_seq,
        seq_last,
        at_ms,
        events,
        blobs,
        refs,
        model_calls,
        passages,
        change,
        durability,
    } = commit;
    let mut script = Script::default();
    let mut creates = false;
    let mut update = None;
    match change {
        RunChange::Keep => {}
        RunChange::Create(new) => {
            creates = true;
            let session = new.session;
            script.add(sessions::INSERT_IF_ABSENT).text(&session.id)?.int(at_ms)?.int(at_ms)?;
            script.text(&session.title)?.text(&folded(&session.title))?;
            script.text(&title_key(&session.title))?;
            if !session.workspace.is_empty() {
                script.add(sessions::SET_WORKSPACE_IF_NEW).text(&session.workspace)?.text(&session.id)?;
            }
            if !session.setup.is_empty() {
                script.add(sessions::SET_SETUP_IF_ABSENT).text(&session.setup)?.text(&session.id)?;
            }
            script.add(sessions::BRING_BACK).text(&session.id)?;
            if !new.connection.is_empty() {
                script.add(sessions::SET_MODEL_IF_ABSENT).text(&new.connection)?.text(&new.model)?;
                script.text(&session.id)?;
            }
            script.add(runs::INSERT).text(&run)?.text(&session.id)?.text(&new.agent)?.text(&new.status)?;
            // The comparison folds letters of ASCII by itself: such a title is not stored twice.
            let words = match (new.words.as_str(), new.title.is_ascii()) {
                ("", true) => String::new(),
                ("", false) => folded(&new.title),
                (words, _) => folded(words),
            };
            script.int(at_ms)?.int(at_ms)?.text(&new.title)?.text(&new.line)?.text(&words)?;
            script.maybe_text(new.previous_run.as_deref())?;
            script
                .text(if new.kind.is_empty() { "run" } else { &new.kind })?
                .maybe_text(new.parent.as_deref())?;
            script.packed(new.meta)?;
            if new.unread {
                script.add(sessions::MARK_UNREAD).text(&run)?;
            }
        }
        RunChange::Update(columns) => update = Some(columns),
    }
    for call in &model_calls {
        add_model_call(&mut script, &run, call)?;
    }
    if let Some(last) = passages.last() {
        script.add(passages::SAID);
        add_said(&mut script, &run, &passages, last)?;
    }
    if let Some(RunUpdate { status, title, line, unread, meta }) = update {
        script.add(runs::UPDATE).int(at_ms)?.maybe_text(status.as_deref())?.maybe_text(title.as_deref())?;
        script.maybe_text(line.as_deref())?;
        match meta {
            Some(meta) => script.packed(meta)?,
            None => script.null()?.null()?,
        };
        script.text(&run)?;
        if unread {
            script.add(sessions::MARK_UNREAD).text(&run)?;
        }
    }
    let (first, last) = (sequence(expect_seq + 1)?, sequence(seq_last)?);
    let mut rows = Rows::new(blobs, refs, passages, known);
    rows.events = (!events.is_empty()).then(|| EventsRow { first, last, at_ms, events: pack(events) });
    let bytes = script.bytes + rows.bytes();
    Ok(PreparedCommit { run, expect_seq, seq_last, creates, durability, bytes, script, rows })
}

fn add_model_call(script: &mut Script, run: &str, call: &NewModelCall) -> Result<()> {
    let NewModelCall { stage, connection, provider, model, .. } = call;
    script.add(model_calls::INSERT_KIND).text(run)?;
    script.text(stage)?.text(connection)?.text(provider)?.text(model)?;
    script.add(model_calls::INSERT).int(call.time())?.text(run)?;
    script.text(stage)?.text(connection)?.text(provider)?.text(model)?.int(call.flags())?;
    for tokens in call.tokens() {
        script.int(tokens)?;
    }
    script.int(call.nano())?.int(i64::try_from(call.ms).unwrap_or(i64::MAX))?.text(run)?.text(run)?;
    script.text(&call.call)?.int(i64::from(call.r#try))?.maybe_text(call.request_id.as_deref())?;
    Ok(())
}

/// The values of [`passages::SAID`].
pub(crate) fn add_said(script: &mut Script, run: &str, all: &[Passage], last: &Passage) -> Result<()> {
    let of = |role: Role| all.iter().filter(move |passage| passage.role == role);
    let newest = all.iter().map(|passage| passage.at_ms).max().unwrap_or_default();
    script
        .int(all.len() as i64)?
        .int(last.role.number())?
        .int(newest)?
        .int(of(Role::Document).count() as i64)?;
    script.text(&of(Role::User).next().map(Passage::preview).unwrap_or_default())?;
    script.int(of(Role::User).filter(|passage| passage.attachments).count() as i64)?.text(run)?;
    Ok(())
}

/// As texts are compared: lower case, cut.
pub(crate) fn folded(text: &str) -> String {
    let mut folded = text.to_lowercase();
    folded.truncate(folded.floor_char_boundary(MAX_WORDS_BYTES));
    folded
}

/// A title as the index of words has it; empty where that is the title itself.
pub(crate) fn title_key(title: &str) -> String {
    if title.is_ascii() { String::new() } else { text_analysis::joined(title) }
}

/// Checks `commit` on its own.
pub(crate) fn check(commit: &Commit) -> Result<()> {
    let invalid = |detail: &str| Err(StoreError::Invalid { detail: detail.to_owned() });
    if commit.run.is_empty() {
        return invalid("a run id is empty");
    }
    if commit.events.is_empty() != (commit.seq_last == commit.expect_seq)
        || commit.seq_last < commit.expect_seq
    {
        return invalid("seq_last is above expect_seq exactly when there are events");
    }
    if commit.blobs.len() > MAX_BLOBS || commit.refs.len() > MAX_BLOBS {
        return invalid("a commit carries at most 1000 blobs and 1000 references");
    }
    if commit.passages.len() > MAX_PASSAGES {
        return invalid("a commit holds at most 1000 texts to find again");
    }
    if commit.model_calls.len() > MAX_MODEL_CALLS {
        return invalid("a commit tells of at most 1000 model calls");
    }
    capped("the events of a commit", commit.events.len(), MAX_EVENTS_BYTES)?;
    match &commit.change {
        RunChange::Keep
            if commit.events.is_empty()
                && commit.blobs.is_empty()
                && commit.refs.is_empty()
                && commit.model_calls.is_empty() =>
        {
            invalid("the commit is empty")
        }
        RunChange::Keep => Ok(()),
        RunChange::Create(_) if commit.expect_seq != 0 => invalid("a new run begins after event 0"),
        RunChange::Create(new) if new.session.id.is_empty() => invalid("a session id is empty"),
        RunChange::Create(new) => capped("a run's meta", new.meta.len(), MAX_META_BYTES),
        RunChange::Update(update) => {
            capped("a run's meta", update.meta.as_ref().map_or(0, Vec::len), MAX_META_BYTES)
        }
    }
}

fn capped(what: &'static str, size: usize, cap: usize) -> Result<()> {
    if size > cap {
        return Err(StoreError::TooLarge { what, size: size as u64, cap: cap as u64 });
    }
    Ok(())
}

fn sequence(number: u64) -> Result<i64> {
    i64::try_from(number)
        .map_err(|_| StoreError::Invalid { detail: format!("sequence number {number} is too large") })
}

/// Statements and their values in order, built together so that they cannot get out of step.
#[derive(Default, Clone)]
pub(crate) struct Script {
    pub(crate) sql: String,
    /// Cheap to clone: the payloads are shared.
    values: Vec<Value>,
    /// The sessions that must be there, each changed by one row.
    sessions: Vec<String>,
    pub(crate) statements: usize,
    bytes: u64,
}

/// A value to be bound.
#[derive(Clone)]
enum Value {
    Int(Option<i64>),
    Text(Arc<str>),
    Blob(Arc<[u8]>),
}

/// One statement of a change outside of runs, carried out with its companions in one transaction.
pub(crate) struct Statement {
    /// Some of them are several statements, each for its own row.
    pub(crate) sql: Cow<'static, str>,
    pub(crate) values: SqliteArguments,
    /// The sessions that must be there, each changed by one row: if fewer rows changed, nothing changes.
    pub(crate) sessions: Vec<String>,
}

impl Statement {
    /// A statement with its values.
    pub(crate) fn new(sql: &'static str, values: impl FnOnce(&mut Script) -> Result<()>) -> Result<Self> {
        let mut script = Script::default();
        values(&mut script)?;
        Ok(Self { sql: Cow::Borrowed(sql), values: script.arguments()?, sessions: Vec::new() })
    }

    /// Statements that are carried out for each of some rows, in order: `sql` ends with a semicolon. A message to SQLite's thread
    /// costs more than most statements, so one takes [`JOINED_STATEMENTS`] of them, or half as many, and so on down to one.
    pub(crate) fn each<T>(
        sql: &str,
        rows: &[T],
        values: impl Fn(&mut Script, &T) -> Result<()>,
    ) -> Result<Vec<Self>> {
        let mut statements = Vec::new();
        let mut rest = rows;
        while !rest.is_empty() {
            let (these, others) = rest.split_at(part_of(rest.len(), JOINED_STATEMENTS));
            rest = others;
            let mut script = Script::default();
            these.iter().try_for_each(|row| values(&mut script, row))?;
            let sql = Cow::Owned(sql.repeat(these.len()));
            statements.push(Self { sql, values: script.arguments()?, sessions: script.sessions });
        }
        Ok(statements)
    }
}

impl Script {
    fn add(&mut self, sql: &'static str) -> &mut Self {
        self.sql.push_str(sql);
        self.statements += 1;
        self
    }

    /// Fails unless this session is there and changed.
    pub(crate) fn changing(&mut self, session: &str) -> &mut Self {
        self.sessions.push(session.to_owned());
        self
    }

    /// Its values, as they are bound.
    pub(crate) fn arguments(&self) -> Result<SqliteArguments> {
        let mut arguments = SqliteArguments::default();
        self.bind(&mut arguments)?;
        Ok(arguments)
    }

    /// Adds its values to those of another script before it.
    pub(crate) fn bind(&self, arguments: &mut SqliteArguments) -> Result<()> {
        let mut bound = self.values.iter().map(|value| match value {
            Value::Int(value) => arguments.add(*value),
            Value::Text(value) => arguments.add(Arc::clone(value)),
            Value::Blob(value) => arguments.add(Arc::clone(value)),
        });
        bound.try_for_each(|bound| bound.map_err(refused))
    }

    pub(crate) fn text(&mut self, value: &str) -> Result<&mut Self> {
        self.bytes += value.len() as u64;
        self.values.push(Value::Text(value.into()));
        Ok(self)
    }

    pub(crate) fn maybe_text(&mut self, value: Option<&str>) -> Result<&mut Self> {
        match value {
            Some(value) => self.text(value),
            None => self.null(),
        }
    }

    fn null(&mut self) -> Result<&mut Self> {
        self.maybe_int(None)
    }

    pub(crate) fn maybe_int(&mut self, value: Option<i64>) -> Result<&mut Self> {
        self.values.push(Value::Int(value));
        Ok(self)
    }

    pub(crate) fn int(&mut self, value: i64) -> Result<&mut Self> {
        self.maybe_int(Some(value))
    }

    pub(crate) fn blob(&mut self, value: Vec<u8>) -> Result<&mut Self> {
        self.bytes += value.len() as u64;
        self.values.push(Value::Blob(value.into()));
        Ok(self)
    }

    pub(crate) fn packed(&mut self, value: Vec<u8>) -> Result<&mut Self> {
        let packed = pack(value);
        self.int(packed.codec)?.blob(packed.data)
    }
}

pub(crate) fn refused(error: impl fmt::Display) -> StoreError {
    StoreError::Refused { operation: "binding a value", detail: error.to_string() }
}
