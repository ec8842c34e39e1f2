//! Knowledge bases from the terminal. They live outside the database: no lock is taken.

mod add;
mod args;
mod check;
mod evaluation;
mod ingest;
mod search;
mod server;

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use app::corpus;
use domain::{ErrorCode, Problem};
use knowledge::{Base, BaseSummary};
use protocol::{BaseShare, Client as _};
use serde_json::json;
use support::now_ms;
use workspace_bases::WorkspaceBases;

pub use args::{KbCommand, McpCommand};
pub use server::mcp;

use crate::outcome::Outcome;
use crate::prompt;
use crate::terminal::{json_line, print_json, printable, printable_json};

/// The source whose corpora ship with the program.
const SHIPPED: &str = "isa-knowledge-base";

/// `kb`.
pub async fn kb(home: &Path, command: KbCommand) -> Result<Outcome, Problem> {
    let shelf = &crate::home::shelf(home)?;
    match command {
        KbCommand::Ingest(args) => ingest::ingest(shelf, args).await,
        KbCommand::Add(args) => add::add(shelf, args).await,
        KbCommand::Model { name, accept_license, from, json } => {
            add::model(shelf, name.as_deref(), accept_license, from.as_deref(), json).await
        }
        KbCommand::Rules { json } => rules(shelf, json),
        KbCommand::List { json } => list(shelf, json),
        KbCommand::Search(args) => search::search(shelf, args).await,
        KbCommand::Show { id, base, json } => show(shelf, &id, &base, json),
        KbCommand::Graph { id, base, depth, json, dot } => {
            search::graph(shelf, id.as_deref(), &base, usize::from(depth), json, dot)
        }
        KbCommand::Verify { source_ref, quote, batch, answer, base } => match (batch, answer) {
            (_, Some(answer)) => check::answer(home, &answer),
            (Some(batch), None) => check::batch(&open(shelf, &base)?, &batch),
            (None, None) => {
                let (source, quote) = (source_ref.unwrap_or_default(), quote.unwrap_or_default());
                Ok(check::one(&open(shelf, &base)?, &source, &quote))
            }
        },
        KbCommand::Eval(args) => evaluation::eval(home, args).await,
        KbCommand::Stats { base, json } => stats(shelf, &base, json),
        KbCommand::Export { base, folder } => {
            open(shelf, &base)?.export(&folder).map_err(corpus::problem)?;
            eprintln!("{base} is in {}", folder.display());
            Ok(Outcome::Done)
        }
        KbCommand::Import { folder, base } => {
            let made = shelf.claim(&base).map_err(corpus::problem)?;
            let manifest = knowledge::import(home, &made.id, &folder, now_ms()).map_err(corpus::problem)?;
            println!("{} {}: {} paragraphs", made.name, manifest.generation, manifest.counts.paragraphs);
            Ok(Outcome::Done)
        }
        KbCommand::Share { base, with, stop } => share(home, base, with, !stop).await,
        KbCommand::Remove { base, yes } => remove(shelf, &base, yes).await,
    }
}

fn open(shelf: &WorkspaceBases, base: &str) -> Result<Base, Problem> {
    let id = corpus::resolve(shelf, base, &[SHIPPED.to_owned()])?.base;
    Base::open(shelf.home(), &id).map_err(corpus::problem)
}

fn list(shelf: &WorkspaceBases, json: bool) -> Result<Outcome, Problem> {
    corpus::ensure_shipped(shelf.home(), &[SHIPPED.to_owned()])?;
    let bases = shelf.list().map_err(corpus::problem)?;
    if json {
        let rows: Vec<_> = bases.iter().map(|(base, summary)| shelf.row(base, summary)).collect();
        return print_json(&rows);
    }
    for (base, BaseSummary { manifest, .. }) in bases {
        let vectors = if manifest.vectors.is_some() { "  vectors" } else { "" };
        let languages = match manifest.languages.as_slice() {
            [] => String::new(),
            some => format!("  {}", printable(&some.join(", "))),
        };
        println!(
            "{:<20} {:>7} paragraphs  {:<8} {}  {}{languages}{vectors}{}",
            base.name,
            manifest.counts.paragraphs,
            manifest.tier.as_str(),
            manifest.generation,
            printable(&manifest.title),
            shelf.sharing(&base)
        );
    }
    Ok(Outcome::Done)
}

async fn share(home: &Path, base: String, with: String, on: bool) -> Result<Outcome, Problem> {
    crate::run::with_client(home, async |client| {
        let share = BaseShare { base: base.clone(), workspace: with, on };
        let having = client.base_share(share).await?.base.shared_with.join(", ");
        println!("{base} is shared with {}", if having.is_empty() { "no workspace" } else { &having });
        Ok(Outcome::Done)
    })
    .await
}

