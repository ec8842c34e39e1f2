//! `kb add` and `kb model`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use app::bases::{self, AddProgress, CorpusRequest};
use domain::Problem;
use protocol::CatalogEntry;
use workspace_bases::WorkspaceBases;

use super::Line;
use super::args::AddArgs;
use super::ingest::{show_report, words};
use crate::outcome::Outcome;
use crate::terminal::{json_line, printable};

pub(super) async fn add(shelf: &WorkspaceBases, args: AddArgs) -> Result<Outcome, Problem> {
    let Some(name) = args.name else {
        show(&bases::catalog(shelf)?.corpora, args.json);
        return Ok(Outcome::Done);
    };
    let wanted = CorpusRequest { name, base: args.base, accepted: args.accept_license, model: args.model };
    let cancel = stop_on_ctrl_c();
    let mut line = Line::new(args.json);
    let tell = move |now: AddProgress| line.tell(|| progress_line(&now));
    let (report, doubts) = bases::add(shelf, wanted, tell, cancel).await?;
    show_report(&report, &doubts, args.json);
    Ok(Outcome::Done)
}

pub(super) async fn model(
    shelf: &WorkspaceBases,
    name: Option<&str>,
    accepted: bool,
    from: Option<&Path>,
    json: bool,
) -> Result<Outcome, Problem> {
    let Some(name) = name else {
        show(&bases::catalog(shelf)?.models, json);
        return Ok(Outcome::Done);
    };
    let cancel = stop_on_ctrl_c();
    let mut line = Line::new(json);
    let tell = |now| line.tell(|| progress_line(&now));
    bases::add_model(shelf.home(), name, accepted, from, tell, &cancel).await?;
    if name == documents::RECOGNISER {
        println!(
            "{name} is ready: `agentnative kb ingest …` now reads pages that are pictures; ingest those files again"
        );
    } else {
        println!("local:{name} is ready: `agentnative kb ingest … --model local:{name}`");
    }
    Ok(Outcome::Done)
}

fn stop_on_ctrl_c() -> Arc<AtomicBool> {
    let cancel = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&cancel);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            eprintln!("stopping; what was downloaded is kept for the next time");
            asked.store(true, Ordering::Relaxed);
        }
    });
    cancel
}

fn progress_line(now: &AddProgress) -> String {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    match now {
        AddProgress::Downloading { file, bytes, of: Some(of) } => {
            format!("downloading {file}: {:.1} of {:.1} MB", megabytes(*bytes), megabytes(*of))
        }
        AddProgress::Downloading { file, bytes, of: None } => {
            format!("downloading {file}: {:.1} MB", megabytes(*bytes))
        }
        AddProgress::Ingesting(progress) => words(progress),
    }
}

fn show(entries: &[CatalogEntry], as_json: bool) {
    for one in entries {
        if as_json {
            println!("{}", json_line(&one));
            continue;
        }
        let mark = if one.installed { "  (here already)" } else { "" };
        println!("{:<20} {}{mark}", one.name, printable(&one.title));
        if !one.publisher.is_empty() {
            println!("{:<20} {}", "", printable(&one.publisher));
        }
        if !one.license.is_empty() {
            println!("{:<20} {}: {}", "", printable(&one.license), printable(&one.license_summary));
            println!("{:<20} {}", "", printable(&one.license_address));
        }
    }
}
