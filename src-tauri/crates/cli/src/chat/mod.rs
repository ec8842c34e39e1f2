//! Conversations in a terminal and in scripts: `chat`, `undo`, `prompt`, `permissions`, `skills`, `help`.

mod args;
pub mod asking;
mod showing;
mod undoing;

use std::io::IsTerminal as _;
use std::path::Path;
use std::time::Duration;

use api::turn::{TurnStatus, TurnUi, TurnUiKind, TurnView};
use api::wire::{ApiEvent, AttachmentAdd, Sent, SessionQuery, SetupPatch, TurnSend};
use api::{Request, Response, Surface};
use domain::{Attachment, ErrorCode, Mention, MentionKind, Problem, RunId, UserMessage};
use tokio::sync::broadcast::{self, error::RecvError};

pub use args::{ChatArgs, PermissionsCommand, PromptArgs, UndoArgs};
pub use undoing::undo;

use crate::connect::unlock;
use crate::outcome::Outcome;
use crate::prompt::line;
use crate::run::{close, open};
use crate::terminal::printable;
use asking::Person;
use showing::Steps;

/// How long nothing may be heard of a turn before its state is asked for.
const SILENCE: Duration = Duration::from_secs(5);

/// `chat`.
pub async fn chat(home: &Path, args: ChatArgs) -> Result<Outcome, Problem> {
    let message = words(&args)?;
    let (surface, instance) = open(home).await?;
    let outcome = converse(&surface, args, message).await;
    close(surface, instance).await?;
    outcome
}

