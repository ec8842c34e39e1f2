//! Watching the api for the tray and notifications. The page may sleep; this does not.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use app::turn::{TurnStatus, TurnUi, TurnUiKind};
use app::{Exit, UiEvent, UiKind};
use domain::{Problem, RunId};
use protocol::{ApiEvent, Client, RunRef, SessionQuery, SessionRow, SessionView, Settings, Tag};
use tauri::{AppHandle, Manager};
use tokio::time::Instant;

use crate::backend::Core;
use crate::notification::{News, Notifications};
use crate::shutdown::Leave;
use crate::tray_model::{Board, ENTRIES, short};
use crate::{tray, window};

/// The tray follows at most this often.
const PACE: Duration = Duration::from_millis(250);

/// What the person has set, as last read.
#[derive(Default)]
pub struct Watch {
    close_to_tray: AtomicBool,
    silent: AtomicBool,
}

impl Watch {
    /// Whether closing the window leaves the program in the tray.
    pub fn closes_to_tray(&self) -> bool {
        self.close_to_tray.load(Ordering::Relaxed)
    }

    fn take(&self, settings: &Settings) {
        self.close_to_tray.store(settings.close_to_tray, Ordering::Relaxed);
        self.silent.store(!settings.notifications, Ordering::Relaxed);
    }
}

