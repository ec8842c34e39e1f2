//! Conversations in a terminal and in scripts: `chat`, `undo`, `prompt`, `permissions`, `skills`, `help`.

pub mod approvals;
mod args;
mod progress;
mod undo;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use app::turn::{TurnHead, TurnStatus, TurnUi, TurnUiKind, TurnView};
use app::{AnyClient, PausePolicy, Reply};
use domain::{Attachment, ErrorCode, Mention, MentionKind, NanoUsd, Problem, RunId, UserMessage};
use protocol::{ApiEvent, AttachmentAdd, Client, Sent, SessionQuery, SetupPatch, TurnSend};
use tokio::sync::broadcast::{self, error::RecvError};

pub use args::{ChatArgs, ModeArg, PermissionsCommand, PromptArgs, UndoArgs};
pub use progress::print_turn;
pub use undo::undo;

use crate::args::PauseReplies;
use crate::connect::unlock;
use crate::interrupts::Interrupts;
use crate::outcome::Outcome;
use crate::prompt::line;
use crate::run::{self, Events, absolute, with_client};
use crate::terminal::{json_line, print_json, printable};
use approvals::TerminalUser;
use progress::Steps;

/// How long nothing may be heard of a turn before its state is asked for.
const POLL_AFTER: Duration = Duration::from_secs(5);

/// `chat`.
pub async fn chat(home: &Path, args: ChatArgs) -> Result<Outcome, Problem> {
    let message = words(&args)?;
    with_client(home, async |client| converse(client, args, message).await).await
}

