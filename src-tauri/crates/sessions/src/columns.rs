//! How the fields of expressions stand in the table of sessions.

use domain::RunStatus;
use organise::{Bind, Columns, Compiled, Condition, Facts, Field, Piece, Scope};
use store::{Clause, Part, Role, Session};

use crate::list::WAITING;
use crate::lists::Lists;

const LABELS: &str = "EXISTS (SELECT 1 FROM session_labels AS x WHERE x.session = s.no AND x.entry IN (?))";
const LABEL_IDS: &str = "EXISTS (SELECT 1 FROM session_labels AS x WHERE x.session = s.no AND x.id IN (?))";
const SOURCES: &str = "EXISTS (SELECT 1 FROM session_sources AS x WHERE x.session = s.no AND x.slug IN (?))";

/// What a condition over sessions depends on besides their rows.
pub struct Context<'a> {
    lists: &'a Lists,
    scope: Scope<'a>,
    live: &'a [String],
    status: String,
    processing: String,
    needing: String,
}

impl<'a> Context<'a> {
    pub fn new(lists: &'a Lists, live: &'a [String], offset_minutes: i32) -> Self {
        // Ids of this program and of checked files: quoted all the same, and a question mark would be a placeholder.
        let text = |text: &str| format!("'{}'", text.replace('\'', "''").replace('?', ""));
        let live_ids = live.iter().map(|run| text(run)).collect::<Vec<_>>().join(", ");
        let running = RunStatus::Running;
        let waiting = WAITING.map(|status| text(status.as_str())).join(", ");
        Self {
            lists,
            scope: lists.scope(offset_minutes),
            live,
            status: format!("CASE s.status WHEN '' THEN {} ELSE s.status END", text(lists.default_status())),
            processing: format!(
                "s.latest_status = '{running}' AND coalesce(s.latest_run, '') IN ({live_ids})"
            ),
            needing: format!(
                "s.latest_status IN ({waiting}) \
                 OR (s.latest_status = '{running}' AND coalesce(s.latest_run, '') NOT IN ({live_ids}))"
            ),
        }
    }

    /// The stored form of a status in SQL: an expression over `s`.
    pub fn status(&self) -> &str {
        &self.status
    }

    /// A condition as a clause, and whether each session has to be asked about.
    pub fn compile(&self, condition: &Condition) -> (Clause, bool) {
        self.with_columns(|columns| {
            let compiled = condition.compile(columns, &self.scope);
            (clause(&compiled), compiled.exact)
        })
    }

    /// What a view sorts by, in SQL.
    pub fn order_by(&self, view: &organise::View) -> Option<String> {
        self.with_columns(|columns| view.order_by(columns))
    }

    /// Whether a condition holds for a session.
    pub fn holds(&self, condition: &Condition, session: &Session) -> bool {
        condition.holds(&self.facts(session), &self.scope)
    }

    fn with_columns<T>(&self, ask: impl FnOnce(&Columns<'_>) -> T) -> T {
        let values = [
            (Field::Name, "s.title"),
            (Field::Preview, "s.preview"),
            (Field::SessionStatus, self.status.as_str()),
            (Field::PermissionMode, "CASE s.mode WHEN '' THEN 'ask' ELSE s.mode END"),
            (Field::Connection, "s.connection"),
            (Field::Model, "s.model"),
            (Field::Agent, "s.latest_agent"),
            (Field::LastUsedAt, "s.updated_at"),
            (Field::LastMessageAt, "s.last_message_at"),
            (Field::CreatedAt, "s.created_at"),
            (Field::MessageCount, "s.messages"),
            (Field::LabelCount, "(SELECT count(*) FROM session_labels AS x WHERE x.session = s.no)"),
            (Field::IsFlagged, "s.flagged"),
            (Field::HasUnread, "s.unread"),
            (Field::IsProcessing, self.processing.as_str()),
            (Field::NeedsYou, self.needing.as_str()),
            (Field::IsArchived, "s.archived"),
            (Field::HasPendingPlan, "s.latest_status = 'planned'"),
            (Field::HasDocument, "s.documents > 0"),
            (Field::HasDraft, "EXISTS (SELECT 1 FROM drafts WHERE drafts.session = s.no)"),
            (Field::HasAttachments, "s.attachments > 0"),
            (Field::InputTokens, "s.input_tokens"),
            (Field::OutputTokens, "s.output_tokens"),
            (Field::TotalTokens, "s.input_tokens + s.output_tokens"),
            (Field::ContextTokens, "s.context_tokens"),
            (Field::CostUsd, "s.cost / 1e9"),
        ];
        let lists = [(Field::Labels, LABELS), (Field::Sources, SOURCES)];
        ask(&Columns { values: &values, lists: &lists, label_ids: Some(LABEL_IDS) })
    }

    fn facts(&self, session: &Session) -> Facts {
        let latest = session.latest.as_ref();
        let status = latest.map(|latest| RunStatus::stored(&latest.status));
        let running = status == Some(RunStatus::Running);
        let live = latest.is_some_and(|latest| self.live.contains(&latest.run));
        let waits = status.is_some_and(|status| WAITING.contains(&status));
        Facts {
            name: session.title.clone(),
            preview: session.preview.clone(),
            session_status: effective(&session.status, self.lists).to_owned(),
            permission_mode: mode_of(&session.mode).as_str().to_owned(),
            connection: session.connection.clone(),
            model: session.model.clone(),
            agent: latest.map(|latest| latest.agent.clone()).unwrap_or_default(),
            run_status: match latest {
                Some(_) if running && !live => RunStatus::Interrupted.to_string(),
                Some(latest) => latest.status.clone(),
                None => String::new(),
            },
            last_message_role: session.last_role.map(role_word).unwrap_or_default().to_owned(),
            last_used_at: session.updated_at,
            last_message_at: session.last_message_at,
            created_at: session.created_at,
            message_count: u64::from(session.messages),
            is_flagged: session.flagged,
            has_unread: session.unread,
            is_processing: running && live,
            needs_you: waits || (running && !live),
            is_archived: session.archived,
            has_pending_plan: status == Some(RunStatus::Planned),
            has_document: session.documents > 0,
            has_draft: session.has_draft,
            has_attachments: session.attachments > 0,
            input_tokens: session.input_tokens,
            output_tokens: session.output_tokens,
            total_tokens: session.input_tokens + session.output_tokens,
            context_tokens: session.context_tokens,
            cost_usd: session.nano_usd as f64 / 1e9,
            labels: session.labels.clone(),
            sources: session.sources.clone(),
        }
    }
}

/// The status that a session shows: the stored one, or the default one.
pub fn effective<'a>(stored: &'a str, lists: &'a Lists) -> &'a str {
    if stored.is_empty() { lists.default_status() } else { stored }
}

/// The mode of a stored word.
pub fn mode_of(word: &str) -> domain::Mode {
    let modes = [domain::Mode::Safe, domain::Mode::Ask, domain::Mode::AllowAll];
    modes.into_iter().find(|mode| mode.as_str() == word).unwrap_or_default()
}

/// A role as expressions know it.
fn role_word(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Tool => "tool",
        Role::Assistant | Role::Document => "assistant",
    }
}

fn clause(compiled: &Compiled) -> Clause {
    let part = |piece: Piece<'_>| match piece {
        Piece::Sql(sql) => Part::Sql(sql.to_owned()),
        Piece::Bind(Bind::Number(number)) => Part::Number(*number),
        Piece::Bind(Bind::Text(text)) => Part::Text(text.clone()),
    };
    Clause(compiled.pieces().map(part).collect())
}
