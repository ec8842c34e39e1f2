//! What happens in sessions, turns and runs, told to automations.

use std::collections::HashSet;
use std::sync::Arc;

use automation::{Event, Occurrence};
use domain::RunId;
use engine::turn::{StepKind, StepStatus, TurnStatus, TurnUi, TurnUiKind};
use engine::{UiEvent, UiKind};
use gate::{WorkspaceEvent, facts};
use pipeline::Event as RunEvent;
use protocol::Request;
use serde_json::Value;
use store::Session;
use support::now_ms;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, mpsc};

use crate::Scheduler;

/// Happenings whose automations are carried out at once.
const AT_ONCE: usize = 8;
/// The most sessions whose change by one command is told.
const MAX_SESSIONS: usize = 200;
/// The most of a text that automations are told, in bytes.
const MAX_TEXT_BYTES: usize = 16_384;
/// Steps that are remembered to have ended.
const MAX_STEPS: usize = 10_000;

/// Events that a change of a session may be.
const OF_SESSIONS: [Event; 6] = [
    Event::StatusChanged,
    Event::LabelAdded,
    Event::LabelRemoved,
    Event::FlagChanged,
    Event::ModeChanged,
    Event::SessionArchived,
];

/// Sessions as they were before a command.
#[derive(Debug, Default)]
pub struct PreviousSessions {
    sessions: Vec<Session>,
    /// Whether a change of their labels is told; else whoever labels them tells of it.
    labels: bool,
}

/// Fires automations for what is heard.
pub async fn run_listener(local: Scheduler, mut events: mpsc::Receiver<WorkspaceEvent>) {
    let at_once = Arc::new(Semaphore::new(AT_ONCE));
    while let Some(WorkspaceEvent { workspace, happened }) = events.recv().await {
        let Ok(permit) = Arc::clone(&at_once).acquire_owned().await else { return };
        let local = local.in_workspace(&workspace);
        tokio::spawn(async move {
            local.fire_all(&happened).await;
            drop(permit);
        });
    }
}

/// Hears what turns and runs tell.
pub async fn follow(local: Scheduler) {
    let (mut turns, mut runs) = (local.env.engine.subscribe_turns(), local.env.engine.subscribe());
    let mut ended = HashSet::new();
    let started = Occurrence::new(Event::AppStarted, now_ms());
    for place in workspace::workspace_entries(&local.env.home) {
        let happened = started.clone().with("workspaceId", place.slug.as_str());
        local.permissions.gate().automations().on_event(&place.slug, happened);
    }
    loop {
        tokio::select! {
            turn = turns.recv() => match turn {
                Ok(turn) => local.heard_turn(turn, &mut ended).await,
                Err(RecvError::Lagged(lost)) => tracing::warn!(lost, "automations miss some of what turns did"),
                Err(RecvError::Closed) => return,
            },
            run = runs.recv() => match run {
                Ok(run) => local.heard_run(run).await,
                Err(RecvError::Lagged(lost)) => tracing::warn!(lost, "automations miss some of what runs did"),
                Err(RecvError::Closed) => return,
            },
        }
    }
}

impl Scheduler {
    async fn heard_turn(&self, told: TurnUi, ended: &mut HashSet<(RunId, String)>) {
        let TurnUiKind::Changed { head, steps, message, .. } = told.kind else { return };
        let automations = self.permissions.gate().automations();
        let workspace = automations.workspace_of(&head.session.0).await;
        let waited = [Event::SessionCreated, Event::ToolAfter, Event::ToolFailed, Event::TurnAfter];
        if !automations.waits_for(&workspace, &waited).await {
            return;
        }
        if message.is_some() && head.previous.is_none() && head.of.is_none() {
            self.heard_session(&workspace, &head.session.0, &head.run.0).await;
        }
        for step in steps {
            let StepKind::Tool { tool, source, intent, summary, .. } = step.kind else { continue };
            let event = match step.status {
                StepStatus::Ok => Event::ToolAfter,
                StepStatus::Failed => Event::ToolFailed,
                StepStatus::Queued
                | StepStatus::Asking
                | StepStatus::Running
                | StepStatus::Denied
                | StepStatus::Stopped
                | StepStatus::Unknown => continue,
            };
            if ended.len() >= MAX_STEPS {
                ended.clear();
            }
            if !ended.insert((head.run.clone(), step.id)) {
                continue;
            }
            let happened = automations.in_session(event, &head.session.0, Some(&head.run.0)).await;
            let happened = happened.on(tool.clone()).with("tool", tool).with("source", source);
            let happened = happened.with("intent", intent).with("summary", summary).with("ms", step.ms);
            automations.on_event(&workspace, happened);
        }
        let status = match head.status {
            TurnStatus::Completed => "completed",
            TurnStatus::Stopped => "stopped",
            TurnStatus::Failed => "failed",
            TurnStatus::Running | TurnStatus::Waiting | TurnStatus::Interrupted => return,
        };
        if !ended.insert((head.run.clone(), String::new())) {
            return;
        }
        ended.retain(|(run, step)| *run != head.run || step.is_empty());
        let happened = automations.in_session(Event::TurnAfter, &head.session.0, Some(&head.run.0)).await;
        let answer = clipped(head.answer.as_deref().unwrap_or_default());
        let problem = head.problem.as_ref().map(|problem| problem.message.clone()).unwrap_or_default();
        let happened =
            happened.on(status).with("status", status).with("answer", answer).with("problem", problem);
        automations.on_event(&workspace, happened.with("agent", head.agent));
    }

