//! Knowledge bases from the terminal. They live outside the database: no lock is taken.

use std::io::{BufRead, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use api::corpus;
use domain::{ErrorCode, Problem};
use knowledge::verify::BatchRow;
use knowledge::{Base, IngestOptions, Query};
use serde_json::json;

use crate::args::{KbCommand, McpCommand};
use crate::outcome::Outcome;
use crate::prompt;
use crate::terminal::printable;

/// The source whose corpora ship with the program.
const SHIPPED: &str = "isa-knowledge-base";
/// The longest row of a batch, in bytes.
const MAX_ROW: usize = 1 << 20;

/// `kb`.
pub async fn kb(home: &Path, command: KbCommand) -> Result<Outcome, Problem> {
    match command {
        KbCommand::Ingest { sources, base, title, tier, citation, json } => {
            if let Some(missing) = sources.iter().find(|source| !source.exists()) {
                return Err(Problem::new(
                    ErrorCode::InvalidInput,
                    format!("{} does not exist", missing.display()),
                ));
            }
            let options = IngestOptions {
                home: home.to_owned(),
                base,
                title,
                tier: corpus::tier(&tier)?,
                citation,
                created_at_ms: corpus::now_ms(),
                sources,
            };
            ingest(options, json).await
        }
        KbCommand::List { json } => {
            corpus::ensure_shipped(home, &[SHIPPED.to_owned()])?;
            let bases = knowledge::list_bases(home).map_err(corpus::problem)?;
            if json {
                println!("{}", serde_json::to_string(&bases).unwrap_or_default());
                return Ok(Outcome::Done);
            }
            for base in bases {
                let manifest = base.manifest;
                println!(
                    "{:<20} {:>7} paragraphs  {:<8} {}  {}",
                    base.name,
                    manifest.counts.paragraphs,
                    manifest.tier.as_str(),
                    manifest.generation,
                    printable(&manifest.title)
                );
            }
            Ok(Outcome::Done)
        }
        KbCommand::Search { query, base, limit, hops, json } => {
            let base = open(home, &base)?;
            let query = Query { text: query.join(" "), limit, hops, ..Query::default() };
            let hits = base.search(&query).map_err(corpus::problem)?;
            for hit in &hits {
                let paragraph = base.paragraph(&hit.id).map_err(corpus::problem)?;
                if json {
                    let row = json!({ "id": hit.id, "ref": base.citation(&hit.id), "score": hit.score, "title": paragraph.title, "text": paragraph.text, "matched": hit.matched });
                    println!("{row}");
                } else {
                    println!(
                        "{:>8.3}  {}  {}\n          {}\n",
                        hit.score,
                        base.citation(&hit.id),
                        printable(&paragraph.title),
                        printable(&hit.snippet)
                    );
                }
            }
            if hits.is_empty() && !json {
                eprintln!(
                    "Nothing found. Other words may help: the base's own headings are in `agentnative kb stats`."
                );
            }
            Ok(Outcome::Done)
        }
        KbCommand::Show { id, base, json } => {
            let base = open(home, &base)?;
            let paragraph = base.paragraph(&id).map_err(corpus::problem)?;
            if json {
                println!("{}", serde_json::to_string(paragraph).unwrap_or_default());
                return Ok(Outcome::Done);
            }
            println!("{}  {}", base.citation(&paragraph.id), printable(&paragraph.path.join(" > ")));
            if paragraph.withdrawn {
                println!("no longer in force; see {}", paragraph.superseded_by.join(", "));
            }
            println!("\n{}\n", printable(&paragraph.text));
            for reference in &paragraph.refs {
                println!("  {:<12} {}", reference.kind, reference.to);
            }
            Ok(Outcome::Done)
        }
        KbCommand::Verify { source_ref, quote, batch, base } => {
            let base = open(home, &base)?;
            match batch {
                Some(path) => verify_batch(&base, &path),
                None => {
                    let found = knowledge::verify(
                        &base,
                        source_ref.as_deref().unwrap_or_default(),
                        quote.as_deref().unwrap_or_default(),
                    );
                    println!(
                        "{}",
                        json!({ "verdict": found.verdict, "reason": found.reason, "paragraph": found.paragraph_id, "also_found_in": found.also_found_in })
                    );
                    Ok(if found.verdict == domain::Verdict::Verified {
                        Outcome::Done
                    } else {
                        Outcome::Failed
                    })
                }
            }
        }
        KbCommand::Stats { base } => {
            let base = open(home, &base)?;
            let manifest = serde_json::to_value(base.manifest()).unwrap_or_default();
            println!("{}", serde_json::to_string_pretty(&manifest).unwrap_or_default());
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
        KbCommand::Remove { base, yes } => {
            corpus::current(home, &base)?;
            if !yes {
                let answer = prompt::line(&format!("Remove knowledge base {base} from the disk? Runs made with it keep their documents. [y/N] ")).await;
                if !answer.is_some_and(|answer| answer.trim().eq_ignore_ascii_case("y")) {
                    eprintln!("Kept.");
                    return Ok(Outcome::Done);
                }
            }
            knowledge::remove_base(home, &base).map_err(corpus::problem)?;
            Ok(Outcome::Done)
        }
    }
}

fn open(home: &Path, base: &str) -> Result<Base, Problem> {
    corpus::resolve(home, base, &[SHIPPED.to_owned()])?;
    Base::open(home, base).map_err(corpus::problem)
}

async fn ingest(options: IngestOptions, json: bool) -> Result<Outcome, Problem> {
    let cancel = Arc::new(AtomicBool::new(false));
    let asked = cancel.clone();
    let work = tokio::task::spawn_blocking(move || {
        let mut shown = std::time::Instant::now();
        knowledge::ingest(
            &options,
            &mut |progress| {
                if !json && shown.elapsed().as_millis() > 300 {
                    shown = std::time::Instant::now();
                    match progress {
                        knowledge::ingest::Progress::Reading { files, of, paragraphs } => {
                            eprintln!("reading {files} of {of} files, {paragraphs} paragraphs");
                        }
                        knowledge::ingest::Progress::Indexing { done, of } => {
                            eprintln!("indexing {done} of {of}")
                        }
                        knowledge::ingest::Progress::Publishing => eprintln!("writing"),
                    }
                }
            },
            &cancel,
        )
    });
    tokio::pin!(work);
    let done = loop {
        tokio::select! {
            done = &mut work => break done,
            _ = tokio::signal::ctrl_c() => {
                eprintln!("stopping; the base stays as it was");
                asked.store(true, Ordering::Relaxed);
            }
        }
    };
    let report = done
        .map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?
        .map_err(corpus::problem)?;
    if json {
        let files: Vec<_> = report
            .files
            .iter()
            .map(|file| {
                let problems: Vec<_> = file.problems.iter().map(|problem| json!({ "line": problem.line, "what": problem.what })).collect();
                json!({ "name": file.name, "paragraphs": file.paragraphs, "problems": problems, "moreProblems": file.more_problems })
            })
            .collect();
        println!("{}", json!({ "manifest": report.manifest, "files": files }));
        return Ok(Outcome::Done);
    }
    for file in report.files.iter().filter(|file| !file.problems.is_empty()) {
        for problem in &file.problems {
            let line = problem.line.map(|line| format!(":{line}")).unwrap_or_default();
            eprintln!("{}{line}: {}", printable(&file.name), printable(&problem.what));
        }
        if file.more_problems > 0 {
            eprintln!("{}: {} more", printable(&file.name), file.more_problems);
        }
    }
    let manifest = report.manifest;
    println!(
        "{} {}: {} paragraphs from {} files, {} cross-references ({} lead outside)",
        manifest.base,
        manifest.generation,
        manifest.counts.paragraphs,
        manifest.sources.len(),
        manifest.counts.references,
        manifest.counts.dangling
    );
    Ok(Outcome::Done)
}

fn verify_batch(base: &Base, path: &Path) -> Result<Outcome, Problem> {
    let bad =
        |error: std::io::Error| Problem::new(ErrorCode::InvalidInput, format!("{}: {error}", path.display()));
    let mut input: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::io::BufReader::new(std::fs::File::open(path).map_err(bad)?))
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut line = String::new();
    let mut number = 0;
    let mut faulty = 0;
    loop {
        line.clear();
        number += 1;
        if input.read_line(&mut line).map_err(bad)? == 0 {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        let row = match serde_json::from_str::<BatchRow>(&line) {
            _ if line.len() > MAX_ROW => Err(format!("longer than {MAX_ROW} bytes")),
            Ok(row) => Ok(row),
            Err(error) => Err(error.to_string()),
        };
        let verdict = match row {
            Ok(row) => {
                knowledge::verify_batch(base, std::iter::once(&row)).next().map(|verdict| json!(verdict))
            }
            Err(error) => {
                faulty += 1;
                eprintln!("line {number}: not a row {{\"id\", \"source_ref\", \"quote\"}}: {error}");
                None
            }
        };
        if let Some(verdict) = verdict {
            writeln!(out, "{verdict}").map_err(bad)?;
        }
    }
    out.flush().map_err(bad)?;
    Ok(if faulty == 0 { Outcome::Done } else { Outcome::Usage })
}

/// `mcp`.
pub async fn mcp(home: &Path, command: McpCommand) -> Result<Outcome, Problem> {
    match command {
        McpCommand::Knowledge { base, generation } => {
            if generation.is_none() && api::corpus::is_shipped(&base, &[SHIPPED.to_owned()]) {
                corpus::resolve(home, &base, &[SHIPPED.to_owned()])?;
            }
            let pins = generation.map(|generation| (base.clone(), generation)).into_iter().collect();
            let options = mcp_servers::KnowledgeServerOptions {
                home: home.to_owned(),
                default_base: base,
                allowed: Vec::new(),
                pins,
                web: mcp_servers::BraveSearch::from_env(),
            };
            mcp_servers::serve_knowledge(options)
                .await
                .map_err(|error| Problem::new(ErrorCode::Source, error.to_string()))?;
            Ok(Outcome::Done)
        }
    }
}
