//! The table of commands: for each its answer, whether it changes anything, what it is serialised with, and which cached
//! data it makes stale. The TypeScript client is generated from it.

use crate::request::Request;
use crate::wire::{RunRef, Tag};

/// A command as surfaces need to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Command {
    /// Its name on the wire.
    pub name: &'static str,
    /// The answer's name on the wire.
    pub answer: &'static str,
    /// Cached data that it makes stale; empty for a command that only reads.
    pub changes: &'static [Tag],
}

const fn command(name: &'static str, answer: &'static str, changes: &'static [Tag]) -> Command {
    Command { name, answer, changes }
}

/// Every command, in the order of [`Request`].
pub const COMMANDS: &[Command] = &[
    command("run_start", "run", &[Tag::Sessions, Tag::Runs]),
    command("run_resume", "run", &[Tag::Sessions, Tag::Runs]),
    command("run_answer", "answered", &[Tag::Sessions, Tag::Runs]),
    command("run_guide", "done", &[Tag::Runs]),
    command("run_cancel", "done", &[Tag::Sessions, Tag::Runs]),
    command("run_suspend", "done", &[Tag::Sessions, Tag::Runs]),
    command("run_list", "runs", &[]),
    command("run_show", "run_state", &[]),
    command("run_stage", "stage_detail", &[]),
    command("run_export", "written", &[]),
    command("run_document", "document", &[]),
    command("session_list", "sessions", &[]),
    command("session_counts", "session_counts", &[]),
    command("session_show", "session_state", &[]),
    command("session_update", "done", &[Tag::Sessions]),
    command("session_purge", "purged", &[Tag::Sessions, Tag::Runs, Tag::Drafts]),
    command("session_export", "exported", &[]),
    command("draft_save", "done", &[Tag::Drafts]),
    command("draft_show", "draft", &[]),
    command("paragraph_show", "paragraph", &[]),
    command("agent_list", "agents", &[]),
    command("agent_show", "agent", &[]),
    command("source_list", "sources", &[]),
    command("source_show", "source", &[]),
    command("source_test", "source_test", &[]),
    command("base_list", "bases", &[]),
    command("base_show", "base", &[]),
    command("base_paragraphs", "paragraphs", &[]),
    command("base_search", "hits", &[]),
    command("knowledge_search", "hits", &[]),
    command("base_graph", "graph", &[]),
    command("knowledge_catalog", "catalog", &[]),
    command("base_preview", "preview", &[]),
    command("base_ingest", "job", &[Tag::Jobs]),
    command("base_add", "job", &[Tag::Jobs]),
    command("model_add", "job", &[Tag::Jobs]),
    command("base_watch", "done", &[Tag::Bases]),
    command("base_remove", "done", &[Tag::Bases]),
    command("job_list", "jobs", &[]),
    command("job_cancel", "done", &[Tag::Jobs]),
    command("settings_show", "settings", &[]),
    command("settings_update", "settings", &[Tag::Settings]),
    command("workspace_list", "workspaces", &[]),
    command("workspace_create", "workspace", &[Tag::Workspaces]),
    command("workspace_update", "workspace", &[Tag::Workspaces]),
    command("workspace_remove", "workspace_removed", &[Tag::Workspaces, Tag::Sessions, Tag::Problems]),
    command("workspace_restore", "workspace", &[Tag::Workspaces, Tag::Sessions, Tag::Problems]),
    command("workspace_open_folder", "workspace", &[Tag::Workspaces, Tag::Sessions, Tag::Problems]),
    command("session_move", "done", &[Tag::Sessions, Tag::Workspaces]),
    command("config_problems", "config_problems", &[]),
    command("connection_list", "connections", &[]),
    command("connection_show", "connection", &[]),
    command("connection_presets", "presets", &[]),
    command("connection_save", "connection", &[Tag::Connections]),
    command("connection_remove", "done", &[Tag::Connections, Tag::Settings]),
    command("connection_test", "tested", &[Tag::Connections]),
    command("connection_try", "tested", &[]),
    command("connection_models", "connection", &[Tag::Connections]),
    command("model_update", "connection", &[Tag::Connections]),
    command("sign_in_begin", "sign_in", &[]),
    command("sign_in_show", "sign_in", &[]),
    command("sign_in_cancel", "done", &[]),
    command("vault_show", "vault", &[]),
    command("vault_unlock", "vault", &[Tag::Connections]),
    command("vault_lock", "vault", &[Tag::Connections]),
    command("vault_protect", "vault", &[Tag::Connections]),
    command("secret_put", "done", &[Tag::Connections]),
    command("secret_remove", "done", &[Tag::Connections]),
    command("credentials_import", "imported", &[Tag::Connections]),
    command("usage_show", "usage", &[]),
    command("usage_list", "usage_rows", &[]),
    command("usage_export", "exported", &[]),
    command("run_forecast", "forecast", &[]),
    command("turn_send", "sent", &[Tag::Sessions, Tag::Runs, Tag::Drafts]),
    command("turn_show", "turn", &[]),
    command("turn_step", "step", &[]),
    command("turn_stop", "done", &[Tag::Sessions, Tag::Runs]),
    command("turn_resume", "done", &[Tag::Sessions, Tag::Runs]),
    command("approval_answer", "done", &[Tag::Sessions, Tag::Permissions]),
    command("question_answer", "done", &[Tag::Sessions]),
    command("plan_answer", "sent", &[Tag::Sessions, Tag::Runs]),
    command("session_setup", "done", &[Tag::Sessions]),
    command("session_branch", "branched", &[Tag::Sessions, Tag::Runs]),
    command("session_compact", "sent", &[Tag::Sessions, Tag::Runs]),
    command("queue_change", "done", &[Tag::Sessions, Tag::Runs]),
    command("mention_complete", "completions", &[]),
    command("attachment_add", "attachment", &[]),
    command("attachment_show", "attachment_view", &[]),
    command("shell_show", "shell", &[]),
    command("shell_kill", "done", &[Tag::Sessions]),
    command("skill_list", "skills", &[]),
    command("skill_show", "skill", &[]),
    command("help_list", "help_pages", &[]),
    command("help_show", "help_page", &[]),
    command("prompt_show", "prompt", &[]),
    command("permission_show", "permissions", &[]),
    command("grant_revoke", "done", &[Tag::Permissions]),
    command("audit_list", "audit", &[]),
    command("source_save", "source", &[Tag::Sources]),
    command("source_remove", "done", &[Tag::Sources]),
    command("source_enable", "done", &[Tag::Sources]),
    command("source_presets", "source_presets", &[]),
    command("source_call", "called", &[]),
    command("source_trust", "source", &[Tag::Sources]),
    command("source_log", "source_log", &[]),
    command("source_import", "openapi", &[]),
    command("source_sign_in", "sign_in", &[]),
    command("search", "found", &[]),
    command("app_info", "app_info", &[]),
    command("app_check", "checks", &[]),
    command("plan_submit", "sent", &[Tag::Sessions, Tag::Runs]),
    command("turn_changes", "changes", &[]),
    command("turn_undo", "changes", &[Tag::Sessions, Tag::Permissions]),
    command("organise_show", "organisation", &[]),
    command("status_edit", "organisation", &[Tag::Sessions, Tag::Organisation]),
    command("label_edit", "organisation", &[Tag::Sessions, Tag::Organisation]),
    command("view_edit", "organisation", &[Tag::Organisation]),
    command("view_try", "view_tried", &[]),
    command("rule_try", "rule_tried", &[]),
    command("session_groups", "groups", &[]),
    command("content_search", "content_hits", &[]),
    command("theme_list", "themes", &[]),
    command("theme_save", "theme", &[Tag::Themes]),
    command("theme_remove", "done", &[Tag::Themes]),
    command("theme_import", "theme_imported", &[]),
    command("automation_list", "automations", &[]),
    command("automation_show", "automation", &[]),
    command("automation_save", "automation", &[Tag::Automations]),
    command("automation_try", "automation", &[]),
    command("automation_remove", "done", &[Tag::Automations]),
    command("automation_enable", "automation", &[Tag::Automations]),
    command("automation_fire", "automation_did", &[Tag::Automations, Tag::Sessions, Tag::Runs]),
    command("automation_history", "automation_did", &[]),
    command("backup_now", "job", &[Tag::Jobs]),
    command("backup_list", "backups", &[]),
    command("backup_inspect", "backup", &[]),
    command("backup_verify", "job", &[Tag::Jobs]),
    command("backup_restore", "restored", &[Tag::Sessions, Tag::Runs, Tag::Backups]),
    command("backup_remove", "done", &[Tag::Backups]),
    command("data_show", "data", &[]),
    command("data_clean", "cleaned", &[Tag::Sessions, Tag::Runs, Tag::Drafts, Tag::Backups]),
    command("data_check", "job", &[Tag::Jobs]),
    command("retention", "retention", &[]),
    command("session_duplicate", "branched", &[Tag::Sessions, Tag::Runs]),
    command("draft_earlier", "drafts", &[]),
    command("export_preview", "export_preview", &[]),
    command("export_write", "export_written", &[]),
    command("import_inspect", "import_view", &[]),
    command("import_run", "job", &[Tag::Jobs]),
    command("import_show", "import_done", &[]),
    command("share_add", "shares", &[]),
    command("share_list", "shares", &[]),
    command("share_revoke", "done", &[]),
];

