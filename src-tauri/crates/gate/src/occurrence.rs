//! What happens in sessions, as automations see it.

use std::collections::BTreeMap;

use automation::{Event, Occurrence};
use domain::Problem;
use engine::turn::StageCall;
use serde_json::{Value, json};
use store::{Session, SessionUpdate};
use support::now_ms;
use workspace::DEFAULT_WORKSPACE;

use crate::veto::named;
use crate::{Automations, Permissions};

/// The most of a text that automations are told, in bytes.
const MAX_TEXT_BYTES: usize = 16_384;
/// The most of a text that a sentence repeats, in characters.
const MAX_REPEATED_CHARS: usize = 200;

impl Automations {
    /// Something in a session, with what is known of it.
    pub async fn in_session(&self, event: Event, session: &str, run: Option<&str>) -> Occurrence {
        let mut happened = Occurrence::new(event, now_ms());
        happened.session = Some(session.to_owned());
        happened.depth = self.depth(Some(session), run).await;
        if let Ok(Some(row)) = self.store.get_session(session).await {
            happened.facts = facts(&row);
        }
        if let Some(run) = run {
            happened.facts.insert("run".to_owned(), json!(run));
        }
        happened
    }

    /// A call that a stage made by itself.
    pub async fn heard_call(&self, call: &StageCall, ms: u64, failed: Option<&Problem>) {
        let event = if failed.is_some() { Event::ToolFailed } else { Event::ToolAfter };
        if !self.is_awake() {
            return;
        }
        let workspace = self.workspace_of(&call.session.0).await;
        if !self.waits_for(&workspace, &[event]).await {
            return;
        }
        let tool = named(&call.source, &call.tool);
        let happened = self.in_session(event, &call.session.0, Some(&call.run.0)).await;
        let happened = happened.on(tool.clone()).with("tool", tool).with("source", call.source.as_str());
        let happened = happened.with("stage", call.stage.as_str()).with("agent", call.agent.as_str());
        let summary = failed.map(|problem| clipped(&problem.message)).unwrap_or_default();
        self.on_event(&workspace, happened.with("summary", summary).with("ms", ms));
    }

    /// The slug of a session's workspace.
    pub async fn workspace_of(&self, session: &str) -> String {
        let known = self.store.session_workspace(session).await.ok().flatten();
        known.unwrap_or_else(|| DEFAULT_WORKSPACE.to_owned())
    }
}

/// What conditions may ask of a session.
pub fn facts(session: &Session) -> BTreeMap<String, Value> {
    BTreeMap::from([
        ("sessionId".to_owned(), json!(session.id)),
        ("sessionName".to_owned(), json!(session.title)),
        ("sessionStatus".to_owned(), json!(session.status)),
        ("permissionMode".to_owned(), json!(if session.mode.is_empty() { "ask" } else { &session.mode })),
        ("isFlagged".to_owned(), json!(session.flagged)),
        ("isArchived".to_owned(), json!(session.archived)),
        ("labels".to_owned(), json!(session.labels)),
        ("workspaceId".to_owned(), json!(session.workspace)),
    ])
}

impl Automations {
    /// Tells which labels a session got and lost.
    pub async fn tell_labels(&self, was: &Session, now: &Session) {
        if was.labels == now.labels {
            return;
        }
        let base = self.in_session(Event::LabelAdded, &now.id, None).await;
        let tell = |event: Event, label: &String| {
            let mut happened =
                Occurrence { event, ..base.clone() }.on(label.as_str()).with("label", label.as_str());
            happened.before.insert("labels".to_owned(), json!(was.labels));
            self.on_event(&now.workspace, happened);
        };
        for label in now.labels.iter().filter(|label| !was.labels.contains(label)) {
            tell(Event::LabelAdded, label);
        }
        for label in was.labels.iter().filter(|label| !now.labels.contains(label)) {
            tell(Event::LabelRemoved, label);
        }
    }
}

impl Permissions {
    /// Changes a session by itself, not by a command, and tells of its labels.
    pub async fn update_labelled(&self, session: &str, update: &SessionUpdate) -> Result<(), Problem> {
        let was = match self.gate.automations().is_awake() {
            true => self.env.store().get_session(session).await?,
            false => None,
        };
        self.env.store().update_sessions(&[session.to_owned()], update, now_ms()).await?;
        if let Some(was) = was
            && let Some(now) = self.env.store().get_session(session).await?
        {
            self.gate.automations().tell_labels(&was, &now).await;
        }
        Ok(())
    }

    /// A message that is about to be sent.
    pub async fn about_to_send(&self, session: &str, new: bool, text: &str) -> Occurrence {
        let automations = self.gate.automations();
        let happened = match new {
            true => Occurrence::new(Event::TurnBefore, now_ms()).with("workspaceId", self.env.slug()),
            false => automations.in_session(Event::TurnBefore, session, None).await,
        };
        happened.on(clipped(text)).with("message", clipped(text))
    }

    /// A session that is about to begin with a message, or with a run of an agent.
    pub fn about_to_begin(&self, agent: Option<&str>, text: &str) -> Occurrence {
        let happened = Occurrence::new(Event::SessionBefore, now_ms()).with("workspaceId", self.env.slug());
        let happened = happened.on(clipped(text)).with("message", clipped(text));
        match agent {
            Some(agent) => happened.with("agent", agent),
            None => happened,
        }
    }

    /// A run that is about to begin.
    pub async fn about_to_run(&self, session: Option<&str>, agent: &str, request: &str) -> Occurrence {
        let automations = self.gate.automations();
        let happened = match session {
            Some(session) => automations.in_session(Event::RunBefore, session, None).await,
            None => Occurrence::new(Event::RunBefore, now_ms()).with("workspaceId", self.env.slug()),
        };
        happened.on(agent).with("agent", agent).with("message", clipped(request))
    }
}

/// As much of a text as automations are told.
pub fn clipped(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

/// A text on one line, cut to what a sentence repeats.
pub fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_REPEATED_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
