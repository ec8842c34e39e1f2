//! `kb ingest`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use app::bases::{self, Recipe};
use app::corpus;
use domain::{ErrorCode, Problem};
use knowledge::IngestReport;
use knowledge::ingest::{FileReport, Preview, Progress};
use protocol::Client;
use serde_json::json;
use tokio::runtime::Handle;
use workspace_bases::{NamedBase, WorkspaceBases};

use super::args::IngestArgs;
use super::{Line, existing};
use crate::outcome::Outcome;
use crate::run::{close, open};
use crate::terminal::{json_line, printable};

pub(super) async fn ingest(shelf: &WorkspaceBases, args: IngestArgs) -> Result<Outcome, Problem> {
    existing(&args.sources)?;
    let absolute = |path: std::path::PathBuf| std::path::absolute(&path).unwrap_or(path);
    let recipe = Recipe {
        paths: args.sources.into_iter().map(absolute).collect(),
        title: args.title,
        tier: args.tier,
        citation: args.citation,
        rules: args.rules,
        model: args.model,
        watch: args.watch,
        ..Recipe::default()
    };
    let (home, json) = (shelf.home().to_owned(), args.json);
    let cancel = Arc::new(AtomicBool::new(false));
    let asked = cancel.clone();
    let handle = Handle::current();
    let base = args.base.unwrap_or_else(|| "preview".to_owned());
    if args.preview {
        let base = shelf.find(&base).map_or(base, |known| known.id);
        let work = tokio::task::spawn_blocking(move || {
            let mut line = Line::new(json);
            bases::preview(&home, &base, &recipe, &mut |now| line.tell(|| words(&now)), &cancel)
        });
        let preview = or_stopped(work, &asked).await?;
        show_preview(&preview, json);
        return Ok(Outcome::Done);
    }
    let NamedBase { id: base, name, .. } = shelf.claim(&base).map_err(corpus::problem)?;
    let place = home.clone();
    let work = tokio::task::spawn_blocking(move || {
        let mut line = Line::new(json);
        bases::ingest(&home, &base, &recipe, &handle, &mut |now| line.tell(|| words(&now)), &cancel)
    });
    let mut report = or_stopped(work, &asked).await?;
    report.manifest.base = name;
    show_report(&report, &[], json);
    compare_answers(&place).await;
    Ok(Outcome::Done)
}

/// Compares answers with what the base says now, so that lists tell of those that no longer hold. What went wrong with it is no
/// fault of the ingest: it is done again when the program starts next.
async fn compare_answers(home: &Path) {
    if !home.join("agentnative.db").exists() {
        return;
    }
    let Ok((client, instance)) = open(home).await else { return };
    let check = client.answers_check().await;
    let _ = close(client, instance).await;
    match check {
        Ok(check) if check.stale > 0 => {
            let answers =
                if check.stale == 1 { "1 answer rests" } else { &format!("{} answers rest", check.stale) };
            let how = "`agentnative sessions list` shows where, `agentnative check <run>` which statements";
            eprintln!("{answers} on text that has changed: {how}");
        }
        Ok(_) => {}
        Err(problem) => tracing::warn!("answers were not compared: {problem}"),
    }
}