/// What a command is carried out one at a time with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Nothing: any number at once.
    Free,
    /// Other changes of the same run.
    Run(String),
    /// Other changes of sessions.
    Sessions,
    /// Other changes of the same session.
    Session(String),
    /// Other changes of sources.
    Sources,
    /// Other changes of the same knowledge base.
    Base(String),
    /// Other changes of connections and the vault.
    Connections,
    /// Other changes of settings.
    Settings,
    /// Other changes of automations.
    Automations,
    /// Other changes of the list of workspaces.
    Workspaces,
}

impl Request {
    /// What it is carried out one at a time with. The engine itself orders the commands of one run.
    pub fn scope(&self) -> Scope {
        match self {
            Self::RunExport { run, .. } => match run {
                RunRef::Id(id) => Scope::Run(id.clone()),
                RunRef::Last | RunRef::LastOpen => Scope::Free,
            },
            Self::SessionMove(_)
            | Self::SessionUpdate { .. }
            | Self::SessionPurge { .. }
            | Self::StatusEdit(_)
            | Self::LabelEdit(_)
            | Self::ViewEdit(_) => Scope::Sessions,
            Self::BaseIngest(ingest) => Scope::Base(ingest.base.clone()),
            Self::BaseRemove { base } | Self::BaseWatch { base, .. } => Scope::Base(base.clone()),
            Self::WorkspaceCreate(_)
            | Self::WorkspaceUpdate(_)
            | Self::WorkspaceRemove(_)
            | Self::WorkspaceRestore(_)
            | Self::WorkspaceOpenFolder(_) => Scope::Workspaces,
            Self::AutomationSave(_) | Self::AutomationRemove(_) | Self::AutomationEnable(_) => {
                Scope::Automations
            }
            Self::SettingsUpdate(_) | Self::ThemeSave(_) | Self::ThemeRemove(_) => Scope::Settings,
            Self::RunStart(_)
            | Self::RunResume { .. }
            | Self::RunAnswer { .. }
            | Self::RunGuide { .. }
            | Self::RunCancel { .. }
            | Self::RunSuspend { .. }
            | Self::RunList { .. }
            | Self::RunShow { .. }
            | Self::RunStage { .. }
            | Self::RunDocument { .. }
            | Self::SessionList(_)
            | Self::SessionCounts
            | Self::SessionShow { .. }
            | Self::SessionExport { .. }
            | Self::DraftSave { .. }
            | Self::DraftShow { .. }
            | Self::ParagraphShow { .. }
            | Self::AgentList
            | Self::AgentShow { .. }
            | Self::SourceList
            | Self::SourceShow { .. }
            | Self::SourceTest { .. }
            | Self::BaseList
            | Self::BaseShow { .. }
            | Self::BaseParagraphs(_)
            | Self::BaseSearch(_)
            | Self::KnowledgeSearch(_)
            | Self::BaseGraph { .. }
            | Self::KnowledgeCatalog
            | Self::BasePreview(_)
            | Self::BaseAdd(_)
            | Self::ModelAdd { .. }
            | Self::JobList
            | Self::JobCancel { .. }
            | Self::SettingsShow
            | Self::ThemeList
            | Self::ExportPreview(_)
            | Self::ExportWrite(_)
            | Self::ImportInspect(_)
            | Self::ImportRun(_)
            | Self::ImportShow(_)
            | Self::ShareAdd(_)
            | Self::ShareList
            | Self::ShareRevoke(_)
            | Self::ThemeImport(_)
            | Self::WorkspaceList
            | Self::ConfigProblems
            | Self::ConnectionList
            | Self::Search { .. }
            | Self::OrganiseShow
            | Self::ViewTry(_)
            | Self::RuleTry(_)
            | Self::SessionGroups(_)
            | Self::ContentSearch(_)
            | Self::AutomationList
            | Self::AutomationShow(_)
            | Self::AutomationTry(_)
            | Self::AutomationFire(_)
            | Self::AutomationHistory(_)
            | Self::AppInfo
            | Self::AppCheck
            | Self::ConnectionShow { .. }
            | Self::ConnectionPresets
            | Self::ConnectionTest { .. }
            | Self::ConnectionTry(_)
            | Self::ConnectionModels { .. }
            | Self::SignInBegin { .. }
            | Self::SignInShow { .. }
            | Self::SignInCancel { .. }
            | Self::VaultShow
            | Self::UsageShow(_)
            | Self::UsageList { .. }
            | Self::UsageExport(_)
            | Self::RunForecast(_)
            | Self::TurnSend(_)
            | Self::TurnShow { .. }
            | Self::TurnStep { .. }
            | Self::TurnStop { .. }
            | Self::TurnChanges { .. }
            | Self::TurnUndo(_)
            | Self::TurnResume { .. }
            | Self::ApprovalAnswer { .. }
            | Self::QuestionAnswer { .. }
            | Self::PlanAnswer { .. }
            | Self::SessionBranch { .. }
            | Self::SessionCompact { .. }
            | Self::MentionComplete { .. }
            | Self::AttachmentAdd(_)
            | Self::AttachmentShow { .. }
            | Self::ShellShow { .. }
            | Self::ShellKill { .. }
            | Self::SkillList { .. }
            | Self::SkillShow { .. }
            | Self::HelpList
            | Self::HelpShow { .. }
            | Self::PromptShow { .. }
            | Self::BackupNow(_)
            | Self::BackupList
            | Self::BackupInspect(_)
            | Self::BackupVerify(_)
            | Self::BackupRestore(_)
            | Self::BackupRemove(_)
            | Self::DataShow
            | Self::DataClean(_)
            | Self::DataCheck(_)
            | Self::Retention(_)
            | Self::SessionDuplicate(_)
            | Self::DraftEarlier(_)
            | Self::PermissionShow
            | Self::GrantRevoke { .. }
            | Self::AuditList { .. }
            | Self::SourcePresets
            | Self::SourceCall { .. }
            | Self::SourceLog { .. }
            | Self::SourceImport { .. }
            | Self::SourceSignIn { .. } => Scope::Free,
            Self::SessionSetup { session, .. }
            | Self::QueueChange { session, .. }
            | Self::PlanSubmit { session, .. } => Scope::Session(session.clone()),
            Self::SourceSave(_)
            | Self::SourceRemove { .. }
            | Self::SourceEnable { .. }
            | Self::SourceTrust { .. } => Scope::Sources,
            Self::ConnectionSave(_)
            | Self::ConnectionRemove { .. }
            | Self::ModelUpdate(_)
            | Self::VaultUnlock { .. }
            | Self::VaultLock
            | Self::VaultProtect { .. }
            | Self::SecretPut { .. }
            | Self::SecretRemove { .. }
            | Self::CredentialsImport { .. } => Scope::Connections,
        }
    }
}
