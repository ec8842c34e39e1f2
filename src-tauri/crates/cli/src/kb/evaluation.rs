//! `kb eval`.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use domain::{ErrorCode, Problem};
use knowledge::eval::{
    Collection, EvalError, EvalOptions, Evaluation, Progress, Run, compare, evaluate, score,
};
use serde_json::json;
use tokio::runtime::Handle;

use super::Line;
use super::args::EvalArgs;
use super::ingest::{or_stopped, words};
use super::search::mode;
use crate::outcome::Outcome;
use crate::terminal::json_line;

pub(super) async fn eval(home: &Path, args: EvalArgs) -> Result<Outcome, Problem> {
    let cancel = Arc::new(AtomicBool::new(false));
    let asked = cancel.clone();
    let (home, handle) = (home.to_owned(), Handle::current());
    let work = tokio::task::spawn_blocking(move || measure(&home, &args, &handle, &cancel));
    or_stopped(work, &asked).await
}

fn measure(home: &Path, args: &EvalArgs, handle: &Handle, cancel: &AtomicBool) -> Result<Outcome, Problem> {
    let embedder =
        args.model.as_deref().map(|model| app::bases::embedder(home, model, handle)).transpose()?;
    let options = EvalOptions {
        folder: args.folder.clone(),
        embedder,
        mode: mode(args.by),
        hops: args.hops,
        plain: args.plain,
        links: args.links.clone(),
    };
    let mut line = Line::new(args.json);
    let mut tell = |now: Progress| {
        line.tell(|| match now {
            Progress::Ingesting(step) => words(&step),
            Progress::Asking { done, of } => format!("asking {done} of {of}"),
        });
    };
    let found = evaluate(&options, &mut tell, cancel).map_err(problem)?;
    drop(line);
    let other = match &args.compare {
        Some(path) => {
            let judgments = Collection::read(&args.folder).map_err(problem)?.judgments;
            Some(score(&Run::read(path).map_err(problem)?, &judgments))
        }
        None => None,
    };
    if let (Some(path), Some(last)) = (&args.run, found.ways.last()) {
        std::fs::write(path, last.run.to_trec("agentnative"))
            .map_err(|error| Problem::new(ErrorCode::Storage, format!("{}: {error}", path.display())))?;
    }
    show(&found, other.as_ref(), args.json);
    Ok(Outcome::Done)
}

fn show(found: &Evaluation, other: Option<&knowledge::eval::Scores>, as_json: bool) {
    for measured in &found.ways {
        let mean = measured.scores.mean;
        let name = if measured.with_model { "with the model" } else { "without a model" };
        let compared = other.map(|other| compare(&measured.scores, other));
        if as_json {
            let each: serde_json::Map<String, serde_json::Value> = measured
                .scores
                .each
                .iter()
                .map(|(id, one)| (id.clone(), json!([one.ndcg_10, one.recall_100, one.mrr])))
                .collect();
            println!(
                "{}",
                json_line(&json!({
                    "way": name, "model": found.model, "paragraphs": found.paragraphs,
                    "ndcg10": mean.ndcg_10, "recall100": mean.recall_100, "mrr": mean.mrr, "all8": mean.all_8,
                    "searchP50Ms": measured.search.p50_ms, "searchP95Ms": measured.search.p95_ms,
                    "encoderP50Ms": found.encoder.map(|times| times.p50_ms),
                    "ingestSeconds": found.ingest.as_secs_f64(),
                    "difference": compared.as_ref().map(|one| json!([one.difference, one.low, one.high])),
                    "each": each,
                }))
            );
            continue;
        }
        println!(
            "{name:<18} nDCG@10 {:.4}  Recall@100 {:.4}  MRR {:.4}  all@8 {:.4}  search p50 {:.2} ms, p95 {:.2} ms",
            mean.ndcg_10,
            mean.recall_100,
            mean.mrr,
            mean.all_8,
            measured.search.p50_ms,
            measured.search.p95_ms
        );
        if let Some(one) = compared {
            println!(
                "{:<18} against the other ranking: {:+.4} nDCG@10 (95 % {:+.4} to {:+.4}; {} queries better, {} worse)",
                "", one.difference, one.low, one.high, one.better, one.worse
            );
        }
    }
    if as_json {
        return;
    }
    if let Some(encoder) = found.encoder {
        println!("{:<18} p50 {:.2} ms, p95 {:.2} ms a query", "encoder", encoder.p50_ms, encoder.p95_ms);
    }
    println!("{:<18} {} paragraphs in {:.2} s", "ingest", found.paragraphs, found.ingest.as_secs_f64());
    for problem in found.problems.iter().take(20) {
        eprintln!("{}", crate::terminal::printable(problem));
    }
}

fn problem(error: EvalError) -> Problem {
    let code = match &error {
        EvalError::Cancelled => ErrorCode::Cancelled,
        _ => ErrorCode::InvalidInput,
    };
    Problem::new(code, error.to_string())
}
