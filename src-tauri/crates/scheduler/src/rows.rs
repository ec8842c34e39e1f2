//! Automations as surfaces show them.

use automation::{Action, ActionPhase, AutomationFile, Entry, Event, Fault};
use domain::{Mode, Problem};
use gate::{LoadedAutomations, short};
use protocol::{
    AutomationDone, AutomationHistory, AutomationPage, AutomationRow, AutomationSave, AutomationState,
    AutomationView,
};
use serde_json::Value;
use store::AutomationEffect;
use support::{blocking, now_ms};

use crate::Scheduler;
use crate::files::{self, unknown};

/// Rows of a history when none are asked for.
const DEFAULT_ROWS: u32 = 100;

impl Scheduler {
    /// Lists automations, broken ones included.
    pub async fn automation_list(&self) -> Result<AutomationPage, Problem> {
        let automations = self.permissions.gate().automations();
        let current = automations.current(self.env.slug()).await?;
        let known = automations.known(self.env.slug()).await?;
        let history = self.env.store().automation_history(self.env.slug(), "", 1_000).await?;
        let now = now_ms();
        let rows = known
            .file
            .entries()
            .iter()
            .map(|entry| {
                let last = history.iter().find(|done| done.automation == entry.id);
                row(entry, &known, now, last.cloned().map(done))
            })
            .collect();
        Ok(AutomationPage {
            automations: rows,
            path: automations.path(self.env.slug()).display().to_string(),
            problems: current.problems.iter().map(ToString::to_string).collect(),
            zone: gate::zone(),
            awake: automations.is_awake(),
        })
    }

    /// An automation.
    pub async fn automation_show(&self, id: &str) -> Result<AutomationView, Problem> {
        let known = self.permissions.gate().automations().known(self.env.slug()).await?;
        let entry = known.file.entry(id).ok_or_else(|| unknown(id))?;
        let history: Vec<AutomationDone> = self
            .env
            .store()
            .automation_history(self.env.slug(), id, 20)
            .await?
            .into_iter()
            .map(done)
            .collect();
        Ok(view(entry, &known, history))
    }

    /// Says what an automation would be, and keeps nothing.
    pub async fn automation_try(&self, save: AutomationSave) -> Result<AutomationView, Problem> {
        let alone = AutomationFile::empty(&gate::zone());
        let (file, id) = alone.with(None, save.event, &save.entry).map_err(|error| files::problem(&error))?;
        let known = LoadedAutomations { file: file.into(), enabled: std::sync::Arc::default() };
        let entry = known.file.entry(&id).ok_or_else(|| unknown(&id))?;
        let mut view = view(entry, &known, Vec::new());
        view.row.faults.extend(self.unknown_agents(&view.entry).await?);
        Ok(view)
    }

