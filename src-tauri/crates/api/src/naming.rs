//! The row of the table for each request.

use crate::request::Request;
use crate::table::{COMMANDS, Command};

impl Request {
    /// Its row in the table.
    pub fn command(&self) -> &'static Command {
        // The table has the order of the variants; a test compares both by name.
        &COMMANDS[self.place()]
    }

    const fn place(&self) -> usize {
        match self {
            Self::RunStart(_) => 0,
            Self::RunResume { .. } => 1,
            Self::RunAnswer { .. } => 2,
            Self::RunGuide { .. } => 3,
            Self::RunCancel { .. } => 4,
            Self::RunSuspend { .. } => 5,
            Self::RunList { .. } => 6,
            Self::RunShow { .. } => 7,
            Self::RunStage { .. } => 8,
            Self::RunExport { .. } => 9,
            Self::RunDocument { .. } => 10,
            Self::SessionList(_) => 11,
            Self::SessionCounts => 12,
            Self::SessionShow { .. } => 13,
            Self::SessionUpdate { .. } => 14,
            Self::SessionPurge { .. } => 15,
            Self::SessionExport { .. } => 16,
            Self::DraftSave { .. } => 17,
            Self::DraftShow { .. } => 18,
            Self::ParagraphShow { .. } => 19,
            Self::AgentList => 20,
            Self::AgentShow { .. } => 21,
            Self::SourceList => 22,
            Self::SourceShow { .. } => 23,
            Self::SourceTest { .. } => 24,
            Self::BaseList => 25,
            Self::BaseShow { .. } => 26,
            Self::BaseParagraphs { .. } => 27,
            Self::BaseSearch { .. } => 28,
            Self::KnowledgeSearch { .. } => 29,
            Self::BaseGraph { .. } => 30,
            Self::KnowledgeCatalog => 31,
            Self::BasePreview(_) => 32,
            Self::BaseIngest(_) => 33,
            Self::BaseAdd { .. } => 34,
            Self::ModelAdd { .. } => 35,
            Self::BaseWatch { .. } => 36,
            Self::BaseRemove { .. } => 37,
            Self::JobList => 38,
            Self::JobCancel { .. } => 39,
            Self::SettingsShow => 40,
            Self::SettingsUpdate(_) => 41,
            Self::WorkspaceList => 42,
            Self::ConnectionList => 43,
            Self::ConnectionShow { .. } => 44,
            Self::ConnectionPresets => 45,
            Self::ConnectionSave(_) => 46,
            Self::ConnectionRemove { .. } => 47,
            Self::ConnectionTest { .. } => 48,
            Self::ConnectionTry(_) => 49,
            Self::ConnectionModels { .. } => 50,
            Self::ModelUpdate(_) => 51,
            Self::SignInBegin { .. } => 52,
            Self::SignInShow { .. } => 53,
            Self::SignInCancel { .. } => 54,
            Self::VaultShow => 55,
            Self::VaultUnlock { .. } => 56,
            Self::VaultLock => 57,
            Self::VaultProtect { .. } => 58,
            Self::SecretPut { .. } => 59,
            Self::SecretRemove { .. } => 60,
            Self::CredentialsImport { .. } => 61,
            Self::UsageShow(_) => 62,
            Self::UsageList { .. } => 63,
            Self::UsageExport(_) => 64,
            Self::RunForecast(_) => 65,
            Self::TurnSend(_) => 66,
            Self::TurnShow { .. } => 67,
            Self::TurnStep { .. } => 68,
            Self::TurnStop { .. } => 69,
            Self::TurnResume { .. } => 70,
            Self::ApprovalAnswer { .. } => 71,
            Self::QuestionAnswer { .. } => 72,
            Self::PlanAnswer { .. } => 73,
            Self::SessionSetup { .. } => 74,
            Self::SessionBranch { .. } => 75,
            Self::SessionCompact { .. } => 76,
            Self::QueueChange { .. } => 77,
            Self::MentionComplete { .. } => 78,
            Self::AttachmentAdd(_) => 79,
            Self::AttachmentShow { .. } => 80,
            Self::ShellShow { .. } => 81,
            Self::ShellKill { .. } => 82,
            Self::SkillList { .. } => 83,
            Self::SkillShow { .. } => 84,
            Self::HelpList => 85,
            Self::HelpShow { .. } => 86,
            Self::PromptShow { .. } => 87,
            Self::PermissionShow => 88,
            Self::GrantRevoke { .. } => 89,
            Self::AuditList { .. } => 90,
            Self::SourceSave(_) => 91,
            Self::SourceRemove { .. } => 92,
            Self::SourceEnable { .. } => 93,
            Self::SourcePresets => 94,
            Self::SourceCall { .. } => 95,
            Self::SourceTrust { .. } => 96,
            Self::SourceLog { .. } => 97,
            Self::SourceImport { .. } => 98,
            Self::SourceSignIn { .. } => 99,
            Self::Search { .. } => 100,
            Self::AppInfo => 101,
            Self::AppCheck => 102,
            Self::PlanSubmit { .. } => 103,
            Self::TurnChanges { .. } => 104,
            Self::TurnUndo(_) => 105,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_request_finds_its_own_row() {
        let samples = [
            json!({"command": "run_start", "params": {}}),
            json!({"command": "run_list", "params": {"limit": 1, "agent": null, "status": null, "before": null}}),
            json!({"command": "run_document", "params": {"run": "last"}}),
            json!({"command": "session_counts"}),
            json!({"command": "draft_show", "params": {"key": "new"}}),
            json!({"command": "paragraph_show", "params": {"base": null, "run": null, "id": "x"}}),
            json!({"command": "base_remove", "params": {"base": "b"}}),
            json!({"command": "job_list"}),
            json!({"command": "settings_show"}),
            json!({"command": "search", "params": {"text": "x"}}),
            json!({"command": "app_check"}),
        ];
        for sample in samples {
            let request: Request = serde_json::from_value(sample.clone()).unwrap();
            assert_eq!(sample["command"], request.command().name);
        }
    }
}
