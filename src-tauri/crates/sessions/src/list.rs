//! Commands on sessions.

use domain::{ErrorCode, Problem, RunStatus};
use environment::StaleAnswers;
use organise::Entry;
use protocol::{LatestRun, RunKind, SessionAutomation, SessionCounts, SessionPatch, SessionRow, SessionView};
use store::{Folder, Latest, Session, SessionCursor, SessionFilter, SessionUpdate};
use support::now_ms;

use crate::Sessions;
use crate::columns::{effective, mode_of};
use crate::lists::Lists;

/// Most sessions that are changed at once.
const MAX_CHANGED: usize = 1_000;
/// Longest title, in characters.
const MAX_TITLE_CHARS: usize = 200;
/// Longest name of a model, in bytes.
const MAX_MODEL_BYTES: usize = 200;

/// Statuses that wait for the person; so does a run that nobody drives.
pub const WAITING: [RunStatus; 5] =
    [RunStatus::Waiting, RunStatus::Planned, RunStatus::Paused, RunStatus::Suspended, RunStatus::Failed];
/// Statuses of runs that have ended.
pub const ENDED: [RunStatus; 3] = [RunStatus::Completed, RunStatus::Cancelled, RunStatus::Stopped];

impl Sessions {
    /// What waits, and what was interrupted: a run that the log has running and nobody drives.
    pub async fn needing(
        &self,
        filter: &SessionFilter,
        live: &[String],
        before: Option<SessionCursor>,
        limit: u32,
    ) -> Result<store::SessionPage, Problem> {
        let stale = SessionFilter {
            latest: Latest::Status { words: vec![RunStatus::Running.to_string()], except: live.to_vec() },
            ..filter.clone()
        };
        let mut page = self.env.store().list_sessions(filter, before, limit).await?;
        let stale = self.env.store().list_sessions(&stale, before, limit).await?;
        let more = page.next.is_some()
            || stale.next.is_some()
            || page.sessions.len() + stale.sessions.len() > limit as usize;
        page.sessions.extend(stale.sessions);
        page.sessions.sort_by_key(|session| std::cmp::Reverse(session.cursor));
        page.sessions.truncate(limit as usize);
        page.next = more.then(|| page.sessions.last().map(|session| session.cursor)).flatten();
        Ok(page)
    }

    /// How many sessions each view has.
    pub async fn session_counts(&self) -> Result<SessionCounts, Problem> {
        let live = self.live_runs();
        let mut counts = SessionCounts::default();
        for count in self.env.store().count_sessions(self.env.slug()).await? {
            match count.shelf {
                Folder::Archive => counts.archived += count.all,
                Folder::Trash => counts.trash += count.all,
                Folder::Open => {
                    counts.inbox += count.all;
                    counts.flagged += count.flagged;
                    match RunStatus::from_name(&count.status) {
                        // Of those that the log has running some are driven; these are taken off below.
                        Some(status) if status == RunStatus::Running || WAITING.contains(&status) => {
                            counts.needs_you += count.all;
                        }
                        Some(status) if ENDED.contains(&status) => counts.done += count.all,
                        Some(_) | None => {}
                    }
                }
            }
        }
        if !live.is_empty() {
            let driven = SessionFilter {
                workspace: Some(self.env.slug().to_owned()),
                ..of_view(SessionView::Running, &live)
            };
            let page = self.env.store().list_sessions(&driven, None, store::MAX_PAGE).await?;
            counts.running = page.sessions.len() as u32;
            counts.needs_you = counts.needs_you.saturating_sub(counts.running);
        }
        Ok(counts)
    }

