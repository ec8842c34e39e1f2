//! Export, import and sharing from the terminal.

mod args;

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use app::AnyClient;
use domain::{ErrorCode, Problem};
use protocol::{
    Client, ExportFormat, ExportOptions, ExportPreview, ImportDone, ImportFrom, ImportJob, ImportOptions,
    ImportView, RunRef, SharePageOptions, ShareRevoke, ShareRow, TransferFormat,
};

pub use args::{ExportArgs, ImportArgs, ShareCommand};
use args::{Form, Redact};

use support::{copy_fresh, refuse_existing};

use crate::outcome::Outcome;
use crate::prompt::agreed;
use crate::run::with_client;
use crate::terminal::{json_line, print_json, printable};

/// Lines of a report that are printed.
const LINES: usize = 40;

/// `export`.
pub async fn export(home: &Path, args: ExportArgs) -> Result<Outcome, Problem> {
    let Some(form) = args.format else {
        // A run's own files, as before there were other forms.
        let [run] = args.what.as_slice() else {
            return Err(usage(
                "say in which form: --format jsonl, markdown, html, docx, pdf, xlsx, csv or bundle",
            ));
        };
        return crate::show::export(home, run, args.unchecked).await;
    };
    if args.what.is_empty() && !args.all && args.search.is_none() {
        return Err(usage("name sessions, or give --all or --search LINE"));
    }
    if args.redact == Some(Redact::Ask) && !std::io::stdin().is_terminal() {
        return Err(usage("--redact ask needs a terminal; give --redact all or --redact none"));
    }
    if args.changes_from.is_some() && form != Form::Docx {
        return Err(usage("--changes-from needs --format docx"));
    }
    let is_run = matches!(args.what.as_slice(), [what] if what == "last" || what.starts_with("run-"));
    let form = match form {
        Form::Markdown if is_run => return document(home, args, ExportFormat::Markdown).await,
        Form::Html if is_run => return document(home, args, ExportFormat::Html).await,
        Form::Jsonl => TransferFormat::Jsonl,
        Form::Markdown => TransferFormat::Markdown,
        Form::Html => TransferFormat::Html,
        Form::Bundle => TransferFormat::Bundle,
        Form::Docx => return document(home, args, ExportFormat::Docx).await,
        Form::Pdf => return document(home, args, ExportFormat::Pdf).await,
        Form::Xlsx => return document(home, args, ExportFormat::Xlsx).await,
        Form::Csv => return document(home, args, ExportFormat::Csv).await,
    };
    with_client(home, async |client| write(client, args, form).await).await
}

/// Writes the document of a run, or its statements for a spreadsheet.
async fn document(home: &Path, args: ExportArgs, format: ExportFormat) -> Result<Outcome, Problem> {
    with_client(home, async |client| save(client, args, format).await).await
}

async fn save(client: &AnyClient, args: ExportArgs, format: ExportFormat) -> Result<Outcome, Problem> {
    let ([run], false, None) = (args.what.as_slice(), args.all, &args.search) else {
        return Err(usage("name one run: --format docx, pdf, xlsx and csv write the document of a run"));
    };
    if matches!(args.redact, Some(Redact::All | Redact::Ask)) {
        return Err(usage(
            "nothing can be taken out of the document of a run; export its session with --format html, or give --redact none",
        ));
    }
    let target = args.output.as_deref().map(full).transpose()?;
    // Looked at first: the check of the sentences may take a while.
    if let Some(target) = &target {
        refuse_existing(Path::new(target))?;
    }
    let state = client.run_show(RunRef::Id(run.clone()), None, false).await?;
    let before = match args.changes_from.clone() {
        Some(before) => Some(client.run_show(RunRef::Id(before), None, false).await?.run),
        None => None,
    };
    let exported =
        client.session_export(state.session, Some(state.run), format, args.unchecked, before).await?;
    let path = target.unwrap_or_else(|| exported.path.clone());
    if path != exported.path {
        copy_fresh(Path::new(&exported.path), Path::new(&path))?;
    }
    if args.json {
        println!("{}", json_line(&serde_json::json!({ "path": path })));
    } else {
        println!("{}", printable(&path));
    }
    Ok(Outcome::Done)
}