/// Waits for the work; Ctrl-C asks it to stop.
pub(super) async fn or_stopped<T>(
    work: tokio::task::JoinHandle<Result<T, Problem>>,
    asked: &AtomicBool,
) -> Result<T, Problem> {
    tokio::pin!(work);
    loop {
        tokio::select! {
            done = &mut work => {
                return done.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
            }
            _ = tokio::signal::ctrl_c() => {
                eprintln!("stopping; everything stays as it was");
                asked.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// How far an ingest is.
pub(super) fn words(progress: &Progress) -> String {
    match progress {
        Progress::Reading { file, files, of, paragraphs, .. } => {
            format!("reading {} of {of} files, {paragraphs} paragraphs: {file}", files + 1)
        }
        Progress::Embedding { done, of } => format!("vectors {done} of {of}"),
        Progress::Indexing { done, of } => format!("indexing {done} of {of}"),
        Progress::Publishing => "writing".to_owned(),
    }
}

pub(super) fn show_report(report: &IngestReport, doubts: &[String], json: bool) {
    if json {
        let files: Vec<_> = report.files.iter().map(file_json).collect();
        let row = json!({
            "manifest": report.manifest, "files": files, "unchanged": report.unchanged, "doubts": doubts,
        });
        println!("{}", json_line(&row));
        return;
    }
    for warning in bases::warnings(&report.files).iter().chain(doubts) {
        eprintln!("{}", printable(warning));
    }
    let manifest = &report.manifest;
    let unchanged = if report.unchanged { " (nothing has changed)" } else { "" };
    println!(
        "{} {}: {} paragraphs from {} files, {} cross-references ({} lead outside){unchanged}",
        manifest.base,
        manifest.generation,
        manifest.counts.paragraphs,
        manifest.sources.len(),
        manifest.counts.references,
        manifest.counts.dangling
    );
    eprintln!("Ask it: agentnative run standards-research --corpus {} \"<question>\"", manifest.base);
}

fn file_json(file: &FileReport) -> serde_json::Value {
    let problems: Vec<_> = file
        .problems
        .iter()
        .map(|problem| json!({ "line": problem.line, "page": problem.page, "what": problem.what }))
        .collect();
    json!({
        "name": file.name, "format": file.format, "rules": file.rules, "confidence": file.confidence,
        "pages": file.pages, "paragraphs": file.paragraphs, "reused": file.reused,
        "problems": problems, "moreProblems": file.more_problems,
    })
}

fn show_preview(preview: &Preview, json: bool) {
    for file in &preview.files {
        if json {
            let samples: Vec<_> = file
                .samples
                .iter()
                .map(|one| json!({ "id": one.id, "kind": one.kind, "text": one.text, "page": one.page }))
                .collect();
            let problems: Vec<_> = file.problems.iter().map(|problem| &problem.what).collect();
            println!(
                "{}",
                json_line(&json!({
                    "name": file.name, "format": file.format, "rules": file.rules, "confidence": file.confidence,
                    "pages": file.pages, "paragraphs": file.paragraphs, "kinds": file.kinds, "headings": file.headings,
                    "samples": samples, "references": file.resolved, "dangling": file.dangling,
                    "duplicates": file.duplicates, "problems": problems,
                }))
            );
            continue;
        }
        println!("{}", printable(&file.name));
        if !file.rules.is_empty() {
            let sure = match file.confidence {
                0 => "no other set fits".to_owned(),
                sure => format!("{sure} % sure"),
            };
            println!("  {} by the rules '{}' ({sure})", file.format, printable(&file.rules));
        }
        let kinds: Vec<String> = file.kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        if file.paragraphs > 0 {
            println!("  {} paragraphs: {}", file.paragraphs, printable(&kinds.join(", ")));
            println!(
                "  {} cross-references, {} lead outside; {} ids used twice",
                file.resolved, file.dangling, file.duplicates
            );
        }
        for (path, count) in file.headings.iter().take(20) {
            let title = path.last().map_or("(before the first heading)", String::as_str);
            println!("  {}{}  [{count}]", "  ".repeat(path.len()), printable(title));
        }
        if file.headings.len() > 20 {
            println!("    … and {} headings more", file.headings.len() - 20 + file.more_headings);
        }
        for sample in &file.samples {
            let text: String = sample.text.chars().take(100).collect();
            println!(
                "    {:<16} {:<12} {}",
                printable(&sample.id),
                sample.kind,
                printable(&text.replace('\n', " "))
            );
        }
        for problem in &file.problems {
            println!("  {} {}", if problem.minor { '-' } else { '!' }, printable(&problem.what));
        }
    }
    if !json {
        let read = preview.files.iter().filter(|file| file.paragraphs > 0).count();
        println!("{read} of {} files read.", preview.files.len());
        println!("Cited as {}. Nothing was stored.", printable(&preview.citation));
    }
}
