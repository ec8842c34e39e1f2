//! `schedule`: automations in the terminal.

use std::path::{Path, PathBuf};

use app::turn::{TurnStatus, TurnUiKind};
use app::{AnyClient, UiKind};
use automation::{Event, local_minute};
use clap::Subcommand;
use domain::{ErrorCode, Problem};
use protocol::{
    ApiEvent, AutomationDone, AutomationEnable, AutomationFire, AutomationHistory, AutomationRef,
    AutomationRow, AutomationSave, AutomationState, AutomationView, Client,
};
use serde_json::Value;
use tokio::sync::broadcast::error::RecvError;

use crate::outcome::Outcome;
use crate::prompt::agreed;
use crate::terminal::{JSON, json_line, printable, read_text};

/// `schedule`.
#[derive(Debug, Subcommand)]
pub enum ScheduleCommand {
    /// List automations with their state.
    List {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Show an automation: when it fires, what it may do, what it did.
    Show {
        /// The id of the automation.
        id: String,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Add an automation from a file: {"event": "SchedulerTick", "cron": …, "actions": […]}. Adding does not enable it.
    Add {
        /// The file; `-` for standard input.
        file: PathBuf,
        /// The automation to replace.
        #[arg(long, value_name = "ID")]
        replaces: Option<String>,
    },
    /// Remove an automation.
    Remove {
        /// The id of the automation.
        id: String,
    },
    /// Enable an automation in its present form. A changed one has to be enabled again.
    Enable {
        /// The id of the automation.
        id: String,
        /// Do not ask; for scripts that know what they enable.
        #[arg(long)]
        yes: bool,
    },
    /// Disable an automation.
    Disable {
        /// The id of the automation.
        id: String,
    },
    /// Fire an automation now and wait for what it begins.
    Fire {
        /// The id of the automation.
        id: String,
        /// Show what would happen, and do nothing.
        #[arg(long)]
        dry: bool,
        /// The session that the event belongs to.
        #[arg(long)]
        session: Option<String>,
        /// Do not ask about one that is not enabled.
        #[arg(long)]
        yes: bool,
    },
    /// List what automations did, newest first.
    History {
        /// Only of this one.
        id: Option<String>,
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// List the next times of enabled schedules.
    Next,
}

/// `schedule`.
pub async fn schedule(client: &AnyClient, command: ScheduleCommand) -> Result<Outcome, Problem> {
    match command {
        ScheduleCommand::List { json } => {
            let page = client.automation_list().await?;
            for problem in &page.problems {
                eprintln!("{}", printable(problem));
            }
            for row in &page.automations {
                match json {
                    true => println!("{}", json_line(row)),
                    false => println!(
                        "{:<28} {:<9} {:<17} {}",
                        row.id,
                        state_name(row.state),
                        due(row),
                        printable(&row.title)
                    ),
                }
            }
            if page.automations.is_empty() && !json {
                println!("No automation yet. `agentnative schedule add FILE` adds one to {}", page.path);
            }
        }
        ScheduleCommand::Show { id, json } => {
            let view = shown(client, &id).await?;
            match json {
                true => println!("{}", json_line(&view)),
                false => print(&view),
            }
        }
        ScheduleCommand::Add { file, replaces } => {
            let view = added(client, &file, replaces).await?;
            print(&view);
            println!("\nIt does nothing yet: `agentnative schedule enable {}`", view.row.id);
        }
        ScheduleCommand::Remove { id } => {
            client.automation_remove(AutomationRef { id }).await?;
        }
        ScheduleCommand::Enable { id, yes } => {
            let view = shown(client, &id).await?;
            print(&view);
            if !yes && view.row.faults.is_empty() && !agreed("Let it do this?").await? {
                return Ok(Outcome::Cancelled);
            }
            let enable = AutomationEnable { id: id.clone(), on: true, digest: view.digest };
            client.automation_enable(enable).await?;
            println!("\n{id} is enabled. It runs while the window or `agentnative serve` is open.");
        }
        ScheduleCommand::Disable { id } => {
            let enable = AutomationEnable { id, on: false, digest: String::new() };
            client.automation_enable(enable).await?;
        }
        ScheduleCommand::Fire { id, dry, session, yes } => {
            return fired(client, id, dry, session, yes).await;
        }
        ScheduleCommand::History { id, json } => {
            let query = AutomationHistory { id, limit: 0 };
            for done in client.automation_history(query).await? {
                match json {
                    true => println!("{}", json_line(&done)),
                    false => println!("{}", execution_line(&done, "UTC")),
                }
            }
        }
        ScheduleCommand::Next => {
            let page = client.automation_list().await?;
            let mut rows: Vec<&AutomationRow> =
                page.automations.iter().filter(|row| row.next.is_some()).collect();
            rows.sort_by_key(|row| row.next);
            for row in rows {
                println!("{:<17} {:<20} {}", due(row), row.zone, printable(&row.title));
            }
        }
    }
    Ok(Outcome::Done)
}

async fn fired(
    client: &AnyClient,
    id: String,
    dry: bool,
    session: Option<String>,
    yes: bool,
) -> Result<Outcome, Problem> {
    let view = shown(client, &id).await?;
    if !dry && view.row.state != AutomationState::Enabled {
        print(&view);
        if !yes && !agreed("It is not enabled. Do this once?").await? {
            return Ok(Outcome::Cancelled);
        }
    }
    let mut events = client.events();
    let fire = AutomationFire { id, dry, digest: view.digest, session };
    let did = client.automation_fire(fire).await?;
    let mut waiting: Vec<String> = did.iter().filter_map(|done| done.run.clone()).collect();
    for done in &did {
        println!("{}", execution_line(done, &view.row.zone));
    }
    while !waiting.is_empty() {
        let ended = match events.recv().await {
            Ok(ApiEvent::Turn(told)) => match told.kind {
                TurnUiKind::Changed { head, .. } if over(head.status) => {
                    if let Some(answer) = head.answer.filter(|_| waiting.contains(&head.run.0)) {
                        println!("\n{}", printable(&answer));
                    }
                    Some(head.run.0)
                }
                _ => None,
            },
            Ok(ApiEvent::Run(told)) if matches!(told.kind, UiKind::Done { .. }) => Some(told.run.0),
            Ok(_) => None,
            // What was missed may be the end: it is in the list of sessions.
            Err(RecvError::Lagged(_) | RecvError::Closed) => break,
        };
        waiting.retain(|run| ended.as_ref() != Some(run));
    }
    let failed = did.iter().any(|done| done.outcome == "failed");
    Ok(if failed { Outcome::Failed } else { Outcome::Done })
}

fn over(status: TurnStatus) -> bool {
    match status {
        // Nobody answers here: what waits for the person goes on in the window.
        TurnStatus::Waiting | TurnStatus::Completed | TurnStatus::Stopped | TurnStatus::Failed => true,
        TurnStatus::Running | TurnStatus::Interrupted => false,
    }
}

async fn added(client: &AnyClient, file: &Path, replaces: Option<String>) -> Result<AutomationView, Problem> {
    let text = read_text(file).map_err(|error| {
        Problem::new(ErrorCode::InvalidInput, format!("{} can't be read: {error}", file.display()))
    })?;
    let invalid = |message: String| Problem::new(ErrorCode::InvalidInput, message);
    let mut entry: Value = serde_json::from_str(&text)
        .map_err(|error| invalid(format!("{} is no JSON: {error}", file.display())))?;
    let name = entry.as_object_mut().and_then(|entry| entry.remove("event"));
    let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
    let event = Event::of_name(name).ok_or_else(|| {
        let known: Vec<&str> = Event::all().map(Event::name).collect();
        invalid(format!("there is no event {name:?}"))
            .with_action(format!("name one of {}", known.join(", ")))
    })?;
    let save = AutomationSave { id: replaces, event, entry };
    client.automation_save(Box::new(save)).await
}

async fn shown(client: &AnyClient, id: &str) -> Result<AutomationView, Problem> {
    client.automation_show(AutomationRef { id: id.to_owned() }).await
}

fn print(view: &AutomationView) {
    let row = &view.row;
    println!("{} ({}): {}", printable(&row.title), row.id, state_name(row.state));
    println!("{}", printable(&row.when));
    for may in &row.may {
        println!("  {}", printable(may));
    }
    for fault in &row.faults {
        println!("  broken {} {}", printable(&fault.place), printable(&fault.message));
    }
    for at in &view.times {
        println!("  next {}", time(*at, &row.zone));
    }
    for done in &view.history {
        println!("  {}", execution_line(done, &row.zone));
    }
}

fn state_name(state: AutomationState) -> &'static str {
    match state {
        AutomationState::Enabled => "enabled",
        AutomationState::Disabled => "disabled",
        AutomationState::Changed => "changed",
        AutomationState::Off => "off",
        AutomationState::Broken => "broken",
    }
}

fn due(row: &AutomationRow) -> String {
    row.next.map(|next| time(next, &row.zone)).unwrap_or_default()
}

fn execution_line(done: &AutomationDone, zone: &str) -> String {
    let session = done.session.as_deref().map(|session| format!("  {session}")).unwrap_or_default();
    format!("{}  {}  {}{session}  {}", time(done.at, zone), done.id, done.outcome, printable(&done.detail))
}

fn time(ms: i64, zone: &str) -> String {
    match local_minute(ms, zone) {
        Some((date, _, minute)) => format!("{date} {:02}:{:02}", minute / 60, minute % 60),
        None => ms.to_string(),
    }
}
