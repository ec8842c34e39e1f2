//! The list of sessions, what a person sets on them, and what was typed in them.

use std::collections::HashSet;

use sqlx::{QueryBuilder, Row, Sqlite};

use crate::commit::{Durability, Statement, folded, title_key};
use crate::error::{Result, StoreError};
use crate::lists::Clause;
use crate::queries::{MAX_PAGE, page, pattern};
use crate::rows::MAX_ROWS;
use crate::store::Store;
use crate::tables::drafts::{self, Draft, MAX_DRAFT_BYTES};
use crate::tables::labels;
use crate::tables::runs;
use crate::tables::sessions::{self, Session, SessionCursor};
use crate::writer::WriteCommand;

/// The workspace of sessions that name none.
pub const DEFAULT_WORKSPACE: &str = "default";

/// Where a session is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Folder {
    /// In sight.
    #[default]
    Open,
    /// Put away.
    Archive,
    /// Deleted, and not gone yet.
    Trash,
}

impl Folder {
    const ALL: [Self; 3] = [Self::Open, Self::Archive, Self::Trash];

    /// As the column holds it.
    const fn number(self) -> i64 {
        match self {
            Self::Open => 0,
            Self::Archive => 1,
            Self::Trash => 2,
        }
    }
}

/// How a session's newest run has to stand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Latest {
    /// In any way; there may be none.
    #[default]
    Any,
    /// It is one of these runs, with this status word.
    Run {
        /// The runs.
        runs: Vec<String>,
        /// The word.
        status: String,
    },
    /// It has one of these status words.
    Status {
        /// The words.
        words: Vec<String>,
        /// Runs that do not count, whatever their word.
        except: Vec<String>,
    },
}

/// Which sessions to list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionFilter {
    /// Kept here.
    pub shelf: Folder,
    /// Only flagged ones.
    pub flagged: bool,
    /// How the newest run stands.
    pub latest: Latest,
    /// Only with this text in the title or in the words of a run, whatever the case.
    pub text: Option<String>,
    /// Only with a run of this agent.
    pub agent: Option<String>,
    /// Of this workspace; without it of the default one.
    pub workspace: Option<String>,
    /// Of any workspace, whatever `workspace` says.
    pub anywhere: bool,
    /// Archived ones as well as open ones, whatever `shelf` says; not those in the trash.
    pub archived_too: bool,
    /// Only those for which this holds.
    pub clause: Option<Clause>,
}

/// Some sessions, the one changed last first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPage {
    /// The sessions.
    pub sessions: Vec<Session>,
    /// Where the next page begins; `None` after the last.
    pub next: Option<SessionCursor>,
}

/// How many sessions stand alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCount {
    /// Where they are kept.
    pub shelf: Folder,
    /// The status word of their newest run; empty without one.
    pub status: String,
    /// How many of them are flagged.
    pub flagged: u32,
    /// How many there are.
    pub all: u32,
}

/// What changes in a session; `None` keeps what is there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionUpdate {
    /// Title for people.
    pub title: Option<String>,
    /// Flagged by the person.
    pub flagged: Option<bool>,
    /// Something happened that the person has not seen.
    pub unread: Option<bool>,
    /// Put away.
    pub archived: Option<bool>,
    /// In the trash.
    pub deleted: Option<bool>,
    /// The id of its status; empty for the default one.
    pub status: Option<String>,
    /// Labels that it gets, with their ids; another value of the same label goes.
    pub add_labels: Vec<(String, String)>,
    /// Labels that it loses: entries with their ids, or ids alone for every value.
    pub remove_labels: Vec<(Option<String>, String)>,
    /// The slug of the connection that its next run takes; empty for none of its own.
    pub connection: Option<String>,
    /// The model that its next run takes; empty for the connection's default.
    pub model: Option<String>,
}

