//! What commands answer.

use ::transfer::CapsuleReport;
use domain::{RunId, RunStatus};
use engine_types::{Answered, Exit, JournalLine, MissionView, Replay};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use worktrees::{
    CheckRun, CommandResult, Comment, Diff, MergeOutcome, Removal, Savepoint, TaskList, TaskView, UndoOutcome,
};

use crate::{
    AgentFiles, AgentRow, AgentView, AnswersCheck, AppInfo, AttachmentView, AuditRow, AutomationDone,
    AutomationPage, AutomationView, BackupList, BackupView, BaseGraph, BaseRow, BaseView, CapsuleWritten,
    Check, Cleaned, Completion, ConfigProblemRow, ConnectionPreset, ConnectionRow, ConnectionTest,
    ConnectionView, ContentHits, DataSizes, DeclaredCommands, DiagramVerdict, DocumentText, Draft,
    ExportPreview, ExportWritten, Exported, FileProblem, FolderSeen, Forecast, ForecastReport, GroupRow,
    HelpPage, ImportDone, ImportPlace, ImportView, ImportedCredentials, IngestPreview, JobState,
    KnowledgeCatalog, LimitReport, MissionForecast, MissionRow, OpenApiPreview, Organisation, PagePicture,
    ParagraphPage, ParagraphView, PathRow, PermissionState, ProfileRow, PromptView, Restored, RetentionState,
    RuleTried, RunCheck, RunComparison, RunFound, RunPage, RunProgress, RunState, RunTokens, SearchExplained,
    SearchHit, Sent, SessionCounts, SessionPage, SessionState, Settings, ShareRow, ShellOutput, SignIn,
    SkillRow, SkillView, SourceCalled, SourceDraft, SourceLog, SourceNeeds, SourcePreset, SourceRow,
    SourceTest, SourceView, StageAccess, StageDetail, TaskComments, TaskRunState, TaskStart, ThemeImported,
    ThemeList, ThemeRow, TurnChanges, TurnEvents, Uploaded, UsageRow, UsageSummary, VaultStatus, ViewTried,
    WebLogLine, WebPage, WebPages, WebPolicy, WebSearchState, WebText, WorkspaceRemoved, WorkspaceRow,
};

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
    RunFound(RunFound),
    Replayed(Replay),
    StageDetail(Box<StageDetail>),
    Progress(Box<RunProgress>),
    /// The Markdown document's path, where there is one.
    Written(Option<String>),
    /// The document, where there is one.
    Document(Option<Box<DocumentText>>),
    Compared(Box<RunComparison>),
    RunTokens(Box<RunTokens>),
    Checked(RunCheck),
    AnswersChecked(AnswersCheck),
    Profiles(Vec<ProfileRow>),
    Missions(Vec<MissionRow>),
    MissionForecast(Box<MissionForecast>),
    Mission(Box<MissionView>),
    MissionJournal(Vec<JournalLine>),
    MissionGraph(Box<evidence_graph::Page>),
    ClaimProvenance(Box<evidence_graph::Provenance>),
    Neighbourhood(Box<evidence_graph::Neighbourhood>),
    Sessions(SessionPage),
    SessionCounts(SessionCounts),
    SessionState(Box<SessionState>),
    /// How many were deleted for good.
    Purged(u32),
    Exported(Exported),
    Draft(Option<Draft>),
    Paragraph(Box<ParagraphView>),
    Page(Box<PagePicture>),
    Agents(Vec<AgentRow>),
    Agent(Box<AgentView>),
    AgentFiles(AgentFiles),
    /// What is wrong; none: nothing.
    Problems(Vec<FileProblem>),
    Sources(Vec<SourceRow>),
    Source(Box<SourceView>),
    WebPages(WebPages),
    WebText(Box<WebText>),
    WebPage(Box<WebPage>),
    WebPolicy(WebPolicy),
    WebLog(Vec<WebLogLine>),
    SourceTest(Box<SourceTest>),
    Bases(Vec<BaseRow>),
    Base(Box<BaseView>),
    Paragraphs(ParagraphPage),
    Hits(SearchExplained),
    Graph(BaseGraph),
    Catalog(KnowledgeCatalog),
    Preview(IngestPreview),
    Paths(Vec<PathRow>),
    Uploaded(Uploaded),
    /// The job that was begun.
    Job(JobState),
    Jobs(Vec<JobState>),
    Settings(Settings),
    Workspaces(Vec<WorkspaceRow>),
    Workspace(Box<WorkspaceRow>),
    WorkspaceRemoved(WorkspaceRemoved),
    ConfigProblems(Vec<ConfigProblemRow>),
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
    Limits(LimitReport),
    Forecasts(ForecastReport),
    Sent(Sent),
    Turn(Box<engine_types::TurnView>),
    TurnEvents(TurnEvents),
    Step(Box<engine_types::StepDetail>),
    /// The new session.
    Branched(String),
    /// A session's new title.
    Titled(String),
    Completions(Vec<Completion>),
    Folder(FolderSeen),
    Attachment(domain::Attachment),
    AttachmentView(Box<AttachmentView>),
    Shell(ShellOutput),
    Skills(Vec<SkillRow>),
    Skill(Box<SkillView>),
    HelpPages(Vec<HelpPage>),
    HelpPage(HelpPage),
    Prompt(Box<PromptView>),
    Permissions(Box<PermissionState>),
    StageAccess(Vec<StageAccess>),
    Audit(Vec<AuditRow>),
    SourcePresets(Vec<SourcePreset>),
    SourceNeeds(Box<SourceNeeds>),
    SourceDrafts(Vec<SourceDraft>),
    WebSearch(WebSearchState),
    Called(Box<SourceCalled>),
    SourceLog(Box<SourceLog>),
    Openapi(Box<OpenApiPreview>),
    Found(Vec<SearchHit>),
    AppInfo(AppInfo),
    Checks(Vec<Check>),
    Diagram(DiagramVerdict),
    Backups(Box<BackupList>),
    Backup(Box<BackupView>),
    Restored(Restored),
    Data(Box<DataSizes>),
    Cleaned(Vec<Cleaned>),
    Retention(RetentionState),
    Drafts(Vec<Draft>),
    Changes(Box<TurnChanges>),
    Automations(Box<AutomationPage>),
    Automation(Box<AutomationView>),
    /// What they did.
    AutomationDid(Vec<AutomationDone>),
    Themes(Box<ThemeList>),
    Theme(Box<ThemeRow>),
    ThemeImported(Box<ThemeImported>),
    Organisation(Box<Organisation>),
    ViewTried(ViewTried),
    RuleTried(RuleTried),
    Groups(Vec<GroupRow>),
    ContentHits(Box<ContentHits>),
    ExportPreview(Box<ExportPreview>),
    ExportWritten(ExportWritten),
    Capsule(CapsuleWritten),
    CapsuleChecked(CapsuleReport),
    ImportPlaces(Vec<ImportPlace>),
    ImportView(Box<ImportView>),
    ImportDone(Box<ImportDone>),
    Shares(Vec<ShareRow>),
    Tasks(TaskList),
    TaskRuns(Vec<TaskRunState>),
    TaskStart(TaskStart),
    Task(Box<TaskView>),
    DeclaredCommands(DeclaredCommands),
    /// How the set-up ended.
    SetUp(CommandResult),
    CheckRun(CheckRun),
    TaskDiff(Diff),
    Savepoint(Savepoint),
    Comments(TaskComments),
    Comment(Comment),
    Merged(MergeOutcome),
    /// What became of worktrees.
    Removals(Vec<Removal>),
    Undone(UndoOutcome),
}

impl Response {
    /// How a status of a run ends a drive, where it does.
    pub fn exit_of(status: RunStatus) -> Option<Exit> {
        match status {
            RunStatus::Completed => Some(Exit::Completed),
            RunStatus::Paused | RunStatus::Suspended => Some(Exit::Paused),
            RunStatus::Failed => Some(Exit::Failed),
            RunStatus::Cancelled => Some(Exit::Cancelled),
            RunStatus::Running
            | RunStatus::Waiting
            | RunStatus::Planned
            | RunStatus::Interrupted
            | RunStatus::Stopped => None,
        }
    }
}