    /// A session whose first turn or run began.
    async fn heard_session(&self, workspace: &str, session: &str, run: &str) {
        let automations = self.permissions.gate().automations();
        let Ok(Some(row)) = self.env.store().get_session(session).await else { return };
        if row.runs > 1 {
            return;
        }
        let happened = automations.in_session(Event::SessionCreated, session, Some(run)).await;
        automations.on_event(workspace, happened.on(row.title));
    }

    async fn heard_run(&self, told: UiEvent) {
        let UiKind::Event { record } = told.kind else { return };
        let (events, stage, problem): (&[Event], Option<String>, Option<String>) = match &record.event {
            RunEvent::RunStarted { .. } => (&[Event::SessionCreated], None, None),
            RunEvent::StageCompleted { stage, .. } => (&[Event::StageAfter], Some(stage.to_string()), None),
            RunEvent::StageFailed { stage, problem, .. } => {
                (&[Event::StageAfter], Some(stage.to_string()), Some(problem.message.clone()))
            }
            RunEvent::PauseRequested { stage, .. } => (&[Event::RunPaused], Some(stage.to_string()), None),
            RunEvent::Resumed { .. } => (&[Event::PauseAfter], None, None),
            RunEvent::RunCompleted => (&[Event::RunFinished, Event::RunAfter], None, None),
            RunEvent::RunFailed { .. } => (&[Event::RunFailed, Event::RunAfter], None, None),
            RunEvent::RunCancelled => (&[Event::RunAfter], None, None),
            _ => return,
        };
        let automations = self.permissions.gate().automations();
        let Ok(row) = self.env.store().get_run(&told.run.0).await else { return };
        // A child run is a part of the run that it works for.
        if row.parent.is_some() {
            return;
        }
        let workspace = automations.workspace_of(&row.session).await;
        if !automations.waits_for(&workspace, events).await {
            return;
        }
        for event in events {
            if *event == Event::SessionCreated {
                self.heard_session(&workspace, &row.session, &row.id).await;
                continue;
            }
            let happened = automations.in_session(*event, &row.session, Some(&row.id)).await;
            let choice = match &record.event {
                RunEvent::Resumed { decision, .. } => Some(decision.choice.as_str()),
                _ => None,
            };
            let subject = stage.as_deref().or(choice).unwrap_or(&row.agent).to_owned();
            let mut happened =
                happened.on(subject).with("agent", row.agent.as_str()).with("status", row.status.as_str());
            if let Some(stage) = &stage {
                happened = happened.with("stage", stage.as_str());
            }
            if let Some(choice) = choice {
                happened = happened.with("choice", choice);
            }
            if let Some(problem) = &problem {
                happened = happened.with("problem", problem.as_str());
            }
            automations.on_event(&workspace, happened);
        }
    }

    /// Sessions that a command may change, as they are before it; nothing where no automation waits for that.
    pub async fn before(&self, request: &Request) -> PreviousSessions {
        let sessions: &[String] = match request {
            Request::SessionUpdate { sessions, .. } => sessions,
            Request::SessionSetup { session, .. } => std::slice::from_ref(session),
            Request::TurnSend(send) => send.session.as_slice(),
            _ => &[],
        };
        let automations = self.permissions.gate().automations();
        if sessions.is_empty() || !automations.is_awake() {
            return PreviousSessions::default();
        }
        let mut before = Vec::new();
        for session in sessions.iter().take(MAX_SESSIONS) {
            let Ok(Some(row)) = self.env.store().get_session(session).await else { continue };
            if before.is_empty() && !automations.waits_for(&row.workspace, &OF_SESSIONS).await {
                return PreviousSessions::default();
            }
            before.push(row);
        }
        PreviousSessions { sessions: before, labels: !matches!(request, Request::TurnSend(_)) }
    }

    /// Tells what a command changed in sessions.
    pub async fn tell_changes(&self, before: PreviousSessions) {
        let automations = self.permissions.gate().automations();
        for was in before.sessions {
            let Ok(Some(now)) = self.env.store().get_session(&was.id).await else { continue };
            let base = automations.in_session(Event::StatusChanged, &now.id, None).await;
            let (old, new) = (facts(&was), facts(&now));
            let changed = |event: Event, name: &str, subject: &str| {
                let mut happened = Occurrence { event, ..base.clone() }.on(subject);
                happened.before.insert(name.to_owned(), old.get(name).cloned().unwrap_or_default());
                happened
            };
            let mut all = Vec::new();
            if was.status != now.status {
                all.push(changed(Event::StatusChanged, "sessionStatus", &now.status));
            }
            if was.flagged != now.flagged {
                all.push(changed(
                    Event::FlagChanged,
                    "isFlagged",
                    if now.flagged { "true" } else { "false" },
                ));
            }
            if old.get("permissionMode") != new.get("permissionMode") {
                let mode = new.get("permissionMode").and_then(Value::as_str).unwrap_or_default();
                all.push(changed(Event::ModeChanged, "permissionMode", mode));
            }
            if now.archived && !was.archived {
                all.push(changed(Event::SessionArchived, "isArchived", &now.title));
            }
            for happened in all {
                automations.on_event(&now.workspace, happened);
            }
            if before.labels {
                automations.tell_labels(&was, &now).await;
            }
        }
    }
}

fn clipped(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}