    /// Agents that actions name and the workspace does not have.
    async fn unknown_agents(&self, entry: &Value) -> Result<Vec<Fault>, Problem> {
        let named: Vec<(usize, String)> = entry["actions"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
            .filter_map(|(at, action)| Some((at, action["agent"].as_str()?.to_owned())))
            .collect();
        let files = self.env.files();
        blocking(move || {
            let known: Vec<String> = files.agents().into_iter().map(|entry| entry.slug).collect();
            let unknown = named.into_iter().filter(|(_, agent)| !known.contains(agent));
            Ok(unknown
                .map(|(at, agent)| Fault {
                    place: format!("/actions/{at}/agent"),
                    message: format!("there is no agent {agent}"),
                })
                .collect())
        })
        .await
    }

    /// What automations did, newest first.
    pub async fn automation_history(&self, query: AutomationHistory) -> Result<Vec<AutomationDone>, Problem> {
        let limit = if query.limit == 0 { DEFAULT_ROWS } else { query.limit };
        let id = query.id.unwrap_or_default();
        Ok(self
            .env
            .store()
            .automation_history(self.env.slug(), &id, limit)
            .await?
            .into_iter()
            .map(done)
            .collect())
    }
}

fn view(entry: &Entry, known: &LoadedAutomations, history: Vec<AutomationDone>) -> AutomationView {
    let now = now_ms();
    AutomationView {
        row: row(entry, known, now, history.first().cloned()),
        entry: entry.raw.clone(),
        digest: entry.digest.to_string(),
        mode: entry.mode,
        missed: entry.missed,
        times: entry.schedule.as_ref().map(|schedule| schedule.following(now, 5)).unwrap_or_default(),
        subject: entry.event.map(Event::subject).unwrap_or_default().to_owned(),
        history,
    }
}

fn row(entry: &Entry, known: &LoadedAutomations, now: i64, last: Option<AutomationDone>) -> AutomationRow {
    let state = match known.enabled.get(&entry.id) {
        _ if !entry.is_sound() => AutomationState::Broken,
        _ if !entry.on => AutomationState::Off,
        None => AutomationState::Disabled,
        Some(seen) if *seen != entry.digest.to_string() => AutomationState::Changed,
        Some(_) => AutomationState::Enabled,
    };
    let mut faults = entry.faults.clone();
    let next = match &entry.schedule {
        Some(schedule) => match schedule.next(now) {
            Ok(next) => Some(next).filter(|_| state == AutomationState::Enabled),
            Err(never) => {
                faults.push(automation::Fault { place: "/cron".to_owned(), message: never.to_string() });
                None
            }
        },
        None => None,
    };
    AutomationRow {
        id: entry.id.clone(),
        title: entry.title(),
        event: entry.event,
        event_name: entry.event_name.clone(),
        when: when(entry),
        may: entry.actions.iter().map(|action| may(entry, action)).collect(),
        state,
        next,
        zone: entry.zone.clone(),
        faults,
        last,
    }
}

pub fn done(fired: AutomationEffect) -> AutomationDone {
    let AutomationEffect { no: _, automation, at, ms, event, outcome, detail, session, run } = fired;
    AutomationDone { id: automation, at, ms, event, outcome, detail, session, run }
}

/// When it fires, in words.
fn when(entry: &Entry) -> String {
    let event = match (entry.event, &entry.schedule) {
        (Some(Event::Tick), Some(schedule)) => return format!("{} {}", schedule.words(), schedule.zone()),
        (Some(event), _) => event,
        (None, _) => return format!("On {}", entry.event_name),
    };
    let words = match event {
        Event::Tick => "At times that are not right",
        Event::AppStarted => "When the program starts",
        Event::SessionBefore => "Before a session begins",
        Event::SessionCreated => "When a session has begun",
        Event::SessionArchived => "When a session is archived",
        Event::StatusChanged => "When a session gets another status",
        Event::LabelAdded => "When a session gets a label",
        Event::LabelRemoved => "When a session loses a label",
        Event::FlagChanged => "When a session is flagged, or is no longer",
        Event::ModeChanged => "When a session gets another mode",
        Event::TurnBefore => "Before a message is sent",
        Event::TurnAfter => "When a turn has ended",
        Event::ToolBefore => "Before a tool is called",
        Event::ToolAfter => "When a call of a tool has ended",
        Event::ToolFailed => "When a call of a tool has failed",
        Event::RunBefore => "Before a run begins",
        Event::RunAfter => "When a run has ended",
        Event::RunFinished => "When a run has ended with its document",
        Event::RunFailed => "When a run has failed",
        Event::PauseBefore => "Before a run waits for you",
        Event::RunPaused => "When a run waits for you",
        Event::PauseAfter => "When a pause was answered",
        Event::StageBefore => "Before a stage begins",
        Event::StageAfter => "When a stage has ended",
    };
    match &entry.matcher {
        Some(matcher) => format!("{words}, and {} matches {}", event.subject(), short(matcher.text())),
        None => words.to_owned(),
    }
}

/// What an action may do: the person reads it before they enable it.
pub fn may(entry: &Entry, action: &Action) -> String {
    let mode = match entry.mode {
        Mode::Safe => "Explore: it reads and changes nothing",
        Mode::Ask => "Ask to edit: changes wait for you",
        Mode::AllowAll => "Auto: it changes things without asking",
    };
    match action {
        Action::Prompt { session: None, prompt, .. } => {
            format!("Begins a session in {mode}, and sends: {}", short(prompt))
        }
        Action::Prompt { session: Some(session), prompt, .. } => {
            format!("Sends to session {session}, if its mode is no wider than {mode}: {}", short(prompt))
        }
        Action::Run { agent, input, unattended, .. } => {
            let pauses = match unattended {
                true => ", which takes the proposed choice at its pauses,",
                false => "",
            };
            format!("Starts a run of {agent}{pauses} with: {}", short(input))
        }
        Action::Webhook { url, method, .. } => {
            format!("Sends a {method} request with what happened to {}", short(url))
        }
        Action::Command { command, .. } => {
            let moment = match entry.event.is_some_and(|event| action.gated(event) == ActionPhase::Vetoes) {
                true => ", and what it says may keep it from happening",
                false => "",
            };
            format!("Runs a command in {mode}{moment}: {}", short(command))
        }
        Action::Veto { reason } => format!("Keeps it from happening, and says: {}", short(reason)),
    }
}