/// Watches until the core goes away.
pub async fn run(app: &AppHandle) {
    let core = app.state::<Core>();
    // A core that can't be opened is told to the page; it may be opened later.
    let host = loop {
        match core.host().await {
            Ok(host) => break host,
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    };
    let mut events = host.events();
    let mut shown = None;
    let mut stands = HashMap::new();
    let mut stale = Some(Instant::now());
    loop {
        let batch = match stale {
            Some(due) => match tokio::time::timeout_at(due, events.next()).await {
                Ok(batch) => batch,
                Err(_) => {
                    stale = None;
                    refresh(app, &mut shown).await;
                    continue;
                }
            },
            None => events.next().await,
        };
        let Some(batch) = batch else { return };
        if stale.is_none() && batch.iter().any(changes_the_board) {
            stale = Some(Instant::now() + PACE);
        }
        for event in batch {
            match event {
                ApiEvent::Run(event) => tell(app, *event).await,
                ApiEvent::Turn(event) => {
                    if let Some(news) = of_turn(*event, &mut stands) {
                        tell_of_turn(app, news).await;
                    }
                }
                ApiEvent::Changed(_)
                | ApiEvent::Job(_)
                | ApiEvent::Diagram(_)
                | ApiEvent::Limit(_)
                | ApiEvent::Lagged => {}
            }
        }
    }
}

/// Whether the tray may look different after it.
fn changes_the_board(event: &ApiEvent) -> bool {
    match event {
        ApiEvent::Changed(tags) => {
            tags.iter().any(|tag| matches!(tag, Tag::Sessions | Tag::Runs | Tag::Settings))
        }
        ApiEvent::Lagged => true,
        ApiEvent::Run(event) => matches!(event.kind, UiKind::Done { .. } | UiKind::Pause { .. }),
        ApiEvent::Job(_) | ApiEvent::Diagram(_) | ApiEvent::Limit(_) | ApiEvent::Turn(_) => false,
    }
}

async fn refresh(app: &AppHandle, shown: &mut Option<Board>) {
    match look(app).await {
        Ok(board) if shown.as_ref() != Some(&board) => {
            tray::show(app, board.clone());
            *shown = Some(board);
        }
        Ok(_) => {}
        Err(problem) => tracing::warn!("the tray can't be brought up to date: {}", problem.message),
    }
}

async fn look(app: &AppHandle) -> Result<Board, Problem> {
    let core = app.state::<Core>();
    let workspaces = core.host().await?.workspace_list().await?;
    let (mut running, mut needs_you) = (0, 0);
    let (mut waiting, mut recent) = (Vec::new(), Vec::new());
    // What needs the person needs them wherever they are.
    for workspace in workspaces.iter().filter(|workspace| workspace.sessions > 0) {
        let host = core.host_of(&workspace.id).await?;
        let counts = host.session_counts().await?;
        running += counts.running;
        needs_you += counts.needs_you;
        for (view, limit, rows) in
            [(SessionView::NeedsYou, ENTRIES, &mut waiting), (SessionView::Inbox, 2 * ENTRIES, &mut recent)]
        {
            let limit = u32::try_from(limit).unwrap_or(10);
            let query = SessionQuery { view, limit, ..SessionQuery::default() };
            rows.extend(host.session_list(query).await?.sessions);
        }
    }
    for (rows, limit) in [(&mut waiting, ENTRIES), (&mut recent, 2 * ENTRIES)] {
        rows.sort_by_key(|row: &SessionRow| std::cmp::Reverse(row.updated_at));
        rows.truncate(limit);
    }
    let settings = core.host().await?.settings_show().await?;
    app.state::<Watch>().take(&settings);
    Ok(Board::new(running, needs_you, waiting, recent, settings.notifications))
}

/// News of a turn that came to a halt or asks for something, once for each.
fn of_turn(event: TurnUi, stands: &mut HashMap<RunId, TurnStatus>) -> Option<News> {
    let TurnUi { run, session, kind: TurnUiKind::Changed { head, .. }, .. } = event else { return None };
    let before = match head.status {
        TurnStatus::Running | TurnStatus::Waiting => stands.insert(run, head.status),
        _ => stands.remove(&run),
    };
    if before == Some(head.status) {
        return None;
    }
    let heading = match head.status {
        TurnStatus::Waiting => "Your word is needed",
        TurnStatus::Completed if head.plan.is_some() => "A plan waits for you",
        TurnStatus::Completed => "The answer is there",
        TurnStatus::Failed => "A turn stopped with a problem",
        TurnStatus::Running | TurnStatus::Interrupted | TurnStatus::Stopped => return None,
    };
    let text = match (&head.problem, &head.answer) {
        (Some(problem), _) => short(&problem.message),
        (None, Some(answer)) => short(answer),
        (None, None) => short(&head.doing),
    };
    Some(News { session: session.0, heading: heading.to_owned(), text })
}

async fn tell_of_turn(app: &AppHandle, news: News) {
    let silent = app.state::<Watch>().silent.load(Ordering::Relaxed);
    if !silent && !app.state::<Leave>().has_begun() && window::is_away(app) {
        app.state::<Notifications>().send(news).await;
    }
}

/// Tells a person who looks elsewhere that a run came to a halt.
async fn tell(app: &AppHandle, event: UiEvent) {
    let UiEvent { run, kind: UiKind::Done { exit, problem }, .. } = event else { return };
    let silent = app.state::<Watch>().silent.load(Ordering::Relaxed);
    if silent || app.state::<Leave>().has_begun() || !window::is_away(app) {
        return;
    }
    let Some(heading) = heading(exit, problem.as_ref()) else { return };
    match news(app, run, heading, problem).await {
        Ok(Some(news)) => app.state::<Notifications>().send(news).await,
        // A child run is told of by the run that it works for.
        Ok(None) => {}
        Err(problem) => tracing::warn!("a notification was not sent: {}", problem.message),
    }
}

fn heading(exit: Exit, problem: Option<&Problem>) -> Option<&'static str> {
    match exit {
        Exit::Completed => Some("The research is finished"),
        Exit::Paused => Some("A run waits for you"),
        Exit::Failed if problem.is_some_and(|problem| problem.code == domain::ErrorCode::Cancelled) => None,
        Exit::Failed => Some("A run stopped with a problem"),
        Exit::Cancelled => None,
    }
}

async fn news(
    app: &AppHandle,
    run: RunId,
    heading: &str,
    problem: Option<Problem>,
) -> Result<Option<News>, Problem> {
    let host = app.state::<Core>().host().await?;
    let state = host.run_show(RunRef::Id(run.0), None, false).await?;
    if state.parent.is_some() {
        return Ok(None);
    }
    let mut text = short(&state.request);
    if let Some(problem) = problem {
        text = format!("{text}\n{}", short(&problem.message));
    }
    Ok(Some(News { session: state.session, heading: heading.to_owned(), text }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_the_person_cancelled_is_no_news() {
        let cancelled = Problem::new(domain::ErrorCode::Cancelled, "cancelled");
        assert_eq!(heading(Exit::Cancelled, None), None);
        assert_eq!(heading(Exit::Failed, Some(&cancelled)), None);
        assert!(heading(Exit::Paused, None).is_some());
    }
}