async fn write(client: &AnyClient, args: ExportArgs, form: TransferFormat) -> Result<Outcome, Problem> {
    let mut of = ExportOptions {
        sessions: args.what,
        all: args.all,
        line: args.search,
        format: form,
        // Of a bundle only what was asked for in words is refused.
        redact: match args.redact {
            Some(redact) => redact != Redact::None,
            None => form != TransferFormat::Bundle,
        },
        keep: Vec::new(),
        path: args.output.map(|path| full(&path)).transpose()?,
        unchecked: args.unchecked,
        workspace_files: args.workspace_files,
    };
    if args.redact == Some(Redact::Ask) && form != TransferFormat::Bundle {
        of.keep = ask(client.export_preview(of.clone()).await?)?;
    }
    let written = client.export_write(of).await?;
    if args.json {
        return print_json(&written);
    }
    println!("{}", printable(&written.path));
    for note in &written.notes {
        eprintln!("{}", printable(note));
    }
    if written.redacted > 0 {
        eprintln!("{} values were taken out.", written.redacted);
    }
    Ok(Outcome::Done)
}

/// Asks for each finding; gives those that stay.
fn ask(preview: ExportPreview) -> Result<Vec<String>, Problem> {
    for note in &preview.notes {
        eprintln!("{}", printable(note));
    }
    if preview.findings.is_empty() {
        eprintln!("Nothing was found that looks private.");
        return Ok(Vec::new());
    }
    for (index, finding) in preview.findings.iter().enumerate() {
        let places = finding.places.first().map_or("", String::as_str);
        eprintln!(
            "{:>3}  {} -> {}  {} times, first in {}  ({})",
            index + 1,
            printable(&finding.shown),
            finding.replacement,
            finding.count,
            printable(places),
            finding.id
        );
    }
    eprint!("All of these are taken out. Numbers of those that stay (Enter for none): ");
    let _ = std::io::stderr().flush();
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|error| usage(&error.to_string()))?;
    let mut keep = Vec::new();
    for word in line.split([' ', ',', '\n']).filter(|word| !word.is_empty()) {
        let number: usize = word.parse().map_err(|_| usage(&format!("{word:?} is no number")))?;
        let finding = number.checked_sub(1).and_then(|index| preview.findings.get(index));
        keep.push(finding.ok_or_else(|| usage(&format!("there is no number {number}")))?.id.clone());
    }
    Ok(keep)
}

/// `import`.
pub async fn import(home: &Path, args: ImportArgs) -> Result<Outcome, Problem> {
    let path = args.path.as_deref().map(full).transpose()?;
    with_client(home, async |client| match path {
        Some(path) => bring(client, &args, path).await,
        None => bring_found(client, &args).await,
    })
    .await
}

/// Offers what other programs keep on this machine, a folder after another.
async fn bring_found(client: &AnyClient, args: &ImportArgs) -> Result<Outcome, Problem> {
    let places = client.import_places().await?;
    if places.is_empty() {
        return Err(usage("no folder of another program with conversations was found")
            .with_action("name a file or folder: agentnative import <path>"));
    }
    for place in &places {
        println!("{}: {} sessions in {}", place.program, place.sessions, printable(&place.path));
    }
    for place in places {
        println!("\n{}", place.program);
        // What is not wanted of one program says nothing about the next.
        bring(client, args, place.path).await?;
    }
    Ok(Outcome::Done)
}

