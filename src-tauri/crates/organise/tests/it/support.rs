//! A session, a moment, and the tables of a database that holds sessions.

use organise::{Bind, Columns, Compiled, Expression, Facts, Field, LabelList, Piece, Scope};
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection, QueryBuilder, Row, Sqlite};

/// 2026-05-10 12:00 UTC.
pub const NOW: i64 = 1_778_414_400_000;
pub const HOUR: i64 = 3_600_000;
pub const DAY: i64 = 24 * HOUR;

pub fn session() -> Facts {
    Facts {
        name: "Fix the login".to_owned(),
        preview: "The login page shows nothing".to_owned(),
        session_status: "todo".to_owned(),
        permission_mode: "ask".to_owned(),
        model: "claude-opus-4".to_owned(),
        agent: "isa-deep-research".to_owned(),
        last_message_role: "assistant".to_owned(),
        last_used_at: NOW - 3 * DAY,
        last_message_at: NOW - 36 * HOUR,
        created_at: NOW - 10 * DAY,
        message_count: 12,
        has_unread: true,
        labels: vec!["bug".to_owned(), "priority::3".to_owned(), "due::2026-05-12".to_owned()],
        sources: vec!["linear".to_owned()],
        input_tokens: 1_000,
        output_tokens: 200,
        total_tokens: 1_200,
        cost_usd: 1.25,
        ..Facts::default()
    }
}

pub fn scope(labels: &LabelList) -> Scope<'_> {
    Scope { now_ms: NOW, offset_minutes: 120, labels: Some(labels) }
}

/// Whether an expression holds for a session; it has to be right.
pub fn holds(text: &str, facts: &Facts) -> bool {
    let labels = LabelList::shipped();
    let expression = Expression::parse(text).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"));
    expression.holds(facts, &scope(&labels))
}

pub const COLUMNS: Columns<'static> = Columns {
    values: &[
        (Field::Name, "s.name"),
        (Field::SessionStatus, "s.status"),
        (Field::PermissionMode, "s.mode"),
        (Field::Model, "coalesce(s.model, '')"),
        (Field::Agent, "s.agent"),
        (Field::LastUsedAt, "s.used_at"),
        (Field::CreatedAt, "s.created_at"),
        (Field::MessageCount, "s.messages"),
        (Field::LabelCount, "(SELECT count(*) FROM labels AS l WHERE l.session = s.no)"),
        (Field::IsFlagged, "s.flagged"),
        (Field::HasUnread, "s.unread"),
        (Field::CostUsd, "s.nano_usd / 1e9"),
    ],
    lists: &[(Field::Labels, "EXISTS (SELECT 1 FROM labels AS l WHERE l.session = s.no AND l.entry IN (?))")],
    label_ids: Some("EXISTS (SELECT 1 FROM labels AS l WHERE l.session = s.no AND l.id IN (?))"),
};

/// Sessions in a database that is forgotten afterwards.
pub struct Database {
    pub connection: SqliteConnection,
}

impl Database {
    pub async fn new() -> Self {
        let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        for sql in [
            "CREATE TABLE sessions(no INTEGER PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL, mode TEXT NOT NULL,
               model TEXT, agent TEXT NOT NULL, used_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
               messages INTEGER NOT NULL, flagged INTEGER NOT NULL, unread INTEGER NOT NULL,
               nano_usd INTEGER NOT NULL) STRICT",
            "CREATE TABLE labels(session INTEGER NOT NULL, entry TEXT NOT NULL, id TEXT NOT NULL) STRICT",
        ] {
            sqlx::query(sql).execute(&mut connection).await.unwrap();
        }
        Self { connection }
    }

    pub async fn fill(&mut self, sessions: &[Facts]) {
        for sql in ["DELETE FROM sessions", "DELETE FROM labels"] {
            sqlx::query(sql).execute(&mut self.connection).await.unwrap();
        }
        for (no, facts) in sessions.iter().enumerate() {
            let model = Some(&facts.model).filter(|model| !model.is_empty());
            sqlx::query("INSERT INTO sessions VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .bind(no as i64)
                .bind(&facts.name)
                .bind(&facts.session_status)
                .bind(&facts.permission_mode)
                .bind(model)
                .bind(&facts.agent)
                .bind(facts.last_used_at)
                .bind(facts.created_at)
                .bind(facts.message_count as i64)
                .bind(facts.is_flagged)
                .bind(facts.has_unread)
                .bind((facts.cost_usd * 1e9) as i64)
                .execute(&mut self.connection)
                .await
                .unwrap();
            for entry in &facts.labels {
                sqlx::query("INSERT INTO labels VALUES(?, ?, ?)")
                    .bind(no as i64)
                    .bind(entry)
                    .bind(organise::Entry::id_of(entry))
                    .execute(&mut self.connection)
                    .await
                    .unwrap();
            }
        }
    }

    /// The sessions for which a condition holds, by their places.
    pub async fn select(&mut self, condition: &Compiled) -> Result<Vec<usize>, sqlx::Error> {
        let mut query = QueryBuilder::<Sqlite>::new("SELECT no FROM sessions AS s WHERE ");
        for piece in condition.pieces() {
            match piece {
                Piece::Sql(sql) => query.push(sql),
                Piece::Bind(Bind::Number(number)) => query.push_bind(*number),
                Piece::Bind(Bind::Text(text)) => query.push_bind(text.clone()),
            };
        }
        query.push(" ORDER BY no");
        let rows = query.build().fetch_all(&mut self.connection).await?;
        Ok(rows.iter().map(|row| row.get::<i64, _>(0) as usize).collect())
    }
}

/// Runs what needs a database.
pub fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
