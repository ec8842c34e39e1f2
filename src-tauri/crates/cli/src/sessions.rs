//! `sessions` and `search`: finding and organising sessions in the terminal.

use app::AnyClient;
use clap::{Args, Subcommand, ValueEnum};
use domain::{ErrorCode, Problem};
use protocol::{
    Client, ContentQuery, Excerpt, FileProblem, LabelRow, Organisation, SessionCopy, SessionPatch,
    SessionQuery, SessionRow, SessionView,
};

use crate::outcome::Outcome;
use crate::prompt::agreed;
use crate::terminal::{JSON, print_json, printable, utc_offset_minutes};

/// `sessions`.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List sessions, the one changed last first.
    List(ListArgs),
    /// Statuses, labels and views, with how many sessions each has.
    Views {
        #[arg(long, help = JSON)]
        json: bool,
    },
    /// Set the status of sessions.
    Status {
        /// The status' id.
        status: String,
        #[command(flatten)]
        named: Named,
    },
    /// Add labels to sessions, or remove them.
    Label {
        #[command(flatten)]
        named: Named,
        /// A label to add: its id, or `id::value`; can be given several times.
        #[arg(long, value_name = "LABEL")]
        add: Vec<String>,
        /// A label to remove: its id, whatever the value, or `id::value`; can be given several times.
        #[arg(long, value_name = "LABEL")]
        remove: Vec<String>,
    },
    /// Rename a session.
    Rename {
        /// The session.
        session: String,
        /// The new title of the session.
        title: String,
    },
    /// Give a conversation a title by the model that answered in it.
    Title {
        /// The session.
        session: String,
    },
    /// Copy a session with everything that was said in it.
    Duplicate {
        /// The session.
        session: String,
    },
    /// Archive sessions.
    Archive(Named),
    /// Move sessions to the trash.
    Delete(Named),
    /// Restore sessions from the archive or the trash.
    Restore(Named),
    /// Delete sessions of the trash for good, with everything that belongs to them.
    Purge {
        #[command(flatten)]
        named: Named,
        /// Do not ask for confirmation.
        #[arg(long)]
        yes: bool,
    },
}

/// Sessions by their ids.
#[derive(Debug, Args)]
pub struct Named {
    /// The sessions.
    #[arg(required = true)]
    pub sessions: Vec<String>,
}

/// Shelves and states.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub enum ViewName {
    /// Neither archived nor deleted.
    #[default]
    Inbox,
    /// With a run under way.
    Running,
    /// With a run that waits for you.
    NeedsYou,
    /// Whose latest run has ended.
    Done,
    /// Flagged.
    Flagged,
    /// Archived.
    Archived,
    /// In the trash.
    Trash,
}

/// `sessions list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// A line of filters and words of the title, such as `label:bug before:7d budget`.
    pub line: Vec<String>,
    /// Where to look.
    #[arg(long, value_enum, default_value_t)]
    pub view: ViewName,
    /// Only those that this view of yours shows: its id.
    #[arg(long, value_name = "ID")]
    pub saved: Option<String>,
    /// The most sessions; at most 200.
    #[arg(long, default_value_t = 30)]
    pub limit: u32,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `search`.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Words and filters, such as `materiality "performance materiality" -draft agent:isa-deep-research after:30d`.
    #[arg(required = true)]
    pub line: Vec<String>,
    /// Only in this session.
    #[arg(long)]
    pub session: Option<String>,
    /// The most sessions; at most 100.
    #[arg(long, default_value_t = 20)]
    pub limit: u32,
    #[arg(long, help = JSON)]
    pub json: bool,
}

/// `sessions`.
pub async fn sessions(client: &AnyClient, command: SessionsCommand) -> Result<Outcome, Problem> {
    match command {
        SessionsCommand::List(args) => return list(client, args).await,
        SessionsCommand::Views { json } => return views(client, json).await,
        SessionsCommand::Status { status, named: Named { sessions } } => {
            let patch = SessionPatch { status: Some(status), ..SessionPatch::default() };
            client.session_update(sessions, patch).await?;
        }
        SessionsCommand::Label { named: Named { sessions }, add, remove } => {
            if add.is_empty() && remove.is_empty() {
                return Err(Problem::new(ErrorCode::InvalidInput, "no label was named")
                    .with_action("name one with --add or --remove"));
            }
            let patch = SessionPatch { add_labels: add, remove_labels: remove, ..SessionPatch::default() };
            client.session_update(sessions, patch).await?;
        }
        SessionsCommand::Rename { session, title } => {
            let patch = SessionPatch { title: Some(title), ..SessionPatch::default() };
            client.session_update(vec![session], patch).await?;
        }
        SessionsCommand::Title { session } => {
            println!("{}", printable(&client.session_title(SessionCopy { session }).await?));
        }
        SessionsCommand::Duplicate { session } => {
            println!("{}", printable(&client.session_duplicate(SessionCopy { session }).await?));
        }
        SessionsCommand::Archive(Named { sessions }) => {
            let patch = SessionPatch { archived: Some(true), ..SessionPatch::default() };
            client.session_update(sessions, patch).await?;
        }
        SessionsCommand::Delete(Named { sessions }) => {
            let count = sessions.len();
            let patch = SessionPatch { deleted: Some(true), ..SessionPatch::default() };
            client.session_update(sessions, patch).await?;
            eprintln!("{count} in the trash. `agentnative sessions restore` brings them back.");
        }
        SessionsCommand::Restore(Named { sessions }) => {
            let patch =
                SessionPatch { archived: Some(false), deleted: Some(false), ..SessionPatch::default() };
            client.session_update(sessions, patch).await?;
        }
        SessionsCommand::Purge { named: Named { sessions }, yes } => {
            let named = match sessions.as_slice() {
                [one] => printable(one),
                many => format!("{} sessions", many.len()),
            };
            let question =
                format!("Delete {named} for good, with messages, documents and files? There is no undo.");
            if !yes && !agreed(&question).await? {
                return Ok(Outcome::Cancelled);
            }
            let count = client.session_purge(sessions).await?;
            eprintln!("{count} deleted for good.");
        }
    }
    Ok(Outcome::Done)
}

