//! What a surface can ask, and what it is answered. [`crate::COMMANDS`] says the rest about each command.

use domain::{PauseId, Problem, RunId, StageId};
use engine::{Answered, Attend, Exit, Reply, StartRun};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wire::{
    AgentRow, AgentView, ApiEvent, AppInfo, BaseGraph, BaseRow, BaseView, Check, ConnectionPreset,
    ConnectionRow, ConnectionSave, ConnectionTest, ConnectionView, DocumentText, Draft, ExportFormat,
    Exported, Forecast, ForecastQuery, ImportedCredentials, IngestPreview, IngestRequest, JobState,
    KnowledgeCatalog, ModelPatch, ParagraphPage, ParagraphView, RunPage, RunRef, RunState, SearchExplained,
    SearchHit, SessionCounts, SessionPage, SessionPatch, SessionQuery, SessionState, Settings, SettingsPatch,
    SignIn, SourceRow, SourceTest, SourceView, StageDetail, UsageQuery, UsageRow, UsageSummary,
    VaultProtection, VaultStatus, WorkspaceRow,
};

/// A command with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "command", content = "params")]
pub enum Request {
    /// Starts a run.
    RunStart(Box<StartRun>),
    /// Goes on with a run that was interrupted, waits, or failed.
    RunResume {
        /// The run.
        run: RunRef,
        /// How pauses are answered.
        #[serde(default)]
        attend: Attend,
    },
    /// Answers a pause.
    RunAnswer {
        /// The run.
        run: RunId,
        /// The pause; without it the one that is open.
        pause: Option<PauseId>,
        /// The reply.
        reply: Box<Reply>,
        /// How further pauses are answered.
        #[serde(default)]
        attend: Attend,
    },
    /// Queues text for the run's next pause or stage.
    RunGuide {
        /// The run.
        run: RunId,
        /// The text.
        text: String,
    },
    /// Ends a run for good.
    RunCancel {
        /// The run.
        run: RunRef,
    },
    /// Stops a run so that it can be resumed.
    RunSuspend {
        /// The run.
        run: RunId,
    },
    /// Lists runs, newest first.
    RunList {
        /// The most runs; at most 1,000.
        limit: u32,
        /// Only of this agent.
        agent: Option<String>,
        /// Only with this status.
        status: Option<String>,
        /// Continues a list: the `next` of the page before.
        before: Option<i64>,
    },
    /// A run's state.
    RunShow {
        /// The run.
        run: RunRef,
        /// Events after this number, at most 1,000; without it none.
        events_after: Option<u64>,
        /// Whether outputs are given too.
        #[serde(default)]
        outputs: bool,
    },
    /// A stage with what it was shown, its calls and its output.
    RunStage {
        /// The run.
        run: RunId,
        /// The stage.
        stage: StageId,
    },
    /// Writes a run's files again. Refused when a sentence's record does not hold any more.
    RunExport {
        /// The run.
        run: RunRef,
        /// Whether the records are left unchecked; then the files say so.
        #[serde(default)]
        unchecked: bool,
    },
    /// A finished run's document.
    RunDocument {
        /// The run.
        run: RunRef,
    },
    /// Lists sessions.
    SessionList(SessionQuery),
    /// How many sessions each view has.
    SessionCounts,
    /// A session with its newest runs.
    SessionShow {
        /// The session.
        session: String,
        /// Older runs: the `earlier` of the page before.
        before: Option<i64>,
        /// The most runs; at most 50, 0 for 10.
        #[serde(default)]
        limit: u32,
    },
    /// Changes what a person set on sessions, all of them at once.
    SessionUpdate {
        /// The sessions; at most 1,000.
        sessions: Vec<String>,
        /// The new values.
        patch: SessionPatch,
    },
    /// Deletes sessions for good, with their runs, payloads and files. Only deleted ones; without names all of them.
    SessionPurge {
        /// The sessions.
        sessions: Vec<String>,
    },
    /// Exports a session. Documents are refused when a sentence's record does not hold any more.
    SessionExport {
        /// The session.
        session: String,
        /// As what.
        format: ExportFormat,
        /// Whether the records are left unchecked; then the documents say so.
        #[serde(default)]
        unchecked: bool,
    },
    /// Keeps something typed; an empty text removes it.
    DraftSave {
        /// Where it was typed.
        key: String,
        /// The text; at most 200,000 bytes.
        text: String,
    },
    /// Something typed before.
    DraftShow {
        /// Where it was typed.
        key: String,
    },
    /// A paragraph with its surroundings.
    ParagraphShow {
        /// Its base; with `run` that run's.
        base: Option<String>,
        /// Reads the base and generation that this run read.
        run: Option<RunId>,
        /// Its id, or a reference such as `ISA 320.10`.
        id: String,
        /// Quotes to find in it.
        #[serde(default)]
        quotes: Vec<String>,
    },
    /// Lists agents, broken ones included.
    AgentList,
    /// An agent.
    AgentShow {
        /// Its folder name.
        slug: String,
    },
    /// Lists sources.
    SourceList,
    /// A source.
    SourceShow {
        /// Its folder name.
        slug: String,
    },
    /// Starts a source, lists its tools and ends it again.
    SourceTest {
        /// Its folder name.
        slug: String,
    },
    /// Lists knowledge bases.
    BaseList,
    /// A knowledge base.
    BaseShow {
        /// Its name.
        base: String,
    },
    /// Paragraphs of a base in its order.
    BaseParagraphs {
        /// Its name.
        base: String,
        /// Only of this document.
        document: Option<String>,
        /// How many are passed over.
        #[serde(default)]
        after: u32,
        /// The most paragraphs; at most 200, 0 for 50.
        #[serde(default)]
        limit: u32,
    },
    /// Searches a base and explains what it finds.
    BaseSearch {
        /// Its name.
        base: String,
        /// The query.
        text: String,
        /// The most hits; at most 100, 0 for 20.
        #[serde(default)]
        limit: u32,
        /// How far references are followed, at most 2.
        #[serde(default)]
        hops: u32,
    },
    /// Searches several bases at once and explains what it finds.
    KnowledgeSearch {
        /// The query.
        text: String,
        /// Their names; empty for all.
        #[serde(default)]
        bases: Vec<String>,
        /// How many hits are passed over.
        #[serde(default)]
        after: u32,
        /// The most hits; at most 100, 0 for 20.
        #[serde(default)]
        limit: u32,
        /// How far references are followed, at most 2.
        #[serde(default)]
        hops: u32,
    },
    /// A paragraph's surroundings along cross-references.
    BaseGraph {
        /// The base's name.
        base: String,
        /// The paragraph.
        id: String,
        /// How far references are followed, 1 to 3.
        #[serde(default)]
        depth: u32,
    },
    /// What can be downloaded, and which rule sets there are.
    KnowledgeCatalog,
    /// Shows what an ingest would recognise; stores nothing.
    BasePreview(IngestRequest),
    /// Makes files into a base, or a new generation of one.
    BaseIngest(IngestRequest),
    /// Downloads an openly licensed text, or a file from an address, and makes it a base.
    BaseAdd {
        /// A name of the catalog, or an address that begins with `https://`.
        name: String,
        /// The base's name; needed for an address.
        #[serde(default)]
        base: String,
        /// Whether the person has accepted its licence.
        accepted: bool,
        /// The model for vectors; empty for none.
        #[serde(default)]
        model: String,
    },
    /// Downloads a model for vectors.
    ModelAdd {
        /// Its name in the catalog.
        name: String,
        /// Whether the person has accepted its licence.
        accepted: bool,
    },
    /// Ingests a base again whenever its files change, or no longer.
    BaseWatch {
        /// Its name.
        base: String,
        /// Whether it is watched.
        on: bool,
    },
    /// Removes a base with all its generations.
    BaseRemove {
        /// Its name.
        base: String,
    },
    /// Lists jobs of this process, newest first.
    JobList,
    /// Stops a job.
    JobCancel {
        /// The job.
        job: String,
    },
    /// What the person set.
    SettingsShow,
    /// Changes settings.
    SettingsUpdate(SettingsPatch),
    /// Lists workspaces.
    WorkspaceList,
    /// Lists connections to model providers, the offline engine first.
    ConnectionList,
    /// A connection with its models.
    ConnectionShow {
        /// Its slug.
        slug: String,
    },
    /// Forms for new connections.
    ConnectionPresets,
    /// Adds or changes a connection. Its secret goes into the vault and is never given out.
    ConnectionSave(Box<ConnectionSave>),
    /// Removes a connection and its secrets. Sessions that used it say so and take another.
    ConnectionRemove {
        /// Its slug.
        slug: String,
    },
    /// Asks a model one real question and says in words how it went.
    ConnectionTest {
        /// Its slug.
        slug: String,
        /// The model; without it the connection's default, else one that it lists.
        #[serde(default)]
        model: Option<String>,
    },
    /// Tries a connection that is not kept yet.
    ConnectionTry(Box<ConnectionSave>),
    /// Asks the provider for its models now.
    ConnectionModels {
        /// Its slug.
        slug: String,
    },
    /// Keeps what the person says of a model: its window, what it can do, its price.
    ModelUpdate(ModelPatch),
    /// Signs in at a connection's OAuth service: gives the address to open in a browser.
    SignInBegin {
        /// The connection.
        slug: String,
    },
    /// How a sign-in stands.
    SignInShow {
        /// Its id.
        id: String,
    },
    /// Gives a sign-in up.
    SignInCancel {
        /// Its id.
        id: String,
    },
    /// The vault: what opens it and the names of what it holds.
    VaultShow,
    /// Opens the vault for as long as the program runs.
    VaultUnlock {
        /// The passphrase.
        passphrase: Hidden,
    },
    /// Closes it again.
    VaultLock,
    /// Changes what opens the vault; with the same protection: changes its key.
    VaultProtect {
        /// What is to open it.
        protection: VaultProtection,
        /// The new passphrase, where that is it.
        #[serde(default)]
        passphrase: Option<Hidden>,
    },
    /// Puts a secret into the vault under a name.
    SecretPut {
        /// Its name.
        name: String,
        /// The secret.
        value: Hidden,
    },
    /// Removes a secret.
    SecretRemove {
        /// Its name.
        name: String,
    },
    /// Takes credentials from a `credentials.enc` of Craft Agent.
    CredentialsImport {
        /// The file.
        path: String,
    },
    /// Adds up what was used.
    UsageShow(UsageQuery),
    /// Single requests, newest first; at most 1,000.
    UsageList {
        /// Which.
        query: UsageQuery,
        /// The most rows; 0 for 200.
        #[serde(default)]
        limit: u32,
    },
    /// Writes usage as CSV (RFC 4180), one request a row, into the data directory's `exports`.
    UsageExport(UsageQuery),
    /// What a run is likely to cost.
    RunForecast(ForecastQuery),
    /// Searches titles of everything.
    Search {
        /// The text.
        text: String,
        /// The most hits; at most 100, 0 for 20.
        #[serde(default)]
        limit: u32,
    },
    /// What the program is and where it keeps things.
    AppInfo,
    /// Looks whether everything is in order.
    AppCheck,
}