impl Store {
    /// A session's row; `None` when there is no such session.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn get_session(&self, id: &str) -> Result<Option<Session>> {
        let mut query = QueryBuilder::<Sqlite>::new(sessions::SELECT);
        query.push("s.id = ").push_bind(id.to_owned());
        let mut db = self.reader().await?;
        let row = query.build().fetch_optional(&mut *db).await.map_err(|error| self.failed(&error))?;
        row.as_ref().map(Session::from_row).transpose().map_err(|error| self.unreadable(&error))
    }

    /// Which of these ids sessions have.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn known_sessions(&self, ids: &[String]) -> Result<HashSet<String>> {
        let mut known = HashSet::new();
        let mut db = self.reader().await?;
        for some in ids.chunks(MAX_ROWS) {
            let mut query = QueryBuilder::<Sqlite>::new("SELECT id FROM sessions WHERE id IN (");
            let mut list = query.separated(", ");
            for id in some {
                list.push_bind(id.as_str());
            }
            query.push(")");
            let found = query.build_query_scalar::<String>().fetch_all(&mut *db).await;
            known.extend(found.map_err(|error| self.failed(&error))?);
        }
        Ok(known)
    }

    /// Up to `limit` sessions (at most [`MAX_PAGE`]) below `before`, the one changed last first.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn list_sessions(
        &self,
        filter: &SessionFilter,
        before: Option<SessionCursor>,
        limit: u32,
    ) -> Result<SessionPage> {
        let limit = limit.clamp(1, MAX_PAGE);
        let before = before.map_or(i64::MAX, |cursor| cursor.0);
        let mut query = QueryBuilder::<Sqlite>::new("");
        match &filter.latest {
            // Each word's rows lie in order in the index; together they would have to be sorted.
            Latest::Status { words, except } if !words.is_empty() => {
                for (at, word) in words.iter().enumerate() {
                    query.push(if at == 0 { "SELECT * FROM (" } else { " UNION ALL SELECT * FROM (" });
                    push_select(&mut query, filter, before);
                    query.push(" AND s.latest_status = ").push_bind(word.clone());
                    if !except.is_empty() {
                        query.push(" AND s.latest_run NOT IN (");
                        push_list(&mut query, except);
                    }
                    query.push(" ORDER BY s.place DESC LIMIT ").push_bind(i64::from(limit) + 1).push(")");
                }
                query.push(" ORDER BY 1 DESC LIMIT ");
            }
            Latest::Status { .. } => return Ok(SessionPage { sessions: Vec::new(), next: None }),
            Latest::Run { runs, status } => {
                push_select(&mut query, filter, before);
                query.push(" AND s.latest_status = ").push_bind(status.clone());
                query.push(" AND s.no IN (SELECT session FROM runs WHERE id IN (");
                push_list(&mut query, runs);
                query.push(") AND s.latest_run IN (");
                push_list(&mut query, runs);
                query.push(" ORDER BY s.place DESC LIMIT ");
            }
            Latest::Any => {
                push_select(&mut query, filter, before);
                query.push(" ORDER BY s.place DESC LIMIT ");
            }
        }
        query.push_bind(i64::from(limit) + 1);
        let mut db = self.reader().await?;
        let rows = query.build().fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let (sessions, more) = page(&rows, limit, Session::from_row, |error| self.unreadable(error))?;
        let next = more.then(|| sessions.last().map(|session: &Session| session.cursor)).flatten();
        Ok(SessionPage { sessions, next })
    }

    /// How many sessions a workspace has, by shelf and by the status of the newest run.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn count_sessions(&self, workspace: &str) -> Result<Vec<SessionCount>> {
        let mut db = self.reader().await?;
        let rows: Vec<(i64, String, i64, i64)> = sqlx::query_as(sessions::COUNTS)
            .bind(workspace.to_owned())
            .fetch_all(&mut *db)
            .await
            .map_err(|error| self.failed(&error))?;
        let count = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
        let shelf = |number: i64| Folder::ALL.into_iter().find(|shelf| shelf.number() == number);
        Ok(rows
            .into_iter()
            .filter_map(|(at, status, flagged, all)| {
                Some(SessionCount { shelf: shelf(at)?, status, flagged: count(flagged), all: count(all) })
            })
            .collect())
    }

    /// Changes what a person set on sessions: on all of them, or on none. A title is not empty.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`], [`StoreError::Invalid`] and those of a commit.
    pub async fn update_sessions(&self, ids: &[String], update: &SessionUpdate, at_ms: i64) -> Result<()> {
        let all: Vec<(&str, &SessionUpdate)> = ids.iter().map(|id| (id.as_str(), update)).collect();
        self.edit(update_statements(&all, at_ms)?, Durability::Full).await.map(drop)
    }

    /// Deletes a session for good if it is in the trash, with its runs, drafts and unshared blobs; what its model calls
    /// used stays in the sums. False: it is not.
    ///
    /// # Errors
    /// Those of a commit.
    pub async fn purge_session(&self, id: &str) -> Result<bool> {
        let statement = Statement::new(sessions::DELETE_FROM_TRASH, |script| {
            script.text(id)?;
            Ok(())
        })?;
        Ok(self.edit(vec![statement], Durability::Full).await? > 0)
    }

    /// Up to `limit` sessions that were put into the trash before a time.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn trashed_before(&self, at_ms: i64, limit: u32) -> Result<Vec<String>> {
        let mut db = self.reader().await?;
        let query = sqlx::query(sessions::TRASH).bind(at_ms).bind(i64::from(limit.clamp(1, MAX_PAGE)));
        let rows = query.fetch_all(&mut *db).await.map_err(|error| self.failed(&error))?;
        let ids: sqlx::Result<Vec<String>> = rows.iter().map(|row| row.try_get(0)).collect();
        ids.map_err(|error| self.unreadable(&error))
    }

    /// Keeps something typed; an empty text removes it. What another text takes the place of stays as an earlier draft. It survives the end of this process, not always a loss of power.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] and those of a commit.
    pub async fn save_draft(&self, key: &str, text: &str, at_ms: i64) -> Result<()> {
        if text.len() > MAX_DRAFT_BYTES {
            let (size, cap) = (text.len() as u64, MAX_DRAFT_BYTES as u64);
            return Err(StoreError::TooLarge { what: "a draft", size, cap });
        }
        let mut statements = Vec::new();
        if !text.is_empty() {
            statements.push(Statement::new(drafts::KEEP, |script| {
                script.text(key)?.text(text)?;
                Ok(())
            })?);
            statements.push(Statement::new(drafts::THIN, |script| {
                script.text(key)?.int(drafts::EARLIER)?;
                Ok(())
            })?);
        }
        statements.push(if text.is_empty() {
            Statement::new(drafts::DELETE, |script| {
                script.text(key)?;
                Ok(())
            })?
        } else {
            let run = key.split_once('/').map_or("", |(run, _)| run);
            Statement::new(drafts::SAVE, |script| {
                script.text(key)?.text(key)?.text(run)?.text(text)?.int(at_ms)?;
                Ok(())
            })?
        });
        self.edit(statements, Durability::Normal).await.map(drop)
    }

    /// What stood in a draft's place before another text took it, newest first.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn earlier_drafts(&self, key: &str) -> Result<Vec<Draft>> {
        let mut db = self.reader().await?;
        let rows = sqlx::query(drafts::EARLIER_OF).bind(key.to_owned()).fetch_all(&mut *db).await;
        let rows = rows.map_err(|error| self.failed(&error))?;
        let read: sqlx::Result<Vec<Draft>> = rows.iter().map(Draft::from_row).collect();
        read.map_err(|error| self.unreadable(&error))
    }

    /// Something typed before.
    ///
    /// # Errors
    /// Only those of reading.
    pub async fn get_draft(&self, key: &str) -> Result<Option<Draft>> {
        let mut db = self.reader().await?;
        let query = sqlx::query(drafts::ONE).bind(key.to_owned());
        let row = query.fetch_optional(&mut *db).await.map_err(|error| self.failed(&error))?;
        row.as_ref().map(Draft::from_row).transpose().map_err(|error| self.unreadable(&error))
    }

    pub(crate) async fn edit(&self, statements: Vec<Statement>, durability: Durability) -> Result<u64> {
        if statements.is_empty() {
            return Ok(0);
        }
        self.order(|answer| WriteCommand::Edit { statements, durability, answer }).await
    }
}