async fn list(client: &AnyClient, args: ListArgs) -> Result<Outcome, Problem> {
    let view = match args.view {
        ViewName::Inbox => SessionView::Inbox,
        ViewName::Running => SessionView::Running,
        ViewName::NeedsYou => SessionView::NeedsYou,
        ViewName::Done => SessionView::Done,
        ViewName::Flagged => SessionView::Flagged,
        ViewName::Archived => SessionView::Archived,
        ViewName::Trash => SessionView::Trash,
    };
    let line = args.line.join(" ");
    let query = SessionQuery {
        view,
        saved: args.saved,
        line: (!line.is_empty()).then_some(line),
        limit: args.limit,
        offset_minutes: utc_offset_minutes(),
        ..SessionQuery::default()
    };
    let page = client.session_list(query).await?;
    if args.json {
        return print_json(&page);
    }
    refuse(&page.mistakes)?;
    for session in &page.sessions {
        println!("{}", line_of(session));
    }
    match (page.sessions.is_empty(), page.next) {
        (true, _) => eprintln!("No session."),
        (false, Some(_)) => eprintln!("There are more; --limit shows up to 200."),
        (false, None) => {}
    }
    Ok(Outcome::Done)
}

/// A session on one line.
fn line_of(session: &SessionRow) -> String {
    let mark = if session.unread { '*' } else { ' ' };
    let title: String = printable(&session.title).chars().take(60).collect();
    let labels: Vec<String> = session.labels.iter().map(|label| format!("#{}", printable(label))).collect();
    let stale = match session.stale {
        0 => String::new(),
        1 => "  [1 statement rests on changed text]".to_owned(),
        many => format!("  [{many} statements rest on changed text]"),
    };
    let line =
        format!("{mark} {:<24} {:<12} {title}{stale}  {}", session.session, session.status, labels.join(" "));
    line.trim_end().to_owned()
}

async fn views(client: &AnyClient, json: bool) -> Result<Outcome, Problem> {
    let organisation = client.organise_show().await?;
    if json {
        return print_json(&organisation);
    }
    let Organisation { statuses, labels, views, problems, .. } = organisation;
    println!("Statuses");
    for status in statuses {
        println!("  {:<24} {:>6}  {}", status.id, status.sessions, printable(&status.label));
    }
    println!("Labels");
    for label in &labels {
        print_label(label, 1);
    }
    println!("Views");
    for view in views {
        let count = view.sessions.map_or_else(|| "-".to_owned(), |count| count.to_string());
        println!("  {:<24} {count:>6}  {}: {}", view.id, printable(&view.name), printable(&view.expression));
        for wrong in view.mistakes.iter().map(|mistake| &mistake.message).chain(&view.faults) {
            println!("  {:<24}         wrong: {}", "", printable(wrong));
        }
    }
    for FileProblem { file, place, message } in problems {
        eprintln!("{}", printable(&format!("{file} {place}: {message}")));
    }
    Ok(Outcome::Done)
}

fn print_label(label: &LabelRow, depth: usize) {
    let name = format!("{}{}", "  ".repeat(depth), label.id);
    println!("{name:<26} {:>6}  {}", label.sessions, printable(&label.name));
    for child in &label.children {
        print_label(child, depth + 1);
    }
}

/// Where a filter is wrong, nothing is shown.
fn refuse(mistakes: &[impl ToString]) -> Result<(), Problem> {
    let words: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    if words.is_empty() { Ok(()) } else { Err(Problem::new(ErrorCode::InvalidInput, words.join("; "))) }
}

/// `search`.
pub async fn search(client: &AnyClient, args: SearchArgs) -> Result<Outcome, Problem> {
    let query = ContentQuery {
        // A trailing space: the last word is whole.
        line: format!("{} ", args.line.join(" ")),
        session: args.session,
        limit: args.limit,
        offset_minutes: utc_offset_minutes(),
        ..ContentQuery::default()
    };
    let hits = client.content_search(query).await?;
    if args.json {
        return print_json(&hits);
    }
    refuse(&hits.mistakes)?;
    if let Some(meant) = &hits.meant {
        eprintln!("Nothing has these words. These are the results for: {}", printable(meant.trim()));
    }
    if let Some(suggested) = &hits.suggested {
        eprintln!("Did you mean: {}", printable(suggested.trim()));
    }
    for hit in &hits.sessions {
        println!("{}", line_of(&hit.session));
        for message in &hit.messages {
            println!("    {:<9} {}", message.role, printable(&text_of(&message.text)));
        }
        let more = (hit.found as usize).saturating_sub(hit.messages.len());
        if more > 0 {
            println!("    and {more} more");
        }
    }
    if hits.sessions.is_empty() {
        eprintln!("Nothing found.");
    } else if hits.more {
        eprintln!("There are more; --limit shows up to 100.");
    }
    Ok(Outcome::Done)
}

/// Pieces with the words in brackets.
fn text_of(pieces: &[Excerpt]) -> String {
    let piece = |piece: &Excerpt| if piece.hit { format!("[{}]", piece.text) } else { piece.text.clone() };
    pieces.iter().map(piece).collect()
}
