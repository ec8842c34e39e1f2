//! What a surface and the core say to each other: the table of commands, their parameters and answers, and events.
//!
//! A file holds the types of one noun; [`commands`](crate::COMMANDS) is the table. Plain data with public fields.
//!
//! Architecture invariant: no logic, no files, no transport. The page's client is generated from here by a test
//! (`tests/it/typescript.rs`).

mod agent;
mod app;
mod automation;
mod backup;
mod chat;
mod check;
mod checkpoint;
mod commands;
mod compare;
mod connection;
mod declaration;
mod document;
mod event;
mod frame;
mod knowledge;
mod mission;
mod organise;
mod response;
mod run;
mod session;
mod source;
mod task;
mod theme;
mod tokens;
mod transfer;
mod undo;
mod usage;
mod web;
mod workspace;

pub use agent::{AgentFiles, AgentMake, AgentRow, AgentStage, AgentView, FileEdit, FileProblem, PromptText};
pub use app::{AppInfo, Check, CheckState, ColorMode, SearchHit, SearchKind, Settings, SettingsPatch};
pub use automation::{
    AutomationDone, AutomationEnable, AutomationFire, AutomationHistory, AutomationPage, AutomationRef,
    AutomationRow, AutomationSave, AutomationState, AutomationView, SessionAutomation,
};
pub use backup::{
    BackupDifference, BackupEvery, BackupKind, BackupList, BackupNow, BackupRef, BackupRestore, BackupRow,
    BackupSession, BackupSettings, BackupView, CleanKind, Cleaned, DataCheck, DataClean, DataPart, DataSizes,
    DraftKey, LargeSession, OrphanFolder, Restored, RetentionQuery, RetentionRun, RetentionSettings,
    RetentionState, SessionCopy,
};
pub use chat::{
    ApprovalVerdict, AttachmentAdd, AttachmentView, AuditRow, ChatState, Completion, FolderSeen, GrantRow,
    HelpPage, PermissionState, PlanVerdict, PromptView, QueuedMessage, RuleLayer, RuleRow, Sent, SetupPatch,
    ShellOutput, ShellRow, SkillRow, SkillView, StageAccess, TurnSend,
};
pub use check::{AnswersCheck, DocumentLock, ParagraphState, ParagraphStateRow, RunCheck};
pub use checkpoint::{CheckpointResume, CheckpointRow, RunProgress, TableCell, TableView};
pub use commands::{COMMANDS, Client, Request};
pub use compare::{
    ComparedRun, ComparedStatement, PairKind, RunComparison, RunPair, SourcePair, StatementPair, WordRow,
    WordSpan,
};
pub use connection::{
    ConnectionPreset, ConnectionRow, ConnectionSave, ConnectionShare, ConnectionTest, ConnectionView,
    CredentialState, ImportedCredentials, ModelPatch, ModelRow, SignIn, SignInState, TestVerdict, VaultEntry,
    VaultProtection, VaultStatus, auth_word,
};
pub use declaration::{Command, PendingAnswer, Scope, TypedAnswer};
pub use document::{
    AxisRow, CitationRow, DocumentText, ExportFormat, Exported, MainDocument, NeighbourText, NoteRow,
    PageMark, PagePicture, PagePictureQuery, ParagraphView, SentenceCount, SentenceProblem, StatementRow,
    StatementState, StruckWords, TextRange,
};
pub use event::{ApiEvent, DiagramCheck, DiagramVerdict, JobKind, JobState, JobStatus, Tag};
pub use frame::{ClientCommand, Frame, Hidden};
pub use knowledge::{
    BaseAdd, BaseGraph, BaseParagraphs, BaseReading, BaseRow, BaseSearch, BaseShare, BaseSource, BaseView,
    CatalogEntry, FilePreview, GraphEdge, GraphNode, IngestPreview, IngestRequest, KnowledgeCatalog,
    KnowledgeSearch, ParagraphPage, ParagraphRow, PathKind, PathRow, PreviewHeading, PreviewParagraph,
    ReadingNote, RuleSetRow, SearchExplained, SearchRow, TermShare, UnreadFile, UploadPart, Uploaded,
};
pub use mission::{
    MissionForecast, MissionGraphQuery, MissionLimits, MissionRow, MissionStart, MissionSteer, ProfileMode,
    ProfileRow,
};
pub use organise::{
    Completed, ContentHits, ContentQuery, Excerpt, GroupFilter, GroupQuery, GroupRow, LabelEdit, LabelRow,
    MessageHit, Organisation, RuleTried, RuleTry, SessionHit, StatusEdit, StatusRow, ViewEdit, ViewRow,
    ViewTried, ViewTry,
};
pub use response::Response;
pub use run::{
    AnsweredPause, CallRow, CallState, ChildRow, DocumentCard, GateAttempt, GateRow, Headline, HeadlineLevel,
    ReuseRow, RunFound, RunKind, RunPage, RunRef, RunRow, RunState, SectionRow, StageDetail, StagePhase,
    StageRow, TurnEvents,
};
pub use session::{
    Draft, LatestRun, SessionCounts, SessionPage, SessionPatch, SessionQuery, SessionRow, SessionSort,
    SessionState, SessionView,
};
pub use source::{
    OmittedTool, OpenApiPreview, SecretUse, SourceCalled, SourceCheck, SourceDraft, SourceLog, SourceNeeds,
    SourcePreset, SourceRow, SourceRowKind, SourceSave, SourceStatus, SourceTest, SourceView, ToolRow,
    WebSearchState,
};
pub use task::{
    AttemptAdd, AttemptEnd, CommandsApprove, CommentsSet, DeclaredCommands, FilesRevert, RepositoryRef,
    SavepointMake, TaskComments, TaskRef, TaskRunState, TaskStart,
};
pub use theme::{
    ThemeImported, ThemeList, ThemePlace, ThemeRemark, ThemeRemove, ThemeRow, ThemeSave, ThemeText,
};
pub use tokens::{RequestTokens, RunTokens, SectionTokens, StrategyTokens, TokenStrategy, TokenSum};
pub use transfer::{
    CapsuleOptions, CapsuleWritten, ExportOptions, ExportPreview, ExportWritten, ImportDone, ImportFrom,
    ImportJob, ImportKind, ImportOptions, ImportPlace, ImportView, ImportWorkspace, SharePageOptions,
    ShareRevoke, ShareRow, TransferFormat,
};
pub use undo::{ChangedFile, FileChangeKind, FileTexts, FileUndoState, TurnChanges, TurnUndo};
pub use usage::{
    AgentForecasts, Forecast, ForecastQuery, ForecastReport, ForecastStage, LimitReport, LimitSpending,
    UsageQuery, UsageRow, UsageSum, UsageSummary,
};
pub use web::{WaitingHost, WebBlock, WebDecision, WebLogLine, WebPage, WebPages, WebPolicy, WebText};
pub use workspace::{
    ConfigProblemRow, SessionMove, WorkspaceCreate, WorkspaceDefaultsView, WorkspaceFolder, WorkspaceRemove,
    WorkspaceRemoved, WorkspaceRestore, WorkspaceRow, WorkspaceUpdate,
};