/// What changes sessions, each in its own way, to be carried out in one transaction.
pub(crate) fn update_statements(all: &[(&str, &SessionUpdate)], at_ms: i64) -> Result<Vec<Statement>> {
    if all.iter().any(|(_, update)| update.title.as_deref().is_some_and(|title| title.trim().is_empty())) {
        return Err(StoreError::Invalid { detail: "a session's title is empty".to_owned() });
    }
    let number = |set: Option<bool>| set.map(i64::from);
    let mut statements = Statement::each(sessions::UPDATE, all, |script, (id, update)| {
        let words = update.title.as_deref().map(folded);
        let key = update.title.as_deref().map(title_key);
        script.changing(id).maybe_text(update.title.as_deref())?.maybe_text(words.as_deref())?;
        script.maybe_text(key.as_deref())?;
        script.maybe_int(number(update.flagged))?.maybe_int(number(update.unread))?;
        script.maybe_int(number(update.archived))?.int(at_ms)?.maybe_int(number(update.archived))?;
        script.maybe_text(update.status.as_deref())?;
        script.maybe_text(update.connection.as_deref())?.maybe_text(update.model.as_deref())?;
        script.maybe_int(number(update.deleted))?;
        script.int(at_ms)?.text(id).map(drop)
    })?;
    let removed =
        all.iter().flat_map(|(id, update)| update.remove_labels.iter().map(move |label| (*id, label)));
    let (entries, ids): (Vec<_>, Vec<_>) = removed.partition(|(_, (entry, _))| entry.is_some());
    statements.extend(Statement::each(labels::REMOVE_ENTRY, &entries, |script, (id, (entry, label))| {
        script.text(id)?.text(entry.as_deref().unwrap_or(label)).map(drop)
    })?);
    statements.extend(Statement::each(labels::REMOVE_ID, &ids, |script, (id, (_, label))| {
        script.text(id)?.text(label).map(drop)
    })?);
    let added = all.iter().flat_map(|(id, update)| update.add_labels.iter().map(move |label| (*id, label)));
    // One after the other: of several entries of a label the last one stays.
    let replace = [labels::REMOVE_ID, labels::ADD].concat();
    let added: Vec<_> = added.collect();
    statements.extend(Statement::each(&replace, &added, |script, (id, (entry, label))| {
        script.text(id)?.text(label)?.text(entry)?.text(label)?.text(id).map(drop)
    })?);
    Ok(statements)
}