/// Text that is never printed: it goes inwards only.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Hidden(pub String);

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hidden(…)")
    }
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "answer", content = "value")]
#[allow(missing_docs)] // each is what its type says
pub enum Response {
    Run(RunId),
    Answered(Answered),
    Done,
    Runs(RunPage),
    RunState(Box<RunState>),
    StageDetail(Box<StageDetail>),
    /// The Markdown document's path, where there is one.
    Written(Option<String>),
    /// The document, where there is one.
    Document(Option<Box<DocumentText>>),
    Sessions(SessionPage),
    SessionCounts(SessionCounts),
    SessionState(Box<SessionState>),
    /// How many were deleted for good.
    Purged(u32),
    Exported(Exported),
    Draft(Option<Draft>),
    Paragraph(Box<ParagraphView>),
    Agents(Vec<AgentRow>),
    Agent(Box<AgentView>),
    Sources(Vec<SourceRow>),
    Source(Box<SourceView>),
    SourceTest(Box<SourceTest>),
    Bases(Vec<BaseRow>),
    Base(Box<BaseView>),
    Paragraphs(ParagraphPage),
    Hits(SearchExplained),
    Graph(BaseGraph),
    Catalog(KnowledgeCatalog),
    Preview(IngestPreview),
    /// The job that was begun.
    Job(JobState),
    Jobs(Vec<JobState>),
    Settings(Settings),
    Workspaces(Vec<WorkspaceRow>),
    Connections(Vec<ConnectionRow>),
    Connection(Box<ConnectionView>),
    Presets(Vec<ConnectionPreset>),
    Tested(Box<ConnectionTest>),
    SignIn(SignIn),
    Vault(VaultStatus),
    Imported(ImportedCredentials),
    Usage(Box<UsageSummary>),
    UsageRows(Vec<UsageRow>),
    Forecast(Box<Forecast>),
    Found(Vec<SearchHit>),
    AppInfo(AppInfo),
    Checks(Vec<Check>),
}

/// What a connection to a running instance carries, a line of JSON each way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// The first line of a client: the instance's token.
    Hello {
        /// The token.
        token: String,
    },
    /// The first line of an instance that knows the token.
    Welcome,
    /// A command.
    Request {
        /// Returned with the answer.
        id: u64,
        /// The command.
        request: Request,
    },
    /// A command's answer.
    Response {
        /// Of the command.
        id: u64,
        /// The answer.
        result: Result<Response, Problem>,
    },
    /// Something happened.
    Event(ApiEvent),
}

impl Response {
    /// How a run's status word ends a drive, where it does.
    pub fn exit_of(status: &str) -> Option<Exit> {
        match status {
            "completed" => Some(Exit::Completed),
            "paused" | "suspended" => Some(Exit::Paused),
            "failed" => Some(Exit::Failed),
            "cancelled" => Some(Exit::Cancelled),
            _ => None,
        }
    }
}