/// The message; nothing where the terminal is asked for it.
fn words(args: &ChatArgs) -> Result<Option<String>, Problem> {
    let text = args.message.join(" ");
    let piped = !std::io::stdin().is_terminal();
    if text.trim() == "-" || (text.is_empty() && piped) {
        let read = std::io::read_to_string(std::io::stdin())
            .map_err(|error| Problem::new(ErrorCode::InvalidInput, format!("standard input: {error}")))?;
        if read.trim().is_empty() {
            return Err(Problem::new(ErrorCode::InvalidInput, "no message")
                .with_action("agentnative chat \"<message>\""));
        }
        return Ok(Some(read));
    }
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

async fn converse(surface: &Surface, args: ChatArgs, message: Option<String>) -> Result<Outcome, Problem> {
    unlock(surface, args.connection.as_deref().unwrap_or_default()).await?;
    let mut session = match args.session.as_deref() {
        Some("last") => Some(newest(surface).await?),
        other => other.map(str::to_owned),
    };
    let mut setup = setup(&args)?;
    let Some(message) = message else {
        eprintln!("Write a message; an empty line ends the conversation.\n");
        loop {
            let Some(text) = line("you > ").await.filter(|text| !text.trim().is_empty()) else {
                return Ok(Outcome::Done);
            };
            let (of, outcome) = one(surface, &args, session.take(), std::mem::take(&mut setup), text).await?;
            if outcome != Outcome::Done {
                eprintln!("(the turn did not end well; the conversation goes on)");
            }
            session = Some(of);
        }
    };
    one(surface, &args, session, setup, message).await.map(|(_, outcome)| outcome)
}

async fn newest(surface: &Surface) -> Result<String, Problem> {
    let query = SessionQuery { limit: 1, ..SessionQuery::default() };
    match surface.call(Request::SessionList(query)).await? {
        Response::Sessions(page) => page
            .sessions
            .into_iter()
            .next()
            .map(|row| row.session)
            .ok_or_else(|| Problem::new(ErrorCode::NotFound, "there is no session yet")),
        _ => Err(unexpected()),
    }
}

fn setup(args: &ChatArgs) -> Result<SetupPatch, Problem> {
    let folders: Result<Vec<String>, Problem> = args
        .folder
        .iter()
        .map(|folder| {
            let real = folder.canonicalize().map_err(|error| {
                Problem::new(ErrorCode::NotFound, format!("{}: {error}", folder.display()))
            })?;
            Ok(real.to_string_lossy().into_owned())
        })
        .collect();
    let folders = folders?;
    Ok(SetupPatch {
        mode: args.mode.map(Into::into),
        folders: Some(folders).filter(|folders| !folders.is_empty()),
        sources: Some(args.source.clone()).filter(|sources| !sources.is_empty()),
        agent: args.agent.clone(),
        ..SetupPatch::default()
    })
}

/// One message and all that comes of it. Gives the session.
async fn one(
    surface: &Surface,
    args: &ChatArgs,
    session: Option<String>,
    setup: SetupPatch,
    text: String,
) -> Result<(String, Outcome), Problem> {
    let mentions = mentions(surface, session.as_deref(), &text).await?;
    let mut attachments = Vec::new();
    for path in &args.attach {
        attachments.push(attach(surface, session.as_deref(), path).await?);
    }
    let send = TurnSend {
        session,
        message: UserMessage { text, mentions, attachments },
        connection: args.connection.clone(),
        model: args.model.clone(),
        setup,
        budget_usd: args.budget_usd,
        budget_tokens: args.budget_tokens,
        budget_minutes: args.budget_minutes,
        ..TurnSend::default()
    };
    let events = surface.events();
    let Response::Sent(sent) = surface.call(Request::TurnSend(Box::new(send))).await? else {
        return Err(unexpected());
    };
    let Sent { session, turn, run, queued, notes, .. } = sent;
    for note in notes {
        eprintln!("{}", printable(&note));
    }
    if let Some(run) = run {
        eprintln!("{run} began in session {session}: `agentnative show {run}`, `agentnative resume {run}`");
        return Ok((session, Outcome::Paused));
    }
    if queued.is_some() {
        eprintln!("A turn is under way in {session}; the message waits for it.");
        return Ok((session, Outcome::Done));
    }
    let Some(turn) = turn else { return Err(unexpected()) };
    let outcome = follow(surface, args, &turn, events).await?;
    if !args.json {
        eprintln!("({session})");
    }
    Ok((session, outcome))
}

/// `@name` and `/name` at the beginning of a word name what is called so.
async fn mentions(surface: &Surface, session: Option<&str>, text: &str) -> Result<Vec<Mention>, Problem> {
    let mut mentions = Vec::new();
    let mut at = 0u32;
    for word in text.split_inclusive(char::is_whitespace) {
        let begin = at;
        at += word.encode_utf16().count() as u32;
        let name = word.trim_end();
        let Some(sigil @ ('@' | '/')) = name.chars().next() else { continue };
        let name = name[1..].trim_end_matches([',', '.', ';', ':', '!', '?']);
        if name.is_empty() || (sigil == '/' && name.contains('/')) {
            continue;
        }
        let request = Request::MentionComplete {
            folders: Vec::new(),
            session: session.map(str::to_owned),
            sigil: sigil.to_string(),
            text: name.to_owned(),
        };
        let Response::Completions(found) = surface.call(request).await? else { return Err(unexpected()) };
        if let Some(found) = found.into_iter().find(|found| found.name == name) {
            let end = begin + 1 + name.encode_utf16().count() as u32;
            mentions.push(Mention {
                kind: found.kind,
                name: found.name,
                title: found.title,
                range: (begin, end),
            });
        } else if sigil == '@' && matches!(name.chars().next(), Some(c) if c.is_ascii_alphanumeric()) {
            eprintln!("nothing is called {}; it is sent as it is", printable(name));
        }
    }
    mentions.dedup_by(|one, other| one.kind == MentionKind::Agent && other.kind == MentionKind::Agent);
    Ok(mentions)
}

async fn attach(surface: &Surface, session: Option<&str>, path: &Path) -> Result<Attachment, Problem> {
    let whole = std::path::absolute(path)
        .map_err(|error| Problem::new(ErrorCode::InvalidInput, format!("{}: {error}", path.display())))?;
    let add = AttachmentAdd {
        session: session.map(str::to_owned),
        path: Some(whole.to_string_lossy().into_owned()),
        ..AttachmentAdd::default()
    };
    match surface.call(Request::AttachmentAdd(add)).await? {
        Response::Attachment(attachment) => {
            if let Some(note) = &attachment.note {
                eprintln!("{}: {note}", printable(&attachment.name));
            }
            Ok(attachment)
        }
        _ => Err(unexpected()),
    }
}

/// Shows a turn until it is over, and asks the person where it asks.
async fn follow(
    surface: &Surface,
    args: &ChatArgs,
    turn: &RunId,
    mut events: broadcast::Receiver<ApiEvent>,
) -> Result<Outcome, Problem> {
    let mut steps = Steps::new(args.json);
    let mut person = Person::new(args);
    let mut view = show(surface, turn).await?;
    let mut interrupted = false;
    loop {
        steps.take(&view);
        if let Some(outcome) = over(view.head.status) {
            steps.end(&view);
            return Ok(outcome);
        }
        if view.head.status == TurnStatus::Waiting && person.answer(surface, &view).await? {
            view = show(surface, turn).await?;
            continue;
        }
        tokio::select! {
            event = events.recv() => match event {
                Ok(ApiEvent::Turn(told)) if told.run == *turn => {
                    let TurnUi { kind, .. } = &*told;
                    steps.show(&told);
                    if matches!(kind, TurnUiKind::Changed { .. }) {
                        view = show(surface, turn).await?;
                    }
                }
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => view = show(surface, turn).await?,
                Err(RecvError::Closed) => {
                    return Err(Problem::new(ErrorCode::Busy, "the instance that drives the turn has gone away"));
                }
            },
            _ = tokio::signal::ctrl_c() => {
                if interrupted {
                    return Ok(Outcome::Cancelled);
                }
                interrupted = true;
                eprintln!("\nstopping");
                surface.call(Request::TurnStop { run: turn.clone() }).await?;
                view = show(surface, turn).await?;
            }
            () = tokio::time::sleep(SILENCE) => view = show(surface, turn).await?,
        }
    }
}

fn over(status: TurnStatus) -> Option<Outcome> {
    match status {
        TurnStatus::Running | TurnStatus::Waiting => None,
        TurnStatus::Completed => Some(Outcome::Done),
        TurnStatus::Interrupted => Some(Outcome::Paused),
        TurnStatus::Stopped => Some(Outcome::Cancelled),
        TurnStatus::Failed => Some(Outcome::Failed),
    }
}

async fn show(surface: &Surface, turn: &RunId) -> Result<TurnView, Problem> {
    match surface.call(Request::TurnShow { run: turn.clone() }).await? {
        Response::Turn(view) => Ok(*view),
        _ => Err(unexpected()),
    }
}

/// `prompt`.
pub async fn prompt(home: &Path, args: PromptArgs) -> Result<Outcome, Problem> {
    let (surface, instance) = open(home).await?;
    let request = Request::PromptShow { session: args.session, agent: args.agent, stage: args.stage };
    let answer = surface.call(request).await;
    close(surface, instance).await?;
    let Response::Prompt(prompt) = answer? else { return Err(unexpected()) };
    if args.json {
        println!("{}", json(&prompt)?);
        return Ok(Outcome::Done);
    }
    println!("{}", printable(&prompt.system));
    if !prompt.tools.is_empty() {
        println!("\n--- {} tools", prompt.tools.len());
        for tool in &prompt.tools {
            println!("{}: {}", tool.name, printable(tool.description.lines().next().unwrap_or_default()));
        }
    }
    eprintln!("about {} tokens", prompt.tokens);
    Ok(Outcome::Done)
}

/// `permissions`.
pub async fn permissions(home: &Path, command: PermissionsCommand) -> Result<Outcome, Problem> {
    let (surface, instance) = open(home).await?;
    let done = permissions_on(&surface, command).await;
    close(surface, instance).await?;
    done
}

async fn permissions_on(surface: &Surface, command: PermissionsCommand) -> Result<Outcome, Problem> {
    match command {
        PermissionsCommand::List { json: as_json } => {
            let Response::Permissions(state) = surface.call(Request::PermissionShow).await? else {
                return Err(unexpected());
            };
            if as_json {
                println!("{}", json(&state)?);
                return Ok(Outcome::Done);
            }
            println!("Commands in Explore: {}", printable(&state.confinement));
            for layer in &state.layers {
                let place = if layer.file.is_empty() { "comes with the program" } else { &layer.file };
                println!("\n{} {} ({})", layer.layer, layer.source, printable(place));
                for rule in &layer.rules {
                    println!(
                        "  {:<6} {}  {}",
                        rule.effect,
                        printable(&rule.matches),
                        printable(&rule.reason)
                    );
                }
                for problem in &layer.problems {
                    println!("  broken {}", printable(&json(problem)?));
                }
            }
            println!("\nGranted:");
            for grant in &state.grants {
                println!("  {}  {}  {}", grant.id, printable(&grant.words), printable(&grant.session_title));
            }
        }
        PermissionsCommand::Revoke { ids, all } => {
            let ids = if all { Vec::new() } else { ids };
            surface.call(Request::GrantRevoke { ids }).await?;
        }
        PermissionsCommand::Audit { limit, json: as_json } => {
            let request = Request::AuditList { before: None, limit, session: None };
            let Response::Audit(rows) = surface.call(request).await? else { return Err(unexpected()) };
            for row in rows {
                if as_json {
                    println!("{}", json(&row)?);
                } else {
                    let source =
                        if row.source.is_empty() { String::new() } else { format!("{}/", row.source) };
                    println!(
                        "{:<8} {:<10} {source}{}  {}  ({})",
                        row.decision,
                        row.mode.word(),
                        row.tool,
                        printable(&row.subject),
                        printable(&row.by)
                    );
                }
            }
        }
    }
    Ok(Outcome::Done)
}

fn json(value: &impl serde::Serialize) -> Result<String, Problem> {
    serde_json::to_string(value).map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))
}

fn unexpected() -> Problem {
    Problem::new(ErrorCode::Internal, "the engine answered something else than was asked")
}