/// The columns, and what every kind of list asks for.
fn push_select(query: &mut QueryBuilder<Sqlite>, filter: &SessionFilter, before: i64) {
    query.push(sessions::SELECT);
    push_filter(query, filter);
    query.push(" AND s.place < ").push_bind(before);
}

/// What a session has to be like, whichever list it is in; how its newest run stands is left to the list.
pub(crate) fn push_filter(query: &mut QueryBuilder<Sqlite>, filter: &SessionFilter) {
    // The shelf is one of three numbers: written out, the planner knows it.
    let number = filter.shelf.number();
    query.push(if filter.archived_too {
        "s.shelf IN (0, 1)".to_owned()
    } else {
        format!("s.shelf = {number}")
    });
    if !filter.anywhere {
        let workspace = filter.workspace.clone().unwrap_or_else(|| DEFAULT_WORKSPACE.to_owned());
        query.push(" AND s.workspace = ").push_bind(workspace);
    }
    if let Some(clause) = &filter.clause {
        query.push(" AND (");
        clause.push(query);
        query.push(")");
    }
    if filter.flagged {
        query.push(" AND s.flagged");
    }
    if let Some(text) = &filter.text {
        let pattern = pattern(text);
        query.push(" AND (s.words LIKE ").push_bind(pattern.clone());
        query.push(" ESCAPE '\\' OR s.no IN (SELECT session FROM runs WHERE ").push(runs::WORDS);
        query.push(" LIKE ").push_bind(pattern);
        query.push(" ESCAPE '\\'))");
    }
    if let Some(agent) = &filter.agent {
        query
            .push(" AND s.no IN (SELECT session FROM runs WHERE agent = ")
            .push_bind(agent.clone())
            .push(")");
    }
}

/// Values and the bracket that closes them.
pub(crate) fn push_list(query: &mut QueryBuilder<Sqlite>, values: &[String]) {
    let mut list = query.separated(", ");
    for value in values {
        list.push_bind(value.clone());
    }
    query.push(")");
}
