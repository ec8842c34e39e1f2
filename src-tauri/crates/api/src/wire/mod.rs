//! Wire types: what commands take and give. Plain data with public fields; no logic.

mod agent;
mod app;
mod chat;
mod connection;
mod document;
mod event;
mod knowledge;
mod run;
mod session;
mod source;
mod undo;
mod usage;

pub use agent::{AgentRow, AgentStage, AgentView, FileProblem, PromptText};
pub use app::{
    AppInfo, Check, CheckState, ColorMode, SearchHit, SearchKind, Settings, SettingsPatch, WorkspaceRow,
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
pub use knowledge::{
    BaseGraph, BaseRow, BaseSource, BaseView, CatalogEntry, FilePreview, GraphEdge, GraphNode, IngestPreview,
    IngestRequest, KnowledgeCatalog, ParagraphPage, ParagraphRow, PreviewHeading, PreviewParagraph,
    RuleSetRow, SearchExplained, SearchRow, TermShare,
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
pub use undo::{ChangedFile, FileDeed, FileStanding, FileTexts, TurnChanges, TurnUndo};
pub use usage::{Forecast, ForecastQuery, ForecastStage, UsageQuery, UsageRow, UsageSum, UsageSummary};
