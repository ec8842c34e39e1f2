//! What expressions are evaluated on.

use super::names::Field;
use super::value::Value;
use crate::labels::LabelList;

/// All that is known of a session. Times are milliseconds since 1970, 0 where there is none.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(missing_docs)] // named as the fields, which say what they hold
pub struct Facts {
    pub name: String,
    pub preview: String,
    pub session_status: String,
    pub permission_mode: String,
    pub connection: String,
    pub model: String,
    pub agent: String,
    pub run_status: String,
    pub last_message_role: String,
    pub last_used_at: i64,
    pub last_message_at: i64,
    pub created_at: i64,
    pub message_count: u64,
    pub is_flagged: bool,
    pub has_unread: bool,
    pub is_processing: bool,
    pub needs_you: bool,
    pub is_archived: bool,
    pub has_pending_plan: bool,
    pub has_document: bool,
    pub has_draft: bool,
    pub has_attachments: bool,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub total_tokens: u64,
    pub context_tokens: u64,
    pub cost_usd: f64,
    pub labels: Vec<String>,
    pub sources: Vec<String>,
}

impl Facts {
    /// What a field holds.
    pub(crate) fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Name => Value::text(&self.name),
            Field::Preview => Value::text(&self.preview),
            Field::SessionStatus => Value::text(&self.session_status),
            Field::PermissionMode => Value::text(&self.permission_mode),
            Field::Connection => Value::text(&self.connection),
            Field::Model => Value::text(&self.model),
            Field::Agent => Value::text(&self.agent),
            Field::RunStatus => Value::text(&self.run_status),
            Field::LastMessageRole => Value::text(&self.last_message_role),
            Field::LastUsedAt => Value::Number(self.last_used_at as f64),
            Field::LastMessageAt => Value::Number(self.last_message_at as f64),
            Field::CreatedAt => Value::Number(self.created_at as f64),
            Field::MessageCount => Value::Number(self.message_count as f64),
            Field::LabelCount => Value::Number(self.labels.len() as f64),
            Field::IsFlagged => Value::flag(self.is_flagged),
            Field::HasUnread => Value::flag(self.has_unread),
            Field::IsProcessing => Value::flag(self.is_processing),
            Field::NeedsYou => Value::flag(self.needs_you),
            Field::IsArchived => Value::flag(self.is_archived),
            Field::HasPendingPlan => Value::flag(self.has_pending_plan),
            Field::HasDocument => Value::flag(self.has_document),
            Field::HasDraft => Value::flag(self.has_draft),
            Field::HasAttachments => Value::flag(self.has_attachments),
            Field::InputTokens => Value::Number(self.input_tokens as f64),
            Field::OutputTokens => Value::Number(self.output_tokens as f64),
            Field::TotalTokens => Value::Number(self.total_tokens as f64),
            Field::ContextTokens => Value::Number(self.context_tokens as f64),
            Field::CostUsd => Value::Number(self.cost_usd),
            Field::Labels => Value::texts(&self.labels),
            Field::Sources => Value::texts(&self.sources),
        }
    }

    /// The texts of a field that is a list of them.
    pub(crate) fn texts(&self, field: Field) -> Option<&[String]> {
        if field == Field::Labels {
            Some(&self.labels)
        } else if field == Field::Sources {
            Some(&self.sources)
        } else {
            None
        }
    }
}

/// What evaluation depends on besides a session.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scope<'a> {
    /// Milliseconds since 1970.
    pub now_ms: i64,
    /// The time zone's offset from UTC, in minutes; east is positive.
    pub offset_minutes: i32,
    /// The tree of labels: a label stands for those below it, too.
    pub labels: Option<&'a LabelList>,
}

impl Scope<'_> {
    /// A label and all below it; a label that the tree does not have stands for itself.
    pub(crate) fn family(&self, id: &str) -> Vec<String> {
        let below = self.labels.map(|labels| labels.family(id)).unwrap_or_default();
        if below.is_empty() { vec![id.to_owned()] } else { below }
    }
}
