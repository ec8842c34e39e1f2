//! The table of commands: what each takes and gives, what it makes stale or shows, and what it is serialised with.
//!
//! Adding a command takes one entry here and its handler in the `app` crate.

use ::transfer::CapsuleReport;
use domain::mission::ItemId;
use domain::{PauseId, Problem, RunId, RunStatus, StageId};
use engine_types::{
    Answered, JournalLine, MissionView, PausePolicy, Replay, Reply, StartRun, StepDetail, TurnView,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use worktrees::{
    AttemptId, CheckRun, CommandResult, Comment, CommentAdd, Diff, DiffQuery, MergeOptions, MergeOutcome,
    Removal, Savepoint, TaskCreate, TaskView, UndoOutcome,
};

use crate::declaration::{
    Carried, TypedAnswer, answer_pattern, answer_type, answer_value, commands, either, is_read,
    names_session, of_run, unexpected,
};
use crate::*;

commands! {
    /// Starts a run.
    run_start: RunStart(start: Box<StartRun>) -> Run(RunId),
        changes [Sessions, Runs], session start.session.as_deref();
    /// Goes on with a run that was interrupted, waits, or failed.
    run_resume: RunResume {
        /// The run.
        run: RunRef,
        /// How pauses are answered.
        #[serde(default)]
        attend: PausePolicy,
    } -> Run(RunId), changes [Sessions, Runs];
    /// Answers a pause.
    run_answer: RunAnswer {
        /// The run.
        run: RunId,
        /// The pause; without it the one that is open.
        pause: Option<PauseId>,
        /// The reply.
        reply: Box<Reply>,
        /// How further pauses are answered.
        #[serde(default)]
        attend: PausePolicy,
    } -> Answered(Answered), changes [Sessions, Runs];
    /// Queues text for the run's next pause or stage.
    run_guide: RunGuide {
        /// The run.
        run: RunId,
        /// The text.
        text: String,
    } -> Done, changes [Runs];
    /// Ends a run for good.
    run_cancel: RunCancel {
        /// The run.
        run: RunRef,
    } -> Done, changes [Sessions, Runs];
    /// Stops a run so that it can be resumed.
    run_suspend: RunSuspend {
        /// The run.
        run: RunId,
    } -> Done, changes [Sessions, Runs];
    /// Lists runs, newest first.
    run_list: RunList {
        /// The most runs; at most 1,000.
        limit: u32,
        /// Only of this agent.
        agent: Option<String>,
        /// Only with this status.
        status: Option<RunStatus>,
        /// Continues a list: the `next` of the page before.
        before: Option<i64>,
        /// Whether turns of conversations are listed too.
        #[serde(default)]
        turns: bool,
    } -> Runs(RunPage), reads [Runs];
    /// A run's state.
    run_show: RunShow {
        /// The run.
        run: RunRef,
        /// Events after this number, at most 1,000; without it none.
        events_after: Option<u64>,
        /// Whether outputs are given too.
        #[serde(default)]
        outputs: bool,
    } -> RunState(RunState), reads [Runs];
    /// What an id names: a staged run, or a turn of a conversation.
    run_find: RunFind {
        /// The id, the first characters of it, or a session, which names its newest.
        run: RunRef,
    } -> RunFound(RunFound), reads [Runs];
    /// A stage with what it was shown, its calls and its output.
    run_stage: RunStage {
        /// The run.
        run: RunId,
        /// The stage.
        stage: StageId,
    } -> StageDetail(StageDetail), reads [Runs];
    /// How far a run has come: its checkpoints, and the tables of its outputs.
    run_progress: RunProgress {
        /// The run.
        run: RunRef,
    } -> Progress(RunProgress), reads [Runs];
    /// Computes every local step of a stored run or turn once more and compares it with what is stored. Nothing is
    /// written, and neither a model nor a tool is called.
    run_replay: RunReplay {
        /// The run or turn.
        run: RunRef,
        /// Whether a staged run is driven again besides: by the engine itself, with what is recorded in place of models,
        /// tools and you.
        #[serde(default)]
        redrive: bool,
    } -> Replayed(Replay), reads [Runs];
    /// Writes a run's files again. Refused when a sentence's record does not hold any more.
    run_export: RunExport {
        /// The run.
        run: RunRef,
        /// Whether the records are left unchecked; then the files say so.
        #[serde(default)]
        unchecked: bool,
    } -> Written(Option<String>), changes [], scope of_run(run);
    /// A finished run's document.
    run_document: RunDocument {
        /// The run.
        run: RunRef,
    } -> Document(Option<Box<DocumentText>>), reads [Runs];
    /// Sets two runs beside each other: what they pinned, their stages, statements, sources and words.
    run_compare: RunCompare(pair: RunPair) -> Compared(RunComparison), reads [Runs];
    /// What the model requests of a staged run and its child runs were made of, in tokens, and what they would have been under
    /// other strategies.
    run_tokens: RunTokens {
        /// The run.
        run: RunRef,
        /// Strategies.
        #[serde(default)]
        compare: Vec<TokenStrategy>,
    } -> RunTokens(RunTokens), reads [Runs];
    /// Says what became of the paragraphs that a finished run's document cites.
    run_check: RunCheck {
        /// The run.
        run: RunRef,
    } -> Checked(RunCheck), reads [Runs, Bases];
    /// The profiles of missions.
    profile_list: ProfileList -> Profiles(Vec<ProfileRow>), reads [Agents];
    /// What a mission would begin with, and what it is likely to use. Nothing is started.
    mission_forecast: MissionForecast(start: Box<MissionStart>) -> MissionForecast(Box<MissionForecast>),
        reads [Agents, Bases, Connections, Settings, Usage], session start.session.as_deref();
    /// Starts a mission.
    mission_start: MissionStart(start: Box<MissionStart>) -> Run(RunId),
        changes [Sessions, Runs], session start.session.as_deref();
    /// Opens an exported graph as a mission that rests: its report can be written without research, and others go on with it.
    graph_import: GraphImport {
        /// The file, JSON lines.
        path: String,
        /// The profile that it is opened for.
        profile: String,
    } -> Run(RunId), changes [Sessions, Runs];
    /// The missions, the newest first.
    mission_list: MissionList -> Missions(Vec<MissionRow>), reads [Runs];
    /// A mission: how far it is, what it used, who worked on what.
    mission_show: MissionShow {
        /// The mission, or the first characters of its id; `last` for the newest.
        mission: String,
    } -> Mission(Box<MissionView>), reads [Runs];
    /// Says something to a mission: guidance, a claim to keep or to reject, limits, enough.
    mission_steer: MissionSteer {
        /// The mission.
        mission: RunId,
        /// What.
        steer: MissionSteer,
        /// Whether default answers are taken at pauses from now on, where nobody drives it yet.
        #[serde(default)]
        unattended: bool,
    } -> Done, changes [Sessions, Runs];
    /// Goes on with a mission that was interrupted, waits, or failed.
    mission_resume: MissionResume {
        /// The mission.
        mission: RunId,
        /// Whether default answers are taken at pauses.
        #[serde(default)]
        unattended: bool,
    } -> Done, changes [Sessions, Runs];
    /// A mission's decisions in plain words.
    mission_journal: MissionJournal {
        /// The mission.
        mission: RunId,
    } -> MissionJournal(Vec<JournalLine>), reads [Runs];
    /// A page of a mission's graph.
    mission_graph: MissionGraph(query: MissionGraphQuery) -> MissionGraph(Box<evidence_graph::Page>), reads [Runs];
    /// What a claim rests on: citations, sources, contradictions.
    claim_show: ClaimShow {
        /// The mission.
        mission: RunId,
        /// The claim.
        claim: ItemId,
    } -> ClaimProvenance(Box<evidence_graph::Provenance>), reads [Runs];
    /// What an entity of a mission's graph is connected with, over at most two relations, and the claims about it.
    entity_show: EntityShow {
        /// The mission.
        mission: RunId,
        /// The entity.
        entity: ItemId,
    } -> Neighbourhood(Box<evidence_graph::Neighbourhood>), reads [Runs];
    /// Writes a mission's report as a file: Markdown, HTML, Word or PDF; as JSON lines its graph, which `graph_import` opens.
    mission_export: MissionExport {
        /// The mission.
        mission: RunId,
        /// The form.
        format: ExportFormat,
    } -> Exported(Exported), changes [];
    /// A mission's report, Markdown; nothing before there is one.
    mission_report: MissionReport {
        /// The mission.
        mission: RunId,
    } -> Written(Option<String>), reads [Runs];
    /// Locks the document of a finished run: a reviewer stands by this text. A source that changes later reopens exactly the
    /// sentences that rest on it.
    run_lock: RunLock {
        /// The run.
        run: RunRef,
        /// Who reviewed it; at most 120 characters.
        reviewer: String,
        /// A remark; at most 2,000 characters.
        #[serde(default)]
        note: Option<String>,
    } -> Checked(RunCheck), changes [Runs], scope Scope::Sessions;
    /// Takes the newest lock of a document back. It stays on record.
    run_unlock: RunUnlock {
        /// The run.
        run: RunRef,
    } -> Checked(RunCheck), changes [Runs], scope Scope::Sessions;
    /// Compares the newest answer of each session with the knowledge bases, where these have changed since it was last
    /// done. It is done by itself after an ingest and at the start; sessions then tell of it (`stale`).
    answers_check: AnswersCheck -> AnswersChecked(AnswersCheck), changes [Sessions];
    /// Lists sessions.
    session_list: SessionList(query: SessionQuery) -> Sessions(SessionPage), reads [Sessions, Runs, Organisation];
    /// How many sessions each view has.
    session_counts: SessionCounts -> SessionCounts(SessionCounts), reads [Sessions, Runs, Organisation];
    /// A session with its newest runs.
    session_show: SessionShow {
        /// The session.
        session: String,
        /// Older runs: the `earlier` of the page before.
        before: Option<i64>,
        /// The most runs; at most 50, 0 for 10.
        #[serde(default)]
        limit: u32,
    } -> SessionState(SessionState), reads [Sessions, Runs, Organisation], session Some(session);
    /// Changes what a person set on sessions, all of them at once.
    session_update: SessionUpdate {
        /// The sessions; at most 1,000.
        sessions: Vec<String>,
        /// The new values.
        patch: SessionPatch,
    } -> Done, changes [Sessions], scope Scope::Sessions;
    /// Deletes sessions for good, with their runs, payloads and files. Only deleted ones; without names all of them.
    session_purge: SessionPurge {
        /// The sessions.
        sessions: Vec<String>,
    } -> Purged(u32), changes [Sessions, Runs, Drafts], scope Scope::Sessions;
    /// Exports a session, or the document of one of its runs. Documents are refused when a sentence's record does not hold
    /// any more.
    session_export: SessionExport {
        /// The session.
        session: String,
        /// The run whose document alone is exported; without it the whole session.
        #[serde(default)]
        run: Option<RunId>,
        /// As what.
        format: ExportFormat,
        /// Whether the records are left unchecked; then the documents say so.
        #[serde(default)]
        unchecked: bool,
        /// With a run, for Word: the run with the version before, from which it differs by tracked changes.
        #[serde(default)]
        changes_from: Option<RunId>,
    } -> Exported(Exported), changes [], session Some(session);
    /// Keeps something typed; an empty text removes it.
    draft_save: DraftSave {
        /// Where it was typed.
        key: String,
        /// The text; at most 200,000 bytes.
        text: String,
    } -> Done, changes [Drafts];
    /// Something typed before.
    draft_show: DraftShow {
        /// Where it was typed.
        key: String,
    } -> Draft(Option<Draft>), reads [Drafts];
    /// A paragraph with its surroundings.
    paragraph_show: ParagraphShow {
        /// Its base; with `run` that run's.
        base: Option<String>,
        /// Reads the base and generation that this run read.
        run: Option<RunId>,
        /// Its id, or a reference such as `ISA 320.10`.
        id: String,
        /// Quotes to find in it.
        #[serde(default)]
        quotes: Vec<String>,
    } -> Paragraph(ParagraphView), reads [];
    /// The page of a file that a paragraph was taken from, as a picture with the passage marked.
    page_picture: PagePicture(wanted: PagePictureQuery) -> Page(PagePicture), reads [];
    /// Lists agents, broken ones included.
    agent_list: AgentList -> Agents(Vec<AgentRow>), reads [Agents];
    /// An agent.
    agent_show: AgentShow {
        /// Its folder name.
        slug: String,
    } -> Agent(AgentView), reads [Agents];
    /// Makes an agent: a copy of another one, or one that has instructions alone.
    agent_make: AgentMake(make: AgentMake) -> Agent(AgentView), changes [Agents], scope Scope::Settings;
    /// An agent's files as text.
    agent_files: AgentFiles {
        /// Its folder name.
        slug: String,
    } -> AgentFiles(AgentFiles), reads [Agents];
    /// Checks an agent as it would be with these edits, and keeps nothing.
    agent_try: AgentTry {
        /// Its folder name.
        slug: String,
        /// The files that are edited.
        files: Vec<FileEdit>,
    } -> Problems(Vec<FileProblem>), reads [Agents];
    /// Keeps edits of an agent of one's own; all or none of them, and only where the agent is valid with them.
    agent_save: AgentSave {
        /// Its folder name.
        slug: String,
        /// The files that are edited.
        files: Vec<FileEdit>,
    } -> Agent(AgentView), changes [Agents], scope Scope::Settings;
    /// Deletes an agent of one's own with its folder.
    agent_remove: AgentRemove {
        /// Its folder name.
        slug: String,
    } -> Done, changes [Agents], scope Scope::Settings;
    /// Lists sources.
    source_list: SourceList -> Sources(Vec<SourceRow>), reads [Sources];
    /// A source.
    source_show: SourceShow {
        /// Its folder name.
        slug: String,
    } -> Source(SourceView), reads [Sources];
    /// Starts a source, lists its tools and ends it again.
    source_test: SourceTest {
        /// Its folder name.
        slug: String,
        /// The digest of what it runs or reaches (`reach` of its view): the person approves that first. Refused where it
        /// is something else by now.
        #[serde(default)]
        approve: Option<String>,
    } -> SourceTest(SourceTest), changes [];
    /// Lists knowledge bases.
    base_list: BaseList -> Bases(Vec<BaseRow>), reads [Bases];
    /// A knowledge base.
    base_show: BaseShow {
        /// Its name.
        base: String,
    } -> Base(BaseView), reads [Bases];
    /// Paragraphs of a base in its order.
    base_paragraphs: BaseParagraphs(paragraphs: BaseParagraphs) -> Paragraphs(ParagraphPage), reads [Bases];
    /// Searches a base and explains what it finds.
    base_search: BaseSearch(search: BaseSearch) -> Hits(SearchExplained), reads [Bases];
    /// Searches several bases at once and explains what it finds.
    knowledge_search: KnowledgeSearch(search: KnowledgeSearch) -> Hits(SearchExplained), reads [Bases];
    /// A paragraph's surroundings along cross-references.
    base_graph: BaseGraph {
        /// The base's name.
        base: String,
        /// The paragraph.
        id: String,
        /// How far references are followed, 1 to 3.
        #[serde(default)]
        depth: u32,
    } -> Graph(BaseGraph), reads [Bases];
    /// What can be downloaded, and which rule sets there are.
    knowledge_catalog: KnowledgeCatalog -> Catalog(KnowledgeCatalog), reads [Bases];
    /// Shows what an ingest would recognise; stores nothing.
    base_preview: BasePreview(ingest: IngestRequest) -> Preview(IngestPreview), reads [Bases];
    /// Keeps a part of a file that a page hands over by its bytes, because a browser does not say where the file lies.
    upload_write: UploadWrite(part: UploadPart) -> Uploaded(Uploaded), changes [];
    /// What lies at paths on this machine, in their order.
    paths_check: PathsCheck {
        /// Absolute paths, at most 1,000.
        paths: Vec<String>,
    } -> Paths(Vec<PathRow>), reads [];
    /// Makes files into a base, or a new generation of one.
    base_ingest: BaseIngest(ingest: IngestRequest) -> Job(JobState),
        changes [Jobs], scope Scope::Base(ingest.base.clone());
    /// Downloads an openly licensed text, or a file from an address, and makes it a base.
    base_add: BaseAdd(add: BaseAdd) -> Job(JobState), changes [Jobs];
    /// Downloads a model for vectors.
    model_add: ModelAdd {
        /// Its name in the catalog.
        name: String,
        /// Whether the person has accepted its licence.
        accepted: bool,
    } -> Job(JobState), changes [Jobs];
    /// Ingests a base again whenever its files change, or no longer.
    base_watch: BaseWatch {
        /// Its name.
        base: String,
        /// Whether it is watched.
        on: bool,
    } -> Done, changes [Bases], scope Scope::Base(base.clone());
    /// Shares a base with another workspace, or no longer.
    base_share: BaseShare(share: BaseShare) -> Base(BaseView), changes [Bases], scope Scope::Base(share.base.clone());
    /// Removes a base with all its generations.
    base_remove: BaseRemove {
        /// Its name.
        base: String,
    } -> Done, changes [Bases], scope Scope::Base(base.clone());
    /// Lists jobs of this process, newest first.
    job_list: JobList -> Jobs(Vec<JobState>), reads [Jobs];
    /// Stops a job.
    job_cancel: JobCancel {
        /// The job.
        job: String,
    } -> Done, changes [Jobs];
    /// What the person set.
    settings_show: SettingsShow -> Settings(Settings), reads [Settings];
    /// Changes settings.
    settings_update: SettingsUpdate(patch: SettingsPatch) -> Settings(Settings),
        changes [Settings], scope Scope::Settings;
    /// Lists workspaces.
    workspace_list: WorkspaceList -> Workspaces(Vec<WorkspaceRow>), reads [Workspaces, Sessions, Settings];
    /// Adds a workspace.
    workspace_create: WorkspaceCreate(create: WorkspaceCreate) -> Workspace(WorkspaceRow),
        changes [Workspaces], scope Scope::Workspaces;
    /// Changes a workspace's name, place and defaults.
    workspace_update: WorkspaceUpdate(update: WorkspaceUpdate) -> Workspace(WorkspaceRow),
        changes [Workspaces], scope Scope::Workspaces;
    /// Removes a workspace; its files wait in the trash.
    workspace_remove: WorkspaceRemove(remove: WorkspaceRemove) -> WorkspaceRemoved(WorkspaceRemoved),
        changes [Workspaces, Sessions, Problems], scope Scope::Workspaces;
    /// Brings a removed workspace back.
    workspace_restore: WorkspaceRestore(restore: WorkspaceRestore) -> Workspace(WorkspaceRow),
        changes [Workspaces, Sessions, Problems], scope Scope::Workspaces;
    /// Makes a folder of the person's a workspace.
    workspace_open_folder: WorkspaceOpenFolder(folder: WorkspaceFolder) -> Workspace(WorkspaceRow),
        changes [Workspaces, Sessions, Problems], scope Scope::Workspaces;
    /// Moves sessions to another workspace.
    session_move: SessionMove(to: SessionMove) -> Done, changes [Sessions, Workspaces], scope Scope::Sessions;
    /// What is wrong with files that a person edits.
    config_problems: ConfigProblems -> ConfigProblems(Vec<ConfigProblemRow>), reads [Problems];
    /// Lists connections to model providers, the offline engine first.
    connection_list: ConnectionList -> Connections(Vec<ConnectionRow>), reads [Connections, Settings];
    /// A connection with its models.
    connection_show: ConnectionShow {
        /// Its slug.
        slug: String,
    } -> Connection(ConnectionView), reads [Connections, Settings];
    /// Forms for new connections.
    connection_presets: ConnectionPresets -> Presets(Vec<ConnectionPreset>), reads [Connections, Settings];
    /// Adds or changes a connection. Its secret goes into the vault and is never given out.
    connection_save: ConnectionSave(save: Box<ConnectionSave>) -> Connection(ConnectionView),
        changes [Connections], scope Scope::Connections;
    /// Says which workspaces have a connection: this one alone, this one and others, or all.
    connection_share: ConnectionShare(share: ConnectionShare) -> Connection(ConnectionView),
        changes [Connections], scope Scope::Connections;
    /// Removes a connection and its secrets. Sessions that used it say so and take another.
    connection_remove: ConnectionRemove {
        /// Its slug.
        slug: String,
    } -> Done, changes [Connections, Settings], scope Scope::Connections;
    /// Asks a model one real question and says in words how it went.
    connection_test: ConnectionTest {
        /// Its slug.
        slug: String,
        /// The model; without it the connection's default, else one that it lists.
        #[serde(default)]
        model: Option<String>,
    } -> Tested(ConnectionTest), changes [Connections];
    /// Tries a connection that is not kept yet.
    connection_try: ConnectionTry(save: Box<ConnectionSave>) -> Tested(ConnectionTest), changes [];
    /// Asks the provider for its models now.
    connection_models: ConnectionModels {
        /// Its slug.
        slug: String,
    } -> Connection(ConnectionView), changes [Connections];
    /// Keeps what the person says of a model: its window, what it can do, its price.
    model_update: ModelUpdate(patch: ModelPatch) -> Connection(ConnectionView),
        changes [Connections], scope Scope::Connections;
    /// Signs in at a connection's OAuth service: gives the address to open in a browser.
    sign_in_begin: SignInBegin {
        /// The connection.
        slug: String,
    } -> SignIn(SignIn), changes [];
    /// How a sign-in stands.
    sign_in_show: SignInShow {
        /// Its id.
        id: String,
    } -> SignIn(SignIn), reads [];
    /// Gives a sign-in up.
    sign_in_cancel: SignInCancel {
        /// Its id.
        id: String,
    } -> Done, changes [];
    /// The vault: what opens it and the names of what it holds.
    vault_show: VaultShow -> Vault(VaultStatus), reads [Connections];
    /// Opens the vault for as long as the program runs.
    vault_unlock: VaultUnlock {
        /// The passphrase.
        passphrase: Hidden,
    } -> Vault(VaultStatus), changes [Connections], scope Scope::Connections;
    /// Closes it again.
    vault_lock: VaultLock -> Vault(VaultStatus), changes [Connections], scope Scope::Connections;
    /// Changes what opens the vault; with the same protection: changes its key.
    vault_protect: VaultProtect {
        /// What is to open it.
        protection: VaultProtection,
        /// The new passphrase, where that is it.
        #[serde(default)]
        passphrase: Option<Hidden>,
    } -> Vault(VaultStatus), changes [Connections], scope Scope::Connections;
    /// Puts a secret into the vault under a name.
    secret_put: SecretPut {
        /// Its name.
        name: String,
        /// The secret.
        value: Hidden,
    } -> Done, changes [Connections, Sources], scope Scope::Connections;
    /// Removes a secret.
    secret_remove: SecretRemove {
        /// Its name.
        name: String,
    } -> Done, changes [Connections, Sources], scope Scope::Connections;
    /// Takes credentials from a `credentials.enc` of Craft Agent.
    credentials_import: CredentialsImport {
        /// The file.
        path: String,
    } -> Imported(ImportedCredentials), changes [Connections], scope Scope::Connections;
    /// Adds up what was used.
    usage_show: UsageShow(query: UsageQuery) -> Usage(UsageSummary), reads [Usage, Sessions];
    /// Single requests, newest first; at most 1,000.
    usage_list: UsageList {
        /// Which.
        query: UsageQuery,
        /// The most rows; 0 for 200.
        #[serde(default)]
        limit: u32,
    } -> UsageRows(Vec<UsageRow>), reads [Usage, Sessions];
    /// How well finished runs were foreseen when they began.
    usage_forecasts: UsageForecasts {
        /// Only of this agent.
        agent: Option<String>,
    } -> Forecasts(ForecastReport), reads [Usage, Runs];
    /// The limits on money, and what is used of them.
    usage_limits: UsageLimits -> Limits(LimitReport), reads [Usage, Settings, Connections];
    /// Writes usage as CSV (RFC 4180), one request a row, into the data directory's `exports`.
    usage_export: UsageExport(query: UsageQuery) -> Exported(Exported), changes [];
    /// What a run is likely to cost.
    run_forecast: RunForecast(query: ForecastQuery) -> Forecast(Forecast), reads [Usage, Connections, Settings];
    /// Sends a message: begins a turn, joins the queue, or reaches the turn under way.
    turn_send: TurnSend(send: Box<TurnSend>) -> Sent(Sent),
        changes [Sessions, Runs, Drafts], session send.session.as_deref();
    /// A turn with its steps.
    turn_show: TurnShow {
        /// The turn.
        run: RunId,
    } -> Turn(TurnView), reads [];
    /// Events of a turn, as they stand in the log; at most 1,000.
    turn_events: TurnEvents {
        /// The turn.
        run: RunId,
        /// Events after this number.
        #[serde(default)]
        after: u64,
    } -> TurnEvents(TurnEvents), reads [];
    /// What a list of steps leaves out of one.
    turn_step: TurnStep {
        /// The turn.
        run: RunId,
        /// The step.
        step: String,
    } -> Step(StepDetail), reads [];
    /// Ends a turn that is under way; what it did stays.
    turn_stop: TurnStop {
        /// The turn.
        run: RunId,
    } -> Done, changes [Sessions, Runs];
    /// Goes on with a turn that failed, was stopped or was interrupted; nothing that had ended is done again.
    turn_resume: TurnResume {
        /// The turn.
        run: RunId,
    } -> Done, changes [Sessions, Runs];
    /// Answers a request for permission.
    approval_answer: ApprovalAnswer {
        /// The turn.
        run: RunId,
        /// The call: its step's id.
        call: String,
        /// What the person says.
        verdict: ApprovalVerdict,
    } -> Done, changes [Sessions, Permissions];
    /// Answers a question of the agent.
    question_answer: QuestionAnswer {
        /// The turn.
        run: RunId,
        /// The call: its step's id.
        call: String,
        /// The answer.
        answer: String,
    } -> Done, changes [Sessions];
    /// Accepts a plan or asks for changes; a turn begins.
    plan_answer: PlanAnswer {
        /// The turn that handed it over.
        run: RunId,
        /// What the person says.
        verdict: PlanVerdict,
    } -> Sent(Sent), changes [Sessions, Runs];
    /// Changes what a session is set to; a turn under way takes it over at its next step.
    session_setup: SessionSetup {
        /// The session.
        session: String,
        /// The changes.
        patch: SetupPatch,
    } -> Done, changes [Sessions], session Some(session), scope Scope::Session(session.clone());
    /// Begins a session with a copy of another one's conversation up to and with a turn.
    session_branch: SessionBranch {
        /// The last turn of the copy.
        run: RunId,
    } -> Branched(String), changes [Sessions, Runs];
    /// Puts what was said so far into fewer words now.
    session_compact: SessionCompact {
        /// The session.
        session: String,
    } -> Sent(Sent), changes [Sessions, Runs], session Some(session);
    /// Changes, moves or removes a message that waits.
    queue_change: QueueChange {
        /// The session.
        session: String,
        /// The message.
        id: String,
        /// Its new text; empty removes it.
        text: Option<String>,
        /// Whether it becomes the next one.
        #[serde(default)]
        first: bool,
    } -> Done, changes [Sessions, Runs], session Some(session), scope Scope::Session(session.clone());
    /// What completes a mention; at most 30.
    mention_complete: MentionComplete {
        /// The session; its folders are looked through.
        session: Option<String>,
        /// `@`, `/` or `#`.
        sigil: String,
        /// What was typed after it.
        text: String,
        /// The folders that are looked through where there is no session yet.
        #[serde(default)]
        folders: Vec<String>,
    } -> Completions(Vec<Completion>), reads [], session session.as_deref();
    /// Whether a path is a folder that can be worked in, and which folders go on from what was typed.
    folder_look: FolderLook {
        /// The path, or its beginning.
        path: String,
    } -> Folder(FolderSeen), reads [];
    /// Keeps a file that will go with a message.
    attachment_add: AttachmentAdd(add: AttachmentAdd) -> Attachment(domain::Attachment), changes [];
    /// An attachment's content.
    attachment_show: AttachmentShow {
        /// Its session; absent while the message is not sent.
        session: Option<String>,
        /// It.
        id: String,
    } -> AttachmentView(AttachmentView), reads [];
    /// A background command's output.
    shell_show: ShellShow {
        /// The command.
        id: String,
    } -> Shell(ShellOutput), reads [Sessions];
    /// Ends a background command with everything it began.
    shell_kill: ShellKill {
        /// The command.
        id: String,
    } -> Done, changes [Sessions];
    /// Lists skills, broken ones included.
    skill_list: SkillList {
        /// The session whose first folder's skills are listed, too.
        #[serde(default)]
        session: Option<String>,
    } -> Skills(Vec<SkillRow>), reads [Skills], session session.as_deref();
    /// A skill.
    skill_show: SkillShow {
        /// Its folder name.
        slug: String,
        /// As in the list.
        #[serde(default)]
        session: Option<String>,
    } -> Skill(SkillView), reads [Skills], session session.as_deref();
    /// Checks the text of a SKILL.md, and keeps nothing.
    skill_try: SkillTry {
        /// Its folder name.
        slug: String,
        /// The text.
        text: String,
    } -> Problems(Vec<FileProblem>), reads [];
    /// Keeps a skill; one that is built in or of all workspaces is kept as the workspace's own version.
    skill_save: SkillSave {
        /// Its folder name: letters, digits, `-`, `_` and `.`.
        slug: String,
        /// Its SKILL.md; the name of the edit is not looked at.
        file: FileEdit,
    } -> Skill(SkillView), changes [Skills], scope Scope::Settings;
    /// Deletes a skill of the workspace with its folder.
    skill_remove: SkillRemove {
        /// Its folder name.
        slug: String,
    } -> Done, changes [Skills], scope Scope::Settings;
    /// Lists pages of help.
    help_list: HelpList -> HelpPages(Vec<HelpPage>), reads [];
    /// A page of help.
    help_show: HelpShow {
        /// Its name.
        slug: String,
    } -> HelpPage(HelpPage), reads [];
    /// What a model would be sent in a session, or for an agent's stage.
    prompt_show: PromptShow {
        /// The session; without it a new one.
        #[serde(default)]
        session: Option<String>,
        /// An agent.
        #[serde(default)]
        agent: Option<String>,
        /// A stage of it.
        #[serde(default)]
        stage: Option<String>,
    } -> Prompt(PromptView), reads [], session session.as_deref();
    /// Rules and grants as they stand.
    permission_show: PermissionShow -> Permissions(PermissionState), reads [Permissions];
    /// What the stages of an agent call by themselves that has to be allowed, and whether it is.
    permission_stages: PermissionStages {
        /// The agent's slug.
        agent: String,
    } -> StageAccess(Vec<StageAccess>), reads [Permissions];
    /// Allows it, in this workspace, until it is taken back.
    permission_allow: PermissionAllow {
        /// The agent's slug.
        agent: String,
    } -> StageAccess(Vec<StageAccess>), changes [Permissions], scope Scope::Sources;
    /// Takes back what was granted; holds at once.
    grant_revoke: GrantRevoke {
        /// The grants; empty: all of them.
        ids: Vec<String>,
    } -> Done, changes [Permissions];
    /// Decisions on calls, newest first.
    audit_list: AuditList {
        /// Continues a list: the `cursor` of the last row.
        #[serde(default)]
        before: Option<i64>,
        /// The most rows; at most 500, 0 for 100.
        #[serde(default)]
        limit: u32,
        /// Only of this session.
        #[serde(default)]
        session: Option<String>,
    } -> Audit(Vec<AuditRow>), reads [Permissions];
    /// Adds or changes a source. Its secrets go into the vault and are never given out.
    source_save: SourceSave(save: Box<SourceSave>) -> Source(SourceView), changes [Sources], scope Scope::Sources;
    /// What was fetched from the web, the newest first.
    web_list: WebList {
        /// Only addresses and titles in which these words stand.
        #[serde(default)]
        words: String,
        /// At most so many.
        limit: u32,
    } -> WebPages(WebPages), reads [Web];
    /// The text of an address that was fetched.
    web_show: WebShow {
        /// The address, or the SHA-256 of its bytes.
        url: String,
        /// A block that has to be shown.
        #[serde(default)]
        block: Option<u32>,
    } -> WebText(Box<WebText>), reads [Web];
    /// Fetches an address again; what has not changed costs one short request.
    web_refresh: WebRefresh {
        /// The address.
        url: String,
    } -> WebPage(Box<WebPage>), changes [Web];
    /// Forgets an address. Documents may cite it: their quotes can't be checked against its bytes then.
    web_forget: WebForget {
        /// The address.
        url: String,
    } -> Done, changes [Web];
    /// From where may be fetched, and which hosts wait for a decision.
    web_policy: WebPolicy -> WebPolicy(WebPolicy), reads [Web];
    /// Changes how careful fetching is.
    web_profile_set: WebProfileSet {
        /// The profile.
        profile: web_library::policy::Profile,
    } -> WebPolicy(WebPolicy), changes [Web], scope Scope::Sources;
    /// Decides about hosts: all of them, or none where one is no host.
    web_decide: WebDecide(decided: WebDecision) -> WebPolicy(WebPolicy), changes [Web], scope Scope::Sources;
    /// Fetches, refusals and decisions, the newest first.
    web_log: WebLog {
        /// At most so many.
        limit: u32,
    } -> WebLog(Vec<WebLogLine>), reads [Web];
    /// Removes a source with its processes and secrets.
    source_remove: SourceRemove {
        /// Its folder name.
        slug: String,
    } -> Done, changes [Sources], scope Scope::Sources;
    /// Switches a source off or on for everyone.
    source_enable: SourceEnable {
        /// Its folder name.
        slug: String,
        /// Whether it may be used.
        on: bool,
    } -> Done, changes [Sources], scope Scope::Sources;
    /// Forms for new sources.
    source_presets: SourcePresets -> SourcePresets(Vec<SourcePreset>), reads [Sources];
    /// What a configuration asks for that is not saved yet: its secrets, and why it can't be saved.
    source_needs: SourceNeeds {
        /// The `config.json`.
        config: serde_json::Value,
    } -> SourceNeeds(SourceNeeds), reads [Sources, Connections];
    /// Reads sources from the configuration of another program, in JSON (with comments, too), TOML or YAML: its servers
    /// wherever they stand, or one server of it.
    source_read: SourceRead {
        /// The text.
        text: Hidden,
    } -> SourceDrafts(Vec<SourceDraft>), changes [];
    /// Stores secrets of a source for what it reaches now.
    source_secrets: SourceSecrets {
        /// The source.
        slug: String,
        /// Secrets by the name that its configuration gives them.
        #[serde(default)]
        secrets: std::collections::BTreeMap<String, Hidden>,
        /// Whether those that are stored already may go where the source leads now.
        #[serde(default)]
        stored: bool,
    } -> Source(SourceView), changes [Sources, Connections], scope Scope::Sources;
    /// Which web search agents and conversations share.
    web_search_show: WebSearchShow -> WebSearch(WebSearchState), reads [Connections];
    /// Keeps the key of Brave Search or the address of a SearXNG instance in the vault; an empty one is removed, an absent
    /// one stays. An address goes before a key.
    web_search_save: WebSearchSave {
        /// The key of Brave Search.
        #[serde(default)]
        key: Option<Hidden>,
        /// The address of a SearXNG instance.
        #[serde(default)]
        address: Option<String>,
    } -> WebSearch(WebSearchState), changes [Connections], scope Scope::Connections;
    /// Calls a tool of a source once, as the person.
    source_call: SourceCall {
        /// The source.
        slug: String,
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: serde_json::Value,
    } -> Called(SourceCalled), changes [];
    /// Approves the tools of a source as they are now; what changes later asks again.
    source_trust: SourceTrust {
        /// The source.
        slug: String,
        /// Whether what they say of themselves is believed.
        believe: bool,
    } -> Source(SourceView), changes [Sources], scope Scope::Sources;
    /// What a source wrote to standard error, and its checks.
    source_log: SourceLog {
        /// The source.
        slug: String,
    } -> SourceLog(SourceLog), reads [Sources];
    /// Reads an OpenAPI document and shows which tools it would make.
    source_import: SourceImport {
        /// The document, JSON or YAML; or an address that begins with `https://`.
        text: String,
    } -> Openapi(OpenApiPreview), reads [Sources];
    /// Signs in at a source's OAuth service: gives the address to open in a browser.
    source_sign_in: SourceSignIn {
        /// The source.
        slug: String,
    } -> SignIn(SignIn), changes [];
    /// Searches titles of everything.
    search: Search {
        /// The text.
        text: String,
        /// The most hits; at most 100, 0 for 20.
        #[serde(default)]
        limit: u32,
    } -> Found(Vec<SearchHit>), reads [Sessions, Agents, Sources, Bases];
    /// What the program is and where it keeps things.
    app_info: AppInfo -> AppInfo(AppInfo), reads [Sessions, Runs, Bases];
    /// Looks whether everything is in order.
    app_check: AppCheck -> Checks(Vec<Check>), reads [Sessions, Runs, Bases];
    /// Has an open page check a diagram.
    diagram_check: DiagramCheck {
        /// The diagram's source.
        text: String,
    } -> Diagram(DiagramVerdict), reads [];
    /// Says that this page checks diagrams.
    diagram_offer: DiagramOffer -> Done, changes [];
    /// A page's answer to a diagram that it was asked to check.
    diagram_answer: DiagramAnswer {
        /// The check.
        id: String,
        /// Why it can't be drawn, where it can't.
        problem: Option<String>,
    } -> Done, changes [];
    /// Keeps a plan of a program beside the conversation and shows it as one that waits for the person.
    plan_submit: PlanSubmit {
        /// The session.
        session: String,
        /// What it is for, on one line.
        title: String,
        /// The plan, Markdown; at most 200,000 characters.
        text: String,
    } -> Sent(Sent), changes [Sessions, Runs], session Some(session), scope Scope::Session(session.clone());
    /// What a turn did to files, and whether it can be undone.
    turn_changes: TurnChanges {
        /// The turn.
        run: RunId,
        /// Only this file of it, with its texts.
        #[serde(default)]
        path: Option<String>,
    } -> Changes(TurnChanges), reads [Sessions];
    /// Takes back what a turn did to files, or does it again.
    turn_undo: TurnUndo(undo: TurnUndo) -> Changes(TurnChanges), changes [Sessions, Permissions];
    /// Statuses, labels and views, with how many sessions each has.
    organise_show: OrganiseShow -> Organisation(Organisation), reads [Organisation, Sessions];
    /// Changes the list of statuses.
    status_edit: StatusEdit(edit: StatusEdit) -> Organisation(Organisation),
        changes [Sessions, Organisation], scope Scope::Sessions;
    /// Changes the tree of labels.
    label_edit: LabelEdit(edit: LabelEdit) -> Organisation(Organisation),
        changes [Sessions, Organisation], scope Scope::Sessions;
    /// Changes the list of views.
    view_edit: ViewEdit(edit: ViewEdit) -> Organisation(Organisation), changes [Organisation], scope Scope::Sessions;
    /// Reads an expression and counts its sessions.
    view_try: ViewTry(asked: ViewTry) -> ViewTried(ViewTried), reads [Organisation, Sessions];
    /// Tries a rule on a message.
    rule_try: RuleTry(asked: RuleTry) -> RuleTried(RuleTried), reads [];
    /// The groups of a list.
    session_groups: SessionGroups(asked: GroupQuery) -> Groups(Vec<GroupRow>), reads [Sessions, Runs, Organisation];
    /// Searches everything that was said.
    content_search: ContentSearch(asked: ContentQuery) -> ContentHits(ContentHits), reads [Sessions];
    /// Lists the person's themes, and what the workspace changes.
    theme_list: ThemeList -> Themes(ThemeList), reads [Themes, Workspaces];
    /// Keeps a theme.
    theme_save: ThemeSave(save: Box<ThemeSave>) -> Theme(ThemeRow), changes [Themes], scope Scope::Settings;
    /// Removes a theme's file.
    theme_remove: ThemeRemove(remove: ThemeRemove) -> Done, changes [Themes], scope Scope::Settings;
    /// Reads a theme's text, of this program or another; keeps nothing.
    theme_import: ThemeImport(text: ThemeText) -> ThemeImported(ThemeImported), reads [Themes, Workspaces];
    /// Lists automations, broken ones included.
    automation_list: AutomationList -> Automations(AutomationPage), reads [Automations];
    /// An automation.
    automation_show: AutomationShow(one: AutomationRef) -> Automation(AutomationView), reads [Automations];
    /// Keeps an automation in the workspace's file; it has to be enabled (again) to fire.
    automation_save: AutomationSave(save: Box<AutomationSave>) -> Automation(AutomationView),
        changes [Automations], scope Scope::Automations;
    /// Says what an automation would be, and keeps nothing.
    automation_try: AutomationTry(save: Box<AutomationSave>) -> Automation(AutomationView), reads [Automations];
    /// Removes an automation from the file.
    automation_remove: AutomationRemove(one: AutomationRef) -> Done, changes [Automations], scope Scope::Automations;
    /// Enables an automation as it is now, or takes that back.
    automation_enable: AutomationEnable(enable: AutomationEnable) -> Automation(AutomationView),
        changes [Automations], scope Scope::Automations;
    /// Fires an automation now, or says what would happen.
    automation_fire: AutomationFire(fire: AutomationFire) -> AutomationDid(Vec<AutomationDone>),
        changes [Automations, Sessions, Runs];
    /// What automations did, newest first.
    automation_history: AutomationHistory(query: AutomationHistory) -> AutomationDid(Vec<AutomationDone>),
        reads [Automations];
    /// Makes a backup.
    backup_now: BackupNow(now: BackupNow) -> Job(JobState), changes [Jobs];
    /// Lists backups, newest first.
    backup_list: BackupList -> Backups(BackupList), reads [Backups, Settings];
    /// What restoring a backup would change.
    backup_inspect: BackupInspect(of: BackupRef) -> Backup(BackupView), reads [Backups, Settings];
    /// Compares every file of a backup with its digest.
    backup_verify: BackupVerify(of: BackupRef) -> Job(JobState), changes [Jobs];
    /// Brings a backup back, as a whole or single sessions.
    backup_restore: BackupRestore(restore: BackupRestore) -> Restored(Restored), changes [Sessions, Runs, Backups];
    /// Removes a backup.
    backup_remove: BackupRemove(of: BackupRef) -> Done, changes [Backups];
    /// What takes space.
    data_show: DataShow -> Data(DataSizes), reads [];
    /// Gives space back, or says what could be.
    data_clean: DataClean(clean: DataClean) -> Cleaned(Vec<Cleaned>), changes [Sessions, Runs, Drafts, Backups];
    /// Checks what is stored, or prepares a repaired database.
    data_check: DataCheck(check: DataCheck) -> Job(JobState), changes [Jobs];
    /// What the rules of age would do and did.
    retention: Retention(query: RetentionQuery) -> Retention(RetentionState), reads [Sessions, Settings];
    /// Copies a session with all that was said in it.
    session_duplicate: SessionDuplicate(copy: SessionCopy) -> Branched(String), changes [Sessions, Runs];
    /// Gives a conversation a title by the model that answered in it.
    session_title: SessionTitle(of: SessionCopy) -> Titled(String), changes [Sessions];
    /// What stood in a draft's place before another text took it.
    draft_earlier: DraftEarlier(of: DraftKey) -> Drafts(Vec<Draft>), reads [Drafts];
    /// What would leave, and what would be taken out of it.
    export_preview: ExportPreview(of: ExportOptions) -> ExportPreview(ExportPreview), reads [];
    /// Writes sessions to files.
    export_write: ExportWrite(of: ExportOptions) -> ExportWritten(ExportWritten), changes [];
    /// Writes a run or turn with its log, payloads, chain of hashes and cited paragraphs into one file.
    capsule_make: CapsuleMake(of: CapsuleOptions) -> Capsule(CapsuleWritten), changes [];
    /// Checks the file of a capsule; nothing of this machine's data is read.
    capsule_verify: CapsuleVerify {
        /// The file, absolute.
        path: String,
    } -> CapsuleChecked(CapsuleReport), reads [];
    /// Folders on this machine in which other programs keep conversations.
    import_places: ImportPlaces -> ImportPlaces(Vec<ImportPlace>), reads [];
    /// What an import would do; nothing is written.
    import_inspect: ImportInspect(from: ImportFrom) -> ImportView(ImportView), reads [];
    /// Brings sessions and files over, as a job.
    import_run: ImportRun(of: ImportOptions) -> Job(JobState), changes [Jobs];
    /// How an import ended.
    import_show: ImportShow(of: ImportJob) -> ImportDone(ImportDone), reads [];
    /// Makes a page that others may read, or makes it anew.
    share_add: ShareAdd(of: SharePageOptions) -> Shares(Vec<ShareRow>), changes [];
    /// Pages that others may read.
    share_list: ShareList -> Shares(Vec<ShareRow>), reads [];
    /// Ends a share.
    share_revoke: ShareRevoke(of: ShareRevoke) -> Done, changes [];
    /// Coding tasks, newest first.
    task_list: TaskList -> Tasks(::worktrees::TaskList), reads [Tasks, Runs];
    /// A task with what its attempts hold now.
    task_show: TaskShow(of: TaskRef) -> Task(TaskView), reads [Tasks, Runs];
    /// The runs that work on a task's attempts, oldest first; without a task the last one of each open attempt at any.
    task_runs: TaskRuns {
        /// The task.
        #[serde(default)]
        task: Option<::worktrees::TaskId>,
    } -> TaskRuns(Vec<TaskRunState>), reads [Tasks, Runs];
    /// What `run_start` takes to have an agent work on a task: at another attempt, where the attempt is 0, else on with that
    /// one, with the open comments on it.
    task_start: TaskStart(of: AttemptId) -> TaskStart(TaskStart), reads [Tasks];
    /// Begins a task: a worktree with a branch for each attempt, with the set-up if you have accepted it.
    task_create: TaskCreate(create: TaskCreate) -> Task(TaskView), changes [Tasks];
    /// What a project declares for its tasks.
    task_commands: TaskCommands(of: RepositoryRef) -> DeclaredCommands(DeclaredCommands), reads [];
    /// Accepts a project's set-up and checks in their present form.
    task_approve: TaskApprove(approve: CommandsApprove) -> Done, changes [Tasks];
    /// Begins another attempt at a task.
    task_attempt: TaskAttempt(add: AttemptAdd) -> Task(TaskView), changes [Tasks];
    /// Runs the set-up in an attempt's worktree.
    task_setup: TaskSetup(of: AttemptId) -> SetUp(CommandResult), changes [Tasks];
    /// Runs the checks in an attempt's worktree and records their exit codes.
    task_check: TaskCheck(of: AttemptId) -> CheckRun(CheckRun), changes [Tasks];
    /// The changes of an attempt.
    task_diff: TaskDiff(wanted: DiffQuery) -> TaskDiff(Diff), reads [Tasks, Runs];
    /// Saves what lies in an attempt's worktree, without touching its index or branch.
    task_save: TaskSave(make: SavepointMake) -> Savepoint(Savepoint), changes [Tasks];
    /// Puts files of an attempt back.
    task_revert: TaskRevert(revert: FilesRevert) -> Savepoint(Savepoint), changes [Tasks];
    /// Comments on an attempt, with the places of their lines now, and one message made of the open ones.
    task_comments: TaskComments(of: AttemptId) -> Comments(TaskComments), reads [Tasks, Runs];
    /// Comments on a line of an attempt.
    task_comment: TaskComment(add: CommentAdd) -> Comment(Comment), changes [Tasks];
    /// Marks comments as open, sent or settled.
    task_comment_set: TaskCommentSet(set: CommentsSet) -> Done, changes [Tasks];
    /// Merges an attempt into its target. Conflicts and uncommitted files in the way are reported before anything is touched.
    task_merge: TaskMerge(wanted: MergeOptions) -> Merged(MergeOutcome), changes [Tasks];
    /// Ends an attempt without a merge, or chooses it.
    task_end: TaskEnd(end: AttemptEnd) -> Removals(Vec<Removal>), changes [Tasks];
    /// Takes back the last end of an attempt, or the last files that were put back.
    task_undo: TaskUndo(of: TaskRef) -> Undone(UndoOutcome), changes [Tasks];
    /// Deletes the record of a task whose worktrees are gone, with all that was kept for undoing.
    task_forget: TaskForget(of: TaskRef) -> Done, changes [Tasks];
}
