//! Wire types: what commands take and give. Plain data with public fields; no logic.

mod agent;
mod app;
mod automation;
mod chat;
mod connection;
mod document;
mod event;
mod keeping;
mod knowledge;
mod organise;
mod run;
mod session;
mod source;
mod theme;
mod transfer;
mod undo;
mod usage;
mod workspace;

pub use agent::{AgentRow, AgentStage, AgentView, FileProblem, PromptText};
pub use app::{AppInfo, Check, CheckState, ColorMode, SearchHit, SearchKind, Settings, SettingsPatch};
pub use automation::{
    AutomationDone, AutomationEnable, AutomationFire, AutomationHistory, AutomationPage, AutomationRef,
    AutomationRow, AutomationSave, AutomationState, AutomationView, BegunBy,
};
pub use chat::{
    ApprovalVerdict, AttachmentAdd, AttachmentView, AuditRow, ChatState, Completion, GrantRow, HelpPage,
    PermissionState, PlanVerdict, PromptView, QueuedMessage, RuleLayer, RuleRow, Sent, SetupPatch,
    ShellOutput, ShellRow, SkillRow, SkillView, TurnSend,
};
pub use connection::{
    ConnectionPreset, ConnectionRow, ConnectionSave, ConnectionTest, ConnectionView, CredentialState,
    ImportedCredentials, ModelPatch, ModelRow, SignIn, SignInState, TestVerdict, VaultEntry, VaultProtection,
    VaultStatus, auth_word,
};
pub use document::{
    AxisRow, CitationRow, DocumentText, ExportFormat, Exported, NeighbourText, ParagraphView, SentenceCount,
    SentenceProblem, TextRange,
};
pub use event::{ApiEvent, JobKind, JobState, JobStatus, Tag};
pub use keeping::{
    BackupDifference, BackupEvery, BackupKind, BackupList, BackupNow, BackupRef, BackupRestore, BackupRow,
    BackupSession, BackupSettings, BackupView, CleanKind, Cleaned, DataCheck, DataClean, DataPart, DataSizes,
    DraftKey, LargeSession, OrphanFolder, Restored, RetentionQuery, RetentionRun, RetentionSettings,
    RetentionState, SessionCopy,
};
pub use knowledge::{
    BaseAdd, BaseGraph, BaseParagraphs, BaseRow, BaseSearch, BaseSource, BaseView, CatalogEntry, FilePreview,
    GraphEdge, GraphNode, IngestPreview, IngestRequest, KnowledgeCatalog, KnowledgeSearch, ParagraphPage,
    ParagraphRow, PreviewHeading, PreviewParagraph, RuleSetRow, SearchExplained, SearchRow, TermShare,
};
pub use organise::{
    Completed, ContentHits, ContentQuery, Excerpt, GroupQuery, GroupRow, InGroup, LabelEdit, LabelRow,
    MessageHit, Organisation, RuleTried, RuleTry, SessionHit, StatusEdit, StatusRow, ViewEdit, ViewRow,
    ViewTried, ViewTry,
};
pub use run::{
    AnsweredPause, CallRow, DocumentCard, RunPage, RunRef, RunRow, RunState, SectionRow, StageDetail,
    StageRow,
};
pub use session::{
    Draft, LatestRun, SessionCounts, SessionPage, SessionPatch, SessionQuery, SessionRow, SessionState,
    SessionView,
};
pub use source::{
    OpenApiPreview, SecretUse, SourceCalled, SourceCheck, SourceLog, SourcePreset, SourceRow, SourceSave,
    SourceTest, SourceView, ToolRow,
};
pub use theme::{
    ThemeImported, ThemeList, ThemePlace, ThemeRemark, ThemeRemove, ThemeRow, ThemeSave, ThemeText,
};
pub use transfer::{
    ExportOf, ExportPreview, ExportWritten, ImportDone, ImportFrom, ImportJob, ImportKind, ImportOf,
    ImportView, ImportWorkspace, ShareOf, ShareRevoke, ShareRow, TransferFormat,
};
pub use undo::{ChangedFile, FileDeed, FileStanding, FileTexts, TurnChanges, TurnUndo};
pub use usage::{Forecast, ForecastQuery, ForecastStage, UsageQuery, UsageRow, UsageSum, UsageSummary};
pub use workspace::{
    ConfigProblemRow, SessionMove, WorkspaceCreate, WorkspaceDefaultsView, WorkspaceFolder, WorkspaceRemove,
    WorkspaceRemoved, WorkspaceRestore, WorkspaceRow, WorkspaceUpdate,
};