fn rules(shelf: &WorkspaceBases, json: bool) -> Result<Outcome, Problem> {
    let catalog = app::bases::catalog(shelf)?;
    for set in &catalog.rules {
        if json {
            println!(
                "{}",
                json_line(
                    &json!({ "name": set.name, "title": set.title, "own": set.own, "fault": set.fault })
                )
            );
        } else if let Some(fault) = &set.fault {
            eprintln!("{}", printable(fault));
        } else {
            println!("{:<18} {}{}", set.name, printable(&set.title), if set.own { " (yours)" } else { "" });
        }
    }
    Ok(if catalog.rules.iter().any(|set| set.fault.is_some()) { Outcome::Failed } else { Outcome::Done })
}

fn show(shelf: &WorkspaceBases, id: &str, base: &str, json: bool) -> Result<Outcome, Problem> {
    let base = open(shelf, base)?;
    let paragraph = base.paragraph(id).map_err(corpus::problem)?;
    if json {
        return print_json(paragraph);
    }
    let page = paragraph
        .all_pages()
        .map(|pages| format!("  {}", knowledge::pages_in_words(pages)))
        .unwrap_or_default();
    println!(
        "{}  {}{page}",
        printable(&base.citation(&paragraph.id)),
        printable(&paragraph.path.join(" > "))
    );
    if paragraph.withdrawn {
        println!("no longer in force; see {}", printable(&paragraph.superseded_by.join(", ")));
    }
    if !paragraph.context.is_empty() {
        println!("\n[{}]", printable(&paragraph.context));
    }
    println!("\n{}\n", printable(&paragraph.text_with_struck()));
    for reference in &paragraph.refs {
        println!("  {:<12} {}", printable(&reference.kind), printable(&reference.to));
    }
    Ok(Outcome::Done)
}

fn stats(shelf: &WorkspaceBases, base: &str, json: bool) -> Result<Outcome, Problem> {
    let base = open(shelf, base)?;
    let stats = base.stats();
    if json {
        let documents: Vec<_> = base
            .documents()
            .iter()
            .map(|one| json!({ "name": one.name, "paragraphs": one.paragraphs, "first": one.first }))
            .collect();
        println!(
            "{}",
            json_line(&json!({
                "manifest": base.manifest(), "documents": documents, "kinds": stats.kinds, "tags": stats.tags,
                "resolved": stats.resolved, "dangling": stats.dangling,
            }))
        );
        return Ok(Outcome::Done);
    }
    let manifest = serde_json::to_value(base.manifest()).unwrap_or_default();
    println!("{}", printable_json(&serde_json::to_string_pretty(&manifest).unwrap_or_default()));
    for (kind, count) in &stats.kinds {
        println!("{count:>7} of kind {}", printable(kind));
    }
    for document in base.documents() {
        println!(
            "{:>7} paragraphs  {} (from {})",
            document.paragraphs,
            printable(&document.name),
            document.first
        );
    }
    Ok(Outcome::Done)
}

async fn remove(shelf: &WorkspaceBases, base: &str, yes: bool) -> Result<Outcome, Problem> {
    let known = app::removable(shelf, base)?;
    let seen =
        crate::run::with_client(shelf.home(), async |client| client.base_show(base.to_owned()).await).await;
    for run in seen.map(|view| view.unfinished).unwrap_or_default() {
        eprintln!("{run} has not ended and rests on {base}: without it the run can't go on");
    }
    let what = "from the disk? Runs made with it keep their documents.";
    if !yes && !prompt::agreed(&format!("Remove knowledge base {base} {what}")).await? {
        eprintln!("Kept.");
        return Ok(Outcome::Done);
    }
    knowledge::remove_base(shelf.home(), &known.id).map_err(corpus::problem)?;
    Ok(Outcome::Done)
}

/// A progress line on standard error, written over by the next.
struct Line {
    shown: std::time::Instant,
    quiet: bool,
    wrote: bool,
}

impl Line {
    fn new(quiet: bool) -> Self {
        let quiet = quiet || !std::io::stderr().is_terminal();
        Self { shown: std::time::Instant::now(), quiet, wrote: false }
    }

    fn tell(&mut self, text: impl FnOnce() -> String) {
        if !self.quiet && self.shown.elapsed().as_millis() > 300 {
            self.shown = std::time::Instant::now();
            self.wrote = true;
            eprint!("\r\x1b[2K{}", printable(&text()));
            let _ = std::io::stderr().flush();
        }
    }
}

impl Drop for Line {
    /// What is printed next begins a line of its own.
    fn drop(&mut self) {
        if self.wrote {
            eprintln!();
        }
    }
}

/// The files that do not exist are named before anything begins.
fn existing(sources: &[std::path::PathBuf]) -> Result<(), Problem> {
    match sources.iter().find(|source| !source.exists()) {
        Some(missing) => {
            Err(Problem::new(ErrorCode::InvalidInput, format!("{} does not exist", missing.display())))
        }
        None => Ok(()),
    }
}