    /// Changes what a person set on sessions, all of them at once.
    pub async fn session_update(&self, sessions: &[String], patch: SessionPatch) -> Result<(), Problem> {
        let invalid = |message: String| Err(Problem::new(ErrorCode::InvalidInput, message));
        if sessions.len() > MAX_CHANGED {
            return invalid(format!("at most {MAX_CHANGED} sessions are changed at once"));
        }
        let title = match &patch.title {
            Some(title) => {
                let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
                if title.is_empty() {
                    return invalid("the title is empty; nothing was changed".to_owned());
                }
                if sessions.len() > 1 {
                    return invalid("one session is renamed at a time; nothing was changed".to_owned());
                }
                Some(title.chars().take(MAX_TITLE_CHARS).collect())
            }
            None => None,
        };
        let SessionPatch {
            title: _,
            flagged,
            unread,
            archived,
            deleted,
            status,
            add_labels,
            remove_labels,
            connection,
            mut model,
        } = patch;
        let lists = self.lists().await?;
        if let Some(id) = status.as_deref().filter(|id| lists.statuses.list.find(id).is_none()) {
            let known: Vec<&str> = lists.statuses.list.ids().collect();
            let problem =
                Problem::new(ErrorCode::NotFound, format!("there is no status `{id}`; nothing was changed"));
            let near = domain::nearest(id, known).first().map(|near| format!("did you mean `{near}`?"));
            return Err(problem.with_action(near.unwrap_or_else(|| "choose one that is listed".to_owned())));
        }
        let mut added = Vec::with_capacity(add_labels.len());
        for text in &add_labels {
            let entry = Entry::checked(text, &lists.labels.list).map_err(|error| {
                Problem::new(ErrorCode::InvalidInput, format!("{error}; nothing was changed"))
            })?;
            added.push((entry.to_string(), entry.id));
        }
        let removed = remove_labels.iter().map(|text| {
            let entry = Entry::parse(text);
            (entry.value.is_some().then(|| entry.to_string()), entry.id)
        });
        let remove_labels = removed.collect();
        if let Some(slug) = connection.as_deref().filter(|slug| !slug.is_empty())
            && !self.registry.has(self.env.slug(), slug)
        {
            return Err(Problem::new(ErrorCode::NotFound, format!("there is no connection {slug:?}"))
                .with_action("choose one that is listed; nothing was changed"));
        }
        if model
            .as_ref()
            .is_some_and(|model| model.len() > MAX_MODEL_BYTES || model.chars().any(char::is_control))
        {
            return invalid(format!(
                "a model's name has at most {MAX_MODEL_BYTES} bytes; nothing was changed"
            ));
        }
        // A model belongs to its connection.
        if connection.is_some() && model.is_none() {
            model = Some(String::new());
        }
        let update = SessionUpdate {
            title,
            flagged,
            unread,
            archived,
            deleted,
            status,
            add_labels: added,
            remove_labels,
            connection,
            model,
        };
        self.env.store().update_sessions(sessions, &update, now_ms()).await?;
        Ok(())
    }

    /// Runs that are being driven.
    pub fn live_runs(&self) -> Vec<String> {
        self.env.engine.live().into_iter().map(|run| run.0).collect()
    }
}

/// What a view asks the database for.
pub fn of_view(view: SessionView, live: &[String]) -> SessionFilter {
    let status = |statuses: &[RunStatus]| SessionFilter {
        latest: Latest::Status {
            words: statuses.iter().map(ToString::to_string).collect(),
            except: Vec::new(),
        },
        ..SessionFilter::default()
    };
    let shelf = |shelf| SessionFilter { shelf, ..SessionFilter::default() };
    match view {
        SessionView::Inbox => shelf(Folder::Open),
        SessionView::Running => SessionFilter {
            latest: Latest::Run { runs: live.to_vec(), status: RunStatus::Running.to_string() },
            ..SessionFilter::default()
        },
        SessionView::NeedsYou => status(&WAITING),
        SessionView::Done => status(&ENDED),
        SessionView::Flagged => SessionFilter { flagged: true, ..SessionFilter::default() },
        SessionView::Archived => shelf(Folder::Archive),
        SessionView::Trash => shelf(Folder::Trash),
    }
}

/// A session as a list shows it.
pub fn row(
    session: Session,
    lists: &Lists,
    live: &[String],
    has: &dyn Fn(&str) -> bool,
    stale: &StaleAnswers,
) -> SessionRow {
    SessionRow {
        stale: stale_sentences(&session, stale),
        status: effective(&session.status, lists).to_owned(),
        mode: mode_of(&session.mode),
        workspace: session.workspace,
        labels: session.labels,
        preview: session.preview,
        messages: session.messages,
        connection_gone: !session.connection.is_empty() && !has(&session.connection),
        connection: session.connection,
        model: session.model,
        session: session.id,
        title: session.title,
        created_at: session.created_at,
        updated_at: session.updated_at,
        runs: session.runs,
        latest: session.latest.map(|latest| LatestRun {
            status: RunStatus::stored(&latest.status).shown(|| live.contains(&latest.run)),
            run: latest.run,
            agent: latest.agent,
            kind: RunKind::from_name(&latest.kind).unwrap_or(RunKind::Run),
            line: latest.line,
        }),
        flagged: session.flagged,
        unread: session.unread,
        archived: session.archived,
        deleted: session.deleted_at.is_some(),
        has_draft: session.has_draft,
    }
}

/// Sentences of a session's newest answer that no longer hold. A newer answer replaces the one that was compared.
fn stale_sentences(session: &Session, stale: &StaleAnswers) -> u32 {
    let Some(found) = stale.sessions.get(&session.id) else { return 0 };
    let replaced = session.latest.as_ref().is_some_and(|latest| {
        latest.run != found.run && RunStatus::stored(&latest.status) == RunStatus::Completed
    });
    if replaced { 0 } else { found.sentences }
}

impl Sessions {
    /// The automation that began a session.
    pub async fn begun_by(&self, session: &str) -> Result<Option<SessionAutomation>, Problem> {
        let Some((id, _)) = self.env.store().automation_of(session).await? else { return Ok(None) };
        let known = self.permissions.gate().automations().known(self.env.slug()).await?;
        Ok(Some(SessionAutomation { title: known.file.entry(&id).map(automation::Entry::title), id }))
    }
}
