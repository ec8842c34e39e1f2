//! What a surface can ask, [`crate::COMMANDS`] says the rest about each command.

use domain::{PauseId, RunId, StageId};
use engine::{Attend, Reply, StartRun};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::frame::Hidden;
use crate::wire::{
    ApprovalVerdict, AttachmentAdd, AutomationEnable, AutomationFire, AutomationHistory, AutomationRef,
    AutomationSave, BackupNow, BackupRef, BackupRestore, BaseAdd, BaseParagraphs, BaseSearch, ConnectionSave,
    ContentQuery, DataCheck, DataClean, DraftKey, ExportFormat, ExportOf, ForecastQuery, GroupQuery,
    ImportFrom, ImportJob, ImportOf, IngestRequest, KnowledgeSearch, LabelEdit, ModelPatch, PlanVerdict,
    RetentionQuery, RuleTry, RunRef, SessionCopy, SessionMove, SessionPatch, SessionQuery, SettingsPatch,
    SetupPatch, ShareOf, ShareRevoke, SourceSave, StatusEdit, ThemeRemove, ThemeSave, ThemeText, TurnSend,
    TurnUndo, UsageQuery, VaultProtection, ViewEdit, ViewTry, WorkspaceCreate, WorkspaceFolder,
    WorkspaceRemove, WorkspaceRestore, WorkspaceUpdate,
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
    BaseParagraphs(BaseParagraphs),
    /// Searches a base and explains what it finds.
    BaseSearch(BaseSearch),
    /// Searches several bases at once and explains what it finds.
    KnowledgeSearch(KnowledgeSearch),
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
    BaseAdd(BaseAdd),
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
    /// Adds a workspace.
    WorkspaceCreate(WorkspaceCreate),
    /// Changes a workspace's name, place and defaults.
    WorkspaceUpdate(WorkspaceUpdate),
    /// Removes a workspace; its files wait in the trash.
    WorkspaceRemove(WorkspaceRemove),
    /// Brings a removed workspace back.
    WorkspaceRestore(WorkspaceRestore),
    /// Makes a folder of the person's a workspace.
    WorkspaceOpenFolder(WorkspaceFolder),
    /// Moves sessions to another workspace.
    SessionMove(SessionMove),
    /// What is wrong with files that a person edits.
    ConfigProblems,
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
    /// Sends a message: begins a turn, joins the queue, or reaches the turn under way.
    TurnSend(Box<TurnSend>),
    /// A turn with its steps.
    TurnShow {
        /// The turn.
        run: RunId,
    },
    /// What a list of steps leaves out of one.
    TurnStep {
        /// The turn.
        run: RunId,
        /// The step.
        step: String,
    },
    /// Ends a turn that is under way; what it did stays.
    TurnStop {
        /// The turn.
        run: RunId,
    },
    /// Goes on with a turn that failed, was stopped or was interrupted; nothing that had ended is done again.
    TurnResume {
        /// The turn.
        run: RunId,
    },
    /// Answers a request for permission.
    ApprovalAnswer {
        /// The turn.
        run: RunId,
        /// The call: its step's id.
        call: String,
        /// What the person says.
        verdict: ApprovalVerdict,
    },
    /// Answers a question of the agent.
    QuestionAnswer {
        /// The turn.
        run: RunId,
        /// The call: its step's id.
        call: String,
        /// The answer.
        answer: String,
    },
    /// Accepts a plan or asks for changes; a turn begins.
    PlanAnswer {
        /// The turn that handed it over.
        run: RunId,
        /// What the person says.
        verdict: PlanVerdict,
    },
    /// Changes what a session is set to; a turn under way takes it over at its next step.
    SessionSetup {
        /// The session.
        session: String,
        /// The changes.
        patch: SetupPatch,
    },
    /// Begins a session with a copy of another one's conversation up to and with a turn.
    SessionBranch {
        /// The last turn of the copy.
        run: RunId,
    },
    /// Puts what was said so far into fewer words now.
    SessionCompact {
        /// The session.
        session: String,
    },
    /// Changes, moves or removes a message that waits.
    QueueChange {
        /// The session.
        session: String,
        /// The message.
        id: String,
        /// Its new text; empty removes it.
        text: Option<String>,
        /// Whether it becomes the next one.
        #[serde(default)]
        first: bool,
    },
    /// What completes a mention; at most 30.
    MentionComplete {
        /// The session; its folders are looked through.
        session: Option<String>,
        /// `@`, `/` or `#`.
        sigil: String,
        /// What was typed after it.
        text: String,
        /// The folders that are looked through where there is no session yet.
        #[serde(default)]
        folders: Vec<String>,
    },
    /// Keeps a file that will go with a message.
    AttachmentAdd(AttachmentAdd),
    /// An attachment's content.
    AttachmentShow {
        /// Its session; absent while the message is not sent.
        session: Option<String>,
        /// It.
        id: String,
    },
    /// A background command's output.
    ShellShow {
        /// The command.
        id: String,
    },
    /// Ends a background command with everything it began.
    ShellKill {
        /// The command.
        id: String,
    },
    /// Lists skills, broken ones included.
    SkillList {
        /// The session whose first folder's skills are listed, too.
        #[serde(default)]
        session: Option<String>,
    },
    /// A skill.
    SkillShow {
        /// Its folder name.
        slug: String,
        /// As in the list.
        #[serde(default)]
        session: Option<String>,
    },
    /// Lists pages of help.
    HelpList,
    /// A page of help.
    HelpShow {
        /// Its name.
        slug: String,
    },
    /// What a model would be sent in a session, or for an agent's stage.
    PromptShow {
        /// The session; without it a new one.
        #[serde(default)]
        session: Option<String>,
        /// An agent.
        #[serde(default)]
        agent: Option<String>,
        /// A stage of it.
        #[serde(default)]
        stage: Option<String>,
    },
    /// Rules and grants as they stand.
    PermissionShow,
    /// Takes back what was granted; holds at once.
    GrantRevoke {
        /// The grants; empty: all of them.
        ids: Vec<String>,
    },
    /// Decisions on calls, newest first.
    AuditList {
        /// Continues a list: the `cursor` of the last row.
        #[serde(default)]
        before: Option<i64>,
        /// The most rows; at most 500, 0 for 100.
        #[serde(default)]
        limit: u32,
        /// Only of this session.
        #[serde(default)]
        session: Option<String>,
    },
    /// Adds or changes a source. Its secrets go into the vault and are never given out.
    SourceSave(Box<SourceSave>),
    /// Removes a source with its processes and secrets.
    SourceRemove {
        /// Its folder name.
        slug: String,
    },
    /// Switches a source off or on for everyone.
    SourceEnable {
        /// Its folder name.
        slug: String,
        /// Whether it may be used.
        on: bool,
    },
    /// Forms for new sources.
    SourcePresets,
    /// Calls a tool of a source once, as the person.
    SourceCall {
        /// The source.
        slug: String,
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: serde_json::Value,
    },
    /// Approves the tools of a source as they are now; what changes later asks again.
    SourceTrust {
        /// The source.
        slug: String,
        /// Whether what they say of themselves is believed.
        believe: bool,
    },
    /// What a source wrote to standard error, and its checks.
    SourceLog {
        /// The source.
        slug: String,
    },
    /// Reads an OpenAPI document and shows which tools it would make.
    SourceImport {
        /// The document, JSON or YAML; or an address that begins with `https://`.
        text: String,
    },
    /// Signs in at a source's OAuth service: gives the address to open in a browser.
    SourceSignIn {
        /// The source.
        slug: String,
    },
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
    /// Keeps a plan of a program beside the conversation and shows it as one that waits for the person.
    PlanSubmit {
        /// The session.
        session: String,
        /// What it is for, on one line.
        title: String,
        /// The plan, Markdown; at most 200,000 characters.
        text: String,
    },
    /// What a turn did to files, and whether it can be undone.
    TurnChanges {
        /// The turn.
        run: RunId,
        /// Only this file of it, with its texts.
        #[serde(default)]
        path: Option<String>,
    },
    /// Takes back what a turn did to files, or does it again.
    TurnUndo(TurnUndo),
    /// Statuses, labels and views, with how many sessions each has.
    OrganiseShow,
    /// Changes the list of statuses.
    StatusEdit(StatusEdit),
    /// Changes the tree of labels.
    LabelEdit(LabelEdit),
    /// Changes the list of views.
    ViewEdit(ViewEdit),
    /// Reads an expression and counts its sessions.
    ViewTry(ViewTry),
    /// Tries a rule on a message.
    RuleTry(RuleTry),
    /// The groups of a list.
    SessionGroups(GroupQuery),
    /// Searches everything that was said.
    ContentSearch(ContentQuery),
    /// Lists the person's themes, and what the workspace changes.
    ThemeList,
    /// Keeps a theme.
    ThemeSave(Box<ThemeSave>),
    /// Removes a theme's file.
    ThemeRemove(ThemeRemove),
    /// Reads a theme's text, of this program or another; keeps nothing.
    ThemeImport(ThemeText),
    /// Lists automations, broken ones included.
    AutomationList,
    /// An automation.
    AutomationShow(AutomationRef),
    /// Keeps an automation in the workspace's file; it has to be enabled (again) to fire.
    AutomationSave(Box<AutomationSave>),
    /// Says what an automation would be, and keeps nothing.
    AutomationTry(Box<AutomationSave>),
    /// Removes an automation from the file.
    AutomationRemove(AutomationRef),
    /// Enables an automation as it is now, or takes that back.
    AutomationEnable(AutomationEnable),
    /// Fires an automation now, or says what would happen.
    AutomationFire(AutomationFire),
    /// What automations did, newest first.
    AutomationHistory(AutomationHistory),
    /// Makes a backup.
    BackupNow(BackupNow),
    /// Lists backups, newest first.
    BackupList,
    /// What restoring a backup would change.
    BackupInspect(BackupRef),
    /// Compares every file of a backup with its digest.
    BackupVerify(BackupRef),
    /// Brings a backup back, as a whole or single sessions.
    BackupRestore(BackupRestore),
    /// Removes a backup.
    BackupRemove(BackupRef),
    /// What takes space.
    DataShow,
    /// Gives space back, or says what could be.
    DataClean(DataClean),
    /// Checks what is stored, or prepares a repaired database.
    DataCheck(DataCheck),
    /// What the rules of age would do and did.
    Retention(RetentionQuery),
    /// Copies a session with all that was said in it.
    SessionDuplicate(SessionCopy),
    /// What stood in a draft's place before another text took it.
    DraftEarlier(DraftKey),
    /// What would leave, and what would be taken out of it.
    ExportPreview(ExportOf),
    /// Writes sessions to files.
    ExportWrite(ExportOf),
    /// What an import would do; nothing is written.
    ImportInspect(ImportFrom),
    /// Brings sessions and files over, as a job.
    ImportRun(ImportOf),
    /// How an import ended.
    ImportShow(ImportJob),
    /// Makes a page that others may read, or makes it anew.
    ShareAdd(ShareOf),
    /// Pages that others may read.
    ShareList,
    /// Ends a share.
    ShareRevoke(ShareRevoke),
}