async fn bring(client: &AnyClient, args: &ImportArgs, path: String) -> Result<Outcome, Problem> {
    let of = ImportOptions {
        path,
        workspaces: args.workspaces.clone(),
        sessions_only: args.sessions_only,
        take_secrets: args.take_secrets,
        replace_built_in: args.replace,
    };
    if args.dry_run || !args.yes {
        let view = client.import_inspect(ImportFrom::from(&of)).await?;
        if args.json && args.dry_run {
            println!("{}", json_line(&view));
        } else {
            show_view(&view);
        }
        if args.dry_run {
            return Ok(outcome(&view.report, view.known));
        }
        if !agreed("Bring this over?").await? {
            return Ok(Outcome::Cancelled);
        }
    }
    let job = client.import_run(of).await?;
    let _ = crate::maintenance::wait(client, job.clone()).await;
    let done = client.import_show(ImportJob { job: job.job }).await?;
    if args.json {
        println!("{}", json_line(&done));
    } else {
        show_done(&done);
    }
    match done.problem {
        Some(problem) if problem.code == ErrorCode::Cancelled => Ok(Outcome::Cancelled),
        Some(problem) => Err(problem),
        None => Ok(outcome(&done.report, done.known)),
    }
}

/// How an import ends: where everything was refused, it failed.
fn outcome(report: &::transfer::Report, known: u32) -> Outcome {
    if report.is_refusal(known) { Outcome::Failed } else { Outcome::Done }
}

fn show_view(view: &ImportView) {
    println!(
        "{} sessions with {} messages, {} of them here already",
        view.sessions, view.messages, view.known
    );
    let group = if view.program.is_some() { "project" } else { "workspace" };
    for workspace in &view.workspaces {
        println!(
            "  {group} {} ({}): {} sessions",
            printable(&workspace.name),
            printable(&workspace.slug),
            workspace.sessions
        );
    }
    if !view.same_as_built_in.is_empty() {
        let names = printable(&view.same_as_built_in.join(", "));
        println!("  named as built-in ones: {names} (--replace puts them in their place)");
    }
    for secret in &view.secrets {
        println!("  in plain text: {} (--take-secrets puts it into the vault)", printable(secret));
    }
    show_report(&view.report);
}

fn show_done(done: &ImportDone) {
    println!(
        "{} sessions with {} messages came over, {} were here already",
        done.imported, done.messages, done.known
    );
    if done.renewed > 0 {
        println!("{} of them had gone on there and were renewed", done.renewed);
    }
    show_report(&done.report);
}

fn show_report(report: &::transfer::Report) {
    for line in report.to_lines(LINES) {
        println!("  {}", printable(&line));
    }
}

/// `share`.
pub async fn share(client: &AnyClient, command: ShareCommand) -> Result<Outcome, Problem> {
    match command {
        ShareCommand::Add { session, expires, keep, replace, json } => {
            let days = days(&expires)?;
            let rows =
                client.share_add(SharePageOptions { session, keep, days, replace, token: None }).await?;
            show_shares(&rows, json);
            if !json {
                eprintln!(
                    "It can be read while `agentnative serve --share` runs. The token revokes it from elsewhere; it is shown only now."
                );
            }
            Ok(Outcome::Done)
        }
        ShareCommand::List { json } => {
            show_shares(&client.share_list().await?, json);
            Ok(Outcome::Done)
        }
        ShareCommand::Revoke { id } => {
            client.share_revoke(ShareRevoke { id: id.clone() }).await?;
            eprintln!("{id} is not shared any more");
            Ok(Outcome::Done)
        }
    }
}

fn show_shares(rows: &[ShareRow], json: bool) {
    if json {
        println!("{}", json_line(rows));
        return;
    }
    for row in rows {
        let token = row.token.as_ref().map(|token| format!("  token {token}")).unwrap_or_default();
        println!("{}  {}  {}{token}", row.path, row.session, printable(&row.title));
    }
    if !rows.is_empty() {
        eprintln!("The link is the address that `agentnative serve --share` prints, and the path.");
    }
}

fn days(text: &str) -> Result<u32, Problem> {
    let number = text.trim().strip_suffix('d').unwrap_or(text.trim());
    let days: Option<u32> = number.parse().ok().filter(|days| (1..=365).contains(days));
    days.ok_or_else(|| usage("--expires takes days from 1d to 365d"))
}

pub fn full(path: &Path) -> Result<String, Problem> {
    let path: PathBuf = std::path::absolute(path).map_err(|error| usage(&error.to_string()))?;
    Ok(path.to_string_lossy().into_owned())
}

fn usage(what: &str) -> Problem {
    Problem::new(ErrorCode::InvalidInput, what)
}