/// The message; nothing where the terminal is asked for it.
fn words(args: &ChatArgs) -> Result<Option<String>, Problem> {
    let text = args.message.join(" ");
    let piped = !std::io::stdin().is_terminal();
    if text.trim() == "-" || (text.is_empty() && piped) {
        let read = std::io::read_to_string(std::io::stdin())
            .map_err(|error| Problem::new(ErrorCode::InvalidInput, format!("standard input: {error}")))?;
        if read.trim().is_empty() {
            return Err(no_message());
        }
        return Ok(Some(read));
    }
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// A conversation that begins with a message that names a skill.
pub async fn with_skill(client: &AnyClient, skill: &str, args: ChatArgs) -> Result<Outcome, Problem> {
    let message = words(&args)?.ok_or_else(no_message)?;
    converse(client, args, Some(format!("/{skill} {message}"))).await
}

fn no_message() -> Problem {
    Problem::new(ErrorCode::InvalidInput, "no message").with_action("agentnative chat \"<message>\"")
}

async fn converse(client: &AnyClient, args: ChatArgs, message: Option<String>) -> Result<Outcome, Problem> {
    unlock(client, args.over.connection.as_deref().unwrap_or_default()).await?;
    let mut session = match args.session.as_deref() {
        Some("last") => Some(newest(client).await?),
        other => other.map(str::to_owned),
    };
    let mut setup = setup(&args)?;
    let Some(message) = message else {
        let state = client.permission_show().await?;
        if !state.can_confine {
            eprintln!("{}", printable(&state.confinement));
        }
        eprintln!("Write a message; an empty line ends the conversation.\n");
        loop {
            let Some(text) = line("you > ").await.filter(|text| !text.trim().is_empty()) else {
                return Ok(Outcome::Done);
            };
            let (of, outcome) = one(client, &args, session.take(), std::mem::take(&mut setup), text).await?;
            // A run that a message began may be left waiting.
            if !matches!(outcome, Outcome::Done | Outcome::Paused) {
                eprintln!("(the turn did not end well; the conversation goes on)");
            }
            session = Some(of);
        }
    };
    one(client, &args, session, setup, message).await.map(|(_, outcome)| outcome)
}

async fn newest(client: &AnyClient) -> Result<String, Problem> {
    let query = SessionQuery { limit: 1, ..SessionQuery::default() };
    let newest = client.session_list(query).await?.sessions.into_iter().next();
    newest.map(|row| row.session).ok_or_else(|| Problem::new(ErrorCode::NotFound, "there is no session yet"))
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
    client: &AnyClient,
    args: &ChatArgs,
    session: Option<String>,
    setup: SetupPatch,
    text: String,
) -> Result<(String, Outcome), Problem> {
    let mentions = mentions(client, session.as_deref(), &text).await?;
    let add = AttachmentAdd { session: session.clone(), ..AttachmentAdd::default() };
    let attachments = attach(client, &args.attach, add).await?;
    let send = TurnSend {
        session,
        message: UserMessage { text, mentions, attachments },
        connection: args.over.connection.clone(),
        model: args.over.model.clone(),
        setup,
        depth: args.depth.clone(),
        corpus: args.corpus.clone().map(run::base_or_folder).transpose()?,
        budget_usd: args.budget.budget_usd,
        budget_tokens: args.budget.budget_tokens,
        budget_minutes: args.budget.budget_minutes,
        ..TurnSend::default()
    };
    let (events, of_runs) = (client.events(), Events::subscribe(client));
    let Sent { session, turn, run, queued, notes, .. } = client.turn_send(Box::new(send)).await?;
    for note in notes {
        eprintln!("{}", printable(&note));
    }
    if let Some(run) = run {
        eprintln!("{run} began in session {session}");
        let replies = PauseReplies { json: args.json, ..PauseReplies::default() };
        let followed = run::follow(client, run, of_runs, &replies, PausePolicy::default(), Reply::default());
        return Ok((session, followed.await?));
    }
    if args.depth.is_some() || args.corpus.is_some() {
        eprintln!("--depth and --corpus are not used: the message names no agent with stages as @agent");
    }
    if queued.is_some() {
        eprintln!("A turn is under way in {session}; the message waits for it.");
        return Ok((session, Outcome::Done));
    }
    let Some(turn) = turn else {
        return Err(Problem::new(ErrorCode::Internal, "the message was sent, but no turn began"));
    };
    let outcome = follow(client, args.json, TerminalUser::new(args), (&turn, 0), events).await?;
    if !args.json {
        eprintln!("({session})");
    }
    Ok((session, outcome))
}

/// `@name` and `/name` at the beginning of a word name what is called so.
async fn mentions(client: &AnyClient, session: Option<&str>, text: &str) -> Result<Vec<Mention>, Problem> {
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
        let session = session.map(str::to_owned);
        let found = client.mention_complete(session, sigil.to_string(), name.to_owned(), Vec::new()).await?;
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

/// Keeps files that go with a message or a question.
pub async fn attach(
    client: &AnyClient,
    paths: &[PathBuf],
    add: AttachmentAdd,
) -> Result<Vec<Attachment>, Problem> {
    let mut attachments = Vec::new();
    for path in paths {
        let path = Some(absolute(path)?);
        let attachment = client.attachment_add(AttachmentAdd { path, ..add.clone() }).await?;
        let pages =
            attachment.pages.map(|pages| format!("{pages} page{}", if pages == 1 { "" } else { "s" }));
        for told in pages.iter().chain(&attachment.note) {
            eprintln!("{}: {}", printable(&attachment.name), printable(told));
        }
        attachments.push(attachment);
    }
    Ok(attachments)
}

/// Shows a turn until it is over, and asks the person where it asks. Up to the event of this number it may have been over
/// already.
async fn follow(
    client: &AnyClient,
    json: bool,
    mut person: TerminalUser,
    (turn, before): (&RunId, u64),
    mut events: broadcast::Receiver<ApiEvent>,
) -> Result<Outcome, Problem> {
    let mut steps = Steps::new(json);
    let mut view = show(client, turn).await?;
    let mut interrupts = Interrupts::listen()?;
    let mut interrupted = false;
    loop {
        steps.take(&view);
        if let Some(outcome) = over(&view.head).filter(|_| view.head.seq > before) {
            steps.end(&view);
            return Ok(outcome);
        }
        if view.head.status == TurnStatus::Waiting && person.answer(client, &view).await? {
            view = show(client, turn).await?;
            continue;
        }
        tokio::select! {
            event = events.recv() => match event {
                Ok(ApiEvent::Turn(told)) if told.run == *turn => {
                    let TurnUi { kind, .. } = &*told;
                    steps.show(&told);
                    if matches!(kind, TurnUiKind::Changed { .. }) {
                        view = show(client, turn).await?;
                    }
                }
                Ok(ApiEvent::Limit(text)) => eprintln!("{}", printable(&text)),
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => view = show(client, turn).await?,
                Err(RecvError::Closed) => {
                    return Err(Problem::new(ErrorCode::Busy, "the connection to the instance that runs the turn was lost"));
                }
            },
            () = interrupts.next() => {
                if interrupted {
                    return Ok(Outcome::Cancelled);
                }
                interrupted = true;
                eprintln!("\nstopping");
                client.turn_stop(turn.clone()).await?;
                view = show(client, turn).await?;
            }
            () = tokio::time::sleep(POLL_AFTER) => view = show(client, turn).await?,
        }
    }
}

/// Goes on with a turn that failed, was stopped or was interrupted, and shows it until it is over.
pub async fn resume(client: &AnyClient, turn: &RunId, json: bool) -> Result<Outcome, Problem> {
    let events = client.events();
    let head = show(client, turn).await?.head;
    if head.status == TurnStatus::Interrupted && head.doubtful > NanoUsd::default() {
        eprintln!(
            "the program ended during a call that may have cost up to {}; the model is asked again",
            head.doubtful
        );
    }
    let before = head.seq;
    client.turn_resume(turn.clone()).await?;
    let person = TerminalUser::at_terminal(!json && std::io::stdin().is_terminal());
    follow(client, json, person, (turn, before), events).await
}

fn over(head: &TurnHead) -> Option<Outcome> {
    match head.status {
        TurnStatus::Running | TurnStatus::Waiting => None,
        TurnStatus::Completed if !head.incomplete => Some(Outcome::Done),
        TurnStatus::Interrupted => Some(Outcome::Paused),
        TurnStatus::Stopped => Some(Outcome::Cancelled),
        TurnStatus::Completed | TurnStatus::Failed => Some(Outcome::Failed),
    }
}

async fn show(client: &AnyClient, turn: &RunId) -> Result<TurnView, Problem> {
    client.turn_show(turn.clone()).await
}

/// `prompt`.
pub async fn prompt(client: &AnyClient, args: PromptArgs) -> Result<Outcome, Problem> {
    let prompt = client.prompt_show(args.session, args.agent, args.stage).await?;
    if args.json {
        return print_json(&prompt);
    }
    println!("{}", printable(&prompt.system));
    if !prompt.tools.is_empty() {
        println!("\n--- {} tools", prompt.tools.len());
        for tool in &prompt.tools {
            println!(
                "{}: {}",
                printable(&tool.name),
                printable(tool.description.lines().next().unwrap_or_default())
            );
        }
    }
    eprintln!("about {} tokens", prompt.tokens);
    Ok(Outcome::Done)
}

/// `permissions`.
pub async fn permissions(client: &AnyClient, command: PermissionsCommand) -> Result<Outcome, Problem> {
    match command {
        PermissionsCommand::List { json: as_json } => {
            let state = client.permission_show().await?;
            if as_json {
                return print_json(&state);
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
                    println!("  broken {}", printable(&json_line(problem)));
                }
            }
            println!("\nGranted:");
            for grant in &state.grants {
                println!("  {}  {}  {}", grant.id, printable(&grant.words), printable(&grant.session_title));
            }
        }
        PermissionsCommand::Allow { agent, dry_run, json: as_json } => {
            let rows = match dry_run {
                true => client.permission_stages(agent).await?,
                false => client.permission_allow(agent).await?,
            };
            if as_json {
                return print_json(&rows);
            }
            if rows.is_empty() {
                println!("Its stages call nothing that has to be allowed.");
            }
            for row in rows {
                let state = if row.granted { "allowed" } else { "not allowed" };
                println!("{state}  {}: {}", printable(&row.source), printable(&row.tools.join(", ")));
            }
        }
        PermissionsCommand::Revoke { ids, all } => {
            let ids = if all { Vec::new() } else { ids };
            client.grant_revoke(ids).await?;
        }
        PermissionsCommand::Audit { limit, json: as_json } => {
            for row in client.audit_list(None, limit, None).await? {
                if as_json {
                    println!("{}", json_line(&row));
                } else {
                    let source =
                        if row.source.is_empty() { String::new() } else { format!("{}/", row.source) };
                    println!(
                        "{:<8} {:<10} {source}{}  {}  ({})",
                        row.decision,
                        row.mode.as_str(),
                        printable(&row.tool),
                        printable(&row.subject),
                        printable(&row.by)
                    );
                }
            }
        }
    }
    Ok(Outcome::Done)
}
